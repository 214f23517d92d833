"""docs/stances.md: its commands and its Python run; the study of stances-checked.md is what the benchmark finds."""

import os
import re
import shlex
import shutil

import numpy as np
import pytest

import fairtrec
from benchmarks import debates
from fairtrec_made import REPOSITORY
from fairtrec_made.pages import shell_commands

PAGE = (REPOSITORY / "docs" / "stances.md").read_text("utf-8")
CHECKED = REPOSITORY / "docs" / "stances-checked.md"
COMMANDS = shell_commands(PAGE)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """The files that the page names, of the bundled example."""
    folder, example = tmp_path_factory.mktemp("stances"), REPOSITORY / "resources" / "example"
    for name, original in {"bm25.run": "bm25.run", "bert.run": "neural.run", "my.run": "fair.run"}.items():
        shutil.copy(example / original, folder / name)
    shutil.copy(example / "collection.tsv", folder / "docs.tsv")
    labels = (example / "labels.tsv").read_text().replace("\tf\t", "\tpro\t").replace("\tm\t", "\tcon\t")
    (folder / "sides.tsv").write_text(labels)
    docnos = [line.partition("\t")[0] for line in (folder / "docs.tsv").read_text("utf-8").splitlines()]
    matrix = np.random.default_rng(1).normal(size=(len(docnos), 16)).astype(np.float32)
    np.save(folder / "vectors.npy", matrix)
    (folder / "ids.txt").write_text("".join(f"{docno}\n" for docno in docnos))
    every = {"all": dict.fromkeys(docnos, 1.0)}
    fairtrec.make_stances(every, embeddings=matrix, ids=docnos, save_embeddings=folder / "vectors.parquet")
    first = (folder / "bm25.run").read_text().split()[::6][:1]
    (folder / "polar.tsv").write_text("".join(f"{first[0]}\t{docno}\n" for docno in docnos[:6]))
    (folder / "distractors.tsv").write_text(f"{first[0]}\t{docnos[7]}\ta\n{first[0]}\t{docnos[8]}\tb\n")
    return folder


@pytest.mark.parametrize("command", [command for command in COMMANDS if "--model" not in command])
def test_commands_work(command, desk, monkeypatch, fairtrec_command):
    monkeypatch.chdir(desk)
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    done = fairtrec_command(*shlex.split(command)[1:])
    assert done.code == 0, done.err
    if "sides.tsv" in command:
        shown = re.findall(r"^    (# .*)$", PAGE, re.MULTILINE)
        assert done.err.splitlines() == shown


def test_there_are_commands_of_each_kind():
    assert len(COMMANDS) == 4
    assert [command for command in COMMANDS if "--model" in command]


def test_python_works(monkeypatch, capsys):
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(REPOSITORY)
    exec(block, {})
    printed = capsys.readouterr().out
    assert "'SignedDUO': 1.0" in printed
    assert "1.000 of the documents on the right side" in printed


@pytest.mark.parametrize(("mark", "made"), [("known", debates.known), ("words", lambda: debates.found(debates.words))])
def test_the_study_is_what_the_benchmark_finds(mark, made):
    text = CHECKED.read_text("utf-8")
    _, _, rest = text.partition(f"<!-- {mark} -->\n")
    shown, _, _ = rest.partition("\n\n")
    if os.environ.get("FAIRTREC_UPDATE"):
        CHECKED.write_text(text.replace(f"<!-- {mark} -->\n{shown}\n", f"<!-- {mark} -->\n{made()}"), "utf-8")
        return
    assert f"{shown}\n" == made()


def test_the_study_is_of_twenty_queries_with_each_side_and_theme():
    of = debates.texts(2)
    assert len(of) == 160
    assert len(debates.runs()["by turns"]) == 20
    assert list(debates.sides(of).values()).count("for") == 80
    for question, sides in debates.sentences().items():
        assert {of: [len(some) for some in sides[of].values()] for of in sides} == {
            "stance": [6, 6],
            "theme": [6, 6],
        }, question

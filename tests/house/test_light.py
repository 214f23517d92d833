"""With numpy and click only, runs are evaluated as with all libraries; any other library that is needed is named."""

import json
import random
import re
import runpy
import shlex
from collections import Counter

import pytest

from fairtrec_made import REPOSITORY, THOROUGH, light, precision
from fairtrec_made.command_trials import gather_trials, list_goldens

RECORDED = {case.stem: case.read_text("utf-8") for case in list_goldens()}
EACH = 6  # recorded commands of each name that are tried; `make slow` tries all


def select_recorded():
    """Select what is tried: the first of each command in the order of their names, and all of eval."""
    many, kept = Counter(), {}
    for name, text in RECORDED.items():
        command = shlex.split(text.splitlines()[0])[2]
        many[command] += 1
        if THOROUGH or many[command] <= EACH or name in LISTED or command == "eval":
            kept[name] = text
    return kept


MISSING = re.compile(
    r"(.*: )?this needs ([\w-]+), which is not installed; (leave it out, or )?run: pip install (\S+)\n"
)
NEEDED = gather_trials("NEEDED_LIBRARY", {"eval": ""})  # the library of a command
INTERVALS = {"--confidence", "--gold", "--slice"}
LISTED = {
    "measures-bibtex-fails-name",
    "fails-measure-unknown",
    *(["measures"] if "measures" in RECORDED else []),
    "measures-ndcg",
    "measures-unknown",
}  # by ir-measures
GOLDEN = select_recorded()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What each recorded command prints, written as it is recorded."""
    hidden, home = (tmp_path_factory.mktemp(name) for name in ("hidden", "home"))
    timeless = runpy.run_path(str(REPOSITORY / "tests" / "cli" / "test_cli.py"))["_timeless"]
    lines = {name: shlex.split(text.splitlines()[0])[2:] for name, text in GOLDEN.items()}
    around = {"COLUMNS": "100", "FAIRTREC_HOME": str(home), "FAIRTREC_OFFLINE": "1", "GITHUB_ACTIONS": ""}
    found = {}
    for name, (code, out, err) in light.printed(lines, REPOSITORY, hidden, **around).items():
        text = f"{GOLDEN[name].splitlines()[0]}\n{timeless(out, name)}"
        text += f"--- stderr\n{timeless(err)}" if err else ""
        found[name] = code, f"{text}--- exit {code}\n" if code else text, err
    return found


def needs(name):
    """The library without which a recorded command cannot do its work; nothing where it needs none."""
    command, *words = shlex.split(GOLDEN[name].splitlines()[0])[2:]
    if command == "eval" and INTERVALS.intersection(words):
        return "scipy"
    return NEEDED.get(command) or NEEDED.get(" ".join([command, *words][:2]), "")


@pytest.mark.long
def test_recorded_commands_print_the_same_or_name_a_library(recorded):
    assert recorded.keys() == GOLDEN.keys()
    assert len(recorded) > 200
    for name, (code, text, err) in recorded.items():
        said = MISSING.fullmatch(err.splitlines(keepends=True)[-1]) if err else None
        if code == 4 and said:
            assert (name, said[2], said[4]) == (name, needs(name), needs(name))
        elif name not in LISTED:
            assert precision.agree(text, GOLDEN[name]) or text == GOLDEN[name]


@pytest.mark.long
def test_what_is_evaluated_by_numpy_alone_is_so(recorded):
    same = {name for name, (_, text, _) in recorded.items() if precision.agree(text, GOLDEN[name])}
    commands = {name: shlex.split(GOLDEN[name].splitlines()[0])[2] for name in GOLDEN}
    done = {commands[name] for name in same if "--- exit" not in GOLDEN[name]}
    assert done >= {name for name, library in NEEDED.items() if not library}
    assert {name for name in GOLDEN if not needs(name)} - LISTED <= same


@pytest.mark.long
def test_large_files_are_read_alike(tmp_path, fairtrec_command, monkeypatch):
    """pyarrow reads large blocks where it is installed."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    names = [f"dé{number:07d}" for number in range(60_000)]
    tables = {
        "a.run": (f"{1 + at // 1000} Q0 {docno} {at % 1000 + 1} {-(at % 1000)} a\n" for at, docno in enumerate(names)),
        "labels.tsv": (f"{docno}\t{draw.choice('fm')}\t0.75\n" for docno in names),
        "labels.jsonl": (json.dumps({"docno": docno, "group": draw.choice("fm")}) + "\n" for docno in names),
        "docs.tsv": (f"{docno}\tshe said é he {draw.choice(('she', 'he'))}\n" for docno in names),
        "counts.tsv": (f"{docno}\t10\t{draw.randint(0, 3)}\t1\n" for docno in names),
    }
    for name, lines in tables.items():
        head = {"labels.tsv": "docno\tgroup\tweight\n", "counts.tsv": "docno\ttokens\tf\tm\n"}.get(name, "")
        (tmp_path / name).write_text(head + "".join(lines), "utf-8")
        assert (tmp_path / name).stat().st_size > 1 << 20
    lines = {
        beside: ["eval", "none", "a.run", *beside.split(), "-m", measure, "-f", "json", "-q", "-j", "1"]
        for beside, measure in {
            "--labels labels.tsv": "AWRF@50",
            "--labels labels.jsonl": "AWRF@50",
            "--terms gender-en --docs docs.tsv": "TE@50",
            "--counts counts.tsv": "TE@50",
        }.items()
    }
    (tmp_path / "hidden").mkdir()
    found = light.printed(lines, tmp_path, tmp_path / "hidden")
    for beside, (code, out, err) in found.items():
        assert (beside, code, err) == (beside, 0, "")
        assert json.loads(out) == json.loads(fairtrec_command(*lines[beside]).out)


LIBRARIES = gather_trials(
    "MISSING_LIBRARY",
    {
        "pyarrow": ["eval qrels.txt bm25.run -f parquet -o a.parquet", "eval qrels.txt packed.run"],
        "scipy": ["eval qrels.txt bm25.run -m nDCG@10 --confidence 0.9"],
        "ir-measures": ["eval qrels.txt bm25.run -m BPM(T=1)@5"],
        "ir_datasets": ["eval msmarco-passage/trec-dl-2019 bm25.run -m RR"],
    },
)


@pytest.mark.long
def test_a_library_that_is_missing_is_named_with_what_installs_it(copied, tmp_path_factory):
    (copied / "packed.run").write_bytes(b"\x28\xb5\x2f\xfd")
    (copied / "a.arrow").write_bytes(b"ARROW1\0\0")
    (copied / "a").mkdir()
    lines = {line: shlex.split(line) for several in LIBRARIES.values() for line in several}
    found = light.printed(lines, copied, tmp_path_factory.mktemp("hidden"))
    for package, several in LIBRARIES.items():
        for line in several:
            code, _, err = found[line]
            assert (line, code, len(err.splitlines())) == (line, 4, 1), err
            assert err.endswith(f"pip install {package}\n")

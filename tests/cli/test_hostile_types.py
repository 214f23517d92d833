"""Values of other types, in any places of every TOML and JSON that is read, together: the law of hostile input holds.

By default 90 draws; FAIRTREC_FUZZ=10000 asks for 3,000. tests/support/files/test_typed.py tries each place by itself.
"""

import copy
import json
import random
import shutil
from hashlib import sha256

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fairtrec_made.command_trials import gather_trials
from fairtrec_made.law import draws, hold
from fairtrec_made.strange import VALUES, places, toml

pytestmark = pytest.mark.fuzz

SPLIT = 10  # parts of the work, each a test
FILES = {
    "qrels": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n",
    "a.run": "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d3 1 2 a\nq2 Q0 d1 2 1 a\n",
    "b.run": "q1 Q0 d2 1 3 b\nq1 Q0 d1 2 2 b\nq2 Q0 d1 1 2 b\nq2 Q0 d3 2 1 b\n",
    "docs.tsv": "d1\tshe and he\nd2\the said\nd3\tthey said\n",
    "labels.tsv": "d1\tf\nd2\tm\nd3\tm\n",
    "qids": "q1\nq2\n",
    "mine.tsv": "q1\nq2\n",
}
RAW = [  # which no value of Python is written as
    "1e999", "-1e999", "NaN", "Infinity", "1" * 5000, "-0", "1e-400", '"\\ud800"', '"\\ud800\\udc00"', '{"a": 1, "a": 2}', "[" * 3000, "[" * 200 + "]" * 200,
    "01", "+1", "0x10", "1_000", "inf", "nan", "1979-05-27", "07:32:00", "'a'", '"""a"""', "tru", "\x00", '"\udcff"', "",
]  # fmt: skip
STRINGS = [
    "qrels", "a.run", "../escaped", "/dev/zero", "/dev/null", ".", "..", "-", "none", "vaswani", "irds:vaswani", "gender-en", "@list", "*", "file:///etc/passwd",
    "http://localhost:1/", "nDCG@2", "RR", "NFaiRR(tau=-1)@0", "RR >= 0", "json", "x" * 70_000, "a\nb", "::error::x", "-0", "1e5", "true", "sha256", "0" * 64,
]  # fmt: skip
PASSPORT = f"""kind = "queryset"
title = "t"
source = "s"
license = "l"
citation = "c"
language = "en"
format = "tsv"
file = "mine.tsv"
sha256 = "{sha256(FILES["mine.tsv"].encode()).hexdigest()}"
count = 2
"""
OPTIONS = {
    "require": ["RR >= 0.1"], "junit": "out.xml", "output": "out.txt", "format": "json", "labels": "labels.tsv", "measures": "RR", "baseline": "b.run", "j": 1,
    "places": 3, "order": "score", "queries": "qids", "target": "even", "missing": "neutral", "keep-going": True, "depth": 10, "terms": "gender-en", "docs": "docs.tsv",
}  # fmt: skip
LINES = {
    "docs.jsonl": ({"id": "d1", "title": "t", "text": "she"}, ["eval qrels a.run --terms gender-en --docs docs.jsonl -m ARaB@2 --missing neutral", "counts make docs.jsonl --terms gender-en -o out.tsv -j 1"]),
    "labels.jsonl": ({"docno": "d1", "group": "f", "weight": 1, "qid": "q1"}, ["eval qrels a.run -m AWRF@2 --labels labels.jsonl", "eval qrels a.run -m AWRF@2 --labels labels.jsonl:weight:1,2"]),
    "run.jsonl": ({"qid": "q1", "docno": "d1", "score": 2.5, "rank": 1, "tag": "t"}, ["validate run.jsonl", "eval qrels run.jsonl -m RR"]),
    "values.jsonl": ({"query_id": "q1", "measure": "RR", "value": 0.5, "run": "a"}, ["compare --values values.jsonl --values values.jsonl"]),
    "track.jsonl": ({"q_num": "0.1", "qid": "1", "ranking": ["a"]}, ["validate track.jsonl --track trec-fair-2019 --sequences seq.csv --truth truth.jsonl"]),
    "truth.jsonl": ({"qid": "1", "documents": [{"doc_id": "a", "relevance": 1}]}, ["validate track.jsonl --track trec-fair-2019 --sequences seq.csv --truth truth.jsonl"]),
    **gather_trials("STRANGE_LINES"),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory, fairtrec_command):
    """Make the files of a workplace once."""
    folder = tmp_path_factory.mktemp("made")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for name, (line, _) in LINES.items():
        (folder / name).write_text(json.dumps(line) + "\n")
    (folder / "seq.csv").write_text("0.1,1\n")
    (folder / "mine.toml").write_text(PASSPORT)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("FAIRTREC_OFFLINE", "1")
        for command in (
            "eval qrels a.run -m RR --labels labels.tsv -m AWRF@2 --missing neutral -q -f json -o results.json",
            "counts make docs.tsv --terms gender-en -o counts.tsv -j 1",
            "counts make docs.tsv --terms gender-en -o counts.arrow -j 1",
            "counts convert counts.arrow counts.parquet",
        ):
            ended = fairtrec_command(*command.split())
            assert ended.code == 0, (command, ended.err)
    return folder


@pytest.fixture
def workplace(made, tmp_path, monkeypatch):
    folder = shutil.copytree(made, tmp_path / "work")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    for name in ("FAIRTREC_DEBUG", "FAIRTREC_AUTOFETCH", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def strange(dice, document, write):
    """Put one to three other values into a document, and write it: values of other types, or what no value is."""
    document = copy.deepcopy(document)
    raw = {}
    for number in range(dice.choice([1, 1, 2, 3])):
        ways = list(places(document))
        if not ways:
            break
        *above, last = dice.choice(ways)
        holder = document
        for key in above:
            holder = holder[key]
        kind = dice.randrange(8)
        if kind == 0:
            del holder[last]
        elif kind == 1:
            raw[f"RAW{number}"] = dice.choice(RAW)
            holder[last] = f"RAW{number}"
        elif kind == 2 and isinstance(holder, dict):
            holder[dice.choice(["", "x", "runs", "a.b", "\x1b", "x" * 3000])] = holder.pop(last)
        else:
            holder[last] = copy.deepcopy(dice.choice([*VALUES, *STRINGS]))
    text = write(document)
    for name, token in raw.items():
        text = text.replace(f'"{name}"', token)
    return text.encode("utf-8", "surrogateescape")


def table(document):
    """Write a document as the fields of a table of TOML."""
    return "".join(f"{json.dumps(key)} = {toml(value)}\n" for key, value in document.items() if value is not None)


def results(dice, folder):
    document = json.loads((folder / "results.json").read_text())
    (folder / "odd.json").write_bytes(strange(dice, document, json.dumps))
    return dice.choice(["results diff odd.json results.json", "results replay odd.json", "compare --values odd.json --values results.json", "check qrels a.run --baseline odd.json --require RR>=baseline", "eval qrels a.run -m RR --target odd.json"])  # fmt: skip


def configuration(dice, folder):
    given = dict(dice.sample(sorted(OPTIONS.items()), dice.randrange(1, 5)), require=["RR >= 0.1"])
    head = dice.choice(
        ["[tool.fairtrec.check]\n"] * 4 + ["[tool]\nfairtrec = 1\n", "[[tool.fairtrec.check]]\n", "check = "]
    )
    is_named = dice.random() < 0.5
    (folder / ("odd.toml" if is_named else "pyproject.toml")).write_bytes(head.encode() + strange(dice, given, table))
    return "check qrels a.run" + " --config odd.toml" * is_named


def passport(dice, folder):
    import tomllib

    document = tomllib.loads((folder / "mine.toml").read_text())
    odd = strange(dice, document, table)
    if dice.random() < 0.5:
        (folder / "odd").mkdir()
        shutil.copy(folder / "mine.tsv", folder / "odd")
        (folder / "odd" / "mine.toml").write_bytes(odd)
        return "resources add odd/mine.toml"
    own = folder.parent / "home" / "own" / "mine"
    own.mkdir(parents=True)
    shutil.copy(folder / "mine.tsv", own)
    (own / "mine.toml").write_bytes(odd)
    return dice.choice(
        ["resources list", "resources verify", "resources path mine", "eval qrels a.run -m RR --queries mine"]
    )


def metadata(dice, folder):
    line = dice.randrange(2)
    lines = (folder / "counts.tsv").read_text().splitlines(keepends=True)
    odd = strange(dice, json.loads(lines[line][2:]), json.dumps)
    (folder / "odd.tsv").write_bytes(b"".join([*(each.encode() for each in lines[:line]), b"# ", odd.replace(b"\n", b" "), b"\n", *(each.encode() for each in lines[line + 1 :])]))  # fmt: skip
    return dice.choice(["counts info odd.tsv", "counts diff odd.tsv counts.tsv", "counts convert odd.tsv out.arrow", "counts merge out.tsv odd.tsv", "eval qrels a.run --counts odd.tsv -m NFaiRR@2 --background b.run"])  # fmt: skip


def binary_metadata(dice, folder):
    form = dice.choice(["arrow", "parquet"])
    made = (
        feather.read_table(folder / "counts.arrow")
        if form == "arrow"
        else parquet.read_table(folder / "counts.parquet")
    )
    held = dict(made.schema.metadata)
    key = dice.choice([each for each in held if held[each].startswith(b"{")])
    held[key] = strange(dice, json.loads(held[key]), json.dumps)
    made = made.replace_schema_metadata(held)
    if dice.random() < 0.4:
        at = dice.randrange(made.num_columns)
        other = dice.choice([pa.array([None] * len(made)), pa.array(["x"] * len(made)), pa.array([-1] * len(made)), pa.array([1.5] * len(made)), pa.array([[1]] * len(made)), pa.array([{"a": 1}] * len(made)), pa.array([1 << 62] * len(made)), pa.array([b"\xff"] * len(made)), pa.array([True] * len(made))])  # fmt: skip
        made = made.set_column(at, made.column_names[at], other)
    if form == "arrow":
        feather.write_feather(made, folder / "odd.arrow", compression="uncompressed")
    else:
        parquet.write_table(made, folder / "odd.parquet")
    return dice.choice(["counts info odd.F", "counts convert odd.F out.tsv", "counts diff odd.F counts.tsv", "counts merge out.arrow odd.F", "eval qrels a.run --counts odd.F -m NFaiRR@2 --background b.run"]).replace("F", form)  # fmt: skip


def lines(dice, folder):
    name = dice.choice([*LINES])
    document, commands = LINES[name]
    (folder / name).write_bytes(strange(dice, document, json.dumps) + b"\n")
    return dice.choice(commands)


@pytest.mark.parametrize("part", range(SPLIT))
@pytest.mark.parametrize("odd", [results, configuration, passport, metadata, binary_metadata, lines])
def test_values_of_other_types_end_in_one_line(odd, part, workplace, fairtrec_command):
    dice = random.Random(f"{odd.__name__} {part}")
    kept = {path: path.read_bytes() for path in workplace.iterdir()}
    for _ in range(draws(9, share=0.05) // SPLIT or part < 9):
        command = odd(dice, workplace)
        given = {path: path.read_bytes() for path in workplace.iterdir() if path.is_file()}
        outputs = "work/" if odd is configuration else "work/out"  # which names an output below its folder
        hold(fairtrec_command, command.split(), workplace.parent, (outputs, "home"))
        assert not [path for path, data in given.items() if path.name != "out.xml" and path.read_bytes() != data]
        for path in [*workplace.iterdir(), *(workplace.parent / "home").glob("own")]:
            if path not in kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path, data in kept.items():
            path.write_bytes(data)

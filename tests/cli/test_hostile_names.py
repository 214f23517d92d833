"""Files with any name that a system takes, as input, output, in a list, folder or pattern: the law of hostile input holds.

By default 100 draws; FAIRTREC_FUZZ=10000 asks for 4,000.
"""

import json
import os
import random
import shutil
import sys

import pytest

from fairtrec_made.command_trials import gather_trials
from fairtrec_made.law import draws, hold

pytestmark = [
    pytest.mark.fuzz,
    pytest.mark.skipif(sys.platform == "win32", reason="which takes few names"),
]

SPLIT = 10  # parts of the work, each a test
RUN = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d3 1 1 t\n"
OTHER = b"q1 Q0 d2 1 2.5 u\nq1 Q0 d1 2 1.5 u\nq2 Q0 d3 1 1 u\n"
FILES = {
    "qrels": b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n",
    "a.run": OTHER,
    "labels.tsv": b"d1\tf\nd2\tm\nd3\tm\n",
    "docs.tsv": b"d1\tshe and he\nd2\the said\nd3\tthey said\n",
}
PIECES = [
    "\n", "\r", "\t", " ", "\x1b[2J", "\x1b]0;x\x07", "\x7f", "\x85", "\u2028", "\u202e", "\udcff", "\udced\udca0\udc80", "é", "e\u0301", "::",
    "::error::", "\n::error::", "##[group]", "##vso[x]", "-", "--", "-f", "--output=x", "=", "a=", "a.run", "@", "@list", "*", "?", "[a]", "[", "**",
    "~", "$(touch x)", "$\\frac$", "`touch x`", ";touch x", "|", "&", "<b>", "<script>", "<td>", "'", '"', "\\", "\\n", ":", ":1:2", "f:1,2", "%", "%s", "{}",
    "{0.__class__}", "#", "!", ",", "none", "qrels", "common", "gender-en", "irds:", "irds:vaswani", ".", "..", ".gz", ".zst", ".parquet", ".arrow",
    ".json", ".jsonl", ".csv", ".run", ".toml", "x" * 100, "é" * 60, "x" * 251, "0", "nan", "1e999", "=1+1", "+1", "CON", "mean", "all", "baseline",
]  # fmt: skip
EVAL = {
    "run": ["eval qrels N a.run -m nDCG@2 -f F", "eval qrels x=N -m RR", "eval qrels N N -m RR -q -f F", "eval qrels a.run -m RR --background N", "eval qrels N -m RR -o out.F"],
    "qrels": ["eval N a.run -m RR", "eval N a.run -m RR -f F"],
    "labels": ["eval qrels a.run -m AWRF@2 --labels N -f F", "eval qrels a.run -m AWRF@2 --labels g=N --labels h=labels.tsv", "eval qrels a.run -m AWRF@2 --labels N*labels.tsv"],
    "docs": ["eval qrels a.run --terms gender-en --docs N -m ARaB@2 -f F"],
    "terms": ["eval qrels a.run --terms N --docs docs.tsv -m ARaB@2"],
    "queries": ["eval qrels a.run -m RR --queries N -f F"],
    "list": ["eval qrels @N -m RR"],
}  # fmt: skip
KINDS = {  # what a file of each kind holds
    "run": RUN,
    "qrels": FILES["qrels"],
    "labels": FILES["labels.tsv"],
    "docs": FILES["docs.tsv"],
    "terms": b"she,f\nhe,m\n",
    "queries": b"q1\n",
    "list": b"a.run\n",
    "values": b'{"query_id": "q1", "measure": "RR", "value": 0.5, "run": "a"}\n',
    "configuration": b"[tool.fairtrec.check]\nrequire = ['RR >= 0.1']\n",
    "results": b"{}",
}
READING = {kind: (KINDS[kind], lines) for kind, lines in gather_trials("ODD_NAMES", EVAL).items()}
WAYS = ["N", "./N", "N", "/N", "*", "folder", "@list"]
FORMS = ["table", "json", "tsv", "csv", "md", "html", "trec", "latex", "github"]
WRITING = gather_trials("ODD_OUTPUTS", ["eval qrels a.run -m RR -f json -o N", "eval qrels a.run -m RR -o N"])


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    (folder / "a2.run").write_bytes(RUN)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    for name in ("FAIRTREC_DEBUG", "FAIRTREC_AUTOFETCH", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def name_drawn(dice):
    """Draw a name that a file can have."""
    while True:
        name = "".join(dice.choice(PIECES) for _ in range(dice.choice([1, 1, 2, 3])))
        if name not in (".", "..", *FILES, "a2.run", "list") and len(os.fsencode(name)) <= 255:
            return name


@pytest.mark.parametrize("part", range(SPLIT))
def test_files_with_any_name_are_read_or_refused_in_one_line(part, workplace, fairtrec_command):
    dice = random.Random(f"names {part}")
    for _ in range(draws(70, share=0.3) // SPLIT):
        name, kind = name_drawn(dice), dice.choice([*READING, "run", "run"])
        data, commands = READING[kind]
        (workplace / "in").mkdir(exist_ok=True)
        place = workplace / dice.choice([".", ".", "in"]) / name
        command, way, form = dice.choice(commands), dice.choice(WAYS if kind == "run" else WAYS[:4]), dice.choice(FORMS)
        place.write_bytes(data)
        given = os.path.relpath(place)
        if way == "@list":
            (workplace / "list").write_bytes(os.fsencode(given) + b"\n")
        typed = {"N": given, "./N": f"./{given}", "/N": os.fspath(place), "*": "*", "folder": "in", "@list": "@list"}[
            way
        ]
        words = [word.replace("N", typed).replace("F", form) for word in command.split()]
        ended = hold(fairtrec_command, words, workplace.parent, ("work/out", "home"))
        if "json" in words and ended.code == 0 and "-f" in words:
            json.loads(ended.out)
        place.unlink()
        (workplace / "list").unlink(missing_ok=True)
        clean(workplace)


@pytest.mark.parametrize("part", range(3))
def test_outputs_with_any_name_are_written_there_and_nowhere_else(part, workplace, fairtrec_command):
    dice = random.Random(f"outputs {part}")
    for _ in range(draws(30, share=0.1) // 3):
        name = name_drawn(dice)
        words = [name if word == "N" else word for word in dice.choice(WRITING).split()]
        hold(fairtrec_command, words, workplace.parent, (f"work/{name}", "home"))
        clean(workplace)


@pytest.mark.parametrize("name", ["\udcff", "\x1b[2J", "$\\frac$"])
@pytest.mark.parametrize("command", gather_trials("ANY_BYTES"))
def test_names_of_any_bytes_stand_in_tables_and_figures(workplace, fairtrec_command, command, name):
    (workplace / name).write_bytes(FILES["docs.tsv"] if "counts make" in command else RUN)
    words = [name if word == "N" else word for word in command.split()]
    assert hold(fairtrec_command, words, workplace.parent, ("work/out", "home")).code == 0


def clean(folder):
    """Remove what a command wrote."""
    for path in folder.iterdir():
        if path.name not in (*FILES, "a2.run"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

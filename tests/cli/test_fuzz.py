"""Generated corruptions of every kind of file that a command reads: one line, a promised exit code, an end.

By default 80; FAIRTREC_FUZZ=10000, as of `make fuzz`, asks for so many.
"""

import bz2
import gzip
import hashlib
import os
import random
import re

import pytest
import zstandard

from fairtrec_made.command_trials import gather_trials
from fairtrec_made.limits import ends_within

pytestmark = pytest.mark.fuzz

MANY = int(os.environ.get("FAIRTREC_FUZZ", "0")) or 80
SPLIT = 20  # parts of the work, each a test
LONGEST = 60  # seconds of one command

GOOD = {
    "qrels": b"q1 f d1 1\nq1 m d2 1\nq2 m d3 1\nq2 f d1 2\n",
    "a.run": b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d3 1 1.0 tag\nq2 Q0 d1 2 0.5 tag\n",
    "b.run": b"q1 Q0 d2 1 2.5 b\nq1 Q0 d1 2 1.5 b\nq2 Q0 d3 1 1 b\nq2 Q0 d2 2 0.5 b\n",
    "docs.tsv": b"d1\tshe and he\nd2\the\nd3\tnobody\n",
    "docs.jsonl": b'{"id": "d1", "text": "she"}\n{"id": "d2", "text": "he"}\n{"id": "d3", "text": ""}\n',
    "counts": b"docno tokens f m\nd1 3 1 1\nd2 1 0 1\nd3 1 0 0\n",
    "groups": b"# terms\nshe,f\nhe,m\n",
    "qids": b"q1\nq2\n",
    "labels": b"d1\tf\t0.5\nd1\tm\t0.5\nd2\tm\t1\nd3\tf\t1\n",
    "labels.jsonl": b'{"docno": "d1", "group": "f", "weight": 1}\n{"docno": "d2", "group": "m"}\n',
    "sheet": b"# fairtrec:1 | gold:document | number:3 of 3 | seed:0 | depth:10 | order:score | runs:a.run@%s\n"
    b"docno\tgroup\tweight\tprobability\ttext\nd1\tf\t0.5\t0.25\tshe\nd1\tm\t0.5\t\the\nd2\t-\t1\t0.5\t\nd3\t?\t1\t1\tx\n",
    "queries.sheet": b"# fairtrec:1 | gold:query | number:2 of 2 | seed:0 | depth:10 | order:score | runs:a.run@%s\n"
    b"qid\tdocno\tgroup\tprobability\nq1\td1\tf\t0.5\nq1\td2\tm\t0.5\nq2\td1\t\t0.5\nq2\td3\t-\t0.5\n",
    "stances": b"docno\tx\ty\nd1\t0.5\t1\nd2\t-1\t2\nd3\t0\t0\n",
    "target": b"q1\tf\t0.4\nq1\tm\t0.6\nq2\tf\t1\n",
    "slices": b"q1\tshort\nq2\tlong\nq1\tall queries\n",
    "votes": b"qid\tannotator\tlabel\nq1\tx\tn\nq1\ty\tf\nq2\tx\tn\nq2\ty\tn\n",
    "asked": b"QID\tQuery\tKind\nq1\twho is she\tWork, Home\nq2\twho\tWork\n",
    "list": b"a.run\nb.run\n",
    "docnos": b"d1\nd2\nd3\n",
    "judge.qrels": b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\nq2 0 d1 0\n",
    "pyproject.toml": b'[tool.fairtrec.check]\nrequire = ["nDCG@2 > 0.1"]\n',
}
for sheet in ("sheet", "queries.sheet"):  # of which the draw was one of this run
    GOOD[sheet] %= hashlib.sha256(GOOD["a.run"]).hexdigest()[:8].encode()
EVAL = {
    "qrels": ["eval qrels a.run -m nDCG@2", "eval qrels a.run -m FAIR@2 --labels qrels"],
    "a.run": ["eval qrels a.run b.run -m nDCG@2 --keep-going"],
    "docs.tsv": ["eval qrels a.run --terms groups --docs docs.tsv"],
    "docs.jsonl": ["eval qrels a.run --terms groups --docs docs.jsonl"],
    "counts": ["eval qrels a.run --counts counts --background b.run"],
    "groups": ["eval qrels a.run --terms groups --docs docs.tsv"],
    "qids": ["eval qrels a.run -m nDCG@2 --queries qids"],
    "labels": ["eval qrels a.run -m 'AWRF@2 KL@2' --labels labels", "eval qrels a.run -m AWRF@2 --labels labels*labels.jsonl"],
    "labels.jsonl": ["eval qrels a.run -m AWRF@2 --labels labels.jsonl"],
    "sheet": ["eval none a.run --counts counts -m RBDF@2 --gold sheet"],
    "queries.sheet": ["eval none a.run --labels labels -m AWRF@2 --gold queries.sheet"],
    "stances": ["eval qrels a.run -m DUO@2 --stances stances"],
    "target": ["eval qrels a.run -m AWRF@2 --labels labels --target target"],
    "list": ["eval qrels @list -m nDCG@2"],
}  # fmt: skip
COMMANDS = gather_trials("CORRUPTED", EVAL)  # the file that is corrupted: the commands that read it
CELLS = [
    b"", b" ", b"\t", b"\n", b"\r\n", b"\r", b"nan", b"-inf", b"1e400", b"0x10", b"1_0", b"-1", b"1.5", b"9" * 30, b"9" * 400,
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1b[31m", b"#", b"?", b"*", b"x" * 1025, b"x" * 70_000, b"{", b"}",
    b"[", b"[" * 5000, b'"', b"'", b"\\", b"\\ud800", b"null", b"true", b"[]", b"{}", b"1e999", b"NaN", b"d1", b"q1", b"f",
    b"q1\td1", "\u202e\u2028".encode(), "ß女".encode(), b"..", b"/", b"/dev/null", b"-", b"@list", b"docno", b"qid", b"=",
]  # fmt: skip
PACK = [gzip.compress, bz2.compress, zstandard.compress]


def corrupted(dice, data):
    """The file with one to three things wrong; now and then it is compressed, and then damaged."""
    for _ in range(dice.choice([1, 1, 2, 3])):
        kind = dice.randrange(7)
        at, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
        words = re.split(rb"(\s+|[,:])", data)
        if kind == 0:
            words[dice.randrange(len(words))] = dice.choice(CELLS)
            data = b"".join(words)
        elif kind == 1:
            data = data[:at] + dice.choice(CELLS) + data[at:]
        elif kind == 2:
            data = data[:at] + data[end:]
        elif kind == 3:
            data = data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]
        elif kind == 4:
            lines = data.splitlines(keepends=True)
            dice.shuffle(lines)
            data = b"".join(lines)
        elif kind == 5:
            data += data[at:end]
        else:
            data = data[:at]
    if dice.random() < 0.15:
        data = dice.choice(PACK)(data)
        if dice.random() < 0.7:
            data = dice.choice([data[: dice.randrange(len(data))], data + b"rest", data * 2])
    return data


@pytest.fixture
def workplace(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "ir_datasets"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    monkeypatch.delenv("FAIRTREC_DEBUG", raising=False)
    for name, text in GOOD.items():
        (tmp_path / name).write_bytes(text)
    for name in ("good.json", "results.json"):
        assert fairtrec_command("eval", "qrels", "a.run", "-m", "nDCG@2", "-q", "-f", "json", "-o", name).code == 0
    return tmp_path


def words(command):
    return [word.replace("_", " ") for word in command.replace("'AWRF@2 KL@2'", "AWRF@2_KL@2").split()]


def test_what_is_corrupted_is_taken_as_it_is(workplace, fairtrec_command):
    for command in (command for commands in COMMANDS.values() for command in commands):
        ended = fairtrec_command(*words(command))
        assert ended.code == 0, (command, ended.err)


@pytest.mark.parametrize("part", range(SPLIT))
def test_corrupted_files_end_in_one_line(part, workplace, fairtrec_command):
    one_line_each(random.Random(part), [*COMMANDS], MANY // SPLIT, workplace, fairtrec_command)


def test_corrupted_sheets_of_gold_end_in_one_line(workplace, fairtrec_command):
    many = 300 if bool(os.environ.get("FAIRTREC_FUZZ")) else 36
    one_line_each(random.Random("gold"), ["sheet", "queries.sheet"], many, workplace, fairtrec_command)


def one_line_each(dice, names, many, workplace, fairtrec_command):
    """Corrupt so many files of these names, and run a command that reads them."""
    good = {name: (workplace / name).read_bytes() for name in COMMANDS}
    for _ in range(many):
        name = dice.choice(names)
        command = dice.choice(COMMANDS[name])
        data = corrupted(dice, good[name])
        (workplace / name).write_bytes(data)
        with ends_within(LONGEST):
            ended = fairtrec_command(*words(command))
        what = (command, data[:2000], ended.err[:1000])
        assert ended.code in (0, 1, 2, 3, 4), what
        assert "fairtrec has a fault" not in ended.err, what
        assert "Traceback" not in ended.err, what
        if ended.code > 1 and "--keep-going" not in command:
            assert len(ended.complaints) == 1, what
        (workplace / name).write_bytes(good[name])

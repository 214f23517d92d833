"""Generated corruptions of a valid run: never a traceback, and never another verdict than that of the readers.

By default 160; FAIRTREC_FUZZ=10000 asks for so many.
"""

import bz2
import gzip
import os
import random
import re
from unittest import mock

import pytest
import zstandard

from fairtrec.commands.validate import entries
from fairtrec.commands.validate import report as findings
from fairtrec.commands.validate.findings import CODES, place_of
from fairtrec.commands.validate.run_check import examine, write
from fairtrec.formats import other_runs
from fairtrec.formats import run as run_format
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening

pytestmark = pytest.mark.fuzz

MANY = int(os.environ.get("FAIRTREC_FUZZ", "160"))
SPLIT = 20  # parts of the work, each a test
LINES = [b"q%d Q0 doc%d %d %d.5 tag" % (q, 7 * q + r * r, r, 20 - r) for q in range(1, 5) for r in range(1, 8)]

CELLS = [
    b"", b" ", b"\t", b"nan", b"-nan", b"inf", b"-Infinity", b"1e400", b"-1e400", b"1e-400", b"0x10", b"0x1p3", b"1_000",
    b"1__0", "١٢".encode(), "１".encode(), b"1,5", b"1.5.5", b"+1", b"--1", b"1e", b".5", b"5.", b"99999999999999999999",
    b"9" * 400, b"1 2", b"\0", b"\xff", b"\xed\xa0\x80", b"\xc2\xa0", "1\u00a05".encode(), "\u200b".encode(), b"\r", b"\x0b",
    b"\x0c", b"\x1c", b"\x85", b"\xef\xbb\xbf", b"#", b"# a", b"x" * 1024, b"x" * 1025, b"Q0", b"0", b"-1", b"1.0", b"doc8",
    b"NULL", b'"a b"', b"{}", b"d\xc3\xa9",
]  # fmt: skip
WHOLE = [
    b"", b"\n", b" \n", b"\xef\xbb\xbf", b"# comment", b"#", b"\0", b"\x1a", b"\r", b"q1 Q0 doc8 1 19.5 tag",
    b"q1 Q0 doc8 1 3 tag", b"q1\tQ0\tnew\t9\t1\ttag", b" q1 Q0 new 9 1 tag", b"q1 Q0 new 9 1 tag ", b"# a b c 1 d",
    b"qid Q0 docno rank score tag", b"<run>", b"\xff\xfe", b"q1 Q0 x 1 1 tag\rq1 Q0 y 2 1 tag", b"\x0b", b"\xc2\xa0",
]  # fmt: skip


def corrupted(dice):
    """A file with one to four things wrong, which is compressed now and then, and then may be cut or damaged."""
    lines = list(LINES)
    end = b"\n"
    for _ in range(dice.choice([1, 1, 2, 4])):
        at = dice.randrange(len(lines))
        cells = lines[at].split(b" ")
        kind = dice.randrange(12)
        if kind == 0:
            cells[dice.randrange(len(cells))] = dice.choice(CELLS)
        elif kind == 1:
            del cells[dice.randrange(len(cells))]
        elif kind == 2:
            cells.insert(dice.randrange(len(cells) + 1), dice.choice([*cells, *CELLS]))
        elif kind == 3:
            dice.shuffle(cells)
        elif kind == 4:
            place = dice.randrange(len(cells))
            cells[place] = cells[place][:1] + dice.choice(CELLS) + cells[place][1:]
        lines[at] = b" ".join(cells)
        if kind == 5:
            lines.insert(dice.randrange(len(lines) + 1), dice.choice([*WHOLE, *LINES]))
        elif kind == 6 and len(lines) > 1:
            del lines[at]
        elif kind == 7:
            lines.insert(0, dice.choice(WHOLE))
        elif kind == 8:
            end = dice.choice([b"\r\n", b"\r", b"\n\n", b"\n\r"])
        elif kind == 9:
            dice.shuffle(lines)
    data = end.join(lines) + dice.choice([b"", end, end, end])
    if dice.random() < 0.3:
        data = flipped(dice, data)
    if dice.random() < 0.1:
        data = data[: dice.randrange(len(data) + 1)]
    if dice.random() < 0.15:
        data = dice.choice([gzip.compress, bz2.compress, zstandard.compress])(data)
        if dice.random() < 0.6:
            data = dice.choice([flipped(dice, data), data[: dice.randrange(len(data))], data + b"garbage", data * 2])
    return data


def flipped(dice, data):
    """Some bytes of it are others."""
    letters = bytearray(data)
    for _ in range(dice.choice([1, 3])):
        if letters:
            letters[dice.randrange(len(letters))] = dice.choice([dice.randrange(256), 0, 10, 13, 32, 35])
    return bytes(letters)


BLANKS = b" \t\v\f\r"  # what isspace() of C takes for blank, within a line
ENTRY = re.compile(rb"[ \t\v\f\r]*(?:[^ \t\v\f\r]+[ \t\v\f\r]+){5}[^ \t\v\f\r]+[ \t\v\f\r]*")


def trec_eval_takes(data):
    """Tell whether trec_eval reads a run.

    Its get_results takes the whole file, appends a line end if there is none, and parses each line: six words between
    blanks, nothing behind the last one; any other line, a blank one too, is "Malformed". An empty file cannot be read.
    The score is what atof makes of the word, which never fails. Each query's documents are then sorted and two of one
    name are "duplicate docs". Written from what the program is known to do, as a second opinion.
    """
    if not data:
        return False
    seen = set()
    for line in data.removesuffix(b"\n").split(b"\n"):
        if not ENTRY.fullmatch(line):
            return False
        qid, _, docno, *_ = line.strip(BLANKS).translate(bytes.maketrans(BLANKS, b" " * 5)).split()
        if (qid, docno) in seen:
            return False
        seen.add((qid, docno))
    return True


KINDS = {  # what the reader says: the codes of that
    "columns instead|column instead": {"E201"},
    "end in CR only": {"E201"},
    "not UTF-8|NUL byte": {"E103", "E104"},
    "of more than 1024 bytes": {"E204"},
    "is not a finite number|has a comma": {"E301", "E302", "E303"},
    "the tag .* has blanks": {"E205"},
    "appears twice": {"E401", "E402"},
    "has no lines": {"E102"},
    "compressed data|reading failed": {"E101"},
}


def verdict(path):
    """The run as `fairtrec eval` reads it, or how it refuses it: the codes that this is among, and the line."""
    try:
        return run_format.read(path), None, None
    except InputError as fault:
        text = str(fault)
        line = re.match(rf"{re.escape(str(path))}:(\d+): ", text)
        codes = next((codes for pattern, codes in KINDS.items() if re.search(pattern, text)), {"E101"})
        return None, codes, int(line[1]) if line else None


def content(ranked):
    return ranked.qids, ranked.starts.tolist(), ranked.docnos.tolist(), ranked.scores.tolist()


def judged(path, data, *, one_block):
    checked = examine(path, most=None)
    findings = sorted(checked.found.kept, key=place_of)
    errors = [finding for finding in findings if finding.code.is_error]
    assert len(findings) == checked.found.many.total()
    assert all(finding.line is None or 1 <= finding.line <= data.count(b"\n") + 1 for finding in findings) or not plain(
        data
    )
    ranked, codes, line = verdict(path)
    is_table = (
        other_runs.settle_format(path, "auto") == "table"
    )  # its first line names the columns, which trec_eval refuses
    if codes is not None:
        codes = codes | {"E101"} if is_table else codes
        lines = [finding.line for finding in errors if finding.code.name in codes]
        assert lines
        assert line is None or line in lines
        if one_block and line is not None and not codes & {"E204", "E401"}:
            assert line == min(lines)
    if plain(data) and not is_table and not trec_eval_takes(data):
        assert errors
    if not errors:
        assert ranked is not None
    return checked, ranked


def plain(data):
    return not data.startswith((b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"))


@pytest.mark.parametrize("part", range(SPLIT))
def test_what_is_broken_is_found_and_told_from_what_is_not(part, tmp_path):
    dice = random.Random(part)
    path, fixed = tmp_path / "a.run", tmp_path / "b.run"
    for _ in range(MANY // SPLIT):
        data = corrupted(dice)
        path.write_bytes(data)
        checked, ranked = judged(path, data, one_block=True)
        "".join(findings.text([(checked, fixed)])).encode()
        if not checked.obstacles and any(qid.startswith("#") for qid in checked.rows.qids):
            with pytest.raises(InputError, match="would be a comment in a TREC run"):
                write(checked, fixed)
        elif not checked.obstacles:
            write(checked, fixed)
            again = examine(fixed)
            assert not [name for name in again.found.many if CODES[name].repair]
            assert trec_eval_takes(fixed.read_bytes())
            if ranked is not None:
                assert content(run_format.read(fixed)) == content(ranked)


@pytest.mark.parametrize("size", [16, 64, 300])
def test_small_blocks_and_the_fast_reader_find_the_same(size, tmp_path):
    dice = random.Random(size)
    path = tmp_path / "a.run"
    for _ in range(MANY // 20):
        data = corrupted(dice)
        path.write_bytes(data)
        whole, _ = judged(path, data, one_block=True)
        with mock.patch.object(opening, "BLOCK", size), mock.patch.object(entries, "LARGE", 1):
            parts, _ = judged(path, data, one_block=False)
        told = [
            [(f.line, f.code.name, f.message) for f in sorted(each.found.kept, key=place_of)] for each in (whole, parts)
        ]
        assert told[0] == told[1]
        assert whole.rows.lines.tolist() == parts.rows.lines.tolist()


def test_the_run_that_is_corrupted_is_clean(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"\n".join(LINES) + b"\n")
    assert not examine(path).found.many
    assert trec_eval_takes(path.read_bytes())

"""Hostile input ends in one line, at a bound: what has no end, what unpacks to far too much, labels that cannot be."""

import bz2
import gzip
import io
import os
import subprocess
import sys
import time
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from fairtrec.formats import columns
from fairtrec.formulas.rounding import merge_ties
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening, whole_lines
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import gather_trials

pytestmark = pytest.mark.fuzz

GOOD = {
    "qrels": b"q1 0 d1 1\nq1 0 d2 0\n",
    "a.run": b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n",
    "l.tsv": b"d1\tf\nd2\tm\n",
    "copy.tsv": b"d1\tf\nd2\tm\n",
}
LABELS = "eval qrels a.run -m AWRF@2 --labels"


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    for name, text in GOOD.items():
        (tmp_path / name).write_bytes(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRTREC_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    monkeypatch.setattr(opening, "LONGEST_LINE", 1 << 21)
    monkeypatch.setattr(opening, "LARGEST_REST", 1 << 21)
    monkeypatch.setattr(opening, "LARGEST_UNPACKED", 1 << 16)
    monkeypatch.setattr(opening, "BLOCK", 1 << 16)
    return tmp_path


def one_line(ended, code, start):
    assert ended.code == code, ended.err
    assert len(ended.complaints) == 1, ended.err
    assert ended.complaints[0].startswith(start)


def test_parquet_labels_of_years_beyond_the_calendar(workplace, fairtrec_command):
    far = pa.array([10**15, 10**15], pa.timestamp("ms"))
    parquet.write_table(pa.table({"docno": ["d1", "d2"], "group": ["f", "m"], "weight": far}), "l.parquet")
    one_line(
        fairtrec_command(*LABELS.split(), "l.parquet"),
        3,
        "l.parquet: the column weight of the labels holds times instead of numbers; write numbers",
    )


def test_parquet_labels_that_are_not_utf_8(workplace, fairtrec_command):
    edges = pa.py_buffer(np.array([0, 2, 4], np.int32))
    docnos = pa.Array.from_buffers(pa.string(), 2, [None, edges, pa.py_buffer(b"d\xffd2")])
    parquet.write_table(pa.table({"docno": docnos, "group": ["f", "m"]}), "l.parquet")
    one_line(
        fairtrec_command(*LABELS.split(), "l.parquet"),
        3,
        "l.parquet: the column docno of the labels is damaged, or is not UTF-8; make it",
    )


def test_parquet_labels_are_read_for_the_columns_that_are_labels(workplace, fairtrec_command):
    far = pa.array([10**15, 10**15], pa.timestamp("ms"))
    parquet.write_table(pa.table({"docno": ["d1", "d2"], "group": ["f", "m"], "seen": far}), "l.parquet")
    assert fairtrec_command(*LABELS.split(), "l.parquet").code == 0


@pytest.mark.parametrize("labels", ["l.tsv*l.tsv", "l.tsv*copy.tsv", "l.tsv * ./l.tsv"])
def test_labels_crossed_with_themselves(workplace, fairtrec_command, labels):
    one_line(fairtrec_command(*LABELS.split(), labels), 2, f"{labels}: labels are crossed with themselves; ")


@pytest.mark.parametrize("command", ["results diff /dev/zero /dev/zero", "resources add msmarco-fair /dev/zero"])
def test_what_has_no_end_is_refused(workplace, fairtrec_command, command):
    ended = fairtrec_command(*command.split())
    assert ended.code in (3, 4)
    assert len(ended.complaints) == 1


def test_a_line_without_an_end_is_a_finding(workplace, fairtrec_command):
    ended = fairtrec_command("validate", "/dev/zero")
    assert ended.code == 3
    assert "/dev/zero:1: E105 a line of more than 1 MiB" in ended.out


BOMBS = gather_trials("BOMBS", {
    "labels": f"{LABELS} bomb.gz",
    "queries": "eval qrels a.run -m nDCG@2 --queries bomb.gz",
    "a run": "eval qrels bomb.gz -m nDCG@2",
    "qrels": "eval bomb.gz a.run -m nDCG@2",
    "counts": "eval qrels a.run --counts bomb.gz",
})  # fmt: skip


@pytest.mark.parametrize("command", BOMBS.values(), ids=BOMBS)
def test_a_file_that_unpacks_to_far_too_much(workplace, fairtrec_command, command):
    start = b"docno tokens f m\n" if "counts" in command else b""
    (workplace / "bomb.gz").write_bytes(gzip.compress(start + b"\n" * (1 << 18) + b"q1\n"))
    one_line(fairtrec_command(*command.split()), 3, "bomb.gz: more than 200 times as large when it is unpacked; ")


def test_validate_finds_a_file_that_unpacks_to_far_too_much(workplace, fairtrec_command):
    (workplace / "bomb.gz").write_bytes(gzip.compress(b"\n" * (1 << 18)))
    ended = fairtrec_command("validate", "bomb.gz")
    assert ended.code == 3
    assert "E101 more than 200 times as large when it is unpacked" in ended.out


def test_a_name_with_a_nul_is_one_line():
    with pytest.raises(InputError, match="a file name cannot contain a NUL; correct it"), opening.open_input("a\0b"):
        pass
    assert not opening.is_stream("a\0b")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.compress])
@pytest.mark.parametrize(
    "command",
    ["eval qrels - -m nDCG@2", "eval - a.run -m nDCG@2", f"{LABELS} -", "eval qrels a.run -m nDCG@2 --queries -"],
)
def test_a_pipe_that_unpacks_to_far_too_much(workplace, fairtrec_command, command, pack):
    ended = fairtrec_command(*command.split(), stdin=pack(b"\n" * (1 << 18) + b"q1\n"))
    one_line(ended, 3, "-: more than 200 times as large when it is unpacked; ")


def test_validate_finds_a_pipe_that_unpacks_to_far_too_much(workplace, fairtrec_command):
    ended = fairtrec_command("validate", "-", stdin=gzip.compress(b"\n" * (1 << 18)))
    assert ended.code == 3
    assert "E101 more than 200 times as large when it is unpacked" in ended.out


@pytest.mark.parametrize("command", [*BOMBS.values(), "validate bomb.gz"])
def test_blank_lines_without_an_end(workplace, fairtrec_command, monkeypatch, command):
    monkeypatch.setattr(opening, "LARGEST_BLANK", 1 << 20)
    start = b"docno tokens f m\n" if "counts" in command else b""
    (workplace / "blank").write_bytes(start + (b" " * 61 + b"\t\n\r\n") * (1 << 15))  # no bomb: it is as large as it is
    ended = fairtrec_command(*command.replace("bomb.gz", "blank").split())
    assert ended.code == 3
    what = "more than 1 MiB of blank lines; check that it is the right file"
    assert [line for line in (ended.out + ended.err).splitlines() if line.startswith("blank:") and what in line]


@pytest.mark.parametrize(
    "command",
    [
        "eval qrels blank -m nDCG@2",
        "eval blank a.run -m nDCG@2",
        "validate blank",
        "counts make blank.gz --terms gender-en -o t.tsv -j 1",
    ],
)
def test_blank_lines_without_an_end_behind_an_entry(workplace, fairtrec_command, monkeypatch, command):
    monkeypatch.setattr(opening, "LARGEST_BLANK", 1 << 20)
    monkeypatch.setattr(opening, "BLOCK", 1 << 24)
    entry = GOOD["qrels" if "eval blank" in command else "l.tsv" if "counts make" in command else "a.run"]
    text = entry + b"\r\n" * (3 << 19)
    (workplace / "blank").write_bytes(text)
    (workplace / "blank.gz").write_bytes(gzip.compress(text))
    ended = fairtrec_command(*command.split())
    assert ended.code == 3
    what = "more than 1 MiB of blank lines; check that it is the right file"
    assert [line for line in (ended.out + ended.err).splitlines() if line.startswith("blank") and what in line]


def test_what_stands_before_blank_lines_without_an_end_is_kept(monkeypatch):
    monkeypatch.setattr(opening, "LARGEST_BLANK", 100)
    text = b"a \n\nb\t\n" + b" " * (whole_lines.PIECE - 8) + b"\n" * (2 * whole_lines.PIECE)
    several = whole_lines.Lines(io.BufferedReader(io.BytesIO(text), whole_lines.PIECE), 1 << 22, 100)
    assert list(several) == [b"a \n\nb\t\n"]
    assert (several.rest, several.damage[:9]) == (b"", "more than")


def test_blanks_and_comments_before_the_first_entry_are_whole_lines():
    for letters in product(b" \t#\na", repeat=6):
        text, end = bytes(letters), 0
        for line in text.splitlines(keepends=True):
            if line.strip(b" \t\n") and not line.lstrip(b" \t").startswith(b"#"):
                break
            end += len(line)
        assert columns._HEAD.match(text).end() == end


def test_some_blank_lines_are_passed_over(workplace, fairtrec_command):
    run = (workplace / "a.run").read_bytes().splitlines(keepends=True)
    (workplace / "a.run").write_bytes(run[0] + b"\n" * (1 << 18) + run[1])
    assert fairtrec_command("eval", "qrels", "a.run", "-m", "nDCG@2").code == 0


@pytest.mark.parametrize("form", ["arrow", "parquet", "tsv"])
def test_counts_are_not_counted_as_texts(workplace, fairtrec_command, form):
    (workplace / "docs.tsv").write_bytes(b"d1\tshe said\nd2\the said\n")
    (workplace / "g").write_text("she,f\nhe,m\n")
    given = ["--terms", "g", "-j", "1", "-o"]
    assert fairtrec_command("counts", "make", "docs.tsv", *given, f"counts.{form}").code == 0
    ended = fairtrec_command("counts", "make", f"counts.{form}", *given, "again.arrow")
    one_line(ended, 3, f"counts.{form}: this is already a table of counts; pass the texts")
    assert not (workplace / "again.arrow").exists()


def test_counts_with_tabs_are_not_counted_as_texts(workplace, fairtrec_command):
    (workplace / "c").write_text("docno\ttokens\tf\tm\nd1\t3\t1\t0\n")
    (workplace / "g").write_text("she,f\nhe,m\n")
    ended = fairtrec_command("counts", "make", "c", "--terms", "g", "-o", "o.arrow", "-j", "1")
    one_line(ended, 3, "c: this is already a table of counts; ")


@pytest.mark.parametrize("line", ['docs = "a\\u0000b"', 'require = ["RR > 0", "a\\u0000b"]', 'junit = "\\u0000"'])
def test_a_nul_in_toml_is_one_line(workplace, fairtrec_command, line):
    (workplace / "o.toml").write_text(f"[tool.fairtrec.check]\n{line}\n")
    ended = fairtrec_command("check", "qrels", "a.run", "--config", "o.toml")
    one_line(ended, 3, f"o.toml:2: {line.split()[0]} holds a NUL, which no name and no text has; ")


def test_a_weight_of_400_digits(workplace, fairtrec_command):
    (workplace / "l.jsonl").write_text('{"docno": "d1", "group": "f", "weight": ' + "9" * 400 + "}\n")
    one_line(fairtrec_command(*LABELS.split(), "l.jsonl"), 3, "l.jsonl:1: the weight 999")


@pytest.mark.parametrize("measure", ["ERR@10", "ERR"])
def test_no_program_prints_lines_of_its_own(workplace, fairtrec_command, capfd, measure):
    (workplace / "qrels").write_text("q1 1 d1 5\nq1 f d2 0\n")
    one_line(fairtrec_command("eval", "qrels", "a.run", "-m", measure), 2, measure.split("(")[0].split("@")[0])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("command", gather_trials("HUGE_VALUES"))
@pytest.mark.parametrize("value", ["1.797e308", "-1e200"])
def test_a_value_that_is_too_large_to_compute_with_is_one_line(workplace, fairtrec_command, command, value):
    if command.startswith("plot"):
        pytest.importorskip(
            "matplotlib", reason="matplotlib, which draws, is not installed: pip install 'fairtrec[plot]'"
        )
    for name, number in (("huge", value), ("small", "0.5")):
        lines = [f"{measure}\tq{query}\t{number}\n" for measure in ("nDCG@10", "RR") for query in range(3)]
        (workplace / f"{name}.txt").write_text("".join(lines))
    ended = fairtrec_command(*command.split())
    assert ended.code == 3
    (line,) = ended.err.splitlines()
    assert line.endswith(f" is {value}, which is too large to compute with; correct it, or choose measures with -m")
    assert not (workplace / "out.svg").exists()


def test_ties_of_huge_values_are_told_without_a_warning():
    values = np.array([1.797e308, -1e305, 0.1 + 0.2, np.inf, np.nan])
    np.testing.assert_array_equal(merge_ties(values), [1.797e308, -1e305, 0.3, np.inf, np.nan])


COMMANDS = ["eval vaswani a.run -m nDCG@2", "eval none a.run --terms gender-en --docs vaswani", "counts make vaswani --terms gender-en -o o.arrow -j 1"]  # fmt: skip


@pytest.mark.long
def test_ir_datasets_neither_logs_nor_draws_where_nobody_watches(workplace):
    program = f"""if True:
        import sys
        from fairtrec.cli import main
        for command in {COMMANDS}:
            sys.argv = ["fairtrec", *command.split()]
            try:
                main()
            except SystemExit as end:
                print(end.code)
    """
    more = {"PYTHONPATH": str(REPOSITORY), "IR_DATASETS_HOME": str(workplace / "home")}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | more, capture_output=True, text=True, check=False
    )
    assert ended.stdout.split() == ["4"] * len(COMMANDS)
    lines = ended.stderr.splitlines()
    assert len(lines) == len(COMMANDS)
    assert all(line.startswith("ir_datasets cannot provide vaswani (FAIRTREC_OFFLINE is set); run: ") for line in lines)


@pytest.mark.long
@pytest.mark.parametrize(
    "command", ["eval qrels blank.gz -m nDCG@2", "eval blank.gz a.run -m nDCG@2", "validate blank.gz"]
)
@pytest.mark.parametrize("part", [b"\n" * (1 << 24), b"q1 Q0 d1 1 2.5 t\n" + b"\n" * (1 << 21)])
def test_blank_lines_cost_little_each(workplace, fairtrec_command, command, part):
    (workplace / "blank.gz").write_bytes(gzip.compress(part * ((1 << 24) // len(part)), 1))
    begin = time.process_time()
    ended = fairtrec_command(*command.split())
    assert time.process_time() - begin < 5  # a line at a time, these take half a minute
    assert ended.code in (1, 3)

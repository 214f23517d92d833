"""Bounded memory: long ids of another column, and at other places."""

import resource
import subprocess
import sys

import pytest

LINES = 1_000_000
MOST = 1 << 29  # bytes; the ids of each file below would take 1 GB if all were as wide as the longest
LONG = "x" * 1024
PROGRAM = "import sys; from fairtrec.formats import run; print(len(run.read(sys.argv[1]).docnos))"


def count_documents(folder, *, qid="", docno="", tag="", at=0):
    """Read a run of short ids, of which those of one line are others, in little memory."""
    rows = [(f"q{i // 1000}", f"d{i}", "t") for i in range(LINES)]
    rows[at] = tuple(new or old for new, old in zip((qid, docno, tag), rows[at], strict=True))
    lines = (f"{qid} Q0 {docno} 1 {-(i % 1000)} {tag}\n" for i, (qid, docno, tag) in enumerate(rows))
    (folder / "a.run").write_text("".join(lines))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder / "a.run"], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST)),
        capture_output=True, text=True, check=False, env={"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stdout == f"{LINES}\n", done.stderr[-300:]


@pytest.mark.slow
@pytest.mark.parametrize("column", ["qid", "tag"])
def test_one_long_id_of_another_column_costs_little_more_than_itself(tmp_path, column):
    count_documents(tmp_path, **{column: LONG}, at=77_777)


@pytest.mark.long
@pytest.mark.parametrize("at", [0, pytest.param(LINES - 1, marks=pytest.mark.slow)])
def test_the_first_or_last_id_that_is_long_costs_little_more_than_itself(tmp_path, at):
    count_documents(tmp_path, docno=LONG, at=at)

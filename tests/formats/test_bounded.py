"""Parquet, Arrow and npz that are far larger in memory than on disk are refused before the memory is taken."""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.data import Docnos
from fairtrec.formats import columns, labels, run
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening, submissions
from fairtrec_made.command_trials import gather_trials

pytestmark = pytest.mark.fuzz

WANTED = Docnos.collect(np.array([b"d1", b"d2"]))
BOMB = "times as large when it is unpacked"


def repeated(path, rows):
    parquet.write_table(pa.table({"docno": ["d1"] * rows, "group": ["f"] * rows}), path)


def counts(path, rows):
    same = pa.array(np.zeros(rows, np.int64))
    table = pa.table({"docno": [""] * rows, "tokens": same, "f": same, "m": same})
    feather.write_feather(table, path, compression="zstd", chunksize=rows)


def unstarted(path, rows):
    """Write counts that are packed, and damage the message with which the file begins."""
    counts(path, rows)
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[:8] + bytes(4) + data[12:])


def understated(path, length):
    """Write a page of a long text, and say in the footer that it is short."""
    table = pa.table({"docno": ["d1", "d2"], "group": ["f" * length, "m"]})
    parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    group = parquet.read_metadata(path).row_group(0)
    data = Path(path).read_bytes()
    for size in (group.total_byte_size, group.column(1).total_uncompressed_size):
        data = data.replace(number(size), number(10, like=number(size)))
    Path(path).write_bytes(data)


def number(value, like=b""):
    """Give a number as it stands in the footer of Parquet, in as many bytes as another."""
    value, digits = 2 * value, b""
    while value > 127 or len(digits) < len(like) - 1:
        value, digits = value >> 7, digits + bytes([value & 127 | 128])
    return digits + bytes([value])


BOMBS = {
    "unstarted.arrow": (unstarted, 1 << 20, Table),
    "understated.parquet": (understated, 1 << 26, labels.read),
    "labels.parquet": (repeated, 1 << 22, labels.read),
    "counts.arrow": (counts, 1 << 20, Table),
    **gather_trials("PACKED_BOMBS"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", BOMBS)
def test_what_is_far_larger_in_memory_is_refused_before_it_is_read(tmp_path, monkeypatch, name):
    write, size, read = BOMBS[name]
    path = str(tmp_path / name)
    write(path, size)
    for reader in ("ParquetFile.read", "ParquetFile.iter_batches", "ParquetFile.read_row_group"):
        monkeypatch.setattr(f"pyarrow.parquet.{reader}", lambda *_, **__: pytest.fail("it was read"))
    monkeypatch.setattr("numpy.load", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(InputError, match=BOMB):
        read(path)


def test_a_docno_that_is_too_long_is_not_repeated_as_often_as_it_stands_in_parquet(tmp_path):
    rows = 20_000
    same = pa.array(np.zeros(rows, np.int64))
    docnos = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["d" * 100_000])
    path = tmp_path / "counts.parquet"
    parquet.write_table(pa.table({"docno": docnos, "tokens": same, "f": same, "m": same}), path, store_schema=False)
    program = (
        "import sys; from fairtrec.counting.table.files import Table; from fairtrec.support.errors import InputError\n"
        "try: list(Table(sys.argv[1]).blocks())\n"
        "except InputError as fault: print(fault)"
    )
    most = 1 << 30  # where the docnos would take 2 GB
    done = subprocess.run(
        [sys.executable, "-c", program, path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == f"{path}: a docno of more than 1024 bytes, or with a NUL; change it\n"


@pytest.mark.long
def test_a_text_is_not_repeated_as_often_as_it_stands_in_lists_in_parquet(tmp_path):
    rows = 20_000
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["f" * 100_000])
    lists = pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32)), same)
    path = tmp_path / "l.parquet"
    parquet.write_table(pa.table({"docno": [f"d{i}" for i in range(rows)], "group": lists}), path, store_schema=False)
    program = (
        "import sys; from fairtrec.formats import labels; from fairtrec.support.errors import InputError\n"
        "try: labels.read(sys.argv[1])\n"
        "except InputError as fault: print(fault)"
    )
    most = 1 << 30  # where the texts would take 2 GB
    done = subprocess.run(
        [sys.executable, "-c", program, path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (
        done.stdout == f"{path}:1: this group is no text or number of one line and at most 1024 letters; correct it\n"
    )


def test_texts_that_repeat_the_start_of_the_one_above_are_refused(tmp_path):
    table = pa.table({"docno": ["d1", "d2"], "group": ["f", "m"]})
    same = {"use_dictionary": False, "column_encoding": {"docno": "DELTA_BYTE_ARRAY", "group": "PLAIN"}}
    parquet.write_table(table, tmp_path / "l.parquet", **same)
    with pytest.raises(InputError, match="the encoding DELTA_BYTE_ARRAY can unpack to any size; use another encoding"):
        labels.read(str(tmp_path / "l.parquet"))


def test_texts_behind_their_lengths_are_read(tmp_path):
    lengths = {"docno": "DELTA_LENGTH_BYTE_ARRAY", "group.list.element": "DELTA_LENGTH_BYTE_ARRAY"}
    table = pa.table({"docno": ["d1", "d2"], "group": [["f"], ["f", "m"]]})
    parquet.write_table(table, tmp_path / "l.parquet", use_dictionary=False, column_encoding=lengths)
    assert labels.read(str(tmp_path / "l.parquet")).weights.tolist() == [[1, 0], [1, 1]]


def test_columns_of_parquet_do_not_lie_over_each_other(tmp_path):
    path = tmp_path / "l.parquet"
    parquet.write_table(pa.table({"docno": ["d1", "d2"], "group": ["f", "m"]}), path)
    group, data = parquet.read_metadata(path).row_group(0), path.read_bytes()
    first, second = (group.column(i).data_page_offset for i in range(2))
    path.write_bytes(data.replace(b"\x26" + number(second), b"\x26" + number(first, like=number(second))))
    with pytest.raises(InputError, match="or a page is wrong"):
        labels.read(str(path))


def test_batches_of_arrow_do_not_lie_over_each_other(tmp_path):
    path = tmp_path / "c.arrow"
    same = pa.array(np.zeros(2000, np.int64))
    table = pa.table({"docno": [f"d{i}" for i in range(2000)], "tokens": same, "f": same, "m": same})
    feather.write_feather(table, path, compression="uncompressed", chunksize=1000)
    data = path.read_bytes()
    length = int.from_bytes(data[-10:-6], "little")
    footer = data[-10 - length :]
    at = next(i for i in range(len(footer) - 56) if footer[i : i + 4] == b"\2\0\0\0" and footer[i + 12 : i + 16])
    first, second = footer[at + 4 : at + 28], footer[at + 28 : at + 52]
    assert int.from_bytes(second[:8], "little") > int.from_bytes(first[:8], "little") > 0
    path.write_bytes(data.replace(second, first))
    with pytest.raises(InputError, match="or a message is wrong"):
        Table(str(path))


def test_what_is_packed_as_others_do_is_read(tmp_path):
    docnos = [f"d{i}" for i in range(5000)]
    numbers = pa.array(np.arange(5000) % 7)
    table = pa.table({"docno": docnos, "tokens": numbers, "f": numbers, "m": numbers})
    feather.write_feather(table, tmp_path / "c.arrow", compression="zstd")
    parquet.write_table(table, tmp_path / "c.parquet", compression="zstd")
    read = [read_counts(Table(str(tmp_path / name)), WANTED) for name in ("c.arrow", "c.parquet")]
    assert [each.tokens.tolist() for each in read] == [[1, 2], [1, 2]]


@pytest.mark.long
@pytest.mark.parametrize("rows", [60_000, 3_000_000])
def test_a_docno_is_not_laid_out_as_often_as_it_stands_in_a_run_of_parquet(tmp_path, rows):
    docnos = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["d" * 1000])
    qids = pa.DictionaryArray.from_arrays(pa.array(np.arange(rows, dtype=np.int32) // 500), list(map(str, range(6000))))
    path = tmp_path / "r.parquet"
    parquet.write_table(pa.table({"qid": qids, "docno": docnos, "score": np.zeros(rows)}), path, store_schema=False)
    program = (
        "import sys; from fairtrec.formats import run; from fairtrec.support.errors import InputError\n"
        "try: run.read(sys.argv[1])\n"
        "except InputError as fault: print(fault)"
    )
    most = 1 << 30  # where the docnos would take 3 GB
    done = subprocess.run(
        [sys.executable, "-c", program, path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    what = f"ids of up to 1000 bytes in {rows:,} lines take more than 200 times as much memory as the file has bytes"
    assert done.stdout == f"{path}: {what}; shorten the ids\n", done.stderr[-300:]


def test_long_ids_of_a_submission_are_within_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "LARGEST_LAYOUT", 0)
    monkeypatch.setattr(columns, "FEW", 1)
    monkeypatch.setattr(opening, "BLOCK", 4096)
    path = tmp_path / "a.run"
    path.write_text("".join(f"q Q0 {'d' * 1000 if i == 999 else i} {i} {-i} t\n" for i in range(1000)))
    for limit in (1_100_000, 500_000):
        with submissions.guard_files(untrusted={"bytes": limit}):
            if limit > 1_000_000:
                assert len(run.read(path).docnos) == 1000
            else:
                with pytest.raises(InputError, match="more than 500,000 bytes"):
                    run.read(path)

"""Lengths and places in binary files that are below zero, huge, or those of others: to read them ends, in an InputError at most.

By default 150 of each kind of file; FAIRTREC_FUZZ=10000 asks for so many.
"""

import os
import random
import struct
from contextlib import suppress
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.data import Docnos
from fairtrec.formats import labels, run
from fairtrec.support.errors import InputError
from fairtrec.support.files import mapping
from fairtrec_made.command_trials import gather_trials
from fairtrec_made.limits import ends_within

pytestmark = pytest.mark.fuzz

MANY = int(os.environ.get("FAIRTREC_FUZZ", "150"))
LONGEST = 20  # seconds
DOCNOS = ["d1", "d2"]
WANTED = Docnos.collect(np.array(DOCNOS, "S"))
COUNTS = pa.table({"docno": DOCNOS, "tokens": [3, 1], "f": [1, 0], "m": [1, 1]})


def arrow(path, **options):
    feather.write_feather(COUNTS, path, **options)


def of_ours(path):
    from fairtrec.counting.table.build import join_tables

    feather.write_feather(COUNTS, path.with_name("other.arrow"), compression="uncompressed")
    join_tables(path, [path.with_name("other.arrow")])


def many(path):
    return read_counts(Table(str(path)), WANTED, collection=True)


def mapped(path):
    with mock.patch.object(mapping, "SMALL", 0):
        return many(path)


FILES = {
    "mapped.arrow": (of_ours, mapped),
    "ours.arrow": (of_ours, many),
    "plain.arrow": (lambda path: arrow(path, compression="uncompressed"), many),
    "packed.arrow": (lambda path: arrow(path, compression="zstd"), many),
    "counts.parquet": (lambda path: parquet.write_table(COUNTS, path), many),
    "run.parquet": (
        lambda path: parquet.write_table(pa.table({"qid": ["q", "q"], "docno": DOCNOS, "score": [2.0, 1.0]}), path),
        lambda path: run.read(str(path)),
    ),
    "labels.parquet": (
        lambda path: parquet.write_table(pa.table({"docno": DOCNOS, "group": [["f"], ["f", "m"]]}), path),
        lambda path: labels.read(str(path)),
    ),
    **gather_trials("ODD_LENGTHS"),
}


def damaged(dice, data):
    """Put another number at some place: of 8, 4 or 1 bytes, below zero, huge, or near the one that stood there."""
    kind = dice.choice("qiB")
    size = struct.calcsize(kind)
    at = dice.randrange(0, len(data) - size + 1, dice.choice([1, size]))
    old = struct.unpack_from("<" + kind, data, at)[0]
    least, most = (0, 255) if kind == "B" else (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1)
    new = dice.choice([-1, -8, -old, -(8 + old), 0, old + 1, old - 1, old * 1000, 1 << 30, least, most, old ^ 128])
    return data[:at] + struct.pack("<" + kind, min(max(new, least), most)) + data[at + size :]


@pytest.mark.parametrize("name", FILES)
def test_odd_lengths_end_in_one_line(name, tmp_path):
    write, read = FILES[name]
    path, dice = tmp_path / name, random.Random(name)
    write(path)
    good = path.read_bytes()
    read(path)
    for _ in range(MANY):
        data = damaged(dice, good)
        path.write_bytes(data)
        with ends_within(LONGEST), suppress(InputError):
            read(path)


@pytest.mark.long
def test_lengths_below_zero_do_not_lead_back(tmp_path):
    path = tmp_path / "c.arrow"
    of_ours(path)
    good, refused = path.read_bytes(), 0
    for at in range(0, len(good) - 7, 8):
        length = int.from_bytes(good[at : at + 8], "little", signed=True)
        for back in range(8, 400, 8) if 0 < length < 400 else ():
            path.write_bytes(good[:at] + (-back).to_bytes(8, "little", signed=True) + good[at + 8 :])
            with ends_within(LONGEST):
                try:
                    many(path)
                except InputError:
                    refused += 1
    assert refused


def test_names_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "c.arrow"
    arrow(path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"tokens", b"\xfftoken"))
    with pytest.raises(InputError, match="this table is cut off or damaged"):
        Table(str(path))

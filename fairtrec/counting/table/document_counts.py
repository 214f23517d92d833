"""Tables of counts as an evaluation reads them: ``.arrow``, ``.parquet`` or TSV, told by what is in the file.

TSV has a header ``docno tokens <group> <group> ...``, then a document a line; ``table`` says what the others hold.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from fairtrec.counting.table.files import MOST, WRITE_COUNTS, Table
from fairtrec.data import MISSING, Bools, Counts, Docnos, Floats, Histogram, Ints, refuse_large
from fairtrec.data.counts import make_histogram, merge_histograms
from fairtrec.formats import columns
from fairtrec.support.compiled import extension
from fairtrec.support.errors import FilePath, InputError


def read_counts(table: Table, wanted: Docnos, *, collection: bool = False) -> Counts:
    """Read the counts of the wanted documents, and of all as a histogram if ``collection`` is asked for.

    Raises InputError for a bad header or line, a negative count, and a wanted document that appears twice.
    """
    path, groups = table.path, tuple(sorted(table.groups))
    refuse_large(documents=len(wanted), groups=len(groups))
    histogram: Histogram | None = None
    if table.is_sorted:
        if table.is_packed:
            raise InputError("its columns are compressed; write it again: fairtrec counts convert", path)
        from fairtrec.counting.table import mapped_table

        found = mapped_table.find(path, wanted, groups)
        if collection:
            histogram = table.distribution.histogram or _scanned(table, groups)
        return Counts(groups, wanted, *found, collection=histogram)
    known, tokens = np.zeros(len(wanted), dtype=np.bool_), np.zeros(len(wanted), dtype=np.uint32)  # up to MOST
    counts = np.zeros((len(wanted), len(groups)))
    _ = wanted.slots  # so that no two threads lay out the same table

    def keep(block: columns.Columns, lines: columns.LineNumbers) -> columns.Columns:
        several = [block["tokens"], *(block[group] for group in groups)]
        if any(each.min(initial=0) < 0 or each.max(initial=0) > MOST for each in several):
            _refuse_numbers(np.stack(several, axis=1), path, lines)
        rows = wanted.rows(block["docno"])
        here = np.flatnonzero(rows != MISSING)
        tokens[rows[here]] = several[0][here]
        counts[rows[here]] = np.stack([each[here] for each in several[1:]], axis=1)
        every = make_histogram(np.stack(several[1:], axis=1)) if collection else None
        return {"here": here, "rows": rows[here], "every": every}

    plain = None if collection else _plain_reader(table, wanted, groups, tokens, counts)
    for block, lines in table.blocks(keep, plain):
        rows = block["rows"]
        also = known.copy()
        also[rows] = True
        if np.count_nonzero(also) < np.count_nonzero(known) + len(rows):
            _refuse_repeats(block, known, wanted, path, lines)
        known = also
        if collection:
            histogram = block["every"] if histogram is None else merge_histograms(histogram, block["every"])
    return Counts(groups, wanted, known, tokens, counts, collection=histogram)


def _plain_reader(
    table: Table, wanted: Docnos, groups: Sequence[str], tokens: Any, counts: Floats
) -> columns.Take | None:
    """Give what looks the documents of plain lines up while it parses them, in C; None if there is no such loop.

    It puts the numbers of documents into their rows of ``tokens`` [document] and ``counts`` [document, group].
    """
    slots = wanted.slots[0] if len(wanted) else np.empty(0)
    if extension is None or slots.dtype != np.int32:
        return None
    places = np.array([groups.index(group) for group in table.groups], np.int64)  # of the counts of a line
    looked_up = *wanted.list_buffers(), slots, wanted.filter

    def take(block: bytes, ends: int) -> columns.Columns | None:
        room = min(ends + 1, len(wanted))
        here, rows = np.empty(room, np.int64), np.empty(room, np.int64)
        later = np.empty((extension.LATER, 1 + len(places)), np.int64)
        read, found = extension.take_counts(block, *looked_up, places, here, rows, tokens, counts, later)
        return None if read < 0 else {"here": here[:found], "rows": rows[:found]}

    return take


def _scanned(table: Table, groups: Sequence[str]) -> Histogram:
    """Gather the histogram of a table that has too many kinds of rows to keep it."""
    several = (np.stack([batch.column(group).to_numpy() for group in groups], 1) for batch in table.batches())
    return reduce(merge_histograms, (make_histogram(counts.astype(np.int64)) for counts in several))


def _refuse_numbers(numbers: Ints, path: FilePath, lines: columns.LineNumbers) -> NoReturn:
    row = int(np.flatnonzero(((numbers < 0) | (numbers > MOST)).any(axis=1))[0])
    what = "a negative count" if numbers[row].min() < 0 else "a count that no document can have"
    raise InputError(f"{what}; {WRITE_COUNTS}", path, columns.find_line_number(lines, row))


def _refuse_repeats(
    block: columns.Columns, known: Bools, wanted: Docnos, path: FilePath, lines: columns.LineNumbers
) -> NoReturn:
    first = np.zeros(len(block["rows"]), dtype=np.bool_)
    first[np.unique(block["rows"], return_index=True)[1]] = True
    at = int((known[block["rows"]] | ~first).argmax())
    line = columns.find_line_number(lines, int(block["here"][at]))
    docno = wanted.names[block["rows"][at]].decode()
    raise InputError(f"document {docno} appears twice; keep one line", path, line)

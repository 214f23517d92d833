"""Tables of counts as an evaluation reads them: ``.arrow``, ``.parquet`` or TSV, told by what is in the file.

TSV has a header ``docno tokens <group> <group> ...``, then a document a line; ``table`` says what the others hold.
"""

from collections.abc import Sequence

import numpy as np

from fairtrec.data import NOTHING, Annotations, Bools, Docnos, Histogram, Ints
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns
from fairtrec.formats.histogram import added, histogram_of
from fairtrec.formats.table import Meta, check
from fairtrec.formats.table.files import Table

__all__ = ["added", "check", "groups_of", "histogram_of", "meta", "of_columns", "read"]


def groups_of(path: FilePath) -> tuple[str, ...]:
    """Read the names of the groups from a table's header, in alphabetical order."""
    return tuple(sorted(Table(path).groups))


def meta(path: FilePath) -> Meta | None:
    """Read what a table says about how it was made; None if nothing."""
    return Table(path).meta


def read(path: FilePath, wanted: Docnos, *, collection: bool = False) -> Annotations:
    """Read the counts of the wanted documents, and of all as a histogram if ``collection`` is asked for.

    Raises InputError for a bad header or line, a negative count, and a wanted document that stands twice.
    """
    table = Table(path)
    groups = tuple(sorted(table.groups))
    histogram: Histogram | None = None
    if table.is_sorted:
        from fairtrec.formats.table import mapped

        known, tokens, counts = mapped.find(path, wanted, groups)
        if collection:
            histogram = table.distribution.histogram or _scanned(table, groups)
        return Annotations(groups, wanted, known, tokens, counts, collection=histogram)
    known = np.zeros(len(wanted), dtype=np.bool_)
    tokens = np.zeros(len(wanted), dtype=np.int64)
    counts = np.zeros((len(wanted), len(groups)), dtype=np.int64)
    for block, lines in table.blocks():
        numbers = np.stack([block["tokens"], *(block[group] for group in groups)], axis=1)
        if numbers.min(initial=0) < 0:
            row = int(np.flatnonzero((numbers < 0).any(axis=1))[0])
            raise InputError("a negative count; counts are 0 or more", path, columns.line_of(lines, row))
        rows = wanted.rows(block["docno"])
        here = np.flatnonzero(rows != NOTHING)
        _refuse_repeats(rows[here], known, block, here, path, lines)
        rows = rows[here]
        known[rows] = True
        tokens[rows], counts[rows] = numbers[here, 0], numbers[here, 1:]
        if collection:
            histogram = added(histogram, numbers[:, 1:])
    return Annotations(groups, wanted, known, tokens, counts, collection=histogram)


def _scanned(table: Table, groups: Sequence[str]) -> Histogram:
    """Gather the histogram of a table that has too many kinds of rows to keep it."""
    histogram: Histogram | None = None
    for batch in table.batches():
        histogram = added(histogram, np.stack([batch.column(group).to_numpy() for group in groups], 1).astype(np.int64))
    assert histogram is not None
    return histogram


def _refuse_repeats(
    rows: Ints, known: Bools, block: columns.Columns, here: Ints, path: FilePath, lines: columns.Lines
) -> None:
    times = np.bincount(rows, minlength=len(known))
    if times.max(initial=0) < 2 and not known[rows].any():
        return
    first = np.zeros(len(rows), dtype=np.bool_)
    first[np.unique(rows, return_index=True)[1]] = True
    repeated = known[rows] | ~first
    if repeated.any():
        at = int(here[repeated.argmax()])
        docno = block["docno"][at].decode()
        raise InputError(f"document {docno} stands twice; keep one line", path, columns.line_of(lines, at))


def of_columns(groups: Sequence[str], docnos: Docnos, tokens: Ints, counts: Ints, wanted: Docnos) -> Annotations:
    """Take the wanted documents' rows from columns in memory, whose rows stand in the order of ``docnos``."""
    rows = docnos.rows(wanted.names)
    known = rows != NOTHING
    order = sorted(range(len(groups)), key=lambda i: groups[i])
    taken = np.where(known[:, None], counts[rows][:, order], 0)
    return Annotations(
        tuple(sorted(groups)), wanted, known, np.where(known, tokens[rows], 0), taken,
        collection=histogram_of(counts[:, order]),
    )  # fmt: skip

"""Tables of counts: a header ``docno tokens <group> <group> ...``, then a document a line."""

from collections.abc import Sequence

import numpy as np

from fairtrec.data import NOTHING, Annotations, Docnos, Histogram, Ints
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns, source
from fairtrec.formats.columns import Layout


def layout(path: FilePath) -> Layout:
    """Read a table's header. Raises InputError if it is none."""
    number, line = source.first_line(path, comment=b"#")
    header = line.decode(errors="replace").split()
    if header[:2] != ["docno", "tokens"] or len(header) < 4 or len(set(header)) < len(header):
        message = "the first line is no header of a table of counts; write: docno tokens GROUP GROUP ..."
        raise InputError(message, path, number)
    return Layout("table of counts", {"docno": "text", **dict.fromkeys(header[1:], "int")}, header=True)


def groups_of(path: FilePath) -> tuple[str, ...]:
    """Read the names of the groups from a table's header, in alphabetical order."""
    return tuple(sorted(list(layout(path).columns)[2:]))


def read(path: FilePath, wanted: Docnos, *, collection: bool = False) -> Annotations:
    """Read the counts of the wanted documents, and of all as a histogram if ``collection`` is asked for.

    Raises InputError for a bad header or line, a negative count, and a wanted document that stands twice.
    """
    form = layout(path)
    groups = tuple(sorted(list(form.columns)[2:]))
    known = np.zeros(len(wanted), dtype=np.bool_)
    tokens = np.zeros(len(wanted), dtype=np.int64)
    counts = np.zeros((len(wanted), len(groups)), dtype=np.int64)
    histogram: Histogram | None = None
    for block, lines in columns.stream(path, form):
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


def _refuse_repeats(
    rows: Ints,
    known: "np.typing.NDArray[np.bool_]",
    block: columns.Columns,
    here: Ints,
    path: FilePath,
    lines: columns.Lines,
) -> None:
    first = np.zeros(len(rows), dtype=np.bool_)
    first[np.unique(rows, return_index=True)[1]] = True
    repeated = known[rows] | ~first
    if repeated.any():
        at = int(here[repeated.argmax()])
        docno = block["docno"][at].decode()
        raise InputError(f"document {docno} stands twice; keep one line", path, columns.line_of(lines, at))


def added(histogram: Histogram | None, counts: Ints) -> Histogram:
    """Add documents [document, group] to a histogram."""
    documents = np.ones(len(counts), dtype=np.int64)
    if histogram is not None:
        counts = np.concatenate((histogram.counts, counts))
        documents = np.concatenate((histogram.documents, documents))
    highest = counts.max(axis=0, initial=0) + 1
    if np.prod(highest.astype(np.float64)) < 2**62:
        code = np.ravel_multi_index(tuple(counts.T), tuple(highest))
        kinds, number = np.unique(code, return_inverse=True)
        distinct = np.stack(np.unravel_index(kinds, tuple(highest)), axis=1)
    else:
        distinct, number = np.unique(counts, axis=0, return_inverse=True)
    return Histogram(distinct, np.bincount(number, weights=documents).astype(np.int64))


def histogram_of(counts: Ints) -> Histogram:
    """Count the documents [document, group] that have the same counts.

    >>> histogram = histogram_of(np.array([[0, 0], [2, 1], [0, 0]]))
    >>> histogram.counts.tolist(), histogram.documents.tolist()
    ([[0, 0], [2, 1]], [2, 1])
    """
    return added(None, counts)


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

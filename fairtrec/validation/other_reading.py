"""Reading a run that is no TREC file, to check it: up to its first fault, which is then the only one that is found."""

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns, other_runs
from fairtrec.literals import RunFormat
from fairtrec.validation.findings import Findings
from fairtrec.validation.reading import Entries

BLANKS = np.frombuffer(b" \t\n\v\f\r", np.uint8)


def read(path: FilePath, kind: RunFormat, found: Findings) -> Entries:
    """Read a run of this kind, and add what cannot be read to the findings; ranks that it lacks follow the scores."""
    none: Ints = np.empty(0, dtype=np.int64)
    try:
        try:
            table = other_runs.read(path, kind, "score", ranks=True)
        except InputError as fault:
            table = other_runs.read(path, kind, "score")
            found.add("W605", fault.line, fault.message)
    except InputError as fault:
        found.add("E101", fault.line, fault.message)
        return Entries((), none, np.empty(0, "S1"), none, np.empty(0), none, none, fault.line or 0, form=kind)
    lines = _lines(table, len(table.columns["docno"]))
    for name, ids in (("docno", table.columns["docno"]), ("qid", table.columns["qid"].texts)):
        if np.isin(ids.view(np.uint8), BLANKS).any():
            found.add("E101", None, f"a {name} with a blank in it, which no TREC file can hold; give it another")
    number: dict[bytes, int] = {}
    qids, scores = table.columns["qid"], table.columns["score"]
    numbers = [number.setdefault(qid, len(number)) for qid in qids.texts.tolist()]
    query = np.repeat(np.array(numbers, dtype=np.int64), qids.lengths)
    ranks = table.columns.get("rank")
    ranks = _places(query, scores) if ranks is None else ranks
    names = tuple(qid.decode() for qid in number)
    tag = table.columns["tag"][0].decode()
    return Entries(names, query, table.columns["docno"], ranks, scores, lines, none, int(lines[-1]), tag, kind)


def _places(query: Ints, scores: Floats) -> Ints:
    """Number the rows of each query from 1, by falling score."""
    order = np.lexsort((-scores, query))
    first = np.searchsorted(query[order], query[order])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(1, len(order) + 1) - first
    return places


def _lines(table: columns.FileColumns, many: int) -> Ints:
    """Give the line of each row."""
    ends = [first for first, _ in table.blocks[1:]] + [many]
    parts = [
        np.arange(lines, lines + end - first) if isinstance(lines, int) else np.array(lines, dtype=np.int64)
        for (first, lines), end in zip(table.blocks, ends, strict=True)
    ]
    return np.concatenate(parts)

"""Checking runs before they are submitted: all that is wrong with a file, each with its line and a stable code.

``formats/run.py`` stops at the first fault, as an evaluation should; this goes on. What that reader refuses is an error
here, on the same line.
"""

from dataclasses import dataclass, replace
from hashlib import blake2b
from os import fspath

import numpy as np

from fairtrec.data import Docnos, Floats, Ints, fingerprints, starts_of
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns, other_runs
from fairtrec.formats.other_runs import meant
from fairtrec.formats.spans import Repeats
from fairtrec.literals import RunFormat
from fairtrec.ranking.order import by_falling_score
from fairtrec.validation import entries
from fairtrec.validation.checks import Known, check
from fairtrec.validation.entries import RunEntries
from fairtrec.validation.findings import KEPT, Findings, shown

BLANKS = np.frombuffer(b" \t\n\v\f\r", np.uint8)


def read_other(path: FilePath, kind: RunFormat, found: Findings) -> RunEntries:
    """Read a run of this kind, and add what cannot be read to the findings; ranks that it lacks follow the scores."""
    try:
        try:
            table = other_runs.read(path, kind, "score", ranks=True)
        except InputError as fault:
            table = other_runs.read(path, kind, "score")
            found.add("W605", fault.line, fault.message)
    except InputError as fault:
        found.add("E101", fault.line, fault.message)
        return RunEntries.empty(fault.line or 0, kind)
    if "Q0" in table.columns:
        rankings = np.char.add(np.char.add(table.columns["qid"], b" "), table.columns["Q0"])
        table = replace(table, columns={**table.columns, "qid": Repeats.of(rankings)})
    lines = _lines(table, len(table.columns["docno"]))
    for name, ids in (("docno", table.columns["docno"]), ("qid", table.columns["qid"].texts)):
        if kind != "trec-fair" and np.isin(ids.view(np.uint8), BLANKS).any():
            found.add("E101", None, f"a {name} with a blank in it, which no TREC file can hold; give it another")
    number: dict[bytes, int] = {}
    qids, scores = table.columns["qid"], table.columns["score"]
    numbers = [number.setdefault(qid, len(number)) for qid in qids.texts.tolist()]
    query = np.repeat(np.array(numbers, dtype=np.int64), qids.lengths)
    ranks = table.columns.get("rank") if kind != "trec-fair" else None
    ranks = _places(query, scores) if ranks is None else ranks
    names = [qid.decode().partition(" ") for qid in number]
    tag = table.columns["tag"][0].decode()
    return RunEntries(
        tuple(name for name, _, _ in names), query, table.columns["docno"], ranks, scores, lines, lines[:0],
        int(lines[-1]), tag, kind, tuple(sample or "Q0" for _, _, sample in names),
    )  # fmt: skip


def _places(query: Ints, scores: Floats) -> Ints:
    """Number the rows of each query from 1, by falling score."""
    order = np.lexsort((-scores, query))
    first = np.searchsorted(query[order], query[order])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(1, len(order) + 1) - first
    return places


def _lines(table: columns.FileColumns, many: int) -> Ints:
    ends = [first for first, _ in table.blocks[1:]] + [many]
    parts = [
        np.arange(lines, lines + end - first) if isinstance(lines, int) else np.array(lines, dtype=np.int64)
        for (first, lines), end in zip(table.blocks, ends, strict=True)
    ]
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Checked:
    """A run with its findings; ``rows`` are those that could be read, without duplicates, by query."""

    path: FilePath
    found: Findings
    rows: RunEntries

    @property
    def depths(self) -> Ints:
        """The number of documents of each ranking; a query has one, or several where a run says so."""
        return np.diff(starts_of(self.rows.query))

    @property
    def queries(self) -> int:
        """The number of queries that have a document."""
        return len({self.rows.qids[number] for number in np.unique(self.rows.query).tolist()})

    @property
    def documents(self) -> int:
        """The number of different documents."""
        return len(Docnos.of(self.rows.docnos))


def examine(path: FilePath, known: Known | None = None, most: int | None = KEPT, form: RunFormat = "auto") -> Checked:
    """Find all that is wrong with a run; of each code, ``most`` findings are kept (None: all) and all are counted."""
    kind = meant(path, form)
    found = Findings(most)
    rows = entries.read(path, found) if kind == "trec" else read_other(path, kind, found)
    return Checked(path, found, check(rows, known or Known(), found))


class Twins:
    """Remembers the runs that came before, by their tags and by what they rank."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.rankings: dict[bytes, str] = {}

    def look(self, checked: Checked) -> None:
        """Add to the findings of a run which of those before it has its tag, and which its rankings."""
        rows, path = checked.rows, fspath(checked.path)
        if not len(rows.lines):
            return
        first = self.tags.setdefault(rows.tag, path)
        if first != path:
            what = f"the tag is {shown(rows.tag)}, as that of {first}; give each run a tag of its own"
            checked.found.add("W712", None, what)
        if len(rows.broken) or np.isnan(rows.scores).any():
            return  # what it ranks is not known
        first = self.rankings.setdefault(_digest(rows), path)
        if first != path:
            what = f"the same documents in the same order for all queries as {first}; is it the same run?"
            checked.found.add("W713", None, what)


def _digest(rows: RunEntries) -> bytes:
    """Sum up the rankings of a run, whatever the order of its queries, and whatever its ranks and scores."""
    starts = starts_of(rows.query)
    keys = fingerprints(by_falling_score(starts, rows.docnos, rows.scores)[1])
    digest = blake2b()
    for number in sorted(range(len(starts) - 1), key=lambda number: rows.qids[rows.query[starts[number]]]):
        digest.update(f"{rows.qids[rows.query[starts[number]]]}\n{starts[number + 1] - starts[number]}\n".encode())
        digest.update(keys[starts[number] : starts[number + 1]].tobytes())
    return digest.digest()

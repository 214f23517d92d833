"""Checking runs before they are submitted: all that is wrong with a file, each with its line and a stable code.

``formats/run.py`` stops at the first fault, as an evaluation should; this goes on. What that reader refuses is an error
here, on the same line. A run is written anew where it is certain what is meant: nothing is invented, no score touched.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.commands.validate import entries
from fairtrec.commands.validate.checks import Known, check
from fairtrec.commands.validate.entries import RunEntries
from fairtrec.commands.validate.findings import CODES, KEPT, Code, Findings, list_some, quote_text
from fairtrec.data import Docnos, Docs, Floats, Ints, Run, find_starts, fingerprints, join_ids
from fairtrec.data.ranking.empty import write_empty
from fairtrec.data.ranking.order import sort_by_score
from fairtrec.data.uneven_ids import UnevenIds, number_ids
from fairtrec.formats import columns, memory_bounds, other_runs
from fairtrec.formats.column_roles import NO_ROLES, Roles, match_roles
from fairtrec.formats.other_runs import settle_format, settle_table
from fairtrec.formats.spans import Repeats
from fairtrec.support.errors import FilePath, InputError, UsageError, refuse_first, short
from fairtrec.support.files import compression, opening, submissions
from fairtrec.support.files.admission import admission
from fairtrec.support.files.atomic import make_folder, refuse_full_folder, replace_file
from fairtrec.support.literals import RANK, SCORE, RunFormat, Severity

BLANKS = np.frombuffer(b" \t\n\v\f\r", np.uint8)


def read_other(path: FilePath, kind: RunFormat, found: Findings, roles: Roles = NO_ROLES) -> RunEntries:
    """Read a run of this kind, and add what cannot be read to the findings; ranks that it lacks follow the scores."""
    try:
        table = _read_table(path, kind, found, roles)
    except InputError as fault:
        found.add("E101", fault.line, fault.message)
        return RunEntries.make_empty(fault.line or 0, kind)
    qids, docnos, scores = (table.columns[name] for name in ("qid", "docno", "score"))
    for name, ids in (("docno", docnos), ("qid", getattr(qids, "texts", qids))):
        if any(np.isin(piece.view(np.uint8), BLANKS).any() for piece in getattr(ids, "pieces", (ids,))):
            found.add("E101", None, f"a {name} with a blank, which TREC files cannot have; rename it")
    if "Q0" in table.columns:
        qids = Repeats.find(join_ids(qids, table.columns["Q0"]))
    if table.empty:
        every = len({*qids.texts.tolist()}) + len(table.empty)
        found.add("W502", None, write_empty(len(table.empty), every, list_some(table.empty)), table.empty)
    if not len(docnos):
        if not table.empty:
            found.add("E102", None, "this run names no query; was it written to the end?")
        return replace(RunEntries.make_empty(0, kind), empty=table.empty)
    lines, number = _numbers(table, len(docnos)), dict[bytes, int]()
    numbers = [number.setdefault(qid, len(number)) for qid in qids.texts.tolist()]
    query = np.repeat(np.array(numbers, dtype=np.int64), qids.lengths)
    ranks = table.columns["rank"] if "rank" in table.columns else _places(query, scores)
    names = [qid.decode().partition(" ") for qid in number]
    tag = table.columns["tag"][0].decode()
    return RunEntries(
        tuple(name for name, _, _ in names), query, docnos, ranks, scores, lines, lines[:0],
        int(lines[-1]), tag, kind, tuple(sample or "Q0" for _, _, sample in names), table.empty,
    )  # fmt: skip


def _read_table(path: FilePath, kind: RunFormat, found: Findings, roles: Roles) -> columns.FileColumns:
    """Read the columns of a run; ranks that cannot be read beside scores that can are a finding.

    A log has ranks and no scores, which then fall with the ranks.
    """
    if _has_only_ranks(path, roles):
        table = other_runs.read(path, kind, "position", roles=roles)
        table.columns["score"] = -table.columns["rank"].astype(np.float64)
        return table
    try:
        return other_runs.read(path, kind, "score", ranks=True, roles=roles)
    except InputError as fault:
        with suppress(InputError):
            table = other_runs.read(path, kind, "score", roles=roles)
            found.add("W605", fault.line, fault.message)
            return table
        raise


def _has_only_ranks(path: FilePath, roles: Roles) -> bool:
    """Tell a table that has a column of ranks, and none of scores."""
    found = {*match_roles(other_runs.list_names(path), roles, (*SCORE, *RANK)).values()}
    return found.isdisjoint(SCORE) and not found.isdisjoint(RANK)


def _places(query: Ints, scores: Floats) -> Ints:
    order = np.lexsort((-scores, query))
    first = np.searchsorted(query[order], query[order])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(1, len(order) + 1) - first
    return places


def _numbers(table: columns.FileColumns, many: int) -> Ints:
    ends = [first for first, _ in table.blocks[1:]] + [many]
    parts = [
        np.arange(lines, lines + end - first) if isinstance(lines, int) else np.array(lines, dtype=np.int64)
        for (first, lines), end in zip(table.blocks, ends, strict=True)
    ]
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class HeldRun:
    """A run that a caller holds: a dict, a frame, or a ``Run``. Its entries are counted as lines are."""

    name: str
    thing: Any
    roles: Roles = field(default_factory=dict)  # the columns of a frame that have a role

    def read(self, found: Findings) -> RunEntries:
        """Read its entries; ranks that it lacks follow the scores."""
        from fairtrec.formats import memory

        try:
            qids, docnos, scores, empty = self._take_entries()
            ranks = None if isinstance(self.thing, Run) else memory.take_ranks(self.thing)
        except InputError as fault:
            found.add("E101", None, fault.message)
            return RunEntries.make_empty(0)
        if empty:
            many = len({*qids.texts.tolist()}) + len(empty)
            found.add("W502", None, write_empty(len(empty), many, list_some(empty)), tuple(empty))
        names, codes = np.unique(qids.texts, return_inverse=True)
        query, lines = np.repeat(codes, qids.lengths), np.arange(1, len(docnos) + 1)
        ranks = _places(query, scores) if ranks is None else ranks
        every = tuple(name.decode() for name in names.tolist())
        return RunEntries(
            every, query, docnos, ranks, scores, lines, lines[:0], len(lines), self.name, "json", empty=tuple(empty)
        )

    def _take_entries(self) -> tuple[Repeats, Docs, Floats, list[str]]:
        if not isinstance(self.thing, Run):
            from fairtrec.formats import memory

            return memory.take_entries(self.thing, self.name, "score", self.roles)
        run, depths = self.thing, np.diff(self.thing.starts)
        texts = np.array([qid.encode() for qid in run.qids], dtype=np.bytes_)
        empty = [qid for qid, depth in zip(run.qids, depths.tolist(), strict=True) if not depth]
        return Repeats(texts[depths > 0], depths[depths > 0]), run.docnos, run.scores, empty


@dataclass(frozen=True, eq=False)
class Checked:
    """A run with its findings; ``rows`` are those that could be read, without duplicates, by query."""

    path: FilePath
    found: Findings
    rows: RunEntries

    @property
    def obstacles(self) -> list[Code]:
        """The errors that cannot be repaired with certainty, which leave a run unwritten."""
        found = [CODES[name] for name in sorted(self.found.many)]
        return [code for code in found if code.is_error and not code.repair]

    @property
    def repairs(self) -> list[tuple[Code, int]]:
        """What writing the run anew puts right, and how often that was found."""
        return [(CODES[name], many) for name, many in sorted(self.found.many.items()) if CODES[name].repair]

    def is_written(self, place: Path | None) -> bool:
        """Tell whether the run is written anew: it should be, and no error prevents it."""
        return place is not None and not self.obstacles

    def is_bad(self, place: Path | None, fail_on: Severity) -> bool:
        """Tell whether errors (or warnings, if it is to fail on these) are left, in what is written if anything is."""
        written = self.is_written(place)
        left = [code for code in map(CODES.__getitem__, self.found.many) if not (written and code.repair)]
        return any(code.is_error or fail_on == "warning" for code in left)

    @property
    def depths(self) -> Ints:
        """The number of documents of each ranking; a query has one, or several where a run says so."""
        return np.diff(find_starts(self.rows.query))

    @property
    def queries(self) -> int:
        """The number of queries that have a document."""
        return len({self.rows.qids[number] for number in np.flatnonzero(np.bincount(self.rows.query)).tolist()})

    @property
    def documents(self) -> int:
        """The number of different documents."""
        docnos: Any = self.rows.docnos
        return len({*docnos.tolist()} if isinstance(docnos, UnevenIds) else Docnos.collect(docnos))


def examine(
    path: FilePath | HeldRun,
    known: Known | None = None,
    most: int | None = KEPT,
    form: RunFormat = "auto",
    roles: Roles = NO_ROLES,
) -> Checked:
    """Find all that is wrong with a run; of each code, ``most`` findings are kept (None: all) and all are counted.

    ``roles``  which columns of a table are what.
    """
    found = Findings(most)
    if isinstance(path, HeldRun):
        return Checked(path.name, found, check(path.read(found), known or Known(), found))
    border = submissions.border()
    if is_refused(path, found):
        return Checked(path, found, RunEntries.make_empty(0))
    is_replayed = admission() is not None  # it makes links to files that were moved
    if Path(path).is_symlink() and not opening.is_stream(path) and not is_replayed:
        found.add("W115", None, f"a link to {quote_text(str(Path(path).readlink()))}; submit the file itself")
    kind = settle_table(path, form) if roles else settle_format(path, form)
    rows = entries.read(path, found) if kind == "trec" else read_other(path, kind, found, roles)
    checked = Checked(path, found, check(rows, known or Known(), found))
    if border is not None:
        for limit, many in (("lines", len(rows.lines)), ("depth", int(checked.depths.max(initial=0)))):
            try:
                border.refuse_many(limit, many, path)
            except InputError as fault:
                found.add("E107", None, fault.message)
    return checked


def is_refused(path: FilePath, found: Findings) -> bool:
    """Tell whether a file is not taken for a submission, and add why."""
    try:
        memory_bounds.refuse_submission(path)
    except InputError as fault:
        found.add("E107", fault.line, fault.message)
        return True
    return False


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
            what = f"the tag is {quote_text(rows.tag)}, as that of {first}; use a different tag for each run"
            checked.found.add("W712", None, what)
        if len(rows.broken) or np.isnan(rows.scores).any():
            return  # what it ranks is not known
        first = self.rankings.setdefault(_digest(rows), path)
        if first != path:
            what = f"the same documents in the same order for all queries as {first}; is it the same run?"
            checked.found.add("W713", None, what)


def _digest(rows: RunEntries) -> bytes:
    """Sum up the rankings of a run, whatever the order of its queries, and whatever its ranks and scores."""
    starts = find_starts(rows.query)
    keys = fingerprints(sort_by_score(starts, rows.docnos, rows.scores)[1])
    digest = blake2b()
    for number in sorted(range(len(starts) - 1), key=lambda number: rows.qids[rows.query[starts[number]]]):
        digest.update(f"{rows.qids[rows.query[starts[number]]]}\n{starts[number + 1] - starts[number]}\n".encode())
        digest.update(keys[starts[number] : starts[number + 1]].tobytes())
    return digest.digest()


def outputs(runs: list[str], named: FilePath, others: Iterable[str] = (), *, force: bool) -> dict[str, Path]:
    """Say where each run is written: several go to a folder, which is made; no file that is read is written to.

    A name that ends in a slash is that of a folder. ``others`` are read beside the runs.

    Raises UsageError for what cannot be.
    """
    out = Path(named)
    if any(opening.is_stream(run) for run in runs):
        raise UsageError("--fix reads a run twice, and a stream can be read only once; pass a file")
    folder = len(runs) > 1 or fspath(named).endswith(os.sep)
    if _is_there(out) and folder and not out.is_dir():
        raise UsageError(f"{out} is a file, and several runs need a folder; pass one")
    folder = folder or out.is_dir()
    places = {run: out / compression.strip_suffix(Path(run).name) if folder else out for run in runs}
    _refuse_shared(places)
    for place in places.values():
        refuse_first(_faults_of_place(place, [*runs, *others], is_inside=folder))
    if folder:
        refuse_full_folder(out, force=force)
    return places


def _faults_of_place(place: Path, read: Iterable[str], *, is_inside: bool) -> Iterator[tuple[bool, str]]:
    """List what keeps a repaired run from being written to a place, which may be ``is_inside`` a folder to be made."""
    packed = place.suffix in compression.ENDINGS
    yield packed, f"a repaired run is written as plain text; leave out {place.suffix} of {place}"
    if place.exists():
        is_read = any(os.path.exists(each) and place.samefile(each) for each in read)  # noqa: PTH110
        yield is_read, f"{place} is one of the files that are read; write elsewhere with --fix"
        what = f"{place} is not a regular file and would be replaced"
        yield not place.is_file(), f"{what}; write elsewhere with --fix"
    no_folder = not is_inside and not place.parent.is_dir()
    yield no_folder, f"the folder of {place} is not there; make it, or write elsewhere"


def _refuse_shared(places: dict[str, Path]) -> None:
    first: dict[Path, str] = {}
    for run, place in places.items():
        if first.setdefault(place, run) != run:
            raise UsageError(f"{first[place]} and {run} would both be written to {place}; repair them one by one")


def _is_there(out: Path) -> bool:
    """Tell whether something is there. Raises UsageError for a name that no file can have."""
    try:
        return out.exists()
    except OSError as fault:
        raise UsageError(f"cannot write {out}: {fault.strerror}; write elsewhere with --fix") from None


def write(checked: Checked, place: Path, depth: int | None = None) -> None:
    """Write a run that has no obstacles, down to ``depth``: all or nothing.

    Raises InputError for a query whose id would be a comment in a TREC run.
    """
    hidden = next((qid for qid in checked.rows.qids if qid.startswith("#")), "")
    if hidden:
        what = f"query {short(hidden)} would be a comment in a TREC run; rename it, or keep this file as it is"
        raise InputError(what, checked.path)
    try:
        with make_folder(place.parent), replace_file(place) as part, part.open("wb") as file:
            file.writelines(_lines(checked, depth))
    except OSError as fault:
        raise UsageError(f"cannot write {place}: {fault.strerror}; write elsewhere with --fix") from None


def _lines(checked: Checked, depth: int | None) -> Iterator[bytes]:
    """Write the lines as they are evaluated: by query as first seen, falling score, ties by falling docno."""
    rows = checked.rows
    starts = find_starts(rows.query)
    alphabetical = number_ids(rows.docnos)
    ranked = np.lexsort((-alphabetical, -rows.scores, rows.query))
    ranks = np.arange(1, len(ranked) + 1) - np.repeat(starts[:-1], np.diff(starts))
    if depth is not None:
        ranked, ranks = ranked[ranks <= depth], ranks[ranks <= depth]
    if rows.form == "trec":
        with opening.open_input(checked.path) as stream:
            texts = stream.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
        several: Iterable[Sequence[bytes]] = (entries.join_tag(texts[line - 1]) for line in rows.lines[ranked].tolist())
    else:
        names, tag = list(zip(map(str.encode, rows.qids), map(str.encode, rows.second), strict=True)), rows.tag.encode()
        of_rows = zip(*(each[ranked].tolist() for each in (rows.query, rows.docnos, rows.scores)), strict=True)
        several = ((*names[query], docno, b"", repr(score).encode(), tag) for query, docno, score in of_rows)
    for (qid, second, docno, _, score, tag), rank in zip(several, ranks.tolist(), strict=True):
        yield b"%b %b %b %d %b %b\n" % (qid, second, docno, rank, score, tag)

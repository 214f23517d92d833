"""``fairtrec.validate``: all that is wrong with runs, beside whatever the caller has to check them against."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np

from fairtrec.commands.validate import entries
from fairtrec.commands.validate.checks import Known
from fairtrec.commands.validate.entries import RunEntries
from fairtrec.commands.validate.findings import KEPT, Findings
from fairtrec.commands.validate.run_check import Checked, HeldRun, examine, is_refused
from fairtrec.data import Docnos, Docs, Qrels, is_number
from fairtrec.data.spellings import variants
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formats import trec_fair
from fairtrec.formats.column_roles import Roles
from fairtrec.formats.columns import COMMENTS
from fairtrec.formats.frames import is_frame
from fairtrec.formats.trec_fair_files import Requests, Truth
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError
from fairtrec.support.files import opening, submissions
from fairtrec.support.literals import RunFormat
from fairtrec.support.notes import Note, NoteKind
from fairtrec.support.version import __version__

JUDGMENT = 4  # columns
COMMENT_ENTRY = NoteKind(
    "comment like a judgment",
    "line {line} is a comment in the form of a judgment; ids that begin with # need a table or JSON",
)
TRIED = 1000  # docnos of the runs for which other ways of writing them are looked for too


def read_expectations(
    runs: Sequence[FilePath | HeldRun],
    *,
    qrels: Any = None,
    queries: Any = None,
    docs: str | None = None,
    docnos: FilePath | None = None,
    due: int | None = None,
) -> Known:
    """Read what is known beside the runs: the queries that are wanted, and the collection, as texts or as a list."""
    from fairtrec.evaluation.inputs import loading

    for (one, mine), (other, theirs) in (
        (("qrels", qrels), ("queries", queries)),
        (("docs", docs), ("docnos", docnos)),
    ):
        if mine is not None and theirs is not None and not loading.is_judged(theirs):
            raise UsageError(f"--{one} and --{other} do the same; leave out one of the two")
    qids, found, example = None, None, ""
    if loading.is_judged(queries) and qrels is None:
        raise UsageError(loading.NO_QRELS)
    if queries is not None and not loading.is_judged(queries):
        qids = loading.queries(queries).qids
    judgments = None if qrels is None else loading.qrels(qrels)
    if qids is None and judgments is not None:
        qids = judgments.qids
    if docs is not None:
        found, example = list_documents(docs, runs)
    elif docnos is not None:
        found, example = of_list(docnos, runs)
    of_qrels = qids is not None and (queries is None or loading.is_judged(queries))
    return Known(qids, of_qrels, found, example, due, judgments, _list_notes(qrels, judgments))


def _list_notes(thing: Any, judgments: Qrels | None) -> tuple[Note, ...]:
    """List the notes on judgments, by the name of their file."""
    several = () if judgments is None else judgments.notes
    place = [fspath(thing)] if isinstance(thing, PATH) else []
    if place and any(note.kind is COMMENTS for note in several):
        several = (*several, *_note_entries(thing))
    return tuple(note.assign_runs(place, [opening.name(each) for each in place], 1) for note in several)


def _note_entries(path: FilePath) -> Iterator[Note]:
    """Note the first comment of qrels that has the form of a judgment."""
    for number, line in opening.lines(path):
        cells = line.split()
        if line.startswith(b"#") and len(cells) == JUDGMENT and is_number(cells[-1].decode(errors="replace")):
            yield COMMENT_ENTRY.note(line=number)
            return


def of_list(path: FilePath, runs: Iterable[FilePath | HeldRun]) -> tuple[Docnos, str]:
    """Look through a list of docnos, the first word of each line: those that the runs name, and an example."""
    names, docnos = _named(runs), (line.split(maxsplit=1)[0] for _, line in opening.lines(path))
    first = next(docnos, None)
    if first is None:
        raise InputError("this list has no docno; write one on each line", path)
    example = first.decode()
    wanted = set(_with_variants(names, example).tolist())
    there = [first] * (first in wanted) + [docno for docno in docnos if docno in wanted]
    return Docnos.collect(np.array(there, dtype=np.bytes_)), example


def list_documents(docs: str, runs: Iterable[FilePath | HeldRun]) -> tuple[Docnos, str]:
    """Look through a collection of texts, a file or an ir_datasets id."""
    from fairtrec.evaluation.inputs import loading
    from fairtrec.formats import collection, datasets

    names, example, is_file = _named(runs), "", loading.is_file(docs)
    if is_file:
        number, line, _ = opening.first_line(docs, b"\0", opening.LONGEST_TEXT)  # no text starts with it
        opening.check_text(line, docs, number)
        try:
            docno = collection.parse_document(line)[0] if line.lstrip().startswith(b"{") else line.partition(b"\t")[0]
        except ValueError as fault:
            raise InputError(str(fault), docs, number) from None
        example = docno.decode()
        names = _with_variants(names, example)
    wanted = Docnos.collect(names)
    texts = collection.read(docs, wanted) if is_file else datasets.texts(docs, wanted)
    rows = np.fromiter((row for row, _ in texts), dtype=np.int64)
    return Docnos.collect(wanted.names[np.sort(rows)]), example


def _named(runs: Iterable[FilePath | HeldRun]) -> Docs:
    names = np.empty(0, "S1")
    for path in runs:
        if isinstance(path, HeldRun):
            names = Docnos.collect(names, path.read(Findings()).docnos).names
            continue
        if submissions.is_refused(path):
            continue
        if opening.is_stream(path):
            raise UsageError(
                "runs are read twice to check their documents, and a stream can be read only once; pass a file"
            )
        own = Docnos.collect(entries.read(path, Findings()).docnos).names
        names = Docnos.collect(names, own).names
    return names


def _with_variants(names: Docs, example: str) -> Docs:
    """Add other ways of writing the first few, by which a guess at what is amiss can be made."""
    more = [other.encode() for name in names[:TRIED].tolist() for _, other in variants(name.decode(), example)]
    return np.concatenate((names, np.array(more or [b""], dtype=np.bytes_)))


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Answer):
    """The findings of each run. Iterate over it: a run is checked when it comes, and dropped when the next one comes.

    Attributes:
        paths: of the runs.
        known: the queries and documents that runs are checked against.
        most: findings of each code that are kept.
    """

    paths: tuple[str, ...]  # the names of those that the caller holds
    known: Known
    most: int | None
    run_format: RunFormat  # the format in which runs are read
    signature: Signature  # every choice that changes a number
    untrusted: bool | Mapping[str, int] = False  # whether runs are submissions of strangers, and their limits
    held: Mapping[str, HeldRun] = field(default_factory=dict)  # the runs that the caller holds, by name
    roles: Roles = field(default_factory=dict)  # the columns of tables that have a role

    @property
    def notes(self) -> list[Note]:
        """The notes on the qrels."""
        return [*self.known.notes]

    def __iter__(self) -> Iterator[Checked]:
        for path in self.paths:
            with submissions.guard_files(untrusted=self.untrusted):
                checked = examine(self.held.get(path, path), self.known, self.most, self.run_format, self.roles)
            yield checked

    @cached_property
    def checked_runs(self) -> tuple[Checked, ...]:
        """All of them, kept: what tables, frames and files are made of. Raises InputError for what cannot be read."""
        return tuple(self)


def validate(
    runs: Any,
    *,
    qrels: Any = None,
    queries: Any = None,
    docs: str | None = None,
    docnos: FilePath | None = None,
    due: int | None = None,
    most: int | None = KEPT,
    run_format: RunFormat = "auto",
    columns: str | Roles | None = None,
    untrusted: bool | Mapping[str, int] = False,
) -> Validation:
    """Find all errors of each run. Iterate over the answer, or print it.

    Args:
        runs: one or several paths; or dicts and frames as for ``evaluate``, of which the content is checked: the order
            of ranks, ties, repeats and queries. The line of a finding is then the number of an entry.
        qrels: as for ``evaluate``: each query of these should be in the run.
        queries: instead of ``qrels``: the queries that should be in the run.
        docs: the collection: a path or an ir_datasets id.
        docnos: instead of ``docs``: a file with a docno per line.
        due: how many documents each query should have.
        most: how many findings of each code are kept. All are counted. None keeps all.
        run_format: the form of the runs. "auto" recognizes TREC, JSON lines and Parquet by their content.
        columns: which columns of a table are what, as for ``evaluate``.
        untrusted: treat runs as submissions of strangers, as for ``evaluate``.

    Raises:
        UsageError: two arguments with the same meaning; a form that there is not.
        InputError: a file that cannot be read.
    """
    several = _name_runs(runs)
    paths = [run.name if isinstance(run, HeldRun) else fspath(run) for run in several]
    roles = Choices(run_format=run_format, columns=columns).roles  # refuses a word that is none
    with submissions.guard_files(untrusted=untrusted):
        known = read_expectations(several, qrels=qrels, queries=queries, docs=docs, docnos=docnos, due=due)
    beside = {"qrels": qrels, "queries": queries, "docs": docs, "docnos": docnos, "due": due}
    told = {name: str(value) for name, value in beside.items() if isinstance(value, str | PathLike | int)}
    signature = Signature({"fairtrec": __version__, **told})
    held = {run.name: replace(run, roles=roles) for run in several if isinstance(run, HeldRun)}
    return Validation(tuple(paths), known, most, run_format, signature, untrusted, held, roles)


def _name_runs(runs: Any) -> list[FilePath | HeldRun]:
    """Give paths as they are, and what a caller holds under its name."""
    from fairtrec.evaluation.inputs import loading

    if isinstance(runs, PATH):
        return [runs]
    if isinstance(runs, Iterable) and not isinstance(runs, Mapping) and not is_frame(runs):
        several: list[Any] = list(runs)
        if all(isinstance(run, PATH) for run in several):
            return several
        runs = several
    return [run if isinstance(run, PATH) else HeldRun(name, run) for name, run in loading.name_rankings(runs)]


def validate_trec_fair(
    runs: Iterable[FilePath], requests: Requests, truth: Truth, most: int | None = KEPT
) -> Iterator[Checked]:
    """Find the faults of each run; a line that is not JSON of this kind hides those of the rankings."""
    for path in runs:
        found = Findings(most)
        lines = 0
        if is_refused(path, found):
            yield Checked(path, found, RunEntries.make_empty(0))
            continue
        try:
            run = trec_fair.rankings(path)
            lines = int(run.line.max(initial=0))
            for fault in trec_fair.faults(run, requests, truth):
                found.add("E801", fault.line, fault.message)
        except InputError as fault:
            found.add("E801", fault.line, fault.message)
        yield Checked(path, found, RunEntries.make_empty(lines))

"""Why a run has another value than a baseline: what each document and each word adds to the difference.

Of a sum over ranks, in each query that both runs have,

    value of the run - value of the baseline
        = sum over documents of  (what it loses in the baseline - what it loses in the run)  + rest

because both values are the same ceiling less what their documents lose. A measure that loses nothing takes what each
document adds, with the other sign. The rest is what ranks without a document lose, and of TED and TExFAIR the part that
is no sum over ranks. Sums are rounded once (``math.fsum``), so that no order of documents changes a digit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum, isnan, nan
from typing import Literal, NamedTuple

from fairtrec.commands.explain.explanation import NEAR, Explained, RankRow
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.measure import Measure
from fairtrec.support.notes import Note

Move = Literal["came", "went", "moved"]
NO_GROUP = "-"  # to which a document leans
MOVES: tuple[Move, ...] = ("came", "went", "moved")


class DifferenceParts(NamedTuple):
    """A difference in parts, which sum to it.

    ``came``   documents that only the run has among the ranks that the measure reads.
    ``went``   documents that only the baseline has there.
    ``moved``  documents that both have there.
    ``rest``   ranks without a document, and what is no sum over ranks.
    """

    came: float
    went: float
    moved: float
    rest: float


class DocumentDifference(NamedTuple):
    """What a document adds to a difference: its ranks in the run and in the baseline (None: not there), and its lean.

    ``lean`` is the group of most of its group terms, or of its label; ``-`` if it leans to none.
    """

    qid: str
    docno: str
    part: Move
    rank: int | None
    baseline_rank: int | None
    adds: float
    lean: str


class WordDifference(NamedTuple):
    """What a word adds to a difference; without texts, what a group adds."""

    term: str
    group: str
    adds: float


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryDifference:
    """The difference of a run and a baseline for one query.

    ``documents`` and ``words`` are empty for measures that are no sum over ranks.
    """

    qid: str
    value: float
    baseline_value: float
    rest: float
    documents: tuple[DocumentDifference, ...]
    words: tuple[WordDifference, ...]
    what_if: Mapping[str, float]  # the difference without a term

    @property
    def difference(self) -> float:
        """The value of the run minus that of the baseline."""
        return self.value - self.baseline_value

    @property
    def parts(self) -> DifferenceParts:
        """The difference in parts."""
        return DifferenceParts(*sum_moves(self.documents), self.rest)


@dataclass(frozen=True, eq=False, kw_only=True)
class RunDifference:
    """The difference of a run and a baseline, in the mean over the queries for which both have a value.

    ``shared`` is the number of queries that both have. ``exposure`` has by group its share of the exposure in the run
    and in the baseline, for measures that are no sum.
    """

    run: str  # the name of the run
    baseline: str  # the name of the baseline
    shared: int  # the number of queries that both have
    queries: tuple[QueryDifference, ...]  # the difference for each query
    exposure: Mapping[str, tuple[float, float]]  # by group, its share of exposure in the run and in the baseline

    @property
    def value(self) -> float:
        """The mean of the run."""
        return self._average(each.value for each in self.queries)

    @property
    def baseline_value(self) -> float:
        """The mean of the baseline over the same queries."""
        return self._average(each.baseline_value for each in self.queries)

    @property
    def difference(self) -> float:
        """The mean of the run minus that of the baseline."""
        return self._average(each.difference for each in self.queries)

    @property
    def parts(self) -> DifferenceParts:
        """The difference in parts."""
        moves = sum_moves(self.documents)
        return DifferenceParts(*moves, self._average(each.rest for each in self.queries))

    @cached_property
    def documents(self) -> tuple[DocumentDifference, ...]:
        """What each document of each query adds to the difference of the means, that of most first."""
        many = len(self.queries)
        every = [one._replace(adds=one.adds / many) for each in self.queries for one in each.documents]
        return tuple(sorted(every, key=lambda one: (-abs(round(one.adds, NEAR)), one.qid, one.docno)))

    @cached_property
    def words(self) -> tuple[WordDifference, ...]:
        """What each word adds to the difference of the means, that of most first."""
        return merge_words((word for each in self.queries for word in each.words), len(self.queries))

    @property
    def leans(self) -> dict[str, float]:
        """What the documents that lean to each group add, by group; those that lean to none come last."""
        groups = sorted({one.lean for one in self.documents}, key=lambda lean: (lean == NO_GROUP, lean))
        return {group: fsum(one.adds for one in self.documents if one.lean == group) for group in groups}

    def what_if(self, term: str) -> float:
        """Give the difference without a term, over the queries for which both have a value then."""
        values = [value for each in self.queries if not isnan(value := each.what_if[term])]
        return fsum(values) / len(values) if values else nan

    def list_largest(self) -> tuple[QueryDifference, ...]:
        """List the queries that add most to the difference first."""
        return tuple(sorted(self.queries, key=lambda one: (-abs(round(one.difference, NEAR)), one.qid)))

    def _average(self, values: Iterable[float]) -> float:
        return fsum(values) / len(self.queries) if self.queries else nan


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Differences(Answer):
    """Why the values of runs differ from those of a baseline.

    Attributes:
        kind: as that of an Explanation; "prefix": the measure is no sum over ranks, so no document has a part.
        of_losses: whether a document adds what it loses, with the other sign, and not what it adds to the value.
        result: what `evaluate` gives for all runs, the baseline among them.
        detailed: whether queries were asked for.
    """

    measure: Measure  # the measure that is explained
    kind: str
    of_losses: bool
    baseline: str  # the name of the baseline
    runs: tuple[RunDifference, ...]  # the difference of each run
    groups: tuple[str, ...]  # the names of the groups
    result: Result
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers
    has_texts: bool = False  # whether words have parts
    detailed: bool = False
    what_if: tuple[str, ...] = ()  # the terms that were left out, to see what changes
    texts: Mapping[str, str] = field(default_factory=dict)  # of queries, which only readers look at

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        return self.result.signature


def subtract_queries(
    run: Sequence[Explained], baseline: Sequence[Explained], *, of_losses: bool
) -> tuple[QueryDifference, ...]:
    """Subtract the values of a baseline from those of a run, for each query for which both have one."""
    others = {each.qid: each for each in baseline if not isnan(each.value)}
    return tuple(
        _subtract(each, others[each.qid], of_losses) for each in run if each.qid in others and not isnan(each.value)
    )


def _subtract(run: Explained, baseline: Explained, of_losses: bool) -> QueryDifference:
    documents = list_documents(run, baseline, of_losses)
    empty, others_empty = (
        fsum(_worth(row, of_losses) for row in one.places if row.docno is None) for one in (run, baseline)
    )
    above = run.ceiling - baseline.ceiling if of_losses else run.rest - baseline.rest
    words = [
        WordDifference(word.term, word.group, sign * word.adds)
        for one, sign in ((run, 1.0), (baseline, -1.0))
        for row in one.places
        for word in row.words
        if not isnan(word.adds)
    ]
    return QueryDifference(
        qid=run.qid,
        value=run.value,
        baseline_value=baseline.value,
        rest=above + (empty - others_empty),
        documents=tuple(documents),
        words=merge_words(words, 1),
        what_if={term: value - baseline.what_if[term] for term, value in run.what_if.items()},
    )


def list_documents(run: Explained, baseline: Explained, of_losses: bool) -> list[DocumentDifference]:
    """List the documents of both rankings and what each adds: those of the run in its order, then those that went."""
    theirs = {row.docno: row for row in baseline.places if row.docno is not None}
    mine = {row.docno for row in run.places}
    found = []
    for row in run.places:
        if row.docno is None:
            continue
        other = theirs.get(row.docno)
        before, rank = (0.0, None) if other is None else (_worth(other, of_losses), other.rank)
        part: Move = "came" if other is None else "moved"
        adds = _worth(row, of_losses) - before
        found.append(DocumentDifference(run.qid, row.docno, part, row.rank, rank, adds, find_lean(row)))
    for docno, row in theirs.items():
        if docno not in mine:
            adds = 0.0 - _worth(row, of_losses)
            found.append(DocumentDifference(run.qid, docno, "went", None, row.rank, adds, find_lean(row)))
    return found


def _worth(row: RankRow, of_losses: bool) -> float:
    """Give what a rank does to a value: minus what it loses, or what it adds."""
    worth = -row.loses if of_losses else row.adds
    return 0.0 if isnan(worth) else worth


def find_lean(row: RankRow) -> str:
    """Find the group of most terms of a document; ``-`` if it has none, or several groups have as many."""
    times: dict[str, float] = {}
    for word in row.words:
        times[word.group] = times.get(word.group, 0.0) + word.times
    most = max(times.values(), default=0.0)
    first, *others = [group for group, many in times.items() if many == most] or [NO_GROUP]
    return NO_GROUP if others else first


def sum_moves(documents: Sequence[DocumentDifference]) -> tuple[float, float, float]:
    """Sum what documents add, by what they did."""
    came, went, moved = (fsum(one.adds for one in documents if one.part == part) for part in MOVES)
    return came, went, moved


def merge_words(words: Iterable[WordDifference], many: int) -> tuple[WordDifference, ...]:
    """Sum what each word adds, divided by so many, that of most first."""
    sums: dict[tuple[str, str], list[float]] = {}
    for word in words:
        sums.setdefault((word.term, word.group), []).append(word.adds)
    merged = [WordDifference(*named, fsum(adds) / many) for named, adds in sums.items()]
    return tuple(sorted(merged, key=lambda one: (-abs(round(one.adds, NEAR)), one.term, one.group)))

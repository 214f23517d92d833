"""Measures of relevance, given the judgments once, for any number of runs: computed here, or by ir-measures."""

import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fairtrec.data import MISSING, Floats, Ints, Qrels, Run, decode
from fairtrec.data.docnos import lay_rows
from fairtrec.data.ranking.depth import CELLS, dealt, find_depth
from fairtrec.data.run import QrelsIndex
from fairtrec.formulas.distribution import quotient
from fairtrec.measures.catalogue import relevance
from fairtrec.measures.utility import DIVERSITY, Utility
from fairtrec.support.errors import ResourceError, UsageError

if TYPE_CHECKING:
    from fairtrec.evaluation.relevance.trec_eval import Formula


class Graded(NamedTuple):
    """What is known of judged queries: their judgments, the grades of these [query, n], and ideals [query]."""

    grades: QrelsIndex
    falling: Floats
    most: list[Floats]


class JudgedCounts(NamedTuple):
    """How many of the looked at ``ranks`` hold a document with a grade of 0 or more, and with one ``below``."""

    judged: int = 0
    below: int = 0
    ranks: int = 0

    def add(self, other: "JudgedCounts") -> "JudgedCounts":
        """Add the counts of other rankings."""
        return JudgedCounts(*(one + more for one, more in zip(self, other, strict=True)))


class Retrieved(NamedTuple):
    """The judged documents of rankings: their ranks and grades [query, n], and which queries these are."""

    known: Graded
    columns: Ints  # of the queries that were asked for
    numbers: Ints  # of the queries in ``known``
    places: Ints
    grades: Floats
    lengths: Ints  # documents of the whole rankings
    gapped: "GappedRankings | None" = None  # if some ranks hold no document

    def count_judged(self, depth: int) -> JudgedCounts:
        """Count the judged documents at the ranks down to a depth, and the documents there."""
        there = self.places <= depth
        judged, below = (int((there & side).sum()) for side in (self.grades >= 0, self.grades < 0))
        ranked = np.minimum(self.lengths, depth) if self.gapped is None else self.gapped.count_first(depth)
        return JudgedCounts(judged, below, int(ranked.sum()))


class GappedRankings(NamedTuple):
    """Rankings of a run with positions, by their numbers; MISSING is empty."""

    run: Run
    rows: Ints

    @property
    def depths(self) -> Ints:
        """The rank of the last document [query]."""
        return self.run.find_depths(self.rows)

    def count_first(self, depth: float) -> Ints:
        """Count the documents at the first ranks [query]."""
        most = int(min(depth, self.depths.max(initial=0)))
        return np.where(self.rows == MISSING, 0, np.append(self.run.count_first(most), 0)[self.rows])


DUMMY = "\x1f"  # before the rank of no document, as ids of no document begin
QUERIES = 1 << 16  # that are looked at together
POOLED = 20  # ranks; of deeper ones few are judged in most collections
TOGETHER = 1 << 18  # lines of the run and of judgments, likewise


def is_computed_here(measure: Utility) -> bool:
    """Tell whether ir-measures need not be asked for the values of a measure that is not plain."""
    from fairtrec.evaluation.relevance.trec_eval import find_formula  # which few evaluations import

    return measure.name in DIVERSITY or find_formula(measure) is not None


class RelevanceEvaluator:
    """The judgments, for any number of runs.

    Raises UsageError for a measure whose provider is not installed.
    """

    def __init__(self, measures: Sequence[Utility], qrels: Qrels) -> None:
        self.measures = measures
        self.qrels = qrels
        self.plain = [row for row, asked in enumerate(measures) if asked.is_plain]
        self.formulas: dict[int, Formula] = {}
        self.handed: list[tuple[int, Any]] = []
        self.diverse = [row for row, asked in enumerate(measures) if asked.name in DIVERSITY]
        if self.diverse:
            from fairtrec.evaluation.relevance.diversity import Subtopics

            self.subtopics = Subtopics(qrels)
        if rest := [row for row in range(len(measures)) if row not in {*self.plain, *self.diverse}]:
            self._share_out(rest, qrels)
        self.checked = _choose_checked(measures)
        self.least = 0 if self.checked is None else self.checked.depth or 0  # ranks that it looks at
        self.deepest = find_depth([measures[row] for row in (*self.plain, *self.formulas)])
        self.deepest = None if self.deepest is None else max(self.deepest, self.least)
        self.many = np.diff(qrels.starts)
        self.few = len(qrels.grades) <= TOGETHER and len(self.many) * int(self.many.max(initial=0)) <= CELLS
        self.known: Graded | None = None  # of all queries, where these are few
        # What count_judged says of the run that was evaluated last, which is not kept alive.
        self.counted: tuple[weakref.ref[Run], Sequence[str], JudgedCounts] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Send another process the judgments alone, as what ir-measures has made of them may be unfit for it."""
        return type(self), (self.measures, self.qrels)

    def _share_out(self, rows: Sequence[int], qrels: Qrels) -> None:
        """Find the formulas of measures that are not plain, and hand those that have none over to ir-measures."""
        from fairtrec.evaluation.relevance import trec_eval  # which few evaluations import

        others = {row: trec_eval.find_formula(self.measures[row]) for row in rows}
        self.formulas = {row: formula for row, formula in others.items() if formula is not None}
        trec_eval.refuse_parameters(self.measures[row] for row, formula in others.items() if formula is None)
        trec_eval.refuse_grades([self.measures[row] for row in self.formulas], qrels)
        self._hand_over([row for row, formula in others.items() if formula is None], qrels)

    def _hand_over(self, rows: Sequence[int], qrels: Qrels) -> None:
        if not rows:
            return
        if not relevance.is_installed():
            raise ResourceError(f"{self.measures[rows[0]]}: {relevance.ABSENT}")
        import ir_measures

        subtopics = list(_subtopics(qrels))
        for row in rows:
            with _refused(self.measures[row].measure):
                self.handed.append((row, ir_measures.evaluator([self.measures[row].measure], subtopics)))

    def values(self, run: Run, qids: Sequence[str]) -> Floats:
        """Compute the measures of one run [measure, query]; nan for a query without judgments."""
        values = np.full((len(self.measures), len(qids)), np.nan)
        if self.formulas:
            from fairtrec.evaluation.relevance.trec_eval import Ranked

        counts = JudgedCounts()
        for found in self._look_up(run, qids, self.deepest) if self.plain or self.formulas else ():
            places, grades = found.places, found.grades
            for row, most in zip(self.plain, found.known.most, strict=True):
                gained = self.measures[row].sum_gains(places, grades)
                values[row, found.columns] = quotient(gained, most[found.numbers], otherwise=0.0)
            for row, formula in self.formulas.items():
                ranked = Ranked(places, grades, found.lengths, found.known.falling[found.numbers], found.gapped)
                values[row, found.columns] = formula(ranked)
            if self.few and self.least:
                counts = counts.add(found.count_judged(self.least))
        if self.diverse or self.handed:
            self._ask(run, qids, values)
        self.counted = weakref.ref(run), qids, counts
        return values

    def count_judged(self, run: Run, qids: Sequence[str]) -> JudgedCounts:
        """Count the judged documents at the ranks that ``checked`` looks at, and these ranks.

        Only queries with judgments count. Returns zeros for judgments that are too many to be held at once.
        """
        if self.known is None:
            return JudgedCounts()
        if self.counted is not None and self.counted[0]() is run and self.counted[1] is qids:
            return self.counted[2]
        counts = JudgedCounts()
        for found in self._look_up(run, qids, self.least):
            counts = counts.add(found.count_judged(self.least))
        return counts

    def count_all_judged(self, run: Run, qids: Sequence[str]) -> JudgedCounts:
        """Count the judged documents of whole rankings, and their ranks, of queries with judgments."""
        counts = JudgedCounts()
        for found in self._look_up(run, qids, None):
            counts = counts.add(found.count_judged(int(found.lengths.max(initial=0))))
        return counts

    def _look_up(self, run: Run, qids: Sequence[str], depth: int | None) -> Iterator[Retrieved]:
        """Look up the judged documents at the first ranks, of so many queries at a time that memory suffices."""
        of_qrels, of_run = self.qrels.numbers(qids), run.numbers(qids)
        lengths_of_run = np.append(np.diff(run.starts), 0)  # the last is of a query that it lacks
        first_of_run = lengths_of_run if depth is None else np.append(run.count_first(depth), 0)
        for place in range(0, len(qids), QUERIES):
            some = slice(place, place + QUERIES)
            at = np.flatnonzero(of_qrels[some] != MISSING)
            number, ranking = of_qrels[some][at], of_run[some][at]
            first, many, lengths = run.starts[ranking], lengths_of_run[ranking], first_of_run[ranking]
            judged = np.zeros(len(at), dtype=np.int64) if self.few else self.many[number]
            for alike in [np.arange(len(at))] if self.few else dealt(judged):
                lines = np.cumsum(lengths[alike] + judged[alike])
                for part in np.split(alike, np.flatnonzero(np.diff(lines // TOGETHER)) + 1):
                    numbers = number[part] if self.few else np.arange(len(part))
                    known = self._grade(number[part])
                    places, grades = known.grades.find_retrieved(run, first[part], lengths[part], numbers)
                    gapped = None if run.positions is None else GappedRankings(run, ranking[part])
                    yield Retrieved(known, place + at[part], numbers, places, grades, many[part], gapped)

    def _grade(self, number: Ints) -> Graded:
        """Prepare the judgments of the queries of these numbers; of all queries, once, if they are few."""
        if self.known is not None:
            return self.known
        index = QrelsIndex(self.qrels, None if self.few else number)
        many = np.bincount(index.query, minlength=len(self.many if self.few else number))
        falling, _ = lay_rows(index.grades[np.lexsort((-index.grades, index.query))], many, np.nan)
        known = Graded(index, falling, [self.measures[row].ideal_gain(falling) for row in self.plain])
        self.known = known if self.few else None
        return known

    def _ask(self, run: Run, qids: Sequence[str], values: Floats) -> None:
        """Compute what is not computed by ranks and grades [measure, query]."""
        at = np.flatnonzero(self.qrels.numbers(qids) != MISSING)
        judged = {qids[column]: column for column in at.tolist()}
        if self.diverse:
            asked = [self.measures[row] for row in self.diverse]
            values[np.array(self.diverse)[:, None], at] = self.subtopics.values(asked, run, list(judged))
        for row, evaluator in self.handed:
            with _refused(self.measures[row].measure):
                of_queries = rankings(run, list(judged), self.measures[row].depth)
                for metric in evaluator.iter_calc(of_queries):
                    if metric.query_id in judged:
                        values[row, judged[metric.query_id]] = metric.value


def _choose_checked(measures: Sequence[Utility]) -> Utility | None:
    """Choose the measure whose ranks are checked for unjudged documents: the deepest to which pools mostly reach."""
    depths = {asked: asked.depth for asked in measures if asked.depth and asked.better == "higher"}
    near = [asked for asked, depth in depths.items() if depth <= POOLED]
    return max(near, key=depths.__getitem__) if near else min(depths, key=depths.__getitem__, default=None)


@contextmanager
def _refused(measure: Any) -> Iterator[None]:
    """Turn whatever a provider falls over into one line: a measure it lacks, a parameter it cannot take."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as fault:
        why = " ".join(str(fault).split()) or type(fault).__name__
        what = f"ir-measures cannot compute {measure}: {why}"
        if why.startswith("Unsupported"):
            what = f"ir-measures cannot compute {measure} with the installed programs; leave it out"
        raise UsageError(what) from fault


def rankings(run: Run, qids: Sequence[str], depth: int | None) -> dict[str, dict[str, float]]:
    """Give the first documents of each query with strictly falling scores, so that no provider sees a tie."""
    part = run.cut(qids, depth)
    names, starts = decode(part.docnos), part.starts.tolist()
    if part.positions is not None:
        return dict(_fill_gaps(part, names))
    scores = np.arange(np.diff(part.starts).max(initial=0), 0.0, -1.0).tolist()
    return {
        qid: dict(zip(names[start:end], scores, strict=False))
        for qid, start, end in zip(part.qids, starts, starts[1:], strict=False)
        if end > start
    }


def _fill_gaps(run: Run, names: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Give rankings with an unjudged document at each rank that has none, as no provider knows of gaps."""
    assert run.positions is not None
    for number, (qid, depth) in enumerate(zip(run.qids, run.depths.tolist(), strict=True)):
        lines = slice(*run.starts[number : number + 2].tolist())
        ranked = [f"{DUMMY}{rank}" for rank in range(1, depth + 1)]
        for place, docno in zip((run.positions[lines] - 1).tolist(), names[lines], strict=True):
            ranked[place] = docno
        if ranked:
            yield qid, {docno: float(depth - rank) for rank, docno in enumerate(ranked)}


def _subtopics(qrels: Qrels) -> Iterable[Any]:
    import ir_measures

    columns = (qrels.query.tolist(), decode(qrels.docnos), qrels.grades.tolist(), decode(qrels.iterations))
    for query, docno, grade, iteration in zip(*columns, strict=True):
        yield ir_measures.Qrel(qrels.qids[query], docno, grade, iteration)

"""Measures of relevance, given the judgements once, for any number of runs: computed here, or by ir-measures."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fairtrec.catalogue import relevance
from fairtrec.data import MISSING, Docnos, Docs, Floats, Ints, Qrels, Run, decode, starts_of
from fairtrec.errors import UsageError
from fairtrec.evaluation.documents import CELLS, dealt, depth_of
from fairtrec.formulas.distribution import quotient
from fairtrec.measures.utility import DIVERSITY, Utility

if TYPE_CHECKING:
    from fairtrec.evaluation.relevance.trec_eval import Formula


class QrelsIndex:
    """The grades of the judged documents of queries; where subtopics differ, the highest.

    ``queries`` are their numbers in the judgements, and their places among these their numbers here; None: all.
    """

    def __init__(self, qrels: Qrels, queries: Ints | None = None) -> None:
        lengths, docnos, grades = np.diff(qrels.starts), qrels.docnos, qrels.grades
        if queries is not None:
            lengths = lengths[queries]
            lines = np.arange(lengths.sum()) + np.repeat(qrels.starts[queries] - np.cumsum(lengths) + lengths, lengths)
            docnos, grades = docnos[lines], grades[lines]
        self.queries = len(lengths)
        self._names = Docnos.of(docnos)
        pairs = np.repeat(np.arange(self.queries), lengths) * len(self._names) + self._names.rows(docnos)
        order = np.argsort(pairs)
        pairs = pairs[order]
        first = starts_of(pairs)[:-1]
        self._pairs, self._grades = pairs[first], np.maximum.reduceat(grades[order], first).astype(np.float64)
        self._query = self._pairs // max(len(self._names), 1)  # of each judgement, rising

    def of(self, query: Ints, docnos: Docs) -> Floats:
        """Find the grades of documents, each for the query of this number; nan where there is none."""
        rows = self._names.rows(docnos)
        grades = np.full(len(rows), np.nan)
        there = np.flatnonzero((rows != MISSING) & (query != MISSING))
        pairs = query[there] * len(self._names) + rows[there]
        at = np.searchsorted(self._pairs, pairs).clip(max=len(self._pairs) - 1)
        found = self._pairs[at] == pairs
        grades[there[found]] = self._grades[at[found]]
        return grades

    def retrieved(self, run: Run, first: Ints, lengths: Ints, numbers: Ints) -> tuple[Ints, Floats]:
        """Give the ranks, from 1, and grades of the judged documents of rankings [query, n], by rank.

        Each has so many lines of the run from its ``first`` on, and one of the ``numbers`` of the queries here. Only
        what is judged is laid out in rows: one long ranking among many short ones takes no memory for the others.
        """
        query = np.repeat(np.arange(len(first)), lengths)
        lines = np.arange(len(query)) + np.repeat(first - np.cumsum(lengths) + lengths, lengths)
        grades = self.of(numbers[query], run.docnos[lines])
        judged = np.flatnonzero(~np.isnan(grades))
        query, places = query[judged], lines[judged] + 1
        places -= first[query]
        return _in_rows(query, places, len(first), 0), _in_rows(query, grades[judged], len(first), np.nan)

    def falling(self) -> Floats:
        """Give the grades of each query [query, n], the highest first; nan behind the last."""
        order = np.lexsort((-self._grades, self._query))
        rows: Floats = _in_rows(self._query, self._grades[order], self.queries, np.nan)
        return rows


def _in_rows(row: Ints, values: Any, rows: int, fill: float) -> Any:
    """Lay values out [row, n], each in the row of its number, which never falls."""
    many = np.bincount(row, minlength=rows)
    matrix = np.full((rows, int(many.max(initial=0))), fill, dtype=values.dtype)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = values
    return matrix


class Graded(NamedTuple):
    """What is known of judged queries: their judgements, the grades of these [query, n], and ideals [query]."""

    grades: QrelsIndex
    falling: Floats
    most: list[Floats]


QUERIES = 1 << 16  # that are looked at together
TOGETHER = 1 << 18  # lines of the run and of judgements, likewise


def is_computed_here(measure: Utility) -> bool:
    """Tell whether ir-measures need not be asked for the values of a measure that is not plain."""
    from fairtrec.evaluation.relevance.trec_eval import formula_of  # which few evaluations import

    return measure.name in DIVERSITY or formula_of(measure) is not None


class RelevanceEvaluator:
    """The judgements, for any number of runs.

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
        if len(self.plain) + len(self.diverse) < len(measures):
            from fairtrec.evaluation.relevance import trec_eval  # which few evaluations import

            rest = [row for row, asked in enumerate(measures) if not asked.is_plain and row not in self.diverse]
            others = {row: trec_eval.formula_of(measures[row]) for row in rest}
            self.formulas = {row: formula for row, formula in others.items() if formula is not None}
            trec_eval.refuse_grades([measures[row] for row in self.formulas], qrels)
            self._hand_over([row for row, formula in others.items() if formula is None], qrels)
        self.deepest = depth_of([measures[row] for row in (*self.plain, *self.formulas)])
        self.many = np.diff(qrels.starts)
        self.few = len(qrels.grades) <= TOGETHER and len(self.many) * int(self.many.max(initial=0)) <= CELLS
        self.known: Graded | None = None  # of all queries, where these are few

    def _hand_over(self, rows: Sequence[int], qrels: Qrels) -> None:
        if not rows:
            return
        if not relevance.is_installed():
            raise UsageError(f"{self.measures[rows[0]]}: {relevance.ABSENT}")
        import ir_measures

        subtopics = list(_subtopics(qrels))
        for row in rows:
            with _refused(self.measures[row].measure):
                self.handed.append((row, ir_measures.evaluator([self.measures[row].measure], subtopics)))

    def values(self, run: Run, qids: Sequence[str]) -> Floats:
        """Compute the measures of one run [measure, query]; nan for a query without judgements."""
        values = np.full((len(self.measures), len(qids)), np.nan)
        if self.formulas:
            from fairtrec.evaluation.relevance.trec_eval import Ranked

        for place in range(0, len(qids) if self.plain or self.formulas else 0, QUERIES):
            some = qids[place : place + QUERIES]
            number = self.qrels.numbers(some)
            at = np.flatnonzero(number != MISSING)
            number, ranking = number[at], run.numbers(some)[at]
            first, many = run.starts[ranking], np.where(ranking == MISSING, 0, np.diff(run.starts, append=0)[ranking])
            lengths = many if self.deepest is None else np.minimum(many, self.deepest)
            judged = np.zeros(len(at), dtype=np.int64) if self.few else self.many[number]
            for dealt_together in dealt(judged):
                lines = np.cumsum(lengths[dealt_together] + judged[dealt_together])
                for part in np.split(dealt_together, np.flatnonzero(np.diff(lines // TOGETHER)) + 1):
                    known, numbers = self.known, number[part]
                    if known is None:
                        index = QrelsIndex(self.qrels, None if self.few else numbers)
                        graded = index.falling()
                        known = Graded(index, graded, [self.measures[row].most(graded) for row in self.plain])
                    if self.few:
                        self.known = known
                    else:
                        numbers = np.arange(len(part))
                    places, grades = known.grades.retrieved(run, first[part], lengths[part], numbers)
                    columns = place + at[part]
                    for row, most in zip(self.plain, known.most, strict=True):
                        gained = self.measures[row].gained(places, grades)
                        values[row, columns] = quotient(gained, most[numbers], otherwise=0.0)
                    for row, formula in self.formulas.items():
                        values[row, columns] = formula(Ranked(places, grades, many[part], known.falling[numbers]))
        if self.diverse or self.handed:
            self._ask(run, qids, values)
        return values

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
            what = f"ir-measures cannot compute {measure} by what is installed; leave it out"
        raise UsageError(what) from fault


def rankings(run: Run, qids: Sequence[str], depth: int | None) -> dict[str, dict[str, float]]:
    """Give the first documents of each query with strictly falling scores, so that no provider sees a tie."""
    part = run.cut(qids, depth)
    names, starts = decode(part.docnos), part.starts.tolist()
    scores = np.arange(np.diff(part.starts).max(initial=0), 0.0, -1.0).tolist()
    return {
        qid: dict(zip(names[start:end], scores, strict=False))
        for qid, start, end in zip(part.qids, starts, starts[1:], strict=False)
        if end > start
    }


def _subtopics(qrels: Qrels) -> Iterable[Any]:
    import ir_measures

    columns = (qrels.query.tolist(), decode(qrels.docnos), qrels.grades.tolist(), decode(qrels.iterations))
    for query, docno, grade, iteration in zip(*columns, strict=True):
        yield ir_measures.Qrel(qrels.qids[query], docno, grade, iteration)

"""Measures of relevance, given the judgements once, for any number of runs: computed here, or by ir-measures."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Docs, Floats, Ints, Qrels, Run, decode
from fairtrec.errors import UsageError
from fairtrec.evaluation.documents import CELLS, dealt, depth_of
from fairtrec.formulas.distribution import quotient
from fairtrec.measures.utility import DIVERSITY, Utility

if TYPE_CHECKING:
    from fairtrec.evaluation.relevance.trec_eval import Formula


class QrelsIndex:
    """The grade of each judged document of each query; where subtopics differ, the highest."""

    def __init__(self, qrels: Qrels) -> None:
        self._number = {qid: i for i, qid in enumerate(qrels.qids)}
        self._names = Docnos.of(qrels.docnos)
        pairs = qrels.query * len(self._names) + self._names.rows(qrels.docnos)
        order = np.lexsort((qrels.grades, pairs))
        pairs, grades = pairs[order], qrels.grades[order]
        last = np.append(pairs[1:] != pairs[:-1], np.ones(min(len(pairs), 1), np.bool_))
        self._pairs, self._grades = pairs[last], grades[last].astype(np.float64)
        self.query = self._pairs // max(len(self._names), 1)  # of each judgement, rising

    def numbers(self, qids: Sequence[str]) -> Ints:
        """Give each query its number in the judgements; MISSING where it has none."""
        return np.array([self._number.get(qid, MISSING) for qid in qids], dtype=np.int64)

    def of(self, queries: Ints, docnos: Docs) -> Floats:
        """Find the grades of documents, each for the query of this number; nan where there is none."""
        rows = self._names.rows(docnos)
        grades = np.full(len(rows), np.nan)
        there = np.flatnonzero((rows != MISSING) & (queries != MISSING))
        pairs = queries[there] * len(self._names) + rows[there]
        at = np.searchsorted(self._pairs, pairs).clip(max=len(self._pairs) - 1)
        found = self._pairs[at] == pairs
        grades[there[found]] = self._grades[at[found]]
        return grades

    def retrieved(self, run: Run, qids: Sequence[str], depth: int | None) -> tuple[Ints, Floats]:
        """Give the ranks, from 1, and grades of the judged documents of each ranking [query, n], by rank.

        Only they are laid out in rows: one long ranking among many short ones takes no memory for the others.
        """
        every = run.numbers(qids)
        ranked = np.flatnonzero(every != MISSING)
        rows = every[ranked]
        lengths = np.diff(run.starts)[rows]
        if depth is not None:
            lengths = np.minimum(lengths, depth)
        query = np.repeat(ranked, lengths)
        rank = np.arange(len(query)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        grades = self.of(self.numbers(qids)[query], run.docnos[rank + np.repeat(run.starts[:-1][rows], lengths)])
        judged = np.flatnonzero(~np.isnan(grades))
        query = query[judged]
        return _in_rows(query, rank[judged] + 1, len(qids), 0), _in_rows(query, grades[judged], len(qids), np.nan)

    def falling(self, queries: Ints | None = None) -> Floats:
        """Give the grades of queries of the judgements [query, n], the highest first; nan behind the last.

        ``queries`` are their numbers; None: all.
        """
        query, grades, many = self.query, self._grades, len(self._number)
        if queries is not None:
            place = np.full(many, MISSING, dtype=np.int64)
            place[queries] = np.arange(len(queries))
            among = np.flatnonzero(place[query] != MISSING)
            query, grades, many = place[query[among]], grades[among], len(queries)
        order = np.lexsort((-grades, query))
        rows: Floats = _in_rows(query[order], grades[order], many, np.nan)
        return rows


def _in_rows(row: Ints, values: Any, rows: int, fill: float) -> Any:
    """Lay values out [row, n], each in the row of its number, which never falls."""
    many = np.bincount(row, minlength=rows)
    matrix = np.full((rows, int(many.max(initial=0))), fill, dtype=values.dtype)
    matrix[np.arange(matrix.shape[1]) < many[:, None]] = values
    return matrix


GREATEST = 4  # grade that gdeval takes


def is_computed_here(measure: Utility) -> bool:
    """Tell whether ir-measures need not be asked for the values of a measure that is not plain."""
    from fairtrec.evaluation.relevance.trec_eval import formula_of  # which few evaluations import

    return measure.name in DIVERSITY or formula_of(measure) is not None


class RelevanceEvaluator:
    """The judgements, for any number of runs.

    ``often``  says that it is asked hundreds of times, so that no program may be started each time.

    Raises UsageError for a measure whose provider is not installed.
    """

    def __init__(self, measures: Sequence[Utility], qrels: Qrels, *, often: bool = False) -> None:
        self.often = often
        self.measures = measures
        self.judged = frozenset(qrels.qids)
        self.plain = [row for row, asked in enumerate(measures) if asked.is_plain]
        self.formulas: dict[int, Formula] = {}
        self.handed: list[tuple[int, dict[str, str], Any]] = []
        self.diverse = [row for row, asked in enumerate(measures) if asked.name in DIVERSITY]
        if self.diverse:
            from fairtrec.evaluation.relevance.diversity import Subtopics

            self.subtopics = Subtopics(qrels)
        if len(self.plain) + len(self.diverse) < len(measures):
            from fairtrec.evaluation.relevance.trec_eval import formula_of  # which few evaluations import

            rest = [row for row, asked in enumerate(measures) if not asked.is_plain and row not in self.diverse]
            others = {row: formula_of(measures[row]) for row in rest}
            self.formulas = {row: formula for row, formula in others.items() if formula is not None}
            self._hand_over([row for row, formula in others.items() if formula is None], qrels)
        if self.plain or self.formulas:
            self.deepest = depth_of([measures[row] for row in (*self.plain, *self.formulas)])
            self.grades = QrelsIndex(qrels)
            many = np.bincount(self.grades.query, minlength=len(qrels.qids))
            self.whole = len(many) * int(many.max(initial=0)) <= CELLS  # else few queries may have most judgements
            if self.whole:
                self.graded = self.grades.falling()
                self.most = [measures[row].most(self.graded) for row in self.plain]
            else:
                self.parts = dealt(many)
                self.most = self._most()

    def _hand_over(self, rows: Sequence[int], qrels: Qrels) -> None:
        if not rows:
            return
        import ir_measures

        subtopics = list(_subtopics(qrels))
        for row in rows:
            measure = self.measures[row].measure
            given: Any = subtopics
            called = dict(zip(qrels.qids, qrels.qids, strict=True))
            if ir_measures.gdeval.supports(measure):
                _refuse_grades(measure, qrels)
                called = {qid: str(number) for number, qid in enumerate(qrels.qids)}
                given = {called[qid]: of_query for qid, of_query in _grades(qrels).items()}
                if self.often:
                    from fairtrec.evaluation.relevance.trec_eval import Gdeval

                    self.handed.append((row, called, Gdeval([measure], given)))
                    continue
            with _refused(measure):
                self.handed.append((row, called, ir_measures.evaluator([measure], given)))

    def values(self, run: Run, qids: Sequence[str]) -> Floats:
        """Compute the measures of one run [measure, query]; nan for a query without judgements."""
        values = np.full((len(self.measures), len(qids)), np.nan)
        judged = {qid: i for i, qid in enumerate(qids) if qid in self.judged}
        if self.plain or self.formulas:
            columns, number = list(judged.values()), self.grades.numbers(list(judged))
            places, grades = self.grades.retrieved(run, list(judged), self.deepest)
            for row, most in zip(self.plain, self.most, strict=True):
                values[row, columns] = quotient(self.measures[row].gained(places, grades), most[number], otherwise=0.0)
        if self.formulas:
            from fairtrec.evaluation.relevance.trec_eval import Ranked

            lengths = dict(zip(run.qids, np.diff(run.starts).tolist(), strict=True))
            many = np.array([lengths.get(qid, 0) for qid in judged], dtype=np.int64)
            at = np.array(columns, dtype=np.int64)
            for part, graded in self._graded(number):
                ranked = Ranked(places[part], grades[part], many[part], graded)
                for row, formula in self.formulas.items():
                    values[row, at[part]] = formula(ranked)
        if self.diverse:
            asked = [self.measures[row] for row in self.diverse]
            values[np.ix_(self.diverse, list(judged.values()))] = self.subtopics.values(asked, run, list(judged))
        for row, called, evaluator in self.handed:
            column = {called[qid]: i for qid, i in judged.items()}
            with _refused(self.measures[row].measure):
                of_queries = rankings(run, list(judged), self.measures[row].depth)
                for metric in evaluator.iter_calc({called[qid]: of_query for qid, of_query in of_queries.items()}):
                    if metric.query_id in column:
                        values[row, column[metric.query_id]] = metric.value
        return values

    def _most(self) -> list[Floats]:
        """Compute what gains are divided by, for queries of about as many judgements at a time."""
        most = [np.zeros(sum(map(len, self.parts))) for _ in self.plain]
        for part in self.parts:
            graded = self.grades.falling(part)
            for row, found in zip(self.plain, most, strict=True):
                found[part] = self.measures[row].most(graded)
        return most

    def _graded(self, number: Ints) -> Iterator[tuple[Any, Floats]]:
        if self.whole:
            yield slice(None), self.graded[number]
            return
        for part in self.parts:
            at = np.flatnonzero(np.isin(number, part))
            if len(at):
                yield at, self.grades.falling(number[at])


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


def _refuse_grades(measure: Any, qrels: Qrels) -> None:
    """Raise UsageError for grades that gdeval does not take: it ends with a line of its own, and knows no others.

    Its query ids are numbers; it is given those of their places.
    """
    if len(qrels.grades) and (greatest := int(qrels.grades.max())) > GREATEST:
        what = f"{measure} takes grades up to {GREATEST}, and there is one of {greatest}"
        raise UsageError(f"{what}; use other judgements, or leave this measure out")


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


def _grades(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Give each query's judged documents with their grades, the highest where subtopics differ."""
    grades: dict[str, dict[str, int]] = {qid: {} for qid in qrels.qids}
    for query, docno, grade in zip(qrels.query.tolist(), decode(qrels.docnos), qrels.grades.tolist(), strict=True):
        of_query = grades[qrels.qids[query]]
        of_query[docno] = max(grade, of_query.get(docno, grade))
    return grades


def _subtopics(qrels: Qrels) -> Iterable[Any]:
    import ir_measures

    columns = (qrels.query.tolist(), decode(qrels.docnos), qrels.grades.tolist(), decode(qrels.iterations))
    for query, docno, grade, iteration in zip(*columns, strict=True):
        yield ir_measures.Qrel(qrels.qids[query], docno, grade, iteration)

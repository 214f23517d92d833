"""nDCG and its kin of a run that is a dict, or small, in plain Python: a training loop evaluates thousands of them.

The values are those of ``RelevanceEvaluator.values``, to the last bit: the same quotients are added in the same order.
A run that needs more (other numbers than floats, ids that are not ASCII, an error message) is left to the general way.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from fairtrec.data import Floats, Queries, Run, decode
from fairtrec.evaluation.relevance import JudgedCounts, RelevanceEvaluator
from fairtrec.formulas.elementary import log2_of_counts
from fairtrec.measures.utility import Utility

JudgedRanks = list[tuple[int, float]]  # ranks, from 1, and grades of the judged documents of a ranking, by rank
DictFormula = Callable[[JudgedRanks, float], float]  # of these, and of what the gain is divided by
WIDEST = 1024  # bytes of an id
ENDLESS = 1 << 62  # a rank behind all others
MANY = 1000  # documents of a run, from which numpy is as fast
_logarithms: list[float] = []


class DictValues(NamedTuple):
    """The evaluated queries of a run, values [measure, query], and how many ranks are judged.

    ``own`` are the queries that are the first document of their ranking, of so many ``ranked``.
    """

    qids: tuple[str, ...]
    values: Floats
    counts: JudgedCounts
    own: list[str]
    ranked: int

    @property
    def may_be_foreign(self) -> bool:
        """Whether perhaps no document is judged, which has a note that compares the docnos."""
        if self.counts.ranks:
            return not (self.counts.judged or self.counts.below)
        return not self.values.any(axis=1).all()


class JudgedQuery(NamedTuple):
    """The grades of a query's judged documents, and what the gain of each measure is divided by."""

    grades: Mapping[str, float]
    most: list[float]


class DictRunEvaluator:
    """Evaluates dicts with the judgments of a session; ``depth`` ranks of them, and only the wanted ``queries``."""

    def __init__(self, judge: RelevanceEvaluator, depth: int | None, queries: Queries | None) -> None:
        self._judge = judge
        self._formulas = [formula_of(measure) for measure in judge.measures]
        depths = [each for each in (depth, judge.deepest) if each is not None]
        self._depth = min(depths, default=ENDLESS)
        wanted = None if queries is None else {*queries.qids}
        self._numbers = {qid: n for n, qid in enumerate(judge.qrels.qids) if wanted is None or qid in wanted}
        self._known: dict[str, JudgedQuery] = {}

    def evaluate(self, run: Any) -> DictValues | None:
        """Compute the measures of ``{qid: {docno: score}}``; None if the run is left to the general way."""
        if type(run) is not dict or not has_plain_ids(run) or not all(map(is_plain_ranking, run.values())):
            return None
        qids = sorted(filter(self._numbers.__contains__, run))
        own = [qid for qid in qids if qid in run[qid] and is_first(qid, run[qid])]
        found = [find_judged(run[qid], self._know(qid).grades, self._depth) for qid in qids]
        return self._compute(qids, found, own, (len(run[qid]) for qid in qids)) if qids else None

    def evaluate_ranked(self, run: Run) -> DictValues | None:
        """Compute the measures of a small run; None if it is left to the general way."""
        is_plain = run.positions is None and not (run.notes or run.rises or run.numbered)
        if len(run.docnos) >= MANY or not is_plain or not isinstance(run.docnos, np.ndarray):
            return None
        docnos, edges = decode(run.docnos), run.starts.tolist()
        rankings = {qid: docnos[first:end] for qid, first, end in zip(run.qids, edges, edges[1:], strict=False)}
        qids = sorted(filter(self._numbers.__contains__, rankings))
        if not qids or not all(rankings.values()):
            return None
        own = [qid for qid in qids if rankings[qid][0] == qid]
        found = []
        for qid in qids:
            grades = self._know(qid).grades
            ranks = enumerate(rankings[qid][: self._depth], 1)
            found.append([(rank, grades[docno]) for rank, docno in ranks if docno in grades])
        return self._compute(qids, found, own, (len(rankings[qid]) for qid in qids))

    def _compute(
        self, qids: Sequence[str], found: Sequence[JudgedRanks], own: list[str], lengths: Iterable[int]
    ) -> DictValues:
        """Compute the measures of the judged ranks of these queries; ``lengths`` are those of their rankings."""
        values, judged, below, ranks = [], 0, 0, 0
        least = self._judge.least if self._judge.few else 0
        for qid, several, length in zip(qids, found, lengths, strict=True):
            pairs = zip(self._formulas, self._know(qid).most, strict=True)
            values.append([formula(several, most) for formula, most in pairs])
            if least:
                judged += sum(rank <= least and grade >= 0 for rank, grade in several)
                below += sum(rank <= least and grade < 0 for rank, grade in several)
                ranks += min(length, least)
        return DictValues(
            tuple(qids), np.ascontiguousarray(np.array(values).T), JudgedCounts(judged, below, ranks), own, len(qids)
        )

    def _know(self, qid: str) -> JudgedQuery:
        """Take the judgments of a query apart, once; if subtopics differ, the highest grade counts."""
        if (known := self._known.get(qid)) is not None:
            return known
        qrels, number = self._judge.qrels, self._numbers[qid]
        lines = slice(*qrels.starts[number : number + 2].tolist())
        grades: dict[str, float] = {}
        for docno, grade in zip(decode(qrels.docnos[lines]), qrels.grades[lines].tolist(), strict=True):
            grades[docno] = max(grades.get(docno, float(grade)), float(grade))
        falling = np.array([sorted(grades.values(), reverse=True)])
        most = [float(measure.ideal_gain(falling)[0]) for measure in self._judge.measures]
        self._known[qid] = JudgedQuery(grades, most)
        return self._known[qid]


def has_plain_ids(ids: Mapping[Any, Any]) -> bool:
    """Check that all keys are texts of ASCII that can be ids."""
    if {*map(type, ids)} != {str} or "" in ids:
        return False
    text = "".join(ids)
    is_short = len(text) <= WIDEST or max(map(len, ids)) <= WIDEST
    return is_short and text.isascii() and "\n" not in text and "\0" not in text


def is_plain_ranking(scores: Any) -> bool:
    """Check that this is ``{docno: score}`` with finite floats."""
    return (
        type(scores) is dict
        and {*map(type, scores.values())} == {float}
        and isfinite(sum(scores.values()))
        and has_plain_ids(scores)
    )


def is_first(docno: str, scores: Mapping[str, float]) -> bool:
    """Check that a document is the first of its ranking, by falling score, ties by falling docno."""
    best = max(scores.values())
    return scores[docno] == best and docno == max(name for name, score in scores.items() if score == best)


def find_judged(scores: Mapping[str, float], grades: Mapping[str, float], depth: int) -> JudgedRanks:
    """Rank documents by falling score, ties by falling docno; list the judged ones among the first.

    >>> find_judged({"a": 1.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 0.0}, 3)
    [(1, 0.0), (3, 1.0)]
    """
    rising = sorted(scores.values())
    last, many = rising[-depth] if depth < len(rising) else rising[0], len(rising)
    found: JudgedRanks = []
    for docno in scores.keys() & grades.keys():
        score = scores[docno]
        if score >= last:
            above = bisect_right(rising, score)
            if above > 1 and rising[above - 2] == score:
                return find_judged_of_tied(scores, grades, depth)
            found.append((many - above + 1, grades[docno]))
    found.sort()
    return found


def find_judged_of_tied(scores: Mapping[str, float], grades: Mapping[str, float], depth: int) -> JudgedRanks:
    """Do the same where a judged document is tied."""
    order = [docno for _, docno in sorted(zip(scores.values(), scores, strict=True), reverse=True)]
    return [(rank, grades[docno]) for rank, docno in enumerate(order[:depth], 1) if docno in grades]


def formula_of(measure: Utility) -> DictFormula:
    """Give the formula of a plain measure on the judged ranks of one query."""
    cutoff, rel = measure.cutoff or ENDLESS, measure.measure.params.get("rel", 1)
    if measure.name == "nDCG":
        return lambda found, most: divide(add_gains(found, cutoff), most)

    def find_relevant(found: JudgedRanks) -> list[int]:
        return [rank for rank, grade in found if grade >= rel and rank <= cutoff]

    def add_precisions(found: JudgedRanks, most: float) -> float:
        total = 0.0
        for many, rank in enumerate(find_relevant(found), 1):
            total += many / rank
        return divide(total, most)

    def invert_first(found: JudgedRanks, most: float) -> float:
        return divide(next((1.0 / rank for rank, grade in found if grade >= rel and rank <= cutoff), 0.0), most)

    def count_relevant(found: JudgedRanks, most: float) -> float:
        many = float(len(find_relevant(found)))
        return divide(min(many, 1.0) if measure.name == "Success" else many, most)

    return {"AP": add_precisions, "RR": invert_first}.get(measure.name, count_relevant)


def add_gains(found: JudgedRanks, cutoff: int) -> float:
    """Add the discounted gains of grades above 0 down to a cutoff."""
    if not found:
        return 0.0
    logarithms = list_logarithms(found[-1][0] + 2)
    total = 0.0
    for rank, grade in found:
        if rank > cutoff:
            break
        if grade > 0:
            total += grade / logarithms[rank + 1]
    return total


def list_logarithms(number: int) -> list[float]:
    """List the logarithms of 0, 1, .. to base 2: ``number`` of them or more."""
    if len(_logarithms) < number:
        _logarithms[:] = log2_of_counts(2 * number).tolist()
    return _logarithms


def divide(gained: float, most: float) -> float:
    """Divide; 0 if the divisor is 0.

    >>> divide(1.0, 2.0), divide(1.0, 0.0)
    (0.5, 0.0)
    """
    return gained / most if most > 0 else 0.0

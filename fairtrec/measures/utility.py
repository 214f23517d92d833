"""nDCG and all other measures of ir-measures, computed by ir-measures from the one ranking that all measures see.

Its providers break ties in three different ways, so they are handed strictly falling scores; and they are handed only
as many ranks as a measure can see, because most of their time goes into taking a run in.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec import discount
from fairtrec.data import NOTHING, Floats, Qrels, Run, text
from fairtrec.errors import UsageError
from fairtrec.measure import Better, Measure
from fairtrec.ties import First, Precisions, Sum, Terms

# Parameters of a whole pass of pytrec_eval: ir-measures 0.4.3 lets them spill over to nDCG and NumRet beside them.
ALONE = {"gains", "judged_only"}


@dataclass(frozen=True)
class Utility(Measure):
    """A measure of relevance, computed by ir-measures; its page is in the documentation of that package.

    Unit: that of the measure. Better: higher. Empty ranking: the value that ir-measures gives it, mostly 0.
    Range: mostly [0, 1]. Undefined: the query has no judgements.
    Source: MacAvaney, Macdonald, Ounis: Streamlining Evaluation with ir-measures. ECIR 2022.
    https://doi.org/10.1007/978-3-030-99739-7_38
    """

    measure: Any = None

    @property
    def name(self) -> str:
        """The name in the notation of ir-measures."""
        return str(self.measure.NAME)

    @property
    def cutoff(self) -> int | None:
        """The cutoff; None where the measure has none."""
        cutoff: int | None = self.measure.params.get("cutoff")
        return cutoff

    @property
    def needs(self) -> tuple[str, ...]:
        """Judgements, whatever the measure."""
        return ("relevance", "judged_relevance")

    @property
    def depth(self) -> int | None:
        """The cutoff; None where the measure has none, or looks past it for judged documents."""
        return None if self.measure.params.get("judged_only") else self.cutoff

    @property
    def total(self) -> bool:  # type: ignore[override]  # ir-measures knows it of the instance
        """Whether a run's value is the sum over queries."""
        return type(self.measure.aggregator()).__name__ == "SumAgg"

    @property
    def ordered(self) -> bool:  # type: ignore[override]  # measures of sets are named so
        """Whether the order of the documents matters."""
        return not self.name.startswith(("Set", "Num"))

    @property
    def better(self) -> Better:  # type: ignore[override]  # counts are neither good nor bad
        """Which values are good."""
        return "neither" if self.name.startswith("Num") or self.name == "Judged" else "higher"

    def over_ranks(self, relevance: Floats, judged_relevance: Floats) -> Terms | None:
        """Tell what P, R, nDCG, RR, AP and Success make of the ranks, as trec_eval computes them."""
        if self.measure.params.keys() - {"rel", "cutoff"}:
            return None
        ranks = self.cutoff or relevance.shape[1]
        if self.name == "nDCG":
            gains, best = (np.maximum(np.nan_to_num(grades), 0.0) for grades in (relevance, judged_relevance))
            best = -np.sort(-best, axis=1)[:, : self.cutoff]
            ideal = best @ discount.log2(best.shape[1])
            ideal[ideal == 0] = 1.0  # then all gains are 0, and so is nDCG
            return Sum(gains, discount.log2(ranks), ideal)
        if self.name not in {"P", "R", "RR", "AP", "Success"}:
            return None
        relevant, judged = (grades >= self.measure["rel"] for grades in (relevance, judged_relevance))
        many = judged.sum(axis=1).clip(min=1)
        if self.name in {"P", "R"}:
            divisor = many if self.name == "R" else np.full(len(many), ranks)
            return Sum(relevant.astype(np.float64), np.ones(ranks), divisor)
        if self.name == "AP":
            return Precisions(relevant, self.cutoff, many)
        return First(relevant, np.ones(ranks) if self.name == "Success" else 1 / np.arange(1.0, ranks + 1))

    def __str__(self) -> str:
        return str(self.measure)


class Judge:
    """ir-measures, given the judgements once, for any number of runs.

    Raises UsageError for a measure whose provider is not installed.
    """

    def __init__(self, measures: Sequence[Utility], qrels: Qrels) -> None:
        import ir_measures

        self.measures = measures
        self.judged = frozenset(qrels.qids)
        together: dict[Any, int] = {}  # what pytrec_eval computes in one pass, and the row of each
        apart: list[tuple[int | None, dict[Any, int]]] = []
        for row, asked in enumerate(measures):
            if asked.name == "RR" and asked.depth:  # the same as RR of a run that is cut there, and far quicker
                uncut = {name: value for name, value in asked.measure.params.items() if name != "cutoff"}
                apart.append((asked.depth, {ir_measures.RR(**uncut): row}))
            elif ir_measures.pytrec_eval.supports(asked.measure) and not ALONE & asked.measure.params.keys():
                together[asked.measure] = row
            else:
                apart.append((asked.depth, {asked.measure: row}))
        deepest = _deepest(asked.depth for asked in measures if asked.measure in together)
        grades, subtopics = _grades(qrels), list(_subtopics(qrels))
        self.batches: list[tuple[int | None, dict[Any, int], Any]] = []
        for depth, rows in [(deepest, together)] * bool(together) + apart:
            plain = all(map(ir_measures.pytrec_eval.supports, rows))
            with _refused(rows):
                self.batches.append((depth, rows, ir_measures.evaluator(list(rows), grades if plain else subtopics)))

    def values(self, run: Run, qids: Sequence[str]) -> Floats:
        """Compute the measures of one run [measure, query]; nan for a query without judgements."""
        values = np.full((len(self.measures), len(qids)), np.nan)
        column = {qid: i for i, qid in enumerate(qids) if qid in self.judged}
        for depth, rows, evaluator in self.batches:
            with _refused(rows):
                for metric in evaluator.iter_calc(rankings(run, list(column), depth)):
                    if metric.query_id in column:
                        values[rows[metric.measure], column[metric.query_id]] = metric.value
        return values


@contextmanager
def _refused(measures: Iterable[Any]) -> Iterator[None]:
    """Turn whatever a provider falls over into one line: a measure it lacks, a parameter it cannot take."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as fault:
        why = " ".join(str(fault).split()) or type(fault).__name__
        what = f"ir-measures cannot compute {' '.join(map(str, measures))}: {why}"
        hint = " Run: pip install cwl-eval pyndeval" if why.startswith("Unsupported") else ""
        raise UsageError(what + hint) from fault


def rankings(run: Run, qids: Sequence[str], depth: int | None) -> dict[str, dict[str, float]]:
    """Give the first documents of each query with strictly falling scores, so that no provider sees a tie."""
    lines = run.top(qids, depth)
    lengths = (lines != NOTHING).sum(axis=1).tolist()
    names = text(run.docnos[lines[lines != NOTHING]])
    scores = np.arange(lines.shape[1], 0.0, -1.0).tolist()
    rankings = {}
    first = 0
    for qid, length in zip(qids, lengths, strict=True):
        if length:
            rankings[qid] = dict(zip(names[first : first + length], scores, strict=False))
        first += length
    return rankings


def _deepest(depths: Iterable[int | None]) -> int | None:
    known = list(depths)
    return None if None in known else max((depth for depth in known if depth), default=None)


def _grades(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Give each query's judged documents with their grades, the highest where subtopics differ."""
    grades: dict[str, dict[str, int]] = {qid: {} for qid in qrels.qids}
    for query, docno, grade in zip(qrels.query.tolist(), text(qrels.docnos), qrels.grades.tolist(), strict=True):
        of_query = grades[qrels.qids[query]]
        of_query[docno] = max(grade, of_query.get(docno, grade))
    return grades


def _subtopics(qrels: Qrels) -> Iterable[Any]:
    import ir_measures

    columns = (qrels.query.tolist(), text(qrels.docnos), qrels.grades.tolist(), text(qrels.iterations))
    for query, docno, grade, iteration in zip(*columns, strict=True):
        yield ir_measures.Qrel(qrels.qids[query], docno, grade, iteration)

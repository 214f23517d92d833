"""``fairtrec.headroom``: from whatever the caller has to the fairest orders at no loss of utility, and at some."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, isnan, nan
from typing import Any, NamedTuple, Unpack, get_args

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.fronts.problem import Problem
from fairtrec.evaluation.fronts.solve import LEMMA_1, WAYS, Cached, Solved, solve
from fairtrec.evaluation.given import Keywords
from fairtrec.evaluation.given.given_rows import JudgmentsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.inputs.table_roles import take_group
from fairtrec.evaluation.jobs import processes
from fairtrec.formulas.fronts import ROUNDING, Front, merge_hulls, point_at, spend
from fairtrec.lab.rerank.candidate_pool import SCORES, Search
from fairtrec.measure import Better, Measure, Quantity
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import DocumentsFrom
from fairtrec.support.notes import Note

PROVEN = 1e-6  # what is less far apart is the same


@dataclass(frozen=True)
class OfScores(Quantity):
    """DCG of the scores that a run gave its documents, scaled to 0 to 1 over the candidates of each query.

    ``cutoff`` is the last rank that counts; None: all ranks count.
    """

    cutoff: int | None = None

    def __str__(self) -> str:
        return f"DCG of {self.spell}"

    @property
    def spell(self) -> str:
        """What a user types for it."""
        return SCORES if self.cutoff is None else f"{SCORES}@{self.cutoff}"


class Point(NamedTuple):
    """Utility and fairness of an order, or their means; ``bound`` is the best fairness that there could be there.

    ``name``    one of "run", "same grades", "loss", "most".
    ``loss``    the share of the utility that may be lost, of a "loss".
    ``spoken``  the share of its ranks whose document holds a group term, or belongs to a group; nan if it is not known.
    ``told``    that no order as fair has more utility; else this is what was found, a bound from below.
    """

    name: str
    utility: float
    fairness: float
    bound: float
    loss: float = nan
    spoken: float = nan
    told: bool = True

    @property
    def exact(self) -> bool:
        """Whether no order is better, as is proven."""
        return not self.open

    @property
    def open(self) -> float:
        """How far the bound is from the value; 0 where the value is proven."""
        gap = abs(self.bound - self.fairness)
        return gap if gap > PROVEN else 0.0


class Dpfr(NamedTuple):
    """The point at the share ``alpha`` of the length of a front, and the ``distance`` of a run from it.

    All but alpha are nan where the front is not known.
    """

    alpha: float
    utility: float
    fairness: float
    distance: float


@dataclass(frozen=True, eq=False)
class QueryHeadroom:
    """The points of one query; its losses are its own, and so is the front of its ``dpfr``."""

    qid: str
    points: tuple[Point, ...]
    dpfr: Dpfr | None = None

    @property
    def distance(self) -> float:
        """How much fairer it could be at its own utility."""
        own = self.points[0]
        return next((abs(each.fairness - own.fairness) for each in self.points if each.loss == 0), nan)


@dataclass(frozen=True, eq=False)
class RunHeadroom:
    """The points of one run, as means over queries, and its front.

    Attributes:
        points: the run, and its fairer orders at each loss.
        front: [2, vertex]: utility and fairness. The lines between vertices are nowhere below what is attained in the
            mean.
        exact: whether its vertices are attained, and no order of a query was left out.
        queries: the points of each query.
        ways: how many queries were solved how: "lemma 1", "lemma 2", "lemma 3", "every order", "search", or "bound" if
            single orders have no utility.
        capped: searches that ended at a cap.
        left_out: queries without both values.
        dpfr: the distance from the front, if asked for.
    """

    run: str  # the name of the run
    points: tuple[Point, ...]
    front: Floats
    exact: bool
    queries: tuple[QueryHeadroom, ...]
    ways: Mapping[str, int]
    capped: int = 0
    left_out: tuple[str, ...] = ()
    dpfr: Dpfr | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Headroom(Answer):
    """The headroom of all runs, and the choices that made it.

    Attributes:
        all_runs: the front of the documents of all runs, with ``from_="runs"``.
        from_: the source of documents.
        each: whether no query may lose more than the loss.
        losses: the shares of utility that may be lost.
        dpfr: the share that was asked for.
    """

    utility: Quantity  # the measure of relevance
    fairness: Measure  # the measure of fairness
    runs: tuple[RunHeadroom, ...]  # the headroom of each run
    all_runs: RunHeadroom | None
    from_: DocumentsFrom
    each: bool
    losses: tuple[float, ...]
    result: Result  # the values of the runs themselves
    signature: Signature  # every choice that changes a number
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers
    dpfr: float | None = None  # the alpha that was asked for


LOSSES = (0.0, 0.01, 0.05)


@require_names
def headroom(
    runs: Any,
    *,
    qrels: JudgmentsLike | None = None,
    utility: str | Measure = "nDCG@10",
    fairness: str | Measure = "NFaiRR@10",
    loss: str | float | Iterable[float] = LOSSES,
    from_: DocumentsFrom = "run",
    candidates: int | None = None,
    each: bool = False,
    pin_unjudged: bool = False,
    dpfr: float | None = None,
    jobs: int | None = 1,
    **given: Unpack[Keywords],
) -> Headroom:
    """Compute how much fairer each run could be at no loss of utility, at some loss, and at any loss.

    Args:
        runs: as for ``evaluate``, with its inputs.
        qrels: as for ``evaluate``.
        utility: a measure that is better higher. Or "scores": DCG of the run's own scores, which needs no qrels, down
            to the cutoff of the fairness measure or that of "scores@20".
        fairness: a measure with a direction.
        loss: shares of utility that may be lost, like (0, 0.01) or "0,1%".
        from_: the source of documents: "run" its own, "background" these and those of the background, "runs" those of
            all runs.
        candidates: how many of the first documents of each run may be moved; the rest stays in place. None: all.
        each: no query may lose more than ``loss``. By default the mean over queries may not.
        pin_unjudged: unjudged documents stay in place. By default they count as grade 0.
        dpfr: a share of the length of each front from the highest utility, like 0.5: prints how far the run is
            from this point.
        jobs: how many processes read the runs.

    Raises:
        UsageError: a measure without a direction, or inputs that do not fit together.
        InputError: no query has both values; and what ``evaluate`` raises.
    """
    losses = _shares(loss)
    if from_ not in get_args(DocumentsFrom):
        raise UsageError(f"documents come from {from_!r}; choose run, background or runs")
    if dpfr is not None and not 0 <= dpfr <= 1:
        raise UsageError(f"dpfr is {dpfr:g}; it is a share of the front's length, from 0 (most utility) to 1 (fairest)")
    named = loading.name_rankings(runs)
    number = processes([thing for _, thing in named], jobs)
    keywords = {"qrels": qrels, **take_group(named, given)}
    search = Search.settle(keywords, utility, fairness, from_, candidates, pin_unjudged=pin_unjudged)
    problems, values, whole, result = search.cases(named, number)
    kept = Cached()
    several = []
    for problem, own, scores in zip(problems, values, result.scores, strict=True):
        found = solve(problem, own, kept)
        found = replace(found, fronts=found.bound_fronts(problem, own[0], losses))
        one = _of_run(scores.run, problem, own, found, losses, each=each)
        one = one if dpfr is None else with_dpfr(one, found.fronts, problem.fairness.better, dpfr)
        ordered = set(problem.qids)
        several.append(replace(one, left_out=tuple(qid for qid in scores.qids if qid not in ordered)))
    of_scores = OfScores(search.scores_cutoff)
    signature = _signature_of(search, of_scores, losses, each=each, dpfr=dpfr)
    return Headroom(
        utility=search.utility or of_scores,
        fairness=search.fairness,
        runs=tuple(several),
        all_runs=_of_all(whole, several, kept),
        from_=from_,
        each=each,
        losses=losses,
        result=result,
        signature=result.signature | signature,
        notes=search.evaluator.plan.notes,
        dpfr=dpfr,
    )


def _of_all(whole: Problem | None, several: Sequence[RunHeadroom], kept: Cached) -> RunHeadroom | None:
    """Give the front of the documents of all runs; None if there is none, or it takes too long."""
    if whole is None or not all(each.exact for each in several) or LEMMA_1 not in several[0].ways:
        return None
    own = np.zeros((2, len(whole.qids)))
    return _of_run("all runs", whole, own, solve(whole, own, kept), (), each=False)


def _signature_of(
    search: Search, of_scores: OfScores, losses: Sequence[float], *, each: bool, dpfr: float | None
) -> dict[str, str]:
    """Spell the choices that the signature of an evaluation lacks; one that was not made is empty."""
    return {
        "utility": str(search.utility or of_scores.spell),
        "fairness": str(search.fairness),
        "loss": ",".join(f"{share:.6g}" for share in losses),
        "from": search.from_,
        "candidates": str(search.candidates or ""),
        "each": "yes" if each else "",
        "pin-unjudged": "yes" if search.pin_unjudged else "",
        "dpfr": "" if dpfr is None else f"{dpfr:.6g}",
    }


def _shares(loss: str | float | Iterable[float]) -> tuple[float, ...]:
    """Read shares of utility, as numbers or with a per cent sign."""
    words = loss.split(",") if isinstance(loss, str) else [loss] if isinstance(loss, int | float) else list(loss)
    shares = []
    for word in words:
        text = str(word).strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = nan
        if not 0 <= share <= 1:
            raise UsageError(f"a loss is {text!r}; it is a share of the utility, like 0, 0.01 or 5%")
        shares.append(share)
    return tuple(sorted(set(shares)))


def _of_run(
    name: str, problem: Problem, own: Floats, found: Solved, losses: Sequence[float], *, each: bool
) -> RunHeadroom:
    """Choose the points of one run and of its queries: own [2, query] are utility and fairness as it is."""
    fronts, every = found.fronts, range(len(problem.qids))
    turn = -1.0 if problem.fairness.better != "higher" else 1.0
    least = np.array([*((1 - loss) * own[0] - ROUNDING for loss in losses), np.full(len(fronts), -np.inf)]).tolist()
    alone = [[front.fairest(low) for front, low in zip(fronts, lows, strict=True)] for lows in least]

    def points(rows: Sequence[int], chosen: Sequence[tuple[Sequence[int], float]]) -> tuple[Point, ...]:
        """Average over the queries, of which these are ``chosen`` at each loss and at any, with a bound of the sum."""
        whole = rows is every  # of which it is told how many ranks hold a group term
        utility, fairness = (float(values[rows].mean()) for values in own)
        tops = [np.arange(problem.lengths[row]) for row in rows]
        spoken = problem.share_with_terms(tops) if whole else nan
        made = [Point("run", utility, turn * fairness, turn * fairness, spoken=spoken)]
        if np.isfinite(found.same[rows]).all():
            same, most = (turn * float(values[rows].mean()) for values in (found.same, found.most_same))
            made.append(Point("same grades", utility, same, most))
        for loss, (places, bound) in zip((*losses, nan), chosen, strict=True):
            pairs = [(fronts[row], at) for row, at in zip(rows, places, strict=True)]
            utility = float(np.mean([front.utility[at] for front, at in pairs]))
            fairness = float(np.mean([front.fairness[at] for front, at in pairs]))
            spoken = problem.share_with_terms([front.tops[at] for front, at in pairs]) if whole else nan
            high = turn * max(bound / len(pairs), fairness)
            is_most = isnan(loss)
            told = not is_most or bool(found.told[rows].all())
            made.append(Point("most" if is_most else "loss", utility, turn * fairness, high, loss, spoken, told))
        return tuple(made)

    together: list[tuple[Sequence[int], float]] = [
        ([at for at, _ in several], sum(most for _, most in several)) for several in alone
    ]
    if not each:
        spent = [spend(fronts, (1 - loss) * float(own[0].sum())) for loss in losses]
        together[:-1] = [(one.points.tolist(), one.bound) for one in spent]
    start, edges, *_ = merge_hulls(fronts, found=True)
    line = start[:, None] + np.cumsum(np.pad(edges, ((0, 0), (1, 0))), axis=1)
    of_queries = [points([row], [([several[row][0]], several[row][1]) for several in alone]) for row in every]
    return RunHeadroom(
        run=name,
        points=points(every, together),
        front=line * [[1.0], [turn]] / len(every),
        exact=all(front.ends is None for front in fronts),
        ways={way: many for way in WAYS if (many := found.ways.count(way))},
        capped=len(found.capped),
        queries=tuple(QueryHeadroom(qid, of) for qid, of in zip(problem.qids, of_queries, strict=True)),
    )


def with_dpfr(run: RunHeadroom, fronts: Sequence[Front], better: Better, alpha: float) -> RunHeadroom:
    """Measure the distances of a run, of whose queries these are the ``fronts``; ``better`` says which fairness is.

    Of queries the hull is taken, too, as of their mean: so a run of one query is as far as the query is.
    """
    turn = 1.0 if better == "higher" else -1.0  # fronts have it so that more is better
    known = all(front.is_known for front in fronts)
    of_queries = [
        replace(query, dpfr=_from(query.points[0], _turned(front, turn) if front.is_known else None, alpha))
        for query, front in zip(run.queries, fronts, strict=True)
    ]
    return replace(run, dpfr=_from(run.points[0], run.front if known else None, alpha), queries=tuple(of_queries))


def _turned(front: Front, turn: float) -> Floats:
    utility, fairness = front.hull()
    return np.stack([utility, turn * fairness])


def _from(own: Point, front: Floats | None, alpha: float) -> Dpfr:
    if front is None:
        return Dpfr(alpha, nan, nan, nan)
    utility, fairness = point_at(front, alpha)
    return Dpfr(alpha, utility, fairness, hypot(own.utility - utility, own.fairness - fairness))

"""What the values of a run are over the orders of its tied documents: in closed form, or from the orders themselves."""

from collections.abc import Sequence

import numpy as np

from fairtrec import evaluation
from fairtrec.data import NOTHING, Bools, Floats, Ints, Run
from fairtrec.evaluation import Scores
from fairtrec.inputs import Given, Inputs
from fairtrec.measure import Measure
from fairtrec.measures.utility import Judge, Utility
from fairtrec.ties import Blocks, Ties, orders

OF_RUN = {"ranked", "relevance", "membership", "positions"}  # the inputs that tell one order from another
SEED = 2008


def intervals(run: Run, scores: Scores, given: Given, depth: int | None) -> Ties:
    """Find the least, greatest and expected values of a run that was scored.

    ``run`` holds what is tied across ``depth``, where rankings are cut, or across the deepest rank that is looked at.
    """
    measures, qids = scores.measures, scores.qids
    blocks = Blocks.of(run, run.top(qids, None))
    reaches = [_reach(measure, given, depth) for measure in measures]
    same = blocks.number[:, 1:] == blocks.number[:, :-1]
    reading = [bool(OF_RUN & set(measure.needs)) for measure in measures]
    tied = np.array([same[:, :reach].any(axis=1) for reach in reaches]) & np.array(reading)[:, None]
    tied &= ~np.isnan(scores.values)
    found = np.repeat(scores.values[None], 3, axis=0)
    for row in np.flatnonzero(tied.any(axis=1)):
        closed = _closed(run, measures[row], qids, given, depth)
        closed[:, _cut_through(blocks, depth, reaches[row])] = np.nan
        found[:, row, tied[row]] = closed[:, tied[row]]
    left = tied & np.isnan(found[0])
    drawn = np.zeros_like(left)
    for reach in dict.fromkeys(reach for reach, some in zip(reaches, left.any(axis=1), strict=True) if some):
        rows = [row for row, other in enumerate(reaches) if other == reach and left[row].any()]
        columns = np.flatnonzero(left[rows].any(axis=0))
        asked, names = [measures[row] for row in rows], [qids[column] for column in columns]
        tried, complete = _tried(run, asked, names, given, depth if reach is None else reach)
        here = np.ix_(rows, columns)
        found[(slice(None), *here)] = np.where(left[here], tried, found[(slice(None), *here)])
        drawn[here] = left[here] & ~complete
    least, greatest = np.fmin(found[0], scores.values), np.fmax(found[1], scores.values)  # they differ by rounding
    return Ties(least, greatest, found[2].clip(least, greatest), tied.sum(axis=1), drawn.sum(axis=1))


def _reach(measure: Measure, given: Given, depth: int | None) -> int | None:
    """Tell down to which rank of the run a measure may look; None is its end."""
    if given.documents is not None and given.documents.missing == "skip":  # ranks close up
        return depth
    return min((one for one in (measure.depth, depth) if one is not None), default=None)


def _cut_through(blocks: Blocks, depth: int | None, reach: int | None) -> Bools:
    """Tell which rankings [query] are cut, at ``depth``, through a block that a measure looks at."""
    if depth is None or blocks.number.shape[1] <= depth:
        return np.zeros(len(blocks.number), dtype=np.bool_)
    through = blocks.number[:, depth] == blocks.number[:, depth - 1]
    cut: Bools = through & (depth - 1 - blocks.place[:, depth - 1] < (depth if reach is None else reach))
    return cut


def _closed(run: Run, measure: Measure, qids: Sequence[str], given: Given, depth: int | None) -> Floats:
    """Give the interval of a measure [3, query] that says what it makes of its ranks; nan elsewhere."""
    inputs = Inputs(run, qids, given, depth)
    terms = measure.over_ranks(**inputs.named(measure.over_ranks_on))
    if terms is None:
        return np.full((3, len(qids)), np.nan)
    lines = run.top(qids, depth) if "positions" in measure.needs else inputs.lines
    return terms.interval(Blocks.of(run, lines))


def _tried(
    run: Run, measures: Sequence[Measure], qids: Sequence[str], given: Given, depth: int | None
) -> tuple[Floats, Bools]:
    """Evaluate orders of each query's first ``depth`` documents: the interval [3, measure, query], and if all were.

    An order for which a measure is undefined is left out of its interval.
    """
    lines = run.top(qids, None)
    numbers = [row[there] for row, there in zip(Blocks.of(run, lines).number, lines != NOTHING, strict=True)]
    several = [orders(number, depth, (SEED, *qid.encode())) for number, qid in zip(numbers, qids, strict=True)]
    utility = [measure for measure in measures if isinstance(measure, Utility)]
    judge = Judge(utility, given.qrels) if utility and given.qrels is not None else None
    least, greatest = np.full((2, len(measures), len(qids)), np.nan)
    total, defined = np.zeros((2, len(measures), len(qids)))
    while several_next := [(at, order) for at, (each, _) in enumerate(several) if (order := next(each, None)) is not None]:
        at = [number for number, _ in several_next]
        permuted = _permuted(run, [qids[number] for number in at], [lines[n, order[:depth]] for n, order in several_next])
        values = _values(permuted, measures, permuted.qids, given, judge)
        least[:, at], greatest[:, at] = np.fmin(least[:, at], values), np.fmax(greatest[:, at], values)
        total[:, at] += np.nan_to_num(values)
        defined[:, at] += ~np.isnan(values)
    return np.stack([least, greatest, total / defined]), np.array([complete for _, complete in several])


def _permuted(run: Run, qids: Sequence[str], rankings: Sequence[Ints]) -> Run:
    """Rank lines of a run as these rankings do."""
    lines = np.concatenate(rankings)
    starts = np.concatenate(([0], np.cumsum([len(ranking) for ranking in rankings])))
    return Run(run.name, run.tag, tuple(qids), starts, run.docnos[lines], run.scores[lines])


def _values(
    run: Run, measures: Sequence[Measure], qids: Sequence[str], given: Given, judge: Judge | None
) -> Floats:
    own = [measure for measure in measures if not isinstance(measure, Utility)]
    inputs = Inputs(run, qids, given, evaluation.depth_of(own))
    values = np.full((len(measures), len(qids)), np.nan)
    utility = [row for row, measure in enumerate(measures) if isinstance(measure, Utility)]
    if utility and judge is not None:
        values[utility] = judge.values(run, qids)
    for row, measure in enumerate(measures):
        if not isinstance(measure, Utility):
            values[row] = measure(**inputs.named(measure.needs))
    return values

"""Other rankings of the same run: what the value is without a document, of the first ranks alone, after an exchange."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from fairtrec.commands.explain.cases import Case
from fairtrec.commands.explain.explanation import NEAR, Exchange
from fairtrec.commands.explain.split import find_scale, find_terms, wide
from fairtrec.data import MISSING, Ints
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.measure_values import compute_measures
from fairtrec.measure import badness

SAME = ("background", "collection", "target", "_judged", "judged_membership", "_judged_rows")  # whatever the order
MOST = 2_000  # exchanges that are tried, where only trying tells what they do


def rankings(case: Case, inputs: Inputs) -> list[Ints]:
    """Give the lines of the run that each query ranks, without unknown documents behind those that the value sees."""
    known, lines = case.find_known(inputs), inputs.lines
    seen = np.arange(lines.shape[1]) < (case.measure.depth or lines.shape[1])
    return [row[(row != MISSING) & (seen | sure)] for row, sure in zip(lines, known, strict=True)]


def prefixes(case: Case) -> list[list[float]]:
    """Evaluate, for each query, its first document alone, its first two, and so on down to where the measure sees."""
    several = rankings(case, case.inputs)
    return evaluate_rankings(case, [[lines[:many] for many in range(1, len(lines) + 1)] for lines in several])


def evaluate_without_documents(case: Case) -> list[list[float]]:
    """Evaluate, for each query, its ranking without each of the documents that the measure sees."""
    several = zip(rankings(case, case.deeper_inputs), case.docnos, strict=True)
    return evaluate_rankings(case, [[np.delete(lines, rank) for rank in range(len(seen))] for lines, seen in several])


def exchanges(case: Case, candidates: int) -> tuple[list[Exchange | None], bool]:
    """Find, for each query, the two documents whose change of places betters the value most, if any do.

    Those behind so many ``candidates`` take part only if the cutoff is behind them. Says too whether all exchanges were
    looked at.
    """
    if case.measure.better == "neither" or not case.measure.ordered:
        return [None] * len(case.qids), True
    far = max(candidates, case.measure.depth or 0)
    closed = _closed(case, far)
    if closed is not None:
        return closed, True
    several = rankings(case, case.deeper_inputs)
    pairs = [_pairs(len(seen), min(len(lines), far)) for lines, seen in zip(several, case.docnos, strict=True)]
    every = list(zip(several, pairs, strict=True))
    found = evaluate_rankings(case, [[_exchanged(lines, *pair) for pair in each[:MOST]] for lines, each in every])
    best = [_best(case, at, each[:MOST], found[at], lines) for at, (lines, each) in enumerate(every)]
    return best, all(len(each) <= MOST for each in pairs)


def evaluate_rankings(case: Case, asked: Sequence[Sequence[Ints]]) -> list[list[float]]:
    """Evaluate rankings, lines of the run, of each query; one of each at a time."""
    values: list[list[float]] = [[] for _ in asked]
    same: dict[tuple[str, ...], dict[str, Any]] = {}
    for each in zip_longest(*asked):
        together = {at: lines for at, lines in enumerate(each) if lines is not None}
        qids = tuple(case.qids[at] for at in together)
        inputs = Inputs(case.run.reorder(qids, list(together.values())), qids, case.context, case.measure.depth)
        vars(inputs).update(same.get(qids, {}))
        (row,) = compute_measures(inputs, (case.measure,)).tolist()
        same = {qids: {name: vars(inputs)[name] for name in SAME if name in vars(inputs)}}
        for at, value in zip(together, row, strict=True):
            values[at].append(value)
    return values


def _pairs(seen: int, many: int) -> list[tuple[int, int]]:
    return [(upper, lower) for lower in range(1, many) for upper in range(min(seen, lower))]


def _exchanged(lines: Ints, upper: int, lower: int) -> Ints:
    changed = lines.copy()
    changed[[upper, lower]] = lines[[lower, upper]]
    return changed


def _best(
    case: Case, at: int, pairs: Sequence[tuple[int, int]], values: Sequence[float], lines: Ints
) -> Exchange | None:
    """Choose the exchange that betters the value of a query most; of several alike the first."""
    old = case.values[at]
    if np.isnan(old) or not pairs:
        return None
    after = np.array(values)
    gain = badness(np.array([old]), case.measure.better) - badness(after, case.measure.better)
    gain = np.where(np.isnan(gain), -np.inf, gain).round(NEAR)
    place = int(np.argmax(gain))
    if not gain[place] > 0:
        return None
    upper, lower = lines[list(pairs[place])].tolist()
    rank = {line: number for number, line in enumerate(case.deeper_inputs.lines[at].tolist(), 1)}
    docnos = (case.run.docnos[upper].decode(), case.run.docnos[lower].decode())
    return Exchange((rank[upper], rank[lower]), docnos, float(after[place] - old))


def _closed(case: Case, far: int) -> list[Exchange | None] | None:
    """Find the best exchanges of a measure that is a sum over ranks, from what each rank adds."""
    terms, further = find_terms(case, case.inputs), case.deeper_inputs
    deep = find_terms(case, further)
    if terms is None or deep is None:
        return None
    ranks = further.lines.shape[1]
    scale = find_scale(terms, ranks)
    gains = wide(deep.gains, ranks)
    lines = further.lines
    seen = case.inputs.lines.shape[1]
    usable = (lines != MISSING) & ((np.arange(ranks) < seen) | case.find_known(further)) & ~np.isnan(gains)
    found: list[Exchange | None] = []
    for at in range(len(case.qids)):
        (places,) = np.nonzero(usable[at, :far])
        pairs = [(one, other) for other in places.tolist() for one in places.tolist() if one < min(seen, other)]
        upper, lower = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        change = (scale[at, upper] - scale[at, lower]) * (gains[at, lower] - gains[at, upper])
        found.append(_best(case, at, pairs, (case.values[at] + change).tolist(), lines[at]))
    return found

"""What documents and orders of them are worth, where a measure is a sum over ranks, or goes by what is relevant."""

import numpy as np

from fairtrec.data import Floats, Ints
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import First, Precisions, Sum, Terms
from fairtrec.reranking.orders.problem import Problem


def of_gains(useful: Terms, row: int, gains: Floats | Ints) -> Floats:
    """Say what First or Precisions, or a Sum of these gains [sequence, rank], makes of one query [sequence]."""
    ranks = gains.shape[1]
    if isinstance(useful, Sum):
        weights = (useful.weights if useful.weights.ndim == 1 else useful.weights[row])[:ranks]
        total: Floats = gains[:, : len(weights)] @ weights
        return total
    relevant = gains > 0
    if isinstance(useful, First):
        worth = np.zeros(ranks + 1)
        worth[:ranks][: len(useful.worth)] = useful.worth[:ranks]
        first: Floats = worth[np.where(relevant.any(axis=1), relevant.argmax(axis=1), ranks)]
        return first
    assert isinstance(useful, Precisions)
    precisions = relevant * np.cumsum(relevant, axis=1) / np.arange(1, ranks + 1)
    averaged: Floats = precisions[:, : useful.cutoff].sum(axis=1) / float(useful.divisor[row])
    return averaged


def gains_of(row: int, useful: Terms | None) -> Floats | None:
    """Say what the documents of a query gain, if utility grows wherever a greater gain comes before a smaller one."""
    if isinstance(useful, First | Precisions):
        return np.asarray(useful.relevant[row], dtype=np.float64)
    falls = isinstance(useful, Sum) and (np.diff(useful.weights, axis=-1) <= 0).all() and (useful.weights >= 0).all()
    return divided(useful)[row] if isinstance(useful, Sum) and falls else None


def divided(terms: Sum) -> Floats:
    """Give the gains over the divisor [query, document]."""
    return terms.gains if terms.divisor is None else quotient(terms.gains, np.asarray(terms.divisor)[:, None])


def of_ranks(problem: Problem, weights: Floats) -> Floats:
    """Give the weights of each query's ranks [query, rank]; 0 where nothing counts, or the ranking has ended."""
    wide = np.zeros((len(problem.qids), int(problem.lengths.max(initial=0))))
    held = np.broadcast_to(weights, (len(problem.qids), weights.shape[-1]))[:, : wide.shape[1]]
    wide[:, : held.shape[1]] = held
    return np.where(np.arange(wide.shape[1]) < problem.lengths[:, None], wide, 0.0)


def dot(values: Floats, weights: Floats) -> float:
    """Sum the values [place] times the weights [rank]."""
    return float(np.nan_to_num(values) @ weights[: len(values)])

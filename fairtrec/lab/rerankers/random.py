"""Random, RandomSwap and PlackettLuce: rankings of chance, as baselines and as samples for expected exposure."""

from dataclasses import dataclass

import numpy as np

from fairtrec.formulas.elementary import log
from fairtrec.lab.reranker import MISSING, Chance, Floats, Ints, Order, Reranker

LEAST = np.finfo(np.float64).smallest_subnormal


def by_falling(keys: Floats, lengths: Ints) -> Order:
    """Order the documents of each query by falling keys [query, rank]."""
    at = np.arange(keys.shape[1])
    there = at < lengths[:, None]
    order = np.argsort(np.where(there, -keys, np.inf), axis=1, kind="stable")
    return Order(np.where(there, order, MISSING))


class Random(Reranker):
    """What does chance give?

    Every order of a query's documents is as likely as any other.

    Groups: none.
    Chance: the whole order; --seed, and --rankings for several.
    Edges: none.
    Source: the uniform distribution over orders.
    """

    def __call__(self, lengths: Ints, chance: Chance) -> Order:
        """Return the order [query, place]."""
        return by_falling(chance.uniform(int(lengths.max(initial=0))), lengths)


@dataclass(frozen=True)
class PlackettLuce(Reranker):
    """What if each document were drawn with a probability given by its score?

        P(d is next) = exp(score_d / temperature) / sum over the documents d' left of  exp(score_d' / temperature)

    This is computed as falling score / temperature + Gumbel noise. The higher the temperature, the closer to Random.

    Groups: none.
    Chance: the whole order; --seed, and --rankings for several.
    Edges: scores are those of the run, unscaled; with --order rank they are minus the rank.
    Source: Diaz, Mitra, Ekstrand, Biega, Carterette: Evaluating Stochastic Rankings with Expected Exposure. CIKM 2020.
    https://doi.org/10.1145/3340531.3411962
    """

    temperature: float = 1.0

    limits = (("temperature", LEAST, np.inf, "temperature is {temperature}; it must be above 0"),)

    def __call__(self, scores: Floats, lengths: Ints, chance: Chance) -> Order:
        """Return the order [query, place]."""
        uniform = np.maximum(chance.uniform(scores.shape[1]), LEAST)
        with np.errstate(over="ignore"):
            keys = scores / self.temperature - log(-log(uniform))
        return by_falling(keys, lengths)


@dataclass(frozen=True)
class RandomSwap(Reranker):
    """What if ranks were sometimes exchanged with later ones?

        for i = 1, 2, ..., n - 1: with probability eps the documents at rank i and at a rank drawn from i+1..n change
        places

    Groups: none.
    Chance: whether, and with which rank; --seed, and --rankings for several.
    Edges: eps=0 keeps the order; a ranking of one document stays as it is.
    Source: Feng, Shah: Has CEO Gender Bias Really Been Fixed? Adversarial Attacking and Improving Gender Fairness in
    Image Search. AAAI 2022. https://doi.org/10.1609/aaai.v36i11.21445
    """

    eps: float = 0.5

    limits = (("eps", 0, 1, "eps is {eps}; a probability lies between 0 and 1"),)

    def __call__(self, lengths: Ints, chance: Chance) -> Order:
        """Return the order [query, place]."""
        width = int(lengths.max(initial=0))
        whether, which = np.moveaxis(chance.uniform(2 * width).reshape(len(lengths), width, 2), 2, 0)
        order = np.where(np.arange(width) < lengths[:, None], np.arange(width), MISSING)
        for rank in range(width - 1):
            left = lengths - rank - 1
            rows = np.flatnonzero((whether[:, rank] < self.eps) & (left > 0))
            other = rank + 1 + (which[rows, rank] * left[rows]).astype(np.int64)
            order[rows, rank], order[rows, other] = order[rows, other], order[rows, rank]
        return Order(order)

"""RBO: rank-biased overlap of two rankings, which may be of different lengths.

    RBO = (1 - p) * sum over depths d = 1, 2, ... of  p^(d - 1) * X_d / d

X_d is the overlap: how many documents the two have in common above depth d. A reader looks at each next rank with the
probability p. Beyond the ends of the rankings nothing is known, so there are four forms:

    ext    extrapolated: the agreement at the end goes on (the default)
    min    the least that RBO can be: no document in common beyond the ends
    res    the residual: the most that it can be, less the least
    trunc  truncated: what the depths up to the end of the longer ranking add

Unit: none, a probability-weighted share. Range: [0, 1]; identical rankings have an ext of 1, disjoint ones of 0.
Undefined (nan): both rankings are empty. One empty ranking: nothing in common, so ext, min and trunc are 0.

Source: Webber, Moffat, Zobel: A Similarity Measure for Indefinite Rankings. ACM TOIS 28(4), 2010: Eq. 11 (min), 30 and
32 (ext, of even and uneven lists), section 4.3 and its appendix (res). https://doi.org/10.1145/1852102.1852106
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np

from fairtrec.data import MISSING, Floats, Ints
from fairtrec.formulas import ranks
from fairtrec.formulas.elementary import log1p, powers
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Extrapolation

FORMS: tuple[Extrapolation, ...] = get_args(Extrapolation)


def rbo(first: Ints, second: Ints, p: float = 0.9, form: Extrapolation = "ext", counts: Ints | None = None) -> Floats:
    """Compare rankings [query, rank] of document numbers, best first; MISSING (-1) stands behind the last of each row.

    ``counts`` is their ``overlap``, if it is known.

    >>> a, b = np.array([[0, 1, 2, 3, 4]]), np.array([[1, 0, 2, 5, 3]])  # abcde, bacfd
    >>> rbo(a, b).round(6).tolist(), rbo(a, b, form="min").round(12).tolist()
    ([0.750555], [0.488146152442])

    Raises UsageError for a p that is not between 0 and 1, and an unknown form.
    """
    lengths = (first != MISSING).sum(axis=1), (second != MISSING).sum(axis=1)
    return rbo_of_counts(overlap(first, second) if counts is None else counts, *lengths, p, form)


def refuse_wrong(p: float, form: Extrapolation) -> None:
    """Raise UsageError for a p that is not between 0 and 1, and an unknown form."""
    if not np.finfo(np.float64).tiny <= p < 1:
        raise UsageError(f"p is {p}; it is the probability of looking at the next rank, so between 0 and 1")
    if form not in FORMS:
        raise UsageError(f"there is no form {form} of RBO; take {', '.join(FORMS)}")


def rbo_of_counts(
    counts: Ints, first_length: Ints, second_length: Ints, p: float = 0.9, form: Extrapolation = "ext"
) -> Floats:
    """Compare rankings by their ``overlap`` [query, depth] and how many documents each of both has [query].

    >>> rbo_of_counts(np.array([[0, 2, 2]]), np.array([3]), np.array([2]), form="min").round(6).tolist()
    [0.311686]

    Raises UsageError for a p that is not between 0 and 1, and an unknown form.
    """
    refuse_wrong(p, form)
    pair = _Pair.compare(first_length, second_length, counts, p)
    value = {"ext": pair.ext, "min": pair.least_overlap, "res": pair.residual, "trunc": pair.truncated}[form]()
    result: Floats = np.where(pair.long > 0, value.clip(0.0, 1.0), np.nan)  # rounding may step over the ends
    return result


def overlap(first: Ints, second: Ints) -> Ints:
    """Count the documents that two rankings have in common above each depth from 1 [query, depth].

    >>> overlap(np.array([[0, 1, 2]]), np.array([[1, 0, -1]])).tolist()
    [[0, 2, 2]]
    """
    documents = np.concatenate((first, second), axis=1)
    queries, depth = len(first), max(first.shape[1], second.shape[1])
    ranks = np.concatenate((np.arange(first.shape[1]), np.arange(second.shape[1])))
    order = np.argsort(documents, axis=1, kind="stable")
    documents = np.take_along_axis(documents, order, axis=1)
    common = (documents[:, 1:] == documents[:, :-1]) & (documents[:, 1:] != MISSING)
    both = np.maximum(ranks[order[:, 1:]], ranks[order[:, :-1]])  # the rank from which both have a document
    places = (np.arange(queries)[:, None] * depth + both)[common]
    return np.asarray(np.bincount(places, minlength=queries * depth).reshape(queries, depth).cumsum(axis=1))


@dataclass(frozen=True, eq=False)
class _Pair:
    """What the forms are made of, all [query] but ``shares`` [query, depth], which are X_d / d * p^d."""

    p: float
    short: Ints
    long: Ints
    at_short: Ints  # the overlap at the end of the shorter ranking
    at_long: Ints
    weights: Floats  # [depth] p^d / d, from depth 1 to twice the longest
    shares: Floats

    @classmethod
    def compare(cls, first_length: Ints, second_length: Ints, counts: Ints, p: float) -> "_Pair":
        short, long = np.minimum(first_length, second_length), np.maximum(first_length, second_length)
        depths = np.arange(1, 2 * counts.shape[1] + 1)
        weights = powers(p, 2 * counts.shape[1] + 1)[1:] / depths
        inside = depths[: counts.shape[1]] <= long[:, None]
        shares = np.where(inside, counts * weights[: counts.shape[1]], 0.0)
        ends = np.concatenate((np.zeros((len(counts), 1), dtype=np.int64), counts), axis=1)
        rows = np.arange(len(counts))
        return cls(p, short, long, ends[rows, short], ends[rows, long], weights, shares)

    def sum_between(self, start: Ints, end: Ints) -> Floats:
        """Sum p^d / d over the depths behind ``start`` up to ``end``."""
        sums = np.concatenate(([0.0], np.cumsum(self.weights)))
        return np.asarray(sums[end] - sums[start])

    def ext(self) -> Floats:
        """Extrapolate the agreement: Eq. 32, which is Eq. 30 where the rankings are of one length."""
        share = self.at_short / self.short.clip(min=1)  # 0 for an empty ranking
        table = powers(self.p, int(self.long.max(initial=0)) + 2)
        # X_s (d - s) / (s d) p^d, summed over s < d <= l
        beyond = (table[self.short + 1] - table[self.long + 1]) / (1 - self.p)
        filled = share * (beyond - self.short * self.sum_between(self.short, self.long))
        end = (self.at_long - self.at_short) / self.long.clip(min=1) + share
        return np.asarray((1 - self.p) / self.p * (ranks.total(self.shares) + filled) + end * table[self.long])

    def least_overlap(self) -> Floats:
        """Let the rankings have nothing more in common: Eq. 11, to the end of the longer one."""
        rest = -float(log1p(np.array(-self.p))) - self.sum_between(
            np.zeros_like(self.long), self.long
        )  # of p^d / d beyond the end
        return np.asarray((1 - self.p) / self.p * (ranks.total(self.shares) + self.at_long * rest))

    def residual(self) -> Floats:
        """Let them have as much more in common as can be: the overlap grows by up to two at each depth, until it is d.

        The agreement is complete from depth f = l + s - X_l on.
        """
        full = self.long + self.short - self.at_long
        rest = -float(log1p(np.array(-self.p))) - self.sum_between(np.zeros_like(full), full)
        unseen = self.short * self.sum_between(self.short, full) + self.long * self.sum_between(self.long, full)
        table = powers(self.p, int(full.max(initial=0)) + 1)
        known = table[self.short] + table[self.long] - table[full]
        return np.asarray(known - (1 - self.p) / self.p * (unseen + self.at_long * rest))

    def truncated(self) -> Floats:
        return np.asarray((1 - self.p) / self.p * ranks.total(self.shares))

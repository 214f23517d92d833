"""Selection rates of groups, their ratios, and what these could be if unknown candidates had groups.

Source: Uniform Guidelines on Employee Selection Procedures, 29 CFR 1607.4 D.
https://www.ecfr.gov/current/title-29/part-1607/section-1607.4
"""

from typing import NamedTuple

import numpy as np

from fairtrec.data import Bools, Floats
from fairtrec.formulas.distribution import add_groups, quotient


class CandidateCounts(NamedTuple):
    """How many candidates there are, and how many are selected: of each group [group], of none, of unknown group."""

    selected: Floats
    candidates: Floats
    known: float  # candidates of known group; one of several groups counts once
    none_selected: float
    none: float
    unknown_selected: float
    unknown: float

    @classmethod
    def read(cls, sums: Floats) -> "CandidateCounts":
        """Read the sums [term] over queries, of which ``count_candidates`` gives the terms."""
        groups = (len(sums) - 5) // 2
        return cls(sums[:groups], sums[groups : 2 * groups], *sums[2 * groups :].tolist())

    @staticmethod
    def split(parts: Floats) -> tuple[Floats, Floats]:
        """Split sums of clusters [cluster, term]: the selected ones, and the candidates [cluster, group]."""
        groups = (parts.shape[1] - 5) // 2
        return parts[:, :groups], parts[:, groups : 2 * groups]

    @property
    def rates(self) -> Floats:
        """The selection rate of each group [group]; nan if it has no candidate."""
        return quotient(self.selected, self.candidates)

    @property
    def shares(self) -> Floats:
        """The share of each group [group] in the candidates of known group; nan if there are none."""
        return quotient(self.candidates, self.known)

    def find_compared(self, min_share: float) -> Bools:
        """Tell which groups [group] have candidates, and at least this share of them."""
        return np.asarray((self.candidates > 0) & (self.shares >= min_share))

    def compute_ratios(self, min_share: float) -> Floats:
        """Divide the rate of each compared group by the greatest [group].

        nan if a group is not compared, and for all groups if fewer than two are, or if none is selected.

        >>> found = CandidateCounts(np.array([1.0, 4.0, 0.0]), np.array([4.0, 8.0, 0.0]), 12.0, 0.0, 0.0, 0.0, 0.0)
        >>> found.compute_ratios(0.0).tolist()
        [0.5, 1.0, nan]
        """
        compared = self.find_compared(min_share)
        rates = np.where(compared, self.rates, np.nan)
        greatest = np.fmax.reduce(rates) if compared.sum() > 1 else 0.0
        return quotient(rates, greatest)

    def bound_rates(self) -> tuple[Floats, Floats]:
        """Compute the least and the greatest rate of each group [group], if unknown candidates can be of any group.

        >>> found = CandidateCounts(np.array([1.0, 2.0]), np.array([2.0, 4.0]), 6.0, 0.0, 0.0, 1.0, 3.0)
        >>> [ends.tolist() for ends in found.bound_rates()]
        [[0.25, 0.3333333333333333], [0.6666666666666666, 0.6]]
        """
        taken, left = self.unknown_selected, self.unknown - self.unknown_selected
        least = quotient(self.selected, self.candidates + left)
        return least, quotient(self.selected + taken, self.candidates + taken)

    def bound_least_ratio(self, min_share: float, *, may_be_none: bool) -> tuple[float, float, bool]:
        """Bound the least ratio of compared groups, and tell whether no labeling need attain its greatest value.

        The least value is that of the pair that can be furthest apart. The greatest is that of the pair that stays
        furthest apart if unknown candidates bring it together; each of several pairs may want other labels.
        """
        at = np.flatnonzero(self.find_compared(min_share))
        if np.isnan(self.compute_ratios(min_share)).all():
            return np.nan, np.nan, False
        low, high = (ends[at] for ends in self.bound_rates())
        apart = quotient(low[:, None], high[None, :])
        np.fill_diagonal(apart, np.nan)
        nearest = np.fmin(quotient(high[:, None], low[None, :], np.inf), 1.0)
        pairs = np.minimum(nearest, nearest.T)
        is_exact = len(at) == 2 == len(self.candidates) and not may_be_none and self._is_of_whole_numbers
        if is_exact and pairs[0, 1] == 1:
            return float(np.nanmin(apart)), self._bring_together(), False
        return float(np.nanmin(apart)), float(pairs.min()), self.unknown > 0 and (len(at) > 2 or pairs[0, 1] == 1)

    def bound_ratio(self, group: int, min_share: float) -> tuple[float, float, bool]:
        """Bound the ratio of one group to the greatest rate, and tell whether no labeling need attain the greatest."""
        if np.isnan(self.compute_ratios(min_share)[group]):
            return np.nan, np.nan, False
        others = np.flatnonzero(self.find_compared(min_share))
        others = others[others != group]
        low, high = self.bound_rates()
        least = min(1.0, float(np.fmin.reduce(quotient(low[group], high[others]))))
        greatest = min(1.0, float(quotient(high[group], low[others], np.inf).min()))
        return least, greatest, self.unknown > 0 and len(others) > 1

    @property
    def _is_of_whole_numbers(self) -> bool:
        """Whether each candidate counts once."""
        numbers = np.array([*self.selected, *self.candidates, self.unknown_selected, self.unknown])
        return bool((numbers == np.floor(numbers)).all())

    def _bring_together(self) -> float:
        """Give the least ratio of two groups that share all unknown candidates so that their rates are nearest.

        So many of the selected ones go to the first group [way], and of the others as many as bring the rates together,
        rounded down or up.
        """
        taken, left = self.unknown_selected, self.unknown - self.unknown_selected
        to_first = np.arange(taken + 1)
        first, second = self.selected[0] + to_first, self.selected[1] + taken - to_first
        of_first, of_second = self.candidates[0] + to_first, self.candidates[1] + taken - to_first + left
        equal = quotient(first * of_second - second * of_first, first + second, 0.0)
        best = 0.0
        for others in (np.floor(equal).clip(0, left), (np.floor(equal) + 1).clip(0, left)):
            one, other = quotient(first, of_first + others), quotient(second, of_second - others)
            best = max(best, float(np.nan_to_num(quotient(np.fmin(one, other), np.fmax(one, other))).max()))
        return best


def lay_candidates(membership: Floats, there: Bools) -> Floats:
    """Lay out what each rank adds to the counts [query, rank, term]: of each group, of any, of none, of unknown.

    ``membership`` [query, rank, group] is nan where it is unknown, and 0 where a candidate is of no group. The ranks
    that are ``there`` hold a candidate.

    >>> a, none, unknown = [1.0, 0.0], [0.0, 0.0], [np.nan, np.nan]
    >>> lay_candidates(np.array([[a, unknown, none]]), np.array([[True, True, True]])).tolist()
    [[[1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 0.0]]]
    """
    is_unknown = there & np.isnan(membership).any(axis=2)
    held = np.where((there & ~is_unknown)[..., None], np.nan_to_num(membership), 0.0)
    of_any = add_groups(held)
    is_none = there & ~is_unknown & (of_any == 0)
    rest = np.stack([each.astype(np.float64) for each in (of_any.clip(max=1.0), is_none, is_unknown)], axis=2)
    return np.concatenate([held, rest], axis=2)


def count_candidates(selected: Floats, candidates: Floats) -> Floats:
    """Order the counts of the selected and of all candidates [query, term], as ``CandidateCounts`` reads them.

    >>> count_candidates(np.array([[1.0, 1.0, 0.0, 1.0]]), np.array([[3.0, 3.0, 2.0, 4.0]])).tolist()
    [[1.0, 3.0, 3.0, 0.0, 2.0, 1.0, 4.0]]
    """
    groups = selected.shape[1] - 3
    pairs = np.stack([selected[:, -2:], candidates[:, -2:]], axis=2).reshape(len(selected), 4)
    return np.concatenate([selected[:, :groups], candidates[:, : groups + 1], pairs], axis=1)

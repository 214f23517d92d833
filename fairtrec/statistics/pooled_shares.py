"""How gold labels of drawn documents correct the groups' shares of an exposure that is summed over queries.

W_d is the exposure of a document in all queries, E_a that of a group by the instrument, S the drawn documents, e_d the
membership by gold less that by the instrument, B = sum over S of W_d / p_d, and T the sum of all W_d:

    m_a = sum over S of (W_d / p_d) e_da / B,   C_a = E_a + T m_a,   s = C_f / sum over groups of C_a
    l(y) = (y_f - s sum over groups of y_a) / sum of C
    r_d = (T / B) (W_d / p_d) (l(e_d) - l(m)),   a_d = (W_d / sum of C) / p_d

r and a make the standard error of s as for a sum over documents (estimate.py). The interval is cut at 0 and 1. A value
that is a function of s has the image of this interval: with two groups AWRF is greatest where s is the target, and
falls to either side, where its slope is 0, so the delta method is too narrow there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, number_rows
from fairtrec.formulas.rounding import NEAR
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.statistics.gold_estimates import DrawnDocuments

TWO = 2  # groups, of which one share tells both


class CorrectedPool(NamedTuple):
    """A pooled value that gold labels have corrected, and its interval; nan where there is none.

    ``gold`` documents were labeled of those that it rests on, of which ``differ`` do.
    """

    corrected: float = nan
    low: float = nan
    high: float = nan
    gold: int = 0
    differ: int = 0


@dataclass(frozen=True, eq=False)
class DrawnShares:
    """The exposure of groups in each query, and the ranks at which drawn documents stand.

    ``exposure`` and ``due`` [query, group] are by the instrument, ``total`` [query] is the exposure of all ranks. An
    entry is one rank: its ``query``, the ``document`` by its row in the sheet, its ``weights``, and these times the
    errors of the instrument, ``errors`` [entry, group]. ``probability`` and ``untold`` [document] are of the sheet.
    ``target`` [group] is the same in all queries; None leaves the value without an interval. ``value``, ``at`` and
    ``whole`` are as of a measure's PooledShares.
    """

    exposure: Floats
    due: Floats
    total: Floats
    query: Ints
    document: Ints
    weights: Floats
    errors: Floats
    probability: Floats
    untold: Bools
    target: Floats | None
    value: Callable[[Floats, Floats], float]
    at: int | None
    whole: bool

    def keep_queries(self, queries: Sequence[int]) -> "DrawnShares":
        """Keep some of the queries, by number."""
        place = number_rows(queries, len(self.total))
        kept = place[self.query] != MISSING
        return replace(
            self,
            exposure=self.exposure[list(queries)],
            due=self.due[list(queries)],
            total=self.total[list(queries)],
            query=place[self.query[kept]],
            document=self.document[kept],
            weights=self.weights[kept],
            errors=self.errors[kept],
        )

    def correct(self, frequency: Floats, confidence: float) -> CorrectedPool | None:
        """Correct the value of queries of this ``frequency`` [query]; None if no drawn document is looked at."""
        weights, errors = self._sum(frequency)
        if not weights.any():
            return None
        total = float(weighted_sum(self.total[None, :], frequency)[0])
        exposure = np.array([float(weighted_sum(each[None, :], frequency)[0]) for each in self.exposure.T])
        inflated = weights / self.probability
        mean = (errors / self.probability[:, None]).sum(axis=0) / inflated.sum()
        held = exposure + total * mean
        whole = total if self.whole else float(held.sum())
        number = int((weights > 0).sum())
        differ = int((np.abs(errors).max(axis=1) > NEAR * weights).sum())
        if not whole > 0:
            return CorrectedPool(gold=number, differ=differ)
        shares = held / whole
        target = self._find_target(frequency)
        corrected = self.value(shares, target)
        if self.target is None or len(shares) != TWO:
            return CorrectedPool(corrected, gold=number, differ=differ)
        at = self.at or 0
        low, high = self._find_ends(shares, at, whole, weights, errors, total, confidence)
        ends = self._map(low, high, at, target)
        return CorrectedPool(corrected, min(ends), max(ends), number, differ)

    def drawn(self, frequency: Floats) -> DrawnDocuments:
        """Give the drawn documents with what they have in the exposure, to see whether they can have been drawn."""
        weights, _ = self._sum(frequency)
        none = np.zeros(len(weights))
        total = float(weighted_sum(self.total[None, :], frequency)[0])
        return DrawnDocuments(weights, none, none, weights, self.probability, self.untold, total)

    def _sum(self, frequency: Floats) -> tuple[Floats, Floats]:
        """Sum the weights [document], and the errors [document, group], over queries."""
        size, times = len(self.probability), frequency[self.query]
        weights = np.bincount(self.document, self.weights * times, size).astype(np.float64)
        errors = [np.bincount(self.document, each * times, size) for each in self.errors.T]
        return weights, np.stack(errors, axis=1).astype(np.float64)

    def _find_target(self, frequency: Floats) -> Floats:
        """Give the target [group]; one that differs between queries is that of the instrument."""
        if self.target is not None:
            return self.target
        due = np.array([float(weighted_sum(each[None, :], frequency)[0]) for each in np.nan_to_num(self.due).T])
        return due / due.sum() if due.sum() else np.full(len(due), nan)

    def _find_ends(
        self, shares: Floats, at: int, whole: float, weights: Floats, errors: Floats, total: float, confidence: float
    ) -> tuple[float, float]:
        """Give the interval of the share of the group ``at``."""
        of_all = 0.0 if self.whole else errors.sum(axis=1) * shares[at]
        linear = (errors[:, at] - of_all) / whole
        reaches, none = weights / whole, np.zeros(len(weights))
        untold = self.untold & (weights > 0)
        found = DrawnDocuments(weights, linear, none, reaches, self.probability, untold, total).estimate()
        assert found is not None
        low, high = found.find_interval(float(shares[at]), confidence)
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)

    def _map(self, low: float, high: float, at: int, target: Floats) -> list[float]:
        """Give the values at the ends of an interval of a share, and at the target if it lies within."""
        points = [low, high, *([float(target[at])] if low <= target[at] <= high else [])]
        return [self.value(np.array([share, 1 - share] if at == 0 else [1 - share, share]), target) for share in points]

"""The lean of a ranking from its documents' stances on an axis: where it comes from, and who gets the top.

Source: Kulshrestha et al.: Quantifying Search Bias. CSCW 2017, section 3. https://doi.org/10.1145/2998181.2998321
Gezici et al.: Evaluation Metrics for Measuring Bias in Search Engine Results. Information Retrieval Journal 2021.
https://doi.org/10.1007/s10791-020-09386-w
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairtrec.formulas import discount, ranks
from fairtrec.measure import ABOVE_0, BELOW_1, READING_ON, Bounds, Floats, Limits, Measure, SumOverRanks, UsageError


@dataclass(frozen=True)
class _OnAxis(Measure):
    """What all share: the axis that is looked at."""

    axis: int = 1
    limits: ClassVar[Limits] = (("axis", 1, np.inf, "the axis is {axis}; axes count from 1"),)

    def along(self, stances: Floats) -> Floats:
        """Give the stances [query, rank] on the axis. Raises UsageError where there is no such axis."""
        if self.axis > stances.shape[2]:
            raise UsageError(f"{self.name}: there is no axis {self.axis}; the stances have {stances.shape[2]}")
        return stances[:, :, self.axis - 1]


class InputBias(_OnAxis):
    """Which way do the documents lean that a ranking could choose from?

        InputBias = mean of x(d) over the documents d of the query's background set

    x(d) is the stance of d on the axis, [-1, 1] in the paper. ``axis`` counts the axes from 1.

    Unit: that of x. Better: neither, it describes the background. Empty ranking: does not matter.
    Range: that of x.
    Undefined: no background document has a stance.
    Source: Kulshrestha et al., CSCW 2017, section 3.3. https://doi.org/10.1145/2998181.2998321
    """

    better = "neither"

    def __call__(self, background_stances: Floats) -> Floats:
        """Return the mean stance of the background [query]."""
        return ranks.mean(self.along(background_stances))


@dataclass(frozen=True)
class OutputBias(_OnAxis):
    """Which way does a reader see a ranking lean, who stops at any of the first k ranks alike?

        B_i          = mean of x(d) over the first i documents
        OutputBias@k = mean of B_i over i = 1..min(k, length)

    x(d) is the stance of d on the axis, [-1, 1] in the paper. ``axis`` counts the axes from 1. Documents of unknown
    stance are skipped.

    Unit: that of x. Better: nearer 0. Empty ranking: undefined.
    Range: that of x. Undefined: no document in the top k has a stance.
    Source: Kulshrestha et al., CSCW 2017, section 3.3. https://doi.org/10.1145/2998181.2998321
    """

    cutoff: int = 10
    better = "nearer 0"

    def __call__(self, stances: Floats) -> Floats:
        """Return the output bias [query]."""
        return ranks.mean_of_means(ranks.close_up(self.along(stances)[:, : self.cutoff]))


@dataclass(frozen=True)
class RankingBias(_OnAxis):
    """Which way does the ranking itself push, beyond the lean of the documents that it could choose from?

        RankingBias@k = OutputBias@k - InputBias

        OutputBias@k  = mean over i = 1..min(k, length) of the mean of x(d) over the first i documents
        InputBias     = mean of x(d) over the documents of the query's background set

    x(d) is the stance of d on the axis, [-1, 1] in the paper. ``axis`` counts the axes from 1. Documents of unknown
    stance are skipped.

    Unit: that of x. Better: nearer 0. Empty ranking: undefined.
    Range: [-2, 2] for stances in [-1, 1].
    Undefined: no document in the top k, or none of the background set, has a stance.
    Source: Kulshrestha et al., CSCW 2017, section 3.3. https://doi.org/10.1145/2998181.2998321
    """

    cutoff: int = 10
    better = "nearer 0"

    def __call__(self, stances: Floats, background_stances: Floats) -> Floats:
        """Return the ranking bias [query]."""
        shown = ranks.close_up(self.along(stances)[:, : self.cutoff])
        return ranks.mean_of_means(shown) - ranks.mean(self.along(background_stances))


@dataclass(frozen=True)
class _Sides(_OnAxis):
    """What Gezici's two share: the measure whose values for the two sides are compared."""

    cutoff: int = 10
    gain: Literal["p", "rbp", "dcg"] = "p"
    p: float = 0.8
    limits = (("p", ABOVE_0, BELOW_1, READING_ON),)

    @property
    def bounds(self) -> Bounds:
        """The whole top is on one side."""
        most = self.weights(self.cutoff).sum().item()
        return 0.0 if self.better == "lower" else -most, most

    def difference(self, stances: Floats) -> SumOverRanks:
        """Let each rank add its weight, with the sign of the side of its document: above 0 minus below 0."""
        x = self.along(stances)
        return SumOverRanks(np.sign(x), self.weights(self.cutoff), known=~np.isnan(x))

    def weights(self, n: int) -> Floats:
        """Weigh ranks 1..``n``."""
        if self.gain == "p":
            return np.full(n, 1 / self.cutoff)
        return (1 - self.p) * discount.geometric(n, self.p) if self.gain == "rbp" else discount.log2(n)


class MeanBias(_Sides):
    """Which side gets more of the top of a ranking?

        MeanBias@k = f(documents of x(d) > 0) - f(documents of x(d) < 0), for each query; then the mean

    ``gain`` is f: 'p' is precision at k, number / k; 'rbp' is (1 - p) * sum of p^(i - 1); 'dcg' is the sum of 1 /
    log2(1 + i), over the ranks i of the side. x(d) is the stance of d on the axis; ``axis`` counts the axes from 1. A
    document at 0, or of unknown stance, is on neither side. Opposite leans of two queries cancel in the mean.

    Unit: that of f. Better: nearer 0. Empty ranking: undefined.
    Range: [-1, 1] for p and rbp; for dcg plus or minus the sum of the discounts, 4.5436 for k = 10.
    Undefined: no document in the top k has a stance.
    Source: Gezici et al., Information Retrieval Journal 2021 (MB). https://doi.org/10.1007/s10791-020-09386-w
    """

    better = "nearer 0"

    def formula(self, stances: Floats) -> SumOverRanks:
        """Compare the sides."""
        return self.difference(stances)


class MeanAbsoluteBias(_Sides):
    """How unevenly do the two sides share the top of a ranking, whichever gets more?

        MeanAbsoluteBias@k = |f(documents of x(d) > 0) - f(documents of x(d) < 0)|, for each query; then the mean

    ``gain``, ``p`` and ``axis`` are those of MeanBias.

    Unit: that of f. Better: lower. Empty ranking: undefined.
    Range: [0, 1] for p and rbp; for dcg from 0 to the sum of the discounts, 4.5436 for k = 10.
    Undefined: no document in the top k has a stance.
    Source: Gezici et al., Information Retrieval Journal 2021 (MAB). https://doi.org/10.1007/s10791-020-09386-w
    """

    better = "lower"

    def __call__(self, stances: Floats) -> Floats:
        """Return the absolute difference of the sides [query]."""
        return np.abs(self.difference(stances[:, : self.cutoff]).value())

"""RaB and ARaB: which of two groups the top of a ranking leans to, in occurrences of its terms.

Source: Rekabsaz, Schedl: Do Neural Ranking Models Intensify Gender Bias? SIGIR 2020.
https://doi.org/10.1145/3397271.3401280
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairtrec.formulas import elementary, ranks
from fairtrec.measure import Bounds, Floats, Ints, Measure, Note, NoteKind, NoteSeverity, SumOverRanks, UsageError, take

SIGN = NoteKind("sign", "above 0 leans to {above}, below 0 to {below}", NoteSeverity.BACKGROUND)


@dataclass(frozen=True)
class _Lean(Measure):
    """What both share: how the magnitude of a group in a document is counted."""

    cutoff: int = 10
    mag: Literal["tc", "tf", "tf_paper", "bool"] = "tc"
    better = "nearer 0"

    @property
    def bounds(self) -> Bounds:
        """How often a group's terms occur knows no bound."""
        return (-1.0, 1.0) if self.mag == "bool" else (None, None)

    @property
    def needs(self) -> tuple[str, ...]:
        """The paper's tf needs the occurrences of each term, all others only those of each group."""
        return (*super().needs, "log_counts" if self.mag == "tf_paper" else "counts", "lengths")

    def check(self, groups: Sequence[str]) -> None:
        """Refuse other than two groups."""
        if len(groups) != 2:
            raise UsageError(f"{self.name} compares two groups and was given {len(groups)}; use a list of two groups")

    def note(self, groups: Sequence[str], **_: Any) -> Note:
        """Name the groups behind the sign."""
        return SIGN.note(above=groups[1], below=groups[0])

    def counts_at_ends(self, groups: int) -> tuple[Floats, Floats] | None:
        """Give the counts of a document of the first group and of one of the second, where it only matters which."""
        return (np.eye(groups)[0], np.eye(groups)[1]) if self.mag == "bool" else None

    def find_label_lean(self) -> Callable[[Floats], Floats] | None:
        """Give the lean of documents by their labels, if it only depends on the groups that they are of."""
        return (lambda weights: weights[..., 1] - weights[..., 0]) if self.mag == "bool" else None

    def lean(self, ranked: Ints, counts: Floats | None, log_counts: Floats | None) -> Floats:
        """Give each document's magnitude of the second group minus that of the first [query, rank]."""
        table = log_counts if self.mag == "tf_paper" else counts
        assert table is not None
        if self.mag == "tf" and ranked.size < len(table):  # there are fewer logarithms to take
            seen = elementary.log1p(take(table, ranked))
            return np.asarray(seen[..., 1] - seen[..., 0])
        if self.mag == "tf":
            table = elementary.log1p(table)
        elif self.mag == "bool":
            table = (table > 0).astype(np.float64)
        return take(table[:, 1] - table[:, 0], ranked)


def count_ranks(top: Floats, lengths: Ints | None) -> Ints:
    """Count the ranks of each ranking [query] among the first; by default those that hold a document."""
    filled: Ints = (~np.isnan(top)).sum(axis=1)
    return filled if lengths is None else np.minimum(lengths, top.shape[1])


class RaB(_Lean):
    """Which of two groups do the documents at the top speak of more?

        b(d)  = mag_B(d) - mag_A(d), A and B the two groups in alphabetical order (f, m: above 0 leans to m)
        RaB@k = mean of b(d_i) over ranks i = 1..min(k, length)

    ``mag`` sets the magnitude: 'tc' counts the occurrences of the group's terms; 'tf' is ln(1 + occurrences), as in the
    published program; 'tf_paper' is the sum of ln(occurrences) over the group's terms; 'bool' is 1 if there is any.

    Unit: that of mag. Better: nearer 0. Empty ranking: undefined.
    Range: unbounded; [-1, 1] for mag='bool'. The sign changes when the groups change places.
    Undefined: nothing was ranked.
    Source: Rekabsaz, Schedl, SIGIR 2020. https://doi.org/10.1145/3397271.3401280
    """

    def formula(
        self,
        ranked: Ints,
        counts: Floats | None = None,
        log_counts: Floats | None = None,
        lengths: Ints | None = None,
    ) -> SumOverRanks:
        """Let each rank add the lean of its document, and average them."""
        lean = self.lean(ranked, counts, log_counts)
        top = lean[:, : self.cutoff]
        number = count_ranks(top, lengths)
        return SumOverRanks(lean, np.ones(top.shape[1]), number, by_labels=self.find_label_lean(), reach=2.0)


class ARaB(_Lean):
    """Which of two groups does a reader meet more, if they stop at a random rank of the first k?

        b(d)   = mag_B(d) - mag_A(d), A and B the two groups in alphabetical order (f, m: above 0 leans to m)
        RaB@x  = mean of b(d_i) over ranks i = 1..x
        ARaB@k = mean of RaB@x over x = 1..min(k, length)

    ``mag`` sets the magnitude: 'tc' counts the occurrences of the group's terms; 'tf' is ln(1 + occurrences), as in the
    published program; 'tf_paper' is the sum of ln(occurrences) over the group's terms; 'bool' is 1 if there is any.

    Unit: that of mag. Better: nearer 0. Empty ranking: undefined.
    Range: unbounded; [-1, 1] for mag='bool'. The sign changes when the groups change places.
    Undefined: nothing was ranked.
    Source: Rekabsaz, Schedl, SIGIR 2020. https://doi.org/10.1145/3397271.3401280
    """

    def formula(
        self,
        ranked: Ints,
        counts: Floats | None = None,
        log_counts: Floats | None = None,
        lengths: Ints | None = None,
    ) -> SumOverRanks:
        """Let each rank add the lean of its document as often as it is averaged."""
        lean = self.lean(ranked, counts, log_counts)
        number = count_ranks(lean[:, : self.cutoff], lengths)
        weights = ranks.averages(number, lean[:, : self.cutoff].shape[1])
        return SumOverRanks(lean, weights, defined=number > 0, by_labels=self.find_label_lean(), reach=2.0)

"""MaxShare: how much of the top of a ranking does its most frequent group hold?

Source: Berger, Parker: Diversity of Planktonic Foraminifera in Deep-Sea Sediments. Science 168, 1970.
https://doi.org/10.1126/science.168.3937.1345
"""

from dataclasses import dataclass

import numpy as np

from fairtrec.measure import Floats, GroupTotals, Measure, shares


def greatest_share(amounts: Floats) -> Floats:
    """Give the greatest share of the amounts [..., group]; nan where there is nothing to divide.

    >>> greatest_share(np.array([[6.0, 3.0, 1.0], [0.0, 0.0, 0.0]])).tolist()
    [0.6, nan]
    """
    return np.asarray(shares(amounts).max(axis=-1))


@dataclass(frozen=True)
class MaxShare(Measure):
    """How large is the share of the largest group in the top k?

        D_k        = the groups' shares among the documents at ranks 1..k; each membership counts once
        MaxShare@k = greatest of  D_k(a)  over the groups a

    Documents of no or unknown group count for none. The target does not matter: MaxSkew compares with it, and
    ``Exposure`` shows which group it is.

    Unit: none, a share. Better: lower. Empty ranking: undefined.
    Range: from 1 / number of groups (equal shares) to 1 (one group only).
    Undefined: no document in the top k has a group.
    Source: Berger, Parker, Science 1970 (the index of dominance). https://doi.org/10.1126/science.168.3937.1345
    """

    cutoff: int = 10
    better = "lower"
    bounds = 0.0, 1.0

    def formula(self, membership: Floats) -> GroupTotals:
        """Take the greatest share of what the groups hold in the top."""
        return GroupTotals(membership, self.cutoff, lambda amounts, _: greatest_share(amounts))

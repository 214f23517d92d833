"""Groups: how many groups are there at all in the top of a ranking?

Source: Zhai, Cohen, Lafferty: Beyond Independent Relevance. SIGIR 2003. https://doi.org/10.1145/860435.860440
"""

from dataclasses import dataclass

import numpy as np

from fairtrec.measure import Floats, GroupTotals, Measure


def number(amounts: Floats) -> Floats:
    """Count the groups that hold anything of the amounts [..., group].

    >>> number(np.array([[2.0, 0.0, 0.3], [0.0, 0.0, 0.0]])).tolist()
    [2.0, 0.0]
    """
    return np.asarray((amounts > 0).sum(axis=-1).astype(np.float64))


@dataclass(frozen=True)
class Groups(Measure):
    """How many different groups are there in the top k?

        Groups@k = number of groups a of which some document at ranks 1..k has a membership above 0

    A document of several groups counts for each of them, whatever its weights. A document of no or unknown group counts
    for none. Divided by the number of groups, this is subtopic recall if groups are subtopics.

    Unit: groups. Better: higher. Empty ranking: 0.
    Range: from 0 to the number of groups. Undefined: never.
    Source: Zhai, Cohen, Lafferty, SIGIR 2003 (subtopics covered). https://doi.org/10.1145/860435.860440
    """

    cutoff: int = 10
    bounds = 0.0, None

    def formula(self, membership: Floats) -> GroupTotals:
        """Count the groups that hold anything in the top."""
        return GroupTotals(membership, self.cutoff, lambda amounts, _: number(amounts))

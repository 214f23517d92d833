"""Groups: how many groups are there at all in the top of a ranking?

Source: Zhai, Cohen, Lafferty: Beyond Independent Relevance. SIGIR 2003. https://doi.org/10.1145/860435.860440
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.formulas import ranks
from fairtrec.measure import Floats, Measure, Totals


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

    A document of several groups counts for each of them, in whatever part; one of no or of unknown group for none.
    Over the number of groups it is subtopic recall, where the groups are subtopics.

    Unit: groups. Better: higher. Empty ranking: 0.
    Range: from 0 to the number of groups. Undefined: never.
    Source: Zhai, Cohen, Lafferty, SIGIR 2003 (subtopics covered). https://doi.org/10.1145/860435.860440
    """

    cutoff: int = 10
    bounds = 0.0, None

    def __call__(self, membership: Floats) -> Floats:
        """Return the number of groups [query]."""
        return number(ranks.total(np.nan_to_num(membership[:, : self.cutoff])))

    def over_labels(self, **_: Any) -> Totals:
        """What each group holds in all decides."""
        return Totals(number)

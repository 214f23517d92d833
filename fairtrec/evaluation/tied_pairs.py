"""Pairs of tied documents of different groups, of which docnos put one above the other."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.data import Bools, Ints


@dataclass(frozen=True, eq=False)
class TiedPairs:
    """Pairs of tied documents of different single groups: a row for each measure, query and two groups.

    ``above`` and ``below`` [row] are the names of the groups; ``many`` [row] counts pairs of which the first is above.
    """

    measure: Ints
    query: Ints
    above: Any
    below: Any
    many: Ints

    def keep(self, rows: Bools, **numbers: Ints) -> "TiedPairs":
        """Keep some of the rows, with other ``numbers`` of measures or queries."""
        return TiedPairs(**{name: each[rows] for name, each in (vars(self) | numbers).items()})

    def join(self, other: "TiedPairs", measures: int) -> "TiedPairs":
        """Put those of other measures behind these so many."""
        theirs = vars(other) | {"measure": other.measure + measures}
        return TiedPairs(**{name: np.concatenate((each, theirs[name])) for name, each in vars(self).items()})

    def count(self, measure: int) -> tuple[str, str, int, int] | None:
        """Count the pairs of the two groups that have most: which is mostly above, below, in how many, of all."""
        pairs: dict[tuple[str, str], int] = {}
        of_measure = self.measure == measure
        for above, below, many in zip(
            self.above[of_measure], self.below[of_measure], self.many[of_measure], strict=True
        ):
            pairs[above, below] = pairs.get((above, below), 0) + int(many)
        both = {tuple(sorted(pair)) for pair in pairs}
        if not both:
            return None
        all_of = {(a, b): pairs.get((a, b), 0) + pairs.get((b, a), 0) for a, b in both}
        a, b = min(all_of, key=lambda pair: (-all_of[pair], pair))
        if pairs.get((b, a), 0) > pairs.get((a, b), 0):
            a, b = b, a
        return a, b, pairs.get((a, b), 0), all_of[tuple(sorted((a, b)))]  # type: ignore[index]


NO_PAIRS = TiedPairs(*(np.empty(0, dtype) for dtype in (np.int64, np.int64, object, object, np.int64)))

"""Pairs of tied documents of different groups, of which docnos put one above the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Ints, number_rows

WHOLE = np.iinfo(np.int64).max  # ranks of a measure that reads all of them


class PairTable(NamedTuple):
    """Pairs by one attribute: a row for the upper document of some pairs and the group of the lower ones.

    ``rank`` [row] is that of the upper document, from 0. ``above`` and ``below`` [row] are the groups, by number among
    ``groups``. ``many`` [row] counts the lower documents.
    """

    groups: tuple[str, ...]
    query: Ints
    rank: Ints
    above: Ints
    below: Ints
    many: Ints


@dataclass(frozen=True, eq=False)
class TiedPairs:
    """Pairs of tied documents of different single groups, for each measure.

    ``table`` [measure] is the number of its table, MISSING if it has none; it reads pairs of which the upper document
    is at its first ``reach`` [measure] ranks.
    """

    tables: tuple[PairTable, ...]
    table: Ints
    reach: Ints

    def join(self, other: "TiedPairs") -> "TiedPairs":
        """Put those of other measures behind these."""
        theirs = np.where(other.table == MISSING, MISSING, other.table + len(self.tables))
        reach = np.concatenate((self.reach, other.reach))
        return TiedPairs((*self.tables, *other.tables), np.concatenate((self.table, theirs)), reach)

    def keep_measures(self, rows: Sequence[int]) -> "TiedPairs":
        """Keep some of the measures, by number."""
        return replace(self, table=self.table[list(rows)], reach=self.reach[list(rows)])

    def keep_queries(self, queries: Sequence[int], many: int) -> "TiedPairs":
        """Keep some of so ``many`` queries, by number."""
        fresh = number_rows(queries, many)
        tables = []
        for groups, *columns in self.tables:
            there = fresh[columns[0]] != MISSING
            query, *others = (column[there] for column in columns)
            tables.append(PairTable(groups, fresh[query], *others))
        return replace(self, tables=tuple(tables))

    def count_all(self, measure: int) -> dict[tuple[str, str], int]:
        """Count the pairs that a measure reads, by the groups of the upper and the lower document."""
        if self.table[measure] == MISSING:
            return {}
        found = self.tables[self.table[measure]]
        read = found.rank < self.reach[measure]
        groups = len(found.groups)
        pairs, of_row = np.unique(found.above[read] * groups + found.below[read], return_inverse=True)
        many = np.bincount(of_row, found.many[read]).tolist()
        return {
            (found.groups[pair // groups], found.groups[pair % groups]): int(number)
            for pair, number in zip(pairs.tolist(), many, strict=True)
        }

    def count(self, measure: int) -> tuple[str, str, int, int] | None:
        """Count the pairs of the two groups that have most: which is mostly above, below, in how many, of all."""
        pairs = self.count_all(measure)
        both = {(min(pair), max(pair)) for pair in pairs}
        if not both:
            return None
        all_of = {(a, b): pairs.get((a, b), 0) + pairs.get((b, a), 0) for a, b in both}
        a, b = most = min(all_of, key=lambda pair: (-all_of[pair], pair))
        if pairs.get((b, a), 0) > pairs.get((a, b), 0):
            a, b = b, a
        return a, b, pairs.get((a, b), 0), all_of[most]

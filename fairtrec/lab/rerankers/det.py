"""DetGreedy, DetCons, DetRelaxed and DetConstSort: each group has its share of the first i documents, for every i.

Source: Geyik, Ambler, Kenthapadi: Fairness-Aware Ranking in Search & Recommendation Systems with Application to
LinkedIn Talent Search. KDD 2019, section 4 and Algorithms 1 to 3. https://doi.org/10.1145/3292500.3330691
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairtrec.lab.reranker import (
    FAR,
    MISSING,
    NO_TARGET,
    Bools,
    Floats,
    Heads,
    Ints,
    Lists,
    NoteKind,
    Order,
    Reranker,
    Unknown,
    ceils,
    count_queries,
    floors,
    places_to_fill,
)

NEVER = 1e18  # a rank that no list reaches
TOO_FEW = NoteKind(
    "too few of a group", "too few documents of a group in {many} of {queries} queries: the group cannot get its share"
)


@dataclass(frozen=True)
class _Det(Reranker):
    cutoff: int = 10
    unknown: Unknown = "keep"

    fewest = 2

    def __call__(self, group_of: Ints, target: Floats, lengths: Ints) -> Order:
        """Return the order [query, place]."""
        shares = np.broadcast_to(target, (len(group_of), target.shape[1]))
        aimed = ~np.isnan(shares).any(axis=1)
        free = None
        if self.unknown == "free":
            free = shares.shape[1]
            shares = np.pad(shares, [(0, 0), (0, 1)])
        lists = Lists.group_documents(group_of, lengths, self.cutoff, free)
        tops = np.where(aimed, lists.tops, 0)
        shares = np.nan_to_num(shares)
        first = self._first(lists.groups, shares, tops)
        supply = np.stack([(lists.groups == group).sum(axis=1) for group in range(shares.shape[1])], axis=1)
        lapsed = (supply < floors(tops[:, None], shares)).any(axis=1)
        notes = (
            count_queries(TOO_FEW, lapsed),
            count_queries(NO_TARGET, ~aimed),
        )
        return Order(lists.put_back(first), lists.notes + notes)

    def deep_enough(self, group_of: Ints, target: Floats) -> Bools:
        """Tell where each group has as many documents as it can have places, or the ranking ends [query]."""
        known = group_of != MISSING
        tops = places_to_fill(known, self.cutoff, moved_only=self.unknown == "keep")
        most = self._most(tops[:, None], np.nan_to_num(target))
        filled: Bools = known.any(axis=1)  # or else it is said that there is none
        for group in range(target.shape[1]):
            filled &= (group_of == group).sum(axis=1) >= most[:, group]
        return filled

    def _most(self, tops: Ints, shares: Floats) -> Ints:
        """Say how many of these places can be of each group [query, group]: some group always has fewer."""
        return ceils(tops, shares)

    def _first(self, groups: Ints, shares: Floats, tops: Ints) -> Ints:
        """Place ``tops`` documents of each query [query, place]."""
        heads = Heads(groups, shares.shape[1])
        first = np.full((len(groups), int(tops.max(initial=0))), MISSING)
        for rank in range(1, first.shape[1] + 1):
            active: Bools = np.asarray(rank <= tops)
            least, most = floors(rank, shares), ceils(rank, shares)
            there = heads.places < FAR
            behind, below = there & (heads.taken < least), there & (heads.taken < most)
            late, some = behind.any(axis=1, keepdims=True), below.any(axis=1, keepdims=True)
            claims: Bools = np.where(late, behind, np.where(some, below, there))
            urgency = np.where(some & ~late, self._urgency(most, shares), 0.0)
            urgency = np.where(claims, urgency, np.inf)
            claims &= urgency <= urgency.min(axis=1, keepdims=True) + 1e-9
            placed = heads.take(heads.first(claims), active)
            first[active, rank - 1] = placed[active]
        return first

    def _urgency(self, most: Ints, shares: Floats) -> Floats:  # noqa: ARG002 - for the others
        """Say which of the groups that may have another document goes first [query, group]: that of the least."""
        return np.zeros(shares.shape)


def _deadlines(most: Ints, shares: Floats) -> Floats:
    """Give the rank at which a group of these shares must have so many documents, as a fraction [query, group]."""
    return np.asarray(np.divide(most, shares, out=np.full(shares.shape, NEVER), where=shares > 0))


class DetGreedy(_Det):
    """Which document is best, among the groups that may have another document?

        rank i = 1..k, with c_g documents of group g above it and p_g the group's target:
        if some c_g < floor(i p_g):  the best remaining document of these groups
        else:                        the best remaining document of the groups with c_g < ceil(i p_g)

    With four groups or more, floors can be missed: in 40 % of lists of four even groups, and in nearly all of twelve.

    Groups: one for each document. A document of unknown group keeps its rank, and the others change places among
    theirs; unknown='free' takes it if no group has a claim. Target: that of --target.
    Chance: none.
    Edges: a group without documents left cannot get its share; the best remaining document follows. i p_g is a
    decimal: 0.1 times 30 is 3. A query without a document of known group keeps its order.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, section 4.1. https://doi.org/10.1145/3292500.3330691
    """


class DetCons(_Det):
    """Which group would soonest be short of documents?

        rank i = 1..k, with c_g documents of group g above it and p_g the group's target:
        if some c_g < floor(i p_g):  the best remaining document of these groups
        else:                        of the groups with c_g < ceil(i p_g), that of the least ceil(i p_g) / p_g;
                                     of several, the one with the best document, on which the paper is silent

    It is never short of floor(i p_g) while documents last, for any number of groups: it serves the earliest deadline.
    Published programs put a document twice into a list, or take the greatest deadline instead of the least.

    Groups: one for each document. A document of unknown group keeps its rank, and the others change places among
    theirs; unknown='free' takes it if no group has a claim. Target: that of --target.
    Chance: none.
    Edges: a group without documents left cannot get its share; the best remaining document follows. i p_g is a
    decimal: 0.1 times 30 is 3. A query without a document of known group keeps its order.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Algorithm 1. https://doi.org/10.1145/3292500.3330691
    """

    def _urgency(self, most: Ints, shares: Floats) -> Floats:
        return _deadlines(most, shares)


class DetRelaxed(_Det):
    """Which document is best, among the groups that would soonest be short of documents?

        rank i = 1..k, with c_g documents of group g above it and p_g the group's target:
        if some c_g < floor(i p_g):  the best remaining document of these groups
        else:                        of the groups with c_g < ceil(i p_g), those of the least
                                     ceil(ceil(i p_g) / p_g), and of these the best remaining document

    It is never short of floor(i p_g) while documents last, for any number of groups: it serves the earliest deadline.

    Groups: one for each document. A document of unknown group keeps its rank, and the others change places among
    theirs; unknown='free' takes it if no group has a claim. Target: that of --target.
    Chance: none.
    Edges: a group without documents left cannot get its share; the best remaining document follows. i p_g is a
    decimal: 0.1 times 30 is 3. A query without a document of known group keeps its order.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Algorithm 2. https://doi.org/10.1145/3292500.3330691
    """

    def _urgency(self, most: Ints, shares: Floats) -> Floats:
        return np.ceil(_deadlines(most, shares) - 1e-9)


@dataclass(frozen=True)
class DetConstSort(_Det):
    """Which order is best, if each group has its documents no later than its share demands?

        for i = 1, 2, ...: of each group whose floor(i p_g) has just grown, the best remaining document is appended,
        with the limit i; of several groups the best document first. Then it moves up as long as the document above
        is worse and may stand one rank lower: the limit of that document >= that rank. Until k are placed.

    It is never short of floor(i p_g) while documents last. ``reading='printed'`` follows the paper's pseudo-code and
    published programs: there a limit >= that rank - 1 is enough, so a document falls one rank too low, and more than k
    documents are placed before the list is cut.

    Groups: one for each document. A document of unknown group keeps its rank, and the others change places among
    theirs; unknown='free' puts it after those with a claim. Target: that of --target.
    Chance: none.
    Edges: a group without documents appends nothing; if no group has a claim, the rest follows in its order. i p_g is a
    decimal: 0.1 times 30 is 3. A query without a document of known group keeps its order.
    Source: Geyik, Ambler, Kenthapadi, KDD 2019, Algorithm 3. https://doi.org/10.1145/3292500.3330691
    """

    reading: Literal["corrected", "printed"] = "corrected"

    def _most(self, tops: Ints, shares: Floats) -> Ints:
        return np.broadcast_to(tops, (len(tops), shares.shape[1]))

    def _first(self, groups: Ints, shares: Floats, tops: Ints) -> Ints:
        slack = int(self.reading == "printed")
        limits = self._limits(groups, shares)
        places = np.broadcast_to(np.arange(groups.shape[1]), groups.shape)
        appended = np.lexsort((places, limits), axis=1)  # by limit, and then as they stood
        held = (groups != MISSING).sum(axis=1)
        many, rows = np.minimum(tops, held), np.arange(len(groups))
        if slack and groups.shape[1]:  # to the end of the step in which there are more than k
            last = limits[rows, appended[rows, np.minimum(tops, held - 1).clip(0)]]
            step = (limits <= np.minimum(last, NEVER / 2)[:, None]).sum(axis=1)
            many = np.where(tops > 0, np.maximum(many, step), 0)
        first = np.full((len(groups), int(many.max(initial=0))), MISSING)
        limit_at = np.zeros(first.shape)
        for rank in range(first.shape[1]):
            there, new = rank < many, appended[:, rank]
            limit = limits[rows, new]
            first[there, rank], limit_at[there, rank] = new[there], limit[there]
            moving = there & (limit < NEVER)
            for at in range(rank, 0, -1):  # which count from 0, as limits do from 1
                moving &= (first[:, at - 1] > new) & (limit_at[:, at - 1] >= at + 1 - slack)
                if not moving.any():
                    break
                for moved in (first, limit_at):
                    moved[moving, at], moved[moving, at - 1] = moved[moving, at - 1], moved[moving, at]
        return np.where(np.arange(first.shape[1]) < tops[:, None], first, MISSING)

    @staticmethod
    def _limits(groups: Ints, shares: Floats) -> Floats:
        """Give each document the rank by which its group must have it [query, place]; NEVER is none."""
        nth = np.zeros(groups.shape, dtype=np.int64)
        share = np.zeros(groups.shape)
        for group in range(shares.shape[1]):
            members = groups == group
            nth += np.where(members, np.cumsum(members, axis=1), 0)
            share += np.where(members, shares[:, group, None], 0.0)
        return np.where(groups == MISSING, np.inf, np.ceil(_deadlines(nth, share) - 1e-9))

"""Forms of exposure: a convex function of what each group gets, and the ratio of what two groups get on average."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formulas import ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.labelings.sums import Linear
from fairtrec.formulas.labelings.unlabeled import STATES, Ends, LabelForm, Unlabeled, count_enumerable
from fairtrec.formulas.weighted_sums import weighted_sum


def pour_amount(heights: Floats, widths: Floats, amount: Floats) -> Floats:
    """Pour an ``amount`` [query] into vessels [query, vessel] until it stands at one level, and say where it went.

    A vessel of width w whose bottom is at h / w takes w * level - h: of those that it does not reach, nothing.

    >>> pour_amount(np.array([[1.0, 3.0, 9.0]]), np.ones((1, 3)), np.array([4.0])).tolist()
    [[3.0, 1.0, 0.0]]
    """
    bottoms = quotient(heights, widths, otherwise=np.inf)
    order = np.argsort(bottoms, axis=1, kind="stable")
    lowest = np.take_along_axis(bottoms, order, axis=1)
    wide, high = (np.cumsum(np.take_along_axis(each, order, axis=1), axis=1) for each in (widths, heights))
    level = quotient(amount[:, None] + high, wide, otherwise=np.inf)  # if the first 1, 2, .. vessels take all
    reached = (level > lowest).sum(axis=1).clip(min=1) - 1
    at = np.take_along_axis(level, reached[:, None], axis=1)
    poured: Floats = np.maximum(np.multiply(widths, at, out=np.zeros(widths.shape), where=widths > 0) - heights, 0.0)
    return np.where(bottoms < at, poured, 0.0)


@dataclass(frozen=True, eq=False)
class Exposed(LabelForm):
    """A function of the groups' exposure [query, n, group] that bends one way: ``value`` gives [query, n].

    ``weights`` [query or 1, rank] are what each rank adds. The best exposure under the ``wanted`` [query or 1, group]
    is that of one level: of shares, ``level='ratio'``, exposure over what is wanted; of distances, ``'difference'``,
    exposure minus what is wanted. ``slope`` gives the gradients [query, n, group] of the value, if that is known.
    """

    weights: Floats
    value: Callable[[Floats], Floats]
    wanted: Floats
    level: Literal["ratio", "difference"]
    bends: Literal["up", "down"]
    slope: Callable[[Floats], Floats] | None = None
    tries: ClassVar[bool] = True

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Try all labelings, or else the corners, and the point that no labeling betters."""
        found = rankings.take_ends(self._defined(rankings.amounts(self.weights)))
        if rankings.complete:
            return found
        corners = self._defined(rankings.corners(self.weights))
        held, total = rankings.sum_known(self.weights), ranks.total(rankings.gather_slots(self.weights))
        wanted = np.broadcast_to(self.wanted, held.shape)
        if self.level == "ratio":
            best = held + pour_amount(held, wanted, total)
        else:
            if rankings.ways > rankings.groups:  # what betters nothing is none's
                total = np.minimum(total, (wanted - held).clip(min=0).sum(axis=1))
            best = held + pour_amount(held - wanted, np.ones(held.shape), total)
        bound = self.value(best[:, None])[:, 0]
        if self.bends == "up":
            ends = bound, np.fmax.reduce(corners, axis=1)
        else:
            ends = np.fmin.reduce(corners, axis=1), bound
        return _bounded(found, *ends, loose=np.ones(len(held), dtype=np.bool_))

    def _defined(self, exposure: Floats) -> Floats:
        """Give the values, none where nobody is exposed."""
        return np.where(exposure.any(axis=2), self.value(exposure), np.nan)


@dataclass(frozen=True, eq=False)
class Portion(LabelForm):
    """What a group gets of what all groups get: ``value`` of the groups' exposure [query, n, group] gives [query, n].

    ``weights`` [query or 1, rank] are what each rank adds. Where each document is of a group, they get the same in all
    labelings, and the value is ``linear``.
    """

    weights: Floats
    value: Callable[[Floats], Floats]
    linear: Linear
    tries: ClassVar[bool] = True

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Look at the corners, as such a quotient is greatest and least there; try labelings for what is expected."""
        if rankings.ways == rankings.groups:
            return self.linear.find_ends(rankings)
        found = rankings.take_ends(self.value(rankings.amounts(self.weights)))
        if rankings.complete:
            return found
        corners = self.value(rankings.corners(self.weights))
        ends = np.fmin.reduce(corners, axis=1), np.fmax.reduce(corners, axis=1)
        return _bounded(found, *ends, loose=np.zeros(len(corners), dtype=np.bool_))


@dataclass(frozen=True, eq=False)
class Ratio(LabelForm):
    """What two groups get on average, compared.

    ``value`` of what all groups got and of how many documents they have, both [query, n, group], gives [query, n].
    ``weights`` [rank] are what a rank is worth; ``pair`` are the groups by number: other groups have no unknown
    documents, or count as the second. ``signed`` says that the value rises with what the first gets; otherwise it is
    greatest, 1, where both get the same.
    """

    weights: Floats
    value: Callable[[Floats, Floats], Floats]
    pair: tuple[int, int] = (0, 1)
    signed: bool = False
    tries: ClassVar[bool] = True

    def exact(self, rankings: Unlabeled) -> bool:
        """Tell whether it gives bounds: for two groups, or one and the rest."""
        pairs = (rankings.most_unknown + 1) ** (1 + rankings.ways - rankings.groups)  # exact: whole numbers
        return rankings.most_unknown <= count_enumerable(rankings.ways) or (
            (self.signed or rankings.groups == 2) and pairs <= STATES
        )

    def find_ends(self, rankings: Unlabeled) -> Ends:
        """Try all labelings, or else those that give the first group its heaviest or its lightest documents."""
        ones = np.ones(rankings.slot.shape[1])
        tried = self.value(rankings.amounts(self.weights), rankings.amounts(ones))
        found = rankings.take_ends(tried)
        if rankings.complete:
            return found
        got, due, possible = self._extremes(rankings)
        values = np.where(possible, self.value(got, due), np.nan)
        least, greatest = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
        if self.signed:
            return _bounded(found, least, greatest, loose=np.zeros(len(got), dtype=np.bool_))
        first, second = self.pair
        means = quotient(got, due, otherwise=0.0)
        higher = np.sign(means[..., first] - means[..., second]).reshape(len(got), 2, -1)
        crossed = (higher[:, 0] * higher[:, 1] <= 0) & ~np.isnan(values.reshape(higher.shape)).any(axis=1)
        loose = crossed.any(axis=1) & (greatest < 1)
        return _bounded(found, least, np.where(loose, 1.0, greatest), loose=loose)

    def _extremes(self, rankings: Unlabeled) -> tuple[Floats, Floats, Bools]:
        """Give the first group the s heaviest unknown and the second the t lightest, and then the other way round.

        That is all others, or where a document may be of none any number of them [query, 2 n, group]; third which s and
        t there are.
        """
        heaviest = -np.sort(-rankings.gather_slots(self.weights), axis=1)
        sums = np.concatenate([np.zeros((len(heaviest), 1)), np.cumsum(heaviest, axis=1)], axis=1)
        counts, number = np.arange(sums.shape[1]), rankings.number[:, None]
        if rankings.ways == rankings.groups:
            s: Ints = np.broadcast_to(counts, (len(sums), len(counts)))
            t = number - s
        else:
            s, t = (np.broadcast_to(each.ravel(), (len(sums), each.size)) for each in np.meshgrid(counts, counts))
        possible = (t >= 0) & (s + t <= number)
        many = [each.clip(0, number) for each in (s, t)]
        heavy = [np.take_along_axis(sums, each, axis=1) for each in many]
        light = [sums[:, -1:] - np.take_along_axis(sums, number - each, axis=1) for each in many]
        got = np.repeat(weighted_sum(rankings.known, self.weights)[:, None], 2 * s.shape[1], axis=1)
        due = np.repeat(ranks.total(rankings.known)[:, None], 2 * s.shape[1], axis=1)
        first, second = self.pair
        got[..., first] += np.concatenate([heavy[0], light[0]], axis=1)
        got[..., second] += np.concatenate([light[1], heavy[1]], axis=1)
        due[..., first] += np.concatenate([many[0], many[0]], axis=1)
        due[..., second] += np.concatenate([many[1], many[1]], axis=1)
        return got, due, np.concatenate([possible, possible], axis=1)


def _bounded(found: Ends, least: Floats, greatest: Floats, *, loose: Bools) -> Ends:
    """Put ends that were found otherwise in the place of those that were drawn."""
    values = np.stack([least, greatest, found.values[2].clip(least, greatest)])
    return replace(found, values=values, bounded=loose, drawn=np.zeros_like(found.drawn))

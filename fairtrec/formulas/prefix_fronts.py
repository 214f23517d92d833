"""The front of a sum over ranks and of a sum over prefixes: a program over how many of each kind have been placed.

Fairness is a sum over ranks of something that depends only on how many documents of each kind stand above a rank and
on the kind that stands there. Utility is a sum over ranks with falling weights. For given counts the next document of
a kind is then its best unplaced one (exchange argument). So the program goes through the vectors of counts layer by
layer, and keeps in each the pairs of utility and fairness that no other pair there equals or exceeds in both. The last
layer holds the whole front. Where there are too many pairs, ``hull_of_front`` keeps one pair in each state instead and
finds the corners of the hull, slope by slope.

Sources: Aneja, Nair: Bicriteria Transportation Problem. Management Science 1979. https://doi.org/10.1287/mnsc.25.1.73
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Ints, list_lines
from fairtrec.formulas.fronts import sort_undominated
from fairtrec.formulas.sequences import MOST, Earned, number_rows

NEAR = 1e-9
FIRST = 1e6  # how much more the sum counts that is to be greatest first


class Found(NamedTuple):
    """Orders by their ``kinds`` [order, rank], those of most utility first, and their two sums [order]."""

    utility: Floats
    fairness: Floats
    kinds: Ints


@dataclass(frozen=True, eq=False)
class _Layer:
    """The steps from the states of one rank to those of the next: a document of ``kind`` [step] is placed.

    The steps ``first[state]`` .. ``first[state + 1]`` leave a state. ``useful`` and ``fair`` [step] are what they add.
    """

    first: Ints
    kind: Ints
    to: Ints
    useful: Floats
    fair: Floats
    states: int


@dataclass(frozen=True, eq=False)
class Layers:
    """All steps from rank to rank; see ``Layers.list_steps``."""

    layers: list[_Layer]

    @classmethod
    def list_steps(
        cls, gains: Floats, supply: Ints, weights: Floats, earned: Earned, held: Ints, allowed: Bools | None = None
    ) -> "Layers":
        """List the steps.

        ``gains`` [kind, number] are what the documents of each kind gain, the greatest first, ``supply`` [kind] how
        many there are that may stand anywhere, ``weights`` [rank] what the gains count. ``held`` [rank] is the kind of
        the document that stays there, or MISSING: it enters the counts. ``allowed`` [rank, kind] says which kinds may
        stand at a rank. Steps to values that are not finite are left out.
        """
        placed, layers = np.zeros((1, len(supply)), dtype=np.int32), []
        beside = np.zeros(len(supply))
        for rank, weight in enumerate(weights.tolist()):
            added = earned(placed + beside, rank)
            if held[rank] != MISSING:
                possible = np.zeros(placed.shape, dtype=np.bool_)
                possible[:, held[rank]] = True
            else:
                possible = placed < supply
                if allowed is not None:
                    possible &= allowed[rank]
            state, kind = np.nonzero(possible & np.isfinite(added))
            number = placed[state, kind]
            after = placed[state]
            useful = np.zeros(len(kind))
            if held[rank] == MISSING:
                after[np.arange(len(kind)), kind] += 1
                useful = weight * gains[kind, number]
            else:
                beside[held[rank]] += 1
            first, to = number_rows(after)
            starts = np.searchsorted(state, np.arange(len(placed) + 1))
            layers.append(_Layer(starts, kind, to, useful, added[state, kind], len(first)))
            placed = after[first]
        return cls(layers)

    def find_front(self, most: int = MOST) -> Found | None:
        """Find the whole front; None if a rank keeps more than ``most`` pairs, or compares four times as many.

        >>> pay = lambda placed, above: np.array([[0.0, 1.0 - above]]) + 0 * placed
        >>> gains, one = np.array([[2.0], [1.0]]), np.array([1, 1])
        >>> found = Layers.list_steps(gains, one, np.array([1.0, 0.5]), pay, np.full(2, -1)).find_front()
        >>> found.utility.tolist(), found.fairness.tolist(), found.kinds.tolist()
        ([2.5, 2.0], [0.0, 1.0], [[0, 1], [1, 0]])
        """
        state, utility, fairness = np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros(1)
        steps: list[tuple[Ints, Ints]] = []
        for layer in self.layers:
            begin = layer.first[state]
            many = layer.first[state + 1] - begin
            if many.sum() > 4 * most:
                return None
            way = np.repeat(np.arange(len(state)), many)
            step = list_lines(begin, many)
            useful, fair = utility[way] + layer.useful[step], fairness[way] + layer.fair[step]
            order, starts, _ = sort_undominated(layer.to[step], useful, fair)
            kept = order[starts]
            if len(kept) > most:
                return None
            state, utility, fairness = layer.to[step[kept]], useful[kept], fair[kept]
            steps.append((way[kept].astype(np.int32), layer.kind[step[kept]].astype(np.int32)))
        order, starts, _ = sort_undominated(np.zeros(len(state), dtype=np.int64), utility, fairness)
        at = ends = order[starts]
        kinds = np.empty((len(ends), len(steps)), dtype=np.int64)
        for rank in range(len(steps) - 1, -1, -1):
            kinds[:, rank] = steps[rank][1][at]
            at = steps[rank][0][at]
        return Found(utility[ends], fairness[ends], kinds)

    def find_best(self, price: float, worth: float) -> tuple[float, float, Ints] | None:
        """Give utility, fairness and kinds [rank] of an order that is best where the two sums count so much."""
        total, useful, fair = np.zeros((3, 1))
        steps: list[tuple[Ints, Ints]] = []
        for layer in self.layers:
            if not len(layer.to):
                return None
            begin = np.repeat(np.arange(len(total)), np.diff(layer.first))
            value = total[begin] + (price * layer.useful + worth * layer.fair)
            order = np.lexsort((np.arange(len(value)), -value, layer.to))
            chosen = order[np.searchsorted(layer.to[order], np.arange(layer.states))]
            steps.append((begin[chosen], layer.kind[chosen]))
            total = value[chosen]
            useful, fair = useful[begin[chosen]] + layer.useful[chosen], fair[begin[chosen]] + layer.fair[chosen]
        end = at = int(total.argmax())
        kinds = np.empty(len(steps), dtype=np.int64)
        for rank in range(len(steps) - 1, -1, -1):
            kinds[rank] = steps[rank][1][at]
            at = int(steps[rank][0][at])
        return float(useful[end]), float(fair[end]), kinds

    def hull(self) -> Found | None:
        """Find the corners of the hull of the front; None where there is no order of finite values."""
        spans = [
            sum(float(np.ptp(part)) for part in parts if len(part)) or 1.0
            for parts in (
                [layer.useful for layer in self.layers],
                [layer.fair for layer in self.layers],
            )
        ]
        first = self.find_best(FIRST / spans[0], 1 / spans[1])
        last = self.find_best(1 / spans[0], FIRST / spans[1])
        if first is None or last is None:
            return None
        points, waiting = [first], [(first, last)]
        while waiting:
            left, right = waiting.pop()
            loss, gain = left[0] - right[0], right[1] - left[1]
            if min(loss, gain) <= NEAR:
                continue
            new = self.find_best(gain, loss)
            assert new is not None
            if gain * (new[0] - left[0]) + loss * (new[1] - left[1]) > NEAR * loss * gain:
                points.append(new)
                waiting += [(left, new), (new, right)]
        points.append(last)
        points.sort(key=lambda point: (-point[0], point[1]))
        utility, fairness = np.array([point[:2] for point in points]).T
        return Found(utility, fairness, np.array([kinds for *_, kinds in points]))

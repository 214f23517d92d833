"""What the words of a document make of its gain: Shapley values of their occurrences, from the measure itself.

The players are the occurrences, those of a group alike; a coalition is worth the gain of a document that holds no other
term. So all occurrences together make the gain less that of a document without any.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numpy as np

from fairtrec.data import Bools, Candidates, Floats, Ints, take
from fairtrec.explanation.cases import Case
from fairtrec.formulas import shapley
from fairtrec.measure import Sum

OF_COUNTS = frozenset({"counts", "log_counts"})
OTHERS = {"ranked", "tokens", "target", "background", "collection", "groups"}  # that a document made up may have
Coalitions = tuple[Floats, bool]  # [coalition, group], and whether these are not all


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """What one occurrence of each group makes of the gain of each document.

    ``nothing`` is the gain of a document without any term [query], ``each`` what an occurrence adds to it
    [query, rank, group], ``rough`` where that is the difference divided by their number [query, rank].
    """

    nothing: Floats
    each: Floats
    rough: Bools

    @classmethod
    def of(cls, case: Case) -> Self | None:
        """Ask the measure for the gains of documents that are made up; None if it does not go by their terms."""
        needs = set(case.measure.needs)
        if "ranked" not in needs or not needs & OF_COUNTS or not needs <= OF_COUNTS | OTHERS or case.documents is None:
            return None
        counted = "counts" in needs
        inputs = case.inputs
        counts = take(inputs.counts if counted else inputs.log_counts, inputs.ranked)
        tokens = take(inputs.tokens, inputs.ranked) if "tokens" in needs else np.ones(counts.shape[:2])
        several = "target" in needs and len(inputs.target) > 1
        rows = np.arange(len(counts)) if several else np.zeros(len(counts), dtype=np.int64)
        there = np.isfinite(counts).all(axis=2)
        row = np.broadcast_to(rows[:, None], there.shape)[there]
        keys = np.column_stack([row, tokens[there], counts[there]])
        distinct, which = _distinct(keys)
        shares = np.zeros((len(distinct), counts.shape[2]))
        rough = np.zeros(len(distinct), dtype=np.bool_)
        nothing = np.zeros(len(counts))
        for each in sorted(set(rows.tolist())):  # np.unique would import numpy.ma
            query = each if several else 0
            at = np.flatnonzero(distinct[:, 0] == each)
            target = inputs.target[query % len(inputs.target)].tobytes() if "target" in needs else b""
            if target not in case.shares:
                case.shares[target] = _gains(case, query, np.zeros((1, counts.shape[2])), np.ones(1))[0]
            nothing[rows == each] = case.shares[target]
            names = [target + row.tobytes() for row in distinct[at, 1:]]
            fresh = np.array([name not in case.shares for name in names], dtype=np.bool_)
            new = at[fresh]
            for part in _portions(distinct[new, 2:], counted=counted):
                found = zip(*_shares(case, query, distinct[new[part]], counted=counted), strict=True)
                case.shares.update(zip([names[place] for place in np.flatnonzero(fresh)[part]], found, strict=True))
            if names:
                shares[at] = [case.shares[name][0] for name in names]
                rough[at] = [case.shares[name][1] for name in names]
        values = np.zeros(counts.shape)
        values[there] = shares[which]
        roughly = np.zeros(there.shape, dtype=np.bool_)
        roughly[there] = rough[which]
        return cls(nothing, values, roughly)

    def of_words(self, scale: Floats) -> Floats:
        """Weigh by what one of gain adds at each rank [query, rank, group]."""
        ranks = scale.shape[1]
        wide = np.pad(self.each[:, :ranks], ((0, 0), (0, max(ranks - self.each.shape[1], 0)), (0, 0)))
        return wide * scale[..., None]


def _distinct(rows: Floats) -> tuple[Floats, Ints]:
    """Give the rows that differ, in order, and which of them each row is; np.unique takes four times as long.

    >>> [each.tolist() for each in _distinct(np.array([[2.0, 1.0], [0.0, 3.0], [2.0, 1.0]]))]
    [[[0.0, 3.0], [2.0, 1.0]], [1, 0, 1]]
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    which = np.empty(len(rows), dtype=np.int64)
    which[order] = np.cumsum(first) - 1
    return ordered[first], which


def _portions(counts: Floats, *, counted: bool) -> Iterator[Ints]:
    """Deal documents out so that the coalitions of a portion are not too many at once."""
    sizes = np.prod(counts + 1, axis=1) if counted else np.full(len(counts), 4.0)
    number = np.cumsum(np.minimum(sizes, shapley.MOST)) // shapley.MOST
    for each in sorted(set(number.tolist())):
        yield np.flatnonzero(number == each)


def _shares(case: Case, query: int, documents: Floats, *, counted: bool) -> tuple[Floats, Bools]:
    """Give what one occurrence of each group adds to the gains of documents: rows of query, tokens and counts."""
    several = [_coalitions(row, counted=counted) for row in documents[:, 2:].tolist()]
    lengths = [len(held) for held, _ in several]
    held = np.concatenate([held for held, _ in several])
    gains = _gains(case, query, held, np.repeat(documents[:, 1], lengths))
    parts = np.split(gains, np.cumsum(lengths)[:-1])
    rough = np.array([divided for _, divided in several])
    shares = []
    for counts, gain, divided in zip(documents[:, 2:].tolist(), parts, rough.tolist(), strict=True):
        if not counted:
            shares.append([(one - gain[0]) / many if many else 0.0 for one, many in zip(gain[1:], counts, strict=True)])
        elif divided:
            shares.append([(gain[1] - gain[0]) / sum(counts)] * len(counts))
        else:
            shares.append(shapley.shares(gain.reshape([int(many) + 1 for many in counts])).tolist())
    return np.array(shares), rough


def _coalitions(counts: Sequence[float], *, counted: bool) -> Coalitions:
    """List the coalitions that are to be rated: all, or none and all; of logarithms none and each group alone."""
    if not counted:
        return np.vstack([np.zeros(len(counts)), np.diag(counts)]), False
    if prod(many + 1 for many in counts) > shapley.MOST:
        return np.array([[0.0] * len(counts), counts]), True
    return shapley.coalitions([int(many) for many in counts]), False


def _gains(case: Case, query: int, counts: Floats, tokens: Floats) -> Floats:
    """Ask for the gains of documents of these counts [document, group] and lengths, had the query ranked them."""
    inputs = case.inputs
    made: dict[str, Any] = {
        "ranked": np.arange(len(counts))[None],
        "counts": counts,
        "log_counts": counts,
        "tokens": tokens,
    }
    for name in set(case.measure.needs) - made.keys():
        value = getattr(inputs, name)
        if isinstance(value, Candidates):
            value = Candidates(_row(value.counts, query), _row(value.documents, query))
        made[name] = value if name == "groups" else value if isinstance(value, Candidates) else _row(value, query)
    terms = case.measure.over_ranks(**{name: made[name] for name in case.measure.needs})
    assert isinstance(terms, Sum)
    return np.asarray(terms.gains[0])


def _row(table: Any, query: int) -> Any:
    return table[query : query + 1] if len(table) > 1 else table

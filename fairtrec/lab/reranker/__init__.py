"""What a reranker is, and all that its author imports, as ``fairtrec.reranker``."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Literal

import numpy as np

from fairtrec.data import MISSING, Bools, Candidates, Floats, Ints, take
from fairtrec.data.parameters import Parameters, list_optional_inputs, list_required_inputs
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

__all__ = [
    "FAR",
    "MISSING",
    "NEW",
    "Bools",
    "Candidates",
    "Chance",
    "Floats",
    "Heads",
    "InputError",
    "Ints",
    "Lists",
    "Note",
    "NoteKind",
    "NoteSeverity",
    "Order",
    "Reranker",
    "Unknown",
    "UsageError",
    "ceils",
    "completed",
    "count_queries",
    "floors",
    "places_to_fill",
    "take",
]  # fmt: skip

Unknown = Literal["keep", "free"]
NEW = -2  # judged document j, which need not be in the ranking, is placed as NEW - j
NO_KNOWN_GROUP = NoteKind(
    "no known group",
    "order kept in {many} of {queries} queries: no document of known group",
)
NO_CLAIM = NoteKind("no claim", "no group has a claim in {many} of {queries} queries: no document of known group")
STAYS = NoteKind("ranks that stay", "{many} of {ranks} ranks keep their document, whose group is none or unknown")
NO_TARGET = NoteKind("no target", "order kept in {many} of {queries} queries: no target")
NO_TARGET_OR_BACKGROUND = NoteKind(
    "no target or background",
    "order kept in {many} of {queries} queries: no target or no background",
)


@dataclass(frozen=True, eq=False)
class Order:
    """The documents at the first ranks, and notes for a reader of the run.

    Attributes:
        ranks: ranks of the run, from 0 [query, place], each at most once; MISSING only behind the last. The other
            documents follow in their order.
        notes: numbers of notes of one kind are added up.
    """

    ranks: Ints
    notes: tuple[Note, ...] = ()


class Reranker(Parameters):
    """The base of all rerankers. A subclass adds parameters as fields, and ``__call__``.

    ``worst_known`` means that it can place the worst possible document (``--missing worst``).
    """

    worst_known: ClassVar[bool] = False  # whether it can place the worst possible document

    def __call__(self, *args: Any, **inputs: Any) -> Order:  # noqa: ARG002 - for subclasses
        """Order each query's documents by the inputs that the signature names; those with a default may be lacking."""
        raise TypeError(f"{self.name} does not define how it orders; add a __call__")

    def deep_enough(self, *args: Any, **inputs: Any) -> Bools | None:  # noqa: ARG002 - for subclasses
        """Return for which queries deeper ranks change nothing [query]; None: all ranks are looked at.

        It names its inputs as ``__call__`` does.
        """
        return None

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs that an order needs."""
        return list_required_inputs(type(self).__call__)

    @property
    def preferences(self) -> tuple[str, ...]:
        """The names of inputs that are used if they are given."""
        return list_optional_inputs(type(self).__call__)

    @property
    def orders_together(self) -> bool:
        """Whether the order of a query depends on other queries, so that all are ordered at once."""
        return False

    @property
    def searches_orders(self) -> bool:
        """Whether orders are found from what measures make of them. Then ``__call__`` is not used."""
        return False

    @property
    def is_random(self) -> bool:
        """Whether it draws at random, so that there are several samples."""
        return "chance" in self.needs


FAR = np.iinfo(np.int64).max  # behind all documents
EXACT = 1e-9  # shares are decimals; what is this near to a whole number is one


@dataclass(frozen=True, eq=False)
class Lists:
    """The documents that are moved, by the ranks at which they stand; the others keep theirs.

    ``ranks`` and ``groups`` [query, n] hold MISSING behind the last; ``tops`` [query] is how many of them stand above
    the cutoff. ``width`` is how many ranks were looked at, ``lengths`` [query] how many of these hold a document.
    """

    ranks: Ints
    groups: Ints
    tops: Ints
    lengths: Ints
    width: int
    notes: tuple[Note, ...] = ()

    @classmethod
    def group_documents(cls, group_of: Ints, lengths: Ints, cutoff: int, free: int | None = None) -> "Lists":
        """Take the documents of known group; those of unknown group, too, as members of the group ``free``, if given.

        >>> lists = Lists.group_documents(np.array([[0, MISSING, 1]]), np.array([3]), cutoff=2)
        >>> lists.ranks.tolist(), lists.groups.tolist(), lists.tops.tolist()
        ([[0, 2]], [[0, 1]], [1])
        """
        there = np.arange(group_of.shape[1]) < lengths[:, None]
        groups = np.where(there & (group_of == MISSING), MISSING if free is None else free, group_of)
        moved = there & (groups != MISSING)
        many = moved.sum(axis=1)
        filled = np.arange(int(many.max(initial=0))) < many[:, None]
        ranks, closed = np.full((2, *filled.shape), MISSING, dtype=np.int64)
        ranks[filled], closed[filled] = np.nonzero(moved)[1], groups[moved]
        top = there[:, :cutoff]
        unknown, silent = top & (group_of[:, :cutoff] == MISSING), ~(there & (group_of != MISSING)).any(axis=1)
        notes = [count_queries(NO_KNOWN_GROUP if free is None else NO_CLAIM, silent)]
        if free is None:
            notes.append(STAYS.note(many=int(unknown.sum()), ranks=int(top.sum())))
        tops = places_to_fill(moved, cutoff, moved_only=True)
        return cls(ranks, closed, tops, lengths, group_of.shape[1], tuple(notes))

    @property
    def document_counts(self) -> Ints:
        """How many documents are moved [query]."""
        return np.asarray((self.ranks != MISSING).sum(axis=1))

    def put_back(self, first: Ints) -> Ints:
        """Order all ranks that were looked at [query, place]: ``first`` come these places of the lists, then the rest.

        >>> lists = Lists.group_documents(np.array([[0, MISSING, 1]]), np.array([3]), cutoff=3)
        >>> lists.put_back(np.array([[1]])).tolist()
        [[2, 1, 0]]
        """
        order = completed(first, self.document_counts, self.ranks.shape[1])
        ranks = np.arange(self.width)
        put = np.where(ranks < self.lengths[:, None], ranks, MISSING)
        filled = self.ranks != MISSING
        rows = np.nonzero(filled)[0]
        put[rows, self.ranks[filled]] = self.ranks[rows, order[filled]]
        return put

    def spread(self, values: Floats) -> Floats:
        """Take the values [query, rank] of the documents that are moved [query, n]; nan behind the last."""
        taken = np.take_along_axis(values, np.maximum(self.ranks, 0), axis=1)
        return np.where(self.ranks == MISSING, np.nan, taken)


def places_to_fill(known: Bools, cutoff: int, *, moved_only: bool) -> Ints:
    """Say how many of the first ranks are filled anew [query]: of ``known`` groups alone, or whatever stands there.

    >>> places_to_fill(np.array([[True, False, True]]), 2, moved_only=True).tolist()
    [1]
    """
    return np.asarray(known[:, :cutoff].sum(axis=1) if moved_only else np.full(len(known), cutoff))


def count_queries(kind: NoteKind, which: Any) -> Note:
    """Count the queries for which something is true, in a note whose values are ``many`` and ``queries``.

    >>> early = NoteKind("end early", "queries that end early: {many} of {queries}")
    >>> str(count_queries(early, np.array([True, False])))
    'queries that end early: 1 of 2'
    """
    return kind.note(many=int(np.sum(which)), queries=len(which))


def completed(first: Ints, many: Ints, width: int) -> Ints:
    """Put behind the ``first`` [query, place], which MISSING may fill up, the rest of 0..many-1; MISSING behind these.

    >>> completed(np.array([[2, MISSING], [1, 0]]), np.array([3, 2]), 3).tolist()
    [[2, 0, 1], [1, 0, -1]]
    """
    at = np.arange(width)
    place = np.where(at < many[:, None], first.shape[1] + at, first.shape[1] + width + at)
    rows, columns = np.nonzero(first != MISSING)
    place[rows, first[rows, columns]] = columns
    order = np.argsort(place, axis=1, kind="stable")
    return np.where(at < many[:, None], order, MISSING)


class Heads:
    """The heads of each query's groups: what is placed is taken off.

    >>> heads = Heads(np.array([[0, 0, 1]]), groups=2)
    >>> heads.take(np.array([0]), np.array([True])).tolist(), heads.places.tolist(), heads.taken.tolist()
    ([0], [[1, 2]], [[1, 0]])
    """

    def __init__(self, groups_of: Ints, groups: int) -> None:
        """``groups_of`` [query, place] is the group of each document, MISSING behind the last."""
        queries = len(groups_of)
        keys = np.where(groups_of < 0, groups, groups_of)
        self._order = np.argsort(keys, axis=1, kind="stable")
        counts = np.zeros((queries, groups + 1), dtype=np.int64)
        np.add.at(counts, (np.arange(queries)[:, None], keys), 1)
        self.supply: Ints = counts[:, :groups]
        self._first = np.cumsum(self.supply, axis=1) - self.supply
        self._rows = np.arange(queries)
        self.taken: Ints = np.zeros((queries, groups), dtype=np.int64)

    @property
    def places(self) -> Ints:
        """Where the head of each group stands [query, group]; FAR where the group has run out."""
        if not self._order.shape[1]:
            return np.full(self.taken.shape, FAR)
        at = np.minimum(self._first + self.taken, self._order.shape[1] - 1)
        found = np.take_along_axis(self._order, at, axis=1)
        return np.where(self.taken < self.supply, found, FAR)

    def take(self, group: Ints, active: Bools) -> Ints:
        """Take the head of this group of each query that is active, and say where it stood [query]."""
        places: Ints = self.places[self._rows, group]
        self.taken[self._rows[active], group[active]] += 1
        return places

    def first(self, claims: Bools) -> Ints:
        """Choose of the groups that have a claim [query, group] the one whose head stands first [query]."""
        return np.asarray(np.where(claims, self.places, FAR).argmin(axis=1))


def floors(rank: Ints | int, shares: Floats) -> Ints:
    """Round ``rank`` times each share down, as decimals: 0.1 times 30 is 3.

    >>> floors(3, np.array([0.1, 0.9])).tolist(), floors(30, np.array([0.1])).tolist()
    ([0, 2], [3])
    """
    return np.floor(rank * shares + EXACT).astype(np.int64)


def ceils(rank: Ints | int, shares: Floats) -> Ints:
    """Round ``rank`` times each share up, as decimals: 3 times 0.1 is more than 0, and 30 times 0.1 is 3.

    >>> ceils(3, np.array([0.1, 0.9])).tolist(), ceils(30, np.array([0.1])).tolist()
    ([1, 3], [3])
    """
    return np.ceil(rank * shares - EXACT).astype(np.int64)


@dataclass(frozen=True)
class Chance:
    """Random numbers of these queries. They depend only on the seed, the sample and the query id."""

    seed: int  # the seed of the random numbers
    qids: Sequence[str]  # the ids of the queries
    sample: int | None = None  # None: the only one

    def uniform(self, many: int) -> Floats:
        """Draw this many numbers per query, from 0 to below 1 [query, many]. A larger draw begins with the smaller one.

        >>> Chance(0, ["q1"]).uniform(9)[0, 0] == Chance(0, ["q2", "q1"]).uniform(2)[1, 0]
        np.True_
        """
        drawn = np.empty((len(self.qids), many))
        for row, qid in zip(drawn, self.qids, strict=True):
            key = int.from_bytes(sha256(qid.encode("utf-8", "surrogateescape")).digest()[:8])
            np.random.default_rng([self.seed, self.sample or 0, key]).random(out=row)
        return drawn

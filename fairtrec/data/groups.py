"""Who and what belongs to which group: terms, labels, stances; and the query sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np

from fairtrec.data.digests import digest_texts
from fairtrec.data.docnos import MISSING, Bools, Docnos, Docs, Floats, Ints, decode, refuse_large
from fairtrec.support.errors import InputError
from fairtrec.support.literals import Drawn
from fairtrec.support.notes import Note

PIECE = 1 << 20  # weights that are looked at at a time
MOST_GROUPS = 4096  # of a word list, of a table of counts, and of attributes that are crossed, of which a list is made
UNKNOWN, NONE = "?", "-"  # in the place of a group: nobody has said; known, and of none of the groups


@dataclass(frozen=True)
class GroupTerms:
    """The words that mark each group. Groups are in alphabetical order; a term may be several tokens."""

    name: str
    terms: Mapping[str, tuple[str, ...]]
    sha256: str = ""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups, in the order of every array with a group axis."""
        return tuple(sorted(self.terms))

    @property
    def digest(self) -> str:
        """The sha256 of the file, or of the words where there is none."""
        words = ((group, "\n".join(sorted(words))) for group, words in self.terms.items())
        return self.sha256 or digest_texts(words)


@dataclass(frozen=True)
class Beyond:
    """Labeled documents that nothing names, in sums: how many are of each group, ``?`` for those of unknown group too,
    what these ``amounts`` to by their membership, and how many documents are of ``none`` of the groups; of those in
    ``part`` nobody knows all, so that they are of the group ``?`` where there is one.
    """

    documents: Mapping[str, int]
    amounts: Mapping[str, float]
    none: int
    part: int = 0


@dataclass(frozen=True, eq=False)
class Labels:
    """Group membership from outside: ``weights`` [row, group] between 0 and 1, a row of nan where nothing is known.

    A row is a document, or ``qid docno`` where labels are given per query; a row of zeros is known to be of none of the
    groups. ``own`` says that a query's groups are its own, as subtopics are: 1 of one query is not 1 of another.
    ``order`` names the groups from the least to the greatest, and is empty where they have no order. ``none`` says that
    a document may be of none of the groups. ``others`` [group] are the weights of every document that is in no row;
    None where these are unknown. ``unsure`` [row] is how much of a document is of unknown group while the rest is
    known; None where all of each is known, or nothing. ``beyond`` are documents that have no row; None: all have one.
    ``labeled`` [row] says which rows were known before those of unknown group were ``filled``; None: none was filled.
    ``written`` are the names of groups as the file has them, before any is renamed; empty if that is not known.
    ``notes`` are what a reader must know of the file.
    """

    name: str
    groups: tuple[str, ...]
    rows: Docnos
    weights: Floats
    per_query: bool = False
    sha256: str = ""
    own: bool = False
    order: tuple[str, ...] = ()
    none: bool = False
    others: Floats | None = None
    unsure: Floats | None = None
    beyond: Beyond | None = None
    labeled: Bools | None = None
    written: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()

    @property
    def is_ordered(self) -> bool:
        """Whether the groups have an order, as any two have: turned round, it is the same to all that look at it."""
        return bool(self.order) or (len(self.groups) == 2 and UNKNOWN not in self.groups)

    @property
    def sizes(self) -> Ints:
        """How many documents, or queries with documents, are labeled with each group [group], ``?`` among them."""
        others = {} if self.beyond is None else self.beyond.documents
        held: Bools = self.weights > 0
        if self.labeled is not None:
            held &= self.labeled[:, None] | (np.array(self.groups) == UNKNOWN)
        return np.asarray(held.sum(axis=0) + [others.get(name, 0) for name in self.groups])

    @property
    def amounts(self) -> Floats:
        """The membership of all documents in each group [group]."""
        others = {} if self.beyond is None else self.beyond.amounts
        total: Floats = np.nan_to_num(self.weights).sum(axis=0) + [others.get(name, 0.0) for name in self.groups]
        return total

    @property
    def none_count(self) -> int:
        """How many documents are of none of the groups."""
        return int((~self.weights.any(axis=1)).sum()) + (0 if self.beyond is None else self.beyond.none)

    def fill_unknown(self, how: Literal["group", "even"]) -> "Labels":
        """Put documents of unknown group into a ``group`` of their own, which is called ``?``, or evenly into all.

        A group of what is unknown has no place in an order, so that there is none then.
        """
        order = self.order if how == "even" else ()
        groups, weights, others = self.groups, self.weights, np.full(len(self.groups), 1 / len(self.groups))
        if how == "group":
            groups = tuple(sorted((*groups, UNKNOWN)))
            others = (np.array(groups) == UNKNOWN).astype(np.float64)
            weights = np.insert(weights, groups.index(UNKNOWN), 0.0, axis=1)
        unsure = 0.0 if self.unsure is None else self.unsure[:, None]
        weights = np.where(np.isnan(weights).any(axis=1, keepdims=True), others, weights + unsure * others)
        beyond = self.beyond and replace(self.beyond, none=self.beyond.none - self.beyond.part, part=0)
        return replace(
            self,
            groups=groups,
            weights=weights,
            order=order,
            others=others,
            unsure=None,
            beyond=beyond,
            labeled=np.asarray(~np.isnan(self.weights).any(axis=1)),
        )

    @cached_property
    def is_hard(self) -> bool:
        """Whether each document is wholly of a group or not at all, also those without labels."""
        others = 0.0 if self.others is None else self.others
        pieces = range(0, len(self.weights), max(1, PIECE // len(self.groups)))  # as copies of all may be large
        some = (self.weights[first : first + pieces.step] for first in pieces)
        return not (np.any(others % 1) or any(np.any(np.nan_to_num(each) % 1) for each in some))

    @cached_property
    def terms(self) -> Floats:
        """How many groups each document is of [row], as a label is one group term for measures of these."""
        terms: Floats = np.nan_to_num(self.weights).sum(axis=1)
        return terms

    @cached_property
    def queries(self) -> frozenset[str]:
        """The queries that they name; for labels per query."""
        return frozenset(decode(np.array([name.split(b" ", 1)[0] for name in self.rows.names.tolist()], "S")))

    def list_query_groups(self) -> tuple[tuple[str, ...], Bools]:
        """Tell which groups some label of each query names: queries, and [query, group]; for labels per query."""
        qids = [name.split(b" ", 1)[0] for name in self.rows.names.tolist()]
        of_rows, number = np.unique(np.array(qids, dtype=np.bytes_), return_inverse=True)
        named = np.zeros((len(of_rows), len(self.groups)), dtype=np.bool_)
        np.logical_or.at(named, number, self.weights > 0)
        return tuple(decode(of_rows)), named


class Vote(NamedTuple):
    """What a share of the people who labeled a document say of it: its groups, none of them, or one or more.

    ``by`` names who said so; "" where nobody is named.
    """

    share: float
    groups: tuple[str, ...]
    by: str = ""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Gold labels, which people gave to what was drawn: documents, or queries with all their documents.

    ``labels``       rows are documents, or ``qid docno`` where queries were drawn; the groups are those that people
                     named, and may be none at all; a row of zeros is of none of the groups.
    ``unknown``      of which rows people could not tell; their weights are nan.
    ``lines``        the line of the file on which each row stands first [row]; 0 is no file.
    ``probability``  with which each row was drawn [row]; None where the file does not say.
    ``depth``        ranks down to which documents could be drawn; None where the file does not say, as ``seed``.
    ``runs``         of which was drawn: the first 8 digits of the sha256 of each, "" of what is no file, and its name.
    ``made``         all that `fairtrec gold draw` says of the draw, by its name in the first line; else empty.
    ``votes``        what people say of each row, the shares summing to 1 [row]; empty where people could not tell.
    """

    path: str
    unit: Drawn
    labels: Labels
    unknown: Bools
    lines: Ints
    probability: Floats | None = None
    depth: int | None = None
    seed: int | None = None
    runs: tuple[tuple[str, str], ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    votes: tuple[tuple[Vote, ...], ...] = ()

    def match_groups(self, groups: Sequence[str]) -> Labels:
        """Give the labels with a column for each of the groups of an instrument.

        Raises InputError for a group that the instrument has not.
        """
        held = self.labels.weights > 0
        first = {name: self.lines[held[:, at]].min() for at, name in enumerate(self.labels.groups) if held[:, at].any()}
        for name in sorted(first.keys() - {*groups}, key=first.__getitem__):
            what = f"the gold labels have the group {name}, the instrument {', '.join(groups)}"
            raise InputError(
                f"{what}; write its name, or - for none of the groups", self.path, int(first[name]) or None
            )
        weights = np.zeros((len(self.unknown), len(groups)))
        for column, name in enumerate(self.labels.groups):
            if name in groups:
                weights[:, groups.index(name)] = self.labels.weights[:, column]
        weights[self.unknown] = np.nan
        return replace(self.labels, groups=tuple(groups), weights=weights)


@dataclass(frozen=True, eq=False)
class Stances:
    """Where documents stand on axes of opinion: ``values`` [row, axis]; rows as those of Labels.

    ``pointed`` is False where the axes were made and nothing says which of their sides is which.
    """

    rows: Docnos
    values: Floats
    per_query: bool = False
    pointed: bool = True


@dataclass(frozen=True)
class Queries:
    """A query set: the queries that an evaluation is limited to."""

    name: str
    qids: tuple[str, ...]
    sha256: str = ""


def order_by_number(groups: Sequence[str]) -> tuple[str, ...]:
    """Order groups that are all called by numbers from the least to the greatest; others have no order: none.

    >>> order_by_number(("100", "5", "50")), order_by_number(("5", "mid"))
    (('5', '50', '100'), ())
    """
    return tuple(sorted(groups, key=float)) if all(map(is_number, groups)) else ()


def is_number(cell: Any) -> bool:
    """Tell whether this is a finite number, or is written as one."""
    try:
        return "_" not in str(cell) and isfinite(float(cell))
    except (TypeError, ValueError, OverflowError):
        return False


def look_up(table: Labels | Stances, qids: Sequence[str], docnos: Docs, lines: Ints) -> Floats:
    """Look up documents, ``docnos[lines]`` with lines [query, n]; nan where there is no document or no entry."""
    values = table.weights if isinstance(table, Labels) else table.values
    refuse_large(queries=lines.shape[0], documents=lines.shape[1], groups=values.shape[1])
    there = lines != MISSING
    rows = find_rows(table, qids, docnos, lines)[there]
    found = np.full((*lines.shape, values.shape[1]), np.nan)
    otherwise = table.others if isinstance(table, Labels) and table.others is not None else np.nan
    found[there] = np.where((rows != MISSING)[:, None], values[rows], otherwise)
    return found


def find_labeled(labels: Labels, qids: Sequence[str], docnos: Docs, lines: Ints) -> Bools:
    """Tell of which documents [query, n] the groups are known, as for ``look_up``, by labels and not by filling."""
    rows = find_rows(labels, qids, docnos, lines)
    if labels.labeled is not None:
        return np.append(labels.labeled, False)[rows]
    others = labels.others is not None and not np.isnan(labels.others).any()
    known = np.append(~np.isnan(labels.weights).any(axis=1), others)  # of each row, not of each document and group
    return np.asarray(known[rows] & (lines != MISSING))


def find_rows(table: Labels | Stances, qids: Sequence[str], docnos: Docs, lines: Ints) -> Ints:
    """Find the rows of documents, ``docnos[lines]`` with lines [query, n]; MISSING where there is none."""
    there = lines != MISSING
    names = docnos[lines[there]]
    if table.per_query:
        query = np.broadcast_to(np.arange(len(qids))[:, None], lines.shape)[there]
        prefixes = np.array([f"{qid} ".encode() for qid in qids], dtype=np.bytes_)
        names = np.char.add(prefixes[query], names)
    found = np.full(lines.shape, MISSING, dtype=np.int64)
    found[there] = table.rows.rows(names)
    return found


def product(first: Labels, second: Labels) -> Labels:
    """Cross two attributes: the group ``a*b`` holds what is in a and in b, by the product of the weights."""
    assert first.per_query == second.per_query
    names = Docnos.collect(first.rows.names, second.rows.names)
    refuse_large(documents=len(names), groups=len(first.groups) * len(second.groups))
    left, right = (_aligned(labels, names) for labels in (first, second))
    weights = (left[:, :, None] * right[:, None, :]).reshape(len(names), -1)
    groups = [f"{a}*{b}" for a in first.groups for b in second.groups]
    order = np.argsort(groups, kind="stable")
    others = None
    if first.others is not None and second.others is not None:
        others = np.outer(first.others, second.others).ravel()[order]
    both = [
        np.append(each.labeled, False)[each.rows.rows(names.names)]
        for each in (first, second)
        if each.labeled is not None
    ]
    return Labels(
        f"{first.name}*{second.name}",
        tuple(groups[i] for i in order),
        names,
        weights[:, order],
        first.per_query,
        none=first.none or second.none,
        others=others,
        labeled=np.asarray(both[0] & both[1]) if len(both) == 2 else None,
        written=first.written | second.written if first.written and second.written else frozenset(),
    )


def _aligned(labels: Labels, names: Docnos) -> Floats:
    rows = labels.rows.rows(names.names)
    otherwise = np.nan if labels.others is None else labels.others
    return np.where((rows != MISSING)[:, None], labels.weights[rows], otherwise)

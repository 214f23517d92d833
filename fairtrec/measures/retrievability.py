"""Retrievability: which documents can be found at all, over all queries of a log?

Source: Azzopardi, Vinay: Retrievability. CIKM 2008. https://doi.org/10.1145/1458082.1458157
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fairtrec.data import Docs, Floats, Ints
from fairtrec.formulas import ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.formulas.retrieved_documents import RetrievedDocuments, gini, weigh_ranks
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Form, Measure, Note, NoteKind, NoteSeverity, Summands, UsageError
from fairtrec.measure.forms import PooledQueries

SHORT = NoteKind(
    "short rankings", "{short} of {queries} queries rank fewer documents than the cutoff", NoteSeverity.INPUT
)
NO_SIZE = NoteKind(
    "no collection size",
    "over the {documents:,} documents retrieved only; --collection-size N counts those that no query retrieves",
    NoteSeverity.MISLEADING,
)
NEGATIVE = "b is {b}; the weight of a rank is rank^-b, so b is 0 or more"


@ranks.cache_by_array
def _find_amounts(frequency: Floats, retrieved: RetrievedDocuments) -> Floats:
    """Give what each document gets, of those that get anything."""
    most = float(frequency.max(initial=0.0))
    amounts = retrieved.sum_weights(frequency / most if most > 0 else frequency)
    return amounts[amounts > 0]


@dataclass(frozen=True, eq=False)
class Inequality(PooledQueries):
    """How unequal documents are in what they get, of a collection of ``size`` documents; None: of those retrieved."""

    retrieved: RetrievedDocuments
    size: int | None

    @classmethod
    def join(cls, several: Sequence["Inequality"], queries: Sequence[Ints], many: int) -> "Inequality":  # noqa: ARG003
        """Put the rankings of parts of the queries together."""
        return cls(RetrievedDocuments.join([each.retrieved for each in several], queries), several[0].size)

    def keep_queries(self, queries: Sequence[int]) -> "Inequality":
        """Keep some of the queries, by number."""
        return Inequality(self.retrieved.keep_queries(queries), self.size)

    def compute(self, frequency: Floats) -> float:
        """Compute the Gini coefficient."""
        return gini(_find_amounts(frequency, self.retrieved), self.size)

    def refuse(self, frequency: Floats) -> None:
        """Raise UsageError if more documents are retrieved than the collection has."""
        if self.size is not None and self.size < (many := len(_find_amounts(frequency, self.retrieved))):
            what = f"--collection-size {self.size}: {many} documents were retrieved"
            raise UsageError(f"{what}; pass the number of documents of the whole collection")

    def list_notes(self, measure: Measure, frequency: Floats) -> list[Note]:
        """Note that documents which no query retrieves are not counted."""
        if self.size is not None:
            return []
        return [NO_SIZE.note(measure=measure, documents=len(_find_amounts(frequency, self.retrieved)))]


@ranks.cache_by_array
def _number(docnos: Docs) -> RetrievedDocuments:
    """Number the docnos of rankings [query, rank]: once for all cutoffs."""
    return RetrievedDocuments.lay(docnos, np.ones(docnos.shape[1]))


@dataclass(eq=False)
class RetrievedRanks(Form):
    """The documents at the ranks that are read: ``docnos`` [query, rank], empty where there is none."""

    docnos: Docs
    weights: Floats
    size: int | None

    def value(self) -> Floats:
        """Give no value for a single query."""
        return np.full(len(self.docnos), np.nan)

    def over_queries(self) -> Inequality:
        """Give the documents of all rankings."""
        return Inequality(_number(self.docnos).cut(self.weights), self.size)


@dataclass(eq=False)
class RetrievedGroup(Form):
    """What the documents of one group get: ``held`` [query, rank] is their membership, ``size`` the sum of it over all.

    ``lengths`` [query] is how many documents are ranked.
    """

    held: Floats
    lengths: Ints
    weights: Floats
    size: float

    def value(self) -> Floats:
        """Give no value for a single query."""
        return np.full(len(self.held), np.nan)

    def over_queries(self) -> Summands:
        """Sum what the group gets, and count the documents that are ranked."""
        got = weighted_sum(np.nan_to_num(self.held[:, : len(self.weights)]), self.weights)
        return Summands(np.stack([got, self.lengths.astype(np.float64)], axis=1), partial(_divide, self.size))


def _divide(size: float, sums: Floats) -> float:
    return quotient(sums[:1], np.array([size])).item() if sums[1] > 0 else float("nan")


@dataclass(frozen=True)
class _Retrieval(Measure):
    cutoff: int = 100
    b: float = 0.0
    of_pool = True
    limits = (("b", 0.0, sys.float_info.max, NEGATIVE),)

    def note(self, lengths: Ints) -> Note | None:
        """Count the rankings that end above the cutoff."""
        short = int((lengths < self.cutoff).sum())
        return SHORT.note(short=short, queries=len(lengths)) if short else None


@dataclass(frozen=True)
class Gini(_Retrieval):
    """How unequal are documents in how often the queries of a log retrieve them?

        r(d)   = sum over queries q of  o_q * sum over ranks i = 1..k of  [d_i is d] / i^b
        Gini@k = sum over j = 1..n of  (2j - n - 1) * r_j / (n * sum of r)

    r_1..r_n are the values of r(d), lowest first. o_q is how often query q is asked: 1 (``--pool even``), or the number
    in the file of ``--pool FILE``. With ``b`` 0, r(d) counts the queries that retrieve d in their top k. With ``b``
    above 0, high ranks count more.

    n is the number of documents of the collection (``--collection-size N``). Documents that no query retrieves have r
    of 0. Without a size, n is the number of documents retrieved, and the value is much lower: compare only values
    with the same n, the same queries and the same cutoff.

    There is one value for all queries, and none for one query: add --pool.

    Unit: none. Better: lower. Empty ranking: undefined, if all rankings are empty. Range: 0 (all documents get as much)
    to 1 - 1/n.
    Undefined: for a single query; nothing is ranked, or no query that ranks anything is ever asked.
    Source: Azzopardi, Vinay, CIKM 2008. https://doi.org/10.1145/1458082.1458157
    """

    better = "lower"
    bounds = 0.0, 1.0

    def formula(self, docnos: Docs, collection_size: int | None) -> RetrievedRanks:
        """Take the documents of the first ranks."""
        return RetrievedRanks(docnos, weigh_ranks(self.b, self.cutoff), collection_size)


@dataclass(frozen=True)
class Retrievability(_Retrieval):
    """How often is a document of this group retrieved, over all queries of a log?

        r(d)              = sum over queries q of  o_q * sum over ranks i = 1..k of  [d_i is d] / i^b
        Retrievability@k  = (sum over documents d of  membership of d in the group * r(d)) / size of the group

    The size of a group is the sum of the membership of all documents in the labels or counts, ranked or not. So
    documents that no query retrieves lower the value. o_q is how often query q is asked: 1 (``--pool even``), or the
    number in the file of ``--pool FILE``. With ``b`` 0, r(d) counts the queries that retrieve d in their top k. With
    ``b`` above 0, high ranks count more.

    There is one value for each group: ``Retrievability(group='f')@100``; ``Retrievability@100`` prints all of them.
    There is one value for all queries, and none for one query: add --pool.

    Unit: queries per document (b=0). Better: neither; compare groups. Empty ranking: undefined, if all rankings are
    empty. Range: 0 to the number of queries asked.
    Undefined: for a single query; nothing is ranked, or no document is of the group.
    Source: Azzopardi, Vinay, CIKM 2008. https://doi.org/10.1145/1458082.1458157
    """

    group: str = ""
    better = "neither"
    bounds = 0.0, None

    def formula(self, group_sizes: Floats, membership: Floats, groups: Sequence[str], lengths: Ints) -> RetrievedGroup:
        """Divide what the group gets by its size."""
        at = groups.index(self.group)
        weights = weigh_ranks(self.b, self.cutoff)
        return RetrievedGroup(membership[:, :, at], lengths, weights, float(group_sizes[at]))

"""The TREC 2019 Fair Ranking track: exposure of authors' groups over sequences of rankings, and utility to readers.

A reader goes down each ranking. At rank i she stops, served, with probability p(d_i) = stop * relevance(d_i), and
goes on with probability gamma otherwise:

    reach(i) = gamma^(i-1) * product over ranks j < i of  (1 - p(d_j))

These measures have two inputs, the types of formats/trec_fair: ``sequences`` (Sequences, a run beside the ground
truth) and ``authors`` (Authors, one group file); they return one value for each sequence.

The published program differs from the paper: it multiplies exposure by p(d_i), and passes over documents that the
group file has not (they take their rank, but do not stop the reader there); an empty label is a group of its own.
That is ``variant='track'``, and gave the published table. ``variant='paper'`` is the paper's Eq. 1-7.

Source: Biega, Diaz, Ekstrand, Kohlmeier: Overview of the TREC 2019 Fair Ranking Track. TREC 2019.
https://arxiv.org/abs/2003.11650
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from fairtrec.formats.trec_fair import Sequences
from fairtrec.formats.trec_fair_files import Authors
from fairtrec.formulas import distribution
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import ABOVE_0, Floats, Ints, Measure, Note, NoteKind, NoteSeverity, UsageError
from fairtrec.support.literals import Amortization, UnfairnessVariant

_KNOWN = "the authors are known at {share} of the ranks"
KNOWN = NoteKind("known authors", _KNOWN)
KNOWN_AND_LEFT_OUT = NoteKind(
    "known authors, queries left out",
    f"{_KNOWN}; {{undefined}} of {{queries}} queries have no relevant document with known authors: left out",
    NoteSeverity.MISLEADING,
)


def reach(stops: Floats, starts: Ints, gamma: float) -> Floats:
    """Say how likely a reader comes to each line; lines ``starts[i]:starts[i + 1]`` are ranking i.

    ``stops`` [line] is the probability that she stops there. All rankings are gone down together, rank by rank, so
    that one long ranking among many short ones costs no memory, as a matrix [ranking, rank] would.

    >>> reach(np.array([0.7, 0.0, 0.7, 0.0]), np.array([0, 3, 4]), gamma=0.5).round(6).tolist()
    [1.0, 0.15, 0.075, 1.0]
    """
    goes_on = gamma * (1 - stops)
    reached = np.ones(len(stops))
    lines, last = starts[:-1], starts[1:] - 1
    while len(lines):
        below = lines < last
        lines, last = lines[below], last[below]
        reached[lines + 1] = reached[lines] * goes_on[lines]
        lines = lines + 1
    return reached


def utility(stops: Floats, starts: Ints, gamma: float) -> Floats:
    """Say how likely a reader of each ranking stops, served [ranking].

    >>> utility(np.array([0.7, 0.0, 0.7, 0.0]), np.array([0, 3, 4]), gamma=0.5).round(6).tolist()
    [0.7525, 0.0]
    """
    ranking = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return _counted(ranking, reach(stops, starts, gamma) * stops, len(starts) - 1)


def _counted(places: Ints, weights: Floats, size: int) -> Floats:
    """Add up the weights that belong to each place; zeros for none at all are numbers too."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)


def unfairness(exposure: Floats, relevance: Floats) -> Floats:
    """Measure how far the groups' shares of exposure are from their shares of relevance, both [..., group].

    >>> unfairness(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([[2.0, 2.0], [0.0, 1.0]])).round(6).tolist()
    [0.353553, nan]
    """
    return np.asarray(np.sqrt(np.square(distribution.shares(exposure) - distribution.shares(relevance)).sum(axis=-1)))


def amounts(
    sequences: Sequences, authors: Authors, stop: float, gamma: float, variant: UnfairnessVariant
) -> tuple[Floats, Floats]:
    """Sum the exposure and the relevance of each group's authors over the rankings of each pair [pair, group].

    A pair is a query in a sequence (``sequences.pairs``); its rankings are the query's repetitions.
    """
    truth, pairs = sequences.truth, sequences.pairs
    size = np.diff(truth.starts)[pairs.query]
    offset = np.cumsum(size) - size - truth.starts[pairs.query]  # a slot for each entry of each pair's query
    slot = offset[pairs.of][sequences.ranking] + sequences.entries
    slots = int(size.sum())
    pair = np.repeat(np.arange(len(size)), size)
    entry = np.arange(slots) - offset[pair]
    document = truth.documents[entry]
    stops = stop * truth.relevance
    counts = authors.counts.astype(np.float64)
    track = variant == "track"
    if track:
        stops[~authors.known[truth.documents]] = 0.0
    else:
        counts[:, [group == "" for group in authors.groups]] = 0.0
    exposed = _counted(slot, reach(stops[sequences.entries], sequences.starts, gamma), slots)
    if track:
        exposed *= stops[entry]
    times = np.bincount(slot, minlength=slots) if track else np.bincount(pairs.of)[pair]  # ranked, or to be ranked
    relevant = times * stops[entry]
    exposure, relevance = (
        [_counted(pair, amount * counts[document, group], len(size)) for group in range(len(authors.groups))]
        for amount in (exposed, relevant)
    )
    return np.stack(exposure, axis=1), np.stack(relevance, axis=1)


def sums(values: Floats, sequence: Ints, sequences: int) -> Floats:
    """Add up the rows of ``values`` that belong to one sequence [sequence, ...].

    >>> sums(np.array([[1.0, 0.0], [2.0, 5.0], [4.0, 0.0]]), np.array([0, 1, 0]), 2).tolist()
    [[5.0, 0.0], [2.0, 5.0]]
    """
    total = np.zeros((sequences, *values.shape[1:]))
    np.add.at(total, sequence, values)
    return total


def means(values: Floats, sequence: Ints, sequences: int) -> Floats:
    """Average the rows of ``values`` that belong to one sequence, but for those that are nan [sequence, ...].

    >>> means(np.array([1.0, np.nan, 4.0, np.nan]), np.array([0, 0, 0, 1]), 2).tolist()
    [2.5, nan]
    """
    total = sums(np.nan_to_num(values), sequence, sequences)
    many = sums((~np.isnan(values)).astype(np.float64), sequence, sequences)
    return quotient(total, many)


@dataclass(frozen=True)
class _TREC19(Measure):
    """What the family shares: the model of the reader, and how rankings are brought together."""

    stop: float = 0.7
    gamma: float = 0.5
    amortization: Amortization = "micro"

    limits = tuple(
        (name, ABOVE_0, 1, "stop is {stop} and gamma is {gamma}; they are probabilities above 0, at most 1")
        for name in ("stop", "gamma")
    )


class TREC19Utility(_TREC19):
    """How likely does a reader find what she seeks, in the mean over the rankings of a sequence?

        p(d) = stop * relevance(d)
        u    = sum over ranks i of  gamma^(i-1) * (product over ranks j < i of  1 - p(d_j)) * p(d_i)
        U    = mean of u over the rankings

    ``amortization='macro'``: u is averaged over the repetitions of each query, then over queries.

    Unit: none, a probability. Better: higher. Empty ranking: 0. Range: [0, 1].
    Undefined: never.
    Source: Biega et al., TREC 2019, Eq. 8. https://arxiv.org/abs/2003.11650
    """

    bounds = 0.0, 1.0

    def __call__(self, sequences: Sequences) -> Floats:  # type: ignore[override, unused-ignore]
        """Return U [sequence]."""
        stops = self.stop * sequences.truth.relevance[sequences.entries]
        values, many, pairs = utility(stops, sequences.starts, self.gamma), len(sequences.names), sequences.pairs
        if self.amortization == "micro":
            return means(values, sequences.sequence, many)
        return means(means(values, pairs.of, len(pairs.query)), pairs.sequence, many)


@dataclass(frozen=True)
class _OfGroups(_TREC19):
    """What the measures of groups share: the reading of the paper, and the name of the group file (its labels)."""

    variant: UnfairnessVariant = "track"
    labels: str = ""

    def amounts(self, sequences: Sequences, authors: Authors) -> tuple[Floats, Floats, Ints]:
        """Sum exposure and relevance [part, group]; a part is a sequence, or a query in one (which of them: third)."""
        exposure, relevance = amounts(sequences, authors, self.stop, self.gamma, self.variant)
        of, many = sequences.pairs.sequence, len(sequences.names)
        if self.amortization == "micro":
            return sums(exposure, of, many), sums(relevance, of, many), np.arange(many)
        return exposure, relevance, of

    def note(self, sequences: Sequences, authors: Authors) -> Note:  # type: ignore[override, unused-ignore]
        """Say for what share of the ranks the authors are known, and how many queries are left out of the mean."""
        documents = sequences.truth.documents[sequences.entries]
        known = authors.known[documents].sum() / max(len(documents), 1)
        share = f"{known:.1%}"
        if self.amortization == "macro":
            exposure, relevance, parts = self.amounts(sequences, authors)
            undefined = int(np.isnan(unfairness(exposure, relevance)).sum())
            if undefined:
                return KNOWN_AND_LEFT_OUT.note(share=share, undefined=undefined, queries=len(parts))
        return KNOWN.note(share=share)


class TREC19Unfairness(_OfGroups):
    """How far is each group's share of the readers' attention from its share of the relevance?

        p(d)      = stop * relevance(d)
        reach(i)  = gamma^(i-1) * product over ranks j < i of  (1 - p(d_j))
        e_g       = sum over rankings, ranks i and the authors of d_i in group g of  reach(i) * p(d_i)
        r_g       = sum over rankings, ranks i and the authors of d_i in group g of  p(d_i)
        E_g, R_g  = e_g, r_g divided by their sums over all groups
        unfairness = square root of the sum over groups g of (E_g - R_g)^2

    This is the published program, ``variant='track'``. A document that is not in the group file takes its rank but does
    not stop the reader (p = 0); authors with an empty label are a separate group; r is summed over the ranked
    documents. With ``variant='paper'``, e_g is the sum of reach(i) only, every relevant document stops the reader,
    authors with an empty label are left out, and r is summed over the documents of the ground truth.

    ``amortization='macro'``: e, r and unfairness are computed for each query over its repetitions in the sequence, then
    averaged over the queries for which it is defined. ``labels`` is the group file if there are several.

    Unit: none, a distance of shares. Better: lower. Empty ranking: adds nothing.
    Range: [0, square root of 2].
    Undefined: no relevant document has a labeled author, or none was ranked.
    Source: Biega et al., TREC 2019, Eq. 1-7. https://arxiv.org/abs/2003.11650
    """

    better = "lower"
    bounds = 0.0, sqrt(2)

    def __call__(self, sequences: Sequences, authors: Authors) -> Floats:  # type: ignore[override, unused-ignore]
        """Return the unfairness [sequence]."""
        exposure, relevance, parts = self.amounts(sequences, authors)
        return means(unfairness(exposure, relevance), parts, len(sequences.names))


@dataclass(frozen=True)
class TREC19Share(_OfGroups):
    """What share of the readers' attention, or of the relevance, do the authors of one group have?

        E_g, R_g as for TREC19Unfairness: ``of='exposure'`` is E_g, ``of='relevance'`` is R_g

    There is one value for each group: ``TREC19Share(group='Advanced')``; without a group all are printed. The other
    parameters are those of TREC19Unfairness.

    Unit: none, a share. Better: neither; compare a group's two shares. Empty ranking: adds nothing.
    Range: [0, 1]; the groups' shares sum to 1.
    Undefined: as TREC19Unfairness.
    Source: Biega et al., TREC 2019, Eq. 4-5. https://arxiv.org/abs/2003.11650
    """

    group: str | None = None
    of: Literal["exposure", "relevance"] = "exposure"
    better = "neither"
    bounds = 0.0, 1.0

    def __call__(self, sequences: Sequences, authors: Authors) -> Floats:  # type: ignore[override, unused-ignore]
        """Return one group's share [sequence]."""
        self.check(authors.groups)
        exposure, relevance, parts = self.amounts(sequences, authors)
        share = distribution.shares(exposure if self.of == "exposure" else relevance)
        share[np.isnan(unfairness(exposure, relevance))] = np.nan  # so that both shares are means over the same queries
        return means(share, parts, len(sequences.names))[:, authors.groups.index(self.group or "")]

    def expand_groups(self, groups: Sequence[str]) -> tuple[Measure, ...]:
        """Give one measure for each group where none was named; the paper has no group of unlabeled authors."""
        if self.group is not None:
            return (self,)
        return tuple(dataclasses.replace(self, group=each) for each in groups if each or self.variant == "track")

    def check(self, groups: Sequence[str]) -> None:
        """Refuse a group that there is not."""
        if self.group not in groups:
            known = ", ".join(map(repr, groups))
            raise UsageError(f"{self.name}: there is no group {self.group!r}; the groups are {known}")

"""rND, rKL, rRD: how far the prefixes of a ranking are from the shares of a protected group in the whole list.

The value is normalized by the least and the most that any order of the same list could have; both are exact (see
extremes.py), not simulated as in the published program.

Source: Yang, Stoyanovich: Measuring Fairness in Ranked Outputs. SSDBM 2017. https://doi.org/10.1145/3085504.3085526
As given in: Ziems et al.: Measuring and Addressing Indexical Bias in Information Retrieval. Findings of ACL 2024,
Eq. 1-4. https://doi.org/10.18653/v1/2024.findings-acl.763
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from fairtrec.formulas import discount, extremes, ranks
from fairtrec.formulas.distribution import exceeds_zero, quotient
from fairtrec.formulas.elementary import log2
from fairtrec.formulas.labelings.sums import Finals
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Bools, Floats, Form, Ints, Measure, Note, NoteKind, NoteSeverity
from fairtrec.support.progress import foretell

PrefixDiscount = Literal["log2_next", "log2_rank", "given"]
Norm = Literal["minmax", "max"]
PrefixCost = Callable[[Floats, int], Floats]
PrefixDifference = Callable[[Any, Any, Any, Any], Floats]
TOGETHER = 1 << 16  # differences that are computed at once, and held
_CUT = "the list is the first {cutoff} documents; members of groups below it do not count"
_SOFT = "{soft} of {memberships} memberships are soft; more than .5 counts as a member"
CUT = NoteKind("list is cut", _CUT, NoteSeverity.BACKGROUND)
SOFT = NoteKind("soft memberships", _SOFT)
SOFT_AND_CUT = NoteKind("soft memberships, list is cut", f"{_CUT}; {_SOFT}", NoteSeverity.BACKGROUND)


def nd(count: Ints, rank: Ints, marked: Ints, length: Ints) -> Floats:
    """Compare the share of the protected in a prefix, ``count`` / ``rank``, with that in the list.

    >>> nd(np.array([1, 1]), np.array([1, 2]), np.array(2), np.array(4)).tolist()
    [0.5, 0.0]
    """
    return np.abs(count / rank - marked / length)


def kl(count: Ints, rank: Ints, marked: Ints, length: Ints) -> Floats:
    """Take the Kullback-Leibler divergence, in bits, of the two shares in a prefix from the two in the list.

    >>> kl(np.array([1, 1]), np.array([1, 2]), np.array(2), np.array(4)).tolist()
    [1.0, 0.0]
    """
    return _divergence(count / rank, marked / length)


def kl_compat(count: Ints, rank: Ints, marked: Ints, length: Ints) -> Floats:
    """Do as ``kl``, but take a share of 0 or 1 in a prefix for .001, as the published program does."""
    share = count / rank
    return _divergence(np.where((share == 0) | (share == 1), 0.001, share), marked / length)


def rd(count: Ints, rank: Ints, marked: Ints, length: Ints) -> Floats:
    """Compare the ratio of protected to others in a prefix with that in the list; a ratio to no others is 0.

    >>> rd(np.array([1, 1]), np.array([1, 2]), np.array(2), np.array(4)).tolist()
    [1.0, 0.0]
    """
    return np.abs(quotient(count, rank - count, otherwise=0.0) - marked / (length - marked))


def _divergence(p: Floats, q: Floats) -> Floats:
    other = 1 - p
    return p * log2(np.where(p > 0, p, q) / q) + other * log2(np.where(other > 0, other, 1 - q) / (1 - q))


PER_CELL: dict[PrefixDifference, float] = {
    nd: 1e-8,
    rd: 1e-8,
    kl: 4e-8,
    kl_compat: 4e-8,
}  # seconds, of a rank and a number of protected documents


def weights(n: int, step: int, kind: PrefixDiscount) -> Floats:
    """Weigh ranks 1..n: 1 / log2(i + 1), or 1 / log2(i) from rank 2, at each ``step``-th rank; 0 elsewhere.

    >>> weights(4, 2, "log2_next").round(6).tolist(), weights(4, 1, "log2_rank").round(6).tolist()
    ([0.0, 0.63093, 0.0, 0.430677], [0.0, 1.0, 0.63093, 0.5])
    """
    return np.where(np.arange(1, n + 1) % step == 0, discount.compute_weights(kind, n), 0.0)


def foretell_orders(difference: PrefixDifference, pairs: Iterable[Sequence[int]]) -> None:
    """Say how long the least and the most of lists take, by their lengths and protected documents, if that is long."""
    distinct = {(length, marked) for length, marked in pairs if 0 < marked < length}
    lists = f"{len(distinct)} lists of up to " if len(distinct) > 1 else ""
    longest = max((length for length, _ in distinct), default=0)
    what = f"the least and the most over all orders of {lists}{longest:,} documents"
    seconds = PER_CELL.get(difference, PER_CELL[nd]) * sum(length * (marked + 1) for length, marked in distinct)
    foretell(f"{what} (rND and its kin; fewer with a cutoff)", seconds)


def bound_order(
    difference: PrefixDifference, length: int, marked: int, step: int, kind: PrefixDiscount
) -> tuple[float, float]:
    """Give the least and the most that any order of a list has, ``marked`` of whose documents are protected."""
    return _ends(difference, length, marked, step, kind, getattr(kind, "weights", ()))


@lru_cache(maxsize=16384)
def _ends(
    difference: PrefixDifference,
    length: int,
    marked: int,
    step: int,
    kind: PrefixDiscount,
    given: tuple[float, ...],  # noqa: ARG001 - the word alone does not tell one file from another
) -> tuple[float, float]:
    return extremes.bound_by_counts(_costs(difference, length, marked, weights(length, step, kind)), length, marked)


def _costs(difference: PrefixDifference, length: int, marked: int, weigh: Floats) -> Iterator[Floats]:
    """Give the discounted difference of each rank, by how many are marked so far; computed for a few ranks at once."""
    count = np.arange(marked + 1)
    several = max(1, TOGETHER // (marked + 1))
    for start in range(0, length, several):
        rank = np.arange(start + 1, min(start + several, length) + 1)[:, None]
        possible = np.clip(count, rank - (length - marked), rank)  # elsewhere the cost does not matter
        yield difference(possible, rank, np.array(marked), np.array(length)) * weigh[rank - 1]


def unevenness(
    count: Ints, length: Ints, difference: PrefixDifference, *, step: int, kind: PrefixDiscount, norm: Norm
) -> Floats:
    """Sum a difference over the prefixes of each list, discounted, and normalize; nan where all orders are the same.

    ``count`` [query, rank] says how many documents are protected so far. It may go on behind the lists, whose lengths
    are ``length`` [query].

    >>> count = np.cumsum([[1, 1, 0, 0], [1, 0, 0, 1]], axis=1)
    >>> unevenness(count, np.array([4, 4]), nd, step=1, kind="log2_next", norm="minmax").round(9).tolist()
    [1.0, 0.0]
    """
    rank = np.arange(1, int(length.max(initial=0)) + 1)
    there, count = rank <= length[:, None], count[:, : len(rank)]
    marked = count[np.arange(len(count)), length - 1] if len(rank) else length  # there is none in an empty list
    values = np.full(len(length), np.nan)
    mixed = np.flatnonzero((marked > 0) & (marked < length))
    if not len(mixed):
        return values
    query, place = np.nonzero(there[mixed])  # rankings may be of very different lengths
    each = np.zeros((len(mixed), len(rank)))
    own = mixed[query]
    each[query, place] = difference(count[own, place], rank[place], marked[own], length[own])
    raw = weighted_sum(each, weights(len(rank), step, kind))
    pairs = list(zip(length[mixed].tolist(), marked[mixed].tolist(), strict=True))
    foretell_orders(difference, pairs)
    ends = {(n, g): bound_order(difference, n, g, step, kind) for n, g in {*pairs}}
    least, most = np.array([ends[pair] for pair in pairs]).T
    least = least if norm == "minmax" else np.zeros(len(mixed))
    values[mixed] = quotient(raw - least, most - least, size=most + least).clip(0, 1)
    return values


@ranks.cache_by_rank
def _count_known(membership: Floats) -> Ints:
    """Count down to each rank the documents of which all groups are known [query, rank]."""
    return np.cumsum(~np.isnan(membership).any(axis=2), axis=1)


@ranks.cache_by_rank
def _count_members(membership: Floats) -> Any:
    """Count down to each rank the members of groups among the known documents, closed up [query, rank, group]."""
    order = np.argsort(np.isnan(membership).any(axis=2), axis=1, kind="stable")
    return np.cumsum((membership > 0.5)[np.arange(len(membership))[:, None], order], axis=1, dtype=np.int32)


@ranks.cache_by_rank
def _find_soft(membership: Floats) -> Bools:
    """Tell which documents are members of a group in part [query, rank]."""
    return np.asarray(((membership > 0) & (membership < 1)).any(axis=2))


@dataclass(eq=False)
class Unevenness(Form):
    """The mean ``unevenness`` of the chosen groups, by their numbers, of ``membership`` [query, rank, group]."""

    membership: Floats
    chosen: Sequence[int]
    difference: PrefixDifference
    step: int
    kind: PrefixDiscount
    norm: Norm

    def value(self) -> Floats:
        """Compare the prefixes with the list, and average over groups [query]."""
        members, known = _count_members(self.membership), _count_known(self.membership)
        length = known[:, -1] if known.shape[1] else np.zeros(len(known), dtype=np.int64)
        how: dict[str, Any] = {"step": self.step, "kind": self.kind, "norm": self.norm}
        values = [unevenness(members[:, :, group], length, self.difference, **how) for group in self.chosen]
        return ranks.mean(np.stack([np.full(len(known), np.nan), *values]).T)

    def over_labels(self) -> Finals:
        """Let each rank add its difference; what the groups hold in the end normalizes the sum."""
        return Finals(self._of_totals)

    def _of_totals(self, totals: Floats, length: Ints) -> tuple[PrefixCost, Floats]:
        marked = totals[:, self.chosen].astype(np.int64)
        scale, shift = np.zeros((2, *marked.shape))
        pairs = np.stack(np.broadcast_arrays(length[:, None], marked), axis=-1).reshape(-1, 2).tolist()
        foretell_orders(self.difference, pairs)
        for at, m in np.ndenumerate(marked):
            n = int(length[at[0]])
            least, most = bound_order(self.difference, n, int(m), self.step, self.kind) if 0 < m < n else (0.0, 0.0)
            least = least if self.norm == "minmax" else 0.0
            if exceeds_zero(most - least, size=most + least):
                scale[at], shift[at] = 1 / (most - least), least / (most - least)
        parts = (scale > 0).sum(axis=1)
        shares = quotient(scale, parts[:, None], otherwise=0.0)
        weigh = weights(int(length.max(initial=1)), self.step, self.kind)
        within = marked.clip(min=1, max=(length[:, None] - 1).clip(min=1))

        def cost(amounts: Floats, rank: int) -> Floats:
            held = np.minimum(amounts[..., self.chosen], rank + 1)
            every = length.clip(min=2)[:, None, None]
            each = self.difference(held, np.array(rank + 1), within[:, None], every) * shares[:, None]
            return np.where((rank < length)[:, None], each.sum(axis=2) * weigh[min(rank, len(weigh) - 1)], 0.0)

        return cost, -quotient(shift.sum(axis=1), parts)


@dataclass(frozen=True)
class _Pairwise(Measure):
    """What the three share: the parameters, and the mean over groups where none is protected."""

    cutoff: int | None = None
    protected: str = ""
    step: int = 1
    norm: Norm = "minmax"
    discount: PrefixDiscount = "log2_next"
    better = "lower"
    bounds = 0.0, 1.0
    limits = (("step", 1, np.inf, "the step is {step}; it is 1 or more"),)
    hints = MappingProxyType({"log2": "1 / log2(i) is log2_rank, as log2 is 1 / log2(1 + i) elsewhere; "})

    @property
    @abstractmethod
    def difference(self) -> PrefixDifference:
        """What compares a prefix with the list."""

    def formula(self, membership: Floats, groups: Sequence[str]) -> Unevenness:
        """Average the unevenness of the groups that are set against the rest."""
        chosen = [groups.index(self.protected)] if self.protected else range(len(groups))
        return Unevenness(
            membership[:, : self.cutoff], chosen, self.difference, step=self.step, kind=self.discount, norm=self.norm
        )

    def note(self, membership: Floats, **_: Any) -> Note | None:
        """Say what the list leaves out, and count the documents whose membership had to be made hard."""
        soft = int(np.count_nonzero(_find_soft(membership)[:, : self.cutoff]))
        many = int(_count_known(membership)[:, : self.cutoff][:, -1:].sum()) if soft else 0
        cutoff = str(self.cutoff)
        if self.cutoff is None:
            return SOFT.note(soft=soft, memberships=many) if soft else None
        return SOFT_AND_CUT.note(cutoff=cutoff, soft=soft, memberships=many) if soft else CUT.note(cutoff=cutoff)


class rND(_Pairwise):  # noqa: N801 - its name
    """How far are the prefixes of a ranking from the whole list in their share of a protected group?

        u(i) = |share of the protected in the first i - their share in the whole list|
        raw  = sum over ranks i = step, 2 step, .. n of  u(i) / log2(i + 1)
        rND  = (raw - least) / (most - least), least and most over all orders of the same list, exact

    The list is the first k documents (all, without a cutoff) whose group is known; ranks close up over the others.
    Documents below a cutoff are not part of the list: rND@10 of a ranking with one woman in the first ten and 49 below
    counts one. A document known to be in no group is not protected. A soft membership above .5 counts as membership.
    ``protected`` is the group; without it each group is compared with the rest, and the value is the mean over the
    groups that have one.

    ``discount='log2_rank'`` is 1 / log2(i) from rank 2 (Eq. 1); 'given' is that of --discount FILE. ``norm='max'`` is
    raw / most, as in the published program; even the best order then has a value above 0. The program's most is that of
    random orders.

    Unit: none, a share of what the list allows. Better: lower, 0 the fairest order and 1 the worst. Empty ranking:
    undefined.
    Range: [0, 1].
    Undefined: the list has no protected document or no other, or all its orders are the same (as of two documents).
    Source: Yang, Stoyanovich, SSDBM 2017. https://doi.org/10.1145/3085504.3085526 As normalized in Ziems et al., ACL
    2024, Eq. 1-3. https://doi.org/10.18653/v1/2024.findings-acl.763
    """

    @property
    def difference(self) -> PrefixDifference:
        """Their shares of the protected."""
        return nd


@dataclass(frozen=True)
class rKL(_Pairwise):  # noqa: N801 - its name
    """How far are the prefixes of a ranking from the whole list, in bits, in their share of a protected group?

        u(i) = p log2(p / q) + (1 - p) log2((1 - p) / (1 - q)), 0 log 0 = 0
        raw  = sum over ranks i = step, 2 step, .. n of  u(i) / log2(i + 1)
        rKL  = (raw - least) / (most - least), least and most over all orders of the same list, exact

    p is the share of the protected group in the first i documents, q its share in the whole list. ``compat=True``
    replaces a p of 0 or 1 by .001, as the published program does; the value then depends on which of two groups is
    protected. The list and all other parameters are as for rND. In the paper a bracket of the formula is misplaced.

    Unit: none, a share of what the list allows. Better: lower, 0 the fairest order and 1 the worst. Empty ranking:
    undefined.
    Range: [0, 1].
    Undefined: the list has no protected document or no other, or all its orders are the same (as of two documents).
    Source: Yang, Stoyanovich, SSDBM 2017. https://doi.org/10.1145/3085504.3085526 As normalized in Ziems et al., ACL
    2024, Eq. 1, 2, 4. https://doi.org/10.18653/v1/2024.findings-acl.763
    """

    compat: bool = False

    @property
    def difference(self) -> PrefixDifference:
        """The divergence of their shares."""
        return kl_compat if self.compat else kl


class rRD(_Pairwise):  # noqa: N801 - its name
    """How far are the prefixes of a ranking from the whole list in the ratio of a protected minority to the others?

        u(i) = |protected / others in the first i - protected / others in the whole list|, a ratio to 0 others being 0
        raw  = sum over ranks i = step, 2 step, .. n of  u(i) / log2(i + 1)
        rRD  = (raw - least) / (most - least), least and most over all orders of the same list, exact

    Use it only to compare with published values: a prefix with only protected documents counts like one with none, so
    it makes sense only for a small minority. Prefer rND or rKL. The only published program has another form, a minimum
    of ratios from the authors' poster at FATML, so its values differ, by up to .73. The list and all parameters are as
    for rND.

    Unit: none, a share of what the list allows. Better: lower, 0 the fairest order and 1 the worst. Empty ranking:
    undefined. Range: [0, 1].
    Undefined: the list has no protected document or no other, or all its orders are the same.
    Source: Yang, Stoyanovich, SSDBM 2017. https://doi.org/10.1145/3085504.3085526
    """

    @property
    def difference(self) -> PrefixDifference:
        """Their ratios of protected to others."""
        return rd

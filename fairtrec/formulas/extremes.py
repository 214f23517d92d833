"""The least and the most that a sum over prefixes can be, over all orders of one list: exact, never simulated.

A measure that looks at every prefix of a ranking is normalized by what the other orders of the same list would have.
20 documents have 2 * 10^18 orders; dynamic programs over what a prefix can be find the two ends without trying them.

**Counts** (rND, rKL, rRD). A prefix matters only through its length and how many marked documents it holds. An order
is thus a path over (length, marked so far), each path is that of some order, and the shortest and the longest path
are found in O(n g) steps, g documents being marked, with the numbers of one length at a time. Nothing is left to prove.

**Spread** (DUO): the sum over k of w_k Var(S_k), where S_k is the set of the first k documents, Var the population
variance of their stances on an axis, and w_k >= 0.

*Theorem.* One order has, for every k at once, the most variance that k documents of the list can have, and its prefixes
are each some lowest and some highest documents. So the most spread is the sum over k of w_k times that variance.

*Proof.* Adding z to a non-empty set T of mean m gives

    Var(T + z) = c Var(T) + b (z - m)^2,   where c, b > 0 depend on the size of T only,        (1)

so the variance is strictly convex in z. One document has no variance, and all n are one set, so let 1 < k < n. A set
of k documents with the most variance holds no z that lies between two documents u < z < v which it lacks: with one of
these instead of z it would have more. So it is some lowest and some highest documents, if those of equal stances are
taken from the ends. Let f_k(a) be the variance of the a lowest and the k - a highest. From a to a + 1, the lowest
document y that is left comes in, and the lowest document h of the k - a highest goes out. With m, the mean of the
other k - 1 documents, (1) says

    f_k(a + 1) - f_k(a) = b (h - y) g_k(a),   where g_k(a) = 2 m - y - h and y <= h.           (2)

As a grows, y and h do not fall and m does not rise, so g_k does not rise: f_k does not fall up to its most, and does
not rise behind it.

From k to k + 1 < n, with the same a, y stays, h becomes another h' with y <= h' <= h, and h joins the documents whose
mean is m. If g_k(a) >= 0, then g_{k+1}(a) >= 0: where h >= m, the mean does not fall; where h < m, the new mean is at
least h, and neither y nor h' is above h. And h = y leaves h' = y. So if f_k does not fall from a to a + 1, then
f_{k+1} does not either. Let f_k have its most at a. Up to there it does not fall, so f_{k+1}(j) <= f_{k+1}(a) for
j < a. On the mirrored axis the same says that f_{k+1}(j) <= f_{k+1}(a + 1) for j > a + 1. So f_{k+1} has its most at a
or at a + 1. As f_2 has its most at 1, the order begins with the lowest and the highest document, goes on with one of
these two of what is left, and always has the most variance.

``most_spread`` looks, in numpy, at all orders whose prefixes are some lowest and some highest documents, O(n^2). In C
it looks only at the a whose f_k(a) is the most but for rounding, and gives the same bits. In a list of some thousand
different stances around 0, these are a few a for each k. Where stances are equal, they are all a that leave only these.

*The least* is less well known. Of all sets of k documents, one of k neighbors has the least variance (the k documents
nearest to the mean of any set do no worse than it), so the sum over k of w_k times the least variance of k neighbors
is a **bound** below every order. ``over_intervals`` finds the least over the orders whose prefixes are neighbors,
O(n^2). That no other order is below it is **not proved** for w_k = 1 / log2(k), though no counterexample is known; it
is false for arbitrary weights (stances 0 0 3 10 10.1 .. 10.5, weights of 10^4 at k = 2, 1 at k = 8, else 0: best is
the two zeros, then all the tens, before the 3). So lists of up to ``EXHAUSTIVE`` documents are solved over all their
subsets, O(2^n n), which is exact, and a longer one comes with the bound: the truth lies between it and the value.
"""

from collections.abc import Callable, Iterable
from time import perf_counter
from types import ModuleType

import numpy as np

from fairtrec.data import Floats, Ints, find_starts
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.support.compiled import extension
from fairtrec.support.progress import foretell

_Solver = Callable[[Floats, Floats], tuple[Floats, ...]]

EXHAUSTIVE = 14  # the longest list that is solved over all its subsets
_TOGETHER = 256  # lists that are solved in one go: a few of their rows fit the cache
_TIMED = 33  # steps
_MANY = 10**8  # documents of each list times those of all, from which orders may take seconds


def bound_by_counts(costs: Iterable[Floats], length: int, marked: int) -> tuple[float, float]:
    """Give the least and the most of the sum, over all orders, of the cost of each rank.

    The list has ``length`` documents, ``marked`` of them. The costs of its ranks, some of them at a time, are by how
    many are marked so far [rank, marked so far].

    >>> costs = [np.array([[1.0, 5.0]]), np.array([[0.0, 0.5]])]
    >>> bound_by_counts(costs, 2, 1)  # one of two is marked: it stands second, or first
    (1.5, 5.5)
    """
    ends = np.full((2, marked + 1), np.inf)  # by how many are marked so far: the least, and minus the most
    ends[:, 0] = 0.0
    add, rank = _add_costs if extension is None else extension.add_costs, 0
    for several in costs:
        add(several, ends, rank, length - marked)
        rank += len(several)
    return float(ends[0, -1]), float(-ends[1, -1])


def _add_costs(costs: Floats, ends: Floats, rank: int, others: int) -> None:
    """Add the costs of the ranks behind ``rank`` to the ends of all orders by how many are marked so far."""
    for of_rank in costs:
        rank += 1
        np.minimum(ends[:, :-1], ends[:, 1:], out=ends[:, 1:])
        ends[0] += of_rank
        ends[1] -= of_rank
        ends[:, : max(rank - others, 0)] = np.inf  # so many of a prefix so long are marked at least
        ends[:, rank + 1 :] = np.inf  # and so many at most


def most_spread(stances: Floats, weights: Floats) -> Floats:
    """Give the most of each list's sum over k of weights[k - 1] * (variance of the first k), over all orders.

    ``stances`` [list, document] rise along each row, and are of the order of 1 around 0, as sums of squares ask.

    >>> most_spread(np.array([[-1.0, 0.0, 1.0]]), np.array([0.0, 1.0, 0.0])).tolist()
    [1.0]
    """
    _foretell(stances, weights, "most", only_equal=extension is not None)
    if extension is None:
        return np.asarray(_in_parts(stances, weights, _most_spread)[0])
    return np.asarray(_find_ends(extension, "most_spread", stances, weights, 1)[0])


def least_spread(stances: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Give the least of each list's sum over k of weights[k - 1] * (variance of the first k), and a bound below it.

    The two are equal where the least is exact; otherwise what is least over all orders lies between them.
    ``stances`` as for ``most_spread``, and as many ``weights`` as documents.

    >>> [ends.tolist() for ends in least_spread(np.array([[-1.0, 0.0, 1.0]]), np.array([0.0, 1.0, 0.0]))]
    [[0.25], [0.25]]
    """
    if stances.shape[1] <= EXHAUSTIVE:
        exact = _in_parts(stances, weights, _over_subsets)[0]
        return exact, exact
    _foretell(stances, weights, "least")
    return over_intervals(stances, weights)


def over_intervals(stances: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Give each list's least over prefixes that lie side by side, and the bound below every order.

    ``stances`` as for ``most_spread``. There may be fewer ``weights`` than documents: prefixes are shorter than these.
    """
    if extension is None:
        least, bound = _in_parts(stances, weights, _over_intervals)
    else:
        least, bound = _find_ends(extension, "least_spread", stances, weights, 2)
    return least, bound


def find_most_order(stances: Floats, weights: Floats) -> Ints:
    """Give an order [rank] of one list's documents, by their places, whose sum is that of ``most_spread``.

    >>> find_most_order(np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])).tolist()
    [0, 2, 1]
    """
    n, x = len(stances), stances[:, None]
    low, low2, high, high2 = (_sums(each)[:, 0] for each in (x, x * x, x[::-1], np.square(x[::-1])))
    best, is_lower = np.zeros(1), []
    for k in range(1, n):  # the last of the first k is the lowest or the highest of what was left
        lower, higher = np.append(-np.inf, best), np.append(best, -np.inf)
        is_lower.append(lower > higher)
        variance = _variance(low[: k + 1] + high[k::-1], low2[: k + 1] + high2[k::-1], k)
        best = np.maximum(lower, higher) + weights[k - 1] * variance
    lowest = int(best.argmax())
    order = [lowest]
    for k in range(n - 1, 0, -1):
        took_lower = bool(is_lower[k - 1][lowest])
        lowest -= took_lower
        order.append(lowest if took_lower else n - (k - lowest))
    return np.array(order[::-1], dtype=np.int64)


def find_least_order(stances: Floats, weights: Floats) -> Ints:
    """Give an order [rank] of one list's documents, by their places, whose sum is the first of ``least_spread``.

    >>> find_least_order(np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])).tolist()
    [2, 1, 0]
    """
    if len(stances) <= EXHAUSTIVE:
        return _least_over_subsets(stances, weights)
    n, (sums, sums2) = len(stances), (_sums(each[:, None])[:, 0] for each in (stances, np.square(stances)))
    best, is_left = np.zeros(n), []
    for k in range(2, n):  # the last of the first k, which lie side by side, is the one at the left or at the right
        is_left.append(best[1:] < best[:-1])
        best = np.minimum(best[1:], best[:-1])
        best = best + weights[k - 1] * _variance(sums[k:] - sums[:-k], sums2[k:] - sums2[:-k], k)
    start = int(best.argmin())
    order = [0 if start else n - 1]
    for k in range(n - 1, 1, -1):
        left = bool(is_left[k - 2][start])
        order.append(start if left else start + k - 1)
        start += left
    return np.array([*order, start][::-1], dtype=np.int64)


def _least_over_subsets(stances: Floats, weights: Floats) -> Ints:
    n = len(stances)
    sets = np.arange(1 << n)
    within = (sets[:, None] >> np.arange(n)) & 1
    size = within.sum(axis=1)
    total, squares = (weighted_sum(within, each) for each in (stances, np.square(stances)))
    cost = np.append(0.0, weights)[size] * _variance(total, squares, np.maximum(size, 1))
    cost[-1] = 0.0
    best, last = np.zeros(1 << n), np.zeros(1 << n, dtype=np.int64)
    for k in range(1, n + 1):
        of_size = np.flatnonzero(size == k)
        before = np.where(within[of_size] > 0, best[of_size[:, None] ^ (1 << np.arange(n))], np.inf)
        last[of_size] = before.argmin(axis=1)
        best[of_size] = before.min(axis=1) + cost[of_size]
    order, left = [], (1 << n) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return np.array(order[::-1], dtype=np.int64)


def _find_ends(compiled: ModuleType, loop: str, stances: Floats, weights: Floats, ends: int) -> Floats:
    """Have so many ends [end, list] found by a compiled loop."""
    found, rows = np.empty((ends, len(stances))), np.empty((compiled.SPREAD_ROWS, stances.shape[1] + 1))
    getattr(compiled, loop)(*(np.ascontiguousarray(each, np.float64) for each in (stances, weights)), found, rows)
    return found


def _in_parts(stances: Floats, weights: Floats, solve: _Solver) -> Floats:
    parts = [
        np.stack(solve(np.ascontiguousarray(stances[i : i + _TOGETHER].T), weights))
        for i in range(0, len(stances), _TOGETHER)
    ]
    return np.asarray(np.concatenate(parts, axis=1))


def _most_spread(x: Floats, weights: Floats) -> tuple[Floats]:
    """Solve lists [document, list]: the first k are the a lowest and the k - a highest, best[a] for each a."""
    low, low2, high, high2 = _sums(x), _sums(x * x), _sums(x[::-1]), _sums(np.square(x[::-1]))
    best = np.zeros((1, x.shape[1]))
    for k in range(1, len(weights)):
        before, best = best, np.empty((k + 1, x.shape[1]))
        best[0], best[k] = before[0], before[-1]
        np.maximum(before[1:], before[:-1], out=best[1:k])
        if weights[k - 1]:
            part = _variance(low[: k + 1] + high[k::-1], low2[: k + 1] + high2[k::-1], k)
            part *= weights[k - 1]
            best += part
    most: Floats = best.max(axis=0)
    return (most,)


def _over_intervals(x: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Solve lists [document, list]: the least over prefixes that lie side by side, and the bound below every order."""
    sums, sums2 = _sums(x), _sums(x * x)
    best, bound = np.zeros(x.shape), np.zeros(x.shape[1])
    for k in range(2, len(weights)):
        best = np.minimum(best[1:], best[:-1])
        if weights[k - 1]:
            part = _variance(sums[k:] - sums[:-k], sums2[k:] - sums2[:-k], k)
            part *= weights[k - 1]
            best += part
            bound += part.min(axis=0)
    least: Floats = best.min(axis=0)
    return least, bound


def _over_subsets(x: Floats, weights: Floats) -> tuple[Floats]:
    """Solve lists [document, list]: the least over all sets that a prefix can be, a set being a number in binary."""
    documents, lists = x.shape
    sets = 1 << documents
    sums, sums2 = np.zeros((sets, lists)), np.zeros((sets, lists))
    size: Ints = np.zeros(sets, dtype=np.int64)
    for i in range(documents):
        without, within = slice(1 << i), slice(1 << i, 2 << i)
        sums[within], sums2[within], size[within] = (
            sums[without] + x[i],
            sums2[without] + x[i] * x[i],
            size[without] + 1,
        )
    best = np.zeros((sets, lists))
    for k in range(2, documents):
        of_size = np.flatnonzero(size == k)
        least, open_ = np.full((len(of_size), lists), np.inf), of_size
        for _ in range(k):
            last = open_ & -open_  # the lowest document that has not yet been tried as the last of the prefix
            np.minimum(least, best[of_size ^ last], out=least)
            open_ = open_ ^ last
        best[of_size] = least + weights[k - 1] * _variance(sums[of_size], sums2[of_size], k)
    result: Floats = best[size == documents - 1].min(axis=0)
    return (result,)


def _foretell(stances: Floats, weights: Floats, end: str, *, only_equal: bool = False) -> None:
    """Say of long lists how long they take: the longest steps are timed, and there are steps of all lengths.

    ``only_equal``  it takes long only where documents stand at one place.
    """
    lists, documents = stances.shape
    if documents * stances.size < _MANY:
        return
    width = documents
    if only_equal:
        width = min(width, int(np.diff(find_starts(stances.ravel())).max()))  # no more than that, as lists may meet
    if width * width * lists < _MANY:
        return
    began = perf_counter()
    over_intervals(stances, np.ones(min(2 + _TIMED, documents)))  # of 2 and more documents
    seconds = (perf_counter() - began) / _TIMED * np.count_nonzero(weights) / 2
    seconds *= width / documents * (width / documents)
    several = f"{lists} lists of " if lists > 1 else ""
    what = f"the {end} spread over all orders of {several}{documents:,} documents"
    foretell(f"{what} (DUO; fewer with a cutoff, like DUO@1000)", float(seconds))


def _sums(x: Floats) -> Floats:
    return np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)])


def _variance(total: Floats, squares: Floats, k: int | Ints) -> Floats:
    """Give the variances of k numbers by their sums and those of their squares, in the memory of these."""
    total /= k
    total *= total
    squares /= k
    squares -= total
    return np.maximum(squares, 0.0, out=squares)

"""DUO and its kin against all orders of short lists; the two dynamic programs; laws, options, the published way."""

import signal
import threading
import time
from itertools import combinations, permutations, product
from math import log2

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fairtrec.data.parameters import list_required_inputs
from fairtrec.formulas import extremes, spread
from fairtrec.measures import duo
from fairtrec.measures.duo import DUO, DUO_random, SignedDUO
from fairtrec.support import progress
from fairtrec.support.errors import UsageError

nan = np.nan
random = np.random.default_rng(11)
LISTS = [  # ties, clusters, outliers, few distinct places
    [1, 2, 3],
    [0, 0, 1],
    [-1, -1, 1, 1],
    [0, 1, 1, 1],
    [5, 5.5, -3, 0.25, 0.25],
    [-1, 1, -1, 1, 1],
    [0, 0, 0, 0, 0, 9],
    [0, 1, 2, 10, 11, 12],
    [-1, -1, -1, 1, 1, 1],
    [3, 1, 4, 1, 5, 9],
    *random.normal(size=(4, 6)).tolist(),
    *random.integers(0, 4, size=(3, 6)).astype(float).tolist(),
]
LONGER = [[-1, -1, -1, 0, 1, 1, 1], [0, 0, 2, 3, 5, 5, 8], *random.normal(size=(2, 7)).tolist()]


def raw(stances, step=1, mean="prefix"):
    """The formula, for many orders [order, rank] at once."""
    n, total = stances.shape[1], 0.0
    for k in range(2, n, step):
        first = stances[:, :k]
        about = first.mean(axis=1) if mean == "prefix" else stances.mean(axis=1)
        total = total + ((first - about[:, None]) ** 2).mean(axis=1) / log2(k)
    return total


def every(stances):
    return np.array(list(permutations(stances)), dtype=float)


def score(measure, lists):
    return measure(np.asarray(lists, dtype=float)[:, :, None])


@pytest.mark.parametrize(
    "stances", [*LISTS, LONGER[0], *(pytest.param(each, marks=pytest.mark.slow) for each in LONGER[1:])], ids=str
)
@pytest.mark.parametrize("mean", ["prefix", "full"])
@pytest.mark.parametrize("step", [1, 2])
def test_every_order_of_short_lists(stances, mean, step):
    tried = every(stances)
    values = raw(tried, step, mean)
    least, most = values.min(), values.max()
    found = score(DUO(step=step, mean=mean), tried)
    by_chance = score(DUO_random(step=step, mean=mean), tried)
    if most - least < 1e-12:
        assert np.isnan(found).all()
        assert np.isnan(by_chance).all()
        return
    assert found == pytest.approx((most - values) / (most - least), abs=1e-9)
    assert (found.min(), found.max()) == pytest.approx((0, 1), abs=1e-9)
    assert by_chance == pytest.approx(np.full(len(tried), found.mean()), abs=1e-9)


def test_eight_documents():
    for stances in ([0, 0, 1, 2, 2, 3, 7, 7], random.normal(size=8)):
        tried = every(stances)
        values = raw(tried)
        found = score(DUO(), tried[:100])
        assert found == pytest.approx((values.max() - values[:100]) / (values.max() - values.min()), abs=1e-9)


def test_worked_out_by_hand():
    # 1 1 -1 -1: the variance of two is 0, of three 8/9 over log2(3) = .560826; 1 -1 1 -1: 1 + .560826
    # every order has one of these two sums: 1 of 3 orders begins with one side twice
    lists = [[1, 1, -1, -1], [1, -1, 1, -1], [-1, 1, 1, -1]]
    assert score(DUO(), lists) == pytest.approx([1, 0, 0])
    assert score(DUO_random(), lists) == pytest.approx([1 / 3] * 3)
    # 0 1 3: pairs of variance 1/4, 9/4, 1
    assert score(DUO(), [[0, 1, 3], [0, 3, 1], [1, 3, 0]]) == pytest.approx([1, 0, 1.25 / 2])


@given(st.integers(1, 40), st.integers(1, 3), st.integers(0, 99), st.data())
def test_the_ends_have_the_same_bits_in_c_and_in_numpy(n, lists, seed, data):
    draws = np.random.default_rng(seed)
    several = [
        draws.random((lists, n)),
        draws.integers(0, 1 + seed % 7, (lists, n)) / 3.0,
        draws.normal(size=(lists, n)) ** 9,
    ]
    stances = np.sort(several[seed % 3], axis=1) - 0.5
    weights = (draws.random(n) * (draws.random(n) < 0.8))[: data.draw(st.integers(1, n))]
    ends = extremes.most_spread(stances, weights), *extremes.over_intervals(stances, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extremes, "extension", None)
        plain = extremes.most_spread(stances, weights), *extremes.over_intervals(stances, weights)
    assert [each.tobytes() for each in ends] == [each.tobytes() for each in plain]


def test_an_order_has_the_most_variance_at_every_prefix():
    """What extremes.py proves: the most spread is the sum of the most variance of 1, 2, .. documents."""
    draws = np.random.default_rng(4)
    for n, step in ((6, 1), (7, 2), (9, 3)):
        stances = np.sort(draws.normal(size=n) ** 3 if n < 9 else draws.integers(0, 4, n) / 3.0)
        weights = spread.weights(n, step)
        most = [max(np.var(several) for several in combinations(stances, k)) for k in range(1, n + 1)]
        assert extremes.most_spread(stances[None], weights) == pytest.approx(np.dot(most, weights))


@pytest.mark.parametrize(
    "kind", ["equal but for rounding", "most are equal", "squares below the normal numbers", "squares near the largest"]
)
def test_the_most_has_the_same_bits_in_c_and_in_numpy_where_many_are_tied(kind):
    draws, n = np.random.default_rng(6), 700
    grid = np.linspace(-0.5, 0.5, n) + draws.integers(-2, 3, n) * 1e-16
    tied = np.where(draws.random(n) < 0.05, draws.choice([-0.5, 0.5], n), 0.0)
    scale = {"squares below the normal numbers": 1e-161, "squares near the largest": 5e153}.get(kind, 1.0)
    stances = np.sort((tied if kind == "most are equal" else grid) * scale)[None]
    for step in (1, 7):
        weights = spread.weights(n, step)
        with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
            most = extremes.most_spread(stances, weights)
            patch.setattr(extremes, "extension", None)
            assert extremes.most_spread(stances, weights).tobytes() == most.tobytes()


@pytest.mark.parametrize("n", [5, 6, 7])
def test_the_most_is_exact_for_any_weights(n):
    for _ in range(12):
        weights = random.exponential(size=n) * (random.random(n) < 0.7)
        stances = np.sort(random.normal(size=n) if random.random() < 0.5 else random.integers(0, 4, n) - 2.0)
        tried = every(stances)
        variances = np.stack([tried[:, :k].var(axis=1) for k in range(1, n)], axis=1)
        values = variances @ weights[:-1]
        assert extremes.most_spread(stances[None], weights) == pytest.approx(values.max())
        least, bound = extremes.least_spread(stances[None], weights)
        assert least == pytest.approx(values.min(), abs=1e-12)
        assert bound == pytest.approx(values.min(), abs=1e-12)
        bound = extremes.over_intervals(stances[None], weights)[1]
        assert bound <= values.min() + 1e-12


def test_intervals_find_the_least_for_the_weights_of_duo():
    """No counterexample is known; the lists here and three kinds of random ones."""
    for n in range(3, 12):
        kinds = [
            random.normal(size=(40, n)),
            random.integers(0, 5, (40, n)) * 1.0,
            random.exponential(size=(40, n)) ** 3,
        ]
        stances = np.sort(np.concatenate(kinds), axis=1)
        stances -= stances.mean(axis=1, keepdims=True)
        weights = spread.weights(n, 1)
        exact, _ = extremes.least_spread(stances, weights)
        intervals, bound = extremes.over_intervals(stances, weights)
        assert intervals == pytest.approx(exact, abs=1e-9)
        assert (bound <= exact + 1e-9).all()


def test_intervals_miss_the_least_for_other_weights():
    """Why nothing is claimed for them: two zeros, then all the tens, before the 3."""
    stances = np.array([[0, 0, 3, *10 + np.arange(6) / 10]])
    stances -= stances.mean()
    weights = np.zeros(9)
    weights[1], weights[7] = 1e4, 1
    exact, _ = extremes.least_spread(stances, weights)
    intervals, bound = extremes.over_intervals(stances, weights)
    assert bound <= exact < intervals - 0.5


def test_subsets_take_over_from_intervals_at_the_same_value():
    lists = random.normal(size=(5, extremes.EXHAUSTIVE))
    ordered = np.sort(lists, axis=1)
    intervals, _ = extremes.over_intervals(ordered, spread.weights(extremes.EXHAUSTIVE, 1))
    assert extremes.least_spread(ordered, spread.weights(extremes.EXHAUSTIVE, 1))[0] == pytest.approx(intervals)


def test_many_lists_are_solved_as_one_is():
    lists = random.normal(size=(600, 20))
    together = score(DUO(), lists)
    assert together[[0, 255, 256, 599]].tolist() == [score(DUO(), lists[[i]])[0] for i in (0, 255, 256, 599)]


@pytest.mark.parametrize("mean", ["prefix", "full"])
def test_a_sorted_list_is_worst(mean):
    values = score(DUO(mean=mean), np.repeat([[-1.0, -0.5, 0.5, 1.5]], [20, 10, 10, 20], axis=1))
    assert values[0] == pytest.approx(1) if mean == "prefix" else 0 <= values[0] < 1


@given(
    st.lists(st.integers(-100, 100), min_size=3, max_size=30), st.integers(1, 3), st.sampled_from(["prefix", "full"])
)
def test_laws(stances, step, mean):
    assume(len(stances) > 14 or len(stances) < 10)  # the rest is slow, and the same
    assume(len(set(stances)) > 1)
    x = np.array(stances, dtype=float)
    lists = [x, -x, x + 64, x * 0.25]
    for measure in (DUO(step=step, mean=mean), DUO_random(step=step, mean=mean)):
        plain, *others = score(measure, lists)
        assert np.isnan(plain) or 0 <= plain <= 1
        assert others == pytest.approx([plain] * 3, abs=1e-9, nan_ok=True)
    signed, mirrored, _, shrunk = score(SignedDUO(step=step, mean=mean), lists)
    assert mirrored == pytest.approx(-signed, abs=1e-9, nan_ok=True)
    assert shrunk == pytest.approx(signed, abs=1e-9, nan_ok=True)
    assert signed == 0 or abs(signed) == pytest.approx(score(DUO(step=step, mean=mean), [x])[0], abs=1e-9, nan_ok=True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=15, max_size=25), st.integers(1, 20))
def test_below_the_cutoff_nothing_counts(stances, cutoff):
    assume(cutoff not in (12, 13, 14))
    x = np.array([stances])
    assert score(DUO(cutoff=cutoff), x) == pytest.approx(score(DUO(), x[:, :cutoff]), nan_ok=True)


def test_signs():
    # -1 -1 -1 1 1: k = 2, 3: variance 0; k = 4: more than half below 0; so the lower side
    values = score(SignedDUO(), [[-1, -1, -1, 1, 1], [1, 1, 1, -1, -1], [1, -1, 1, -1, 1]])
    assert values == pytest.approx([-1, 1, 0], abs=1e-9)
    # 0 does not count for a side: two of four is not more than half
    assert score(SignedDUO(), [[1, 0, 1, 0, 0], [3, 1, 2, -1, -1]])[1] > 0
    one_each = [[1, -1, 2, -2]]  # k = 2: none; k = 3: two of three above 0
    assert score(SignedDUO(), one_each) == pytest.approx(score(DUO(), one_each))
    even = [[1, -2, 0, 0.5]]  # k = 2, 3: no side has more than half
    assert score(DUO(), even) > 0
    assert score(SignedDUO(), even) == 0


def test_unknown_stances_are_passed_over():
    gappy = [[nan, 1, 2, nan, -1, 5, nan], [3, 1, nan, nan, nan, nan, 2]]
    assert score(DUO(), gappy) == pytest.approx([*score(DUO(), [[1, 2, -1, 5]]), *score(DUO(), [[3, 1, 2]])])
    assert score(SignedDUO(), gappy) == pytest.approx(
        [*score(SignedDUO(), [[1, 2, -1, 5]]), *score(SignedDUO(), [[3, 1, 2]])]
    )
    assert score(DUO(cutoff=5), gappy)[0] == score(DUO(), [[1, 2, -1]])[0]


@pytest.mark.parametrize("kind", [DUO, SignedDUO, DUO_random])
def test_undefined(kind):
    lists = [[nan] * 4, [1, nan, nan, nan], [1, 2, nan, nan], [7, 7, 7, 7], [0.1, 0.1, 0.1, nan]]
    assert np.isnan(score(kind(), lists)).all()
    assert kind()(np.empty((2, 0, 1))) == pytest.approx([nan, nan], nan_ok=True)
    assert kind()(np.empty((0, 4, 1))).shape == (0,)
    assert np.isnan(score(kind(mean="full"), [[-1, 1, 1, -1]])).all()  # all of one distance
    assert not np.isnan(score(kind(), [[-1, 1, 1, -1], [7, 7, 7, 7]])[0])


def test_several_axes():
    both = np.stack([[[1, 1, -1, -1], [1, -1, 1, -1], [2, 2, 2, 2]], [[1, -1, -1, 1], [5, 5, 1, 1], [1, -1, 1, nan]]])
    both = np.moveaxis(both, 0, 2)
    assert DUO(axis=1)(both) == pytest.approx([1, 0, nan], nan_ok=True)
    assert DUO(axis=2)(both) == pytest.approx([0, 1, 0], abs=1e-9)
    assert DUO()(both) == pytest.approx([1, 1, 0], abs=1e-9)
    assert SignedDUO()(both) == pytest.approx([SignedDUO(axis=1)(both)[0], SignedDUO(axis=2)(both)[1], 0], abs=1e-9)
    assert DUO_random()(both) == pytest.approx([1 / 3, 1 / 3, nan], nan_ok=True)
    assert DUO_random(axis=2)(both)[2] == pytest.approx(1 / 3)
    with pytest.raises(UsageError, match="DUO: axis is 3, but the stances have 2 axes"):
        DUO(axis=3)(both)
    with pytest.raises(UsageError, match="DUO: axis is -1"):
        DUO(axis=-1)
    with pytest.raises(UsageError, match="DUO_random: axis is 0; it is 1 or more"):
        DUO_random(axis=0)


def test_the_published_normalizer_misses_the_ends():
    lists = np.stack([np.linspace(-1, 1, 50), np.repeat([-1, 1], 25)])
    sampled = score(DUO(normalizer="sampled"), lists)
    assert score(DUO(), lists) == pytest.approx([1, 1])
    assert sampled == pytest.approx([1.15, 1.36], abs=0.05)
    few, other = DUO(normalizer="sampled", n=100), DUO(normalizer="sampled", n=100, seed=8)
    assert score(few, lists[:1]) > sampled[0]
    assert abs(score(few, lists[:1]) - score(other, lists[:1])) > 1e-4
    assert score(few, lists[:1]) == score(few, lists)[0]
    assert score(few, lists[:1]) == score(few, [lists[0], random.permuted(lists[0])])[0]
    assert abs(score(DUO_random(normalizer="sampled", n=100), lists[:1]) - score(DUO_random(), lists[:1])) > 1e-3
    assert few.note(lists[:, :, None]) is None


def test_the_published_normalizer_tries_all_orders_of_up_to_eight():
    for n in (3, 8):
        lists = random.normal(size=(3, n))
        assert score(DUO(normalizer="sampled", n=1), lists) == pytest.approx(score(DUO(), lists))
    assert np.isnan(score(DUO(normalizer="sampled", n=1), random.normal(size=(1, 9)))).all()


def test_what_is_not_proved_is_said():
    # seven equal stances, and nine that are close: neither begins an order that is best at all lengths
    lists = np.repeat([[0.0, 2.0, 3.0]], [7, 6, 3], axis=1)
    lists = np.concatenate([lists, np.arange(16.0)[None]])
    ordered = np.sort(lists, axis=1)
    unit = (ordered - ordered[:, :1]) / (ordered[:, -1:] - ordered[:, :1]) - 0.5
    bound, least, most = spread.bound_spread(unit, 1, "prefix")
    move = score(DUO(), lists) * (least - bound) / (most - bound)
    said = str(DUO().note(lists[:, :, None]))
    assert move.max() > 1e-3
    assert said == (
        f"for {(move > 1e-3).sum()} of 2 rankings the fairest possible order is proved only within bounds; "
        f"their values are exact or too high, by {move.max():.4f} at most"
    )
    assert DUO(mean="full").note(lists[:, :, None]) is None
    assert DUO(cutoff=14).note(lists[:, :, None]) is None
    assert DUO().note(np.repeat([-1.0, 1.0], 20)[None, :, None]) is None
    assert DUO().note(np.empty((0, 4, 1))) is None


def test_stances_of_any_size():
    x = random.normal(size=(2, 16))
    for scale in (1e-200, 1e200):
        assert score(DUO(), x * scale) == pytest.approx(score(DUO(), x))
    assert score(DUO(), x + 1e6) == pytest.approx(score(DUO(), x), abs=1e-6)


def test_refused_and_spelled():
    for wrong, message in [({"step": 0}, "step is 0"), ({"n": 0}, "n is 0"), ({"seed": -1}, "seed is -1")]:
        with pytest.raises(UsageError, match=f"DUO: {message}"):
            DUO(**wrong)
    with pytest.raises(UsageError, match="the cutoff is 0"):
        SignedDUO(cutoff=0)
    assert str(DUO()) == "DUO"
    assert str(DUO(mean="full", cutoff=10, axis=2)) == "DUO(mean='full',axis=2)@10"
    assert DUO().needs == SignedDUO().needs == DUO_random().needs == ("stances",)
    assert list_required_inputs(DUO.note) == ("stances",)
    assert (DUO().better, SignedDUO().better, DUO_random().better) == ("lower", "nearer 0", "neither")


@pytest.mark.parametrize("mean", ["prefix", "full"])
def test_an_order_at_each_end_is_worth_0_and_1(mean):
    random = np.random.default_rng(4)
    for n in (3, 4, 8, 14, 15, 40):
        stances = random.normal(size=(n, 1)) if n % 2 else random.integers(-3, 4, (n, 1)).astype(float)
        stances[0] = 5.0  # so that not all are at one place
        unknown = np.concatenate([stances[:1], [[np.nan]], stances[1:]])
        for worst, side in product((False, True), (1.0, -1.0)):
            unknown *= side
            order = DUO(mean=mean).order_at_end(unknown, worst=worst)
            assert order[1] == 1  # of unknown stance: it stays
            assert sorted(order.tolist()) == list(range(n + 1))
            assert DUO(mean=mean)(unknown[order][None]) == pytest.approx(float(worst), abs=1e-9)


def test_orders_of_up_to_so_many_documents_are_known(monkeypatch):
    monkeypatch.setattr(duo, "MOST_IN_ORDER", 6)
    assert DUO().order_at_end(np.arange(6.0)[:, None], worst=True) is not None
    assert DUO().order_at_end(np.arange(7.0)[:, None], worst=True) is None


def test_where_not_all_documents_count_no_order_is_known_to_be_at_an_end():
    stances = np.arange(6.0)[:, None]
    for measure in (DUO(cutoff=5), DUO(normalizer="sampled")):
        assert measure.order_at_end(stances, worst=False) is None
    assert DUO().order_at_end(np.hstack([stances, stances]), worst=True) is None
    assert DUO(axis=2).order_at_end(np.hstack([stances, stances]), worst=True) is not None
    assert DUO(cutoff=6).order_at_end(stances, worst=True) is not None
    assert DUO().order_at_end(stances[:2], worst=True) is None


@pytest.mark.parametrize(
    ("way", "equal", "ends"),
    [("c", 1, {"least": 29}), ("c", 50, {"least": 29, "most": 20}), ("numpy", 1, {"least": 29, "most": 29})],
)  # a second for the longest of 58 steps, the others in proportion; in C the most takes long where many are equal
def test_how_long_long_lists_take_is_said(way, equal, ends, monkeypatch, capsys):
    if way == "numpy":
        monkeypatch.setattr(extremes, "extension", None)
    elif extremes.extension is None:
        pytest.skip("this package was built without a compiler")
    stances = np.sort(np.random.default_rng(2).normal(size=(1, 60, 1)), axis=1)
    stances[:, :equal] = stances[:, :1]
    before = DUO()(stances)
    spread._ends.cache_clear()
    monkeypatch.setattr(extremes, "_MANY", 50)
    assert DUO()(stances) == before
    assert capsys.readouterr().err == ""  # not long enough to be said
    spread._ends.cache_clear()
    monkeypatch.setattr(progress, "LONG", 0)
    assert DUO()(stances) == before
    lines = capsys.readouterr().err.splitlines()
    what = "spread over all orders of 60 documents (DUO; fewer with a cutoff, like DUO@1000): about 0 seconds, Ctrl-C ends it"
    assert lines == [f"# the {end} {what}" for end in ends]
    clock = iter([0.0, 33.0, 0.0, 33.0])
    monkeypatch.setattr(extremes, "perf_counter", lambda: next(clock))
    spread._ends.cache_clear()
    assert DUO()(stances) == before
    said = capsys.readouterr().err.splitlines()
    assert all(f"about {seconds} seconds" in line for line, seconds in zip(said, ends.values(), strict=True))
    progress.foretell("all", 7200.0)
    assert capsys.readouterr().err == "# all: about 120 minutes, Ctrl-C ends it\n"


@pytest.mark.long
@pytest.mark.usefixtures("interruptible")
def test_a_long_list_can_be_interrupted(capsys):
    stances = np.random.default_rng(2).normal(size=(1, 150_000, 1))
    threading.Timer(0.4, signal.raise_signal, [signal.SIGINT]).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        DUO()(stances)
    assert time.monotonic() - began < 20  # of minutes, which it says that it takes
    assert "of 150,000 documents" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measure", "stances", "ranks"),
    [
        (DUO(cutoff=2), [[0.0], [0.5], [1.0]], 3),  # not of the whole list
        (DUO(), [[0.0], [0.5], [1.0]], 2),  # not of all documents
        (DUO(), [[0.0, 1.0], [0.5, 0.0], [1.0, 0.5]], 3),  # of two axes
        (DUO(), [[np.nan], [np.nan], [np.nan]], 3),  # of no known stance
        (DUO(), [[0.5], [0.5], [0.5]], 3),  # of one stance
    ],
)
def test_it_is_a_sum_over_prefixes_of_whole_lists_on_one_axis_only(measure, stances, ranks):
    assert measure.over_prefixes(np.array(stances), np.ones(3, dtype=np.int64), ranks) is None


def test_of_a_whole_list_each_prefix_earns_something():
    earned = DUO().over_prefixes(np.array([[0.0], [0.5], [1.0]]), np.ones(3, dtype=np.int64), 3)
    assert np.isfinite(earned(np.zeros((1, 3)), 0)).all()

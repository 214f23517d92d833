"""rND, rKL, rRD against all orders of short lists, written out in plain Python; their laws and their options."""

import re
import tracemalloc
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data.parameters import list_required_inputs
from fairtrec.formulas import extremes
from fairtrec.measures.catalogue import registry
from fairtrec.measures.pairwise import bound_order, foretell_orders, kl, nd, rKL, rND, rRD, unevenness
from fairtrec.support import progress
from fairtrec.support.errors import UsageError
from fairtrec_made import THOROUGH

KINDS = [rND, rKL, rRD]
nan = np.nan


def difference(kind, compat, p, others, q, rest):
    """The three formulas, of the counts in a prefix and in the list."""
    share, of_list = p / (p + others), q / (q + rest)
    if kind is rND:
        return abs(share - of_list)
    if kind is rRD:
        return abs((p / others if others else 0) - q / rest)
    if compat and share in {0, 1}:
        share = 0.001
    terms = [(share, of_list), (1 - share, 1 - of_list)]
    return sum(a * log2(a / b) for a, b in terms if a > 0)


def raw(kind, marks, step=1, discount="log2_next", compat=False):
    total = 0.0
    for i in range(step, len(marks) + 1, step):
        if discount == "log2_rank" and i == 1:
            continue
        p = sum(marks[:i])
        value = difference(kind, compat, p, i - p, sum(marks), len(marks) - sum(marks))
        total += value / log2(i + 1 if discount == "log2_next" else i)
    return total


def all_orders(n, g):
    return [tuple(int(i in chosen) for i in range(n)) for chosen in combinations(range(n), g)]


def membership(*lists):
    """Two groups, b and the rest; None is a document of unknown group."""
    rows = [[(nan, nan) if mark is None else (1 - mark, mark) for mark in marks] for marks in lists]
    return np.array(rows, dtype=float)


def score(measure, *lists):
    return measure(membership(*lists), ("a", "b"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("discount", ["log2_next", "log2_rank"])
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("compat", [False, True])
def test_every_order_of_every_short_list(kind, discount, step, compat):
    if compat and kind is not rKL:
        return
    options = {"protected": "b", "step": step, "discount": discount} | ({"compat": True} if compat else {})
    for n in range(2, 9 if THOROUGH else 8):
        for g in range(1, n):
            lists = all_orders(n, g)
            values = np.array([raw(kind, marks, step, discount, compat) for marks in lists])
            least, most = values.min(), values.max()
            relative = score(kind(norm="max", **options), *lists)
            normal = score(kind(**options), *lists)
            assert relative == pytest.approx(values / most if most > 1e-12 else np.full(len(lists), nan), nan_ok=True)
            if most - least < 1e-12:
                assert np.isnan(normal).all()
            else:
                assert normal == pytest.approx((values - least) / (most - least), abs=1e-12)
                assert (normal.min(), normal.max()) == pytest.approx((0, 1), abs=1e-12)


def test_worked_out_by_hand():
    # b a a: the share of b in the list is 1/3, in the prefixes 1, 1/2, 1/3, so u = 2/3, 1/6, 0
    # raw = 2/3 + (1/6) / log2(3) = .771822; a b a: u = 1/3, 1/6: .438488; a a b: u = 1/3, 1/3: .543643
    assert score(rND(protected="b"), (1, 0, 0), (0, 1, 0), (0, 0, 1)) == pytest.approx([1, 0, 0.315463], abs=1e-5)
    assert score(rND(protected="b", norm="max"), (0, 1, 0)) == pytest.approx(0.438488 / 0.771822, abs=1e-5)
    # KL of a first b: 1 log2(3) = 1.584963; of b a: (1/2) log2(3/2) + (1/2) log2(3/4) = .084963
    raw_kl = 1.584963 + 0.084963 / 1.584963
    # a first: log2(3/2) = .584963, then as above, or again: .584963
    assert score(rKL(protected="b", norm="max"), (0, 1, 0)) == pytest.approx(
        (0.584963 + 0.084963 / 1.584963) / raw_kl, abs=1e-5
    )
    # ratio of the list 1/2; b alone counts as 0, b a is 1: u = 1/2, 1/2; a b a: 1/2, 1/2; a a b: 1/2, 1/2
    assert np.isnan(score(rRD(protected="b"), (1, 0, 0))).all()


def test_the_best_order_of_four_and_four():
    lists = all_orders(8, 4)
    assert score(rND(norm="max"), *lists).min() == pytest.approx(0.436, abs=5e-4)
    assert score(rND(), *lists).min() == pytest.approx(0, abs=1e-12)


def test_program_by_another_way():
    """A longer list, where all C(16, 5) orders are tried through the counts of their prefixes."""
    chosen = np.array(list(combinations(range(16), 5)))
    marks = np.zeros((len(chosen), 16), dtype=np.int64)
    np.put_along_axis(marks, chosen, 1, axis=1)
    rank = np.arange(1, 17)
    for formula in (nd, kl):
        values = formula(np.cumsum(marks, axis=1), rank, np.array(5), np.array(16)) @ (1 / np.log2(rank + 1))
        assert bound_order(formula, 16, 5, 1, "log2_next") == pytest.approx((values.min(), values.max()))


def test_counts_of_any_cost():
    cost = np.random.default_rng(3).normal(size=(7, 4))
    values = [sum(cost[i, sum(marks[: i + 1])] for i in range(7)) for marks in all_orders(7, 3)]
    assert extremes.bound_by_counts([cost], 7, 3) == pytest.approx((min(values), max(values)))


@given(st.integers(1, 30), st.data())
def test_counts_have_the_same_bits_in_c_and_in_numpy(length, data):
    marked = data.draw(st.integers(0, length))
    cost = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=(length, marked + 1))
    parts = np.split(cost, sorted(data.draw(st.lists(st.integers(0, length), max_size=3))))
    ends = extremes.bound_by_counts(parts, length, marked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extremes, "extension", None)
        assert extremes.bound_by_counts([cost], length, marked) == ends


def test_a_long_list_takes_no_memory():
    tracemalloc.start()
    least, most = bound_order(nd, 3000, 1000, 1, "log2_next")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert least < most
    assert peak < 8 << 20  # all costs of all lengths would be 24 MB, and were held several times


lists = st.lists(st.integers(0, 1), min_size=3, max_size=40)


@given(lists, st.sampled_from(KINDS), st.integers(1, 4), st.sampled_from(["log2_rank", "log2_next"]))
def test_values_are_between_0_and_1(marks, kind, step, discount):
    for norm in ("minmax", "max"):
        value = score(kind(protected="b", step=step, discount=discount, norm=norm), marks)
        assert np.isnan(value).all() or (0 <= value[0] <= 1)


@given(lists, st.sampled_from([rND, rKL]))
def test_protected_and_others_may_change_places(marks, kind):
    swapped = [1 - mark for mark in marks]
    value = score(kind(protected="b"), marks)
    assert score(kind(protected="b"), swapped) == pytest.approx(value, abs=1e-9, nan_ok=True)
    assert score(kind(protected="a"), marks) == pytest.approx(value, abs=1e-9, nan_ok=True)
    assert score(kind(), marks) == pytest.approx(value, abs=1e-9, nan_ok=True)


@given(lists, st.integers(1, 20), st.sampled_from(KINDS))
def test_below_the_cutoff_nothing_counts(marks, cutoff, kind):
    assert score(kind(cutoff=cutoff), marks) == pytest.approx(score(kind(), marks[:cutoff]), nan_ok=True)


def test_all_protected_first_is_the_worst_of_rnd():
    assert score(rND(protected="b"), [1] * 10 + [0] * 30) == pytest.approx(1)
    assert score(rKL(protected="b"), [1] * 10 + [0] * 30) == pytest.approx(1)


def test_compat_depends_on_which_group_is_called_protected():
    marks = (1, 1, 0, 1, 0, 0, 0)
    one, other = (score(rKL(protected=group, compat=True, norm="max"), marks) for group in "ab")
    assert abs(one - other) > 0.01
    plain = score(rKL(protected="b", norm="max"), marks)
    assert abs(plain - one) > 0.001


def test_three_groups_each_against_the_rest():
    names, marks = ("x", "y", "z"), [0, 0, 1, 2, 1, 0, 2, 2]
    table = np.eye(3)[marks][None]
    each = [rND(protected=name)(table, names) for name in names]
    assert rND()(table, names) == pytest.approx(np.mean(each))
    assert each[1] == pytest.approx(score(rND(protected="b"), [mark == 1 for mark in marks]))
    without_z = np.eye(3)[[0, 1, 1, 0, 1]][None]  # z is not there: no value for it, and none in the mean
    assert np.isnan(rND(protected="z")(without_z, names)).all()
    assert rND()(without_z, names) == pytest.approx(rND(protected="x")(without_z, names))


def test_unknown_documents_are_passed_over():
    gappy, closed = (None, 1, 0, None, 1, 0, 0), (1, 0, 1, 0, 0)
    for kind in KINDS:
        assert score(kind(), gappy) == pytest.approx(score(kind(), closed))
        assert score(kind(cutoff=5), gappy) == pytest.approx(score(kind(), closed[:3]), nan_ok=True)


def test_a_document_of_no_group_is_not_protected():
    table = membership((1, 0, 1, 0, 0))
    table[0, 1] = 0
    assert rND(protected="b")(table, ("a", "b")) == pytest.approx(score(rND(protected="b"), (1, 0, 1, 0, 0)))


def test_soft_memberships_become_hard_and_that_is_said():
    table = np.array([[[0.3, 0.7], [0.5, 0.5], [1, 0], [nan, nan], [0.1, 0.9]]])
    assert rND(protected="b")(table, ("a", "b")) == pytest.approx(score(rND(protected="b"), (1, 0, 0, 1)))
    assert str(rND().note(table)) == "3 of 4 memberships are soft; more than .5 counts as a member"
    first = "the list is the first 1 documents; members of groups below it do not count"
    soft = "1 of 1 memberships are soft; more than .5 counts as a member"
    assert str(rND(cutoff=1).note(table)) == f"{first}; {soft}"
    assert str(rND(cutoff=1).note(np.round(table))) == first
    assert rND().note(membership((1, 0, None))) is None


@pytest.mark.parametrize("kind", KINDS)
def test_undefined(kind):
    for marks in [(1, 1, 1), (0, 0, 0), (1, None, None), (None, None, None), (1, 0, None)]:
        assert np.isnan(score(kind(), marks)).all()
    assert kind()(np.empty((2, 0, 2)), ("a", "b")) == pytest.approx([nan, nan], nan_ok=True)
    assert kind()(np.empty((2, 3, 0)), ()) == pytest.approx([nan, nan], nan_ok=True)
    assert kind()(np.empty((0, 3, 2)), ("a", "b")).shape == (0,)
    assert np.isnan(score(kind(step=9), (1, 0, 1, 0))).all()  # no rank is looked at
    assert score(kind(norm="max", discount="log2_rank"), (1,)).tolist() == pytest.approx([nan], nan_ok=True)


def test_lists_of_different_lengths_do_not_disturb_each_other():
    long, short = (1, 0, 0, 1, 1, 0, 0), (0, 1, 1, 0, 1, None, None)
    together = score(rND(), long, short)
    assert together == pytest.approx([score(rND(), long)[0], score(rND(), short[:5])[0]])


def test_refused():
    with pytest.raises(UsageError, match="there is no group 'c'; the groups are a, b"):
        rND(protected="c").check(("a", "b"))
    rND(protected="b").check(("a", "b"))
    rND().check(("a", "b"))
    with pytest.raises(UsageError, match="the step is 0"):
        rKL(step=0)
    with pytest.raises(UsageError, match="the cutoff is 0"):
        rRD(cutoff=0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_discount_that_means_another_formula_elsewhere_is_refused(kind):
    said = "the parameter discount cannot be 'log2'; 1 / log2(i) is log2_rank, as log2 is 1 / log2(1 + i) elsewhere; "
    with pytest.raises(UsageError, match=re.escape(f"{kind.__name__}: {said}it is one of: log2_next, log2_rank")):
        kind(discount="log2")
    with pytest.raises(UsageError, match=re.escape(f"{kind.__name__}(discount=log2): {said}")):
        registry.parse(f"{kind.__name__}(discount=log2)")


def test_spelling_and_inputs():
    assert str(rND()) == "rND"
    assert str(rKL(protected="b", step=10, norm="max", compat=True, cutoff=100)) == (
        "rKL(protected='b',step=10,norm='max',compat=True)@100"
    )
    assert rND().needs == ("membership", "groups")
    assert list_required_inputs(rND.note) == ("membership",)
    assert rND().better == "lower"


def test_how_long_the_orders_of_many_documents_take_is_told(monkeypatch, capsys):
    marks = np.array([[1.0, 0.0] * 200, [1.0, 1.0, 0.0, 0.0] * 100])
    lists = np.cumsum(marks == 1, axis=1), np.array([400, 400])
    assert unevenness(*lists, nd, step=1, kind="log2_next", norm="minmax").shape == (2,)
    assert capsys.readouterr().err == ""  # of so few documents nothing is said
    monkeypatch.setattr(progress, "LONG", 0)
    unevenness(*lists, nd, step=1, kind="log2_next", norm="minmax")
    what = "the least and the most over all orders of {} (rND and its kin; fewer with a cutoff): about {} seconds"
    assert capsys.readouterr().err.startswith(f"# {what.format('400 documents', 0)}")
    foretell_orders(kl, [(20_000, 6_000), (10_000, 6_000), (10_000, 6_000), (9, 0)])
    # (20,000 + 10,000) * 6,001 cells, of 4e-8 seconds each
    assert capsys.readouterr().err.startswith(f"# {what.format('2 lists of up to 20,000 documents', 7)}")

"""The leader board: order, ranks, the best, the worst, the dominated; against scipy, arithmetic, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from fairtrec.evaluation import leaderboard
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.leaderboard import Standing
from fairtrec.support.errors import UsageError
from fairtrec_made.measures import Higher, Nearer, Neither

NAN, INF = float("nan"), float("inf")
BETTERS = ["higher", "lower", "nearer 0", "neither"]


def standing(rows, *betters):
    return Standing(np.array(rows, dtype=float), betters)


# ---------------------------------------------------------------------------------------- one measure: order, ranks


@pytest.mark.parametrize(
    ("better", "values", "order", "ranks"),
    [
        ("higher", [0.1, 0.3, 0.2], [1, 2, 0], [3, 1, 2]),
        ("lower", [0.1, 0.3, 0.2], [0, 2, 1], [1, 3, 2]),
        ("nearer 0", [-0.1, 0.3, 0.0], [2, 0, 1], [2, 3, 1]),
        ("neither", [0.1, 0.3, 0.2], [1, 2, 0], [3, 1, 2]),
        ("higher", [0.5, 0.9, 0.5, 0.1], [1, 0, 2, 3], [2, 1, 2, 4]),  # competition ranks: 1 2 2 4
        ("nearer 0", [-0.2, 0.2, 0.1], [2, 0, 1], [2, 2, 1]),  # equally far from 0, in the order given
        ("higher", [NAN, 0.2, NAN, 0.3], [3, 1, 0, 2], [0, 2, 0, 1]),  # undefined: last, and without a rank
        ("lower", [NAN, INF, -INF], [2, 1, 0], [0, 2, 1]),
        ("higher", [0.0, -0.0], [0, 1], [1, 1]),
    ],
)
def test_order_and_ranks(better, values, order, ranks):
    assert leaderboard.order(np.array(values), better).tolist() == order
    assert standing([[value] for value in values], better).ranks[:, 0].tolist() == ranks


numbers = st.one_of(st.sampled_from([-0.5, 0.0, 0.5, 0.25, INF, -INF]), st.floats(-1e6, 1e6))


@given(st.lists(numbers, min_size=1, max_size=12), st.sampled_from(BETTERS))
def test_ranks_are_those_of_scipy(values, better):
    turned = (
        {"higher": -1, "neither": -1, "lower": 1}.get(better, 0) * np.array(values)
        if better != "nearer 0"
        else np.abs(values)
    )
    assert standing([[value] for value in values], better).ranks[:, 0].tolist() == rankdata(turned, "min").tolist()


@given(st.lists(st.one_of(numbers, st.just(NAN)), min_size=1, max_size=12), st.sampled_from(BETTERS))
def test_ranks_rise_along_the_order(values, better):
    ranks = standing([[value] for value in values], better).ranks[:, 0]
    along = ranks[leaderboard.order(np.array(values), better)].tolist()
    defined = [rank for rank in along if rank]
    assert along == defined + [0] * (len(values) - len(defined))
    assert defined == sorted(defined)


# ------------------------------------------------------------------------------------------ the best and the worst


@pytest.mark.parametrize(
    ("better", "values", "best", "worst"),
    [
        ("higher", [0.1, 0.3, 0.2], [1], [0]),
        ("lower", [0.1, 0.3, 0.2], [0], [1]),
        ("nearer 0", [-0.4, 0.3, -0.1], [2], [0]),
        ("neither", [0.1, 0.3, 0.2], [], []),
        ("higher", [0.2, 0.2], [0, 1], []),  # all equal: nobody is worst
        ("higher", [0.1, 0.2, 0.1], [1], [0, 2]),
        ("higher", [NAN, 0.2, 0.1], [1], [2]),
        ("higher", [NAN, 0.2], [], []),  # nothing to compare it with
        ("higher", [NAN, NAN], [], []),
        ("higher", [0.2], [], []),
    ],
)
def test_best_and_worst_go_by_the_direction(better, values, best, worst):
    compared = standing([[value] for value in values], better)
    assert np.flatnonzero(compared.best[:, 0]).tolist() == best
    assert np.flatnonzero(compared.worst[:, 0]).tolist() == worst


# ------------------------------------------------------------------------------------------------------- dominance


@pytest.mark.parametrize(
    ("rows", "betters", "dominated"),
    [
        ([[0.5, 0.5], [0.6, 0.4], [0.4, 0.4]], ["higher", "higher"], [2]),
        ([[0.5, 0.5], [0.6, 0.4], [0.4, 0.6]], ["higher", "lower"], [0, 2]),  # the second is more, and for less
        ([[0.5, -0.1], [0.5, 0.2]], ["higher", "nearer 0"], [1]),
        ([[0.5, 0.5], [0.5, 0.5]], ["higher", "higher"], []),  # better in none
        ([[0.5, 0.5, 9.0], [0.6, 0.6, 1.0]], ["higher", "higher", "neither"], [0]),  # a count is no argument
        ([[0.5, 9.0], [0.6, 1.0]], ["higher", "neither"], []),  # one direction: the order says it all
        ([[0.5], [0.6]], ["higher"], []),
        ([[0.5, NAN], [0.6, 0.1]], ["higher", "higher"], []),  # a number and nothing cannot be compared
        ([[0.5, 0.1], [0.6, NAN]], ["higher", "higher"], []),
        ([[0.5, NAN], [0.6, NAN]], ["higher", "higher"], []),  # nor can nothing and nothing
        ([[0.5, NAN], [0.6, 0.6], [0.4, 0.4], [0.3, NAN]], ["higher", "higher"], [2]),  # the others are compared
        ([[INF, 0.5], [0.6, 0.5]], ["higher", "higher"], [1]),
        ([[0.5, 0.5]], ["higher", "higher"], []),
    ],
)
def test_dominated(rows, betters, dominated):
    assert np.flatnonzero(standing(rows, *betters).dominated).tolist() == dominated


boards = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(
            st.lists(st.sampled_from([0.0, 0.5, 1.0, NAN]), min_size=width, max_size=width), min_size=1, max_size=7
        ),
        st.lists(st.sampled_from(BETTERS), min_size=width, max_size=width),
    )
)


@given(boards)
def test_dominance_keeps_its_laws(board):
    rows, betters = board
    dominated = standing(rows, *betters).dominated
    assert not dominated.all()  # somebody is always left
    order = np.random.default_rng(1).permutation(len(rows))
    again = standing([rows[at] for at in order], *betters).dominated
    assert again.tolist() == dominated[order].tolist()  # the order of the runs changes nothing
    twice = standing(rows + rows, *betters).dominated
    assert twice.tolist() == [*dominated, *dominated]  # and nobody dominates his equal
    front = [row for row, beaten in zip(rows, dominated, strict=True) if not beaten]
    assert not standing(front, *betters).dominated.any()
    uncompared = [
        any(value != value for value, better in zip(row, betters, strict=True) if better != "neither") for row in rows
    ]
    assert not (dominated & uncompared).any()
    whole = [row for row, left in zip(rows, uncompared, strict=True) if not left]
    if whole:  # and what cannot be compared takes the mark from no other, nor gives it
        assert standing(whole, *betters).dominated.tolist() == dominated[~np.array(uncompared)].tolist()
    if sum(better != "neither" for better in betters) > 1:  # who is dominated is so by one of those that are not
        for row in (row for row, beaten in zip(rows, dominated, strict=True) if beaten):
            assert standing([*front, row], *betters).dominated[-1]


# ---------------------------------------------------------------------------------------------- a result, the option


def result_of(*means):
    measures = (Higher(), Neither())
    scores = [
        Scores(f"{name}.run", "t", measures, ("q",), np.array([[a], [b]]))
        for name, (a, b) in zip("abcd", means, strict=False)
    ]
    return Result(tuple(scores), Signature({}), (), {})


def test_runs_are_sorted_by_full_values():
    result = result_of((0.12341, 1), (0.12344, 3), (NAN, 2), (0.12341, 2))
    assert [scores.run[0] for scores in leaderboard.sort_runs(result, Higher()).scores] == ["b", "a", "d", "c"]
    assert [scores.run[0] for scores in leaderboard.sort_runs(result, Neither()).scores] == ["b", "c", "d", "a"]
    with pytest.raises(UsageError, match=r"cannot sort by Higher@5, .* sort by one of Higher@10, Neither@10$"):
        leaderboard.sort_runs(result, Higher(5))


def several(measure, **runs):
    """A result of runs with these values of one measure, ``{run: {qid: value}}``."""
    scores = [
        Scores(run, "t", (measure,), tuple(values), np.array([list(values.values())])) for run, values in runs.items()
    ]
    return Result(tuple(scores), Signature({}), (), {})


def test_runs_are_ordered_by_the_mean_size_where_nearer_0_is_better():
    result = several(Nearer(), leans_both_ways={"q": -0.9, "r": 0.9}, leans_little={"q": 0.1, "r": 0.3})
    assert [scores.means.tolist() for scores in result.scores] == [[0.0], [pytest.approx(0.2)]]
    assert [scores.order_values.tolist() for scores in result.scores] == [[0.9], [pytest.approx(0.2)]]
    assert [scores.run for scores in leaderboard.sort_runs(result, Nearer()).scores] == [
        "leans_little",
        "leans_both_ways",
    ]


def test_a_mean_over_other_queries_than_those_of_other_runs_is_compared_with_none():
    result = several(Higher(), a={"q": 0.2, "r": 0.4}, b={"q": 0.3}, c={"q": 0.1, "r": 0.1}, d={"q": 0.9, "r": NAN})
    assert leaderboard.incomplete(result)[:, 0].tolist() == [False, True, False, True]  # absent, or undefined
    assert leaderboard.comparable(result)[:, 0].tolist() == [pytest.approx(0.3), pytest.approx(NAN, nan_ok=True),
                                                             pytest.approx(0.1), pytest.approx(NAN, nan_ok=True)]  # fmt: skip
    assert [scores.run for scores in leaderboard.sort_runs(result, Higher()).scores] == ["a", "c", "b", "d"]
    apart = several(Higher(), a={"q": 0.2, "r": 0.4}, b={"r": 0.3, "s": 0.5})
    assert leaderboard.incomplete(apart)[:, 0].tolist() == [True, True]


@pytest.mark.parametrize(("text", "asked"), [("nDCG@10", "ndcg_cut_10 RR"), ("NFaiRR", "NFaiRR@10"), ("P_5", "P@5")])
def test_the_measure_is_spelled_as_where_it_is_asked_for(text, asked):
    assert leaderboard.sort_key(text, (asked,)) in leaderboard.registry.parse(asked)


@pytest.mark.parametrize(("utility", "nearness"), [(0.9, 0.0), (0.0, 0.9)])
def test_a_run_over_fewer_queries_has_no_mark_whatever_its_values_are(utility, nearness):
    every, few = ("q", "r"), ("q",)
    several = [
        Scores(name, "t", (Higher(), Nearer()), qids, np.array([[good] * len(qids), [near] * len(qids)]))
        for name, qids, good, near in [
            ("a", every, 0.5, 0.5),
            ("b", every, 0.4, 0.6),
            ("fewer", few, utility, nearness),
            ("as few", few, 0.45, 0.45),
        ]
    ]
    result = Result(tuple(several), Signature({}), (), {})
    compared = Standing(leaderboard.comparable(result), [Higher().better, Nearer().better])
    assert compared.dominated.tolist() == [False, True, False, False]
    assert compared.best.tolist() == [[True, True], *[[False, False]] * 3]
    assert compared.worst.tolist() == [[False, False], [True, True], *[[False, False]] * 2]


def test_the_level_of_relevance_is_part_of_the_measure():
    assert str(leaderboard.sort_key("P@5", ("P@5", "RR"), 2)) == "P(rel=2)@5"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "nDCG@20",
            r"cannot sort by nDCG@20, which is not computed; add it with measures=, or sort by one of nDCG@10, RR$",
        ),
        ("nDCG@10 RR", "has 2; choose one"),
        ("", "has 0; choose one"),
        ("nfair", "there is no measure nfair; did you mean NFaiRR"),
    ],
)
def test_another_measure_is_refused_before_anything_is_read(text, why):
    with pytest.raises(UsageError, match=why):
        leaderboard.sort_key(text, ("nDCG@10", "RR"))


def test_what_is_only_known_later_is_not_refused_yet():
    assert str(leaderboard.sort_key("TE(group=f)@10", ("TE@10", "RR"))) == "TE(group='f')@10"
    assert str(leaderboard.sort_key("RR@10", ())) == "RR@10"  # the measures that the inputs allow


def test_nobody_is_best_at_infinity():
    means = np.array([[np.inf, 0.5, np.inf], [np.inf, 0.4, 1.0]])
    best = Standing(means, ["lower", "higher", "higher"]).best
    assert best.tolist() == [[False, True, False], [False] * 3]


@pytest.mark.parametrize("form", ["csv", "tsv", "trec"])
def test_what_a_format_without_signs_sorts_by_is_a_note(example, fairtrec_command, form):
    """The means are those over the queries by which runs are sorted, and so are the verdict and the signature."""
    asked = ["eval", example / "qrels.txt", *(example / f"{name}.run" for name in ("bm25", "neural", "fair"))]
    asked += ["--labels", example / "labels.tsv", "-m", "nDCG@10 AWRF@10", "--sort", "AWRF@10"]
    done = fairtrec_command(*asked, "-f", form)
    for said in (
        "# verdict: 11 queries: the order by AWRF@10 ",
        "# order: by AWRF@10, highest first, over the 11 queries in which all ranked runs have a value; ",
        "; means of other measures are over all queries with a value; ranks are not tested, see fairtrec compare\n",
        " | sort:AWRF@10/11\n",
    ):
        assert said in done.err
    assert not any(sign in done.out for sign in "*°×(")
    shown = fairtrec_command(*asked, "-f", "csv").out.splitlines()[1]
    assert f"{shown.split(',')[0]},fair,all,12,0.9561,0.9784,11" == shown

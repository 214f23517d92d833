"""Lemma 3, the search and its bound: against all orders of short lists, and laws."""

from itertools import permutations

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.fronts import solve as solving
from fairtrec.evaluation.fronts.solve import Cached, solve
from fairtrec.lab.headroom import HEADROOMS
from fairtrec.lab.rerank.candidate_pool import Search
from fairtrec_made import THOROUGH

LISTS = 64 if THOROUGH else 8  # more than 1,000 lists with all parameters, of lemma 3 and of the search


@pytest.fixture(autouse=True)
def _no_lists_of_all_orders(monkeypatch):
    """Leave what is below the million out: then lemma 3 and the search have to find what all orders show."""
    monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    monkeypatch.setattr(solving, "KINDS", 0)
    monkeypatch.setattr("fairtrec.evaluation.fronts.exposure_fronts.KINDS", 0)


def world(seed, lists, docs):
    """Make a run of several queries, its qrels, and labels of its documents; some are of none or of unknown groups."""
    random = np.random.default_rng(seed)
    run, qrels, labels, stances = {}, {}, {"elsewhere": "a", "else": "b", "or": "c"}, {}
    for query in range(lists):
        names = [f"q{query}d{number}" for number in range(docs)]
        scores = np.sort(random.random(docs))[::-1].tolist()
        run[f"{query}"] = dict(zip(names, scores, strict=True))
        grades = {name: int(random.integers(0, 3)) for name in names if random.random() < 0.8}
        qrels[f"{query}"] = grades | {"other": 1}
        chosen = random.choice([*"abc", "-", "?"], docs, p=[0.3, 0.3, 0.2, 0.1, 0.1]).tolist()
        labels |= {name: group for name, group in zip(names, ["a", *chosen[1:]], strict=True) if group != "?"}
        stances |= dict(zip(names, random.normal(size=docs).round(3).tolist(), strict=True))
    return run, qrels, labels, stances


def solved(run, qrels, utility, fairness, *, worst=False, candidates=None, pin_unjudged=False, **given):
    """Find the fronts; give the problem, the values of the run and what was found."""
    search = Search.settle(
        {"qrels": None if utility == "scores" else qrels, **given},
        utility,
        fairness,
        "run",
        candidates,
        pin_unjudged=pin_unjudged,
        worst=worst,
        by="Worst" if worst else "headroom",
    )
    (problem,), (own,), *_ = search.cases([("r", run)], 1)
    return problem, own, solve(problem, own, Cached())


def all_orders(problem, row):
    """List all orders of a query [order, rank]."""
    ranks, movable = problem.ranks(row), problem.find_movable(row)
    return problem.fill_ranks(row, np.array([*permutations(movable.tolist(), len(ranks))]))


def staircase(utility, fairness):
    """Keep the pairs that no other equals or exceeds in both, one by one."""
    kept, highest = [], -np.inf
    for at in np.lexsort((-fairness, -utility)).tolist():
        if fairness[at] > highest + 1e-11:
            if kept and utility[kept[-1]] - utility[at] < 1e-11:
                kept.pop()
            kept.append(at)
            highest = fairness[at]
    return np.array([utility[kept], fairness[kept]])


def best_at(points, least):
    """Give the most fairness of points [2, point] of so much utility."""
    enough = points[0] >= least - 1e-9
    return points[1][enough].max()


PREFIXES = [
    "NDKL@4", "nDRKL@4", "KL@4", "MinSkew(eps=0.1)@4", "MaxSkew@4", "Skew(group=a,eps=0.1)@4", "InfeasibleIndex@4",
    "InfeasibleCount@4", "FAIR(gain=ndcg)@4", "FAIR@4", "MaxShare@3", "NDKL@2",
]  # fmt: skip
WHOLE = ["rND", "rKL(protected=a)", "rRD(protected=a)", "DUO", "DUO(mean=full)", "DUO(step=2)"]


def held_against_all_orders(fairness, utility, lists, docs, **more):
    run, qrels, labels, stances = world(len(fairness) + len(utility), lists, docs)
    given = {"stances": stances} if "DUO" in fairness else {"labels": labels}
    problem, _, found = solved(run, qrels, utility, fairness, **given, **more)
    assert set(found.ways) == {"lemma 3"}
    for row, front in enumerate(found.fronts):
        tops = all_orders(problem, row)
        useful, fair = problem.compute_utility(row, tops), problem.compute_fairness(row, tops)
        usable = np.isfinite(fair)
        wanted = staircase(useful[usable], fair[usable])
        assert np.stack([front.utility, front.fairness]) == pytest.approx(wanted, abs=1e-9)
        at = [tops.tolist().index(top) for top in front.tops.tolist()]  # each is an order, and has these values
        assert np.stack([useful[at], fair[at]]) == pytest.approx(np.stack([front.utility, front.fairness]), abs=1e-12)


@pytest.mark.parametrize("utility", ["nDCG@4", "scores"])
@pytest.mark.parametrize("fairness", PREFIXES)
def test_lemma_3_is_the_front_of_all_orders(fairness, utility):
    if utility == "scores" and "FAIR" in fairness:
        return
    held_against_all_orders(fairness, utility, LISTS, 6)


@pytest.mark.parametrize("fairness", WHOLE)
def test_lemma_3_of_whole_lists(fairness):
    held_against_all_orders(fairness, "scores", LISTS // 2, 6)


@pytest.mark.parametrize("more", [{"worst": True}, {"candidates": 3}, {"pin_unjudged": True}])
@pytest.mark.parametrize("fairness", ["NDKL@4", "FAIR@4", "MinSkew(eps=0.1)@4"])
def test_lemma_3_of_the_least_fair_and_of_held_documents(fairness, more):
    held_against_all_orders(fairness, "nDCG@4", LISTS, 6, **more)


@pytest.mark.parametrize("fairness", ["NDKL@4", "DUO"])
def test_where_there_are_too_many_pairs_the_corners_of_the_hull_are_found(fairness, monkeypatch):
    monkeypatch.setattr("fairtrec.formulas.prefix_fronts.Layers.find_front", lambda _: None)
    run, qrels, labels, stances = world(5, LISTS, 6)
    given = {"stances": stances} if fairness == "DUO" else {"labels": labels}
    problem, _, found = solved(run, qrels, "scores", fairness, **given)
    for row, front in enumerate(found.fronts):
        assert front.is_known
        tops = all_orders(problem, row)
        wanted = staircase(problem.compute_utility(row, tops), problem.compute_fairness(row, tops))
        fair_at = np.interp(wanted[0][::-1], front.ends[0][::-1], front.ends[1][::-1])[::-1]
        assert (fair_at >= wanted[1] - 1e-9).all()  # nothing is above it
        for point in front.ends.T:
            assert np.abs(wanted - point[:, None]).max(axis=0).min() < 1e-9  # and each corner is an order


@pytest.mark.parametrize("fairness", ["NDKL@4", "nDRKL@4"])
def test_the_fairest_order_of_the_same_grades_is_that_of_all_orders(fairness):
    run, qrels, labels, _ = world(7, LISTS, 6)
    problem, _, found = solved(run, qrels, "nDCG@4", fairness, labels=labels)
    grades = problem.grades()
    for row in range(len(found.fronts)):
        tops = all_orders(problem, row)
        alike = (grades[row][tops] == grades[row][:4]).all(axis=1)
        assert found.same[row] == pytest.approx(problem.compute_fairness(row, tops[alike]).max(), abs=1e-12)
        assert (grades[row][found.same_tops[row]] == grades[row][:4]).all()


EXPOSURES = [
    "AWRF@4",
    "EEL(discount=log2_clipped)@4",
    "EED(discount=log2)@4",
    "Exposure(group=a)@4",
]


@pytest.mark.parametrize("pin_unjudged", [False, True])
@pytest.mark.parametrize("utility", ["nDCG@4", "scores"])
@pytest.mark.parametrize("fairness", EXPOSURES)
def test_what_is_searched_for_lies_below_the_bound_and_finds_the_corners(fairness, utility, pin_unjudged):
    run, qrels, labels, _ = world(len(fairness), LISTS, 6)
    labels = {name: group for name, group in labels.items() if group != "-"}
    labels |= {name: "b" for ranking in run.values() for name in ranking if name not in labels}
    pin = pin_unjudged and utility != "scores"
    problem, own, found = solved(run, qrels, utility, fairness, labels=labels, pin_unjudged=pin)
    assert set(found.ways) == {"search"}
    losses = (0.0, 0.01, 0.05, 0.2)
    fronts = found.bound_fronts(problem, own[0], losses)
    corners = met = loose = far = 0
    for row, front in enumerate(fronts):
        tops = all_orders(problem, row)
        useful, fair = problem.compute_utility(row, tops), problem.compute_fairness(row, tops)
        wanted = staircase(useful, fair)
        for loss in (*losses, 1.0):
            least = (1 - loss) * own[0, row]
            at, bound = front.fairest(least - 1e-9)
            best = best_at(np.stack([useful, fair]), least)
            assert front.fairness[at] <= best + 1e-9 <= bound + 2e-9
        loose += not front.ends[1].max() < 1.01 * max(abs(wanted[1]).max(), 0.1)  # the bound is no mere range
        hull = wanted[:, solving.Front(*wanted, np.zeros((wanted.shape[1], 0))).corners]
        known = np.stack([front.utility, front.fairness])
        corners += hull.shape[1]
        met += sum(np.abs(known - point[:, None]).max(axis=0).min() < 1e-9 for point in hull.T)
        if "Exposure" in fairness:  # its size has a kink at 0, where walks of single moves may end early
            continue
        reached = np.interp(hull[0], known[0][::-1], known[1][::-1])
        far += not (reached >= hull[1] - 0.05 * np.ptp(hull[1]) - 1e-9).all()  # what is missed, is missed by little
    # In lists as short as these a corner may be two moves away, of which the first gains nothing: with three free ranks
    # c b a a is fairer than a b c b, but c b a b is as fair as that.
    assert loose <= (1 if THOROUGH else 0), loose
    assert far <= (2 if THOROUGH else 0), far
    most = 2 if "Exposure" in fairness and not THOROUGH else (0.05 if "Exposure" in fairness else 0.03) * corners
    assert corners - met <= most, (met, corners)


@pytest.mark.parametrize(
    ("fairness", "short"), [("AWRF@8", 0.004), ("EEL(discount=log2_clipped)@8", 0.005), ("NDKL@8", 1e-9)]
)
def test_a_search_finds_the_corners_of_the_hull_of_all_orders_of_eight_documents(fairness, short, monkeypatch):
    """Of 242 corners of AWRF 240 are to be found, of 243 of EEL 242, and all of NDKL; others are missed by little."""
    monkeypatch.setattr("fairtrec.evaluation.fronts.solve.KindCounts.sort_kinds", lambda *_: None)  # no lemma 3
    run, qrels, labels, _ = world(len(fairness), 30 if THOROUGH else 3, 8)
    labels = {name: "b" if group == "-" else group for name, group in labels.items()}
    labels |= {name: "b" for ranking in run.values() for name in ranking if name not in labels}
    problem, _, found = solved(run, qrels, "scores", fairness, labels=labels)
    assert set(found.ways) == {"search"}
    corners = met = 0
    for row, front in enumerate(found.fronts):
        tops = all_orders(problem, row)
        wanted = staircase(problem.compute_utility(row, tops), problem.compute_fairness(row, tops))
        hull = wanted[:, solving.Front(*wanted, np.zeros((wanted.shape[1], 0))).corners]
        known = np.stack([front.utility, front.fairness])
        corners += hull.shape[1]
        met += sum(np.abs(known - point[:, None]).max(axis=0).min() < 1e-9 for point in hull.T)
        reached = np.interp(hull[0], known[0][::-1], known[1][::-1])
        assert (reached >= hull[1] - short * np.ptp(hull[1]) - 1e-9).all()
    assert met >= (1.0 if "NDKL" in fairness else 240 / 242) * corners, (met, corners)


@pytest.mark.long
@pytest.mark.parametrize("fairness", ["AWRF@4", "EEL@4", "NDKL@4", "TExFAIR@4"])
@pytest.mark.parametrize("utility", ["nDCG@4", "ERR@4", "scores"])
def test_worst_run_optimal_bound(fairness, utility):
    """The order of the four, and more loss that is never less fair; values of scores have no scale."""
    run, qrels, labels, _ = world(3, LISTS, 6)
    texts = {
        name: "f " * (len(name) % 3) + "m " * (at % 4) for ranking in run.values() for at, name in enumerate(ranking)
    }
    given = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts} if fairness == "TExFAIR@4" else {"labels": labels}
    asked = {"qrels": None if utility == "scores" else qrels, **given}
    found = fairtrec.headroom({"r": run}, utility=utility, fairness=fairness, loss=(0, 0.05, 0.3), **asked).runs[0]
    turn = -1 if fairness in ("EEL@4", "NDKL@4") else 1
    values = [turn * point.fairness for point in found.points if point.name != "same grades"]
    assert values == pytest.approx(sorted(values))
    assert all(turn * point.bound >= turn * point.fairness - 1e-12 for point in found.points)
    by = [f"{end}(fairness={fairness},utility={utility},loss=0.05)" for end in ("Optimal", "Worst")]
    best, worst = (each.rankings for each in fairtrec.rerank(by, {"r": run}, **asked).runs)
    scores = fairtrec.evaluate(fairness, {"best": best, "worst": worst}, qrels=qrels, **given).scores
    kept = [query.qid for query in found.queries]
    reached = [turn * np.mean([one.values[0, one.qids.index(qid)] for qid in kept]) for one in scores]
    at_loss = next(point for point in found.points if point.loss == 0.05)
    assert reached[0] == pytest.approx(turn * at_loss.fairness)
    assert reached[1] <= turn * found.points[0].fairness + 1e-12
    if utility == "scores":
        sevenfold = {qid: {name: 7 * score for name, score in ranking.items()} for qid, ranking in run.items()}
        again = fairtrec.headroom({"r": sevenfold}, utility=utility, fairness=fairness, loss=(0, 0.05, 0.3), **asked)
        assert [point.fairness for point in again.runs[0].points] == pytest.approx(
            [point.fairness for point in found.points]
        )


def test_kinds_of_other_names_have_the_same_values():
    run, qrels, labels, _ = world(9, LISTS, 6)
    other = {"a": "z", "b": "y", "c": "x", "-": "-"}
    for fairness in ("AWRF@4", "NDKL@4"):
        one, two = (
            fairtrec.headroom({"r": run}, qrels=qrels, utility="nDCG@4", fairness=fairness, labels=each).runs[0].points
            for each in (labels, {name: other[group] for name, group in labels.items()})
        )
        assert [point.fairness for point in one] == pytest.approx([point.fairness for point in two])


def test_points_say_whether_they_are_exact_and_runs_in_which_ways():
    run, qrels, labels, _ = world(11, 5, 6)
    exact = fairtrec.headroom({"r": run}, qrels=qrels, utility="nDCG@4", fairness="NDKL@4", labels=labels)
    queries = len(exact.runs[0].queries)
    assert exact.runs[0].ways == {"lemma 3": queries}
    assert all(point.exact for point in exact.runs[0].points)
    table = HEADROOMS("table", exact, places=4)
    assert f"NDKL@4: exact for {queries} of {queries} queries, by lemma 3 (docs/headroom-computed.md)" in table
    assert "fairest orders found" not in table
    searched = fairtrec.headroom({"r": run}, qrels=qrels, utility="nDCG@4", fairness="AWRF@4", labels=labels)
    assert searched.runs[0].ways == {"search": queries}
    table = HEADROOMS("table", searched, places=4)
    assert (
        f"AWRF@4: found by search for {queries} of {queries} queries (docs/headroom-computed.md); no order is better"
        in table
    )
    assert "the fairest orders found that lose" in table


def test_the_search_ends_at_its_cap_and_says_so(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.walks.CELLS", 1)
    run, qrels, labels, _ = world(13, 3, 6)
    found = fairtrec.headroom({"r": run}, qrels=qrels, utility="nDCG@4", fairness="AWRF@4", labels=labels)
    assert found.runs[0].capped == len(found.runs[0].queries)
    assert "the search ended at its cap for" in HEADROOMS("table", found, places=4)


def test_the_same_with_other_processes():
    run, qrels, labels, _ = world(15, 3, 6)
    runs = {"r": run, "s": {qid: dict(sorted(ranking.items())) for qid, ranking in run.items()}}
    one, two = (
        fairtrec.headroom(runs, qrels=qrels, utility="nDCG@4", fairness="AWRF@4", labels=labels, jobs=jobs)
        for jobs in (1, 2)
    )
    assert HEADROOMS("json", one) == HEADROOMS("json", two)


@pytest.mark.parametrize("more", [{}, {"pin_unjudged": True}, {"candidates": 4}, {"worst": True}])
@pytest.mark.parametrize("fairness", ["AWRF@4", "EEL@4"])
def test_sums_that_grow_give_the_same_fronts(fairness, more, monkeypatch):
    monkeypatch.setattr(solving, "KINDS", 64)
    run, qrels, labels, _ = world(21, 40 if THOROUGH else 6, 7)
    found = []
    for shared, kinds in ((0, 64), (100_000, 0)):  # first by sums that grow, then by all sequences
        monkeypatch.setattr("fairtrec.evaluation.fronts.exposure_fronts.SHARED", shared)
        monkeypatch.setattr("fairtrec.evaluation.fronts.exposure_fronts.KINDS", kinds)
        found.append(solved(run, qrels, "nDCG@4", fairness, labels=labels, **more)[2])
    for one, two in zip(*(each.fronts for each in found), strict=True):
        assert one.ends is None
        assert one.utility.tolist() == two.utility.tolist()
        assert one.fairness.tolist() == two.fairness.tolist()
        assert one.tops.tolist() == two.tops.tolist()
    assert found[0].same.tolist() == found[1].same.tolist()
    assert [top.tolist() for top in found[0].same_tops] == [top.tolist() for top in found[1].same_tops]
    assert set(found[0].ways) == set(found[1].ways) == {"lemma 2"}


@pytest.mark.long
@pytest.mark.parametrize("utility", ["nDCG@8", "scores"])
@pytest.mark.parametrize("fairness", ["NDKL@8", "KL@8", "MinSkew(eps=0.1)@8", "nDRKL@8"])
def test_lemma_3_gives_the_fronts_of_lemma_2_where_it_takes_less(fairness, utility, monkeypatch):
    monkeypatch.setattr(solving, "KINDS", 64)
    monkeypatch.setattr(solving, "LISTED", 100)
    run, qrels, labels, _ = world(11, LISTS, 12)
    _problem, _, counted = solved(run, qrels, utility, fairness, labels=labels)
    monkeypatch.setattr(solving, "LISTED", 1 << 62)
    _, _, listed = solved(run, qrels, utility, fairness, labels=labels)
    assert "lemma 3" in counted.ways
    assert set(listed.ways) == {"lemma 2"}
    for one, other in zip(counted.fronts, listed.fronts, strict=True):
        assert np.stack([one.utility, one.fairness]).tolist() == np.stack([other.utility, other.fairness]).tolist()
    assert counted.same == pytest.approx(listed.same, abs=1e-12, nan_ok=True)


def test_a_tangent_leaves_out_no_fairest_order(monkeypatch):
    from fairtrec.evaluation.fronts import exposure_fronts

    run, qrels, labels, _ = world(12, LISTS, 14)
    labels = {name: group for name, group in labels.items() if group != "-"}
    labels |= {name: "b" for ranking in run.values() for name in ranking if name not in labels}
    monkeypatch.setattr(exposure_fronts, "KINDS", 64)
    monkeypatch.setattr(exposure_fronts, "SHARED", 10)
    found = []
    for pays in (10, 1 << 62):
        monkeypatch.setattr(exposure_fronts, "TANGENT_PAYS", pays)
        monkeypatch.setattr(exposure_fronts, "SAMPLE", 5)
        found.append(solved(run, qrels, "nDCG@9", "AWRF@9", labels=labels)[2])
    assert set(found[0].ways) == {"lemma 2"}
    assert found[0].same.tolist() == found[1].same.tolist()
    assert [top.tolist() for top in found[0].same_tops] == [top.tolist() for top in found[1].same_tops]

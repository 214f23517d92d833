"""``fairtrec headroom``: its points against all orders, written out; the runs that Optimal writes; what it prints and refuses."""

import json
import re
from itertools import permutations
from math import inf

import numpy as np
import pytest

import fairtrec
from fairtrec.lab.headroom import HEADROOMS
from fairtrec.lab.headroom.headroom import Point
from fairtrec.lab.headroom.report import fair
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import EXAMPLE, REPOSITORY, THOROUGH

PAGE = (REPOSITORY / "docs" / "headroom.md").read_text("utf-8")
GIVEN = {"terms": "gender-en", "docs": EXAMPLE / "collection.tsv", "background": EXAMPLE / "background.run"}
RUNS = {name: EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")}
QRELS = EXAMPLE / "qrels.txt"


def fairness_of(run):
    return [round(point.fairness, 4) for point in run.points]


# --- figures ---


def test_the_figures_of_the_example_with_the_documents_of_the_background():
    found = fairtrec.headroom(RUNS, qrels=QRELS, from_="background", **GIVEN)
    assert [fairness_of(run) for run in found.runs] == [  # worked out by another program
        [0.5721, 0.7805, 0.8917, 0.8987, 0.9255, 1.0],
        [0.3868, 0.7468, 0.7754, 0.7884, 0.8375, 1.0],
        [0.7371, 0.7669, 0.7995, 0.8120, 0.8528, 1.0],
    ]
    assert [round(run.points[0].utility, 4) for run in found.runs] == [0.8630, 0.9742, 0.9561]
    assert {round(run.points[-1].utility, 4) for run in found.runs} == {0.6549}
    assert all(run.exact for run in found.runs)
    assert all(point.open == 0 for run in found.runs for point in run.points)


def test_the_runs_that_optimal_writes_have_these_means():
    losses = (0.0, 0.01, 0.05)
    found = fairtrec.headroom(RUNS, qrels=QRELS, loss=losses, **GIVEN)
    by = ["Optimal(same_grades=True)", *(f"Optimal(loss={loss})" for loss in losses)]
    several = fairtrec.rerank(by, RUNS, qrels=QRELS, **GIVEN).runs
    written = {f"{number}": each.rankings for number, each in enumerate(several)}
    scores = fairtrec.evaluate("nDCG@10 NFaiRR@10", written, qrels=QRELS, **GIVEN).scores
    points = [run.points[1 + at] for at in range(4) for run in found.runs]
    for one, point in zip(scores, points, strict=True):
        assert one.means.tolist() == pytest.approx([point.utility, point.fairness], abs=1e-9)
        assert point.bound == pytest.approx(point.fairness, abs=1e-7)


def test_each_query_keeps_what_it_has():
    found = fairtrec.headroom(RUNS["fair"], qrels=QRELS, loss=0.02, each=True, **GIVEN)
    (one,) = fairtrec.rerank("Optimal(loss=0.02,each=True)", RUNS["fair"], qrels=QRELS, **GIVEN).runs
    (scores,) = fairtrec.evaluate("nDCG@10 NFaiRR@10", one.rankings, qrels=QRELS, **GIVEN).scores
    of_queries = [query.points[2] for query in found.runs[0].queries]
    assert scores.values[0].tolist() == pytest.approx([point.utility for point in of_queries])
    assert scores.values[1].tolist() == pytest.approx([point.fairness for point in of_queries])
    assert found.runs[0].points[2].fairness == pytest.approx(scores.values[1].mean())
    mean = fairtrec.headroom(RUNS["fair"], qrels=QRELS, loss=0.02, **GIVEN).runs[0].points[2]
    assert mean.fairness >= found.runs[0].points[2].fairness


def test_more_documents_and_more_loss_are_never_less_fair():
    several = {of: fairtrec.headroom(RUNS, qrels=QRELS, from_=of, **GIVEN) for of in ("run", "runs")}
    for few, many in zip(several["run"].runs, several["runs"].runs, strict=True):
        for one, other in zip(few.points, many.points, strict=True):
            assert other.fairness >= one.fairness - 1e-9
        assert fairness_of(many)[1:] == sorted(fairness_of(many)[1:])
    for run in several["run"].runs:
        utility, fairness = run.front
        assert (np.diff(utility) < 1e-12).all()
        assert (np.diff(fairness) > -1e-12).all()
        for point in run.points:  # none is above the front
            if point.utility >= utility[-1]:
                assert point.fairness <= np.interp(point.utility, utility[::-1], fairness[::-1]) + 1e-9
    every = several["run"].all_runs
    assert every.front[1].max() == pytest.approx(several["runs"].runs[0].points[-1].fairness)


# --- against all orders ---

DOCS = [f"d{number}" for number in range(8)]


def world(random, n):
    """One query: a ranking, grades of some documents, labels of some, and counts of two groups of terms."""
    docs = random.permutation(DOCS)[:n].tolist()
    grades = {doc: int(random.integers(0, 3)) for doc in docs if random.random() < 0.8} | {"other": 1}
    labels = {doc: "fm"[int(random.integers(2))] for doc in docs if random.random() < 0.8} | {
        docs[0]: "f",
        "another": "m",
    }
    texts = {doc: "f " * int(random.integers(0, 4)) + "m " * int(random.integers(0, 4)) for doc in DOCS}
    return docs, grades, labels, texts


def ranked(docs):
    return {doc: float(len(docs) - at) for at, doc in enumerate(docs)}


def all_orders(docs, k, grades, measures, given):
    """Evaluate every order of so many documents, as queries of one run [measure, order]."""
    tops = list(permutations(docs, min(k, len(docs))))
    run = {f"{number:04}": ranked(top) for number, top in enumerate(tops)}
    qrels = {qid: {doc: grade for doc, grade in grades.items() if doc in docs or doc == "other"} for qid in run}
    if "background" in given:
        (background,) = given["background"].values()
        given = {**given, "background": dict.fromkeys(run, background)}
    (scores,) = fairtrec.evaluate(measures, run, qrels=qrels, **given).scores
    return tops, scores.values


def checked(fairness, utility, k, world, given, better=1.0, *, pin_unjudged=False, candidates=None):
    """Hold each point against the best of all orders; say whether all were called exact."""
    docs, grades, *_ = world
    orders, (useful, fair) = all_orders(docs, k, grades, [utility, fairness], given)
    fair = better * np.where(np.isnan(fair), -better * np.inf, fair)
    own_grades = [grades.get(doc, 0) for doc in docs[:k]]
    found = fairtrec.headroom(
        {"q": ranked(docs)},
        qrels={"q": grades},
        utility=utility,
        fairness=fairness,
        loss=(0, 0.3),
        pin_unjudged=pin_unjudged,
        candidates=candidates,
        **given,
    )
    (run,) = found.runs
    own = orders.index(tuple(docs[:k]))
    held = [
        (at, doc)
        for at, doc in enumerate(docs)
        if (pin_unjudged and doc not in grades) or (candidates is not None and at >= candidates)
    ]
    kept = np.array([all(order[at] == doc if at < k else doc not in order for at, doc in held) for order in orders])
    exact = True
    for point in run.points:
        allowed = {
            "run": np.arange(len(orders)) == own,
            "same grades": np.array([[grades.get(doc, 0) for doc in order] == own_grades for order in orders]),
            "loss": useful >= (1 - (0 if np.isnan(point.loss) else point.loss)) * useful[own] - 1e-9,
            "most": np.ones(len(orders), dtype=bool),
        }[point.name] & kept
        best = fair[allowed].max()
        value, bound = better * point.fairness, better * point.bound
        assert value <= best + 1e-9 <= bound + 2e-9, (point, best)
        if point.open == 0:
            assert value == pytest.approx(best), (point, best)
        exact &= point.open == 0
        if point.name == "loss":
            assert point.utility >= (1 - point.loss) * useful[own] - 1e-8
        reached = np.isclose(useful, point.utility) & np.isclose(fair, value)
        assert reached.any(), point  # some order is what is printed
    return exact


SUMS = ["FaiRR@3", "NFaiRR@3", "FaiRR(tau=0)@2", "EER(discount=log2)@3"]


@pytest.mark.parametrize("fairness", SUMS)
@pytest.mark.parametrize("utility", ["nDCG@3", "P@2", "AP@3", "RR@3"])
def test_lemma_1_for_sums_and_any_utility(fairness, utility):
    random = np.random.default_rng(len(fairness) + 7 * len(utility))
    for _ in range(2 if THOROUGH else 1):
        *_, texts = made = world(random, int(random.integers(3, 6)))
        given = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts, "background": {"q": ranked(DOCS)}}
        given["target"] = "f=0.7,m=0.3"  # so that documents of m alone are worth less than 0
        assert checked(fairness, utility, 3, made, given)
        assert checked(fairness, utility, 3, made, given, pin_unjudged=True)


@pytest.mark.parametrize(
    ("fairness", "better"),
    [
        ("KL@3", -1),
        ("nDRKL@3", 1),
        ("NDKL@3", -1),
        ("AWRF@3", 1),
        ("FAIR@3", 1),
        ("MinSkew(eps=0.1)@3", 1),
        ("InfeasibleIndex@3", -1),
        ("EEL@3", -1),
        ("EED@3", -1),
    ],
)
@pytest.mark.parametrize("utility", ["nDCG@3", "AP@3"])
def test_lemma_2_for_anything_of_labels(fairness, better, utility):
    random = np.random.default_rng(len(fairness) + len(utility))
    for _ in range(2 if THOROUGH else 1):
        _, _, labels, _ = made = world(random, int(random.integers(3, 6)))
        assert checked(fairness, utility, 3, made, {"labels": labels}, better)
        assert checked(fairness, utility, 3, made, {"labels": labels}, better, pin_unjudged=True)


@pytest.mark.parametrize("measure", ["RR", "P@5", "Bpref"])
def test_a_measure_of_relevance_is_no_fairness(measure):
    with pytest.raises(UsageError, match=f"a measure of relevance is no fairness, and {measure} is one; name another"):
        fairtrec.headroom({"1": {"x": 1}}, qrels={"1": {"x": 1}}, utility="nDCG@3", fairness=measure)


@pytest.mark.parametrize(("fairness", "utility"), [("NFaiRR@3", "nDCG@3"), ("FaiRR@3", "AP@3"), ("KL@3", "nDCG@3")])
def test_documents_behind_the_candidates_stay_where_they_are(fairness, utility):
    random = np.random.default_rng(4)
    for candidates in (1, 2, 3, 4):
        *_, labels, texts = made = world(random, 5)
        counted = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts, "background": {"q": ranked(DOCS)}}
        given, better = ({"labels": labels}, -1) if fairness == "KL@3" else (counted, 1)
        for pin_unjudged in (False, True):
            assert checked(fairness, utility, 3, made, given, better, pin_unjudged=pin_unjudged, candidates=candidates)


def test_where_no_lemma_holds_the_value_is_below_the_bound(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    random = np.random.default_rng(3)
    bounded = 0
    for utility, fairness in (("ERR@3", "FaiRR@3"), ("ERR@3", "nDRKL@3"), ("nDCG@3", "TExFAIR@3")):
        for _ in range(3):
            *_, labels, texts = made = world(random, 5)
            given = {"labels": labels} if fairness == "nDRKL@3" else {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts}
            bounded += not checked(fairness, utility, 3, made, given)
            checked(fairness, utility, 3, made, given, pin_unjudged=True)
    assert bounded


@pytest.mark.long
def test_with_too_many_sequences_exchanges_give_a_value(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    monkeypatch.setattr("fairtrec.evaluation.fronts.solve.KINDS", 1)
    random = np.random.default_rng(8)
    for utility in ("nDCG@3", "ERR@3"):
        _, _, labels, _ = made = world(random, 5)
        checked("GFR@3", utility, 3, made, {"labels": labels})
        checked("nDRKL@3", utility, 3, made, {"labels": labels}, pin_unjudged=True)
    found = fairtrec.headroom(RUNS, qrels=QRELS, fairness="nDRKL@10", utility="ERR@10", membership="majority", **GIVEN)
    assert found.runs[0].ways == {"search": 12}
    assert all(run.points[1].fairness > run.points[0].fairness for run in found.runs)


def test_what_is_nearer_0_is_best_by_its_size():
    found = fairtrec.headroom(RUNS, qrels=QRELS, fairness="ARaB@5", utility="nDCG@5", **GIVEN)
    values = fairtrec.evaluate("ARaB@5", RUNS, qrels=QRELS, **GIVEN).scores
    for run, scores in zip(found.runs, values, strict=True):
        assert run.points[0].fairness == pytest.approx(np.abs(scores.values[0]).mean())
        assert all(
            later.fairness <= earlier.fairness + 1e-9
            for earlier, later in zip(run.points[1:], run.points[2:], strict=False)
        )


def test_without_judgments_utility_is_what_the_run_scored():
    random = np.random.default_rng(2)
    docs, _, _, texts = world(random, 5)
    given = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts}
    scores = np.sort(random.random(5))[::-1]
    run = dict(zip(docs, scores.tolist(), strict=True))
    found = fairtrec.headroom({"q": run}, utility="scores", fairness="FaiRR@3", loss=(0, 0.2), **given)
    scaled = dict(zip(docs, ((scores - scores[-1]) / (scores[0] - scores[-1])).tolist(), strict=True))
    orders, (fair,) = all_orders(docs, 3, {"other": 1}, ["FaiRR@3"], given)
    useful = np.array([sum(scaled[doc] / np.log2(2 + at) for at, doc in enumerate(order)) for order in orders])
    names = [point.name for point in found.runs[0].points]
    assert names == ["run", "loss", "loss", "most"]
    for point, loss in zip(found.runs[0].points[1:3], (0, 0.2), strict=True):
        assert point.fairness == pytest.approx(fair[useful >= (1 - loss) * useful.max() - 1e-9].max())


@pytest.mark.parametrize("typed", ["scores", "scores@4", "scores@5"])
def test_the_dcg_of_scores_ends_where_its_name_says(typed):
    """Four documents of f and one of m, which is last: to bring it up costs DCG@4 a lot, and the whole DCG little."""
    run, labels = {"q": {"a": 10.0, "b": 9.0, "c": 8.0, "d": 3.0, "e": 0.9}}, dict.fromkeys("abcd", "f") | {"e": "m"}
    given = {"labels": labels, "utility": typed, "fairness": "MaxShare@4", "loss": 0.01}
    found = fairtrec.headroom({"r": run}, **given)
    own, at_loss, most = found.runs[0].points
    cutoff = 5 if typed == "scores@5" else 4
    scaled = [(score - 0.9) / 9.1 for score in (10.0, 9.0, 8.0, 3.0, 0.9)]
    swapped = [*scaled[:3], 0.0, scaled[3]]  # a b c e d
    dcg = [sum(score / np.log2(rank + 2) for rank, score in enumerate(order[:cutoff])) for order in (scaled, swapped)]
    assert (own.utility, most.utility) == pytest.approx(dcg)
    assert at_loss.fairness == (0.75 if dcg[1] >= 0.99 * dcg[0] else 1.0)
    assert str(found.utility) == f"DCG of scores@{cutoff}"
    assert found.signature["utility"] == f"scores@{cutoff}"
    by = f"Optimal(utility={typed},fairness=MaxShare@4,loss=1%)"
    (reranked,) = fairtrec.rerank(by, {"r": run}, labels=labels).runs
    assert {"abcde": 1.0, "abced": 0.75}["".join(reranked.rankings["q"])] == at_loss.fairness


def test_rerankers_by_scores_down_to_other_ranks_are_told_apart():
    run, labels = {"q": {"a": 10.0, "b": 9.0, "c": 8.0, "d": 3.0, "e": 0.9}}, dict.fromkeys("abcd", "f") | {"e": "m"}
    by = [f"Optimal(utility=scores@{cutoff},fairness=MaxShare@4,loss=1%)" for cutoff in (4, 5)]
    found = ["".join(each.rankings["q"]) for each in fairtrec.rerank(by, {"r": run}, labels=labels).runs]
    assert found == ["abcde", "abced"]
    # @k is the cutoff of those that name none
    (one,) = fairtrec.rerank("Optimal(utility=scores,fairness=MaxShare@4,loss=1%)@5", {"r": run}, labels=labels).runs
    assert "".join(one.rankings["q"]) == "abced"


def test_the_dcg_of_scores_of_a_fairness_without_a_cutoff_is_of_all_ranks():
    found = fairtrec.headroom(
        {"r": {"q": {"a": 2.0, "b": 1.0}}},
        utility="scores",
        fairness="DP",
        labels={"a": "f", "b": "m"},
        qrels={"q": {"a": 1, "b": 1}},
    )
    assert str(found.utility) == "DCG of scores"
    with pytest.raises(UsageError, match="scores@0: the cutoff is 0; ranks count from 1"):
        fairtrec.headroom(RUNS, utility="scores@0", **GIVEN)


# --- edges ---


def test_queries_left_out_of_many_runs_are_one_short_note():
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}}
    given = {"qrels": {"q1": {"a": 1}, "q2": {"x": 1}}, "labels": {"a": "f", "b": "m"}}
    found = fairtrec.headroom({f"run-{at}": run for at in range(50)}, fairness="AWRF@2", utility="nDCG@2", **given)
    (line,) = [line for line in HEADROOMS("table", found, places=4).splitlines() if "left out, without" in line]
    what = "queries left out, without a finite value of both measures: 1 of 2 (run-0, run-1, run-2 and 47 more)"
    assert line == what


def test_a_short_run_stays_as_short_and_a_query_without_relevant_documents_has_nothing_to_lose():
    texts = {"a": "f f", "b": "m f", "c": "", "x": ""}
    given = {
        "terms": {"f": ["f"], "m": ["m"]},
        "docs": texts,
        "background": {"1": ranked("abcx"), "2": ranked("abcx")},
    }
    run = {"1": ranked("ab"), "2": ranked("abc")}
    found = fairtrec.headroom(
        run, qrels={"1": {"x": 1}, "2": {"a": 1}}, utility="nDCG@3", fairness="FaiRR@3", from_="background", **given
    )
    first, second = found.runs[0].queries
    assert [point.utility for point in first.points[:2]] == [0, 0]
    assert first.points[1].fairness == pytest.approx(1 + 1 / np.log2(3))  # b and c: x is relevant, so of another grade
    assert first.points[-1].fairness == pytest.approx(1 + 1 / np.log2(3))
    assert second.points[1].fairness == pytest.approx(0 + 1 / np.log2(3) + 0.5)
    assert second.distance == pytest.approx(second.points[2].fairness - second.points[0].fairness)


def test_queries_of_which_a_value_is_undefined_are_left_out():
    found = fairtrec.headroom(RUNS, qrels=QRELS, fairness="NDKL@10", membership="majority", **GIVEN)
    assert [run.left_out for run in found.runs] == [(), ("105",), ("110",)]
    assert [len(run.queries) for run in found.runs] == [12, 11, 11]
    said = HEADROOMS("table", found, places=4)
    assert "queries left out, without a finite value of both measures: 1 of 12 (neural, fair)" in said
    with pytest.raises(
        InputError,
        match="no query has finite values of both measures; choose other measures with utility= and fairness=",
    ):
        fairtrec.headroom(
            {"q": ranked("ab"), "r": ranked("ba")},
            qrels={"q": {"a": 1}},
            utility="nDCG@1",
            fairness="NDKL@1",
            labels={"a": "-", "b": "f", "another": "m"},
        )


@pytest.mark.usefixtures("copied")
def test_without_judgments_the_scores_of_the_run_are_a_utility(fairtrec_command):
    asked = "headroom", "none", "bm25.run", "--terms", "gender-en", "--docs", "collection.tsv", "--fairness", "FaiRR@10"
    assert fairtrec_command(*asked).complaints == [
        "nDCG@10 needs relevance judgments; add a qrels file, or --utility scores"
    ]
    assert fairtrec_command(*asked, "--utility", "scores").code == 0
    assert "--utility scores" not in fairtrec_command(*asked[:-1], "AWRFxnDCG@10", "--utility", "TE").err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"loss": "a lot"}, "a loss is 'a lot'"),
        ({"loss": 1.5}, "a loss is '1.5'"),
        ({"from_": "elsewhere"}, "choose run, background or runs"),
        ({"utility": "NumRet"}, "utility is a measure that is better higher"),
        ({"fairness": "IFaiRR@10"}, "neither better higher nor lower; name another with fairness="),
        ({"fairness": "NFaiRR@10 FaiRR@10"}, "pass one measure of utility and one of fairness"),
        ({"fairness": "CRBO@10", "counterfactual": RUNS["neural"]}, "which other orders have not"),
        ({"missing": "skip"}, "headroom places every document"),
        ({"samples": True}, "leave out samples="),
        ({"utility": "scores", "from_": "runs"}, "only the documents of the run have scores"),
        ({"candidates": 0}, "candidates are 0"),
        ({"utility": "scores", "pin_unjudged": True}, "nothing is judged"),
        ({"from_": "background", "background": None, "fairness": "FaiRR@10"}, "takes documents of a run"),
    ],
)
def test_it_refuses_what_does_not_fit_together(given, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        fairtrec.headroom(RUNS["bm25"], qrels=QRELS, **{**GIVEN, **given})


def test_losses_are_shares_or_per_cent_and_candidates_are_the_first():
    found = fairtrec.headroom(RUNS["bm25"], qrels=QRELS, loss="1%, 0, .005", candidates=10, **GIVEN)
    assert found.losses == (0, 0.005, 0.01)
    assert found.signature["loss"] == "0,0.005,0.01"
    assert found.signature["candidates"] == "10"
    few = fairtrec.headroom(RUNS["bm25"], qrels=QRELS, loss=(), candidates=5, **GIVEN).runs[0].points
    assert few[0].fairness <= few[1].fairness <= found.runs[0].points[1].fairness
    more = fairtrec.headroom(RUNS["bm25"], qrels=QRELS, loss="1%, 0, .005", **GIVEN)
    assert more.runs[0].points[-1].fairness > found.runs[0].points[-1].fairness


# --- what it prints ---


@pytest.mark.long
def test_a_json_line_is_a_run_and_a_point():
    found = fairtrec.headroom(RUNS, qrels=QRELS, utility="ERR@10", **GIVEN)
    lines = [json.loads(line) for line in HEADROOMS("jsonl", found).splitlines()]
    assert [(line["run"], line["point"], line["loss"]) for line in lines[:6]] == [
        ("bm25", "run", None), ("bm25", "same grades", None), ("bm25", "loss", 0), ("bm25", "loss", 0.01),
        ("bm25", "loss", 0.05), ("bm25", "most", None),
    ]  # fmt: skip
    assert set(lines[0]) == {"run", "point", "loss", "utility", "fairness", "bound", "exact"}
    assert lines[2]["bound"] > lines[2]["fairness"] + 1e-6
    table = HEADROOMS("table", found, places=4)
    assert f"{lines[2]['fairness']:.4f} <={lines[2]['bound']:.4f}" in table  # printed where it exceeds 1e-6
    assert "found by search for 36 of 36 rankings" in table
    whole = json.loads(HEADROOMS("json", found, per_query=True))
    assert len(whole["runs"][0]["per_query"]) == 12
    assert whole["runs"][0]["points"][2] == {name: lines[2][name] for name in lines[2] if name != "run"}
    rows = HEADROOMS("csv", found, places=4, per_query=True).splitlines()
    assert len(rows) == 1 + 3 * 6 * 13
    assert len(HEADROOMS("jsonl", found, per_query=True).splitlines()) == 3 * 6 * 13


def test_a_bound_that_nobody_knows_is_said():
    found = [fair(Point("most", 0.5, 0.25, bound), places=2) for bound in (0.25, 0.3, 0.1, inf, -inf)]
    assert found == ["0.25", "0.25 <=0.30", "0.25 >=0.10", "0.25 <=?", "0.25 >=?"]


def test_names_on_the_page_stay_text():
    evil = "<script>alert(1)<∕script>"  # with a sign that only looks like a slash
    found = fairtrec.headroom({evil: RUNS["bm25"], "b": RUNS["fair"]}, qrels=QRELS, **GIVEN)
    page = HEADROOMS("html", found, places=4, per_query=True)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    many = fairtrec.headroom(
        {f"run{at}": RUNS["bm25"] for at in range(13)}, qrels=QRELS, queries=["101", "102"], **GIVEN
    )
    assert "no." in HEADROOMS("html", many, places=4)

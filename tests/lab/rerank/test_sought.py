"""Optimal and Worst of any two measures: against all orders, written out, and the laws of both."""

from itertools import permutations, product
from math import log2

import numpy as np
import pytest

import fairtrec
from fairtrec.support.errors import UsageError
from fairtrec_made import EXAMPLE, THOROUGH

STANCES = EXAMPLE / "stances.tsv"
RUNS = {name: EXAMPLE / f"{name}.run" for name in ("bm25", "neural", "fair")}
LABELED = ("KL@3", "NDKL@4", "AWRF@3", "FAIR@3")
COUNTED = ("FaiRR@3", "FaiRR(tau=0)@4", "ARaB@3", "TExFAIR@3")
UTILITIES = ("nDCG@3", "nDCG@5", "AP", "RR", "P@2", "scores", "RBP(p=0.8)@4", "RBP", "ERR@4", "Bpref")
UTILITIES += ("infAP", "nDCG(judged_only=True)@3")
TELL_UNJUDGED = ("Bpref", "infAP", "nDCG(judged_only=True)@3")  # documents from those of grade 0


def world(random, n):
    """One query: documents with falling scores, grades of some, labels, stances, and texts of two groups of terms."""
    docs = [f"d{number}" for number in random.permutation(n)]
    run = dict(zip(docs, (-np.sort(-random.random(n))).tolist(), strict=True))
    grades = {doc: int(random.integers(0, 3)) for doc in docs if random.random() < 0.8} | {"other": 1}
    labels = {doc: "fm"[int(random.integers(2))] for doc in docs if random.random() < 0.8}
    stances = {doc: [float(random.integers(-1, 2))] for doc in docs}
    texts = {doc: "f " * int(random.integers(0, 3)) + "m " * int(random.integers(0, 3)) for doc in docs}
    return run, grades, labels | {docs[0]: "f", "x": "m"}, stances, texts


def fairness_of(random, labels, stances, texts):
    """Draw a measure, and what it is given."""
    which = int(random.integers(3))
    if which == 0:
        return "DUO", {"stances": stances}
    if which == 1:
        return LABELED[int(random.integers(len(LABELED)))], {"labels": labels}
    return COUNTED[int(random.integers(len(COUNTED)))], {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts}


def every_order(run, grades, fairness, utility, given):
    """Evaluate all orders of one query [order] : the orders, utility and fairness."""
    orders = list(permutations(run))
    ranked = {
        f"{at:04}": {doc: float(len(run) - rank) for rank, doc in enumerate(order)} for at, order in enumerate(orders)
    }
    qrels = dict.fromkeys(ranked, grades)
    measures = [fairness] if utility == "scores" else [utility, fairness]
    (scores,) = fairtrec.evaluate(measures, ranked, qrels=qrels, **given).scores
    fair = scores.values[-1]
    if utility != "scores":
        return orders, scores.values[0], fair
    low, high = min(run.values()), max(run.values())
    scaled = {doc: (score - low) / (high - low) if high > low else 0.0 for doc, score in run.items()}
    depth = None if "@" not in fairness else int(fairness.partition("@")[2])
    return (
        orders,
        np.array([sum(scaled[doc] / log2(2 + at) for at, doc in enumerate(order[:depth])) for order in orders]),
        fair,
    )


BETTER = {"KL": "lower", "NDKL": "lower", "AWRF": "higher", "FAIR": "higher", "FaiRR": "higher", "ARaB": "nearer 0"}
BETTER |= {"TExFAIR": "higher", "DUO": "lower"}


def toward(measure, values, end):
    """Turn values so that more is what is looked for; what is not finite is never taken."""
    better = BETTER[measure.partition("@")[0].partition("(")[0]]
    turned = {"higher": values, "lower": -values, "nearer 0": -np.abs(values)}[better]
    turned = turned if end == "Optimal" else -turned
    return np.where(np.isfinite(turned), turned, -np.inf)


@pytest.mark.parametrize("seed", range(1000 if THOROUGH else 25))
def test_no_order_is_better_or_worse(seed):
    random = np.random.default_rng(seed)
    run, grades, labels, stances, texts = world(random, int(random.integers(2, 7)))
    fairness, given = fairness_of(random, labels, stances, texts)
    utility = UTILITIES[int(random.integers(len(UTILITIES)))]
    loss = float(random.choice([0.0, 0.05, 0.3, 1.0]))
    same = utility != "scores" and bool(random.random() < 0.3)
    orders, useful, fair = every_order(run, grades, fairness, utility, given)
    for end in ("Optimal", "Worst"):
        turned = toward(fairness, fair, end)
        if not np.isfinite(turned[0]) or not np.isfinite(useful[0]):
            continue
        allowed = useful >= (1 - loss) * useful[0] - 1e-9
        if same:
            unjudged = -1 if utility in TELL_UNJUDGED else 0
            tops = np.array([[grades.get(doc, unjudged) for doc in order] for order in orders])
            allowed = (tops == tops[0]).all(axis=1)
        most = turned[allowed].max()
        by = f"{end}(fairness={fairness},utility={utility},loss={loss},same_grades={same})"
        (one,) = fairtrec.rerank(by, {"r": {"q": run}}, qrels={"q": grades}, **given).runs
        at = orders.index(tuple(one.rankings["q"]))
        assert allowed[at], by
        assert turned[at] == pytest.approx(most, abs=1e-9), by
        best = np.flatnonzero(allowed & (turned >= most - 1e-10))
        assert useful[at] >= useful[best].max() - 1e-9, by
        first = best[useful[best] >= useful[best].max() - 1e-10][0]
        if utility in ("AP", "scores") and "stances" in given:  # where exchanges of two tell all
            assert at == first, by
        if turned[0] >= most - 1e-10 and useful[0] >= useful[best].max() - 1e-10:
            assert at == 0, by


@pytest.mark.parametrize("utility", [*TELL_UNJUDGED, "nDCG"])
def test_of_the_same_grades_the_utility_keeps_its_value(utility):
    """Also one that tells documents that are not judged from those of grade 0."""
    random = np.random.default_rng(7)
    several = {f"q{at}": world(random, 6) for at in range(20)}
    run, qrels = ({qid: one[which] for qid, one in several.items()} for which in (0, 1))
    stances = {f"d{at}": [float(at % 3 - 1)] for at in range(6)}
    by = f"Optimal(fairness=DUO,utility={utility},same_grades=True)"
    (one,) = fairtrec.rerank(by, {"r": run}, qrels=qrels, stances=stances).runs
    assert one.after.docnos.tolist() != one.before.docnos.tolist()
    before, after = fairtrec.evaluate(utility, {"0": one.before, "1": one.after}, qrels=qrels).scores
    assert before.values.tolist() == after.values.tolist()


def two_queries(random):
    """Two lists of up to five documents of stances, with their own documents."""
    several = [world(random, int(random.integers(3, 6))) for _ in range(2)]
    named = [{f"{at}{doc}": value for doc, value in run.items()} for at, (run, *_) in enumerate(several)]
    grades = [{f"{at}{doc}": value for doc, value in of.items()} for at, (_, of, *_) in enumerate(several)]
    stances = {f"{at}{doc}": x for at, (*_, of, _) in enumerate(several) for doc, x in of.items()}
    return named, grades, stances


@pytest.mark.parametrize("seed", range(400 if THOROUGH else 12))
def test_what_two_queries_lose_together_is_spent_where_it_buys_most(seed):
    random = np.random.default_rng(1000 + seed)
    runs, grades, stances = two_queries(random)
    utility, loss = ("nDCG@3", "scores", "AP")[seed % 3], float(random.choice([0.0, 0.03, 0.2]))
    given = {"stances": stances}
    orders, useful, fair = zip(
        *(every_order(*of, "DUO", utility, given) for of in zip(runs, grades, strict=True)), strict=True
    )
    if np.isnan([fair[0][0], fair[1][0], useful[0][0], useful[1][0]]).any():
        return
    least = (1 - loss) * (useful[0][0] + useful[1][0]) - 1e-9
    qrels = {"q0": grades[0], "q1": grades[1]}
    for end in ("Optimal", "Worst"):
        turned = [toward("DUO", values, end) for values in fair]
        pairs = list(product(range(len(orders[0])), range(len(orders[1]))))
        most = max(turned[0][a] + turned[1][b] for a, b in pairs if useful[0][a] + useful[1][b] >= least)
        by = f"{end}(fairness=DUO,utility={utility},loss={loss})"
        (one,) = fairtrec.rerank(by, {"r": {"q0": runs[0], "q1": runs[1]}}, qrels=qrels, **given).runs
        at = [orders[query].index(tuple(one.rankings[f"q{query}"])) for query in range(2)]
        assert useful[0][at[0]] + useful[1][at[1]] >= least, by
        assert turned[0][at[0]] + turned[1][at[1]] == pytest.approx(most, abs=1e-9), by


def means(by, measures, runs=RUNS, qrels=None, **given):
    several = fairtrec.rerank(by, runs, qrels=qrels, **given).runs
    after = {f"{at}": each.after for at, each in enumerate(several)}
    result = fairtrec.evaluate(measures, after, qrels=qrels, **given)
    return [scores.means.tolist() for scores in result.scores]


def check_figures(losses, figures):
    """Worked out by another program, over all orders of each query."""
    ends = [f"{end}(fairness=DUO,utility=scores,loss={loss})" for loss in losses for end in ("Optimal", "Worst")]
    found = [round(value, 4) for (value,) in means(ends, "DUO", stances=STANCES)]
    assert found == figures


@pytest.mark.slow
def test_the_figures_of_the_example():
    check_figures(["1%"], [0.4083, 0.2762, 0.2361, 0.8288, 0.8398, 0.7865])


@pytest.mark.slow
def test_the_figures_of_the_example_at_more_loss():
    check_figures(["0.05", "1"], [0.2094, 0.0, 0.0090, 0.9485, 0.9956, 0.9896, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


@pytest.mark.long
def test_the_figures_of_the_paper_s_runs(ten):
    """Worked out by another program: 200 candidates, NFaiRR@10 of BM25 .9835, bert_L2 .9689, advbert_L2 .9861."""
    runs, qrels, given = ten
    three = {run.stem: run for run in runs if run.stem in ("BM25", "bert_L2", "advbert_L2")}
    by = [
        "Optimal(same_grades=True)",
        "Optimal(fairness=NFaiRR@10,same_grades=True)",
        "Worst(same_grades=True)",
        "Worst(loss=1)",
    ]
    several = fairtrec.rerank(by, three, qrels=qrels, candidates=200, **given).runs
    after = {f"{each.by} {each.run}": each.after for each in several}
    found = fairtrec.evaluate("NFaiRR@10", after, qrels=qrels, **given).means
    of = {
        name: [round(found[f"{by} {name}"]["NFaiRR@10"], 4) for by in dict.fromkeys(each.by for each in several)]
        for name in three
    }
    assert of == {
        "BM25": [1.0, 1.0, 0.8263, 0.6837],
        "bert_L2": [0.9911, 0.9911, 0.8641, 0.7032],
        "advbert_L2": [0.9941, 0.9941, 0.8654, 0.7032],
    }


GIVEN = {"terms": "gender-en", "docs": EXAMPLE / "collection.tsv", "background": EXAMPLE / "background.run"}
QRELS = EXAMPLE / "qrels.txt"


@pytest.mark.parametrize(
    ("of", "fairness", "utility"),
    [
        ("run", "NFaiRR@10", "nDCG@10"), ("runs", "FaiRR@5", "AP"), ("background", "ARaB@3", "nDCG@3"),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (
            ("background", "NFaiRR@10", "nDCG@10"), ("runs", "NFaiRR@10", "nDCG@10"), ("run", "FaiRR@5", "AP"),
            ("background", "FaiRR@5", "AP"), ("run", "ARaB@3", "nDCG@3"), ("runs", "ARaB@3", "nDCG@3"),
        )),
    ],
)  # fmt: skip
def test_what_is_written_has_the_figures_of_headroom(of, fairness, utility):
    found = fairtrec.headroom(RUNS, qrels=QRELS, from_=of, fairness=fairness, utility=utility, loss=(0, 0.01), **GIVEN)
    inside = f"fairness={fairness},utility={utility},from={of}"
    by = [
        f"Optimal({inside},same_grades=True)",
        f"Optimal({inside})",
        f"Optimal({inside},loss=0.01)",
        f"Optimal({inside},loss=1)",
    ]
    several = fairtrec.rerank(by, RUNS, qrels=QRELS, **GIVEN).runs
    after = {f"{at}": each.after for at, each in enumerate(several)}
    points = [run.points[1 + at] for at in range(4) for run in found.runs]
    for scores, point in zip(
        fairtrec.evaluate([utility, fairness], after, qrels=QRELS, **GIVEN).scores, points, strict=True
    ):
        size = np.abs(scores.values[1]).mean() if fairness.startswith("ARaB") else scores.means[1]
        assert size == pytest.approx(point.fairness, abs=1e-9), point
        if point.name in ("run", "same grades"):
            assert scores.means[0] == pytest.approx(point.utility, abs=1e-12)


def test_of_documents_from_elsewhere_none_is_ranked_twice():
    (one,) = fairtrec.rerank(
        "Optimal(fairness=NFaiRR@3,from=background)", RUNS["bm25"], qrels=QRELS, candidates=5, **GIVEN
    ).runs
    assert any(len(ranking) > len([*one.before.docnos]) / 12 for ranking in one.rankings.values())
    for qid, ranking in one.rankings.items():
        was = fairtrec.rerank("Optimal", RUNS["bm25"], qrels=QRELS, **GIVEN).runs[0].rankings[qid]
        assert {*was} <= {*ranking}


def test_where_all_ranks_count_there_are_no_more_than_before():
    (one,) = fairtrec.rerank(
        "Optimal(fairness=FaiRR@5,utility=AP,from=background)", RUNS["bm25"], qrels=QRELS, **GIVEN
    ).runs
    assert np.diff(one.after.starts).tolist() == np.diff(one.before.starts).tolist()


# --- laws ---


@pytest.fixture(scope="module")
def short():
    """Three runs of lists of seven documents, and where these stand."""
    random = np.random.default_rng(3)
    docs = [f"d{at}" for at in range(12)]
    stances = {doc: [float(random.integers(-2, 3))] for doc in docs}
    lists = [[random.permutation(docs)[:7].tolist() for _ in range(6)] for _ in range(3)]
    scores = -np.sort(-random.random((3, 6, 7)))
    runs = {
        f"r{run}": {f"q{at}": dict(zip(one, scores[run, at].tolist(), strict=True)) for at, one in enumerate(several)}
        for run, several in enumerate(lists)
    }
    return runs, stances


def test_worst_is_never_above_the_run_nor_optimal_below_and_more_loss_never_takes_back(short):
    (runs, stances), losses = short, ("0", "0.01", "0.1", "0.5", "1")
    before = [scores.means[0] for scores in fairtrec.evaluate("DUO", runs, stances=stances).scores]
    for end, sign in (("Optimal", -1), ("Worst", 1)):
        by = [f"{end}(fairness=DUO,utility=scores,loss={loss})" for loss in losses]
        of_runs = np.array(means(by, "DUO", runs, stances=stances)).reshape(len(losses), 3)
        assert (sign * (of_runs - before) >= -1e-9).all()
        assert (sign * np.diff(of_runs, axis=0) >= -1e-9).all()
        assert of_runs[-1] == pytest.approx(np.full(3, float(end == "Worst")), abs=1e-9)


def test_scores_times_seven_change_nothing(short):
    runs, stances = short
    more = {
        name: {qid: {doc: 7 * score for doc, score in ranking.items()} for qid, ranking in run.items()}
        for name, run in runs.items()
    }
    by = "Optimal(fairness=DUO,utility=scores,loss=0.02)"
    one, seven = (fairtrec.rerank(by, several, stances=stances).runs for several in (runs, more))
    assert [each.after.docnos.tolist() for each in one] == [each.after.docnos.tolist() for each in seven]
    assert any(each.after.docnos.tolist() != each.before.docnos.tolist() for each in one)


def test_what_cannot_be_bettered_stays():
    by = "Optimal(fairness=NFaiRR@10,utility=nDCG@10)"
    several = fairtrec.rerank(by, RUNS, qrels=QRELS, **GIVEN).runs
    twice = fairtrec.rerank(by, {each.run: each.after for each in several}, qrels=QRELS, **GIVEN).runs
    assert [each.after.docnos.tolist() for each in twice] == [each.after.docnos.tolist() for each in several]


def test_in_one_process_and_in_two_the_same(short):
    runs, stances = short
    by = ["Worst(fairness=DUO,utility=scores,loss=0.01)", "Random"]
    one, two = (fairtrec.rerank(by, runs, stances=stances, jobs=jobs).runs for jobs in (1, 2))
    assert [each.run for each in one] == ["r0", "r1", "r2"] * 2
    assert [(each.after.tag, each.after.docnos.tolist()) for each in one] == [
        (each.after.tag, each.after.docnos.tolist()) for each in two
    ]


@pytest.mark.long
def test_of_a_long_list_the_two_ends_are_orders_without_enumeration():
    random = np.random.default_rng(8)
    docs = [f"d{at:03}" for at in range(40)]
    run = {"q": dict(zip(docs, random.random(40).tolist(), strict=True))}
    stances = {doc: [float(random.normal())] for doc in docs}
    best, worst = fairtrec.rerank(
        "Optimal(fairness=DUO,utility=scores,loss=1) Worst(fairness=DUO,utility=scores,loss=1)",
        {"r": run},
        stances=stances,
    ).runs
    values = fairtrec.evaluate("DUO", {"best": best.after, "worst": worst.after}, stances=stances).means
    assert values["best"]["DUO"] == pytest.approx(0, abs=1e-9)
    assert values["worst"]["DUO"] == pytest.approx(1, abs=1e-9)


@pytest.mark.long
def test_what_is_not_proven_says_its_bound():
    random = np.random.default_rng(9)
    docs = [f"d{at:03}" for at in range(30)]
    run = {"q": dict(zip(docs, (-np.sort(-random.random(30))).tolist(), strict=True))}
    stances = {doc: [float(random.normal())] for doc in docs}
    (one,) = fairtrec.rerank("Worst(fairness=DUO,utility=scores,loss=0.01)", {"r": run}, stances=stances).runs
    said = [str(remark) for remark in one.notes]
    assert said[0].startswith("not proven: the mean DUO is 0.")
    assert said[0].endswith("and no order has more than 1.0")


def test_a_query_without_a_value_keeps_its_order_and_is_counted():
    run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}, "q3": {"c": 3.0, "a": 2.0, "b": 1.0}}
    stances = {"a": [1.0], "b": [1.0], "c": [-1.0]}
    (one,) = fairtrec.rerank("Optimal(fairness=DUO,utility=scores,loss=1)", {"r": run}, stances=stances).runs
    assert [*one.rankings["q2"]] == ["a", "b"]
    assert [*one.rankings["q1"]][:2] == ["a", "c"]
    assert [*map(str, one.notes)] == ["order kept in 1 of 3 queries: no finite value of both measures"]
    (none,) = fairtrec.rerank("Worst(fairness=DUO,utility=scores)", {"r": {"q2": run["q2"]}}, stances=stances).runs
    assert [*none.rankings["q2"]] == ["a", "b"]


def test_worst_takes_no_order_of_infinite_value():
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    given = {"labels": {"a": "f", "b": "f", "c": "m", "d": "m"}, "target": "f=1,m=0"}
    (one,) = fairtrec.rerank("Worst(fairness=KL@2,utility=scores,loss=1)", {"r": run}, **given).runs
    assert {*list(one.rankings["q"])[:2]} == {"a", "b"}  # with any m in it KL is infinite


# --- how they are written, and what is refused ---


def test_they_spell_themselves_and_are_read_again():
    from fairtrec.lab.rerank import catalogue as rerankers
    from fairtrec.rerankers import Optimal, Worst

    text = "Optimal(fairness=AWRF(base=e)@20,utility=nDCG@10,loss=1%) Worst@5 Optimal Optimal(utility='AP',each=True)"
    several = rerankers.parse(text)
    assert [str(each) for each in several] == [
        "Optimal(fairness=AWRF(base=e)@20,utility=nDCG@10,loss=0.01)",
        "Worst@5",
        "Optimal@10",
        "Optimal(utility=AP,each=True)",
    ]
    assert rerankers.parse(" ".join(map(str, several))) == several
    assert several[1:3] == [Worst(5), Optimal(10)]
    assert Worst(fairness="DUO").cutoff is None


def test_a_cutoff_is_that_of_each_that_names_none():
    by = [
        "Optimal(fairness=FaiRR,utility=nDCG@10)@5",
        "Optimal(fairness=FaiRR@5,utility=nDCG@10)",
        "Optimal(utility=nDCG@10,tau=1)@5",
    ]
    given = {name: GIVEN[name] for name in ("terms", "docs")}
    first, *others = (
        each.after.docnos.tolist() for each in fairtrec.rerank(by, RUNS["fair"], qrels=QRELS, **given).runs
    )
    assert others == [first, first]


@pytest.mark.parametrize(
    ("by", "given", "says"),
    [
        ("Optimal(utility=nDCG@10)", GIVEN, "Optimal(utility=nDCG@10) needs qrels; pass QRELS, or utility=scores"),
        ("Optimal(fairness=DUO_random,utility=scores)", {"stances": STANCES}, "DUO_random is neither better higher nor"),
        ("Optimal(fairness=DUO,utility=DUO@5)", {"stances": STANCES}, "DUO@5 is lower; utility is a measure"),
        ("Worst(fairness=CRBO@5,utility=scores)", {"counterfactual": RUNS["fair"]}, "which other orders have not; name another with fairness="),
        ("Worst(fairness=nDCG@5,utility=scores)", {"qrels": QRELS}, "is no fairness, and nDCG@5 is one; name another with fairness="),
        ("Worst(fairness=DUO,utility=scores)", {}, "DUO needs stances of documents; add stances=FILE"),
        ("Worst(fairness=DUO,utility=scores,same_grades=True)", {}, "scores have no grades; leave out same_grades"),
        ("Worst(fairness=DUO,utility=scores,pin_unjudged=True)", {}, "scores have no grades; leave out pin_unjudged"),
        ("Worst(fairness=DUO,utility=scores,from=runs)", {}, "only the documents of the run have scores; leave out from"),
        ("Worst(fairness=DUO,tau=0)", {}, "tau is of the fairness; write it there"),
        ("Worst(fairness='DUO KL',utility=scores)", {}, "is not one measure; write one, like"),
        ("Worst(fairness=FaiRR,from=background)", {"qrels": QRELS, **{name: GIVEN[name] for name in ("terms", "docs")}}, "from=background takes documents of a run"),
        ("Worst(fairness=Skew@5,utility=scores)", GIVEN, "pass one measure of utility and one of fairness, not"),
        ("Worst(fairness=NoSuch)", {"qrels": QRELS}, "there is no measure NoSuch"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(by, given, says):
    with pytest.raises(UsageError) as fault:
        fairtrec.rerank(by, "no-such.run", **given)
    assert says in str(fault.value)


def test_there_is_no_cutoff_to_cut_at_where_all_ranks_count():
    with pytest.raises(UsageError, match="has no cutoff to cut at"):
        fairtrec.rerank("Worst(fairness=DUO,utility=scores)", RUNS["fair"], cut=True, stances=STANCES)
    (one,) = fairtrec.rerank("Worst(fairness=DUO@3,utility=scores)", RUNS["fair"], cut=True, stances=STANCES).runs
    assert {len(ranking) for ranking in one.rankings.values()} == {3}


@pytest.mark.long
@pytest.mark.parametrize("utility", ["RBP(p=0.8)@4", "RBP", "ERR@4", "Bpref", "IPrec(recall=0.5)", "Rprec"])
@pytest.mark.parametrize("fairness", ["NDKL@4", "AWRF@4", "FaiRR(tau=0)@4", "DUO"])
@pytest.mark.parametrize("seed", range(40 if THOROUGH else 2))
def test_of_few_documents_the_best_order_is_found_whatever_utility_goes_by(seed, fairness, utility):
    """Five documents with soft labels, each of a kind of its own."""
    random = np.random.default_rng(2000 + seed)
    run, grades, _, stances, texts = world(random, 5)
    labels = {doc: {"f": share, "m": 1 - share} for doc, share in zip(run, random.random(5).tolist(), strict=True)}
    given = (
        {"labels": labels} if fairness in ("NDKL@4", "AWRF@4") else {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts}
    )
    given = {"stances": stances} if fairness == "DUO" else given
    orders, useful, fair = every_order(run, grades, fairness, utility, given)
    for end, loss in product(("Optimal", "Worst"), (0.0, 0.1, 0.3)):
        turned = toward(fairness, fair, end)
        most = turned[useful >= (1 - loss) * useful[0] - 1e-9].max()
        if not np.isfinite(turned[0]) or not np.isfinite(useful[0]):
            continue
        (one,) = fairtrec.rerank(
            f"{end}(fairness={fairness},utility={utility},loss={loss})", {"r": {"q": run}}, qrels={"q": grades}, **given
        ).runs
        at = orders.index(tuple(one.rankings["q"]))
        assert turned[at] == pytest.approx(most, abs=1e-9)
        assert useful[at] >= (1 - loss) * useful[0] - 1e-9
        assert not any("not proven" in str(remark) for remark in one.notes)

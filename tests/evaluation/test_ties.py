"""Ties: the closed forms and the orders that are tried, against all orders written out as runs of their own."""

import io
import json
from dataclasses import dataclass
from itertools import chain, permutations, product

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.data import Run
from fairtrec.data.ranking import ties
from fairtrec.data.ranking.ties import Blocks
from fairtrec.evaluation.columns.intervals import ENDS
from fairtrec.measure import First, Measure, Precisions, SumOverRanks
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.report.writers import RESULTS

SHE, HE = "she reads", "he reads and he writes"
TEXTS = {"a": SHE, "b": HE, "c": f"{SHE} {HE}", "d": "nobody reads", "e": HE, "f": SHE}
RUN = {
    "q1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0, "f": 1.0},  # 3! 2! orders
    "q2": {"f": 2.0, "e": 2.0, "d": 2.0, "c": 2.0, "b": 1.0},
    "q3": {"a": 3.0, "b": 2.0, "d": 1.0},
    "q4": {"d": 2.0, "a": 2.0, "b": 2.0},  # of d no group is known, so that some measures are undefined at times
}
QRELS = {
    "q1": {"a": 0, "b": 2, "c": 1, "f": 1, "x": 1},
    "q2": {"c": 1, "e": -1, "f": 3},
    "q3": {"a": 1},
    "q4": {"b": 1, "d": 0},
}
GIVEN = {
    "terms": {"f": ["she"], "m": ["he"]},
    "docs": {**TEXTS, "x": HE},
    "stances": {"a": [0.5], "b": [-1.0], "c": [0.2], "e": [1.0], "f": [-0.3]},
    "background": {qid: dict.fromkeys("abcdef", 1.0) for qid in RUN},
}
# of inputs that all of these share
OWN = [
    registry.parse(name)[0]
    for name in BUILT_IN
    if not name.startswith(("TREC19", "CRBO", "Gini", "Retr", "Selected", "Impact"))
]
MEASURES = [
    *map(str, OWN),
    *(f"{measure.name}@{cutoff}" for measure in OWN if hasattr(measure, "cutoff") for cutoff in (1, 2, 4)),
    *(f"{name}@{cutoff}" for name in ("AP", "nDCG", "P", "R", "RR", "Success", "Judged") for cutoff in (1, 2, 4)),
    *(
        "AP",
        "AP(rel=2)",
        "nDCG",
        "RR",
        "RR(rel=2)@2",
        "Bpref",
        "NumRet",
        "SetP",
        "EER(discount=err)@2",
        "P(judged_only=True)@2",
        "RBP",
        "RBP(p=0.5,rel=2)@2",
    ),
    *("MeanBias(gain=rbp)@2", "MeanBias(gain=dcg)@2", "RBDF(full_k=True)@4", "RaB(mag=tf_paper)@2"),
]


def all_orders(ranking):
    """Give a ranking in all orders of documents of equal score, with scores that fall."""
    by_score = {}
    for docno, score in ranking.items():
        by_score.setdefault(score, []).append(docno)
    blocks = [by_score[score] for score in sorted(by_score, reverse=True)]
    for order in product(*map(permutations, blocks)):
        docnos = list(chain.from_iterable(order))
        yield {docno: float(-rank) for rank, docno in enumerate(docnos)}


def oracle(measures, run, **more):
    """Evaluate every order of every query as a run of its own, without ties: {measure: {qid: [value, ...]}}."""
    every = {qid: list(all_orders(ranking)) for qid, ranking in run.items()}
    runs = {
        str(at): {qid: orders[at % len(orders)] for qid, orders in every.items()}
        for at in range(max(map(len, every.values())))
    }
    values = {}
    for name, measures_of in fairtrec.evaluate(measures, runs, qrels=QRELS, **GIVEN, **more).per_query.items():
        for measure, queries in measures_of.items():
            for qid, value in queries.items():
                if int(name) < len(every[qid]):
                    values.setdefault(measure, {}).setdefault(qid, []).append(value)
    return values


def check(scores, expected):
    """Compare with the oracle; orders for which a measure is undefined are left out."""
    for row, measure in enumerate(map(str, scores.measures)):
        for column, qid in enumerate(scores.qids):
            value = scores.values[row, column]
            found = [each.values[row, column] for each in scores.ends.values()]
            defined = [one for one in expected[measure][qid] if not np.isnan(one)]
            if np.isnan(value):
                assert np.isnan(found).all(), (measure, qid)
            else:
                wanted = [min(defined), max(defined), sum(defined) / len(defined)]
                assert found == pytest.approx(wanted, abs=1e-12), (measure, qid)


def test_every_measure_has_the_interval_of_all_orders():
    scores = fairtrec.evaluate(MEASURES, RUN, qrels=QRELS, **GIVEN, bounds="ties").scores[0]
    check(scores, oracle(MEASURES, RUN))
    assert not scores.columns["ties"].drawn.any()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_rankings_cut_through_a_tie(depth):
    measures = "nDCG@10 nDCG@2 AP RR R@2 NumRet NFaiRR@10 NFaiRR@2 ARaB@10 RBDF@10 AWRF@10 TExFAIR@2 EER@10 DP"
    scores = fairtrec.evaluate(measures, RUN, qrels=QRELS, **GIVEN, bounds="ties", depth=depth).scores[0]
    check(scores, oracle(measures, RUN, depth=depth))


def test_documents_that_are_passed_over():
    given = {**GIVEN, "docs": {docno: text for docno, text in GIVEN["docs"].items() if docno != "c"}}
    measures = "NFaiRR@2 ARaB@2 AWRF@2 nDCG@2 MeanBias@2"
    scores = fairtrec.evaluate(measures, RUN, qrels=QRELS, **given, missing="skip", bounds="ties").scores[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GIVEN, "docs", given["docs"])
        check(scores, oracle(measures, RUN, missing="skip"))


def test_values_are_those_without_the_option_and_equal_all_three_where_nothing_is_tied():
    plain = fairtrec.evaluate(MEASURES, RUN, qrels=QRELS, **GIVEN).scores[0]
    scores = fairtrec.evaluate(MEASURES, RUN, qrels=QRELS, **GIVEN, bounds="ties").scores[0]
    np.testing.assert_array_equal(scores.values, plain.values)
    assert [*plain.columns] == ["mixed_ties"]
    assert plain.ends == {}
    untied = scores.qids.index("q3")
    for each in scores.ends.values():
        np.testing.assert_array_equal(each.values[:, untied], scores.values[:, untied])


def test_ties_of_float32():
    run = {"q1": {"a": 1.0, "b": 1.0 + 1e-12}}
    for score_dtype, tied in (("float64", 0), ("float32", 1)):
        scores = fairtrec.evaluate("RR", run, qrels=QRELS, bounds="ties", score_dtype=score_dtype).scores[0]
        assert scores.columns["ties"].tied.tolist() == [tied]


def test_an_order_that_is_drawn_is_called_so():
    # 7 documents are tied, so there are 5040 orders, and 7 sets of one: AWRF@1 has all, AWRF@10 has 200 of its orders
    run = {"q1": dict.fromkeys("abcdefx", 1.0), "q3": RUN["q3"]}
    first, second = (
        fairtrec.evaluate("AWRF@1 AWRF@10 NFaiRR@10", run, qrels=QRELS, **GIVEN, bounds="ties") for _ in range(2)
    )
    ties_found = first.scores[0].columns["ties"]
    assert ties_found.tied.tolist() == [1, 1, 1]
    assert ties_found.drawn.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(ties_found.expected, second.scores[0].columns["ties"].expected)
    assert ties_found.least[1, 0] < ties_found.expected[1, 0] < ties_found.greatest[1, 0]


def test_expected_precision_of_a_tied_run():
    # 4 of 10 tied documents are relevant: P@5 is (0, .8, .4); by McSherry and Najork the expected P@k is the share
    docnos = [f"d{number}" for number in range(10)]
    qrels = {"q": dict.fromkeys(docnos[:4], 1)}
    result = fairtrec.evaluate("P@5 R@5 Success@1", {"q": dict.fromkeys(docnos, 1.0)}, qrels=qrels, bounds="ties")
    ends = result.scores[0].ends
    assert [ends[name].means.tolist() for name in ("least", "greatest", "expected")] == [
        pytest.approx(each) for each in ([0.0, 0.0, 0.0], [0.8, 1.0, 1.0], [0.4, 0.5, 0.4])
    ]


@pytest.mark.parametrize("option", [{"samples": True}, {"order": "rank"}, {"order": "file"}])
def test_what_leaves_nothing_tied_is_refused(option):
    with pytest.raises(fairtrec.support.errors.UsageError, match="ties"):
        fairtrec.evaluate("RR", RUN, qrels=QRELS, bounds="ties", **option)


def test_the_background_may_be_the_run(tmp_path):
    lines = [f"{qid} Q0 {docno} 1 {score} t\n" for qid, ranking in RUN.items() for docno, score in ranking.items()]
    (tmp_path / "r.run").write_text("".join(lines))
    path = str(tmp_path / "r.run")
    given = {**GIVEN, "background": path}
    from_file = fairtrec.evaluate(
        "NFaiRR@2 AWRF@2", path, qrels=QRELS, **given, bounds="ties", background_depth=1
    ).scores[0]
    given["background"] = RUN
    from_dict = fairtrec.evaluate(
        "NFaiRR@2 AWRF@2", RUN, qrels=QRELS, **given, bounds="ties", background_depth=1
    ).scores[0]
    for one, other in zip(from_file.ends.values(), from_dict.ends.values(), strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_reports_have_all_three():
    result = fairtrec.evaluate("RR nDCG@2", {"tied": RUN, "other": {"q3": RUN["q3"]}}, qrels=QRELS, bounds="ties")
    first = result.scores[0]
    table = pyarrow.parquet.read_table(io.BytesIO(RESULTS("parquet", result, per_query=True))).to_pylist()
    rows = [row for row in table if (row["run"], row["measure"], row["qid"]) == ("tied", "nDCG@2", None)]
    assert [(row["least"], row["greatest"], row["expected"]) for row in rows] == [
        tuple(each.means[1] for each in first.ends.values())
    ]
    shown = " [{:.4f}, {:.4f}] ~{:.4f}".format(*(each.means[1] for each in first.ends.values()))
    for form in ("table", "html", "md", "latex"):
        text = RESULTS(form, result).replace("\\[", "[").replace(r"\textasciitilde{}", "~")
        assert shown in text, form
        assert "RR, nDCG@2: ties change values of 1 of 2 runs, in 3 queries at most" in text
    assert f"nDCG@2.least          \tall\t{first.ends['least'].means[1]:.4f}" in RESULTS("trec", result)
    queries = json.loads(RESULTS("json", result, per_query=True))["runs"][0]["ties"]["greatest"]
    assert [queries[qid]["RR"] for qid in first.qids] == first.columns["ties"].greatest[0].tolist()


def test_results_with_ties_are_a_baseline_and_can_be_replayed(fairtrec_command, example, tmp_path):
    given, results = (example / "qrels.txt", example / "bm25.run"), tmp_path / "results.json"
    assert fairtrec_command("eval", *given, "-m", "RR", "--bounds", "ties", "-f", "json", "-q", "-o", results).code == 0
    checked = fairtrec_command("check", *given, "--baseline", results, "--require", "RR >= baseline")
    assert (checked.code, checked.complaints) == (0, [])
    assert fairtrec_command("results", "replay", results).code == 0


def test_processes_find_the_same(tmp_path):
    for name in ("one", "two"):
        lines = [f"{qid} Q0 {docno} 1 {score} t\n" for qid, ranking in RUN.items() for docno, score in ranking.items()]
        (tmp_path / name).write_text("".join(lines))
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    alone, together = (
        fairtrec.evaluate("nDCG@2 Bpref AWRF@2 NFaiRR@2", runs, qrels=QRELS, **GIVEN, bounds="ties", jobs=jobs).scores
        for jobs in (1, 2)
    )
    for one, other in zip(alone, together, strict=True):
        for end in ENDS:
            np.testing.assert_array_equal(one.ends[end].values, other.ends[end].values)


def test_a_measure_of_somebody_else_needs_to_say_nothing():
    @dataclass(frozen=True)
    class Change(Measure):
        """How much relevance changes from rank to rank, to the square."""

        cutoff: int = 3

        def __call__(self, relevance):
            return (np.diff(np.nan_to_num(relevance[:, : self.cutoff]), axis=1) ** 2).sum(axis=1)

    check(fairtrec.evaluate(Change(), RUN, qrels=QRELS, bounds="ties").scores[0], oracle(Change(), RUN))


def test_measures_of_sets_know_no_order():
    plain, cut = (
        fairtrec.evaluate("NumRet SetP SetF", RUN, qrels=QRELS, bounds="ties", depth=n).scores[0] for n in (None, 2)
    )
    assert plain.columns["ties"].tied.tolist() == [0, 0, 0]
    assert cut.columns["ties"].tied.tolist() == [3, 3, 3]
    check(cut, oracle("NumRet SetP SetF", RUN, depth=2))


scores_of = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2).map(float), min_size=1)


@given(scores_of, st.integers(1, 3))
def test_the_value_lies_between_the_ends(ranking, cutoff):
    names = [f"{name}@{cutoff}" for name in ("nDCG", "AP", "RR", "NFaiRR", "ARaB", "AWRF", "TExFAIR")]
    scores = fairtrec.evaluate([*names, "DP", "Bpref"], {"q1": ranking}, qrels=QRELS, **GIVEN, bounds="ties").scores[0]
    found, defined = scores.columns["ties"], ~np.isnan(scores.values)
    assert (found.least <= scores.values)[defined].all()
    assert (scores.values <= found.greatest)[defined].all()
    assert (found.least <= found.expected)[defined].all()
    assert (found.expected <= found.greatest)[defined].all()
    assert np.isnan(found.expected[~defined]).all()
    if len(set(ranking.values())) == len(ranking):
        assert not found.tied.any()
        np.testing.assert_array_equal(found.expected, scores.values)


rankings = st.integers(1, 6).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(low, 2), min_size=n, max_size=n) for low in (0, -2, 0)))
)


def every_order(number):
    groups = [np.flatnonzero(number == block).tolist() for block in np.unique(number)]
    return [list(chain.from_iterable(order)) for order in product(*map(permutations, groups))]


def interval(values):
    return [min(values), max(values), sum(values) / len(values)]


@given(rankings, st.integers(1, 7), st.booleans())
def test_closed_forms_are_those_of_all_orders(ranking, cutoff, falling):
    number, gains, flags = map(np.array, ranking)
    number = np.sort(number)
    blocks, orders = Blocks(number[None]), every_order(number)
    weights = 1.0 / np.arange(1, cutoff + 1) if falling else np.cos(np.arange(cutoff))
    weights = weights[: len(number)]
    sums = [(gains[order][: len(weights)] * weights).sum() for order in orders]
    assert SumOverRanks(gains[None].astype(float), weights).interval(blocks)[:, 0] == pytest.approx(interval(sums))
    known = [total for total, order in zip(sums, orders, strict=True) if flags[order][: len(weights)].any()]
    closed = SumOverRanks(gains[None].astype(float), weights, known=flags[None] > 0).interval(blocks)[:, 0]
    assert np.isnan(closed).all() if len(known) < len(sums) else closed == pytest.approx(interval(sums))
    relevant = flags[None] > 0
    worth = 1.0 / np.arange(1, cutoff + 1)
    firsts = [next((w for w, hit in zip(worth, relevant[0, order], strict=False) if hit), 0.0) for order in orders]
    assert First(relevant, worth).interval(blocks)[:, 0] == pytest.approx(interval(firsts))
    precisions = []
    for order in orders:
        hits = relevant[0, order]
        precisions.append(sum(hits[: i + 1].mean() for i in range(min(cutoff, len(hits))) if hits[i]))
    closed = Precisions(relevant, cutoff, np.array([1])).interval(blocks)[:, 0]
    assert closed == pytest.approx(interval(precisions))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6).map(sorted), st.integers(1, 7))
def test_orders_are_all_that_differ_above_the_cut(number, depth):
    tried, complete = ties.orders(np.array(number), depth, (1,))
    tops = [tuple(order.tolist()) for order in tried]
    assert complete
    assert len(set(tops)) == len(tops)
    assert set(tops) == {tuple(order[:depth]) for order in every_order(np.array(number))}


def test_drawn_orders_keep_to_the_blocks():
    number = np.repeat([0, 1], [5, 8])
    tried, complete = ties.orders(number, None, (1,))
    drawn = [order.tolist() for order in tried]
    assert (len(drawn), complete) == (ties.DRAWN, False)
    assert all(sorted(order[:5]) == [0, 1, 2, 3, 4] and sorted(order) == list(range(13)) for order in drawn)


def test_a_draw_does_not_depend_on_what_else_is_evaluated():
    run = {"q1": dict.fromkeys("abcdefx", 1.0) | {"y": 0.5, "z": 0.5}}
    given = {**GIVEN, "docs": {**GIVEN["docs"], "y": HE, "z": SHE}}
    alone = fairtrec.evaluate("AWRF@5", run, qrels=QRELS, **given, bounds="ties").scores[0].columns["ties"]
    beside = (
        fairtrec.evaluate("AWRF@5 DP AWRF@6", {**run, **RUN, "q1": run["q1"]}, qrels=QRELS, **given, bounds="ties")
        .scores[0]
        .columns["ties"]
    )
    assert alone.drawn[0] == 1
    assert [getattr(beside, end)[0, 0] for end in ENDS] == [getattr(alone, end)[0, 0] for end in ENDS]


def test_slices_have_the_ends_of_their_queries(tmp_path):
    runs, given = {"r": {"q1": dict.fromkeys("ab", 1.0), "q2": {"a": 2.0, "b": 1.0}}}, {"labels": {"a": "f", "b": "m"}}
    result = fairtrec.evaluate("NDKL@2", runs, bounds="ties", **given)
    result.write(tmp_path / "r.json", slices={"tied": ["q1"], "other": ["q2"]})
    alone = fairtrec.evaluate("Exposure(group='f')@1", runs, bounds="ties", queries=["q1"], **given)
    alone.write(tmp_path / "one.json", slices={"tied": ["q1"]})
    found, one = (json.loads((tmp_path / name).read_text())["runs"][0] for name in ("r.json", "one.json"))
    assert found["slices"]["tied"]["means"]["NDKL@2"]["tied"] == 1
    assert found["slices"]["other"]["means"]["NDKL@2"]["tied"] == 0
    (mean,) = one["slices"]["tied"]["means"].values()
    assert [mean[end] for end in ENDS] == [-0.5, 0.5, 0.0]  # all exposure at rank 1 to m, to f, or by a coin


def test_a_run_is_cut_behind_what_is_tied():
    starts, scores = np.array([0, 4, 5]), np.array([3.0, 2.0, 2.0, 1.0, 2.0])
    run = Run("r", "t", ("q1", "q2"), starts, np.array([b"a", b"b", b"c", b"d", b"e"]), scores)
    assert run.cut_behind_ties(2).docnos.tolist() == [b"a", b"b", b"c", b"e"]
    assert run.cut_behind_ties(2).starts.tolist() == [0, 3, 4]
    assert run.cut_behind_ties(1).docnos.tolist() == [b"a", b"e"]


def test_ties_whose_values_are_infinite_in_every_order_do_not_matter():
    result = fairtrec.evaluate("Skew(group='f')@2", {"q1": dict.fromkeys("be", 1.0)}, **GIVEN, bounds="ties")
    assert [getattr(result.scores[0].columns["ties"], end).tolist() for end in ENDS] == [[[-np.inf]]] * 3
    assert "ties change no value" in str(result)


def test_formats_of_rows_average_the_ends_of_geometric_means_geometrically():
    run = {"q1": {"a": 2.0, "b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "c": 2.0, "d": 1.0}}
    result = fairtrec.evaluate("gm_map", run, qrels={"q1": {"a": 1, "c": 1}, "q2": {"c": 1}}, bounds="ties")
    head, row = (line.split("\t") for line in RESULTS("tsv", result, places=9).splitlines())
    found = {name: float(row[head.index(f"gm_map.{name}")]) for name in ("least", "greatest")}
    # AP of q1: a is second, (1/2 + 2/3) / 2, or first, (1 + 2/3) / 2. Of q2: c is second, 1/2, or first, 1.
    assert found == pytest.approx({"least": (7 / 12 / 2) ** 0.5, "greatest": (5 / 6) ** 0.5}, abs=1e-8)

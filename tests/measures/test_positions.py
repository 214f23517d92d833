"""Positions: a rank without a document is one of a document that nothing is known of, for every measure."""

from itertools import permutations

import numpy as np
import pytest

import fairtrec
from fairtrec.data import Run
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.testing.measures import LABELS, TEXTS, WORDS, MeasureCollection

pandas = pytest.importorskip("pandas")
COUNTED_UNKNOWN = {
    "of": "all",
    "unknown": ("group", "even"),
}  # documents of unknown group get exposure there, gaps none
OF_NEUTRALITY = {"FaiRR", "NFaiRR"}  # a document without words is neutral, and a gap is not
OF_COUNTS = {"Gini", "Selected", "Impact"}  # they count documents
OF_EXPOSURE = {"RBDF", "TExFAIR"}  # a document without words gets exposure, and a gap does not


def make_gaps(run, seed):
    """Give the rankings positions, as rows, and as rankings with a document of its own at each rank of no document."""
    random, rows, whole = np.random.default_rng(seed), [], {}
    for qid, docnos in run.items():
        places = np.sort(random.choice(np.arange(1, len(docnos) + 4), len(docnos), replace=False)).tolist()
        at = dict(zip(places, docnos, strict=True))
        rows += [(qid, docno, place) for place, docno in at.items()]
        whole[qid] = {at.get(rank, f"gap-{seed}-{rank}"): -float(rank) for rank in range(1, max(places, default=0) + 1)}
    frame = pandas.DataFrame(rows, columns=["qid", "docno", "position"])
    return frame.sample(frac=1, random_state=seed), whole


def counts_unknown(measure):
    """Tell a measure in which documents of unknown group get exposure."""
    return getattr(measure, "of", "") == "all" or getattr(measure, "unknown", "") in COUNTED_UNKNOWN["unknown"]


def assert_same(measures, one, other, **given):
    """See that two runs have the same values, and the same pooled values."""
    named = [str(measure) for measure in measures]
    keywords = {"pool": "even"} if any(measure.of_pool for measure in measures) else {}
    found = [
        fairtrec.evaluate(measures, run, **given, **keywords, **how).scores[0]
        for run, how in ((one, {"order": "position"}), (other, {}))
    ]
    values = [dict(zip(scores.qids, scores.values.T.tolist(), strict=True)) for scores in found]
    for qid, row in values[0].items():
        np.testing.assert_allclose(row, values[1][qid], rtol=1e-12, atol=1e-12, err_msg=f"{qid}: {named}")
    if keywords:
        np.testing.assert_allclose(*(scores.totals["pooled"] for scores in found), rtol=1e-12, err_msg=str(named))


BY_LABELS = MeasureCollection.draw({"f": 0.5, "m": 0.3, "x": 0.2}, labels=LABELS, groups=["f", "m", "x"])
OF_TWO = MeasureCollection.draw(
    {"f": 0.5, "m": 0.5}, labels={docno: row for docno, row in LABELS.items() if "x" not in row}, groups=["f", "m"]
)
BY_WORDS = MeasureCollection.draw({"f": 0.5, "m": 0.5}, terms=WORDS, docs=TEXTS, missing="neutral")


@pytest.mark.parametrize("collection", [BY_LABELS, OF_TWO], ids=["three", "two"])
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_gap_is_a_document_without_label_and_judgment(collection, name):
    measures = [each for each in collection.choose_measures(registry.find(name)) if not counts_unknown(each)]
    given = dict(collection.given)
    twins = make_gaps(given.pop("counterfactual"), 1)
    one, other = make_gaps(collection.run, 7)
    if name == "CRBO":
        for measure in measures:
            found = fairtrec.evaluate([measure], one, counterfactual=twins[0], order="position", **given).scores[0]
            wanted = fairtrec.evaluate([measure], other, counterfactual=twins[1], **given).scores[0]
            rows = [wanted.qids.index(qid) for qid in found.qids]
            np.testing.assert_allclose(found.values, wanted.values[:, rows], rtol=1e-12)
    elif measures and name not in OF_COUNTS:
        assert_same(measures, one, other, target=collection.target, **given)


UTILITY = ("nDCG", "nDCG@3", "AP", "AP@3", "RR", "RR@2", "P@1", "P@3", "R@3", "Success@2", "ERR@4", "RBP(p=0.8)", "Rprec",
           "Bpref", "infAP", "IPrec@0.5", "11pt_avg", "relative_P@3", "nDCG(dcg='exp-log2')@4", "alpha_nDCG@4",
           "ERR_IA@4", "AP_IA", "P_IA@3", "StRecall@2", "Accuracy@4", "nDCG(judged_only=True)@3")  # fmt: skip


@pytest.mark.parametrize("measure", UTILITY)
def test_a_gap_is_an_unjudged_document(measure):
    one, other = make_gaps(BY_LABELS.run, 3)
    assert_same(registry.parse(measure), one, other, qrels=BY_LABELS.given["qrels"])


def test_what_ir_measures_computes_has_an_unjudged_document_at_each_gap():
    pytest.importorskip("ir_measures")
    one, other = make_gaps(BY_LABELS.run, 3)
    assert_same(registry.parse("Compat(p=0.8)"), one, other, qrels=BY_LABELS.given["qrels"])


def test_gaps_are_no_documents():
    qrels, labels = {"q": {"a": 1, "b": 0}}, {"a": "f", "b": "m"}
    frame = pandas.DataFrame([("q", "a", 2), ("q", "b", 4), ("q", "c", 9)], columns=["qid", "docno", "position"])
    measures = "Judged@4 NumRet SetP P@4 RR AWRF@4"
    result = fairtrec.evaluate(measures, frame, qrels=qrels, labels=labels, order="position")
    assert result.means["run"] == pytest.approx(
        {"Judged@4": 1.0, "NumRet": 3.0, "SetP": 1 / 3, "P@4": 0.25, "RR": 0.5, "AWRF@4": result.means["run"]["AWRF@4"]}
    )
    assert "of 2 documents in the measured ranks, 2 have a label" in "\n".join(map(str, result.notes))
    cut = fairtrec.evaluate("NumRet", frame, qrels=qrels, order="position", depth=4)
    assert cut.means["run"] == {"NumRet": 2.0}


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in OF_NEUTRALITY | OF_EXPOSURE])
def test_a_gap_is_a_document_without_words(name):
    measures = [each for each in BY_WORDS.choose_measures(registry.find(name)) if "membership" not in each.needs]
    if not measures or not any({"counts", "log_counts", "tokens"} & {*each.needs} for each in measures):
        pytest.skip("it reads no words")
    one, other = make_gaps(BY_WORDS.run, 5)
    given = {key: value for key, value in BY_WORDS.given.items() if key != "counterfactual"}
    assert_same(measures, one, other, target=BY_WORDS.target, **given)


@pytest.mark.parametrize("name", sorted(OF_NEUTRALITY))
def test_a_gap_is_no_neutral_document(name):
    one, other = make_gaps(BY_WORDS.run, 5)
    given = {key: value for key, value in BY_WORDS.given.items() if key not in ("counterfactual", "missing")}
    for measure in BY_WORDS.choose_measures(registry.find(name)):
        assert_same([measure], one, other, missing="worst", **given)


def test_a_gap_gets_no_exposure():
    """Weights .6309298 and .4306766 at ranks 2 and 4, and nothing at 1 and 3, whoever else has a part."""
    frame = pandas.DataFrame([("q", "a", 2), ("q", "u", 4)], columns=["qid", "docno", "position"])
    given = {"labels": {"a": "f", "b": "m"}, "order": "position"}
    of_all = 0.6309298 / (0.6309298 + 0.4306766)
    found = fairtrec.evaluate("Exposure(group='f',of='all')@4", frame, **given).scores[0].values
    np.testing.assert_allclose(found, [[of_all - 0.5]], atol=1e-7)
    found = fairtrec.evaluate("Exposure(group='f',unknown='group')@4", frame, **given).scores[0].values
    np.testing.assert_allclose(found, [[of_all - 0.5]], atol=1e-7)
    docs = {"a": "she", "u": "it"}
    found = fairtrec.evaluate("RBDF@4", frame, docs=docs, terms=WORDS, order="position").scores[0].values
    np.testing.assert_allclose(found, [[of_all]], atol=1e-7)
    even = fairtrec.evaluate("AWRF(unknown='even',discount='log2')@4", frame, **given).scores[0].values
    dropped = {"q": {"gap1": 4.0, "a": 3.0, "gap3": 2.0, "u": 1.0}}
    labels = {"a": {"f": 1}, "u": {"f": 0.5, "m": 0.5}}
    wanted = fairtrec.evaluate("AWRF(discount='log2')@4", dropped, labels=labels, membership=None).scores[0].values
    np.testing.assert_allclose(even, wanted, atol=1e-12)


def test_gini_counts_documents_at_their_ranks():
    frame = pandas.DataFrame([("q", "a", 1), ("q", "b", 4), ("r", "b", 2)], columns=["qid", "docno", "position"])
    found = fairtrec.retrievability(frame, 10, 1.0, order="position")
    assert found == pytest.approx({"a": 1.0, "b": 0.75})
    result = fairtrec.evaluate("Gini(b=1.0)@10", frame, order="position", pool="even")
    np.testing.assert_allclose(result.scores[0].totals["pooled"], [(1.0 - 0.75) / (2 * 1.75)])
    samples = frame.assign(sample=["1", "1", "2"], qid="q")
    result = fairtrec.evaluate("Gini(b=1.0)@10", samples, order="position", pool="even", samples=True)
    np.testing.assert_allclose(result.scores[0].totals["pooled"], [(1.0 - 0.75) / (2 * 1.75)])


def test_bounds_over_orders_fill_the_same_positions():
    frame = pandas.DataFrame([("q", "a", 2), ("q", "b", 3), ("q", "c", 7)], columns=["qid", "docno", "position"])
    given = {"labels": {"a": "f", "b": "m", "c": "m"}, "qrels": {"q": {"a": 2, "c": 1}}, "order": "position"}
    result = fairtrec.evaluate("AWRF@7 nDCG@7 NDKL@7", frame, bounds="orders", **given)
    orders = [
        pandas.DataFrame([("q", docno, rank) for docno, rank in zip(order, (2, 3, 7), strict=True)],
                         columns=["qid", "docno", "position"])
        for order in permutations("abc")
    ]  # fmt: skip
    values = np.array(
        [fairtrec.evaluate("AWRF@7 nDCG@7 NDKL@7", each, **given).scores[0].values[:, 0] for each in orders]
    )
    ends = result.scores[0].columns["orders"]
    np.testing.assert_allclose(ends.least[:, 0], values.min(axis=0), rtol=1e-12)
    np.testing.assert_allclose(ends.greatest[:, 0], values.max(axis=0), rtol=1e-12)


def test_run_keeps_positions_where_it_is_cut():
    run = Run("r", "r", ("q", "s"), np.array([0, 2, 3]), np.array([b"a", b"b", b"c"]), -np.array([2.0, 5.0, 4.0]),
              np.array([2, 5, 4]), np.array([5, 4]))  # fmt: skip
    assert run.top(["s", "x", "q"], None).tolist() == [[-1, -1, -1, 2, -1], [-1] * 5, [-1, 0, -1, -1, 1]]
    cut = run.cut(("q", "s"), 3)
    assert (cut.docnos.tolist(), cut.depths.tolist(), cut.empty) == ([b"a"], [3, 3], ())
    assert run.find_ranks(np.array([1, 2])).tolist() == [5, 4]
    assert run.count_first(4).tolist() == [1, 1]

"""Differences and ratios between slices: the figures of real runs, of scipy, and what has no interval."""

import csv
import json
from inspect import signature
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.evaluation.columns.gaps import fieller, gap
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts

SLICES = {"x": ["101", "102", "103", "104"], "y": ["105", "106", "107", "108"], "z": ["109", "110", "111", "112"]}


def slices_of(shared):
    """The queries of TREC DL_FAIR: Health where Categories has it, else Education, else Other."""
    path = shared / "data" / "cpjku" / "dataset" / "trecdeep19_passage.fair.FULL_ANNOTATION.tsv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    slices = {"Health": [], "Education": [], "Other": []}
    for qid, _, categories, *_ in rows:
        names = {name.strip() for name in categories.split(",")}
        slices[next((name for name in ("Health", "Education") if name in names), "Other")].append(qid)
    return slices


def written(result, slices, path):
    """What -f json has of each slice of the first run."""
    result.write(path, "json", slices=slices)
    return json.loads(path.read_text("utf-8"))["runs"][0]["slices"]


def test_bm25_on_the_topics_of_trec_dl_fair(shared, tmp_path):
    slices = slices_of(shared)
    run = shared / "data" / "cpjku" / "runs" / "trecdl2019_passage" / "BM25.run"
    qrels = shared / "data" / "qrels" / "qrels.dl19-passage.txt"
    result = fairtrec.evaluate("nDCG@10", run, qrels, queries=[qid for qids in slices.values() for qid in qids])
    found = written(result.with_confidence(0.95, slices), slices, tmp_path / "found.json")
    assert {name: (each["num_q"], round(each["means"]["nDCG@10"]["value"], 4)) for name, each in found.items()} == {
        "Health": (9, 0.5704),
        "Education": (15, 0.5514),
        "Other": (6, 0.4348),
        "difference": (30, 0.1356),
        "ratio": (30, 0.7623),
    }
    difference, ratio = (found[name]["means"]["nDCG@10"] for name in ("difference", "ratio"))
    assert difference["of"] == ratio["of"] == ["Health", "Other"]
    assert [round(difference[name], 4) for name in ("low", "high", "p")] == [-0.2431, 0.5142, 0.6142]
    assert [round(ratio[name], 4) for name in ("low", "high")] == [0.2514, 1.6349]
    assert "p" not in ratio


values = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=9)


@pytest.mark.filterwarnings("ignore:Precision loss occurred:RuntimeWarning")  # of SciPy, where values are all alike
@given(values, values, st.floats(0.5, 0.99))
def test_two_slices_are_compared_as_by_welch(one, other, confidence):
    difference, _ = gap({"a": np.array(one), "b": np.array(other)}, confidence)
    if isnan(difference.low):
        assert len({*one}) == len({*other}) == 1
        return
    slices = {"a": one, "b": other}
    theirs = stats.ttest_ind(*(slices[name] for name in difference.of), equal_var=False)
    interval = theirs.confidence_interval(confidence)
    assert (difference.low, difference.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert difference.p == pytest.approx(theirs.pvalue, abs=1e-9)


@pytest.mark.skipif("equal_var" not in signature(stats.tukey_hsd).parameters, reason="the oracle came with scipy 1.16")
@pytest.mark.parametrize("many", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_more_slices_are_compared_as_by_games_and_howell(many):
    rng = np.random.default_rng(5)
    slices = {name: rng.random(5 + at) ** (1 + at) for at, name in enumerate("abcd"[:many])}
    difference, _ = gap(slices, 0.9)
    theirs = stats.tukey_hsd(*slices.values(), equal_var=False)
    interval = theirs.confidence_interval(0.9)
    first, last = ("abcd".index(name) for name in difference.of)
    assert difference.value == max(map(np.mean, slices.values())) - min(map(np.mean, slices.values()))
    assert difference.p == pytest.approx(theirs.pvalue[first, last], abs=1e-9)
    ends = interval.low[first, last], interval.high[first, last]
    assert (difference.low, difference.high) == pytest.approx(ends, abs=1e-6)


@given(st.floats(0.1, 9), st.floats(0, 9), st.floats(0, 4), st.floats(0, 4))
def test_the_ends_of_a_ratio_are_as_far_as_the_critical_value(a, b, va, vb):
    low, high = fieller(a, b, va, vb)
    if a * a <= va:
        assert isnan(low)
        return
    if a * a - va < 1e-3:
        return
    assert low <= b / a + 1e-9
    assert high >= b / a - 1e-9
    for end in (low, high):
        assert abs(b - end * a) == pytest.approx(sqrt(vb + end * end * va), rel=1e-6, abs=1e-6)


@pytest.mark.slow
def test_slices_dealt_at_random_are_seldom_found_to_differ():
    rng, values = np.random.default_rng(1), np.random.default_rng(2).random(30)
    found = [gap(dict(zip("abc", np.split(rng.permutation(values), 3), strict=True)), 0.95)[0] for _ in range(60)]
    assert sum(each.low > 0 for each in found) <= 6
    assert all(each.value > 0 for each in found)


def test_what_has_no_interval():
    a, b = np.array([0.5, 0.7, 0.9]), np.array([0.1])
    alone, ratio = gap({"a": a, "b": b}, 0.95)
    assert (alone.of, round(alone.value, 12), round(ratio.value, 12)) == (("a", "b"), 0.6, round(1 / 7, 12))
    assert isnan(alone.low)
    assert isnan(ratio.low)
    flat, _ = gap({"a": np.ones(3), "b": np.zeros(3)}, 0.95)
    assert (flat.value, isnan(flat.low), isnan(flat.p)) == (1, True, True)
    assert gap({"a": a}, 0.95) == (None, None)
    assert gap({"a": a, "b": a / 2}, 0.95, is_ratio=False)[1] is None
    assert gap({"a": np.zeros(2), "b": np.zeros(2)}, None)[1] is None
    equal, ratio = gap({"c": np.ones(2), "a": np.ones(2), "b": np.ones(2)}, None)
    assert (equal.of, equal.value, ratio.value) == (("a", "c"), 0, 1)


def test_a_slice_of_one_query_is_no_slice_of_the_family():
    three = {"a": np.array([0.1, 0.2, 0.4]), "b": np.array([0.5, 0.8, 0.9])}
    with_one = gap({**three, "c": np.array([0.3])}, 0.95)
    assert with_one == gap(three, 0.95)


def evaluated(measures, example, **given):
    return fairtrec.evaluate(measures, example / "neural.run", example / "qrels.txt", **given)


def test_where_nearer_0_is_better_sizes_are_compared_and_there_is_no_ratio(example, tmp_path):
    words = {"terms": "gender-en", "docs": example / "collection.tsv"}
    result = evaluated("ARaB@10 NumRet gm_map", example, **words)
    found = written(result, SLICES, tmp_path / "found.json")
    row = dict(zip(result.scores[0].qids, result.scores[0].values[0].tolist(), strict=True))
    sizes = {name: np.mean([abs(row[qid]) for qid in qids]) for name, qids in SLICES.items()}
    gaps = found["difference"]["means"]
    assert gaps["ARaB@10"]["value"] == pytest.approx(max(sizes.values()) - min(sizes.values()), rel=1e-12)
    assert gaps["ARaB@10"]["of"] == [max(sizes, key=sizes.get), min(sizes, key=sizes.get)]
    assert "low" not in gaps["ARaB@10"]
    assert [gaps[name]["value"] for name in ("NumRet", "gm_map")] == [None, None]
    assert found["ratio"]["means"]["ARaB@10"]["value"] is None


def test_a_query_in_several_slices_leaves_no_interval(example, tmp_path):
    both = {**SLICES, "w": ["101", "105", "109"]}
    result = evaluated("nDCG@10", example).with_confidence(0.95, both)
    found = written(result, both, tmp_path / "found.json")["difference"]["means"]["nDCG@10"]
    assert found["value"] > 0
    assert (found["low"], found["high"], found["p"]) == (None, None, None)
    assert "difference, ratio: no interval, as a query is in several slices" in texts(result.notes)


def test_one_slice_has_no_gap(example, tmp_path):
    found = written(evaluated("nDCG@10", example), {"x": SLICES["x"]}, tmp_path / "found.json")
    assert list(found) == ["x"]


def test_names_that_stand_for_gaps_are_no_slices(example, tmp_path):
    path = tmp_path / "slices.tsv"
    path.write_text("101\tx\n102\tratio\n")
    with pytest.raises(InputError, match=r"slices\.tsv:2: 'ratio' stands for the ratio of slices; give this slice"):
        evaluated("nDCG@10", example).write(tmp_path / "never.json", slices=path)
    with pytest.raises(UsageError, match="'difference' stands for the difference of slices"):
        evaluated("nDCG@10", example).write(tmp_path / "never.json", slices={"difference": ["101"]})


@pytest.mark.parametrize("form", ["table", "trec", "tsv", "md", "flat", "tira", "html", "latex"])
def test_every_format_has_both_rows(form, example, tmp_path):
    path = tmp_path / "found"
    evaluated("nDCG@10", example).with_confidence(0.95, SLICES).write(path, form, slices=SLICES)
    text = path.read_text("utf-8")
    assert "difference" in text
    assert "ratio" in text


def test_the_ends_of_bounds_have_no_gap(example, tmp_path):
    """The least of a difference is no difference of the least."""
    result = evaluated("AWRF@10", example, labels=str(example / "labels.tsv"), bounds="labels")
    result.write(tmp_path / "found.csv", slices=SLICES)
    with (tmp_path / "found.csv").open() as file:
        found = {
            row["slice"]: [row[f"AWRF@10{end}"] for end in ("", ".least", ".greatest")] for row in csv.DictReader(file)
        }
    assert all(found["all"])
    assert [bool(cell) for cell in found["difference"]] == [True, False, False]


def test_a_table_says_of_which_slices(example, tmp_path):
    result = evaluated("nDCG@10", example)
    result.write(tmp_path / "plain", "md", slices=SLICES)
    values = dict(zip(result.scores[0].qids, result.scores[0].values[0].tolist(), strict=True))
    means = {name: np.mean([values[qid] for qid in qids]) for name, qids in SLICES.items()}
    first, last = max(means, key=means.get), min(means, key=means.get)
    text = (tmp_path / "plain").read_text("utf-8")
    assert f"{means[first] - means[last]:.4f} {first} - {last} |" in text
    assert f"{means[last] / means[first]:.4f} {last} / {first} |" in text

"""Differences and ratios between slices: the figures of real runs, of scipy, and what has no interval."""

import csv
import json
from dataclasses import replace
from hashlib import sha256
from math import inf, isnan, sqrt
from statistics import fmean, variance
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.columns.gaps import Gap, Gaps, fieller, gap
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
    result = fairtrec.evaluate("nDCG@10", run, qrels=qrels, queries=[qid for qids in slices.values() for qid in qids])
    found = written(result.with_confidence(0.95, slices), slices, tmp_path / "found.json")
    assert {name: (each["queries"], round(each["means"]["nDCG@10"]["value"], 4)) for name, each in found.items()} == {
        "Health": (9, 0.5704),
        "Education": (15, 0.5514),
        "Other": (6, 0.4348),
        "difference": (30, 0.1356),
        "ratio": (30, 0.7623),
    }
    difference, ratio = (found[name]["means"]["nDCG@10"] for name in ("difference", "ratio"))
    assert difference["of"] == ratio["of"] == ["Health", "Other"]
    assert [round(difference[name], 4) for name in ("low", "high", "p")] == [-0.2409, 0.5121, 0.596]
    assert [round(ratio[name], 4) for name in ("low", "high")] == [0.254, 1.6273]
    assert "p" not in ratio


def named(values):
    """Ids of the queries of each slice, which no other slice has."""
    return {name: [f"{name}{at}" for at in range(len(each))] for name, each in values.items()}


def permuted_plainly(values, qids, seed=0):
    """The t of each permutation, query by query."""
    slices = {qid: name for name in qids for qid in qids[name]}
    value = {qid: each for name in qids for qid, each in zip(qids[name], values[name], strict=True)}
    found = []
    for number in range(1999):
        order = sorted(sorted(slices), key=lambda qid: sha256(f"{seed} {number} {qid}".encode()).digest())
        parts = {name: [] for name in sorted(values)}
        for qid, other in zip(sorted(slices), order, strict=True):
            parts[slices[qid]].append(value[other])
        means = {name: fmean(part) for name, part in parts.items()}
        first, *_, last = sorted(means, key=lambda name: (-round(means[name], 12), name))
        error = sqrt(sum(variance(parts[name]) / len(parts[name]) for name in (first, last)))
        apart = round(means[first], 12) - round(means[last], 12)
        found.append(0.0 if apart <= 0 else inf if round(error, 12) == 0 else apart / error)
    return found


@pytest.mark.parametrize("many", [2, 3])
def test_the_critical_value_is_that_of_permutations_one_by_one(many):
    rng = np.random.default_rng(5)
    values = {name: rng.random(6 + 2 * at) ** (1 + at) for at, name in enumerate("abc"[:many])}
    qids = named(values)
    difference, ratio = gap(values, 0.9, qids=qids)
    plain = permuted_plainly({name: each.tolist() for name, each in values.items()}, qids)
    first, last = (values[name] for name in difference.of)
    error = sqrt(first.var(ddof=1) / len(first) + last.var(ddof=1) / len(last))
    t = (first.mean() - last.mean()) / error
    assert difference.p == (1 + sum(each >= t * (1 - 1e-9) for each in plain)) / 2000
    critical = sorted(plain)[1799]
    assert (difference.high - difference.low) / 2 == pytest.approx(critical * error, rel=1e-9)
    assert (difference.low < 0 < difference.high) == (t < critical)
    assert ratio.low < ratio.value < ratio.high


@given(st.lists(st.integers(0, 20), min_size=18, max_size=18), st.sampled_from([0.25, -3.0]))
def test_other_names_of_slices_and_a_constant_change_nothing(values, shift):
    parts = {"a": np.array(values[:5]) / 8, "b": np.array(values[5:11]) / 8, "c": np.array(values[11:]) / 8}
    qids = named(parts)
    one, _ = gap(parts, 0.95, qids=qids)
    moved, _ = gap({name: each + shift for name, each in parts.items()}, 0.95, qids=qids)
    assert moved.of == one.of
    assert moved.p == pytest.approx(one.p, abs=0, nan_ok=True)
    names = {"a": "x", "b": "y", "c": "z"}
    other, _ = gap(
        {names[n]: each for n, each in parts.items()}, 0.95, qids={names[n]: each for n, each in qids.items()}
    )
    assert other.of == tuple(names[name] for name in one.of)
    assert (other.low, other.high, other.p) == pytest.approx((one.low, one.high, one.p), nan_ok=True)


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


CEILINGS = {  # values of queries, and how many each slice has
    "90 % at the ceiling, 100 and 20": (lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.random(n)), (100, 20)),
    "80 % at the ceiling, 100 and 20": (lambda rng, n: np.where(rng.random(n) < 0.8, 1.0, rng.random(n)), (100, 20)),
    "beta(2, 1), 15, 11, 9, 4 and 2": (lambda rng, n: rng.beta(2, 1, n), (15, 11, 9, 4, 2)),
    "normal, 30 and 30": (lambda rng, n: rng.normal(size=n), (30, 30)),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", [*CEILINGS, "three times as wide in the lesser, 40 and 40"])
def test_no_gap_is_found_in_five_of_a_hundred_where_there_is_none(world):
    """Of 600 worlds without a difference, at most 6.5 % have a p of .05."""
    rng, shown = np.random.default_rng(1), 0
    for _ in range(600):
        if world in CEILINGS:
            make, sizes = CEILINGS[world]
            values = {name: make(rng, size) for name, size in zip("abcde", sizes, strict=False)}
        else:
            values = {"a": rng.normal(size=40), "b": 3 * rng.normal(size=40)}
        found, _ = gap(values, 0.95, qids=named(values))
        shown += found.p <= 0.05
    assert shown / 600 <= 0.065


def test_what_has_no_interval():
    a, b = np.array([0.5, 0.7, 0.9]), np.array([0.1])
    alone, ratio = gap({"a": a, "b": b}, 0.95)
    assert (alone.of, round(alone.value, 12), round(ratio.value, 12)) == (("a", "b"), 0.6, round(1 / 7, 12))
    assert isnan(alone.low)
    assert isnan(ratio.low)
    flat, _ = gap({"a": np.ones(9), "b": np.zeros(9)}, 0.95)
    assert (flat.value, isnan(flat.low), isnan(flat.p)) == (1, True, True)
    assert gap({"a": a}, 0.95) == (None, None)
    assert gap({"a": a, "b": a / 2}, 0.95, is_ratio=False)[1] is None
    assert gap({"a": np.zeros(2), "b": np.zeros(2)}, None)[1] is None
    equal, ratio = gap({"c": np.ones(2), "a": np.ones(2), "b": np.ones(2)}, None)
    assert (equal.of, equal.value, ratio.value) == (("a", "c"), 0, 1)


def test_few_queries_or_values_that_differ_have_no_interval_and_then_a_question_mark():
    wide = np.arange(20.0)
    for narrow, has, doubtful in (
        (np.arange(4.0), False, False),  # four queries
        (np.array([1.0] * 12 + [0.0, 0.2, 0.3, 0.4]), False, False),  # four values differ
        (np.array([1.0] * 12 + [0.0, 0.2, 0.3, 0.4, 0.5]), True, True),  # five do
        (np.arange(11.0) / 11, True, False),
    ):
        values = {"a": wide, "b": narrow}
        found, ratio = gap(values, 0.95, qids=named(values))
        assert (not isnan(found.p), found.doubtful) == (has, doubtful)
        assert (not isnan(ratio.low), ratio.doubtful) == (has, doubtful)


def test_a_ratio_without_an_interval_has_no_question_mark():
    values = {"a": np.array([4.0, -3.0, 5.0, -3.5, 3.0, -4.5]), "b": np.array([0.0, -3.0, 2.0, -1.0, 0.5, -2.0])}
    difference, ratio = gap(values, 0.95, qids=named(values))  # the mean of a is .17, and may be 0
    assert difference.doubtful
    assert difference.low < 0 < difference.high
    assert (isnan(ratio.low), ratio.doubtful) == (True, False)


def test_without_a_confidence_slices_of_any_size_have_no_interval():
    values = {"a": np.arange(20.0), "b": np.arange(20.0) / 2}
    for found in gap(values, None, qids=named(values)):
        assert (found.of, found.queries, found.doubtful) == (("a", "b"), 40, False)
        assert np.isnan([found.low, found.high, found.p]).all()


def evaluated(measures, example, **given):
    return fairtrec.evaluate(measures, example / "neural.run", qrels=example / "qrels.txt", **given)


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
    assert "difference, ratio: no interval, because a query is in several slices" in texts(result.notes)


def test_one_slice_has_no_gap(example, tmp_path):
    found = written(evaluated("nDCG@10", example), {"x": SLICES["x"]}, tmp_path / "found.json")
    assert list(found) == ["x"]


def test_names_that_stand_for_gaps_are_no_slices(example, tmp_path):
    path = tmp_path / "slices.tsv"
    path.write_text("101\tx\n102\tratio\n")
    with pytest.raises(InputError, match=r"slices\.tsv:2: 'ratio' means the ratio of slices; rename this slice"):
        evaluated("nDCG@10", example).write(tmp_path / "never.json", slices=path)
    with pytest.raises(UsageError, match="'difference' means the difference of slices"):
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


def test_a_doubtful_gap_has_a_question_mark_and_a_measure_without_a_gap_has_no_words():
    wide = Gap(("a", "b"), 0.5, 20, 0.1, 0.9, 0.04)
    scores = SimpleNamespace(gaps=[wide, None, replace(wide, doubtful=True)], describe_slices=lambda _: "a - b")
    assert Gaps().suffixes(scores, None, 2) == [" a - b [0.10, 0.90] p 0.04", "", " a - b [0.10, 0.90] ? p 0.04"]


def test_a_table_says_of_which_slices(example, tmp_path):
    result = evaluated("nDCG@10", example)
    result.write(tmp_path / "plain", "md", slices=SLICES)
    values = dict(zip(result.scores[0].qids, result.scores[0].values[0].tolist(), strict=True))
    means = {name: np.mean([values[qid] for qid in qids]) for name, qids in SLICES.items()}
    first, last = max(means, key=means.get), min(means, key=means.get)
    text = (tmp_path / "plain").read_text("utf-8")
    assert f"{means[first] - means[last]:.4f} {first} - {last} |" in text
    assert f"{means[last] / means[first]:.4f} {last} / {first} |" in text

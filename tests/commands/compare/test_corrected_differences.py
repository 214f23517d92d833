"""Differences of runs by gold labels: both sources of variance, signed values, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.support.errors import UsageError
from fairtrec_made import texts

DOCNOS = [f"d{at}" for at in range(20)]
MEASURES = "EER@5 Exposure(group='f',of='all')@5"


def ranking(number, random):
    return {
        f"q{at:02}": {str(d): -float(rank) for rank, d in enumerate(random.permutation(DOCNOS)[:7])}
        for at in range(number)
    }


@pytest.fixture
def given():
    """Two runs, labels by an instrument, and by people of what was drawn."""
    random = np.random.default_rng(6)
    runs = {"a": ranking(40, random), "b": ranking(40, random)}
    words, gold = ({d: str(random.choice(["f", "m"])) for d in DOCNOS} for _ in range(2))
    pandas = pytest.importorskip("pandas")
    rows = [(d, gold[d], p) for d, p in zip(DOCNOS[:14], np.linspace(0.2, 1, 14), strict=True)]
    return runs, words, pandas.DataFrame(rows, columns=["docno", "group", "probability"]), gold


def test_the_corrected_difference_is_that_of_the_corrected_values(given):
    """Law 3, of compare."""
    runs, words, sheet, _ = given
    result = fairtrec.evaluate(MEASURES, runs, labels=words, gold=sheet)
    first, second = ({str(m): c for m, c in zip(s.measures, s.settle("gold"), strict=True)} for s in result.scores)
    for row in fairtrec.compare(result).rows:
        right = second[row.measure].corrected - first[row.measure].corrected
        assert row.corrected == pytest.approx(right, abs=1e-13)


def test_the_variance_is_that_of_queries_and_of_labels(given):
    runs, words, sheet, _ = given
    result = fairtrec.evaluate("EER@5", runs, labels=words, gold=sheet)
    (row,) = fairtrec.compare(result, confidence=0.9).rows
    one, other = (scores.columns["gold"].rows[0].take_drawn() for scores in result.scores)
    of_labels = other.estimate_difference(one)
    variance = of_labels.sampled
    assert variance >= of_labels.variance
    half = stats.t.ppf(0.95, 39) * math.sqrt(variance)
    assert (row.low, row.high) == pytest.approx((row.corrected - half, row.corrected + half), abs=1e-12)
    assert row.p == pytest.approx(2 * stats.t.sf(abs(row.corrected) / math.sqrt(variance), 39), rel=1e-9)
    assert row.labels_share == pytest.approx(of_labels.variance / variance)
    (said,) = (note for note in texts(fairtrec.compare(result).notes) if "variance" in note)
    assert said.startswith(
        f"EER@5: {row.labels_share:.0%} of the variance of corrected differences comes from the labels"
    )


def test_a_run_beside_itself_differs_by_nothing(given):
    runs, words, sheet, _ = given
    result = fairtrec.evaluate("EER@5", {"a": runs["a"], "again": runs["a"]}, labels=words, gold=sheet)
    (row,) = fairtrec.compare(result).rows
    assert (row.corrected, row.low, row.high, row.p, row.verdict) == (0.0, 0.0, 0.0, 1.0, "not shown")
    assert math.isnan(row.labels_share)


def test_where_nearer_0_is_better_signed_values_are_compared(given):
    runs, words, sheet, _ = given
    far = {qid: {d: 1.0 for d in DOCNOS if words[d] == "f"} for qid in runs["a"]}
    result = fairtrec.evaluate(MEASURES, {"a": runs["a"], "far": far}, labels=words, gold=sheet)
    exposed = next(row for row in fairtrec.compare(result).rows if row.measure.startswith("Exposure"))
    assert (exposed.compared, exposed.better) == ("value", "neither")
    plain = fairtrec.compare(fairtrec.evaluate(MEASURES, {"a": runs["a"], "far": far}, labels=words))
    before = next(row for row in plain.rows if row.measure.startswith("Exposure"))
    assert before.compared == "absolute value"
    sure = fairtrec.evaluate(MEASURES, {"a": runs["a"], "far": far}, labels=words, gold=words)
    row = next(row for row in fairtrec.compare(sure).rows if row.measure.startswith("Exposure"))
    assert row.verdict == "higher"
    assert row.labels_share == 0


def test_what_is_not_corrected_is_compared_as_it_is(given):
    runs, words, sheet, _ = given
    (row,) = fairtrec.compare(fairtrec.evaluate("AWRF@5", runs, labels=words, gold=sheet)).rows
    (plain,) = fairtrec.compare(fairtrec.evaluate("AWRF@5", runs, labels=words)).rows
    assert row.corrected is None
    assert (row.low, row.high, row.p, row.verdict) == (plain.low, plain.high, plain.p, plain.verdict)


def test_drawn_queries_correct_differences_of_every_measure(given):
    runs, words, _, gold = given
    pandas = pytest.importorskip("pandas")
    qids = [f"q{at:02}" for at in range(32)]
    rows = [(qid, d, gold[d], 0.8) for qid in qids for d in {**runs["a"][qid], **runs["b"][qid]}]
    sheet = pandas.DataFrame(rows, columns=["qid", "docno", "group", "probability"])
    result = fairtrec.evaluate("AWRF@5", runs, labels=words, gold=sheet)
    by_gold = fairtrec.evaluate("AWRF@5", runs, labels=gold)
    (row,) = fairtrec.compare(result).rows
    errors = [of.scores[1].values[0] - of.scores[0].values[0] for of in (by_gold, result)]
    differing = (errors[0] - errors[1])[:32]
    assert row.corrected == pytest.approx(errors[1].mean() + differing.mean(), abs=1e-12)
    drawn = np.arange(40) < 32
    z = errors[1] + differing.mean() + drawn * (errors[0] - errors[1] - differing.mean()) / 0.8
    labels, unseen = 0.2 * differing.var(ddof=1) / 32, 0.2 * 2 * (np.abs(differing).max() / 34) ** 2
    variance = max(labels, z.var(ddof=1) / 40) + unseen
    assert row.high - row.corrected == pytest.approx(stats.t.ppf(0.975, 39) * math.sqrt(variance), abs=1e-12)
    assert not row.doubtful
    right = [(qid, d, words[d], 0.8) for qid in qids for d in {**runs["a"][qid], **runs["b"][qid]}]
    sheet = pandas.DataFrame(right, columns=["qid", "docno", "group", "probability"])
    (row,) = fairtrec.compare(fairtrec.evaluate("AWRF@5", runs, labels=words, gold=sheet)).rows
    assert row.verdict == "not tested"  # as no error was seen, none has a width


def test_few_queries_that_differ_are_doubtful(given):
    runs, words, _, _ = given
    pandas = pytest.importorskip("pandas")
    qids = sorted(runs["a"])[:32]
    other = {qid: {**words, **(dict.fromkeys(runs["a"][qid], "f") if at < 4 else {})} for at, qid in enumerate(qids)}
    rows = [(qid, d, other[qid][d], 0.8) for qid in qids for d in {**runs["a"][qid], **runs["b"][qid]}]
    labels = pandas.DataFrame(
        [(qid, d, words[d]) for qid in runs["a"] for d in DOCNOS], columns=["qid", "docno", "group"]
    )
    sheet = pandas.DataFrame(rows, columns=["qid", "docno", "group", "probability"])
    result = fairtrec.evaluate("AWRF@5", runs, labels=labels, gold=sheet)
    assert all(found.doubtful for scores in result.scores for found in scores.settle("gold"))
    (row,) = fairtrec.compare(result).rows
    assert row.doubtful
    assert row.deciding >= 10  # of the differences themselves; few errors of labeled queries decide


@pytest.mark.parametrize(
    "choice",
    [{"test": "wilcoxon"}, {"interval": "bca"}, {"equivalence": 0.1}, {"correction": "tukey"}],
    ids=lambda choice: next(iter(choice)),
)
def test_procedures_that_gold_does_not_go_with_are_refused(given, choice):
    runs, words, sheet, _ = given
    result = fairtrec.evaluate("EER@5", runs, labels=words, gold=sheet)
    with pytest.raises(UsageError, match="gold=") as fault:
        fairtrec.compare(result, **choice)
    ((name, value),) = choice.items()
    assert f"{name}={value}" in str(fault.value)


def test_slices_are_compared_by_their_own_documents(given):
    runs, words, sheet, _ = given
    result = fairtrec.evaluate("EER@5", runs, labels=words, gold=sheet)
    qids = ["q01", "q05", "q20"]
    rows = fairtrec.compare(result, slices={"few": qids}).rows
    few = next(row for row in rows if row.slice == "few")
    part = {name: {qid: run[qid] for qid in qids} for name, run in runs.items()}
    (alone,) = fairtrec.compare(fairtrec.evaluate("EER@5", part, labels=words, gold=sheet)).rows
    assert (few.corrected, few.low, few.p) == (alone.corrected, alone.low, alone.p)


def test_a_matrix_of_runs_shows_corrected_differences(given):
    runs, words, _, _ = given
    turned = {d: {"f": "m", "m": "f"}[group] for d, group in words.items()}
    far = {qid: {d: 1.0 for d in DOCNOS if words[d] == "f"} for qid in runs["a"]}
    measure = "Exposure(group='f',of='all')@5"
    result = fairtrec.evaluate(measure, {**runs, "far": far}, labels=words, gold=turned)
    row = next(row for row in fairtrec.compare(result).rows if row.run == "far")
    assert row.difference > 0 > row.corrected == row.tested_difference
    assert row.verdict == "lower"
    compared = fairtrec.compare(result, "all")
    assert "row less column, as gold labels correct it; *: the difference is shown" in str(compared)
    assert f"{row.corrected:+.4f}*" in str(compared)
    assert not [note for note in texts(compared.notes) if "contradict" in note]

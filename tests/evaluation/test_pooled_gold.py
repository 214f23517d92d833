"""Pooled exposure that gold labels of drawn documents correct: figures, arithmetic written out, and laws."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import fairtrec
from fairtrec.statistics.gold_estimates import quantile
from fairtrec.support.errors import InputError
from fairtrec_made import texts

RUNS = ("bm25.run", "neural.run", "fair.run")
WORDS = {"terms": "gender-en", "docs": "collection.tsv"}
MEASURES = "AWRF@10 Exposure(group='f')@10 Exposure(group='f',of='all')@10"


@pytest.fixture
def people(copied):
    """What one reader says of all passages of the example, with - instead of ?."""
    text = (copied / "labels.tsv").read_text("utf-8").replace("\t?", "\t-")
    (copied / "people.tsv").write_text(text, "utf-8")
    return "people.tsv"


def pool(measures, runs, gold, frequency="even", **given):
    """The corrected pooled values of each run: by measure."""
    result = fairtrec.evaluate(measures, list(runs), gold=gold, pool=frequency, **{**WORDS, **given})
    return [{str(m): s.columns["pooled"].correct(m) for m in s.measures} for s in result.scores]


def test_figures_of_the_example(people):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    bm25, neural, _ = pool("AWRF@10", RUNS, sheet)
    assert bm25["AWRF@10"][:3] == pytest.approx((0.9951, 0.9735, 1), abs=5e-5)
    assert neural["AWRF@10"][:3] == pytest.approx((0.9994, 0.9849, 1), abs=5e-5)
    assert (bm25["AWRF@10"].gold, bm25["AWRF@10"].differ) == (29, 1)
    whole = pool("AWRF@10", RUNS, people)
    assert [each["AWRF@10"].corrected for each in whole[:2]] == pytest.approx([0.9938, 0.9996], abs=5e-5)


@pytest.mark.parametrize("frequency", ["even", "uneven"])
def test_all_labeled_is_the_value_by_people(people, frequency):
    often = "even"
    if frequency == "uneven":
        often = {str(qid): number % 3 for number, qid in enumerate(range(101, 113))}
    found = pool(MEASURES, RUNS, people, often)
    by_people = fairtrec.evaluate(MEASURES, list(RUNS), labels=people, membership="share", pool=often)
    for each, scores in zip(found, by_people.scores, strict=True):
        for measure in scores.measures:
            value = scores.columns["pooled"].value(measure)
            assert each[str(measure)][:3] == pytest.approx((value,) * 3, abs=1e-12)


def test_an_instrument_that_is_right_is_not_moved_and_still_has_a_width(people):
    sheet = fairtrec.gold.draw(list(RUNS), 20, gold=people).to_frame()
    given = {"terms": None, "docs": None, "labels": people, "membership": "share"}
    for each in pool("AWRF@10 Exposure(group='m')@10", RUNS, sheet, **given):
        for measure, found in each.items():
            assert found.differ == 0, measure
            assert found.low < found.high
    result = fairtrec.evaluate("AWRF@10", list(RUNS), labels=people, membership="share", pool="even")
    values = [scores.columns["pooled"].value(scores.measures[0]) for scores in result.scores]
    assert [each["AWRF@10"].corrected for each in pool("AWRF@10", RUNS, sheet, **given)] == pytest.approx(values)


LABELS = {"a": "f", "b": "m", "c": "f", "d": "m"}
RUN = {"q1": {"a": 4.0, "b": 3.0}, "q2": {"c": 4.0, "a": 3.0}, "q3": {"d": 1.0}}
SHEET = pd.DataFrame({"docno": ["a", "c"], "group": ["f", "m"], "probability": [0.5, 0.25]})


def arithmetic():
    """Weights 1 and 1 / log2(3): a has 1 + w, b w, c 1, d 1; a is f by both, c is f by the instrument and m by people."""
    w = 1 / math.log2(3)
    whole = 3 + 2 * w
    inflated = np.array([(1 + w) / 0.5, 1 / 0.25])
    b = inflated.sum()
    errors = np.array([[0.0, 0.0], [-1.0, 1.0]])
    mean = (inflated[:, None] * errors).sum(axis=0) / b
    held = np.array([2 + w, 1 + w]) + whole * mean
    share = held[0] / held.sum()
    linear = (errors[:, 0] - share * errors.sum(axis=1)) / held.sum()
    of_mean = (mean[0] - share * mean.sum()) / held.sum()
    r, a = whole / b * inflated * (linear - of_mean), inflated / held.sum()
    chance = np.array([0.5, 0.75])
    number = a.sum() ** 2 / (a**2).sum()
    error = math.sqrt((chance * (r**2 + 2 * a**2 / (number + 2))).sum())
    reach = quantile(0.95, max(number - 1, 1.0)) * error
    return share, max(share - reach, 0), min(share + reach, 1)


def test_arithmetic():
    share, low, high = arithmetic()
    scores = fairtrec.evaluate("Exposure(group='f')@2", RUN, labels=LABELS, gold=SHEET, pool="even").scores[0]
    found = scores.columns["pooled"].correct(scores.measures[0])
    assert found[:3] == pytest.approx((share - 0.5, low - 0.5, high - 0.5), abs=1e-12)
    scores = fairtrec.evaluate("AWRF(discount=log2)@2", RUN, labels=LABELS, gold=SHEET, pool="even").scores[0]
    found = scores.columns["pooled"].correct(scores.measures[0])

    def awrf(p):
        parts = [(each, 0.5) for each in (p, 1 - p)]
        return 1 - sum(sum(x * math.log2(x / ((p + q) / 2)) for x in (p, q) if x) / 2 for p, q in parts)

    assert found.corrected == pytest.approx(awrf(share))
    assert low <= 0.5 <= high
    assert (found.low, found.high) == pytest.approx((min(awrf(low), awrf(high)), 1))


def test_a_sum_over_documents_has_the_interval_of_its_mean(people):
    """Every query exposes as much: pooled and mean of='all' are the same number, and so are their intervals."""
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    measure = "Exposure(group='f',of='all')@10"
    result = fairtrec.evaluate(measure, list(RUNS), gold=sheet, pool="even", **WORDS)
    for scores in result.scores:
        mean, found = scores.settle("gold")[0], scores.columns["pooled"].correct(scores.measures[0])
        assert found[:3] == pytest.approx((mean.corrected, mean.low, mean.high), abs=1e-12)


def test_split_votes_are_means_over_people():
    """Two of three people say f of a, one says m: it is two thirds f."""
    votes = pd.DataFrame({"docno": ["a", "a", "b"], "group": ["f", "m", "m"], "weight": [2 / 3, 1 / 3, 1.0]})
    scores = fairtrec.evaluate(
        "Exposure(group='f')@2",
        {"q": {"a": 2.0, "b": 1.0}},
        labels={"a": "m", "b": "m", "c": "f"},
        gold=votes,
        pool="even",
    ).scores[0]
    found = scores.columns["pooled"].correct(scores.measures[0])
    assert found.corrected == pytest.approx((2 / 3) / (1 + 1 / math.log2(3)) - 0.5)


def test_slices_have_their_own_and_what_is_sent_comes_back(people, tmp_path):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    result = fairtrec.evaluate("AWRF@10", ["bm25.run"], gold=sheet, pool="even", **WORDS)
    scores = result.scores[0]
    some = [1, 4, 7]
    part = scores.keep_queries(some).columns["pooled"].correct(scores.measures[0])
    often = {qid: int(at in some) for at, qid in enumerate(scores.qids)}
    (alone,) = pool("AWRF@10", ["bm25.run"], sheet, often)
    assert part == pytest.approx(alone["AWRF@10"], abs=1e-12)
    sent = pickle.loads(pickle.dumps(scores.columns["pooled"]))
    assert sent.correct(scores.measures[0]) == scores.columns["pooled"].correct(scores.measures[0])


def test_three_groups_and_a_target_from_documents_have_a_value_without_an_interval():
    labels = {**LABELS, "e": "x"}
    said = "the corrected pooled value has no interval: it needs two groups, and the same target in all queries"
    for given in ({"labels": labels}, {"labels": LABELS, "target": "background", "background": RUN}):
        result = fairtrec.evaluate("AWRF@2", RUN, gold=SHEET, pool="even", **given)
        scores = result.scores[0]
        found = scores.columns["pooled"].correct(scores.measures[0])
        assert not math.isnan(found.corrected)
        assert math.isnan(found.low)
        assert any(said in text for text in texts(scores.notes))


def test_what_is_not_corrected_is_a_dash(people):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    measures = "KL@10 EED@10 DP AWRF(unknown='group')@10 AWRF(unknown='even')@10 Exposure(group='f',unknown='group')@10"
    assert not any(each for found in pool(measures, RUNS, sheet) for each in found.values())
    queries = fairtrec.gold.draw(list(RUNS), 5, unit="query", gold=people).to_frame()
    assert not any(each for found in pool("AWRF@10", RUNS, queries) for each in found.values())


def test_formats(people, tmp_path):
    sheet = fairtrec.gold.draw(list(RUNS), 30, gold=people).to_frame()
    result = fairtrec.evaluate("AWRF@10 KL@10", ["bm25.run"], gold=sheet, pool="even", **WORDS)
    for form in ("json", "jsonl", "csv", "table", "trec"):
        result.write(tmp_path / f"r.{form}", form)
    told = json.loads((tmp_path / "r.json").read_text())["runs"][0]
    assert list(told["pooled_corrected"]) == ["AWRF@10"]
    assert list(told["pooled_corrected"]["AWRF@10"]) == ["corrected", "low", "high", "gold", "differ"]
    line = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()][1]
    assert (line["qid"], line["corrected"]) == ("pooled", told["pooled_corrected"]["AWRF@10"]["corrected"])
    assert "\nAWRF@10.corrected     \tpooled\t0.9951\n" in (tmp_path / "r.trec").read_text()
    assert "\nAWRF@10.low           \tpooled\t0.9735\n" in (tmp_path / "r.trec").read_text()
    assert "0.9951 [0.9735, 1.0000]" in (tmp_path / "r.table").read_text()
    rows = pd.read_csv(tmp_path / "r.csv").set_index("qid")
    assert rows.loc["pooled", "AWRF@10.corrected"] == 0.9951


def test_probabilities_that_cannot_be_are_refused():
    sheet = pd.DataFrame({"docno": ["a"], "group": ["f"], "probability": [1.0]})
    with pytest.raises(InputError, match="only a drawn sample can correct values"):
        fairtrec.evaluate("AWRF@2", RUN, labels=LABELS, gold=sheet, pool="even")
    with pytest.raises(InputError, match="has no gold label"):
        fairtrec.evaluate("AWRF@2", RUN, labels=LABELS, gold={"a": "f", "b": "m"}, pool="even")

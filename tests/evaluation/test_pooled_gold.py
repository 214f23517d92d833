"""Pooled exposure that gold labels of drawn documents correct: figures, arithmetic written out, and laws."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairtrec
from fairtrec.evaluation.columns.pool import Pooled
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


def test_probabilities_that_cannot_be_are_refused():
    sheet = pd.DataFrame({"docno": ["a"], "group": ["f"], "probability": [1.0]})
    with pytest.raises(InputError, match="only a drawn sample can correct values"):
        fairtrec.evaluate("AWRF@2", RUN, labels=LABELS, gold=sheet, pool="even")
    with pytest.raises(InputError, match="has no gold label"):
        fairtrec.evaluate("AWRF@2", RUN, labels=LABELS, gold={"a": "f", "b": "m"}, pool="even")


def test_measures_that_are_computed_apart_are_put_next_to_each_other():
    one, other = (Pooled(pools={name: 1}, frequency=np.ones(2), drawn={name: 2}) for name in "ab")
    joined = one.join(other, [0, 1])
    assert (joined.pools, joined.drawn) == ({"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert one.join(replace(other, drawn=None), [0, 1]).drawn == {"a": 2}
    assert replace(one, drawn=None).join(replace(other, drawn=None), [0, 1]).drawn is None

"""--bounds labels against every labeling: rankings of several lengths, and a prior from the whole ranking."""

import math
from itertools import product

import pytest

import fairtrec
from fairtrec.support.errors import InputError


def unknown_of(measure, run, labels, **more):
    (scores,) = fairtrec.evaluate(measure, run, labels=labels, bounds="labels", **more).scores
    return scores.columns["unknown"]


def every(measure, ranking, labels):
    """Evaluate one query with each labeling of its documents of unknown group."""
    unknown = [docno for docno in ranking if docno not in labels]
    for groups in product("fm", repeat=len(unknown)):
        whole = {**labels, **dict(zip(unknown, groups, strict=True))}
        (scores,) = fairtrec.evaluate(measure, {"q": ranking}, labels=whole).scores
        yield scores.values.item()


@pytest.mark.parametrize("measure", ["InfeasibleIndex@6", "InfeasibleCount@6", "InfeasibleIndex@2"])
def test_rankings_of_other_lengths_change_no_interval(measure):
    short, long = {"a1": 9.0, "a2": 8.0}, {f"b{rank}": 9.0 - rank for rank in range(5)}
    labels = {"a1": "m", "a2": "f", "b2": "m"}
    found = unknown_of(measure, {"1": short, "2": long}, labels)
    for query, ranking in enumerate((short, long)):
        values = list(every(measure, ranking, labels))
        ends = found.least[0, query], found.greatest[0, query], found.expected[0, query]
        assert ends == pytest.approx((min(values), max(values), sum(values) / len(values)))


def test_the_prior_of_the_known_is_that_of_the_whole_ranking():
    run = {"q": {"u": 3.0, "f1": 2.0, "m1": 1.0, "m2": 0.0}}
    labels = {"f1": "f", "m1": "m", "m2": "m"}
    # D_1 is one group alone, ln 2; D_2 is f alone, ln 2 again, with a chance of 1/3, else even, 0
    first, second = 1.0, 1 / math.log2(3)
    expected = math.log(2) * (first + second / 3) / (first + second)
    found = {k: unknown_of(f"NDKL@{k}", run, labels, prior="known").expected.item() for k in (2, 3)}
    assert found[2] == pytest.approx(expected)
    together = unknown_of("NDKL@2 NDKL@3", run, labels, prior="known").expected[:, 0].tolist()
    assert together == pytest.approx([found[2], found[3]])


def test_a_document_of_two_groups_counts_for_both_in_the_prior():
    run = {"q": {"u": 3.0, "f1": 2.0, "both": 1.0}}
    labels = {"f1": "f", "both": ["f", "m"]}
    of_known = unknown_of("KL@1", run, labels, prior="known", target="f=0.9,m=0.1").expected.item()
    likely = 2 / 3 * math.log(1 / 0.9) + 1 / 3 * math.log(1 / 0.1)
    assert of_known == pytest.approx(likely)


def test_a_run_of_which_nothing_is_known_has_the_full_range():
    run, labels = {"q": {"x": 2.0, "y": 1.0}}, {"elsewhere": "f", "too": "m"}
    found = unknown_of("KL@2 AWRF@2", run, labels)
    assert [found.least[0, 0], found.greatest[0, 0]] == pytest.approx([0, math.log(2)])
    values = [list(every(measure, run["q"], labels)) for measure in ("KL@2", "AWRF@2")]
    assert found.least[:, 0].tolist() == pytest.approx([min(row) for row in values])
    assert found.greatest[:, 0].tolist() == pytest.approx([max(row) for row in values])
    with pytest.raises(InputError, match="the labels have none of its documents"):
        fairtrec.evaluate("KL@2", run, labels=labels)

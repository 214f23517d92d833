"""Corrections by gold labels: arithmetic written out, another program, and whether intervals cover the truth."""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from fairtrec.statistics.gold_correctors import DocumentCorrector, QueryCorrector, correct_mean
from fairtrec.statistics.gold_estimates import DrawnDocuments, DrawnRanks, estimate_from_queries, quantile, tail

ALL = bool(os.environ.get("FAIRTREC_FUZZ"))


def drawn(weights, errors, probabilities, total, *, reach=1.0, gold=None, untold=None, constant=0.0):
    """Drawn documents with these errors of their gains."""
    weights, errors, probabilities = (np.asarray(each, dtype=float) for each in (weights, errors, probabilities))
    gold = np.zeros_like(weights) if gold is None else np.asarray(gold, dtype=float)
    untold = np.zeros(len(weights), dtype=bool) if untold is None else np.asarray(untold)
    return DrawnDocuments(
        weights, weights * errors, weights * gold, weights * reach, probabilities, untold, total, constant
    )


def test_three_documents_written_out():
    # W / p = .5 / .5, .25 / .25, .2 / 1 = 1, 1, .2; m = (1 * 1 + 1 * 0 + .2 * 0) / 2.2 = .454545; T = 1: correction m
    found = drawn([0.5, 0.25, 0.2], [1, 0, 0], [0.5, 0.25, 1.0], total=1.0).estimate()
    assert found.correction == pytest.approx(1 / 2.2)
    # r of the first is 1 / 2.2 * 1 * (1 - .454545) = .247934, of the second -.206612; the third is certain
    # a = .5 / .5 = 1 and .25 / .25 = 1, so n = 2^2 / 2 = 2; SE^2 = .5 (r^2 + 2 / 4) + .75 (r^2 + 2 / 4)
    assert found.variance == pytest.approx(0.5 * (0.2479339**2 + 0.5) + 0.75 * (0.2066116**2 + 0.5))
    assert found.freedom == 1
    assert (found.number, found.differ) == (3, 1)
    # t of 95 % with one degree of freedom is 12.7062047
    low, high = found.find_interval(0.6, 0.95)
    assert (high - low) / 2 == pytest.approx(12.7062047 * np.sqrt(found.variance))
    assert (high + low) / 2 == pytest.approx(0.6)


def test_it_is_prediction_powered_inference_with_lambda_1():
    """The same as ppi-python computes it: the mean of gains over all documents, weighed, with drawn ones' errors."""
    ppi = pytest.importorskip("ppi_py")
    random = np.random.default_rng(2023)
    for _ in range(20):
        weights, predicted = random.gamma(1.0, size=300), random.random(300)
        truth = np.where(random.random(300) < 0.2, random.random(300), predicted)
        p = np.minimum(1, weights / np.quantile(weights, 0.8))
        some = random.random(300) < p
        found = drawn(weights[some], (truth - predicted)[some], p[some], weights.sum()).estimate()
        theirs = ppi.ppi_mean_pointestimate(
            truth[some], predicted[some], predicted, lam=1, w=weights[some] / p[some], w_unlabeled=weights
        )
        mine = weights @ predicted + found.correction
        assert mine == pytest.approx(weights.sum() * np.ravel(theirs)[0], rel=1e-13)


def test_what_is_certain_leaves_nothing_to_chance():
    found = drawn([0.5, 0.3, 0.2], [1, 0, -0.5], [1, 1, 1], total=1.0).estimate()
    assert found.correction == pytest.approx(0.5 - 0.1)
    assert found.variance == 0
    assert found.find_interval(0.7, 0.95) == (0.7, 0.7)


def test_no_error_seen_still_has_a_width():
    # 10 documents of equal weight .1, each drawn with .25 of 40: a = .4, n = 10, SE^2 = 10 * .75 * 2 * .16 / 12
    found = drawn([0.1] * 10, [0] * 10, [0.25] * 10, total=4.0).estimate()
    assert found.correction == 0
    assert found.variance == pytest.approx(10 * 0.75 * 2 * 0.16 / 12)
    assert found.freedom == pytest.approx(9)


def test_who_cannot_tell_moves_both_ends_out():
    told = drawn([0.4, 0.4], [0, 0], [0.5, 0.8], total=1.0, reach=2.0)
    untold = drawn([0.4, 0.4], [0, 0], [0.5, 0.8], total=1.0, reach=2.0, untold=[True, False])
    inside, outside = (each.estimate().find_interval(0.5, 0.95) for each in (told, untold))
    assert np.subtract(outside, inside) == pytest.approx([-1.6, 1.6])  # .4 * 2 / .5
    assert untold.estimate().p_value(1.5) == 1.0  # 0 is nearer than what they could be


def test_documents_that_are_not_looked_at_count_for_nothing():
    whole = drawn([0.5, 0.0, 0.3], [1, 1, 0], [0.5, 0.2, 0.4], total=1.0)
    part = drawn([0.5, 0.3], [1, 0], [0.5, 0.4], total=1.0)
    assert whole.estimate() == part.estimate()
    assert drawn([0.0], [0.0], [0.5], total=1.0).estimate() is None


def test_gold_alone_takes_the_gains_by_gold_for_errors():
    # gains by gold 1 and 0 of weights that are inflated alike: half of T, and what is beside the sum
    value, estimate = drawn([0.5, 0.5], [0, 0], [0.5, 0.5], 1.0, gold=[1, 0], constant=-0.25).gold_alone()
    assert value == pytest.approx(0.25)
    assert (estimate.correction, estimate.freedom, estimate.number, estimate.differ) == (0.5, 1.0, 2, 0)
    assert estimate.variance == drawn([0.5, 0.5], [1, 0], [0.5, 0.5], 1.0).estimate().variance
    assert drawn([0.0], [0.0], [0.5], total=1.0).gold_alone() is None


def test_a_difference_of_two_runs_is_that_of_their_corrections():
    first = drawn([0.5, 0.25, 0.2], [1, 0, -1], [0.5, 0.25, 0.4], total=1.0)
    second = drawn([0.5, 0.1, 0.0], [1, 0, -1], [0.5, 0.25, 0.4], total=0.9)
    found = first.estimate_difference(second)
    assert found.correction == pytest.approx(first.estimate().correction - second.estimate().correction)
    # the same weight cancels: a = 0, |.25 - .1| / .25 = .6, .2 / .4 = .5, so n = 1.1^2 / (.36 + .25)
    number = 1.1**2 / 0.61
    r = first.residuals(first.errors) - second.residuals(second.errors)
    chance, a = np.array([0.5, 0.75, 0.6]), np.array([0, 0.6, 0.5])
    assert found.variance == pytest.approx((chance * (r**2 + 2 * a**2 / (number + 2))).sum())
    assert (found.number, found.differ) == (3, 2)
    beyond = [drawn([*each.weights, 0.0], [1, 0, -1, 1], [0.5, 0.25, 0.4, 0.5], each.total) for each in (first, second)]
    assert beyond[0].estimate_difference(beyond[1])[:6] == found[:6]  # of a document that neither run looks at
    same = first.estimate_difference(first)
    assert (same.correction, same.variance) == (0, 0)
    assert first.estimate_difference(drawn([0.0] * 3, [0.0] * 3, [0.5, 0.25, 0.4], total=1.0)) is None


def of_errors(errors, number):
    """The estimate from drawn queries of a value of 0 each, by gold these; not all of the queries were drawn."""
    drawn = np.arange(number) < len(errors)
    gold = np.full(number, np.nan)
    gold[drawn] = errors
    return estimate_from_queries(np.zeros(number), gold, drawn)


def test_queries_written_out():
    errors = np.array([0.3] * 10 + [-0.1] * 5 + [0.0] * 25)
    found = of_errors(errors, 100)  # p = .4
    assert found.correction == found.value == pytest.approx((3 - 0.5) / 40)
    # the sum of squares .9 + .05 less 40 times the squared mean .0625^2, over 39
    assert found.variance == pytest.approx(0.6 * ((0.95 - 40 * 0.0625**2) / 39 / 40 + 2 * (0.3 / 42) ** 2))
    assert (found.freedom, found.number, found.differ) == (39, 40, 15)
    half = stats.t.ppf(0.975, 39) * np.sqrt(found.variance)
    assert found.find_interval(0.5, 0.95) == pytest.approx((0.5 - half, 0.5 + half))
    assert found.p_value(0.02) == pytest.approx(2 * stats.t.sf(0.02 / np.sqrt(found.variance), 39))


@pytest.mark.parametrize("errors", [[0.5, 0.0] * 14, [0.0] * 40, [np.inf] + [0.5] * 39])
def test_few_queries_and_no_error_have_no_interval(errors):
    with np.errstate(invalid="ignore"):
        found = of_errors(errors, 2 * len(errors))
        assert of_errors(errors, len(errors)).variance == 0
    assert np.isnan(found.variance)
    assert np.isnan(found.find_interval(0.5, 0.95)).all()
    assert estimate_from_queries(np.zeros(4), np.full(4, np.nan), np.zeros(4, bool)) is None


def test_undefined_values_count_nothing():
    # v = (1, -, .5, -), by gold (1, .5, -) of the first three drawn, p = 3 / 4
    # A = 1.5 + 4/3 ((1 - 1) + (.5 - 0) + (0 - .5)) = 1.5, N = 2 + 4/3 (0 + 1 - 1) = 2
    values, gold = np.array([1.0, np.nan, 0.5, np.nan]), np.array([1.0, 0.5, np.nan, np.nan])
    found = estimate_from_queries(values, gold, np.array([True, True, True, False]))
    assert found.value == pytest.approx(0.75)
    assert (found.number, found.differ) == (3, 2)
    # all drawn: the mean by people, exactly
    whole = estimate_from_queries(values, np.array([1.0, 0.5, np.nan, 0.0]), np.ones(4, bool))
    assert (whole.value, whole.variance) == (0.5, 0.0)
    # N = 1 + 2 (0 - 1) = -1 of two queries: there is no value
    assert estimate_from_queries(np.array([1.0, np.nan]), np.full(2, np.nan), np.array([True, False])) is None


def test_queries_that_are_a_sample_and_all_labeled_are_those_of_the_t_test():
    gold = np.array([0.1, 0.5, np.nan, 0.9, 0.4])
    found = estimate_from_queries(np.array([0.3, 0.5, 0.5, np.nan, 0.1]), gold, np.ones(5, bool)).with_queries()
    known = gold[~np.isnan(gold)]
    # a ratio over 4 of 5 queries: 5 / 4 sum of (z - mean)^2 / 16, z = g - R, 0 where undefined
    z = np.where(np.isnan(gold), 0.0, gold - known.mean())
    assert found.variance == pytest.approx(5 / 4 * (z**2).sum() / 16)
    assert found.freedom == 4
    full = estimate_from_queries(np.zeros(4), known, np.ones(4, bool)).with_queries()
    assert full.variance == pytest.approx(known.var(ddof=1) / 4)


def ranks_of(weights, errors, values, total=None):
    """Drawn ranks of weights and errors [query, document], each undivided, and the values [query]."""
    weights, errors, values = (np.asarray(each, dtype=float) for each in (weights, errors, values))
    many = len(values)
    query, document = np.nonzero(weights)
    w, e = weights[query, document] / many, (weights * errors)[query, document] / many
    totals = weights.sum(axis=1) if total is None else np.asarray(total, dtype=float)
    return DrawnRanks(query, document, w, e, totals / many, values / many)


def sampled(weights, errors, probabilities, values, total=None):
    """Drawn documents with their ranks."""
    ranks = ranks_of(weights, errors, values, total)
    many, w = len(values), np.asarray(weights, dtype=float)
    of_document = w.sum(axis=0) / many
    sums = (w * errors).sum(axis=0) / many
    p = np.asarray(probabilities, dtype=float)
    untold = np.zeros(len(p), bool)
    return DrawnDocuments(of_document, sums, sums, of_document, p, untold, float(ranks.totals.sum()), 0.0, ranks)


def test_all_labeled_is_the_t_test_of_the_values_by_people():
    random = np.random.default_rng(3)
    weights, errors = random.random((6, 9)) * (random.random((6, 9)) < 0.5), random.choice([0.0, 1.0, -1.0], (6, 9))
    values, others = random.random((2, 6))
    people = values + (weights * errors).sum(axis=1)
    mine = sampled(weights, errors, np.ones(9), values)
    found = mine.estimate()
    assert values.mean() + found.correction == pytest.approx(people.mean())
    assert found.sampled == pytest.approx(people.var(ddof=1) / 6)
    assert found.variance == 0
    more = random.choice([0.0, 1.0], (6, 9))
    theirs = sampled(weights[:, ::-1], more, np.ones(9), others)
    apart = people - others - (weights[:, ::-1] * more).sum(axis=1)
    both = mine.estimate_difference(theirs)
    assert both.p_value(both.correct((values - others).mean())) == 0.0  # of labels alone nothing is left to chance
    expected = stats.ttest_1samp(apart, 0.0)
    found = both.with_queries()
    assert found.p_value(found.correct((values - others).mean())) == pytest.approx(expected.pvalue, rel=1e-9)


def test_a_drawn_document_of_two_queries_written_out():
    # Q = 2, document 0 in both with weight 1, document 1 in the second with weight 1; p = 1/2; errors 1 and 0
    found = sampled([[1, 0], [1, 1]], [[1, 0], [1, 0]], [0.5, 0.5], [0.0, 0.0], total=[2, 2])
    # W = 1, .5; B = 2 + 1 = 3, T = 2; m = 2 * 1 / 3; e - m = 1/3 and -2/3
    # r_dq = (2/3) (1/2) / (1/2) (e - m) = 2/9, 2/9 of document 0 and -4/9 of document 1; r_d = 4/9, -4/9
    # z = m T_q + r = 2/3 + 2/9 and 2/3 - 2/9; Q / (Q - 1) sum (z - mean)^2 = 2 * 2 (2/9)^2 = 16/81
    # unseen: a is 2 and 1, n is 9/5, so 1/2 * 2 (4 + 1) / (9/5 + 2) = 25/19
    # of both queries 1/2 of 16/81 less 8/81, so 4/81 more; of labels 1/2 of 32/81, and what is unseen
    estimate = found.estimate()
    assert estimate.variance == pytest.approx(16 / 81 + 25 / 19)
    assert estimate.sampled == pytest.approx(16 / 81 + 25 / 19 + 4 / 81)


def test_two_runs_that_change_places_change_the_sign():
    random = np.random.default_rng(5)
    weights, errors = random.random((4, 7)), random.choice([0.0, 1.0], (4, 7))
    one = sampled(weights, errors, np.full(7, 0.6), random.random(4))
    other = sampled(weights[:, ::-1], errors, np.full(7, 0.6), random.random(4))
    there, back = one.estimate_difference(other), other.estimate_difference(one)
    assert there.correction == pytest.approx(-back.correction)
    assert (there.variance, there.sampled) == pytest.approx((back.variance, back.sampled))


def test_what_is_rounded_of_a_great_weight_refutes_nothing():
    assert drawn([1e9, 2e9 + 1e-3], [0, 0], [1.0, 1.0], total=3e9).refuted() is None
    assert drawn([1e9, 2e9 + 1.0], [0, 0], [1.0, 1.0], total=3e9).refuted() == pytest.approx(1 + 1 / 3e9, abs=1e-12)


def test_impossible_probabilities_are_refuted():
    assert drawn([0.1] * 4, [0] * 4, [1.0] * 4, total=1.0).refuted() == pytest.approx(0.4)
    assert drawn([0.25] * 4, [0] * 4, [1.0] * 4, total=1.0).refuted() is None
    assert drawn([0.1] * 4, [0] * 4, [0.4] * 4, total=1.0).refuted() is None
    assert drawn([0.01] * 30, [0] * 30, [0.6] * 30, total=1.0).refuted() == pytest.approx(0.5)  # twice too high


def planted(random, rate, *, clustered):
    """A population of 600 documents: weights that fall as exposure does, and errors of 1, or of either sign."""
    weights = 1 / np.log2(1 + random.integers(1, 11, 600)) * random.choice([1, 1, 2, 5], 600)
    wrong = random.random(600) < rate
    if clustered:  # whole topics of six documents
        wrong = np.repeat(random.random(100) < rate, 6)
    return weights / weights.sum(), wrong * random.choice([1.0, -1.0], 600, p=[0.8, 0.2])


def priority(random, weights, number):
    """Draw documents by priority sampling: those of greatest x / u, with the threshold of the next."""
    order = np.argsort(-weights / (u := random.random(len(weights))))
    threshold = (weights / u)[order[number]]
    return order[:number], np.minimum(1, weights[order[:number]] / threshold)


@pytest.mark.fuzz
@pytest.mark.parametrize("number", [60, 200])
@pytest.mark.parametrize(("rate", "clustered"), [(0.02, False), (0.1, True), (0.45, False)])
def test_intervals_cover_the_truth(number, rate, clustered):
    """In 93 of 100 draws at least; with fewer draws, as far as these can tell (two standard errors)."""
    random = np.random.default_rng(27)
    weights, errors = planted(random, rate, clustered=clustered)
    draws, covered, truth = 2000 if ALL else 200, 0, float(weights @ errors)
    for _ in range(draws):
        some, p = priority(random, weights, number)
        found = drawn(weights[some], errors[some], p, 1.0, reach=1.0).estimate()
        low, high = found.find_interval(found.correction, 0.95)
        covered += low <= truth <= high
    assert covered / draws >= 0.93 - (0 if ALL else 2 * np.sqrt(0.93 * 0.07 / draws))


@pytest.mark.parametrize("freedom", [1, 1.3, 2, 2.71, 5.5, 11, 29, 61.7, 186, 1234.5, 40_000.0])
def test_students_t_is_that_of_scipy(freedom):
    for confidence in (0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999999):
        assert quantile(confidence, freedom) == pytest.approx(stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-9)
    assert (tail(0.0, freedom), tail(1e200, freedom)) == (1.0, 0.0)
    assert np.isnan(tail(float("nan"), freedom))
    for t in (1e-6, 0.1, 0.67, 1.0, 1.96, 3.3, 12.0, 300.0):
        assert tail(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9, abs=1e-300)


def test_a_probability_of_nearly_nothing_leaves_no_interval():
    found = drawn([0.5, 0.5], [1, 0], [1e-300, 0.5], total=1.0).estimate()
    assert np.isnan(found.find_interval(0.5, 0.95)).all()


def test_the_mean_of_another_form_is_that_of_the_queries_where_it_is_defined_and_is_told():
    values = np.array([1.0, np.nan, 3.0])
    own = QueryCorrector(values, values, ~np.isnan(values))
    other = replace(own, is_other_form=True)
    found = [correct_mean(row, np.full(3, 9.0), 9.0, None, (None, None)) for row in (own, other)]
    assert [each.corrected for each in found] == [2.0, 2.0]
    assert [each.without_tau for each in found] == [None, 2.0]
    one, two = np.ones(2), np.arange(2)
    documents = DocumentCorrector(one, two, two, np.ones((4, 2)), one, np.zeros(2), one, np.zeros(2, np.bool_))
    assert correct_mean(documents, one, 1.0, None, (None, None)).without_tau is None


@pytest.mark.parametrize(("drawn_queries", "few"), [([True, False, True], True), ([True, True, True], False)])
def test_errors_may_be_too_few_only_if_a_part_of_the_queries_was_drawn(drawn_queries, few):
    corrector = QueryCorrector(np.ones(3), np.ones(3), np.array(drawn_queries))
    assert corrector.has_few_errors == few
    assert not corrector.keep_queries([0, 2]).has_few_errors

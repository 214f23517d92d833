"""Judges next to people, group by group: against fairlearn and statsmodels, arithmetic written out, and laws."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.gold import judges
from fairtrec.lab.gold.judge_rates import (
    PairCounts,
    count_pairs,
    estimate_kappa,
    estimate_rate,
    subtract_rates,
    subtract_within,
)
from fairtrec.measures import NFaiRR
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts

NEAR = 1e-12


def made(seed, queries=12, groups=("f", "m", "-", "several", "?")):
    """Make pairs of several groups in queries of their own shares, judged by people and by a judge that errs."""
    dice = np.random.default_rng(seed)
    rows = []
    for query in range(queries):
        share, hit = dice.dirichlet(np.full(len(groups), 0.6)), dice.uniform(0.4, 1)
        for number in range(int(dice.integers(8, 30))):
            group = groups[dice.choice(len(groups), p=share)]
            human = bool(dice.random() < 0.5)
            judge = bool(dice.random() < (hit if human else 0.3))
            rows.append((f"q{query}", f"d{query}-{number}", group, human, judge))
    return pd.DataFrame(rows, columns=["query", "docno", "group", "human", "judge"])


def qrels(pairs, column):
    """Give the judgments of a column as a dict."""
    found = {}
    for row in pairs.itertuples():
        found.setdefault(row.query, {})[row.docno] = int(getattr(row, column))
    return found


def labels(pairs):
    """Give the groups as labels: two for several, none for ?."""
    meant = {"several": ["f", "m"]}
    return {row.docno: meant.get(row.group, row.group) for row in pairs.itertuples() if row.group != "?"}


def audited(pairs, **more):
    """Audit the judge of made pairs."""
    return judges(qrels(pairs, "human"), qrels(pairs, "judge"), labels=labels(pairs), **more).judges[0]


def by_group(audit):
    """The groups by name."""
    return {group.group: group for group in audit.groups}


def clustered(y, x, queries, several):
    """Fit by least squares with statsmodels: the coefficient, and its error by clusters times C / (C - 1)."""
    api = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed; pip install statsmodels")
    fit = api.OLS(y, x).fit()
    codes = pd.factorize(queries)[0]
    robust = fit.get_robustcov_results("cluster", groups=codes, use_correction=False, use_t=True)
    return robust.params, robust.cov_params() * several / (several - 1)


@pytest.mark.parametrize("seed", range(20))
def test_rates_are_those_of_fairlearn(seed):
    metrics = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed; pip install fairlearn")
    pairs = made(seed)
    frame = metrics.MetricFrame(
        metrics={"recall": metrics.true_positive_rate, "false_positive": metrics.false_positive_rate},
        y_true=pairs["human"], y_pred=pairs["judge"], sensitive_features=pairs["group"],
    )  # fmt: skip
    groups = by_group(audited(pairs))
    assert {*frame.by_group.index} == {*groups} - {"all"} - {name for name, of in groups.items() if not of.pairs}
    for name, row in frame.by_group.iterrows():
        for rate in ("recall", "false_positive"):
            value = getattr(groups[name], rate).value
            if not np.isnan(value):  # fairlearn gives 0 where there is nothing to find
                assert value == pytest.approx(row[rate], abs=NEAR)
    assert groups["all"].recall.value == pytest.approx(frame.overall["recall"], abs=NEAR)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_intervals_are_those_of_clustered_regressions(seed):
    pairs = made(seed)
    found = audited(pairs)
    for name, of in by_group(found).items():
        own = pairs if name == "all" else pairs[pairs["group"] == name]
        for rate, some in (("recall", own[own["human"]]), ("false_positive", own[~own["human"]])):
            several, estimate = some["query"].nunique(), getattr(of, rate)
            assert estimate.queries == several
            if several < 2 or estimate.value in (0, 1):
                continue
            params, cov = clustered(some["judge"].astype(float), np.ones((len(some), 1)), some["query"], several)
            reach = stats.t.ppf(0.975, several - 1) * np.sqrt(cov[0, 0])
            assert estimate.value == pytest.approx(params[0], abs=NEAR)
            assert estimate.low == pytest.approx(max(params[0] - reach, 0), abs=NEAR)
            assert estimate.high == pytest.approx(min(params[0] + reach, 1), abs=NEAR)


@pytest.mark.parametrize("seed", range(20))
def test_differences_are_coefficients_of_regressions(seed):
    pairs = made(seed)
    for each in audited(pairs).differences:
        some = pairs[pairs["group"].isin(each.of) & (pairs["human"] == (each.rate == "recall"))]
        is_first = (some["group"] == each.of[0]).to_numpy(dtype=float)
        y = some["judge"].astype(float).to_numpy()
        several = some["query"].nunique()
        params, cov = clustered(y, np.column_stack([np.ones(len(some)), is_first]), some["query"], several)
        reach = stats.t.ppf(0.975, several - 1) * np.sqrt(cov[1, 1])
        rates = some.groupby("group")["judge"].mean()
        assert each.overall[:1] + each.overall[3:4] == pytest.approx((params[1], several), abs=NEAR)
        if not {*rates} & {0, 1}:
            ends = np.clip([params[1] - reach, params[1] + reach], -1, 1)
            assert each.overall[1:3] == pytest.approx(tuple(ends), abs=NEAR)
        both = some.groupby("query")["group"].nunique()
        inside = some["query"].isin(both[both == 2].index)
        some, is_first, y = some[inside], is_first[inside], y[inside]
        several = some["query"].nunique()
        assert each.within.queries == several
        if several < 2 or np.isnan(each.within.p) or each.within.p in (0, 1):
            continue
        dummies = pd.get_dummies(some["query"]).to_numpy(dtype=float)
        params, cov = clustered(y, np.column_stack([is_first, dummies]), some["query"], several)
        error = np.sqrt(cov[0, 0])
        reach = stats.t.ppf(0.975, several - 1) * error
        assert each.within.value == pytest.approx(params[0], abs=NEAR)
        ends = np.clip([params[0] - reach, params[0] + reach], -1, 1)
        assert (each.within.low, each.within.high) == pytest.approx(tuple(ends), abs=NEAR)
        assert each.within.p == pytest.approx(2 * stats.t.sf(abs(params[0]) / error, several - 1), abs=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_kappas_are_those_of_statsmodels(seed):
    inter = pytest.importorskip(
        "statsmodels.stats.inter_rater", reason="statsmodels is not installed; pip install statsmodels"
    )
    pairs = made(seed)
    for name, of in by_group(audited(pairs)).items():
        own = pairs if name == "all" else pairs[pairs["group"] == name]
        table = pd.crosstab(own["human"], own["judge"]).reindex([False, True]).T.reindex([False, True]).fillna(0)
        if len(own) and not np.isnan(of.kappa.value):
            assert of.kappa.value == pytest.approx(inter.cohens_kappa(table.to_numpy()).kappa, abs=NEAR)


def test_one_pair_a_query_has_the_error_of_fleiss_cohen_and_everitt():
    """Then queries are no clusters, and kappa's error is the usual one but for C / (C - 1) and t."""
    human, judge = np.array([1, 1, 1, 0, 0, 1, 0, 1, 0, 0], bool), np.array([1, 0, 1, 0, 1, 1, 0, 1, 0, 0], bool)
    (of,) = count_pairs(np.zeros(10, int), np.arange(10), human, judge, 1, 10)
    found = estimate_kappa(of, 0.95)
    from fairtrec.statistics.agreement import kappa, normal

    value, low, _ = kappa(human.astype(int), judge.astype(int), 2, np.ones(10), np.ones(10), 0.95)
    error = (value - low) / normal(0.95)
    assert found.value == pytest.approx(value, abs=NEAR)
    assert found.value - found.low == pytest.approx(stats.t.ppf(0.975, 9) * error * np.sqrt(10 / 9), abs=NEAR)


def test_arithmetic():
    """Two queries: f finds 1 of 2 and 2 of 2, m 2 of 4 and 1 of 4."""
    f, m = (np.array([1.0, 2.0]), np.array([2.0, 2.0])), (np.array([2.0, 1.0]), np.array([4.0, 4.0]))
    assert estimate_rate(*f, 0.95).value == 3 / 4
    assert subtract_rates(f, m, 0.95).value == 3 / 4 - 3 / 8
    within = subtract_within(f, m, 0.95)
    assert within.value == pytest.approx((0 + 3 / 4) / 2)  # both queries weigh 8/6
    u = np.array([-3 / 8, 3 / 8]) / 2
    reach = stats.t.ppf(0.75, 1) * np.sqrt(2 * np.square(u).sum())
    half = subtract_within(f, m, 0.5)
    assert (half.low, half.high) == pytest.approx((within.value - reach, within.value + reach))
    assert (within.low, within.high) == (-1, 1)  # t of one degree of freedom reaches further


def test_a_difference_of_a_rate_of_0_has_the_ends_of_both_rates():
    """Newcombe's square and add: f finds 5 of 10, 3 of 10, 4 of 10 and 8 of 10, m none of 10 in each query.

    R_f = 20 / 40, u_q = (A_q - 5) / 40 = (0, -2, -1, 3) / 40, variance 4/3 * 14/1600, t(3) = 3.182446.
    Wilson's interval of 0 of 4 queries: 0 to z^2 / (4 + z^2) = .489899.
    """
    ten = np.full(4, 10.0)
    found = subtract_rates((np.array([5.0, 3.0, 4.0, 8.0]), ten), (np.zeros(4), ten), 0.95)
    reach = 3.182446305284263 * np.sqrt(4 / 3 * 14 / 1600)
    high = 1.959963984540054**2 / (4 + 1.959963984540054**2)
    assert found[:4] == pytest.approx((0.5, 0.5 - np.hypot(reach, high), 0.5 + reach, 4), abs=NEAR)
    turned = subtract_rates((np.zeros(4), ten), (np.array([5.0, 3.0, 4.0, 8.0]), ten), 0.95)
    assert turned[:3] == pytest.approx((-found.value, -found.high, -found.low), abs=NEAR)
    none = subtract_rates((np.zeros(4), ten), (np.zeros(4), ten), 0.95)
    assert none[:3] == pytest.approx((0.0, -high, high), abs=NEAR)


def test_newcombe_of_independent_pairs_is_that_of_statsmodels():
    """Where both rates are 0 or 1, the ends are Newcombe's of that many things as there are queries."""
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason="statsmodels is not installed")
    for one, other in ((0, 0), (1, 0), (0, 1), (1, 1)):
        totals = np.repeat([3.0, 0.0], [12, 20]), np.repeat([0.0, 3.0], [12, 20])
        found = subtract_rates((one * totals[0], totals[0]), (other * totals[1], totals[1]), 0.95)
        expected = proportion.confint_proportions_2indep(12 * one, 12, 20 * other, 20, method="newcomb")
        assert found[1:3] == pytest.approx(expected, abs=1e-9)


def test_the_same_difference_in_every_query_has_no_interval():
    ones = np.ones(12)
    nothing = subtract_within((ones, 2 * ones), (ones, 2 * ones), 0.95)
    assert nothing == pytest.approx((0.0, np.nan, np.nan, 12, 1.0, True), nan_ok=True)
    half = subtract_within((2 * ones, 2 * ones), (ones, 2 * ones), 0.95)
    assert half == pytest.approx((0.5, np.nan, np.nan, 12, np.nan, True), nan_ok=True)


def test_few_queries_that_decide_leave_doubt():
    """Of 20 queries, ten have another rate than most, or nine; one query has as many pairs as 60, or not."""
    ten = np.full(20, 10.0)
    counts = np.arange(20.0) % 7
    assert not estimate_rate(np.where(np.arange(20) < 10, 5.0, 6.0), ten, 0.95).doubtful
    assert estimate_rate(np.where(np.arange(20) < 11, 5.0, 6.0), ten, 0.95).doubtful
    totals = np.where(np.arange(20) == 0, 60.0, 10.0)  # (60 + 190)^2 / (3600 + 1900) = 11.4
    assert not estimate_rate(counts, totals, 0.95).doubtful
    assert estimate_rate(counts, np.where(np.arange(20) == 0, 90.0, 10.0), 0.95).doubtful  # 280^2 / 10000 = 7.84
    assert subtract_rates((np.zeros(20), ten), (counts, ten), 0.95).doubtful  # one of the rates is
    assert not subtract_within((counts, ten), (ten / 2, ten), 0.95).doubtful
    for relevant, doubtful in ((np.ones(20), False), (np.where(np.arange(20) < 9, 1.0, 0.0), True)):
        assert estimate_kappa(PairCounts(ten, relevant, relevant + 1, relevant), 0.95).doubtful == doubtful


def test_a_rate_of_0_or_1_has_wilsons_interval_of_queries():
    found = estimate_rate(np.array([5.0, 7.0, 4.0]), np.array([5.0, 7.0, 4.0]), 0.95)
    z2 = 1.959963984540054**2
    assert found == pytest.approx((1.0, 3 / (3 + z2), 1.0, 3, np.nan, True), nan_ok=True)


def test_one_query_has_no_interval():
    one = np.array([3.0]), np.array([4.0])
    assert estimate_rate(*one, 0.95) == pytest.approx((0.75, np.nan, np.nan, 1, np.nan, True), nan_ok=True)
    assert subtract_within(one, one, 0.95) == pytest.approx((0.0, np.nan, np.nan, 1, np.nan, True), nan_ok=True)
    audit = judges(
        {"1": {"a": 1, "b": 1, "c": 0}}, {"1": {"a": 1, "b": 0, "c": 0}}, labels={"a": "f", "b": "m"}
    ).judges[0]
    assert {each.verdict for each in audit.differences} == {"not tested"}
    assert all(np.isnan(group.recall.low) for group in audit.groups)


def test_groups_of_other_topics_differ_overall_and_not_within_queries():
    """Queries of women are easy for the judge, those of men are hard; within a query it errs alike."""
    human, judge, groups = {}, {}, {}
    for query in range(30):
        easy = query < 15
        human[str(query)] = {f"{query}-{n}": 1 for n in range(20)}
        judge[str(query)] = {f"{query}-{n}": int(n % 10 < (9 if easy else 4)) for n in range(20)}
        # of 20 documents 18 are of the group of the topic; both groups have n % 10 alike as far as they can
        groups |= {f"{query}-{n}": ("f" if easy else "m") for n in range(20)}
        groups |= {f"{query}-{n}": ("m" if easy else "f") for n in range(10)} if query % 5 == 0 else {}
    found = judges(human, judge, labels=groups).judges[0].differences[0]
    assert found.of == ("f", "m")
    assert found.overall.low > 0.2
    assert found.within.value == pytest.approx(0, abs=NEAR)
    assert found.verdict == "not shown"


def test_who_judges_as_people_do_has_no_error():
    pairs = made(3)
    runs = {name: {"q1": {f"d1-{n}": float(dice) for n, dice in enumerate(np.random.default_rng(s).permutation(8))},
                   "q2": {f"d2-{n}": float(dice) for n, dice in enumerate(np.random.default_rng(s + 9).permutation(8))}}
            for s, name in enumerate("abcd")}  # fmt: skip
    found = judges(
        qrels(pairs, "human"), {"itself": qrels(pairs, "human")}, labels=labels(pairs), runs=runs, measures="nDCG@10"
    )
    for group in found.judges[0].groups:
        if group.relevant:
            assert group.recall.value == 1
        if group.pairs > group.relevant:
            assert group.false_positive.value == 0
        if 0 < group.relevant < group.pairs:
            assert group.kappa.value == pytest.approx(1)
    assert all(
        each.within.value == 0 and each.p_corrected == 1
        for each in found.judges[0].differences
        if each.within.queries > 1
    )
    (order,) = found.judges[0].orders
    assert (order.tau_b, order.tau_ap) == pytest.approx((1, 1))
    assert order.judge_reliability == pytest.approx(order.reliability, abs=NEAR)


@given(st.integers(0, 10_000), st.randoms())
def test_the_order_of_lines_changes_nothing_and_names_of_groups_swap_rows(seed, dice):
    pairs = made(seed, queries=5)
    one = audited(pairs)
    shuffled = pairs.iloc[dice.sample(range(len(pairs)), len(pairs))]
    other = audited(shuffled)
    assert repr(other.differences) == repr(one.differences)
    assert repr([vars(group) for group in other.groups]) == repr([vars(group) for group in one.groups])
    swapped = pairs.assign(group=pairs["group"].map(lambda name: {"f": "m", "m": "f"}.get(name, name)))
    others = by_group(audited(swapped))
    for name, of in by_group(one).items():
        assert repr(of.recall) == repr(others[{"f": "m", "m": "f"}.get(name, name)].recall)
    first, second = one.differences[0], audited(swapped).differences[0]
    assert first.within.value == pytest.approx(-second.within.value, nan_ok=True)


def test_only_pairs_in_common_count():
    human = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1}}
    judge = {"1": {"a": 1, "b": 1, "z": 1}, "3": {"a": 0}}
    found = judges(human, {"j.qrels": judge}, labels={"a": "f", "b": "m"})
    audit = found.judges[0]
    assert (audit.pairs, audit.only_human, audit.only_judge, audit.queries) == (2, 2, 2, 1)
    assert texts(found.notes)[:2] == [
        "2 of 4 pairs are not in j.qrels and are left out",
        "2 of 4 pairs of j.qrels are not in the qrels and are left out",
    ]


def test_a_document_of_unknown_group_has_a_row_of_its_own():
    human = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1, "c": 0}}
    found = judges(human, human, labels={"a": "f", "b": "m"})
    assert [group.group for group in found.judges[0].groups] == ["f", "m", "?", "all"]
    assert "2 pairs have a document without a label and are the group ?" in texts(found.notes)
    counts = pd.DataFrame({"docno": ["a", "b"], "tokens": [9, 9], "f": [1, 0], "m": [0, 0]})
    found = judges(human, human, counts=counts)
    assert [group.group for group in found.judges[0].groups] == ["f", "m", "-", "?", "all"]
    assert "2 pairs have a document without counts or text and are the group ?" in texts(found.notes)
    assert [each.of for each in found.judges[0].differences[:3]] == [("f", "m"), ("f", "-"), ("m", "-")]
    assert [each.of for each in judges(human, human, counts=counts, reference="-").judges[0].differences[:2]] == [
        ("f", "-"),
        ("m", "-"),
    ]


def test_each_has_a_level_of_its_own():
    human, judge = {"1": {"a": 3, "b": 1}}, {"1": {"a": 1, "b": 0}}
    found = judges(human, judge, labels={"a": "f", "b": "m"}, relevance_level=2, judge_level=1)
    assert by_group(found.judges[0])["all"].recall.value == 1
    assert by_group(found.judges[0])["all"].false_positive.value == 0
    found = judges(human, {"j": judge}, labels={"a": "f", "b": "m"}, relevance_level=2)
    assert texts(found.notes)[0] == (
        "the highest grade of j is 1, below level 2; set judge_level= to the grade that means relevant"
    )


def test_a_correction_is_over_all_judges():
    pairs = made(5)
    one, many = (
        judges(qrels(pairs, "human"), {str(n): qrels(pairs, "judge") for n in range(several)}, labels=labels(pairs),
               correction="bonferroni")
        for several in (1, 3)
    )  # fmt: skip
    first, second = one.judges[0].differences[0], many.judges[2].differences[0]
    assert first.p_corrected == pytest.approx(min(1, 6 * first.within.p))
    assert second.p_corrected == pytest.approx(min(1, 18 * first.within.p))


@pytest.fixture
def judge(copied):
    """A judge of the example that errs in every fourth line, and lacks the last pair."""
    lines = (copied / "qrels.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines][:-1]
    for number, row in enumerate(rows, 1):
        row[3] = str(3 - int(row[3])) if number % 4 == 0 else row[3]
    (copied / "judge.qrels").write_text("".join(" ".join(row) + "\n" for row in rows))
    return "judge.qrels"


RUNS = ["bm25.run", "neural.run", "fair.run"]


def test_orders_are_those_of_evaluations_of_the_pairs_in_common(judge):
    """The runs are evaluated with the qrels of both, cut to what both have."""
    found = judges("qrels.txt", judge, labels="labels.tsv", runs=RUNS, measures="nDCG@10 DTR RR@10", relevance_level=2)
    rows = [line.split() for line in Path("qrels.txt").read_text("utf-8").splitlines()][:-1]
    human = {}
    for qid, _, docno, grade in rows:
        human.setdefault(qid, {})[docno] = int(grade)
    by_people, by_judge = (
        fairtrec.evaluate("nDCG@10 DTR RR@10", RUNS, qrels=each, labels="labels.tsv", relevance_level=2)
        for each in (human, judge)
    )
    for row, order in enumerate(found.judges[0].orders):
        one, other = (np.array([scores.values[row] for scores in each.scores]) for each in (by_people, by_judge))
        complete = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
        assert order.queries == complete.sum()
        tau = stats.kendalltau(one[:, complete].mean(axis=1).round(12), other[:, complete].mean(axis=1).round(12))
        assert order.tau_b == pytest.approx(tau.statistic, nan_ok=True)
    reliable = fairtrec.reliability(by_people).rows[0]
    first = found.judges[0].orders[0]
    assert (first.reliability, first.low, first.high) == pytest.approx(
        (reliable.reliability, reliable.low, reliable.high)
    )
    assert first.halves == pytest.approx(reliable.halves)
    assert first.judge_reliability == pytest.approx(fairtrec.reliability(by_judge).rows[0].reliability)
    assert [order.measure for order in found.judges[0].orders] == ["nDCG@10", "DTR", "RR(rel=2)@10"]
    assert "DTR: the order by people is not reliable, so a low tau does not count against the judge" in texts(
        found.notes
    )


@pytest.mark.parametrize("measures", ["nDCG(group=f)@10", "DTR nDCG@10", "RR@10 DIR@5"])
def test_each_judge_is_compared_by_its_own_judgments(judge, measures):
    """What is kept of one judge for the next changes no order."""
    rows = [line.split() for line in Path(judge).read_text("utf-8").splitlines()]
    other = {}
    for number, (qid, _, docno, grade) in enumerate(rows):
        other.setdefault(qid, {})[docno] = 3 - int(grade) if number % 3 else int(grade)
    given = {"labels": "labels.tsv", "runs": RUNS, "measures": measures}
    together = judges("qrels.txt", {"one": judge, "other": other, "again": judge}, **given)
    alone = [judges("qrels.txt", {"judge": each}, **given).judges[0] for each in (judge, other, judge)]
    assert [repr(each.orders) for each in together.judges] == [repr(each.orders) for each in alone]
    assert repr(alone[0].orders) != repr(alone[1].orders)


def test_labels_that_know_no_document_of_a_run_are_refused(judge):
    labels = {"x": "f", **dict.fromkeys(["y", "z"], "m")}
    with pytest.raises(InputError, match=r"bm25.run: the labels have none of its documents in the measured ranks"):
        judges("qrels.txt", judge, labels=labels, runs=RUNS, measures="DTR")


def test_default_measures_look_at_judgments(judge):
    found = judges("qrels.txt", judge, labels="labels.tsv", runs=RUNS)
    assert [order.measure for order in found.judges[0].orders] == ["nDCG@10", "DTR"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"labels": None}, "a judge is compared group by group, and nothing decides groups; add labels=FILE"),
        ({"reference": "x"}, "no group is called x; reference= takes one of f, m"),
        ({"correction": "tukey"}, "tukey corrects only comparisons of the values of runs"),
        ({"confidence": 2}, "the confidence is 2; it lies between 0 and 1, like 0.95"),
        ({"measures": "nDCG@10"}, "measures order runs, and there are none; add runs=, or leave out measures="),
        ({"runs": RUNS[:2]}, "an order of runs needs 3 or more, and runs= has 2; add more"),
        ({"runs": RUNS, "measures": "AWRF@10"}, "AWRF@10 does not depend on judgments; leave it out"),
        ({"runs": RUNS, "measures": ["P@5", "NFaiRR@10"]}, "NFaiRR@10 does not depend on judgments; leave it out"),
        ({"runs": RUNS, "measures": NFaiRR()}, "NFaiRR@10 does not depend on judgments; leave it out"),
    ],
)
def test_what_does_not_fit_is_refused(judge, given, said):
    with pytest.raises(UsageError) as fault:
        judges("qrels.txt", judge, **{"labels": "labels.tsv", **given})
    assert said in str(fault.value)


def test_bad_input_is_one_line(copied, fairtrec_command):
    (copied / "other.qrels").write_text("999 0 p001 2\n")
    (copied / "twice.qrels").write_text("101 0 p001 2\n101 0 p001 1\n")
    (copied / "grade.qrels").write_text("101 0 p001 good\n")
    said = {
        (
            "qrels.txt",
            "other.qrels",
        ): "other.qrels: no pair of query and document is in qrels.txt too; are both of the same collection?",
        ("qrels.txt", "twice.qrels"): "twice.qrels:2: document p001 is judged twice for query 101; keep one grade",
        ("grade.qrels", "qrels.txt"): "grade.qrels:1:",
        (
            "qrels.txt",
            "qrels.txt",
            "-l",
            "7",
        ): "qrels.txt: no pair has grade 7 or more; the highest is 3, set -l to a lower grade",
    }
    for words, line in said.items():
        done = fairtrec_command("gold", "judges", *words, "--labels", "labels.tsv")
        assert (done.code, done.err.count("\n"), line in done.err) == (3, 1, True), done.err
    (copied / "none.qids").write_text("999\n")
    with pytest.raises(InputError, match=r"no pair is of a query of none\.qids; check queries="):
        judges("qrels.txt", "qrels.txt", labels="labels.tsv", queries="none.qids")


def test_each_format_says_the_same(judge, tmp_path):
    found = judges("qrels.txt", {judge: judge}, terms="gender-en", docs="collection.tsv", runs=RUNS, relevance_level=2)
    for form in ("json", "csv", "html", "md"):
        found.write(tmp_path / f"new.{form}")
    told = json.loads((tmp_path / "new.json").read_text("utf-8"))
    (audit,) = told["judges"]
    assert list(audit) == ["judge", "pairs", "only_human", "only_judge", "queries", "groups", "differences", "orders"]
    assert list(audit["groups"][0]) == [
        "group", "pairs", "relevant", "judged_relevant", "recall", "recall_low", "recall_high", "recall_queries",
        "recall_doubtful", "false_positive", "false_positive_low", "false_positive_high", "false_positive_queries",
        "false_positive_doubtful", "kappa", "kappa_low", "kappa_high", "kappa_doubtful",
    ]  # fmt: skip
    assert list(audit["differences"][0]) == [
        "of", "rate", "overall", "overall_low", "overall_high", "overall_doubtful", "difference", "low", "high", "queries", "p",
        "p_corrected", "verdict", "doubtful",
    ]  # fmt: skip
    assert list(audit["orders"][0]) == [
        "measure", "runs", "queries", "tau_b", "tau_ap", "reliability", "low", "high", "judge_reliability", "halves",
        "doubtful",
    ]  # fmt: skip
    assert [group["group"] for group in audit["groups"]] == ["f", "m", "several", "-", "all"]
    frame = found.to_frame()
    within = frame[frame["quantity"] == "recall within"]
    assert within["value"].tolist() == [each["difference"] for each in audit["differences"] if each["rate"] == "recall"]
    assert found.flat()["judge_qrels_recall_f_value"] == audit["groups"][0]["recall"]
    assert "within queries" in (tmp_path / "new.html").read_text("utf-8")


def test_subtopics_count_once_with_the_highest_grade():
    frame = pd.DataFrame(
        {"query_id": ["1", "1", "1"], "iteration": ["x", "y", "x"], "doc_id": ["a", "a", "b"], "relevance": [0, 1, 0]}
    )
    audit = judges(frame, {"1": {"a": 1, "b": 0}}, labels={"a": "f", "b": "m"}).judges[0]
    assert (audit.pairs, by_group(audit)["f"].relevant, by_group(audit)["all"].kappa.value) == (2, 1, 1)


def test_pairs_of_nothing_have_no_rates():
    nothing = PairCounts(*(np.zeros(2),) * 4)
    assert estimate_rate(*nothing.recall, 0.95).queries == 0
    assert np.isnan(estimate_kappa(nothing, 0.95).value)
    assert np.isnan(subtract_rates(nothing.recall, (np.ones(2), np.ones(2)), 0.95).value)
    assert np.isnan(subtract_within(nothing.recall, nothing.recall, 0.95).value)

"""The gate: the language of requirements, verdicts against scipy, reports, configuration, and the CI recipes."""

import contextlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.commands.check import check, requirement
from fairtrec.commands.check import judgment as gate
from fairtrec.commands.check.judgment import Gate
from fairtrec.commands.check.report import facts
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measures.arab import ARaB
from fairtrec.measures.catalogue.registry import parse as measures
from fairtrec.support.errors import UsageError
from fairtrec.support.files.compression import ENDINGS
from fairtrec_made import REPOSITORY, notes_of, pages

NAN = math.nan
PAGE = (REPOSITORY / "docs" / "ci.md").read_text("utf-8")


def scores(values, name="mine", measure="nDCG@10", qids=None):
    """One measure, a value for each query."""
    qids = qids or [f"q{number:03}" for number in range(len(values))]
    return Scores(name, "tag", tuple(measures(measure)), tuple(qids), np.array([values], dtype=np.float64))


def judged(text, mine, theirs=None, **more):
    rule = Gate(**{name: more.pop(name) for name in ("confidence", "strict") if name in more})
    baseline = None if theirs is None else theirs if isinstance(theirs, Scores) else scores(theirs, "baseline")
    mine = mine if isinstance(mine, Scores) else scores(mine)
    return gate.judge(mine, [requirement.parse(text)], baseline=baseline, gate=rule, **more)


# --- the language ---


@pytest.mark.parametrize(
    ("bound", "factor", "offset"),
    [
        ("0.85", 0, 0.85), ("-1e-3", 0, -0.001), (".5", 0, 0.5), ("+2.", 0, 2.0), ("baseline", 1, 0),
        ("baseline - 0.01", 1, -0.01), ("baseline+.1", 1, 0.1), ("baseline - -0.1", 1, 0.1),
        ("baseline * 0.95", 0.95, 0), ("baseline - 5%", 0.95, 0), ("baseline + 10 %", 1.1, 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("operator", [">=", "<=", ">", "<"])
@pytest.mark.parametrize("scope", ["", "worst slice", "every slice"])
def test_reads_requirements(scope, operator, bound, factor, offset):
    read = requirement.parse(f" {scope}  P( rel = 2 )@5{operator}{bound} ")
    assert (read.scope, str(read.measure), read.operator) == (scope, "P(rel=2)@5", operator)
    assert (read.factor, read.offset) == pytest.approx((factor, offset))
    assert read.relative is (factor != 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at its end: a requirement starts with a measure"),
        ("nDCG@10 => 0.5", "column 9, '=> 0.5': the operator is one of"),
        ("nDCG@10 == 0.5", "column 9"),
        ("nDCG@10", "at its end: the operator is one of"),
        ("nDCG@10 >=", "at its end: a bound is a number"),
        ("nDCG@10 >= best", "column 12, 'best': a bound is a number"),
        ("nDCG@10 >= baseline - x", "column 21, '- x': nothing follows the bound"),
        ("nDCG@10 >= 5%", "column 13, '%': nothing follows"),
        ("nDCG@10 >= baseline * -1", "multiplied by a number above 0"),
        ("nDCG@10 >= baseline - 100%", "less than 100%"),
        ("nDCG@10 >= 1e999", "too large"),
        ("nDCG@10 >= baseline * 1e101", "too large"),
        ("nDCG@10 RR >= 1", "stands for 2 measures"),
        ("best slice RR >= 1", "'worst slice' or 'every slice'"),
        ("nDGC@10 >= 1", "did you mean nDCG?"),
    ],
)
def test_points_at_what_it_cannot_read(text, says):
    with pytest.raises(UsageError, match=re.escape(says)):
        requirement.parse(text)


@given(st.text(alphabet="nDCG@10 ()'\"\\<>=!.%*+-baselinworstevryc\n", max_size=60))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(UsageError):
        requirement.parse(text)


def test_the_level_of_relevance_is_that_of_the_evaluation():
    assert str(requirement.parse("P@5 > 0", relevance_level=2).measure) == "P(rel=2)@5"


@pytest.mark.parametrize(
    ("text", "contradicts"),
    [
        ("nDCG@10 <= 1", True), ("nDCG@10 >= 1", False), ("rND@10 >= 0.1", True), ("rND@10 < 0.1", False),
        ("ARaB@10 >= 0.2", True), ("ARaB@10 <= 0.2", False), ("ARaB@10 >= -0.2", False), ("ARaB@10 <= -0.2", True),
        ("ARaB@10 <= baseline", True), ("NumRet > 3", False), ("FaiRR@10 < 3", True),
    ],
)  # fmt: skip
def test_says_what_contradicts_the_direction_of_the_measure(text, contradicts):
    assert bool(requirement.parse(text).contradiction) is contradicts


# --- verdicts ---


@pytest.mark.parametrize(
    ("text", "status"),
    [("RR >= 0.5", "passed"), ("RR > 0.5", "failed"), ("RR <= 0.5", "passed"), ("RR < 0.5", "failed"),
     ("RR >= 0.51", "failed"), ("RR <= 0.49", "failed")],
)  # fmt: skip
def test_an_absolute_requirement_is_about_the_mean(text, status):
    (verdict,) = judged(text, scores([0.2, 0.8, NAN], measure="RR"))
    assert (verdict.status, verdict.value, verdict.defined, verdict.queries) == (status, 0.5, 2, 3)


def test_rounding_is_no_failure():
    assert judged("RR >= 0.3", scores([0.1 * 3 - 1e-16] * 3, measure="RR"))[0].status == "passed"


def test_an_undefined_mean_fails_for_that_reason():
    (verdict,) = judged("RR >= -5", scores([NAN, NAN], measure="RR"))
    assert verdict.status == "failed"
    assert "undefined for each of the 2 queries" in verdict.reason


def test_intervals_and_power_are_those_of_scipy():
    mine, theirs = np.random.default_rng(1).random((2, 30))
    for text, differences in (
        ("nDCG@10 >= baseline - 0.01", mine - theirs),
        ("nDCG@10 < baseline * 0.9", mine - 0.9 * theirs),
    ):
        found = judged(text, mine, theirs, confidence=0.9)[0].evidence
        assert (found.low, found.high) == pytest.approx(
            tuple(stats.ttest_1samp(differences, 0).confidence_interval(0.9))
        )
        shift = found.detectable / stats.sem(differences)
        critical = stats.t.isf(0.05, 29)
        assert stats.nct.sf(critical, 29, [shift, -shift]).sum() == pytest.approx(0.8, abs=1e-6)


# differences to a baseline of 0.5 in each query, their mean, and about half the width of the 95 % interval:
NOISY = np.array([0.3, -0.3] * 10)  # 0, 0.144; a true difference of 0.2 is found with a power of 80 %
STEADY = np.array([0.003, -0.003] * 10)  # 0, 0.00144; 0.002


@pytest.mark.parametrize(
    ("operator", "shift", "noise", "status"),
    [
        (">=", -0.20, NOISY, "failed"),  # wholly below
        (">=", -0.05, NOISY, "warning"),  # below the bound, which may be chance
        (">=", 0.00, NOISY, "warning"),  # not shown either
        (">=", 0.20, NOISY, "passed"),  # shown, whatever the power
        (">=", -0.02, STEADY, "failed"),
        (">=", -0.0105, STEADY, "warning"),  # reaches across
        (">=", 0.00, STEADY, "passed"),
        ("<=", 0.20, NOISY, "failed"),
        ("<=", 0.05, NOISY, "warning"),
        ("<=", -0.20, NOISY, "passed"),
    ],
)
def test_a_relative_requirement_weighs_the_evidence(operator, shift, noise, status):
    tolerance = "- 0.01" if operator == ">=" else "+ 0.01"
    (verdict,) = judged(f"nDCG@10 {operator} baseline {tolerance}", 0.5 + shift + noise, np.full(20, 0.5))
    assert verdict.status == status
    assert verdict.evidence.difference == pytest.approx(shift)
    if status == "warning":
        drop = 0.01 + verdict.evidence.detectable
        name = "drop" if operator == ">=" else "rise"
        assert f"a {name} of {drop:.3g} or more would fail with a power of 80 %" in verdict.reason
        side = "misses" if abs(shift) > 0.01 else "meets"
        assert f"the mean {side} the bound, but the 95 % interval reaches across it" in verdict.reason
    if abs(shift) == 0.05:
        assert (
            judged(verdict.requirement.text, 0.5 + shift + noise, np.full(20, 0.5), strict=True)[0].status == "failed"
        )


def test_a_tolerance_of_0_gives_a_warning_as_any_other():
    assert judged("nDCG@10 >= baseline", 0.5 + NOISY, np.full(20, 0.5))[0].status == "warning"
    assert judged("nDCG@10 >= baseline", 0.3 + NOISY, np.full(20, 0.5))[0].status == "failed"


def test_a_run_is_not_better_than_itself():
    values = np.random.default_rng(2).random(20)
    assert judged("nDCG@10 > baseline", values, values)[0].status == "failed"
    assert judged("nDCG@10 >= baseline", values, values, strict=True)[0].status == "passed"


def test_a_share_of_the_baseline_moves_with_it():
    # 0.96 of the baseline in each query: 0.95 of it is reached, 0.97 is not
    theirs = np.linspace(0.2, 0.9, 20)
    assert judged("nDCG@10 >= baseline - 5%", 0.96 * theirs, theirs)[0].status == "passed"
    assert judged("nDCG@10 >= baseline * 0.97", 0.96 * theirs, theirs)[0].status == "failed"


def test_only_queries_that_both_have_are_compared():
    mine = scores([0.9, 0.1, NAN, 0.3], qids=["a", "b", "c", "d"])
    theirs = scores([0.2, 0.4, 0.5, 0.5], "base", qids=["b", "c", "d", "e"])
    (verdict,) = judged("nDCG@10 >= baseline - 0.1", mine, theirs)
    assert (verdict.defined, verdict.queries) == (2, 4)
    assert verdict.evidence.difference == pytest.approx((0.1 - 0.2 + 0.3 - 0.5) / 2)
    (note,) = check._list_notes([mine], [verdict.requirement], theirs, {}, Gate())
    assert str(note) == "mine has 4 queries, the baseline 4; compared over the 3 of both"


def test_a_run_that_lacks_queries_does_not_pass_in_silence():
    theirs = scores([0.1, 0.2, 0.3, 0.4], "baseline")
    (verdict,) = judged("nDCG@10 >= baseline", scores([0.5, 0.6]), theirs)
    assert verdict.status == "warning"
    assert "lacks 2 of the 4 queries of the baseline; -c" in verdict.reason
    (of_slice,) = judged("worst slice nDCG@10 >= baseline", scores([0.5, 0.6]), theirs, slices={"a": ["q000"]})
    assert "lacks" not in of_slice.reason


def test_no_common_query_fails_and_one_shows_nothing():
    (verdict,) = judged("nDCG@10 >= baseline", scores([0.1], qids=["a"]), scores([0.1], qids=["b"]))
    assert (verdict.status, verdict.defined) == ("failed", 0)
    (verdict,) = judged("nDCG@10 >= baseline - 0.1", [0.1], [0.9])
    assert verdict.status == "warning"
    assert verdict.reason == (
        "the mean misses the bound, but the 95 % interval reaches across it; only with more queries could it fail"
    )
    assert judged("nDCG@10 >= baseline", [math.inf, 1.0], [math.inf, 1.0])[0].status == "failed"


def test_a_measure_that_counts_is_compared_by_its_sum():
    (verdict,) = judged(
        "NumRet >= baseline - 1", scores([5, 7, 9, 9], measure="NumRet"), scores([6, 9, 9, 9], measure="NumRet")
    )
    assert (verdict.value, verdict.evidence.baseline, verdict.evidence.difference) == (30, 33, -3)
    assert (verdict.bound, verdict.evidence.tolerance) == (32, 1)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30), st.floats(0, 0.2))
def test_what_fails_without_strict_fails_with_it(pairs, tolerance):
    mine, theirs = np.array(pairs).T
    text = f"nDCG@10 >= baseline - {tolerance:f}"
    lenient, strict = judged(text, mine, theirs)[0], judged(text, mine, theirs, strict=True)[0]
    assert strict.status == "failed" or lenient.status != "failed"
    mirrored = judged(f"nDCG@10 <= baseline + {tolerance:f}", -mine, -theirs)[0]
    assert mirrored.status == lenient.status


# --- slices ---

SLICES = {"easy": ["q000", "q001"], "hard": ["q002", "q003"]}


def test_the_worst_slice_is_the_one_that_misses_most():
    (verdict,) = judged("worst slice nDCG@10 >= 0.5", [0.9, 0.7, 0.2, 0.4], slices=SLICES)
    assert (verdict.slice, verdict.value, verdict.status) == ("hard", pytest.approx(0.3), "failed")
    (verdict,) = judged("worst slice nDCG@10 <= 0.9", [0.9, 0.7, 0.2, 0.4], slices=SLICES)
    assert (verdict.slice, verdict.status) == ("easy", "passed")


def test_every_slice_is_judged():
    verdicts = judged("every slice nDCG@10 >= 0.5", [0.9, 0.7, 0.2, 0.4], slices=SLICES)
    assert [(verdict.slice, verdict.status) for verdict in verdicts] == [("easy", "passed"), ("hard", "failed")]


def test_a_slice_that_fails_is_worse_than_one_that_lies_lower():
    values = np.concatenate(
        [0.35 + NOISY, np.full(20, 0.45)]
    )  # on the left -0.15 by chance, on the right -0.05 for sure
    slices = {"noisy": [f"q{i:03}" for i in range(20)], "sure": [f"q{i:03}" for i in range(20, 40)]}
    (verdict,) = judged(
        "worst slice nDCG@10 >= baseline - 0.02",
        values,
        np.concatenate([np.full(20, 0.45), np.full(20, 0.5)]),
        slices=slices,
    )
    assert (verdict.slice, verdict.status) == ("sure", "failed")


def test_an_empty_slice_fails():
    (verdict,) = judged("worst slice nDCG@10 >= 0", [0.9], slices={"there": ["q000"], "not": ["q9"]})
    assert (verdict.slice, verdict.status, verdict.queries) == ("not", "failed", 0)


# --- groups ---

GROUPED = {f"q{at}": {docno: 9.0 - (3 * at + 2 * rank) % 7 for rank, docno in enumerate("abcdef")} for at in range(12)}
GROUP_OF = dict(zip("abcdef", "fmfmxx", strict=True))
GRADES = {qid: {docno: (at + 2 * rank) % 3 for rank, docno in enumerate("abcdef")} for at, qid in enumerate(GROUPED)}


def check_groups(requirement, run=GROUPED, **more):
    return fairtrec.check(requirement, run, qrels=GRADES, labels=GROUP_OF, **more).verdicts


def mean_of(measure, group):
    return (
        fairtrec.evaluate(f"{measure}(group={group})@3", GROUPED, qrels=GRADES, labels=GROUP_OF).scores[0].means.item()
    )


@pytest.mark.parametrize(("measure", "sign"), [("nDCG", ">="), ("Exposure", ">="), ("Exposure", "<=")])
def test_the_worst_group_is_the_one_that_misses_most(measure, sign):
    means = {group: mean_of(measure, group) for group in "fmx"}
    worst = (min if sign == ">=" else max)(means, key=means.get)
    (verdict,) = check_groups(f"worst group {measure}(group=each)@3 {sign} 0.4")
    assert (verdict.group, verdict.value, verdict.slice) == (worst, pytest.approx(means[worst]), None)
    every = check_groups(f"every group {measure}(group=each)@3 {sign} 0.4")
    assert {each.group: each.value for each in every} == pytest.approx(means)
    assert [each.status for each in every] == [
        "passed" if (means[each.group] >= 0.4) == (sign == ">=") else "failed" for each in every
    ]


def test_the_worst_group_is_that_of_metric_frame():
    fairlearn = pytest.importorskip("fairlearn.metrics")
    by_group = fairtrec.evaluate("nDCG(group=each)@3", GROUPED, qrels=GRADES, labels=GROUP_OF).scores[0]
    values, groups = by_group.values.ravel(), np.repeat([*"fmx"], len(GROUPED))
    frame = fairlearn.MetricFrame(
        metrics=fairlearn.mean_prediction, y_true=values, y_pred=values, sensitive_features=groups
    )
    (verdict,) = check_groups("worst group nDCG(group=each)@3 >= 0")
    assert (verdict.group, verdict.value) == (frame.by_group.idxmin(), pytest.approx(frame.group_min()))


def test_sizes_of_groups_are_judged():
    (verdict,) = check_groups("worst group |Exposure(group=each)@3| <= 0.001")
    assert verdict.status == "failed"
    assert verdict.value > 0


def test_groups_share_the_chance_of_an_error_unless_all_must_pass():
    other = {qid: {docno: -score for docno, score in ranking.items()} for qid, ranking in GROUPED.items()}
    (alone,) = check_groups("nDCG(group=f)@3 >= baseline", other, baseline=GROUPED, confidence=1 - 0.05 / 3)
    every = check_groups("every group nDCG(group=each)@3 >= baseline", other, baseline=GROUPED)
    assert every[0].evidence.low == pytest.approx(alone.evidence.low, abs=1e-9)
    (proved,) = check_groups("nDCG(group=f)@3 >= baseline", other, baseline=GROUPED, prove=True)
    every = check_groups("every group nDCG(group=each)@3 >= baseline", other, baseline=GROUPED, prove=True)
    assert every[0].evidence == proved.evidence
    found = fairtrec.check(
        "worst group nDCG(group=each)@3 >= baseline", other, qrels=GRADES, labels=GROUP_OF, baseline=GROUPED
    )
    assert [str(note) for note in found.notes if note.kind.name == "corrected groups"] == [
        "each of the 3 groups is tested with alpha 0.0167 (Bonferroni)"
    ]


def test_a_group_without_a_value_fails():
    grades = {qid: {docno: 2 if docno == "a" else 0 for docno in "abcdef"} for qid in GROUPED}
    found = fairtrec.check("worst group nDCG(group=each)@3 >= 0", GROUPED, qrels=grades, labels=GROUP_OF)
    (verdict,) = found.verdicts
    assert (verdict.group, verdict.status) == ("m", "failed")
    assert math.isnan(verdict.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("worst group nDCG@8 >= 0.5", r"write nDCG\(group=each\)@8"),
        ("worst group P(rel=2)@8 >= 0.5", r"write P\(rel=2,group=each\)@8"),
        ("every group Exposure(group=f)@8 >= 0.5", r"write Exposure\(group=each\)@8"),
        ("every group AWRF@8 >= 0.5", "AWRF@8 has no value for each group"),
        ("worst slice worst group TE@8 >= 0.5", "about slices or about groups, not about both"),
        ("best group TE@8 >= 0.5", "'worst group' or 'every group'"),
    ],
)
def test_groups_are_asked_for_as_the_language_has_it(text, says):
    with pytest.raises(UsageError, match=says):
        requirement.parse(text)


POOLED = {"labels": GROUP_OF, "pool": "even", "prove": True}


def test_pooled_values_are_judged_by_their_interval():
    scores = fairtrec.evaluate("Impact@3 DP", GROUPED, labels=GROUP_OF, pool="even").scores[0]
    value, dp = scores.totals["pooled"]
    told = fairtrec.evaluate("Impact@3", GROUPED, labels=GROUP_OF, pool="even").with_confidence(0.95)
    ends = told.scores[0].describe_total(told.scores[0].measures[0])
    middle = (ends["low"] + value) / 2
    (verdict,) = fairtrec.check(f"Impact@3 >= {middle}", GROUPED, labels=GROUP_OF, pool="even").verdicts
    assert (verdict.status, verdict.value, verdict.is_pooled) == ("passed", value, True)
    assert verdict.interval == pytest.approx((ends["low"], ends["high"]))
    (verdict,) = fairtrec.check(f"Impact@3 >= {middle}", GROUPED, **POOLED).verdicts
    assert (verdict.status, "reaches below it (--prove)" in verdict.reason) == ("failed", True)
    mark = " ?" * ends["doubtful"]
    assert facts(verdict, 4) == f"{value:.4f} [{ends['low']:.4f}, {ends['high']:.4f}]{mark}, pooled over 12 queries"
    (verdict,) = fairtrec.check("DP >= 0", GROUPED, labels=GROUP_OF, pool="even").verdicts
    assert verdict.value == dp
    (mean,) = fairtrec.check("mean DP >= 0", GROUPED, labels=GROUP_OF, pool="even").verdicts
    assert (mean.value, mean.is_pooled) == (pytest.approx(scores.means[1]), False)


def test_the_worst_rate_of_groups_is_judged():
    rates = fairtrec.evaluate("Selected@3", GROUPED, labels=GROUP_OF, pool="even").scores[0].totals["pooled"]
    (verdict,) = fairtrec.check(
        "worst group Selected(group=each)@3 >= 0.9", GROUPED, labels=GROUP_OF, pool="even"
    ).verdicts
    assert (verdict.value, verdict.status) == (min(rates), "failed")


def test_sizes_of_pooled_values_are_judged():
    (verdict,) = fairtrec.check("|Exposure(group=f)@3| <= 1", GROUPED, labels=GROUP_OF, pool="even").verdicts
    (signed,) = fairtrec.check("Exposure(group=f)@3 <= 1", GROUPED, labels=GROUP_OF, pool="even").verdicts
    assert verdict.value == abs(signed.value)
    assert 0 <= verdict.interval[0] <= verdict.value <= verdict.interval[1]


@pytest.mark.parametrize(
    ("requirement_", "options", "says"),
    [
        (
            "DP >= 0",
            {"bounds": "labels"},
            "DP >= 0: pooled DP has no bounds; leave out bounds= or pool=, or write mean DP",
        ),
        ("Impact@3 >= 0", {"bounds": "texts"}, "pooled Impact@3 has no bounds; leave out bounds="),
        (
            "Impact@3 >= baseline",
            {"bounds": "labels", "baseline": {"other": GROUPED}},
            "a difference of pooled values has no bounds; leave out bounds=",
        ),
        ("Impact@3 >= 0", {"bounds": "labels", "prove": True}, "have none; leave out bounds=, or prove="),
        ("mean Impact@3 >= 0", {}, "Impact@3 has no mean; leave out mean"),
        ("Impact@3 >= 0", {"pool": None}, "Impact@3 is over all queries"),
    ],
)
def test_what_pooled_values_have_not_is_refused(requirement_, options, says):
    with pytest.raises(UsageError, match=says):
        fairtrec.check(requirement_, GROUPED, **{"labels": GROUP_OF, "pool": "even", **options})


def test_groups_are_of_one_attribute():
    labels = fairtrec.attributes(kind=GROUP_OF, half={docno: "uv"[docno > "c"] for docno in GROUP_OF})
    with pytest.raises(UsageError, match="which groups"):
        fairtrec.check("worst group Exposure(group=each)@3 >= -1", GROUPED, labels=labels)
    named = fairtrec.check("every group Exposure(by=half,group=each)@3 >= -1", GROUPED, labels=labels)
    assert [each.group for each in named.verdicts] == ["u", "v"]


def test_groups_of_results_files(tmp_path):
    values = fairtrec.evaluate("nDCG(group=each)@3", GROUPED, qrels=GRADES, labels=GROUP_OF)
    values.write(tmp_path / "a.json", format="json", per_query=True)
    recorded = fairtrec.read_results(tmp_path / "a.json")
    asked = ["every group nDCG(group=each)@3 >= 0.4"]
    assert [(each.group, each.value) for each in fairtrec.check(asked, recorded).verdicts] == [
        (each.group, pytest.approx(each.value)) for each in check_groups(asked)
    ]
    base = fairtrec.check(
        "worst group nDCG(group=each)@3 >= baseline",
        GROUPED,
        qrels=GRADES,
        labels=GROUP_OF,
        baseline=str(tmp_path / "a.json"),
    )
    assert [(each.group, each.status) for each in base.verdicts] == [("f", "passed")]
    base.write(tmp_path / "verdicts.json")
    assert json.loads((tmp_path / "verdicts.json").read_text())["verdicts"][0]["group"] == "f"


def test_what_is_asked_for_must_be_given():
    for text, says in (("worst slice RR > 0", "slices="), ("RR > baseline", "baseline=")):
        with pytest.raises(UsageError, match=says):
            judged(text, scores([1.0], measure="RR"))
    with pytest.raises(UsageError, match=r"TE\(group='f'\)@10"):
        judged("TE@10 > 0", [1.0])
    with pytest.raises(UsageError, match=r"between 0 and 0\.9999"):
        Gate(confidence=0.0)


# --- reports ---

HOSTILE = "::error::x\n::stop-commands::y\r%0A,:<b>&\x1b[31m\x00 ##[add-mask]z`|"


@pytest.fixture
def checked():
    from fairtrec.commands.check.check import Verdicts
    from fairtrec.evaluation.answers.result import Result

    asked = [requirement.parse(text) for text in ("nDCG@10 >= 0.9", "nDCG@10 >= baseline - 0.01", "nDCG@10 < 1")]
    mine = scores(0.5 + NOISY, HOSTILE)
    verdicts = gate.judge(mine, asked, baseline=scores(np.full(20, 0.5)))
    notes = tuple(notes_of(HOSTILE))
    result = Result((mine,), Signature.read("order:score"), notes, {})
    return Verdicts(tuple(verdicts), result, Gate(), HOSTILE, notes)


def test_junit_is_what_its_readers_expect(checked):
    """The attributes and the order of elements that the schema of Jenkins' xUnit plug-in (junit-10.xsd) allows."""
    from fairtrec.commands.check.report import junit

    root = ET.fromstring(junit(checked).encode())
    inside = {"testsuites": ["testsuite"], "testsuite": ["properties", "testcase"], "properties": ["property"],
              "testcase": ["failure", "system-out"], "failure": [], "system-out": [], "property": []}  # fmt: skip
    attributes = {"testsuites": {"name", "time", "tests", "failures", "errors"},
                  "testsuite": {"name", "time", "tests", "failures", "errors"}, "testcase": {"name", "classname", "time"},
                  "failure": {"message", "type"}, "property": {"name", "value"}}  # fmt: skip
    for element in root.iter():
        assert {child.tag for child in element} <= set(inside[element.tag])
        assert set(element.attrib) == attributes.get(element.tag, set())
    assert root.get("failures") == "1"
    assert [[child.tag for child in case] for case in root.iter("testcase")] == [["failure"], ["system-out"], []]
    assert root.find("testsuite").get("name") == HOSTILE.replace("\x1b", "").replace("\x00", "")


def test_annotations_cannot_be_forged(checked):
    from fairtrec.commands.check.report import github

    lines = github(checked).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    assert lines[0].startswith("::error title=fairtrec%3A nDCG@10 >= 0.9::")
    assert "95 %25" not in lines[0]
    assert lines[1].count("%25") == 3  # of the name, of the interval, and of the power


def test_no_line_of_text_is_a_command(checked):
    from fairtrec.commands.check import VERDICTS

    text, md, whole = (VERDICTS(form, checked) for form in ("text", "md", "json"))
    for written in (text, md):
        assert not re.search(r"^\s*::|##\[|[\x00-\x09\x0b-\x1f]", written, re.MULTILINE)
    *lines, signature = md.splitlines()
    assert "<b>" not in "\n".join(lines).replace(r"\<", "")
    fence = re.match("`+", signature)[0]  # code, in which nothing is a sign
    assert signature.endswith(fence)
    assert all(len(run) < len(fence) for run in re.findall("`+", signature[len(fence) : -len(fence)]))
    assert "##[" not in whole
    assert json.loads(whole)["baseline"] == HOSTILE


# --- the command ---


@pytest.fixture
def folder(tmp_path, example, monkeypatch):
    """A repository as docs/ci.md has it: the example, fair.run in the place of the new run."""
    for name in ("qrels.txt", "collection.tsv", "background.run"):
        shutil.copy(example / name, tmp_path)
    (tmp_path / "runs").mkdir()
    shutil.copy(example / "bm25.run", tmp_path / "runs" / "main.run")
    shutil.copy(example / "fair.run", tmp_path / "runs" / "new.run")
    (tmp_path / "pyproject.toml").write_text(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1], "utf-8")
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spoil(run):
    """Turn every ranking of a run around."""
    lines = [line.split() for line in run.read_text().splitlines()]
    run.write_text("".join(f"{qid} Q0 {docno} 0 {-float(score)} spoilt\n" for qid, _, docno, _, score, _ in lines))


def test_options_come_from_pyproject(folder, fairtrec_command):
    ended = fairtrec_command("check", "qrels.txt", "runs/new.run", "-f", "json")
    found = json.loads(ended.out)
    assert (ended.code, found["passed"], found["baseline"]) == (0, True, "runs/main.run")
    assert [verdict["requirement"] for verdict in found["verdicts"]] == [
        "NFaiRR@10 >= 0.5",
        "nDCG@10 >= baseline - 0.01",
    ]
    assert "options from pyproject.toml" in [note["text"] for note in found["notes"]]
    ended = fairtrec_command("check", "qrels.txt", "runs/new.run", "-f", "json", "--require", "NFaiRR@10 >= 0.9")
    assert ended.code == 1
    assert len(json.loads(ended.out)["verdicts"]) == 1


def test_paths_of_a_file_are_relative_to_it(folder, fairtrec_command, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    arguments = [folder / "qrels.txt", folder / "runs" / "new.run", "--config", folder / "pyproject.toml"]
    assert fairtrec_command("check", *arguments).code == 0
    (folder / "collection.tsv").rename("collection.tsv")
    ended = fairtrec_command("check", *arguments)
    assert ended.code == 3
    assert "docs names collection.tsv, which is not there; write its path relative to this file" in ended.err


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[tool.fairtrec.check]\nrequires = []", "there is no option requires; did you mean require?"),
        ("[tool.fairtrec.check]\nrequire = [1]", "require must be text"),
        ("[tool.fairtrec.check]\nstrict = 1", "strict must be true or false"),
        ("[tool.fairtrec.check]\ndepth = 0", "depth is 0; it must be 1 or more"),
        ("[tool.fairtrec.check]\nplaces = 1e308", "my.toml:2: places is 1e+308; write a whole number, like places = 4"),
        ("[tool.fairtrec.check]\nconfidence = true", "confidence must be text or a number"),
        ("[tool.fairtrec.check]\nconfidence = 2", "my.toml:2: the confidence is 2.0; it lies between 0 and 0.9999"),
        ("[tool.fairtrec.check]\nrequire = ['RR >']", "my.toml:2: cannot read the requirement 'RR >' at its end"),
        ("[tool.fairtrec.check]\nmeasure = 'Nope'", "my.toml:2: there is no measure Nope"),
        ("[tool.fairtrec.check]\nconfidence = []", "confidence must be text or a number"),
        ("[tool.fairtrec.check]\ndepth = 1.5", "my.toml:2: depth is 1.5; write a whole number, like depth = 10"),
        ('[tool.fairtrec.check]\nplaces = "x"', "my.toml:2: places: 'x' is not a valid integer range; correct it"),
        (
            '[tool.fairtrec.check]\ntokenizer = "no"',
            "my.toml:2: tokenizer: 'no' is not one of 'strip', 'space', 'word'",
        ),
        ('[tool.fairtrec.check]\nbaseline = ""', "baseline is empty; set a value"),
        ('[tool.fairtrec.check]\n"a\\nb" = 1', "there is no option a\\nb;"),
        ("[tool.fairtrec]\ncheck = 3", "must be a table"),
        ("[tool", "not TOML"),
        ("a = '\udcff'", "not TOML"),
        ("[tool.other]", "there is no [tool.fairtrec.check]"),
        ("#" * (1 << 20) + "#", "more than 1 MiB"),
    ],
)
def test_a_broken_file_is_refused(folder, fairtrec_command, toml, says):
    (folder / "my.toml").write_bytes(toml.encode("utf-8", "surrogateescape"))
    ended = fairtrec_command("check", "qrels.txt", "runs/new.run", "--config", "my.toml")
    assert (ended.code, len(ended.complaints)) == (3, 1)
    assert re.match(r"my\.toml:(2:)? ", ended.err)
    assert says in ended.err


def test_what_is_wrong_in_a_file_is_not_where_it_is_overruled_or_does_not_fit(folder, fairtrec_command):
    (folder / "my.toml").write_text("[tool.fairtrec.check]\nrequire = ['RR > 0.1']\nconfidence = 2\n")
    line = ["check", "qrels.txt", "runs/new.run", "--config", "my.toml", "--junit", "report.xml"]
    broken = fairtrec_command(*line)
    assert (broken.code, broken.err.partition(": ")[0]) == (3, "my.toml:3")
    assert "my.toml:3: the confidence is 2.0" in (folder / "report.xml").read_text()
    assert fairtrec_command(*line, "--confidence", "0.9").code == 0
    assert fairtrec_command(*line, "--confidence", "2").code == 2
    (folder / "my.toml").write_text("[tool.fairtrec.check]\nrequire = ['worst slice RR > 0.1']\n")
    assert fairtrec_command(*line).code == 2  # which slices? a matter of the command line, too


OUTSIDE = {
    "above": ("../escaped.xml", "outside its folder"),
    "absolute": ("{0}/escaped.xml", "outside its folder"),
    "through a link": ("link/escaped.xml", "outside its folder"),
    "a link": ("dangling", "outside its folder"),
    "hidden": (".git/hooks/pre-commit", "to a hidden place"),
}


@pytest.mark.parametrize(("place", "where"), OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("key", ["junit", "output"])
def test_a_file_that_nobody_named_writes_below_its_folder_only(
    folder, fairtrec_command, monkeypatch, tmp_path_factory, key, place, where
):
    beyond = tmp_path_factory.mktemp("beyond")
    (folder / "work" / ".git" / "hooks").mkdir(parents=True)
    (folder / "work" / "link").symlink_to(beyond)
    (folder / "work" / "dangling").symlink_to(beyond / "escaped.xml")
    monkeypatch.chdir(folder / "work")
    table = f"[tool.fairtrec.check]\nrequire = 'nDCG@10 >= 0.1'\n{key} = '{place.format(beyond)}'\n"
    Path("pyproject.toml").write_text(table)
    before = sorted(folder.rglob("*"))
    line = ["check", "../qrels.txt", "../runs/new.run"]
    for more in ([], ["no-such.run"]):
        ended = fairtrec_command(*line, *more)
        what = f"pyproject.toml:3: {key} would write {where}, and nothing asked for this file"
        assert (ended.code, ended.complaints) == (3, [f"{what}; add --config pyproject.toml to allow it"])
    assert (sorted(folder.rglob("*")), [*beyond.iterdir()]) == (before, [])
    assert fairtrec_command(*line, f"--{key}", "mine").code == 0
    assert fairtrec_command(*line, "--config", "pyproject.toml").code == 0
    assert Path(place.format(beyond)).is_file()


def test_a_file_that_nobody_named_may_write_below_its_folder(folder, fairtrec_command):
    (folder / "reports").mkdir()
    table = "[tool.fairtrec.check]\nrequire = 'nDCG@10 >= 0.1'\njunit = 'reports/a.xml'\noutput = 'b.txt'\n"
    (folder / "pyproject.toml").write_text(table)
    assert fairtrec_command("check", "qrels.txt", "runs/new.run").code == 0
    assert "options from pyproject.toml" in (folder / "reports" / "a.xml").read_text()
    assert "options from pyproject.toml" in (folder / "b.txt").read_text()


OWNED = ["neural.run", "pyproject.toml.bak", "qrels.old", "notes.md", "results.json", "empty/"]


@pytest.mark.parametrize("name", OWNED)
@pytest.mark.parametrize("key", ["junit", "output"])
def test_a_file_that_nobody_named_replaces_only_what_fairtrec_check_wrote(folder, fairtrec_command, key, name):
    texts = {"notes.md": "### fairtrec check: my notes\n\n# fairtrec:0.1.0 | order:score\n"}
    if name == "results.json":
        assert fairtrec_command("eval", "qrels.txt", "runs/new.run", "-m", "RR", "-f", "json", "-o", name).code == 0
    elif name.endswith("/"):
        (folder / name).mkdir()
        os.mkfifo(folder / name / "pipe")
        name = f"{name}pipe"
    else:
        (folder / name).write_text(texts.get(name, (folder / "runs" / "new.run").read_text()))
    before = None if name.endswith("pipe") else (folder / name).read_bytes()
    (folder / "pyproject.toml").write_text(f"[tool.fairtrec.check]\nrequire = 'nDCG@10 >= 0.1'\n{key} = '{name}'\n")
    for more in ([], ["no-such.run"]):
        ended = fairtrec_command("check", "qrels.txt", "runs/new.run", *more)
        what = f"{key} in pyproject.toml would replace {name}, which fairtrec check did not write"
        assert ended.complaints == [f"{what}; move that file, or add --{key} {name} to allow it"]
        assert ended.code == 2
    if before is not None:
        assert (folder / name).read_bytes() == before
        assert fairtrec_command("check", "qrels.txt", "runs/new.run", f"--{key}", name).code == 0
        assert (folder / name).read_bytes() != before


@pytest.mark.parametrize("bound", ["0.1", "2"])
@pytest.mark.parametrize("form", ["text", "md", "json", "github", "junit", "fault"])
def test_a_file_that_nobody_named_replaces_what_fairtrec_check_wrote(folder, fairtrec_command, form, bound):
    key = "junit" if form in ("junit", "fault") else "output"
    more = ["-f", form] if key == "output" else []
    table = f"[tool.fairtrec.check]\nrequire = 'nDCG@10 >= {bound}'\n{key} = 'report'\n"
    (folder / "pyproject.toml").write_text(table)
    runs = ["no-such.run"] if form == "fault" else ["runs/new.run"]
    first = fairtrec_command("check", "qrels.txt", *runs, *more)
    assert first.code == (3 if form == "fault" else int(bound == "2"))
    assert (folder / "report").is_file()
    assert fairtrec_command("check", "qrels.txt", *runs, *more).code == first.code


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        (["-o", "pyproject.toml"], "the output pyproject.toml is also read"),
        (["--junit", "pyproject.toml"], "the output pyproject.toml is also read"),
        (["-o", "report", "--junit", "runs/../report"], "--output and --junit would both write report;"),
    ],
)
def test_nothing_is_written_over(folder, fairtrec_command, outputs, says):
    before = (folder / "pyproject.toml").read_text()
    ended = fairtrec_command("check", "qrels.txt", "runs/new.run", *outputs)
    assert ended.code == 2
    assert says in ended.err
    assert (folder / "pyproject.toml").read_text() == before


@pytest.mark.parametrize("confidence", [1 - 1e-17, 0.99999, math.nan, 0.0, 1.0])
def test_a_confidence_that_no_data_could_meet_is_refused(confidence):
    with pytest.raises(UsageError, match=r"it lies between 0 and 0\.9999"):
        Gate(confidence)


def test_a_confidence_of_nearly_one_is_taken():
    (verdict,) = judged("nDCG@10 >= baseline - 0.1", [0.1, 0.4], [0.3, 0.2], confidence=0.9999)
    assert "the 99.99 % interval reaches across" in verdict.reason


@pytest.mark.parametrize("huge", [math.inf, 1e308])
def test_a_baseline_that_cannot_be_computed_with_fails(huge):
    [verdict] = judged("nDCG@10 >= baseline - 0.1", [0.1, 0.4], [huge, 0.2])
    assert (verdict.status, verdict.reason) == ("failed", "a value is infinite, so the difference has no mean")


def test_values_that_differ_by_rounding_are_written_alike():
    [verdict] = judged("nDCG@10 >= baseline", [0.1, 0.2, 0.3], [0.3, 0.2, 0.1])
    assert verdict.value != verdict.bound
    assert facts(verdict, 4).startswith("0.2000, baseline 0.2000, bound 0.2000, difference +0.0000")


def test_a_pyproject_without_the_table_is_passed_over(folder, fairtrec_command):
    (folder / "pyproject.toml").write_text("[tool.other]\n")
    ended = fairtrec_command("check", "qrels.txt", "runs/new.run")
    assert (ended.code, ended.complaints) == (
        2, ["no requirement; add --require 'nDCG@10 >= 0.5', or require = [...] in a TOML file"],
    )  # fmt: skip


def test_github_is_told_where_it_runs_this(folder, fairtrec_command, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    for _ in range(2):
        ended = fairtrec_command("check", "qrels.txt", "runs/new.run", "--require", "NFaiRR@10 > 0.9", "-f", "json")
        assert (ended.code, json.loads(ended.out)["passed"]) == (1, False)
        assert (
            "::error file=runs/new.run,title=fairtrec%3A NFaiRR@10 > 0.9::new: 0.7371 [0.6187, 0.8554], 12 queries; the mean is below 0.9\n"
            in ended.err
        )
    assert (folder / "summary.md").read_text("utf-8").count("### fairtrec check: 1 FAILED") == 2


def test_the_python_function_agrees_with_eval(folder, fairtrec_command):
    given = ["--terms", "gender-en", "--docs", "collection.tsv", "-m", "ARaB@10"]
    mean = json.loads(fairtrec_command("eval", "qrels.txt", "runs/new.run", *given, "-f", "json").out)
    found = json.loads(
        fairtrec_command("check", "qrels.txt", "runs/new.run", "--require", "ARaB@10 < 9", "-f", "json").out
    )
    assert found["verdicts"][0]["value"] == mean["runs"][0]["means"]["ARaB@10"]["value"]
    assert found["verdicts"][0]["measure"] == str(ARaB())


# --- docs/ci.md ---


def steps(which):
    """The shell steps of a CI recipe, without the installation."""
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    actions, gitlab, hooks = blocks
    if which == "GitHub Actions":
        (ours,) = [step for step in actions["jobs"]["check"]["steps"] if step["uses"].startswith("fairtrec/")]
        action = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
        assert set(ours["with"]) <= set(action["inputs"])
        *_, install, run = [step["run"] for step in action["runs"]["steps"] if "run" in step]
        given = {"ARGUMENTS": ours["with"]["arguments"], "COMMAND": "check", "GITHUB_ACTION_PATH": str(REPOSITORY)}
        exported = " ".join(f"{name}={shlex.quote(value)}" for name, value in given.items())
        found = [install.removeprefix("python -m "), f"export {exported}", run]
    elif which == "GitLab":
        found = gitlab["fairness"]["script"]
    else:
        (asked,) = hooks["repos"][0]["hooks"]
        (hook,) = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
        names = "runs/new.run", "runs/main.run", "qrels.txt"
        changed = [name for name in names if re.search(asked["files"], name) and not re.search(asked["exclude"], name)]
        assert (hook["id"], changed) == (asked["id"], ["runs/new.run"])
        return [" ".join([hook["entry"], *asked["args"], *changed])]
    assert found[0].startswith("pip install ")
    return found[1:]


def test_the_hook_takes_runs_of_every_compression_that_is_read():
    (hook,) = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert all(re.search(hook["files"], f"runs/new.run{ending}") for ending in ("", *ENDINGS))
    assert not [name for name in ("runs/new.run.txt", "qrels.txt", "run.gz") if re.search(hook["files"], name)]
    assert steps("pre-commit") == ["fairtrec check qrels.txt runs/new.run"]


def shell(commands, folder):
    """Run commands as a CI runner does: in a shell that stops at the first that fails."""
    bin_folder = str(Path(sys.executable).parent)
    script = f"set -e\nPATH={bin_folder}:$PATH\n" + "\n".join(commands)
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8"
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "which", ["GitHub Actions", pytest.param("GitLab", marks=pytest.mark.slow), pytest.param("pre-commit", marks=pytest.mark.slow)]
)  # fmt: skip
def test_recipes_pass_and_fail(which, folder):
    ended = shell(steps(which), folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    spoil(folder / "runs" / "new.run")
    ended = shell(steps(which), folder)
    assert ended.returncode == 1
    assert "FAILED   new  nDCG@10 >= baseline - 0.01" in ended.stdout
    if which == "pre-commit":  # which writes no file
        return
    assert ET.parse(folder / "fairness.xml").getroot().get("failures") == "1"


def test_the_other_commands_of_the_page_do_as_it_says(folder, fairtrec_command):
    blocks = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    printed = re.search(r"<!-- output -->\n```\n(.*?)```", PAGE, re.DOTALL)[1]
    (folder / "pyproject.toml").rename(folder / "kept.toml")
    commands = [pages.shell_commands(f"```sh\n{block}```\n") for block in blocks[:2]]
    ((shown,), (write, check, replay)) = ([shlex.split(line)[1:] for line in lines] for lines in commands)
    assert fairtrec_command(*shown).out.startswith(printed)
    (folder / "kept.toml").rename(folder / "pyproject.toml")
    written, checked, replayed = (fairtrec_command(*words) for words in (write, check, replay))
    assert [each.code for each in (written, checked, replayed)] == [0, 0, 0]
    assert [written.err, checked.err, replayed.err] == [
        "",
        "",
        "# the same query by query, and in notes and all other numbers: nDCG@10, NFaiRR@10\n",
    ]
    assert "baseline baseline.json" in checked.out


# --- from Python ---


def test_the_gate_says_the_same_of_runs_of_their_result_and_of_its_file(example, tmp_path, monkeypatch):
    import fairtrec
    from fairtrec import check
    from fairtrec.report.writers import RESULTS

    monkeypatch.chdir(example)
    asked = ["nDCG@10 >= baseline - 0.1", "RR >= 0.5", "worst slice RR >= 0.9"]
    parts = {"even": [f"{qid}" for qid in range(2, 200, 2)], "odd": [f"{qid}" for qid in range(1, 200, 2)]}
    of_runs = check(asked, ["neural.run"], qrels="qrels.txt", baseline="bm25.run", slices=parts)
    both = fairtrec.evaluate("nDCG@10 RR", ["neural.run", "bm25.run"], qrels="qrels.txt")
    of_result = check(asked, both, baseline="bm25", slices=parts)
    (tmp_path / "r.json").write_text(RESULTS("json", both, per_query=True))
    of_file = check(asked, fairtrec.read_results(tmp_path / "r.json"), baseline=1, slices=parts)
    assert of_runs.verdicts == of_result.verdicts == of_file.verdicts
    assert [verdict.run for verdict in of_runs.verdicts] == ["neural.run"] * 3
    assert of_file.result.digests == both.digests
    alone = fairtrec.evaluate("nDCG@10", "bm25.run", qrels="qrels.txt")
    (tmp_path / "b.json").write_text(RESULTS("json", alone, per_query=True))
    against = check(asked, ["neural.run"], qrels="qrels.txt", baseline=tmp_path / "b.json", slices=parts)
    assert against.verdicts == of_runs.verdicts
    with pytest.raises(UsageError, match="these values are there already"):
        check(asked, both, qrels="qrels.txt")
    with pytest.raises(UsageError, match="no requirement"):
        check([], both)


def test_measures_beside_the_requirements_are_taken_as_evaluate_takes_them(example, monkeypatch):
    monkeypatch.chdir(example)
    for beside in ("P@5", measures("P@5")[0], ["P@5"], iter(["P@5"])):
        checked = fairtrec.check("RR >= 0.5", "bm25.run", qrels="qrels.txt", measures=beside)
        assert [str(measure) for measure in checked.result.scores[0].measures] == ["P@5", "RR"]
    with pytest.raises(UsageError, match="these values are there already; leave out what they would be evaluated from"):
        fairtrec.check("RR >= 0.5", checked.result, measures="P@5")


def test_no_file_of_options_for_one_call(copied, fairtrec_command):
    Path("pyproject.toml").write_text("[tool.fairtrec.check]\nrequire = ['RR > 2']\n")
    given = ("check", "qrels.txt", "bm25.run", "--require", "RR > 0")
    assert fairtrec_command("check", "qrels.txt", "bm25.run").code == 1
    done = fairtrec_command(*given, "--config", os.devnull)
    assert (done.code, "options from" in done.out) == (0, False)
    assert fairtrec_command("check", "qrels.txt", "bm25.run", "--config", os.devnull).code == 2

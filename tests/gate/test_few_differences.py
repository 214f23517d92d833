"""A gate warns of few differences where they could decide, and CI is told which file and how long."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.answers.scores import Scores
from fairtrec.gate import requirement
from fairtrec.gate.judging import judge
from fairtrec.gate.requirement import Gate
from fairtrec.report.verdicts import github, junit


def verdict(differences, interval="t"):
    """The verdict on a run that differs by so much from its baseline, query by query."""
    (asked,) = [requirement.parse("nDCG@10 >= baseline - 0.05")]
    qids = tuple(f"q{i:02}" for i in range(len(differences)))
    base = np.full((1, len(qids)), 0.5)
    both = [
        Scores(name, name, (asked.measure,), qids, values)
        for name, values in (("run", base + differences), ("base", base))
    ]
    (found,) = judge(both[0], [asked], baseline=both[1], gate=Gate(interval=interval))
    return found


def test_a_gain_that_every_resample_keeps_is_no_warning():
    gain = np.append(np.linspace(0.3, 0.5, 9), np.zeros(11))
    assert (verdict(gain).status, verdict(gain).reason) == ("passed", "")


def test_a_few_differences_that_resamples_do_not_keep_are_a_warning():
    loss = np.append(np.full(3, -0.3), np.zeros(37))  # by t at least -0.0478; of resamples, 1 in 40 has 7 of them
    found = verdict(loss)
    assert found.status == "warning"


@pytest.mark.parametrize(("interval", "method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_the_interval_is_of_the_method_that_is_asked_for(interval, method):
    """By scipy, from the same resamples."""
    differences = np.random.default_rng(4).normal(0.02, 0.1, 40)
    drawn = stats.bootstrap(
        ((0.5 + differences) - 0.5,), np.mean, n_resamples=10_000, method=method, rng=np.random.default_rng(0)
    )
    found = verdict(differences, interval)
    assert (found.evidence.low, found.evidence.high) == pytest.approx(tuple(drawn.confidence_interval), abs=1e-9)
    assert verdict(differences).evidence.low != pytest.approx(found.evidence.low, abs=1e-4)


def test_a_bootstrap_that_two_differences_pass_is_a_warning_too():
    """No resample is below 0, and by t the interval begins at 0.15 - 2.2 * 0.1 = -0.07."""
    few = np.append(np.full(2, 0.9), np.zeros(10))
    assert verdict(few, "percentile").status == "warning"
    assert verdict(few, "percentile").reason == "only 2 differences are not 0, so the interval may be too narrow"


def test_what_no_interval_is_had_of_shows_nothing():
    """One value apart has no acceleration, so that BCa has no ends."""
    found = verdict(np.array([0.0, 0.0]), "bca")
    assert (found.evidence.low, found.evidence.high) == (0, 0)
    assert verdict(np.array([0.1]), "bca").status == "warning"


def test_junit_has_times_and_annotations_name_the_file(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1 t\n")
    checked = fairtrec.check("nDCG@10 >= 0.5", str(tmp_path / "a.run"), {"q1": {"d2": 1, "d1": 0}})
    times = [each.get("time") for each in ET.fromstring(junit(checked, seconds=1.5)).iter() if each.tag != "testcase"]
    assert times[:2] == ["1.5", "1.5"]
    assert github(checked).startswith(f"::error file={tmp_path}/a.run,")

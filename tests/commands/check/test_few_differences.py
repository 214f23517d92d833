"""A gate warns of few differences where they could decide, and CI is told which file and how long."""

import hashlib
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.commands.check import requirement
from fairtrec.commands.check.judgment import judge
from fairtrec.commands.check.report import facts, github, junit
from fairtrec.commands.check.requirement import Gate
from fairtrec.evaluation.answers.scores import Scores


def verdict(differences, interval="t", asked="nDCG@10 >= baseline - 0.05", **gate):
    """The verdict on a run that differs by so much from its baseline, query by query."""
    asked = requirement.parse(asked)
    qids = tuple(f"q{i:02}" for i in range(len(differences)))
    base = np.full((1, len(qids)), 0.5)
    both = [
        Scores(name, name, (asked.measure,), qids, values)
        for name, values in (("run", base + differences), ("base", base))
    ]
    (found,) = judge(both[0], [asked], baseline=both[1], gate=Gate(interval=interval, **gate))
    return found


@pytest.mark.parametrize("asked", ["nDCG@10 >= baseline - 0.05", "nDCG@10 >= baseline - 10%"])
@pytest.mark.parametrize("few", [1, 2, 9])
def test_what_rests_on_few_differences_is_a_warning(few, asked):
    gain = np.append(np.linspace(0.3, 0.5, few), np.zeros(30 - few))
    found = verdict(gain, asked=asked)
    verb = "differs" if few == 1 else "differ"
    reason = f"only {few} of 30 differences {verb} from the most frequent one (?: fewer than 10 of them)"
    assert (found.status, found.reason, found.evidence.deciding) == ("warning", reason, few)
    assert found.doubtful
    assert "] ?, 30 queries" in facts(found, 4)
    proved = verdict(gain, asked=asked, prove=True)
    assert (proved.status, proved.reason) == ("warning", reason)


@pytest.mark.parametrize("asked", ["nDCG@10 >= baseline - 0.05", "nDCG@10 >= baseline - 10%"])
@pytest.mark.parametrize("many", [0, 10, 29])
def test_what_rests_on_many_or_on_no_difference_is_none(many, asked):
    gain = np.append(np.linspace(0.3, 0.5, many), np.zeros(30 - many))
    found = verdict(gain, asked=asked)
    assert (found.status, found.reason, found.doubtful) == ("passed", "", False)
    assert "?" not in facts(found, 4)


def test_a_few_differences_that_resamples_do_not_keep_are_a_warning():
    loss = np.append(np.full(3, -0.3), np.zeros(37))  # by t at least -0.0478; of resamples, 1 in 40 has 7 of them
    found = verdict(loss)
    assert found.status == "warning"


def test_the_same_gain_in_all_queries_proves_nothing():
    found = verdict(np.full(30, 0.01), asked="nDCG@10 >= baseline", prove=True)
    assert (found.status, found.doubtful) == ("warning", True)


@pytest.mark.parametrize(("prove", "status"), [(False, "passed"), (True, "warning")])
def test_a_mean_that_few_values_decide_is_marked_and_not_proved(prove, status):
    values = np.append(np.linspace(0.7, 0.9, 8), np.ones(32))[None]
    scores = Scores("run", "run", (requirement.parse("nDCG@10 >= 0.5").measure,), tuple(map(str, range(40))), values)
    (found,) = judge(scores, [requirement.parse("nDCG@10 >= 0.5")], gate=Gate(prove=prove))
    assert (found.status, found.doubtful) == (status, True)
    assert "] ?, 40 queries" in facts(found, 4)


@pytest.mark.parametrize(
    ("asked", "values", "ends"),
    [
        ("nDCG@10 >= 0.5", [1.0, 1.0, 0.9], (None, 1.0)),
        ("|ARaB@10| <= 0.2", [0.0, 0.0, 0.1], (0.0, None)),
        ("|Exposure(group='f')@10| <= 0.2", [0.0, 0.0, 0.1], (0.0, None)),
    ],
)
def test_an_interval_ends_where_values_do(asked, values, ends):
    asked = requirement.parse(asked)
    scores = Scores("run", "run", (asked.measure,), ("1", "2", "3"), np.array([values]))
    (found,) = judge(scores, [asked])
    assert all(end is None or end == cut for cut, end in zip(found.interval, ends, strict=True))


def signature_of(folder, baseline, text):
    """The signature of a gate whose baseline holds this."""
    (folder / "mine.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    (folder / baseline).write_text(text)
    asked = {"runs": str(folder / "mine.run"), "qrels": {"q1": {"d1": 1}}}
    return fairtrec.check("RR >= baseline", **asked, baseline=str(folder / baseline)).signature


def test_the_signature_names_the_baseline(tmp_path):
    one, other = "q1 Q0 d1 1 2 t\n", "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n"
    told = signature_of(tmp_path, "base.run", one)["baseline"]
    assert told == f"base.run@{hashlib.sha256(one.encode()).hexdigest()[:8]}"
    assert signature_of(tmp_path, "base.run", other)["baseline"] != told
    values = []
    for text in (one, other):
        (tmp_path / "base.run").write_text(text)
        result = fairtrec.evaluate("RR", str(tmp_path / "base.run"), qrels={"q1": {"d1": 1}})
        result.write(tmp_path / "base.json", per_query=True)
        values.append(signature_of(tmp_path, "base.json", (tmp_path / "base.json").read_text())["baseline"])
    assert values[0].startswith("base.json@")
    assert values[0] != values[1]
    assert "baseline" not in fairtrec.check("RR >= 0.5", {"q1": {"d1": 1.0}}, qrels={"q1": {"d1": 1}}).signature


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
    assert (
        verdict(few, "percentile").reason
        == "only 2 of 12 differences differ from the most frequent one (?: fewer than 10 of them)"
    )


def test_what_no_interval_is_had_of_shows_nothing():
    """One value apart has no acceleration, so that BCa has no ends."""
    found = verdict(np.array([0.0, 0.0]), "bca")
    assert (found.evidence.low, found.evidence.high) == (0, 0)
    assert verdict(np.array([0.1]), "bca").status == "warning"


def test_junit_has_times_and_annotations_name_the_file(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1 t\n")
    checked = fairtrec.check("nDCG@10 >= 0.5", str(tmp_path / "a.run"), qrels={"q1": {"d2": 1, "d1": 0}})
    times = [each.get("time") for each in ET.fromstring(junit(checked, seconds=1.5)).iter() if each.tag != "testcase"]
    assert times[:2] == ["1.5", "1.5"]
    assert github(checked).startswith(f"::error file={tmp_path}/a.run,")

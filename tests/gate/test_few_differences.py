"""A gate warns of few differences where they could decide, and CI is told which file and how long."""

from xml.etree import ElementTree as ET

import numpy as np

import fairtrec
from fairtrec.evaluation.scores import Scores
from fairtrec.gate import requirement
from fairtrec.gate.judging import judge
from fairtrec.report.junit import junit
from fairtrec.report.verdicts import github


def verdict(differences):
    """The verdict on a run that differs by so much from its baseline, query by query."""
    (asked,) = [requirement.parse("nDCG@10 >= baseline - 0.05")]
    qids = tuple(f"q{i:02}" for i in range(len(differences)))
    base = np.full((1, len(qids)), 0.5)
    both = [
        Scores(name, name, (asked.measure,), qids, values)
        for name, values in (("run", base + differences), ("base", base))
    ]
    (found,) = judge(both[0], [asked], baseline=both[1])
    return found


def test_a_gain_that_every_resample_keeps_is_no_warning():
    gain = np.append(np.linspace(0.3, 0.5, 9), np.zeros(11))
    assert (verdict(gain).status, verdict(gain).reason) == ("passed", "")


def test_a_few_differences_that_resamples_do_not_keep_are_a_warning():
    loss = np.append(np.full(3, -0.3), np.zeros(37))  # by t at least -0.0478; of resamples, 1 in 40 has 7 of them
    found = verdict(loss)
    assert found.status == "warning"


def test_junit_has_times_and_annotations_name_the_file(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1 t\n")
    checked = fairtrec.check("nDCG@10 >= 0.5", str(tmp_path / "a.run"), {"q1": {"d2": 1, "d1": 0}})
    times = [each.get("time") for each in ET.fromstring(junit(checked, seconds=1.5)).iter() if each.tag != "testcase"]
    assert times[:2] == ["1.5", "1.5"]
    assert github(checked).startswith(f"::error file={tmp_path}/a.run,")

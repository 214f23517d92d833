"""The part of ``fairtrec report`` that varies settings."""

import json

import pytest

from fairtrec.cli.performing import NO_FAIRNESS
from fairtrec.lab.ablate.study import NO_ORDER, list_parts
from fairtrec_made.command_trials import SHELL


@pytest.mark.long
def test_a_study_varies_what_the_measure_and_the_inputs_allow(copied, fairtrec_command):
    runs = ["bm25.run", "neural.run", "fair.run"]
    asked = ["report", "qrels.txt", *runs, *SHELL, "-m", "nDCG@10 NFaiRR@10", "-o", "study"]
    assert fairtrec_command(*asked).code == 0
    part = json.loads((copied / "study" / "report.json").read_text("utf-8"))["parts"]["ablate"]
    words = " ".join(part["arguments"])
    assert "-m NFaiRR@10 --vary tau=0,1,2 --vary cutoff=5,10,20 --vary tokenizer=strip,space,word" in words
    answer = json.loads(fairtrec_command(*part["arguments"]).out)
    assert answer.pop("arguments") == part["arguments"]
    assert answer == part["answer"]
    page = (copied / "study" / "report.html").read_text("utf-8")
    assert "no variant flips a pair of runs" in page
    assert "Does the order of the runs survive other settings?" in page
    done = fairtrec_command("results", "replay", "study/report.json")
    assert (done.code, done.out) == (0, "")


def test_without_runs_or_fairness_it_is_left_out():
    assert [each.why for each in list_parts(None, {}, is_several=False)] == [NO_ORDER]
    assert [each.why for each in list_parts(None, {}, is_several=True)] == [NO_FAIRNESS]

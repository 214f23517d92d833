"""Labels, targets and lists of terms that fit the runs, or do not: a value, or one line of what is wrong."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts
from fairtrec_made.few import TEXTS, value

pytestmark = pytest.mark.usefixtures("few_files")


def test_a_target_for_each_query_is_that_of_the_query():
    of_file = value("AWRF@2", labels="labels.tsv", target="targets.tsv")
    of_all = value("AWRF@2", labels="labels.tsv", target="f=0.25,m=0.75")
    assert of_file.values[0, 0] == of_all.values[0, 0]
    assert math.isnan(of_file.values[0, 1])  # no target was given for q2
    result = fairtrec.evaluate("AWRF@2", "run", labels="labels.tsv", target="targets.tsv")
    assert [file.name for part, file in result.files.items() if part.of == "target"] == ["targets.tsv"]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"target": "nobody.tsv"}, "the targets have none of its queries"),
        ({"target": "f=0.5,f=0.5,m=0.5"}, "the target f=0.5,f=0.5,m=0.5 has a group twice"),
        ({"target": 3}, "target= is 3; it must be a word, or shares"),
        ({"labels": "qrels"}, "labels=qrels needs relevance judgments; pass a qrels file"),
        ({"labels": "labels.tsv*other-labels.tsv"}, "per query and per document cannot be crossed"),
    ],
)
def test_targets_and_labels_that_do_not_fit(options, what):
    with pytest.raises((UsageError, InputError), match=re.escape(what)):
        value("AWRF@2", **{"labels": "labels.tsv", **options})


def test_counts_are_of_documents_not_of_queries():
    with pytest.raises(UsageError, match="measures of counts need the same labels for all queries"):
        value("ARaB@2", labels="per-query.tsv")


def test_labels_that_tau_takes_for_nothing_are_told():
    labels, notes = {"d1": "f", "d2": "m", "d3": ["f", "m"], "d4": "-"}, []
    for measures in ("FaiRR@2 FaiRR(tau=2)@2 RaB@2", "FaiRR(tau=0)@2 RaB@2"):
        result = fairtrec.evaluate(measures, {"q": {"d1": 2.0, "d2": 1.0}}, labels=labels)
        notes.append([each for each in texts(result.notes) if "neutral" in each])
    why = "of a group count as neutral, because a label is one group term and tau="
    assert notes[0] == [
        f"FaiRR@2: 2 labeled documents {why}1; use tau=0",
        f"FaiRR(tau=2)@2: 3 labeled documents {why}2; use tau=0",
    ]
    assert notes[1] == []


def test_labels_that_know_few_queries_are_asked_about():
    lines = [f"q{i} Q0 d{i} 1 1 t\n" for i in range(20)]
    Path("many").write_text("".join(lines))
    Path("few.tsv").write_text("d1\tf\nd2\tm\n")
    (remark,) = value("AWRF@2", "many", labels="few.tsv").notes
    assert str(remark) == (
        "of 20 documents in the measured ranks, 2 have a label; 18 of 20 queries have no document with a label; check the labels"
    )


def test_a_term_of_two_groups_is_told():
    result = fairtrec.evaluate("TExFAIR@2", "run", **TEXTS)
    assert "terms in several groups count for each: they" in texts(result.notes)


def test_a_grade_from_which_documents_count_reaches_measures_that_have_one():
    judged = {"qrels": "qrels", "labels": "labels.tsv"}
    one = value("FAIR(gain=ap,rel=2)@2", **judged).values
    other = value("FAIR(gain=ap)@2", relevance_level=2, **judged).values
    np.testing.assert_array_equal(one, other)
    assert math.isnan(one[0, 0])  # no document of q1 has the grade 2
    assert not math.isnan(value("FAIR(gain=ap)@2", **judged).values[0, 0])


def test_numbers_of_measures():
    (whole,) = fairtrec.evaluate("GFR(p=1)@2", "run", qrels="qrels", labels="labels.tsv").scores[0].measures
    assert str(whole) == "GFR(p=1.0)@2"
    with pytest.raises(UsageError, match=r"the parameter tau is 99999999999; it must be at most 2,147,483,647"):
        value("NFaiRR(tau=99999999999)@10", **TEXTS)


def test_a_signature_is_a_mapping():
    signature = fairtrec.evaluate("RR", "run", qrels="qrels").signature
    assert isinstance(signature, Signature)
    assert len(signature) == len(list(signature)) == 3

"""Measures for which a document is relevant or not say from which grade on, where that was left open."""

import pytest

import fairtrec
from fairtrec_made import texts

RUN = {"q": {"a": 2.0, "b": 1.0}}
GRADED, BINARY = {"q": {"a": 3, "b": 1}}, {"q": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    ("measures", "qrels", "level", "said"),
    [
        (
            "RR@10 nDCG@10 P@1 AP",
            GRADED,
            None,
            "RR@10, P@1, AP: grades 1 to 3 count as relevant; -l 2 leaves out grade 1",
        ),
        ("SetP", GRADED, None, "SetP: grades 1 to 3 count as relevant"),
        ("nDCG@10", GRADED, None, ""),
        ("RR@10", BINARY, None, ""),
        ("RR@10", GRADED, 2, ""),
        ("RR(rel=1)@10", GRADED, None, ""),
        ("RR(rel=2)@10", GRADED, None, ""),
    ],
)
def test_grade_one_counts_and_that_is_said_where_no_level_was_given(measures, qrels, level, said):
    notes = " ".join(texts(fairtrec.evaluate(measures, RUN, qrels=qrels, relevance_level=level).notes))
    assert said in notes
    assert bool(said) == ("grade 1" in notes)

"""The number of groups against sets, and against successes that trec_eval counts."""

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.measures.groups import Groups

A, B, NO, UNKNOWN = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]


def value(ranked, cutoff=10):
    return Groups(cutoff=cutoff)(np.array([ranked]).reshape(1, len(ranked), 2)).item()


def test_written_out():
    assert value([A, A, B]) == 2
    assert value([A, A, B], 2) == 1
    assert value([[0.1, 0.9]]) == 2
    assert value([UNKNOWN, NO, B]) == 1
    assert value([UNKNOWN, NO]) == 0
    assert value([]) == 0


@given(st.lists(st.sets(st.sampled_from("abcd")), max_size=12), st.integers(1, 13))
def test_it_is_the_size_of_a_union(ranked, cutoff):
    rows = [[float(group in names) for group in "abcd"] for names in ranked]
    found = Groups(cutoff=cutoff)(np.array(rows).reshape(1, len(rows), 4)).item()
    assert found == len(set().union(*ranked[:cutoff]))


@pytest.mark.parametrize("cutoff", [1, 2, 4, 5])
def test_it_is_the_sum_of_the_successes_of_each_group(cutoff):
    """A group is there if trec_eval finds a relevant document where those of the group alone are relevant."""
    topics = {"d1": "1", "d2": "1", "d3": "2", "d4": "3", "d5": "2"}
    ranking = {docno: 9.0 - at for at, docno in enumerate(topics)}
    qrels = [ir_measures.Qrel("q", docno, 1, topic) for docno, topic in topics.items()]
    run, success = [ir_measures.ScoredDoc("q", *each) for each in ranking.items()], ir_measures.Success @ cutoff
    of_each = [[each for each in qrels if each.iteration == topic] for topic in "123"]
    found = fairtrec.evaluate([f"Groups@{cutoff}"], {"run": {"q": ranking}}, qrels=qrels, labels="qrels").means["run"]
    right = sum(ir_measures.calc_aggregate([success], few, run)[success] for few in of_each)
    assert found[f"Groups@{cutoff}"] == right

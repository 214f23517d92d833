"""Reranked runs are frames and files, which are evaluated as they are."""

import pytest

import fairtrec
from fairtrec.support.errors import UsageError
from fairtrec_made.command_trials import MAJORITY


def test_runs_in_a_new_order_are_a_frame_that_is_evaluated_as_they_are(copied, tmp_path):
    reranked = fairtrec.rerank("DetCons@10", "neural.run", **MAJORITY)
    reranked.write(tmp_path / "new.run")
    frame = reranked.to_frame().rename(columns={"qid": "query_id", "docno": "doc_id"})
    of_frame, of_file = (fairtrec.evaluate("NDKL@10", run, **MAJORITY).means for run in (frame, tmp_path / "new.run"))
    assert [*of_frame.values()] == [*of_file.values()]
    assert reranked.flat().keys() == {"DetCons_at_10_queries", "DetCons_at_10_documents", "DetCons_at_10_other_order"}
    both_ways = fairtrec.rerank("DetCons@10 DetCons@5", "neural.run", **MAJORITY)
    with pytest.raises(UsageError, match="these are 2 runs, and a file holds one"):
        both_ways.write(tmp_path / "two.run")


def test_samples_of_rankings_are_told_apart_in_a_frame(copied):
    reranked = fairtrec.rerank("Random", "neural.run", rankings=2)
    assert {*reranked.to_frame()["sample"]} == {1, 2}

"""Python is told which keyword or attribute to give, the command line which option."""

import pandas as pd
import pytest

import fairtrec
from fairtrec.support.errors import InputError, UsageError


def test_python_is_asked_for_keywords():
    with pytest.raises(UsageError, match=r"add terms=LIST with docs=COLLECTION, or counts=FILE"):
        fairtrec.evaluate("NFaiRR@10", {"r": {"q": {"d": 1.0}}})


def test_an_object_that_holds_a_frame_is_told_which():
    class TrecRun:
        run_data = pd.DataFrame({"query": ["q"], "docid": ["d"], "score": [1.0]})

    with pytest.raises(InputError, match=r"the run has a frame inside; pass its \.run_data"):
        fairtrec.evaluate("nDCG@10", TrecRun(), qrels={"q": {"d": 1}})
    assert fairtrec.evaluate("nDCG@10", TrecRun.run_data, qrels={"q": {"d": 1}}).scores[0].means == 1


def test_a_dataset_without_judgments_is_told_what_lacks():
    class Dataset:
        def docs_iter(self):
            return iter(())

    with pytest.raises(InputError, match="this dataset has no qrels; pass its id as a text, or your own qrels"):
        fairtrec.evaluate("nDCG@10", {"q": {"d": 1.0}}, qrels=Dataset())

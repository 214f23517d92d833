"""Rerankers by one of several attributes."""

import pytest

import fairtrec
from fairtrec.support.errors import UsageError

BM25 = "bm25.run"


@pytest.fixture
def length(copied):
    """Labels of the number of words of each passage, in bins that begin at 40 and 50."""
    lines = (line.partition("\t") for line in (copied / "collection.tsv").read_text().splitlines())
    (copied / "length.tsv").write_text("".join(f"{docno}\t{len(text.split())}\n" for docno, _, text in lines))
    return "length.tsv:40,50"


@pytest.fixture
def both(length):
    return fairtrec.attributes(gender="labels.tsv", length=length)


def test_reranked_by_one_attribute_as_if_it_were_alone(both, length):
    several = (("DetCons(by=length)@10", both), ("DetCons@10", length), ("FairGreedy(by=gender)@10", both))
    orders = [fairtrec.rerank(by, BM25, labels=labels).runs[0].rankings for by, labels in several]
    assert orders[0] == orders[1] != orders[2]
    with pytest.raises(UsageError, match=r"DetCons takes one attribute: DetCons\(by='gender'\)@10"):
        fairtrec.rerank("DetCons@10", BM25, labels=both)

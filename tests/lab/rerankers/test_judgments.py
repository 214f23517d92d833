"""No reranker sees what a system could not have seen unless it is asked for, and what saw it says so."""

from dataclasses import dataclass

import pandas as pd
import pytest

import fairtrec
from fairtrec.lab.rerank import catalogue
from fairtrec.lab.rerank.inputs import JUDGED
from fairtrec.reranker import MISSING, Order, Reranker
from fairtrec.rerankers import BUILT_IN
from fairtrec.support.errors import UsageError

RUN = {f"q{query}": {f"d{(5 * query + 7 * rank) % 20:02}": 20.0 - rank for rank in range(20)} for query in range(6)}
LABELS = {f"d{number:02}": "fm"[number % 3 % 2] for number in range(20)}
QRELS = {qid: {f"d{(3 * at + 2 * n) % 20:02}": 1 + n % 2 for n in range(8)} for at, qid in enumerate(RUN)}
BOUNDS = ("Oracle", "Optimal", "Worst")
SUBTOPICS = pd.DataFrame(
    [(qid, str(1 + at % 2), docno, grade) for qid, of in QRELS.items() for at, (docno, grade) in enumerate(of.items())],
    columns=["query_id", "iteration", "doc_id", "relevance"],
)
ASKED = ("FairGreedy(gain=qrels)", "AlphaIdeal(gain=qrels)", "FOE(utility=grade)", *BOUNDS)


def spelled(name):
    return f"{name}(protected='f')" if "protected" in catalogue.find(name).__dataclass_fields__ else name


def reranked(by, qrels, **given):
    given = {"labels": LABELS, **given}
    return fairtrec.rerank(by, {"r": RUN}, qrels=qrels, missing="neutral", background=RUN, **given)


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in BOUNDS])
def test_a_qrels_file_changes_no_order_unasked(name):
    with_them, without = reranked(spelled(name), QRELS), reranked(spelled(name), None)
    assert with_them.runs[0].rankings == without.runs[0].rankings
    assert JUDGED not in with_them.runs[0].notes
    assert with_them.runs[0].after.tag == f"r-{name}"
    assert {**with_them.signature, "qrels": ""} == {**without.signature, "qrels": ""}  # whose queries are evaluated


@pytest.mark.parametrize("by", ASKED)
def test_what_uses_judgments_says_so_in_remark_signature_and_tag(by):
    made = reranked(by, QRELS)
    (one,) = made.runs
    assert str(one.notes[0]) == "upper bound: uses the qrels"
    assert made.signature["judgments"] == f"used by {one.by}"
    assert one.after.tag == f"r-{one.by.name}-judgments"
    with pytest.raises(UsageError, match=r"needs (relevance )?judgments"):
        reranked(by, None)


@pytest.mark.parametrize("given", [{"target": "qrels"}, {"labels": "qrels"}], ids=str)
def test_targets_and_groups_that_are_judged_are_judgments(given):
    made = reranked("DetCons@10 Random", SUBTOPICS, **given)
    assert [each.after.tag for each in made.runs] == ["r-DetCons-judgments", "r-Random"]
    assert made.signature["judgments"] == "used by DetCons@10"
    assert [JUDGED.note() in each.notes for each in made.runs] == [True, False]


@pytest.mark.parametrize("gain", ["FairGreedy(gain=qrels,eps=0)@5", "AlphaIdeal(gain=qrels)@5"])
def test_gains_by_name_bring_relevant_documents_up(gain):
    mean = {
        by: float(fairtrec.evaluate("nDCG@5", {"r": reranked(by, QRELS).runs[0].after}, qrels=QRELS).scores[0].means[0])
        for by in (gain, gain.replace("gain=qrels,", "").replace("(gain=qrels)", ""))
    }
    assert mean[gain] > max(value for by, value in mean.items() if by != gain)


@dataclass(frozen=True)
class Wishful(Reranker):
    """Would a plug-in be given judgments that it only wishes for?"""

    def __call__(self, lengths, relevance=None):
        """Refuse to be given them."""
        assert relevance is None
        return Order(lengths[:, None] * 0 + MISSING)


def test_a_plug_in_that_wishes_for_judgments_is_not_given_them():
    assert JUDGED.note() not in reranked(Wishful(), QRELS).runs[0].notes

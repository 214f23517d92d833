"""Attributes that are crossed: their target, and measures that need no list of their groups."""

import math
import random

import pytest

import fairtrec
from fairtrec.evaluation.inputs import several_attributes
from fairtrec.formulas import crossed_groups
from fairtrec.support.errors import UsageError

MEASURES = "AWRF({by})@4 AWRF({by},unknown=group)@9 AWRFxnDCG({by})@5 EED({by})@5 EER({by})@5 EEL({by})@5"
RELEVANT = "EEL({by},documents=relevant,discount=log2_clipped)@5 EER({by},discount=err)@3"


@pytest.fixture(scope="module")
def collection():
    """Documents of three attributes, some of them unknown, and rankings."""
    draw = random.Random(5)
    docnos = [f"d{number}" for number in range(40)]
    labels = {
        "a": {docno: draw.sample(["x", "y", "z"], draw.choice([1, 1, 2])) for docno in docnos[:30]},
        "b": {docno: {"p": 0.25, "q": 0.75} if draw.random() < 0.3 else draw.choice("pq") for docno in docnos[5:]},
        "c": {docno: draw.choice("mn") for docno in docnos},
    }
    qrels = {
        f"q{number}": {docno: draw.choice([0, 1, 1, 2]) for docno in draw.sample(docnos, 15)} for number in range(5)
    }
    qrels["q4"] = dict.fromkeys(qrels["q4"], 0)
    lines = [
        f"q{query} {sample} {docno} {rank} {50 - rank} me\n"
        for query in range(5)
        for sample in range(1, 4)
        for rank, docno in enumerate(draw.sample(docnos, draw.choice([3, 9])))
    ]
    return fairtrec.attributes(**labels), qrels, "".join(lines)


def evaluated(collection, tmp_path, *, samples, **given):
    labels, qrels, lines = collection
    path = tmp_path / "run"
    path.write_text("".join(line for line in lines.splitlines(True) if samples or line.split()[1] == "1"))
    measures = f"{MEASURES} {RELEVANT}".format(by="by=a*b*c")
    if samples:
        measures = " ".join(each for each in measures.split() if "unknown" not in each)
    return fairtrec.evaluate(measures.split(), str(path), qrels=qrels, labels=labels, samples=samples, **given).scores[
        0
    ]


@pytest.mark.parametrize(
    ("given", "samples"),
    [
        (
            {"missing": "group", "target": {"a": "0.5*qrels+0.5*even", "b": "0.5*qrels+0.5*p=0.9,q=0.1", "c": "qrels"}},
            False,
        ),
        ({"missing": "group", "target": "0.25*ideal+0.75*even"}, True),
        ({"missing": "group", "target": "even"}, False),
        ({"target": "qrels"}, True),
        ({"target": {"a": "even", "b": "p=0.2,q=0.8", "c": "even"}}, True),
        ({"missing": "even", "target": {"": "0.5*qrels+0.5*relevance"}}, False),
    ],
)
def test_groups_that_are_not_listed_give_the_values_of_those_that_are(
    collection, tmp_path, monkeypatch, given, samples
):
    listed = evaluated(collection, tmp_path, samples=samples, **given)
    monkeypatch.setattr(several_attributes, "LISTED", 1)
    monkeypatch.setattr(crossed_groups, "LISTED", 1)
    vast = evaluated(collection, tmp_path, samples=samples, **given)
    for one, other in zip(listed.values, vast.values, strict=True):
        assert one.tolist() == pytest.approx(other.tolist(), nan_ok=True, rel=1e-12, abs=1e-12)
    assert list(map(str, listed.notes))[-1:] == list(map(str, vast.notes))[-1:]


def test_given_shares_multiply_and_documents_are_taken_crossed():
    """Two documents are relevant: one of x and p, one of y that is in no group of the other attribute."""
    labels = fairtrec.attributes(a={"d1": "x", "d2": "y", "d3": "x"}, b={"d1": "p", "d3": "q"})
    given = {"labels": labels, "missing": "group", "target": "0.5*qrels+0.5*even"}
    run, qrels = {"q": {"d1": 2.0}}, {"q": {"d1": 1, "d2": 1}}
    found = fairtrec.evaluate("KL(by=a*b)@1", run, qrels=qrels, **given).means["run"]
    # q(x*p) = 1/2, all of what is known in both; so 1/2 1/2 + 1/2 1/2 (1/2 1/2)
    assert [*found.values()] == pytest.approx([-math.log(1 / 4 + 1 / 16)])


@pytest.mark.parametrize(
    "target",
    [
        {"a": "0.5*qrels+0.5*even", "b": "0.4*qrels+0.6*even"},
        {"a": "0.5*qrels+0.5*even", "b": "0.5*ideal+0.5*even"},
        {"a": "qrels", "b": "relevance"},
    ],
)
def test_targets_that_mix_in_other_ways_are_not_crossed(collection, tmp_path, target):
    with pytest.raises(
        UsageError, match="the targets mix different documents or factors; use the same mixture for each attribute"
    ):
        evaluated(collection, tmp_path, samples=False, target={**target, "c": "qrels"})


def test_measures_that_need_all_groups_are_refused_where_these_are_too_many(collection, monkeypatch):
    labels, qrels, _ = collection
    monkeypatch.setattr(several_attributes, "LISTED", 1)
    monkeypatch.setattr(crossed_groups, "LISTED", 1)
    run = {"q1": {"d9": 1.0}}
    with pytest.raises(UsageError, match=r"KL\(by='a\*b'\)@2: a\*b has 6 groups, and 1 is the most"):
        fairtrec.evaluate("KL(by=a*b)@2", run, qrels=qrels, labels=labels)
    for given in ({"bounds": "labels"}, {"target": "collection"}):
        with pytest.raises(UsageError, match="has more groups than are listed"):
            fairtrec.evaluate("AWRF(by=a*b)@2", run, qrels=qrels, labels=labels, **given)

"""A default that depends on the data is in the signature: change the data so that it changes, and its field changes.

What is asked for stays the same. Each default of Choices that is None, settled by what is read, has a case here.
"""

from dataclasses import fields
from pathlib import Path

import pytest

import fairtrec
from fairtrec.evaluation.inputs.options import Choices

RUN = {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}, "2": {"d": 3.0, "b": 2.0, "a": 1.0}}
OTHER = {"1": {"d": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}, "2": {"a": 3.0, "b": 2.0, "d": 1.0}}
QRELS = {"1": {"a": 1, "b": 0}, "2": {"d": 1}}
LABELS = {"a": "f", "b": "m", "c": "f", "d": "m"}
TEXTS = {"a": "she-wolf he", "b": "he", "c": "she", "d": "it"}


def evaluated(measures, **given):
    result = fairtrec.evaluate(measures, RUN, **{"qrels": QRELS} | given)
    return result.signature, result.means["run"]


def greatest_grade(grade):
    return evaluated("GFR@4", qrels={"1": {"a": 1, "b": 0}, "2": {"d": 1, "x": grade}}, labels=LABELS)


def groups(of_d):
    return evaluated("AWRF@4", labels={**LABELS, "d": of_d})


def membership(given):
    """Labels are taken as they are; what groups a document with words of several belongs to is a choice."""
    words = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS}
    return evaluated("AWRF@4", missing="skip", **({"labels": LABELS} if given == "labels" else words))


def counts(texts, terms="she,f\nhe,m\n", **how):
    Path("docs.tsv").write_text("".join(f"{docno}\t{text}\n" for docno, text in texts.items()))
    Path("terms.csv").write_text(terms)
    Path("counts.arrow").unlink(missing_ok=True)
    fairtrec.make_counts("docs.tsv", "terms.csv", "counts.arrow", jobs=1, **how)
    return evaluated("TExFAIR@4", counts="counts.arrow")


def tokenizer(named):
    return counts({**TEXTS, "d": "he!"}, tokenizer=named)


def case(sensitive):
    return counts({docno: text.title() for docno, text in TEXTS.items()}, "she,f\nHe,m\n", case_sensitive=sensitive)


def baseline(first):
    runs = {name: RUN if name == "a" else OTHER for name in (first, "ab".replace(first, ""))}
    found = fairtrec.compare(fairtrec.evaluate("nDCG@4", runs, qrels=QRELS))
    return found.signature, [row.difference for row in found.rows]


# the field; the default as it is of one data and of other; what settles it; the choice whose default it is
CASES = {
    "max-grade": ("1", "2", greatest_grade, (1, 2), None),
    "members": ("f 2, m 2", "f 2, m 1, x 1", groups, ("m", "x"), None),
    "membership": ("", "share", membership, ("labels", "words"), "membership"),
    "tokenizer": ("strip", "space", tokenizer, ("strip", "space"), "tokenizer"),
    "case": ("", "sensitive", case, (False, True), "case_sensitive"),
    "baseline": ("a", "b", baseline, ("a", "b"), None),
}
NONE_AT_ALL = {
    "depth",
    "only",
    "groups",
    "bounds",
    "pool",
    "collection_size",
    "columns",
}  # not given, nothing is cut, kept, chosen or added
OF_MEASURES = {"relevance_level"}  # 1, or what a measure says of itself, in its name


@pytest.mark.parametrize("name", CASES)
def test_the_default_is_in_the_signature(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    *told, settle, data, _ = CASES[name]
    (first, one), (second, other) = map(settle, data)
    assert [dict(each).get(name, "").partition("@")[0] for each in (first, second)] == told
    assert one != other


def test_each_choice_that_data_settle_has_a_case():
    open_ones = {each.name for each in fields(Choices) if each.default is None}
    assert open_ones == NONE_AT_ALL | OF_MEASURES | {choice for *_, choice in CASES.values() if choice}


def test_the_depth_of_the_background_is_told_where_nobody_chose_it():
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS, "background": RUN}
    one, other = evaluated("NFaiRR@2", **given), evaluated("NFaiRR@2", **given, background_depth=1)
    assert [found["background"].partition("/")[2] for found, _ in (one, other)] == ["200", "1"]
    assert one[1] != other[1]

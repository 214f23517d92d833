"""No note counts a document as known that only ``--missing`` says something of."""

import pytest

import fairtrec
from fairtrec_made import texts

TERMS = {"f": ["she"], "m": ["he"]}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 2.0, "d": 1.0}}
UNKNOWN = "1 of 5 documents in the measured ranks have no text or counts and"


@pytest.mark.parametrize(
    ("missing", "taken"),
    [
        ("neutral", "count as having no group words (missing=neutral)"),
        ("skip", "are left out (missing=skip)"),
    ],
)
def test_of_words_only_those_without_texts_are_counted(missing, taken):
    docs = {"a": "she and he", "b": "she", "c": "they"}  # d has no text
    found = texts(fairtrec.evaluate("TExFAIR@3", RUN, terms=TERMS, docs=docs, missing=missing).notes)
    assert f"{UNKNOWN} {taken}" in found
    assert not [text for text in found if "known groups" in text or "a label" in text]


@pytest.mark.parametrize("missing", ["error", "neutral", "worst", "skip", "group", "even"])
def test_of_labels_those_that_are_filled_in_have_none(missing):
    labels = {"a": "f", "b": "m", "c": "-"}  # known: c is of none; nobody has said what d is
    (note,) = [
        str(note)
        for note in fairtrec.evaluate("AWRF@3", RUN, labels=labels, missing=missing).notes
        if note.kind.name == "known groups"
    ]
    assert note.startswith("of 5 documents in the measured ranks, 4 have a label")

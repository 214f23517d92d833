"""--missing worst: the worst of what a ranking could be, against an ideal that gets no easier by what nobody knows."""

import pytest

import fairtrec

TEXTS = {"d1": "she he", "d2": "she she", "d3": "a tree"}
RUN = {"q": {"d1": 2.0, "ranked": 1.0}}
BACKGROUND = {"q": {"d1": 3.0, "d2": 2.0, "beside": 1.0}}


def value(measure, missing, run=RUN):
    (scores,) = fairtrec.evaluate(
        measure, run, terms={"f": ["she"], "m": ["he"]}, docs=TEXTS, background=BACKGROUND, missing=missing
    ).scores
    return scores.values.item()


def test_unknown_documents_of_the_background_are_neutral():
    assert value("IFaiRR@1", "worst") == value("IFaiRR@1", "neutral") == 1
    only = {"q": {"d2": 1.0}}  # one-sided, where the background has d1, as neutral as can be
    assert value("NFaiRR@1", "worst", only) == value("NFaiRR@1", "neutral", only) == 0


def test_the_worst_is_the_least_end_of_the_bounds():
    (scores,) = fairtrec.evaluate(
        "NFaiRR@2 NFaiRR@1", RUN, terms={"f": ["she"], "m": ["he"]}, docs=TEXTS, background=BACKGROUND,
        bounds="texts",
    ).scores  # fmt: skip
    assert [value(f"NFaiRR@{k}", "worst") for k in (2, 1)] == pytest.approx(
        scores.columns["unknown"].least[:, 0].tolist()
    )


def test_what_nobody_knows_betters_no_run():
    """A ranking of unknown documents alone has 0, though its background is as unknown."""
    run = {"q": {"x": 2.0, "y": 1.0}}
    (scores,) = fairtrec.evaluate(
        "NFaiRR@2", run, terms={"f": ["she"], "m": ["he"]}, docs=TEXTS, background=run, missing="worst"
    ).scores
    assert scores.values.item() == 0

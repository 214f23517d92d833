"""Every measure has its page, spells itself so that it can be read again, and says truly what an empty ranking is worth."""

import inspect
import re
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.measures import pages
from fairtrec.data.parameters import DEEPEST
from fairtrec.measure import Better, Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import docstrings, notation, other_names, registry
from fairtrec.measures.utility import Utility

OURS = {name: registry.find(name) for name in BUILT_IN}


@pytest.mark.parametrize("kind", [*OURS.values(), Utility], ids=lambda kind: kind.__name__)
def test_every_page_has_its_parts(kind):
    page = inspect.getdoc(kind)
    assert "\n\n" in page  # the question, then more
    for part in docstrings.PARTS:
        assert f" {part}: " in " ".join(page.split()), f"{kind.__name__} says nothing of {part}"
        assert docstrings.part(kind, part)
    assert "http" in page
    assert len(docstrings.part(kind, "Undefined")) < 300, "a part runs into the next"


@pytest.mark.parametrize(("name", "kind"), OURS.items(), ids=list(OURS))
def test_the_class_is_what_the_user_types(name, kind):
    assert kind.__name__ == name
    assert issubclass(kind, Measure)
    assert str(kind()).startswith(name)
    assert kind().better in get_args(Better)
    assert kind().better in docstrings.part(kind, "Better")
    assert pages.page(name).startswith(str(kind()))
    assert f"\n{name} " in pages.overview()


def values_of(name, hint):
    """Draw what a parameter of this name and type may be."""
    if name == "cutoff":
        return st.integers(1, DEEPEST)
    options = get_args(hint)
    if get_origin(hint) is Literal:
        return st.sampled_from(options)
    if options:
        return st.one_of(*(values_of(name, option) for option in options))
    return {
        int: st.integers(0, 10**9),
        bool: st.booleans(),
        float: st.floats(0, 1, exclude_min=True, exclude_max=True),
        str: st.text(max_size=8),
        type(None): st.none(),
    }[hint]


@st.composite
def measures(draw):
    kind = OURS[draw(st.sampled_from(list(OURS)))]
    hints = get_type_hints(kind)
    fields = [*notation.parameters(kind)]
    try:
        return kind(**{name: draw(values_of(name, hints[name])) for name in fields})
    except fairtrec.support.errors.UsageError:
        return kind()


@given(st.lists(measures(), min_size=1, max_size=3))
def test_what_a_measure_spells_is_that_measure(several):
    for separator in (" ", ",", ", "):
        assert registry.parse(separator.join(map(str, several))) == several


@pytest.mark.parametrize(
    "spelled",
    [
        "nDCG@10", "AP(rel=2)", "RR@10", "SetF(beta=0.5)", "IPrec@0.1", "nDCG(dcg='exp-log2')@5", "P(judged_only=True)@3",
        "nDCG(gains={0:1,3:10})@5", "NumRet", "NumRet(rel=1)", "SetP(relative=True)", "Compat(p=0.9)",
    ],
)  # fmt: skip
def test_so_is_one_of_ir_measures(spelled):
    (measure,) = registry.parse(spelled)
    assert str(measure) == spelled
    assert registry.parse(str(measure)) == [measure]


RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


def test_of_an_empty_ranking_the_set_is_worth_what_it_is():
    # the set {d1, d3}: omega of d1 is 1 - 2 (2/3 - 1/2) = 2/3, of d3 1
    ideal, expectation = 1 + 2 / 3 / np.log2(3), 5 / 6 * (1 + 1 / np.log2(3))
    result = fairtrec.evaluate(
        "IFaiRR SetFaiRR NSetFaiRR",
        RUN,
        qrels={"q1": {"d1": 1, "d2": 1}, "empty": {"d1": 1, "d2": 2}},
        terms={"f": ["she", "her"], "m": ["he", "him"]},
        docs={"d1": "she her him", "d2": "he", "d3": "a word"},
        queries=["q1", "empty"],
        background={"q1": RUN["q1"], "empty": {"d1": 2.0, "d3": 1.0}},
        complete=True,
    )
    (scores,) = result.scores
    values = scores.values[:, scores.qids.index("empty")]
    assert values == pytest.approx([ideal, expectation, expectation / ideal])


def test_an_empty_ranking_is_worth_what_ir_measures_gives_it():
    result = fairtrec.evaluate(
        "nDCG@10 RR@10 AP NumRet Judged@10", RUN, qrels={"q1": {"d1": 1}, "q2": {"d1": 1}}, complete=True
    )
    assert {values["q2"] for values in result.per_query["run"].values()} == {0.0}


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("demographic_parity_ratio", "Impact(min_share=0)"),
        ("statistical_parity_difference", "Selected(group=each)"),
        ("metricframe", "Selected"),
        ("disparate_impact", "Impact@k"),
        ("Four-Fifths", "Impact@k"),
        ("four_fifths", "Impact@k"),
    ],
)
def test_a_name_of_another_program_gets_an_answer(name, measure):
    assert pages.page(name).startswith(f"{name}: use `{measure}`")
    with pytest.raises(
        fairtrec.UsageError, match=f"there is no measure {name.partition('-')[0]}.*; use `{re.escape(measure)}`"
    ):
        registry.parse(name)


def test_an_answer_to_a_name_of_another_program_names_measures_that_there_are():
    for name, answer in other_names.OTHER_NAMES.items():
        assert name not in registry.names()
        assert {*re.findall(r"`(\w+)[`(]", answer)} <= {*BUILT_IN}

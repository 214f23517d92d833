"""Sentences beside numbers are true of these numbers, whatever they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.report.cells import write_shortfall
from fairtrec.report.result_notes import COMMON, PUBLISHED, UNRELIABLE
from fairtrec_made import EXAMPLE, REPOSITORY
from fairtrec_made.measures import Higher

# ------------------------------------------------------------------------------------------------- reliability


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 4), st.sampled_from([COMMON, PUBLISHED]))
def test_a_number_that_does_not_reach_a_wanted_one_is_not_written_as_if_it_did(value, places, wanted):
    written = write_shortfall(value, places, [wanted])
    assert (float(written) < wanted) == (value < wanted)
    assert float(written) == pytest.approx(value, abs=10.0**-places)


def test_a_note_on_an_order_shows_what_its_reliability_lacks():
    note = UNRELIABLE.note(measure="RR", reliability=0.7962, queries=47, needed="231")
    assert (
        str(note)
        == "unreliable order: RR has reliability .796 over 47 queries, .95 takes 231; see fairtrec reliability"
    )


def noisy(runs, queries, seed=1):
    """A result of runs that differ by chance only."""
    values = np.random.default_rng(seed).random((runs, queries))
    qids = tuple(f"q{at}" for at in range(queries))
    scores = [Scores(f"r{at}.run", "t", (Higher(),), qids, row[None]) for at, row in enumerate(values)]
    return Result(tuple(scores), Signature({"fairtrec": "1"}), (), {})


@pytest.mark.parametrize(("runs", "queries", "said"), [(10, 30, True), (4, 30, False), (10, 9, False)])
def test_a_star_comes_with_the_verdict_that_the_order_is_not_reliable(runs, queries, said):
    text = str(noisy(runs, queries))
    assert "*" in text
    assert ("unreliable order: Higher@10 has reliability" in text) is said


# ---------------------------------------------------------------------------------------- no mark where there are none


def strange_run(name, unknown):
    return {name: {"q": {f"{'x' if rank < unknown else 'd'}{rank}": 9.0 - rank for rank in range(4)}}}


@pytest.mark.parametrize("runs", [1, 2])
def test_no_rank_and_no_mark_are_missed_only_where_there_are_some(runs, tmp_path):
    texts = {f"d{rank}": "she" if rank % 2 else "he" for rank in range(4)}
    several = strange_run("many", 3) | (strange_run("few", 0) if runs > 1 else {})
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": texts, "missing": "neutral"}
    result = fairtrec.evaluate("AWRF@4", several, **given)
    why = "as more than a tenth of the documents are unknown"
    result.write(tmp_path / "sorted.md", sort="AWRF@4")
    plain, ranked = str(result), (tmp_path / "sorted.md").read_text()
    assert (f"no mark, {why}" in plain) is (runs > 1)
    assert (f"no rank and no mark, {why}" in ranked) is (runs > 1)
    assert "more than a tenth of the documents are unknown" in plain
    if runs > 1:
        compared = str(fairtrec.compare(result))
        assert "no mark" not in compared
        assert "more than a tenth of the documents are unknown" in compared


# -------------------------------------------------------------------------------- intervals end where values do


def test_an_interval_of_any_attribute_ends_where_its_values_do():
    """A group with the target 1/2 has at most 1/2 more than that, and at most 1/2 less; one of 1/4 at least -1/4."""
    run = {f"q{at}": {docno: 2.0 - rank for rank, docno in enumerate(order)} for at, order in enumerate(("ab", "ba"))}
    labels = fairtrec.attributes(first={"a": "f", "b": "m"}, second={"a": "x", "b": "y"})
    asked = ["Exposure(by='first')@1", "Exposure(by='second')@1"]
    target = {"second": {"x": 0.25, "y": 0.75}}
    scores = fairtrec.evaluate(asked, run, labels=labels, target=target).with_confidence(0.99).scores[0]
    (ends,) = scores.intervals
    assert dict(zip(map(str, scores.measures), ends.tolist(), strict=True)) == {
        "Exposure(by='first',group='f')@1": [-0.5, 0.5],
        "Exposure(by='first',group='m')@1": [-0.5, 0.5],
        "Exposure(by='second',group='x')@1": [-0.25, 0.75],
        "Exposure(by='second',group='y')@1": [-0.75, 0.25],
    }


def test_a_pooled_interval_ends_where_the_values_of_queries_do():
    run = {f"q{at}": {docno: 2.0 - rank for rank, docno in enumerate(order)} for at, order in enumerate(("ab", "ba"))}
    result = fairtrec.evaluate(
        "Exposure@1", run, labels={"a": "f", "b": "m"}, pool="even", target={"f": 0.25, "m": 0.75}
    )
    found = result.with_confidence(0.99).scores[0]
    ends = {str(measure): (each.low, each.high) for measure, each in found.settle("pooled").items()}
    assert ends
    for measure, (low, high) in ends.items():
        own = 0.25 if "'f'" in measure else 0.75
        assert -own <= low <= high <= 1 - own


# ------------------------------------------------------------------------------------------------------- chance


def test_a_value_below_that_of_a_random_order_is_noted():
    """AWRF@2 of f f m over all six orders, by hand: f m and m f have 1, f f has 1 - 0.31128; the run shows f f."""
    run, labels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"a": "f", "b": "f", "c": "m"}
    result = fairtrec.evaluate("AWRF@2", run, labels=labels, bounds="orders")
    expected = (4 * 1 + 2 * (1 - 0.311278)) / 6
    said = f"near or below chance: AWRF@2 0.6887, a random order of the same documents {expected:.4f}"
    assert said in map(str, result.notes)
    best = fairtrec.evaluate("AWRF@2", {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}, labels=labels, bounds="orders")
    assert "chance" not in str(best)


def test_the_page_on_measures_has_the_values_of_chance():
    page = (REPOSITORY / "docs" / "which-measure.md").read_text("utf-8")
    result = fairtrec.evaluate("AWRF@10", EXAMPLE / "fair.run", labels=EXAMPLE / "labels.tsv", bounds="orders")
    (note,) = [note for note in result.notes if note.kind.name == "near or below chance"]
    assert {name: f"{value:.4f}"[1:] for name, value in note.numbers.items()} == {"expected": ".9812", "value": ".9802"}
    assert "`fair` as the best with .9802" in page
    assert "a random order of its documents has .9812" in page

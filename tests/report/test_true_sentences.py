"""Sentences beside numbers are true of these numbers, whatever they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.report.cells import write_short_of
from fairtrec.report.result_notes import COMMON, PUBLISHED, UNRELIABLE
from fairtrec_made.measures import Higher

# ------------------------------------------------------------------------------------------------- reliability


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 4), st.sampled_from([COMMON, PUBLISHED]))
def test_a_number_that_does_not_reach_a_wanted_one_is_not_written_as_if_it_did(value, places, wanted):
    written = write_short_of(value, places, [wanted])
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

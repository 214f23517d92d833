"""--bounds texts: what stands beside a value, and what stands there where a value is undefined or lies outside."""

import math

import numpy as np
import pytest

import fairtrec
from fairtrec.report.writers import RESULTS
from fairtrec_made import EXAMPLE

TEXTS = {"d1": "she he", "d2": "she she", "d3": "a tree"}
GIVEN = {"terms": {"f": ["she"], "m": ["he"]}, "docs": TEXTS, "bounds": "texts"}


def test_the_value_beside_is_that_of_what_missing_says():
    run = {"q1": {"d1": 1.0}, "q2": {"nobody": 1.0}, "q3": {"d2": 1.0}}
    (scores,) = fairtrec.evaluate("FaiRR@1", run, **GIVEN).scores
    assert [scores.ends[end].means.item() for end in ("least", "greatest")] == pytest.approx([1 / 3, 2 / 3])
    assert scores.means.item() == pytest.approx(1 / 3)  # skipped, nothing is ranked for q2, which is worth 0
    assert "0.3333 [0.3333, 0.6667]" in RESULTS("table", fairtrec.evaluate("FaiRR@1", run, **GIVEN), places=4)
    (neutral,) = fairtrec.evaluate("FaiRR@1", run, **GIVEN, missing="neutral").scores
    assert neutral.means.item() == pytest.approx(2 / 3)  # a neutral document is worth 1
    (known,) = fairtrec.evaluate("FaiRR@1", {"q1": {"d1": 1.0}}, **GIVEN).scores
    assert known.means.item() == 1


def test_missing_error_is_refused_beside_bounds_over_texts(fairtrec_command):
    asked = (
        "none",
        EXAMPLE / "fair.run",
        "--terms",
        "gender-en",
        "--docs",
        EXAMPLE / "collection.tsv",
        "--bounds",
        "texts",
    )
    for words in (("eval", *asked, "-m", "FaiRR@3"), ("check", *asked, "--require", "FaiRR@3 >= 0")):
        done = fairtrec_command(*words, "--missing", "error")
        said = "--missing error ends at a missing text, and --bounds texts is about these; leave it out"
        assert (done.code, done.complaints) == (2, [said])
        assert fairtrec_command(*words).code == 0


def test_no_mean_outside_of_its_ends_is_marked_best():
    """NDKL adds nothing above the first known document, so that it prints what no labeling gives."""
    labels = {"m1": "m", "f1": "f", "f2": "f"}
    runs = {
        "unknown": {"q": {"x": 4.0, "y": 3.0, "z": 2.0, "m1": 1.0}},
        "known": {"q": {"f1": 4.0, "f2": 3.0, "m1": 2.0}},
    }
    result = fairtrec.evaluate("NDKL@4", runs, labels=labels, bounds="labels")
    unknown, known = (scores.means.item() for scores in result.scores)
    assert unknown < known
    (line,) = (line for line in RESULTS("table", result, places=4).splitlines() if line.split()[:1] == ["unknown"])
    assert "outside" in line
    assert "*" not in line
    assert not np.isnan(unknown)


def test_the_ten_runs_print_no_value_outside_of_its_ends(ten):
    runs, _, given = ten
    result = fairtrec.evaluate("NFaiRR@10", [str(run) for run in runs], **{**given, "bounds": "texts"})
    for scores in result.scores:
        least, greatest = (scores.ends[end].means.item() for end in ("least", "greatest"))
        assert math.isnan(scores.means.item()) or least - 1e-12 <= scores.means.item() <= greatest + 1e-12

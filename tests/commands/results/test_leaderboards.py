"""Leaderboards: four columns without a header, the run first, then topic and measure in either order, and the value."""

import pytest

import fairtrec
from fairtrec.support.errors import InputError

ROWS = [
    ("sysA", "nDCG@10", "1", "0.5"),
    ("sysA", "nDCG@10", "2", "0.7"),
    ("sysA", "nDCG@10", "all", "0.6"),
    ("sysB", "nDCG@10", "1", "0.4"),
    ("sysB", "nDCG@10", "2", "0.9"),
    ("sysB", "nDCG@10", "all", "0.65"),
]
VALUES = {"sysA": {"nDCG@10": {"1": 0.5, "2": 0.7}}, "sysB": {"nDCG@10": {"1": 0.4, "2": 0.9}}}


@pytest.mark.parametrize("separator", [" ", "\t", "   "])
@pytest.mark.parametrize("places", [(0, 1, 2, 3), (0, 2, 1, 3)])
def test_a_leaderboard_has_the_values_of_its_runs(tmp_path, separator, places):
    (tmp_path / "lb").write_text("".join(separator.join(row[at] for at in places) + "\n" for row in ROWS))
    assert fairtrec.read_values(tmp_path / "lb").per_query == VALUES


def test_names_of_other_measures_are_told_by_where_means_are(tmp_path):
    (tmp_path / "lb").write_text("".join(" ".join(row).replace("nDCG@10", "AVG_GRADE") + "\n" for row in ROWS))
    found = fairtrec.read_values(tmp_path / "lb").per_query
    assert found == {run: {"AVG_GRADE": of["nDCG@10"]} for run, of in VALUES.items()}


def test_compare_takes_a_leaderboard(tmp_path, fairtrec_command):
    (tmp_path / "lb").write_text("".join(" ".join(row) + "\n" for row in ROWS))
    done = fairtrec_command("compare", "--values", tmp_path / "lb", "-f", "tsv")
    head, row = (line.split("\t") for line in done.out.splitlines()[:2])
    compared = dict(zip(head, row, strict=True))
    assert (compared["run"], float(compared["difference"]), compared["queries"]) == ("sysB", pytest.approx(0.05), "2")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sysA nDCG@10 1 0.5\nsysA nDCG@10 0.7\n", "lb:2: not four columns"),
        ("nDCG@10 1 0.5\nsysA nDCG@10 2 0.7\n", "lb:2: not three columns"),
        ("\tnDCG@10\t1\t0.5\n", "lb:1: an empty name of a query, measure or run"),
        ("sysA nDCG@10 all 0.5\n", "only means, and no values of queries to compare"),
    ],
)
def test_what_is_no_leaderboard_is_refused(tmp_path, text, says):
    (tmp_path / "lb").write_text(text)
    with pytest.raises(InputError, match=says):
        fairtrec.read_values(tmp_path / "lb")

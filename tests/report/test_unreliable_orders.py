"""The note that an order of runs is not reliable: where it is made, and where nothing is said."""

import numpy as np
import pytest

import fairtrec
from fairtrec.report.result_notes import note_reliability

SAID = "order of {} runs by nDCG@10: reliability {} over 12 queries, "


def runs_of(qids, many, spread, seed=1):
    """Values of nDCG@10 of so many runs, whose means are ``spread`` apart, as other programs write them."""
    random = np.random.default_rng(seed)
    values = 0.3 + spread * np.arange(many)[:, None] + random.random((many, len(qids))) / 4
    return {f"run{number}": dict(zip(qids, row, strict=True)) for number, row in enumerate(values.tolist())}


@pytest.fixture
def read(tmp_path):
    """Read values of runs."""

    def of(values):
        path = tmp_path / "values.csv"
        lines = [f"{run},{qid},{value}" for run, row in values.items() for qid, value in row.items()]
        path.write_text("\n".join(["run,qid,nDCG@10", *lines]) + "\n")
        return fairtrec.read_values(path)

    return of


QIDS = [f"q{number}" for number in range(12)]


def test_an_order_by_chance_is_noted(read):
    result = read(runs_of(QIDS, 6, 0.0))
    found = fairtrec.reliability(result).rows[0]
    assert found.reliability < 0.8
    (note,) = note_reliability(result)
    assert str(note).startswith(SAID.format(6, f"{found.reliability:.2f}"))
    assert str(note).endswith("see fairtrec compare --reliability")


@pytest.mark.parametrize(
    "values",
    [runs_of(QIDS, 4, 0.0), runs_of(QIDS[:9], 6, 0.0), runs_of(QIDS, 6, 0.1)],
    ids=["four runs", "nine queries", "a reliable order"],
)
def test_nothing_is_said_of_few_or_of_a_reliable_order(read, values):
    assert note_reliability(read(values)) == []


def test_it_stands_under_a_comparison_and_a_sorted_table_and_on_a_page(read, tmp_path):
    result = read(runs_of(QIDS, 6, 0.0))
    start = SAID.format(6, f"{fairtrec.reliability(result).rows[0].reliability:.2f}")
    assert start in str(fairtrec.compare(result, "all"))
    for form, view in (
        ("md", {"sort": "nDCG@10"}),
        ("html", {}),
        ("html", {"sort": "nDCG@10"}),
        ("json", {"sort": "nDCG@10"}),
    ):
        path = tmp_path / f"out.{form}"
        result.write(path, **view)
        assert path.read_text("utf-8").count(start) == 1, (form, view)
    result.write(tmp_path / "plain.md")
    assert start not in (tmp_path / "plain.md").read_text("utf-8")

"""The note that an order of runs is not reliable: where it is made, and where nothing is said."""

import numpy as np
import pytest

import fairtrec
from fairtrec.report.result_notes import VERDICT, note_reliability

SAID = "unreliable order: nDCG@10 has reliability {} over 12 queries, "


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
    assert str(note).startswith(SAID.format(f"{found.reliability:.2f}".removeprefix("0")))
    assert str(note).endswith("see fairtrec reliability")


@pytest.mark.parametrize(
    "values",
    [runs_of(QIDS, 4, 0.0), runs_of(QIDS[:9], 6, 0.0), runs_of(QIDS, 6, 0.1)],
    ids=["four runs", "nine queries", "a reliable order"],
)
def test_nothing_is_said_of_few_or_of_a_reliable_order(read, values):
    assert note_reliability(read(values)) == []


def test_it_stands_under_a_comparison_and_a_sorted_table_and_on_a_page(read, tmp_path):
    result = read(runs_of(QIDS, 6, 0.0))
    start = SAID.format(f"{fairtrec.reliability(result).rows[0].reliability:.2f}".removeprefix("0"))
    assert start in str(fairtrec.compare(result, "all"))
    result.write(tmp_path / "out.html")
    assert (tmp_path / "out.html").read_text("utf-8").count(start) == 1
    verdict = "verdict: 12 queries: the order by nDCG@10 is not reliable (reliability "
    for form in ("md", "html", "json"):  # where the verdict says so
        result.write(tmp_path / f"out.{form}", sort="nDCG@10")
        text = (tmp_path / f"out.{form}").read_text("utf-8")
        assert (text.count(verdict), text.count(start)) == (1, 0), form
    result.write(tmp_path / "plain.md")
    assert start in (tmp_path / "plain.md").read_text("utf-8")  # next to the mark of the best


@pytest.mark.parametrize(
    ("reliability", "told"), [(0.946, ".946; .95 takes 47 queries"), (0.941, ".94; .95 takes 47 queries")]
)
def test_a_verdict_does_not_round_a_reliability_to_one_that_it_does_not_reach(reliability, told):
    note = VERDICT.note(measure="nDCG@10", queries=43, ceiling="", reliability=reliability, needed=47)
    assert str(note) == f"verdict: 43 queries: the order by nDCG@10 is reliable in part (reliability {told})"


def test_a_verdict_does_not_tell_millions_of_queries_apart():
    note = VERDICT.note(measure="nDCG@10", queries=43, ceiling="", reliability=1e-11, needed=684_547_143_360_314_624)
    assert str(note).endswith("is not reliable (reliability .00; .95 takes over a million queries)")

"""Correlations of measures over queries: what is doubtful, how tables and JSON say so, and the method of intervals."""

import json

import numpy as np
import pytest

import fairtrec


def read(tmp_path, **columns):
    """Read values of a run by measures, a query for each."""
    first, *_ = columns.values()
    lines = ["run,measure,qid,value"]
    lines += [f"a,{name},{qid},{value!r}" for name, values in columns.items() for qid, value in enumerate(values)]
    (tmp_path / "values.csv").write_text("\n".join(lines) + "\n")
    assert {len(values) for values in columns.values()} == {len(first)}
    return fairtrec.read_values(tmp_path / "values.csv")


@pytest.fixture
def columns():
    """AP has values of its own in all of 40 queries, RR another than 1 in ten of them, and P@5 in nine."""
    ap = np.random.default_rng(9).random(40).round(6)
    return {
        "AP": ap.tolist(),
        "RR": np.where(np.arange(40) < 10, ap / 2, 1.0).tolist(),
        "P@5": np.where(np.arange(40) < 9, ap / 2, 1.0).tolist(),
    }


def test_few_values_that_differ_leave_doubt(columns, tmp_path):
    found = fairtrec.correlate(read(tmp_path, **columns))
    doubtful = {(row.measure, row.other): row.doubtful for row in found.rows}
    assert doubtful == {("AP", "RR"): False, ("AP", "P@5"): True, ("RR", "P@5"): True}
    for row in found.rows:
        assert np.isnan(row.low) == np.isnan(row.high) == row.doubtful
        assert row.p_corrected <= 1
    found.write(tmp_path / "a.json")
    assert [row["doubtful"] for row in json.loads((tmp_path / "a.json").read_text())["rows"]] == [
        row.doubtful for row in found.rows
    ]
    lines = str(found).splitlines()
    at = lines.index("Pearson's r of RR and P@5")
    (row,) = (row for row in found.rows if (row.kind, row.measure, row.other) == ("pearson", "RR", "P@5"))
    assert row.verdict == "correlated"
    assert f"correlated ?    {row.correlation:+.4f} ?  " in lines[at + 4]
    assert "?: fewer than 10 values of a measure differ from its most frequent one" in lines
    assert any(line.startswith("95% interval: by a jackknife over queries; correlated: p Holm") for line in lines)


def test_a_table_without_doubt_has_no_sign(columns, tmp_path):
    del columns["P@5"]
    assert "?" not in str(fairtrec.correlate(read(tmp_path, **columns)))


def test_many_queries_say_that_the_intervals_are_fishers(tmp_path):
    values = np.random.default_rng(10).random((2, 10_001)).round(9)
    found = fairtrec.correlate(read(tmp_path, AP=values[0].tolist(), RR=values[1].tolist()))
    assert "95% interval: by Fisher's z for more than 10,000;" in str(found)


def test_a_run_of_a_paper_with_a_measure_at_its_ceiling(ten):
    """BM25 on TREC DL_FAIR: few of 30 queries have another NFaiRR or TExFAIR than most."""
    runs, qrels, given = ten
    (run,) = (run for run in runs if run.stem == "BM25")
    found = fairtrec.correlate(fairtrec.evaluate("NFaiRR@10 TExFAIR@10", run, qrels, **given))
    row = found.rows[0]
    assert (round(row.correlation, 4), row.doubtful, np.isnan(row.low)) == (0.4576, True, True)
    assert "+0.4576 ?" in str(found)

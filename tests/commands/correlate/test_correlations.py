"""Correlations of measures over queries: what is doubtful, how tables and JSON say so, and the method of intervals."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.commands.correlate.correlations import correlate
from fairtrec.support.errors import UsageError
from fairtrec_made.normal_results import changed, result


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
    found = fairtrec.correlate(fairtrec.evaluate("NFaiRR@10 TExFAIR@10", run, qrels=qrels, **given))
    row = found.rows[0]
    assert (round(row.correlation, 4), row.doubtful, np.isnan(row.low)) == (0.4576, True, True)
    assert "+0.4576 ?" in str(found)


def test_correlations_over_queries_and_runs():
    of = result("nDCG@10 NFaiRR@10 KL@10", runs=tuple("abcdef"))
    view = correlate(of, "queries", correction="holm")
    found = next(each for each in view.rows if each.run == "runs/b.run" and each.kind == "pearson")
    expected = stats.pearsonr(of.scores[1].values[0], of.scores[1].values[1])
    assert (found.measure, found.other, found.n) == ("nDCG@10", "NFaiRR@10", 20)
    assert (found.correlation, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert view.family == "Holm over 18 correlations of each kind"
    pooled = [each for each in view.rows if each.run == "all runs"]
    assert {each.n for each in pooled} == {120}
    assert all(math.isnan(each.p) for each in pooled)
    over_runs = correlate(of, "runs")
    means = np.array([scores.means for scores in of.scores])
    expected = stats.kendalltau(means[:, 0], means[:, 2])
    found = next(each for each in over_runs.rows if each.other == "KL@10" and each.kind == "kendall")
    assert (found.correlation, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    with pytest.raises(UsageError, match="no run to correlate"):
        correlate(replace(of, scores=()), "runs")
    with pytest.raises(UsageError, match="only one measure"):
        correlate(result("nDCG@10"))
    with pytest.raises(UsageError, match="not over 'documents'"):
        correlate(of, "documents")


def test_tau_ap_goes_by_the_orders_of_runs_from_the_best():
    of = result("nDCG@10 KL@10 ARaB@10", runs=tuple("abc"), qids=("1", "2"))
    means = [(0.9, 0.2, 0.1), (0.8, 0.1, 0.0), (0.7, 0.3, 0.5)]  # nDCG: a b c; KL, lower is better: b a c
    for run, (ndcg, kl, arab) in enumerate(means):
        leaning = 0.6 if run == 1 else 0.0  # b: a mean of 0, and the largest mean size; ARaB: a c b
        of = changed(of, run, np.array([[ndcg] * 2, [kl] * 2, [arab - leaning, arab + leaning]]))
    view = correlate(of, "runs")
    found = {(each.measure, each.other): each for each in view.rows if each.kind == "tau_ap"}
    # a b c by b a c, either way: 0 of 1 and 2 of 2 agree, 2 / 2 * 1 - 1. a b c by a c b: 1 of 1 and 1 of 2. b a c by
    # a c b: 1 of 1 and 0 of 2; the other way: 0 of 1 and 1 of 2; the mean of 0 and -1 / 2.
    assert {pair: each.correlation for pair, each in found.items()} == pytest.approx(
        {("nDCG@10", "KL@10"): 0, ("nDCG@10", "ARaB@10"): 0.5, ("KL@10", "ARaB@10"): -0.25}
    )
    assert all(math.isnan(each.p) and each.verdict == "not tested" and each.n == 3 for each in found.values())
    assert not any(each.kind == "tau_ap" for each in correlate(of, "queries").rows)


def test_pairs_that_are_left_out_of_correlations_are_counted():
    of = result("nDCG@10 NFaiRR@10", runs=("a",))
    values = of.scores[0].values.copy()
    values[0, :4], values[1, 19] = math.nan, math.inf
    view = correlate(changed(of, 0, values))
    assert {(each.n, each.undefined) for each in view.rows} == {(15, 5)}
    assert "5 pairs are left out" in str(view)

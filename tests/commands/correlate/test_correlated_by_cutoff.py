"""Correlations of measures at each of several cutoffs: against each cutoff alone, scipy and statsmodels."""

import json

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import fairtrec
from fairtrec.support.errors import UsageError
from fairtrec_made import EXAMPLE

RUNS = [str(EXAMPLE / f"{name}.run") for name in ("bm25", "fair", "neural")]
GIVEN = {"qrels": str(EXAMPLE / "qrels.txt"), "labels": str(EXAMPLE / "labels.tsv")}
NAMES, CUTOFFS = ("nDCG", "P", "AWRF"), (3, 5, 10)


@pytest.fixture(scope="module")
def result():
    return fairtrec.evaluate([f"{name}@{cutoff}" for name in NAMES for cutoff in CUTOFFS], RUNS, **GIVEN)


@pytest.mark.parametrize("over", ["queries", "runs"])
def test_each_cutoff_has_the_correlations_that_it_has_alone(result, over):
    together = fairtrec.correlate(result, over, by_cutoff=True, correction="none").rows
    for cutoff in CUTOFFS:
        alone = fairtrec.evaluate([f"{name}@{cutoff}" for name in NAMES], RUNS, **GIVEN)
        wanted = fairtrec.correlate(alone, over, correction="none").rows
        found = [row for row in together if row.cutoff == cutoff]
        assert [
            (row.run, f"{row.measure}@{cutoff}", f"{row.other}@{cutoff}", row.kind, row.n, row.undefined, row.verdict)
            for row in found
        ] == [(row.run, row.measure, row.other, row.kind, row.n, row.undefined, row.verdict) for row in wanted]
        for name in ("correlation", "low", "high", "p"):
            np.testing.assert_array_equal([getattr(row, name) for row in found], [getattr(row, name) for row in wanted])
    assert len(together) == len(CUTOFFS) * len(wanted)


def test_they_are_those_of_scipy_and_corrected_over_all_cutoffs(result):
    found = fairtrec.correlate(result, "queries", by_cutoff=True)
    values = {scores.run: dict(zip(map(str, scores.measures), scores.values, strict=True)) for scores in result.scores}
    how = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for kind, coefficient in how.items():
        rows = [row for row in found.rows if row.kind == kind and row.run != "all runs"]
        assert len(rows) == 3 * 3 * len(RUNS)
        p = []
        for row in rows:
            x, y = (values[row.run][f"{name}@{row.cutoff}"] for name in (row.measure, row.other))
            known = ~np.isnan(x) & ~np.isnan(y)
            r, of_r = coefficient(x[known].round(12), y[known].round(12))
            assert row.correlation == pytest.approx(r, abs=1e-9, nan_ok=True)
            assert row.p == pytest.approx(of_r, abs=1e-9, nan_ok=True)
            p.append(row.p)
        known = ~np.isnan(p)
        wanted = multipletests(np.array(p)[known], method="holm")[1]
        assert np.array([row.p_corrected for row in rows])[known] == pytest.approx(wanted, abs=1e-9)
    tested = sum(not np.isnan(row.p) for row in found.rows if row.kind == "pearson")
    assert found.family == f"Holm over {tested} correlations of each kind"
    assert found.signature["correlate"] == "queries by cutoff"


def test_the_table_marks_what_is_correlated_and_slices_stand_in_rows_of_their_own(result, fairtrec_command, tmp_path):
    slices = {"one": list(result.scores[0].qids[:6]), "two": list(result.scores[0].qids[6:])}
    found = fairtrec.correlate(result, "queries", by_cutoff=True, slices=slices, correction="none")
    lines = str(found).splitlines()
    assert lines[0] == "Pearson's r of nDCG and P"
    assert lines[2].split() == ["run", "slice", "@3", "@5", "@10"]
    of = {
        (row.run, row.slice, row.cutoff): row
        for row in found.rows
        if (row.measure, row.other, row.kind) == ("nDCG", "P", "pearson")
    }
    for line in lines[4:12]:
        run, part, *values = line.replace("all runs", "all-runs").split()
        rows = [of[{"all-runs": "all runs"}.get(run, str(EXAMPLE / f"{run}.run")), part, cutoff] for cutoff in CUTOFFS]
        signs = ["*" if row.verdict == "correlated" else " " * row.doubtful for row in rows]
        cells = (f"{row.correlation:+.4f}{sign}{'?' * row.doubtful}" for row, sign in zip(rows, signs, strict=True))
        assert values == " ".join(cells).replace("+nan", "nan").split()
        assert [row.doubtful for row in rows] == [run != "all-runs" and not np.isnan(row.correlation) for row in rows]
    found.write(tmp_path / "a.json")
    written = json.loads((tmp_path / "a.json").read_text())
    assert {row["cutoff"] for row in written["rows"]} == {*CUTOFFS}
    assert len(found.flat()) == len({*found.flat()})


def test_what_has_no_partner_or_no_cutoff_is_refused(fairtrec_command):
    def correlated(measures):
        return fairtrec.correlate(fairtrec.evaluate(measures, RUNS, **GIVEN), by_cutoff=True)

    with pytest.raises(UsageError, match="AWRF@5 is the only measure at its cutoff"):
        correlated("nDCG@3 AWRF@3 AWRF@5")
    with pytest.raises(UsageError, match="AP has no cutoff to vary"):
        correlated("nDCG@3 AP")
    nowhere = ("correlate", "none", "no-such.run", "other.run")
    for options, said in (
        (["-m", "nDCG@3"], "nDCG@3 is the only one"),
        (["-m", "nDCG@3 nDCG@5", "--cutoffs", "3,5"], "nDCG is the only one"),
        (["-m", "nDCG@3 AWRF@3", "--baseline", "other.run"], "--baseline is for comparing rankings, which --rankings"),
        (["-m", "nDCG@3 AWRF@3", "-q"], "--per-query is for comparing rankings, which --rankings"),
    ):
        done = fairtrec_command(*nowhere, *options)
        assert (done.code, said in done.err, done.err.count("\n")) == (2, True, 1), done.err

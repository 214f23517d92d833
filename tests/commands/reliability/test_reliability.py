"""`fairtrec reliability`: figures on public runs, what is left out, slices, laws of the whole command."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import fairtrec
from fairtrec.statistics.paired import detectable
from fairtrec.statistics.reliability import estimate_reliability
from fairtrec.support.errors import UsageError
from fairtrec_made import texts


def of_measures(found):
    """The rows by measure."""
    return {row.measure: row for row in found.rows}


def numbers(row, places=4):
    """What the table shows of a row: the reliability with its interval, the queries needed, and both ends of that."""
    rounded = [round(each, places) for each in (row.reliability, row.low, row.high)]
    return [*rounded, row.needed, row.needed_low, row.needed_high]


@pytest.fixture(scope="module")
def result(example):
    runs = [example / f"{name}.run" for name in ("bm25", "fair", "neural")]
    given = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    return fairtrec.evaluate("nDCG@10 NFaiRR@10 TExFAIR@10 ARaB@10", runs, qrels=example / "qrels.txt", **given)


def test_the_bundled_example(result):
    found = of_measures(fairtrec.reliability(result))
    assert numbers(found["nDCG@10"]) == [0.8866, 0.6517, 0.9631, 30, 9, 122]
    assert numbers(found["NFaiRR@10"]) == [0.9439, 0.6714, 0.9904, 14, 3, 112]
    assert numbers(found["TExFAIR@10"]) == [0.8761, 0.4479, 0.9722, 33, 7, 282]
    assert found["ARaB@10"].size
    assert not found["nDCG@10"].size


def test_ten_runs_of_a_paper(ten):
    runs, qrels, given = ten
    found = of_measures(
        fairtrec.reliability(fairtrec.evaluate("nDCG@10 NFaiRR@10 TExFAIR@10", runs, qrels=qrels, **given))
    )
    assert numbers(found["nDCG@10"], 3) == [0.848, 0.573, 0.946, 103, 33, 426]
    assert numbers(found["NFaiRR@10"], 3) == [0.213, 0.0, 0.453, 2108, 690, None]
    assert numbers(found["TExFAIR@10"], 3) == [0.478, 0.0, 0.809, 622, 135, None]
    assert {name: row.doubtful for name, row in found.items()} == {
        "nDCG@10": False, "NFaiRR@10": True, "TExFAIR@10": True,
    }  # fmt: skip


@pytest.mark.slow
def test_forty_rerankings(shared):
    data = shared / "data"
    runs = [run for run in sorted((data / "rankllm-dl19").glob("*.run")) if "9d3bb4" not in run.name]
    given = {"counts": data / "dl19-dl20-counts" / "gender.strip.tsv", "missing": "neutral"}
    result = fairtrec.evaluate(
        "nDCG@10 TExFAIR@10 FaiRR@10", runs, qrels=data / "qrels" / "qrels.dl19-passage.txt", **given
    )
    found = of_measures(fairtrec.reliability(result))
    assert {name: round(row.reliability, 3) for name, row in found.items()} == {
        "nDCG@10": 0.945, "TExFAIR@10": 0.0, "FaiRR@10": 0.0,
    }  # fmt: skip
    assert found["FaiRR@10"].needed is None


def test_queries_without_a_value_in_some_run_are_left_out(example):
    runs = [example / f"{name}.run" for name in ("bm25", "fair", "neural")]
    result = fairtrec.evaluate("AWRF@3", runs, qrels=example / "qrels.txt", labels=example / "labels.tsv")
    found = fairtrec.reliability(result)
    assert (found.rows[0].queries, found.rows[0].left_out) == (9, 3)
    assert found.rows[0].doubtful
    assert "AWRF@3: 9 of 12 queries; 3 have no value in some run" in texts(found.notes)
    values = np.stack([scores.values[0] for scores in result.scores])
    whole = values[:, ~np.isnan(values).any(axis=0)]
    assert found.rows[0].alpha == pytest.approx(estimate_reliability(whole).alpha, abs=1e-12)


def test_millions_of_queries_are_not_told_apart(result):
    found = fairtrec.reliability(result)
    row = replace(found.rows[0], needed=1_000_000, needed_low=999, needed_high=684_547_143_360_314_624)
    assert "  1,000,000 [999, over a million]  " in str(replace(found, rows=(row,)))
    none = replace(row, needed=None, needed_low=None, needed_high=None, low=math.nan, high=math.nan)
    assert row.doubtful  # also without an interval
    assert "  0.8866 ?  " in str(replace(found, rows=(none,)))


def test_the_order_of_runs_is_nothing(result, example):
    runs = [example / f"{name}.run" for name in ("neural", "bm25", "fair")]
    turned = fairtrec.reliability(fairtrec.evaluate("nDCG@10", runs, qrels=example / "qrels.txt")).rows[0]
    row = of_measures(fairtrec.reliability(result))["nDCG@10"]
    assert turned.alpha == pytest.approx(row.alpha, abs=1e-12)
    assert turned.halves == pytest.approx(row.halves, abs=1e-12)


def test_slices_have_rows_of_their_own(result):
    slices = {"one": result.scores[0].qids[:6], "other": result.scores[0].qids[6:]}
    found = fairtrec.reliability(result, slices=slices)
    assert [row.slice for row in found.rows[:3]] == ["all", "one", "other"]
    assert [row.queries for row in found.rows[:3]] == [12, 6, 6]
    assert "slices" in found.signature


def test_what_has_no_value_is_null(result, example, fairtrec_command):
    runs = [example / "bm25.run", *(f"{name}={example / 'bm25.run'}" for name in ("again", "once-more"))]
    done = fairtrec_command("reliability", example / "qrels.txt", *runs, "-m", "nDCG@10", "-f", "json")
    assert done.code == 2  # the same file is compared once
    one = fairtrec.evaluate("nDCG@10", {"a": example / "bm25.run", "b": example / "bm25.run", "c": example / "bm25.run"},
                            qrels=example / "qrels.txt")  # fmt: skip
    found = fairtrec.reliability(one)
    assert "nDCG@10: no reliability; all runs have the same values" in texts(found.notes)
    frame = found.to_frame()
    assert frame["reliability"].isna().all()
    assert found.rows[0].needed is None


def test_the_signature_has_each_choice(result):
    assert fairtrec.reliability(result, 0.8, 0.9, seed=7).signature["reliability"] == "0.8"
    assert fairtrec.reliability(result, 0.8, 0.9, seed=7).signature["interval"] == "jackknife/0.9"
    assert fairtrec.reliability(result, 0.8, 0.9, seed=7).signature["seed"] == "7"
    one, other = (of_measures(fairtrec.reliability(result, seed=seed))["nDCG@10"] for seed in (0, 7))
    assert one.halves != other.halves
    assert one.alpha == other.alpha


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"wanted": 1.0}, "the wanted reliability is 1.0; it lies between 0 and 1, like 0.95"),
        ({"wanted": "much"}, "the wanted reliability is 'much'; it lies between 0 and 1, like 0.95"),
        ({"confidence": 2}, "the confidence is 2; it lies between 0 and 1, like 0.95"),
        ({"seed": -1}, "the seed is -1; it is 0 or more"),
    ],
)
def test_arguments_are_refused(result, given, said):
    with pytest.raises(UsageError) as fault:
        fairtrec.reliability(result, **given)
    assert str(fault.value) == said


def test_two_runs_have_no_order(example):
    result = fairtrec.evaluate("nDCG@10", [example / "bm25.run", example / "fair.run"], qrels=example / "qrels.txt")
    with pytest.raises(
        UsageError, match="test two with fairtrec compare: to show a difference takes about 8 / effect² \\+ 2 queries"
    ):
        fairtrec.reliability(result)


def test_values_of_other_programs(result, example, tmp_path, fairtrec_command):
    runs = [example / f"{name}.run" for name in ("bm25", "fair", "neural")]
    report = ["-m", "nDCG@10", "-q", "-f", "json", "-o", tmp_path / "all.json"]
    assert fairtrec_command("eval", example / "qrels.txt", *runs, *report).code == 0
    done = fairtrec_command("reliability", "--values", tmp_path / "all.json", "-f", "json")
    row = json.loads(done.out)["rows"][0]
    expected = of_measures(fairtrec.reliability(result))["nDCG@10"]
    assert row == {**vars(expected)}


@pytest.mark.parametrize("queries", [5, 10, 20, 50, 200, 1000])
def test_the_rule_for_two_runs_is_the_power_of_the_test(queries):
    """About 8 / effect² + 2 queries find an effect with a power of 80 %, so as many find what they can detect."""
    differences = np.array([(-1.0) ** at for at in range(queries)])
    effect = detectable(differences) / differences.std(ddof=1)
    assert 8 / effect**2 + 2 == pytest.approx(queries, rel=0.03, abs=1)

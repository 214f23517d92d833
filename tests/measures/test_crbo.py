"""CRBO against RBO summed rank by rank; runs, folders, and what is refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.cli import command
from fairtrec.measures import CRBO
from fairtrec.support.errors import InputError, UsageError
from fairtrec.testing import MeasureContract
from fairtrec_made import EXAMPLE

QUERIES = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 1.0}}


class TestCRBO(MeasureContract):
    measure = CRBO


def printed(*arguments):
    done = CliRunner().invoke(command, [*map(str, arguments)])
    assert done.exception is None, done.exception
    return [line for line in done.stdout.splitlines() if line.strip()]


def by_rank(first, second, p, depth):
    """RBO_ext of two rankings of one length, as the paper's Eq. 30 has it."""
    n = min(len(first), depth)
    common = [len({*first[:d]} & {*second[:d]}) for d in range(1, n + 1)]
    total = sum(x / d * p**d for d, x in enumerate(common, 1))
    return common[-1] / n * p**n + (1 - p) / p * total


@given(st.permutations(range(7)), st.permutations(range(7)), st.integers(1, 8), st.floats(0.1, 0.99))
def test_it_is_rbo_summed_rank_by_rank(first, second, depth, p):
    runs = [{"q": {f"d{d}": -float(rank) for rank, d in enumerate(order)}} for order in (first, second)]
    found = fairtrec.evaluate([CRBO(cutoff=depth, p=p)], runs[0], counterfactual=runs[1]).scores[0].values
    assert found == pytest.approx(by_rank(first, second, p, depth))
    mirrored = fairtrec.evaluate([CRBO(cutoff=depth, p=p)], runs[1], counterfactual=runs[0]).scores[0].values
    assert found == pytest.approx(mirrored)


def test_the_first_two_of_ten_changing_places():
    """.9, as MEASURES has it; the same ranking is worth 1."""
    run = {"q": {f"d{i}": -float(i) for i in range(10)}}
    swapped = {"q": {**run["q"], "d1": 1.0}}
    means = fairtrec.evaluate("CRBO CRBO@1", run, counterfactual=swapped).means["run"]
    assert means == {"CRBO@10": pytest.approx(0.9), "CRBO@1": 0.0}
    assert fairtrec.evaluate("CRBO", run, counterfactual=run).means["run"] == {"CRBO@10": 1.0}


def test_a_query_that_the_other_lacks_is_undefined_and_counted():
    result = fairtrec.evaluate("CRBO", QUERIES, counterfactual={"q1": QUERIES["q1"]})
    assert np.isnan(result.scores[0].values[0]).tolist() == [False, True]
    assert result.means["run"]["CRBO@10"] == 1.0
    with pytest.raises(InputError, match="none of the queries"):
        fairtrec.evaluate("CRBO", QUERIES, counterfactual={"q9": {"a": 1.0}})


def test_runs_and_their_counterparts_by_name():
    """The same run may have two; what is below the cutoff of all measures does not count."""
    other = {"q1": {"c": 3.0, "b": 2.0, "a": 1.0}, "q2": {"d": 1.0}}
    result = fairtrec.evaluate("CRBO@1", {"x": QUERIES, "y": QUERIES}, counterfactual={"x": QUERIES, "y": other})
    assert result.means == {"x": {"CRBO@1": 1.0}, "y": {"CRBO@1": 0.5}}
    with pytest.raises(UsageError, match="no counterfactual run of y; there are x"):
        fairtrec.evaluate("CRBO", {"x": QUERIES, "y": QUERIES}, counterfactual={"x": QUERIES})
    with pytest.raises(UsageError, match="one counterfactual run for 2 runs"):
        fairtrec.evaluate("CRBO", {"x": QUERIES, "y": QUERIES}, counterfactual=other)
    with pytest.raises(UsageError, match="leave out samples="):
        fairtrec.evaluate("CRBO", QUERIES, counterfactual=other, samples=True)
    with pytest.raises(UsageError, match="the probability to read on"):
        CRBO(p=1.0)


def test_both_rankings_are_cut_by_depth():
    other = {"q1": {"c": 1.0, "b": 2.0, "a": 3.0}, "q2": {"e": 1.0}}
    found = fairtrec.evaluate("CRBO", QUERIES, counterfactual=other, depth=1).scores[0].values[0]
    assert found.tolist() == [1.0, 0.0]


def test_ties_of_the_run_are_looked_at():
    """Two tied documents above: in one order the ranking is the same, in the other RBO_ext of two swapped ones."""
    tied = {"q": {"a": 1.0, "b": 1.0}}
    scores = fairtrec.evaluate("CRBO", tied, counterfactual={"q": {"a": 2.0, "b": 1.0}}, bounds="ties").scores[0]
    swapped = by_rank("ba", "ab", 0.9, 2)
    found = [float(each.values[0, 0]) for each in scores.ends.values()]
    assert found == pytest.approx([swapped, 1.0, (swapped + 1) / 2])


def read_rankings(name):
    """Read the documents of each query, best first, in the order in which the bundled runs list them."""
    found = {}
    for qid, _, docno, *_ in map(str.split, Path(name).read_text().splitlines()):
        found.setdefault(qid, []).append(docno)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two runs, and a folder in which each has the other's rankings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cf").mkdir()
    for name, twin in (("bm25.run", "neural.run"), ("neural.run", "bm25.run")):
        shutil.copy(EXAMPLE / name, tmp_path / name)
        shutil.copy(EXAMPLE / twin, tmp_path / "cf" / name)
    return tmp_path


def test_a_folder_holds_a_file_of_the_same_name_for_each(folder):
    lines = printed("eval", "none", "a=bm25.run", "neural.run", "--counterfactual", "cf/", "-m", "CRBO@10", "-f", "tsv")
    rows = dict(zip(*[line.split("\t") for line in (lines[0], lines[1])], strict=True))
    one, other = (read_rankings(name) for name in ("bm25.run", "neural.run"))
    wanted = np.mean([by_rank(one[qid], other[qid], 0.9, 10) for qid in one])
    assert [rows["CRBO@10"], rows["run"]] == [f"{wanted:.4f}", "a"]
    two = printed(
        "eval",
        "none",
        "a=bm25.run",
        "neural.run",
        "--counterfactual",
        "cf/",
        "-m",
        "CRBO@10",
        "-f",
        "tsv",
        "-j",
        2,
    )
    assert two == lines
    (folder / "cf" / "neural.run").unlink()
    done = CliRunner().invoke(
        command, ["eval", "none", "bm25.run", "neural.run", "--counterfactual", "cf", "-m", "CRBO"]
    )
    assert isinstance(done.exception, UsageError)
    assert "there is no counterfactual run cf/neural.run of neural.run" in str(done.exception)
    done = CliRunner().invoke(command, ["eval", "none", "bm25.run", "--counterfactual", "cg", "-m", "CRBO"])
    assert str(done.exception) == "cg: there is no such file or folder; check counterfactual="
    done = CliRunner().invoke(command, ["eval", "none", "bm25.run", "--counterfactual", "cf", "-o", "cf/bm25.run"])
    assert str(done.exception) == "the output cf/bm25.run is also read; choose another"


def test_it_can_be_replayed(folder):
    for name in ("cf/", "cf/bm25.run"):
        CliRunner().invoke(
            command,
            ["eval", "none", "bm25.run", "--counterfactual", name, "-m", "CRBO", "-f", "json", "-q", "-o", "r.json"],
        )
        recorded = json.loads((folder / "r.json").read_text())
        assert {"run bm25.run", "counterfactual bm25.run" if name == "cf/" else "counterfactual"} == {
            *recorded["inputs"]
        }
        done = CliRunner().invoke(command, ["results", "replay", "r.json"])
        assert done.exit_code == 0, (done.output, done.exception)
        assert "the same" in done.output
    was = (folder / "cf/bm25.run").read_bytes()
    for path in folder.rglob("*.run"):  # it is in no other place
        if path.read_bytes() == was:
            path.write_bytes(was + b"999 Q0 d 1 1 t\n")
    changed = CliRunner().invoke(command, ["results", "replay", "r.json"])
    assert "has changed" in str(changed.exception)


def test_compare_and_check_know_it(folder):
    lines = printed("compare", "none", "bm25.run", "neural.run", "--counterfactual", "cf", "-m", "CRBO@10")
    assert any("CRBO@10" in line for line in lines)
    for bound, code in (("0.1", 0), ("0.95", 1)):
        done = CliRunner().invoke(
            command,
            [
                "check",
                "none",
                "bm25.run",
                "neural.run",
                "--counterfactual",
                "cf",
                "--require",
                f"CRBO@10 >= {bound}",
                "--strict",
            ],
            standalone_mode=False,
        )
        assert done.return_value == code, done.output


def test_a_baseline_that_was_recorded_has_a_counterfactual_run_of_its_own(folder):
    CliRunner().invoke(
        command,
        [
            "eval",
            "none",
            "bm25.run",
            "--counterfactual",
            "cf/bm25.run",
            "-m",
            "CRBO",
            "-f",
            "json",
            "-q",
            "-o",
            "r.json",
        ],
    )
    shutil.copy("bm25.run", "other.run")
    done = CliRunner().invoke(
        command,
        [
            "check",
            "none",
            "neural.run",
            "--counterfactual",
            "other.run",
            "--baseline",
            "r.json",
            "--require",
            "CRBO >= baseline",
            "--strict",
        ],
        standalone_mode=False,
    )
    assert done.return_value == 0, (done.output, done.exception)

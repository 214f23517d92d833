"""Randomized Tukey HSD against all ways to deal, a plain loop, the paired test of two runs; and in comparisons."""

import shlex
import shutil
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import fairtrec
from fairtrec.commands.compare.baseline import compare
from fairtrec.commands.correlate.correlations import correlate
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measures.catalogue import registry
from fairtrec.statistics import corrections, paired
from fairtrec.support.errors import UsageError
from fairtrec_made import REPOSITORY, pages, texts

PAGE = REPOSITORY / "docs" / "compare.md"
grades = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1 / 3, 0.7, 0.8, 1.0])
tables = arrays.arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(2, 3)), elements=grades)


def by_all_ways(values):
    """Deal the values of all queries in all ways, one after the other."""
    queries, runs = values.shape
    reached, ways = np.zeros((runs, runs)), 0
    for way in product(*(permutations(row) for row in values.tolist())):
        means = [sum(row[run] for row in way) / queries for run in range(runs)]
        ways += 1
        for one, other in product(range(runs), repeat=2):
            apart = abs(sum(row[one] - row[other] for row in values.tolist())) / queries
            reached[one, other] += max(means) - min(means) >= apart - 1e-12
    return reached / ways


@given(values=tables)
def test_few_runs_and_queries_are_dealt_in_all_ways(values):
    assert corrections.randomized_tukey(values).tolist() == pytest.approx(by_all_ways(values), abs=0)


def test_by_hand():
    # of the values 0 and 1, 0 and 2 dealt to two runs, the sums are 3 apart in two of four ways, else 1
    assert corrections.randomized_tukey(np.array([[0.0, 1.0], [0.0, 2.0]]))[0, 1] == 0.5
    # three runs, one query: the range is the same whoever has what
    assert corrections.randomized_tukey(np.array([[0.0, 0.25, 1.0]])).tolist() == [[1, 1, 1]] * 3


def test_sums_that_differ_by_rounding_are_as_far_apart():
    # One run has .1, .2 and .3 and the other .3: .3 apart, as in 4 of 8 ways; .9, .7 and .5 are further, twice .1 is not.
    # In doubles .1 + .2 + .3 - .3 is above .3, and .3 + .3 - (.1 + .2) below.
    values = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [0.0, 0.3]])
    assert corrections.randomized_tukey(values)[0, 1] == 0.75


def test_many_are_dealt_at_random_as_by_a_plain_loop(monkeypatch):
    values = np.random.default_rng(1).normal(0.5, 0.2, (9, 4)) + np.array([0, 0, 0.1, 0.2])
    draw = np.random.default_rng(7)
    moved = values - values.min(axis=1, keepdims=True)
    reached = np.zeros((4, 4))
    for _ in range(400):
        sums = [0.0] * 4
        for row in moved:
            for run, value in enumerate(draw.permuted(sorted(row)).tolist()):
                sums[run] += value
        for one, other in product(range(4), repeat=2):
            reached[one, other] += max(sums) - min(sums) >= abs(values[:, one].sum() - values[:, other].sum()) - 1e-12
    expected = (reached + 1) / 401
    assert corrections.randomized_tukey(values, resamples=400, seed=7).tolist() == expected.tolist()
    monkeypatch.setattr(corrections, "BLOCK", 100)
    assert corrections.randomized_tukey(values, resamples=400, seed=7).tolist() == expected.tolist()
    assert corrections.randomized_tukey(values, resamples=400, seed=8).tolist() != expected.tolist()


@given(values=arrays.arrays(np.float64, st.tuples(st.integers(2, 10), st.just(2)), elements=grades))
def test_of_two_runs_it_is_the_paired_randomization_test(values):
    differences = paired.subtract(values[:, 1], values[:, 0])[None]
    assert corrections.randomized_tukey(values)[0, 1] == paired.p_values(differences, "randomization")[0]


@given(values=tables, shifts=st.lists(st.integers(-3, 3), min_size=4, max_size=4), resamples=st.sampled_from([5, 1000]))
def test_laws(values, shifts, resamples):
    p = corrections.randomized_tukey(values, resamples=resamples)
    assert p.tolist() == p.T.tolist()
    assert np.diag(p).tolist() == [1.0] * len(p)
    assert ((p > 0) & (p <= 1)).all()
    backwards = corrections.randomized_tukey(values[:, ::-1], resamples=resamples)
    assert backwards[::-1, ::-1].tolist() == p.tolist()
    easier = values + np.array(shifts[: len(values)])[:, None]  # a query is easier for all runs
    assert corrections.randomized_tukey(easier, resamples=resamples).tolist() == p.tolist()
    apart = np.abs(values.sum(axis=0)[:, None] - values.sum(axis=0))
    assert p.ravel()[np.argmax(apart)] == p.min()


def test_runs_that_are_alike_are_rarely_told_apart():
    draw = np.random.default_rng(3)
    worlds = [draw.normal(0, 1, (15, 1)) + draw.normal(0, 1, (15, 5)) for _ in range(300)]
    false = np.mean([corrections.randomized_tukey(values, resamples=400, seed=1).min() <= 0.05 for values in worlds])
    assert false == pytest.approx(0.05, abs=0.04)  # three standard errors
    found = np.mean(
        [
            corrections.randomized_tukey(values + np.array([0, 0, 0, 0, 2]), resamples=400)[0, 4] <= 0.05
            for values in worlds[:50]
        ]
    )
    assert found > 0.9


def test_a_great_many_runs_take_no_factorial():
    values = np.random.default_rng(4).random((40, 300))
    assert corrections.randomized_tukey(values, resamples=100).min() >= 1 / 101


def result(values, measures="nDCG@10 ARaB@10"):
    """Runs whose values [run, measure, query] are given."""
    parsed = tuple(registry.parse(measures))
    qids = tuple(f"q{number:02}" for number in range(values.shape[2]))
    scores = [Scores(f"{run}.run", "", parsed, qids, of) for run, of in zip("abcdefg", values, strict=False)]
    return Result(tuple(scores), Signature({"fairtrec": "0"}), (), {})


def test_a_comparison_takes_all_runs_of_a_measure_and_slice_at_once():
    values = np.random.default_rng(5).normal(0, 1, (4, 2, 20))
    of = result(values)
    slices = {"s": of.scores[0].qids[:12], "t": of.scores[0].qids[12:]}
    view = compare(of, "b", correction="tukey", slices=slices, resamples=500, seed=3)
    assert view.family == "randomized Tukey HSD over all pairs of 4 runs, for each measure and slice"
    assert view.signature["correction"] == "tukey"
    assert view.signature["resamples"] == "500"
    for part, columns in {"all": slice(0, 20), "s": slice(0, 12), "t": slice(12, 20)}.items():
        for row, measure in enumerate(of.scores[0].measures):
            taken = np.abs(values[:, row, columns]) if row else values[:, row, columns]  # ARaB: nearer 0 is better
            expected = corrections.randomized_tukey(taken.T, resamples=500, seed=3)
            for run, other in (("a", 0), ("c", 2), ("d", 3)):
                (found,) = (
                    each.p_corrected
                    for each in view.rows
                    if (each.slice, each.run, each.measure) == (part, f"{run}.run", str(measure))
                )
                assert found == expected[1, other]
    assert compare(of, correction="tukey").family.endswith("for each measure")


def test_queries_that_some_run_lacks_are_left_out_and_that_is_said():
    values = np.random.default_rng(6).normal(0, 1, (4, 1, 12))
    values[2, 0, :3] = np.nan
    values[3] = np.inf  # which cannot be tested
    view = compare(result(values, "nDCG@10"), correction="tukey", resamples=300)
    expected = corrections.randomized_tukey(values[:3, 0, 3:].T, resamples=300)
    assert [row.p_corrected for row in view.rows[:2]] == expected[0, 1:].tolist()
    assert np.isnan(view.rows[2].p_corrected)
    assert [row.queries for row in view.rows] == [12, 9, 12]
    assert "Tukey HSD uses the queries that all runs have: nDCG@10 9" in texts(view.notes)
    assert view.family == "randomized Tukey HSD over all pairs of 4 runs, for each measure, 1 untested left out"
    values[1, 0, 3:] = np.nan
    view = compare(result(values[:3], "nDCG@10"), correction="tukey", resamples=300)
    assert [row.verdict for row in view.rows] == ["not tested", "not tested"]


def test_nothing_else_is_corrected_so():
    values = np.random.default_rng(7).normal(0, 1, (2, 2, 12))
    with pytest.raises(UsageError, match="tukey corrects only comparisons of the values of runs"):
        correlate(result(values), "queries", correction="tukey")


def test_the_command_of_the_page(example, tmp_path, monkeypatch, fairtrec_command):
    for name in ("qrels.txt", "bm25.run", "fair.run", "neural.run"):
        shutil.copy(example / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    (command,) = (each for each in pages.shell_commands(PAGE.read_text("utf-8")) if "--correction tukey" in each)
    done = fairtrec_command(*shlex.split(command)[1:], "-v")
    assert done.code == 0
    assert "randomized Tukey HSD over all pairs of 3 runs, for each measure" in " ".join(done.out.split())


@pytest.mark.parametrize(("differ", "p"), [(2, 0.5), (1, 1.0)])
def test_a_query_that_is_infinite_for_both_runs_tells_them_not_apart(differ, p):
    """Skew of a group that is not there is infinite; two queries that differ may be dealt alike or crosswise."""
    none, half, whole = ({"a": 2.0, "b": 1.0}, {"a": 2.0, "x": 1.0}, {"x": 2.0, "y": 1.0})
    runs = {
        name: {f"q{at}": ranking if at < differ else none for at in range(4)}
        for name, ranking in (("r", half), ("s", whole))
    }
    result = fairtrec.evaluate("Skew(group='m')@2", runs, labels={"a": "f", "b": "f", "x": "m", "y": "m"})
    (row,) = fairtrec.compare(result, "r", correction="tukey").rows
    assert row.p_corrected == p

"""Choosing between utility and fairness: the definition read a second time, in loops; laws; the ten runs of the paper."""

import csv
import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fairtrec
from fairtrec.data import Run
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.formats import run as run_format
from fairtrec.formats import run_writer
from fairtrec.lab.select import criterion
from fairtrec.measures.catalogue.registry import parse
from fairtrec.report.recorded_paths import rename_paths
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import REPOSITORY, pages, texts

PAGE = (REPOSITORY / "docs" / "select.md").read_text("utf-8")
SEVEN = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0, math.inf)
BOTH = {"utility": "nDCG@10", "fairness": "NFaiRR@10"}


@pytest.mark.usefixtures("copied")
def test_no_input_is_written_over():
    before = Path("fair.run").read_bytes()
    words = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
    with pytest.raises(UsageError, match=r"the output fair\.run is also read"):
        fairtrec.select(
            ["fair.run", "bm25.run", "neural.run"], qrels="qrels.txt", beta=1, write_run="fair.run", **BOTH, **words
        )
    assert Path("fair.run").read_bytes() == before


def result_of(values, measures="nDCG@10 NFaiRR@10", qids=None):
    """A result of runs by name, each a list of values for each measure."""
    qids = qids or [f"q{number:02}" for number in range(len(next(iter(values.values()))[0]))]
    asked = tuple(parse(measures))
    scores = [Scores(name, "t", asked, tuple(qids), np.array(rows, dtype=np.float64)) for name, rows in values.items()]
    return Result(tuple(scores), Signature({}), (), {})


def f(utility, fairness, beta):
    if beta == 0:
        return utility
    if beta == math.inf:
        return fairness
    below = beta * beta * utility + fairness
    return (1 + beta * beta) * utility * fairness / below if below else 0.0


def share(means, name):
    least, most = min(means.values()), max(means.values())
    return 1.0 if math.isclose(least, most, rel_tol=1e-12, abs_tol=1e-12) else (means[name] - least) / (most - least)


def plain(result, betas, folds, utility="nDCG@10", fairness="NFaiRR@10"):
    """The definition in loops: for each beta the run of each fold, and each measure's mean."""
    values, found = result.per_query, {}
    qids = sorted(result.scores[0].qids)
    for beta in betas:
        chosen, told = [], {measure: [] for measure in values[result.scores[0].run]}
        for fold in range(folds):
            training = [qid for place, qid in enumerate(qids) if folds == 1 or place % folds != fold]
            u, n = (
                {name: math.fsum(of[measure][qid] for qid in training) / len(training) for name, of in values.items()}
                for measure in (utility, fairness)
            )
            combined = {name: f(share(u, name), share(n, name), beta) for name in values}
            most = max(combined.values())
            chosen.append(min(name for name, value in combined.items() if abs(value - most) <= 1e-12))
            for measure, several in told.items():
                several += [values[chosen[-1]][measure][qid] for place, qid in enumerate(qids) if place % folds == fold]
        found[beta] = chosen, {measure: math.fsum(several) / len(several) for measure, several in told.items()}
    return found


def same_as_plain(selection, result, folds):
    for row in selection.rows:
        chosen, means = plain(result, [row.beta], folds)[row.beta]
        assert list(row.chosen.values()) == chosen
        assert row.means == pytest.approx(means, abs=1e-9)


# --- the ten runs of the paper ---


@pytest.fixture(scope="module")
def of_ten(ten):
    runs, qrels, given = ten
    return fairtrec.evaluate("nDCG@10 NFaiRR@10 RR R@10", runs, qrels=qrels, **given)


@pytest.mark.parametrize("folds", [1, 2, 5, 30])
def test_a_second_reading_chooses_the_same_of_ten_runs_for_seven_betas(of_ten, folds):
    selection = fairtrec.select(of_ten, **BOTH, beta=SEVEN, folds=folds)
    assert [row.beta for row in selection.rows] == list(SEVEN)
    assert len(selection.variants.qids) == 30
    same_as_plain(selection, of_ten, folds)


def test_at_the_ends_the_best_of_ten_runs_are_chosen_in_each_fold(of_ten):
    selection = fairtrec.select(of_ten, **BOTH, beta=[0, math.inf])
    values = {measure: {run: of[measure] for run, of in of_ten.per_query.items()} for measure in BOTH.values()}
    for row, measure in zip(selection.rows, BOTH.values(), strict=True):
        for fold, run in enumerate(row.chosen.values()):
            training = [qid for place, qid in enumerate(sorted(of_ten.scores[0].qids)) if place % 5 != fold]
            means = {run: math.fsum(of[qid] for qid in training) for run, of in values[measure].items()}
            assert means[run] == max(means.values())


@pytest.mark.parametrize("beta", ["0.5", "inf", *(pytest.param(each, marks=pytest.mark.slow) for each in "01")])
def test_the_written_run_has_the_means_of_its_row(fairtrec_command, ten, tmp_path, beta):
    runs, qrels, given = ten
    options = [part for name, value in given.items() for part in (f"--{name}", value)]
    asked = ["--utility", "nDCG@10", "--fairness", "NFaiRR@10", "-m", "RR AP", "--beta", beta, "-f", "jsonl"]
    done = fairtrec_command("select", qrels, *runs, *options, *asked, "--write-run", tmp_path / "chosen.run")
    assert done.code == 0, done.err
    means = json.loads(done.out)["means"]
    assert list(means) == ["nDCG@10", "NFaiRR@10", "RR", "AP"]
    for order in ("score", "rank", "file"):
        again = fairtrec.evaluate(list(means), tmp_path / "chosen.run", qrels=qrels, order=order, **given)
        (scores,) = again.scores
        assert dict(zip(means, scores.means.tolist(), strict=True)) == pytest.approx(means, abs=1e-12)
        assert len(scores.qids) == 30
    assert fairtrec_command("validate", tmp_path / "chosen.run").code == 0


# --- laws ---

grid = st.integers(0, 20).map(lambda number: number / 20)


@st.composite
def results(draw, least=2):
    """A few runs of a few queries, with many ties."""
    runs, queries = draw(st.integers(least, 5)), draw(st.integers(2, 7))
    rows = st.lists(grid, min_size=queries, max_size=queries)
    return result_of({f"r{number}": [draw(rows), draw(rows)] for number in draw(st.permutations(range(runs)))})


@given(results(), st.integers(1, 2), st.lists(st.sampled_from(SEVEN), min_size=1, unique=True))
def test_a_second_reading_chooses_the_same(result, folds, betas):
    same_as_plain(fairtrec.select(result, **BOTH, beta=betas, folds=folds), result, folds)


@given(results(), st.integers(0, 1))
def test_a_line_that_rises_changes_no_choice(result, axis):
    """7 times every value, and 3 more."""
    moved = [
        np.array([7 * row + 3 if at == axis else row for at, row in enumerate(each.values)]) for each in result.scores
    ]
    other = replace(result, scores=tuple(replace(s, values=v) for s, v in zip(result.scores, moved, strict=True)))
    ours, theirs = (fairtrec.select(each, **BOTH, beta=SEVEN, folds=2) for each in (result, other))
    assert [row.chosen for row in ours.rows] == [row.chosen for row in theirs.rows]


@given(results())
def test_turning_both_measures_round_chooses_the_same(result):
    """A measure of which less is better, with values negated, chooses as one of which more is."""
    turned = result_of({each.run: (-each.values).tolist() for each in result.scores}, "KL@10 NDKL@10")
    ours = fairtrec.select(result, **BOTH, beta=SEVEN, folds=2)
    theirs = fairtrec.select(turned, utility="KL@10", fairness="NDKL@10", beta=SEVEN, folds=2)
    assert [row.chosen for row in ours.rows] == [row.chosen for row in theirs.rows]
    assert [row.means["KL@10"] for row in theirs.rows] == [-row.means["nDCG@10"] for row in ours.rows]


@given(results(least=3), st.integers(1, 2))
def test_whose_absence_changes_a_choice_is_told(result, folds):
    betas = (0.5, 1.0)
    selection = fairtrec.select(result, **BOTH, beta=betas, folds=folds)
    with_all = plain(result, betas, folds)
    expected = set()
    for place, left in enumerate(result.scores):
        rest = replace(result, scores=(*result.scores[:place], *result.scores[place + 1 :]))
        pairs = [(with_all[beta][0], plain(rest, [beta], folds)[beta][0]) for beta in betas]
        if any(now not in (then, left.run) for both in pairs for now, then in zip(*both, strict=True)):
            expected.add(left.run)
    assert {selection.variants.names[at] for at, *_ in selection.choice.find_swayed(betas)} == expected


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([*SEVEN, 1e-200, 1e200]))
@example(0.75, 5e-324, 1e-200)
def test_f_lies_between_its_parts_and_is_0_where_one_is(utility, fairness, beta):
    value = float(criterion.f_beta(np.array(utility), np.array(fairness), beta))
    assert min(utility, fairness) - 1e-12 <= value <= max(utility, fairness) + 1e-12
    if 0 < beta < math.inf and min(utility, fairness) == 0:
        assert value == 0


def test_f_of_eq_12():
    # beta 2: 5 * .5 * .8 / (4 * .5 + .8) = 2 / 2.8; beta 1 is the harmonic mean: 2 * .5 * .8 / 1.3
    assert criterion.f_beta(np.array(0.5), np.array(0.8), 2) == pytest.approx(2 / 2.8)
    assert criterion.f_beta(np.array(0.5), np.array(0.8), 1) == pytest.approx(0.8 / 1.3)
    assert criterion.f_beta(np.array(0.0), np.array(0.0), 1) == 0


# --- what is chosen from ---


def test_an_axis_on_which_all_are_equal_does_not_count():
    result = result_of({"b": [[0.5, 0.5], [0.1, 0.1]], "a": [[0.5, 0.5], [0.3, 0.3]], "c": [[0.5, 0.5], [0.2, 0.2]]})
    selection = fairtrec.select(result, **BOTH, beta=SEVEN, folds=2)
    assert [row.counts for row in selection.rows] == [{"a": 2}] * 7  # also for beta 0, where a is the first by name


def test_what_is_alike_is_chosen_by_name():
    result = result_of({name: [[0.1 + 0.2, 0.4], [0.3, 0.3]] for name in ("b", "a")} | {"c": [[0.3, 0.4], [0.3, 0.3]]})
    assert fairtrec.select(result, **BOTH, beta=SEVEN, folds=1).rows[3].counts == {"a": 1}


def test_nearer_0_is_chosen_by_sizes_and_told_by_means():
    # leaning has a mean of 0 because its two leanings cancel; even is nearer 0 in each query
    result = result_of({"leaning": [[0.5] * 4, [-1, 1, -1, 1]], "even": [[0.5] * 4, [0.2] * 4]}, "nDCG@10 ARaB@10")
    selection = fairtrec.select(result, utility="nDCG@10", fairness="ARaB@10", beta="inf", folds=2)
    assert selection.rows[0].counts == {"even": 2}
    assert selection.rows[0].means["ARaB@10"] == pytest.approx(0.2)


def test_queries_without_both_values_are_left_out_and_named(fairtrec_command, example, tmp_path):
    nan = math.nan
    values = {"a": [[0.1, nan, 0.3, 0.4], [0.5] * 4], "b": [[0.2, 0.9, 0.9, 0.1], [0.5, 0.5, math.inf, 0.6]]}
    selection = fairtrec.select(result_of(values), **BOTH, beta=1, folds=2)
    assert (selection.variants.qids, selection.variants.left_out) == (("q00", "q03"), ("q01", "q02"))
    lines = (example / "neural.run").read_text().splitlines(keepends=True)
    (tmp_path / "few.run").write_text("".join(line for line in lines if not line.startswith(("101 ", "103 "))))
    asked = ("--utility", "nDCG@10", "--fairness", "P@5", "-f", "jsonl")
    done = fairtrec_command("select", example / "qrels.txt", example / "bm25.run", tmp_path / "few.run", *asked)
    assert "# 2 queries are left out, because not every variant has both values: 101, 103\n" in done.err
    with pytest.raises(UsageError, match="no query for which each variant has both"):
        fairtrec.select(result_of({"a": [[nan, 1], [1, 1]], "b": [[1, nan], [1, 1]]}), **BOTH)


def test_requirements_keep_variants_from_being_chosen_and_leave_the_scale():
    values = {"a": [[0.9] * 4, [0.1] * 4], "b": [[0.8] * 4, [0.6] * 4], "c": [[0.5] * 4, [0.9] * 4]}
    result = result_of(values)
    free = fairtrec.select(result, **BOTH, beta=[0, 1, math.inf], folds=2)
    assert [list(row.counts) for row in free.rows] == [["a"], ["b"], ["c"]]
    held = fairtrec.select(
        result, **BOTH, beta=[0, 1, math.inf], folds=2, require="nDCG@10 >= baseline - 15%", baseline="a"
    )
    assert [list(row.counts) for row in held.rows] == [["a"], ["b"], ["b"]]
    two = ["nDCG@10 < 0.9", "|NFaiRR@10| <= 0.6"]
    assert list(fairtrec.select(result, **BOTH, beta=0, folds=2, require=two).rows[0].counts) == ["b"]
    with pytest.raises(
        UsageError, match=r"no variant meets nDCG@10 > 0.9 on the training queries of fold 1; ask for less"
    ):
        fairtrec.select(result, **BOTH, folds=2, require="nDCG@10 > 0.9")
    with pytest.raises(UsageError, match="on these queries"):
        fairtrec.select(result, **BOTH, folds=1, require="nDCG@10 > 0.9")
    with pytest.raises(UsageError, match="which baseline"):
        fairtrec.select(result, **BOTH, folds=2, require="nDCG@10 >= baseline")
    with pytest.raises(UsageError, match="a choice is about all queries and one value"):
        fairtrec.select(result, **BOTH, folds=2, require="worst slice nDCG@10 >= 0")


def test_a_requirement_is_about_the_queries_of_both():
    values = {"a": [[0.9, 0.9, 0.1], [0.5] * 3, [1, math.nan, 1]], "b": [[0.1, 0.1, 0.9], [0.4] * 3, [0.5, 9, 0.5]]}
    result = result_of(values, "nDCG@10 NFaiRR@10 DP@10")
    selection = fairtrec.select(result, **BOTH, beta=1, folds=1, require="DP@10 <= baseline", baseline="a")
    assert selection.choice.allowed.tolist() == [[True, True]]  # 9 is of a query for which the baseline has none
    selection = fairtrec.select(result, **BOTH, beta=1, folds=1, require="DP@10 <= 1")
    assert selection.choice.allowed.tolist() == [[True, False]]


def test_a_value_for_each_group_is_no_axis(example):
    given = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    runs = [example / "bm25.run", example / "neural.run"]
    with pytest.raises(UsageError, match=r"Skew@10 has a value for each group; name one, like Skew\(group='f'\)@10 or"):
        fairtrec.select(runs, qrels=example / "qrels.txt", utility="nDCG@10", fairness="Skew@10", **given)
    lower = fairtrec.select(
        runs, qrels=example / "qrels.txt", utility="nDCG@10", fairness="NFaiRR@10", measures="TE@10", **given
    )
    assert list(lower.rows[0].means) == ["nDCG@10", "NFaiRR@10", "TE(group='f')@10", "TE(group='m')@10"]


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"beta": -1}, "it is 0 or more"),
        ({"beta": "nan"}, "it is 0 or more"),
        ({"beta": "0,x"}, "beta is 'x'; it is a number of 0 or more, or inf"),
        ({"beta": ()}, "no beta; pass one"),
        ({"folds": 3}, "3 folds were asked for, of 2 queries"),
        ({"folds": 0}, "0 folds were asked for"),
        ({"folds": "-1"}, "-1 folds were asked for"),
        ({"fairness": "Spoken"}, "Spoken"),
        ({"fairness": "TE@10"}, "TE@10 has no direction; choose another for fairness="),
        ({"utility": "DP@10"}, "there are no values of DP@10, only of nDCG@10, NFaiRR@10"),
        ({"utility": "nDCG@10 RR"}, "utility= needs one measure, and 'nDCG@10 RR' has 2"),
        ({"fairness": "nDCG@10"}, "both nDCG@10"),
        ({"baseline": "c"}, "there is no run or file c"),
        ({"qrels": {}}, "these values are there already"),
        ({"write_run": "x", "beta": 1}, "values have no rankings"),
        ({"write_run": "x"}, "5 values of beta choose several runs, and one can be written"),
        ({"write_run": "x", "beta": 1, "samples": True}, "samples= has several"),
        ({"test": "guess"}, "test is 'guess'"),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_refused(more, what):
    result = result_of({"a": [[0.1, 0.2], [0.3, 0.4]], "b": [[0.2, 0.1], [0.3, 0.5]]})
    with pytest.raises(UsageError, match=what):
        fairtrec.select(result, **{**BOTH, **more})


def test_one_variant_leaves_no_choice():
    with pytest.raises(UsageError, match="only one run, so there is no choice"):
        fairtrec.select(result_of({"a": [[0.1, 0.2], [0.3, 0.4]]}), **BOTH)


# --- folds of a file ---


def test_folds_of_a_file(tmp_path):
    values = {"a": [[0.9, 0.1, 0.9, 0.1], [0.5] * 4], "b": [[0.1, 0.9, 0.2, 0.8], [0.5] * 4]}
    path = tmp_path / "folds.tsv"
    path.write_text("q01\ty\nq00\tx\nq02\tx\nq03\ty\nother\tz\n")
    selection = fairtrec.select(result_of(values), **BOTH, beta=0, folds=path)
    # for the queries of x, those of y are looked at, of which b is the better
    assert selection.rows[0].chosen == {"y": "a", "x": "b"}
    assert selection.rows[0].means["nDCG@10"] == pytest.approx((0.1 + 0.1 + 0.1 + 0.2) / 4)
    assert selection.signature["folds"].startswith("folds.tsv@")
    for text, what in [
        ("q00 x\nq01 y\nq02 x\n", "query q03 is in no fold"),
        ("q00 x\nq00 y\n", "q00 is in more than one"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=what):
            fairtrec.select(result_of(values), **BOTH, folds=path)
    path.write_text("q00 x\n")
    with pytest.raises(InputError, match="query q01, and 2 more is in no fold"):
        fairtrec.select(result_of(values), **BOTH, folds=path)


# --- the report ---


@pytest.fixture
def asked(example):
    runs = [example / f"{name}.run" for name in ("bm25", "neural", "fair")]
    given = ("--terms", "gender-en", "--docs", example / "collection.tsv", "--background", example / "background.run")
    return "select", example / "qrels.txt", *runs, *given, "--utility", "nDCG@10", "--fairness", "NFaiRR@10"


def test_every_format_has_the_same_numbers(fairtrec_command, asked):
    names = {str(run.relative_to(Path.cwd())): str(run) for run in asked[2:5]}  # JSON has no absolute path
    whole = rename_paths(json.loads(fairtrec_command(*asked, "--baseline", "bm25", "-f", "json").out), names)
    lines = [
        json.loads(line) for line in fairtrec_command(*asked, "--baseline", "bm25", "-f", "jsonl").out.splitlines()
    ]
    assert whole["rows"] == lines
    assert [line["beta"] for line in lines] == [0.0, 0.5, 1.0, 2.0, "Infinity"]
    table = csv.DictReader(fairtrec_command(*asked, "--baseline", "bm25", "-f", "csv", "--places", 17).out.splitlines())
    for row, line in zip(table, lines, strict=True):
        assert {name: float(row[name]) for name in line["means"]} == line["means"]
        assert {name: row[f"{name} verdict"] for name in line["tests"]} == {
            name: test["verdict"] for name, test in line["tests"].items()
        }
        assert {name: row[f"{name} doubtful"] == "True" for name in line["tests"]} == {
            name: test["doubtful"] for name, test in line["tests"].items()
        }
    assert sorted(qid for fold in whole["folds"].values() for qid in fold) == [str(qid) for qid in range(101, 113)]
    assert {line["chosen"]["1"] for line in lines} <= {run["run"] for run in whole["runs"]}
    assert lines[1]["tests"] == lines[2]["tests"]  # the same run is tested once
    assert whole["family"] == "Holm over 4 comparisons: 2 runs x 2 measures"
    for form in ("table", "md", "latex"):
        text = fairtrec_command(*asked, "-f", form).out
        assert all(f"{mean:.4f}" in text for line in lines for mean in line["means"].values())


@pytest.mark.parametrize("name", [False, True])
def test_rows_are_compared_as_the_written_runs_are(fairtrec_command, asked, example, tmp_path, name):
    more = ["--baseline", example / "bm25.run" if name else "bm25", "--test", "randomization", "--correction", "none"]
    done = fairtrec_command(*asked, *more, "--beta", "1", "-f", "json", "--write-run", tmp_path / "chosen.run")
    (row,) = json.loads(done.out)["rows"]
    result = fairtrec.evaluate(
        "nDCG@10 NFaiRR@10", [example / "bm25.run", tmp_path / "chosen.run"], qrels=example / "qrels.txt",
        terms="gender-en", docs=example / "collection.tsv", background=example / "background.run",
    )  # fmt: skip
    for other in fairtrec.compare(result, 0, test="randomization", correction="none").rows:
        test = row["tests"][other.measure]
        assert test["difference"] == pytest.approx(other.difference, abs=1e-12)
        assert (test["p"], test["verdict"]) == (other.p, other.verdict)


def test_a_baseline_that_is_no_variant(example):
    given = {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}
    runs = {"neural": example / "neural.run", "fair": example / "fair.run"}
    rows = run_format.read(example / "bm25.run")
    ranking = {qid: {docno.decode(): float(-rank) for rank, docno in enumerate(rows.docnos[a:b])}
               for qid, a, b in zip(rows.qids, rows.starts, rows.starts[1:], strict=False)}  # fmt: skip
    bases = example / "bm25.run", {"bm25": example / "bm25.run"}, ranking
    found = [fairtrec.select(runs, qrels=example / "qrels.txt", **BOTH, baseline=base, **given) for base in bases]
    for selection in found:
        assert selection.variants.names == ("neural", "fair")
        assert [row.difference for row in selection.comparisons.rows] == [
            row.difference for row in found[0].comparisons.rows
        ]
    named = fairtrec.select(
        {**runs, "baseline": example / "bm25.run"}, qrels=example / "qrels.txt", **BOTH, baseline=ranking, **given
    )
    assert named.comparisons.result.scores[0].run == "baseline (baseline)"


def test_measures_of_requirements_are_not_told_unless_asked_for(fairtrec_command, asked):
    lines = [
        json.loads(fairtrec_command(*asked, *more, "--beta", "1", "-f", "jsonl").out)["means"]
        for more in (
            ["--require", "RR >= 0.1"],
            ["--require", "RR >= 0.1", "-m", "RR"],
            ["-m", "RR", "--require", "RR > 0"],
        )
    ]
    assert [list(line) for line in lines] == [["nDCG@10", "NFaiRR@10"], *[["nDCG@10", "NFaiRR@10", "RR"]] * 2]


def test_a_mean_over_fewer_queries_is_told(fairtrec_command, asked):
    done = fairtrec_command(*asked, "-m", "TExFAIR(rbdf=False)@10", "--folds", "1", "--beta", "0", "-f", "csv", "-v")
    assert "# beta 0: TExFAIR(rbdf=False)@10 for 11 of the 12 queries" in done.err


# --- the writer ---


@given(st.lists(st.lists(st.integers(0, 99), unique=True, min_size=1, max_size=6), min_size=1, max_size=4))
def test_a_written_run_is_read_as_it_was(rankings):
    docnos = np.array([b"d%d" % docno for ranking in rankings for docno in ranking])
    starts = np.cumsum([0, *map(len, rankings)])
    run = Run(
        "a", "a  tag", tuple(f"q{place}" for place in range(len(rankings))), starts, docnos, np.zeros(len(docnos))
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.run"
        run_writer.write(run, path)
        for order in ("score", "rank", "file"):
            again = run_format.read(path, order)
            assert (again.qids, again.tag) == (run.qids, "a_tag")
            assert again.docnos.tolist() == docnos.tolist()
        assert [path.name for path in Path(folder).iterdir()] == ["a.run"]


def test_a_run_that_cannot_be_written(tmp_path):
    run = Run("a", "t", ("q",), np.array([0, 1]), np.array([b"d"]), np.array([0.0]))
    with pytest.raises(UsageError, match=r"cannot write .*; choose another place"):
        run_writer.write(run, tmp_path / "none" / "a.run")


# --- choices that the criterion forces ---


def verdict_of(selection):
    from fairtrec.lab.select.report import judge

    return str(judge(selection))


EXTREMES = {"low": [[0.1] * 6, [0.8] * 6], "high": [[0.9] * 6, [0.2] * 6]}
OTHERS = "every other run is the worst in one measure, so F is 0"
NAMES = "every run is the worst in one measure, so F is 0 and the first by name is chosen"


@pytest.mark.parametrize("third", [[0.11, 0.21], [0.5, 0.5], [0.89, 0.79]])
def test_the_third_of_three_runs_is_forced_whatever_its_values(third):
    result = result_of({**EXTREMES, "third": [[each] * 6 for each in third]})
    selection = fairtrec.select(result, **BOTH, beta=[0, 0.5, 2, math.inf], folds=3)
    assert [list(row.counts) for row in selection.rows] == [["high"], ["third"], ["third"], ["low"]]
    assert verdict_of(selection) == f"verdict: 6 queries in 3 folds; forced for beta 0.5, 2: {OTHERS}"
    assert "forced" not in verdict_of(fairtrec.select(result, **BOTH, beta=[0, math.inf], folds=3))
    whole = verdict_of(fairtrec.select(result, **BOTH, beta=1, folds=1))
    assert whole.endswith(f"so they are too good; forced for beta 1: {OTHERS}")


def test_two_extremes_are_chosen_by_name():
    selection = fairtrec.select(result_of(EXTREMES), **BOTH, beta=1, folds=2)
    assert list(selection.rows[0].counts) == ["high"]
    assert verdict_of(selection) == f"verdict: 6 queries in 2 folds; forced for beta 1: {NAMES}"


@pytest.mark.parametrize(
    "more",
    [{"c": [[0.5] * 6, [0.5] * 6], "d": [[0.6] * 6, [0.4] * 6]}, {"best": [[1.0] * 6, [1.0] * 6]}],
)
def test_a_choice_among_several_and_of_the_best_in_both_is_free(more):
    selection = fairtrec.select(result_of({**EXTREMES, **more}), **BOTH, beta=1, folds=2)
    assert verdict_of(selection) == "verdict: 6 queries in 2 folds: all folds make the same choice"


def test_a_run_alone_that_meets_the_requirements_is_not_forced_by_the_criterion():
    result = result_of({**EXTREMES, "third": [[0.5] * 6, [0.5] * 6]})
    selection = fairtrec.select(result, **BOTH, beta=1, folds=2, require="nDCG@10 > 0.8")
    assert list(selection.rows[0].counts) == ["high"]
    assert "forced" not in verdict_of(selection)


@given(results(), st.integers(1, 3))
def test_forced_is_what_the_criterion_says_of_each_fold(result, folds):
    """One run, or none, has an F above 0; the one is not the best in both measures."""
    qids = sorted(result.scores[0].qids)
    folds = min(folds, len(qids))
    selection = fairtrec.select(result, **BOTH, beta=1, folds=folds)
    alone = none = 0
    for fold in range(folds):
        training = [qid for place, qid in enumerate(qids) if folds == 1 or place % folds != fold]
        u, n = (
            {
                name: math.fsum(of[measure][qid] for qid in training) / len(training)
                for name, of in result.per_query.items()
            }
            for measure in BOTH.values()
        )
        above = [name for name in u if f(share(u, name), share(n, name), 1) > 1e-12]
        alone += len(above) == 1 and share(u, above[0]) + share(n, above[0]) < 2 - 1e-9
        none += not above
    assert selection.choice.count_forced() == (alone, none)
    assert ("forced" in verdict_of(selection)) == bool(alone or none)


def test_some_folds_are_forced():
    third = [[0.5, 0.5, 0.5, 0.5], [0.5] * 4]
    fourth = [[0.1, 0.1, 0.1, 0.6], [0.2, 0.2, 0.2, 0.9]]  # the worst in both but for the last query
    result = result_of(
        {"low": [[0.1] * 4, [0.8] * 4], "high": [[0.9] * 4, [0.2] * 4], "third": third, "fourth": fourth}
    )
    selection = fairtrec.select(result, **BOTH, beta=1, folds=4)
    assert selection.choice.count_forced() == (1, 0)
    assert verdict_of(selection).endswith(
        f": all folds make the same choice; forced for beta 1 in 1 of 4 folds: {OTHERS}"
    )


def test_the_verdict_of_a_forced_choice_is_shown_in_every_form(fairtrec_command, example):
    runs = [example / f"{name}.run" for name in ("bm25", "neural", "fair")]
    asked = ["--utility", "nDCG@10", "--fairness", "NFaiRR@10", "--terms", "gender-en", "--beta", "1"]
    texts_of = ["--docs", example / "collection.tsv", "--background", example / "background.run"]
    for form in ("table", "tsv", "csv", "json", "jsonl", "md", "latex"):
        done = fairtrec_command("select", example / "qrels.txt", *runs, *asked, *texts_of, "-f", form)
        assert "forced for beta 1: every other run is the worst" in " ".join((done.out + done.err).split()), form


# --- the page ---


def test_the_first_example_of_the_page_is_free_and_the_last_forced():
    free, forced, *_ = [block.shown for block in pages.blocks(PAGE) if not block.parsed]
    assert free.startswith("verdict: 12 queries in 5 folds: all folds make the same choice")
    assert forced.startswith(f"verdict: 12 queries in 5 folds; forced for beta 0.5, 1, 2: {OTHERS}")


def test_a_choice_that_changes_with_the_fold_is_said_first(copied, fairtrec_command):
    asked = "select", "qrels.txt", "bm25.run", "neural.run", "fair.run", "--utility", "nDCG@10", "--fairness", "RR"
    done = fairtrec_command(*asked, "--beta", "0", "--folds", "6", "-f", "json")
    import json

    found = json.loads(done.out)
    many = len(set(found["rows"][0]["chosen"].values()))
    said = f"no single choice, because it depends on the fold: in 6 folds, beta 0 chooses {many} variants"
    assert [found["notes"][0] == said, "changes with the fold" in done.out] == [many > 1] * 2
    runs = {"a": {str(q): {"d": 2.0 - (q in (1, 2)), "e": 1.5} for q in range(9)},
            "b": {str(q): {"d": 2.0 - (q in (3, 4)), "e": 1.5} for q in range(9)}}  # fmt: skip
    qrels = {str(q): {"d": 1, "e": 0} for q in range(9)}
    chosen = fairtrec.select(runs, qrels=qrels, utility="RR", fairness="P@1", beta=0, folds=9)
    assert len(chosen.rows[0].counts) == 2

    from fairtrec.lab.select.report import list_notes

    assert (
        texts(list_notes(chosen))[0]
        == "no single choice, because it depends on the fold: in 9 folds, beta 0 chooses 2 variants"
    )
    assert (
        "changes with the fold"
        not in texts(list_notes(fairtrec.select(runs, qrels=qrels, utility="RR", fairness="P@1", folds=1)))[0]
    )

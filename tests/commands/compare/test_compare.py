"""Comparing runs: directions, families, slices, and what is printed."""

import csv
import io
import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.commands.compare import COMPARISONS
from fairtrec.commands.compare.baseline import compare
from fairtrec.commands.compare.report import list_notes, list_view_notes
from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.formats import tsv
from fairtrec.report.cells import write_p
from fairtrec.report.writers import find_formats
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import texts
from fairtrec_made.imports import PROGRAM, imported_by
from fairtrec_made.normal_results import QIDS, changed, result
from fairtrec_made.written_json import drop_arguments


def written(view, form, places=4, terminal=False):
    return COMPARISONS(form, view, places=places, terminal=terminal)


def row(view, run="runs/a.run", measure="nDCG@10", part="all"):
    (found,) = (each for each in view.rows if (each.run, each.measure, each.slice) == (run, measure, part))
    return found


def test_a_row_says_what_scipy_says():
    of = result()
    found = row(compare(of))
    values, baseline = of.scores[1].values[0], of.scores[0].values[0]
    expected = stats.ttest_rel(values, baseline)
    interval = expected.confidence_interval()
    assert (found.p, found.low, found.high) == pytest.approx((expected.pvalue, interval.low, interval.high), abs=1e-12)
    assert (found.mean, found.baseline) == pytest.approx((values.mean(), baseline.mean()))
    assert found.difference == pytest.approx(found.mean - found.baseline)
    assert found.effect == pytest.approx(expected.statistic / math.sqrt(20))
    assert (found.queries, found.wins + found.ties + found.losses) == (20, 20)
    assert found.wins == (values > baseline).sum()


def test_the_family_is_all_that_is_printed():
    view = compare(result(), correction="bonferroni")
    assert view.family == "Bonferroni over 10 comparisons: 2 runs x 5 measures"
    assert all(each.p_corrected == min(1.0, each.p * 10) for each in view.rows)
    sliced = compare(result(), slices={"s": QIDS[:12], "t": QIDS[12:]}, correction="none")
    assert sliced.signature["slices"].startswith("given@")
    assert sliced.family == "no correction over 30 comparisons: 2 runs x 5 measures x 3 slices"


@pytest.mark.parametrize(
    ("measure", "shift", "verdict"),
    [
        ("nDCG@10", 0.2, "better"),
        ("nDCG@10", -0.2, "worse"),
        ("KL@10", -0.2, "better"),
        ("KL@10", 0.2, "worse"),
        ("TE(group=f)@10", 0.2, "higher"),
        ("TE(group=f)@10", -0.2, "lower"),
        ("nDCG@10", 0.0, "not shown"),
    ],
)
def test_better_is_what_the_measure_calls_better(measure, shift, verdict):
    of = result(measure)
    noise = np.random.default_rng(1).normal(0, 0.01, (1, 20)) if shift else 0
    found = compare(changed(of, 1, of.scores[0].values + shift + noise), equivalence=0.05).rows[0]
    assert found.verdict == verdict
    assert (found.wins, found.ties, found.losses) == {
        "better": (20, 0, 0), "higher": (20, 0, 0), "worse": (0, 0, 20), "lower": (0, 0, 20), "not shown": (0, 20, 0),
    }[verdict]  # fmt: skip
    if verdict in ("higher", "lower"):
        assert found.p_not_worse is None
    else:
        assert (found.p_not_worse < 0.05) == (verdict != "worse")
    assert (found.p_equivalent < 0.05) == (verdict == "not shown")


def test_nearer_0_compares_absolute_values():
    of = result("ARaB@10", runs=("base", "a"))
    of = changed(of, 0, np.array([[0.4, -0.4] * 10]))  # the mean is 0, though no query is near it
    of = changed(of, 1, np.array([[0.1, 0.2] * 10]))
    (found,) = compare(of).rows
    assert found.compared == "absolute value"
    assert (found.baseline, found.mean) == pytest.approx((0.4, 0.15))
    assert found.difference == pytest.approx(-0.25)
    assert (found.verdict, found.wins) == ("better", 20)


def test_identical_runs():
    of = result(runs=("base", "a"))
    for test in ("t", "wilcoxon", "randomization", "bootstrap"):
        for found in compare(changed(of, 1, of.scores[0].values), test=test, interval="bca").rows:
            assert (found.p, found.p_corrected, found.low, found.high, found.effect) == (1, 1, 0, 0, 0)
            assert (found.cliff, found.ties, found.verdict) == (0, 20, "not shown")


def test_only_queries_with_both_values_are_compared():
    of = result("nDCG@10 NFaiRR@10")
    values = of.scores[1].values.copy()
    values[0, :3] = math.nan
    found = row(compare(changed(of, 1, values)))
    kept = slice(3, None)
    assert found.queries == 17
    assert found.baseline == pytest.approx(of.scores[0].values[0, kept].mean())
    other = Scores("runs/c.run", "c", of.scores[0].measures, (*QIDS[15:], "z"), of.scores[0].values[:, -6:])
    view = compare(Result((*of.scores, other), Signature({}), (), {}))
    assert row(view, "runs/c.run").queries == 5
    assert texts(view.notes) == (
        "runs/c.run has not the 20 queries of the baseline; only queries that both have are compared",
        "in 2 of 6 comparisons, only 4 queries differ from the most frequent difference: too few to trust the interval and p",
        "NFaiRR@10 of c: differences are skewed (1.0); the 95% interval covers less than it says",
    )


def test_a_measure_that_repeats_the_differences_of_another_is_noted():
    """Of two groups, the shares of one are 1 less those of the other, so Exposure deviates by as much."""
    of = result("nDCG@10 NFaiRR@10 KL@10", runs=("base", "a"))
    base, other = of.scores[0].values.copy(), of.scores[1].values.copy()
    base[1], other[1] = 1 - base[0], 1 - other[0]
    both = changed(changed(of, 0, base), 1, other)
    said = "the differences of nDCG@10{} in each query, so this is the same test twice; leave out one"
    repeated = [note for note in texts(compare(both).notes) if "same test" in note]
    assert repeated == [f"NFaiRR@10: {said.format(' with the other sign')}"]
    base[2], other[2] = base[0], other[0]
    assert f"KL@10: {said.format('')}" in texts(compare(both).notes)
    other[:, 0] += [0.1, 0.1, 0.2]
    assert "same test" not in "".join(texts(compare(both).notes))
    assert "same test" not in "".join(texts(compare(changed(of, 1, of.scores[0].values)).notes))


@pytest.mark.parametrize("many", [0, 1])
def test_too_few_queries_are_not_tested(many):
    of = result("nDCG@10 NFaiRR@10", runs=("base", "a"))
    values = of.scores[1].values.copy()
    values[0, many:] = math.nan
    view = compare(changed(of, 1, values), interval="percentile", test="wilcoxon")
    found = row(view)
    assert found.verdict == "not tested"
    assert math.isnan(found.p_corrected)
    assert view.family == "Holm over 1 comparison: 1 run x 2 measures, 1 untested left out"
    assert row(view, measure="NFaiRR@10").p_corrected == row(view, measure="NFaiRR@10").p


def test_infinite_values_are_not_tested():
    of = result("KL@10", runs=("base", "a"))
    values = of.scores[1].values.copy()
    values[0, 0] = math.inf
    (found,) = compare(changed(of, 1, values)).rows
    assert (found.mean, found.verdict, found.losses > 0) == (math.inf, "not tested", True)
    assert "Infinity" in written(compare(changed(of, 1, values)), "jsonl")


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_nothing_depends_on_the_order_of_runs(test):
    of = result()
    turned = Result(of.scores[::-1], of.signature, (), {})
    one, other = (compare(each, "base", test=test, interval="bca") for each in (of, turned))
    assert {tuple(asdict(each).values()) for each in one.rows} == {tuple(asdict(each).values()) for each in other.rows}
    assert written(one, "json") == written(compare(of, "base", test=test, interval="bca"), "json")


def test_how_a_baseline_is_named():
    of = result()
    for name in (None, 0, "runs/base.run", "base.run", "base"):
        assert compare(of, name).baseline == 0
    assert compare(of, "b").baseline == 2
    with pytest.raises(UsageError, match=r"there is no run or file c; name the baseline as one of runs/base\.run"):
        compare(of, "c")
    with pytest.raises(UsageError, match="there is no run 3; they count from 0 to 2"):
        compare(of, 3)
    twins = Result(
        tuple(Scores(f"{n}/x.run", "", s.measures, s.qids, s.values) for n, s in enumerate(of.scores)),
        Signature({}),
        (),
        {},
    )
    with pytest.raises(UsageError, match="3 runs are called x"):
        compare(twins, "x")
    with pytest.raises(UsageError, match="only one run"):
        compare(Result(of.scores[:1], Signature({}), (), {}))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"test": "z"}, "test is 'z'; it is one of t, wilcoxon"),
        ({"confidence": 95}, "the confidence is 95"),
        ({"confidence": math.nan}, "the confidence is nan"),
        ({"equivalence": 0}, "the margin of equivalence is 0"),
        ({"resamples": 10**9}, "1000000000 resamples"),
        ({"seed": -1}, "the seed is -1"),
        ({"tests": "t"}, "there is no option tests; did you mean test"),
        ({"slice": "f"}, "there is no option slice; did you mean slices"),
    ],
)
def test_choices_that_there_are_not(choice, message):
    with pytest.raises(UsageError, match=message):
        compare(result(), **choice)


@pytest.mark.parametrize(
    ("confidence", "written", "percent"),
    [(0.95, "0.95", "95%"), (0.07, "0.07", "7%"), (0.999999999999, "0.999999999999", "99.9999999999%")],
)
def test_a_confidence_is_written_with_the_digits_that_it_has(confidence, written, percent):
    several = result("nDCG@10", runs=("base", "a"))
    made = compare(several, confidence=confidence)
    assert made.signature["interval"] == f"t/{written}"
    assert f"{percent} interval: by Student's t" in COMPARISONS("table", made, places=4)
    beside = several.with_confidence(confidence)
    assert beside.signature["interval"] == f"t/{written}"
    assert any(note.startswith(f"[low, high]: {percent} t interval") for note in texts(beside.notes))


def test_slices_and_the_worst_of_them():
    of = result("nDCG@10 KL@10 TE(group=f)@10", runs=("base", "a"))
    values = np.tile(np.array([0.2] * 10 + [0.8] * 10), (3, 1))
    view = compare(changed(of, 1, values), slices={"low": QIDS[:10], "high": QIDS[10:], "few": ["q00", "q19", "x"]})
    worst = {(each.measure, each.slice) for each in view.rows if each.worst_slice}
    assert worst == {("nDCG@10", "low"), ("KL@10", "high")}
    assert [each.queries for each in view.rows if each.measure == "nDCG@10"] == [20, 10, 10, 2]
    few = "only 1-9 queries differ from the most frequent difference: too few to trust the interval and p"
    assert texts(view.notes) == (
        "small, fewer than 10 queries: few",
        "1 of the 21 queries of the slices are not evaluated",
        f"in 9 of 12 comparisons, {few}",
    )
    with pytest.raises(UsageError, match="no query of any slice"):
        compare(of, slices={"s": ["z"]})
    with pytest.raises(UsageError, match="means all queries"):
        compare(of, slices={"all": QIDS})


def test_slices_that_are_alike_but_for_rounding_have_no_worst():
    means = (0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1)
    assert slicing.mark_worst([("a", name, mean, "higher") for name, mean in zip("xy", means, strict=True)]) == [
        False,
        False,
    ]
    more = [("a", name, mean, "higher") for name, mean in zip("xyz", (*means, 0.9), strict=True)]
    assert slicing.mark_worst(more) == [True, True, False]


@pytest.fixture(scope="module")
def views():
    """One of each kind, with its formats."""
    of, slices = result("nDCG@1 nDCG@5 ARaB@1 ARaB@5"), {"s_1": QIDS[:12], "t": QIDS[12:]}
    answers = (
        compare(of, slices=slices, equivalence=0.1),
        fairtrec.correlate(of, slices=slices),
        fairtrec.reliability(of, slices=slices),
    )
    return [(find_formats(type(view)), view) for view in answers]


@pytest.mark.parametrize("form", COMPARISONS.forms)
def test_every_view_in_every_format(form, views):
    for formats, view in views:
        text = formats(form, view, places=3)
        assert text.endswith("\n")
        if form in ("json", "jsonl"):
            rows = json.loads(text)["rows"] if form == "json" else list(map(json.loads, text.splitlines()))
            assert len(rows) == len(view.rows)
        if form in ("tsv", "csv"):
            rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if form == "tsv" else ","))
            assert len(rows) == len(view.rows)
            assert formats.forms[form].carries == "nothing"
        if form == "latex":
            assert "s\\_1" in text


def test_what_no_row_holds_is_noted():
    view = compare(result())
    assert texts(list_notes(view)) == [view.family, *texts(list_view_notes(view))]


def test_the_rows_of_json():
    document = json.loads(written(compare(result(), equivalence=0.1), "json"))
    keys = {"run", "measure", "mean", "difference", "low", "high", "p", "p_corrected", "effect"}
    assert keys <= set(document["rows"][0])
    assert document["baseline"] == "runs/base.run"
    assert document["procedure"]["correction"] == "holm"
    assert document["signature"].endswith(
        "baseline:base.run | test:t | correction:holm | interval:t/0.95 | equivalence:0.1"
    )


@given(st.floats(0, 1), st.integers(0, 17))
def test_no_p_is_printed_as_0(p, places):
    text = write_p(p, places)
    assert text.startswith("<") or float(text) > 0


def test_a_narrow_window_folds_names_and_leaves_columns_out(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    of = result(runs=("base", "a" * 70, "b"))
    drawn = written(compare(of), "table", terminal=True)
    tables = [line for line in drawn.splitlines() if "─" in line]
    assert tables
    assert all(len(line) <= 80 for line in tables)
    assert "columns that do not fit the window: " in drawn


def test_slices_are_read(tmp_path):
    path = tmp_path / "slices.tsv"
    path.write_text("# slices\nq1\tvery hard\nq2 easy\n\nq2\tvery hard\n")
    assert tsv.slices(path) == {"very hard": ("q1", "q2"), "easy": ("q2",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1\n", ":1: not a query id and a slice"),
        ("q1\ta\n q2 b c\n", ":2: not a query id and a slice"),
        ("q1\t\n", ":1: not a query id and a slice"),
        ("q1\ta\nq1 a\n", ":2: query q1 is twice in the slice a"),
        ("q1\tall\n", ":1: 'all' means all queries"),
        ("# nothing\n", "has no slice"),
    ],
)
def test_bad_slices(text, message, tmp_path):
    path = tmp_path / "slices.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        tsv.slices(path)


@pytest.fixture
def files(example):
    return [example / "qrels.txt", example / "bm25.run", example / "fair.run"]


def test_from_python_and_from_the_shell_the_same(files, fairtrec_command):
    qrels, *runs = files
    view = fairtrec.compare(fairtrec.evaluate("nDCG@10 RR@10", list(map(str, runs)), qrels=str(qrels)), "bm25")
    done = fairtrec_command("compare", *files, "-m", "nDCG@10 RR@10", "-f", "json", "--baseline", "bm25")
    assert done.code == 0
    assert drop_arguments(done.out.encode()).decode() == written(view, "json")
    assert fairtrec.correlate(fairtrec.evaluate("nDCG@10 RR@10", str(runs[0]), qrels=str(qrels))).rows


def test_a_baseline_from_elsewhere_is_evaluated_once(files, example, fairtrec_command):
    qrels, bm25, fair = files
    done = fairtrec_command(
        "compare", qrels, fair, bm25, "--baseline", example / "neural.run", "-m", "RR", "-f", "jsonl"
    )
    assert [json.loads(line)["run"] for line in done.out.splitlines()] == [str(fair), str(bm25)]
    spelled = f"{example}/../example/bm25.run"
    done = fairtrec_command("compare", qrels, fair, bm25, "--baseline", spelled, "-m", "RR", "-f", "jsonl")
    assert [json.loads(line)["run"] for line in done.out.splitlines()] == [str(fair)]


def test_a_broken_run_among_others(files, tmp_path, fairtrec_command):
    broken = tmp_path / "broken.run"
    broken.write_text("1 Q0 d 1\n")
    qrels, *runs = files
    done = fairtrec_command("compare", qrels, *runs, broken, "-m", "RR", "-f", "jsonl", "--keep-going")
    assert done.code == 3
    assert len(done.out.splitlines()) == 1
    assert any("4 columns" in line for line in done.complaints)
    assert fairtrec_command("compare", qrels, *runs, broken, "-m", "RR").code == 3


@pytest.mark.parametrize("last", [["{broken}"], ["{fair}", "{broken}", "--baseline", "{broken}"]])
def test_with_one_side_broken_there_is_nothing_to_compare(files, tmp_path, fairtrec_command, last):
    broken = tmp_path / "broken.run"
    broken.write_text("1 Q0 d 1\n")
    qrels, bm25, fair = files
    last = [word.format(broken=broken, fair=fair) for word in last]
    done = fairtrec_command("compare", qrels, bm25, *last, "-m", "RR", "--keep-going")
    assert (done.code, done.out) == (3, "")
    assert "4 columns" in done.complaints[0]
    assert "leave nothing to compare; repair them" in done.complaints[1]


def test_names_that_others_chose_are_no_commands(files, tmp_path, fairtrec_command):
    qrels, bm25, fair = files
    evil = tmp_path / "evil\n::error::x\x1b[31m.run"
    evil.write_bytes(fair.read_bytes())
    slices = tmp_path / "slices.tsv"
    slices.write_text("101\t\x1b[31mred\n102\t\u202eback\n")
    for form in ("table", "md", "latex"):
        done = fairtrec_command("compare", qrels, evil, bm25, "-m", "RR", "--slice", slices, "-f", form)
        assert done.code == 0
        assert not set("\x1b\u202e") & set(done.out)
        assert not any(line.startswith("::error::") for line in done.out.splitlines())
    done = fairtrec_command("compare", qrels, bm25, "--baseline", "x\n::error::y", fair)
    assert (done.code, len(done.complaints)) == (2, 1)


def test_a_folder_that_no_measure_reads_is_told_too(files, tmp_path, fairtrec_command):
    done = fairtrec_command("compare", *files, "-m", "RR", "--background", tmp_path, "-f", "json")
    assert (done.code, done.complaints) == (3, [f"{tmp_path}: cannot be read (Is a directory); check the name"])


def test_what_is_printed_as_0_has_no_minus_sign():
    of = result("nDCG@10")
    of = changed(of, 1, of.scores[0].values - np.linspace(1e-9, 2e-9, len(QIDS)))
    [line] = [line for line in written(compare(of), "table").splitlines() if line.startswith(" a ")]
    assert "+0.0000" in line
    assert "-0.0000" not in line
    assert next(csv.DictReader(io.StringIO(written(compare(of), "csv"))))["difference"] == "0.0000"


@pytest.mark.parametrize("how", [{"test": "bootstrap"}, {"interval": "percentile"}, {"interval": "bca"}])
def test_the_bootstrap_of_few_queries_is_remarked_on(how):
    said = "fewer than 30 queries: bootstrap intervals are too narrow and its p too small; prefer t"
    few, enough = (result(qids=tuple(f"q{number}" for number in range(many))) for many in (29, 30))
    assert said in texts(compare(few, resamples=100, **how).notes)
    assert said not in texts(compare(few).notes)
    assert said not in texts(compare(enough, resamples=100, **how).notes)


def test_slices_are_in_the_signature_and_among_the_inputs(files, tmp_path, fairtrec_command):
    path = tmp_path / "slices.tsv"
    path.write_text("101 a\n102 a\n103 b\n104 b\n")
    done = fairtrec_command("compare", *files, "-m", "RR", "-f", "json", "--slice", path)
    document = json.loads(done.out)
    digest = document["inputs"]["slices"]["sha256"]
    assert f"slices:slices.tsv@{digest[:8]}" in document["signature"]
    assert {each["slice"] for each in document["rows"]} == {"all", "a", "b"}


def test_scipy_waits_until_it_is_needed():
    assert imported_by(PROGRAM, "compare", "--help")[0] == set()
    assert "scipy" not in imported_by("import sys, fairtrec.commands.compare; print(*sys.modules, file=sys.stderr)")[0]


def test_the_default_test_leaves_scipys_distributions_alone():
    example = "resources/example"
    runs = [f"{example}/{name}" for name in ("qrels.txt", "bm25.run", "fair.run")]
    check = ["check", *runs[::2], "--baseline", runs[1], "--require", "nDCG@10 >= baseline - 1"]
    program = f"""
import sys
from fairtrec.cli import main
for command in (["compare", *{runs}, "-m", "nDCG@10"], {check}):
    sys.argv = ["fairtrec", *command]
    try:
        main()
    except SystemExit as end:
        print(f"exit {{end.code or 0}}", file=sys.stderr)
print(*(name for name in ("scipy", "pandas", "scipy.stats", "scipy.optimize") if name in sys.modules), file=sys.stderr)
"""
    heavy, errors = imported_by(program)
    assert errors.count("exit 0") == 2
    assert heavy == {"scipy"}


def test_real_runs(shared, fairtrec_command):
    runs = sorted((shared / "data/rankllm-dl19").glob("BM25__*.run"))
    qrels = shared / "data/qrels/qrels.dl19-passage.txt"
    done = fairtrec_command(
        "compare", qrels, *runs, "--baseline", "BM25__trec_results_dl19.2e7c80", "-m", "nDCG@10", "-f", "jsonl"
    )
    rows = list(map(json.loads, done.out.splitlines()))
    assert len(rows) == len(runs) - 1
    assert {round(each["baseline"], 4) for each in rows} == {0.5058}  # as published for BM25 on DL19
    assert sum(each["verdict"] == "better" for each in rows) > len(rows) / 2


def test_the_line_on_who_gains_is_a_command_that_shows_it(fairtrec_command, example):
    """AWRF falls since the exposure of f rises from below its target to above it."""
    files = [example / "qrels.txt", example / "bm25.run", example / "neural.run"]
    labels = ["--labels", example / "labels.tsv"]
    measures = ["-m", "nDCG@10", "-m", "AWRF@10"]
    shown = fairtrec_command("compare", *files, *labels, *measures).out
    assert (
        "which group gains: see fairtrec eval with the same files and -m Exposure@10 (exposure minus target)" in shown
    )
    asked = ["-m", "Exposure@10", "-f", "json"]
    bm25, neural = (run["means"] for run in json.loads(fairtrec_command("eval", *files, *labels, *asked).out)["runs"])
    of_f, of_m = "Exposure(group='f')@10", "Exposure(group='m')@10"
    assert bm25[of_f]["value"] < 0 < neural[of_f]["value"]
    assert bm25[of_m]["value"] > 0 > neural[of_m]["value"]
    for without in (fairtrec_command("compare", *files, "-m", "nDCG@10"), fairtrec_command("compare", *files, *labels, *measures, "--confidence", "0.999")):  # fmt: skip
        assert "which group gains" not in without.out


def test_values_of_no_runs_have_no_line_on_who_gains(fairtrec_command, example, tmp_path):
    for name in ("bm25", "fair"):
        asked = ["--terms", "gender-en", "--docs", example / "collection.tsv", "-m", "TExFAIR@10", "-q"]
        asked += ["-f", "csv", "-o", tmp_path / f"{name}.csv"]
        assert fairtrec_command("eval", example / "qrels.txt", example / f"{name}.run", *asked).code == 0
    done = fairtrec_command("compare", "--values", tmp_path / "bm25.csv", tmp_path / "fair.csv", "--confidence", "0.5")
    assert " better " in done.out
    assert "which group gains" not in done.out

"""``--aggregate``: what a run's value is made of those of its queries, where that is not their mean."""

import json
import math
import statistics

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some

import fairtrec
from fairtrec.commands.results.results import read_results
from fairtrec.evaluation.answers.aggregates import Aggregated, read
from fairtrec.evaluation.leaderboard import spread
from fairtrec.measure import define
from fairtrec.measures import AWRF, KL, Skew
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import EXAMPLE
from fairtrec_made.command_trials import gather_trials

QRELS = str(EXAMPLE / "qrels.txt")
RUNS = [str(EXAMPLE / f"{name}.run") for name in ("bm25", "neural", "fair")]
LABELS = str(EXAMPLE / "labels.tsv")
MEASURES = "nDCG@10 AP Skew(group='f')@10 MaxSkew@10 AWRF@10"


@pytest.fixture(scope="module")
def plain():
    return fairtrec.evaluate(MEASURES, RUNS, qrels=QRELS, labels=LABELS)


def known(result, at, measure):
    return [value for value in result.per_query[RUNS[at]][measure].values() if not math.isnan(value)]


def test_each_is_what_the_standard_library_makes_of_the_values(plain):
    ways = {
        "median": statistics.median,
        "min": min,
        "max": max,
        "<0.9": lambda values: sum(value < 0.9 for value in values) / len(values),
        ">=0.25": lambda values: sum(value >= 0.25 for value in values) / len(values),
    }
    found = fairtrec.evaluate(MEASURES, RUNS, qrels=QRELS, labels=LABELS, aggregate=list(ways))
    for at, run in enumerate(RUNS):
        for measure in map(str, plain.scores[0].measures):
            for way, made in ways.items():
                assert found.means[run][f"{measure} {way}"] == pytest.approx(made(known(plain, at, measure)), abs=1e-12)
    np.testing.assert_equal(found.per_query, plain.per_query)
    assert found.signature == plain.signature | {"aggregate": "median,min,max,<0.9,>=0.25"}


def test_percentiles_are_those_of_numpy(plain):
    ways = {"p0": 0, "p2.5": 0.025, "p10": 0.1, "p50": 0.5, "p100": 1}
    found = fairtrec.evaluate(MEASURES, RUNS, qrels=QRELS, labels=LABELS, aggregate=["median", "min", "max", *ways])
    several = [(at, run, str(measure)) for at, run in enumerate(RUNS) for measure in plain.scores[0].measures]
    for at, run, measure in several:
        of, values = found.means[run], known(plain, at, measure)
        for way, share in ways.items() if np.isfinite(values).all() else ():
            assert of[f"{measure} {way}"] == pytest.approx(np.quantile(values, share), abs=1e-12)
        same = {"p50": "median", "p0": "min", "p100": "max"}
        assert all(of[f"{measure} {way}"] == of[f"{measure} {other}"] for way, other in same.items())


def test_a_percentile_between_two_values_is_on_the_line_between_them():
    # of 1, 2, 4 and 8 the tenth is at place 0.3 of 0 to 3, so 1.3; the 90th at 2.7, so 4 + 0.7 * 4
    values = np.array([8.0, 1.0, 4.0, 2.0])
    assert Aggregated(AWRF(), "p10", follows=False).over(values) == pytest.approx(1.3)
    assert Aggregated(AWRF(), "p90", follows=False).over(values) == pytest.approx(6.8)


@pytest.mark.parametrize("word", ["p101", "p-1", "p", "p1e1", "P10"])
def test_what_is_no_percentile_is_refused(word):
    with pytest.raises(UsageError, match=f"cannot read aggregate='{word}'; there are .* p0 to p100"):
        read(word)


def test_the_geometric_mean_is_that_of_trec_eval():
    run = {f"q{at}": {"d1": 3.0, "d2": 2.0, "d3": float(at)} for at in range(1, 6)}
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1, "d9": 1}, "q3": {"d8": 1}, "q4": {"d3": 2}, "q5": {"d1": 0}}
    pytrec_eval = pytest.importorskip("pytrec_eval")
    values = pytrec_eval.RelevanceEvaluator(qrels, {"map", "gm_map", "gm_bpref"}).evaluate(run)
    theirs = [
        pytrec_eval.compute_aggregated_measure(name, [each[name] for each in values.values()])
        for name in ("gm_map", "gm_bpref")
    ]
    found = fairtrec.evaluate("map bpref", run, qrels=qrels, aggregate="gm").scores[0]
    assert found.means.tolist() == pytest.approx(theirs, abs=1e-12)
    whole = fairtrec.evaluate("gm_map gm_bpref", run, qrels=qrels).scores[0]
    assert whole.means.tolist() == pytest.approx(theirs, abs=1e-12)
    assert fairtrec.evaluate("map", {"q3": run["q3"]}, qrels=qrels, aggregate="gm").means["run"][
        "AP gm"
    ] == pytest.approx(1e-5)


@given(some.lists(some.floats(0, 10, width=16), min_size=1, max_size=9), some.floats(-1, 11, width=16))
@example([0.0, 2e-05], 0.0)  # a geometric mean that is greater than the mean, as 0 counts as 1e-5
def test_laws(values, bound):
    several = np.array(values)
    of = {how: Aggregated(AWRF(), how, follows=False).over(several) for how in ("min", "gm", "median", "max")}
    assert of["min"] <= of["median"] <= of["max"]
    assert of["min"] - 1e-12 <= of["gm"] <= np.maximum(several, 1e-5).mean() * (1 + 1e-12)
    shares = {how: Aggregated(AWRF(), f"{how}{bound}", follows=False).over(several) for how in ("<", "<=", ">", ">=")}
    assert shares["<"] + shares[">="] == pytest.approx(1)
    assert shares["<="] + shares[">"] == pytest.approx(1)
    assert (shares["<"] == 1) == (of["max"] < bound)
    assert (shares[">="] == 1) == (of["min"] >= bound)


def test_values_that_are_the_bound_but_for_rounding_are_the_bound():
    assert Aggregated(AWRF(), "<0.3", follows=False).over(np.array([0.1 + 0.2, 0.3])) == 0
    assert Aggregated(AWRF(), ">=0.3", follows=False).over(np.array([0.3 - 1e-16, 0.9 / 3])) == 1


@pytest.mark.parametrize(
    ("measure", "how", "better"),
    [
        (AWRF(), "max", "higher"), (KL(), "median", "lower"), (Skew(group="f"), "max", "nearer 0"),
        (AWRF(), "<0.9", "lower"), (AWRF(), ">=0.9", "higher"), (KL(), ">3", "lower"), (KL(), "<=3", "higher"),
        (Skew(group="f"), ">0.1", "lower"), (Skew(group="f"), "<-0.1", "lower"), (Skew(group="f"), "<0.1", "neither"),
        (Skew(group="f"), ">-0.1", "neither"), (Skew(group="f"), ">=0", "lower"),
    ],
)  # fmt: skip
def test_which_values_are_good(measure, how, better):
    made = Aggregated(measure, how, follows=False)
    assert made.better == better
    bounds = (0.0, 1.0) if how[0] in "<>" else measure.bounds
    assert made.bounds == bounds
    assert made.bounds_against(np.array([0.5, 0.5])) == bounds


def test_sums_stay_sums_and_undefined_values_are_left_out():
    run, qrels = {"q1": {"a": 1.0}, "q2": {"u": 1.0}}, {"q1": {"a": 1}, "q2": {"u": 1}}
    labels = {"a": "f", "b": "m"}
    found = fairtrec.evaluate("num_ret AWRF@1", run, qrels=qrels, labels=labels, aggregate="mean, max ,>=0.3")
    assert list(found.means["run"]) == [
        "NumRet", "NumRet max", "NumRet >=0.3", "AWRF@1", "AWRF@1 max", "AWRF@1 >=0.3",
    ]  # fmt: skip
    assert found.means["run"]["NumRet"] == 2
    assert found.scores[0].defined.tolist() == [2, 2, 2, 1, 1, 1]
    asked = {"labels": labels, "aggregate": "min"}
    assert fairtrec.evaluate("AWRF@1", run, **asked, undefined="worst").means["run"] == {"AWRF@1 min": 0.0}
    nowhere = {"q1": {"a": 1.0}, "q2": {"u": 1.0}}
    values = fairtrec.evaluate("AWRF@1", nowhere, **asked, queries=["q2"], missing="even").means["run"]
    assert values == {"AWRF@1 min": 1.0}


def test_runs_are_sorted_by_the_first_and_marked_by_sizes_where_nearer_0_is_better(fairtrec_command):
    words = ("--terms", "gender-en", "--docs", str(EXAMPLE / "collection.tsv"))
    given = ("eval", QRELS, *RUNS, "-m", "nDCG@10 ARaB@10", *words, "-f", "csv")
    done = fairtrec_command(*given, "--aggregate", "max,min", "--sort", "ARaB@10")
    rows = [line.split(",") for line in done.out.splitlines()]
    values = {
        run: fairtrec.evaluate("ARaB@10", run, terms="gender-en", docs=words[-1]).scores[0].values[0] for run in RUNS
    }
    nearest = sorted(RUNS, key=lambda run: np.abs(values[run]).max())
    assert [row[0] for row in rows[1:]] == nearest
    assert [float(row[-2]) for row in rows[1:]] == [round(values[run].max(), 4) for run in nearest]
    refused = fairtrec_command(*given, "--aggregate", "max", "--sort", "AP")
    assert (refused.code, "AP" in refused.err) == (2, True)


def test_slices_have_differences_of_what_was_asked_for(plain, tmp_path, fairtrec_command):
    values = plain.per_query[RUNS[0]]["nDCG@10"]
    qids = sorted(values)
    parts = {"some": qids[:5], "rest": qids[5:]}
    (tmp_path / "slices.tsv").write_text("".join(f"{qid}\t{name}\n" for name, of in parts.items() for qid in of))
    done = fairtrec_command("eval", QRELS, RUNS[0], "-m", "nDCG@10", "--aggregate", "max,<0.9", "--slice",
                            str(tmp_path / "slices.tsv"), "-f", "jsonl")  # fmt: skip
    rows = {(row["slice"], row["aggregate"]): row for row in map(json.loads, done.out.splitlines())}
    most = {name: max(values[qid] for qid in of) for name, of in parts.items()}
    shares = {name: sum(values[qid] < 0.9 for qid in of) / len(of) for name, of in parts.items()}
    for way, found in (("max", most), ("<0.9", shares)):
        assert [rows[name, way]["value"] for name in parts] == list(found.values())
        assert rows["difference", way]["value"] == pytest.approx(max(found.values()) - min(found.values()))
        assert rows["ratio", way]["value"] == pytest.approx(min(found.values()) / max(found.values()))


def written(form, fairtrec_command, *more):
    done = fairtrec_command("eval", QRELS, RUNS[0], "-m", "map AWRF@10", "--labels", LABELS, "--aggregate", "max,mean,gm",
                            "-q", "-f", form, *more)  # fmt: skip
    assert done.code == 0
    return done.out


def test_values_of_queries_stand_under_the_name_of_the_measure_once(fairtrec_command, tmp_path):
    trec = [line.split("\t") for line in written("trec", fairtrec_command).splitlines()]
    assert [name.strip() for name, qid, _ in trec if qid == "101"] == ["map", "AWRF@10"]
    assert [name.strip() for name, qid, _ in trec if qid == "all"] == [
        "runid", "num_q", "map.max", "map", "map.gm", "AWRF@10.max", "AWRF@10", "AWRF@10.gm",
    ]  # fmt: skip
    lines = [json.loads(line) for line in written("jsonl", fairtrec_command).splitlines()]
    assert [(row["measure"], row.get("aggregate")) for row in lines if row["qid"] in ("101", "all")] == [
        (measure, how) for measure in ("AP", "AWRF@10") for how in (None, "max", "mean", "gm")
    ]
    tira = written("tira", fairtrec_command)
    assert tira.count('key: "AP"') == 12 + 1  # of queries, and the mean
    assert tira.count('key: "AP gm"') == 1
    rows = [line.split(",") for line in written("csv", fairtrec_command).splitlines()]
    assert rows[0][4:] == ["AP max", "AP", "AP gm", "AWRF@10 max", "AWRF@10", "AWRF@10 gm"]
    assert [bool(cell) for cell in rows[1][4:]] == [True, False, False] * 2
    assert all(rows[-1])
    parquet = pytest.importorskip("pyarrow.parquet")
    written("parquet", fairtrec_command, "-o", str(tmp_path / "a.parquet"))
    table = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert [(row["measure"], row["aggregate"], row["qid"]) for row in table if row["qid"] in ("101", None)] == [
        (row["measure"], row.get("aggregate"), None if row["qid"] == "all" else row["qid"])
        for row in lines if row["qid"] in ("101", "all")
    ]  # fmt: skip
    assert json.loads(fairtrec_command("eval", QRELS, RUNS[0], "-m", "AP", "--aggregate", "<0.9,<-0.9", "-f", "flat").out).keys() == {
        "AP_below_0_9", "AP_below_0_9_queries", "AP_below_minus_0_9", "AP_below_minus_0_9_queries", "queries",
    }  # fmt: skip


def test_a_frame_has_them_and_the_page_and_the_table_of_a_document(tmp_path):
    pytest.importorskip("pandas")
    found = fairtrec.evaluate("AP AWRF@10", RUNS, qrels=QRELS, labels=LABELS, aggregate="max,<0.9")
    assert list(found.to_frame().columns) == ["AP max", "AP <0.9", "AWRF@10 max", "AWRF@10 <0.9"]
    assert list(found.to_frame(per_query=True).columns) == ["AP", "AWRF@10"]
    for form in ("html", "md", "tex"):
        found.write(tmp_path / f"a.{form}", sort="AP")
        assert "AWRF@10 max" in (tmp_path / f"a.{form}").read_text()


def test_a_results_file_is_read_replayed_and_compared_with_others(fairtrec_command, tmp_path):
    results = tmp_path / "a.json"
    written("json", fairtrec_command, "-o", str(results))
    document = json.loads(results.read_text())
    assert document["measures"]["AWRF@10 max"] == {"better": "higher", "aggregate": "max", "of": "AWRF@10"}
    assert document["measures"]["AP"] == {"better": "higher", "aggregate": "mean", "of": "AP"}
    assert list(document["runs"][0]["per_query"]["101"]) == ["AP", "AWRF@10"]
    again = fairtrec_command("results", "replay", str(results))
    assert (again.code, "the same query by query" in again.err) == (0, True)
    other = tmp_path / "b.json"
    fairtrec_command(
        "eval", QRELS, RUNS[0], "-m", "map AWRF@10", "--labels", LABELS, "-q", "-f", "json", "-o", str(other)
    )
    told = fairtrec_command("results", "diff", str(results), str(other))
    assert (told.code, "AWRF@10 max" in told.out, "aggregate" in told.out) == (1, True, True)
    assert [str(each) for each in read_results(results).result().scores[0].measures] == ["AP", "AWRF@10"]
    held = fairtrec_command("check", QRELS, RUNS[0], "--require", "AWRF@10 >= baseline", "--labels", LABELS,
                            "--baseline", str(results))  # fmt: skip
    assert held.code == 0
    del document["measures"]["AP"]["of"]
    document["measures"]["AP"]["of"] = 3
    results.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"measures\.AP\.of must be text"):
        read_results(results)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--aggregate", "maximum"], "cannot read --aggregate 'maximum'; there are mean, median, min, max, gm, p0 to p100, and bounds"),
        (["--aggregate", "max,"], "cannot read --aggregate ''"),
        (["--aggregate", "<1e999"], "the number is too large"),
        (["--aggregate", "<0.90,min,<0.9"], "--aggregate has <0.9 twice"),
        (["--aggregate", "max", "--bounds", "ties"], "--bounds applies only to means"),
        (["--aggregate", "max", "--pool", "even"], "--pool applies only to means"),
        (["--aggregate", "max", "--gold", "sheet.tsv"], "--gold corrects means"),
        (["--aggregate", "max", "--confidence", "0.9"], "--confidence works only with means"),
        (["--aggregate", "max", "--spread"], "leave out --aggregate"),
        (["--aggregate", "max", "-n", "-q"], "-n leaves them out"),
        (["--aggregate", "gm", "-m", "Skew(group='f')@3"], "Skew(group='f')@3 can be below 0"),
        (["--aggregate", "max", "-m", "gm_map"], "gm_map is a geometric mean already"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_a_run_is_read(options, said, fairtrec_command):
    measures = [] if "-m" in options else ["-m", "AWRF@3"]
    done = fairtrec_command("eval", QRELS, "no-such.run", "--labels", LABELS, *measures, *options)
    assert (done.code, said in done.err, done.err.count("\n")) == (2, True, 1), done.err


def test_a_bound_keeps_all_its_digits_and_zero_has_no_sign():
    assert read("<-0,>1234567890123456,>=3.0,<=1e-400,< 0.30") == ("<0", ">1234567890123456", ">=3", "<=0", "<0.3")


@pytest.mark.parametrize("given", [None, 3])
def test_what_is_no_list_is_refused_in_python(given):
    with pytest.raises(UsageError, match=f"the aggregate is {given}; it must be a list"):
        fairtrec.evaluate("AP", RUNS[0], qrels=QRELS, aggregate=given)


def test_what_goes_by_means_refuses_others():
    found = fairtrec.evaluate("AP@5 AP@10", RUNS, qrels=QRELS, aggregate="max")
    given = {"aggregate": "max", "qrels": QRELS, "labels": LABELS}
    answers = gather_trials("NO_AGGREGATE_RESULT", [spread, lambda result: result.with_confidence()])
    for ask, asked in [(ask, found) for ask in answers] + [(ask, given) for ask in gather_trials("NO_AGGREGATE")]:
        with pytest.raises(UsageError, match="aggregate"):
            ask(asked)


def test_measures_of_others_are_made_so_too_and_one_without_an_end_has_no_geometric_mean(monkeypatch):
    monkeypatch.setattr("fairtrec.measure.DEFINED", {})

    @define("OfAnybody")
    def of_anybody(relevance):
        """How many documents have any grade? Source: this test."""
        return (~np.isnan(relevance)).sum(axis=1).astype(float)

    given = {
        "qrels": {"q": {"a": 1}, "r": {"b": 0}},
        "runs": {"q": {"a": 1.0, "b": 0.5}, "r": {"b": 1.0, "a": 0.2, "c": 0.1}},
    }
    assert fairtrec.evaluate(of_anybody(), aggregate="max", **given).means["run"] == {"OfAnybody max": 1.0}
    with pytest.raises(UsageError, match="OfAnybody can be below 0"):
        fairtrec.evaluate(of_anybody(), aggregate="gm", **given)


@pytest.mark.parametrize("given", ["mean", ["mean"], " mean "])
def test_the_mean_alone_is_what_there_was(given):
    found = fairtrec.evaluate("AP", RUNS[0], qrels=QRELS, aggregate=given)
    assert "aggregate" not in found.signature
    assert read(given) == ("mean",)
    assert [type(each).__name__ for each in found.scores[0].measures] == ["Utility"]

"""Verdicts that misled: what compare, check and the marks of a table say, and when they say less."""

import json
import re
import shutil
from dataclasses import dataclass
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import fairtrec
from fairtrec import compare
from fairtrec.commands.check import judgment, requirement
from fairtrec.commands.check.judgment import Gate
from fairtrec.commands.check.report import facts
from fairtrec.commands.compare import COMPARISONS
from fairtrec.evaluation import leaderboard
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores, fill_undefined, find_worst_value
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.registry import parse as measures
from fairtrec.report.cells import format_distinct
from fairtrec.report.writers import RESULTS
from fairtrec.statistics import paired
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import THOROUGH, texts


def scores(values, name="mine", measure="nDCG@10", qids=None):
    """One measure, a value for each query."""
    qids = qids or [f"q{number:03}" for number in range(len(values))]
    return Scores(name, "tag", tuple(measures(measure)), tuple(qids), np.array([values], dtype=np.float64))


@pytest.fixture
def folder(tmp_path, example, monkeypatch):
    for path in example.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def result_of(*runs):
    return Result(tuple(runs), Signature.read("order:score"), (), {})


# --- compare: the direction of signed ranks ---


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("queries", [12, 42])
def test_wilcoxon_goes_by_the_sum_of_signed_ranks(sign, queries):
    """A few large gains and many small losses: the ranks say worse, the mean says better."""
    few = queries // 12
    differences = sign * np.r_[np.full(few, 0.9), -np.linspace(0.01, 0.02, queries - few)]
    view = compare(result_of(scores(np.full(queries, 0.5), "base"), scores(0.5 + differences)), test="wilcoxon")
    (row,) = view.rows
    assert row.difference * sign > 0
    assert row.p < 0.05
    assert row.verdict == ("worse" if sign > 0 else "better")
    assert any("signed ranks contradict the mean difference in mine by nDCG@10" in note for note in texts(view.notes))
    by_t = compare(result_of(scores(np.full(queries, 0.5), "base"), scores(0.5 + differences)))
    assert not any("signed ranks" in note for note in texts(by_t.notes))


def test_the_side_is_that_of_scipy():
    from scipy import stats

    draw = np.random.default_rng(9)
    rows = draw.normal(size=(40, 15)).round(1)
    sides = paired.direction(rows, "wilcoxon")
    for row, side in zip(rows, sides, strict=True):
        less, greater = (stats.wilcoxon(row, alternative=end).statistic for end in ("less", "greater"))
        assert less == greater  # the sum of the ranks above 0
        many = np.count_nonzero(row)
        assert np.sign(greater - many * (many + 1) / 4) == side


# --- compare: few differences that decide ---


@pytest.mark.parametrize(("deciding", "marked"), [(1, True), (9, True), (10, False), (40, False)])
@pytest.mark.parametrize("most", [0, 0.01])
def test_few_differences_that_decide_are_counted_and_mark_the_verdict(deciding, marked, most):
    differences = np.full(41, most, dtype=float)
    differences[:deciding] = np.linspace(0.1, 0.2, deciding)
    view = compare(result_of(scores(np.full(41, 0.5), "base"), scores(0.5 + differences)))
    (row,) = view.rows
    assert (row.deciding, row.doubtful) == (deciding, marked)
    table = COMPARISONS("table", view, places=4)
    assert (f"{row.verdict} ?" in table) is marked
    assert ("?: fewer than 10 differences differ from the most frequent one" in table) is marked
    verb = "query differs" if deciding == 1 else "queries differ"
    said = f"only {deciding} {verb} from the most frequent difference: too few to trust the interval and p"
    assert any(said in note for note in texts(view.notes)) is marked


@pytest.mark.parametrize(("difference", "marked"), [(0.0, False), (0.01, True), (-0.2, True)])
def test_the_same_difference_everywhere_is_doubtful_unless_it_is_0(difference, marked):
    (row,) = compare(result_of(scores(np.full(40, 0.5), "base"), scores(np.full(40, 0.5 + difference)))).rows
    assert (row.deciding, row.doubtful) == (0, marked)


def test_no_mark_where_nothing_was_tested():
    (row,) = compare(result_of(scores([0.5], "base"), scores([0.7]))).rows
    assert (row.verdict, row.deciding, row.doubtful) == ("not tested", 0, False)


def test_a_summary_counts_the_doubtful_verdicts_of_its_rows(tmp_path):
    base, sure, few = np.full(40, 0.5), np.linspace(0.1, 0.2, 40), np.r_[np.linspace(0.3, 0.5, 8), np.zeros(32)]
    view = compare(result_of(scores(base, "base"), scores(base + sure, "sure"), scores(base + few, "few")))
    said = "2 of 2 comparisons show a difference, 1 of them doubtful (?)"
    for form in [each for each in COMPARISONS.forms if each not in ("tsv", "csv", "jsonl", "flat")]:
        assert said in " ".join(COMPARISONS(form, view, places=4).split()), form
    verdict = json.loads(COMPARISONS("json", view, places=4))["notes"][0]
    assert verdict["numbers"]["doubtful"] == 1
    (alone,) = [compare(result_of(scores(base, "base"), scores(base + few, "few")))]
    assert "the comparison shows a difference ?" in COMPARISONS("table", alone, places=4)


# --- check ---

NOISY = np.array([0.3, -0.3] * 10)  # mean 0; the 95 % interval reaches 0.144 to either side


def judged(text, mine, theirs=None, slices=None, **gate):
    baseline = None if theirs is None else scores(theirs, "baseline")
    mine = mine if isinstance(mine, Scores) else scores(mine)
    return judgment.judge(mine, [requirement.parse(text)], baseline=baseline, slices=slices, gate=Gate(**gate))


@pytest.mark.parametrize(("shift", "side"), [(-0.036, "misses"), (0.011, "meets")])
def test_a_warning_says_on_which_side_of_the_bound_the_mean_is(shift, side):
    (verdict,) = judged("nDCG@10 >= baseline - 0.02", 0.5 + shift + NOISY, np.full(20, 0.5))
    assert verdict.status == "warning"
    assert verdict.reason.startswith(f"the mean {side} the bound, but the 95 % interval reaches across it")


@pytest.mark.parametrize("tolerance", [0, 0.02, 0.2])
def test_an_interval_across_the_bound_is_a_warning_whatever_the_tolerance(tolerance):
    """With a tolerance of 0.2 a difference as large would have been found, and with 0 none could."""
    (verdict,) = judged(f"nDCG@10 >= baseline - {tolerance}", 0.5 - tolerance - 0.05 + NOISY, np.full(20, 0.5))
    assert verdict.status == "warning"
    (verdict,) = judged(f"nDCG@10 <= baseline + {tolerance}", 0.5 + tolerance + 0.05 + NOISY, np.full(20, 0.5))
    assert verdict.status == "warning"


def test_the_drop_that_is_named_fails_in_four_of_five_cases():
    draw = np.random.default_rng(11)
    spread = 0.17 * draw.normal(size=(400, 43))
    reason = judged("nDCG@10 >= baseline - 0.02", 0.5 + spread[0], np.full(43, 0.5))[0].reason
    drop = float(re.search(r"a drop of (\S+) or more would fail with a power of 80 %", reason)[1])
    expected = 0.02 + paired.detectable(spread[0])
    assert drop == pytest.approx(expected, rel=1e-2)
    interval = paired.intervals(spread * (spread[0].std(ddof=1) / 0.17) - drop)
    assert (interval[:, 1] < -0.02).mean() == pytest.approx(0.8, abs=0.06)


def test_one_of_many_slices_fails_no_more_often_than_one_alone():
    """No slice differs in truth: of 20 slices one or more failed in 35 of 100 cases, where each had the whole alpha."""
    draw, trials, slices = np.random.default_rng(20), 120 if THOROUGH else 25, 20
    parts = {f"s{i}": [f"q{i * 20 + j:03}" for j in range(20)] for i in range(slices)}
    failed = 0
    for _ in range(trials):
        values = 0.5 + 0.1 * draw.normal(size=20 * slices)
        (verdict,) = judged("worst slice nDCG@10 >= baseline", values, np.full(20 * slices, 0.5), slices=parts)
        failed += verdict.status == "failed"
    assert failed / trials < 0.08
    each = judged("every slice nDCG@10 >= baseline", values, np.full(20 * slices, 0.5), slices=parts)
    assert "99.75 % interval" in next(verdict.reason for verdict in each if verdict.reason)


def test_what_is_not_proved_fails_where_proof_is_asked_for():
    base = np.full(20, 0.5)
    for shift, status in ((-0.2, "failed"), (-0.02, "failed"), (0.02, "failed"), (0.2, "passed")):
        (verdict,) = judged("nDCG@10 >= baseline - 0.02", 0.5 + shift + NOISY, base, prove=True)
        assert verdict.status == status
    (verdict,) = judged("nDCG@10 >= 0.45", 0.5 + NOISY, prove=True)  # an interval of the mean itself
    assert (verdict.status, verdict.interval) == ("failed", pytest.approx(paired.interval(0.5 + NOISY)))
    assert "reaches below it (--prove)" in verdict.reason
    assert judged("nDCG@10 >= 0.45", 0.5 + NOISY)[0].status == "passed"
    assert judged("nDCG@10 >= 0.3", 0.5 + NOISY, prove=True)[0].status == "passed"
    parts = {"a": [f"q{i:03}" for i in range(10)], "b": [f"q{i:03}" for i in range(10, 20)]}
    each = judged("every slice nDCG@10 >= baseline - 0.02", 0.5 + NOISY, base, slices=parts, prove=True)
    assert all("the 95 % interval" in verdict.reason for verdict in each)  # all have to pass, so none is corrected


def test_an_absolute_requirement_has_its_interval(folder, fairtrec_command):
    given = ("qrels.txt", "neural.run", "--require", "nDCG@10 >= 0.9", "-f", "json")
    (verdict,) = json.loads(fairtrec_command("check", *given).out)["verdicts"]
    values = fairtrec.evaluate("nDCG@10", "neural.run", qrels="qrels.txt").scores[0].values[0]
    assert (verdict["low"], verdict["high"]) == pytest.approx(paired.interval(values))
    assert f"[{verdict['low']:.4f}, {verdict['high']:.4f}]" in fairtrec_command("check", *given[:-1], "text").out


def test_a_gate_closed_by_warnings(folder, fairtrec_command):
    given = ("qrels.txt", "neural.run", "--baseline", "bm25.run", "--require", "AP >= baseline + 0.05")
    lenient = fairtrec_command("check", *given, "--junit", "a.xml")
    assert (lenient.code, lenient.out[:7]) == (0, "warning")
    closed = fairtrec_command("check", *given, "--fail-on", "warning", "--junit", "b.xml", "-f", "github")
    assert (closed.code, closed.out[:8]) == (1, "::error ")
    assert [ET.parse(name).getroot().get("failures") for name in ("a.xml", "b.xml")] == ["0", "1"]
    assert json.loads(fairtrec_command("check", *given, "--fail-on", "warning", "-f", "json").out)["passed"] is False


def test_sizes_of_values_of_a_measure_whose_better_is_nearer_0():
    mine = scores([0.4, -0.4, 0.1, -0.1], measure="ARaB@10")
    (verdict,) = judged("|ARaB@10| <= 0.2", mine)
    assert (verdict.value, verdict.status) == (pytest.approx(0.25), "failed")
    assert judged("ARaB@10 <= 0.2", mine)[0].value == pytest.approx(0)
    base = scores(np.array([0.1, -0.1] * 10), "base", "ARaB@10")
    worse = scores(np.array([0.5, -0.5] * 10) + 0.01 * NOISY, "mine", "ARaB@10")
    asked = requirement.parse("| ARaB@10 | <= baseline")
    (verdict,) = judgment.judge(worse, [asked], baseline=base)
    assert (verdict.status, verdict.evidence.difference) == ("failed", pytest.approx(0.4, abs=0.01))
    assert asked.contradiction == ""
    assert "|ARaB@10| <=" in requirement.parse("ARaB@10 <= baseline").contradiction
    assert "lower values are better" in requirement.parse("|ARaB@10| >= 0.2").contradiction
    with pytest.raises(UsageError, match=r"there is no measure \|ARaB"):
        requirement.parse("|ARaB@10 <= 0.2")


def test_the_other_runs_are_judged_where_one_is_broken(folder, fairtrec_command):
    (folder / "broken.run").write_text("101 Q0 d1 1 x t\n")
    given = ("qrels.txt", "neural.run", "broken.run", "--require", "nDCG@10 >= 0.5", "--junit", "j.xml")
    assert fairtrec_command("check", *given).code == 3
    ended = fairtrec_command("check", *given, "--keep-going")
    assert (ended.code, ended.out[:15]) == (3, "passed   neural")
    assert "broken.run:1: the score 'x'" in ended.err
    root = ET.parse("j.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "0", "1")
    assert "broken.run:1" in root.find(".//error").get("message")
    alone = fairtrec_command("check", "qrels.txt", "broken.run", *given[3:], "--keep-going")
    assert (alone.code, alone.out.splitlines()[0]) == (3, "no verdicts (confidence 0.95)")
    against = ("--require", "nDCG@10 >= baseline", "--baseline", "broken.run", "--keep-going")
    assert fairtrec_command("check", "qrels.txt", "neural.run", *against).err.startswith("the baseline is broken")


def test_bad_input_is_told_to_those_who_read_ci(folder, fairtrec_command, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    (folder / "broken.run").write_text("101 Q0 d1 1 1 t\n101 Q0 d2 2 x t\n")
    (folder / "j.xml").write_text("<testsuites failures='0'/>")  # of an earlier run, all green
    for run, place in (("broken.run", "file=broken.run,line=2,"), ("none.run", "file=none.run,")):
        ended = fairtrec_command("check", "qrels.txt", run, "--require", "nDCG@10 >= 0.5", "--junit", "j.xml")
        assert ended.code == 3
        assert f"::error {place}title=fairtrec::" in ended.err
        root = ET.parse("j.xml").getroot()
        assert (root.get("tests"), root.get("errors")) == ("1", "1")
        assert run in root.find(".//error").get("message")
        assert run in (folder / "summary.md").read_text()
    ended = fairtrec_command("check", "qrels.txt", "bm25.run", "--require", "nDCG@10 >=", "--junit", "j.xml")
    assert (ended.code, ET.parse("j.xml").getroot().get("errors")) == (2, "1")
    for given in (["--junit", "bm25.run"], ["--junit", "qrels.txt"]):  # never what is read
        held = (folder / given[1]).read_text()
        assert fairtrec_command("check", "qrels.txt", "bm25.run", "none.run", "--require", "RR > 0", *given).code in (
            2,
            3,
        )
        assert (folder / given[1]).read_text() == held


# --- runs that drop queries ---

LABELS = {"a": "x", "b": "y", "c": "x"}
FULL = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 3.0, "c": 2.0}, "q3": {"b": 3.0, "a": 2.0}}
DROPS = {qid: ranking for qid, ranking in FULL.items() if qid != "q2"}  # the query in which it is bad
JUDGED = {qid: {"a": 1} for qid in FULL}


def both(measure="AWRF@2", **choices):
    runs = {"full": FULL, "drops": DROPS}
    return fairtrec.evaluate(measure, runs, qrels=JUDGED, labels=LABELS, complete=True, **choices)


def test_leaving_out_queries_gains_nothing():
    skipped = both()
    means = {name: values["AWRF@2"] for name, values in skipped.means.items()}
    assert means["drops"] > means["full"]  # over two of the three queries
    full = skipped.scores[0].values[0]
    for undefined in ("worst", "0"):
        result = both(undefined=undefined)
        assert result.scores[1].values[0].tolist() == [full[0], 0.0, full[2]]
        assert result.means["drops"]["AWRF@2"] == pytest.approx((full[0] + full[2]) / 3)
        assert result.means["full"] == skipped.means["full"]
        assert result.signature["undefined"] == undefined
        assert "AWRF@2: undefined for 1 of 3 queries, which count as 0" in map(str, result.scores[1].notes)
    assert "undefined" not in skipped.signature
    with pytest.raises(InputError, match=r"drops: AWRF@2 is undefined for 1 of 3 queries, such as q2; .*undefined="):
        both(undefined="error")
    kept = fairtrec.evaluate(
        "AWRF@2",
        {"full": FULL, "drops": DROPS},
        qrels=JUDGED,
        labels=LABELS,
        complete=True,
        undefined="error",
        keep_going=True,
    )
    assert ([each.run for each in kept.scores], kept.failed[0][0]) == (["full"], "drops")


@pytest.mark.parametrize(
    ("better", "bounds", "value"),
    [("higher", (-1.0, 1.0), -1.0), ("lower", (0.0, 2.0), 2.0), ("nearer 0", (-3.0, 1.0), 3.0),
     ("higher", (None, 1.0), None), ("lower", (0.0, None), None), ("nearer 0", (-1.0, None), None),
     ("neither", (0.0, 1.0), None)],
)  # fmt: skip
def test_the_worst_is_that_of_the_direction(better, bounds, value):
    made = dataclass(frozen=True)(type("Made", (Measure,), {"better": better, "bounds": bounds}))()
    if value is not None:
        assert find_worst_value(made) == value
        return
    with pytest.raises(UsageError, match="Made has no worst value; choose undefined=0, error or skip"):
        fill_undefined(Scores("r", "t", (made,), ("q",), np.array([[np.nan]])), "worst")
    assert fill_undefined(Scores("r", "t", (made,), ("q",), np.array([[np.nan]])), "0").values.tolist() == [[0.0]]


@pytest.mark.parametrize("form", ["table", "md", "latex"])
def test_leaving_out_queries_gains_no_rank(form):
    """Both rank the two queries that they share in the same way; with the worst value for an empty ranking one is behind."""
    (measure,) = measures("AWRF@2")
    text = RESULTS(form, both(), sort=measure, places=4)
    lines = [re.split(r"[\s&|]+", line.strip(" |")) for line in text.splitlines()]
    ranks = {line[1]: line[0] for line in lines if len(line) > 2 and line[1] in ("full", "drops")}
    assert list(ranks.items()) == [("full", "1"), ("drops", "1")]
    assert "over the 2 queries in which all ranked runs have a value" in text
    counted = RESULTS(form, both(undefined="worst"), sort=measure, places=4)
    lines = [re.split(r"[\s&|]+", line.strip(" |")) for line in counted.splitlines()]
    ranks = {line[1]: line[0] for line in lines if len(line) > 2 and line[1] in ("full", "drops")}
    assert list(ranks.items()) == [("full", "1"), ("drops", "2")]
    assert "in which all ranked runs have a value" not in counted


def test_where_all_leave_out_the_same_queries_all_are_ranked():
    result = fairtrec.evaluate("AWRF@2", {"one": DROPS, "two": DROPS}, qrels=JUDGED, labels=LABELS, complete=True)
    assert not leaderboard.incomplete(result).any()


def test_on_the_command_line(folder, fairtrec_command):
    lines = (folder / "bm25.run").read_text().splitlines(keepends=True)
    (folder / "drops.run").write_text("".join(line for line in lines if not line.startswith("101 ")))
    given = (
        "eval",
        "qrels.txt",
        "bm25.run",
        "drops.run",
        "--labels",
        "labels.tsv",
        "-c",
        "-m",
        "AWRF@10",
        "-f",
        "json",
    )
    skipped = json.loads(fairtrec_command(*given).out)["runs"][1]["means"]["AWRF@10"]
    counted = json.loads(fairtrec_command(*given, "--undefined", "worst").out)["runs"][1]["means"]["AWRF@10"]
    assert (skipped["defined"], counted["defined"]) == (11, 12)
    assert counted["value"] == pytest.approx(skipped["value"] * 11 / 12)
    assert fairtrec_command(*given, "--undefined", "error").code == 3


@pytest.mark.usefixtures("few_files")
def test_numbers_that_no_digits_tell_apart():
    assert format_distinct(1e-30, 2e-30, 4) == ("1e-30", "2e-30")


def test_bounds_over_more_queries_than_the_value_have_their_number():
    """q3 has no labeled document, so AWRF@5 is undefined there, but bounds give it a value."""
    runs = {"a": {"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 3, "a": 2}, "q3": {"x": 1}, "q4": {"b": 2, "y": 1}}}
    given = {"labels": {"a": "f", "b": "m", "c": "f"}, "bounds": "labels"}
    (verdict,) = fairtrec.check("AWRF@5 >= 0.1", runs, **given).verdicts
    ends = fairtrec.evaluate("AWRF@5", runs, **given).scores[0].ends
    least, greatest = (ends[end].means.item() for end in ("least", "greatest"))
    assert f"could be [{least:.4f}, {greatest:.4f}] over 4, 3 of 4 queries" in facts(verdict, 4)


def test_what_a_count_could_have_shown_is_a_sum_as_its_difference_is():
    differences, asked = np.array([1.0, 0.0, 2.0, -1.0, 1.0]), SimpleNamespace(factor=1.0, offset=0.0)
    mean, total = (judgment._compared(asked, differences, 4.0, (None, None), "t", 0.05, scale) for scale in (1, 5))
    least = paired.detectable(differences, alpha=0.05, power=judgment.POWER)
    assert (mean.difference, mean.detectable) == pytest.approx((0.6, least))
    assert (total.difference, total.detectable) == pytest.approx((3, 5 * least))
    assert (total.low, total.high) == pytest.approx((5 * mean.low, 5 * mean.high))

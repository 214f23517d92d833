"""Requirements on pooled values against a baseline and over unknown labels, and requirements by clusters of queries."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.commands.check.report import facts
from fairtrec.support.errors import UsageError

DOCNOS = "abcdefgh"
LABELS = dict(zip(DOCNOS, "ffmmm-mf", strict=True))
QRELS = {f"q{at}": {d: (at + place) % 3 for place, d in enumerate(DOCNOS)} for at in range(24)}


def draw_run(seed, queries=24):
    random = np.random.default_rng(seed)
    return {
        f"q{at}": {d: -float(rank) for rank, d in enumerate(random.permutation([*DOCNOS])[: 5 + at % 4])}
        for at in range(queries)
    }


RUNS = {"new": draw_run(1), "old": draw_run(2)}
CLUSTER = {qid: f"user {at % 13}" for at, qid in enumerate(QRELS)}


def check(requirement, **given):
    given = {"labels": LABELS, "pool": "even", "baseline": {"old": RUNS["old"]}, **given}
    (verdict,) = fairtrec.check(requirement, {"new": RUNS["new"]}, qrels=QRELS, **given).verdicts
    return verdict


def compare(measure, **given):
    result = fairtrec.evaluate(measure, RUNS, **{"qrels": QRELS, "labels": LABELS, "pool": "even", **given})
    return fairtrec.compare(result, "old").rows[0]


@pytest.mark.parametrize("cluster", [None, CLUSTER], ids=["queries", "clusters"])
@pytest.mark.parametrize("measure", ["DP", "AWRF@3", "Impact@2", "Selected(group=f)@2", "Exposure(group=f)@3", "EEL@3"])
def test_the_difference_from_the_baseline_is_that_of_compare(measure, cluster):
    given = {} if cluster is None else {"cluster": cluster}
    row, verdict = compare(measure, **given), check(f"{measure} >= baseline - 0.01", **given)
    found = verdict.evidence
    assert (found.baseline, found.difference) == pytest.approx((row.baseline, row.difference))
    assert (found.low, found.high) == pytest.approx((row.low, row.high))
    assert (verdict.value, verdict.doubtful, found.deciding) == (pytest.approx(row.mean), row.doubtful, row.deciding)
    assert verdict.bound == pytest.approx(row.baseline - 0.01)
    assert verdict.is_pooled


def test_verdicts_follow_the_interval():
    row = compare("DP")
    for bound, status in ((row.low - 0.01, "passed"), (row.difference, "warning"), (row.high + 0.01, "failed")):
        sign = "-" if bound < 0 else "+"
        requirement = f"DP >= baseline {sign} {abs(bound)}"
        assert check(requirement).status == status
        assert check(requirement, prove=True).status == ("passed" if status == "passed" else "failed")
    assert "the pooled value" in check(f"DP >= baseline + {row.difference:f}").reason
    assert check(f"DP >= baseline + {row.difference + 1e-4:f}", strict=True).status == "failed"


def test_a_factor_multiplies_the_baseline_and_what_is_deleted():
    values = {name: [] for name in RUNS}
    for left_out in [None, *QRELS]:
        for name, run in RUNS.items():
            some = {qid: ranking for qid, ranking in run.items() if qid != left_out}
            scores = fairtrec.evaluate("Selected(group=f)@2", some, labels=LABELS, pool="even").scores[0]
            values[name].append(scores.totals["pooled"][0])
    whole = {name: each[0] for name, each in values.items()}
    deleted = {name: np.array(each[1:]) - each[0] for name, each in values.items()}
    error = math.sqrt(23 / 24 * np.square(deleted["new"] - 0.9 * deleted["old"]).sum())
    found = check("Selected(group=f)@2 >= baseline * 0.9").evidence
    assert found.difference == pytest.approx(whole["new"] - 0.9 * whole["old"])
    effective = min(
        sum(each) ** 2 / np.square(each).sum()
        for run in RUNS.values()
        for each in [[sum(LABELS[d] == "f" for d in ranking) for ranking in run.values()]]
    )
    assert found.high - found.difference == pytest.approx(stats.t.isf(0.025, effective - 1) * error)
    # found with a power of 80 %, by the noncentral t of another program
    shift, critical = found.detectable / error, stats.t.isf(0.025, effective - 1)
    assert stats.nct.sf(critical, effective - 1, shift) + stats.nct.cdf(
        -critical, effective - 1, shift
    ) == pytest.approx(0.8)


def test_sizes_are_compared_on_their_side_of_0():
    row, verdict = compare("Exposure(group=f)@3"), check("|Exposure(group=f)@3| <= baseline + 0.5")
    assert verdict.value == pytest.approx(abs(row.mean))
    assert verdict.evidence.difference == pytest.approx(abs(row.mean) - abs(row.baseline))
    assert verdict.status in ("passed", "warning")


def test_the_mean_is_asked_for_by_its_name():
    verdict = check("mean DP >= baseline - 1")
    alone = check("DP >= baseline - 1", pool=None)
    assert (verdict.value, verdict.evidence, verdict.is_pooled) == (alone.value, alone.evidence, False)


def test_undefined_values_fail():
    nobody = {"old": {qid: {"f": 1.0} for qid in QRELS}}
    verdict = check("Selected(group=f)@2 >= baseline", baseline=nobody)
    assert verdict.status == "failed"
    assert verdict.reason == "Selected(group='f')@2 of the baseline is undefined for the 24 queries together"


def test_means_go_by_clusters():
    result = fairtrec.evaluate("nDCG@3", RUNS, qrels=QRELS, cluster=CLUSTER)
    row = fairtrec.compare(result, "old").rows[0]
    found = check("nDCG@3 >= baseline - 0.1", pool=None, labels=None, cluster=CLUSTER)
    assert (found.evidence.low, found.evidence.high) == pytest.approx((row.low, row.high))
    assert (found.doubtful, found.evidence.deciding) == (row.doubtful, row.deciding)
    low, high = result.with_confidence(0.95).scores[0].intervals[0][0]
    absolute = check("nDCG@3 >= 0", pool=None, labels=None, baseline=None, cluster=CLUSTER)
    assert absolute.interval == pytest.approx((low, high))
    few = check(
        "nDCG@3 >= 0", pool=None, labels=None, baseline=None, prove=True, cluster={q: q[-1] < "5" for q in QRELS}
    )
    assert "few clusters decide" in few.reason or "(--prove)" in few.reason
    assert few.doubtful


def test_every_slice_has_the_clusters_of_its_queries():
    slices = {"even": [*QRELS][::2], "odd": [*QRELS][1::2]}
    verdicts = fairtrec.check(
        "every slice DP >= baseline - 0.9", {"new": RUNS["new"]}, labels=LABELS, pool="even", slices=slices,
        baseline={"old": RUNS["old"]}, cluster=CLUSTER, prove=True,
    ).verdicts  # fmt: skip
    for verdict in verdicts:
        some = {name: {qid: run[qid] for qid in slices[verdict.slice]} for name, run in RUNS.items()}
        result = fairtrec.evaluate("DP", some, labels=LABELS, pool="even", cluster=CLUSTER)
        row = fairtrec.compare(result, "old").rows[0]
        assert (verdict.evidence.low, verdict.evidence.high) == pytest.approx((row.low, row.high))


def test_labels_that_are_unknown_decide():
    some = {docno: group for docno, group in LABELS.items() if docno not in "bd"}
    scores = fairtrec.evaluate("Selected(group=f)@2", RUNS["new"], labels=some, pool="even", bounds="labels").scores[0]
    told = scores.describe_total(scores.measures[0])
    least, value, greatest = told["least"], scores.totals["pooled"][0], told["greatest"]
    assert least < value < greatest
    cases = {
        least / 2: "passed", (least + value) / 2: "undecided",
        (value + greatest) / 2: "undecided", (greatest + 1) / 2: "failed",
    }  # fmt: skip
    for bound, status in cases.items():
        verdict = check(f"Selected(group=f)@2 >= {bound}", labels=some, bounds="labels", baseline=None)
        assert (verdict.status, verdict.ends) == (status, pytest.approx((least, greatest)))
    assert verdict.reason.endswith("whatever is unknown")
    assert f"could be [{least:.4f}, {greatest:.4f}]" in facts(verdict, 4)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, run in RUNS.items():
        lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in run.items() for d, score in ranking.items())
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "users").write_text("".join(f"{qid}\t{name}\n" for qid, name in CLUSTER.items()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


CHECK = ("check", "none", "new.run", "--labels", "labels", "--pool", "even")


def test_the_command_compares_with_a_run_and_not_with_a_results_file(folder, fairtrec_command):
    call = [*CHECK, "--cluster", "users", "--require", "DP >= baseline - 0.9", "--require", "Impact@2 >= 0.01"]
    ended = fairtrec_command(*call, "--baseline", "old.run")
    assert ended.code == 0, ended
    assert "| cluster:users@" in ended.out
    assert "pooled over 24 queries" in ended.out
    found = json.loads(fairtrec_command(*call, "--baseline", "old.run", "-f", "json").out)["verdicts"]
    assert [each["pooled"] for each in found] == [True, True]
    evaluated = fairtrec_command("eval", "none", "old.run", *CHECK[3:], "-m", "DP", "-q", "-o", "old.json")
    assert evaluated.code == 0
    ended = fairtrec_command(*call, "--baseline", "old.json")
    assert ended.code == 2
    assert ended.complaints[-1] == (
        "DP >= baseline - 0.9: a results file has no sums of queries, by which pooled values are compared; pass the "
        "run, or write mean DP"
    )
    ended = fairtrec_command(*call, "--baseline", "old.run", "--interval", "bca")
    assert (ended.code, ended.complaints[-1]) == (
        2, "--interval bca resamples single queries; leave it out, or --cluster",
    )  # fmt: skip


def test_frequencies_of_a_file_are_required_as_queries_that_are_repeated(folder, fairtrec_command):
    """A query that is asked twice is two equal queries of one cluster, for a bound and for a baseline."""
    often = {qid: at % 2 + 1 for at, qid in enumerate(QRELS)}
    (folder / "often").write_text("".join(f"{qid}\t{many}\n" for qid, many in often.items()))
    again = {f"{qid} {time}": qid for qid, many in often.items() for time in range(many)}
    new, old = ({one: run[qid] for one, qid in again.items()} for run in RUNS.values())
    required = ["DP >= 0.5", "Impact@2 >= 0.5", "Exposure(group=f)@3 >= baseline - 0.05"]
    verdicts = fairtrec.check(
        required, {"new": new}, labels=LABELS, pool="even", cluster=again, baseline={"old": old}
    ).verdicts
    options = [word for each in required for word in ("--require", each)]
    call = ["check", "none", "new.run", "--labels", "labels", "--pool", "often", "--baseline", "old.run", *options]
    found = json.loads(fairtrec_command(*call, "-f", "json").out)["verdicts"]
    for one, wanted in zip(found, verdicts, strict=True):
        assert (one["status"], one["pooled"]) == (wanted.status, True)
        numbers = [one[name] for name in ("value", "low", "high")]
        ends = wanted.interval or (wanted.evidence.low, wanted.evidence.high)  # of the value, or of the difference
        np.testing.assert_allclose(numbers, [wanted.value, *ends], rtol=1e-9, err_msg=str(wanted))
    even = fairtrec_command(*["even" if word == "often" else word for word in call], "-f", "json").out
    assert [one["value"] for one in json.loads(even)["verdicts"]] != [one["value"] for one in found]


def test_the_values_of_a_results_file_have_no_sums():
    result = fairtrec.evaluate("DP", RUNS, labels=LABELS, pool="even")
    bare = fairtrec.evaluate("DP", RUNS["old"], labels=LABELS)
    from fairtrec.commands.check.judgment import judge
    from fairtrec.commands.check.requirement import parse

    with pytest.raises(UsageError, match="pass the run, or write mean DP"):
        judge(result.scores[0], [parse("DP >= baseline")], baseline=bare.scores[0])

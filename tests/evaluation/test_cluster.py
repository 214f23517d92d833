"""``--cluster``: intervals by clusters of queries that are not independent."""

import math

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.evaluation.columns.confidence import Confidence
from fairtrec.support.errors import InputError, UsageError

RUN = {f"q{at}": {docno: -float((at + 3 * rank) % 5) for rank, docno in enumerate("abcde")} for at in range(12)}
LABELS = dict(zip("abcde", "fmfmm", strict=True))
QRELS = {qid: {docno: (at + rank) % 2 for rank, docno in enumerate("abcde")} for at, qid in enumerate(RUN)}
CLUSTER = {qid: f"u{at % 4 if at < 9 else 0}" for at, qid in enumerate(RUN)}


def evaluate(measures="nDCG@3 DP", **given):
    return fairtrec.evaluate(
        measures, RUN, qrels=QRELS, **{"labels": LABELS, "cluster": CLUSTER, "pool": "even", **given}
    )


def find_mean_interval(result, row=0):
    scores = result.with_confidence(0.95).scores[0]
    return scores.settle(Confidence.name)[row].tolist()


def test_the_mean_is_bounded_by_deletion_of_clusters():
    result = evaluate()
    scores = result.scores[0]
    values = dict(zip(scores.qids, scores.values[0].tolist(), strict=True))
    mean = np.mean([*values.values()])
    names, many = np.unique([*CLUSTER.values()], return_counts=True)
    without = [np.mean([value for qid, value in values.items() if CLUSTER[qid] != name]) for name in names]
    error = math.sqrt((len(names) - 1) / len(names) * sum((each - mean) ** 2 for each in without))
    effective = many.sum() ** 2 / np.square(many).sum()
    reach = stats.t.isf(0.025, effective - 1) * error
    assert find_mean_interval(result) == pytest.approx([max(mean - reach, 0), min(mean + reach, 1)])


def test_a_cluster_for_each_query_changes_nothing():
    alone, own = evaluate(cluster=None), evaluate(cluster={qid: f"of {qid}" for qid in RUN})
    for row in (0, 1):
        assert find_mean_interval(own, row) == pytest.approx(find_mean_interval(alone, row))
    told = [each.with_confidence(0.95).scores[0].describe_total(each.scores[0].measures[1]) for each in (alone, own)]
    assert told[0] == pytest.approx(told[1])


def test_names_do_not_matter_and_one_cluster_has_no_interval():
    renamed = {qid: {"u0": "z", "u1": "y", "u2": "x", "u3": "w"}[name] for qid, name in CLUSTER.items()}
    assert find_mean_interval(evaluate(cluster=renamed)) == pytest.approx(find_mean_interval(evaluate()))
    assert all(map(math.isnan, find_mean_interval(evaluate(cluster=dict.fromkeys(RUN, "one")))))


def test_every_query_twice_in_its_cluster_changes_nothing():
    twice = {f"{qid} {at}": ranking for qid, ranking in RUN.items() for at in (1, 2)}
    qrels, cluster = ({qid: of[qid.partition(" ")[0]] for qid in twice} for of in (QRELS, CLUSTER))
    doubled = fairtrec.evaluate("nDCG@3", twice, qrels=qrels, cluster=cluster)
    assert find_mean_interval(doubled) == pytest.approx(find_mean_interval(evaluate()))


def test_slices_are_of_their_clusters():
    result = evaluate().with_confidence(0.95)
    scores = result.scores[0].keep_queries([0, 1, 4, 5])
    of_slice = fairtrec.evaluate("nDCG@3 DP", {qid: RUN[qid] for qid in scores.qids}, qrels=QRELS, labels=LABELS, pool="even",
                                 cluster=CLUSTER).with_confidence(0.95).scores[0]  # fmt: skip
    assert scores.settle(Confidence.name) == pytest.approx(of_slice.settle(Confidence.name), nan_ok=True)
    measure = scores.measures[1]
    assert scores.describe_total(measure) == pytest.approx(of_slice.describe_total(measure), nan_ok=True)


def test_bootstraps_and_gold_labels_are_refused():
    with pytest.raises(UsageError, match="interval=bca resamples single queries; leave it out, or cluster="):
        evaluate().with_confidence(0.95, interval="bca")
    gold = evaluate("NFaiRR@3", pool=None, gold=LABELS, background=RUN)
    with pytest.raises(UsageError, match="leave out cluster=, or gold="):
        gold.with_confidence(0.95)


def test_gaps_have_no_interval_by_clusters():
    (gap,) = evaluate("nDCG(group=each)@3", pool=None).with_confidence(0.95).gaps
    assert math.isnan(gap.get("low", math.nan))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in RUN.items() for d, score in ranking.items())
    (tmp_path / "my.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "users").write_text("".join(f"{qid}\t{name}\n" for qid, name in CLUSTER.items()))
    (tmp_path / "few").write_text("q0\tu1\n")
    (tmp_path / "two").write_text("q0\tu1\nq0\tu1\nq0\tu2\n")
    (tmp_path / "wide").write_text("q0\tu1\tu2\n")
    (tmp_path / "slices").write_text("".join(f"{qid}\t{'ab'[qid < 'q5']}\n" for qid in RUN))
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVAL = ("eval", "none", "my.run", "--labels", "labels", "--pool", "even", "-m", "DP")


@pytest.mark.parametrize(
    ("options", "code", "what"),
    [
        ("--cluster users", 2, "--cluster is about intervals; add --confidence 0.95, or leave it out"),
        ("--cluster few --confidence .95", 3, "my.run: query q1 has no cluster; add one for each query of the run"),
        ("--cluster two --confidence .95", 3, "two:3: query q0 has the clusters u1 and u2; keep one"),
        ("--cluster wide --confidence .95", 3, "wide:1: 3 columns instead of two; write: qid<TAB>cluster"),
        ("--cluster users --confidence .95 --interval bca", 2, "--interval bca resamples single queries"),
    ],
)
def test_what_does_not_fit_is_refused(folder, options, code, what, fairtrec_command):
    ended = fairtrec_command(*EVAL, *options.split())
    assert (ended.code, ended.out) == (code, ""), ended
    assert what in ended.complaints[-1]


def test_a_report_says_so_and_is_replayed(folder, fairtrec_command):
    call = [*EVAL, "--cluster", "users", "--confidence", "0.95", "--slice", "slices"]
    ended = fairtrec_command(*call, "-f", "table")
    assert "95% cluster interval of each mean over queries" in ended.out
    assert "by deletion of one cluster after the other" in " ".join(ended.out.split())
    assert "| cluster:users@" in ended.out
    gap = next(line for line in ended.out.splitlines() if line.split()[:1] == ["difference"])
    assert "[" not in gap
    assert fairtrec_command(*call, "-f", "json", "-o", "a.json").code == 0
    assert fairtrec_command("results", "replay", "a.json").code == 0


def test_a_query_without_a_cluster_is_refused_in_python():
    with pytest.raises(InputError, match="query q1 has no cluster"):
        evaluate(cluster={"q0": "u"})

"""Pooled values of two runs, and means over clusters of queries, compared by deletion of one cluster after the other."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.support.errors import UsageError

DOCNOS = "abcdefgh"
LABELS = dict(zip(DOCNOS, "ffmmm-mf", strict=True))
POOLED = "DP AWRF@3 Exposure(group=f)@3 EED@3 EER@3 EEL@3 Selected(group=f)@2 Impact@2 DTR DIR"


def draw_runs(seed, queries=14, runs=2):
    """Draw runs of the same queries, in which each ranks some of eight documents."""
    random = np.random.default_rng(seed)
    return {
        f"run {run}": {
            f"q{at}": {d: -float(rank) for rank, d in enumerate(random.permutation([*DOCNOS])[: 4 + at % 5])}
            for at in range(queries)
        }
        for run in range(runs)
    }


RUNS = draw_runs(1)
QIDS = [*RUNS["run 0"]]
CLUSTER = {qid: f"user {at % 6 if at < 9 else 0}" for at, qid in enumerate(QIDS)}
QRELS = {
    qid: {docno: int(grade) for docno, grade in zip(DOCNOS, np.random.default_rng(at).integers(0, 3, 8), strict=True)}
    for at, qid in enumerate(QIDS)
}


def evaluate(measure, runs=RUNS, **given):
    return fairtrec.evaluate(measure, runs, **{"qrels": QRELS, "labels": LABELS, "pool": "even", **given})


def pool(measure, run, qids, labels=LABELS):
    """The pooled value of a run over some queries."""
    some = {qid: run[qid] for qid in qids}
    scores = fairtrec.evaluate(measure, some, qrels={q: QRELS[q] for q in qids}, labels=labels, pool="even").scores[0]
    return scores.totals["pooled"][0]


def delete_one_by_one(measure, cluster):
    """The pooled values of both runs, and what the deletion of each cluster changes, by evaluations without it."""
    values = [pool(measure, run, QIDS) for run in RUNS.values()]
    names = sorted({*cluster.values()})
    changes = [
        [pool(measure, run, [qid for qid in QIDS if cluster[qid] != name]) - value for name in names]
        for run, value in zip(RUNS.values(), values, strict=True)
    ]
    return values, np.array(changes), names


def count_selected(run, cluster, name, group):
    """How many candidates of a group a cluster has."""
    return sum(LABELS[docno] == group for qid in QIDS if cluster[qid] == name for docno in run[qid])


@pytest.mark.parametrize("cluster", [{qid: qid for qid in QIDS}, CLUSTER], ids=["queries", "clusters"])
@pytest.mark.parametrize("measure", ["Selected(group=f)@2", "EER@3", "EED@3", "EEL@3", "Exposure(group=f)@3", "AWRF@3"])
def test_each_cluster_is_deleted_of_both_runs(measure, cluster):
    (first, second), changes, names = delete_one_by_one(measure, cluster)
    given = {} if cluster[QIDS[0]] == QIDS[0] else {"cluster": cluster}
    row = fairtrec.compare(evaluate(measure, **given), "run 0").rows[0]
    assert (row.baseline, row.mean, row.difference) == pytest.approx((first, second, second - first), abs=1e-12)
    error = math.sqrt((len(names) - 1) / len(names) * np.square(changes[1] - changes[0]).sum())
    # the K of the run, by the interval of its value
    effective = []
    for run in RUNS.values():
        scores = evaluate(measure, run, **given).with_confidence(0.95).scores[0]
        effective.append(scores.describe_total(scores.measures[0])["effective"])
    reach = stats.t.isf(0.025, min(effective) - 1) * error
    assert (row.low, row.high) == pytest.approx((second - first - reach, second - first + reach), abs=1e-12)
    assert row.p == pytest.approx(2 * stats.t.sf(abs(second - first) / error, min(effective) - 1))
    if measure.startswith("Selected"):  # K of the candidates of the group
        candidates = [[count_selected(run, cluster, name, "f") for name in names] for run in RUNS.values()]
        assert effective == pytest.approx([sum(each) ** 2 / np.square(each).sum() for each in candidates])


def test_the_least_and_the_greatest_group_stay():
    # rates of three groups, in clusters of one query each; without q1, n has the least rate, but f stays
    groups = dict(zip("abcdefgh", "ffmmmnnn", strict=True))
    orders = {"q1": "cnabdefgh", "q2": "fgdeabch", "q3": "cdfaebgh", "q4": "deafgbch"}
    runs = {"one": orders, "two": {qid: order[::-1] for qid, order in orders.items()}}
    runs = {
        name: {q: {d: -float(at) for at, d in enumerate(o) if d in groups} for q, o in of.items()}
        for name, of in runs.items()
    }
    row = fairtrec.compare(fairtrec.evaluate("Impact(min_share=0)@3", runs, labels=groups, pool="even")).rows[0]
    errors = []
    for run in (runs["two"], runs["one"]):
        counts = np.array([
            [[sum(groups[d] == g for d in sorted(ranking, key=ranking.get)[::-1][:3]) for g in "fmn"] for ranking in run.values()],
            [[sum(groups[d] == g for d in ranking) for g in "fmn"] for ranking in run.values()],
        ], dtype=float)  # fmt: skip
        rates = counts[0].sum(axis=0) / counts[1].sum(axis=0)
        least, most = rates.argmin(), rates.argmax()
        without = [np.delete(counts, query, axis=1).sum(axis=1) for query in range(4)]
        ratios = [(c[0, least] / c[1, least]) / (c[0, most] / c[1, most]) for c in without]
        errors.append(np.array(ratios) - rates[least] / rates[most])
    error = math.sqrt(3 / 4 * np.square(errors[0] - errors[1]).sum())
    assert row.high - row.difference == pytest.approx(min(stats.t.isf(0.025, 3) * error, 1 - row.difference))
    assert row.p == pytest.approx(2 * stats.t.sf(abs(row.difference) / error, 3))
    assert row.doubtful


@pytest.mark.parametrize("cluster", [None, CLUSTER])
def test_the_other_way_round_the_sign_changes(cluster):
    given = {} if cluster is None else {"cluster": cluster}
    result = evaluate(f"{POOLED} nDCG@3", **given)
    one, other = (fairtrec.compare(result, base, correction="none").rows for base in ("run 0", "run 1"))
    for first, second in zip(one, other, strict=True):
        assert (first.difference, first.low, first.high) == (-second.difference, -second.high, -second.low)
        assert (first.p, first.doubtful, first.deciding) == (second.p, second.doubtful, second.deciding)


def test_a_cluster_for_each_query_changes_nothing():
    for measure in (*POOLED.split(), "nDCG@3"):
        pooled = {} if measure.startswith("nDCG") else {"pool": "even"}
        alone, own = (
            fairtrec.compare(fairtrec.evaluate(measure, RUNS, qrels=QRELS, labels=LABELS, **pooled, **given)).rows[0]
            for given in ({}, {"cluster": {qid: f"of {qid}" for qid in QIDS}})
        )
        assert (own.difference, own.low, own.high) == pytest.approx(
            (alone.difference, alone.low, alone.high), abs=1e-12
        )
        assert own.p == pytest.approx(alone.p)


def test_names_and_the_order_of_queries_do_not_matter_and_one_cluster_has_none():
    turned = {name: dict(reversed(run.items())) for name, run in RUNS.items()}
    renamed = {qid: name[::-1] for qid, name in reversed(CLUSTER.items())}
    measures = f"{POOLED} nDCG@3"
    one, other = (
        fairtrec.compare(evaluate(measures, runs, cluster=cluster)).rows
        for runs, cluster in ((RUNS, CLUSTER), (turned, renamed))
    )
    for first, second in zip(one, other, strict=True):
        assert (first.low, first.high, first.p) == pytest.approx((second.low, second.high, second.p))
    for row in fairtrec.compare(evaluate(measures, cluster=dict.fromkeys(QIDS, "one"))).rows:
        assert math.isnan(row.low)
        assert math.isnan(row.p)
        assert row.verdict == "not tested"


def test_every_query_twice_in_its_cluster_changes_nothing():
    twice = {name: {f"{q} {at}": run[q] for q in run for at in (1, 2)} for name, run in RUNS.items()}
    qids = [*twice["run 0"]]
    qrels, cluster = ({qid: of[qid.partition(" ")[0]] for qid in qids} for of in (QRELS, {q: q for q in QIDS}))
    measures = f"{POOLED} nDCG@3"
    once = fairtrec.compare(evaluate(measures)).rows
    doubled = fairtrec.compare(evaluate(measures, twice, qrels=qrels, cluster=cluster)).rows
    for first, second in zip(once, doubled, strict=True):
        assert (first.low, first.high, first.p) == pytest.approx((second.low, second.high, second.p), abs=1e-12)


def test_a_copy_does_not_differ_and_is_no_doubt():
    runs = {"a": RUNS["run 0"], "b": RUNS["run 0"]}
    for row in fairtrec.compare(evaluate(f"{POOLED} nDCG@3", runs, cluster=CLUSTER)).rows:
        assert (row.difference, row.low, row.high, row.p) == (0, 0, 0, 1)
        assert not row.doubtful


def test_means_have_the_interval_of_their_clusters():
    row = fairtrec.compare(evaluate("nDCG@3 DP", cluster=CLUSTER)).rows[0]
    values = [evaluate("nDCG@3", run, pool=None).scores[0] for run in RUNS.values()]
    difference = dict(zip(values[0].qids, values[1].values[0] - values[0].values[0], strict=True))
    mean = np.mean([*difference.values()])
    names = sorted({*CLUSTER.values()})
    without = [np.mean([d for qid, d in difference.items() if CLUSTER[qid] != name]) for name in names]
    error = math.sqrt((len(names) - 1) / len(names) * np.square(np.array(without) - mean).sum())
    many = np.unique([*CLUSTER.values()], return_counts=True)[1]
    effective = many.sum() ** 2 / np.square(many).sum()
    assert row.p == pytest.approx(2 * stats.t.sf(abs(mean) / error, effective - 1))
    assert row.high - row.difference == pytest.approx(stats.t.isf(0.025, effective - 1) * error)
    assert row.doubtful
    assert row.wins + row.ties + row.losses == len(QIDS)


def test_randomization_flips_whole_clusters():
    row = fairtrec.compare(evaluate("nDCG@3", pool=None, cluster=CLUSTER), test="randomization").rows[0]
    values = [evaluate("nDCG@3", run, pool=None).scores[0] for run in RUNS.values()]
    sums = [
        sum(
            d
            for qid, d in zip(values[0].qids, values[1].values[0] - values[0].values[0], strict=True)
            if CLUSTER[qid] == name
        )
        for name in sorted({*CLUSTER.values()})
    ]
    signs = np.array(np.meshgrid(*[[1, -1]] * len(sums))).reshape(len(sums), -1)
    flipped = np.abs(signs.T @ np.array(sums))
    assert row.p == pytest.approx((flipped >= abs(sum(sums)) - 1e-12).mean())


def test_margins_go_by_the_same_error():
    row = fairtrec.compare(evaluate("DP"), equivalence=0.2).rows[0]
    reach = row.high - row.difference
    freedom = min(
        scores.describe_total(scores.measures[0])["effective"]
        for scores in evaluate("DP").with_confidence(0.95).scores
    ) - 1  # fmt: skip
    error = reach / stats.t.isf(0.025, freedom)
    assert row.p_not_worse == pytest.approx(stats.t.sf((row.difference + 0.2) / error, freedom))
    assert row.p_equivalent == pytest.approx(
        max(row.p_not_worse, stats.t.sf((0.2 - row.difference) / error, freedom))
    )  # fmt: skip


def test_three_groups_are_doubtful_and_two_of_many_queries_are_not():
    many = draw_runs(2, queries=40)
    three = {docno: "fmn"[at % 3] for at, docno in enumerate(DOCNOS)}
    for measure in ("Impact@2", "DP"):
        found = fairtrec.compare(fairtrec.evaluate(measure, many, labels=three, pool="even"))
        assert found.rows[0].doubtful
        told = " ".join(map(str, found.notes))
        assert f"{measure}: the least of several rates is biased down; compare Selected(group=each)" in told
        found = fairtrec.compare(fairtrec.evaluate(measure, many, labels=LABELS, pool="even"))
        assert not found.rows[0].doubtful
        assert "biased down" not in " ".join(map(str, found.notes))


def test_values_without_an_interval_are_not_tested():
    (row,) = fairtrec.compare(fairtrec.evaluate("Gini@3", RUNS, pool="even")).rows
    assert math.isnan(row.p)
    assert row.difference == row.mean - row.baseline
    assert row.verdict == "not tested"


@pytest.mark.parametrize(
    "how", [{"test": "wilcoxon"}, {"test": "bootstrap"}, {"interval": "bca"}, {"correction": "tukey"}]
)
@pytest.mark.parametrize("given", [{}, {"pool": None, "cluster": CLUSTER}], ids=["pool", "cluster"])
def test_what_needs_values_of_independent_queries_is_refused(how, given):
    ((name, word),) = how.items()
    option = "cluster=" if given else "pool="
    with pytest.raises(UsageError, match=f"leave out {option}, or {name}={word}"):
        fairtrec.compare(evaluate("AWRF@3", **given), **how)


def test_pooled_values_are_not_randomized_and_gold_labels_do_not_go_with_them():
    with pytest.raises(UsageError, match="leave out pool=, or test=randomization"):
        fairtrec.compare(evaluate("AWRF@3"), test="randomization")
    with pytest.raises(UsageError, match="leave out gold=, or cluster="):
        fairtrec.compare(evaluate("Exposure(group=f,of=all)@3", pool=None, cluster=CLUSTER, gold=LABELS))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, run in RUNS.items():
        lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in run.items() for d, score in ranking.items())
        (tmp_path / f"{name[-1]}.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "users").write_text("".join(f"{qid}\t{name}\n" for qid, name in CLUSTER.items()))
    (tmp_path / "slices").write_text("".join(f"{qid}\t{'ab'[at % 2]}\n" for at, qid in enumerate(QIDS)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMPARE = ("compare", "none", "0.run", "1.run", "--labels", "labels", "--pool", "even")


def test_the_command_prints_pooled_values(folder, fairtrec_command):
    call = [*COMPARE, "-m", "Exposure(group=f)@3 NDKL@3", "--cluster", "users", "--slice", "slices"]
    ended = fairtrec_command(*call, "-f", "table", "-v")
    assert ended.code == 0, ended
    text = " ".join(ended.out.split())
    assert "Exposure(group='f')@3, pooled, against 0" in text
    assert "interval and p by deletion of one cluster after the other" in text
    assert "| cluster:users@" in text
    found = json.loads(fairtrec_command(*call, "-f", "json").out)
    by = {(row["slice"], row["measure"]): row for row in found["rows"]}
    row = by["all", "Exposure(group='f')@3"]
    assert row["pooled"] is True
    assert [row[name] for name in ("effect", "cliff", "wins", "ties", "losses")] == [None] * 5
    assert by["all", "NDKL@3"]["pooled"] is False
    of_slice = fairtrec.compare(
        evaluate(
            "Exposure(group=f)@3",
            {name: {q: run[q] for at, q in enumerate(run) if not at % 2} for name, run in RUNS.items()},
            cluster=CLUSTER,
        )
    ).rows[0]
    assert by["a", "Exposure(group='f')@3"]["p"] == pytest.approx(of_slice.p)


def test_frequencies_of_a_file_compare_as_queries_that_are_repeated(folder, fairtrec_command):
    """A query that is asked three times is three equal queries of one cluster."""
    often = {qid: at % 3 + 1 for at, qid in enumerate(QIDS)}
    (folder / "often").write_text("".join(f"{qid}\t{many}\n" for qid, many in often.items()))
    again = {f"{qid} {time}": qid for qid, many in often.items() for time in range(many)}
    repeated = {name: {one: run[qid] for one, qid in again.items()} for name, run in RUNS.items()}
    measures = "DP AWRF@3 Exposure(group=f)@3 EED@3 EER@3 Selected(group=f)@2 Impact@2"
    call = ["compare", "none", "0.run", "1.run", "--labels", "labels", "--pool", "often", "-m", measures, "-f", "json"]
    ended = fairtrec_command(*call)
    assert ended.code == 0, ended
    wanted = fairtrec.compare(fairtrec.evaluate(measures, repeated, labels=LABELS, pool="even", cluster=again)).rows
    found = {row["measure"]: row for row in json.loads(ended.out)["rows"]}
    for row in wanted:
        one = found[str(row.measure)]
        assert one["pooled"] is True
        numbers = [one[name] for name in ("mean", "difference", "low", "high", "p")]
        others = [row.mean, row.difference, row.low, row.high, row.p]
        np.testing.assert_allclose(numbers, others, rtol=1e-9, atol=1e-12, err_msg=str(row.measure))
    even = json.loads(fairtrec_command(*["even" if word == "often" else word for word in call]).out)["rows"]
    assert all(one["difference"] != found[one["measure"]]["difference"] for one in even)  # frequencies count
    (folder / "often").write_text("q0\t2\n")
    ended = fairtrec_command(*call)
    assert (ended.code, "query q1 has no frequency; add one for each query of the run" in ended.err) == (3, True)


@pytest.mark.parametrize(
    ("options", "code", "what"),
    [
        ("-m DP --test wilcoxon", 2, "leave out --pool, or --test wilcoxon"),
        ("-m NDKL", 2, "--pool sums exposure over queries, and no measure here uses exposure; leave it out"),
        ("-m DP --cluster few", 3, "query q1 has no cluster; add one for each query of the run"),
        ("-m DP --gold labels", 2, "leave out --gold, or --pool"),
    ],
)
def test_what_does_not_fit_is_refused(folder, options, code, what, fairtrec_command):
    (folder / "few").write_text("q0\tann\n")
    ended = fairtrec_command(*COMPARE, *options.split())
    assert (ended.code, ended.out) == (code, ""), ended
    assert what in ended.complaints[-1]


def test_an_impact_that_is_undefined_is_not_tested():
    """Of two groups only one has candidates, so there is no ratio of two rates."""
    runs = {"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q1": {"d2": 2.0, "d1": 1.0}}}
    result = fairtrec.evaluate("Impact@1", runs, labels={"d1": "f", "d2": "f", "d3": "m"}, pool="even")
    (row,) = fairtrec.compare(result, "a").rows
    assert row.verdict == "not tested"
    assert math.isnan(row.mean)
    assert math.isnan(row.difference)
    assert math.isnan(row.p)

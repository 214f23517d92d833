"""Intervals of pooled values: another program's digits, deletions one by one, laws, and simulations of their cover."""

import csv
import math
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.formulas.distribution import shares
from fairtrec.report.result_notes import list_notes
from fairtrec.statistics import deleted_clusters as deleted
from fairtrec.statistics.doubt import count_effective

KINDS = "DP DP(protected=f) DTR DIR Exposure(group=f)@3 AWRF@3 EED@3 EER@3 EEL@3 Selected(group=f)@2 Impact@2"


def find_interval(measure, run, cluster=None, **given_):
    """Compute a pooled value and its interval, with clusters of queries by their names."""
    scores = fairtrec.evaluate(measure, run, pool="even", **given_).scores[0]
    column, one = scores.columns["pooled"], scores.measures[0]
    names = [qid if cluster is None else cluster[qid] for qid in scores.qids]
    numbers = np.unique(names, return_inverse=True)[1]
    pool = column.pools[one]
    return pool.compute(column.frequency), pool.find_interval(column.frequency, numbers, 0.95)


def read_rows(path, delimiter=","):
    return [*csv.DictReader(path.read_text().splitlines(), delimiter=delimiter)]


def read_log(folder):
    """Read the log with an unlabeled document at each position that has no row."""
    run, labels, of = dict[str, dict[str, float]](), {}, {"user_id": {}, "day": {}}
    for row in read_rows(folder / "log.csv"):
        qid, rank = row["request_id"], int(row["position"])
        run.setdefault(qid, {})[row["item_id"]] = -float(rank)
        labels |= {row["item_id"]: row["provider_group"]} if row["provider_group"] else {}
        for name, values in of.items():
            values[qid] = row[name]
    for qid, ranking in run.items():
        gaps = {*range(1, int(-min(ranking.values())))} - {int(-score) for score in ranking.values()}
        ranking |= {f"gap-{qid}-{rank}": -float(rank) for rank in gaps}
    return run, labels, of


def test_the_digits_of_another_program(shared):
    folder = shared / "specs" / "audit"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    log, labels, of = read_log(folder)
    run, sex, race = dict[str, dict[str, float]](), {}, {}
    for row in read_rows(folder / "applicants.csv"):
        run.setdefault(row["requisition"], {})[row["applicant"]] = float(row["score"])
        sex |= {row["applicant"]: row["sex"]} if row["sex"] else {}
        race |= {row["applicant"]: row["race"]} if row["race"] else {}
    both, tried = fairtrec.attributes(sex=sex, race=race), 0
    for row in read_rows(folder / "expected.tsv", "\t"):
        options, measure = row["options"], row["measure"]
        if ", p " in options:  # the difference of two slices
            continue
        if row["file"] == "log.csv":
            day = options.partition("slice ")[2]
            some = {qid: ranking for qid, ranking in log.items() if day in ("", of["day"][qid])}
            value, found = find_interval(measure, some, of["user_id"] if "cluster" in options else None, labels=labels)
        else:
            by, _, only = options.removeprefix("by=").partition(", query ")
            name = measure.replace("(", f"(by={by},") if "(" in measure else measure.replace("@", f"(by={by})@")
            some = {qid: ranking for qid, ranking in run.items() if only.partition(" ")[0] in ("", qid)}
            value, found = find_interval(name, some, labels=both)
        ends = [] if not row["low"] else [float(row["low"]), float(row["high"])]
        assert [value, found.low, found.high][: 1 + len(ends)] == pytest.approx(
            [float(row["value"]), *ends], abs=1e-9
        ), row
        tried += 1
    assert tried == 64


DOCNOS = "abcdefgh"
LABELS = dict(zip(DOCNOS, "ffmmmfmf", strict=True))


def make_run(random, queries=14):
    orders = [random.permutation([*DOCNOS])[: 3 + at % 5] for at in range(queries)]
    return {f"q{at}": {docno: -float(rank) for rank, docno in enumerate(order)} for at, order in enumerate(orders)}


def make_inputs(random):
    run = make_run(random)
    qrels = {qid: {docno: int(random.integers(0, 3)) for docno in DOCNOS} for qid in run}
    return run, {"labels": LABELS, "qrels": qrels}


def delete_one_by_one(measure, run, cluster, **given_):
    """Evaluate without each cluster, and compute the standard error by its definition."""
    names = sorted({*cluster.values()})
    value, found = find_interval(measure, run, cluster, **given_)
    without = [
        find_interval(measure, {qid: run[qid] for qid in run if cluster[qid] != name}, **given_)[0] for name in names
    ]
    return value, found, math.sqrt((len(names) - 1) / len(names) * sum((each - value) ** 2 for each in without))


@pytest.mark.parametrize("measure", ["EER@3", "EED@3", "EEL@3", "Exposure(group=f)@3", "Selected(group=f)@2"])
def test_each_cluster_is_deleted(measure):
    run, given_ = make_inputs(np.random.default_rng(1))
    cluster = {qid: f"user {at % 6}" for at, qid in enumerate(run)}
    value, found, error = delete_one_by_one(measure, run, cluster, **given_)
    reach = stats.t.isf(0.025, max(found.effective - 1, 1)) * error
    if measure.startswith("EER"):
        ends = value - reach, value + reach
    elif measure.startswith("EE"):
        beyond = reach * reach / (4 * value)
        ends = found.low if found.low == 0 else max(value - reach, 0), value + reach + beyond
    else:  # on the scale of the logit
        share = value + 0.5 * measure.startswith("Exposure")
        odds = [share / (1 - share) * math.exp(sign * reach / share / (1 - share)) for sign in (-1, 1)]
        ends = [each / (1 + each) - share + value for each in odds]
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)


def test_a_ratio_of_two_rates_is_bounded_by_its_logarithm():
    # rates .5 and .25 of 8 and 8 candidates in 2 clusters of 4 and 4; without one cluster .25 and .25, without the other
    # .75 and .25: deviations -1/2 and 1/2 of the first, se = sqrt(1/2 (1/4 + 1/4)) = 1/2, t of 1 degree 12.7062
    got, due = np.array([[3.0, 1.0], [1.0, 1.0]]), np.full((2, 2), 4.0)
    found = deleted.bound_ratio(got, due, 0.95)
    assert (found.low, found.high) == pytest.approx([2 * math.exp(sign * 12.706204736 / 2) for sign in (-1, 1)])
    assert (found.effective, found.doubtful) == (2, True)


@pytest.mark.parametrize(("clusters", "doubtful"), [(5, True), (40, False)])
def test_a_ratio_of_even_clusters_is_doubtful_if_they_are_few(clusters, doubtful):
    got = np.array([[3.0, 2.0], [2.0, 1.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]] * (clusters // 5))
    assert deleted.bound_ratio(got, np.full((clusters, 2), 4.0), 0.95).doubtful == doubtful


@pytest.mark.parametrize(("effective", "moving", "doubtful"), [(5, 40, True), (40, 5, True), (40, 40, False)])
def test_a_value_is_doubtful_if_few_clusters_weigh_or_move_it(effective, moving, doubtful):
    parts = np.repeat([1.0, 0.0], [moving, 40 - moving])[:, None]
    assert deleted.bound_value(lambda sums: sums[:, 0] / 40, parts, effective, 0.95).doubtful == doubtful


def test_rates_of_0_and_1_have_an_end_of_wilson():
    held = np.ones(12)
    none, every = (deleted.bound_share(*parts, 0.95, of_all=True) for parts in ((0 * held, held), (held, 0 * held)))
    z = stats.norm.isf(0.025)
    assert (none.low, none.high) == pytest.approx((0, z * z / (12 + z * z)))
    assert (every.low, every.high) == pytest.approx((12 / (12 + z * z), 1))
    assert none.doubtful
    assert every.doubtful


def test_one_query_has_intervals_of_its_candidates():
    run = {"q": {docno: -float(rank) for rank, docno in enumerate(DOCNOS)}}
    # f: a and b of a, b, f, h; m: c of c, d, e, g
    _, rate = find_interval("Selected(group=f)@3", run, labels=LABELS)
    assert (rate.low, rate.high) == pytest.approx(stats.binomtest(2, 4).proportion_ci(method="wilson"))
    _, ratio = find_interval("Impact(group=m)@3", run, labels=LABELS)
    error = math.sqrt(1 / 1 - 1 / 4 + 1 / 2 - 1 / 4)
    ends = [0.5 * math.exp(sign * stats.norm.isf(0.025) * error) for sign in (-1, 1)]
    assert (ratio.low, ratio.high) == pytest.approx(ends)
    _, soft = find_interval("Selected(group=f)@3", run, labels={"a": {"f": 0.5, "m": 0.5}, "b": {"f": 1.0}})
    assert math.isnan(soft.low)
    for measure in ("DP", "AWRF@3", "EED@3"):
        assert math.isnan(find_interval(measure, run, labels=LABELS)[1].low)


@pytest.mark.parametrize(("chosen", "doubtful"), [(0.0, True), (1.0, False), (11.0, False), (12.0, True)])
def test_a_rate_of_enough_candidates_is_doubtful_only_at_0_and_1(chosen, doubtful):
    assert deleted.bound_drawn_rate(chosen, 12.0, 0.95).doubtful == doubtful
    assert deleted.bound_drawn_rate(3.0, 9.0, 0.95).doubtful


@pytest.mark.parametrize("measure", KINDS.split())
def test_laws_of_clusters(measure):
    run, given_ = make_inputs(np.random.default_rng(2))
    value, alone = find_interval(measure, run, **given_)
    assert find_interval(measure, run, {qid: qid for qid in run}, **given_) == (value, alone)
    cluster = {qid: at % 6 for at, qid in enumerate(run)}
    _, found = find_interval(measure, run, cluster, **given_)
    assert found.low <= value + 1e-9
    assert found.high >= value - 1e-9
    _, renamed = find_interval(measure, run, {qid: -number for qid, number in cluster.items()}, **given_)
    assert renamed == pytest.approx(found)
    turned = dict(reversed(run.items()))
    assert find_interval(measure, turned, cluster, **given_)[1] == pytest.approx(found)
    twice = {f"{qid} {at}": run[qid] for qid in run for at in (1, 2)}
    qrels = {qid: given_["qrels"][qid.partition(" ")[0]] for qid in twice}
    again = find_interval(measure, twice, {qid: qid.partition(" ")[0] for qid in twice}, qrels=qrels, labels=LABELS)
    assert again[1] == pytest.approx(alone)


def test_two_clusters_have_one_degree_of_freedom():
    # changes 1 and -1, each times sqrt(1 / 2): an error of 1, so p is that of t = 2
    one = deleted.Deletions(2.0, np.array([1.0, -1.0]), 2, 2.0)
    found = deleted.compare_deletions(one, deleted.Deletions(0.0, np.zeros(2), 2, 2.0), 0.95)
    assert (found.error, found.p) == pytest.approx((1, 2 * stats.t.sf(2, 1)))
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 1, loc=2))
    assert deleted.compute_margin_p(found, 0.5) == pytest.approx(stats.t.sf(1.5, 1))


def test_a_margin_is_held_against_the_t_of_the_effective_clusters():
    found = deleted.PooledDifference(1.5, 0.1, 2.9, 0.04, 0.5, 5.0, 5, doubtful=False)
    assert deleted.compute_margin_p(found, 0.5) == pytest.approx(stats.t.sf(2, 4))


@pytest.mark.parametrize("values", [[np.nan] * 3, [1.0, np.inf, 2.0], [1.0, 1e200, 2.0]])
def test_a_mean_of_what_has_no_square_has_no_interval(values):
    clusters = np.arange(3)
    assert np.isnan(deleted.bound_mean(np.array(values), clusters, 0.95).low)
    assert np.isnan(deleted.delete_from_mean(np.array(values), clusters, 0.95).value)


def test_a_value_that_one_deletion_leaves_undefined_has_no_interval():
    parts = np.array([[1.0], [2.0], [4.0]])

    def value(rows):
        return np.where(rows[:, 0] == 5, np.nan, rows[:, 0])  # without the second

    assert deleted.bound_value(value, parts, 3.0, 0.95) is deleted.NONE
    assert not np.isnan(deleted.bound_value(lambda rows: rows[:, 0], parts, 3.0, 0.95).low)


def test_one_cluster_has_none():
    run, given_ = make_inputs(np.random.default_rng(3))
    for measure in set(KINDS.split()) - {"Selected(group=f)@2", "Impact@2"}:
        assert math.isnan(find_interval(measure, run, dict.fromkeys(run, "one"), **given_)[1].low)


def test_the_candidates_of_one_query_compete():
    result = fairtrec.evaluate(
        "Selected(group=f)@2", {"q": make_run(np.random.default_rng(7))["q4"]}, labels=LABELS, pool="even"
    )
    noted = list_notes(result.with_confidence(0.95))
    assert "the candidates of one query compete, so they are not independent" in map(str, noted)


def test_names_of_two_groups_do_not_matter():
    run, given_ = make_inputs(np.random.default_rng(4))
    other = {docno: {"f": "z", "m": "a"}[group] for docno, group in LABELS.items()}
    for measure in ("AWRF@3", "DP", "Impact@2"):
        found = find_interval(measure, run, **given_)[1]
        assert find_interval(measure, run, labels=other)[1] == pytest.approx(found)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
def test_either_part_has_the_same_interval_of_its_share(parts):
    held, rest = np.array(parts, dtype=float).T
    one, other = deleted.bound_share(held, rest, 0.95), deleted.bound_share(rest, held, 0.95)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), nan_ok=True)


def test_a_distance_is_cut_and_begins_at_0_on_the_target():
    random = np.random.default_rng(5)
    parts = random.random((40, 2))

    def value(rows):
        return np.square(rows[:, 0] / rows.sum(axis=1) - 0.5)

    def find_off(rows):
        return shares(rows) - 0.5

    near = deleted.bound_distance(value, parts, 40, 0.95, off=find_off)
    assert near.low == 0
    far = deleted.bound_distance(value, parts * [1, 3], 40, 0.95, off=find_off)
    assert 0 < far.low < value(parts.sum(axis=0, keepdims=True) * [1, 3]).item() < far.high


def test_eval_prints_them(tmp_path, fairtrec_command):
    run, _ = make_inputs(np.random.default_rng(6))
    lines = (f"{qid} Q0 {d} 1 {score} t\n" for qid, ranking in run.items() for d, score in ranking.items())
    (tmp_path / "my.run").write_text("".join(lines))
    (tmp_path / "labels").write_text("".join(f"{docno}\t{group}\n" for docno, group in LABELS.items()))
    (tmp_path / "slices").write_text("q0\tone\nq1\ttwo\nq2\ttwo\nq3\ttwo\n")
    call = ["eval", "none", str(tmp_path / "my.run"), "--labels", str(tmp_path / "labels"), "--pool", "even"]
    call += ["--confidence", "0.95", "-m", "DP Selected(group=f)@2 Impact@2", "--slice", str(tmp_path / "slices")]
    ended = fairtrec_command(*call, "-f", "table", "-v")
    assert ended.code == 0, ended
    for measure, in_table in (("DP", "pooled"), ("Selected(group=f)@2", "f "), ("Impact@2", "Impact@2")):
        value, found = find_interval(measure, run, labels=LABELS)
        written = f"{value:.4f} [{found.low:.4f}, {found.high:.4f}]"
        assert any(written in line and in_table in line for line in ended.out.splitlines()), (written, ended.out)
    assert "95% interval by deletion of one query after the other" in ended.out
    gini = fairtrec_command(*call[:-4], "--confidence", "0.95", "-m", "Gini")
    assert gini.code == 2
    assert "--confidence is about means over queries, and Gini@100 has none" in gini.err


# --- cover ---


def draw_sizes(random, clusters, *, is_unequal):
    """Draw how many candidates each cluster has, on average twelve."""
    scale = random.lognormal(0, 1.2, clusters) if is_unequal else np.ones(clusters)
    return np.maximum(random.poisson(12 * scale / np.exp(0.72 * is_unequal)), 1)


def count_groups(random, sizes, chances, rates):
    """Draw how many candidates of each group, and how many selected ones, each cluster has [cluster, group]."""
    due = np.stack([random.multinomial(size, chances) for size in sizes])
    moved = np.clip(np.asarray(rates) + random.normal(0, 0.1, (len(sizes), 1)), 0, 1)
    return random.binomial(due, moved).astype(float), due.astype(float)


def cover_of(draw, find, trials, seed=11):
    """How often intervals hold the truth, of those that there are, in percent."""
    random, held, known = np.random.default_rng(seed), 0, 0
    for _ in range(trials):
        found, truth = find(*draw(random))
        known += not math.isnan(found.low)
        held += found.low - 1e-12 <= truth <= found.high + 1e-12
    assert known > trials / 2
    return 100 * held / known


CLUSTERS, TRIALS = [8, 20, 50, 200], 500
LEAST = 93.0  # percent; of 500 trials at 95 one error in twenty is below 93.4


@pytest.mark.slow
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("is_unequal", [False, True])
def test_rates_cover(clusters, is_unequal):
    def draw(random):
        sizes = draw_sizes(random, clusters, is_unequal=is_unequal)
        return count_groups(random, sizes, [0.15, 0.85], [0.3, 0.3])

    def find(got, due):
        return deleted.bound_share(got[:, 0], due[:, 0] - got[:, 0], 0.95, of_all=True), 0.3

    assert cover_of(draw, find, TRIALS) >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("groups", [2, 8])
def test_the_least_of_equal_rates_covers(clusters, groups):
    def draw(random):
        sizes = draw_sizes(random, clusters, is_unequal=False)
        return count_groups(random, sizes, np.full(groups, 1 / groups), np.full(groups, 0.4))

    def find(got, due):
        return deleted.bound_least_ratio(got, due, 0.95), 1.0

    assert cover_of(draw, find, TRIALS) >= LEAST


def compare_spread(target, rows):
    return np.square(shares(rows) - target).sum(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("is_at_target", [False, True])
def test_distances_cover(clusters, is_at_target):
    chances, target = np.array([0.1, 0.2, 0.3, 0.4]), np.full(4, 0.25)

    def draw(random):
        sizes = draw_sizes(random, clusters, is_unequal=False)
        return (np.stack([random.multinomial(size, chances) for size in sizes]).astype(float),)

    def find(parts):
        wanted = chances if is_at_target else target
        value = partial(compare_spread, wanted)
        off = partial(lambda rows: (shares(rows) - wanted) / np.sqrt(wanted))
        found = deleted.bound_distance(value, parts, float(clusters), 0.95, off=off)
        return found, float(value(chances[None]).item())

    assert cover_of(draw, find, TRIALS) >= LEAST


def test_the_lesser_weight_of_groups_decides_the_degrees_of_freedom():
    held = np.array([9.0, 1.0, 1.0, 1.0])
    found = deleted.bound_share(held, np.ones(4), 0.95)
    assert found.effective == count_effective(held)
    pairs = [deleted.bound_share(held[[*pair]], np.ones(2), 0.95).effective for pair in combinations(range(4), 2)]
    assert max(pairs) == 2


def test_the_high_end_of_three_groups_is_of_a_level_for_three_pairs():
    def bound(got, due, level):
        return deleted.PooledInterval(0.1, level, 20.0, False)

    got, due = np.array([[1.0, 2.0, 3.0]]), np.full((1, 3), 4.0)
    found = deleted.bound_least_ratio(got, due, 0.94, bound)
    assert found.high == pytest.approx(0.98)  # .06 / 3 below 1
    assert deleted.bound_least_ratio(got[:, :2], due[:, :2], 0.94, bound).high == pytest.approx(0.94)

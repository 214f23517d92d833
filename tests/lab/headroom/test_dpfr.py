"""``headroom --dpfr``: the point of the front and the distance to it, against all orders and arithmetic written out; laws."""

import json
from itertools import pairwise, permutations, product
from math import dist, hypot, isnan, log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formulas.fronts import point_at
from fairtrec.lab.headroom import HEADROOMS
from fairtrec.support.errors import UsageError

ALPHAS = (0.0, 0.25, 0.5, 0.8, 1.0)


# --- the definition again, plainly ---


def front(points):
    """Find the vertices of the upper right hull of points, from most utility to most fairness."""
    left, height = [], -np.inf
    for utility, fairness in sorted(points, key=lambda point: (-point[0], -point[1])):
        if fairness > height + 1e-12:
            left.append((utility, fairness))
            height = fairness
    below = {
        (x, y)
        for x, y in left
        for (u, f), (v, g) in product(left, left)
        if v < x < u and y < f + (g - f) * (u - x) / (u - v) - 1e-12
    }
    return [point for point in left if point not in below]


def walked(line, alpha):
    """Walk a share of the length of a line, step by step."""
    left = alpha * sum(dist(*edge) for edge in pairwise(line))
    for here, there in pairwise(line):
        length = dist(here, there)
        if length and left <= length:
            return tuple(a + (b - a) * left / length for a, b in zip(here, there, strict=True))
        left -= length
    return line[-1]


def discounted(gains):
    return sum(gain / log2(2 + at) for at, gain in enumerate(gains))


def ranked(docs):
    return {doc: float(len(docs) - at) for at, doc in enumerate(docs)}


def ndcg(top, grades):
    best = sorted(grades.values(), reverse=True)[: len(top)]
    return discounted([grades[doc] for doc in top]) / discounted(best)


def kl(top, group):
    shares = [sum(group[doc] == one for doc in top) / len(top) for one in "fm"]
    return sum(share * log(share / 0.5) for share in shares if share)


def omega(counts):
    f, m = counts
    return 1.0 if f + m <= 1 else 1 - abs(f / (f + m) - 0.5) - abs(m / (f + m) - 0.5)


def near(found, line, own, alpha):
    at = walked(line, alpha)
    assert found.alpha == alpha
    assert (found.utility, found.fairness) == pytest.approx(at, abs=1e-9)
    assert found.distance == pytest.approx(dist(own, at), abs=1e-9)


# --- against all orders ---


def world(random, n=4):
    """Give rankings of two queries, grades, counts of the terms of two groups, and the group of each document."""
    docs = {qid: [f"{qid}{number}" for number in range(n)] for qid in "qr"}
    runs = {qid: random.permutation(each).tolist() for qid, each in docs.items()}
    grades = {qid: {doc: int(random.integers(0, 3)) for doc in each} | {each[0]: 2} for qid, each in docs.items()}
    every = [doc for each in docs.values() for doc in each]
    counts = {doc: (int(random.integers(0, 5)), int(random.integers(0, 5))) for doc in every}
    group = {doc: "fm"[number % 2] for number, doc in enumerate(random.permutation(every).tolist())}
    return runs, grades, counts, group


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fairness", ["FaiRR@3", "KL@2"])
def test_of_all_orders_and_their_means(seed, fairness):
    runs, grades, counts, group = world(np.random.default_rng(seed))
    if fairness == "FaiRR@3":
        texts = {doc: "f " * f + "m " * m for doc, (f, m) in counts.items()}
        beside = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts}
        k, turn = 3, 1.0
    else:  # better lower
        beside, k, turn = {"labels": group}, 2, -1.0

    def values(qid, top):
        fair = discounted([omega(counts[doc]) for doc in top]) if k == 3 else kl(top, group)
        return ndcg(top, grades[qid]), turn * fair

    orders = {qid: [values(qid, top) for top in permutations(docs, k)] for qid, docs in runs.items()}
    means = [((a + c) / 2, (b + d) / 2) for (a, b), (c, d) in product(*orders.values())]
    lines = {qid: [(u, turn * f) for u, f in front(points)] for qid, points in orders.items()}
    line = [(u, turn * f) for u, f in front(means)]
    own = {}
    for qid, docs in runs.items():
        utility, fair = values(qid, docs[:k])
        own[qid] = utility, turn * fair
    for alpha in ALPHAS:
        found = fairtrec.headroom(
            {qid: ranked(docs) for qid, docs in runs.items()},
            qrels=grades,
            utility=f"nDCG@{k}",
            fairness=fairness,
            loss=(),
            dpfr=alpha,
            **beside,
        )
        (run,) = found.runs
        for query in run.queries:
            near(query.dpfr, lines[query.qid], own[query.qid], alpha)
        near(run.dpfr, line, [sum(each) / 2 for each in zip(*own.values(), strict=True)], alpha)


def test_figures_written_out():
    """Two documents at one rank: d is relevant and one-sided, e is neither. The front goes from (1, 0) to (0, 1)."""
    texts = {"d": "f f", "e": ""}
    beside = {"terms": {"f": ["f"], "m": ["m"]}, "docs": texts, "utility": "P@1", "fairness": "FaiRR@1"}
    for docs, at in (("de", (1.0, 0.0)), ("ed", (0.0, 1.0))):
        for alpha in ALPHAS:
            (run,) = fairtrec.headroom({"q": ranked(docs)}, qrels={"q": {"d": 1}}, dpfr=alpha, **beside).runs
            there = (1 - alpha, alpha)
            assert (run.dpfr.utility, run.dpfr.fairness) == pytest.approx(there)
            assert run.dpfr.distance == pytest.approx(hypot(at[0] - there[0], at[1] - there[1]))
            assert run.queries[0].dpfr == pytest.approx(run.dpfr)  # one query is its own mean


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_front_of_one_point_is_that_point_whatever_alpha(better):
    docs, grades = "abcd", {"q": {"d": 1}}
    beside = {
        "labels": dict.fromkeys(docs, "f") | {"other": "m"},
        "fairness": "nDRKL@4" if better == "higher" else "KL@4",
    }
    best = log(2) if better == "lower" else 1 / (1 + log(2))
    for alpha in ALPHAS:
        (run,) = fairtrec.headroom({"q": ranked(docs)}, qrels=grades, utility="RR@4", dpfr=alpha, **beside).runs
        assert run.dpfr == pytest.approx((alpha, 1.0, best, 0.75))
        (run,) = fairtrec.headroom({"q": ranked("dabc")}, qrels=grades, utility="RR@4", dpfr=alpha, **beside).runs
        assert run.dpfr == pytest.approx((alpha, 1.0, best, 0.0), abs=1e-12)


# --- of the example ---


@pytest.fixture(scope="module")
def beside(example):
    return {"terms": "gender-en", "docs": example / "collection.tsv", "background": example / "background.run"}


@pytest.fixture(scope="module")
def runs(example):
    return {name: example / f"{name}.run" for name in ("bm25", "neural", "fair")}


@pytest.mark.parametrize("fairness", ["NFaiRR@10", "ARaB@5"])  # higher, nearer 0
def test_anyone_can_work_it_out_from_the_front(example, runs, beside, fairness):
    found = fairtrec.headroom(
        runs, qrels=example / "qrels.txt", fairness=fairness, utility="nDCG@5", loss=(), dpfr=0.3, **beside
    )
    for run in found.runs:
        own = run.points[0].utility, run.points[0].fairness
        near(run.dpfr, list(zip(*run.front.tolist(), strict=True)), own, 0.3)
        assert all(query.dpfr.fairness >= 0 for query in run.queries)


def test_the_ends_are_the_most_useful_and_the_fairest_and_a_run_that_is_there_is_at_0(example, runs, beside):
    qrels = example / "qrels.txt"
    (fairest,) = fairtrec.rerank("Optimal(loss=1)", runs["bm25"], qrels=qrels, **beside).runs
    found = fairtrec.headroom(runs["bm25"], qrels=qrels, loss=1, dpfr=1, **beside).runs[0]
    assert (found.dpfr.utility, found.dpfr.fairness) == pytest.approx(found.points[-1][1:3])
    assert found.dpfr.distance > 0.1
    ranked_so = fairtrec.headroom({"fairest": fairest.rankings}, qrels=qrels, loss=(), dpfr=1, **beside).runs[0]
    assert ranked_so.dpfr.distance == pytest.approx(0, abs=1e-9)
    start = fairtrec.headroom(runs["bm25"], qrels=qrels, loss=(), dpfr=0, **beside).runs[0]
    assert start.dpfr.utility == start.front[0].max()
    assert start.dpfr.fairness == start.front[1].min()


def test_with_the_documents_of_the_pool_all_runs_have_one_point(example, runs, beside):
    found = fairtrec.headroom(runs, qrels=example / "qrels.txt", from_="runs", loss=(), dpfr=0.5, **beside)
    points = np.array([run.dpfr[1:3] for run in found.runs])
    assert np.ptp(points, axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert "compares runs" not in HEADROOMS("table", found, places=4)
    alone = fairtrec.headroom(runs, qrels=example / "qrels.txt", loss=(), dpfr=0.5, **beside)
    assert "compare DPFR 0.5 only between runs of one front (from_=runs, same queries)" in HEADROOMS(
        "table", alone, places=4
    )


def test_nothing_else_changes(example, runs, beside):
    qrels = example / "qrels.txt"
    without, found = (fairtrec.headroom(runs, qrels=qrels, loss=0, dpfr=each, **beside) for each in (None, 0.5))
    for one, other in zip(without.runs, found.runs, strict=True):
        assert repr(one.points) == repr(other.points)
        assert one.front.tobytes() == other.front.tobytes()
        assert one.dpfr is None
        assert all(query.dpfr is None for query in one.queries)
    plain, more = (
        [json.loads(line) for line in HEADROOMS("jsonl", each, per_query=True).splitlines()]
        for each in (without, found)
    )
    assert plain == [line for line in more if line["point"] != "dpfr"]
    assert len(more) == len(plain) + 3 * 13
    rows = [HEADROOMS("csv", each, places=4).splitlines() for each in (without, found)]
    assert [f"{row},," for row in rows[0][1:]] == [row for row in rows[1][1:] if ",dpfr," not in row]
    whole = json.loads(HEADROOMS("json", found, per_query=True))["runs"][0]
    (own,) = (line for line in more if line["point"] == "dpfr" and line["run"] == "bm25" and "qid" not in line)
    assert whole["points"][-1] == {name: value for name, value in own.items() if name != "run"}
    assert set(own) == {"run", "point", "loss", "utility", "fairness", "bound", "alpha", "distance"}
    assert whole["per_query"]["101"][-1]["distance"] == pytest.approx(found.runs[0].queries[0].dpfr.distance)
    page = HEADROOMS("html", found, places=4, per_query=True)
    assert page.count("<title>DPFR 0.5 ") == 3
    assert "<title>DPFR" not in HEADROOMS("html", without, places=4, per_query=True)


# --- where the front is not known ---


def test_where_orders_were_left_out_but_the_hull_is_known_so_is_the_distance(example, runs, beside, monkeypatch):
    exact, *_ = fairtrec.headroom(runs["bm25"], qrels=example / "qrels.txt", loss=(), dpfr=0.4, **beside).runs
    monkeypatch.setattr("fairtrec.formulas.two_sums.find_fronts_by_counts", lambda gains, *_: [None] * len(gains))
    rough, *_ = fairtrec.headroom(runs["bm25"], qrels=example / "qrels.txt", loss=(), dpfr=0.4, **beside).runs
    assert not rough.exact
    assert rough.dpfr == pytest.approx(exact.dpfr, abs=1e-6)
    for one, other in zip(exact.queries, rough.queries, strict=True):
        assert other.dpfr == pytest.approx(one.dpfr, abs=1e-6)


def test_where_only_a_bound_is_known_there_is_no_distance(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.problem.ORDERS", 0)
    monkeypatch.setattr("fairtrec.evaluation.fronts.solve.KINDS", 2)
    labels = {"a": {"f": 1.0}, "b": {"f": 0.4, "m": 0.6}, "c": {"m": 1.0}}  # soft, of three kinds
    found = fairtrec.headroom(
        {"q": ranked("abc"), "r": ranked("ac")},
        qrels={"q": {"b": 1}, "r": {"c": 1}},
        utility="nDCG@2",
        fairness="AWRF@2",
        labels=labels,
        dpfr=0.5,
    )
    (run,) = found.runs
    several, few = run.queries
    assert isnan(several.dpfr.distance)
    assert few.dpfr.distance > 0
    assert isnan(run.dpfr.distance)  # the mean is over both
    assert "DPFR 0.5 is nan: only points and bounds of the front are known" in HEADROOMS("table", found, places=4)
    lines = [json.loads(line) for line in HEADROOMS("jsonl", found).splitlines()]
    assert lines[-1] == {
        "run": run.run, "point": "dpfr", "loss": None, "utility": None, "fairness": None, "bound": None, "alpha": 0.5,
        "distance": None,
    }  # fmt: skip
    assert "<title>DPFR" not in HEADROOMS("html", found, places=4)
    monkeypatch.undo()
    (run,) = fairtrec.headroom(
        {"q": ranked("abc")}, qrels={"q": {"b": 1}}, utility="nDCG@2", fairness="AWRF@2", labels=labels, dpfr=0.5
    ).runs
    assert run.dpfr.distance > 0  # soft labels of few kinds are no worse than hard ones


@pytest.mark.parametrize("alpha", [-0.1, 1.01, float("nan"), float("inf")])
def test_what_is_no_share_is_refused(example, runs, beside, alpha):
    with pytest.raises(UsageError, match="it is a share of the front's length, from 0"):
        fairtrec.headroom(runs["bm25"], qrels=example / "qrels.txt", dpfr=alpha, **beside)


# --- laws ---

SHARE = st.floats(0, 1)
STEP = st.floats(0, 5).map(lambda value: round(value, 6))


@st.composite
def fronts(draw):
    """Lines on which utility falls and fairness rises, from a point on."""
    steps = draw(st.lists(st.tuples(STEP, STEP), max_size=6))
    start = draw(st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
    moved = np.cumsum(np.array([start, *[(-loss, gain) for loss, gain in steps]]), axis=0)
    return moved.T


@given(fronts(), SHARE, SHARE, st.floats(0.1, 10))
def test_laws(front, alpha, other, scale):
    whole = sum(dist(*edge) for edge in pairwise(front.T.tolist()))
    here, there = point_at(front, alpha), point_at(front, other)
    assert here == pytest.approx(walked([*map(tuple, front.T.tolist())], alpha), abs=1e-7)
    assert point_at(front, 0.0) == tuple(front[:, 0])
    assert point_at(front, 1.0) == pytest.approx(tuple(front[:, -1]), abs=1e-9)
    assert dist(here, there) <= abs(alpha - other) * whole + 1e-9  # no jumps: never farther than along the line
    assert (there[0] - here[0]) * (other - alpha) <= 1e-9  # more alpha, less utility, and more fairness
    assert (there[1] - here[1]) * (other - alpha) >= -1e-9
    assert point_at(front[:, ::-1], 1 - alpha) == pytest.approx(here, abs=1e-7)
    assert point_at(scale * front, alpha) == pytest.approx([scale * value for value in here], abs=1e-7)

"""``ablate --vary labels=flips``, ``qrels=flips``: against all labelings, against eval, and recorded figures."""

import json
import os
import re
from dataclasses import dataclass
from itertools import product
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairtrec
from fairtrec.formulas import discount
from fairtrec.lab.ablate import flips
from fairtrec.lab.ablate.flip_search import Side, _add_combinations, _add_multiples, _Outcomes
from fairtrec.measure import Floats, Measure, SumOverRanks
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import UsageError
from fairtrec_made import REPOSITORY

SHARED = Path(os.environ.get("FAIRTREC_SHARED", REPOSITORY.parent / "shared"))
FRAGILE = SHARED / "specs" / "fragile"
RUNS = SHARED / "data" / "cpjku" / "runs" / "msmarco_passage"
PEOPLE = f"{SHARED / 'data' / 'msmgenderbias' / 'MSMGenderBias.csv'}:gender_bias"
needs_shared = pytest.mark.skipif(not FRAGILE.is_dir(), reason="the recorded figures are not beside the repository")
GROUPS = "f", "m", "-"


@dataclass
class World:
    """Two runs over a few queries, with labels or grades of some of the documents."""

    runs: dict[str, dict[str, dict[str, float]]]
    labels: dict[str, str]
    qrels: dict[str, dict[str, int]]


def draw_world(seed: int, *, documents: int = 12, queries: int = 3, depth: int = 5) -> World:
    """Draw rankings of the same documents, all but two of which have a label."""
    draw = np.random.default_rng(seed)
    names = [f"d{number:02}" for number in range(documents + 2)]
    qids = [f"q{number}" for number in range(queries)]
    runs = {
        run: {
            qid: {names[at]: -float(rank) for rank, at in enumerate(draw.permutation(len(names))[:depth])}
            for qid in qids
        }
        for run in ("a", "b")
    }
    labels = dict(zip(names[:documents], draw.choice(GROUPS, documents).tolist(), strict=True))
    labels |= {"x": "f", "y": "m", "z": "-"}  # of no run, so that all stay in use
    qrels = {qid: {name: int(draw.integers(0, 3)) for name in names if draw.random() < 0.7} for qid in qids}
    return World(runs, labels, qrels)


def rank(ranking):
    """List the documents of a ranking, best first."""
    return sorted(ranking, key=ranking.__getitem__, reverse=True)


# --- all labelings, by arithmetic of numpy alone: state [labeling, document] is 0 for f, 1 for m, 2 for none ---


def list_labelings(world):
    """Give the documents that can flip, all their labelings [labeling, document], and how many are flipped in each."""
    shown = {docno for run in world.runs.values() for ranking in run.values() for docno in ranking}
    docnos = sorted(shown & world.labels.keys())
    states = np.array(list(product(range(3), repeat=len(docnos))), dtype=np.int8)
    now = np.array([GROUPS.index(world.labels[docno]) for docno in docnos])
    return docnos, states, (states != now).sum(axis=1)


def of_ranks(world, ranking, docnos, states, group):
    """Tell at each rank [labeling, rank] if the document is of a group; an unlabeled one is of none of them."""
    columns = [
        states[:, docnos.index(docno)] == group if docno in docnos else np.zeros(len(states), bool)
        for docno in rank(ranking)
    ]
    return np.stack(columns, axis=1).astype(float)


def fairr(world, ranking, docnos, states):
    """A document of a group has neutrality 0, every other 1, one of unknown group too."""
    return (1 - of_ranks(world, ranking, docnos, states, 0) - of_ranks(world, ranking, docnos, states, 1)) @ weights(
        ranking
    )


def rbdf(world, ranking, docnos, states):
    """The share of the exposure that documents of some group have."""
    held = of_ranks(world, ranking, docnos, states, 0) + of_ranks(world, ranking, docnos, states, 1)
    return held @ weights(ranking) / weights(ranking).sum()


def exposure(world, ranking, docnos, states):
    """The share of group f of the exposure of all ranks, less a half."""
    return of_ranks(world, ranking, docnos, states, 0) @ weights(ranking) / weights(ranking).sum() - 0.5


def awrf(world, ranking, docnos, states):
    """1 less the Jensen-Shannon divergence of the groups' exposure from even shares; nan if no group has any."""
    held = np.stack([of_ranks(world, ranking, docnos, states, group) @ weights(ranking) for group in (0, 1)], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = held / held.sum(axis=1, keepdims=True)
        middle = (shares + 0.5) / 2
        one = np.where(shares > 0, shares * np.log2(shares / middle), 0.0).sum(axis=1)
        two = (0.5 * np.log2(0.5 / middle)).sum(axis=1)
    return np.where(held.sum(axis=1) > 0, 1 - (one + two) / 2, np.nan)


def weights(ranking):
    return np.array([1 / log2(1 + place) for place in range(1, len(ranking) + 1)])


SUMS = {"FaiRR(tau=0)@5": fairr, "RBDF@5": rbdf, "Exposure(group='f',of='all')@5": exposure}
OTHERS = {"AWRF(discount='log2')@5": awrf}


def try_all(world, formula, *, size=False):
    """Give the differences [labeling, query] of run a less run b, and how many labels each labeling flips."""
    docnos, states, many = list_labelings(world)
    values = [[formula(world, world.runs[run][qid], docnos, states) for qid in world.runs[run]] for run in ("a", "b")]
    first, second = np.abs(values) if size else np.array(values)
    return (first - second).T, many


def ablate(world, measure, **given):
    given = {"labels": world.labels, "vary": "labels=flips", **given}
    if "FaiRR" in measure or "RBDF" in measure:
        given["missing"] = "neutral"
    return fairtrec.ablate(world.runs, measure=measure, **given)


def find_fewest(differences, many, now):
    """Give the fewest flips that turn the order over the queries that have a value now, and keep it in each."""
    lead = differences[now].sum()
    sums = np.sign(lead) * differences.sum(axis=1)
    turned = sums < -1e-12
    return int(many[turned].min()) if turned.any() and abs(lead) > 1e-12 else None


def weigh_labelings(world):
    """Give the probability of each labeling if each label is wrong with probability .1, as either other label."""
    docnos, _, many = list_labelings(world)
    return 0.9 ** (len(docnos) - many) * 0.05**many


def check_sums(seed, measure, formula, documents):
    world = draw_world(seed, documents=documents)
    differences, many = try_all(world, formula)
    (pair,) = [each for each in ablate(world, measure).flips if each.by == "mean"]
    lead = np.sign(pair.difference) * differences.sum(axis=1) * (1 if pair.above == "a" else -1)
    if pair.is_tied:
        assert pair.by_chance_exact is None
    else:
        turned = weigh_labelings(world)[lead < -1e-12].sum()
        assert pair.by_chance_exact == pytest.approx(turned, abs=1e-12)
    assert pair.flips == find_fewest(differences, many, int(np.flatnonzero(many == 0)[0]))
    if pair.flips is not None:
        assert pair.exact
        assert pair.least == pair.flips == len(pair.documents)


def list_relevance(world, cutoff):
    """Give P summed over queries, of a less b, for all judgments that are relevant or not, and their probabilities."""
    pairs = {
        (qid, docno): (-1) ** (run == "b")
        for run, rankings in world.runs.items()
        for qid, ranking in rankings.items()
        for docno in rank(ranking)[:cutoff]
        if docno in world.qrels[qid]
    }
    in_run = {
        run: [[docno in rank(rankings[qid])[:cutoff] for qid, docno in pairs]] for run, rankings in world.runs.items()
    }
    now = np.array([world.qrels[qid][docno] > 0 for qid, docno in pairs])
    states = np.array(list(product((False, True), repeat=len(pairs))))
    parts = (np.array(in_run["a"], float) - np.array(in_run["b"], float))[0] / cutoff
    becomes = np.where(now, 0.05, 0.1)  # grades from 0 to 2: one of the two others, or both
    return states @ parts, np.where(states != now, becomes, 1 - becomes).prod(axis=1), (states == now).all(axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_the_chance_that_whole_multiples_turn_is_that_of_all_judgments(seed):
    world = draw_world(seed)
    assert {grade for grades in world.qrels.values() for grade in grades.values()} == {0, 1, 2}
    leads, chances, is_now = list_relevance(world, 3)
    (pair,) = fairtrec.ablate(world.runs, qrels=world.qrels, measure="P@3", vary="qrels=flips").flips
    sign = np.sign(leads[is_now])
    assert chances.sum() == pytest.approx(1)
    assert pair.is_tied == (abs(leads[is_now]) < 1e-12)
    if not pair.is_tied:
        assert pair.by_chance_exact == pytest.approx(chances[sign * leads < -1e-12].sum(), abs=1e-12)


@given(st.lists(st.lists(st.integers(-4, 4), min_size=2, max_size=2), max_size=8))
def test_multiples_add_up_as_all_combinations_do(parts):
    values = np.array(parts).reshape(-1, 2) / 7
    several = _Outcomes(np.insert(values, 0, 0.0, axis=1), np.tile([0.7, 0.1, 0.2], (len(values), 1)))
    one, other = _add_multiples(several), _add_combinations(several)
    assert one.chances.sum() == pytest.approx(1)
    for end in (-0.5, 0.0, 0.5):
        below = [of.chances[of.values < end - 1e-9].sum() for of in (one, other)]
        assert below[0] == pytest.approx(below[1], abs=1e-12)


def test_too_many_sums_are_left_to_the_normal_distribution():
    world = draw_world(1, documents=40, queries=6, depth=10)
    pair, _ = ablate(world, "Exposure(group='f',of='all')@10").flips
    assert pair.by_chance is not None
    assert pair.by_chance_exact is None


@pytest.mark.parametrize("measure", SUMS)
@pytest.mark.parametrize("seed", range(4))
def test_sums_are_exact(measure, seed):
    check_sums(seed, measure, SUMS[measure], 9)


@pytest.mark.slow
@pytest.mark.parametrize("measure", SUMS)
def test_sums_are_exact_in_two_hundred_worlds(measure):
    for seed in range(200):
        check_sums(seed, measure, SUMS[measure], 12)


def check_greedy(seed, measure, formula, by):
    world = draw_world(seed, documents=8)
    differences, many = try_all(world, formula, size=by == "size")
    now = int(np.flatnonzero(many == 0)[0])
    differences = differences[:, ~np.isnan(differences[now])]
    fewest = find_fewest(differences, many, now)
    (pair,) = [each for each in ablate(world, measure).flips if each.by == by]
    if pair.flips is None:
        assert not pair.exact
        assert fewest is None or pair.least is None or pair.least <= fewest
        return None
    assert fewest is not None
    assert pair.least <= fewest <= pair.flips
    assert not pair.exact or pair.flips == fewest
    return pair.flips == fewest


CASES = [("AWRF(discount='log2')@5", awrf, "mean"), ("Exposure(group='f',of='all')@5", exposure, "size")]


@pytest.mark.parametrize(("measure", "formula", "by"), CASES, ids=["AWRF", "size of Exposure"])
def test_others_never_print_more_certainty_than_they_have(measure, formula, by):
    assert True in [check_greedy(seed, measure, formula, by) for seed in range(12)]


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "formula", "by"), CASES, ids=["AWRF", "size of Exposure"])
def test_greedy_mostly_finds_the_fewest(measure, formula, by):
    found = [each for each in (check_greedy(seed, measure, formula, by) for seed in range(120)) if each is not None]
    assert np.mean(found) > 0.9


@pytest.mark.parametrize("seed", range(6))
def test_the_verdict_is_lost_by_no_fewer_than_all_labelings_need(seed):
    world = draw_world(seed, documents=9, queries=6, depth=9)
    for run, groups in (("a", "-"), ("b", "fm")):  # which come last, so that the verdict is there
        for qid, ranking in world.runs[run].items():
            order = sorted(
                ranking, key=lambda docno: (world.labels.get(docno, "-") in groups) + (ranking[docno] % 3 == 0) / 2
            )
            world.runs[run][qid] = {docno: -float(place) for place, docno in enumerate(order[:5])}
    (pair,) = ablate(world, "RBDF@5").flips
    assert pair.is_decided
    differences, many = try_all(world, rbdf)
    differences = differences * np.sign(differences[many == 0].sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1]))
    p = 2 * stats.t.sf(np.abs(t), differences.shape[1] - 1)
    lost = (p > 0.05) | (differences.sum(axis=1) <= 1e-12)
    assert pair.verdict is not None
    assert pair.verdict >= many[lost].min()


# --- laws ---


def relabel(world, documents):
    """Write the printed labels into the labels."""
    return {**world.labels, **{document["docno"]: document["to"] for document in documents}}


def compute_lead(world, measure, labels, pair):
    """Compute the mean of the run above less that of the run below, as eval prints them."""
    given = {"missing": "neutral"} if "FaiRR" in measure or "RBDF" in measure else {}
    means = {each.run: each.means[0] for each in fairtrec.evaluate(measure, world.runs, labels=labels, **given).scores}
    return means[pair.above] - means[pair.below]


@pytest.mark.parametrize("measure", [*SUMS, *OTHERS])
@pytest.mark.parametrize("seed", range(5))
def test_the_printed_labels_turn_what_eval_prints(measure, seed):
    world = draw_world(seed)
    for pair in (each for each in ablate(world, measure).flips if each.by == "mean" and each.flips):
        assert compute_lead(world, measure, world.labels, pair) == pytest.approx(pair.difference, abs=1e-12)
        assert compute_lead(world, measure, relabel(world, pair.documents), pair) < 0
        if measure in SUMS:
            assert compute_lead(world, measure, relabel(world, pair.documents[:-1]), pair) >= -1e-12


@pytest.mark.parametrize("measure", ["P@3", "RBP@5", "nDCG@5", "AP", "ERR@3", "Bpref"])
def test_the_printed_grades_turn_what_eval_prints(measure):
    turned = 0
    for seed in range(6):
        world = draw_world(seed)
        (pair,) = fairtrec.ablate(world.runs, qrels=world.qrels, measure=measure, vary="qrels=flips").flips
        if pair.flips is None:
            continue
        qrels = {qid: dict(grades) for qid, grades in world.qrels.items()}
        for number, document in enumerate(pair.documents, 1):
            assert str(qrels[document["qid"]][document["docno"]]) == document["from"]
            qrels[document["qid"]][document["docno"]] = int(document["to"])
            scores = fairtrec.evaluate(measure, world.runs, qrels=qrels).scores
            means = {each.run: each.means[0] for each in scores}
            assert (means[pair.above] - means[pair.below] < -1e-12) == (number == pair.flips)
        turned += 1
    assert turned


@pytest.mark.parametrize("measure", ["FaiRR(tau=0)@5", "AWRF@5"])
def test_the_order_of_lines_is_nothing(measure):
    world = draw_world(3)
    back = World(
        {
            run: {qid: dict(reversed(ranking.items())) for qid, ranking in reversed(of.items())}
            for run, of in world.runs.items()
        },
        dict(reversed(world.labels.items())),
        {},
    )
    assert ablate(back, measure).flips == ablate(world, measure).flips


def test_a_copy_is_tied():
    world = draw_world(1)
    world.runs["b"] = world.runs["a"]
    (pair,) = ablate(world, "AWRF@5").flips
    assert (pair.flips, pair.least, pair.exact, pair.share, pair.verdict, pair.documents) == (
        None,
        None,
        None,
        None,
        None,
        (),
    )
    assert ablate(world, "AWRF@5").first.rival is None


def test_a_tied_first_place_is_called_tied():
    world = draw_world(1)
    last = {qid: dict(list(ranking.items())[2:]) for qid, ranking in world.runs["a"].items()}
    runs = {"one": world.runs["a"], "two": dict(world.runs["a"]), "last": last}
    ablation = fairtrec.ablate(runs, measure="RBDF@5", labels=world.labels, missing="neutral", vary="labels=flips")
    first = ablation.first
    assert (first.run, first.rival, first.flips, first.tied) == ("one", None, None, ("two",))
    assert "first place: one, two (tied)" in str(ablation)


# --- what a flip makes of a query is what eval prints with it ---

OF_LABELS = [
    "AWRF@5", "Exposure(group='f')@4", "Exposure(group='f',of='all')@5", "EER@5", "EEL@5", "KL@4", "NDKL@5", "GFR@5",
    "FaiRR(tau=0)@5", "NFaiRR(tau=0)@4", "ARaB@5", "RBDF@5", "TExFAIR@5", "DTR@5", "DP", "AWRFxnDCG@5",
]  # fmt: skip
OF_GRADES = ["P@3", "R@4", "nDCG@5", "AP", "RR", "Success@2", "RBP(p=0.5)@4", "ERR@4", "Bpref", "Judged@3", "Rprec",
             "infAP", "DTR@5", "EEL(discount='err')@5", "GFR@5", "AWRFxnDCG@5"]  # fmt: skip


@pytest.fixture
def sides(monkeypatch):
    """Gather the sides that a search starts with."""
    found = []
    start = Side.start
    monkeypatch.setattr(flips.Side, "start", lambda *given: found.append(start(*given)) or found[-1])
    return found


def check_values(sides, measure, evaluate):
    """Hold each value of each query with one flip against the evaluation of changed files."""
    tried = 0
    for side in sides:
        units = side.run.units
        for unit in np.unique(side.unit):
            for alternative in np.flatnonzero(units.allowed[unit]):
                scores = evaluate(units.describe(int(unit), int(alternative)))
                expected = dict(
                    zip(scores[side.run.inputs.run.name].qids, scores[side.run.inputs.run.name].values[0], strict=True)
                )
                at = np.flatnonzero(side.unit == unit)
                found = dict(
                    zip([side.run.qids[query] for query in side.query[at]], side.values[at, alternative], strict=True)
                )
                for qid, before in zip(side.run.qids, side.base, strict=True):
                    assert found.get(qid, before) == pytest.approx(expected[qid], abs=1e-12, nan_ok=True), (
                        measure,
                        qid,
                    )
                tried += 1
    assert tried > 10


@pytest.mark.long
@pytest.mark.parametrize("measure", OF_LABELS)
def test_a_label_makes_of_each_query_what_eval_prints(measure, sides):
    world = draw_world(7, documents=9, queries=2)
    given = {"missing": "neutral"} if {"ranked"} & {*registry.parse(measure)[0].needs} else {}
    given |= {"background": world.runs["a"]} if "NFaiRR" in measure else {}
    ablate(world, measure, qrels=world.qrels, **given)

    def evaluate(document):
        labels = relabel(world, [document])
        scores = fairtrec.evaluate(measure, world.runs, labels=labels, qrels=world.qrels, **given).scores
        return {each.run: each for each in scores}

    check_values(sides, measure, evaluate)


@pytest.mark.long
@pytest.mark.parametrize("measure", OF_GRADES)
def test_a_grade_makes_of_each_query_what_eval_prints(measure, sides):
    world = draw_world(5, documents=9, queries=2)
    given = {"labels": world.labels} if "membership" in registry.parse(measure)[0].needs else {}
    fairtrec.ablate(world.runs, measure=measure, qrels=world.qrels, vary="qrels=flips", **given)

    def evaluate(document):
        qrels = {qid: dict(grades) for qid, grades in world.qrels.items()}
        qrels[document["qid"]][document["docno"]] = int(document["to"])
        return {each.run: each for each in fairtrec.evaluate(measure, world.runs, qrels=qrels, **given).scores}

    check_values(sides, measure, evaluate)


# --- recorded figures, and people's labels of real runs ---


@needs_shared
@pytest.mark.parametrize(
    "name", json.loads((FRAGILE / "figures.json").read_text())["flips"] if FRAGILE.is_dir() else []
)
def test_the_recorded_figures_come_out(name):
    wanted = json.loads((FRAGILE / "figures.json").read_text())["flips"][name]
    measure = "Exposure(group=f,of='all')@3" if name == "Exposure, by size" else name
    given = {"qrels": FRAGILE / "qrels.txt", "vary": "qrels=flips"}
    if name[:2] not in ("P@", "nD"):
        given = {"labels": FRAGILE / "labels.tsv", "vary": "labels=flips"}
        given |= {"missing": "neutral"} if "FaiRR" in name else {}
    ablation = fairtrec.ablate([FRAGILE / "a.run", FRAGILE / "b.run"], measure=measure, **given)
    (pair,) = [each for each in ablation.flips if each.by == wanted["by"]]
    assert [Path(run).stem for run in (pair.above, pair.below)] == [wanted["above"], wanted["below"]]
    for field in ("difference", "looked_at", "queries", "p", "flips", "verdict"):
        assert getattr(pair, field) == (None if wanted[field] is None else pytest.approx(wanted[field], abs=1e-12)), (
            field
        )
    if "by_chance" in wanted:
        assert pair.by_chance == pytest.approx(wanted["by_chance"], abs=1e-12)
    if "documents" in wanted:
        named = [[each["qid"], each["docno"]] if each["qid"] else each["docno"] for each in pair.documents]
        assert named == wanted["documents"]
    if "single" in wanted:
        assert (pair.least == 1) == wanted["single"]


@dataclass(frozen=True)
class Lean(Measure):
    """How much more exposure has the first group than the second?

    Source: this test.
    """

    cutoff: int = 10
    better = "nearer 0"

    def formula(self, membership: Floats) -> SumOverRanks:
        """Let each document add its exposure, with the sign of its group."""
        gains = np.nan_to_num(lean(membership))
        return SumOverRanks(gains, discount.log2(self.cutoff), by_labels=lean)


def lean(weights):
    return weights[..., 0] - weights[..., 1]


EXPOSURE = "Exposure(group='F',of='all')@10"
NEURAL = ["advbert_L2", "advbert_L4", "bert_L2", "bert_L4", "conv_knrm", "knrm", "match_pyramid", "tk"]


def ablate_people(measure, **given):
    """Flip people's labels of the ten runs, and give the pairs by the names of their runs."""
    runs = sorted(RUNS.glob("*.run"))
    found = fairtrec.ablate(runs, measure=measure, labels=PEOPLE, groups="F=F,M=M,-=N", vary="labels=flips", **given)
    return found, {(Path(pair.above).stem, Path(pair.below).stem, pair.by): pair for pair in found.flips}


@needs_shared
def test_few_of_peoples_labels_turn_neighbors_by_fairr():
    found, pairs = ablate_people("FaiRR(tau=0)@10", missing="neutral")
    several = {
        ("advbert_L2", "advbert_L4"): (3, 154, None), ("advbert_L4", "bert_L2"): (7, 165, 2),
        ("RM3", "BM25"): (9, 224, 1), ("advbert_L2", "BM25"): (20, 265, 7),
    }  # fmt: skip
    for (above, below), figures in several.items():
        pair = pairs[above, below, "mean"]
        assert ((pair.flips, pair.looked_at, pair.verdict), pair.exact) == (figures, True)
    assert [pairs["advbert_L2", "advbert_L4", "mean"].documents[at]["docno"] for at in (0, 1)] == ["4283566", "4696560"]
    assert {pair.flips for pair in found.fragility.adjacent} == {1, 3, 7, 9}
    first = found.first
    assert (Path(first.run).stem, Path(first.rival).stem, first.flips) == ("advbert_L2", "advbert_L4", 3)


@pytest.mark.long
@needs_shared
def test_few_of_peoples_labels_turn_bm25_by_exposure():
    _, pairs = ablate_people(EXPOSURE)
    sizes = [pairs["BM25", run, "size"] for run in ["RM3", *NEURAL]]
    assert [pair.flips for pair in sizes] == [4, 7, 7, 6, 5, 5, 5, 3, 4]
    assert not any(pair.exact for pair in sizes)
    pair = pairs["BM25", "RM3", "mean"]
    assert (pair.flips, pair.looked_at, pair.exact) == (4, 224, True)
    assert round(100 * pair.by_chance, 2) == 0.21
    _, pairs = ablate_people(Lean())
    means = [pairs[run, "BM25", "mean"] for run in ["RM3", *NEURAL]]
    assert [pair.flips for pair in means] == [1, 4, 3, 1, 2, 1, 1, 3, 2]
    assert {pair.looked_at for pair in means} == {224, 241, 252, 254, 265, 275, 276, 289}


@needs_shared
def test_labels_wrong_at_random_turn_the_order_as_often_as_is_printed():
    """Draw which labels of BM25 and RM3 are wrong, each in ten, 20,000 times: arithmetic of this test alone."""
    labels = dict(line.split(",") for line in Path(PEOPLE.rpartition(":")[0]).read_text().split()[1:])
    parts, lead = {}, 0.0  # what each document adds with each label
    for sign, name in ((1, "BM25"), (-1, "RM3")):
        rankings = {}
        for line in (RUNS / f"{name}.run").read_text().splitlines():
            qid, _, docno, _, score, _ = line.split()
            rankings.setdefault(qid, []).append((float(score), docno))
        for ranking in rankings.values():
            top = [docno for _, docno in sorted(ranking, reverse=True)[:10]]
            whole = sum(1 / log2(1 + place) for place in range(1, len(top) + 1))
            for place, docno in enumerate(top, 1):
                if docno in labels:
                    parts.setdefault(docno, np.zeros(3))["FMN".index("F")] += sign / log2(1 + place) / whole
    states = {docno: "FMN".index(labels[docno]) for docno in parts}
    lead = sum(of[states[docno]] for docno, of in parts.items())
    draw = np.random.default_rng(1)
    changes = np.zeros(20_000)
    for docno, of in parts.items():
        others = np.delete(of, states[docno]) - of[states[docno]]
        changes += np.where(draw.random(20_000) < 0.1, others[draw.integers(0, 2, 20_000)], 0.0)
    turned = np.mean(lead + changes < 0)
    assert len(parts) == 224
    assert abs(turned - 0.0020) < 3 * np.sqrt(0.0020 / 20_000) + 0.0002


# --- what is refused, and what is printed ---


@pytest.mark.parametrize(
    ("measure", "given", "says"),
    [
        ("AWRF@5", {"labels": None}, "labels=flips changes labels; add labels=FILE"),
        ("ARaB@5", {"labels": None, "counts": {"d00": {"f": 1, "m": 0}}}, "labels=flips changes labels; add labels=FILE"),
        ("P@5", {"qrels": {"q0": {"d00": 1}}}, "P@5 does not depend on labels; leave out labels=flips"),
        ("AWRF@5", {"vary": "qrels=flips"}, "qrels=flips changes judgments, and QRELS are none; pass a qrels file"),
        ("AWRF@5", {"vary": "qrels=flips", "qrels": {"q0": {"d00": 1}}}, "AWRF@5 does not depend on judgments"),
        ("AWRF@5", {"grid": True}, "labels=flips is varied alone and without grid="),
        ("AWRF@5", {"vary": ["labels=flips", "cutoff=3"]}, "labels=flips is varied alone; vary other factors"),
        ("AWRF@5", {"vary": "labels=other.tsv"}, "labels are varied one by one; write labels=flips instead of"),
        ("NFaiRR(tau=0)@5", {"background": "collection", "missing": "neutral"}, "pass a run as the background"),
        ("nDCG(group='f')@5", {"qrels": {"q0": {"d00": 1}}}, "goes by those of one group; leave out group="),
        ("alpha_nDCG@5", {"vary": "qrels=flips", "qrels": {"q0": {"d00": 1}}}, "goes by subtopics or by another program"),
        ("P@5", {"vary": "qrels=flips", "qrels": {"q0": {"d00": 1, "d01": 1000}}}, "grades go from 0 to 1000"),
        ("AWRF@5", {"samples": True}, "goes by one ranking of each query; leave out samples="),
        ("P@5", {"vary": "qrels=flips", "qrels": {"q0": {"d00": 1}}, "only": "judged"}, "leave out only="),
    ],
)  # fmt: skip
def test_what_has_no_flips_is_refused(measure, given, says):
    world = draw_world(2)
    with pytest.raises(UsageError, match=re.escape(says)):
        fairtrec.ablate(world.runs, measure=measure, **{"labels": world.labels, "vary": "labels=flips", **given})


def test_one_run_and_crossed_attributes_are_refused():
    world = draw_world(2)
    with pytest.raises(UsageError, match="an order is of two runs or more; add a run"):
        fairtrec.ablate({"a": world.runs["a"]}, measure="AWRF@5", labels=world.labels, vary="labels=flips")
    ages = {docno: "old" if number % 2 else "young" for number, docno in enumerate(world.labels)}
    labels = fairtrec.attributes(gender=world.labels, age=ages)
    for measure in ("AWRF(by='gender*age')@5", "GFR@5"):
        with pytest.raises(UsageError, match=r"crossed attributes|several attributes|takes one attribute"):
            fairtrec.ablate(world.runs, measure=measure, labels=labels, qrels=world.qrels, vary="labels=flips")
    one = fairtrec.ablate(world.runs, measure="AWRF(by='gender')@5", labels=labels, vary="labels=flips")
    assert one.flips == ablate(world, "AWRF@5").flips


def test_subtopics_are_refused(tmp_path):
    qrels = tmp_path / "subtopics.txt"
    qrels.write_text("q0 1 d00 1\nq0 2 d00 1\nq0 2 d01 1\nq1 1 d02 1\n")
    world = draw_world(2)
    with pytest.raises(UsageError, match="several"):
        fairtrec.ablate(world.runs, measure="P@5", qrels=qrels, vary="qrels=flips")
    with pytest.raises(UsageError, match="pass labels in a file"):
        fairtrec.ablate(world.runs, measure="AWRF@5", qrels=qrels, labels="qrels", vary="labels=flips")


def test_labels_of_pairs_are_flipped_pair_by_pair(tmp_path):
    world, measure = draw_world(2), "Exposure(group='f',of='all')@5"
    rows = {(qid, docno): label for qid in world.qrels for docno, label in world.labels.items()}

    def write_labels():
        """Write a file of labels per query."""
        path = tmp_path / "labels.tsv"
        path.write_text("".join(f"{qid}\t{docno}\t{label}\n" for (qid, docno), label in rows.items()))
        return path

    pair = fairtrec.ablate(world.runs, measure=measure, labels=write_labels(), vary="labels=flips").flips[0]
    for document in pair.documents:
        rows[document["qid"], document["docno"]] = document["to"]
    scores = fairtrec.evaluate(measure, world.runs, labels=write_labels()).scores
    means = {each.run: each.means[0] for each in scores}
    assert means[pair.above] < means[pair.below]


def test_undefined_values_count_as_chosen():
    world = draw_world(2)
    labels = {docno: label for docno, label in world.labels.items() if docno > "d04"}
    for undefined in ("skip", "0", "worst"):
        ablation = fairtrec.ablate(
            world.runs, measure="AWRF@2", labels=labels, vary="labels=flips", undefined=undefined
        )
        means = [each.means[0] for each in ablation.result.scores]
        (pair,) = ablation.flips
        if undefined != "skip":
            assert pair.difference == pytest.approx(abs(means[0] - means[1]), abs=1e-12)
            assert pair.queries == 3
        else:
            assert pair.queries < 3


def test_a_target_made_of_documents_stays():
    world = draw_world(2)
    ablation = fairtrec.ablate(
        world.runs, measure="AWRF@5", labels=world.labels, qrels=world.qrels, target="qrels", vary="labels=flips"
    )
    assert "the target is computed from the qrels and stays the same in all flips" in map(str, ablation.fragility.notes)


def test_the_only_document_of_the_greatest_grade_keeps_it_where_values_of_all_queries_depend_on_it():
    world = draw_world(2)
    grades = {"q0": {"d00": 3, "d01": 1, "d02": 0}, "q1": {"d03": 1, "d04": 0, "d05": 1}}
    given = {"labels": world.labels, "qrels": grades, "vary": "qrels=flips"}
    found = fairtrec.ablate(world.runs, measure="GFR@5", **given)
    assert all(document["docno"] != "d00" for document in found.flips[0].documents)


def test_soft_labels_get_hard_ones():
    world = draw_world(2)
    labels = {docno: {"f": 0.5, "m": 0.5} if label == "-" else label for docno, label in world.labels.items()}
    (pair,) = fairtrec.ablate(world.runs, measure="AWRF@5", labels=labels, vary="labels=flips").flips
    assert {document["to"] for document in pair.documents} <= {"f", "m"}
    assert {document["from"] for document in pair.documents} <= {"f", "m", "f 0.5, m 0.5"}


def test_several_runs_show_neighbors_and_the_first_place():
    world = draw_world(4, queries=4)
    draws = [draw_world(seed, queries=4).runs for seed in range(5, 8)]
    runs = {f"{name}{number}": run for number, of in enumerate([world.runs, *draws]) for name, run in of.items()}
    ablation = fairtrec.ablate(runs, measure="Exposure(group='f',of='all')@5", labels=world.labels, vary="labels=flips")
    assert len(ablation.flips) == 2 * 28
    assert len(ablation.fragility.adjacent) == 2 * 7
    of_first = [pair for pair in ablation.flips if pair.by == "mean" and pair.above == ablation.first.run]
    assert ablation.first.flips == min(pair.flips for pair in of_first if pair.flips is not None)

"""Bounds over orders: against all orders of short rankings, figures of other programs, and laws."""

import json
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.evaluation.answers.scores import OtherValues, ScoreColumn
from fairtrec.evaluation.columns.intervals import ENDS
from fairtrec.evaluation.columns.orders import compute_skill
from fairtrec.formulas.prefix_means import average_paths
from fairtrec.measure import Measure
from fairtrec.measures import AWRF, BUILT_IN, NDKL
from fairtrec.measures.catalogue import registry
from fairtrec.report.writers import RESULTS
from fairtrec.support.errors import UsageError
from fairtrec_made import THOROUGH

DOCS = 7  # whose orders are more than are tried, so that all other ways have to find what these show
LISTS = 12 if THOROUGH else 3
SURE = 5  # standard errors, within which the mean of random orders is the expected value


def world(seed=5, lists=LISTS, docs=DOCS):
    """Make a run of several queries, its qrels, and what is known of its documents; some are of none, or of unknown groups."""
    random = np.random.default_rng(seed)
    run, qrels, labels, stances, texts = {}, {}, {"x": "a", "y": "b", "z": "c"}, {}, {}
    for query in range(lists):
        names = [f"q{query}d{number}" for number in range(docs)]
        run[f"{query}"] = dict(zip(names, np.sort(random.random(docs))[::-1].tolist(), strict=True))
        qrels[f"{query}"] = {name: int(random.integers(0, 3)) for name in names if random.random() < 0.8} | {"x": 1}
        chosen = random.choice([*"abc", "-", "?"], docs, p=[0.3, 0.3, 0.2, 0.1, 0.1]).tolist()
        labels |= {name: group for name, group in zip(names, chosen, strict=True) if group != "?"}
        stances |= dict(zip(names, random.normal(size=docs).round(3).tolist(), strict=True))
        words = random.integers(0, 3, (docs, 3)).tolist()
        texts |= {name: "f " * f + "m " * m + "o " * (o + 1) for name, (f, m, o) in zip(names, words, strict=True)}
    return run, qrels, labels, stances, texts


RUN, QRELS, LABELS, STANCES, TEXTS = world()
GIVEN = {
    "labels": {"labels": LABELS},
    "stances": {"stances": STANCES, "background": RUN},
    "texts": {"terms": {"f": ["f"], "m": ["m"]}, "docs": TEXTS | dict.fromkeys("xyz", "f"), "background": RUN},
}
OF_STANCES = {
    "DUO",
    "SignedDUO",
    "DUO_random",
    "InputBias",
    "OutputBias",
    "RankingBias",
    "MeanBias",
    "MeanAbsoluteBias",
}
OF_TEXTS = {"FaiRR", "IFaiRR", "NFaiRR", "SetFaiRR", "NSetFaiRR", "RaB", "ARaB", "TE", "TED", "RBDF", "TExFAIR"}
BY_LABELS = [
    "AWRF@4", "AWRF", "AWRF(unknown=group)@3", "AWRFxnDCG@3", "EEL@4", "EEL(discount=log2)@4", "EED@4", "EER@4",
    "EEL(discount=err)@3", "Exposure@4", "DTR", "DIR", "DP", "ABR", "GFR@4", "KL@4", "NDKL@4", "NDKL", "nDRKL@3",
    "Skew@4", "MinSkew@4", "MinSkew(eps=0.1)@4", "MaxSkew@4", "InfeasibleIndex@4", "InfeasibleCount@4", "MaxShare@3",
    "Groups@3", "rND", "rKL(protected=a)", "rRD(protected=a)", "FAIR@4", "FAIR(gain=ndcg)@3",
    "nDCG(group=each)@3", "nDCG@4", "AP", "AP@3", "RR@5", "ERR@4", "Bpref", "Rprec", "P@3", "Success@2", "RBP",
    "Judged@3", "NumRet", "SetP", "infAP",
]  # fmt: skip
BY_STANCES = ["DUO", "DUO(mean=full)", "DUO(step=2)", "DUO@4", "SignedDUO", "MeanBias", "OutputBias@4", "DUO_random"]
BY_TEXTS = [*(f"{name}@4" for name in sorted(OF_TEXTS)), "TExFAIR", "AWRF@4", "NDKL@4", "TED"]


@cache
def evaluate_all_orders(kind, qid):
    """Evaluate all orders of one query by all measures that are tried with these data."""
    measures = {"labels": BY_LABELS, "stances": BY_STANCES, "texts": BY_TEXTS}[kind]
    rows = [len(fairtrec.evaluate(each, RUN, qrels=QRELS, **GIVEN[kind]).scores[0].measures) for each in measures]
    found = compute_all_orders(" ".join(measures), qid, GIVEN[kind])
    return dict(zip(measures, np.split(found, np.cumsum(rows)[:-1]), strict=True))


def all_orders(measure, qid, given):
    """Evaluate all orders of one query as queries of their own [measure, order]."""
    kind = next((kind for kind, of_kind in GIVEN.items() if of_kind is given), None)
    known = evaluate_all_orders(kind, qid) if kind else {}
    return known[measure] if measure in known else compute_all_orders(measure, qid, given)


def compute_all_orders(measure, qid, given):
    """Evaluate them, by one measure or several."""
    names = [*RUN[qid]]
    orders = {f"{at}": {names[doc]: -float(rank) for rank, doc in enumerate(order)}
              for at, order in enumerate(permutations(range(len(names))))}  # fmt: skip
    more = {"background": dict.fromkeys(orders, RUN[qid])} if "background" in given else {}
    return (
        fairtrec.evaluate(measure, orders, qrels=dict.fromkeys(orders, QRELS[qid]), **{**given, **more})
        .scores[0]
        .values
    )


def held_against_all_orders(measure, given, within=0.0):
    """Compare the three; an end may be missed ``within`` a share of the range."""
    scores = fairtrec.evaluate(measure, RUN, qrels=QRELS, **given, bounds="orders").scores[0]
    column = scores.columns["orders"]
    for query, qid in enumerate(scores.qids):
        for row, values in enumerate(all_orders(measure, qid, given)):
            if np.isnan(scores.values[row, query]):
                assert all(np.isnan(each.values[row, query]) for each in scores.ends.values())
                continue
            known, here = values[~np.isnan(values)], f"{scores.measures[row]} of {qid}"
            found = [scores.ends[end].values[row, query] for end in ENDS]
            missed = (within * np.ptp(known) if within else 0.0) + 1e-9
            assert known.min() - 1e-9 <= found[0] <= known.min() + missed, here
            assert known.max() + 1e-9 >= found[1] >= known.max() - missed, here
            error = column.error[row, query]
            assert (error > 0) <= column.is_drawn[row, query]
            off = max(SURE * error, 1e-9)
            assert found[2] == pytest.approx(known.mean(), abs=off), here
    return column


@pytest.mark.parametrize("measure", BY_LABELS)
def test_the_three_are_those_of_all_orders(measure):
    held_against_all_orders(measure, GIVEN["labels"])


@pytest.mark.parametrize("measure", BY_STANCES)
def test_the_three_are_those_of_all_orders_by_stances(measure):
    held_against_all_orders(measure, GIVEN["stances"], within=0.01 * (measure == "SignedDUO"))  # no sum, no exposure


@pytest.mark.parametrize("measure", BY_TEXTS)
def test_the_three_are_those_of_all_orders_by_texts(measure):
    is_least_apart = measure.startswith(("TED", "TExFAIR"))  # how near two sums come: found by search alone
    held_against_all_orders(measure, GIVEN["texts"], within=0.01 * is_least_apart)


def test_every_measure_of_one_run_is_tried_here():
    tried = {registry.parse(text)[0].name for text in (*BY_LABELS, *BY_STANCES, *BY_TEXTS)}
    rest = {name for name in BUILT_IN if not name.startswith("TREC19")} - tried
    assert rest <= {
        "CRBO",
        "InputBias",
        "RankingBias",
        "MeanAbsoluteBias",
        "Gini",
        "Retrievability",
        "Selected",
        "Impact",
    }, rest


SUMS = ["NDKL@4", "KL@4", "MinSkew@4", "FAIR@4", "rND", "nDCG@4", "AP", "RR@5", "DUO"]


@pytest.mark.parametrize("measure", SUMS)
def test_sums_are_exact(measure):
    column = held_against_all_orders(measure, GIVEN["stances" if measure == "DUO" else "labels"])
    assert not column.is_drawn.any()
    assert not column.is_searched.any()


@pytest.mark.parametrize(("measure", "given"), [("AWRF@4", "labels"), ("ERR@4", "labels"), ("DUO@4", "stances")])
def test_others_are_drawn_and_their_ends_searched_for(measure, given):
    column = held_against_all_orders(measure, GIVEN[given])
    assert column.is_drawn.any()
    assert (column.is_searched == column.is_drawn).all()


def test_ends_that_the_measure_knows_are_not_searched_for(monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.order_ends.WIDE", 0)  # no pass over numbers of documents
    column = held_against_all_orders("DUO", GIVEN["stances"])
    assert column.is_drawn.all()
    assert not column.is_searched.any()


@pytest.mark.parametrize("measure", ["NDKL@4", "KL@4", "MaxSkew@4"])
def test_a_search_finds_the_ends_of_lemma_3(measure, monkeypatch):
    monkeypatch.setattr("fairtrec.evaluation.fronts.order_ends.WIDE", 0)
    assert held_against_all_orders(measure, GIVEN["labels"]).is_searched.all()


@pytest.mark.parametrize("measure", ["DTR", "DP", "ABR", "AWRF@12", "EEL@12"])
def test_the_ends_of_longer_lists_are_those_of_all_sequences_of_groups(measure):
    """Of 13 documents, 5 of which are of one group, there are 1,287 sequences."""
    random = np.random.default_rng(17)
    sequences = {f"s{at}": places for at, places in enumerate(combinations(range(13), 5))}
    missed = 0
    for _ in range(LISTS):
        names = [f"d{at}" for at in range(13)]
        labels = {name: "f" if at < 5 else "m" for at, name in enumerate(names)}
        qrels = {name: int(random.integers(0, 3)) for name in names}
        own = dict(zip(random.permutation(names).tolist(), range(13), strict=True))
        found = fairtrec.evaluate(measure, {"q": own}, qrels={"q": qrels}, labels=labels, bounds="orders").scores[0]
        runs = {}
        for qid, places in sequences.items():
            of_group = {"f": iter(names[:5]), "m": iter(names[5:])}
            runs[qid] = {next(of_group["f" if rank in places else "m"]): -float(rank) for rank in range(13)}
        values = fairtrec.evaluate(measure, runs, qrels=dict.fromkeys(runs, qrels), labels=labels).scores[0].values
        least, greatest = (found.ends[end].values.item() for end in ("least", "greatest"))
        assert values.min() - 1e-9 <= least
        assert greatest <= values.max() + 1e-9
        apart = max(least - values.min(), values.max() - greatest) / np.ptp(values)
        assert apart < 0.005
        missed += apart > 1e-9
    assert missed <= LISTS // 2


def test_few_orders_are_all_tried():
    run = {"q": {name: score for name, score in RUN["0"].items() if name not in ("0d0", "q0d0")}}  # 6 documents
    scores = fairtrec.evaluate("AWRF@10 EEL@4", run, qrels={"q": QRELS["0"]}, labels=LABELS, bounds="orders").scores[0]
    assert not scores.columns["orders"].is_drawn.any()
    drawn = fairtrec.evaluate("AWRF@1 AWRF@4", {"q": RUN["0"]}, labels=LABELS, bounds="orders").scores[0]
    assert drawn.columns["orders"].is_drawn.tolist() == [[False], [True]]  # 7 and 840 orders of the ranks that count


def test_what_a_measure_of_somebody_else_sees_decides_how():
    @dataclass(frozen=True)
    class Change(Measure):
        """How much relevance changes from rank to rank, to the square."""

        cutoff: int = 4

        def __call__(self, relevance):
            return np.square(np.diff(np.nan_to_num(relevance[:, : self.cutoff]), axis=1)).sum(axis=1)

    @dataclass(frozen=True)
    class Strange(Measure):
        """The same of what it looks up by another way."""

        cutoff: int = 4

        def __call__(self, counterfactual):
            return np.square(np.diff(counterfactual[0][:, : self.cutoff] % 5, axis=1)).sum(axis=1).astype(float)

    given = GIVEN["labels"]
    assert held_against_all_orders(Change(), given).is_searched.any()
    other = {qid: dict(zip(ranking, [*ranking.values()][::-1], strict=True)) for qid, ranking in RUN.items()}
    scores = fairtrec.evaluate(Strange(), RUN, counterfactual=other, bounds="orders").scores[0]
    assert scores.columns["orders"].is_drawn.all()
    assert not scores.columns["orders"].is_searched.any()
    assert (scores.columns["orders"].error > 0).all()


def test_a_number_of_all_attributes_is_tried_order_by_order():
    other = {name: "uv"[at % 2] for at, name in enumerate(sorted(LABELS))}
    scores = fairtrec.evaluate(
        "GFR@4", RUN, qrels=QRELS, labels=fairtrec.attributes(one=LABELS, two=other), bounds="orders"
    ).scores[0]
    column = scores.columns["orders"]
    assert column.is_drawn.all()
    assert not column.is_searched.any()
    assert (column.least <= scores.values + 1e-12).all()
    assert (scores.values <= column.greatest + 1e-12).all()


# --- laws


def renamed(run, of):
    return {qid: {of(name): score for name, score in ranking.items()} for qid, ranking in run.items()}


grouped = st.lists(st.sampled_from(["a", "b", "c", "-"]), min_size=1, max_size=12)
LAW_MEASURES = "AWRF@4 NDKL@4 EEL@3 nDCG@3 RR ERR@4 Exposure@4 rND"


@given(grouped, st.randoms(use_true_random=False))
def test_laws(groups, random):
    names = [f"d{at}" for at in range(len(groups))]
    labels = dict(zip(names, groups, strict=True)) | {"x": "a", "y": "b", "z": "c"}
    qrels = {"q": {name: at % 3 for at, name in enumerate(names)}}
    ranking = {name: -float(at) for at, name in enumerate(names)}
    turned = {name: float(at) for at, name in enumerate(names)}
    shuffled = [*names]
    random.shuffle(shuffled)
    to = dict(zip(names, shuffled, strict=True)) | {each: each for each in "xyz"}
    given = {"labels": labels, "bounds": "orders"}
    scores = fairtrec.evaluate(LAW_MEASURES, {"q": ranking}, qrels=qrels, **given).scores[0]
    others = [
        fairtrec.evaluate(LAW_MEASURES, {"q": turned}, qrels=qrels, **given).scores[0],
        fairtrec.evaluate(
            LAW_MEASURES, renamed({"q": ranking}, to.get), qrels=renamed(qrels, to.get),
            labels={to[name]: group for name, group in labels.items()}, bounds="orders",
        ).scores[0],
    ]  # fmt: skip
    least, greatest, expected = (scores.ends[end].values for end in ENDS)
    there = ~np.isnan(scores.values)
    for low, high in ((least, scores.values), (scores.values, greatest), (least, expected), (expected, greatest)):
        assert (low[there] <= high[there] + 1e-12).all()
    for other in others:
        both = there & ~np.isnan(other.values)  # a value may be undefined for one order and not for another
        for end in ENDS:
            np.testing.assert_allclose(other.ends[end].values[both], scores.ends[end].values[both], rtol=0, atol=1e-9)
    if "-" not in groups:
        shares = np.array([groups.count(group) / len(groups) - 1 / 3 for group in "abc"])
        rows = [row for row, each in enumerate(scores.measures) if each.name == "Exposure"]
        assert expected[rows, 0] == pytest.approx(shares, abs=1e-12)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 99))
def test_one_pass_is_the_mean_of_all_paths(supply, ranks, seed):
    random = np.random.default_rng(seed)
    ranks, worth = min(ranks, sum(supply)), random.normal(size=(4, 4, 4, 4, len(supply))).round(2)
    worth[random.random(worth.shape) < 0.05] = np.nan
    worth[random.random(worth.shape) < 0.05] = np.inf

    def earned(placed, above):
        at = np.zeros((len(placed), 3), dtype=np.int64)
        at[:, : placed.shape[1]] = placed
        return worth[at[:, 0], at[:, 1], at[:, 2], above]

    kinds, values = np.repeat(np.arange(len(supply)), supply), []
    for order in permutations(range(len(kinds)), ranks):
        placed, total = np.zeros((1, len(supply))), 0.0
        for above, doc in enumerate(order):
            total += earned(placed, above)[0, kinds[doc]]
            placed[0, kinds[doc]] += 1
        values.append(total)
    known = [value for value in values if not np.isnan(value)]
    found = average_paths(np.array(supply), ranks, earned)
    right = (min(known), max(known), np.mean(known)) if known else (np.nan,) * 3
    assert found == pytest.approx(right, abs=1e-12, nan_ok=True)


# --- figures


@pytest.fixture
def three(shared, tmp_path):
    """The runs of the reference, with groups by the counts table: f and m where a document has more of their terms."""
    data = shared / "data"
    runs = data / "cpjku" / "runs" / "trecdl2019_passage"
    lines = (data / "dl19-dl20-counts" / "gender.strip.tsv").read_text().splitlines()[1:]
    counts = {docno: (int(f), int(m)) for docno, _, f, m in (line.split("\t") for line in lines)}
    ranked = {line.split()[2] for file in runs.glob("*.run") for line in file.read_text().splitlines()}
    groups = {docno: np.sign(np.subtract(*counts.get(docno, (0, 0)))) for docno in ranked | counts.keys()}
    labels = tmp_path / "dl19-three.tsv"
    labels.write_text("".join(f"{docno}\t{'nfm'[int(sign)]}\n" for docno, sign in sorted(groups.items())))
    queries = data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv"
    names = [line.split("\t")[0] for line in queries.read_text().splitlines() if line[:1].isdigit()]
    return [runs / f"{name}.run" for name in ("BM25", "bert_L2", "advbert_L2", "tk")], labels, names


AWRF_ENDS = [(0.6173, 0.5409, 0.8368, 0.6170), (0.6063, 0.5409, 0.7934, 0.6040), (0.6042, 0.5409, 0.8016, 0.6073),
             (0.6017, 0.5409, 0.8052, 0.6060)]  # fmt: skip
NDKL_ENDS = [(0.9958, 0.5247, 1.0986, 0.9845), (0.9772, 0.6031, 1.0986, 1.0034), (0.9823, 0.5913, 1.0986, 0.9996),
             (0.9992, 0.5823, 1.0986, 0.9998)]  # fmt: skip
NDKL_SKILL = [-0.025, 0.065, 0.042, 0.001]


def test_the_figures_of_dl_2019(three):
    """By independent programs; the expected AWRF is of random orders, with a standard error of .0005."""
    runs, labels, queries = three
    result = fairtrec.evaluate(
        [AWRF(cutoff=20), NDKL(cutoff=20)], runs, labels=labels, depth=100, queries=queries, bounds="orders"
    )
    for scores, awrf, ndkl, skill in zip(result.scores, AWRF_ENDS, NDKL_ENDS, NDKL_SKILL, strict=True):
        several = [scores, *(scores.ends[end] for end in ENDS)]
        means = np.array([each.means for each in several])
        assert means[:, 1].round(4).tolist() == list(ndkl)
        assert means[:2, 0].round(4).tolist() == list(awrf[:2])
        assert awrf[2] - 5e-5 <= means[2, 0] <= awrf[2] + 2e-4  # a search may find more, below a bound of .0001
        column = scores.columns["orders"]
        assert means[3, 0] == pytest.approx(awrf[3], abs=4 * np.hypot(column.find_mean_error(0), 0.0005))
        assert column.find_mean_error(0) == pytest.approx(0.0005, abs=2e-4)
        assert round(scores.settle("orders")[1], 3) == skill
        assert (column.is_searched[0] <= column.is_drawn[0]).all()
        assert not column.is_drawn[1].any()


# --- reports


def report(form, measures="AWRF@4 NDKL@4 Exposure(group=a)@4 NumRet", **view):
    run = {"one": RUN, "other": {qid: RUN[qid] for qid in ("0", "1")}}
    return RESULTS(form, fairtrec.evaluate(measures, run, qrels=QRELS, labels=LABELS, bounds="orders"), **view)


def test_skill_is_the_way_from_the_expected_to_the_best():
    higher, lower = AWRF(), NDKL()
    assert compute_skill(higher, 0.75, 0.0, 1.0, 0.5) == 0.5
    assert compute_skill(lower, 0.75, 0.0, 1.0, 0.5) == -0.5
    assert np.isnan(compute_skill(higher, 0.5, 0.5, 0.5, 0.5))
    assert np.isnan(compute_skill(higher, 0.5, 0.0, np.inf, 0.5))


def test_skill_is_of_means_and_not_a_mean():
    scores = fairtrec.evaluate("NDKL@4", RUN, labels=LABELS, bounds="orders").scores[0]
    least, expected = (scores.ends[end].means[0] for end in ("least", "expected"))
    assert scores.settle("orders") == [(scores.means[0] - expected) / (least - expected)]


def test_json_has_the_three_the_skill_and_how_they_were_found():
    means = json.loads(report("json", per_query=True))["runs"][0]
    found = means["means"]["AWRF@4"]
    assert {*found} >= {"value", "least", "greatest", "expected", "skill", "drawn", "searched"}
    assert (found["drawn"], found["searched"]) == (LISTS, LISTS)
    assert found["skill"] == pytest.approx(
        (found["value"] - found["expected"]) / (found["greatest"] - found["expected"])
    )
    assert means["means"]["Exposure(group='a')@4"]["skill"] is None
    assert {*means["orders"]} == {"least", "greatest", "expected"}
    assert {*means["orders"]["least"]} == {*RUN}


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_rows_have_the_skill_behind_the_three(form, delimiter):
    head, *rows = (line.split(delimiter) for line in report(form, per_query=True).splitlines())
    assert head[4:9] == ["AWRF@4", "AWRF@4.least", "AWRF@4.greatest", "AWRF@4.expected", "AWRF@4.skill"]
    assert "Exposure(group='a')@4.skill" not in head
    assert "NumRet.skill" not in head
    skills = {row[2]: row[8] for row in rows if row[0] == "one"}
    assert skills["0"] == ""
    assert float(skills["all"]) == pytest.approx(float(rows[-1][8]), abs=2)
    assert {len(row) for row in rows} == {len(head)}


def test_trec_has_a_line_for_the_skill_of_the_mean():
    lines = [line.split("\t") for line in report("trec", "NDKL@4 KL@9", per_query=True).splitlines()]
    names = [name.strip() for name, *_ in lines]
    assert names.count("NDKL@4.skill") == 2  # of both runs
    assert names.index("NDKL@4.skill") > names.index("NDKL@4.expected")
    assert "KL@9.skill" not in names  # all orders have one value


def test_slices_have_the_skill_of_their_means():
    result = fairtrec.evaluate("NDKL@4", RUN, labels=LABELS, bounds="orders")
    slices = {"few": ["0"], "many": [*RUN][1:]}
    head, *rows = (line.split(",") for line in RESULTS("csv", result, slices=slices).splitlines())
    by_slice = {row[head.index("slice")]: row[head.index("NDKL@4.skill")] for row in rows}
    few = result.scores[0].keep_queries([0])
    assert by_slice["few"] == f"{few.settle('orders')[0]:.4f}"
    assert by_slice["difference"] == ""


class Halves(ScoreColumn):
    name = "halves"

    def other_values(self, scores):
        return {"half": OtherValues(scores.values / 2)}


def test_skill_does_not_depend_on_other_columns_with_ends():
    result = fairtrec.evaluate("NDKL@4", RUN, labels=LABELS, bounds="orders")
    (scores,) = result.scores
    wide = replace(result, scores=(replace(scores, columns={**scores.columns, "halves": Halves()}),))
    head, row = (line.split(",") for line in RESULTS("csv", wide).splitlines())
    assert float(row[head.index("NDKL@4.half")]) == pytest.approx(scores.means[0] / 2, abs=1e-4)
    assert row[head.index("NDKL@4.skill")] == f"{scores.settle('orders')[0]:.4f}"


def test_tables_show_the_skill_in_a_column_of_its_own_and_mark_the_best_value():
    for form in ("table", "md", "html", "latex"):
        text = report(form, "NDKL@4 NDKL@3")
        assert text.count("skill") >= 2, form
    table = report("table", "NDKL@4 KL@9")
    scores = fairtrec.evaluate("NDKL@4 KL@9", RUN, qrels=QRELS, labels=LABELS, bounds="orders").scores[0]
    (first,) = [line for line in table.splitlines() if line.split()[:1] == ["one"] and "~" in line]
    assert f"{scores.settle('orders')[0]:+.3f}" in first
    assert "*" in first.partition("[")[0] or "*" not in first  # the mark stands at the value


def test_notes_say_of_how_many_documents_the_orders_are_and_how_sure_the_expected_value_is():
    text = " ".join(report("table", "AWRF@4 AWRF@5 NDKL@4", window=10_000).split())
    assert "over all orders of the 7 documents of each ranking; skill: (value - expected) / (best - expected)" in text
    assert "expected value of 1,000 random orders per query: AWRF@4 (standard error 0.0" in text
    assert ", ends by search), AWRF@5 (standard error 0.0" in text
    assert "NDKL@4 (standard error" not in text
    cut = fairtrec.evaluate("NDKL@2", RUN, labels=LABELS, bounds="orders", depth=4)
    assert "all orders of the first 4 documents of each ranking" in " ".join(RESULTS("table", cut).split())
    uneven = {"0": RUN["0"], "1": dict([*RUN["1"].items()][:3])}
    some = fairtrec.evaluate("NDKL@2", uneven, labels=LABELS, bounds="orders")
    assert "the 3 to 7 documents of each ranking" in " ".join(RESULTS("table", some).split())
    searched = fairtrec.evaluate("AWRF@4", uneven, labels=LABELS, bounds="orders")
    assert searched.scores[0].columns["orders"].is_searched.tolist() == [[True, False]]
    assert "ends by search" in " ".join(RESULTS("table", searched, window=10_000).split())


def test_a_note_warns_if_all_orders_have_one_value_because_of_the_cutoff():
    def notes(measures):
        return " ".join(
            RESULTS("table", fairtrec.evaluate(measures, RUN, qrels=QRELS, labels=LABELS, bounds="orders")).split()
        )

    why = f"all orders have one value: KL@7 in {LISTS} of {LISTS} queries; these rankings are no longer than the cutoff"
    assert why in notes("KL@7 NDKL@7")
    assert "all orders have one value" not in notes("KL@6 AWRF@7")


def test_the_signature_names_the_limits():
    result = fairtrec.evaluate("RR", RUN, qrels=QRELS, bounds="orders")
    assert result.signature["bounds"] == "orders 720/1000"


def test_documents_that_are_passed_over_and_cut_off_take_no_part():
    run = {"q": {**dict([*RUN["0"].items()][:4]), "unknown": 0.0001, "q0d6": 0.00001}}
    given = {**GIVEN["texts"], "missing": "skip"}
    texts = {name: text for name, text in given["docs"].items() if name != "unknown"}
    scores = fairtrec.evaluate("AWRF@3 NFaiRR@3", run, **{**given, "docs": texts, "background": run}, bounds="orders")
    without = {"q": {name: score for name, score in run["q"].items() if name != "unknown"}}
    fewer = fairtrec.evaluate("AWRF@3 NFaiRR@3", without, **{**given, "background": without}, bounds="orders")
    for end in ENDS:
        np.testing.assert_allclose(scores.scores[0].ends[end].values, fewer.scores[0].ends[end].values)
    judged, cut = (
        fairtrec.evaluate("AWRF@3 AP", RUN, qrels=QRELS, labels=LABELS, bounds="orders", **more).scores[0]
        for more in ({"only": "judged"}, {"depth": 5})
    )
    for scores, kept in ((judged, lambda qid, at, name: name in QRELS[qid]), (cut, lambda qid, at, name: at < 5)):
        same = {qid: {name: score for at, (name, score) in enumerate(ranking.items()) if kept(qid, at, name)}
                for qid, ranking in RUN.items()}  # fmt: skip
        again = fairtrec.evaluate("AWRF@3 AP", same, qrels=QRELS, labels=LABELS, bounds="orders").scores[0]
        for end in ENDS:
            np.testing.assert_allclose(scores.ends[end].values, again.ends[end].values)


@pytest.mark.long
@pytest.mark.parametrize("measures", ["AWRF@4 NDKL@4 ERR@4 AP", "nDCG(group=a)@4 EEL@4"])
def test_processes_and_other_measures_change_nothing(measures, tmp_path):
    for name in ("one", "two"):
        lines = [f"{qid} Q0 {docno} 1 {score} t\n" for qid, ranking in RUN.items() for docno, score in ranking.items()]
        (tmp_path / name).write_text("".join(lines))
    runs = [str(tmp_path / "one"), str(tmp_path / "two")]
    alone, together = (
        fairtrec.evaluate(measures, runs, qrels=QRELS, labels=LABELS, bounds="orders", jobs=jobs).scores
        for jobs in (1, 2)
    )
    one = [
        fairtrec.evaluate(each, runs[0], qrels=QRELS, labels=LABELS, bounds="orders").scores[0]
        for each in measures.split()
    ]
    for end in ENDS:
        for first, second in zip(alone, together, strict=True):
            assert first.ends[end].values.tobytes() == second.ends[end].values.tobytes()
        assert np.concatenate([each.ends[end].values for each in one]).tobytes() == alone[0].ends[end].values.tobytes()


def test_results_can_be_replayed(fairtrec_command, example, tmp_path):
    given, results = (example / "qrels.txt", example / "bm25.run"), tmp_path / "results.json"
    asked = ("-m", "RR ERR@5", "--bounds", "orders", "-f", "json", "-q", "-o", results)
    assert fairtrec_command("eval", *given, *asked).code == 0
    assert fairtrec_command("results", "replay", results).code == 0


@pytest.mark.parametrize(
    "more",
    [("--gold", "gold.tsv"), ("--spread",), ("--samples",), ("--confidence", "0.95"), ("--aggregate", "median")],
)
def test_what_does_not_fit_is_refused_before_a_run_is_read(more, fairtrec_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.tsv").write_text("docno\tgroup\nd1\ta\n")
    (tmp_path / "labels.tsv").write_text("d1\ta\nd2\tb\n")
    asked = ("-m", "AWRF@4", "--labels", "labels.tsv", "--bounds", "orders")
    done = fairtrec_command("eval", "none", "no-such.run", *asked, *more)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1


def test_a_gate_takes_no_ties():
    with pytest.raises(UsageError, match="ties are known; add bounds=labels or texts"):
        fairtrec.check("AP > 0", {"r": RUN}, qrels=QRELS, bounds="ties")


def test_a_gate_notes_what_a_random_order_meets():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}  # a is relevant: RR of the six orders is 1, 1, 1/2, 1/2, 1/3, 1/3
    qrels = {"q": {"a": 1}}
    asked = ["RR >= 0.6", "RR >= 0.62", "RR <= 0.99", "RR >= baseline - 0.5"]
    checked = fairtrec.check(asked, {"r": run}, qrels=qrels, baseline={"base": run}, bounds="orders")
    plain = fairtrec.check(asked, {"r": run}, qrels=qrels, baseline={"base": run})
    assert checked.verdicts == plain.verdicts
    met = [str(note) for note in checked.notes if note.kind.name == "met by chance"]
    says = "a random order of the same documents meets it with 0.6111"
    assert met == [f"RR >= 0.6: {says}", f"RR <= 0.99: {says}"]
    assert not [note for note in plain.notes if note.kind.name == "met by chance"]
    assert "[least, greatest]" not in str(checked)

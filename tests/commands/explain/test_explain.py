"""``fairtrec explain``: the parts of a value add up to it, and each part is what it is said to be."""

import json
import math
import re
from base64 import b64encode
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import combinations, groupby, pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.explain import explanation, shapley, split, variants
from fairtrec.counting.counter import Lexicon
from fairtrec.data import GroupTerms
from fairtrec.formats import run as run_format
from fairtrec.formulas import neutrality
from fairtrec.measures.nfairr import FaiRR
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import REPOSITORY, texts
from fairtrec_made.reports import Page

PAGE = (REPOSITORY / "docs" / "explain.md").read_text("utf-8")
SUMS = ["NFaiRR@10", "NFaiRR(tau=0)@5", "FaiRR@10", "ARaB@10", "ARaB(mag='tf')@10", "ARaB(mag='bool')@10",
        "ARaB(mag='tf_paper')@10", "RaB@10", "RBDF@10", "RBDF(full_k=True)@20", "TE(group='f')@10"]  # fmt: skip
SHARES = ["TED@10", "TExFAIR@10", "TExFAIR(rbdf=False)@10", "TExFAIR(scaled=True,full_k=True)@20"]
OTHERS = ["nDRKL@10", "KL@10", "AWRF@10", "rND@10", "FAIR@10", "AP@10", "RR@10", "EEL@10"]
ALIKE = {"NFaiRR(tau=0)@5", "ARaB(mag='tf')@10", "ARaB(mag='bool')@10", "RBDF@10", "TExFAIR(rbdf=False)@10", "FaiRR@1",
         "KL@10", "RR@10"}  # fmt: skip
NAMES = ("bm25", "neural", "fair")


@pytest.fixture
def beside(example):
    return {
        "terms": "gender-en",
        "docs": example / "collection.tsv",
        "background": example / "background.run",
    }


def runs_of(example):
    return [example / f"{name}.run" for name in NAMES]


def ranking_of(path):
    """Rankings of a run file, best first, by query."""
    run = run_format.read(path)
    parts = zip(run.qids, run.starts, run.starts[1:], strict=False)
    return {qid: [docno.decode() for docno in run.docnos[first:last]] for qid, first, last in parts}


def as_run(rankings):
    return {qid: {docno: -rank for rank, docno in enumerate(docnos)} for qid, docnos in rankings.items()}


# --- Shapley values ---


def omega_of(counts, target, tau):
    total = sum(counts)
    if total <= tau:
        return Fraction(1)
    return 1 - sum(abs(Fraction(count, total) - share) for count, share in zip(counts, target, strict=True))


def by_all_orders(counts, worth):
    """What a token of each group adds in the mean over all orders in which the tokens come, in fractions."""
    tokens = [group for group, count in enumerate(counts) for _ in range(count)]
    total, worth = [Fraction(0)] * len(counts), cache(worth)
    orders = list(permutations(tokens))
    for order in orders:
        held = [0] * len(counts)
        for group in order:
            before = worth(tuple(held))
            held[group] += 1
            total[group] += worth(tuple(held)) - before
    return [each / len(orders) / max(count, 1) for each, count in zip(total, counts, strict=True)]


@given(st.data())
def test_shapley_values_are_those_of_all_orders(data):
    groups = data.draw(st.integers(2, 3))
    tokens = data.draw(st.lists(st.integers(0, groups - 1), max_size=6))
    counts = [tokens.count(group) for group in range(groups)]
    parts = data.draw(st.lists(st.integers(1, 5), min_size=groups, max_size=groups))
    target = [Fraction(part, sum(parts)) for part in parts]
    tau = data.draw(st.integers(0, 2))
    expected = by_all_orders(counts, lambda held: omega_of(held, target, tau))
    table = shapley.coalitions(counts)
    worth = neutrality.omega(table, np.array([float(share) for share in target]), tau)
    found = shapley.shares(worth.reshape([count + 1 for count in counts]))
    assert found == pytest.approx([float(each) for each in expected], abs=1e-12)
    total = sum(count * each for count, each in zip(counts, found, strict=True))
    assert total == pytest.approx(float(omega_of(counts, target, tau)) - 1, abs=1e-12)


def test_the_figures_of_the_specification():
    def shares(counts):
        worth = neutrality.omega(shapley.coalitions(counts), np.array([0.5, 0.5]))
        return shapley.shares(worth.reshape([count + 1 for count in counts])).round(3).tolist()

    assert shares([10, 0]) == [-0.1, 0.0]
    assert shares([8, 2]) == [-0.132, 0.228]  # a word that balances gains


def test_shares_of_many_players_still_sum():
    worth = neutrality.omega(shapley.coalitions([300, 150]), np.array([0.5, 0.5]))
    each = shapley.shares(worth.reshape(301, 151))
    assert each @ [300, 150] == pytest.approx(worth[-1] - 1, abs=1e-9)


# --- what is printed adds up to what eval prints ---


def check_sums(found, lines, values, *, split=True):
    """Each query of a JSON report: its parts, and those of the JSON lines, add up to the value of eval."""
    lines = [{**row, "run": Path(row["run"]).name} for row in lines]  # JSON has no absolute path
    parts = {key: list(rows) for key, rows in groupby(lines, key=lambda row: (row["run"], row["qid"]))}
    many = 0
    for run in found["runs"]:
        name = Path(run["run"]).name
        for query in run["per_query"]:
            value = values[run["run"]][query["qid"]]
            if query["value"] is None:
                assert math.isnan(value)
                assert query["why"]
                assert (name, query["qid"]) not in parts
                continue
            many += 1
            assert query["value"] == value
            rows = parts.get((name, query["qid"]), [])
            assert [{**row} for row in rows] == [
                {"run": name, "qid": query["qid"], **{key: rank[key] for key in list(row)[2:]}}
                for row, rank in zip(rows, query["ranks"], strict=True)
            ]
            if split:
                assert query["rest"] + sum(row["adds"] for row in rows) == pytest.approx(value, abs=1e-9)
                assert query["ceiling"] - sum(row["loses"] for row in rows) == pytest.approx(value, abs=1e-9)
            else:
                assert sum(row["adds"] or 0 for row in rows) == pytest.approx(value, abs=1e-9)
    return many


@pytest.mark.long
@pytest.mark.parametrize(
    "measure",
    [
        each if each not in ALIKE else pytest.param(each, marks=pytest.mark.slow)
        for each in (
            *SUMS,
            *SHARES,
            *OTHERS,
            "nDCG@10",
            "P@5",
            "EER@10",
            "MeanBias@10",
            "FaiRR@1",
            "Exposure(group='f')@10",
        )
    ],
)
def test_parts_of_the_example_add_up(fairtrec_command, example, beside, measure):
    options = [word for name, value in beside.items() for word in (f"--{name}", value)]
    more = ["--stances", example / "stances.tsv"] * ("Bias" in measure)
    asked = (example / "qrels.txt", *runs_of(example), *options, *more, "-m", measure)
    found = json.loads(fairtrec_command("explain", *asked, "-f", "json").out)
    lines = [json.loads(line) for line in fairtrec_command("explain", *asked, "-f", "jsonl").out.splitlines()]
    evaluated = json.loads(fairtrec_command("eval", *asked, "-q", "-f", "json").out)
    values = {
        run["run"]: {
            qid: float("nan") if of[found["measure"]] is None else of[found["measure"]]
            for qid, of in run["per_query"].items()
        }
        for run in evaluated["runs"]
    }
    assert check_sums(found, lines, values, split=measure not in OTHERS) >= 24
    assert found["signature"] == evaluated["signature"]
    assert {*lines[0]} == {"run", "qid", "rank", "docno", "adds", "loses", "words"}
    for line in lines:
        if measure in {*SUMS, *SHARES} and line["docno"] is not None:
            missing = (line["adds"] + line["loses"]) if "FaiRR" in measure else 0  # without any term
            assert missing + sum(word["adds"] for word in line["words"]) == pytest.approx(line["adds"], abs=1e-9)


@pytest.mark.parametrize(
    "measure",
    [
        "NFaiRR@10",  # of what is like it on the example, too, the others are
        *(
            pytest.param(f"{name}@10", marks=pytest.mark.slow)
            for name in ["FaiRR", "ARaB", "TExFAIR", "TED", "RBDF", "nDCG"]
        ),
    ],
)
def test_parts_of_the_published_runs_add_up(shared, fairtrec_command, measure):
    data = shared / "data"
    folder = data / "cpjku" / "runs" / "trecdl2019_passage"
    asked = (
        *(data / "qrels" / "qrels.dl19-passage.txt", *sorted(folder.glob("*.run")), "--missing", "neutral"),
        *("--counts", data / "dl19-dl20-counts" / "gender.strip.tsv", "--background", folder / "BM25.run"),
        *("--queries", data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv", "-m", measure),
    )
    found = json.loads(fairtrec_command("explain", *asked, "-f", "json").out)
    lines = [json.loads(line) for line in fairtrec_command("explain", *asked, "-f", "jsonl").out.splitlines()]
    evaluated = json.loads(fairtrec_command("eval", *asked, "-q", "-f", "json").out)
    values = {
        run["run"]: {qid: float("nan") if of[measure] is None else of[measure] for qid, of in run["per_query"].items()}
        for run in evaluated["runs"]
    }
    assert all(len(each) == 30 for each in values.values())
    many = check_sums(found, lines, values)
    assert many == 300 or measure == "TED@10"
    assert found["signature"] == evaluated["signature"]
    assert (
        "no texts given: the table shows groups instead of words" in [note["text"] for note in found["notes"]]
        or measure == "nDCG@10"
    )


def test_the_query_that_costs_the_oracle_most(shared):
    """Judged documents first, grade falling, then in the order of the qrels; behind them the run without them."""
    data = shared / "data"
    folder = data / "cpjku" / "runs" / "trecdl2019_passage"
    judged = {}
    for line in (data / "qrels" / "qrels.dl19-passage.txt").read_text().splitlines():
        qid, _, docno, grade = line.split()
        if int(grade) >= 1:
            judged.setdefault(qid, []).append((-int(grade), len(judged.get(qid, [])), docno))
    run = {}
    for qid, docnos in ranking_of(folder / "BM25.run").items():
        first = [docno for _, _, docno in sorted(judged.get(qid, []))]
        run[qid] = first + [docno for docno in docnos if docno not in first]
    explanation = fairtrec.explain(
        "NFaiRR@10", as_run(run), counts=data / "dl19-dl20-counts" / "gender.strip.tsv",
        background=folder / "BM25.run", missing="neutral",
        queries=data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv",
    )  # fmt: skip
    (of_run,) = explanation.runs
    assert of_run.mean("value") == pytest.approx(0.9646, abs=5e-5)
    first, second, third = of_run.list_worst("higher")[:3]
    assert (first.qid, round(first.value, 4)) == ("962179", 0.0749)
    assert (second.qid, round(second.value, 4)) == ("443396", 0.8630)
    assert third.value == pytest.approx(1)
    assert first.loss / sum(each.loss for each in of_run.queries) == pytest.approx(0.87, abs=0.005)


# --- what words are said to do ---


def test_words_of_arab_are_worth_what_the_formula_says():
    docs = {"d1": "he he she", "d2": "she her nothing", "d3": "none"}
    groups = {"f": ["she", "her"], "m": ["he"]}
    run = {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
    weights = {"d1": (1 + 1 / 2 + 1 / 3) / 3, "d2": (1 / 2 + 1 / 3) / 3}
    values = {
        "ARaB@3": {"he": 2, "she d1": -1, "she d2": -1, "her": -1},
        "ARaB(mag='tf')@3": {"he": math.log(3), "she d1": -math.log(2), "she d2": -math.log(3) / 2,
                             "her": -math.log(3) / 2},
        "ARaB(mag='bool')@3": {"he": 1, "she d1": -1, "she d2": -0.5, "her": -0.5},
        "ARaB(mag='tf_paper')@3": {"he": math.log(2), "she d1": 0, "she d2": 0, "her": 0},
    }  # fmt: skip
    for measure, expected in values.items():
        (found,) = fairtrec.explain(measure, run, terms=groups, docs=docs).explained
        told = {(place.docno, word.term): word.adds for place in found.places for word in place.words}
        assert {*told} == {("d1", "he"), ("d1", "she"), ("d2", "she"), ("d2", "her")}
        for (docno, term), adds in told.items():
            worth = expected.get(term, expected.get(f"{term} {docno}"))
            assert adds == pytest.approx(weights[docno] * worth, abs=1e-12), (measure, docno, term)


def test_words_of_exposure_are_worth_what_the_formula_says():
    docs = {"d1": "he he she x", "d2": "she and her again and"}
    groups = {"f": ["she", "her"], "m": ["he"]}
    run = {"q": {"d1": 2.0, "d2": 1.0}}
    discounts = {"d1": 1, "d2": 1 / math.log2(3)}
    f, m = 1 / 4 + discounts["d2"] * 2 / 5, 2 / 4
    signs = {"f": math.copysign(1, f / (f + m) - 0.5), "m": math.copysign(1, m / (f + m) - 0.5)}
    ted = abs(f / (f + m) - 0.5) + abs(m / (f + m) - 0.5)
    for measure, factor in [("TED@2", 1), ("TExFAIR@2", -1)]:  # RBDF is 1
        (found,) = fairtrec.explain(measure, run, terms=groups, docs=docs).explained
        assert found.value == pytest.approx(ted if factor == 1 else 1 - ted)
        for place, tokens in zip(found.places, (4, 5), strict=True):
            for word in place.words:
                one = factor * signs[word.group] * discounts[place.docno] / (tokens * (f + m))
                assert word.adds == pytest.approx(word.times * one, abs=1e-12)


def test_a_ranking_of_one_side_and_one_of_neither():
    groups = {"f": ["she"], "m": ["he"]}
    docs = {"d1": "he", "d2": "nothing"}
    run = {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}
    one, none = fairtrec.explain("TExFAIR@2", run, terms=groups, docs=docs).explained
    assert (one.value, none.value) == (0, 1)
    assert [each.rest + sum(place.adds for place in each.places) for each in (one, none)] == pytest.approx([0, 1])
    one, none = fairtrec.explain("TED@2", run, terms=groups, docs=docs).explained
    assert one.value == 1
    assert (none.places, none.why) == ((), "no document in the top k holds a group term")


def test_what_is_behind_the_ideal_is_what_is_missing_to_1(example, beside):
    explanation = fairtrec.explain("NFaiRR@10", runs_of(example), qrels=example / "qrels.txt", **beside)
    for each in explanation.explained:
        assert sum(place.behind for place in each.places) == pytest.approx(1 - each.value, abs=1e-9)


def test_a_ranking_that_ends_early_loses_what_it_does_not_rank():
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "x", "b": "y"}, "background": {"q": {"a": 2, "b": 1}}}
    (found,) = fairtrec.explain("NFaiRR@3", {"q": {"a": 1.0}}, **given).explained
    ideal = 1 + 1 / math.log2(3)
    assert found.ceiling == pytest.approx((ideal + 0.5) / ideal)
    assert [place.docno for place in found.places] == ["a", None, None]
    assert [place.loses for place in found.places] == pytest.approx([0, 1 / math.log2(3) / ideal, 0.5 / ideal])
    (empty,) = fairtrec.explain("RBDF@3", {"q": {"a": 1.0}}, **given).explained
    assert len(empty.places) == 1  # ranks that are not there are no ranks


def test_each_query_may_have_its_target(tmp_path):
    (tmp_path / "targets.tsv").write_text("q1\tf\t0.75\nq1\tm\t0.25\nq2\tf\t0.5\nq2\tm\t0.5\n")
    docs, groups = {"a": "she she he"}, {"f": ["she"], "m": ["he"]}
    run = {"q1": {"a": 1}, "q2": {"a": 1}}
    several = fairtrec.explain("FaiRR@1", run, terms=groups, docs=docs, target=str(tmp_path / "targets.tsv")).explained
    for found, target in zip(several, ([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2)] * 2), strict=True):
        f, m = by_all_orders([2, 1], lambda held, target=target: omega_of(held, target, 1))
        assert {word.term: word.adds for word in found.places[0].words} == pytest.approx(
            {"she": float(2 * f), "he": float(m)}
        )


def test_a_word_of_two_groups_is_a_word_of_each():
    groups = {"f": ["she", "doctor"], "m": ["he", "doctor"]}
    (found,) = fairtrec.explain("FaiRR(tau=0)@1", {"q": {"a": 1}}, terms=groups, docs={"a": "doctor she"}).explained
    assert [(word.term, word.group) for word in found.places[0].words if word.times == 1] == [
        ("doctor", "f"), ("she", "f"), ("doctor", "m"),
    ]  # fmt: skip
    assert sum(word.adds for word in found.places[0].words) == pytest.approx(found.value - 1)


def test_terms_of_several_words_are_named(beside):
    groups = {"f": ["first lady", "she"], "m": ["he"]}
    docs = {"a": "The First Lady; the first lady, she"}
    (found,) = fairtrec.explain("FaiRR@1", {"q": {"a": 1}}, terms=groups, docs=docs).explained
    assert [(word.term, word.times) for word in found.places[0].words] == [("first lady", 2), ("she", 1)]


def test_too_many_coalitions_are_divided_roughly(monkeypatch):
    monkeypatch.setattr(shapley, "MOST", 8)
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "she she she he he", "b": "he he"}}
    explanation = fairtrec.explain("FaiRR@2", {"q": {"a": 2, "b": 1}}, **given, query="q")
    rough, fine = explanation.explained[0].places
    assert (rough.rough, fine.rough) == (True, False)
    assert {word.term: word.adds for word in rough.words} == pytest.approx({"she": -0.2 * 3 / 5, "he": -0.2 * 2 / 5})
    assert split.shapley is shapley


class Weighed(FaiRR):
    """A measure of somebody else, which says what it makes of its ranks."""


def test_measures_of_others_have_parts_and_words():
    (found,) = fairtrec.explain(
        Weighed(cutoff=2), {"q": {"a": 1}}, terms={"f": ["she"], "m": ["he"]}, docs={"a": "he he"}
    ).explained
    assert found.places[0].words[0].adds == pytest.approx(-1)
    assert found.places[1].loses == pytest.approx(1 / math.log2(3))


# --- other rankings ---


def evaluated(measure, several, example, beside, qid):
    """What eval says of each of several rankings of one query."""
    runs = {str(name): as_run({qid: docnos}) for name, docnos in several.items()}
    values = fairtrec.evaluate(measure, runs, qrels=example / "qrels.txt", **beside).per_query
    return {name: values[str(name)][measure][qid] for name in several}


@pytest.mark.parametrize(
    ("measure", "qid"),
    [
        *(("NFaiRR@10", "102"), ("ARaB@10", "109"), ("TED@10", "102"), ("nDRKL@10", "109")),
        *(("AP@10", "102"), ("nDCG@10", "109"), ("KL@3", "102")),
    ],
)
def test_what_other_rankings_are_worth(example, beside, measure, qid):
    docnos = ranking_of(example / "neural.run")[qid]
    explanation = fairtrec.explain(measure, example / "neural.run", qrels=example / "qrels.txt", query=qid, **beside)
    (found,) = explanation.explained
    without = {place.docno: place.without for place in found.places if place.docno is not None}
    left = {docno: [each for each in docnos if each != docno] for docno in without}
    assert without == pytest.approx(evaluated(measure, left, example, beside, qid), abs=1e-12, nan_ok=True)
    others = {}
    for upper, lower in combinations(range(len(docnos)), 2):
        if upper < int(measure.partition("@")[2]):
            other = list(docnos)
            other[upper], other[lower] = other[lower], other[upper]
            others[upper + 1, lower + 1] = other
    values = evaluated(measure, others, example, beside, qid)
    changes = {ranks: value - found.value for ranks, value in values.items()}
    sign = {"KL@3": -1, "TED@10": -1}.get(measure, 1)
    if measure == "ARaB@10":
        gains = {pair: abs(found.value) - abs(found.value + change) for pair, change in changes.items()}
    else:
        gains = {pair: sign * change for pair, change in changes.items()}
    best = max(gains.values())
    if best <= 1e-12:
        assert found.exchange is None
    else:
        assert gains[found.exchange.ranks] == pytest.approx(best, abs=1e-11)
        assert found.exchange.change == pytest.approx(changes[found.exchange.ranks], abs=1e-11)
        assert found.exchange.docnos == tuple(docnos[rank - 1] for rank in found.exchange.ranks)


def test_steps_are_the_values_of_the_first_ranks(example, beside):
    rankings = ranking_of(example / "bm25.run")
    explanation = fairtrec.explain("nDRKL@10", example / "bm25.run", qrels=example / "qrels.txt", **beside)
    for found in explanation.explained[:3]:
        value = 0.0
        first = {place.rank: rankings[found.qid][: place.rank] for place in found.places}
        values = evaluated("nDRKL@10", first, example, beside, found.qid)
        for place in found.places:
            now = values[place.rank]
            if math.isnan(now):
                assert math.isnan(place.adds)
            else:
                assert place.adds == pytest.approx(now - value, abs=1e-12)
                value = now


def test_no_more_exchanges_are_tried_than_said(example, beside, monkeypatch):
    monkeypatch.setattr(variants, "MOST", 40)
    explanation = fairtrec.explain("nDRKL@10", example / "bm25.run", query="101", **beside)
    assert texts(explanation.notes) == ("only the first 40 exchanges of each query were tried",)
    assert explanation.explained[0].exchange.ranks[1] <= 10
    monkeypatch.undo()
    assert texts(fairtrec.explain("nDRKL@10", example / "bm25.run", query="101", **beside).notes) == ()


def test_exchanges_bound_what_is_exchanged(example, beside):
    few, many = (
        fairtrec.explain("NFaiRR@3", example / "bm25.run", query=["101"], exchanges=number, **beside).explained[0]
        for number in (3, 100)
    )
    assert many.exchange.ranks[1] > 3 >= few.exchange.ranks[1]
    cut = fairtrec.explain("NFaiRR@3", example / "bm25.run", query=["101"], depth=3, **beside).explained[0]
    assert cut.exchange == few.exchange
    for measure in ("nDCG", "AP"):  # which see all ranks
        run = example / "neural.run"
        found = fairtrec.explain(measure, run, qrels=example / "qrels.txt", query=["102"], exchanges=2).explained[0]
        assert found.exchange is None or found.exchange.ranks == (1, 2)


def test_no_exchange_betters_what_is_neither(example, beside):
    (found,) = fairtrec.explain("RBDF@10", example / "bm25.run", query="101", **beside).explained
    assert found.exchange is None


@pytest.mark.parametrize("measure", ["NFaiRR@10", "ARaB(mag='tf_paper')@10", "TExFAIR@10", "AWRF@10"])
def test_a_term_less_is_a_list_without_it(example, beside, measure):
    lines = (REPOSITORY / "resources/wordlists/gender-en.csv").read_text().splitlines()
    explanation = fairtrec.explain(measure, runs_of(example), what_if=["her", "Men"], **beside)
    for each in ("her", "Men"):
        groups = {"f": [], "m": []}
        for line in lines:
            term, _, group = line.partition(",")
            if group in groups and term != each.lower():
                groups[group].append(term)
        result = fairtrec.evaluate(measure, runs_of(example), **{**beside, "terms": groups})
        for of_run in explanation.runs:
            expected = result.per_query[of_run.run][measure]
            assert {found.qid: found.what_if[each] for found in of_run.queries} == pytest.approx(expected, nan_ok=True)
            assert of_run.what_if(each) == pytest.approx(result.means[of_run.run][measure])


# --- what is refused, and what is said ---


@pytest.fixture
def asked(example):
    options = (
        "--terms",
        "gender-en",
        "--docs",
        example / "collection.tsv",
        "--background",
        example / "background.run",
    )
    return "explain", example / "qrels.txt", example / "bm25.run", *options


@pytest.mark.parametrize(
    ("more", "code", "what"),
    [
        (("-m", "NFaiRR@10", "--query", "1001"), 3, "no value for query 1001; did you mean 101?"),
        (("-m", "NFaiRR@10", "--query", "999"), 3, "no value for query 999; queries are called like 101"),
        (("-m", "NFaiRR@10 TED@10"), 2, "these are 2 measures (NFaiRR@10, TED@10); explain one at a time"),
        (("-m", "TE@10"), 2, "these are 2 measures (TE(group='f')@10, TE(group='m')@10); explain one at a time"),
        (("-m", "NFaiRR@10", "--what-if", "hers elf"), 2, "'hers elf' is not a term of the list; did you mean herself?"),
        (("-m", "NFaiRR@10", "--what-if", "%"), 2, "'%' is not a term of the list; give one that is"),
        (("-m", "nDCG@10", "--what-if", "her"), 2, "there is no word list; add --terms with --docs"),
        (("-m", "NFaiRR@10", "--samples"), 2, "explain shows one ranking for each query; leave out --samples"),
        (("-m", "NFaiRR@10", "--undefined", "0"), 2, "explain shows why a value is undefined; leave out --undefined"),
        (("-m", "NFaiRR@10", "--exchanges", "0"), 2, "Invalid value for '--exchanges'"),
        ((), 2, "Missing option '-m'"),
    ],
)  # fmt: skip
def test_what_is_refused(fairtrec_command, asked, more, code, what):
    done = fairtrec_command(*asked, *more)
    assert done.code == code
    assert what in done.err
    assert not done.out


def test_exchanges_in_python_are_refused_too(example):
    with pytest.raises(UsageError, match="exchanges are 0; look at 1 document or more"):
        fairtrec.explain("nDCG@10", example / "bm25.run", qrels=example / "qrels.txt", exchanges=0)


def test_documents_that_nobody_knows(example, beside, tmp_path):
    """Those that the value sees are refused as eval does; those farther down are only left out of exchanges."""
    lines = (example / "collection.tsv").read_text().splitlines(keepends=True)
    rankings = ranking_of(example / "bm25.run")["101"]
    given = {"terms": "gender-en", "docs": tmp_path / "few.tsv"}

    def without(*docnos):
        given["docs"].write_text("".join(line for line in lines if line.split("\t")[0] not in docnos))

    without(rankings[1], rankings[10])
    run = as_run({"101": rankings})
    with pytest.raises(InputError, match=f"such as {rankings[1]} at rank 2 of query 101"):
        fairtrec.explain("FaiRR@10", run, query="101", **given)
    neutral = fairtrec.explain("FaiRR@10", run, query="101", missing="neutral", **given)
    place = neutral.explained[0].places[1]
    assert (place.known, place.loses, place.words, place.text) == (False, 0, (), None)
    assert neutral.result.signature["missing"] == "neutral(1)"
    worst = fairtrec.explain("FaiRR@10", run, query="101", missing="worst", **given).explained[0].places[1]
    assert (worst.known, worst.gain, worst.words) == (False, 0, ())
    skipped = fairtrec.explain("FaiRR@10", run, query="101", missing="skip", **given).explained[0]
    kept = [docno for docno in rankings if docno not in (rankings[1], rankings[10])]
    assert [place.docno for place in skipped.places] == kept[:10]
    without(rankings[10])
    (found,) = fairtrec.explain("FaiRR@10", run, query="101", **given).explained
    assert found.exchange.docnos[1] != rankings[10]
    (found,) = fairtrec.explain("KL@10", run, query="101", **given).explained
    assert found.exchange.ranks == (1, 12)
    assert found.exchange.docnos == (rankings[0], rankings[11])
    background = as_run({"101": rankings})
    with pytest.raises(InputError, match=r"1 of .* documents that the measures look at have no text or counts, "):
        fairtrec.explain("NFaiRR@10", run, query="101", background=background, **given)


def test_queries_that_one_run_lacks(example, beside):
    run = as_run(ranking_of(example / "bm25.run"))
    few = {qid: docnos for qid, docnos in run.items() if qid != "101"}
    explanation = fairtrec.explain("NFaiRR@10", {"all": run, "few": few}, query=["101"], **beside)
    assert [(each.run, each.qid) for each in explanation.explained] == [("all", "101")]
    complete = fairtrec.explain("NFaiRR@10", {"few": few}, qrels=example / "qrels.txt", complete=True, **beside)
    (empty,) = (each for each in complete.explained if each.qid == "101")
    assert (empty.value, len(empty.places)) == (0, 10)
    assert empty.ceiling == pytest.approx(sum(place.loses for place in empty.places))


def test_labels_stand_for_words(example):
    explanation = fairtrec.explain("DP@10", example / "bm25.run", labels=example / "labels.tsv", query="101")
    words = [word for place in explanation.explained[0].places for word in place.words]
    assert {word.term for word in words} <= {"f", "m"}
    hard = {"a": "f", "b": "m"}
    given = {"labels": hard, "missing": "neutral"}
    (found,) = fairtrec.explain("FaiRR(tau=0)@3", {"q": {"a": 3, "b": 2, "c": 1}}, **given).explained
    assert [[(word.term, word.adds) for word in place.words] for place in found.places] == [
        [("f", -1)], [("m", pytest.approx(-1 / math.log2(3)))], [],
    ]  # fmt: skip


def test_a_counterfactual_run_is_kept_beside(example):
    runs = {"a": example / "bm25.run"}
    found = fairtrec.explain("CRBO@10", runs, counterfactual={"a": example / "neural.run"}, query="101")
    value = fairtrec.evaluate("CRBO@10", runs, counterfactual={"a": example / "neural.run"}).per_query["a"]["CRBO@10"]
    assert found.explained[0].value == value["101"]
    assert sum(place.adds for place in found.explained[0].places) == pytest.approx(value["101"])


# --- the report and the page ---


def test_the_text_has_the_digits_of_the_parts(fairtrec_command, asked):
    for line in fairtrec_command(
        *asked, "-m", "NFaiRR@10", *(word for qid in range(101, 113) for word in ("--query", qid))
    ).out.splitlines():
        if found := re.search(r"NFaiRR@10 (\S+) = (\S+) if all ten were neutral - (\S+)$", line):
            value, ceiling, lost = map(Fraction, found.groups())
            assert value == ceiling - lost


# --- the page ---


def page_of(*arguments, places=4, **keywords):
    from fairtrec.commands.explain import EXPLANATIONS

    return EXPLANATIONS("html", fairtrec.explain(*arguments, **keywords), places=places)


EVIL = {
    "a": "she <script>alert(1)</script> he </td></table><!-- & \u202eleft \x00 He,",
    "b": '" onclick="alert(2)" her',
    "<img src=x>": "he",
}


@pytest.fixture(scope="module")
def evil():
    groups = {"f<b>": ["she", "her"], "m": ["he"]}
    run = {'q"><script>': {"a": 3, "b": 2, "<img src=x>": 1}}
    return page_of("FaiRR(tau=0)@5", {"<script>run": run}, terms=groups, docs=EVIL, query='q"><script>')


def test_whatever_texts_are_they_stay_text(evil):
    parsed = Page(evil)
    assert not {each["tag"] for each in parsed.elements} & {"script", "img", "link", "iframe", "base", "form", "b"}
    names = {name for each in parsed.elements for name in each if name not in ("tag", "text")}
    assert not [name for name in names if name.startswith("on")]
    assert not names & {"src", "href", "style", "action", "srcset"}
    shown = [each["text"] for each in parsed.all("p")]
    assert any("<script>alert(1)</script>" in text and "\ufffdleft \ufffd" in text for text in shown)
    assert "\u202e" not in evil


def test_the_page_allows_its_own_style_and_nothing_else(evil):
    parsed = Page(evil)
    policy = parsed.one("meta", http_equiv="Content-Security-Policy")["content"]
    digest = b64encode(sha256(parsed.one("style")["text"].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in evil
    assert "@import" not in evil
    assert "http" not in re.sub("http-equiv", "", evil)


def test_words_are_marked_by_letters_and_lines_too(evil):
    found = [(each["text"], each["class"]) for each in Page(evil).all("mark")]
    assert found[2:] == [  # behind the two of the legend
        ("shef", "kind0"), ("hem", "kind1"), ("Hem", "kind1"),
        ("herf", "kind0"), ("hem", "kind1"),
    ]  # fmt: skip
    styles = re.findall(r"\.(kind\d) \{[^}]*border-bottom-style: (\w+)", evil)
    assert len({line for _, line in styles}) == len(styles) == 4


def test_the_page_has_the_numbers_of_the_text(example, beside, fairtrec_command, asked, tmp_path):
    for more in (("--query", "101", "--what-if", "her"), ()):
        text = fairtrec_command(*asked, "-m", "NFaiRR@10", *more).out
        done = fairtrec_command(*asked, "-m", "NFaiRR@10", *more, "-f", "html", "-o", tmp_path / "page.html")
        assert (done.code, done.out, done.err) == (0, "", "")
        page = Page((tmp_path / "page.html").read_text("utf-8"))
        shown = " ".join(each["text"] for each in page.elements)
        for number in re.findall(r"\d\.\d{4}", text.partition("and ")[0]):
            assert number in shown
        assert len(page.all("details")) == (1 if more else 10)
    assert "2 more queries are not shown; --query shows them" in shown


@pytest.mark.parametrize("measure", ["nDRKL@5", "ARaB@5", "nDCG@5", "TED@5"])
def test_the_page_of_other_measures(example, beside, measure):
    for query in ("101", ()):
        page = Page(page_of(measure, runs_of(example), qrels=example / "qrels.txt", query=query, **beside))
        assert page.all("svg")
        assert bool(page.all("rect", class_="loses")) == (measure == "nDCG@5")


def test_the_page_of_counts_and_of_values_that_are_undefined(example, tmp_path):
    run = {"q": {"a": 3, "b": 2, "c": 1}, "none": {"a": 1}}
    given = {"labels": {"a": "f", "b": "m"}, "missing": "neutral", "background": {"q": {"c": 1}}}
    page = Page(page_of("NFaiRR(tau=0)@4", run, query=["q", "none"], **given))
    shown = [each["text"] for each in page.all("p")]
    assert "no text or counts" in shown
    assert any(text.startswith("query none: NFaiRR(tau=0)@4 is undefined: the query has no") for text in shown)
    assert [each["text"] for each in page.all("bdi")][1:] == ["a", "b", "c", "(none)"]
    assert not page.all("mark")


@pytest.mark.parametrize("tokenizer", ["strip", "space", "word"])
@given(text=st.text(alphabet="she rf'İK.,-_ßal\u00a0\n", max_size=40))
def test_marks_are_what_is_counted(tokenizer, text):
    terms = GroupTerms("list", {"f": ("she", "her he", "ß"), "m": ("he", "a")})
    lexicon = Lexicon.from_terms(terms, tokenizer)
    tokens = lexicon.tokens(text)
    counted = lexicon.occurrences(tokens)
    single = sum(times for (term, _), times in counted.items() if " " not in term)
    several = sum(times for (term, _), times in counted.items() if " " in term)
    found = explanation.marks(lexicon, text)
    assert single <= sum(len(lexicon.tokens(text[mark.start : mark.end])) for mark in found)
    assert single <= len(found) + several <= single + 2 * several
    assert all(last.end <= mark.start for last, mark in pairwise(found))


def test_marks_that_overlap_are_one():
    terms = GroupTerms("list", {"f": ("first lady",), "m": ("lady he",)})
    found = explanation.marks(Lexicon.from_terms(terms), "A first lady, he said.")
    assert [(mark.start, mark.end, mark.groups) for mark in found] == [(2, 16, (0, 1))]

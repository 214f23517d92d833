"""Ties of documents of different groups: how many queries they decide, the pairs, and what is expected without docnos."""

import itertools
import json
import random
import tracemalloc

import numpy as np
import pytest

import fairtrec
from fairtrec.evaluation import tied_groups
from fairtrec.evaluation.columns import ties
from fairtrec.evaluation.tied_pairs import PairTable, TiedPairs

EXPOSURE = "Exposure(group='human')"


def twins(queries=80, pairs=6, names=("human", "llm")):
    """Make a run in which the two texts of each pair tie."""
    ranking = {f"d{number}-{name}": float(pairs - number) for number in range(pairs) for name in names}
    return {f"q{query}": ranking for query in range(queries)}


LABELS = {f"d{number}-{name}": name for number in range(6) for name in ("human", "llm")}


def means_of(result, path):
    result.write(path)
    (run,) = json.loads(path.read_text())["runs"]
    return run["means"]


def draw(rng, *, equal=False):
    """Draw a run with many ties, and labels: of one group, of none, or unknown."""
    docnos = [f"d{number}" for number in range(14)]
    labels = {docno: rng.choice(["f", "m", "-"]) for docno in docnos if rng.random() < 0.8}
    labels |= {"x1": "f", "x2": "m"}
    run = {}
    for query in range(8):
        ranked = rng.sample(docnos, rng.randint(1, 12))
        run[f"q{query}"] = {docno: 1.0 if equal else float(rng.randint(0, 5)) for docno in ranked}
        run[f"q{query}"] |= {"x1": 9.0}  # every query has a known document
    return run, labels


def rank(scores):
    return sorted(scores, key=lambda docno: (scores[docno], docno.encode()), reverse=True)


def count_mixed(run, labels, cutoff):
    """Count the queries by the definition: blocks of equal scores that reach into the ranks, all pairs of each."""
    many = 0
    for scores in run.values():
        top = rank(scores)[:cutoff]
        blocks = [[other for other in scores if scores[other] == scores[docno]] for docno in top]
        many += any(len({labels.get(docno, "?") for docno in block}) > 1 for block in blocks)
    return many


def count_pairs(run, labels, cutoff):
    """Count all pairs of tied documents of two groups of which one is at the ranks that are read."""
    pairs = {}
    for scores in run.values():
        for upper, lower in itertools.combinations(enumerate(rank(scores)), 2):
            groups = labels.get(upper[1], "?"), labels.get(lower[1], "?")
            if scores[upper[1]] == scores[lower[1]] and upper[0] < cutoff and {*groups} == {"f", "m"}:
                pairs[groups] = pairs.get(groups, 0) + 1
    return pairs


def test_docnos_decide_in_twin_corpora():
    text = str(fairtrec.evaluate(f"{EXPOSURE}@5", twins(), labels=LABELS))
    assert (
        f"{EXPOSURE}@5: in 80 of 80 queries, documents of different groups have equal scores and are ordered by falling docno, as trec_eval: the value is "
        "-0.1399, the average over all orders 0.0000 (bounds=ties); llm is above human in 240 of 240 tied pairs"
    ) in text


def test_a_renaming_turns_the_value_and_neither_the_count_nor_what_is_expected(tmp_path):
    renamed = {docno: docno.replace("human", "zhuman") for docno in LABELS}
    run = {qid: {renamed[docno]: score for docno, score in of.items()} for qid, of in twins(4).items()}
    labels = {renamed[docno]: group for docno, group in LABELS.items()}
    first = means_of(fairtrec.evaluate(f"{EXPOSURE}@5", twins(4), labels=LABELS), tmp_path / "a.json")[f"{EXPOSURE}@5"]
    other = means_of(fairtrec.evaluate(f"{EXPOSURE}@5", run, labels=labels), tmp_path / "b.json")[f"{EXPOSURE}@5"]
    assert first["value"] == pytest.approx(-other["value"], abs=1e-12)
    assert first["value"] < -0.1
    assert {name: first[name] for name in ("mixed_ties", "expected")} == {"mixed_ties": 4, "expected": 0.0}
    assert {name: other[name] for name in ("mixed_ties", "expected")} == {"mixed_ties": 4, "expected": 0.0}


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("cutoff", [1, 3, 5, 20])
def test_counts_and_pairs_are_those_of_the_definition(seed, cutoff):
    run, labels = draw(random.Random(seed))
    scores = fairtrec.evaluate(f"Exposure(group='f')@{cutoff} AWRF@{cutoff} nDCG@3", run, qrels={"q1": {"d1": 1}},
                               labels=labels, queries=[*run]).scores[0]  # fmt: skip
    column = scores.columns["mixed_ties"]
    judged = {qid: of for qid, of in run.items() if qid in scores.qids}
    many = count_mixed(judged, labels, cutoff)
    assert column.is_mixed.sum(axis=1).tolist() == [many, many, 0]
    pairs = count_pairs(judged, labels, cutoff)
    for row in (0, 1):
        assert column.pairs.count_all(row) == pairs


@pytest.mark.parametrize("cutoff", [1, 3, 5])
def test_of_a_set_only_ties_across_the_cutoff_count(cutoff):
    run, labels = draw(random.Random(4))
    wanted = 0
    for scores in run.values():
        top, below = rank(scores)[:cutoff], rank(scores)[cutoff:]
        tied = [docno for docno in scores if below and scores[docno] == scores[top[-1]] == scores[below[0]]]
        wanted += len({labels.get(docno, "?") for docno in tied}) > 1
    found = fairtrec.evaluate(f"MaxShare@{cutoff} MinSkew@{cutoff}", run, labels=labels, queries=[*run]).scores[0]
    assert found.columns["mixed_ties"].is_mixed.sum(axis=1).tolist() == [wanted] * 2
    assert wanted < count_mixed(run, labels, cutoff) or cutoff == 1


def test_ties_within_a_set_have_no_note():
    run = {f"q{at}": {"a": 2.0, "b": 2.0, "c": 1.0} for at in range(4)}
    labels = {"a": "f", "b": "m", "c": "f"}
    assert "equal scores" not in str(fairtrec.evaluate("MaxShare@2", run, labels=labels))
    assert "equal scores" in str(fairtrec.evaluate("MaxShare@1", run, labels=labels))


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("measure", ["Exposure(group='f')@4", "Exposure(group='f',of='all')@4", "NFaiRR@4", "FaiRR@4"])
def test_what_is_expected_is_that_of_bounds(seed, measure):
    run, labels = draw(random.Random(seed))
    labels = {docno: "f" if group == "-" else group for docno, group in labels.items()} | dict.fromkeys(
        [f"d{number}" for number in range(14) if f"d{number}" not in labels], "m"
    )
    given = {"labels": labels} | ({"background": run} if measure.startswith("NFaiRR") else {})
    plain, bounds = (fairtrec.evaluate(measure, run, **given, bounds=how).scores[0] for how in (None, "ties"))
    column = plain.columns["mixed_ties"]
    assert column.expected.tobytes() == bounds.columns["ties"].expected.tobytes()
    assert plain.settle("mixed_ties") == bounds.ends["expected"].means.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_counts_tables_give_the_same_as_labels(seed, tmp_path):
    run, labels = draw(random.Random(seed))
    docnos = sorted({docno for of in run.values() for docno in of})
    rows = {"f": "9\t2\t0", "m": "9\t0\t2", "-": "9\t0\t0"}
    counts = tmp_path / "counts.tsv"
    lines = [f"{docno}\t{rows[labels[docno]]}" for docno in docnos if docno in labels]
    counts.write_text("docno\ttokens\tf\tm\n" + "\n".join(lines) + "\n")
    scores = fairtrec.evaluate("AWRF@3 NDKL@3", run, counts=counts, missing="neutral").scores[0]
    assert scores.columns["mixed_ties"].is_mixed.sum(axis=1).tolist() == [count_mixed(run, labels, 3)] * 2


def test_different_scores_leave_nothing_open(tmp_path):
    run = {qid: {docno: float(rank) for rank, docno in enumerate(of)} for qid, of in twins(3).items()}
    mean = means_of(fairtrec.evaluate(f"{EXPOSURE}@5", run, labels=LABELS), tmp_path / "a.json")[f"{EXPOSURE}@5"]
    assert mean["mixed_ties"] == 0
    assert mean["expected"] == mean["value"]


def test_of_equal_scores_a_group_gets_its_share(tmp_path):
    labels = {f"d{number}": "human" if number < 3 else "llm" for number in range(10)}
    run = {"q": dict.fromkeys(labels, 1.0)}
    mean = means_of(fairtrec.evaluate(f"{EXPOSURE}@4", run, labels=labels), tmp_path / "a.json")[f"{EXPOSURE}@4"]
    assert mean["expected"] == pytest.approx(0.3 - 0.5, abs=1e-12)
    assert mean["mixed_ties"] == 1


def test_a_block_that_goes_on_below_the_cutoff_counts_also_where_labels_stand_for_counts():
    run = {"q": {"a": 3.0, "b": 1.0, "c": 1.0, "d": 1.0}, "p": {"a": 3.0, "c": 1.0, "b": 0.5, "d": 0.2}}
    labels = {"a": "f", "b": "m", "c": "f", "d": "f"}
    scores = fairtrec.evaluate("FaiRR@2 Exposure(group='f')@2", run, labels=labels).scores[0]
    assert scores.columns["mixed_ties"].is_mixed.tolist() == [[False, True]] * 2  # of q, d stands at rank 2


def test_documents_below_the_cutoff_need_not_be_known(tmp_path):
    """Nobody has counted c, which is tied with the last document that is read: that refuses nothing."""
    run, counts = {"q": {"a": 3.0, "d": 1.0, "c": 1.0}}, tmp_path / "counts.tsv"
    counts.write_text("docno\ttokens\tf\tm\na\t9\t1\t0\nd\t9\t1\t0\n")
    scores = fairtrec.evaluate("AWRF@2", run, counts=counts).scores[0]
    assert scores.columns["mixed_ties"].is_mixed.tolist() == [[True]]


def test_attributes_are_looked_at_by_their_names():
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    age = {"a": "old", "b": "old", "c": "new"}
    labels = fairtrec.attributes(gender={"a": "f", "b": "m", "c": "f"}, age=age)
    scores = fairtrec.evaluate("AWRF(by='gender')@2 AWRF(by='age')@2 AWRF@2", run, labels=labels).scores[0]
    assert scores.columns["mixed_ties"].is_mixed[:, 0].tolist() == [True, False, True, False]  # the last of age


def test_orders_without_scores_have_no_ties():
    scores = fairtrec.evaluate("AWRF@2", twins(2), labels=LABELS, order="file").scores[0]
    assert "mixed_ties" not in scores.columns


def test_a_measure_without_closed_form_is_noted_from_a_twentieth_of_the_queries():
    run = twins(2) | {f"p{number}": {"d1-llm": 2.0, "d2-human": 1.0} for number in range(38)}
    tied = "in 2 of 40 queries, documents of different groups have equal scores and are ordered by falling docno, as trec_eval"
    assert f"{tied}; bounds=ties prints the lowest" in str(fairtrec.evaluate("NDKL@5", run, labels=LABELS))
    run |= {"r": {"d1-llm": 2.0, "d2-human": 1.0}}
    assert "different groups" not in str(fairtrec.evaluate("NDKL@5", run, labels=LABELS))


def test_few_pairs_are_not_told():
    text = str(fairtrec.evaluate(f"{EXPOSURE}@5", twins(3), labels=LABELS))
    assert "in 3 of 3 queries, documents of different groups" in text
    assert "tied pairs" not in text


def test_several_runs_have_one_note_and_other_measures_are_counted():
    runs = {"a": twins(20), "b": {qid: {**of, "d0-llm": 9.0} for qid, of in twins(20).items()}}
    text = str(fairtrec.evaluate(f"{EXPOSURE}@5 AWRF@5", runs, labels=LABELS))
    assert text.count("documents of different groups have equal scores") >= 1
    assert "; 1 more measure is affected" in text


def test_bounds_of_ties_say_it_themselves():
    text = str(fairtrec.evaluate(f"{EXPOSURE}@5", twins(), labels=LABELS, bounds="ties"))
    assert "different groups" not in text
    assert "ties change the value" in text


def test_slices_count_their_own_queries(tmp_path):
    run = twins(2) | {"p": {"d1-llm": 2.0, "d2-human": 1.0}}
    result = fairtrec.evaluate(f"{EXPOSURE}@5", run, labels=LABELS)
    result.write(tmp_path / "a.json", slices={"tied": ["q0", "q1"], "other": ["p"]})
    (found,) = json.loads((tmp_path / "a.json").read_text())["runs"]
    counts = {
        name: part["means"][f"{EXPOSURE}@5"]["mixed_ties"]
        for name, part in found["slices"].items()
        if name in ("tied", "other")
    }
    assert counts == {"tied": 2, "other": 0}


def test_a_block_of_many_is_cut_behind_its_last_document():
    from fairtrec.data import Run

    many = 300
    scores = np.concatenate([[9.0], np.ones(many), [0.0], [2.0, 1.0]])
    docnos = np.array([f"d{number:03}".encode() for number in range(len(scores))])
    run = Run("r", "t", ("q1", "q2"), np.array([0, many + 2, many + 4]), docnos, scores)
    kept = run.keep_tied(("q1", "q2"), 3)
    assert kept.qids == ("q1",)
    assert kept.docnos.tolist() == docnos[: many + 1].tolist()
    none = run.keep_tied(("q1", "q2"), 1)
    assert none.qids == ()
    assert none.scores.base is None  # a view would keep each run of a batch in memory
    assert run.keep_tied(("q2",), None).qids == ()


@pytest.mark.parametrize("seed", range(10))
def test_each_of_many_cutoffs_is_as_alone(seed):
    """Cutoffs of one measure share what they know of ties."""
    run, labels = draw(random.Random(seed))
    names = ["Exposure(group='f')", "Exposure(group='f',of='all')", "NFaiRR", "FaiRR(tau=0)", "AWRF", "RaB", "ARaB"]
    given = {"labels": labels, "background": run, "missing": "neutral"}
    for name in [*names, "TExFAIR", "RBDF", "EER"]:
        together = fairtrec.evaluate([f"{name}@{cutoff}" for cutoff in range(1, 15)], run, **given).scores[0]
        for row, measure in enumerate(together.measures):
            alone = fairtrec.evaluate([str(measure), "KL@14"], run, **given).scores[0]  # of as many ranks
            one, many = (each.columns["mixed_ties"] for each in (alone, together))
            assert one.is_mixed[:1].tobytes() == many.is_mixed[row : row + 1].tobytes(), measure
            assert one.expected[:1].tobytes() == many.expected[row : row + 1].tobytes(), measure
            assert one.pairs.count_all(0) == many.pairs.count_all(row), measure


@pytest.mark.parametrize("seed", range(8))
def test_few_cells_at_a_time_count_the_same(seed, monkeypatch):
    run, labels = draw(random.Random(seed))
    monkeypatch.setattr(tied_groups, "CELLS", 1)
    column = fairtrec.evaluate("AWRF@3", run, labels=labels).scores[0].columns["mixed_ties"]
    assert column.is_mixed.sum() == count_mixed(run, labels, 3)
    assert column.pairs.count_all(0) == count_pairs(run, labels, 3)


def peak_of(work):
    """Measure the most bytes that something takes."""
    tracemalloc.start()
    try:
        result = work()
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_pairs_of_many_groups_take_no_square_of_them():
    groups = tuple(f"g{number}" for number in range(80_000))
    rows = np.array([[0, 0, 7, 79_999, 2], [0, 1, 79_999, 7, 1], [1, 0, 7, 79_999, 3]]).T
    pairs = TiedPairs((PairTable(groups, *rows),), np.array([0]), np.array([10]))
    counted, peak = peak_of(lambda: (pairs.count_all(0), pairs.count(0)))
    assert counted == ({("g7", "g79999"): 5, ("g79999", "g7"): 1}, ("g7", "g79999", 5, 6))
    assert peak < 1 << 20


def test_tied_documents_of_many_groups_take_little_more_than_their_labels():
    labels = {f"d{number}": f"g{number}" for number in range(3000)}
    run = {"q": dict.fromkeys(labels, 1.0)}
    result, peak = peak_of(lambda: fairtrec.evaluate("Exposure(group='g7')@3", run, labels=labels))
    column = result.scores[0].columns["mixed_ties"]
    assert (column.is_mixed.tolist(), column.pairs.count_all(0)) == ([[True]], {})  # 9 million pairs of one pair each
    assert "tied pairs" not in str(result)
    assert peak < 5 * 8 * 3000 * 3000, "labels, and the membership in tied ranks"


def test_what_is_expected_is_left_out_where_it_does_not_fit_into_memory(monkeypatch):
    labels = {"d1": "f", "d2": "m", "d3": "f"}
    run = {"q": dict.fromkeys(labels, 1.0)}
    whole = fairtrec.evaluate("Exposure(group='f')@1", run, labels=labels).scores[0]
    monkeypatch.setattr(ties, "MOST_CELLS", 5)
    scores = fairtrec.evaluate("Exposure(group='f')@1", run, labels=labels).scores[0]
    assert scores.values.tolist() == whole.values.tolist()
    assert scores.columns["mixed_ties"].is_mixed.tolist() == [[True]]
    assert np.isnan(scores.columns["mixed_ties"].expected).all()
    assert np.isfinite(whole.columns["mixed_ties"].expected).all()

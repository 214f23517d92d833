"""``fairtrec explain --baseline``: the parts of a difference sum to it, and change sides with the two runs."""

import json
from math import fsum, isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.commands.explain.difference import DifferenceParts, Differences
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import EXAMPLE
from fairtrec_made.command_trials import WORDS

QRELS = EXAMPLE / "qrels.txt"
SUMS = ("NFaiRR@10", "FaiRR(tau=0)@5", "ARaB@10", "RBDF@10", "TExFAIR@10", "TED@10", "nDCG@10", "P@5")
DOCNOS = [f"d{number}" for number in range(8)]
COUNTS = {docno: {"f": number % 3, "m": number // 3} for number, docno in enumerate(DOCNOS)}
GRADES = {"q1": {"d0": 1, "d3": 2, "d5": 1}, "q2": {"d1": 1}}


def explain(measure, run, baseline, **more):
    return fairtrec.explain(measure, {"a": run, "b": baseline}, baseline="b", **more)


def check_sums(found: Differences):
    """Each difference is the sum of its parts, and what documents and words add is part of it, to 1e-12."""
    for of_run in found.runs:
        difference, parts = of_run.difference, of_run.parts
        if not of_run.queries:  # no query has a value in both
            assert isnan(difference)
            continue
        assert abs(fsum(parts) - difference) <= 1e-12
        assert abs(fsum(one.adds for one in of_run.documents) + parts.rest - difference) <= 1e-12
        assert abs(fsum(of_run.leans.values()) + parts.rest - difference) <= 1e-12
        assert abs(of_run.value - of_run.baseline_value - difference) <= 1e-12
        for each in of_run.queries:
            assert abs(fsum(each.parts) - (each.value - each.baseline_value)) <= 1e-12


@pytest.mark.parametrize("measure", SUMS)
def test_parts_of_the_example_sum_to_the_difference_of_the_means(measure):
    runs = [EXAMPLE / "neural.run", EXAMPLE / "fair.run"]
    found = fairtrec.explain(measure, runs, qrels=QRELS, baseline=EXAMPLE / "bm25.run", **WORDS)
    check_sums(found)
    means = fairtrec.evaluate(measure, [*runs, EXAMPLE / "bm25.run"], qrels=QRELS, **WORDS).scores
    for of_run, scores in zip(found.runs, means[:2], strict=True):
        assert of_run.run == scores.run
        differences = scores.values[0] - means[2].values[0]
        assert len(of_run.queries) == np.isfinite(differences).sum() >= 11
        assert of_run.difference == pytest.approx(np.nanmean(differences), abs=1e-12)
        words = fsum(word.adds for word in of_run.words)
        if measure not in ("nDCG@10", "P@5"):  # which do not go by words
            assert words + of_run.parts.rest == pytest.approx(of_run.difference, abs=1e-12)
        else:
            assert not of_run.words


rankings = st.fixed_dictionaries({
    qid: st.lists(st.sampled_from(DOCNOS), min_size=1, max_size=6, unique=True) for qid in ("q1", "q2")
})  # fmt: skip


def as_run(ranking):
    return {qid: {docno: -float(rank) for rank, docno in enumerate(docnos)} for qid, docnos in ranking.items()}


@given(rankings, rankings, st.sampled_from(["FaiRR@3", "NFaiRR(tau=0)@4", "RBDF@3", "TExFAIR@4", "TED@3", "nDCG@4"]))
def test_parts_sum_and_turn_their_signs_with_the_runs(tmp_path_factory, first, second, measure):
    given = {"qrels": GRADES}
    if measure != "nDCG@4":
        given["counts"] = counts_file(tmp_path_factory)
    if "NFaiRR" in measure:
        given["background"] = {qid: dict.fromkeys(DOCNOS, 1.0) for qid in GRADES}
    one = explain(measure, as_run(first), as_run(second), **given)
    other = explain(measure, as_run(second), as_run(first), **given)
    check_sums(one)
    (mine,), (theirs,) = one.runs, other.runs
    assert len(mine.queries) == len(theirs.queries)
    assert mine.difference == -theirs.difference or (isnan(mine.difference) and isnan(theirs.difference))
    if mine.queries:
        came, went, moved, rest = theirs.parts
        assert mine.parts == DifferenceParts(-went, -came, -moved, -rest)
        assert {word[:2]: word.adds for word in mine.words} == {word[:2]: -word.adds for word in theirs.words}
        assert {(each.qid, each.docno): each.adds for each in mine.documents} == {
            (each.qid, each.docno): -each.adds for each in theirs.documents
        }


def counts_file(factory):
    path = factory.getbasetemp() / "difference-counts.tsv"
    if not path.exists():
        lines = [f"{docno}\t20\t{of['f']}\t{of['m']}" for docno, of in COUNTS.items()]
        path.write_text("\n".join(["docno\ttokens\tf\tm", *lines]) + "\n")
    return path


def test_each_part_is_what_it_is_said_to_be():
    """nDCG@2 by hand: a found d0 and lost d1; both have d3, which one of them ranks first."""
    run = {"q1": {"d3": 2.0, "d0": 1.0}}
    baseline = {"q1": {"d1": 2.0, "d3": 1.0}}
    (of_run,) = explain("nDCG@2", run, baseline, qrels=GRADES).runs
    found = {one.docno: (one.part, one.rank, one.baseline_rank) for one in of_run.documents}
    assert found == {"d3": ("moved", 1, 2), "d0": ("came", 2, None), "d1": ("went", None, 1)}
    gains = {"d3": 2.0, "d0": 1.0, "d1": 0.0}
    best = 2 + 1 / np.log2(3)
    weights, ideal = [1 / best, 1 / np.log2(3) / best], [2.0, 1.0]
    loses = {docno: [weights[rank] * (ideal[rank] - gain) for rank in (0, 1)] for docno, gain in gains.items()}
    expected = {"d3": loses["d3"][1] - loses["d3"][0], "d0": -loses["d0"][1], "d1": loses["d1"][0]}
    assert {one.docno: one.adds for one in of_run.documents} == pytest.approx(expected, abs=1e-12)


def test_ranks_without_a_document_are_the_rest(tmp_path_factory):
    counts = counts_file(tmp_path_factory)
    (of_run,) = explain("FaiRR@3", {"q1": {"d0": 1.0}}, {"q1": {"d0": 2.0, "d1": 1.0}}, counts=counts).runs
    (query,) = of_run.queries
    assert query.value == 1.0  # d0 has no term, and is neutral; d1 has one, and is neutral by tau=1
    assert query.parts == pytest.approx((0.0, 0.0, 0.0, -1 / np.log2(3)), abs=1e-12)


def test_the_figures_of_the_published_runs(shared):
    data = shared / "data"
    folder = data / "cpjku" / "runs" / "trecdl2019_passage"
    given = {
        "counts": data / "dl19-dl20-counts" / "gender.strip.tsv",
        "missing": "neutral",
        "queries": data / "cpjku" / "dataset" / "trecdeep19_passage.fair.tsv",
    }
    runs = {name: folder / f"{name}.run" for name in ("bert_L2", "BM25", "advbert_L2")}
    found = fairtrec.explain("FaiRR@10", runs, baseline="BM25", **given)
    check_sums(found)
    of_run = next(each for each in found.runs if each.run == "bert_L2")
    assert len(of_run.queries) == 30
    assert [round(value, 4) for value in (of_run.difference, *of_run.parts)] == [-0.0663, -0.1412, 0.0749, 0, 0]
    assert {group: round(adds, 4) for group, adds in of_run.leans.items()} == {"f": 0.0649, "m": -0.1311, "-": 0}
    most = [(one.qid, one.docno, one.part, round(one.adds, 4)) for one in of_run.documents[:2]]
    assert most == [("962179", "4511501", "went", 0.0333), ("962179", "5653659", "came", -0.0333)]
    other = fairtrec.explain("FaiRR@10", runs, baseline="bert_L2", **given)
    of_run = next(each for each in other.runs if each.run == "advbert_L2")
    assert [round(value, 4) for value in (of_run.difference, *of_run.parts)] == [0.0778, -0.0105, 0.0459, 0.0425, 0]


@pytest.mark.parametrize("measure", ["AWRF@10", "AP@10"])
def test_measures_that_are_no_sum_are_split_by_queries(measure):
    labels = {"labels": EXAMPLE / "labels.tsv"} if measure == "AWRF@10" else {}
    runs = [EXAMPLE / "neural.run", EXAMPLE / "bm25.run"]
    found = fairtrec.explain(measure, runs, qrels=QRELS, baseline="bm25", **labels)
    (of_run,) = found.runs
    assert found.kind == "prefix"
    assert not of_run.documents
    assert not of_run.words
    largest = of_run.list_largest()
    assert [abs(each.difference) for each in largest] == sorted(
        (abs(each.difference) for each in largest), reverse=True
    )
    assert fsum(each.difference for each in largest) / len(largest) == pytest.approx(of_run.difference, abs=1e-12)
    assert "not a sum over ranks" in str([str(note) for note in fairtrec_notes(found)])
    if labels:
        scores = fairtrec.evaluate(
            ["Exposure(group='f')@10", "Exposure(group='m')@10"], runs, qrels=QRELS, **labels
        ).scores
        for number, scores_of_run in enumerate(scores):  # a share less the even target
            shares = [of_run.exposure[group][number] - 0.5 for group in ("f", "m")]
            defined = set(scores_of_run.qids) & {each.qid for each in of_run.queries}
            if len(defined) == len(scores_of_run.qids):
                assert shares == pytest.approx(scores_of_run.means.tolist(), abs=1e-12)
    else:
        assert not of_run.exposure


def fairtrec_notes(found):
    from fairtrec.commands.explain.difference_report import list_notes

    return list_notes(found)


def test_each_run_is_compared_with_the_baseline_wherever_it_stands(fairtrec_command, example):
    files = [example / f"{name}.run" for name in ("bm25", "neural", "fair")]
    words = [word for name, value in WORDS.items() for word in (f"--{name}", value)]
    beginning = ("explain", QRELS)
    done = fairtrec_command(*beginning, *files, *words, "-m", "NFaiRR@10", "--baseline", files[1], "-f", "json")
    beside = fairtrec_command(
        *beginning, files[0], files[2], *words, "-m", "NFaiRR@10", "--baseline", files[1], "-f", "json"
    )
    found, other = json.loads(done.out), json.loads(beside.out)
    assert [Path(run["run"]).name for run in found["runs"]] == ["bm25.run", "fair.run"]
    assert found["runs"] == other["runs"]
    assert {*found["runs"][0]["parts"]} == {"came", "went", "moved", "rest"}
    first = found["runs"][0]["documents"][0]
    assert [*first] == ["qid", "docno", "part", "rank", "baseline_rank", "adds", "lean"]
    assert [*found["runs"][0]["words"][0]] == ["term", "group", "adds"]
    lines = fairtrec_command(
        *beginning, *files, *words, "-m", "NFaiRR@10", "--baseline", files[1], "-f", "jsonl"
    ).out.splitlines()
    assert len(lines) == sum(len(run["documents"]) for run in found["runs"])


def test_without_a_term_the_difference_is_that_of_the_explanations():
    runs = {"neural": EXAMPLE / "neural.run", "bm25": EXAMPLE / "bm25.run"}
    (of_run,) = fairtrec.explain("NFaiRR@10", runs, qrels=QRELS, baseline="bm25", what_if="her", **WORDS).runs
    alone = fairtrec.explain("NFaiRR@10", runs, qrels=QRELS, what_if="her", **WORDS).runs
    mine, theirs = (each.what_if("her") for each in alone)
    assert of_run.what_if("her") == pytest.approx(mine - theirs, abs=1e-12)


def test_queries_that_one_run_lacks_are_left_out_and_noted(tmp_path_factory):
    counts = counts_file(tmp_path_factory)
    run = {"q1": {"d7": 1.0}, "q2": {"d0": 1.0}}
    found = explain("FaiRR@1", run, {"q1": {"d0": 1.0}}, counts=counts)
    assert [each.qid for each in found.runs[0].queries] == ["q1"]
    assert "a has other queries than the baseline" in str([str(note) for note in found.notes])
    with pytest.raises(InputError, match="no query that the baseline b has"):
        explain("FaiRR@1", {"q2": {"d0": 1.0}}, {"q1": {"d0": 1.0}}, counts=counts)
    with pytest.raises(InputError, match="no value for query q2; choose a query that it has"):
        explain("FaiRR@1", run, {"q1": {"d0": 1.0}}, counts=counts, query="q2")
    with pytest.raises(InputError, match="only the baseline has query q2"):
        explain("FaiRR@1", {"q1": {"d0": 1.0}}, run, counts=counts, query="q2")


def test_without_another_run_there_is_nothing_to_explain():
    with pytest.raises(UsageError, match="only one run, which is the baseline; add a run to compare"):
        fairtrec.explain("nDCG@10", EXAMPLE / "bm25.run", qrels=QRELS, baseline=EXAMPLE / "bm25.run")
    with pytest.raises(UsageError, match="there is no run or file bm26"):
        fairtrec.explain("nDCG@10", [EXAMPLE / "bm25.run", EXAMPLE / "fair.run"], qrels=QRELS, baseline="bm26")


def test_exposure_is_weighed_as_the_measure_weighs_ranks(tmp_path):
    (tmp_path / "groups.tsv").write_text("d1\tx\nd2\ty\n")
    runs = {"even": {"q": {"d2": 2.0, "d1": 1.0}}, "lone": {"q": {"d1": 1.0}}}
    for measure, shares in (("AWRF@3", (0.5, 1.0)), ("AWRF(discount='log2')@3", (0.3868528, 1.0))):
        (run,) = fairtrec.explain(measure, runs, labels=tmp_path / "groups.tsv", baseline="lone").runs
        assert run.exposure["x"] == pytest.approx(shares)

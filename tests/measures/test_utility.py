"""The utility measures: pytrec_eval's and ir-measures' own values from the raw files, and what is handed over to them."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval

import fairtrec
from fairtrec.evaluation.relevance import diversity, trec_eval
from fairtrec.formats import memory
from fairtrec.measures import utility
from fairtrec.measures.catalogue import registry, relevance
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import THOROUGH

MEASURES = {"nDCG@10": "ndcg_cut_10", "RR": "recip_rank", "R@10": "recall_10", "AP": "map", "P@5": "P_5"}


@pytest.fixture(scope="module")
def qrels_file(shared):
    return shared / "data" / "qrels" / "qrels.dl19-passage.txt"


@pytest.fixture(scope="module")
def judged(qrels_file):
    """Read the judgments without any code of ours."""
    table = {}
    for line in qrels_file.read_text().splitlines():
        qid, _, docno, grade = line.split()
        table.setdefault(qid, {})[docno] = int(grade)
    return table


def raw(path):
    """Read a run as pytrec_eval's users do: the scores as Python floats; it ranks them itself."""
    run = {}
    for line in path.read_text().splitlines():
        qid, _, docno, _, score, _ = line.split()
        run.setdefault(qid, {})[docno] = float(score)
    return run


def test_all_runs_equal_pytrec_eval_per_query(shared, qrels_file, judged):
    files = sorted((shared / "data" / "rankllm-dl19").glob("*.run"))
    files = [path for path in files if len(path.read_text().split("\n", 1)[0].split()) == 6]
    assert len(files) == 43
    files = files if THOROUGH else files[::3]
    runs = {path.name: raw(path) for path in files}
    got = fairtrec.evaluate([*MEASURES], list(files), qrels=qrels_file).per_query
    oracle = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "recip_rank", "recall.10", "map", "P.5"})
    compared = tied = 0
    for path in files:
        ours, theirs = got[str(path)], oracle.evaluate(runs[path.name])
        for name, trec_name in MEASURES.items():
            expected = {qid: values[trec_name] for qid, values in theirs.items()}
            assert ours[name].keys() == expected.keys()
            for qid, value in expected.items():
                assert ours[name][qid] == pytest.approx(value, rel=0, abs=1e-12), (path.name, name, qid)
                compared += 1
        tied += any(len({*docs.values()}) < len(docs) for docs in runs[path.name].values())
    assert compared >= len(files) * 40 * 5
    assert tied  # or the order within ties would go untested


PLAIN = "nDCG nDCG@10 nDCG@1000 RR RR@10 RR(rel=2)@5 AP AP@10 AP(rel=2) P@5 P(rel=3)@20 R@10 R(rel=2)@100 Success@1"


def at_random(random, queries=60):
    """Judgments, of which some are negative and some of documents that no run has, and rankings of any length."""
    qrels, run = {}, {}
    for number in range(queries):
        docnos = [f"d{i}" for i in range(random.integers(0, 120))]
        judged = random.permutation([*docnos, *(f"e{i}" for i in range(6))])[: random.integers(1, 60)]
        qrels[f"q{number}"] = {str(docno): int(random.choice([-1, 0, 0, 1, 2, 7])) for docno in judged}
        if docnos:
            run[f"q{number}"] = {docno: float(score) for docno, score in zip(docnos, random.random(120), strict=False)}
    return qrels, run


def test_what_is_computed_here_is_what_pytrec_eval_computes_to_the_last_bit():
    qrels, run = at_random(np.random.default_rng(7))
    got = fairtrec.evaluate(PLAIN, run, qrels=qrels, complete=True).per_query["run"]
    assert len(got) == len(PLAIN.split())
    for name, ours in got.items():
        measure = ir_measures.parse_measure(name)
        given = run
        if (
            measure.NAME == "RR" and "cutoff" in measure.params
        ):  # which another of its programs computes, that cuts ties
            cut = measure.params["cutoff"]
            best = {qid: sorted(docs, key=docs.get, reverse=True)[:cut] for qid, docs in run.items()}
            given = {qid: {docno: run[qid][docno] for docno in docnos} for qid, docnos in best.items()}
            measure = ir_measures.RR(rel=measure["rel"])
        theirs = {each.query_id: each.value for each in measure.iter_calc(qrels, given)}
        assert ours == theirs
        assert 0 < sum(value > 0 for value in theirs.values()) < len(theirs)


TREC_EVAL = """Rprec Rprec(rel=2) Rprec(judged_only=True) Bpref Bpref(rel=2) infAP infAP(rel=2) NumRet NumRet(rel=2)
NumRel NumQ SetP SetP(rel=2) SetP(relative=True) SetP(judged_only=True) SetP(relative=True,judged_only=True) SetR
SetR(rel=2) SetF SetF(beta=0.5) SetF(beta=2.0,rel=2) SetF(judged_only=True) SetAP SetAP(judged_only=True,rel=2)
Accuracy Accuracy@7 Accuracy(rel=2) IPrec@0.0 IPrec@0.1 IPrec(rel=2)@0.33 IPrec@1.0 IPrec(judged_only=True)@0.77 Judged Judged@5 Judged@50
P(judged_only=True)@5 RR(judged_only=True) AP(judged_only=True) AP(judged_only=True)@7 nDCG(judged_only=True)@10
nDCG(gains={1:3,7:2})@10 nDCG(gains={0:1,1:0,2:5}) nDCG(gains={2:-1,7:3},judged_only=True) R(judged_only=True)@5
Success(judged_only=True)@3 Success(judged_only=True,rel=2)@3 nDCG(dcg='log2')@5"""


@pytest.mark.parametrize("seed", range(3))
def test_what_else_trec_eval_has_is_as_ir_measures_computes_it_to_the_last_bit(seed):
    qrels, run = at_random(np.random.default_rng(seed), 40)
    run["q1"] = {"x": 2.0, "y": 1.0}  # of which nobody has judged one
    run |= {qid: {"w": 0.5} | docs for qid, docs in run.items()}  # or Accuracy may divide by 0
    scores = fairtrec.evaluate(TREC_EVAL, run, qrels=qrels, complete=True).scores[0]
    assert len(scores.measures) == len(TREC_EVAL.split())
    for measure, values in zip(scores.measures, scores.values, strict=True):
        theirs = {each.query_id: each.value for each in measure.ir_measure.iter_calc(qrels, run)}
        wanted = [theirs.get(qid, np.nan) for qid in scores.qids]  # Accuracy has none where nothing relevant is ranked
        np.testing.assert_array_equal(values, wanted, err_msg=str(measure))
        assert len({*theirs.values()}) > 1 or str(measure) == "NumQ"


def test_accuracy_is_undefined_where_all_that_is_ranked_is_relevant():
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 2.0}}
    values = fairtrec.evaluate("Accuracy Accuracy@1", run, qrels=qrels).scores[0].values
    np.testing.assert_array_equal(values, [[1, np.nan], [np.nan, np.nan]])


def test_they_are_computed_without_ir_measures(monkeypatch):
    ours = trec_eval._KINDS.keys() | utility.PLAIN.keys() | diversity._KINDS.keys()
    assert ours == utility.COMPUTED | utility.TREC_ONLY.keys()
    assert diversity._KINDS.keys() == utility.DIVERSITY
    monkeypatch.setattr(ir_measures, "evaluator", None)
    for names in (TREC_EVAL, "official", "all_trec"):
        assert fairtrec.evaluate(names, RUN, qrels=QRELS).scores[0].measures


def test_grades_that_pytrec_eval_writes_past_its_memory_for():
    qrels = {"q": {"a": -3, "b": 1, "c": 0}}
    values = means("infAP Bpref SetP", {"q": {"a": 3.0, "x": 2.5, "c": 2.0, "b": 1.0}}, qrels)
    assert values == {"infAP": pytest.approx(0.250005, abs=1e-9), "Bpref": 0, "SetP": 1 / 4}  # 1/4 + 3/4 x 2/3 x 1e-5


def test_deep_ranks_have_the_logarithms_that_pytrec_eval_has():
    run = {"q": {f"d{rank}": float(-rank) for rank in range(2000)}}
    qrels = {"q": {f"d{rank}": 1 + rank % 3 for rank in (3, 1022, 1023, 1024, 1500, 1999)}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"}).evaluate(run)["q"]["ndcg"]
    assert fairtrec.evaluate("nDCG", run, qrels=qrels).scores[0].values.tolist() == [[theirs]]


def test_all_else_is_computed_by_ir_measures():
    qrels, run = at_random(np.random.default_rng(8), 9)
    theirs = {each.query_id: each.value for each in ir_measures.Compat(p=0.9).iter_calc(qrels, run)}
    assert fairtrec.evaluate("Compat(p=0.9)", run, qrels=qrels, complete=True).per_query["run"] == {
        "Compat(p=0.9)": theirs
    }


def test_each_measure_is_the_same_beside_others():
    qrels, run = at_random(np.random.default_rng(8), 9)
    mixed = fairtrec.evaluate("nDCG@10 Bpref nDCG(dcg='log2')@5 P(judged_only=True)@5 AP", run, qrels=qrels).per_query[
        "run"
    ]
    alone = {name: fairtrec.evaluate(name, run, qrels=qrels).per_query["run"][name] for name in mixed}
    assert mixed == alone
    assert [*mixed] == ["nDCG@10", "Bpref", "nDCG@5", "P(judged_only=True)@5", "AP"]


def test_a_measure_is_the_same_however_it_is_written():
    ours, named, other = registry.parse("MRR@10 RR(rel=1)@10 nDCG(dcg='log2')@5")
    assert ours == named
    assert (str(ours), ours.ir_measure) == ("RR@10", ir_measures.RR @ 10)
    assert other == registry.parse("nDCG@5")[0] != ours
    assert {other} == {*registry.parse("nDCG@5")}


def test_ties_fall_by_docno_as_in_trec_eval():
    run, qrels = {"q": {"a": 1.0, "c": 1.0, "b": 1.0, "z": 0.5}}, {"q": {"b": 1}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    assert fairtrec.evaluate("RR", run, qrels=qrels).means["run"]["RR"] == theirs == 1 / 2


def test_scores_that_only_float64_can_tell_apart():
    run, qrels = {"q": {"a": 1.0 + 1e-12, "b": 1.0}}, {"q": {"b": 1}}
    assert fairtrec.evaluate("RR", run, qrels=qrels).means["run"]["RR"] == 1 / 2
    assert fairtrec.evaluate("RR", run, qrels=qrels, score_dtype="float32").means["run"]["RR"] == 1


def test_the_four_column_file_is_refused_with_its_line(shared, qrels_file):
    (path,) = (shared / "data" / "rankllm-dl19").glob("REP_LLAMA__*9d3bb4.run")
    with pytest.raises(InputError) as caught:
        fairtrec.evaluate("RR", path, qrels=qrels_file)
    message = str(caught.value)
    assert message.startswith(f"{path}:1: ")
    assert "\n" not in message
    assert "column" in message


def test_a_cut_rr_is_that_of_ir_measures(shared, qrels_file, judged):
    path = shared / "data" / "cpjku" / "runs" / "trecdl2019_passage" / "RM3.run"
    wanted = {"RR@10": ir_measures.RR @ 10, "RR(rel=3)@2": ir_measures.RR(rel=3) @ 2}
    got = fairtrec.evaluate([*wanted], path, qrels=qrels_file).per_query[str(path)]
    run = raw(path)
    for name, measure in wanted.items():
        # ir-measures breaks ties in its own way here, so it gets the ranking of trec_eval
        untied = {
            qid: {docno: -rank for rank, docno in enumerate(sorted(docs, key=lambda d: (docs[d], d), reverse=True))}
            for qid, docs in run.items()
        }
        theirs = {m.query_id: m.value for m in measure.iter_calc(judged, untied)}
        assert got[name]
        for qid, value in got[name].items():
            assert value == theirs[qid] or (np.isnan(value) and qid not in judged)
    assert len({*got["RR(rel=3)@2"].values()}) > 1


RUN = {"q1": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0}, "q2": {"a": 1.0, "c": 0.5}}
QRELS = {"q1": {"a": 0, "b": 2, "c": 1}, "q2": {"c": 1}}


def means(measures, run=RUN, qrels=QRELS, **choices):
    (values,) = fairtrec.evaluate(measures, run, qrels=qrels, **choices).means.values()
    return values


def test_judged_only_looks_past_the_cutoff_for_judged_documents():
    values = fairtrec.evaluate("P@2 P(judged_only=True)@2", RUN, qrels=QRELS).per_query["run"]
    # q1: a x against a b, x being unjudged; q2: a is unjudged, c is there
    assert values["P@2"] == {"q1": 0, "q2": 1 / 2}
    assert values["P(judged_only=True)@2"] == {"q1": 1 / 2, "q2": 1 / 2}


def test_the_relevance_level():
    assert means("RR", relevance_level=2) == {"RR(rel=2)": (1 / 3 + 0) / 2}
    assert means("RR(rel=1)", relevance_level=2) == {"RR": (1 / 3 + 1 / 2) / 2}  # what is written holds
    assert means("num_rel_ret", relevance_level=2) == {"NumRet(rel=2)": 1}
    assert means("num_ret nDCG@2 Judged@2", relevance_level=2).keys() == {"NumRet", "nDCG@2", "Judged@2"}


def test_counts_are_summed():
    result = fairtrec.evaluate("NumRet NumRelRet NumRel NumQ", RUN, qrels=QRELS)
    assert result.means["run"] == {"NumRet": 6, "NumRet(rel=1)": 2, "NumRel": 3, "NumQ": 2}
    assert [measure.total for measure in result.scores[0].measures] == [True] * 4
    assert {measure.better for measure in result.scores[0].measures} == {"neither"}


def test_a_query_without_judgments_has_no_value():
    run = {**RUN, "q3": {"a": 1.0}}
    result = fairtrec.evaluate(
        "RR RaB", run, qrels=QRELS, terms={"f": ["she"], "m": ["he"]}, docs=dict.fromkeys("abcxy", "he")
    )
    (scores,) = result.scores
    assert scores.qids == ("q1", "q2", "q3")
    assert scores.defined.tolist() == [2, 3]
    assert np.isnan(scores.values[0, 2])
    assert scores.means[0] == pytest.approx((1 / 3 + 1 / 2) / 2)
    alone = fairtrec.evaluate("RR", run, qrels=QRELS)
    assert alone.scores[0].qids == ("q1", "q2")


def test_no_query_with_judgments_at_all():
    with pytest.raises(InputError, match="no query in common"):
        fairtrec.evaluate("RR", {"q9": {"a": 1.0}}, qrels=QRELS)
    given = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"a": "he"}, "missing": "neutral"}
    with pytest.raises(InputError, match="no query in common"):
        fairtrec.evaluate("RR nDCG@5 RaB", {"q9": {"a": 1.0}}, qrels=QRELS, **given)
    both = fairtrec.evaluate("RR nDCG@5 RaB", {"q9": {"a": 1.0}, "q1": RUN["q1"]}, qrels=QRELS, **given)
    assert both.scores[0].qids == ("q1", "q9")
    assert both.scores[0].defined.tolist() == [1, 1, 2]
    assert np.isnan(both.scores[0].values[:2, 1]).all()


def test_a_missing_query_counts_as_nothing_found_when_complete():
    assert means("RR NumRet", {"q1": RUN["q1"]}) == {"RR": 1 / 3, "NumRet": 4}
    assert means("RR NumRet", {"q1": RUN["q1"]}, complete=True) == {"RR": 1 / 6, "NumRet": 4}


def test_the_depth_cuts_what_every_measure_sees():
    assert means("AP RR P@2 NumRet", depth=2) == {"AP": 1 / 4, "RR": 1 / 4, "P@2": 1 / 4, "NumRet": 4}


def test_measures_of_several_depths_share_one_pass_and_agree_with_each_alone():
    names = ["nDCG@1", "nDCG@3", "P@2", "AP@2", "AP", "RR@1", "RR@3", "RR", "Judged@2", "R@4", "NumRet", "P(rel=2)@2"]
    names += ["nDCG(gains={2:5})@3", "nDCG(gains={2:5})@1", "P(judged_only=True)@2", "nDCG(judged_only=True)@3"]
    alone = {name: means(name)[name] for name in names}
    assert len({alone[name] for name in names if name.startswith("nDCG")}) >= 4
    for order in (names, names[::-1], sorted(names)):
        assert means(order) == alone  # in ir-measures itself some of these spill over to others


def test_what_no_installed_provider_computes_is_wrong_usage(monkeypatch):
    monkeypatch.setattr(ir_measures.cwl_eval, "_is_available", False)
    with pytest.raises(UsageError, match="ir-measures cannot compute BPM") as caught:
        means("BPM(T=1,max_rel=2)@5")
    assert "\n" not in str(caught.value)
    assert "pip" not in str(caught.value)


def test_what_a_provider_falls_over_is_wrong_usage(monkeypatch):
    monkeypatch.setattr(ir_measures, "evaluator", lambda *_: 1 / 0)
    with pytest.raises(UsageError, match=r"ir-measures cannot compute Compat: division by zero"):
        means("Compat")


def test_an_empty_memory_is_no_wrong_usage(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(ir_measures, "evaluator", full)
    with pytest.raises(MemoryError):
        means("Compat")


@pytest.mark.parametrize(
    "name", ["nDCG@0", "P@0", "R@-3", "ERR@0", "Success@99999999999", "RR@0", "Judged@0", "map_cut_0"]
)
def test_cutoffs_that_would_end_the_program_are_refused(name):
    with pytest.raises(UsageError, match="ranks count from 1"):
        means(name)


def test_a_qrels_frame_keeps_its_subtopics(tmp_path):
    """FAIR of the subtopics (alpha-nDCG, which needs another package, reads the same column)."""
    import pandas as pd

    rows = [("q1", "1", "d1", 1), ("q1", "1", "d2", 1), ("q1", "2", "d3", 1)]
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{qid} {topic} {docno} {grade}\n" for qid, topic, docno, grade in rows))
    run = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}
    expected = fairtrec.evaluate("FAIR@3", run, qrels=str(path), labels="qrels").means["run"]
    for name in ("iteration", "subtopic_id", "subtopic"):
        frame = pd.DataFrame(rows, columns=["query_id", name, "doc_id", "relevance"])
        assert memory.qrels(frame).iterations.tolist() == [b"1", b"1", b"2"]
        assert fairtrec.evaluate("FAIR@3", run, qrels=frame, labels="qrels").means["run"] == expected


def test_what_trec_eval_alone_has_is_nothing_else_to_ir_measures():
    (of_trec,) = relevance.of_trec_eval("gm_map")
    assert of_trec.ir_measure is of_trec


@pytest.mark.parametrize("name", ["nDCG", "nDCG@4"])
def test_the_form_of_ndcg_is_divided_by_all_judged_grades(name):
    # 1 / log2(2) + 2 / log2(4) = 2, over 2 / log2(2) + 1 / log2(3) + 1 / log2(4) = 3.130930
    form = registry.parse(name)[0].formula(np.array([[1.0, 0.0, 2.0]]), np.array([[2.0, 1.0, 1.0, 0.0]]))
    assert form.value() == pytest.approx([2 / (2 + 1 / np.log2(3) + 0.5)])

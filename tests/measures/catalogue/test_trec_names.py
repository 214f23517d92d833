"""What was asked for by a name of trec_eval is printed so; the names and the values are those of trec_eval's own code."""

import io

import numpy as np
import pytest
import pytrec_eval

import fairtrec
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import UsageError

SETS = ["official", "set", "all_trec"]
SINGLE = ["map", "ndcg_cut.10", "ndcg_cut_10", "P.5,10", "ndcg_cut", "recip_rank", "iprec_at_recall.0.1", "iprec_at_recall",
          "success.1", "recall_100", "map_cut.20", "num_rel_ret", "num_q", "set_P", "Rprec", "bpref", "ndcg", "infAP"]  # fmt: skip


def raw(example, name):
    """The rankings or judgments of a file, as pytrec_eval takes them."""
    found = {}
    for line in (example / name).read_text().splitlines():
        cells = line.split()
        found.setdefault(cells[0], {})[cells[2]] = float(cells[4]) if len(cells) == 6 else int(cells[3])
    return found


def theirs(example, name):
    """What trec_eval's code gives each query, by its own names."""
    measure = name.replace("_", ".") if name in ("ndcg_cut_10", "recall_100") else name
    measure = {"ndcg.cut.10": "ndcg_cut.10"}.get(measure, measure)
    return pytrec_eval.RelevanceEvaluator(raw(example, "qrels.txt"), {measure}).evaluate(raw(example, "bm25.run"))


def ours(done):
    rows = [line.split() for line in done.out.splitlines()]
    return {(name, qid): value for name, qid, value in rows}


@pytest.mark.parametrize("name", SINGLE)
def test_a_name_of_trec_eval_prints_what_trec_eval_prints(example, fairtrec_command, name):
    done = fairtrec_command("eval", example / "qrels.txt", example / "bm25.run", "-m", name, "-q")
    expected = theirs(example, name)
    got = ours(done)
    assert {(measure, qid) for qid, of in expected.items() for measure in of} == {key for key in got if key[1] != "all"}
    for qid, of in expected.items():
        for measure, value in of.items():
            assert float(got[measure, qid]) == pytest.approx(value, abs=5e-5), (measure, qid)
    assert {measure for measure, qid in got if qid == "all"} == {*next(iter(expected.values()))}


@pytest.mark.parametrize("name", SETS)
def test_a_set_of_trec_eval_has_its_names_behind_runid_and_num_q(example, fairtrec_command, name):
    lacking = {"G", "Rndcg", "Rprec_mult", "binG", "ndcg_rel", "relstring", "utility"}  # which nobody reports
    got = [name for name, _ in ours(fairtrec_command("eval", example / "qrels.txt", example / "bm25.run", "-m", name))]
    assert {"runid", "num_q"} <= {*got}
    assert len({*got}) == len(got)
    expected = {each for of in theirs(example, name).values() for each in of}
    expected = {
        each for each in expected if not any(each.startswith(missing) for missing in lacking - {"G"}) and each != "G"
    }
    assert {*got} == expected | {"num_q", "runid"}


def test_one_value_is_one_line(example, fairtrec_command):
    given = ("eval", example / "qrels.txt", example / "bm25.run")
    done = fairtrec_command(*given, "-m", "ndcg_cut.10")
    assert done.out == f"{'ndcg_cut_10':<22}\tall\t0.8630\n"
    assert fairtrec_command(*given, "-m", "map", "-l", "2").out.startswith(f"{'map':<22}\tall\t")
    both = fairtrec_command(*given, "-m", "ndcg_cut.10", "-m", "RR").out.splitlines()
    assert [line.split()[0] for line in both] == ["runid", "num_q", "ndcg_cut_10", "RR"]
    once = fairtrec_command(*given, "-m", "nDCG@10", "-m", "ndcg_cut.10").out.splitlines()
    assert [line.split()[0] for line in once] == ["runid", "num_q", "nDCG@10"]


def test_all_else_goes_by_the_names_of_fairtrec(example):
    result = fairtrec.evaluate("ndcg_cut.5 P.5", example / "bm25.run", example / "qrels.txt")
    assert [*next(iter(result.means.values()))] == ["nDCG@5", "P@5"]
    named, ours = registry.parse("ndcg_cut.5"), registry.parse("nDCG@5")
    assert named == ours
    assert hash(named[0]) == hash(ours[0])


def test_what_ir_measures_lacks_is_said_in_words(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    registry.parse("all_trec")
    assert said.getvalue().startswith("# all_trec: left out, because no run has them: G, Rndcg, ")
    assert "[" not in said.getvalue()


NUMBERED = ["11pt_avg", "relative_P.5,10", "relative_P", "num_nonrel_judged_ret", "gm_map", "gm_bpref"]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", NUMBERED)
def test_names_that_ir_measures_lacks_have_the_values_of_trec_eval(example, name, level):
    qrels, run = raw(example, "qrels.txt"), raw(example, "bm25.run")
    qrels["104"] = dict.fromkeys(qrels["104"], 0)  # nothing is relevant
    given = {qid: run[qid] for qid in run if qid != "105"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=level).evaluate(given)
    scores = fairtrec.evaluate(name, {"r": given}, qrels, relevance_level=level).scores[0]
    for measure, row, mean in zip(scores.measures, scores.values, scores.means, strict=True):
        several = [of[measure.trec] for of in theirs.values()]
        assert float(mean) == pytest.approx(pytrec_eval.compute_aggregated_measure(measure.trec, several), abs=1e-12)
        own = np.log(row) if name.startswith("gm_") else row
        assert own.tolist() == pytest.approx([theirs[qid][measure.trec] for qid in scores.qids], abs=1e-12)
        assert registry.parse(str(measure)) == [measure]


def test_a_geometric_mean_is_of_no_query_and_is_not_compared(example, fairtrec_command):
    done = fairtrec_command("eval", example / "qrels.txt", example / "bm25.run", "-m", "gm_map", "-q")
    assert [line.split()[:2] for line in done.out.splitlines()] == [["gm_map", "all"]]
    runs = [example / "bm25.run", example / "fair.run"]
    done = fairtrec_command("compare", example / "qrels.txt", *runs, "-m", "gm_map")
    assert done.code == 2
    assert "gm_map is a geometric mean" in done.err


@pytest.mark.parametrize("text", ["relative_P(p=3)@5", "gm_map@5", "relative_P@0", "11pt_avg(rel=0.5)"])
def test_parameters_that_they_have_not_are_refused(text):
    with pytest.raises(UsageError, match="is written"):
        registry.parse(text)

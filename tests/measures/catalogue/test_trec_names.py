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
          "iprec_at_recall.0,.1,.2", "iprec_at_recall..10,.20", "P", "success.1", "recall_100", "map_cut.20", "num_rel_ret", "num_q", "set_P", "Rprec", "bpref", "ndcg", "infAP"]  # fmt: skip


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
    measure = {"iprec_at_recall.0,.1,.2": "iprec_at_recall.0.0,0.1,0.2"}.get(measure, measure)
    measure = {"iprec_at_recall..10,.20": "iprec_at_recall.0.1,0.2"}.get(measure, measure)
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
    result = fairtrec.evaluate("ndcg_cut.5 P.5", example / "bm25.run", qrels=example / "qrels.txt")
    assert [*next(iter(result.means.values()))] == ["nDCG@5", "P@5"]
    named, ours = registry.parse("ndcg_cut.5"), registry.parse("nDCG@5")
    assert named == ours
    assert hash(named[0]) == hash(ours[0])


def test_what_ir_measures_lacks_is_said_in_words(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    registry.parse("all_trec")
    assert said.getvalue().startswith("# all_trec: not offered: G, Rndcg, ")
    assert "[" not in said.getvalue()


NUMBERED = [
    "11pt_avg",
    "relative_P.5,10",
    "relative_P",
    "num_nonrel_judged_ret",
    "gm_map",
    "gm_bpref",
]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", NUMBERED)
def test_names_that_ir_measures_lacks_have_the_values_of_trec_eval(example, name, level):
    qrels, run = raw(example, "qrels.txt"), raw(example, "bm25.run")
    qrels["104"] = dict.fromkeys(qrels["104"], 0)  # nothing is relevant
    given = {qid: run[qid] for qid in run if qid != "105"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=level).evaluate(given)
    scores = fairtrec.evaluate(name, {"r": given}, qrels=qrels, relevance_level=level).scores[0]
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


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("P", "P.5,10,15,20,30,100,200,500,1000"),
        ("NDCG_CUT.10", "nDCG@10"),
        ("mrr mrr@10 MAP@5 map@10 ndcg@10", "RR RR@10 AP@5 AP@10 nDCG@10"),
        ("recall@10 precision@10 r_precision R_Precision", "R@10 P@10 Rprec"),
        ("hit_rate@5 f1", "Success@5 SetF"),
        ("ndcg_burges@10 ndcg_burges", "nDCG(dcg='exp-log2')@10 nDCG(dcg='exp-log2')"),
        ("ndcg.1=3,2=9,4=4.5", "nDCG(gains={1:3,2:9,4:4.5})"),
        ("P.5,10,nDCG@3", "P@5 P@10 nDCG@3"),
        ("rbp", "RBP"),
        ("11pt_avg.0.25,0.5(rel=2)", "11pt_avg..25,.50(rel=2)"),
    ],
)
def test_names_of_other_programs(name, meant):
    assert list(dict.fromkeys(registry.parse(name))) == registry.parse(meant)


@pytest.mark.parametrize("level", [1, 2])
def test_the_mean_of_a_list_of_recalls(example, level):
    given = example / "bm25.run", example / "qrels.txt"
    scores = fairtrec.evaluate("11pt_avg..25,.5,.75", given[0], qrels=given[1], relevance_level=level).scores[0]
    run, qrels = raw(example, "bm25.run"), raw(example, "qrels.txt")
    of = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall.0.25,0.5,0.75"}, relevance_level=level).evaluate(run)
    assert scores.values[0].tolist() == pytest.approx([np.mean([*of[qid].values()]) for qid in scores.qids], abs=1e-12)


def test_gains_may_have_fractions():
    """A document of grade 2 gains 4.5, and one of grade 1 its grade, as no gain is given."""
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 2}}
    scores = fairtrec.evaluate("ndcg.2=4.5", run, qrels=qrels).scores[0]
    assert scores.values[0, 0] == pytest.approx((1 + 4.5 / np.log2(3)) / (4.5 + 1 / np.log2(3)), rel=1e-15)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("f1@5", "f1@5 is no measure of a cutoff here; use depth=5 and measures=SetF"),
        ("precision", "precision needs cutoff, like P@10"),
        ("prefs", "prefs is not offered: prefs_avgjg, prefs_num_prefs_ful"),
        ("all_prefs", "all_prefs is not offered: prefs_avgjg, "),
        ("qrels_jg", "qrels_jg is not offered: P_avgjg, Rprec_mult_avgjg, map_avgjg"),
        ("Rndcg", "Rndcg is not offered; `fairtrec measures` lists all measures"),
        ("map.5", "there is no measure map.5"),
        ("gm_map.5", "there is no measure gm_map.5"),
        ("ndcg.a=3", "there is no measure ndcg.a=3"),
        (
            "iprec_at_recall.0.001",
            "iprec_at_recall.0.001: recall cannot be 0.001; write a recall from 0 to 1 with two digits at most; IPrec",
        ),
        ("P.5,-1", "there is no measure P.5,-1"),
        ("ndcg_cut.10,23.4", "ndcg_cut.10,23.4: a cutoff is a whole number; write 23 instead of 23.4"),
    ],
)
def test_names_that_are_not_offered(name, says):
    with pytest.raises(UsageError) as fault:
        registry.parse(name)
    assert str(fault.value).startswith(says)


OFFERED = [  # all that trec_eval 10 computes of judgments of one assessor, without and with parameters
    "11pt_avg", "11pt_avg..25,.5,.75", "P", "P.5,7,3", "Rprec", "bpref", "gm_bpref", "gm_map", "infAP",
    "iprec_at_recall", "iprec_at_recall..10,.20", "map", "map_cut", "map_cut.7", "ndcg", "ndcg.1=3,2=9,4=4.5",
    "ndcg_cut", "ndcg_cut.10,20", "num_nonrel_judged_ret", "num_q", "num_rel", "num_rel_ret", "num_ret", "rbp",
    "recall", "recall.20,2000", "recip_rank", "relative_P", "relative_P.3", "set_F", "set_F.0.5", "set_P", "set_map",
    "set_recall", "set_relative_P", "success", "success.2,5",
]  # fmt: skip
LACKING = [
    "G", "G.1=3,2=9", "Rndcg", "Rprec_mult", "Rprec_mult.5.0,0.2,0.35", "Rprec_mult_0.20", "binG", "dcg", "ideal_dcg",
    "ndcg_rel", "rbp.0.9", "rbp_resid", "relstring", "relstring.20", "relstring_20", "runid", "unj", "unj.5",
    "unj_20", "utility", "utility.2,-1,0,0", "yaap", "P_avgjg", "P_avgjg.5", "Rprec_mult_avgjg", "map_avgjg",
    "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret", "prefs_avgjg_imp", "prefs_avgjg_ret",
    "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_num_prefs_poss", "prefs_pair", "prefs_pair_imp",
    "prefs_pair_ret", "prefs_simp", "prefs_simp_imp", "prefs_simp_ret",
]  # fmt: skip


@pytest.mark.parametrize("name", LACKING)
def test_what_is_not_offered_is_said_in_one_line(name):
    with pytest.raises(UsageError) as fault:
        registry.parse(f"map {name} ndcg")
    assert str(fault.value) == f"{name} is not offered; `fairtrec measures` lists all measures"


@pytest.mark.parametrize("name", OFFERED)
def test_every_other_name_is_printed_as_it_was_asked_for(name):
    """A list of cutoffs or recalls is a line each; any other parameter is behind the name, as trec_eval prints it."""
    base, _, numbers = name.partition(".")
    printed = [measure.trec for measure in registry.parse(name)]
    if base in ("P", "map_cut", "ndcg_cut", "recall", "relative_P", "success"):
        assert printed == [f"{base}_{cutoff}" for cutoff in numbers.split(",")] if numbers else len(printed) in (3, 9)
    elif base == "iprec_at_recall":
        assert printed == [f"{base}_{float(x):.2f}" for x in (numbers or "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1").split(",")]
    else:
        assert printed == [f"{base}_{numbers}" if numbers else base]


def test_a_note_says_which_rbp_it_is(example):
    note = "rbp is RBP, which is binary, with p .8; trec_eval 10's rbp is graded, with p .9"
    given = example / "bm25.run", example / "qrels.txt"
    assert note in map(str, fairtrec.evaluate("rbp", given[0], qrels=given[1]).notes)
    assert note not in map(str, fairtrec.evaluate("RBP", given[0], qrels=given[1]).notes)


def test_a_set_has_no_line_of_num_q_for_a_query(example, fairtrec_command):
    done = fairtrec_command("eval", example / "qrels.txt", example / "bm25.run", "-m", "set", "-q")
    assert [line.split()[1] for line in done.out.splitlines() if line.startswith("num_q")] == ["all"]


def test_options_of_trec_eval(example, fairtrec_command):
    given = ("eval", example / "qrels.txt", example / "bm25.run", "-m", "P@5")
    assert fairtrec_command(*given, "-J").out == fairtrec_command(*given, "--only", "judged").out
    for option, says in (
        ("-N", "any number of queries"),
        ("-R", "format of qrels is recognized; preference judgments are not offered"),
        ("-T", "format of runs"),
        ("-Z", "z-scores are not offered"),
        ("-D", "-v prints every note"),
    ):
        done = fairtrec_command(*given, option)
        assert (done.code, says in done.err, done.err.count("\n")) == (2, True, 1)

"""Means over cutoffs: each mean, the agreement of orders, slices, and the command that prints them."""

import csv
import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import fairtrec
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.lab.plot import CURVES
from fairtrec.lab.plot.curves import curves
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.cutoffs import expand_cutoffs, read_cutoffs
from fairtrec.support.errors import UsageError
from fairtrec_made.measures import Higher, Nearer
from fairtrec_made.normal_results import QIDS, result
from fairtrec_made.written_json import drop_arguments


def test_the_worst_slice_of_a_curve_is_that_of_the_largest_sizes_where_nearer_0_is_better():
    qids = ("1", "2", "3", "4")
    scores = Scores("run", "", (Nearer(cutoff=5),), qids, np.array([[-0.9, 0.9, 0.2, 0.2]]))
    of = Result((scores,), Signature({}), (), {})
    view = curves(of, slices={"cancels": ["1", "2"], "leans": ["3", "4"]})
    worst = {point.slice: point.worst_slice for point in view.rows}
    assert worst == {"all": False, "cancels": True, "leans": False}


def test_curves_over_cutoffs():
    deep = expand_cutoffs(registry.parse("nDCG NFaiRR(tau=0)"), [1, 5, 10])
    assert list(map(str, deep)) == [
        "nDCG@1",
        "nDCG@5",
        "nDCG@10",
        "NFaiRR(tau=0)@1",
        "NFaiRR(tau=0)@5",
        "NFaiRR(tau=0)@10",
    ]
    with pytest.raises(UsageError, match="no run to draw curves of"):
        curves(replace(result(), scores=()))
    of = result(" ".join(map(str, deep)), runs=tuple("abcdef"))
    view = curves(of)
    assert len(view.rows) == 36
    found = next(each for each in view.rows if (each.run, each.measure, each.cutoff) == ("runs/c.run", "nDCG", 5))
    assert found.mean == of.scores[2].values[1].mean()
    means = np.array([scores.means for scores in of.scores])
    taus = [each.tau for each in view.agreements if each.measure == "nDCG"]
    assert taus == pytest.approx([stats.kendalltau(means[:, k], means[:, 2]).statistic for k in range(3)])
    document = json.loads(CURVES("json", view, places=4))
    assert set(document["rows"][0]) >= {"run", "measure", "cutoff", "mean", "queries"}
    assert len(document["agreements"]) == 6
    with pytest.raises(UsageError, match="Bpref has no cutoff to vary"):
        expand_cutoffs(registry.parse("Bpref"), [1])


@pytest.mark.parametrize(
    "text", ["", "0", "5-1", "a", "1,,2", "1-", "-5", "1-2000", "9999999", "1-500,600-1200", "1" * 30]
)
def test_cutoffs_that_are_none(text):
    with pytest.raises(UsageError, match="cutoffs"):
        read_cutoffs(text)


ASKED = ("plot", "cutoffs", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG", "--cutoffs", "1,5")


def test_the_command_prints_what_python_writes_without_matplotlib(copied, fairtrec_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    (copied / "slices").write_text("101 a\n102 a\n103 b\n", "utf-8")
    found = fairtrec.curves(
        fairtrec.evaluate("nDCG@1 nDCG@5", ["bm25.run", "fair.run"], qrels="qrels.txt"), slices="slices"
    )
    for form in CURVES.forms:
        found.write("wanted", format=form)
        done = fairtrec_command(*ASKED, "--slice", "slices", "-f", form, "-o", "printed")
        assert done.code == 0
        assert drop_arguments((copied / "printed").read_bytes()) == (copied / "wanted").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            (*ASKED, "-f", "tsv", "--width", "2"),
            "--width is for figures, and the format tsv is for means; leave it out",
        ),
        (
            (*ASKED, "--slice", "s", "-o", "a.svg"),
            "slices of queries are drawn by the figure of groups; leave out --slice",
        ),
        ((*ASKED, "--places", "2", "-o", "a.svg"), "--places is for means over cutoffs that -f prints"),
        (ASKED, "a figure is written to a file; add -o FILE.pdf"),
        (
            ("plot", "runs", "qrels.txt", "bm25.run", "-m", "RR", "-f", "tsv"),
            "the format tsv is for means over cutoffs, and runs is a figure; write -o FILE.pdf, without -f",
        ),
        (
            ("plot", "runs", "qrels.txt", "bm25.run", "-m", "RR", "-o", "a.csv"),
            "the format csv is for means over cutoffs, and runs is a figure; write -o FILE.pdf, without -f",
        ),
    ],
)
def test_figures_and_means_have_options_of_their_own(copied, fairtrec_command, words, said):
    done = fairtrec_command(*words)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_curves_print_their_table_and_are_flat(example):
    one = curves(fairtrec.evaluate("RR@1 RR@2", {"a": {"q": {"d": 1.0}}}, qrels={"q": {"d": 1}}))
    assert one.flat() == {"RR_at_1_queries": 1, "RR_at_1_mean": 1.0, "RR_at_2_queries": 1, "RR_at_2_mean": 1.0}
    runs = [example / name for name in ("bm25.run", "neural.run", "fair.run")]
    assert "tau with @2" in str(curves(fairtrec.evaluate("RR@1 RR@2", runs, qrels=example / "qrels.txt")))


def test_names_of_trec_eval_are_one_measure_over_cutoffs(example):
    several = ["ndcg_cut.5", "ndcg_cut.10"]
    view = curves(fairtrec.evaluate(several, example / "bm25.run", qrels=example / "qrels.txt"))
    assert {row.measure for row in view.rows} == {"nDCG"}


def test_a_figure_over_cutoffs_takes_measures_by_name(fairtrec_command):
    done = fairtrec_command(
        "plot", "cutoffs", "none", "a.run", "b.run", "-m", "All_fair", "--cutoffs", "5,10", "-f", "tsv"
    )
    assert done.code == 2
    assert "write it instead of all_fair" in done.err


def test_means_over_fewer_queries_play_no_part_in_the_order_at_a_cutoff():
    measures, every = (Higher(5), Higher(10)), tuple(f"q{number:02}" for number in range(20))

    def score(name, mean, qids=every):
        spread = np.tile([-0.01, 0.0, 0.01, 0.02, -0.02], 4)[: len(qids)]
        return Scores(name, "t", measures, qids, np.array([mean + spread, 1 - mean + spread[::-1]]))

    alike = [score("a", 0.2), score("b", 0.4), score("c", 0.3)]
    alone = curves(Result(tuple(alike), Signature({}), (), {}))
    found = curves(Result((*alike, score("few", 0.9, every[:12])), Signature({}), (), {}))
    assert found.agreements == alone.agreements


@pytest.mark.parametrize("form", CURVES.forms)
def test_curves_of_slices_in_every_format(form):
    view = curves(result("nDCG@1 nDCG@5 ARaB@1 ARaB@5"), slices={"s_1": QIDS[:12], "t": QIDS[12:]})
    text = CURVES(form, view, places=3)
    assert text.endswith("\n")
    if form in ("json", "jsonl"):
        rows = json.loads(text)["rows"] if form == "json" else list(map(json.loads, text.splitlines()))
        assert len(rows) == len(view.rows)
    if form in ("tsv", "csv"):
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if form == "tsv" else ","))
        assert len(rows) == len(view.rows)
        assert CURVES.forms[form].carries == "nothing"
    if form == "latex":
        assert "s\\_1" in text


def test_a_result_that_was_written_is_drawn_as_curves(copied, fairtrec_command):
    arguments = ("eval", "qrels.txt", "bm25.run", "neural.run", "-m", "nDCG@5 nDCG@10", "-f", "json", "-q")
    assert fairtrec_command(*arguments, "-o", "a.json").code == 0
    recorded = fairtrec.read_results("a.json")
    assert str(curves(recorded).signature) == str(curves(recorded.result()).signature)
    with pytest.raises(UsageError, match="this is not a result; pass what evaluate or read_results returns"):
        curves({})


@pytest.mark.usefixtures("few_files")
def test_no_order_of_runs_that_are_alike(fairtrec_command):
    done = fairtrec_command("plot", "cutoffs", "qrels", "run", "run", "-m", "P@1", "--cutoffs", "1,2", "-f", "table")
    assert done.code == 0
    assert "the runs have no order, for all are alike" in done.out + done.err


@pytest.mark.usefixtures("few_files")
def test_a_measure_without_a_cutoff_has_no_curve():
    of = fairtrec.evaluate("RR", ["run", "other"], qrels="qrels")
    with pytest.raises(UsageError, match="RR has no cutoff to vary; leave it out"):
        curves(of)

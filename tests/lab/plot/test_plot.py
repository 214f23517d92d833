"""Figures: what is drawn are the numbers of the result; files are the same bytes again; bad wishes are one line."""

import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import fairtrec
from fairtrec.support.errors import ResourceError, UsageError
from fairtrec_made import REPOSITORY, pages
from fairtrec_made.few import PARTIAL, THREE, write_partial_runs
from fairtrec_made.trials import FILES

pytest.importorskip("matplotlib", reason="matplotlib, which draws, is not installed: pip install 'fairtrec[plot]'")
PAGE = (REPOSITORY / "docs" / "figures.md").read_text("utf-8")
DRAWN_BY = "3.11.2"  # the version of matplotlib that drew docs/plot-front.svg
RUNS = ["bm25.run", "neural.run", "fair.run"]
TEXTS = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}


def evaluated(measures, runs=RUNS):
    return fairtrec.evaluate(measures, runs, qrels="qrels.txt", **TEXTS)


def test_the_front_draws_each_mean_and_fills_those_that_nobody_beats(copied):
    result = evaluated("nDCG@10 NFaiRR@10")
    (axes,) = fairtrec.plot(result, "front").axes
    border, *points = (line for line in axes.get_lines() if line.get_label() not in ("_nolegend_", "_part"))
    drawn = {point.get_label(): tuple(float(each[0]) for each in point.get_data()) for point in points}
    assert drawn == {run.removesuffix(".run"): tuple(means.values()) for run, means in result.means.items()}
    filled = {point.get_label() for point in points if point.get_markerfacecolor() != "white"}
    assert filled == {"neural", "fair"}
    assert border.get_xdata().tolist() == sorted((drawn[name][0] for name in filled), reverse=True)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("nDCG@10 ↑", "NFaiRR@10 ↑")


@pytest.mark.long
def test_many_runs_are_numbered_and_named_below(copied):
    runs = []
    for number in range(29):
        shutil.copy(RUNS[number % 3], f"r{number}.run")
        runs.append(f"r{number}.run")
    figure = fairtrec.plot(evaluated("nDCG@10 NFaiRR@10", runs[:13]), "front")
    numbers = {text.get_text() for text in figure.axes[0].texts} - {"", "?"}
    assert numbers <= {str(number) for number in range(1, 14)}
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"{number + 1}  r{number}" for number in range(13)]
    of_front = fairtrec.plot(evaluated("nDCG@10 NFaiRR@10", runs), "front").legends[0].get_texts()
    assert {text.get_text().split()[1] for text in of_front} == {f"r{number}" for number in range(29) if number % 3}
    with pytest.raises(UsageError, match="29 runs are too many"):
        fairtrec.plot(evaluated("TE@10", runs), "groups")
    with pytest.raises(UsageError, match="29 runs are too many"):
        fairtrec.plot(evaluated("P@5", runs), "cutoffs")


@pytest.mark.parametrize(
    ("kind", "measures", "marks"),
    [("runs", "nDCG@3 P@5", 5), ("front", "nDCG@3 P@5", 5), ("cutoffs", "nDCG@1 nDCG@3", 5), ("groups", "TE@10", 0)],
)
def test_doubtful_intervals_have_a_question_mark(copied, kind, measures, marks):
    """Of 12 queries, fewer than ten decide each of these but bm25 by nDCG@3."""
    result = evaluated(measures)
    figure = fairtrec.plot(result, kind)
    drawn = [text.get_text() for axes in figure.axes for text in axes.texts].count("?")
    doubtful = sum(int(scores.doubtful.sum()) for scores in result.with_confidence(0.95).scores)
    assert drawn == doubtful
    assert doubtful == marks or kind == "groups"
    without = fairtrec.plot(result, kind, confidence=None)
    assert "?" not in [text.get_text() for axes in without.axes for text in axes.texts]


def test_cutoffs_draw_each_mean(copied):
    result = evaluated("nDCG@1 nDCG@5 nDCG@10 P@5 P@10")
    figure = fairtrec.plot(result, "cutoffs", width="2")
    assert [axes.get_title() for axes in figure.axes] == ["nDCG ↑", "P ↑"]
    for line in figure.axes[0].get_lines():
        means = result.means[f"{line.get_label()}.run"]
        assert line.get_xdata().tolist() == [1, 5, 10]
        assert line.get_ydata().tolist() == [means["nDCG@1"], means["nDCG@5"], means["nDCG@10"]]
    assert figure.get_figwidth() == 7.0


@pytest.mark.parametrize(
    ("measure", "worth", "good"),
    [
        ("NFaiRR@10", lambda value: value, lambda difference: difference >= 0),
        ("TED@10", lambda value: value, lambda difference: difference <= 0),
        ("ARaB@10", abs, lambda difference: difference <= 0),
    ],
)
def test_queries_draw_each_difference_and_hatch_what_is_worse(copied, measure, worth, good):
    result = evaluated(measure)
    values = [{qid: worth(value) for qid, value in row[next(iter(row))].items()} for row in result.per_query.values()]
    figure = fairtrec.plot(result, "queries", baseline="neural")
    assert [axes.get_title() for axes in figure.axes] == ["bm25", "fair"]
    assert figure.get_supylabel().replace("\n", " ").endswith("− that of neural")
    for axes, run in zip(figure.axes, (0, 2), strict=True):
        both = [values[run][qid] - values[1][qid] for qid in values[run]]
        wanted = sorted((each for each in both if not np.isnan(each)), reverse=True)
        bars = sorted(axes.patches, key=lambda bar: bar.get_x())
        assert [bar.get_height() for bar in bars] == wanted
        assert [not bar.get_hatch() for bar in bars] == [bool(good(each)) for each in wanted]


def test_groups_draw_the_mean_of_each(copied):
    result = evaluated("TE@10 nDCG@10")
    (axes,) = fairtrec.plot(result, "groups").axes
    assert axes.get_title() == "TE@10"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["f", "m"]
    heights = [bar.get_height() for bar in axes.patches]
    wanted = [[means["TE(group='f')@10"], means["TE(group='m')@10"]] for means in result.means.values()]
    assert heights == [height for pair in wanted for height in pair]


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "width"), [("pdf", "1"), ("svg", "2"), pytest.param("png", "1", marks=pytest.mark.slow)]
)
def test_a_file_is_the_same_bytes_again_whatever_the_user_likes(copied, fairtrec_command, form, width):
    import matplotlib as mpl

    asked = ["plot", "front", "qrels.txt", *RUNS, "-m", "nDCG@10 P@5", "--width", width, "-o"]
    assert fairtrec_command(*asked, f"a.{form}").code == 0
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black"}):
        done = fairtrec_command(*asked, f"b.{form}")
    assert (done.code, done.out) == (0, "")
    assert "fairtrec:" in done.err
    assert Path(f"a.{form}").read_bytes() == Path(f"b.{form}").read_bytes()
    assert Path(f"a.{form}").stat().st_size > 1000


def test_text_of_an_svg_is_text_and_no_formula(copied, fairtrec_command):
    shutil.copy("bm25.run", "<b>&$x_2$.run")
    shutil.copy("fair.run", "_fair.run")
    runs = "<b>&$x_2$.run", "_fair.run"
    assert fairtrec_command("plot", "front", "qrels.txt", *runs, "-m", "nDCG@10 P@5", "-o", "x.svg").code == 0
    text = Path("x.svg").read_text("utf-8")
    assert "&lt;b&gt;&amp;$x_2$</text>" in text
    assert "_fair</text>" in text
    assert "<b>" not in text


def test_values_of_files_are_drawn_as_those_of_runs(copied, fairtrec_command):
    given = ("qrels.txt", *RUNS, "-m", "nDCG@10 P@5")
    assert fairtrec_command("eval", *given, "-q", "-f", "json", "-o", "values.json").code == 0
    assert fairtrec_command("plot", "runs", *given, "-o", "runs.svg").code == 0
    assert fairtrec_command("plot", "runs", "--values", "values.json", "-o", "values.svg").code == 0
    assert Path("values.svg").read_bytes() == Path("runs.svg").read_bytes()
    asked = ("queries", "--values", "values.json", "-m", "P@5", "--baseline", "neural", "-o", "queries.svg")
    assert fairtrec_command("plot", *asked).code == 0


def test_the_track_of_2019_is_drawn_from_the_command_line(tmp_path, monkeypatch, fairtrec_command):
    monkeypatch.chdir(tmp_path)
    for name in ("truth.jsonl", "sequences.csv", "authors.csv"):
        Path(name).write_text(FILES[name])
    Path("one.jsonl").write_text(FILES["fair.jsonl"])
    Path("other.jsonl").write_text(FILES["fair.jsonl"].replace('["b", "a"]', '["a", "b"]'))
    given = ("--sequences", "sequences.csv", "--truth", "truth.jsonl", "--labels", "authors.csv")
    done = fairtrec_command("trec-fair-2019", *given, "one.jsonl", "other.jsonl", "-q", "-f", "json", "-o", "both.json")
    assert done.code == 0
    for kind in ("runs", "front"):
        assert fairtrec_command("plot", kind, "--values", "both.json", "-o", f"{kind}.svg").code == 0
        text = Path(f"{kind}.svg").read_text("utf-8")
        assert "TREC19Utility" in text
        assert "TREC19Unfairness" in text


WRONG = {
    "values": ("runs --values bm25.run --terms gender-en -o x.pdf", "evaluates no run; leave out --terms"),
    "ending": ("front qrels.txt bm25.run -o x.jpg", "no suffix of a figure"),
    "one measure": ("front qrels.txt bm25.run -m P@5 -o x.pdf", "needs two measures, not 1"),
    "no direction": ("front qrels.txt bm25.run -m P@5,NumRet -o x.pdf", "has no direction"),
    "no cutoffs": ("cutoffs qrels.txt bm25.run -m P -o x.pdf", "add it, like --cutoffs 1-20"),
    "cutoffs": ("queries qrels.txt bm25.run fair.run -m P@5 --cutoffs 1-3 -o x.pdf", "leave it out"),
    "one run": ("queries qrels.txt bm25.run -m P@5 -o x.pdf", "only one run"),
    "baseline": (
        "front qrels.txt bm25.run fair.run -m P@5,P@1 --baseline bm25 -o x.pdf",
        "for the figure of queries",
    ),
    "no groups": ("groups qrels.txt bm25.run -m P@5 -o x.pdf", "has a value for each group"),
    "families": ("queries qrels.txt bm25.run fair.run -m P@5 --families b -o x.pdf", "have no families"),
    "fit": ("runs qrels.txt bm25.run fair.run -m P@5 --trend -o x.pdf", "only to the points of the front"),
    "fit of few": ("front qrels.txt bm25.run fair.run -m P@5,P@1 --trend -o x.pdf", "at least three runs"),
    "confidence": ("runs qrels.txt bm25.run fair.run -m P@5 --confidence 2 -o x.pdf", "between 0 and 1"),
    "kind": ("pie qrels.txt bm25.run -o x.pdf", "'pie' is not one of"),
    "panels": (f"queries qrels.txt {'bm25.run ' * 26} -m P@5 -o x.pdf", "25 panels are too many"),
}


@pytest.mark.parametrize(("command", "what"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_drawn_is_one_line_and_leaves_nothing(copied, fairtrec_command, command, what):
    before = sorted(copied.iterdir())
    done = fairtrec_command("plot", *command.split())
    assert done.code == 2
    assert what in done.err
    assert sorted(copied.iterdir()) == before


def test_without_matplotlib_the_way_out_is_named_before_anything_is_read(copied, fairtrec_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = fairtrec_command("plot", "front", "no.qrels", "no.run", "-m", "P@5 P@1", "-o", "x.pdf")
    assert done.code == 4
    assert "pip install 'fairtrec[plot]'" in done.err


@pytest.mark.parametrize("fault", [FileNotFoundError(2, "x", "xelatex"), RuntimeError("xelatex not found\nmore")])
def test_pgf_without_latex_is_one_line(copied, monkeypatch, fault):
    from fairtrec.lab.plot.canvas import render_figure

    def fail(*_, **__):
        raise fault

    figure = fairtrec.plot(evaluated("P@5 P@1"), "front")
    monkeypatch.setattr(type(figure), "savefig", fail)
    with pytest.raises(ResourceError, match=r"xelatex.*write pdf instead"):
        render_figure(figure, "pgf")
    if isinstance(fault, RuntimeError):
        with pytest.raises(RuntimeError):
            render_figure(figure, "pdf")


def test_a_figure_that_there_is_not_is_refused(copied):
    with pytest.raises(UsageError, match="choose from front, cutoffs, queries, groups, runs"):
        fairtrec.plot(evaluated("P@5 P@1"), "pie")


def test_the_figure_of_the_page_is_what_its_command_draws(copied, fairtrec_command):
    if version("matplotlib") != DRAWN_BY:
        pytest.skip(f"the figure of the page is drawn by matplotlib {DRAWN_BY}")
    words, _ = pages.commands(PAGE)[0]
    done = fairtrec_command(*[word.replace("front.pdf", "front.svg") for word in words])
    assert done.code == 0, done.err
    kept = REPOSITORY / "docs" / "plot-front.svg"
    if os.environ.get("FAIRTREC_UPDATE"):
        shutil.copy("front.svg", kept)
    assert Path("front.svg").read_bytes() == kept.read_bytes()


def test_the_bars_that_are_darker_are_said_to_be_untested(copied, fairtrec_command):
    for runs, is_said in ((("bm25.run", "fair.run"), True), (("bm25.run",), False)):
        done = fairtrec_command("plot", "runs", "qrels.txt", *runs, "-m", "P@5", "-o", f"{len(runs)}.svg")
        said = "darker: the best mean of these runs; to test it, use fairtrec compare"
        assert (done.code, said in done.err) == (0, is_said)


def test_runs_are_drawn_in_the_order_of_a_measure(copied, fairtrec_command):
    result = evaluated("nDCG@10 NFaiRR@10")
    axes = fairtrec.plot(result, "runs", sort="NFaiRR@10").axes
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["fair", "bm25", "neural"]
    lengths = [bar.get_width() for bar in axes[1].patches]
    assert lengths == sorted((means["NFaiRR@10"] for means in result.means.values()), reverse=True)
    given = ("qrels.txt", *RUNS, "-m", "nDCG@10 P@5", "--sort", "nDCG@10", "-o", "x.svg")
    assert fairtrec_command("plot", "runs", *given).code == 0
    done = fairtrec_command("plot", "front", *given)
    assert (done.code, done.err) == (2, "only the bars of runs are sorted; leave out --sort\n")
    with pytest.raises(UsageError, match="cannot sort by AP, which is not computed; add it with measures="):
        fairtrec.plot(result, "runs", sort="AP")


def test_runs_over_other_queries_have_no_mark(copied):
    write_partial_runs(copied)
    given = {"terms": "gender-en", "docs": "collection.tsv", "background": "background.run"}
    alone, found = (
        fairtrec.evaluate("nDCG@5 NFaiRR@5", [*runs], qrels="qrels.txt", **given)
        for runs in (THREE, (*THREE, *PARTIAL))
    )

    def front(result):
        lines = fairtrec.plot(result, "front", confidence=None).axes[0].get_lines()
        points = (line for line in lines if not line.get_label().startswith("_"))
        return {line.get_label() for line in points if line.get_markerfacecolor() != "white"}

    def darker(result):
        axes = fairtrec.plot(result, "runs", confidence=None).axes
        return [[at for at, bar in enumerate(each.patches) if bar.get_facecolor()[0] == 0] for each in axes]

    assert front(found) == front(alone) == {"neural", "fair"}
    assert darker(found) == darker(alone) == [[1], [2]]

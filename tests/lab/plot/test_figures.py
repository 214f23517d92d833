"""Figures: looks that differ, intervals of the means, lines that are fitted, labels apart, and no noise."""

import shutil
import warnings

import numpy as np
import pytest

import fairtrec
from fairtrec.measures.catalogue.registry import parse
from fairtrec.statistics.doubt import MARK
from fairtrec_made.measures import Higher, Lower, Nearer
from fairtrec_made.reports import result_of

pytest.importorskip("matplotlib", reason="matplotlib, which draws, is not installed: pip install 'fairtrec[plot]'")
canvas = pytest.importorskip("fairtrec.lab.plot.canvas")
note_cutoffs = pytest.importorskip("fairtrec.lab.plot.bars").note_cutoffs


def drawn_of(means, measures=None, names=None, spread=0.01):
    """Make a result of two queries round each mean [run][measure]."""
    values = [[[mean - spread, mean + spread] for mean in run] for run in means]
    names = names or [f"run{at}" for at in range(len(means))]
    return result_of(values, measures or (Higher(), Lower()), names=names, tags=names)


def many(runs):
    random = np.random.default_rng(3)
    return random.uniform(0, 1, (runs, 2)).round(3).tolist()


def whiskers(axes):
    return [line for collection in axes.collections for line in collection.get_segments()]


@pytest.mark.parametrize("families", [(), ("r1", "r2")])
def test_28_runs_are_told_apart_without_color(families):
    found = canvas.looks([f"r{at}" for at in range(28)], families)
    assert len({(look["marker"], canvas.draw_marker(at)) for at, look in enumerate(found)}) == 28
    assert len({(look["marker"], look["linestyle"]) for look in found}) == 28


def test_28_runs_have_colors_and_glyphs_of_their_own():
    found = canvas.looks([f"r{at}" for at in range(28)])
    assert len({(look["color"], look["marker"]) for look in found}) == 28
    assert len({(look["color"], look["linestyle"]) for look in found}) == 28


def test_runs_of_a_family_have_one_color_and_own_glyphs():
    found = canvas.looks(["bert_1", "bert_2", "bm25", "bert_L4_1"], ["bert_", "bert_L4"])
    assert found[0]["color"] == found[1]["color"]
    assert found[0]["marker"] != found[1]["marker"]
    assert len({look["color"] for look in found}) == 3


def filled(figure):
    """The names of the points that are filled, and of those that are struck out."""
    lines = figure.axes[0].get_lines()
    points = [line for line in lines if not line.get_label().startswith("_")]
    struck = [line.get_xydata().tolist() for line in lines if line.get_marker() == (2, 2, 45) and len(line.get_xdata())]
    return (
        {point.get_label() for point in points if point.get_markerfacecolor() != "white"},
        {point.get_label() for point in points if point.get_xydata().tolist() in struck},
    )


@pytest.mark.parametrize("near", [0.0001, 0.001, 0.2])
def test_a_run_on_the_front_is_filled_however_near_another_one_is(near):
    means = [[0.5, 0.5], [0.5 + near, 0.5 + near], [0.5 - near, 0.5 - near], [0.1, 0.7], [0.1, 0.6]]
    figure = fairtrec.plot(drawn_of(means, (Higher(), Lower())), "front", confidence=None)
    assert filled(figure) == ({"run0", "run1", "run2"}, set())


@pytest.mark.parametrize(("kind", "interval"), [("front", "percentile"), ("runs", "t")])
def test_intervals_are_those_of_the_means_unless_they_are_left_out(kind, interval):
    result = drawn_of([[0.2, 0.4], [0.5, 0.1]])
    wide = result.with_confidence(0.95, interval=interval)
    ends = {end for scores in wide.scores for row in scores.intervals[0] for end in row.round(6)}
    axes = fairtrec.plot(result, kind, interval=interval).axes
    found = {round(float(value), 6) for each in axes for ends in whiskers(each) for value in np.ravel(ends)}
    assert ends <= found
    assert not any(whiskers(each) for each in fairtrec.plot(result, kind, confidence=None).axes)


def test_an_interval_of_sizes_is_drawn_where_nearer_0_is_better():
    result = drawn_of([[0.2, -0.4], [0.5, 0.4]], (Higher(), Nearer()))
    (axes,) = fairtrec.plot(result, "front").axes
    assert all(point >= 0 for ends in whiskers(axes) for point in np.ravel(ends))


def test_the_best_run_by_the_rule_of_tables_is_darker():
    result = drawn_of([[0.2, 0.4], [0.5, 0.1], [0.50000001, 0.3]])
    first, second = fairtrec.plot(result, "runs").axes
    dark = [[at for at, bar in enumerate(axes.patches) if bar.get_facecolor()[0] == 0] for axes in (first, second)]
    assert dark == [[1, 2], [1]]


def test_a_run_over_other_queries_is_on_no_front_and_never_best():
    result = drawn_of([[0.2, 0.4], [0.5, 0.1]])
    result.scores[1].values[:, 0] = np.nan
    assert filled(fairtrec.plot(result, "front")) == ({"run0"}, {"run1"})
    assert all(bar.get_facecolor()[0] > 0 for bar in fairtrec.plot(result, "runs").axes[0].patches)


def test_a_line_is_fitted_by_least_squares_to_each_family():
    means = [[0.1, 0.3], [0.2, 0.5], [0.3, 0.7], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]
    result = drawn_of(means, names=["a1", "a2", "a3", "b1", "b2", "b3"])
    (axes,) = fairtrec.plot(result, "front", families=("a", "b"), trend=True).axes
    lines = [line.get_xydata().tolist() for line in axes.get_lines() if line.get_label() == "_fit"]
    assert lines == [pytest.approx(np.array(line)) for line in ([[0.1, 0.3], [0.3, 0.7]], [[0.1, 0.9], [0.3, 0.7]])]


def test_no_line_is_fitted_to_a_run_over_other_queries():
    means = [[0.1, 0.3], [0.2, 0.5], [0.3, 0.7], [0.9, 0.1]]
    result = drawn_of(means, spread=0)
    result.scores[3].values[:, 0] = np.nan
    (axes,) = fairtrec.plot(result, "front", trend=True).axes
    (line,) = [line.get_xydata().tolist() for line in axes.get_lines() if line.get_label() == "_fit"]
    assert line == pytest.approx(np.array([[0.1, 0.3], [0.3, 0.7]]))


def test_the_figure_and_the_notes_say_which_points_are_struck_out(copied, fairtrec_command):
    lines = (copied / "fair.run").read_text().splitlines(keepends=True)
    (copied / "few.run").write_text("".join(line for line in lines if not line.startswith("101 ")))
    asked = ["plot", "front", "qrels.txt", "bm25.run", "few.run", "neural.run", "-m", "P@5 RR", "-o", "x.svg"]
    done = fairtrec_command(*asked)
    assert "# crossed out, because their means are not comparable with those of other runs: few" in done.err
    assert "cannot be compared with the others</text>" in (copied / "x.svg").read_text()
    done = fairtrec_command(*asked, "--queries", "common")
    assert "struck out" not in done.err
    assert "cannot be compared" not in (copied / "x.svg").read_text()


def test_families_are_named_below():
    figure = fairtrec.plot(drawn_of(many(3), names=["a1", "a2", "b1"]), "front", families=("a", "b"))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a1", "a2", "b1", "a…", "b…"]


@pytest.mark.parametrize(
    ("runs", "width"),
    [(13, "1"), (53, "2"), *(pytest.param(*each, marks=pytest.mark.slow) for each in [(13, "2"), (28, "1"), (28, "2"), (53, "1")])],
)  # fmt: skip
def test_numbers_at_points_never_overlap(runs, width):
    figure = fairtrec.plot(drawn_of(many(runs)), "front", width=width)
    with canvas.look():
        figure.draw_without_rendering()
        texts = {text: text.get_window_extent() for text in figure.axes[0].texts if text.get_text()}
    numbers = [text for text in texts if text.get_text() != MARK]
    assert len(numbers) > runs / 2
    assert len(numbers) < len(texts)
    assert not [
        (one, other) for one in numbers for other in texts if one != other and texts[one].overlaps(texts[other])
    ]


def test_titles_are_whole_and_panels_share_their_axis():
    names = ["base", *(f"{at}-{'long' * 15}" for at in range(8))]
    figure = fairtrec.plot(drawn_of(many(9), names=names), "queries", width="1")
    assert ["".join(axes.get_title().split()) for axes in figure.axes] == names[1:]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    with canvas.look():
        figure.draw_without_rendering()
        titles = [axes.title.get_window_extent() for axes in figure.axes]
    assert not [1 for at, one in enumerate(titles) for other in titles[:at] if one.overlaps(other)]


@pytest.mark.parametrize("kind", ["front", "runs", "groups", "cutoffs"])
def test_names_that_do_not_fit_are_shortened_as_in_tables(kind):
    names = [f"team-{name}-2023-09-13T12-01-59.0-{'long-' * 30}end" for name in ("bm25", "bert")]
    measures = "TE@5 TE@10" if kind == "groups" else "P@5 P@10"
    runs = {name: {"q": {"d": 1.0}} for name in names}
    texts = {"terms": {"f": ["she"], "m": ["he"]}, "docs": {"d": "she"}} if kind == "groups" else {}
    result = fairtrec.evaluate(measures, runs, qrels={"q": {"d": 1}}, **texts)
    figure = fairtrec.plot(result, kind)
    axes = figure.axes[0]
    shown = axes.get_yticklabels() if kind == "runs" else figure.legends[0].get_texts()
    assert [text.get_text() for text in shown] == ["bm25", "bert"]


@pytest.mark.long
def test_what_is_not_in_the_font_or_has_no_room_makes_no_noise():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = fairtrec.plot(drawn_of(many(3), names=["検索", "b" * 300, "c"]), "runs")
        assert canvas.render_figure(figure, "pdf")


def test_the_command_says_that_intervals_are_drawn(copied, fairtrec_command):
    shutil.copy("bm25.run", "other.run")
    asked = ["plot", "runs", "qrels.txt", "bm25.run", "fair.run", "-m", "P@5", "-o", "x.svg"]
    assert "interval:t/0.95" in fairtrec_command(*asked).err
    assert "interval:" not in fairtrec_command(*asked, "--no-intervals").err


def test_no_axis_goes_beyond_what_a_measure_can_be():
    runs = {"good": {"q": {"d1": 2.0, "d2": 1.0}}, "bad": {"q": {"d2": 2.0, "d1": 1.0}}}
    result = fairtrec.evaluate("P@1 RR", runs, qrels={"q": {"d1": 1, "d2": 0}})
    (axes,) = fairtrec.plot(result, "front").axes
    assert (axes.get_xlim(), axes.get_ylim()[1]) == ((0, 1), 1)
    assert [axes.get_xlim()[1] for axes in fairtrec.plot(result, "runs").axes] == [1, 1]
    result = fairtrec.evaluate("P@1 P@2", runs, qrels={"q": {"d1": 1, "d2": 1}})
    assert fairtrec.plot(result, "cutoffs").axes[0].get_ylim()[1] == 1


@pytest.mark.parametrize("kind", ["front", "runs", "queries", "cutoffs"])  # groups: no value is better
def test_each_figure_says_that_a_measure_is_at_its_ceiling(tmp_path, monkeypatch, fairtrec_command, kind):
    monkeypatch.chdir(tmp_path)
    qids = range(1, 21)
    (tmp_path / "q").write_text("".join(f"{qid} 0 d1 1\n{qid} 0 d2 0\n" for qid in qids))
    for name, swapped in (("a", ()), ("b", (1,))):
        places = {"d1": 2, "d2": 1}
        lines = [f"{q} Q0 {d} 1 {-s if q in swapped else s} {name}\n" for q in qids for d, s in places.items()]
        (tmp_path / name).write_text("".join(lines))
    asked = ("-m", "nDCG", "--cutoffs", "1,2") if kind == "cutoffs" else ("-m", "P@1 RR")
    done = fairtrec_command("plot", kind, "q", "a", "b", *asked, "-o", "x.svg")
    assert done.code == 0, done.err
    assert "its maximum in 19-20 of 20 queries" in done.err
    if kind == "cutoffs":
        assert (
            "nDCG: at 2 of 2 cutoffs nearly all rankings have the best value; ceiling: nDCG@2 has its maximum in 19-20 of 20"
            in done.err
        )


def test_differences_of_24_runs_stand_on_one_page():
    names = [f"a_long_name_of_a_run_with_many_parts_{at}_and_an_end_{at}" for at in range(24)]
    figure = fairtrec.plot(drawn_of(many(24), names=names), "queries", width="1")
    assert figure.get_figheight() <= 9.5
    assert len({axes.get_title() for axes in figure.axes}) == 23


def test_a_family_of_two_has_no_line_and_the_others_have_theirs():
    result = drawn_of(many(6), names=["a1", "a2", "a3", "b1", "b2", "c"])
    (axes,) = fairtrec.plot(result, "front", families=("a", "b"), trend=True).axes
    assert len([line for line in axes.get_lines() if line.get_label() == "_fit"]) == 1


@pytest.mark.parametrize("kind", ["front", "cutoffs"])
def test_means_of_many_runs_take_half_of_an_axis_however_long_intervals_are(kind):
    """Of 24 runs, intervals took nine tenths of the height, and the points lay on a line."""
    random = np.random.default_rng(5)
    pairs = (Higher(), Lower()) if kind == "front" else tuple(parse("P@1 P@5"))
    means = random.uniform(0.4, 0.5, (24, 2))
    values = [[[mean - 0.4, mean + 0.4] for mean in run] for run in means]
    names = [f"run{at}" for at in range(24)]
    result = result_of(values, pairs, names=names, tags=names)
    axes = fairtrec.plot(result, kind).axes[0]
    low, high = axes.get_ylim()
    shown = means[:, 1] if kind == "front" else means
    assert np.ptp(shown) >= 0.45 * (high - low)
    assert low < shown.min()
    assert shown.max() < high
    few = result_of(values[:3], pairs, names=names[:3], tags=names[:3])
    low, high = fairtrec.plot(few, kind).axes[0].get_ylim()
    assert high - low > 0.75  # intervals of few runs are whole


def test_a_note_says_how_many_intervals_are_cut():
    ends = np.array([[0.1, 0.9], [0.45, 0.55], [0.3, 0.5]])
    frame = canvas.find_frame(np.array([0.4, 0.5, 0.5]), ends)
    assert frame == pytest.approx((0.34, 0.56), abs=1e-12)
    note = canvas.note_frame("NFaiRR@10", frame, ends)
    assert str(note) == "frame: 2 of 3 intervals run past the axis of NFaiRR@10, so that the means take half of it"
    assert canvas.find_frame(np.array([0.4, 0.5]), np.array([[0.36, 0.54]])) is None
    assert canvas.find_frame(np.array([0.4, 0.4]), ends) is None


@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_means_that_are_not_finite_leave_the_axis_and_its_note_to_the_others(missing):
    """An axis whose first mean was nan could not be drawn, and a frame that cut nothing was told."""
    ends = np.array([[0.1, 0.9], [missing, missing]])
    assert canvas.find_frame(np.array([missing, 0.4, 0.5]), ends) == pytest.approx((0.34, 0.56), abs=1e-12)
    assert canvas.find_frame(np.full(3, missing), ends) is None
    assert canvas.find_frame(np.array([0.4, 0.5]), np.array([[0.345, 0.55]])) is None
    pairs = tuple(parse("P@1 P@5"))
    values = [[[missing, missing]] * 2] + [[[0.1, 0.9], [0.2, 0.9]]] * 4 + [[[0.1, 0.8], [0.2, 0.8]]]
    names = [f"run{at}" for at in range(6)]
    result = fairtrec.plot(result_of(values, pairs, names=names, tags=names), "cutoffs")
    assert np.isfinite(result.axes[0].get_ylim()).all()
    nothing = result_of([[[missing, missing]] * 2] * 6, pairs, names=names, tags=names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert note_cutoffs(nothing.with_confidence(0.95)) == []

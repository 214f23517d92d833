"""The page: well-formed, whole in itself, harmless whatever names are, and with the numbers of the result."""

import math
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.report import point_labels
from fairtrec.report.page import html as page
from fairtrec.report.page import scatter
from fairtrec.report.writers import RESULTS
from fairtrec_made.measures import Higher, Lower, Nearer
from fairtrec_made.reports import INF, MEASURES, NAN, VALUES, Page, result_of

RANKED = [*VALUES[:3], [*VALUES[3][:1], [NAN, NAN], *VALUES[3][2:]]]  # a value of all queries, or of none
EVIL = [
    "</script><script>alert(1)</script>",
    '" onclick="alert(2)" x="',
    "' & <b>bold</b> &amp; $style ${script}",
    "line\u2028separator\u2029\nend",
    "right\u202eot\u2066left",
    "<!--",
    "]]>",
    "\udcff\udcfe.not-utf-8",
]


def html(result, **view):
    return RESULTS("html", result, **view)


# ------------------------------------------------------------------------------------------------ whole in itself


@pytest.fixture(scope="module")
def text():
    return html(result_of(notes=["take care"]), sort=Lower())


def test_nothing_comes_from_elsewhere(text):
    parsed = Page(text)
    names = {name for element in parsed.elements for name in element if name not in ("tag", "text")}
    assert not names & {"src", "href", "srcset", "action", "data", "style", "background", "poster", "xlink:href"}
    assert not [name for name in names if name.startswith("on")]
    assert not {e["tag"] for e in parsed.elements} & {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "use",
        "image",
    }
    assert "http" not in re.sub("http-equiv|http://www.w3.org/2000/svg", "", text)
    assert "url(" not in text
    assert "@import" not in text


def test_the_policy_allows_its_own_style_and_script_and_no_others(text):
    parsed = Page(text)
    policy = parsed.one("meta", http_equiv="Content-Security-Policy")["content"]
    style, (_, script) = parsed.one("style")["text"], parsed.all("script")
    hashes = [b64encode(sha256(each.encode()).digest()).decode() for each in (style, script["text"])]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; base-uri 'none'; "
        "form-action 'none'"
    )
    assert script == {"tag": "script", "text": files("fairtrec.report.page").joinpath("page.js").read_text("utf-8")}


def test_the_page_carries_notes_remarks_legend_and_signature(text):
    parsed = Page(text)
    shown = [element["text"] for element in parsed.all("li")]
    assert shown == [
        "rank: by Lower@10, lowest first; ranks are not tested, see fairtrec compare",
        "↑ higher is better, ↓ lower is better, →0 nearer 0 is better; * the best, ° the worst",
        "|x|: the mean of absolute values; it decides the order and the *, because plus and minus cancel in the other mean",
        "× dominated: another run is as good or better in every measure with an arrow, and better in one",
        "no mark: the means are over different queries",
        "undefined: nDCG@10 in 2 of 2 queries (d), Higher@10 in 1 of 2 queries, first in q2 (d); the mean leaves out such queries",
        "take care",
    ]
    assert parsed.one("p", class_="signature")["text"] == "fairtrec:1 | order:score"
    assert RESULTS.forms["html"].carries == "all"


def test_the_same_result_gives_the_same_page(text):
    assert text == html(result_of(notes=["take care"]), sort=Lower())
    assert text.endswith("</html>\n")


# --------------------------------------------------------------------------------------------------------- names


def named(name):
    """A page on which the name stands wherever a name can stand."""
    kind = type("Higher", (Higher,), {"__doc__": "Higher.", "__str__": lambda self: name})
    measures = (MEASURES[0], kind(), *MEASURES[2:])
    names, qids = [name, f"{name}2", "c", "d"], (f"{name}a", f"{name}b")
    return html(result_of(names=names, qids=qids, notes=[name], measures=measures))


@pytest.mark.parametrize("name", EVIL)
def test_names_stay_text(name):
    text = named(name)
    text.encode("utf-8")
    parsed, harmless = Page(text), Page(named(re.sub("[^/]", "x", name)))
    assert [(e["tag"], set(e)) for e in parsed.elements] == [(e["tag"], set(e)) for e in harmless.elements]
    shown = re.sub("[\n\u2028\u2029\u202e\u2066\udcff\udcfe]", "\ufffd", name)
    assert parsed.all("bdi")[0]["title"] == shown
    assert shown.endswith(parsed.all("bdi")[0]["text"])  # a name after the last /, as in all tables
    assert shown in [item["text"] for item in parsed.all("li")]
    assert parsed.data["qids"] == [f"{shown}a", f"{shown}b"]
    assert parsed.data["measures"][1]["name"] == shown
    assert not re.search("[<>&\u2028]", re.search(r'id="data">(.*)</script>\n<script>', text).group(1))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028\u2029]", text)


@given(st.text(min_size=1), st.text())
def test_any_name_leaves_the_page_well_formed(name, other):
    result = result_of(
        VALUES[:2], names=[name, f"{name}x"], qids=("q", f"q{other}"), notes=[other], tags=[other, other]
    )
    text = html(result)
    text.encode("utf-8")
    assert len(Page(text).data["runs"]) == 2


# ------------------------------------------------------------------------------------------------------- numbers


def rows_of(parsed, columns):
    cells = [e["text"] for e in parsed.elements if e["tag"] in ("td", "th")]
    rows = [cells[at : at + columns] for at in range(0, len(cells), columns)]
    return rows[0], rows[1:5]


def test_the_table_has_the_digits_and_the_marks():
    head, rows = rows_of(Page(html(result_of(RANKED), sort=Higher(), places=3)), 9)
    assert head == ["rank", "run", "", "Higher@10 ↑", "nDCG@10 ↑", "Lower@10 ↓", "Nearer@10 →0", "Count", "queries"]
    assert rows == [
        # (0.5+0.7)/2, (0.2+1/3)/2, 0.4, (-0.3+0.1)/2 ..., and so on, the sum of Count
        ["1", "a", "", "0.267*", "0.600", "0.400*", "-0.100* |0.200|", "5", "2"],  # (0.3+0.1)/2
        ["2", "b", "", "0.150", "0.800*", "0.550", "0.200*", "6", "2"],
        ["3", "c", "×", "0.100°", "0.150°", "0.550", "0.400°", "4", "2"],
        ["-", "d", "", "nan", "nan", "inf°", "0.400°", "2", "2"],
    ]


def test_ranks_are_over_the_queries_in_which_all_runs_have_a_value():
    values = [[[0.5, 0.7, NAN]], [[0.2, 0.6, 0.9]], [[NAN, NAN, NAN]]]
    parsed = Page(html(result_of(values, [Higher()], qids=("q1", "q2", "q3")), sort=Higher(), places=1))
    rows = rows_of(parsed, 4)[1]
    assert rows[:3] == [["1", "a", "0.6* (2)", "3"], ["2", "b", "0.4° (2)", "3"], ["-", "c", "nan", "3"]]
    assert "over the 2 queries in which all ranked runs have a value" in parsed.one("li", id="by")["text"]


def test_without_a_measure_to_sort_by_the_order_is_as_given_and_there_are_no_ranks():
    parsed = Page(html(result_of()))
    assert [e["text"] for e in parsed.all("bdi")] == ["a", "b", "c", "d"]
    assert parsed.one("table", id="board")["class"] == "unranked"
    assert parsed.one("li", id="by")["text"] == "runs in the order given"


def test_the_data_are_those_of_the_result():
    result = result_of()
    data = Page(html(result)).data
    assert data["runs"] == ["a", "b", "c", "d"]
    assert data["qids"] == ["q1", "q2"]
    assert [measure["name"] for measure in data["measures"]] == [str(measure) for measure in MEASURES]
    assert set(data["values"]) == {"0", "1", "2", "3"}  # those that have a direction
    for measure, runs in data["values"].items():
        for values, scores in zip(runs, result.scores, strict=True):
            for value, full in zip(values, scores.values[int(measure)].tolist(), strict=True):
                assert (value is None) is (not math.isfinite(full))
                assert value is None or value == pytest.approx(full, rel=1e-5)
    assert data["values"]["1"][0] == [0.2, 0.333333]
    fair = data["measures"][1]
    assert fair["order"] == [0, 1, 2, 3]  # 0.267, 0.15, 0.1; and 0.3 of one query alone
    assert fair["ranks"] == [1, 2, 3, 0]
    assert data["measures"][0]["ranks"] == [2, 1, 3, 0]
    assert data["measures"][4]["axis"] is None


def test_runs_of_different_queries_are_compared_on_those_of_both():
    scores = [
        Scores(f"{qid}.run", "t", (Higher(),), qids, np.array([values]))
        for qid, qids, values in [("a", ("q1", "q2"), [0.1, 0.2]), ("b", ("q2", "q3"), [0.3, 0.4])]
    ]
    data = Page(html(Result(tuple(scores), Signature({}), (), {}))).data
    assert data["qids"] == ["q1", "q2", "q3"]
    assert data["values"] == {"0": [[0.1, 0.2, None], [None, 0.3, 0.4]]}


def test_43_runs_of_43_queries_and_6_measures_are_less_than_400_kilobytes():
    values = np.random.default_rng(1).random((43, 6, 43))
    measures = tuple(Higher(cutoff) for cutoff in range(1, 7))
    text = html(
        result_of(values, measures, [f"{at:03}{'x' * 80}.run" for at in range(43)], [f"q{at:02}" for at in range(43)])
    )
    assert len(text.encode()) < 400_000


def test_too_many_values_are_left_out_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr(page, "LARGEST", 31)
    text = html(result_of())  # 4 runs, 2 queries, 4 measures with a direction: 32
    parsed = Page(text)
    assert parsed.data["values"] is None
    assert "left out: 32 values are too many" in text
    assert not parsed.all("section", id="differences")
    monkeypatch.setattr(page, "LARGEST", 32)
    assert Page(html(result_of())).data["values"] is not None


def test_a_page_without_values_of_queries_gives_no_hidden_judgment_away():
    values = np.random.default_rng(3).random((4, 5, 3))
    result = result_of(values, qids=("secret1", "secret2", "secret3"))
    whole, text = html(result), html(result, summary=False)
    digits = [f"{value:.6g}" for value in values[:, :4].ravel()]  # of the measures that have a direction
    assert [each for each in digits if each not in whole] == []
    assert [each for each in digits if each[:-1] in text] == []
    assert "secret" in whole
    assert "secret" not in text
    assert Page(text).data["values"] is None
    assert "left out, as are all values of single queries" in text
    assert not Page(text).all("section", id="differences")
    boards = [re.search('<table id="board".*?</table>', page, re.DOTALL).group() for page in (text, whole)]
    assert boards[0] == boards[1]


def test_a_page_has_a_title_of_its_own():
    parsed = Page(html(result_of(), title="Fair <b>2026</b>"))
    assert parsed.all("title")[0]["text"] == parsed.one("h1")["text"] == "Fair <b>2026</b>"
    parsed = Page(html(result_of()))
    assert parsed.all("title")[0]["text"] == parsed.one("h1")["text"] == "Leader board"


def test_one_run_has_a_table_and_nothing_to_compare():
    parsed = Page(html(result_of(VALUES[:1]), sort=Higher()))
    assert not parsed.all("svg")
    assert not parsed.all("section", id="differences")
    assert "worst" not in parsed.all("ul")[0]["text"]


# ------------------------------------------------------------------------------------------------------- scatter


def points(parsed):
    found = [e for e in parsed.all("g") if e.get("class", "").startswith("point")]
    found.sort(key=lambda point: int(point["data-run"]))
    return [("front" in e["class"].split(), e.get("transform"), e["visibility"]) for e in found]


def test_the_scatter_is_of_utility_against_fairness_with_its_front():
    parsed = Page(html(result_of()))
    assert parsed.one("text", id="across-label")["text"] == "nDCG@10, higher is better →"
    assert parsed.one("text", id="up-label")["text"] == "Higher@10, higher is better ↑"
    front, places, visible = zip(*points(parsed), strict=True)
    assert front == (True, True, False, False)  # a is fairer, b more useful, c neither; d has no nDCG
    assert visible == ("visible", "visible", "visible", "hidden")
    (ax, ay), (bx, by), (cx, cy) = (map(float, re.findall(r"[\d.]+", place)) for place in places[:3])
    assert cx < ax < bx  # 0.15, 0.6, 0.8
    assert cy > by > ay  # 0.1, 0.15, 0.267, and up is less in a drawing
    assert (ax - cx) / (bx - cx) == pytest.approx((0.6 - 0.15) / (0.8 - 0.15), abs=2e-3)
    assert parsed.one("path", class_="front-line")["d"] == f"M{ax:g} {ay:g}V{by:g}H{bx:g}"  # a, its corner with b, b


def test_a_run_that_cannot_be_compared_is_dotted_and_all_circles_are_explained():
    result = result_of()
    result.scores[2].values[0, 0] = NAN  # of c, whose mean is then over fewer queries
    parsed = Page(html(result))
    kinds = {int(e["data-run"]): e["class"].split() for e in parsed.all("g") if e.get("class", "").startswith("point")}
    assert [("front" in kinds[run], "apart" in kinds[run]) for run in range(3)] == [
        (True, False), (True, False), (False, True),
    ]  # fmt: skip
    style = files("fairtrec.report.page").joinpath("page.css").read_text("utf-8")
    assert ".point.apart circle { stroke-dasharray" in style
    assert ".point.front circle { fill: var(--front)" in style
    assert "ring" not in {kind for several in kinds.values() for kind in several}
    (note,) = [e["text"] for e in parsed.all("p", class_="note") if e["text"].startswith("Filled")]
    for word in ("Filled, on the dashed line", "Open: another run dominates it", "Dotted: ", "A larger circle"):
        assert word in note


@pytest.mark.parametrize(
    ("measure", "label", "rising"),
    [
        (Higher(), "Higher@10, higher is better →", [-0.4, 0.1, 0.3]),
        (Lower(), "← Lower@10, lower is better", [-0.4, 0.1, 0.3]),
        (Nearer(), "← |Nearer@10|, nearer 0 is better", [0.1, 0.3, -0.4]),
    ],
)
def test_an_axis_says_where_better_is(measure, label, rising):
    axis = scatter.Axis.scale(measure, np.array(rising))
    assert axis.label == label
    assert axis.upwards == label.replace("→", "↑").replace("←", "↓")
    assert list(axis.places) == sorted(axis.places)
    assert 0 < axis.places[0] < axis.places[-1] < 1


numbers = st.floats(-1e6, 1e6) | st.sampled_from([NAN, INF, -INF, 0.0, 1e308])


@example([0.0, 5e-324], Higher())  # of which a part is 0
@example([0.46, np.nextafter(0.46, 1)], Higher())  # between which no number is round
@given(st.lists(numbers, min_size=1, max_size=8), st.sampled_from([Higher(), Lower(), Nearer()]))
def test_any_means_have_an_axis(means, measure):
    axis = scatter.Axis.scale(measure, np.array(means))
    assert all(math.isnan(place) or 0 <= place <= 1 for place in axis.places)
    assert [math.isnan(place) for place in axis.places] == [not abs(mean) < 1e100 for mean in means]
    assert 2 <= len(axis.ticks) <= 7
    for place, _ in axis.ticks:
        assert -1e-3 <= place <= 1.001


def test_ticks_stand_at_their_values():
    axis = scatter.Axis.scale(
        Higher(), np.array([0.0, 1.0])
    )  # with a margin of 0.06 on each side: 0.2 is at 0.26 of 1.12
    assert axis.ticks == ((0.054, "0"), (0.232, "0.2"), (0.411, "0.4"), (0.589, "0.6"), (0.768, "0.8"), (0.946, "1"))
    assert axis.places == (0.054, 0.946)


def test_many_runs_or_long_names_are_labeled_by_number():
    assert scatter.labels(["a", "b"]) == ["a", "b"]
    assert scatter.labels(["a", "b" * 25]) == ["1", "2"]
    assert scatter.labels(["a"] * 13) == [str(number) for number in range(1, 14)]
    parsed = Page(html(result_of(names=["x" * 30, "b", "c", "d"])))
    assert [e["text"] for e in parsed.all("td", class_="number")] == ["1", "2", "3", "4"]


def test_the_script_draws_where_the_page_has_drawn(text):
    left, top, right, bottom = Page(text).data["field"]
    assert Page(text).all("path", class_="axis")[0]["d"] == f"M{left} {top}V{bottom}H{right}"
    script = files("fairtrec.report.page").joinpath("page.js").read_text("utf-8")
    assert f"NEAR = {point_labels.NEAR}, CLEAR = {point_labels.CLEAR}, TWIN = {point_labels.TWIN};" in script


def test_an_axis_has_room_for_its_numbers_and_shortens_a_long_name():
    axis = scatter.Axis.scale(Higher(), np.array([0.7371001, 0.7371009]))
    assert [number for _, number in axis.ticks] == ["0.7371002", "", "0.7371006", ""]
    assert scatter.field([axis])[0] >= 8 + 10 * len("0.7371002")
    assert all(scatter.Axis.scale(Higher(), np.array([0.4, 0.7])).ticks[at][1] for at in range(3))
    kind = type("Higher", (Higher,), {"__doc__": "Higher.", "__str__": lambda self: "Long(" + "x" * 60 + ")@10"})
    assert (
        scatter.Axis.scale(kind(), np.array([0.1, 0.2])).label == f"Long({'x' * 9}…{'x' * 11})@10, higher is better →"
    )


place_of_run = st.tuples(st.integers(74, 536), st.integers(40, 362))


@given(st.lists(place_of_run, min_size=1, max_size=16), st.integers(1, 24))
def test_no_label_stands_at_the_dot_of_another_and_no_dot_is_hidden(places, letters):
    drawn = point_labels.stack_dots((run, float(x), float(y)) for run, (x, y) in enumerate(places))
    assert [dot.run for dot in drawn] == list(range(len(places)))
    for at, dot in enumerate(drawn):
        for above in drawn[:at]:  # either their centers are apart, or one is a ring round the other
            apart = math.hypot(above.x - dot.x, above.y - dot.y)
            assert (
                apart >= point_labels.TWIN if above.stack != dot.stack else (apart == 0 and dot.radius > above.radius)
            )
    labels = dict.fromkeys(range(len(places)), "x" * letters)
    found = point_labels.place_labels(drawn, labels, (74, 2, 558, 362))
    width, half = letters * 10, point_labels.LETTER / 2
    for dot in drawn:
        if dot.run not in found:
            continue
        x, y, anchor = found[dot.run].x, found[dot.run].y, found[dot.run].anchor
        left = dot.x + x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        assert left >= 74
        assert left + width <= 558
        for other in drawn:
            nearest = min(max(other.x, left), left + width), min(max(other.y, dot.y + y - half), dot.y + y + half)
            if other.stack != dot.stack:
                assert math.dist(nearest, (other.x, other.y)) >= other.radius + point_labels.CLEAR
        if found[dot.run].lead:
            assert math.hypot(x, y) > dot.radius + point_labels.NEAR
    if len(places) == 1 and letters < 10:
        assert found


def test_the_script_can_be_read():
    if shutil.which("node") is None:
        pytest.skip("needs node, which is not here")
    place = files("fairtrec.report.page").joinpath("page.js")
    subprocess.run(["node", "--check", str(place)], check=True, capture_output=True)


def test_what_queries_ask_stands_in_the_page():
    text = RESULTS("html", result_of(), query_texts={"q1": "who <b> is"})
    assert Page(text).data["texts"] == ["who <b> is", ""]
    assert Page(RESULTS("html", result_of())).data["texts"] == ["", ""]

"""The page in a browser: nothing stands where it is taken for something else, and every button does what it says."""

import cmath
import itertools
import math

import pytest

pytestmark = pytest.mark.browser

PAGES = ["swapped", "crowd", "twins", "uneven", "ten", "43"]
WINDOWS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]

# What is drawn in the scatter, in pixels: the dots from below to above, the labels, and the lines that lead to them.
DRAWN = """() => {
    const box = (each) => { const { left, top, right, bottom } = each.getBoundingClientRect(); return [left, top, right, bottom]; };
    const seen = (each) => each.checkVisibility({ checkVisibilityCSS: true });
    return [...document.querySelectorAll("#scatter .point")].filter(seen).map((point) => {
        const [left, top, right, bottom] = box(point.querySelector("circle"));
        const [text, lead] = [point.querySelector("text"), point.querySelector(".lead")];
        return {
            run: +point.dataset.run, x: (left + right) / 2, y: (top + bottom) / 2, radius: (right - left) / 2,
            filled: getComputedStyle(point.querySelector("circle")).fill !== "none",
            front: point.classList.contains("front"),
            label: seen(text) && text.textContent ? box(text) : null,
            lead: seen(text) && lead?.getAttribute("d") ? box(lead) : null,
        };
    });
}"""

# Every text of a drawing, and the drawing.
TEXTS = """(id) => {
    const box = (each) => { const { left, top, right, bottom } = each.getBoundingClientRect(); return [left, top, right, bottom]; };
    const texts = [...document.querySelectorAll(`#${id} text`)];
    const shown = texts.filter((text) => text.checkVisibility({ checkVisibilityCSS: true }) && text.textContent);
    return [box(document.getElementById(id)), shown.map((text) => [text.textContent, ...box(text)])];
}"""


@pytest.fixture(params=WINDOWS, ids=lambda window: f"{window[0]}-{window[1]}")
def show(request, chromium, page_of):
    """Open a page in a window of this width and these colors; whatever goes wrong in it fails the test."""
    (width, scheme), opened, wrong = request.param, [], []

    def opening(name, **more):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **more)
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.goto(page_of(name).as_uri())
        return page

    yield opening
    for context in opened:
        context.close()
    assert not wrong


def axes(page):
    """Draw each pair of two measures in turn."""
    choices = page.locator("#across-choice option").count()
    for across in range(choices):
        page.locator("#across-choice").select_option(index=across)
        for up in set(range(choices)) - {across}:
            page.locator("#up-choice").select_option(index=up)
            yield across, up


def gap(box, x, y):
    """How far a point lies from a box."""
    left, top, right, bottom = box
    return math.hypot(max(left - x, x - right, 0), max(top - y, y - bottom, 0))


def well_placed(page):
    """Judge the labels and the dots as they are drawn; return the runs that have a label."""
    dots = page.evaluate(DRAWN)
    for at, dot in enumerate(dots):
        here = [other for other in dots if abs(other["x"] - dot["x"]) + abs(other["y"] - dot["y"]) < 0.5]
        outer = max(other["radius"] for other in here)  # of the rings round it
        if dot["label"]:
            away = {o["run"]: gap(dot["label"], o["x"], o["y"]) - o["radius"] for o in dots if o not in here}
            assert all(each >= 2 for each in away.values()), ("at the dot of another", dot, away)
            own = gap(dot["label"], dot["x"], dot["y"]) - outer
            assert own >= 0, ("on its own dot", dot)
            if dot["lead"]:
                assert gap(dot["lead"], dot["x"], dot["y"]) <= outer + 3, ("the line begins elsewhere", dot)
            else:
                assert own <= min(away.values(), default=99), ("nearer to the dot of another", dot, away)
        for one, other in itertools.combinations([each["label"] for each in dots if each["label"]], 2):
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] - 3 or other[1] >= one[3] - 3
        assert not hidden(dot, dots[at + 1 :]), ("hidden", dot)
    return {dot["run"] for dot in dots if dot["label"]}


def hidden(dot, above):
    """Tell whether a dot cannot be told apart: most of its edge lies below full ones, or one is drawn in its place."""
    edge = [cmath.rect(dot["radius"], turn / 16 * cmath.pi) for turn in range(32)]
    covered = [
        any(
            abs(point + complex(dot["x"] - other["x"], dot["y"] - other["y"])) < other["radius"]
            for other in above
            if other["filled"]
        )
        for point in edge
    ]
    same = [
        other
        for other in above
        if abs(complex(dot["x"] - other["x"], dot["y"] - other["y"])) + abs(dot["radius"] - other["radius"]) < 0.5
    ]
    return sum(covered) > 26 or bool(same)


def nothing_cut_off(page, drawing):
    """No text of a drawing reaches beyond it or over another, and the page is no wider than the window."""
    (left, top, right, bottom), texts = page.evaluate(TEXTS, drawing)
    assert texts
    for text, *box in texts:
        assert box[0] >= left - 0.5, (text, "is cut off on the left")
        assert box[1] >= top - 3, (text, "is cut off above")
        assert box[2] <= right + 0.5, (text, "is cut off on the right")
        assert box[3] <= bottom + 3, (text, "is cut off below")
    for (one, *box), (other, *their) in itertools.combinations(texts, 2):
        over = min(box[2], their[2]) - max(box[0], their[0]), min(box[3], their[3]) - max(box[1], their[1])
        assert over[0] <= 0 or over[1] <= 3, (one, "is printed over", other)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("name", PAGES)
def test_no_label_stands_at_the_dot_of_another_no_dot_is_hidden_no_sign_is_cut_off(show, name):
    page = show(name)
    first = well_placed(page)
    assert first
    if name in ("swapped", "ten", "43"):  # who is on the front is said, and who is where there are few
        wanted = "#scatter .point" if name != "43" else "#scatter .point.front"
        assert first == {int(point.get_attribute("data-run")) for point in page.locator(wanted).all()}
    for _ in axes(page):
        assert well_placed(page)
        nothing_cut_off(page, "scatter")


@pytest.mark.parametrize("name", PAGES)
def test_every_button_does_what_it_says(show, name):
    page = show(name)
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    picked = """() => ["#board tr.picked", "#scatter .point.picked", "#board [aria-pressed=true]"].map(
        (selector) => document.querySelectorAll(selector).length)"""
    rows = """() => [...document.querySelectorAll("#board tbody tr")].map((row) => [+row.dataset.run, row.cells[0].textContent])"""
    for button in page.locator("#board thead button").all():
        measure = data["measures"][int(button.locator("xpath=..").get_attribute("data-measure"))]
        rank = {run: str(measure["ranks"][run] or "-") for run in measure["order"]}
        undefined = [(run, "-") for run in measure["order"] if rank[run] == "-"]
        best = [(run, rank[run]) for run in measure["order"] if rank[run] != "-"]
        found = []
        for _ in range(3):
            button.click()
            found.append((page.locator("#by").inner_text(), list(map(tuple, page.evaluate(rows)))))
        first = measure["by"], best + undefined
        turned = f"{measure['by']}; shown from the last to the first", best[::-1] + undefined
        assert found in ([first, turned, first], [turned, first, turned])
    buttons = page.locator("#board tbody button").all()
    assert len(buttons) == len(data["runs"])
    for at, button in enumerate(buttons, 1):
        button.click()
        assert page.evaluate(picked) == [at, at, at]
    page.mouse.move(0, 0)
    assert len(well_placed(page)) >= 0.3 * len(data["runs"])  # where there is room: with every run picked it is scarce
    for button in buttons:
        button.click()
    assert page.evaluate(picked) == [0, 0, 0]


@pytest.mark.parametrize("name", PAGES)
def test_every_choice_of_two_runs_is_drawn_whole(show, name):
    page = show(name)
    data = page.evaluate("JSON.parse(document.getElementById('data').textContent)")
    runs = range(0, len(data["runs"]), 1 if len(data["runs"]) < 6 else 7)
    for measure in range(page.locator("#measure-choice option").count()):
        page.locator("#measure-choice").select_option(index=measure)
        for first, second in itertools.pairwise(runs):
            page.locator("#first-choice").select_option(index=first)
            page.locator("#second-choice").select_option(index=second)
            nothing_cut_off(page, "bars")
            values = data["values"][page.locator("#measure-choice").input_value()]
            both = [
                (one, two) for one, two in zip(values[first], values[second], strict=True) if None not in (one, two)
            ]
            assert page.locator("#bars rect").count() == len(both)
            assert f"of {len(both)} queries" in page.locator("#verdict").inner_text()
            assert data["runs"][second] in page.locator("#verdict").inner_text()
    page.locator("summary").click()
    assert page.locator("#queries tbody tr").count() == len(both)


@pytest.mark.parametrize("name", PAGES)
def test_without_a_script_the_same_is_drawn(show, name):
    drawn = """() => [
        [...document.querySelectorAll("#scatter .point")].map((each) => [
            each.dataset.run, each.getAttribute("class"), each.getAttribute("transform"), each.querySelector("circle").getAttribute("r"),
        ].join().replace(" named", "")),
        document.querySelector("#scatter .front-line").getAttribute("d"),
        [...document.querySelectorAll("#scatter .ticks text")].map((each) => each.textContent),
    ]"""
    scripted, plain = show(name), show(name, java_script_enabled=False)
    assert plain.evaluate(drawn) == scripted.evaluate(drawn)
    assert well_placed(plain) <= well_placed(scripted)
    nothing_cut_off(plain, "scatter")
    assert not plain.locator("select").first.is_visible()


@pytest.mark.parametrize("name", ["43"])
def test_what_is_written_and_drawn_stands_out_from_its_ground(show, name):
    page = show(name)
    colors = page.evaluate("""() => {
        const style = (selector) => getComputedStyle(document.querySelector(selector));
        return { ground: style("body").backgroundColor, text: style("#scatter .point.front text").fill,
                 tick: style("#scatter .ticks text").fill, front: style("#scatter .point.front circle").fill,
                 dot: style("#scatter .point:not(.front) circle").stroke, name: style("#board bdi").color,
                 worst: style("#board td.worst").color, note: style(".note").color };
    }""")
    ground = luminance(colors.pop("ground"))
    for what, color in colors.items():
        lighter, darker = sorted((luminance(color), ground), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= (3 if what in ("front", "dot") else 4.5), what


def luminance(color):
    """The relative luminance of WCAG 2."""
    parts = [int(part) / 255 for part in color.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

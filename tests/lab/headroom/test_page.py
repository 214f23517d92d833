"""The page of `fairtrec headroom` in Chromium: it is drawn, nothing is refused or cut off, and what names hold stays text."""

import pytest

import fairtrec
from fairtrec_made.browser import opened, three_runs, written

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(example, tmp_path_factory):
    from fairtrec.lab.headroom import HEADROOMS

    folder = tmp_path_factory.mktemp("headroom")
    found = fairtrec.headroom(
        three_runs(example, folder), qrels=example / "qrels.txt", terms="gender-en",
        docs=example / "collection.tsv", background=example / "background.run",
    )  # fmt: skip
    return written(HEADROOMS("html", found, places=4, per_query=True, query_texts={"q1": "who <i> is"}), folder)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_drawn_and_runs_nothing(chromium, page, width):
    window = opened(chromium, page, width)
    assert window.title() == "nDCG@10 and NFaiRR@10: headroom"
    assert "<script>document.title" in window.inner_text("main")
    assert window.locator("svg path.front").count() == 3
    assert window.locator("svg path.all").count() == 1
    assert window.locator("svg circle").count() == 3 + 3  # runs, and the same grades
    drawn, field = window.locator("svg").bounding_box(), window.locator("svg path.axis").bounding_box()
    assert drawn["width"] > 0.8 * min(width - 60, 736)
    for circle in window.locator("svg circle, svg path.front").all():
        box = circle.bounding_box()
        assert field["x"] - 8 <= box["x"]
        assert box["x"] + box["width"] <= field["x"] + field["width"] + 8
        assert field["y"] - 8 <= box["y"]
        assert box["y"] + box["height"] <= field["y"] + field["height"] + 8
    labels = [text for each in window.locator("svg text.line").all() for text in each.text_content().split(", ")]
    assert len(labels) == len(set(labels)) == 3
    assert all(each.bounding_box()["height"] >= 12 for each in window.locator("svg text").all())
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    assert window.locator("table").count() == 2
    window.close()

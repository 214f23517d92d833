"""The page of a study in a browser: no name of a run is broken, and nothing is wider than the window."""

import shutil

import pytest

import fairtrec

pytestmark = pytest.mark.browser

LONG = "cp-neural-ranker-v2-2023-09-13T12-01-59"
BROKEN = """() => [...document.querySelectorAll("tbody th.words, .name")].filter((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
}).map((each) => each.textContent)"""


@pytest.fixture(scope="module")
def page(example, tmp_path_factory):
    """Write a report of runs with long names, one of which has hyphens."""
    folder = shutil.copytree(example, tmp_path_factory.mktemp("report") / "example")
    shutil.copy(folder / "bm25.run", folder / "bm25-rm3-porter.run")
    shutil.copy(folder / "neural.run", folder / f"{LONG}.run")
    runs = [folder / f"{name}.run" for name in ("bm25-rm3-porter", LONG, "fair")]
    given = {"qrels": folder / "qrels.txt", "labels": folder / "labels.tsv"}
    fairtrec.study("nDCG@10 AWRF@10", runs, folder=folder / "study", **given)
    return folder / "study" / "report.html"


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_name_is_broken_and_the_page_fits(chromium, page, width):
    opened = chromium.new_page(viewport={"width": width, "height": 900})
    opened.goto(page.as_uri())
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.locator(".name").count() > 10
    if width >= 768:
        assert opened.evaluate(BROKEN) == []
    opened.close()

"""The page of `fairtrec ablate` in Chromium: it is drawn, nothing is refused or cut off, and what names hold stays text."""

import pytest

import fairtrec
from fairtrec_made.browser import opened, three_runs, written

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(example, tmp_path_factory):
    from fairtrec.lab.ablate import ABLATIONS

    folder = tmp_path_factory.mktemp("ablation")
    ablation = fairtrec.ablate(
        three_runs(example, folder), qrels=example / "qrels.txt", measure="NFaiRR@10",
        vary=["tau=0,5", "terms=each", "terms=half x 30"], terms="gender-en", docs=example / "collection.tsv",
        background=example / "background.run",
    )  # fmt: skip
    return written(ABLATIONS("html", ablation, places=4), folder)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_drawn_and_runs_nothing(chromium, page, width):
    window = opened(chromium, page, width)
    assert window.title() == "NFaiRR@10, varied"
    assert "<script>document.title" in window.inner_text("main")
    assert window.locator("svg circle").count() == 1 + 2 + 24 + 30 + 1  # base, tau, terms, halves; the ring
    box = window.locator("svg").bounding_box()
    assert box["width"] > 0.8 * (width - 60)
    window.close()

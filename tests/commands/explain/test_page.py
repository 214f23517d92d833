"""The page of `fairtrec explain` in Chromium: its words are marked, and a script in a text stays text."""

import pytest

import fairtrec
from fairtrec_made.browser import opened, written

pytestmark = pytest.mark.browser
EVIL = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"


@pytest.fixture(scope="module")
def page(example, tmp_path_factory):
    from fairtrec.commands.explain import EXPLANATIONS

    folder = tmp_path_factory.mktemp("explanation")
    lines = (example / "collection.tsv").read_text("utf-8").splitlines()
    docs = folder / "docs.tsv"
    docs.write_text("".join(f"{line} {EVIL}\n" for line in lines), "utf-8")
    found = fairtrec.explain(
        "NFaiRR@10", example / "bm25.run", qrels=example / "qrels.txt", query="101", terms="gender-en", docs=docs,
        background=example / "background.run",
    )  # fmt: skip
    return written(EXPLANATIONS("html", found, places=4), folder)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_drawn_and_runs_nothing(chromium, page, width):
    window = opened(chromium, page, width)
    assert window.title() == "NFaiRR@10, explained"
    text = window.inner_text("main")
    assert text.count("<script>document.title='hacked'</script>") == 10  # the texts of ten ranks
    assert window.locator("img").count() == 0
    assert window.locator("mark").count() >= 20
    window.close()

"""Text is the same with rich and without, but for colors."""

import re
import sys

import pytest

from fairtrec.report import styled_lines
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.terminal import render
from fairtrec_made import notes_of


@pytest.fixture
def document():
    keys = [Column("run", ["a", "女女", "total"], words=True)]
    values = [Column("nDCG@10 ↑", ["0.5000", "0.2500", "0.7500"], best={0})]
    table = ReportTable("Two runs", keys, values, total=True, good={1})
    return Document([table], notes_of("a note"), "signature")


def test_colors_are_all_that_rich_adds(document, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    colored = render(document, terminal=True)
    assert re.search(r"\x1b\[1;32m\s*0\.5000\*\x1b\[0m", colored)
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == render(document)


def test_without_rich_a_terminal_shows_plain_text(document, monkeypatch):
    text = render(document)
    monkeypatch.setitem(sys.modules, "rich", None)
    assert render(document, terminal=True) == text
    assert text.splitlines() == [
        "Two runs",
        "",
        "  run     nDCG@10 ↑",
        " ───────────────────",
        "  a         0.5000*",
        "  女女      0.2500",
        "",
        "  total     0.7500",
        "",
        "a note",
        "signature",
    ]


@pytest.mark.parametrize("text", ["", "nDCG@10 ↑", "女优", "e\u0301", "ａ", "naïve…", "한국어", "₂√σ±"])
def test_the_width_is_that_which_rich_counts(text):
    cells = pytest.importorskip("rich.cells")
    assert styled_lines.measure_width(text) == cells.cell_len(text)

"""Tables of how often intervals cover, as they stand on pages: made by `make slow`, written by FAIRTREC_UPDATE=1."""

import math
import os
import re
import textwrap
from typing import NamedTuple

from fairtrec_made import REPOSITORY

DRAWS = 1000
SLACK = 1.5  # points below the level that are not worth a word
LEVEL = 95


class Cover(NamedTuple):
    """Of draws: how many, how many have an interval, how many of these cover, how many draws are marked with ?."""

    draws: int
    known: int
    covered: int
    marked: int

    @property
    def percent(self):
        """How often intervals cover."""
        return 100 * self.covered / self.known if self.known else math.nan

    @property
    def percent_marked(self):
        """How often a number gets ?."""
        return 100 * self.marked / self.draws

    @property
    def is_too_narrow(self):
        """Whether intervals cover less than they say, by more than chance, and most draws have no mark."""
        error = 100 * math.sqrt(0.95 * 0.05 / max(self.known, 1))
        below = LEVEL - max(SLACK, 3 * error)
        return self.known > 0 and self.percent < below and self.percent_marked < 50

    def __str__(self):
        number = "-" if not self.known else f"{self.percent:.0f}"
        number = f"**{number}**" if self.is_too_narrow else number
        return f"{number}, {self.percent_marked:.0f}" if self.marked else number


def count_cover(found, truth):
    """Count what is found in each draw: low, high, and whether it is marked."""
    draws = known = covered = marked = 0
    for low, high, is_marked in found:
        draws += 1
        marked += is_marked
        known += not math.isnan(low)
        covered += low - 1e-12 <= truth <= high + 1e-12
    return Cover(draws, known, covered, marked)


def write_table(head, rows):
    """Write lines of markdown: a head, and rows of names and covers; and below them which are too narrow."""
    cells = [head, ["---"] * len(head), *([*map(str, row)] for row in rows)]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    draws = {each.draws for row in rows for each in row if isinstance(each, Cover)}
    each_cell = f"Each cell is of {draws.pop():,} draws: the percentage of 95 % intervals that cover"
    said = [f"{each_cell}, and, if there are any, the percentage of draws with `?`."]
    if narrow := list(filter(None, (_name_narrow(head, row) for row in rows))):
        said.append(f"Bold cells cover too little, mostly without `?`: {'; '.join(narrow)}.")
    return [*lines, "", *textwrap.wrap(" ".join(said), 118, break_on_hyphens=False)]


def _name_narrow(head, row):
    """Name the cells of a row that are too narrow."""
    columns = [name for name, each in zip(head, row, strict=True) if isinstance(each, Cover) and each.is_too_narrow]
    names = ", ".join(each for each in row if isinstance(each, str))
    return f"{names} ({', '.join(columns)})" if columns else ""


def check_page(page, name, lines):
    """Compare a block of a page with what `make slow` finds; FAIRTREC_UPDATE=1 writes it anew."""
    path = REPOSITORY / "docs" / page
    text = path.read_text("utf-8")
    block = re.compile(rf"(<!-- cover of {name}, made by `make slow` -->\n\n)(.*?)(\n\n<!-- end -->)", re.DOTALL)
    made = "\n".join(lines)
    if os.environ.get("FAIRTREC_UPDATE"):
        path.write_text(block.sub(lambda found: f"{found[1]}{made}{found[3]}", text), "utf-8")
        text = path.read_text("utf-8")
    assert block.search(text)[2] == made

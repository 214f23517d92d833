"""Tables of comparisons: drawn for a terminal, or marked up as Markdown or LaTeX."""

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fairtrec.report.comparison_sheets import Paper, Sheet
from fairtrec.report.markup import escaped_latex, escaped_md

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod

GAP = 2  # between two columns
LATEX_SIGNS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "→0": r"$\rightarrow 0$", "|": r"$|$", "<": "$<$"}


def table(paper: Paper, *, terminal: bool) -> str:
    """Draw the tables; in a narrow window long names are folded, and columns dealt to several tables."""
    from rich.console import Console

    stream = io.StringIO()
    window = Console().width if terminal else None
    pages = [page for sheet in paper.sheets for page in _pages(sheet, window)]
    widest = max(sum(_widths(page, window)) for page in pages) + 2
    console = Console(file=stream, force_terminal=terminal, width=max(widest, window or 0), highlight=False)
    for page in pages:
        _draw(console, page, window)
    for line in (*paper.lines, paper.signature):
        console.print(line, style="dim", markup=False, soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _widths(sheet: Sheet, window: int | None) -> list[int]:
    """Measure the columns with the gap behind each; the first may be folded to a third of the window."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) + GAP for column in zip(sheet.head, *sheet.rows, strict=True)]
    return widths if window is None else [min(widths[0], max(24, window // 3)), *widths[1:]]


def _pages(sheet: Sheet, window: int | None) -> Iterator[Sheet]:
    """Deal the columns of values to as many tables as the window calls for, the keys in front of each."""
    keys, widths = list(range(sheet.keys)), _widths(sheet, window)
    page = list(keys)
    for column in range(sheet.keys, len(sheet.head)):
        if window is not None and len(page) > len(keys) and sum(widths[each] for each in [*page, column]) + 2 > window:
            yield _columns(sheet, page)
            page = list(keys)
        page.append(column)
    yield _columns(sheet, page)


def _columns(sheet: Sheet, columns: list[int]) -> Sheet:
    head = [sheet.head[column] for column in columns]
    return replace(sheet, head=head, rows=[[row[column] for column in columns] for row in sheet.rows])


def _draw(console: "Console", sheet: Sheet, window: int | None) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console.print(Text(sheet.title), style="bold", soft_wrap=True)
    drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column, (head, width) in enumerate(zip(sheet.head, _widths(sheet, window), strict=True)):
        side: JustifyMethod = "left" if sheet.left(column) else "right"
        drawn.add_column(Text(head), justify=side, width=width - GAP, no_wrap=column > 0, overflow="fold")
    for number, row in enumerate(sheet.rows):
        style = "green" if number in sheet.good else "red" if number in sheet.bad else ""
        drawn.add_row(*map(Text, row), style=style)
    console.print(drawn)


def md(paper: Paper) -> str:
    """Write Markdown tables, each below its title."""
    lines: list[str] = []
    for sheet in paper.sheets:
        rule = [":--" if sheet.left(column) else "--:" for column in range(len(sheet.head))]
        head, *rows = ([escaped_md(cell) for cell in row] for row in (sheet.head, *sheet.rows))
        lines += [f"**{escaped_md(sheet.title)}**", ""]
        lines += [*(f"| {' | '.join(row)} |" for row in (head, rule, *rows)), ""]
    lines += [*(f"- {escaped_md(line)}" for line in paper.lines), "", f"`{paper.signature}`"]
    return "".join(f"{line}\n" for line in lines)


def latex(paper: Paper) -> str:
    """Write LaTeX tabulars (with booktabs); what a reader should know stands in comments above."""
    lines = [f"% {line}" for line in (*paper.lines, paper.signature)]
    for sheet in paper.sheets:
        aligned = "".join("l" if sheet.left(column) else "r" for column in range(len(sheet.head)))
        rows = [" & ".join(map(_latex, row)) + r" \\" for row in sheet.rows]
        lines += [
            "", rf"\begin{{tabular}}{{{aligned}}}",
            rf"\multicolumn{{{len(sheet.head)}}}{{l}}{{{_latex(sheet.title)}}} \\",
            r"\toprule", " & ".join(map(_latex, sheet.head)) + r" \\", r"\midrule", *rows,
            r"\bottomrule", r"\end{tabular}",
        ]  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _latex(text: str) -> str:
    escaped = escaped_latex(text)
    for sign, written in LATEX_SIGNS.items():
        escaped = escaped.replace(sign, written)
    return re.sub(r"(?<![\w.)}])-(?=[\d.])", r"$-$", escaped)

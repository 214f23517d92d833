"""Tables for documents: Markdown and LaTeX, the best value of each measure in bold."""

from collections.abc import Callable, Iterator

from fairtrec.api import Result
from fairtrec.report import best, cells, names
from fairtrec.report.table import ARROWS

LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: f"\\{c}" for c in "&%$#_{}"
}
LATEX_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", "nearer 0": r" $\rightarrow 0$", "neither": ""}


def md(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write a Markdown table, the signature below it."""
    measures = result.scores[0].measures
    heading = ["run", *["query"] * per_query, *(f"{m} {ARROWS[m.better]}".strip() for m in measures)]
    rule = [":--", *[":--"] * per_query, *["--:"] * len(measures)]
    rows = _rows(result, lambda cell: f"**{cell}**", per_query=per_query, summary=summary, places=places)
    lines = [[cell.replace("|", r"\|") for cell in row] for row in (heading, rule, *rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n`{result.signature}`\n"


def latex(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write a LaTeX tabular (with booktabs), the signature as a comment."""
    measures = result.scores[0].measures
    heading = ["run", *["query"] * per_query, *(f"{_escaped(str(m))}{LATEX_ARROWS[m.better]}" for m in measures)]
    rows = _rows(result, lambda cell: rf"\textbf{{{cell}}}", per_query=per_query, summary=summary, places=places)
    names_of = 1 + per_query
    body = [" & ".join([*map(_escaped, row[:names_of]), *row[names_of:]]) + r" \\" for row in rows]
    lines = [
        f"% {result.signature}",
        rf"\begin{{tabular}}{{{'l' * names_of}{'r' * len(measures)}}}",
        r"\toprule", " & ".join(heading) + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _rows(
    result: Result, bold: Callable[[str], str], *, per_query: bool, summary: bool, places: int
) -> Iterator[list[str]]:
    marks = best(result, places)
    for row, (name, scores) in enumerate(zip(names(result), result.scores, strict=True)):
        if per_query:
            for qid, values in zip(scores.qids, scores.values.T, strict=True):
                yield [name, qid, *cells(scores, values, places)]
        if summary:
            written = zip(cells(scores, scores.means, places), marks[row].tolist(), strict=True)
            yield [name, *["all"] * per_query, *(bold(cell) if mark else cell for cell, mark in written)]


def _escaped(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)

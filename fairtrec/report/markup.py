"""Tables for documents: Markdown and LaTeX, the best value of each measure in bold."""

import re
from collections.abc import Callable, Iterator

from fairtrec.api import Result
from fairtrec.report import best, cells, closing, names
from fairtrec.report.table import heading, legend

LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: f"\\{c}" for c in "&%$#_{}"
}
LATEX_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", "nearer 0": r" $\rightarrow 0$", "neither": ""}


def md(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write a Markdown table; what its signs mean, the remarks and the signature below it."""
    measures = result.scores[0].measures
    head = ["run", *["query"] * per_query, *(_markdown(heading(measure)) for measure in measures)]
    rule = [":--", *[":--"] * per_query, *["--:"] * len(measures)]
    rows = _rows(result, _markdown, lambda cell: f"**{cell}**", per_query=per_query, summary=summary, places=places)
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    *remarks, signature = closing(result)
    below = [*filter(None, [legend(result, "bold the best")]), *remarks]
    lines += ["", *(f"- {_markdown(line)}" for line in below), *[""] * bool(below), f"`{signature}`"]
    return "".join(f"{line}\n" for line in lines)


def latex(result: Result, *, per_query: bool, summary: bool, places: int) -> str:
    """Write a LaTeX tabular (with booktabs); the remarks and the signature as comments."""
    measures = result.scores[0].measures
    head = ["run", *["query"] * per_query, *(f"{_latex(str(m))}{LATEX_ARROWS[m.better]}" for m in measures)]
    rows = _rows(
        result, _latex, lambda cell: rf"\textbf{{{cell}}}", per_query=per_query, summary=summary, places=places
    )
    body = [re.sub(r"(& (?:\\textbf\{)?)-(?=[\di])", r"\1$-$", " & ".join(row)) + r" \\" for row in rows]
    lines = [
        *(f"% {line}" for line in closing(result)),
        rf"\begin{{tabular}}{{{'l' * (1 + per_query)}{'r' * len(measures)}}}",
        r"\toprule", " & ".join(head) + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _rows(
    result: Result,
    escaped: Callable[[str], str],
    bold: Callable[[str], str],
    *,
    per_query: bool,
    summary: bool,
    places: int,
) -> Iterator[list[str]]:
    marks = best(result, places)
    for row, (name, scores) in enumerate(zip(names(result), result.scores, strict=True)):
        if per_query:
            for qid, values in zip(scores.qids, scores.values.T, strict=True):
                yield [escaped(name), escaped(qid), *cells(scores, values, places)]
        if summary:
            written = zip(cells(scores, scores.means, places), marks[row].tolist(), strict=True)
            yield [escaped(name), *["all"] * per_query, *(bold(cell) if mark else cell for cell, mark in written)]


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_|<\[])", r"\\\1", text)


def _latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)

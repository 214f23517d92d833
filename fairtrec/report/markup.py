"""Tables for documents: Markdown and LaTeX, the best of each measure in bold and, if sorted, the worst in italics."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fairtrec.api import Result
from fairtrec.errors import plain
from fairtrec.evaluation import Scores
from fairtrec.measure import Measure
from fairtrec.report import cells, closing, intervals, names, standing
from fairtrec.report.signs import DOMINATED, dominations, heading, legend, ranks

LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: f"\\{c}" for c in "&%$#_{}"
}
LATEX_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", "nearer 0": r" $\rightarrow 0$", "neither": ""}
MARKS = ("bold the best", "italics the worst")


@dataclass(frozen=True)
class _Language:
    """How names, the best, the worst and dominated runs are written."""

    escaped: Callable[[str], str]
    best: str
    worst: str
    dominated: str


def md(result: Result, *, per_query: bool, summary: bool, places: int, sort: Measure | None) -> str:
    """Write a Markdown table; what its signs mean, the remarks and the signature below it."""
    language = _Language(escaped_md, "**{}**", "*{}*", DOMINATED)
    measures = [escaped_md(heading(measure)) for measure in result.scores[0].measures]
    keys, rows = _rows(result, language, per_query=per_query, summary=summary, places=places, sort=sort)
    rule = [{"rank": "--:"}.get(key, ":--") for key in keys] + ["--:"] * len(measures)
    lines = [f"| {' | '.join(row)} |" for row in ([*keys, *measures], rule, *rows)]
    *remarks, signature = closing(result)
    below = [*legend(result, standing(result, places), sort, *MARKS), *remarks]
    lines += ["", *(f"- {escaped_md(line)}" for line in below), *[""] * bool(below), f"`{plain(signature)}`"]
    return "".join(f"{line}\n" for line in lines)


def latex(result: Result, *, per_query: bool, summary: bool, places: int, sort: Measure | None) -> str:
    """Write a LaTeX tabular (with booktabs); the remarks and the signature as comments, and the signs if sorted."""
    language = _Language(escaped_latex, r"\textbf{{{}}}", r"\textit{{{}}}", r"$\times$")
    measures = [f"{escaped_latex(str(measure))}{LATEX_ARROWS[measure.better]}" for measure in result.scores[0].measures]
    keys, rows = _rows(result, language, per_query=per_query, summary=summary, places=places, sort=sort)
    aligned = "".join("r" if key == "rank" else "l" for key in keys) + "r" * len(measures)
    body = [re.sub(r"(& (?:\\text(?:bf|it)\{)?)-(?=[\di])", r"\1$-$", " & ".join(row)) + r" \\" for row in rows]
    signs = legend(result, standing(result, places), sort, *MARKS) if sort is not None else []
    lines = [
        *(f"% {plain(line)}" for line in [*signs, *closing(result)]),
        rf"\begin{{tabular}}{{{aligned}}}",
        r"\toprule", " & ".join([*keys, *measures]) + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _rows(
    result: Result, language: _Language, *, per_query: bool, summary: bool, places: int, sort: Measure | None
) -> tuple[list[str], Iterator[list[str]]]:
    """Give the headings of the columns before the values, and the rows."""
    compared = standing(result, places)
    ranked = sort if summary and len(result.scores) > 1 else None
    rank = [] if ranked is None else ranks(result, compared, ranked)
    signs = [] if ranked is None else dominations(compared, language.dominated)
    named = list(map(language.escaped, names(result)))

    def keys(row: int, qid: str, *, of_run: bool) -> list[str]:
        at, sign = (each[row : row + 1] if of_run else [""] * bool(each) for each in (rank, signs))
        return [*at, named[row], *sign, *[qid] * per_query]

    def beside(written: list[str], scores: Scores, query: int | None) -> list[str]:
        more = intervals(scores, query, places)
        return [one + language.escaped(each) for one, each in zip(written, more, strict=True)]

    def rows() -> Iterator[list[str]]:
        for row, scores in enumerate(result.scores):
            if per_query:
                for query, (qid, values) in enumerate(zip(scores.qids, scores.values.T, strict=True)):
                    written = beside(cells(scores, values, places), scores, query)
                    yield [*keys(row, language.escaped(qid), of_run=False), *written]
            if summary:
                forms = [
                    language.best if best else language.worst if worst and rank else "{}"
                    for best, worst in zip(compared.best[row], compared.worst[row], strict=True)
                ]
                means = cells(scores, scores.means, places)
                written = [form.format(cell) for form, cell in zip(forms, means, strict=True)]
                yield [*keys(row, "all", of_run=True), *beside(written, scores, None)]

    return [*["rank"] * bool(rank), "run", *[""] * bool(signs), *["query"] * per_query], rows()


def escaped_md(text: str) -> str:
    """Write what Markdown would take for signs as text."""
    return re.sub(r"([\\`*_|<\[])", r"\\\1", plain(text))


def escaped_latex(text: str) -> str:
    """Write what LaTeX would take for commands as text."""
    return "".join(LATEX.get(letter, letter) for letter in plain(text))

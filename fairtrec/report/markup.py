"""Tables for documents: Markdown and LaTeX, the best of each measure in bold and, if sorted, the worst in italics."""

import re
from collections.abc import Callable, Sequence
from string import ascii_lowercase

from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.support.errors import plain

LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: f"\\{c}" for c in "&%$#_{}"
}
SIGNS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$", "→0": r"$\rightarrow 0$", "×": r"$\times$",
         "|": "$|$", "<": "$<$", ">": "$>$",
         "†?": r"$^{\dagger?}$", "‡?": r"$^{\ddagger?}$", "⁺?": "$^{+?}$", "⁻?": "$^{-?}$",
         "§?": r"$^{\S?}$", "§": r"$^{\S}$",
         "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$", "⁺": "$^{+}$", "⁻": "$^{-}$"}  # fmt: skip

_TYPED = re.compile(r"(?:^|[\s(])(?:--?[a-z]|`?fairtrec [a-z])")  # an option, or a command

RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ"
LOWERED = str.maketrans(RAISED, ascii_lowercase)


def md(document: Document) -> str:
    """Write Markdown tables, each below its title; what their signs mean, the notes and the signature below them."""
    lines = [f"**{escape_markdown(str(document.verdict))}**", ""] if document.verdict is not None else []
    lines += [*(f"- {escape_markdown(line)}" for line in document.lines_above), *[""] * bool(document.above)]
    for table in document.tables:
        rule = [":--" if column.words else "--:" for column in table.columns]
        head, *rows = _rows(table, escape_markdown, "**{}**", "*{}*")
        lines += [f"**{escape_markdown(table.title)}**", ""] if table.title else []
        lines += [*(f"| {' | '.join(row)} |" for row in (head, rule, *rows)), ""]
    lines += [f"{escape_markdown(document.caption)}.", ""] if document.caption else []
    below = list_table_notes(document) if document.caption else document.lines
    lines += [*(f"- {escape_markdown(line)}" for line in below), *[""] * bool(below)]
    return "".join(f"{line}\n" for line in [*lines, code_md(document.signature)])


def latex(document: Document) -> str:
    """Write a LaTeX table of tabulars (with booktabs), whose caption says what a reader should know.

    With a caption of its own, the other notes are below the tabulars.
    """
    return titled(document)


def titled(document: Document, *, title: str | None = None, latex_label: str | None = None) -> str:
    """Write it with a title, which begins the caption, and a label."""
    verdict = "" if document.verdict is None else str(document.verdict)
    lines = [line for line in (title, verdict, *document.lines_above, *document.lines) if line]
    said = "".join(f"{_latex(begin_sentence(line))}. " for line in lines)
    named = rf"\label{{{latex_label}}}" if latex_label else ""
    signature = rf"\texttt{{\footnotesize {escaped_latex(document.signature)}}}"
    below: list[str] = []
    if document.caption:
        notes = map(_latex, list_table_notes(document))
        below = ["", r"\begin{minipage}{\linewidth}\footnotesize", *notes, signature, r"\end{minipage}"]
        said, signature = f"{_latex(document.caption)}.", ""
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{said}{signature}}}{named}"]
    for table in document.tables:
        columns = "".join("l" if column.words else "r" for column in table.columns)
        head, *rows = _rows(table, _latex, r"\textbf{{{}}}", r"\textit{{{}}}")
        above = [rf"\multicolumn{{{len(columns)}}}{{l}}{{{_latex(table.title)}}} \\"] if table.title else []
        lines += [
            *[""] * bool(above), rf"\begin{{tabular}}{{{columns}}}", *above, r"\toprule", " & ".join(head) + r" \\",
            r"\midrule", *(" & ".join(row) + r" \\" for row in rows), r"\bottomrule", r"\end{tabular}",
        ]  # fmt: skip
    return "".join(f"{line}\n" for line in [*lines, *below, r"\end{table}"])


def list_table_notes(document: Document) -> list[str]:
    """Write the notes of a table for a paper: sentences, without options and commands, which readers do not type."""
    bare = (re.sub(r" \([^()]*\)", _leave_out, line) for line in document.lines)
    kept = ("; ".join(part for part in line.split("; ") if not _TYPED.search(part)) for line in bare)
    return [f"{begin_sentence(line)}." for line in kept if line]


def _leave_out(found: re.Match[str]) -> str:
    """Leave out what is typed."""
    return "" if _TYPED.search(found[0]) else found[0]


def begin_sentence(line: str) -> str:
    """Begin a sentence with a capital, unless it begins with a name.

    >>> begin_sentence("higher is better"), begin_sentence("nDCG@10: defined for 3 of 4")
    ('Higher is better', 'nDCG@10: defined for 3 of 4')
    >>> begin_sentence("p at most 0.05"), begin_sentence("p90: size")
    ('p at most 0.05', 'p90: size')
    """
    return line[0].upper() + line[1:] if re.match(r"[a-z]{2,}[ ,:]", line) else line


def _rows(table: ReportTable, escaped: Callable[[str], str], best: str, worst: str) -> Sequence[Sequence[str]]:
    def marked(column: Column, row: int, cell: str) -> str:
        form = best if row in column.best else worst if row in column.worst else "{}"
        return form.format(escaped(cell)) + (escaped(column.beside[row]) if column.beside else "")

    columns = (
        [escaped(column.head), *(marked(column, row, cell) for row, cell in enumerate(column.cells))]
        for column in table.columns
    )
    return list(zip(*columns, strict=True))


def escape_markdown(text: str, more: str = "") -> str:
    """Write what Markdown would take for signs as text, and ``more`` signs where these can do harm.

    >>> escape_markdown("a_b"), escape_markdown("> b", ">")
    ('a\\\\_b', '\\\\> b')
    """
    return re.sub(rf"([\\`*_|<\[{re.escape(more)}])", r"\\\1", plain(text))


def code_md(text: str) -> str:
    """Write a text as code, between more backticks than it has in a row.

    >>> code_md("a"), code_md("a`b"), code_md("``")
    ('`a`', '``a`b``', '``` `` ```')
    """
    text = plain(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    room = " " * (text.startswith("`") or text.endswith("`"))  # which is not shown
    return f"{fence}{room}{text}{room}{fence}"


def escaped_latex(text: str) -> str:
    """Write what LaTeX would take for commands as text."""
    return "".join(LATEX.get(letter, letter) for letter in plain(text))


def _latex(text: str) -> str:
    """Escape a text, and write its signs, and the minus of a number, as mathematics."""
    escaped = escaped_latex(text).replace("--", "-{}-")  # which would be an en dash
    for sign, written in SIGNS.items():
        escaped = escaped.replace(sign, written)
    escaped = re.sub(rf"([{RAISED}][{RAISED}?]*)", lambda raised: f"$^{{{raised[1].translate(LOWERED)}}}$", escaped)
    return re.sub(r"(?<![\w.)}])-(?=[\d.]|inf)", r"$-$", escaped)

"""What a format of results can show of what is asked for, told before any work is done."""

import re
from typing import TYPE_CHECKING

from fairtrec.errors import UsageError
from fairtrec.report.writers import QUERIES, RESULTS

if TYPE_CHECKING:
    from pathlib import Path


def _refuse_of_means(pool: object, form: str, *, summary: bool, aggregate: bool) -> None:
    """Raise UsageError where pooled values, or what is printed for means, have no place."""
    writer = RESULTS.get(form)
    if aggregate and not summary:
        raise UsageError("--aggregate says what stands in the place of means, and -n leaves them out; leave out one")
    if pool is not None and (not summary or (writer is not None and (writer.means or writer.binary))):
        other = f"--format {form} shows none" if summary else "-n leaves these out"
        raise UsageError(f"--pool prints pooled values beside the means, and {other}; leave out one of the two")


def refuse_view(
    form: str,
    output: "Path | None",
    *,
    per_query: bool = False,
    summary: bool = True,
    slices: object = None,
    title: str | None = None,
    latex_label: str | None = None,
    query_texts: object = None,
    pool: object = None,
    aggregate: bool = False,
) -> None:
    """Raise UsageError if a format cannot show what it is asked for, or not there, before any work is done."""
    writer = RESULTS.get(form)
    page = writer is not None and writer.means
    if not summary and page and per_query:
        raise UsageError("-n leaves the values of queries out of the page, and -q asks for them; leave out one of them")
    if per_query and writer is not None and not writer.queries:
        raise UsageError(QUERIES)
    if not summary and not page and not per_query:
        raise UsageError("-n leaves out the means, so nothing is left to print; add -q")
    if slices and not summary and not page:
        raise UsageError("--slice asks for means, and -n leaves them out; leave out one of the two")
    _refuse_of_means(pool, form, summary=summary, aggregate=aggregate and not page)
    if title is not None and not page and form != "latex":
        raise UsageError("--title is the heading of a page, or begins a caption; add -f html, or -f latex")
    if query_texts is not None and not (page and summary):
        raise UsageError("--query-texts stand beside the values of queries in a page; add -f html, without -n")
    if latex_label is not None and form != "latex":
        raise UsageError("--latex-label is what a LaTeX table is referred to by; add -f latex")
    if latex_label is not None and not re.fullmatch(r"[\w:.+/-]+", latex_label, re.ASCII):
        raise UsageError(
            f"--latex-label {latex_label!r} holds other signs than letters, digits and :._+/-; name another"
        )
    if writer is not None and writer.binary and output is None:
        from fairtrec.report.output import refuse_terminal

        refuse_terminal()

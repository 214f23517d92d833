"""Printing what a command found: to the terminal or a file, and beside it on standard error what must be known."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli.commands import TYPED, say
from fairtrec.cli.options import IDLE
from fairtrec.report.writers import Carried, Formats

if TYPE_CHECKING:
    from pathlib import Path


def refuse_output(output: "Path | None", *given: Any) -> None:
    """Raise UsageError if the output cannot be written, or is one of the files that are given."""
    if output is None:
        return
    from fairtrec.report.output import refuse_input, refuse_unwritable

    refuse_unwritable(output)
    refuse_input(output, _named(given))


def _named(given: Iterable[Any]) -> Iterator[str]:
    """Name all that may be a file: of labels those of each attribute, and without fields and bins behind a colon."""
    for value in given:
        if isinstance(value, str):
            yield value
            for part in value.split("*"):
                yield from (part.strip()[:at] for at in range(len(part.strip()) + 1) if f"{part.strip()}:"[at] == ":")
        elif isinstance(value, Mapping):
            yield from _named(value.values())
        elif (sources := getattr(value, "sources", None)) is not None:
            yield from _named(sources.values())


def tell(lines: Sequence[str], signature: str = "", carried: Carried = "nothing") -> None:
    """Say on standard error what stands beside numbers, the most important first, and how many more lines -v shows.

    ``carried``  what of these lines and the signature the report itself holds, so that it is not said again.
    """
    from fairtrec.report.folding import MOST, cut, folded

    meta = click.get_current_context().meta
    is_whole = "verbose" in meta.get(TYPED, {})
    if every := [*(lines if carried in ("nothing", "signature") else []), *meta.pop(IDLE, [])]:
        for line in folded(every, None if is_whole else MOST):
            say(f"# {line}")
    if signature and carried in ("nothing", "remarks"):
        line = f"# {signature}"
        if sys.stderr.isatty() and not is_whole:
            from shutil import get_terminal_size

            line = cut(line, get_terminal_size().columns)
        say(line)


def write(kind: Formats, form: str, of: Any, output: "Path | None", *, told: bool = True, **view: Any) -> None:
    """Print a report, or write it to a file, and say on standard error what it does not carry, if that is to be told.

    A table that is printed has the most important remarks alone, unless -v asks for all.
    """
    from fairtrec.report.output import emit

    terminal = output is None and sys.stdout.isatty()
    if form == "auto":
        form = "table" if terminal or "trec" not in kind.forms else "trec"
    writer = kind.forms[form]
    shown = None if output is not None else most()
    report = kind(form, of, terminal=terminal, window=output is None, most=shown, **view)
    emit(report, output, drawn=terminal and writer.draws)
    if not told or writer.carries == "all":
        tell([])
    else:
        module = import_module(f"fairtrec.report.{kind.said or kind.module}")
        tell(module.footnotes(of), str(of.signature), writer.carries)


def most() -> int | None:
    """Give how many remarks are shown beside a table, None if all; what played no part stands beside it already."""
    from fairtrec.report.folding import MOST

    meta = click.get_current_context().meta
    return None if "verbose" in meta.get(TYPED, {}) else MOST - len(meta.get(IDLE, []))

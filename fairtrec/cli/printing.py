"""What a command shows: how far it has come, what it found, and beside that on standard error what must be known."""

import os
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli.commands import ARGUMENTS, TYPED, write_stderr
from fairtrec.cli.options import refuse_typed
from fairtrec.cli.runs import name_runs
from fairtrec.report.recorded_paths import typed_arguments
from fairtrec.report.writers import Carried, FormatTable
from fairtrec.support.errors import InputError, UsageError, short
from fairtrec.support.files.arguments import lists
from fairtrec.support.progress import RUNS, report_to

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.evaluation.answers.result import Result
    from fairtrec.support.notes import Note

IDLE = "fairtrec.idle"  # of a context: what played no part
OF_PRINTING = {"-o", "-f", "-j", "--output", "--format", "--jobs"}  # options that change no answer, with a value
MOST_NOTES = "fairtrec.notes"  # of a context: how many notes stand below a table, if not as many as usual
# what ``run_command`` looks at: the formats of what is written, the answer, and the options of its view


printed: ContextVar[list[tuple[FormatTable, Any, dict[str, Any]]] | None] = ContextVar("printed", default=None)


@contextmanager
def show_progress(*also: str, plans: int | None = 1) -> Iterator[None]:
    """Show whoever watches how far the work has come; refuse what was typed and plays no part in it, but ``also``.

    That is in so many plans of evaluations (None: in any). What is no choice is told instead, beside what is printed.
    """
    from fairtrec.evaluation.signature import HEEDED, UnusedOptions, waiting_for

    context = click.get_current_context()
    idle, typed = context.meta.setdefault(IDLE, []), context.meta.get(TYPED, {})
    if (context.params.get("bounds"), context.params.get("missing")) == ("texts", "error"):
        refuse_typed("error ends at a missing text, and --bounds texts is about these", "missing")
    waiting = UnusedOptions(
        {name: option for name, option in typed.items() if name in HEEDED and name not in also}, plans
    )
    token = waiting_for.set(waiting)
    try:
        with progress() if sys.stderr.isatty() else nullcontext():
            yield
        if waiting.options:
            waiting.end()
        if waiting.note:
            idle.append(waiting.note)
    finally:
        waiting_for.reset(token)


def evaluate_runs(measures: Any, files: Mapping[str, str], qrels: str | None, **given: Any) -> "Result":
    """Evaluate runs, and report those that are broken; if no other is left, end the command."""
    from fairtrec.evaluation.evaluate import evaluate

    with show_progress():
        result = evaluate(measures, files, qrels=qrels, **given)
    for _, fault in result.failed:
        write_stderr(fault)
    if not result.scores:
        click.get_current_context().exit(InputError.exit_code)
    return result


def _shows_bars() -> bool:
    """Tell whether somebody watches, and rich is here to draw bars."""
    if not sys.stderr.isatty():
        return False
    from fairtrec.report.styled_lines import is_rich_here

    return is_rich_here()


@contextmanager
def progress() -> Iterator[None]:
    """Show how many runs and how much of each file are read, if that takes more than a second and somebody watches."""
    if not _shows_bars():
        yield
        return
    began, tasks, bar = time.monotonic(), dict[str, Any](), None

    def listen(what: str, done: int, total: int) -> None:
        nonlocal bar
        over = 0 < total <= done
        if what not in tasks and over:  # of a batch of small files each is over before it is shown
            return
        if bar is None:
            if time.monotonic() - began < 1:
                return
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.start()
        from rich.markup import escape

        from fairtrec.support.files.opening import name

        if what not in tasks:
            tasks[what] = bar.add_task("", total=total or None)
        text = f"{done} of {total} {what}" if what == RUNS else f"reading {short(name(what), 60)}"
        bar.update(tasks[what], description=escape(text), completed=done, visible=not over or RUNS not in tasks)

    try:
        with report_to(listen):
            yield
    finally:
        if bar is not None:
            bar.stop()


@contextmanager
def show_collection_progress(*, on_this_machine: bool = True) -> Iterator[Any]:
    """Show on standard error how far the work on a collection has come, if somebody watches."""
    if not (on_this_machine and _shows_bars()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    text = TextColumn("{task.fields[documents]:,} documents, {task.fields[pace]}")
    columns = (BarColumn(), TaskProgressColumn(), text, TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, documents=0, pace="")

        def watch(now: Any) -> None:
            seconds = bar.tasks[0].elapsed or 1e-9
            pace = f"{now.documents / seconds:,.0f}/s, {now.bytes / 1e6 / seconds:,.0f} MB/s"
            total = now.total or None
            bar.update(task, completed=now.done, total=total, documents=now.documents, pace=pace)

        yield watch


def speed(size: int, seconds: float) -> str:
    """Say how fast so many bytes were read; nothing below a second, or where it was mostly the start."""
    megabytes = size / 1e6 / seconds if seconds >= 1 else 0
    return f" ({megabytes:,.0f} MB/s)" if megabytes >= 1 else ""


def name_run_files(runs: Sequence[str], outputs: Iterable["Path | None"], *given: Any) -> dict[str, str]:
    """Name the files of runs. Raises UsageError as ``refuse_output`` does, beside these and what else is given."""
    files = name_runs(runs)
    for output in outputs:
        if output is not None:
            refuse_output(output, *runs, files, *given)
    return files


def refuse_output(output: "Path | None", *given: Any) -> None:
    """Raise UsageError if the output cannot be written, or is one of the files that are given, or of lists of them."""
    if output is None:
        return
    from fairtrec.report.output import refuse_input, refuse_unwritable

    if os.path.isdir(output):  # noqa: PTH112 - which says no of a name that is too long
        raise UsageError(f"{output} is a folder; choose a file with -o")
    refuse_unwritable(output)
    refuse_input(output, [*_named(given), *lists(each for each in given if isinstance(each, str))])


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


def tell(notes: Sequence["Note"], signature: str = "", carried: Carried = "nothing") -> None:
    """Print notes to standard error, the most important first, and count those that -v prints in addition.

    ``carried``  what of the notes and the signature the report itself holds, so that it is not printed twice.
    """
    from fairtrec.report.note_selection import HANG, MOST, select_notes, wrap_hanging

    width = None
    if sys.stderr.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    meta = click.get_current_context().meta
    is_whole = "verbose" in meta.get(TYPED, {})
    if every := [*(notes if carried in ("nothing", "signature") else []), *meta.pop(IDLE, [])]:
        for line in select_notes(every, None if is_whole else MOST):
            for part in wrap_hanging(f"# {line}", width, HANG):
                write_stderr(part)
    if signature and carried in ("nothing", "notes"):
        from fairtrec.report.short_signature import shorten_signature

        write_stderr(f"# {signature if width is None or is_whole else shorten_signature(signature)}")


def settle_form(kind: FormatTable, form: str, output: "Path | None", *, err: bool = False) -> str:
    """Give the format that auto stands for: a table in a terminal or where there is no trec, else trec."""
    if form != "auto":
        return form
    return "table" if "trec" not in kind.forms or _is_terminal(output, err=err) else "trec"


def _is_terminal(output: "Path | None", *, err: bool) -> bool:
    """Tell whether a report goes to a terminal."""
    return output is None and not err and sys.stdout.isatty()


def write(
    kind: FormatTable, form: str, of: Any, output: "Path | None", *, told: bool = True, err: bool = False, **view: Any
) -> None:
    """Print a report, perhaps to standard error, or write it to a file; say there what it does not carry, if ``told``.

    A table that is printed has only the most important notes, unless -v asks for all.
    """
    from fairtrec.report.note_selection import MOST
    from fairtrec.report.output import emit

    if (answers := printed.get()) is not None:
        answers.append((kind, of, view))
    terminal, form = _is_terminal(output, err=err), settle_form(kind, form, output, err=err)
    writer, meta = kind.forms[form], click.get_current_context().meta
    is_whole = output is not None or "verbose" in meta.get(TYPED, {})
    most = None if is_whole else meta.get(MOST_NOTES, MOST) - len(meta.get(IDLE, []))  # what played no part is a note
    arguments = typed_arguments.set(_list_typed() if form == "json" else ())
    try:
        report = kind(form, of, terminal=terminal, window=output is None, most=most, **view)
    finally:
        typed_arguments.reset(arguments)
    if err:
        click.echo(report, err=True, nl=False)
    else:
        emit(report, output, drawn=terminal and writer.draws, commands=form == "github")
    if not told or writer.carries == "all":
        tell([])
    else:
        tell(*kind.list_notes(form, of, **view), writer.carries)


def _list_typed() -> list[str]:
    """List the arguments of this command that print the same as JSON, without options that write elsewhere."""
    context = click.get_current_context()
    places = {word for each in context.command.params if isinstance(each.type, click.Path) for word in each.opts}
    return list_arguments(context.meta.get(ARGUMENTS, []), places | OF_PRINTING)


def list_arguments(words: Sequence[str], left_out: Collection[str] = OF_PRINTING) -> list[str]:
    """List the arguments that print the same as JSON, without these options, which have a value, and without -v.

    >>> list_arguments(["compare", "none", "a.run", "--output=x.json", "-fjson", "-m", "AWRF", "-j", "2", "-v"])
    ['compare', 'none', 'a.run', '-m', 'AWRF', '-f', 'json']
    >>> list_arguments(["eval", "-v", "-o", "-v", "none", "--", "-v"])  # files that are called as an option
    ['eval', 'none', '-f', 'json', '--', '-v']
    """
    typed, names = drop_options(words, left_out)
    return [*(word for word in typed if word != "-v"), "-f", "json", *names]


def drop_options(words: Sequence[str], left_out: Collection[str]) -> tuple[list[str], list[str]]:
    """Drop these options, which have a value, and give the other words, and what follows ``--``, which is no option.

    >>> drop_options(["check", "a.run", "--config", "x.toml", "--", "--config"], ["--config"])
    (['check', 'a.run'], ['--', '--config'])
    """
    end = words.index("--") if "--" in words else len(words)
    found: list[str] = []
    rest = iter(words[:end])
    for word in rest:
        if word in left_out:
            next(rest, "")
        elif word[:2] not in left_out and word.partition("=")[0] not in left_out:
            found.append(word)
    return found, [*words[end:]]

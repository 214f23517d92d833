"""A progress bar on standard error, for whoever watches."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress() -> Iterator[None]:
    """Show how many runs and how much of each file are read, if that takes more than a second and somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    import time

    from fairtrec.progress import RUNS, reported_to

    began = time.monotonic()
    shown: dict[str, Any] = {}

    def listen(what: str, done: int, total: int) -> None:
        tasks = shown.setdefault("tasks", {})
        over = 0 < total <= done
        if what not in tasks and over:  # of a batch of small files each is over before it is shown
            return
        if "bar" not in shown:
            if time.monotonic() - began < 1:
                return
            from rich.console import Console
            from rich.progress import Progress

            shown["bar"] = Progress(console=Console(stderr=True), transient=True)
            shown["bar"].start()
        from rich.markup import escape

        from fairtrec.errors import short
        from fairtrec.files.opening import name

        bar = shown["bar"]
        if what not in tasks:
            tasks[what] = bar.add_task("", total=total or None)
        text = f"{done} of {total} {what}" if what == RUNS else f"reading {short(name(what), 60)}"
        bar.update(tasks[what], description=escape(text), completed=done, visible=not over or RUNS not in tasks)

    try:
        with reported_to(listen):
            yield
    finally:
        if "bar" in shown:
            shown["bar"].stop()


@contextmanager
def collecting(*, on_this_machine: bool = True) -> Iterator[Any]:
    """Show on standard error how far the work on a collection has come, if somebody watches."""
    if not (on_this_machine and sys.stderr.isatty()):
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

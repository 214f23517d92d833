"""A progress bar on standard error, for whoever watches."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def progress() -> Iterator[None]:
    """Show a bar on standard error while files are read, if that takes more than a second and somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    import time

    from fairtrec.progress import reported_to

    began = time.monotonic()
    shown: dict[str, Any] = {}

    def listen(what: str, done: int, total: int) -> None:
        if not shown:
            if time.monotonic() - began < 1 or not total:
                return
            from rich.console import Console
            from rich.progress import Progress

            shown["bar"] = Progress(console=Console(stderr=True), transient=True)
            shown["bar"].start()
        from rich.markup import escape

        bar, tasks = shown["bar"], shown.setdefault("tasks", {})
        if what not in tasks:
            tasks[what] = bar.add_task(escape(f"reading {Path(what).name}"), total=total or None)
        bar.update(tasks[what], completed=done)

    try:
        with reported_to(listen):
            yield
    finally:
        if shown:
            shown["bar"].stop()

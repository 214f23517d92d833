"""Word of how far the reading of a large file has come, for whoever wants to show it; and of what takes long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]  # what is read, bytes done, bytes in all (0: unknown); or RUNS, in runs
RUNS = "runs scored"
LONG = 3.0  # seconds, from which a computation says how long it takes

listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def report_to(listen: Listener) -> Iterator[None]:
    """Report to ``listen`` within this block."""
    token = listener.set(listen)
    try:
        yield
    finally:
        listener.reset(token)


def report(what: str, done: int, total: int) -> None:
    """Say how far the work has come; nobody may be listening."""
    listen = listener.get()
    if listen is not None:
        listen(what, done, total)


def foretell(what: str, seconds: float) -> None:
    """Say on standard error about how long a computation takes, if that is long."""
    if seconds >= LONG and sys.stderr is not None:
        about = f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
        sys.stderr.write(f"# {what}: about {about}, Ctrl-C ends it\n")
        sys.stderr.flush()

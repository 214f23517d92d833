"""Word of how far the reading of a large file has come, for whoever wants to show it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]  # what is read, bytes done, bytes in all (0: unknown); or RUNS, in runs
RUNS = "runs scored"

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reported_to(listener: Listener) -> Iterator[None]:
    """Report to ``listener`` within this block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(what: str, done: int, total: int) -> None:
    """Say how far the work has come; nobody may be listening."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)

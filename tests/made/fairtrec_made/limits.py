"""Time that a test may take."""

import signal
from contextlib import contextmanager


@contextmanager
def ends_within(seconds):
    """Fail what does not end."""

    def late(*_):
        raise AssertionError(f"this did not end within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

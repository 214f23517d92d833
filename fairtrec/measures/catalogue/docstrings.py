"""Docstrings, which the pages of measures and rerankers and the help of commands are made of."""

import inspect
import sys

from fairtrec.support.errors import UsageError

DROPPED = (
    "Python was started with -OO (PYTHONOPTIMIZE=2), which drops the texts of this page; "
    "unset PYTHONOPTIMIZE, or start Python without -OO"
)


def read_docstring(of: object) -> str:
    """Give a docstring without its indentation; "" for none. Raises UsageError if Python has dropped all of them."""
    refuse_dropped()
    return inspect.getdoc(of) or ""


def refuse_dropped() -> None:
    """Raise UsageError if Python has dropped all docstrings."""
    if sys.flags.optimize > 1:
        raise UsageError(DROPPED)

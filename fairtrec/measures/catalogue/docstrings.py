"""Docstrings, which the pages of measures and rerankers and the help of commands are made of."""

import inspect
import re
import sys

from fairtrec.support.errors import UsageError

PARTS = ("Unit", "Better", "Range", "Empty ranking", "Undefined", "Source")
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


def part(kind: type, name: str) -> str:
    """Take one part, such as Range, out of a measure's docstring."""
    others = "|".join(PARTS)
    text = " ".join(read_docstring(kind).split())
    found = re.search(rf"(?:^| ){name}: (.*?)(?= (?:{others}): |$)", text)
    return found.group(1).rstrip(".") if found else ""


def read_question(kind: type) -> str:
    """Give the question that a measure or reranker answers: the first paragraph of its docstring."""
    return " ".join(read_docstring(kind).partition("\n\n")[0].split())

"""Running a command within another: its words in, and what it prints with ``-f json`` out."""

import io
import json
import shlex
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import click

from fairtrec.cli.commands import load_command
from fairtrec.cli.printing import printed
from fairtrec.report.document import Document
from fairtrec.report.writers import FormatTable
from fairtrec.support.errors import FairtrecError, ResourceError, UsageError, missing_library

AS_JSON = ("-f", "json")
NO_FAIRNESS = (
    "there is no fairness measure with a direction; add one with -m, such as NFaiRR@10"  # why a part is left out
)


class StudyPart(NamedTuple):
    """A part of a study: its name, the command, the words that only this part has.

    ``question`` is what the part answers, and ``method`` says what it does.
    """

    name: str
    command: str
    words: Sequence[str]
    question: str
    method: str


class PartLeftOut(NamedTuple):
    """A part of a study that has no answer, and the reason; ``failed`` if it should have one."""

    part: str
    why: str
    failed: bool = False


@dataclass(frozen=True, eq=False)
class CommandAnswer:
    """What a command answers: the ``record`` that it prints as JSON, and what its tables are made of."""

    arguments: tuple[str, ...]
    record: dict[str, Any]
    tables: tuple[FormatTable, Any, dict[str, Any]] | None

    @property
    def line(self) -> str:
        """The command as it is typed to print the tables, without ``-f json``."""
        words = list(self.arguments)
        at = next(at for at, pair in enumerate(pairwise(words)) if pair == AS_JSON)
        return shlex.join(["fairtrec", *words[:at], *words[at + 2 :]])

    def lay_out(self, places: int) -> Document | None:
        """Give the tables as the command lays them out; None if it has none."""
        if self.tables is None:
            return None
        kind, answer, view = self.tables
        found: Document | None = kind.lay_out(answer, **{**view, "places": places})
        return found


def run_command(arguments: Sequence[str]) -> CommandAnswer:
    """Run a command of fairtrec with ``-f json``, and give its answer; nothing is printed.

    A command that reports errors in files, such as ``validate``, has an answer as well. Raises what the command raises
    if it has no answer; click's own errors become UsageError.
    """
    name, *words = arguments
    command = load_command(name)
    answers: list[tuple[FormatTable, Any, dict[str, Any]]] = []
    out, token = io.StringIO(), printed.set(answers)
    failed: FairtrecError | None = None
    try:
        with redirect_stdout(out), redirect_stderr(io.StringIO()), command.make_context(name, list(words)) as context:
            command.invoke(context)
    except FairtrecError as error:
        failed = error
    except click.ClickException as error:
        failed = UsageError(error.format_message())
    except ImportError as error:
        if not (needed := missing_library(error)):
            raise
        failed = ResourceError(needed)
    finally:
        printed.reset(token)
    text = out.getvalue()
    if failed is not None and not text:
        raise failed
    return CommandAnswer(tuple(arguments), json.loads(text), answers[-1] if answers else None)

"""Files of several answers, such as report.json: each part is a command with its arguments, and what it answered.

A stranger may have written the file. So only commands that answer are run, none with an option that writes, and each
text among the arguments must be an input whose sha256 is in the file, unless the option takes no file.
"""

import contextlib
import io
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from fairtrec.cli.commands import TYPED, load_command
from fairtrec.cli.performing import run_command
from fairtrec.commands.results.difference import Tolerance
from fairtrec.commands.results.replay import find_input
from fairtrec.commands.results.results import RecordedResult, read_input
from fairtrec.counting.counter import TOKENIZERS
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.inputs.sources import WORDS
from fairtrec.support import command_rows
from fairtrec.support.errors import FairtrecError, InputError, UsageError
from fairtrec.support.files.typed_fields import Fields

PERFORMED = ("validate", "eval", "compare", "headroom")  # and those that have a part of a study
WRITING = ("output", "force", "fix", "config", "untrusted", "limits", "no_links", "help", "brief", "codes")
NO_FILE = (  # options whose text is never the name of a file; each other text must be an input of the report
    *("aggregate", "cutoffs", "fairness", "groups", "loss", "measure", "measures", "membership", "prior", "sort"),
    "utility",
)
OF_NO_TEXT = click.Choice, click.types.IntParamType, click.types.FloatParamType
SETTINGS = ("target", "vary")  # options that take numbers or tokenizers, such as f=0.4,m=0.6, or a file
INSTEAD: Mapping[str, tuple[str, ...]] = {  # words that options take instead of a file
    **WORDS,
    "baseline": ("all",),
    "labels": ("qrels",),
    "pool": ("even",),
    "qrels": ("none",),
    "target": ("even", "qrels", "relevance", "ideal", "background", "collection"),
}
MADE_BY = ("fairtrec", "inputs")  # which version, and from which files: not compared
WAY_OUT = "write it again with `fairtrec report`"


class RecordedPart(NamedTuple):
    """A part of a file: its name, the arguments of the command, and the answer."""

    name: str
    arguments: tuple[str, ...]
    answer: Mapping[str, Any]


class PartDifference(NamedTuple):
    """A value of an answer that differs: the part, the path of keys, and both values."""

    part: str
    key: str
    recorded: Any
    now: Any


@dataclass(frozen=True, eq=False)
class PartsDifference:
    """What differs between a file of several answers and the answers of today.

    ``compared`` is the number of values, ``parts`` the names of the parts.
    """

    parts: tuple[str, ...]
    values: tuple[PartDifference, ...]
    compared: int
    tolerance: Tolerance

    @property
    def same(self) -> bool:
        """Whether no value differs."""
        return not self.values


def replay_parts(document: Fields, root: Path | None, tolerance: Tolerance) -> PartsDifference:
    """Run each part of a file again, and compare the answers; relative paths start at ``root``.

    Raises InputError for an input that is not there or has changed, and for a part that cannot be run.
    """
    parts = list(_read_parts(document))
    path = str(document.path)
    inputs = document.object("inputs")
    recorded = RecordedResult(
        path, Signature({}), {Part.read(role): read_input(inputs.object(role)) for role in inputs}, (), ()
    )
    for role in recorded.inputs:
        find_input(recorded, role, root)
    values: list[PartDifference] = []
    compared = 0
    with contextlib.chdir(root) if root is not None else contextlib.nullcontext():
        for part in parts:
            try:
                _refuse_other_files(part, recorded)
                answer = run_command(part.arguments).record
            except UsageError as error:
                raise InputError(f"the part {part.name} cannot be run: {error}", path) from None
            found = list(_compare(part.answer, answer, ""))
            compared += len(found)
            values += [
                PartDifference(part.name, key, one, other)
                for key, one, other in found
                if not _is_same(one, other, tolerance)
            ]
    return PartsDifference(tuple(part.name for part in parts), tuple(values), compared, tolerance)


def _read_parts(document: Fields) -> Iterator[RecordedPart]:
    """Read the parts of a file. Raises InputError for a command that is not run from a file."""
    every = document.object("parts")
    if not every.values:
        document.refuse("must have one part or more", "parts")
    allowed = [row.name for row in command_rows.registry.list_rows() if row.name in PERFORMED or row.study]
    for name in every:
        part = every.object(name)
        arguments = part.value("arguments")
        if not isinstance(arguments, list) or not all(isinstance(each, str) for each in arguments):
            part.refuse("must be a list of texts", "arguments")
        if not arguments or arguments[0] not in allowed:
            part.refuse(f"must begin with one of {', '.join(allowed)}", "arguments")
        yield RecordedPart(name, tuple(arguments), part.object("answer").values)


def _read_arguments(part: RecordedPart, path: str) -> list[tuple[str, str]]:
    """List the texts among the arguments that may name a file, each behind its option.

    Raises InputError for arguments that do more than print an answer as JSON.
    """
    name, *words = part.arguments
    command = load_command(name)
    try:
        with contextlib.redirect_stdout(io.StringIO()), command.make_context(name, list(words)) as context:
            typed, form = {*context.meta.get(TYPED, {})}, context.params.get("form")
            texts, _, _ = command.make_parser(context).parse_args(list(words))  # as they were typed
    except click.exceptions.Exit:
        raise InputError(f"the part {part.name} asks for help, and has no answer; {WAY_OUT}", path) from None
    except (click.ClickException, FairtrecError) as error:
        message = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise InputError(f"the part {part.name} cannot be run: {message}; {WAY_OUT}", path) from None
    if form != "json" or not typed.isdisjoint(WRITING):
        raise InputError(f"the part {part.name} does not only print JSON; {WAY_OUT}", path)
    options = [str(each.name) for each in command.params if not isinstance(each.type, OF_NO_TEXT)]
    return [(option, text) for option in options if option not in NO_FILE for text in _list_texts(texts.get(option))]


def _refuse_other_files(part: RecordedPart, recorded: RecordedResult) -> None:
    """Raise InputError for arguments that name a file which is no input of the report."""
    names = {each.name for each in recorded.inputs if each.of == "run" and each.name is not None}
    names |= {Path(name).stem for name in names}
    known = {file.name for file in recorded.inputs.values()}
    for option, text in _read_arguments(part, recorded.path):
        is_run = option == "baseline" and text in names and not Path(text).exists()  # a stranger named the runs
        is_word = is_run or text in INSTEAD.get(option, ())
        if not is_word and not _is_known(text, known, of_settings=option in SETTINGS):
            what = f"the part {part.name} reads {text}, of which this file has no sha256"
            raise InputError(f"{what}; {WAY_OUT}", recorded.path)


def _list_texts(value: Any) -> Iterator[str]:
    """List the texts of an option, which may be given several times."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _list_texts(each)


def _is_known(text: str, known: AbstractSet[str], *, of_settings: bool) -> bool:
    """Tell whether a text names inputs, also as NAME=FILE, FILE:FIELD or FILE*FILE, or has settings only."""
    if text in known or (of_settings and all(_is_setting(piece) for piece in text.split(","))):
        return True
    _, is_named, behind = text.partition("=")
    if is_named and _is_known(behind, known, of_settings=of_settings):
        return True
    pieces = [piece.strip() for piece in text.split("*")]
    if len(pieces) > 1:
        return all(_is_known(piece, known, of_settings=False) for piece in pieces)
    return text.rpartition(":")[0] in known


def _is_setting(text: str) -> bool:
    """Tell whether a text is a number, a share of a group, or a tokenizer."""
    value = text.rpartition("=")[2]
    try:
        float(value)
    except ValueError:
        return value in TOKENIZERS
    return True


def _compare(one: Any, other: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    """List the values of two answers by their keys; what only one has is None in the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            if key or name not in MADE_BY:
                yield from _compare(one.get(name), other.get(name), f"{key}.{name}" if key else str(name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from _compare(*pair, f"{key}[{number}]")
    elif key == "signature" and isinstance(one, str) and isinstance(other, str):
        yield key, str(Signature.read(one).content), str(Signature.read(other).content)
    else:
        yield key, one, other


def _is_same(one: Any, other: Any, tolerance: Tolerance) -> bool:
    numbers = [isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other)]
    try:
        return tolerance.accepts(float(one), float(other)) if all(numbers) else bool(one == other)
    except OverflowError:  # a whole number of hundreds of digits
        return bool(one == other)

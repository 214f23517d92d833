"""Files of answers: of one, such as that of compare, or several parts, as report.json: each has a command's arguments.

A stranger may have written the file. So only commands that answer are run, none with an option that writes, and they
read no file but those whose sha256 is in the file (fairtrec/support/files/admission.py).
"""

import contextlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from fairtrec.cli.commands import TYPED, load_command
from fairtrec.cli.performing import run_command
from fairtrec.commands.results.difference import Tolerance
from fairtrec.commands.results.entries import compare_entries, is_of_kind
from fairtrec.commands.results.replay import find_inputs
from fairtrec.commands.results.results import RecordedResult, name_other_command, read_input
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import InputFile, Part
from fairtrec.support import command_rows
from fairtrec.support.errors import FairtrecError, InputError, UsageError
from fairtrec.support.files.admission import FileIdentity, UnrecordedFileError, admit_only
from fairtrec.support.files.typed_fields import Fields

PERFORMED = ("validate", "eval", "compare", "check", "headroom")  # and those that have a part of a study
UNUSED = ("force", "untrusted", "limits", "no_links", "help", "brief", "codes")  # by a study
MADE_BY = ("fairtrec", "inputs", "arguments")  # which version, from which files, and how: not compared
OPTIONS_NOTE = "options from a file"  # the kind of the note of `check`
WAY_OUT = "write it again with this version of fairtrec"
UNLIKE = "the arguments do not match the inputs"


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

    ``compared`` is the number of values, and ``near`` of those that are the same only within the tolerance; ``parts``
    are the names of the parts.
    """

    parts: tuple[str, ...]
    values: tuple[PartDifference, ...]
    compared: int
    near: int
    tolerance: Tolerance

    @property
    def same(self) -> bool:
        """Whether no value differs."""
        return not self.values


def replay_parts(
    document: Fields, inputs: Mapping[Part, InputFile], root: Path | None, tolerance: Tolerance
) -> PartsDifference:
    """Run each part of a file again, and compare the answers; relative paths start at ``root``.

    Raises InputError for an input that is not there or has changed, and for a part that cannot be run.
    """
    parts = list(_read_parts(document))
    path = str(document.path)
    recorded = RecordedResult(path, Signature({}), inputs, (), ())
    try:
        files = find_inputs(recorded, root).files
    except InputError as error:
        if error.path is None or not _is_unmatched(os.fspath(error.path), parts):
            raise
        raise InputError(f"{UNLIKE}, as none has this path; {error.message}", error.path) from None
    values: list[PartDifference] = []
    compared = near = 0
    with contextlib.chdir(root) if root is not None else contextlib.nullcontext():
        for part in parts:
            answer = _run_part(part, recorded, files)
            found = compare_entries(_drop_origin(part.answer), _drop_origin(answer), tolerance)
            compared += found.compared
            near += found.near
            values += [PartDifference(part.name, *each) for each in found.entries]
    return PartsDifference(tuple(part.name for part in parts), tuple(values), compared, near, tolerance)


def _run_part(part: RecordedPart, recorded: RecordedResult, files: Mapping[FileIdentity, str]) -> Mapping[str, Any]:
    """Run a part again, which reads only these files.

    Raises InputError for a part that cannot be run, and for one whose arguments lead to another file.
    """
    path, names = recorded.path, tuple(file.name for file in recorded.inputs.values())
    try:
        with admit_only(files):
            _refuse_other_forms(part, path)
            name, *words = part.arguments
            return run_command([name, *_pass_over_config(part), *words]).record
    except UsageError as error:
        raise InputError(f"the part {part.name} cannot be run: {error}", path) from None
    except UnrecordedFileError as error:
        what = f"the part {part.name} reads {error.name}, of which this file has no sha256"
        cause = "" if error.name in names else f"{UNLIKE}: "
        raise InputError(f"{cause}{what}; {WAY_OUT}", path) from None
    except InputError as error:
        if error.path is None or Path(error.path).exists() or os.fspath(error.path).startswith(names):
            raise  # the path of a member of an input begins with that of the input
        what = f"the part {part.name} reads {error.path!s}, which is not there and no input of this file"
        raise InputError(f"{UNLIKE}: {what}; {WAY_OUT}", path) from None


def _is_unmatched(path: str, parts: Sequence[RecordedPart]) -> bool:
    """Tell whether no argument has an absolute path or a folder of it; what arguments find has none."""
    words = [word for part in parts for word in part.arguments if "/" in word]
    return Path(path).is_absolute() and not any(path in word or path.startswith(word) for word in words)


def list_replayed() -> list[str]:
    """List the commands whose answers are computed again from a file."""
    return [row.name for row in command_rows.registry.list_rows() if row.name in PERFORMED or row.study]


def can_replay(document: Fields) -> bool:
    """Tell whether a file holds the answer of a command that is run from a file, or several answers."""
    return "parts" in document or name_other_command(document) in list_replayed()


def refuse_unreplayed(document: Fields) -> None:
    """Raise InputError for the answer of a command that is not run from a file, and for a file without a command."""
    these = f"only the JSON of {', '.join(list_replayed())} and the report.json of report can be replayed"
    command = name_other_command(document)
    if command and not can_replay(document):
        raise InputError(f"this is the JSON of {command}, and {these}; run {command} again", document.path)
    if not command and "format" not in document and "arguments" not in document:
        what = f"this file has neither values of eval nor a command, and {these}"
        raise InputError(f"{what}; write one with -f json", document.path)


def read_inputs(document: Fields) -> dict[Part, InputFile]:
    """Read the files behind an answer, or several."""
    inputs = document.object("inputs")
    return {Part.read(role): read_input(inputs.object(role)) for role in inputs}


def _read_parts(document: Fields) -> Iterator[RecordedPart]:
    """Read the parts of a file, or its one answer. Raises InputError for a command that is not run from a file."""
    several = {name_other_command(document): document}
    if "parts" in document:
        every = document.object("parts")
        several = {name: every.object(name) for name in every}
    if not several:
        document.refuse("must have one part or more", "parts")
    allowed = list_replayed()
    for name, part in several.items():
        arguments = part.value("arguments")
        if not isinstance(arguments, list) or not all(isinstance(each, str) for each in arguments):
            part.refuse("must be a list of texts", "arguments")
        if not arguments or arguments[0] not in allowed:
            part.refuse(f"must begin with one of {', '.join(allowed)}", "arguments")
        yield RecordedPart(
            name, tuple(arguments), part.object("answer").values if part is not document else part.values
        )


def _refuse_other_forms(part: RecordedPart, path: str) -> None:
    """Raise InputError for arguments that do more than print an answer as JSON."""
    name, *words = part.arguments
    command = load_command(name)
    try:
        every = [*_pass_over_config(part), *words]
        with contextlib.redirect_stdout(io.StringIO()), command.make_context(name, every) as context:
            typed, form = {*context.meta.get(TYPED, {})}, context.params.get("form")
    except click.exceptions.Exit:
        raise InputError(f"the part {part.name} asks for help, and has no answer; {WAY_OUT}", path) from None
    except (click.ClickException, FairtrecError) as error:
        message = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise InputError(f"the part {part.name} cannot be run: {message}; {WAY_OUT}", path) from None
    places = {str(each.name) for each in command.params if isinstance(each.type, click.Path)}  # where it writes
    names_config = any(word.partition("=")[0] == "--config" for word in words)
    if form != "json" or names_config or not typed.isdisjoint({*UNUSED, *places}):
        raise InputError(f"the part {part.name} does not only print JSON; {WAY_OUT}", path)


def _pass_over_config(part: RecordedPart) -> list[str]:
    """Give the arguments by which a command takes options from no file; the recorded arguments have all."""
    has_config = any(each.name == "config" for each in load_command(part.arguments[0]).params)
    return ["--config", os.devnull] if has_config else []


def _drop_origin(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what says how an answer was made, the note on a file of options too."""
    found = {name: value for name, value in answer.items() if name not in MADE_BY}
    if isinstance(notes := found.get("notes"), list):
        found["notes"] = [note for note in notes if not is_of_kind(note, OPTIONS_NOTE)]
    return found

"""Options from a TOML file: ``[tool.fairtrec.check]``, as if they stood on the command line before all others."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from fairtrec.cli.commands import ARGUMENTS
from fairtrec.cli.printing import drop_options
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.support.errors import InputError, UsageError, refuse_first
from fairtrec.support.files import submissions
from fairtrec.support.files.arguments import NAME, split_crossed
from fairtrec.support.files.opening import is_stream
from fairtrec.support.files.typed_fields import Fields, read_toml

DEFAULT, TABLE = "pyproject.toml", "tool.fairtrec.check"
FILES = {"counts", "stances", "discount", "counterfactual", "baseline", "slice", "junit", "output"}  # always
NAMES = {"terms", "docs", "labels", "queries", "background"}  # a file, or the name of something
PASSED_OVER = "config.passed_over"  # of a context: the file of this folder that --untrusted did not read
UNASKED = "config.unasked"  # of a context: whether no option named the file
LISTS = {"terms", "queries"}  # of which names of resources come before files
NAMES |= {row.option for row in CHOICES.values() if row.file}


def _load(context: click.Context, _: click.Parameter, value: str | None) -> None:
    path = Path(value or DEFAULT)
    if value is None and (context.params.get("untrusted") or submissions.is_set()):
        context.meta[PASSED_OVER] = str(path) if path.exists() else ""
        return
    if value == os.devnull or (value is None and not path.is_file()):  # no file, not that of this folder either
        return
    found = _table(path)
    if found is None and value is not None:
        raise InputError(f"there is no [{TABLE}] in this file; write one, or leave out --config", path)
    if found is not None:
        context.default_map = _options(context.command, found, path)
        context.meta["config"] = str(path)
        context.meta[UNASKED] = value is None


option = click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_load,
    help=f"Take options from [{TABLE}] of this TOML file, of none from {os.devnull}.  "
    f"[default: {DEFAULT} of this folder, if it has that]",
)


def refuse_unasked_outputs() -> None:
    """Refuse outputs of a file that nobody named, which may be a stranger's, as links and hidden folders may be.

    Raises InputError for one that leaves the folder of that file, UsageError for one that would replace what
    ``fairtrec check`` did not write.
    """
    context = click.get_current_context()
    if not context.meta.get(UNASKED):
        return
    from fairtrec.commands.check.report import is_verdicts

    path = Path(context.meta["config"])
    folder = path.parent.resolve()
    outputs = [str(each.name) for each in context.command.params if isinstance(each.type, click.Path)]
    for key in outputs:
        place = context.params.get(key)
        if place is None or context.get_parameter_source(key) is not ParameterSource.DEFAULT_MAP:
            continue
        whole = Path(place).resolve()
        inner = whole.relative_to(folder).parts if whole.is_relative_to(folder) else ()
        if not inner or any(part.startswith(".") for part in inner):
            where = "outside its folder" if not inner else "to a hidden place"
            what = f"{key} would write {where}, and nothing asked for this file"
            raise InputError(f"{what}; add --config {path} to allow it", path, _line(path, key))
        if whole.exists() and not is_verdicts(whole):
            what = f"{key} in {path} would replace {place}, which fairtrec check did not write"
            raise UsageError(f"{what}; move that file, or add --{key} {place} to allow it")


def spell_options() -> None:
    """Put the options of the file in place of its name among the arguments that JSON records.

    So they are run again without the file.
    """
    context = click.get_current_context()
    words: list[str] = []
    for each in context.command.params:
        is_taken = context.get_parameter_source(str(each.name)) is ParameterSource.DEFAULT_MAP
        if not is_taken or not isinstance(each, click.Option) or isinstance(each.type, click.Path):
            continue
        value = (context.default_map or {})[str(each.name)]
        if each.is_flag:
            words += [each.opts[-1]] * bool(value)
        else:
            words += [f"{each.opts[-1]}={one}" for one in (value if each.multiple else [value])]
    typed, names = drop_options(context.meta[ARGUMENTS], ["--config"])
    context.meta[ARGUMENTS] = [*typed, *words, *names]


def refuse_wrong() -> None:
    """Raise InputError for what is wrong in the file whatever stands beside it, but for what is not in use.

    What is wrong beside something else alone may be mended on the command line, too, and is wrong usage.
    """
    from fairtrec.commands.check import requirement
    from fairtrec.commands.check.requirement import Gate
    from fairtrec.measures.catalogue import registry

    context = click.get_current_context()
    alone: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "require": ("require", requirement.parse),
        "measure": ("measures", registry.parse),
        "confidence": ("confidence", lambda value: Gate(confidence=value)),
    }
    for key, (name, read) in alone.items():
        if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
            value = context.params[name]
            for each in value if isinstance(value, tuple) else (value,):
                try:
                    read(each)
                except UsageError as fault:
                    path = Path(context.meta["config"])
                    raise InputError(str(fault), path, _line(path, key)) from None


def _line(path: Path, key: str) -> int | None:
    """Find the line of a key below the head of the table; None where it is written in another way."""
    inside = False
    if is_stream(path):
        return None
    for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
        text = line.split("#")[0].strip()
        inside = text == f"[{TABLE}]" if text.startswith("[") else inside
        if inside and "=" in text and text.split("=")[0].strip().strip("\"'") == key:
            return number
    return None


def _table(path: Path) -> Fields | None:
    """Read the table; None if the file has none."""
    found = read_toml(path, "correct it, or name another file with --config")
    for part in TABLE.split("."):
        if part not in found:
            return None
        found = found.object(part)
    return found


def _options(command: click.Command, found: Fields, path: Path) -> dict[str, Any]:
    """Translate the keys of the table, which are long options, to parameters."""
    known = {
        option.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.expose_value
        for option in parameter.opts
        if option.startswith("--")
    }
    options = {}
    for key, value in found.values.items():
        try:
            if key not in known:
                raise _unknown(key, known)
            options[str(known[key].name)] = _value(known[key], key, value, path.parent)
        except InputError as fault:
            raise InputError(fault.message, path, _line(path, key)) from None
    return options


def _unknown(key: str, known: Collection[str]) -> InputError:
    near = get_close_matches(key, known, 1)
    return InputError(
        f"there is no option {key}; {f'did you mean {near[0]}?' if near else 'there are ' + ', '.join(known)}"
    )


def _value(parameter: click.Option, key: str, value: Any, folder: Path) -> Any:
    """Check the type of a value, and find the files that it names in the folder of ours. Raises InputError."""
    several = value if isinstance(value, list) else [value]
    refuse_first(_faults_of_text(parameter, key, value, several), InputError)
    if parameter.multiple:
        return [_of_labels(each, folder) if key == "labels" else _placed(each, key, folder) for each in several]
    _refuse_number(parameter, key, value)
    if parameter.is_flag is not isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{key} must be {'true or false' if parameter.is_flag else 'text or a number'}")
    if not isinstance(parameter.type, click.Path):
        try:
            parameter.type.convert(value, parameter, None)
        except click.BadParameter as fault:
            raise InputError(f"{key}: {fault.message.rstrip('.')}; correct it") from None
    return _placed(value, key, folder) if isinstance(value, str) else value


def _faults_of_text(
    parameter: click.Option, key: str, value: Any, several: Sequence[Any]
) -> Iterator[tuple[bool, str]]:
    """List what is wrong with a value, or with several, that should be text."""
    yield any("\0" in str(each) for each in several), f"{key} holds a NUL, which no name and no text has; correct it"
    empty = f"{key} is empty; set a value, or leave it out"
    if parameter.multiple:
        is_other = not all(isinstance(each, str) for each in several)
        yield is_other, f"{key} must be text, or a list of texts; put each in quotation marks"
        yield key == "labels" and "" in several, empty
    else:
        yield value == "" or (key == "labels" and "" in several), empty
        is_place = isinstance(parameter.type, click.Path) or key in FILES | NAMES
        yield is_place and not isinstance(value, str), f"{key} must be text; put it in quotation marks"


def _refuse_number(parameter: click.Option, key: str, value: Any) -> None:
    """Raise InputError for a fraction where there can be none, and for 0 where something is counted from 1."""
    if isinstance(value, float) and parameter.type is not click.FLOAT:
        like = "text, in quotation marks"
        if isinstance(parameter.type, click.types.IntParamType):
            like = f"a whole number, like {key} = {parameter.default if isinstance(parameter.default, int) else 10}"
        raise InputError(f"{key} is {value}; write {like}")
    row = CHOICES.get(parameter.name or "")
    if row is not None and row.is_number and isinstance(value, int) and value < 1:
        raise InputError(f"{key} is {value}; it must be 1 or more")


def _of_labels(value: str, folder: Path) -> str:
    """Find the files of labels, of an attribute if they name one: what stands before a field and bins."""
    if (folder / value).exists():
        return _placed(value, "labels", folder)
    name, sign, rest = value.partition("=")
    is_named = bool(sign) and NAME.fullmatch(name) is not None
    several = []
    for part in split_crossed(rest if is_named else value):
        ends = [at for at, letter in enumerate(f"{part}:") if letter == ":"]
        files = [part[:at] for at in reversed(ends) if (folder / part[:at]).exists() or Path(part[:at]).exists()]
        file = next(iter(files), part)
        several.append(_placed(file, "labels", folder) + part[len(file) :])
    return f"{name}=" * is_named + "*".join(several)


def _placed(name: str, key: str, folder: Path) -> str:
    """Find a file beside the TOML file; what is none there is a name, and not a file of another folder."""
    place = folder / name
    if key in LISTS:
        from fairtrec.support.resources.passports import is_name

        if is_name(name):
            return name
        if place.exists() and is_name(str(place)):
            return f"./{place}"
    if name != "-" and (key in FILES or (key in NAMES and place.exists())):
        return str(place)
    if key in NAMES and Path(name).exists():
        raise InputError(f"{key} names {name}, which is not there; write its path relative to this file")
    return name

"""The pages of the Python API, docs/api/NAME.md, from signatures and docstrings, and their index, docs/api.md."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any, get_args, get_origin

import griffe
import numpy as np
from command_pages import _escape
from measure_pages import MADE

from fairtrec import STABILITY
from fairtrec.cli import GROUPS
from fairtrec.commands import list_rows
from fairtrec.evaluation.answers import Answer
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.measure import Form

ERRORS = ("FairtrecError", "UsageError", "InputError", "ResourceError")
CORE = {  # the names of the core, by the groups of the help; those of commands follow, and those of packages
    "Evaluate": "evaluate evaluator Choices Result Scores Run attributes",
}
SHOWN = {  # members of classes most of whose members are for fairtrec itself
    "Choices": "",
    "Form": "supports value over_ranks over_labels over_documents over_queries",
    "LabelForm": "tries",
    "Measure": "ordered worst_known beyond changes value_version needs formula note",
    "Evaluator": "scores evaluate",
    "Run": "name qids docnos scores starts tag from_arrays",
    "Scores": "run tag measures qids values means defined notes columns ends intervals signature",
}
ABOUT = {  # the packages of the other names
    "measure": "Write a measure",
    "reranker": "Write a reranker",
    "testing": "Test a measure, a reranker or a command",
    "ir_measures": "Use measures in ir_measures and PyTerrier",
    "gold": "Draw and compare gold labels",
}


ELSEWHERE = {  # public modules, each of which has a page of its own
    name: f"{name.removeprefix('fairtrec.')}.md"
    for name in STABILITY
    if name.count(".") == 1 and isinstance(pkgutil.resolve_name(name), ModuleType)
}


def write_pages() -> dict[str, str]:
    """Write the index and a page for each name of fairtrec, or for each module with names."""
    pages: dict[str, list[str]] = {}
    for name in STABILITY:
        if name not in ELSEWHERE:
            pages.setdefault(_page(name), []).append(name)
    return {"api.md": _index()} | {f"api/{page}.md": _write_page(page, names) for page, names in pages.items()}


def list_choices() -> str:
    """List the fields of Choices, each with the option that it is."""
    lines = ["| Keyword | Option of `fairtrec eval` | Default |", "|---|---|---|"]
    for name, row in CHOICES.items():
        option = f"`--{row.option}`" if not row.only or "eval" in row.only else ""
        lines.append(f"| `{name}` | {option} | `{row.default}` |")
    return "\n".join(lines) + "\n"


def _page(name: str) -> str:
    """Give the page of a name: its own, that of errors, or that of its module."""
    module, _, last = name.removeprefix("fairtrec.").rpartition(".")
    if last in ERRORS and not module:
        return "errors"
    return (
        module if module and not isinstance(pkgutil.resolve_name(name), ModuleType) else f"{module}.{last}".strip(".")
    )


def _link(name: str) -> str:
    if name in ELSEWHERE:
        return f"[`{name}`]({ELSEWHERE[name]})"
    page = _page(name)
    anchor = "" if _is_alone(name) else f"#{name.rpartition('.')[2].lower()}"
    return f"[`{name}`](api/{page}.md{anchor})"


def _is_alone(name: str) -> bool:
    return sum(_page(each) == _page(name) for each in STABILITY if each not in ELSEWHERE) == 1


def _index() -> str:
    about = (
        "Which names can you import, and how stable is each? [Use fairtrec from Python](python.md) shows them.\n\n"
        "A *stable* name changes only with a new major version, a *provisional* one with a minor version. A name that "
        "is not listed can change at any time. [What stays stable](stability.md) lists options, columns and files."
    )
    parts = [f"# Python API\n\n{MADE}{about}\n"]
    left = dict.fromkeys(STABILITY)
    for title, names in [*_list_groups().items(), ("Errors", ERRORS)]:
        parts.append(_rows(title, [f"fairtrec.{name}" for name in names]))
    for module, title in ABOUT.items():
        parts.append(_rows(title, [name for name in left if name.startswith(f"fairtrec.{module}.")]))
    listed = "\n".join(parts)
    parts.append(_rows("Other modules", [name for name in left if f"[`{name}`]" not in listed]))
    return "\n".join(parts)


def _list_groups() -> dict[str, list[str]]:
    """List the names of fairtrec, of the core and then of each command, by the groups of the help."""
    found = {group: CORE.get(group, "").split() for group in GROUPS}
    for row in list_rows():
        found[row.group] += [name for name, place in row.public.items() if place and "." not in name]
    return {group: names for group, names in found.items() if names}


def _rows(title: str, names: list[str]) -> str:
    whole = dict.fromkeys(_page(name) for name in names if name not in ELSEWHERE and not _is_alone(name))
    about = "".join(f"All of these are on [one page](api/{page}.md).\n\n" for page in whole)
    lines = [f"## {title}\n\n{about}| Name | What it is | |\n|---|---|---|"]
    lines += [f"| {_link(name)} | {_bar(_text(_summary(name)))} | {STABILITY[name]} |" for name in names]
    return "\n".join(lines) + "\n"


def _write_page(page: str, names: list[str]) -> str:
    alone = len(names) == 1
    if alone:
        return f"# {names[0]}\n\n{MADE}" + "\n".join(_describe(names[0], 1))
    title = "Errors" if page == "errors" else f"fairtrec.{page}"
    about = "What does fairtrec raise?" if page == "errors" else _markdown(_read_module(title)).strip()
    parts = [f"# {title}\n\n{MADE}{about}\n"]
    for name in names:
        parts.append(f"## {name.rpartition('.')[2]}\n")
        parts += _describe(name, 2)
    return "\n".join(parts)


@cache
def _read_module(name: str) -> griffe.Module:
    """Read the source of a module."""
    path, lines = Path(inspect.getfile(importlib.import_module(name))), griffe.LinesCollection()
    code = path.read_text("utf-8")
    lines[path] = code.splitlines()
    options = {"warnings": False, "returns_named_value": False}
    return griffe.visit(
        name, filepath=path, code=code, docstring_parser="google", docstring_options=options, lines_collection=lines
    )


def _read(thing: Any) -> Any:
    """Read the source of a function or class."""
    thing = inspect.unwrap(thing)
    return _read_module(thing.__module__)[thing.__qualname__]


def _resolve(name: str, of: griffe.Object) -> type | None:
    """Find the class that a name in the source of something means."""
    try:
        path = of.resolve(name)
    except griffe.NameResolutionError:
        return None
    found = pkgutil.resolve_name(path) if path.startswith("fairtrec.") else None
    return found if isinstance(found, type) else None


def _describe(name: str, level: int) -> Iterator[str]:
    """Give the parts of the text on a name: how lasting it is, its signature, its docstring, its members."""
    thing = pkgutil.resolve_name(name)
    yield f"*{STABILITY[name].capitalize()}.*\n"
    if isinstance(thing, ModuleType):
        yield _markdown(_read_module(thing.__name__))
        for each, function in vars(thing).items():
            if isinstance(function, FunctionType) and function.__module__ == thing.__name__ and each[0] != "_":
                yield f"## {each}\n"
                yield from _function(each, function, 2)
    elif isinstance(thing, FunctionType):
        yield from _function(name if level == 1 else name.rpartition(".")[2], thing, level)
    elif isinstance(thing, type):
        yield from _class(thing)
        if name == "fairtrec.Choices":
            yield list_choices()
    else:
        yield f"{_summary(name)}\n"


def _summary(name: str) -> str:
    """Give the first line of what a function, class or module says of itself; a type is spelled out."""
    thing = pkgutil.resolve_name(name)
    if get_origin(thing) is np.ndarray:  # spelled out it differs from numpy to numpy
        return f"A numpy array of `{get_args(get_args(thing)[1])[0].__name__}`."
    if not isinstance(thing, ModuleType | FunctionType | type):
        return f"The type `{str(thing).replace('typing.', '')}`."
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


def _function(name: str, function: FunctionType, level: int) -> Iterator[str]:
    source = _read(function)
    spelled, returned = _spell(source, hints=True), f" -> {_code(source.returns)}" if source.returns else ""
    line = f"{name}({', '.join(spelled)}){returned}"
    if len(line) > 88:
        line = f"{name}(\n{''.join(f'    {each},{chr(10)}' for each in spelled)}){returned}"
    yield f"```python\n{line}\n```\n"
    yield _markdown(source)
    for each in source.parameters:
        unpacked = re.fullmatch(r"Unpack\[(\w+)\]", str(each.annotation))
        if unpacked and (kind := _resolve(unpacked[1], source)):
            yield f"`**{each.name}` takes {', '.join(f'`{key}`' for key in kind.__annotations__)}.\n"
    for each in str(source.returns).split(" | "):
        yield from _returned_class(each, source, "#" * (level + 1))


def _spell(function: griffe.Function, *, hints: bool) -> list[str]:
    """Spell the parameters of a function."""
    spelled: list[str] = []
    for each in function.parameters:
        stars = {"variadic positional": "*", "variadic keyword": "**"}.get(each.kind.value, "")
        if each.kind is griffe.ParameterKind.keyword_only and not any(other[0] == "*" for other in spelled):
            spelled.append("*")
        hint = f": {_code(each.annotation)}" if hints and each.annotation and stars != "**" else ""
        default = f" = {_code(each.default)}" if hint else f"={_code(each.default)}"
        spelled.append(f"{stars}{each.name}{hint}{'' if stars or each.required else default}")
    return spelled


def _returned_class(name: str, of: griffe.Object, mark: str) -> Iterator[str]:
    """Describe a class that a function returns, and the class of its rows, unless these have pages."""
    if f"fairtrec.{name}" in STABILITY:
        yield f"It returns a [`{name}`]({name}.md).\n"
    elif kind := _resolve(name, of):
        yield f"{mark} Returned: {name}\n"
        yield from _class(kind)
        for row in _find_rows(kind):
            yield f"{mark} Rows: {row.__name__}\n"
            yield from _class(row)


def _find_rows(kind: type) -> list[type]:
    source = _read(kind)
    for name in ("rows", "runs", "variants", "verdicts"):
        hint = str(source.members[name].annotation) if name in source.members else ""
        found = [_resolve(word, source) for word in re.findall(r"\w+", hint)]
        if rows := [row for row in found if row and f"fairtrec.{row.__name__}" not in STABILITY]:
            return rows
    return []


def _class(kind: type) -> Iterator[str]:
    """Describe a class: its docstring, its fields and properties, and its methods."""
    source = _read(kind)
    yield _markdown(source)
    meanings = {name: text for names, text in _list_entries(source, "attributes") for name in names}
    found = _list_attributes(kind, source)
    rows = {name: ["", meaning] for name, meaning in meanings.items() if name not in found} | found
    if rows:
        lines = [
            f"| `{name}` | {_bar(f'`{hint}`') if hint else ''} | {_bar(_text(meanings.get(name, meaning)))} |"
            for name, (hint, meaning) in rows.items()
        ]
        yield "\n".join(["| Attribute | Type | Meaning |", "|---|---|---|", *lines]) + "\n"
    methods = [each for each in source.members.values() if each.is_function and _is_shown(kind, each)]
    if methods:
        lines = [f"| {_bar(f'`{_call(each)}`')} | {_bar(_text(_first_sentence(each)))} |" for each in methods]
        yield "\n".join(["| Method | What it does |", "|---|---|", *lines]) + "\n"
    if issubclass(kind, Answer) and kind is not Answer:
        yield "It also has `to_frame()`, `flat()` and `write(path)`: [use results elsewhere](../results.md#python).\n"


def _list_attributes(kind: type, source: griffe.Class) -> dict[str, list[str]]:
    """List the fields of a class with their types and comments, and its properties with their docstrings."""
    found = {}
    for name, each in source.members.items():
        if not each.is_attribute or not each.annotation or not _is_shown(kind, each):
            continue
        hint = _code(each.annotation)
        if "property" in each.labels:
            found[name] = [hint, _first_sentence(each)]
        elif not issubclass(kind, BaseException):
            hint = hint if "instance-attribute" in each.labels else f"ClassVar[{hint}]"  # which griffe leaves out
            comment = re.search(r"  # (.*)$", each.source.splitlines()[-1])
            found[name] = [hint if len(hint) <= 80 else f"{hint.partition('[')[0]}[...]", comment[1] if comment else ""]
    return found


def _first_sentence(of: griffe.Object) -> str:
    return " ".join((of.docstring.value if of.docstring else "").partition("\n\n")[0].split())


def _is_shown(kind: type, of: griffe.Object) -> bool:
    """Tell a member that users of a class need. A form is made by its fields, and computed by fairtrec."""
    is_computed = of.is_function or "property" in of.labels
    if is_computed and issubclass(kind, Form) and kind is not Form:
        return False
    return of.name[0] != "_" and (kind.__name__ not in SHOWN or of.name in SHOWN[kind.__name__].split())


def _call(method: griffe.Function) -> str:
    """Write a call with the names and defaults of arguments only."""
    return f"{method.name}({', '.join(_spell(method, hints=False)['staticmethod' not in method.labels :])})"


def _bar(text: str) -> str:
    return text.replace("|", "\\|")


def _text(text: str) -> str:
    """Write text of a docstring as Markdown on one line.

    >>> _text("Draw ``runs`` [query, rank], as `evaluate` does.")
    'Draw `runs` \\\\[query, rank], as `evaluate` does.'
    """
    return _escape(text.replace("``", "`"))


def _list_entries(of: griffe.Object, kind: str) -> Iterator[tuple[list[str], str]]:
    """List the entries of the sections of one kind: the names, and the text on one line."""
    for section in of.docstring.parsed if of.docstring else []:
        for each in section.value if section.kind.value == kind else []:
            names = getattr(each, "name", "") or str(each.annotation)
            names = f"{names} {each.annotation}" if names.endswith(",") else names  # several names: griffe takes one
            yield re.findall(r"[\w*]+", names), " ".join(each.description.split())


def _markdown(of: griffe.Object) -> str:
    """Write a docstring as Markdown, without its attributes: arguments and errors become tables, examples code."""
    parts = []
    for section in of.docstring.parsed if of.docstring else []:
        match section.kind.value:
            case "text":
                parts += map(_paragraph, filter(None, re.split(r"\n\n+", section.value.strip("\n"))))
            case "parameters":
                parts.append(_write_table("Argument", _list_entries(of, "parameters")))
            case "raises":
                parts.append(_write_table("Error", _list_entries(of, "raises")))
            case "returns":
                parts.append(f"Returns: {_text(' '.join(section.value[0].description.split()))}\n")
    return "\n".join(parts)


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if lines[0].startswith(">>>"):
        return f"```pycon\n{text}\n```\n"
    if re.match(r"    |(import|class) \w", lines[0]):
        return f"```python\n{dedent(text)}\n```\n"
    if lines[0].startswith("- "):
        return f"{_list(lines)}\n"
    return f"{_text(' '.join(text.split()))}\n"


def _write_table(head: str, rows: Iterable[tuple[list[str], str]]) -> str:
    lines = [f"| {head} | Meaning |", "|---|---|"]
    lines += [f"| {', '.join(f'`{name}`' for name in names)} | {_bar(_text(text))} |" for names, text in rows]
    return "\n".join(lines) + "\n"


def _code(of: Any) -> str:
    """Write a type or a default as the source has it."""
    return re.sub(r"\b\d{5,}\b", lambda number: f"{int(number[0]):_}", str(of).replace("'", '"'))


def _list(lines: list[str]) -> str:
    items = re.split(r"\n(?=- )", "\n".join(lines))
    return "\n".join(f"- {_text(' '.join(item[2:].split()))}" for item in items)

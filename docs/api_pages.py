"""The pages of the Python API, docs/api/NAME.md, from signatures and docstrings, and their index, docs/api.md."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import Any, get_args, get_origin

import numpy as np
from command_pages import _escape
from measure_pages import MADE

import fairtrec
from fairtrec import STABILITY
from fairtrec.cli import GROUPS
from fairtrec.commands import list_rows
from fairtrec.evaluation.answers import Answer
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.measure import Form

PACKAGE = Path(fairtrec.__file__).parent
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
    module = importlib.import_module(f"fairtrec.{page}").__doc__ if page != "errors" else ""
    parts = [f"# {title}\n\n{MADE}{_markdown(module).strip() if module else 'What does fairtrec raise?'}\n"]
    for name in names:
        parts.append(f"## {name.rpartition('.')[2]}\n")
        parts += _describe(name, 2)
    return "\n".join(parts)


def _describe(name: str, level: int) -> Iterator[str]:
    """Give the parts of the text on a name: how lasting it is, its signature, its docstring, its members."""
    thing = pkgutil.resolve_name(name)
    yield f"*{STABILITY[name].capitalize()}.*\n"
    if isinstance(thing, ModuleType):
        yield _markdown(thing.__doc__ or "")
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
    node, source = _node(function)
    assert isinstance(node, ast.FunctionDef)
    yield f"```python\n{_signature(name, node, source)}\n```\n"
    yield _markdown(inspect.getdoc(function) or "")
    if node.args.kwarg and (taken := _keywords(node.args.kwarg, source)):
        yield f"`**{node.args.kwarg.arg}` takes {', '.join(f'`{each}`' for each in taken)}.\n"
    yield from _returned(node, source, "#" * (level + 1))


def _node(thing: Any) -> tuple[ast.stmt, str]:
    source = dedent(inspect.getsource(inspect.unwrap(thing)))
    return ast.parse(source).body[0], source


def _code(node: ast.AST | None, source: str) -> str:
    """Give a part of the source on one line."""
    return " ".join((ast.get_source_segment(source, node) or "").split()) if node else ""


def _signature(name: str, node: ast.FunctionDef, source: str, *, skipped: int = 0) -> str:
    of = node.args
    plain = [*of.posonlyargs, *of.args]
    defaults = [None] * (len(plain) - len(of.defaults)) + list(of.defaults)
    several = [_argument(each, default, source) for each, default in zip(plain, defaults, strict=True)][skipped:]
    several += [f"*{_argument(of.vararg, None, source)}"] if of.vararg else ["*"] * bool(of.kwonlyargs)
    several += [_argument(each, default, source) for each, default in zip(of.kwonlyargs, of.kw_defaults, strict=True)]
    several += [f"**{of.kwarg.arg}"] if of.kwarg else []
    returned = f" -> {_code(node.returns, source).strip(chr(34))}" if node.returns else ""
    line = f"{name}({', '.join(several)}){returned}"
    if len(line) <= 88:
        return line
    lines = "".join(f"    {each},\n" for each in several)
    return f"{name}(\n{lines}){returned}"


def _argument(of: ast.arg, default: ast.expr | None, source: str) -> str:
    hint = f": {_code(of.annotation, source)}" if of.annotation else ""
    if default is None:
        return f"{of.arg}{hint}"
    return f"{of.arg}{hint} = {_code(default, source)}" if hint else f"{of.arg}={_code(default, source)}"


def _keywords(of: ast.arg, source: str) -> list[str]:
    """Name what a typed dictionary of keywords takes."""
    found = re.fullmatch(r"Unpack\[(\w+)\]", _code(of.annotation, source).strip('"'))
    kind = _find_class(found[1]) if found else None
    return [*kind.__annotations__] if kind else []


@cache
def _classes() -> dict[str, str]:
    """Give the module of each class of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("fairtrec", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        found |= dict.fromkeys(re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE), module)
    return found


def _find_class(name: str) -> type | None:
    module = _classes().get(name)
    found = getattr(importlib.import_module(module), name) if module else None
    return found if isinstance(found, type) else None


def _returned(node: ast.FunctionDef, source: str, mark: str) -> Iterator[str]:
    """Describe each class that a function returns, and the class of its rows, unless these have pages."""
    for name in _code(node.returns, source).strip('"').split(" | "):
        yield from _returned_class(name, mark)


def _returned_class(name: str, mark: str) -> Iterator[str]:
    if f"fairtrec.{name}" in STABILITY:
        yield f"It returns a [`{name}`]({name}.md).\n"
        return
    kind = _find_class(name)
    if kind is None:
        return
    yield f"{mark} Returned: {name}\n"
    yield from _class(kind)
    for row in _rows_of(kind):
        yield f"{mark} Rows: {row.__name__}\n"
        yield from _class(row)


def _rows_of(kind: type) -> list[type]:
    node, source = _node(kind)
    assert isinstance(node, ast.ClassDef)
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and _code(each.target, source) in ("rows", "runs", "variants", "verdicts"):
            found = [_find_class(word) for word in re.findall(r"\w+", _code(each.annotation, source))]
            if rows := [row for row in found if row and f"fairtrec.{row.__name__}" not in STABILITY]:
                return rows
    return []


def _class(kind: type) -> Iterator[str]:
    """Describe a class: its docstring, its fields and properties, and its methods."""
    node, source = _node(kind)
    assert isinstance(node, ast.ClassDef)
    text, meanings = _split_attributes(inspect.getdoc(kind) or "")
    yield _markdown(text)
    found = _list_attributes(kind, node, source)
    rows = {name: ["", meaning] for name, meaning in meanings.items() if name not in found} | found
    if rows:
        lines = [
            f"| `{name}` | {_bar(f'`{hint}`') if hint else ''} | {_bar(_text(meanings.get(name, meaning)))} |"
            for name, (hint, meaning) in rows.items()
        ]
        yield "\n".join(["| Attribute | Type | Meaning |", "|---|---|---|", *lines]) + "\n"
    methods = [
        f"| {_bar(f'`{_call(each, source)}`')} | {_bar(_text(_first_sentence(each)))} |"
        for each in node.body
        if isinstance(each, ast.FunctionDef) and _is_shown(kind, each, source) and not _is_property(each, source)
    ]
    if methods:
        yield "\n".join(["| Method | What it does |", "|---|---|", *methods]) + "\n"
    if issubclass(kind, Answer) and kind is not Answer:
        yield "It also has `to_frame()`, `flat()` and `write(path)`: [use results elsewhere](../results.md#python).\n"


def _split_attributes(text: str) -> tuple[str, dict[str, str]]:
    """Take the list of attributes out of a docstring.

    >>> _split_attributes("A sum.\\n\\nAttributes:\\n    gains: [query, rank],\\n        or nan.")
    ('A sum.', {'gains': '[query, rank], or nan.'})
    """
    left, meanings = [], {}
    for paragraph in re.split(r"\n\n+", text):
        lines = paragraph.splitlines()
        if lines and lines[0] == "Attributes:":
            rows = _read_section(dedent("\n".join(lines[1:])).splitlines())
        elif lines and _is_table(lines):
            rows = _read_table(lines)
        else:
            left.append(paragraph)
            continue
        for names, meaning in rows:
            meanings |= dict.fromkeys(re.findall(r"\w+", names), meaning)
    return "\n\n".join(left), meanings


def _list_attributes(kind: type, node: ast.ClassDef, source: str) -> dict[str, list[str]]:
    """List the fields of a class with their types and comments, and its properties with their docstrings."""
    lines, found = source.splitlines(), {}
    for each in node.body:
        if not _is_shown(kind, each, source):
            continue
        if isinstance(each, ast.AnnAssign) and each.end_lineno and not issubclass(kind, BaseException):
            comment = re.search(r"  # (.*)$", lines[each.end_lineno - 1])
            hint = _code(each.annotation, source)
            hint = hint if len(hint) <= 80 else f"{hint.partition('[')[0]}[...]"
            found[_code(each.target, source)] = [hint, comment[1] if comment else ""]
        elif isinstance(each, ast.FunctionDef) and _is_property(each, source):
            found[each.name] = [_code(each.returns, source), _first_sentence(each)]
    return found


def _is_property(node: ast.FunctionDef, source: str) -> bool:
    return not {"property", "cached_property"}.isdisjoint(_code(of, source) for of in node.decorator_list)


def _first_sentence(node: ast.FunctionDef) -> str:
    return " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())


def _is_shown(kind: type, node: ast.stmt, source: str) -> bool:
    """Tell a member that users of a class need. A form is made by its fields, and computed by fairtrec."""
    if isinstance(node, ast.AnnAssign):
        name = _code(node.target, source)
    else:
        name = node.name if isinstance(node, ast.FunctionDef) else "_"
        if issubclass(kind, Form) and kind is not Form:
            return False
    return name[0] != "_" and (kind.__name__ not in SHOWN or name in SHOWN[kind.__name__].split())


def _call(node: ast.FunctionDef, source: str) -> str:
    """Write a call with the names and defaults of arguments only."""
    is_bound = "staticmethod" not in {_code(of, source) for of in node.decorator_list}
    of = node.args
    plain = [*of.posonlyargs, *of.args]
    defaults = [None] * (len(plain) - len(of.defaults)) + list(of.defaults)
    pairs = [*zip(plain, defaults, strict=True)][is_bound:]
    several = [each.arg if default is None else f"{each.arg}={_code(default, source)}" for each, default in pairs]
    several += [f"*{of.vararg.arg}"] if of.vararg else ["*"] * bool(of.kwonlyargs)
    pairs = zip(of.kwonlyargs, of.kw_defaults, strict=True)
    several += [each.arg if default is None else f"{each.arg}={_code(default, source)}" for each, default in pairs]
    several += [f"**{of.kwarg.arg}"] if of.kwarg else []
    return f"{node.name}({', '.join(several)})"


def _bar(text: str) -> str:
    return text.replace("|", "\\|")


def _text(text: str) -> str:
    """Write text of a docstring as Markdown on one line.

    >>> _text("Draw ``runs`` [query, rank], as `evaluate` does.")
    'Draw `runs` \\\\[query, rank], as `evaluate` does.'
    """
    return _escape(text.replace("``", "`"))


_ENTRY = re.compile(r"((?:``[\w*]+``(?:, | and )?)+)(\s+)(.*)")
_SECTION = re.compile(r"(Args|Returns|Raises):$")


def _markdown(text: str) -> str:
    """Write a docstring as Markdown: its lists of arguments become tables, its examples code."""
    parts = []
    for paragraph in re.split(r"\n\n+", text.strip("\n")):
        lines = paragraph.splitlines()
        if not lines:
            continue
        section = _SECTION.match(lines[0])
        if lines[0].startswith(">>>"):
            parts.append(f"```pycon\n{paragraph}\n```\n")
        elif section:
            parts.append(_section(section[1], dedent("\n".join(lines[1:])).splitlines()))
        elif re.match(r"    |(import|class) \w", lines[0]):
            parts.append(f"```python\n{dedent(paragraph)}\n```\n")
        elif lines[0].startswith("- "):
            parts.append(f"{_list(lines)}\n")
        elif _is_table(lines):
            parts.append(_write_table("Argument", _read_table(lines)))
        else:
            parts.append(f"{_text(' '.join(paragraph.split()))}\n")
    return "\n".join(parts)


def _section(title: str, lines: list[str]) -> str:
    """Write a section with a title: arguments and errors as a table, what is returned as text."""
    if title == "Returns":
        return f"Returns: {_text(' '.join(' '.join(lines).split()))}\n"
    return _write_table({"Args": "Argument", "Raises": "Error"}[title], _read_section(lines))


def _read_section(lines: list[str]) -> list[list[str]]:
    """Read entries ``name: text``, whose further lines are indented."""
    rows: list[list[str]] = []
    for line in lines:
        found = re.match(r"([\w*, ]+): (.*)", line)
        if found and not line.startswith(" "):
            rows.append([", ".join(f"`{each.strip()}`" for each in found[1].split(",")), found[2]])
        else:
            rows[-1][1] += f" {line.strip()}"
    return rows


def _is_table(lines: list[str]) -> bool:
    """Tell a list of arguments, each with its text, from a sentence that begins with a name."""
    entries = [found for line in lines if (found := _ENTRY.match(line))]
    return bool(_ENTRY.match(lines[0])) and (len(entries) > 1 or len(entries[0][2]) > 1)


def _read_table(lines: list[str]) -> list[list[str]]:
    """Read a list of arguments, whose names are set in code font."""
    rows: list[list[str]] = []
    for line in lines:
        if found := _ENTRY.match(line):
            rows.append([found[1].replace("``", "`").rstrip(", "), found[3]])
        else:
            rows[-1][1] += f" {line.strip()}"
    return rows


def _write_table(head: str, rows: list[list[str]]) -> str:
    lines = [f"| {head} | Meaning |", "|---|---|"]
    lines += [f"| {name} | {_bar(_text(' '.join(text.split())))} |" for name, text in rows]
    return "\n".join(lines) + "\n"


def _list(lines: list[str]) -> str:
    items = re.split(r"\n(?=- )", "\n".join(lines))
    return "\n".join(f"- {_text(' '.join(item[2:].split()))}" for item in items)

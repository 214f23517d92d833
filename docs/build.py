"""Write what is made from the code: pages, tables of pages, and the schema of the results file."""

import inspect
import json
import runpy
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import click
from man import walk
from measure_pages import MADE
from navigation import find_guide, write_see_also
from schema_page import write_schema

from fairtrec import STABILITY
from fairtrec.cli import command, find_rows
from fairtrec.commands import list_rows, load
from fairtrec.commands.validate.findings import table
from fairtrec.evaluation.answers.results_file import ResultsFile
from fairtrec.evaluation.signature import FIELDS, list_versions
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import registry
from fairtrec.statistics.procedure import Procedure

HERE = Path(__file__).parent
GUIDES_FROM = "<!-- pages of commands, made by `make docs` -->\n\n"
USES_FROM = "<!-- which commands use another, made by `make docs` -->\n\n"
USES_TO = "\n<!-- end -->\n"
GUIDES_TO = "\n<!-- end of the pages of commands -->\n"


def write_folders() -> dict[str, str]:
    """Write the pages of each ``*_pages.py`` next to this file: those of a folder, and its index."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("*_pages.py")):
        found |= import_module(path.stem).write_pages()
    return found


def contents() -> str:
    """Write the pages by task: in the hand-written page, the questions of commands with a page of their own."""
    before, _, rest = (HERE / "contents.md").read_text("utf-8").partition(GUIDES_FROM)
    _, _, behind = rest.partition(GUIDES_TO)
    lines = ["| Compare, explain, change | Page |", "|---|---|"]
    for row in find_rows():
        pages = ", ".join(f"[{page.removesuffix('.md')}]({page})" for page in find_guide(row.name))
        lines += [f"| {row.question} | {pages} |"] if pages else []
    return f"{before}{GUIDES_FROM}{chr(10).join(lines)}\n{GUIDES_TO}{behind}"


def architecture() -> str:
    """Write into the page of the architecture which commands use another, as pyproject.toml allows it."""
    before, _, rest = (HERE / "architecture.md").read_text("utf-8").partition(USES_FROM)
    _, _, behind = rest.partition(USES_TO)
    used: dict[str, list[str]] = {}
    for one, other in runpy.run_path(str(HERE.parent / ".ci" / "remove.py"))["list_pairs"]():
        user, found = (each.split(".", 2)[2].replace(".", "/") for each in (one, other))
        if not found.startswith("reranker"):
            used.setdefault(user, []).append(found)
    lines = "".join(f"- {one} uses {' and '.join(others)}\n" for one, others in sorted(used.items()))
    return f"{before}{USES_FROM}Some commands use another, and the others use none:\n\n{lines}{USES_TO}{behind}"


def codes() -> str:
    """Write the page of ``fairtrec validate``: what stands above the mark as it is, and the table of codes."""
    above, _, _ = (HERE / "validate.md").read_text("utf-8").partition(MADE)
    return f"{above}{MADE}{table()}"


def stability() -> str:
    """Write the page of what stays stable: what stands above the mark as it is, and the lists of names."""
    above, _, _ = (HERE / "stability.md").read_text("utf-8").partition(MADE)
    kept = [row.name for row in find_rows() if row.lasting == "stable"]
    names = {word: [name for name, each in STABILITY.items() if each == word] for word in ("stable", "provisional")}
    parts = ["## Names of Python", *(f"{word.capitalize()}: {_listed(names[word])}." for word in names)]
    parts.append("## Commands and options\n\n| stable command | options |\n|---|---|")
    several = [each for name in kept for each in walk(command, name)]
    parts[-1] += "".join(
        f"\n| `{words}` | {_options(found)} |" for words, found in several if not isinstance(found, click.Group)
    )
    parts.append(
        f"Provisional commands: {_listed(sorted(row.name for row in find_rows() if row.lasting == 'provisional'))}."
    )
    parts.append("## Signature fields")
    parts.append(f"Of an evaluation, in this order: {_listed(dict.fromkeys([*list_versions(()), *FIELDS]))}.")
    of_compare = ["slices", "baseline", *Procedure().choices]
    parts.append(
        "`eval --sort` adds `sort` if ranks are over fewer queries than means; "
        f"`compare` adds {_listed(of_compare)}; `check` adds `baseline`; `correlate` adds `slices`, `correlate`, "
        "`correction`, `interval`; `reliability` adds `slices`, `reliability`, `interval`, `seed`."
    )
    return f"{above}{MADE}{chr(10).join(f'{part}{chr(10)}' for part in parts)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _options(of: click.Command) -> str:
    """List the options of a command, the short name of each behind the long one."""
    several = [sorted(each.opts, key=len, reverse=True) for each in of.params if isinstance(each, click.Option)]
    return ", ".join("/".join(f"`{name}`" for name in names) for names in several)


def schema() -> str:
    """Write the JSON schema of the results file."""
    definitions: dict[str, Any] = {}
    _of_type(ResultsFile, definitions)
    top = definitions.pop(ResultsFile.__name__)
    address = "https://fairtrec.github.io/fairtrec/results.schema.json"
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": address, "title": "fairtrec results"}
    return json.dumps({**head, **top, "$defs": dict(sorted(definitions.items()))}, indent=1) + "\n"


def names() -> str:
    """List the measures and rerankers that a shell offers; those of plug-ins are looked for when it asks."""
    every = {
        "MEASURE": [*BUILT_IN, *sorted(registry.list_foreign_names())],
        "MEASURES": [registry.ALL_FAIR],
    }
    for row in list_rows():
        every |= {kind: load(row, place).names() for kind, place in row.catalogue.items()}
    return "".join(f"{kind} {name}\n" for kind, several in every.items() for name in several)


def _of_type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Give the schema of a type; the classes that it names go to the definitions."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}
            definitions[hint.__name__] = _of_class(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if origin in (Union, UnionType):
        return {"anyOf": [_of_type(each, definitions) for each in inner]}
    if origin is Literal:
        return {"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _of_type(inner[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of_type(inner[1], definitions)}
    known = {Any: {}, int: {"type": "integer", "minimum": 0}}
    named = ((str, "string"), (float, "number"), (bool, "boolean"), (type(None), "null"))
    known |= {kind: {"type": name} for kind, name in named}
    return known[hint]


def _of_class(of: type, definitions: dict[str, Any]) -> dict[str, Any]:
    properties, required = {}, []
    for name, hint in get_type_hints(of, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        kind, text = get_args(get_args(hint)[0] if optional else hint)
        properties[name] = {**_of_type(kind, definitions), "description": text}
        required += [] if optional else [name]
    text = inspect.getdoc(of)
    return {"description": text, "type": "object", "properties": properties, "required": required}


def main() -> int:
    """Write the pages; with --check only say whether they are what the code would write."""
    made = {
        **write_folders(),
        "architecture.md": architecture(),
        "contents.md": contents(),
        "validate.md": codes(),
        "stability.md": stability(),
        "schema.md": write_schema(schema()),
        "../fairtrec/results.schema.json": schema(),
        "../fairtrec/cli/names.txt": names(),
    }
    made |= write_see_also(made)
    stale = []
    for name, text in made.items():
        path = HERE / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, "utf-8")
    for folder in sorted({name.partition("/")[0] for name in made if "/" in name and ".." not in name}):
        for path in sorted((HERE / folder).glob("*.md")):
            if f"{folder}/{path.name}" not in made:
                stale.append(f"{folder}/{path.name}")
                if "--check" not in sys.argv:
                    path.unlink()
    if stale and "--check" in sys.argv:
        sys.stderr.write(f"not what the code says: {', '.join(stale)}; run: make docs\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Write the pages that are made from the code: measures, rerankers, commands; tables of validate.md and python.md."""

import inspect
import sys
from pathlib import Path
from pkgutil import resolve_name
from types import FunctionType, ModuleType
from typing import get_args, get_origin

import click
import numpy as np

from fairtrec import STABILITY
from fairtrec.catalogue import rerankers as catalogue
from fairtrec.catalogue.pages import overview, page
from fairtrec.cli import COMMANDS, command
from fairtrec.measures import BUILT_IN
from fairtrec.rerankers import BUILT_IN as OURS
from fairtrec.validation.findings import table

HERE = Path(__file__).parent
MADE = "<!-- made from the code by `make docs`; do not edit -->\n\n"


def measures() -> str:
    """Write the overview and the page of each measure."""
    parts = [f"# Measures\n\n{MADE}```\n{overview()}```\n"]
    parts += [f"## {name}\n\n```\n{page(name)}```\n" for name in BUILT_IN]
    return "\n".join(parts)


def rerankers() -> str:
    """Write the overview and the page of each reranker."""
    parts = [f"# Rerankers\n\n{MADE}```\n{catalogue.overview()}```\n"]
    parts += [f"## {name}\n\n```\n{catalogue.page(name)}```\n" for name in OURS]
    return "\n".join(parts)


def cli() -> str:
    """Write the help of each command."""
    parts = [f"# Commands\n\n{MADE}```\n{_help(command, 'fairtrec')}\n```\n"]
    for name in COMMANDS:
        found = command.get_command(click.Context(command), name)
        assert found is not None
        parts.append(f"## fairtrec {name}\n\n```\n{_help(found, f'fairtrec {name}')}\n```\n")
        if isinstance(found, click.Group):
            for inner in found.commands.values():
                path = f"fairtrec {name} {inner.name}"
                parts.append(f"### {path}\n\n```\n{_help(inner, path)}\n```\n")
    return "\n".join(parts)


def codes() -> str:
    """Write the page of ``fairtrec validate``: what stands above the mark as it is, and the table of codes."""
    above, _, _ = (HERE / "validate.md").read_text("utf-8").partition(MADE)
    return f"{above}{MADE}{table()}"


def surface() -> str:
    """Write the page of the Python interface: what stands above the mark as it is, and the table of public names."""
    above, _, _ = (HERE / "python.md").read_text("utf-8").partition(MADE)
    lines = ["| name | how lasting | what it is |", "|---|---|---|"]
    for name, word in STABILITY.items():
        thing = resolve_name(name)
        lines.append(f"| `{name}` | {word} | {_first_line(thing)} |")
    return f"{above}{MADE}{chr(10).join(lines)}\n"


def _first_line(thing: object) -> str:
    """Give the first line of what a function, class or module says of itself; a type is spelled out."""
    if get_origin(thing) is np.ndarray:  # spelled out it differs from numpy to numpy
        return f"A numpy array of `{get_args(get_args(thing)[1])[0].__name__}`."
    if not isinstance(thing, ModuleType | FunctionType | type):
        return f"The type `{str(thing).replace('typing.', '')}`.".replace("|", "\\|")
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")


def _help(of: click.Command, path: str) -> str:
    width = {"max_content_width": 100, "terminal_width": 100}
    lines = of.get_help(click.Context(of, info_name=path, **{**command.context_settings, **width})).splitlines()
    return "\n".join(line.rstrip() for line in lines)


def main() -> int:
    """Write the pages; with --check only say whether they are what the code would write."""
    stale = []
    for name, text in {
        "measures.md": measures(),
        "rerankers.md": rerankers(),
        "cli.md": cli(),
        "validate.md": codes(),
        "python.md": surface(),
    }.items():
        path = HERE / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text, "utf-8")
    if stale and "--check" in sys.argv:
        sys.stderr.write(f"docs/{', docs/'.join(stale)} are not what the code says; run: make docs\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

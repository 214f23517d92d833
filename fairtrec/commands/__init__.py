"""The commands, a folder each: the command line, the work, the report and its page, and formulas of its own.

A folder says in COMMANDS of its ``__init__.py`` what the help says of its commands; that is read before a command is
imported. All that a folder needs elsewhere is its line here: what is evaluated and how reports are written knows none.
"""

from importlib import import_module
from typing import Any

from fairtrec.support.command_rows import CommandRow

COMMANDS: dict[str, tuple[str, str]] = {  # in the order of the help: the folder of each, and what Python offers of it
    "eval": ("eval", ""),
    "compare": ("compare", "baseline.compare"),
    "correlate": ("correlate", "correlations.correlate overlaps.rbo"),
    "reliability": ("reliability", "reliability.reliability"),
    "check": ("check", "check.check"),
    "select": ("select", "select.select"),
    "report": ("report", "report.study"),
    "trec-fair-2019": ("trec_fair_2019", ""),
    "explain": ("explain", "explain.explain"),
    "headroom": ("headroom", "headroom.headroom"),
    "ablate": ("ablate", "ablation.ablate"),
    "gold": ("gold", ""),
    "plot": ("plot", "figure.plot curves.curves"),
    "rerank": ("rerank", "rerank.rerank"),
    "validate": ("validate", "validate.validate"),
    "counts": ("counts", "collection.make_counts"),
    "make": ("make", ""),
    "make positions": ("make.positions", "project.make_positions"),
    "make counterfactual": ("make.counterfactual", "counterfactual.make_counterfactual"),
    "make queryset": ("make.queryset", "make_queryset.make_queryset"),
    "make labels": ("make.labels", "trec_fair_2022.make_labels"),
    "make ranker": ("make.ranker", ""),
    "resources": ("resources", ""),
    "measures": ("measures", ""),
    "results": ("results", "results.read_results named_values.read_values"),
    "demo": ("demo", ""),
    "completion": ("completion", ""),
}
PUBLIC = {  # of what Python offers: the module
    each.rpartition(".")[2]: f"commands.{folder}.{each.rpartition('.')[0]}"
    for folder, offered in COMMANDS.values()
    for each in offered.split()
}


def load_row(name: str) -> CommandRow:
    """Import what a command says of itself."""
    rows: tuple[CommandRow, ...] = import_module(f"fairtrec.commands.{COMMANDS[name][0]}").COMMANDS
    return next(row for row in rows if row.name == name)


def load_command(name: str) -> Any:
    """Import a command."""
    return _load(name, load_row(name).place)


def load_study(name: str) -> Any:
    """Import the function that lists the parts of a command in a study; None if it has none."""
    place = load_row(name).study
    return _load(name, place) if place else None


def _load(name: str, place: str) -> Any:
    file, _, attribute = place.partition(":")
    return getattr(import_module(f"fairtrec.commands.{COMMANDS[name][0]}.{file}"), attribute)

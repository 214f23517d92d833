"""``fairtrec eval --spread``: what organisers hand out, one file for all, and one for each run that names no other."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import printing
from fairtrec.cli.options import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.answers.result import Result
    from fairtrec.comparison.slices import Slices

ENDINGS = {"table": "txt", "latex": "tex"}  # of other formats: their names


def is_folder(output: "Path | None") -> bool:
    """Tell whether files for each run are asked for: where there is a folder, or the name was typed with a slash."""
    return output is not None and (output.is_dir() or bool(click.get_current_context().meta.get(FOLDER)))


def refuse(form: str, view: Mapping[str, Any], given: Mapping[str, Any], **others: Any) -> None:
    """Raise UsageError for what has no place beside best, median and worst, before any work is done."""
    from fairtrec.errors import UsageError
    from fairtrec.report.writers import SPREADS

    every = {f"--{name}": value for name, value in others.items()}
    every |= {f"--{name}": given[name] for name in ("bounds", "pool", "gold")}
    every |= {f"--{name.replace('_', '-')}": view[name] for name in ("title", "latex_label", "query_texts")}
    every["--aggregate"] = given["aggregate"] if given["aggregate"] != "mean" else None
    for option in (option for option, value in every.items() if value is not None):
        raise UsageError(f"--spread prints best, median and worst of values alone; leave out {option}")
    if view["per_query"]:
        raise UsageError("--spread prints each query; leave out -q (and -n leaves the queries out)")
    if form not in (*SPREADS.forms, "auto"):
        raise UsageError(f"--spread has no format {form}; choose one of {', '.join(SPREADS.forms)}")


def write(
    result: "Result", form: str, output: "Path | None", slices: "Slices | None", *, places: int, hidden: bool
) -> None:
    """Print the spread, or write it and a file for each run to a folder."""
    from fairtrec.comparison.leaderboard import spread
    from fairtrec.errors import UsageError
    from fairtrec.report.topic_tables import OfOneRun
    from fairtrec.report.writers import SPREADS

    form = "table" if form == "auto" else form
    found = spread(result if slices is None else slices.noted(result), slices, summary_only=hidden)
    if output is None or not is_folder(output):
        printing.write(SPREADS, form, found, output, places=places)
        return
    try:
        output.mkdir(exist_ok=True)
    except OSError as fault:
        raise UsageError(f"cannot make the folder {output}: {fault.strerror}; choose another with -o") from None
    ending = ENDINGS.get(form, form)
    views = [OfOneRun(found, number) for number in range(len(result.scores))]
    names = ["spread", *(view.name.replace(os.sep, "_") for view in views)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two files would be called {twice}.{ending}; call a run by another name, with NAME=FILE")
    for name, view in zip(names[1:], views, strict=True):
        printing.write(SPREADS, form, view, output / f"{name}.{ending}", places=places, told=False)
    printing.write(SPREADS, form, found, output / f"spread.{ending}", places=places)

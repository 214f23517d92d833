"""What may stand next to the values of a run: one file for each column, and the one place that asks which to compute.

A file defines a ``ScoreColumn`` (evaluation/answers/scores.py says what it can have) and, if an option asks for it,
``compute``. The option names the file: the row of the option in inputs/options.py has a ``column``. ``gold`` is asked
for by gold labels, ``mixed_ties`` by measures of ranked groups, ``confidence`` and ``gaps`` by a caller who has a
result.
"""

from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

from fairtrec.evaluation.answers.scores import ScoreColumn, Scores
from fairtrec.evaluation.columns.scored_run import ScoredRun
from fairtrec.evaluation.inputs.options import COLUMNS
from fairtrec.measure import Note


def add_columns(scored: ScoredRun) -> Scores:
    """Add the columns that were asked for to the scores of a run."""
    scores, columns, notes = scored.scores, dict[str, ScoreColumn](), list[Note]()
    for name in _find_asked(scored):
        column, said = _import_column(name).compute(scored)
        columns[column.name] = column
        notes += said
    return replace(scores, columns=columns, notes=(*scores.notes, *notes)) if columns else scores


@cache
def _import_column(name: str) -> Any:
    return import_module(f"fairtrec.evaluation.columns.{name}")


def _find_asked(scored: ScoredRun) -> list[str]:
    """Name the files of the columns that options ask for, those of what was given, and that of ties."""
    asked = [row.column.format(value) for row in COLUMNS if (value := getattr(scored.choices, row.name)) != row.default]
    context = scored.context
    given = [thing.column for thing in context.things if thing.column and thing.name in context.opened]
    return [*asked, *given, *["mixed_ties"] * (scored.tied is not None)]

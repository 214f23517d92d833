"""The run that one beta chooses: the rankings of each fold's queries are those of the variant chosen without them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Run
from fairtrec.errors import UsageError
from fairtrec.evaluation import loading
from fairtrec.evaluation.choices import ChoiceKeywords, Choices
from fairtrec.evaluation.result import Result
from fairtrec.formats import plain_run
from fairtrec.selection.selected import Selection


def refuse(runs: Any, betas: Sequence[float], given: Mapping[str, Any]) -> None:
    """Raise UsageError where no run could be written."""
    if len(betas) > 1:
        raise UsageError(
            f"{len(betas)} values of beta choose a run each, and one can be written; name one, like --beta 1"
        )
    if given.get("samples"):
        raise UsageError("one ranking a query is written, and --samples has several; leave out one of the two")
    if isinstance(runs, Result):
        raise UsageError("values have no rankings, so no run can be written; give the runs that they are of")


def compose(selection: Selection, runs: Mapping[str, Any], given: Mapping[str, Any]) -> Run:
    """Put the rankings together that the one row of a selection has chosen, ordered and cut as they were evaluated.

    ``runs`` are the variants by name, ``given`` what they were evaluated by.
    """
    (row,) = selection.rows
    choices = Choices(**{name: value for name, value in given.items() if name in ChoiceKeywords.__annotations__})
    qids = np.array(selection.variants.qids)
    of_query = np.array([row.chosen[name] for name in selection.folds.names])[selection.folds.of]
    parts = []
    for name in dict.fromkeys(row.chosen.values()):
        (whole,) = loading.run(runs[name], name, choices, choices.depth).runs
        parts.append(whole.cut(qids[of_query == name].tolist(), None))
    return replace(_joined(parts), name=f"beta {row.beta:g}", tag=f"select-beta={row.beta:g}")


def _joined(parts: Sequence[Run]) -> Run:
    starts = np.concatenate(([0], np.cumsum(np.concatenate([np.diff(part.starts) for part in parts]))))
    docnos, scores = np.concatenate([part.docnos for part in parts]), np.concatenate([part.scores for part in parts])
    qids = tuple(qid for part in parts for qid in part.qids)
    whole, ordered = replace(parts[0], qids=qids, starts=starts), tuple(sorted(qids))
    lines = whole.top(ordered, None)
    lengths = (lines != MISSING).sum(axis=1)
    rows = lines[lines != MISSING]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    return replace(whole, qids=ordered, starts=starts, docnos=docnos[rows], scores=scores[rows])


def write(selection: Selection, runs: Mapping[str, Any], given: Mapping[str, Any], path: Path) -> None:
    """Write what ``compose`` gives to a file, all or nothing."""
    plain_run.write(compose(selection, runs, given), path)

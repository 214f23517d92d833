"""How results and comparisons show themselves in Python: a function for each method of ``evaluation.shown.Shown``."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.comparison.leaderboard import sort_key
from fairtrec.comparison.slices import Slices
from fairtrec.data import Floats
from fairtrec.errors import FilePath, ResourceError, UsageError
from fairtrec.evaluation.choices import unknown
from fairtrec.evaluation.result import Result
from fairtrec.evaluation.scores import Scores
from fairtrec.measure import Measure
from fairtrec.report import flat as flat_names
from fairtrec.report import notebook
from fairtrec.report.comparison import sheets as of_comparisons
from fairtrec.report.comparison.remarks import View
from fairtrec.report.output import emit, refuse_input, refuse_unwritable
from fairtrec.report.results import sheets as of_results
from fairtrec.report.sheet import Paper
from fairtrec.report.tied import with_bounds, with_ends
from fairtrec.report.writers import COMPARISONS, RESULTS, Writer, refuse_view

Of = Result | View
OF_RESULTS = ("per_query", "summary", "sort", "slices", "title")  # what `write` heeds, beside places
OF_COMPARISONS = ("paper",)
MOST_PLACES = 17
ENDINGS = {"tex": "latex", "htm": "html", "prototext": "tira"}  # of names of files; others are those of formats


def text(of: Of) -> str:
    """Draw the table of ``-f table``."""
    told = _empty(of)
    return told or str(_forms(of)["table"](of, places=4)).rstrip("\n")


def html(of: Of) -> str:
    """Write the table for a notebook."""
    told = _empty(of)
    if told:
        return notebook.html(Paper([], [], told))
    paper = of_results.marked_up(of) if isinstance(of, Result) else of_comparisons.laid_out(of, 4)
    return notebook.html(paper)


def flat(of: Of) -> dict[str, float]:
    """Name each number as trackers want it."""
    return flat_names.of_means(with_bounds(with_ends(of)), {}) if isinstance(of, Result) else flat_names.of_rows(of)


def frame(of: Of, *, per_query: bool) -> Any:
    """Make a frame of pandas."""
    try:
        import pandas as pd
    except ImportError:
        raise ResourceError("a frame needs pandas; run: pip install pandas") from None
    if not isinstance(of, Result):
        if per_query:
            raise UsageError("comparisons have no values of queries; leave out per_query")
        made = pd.DataFrame([asdict(row) for row in of.rows])
    elif per_query:
        rows = [(each, each.values.T) for each in with_ends(of).scores]
        index = [(scores.run, qid) for scores, _ in rows for qid in scores.qids]
        made = _of_values(pd, rows, pd.MultiIndex.from_tuples(index, names=["run", "qid"]))
    else:
        rows = [(each, each.means[None]) for each in with_bounds(with_ends(of)).scores]
        made = _of_values(pd, rows, pd.Index([scores.run for scores, _ in rows], name="run"))
    made.attrs["signature"] = str(of.signature)
    return made


def write(of: Of, path: FilePath, form: str | None, *, places: int, **view: Any) -> None:
    """Write a file in one of the formats."""
    place, forms, told = Path(path), _forms(of), _empty(of)
    if told:
        raise UsageError(f"{told}, so there is nothing to write")
    form = _form(place, forms) if form is None else form
    if form not in forms:
        raise UsageError(f"there is no format {form!r}; choose from {', '.join(forms)}")
    if type(places) is not int or not 0 <= places <= MOST_PLACES:
        raise UsageError(f"{places!r} places behind the point were asked for; 0 to {MOST_PLACES} are possible")
    known = OF_RESULTS if isinstance(of, Result) else OF_COMPARISONS
    for strange in view.keys() - {*known}:
        raise unknown(strange, ["places", *known])
    refuse_unwritable(place)
    result = of if isinstance(of, Result) else of.result
    refuse_input(place, [fspath(file.place) for file in result.files.values()])
    if isinstance(of, Result):
        refuse_view(form, place, **{name: value for name, value in view.items() if name != "sort"})
        slices = view["slices"] = Slices.of(view.get("slices"))
        sort = view.get("sort")
        view["sort"] = sort if sort is None or isinstance(sort, Measure) else sort_key(sort, None)
        of = slices.noted(of)
    emit(forms[form](of, places=places, **view), place)


def _forms(of: Of) -> Mapping[str, Writer]:
    return RESULTS if isinstance(of, Result) else COMPARISONS


def _form(place: Path, forms: Mapping[str, Writer]) -> str:
    ending = place.suffix.removeprefix(".").lower()
    form = ENDINGS.get(ending, ending)
    if form not in forms:
        known = ", ".join(forms)
        raise UsageError(f"the ending of {place.name} is that of no format; name one of {known}, as format=")
    return form


def _empty(of: Of) -> str:
    """Say that no run is here; nothing where one is."""
    if not isinstance(of, Result) or of.scores:
        return ""
    failed = f"; {len(of.failed)} could not be read, see .failed" if of.failed else ""
    return f"no run was evaluated{failed}"


def _of_values(pd: Any, rows: Sequence[tuple[Scores, Floats]], index: Any) -> Any:
    """Put the values [row, measure] of runs below each other."""
    names = [str(measure) for measure in rows[0][0].measures] if rows else []
    values = np.concatenate([np.empty((0, len(names))), *(values for _, values in rows)])
    return pd.DataFrame(values, index=index, columns=names)

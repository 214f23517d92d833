"""How answers show themselves in Python: a function for each method of ``answers.Answer``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers import Answer
from fairtrec.evaluation.answers.aggregates import strip_aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.inputs.options import refuse_unknown_options
from fairtrec.evaluation.leaderboard import sort_key
from fairtrec.evaluation.slices import Slices
from fairtrec.measure import Measure
from fairtrec.report import records
from fairtrec.report.document import Document
from fairtrec.report.interval_columns import with_bounds, with_ends
from fairtrec.report.note_selection import order_notes
from fairtrec.report.output import emit, refuse_input, refuse_unwritable
from fairtrec.report.page import notebook
from fairtrec.report.records import Row
from fairtrec.report.writers import ENDINGS, LOOSE_ENDINGS, FormatTable, find_formats, read_ending, refuse_view
from fairtrec.support.errors import FilePath, ResourceError, UsageError
from fairtrec.support.literals import Method
from fairtrec.support.notes import Note

MOST_PLACES = 17


def text(of: Answer) -> str:
    """Give what the command prints: the table, or the lines where there is no table."""
    of, kind = _made_of(of), _kind(of)
    told = _empty(of)
    form = "table" if "table" in kind.forms else next(iter(kind.forms))
    return told or "".join(kind(form, of, places=4)).rstrip("\n")


def html(of: Answer) -> str:
    """Write the tables for a notebook."""
    answer = _made_of(of)
    told, kind = _empty(answer), _kind(answer)
    if told:
        return notebook(Document([], [], told))
    document = kind.part("tables")(answer, places=4)
    if not document.signature:
        document = replace(document, notes=kind.part("list_notes")(answer), signature=str(answer.signature))
    return notebook(document)


def list_notes(of: Result) -> tuple[Note, ...]:
    """List the notes that the table has, in its order."""
    return tuple(chain.from_iterable(order_notes(_kind(of).part("list_notes")(of))))


def flat(of: Answer) -> dict[str, float]:
    """Name each number as trackers want it."""
    of = _made_of(of)
    if isinstance(of, Result):
        return records.name_means(with_bounds(with_ends(of)), parts={})
    kind = _kind(of)
    numbers = kind.part("numbers")
    return records.name_numbers(
        kind.part("rows")(of, places=None) if numbers is None else numbers(of), kind.part("KEYS")
    )


def with_confidence(
    of: Result, confidence: float, slices: Mapping[str, Sequence[str]] | None, interval: Method
) -> Result:
    """Give an interval to each mean."""
    from fairtrec.evaluation.columns import confidence as column

    return column.with_confidence(of, confidence, Slices.read(slices), interval)


def frame(of: Answer, *, per_query: bool) -> Any:
    """Make a frame of pandas."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise ResourceError("a frame needs pandas; run: pip install pandas") from None
    of = _made_of(of)
    if isinstance(of, Result):
        keys, names, values = _lay_out_values(of, per_query=per_query)
        index = (
            pd.MultiIndex.from_arrays([*keys.values()], names=[*keys])
            if per_query
            else pd.Index(keys["run"], name="run")
        )
        made = pd.DataFrame(values, index=index, columns=names)
    else:
        head, *cells = _write_rows(of, per_query=per_query)
        made = pd.DataFrame(cells, columns=[*head])
    made.attrs["signature"] = str(getattr(of, "signature", ""))
    return made


def arrow(of: Answer, *, per_query: bool) -> Any:
    """Make a table of Arrow, the signature in its metadata; undefined is null."""
    import pyarrow as pa

    of = _made_of(of)
    if isinstance(of, Result):
        keys, names, values = _lay_out_values(of, per_query=per_query)
        head: list[str] = [*keys, *names]
        columns: Iterable[Sequence[Any]] = [*keys.values(), *values.T.tolist()]
    else:
        first, *cells = _write_rows(of, per_query=per_query)
        head = [*map(str, first)]
        columns = [[row[place] for row in cells] for place in range(len(head))]
    arrays = [_fill_column(cells) for cells in columns]
    about = {"signature": records.escape_text(str(getattr(of, "signature", "")))}
    return pa.Table.from_arrays(arrays, names=[*map(records.escape_text, head)], metadata=about)


def _fill_column(cells: Sequence[Any]) -> Any:
    """Make a column of Arrow of cells, of texts if one of them is a text; nan and None are null."""
    import pyarrow as pa

    if any(isinstance(cell, str) for cell in cells):
        return pa.array([None if cell is None else records.escape_text(str(cell)) for cell in cells], pa.string())
    return pa.array(cells, pa.float64() if any(isinstance(cell, float) for cell in cells) else None, from_pandas=True)


def _write_rows(of: Answer, *, per_query: bool) -> Iterable[Row]:
    """Write the rows of an answer that is no result, the head first, in full precision."""
    kind = _kind(of)
    if per_query and "per_query" not in kind.options:
        raise UsageError("this answer has no other values of queries; leave out per_query")
    rows: Iterable[Row] = kind.part("rows")(of, places=None, **{"per_query": True} if per_query else {})
    return rows


def _lay_out_values(of: Result, *, per_query: bool) -> tuple[dict[str, list[str]], list[str], Floats]:
    """Lay out the values [row, measure] of runs below each other: what names each row, the measures, the values."""
    if per_query:
        whole = with_ends(replace(of, scores=tuple(map(strip_aggregates, of.scores))))
        rows = [(each, each.values.T) for each in whole.scores]
        pairs = [(scores.run, qid) for scores, _ in rows for qid in scores.qids]
        keys = {"run": [run for run, _ in pairs], "qid": [qid for _, qid in pairs]}
    else:
        rows = [(each, each.means[None]) for each in with_bounds(with_ends(of)).scores]
        keys = {"run": [scores.run for scores, _ in rows]}
    names = [str(measure) for measure in rows[0][0].measures] if rows else []
    return keys, names, np.concatenate([np.empty((0, len(names))), *(values for _, values in rows)])


def write(of: Answer, path: FilePath, form: str | None, *, places: int, **view: Any) -> None:
    """Write a file in one of the formats."""
    of = _made_of(of)
    place, kind, told = Path(path), _kind(of), _empty(of)
    if told:
        raise UsageError(f"{told}, so there is nothing to write; correct the input and evaluate again")
    form = _form(place, kind) if form is None else form
    if form not in kind.forms:
        raise UsageError(f"there is no format {form!r}; choose from {', '.join(kind.forms)}")
    if type(places) is not int or not 0 <= places <= MOST_PLACES:
        raise UsageError(f"{places!r} places behind the point were asked for; 0 to {MOST_PLACES} are possible")
    refuse_unknown_options(view, ["places", *kind.options])
    refuse_unwritable(place)
    result = of if isinstance(of, Result) else getattr(of, "result", None)
    refuse_input(place, [] if result is None else [fspath(file.place) for file in result.files.values()])
    if isinstance(of, Result):
        pool = True if any(scores.totals for scores in of.scores) else None
        refuse_view(form, place, pool=pool, **view)
        slices = view["slices"] = Slices.read(view.get("slices"))
        sort = view.get("sort")
        view["sort"] = sort if sort is None or isinstance(sort, Measure) else sort_key(sort, None)
        of = slices.add_notes(of)
        if view.get("against") is not None:
            from fairtrec.evaluation.slice_differences import sign_differences

            of = sign_differences(of, slices, view["against"], view.get("correction") or "holm")
    made = kind(form, of, places=places, **view)
    emit(made if isinstance(made, bytes) else "".join(made), place)


def _made_of(of: Any) -> Any:
    """Give the result that scores are those of, or make one of them."""
    if not isinstance(of, Scores):
        return of
    return of.result or Result((of,), of.signature, (), {})


def _kind(of: Answer) -> FormatTable:
    return find_formats(type(of))


def _form(place: Path, kind: FormatTable) -> str:
    ending = read_ending(place)
    fitting = (ENDINGS | LOOSE_ENDINGS).get(ending, (ending,))  # others may be called as a format is
    for form in fitting:
        if form in kind.forms:
            return form
    known = ", ".join(kind.forms)
    raise UsageError(f"the ending of {place.name} is that of no format; name one of {known}, as format=")


def _empty(of: Answer) -> str:
    """Say that no run is here; nothing where one is."""
    if not isinstance(of, Result) or of.scores:
        return ""
    failed = f"; {len(of.failed)} could not be read, see .failed" if of.failed else ""
    return f"no run was evaluated{failed}"

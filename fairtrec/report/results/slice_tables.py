"""Tables of slices that are compared with one of them: a row for each slice, or a matrix of slices by groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.compared_slices import SliceDifference, SliceDifferences
from fairtrec.measure import Measure
from fairtrec.report.cells import write_difference, write_interval, write_p, write_suffix
from fairtrec.report.document import Column, ReportTable, heading
from fairtrec.report.row_answers import name_corrected_p
from fairtrec.report.run_names import shorten_runs
from fairtrec.statistics.doubt import mark_doubt, sign_doubt
from fairtrec.statistics.procedure import Procedure

MOST_GROUPS = 8  # that are columns; more are rows
SHOWN = "*"


class SliceCell(NamedTuple):
    """A value of a slice, what stands behind it, and its difference from the slice that others are compared with."""

    value: str
    behind: str
    found: SliceDifference | None


def lay_out_differences(parts: Mapping[str, Result], places: int) -> tuple[list[ReportTable], list[str]]:
    """Lay out the values and differences of each run in tables, and explain their signs."""
    whole = next(iter(parts.values()))
    several, signs = list[ReportTable](), list[str]()
    for run, name in enumerate(shorten_runs(whole)):
        scores = [part.scores[run] for part in parts.values()]
        title = name if len(whole.scores) > 1 else ""
        alone, families = split_families(scores[0].measures)
        if alone:
            several.append(_lay_out_rows(title, [*parts], scores, alone, places, _name_p(whole)))
        for rows in families:
            several.append(_lay_out_matrix(title, [*parts], scores, rows, places))
            signs = [f"{SHOWN} {_name_p(whole)} shows the difference"]
    return several, signs


def split_families(measures: Sequence[Measure]) -> tuple[list[int], list[list[int]]]:
    """Split measures, by number, into those of one group or of all, and families that differ only by group."""
    families: dict[object, list[int]] = {}
    for row, measure in enumerate(measures):
        of_group = getattr(measure, "group", "")
        families.setdefault(replace(measure, group=measure.each_group) if of_group else row, []).append(row)  # type: ignore[call-arg]
    alone = [row for rows in families.values() if len(rows) == 1 for row in rows]
    return alone, [rows for rows in families.values() if len(rows) > 1]


def _name_p(result: Result) -> str:
    correction: Any = result.signature["correction"]
    return name_corrected_p(Procedure(correction=correction))


def _read_cell(scores: Scores, row: int, places: int) -> SliceCell:
    """Read the pooled value of a measure in a slice, or else its mean, and what is written behind it."""
    total = next((name for name, values in scores.totals.items() if values[row] is not None), None)
    value, behind = scores.spell(total, places)[row], write_suffix(scores, total, places)[row]
    columns = SliceDifferences.find_all([scores])
    return SliceCell(value or "-", behind, columns[0][1].found.get(scores.measures[row]) if columns else None)


def _is_pooled(scores: Sequence[Scores], row: int) -> bool:
    return any(values[row] is not None for values in scores[0].totals.values())


def _name_reference(cells: Sequence[SliceCell]) -> str:
    return next((cell.found.against for cell in cells if cell.found is not None), "")


def _lay_out_rows(
    title: str, slices: Sequence[str], scores: Sequence[Scores], measures: Sequence[int], places: int, p_name: str
) -> ReportTable:
    """Lay out a row for each slice, with the value, the difference and the corrected p of each measure."""
    columns: list[Column] = []
    queries = Column("queries", [str(len(each.qids)) for each in scores])
    for row in measures:
        measure = scores[0].measures[row]
        cells = [_read_cell(each, row, places) for each in scores]
        name = f"{measure}, pooled" if _is_pooled(scores, row) else heading(measure)
        columns.append(Column(name, [cell.value for cell in cells], beside=[cell.behind for cell in cells]))
        if reference := _name_reference(cells):
            found = [cell.found for cell in cells]
            texts = [_write_difference(each, places) for each in found]
            less = Column(f"less {reference}", [text for text, _ in texts], beside=[more for _, more in texts])
            p = Column(p_name, ["" if each is None else _write_p(each, places) for each in found])
            columns += [replace(each, follows=str(measure)) for each in (less, p)]
    return ReportTable(title, [Column("slice", slices, words=True), queries], columns)


def _write_difference(found: SliceDifference | None, places: int) -> tuple[str, str]:
    if found is None:
        return "", ""
    reach = "" if isnan(found.low) else f" {write_interval((found.low, found.high), places)}"
    is_marked = found.doubtful and not isnan(found.p)
    return write_difference(found.difference, places), f"{reach}{sign_doubt(doubtful=is_marked)}"


def _write_p(found: SliceDifference, places: int) -> str:
    return "-" if isnan(found.p_corrected) else write_p(found.p_corrected, places)


def _lay_out_matrix(
    title: str, slices: Sequence[str], scores: Sequence[Scores], measures: Sequence[int], places: int
) -> ReportTable:
    """Lay out groups by slices; below each value is its difference, with * if it is shown, and ? if it is doubtful."""
    groups = [str(getattr(scores[0].measures[row], "group", "")) for row in measures]
    cells = [[_read_cell(each, row, places) for row in measures] for each in scores]
    reference = next(filter(None, map(_name_reference, cells)), "")
    first = scores[0].measures[measures[0]]
    named = str(replace(first, group=first.each_group))  # type: ignore[call-arg]
    named = f"{named}, pooled" if _is_pooled(scores, measures[0]) else heading(first).replace(str(first), named)
    head = ", ".join(filter(None, (title, named)))
    many = [str(len(each.qids)) for each in scores]
    if len(groups) <= MOST_GROUPS:
        keys = [*_pair(slices, f"less {reference}", cells)]
        queries = [*_pair(many, "", cells)]
        columns = [
            Column(group, [*_write_pairs([of_slice[at] for of_slice in cells], cells, places)])
            for at, group in enumerate(groups)
        ]
        return ReportTable(head, [Column("slice", keys, words=True)], [Column("queries", queries), *columns])
    turned = [list(of_group) for of_group in zip(*cells, strict=True)]
    keys = [text for group in groups for text in (group, f"less {reference}")]
    columns = [
        Column(f"{name} ({queries})", [text for of_group in turned for text in _write_pair(of_group[at], places)])
        for at, (name, queries) in enumerate(zip(slices, many, strict=True))
    ]
    return ReportTable(head, [Column("group", keys, words=True)], columns)


def _has_differences(of_slice: Sequence[SliceCell]) -> bool:
    return any(cell.found is not None for cell in of_slice)


def _pair(texts: Sequence[str], below: str, cells: Sequence[Sequence[SliceCell]]) -> Iterator[str]:
    """Give the text of each slice, and a text for the row below it if it has differences."""
    for text, of_slice in zip(texts, cells, strict=True):
        yield text
        if _has_differences(of_slice):
            yield below


def _write_pairs(column: Sequence[SliceCell], cells: Sequence[Sequence[SliceCell]], places: int) -> Iterator[str]:
    for cell, of_slice in zip(column, cells, strict=True):
        yield from _write_pair(cell, places)[: 1 + _has_differences(of_slice)]


def _write_pair(cell: SliceCell, places: int) -> tuple[str, str]:
    """Write the value of a cell and, below it, its difference."""
    if cell.found is None:
        return cell.value, ""
    sign = SHOWN * cell.found.is_shown
    difference = mark_doubt(
        f"{write_difference(cell.found.difference, places)}{sign}", doubtful=cell.found.doubtful, apart=False
    )
    return cell.value, difference

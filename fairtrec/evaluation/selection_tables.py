"""Tables of selection rates over all queries: a row for each group, for other candidates, and for the least ratio."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers.scores import ColumnTable
from fairtrec.formulas.candidate_counts import CandidateCounts
from fairtrec.measure import Measure
from fairtrec.measures.selection import Selections

CellText = tuple[str, str]  # a text, and what stands behind it
Write = Callable[[Selections, Measure], CellText]  # of a value, of such a measure
EMPTY = "", ""


def list_selection_tables(
    pools: Mapping[Measure, Selections], frequency: Floats, write: Write, places: int
) -> Iterator[ColumnTable]:
    """Lay out a table for each attribute, each cutoff or threshold, and each share that groups need."""
    families: dict[Any, list[Measure]] = {}
    for measure in pools:
        families.setdefault((measure.by, vars(measure)["cutoff"], vars(measure)["above"]), []).append(measure)
    for family in families.values():
        shares = dict.fromkeys(share for each in family if (share := pools[each].min_share) is not None)
        for min_share in shares or [None]:
            own = {each: pools[each] for each in family if pools[each].min_share in (None, min_share)}
            yield _lay_out(own, frequency, write, places, min_share)


def _lay_out(
    pools: Mapping[Measure, Selections], frequency: Floats, write: Write, places: int, min_share: float | None
) -> ColumnTable:
    """Lay out one table: of all groups if any ratio is asked for, else of those that are asked for."""
    measure, pool = next(iter(pools.items()))
    tally, groups = pool.tally(frequency), pool.groups
    head, reference = [measure.by or "group", "n", "share", "selected", "rate"], None
    if min_share is not None:
        ratios = tally.compute_ratios(min_share)
        reference = None if np.isnan(ratios).all() else int(np.nanargmax(ratios))
        head.append("ratio" if reference is None else f"ratio to {groups[reference]}")
    asked = {each.group for each in pools.values()} if min_share is None else {*range(len(groups))}
    rows: list[tuple[str, Sequence[CellText]]] = []
    for group in sorted(each for each in asked if each is not None):
        cells = [*_count_group(tally, group), write(Selections.take_rate(pool.terms, groups, group), measure)]
        if min_share is not None:
            ratio = Selections.take_ratio(pool.terms, groups, group, min_share)
            cells.append(("reference", "") if group == reference else write(ratio, measure))
        rows.append((groups[group], cells))
    others = {"none": (tally.none, tally.none_selected), "unknown": (tally.unknown, tally.unknown_selected)}
    rows += [(name, _count_others(*counts, places, len(head))) for name, counts in others.items() if counts[0]]
    least = [each for each, own in pools.items() if own.min_share is not None and own.group is None]
    rows += [(str(replace(each, by="")), [*[EMPTY] * 4, write(pools[each], each)]) for each in least]
    return ColumnTable(head, rows, [*pools])


def _count_group(tally: CandidateCounts, group: int) -> list[CellText]:
    """Write how many candidates a group has, their share, and how many are selected."""
    share, candidates = tally.shares[group].item(), tally.candidates[group].item()
    return [(_write_count(candidates), ""), (f"{share:.1%}".replace("%", " %"), ""),
            (_write_count(tally.selected[group].item()), "")]  # fmt: skip


def _count_others(candidates: float, selected: float, places: int, columns: int) -> list[CellText]:
    """Write the same of candidates that are in no group, with their rate and no ratio."""
    cells = [_write_count(candidates), "", _write_count(selected), f"{selected / candidates:.{places}f}"]
    return [(text, "") for text in cells] + [EMPTY] * (columns - 5)


def _write_count(number: float) -> str:
    """Write a number of candidates, with one digit behind the point if their labels are soft.

    >>> _write_count(1095.0), _write_count(2.25)
    ('1,095', '2.2')
    """
    return f"{number:,.0f}" if number.is_integer() else f"{number:,.1f}"

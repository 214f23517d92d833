"""Reranked runs: the rankings themselves, how far documents moved, and what that does to measures."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrec.lab.rerank.effects import Effect, Reranking
from fairtrec.report.cells import cell
from fairtrec.report.document import Column, Document, ReportTable, RunCell, directions, heading
from fairtrec.report.records import Row, note_records
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import map_names
from fairtrec.support.notes import Note, merge_runs

KEYS = ("run", "by", "measure")


def list_notes(of: Reranking | Effect) -> list[Note]:
    """List the notes on the runs."""
    reranking = of if isinstance(of, Reranking) else of.reranking
    said: dict[Note, list[int]] = {}
    for place, each in enumerate(reranking.runs):
        for note in each.notes:
            said.setdefault(note, []).append(place)
    return [*reranking.notes, *merge_runs(said, [each.run for each in reranking.runs], _names(reranking))]


def _names(reranking: Reranking) -> list[str]:
    """Name each run shortly, with its reranker where there are several."""
    short = map_names(each.run for each in reranking.runs)
    several = len({each.by for each in reranking.runs}) > 1
    return [RunCell("", short[each.run], f" by {each.by}" * several) for each in reranking.runs]


def tables(effect: Effect, *, places: int) -> Document:
    """Lay out the means before and after, and their differences."""
    names, before, after = _names(effect.reranking), effect.before, effect.after
    many = [str(len(scores.qids)) for scores in before.scores]
    keys = [Column("run", names, words=True, runs=True), Column("queries", many)]
    values = []
    for at, measure in enumerate(before.scores[0].measures):
        pairs = list(zip(before.scores, after.scores, strict=True))
        values.append(Column(heading(measure), [one.spell(None, places)[at] for one, _ in pairs]))
        values.append(Column("reranked", [two.spell(None, places)[at] for _, two in pairs], follows=str(measure)))
        changes = [_difference(one.means[at], two.means[at]) for one, two in pairs]
        written = ["nan" if np.isnan(change) else f"{change:+.{places}f}" for change in changes]
        values.append(Column("difference", written, follows=str(measure)))
    notes = list_notes(effect)
    means = [note for note in _list_effect_notes(effect) if note not in notes]
    signs = [directions(each.better for each in before.scores[0].measures)]
    return Document([ReportTable("", keys, values)], [*means, *notes], str(effect.signature), signs=signs)


def _list_effect_notes(effect: Effect) -> list[Note]:
    """List the notes on the values before, and those that are true of the values after only."""
    said = []
    for result in (effect.before, effect.after):
        pairs = zip(result.scores, _names(effect.reranking), strict=True)
        renamed = replace(result, scores=tuple(replace(scores, run=name) for scores, name in pairs))
        said.append(list_result_notes(renamed, judged=False))
    before, after = said
    return [*before, *(replace(note, part="reranked") for note in after if note not in before)]


def _difference(before: float, after: float) -> float:
    with np.errstate(invalid="ignore"):
        return float(np.float64(after) - np.float64(before))


def rows(effect: Effect, *, places: int | None) -> Iterator[Row]:
    """Give a row for each run, reranker and measure."""
    yield ["run", "by", "queries", "measure", "before", "reranked", "difference"]
    for each, one, two in zip(effect.reranking.runs, effect.before.scores, effect.after.scores, strict=True):
        for at, measure in enumerate(one.measures):
            pair = [scores.means[at] if places is None else scores.spell(None, places)[at] for scores in (one, two)]
            change = cell(_difference(one.means[at], two.means[at]), places)
            yield [each.run, str(each.by), len(one.qids), str(measure), *pair, change]


def record(effect: Effect) -> dict[str, Any]:
    """Give one object with every mean in full precision."""
    runs = []
    for each, one, two in zip(effect.reranking.runs, effect.before.scores, effect.after.scores, strict=True):
        means = {
            str(measure): {
                "before": one.means[at],
                "reranked": two.means[at],
                "difference": _difference(one.means[at], two.means[at]),
                "better": measure.better,
            }
            for at, measure in enumerate(one.measures)
        }
        runs.append({"run": each.run, "by": str(each.by), "queries": len(one.qids), "means": means})
    return {"signature": str(effect.signature), "notes": note_records(list_notes(effect)), "runs": runs}

"""Bounds beside the values of a run: over all labellings, and over all that documents without a text could say."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.catalogue.needs import OF_DOCUMENTS
from fairtrec.data import Floats, Run
from fairtrec.evaluation.choices import Choices
from fairtrec.evaluation.documents import Documents, Reference, depth_of, evenly
from fairtrec.evaluation.inputs import Inputs
from fairtrec.evaluation.scores import Scores, UnknownIntervals
from fairtrec.evaluation.unknown.intervals import intervals
from fairtrec.formulas.rounding import same


@dataclass(eq=False)
class _Written(Documents):
    """Documents of which those without a text have these counts [group]."""

    row: Floats = field(kw_only=True)

    @cached_property
    def counts(self) -> Floats:
        """Occurrences [document, group]."""
        counts = self.annotations.counts.astype(np.float64)
        counts[~self.annotations.known] = self.row
        return counts


def with_bounds(scores: Scores, run: Run, reference: Reference, choices: Choices) -> Scores:
    """Add to a run's scores what they could be: over labellings (``unknown``), over texts (``missing="bounds"``)."""
    unknown, remarks = UnknownIntervals.none(scores.values), scores.remarks
    if choices.unknown:
        unknown, said = intervals(run, scores, reference, which=choices.unknown == "next")
        remarks += said
    values = scores.values
    if choices.missing == "bounds" and reference.documents is not None:
        values = _over_texts(values.copy(), unknown, run, scores, reference)
    return replace(scores, values=values, unknown=unknown, remarks=remarks)


def _over_texts(values: Floats, unknown: UnknownIntervals, run: Run, scores: Scores, reference: Reference) -> Floats:
    """Put in the bounds of measures that look at documents; a value that a missing text moves is undefined."""
    rows = [row for row, measure in enumerate(scores.measures) if OF_DOCUMENTS.intersection(measure.needs)]
    depth = depth_of([scores.measures[row] for row in rows])
    parts = evenly(run, scores.qids, depth)
    for row in rows:
        measure = scores.measures[row]
        several = _written(measure, reference)
        for part in parts:
            qids = [scores.qids[query] for query in part]
            low, high = (_named(measure.needs, Inputs(run, qids, written, depth)) for written in several)
            least, greatest, loose = measure.at_ends(low, high)
            moved = ~same(least, greatest) & ~(np.isnan(least) & np.isnan(greatest))
            unknown.least[row, part], unknown.greatest[row, part] = least, greatest
            values[row, part] = np.where(moved, np.nan, least)
            unknown.bounded[row, part] = loose & moved
            unknown.number[row, part] = moved
        unknown.expected[row] = np.nan if unknown.number[row].any() else values[row]  # of texts there is no prior
    return values


def _written(measure: Any, reference: Reference) -> list[Reference]:
    """Give what is known where each document without a text holds the counts of one end, and of the other."""
    assert reference.documents is not None
    known, choices = reference.documents.counted, reference.documents.choices
    several = measure.counts_at_ends(len(known.groups))
    return [replace(reference, documents=_Written(known, choices, row=counts)) for counts in several]


def _named(names: tuple[str, ...], inputs: Inputs) -> Mapping[str, Any]:
    return {name: getattr(inputs, name) for name in names}

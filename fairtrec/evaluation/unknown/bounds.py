"""Bounds beside the values of a run: over all labellings, and over all that documents without a text could say."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.catalogue.needs import OF_DOCUMENTS
from fairtrec.data import Floats, Run
from fairtrec.evaluation.choices import Choices
from fairtrec.evaluation.documents import Documents
from fairtrec.evaluation.inputs import Inputs
from fairtrec.evaluation.reference import Reference
from fairtrec.evaluation.scores import Scores, Unknown
from fairtrec.evaluation.unknown.intervals import intervals
from fairtrec.evaluation.wanted import depth_of
from fairtrec.formulas.rounding import same


@dataclass(eq=False)
class _Written(Documents):
    """Documents of which those without a text have these counts [group]."""

    row: Floats

    @cached_property
    def counts(self) -> Floats:
        """Occurrences [document, group]."""
        counts = self.annotations.counts.astype(np.float64)
        counts[~self.annotations.known] = self.row
        return counts


def with_bounds(scores: Scores, run: Run, reference: Reference, choices: Choices) -> Scores:
    """Add to a run's scores what they could be: over labellings (``unknown``), over texts (``missing="bounds"``)."""
    unknown, remarks = Unknown.none(scores.values), scores.remarks
    if choices.unknown:
        unknown, said = intervals(run, scores, reference, which=choices.unknown == "next")
        remarks += said
    values = scores.values
    if choices.missing == "bounds" and reference.documents is not None:
        values = _over_texts(values.copy(), unknown, run, scores, reference)
    return replace(scores, values=values, unknown=unknown, remarks=remarks)


def _over_texts(values: Floats, unknown: Unknown, run: Run, scores: Scores, reference: Reference) -> Floats:
    """Put in the bounds of measures that look at documents; a value that a missing text moves is undefined."""
    rows = [row for row, measure in enumerate(scores.measures) if OF_DOCUMENTS.intersection(measure.needs)]
    depth = depth_of([scores.measures[row] for row in rows])
    for row in rows:
        measure = scores.measures[row]
        low, high = (
            _named(counts, measure.needs, run, scores, reference, depth) for counts in _counts(measure, reference)
        )
        least, greatest, loose = measure.at_ends(low, high)
        moved = ~same(least, greatest) & ~(np.isnan(least) & np.isnan(greatest))
        unknown.least[row], unknown.greatest[row] = least, greatest
        values[row] = np.where(moved, np.nan, least)
        unknown.expected[row] = np.nan if moved.any() else values[row]  # of texts there is no prior
        unknown.bounded[row] = loose & moved
        unknown.number[row] = moved
    return values


def _counts(measure: Any, reference: Reference) -> tuple[Floats, Floats]:
    assert reference.documents is not None
    found: tuple[Floats, Floats] = measure.counts_at_ends(len(reference.documents.annotations.groups))
    return found


def _named(
    counts: Floats, names: tuple[str, ...], run: Run, scores: Scores, reference: Reference, depth: int | None
) -> Mapping[str, Any]:
    """Compute inputs as if each document without a text held these counts."""
    assert reference.documents is not None
    documents = _Written(reference.documents.annotations, reference.documents.missing, counts)
    inputs = Inputs(run, scores.qids, replace(reference, documents=documents), depth)
    return {name: getattr(inputs, name) for name in names}

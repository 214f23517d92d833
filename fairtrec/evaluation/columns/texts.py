"""Bounds of the values of a run over all that documents without a text could say (``--bounds texts``)."""

from dataclasses import replace
from typing import Any

import numpy as np

from fairtrec.data.ranking.depth import deal_queries, find_depth
from fairtrec.evaluation.columns.scored_run import Computed, ScoredRun
from fairtrec.evaluation.columns.unknown import UnknownIntervals
from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas.rounding import same
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS


def compute(scored: ScoredRun) -> Computed:
    """Find the bounds of measures that look at documents."""
    run, scores, context = scored.run, scored.scores, scored.context
    found = UnknownIntervals.none(scores.values)
    rows = [row for row, measure in enumerate(scores.measures) if OF_DOCUMENTS.intersection(measure.needs)]
    depth = find_depth([scores.measures[row] for row in rows])
    parts = deal_queries(run, scores.qids, depth)
    for row in rows:
        measure = scores.measures[row]
        several = _written(measure, context)
        for part in parts:
            qids = [scores.qids[query] for query in part]
            ends = (Inputs(run, qids, written, depth) for written in several)
            named = ({name: getattr(inputs, name) for name in measure.needs} for inputs in ends)
            least, greatest, loose = measure.bound_over_texts(*named)
            moved = ~same(least, greatest) & ~(np.isnan(least) & np.isnan(greatest))
            found.least[row, part], found.greatest[row, part] = least, greatest
            found.bounded[row, part] = loose & moved
            found.number[row, part] = moved
        found.expected[row] = np.nan if found.number[row].any() else found.least[row]  # of texts there is no prior
    return found, ()


def _written(measure: Any, context: EvaluationContext) -> list[EvaluationContext]:
    """Give what is known where each document without a text holds the counts of one end, and of the other."""
    assert context.documents is not None
    known, choices = context.documents.counted, replace(context.documents.choices, bounds=None, missing="neutral")
    several = [Documents(known, choices), Documents(known, choices)]
    for documents, counts in zip(several, measure.counts_at_ends(len(known.groups)), strict=True):
        documents.set_unknown(counts)
    return [replace(context, documents=documents) for documents in several]

"""From a run and gold labels of drawn documents to what corrects its pooled values."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairtrec.data import MISSING, System
from fairtrec.data.groups import find_rows
from fairtrec.data.ranking.depth import deal_queries
from fairtrec.evaluation.given.gold import Gold
from fairtrec.evaluation.gold_correction import refuse_impossible, refuse_undrawn
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Measure
from fairtrec.statistics.pooled_shares import DrawnShares


def find_drawn_shares(
    system: System, measures: Sequence[Measure], qids: Sequence[str], context: EvaluationContext
) -> Mapping[Measure, DrawnShares] | None:
    """Find what corrects the pooled values of a run, for the measures that are functions of the groups' shares.

    None without gold labels.

    Raises InputError for a document that has to be labeled and is not, and for probabilities that cannot be.
    """
    people: Gold | None = context.opened.get("gold")
    if people is None:
        return None
    pooled = [measure for measure in measures if measure.supports("pool") and not people.draws_queries]
    found = {measure: _find(system, measure, qids, context, people) for measure in pooled}
    return {measure: drawn for measure, drawn in found.items() if drawn is not None}


def _find(
    system: System, measure: Measure, qids: Sequence[str], context: EvaluationContext, gold: Gold
) -> DrawnShares | None:
    place = {qid: at for at, qid in enumerate(qids)}
    rows, found = [], None
    for run, ranked in system.parts(qids):
        for part in deal_queries(run, ranked, measure.depth):
            inputs = Inputs(run, [ranked[query] for query in part], context, measure.depth)
            form = measure.formula(**{name: getattr(inputs, name) for name in measure.needs})
            found = form.over_shares()
            if found is None:
                return None
            ranks = min(found.membership.shape[1], len(found.weights))
            there = inputs.lines[:, :ranks] != MISSING
            weights = np.where(there, found.weights[:ranks], 0.0)
            membership = np.where(there[..., None], found.membership[:, :ranks], 0.0)
            at = find_rows(gold.labels, inputs.qids, run.docnos, inputs.lines)[:, :ranks]
            if gold.sheet.probability is None:
                refuse_undrawn(gold, inputs, at, np.ones(len(at), dtype=np.bool_))
            by_gold = np.where(gold.is_labeled[at][..., None], gold.mean_membership(at), membership)
            query, rank = np.nonzero((weights > 0) & (at != MISSING))
            numbers = np.array([place[qid] for qid in inputs.qids])
            exposure = weighted_sum(membership, weights)
            due = exposure.sum(axis=1, keepdims=True) * found.wanted
            errors = (weights[..., None] * (by_gold - membership))[query, rank]
            total = weighted_sum(weights, np.ones(ranks))
            rows.append((numbers, exposure, due, total, numbers[query], at[query, rank], weights[query, rank], errors))
    if found is None:
        return None
    gold.refuse_deeper(measure)
    numbers, exposure, due, total, query, document, weights, errors = (
        np.concatenate(each) for each in zip(*rows, strict=True)
    )
    order = np.argsort(numbers)  # exact: queries differ
    drawn = DrawnShares(
        exposure=exposure[order],
        due=np.broadcast_to(due, exposure.shape)[order],
        total=total[order],
        query=query,
        document=document,
        weights=weights,
        errors=errors,
        probability=gold.probability,
        untold=gold.sheet.unknown,
        target=context.target,
        value=found.value,
        at=found.at,
        whole=found.whole,
    )
    refuse_impossible(gold.sheet, measure, drawn.drawn(np.ones(len(qids))))
    return drawn

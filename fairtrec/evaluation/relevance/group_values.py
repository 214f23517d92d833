"""Values of measures of relevance by the judgments of one group: the same evaluator, with judgments taken away."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Bools, Docnos, Floats, Ints, Qrels, list_distinct
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.relevance import RelevanceEvaluator
from fairtrec.formulas.distribution import quotient
from fairtrec.measures.utility import GroupUtility


class GroupJudgments(NamedTuple):
    """The judgments of one group for some queries, and the grades of its judged documents [query, n]."""

    qids: tuple[str, ...]
    qrels: Qrels
    grades: Floats
    evaluators: dict[str, RelevanceEvaluator]  # by measure


def compute_group(measure: GroupUtility, inputs: Inputs) -> Floats:
    """Compute a measure by the judgments of its group [query]; nan if no document of the group is relevant."""
    if measure.name == "Judged":
        return _count_holes(measure, inputs)
    judgments = _take(measure.group, inputs)
    key = str(measure.ungrouped)
    if key not in judgments.evaluators:
        judgments.evaluators[key] = RelevanceEvaluator([measure.ungrouped], judgments.qrels)
    values = judgments.evaluators[key].values(inputs.run, inputs.qids)[0]
    level = measure.measure.params.get("rel") or inputs.context.choices.level
    with np.errstate(invalid="ignore"):
        relevant = (judgments.grades >= level).any(axis=1)
    return np.where(relevant, values, np.nan)


def find_members(membership: Floats, group: int) -> Bools:
    """Tell which documents [..., group] are of a group: its weight is above 0, and that of no other is greater.

    >>> find_members(np.array([[0.5, 0.5], [0.2, 0.8], [0.0, 0.0], [np.nan, np.nan]]), 0).tolist()
    [True, False, False, False]
    """
    weights = np.nan_to_num(membership)
    own: Floats = weights[..., group]
    return np.asarray((own > 0) & (own >= weights.max(axis=-1)))


def _take(group: str, inputs: Inputs) -> GroupJudgments:
    """Take the judgments of the documents of one group; they are kept for the next run of the same queries."""
    kept = inputs.context.of_judged
    key, qids = (inputs.context.attribute, group), tuple(inputs.qids)
    if key in kept and kept[key].qids == qids:
        found: GroupJudgments = kept[key]
        return found
    lines = inputs.judged_lines
    members = find_members(inputs.judged_membership, inputs.groups.index(group)) & (lines != MISSING)
    grades = np.where(members, inputs.judged_relevance, np.nan)
    taken = GroupJudgments(qids, keep_judgments(inputs.qrels, lines, members), grades, {})
    kept[key] = taken
    return taken


def keep_judgments(qrels: Qrels, lines: Ints, members: Bools) -> Qrels:
    """Keep the judgments of some documents, named by a line for each [query, n], in all their subtopics."""
    query = qrels.query
    rows = Docnos.collect(qrels.docnos).rows(qrels.docnos)
    pairs = query * (int(rows.max(initial=0)) + 1) + rows
    kept = np.flatnonzero(np.isin(pairs, pairs[lines[members]]))
    asked = list_distinct(query[lines[lines != MISSING]])
    many = np.bincount(query[kept], minlength=len(qrels.qids))[asked]
    starts = np.concatenate(([0], np.cumsum(many)))
    qids = tuple(qrels.qids[row] for row in asked.tolist())
    return replace(
        qrels,
        qids=qids,
        starts=starts,
        docnos=qrels.docnos[kept],
        grades=qrels.grades[kept],
        iterations=qrels.iterations[kept],
    )


def _count_holes(measure: GroupUtility, inputs: Inputs) -> Floats:
    """Divide the judged documents of the group at the first ranks by all documents of the group there [query]."""
    members = find_members(inputs.membership, inputs.groups.index(measure.group))[:, : measure.cutoff]
    judged = ~np.isnan(inputs.relevance[:, : measure.cutoff])
    return quotient((members & judged).sum(axis=1), members.sum(axis=1))

"""From a run and what was given beside it to scores [measure, query]."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from fairtrec.data import MISSING, System, fingerprints
from fairtrec.evaluation.choices import Choices
from fairtrec.evaluation.documents import CELLS, Reference, depth_of
from fairtrec.evaluation.inputs import Inputs, InputsOfSamples
from fairtrec.evaluation.judge import Judge
from fairtrec.evaluation.scores import Scores
from fairtrec.evaluation.values import in_parts, remarks_on, values_of
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Measure, Remark
from fairtrec.measures.utility import Utility

RISING = Remark("scores rise with the ranks, and the order is by falling score: is a lower one better? --order rank")
FEW = 100  # ranks


def score(
    system: System,
    measures: Sequence[Measure],
    qids: Sequence[str],
    reference: Reference,
    judge: Judge | None,
    choices: Choices,
) -> Scores:
    """Compute the measures of one system, and what they are over the orders of tied documents if that is asked for.

    The value of a query is the mean over its rankings for which the measure is defined; a measure of expected
    exposure looks at all rankings of a query at once, where there may be several.
    """
    looked_at = system.cut(qids, choices.depth) if choices.ties else system
    at_once = [row for row, measure in enumerate(measures) if system.sampled and "sample_of" in measure.needs]
    one_by_one = [row for row in range(len(measures)) if row not in at_once]
    column = {qid: i for i, qid in enumerate(qids)}
    values = np.full((len(measures), len(qids)), np.nan)
    total = np.full((len(one_by_one), len(qids)), -0.0)  # which leaves the sign of a zero that is added to it
    defined = np.zeros(total.shape)
    remarks: tuple[Remark, ...] = ()
    ordinary = [measures[row] for row in one_by_one]
    depth = depth_of([measure for measure in ordinary if not isinstance(measure, Utility)])
    for run, ranked in looked_at.parts(qids) if ordinary else ():
        inputs = Inputs(run, ranked, reference, depth)
        if len(ranked) * np.diff(run.starts).max(initial=0) > CELLS:
            part, said = in_parts(inputs, ordinary, judge, unknown=bool(choices.unknown))
        else:
            part = values_of(inputs, ordinary, judge)
            said = remarks or remarks_on(inputs, ordinary, part, unknown=bool(choices.unknown))
        remarks = remarks or said
        at = [column[qid] for qid in ranked]
        total[:, at] += np.where(np.isnan(part), -0.0, part)
        defined[:, at] += ~np.isnan(part)
    values[one_by_one] = quotient(total, defined)
    for row in at_once:
        inputs = InputsOfSamples(system.runs, qids, reference, measures[row].depth)
        values[row] = measures[row](**inputs.named(measures[row].needs))
    if system.sampled:
        remarks = tuple(_of_first(each, len(system.runs)) for each in remarks)
    if any(run.rises for run in system.runs):
        remarks = (*remarks, RISING)
    scores = Scores(
        system.name,
        system.tag,
        tuple(measures),
        tuple(qids),
        values,
        remarks,
        target=reference.target,
        top=_top(system, qids),
    )
    if choices.unknown or choices.missing == "bounds":
        from fairtrec.evaluation.unknown.bounds import with_bounds

        return with_bounds(scores, system.runs[0], reference, choices)
    if not choices.ties:
        return scores
    from fairtrec.evaluation.tie_intervals import intervals

    (run,) = system.runs
    return replace(scores, ties=intervals(run, scores, reference, choices.depth))


def _top(system: System, qids: Sequence[str]) -> str:
    """Digest the first ranks of all queries, by which runs of the same rankings are found."""
    digest = blake2b(digest_size=16)
    for run in system.runs:
        lines = run.top(qids, FEW)
        there = lines != MISSING
        digest.update(there.sum(axis=1).tobytes())
        digest.update(fingerprints(run.docnos[lines[there]]).tobytes())
    return digest.hexdigest()


def _of_first(remark: Remark, samples: int) -> Remark:
    """Say that something is known of one of the samples."""
    return replace(remark, words=f"{remark.words} (the first of {{}} samples)", numbers=(*remark.numbers, samples))

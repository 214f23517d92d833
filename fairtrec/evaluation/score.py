"""From a run and what was given beside it to scores [measure, query], and what a reader of them should know."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain

import numpy as np

from fairtrec.answers.scores import Scores
from fairtrec.catalogue.needs import OF_EXTRAS, OF_RANKS
from fairtrec.data import MISSING, Floats, Ints, Run, System, fingerprints
from fairtrec.errors import InputError
from fairtrec.evaluation.computing import InputsOfSamples, masked, parts_of, values_of
from fairtrec.formulas.distribution import quotient
from fairtrec.inputs.choices import Choices
from fairtrec.inputs.documents import Reference
from fairtrec.inputs.of_measures import Inputs
from fairtrec.measure import Measure, Remark
from fairtrec.measures.utility import Utility
from fairtrec.ranking.depth import depth_of, evenly
from fairtrec.relevance.judge import RelevanceEvaluator

RISING = Remark(
    "scores rise with the ranks, but runs are ordered by falling score; if lower scores are better, give --order rank"
)
FEW = 100  # ranks
CELLS = 1 << 21  # of a matrix [query, rank, group]
MANY = 10_000  # queries, whose ranks are looked at together


def score(
    system: System,
    measures: Sequence[Measure],
    qids: Sequence[str],
    reference: Reference,
    judge: RelevanceEvaluator | None,
    choices: Choices,
) -> Scores:
    """Compute the measures of one system, and what they are over the orders of tied documents if that is asked for.

    The value of a query is the mean over its rankings for which the measure is defined; a measure of expected
    exposure looks at all rankings of a query at once, where there may be several.
    """
    looked_at = system.cut(qids, choices.depth) if choices.bounds == "ties" else system
    at_once = [row for row, measure in enumerate(measures) if system.sampled and "sample_of" in measure.needs]
    one_by_one = [row for row in range(len(measures)) if row not in at_once]
    column = {qid: i for i, qid in enumerate(qids)} if system.sampled else {}
    values = np.full((len(measures), len(qids) if system.sampled else 0), np.nan)
    total = np.full((len(one_by_one), values.shape[1]), -0.0)  # which leaves the sign of a zero that is added to it
    defined = np.zeros(total.shape)
    remarks: tuple[Remark, ...] = ()
    ordinary = [measures[row] for row in one_by_one]
    depth = depth_of([measure for measure in ordinary if not isinstance(measure, Utility)])
    for run, ranked in looked_at.parts(qids) if ordinary else ():
        inputs = Inputs(run, ranked, reference, depth)
        wide = max((len(inputs.by(of).groups) for of in _attributes(ordinary, reference)), default=1)
        if len(ranked) * np.diff(run.starts).max(initial=0) * wide > CELLS:
            part, said = in_parts(inputs, ordinary, judge, unknown=choices.bounds == "labels", wide=wide)
        else:
            part = values_of(inputs, ordinary, judge)
            said = remarks or remarks_on(inputs, ordinary, part, unknown=choices.bounds == "labels")
        remarks = remarks or said
        if not system.sampled:
            values = part
            break
        at = [column[qid] for qid in ranked]
        total[:, at] += np.where(np.isnan(part), -0.0, part)
        defined[:, at] += ~np.isnan(part)
    else:
        values[one_by_one] = quotient(total, defined)
    for row in at_once:
        by = reference.by(measures[row].by)
        inputs = InputsOfSamples(system.runs, qids, by, measures[row].depth)
        values[row] = masked(measures[row], inputs.value(measures[row]), inputs)
    if system.sampled:
        remarks = tuple(_of_first(each, len(system.runs)) for each in remarks)
    if isinstance(system, Run) and system.rises:
        remarks = (*remarks, RISING)
    first = blake2b(digest_size=16)  # of the ranks of all queries, by which runs of the same rankings are found
    for run, ranked in system.parts(qids):
        for number in range(0, len(ranked), MANY):
            lines = run.top(ranked[number : number + MANY], FEW)
            there = lines != MISSING
            first.update(there.sum(axis=1).tobytes())
            first.update(fingerprints(run.docnos[lines[there]]).tobytes())
    scores = Scores(
        system.name,
        system.tag,
        tuple(measures),
        tuple(qids),
        values,
        remarks,
        target=reference.target,
        top=first.hexdigest(),
    )
    if (choices.pool, reference.gold, choices.bounds) == (None, None, None):
        return scores
    return _more(scores, system, inputs, reference, choices)


def _more(scores: Scores, system: System, inputs: Inputs, reference: Reference, choices: Choices) -> Scores:
    """Add what was asked for beside the values: what is pooled, what gold corrects, what is left open."""
    if choices.pool is not None:
        from fairtrec.evaluation.pooling import pooled

        scores = replace(scores, pooled=pooled(system, scores.measures, scores.qids, reference))
    if reference.gold is not None:
        from fairtrec.evaluation.correcting import corrections

        gold, said = corrections(inputs, scores.measures, scores.values)
        return replace(scores, gold=gold, remarks=(*scores.remarks, *said))
    if choices.bounds is None:
        return scores
    (run,) = system.runs
    if choices.bounds == "ties":
        from fairtrec.evaluation.tie_intervals import intervals

        return replace(scores, ties=intervals(run, scores, reference, choices.depth))
    from fairtrec.evaluation.bounds import with_bounds

    return with_bounds(scores, run, reference, choices)


def _of_first(remark: Remark, samples: int) -> Remark:
    """Say that something is known of one of the samples."""
    return replace(remark, words=f"{remark.words} (the first of {{}} samples)", numbers=(*remark.numbers, samples))


def remarks_on(
    inputs: Inputs, measures: Sequence[Measure], values: Floats, *, unknown: bool = False
) -> tuple[Remark, ...]:
    """Say what a reader of the values [measure, query] should know.

    Raises InputError if labels know no document, unless ``unknown`` groups are what was asked about.
    """
    remarks: list[Remark] = []
    asked: set[str] = set()
    for measure, row in zip(measures, values, strict=True):
        if isinstance(measure, Utility):
            continue
        asked |= {*measure.needs}
        if said := _said(measure, row, inputs):
            remarks.append(_of(measure, said))
    for attribute in _attributes(measures, inputs.reference):
        own = inputs.by(attribute)
        counts = _counts(own)
        if own.reference.labels is not None and not unknown:
            _refuse_strangers(own, _labels(attribute), seen=counts[1] > 0, known=counts[0] > 0)
        remarks += [] if _is_filled(own) else [_known(counts, attribute)]
    for name in asked & OF_EXTRAS & OF_RANKS:
        seen = bool((inputs.lines != MISSING).any())
        _refuse_strangers(inputs, name, seen=seen, known=not np.isnan(getattr(inputs, name)).all())
    return tuple(remarks)


def _is_filled(inputs: Inputs) -> bool:
    """Tell whether documents without a label belong somewhere, so that nothing is unknown."""
    return inputs.reference.labels is not None and inputs.reference.labels.others is not None


def in_parts(
    inputs: Inputs,
    measures: Sequence[Measure],
    judge: RelevanceEvaluator | None,
    *,
    unknown: bool = False,
    wide: int = 1,
) -> tuple[Floats, tuple[Remark, ...]]:
    """Compute measures [measure, query] and remarks for rankings of about one length at a time, of ``wide`` ranks.

    The inputs of all queries are not computed, unless a remark counts something in one of the parts.
    """
    parts = evenly(inputs.run, inputs.qids, inputs.depth, CELLS // wide)
    if len(parts) == 1:
        values = values_of(inputs, measures, judge)
        return values, remarks_on(inputs, measures, values, unknown=unknown)
    values = np.full((len(measures), len(inputs.qids)), np.nan)
    asked = {name for measure in measures if not isinstance(measure, Utility) for name in measure.needs}
    some = asked & OF_EXTRAS & OF_RANKS  # of which something should be known
    known = dict.fromkeys(some, False)
    said: list[list[Remark | str]] = []
    counts = {attribute: np.zeros(4, dtype=np.int64) for attribute in _attributes(measures, inputs.reference)}
    for part in parts:
        of_part = Inputs(inputs.run, [inputs.qids[query] for query in part], inputs.reference, inputs.depth)
        values[:, part] = values_of(of_part, measures, judge)
        said.append([_said(*each, of_part) for each in zip(measures, values[:, part], strict=True)])
        known = {name: known[name] or not np.isnan(getattr(of_part, name)).all() for name in some}
        for attribute in counts:
            counts[attribute] += _counts(of_part.by(attribute))
    sentences = [
        of_parts[0] if _alike(of_parts) else _said(measure, row, inputs)
        for measure, row, *of_parts in zip(measures, values, *said, strict=True)
    ]
    remarks = [_of(measure, sentence) for measure, sentence in zip(measures, sentences, strict=True) if sentence]
    seen = bool(np.diff(inputs.run.starts).any())
    for name in some:
        _refuse_strangers(inputs, name, seen=seen, known=known[name])
    for attribute in counts if inputs.reference.labels is not None and not unknown else ():
        _refuse_strangers(inputs, _labels(attribute), seen=seen, known=counts[attribute][0] > 0)
    return values, (
        *remarks,
        *(_known(of, attribute) for attribute, of in counts.items() if not _is_filled(inputs.by(attribute))),
    )


def _attributes(measures: Sequence[Measure], reference: Reference) -> list[str]:
    """Name the attributes of which some measure looks at the members of groups, each once."""
    of_groups = [measure for measure in measures if "membership" in measure.needs and not isinstance(measure, Utility)]
    several = [reference.given if parts_of(measure, reference) else (measure.by,) for measure in of_groups]
    return list(dict.fromkeys(chain.from_iterable(several)))


def _labels(attribute: str) -> str:
    return f"labels of {attribute}" if attribute else "labels"


def _alike(said: Sequence[Remark | str]) -> bool:
    """Tell whether the same is said of all parts, and counts nothing: then it is true of the whole."""
    return len(set(map(str, said))) == 1 and not getattr(said[0], "numbers", ())


def _said(measure: Measure, values: Floats, inputs: Inputs) -> Remark | str:
    if isinstance(measure, Utility):
        return ""
    own = inputs.by(measure.by)
    if own.reference.is_vast:
        return ""
    return measure.remark(**{n: values if n == "values" else getattr(own, n) for n in measure.remarks_on})


def _of(measure: Measure, said: Remark | str) -> Remark:
    remark = said if isinstance(said, Remark) else Remark(said.replace("{}", "{ }"))
    return replace(remark, measure=measure)


def _counts(inputs: Inputs) -> Ints:
    """Count the ranks of which the groups are known, all ranks, the queries without any of the first, all queries."""
    there = inputs.lines != MISSING
    known = there & inputs.known
    silent = there.any(axis=1) & ~known.any(axis=1)
    return np.array([known.sum(), there.sum(), silent.sum(), len(there)])


def _known(counts: Ints, attribute: str) -> Remark:
    """Say for what share of the ranks looked at the groups are known."""
    known, there, silent, queries = counts.tolist()
    words = "groups are known for {} of the {} ranks looked at"
    if silent * 10 <= queries:
        return Remark(words, (known, there), of=attribute)
    words += "; {} of {} queries have no document of known group, are these the right labels?"
    return Remark(words, (known, there, silent, queries), of=attribute)


def _refuse_strangers(inputs: Inputs, what: str, *, seen: bool, known: bool) -> None:
    """Raise InputError if documents were looked at, and labels or positions are known of none of them."""
    if seen and not known:
        raise InputError(f"the {what} know none of its documents; are they of the same collection?", inputs.run.name)

"""The values of a run and what a reader of them should know, where the queries are taken at once, or part by part."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairtrec.catalogue.needs import OF_EXTRAS, OF_RANKS
from fairtrec.data import MISSING, Floats, Ints
from fairtrec.errors import InputError, UsageError
from fairtrec.evaluation.documents import evenly
from fairtrec.evaluation.inputs import Inputs
from fairtrec.evaluation.judge import Judge
from fairtrec.measure import Measure, Remark
from fairtrec.measures.utility import Utility


def values_of(inputs: Inputs, measures: Sequence[Measure], judge: Judge | None) -> Floats:
    """Compute the measures [measure, query]: from what they need, or those of ir-measures by the judge."""
    queries = len(inputs.qids)
    values = np.full((len(measures), queries), np.nan)
    utility = [row for row, measure in enumerate(measures) if isinstance(measure, Utility)]
    if utility and judge is not None:
        values[utility] = judge.values(inputs.run, inputs.qids)
    for row, measure in enumerate(measures):
        if isinstance(measure, Utility):
            continue
        value = measure(**{name: getattr(inputs, name) for name in measure.needs})
        if np.shape(value) not in ((queries,), (1,)):
            what = f"{measure} gave values of the shape {np.shape(value)} for {queries} queries"
            raise UsageError(f"{what}; it has a fault, report it to its authors")
        values[row] = value
    return values


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
        if said := measure.remark(**{n: row if n == "values" else getattr(inputs, n) for n in measure.remarks_on}):
            remarks.append(_of(measure, said))
    if "membership" in asked:
        counts = _counts(inputs)
        if inputs.reference.labels is not None and not unknown:
            _refuse_strangers(inputs, "labels", seen=counts[1] > 0, known=not np.isnan(inputs.membership).all())
        remarks.append(_known(counts))
    for name in asked & OF_EXTRAS & OF_RANKS:
        seen = bool((inputs.lines != MISSING).any())
        _refuse_strangers(inputs, name, seen=seen, known=not np.isnan(getattr(inputs, name)).all())
    return tuple(remarks)


def in_parts(
    inputs: Inputs, measures: Sequence[Measure], judge: Judge | None, *, unknown: bool = False
) -> tuple[Floats, tuple[Remark, ...]]:
    """Compute measures [measure, query] and remarks for rankings of about one length at a time.

    The inputs of all queries are not computed, unless a remark counts something in one of the parts.
    """
    parts = evenly(inputs.run, inputs.qids, inputs.depth)
    values = np.full((len(measures), len(inputs.qids)), np.nan)
    if len(parts) == 1:
        values = values_of(inputs, measures, judge)
        return values, remarks_on(inputs, measures, values, unknown=unknown)
    asked = {name for measure in measures if not isinstance(measure, Utility) for name in measure.needs}
    some = asked & ({"membership"} | (OF_EXTRAS & OF_RANKS))  # of which something should be known
    known = dict.fromkeys(some, False)
    said: list[list[Remark | str]] = []
    counts = np.zeros(4, dtype=np.int64)
    for part in parts:
        of_part = Inputs(inputs.run, [inputs.qids[query] for query in part], inputs.reference, inputs.depth)
        values[:, part] = values_of(of_part, measures, judge)
        said.append([_said(*each, of_part) for each in zip(measures, values[:, part], strict=True)])
        known = {name: known[name] or not np.isnan(getattr(of_part, name)).all() for name in some}
        counts += _counts(of_part) if "membership" in some else 0
    sentences = [
        of_parts[0] if _alike(of_parts) else _said(measure, row, inputs)
        for measure, row, *of_parts in zip(measures, values, *said, strict=True)
    ]
    remarks = [_of(measure, sentence) for measure, sentence in zip(measures, sentences, strict=True) if sentence]
    seen = bool(np.diff(inputs.run.starts).any())
    for name in some if inputs.reference.labels is not None and not unknown else some - {"membership"}:
        what = "labels" if name == "membership" else name
        _refuse_strangers(inputs, what, seen=seen, known=known[name])
    return values, (*remarks, *[_known(counts)] * ("membership" in some))


def _alike(said: Sequence[Remark | str]) -> bool:
    """Tell whether the same is said of all parts, and counts nothing: then it is true of the whole."""
    return len(set(map(str, said))) == 1 and not getattr(said[0], "numbers", ())


def _said(measure: Measure, values: Floats, inputs: Inputs) -> Remark | str:
    if isinstance(measure, Utility):
        return ""
    return measure.remark(**{n: values if n == "values" else getattr(inputs, n) for n in measure.remarks_on})


def _of(measure: Measure, said: Remark | str) -> Remark:
    remark = said if isinstance(said, Remark) else Remark(said.replace("{}", "{ }"))
    return replace(remark, measure=measure)


def _counts(inputs: Inputs) -> Ints:
    """Count the ranks of which the groups are known, all ranks, the queries without any of the first, all queries."""
    there = inputs.lines != MISSING
    known = there & ~np.isnan(inputs.membership).any(axis=2)
    silent = there.any(axis=1) & ~known.any(axis=1)
    return np.array([known.sum(), there.sum(), silent.sum(), len(there)])


def _known(counts: Ints) -> Remark:
    """Say for what share of the ranks looked at the groups are known."""
    known, there, silent, queries = counts.tolist()
    words = "groups are known for {} of the {} ranks looked at"
    if silent * 10 <= queries:
        return Remark(words, (known, there))
    words += "; {} of {} queries have no document of known group, are these the right labels?"
    return Remark(words, (known, there, silent, queries))


def _refuse_strangers(inputs: Inputs, what: str, *, seen: bool, known: bool) -> None:
    """Raise InputError if documents were looked at, and labels or positions are known of none of them."""
    if seen and not known:
        raise InputError(f"the {what} know none of its documents; are they of the same collection?", inputs.run.name)

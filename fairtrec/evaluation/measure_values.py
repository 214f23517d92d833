"""How measures are called on their inputs: of one ranking of each query or of several, of one attribute or of all."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Ints, Run
from fairtrec.data.ranking.depth import find_depth
from fairtrec.evaluation.inputs import several_attributes
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import OF_RANKS, looks_at_groups
from fairtrec.measures.utility import GroupUtility, find_relevance_rows
from fairtrec.support.errors import UsageError

SEVERAL = 3  # cutoffs of a measure, from which they are computed together


class InputsOfSamples(Inputs):
    """Inputs for measures that look at all rankings of a query at once, with [ranking, ...] instead of [query, ...].

    What belongs to a query (its target, its judged documents) stays [query, ...]. The measures are of one attribute.
    Raises UsageError for one that needs what is not known for each ranking.
    """

    def __init__(
        self, runs: Sequence[Run], qids: Sequence[str], measures: Sequence[Measure], context: EvaluationContext
    ) -> None:
        of_one = {"lengths", "is_filled"} | OF_RANKS - {"membership", "relevance"}
        if unknown := of_one.intersection(name for measure in measures for name in measure.needs):
            raise UsageError(f"{', '.join(sorted(unknown))} cannot be combined with sample_of; leave out --samples")
        super().__init__(runs[0], qids, context.take_attribute(measures[0].by), find_depth(measures))
        among = set(qids)
        chosen = [(run, [qid for qid in run.qids if qid in among]) for run in runs]
        self.samples = [Inputs(run, ranked, self.context, self.depth) for run, ranked in chosen]

    @cached_property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        number = {qid: i for i, qid in enumerate(self.qids)}
        return np.array([number[qid] for part in self.samples for qid in part.qids], dtype=np.int64)

    def find_input(self, name: str) -> Callable[..., Any]:
        """Find what computes an input: groups and grades are those of each ranking [ranking, rank, ...]."""
        if name in ("membership", "relevance"):
            return lambda _: self._together([getattr(part, name) for part in self.samples])
        return super().find_input(name)

    def _together(self, parts: Sequence[Floats]) -> Floats:
        width = max(part.shape[1] for part in parts)
        rest = [(0, 0)] * (parts[0].ndim - 2)
        filled = [np.pad(p, [(0, 0), (0, width - p.shape[1]), *rest], constant_values=np.nan) for p in parts]
        return np.concatenate(filled)


def compute_measures(inputs: Inputs, measures: Sequence[Measure]) -> Floats:
    """Compute measures [measure, query]: those of relevance by the judge, the others from what they need.

    Each is by its attribute, or over all of them where it is one number of all. Where labels are per query, an
    attribute takes part in the queries that they name, and is undefined in others.
    """
    queries = len(inputs.qids)
    values = np.full((len(measures), queries), np.nan)
    utility = find_relevance_rows(measures)
    if utility:
        values[utility] = inputs.context.judge.values(inputs.run, inputs.qids)
    together = _values_by_cutoff(inputs, [(row, each) for row, each in enumerate(measures) if row not in utility])
    for row, measure in enumerate(measures):
        if row in utility:
            continue
        own = inputs.take_attribute(measure.by)
        several = list_parts(measure, inputs.context) if len(inputs.context.given) > 1 else ()
        if several:
            value = measure.combine_attributes(compute_measures(inputs, several), find_participation(inputs))
        elif isinstance(measure, GroupUtility):
            from fairtrec.evaluation.relevance.group_values import compute_group  # which few evaluations import

            value = mask_values(measure, compute_group(measure, own), own)
        elif own.context.is_vast and looks_at_groups(measure):
            value = mask_values(measure, several_attributes.compute_unlisted(measure, own), own)
        else:
            value = together[row] if row in together else measure(**_inputs_of(measure, own))
            value = value if own.context.labels is None else mask_values(measure, value, own)
        if np.shape(value) not in ((queries,), (1,)):
            what = f"{measure} gave values of the shape {np.shape(value)} for {queries} queries"
            raise UsageError(f"{what}; report this bug to the authors of the plug-in")
        values[row] = value
    return values + 0.0  # -0.0 is 0.0


def _inputs_of(measure: Measure, inputs: Inputs) -> dict[str, Any]:
    return {name: getattr(inputs, name) for name in measure.needs}


def _values_by_cutoff(inputs: Inputs, measures: Sequence[tuple[int, Measure]]) -> dict[int, Floats]:
    """Compute the measures, each with its row, that are asked for at several cutoffs: the values [query] by row.

    What one cutoff shares with the others is computed once.
    """
    families: dict[Any, list[tuple[int, int, Measure]]] = {}
    if max(Counter(type(measure) for _, measure in measures).values(), default=0) < SEVERAL:
        return {}
    for row, measure in measures:
        cutoff, key = find_family(measure)
        if cutoff is not None:
            families.setdefault(key, []).append((cutoff, row, measure))
    found: dict[int, Floats] = {}
    for family in families.values():
        own = inputs.take_attribute(family[0][2].by)
        is_of_all = len(inputs.context.given) > 1 and list_parts(family[0][2], inputs.context)
        if len(family) < SEVERAL or is_of_all or (own.context.is_vast and looks_at_groups(family[0][2])):
            continue
        (_, _, deepest), *shallower = several = sorted(family, key=itemgetter(0), reverse=True)
        values = deepest.values_at([each for _, _, each in shallower], **_inputs_of(deepest, own))
        found |= {row: value for (_, row, _), value in zip(several, values, strict=True)}
    return found


def find_family(measure: Measure) -> tuple[int | None, tuple[Any, ...]]:
    """Give the cutoff of a measure, if it has one, and all else that it is: the same for its other cutoffs."""
    own_fields = {field.name: getattr(measure, field.name) for field in fields(measure)}
    cutoff = own_fields.pop("cutoff", None)
    return cutoff if isinstance(cutoff, int) else None, (type(measure), *own_fields.values())


def mask_values(measure: Measure, values: Floats, inputs: Inputs) -> Floats:
    """Leave values [..., query] undefined where the measure's attribute takes no part."""
    of_all = not measure.by and len(inputs.context.given) > 1
    if of_all or inputs.takes_part.all() or not looks_at_groups(measure):
        return values
    return np.where(inputs.takes_part, values, np.nan)


def list_parts(measure: Measure, context: EvaluationContext) -> tuple[Measure, ...]:
    """Name the measures that one of all attributes is made of; none of one attribute."""
    if len(context.given) < 2 or not measure.is_of_all:
        return ()
    labels = {name: context.take_attribute(name).labels for name in context.given}
    return measure.over_attributes({name: each is not None and each.is_ordered for name, each in labels.items()})


def find_participation(inputs: Inputs) -> Bools:
    """Tell which attributes take part in which queries [attribute, query]."""
    return np.stack([inputs.take_attribute(attribute).takes_part for attribute in inputs.context.given])

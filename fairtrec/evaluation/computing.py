"""How measures are called on their inputs: of one ranking of each query or of several, of one attribute or of all."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.catalogue.needs import OF_RANKS, looks_at_groups
from fairtrec.data import Bools, Floats, Ints, Run
from fairtrec.errors import UsageError
from fairtrec.inputs import unlisted
from fairtrec.inputs.documents import Reference
from fairtrec.inputs.of_measures import Inputs
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility
from fairtrec.relevance.judge import RelevanceEvaluator


class InputsOfSamples(Inputs):
    """Inputs for a measure that looks at all rankings of a query at once: [ranking, ...] in the place of [query, ...].

    What belongs to a query (its target, its judged documents) stays [query, ...].
    """

    def __init__(self, runs: Sequence[Run], qids: Sequence[str], reference: Reference, depth: int | None) -> None:
        super().__init__(runs[0], qids, reference, depth)
        number = {qid: i for i, qid in enumerate(qids)}
        chosen = [(run, [qid for qid in run.qids if qid in number]) for run in runs]
        self._parts = [Inputs(run, ranked, reference, depth) for run, ranked in chosen]
        self._sample_of = np.array([number[qid] for _, ranked in chosen for qid in ranked], dtype=np.int64)

    def named(self, names: Iterable[str]) -> dict[str, Any]:
        """Compute the inputs of these names. Raises UsageError for one that is not known for each ranking."""
        unknown = ({"lengths"} | OF_RANKS - {"membership", "relevance"}).intersection(names)
        if unknown:
            raise UsageError(f"{', '.join(sorted(unknown))} cannot be had together with sample_of; leave out --samples")
        return {name: getattr(self, name) for name in names}

    @property
    def rankings(self) -> list[Inputs]:
        """The inputs of each sample."""
        return self._parts

    def value(self, measure: Measure) -> Floats:
        """Compute a measure [query] of all rankings of each query at once."""
        if self.reference.is_vast:
            return unlisted.values(measure, self, self.rankings)
        return measure(**self.named(measure.needs))

    @property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        return self._sample_of

    @cached_property
    def membership(self) -> Floats:
        """Who belongs to which group [ranking, rank, group]."""
        return self._together([part.membership for part in self._parts])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [ranking, rank]."""
        return self._together([part.relevance for part in self._parts])

    def _together(self, parts: Sequence[Floats]) -> Floats:
        width = max(part.shape[1] for part in parts)
        rest = [(0, 0)] * (parts[0].ndim - 2)
        filled = [np.pad(p, [(0, 0), (0, width - p.shape[1]), *rest], constant_values=np.nan) for p in parts]
        return np.concatenate(filled)


def value_of(measure: Measure, inputs: Inputs) -> Floats:
    """Compute a measure [query] by its attribute, or over all of them where it is one number of all.

    Where labels are per query, an attribute takes part in the queries that they name, and is undefined in others.
    """
    if len(inputs.reference.given) > 1 and (parts := parts_of(measure, inputs.reference)):
        values = np.stack([np.broadcast_to(value_of(part, inputs), len(inputs.qids)) for part in parts])
        return measure.combined(values, taking_part(inputs))
    own = inputs.by(measure.by)
    if own.reference.is_vast and looks_at_groups(measure):
        return masked(measure, unlisted.values(measure, own, own.rankings), own)
    value = measure(**{name: getattr(own, name) for name in measure.needs})
    return value if own.reference.labels is None else masked(measure, value, own)


def masked(measure: Measure, values: Floats, inputs: Inputs) -> Floats:
    """Leave values [..., query] undefined where the measure's attribute takes no part."""
    of_all = not measure.by and len(inputs.reference.given) > 1
    if of_all or inputs.takes_part.all() or not looks_at_groups(measure):
        return values
    return np.where(inputs.takes_part, values, np.nan)


def parts_of(measure: Measure, reference: Reference) -> tuple[Measure, ...]:
    """Name the measures that one of all attributes is made of; none of one attribute."""
    if len(reference.given) < 2 or not measure.is_of_all:
        return ()
    labels = {name: reference.by(name).labels for name in reference.given}
    return measure.over_attributes({name: each is not None and bool(each.order) for name, each in labels.items()})


def taking_part(inputs: Inputs) -> Bools:
    """Tell which attributes take part in which queries [attribute, query]."""
    return np.stack([inputs.by(attribute).takes_part for attribute in inputs.reference.given])


def values_of(inputs: Inputs, measures: Sequence[Measure], judge: RelevanceEvaluator | None) -> Floats:
    """Compute the measures [measure, query]: from what they need, or those of ir-measures by the judge."""
    queries = len(inputs.qids)
    utility = [row for row, measure in enumerate(measures) if isinstance(measure, Utility)]
    if judge is not None and len(utility) == len(measures):
        return judge.values(inputs.run, inputs.qids)
    values = np.full((len(measures), queries), np.nan)
    if utility and judge is not None:
        values[utility] = judge.values(inputs.run, inputs.qids)
    for row, measure in enumerate(measures):
        if isinstance(measure, Utility):
            continue
        value = value_of(measure, inputs)
        if np.shape(value) not in ((queries,), (1,)):
            what = f"{measure} gave values of the shape {np.shape(value)} for {queries} queries"
            raise UsageError(f"{what}; it has a fault, report it to its authors")
        values[row] = value
    return values

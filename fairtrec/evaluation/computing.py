"""How measures are called on their inputs: of one ranking of each query or of several, of one attribute or of all.

And exposure pooled over queries: what a run hands out to groups in all, each query as often as it is asked. What is
unfair one way in one query may be made up in another. Source: Biega, Gummadi, Weikum: Equity of Attention. SIGIR 2018,
amortised over rankings. https://doi.org/10.1145/3209978.3210063
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from numbers import Real
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import Bools, Floats, Ints, Run, System
from fairtrec.data.groups import is_number
from fairtrec.data.ranking.depth import evenly
from fairtrec.evaluation.inputs import by_attribute, loading
from fairtrec.evaluation.inputs.documents import Reference
from fairtrec.evaluation.inputs.of_measures import Inputs
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Measure, NoteKind, Summands
from fairtrec.measures.catalogue.needs import OF_RANKS, looks_at_groups
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import opening

POOLED = NoteKind(
    "pooled",
    "pooled: exposure summed over queries; what is unfair one way in one query may be made up in another, so read it "
    "beside the mean",
)
COLUMNS = "{} column{} where frequencies of queries have two; write: qid<TAB>frequency"


class InputsOfSamples(Inputs):
    """Inputs for a measure that looks at all rankings of a query at once: [ranking, ...] in the place of [query, ...].

    What belongs to a query (its target, its judged documents) stays [query, ...]. Raises UsageError for a measure that
    needs what is not known for each ranking.
    """

    def __init__(self, runs: Sequence[Run], qids: Sequence[str], measure: Measure, reference: Reference) -> None:
        unknown = ({"lengths"} | OF_RANKS - {"membership", "relevance"}).intersection(measure.needs)
        if unknown:
            raise UsageError(f"{', '.join(sorted(unknown))} cannot be had together with sample_of; leave out --samples")
        super().__init__(runs[0], qids, reference.by(measure.by), measure.depth)
        among = set(qids)
        chosen = [(run, [qid for qid in run.qids if qid in among]) for run in runs]
        self.samples = [Inputs(run, ranked, self.reference, self.depth) for run, ranked in chosen]

    @cached_property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        number = {qid: i for i, qid in enumerate(self.qids)}
        return np.array([number[qid] for part in self.samples for qid in part.qids], dtype=np.int64)

    @cached_property
    def membership(self) -> Floats:
        """Who belongs to which group [ranking, rank, group]."""
        return self._together([part.membership for part in self.samples])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [ranking, rank]."""
        return self._together([part.relevance for part in self.samples])

    def _together(self, parts: Sequence[Floats]) -> Floats:
        width = max(part.shape[1] for part in parts)
        rest = [(0, 0)] * (parts[0].ndim - 2)
        filled = [np.pad(p, [(0, 0), (0, width - p.shape[1]), *rest], constant_values=np.nan) for p in parts]
        return np.concatenate(filled)


def values_of(inputs: Inputs, measures: Sequence[Measure]) -> Floats:
    """Compute measures [measure, query]: those of relevance by the judge, the others from what they need.

    Each is by its attribute, or over all of them where it is one number of all. Where labels are per query, an
    attribute takes part in the queries that they name, and is undefined in others.
    """
    queries = len(inputs.qids)
    values = np.full((len(measures), queries), np.nan)
    utility = [row for row, measure in enumerate(measures) if isinstance(measure, Utility)]
    if utility:
        values[utility] = inputs.reference.judge.values(inputs.run, inputs.qids)
    for row, measure in enumerate(measures):
        if row in utility:
            continue
        own = inputs.by(measure.by)
        several = parts_of(measure, inputs.reference) if len(inputs.reference.given) > 1 else ()
        if several:
            value = measure.combined(values_of(inputs, several), taking_part(inputs))
        elif own.reference.is_vast and looks_at_groups(measure):
            value = masked(measure, by_attribute.values_of_unlisted(measure, own), own)
        else:
            value = measure(**{name: getattr(own, name) for name in measure.needs})
            value = value if own.reference.labels is None else masked(measure, value, own)
        if np.shape(value) not in ((queries,), (1,)):
            what = f"{measure} gave values of the shape {np.shape(value)} for {queries} queries"
            raise UsageError(f"{what}; it has a fault, report it to its authors")
        values[row] = value
    return values + 0.0  # -0.0 is 0.0


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
    return measure.over_attributes({name: each is not None and each.is_ordered for name, each in labels.items()})


def taking_part(inputs: Inputs) -> Bools:
    """Tell which attributes take part in which queries [attribute, query]."""
    return np.stack([inputs.by(attribute).takes_part for attribute in inputs.reference.given])


@dataclass(frozen=True, eq=False)
class Pooled:
    """What the measures of a run that can be pooled sum over queries, and the ``frequency`` [query] of each."""

    pools: Mapping[Measure, Summands]
    frequency: Floats

    def of(self, queries: Sequence[int]) -> "Pooled":
        """Keep some of the queries, by number."""
        some = {measure: pool._replace(terms=pool.terms[list(queries)]) for measure, pool in self.pools.items()}
        return Pooled(some, self.frequency[list(queries)])

    def joined(self, other: "Pooled") -> "Pooled":
        """Put those of other measures beside these."""
        return Pooled({**self.pools, **other.pools}, self.frequency)

    def value(self, measure: Measure) -> float | None:
        """Give the pooled value, nan where it is undefined; None of a measure that cannot be pooled."""
        pool = self.pools.get(measure)
        return None if pool is None else float(pool.value(weighted_sum(pool.terms[None], self.frequency)[0]))


def frequencies(given: Any) -> Mapping[str, float] | None:
    """Read how often each query is asked: a file of ``qid<TAB>frequency``, or numbers by query; None is once each.

    Raises UsageError for what is no file, InputError for a line that is wrong.
    """
    if given is None or given == "even":
        return None
    if isinstance(given, Mapping):
        for qid, number in given.items():
            if not isinstance(number, Real) or not isfinite(number) or number < 0:
                raise UsageError(f"the frequency {number!r} of query {qid} is no number of 0 or more; correct it")
        return given
    if not loading.is_file(given):
        raise UsageError(f"there is no file {fspath(given)}; --pool takes a file of qid<TAB>frequency, or even")
    from fairtrec.formats import tsv

    found: dict[str, float] = {}
    lines = opening.lines(given, comment=b"#")
    for number, (qid, often) in tsv.rows(lines, given, (2,), COLUMNS, filled=2, otherwise=None):
        if not is_number(often) or float(often) < 0:
            raise InputError(f"the frequency {often!r} is no number of 0 or more; correct it", given, number)
        if qid in found:
            raise InputError(f"query {qid} has two frequencies; keep one", given, number)
        found[qid] = float(often)
    return found


def pooled(system: System, measures: Sequence[Measure], qids: Sequence[str], reference: Reference) -> Pooled:
    """Sum what the measures of a run pool. Raises InputError for a query of which no frequency is known."""
    often = reference.pool
    lacking = [qid for qid in qids if often is not None and qid not in often]
    if lacking:
        what = f"query {lacking[0]} has no frequency; give one to each query of the run, 0 for what is never asked"
        raise InputError(what, system.name)
    frequency = np.array([1.0 if often is None else often[qid] for qid in qids])
    found = {measure: _pool(system, measure, qids, reference) for measure in measures}
    return Pooled({measure: pool for measure, pool in found.items() if pool is not None}, frequency)


def _pool(system: System, measure: Measure, qids: Sequence[str], reference: Reference) -> Summands | None:
    """Take what one measure pools, the mean over a query's rankings where there are several."""
    if not measure.gives("pool"):
        return None
    own = reference.by(measure.by)
    several: Iterable[Inputs] = (
        Inputs(run, [ranked[query] for query in part], own, measure.depth)
        for run, ranked in system.parts(qids)
        for part in evenly(run, ranked, measure.depth)
    )
    if system.sampled and "sample_of" in measure.needs:
        several = [InputsOfSamples(system.runs, qids, measure, reference)]
    place = {qid: at for at, qid in enumerate(qids)}
    pool, terms, times = None, np.zeros((len(qids), 1)), np.zeros(len(qids))
    for inputs in several:
        pool = measure.formula(**{name: getattr(inputs, name) for name in measure.needs}).over_queries()
        assert pool is not None
        terms = np.broadcast_to(terms, (len(qids), pool.terms.shape[1])).copy()
        at = [place[qid] for qid in inputs.qids]
        terms[at] += np.where(inputs.takes_part[:, None], pool.terms, 0.0)
        times[at] += 1
    assert pool is not None
    return pool._replace(terms=terms / np.maximum(times, 1)[:, None])

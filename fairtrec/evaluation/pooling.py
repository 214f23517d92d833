"""Exposure pooled over queries: what a run hands out to groups in all, each query as often as it is asked.

What is unfair one way in one query may be made up in another. Source: Biega, Gummadi, Weikum: Equity of Attention.
SIGIR 2018, amortised over rankings. https://doi.org/10.1145/3209978.3210063
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import Floats, System
from fairtrec.data.groups import is_number
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.evaluation.computing import InputsOfSamples
from fairtrec.files import opening
from fairtrec.formats import tsv
from fairtrec.inputs import loading
from fairtrec.inputs.documents import Reference
from fairtrec.inputs.of_measures import Inputs
from fairtrec.measure import Measure, Summands
from fairtrec.ranking.depth import evenly

REMARK = (
    "pooled: exposure summed over queries; what is unfair one way in one query may be made up in another, so read it "
    "beside the mean"
)
COLUMNS = "{} column{} where frequencies of queries have two; write: qid<TAB>frequency"


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
        return None if pool is None else float(pool.value(self.frequency @ pool.terms))


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
    found: dict[str, float] = {}
    for number, (qid, often) in _lines(given):
        if not is_number(often) or float(often) < 0:
            raise InputError(f"the frequency {often!r} is no number of 0 or more; correct it", given, number)
        if qid in found:
            raise InputError(f"query {qid} has two frequencies; keep one", given, number)
        found[qid] = float(often)
    return found


def _lines(path: FilePath) -> Iterator[tuple[int, list[str]]]:
    return tsv.rows(opening.lines(path, comment=b"#"), path, (2,), COLUMNS, filled=2, otherwise=None)


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
    if type(measure).over_queries is Measure.over_queries:
        return None
    own = reference.by(measure.by)
    if system.sampled and "sample_of" in measure.needs:
        several = InputsOfSamples(system.runs, qids, own, measure.depth)
        pool = measure.over_queries(**several.named(measure.needs))
        return pool._replace(terms=np.where(several.takes_part[:, None], pool.terms, 0.0))
    place = {qid: at for at, qid in enumerate(qids)}
    terms: Floats | None = None
    times, value = np.zeros(len(qids)), None
    for run, ranked in system.parts(qids):
        for part in evenly(run, ranked, measure.depth):
            inputs = Inputs(run, [ranked[query] for query in part], own, measure.depth)
            pool = measure.over_queries(**{name: getattr(inputs, name) for name in measure.needs})
            terms = np.zeros((len(qids), pool.terms.shape[1])) if terms is None else terms
            at = [place[qid] for qid in inputs.qids]
            terms[at] += np.where(inputs.takes_part[:, None], pool.terms, 0.0)
            times[at] += 1
            value = pool.value
    assert terms is not None
    assert value is not None
    return Summands(terms / np.maximum(times, 1)[:, None], value)

"""How often each query is asked, by which exposure is summed over queries."""

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import Floats, digest_texts
from fairtrec.data.ranking.depth import Asking
from fairtrec.evaluation.given.given_rows import Files, Written
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, Reference
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.measure import Measure
from fairtrec.support.errors import InputError, UsageError, refuse_first
from fairtrec.support.literals import FILLED


class PoolReference(Reference):
    """How often each query is asked."""

    opened_by = "measures"

    def is_wanted(self, measures: Sequence[Measure], needs: frozenset[str]) -> bool:
        """Raise UsageError where no measure pools exposure."""
        if not any(measure.supports("pool") for measure in measures):
            raise UsageError("--pool sums exposure over queries, and no measure here uses exposure; leave it out")
        return True

    def refuse_measure(self, measure: Asking, opened: OpenedReferences) -> None:
        """Raise UsageError for a measure of all queries together without it, or with what its value cannot have."""
        if not getattr(measure, "of_pool", False):
            return
        choices, is_divided, of = opened.choices, "group_sizes" in measure.needs, opened.find_attribute(measure)
        if choices.pool is None:
            option = "--pool even"
            raise UsageError(f"{measure} is over all queries; add {option}, which eval, compare, check and plot have")
        filled = f"{measure} divides by the documents of the labels, and --missing {choices.missing} adds others"
        per_query = f"{measure} needs labels of documents, and these are per query; pass others"
        is_open = choices.bounds is not None
        is_bounded = choices.bounds == "labels" and getattr(measure, "has_pooled_bounds", False)
        by_scores, middle = getattr(measure, "uses_scores", False), getattr(measure, "above", None) == "median"
        refuse_first([
            (by_scores and choices.order != "score", f"{measure} selects by score; leave out --order {choices.order}"),
            (middle and choices.samples, f"{measure} is of one ranking for each query; leave out --samples"),
            (is_open and not is_bounded, f"{measure} has no bounds; leave out --bounds, or the measure"),
            (is_divided and choices.missing in FILLED, f"{filled}; leave out one of the two"),
            (is_divided and of is not None and of.per_query, per_query),
        ])  # fmt: skip

    def read(self, opened: OpenedReferences) -> Mapping[str, float] | None:
        """Read the frequencies; None: each query once."""
        return frequencies(opened.given.things[self.name])

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the frequencies; the word for them is written as a choice."""
        return {} if self.name in plan.given.words else super().sign(plan, context, files)

    def digest(self, read: Mapping[str, float]) -> str:
        """Hash the frequencies."""
        return digest_texts((str(qid), repr(float(often))) for qid, often in read.items())


POOL = PoolReference("pool")


def frequencies(given: Any) -> Mapping[str, float] | None:
    """Read how often each query is asked: a file of ``qid<TAB>frequency``, or numbers by query; None is once each.

    Raises UsageError for what is no file, InputError for a line that is wrong.
    """
    if given is None or given == "even":
        return None
    if isinstance(given, Mapping):
        for qid, number in given.items():
            if not isinstance(number, Real) or not isfinite(number) or number < 0:
                raise UsageError(f"the frequency {number!r} of query {qid} is not a number of 0 or more; correct it")
        return given
    if not loading.is_file(given):
        raise UsageError(f"there is no file {fspath(given)}; pass --pool a file of qid<TAB>frequency, or even")
    from fairtrec.formats import tsv

    return tsv.frequencies(given)


def find_frequencies(often: Mapping[str, float] | None, qids: Sequence[str], run: str) -> Floats:
    """Give how often each query of a run is asked [query]. Raises InputError for one of which no frequency is known."""
    lacking = [qid for qid in qids if often is not None and qid not in often]
    if lacking:
        what = f"query {lacking[0]} has no frequency; add one for each query of the run, 0 if it was never asked"
        raise InputError(what, run)
    return np.array([1.0 if often is None else often[qid] for qid in qids])

"""The share that each group should have, and how likely the groups of unknown documents are."""

from collections.abc import Mapping
from typing import cast, get_args

import numpy as np

from fairtrec.catalogue.needs import NEEDS
from fairtrec.data import Floats, Labels
from fairtrec.errors import UsageError, asked_by
from fairtrec.evaluation import loading
from fairtrec.evaluation.choices import Target
from fairtrec.evaluation.documents import TargetOf
from fairtrec.formulas import distribution

Shares = tuple[Floats | None, TargetOf | None, Mapping[str, Floats] | None]


def remark_on(target: Target, labels: Labels) -> str:
    """Say what even shares mean where labels are per query, or nothing."""
    if target != "even" or not labels.per_query:
        return ""
    if labels.own:
        return "subtopics are each query's own: the target is even over those of the query, and others take no part"
    _, named = labels.by_query()
    lacking = int((~named.all(axis=1)).sum())
    what = f"the labels of {lacking} of {len(named)} queries name not all groups; the target is even over all"
    return what if lacking else ""


def _even_of_queries(labels: Labels) -> dict[str, Floats]:
    qids, named = labels.by_query()
    return dict(zip(qids, distribution.shares(named.astype(np.float64)), strict=True))


def shares_of(target: Target, groups: tuple[str, ...], inputs: frozenset[str], labels: Labels | None) -> Shares:
    """Settle the wanted shares: the same for all, taken from documents, or one for each query.

    Even shares are over all groups; where each query has groups of its own, as subtopics are, over these.

    Raises UsageError where they make no sense.
    """
    if target == "even":
        of_queries = _even_of_queries(labels) if labels is not None and labels.own else None
        return None if of_queries else distribution.even(len(groups)), None, of_queries
    if isinstance(target, str) and "=" not in target:
        if target not in get_args(TargetOf):
            if loading.is_file(target):
                return None, None, loading.targets(target, groups)
            words = ", ".join(get_args(TargetOf))
            raise UsageError(f"the target {target!r} is not known; choose one of even, {words}, a file, or f=0.4,m=0.6")
        needed = "relevance" if target == "qrels" else target
        if needed not in inputs:
            raise UsageError(f"the target {target} needs {NEEDS[needed].missing}; give {asked_by(NEEDS[needed].give)}")
        return None, cast("TargetOf", target), None
    return _written(target, groups, "target"), None, None


def prior_of(prior: Target, groups: tuple[str, ...]) -> Floats | None:
    """Settle how likely the groups of unknown documents are; None: as among the known documents of the query."""
    if prior == "known":
        return None
    if prior == "even":
        return distribution.even(len(groups))
    if isinstance(prior, str) and "=" not in prior:
        raise UsageError(f"the prior {prior!r} is not known; choose one of even, known, or f=0.4,m=0.6")
    return _written(prior, groups, "prior")


def _written(given: Target, groups: tuple[str, ...], what: str) -> Floats:
    try:
        pairs = [pair.split("=") for pair in given.split(",")] if isinstance(given, str) else list(given.items())
        shares = {str(group).strip(): float(share) for group, share in pairs}
    except ValueError:
        raise UsageError(f"cannot read the {what} {given!r}; write it like f=0.4,m=0.6") from None
    if len(pairs) > len(shares):
        raise UsageError(f"the {what} {given} names a group twice; keep one")
    if set(shares) != set(groups):
        raise UsageError(f"the {what} names the groups {', '.join(shares)}; name each of {', '.join(groups)}")
    values = np.array([shares[group] for group in groups])
    if not distribution.sums_to_one(values):
        raise UsageError(f"the {what}'s shares sum to {values.sum():g}; they must be 0 or more and sum to 1")
    return values

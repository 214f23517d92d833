"""The groups of labels, which there are and which are asked for, and the share that each group should have."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import cast, get_args

import numpy as np

from fairtrec.catalogue.needs import NEEDS
from fairtrec.data import Floats, Labels
from fairtrec.errors import UsageError, asked_by
from fairtrec.evaluation import loading
from fairtrec.evaluation.choices import Target
from fairtrec.evaluation.documents import TargetOf
from fairtrec.formulas import distribution

FEW = 0.01  # of the labelled documents; a group with fewer may be a slip of who labelled
SHOWN = 8  # groups in a line


def chosen(labels: Labels, wanted: str | Sequence[str]) -> Labels:
    """Keep these groups; a document that belongs to none of them is of unknown group.

    Raises UsageError for a group that there is not, and for fewer than two.
    """
    names = [name.strip() for name in (wanted.split(",") if isinstance(wanted, str) else wanted)]
    strange = [name for name in names if name not in labels.groups]
    if strange:
        known = ", ".join(labels.groups)
        raise UsageError(f"{labels.name} has no group {strange[0]}; there are {known} (word lists are --terms now)")
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise UsageError("name at least two different groups, like --groups F,M")
    kept = [column for column, name in enumerate(labels.groups) if name in names]
    weights = labels.weights[:, kept]
    elsewhere = (labels.weights > 0).any(axis=1) & ~(weights > 0).any(axis=1)
    weights[elsewhere] = np.nan
    return dataclasses.replace(labels, groups=tuple(labels.groups[column] for column in kept), weights=weights)


def sizes(labels: Labels) -> dict[str, int]:
    """Count the labelled documents of each group (pairs of query and document where labels are per query)."""
    return dict(zip(labels.groups, (labels.weights > 0).sum(axis=0).tolist(), strict=True))


def listed(of_groups: Mapping[str, int]) -> str:
    """Write groups with their sizes in a line.

    >>> listed({"F": 232, "M": 232})
    'F 232, M 232'
    """
    shown = [f"{name} {size}" for name, size in list(of_groups.items())[:SHOWN]]
    return ", ".join(shown) + (f" and {len(of_groups) - SHOWN} more" if len(of_groups) > SHOWN else "")


def described(labels: Labels, target: Floats | None) -> dict[str, dict[str, float]]:
    """Give each group's number of labelled documents, and its share where that is the same for all queries."""
    of_groups: dict[str, dict[str, float]] = {name: {"documents": size} for name, size in sizes(labels).items()}
    for name, share in zip(of_groups, [] if target is None else target.tolist(), strict=False):
        of_groups[name]["target"] = share
    return of_groups


def remarks_on(labels: Labels, target: Floats | None) -> list[str]:
    """Say which groups there are and what each should have, and which may be a slip."""
    of_groups = sizes(labels)
    said = f"groups: {listed(of_groups)}"
    if target is not None:
        shares = [f"{share:.3g}" for share in target]
        same = len(set(shares)) == 1
        said += f"; target {shares[0]} each" if same else f"; target {', '.join(shares[:SHOWN])}"
    total = sum(of_groups.values())
    few = [name for name, size in of_groups.items() if size < FEW * total]
    if labels.own or not few:
        return [said]
    what = (
        f"{', '.join(few[:SHOWN])} has less than 1 % of the labels"
        if len(few) == 1
        else (f"{', '.join(few[:SHOWN])} have each less than 1 % of the labels")
    )
    return [said, f"{what}: if that is a slip, mend them, or name the groups that count with --groups"]


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

"""The groups of labels: which there are, and which are asked for."""

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from fairtrec.data import NONE, Floats, Labels
from fairtrec.errors import UsageError

FEW = 0.01  # of the labelled documents; a group with fewer may be a slip of who labelled
SHOWN = 8  # groups in a line


def chosen(labels: Labels, wanted: str | Sequence[str]) -> Labels:
    """Keep these groups; a document that belongs to others alone is of unknown group, or with ``-`` of none.

    Raises UsageError for a group that there is not, and for fewer than two.
    """
    names = [name.strip() for name in (wanted.split(",") if isinstance(wanted, str) else wanted)]
    none = NONE in names
    strange = [name for name in names if name not in (*labels.groups, NONE)]
    if strange:
        known = ", ".join(labels.groups)
        raise UsageError(f"{labels.name} has no group {strange[0]}; there are {known} (word lists are --terms now)")
    if len({*names} - {NONE}) < 2 or len(set(names)) < len(names):
        raise UsageError("name at least two different groups, like --groups F,M")
    kept = [column for column, name in enumerate(labels.groups) if name in names]
    weights = labels.weights[:, kept]
    elsewhere = (labels.weights > 0).any(axis=1) & ~(weights > 0).any(axis=1)
    weights[elsewhere] = 0 if none else np.nan
    groups = tuple(labels.groups[column] for column in kept)
    return dataclasses.replace(labels, groups=groups, weights=weights, none=labels.none or none)


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


def counted(labels: Labels) -> str:
    """Write the groups with their sizes, and how many labelled documents are of none of them, where some may be."""
    of_none = int((~labels.weights.any(axis=1)).sum())
    return listed(sizes(labels)) + (f", none {of_none}" if labels.none else "")


def described(labels: Labels, target: Floats | None) -> dict[str, dict[str, float]]:
    """Give each group's number of labelled documents, and its share where that is the same for all queries."""
    of_groups: dict[str, dict[str, float]] = {name: {"documents": size} for name, size in sizes(labels).items()}
    for name, share in zip(of_groups, [] if target is None else target.tolist(), strict=False):
        of_groups[name]["target"] = share
    return of_groups


def remarks_on(labels: Labels, target: Floats | None) -> list[str]:
    """Say which groups there are and what each should have, and which may be a slip."""
    of_groups = sizes(labels)
    said = f"groups: {counted(labels)}"
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

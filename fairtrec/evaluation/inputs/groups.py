"""The groups of labels: which there are, and which are asked for."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Floats, GroupTerms, Labels
from fairtrec.data.ranking.depth import Asking
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import parse_group_names, parse_renamings

if TYPE_CHECKING:
    from fairtrec.evaluation.inputs.documents import AttributeContext

FEW = 0.01  # of the labeled documents; a group with fewer may be a slip of who labeled
SHOWN = 8  # groups in a line
ORDER = "order"  # the input that only groups with an order have
NEUTRAL = NoteKind(
    "neutral by tau",
    "{neutral} labeled documents of a group{named} count as neutral, because a label is one "
    "group term and tau={tau}; use tau=0",
)
GROUPS = NoteKind("groups", "{attribute}{ordered}: {sizes}", NoteSeverity.LEGEND)
SMALL = NoteKind(
    "small groups",
    "{groups} {have} less than 1 % of the labels; if this is a typing error, correct it, or "
    "list the groups with --groups",
    NoteSeverity.MISLEADING,
)


SINGLE = NoteKind(
    "one document in each group",
    "each of the {groups} groups has one document; is this the column of the groups?",
    NoteSeverity.MISLEADING,
)


def choose_groups(labels: Labels, wanted: str | Sequence[str]) -> Labels:
    """Keep these groups; a document that belongs to others alone is of unknown group, or with ``-`` of none.

    Where all groups are named, and there are more than two, they are named in their order. Groups that are renamed
    have their new names already.
    Raises UsageError for a group that there is not, and for fewer than two.
    """
    names = parse_group_names(wanted)
    none = NONE in names
    strange = [name for name in names if name not in (*labels.groups, NONE)]
    if strange:
        known, old = ", ".join(labels.groups), {new: old for old, new in parse_renamings(wanted).items()}
        called = old.get(strange[0], strange[0])
        if called in old.values() and labels.written:
            written = ", ".join(sorted(labels.written - {NONE, UNKNOWN}))
            raise UsageError(f"no label is called {called}; they are {written}")
        raise UsageError(f"{labels.name} has no group {called}; there are {known}; for a word list, use --terms")
    if len({*names} - {NONE}) < 2 or len(set(names)) < len(names):
        raise UsageError("these are fewer than two different groups; pass two or more, like --groups F,M")
    kept = [column for column, name in enumerate(labels.groups) if name in names]
    weights = labels.weights[:, kept]
    elsewhere = (labels.weights > 0).any(axis=1) & ~(weights > 0).any(axis=1)
    weights[elsewhere] = 0 if none else np.nan
    groups = tuple(labels.groups[column] for column in kept)
    named = tuple(name for name in names if name != NONE)
    order = named if len(named) == len(labels.groups) > 2 else tuple(name for name in labels.order if name in named)
    return dataclasses.replace(labels, groups=groups, weights=weights, order=order, none=labels.none or none)


def refuse_unwritten(wanted: str | Sequence[str] | None, several: Sequence[Labels]) -> None:
    """Raise UsageError for a group that is renamed, and that none of these labels, gold ones included, has."""
    renamed, written = parse_renamings(wanted), [labels.written for labels in several]
    if not renamed or not all(written):
        return
    names = frozenset().union(*written) - {NONE, UNKNOWN}
    strange = [old for old in renamed if old not in names]
    if strange:
        raise UsageError(f"no label is called {strange[0]}; they are {', '.join(sorted(names))}")


def refuse_unordered(measure: Asking, several: Sequence[Labels | None], groups: Sequence[str]) -> None:
    """Raise UsageError for a measure of the order of groups that have none, as any two have, in any attribute."""
    if any(labels is not None and labels.is_ordered for labels in several):
        return
    for labels in several:
        names = groups if labels is None else labels.groups
        if len(names) > 2:
            how = "give labels" if labels is None else "--groups low,mid,high"
            if UNKNOWN in names:
                how = "unknown documents have no place in it; leave out --missing group"
            raise UsageError(f"{measure} needs the order of the groups: {how} (they are {', '.join(names)})")


def sizes(labels: Labels) -> dict[str, int]:
    """Count the labeled documents of each group, in their order if they have one.

    Where labels are per query it is pairs of query and document that are counted.
    """
    of_groups = dict(zip(labels.groups, labels.sizes.tolist(), strict=True))
    return {name: of_groups[name] for name in labels.order or labels.groups}


def write_sizes(of_groups: Mapping[str, int]) -> str:
    """Write groups with their sizes in a line.

    >>> write_sizes({"F": 232, "M": 232}), write_sizes({"?": 0, "F": 3})
    ('F 232, M 232', '? (no label), F 3')
    """
    shown = [f"{name} {'(no label)' if name == UNKNOWN else size}" for name, size in list(of_groups.items())[:SHOWN]]
    return ", ".join(shown) + (f" and {len(of_groups) - SHOWN} more" if len(of_groups) > SHOWN else "")


def write_group_sizes(labels: Labels) -> str:
    """Write the groups with their sizes, in their order if they have one, and how many documents are of none."""
    return write_sizes(sizes(labels)) + (f", none {labels.none_count}" if labels.none else "")


def note_terms(terms: GroupTerms) -> Note:
    """Say which groups a word list has, and how many terms each."""
    sizes = {name: len(words) for name, words in sorted(terms.terms.items())}
    shown = [f"{name} {size} term{'s' * (size != 1)}" for name, size in sizes.items()]
    more = [f"and {len(shown) - SHOWN:,} more"] if len(shown) > SHOWN else []
    return GROUPS.note(attribute="groups", ordered="", sizes=", ".join([*shown[:SHOWN], *more]))


def members(labels: Labels) -> str:
    """Write for the signature which groups there are, with their sizes, and whether they have an order."""
    return write_group_sizes(labels) + ", in this order" * (len(labels.order) > 2)


def describe_groups(labels: Labels, target: Floats | None) -> dict[str, dict[str, float]]:
    """Give each group's number of labeled documents, and its share where that is the same for all queries.

    The group of documents without a label has no number.
    """
    of_groups = sizes(labels)
    found: dict[str, dict[str, float]] = {
        name: {} if name == UNKNOWN else {"documents": of_groups[name]} for name in labels.groups
    }
    for name, share in zip(found, [] if target is None else target.tolist(), strict=False):
        found[name]["target"] = share
    return found


def describe_attributes(several: "Iterable[AttributeContext]") -> dict[str, Any]:
    """Give each group's number of documents and its share; by attribute, where these have names."""
    found = {each.attribute: describe_groups(each.labels, each.target) for each in several if each.labels is not None}
    return found.get("", found)


def note_tau(several: Iterable[tuple[Measure, Labels]]) -> list[Note]:
    """Say which measures take documents of a group for neutral, as a label is one group term, and tau lets it be.

    Of labels that were cut to the documents that something names these are counted.
    """
    found: dict[tuple[int, float, bool], list[Measure]] = {}
    for each, labels in several:
        tau = getattr(each, "tau", 0)
        if tau and (neutral := int(((labels.terms > 0) & (labels.terms <= tau)).sum())):
            found.setdefault((neutral, tau, labels.beyond is not None), []).append(each)
    return [
        NEUTRAL.note(measures=measures, neutral=neutral, named=" that are named" * cut, tau=tau)
        for (neutral, tau, cut), measures in found.items()
    ]


def note_groups(labels: Labels, target: Floats | None, attribute: str) -> list[Note]:
    """Say which groups there are and what each should have, and which may be a slip."""
    of_groups = sizes(labels)
    ordered, shown = ", in this order" * (len(labels.order) > 2), write_group_sizes(labels)
    if target is not None:
        of_name = dict(zip(labels.groups, target.tolist(), strict=True))
        shares = [f"{of_name[name]:.3g}" for name in of_groups]
        same = len(set(shares)) == 1
        shown += f"; target {shares[0]} each" if same else f"; target {', '.join(shares[:SHOWN])}"
    sizes_note = GROUPS.note(attribute=attribute or "groups", ordered=ordered, sizes=shown)
    total = sum(of_groups.values())
    if len(of_groups) > SHOWN and total == len(of_groups) and {*of_groups.values()} == {1}:
        return [sizes_note, SINGLE.note(groups=len(of_groups))]
    few = [name for name, size in of_groups.items() if size < FEW * total and name != UNKNOWN]
    if labels.own or not few:
        return [sizes_note]
    return [sizes_note, SMALL.note(groups=", ".join(few[:SHOWN]), have="has" if len(few) == 1 else "have each")]

"""The share that each group should have, and how likely the groups of unknown documents are."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import cast, get_args

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Floats, Labels
from fairtrec.evaluation.inputs import loading, several_attributes
from fairtrec.evaluation.inputs.documents import OF_QRELS, AttributeContext, MixedTarget, TargetOf
from fairtrec.evaluation.inputs.options import Choices, Target
from fairtrec.formulas import distribution
from fairtrec.formulas.crossed_groups import Crossing
from fairtrec.measure import Note, NoteKind
from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import is_by_name
from fairtrec.support.late_patterns import compile_late

_FACTOR = compile_late(r"(?:^|\+)\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*\*")  # before each part of a mixture
OWN_SUBTOPICS = NoteKind(
    "own subtopics",
    "each query has its own subtopics: the target is even over them; other subtopics are ignored",
)
NOT_ALL_GROUPS = NoteKind(
    "not all groups",
    "in {lacking} of {queries} queries some group has no label; the target is even over all groups",
)


def note_target(target: Target, labels: Labels) -> Note | None:
    """Say what even shares mean where labels are per query, or nothing."""
    if target != "even" or not labels.per_query:
        return None
    if labels.own:
        return OWN_SUBTOPICS.note()
    _, named = labels.list_query_groups()
    lacking = int((~named.all(axis=1)).sum())
    return NOT_ALL_GROUPS.note(lacking=lacking, queries=len(named)) if lacking else None


def _even_of_queries(labels: Labels) -> dict[str, Floats]:
    qids, named = labels.list_query_groups()
    return dict(zip(qids, distribution.shares(named.astype(np.float64)), strict=True))


def settle_attributes(
    several: Mapping[str, Labels],
    crossed: Mapping[str, Labels],
    groups: tuple[str, ...],
    choices: Choices,
    refuse_lacking: Callable[[object, str], None],
) -> dict[str, AttributeContext]:
    """Settle the labels and the target of each attribute, by its name; "" where labels have none, or there are none."""

    def settle(name: str, labels: Labels | None) -> AttributeContext:
        own = several_attributes.choose_own(choices, name, [*several])
        return attribute(name, labels, groups, own, refuse_lacking)

    every = {name: settle(name, several.get(name)) if groups else AttributeContext() for name in [*several] or [""]}
    for name, labels in crossed.items():
        parts = several_attributes.crossing(name, [every[part.strip()] for part in name.split("*")])
        is_named = is_by_name(choices.target) and name in choices.target
        of_collection = "collection" in (of for _, of in parts.of)
        if not parts.is_listed and (is_named or of_collection or choices.bounds is not None):
            many = f"{name} has more groups than are listed"
            raise UsageError(f"{many}, so it has no bounds and no target; leave these out, or cross fewer labels")
        own = several_attributes.choose_own(choices, name, [*several])
        prior = settle_prior(own.prior, labels) if choices.bounds == "labels" and not is_named else None
        every[name] = settle(name, labels) if is_named else _cross(name, labels, parts, prior)
    return every


def _cross(name: str, labels: Labels, parts: Crossing, prior: Floats | None) -> AttributeContext:
    """Make the target of attributes that are crossed of those of each."""
    target = parts.given_target.look_up_shares(parts.codes) if parts.is_listed and not parts.of else None
    return AttributeContext(
        attribute=name,
        labels=labels,
        target=target,
        target_of=MixedTarget(parts.of) if parts.of else None,
        prior=prior,
        crossing=parts,
        is_vast=not parts.is_listed,
    )


def attribute(
    name: str,
    labels: Labels | None,
    groups: tuple[str, ...],
    own: Choices,
    refuse_lacking: Callable[[object, str], None],
) -> AttributeContext:
    """Settle by its ``own`` choices what the groups of an attribute should have, and how likely unknown ones are.

    ``groups``  those of counts, where there are no labels.

    Shares are the same for all queries, taken from documents or mixed with these, or one for each query. Even shares
    are over all groups; where each query has groups of its own, as subtopics are, over these.

    Raises UsageError where they make no sense.
    """
    groups = groups if labels is None else labels.groups
    parts = _factored(own.target)
    documents, same, by_query = _sum_parts(parts, groups, labels, refuse_lacking)
    prior = settle_prior(own.prior, labels) if labels is not None and own.bounds == "labels" else None
    if not documents:
        target = None if by_query else same
        return AttributeContext(attribute=name, labels=labels, target=target, targets=by_query, prior=prior)
    mixed, share = MixedTarget(documents), 1 - sum(factor for factor, _ in documents)
    if by_query is not None:
        mixed = replace(mixed, by_query={qid: each / share for qid, each in by_query.items()})
    elif len(documents) < len(parts):
        mixed = replace(mixed, shares=same / share)
    return AttributeContext(attribute=name, labels=labels, target_of=mixed, prior=prior)


def _factored(target: Target) -> list[tuple[float, Target]]:
    """Take a target apart, each part with its factor. Raises UsageError for factors that do not sum to 1."""
    if not isinstance(target, str) or "*" not in target or _is_file(target):
        return [(1.0, target)]
    parts: list[tuple[float, Target]] = [*_parts(target)]
    total = sum(factor for factor, _ in parts)
    if abs(total - 1) > distribution.EXACT or any(factor <= 0 for factor, _ in parts):
        raise UsageError(f"the factors of the target {target} sum to {total:g}; they must be above 0 and sum to 1")
    return parts


def _sum_parts(
    parts: Iterable[tuple[float, Target]],
    groups: tuple[str, ...],
    labels: Labels | None,
    refuse_lacking: Callable[[object, str], None],
) -> tuple[tuple[tuple[float, TargetOf], ...], Floats, Mapping[str, Floats] | None]:
    """Give the parts that are taken from documents, and add the others: shares [group], or those of each query.

    Shares are of the queries that have them in each part; the same of all queries are added to these. None where no
    part is by query.
    """
    documents: list[tuple[float, TargetOf]] = []
    same, by_query = np.zeros(len(groups)), None
    for factor, part in parts:
        if isinstance(part, str) and part in get_args(TargetOf):
            refuse_lacking(f"the target {part}", "relevance" if part in OF_QRELS else part)
            documents.append((factor, cast("TargetOf", part)))
            continue
        given = _given(part, groups, labels)
        if isinstance(given, np.ndarray):
            same = same + factor * given
        elif by_query is None:
            by_query = {qid: factor * shares for qid, shares in given.items()}
        else:
            by_query = {qid: factor * given[qid] + by_query[qid] for qid in given.keys() & by_query.keys()}
    if by_query is not None:
        by_query = {qid: shares + same for qid, shares in by_query.items()}
    return tuple(documents), same, by_query


def list_target_files(target: Target) -> list[str]:
    """Name the files of which a target is made."""
    if not isinstance(target, str):
        return []
    return [target] if _is_file(target) else [part for _, part in _parts(target) if _is_file(part)]


def _is_file(part: str) -> bool:
    """Tell files from words, which stand for what they say even where there is a file of that name."""
    return part not in ("even", *get_args(TargetOf)) and loading.is_file(part)


def _parts(target: str) -> list[tuple[float, str]]:
    """Take a mixture apart, ``0.5*qrels+0.5*even``; anything else is one part."""
    starts = [found.start() for found in _FACTOR.finditer(target)]
    if not starts or starts[0] > 0:
        return [(1.0, target)]
    parts = [target[start:end].lstrip("+ ") for start, end in pairwise([*starts, len(target)])]
    pairs = [part.partition("*") for part in parts]
    return [(float(factor), part.strip()) for factor, _, part in pairs]


def _given(part: Target, groups: tuple[str, ...], labels: Labels | None) -> Floats | Mapping[str, Floats]:
    """Take shares that are written, stand in a file, or are even; the group of unlabeled documents has none."""
    known = tuple(group for group in groups if labels is None or group != UNKNOWN)
    if part == "even" and labels is not None and labels.own:
        return _even_of_queries(labels)
    found: Floats | Mapping[str, Floats]
    if part == "even":
        found = np.full(len(known), 1 / len(known))
    elif isinstance(part, str) and _is_file(part):
        from fairtrec.formats import tsv

        found = tsv.targets(part, known)
    elif isinstance(part, str) and "=" not in part:
        words = ", ".join(get_args(TargetOf))
        what = f"the target {part!r} is not known; choose one of even, {words}, a file, or f=0.4,m=0.6"
        raise UsageError(f"{what}; or mix them, 0.5*qrels+0.5*even")
    else:
        found = _written(part, known, "target")
    if known == groups:
        return found
    at = groups.index(UNKNOWN)
    if isinstance(found, np.ndarray):
        return np.insert(found, at, 0.0)
    return {qid: np.insert(shares, at, 0.0) for qid, shares in found.items()}


def settle_prior(prior: Target, labels: Labels) -> Floats | None:
    """Settle how likely the groups of unknown documents are; None: as among the known documents of the query.

    Last is how likely a document is of none of them, where labels or the prior say that it may be. Raises UsageError
    where there are no labelings to speak of.
    """
    if labels.own:
        what = "a document can have any number of subtopics, so --bounds labels cannot try them all"
        raise UsageError(f"{what}; leave it out")
    named = [pair.rsplit("=", 1)[0].strip() for pair in prior.split(",")] if isinstance(prior, str) else [*prior]
    groups = (*labels.groups, *[NONE] * (labels.none or NONE in named))
    if prior == "known":
        return None
    if prior == "even":
        return np.full(len(groups), 1 / len(groups))
    if isinstance(prior, str) and "=" not in prior:
        raise UsageError(f"the prior {prior!r} is not known; choose one of even, known, or f=0.4,m=0.6")
    return _written(prior, groups, "prior")


def _written(given: Target, groups: tuple[str, ...], what: str) -> Floats:
    try:
        pairs = [pair.rsplit("=", 1) for pair in given.split(",")] if isinstance(given, str) else list(given.items())
        shares = {str(group).strip(): float(share) for group, share in pairs}
    except ValueError:
        raise UsageError(f"cannot read the {what} {given!r}; write it like f=0.4,m=0.6") from None
    if len(pairs) > len(shares):
        raise UsageError(f"the {what} {given} has a group twice; keep one")
    if set(shares) != set(groups):
        raise UsageError(f"the {what} has the groups {', '.join(shares)}; write a share for each: {', '.join(groups)}")
    values = np.array([shares[group] for group in groups])
    if not distribution.sums_to_one(values):
        raise UsageError(f"the {what}'s shares sum to {values.sum():g}; they must be 0 or more and sum to 1")
    return distribution.normalize_rounded(values)

"""Several attributes of documents: what is chosen for each by its name, their labels, and two that are crossed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from os import fspath
from typing import Any

from fairtrec.catalogue.needs import looks_at_groups
from fairtrec.data import Docnos, Labels, Qrels, product
from fairtrec.data.parameters import Parameters
from fairtrec.errors import PATH, UsageError
from fairtrec.files import opening
from fairtrec.files.arguments import is_by_name
from fairtrec.files.arguments import source as of
from fairtrec.formats.taking import ScatteredError, Taking
from fairtrec.formulas.crossed import LISTED
from fairtrec.inputs import loading
from fairtrec.inputs.choices import CHOICES, Choices
from fairtrec.inputs.groups import chosen, names_of
from fairtrec.literals import FILLED
from fairtrec.measure import Measure

BY_NAME = [row.name for row in CHOICES.values() if row.by_name]  # choices of which each attribute may have its own


def labels_of(
    sources: Mapping[str, Any],
    choices: Choices,
    judged: Qrels | None,
    wanted: Callable[[], Docnos | None] | None = None,
) -> dict[str, Labels]:
    """Read the labels of each attribute, by its name, "" where it has none; each source once.

    ``wanted`` gives the documents to which many labels are cut, or None where these cannot be told.

    Raises UsageError for an attribute that is called as a group is, and where groups do not go with the choices.
    """
    read: dict[Any, Labels] = {}
    found: dict[str, Labels] = {}
    for name, source in sources.items():
        chosen_here = own(choices, name, [*sources])
        groups = None if chosen_here.groups is None else tuple(names_of(chosen_here.groups))
        key = fspath(source) if isinstance(source, PATH) else id(source), chosen_here.membership, groups
        if key not in read:
            read[key] = _read(source, judged, Taking(chosen_here.membership, groups, wanted))
        some = kept(read[key], chosen_here)
        if choices.missing in FILLED:  # documents of unknown group belong where it says
            some = some.filled("group" if choices.missing == "group" else "even")
        found[name] = some
    for name in sources:
        if any(name in labels.groups for labels in found.values()):
            raise UsageError(f"{name} is the name of an attribute and of a group; give the attribute another")
    return found


def _read(source: Any, judged: Qrels | None, how: Taking) -> Labels:
    """Read labels; those of documents that stand apart once more, so that all are held."""
    try:
        return loading.labels(source, judged, how)
    except ScatteredError:
        if isinstance(source, PATH) and opening.is_stream(of(fspath(source)).name):
            raise
        return loading.labels(source, judged, replace(how, wanted=None))


def kept(labels: Labels, choices: Choices) -> Labels:
    """Keep the groups that are asked for. Raises UsageError where that leaves open who is of none of them."""
    if choices.groups is None:
        return labels
    some = chosen(labels, choices.groups)
    if choices.bounds == "labels" and len(some.groups) < len(labels.groups) and not some.none:
        what = "with --groups documents of other groups look as if nobody knew theirs"
        raise UsageError(f"{what}; leave out --bounds labels, or name all groups, or add - for none of them")
    return some


def own(choices: Choices, name: str, names: Sequence[str]) -> Choices:
    """Give the choices of one of the attributes.

    Raises UsageError for a choice that names groups, but not the attribute, where there are several.
    """
    if len(names) <= 1 and not any(isinstance(getattr(choices, each), Mapping) for each in BY_NAME):
        return choices
    return replace(choices, **{each: _own(getattr(choices, each), each, name, names) for each in BY_NAME})


def _own(value: Any, choice: str, name: str, names: Sequence[str]) -> Any:
    if is_by_name(value):
        for key in value:
            if key and not {*key.split("*")} <= {*names}:
                there = f"there are {', '.join(names)}" if any(names) else "--labels names none"
                raise UsageError(f"--{CHOICES[choice].option}: there is no attribute {key!r}; {there}")
        return value.get(name, value.get("", CHOICES[choice].default))
    if len(names) > 1 and _names_groups(value, choice):
        option, like = CHOICES[choice].option, "F,M" if choice == "groups" else "f=0.4,m=0.6"
        raise UsageError(
            f"--{option} names groups, and there are several attributes; like --{option} {names[0]}={like}"
        )
    return value


def _names_groups(value: Any, choice: str) -> bool:
    named = value is not None if choice == "groups" else isinstance(value, Mapping)
    return named or (isinstance(value, str) and choice != "membership" and "=" in value)


def crossed(labels: Mapping[str, Labels], by: str, what: object) -> Labels:
    """Find the attribute that is called so, or cross those that ``a*b`` names.

    Raises UsageError for one that there is not, that is crossed with itself, or with labels of another kind; and for
    more groups than are listed.
    """
    if by in labels:
        return labels[by]
    parts = [part.strip() for part in by.split("*")]
    for part in parts:
        if part not in labels or not part:
            known = ", ".join(filter(None, labels))
            there = f"there are {known}" if known else "name it, like --labels gender=FILE"
            raise UsageError(f"{what}: there is no attribute {part!r}; {there}")
    several = [labels[part] for part in parts]
    if len({*parts}) < len(parts):
        raise UsageError(f"{what}: an attribute is crossed with itself; name each once")
    if len({each.per_query for each in several}) > 1:
        raise UsageError(f"{what}: labels per query and per document cannot be crossed; use two of a kind")
    groups = reduce(lambda many, each: many * len(each.groups), several, 1)
    if groups > LISTED and isinstance(what, Measure) and what.beyond:
        return several[0]  # in the place of them all, which are never listed
    if groups > LISTED:
        raise UsageError(f"{what}: {by} has {groups:,} groups, and {LISTED:,} is the most; cross fewer attributes")
    return reduce(product, several)


def refuse_all(each: Any, labels: Mapping[str, Labels]) -> None:
    """Raise UsageError for what looks at groups of one attribute, and does not say of which of several."""
    if len(labels) > 1 and not each.by and not each.is_of_all and looks_at_groups(each):
        one: Parameters = replace(getattr(each, "reranker", each), by=next(iter(labels)))
        raise UsageError(f"{one.name} takes one attribute: {one}")


def refuse_several(measures: Sequence[Measure], given: Sequence[str]) -> None:
    """Raise UsageError where one measure was named, which goes by several attributes, and one is wanted."""
    if len(given) > 1:
        for measure in filter(looks_at_groups, measures):
            one = replace(measure, by=measure.by or given[0])
            if measure.is_of_all or any(each != one and replace(each, by=one.by) == one for each in measures):
                raise UsageError(f"{measure.name} takes one attribute: {one}")


def one_of_each(measure: Measure, labels: Mapping[str, Labels]) -> tuple[Measure, ...]:
    """Give the measures that stand for this one: one of each attribute, unless it is of one, or is one of all.

    Raises UsageError where it names an attribute and looks at none.
    """
    if not looks_at_groups(measure):
        if measure.by:
            raise UsageError(f"{measure} looks at no groups, so by says nothing; leave it out")
        return (measure,)
    if measure.by or measure.is_of_all or len(labels) <= 1:
        return (measure,)
    return tuple(replace(measure, by=name) for name in labels)

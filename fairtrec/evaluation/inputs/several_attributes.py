"""Several attributes of documents: what is chosen for each by its name, their labels, and those that are crossed.

These may have more groups than are ever listed: measures are then computed over those that documents hold.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from os import fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import MISSING, UNKNOWN, Docnos, Floats, Labels, Qrels, look_up, product
from fairtrec.data.parameters import Parameters
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import AttributeContext
from fairtrec.evaluation.inputs.groups import choose_groups
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import CHOICES, Choices
from fairtrec.formulas.crossed_groups import LISTED, CrossedGroups, CrossedTarget, Crossing, cross_attributes
from fairtrec.measure import Measure
from fairtrec.measures.catalogue.needs import looks_at_groups
from fairtrec.support.errors import PATH, FilePath, UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import is_by_name, parse_group_names, parse_renamings
from fairtrec.support.files.arguments import source as of
from fairtrec.support.literals import FILLED

if TYPE_CHECKING:
    from fairtrec.formats.label_rules import LabelRules

BY_NAME = [row.name for row in CHOICES.values() if row.by_name]  # choices of which each attribute may have its own


def read_labels(
    sources: Mapping[str, Any],
    choices: Choices,
    judged: Qrels | None,
    wanted: Callable[[], Docnos | None] | None,
    tables: Sequence[FilePath] = (),
) -> dict[str, Labels]:
    """Read the labels of each attribute, by its name, "" where it has none; each source once.

    ``wanted`` gives the documents to which many labels are cut, or None where these cannot be told; ``tables`` are
    those of the runs.

    Raises UsageError for an attribute that is called as a group is, and where groups do not go with the choices.
    """
    from fairtrec.formats.label_rules import LabelRules

    read: dict[Any, Labels] = {}
    found: dict[str, Labels] = {}
    for name, source in sources.items():
        chosen_here = choose_own(choices, name, [*sources])
        groups = None if chosen_here.groups is None else tuple(parse_group_names(chosen_here.groups))
        renamed = parse_renamings(chosen_here.groups)
        key = (
            fspath(source) if isinstance(source, PATH) else id(source),
            chosen_here.membership,
            groups,
            *renamed.items(),
        )
        if key not in read:
            column = choices.roles.get("docno", "")
            how = LabelRules(chosen_here.membership, groups, wanted, renamed, column=column, tables=tables)
            read[key] = _read(source, judged, how)
        some = keep_groups(read[key], chosen_here)
        if choices.missing in FILLED:  # documents of unknown group belong where it says
            some = some.fill_unknown("group" if choices.missing == "group" else "even")
        found[name] = some
    for name in sources:
        if any(name in labels.groups for labels in found.values()):
            raise UsageError(f"{name} is the name of an attribute and of a group; rename the attribute")
    return found


def _read(source: Any, judged: Qrels | None, how: "LabelRules") -> Labels:
    """Read labels; those of documents that stand apart once more, so that all are held."""
    from fairtrec.formats.label_rules import ScatteredError

    try:
        return loading.labels(source, judged, how)
    except ScatteredError:
        if isinstance(source, PATH) and opening.is_stream(of(fspath(source)).name):
            raise
        return loading.labels(source, judged, replace(how, wanted=None))


def keep_groups(labels: Labels, choices: Choices) -> Labels:
    """Keep the groups that are asked for. Raises UsageError where that leaves open who is of none of them."""
    if choices.groups is None:
        return labels
    some = choose_groups(labels, choices.groups)
    if choices.bounds == "labels" and len(some.groups) < len(labels.groups) and not some.none:
        what = "with --groups, documents of other groups look unknown"
        raise UsageError(f"{what}; leave out --bounds labels, or pass all groups, or add - for none of them")
    return some


def choose_own(choices: Choices, name: str, names: Sequence[str]) -> Choices:
    """Give the choices of one of the attributes.

    Raises UsageError for a choice that names groups, but not the attribute, where there are several.
    """
    if len(names) <= 1 and not any(isinstance(getattr(choices, each), Mapping) for each in BY_NAME):
        return choices
    return replace(choices, **{each: _own(getattr(choices, each), each, name, names) for each in BY_NAME})


def _own(value: Any, choice: str, name: str, names: Sequence[str]) -> Any:
    """Give what is chosen for one of the attributes."""
    if is_by_name(value):
        for key in value:
            if key and not {*key.split("*")} <= {*names}:
                there = f"there are {', '.join(names)}" if any(names) else "--labels has no named attribute"
                raise UsageError(f"--{CHOICES[choice].option}: there is no attribute {key!r}; {there}")
        return value.get(name, value.get("", CHOICES[choice].default))
    named = value is not None if choice == "groups" else isinstance(value, Mapping)
    named = named or (isinstance(value, str) and choice != "membership" and "=" in value)
    if len(names) > 1 and named:
        option, like = CHOICES[choice].option, "F,M" if choice == "groups" else "f=0.4,m=0.6"
        raise UsageError(
            f"--{option} names groups, and there are several attributes; like --{option} {names[0]}={like}"
        )
    return value


def find_attribute(labels: Mapping[str, Labels], by: str, what: object) -> Labels:
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
        raise UsageError(f"{what}: an attribute is crossed with itself; use each once")
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
    if not each.by and not each.is_of_all and looks_at_groups(each):
        one: Parameters = replace(getattr(each, "reranker", each), by=next(iter(labels)))
        raise UsageError(f"{one.name} takes one attribute: {one}")


def refuse_several(measures: Sequence[Measure], given: Sequence[str]) -> None:
    """Raise UsageError where one measure was named, which goes by several attributes, and one is wanted."""
    if len(given) > 1:
        for measure in filter(looks_at_groups, measures):
            one = replace(measure, by=measure.by or given[0])
            if measure.is_of_all or any(each != one and replace(each, by=one.by) == one for each in measures):
                raise UsageError(f"{measure.name} takes one attribute: {one}")


def expand_attributes(measure: Measure, labels: Mapping[str, Labels]) -> tuple[Measure, ...]:
    """Give the measures that stand for this one: one of each attribute, unless it is of one, or is one of all.

    Raises UsageError where it names an attribute and looks at none.
    """
    if not looks_at_groups(measure):
        if measure.by:
            raise UsageError(f"{measure} does not depend on groups; leave out by")
        return (measure,)
    if measure.by or measure.is_of_all or len(labels) <= 1:
        return (measure,)
    return tuple(replace(measure, by=name) for name in labels)


def crossing(name: str, parts: Sequence[AttributeContext]) -> Crossing:
    """Settle the target of attributes that are crossed from those of each.

    Raises UsageError where these are taken from different documents, or with different factors.
    """
    given: list[Floats | None] = []
    sources, factors = set(), set()
    for part in parts:
        mixed = part.target_of
        if part.targets is not None or (mixed is not None and mixed.by_query is not None):
            raise UsageError(f"{name}: a target for each query works for one attribute; pass shares for all queries")
        given.append(part.target if mixed is None else mixed.shares)
        if mixed is not None:
            sources.add(tuple((factor / mixed.factor, of) for factor, of in mixed.of))
        if given[-1] is not None:
            factors.add(0.0 if mixed is None else mixed.factor)
    if len(sources) > 1 or len(factors) > 1:
        raise UsageError(
            f"{name}: the targets mix different documents or factors; use the same mixture for each attribute"
        )
    labels = tuple(part.labels for part in parts if part.labels is not None)
    space = CrossedGroups(
        tuple(len(each.groups) for each in labels),
        tuple(each.groups.index(UNKNOWN) if UNKNOWN in each.groups else None for each in labels),
        tuple(given),
        factors.pop() if factors else 1.0,
    )
    return Crossing(labels, sources.pop() if sources else (), space)


def _wanted(inputs: Inputs, crossing: Crossing, query: int) -> CrossedTarget | None:
    """Give the target of a query; None where there is none."""
    qid = inputs.qids[query]
    if qid not in crossing.held:
        codes, mass = [], []
        for factor, of in crossing.of:
            docnos, lines, weights = inputs.find_input("target_documents")(inputs, of, query)
            members = [look_up(each, [qid], docnos, lines)[0] for each in crossing.labels]
            document, groups, held = cross_attributes([np.nan_to_num(each) for each in members])
            amounts = held * weights[document]
            if not amounts.sum() > 0:
                crossing.held[qid] = None
                return None
            codes.append(groups)
            mass.append(factor * amounts / amounts.sum())
        whole = (np.concatenate(codes), np.concatenate(mass)) if crossing.of else None
        crossing.held[qid] = crossing.given_target if whole is None else CrossedTarget(crossing.space, *whole)
    return crossing.held[qid]


def compute_unlisted(measure: Measure, inputs: Inputs) -> Floats:
    """Compute a measure [query] over groups that are not listed, of one or more rankings of each query.

    The groups of a query are those that its ranked documents hold, and one behind them for all others, which no
    document holds: what its target is worth to the measure, ``Measure.beyond`` says.
    """
    crossing, found = inputs.context.crossing, np.full(len(inputs.qids), np.nan)
    assert crossing is not None
    looked = [dict(_rankings(each, crossing, measure.depth)) for each in inputs.samples or [inputs]]
    for query, qid in enumerate(inputs.qids):
        several = [each[qid] for each in looked if qid in each]
        wanted = _wanted(inputs, crossing, query) if "target" in measure.needs else None
        if several and (wanted is not None or "target" not in measure.needs):
            found[query] = _value(measure, inputs, query, several, crossing.space, wanted)
    return found


def _rankings(inputs: Inputs, crossing: Crossing, depth: int | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give what is looked up of each query's ranking, down to a depth: members of each attribute, grades, length."""
    lines = inputs.lines[:, :depth]
    held = [look_up(each, inputs.qids, inputs.run.docnos, lines) for each in crossing.labels]
    grades = inputs.relevance[:, :depth] if inputs.context.qrels is not None else np.full(lines.shape, np.nan)
    for row, qid in enumerate(inputs.qids):
        own = {"lengths": inputs.lengths[row], "is_filled": lines[row] != MISSING}
        yield qid, {"held": [each[row] for each in held], "relevance": grades[row], **own}


def _value(
    measure: Measure,
    inputs: Inputs,
    query: int,
    several: Sequence[Mapping[str, Any]],
    space: CrossedGroups,
    wanted: CrossedTarget | None,
) -> float:
    """Compute a measure for one query."""
    width = max(len(each["relevance"]) for each in several)
    held = [
        np.concatenate([_padded(each["held"][place], width) for each in several]) for place in range(len(space.sizes))
    ]
    unknown = np.any([np.isnan(each).any(axis=1) for each in held], axis=0)
    document, codes, weight = cross_attributes([np.where(unknown[:, None], 0.0, each) for each in held])
    _, first, group = np.unique(space.number_codes(codes), return_index=True, return_inverse=True)
    membership = np.zeros((len(unknown), len(first) + 1))
    membership[document, group] = weight
    membership[unknown] = np.nan
    given: dict[str, Any] = {
        "membership": membership.reshape(len(several), width, -1),
        "relevance": np.stack([_padded(each["relevance"][:, None], width)[:, 0] for each in several]),
        "lengths": np.array([each["lengths"] for each in several]),
        "is_filled": np.stack([np.pad(each["is_filled"], (0, width - len(each["is_filled"]))) for each in several]),
        "sample_of": np.zeros(len(several), dtype=np.int64),
        "queries": 1,
    }
    if wanted is not None:
        shares = wanted.look_up_shares(codes[first])
        beyond = 1 - shares.sum() if measure.beyond == "sum" else wanted.squares - np.square(shares).sum()
        beyond = max(beyond, 0.0)
        given["target"] = np.append(shares, beyond if measure.beyond == "sum" else np.sqrt(beyond))[None]
    if "judged_relevance" in measure.needs:
        given["judged_relevance"] = inputs.judged_relevance[query : query + 1]
    return float(measure(**{name: given[name] for name in measure.needs})[0])


def _padded(values: Floats, width: int) -> Floats:
    return np.pad(values, ((0, width - len(values)), (0, 0)), constant_values=np.nan)

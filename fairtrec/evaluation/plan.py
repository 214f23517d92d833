"""What is to be computed from what was given, settled before anything large is read.

So a measure that lacks an input, a target that does not sum to 1 or a group that there is not is refused at once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from fairtrec.data.parameters import GIVEN as OF_USER
from fairtrec.data.ranking.depth import Asking, find_depth
from fairtrec.evaluation.given import (
    FOR_ANYTHING,
    FOR_FAIRNESS,
    GIVEN,
    GoldKeywords,
    lacking_error,
    load_reference,
    split_keywords,
)
from fairtrec.evaluation.given.given_rows import NamedRuns
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, References
from fairtrec.evaluation.inputs import loading, several_attributes
from fairtrec.evaluation.inputs.documents import OF_RUNS, AttributeContext, EvaluationContext, Needs
from fairtrec.evaluation.inputs.groups import ORDER, refuse_unordered
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.inputs.table_roles import describe_columns, take_group
from fairtrec.evaluation.inputs.targets import settle_attributes
from fairtrec.measure import Measure, Note, NoteKind
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS, USUAL
from fairtrec.measures.utility import split_relevance
from fairtrec.support.errors import InputError, UsageError, spell_options
from fairtrec.support.files import submissions

MOST_MEASURES = 4096
FAIRNESS = NoteKind("no fairness", "fairness is not measured; add {options}")


def settle(
    measures: Any,
    keywords: Mapping[str, Any],
    known: Collection[str] = GoldKeywords.__annotations__,
    runs: NamedRuns = (),
) -> Plan:
    """Decide which measures are computed, with the ``known`` keywords of ``evaluate``, perhaps for these runs alone.

    Raises UsageError or InputError where things do not fit together.
    """
    found = open_references(*split_keywords(take_group(runs, keywords), known), runs)
    several = list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
    if measures is None:
        several = _fitting(found)
    level, named, notes = found.choices.relevance_level, list[Measure](), list[Note]()
    for each in several:  # a measure of ir-measures spells itself as we read it
        if registry.ALL_FAIR in str(each).lower():
            fair, left_out = registry.find_allowed(str(each), level, partial(_refuse_unfit, found=found))
            named += fair
            notes += left_out
        else:
            named += [each] if isinstance(each, Measure) else registry.parse(str(each), level)
    if not named:
        raise UsageError("no measure given; add -m, like -m 'nDCG@10 NFaiRR@10'")
    named = list(dict.fromkeys(named))
    asked: list[Measure] = []
    for each in named:
        for one in (
            several_attributes.expand_attributes(each, found.attributes)
            if len(found.attributes) > 1 or each.by
            else (each,)
        ):
            asked += _of_groups(one, found, MOST_MEASURES - len(asked)) if one.is_of_each else [one]
    if len(named) > 1:
        notes += registry.note_attention(named)
    if measures is None and not split_relevance(named)[1]:
        notes.append(FAIRNESS.note(options=spell_options(FOR_FAIRNESS)))
    return make_plan(asked, found, notes)


def open_references(given: References, choices: Choices, runs: NamedRuns = ()) -> OpenedReferences:
    """Open what must be read to know the groups; many as far as anything names their documents, where these are all
    ``runs``. Raises UsageError or InputError for what is wrong there.
    """
    opened = OpenedReferences(given=given, choices=choices, runs=runs)
    for reference in given.references.values():
        if reference.opened_by == "all":
            opened.read(reference.name)
    return opened


def make_plan(asked: Sequence[Asking], found: OpenedReferences, notes: Sequence[Note] = ()) -> Plan:
    """Settle what is asked for with what was given, and with the choices. Raises UsageError where they do not fit."""
    references, of_groups = [*found.given.references.values()], found.given.group_reference
    asked = [_take_given(each, found) for each in asked]
    needs = frozenset(need for each in asked for need in each.needs)
    _refuse_misfits(asked, needs, found)
    measures = tuple(each for each in asked if isinstance(each, Measure))
    lacking = partial(_refuse_lacking, found)
    every = settle_attributes(found.attributes, found.crossed, found.groups, found.choices, lacking)
    for reference in references:
        if reference.opened_by == "measures" and reference.is_wanted(measures, needs):
            found.read(reference.name)
    context = _make_context(_first_of(asked, every), every, found)
    plan = Plan(
        **vars(found),
        measures=measures,
        others=tuple(split_relevance(measures)[1]),
        needs=Needs(needs, find_depth([each for each in asked if OF_RUNS.intersection(each.needs)])),
        uses=needs.union(
            context.sources if "target" in needs else (),
            ["documents"] if of_groups is not None and of_groups.looks_up(needs) else (),
        ),
        context=context,
    )
    listed = loading.note_list_names(*(found.given.things[each.name] for each in references if each.is_listed))
    early = (note for each in references if each.opened_by == "all" for note in each.list_notes(plan))
    return replace(plan, notes=(*notes, *listed, *early))


def _make_context(
    first: AttributeContext, every: Mapping[str, AttributeContext], found: OpenedReferences
) -> EvaluationContext:
    """Put together what runs are evaluated against, of the ``first`` attribute, as far as it is opened."""
    choices, references = found.choices, found.given.references
    own = several_attributes.choose_own(choices, next(iter(every)), [*found.attributes])
    opened = {name: it for name, it in found.opened.items() if references[name].is_shared and it is not None}
    return EvaluationContext(
        **vars(first),
        things=tuple(references.values()),
        opened=opened,
        choices=choices,
        membership=own.membership or "share",
        attributes=every,
        given=tuple(found.attributes),
        sources=frozenset(of for each in every.values() if each.target_of for _, of in each.target_of.of),
    )


def _take_given(each: Any, found: OpenedReferences) -> Any:
    """Give a measure what was given under the names of its parameters that are ``given``."""
    for name in (name for name in GIVEN if getattr(each, name, None) == OF_USER):
        each = load_reference(name).set_parameter(each, found.read(name))
    return each


def _refuse_lacking(found: OpenedReferences, who: object, need: str) -> None:
    """Raise UsageError if an input cannot be made of what was given."""
    if need not in found.given.inputs:
        raise lacking_error(who, need, found.runs)


def _refuse_misfits(asked: Sequence[Asking], needs: frozenset[str], found: OpenedReferences) -> None:
    """Raise UsageError or InputError if what is asked for does not fit what was given and chosen."""
    submissions.refuse_groups([each.groups for each in found.attributes.values()] or [found.groups])
    for each in asked:
        if len(found.attributes) > 1:
            several_attributes.refuse_all(each, found.attributes)
        _refuse_unfit(each, found)
    if found.choices.bounds == "texts" and not OF_DOCUMENTS & needs:
        raise UsageError("--bounds texts is for missing texts, and no measure here reads texts; leave it out")


def _first_of(asked: Sequence[Asking], every: Mapping[str, AttributeContext]) -> AttributeContext:
    """Give the attribute of the first measure that names one whose groups are listed; else the first there is."""
    return every[next((each.by for each in asked if each.by and not every[each.by].is_vast), next(iter(every)))]


def _of_groups(measure: Measure, found: OpenedReferences, room: int) -> tuple[Measure, ...]:
    """Give one measure for each group of its attribute. Raises InputError if there is no room for so many."""
    groups = _groups_of(measure, found)
    if len(groups) > room:
        what = f"{measure.name} is a measure for each of {len(groups):,} groups, more than {MOST_MEASURES:,}"
        raise InputError(f"{what}; choose one group, like {measure.name}(group=NAME), or some with --groups")
    return measure.expand_groups(groups) if groups else (measure,)


def _groups_of(each: Asking, found: OpenedReferences) -> tuple[str, ...]:
    """Name the groups that a measure goes by."""
    of = found.find_attribute(each) if found.attributes or each.by else None
    return found.groups if of is None else of.groups


def _refuse_unfit(measure: Asking, found: OpenedReferences) -> None:
    """Raise UsageError if a measure lacks an input, or does not go with its groups, what is given, or the choices."""
    groups, choices = _groups_of(measure, found), found.choices
    if getattr(measure, "is_of_group", False) and not groups:
        measure.check(())
    for name in GIVEN:
        if getattr(measure, f"of_{name}", False):  # it has no value without it
            load_reference(name).refuse_measure(measure, found)
    for need in sorted(measure.needs, key="ranked".__eq__):  # which the others say more plainly
        _refuse_lacking(found, measure, need)
    measure.check(groups)
    of_words = OF_DOCUMENTS & set(measure.needs) or _finds_groups_in_words(measure, found)
    if choices.missing == "worst" and of_words and not measure.worst_known:
        raise UsageError(f"{measure} has no worst document; choose --missing error, neutral or skip")
    if choices.bounds == "texts" and of_words and measure.counts_at_ends(len(groups)) is None:
        raise UsageError(f"{measure} has no bounds for missing texts; leave out --bounds texts, or the measure")
    for reference in found.given.references.values():
        reference.refuse_measure(measure, found)
    if ORDER in measure.needs:
        several = [*found.attributes.values()] if measure.is_of_all and not measure.by else []
        refuse_unordered(measure, several or [found.find_attribute(measure)], found.groups)


def _finds_groups_in_words(measure: Asking, found: OpenedReferences) -> bool:
    """Tell whether the groups that a measure reads come from words, in texts or counted."""
    of_groups = found.given.group_reference
    read = frozenset(measure.needs) & {"membership", "judged_membership"}
    return bool(read) and of_groups is not None and of_groups.looks_up(read)


def _fitting(found: OpenedReferences) -> list[Measure]:
    """Choose the usual measures that fit, where none is named: with words those of words, else those of members."""
    several = []
    usual = " ".join(measures for need, measures in USUAL.items() if need in found.given.inputs)
    for measure in registry.parse(usual, found.choices.relevance_level):
        of_words = bool(OF_DOCUMENTS & set(measure.needs))
        if of_words if found.attributes else "membership" in measure.needs:
            continue
        with suppress(UsageError):
            _refuse_unfit(measure, found)
            several.append(measure)
    if not several:
        own = describe_columns("group", found.runs)
        raise UsageError(f"there is nothing to measure; pass {FOR_ANYTHING}{own}")
    return several

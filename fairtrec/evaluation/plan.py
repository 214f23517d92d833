"""What is to be computed from what was given, settled before anything large is read.

So a measure that lacks an input, a target that does not sum to 1 or a group that there is not is refused at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fairtrec.data import Labels, Qrels
from fairtrec.data.ranking.depth import Asking, find_depth
from fairtrec.evaluation.given.discount import set_weights
from fairtrec.evaluation.given.labels import OpenedSources, open_sources
from fairtrec.evaluation.given.source import GoldKeywords, NamedRuns, split_keywords
from fairtrec.evaluation.inputs import loading, several_attributes
from fairtrec.evaluation.inputs.documents import (
    OF_QRELS,
    OF_RUNS,
    AttributeContext,
    EvaluationContext,
    MixedTarget,
    Needs,
)
from fairtrec.evaluation.inputs.groups import ORDER, note_groups, note_tau, refuse_unordered, refuse_unwritten
from fairtrec.evaluation.inputs.targets import attribute, note_target, settle_prior
from fairtrec.formulas.discount import GIVEN
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import GROUPED, NEEDS, OF_DOCUMENTS, OF_GROUPS, OF_JUDGMENTS
from fairtrec.measures.utility import LEVELLED, split_relevance
from fairtrec.support.errors import InputError, UsageError, refuse_first, spell_options
from fairtrec.support.files import submissions
from fairtrec.support.files.arguments import is_by_name, renamings, split_crossed
from fairtrec.support.literals import FILLED

if TYPE_CHECKING:
    from fairtrec.counting.counter import Lexicon

MOST_MEASURES = 4096
GDEVAL = 4  # the greatest grade that its ERR expects
MORE = "--terms LIST with --docs COLLECTION, or --labels FILE"
FAIRNESS = NoteKind("no fairness", "fairness is not measured; add {options}")
SHARED_TERMS = NoteKind("shared terms", "terms in several groups count for each: {terms}")
LEVEL = NoteKind(
    "relevance level",
    "grades 1 to {most} count as relevant; -l 2 leaves out grade 1",
    NoteSeverity.BACKGROUND,
)
GDEVAL_GRADES = NoteKind(
    "grades of gdeval",
    "expects grades up to {expected}, as gdeval does; the greatest grade of the qrels is {most}",
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan(OpenedSources):
    """What is asked for, and what it is compared with."""

    measures: tuple[Measure, ...]  # one for each group where they ask for that; of rerankers there is none
    others: tuple[Measure, ...]  # of them, those that are no measures of relevance
    needs: Needs  # what they look at
    uses: frozenset[str]  # documents, background, collection, its size, membership: what they, or their target, look at
    plays: frozenset[str]  # words of ``Choice.part`` that play one
    context: EvaluationContext  # target, labels and extras; what is large is read when runs come
    lexicon: "Lexicon | None"
    notes: tuple[Note, ...]


def settle(
    measures: Any,
    keywords: Mapping[str, Any],
    known: Iterable[str] = GoldKeywords.__annotations__,
    runs: NamedRuns = (),
) -> Plan:
    """Decide which measures are computed, with the ``known`` keywords of ``evaluate``, perhaps for these runs alone.

    Raises UsageError or InputError where things do not fit together.
    """
    found = open_sources(*split_keywords(keywords, known), runs)
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
            several_attributes.expand_attributes(each, found.labels) if len(found.labels) > 1 or each.by else (each,)
        ):
            is_of_each = getattr(one, "group", None) == ""
            asked += _of_groups(one, found, MOST_MEASURES - len(asked)) if is_of_each else [one]
    if len(named) > 1:
        notes += registry.note_attention(named)
    if measures is None and not split_relevance(named)[1]:
        notes.append(FAIRNESS.note(options=spell_options(MORE)))
    return make_plan(asked, found, notes)


def make_plan(asked: Sequence[Asking], found: OpenedSources, notes: Sequence[Note] = ()) -> Plan:
    """Settle what is asked for with what was given, and with the choices. Raises UsageError where they do not fit."""
    choices = found.choices
    asked = [set_weights(each, found.extras.get("discount")) if _is_weighed(each) else each for each in asked]
    needs = frozenset(need for each in asked for need in each.needs)
    _refuse_misfits(asked, needs, found)
    measures = tuple(each for each in asked if isinstance(each, Measure))
    every = _attributes(measures, found)
    first, lexicon, is_of_groups = _first_of(asked, every), _lexicon(found), bool(needs & GROUPED)
    uses = _used_inputs(needs, every.values(), found)
    return Plan(
        **vars(found),
        measures=measures,
        others=tuple(split_relevance(measures)[1]),
        needs=Needs(needs, find_depth([each for each in asked if OF_RUNS.intersection(each.needs)])),
        uses=uses,
        plays=_parts_in_effect(uses, first, lexicon, found, is_of_groups=is_of_groups),
        context=EvaluationContext(
            **vars(first),
            qrels=found.judged,
            background_depth=choices.background_depth,
            extras=found.extras,
            membership=several_attributes.choose_own(choices, next(iter(every)), [*found.labels]).membership or "share",
            relevance_level=choices.relevance_level or 1,
            attributes=every,
            given=tuple(found.labels),
            sources=frozenset(of for each in every.values() if each.target_of for _, of in each.target_of.of),
            pool=None if choices.pool is None else _frequencies(choices.pool, measures),
            collection_size=choices.collection_size,
            gold=_gold(found.given.gold, found) if is_of_groups and found.given.gold is not None else None,
        ),
        lexicon=lexicon,
        notes=tuple(filter(None, [*notes, *_list_notes(measures, every, lexicon, found, is_of_groups=is_of_groups)])),
    )


def _is_weighed(each: Asking) -> bool:
    """Tell whether a measure takes its weights of ranks from --discount."""
    return getattr(each, "discount", "") == GIVEN


def _refuse_misfits(asked: Sequence[Asking], needs: frozenset[str], found: OpenedSources) -> None:
    """Raise UsageError or InputError if what is asked for does not fit what was given and chosen."""
    submissions.refuse_groups([labels.groups for labels in found.labels.values()] or [found.groups])
    for each in asked:
        if len(found.labels) > 1:
            several_attributes.refuse_all(each, found.labels)
        _refuse_unfit(each, found)
    if found.choices.bounds == "texts" and not OF_DOCUMENTS & needs:
        raise UsageError("--bounds texts is for missing texts, and no measure here reads texts; leave it out")


def _attributes(measures: Sequence[Measure], found: OpenedSources) -> dict[str, AttributeContext]:
    """Settle the labels and the target of each attribute, by its name; "" where labels have none, or there are none."""
    every = {}
    for name in [*found.labels] or [""]:
        own = several_attributes.choose_own(found.choices, name, [*found.labels])
        labels, inputs = found.labels.get(name), found.given.inputs
        every[name] = (
            attribute(name, labels, found.groups, own, inputs, measures) if found.groups else AttributeContext()
        )
    return every | {name: _crossed(name, every, found, measures) for name in found.crossed}


def _first_of(asked: Sequence[Asking], every: Mapping[str, AttributeContext]) -> AttributeContext:
    """Give the attribute of the first measure that names one whose groups are listed; else the first there is."""
    return every[next((each.by for each in asked if each.by and not every[each.by].is_vast), next(iter(every)))]


def _lexicon(found: OpenedSources) -> "Lexicon | None":
    """Give the terms by which texts are counted, if texts and terms were given."""
    if found.terms is None or found.given.docs is None:
        return None
    from fairtrec.counting.counter import Lexicon

    choices = found.choices
    return Lexicon.from_terms(found.terms, choices.tokenizer or "strip", case_sensitive=bool(choices.case_sensitive))


def _list_notes(
    measures: Sequence[Measure],
    every: Mapping[str, AttributeContext],
    lexicon: "Lexicon | None",
    found: OpenedSources,
    *,
    is_of_groups: bool,
) -> list[Note | None]:
    """List what a reader should know of what was given; what holds of groups only where a number is of them."""
    said: list[Note | None] = [*loading.note_list_names(found.given.terms, found.given.queries)]
    for name, labels in found.labels.items() if is_of_groups else ():
        said += [*note_groups(labels, every[name].target, name), note_target(found.choices.target, labels)]
    if found.labels:
        by_labels = [(each, found.find_labels(each)) for each in measures if OF_DOCUMENTS & set(each.needs)]
        said += note_tau((each, labels) for each, labels in by_labels if labels is not None)
    if "positions" in found.extras:
        from fairtrec.evaluation.given.positions import note_signs

        said.append(note_signs(found.extras["positions"], measures))
    if lexicon is not None and lexicon.shared_terms and is_of_groups:
        shown = ", ".join(lexicon.shared_terms[:5]) + (", ..." if len(lexicon.shared_terms) > 5 else "")
        said.append(SHARED_TERMS.note(terms=shown))
    return said


def _used_inputs(needs: frozenset[str], every: Iterable[AttributeContext], found: OpenedSources) -> frozenset[str]:
    """Name what the measures, or their target, look at: documents, background, collection, membership."""
    uses = needs & {"background", "collection", "membership"}
    uses |= {"background"} if "background_positions" in needs else set()
    uses |= {"collection"} if "group_sizes" in needs and not found.labels else set()
    uses |= {"collection size"} if "collection_size" in needs else set()
    mixed = [each.target_of for each in every if "target" in needs and each.target_of is not None]
    uses |= {word for target_of in mixed for _, word in target_of.of}
    of_documents = {"ranked"} | OF_DOCUMENTS | (set() if found.labels else OF_GROUPS)
    return uses | ({"documents"} if needs & of_documents else set())


def _parts_in_effect(
    uses: frozenset[str],
    first: AttributeContext,
    lexicon: "Lexicon | None",
    found: OpenedSources,
    *,
    is_of_groups: bool,
) -> frozenset[str]:
    """Name the parts of an evaluation (words of ``Choice.part``) that are in effect, so that their choices are."""
    choices, is_labeled = found.choices, first.labels is not None
    of_documents = "documents" in uses
    in_effect = {
        "all": True,
        "documents": of_documents,
        "texts": of_documents and not (lexicon is None and found.made is None),
        "labels": is_labeled,
        "gold": is_of_groups and found.given.gold is not None and bool(renamings(choices.groups)),
        "membership": choices.membership is not None if is_labeled else "membership" in uses,
        "filled": first.labels is not None and first.labels.others is not None,
        "unlabeled": choices.bounds == "labels",
        "background": "background" in uses - found.given.words,
        "size": "collection size" in uses,
    }
    return frozenset(part for part, is_in_effect in in_effect.items() if is_in_effect)


def _of_groups(measure: Measure, found: OpenedSources, room: int) -> tuple[Measure, ...]:
    """Give one measure for each group of its attribute. Raises InputError if there is no room for so many."""
    labels = found.find_labels(measure)
    groups = found.groups if labels is None else labels.groups
    if len(groups) > room:
        what = f"{measure.name} is a measure for each of {len(groups):,} groups, more than {MOST_MEASURES:,}"
        raise InputError(f"{what}; choose one group, like {measure.name}(group=NAME), or some with --groups")
    return measure.expand_groups(groups) if groups else (measure,)


def _crossed(
    name: str, every: dict[str, AttributeContext], found: OpenedSources, measures: Sequence[Measure]
) -> AttributeContext:
    """Settle the target of attributes that are crossed: what is chosen for it by its name, or made of those of each."""
    choices, labels = found.choices, found.crossed[name]
    is_named = is_by_name(choices.target) and name in choices.target
    crossed = several_attributes.crossing(name, [every[part.strip()] for part in name.split("*")])
    of_collection = "collection" in (of for _, of in crossed.of)
    if not crossed.is_listed and (is_named or of_collection or choices.bounds is not None):
        many = f"{name} has more groups than are listed"
        raise UsageError(f"{many}, so it has no bounds and no target; leave these out, or cross fewer labels")
    own = several_attributes.choose_own(choices, name, [*found.labels])
    if is_named:
        return attribute(name, labels, found.groups, own, found.given.inputs, measures)
    prior = settle_prior(own.prior, measures, labels) if choices.bounds == "labels" else None
    target = crossed.given_target.look_up_shares(crossed.codes) if crossed.is_listed and not crossed.of else None
    target_of = MixedTarget(crossed.of) if crossed.of else None
    return AttributeContext(
        attribute=name, labels=labels, target=target, target_of=target_of, prior=prior, crossing=crossed,
        is_vast=not crossed.is_listed,
    )  # fmt: skip


def _refuse_unfit(measure: Asking, found: OpenedSources) -> None:
    """Raise UsageError if a measure lacks an input, or does not go with its labels, the groups or the choices."""
    labels, choices = found.find_labels(measure) if found.labels or measure.by else None, found.choices
    inputs, groups = found.given.inputs, found.groups if labels is None else labels.groups
    if getattr(measure, "is_of_group", False):
        _refuse_by_group(measure, groups, found)
    if getattr(measure, "of_pool", False):
        _refuse_of_pool(measure, labels, found)
    for need in sorted(measure.needs, key="ranked".__eq__):  # which the others say more plainly
        if need not in NEEDS:
            raise UsageError(
                f"{measure} needs {need}, which does not exist; report this bug to the authors of the plug-in"
            )
        if need not in inputs:
            raise UsageError(f"{measure} needs {NEEDS[need].missing}; add {spell_options(NEEDS[need].give)}")
    measure.check(groups)
    of_counts = OF_DOCUMENTS | ({"membership", "judged_membership"} if "log_counts" in inputs else set())
    if choices.missing == "worst" and of_counts & set(measure.needs) and not measure.worst_known:
        raise UsageError(f"{measure} has no worst document; choose --missing error, neutral or skip")
    of_texts = OF_DOCUMENTS if "log_counts" not in inputs and "membership" not in measure.needs else of_counts
    if choices.bounds == "texts" and of_texts & set(measure.needs) and measure.counts_at_ends(len(groups)) is None:
        raise UsageError(f"{measure} has no bounds for missing texts; leave out --bounds texts, or the measure")
    if labels is not None and OF_DOCUMENTS & set(measure.needs):
        loading.refuse_soft(labels)
    if ORDER in measure.needs:
        several = [*found.labels.values()] if measure.is_of_all and not measure.by else []
        refuse_unordered(measure, several or [labels], found.groups)


def refuse_unwritten_groups(plan: Plan) -> None:
    """Raise UsageError for a group that --groups renames, and that neither labels nor gold labels have."""
    people = plan.context.gold
    beside = [] if people is None else [people.sheet.labels]
    for name in [*plan.labels] or [""]:
        own = several_attributes.choose_own(plan.choices, name, [*plan.labels])
        several = [each for each in (plan.labels.get(name), *beside) if each is not None]
        if own.groups is not None and several:
            refuse_unwritten(own.groups, several)


def refuse_unjudged(plan: Plan) -> None:
    """Raise UsageError for a measure whose values are the same whatever the judgments are."""
    if plan.choices.only or any("qrels" in split_crossed(str(source)) for source in plan.given.label_sources.values()):
        return
    for measure in plan.measures:
        mixed = plan.context.take_attribute(measure.by).target_of if "target" in measure.needs else None
        is_judged = mixed is not None and any(of in OF_QRELS for _, of in mixed.of)
        if not is_judged and OF_JUDGMENTS.isdisjoint(measure.needs):
            raise UsageError(f"{measure} does not depend on judgments; leave it out")


def _refuse_by_group(measure: Asking, groups: Sequence[str], found: OpenedSources) -> None:
    """Raise UsageError for a measure of relevance by group without groups, and for what its values cannot have."""
    if not groups:
        measure.check(())
    bounds = f"{measure} has no bounds over labels; leave out --bounds labels, or the measure"
    gold = f"{measure} is not corrected by gold labels; leave out --gold, or the measure"
    refuse_first([(found.choices.bounds == "labels", bounds), (found.given.gold is not None, gold)])


def _refuse_of_pool(measure: Asking, labels: Labels | None, found: OpenedSources) -> None:
    """Raise UsageError for a measure of all queries together without --pool, and for what its value cannot have."""
    choices, is_divided = found.choices, "group_sizes" in measure.needs
    if choices.pool is None:
        raise UsageError(
            f"{measure} is over all queries: add {spell_options('--pool even ').strip()}; only eval has it"
        )
    bounds = f"{measure} has no bounds; leave out --bounds, or the measure"
    gold = f"{measure} is not corrected by gold labels; leave out --gold, or the measure"
    filled = f"{measure} divides by the documents of the labels, and --missing {choices.missing} adds others"
    per_query = labels is not None and labels.per_query
    refuse_first([
        (choices.bounds is not None, bounds),
        (found.given.gold is not None and is_divided, gold),
        (is_divided and choices.missing in FILLED, f"{filled}; leave out one of the two"),
        (is_divided and per_query, f"{measure} needs labels of documents, and these are per query; pass others"),
    ])  # fmt: skip


def _frequencies(pool: Any, measures: Sequence[Measure]) -> Mapping[str, float] | None:
    """Read how often each query is asked. Raises UsageError where no measure pools exposure."""
    from fairtrec.evaluation.columns.pool import frequencies

    if not any(measure.supports("pool") for measure in measures):
        raise UsageError("--pool sums exposure over queries, and no measure here uses exposure; leave it out")
    return frequencies(pool)


def _gold(thing: Any, found: OpenedSources) -> Any:
    from fairtrec.evaluation.given import gold as gold_match

    if len(found.labels) > 1:
        raise UsageError("--gold corrects the values of one attribute, and there are several; pass the labels of one")
    return gold_match.read(thing, found.groups, found.first, found.choices)


def _fitting(found: OpenedSources) -> list[Measure]:
    """Choose the measures that are computed where none is named: those of words with words, AWRF with labels."""
    default = " ".join(need.default for name, need in NEEDS.items() if name in found.given.inputs)
    several = []
    for measure in registry.parse(default, found.choices.relevance_level):
        of_words = bool(OF_DOCUMENTS & set(measure.needs))
        if of_words if found.given.labels is not None else "membership" in measure.needs:
            continue
        with suppress(UsageError):
            _refuse_unfit(measure, found)
            several.append(measure)
    if not several:
        raise UsageError("there is nothing to measure; pass a qrels file, or --terms LIST with --docs COLLECTION")
    return several


def note_levels(measures: Sequence[Measure], qrels: Qrels) -> list[Note]:
    """Say that grade 1 is relevant if there are higher grades and no level was given, and that ERR goes up to 4."""
    utility, _ = split_relevance(measures)
    binary = [each for each in utility if each.name in LEVELLED and "rel" not in each.measure.params]
    of_gdeval = [each for each in utility if each.name == "ERR"]
    most = qrels.greatest_grade if binary or of_gdeval else 1
    notes = []
    if binary and most > 1:
        notes.append(LEVEL.note(measures=binary, most=most))
    if of_gdeval and most != GDEVAL:
        notes.append(GDEVAL_GRADES.note(measures=of_gdeval, expected=GDEVAL, most=most))
    return notes

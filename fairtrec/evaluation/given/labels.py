"""Labels: groups of documents, of one attribute or of several; and what measures look up in them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from math import inf
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import UNKNOWN, Bools, Counts, Docnos, Docs, Floats, Ints, Labels, Run, find_labeled, look_up
from fairtrec.data.counts import count_labels
from fairtrec.data.ranking.depth import Asking
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.given.given_rows import Attributes, Files, NamedRuns, Written
from fairtrec.evaluation.given.reference import GroupReference, OpenedReferences, Plan
from fairtrec.evaluation.inputs import loading, several_attributes
from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext, TargetOf
from fairtrec.evaluation.inputs.groups import members, note_groups, note_tau, refuse_unwritten
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.targets import note_target
from fairtrec.formats.column_roles import OwnColumn
from fairtrec.measure import Note, NoteKind, NoteSeverity
from fairtrec.measures.catalogue.needs import GROUPED, OF_DOCUMENTS
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import renamings, source, split_crossed
from fairtrec.support.notes import FEW

MISSING_WORDS = frozenset({"nan", "none", "null", "na", "n/a", "unknown", "unk", "missing", "unspecified"})


def _write_missing_word(group: str, size: int, others: str) -> str:
    what = f"a group is called {group} ({size} document{'s' * (size != 1)}); if it means missing, leave it out"
    return f"{what}: --groups {others}" if others else what


MISSING_WORD = NoteKind("a group by a word for missing", _write_missing_word)
ALIKE_GROUPS = NoteKind(
    "groups by names alike",
    "groups with names alike: {groups}; if these are spellings of one group, write one of them in the labels",
    NoteSeverity.MISLEADING,
)
SHORTEST = 3  # letters of a name that one letter may stand for
MOST_BYTES = 1 << 27  # of runs, which are read once more to cut labels to the documents that they name


class LabelReference(GroupReference):
    """Groups of documents that are given, by attribute."""

    parts = frozenset({"documents", "labels", "membership", "filled"})
    is_shared = False

    def read(self, opened: OpenedReferences) -> Mapping[str, Labels]:
        """Read the labels of each attribute; many of them as far as anything names their documents."""
        sources = list_sources(opened.given.things[self.name])
        if not sources:
            raise InputError("labels: no document has a label; check that this is the right file")
        if is_of_judgments(sources):
            opened.read("qrels")
        wanted, judged = _find_documents(opened, sources), opened.opened.get("qrels")
        tables = [thing for _, thing in opened.runs if isinstance(thing, PATH)]
        opened.attributes.update(several_attributes.read_labels(sources, opened.choices, judged, wanted, tables))
        return opened.attributes

    def list_groups(self, opened: OpenedReferences) -> tuple[str, ...]:
        """Name the groups of the first attribute."""
        return () if opened.first is None else opened.first.groups

    def looks_up(self, needs: frozenset[str]) -> bool:
        """Tell whether any of these inputs is looked up in the table of documents; groups are looked up in labels."""
        return not needs.isdisjoint({"ranked"} | OF_DOCUMENTS)

    def count_documents(self, plan: Plan, wanted: Docnos, watched: Any) -> Counts:
        """Let labels stand for counts."""
        assert plan.context.labels is not None
        return count_labels(plan.context.labels, wanted)

    def make_documents(self, plan: Plan, counts: Counts, behind: Documents | None = None) -> Documents:
        """Make the table of documents, with those of other attributes."""
        by = {
            each.by: Documents(count_labels(other, counts.docnos), plan.choices, of_labels=True)
            for each in plan.measures
            if each.by not in ("", plan.context.attribute) and OF_DOCUMENTS.intersection(each.needs)
            if (other := plan.context.attributes[each.by].labels) is not None
        }
        return Documents(counts, plan.choices, of_labels=True, by=by, behind=behind)

    def refuse_measure(self, measure: Asking, opened: OpenedReferences) -> None:
        """Raise UsageError for a measure that these labels cannot be counts for, or that they do not bound."""
        if getattr(measure, "is_of_group", False) and opened.choices.bounds == "labels":
            raise UsageError(f"{measure} has no bounds over labels; leave out --bounds labels, or the measure")
        labels = opened.find_attribute(measure)
        if labels is not None and OF_DOCUMENTS & set(measure.needs):
            loading.refuse_soft(labels)

    def take_runs(
        self,
        plan: Plan,
        context: EvaluationContext,
        named: NamedRuns,
        depth: int | None,
        *,
        with_ties: bool,
    ) -> NamedRuns:
        """Raise UsageError for a group that --groups renames and that nobody has."""
        refuse_unwritten_groups(plan)
        return named

    def plays(self, plan: Plan) -> bool:
        """Tell whether a measure or target looks at groups of documents."""
        return not plan.uses.isdisjoint(GROUPED | OF_DOCUMENTS)

    def list_effects(self, plan: Plan) -> Iterable[str]:
        """Name what is in effect."""
        first, choices = plan.context.labels, plan.choices
        effects = {
            "labels": self.plays(plan),
            "membership": choices.membership is not None,
            "filled": first is not None and first.others is not None,
            "unlabeled": choices.bounds == "labels",
        }
        return [part for part, is_in_effect in effects.items() if is_in_effect]

    def list_notes(self, plan: Plan) -> Iterator[Note]:
        """Say which groups there are, what each should have, and which measures take a label for neutral."""
        for name, labels in plan.attributes.items() if plan.is_of_groups else ():
            yield from (replace(note, by=name) for note in labels.notes)
            yield from note_missing_words(labels, name)
            yield from note_alike_groups(labels, name)
            yield from note_groups(labels, plan.context.attributes[name].target, name)
            if (note := note_target(plan.choices.target, labels)) is not None:
                yield note
        by_labels = [(each, plan.find_attribute(each)) for each in plan.measures if OF_DOCUMENTS & set(each.needs)]
        yield from note_tau((each, labels) for each, labels in by_labels if labels is not None)

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the labels, and the groups with their sizes."""
        several = {name: each for name in context.given if (each := context.take_attribute(name).labels) is not None}
        names = ((f"{name}=" if name else "") + loading.short(each.name, each.sha256) for name, each in several.items())
        sizes = ((f"{name} " if name else "") + members(each) for name, each in several.items())
        return {self.name: ",".join(names), "groups": renamings(plan.choices.groups), "members": "; ".join(sizes)}

    def list_parts(self, thing: Any) -> Mapping[Part, Any]:
        """Give the files of each attribute."""
        parts = {}
        for name, of in list_sources(thing).items():
            crossed = [source(part).name for part in split_crossed(fspath(of))] if isinstance(of, PATH) else [of]
            for number, file in enumerate(crossed, 1):
                parts[Part(self.name, f"{name} {number}".strip() if len(crossed) > 1 else name or None)] = file
        return parts

    def record(self, thing: Any) -> Any:
        """Give what a results file says of the labels of each attribute; nothing of a column of the runs."""
        if isinstance(thing, OwnColumn):
            return None
        if not isinstance(thing, Attributes):
            return super().record(thing)
        return {name: super(LabelReference, self).record(each) for name, each in thing.sources.items()}


LABELS = LabelReference("labels")


def note_missing_words(labels: Labels, name: str) -> Iterator[Note]:
    """Note a group whose name elsewhere means that nothing is known."""
    for group, size in zip(labels.groups, labels.sizes.tolist(), strict=True):
        if group.casefold() in MISSING_WORDS:
            others = [other for other in labels.groups if other != group]
            can_be_typed = len(others) > 1 and not any("," in other for other in others)
            yield MISSING_WORD.note(by=name, group=group, size=size, others=",".join(others) * can_be_typed)


def note_alike_groups(labels: Labels, name: str) -> Iterator[Note]:
    """Note groups whose names differ only in case and hyphens, or of which one is the first letter of another."""
    by_letters: dict[str, list[str]] = {}
    for group in labels.groups:
        letters = re.sub(r"(?<=\w)[\s_-]+(?=\w)", "", group.strip().casefold())
        is_word = any(map(str.isalpha, letters))
        by_letters.setdefault(letters if is_word else group, []).append(group)
    words = [letters for letters in by_letters if letters.isalpha() and len(letters) >= SHORTEST]
    for letter in [letters for letters in by_letters if letters.isalpha() and len(letters) == 1]:
        begun = [word for word in words if word[0] == letter]
        if len(begun) == 1:
            by_letters[begun[0]] += by_letters.pop(letter)
    if alike := [", ".join(several) for several in by_letters.values() if len(several) > 1]:
        yield ALIKE_GROUPS.note(by=name, groups="; ".join(alike[:FEW]) + "; and more" * (len(alike) > FEW))


def list_sources(thing: Any) -> Mapping[str, Any]:
    """Give the labels of each attribute by its name; "" where they have none."""
    return thing.sources if isinstance(thing, Attributes) else {"": thing}


def is_of_judgments(sources: Mapping[str, Any]) -> bool:
    """Tell whether any labels are the subtopics of judgments."""
    return any("qrels" in split_crossed(fspath(each)) for each in sources.values() if isinstance(each, PATH))


def refuse_unwritten_groups(plan: Plan) -> None:
    """Raise UsageError for a group that --groups renames, and that neither labels nor gold labels have."""
    people = plan.context.opened.get("gold")
    beside = [] if people is None else [people.sheet.labels]
    for name in [*plan.attributes] or [""]:
        own = several_attributes.choose_own(plan.choices, name, [*plan.attributes])
        several = [each for each in (plan.attributes.get(name), *beside) if each is not None]
        if own.groups is not None and several:
            refuse_unwritten(own.groups, several)


def _find_documents(opened: OpenedReferences, sources: Mapping[str, Any]) -> Callable[[], Docnos | None] | None:
    """Give what collects the documents of the runs and of what else names documents, once it is asked for.

    None where labels are looked at as a whole, or something is left that can be read but once, or is too large for it.
    """
    given, choices, runs = opened.given, opened.choices, opened.runs
    of_all = choices.pool is not None or any(word in str(choices.target) for word in ("collection", "background"))
    is_crossed = any(len(split_crossed(fspath(each))) > 1 for each in sources.values() if isinstance(each, PATH))
    whole = choices.missing == "even" or (of_all and (len(sources) > 1 or is_crossed))
    if not runs or whole or any(isinstance(each, OwnColumn) for each in sources.values()):
        return None
    parts = {name: each.list_docnos(opened) for name, each in given.references.items()}
    things = [thing for _, thing in runs] + [given.things[name] for name, docnos in parts.items() if docnos != ()]
    if None in parts.values() or sum(map(_count_bytes, things)) > MOST_BYTES:
        return None

    def collect() -> Iterator[Docs]:
        yield np.empty(0, "S1")
        for name, thing in runs:
            with suppress(InputError):  # what is wrong with a run is said where it is evaluated
                yield from (run.docnos for run in loading.load_run(thing, name, choices, None).runs)
        for part in parts.values():
            yield from part or ()

    return cache(lambda: Docnos.collect(*collect()))


def _count_bytes(thing: Any) -> float:
    """Tell how many bytes are read once more; infinitely many of what can be read but once."""
    if isinstance(thing, PATH) and not opening.is_stream(thing):
        return opening.size(thing) if loading.is_file(thing) else 0
    is_held = isinstance(thing, Mapping) or hasattr(thing, "columns") or hasattr(thing, "docnos")
    return 0 if is_held else inf


def _labels_of(inputs: Inputs) -> Labels:
    """Give the labels of the attribute."""
    assert inputs.context.labels is not None
    return inputs.context.labels


def groups(inputs: Inputs) -> tuple[str, ...]:
    """Name the groups."""
    return _labels_of(inputs).groups


def order(inputs: Inputs) -> Ints:
    """Place the groups from the least to the greatest; none where they have no order."""
    labels = _labels_of(inputs)
    return np.array([labels.groups.index(name) for name in labels.order], dtype=np.int64)


def membership(inputs: Inputs) -> Floats:
    """Look up who belongs to which group [query, rank, group]."""
    inputs.refuse_vast()
    found = look_up(_labels_of(inputs), inputs.qids, inputs.run.docnos, inputs.lines)
    found.flags.writeable = False  # so that what is the same for each of many groups is computed once
    return found


def known(inputs: Inputs) -> Bools:
    """Tell of which ranks the groups are known [query, rank]; what ``--missing`` fills in is not."""
    crossing, labels = inputs.context.crossing, _labels_of(inputs)
    if (crossing is None or crossing.is_listed) and labels.labeled is None:
        return np.asarray(~np.isnan(inputs.membership).any(axis=2))
    several = [labels] if crossing is None or crossing.is_listed else crossing.labels
    told = [find_labeled(each, inputs.qids, inputs.run.docnos, inputs.lines) for each in several]
    return np.asarray(np.all(told, axis=0))


def group_sizes(inputs: Inputs) -> Floats:
    """Count how many documents belong to each group [group]."""
    return _labels_of(inputs).amounts


def judged_membership(inputs: Inputs) -> Floats:
    """Look up who of the judged documents belongs to which group [query, n, group]."""
    labels = _labels_of(inputs)
    return inputs.keep_judged(labels, lambda: look_up(labels, inputs.qids, inputs.qrels.docnos, inputs.judged_lines))


def amounts(inputs: Inputs, of: TargetOf) -> tuple[Floats, Floats]:
    """Give the groups of documents of which a target is made [query, n, group], and what each document weighs."""
    labels, background = _labels_of(inputs), inputs.context.background
    if of == "collection" or (of == "background" and background == "collection"):
        return labels.amounts[None, None], np.ones((1, 1))
    if of == "background":
        assert isinstance(background, Run)
        lines = background.top(inputs.qids, inputs.context.choices.background_depth)
        return look_up(labels, inputs.qids, background.docnos, lines), np.ones((1, 1))
    return inputs.judged_membership, inputs.find_input("weigh_judged")(inputs, of)


def unknown_group(inputs: Inputs) -> int | None:
    """Tell which group is that of documents without a label, if they are one."""
    labels = _labels_of(inputs)
    return labels.groups.index(UNKNOWN) if UNKNOWN in labels.groups else None


def target_documents(inputs: Inputs, of: TargetOf, query: int) -> tuple[Docs, Ints, Floats]:
    """Give documents of which a target is made, as lines [1, n] of docnos, and what each weighs."""
    if of == "background":
        background = inputs.context.background
        assert isinstance(background, Run)
        lines = background.top([inputs.qids[query]], inputs.context.choices.background_depth)
        return background.docnos, lines, np.ones(lines.shape[1])
    return (
        inputs.qrels.docnos,
        inputs.judged_lines[query : query + 1],
        inputs.find_input("weigh_judged")(inputs, of)[query],
    )

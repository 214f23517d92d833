"""What is given beside the runs: one thing, and all of them, as they are given, opened and asked for."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import fspath
from typing import TYPE_CHECKING, Any

from fairtrec.evaluation.given.given_rows import Files, Given, Input, NamedRuns, Written
from fairtrec.evaluation.inputs.options import Choices, name_source
from fairtrec.measures.catalogue.needs import GROUPED, OF_RUN, looks_at_groups
from fairtrec.support.errors import PATH

if TYPE_CHECKING:
    from fairtrec.data import Counts, Docnos, Docs, Labels
    from fairtrec.data.ranking.depth import Asking
    from fairtrec.evaluation.answers.result import Part, Result
    from fairtrec.evaluation.answers.scores import Scores
    from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext, Needs
    from fairtrec.measure import Measure, Note


class Reference:
    """A thing that may be given beside the runs: what holds for most of them; its file says what differs.

    The file has a function for each input in its row that ``Inputs`` does not compute itself, with the name of the
    input.

    ``opened_by``  what opens it: ``all``, when what is given is settled, the ``measures`` if one wants it, or the
                   first ``runs``.
    ``parts``      words of ``Choice.part``: the choices that say something of it.
    ``is_listed``  whether it may be a list that fairtrec knows by its name.
    ``is_shared``  whether it goes to where measures are computed.
    ``is_large``   whether its file is hashed while it is read, if it is large.
    ``of_runs``    whether it says something of any runs, whatever is measured.
    ``column``     the file of evaluation/columns that computes what it adds next to values.
    ``documents_place``  what notes call the place of the documents that ``collect_documents`` gives.
    ``needs_header``  whether its table always begins with names of columns.
    """

    opened_by = "all"
    parts = frozenset[str]()
    column = documents_place = ""
    is_listed = is_large = of_runs = needs_header = False
    is_shared = True

    def __init__(self, name: str) -> None:
        self.name = name

    def make_example(self, qids: Sequence[str], docnos: Sequence[str]) -> Any:
        """Make what a caller could give for these queries and documents: pages and contracts of measures evaluate it.

        It is by query and document, or by document. None: the pages and contracts say themselves what they give.
        """
        return None

    def take(self, thing: Any) -> Any:
        """Take what a caller gave; None: nothing."""
        return thing

    def refuse(self, given: "References") -> None:
        """Raise UsageError or InputError if it does not go with what else is given."""

    def list_inputs(self, given: "References") -> Iterable[str]:
        """Name the inputs that can be made of what is given."""
        held = {"", *given.things} - given.words
        return [each.name for each in self.list_own_inputs(given) if each.beside in held]

    def list_own_inputs(self, given: "References") -> tuple[Input, ...]:
        """List the inputs of measures that are made of it."""
        return given.table[self.name].inputs

    def find_input(self, name: str) -> "Callable[[Any], Any] | None":
        """Find what computes an input, or a part of one."""
        found: Callable[[Any], Any] | None = getattr(sys.modules[type(self).__module__], name, None)
        return found

    def read(self, opened: "OpenedReferences") -> Any:
        """Open it, or read it."""
        return opened.given.things[self.name]

    def open_beside(self, plan: "Plan", named: NamedRuns, depth: int | None) -> Any:
        """Open it beside these runs, which are read down to a depth."""
        return plan.read(self.name)

    def is_wanted(self, measures: "Sequence[Measure]", needs: frozenset[str]) -> bool:
        """Tell whether measures want it, if they open it. Raises UsageError for those that it does not fit."""
        return True

    def set_parameter(self, measure: Any, value: Any) -> Any:
        """Give a measure the value of its parameter of this name, which is ``given``."""
        return measure

    def refuse_measure(self, measure: "Asking", opened: "OpenedReferences") -> None:
        """Raise UsageError for a measure that it does not go with."""

    def match_runs(
        self, plan: "Plan", value: Any, context: "EvaluationContext", named: NamedRuns, depth: int | None
    ) -> Any:
        """Give what of it belongs to these runs, before any is read."""
        return value

    def find_own(self, value: Any, name: str) -> Any:
        """Find what of the ``value`` belongs only to the run of this name, so that no other shares its scores."""
        return None

    def match_values(
        self,
        plan: "Plan",
        value: Any,
        named: NamedRuns,
        score: "Callable[[], Sequence[Scores]]",
    ) -> Any:
        """Give what of it belongs to the values of these runs, which ``score`` computes."""
        return value

    def take_runs(
        self, plan: "Plan", context: "EvaluationContext", named: NamedRuns, depth: int | None, *, with_ties: bool
    ) -> NamedRuns:
        """Hand over the runs that are read already. Raises UsageError or InputError for runs that it does not fit."""
        return named

    def plays(self, plan: "Plan") -> bool:
        """Tell whether it may change a value."""
        return True

    def list_effects(self, plan: "Plan") -> Iterable[str]:
        """Name the words of ``Choice.part`` that are in effect by it."""
        return ()

    def list_notes(self, plan: "Plan") -> "Iterable[Note]":
        """List what a reader should know of it."""
        return ()

    def list_docnos(self, opened: "OpenedReferences") -> "Iterable[Docs] | None":
        """List the documents that it names, if it names any; None: they cannot be told before runs are read."""
        return ()

    def collect_documents(
        self, context: "EvaluationContext", needs: "Needs", qids: Sequence[str], choices: Choices
    ) -> "Iterator[Docs]":
        """Give its documents that are looked up, of these queries."""
        yield from ()

    def sign(self, plan: "Plan", context: "EvaluationContext", files: Files) -> Written:
        """Write it into the signature, by field."""
        return {self.name: self.spell(plan.given.things[self.name], files, context.opened.get(self.name))}

    def spell(self, thing: Any, files: Files, read: Any = None, digest: str = "") -> str:
        """Name what was given: name@digest of its file, or of what was ``read``; an ir_datasets id as it is.

        ``digest``  what a table that is searched, not read, says of its rows; or that of what is held in memory.
        """
        from fairtrec.evaluation.answers.result import Part
        from fairtrec.evaluation.inputs.loading import short

        name, file = fspath(thing) if isinstance(thing, PATH) else "given", files.get(Part(self.name))
        if callable(dataset := getattr(thing, "dataset_id", None)):  # of ir_datasets
            name = str(dataset())
        if file is not None:
            name, digest = name_source(file.place), digest or file.sha256
        elif read is not None:
            digest = self.digest(read)
        return short(name, digest)

    def digest(self, read: Any) -> str:
        """Hash what is in no file; an input of another package that is no mapping has no digest."""
        from fairtrec.data import digest_texts

        is_mapping = isinstance(read, Mapping)
        return digest_texts(sorted((str(name), repr(value)) for name, value in read.items())) if is_mapping else ""

    def list_parts(self, thing: Any) -> "Mapping[Part, Any]":
        """Give what may be a file, by the part that it plays."""
        from fairtrec.evaluation.answers.result import Part

        return {Part(self.name): thing}

    def is_hashed(self, plan: "Plan") -> bool:
        """Tell whether its file, if it is large, is hashed while it is read."""
        return self.is_large and self.plays(plan)

    def record(self, thing: Any) -> Any:
        """Give what the options of a results file say of it: its name; True of an object, which has none."""
        from fairtrec.evaluation.inputs import loading

        return loading.spell_path(thing) if isinstance(thing, PATH) else True

    def complete_context(self, plan: "Plan", context: "EvaluationContext") -> "EvaluationContext":
        """Add what is computed of it once for all runs, when it has been opened."""
        return context

    def complete_result(self, result: "Result", plan: "Plan", context: "EvaluationContext") -> "Result":
        """Add to a result what belongs to its runs."""
        return result


class MeasuredReference(Reference):
    """A thing that plays a part only where a measure or target uses an input that is made of it."""

    def plays(self, plan: "Plan") -> bool:
        """Tell whether one is used."""
        references = plan.given.references.values()
        several = (
            each for of in references for each in of.list_own_inputs(plan.given) if self.name in (of.name, each.beside)
        )
        return any(each.name in plan.uses for each in several)


class GroupReference(Reference):
    """A thing that says to which groups documents belong: texts with terms, counts, or labels."""

    def list_groups(self, opened: "OpenedReferences") -> tuple[str, ...]:
        """Name the groups; of the first attribute."""
        raise NotImplementedError

    def looks_up(self, needs: frozenset[str]) -> bool:
        """Tell whether any of these inputs is looked up in the table of documents."""
        raise NotImplementedError

    def count_documents(self, plan: "Plan", wanted: "Docnos", watched: Any) -> "Counts":
        """Read what is known of documents; ``watched`` is handed their texts on their way to where they are counted."""
        raise NotImplementedError

    def make_documents(self, plan: "Plan", counts: "Counts", behind: "Documents | None" = None) -> "Documents":
        """Make the table of documents of what was counted."""
        from fairtrec.evaluation.inputs.documents import Documents

        return Documents(counts, plan.choices, behind=behind)


class References:
    """What the caller gave beside the runs: the things, and what says all of each, by name; none that is not given.

    ``table``   the row of each thing that there is, given or not.
    ``words``   names of those that are a word in the place of a file, even beside a file of that name.
    ``inputs``  the inputs of measures that can be made of them.
    """

    def __init__(self, several: Mapping[Reference, Any], table: Mapping[str, Given]) -> None:
        self.table, self.references = table, {reference.name: reference for reference in several}
        self.things = {reference.name: reference.take(thing) for reference, thing in several.items()}
        given = self.things.items()
        self.words = frozenset(name for name, it in given if isinstance(it, str) and it in table[name].words)
        for reference in several:
            reference.refuse(self)
        self.inputs = OF_RUN.union(*(reference.list_inputs(self) for reference in several))

    @property
    def group_reference(self) -> GroupReference | None:
        """What says to which groups documents belong."""
        return next(
            (reference for reference in self.references.values() if isinstance(reference, GroupReference)), None
        )

    def record(self, names: Iterable[str]) -> dict[str, Any]:
        """Give what the options of a results file say of the things of these names."""
        return {
            name: self.references[name].record(self.things[name]) if name in self.things else None for name in names
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedReferences:
    """What was given beside the runs, as far as it has been opened: what is large is opened when runs come."""

    given: References
    choices: Choices
    runs: NamedRuns = ()  # if these are all, many groups are read only of documents that are named
    opened: dict[str, Any] = field(default_factory=dict)
    attributes: "dict[str, Labels]" = field(default_factory=dict)  # as labels give them; "" is one without a name
    crossed: "dict[str, Labels]" = field(default_factory=dict)  # those that are crossed, as far as they are asked for
    digests: dict[str, str] = field(default_factory=dict)  # of what is held in memory, as far as they are asked for
    depths: dict[str, int | None] = field(default_factory=dict)  # ranks down to which rankings are read; None: all

    def read(self, name: str) -> Any:
        """Open a thing when it is first asked for; None: it was not given."""
        if name not in self.opened and name in self.given.things:
            self.opened[name] = self.given.references[name].read(self)
        return self.opened.get(name)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the first attribute; none if nothing says which there are."""
        reference = self.given.group_reference
        return () if reference is None else reference.list_groups(self)

    @property
    def first(self) -> "Labels | None":
        """The labels of the first attribute."""
        return next(iter(self.attributes.values()), None)

    def digest(self, name: str) -> str:
        """Hash texts or counts that are held in memory, once; "" of what has a name."""
        if isinstance(thing := self.given.things[name], PATH):
            return ""
        if name not in self.digests:
            from fairtrec.formats import memory

            self.digests[name] = memory.digest(name, thing)
        return self.digests[name]

    def find_attribute(self, each: "Asking") -> "Labels | None":
        """Find the attribute that a measure or reranker goes by. Raises UsageError for one that there is not."""
        if not each.by or not looks_at_groups(each):
            return self.first
        if each.by in self.attributes:
            return self.attributes[each.by]
        if each.by not in self.crossed:
            from fairtrec.evaluation.inputs import several_attributes

            self.crossed[each.by] = several_attributes.find_attribute(self.attributes, each.by, each)
        return self.crossed[each.by]


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan(OpenedReferences):
    """What is asked for, and what it is compared with."""

    measures: "tuple[Measure, ...]"  # one for each group where they ask for that; of rerankers there is none
    others: "tuple[Measure, ...]"  # of them, those that are no measures of relevance
    needs: "Needs"  # what they look at
    uses: frozenset[str]  # their inputs, documents of which their target is made, ``documents`` if any are looked up
    context: "EvaluationContext"  # target and groups; what is large is read when runs come
    notes: "tuple[Note, ...]" = ()

    @property
    def is_of_groups(self) -> bool:
        """Whether any number depends on groups."""
        return bool(self.needs.inputs & GROUPED)

    @cached_property
    def plays(self) -> frozenset[str]:
        """The words of ``Choice.part`` that are in effect, so that their choices are."""
        effects = (reference.list_effects(self) for reference in self.given.references.values())
        size = {"size"} if "collection_size" in self.uses else set[str]()
        return frozenset({"all"} | (self.uses & {"documents"}) | size).union(*effects)

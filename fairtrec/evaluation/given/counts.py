"""Counts of group terms: texts with terms, in which they are counted; or a table in which they stand."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import MISSING, Counts, Docnos, Floats, GroupTerms, Ints, take
from fairtrec.evaluation.given.given_rows import Files, Written
from fairtrec.evaluation.given.reference import GroupReference, OpenedReferences, Plan, Reference, References
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext, TargetOf
from fairtrec.evaluation.inputs.groups import note_terms
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.formulas import neutrality
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measure import Note, NoteKind
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS, OF_GROUPS
from fairtrec.support.errors import PATH, InputError, UsageError, refuse_first

if TYPE_CHECKING:
    from fairtrec.counting.counter import Lexicon
    from fairtrec.counting.table import Meta
    from fairtrec.counting.table.files import Table

SHARED_TERMS = NoteKind("shared terms", "terms in several groups count for each: {terms}")


class CountReference(Reference):
    """Terms, texts or counts."""

    parts = frozenset({"documents", "texts", "membership"})
    is_shared = False

    def refuse(self, given: References) -> None:
        """Raise UsageError for what stands for the same, and for what lacks the other."""
        docs, counts, terms = (name in given.things for name in ("docs", "counts", "terms"))
        others = " ".join(f"--{name}" for name in ("docs", "counts", "terms") if name in given.things)
        what = "both labels and words or counts were given"
        refuse_first([
            (docs and counts, "both texts and counts were given; leave out --docs or --counts"),
            ("labels" in given.things, f"{what}; leave out --labels, or {others}"),
            (docs and not terms, "texts were given, but no words to look for; add --terms LIST"),
            (
                terms and not docs and not counts,
                "--terms needs texts or counts; add --docs COLLECTION or --counts FILE",
            ),
        ])  # fmt: skip

    def plays(self, plan: Plan) -> bool:
        """Tell whether documents are looked at."""
        return "documents" in plan.uses


class TermReference(CountReference):
    """Group terms."""

    is_listed = True

    def read(self, opened: OpenedReferences) -> GroupTerms:
        """Load group terms."""
        return loading.terms(opened.given.things[self.name])

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the terms by which texts are counted; counts say by which they were."""
        terms = plan.read(self.name)
        return {self.name: loading.short(terms.name, terms.digest)} if "docs" in plan.given.things else {}


class CountedReference(CountReference, GroupReference):
    """Texts, or counts."""

    is_large = True

    def take(self, thing: Any) -> Any:
        """Read what can be read but once into a table."""
        return loading.load_table(thing)

    def looks_up(self, needs: frozenset[str]) -> bool:
        """Tell whether any of these inputs is looked up in the table of documents."""
        return not needs.isdisjoint({"ranked"} | OF_DOCUMENTS | OF_GROUPS)

    def list_effects(self, plan: Plan) -> Iterable[str]:
        """Name what is in effect: how texts were made to counts, as far as that is known, and a rule of membership."""
        is_told = "docs" in plan.given.things or find_making(plan) is not None
        return [*["texts"] * (self.plays(plan) and is_told), *["membership"] * ("membership" in plan.uses)]


class TextReference(CountedReference):
    """Texts; opened, they are how terms are counted in them."""

    def read(self, opened: OpenedReferences) -> "Lexicon":
        """Say how terms are counted."""
        from fairtrec.counting.counter import Lexicon

        terms, choices = opened.read("terms"), opened.choices
        is_exact = bool(choices.case_sensitive)
        return Lexicon.from_terms(terms, choices.tokenizer or "strip", case_sensitive=is_exact)

    def list_groups(self, opened: OpenedReferences) -> tuple[str, ...]:
        """Name the groups of the terms."""
        groups: tuple[str, ...] = opened.read("terms").groups
        return groups

    def count_documents(self, plan: Plan, wanted: Docnos, watched: Any) -> Counts:
        """Count terms in texts."""
        return loading.count_documents(plan.given.things[self.name], wanted, plan.read(self.name), watched)

    def list_notes(self, plan: Plan) -> Iterable[Note]:
        """Say which groups there are, and which terms are in several."""
        if plan.is_of_groups:
            yield note_terms(plan.read("terms"))
        shared = plan.read(self.name).shared_terms
        if shared and plan.is_of_groups:
            yield SHARED_TERMS.note(terms=", ".join(shared[:5]) + (", ..." if len(shared) > 5 else ""))

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the texts."""
        return {self.name: self.spell(plan.given.things[self.name], files, digest=plan.digest(self.name))}


class CountTable(CountedReference):
    """Counts: a table in a file, or a frame."""

    needs_header = True

    def read(self, opened: OpenedReferences) -> "Table | None":
        """Open the table; None is a frame. Raises InputError if it has other counts than are asked for."""
        table, choices = None, opened.choices
        if isinstance(path := opened.given.things[self.name], PATH):
            from fairtrec.counting.table.files import Table

            table = Table(path)
        opened.opened[self.name] = table
        terms = opened.read("terms")
        if (terms, choices.tokenizer, choices.case_sensitive) != (None, None, None):
            _refuse_others(opened, terms, table)
        return table

    def list_groups(self, opened: OpenedReferences) -> tuple[str, ...]:
        """Name the groups of the counts."""
        table: Table | None = opened.read(self.name)
        if table is not None:
            return tuple(sorted(table.groups))
        from fairtrec.formats import memory

        return memory.frame_groups(opened.given.things[self.name])

    def count_documents(self, plan: Plan, wanted: Docnos, watched: Any) -> Counts:
        """Read the counts of documents, and those of all documents if anything looks at these."""
        if (table := plan.read(self.name)) is None:
            from fairtrec.formats import memory

            return memory.counts(plan.given.things[self.name], wanted)
        from fairtrec.counting.table.document_counts import read_counts

        whole = "background" in plan.given.words and "background" in plan.uses
        return read_counts(table, wanted, collection=whole or not plan.uses.isdisjoint({"collection", "group_sizes"}))

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the counts, and how they were made as far as they say so."""
        made = find_making(plan)
        rows = made.digest if made is not None and not self.is_hashed(plan) else plan.digest(self.name)
        fields = {self.name: self.spell(plan.given.things[self.name], files, digest=rows)}
        if made is None:
            return fields
        case = CHOICES["case_sensitive"].describe_value(made.case_sensitive)
        how = {"terms": loading.short(made.terms, made.sha256), "tokenizer": made.tokenizer or "", "case": case}
        return fields | how

    def is_hashed(self, plan: Plan) -> bool:
        """Tell whether it is read, not searched."""
        table = plan.read(self.name)
        return super().is_hashed(plan) and not (table is not None and table.is_sorted)


TERMS, DOCS, COUNTS = TermReference("terms"), TextReference("docs"), CountTable("counts")


def find_lexicon(opened: OpenedReferences) -> "Lexicon | None":
    """Give how terms are counted in texts; None if no texts were given."""
    lexicon: Lexicon | None = opened.read(DOCS.name)
    return lexicon


def find_making(opened: OpenedReferences) -> "Meta | None":
    """Give how the counts were made; None if they do not say it."""
    table: Table | None = opened.read(COUNTS.name)
    return None if table is None else table.meta


def _refuse_others(opened: OpenedReferences, terms: GroupTerms | None, table: "Table | None") -> None:
    """Raise InputError if the counts are other ones than are asked for, UsageError if they do not say so."""
    choices, groups = opened.choices, COUNTS.list_groups(opened)
    if terms is not None and terms.groups != groups:
        both = f"the counts are of the groups {', '.join(groups)}, the list {terms.name} has {', '.join(terms.groups)}"
        raise InputError(
            f"{both}; leave out --terms, or pass counts made with it", None if table is None else table.path
        )
    if table is None:
        return
    from fairtrec.counting.table import check

    options = {"--terms": terms, "--tokenizer": choices.tokenizer, "--case-sensitive": choices.case_sensitive}
    for option, asked in options.items():
        if table.meta is None and asked is not None:
            raise UsageError(f"these counts do not record how they were made, so {option} cannot be checked; remove it")
    check(table.meta, table.path, terms, choices.tokenizer, choices.case_sensitive)


def groups(inputs: Inputs) -> tuple[str, ...]:
    """Name the groups."""
    return inputs.documents.document_counts.groups


def order(inputs: Inputs) -> Ints:
    """Place the groups from the least to the greatest: they have no order."""
    return np.array([], dtype=np.int64)


def membership(inputs: Inputs) -> Floats:
    """Tell by a rule who belongs to which group [query, rank, group]."""
    found = neutrality.membership(take(inputs.counts, inputs.ranked), inputs.context.membership)
    found.flags.writeable = False  # so that what is the same for each of many groups is computed once
    return found


def group_sizes(inputs: Inputs) -> Floats:
    """Count how many documents belong to each group [group]."""
    held = neutrality.membership(inputs.collection.counts, inputs.context.membership)
    sizes: Floats = weighted_sum(np.nan_to_num(held), inputs.collection.documents.astype(np.float64))[0]
    return sizes


def judged_membership(inputs: Inputs) -> Floats:
    """Tell who of the judged documents belongs to which group [query, n, group]."""
    rule = inputs.context.membership
    return inputs.keep_judged(None, lambda: neutrality.membership(take(inputs.counts, _judged_rows(inputs)), rule))


def amounts(inputs: Inputs, of: TargetOf) -> tuple[Floats, Floats]:
    """Give the groups of documents of which a target is made [query, n, group], and what each document weighs."""
    if of in ("collection", "background"):
        candidates = getattr(inputs, of)
        return candidates.counts, candidates.documents.astype(np.float64)
    return take(inputs.counts, _judged_rows(inputs)), inputs.find_input("weigh_judged")(inputs, of)


def unknown_group(inputs: Inputs) -> None:
    """Tell that no group is that of unknown documents."""


def _judged_rows(inputs: Inputs) -> Ints:
    """Give the rows of the judged documents in the table of documents [query, n]."""
    rows = np.full(inputs.judged_lines.shape, MISSING, dtype=np.int64)
    there = inputs.judged_lines != MISSING
    rows[there] = inputs.documents.document_counts.docnos.rows(inputs.qrels.docnos[inputs.judged_lines[there]])
    return np.where(inputs.documents.is_skipped[rows], MISSING, rows)

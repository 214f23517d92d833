"""Relevance judgments, and what measures look up in them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docs, Floats, Ints, Qrels, digest_queries, find_judged_lines
from fairtrec.data.run import QrelsIndex
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.given.given_rows import Files, Written
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, Reference
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import OF_QRELS, EvaluationContext, Needs, TargetOf
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas import discount, ranks
from fairtrec.measure import Measure, Note, NoteKind, NoteSeverity
from fairtrec.measures.catalogue.needs import OF_JUDGMENTS
from fairtrec.measures.utility import DIVERSITY, LEVELLED, split_relevance
from fairtrec.support.errors import PATH, UsageError
from fairtrec.support.files import opening

GDEVAL = 4  # the greatest grade that its ERR expects
LEVEL = NoteKind(
    "relevance level",
    "grades 1 to {most} count as relevant; -l 2 leaves out grade 1",
    NoteSeverity.BACKGROUND,
)
GDEVAL_GRADES = NoteKind(
    "grades of gdeval",
    "expects grades up to {expected}, as gdeval does; the greatest grade of the qrels is {most}",
)
RBP = NoteKind("rbp", "rbp is RBP, which is binary, with p .8; trec_eval 10's rbp is graded, with p .9")


class QrelsReference(Reference):
    """Relevance judgments."""

    opened_by = "runs"
    documents_place = "judgments"
    is_large = True

    def read(self, opened: OpenedReferences) -> Qrels:
        """Read the judgments."""
        return loading.qrels(opened.given.things[self.name])

    def list_docnos(self, opened: OpenedReferences) -> Iterator[Docs]:
        """List the judged documents."""
        yield opened.read(self.name).docnos

    def collect_documents(
        self,
        context: EvaluationContext,
        needs: Needs,
        qids: Sequence[str],
        choices: Choices,
    ) -> Iterator[Docs]:
        """Give the judged documents, or those of a grade of which targets are made."""
        qrels, ideal = context.qrels, "judged_membership" in needs.inputs
        if qrels is not None and (ideal or OF_QRELS & context.sources):
            lines = find_judged_lines(qrels, qids)
            lines = lines[lines != MISSING]
            least = 1 if "relevance" in context.sources else context.choices.level
            yield qrels.docnos[lines if ideal else lines[qrels.grades[lines] >= least]]

    def list_notes(self, plan: Plan) -> list[Note]:
        """List what is odd in the qrels, that grade 1 is relevant if no level was given, and that ERR goes up to 4."""
        utility, _ = split_relevance(plan.measures)
        binary = [each for each in utility if each.name in LEVELLED and "rel" not in each.measure.params]
        of_gdeval = [each for each in utility if each.name == "ERR"]
        read: Qrels = plan.read(self.name)
        most = read.greatest_grade if binary or of_gdeval else 1
        notes = self._note_repeats(plan, read, reads_subtopics=any(each.name in DIVERSITY for each in utility))
        if binary and most > 1:
            notes.append(LEVEL.note(measures=binary, most=most))
        if any(each.trec == "rbp" for each in utility):
            notes.append(RBP.note())
        if of_gdeval and most != GDEVAL:
            notes.append(GDEVAL_GRADES.note(measures=of_gdeval, expected=GDEVAL, most=most))
        return notes

    def _note_repeats(self, plan: Plan, read: Qrels, *, reads_subtopics: bool) -> list[Note]:
        """List the notes on repeated judgments; several grades are none where subtopics are read."""
        if not read.notes:
            return []
        from fairtrec.evaluation.given.labels import is_of_judgments, list_sources
        from fairtrec.formats.qrels import SEVERAL_GRADES

        place = plan.given.things[self.name]
        has_subtopics = reads_subtopics or is_of_judgments(list_sources(plan.given.things.get("labels")))
        return [
            note.assign_runs([fspath(place)], [opening.name(place)], 1) if isinstance(place, PATH) else note
            for note in read.notes
            if not (has_subtopics and note.kind == SEVERAL_GRADES)
        ]

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the judgments, and the greatest grade if a measure goes by it."""
        is_graded = context.qrels is not None and any("greatest_grade" in each.needs for each in plan.measures)
        graded = {"max-grade": str(context.qrels.greatest_grade)} if is_graded and context.qrels is not None else {}
        return {**super().sign(plan, context, files), **graded}

    def complete_context(self, plan: Plan, context: EvaluationContext) -> EvaluationContext:
        """Add what evaluates all measures of relevance."""
        utility, _ = split_relevance(plan.measures)
        if not utility or context.qrels is None:
            return context
        from fairtrec.evaluation.relevance import RelevanceEvaluator

        return replace(context, judge=RelevanceEvaluator(utility, context.qrels))

    def complete_result(self, result: Result, plan: Plan, context: EvaluationContext) -> Result:
        """Count the judged queries that are wanted, if runs may lack some."""
        if plan.choices.complete or context.qrels is None:
            return result
        judged = {*context.qrels.qids}
        return replace(result, judged=len(judged if context.queries is None else judged & {*context.queries.qids}))

    def digest(self, read: Qrels) -> str:
        """Hash the judged documents of each query with their grades and subtopics."""
        return digest_queries(read.qids, lambda row: _sort_columns(read, row))


QRELS = QrelsReference("qrels")


def refuse_unjudged(plan: Plan) -> None:
    """Raise UsageError for a measure whose values are the same whatever the judgments are."""
    from fairtrec.evaluation.given.labels import is_of_judgments, list_sources

    if plan.choices.keeps_grades or is_of_judgments(list_sources(plan.given.things.get("labels"))):
        return
    for measure in plan.measures:
        mixed = plan.context.take_attribute(measure.by).target_of if "target" in measure.needs else None
        is_judged = mixed is not None and any(of in OF_QRELS for _, of in mixed.of)
        if not is_judged and OF_JUDGMENTS.isdisjoint(measure.needs):
            raise unjudged_error(measure)


def unjudged_error(measure: Measure) -> UsageError:
    """Say that the values of a measure are the same whatever the judgments are."""
    return UsageError(f"{measure} does not depend on judgments; leave it out")


def _sort_columns(read: Qrels, row: int) -> list[Any]:
    """Give what decides of one query: its documents by name, with their grades and subtopics."""
    first, end = read.starts[row : row + 2]
    columns = read.docnos[first:end], read.iterations[first:end], read.grades[first:end]
    order = np.lexsort((columns[1], columns[0]))
    return [column[order] for column in columns]


def relevance(inputs: Inputs) -> Floats:
    """Find the grades of the ranked documents [query, rank]."""
    if inputs.first is not None:
        shared: Floats = inputs.first.relevance
        shared.flags.writeable = False  # so that what measures at several cutoffs ask for is computed once
        return shared
    number, lines = inputs.qrels.numbers(inputs.qids), inputs.lines
    known = QrelsIndex(inputs.qrels, number[number != MISSING])
    number = np.where(number == MISSING, MISSING, np.cumsum(number != MISSING) - 1)  # among these
    there = lines != MISSING
    query = np.broadcast_to(number[:, None], lines.shape)[there]
    grades = np.full(lines.shape, np.nan)
    grades[there] = known.find_grades(query, inputs.run.docnos[lines[there]])
    grades.flags.writeable = False
    return grades


def judged_lines(inputs: Inputs) -> Ints:
    """List the lines of the judgments of each query's documents [query, n]."""
    if inputs.first is not None:
        shared: Ints = inputs.first.judged_lines
        return shared
    return inputs.qrels.list_judged(inputs.qids)


def greatest_grade(inputs: Inputs) -> int:
    """Find the greatest grade of the judgments of all queries, also of those that are not evaluated."""
    return inputs.qrels.greatest_grade


def judged_relevance(inputs: Inputs) -> Floats:
    """Give the grades of the judged documents [query, n]."""
    grades = inputs.qrels.grade_judged(inputs.qids)
    grades.flags.writeable = False
    return grades


def weigh_judged(inputs: Inputs, of: TargetOf) -> Floats:
    """Weigh the judged documents of which a target is made [query, n]."""
    grades = np.nan_to_num(inputs.judged_relevance)
    relevant = grades >= inputs.context.choices.level
    if of == "relevance":
        return grades.clip(min=0)
    if of == "ideal":
        return ranks.share_weights(np.where(relevant, grades, np.nan), discount.log2_clipped(grades.shape[1]))
    return relevant.astype(np.float64)

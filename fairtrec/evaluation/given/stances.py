"""Stances of documents, which may be given beside the runs: read once, and looked up for measures that ask."""

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np

from fairtrec.data import Floats, Run, Stances, digest_columns, look_up
from fairtrec.data.ranking.depth import Asking
from fairtrec.evaluation.given.reference import MeasuredReference, OpenedReferences, Plan
from fairtrec.evaluation.inputs.documents import RunContext
from fairtrec.measure import Note, NoteKind
from fairtrec.support.errors import PATH, UsageError

NO_SIGN = NoteKind(
    "no sign", "the sign of {measures} is arbitrary: `fairtrec make stances` made the axes without --toward"
)


class StanceReference(MeasuredReference):
    """Where documents stand on axes of opinion."""

    def make_example(self, qids: Sequence[str], docnos: Sequence[str]) -> dict[str, list[float]]:
        """Make stances on one axis."""
        return {docno: [value] for docno, value in zip(docnos, cycle((-1.0, -0.5, 1.0, 0.2, 0.0, -0.3)), strict=False)}

    def read(self, opened: OpenedReferences) -> Stances:
        """Load stances."""
        from fairtrec.formats import memory, stance_table

        thing = opened.given.things[self.name]
        return stance_table.read(thing) if isinstance(thing, PATH) else memory.stances(thing)

    def refuse_measure(self, measure: Asking, opened: OpenedReferences) -> None:
        """Raise UsageError for a measure of stances with bounds over labels, which say nothing of it."""
        own = {each.name for each in self.list_own_inputs(opened.given)}
        if opened.choices.bounds == "labels" and not own.isdisjoint(measure.needs):
            raise UsageError(f"{measure}: stances are not groups, so labels cannot bound it; leave it out")

    def list_notes(self, plan: Plan) -> Iterator[Note]:
        """Say whose sign means nothing, as nothing says which side of the axes is which."""
        asking = [each for each in plan.measures if any("stances" in need for need in each.needs)]
        signed = [each for each in asking if each.better == "nearer 0"]
        if signed and not plan.read(self.name).pointed:
            yield NO_SIGN.note(measures=signed)

    def digest(self, read: Stances) -> str:
        """Hash what documents hold."""
        kind = np.full(len(read.values), 2 * read.per_query + read.pointed)
        return digest_columns(read.rows.names, *read.values.T, kind)


STANCES = StanceReference("stances")


def stances(inputs: RunContext) -> Floats:
    """Find where the ranked documents stand [query, rank, axis]."""
    run, qids = inputs.run, inputs.qids
    found = look_up(inputs.context.opened["stances"], qids, run.docnos, run.top(qids, inputs.depth))
    found.flags.writeable = False  # so that a measure and its note look for the ends of all orders once
    return found


def background_stances(inputs: RunContext) -> Floats:
    """Find where the background's documents stand [query, n, axis]."""
    background = inputs.context.background
    assert isinstance(background, Run)
    lines = background.top(inputs.qids, inputs.context.choices.background_depth)
    return look_up(inputs.context.opened["stances"], inputs.qids, background.docnos, lines)

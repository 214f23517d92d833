"""Positions of documents, which may be given beside the runs: read once, and looked up for measures that ask."""

from collections.abc import Iterator

import numpy as np

from fairtrec.data import Floats, Positions, Run, digest_columns, look_up
from fairtrec.evaluation.given.reference import Input, OpenedReferences, Plan, Reference
from fairtrec.evaluation.inputs.documents import RunContext
from fairtrec.measure import Note, NoteKind
from fairtrec.support.errors import PATH

NO_SIGN = NoteKind(
    "no sign", "the sign of {measures} is arbitrary: `fairtrec make positions` made the axes without --toward"
)


class PositionReference(Reference):
    """Where documents stand on axes of opinion."""

    inputs = (
        Input("positions", "positions of documents", "--positions FILE"),
        Input(
            "background_positions", "positions of documents and a background",
            "--positions FILE and --background RUN", "positions, background", beside="background",
        ),
    )  # fmt: skip

    def read(self, opened: OpenedReferences) -> Positions:
        """Load positions."""
        from fairtrec.formats import memory, position_table

        thing = opened.given.things[self.name]
        return position_table.read(thing) if isinstance(thing, PATH) else memory.positions(thing)

    def plays(self, plan: Plan) -> bool:
        """Tell whether a measure looks at it."""
        return self.is_used(plan)

    def list_notes(self, plan: Plan) -> Iterator[Note]:
        """Say whose sign means nothing, as nothing says which side of the axes is which."""
        asking = [each for each in plan.measures if any("positions" in need for need in each.needs)]
        signed = [each for each in asking if each.better == "nearer 0"]
        if signed and not plan.read(self.name).pointed:
            yield NO_SIGN.note(measures=signed)

    def digest(self, read: Positions) -> str:
        """Hash what documents hold."""
        kind = np.full(len(read.values), 2 * read.per_query + read.pointed)
        return digest_columns(read.rows.names, *read.values.T, kind)


POSITIONS = PositionReference("positions")


def positions(inputs: RunContext) -> Floats:
    """Find where the ranked documents stand [query, rank, axis]."""
    run, qids = inputs.run, inputs.qids
    return look_up(inputs.context.opened["positions"], qids, run.docnos, run.top(qids, inputs.depth))


def background_positions(inputs: RunContext) -> Floats:
    """Find where the background's documents stand [query, n, axis]."""
    background = inputs.context.background
    assert isinstance(background, Run)
    lines = background.top(inputs.qids, inputs.context.background_depth)
    return look_up(inputs.context.opened["positions"], inputs.qids, background.docnos, lines)

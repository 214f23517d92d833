"""Positions of documents, which may be given beside the runs: read once, and looked up for measures that ask."""

from collections.abc import Iterable
from typing import Any

from fairtrec.data import Floats, Positions, Run, look_up
from fairtrec.evaluation.inputs.documents import RunContext
from fairtrec.measure import Measure, Note, NoteKind
from fairtrec.support.errors import PATH

NO_SIGN = NoteKind(
    "no sign", "the sign of {measures} is arbitrary: `fairtrec make positions` made the axes without --toward"
)


def read(thing: Any) -> Positions:
    """Load positions on axes of opinion."""
    from fairtrec.formats import memory, position_table

    return position_table.read(thing) if isinstance(thing, PATH) else memory.positions(thing)


def note_signs(positions: Positions, measures: Iterable[Measure]) -> Note | None:
    """Say whose sign means nothing, as nothing says which side of the axes is which."""
    signed = [
        each for each in measures if each.better == "nearer 0" and any("positions" in need for need in each.needs)
    ]
    return None if positions.pointed or not signed else NO_SIGN.note(measures=signed)


def positions(inputs: RunContext) -> Floats:
    """Find where the ranked documents stand [query, rank, axis]."""
    run, qids = inputs.run, inputs.qids
    return look_up(inputs.context.extras["positions"], qids, run.docnos, run.top(qids, inputs.depth))


def background_positions(inputs: RunContext) -> Floats:
    """Find where the background's documents stand [query, n, axis]."""
    background = inputs.context.background
    assert isinstance(background, Run)
    lines = background.top(inputs.qids, inputs.context.background_depth)
    return look_up(inputs.context.extras["positions"], inputs.qids, background.docnos, lines)

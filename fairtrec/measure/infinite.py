"""The note on measures with a logarithm of a share, which is infinite where the share or its target is 0."""

import numpy as np

from fairtrec.data import Floats
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

INFINITE = NoteKind(
    "infinite",
    "infinite for {infinite} of {queries} queries, so the mean is infinite; {advice}",
    NoteSeverity.MISLEADING,
)


def note_infinite(values: Floats, advice: str) -> Note | None:
    """Note how many values are infinite, and ``advice`` on it; None if none is."""
    many = int(np.isinf(values).sum())
    return INFINITE.note(infinite=many, queries=len(values), advice=advice) if many else None

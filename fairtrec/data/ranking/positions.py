"""Positions: ranks that are kept as they are given, so that a rank without a document stays one.

A ranking whose positions are 1 to n is one like any other, so a run has positions only if some ranking has a gap.
"""

from collections.abc import Callable

import numpy as np

from fairtrec.data.docnos import Docs, Floats, Ints
from fairtrec.support.errors import InputError
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

GREATEST = 1 << 53  # up to which a float holds each whole number


def _write_from_0(from_0: int, queries: int) -> str:
    if from_0 == queries:
        return "positions begin at 0; read as 1"
    what = f"a position is 0 in {from_0:,} of {queries:,} queries, so all positions of the file are read as one more"
    return f"{what}; if its positions begin at 1, correct the 0"


def _weigh_from_0(from_0: int, queries: int) -> NoteSeverity:
    return NoteSeverity.BACKGROUND if from_0 == queries else NoteSeverity.MISLEADING


FROM_0 = NoteKind("positions from 0", _write_from_0, _weigh_from_0)


def _write_renumbered(renumbered: int, queries: int) -> str:
    what = f"ranks of {renumbered:,} of {queries:,} queries are not 1 to n and are counted 1, 2, 3"
    return f"{what}; --order position keeps them"


RENUMBERED = NoteKind("ranks that are renumbered", _write_renumbered, NoteSeverity.MISLEADING)
FaultOfRow = Callable[[str, int], InputError]  # what is wrong, and with which row


def shift_positions(ranks: Ints, rankings: int, fault: FaultOfRow) -> tuple[Ints, tuple[Note, ...]]:
    """Let the positions of all rankings [row] begin at 1, if the least of them is 0, and say in how many it is.

    Other rankings may have a gap at 0, or begin at 1 while a 0 is a mistake: nobody can tell, so the note comes first.

    Raises the fault of a position below 0, and of one that is too large to be told from others.
    """
    if not len(ranks):
        return ranks, ()
    if ranks.min() < 0:
        row = int(np.argmax(ranks < 0))
        raise fault(f"the position {ranks[row]} is below 0; positions begin at 1, or at 0", row)
    if ranks.max() >= GREATEST:
        row = int(ranks.argmax())
        raise fault(f"the position {ranks[row]} is too large; correct it", row)
    from_0 = int((ranks == 0).sum())
    return (ranks + 1, (FROM_0.note(from_0=from_0, queries=rankings),)) if from_0 else (ranks, ())


def find_shared(starts: Ints, scores: Floats) -> tuple[int, int] | None:
    """Find two documents at one position, which are next to each other: the query's number and the first line."""
    tie = scores[1:] == scores[:-1]
    tie[starts[1:-1] - 1] = False
    if not tie.any():
        return None
    line = int(tie.argmax())
    return int(np.searchsorted(starts, line, side="right")) - 1, line


def describe_shared(docnos: Docs, line: int, position: int, ranking: str, advice: str) -> str:
    """Say which two documents share a position, and the way out."""
    both = " and ".join(sorted(docnos[row].decode() for row in (line, line + 1)))
    return f"{both} both stand at position {position} of query {ranking}; {advice}"


def keep_gaps(starts: Ints, scores: Floats) -> tuple[Ints | None, Ints | None]:
    """Give the positions of documents [line], which are their negated scores, and the last of each ranking [query].

    Both are None if no ranking has a gap.

    >>> [each.tolist() for each in keep_gaps(np.array([0, 2, 4]), np.array([-1.0, -3.0, -1.0, -2.0]))]
    [[1, 3, 1, 2], [3, 2]]
    """
    places = (-scores).astype(np.int64)
    if (places == list_ranks(starts)).all():
        return None, None
    return places, np.where(np.diff(starts) > 0, np.append(0, places)[starts[1:]], 0)


def list_ranks(starts: Ints) -> Ints:
    """Number the lines of each ranking from 1."""
    ranks: Ints = np.arange(1, int(starts[-1]) + 1) - np.repeat(starts[:-1], np.diff(starts))
    return ranks


def note_renumbered(starts: Ints, scores: Floats) -> tuple[Note, ...]:
    """Note how many rankings have other ranks, their negated scores, than 1 to n; those from 0 on are no others."""
    if not len(scores):
        return ()
    ranks = -scores
    odd = ranks + (ranks.min() == 0) != list_ranks(starts)
    rankings = np.diff(starts) > 0
    many = int((np.add.reduceat(odd, starts[:-1][rankings]) > 0).sum())
    return (RENUMBERED.note(renumbered=many, queries=int(rankings.sum())),) if many else ()

"""Ids of very uneven lengths: a few that are long, in columns that would be as wide as these in each row."""

from typing import Any

import numpy as np

from fairtrec.data.docnos import Docs, Ints

LARGEST = 1 << 26  # bytes of ids that are laid out as one array however uneven they are
TIMES = 4  # as much memory as the pieces take, from which a column is left in pieces
STRIP = 1 << 12  # rows of a piece that is wide
NARROW = 64  # bytes of an id: only wider pieces are cut into strips


class UnevenIds:
    """A column of ids in pieces, each as wide as its longest id.

    An index gives an array, or a column in pieces if the array would be too large. numpy gets an array of all rows.
    """

    def __init__(self, pieces: list[Docs], rows: Ints | None = None) -> None:
        self.pieces = pieces
        self.edges = np.cumsum([0, *map(len, pieces)])
        self.rows: Ints = np.arange(self.edges[-1]) if rows is None else rows
        self.dtype = np.dtype(f"S{max(piece.dtype.itemsize for piece in pieces)}")

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, which: Any) -> Any:
        rows = self.rows[which]
        if not rows.ndim:
            number = int(np.searchsorted(self.edges, rows, side="right")) - 1
            return self.pieces[number][rows - self.edges[number]]
        if len(rows) * self.dtype.itemsize > LARGEST and len(rows) * self._find_width(rows) > LARGEST:
            return UnevenIds(self.pieces, rows)
        return self._lay_out(rows)

    def __eq__(self, other: object) -> Any:
        """Compare id by id."""
        return np.asarray(self) == np.asarray(other)

    def __ne__(self, other: object) -> Any:
        return np.asarray(self) != np.asarray(other)

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Docs:
        """Lay all of it out."""
        found = self._lay_out(self.rows)
        return found if dtype is None else found.astype(dtype)

    def __getattr__(self, name: str) -> Any:
        """Get an attribute of the array of all ids."""
        if name.startswith("__") or name in ("pieces", "edges", "rows"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def tolist(self) -> list[bytes]:
        """List the ids."""
        texts = [text for piece in self.pieces for text in piece.tolist()]
        return [texts[row] for row in self.rows.tolist()]

    def _find_width(self, rows: Ints) -> int:
        there = np.bincount(np.searchsorted(self.edges, rows, side="right") - 1, minlength=len(self.pieces))
        return max((p.dtype.itemsize for p, many in zip(self.pieces, there, strict=True) if many), default=1)

    def _lay_out(self, rows: Ints) -> Docs:
        found = np.empty(len(rows), f"S{self._find_width(rows)}")
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        ends = np.searchsorted(ordered, self.edges)
        for number, piece in enumerate(self.pieces):
            some = slice(ends[number], ends[number + 1])
            found[order[some]] = piece[ordered[some] - self.edges[number]]
        return found


def number_ids(docnos: Docs | UnevenIds) -> Ints:
    """Number ids in their order; equal ones have the same number.

    >>> number_ids(np.array([b"d2", b"d1", b"d2"])).tolist()
    [1, 0, 1]
    """
    if not isinstance(docnos, UnevenIds):
        return np.unique(docnos, return_inverse=True)[1]
    texts = docnos.tolist()
    numbers = {text: number for number, text in enumerate(sorted({*texts}))}
    return np.array([numbers[text] for text in texts])


def lay_out_unevenly(parts: list[Docs]) -> UnevenIds | None:
    """Keep parts of a column as they are if they take far less memory than one array of them; None if they do not."""
    pieces = [piece for part in parts for piece in _cut(part)]
    made = max(piece.dtype.itemsize for piece in pieces) * sum(map(len, pieces))
    return UnevenIds(pieces) if made > LARGEST and made > TIMES * sum(piece.nbytes for piece in pieces) else None


def is_uneven(part: Docs) -> bool:
    """Tell whether a part of a column has few long ids, so that a column as wide as it would waste memory."""
    return part.nbytes > TIMES * sum(piece.nbytes for piece in _cut(part))


def narrow(part: Docs) -> Docs:
    """Take away what is empty behind each id, as a parser leaves it that gives all columns one width."""
    return part if part.dtype.itemsize <= NARROW else part.astype(_fit(part), copy=False)


def _cut(part: Docs) -> list[Docs]:
    """Cut what is wide into strips, each as wide as its longest id."""
    strips = range(0, len(part), STRIP) if part.dtype.itemsize > NARROW else ()
    several = [part[first : first + STRIP] for first in strips]
    return [each.astype(_fit(each)) for each in several] or [part]


def _fit(part: Docs) -> str:
    """Give the type of ids as wide as the longest, in steps of 8 bytes."""
    letters = np.ascontiguousarray(part).view("u1").reshape(len(part), part.dtype.itemsize)
    longest = int(np.flatnonzero(letters.any(axis=0))[-1:].sum()) + 1
    return f"S{-(-longest // 8) * 8}"

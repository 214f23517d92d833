"""Decimal numbers, a whole column at once, to the last bit what ``float`` and ``int`` make of each."""

from typing import Any

import numpy as np

from fairtrec.data import Ints, Keys

WORDS = 3  # of 8 bytes, into which numbers fit that are read together
EXACT = float(1 << 53)  # up to which a float64 holds every whole number
POWERS = np.array([10**n for n in range(23)], dtype=np.float64)  # which it holds as well


def read(text: bytes, starts: Ints, ends: Ints, words: Keys, *, whole: bool = False) -> Any:
    """Read the numbers that stand at these places of a text, as float64, or as int64 if they are to be whole.

    Plain ones, a sign or none and a few digits with or without a point, are read together, from the ``words`` with
    which they begin. Their digits alone, and the power of 10 that divides them, are held exactly; so the quotient is
    rounded once, as it has to be.

    Raises ValueError or OverflowError for what is no number of this kind, or not finite.

    >>> words = np.array([b"-12.50", b".1", b"1e3"], "S24").view(np.uint64).reshape(3, WORDS)
    >>> read(b"-12.50 .1 1e3", np.array([0, 7, 10]), np.array([6, 9, 13]), words).tolist()
    [-12.5, 0.1, 1000.0]
    """
    lengths = ends - starts
    letters = np.ascontiguousarray(words.view(np.uint8).T[: lengths.max(initial=1)])  # [place, number]
    digits = letters - np.uint8(ord("0"))
    filled, points, minus = digits < 10, letters == ord("."), letters[0] == ord("-")
    many, pointed = filled.sum(axis=0), points.sum(axis=0)
    sums = np.zeros(len(lengths))
    for digit, here in zip(digits, filled, strict=True):
        sums = np.where(here, 10 * sums + digit, sums)
    plain = many + pointed + (minus | (letters[0] == ord("+"))) == lengths
    behind = np.where(pointed, lengths - 1 - points.argmax(axis=0), 0)  # the point
    plain &= (many > 0) & (pointed <= (not whole)) & (sums < EXACT) & (behind < len(POWERS))
    numbers: Any = np.where(minus, -sums, sums) / POWERS[np.where(plain, behind, 0)]
    if whole:
        numbers = np.where(plain, numbers, 0).astype(np.int64)
    odd = np.flatnonzero(~plain)
    cells = [text[start:end] for start, end in zip(starts[odd].tolist(), ends[odd].tolist(), strict=True)]
    if b"_" in b"".join(cells):  # which Python takes for a part of a number
        raise ValueError
    numbers[odd] = [int(cell) if whole else float(cell) for cell in cells]
    if not np.isfinite(numbers).all():
        raise ValueError
    return numbers

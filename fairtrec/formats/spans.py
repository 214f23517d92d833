"""Texts that lie side by side in one block of bytes: each is known by where it starts and where it ends."""

from typing import Any

import numpy as np

from fairtrec.data import Ints, Keys, fingerprints

Letters = np.ndarray[Any, np.dtype[np.uint8]]  # numpy.typing takes its time to be imported

MASKS = np.array([b"\xff" * n for n in range(9)], dtype="S8").view(np.uint64)
LF, TAB = b"\n\t"


def lines_of(letters: Letters) -> tuple[Ints, Ints, Ints]:
    """Find lines: where each starts, its first tab (or the next one, or the end of all) and its end."""
    places = np.flatnonzero(letters <= LF)  # tabs, line ends, and little else
    marks = letters[places]
    ends = places[marks == LF]
    if len(letters) and letters[-1] != LF:
        ends = np.append(ends, len(letters))
    starts = np.concatenate(([0][: len(ends)], ends[:-1] + 1)).astype(np.int64)
    tabs = np.append(places[marks == TAB], len(letters))
    return starts, tabs[np.searchsorted(tabs, starts)], ends


def words_of(letters: Letters, starts: Ints, ends: Ints, width: int) -> Keys:
    """Give texts as words of 8 bytes [text, word], filled up with zeros; 7 bytes must stand behind the last of them."""
    windows = np.ndarray((max(0, len(letters) - 7),), np.uint64, letters, strides=(1,))
    words = np.empty((len(starts), width), dtype=np.uint64)
    lengths = ends - starts
    longest = lengths.max(initial=0)
    for j in range(width):
        left = lengths - 8 * j
        at = np.where(left > 0, starts + 8 * j, 0)
        words[:, j] = windows[at] & MASKS[left if j == 0 and longest <= 8 else np.clip(left, 0, 8)]
    return words


def keys_of(letters: Letters, starts: Ints, ends: Ints) -> Keys:
    """Give the fingerprint of each docno; long ones are no burden to the short ones."""
    letters = np.append(letters, np.zeros(8, np.uint8))
    keys = np.zeros(len(starts), dtype=np.uint64)
    left = np.arange(len(starts))
    width = 1
    while len(left):
        short = ends[left] - starts[left] <= 8 * width
        rows, left = left[short], left[~short]
        keys[rows] = fingerprints(words_of(letters, starts[rows], ends[rows], width).view(f"S{8 * width}").ravel())
        width *= 2
    return keys

"""Texts that lie side by side in one block of bytes: each is known by where it starts and where it ends.

So do those of Arrow: its arrays become numpy's and back on the same memory; what pyarrow offers for it would import
pandas.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.data import Docs, Ints, Keys, find_starts, fingerprints
from fairtrec.support.compiled import extension

Letters = np.ndarray[Any, np.dtype[np.uint8]]  # numpy.typing takes its time to be imported
Edges = np.ndarray[Any, np.dtype[np.int32]]

MASKS = np.array([b"\xff" * n for n in range(9)], dtype="S8").view(np.uint64)
LF, TAB = b"\n\t"
_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}  # as Arrow and numpy call them


@dataclass(frozen=True, eq=False)
class Repeats:
    """A column in which equal texts stand together: each text once, and in how many rows."""

    texts: Docs
    lengths: Ints

    @classmethod
    def find(cls, column: Docs) -> "Repeats":
        """Find the blocks of a column."""
        starts = find_starts(column if column.dtype.itemsize != 8 else column.view(np.uint64))  # which compare faster
        return cls(column[starts[:-1]], np.diff(starts))

    def __len__(self) -> int:
        return int(self.lengths.sum())

    def __getitem__(self, row: int) -> bytes:
        return bytes(self.texts[np.searchsorted(np.cumsum(self.lengths), row, side="right")])


def find_lines(letters: Letters) -> tuple[Ints, Ints, Ints]:
    """Find lines: where each starts, its first tab (or the next one, or the end of all) and its end."""
    if extension is not None:
        edges = np.empty((3, extension.survey(letters)[0] + 1), dtype=np.int64)
        found = extension.line_edges(letters, *edges)
        return edges[0, :found], edges[1, :found], edges[2, :found]
    places = np.flatnonzero(letters <= LF)  # tabs, line ends, and little else
    marks = letters[places]
    ends = places[marks == LF]
    if len(letters) and letters[-1] != LF:
        ends = np.append(ends, len(letters))
    starts = np.concatenate(([0][: len(ends)], ends[:-1] + 1)).astype(np.int64)
    tabs = np.append(places[marks == TAB], len(letters))
    return starts, tabs[np.searchsorted(tabs, starts)], ends


def pack_words(letters: Letters, starts: Ints, ends: Ints, width: int) -> Keys:
    """Give texts as words of 8 bytes [text, word], filled up with zeros; 7 bytes must stand behind the last of them."""
    windows = np.ndarray((max(0, len(letters) - 7),), np.uint64, letters, strides=(1,))
    words = np.zeros((len(starts), width), dtype=np.uint64)
    lengths = ends - starts
    longest = lengths.max(initial=0)
    rows: Any = slice(None)
    for j in range(width):
        left = lengths[rows] - 8 * j
        if 2 * np.count_nonzero(left > 0) < len(left):  # a few long ones are no burden to the rest
            rows = np.arange(len(starts))[rows][left > 0]
            left = left[left > 0]
        at = np.where(left > 0, starts[rows] + 8 * j, 0)
        words[rows, j] = windows[at] & MASKS[left if j == 0 and longest <= 8 else np.clip(left, 0, 8)]
    return words


def compute_keys(letters: Letters, starts: Ints, ends: Ints) -> Keys:
    """Give the fingerprint of each docno; long ones are no burden to the short ones."""
    letters = np.append(letters, np.zeros(8, np.uint8))
    keys = np.zeros(len(starts), dtype=np.uint64)
    left = np.arange(len(starts))
    width = 1
    while len(left):
        short = ends[left] - starts[left] <= 8 * width
        rows, left = left[short], left[~short]
        keys[rows] = fingerprints(pack_words(letters, starts[rows], ends[rows], width).view(f"S{8 * width}").ravel())
        width *= 2
    return keys


WORDS = 3  # of 8 bytes, into which numbers fit that are read together
EXACT = float(1 << 53)  # up to which a float64 holds every whole number
POWERS = np.array([10**n for n in range(23)], dtype=np.float64)  # which it holds as well

LEAST_POWER, MOST_POWER = -342, 308  # of 10, between which a number of 19 digits is neither 0 nor infinite as float64
EXACT_POWER = -27  # down to which a product with what was rounded up is told from an exact one
_FIVES = {exponent: 5 ** abs(exponent) for exponent in range(LEAST_POWER, MOST_POWER + 1)}
_LEADING = [  # the first 128 bits of each power of 5, by which a decimal number becomes the float64 nearest to it
    five << 128 >> five.bit_length()
    if exponent >= 0
    else (1 << (five - 1).bit_length() + 127) // five + (exponent >= EXACT_POWER)
    for exponent, five in _FIVES.items()
]
# Each as two words of 64 bits, the upper first. Source: Lemire, Number Parsing at a Gigabyte per Second. Software:
# Practice and Experience, 2021. https://doi.org/10.1002/spe.2984
FIVES = b"".join(each.to_bytes(16, "big")[i : i + 8][::-1] for each in _LEADING for i in (0, 8))


def decimals(text: bytes, starts: Ints, ends: Ints, words: Keys, *, whole: bool = False) -> Any:
    """Read the numbers that stand at these places of a text, as float64, or as int64 if they are to be whole.

    Plain ones, a sign or none and a few digits with or without a point, are read together, from the ``words`` with
    which they begin. Their digits alone, and the power of 10 that divides them, are held exactly; so the quotient is
    rounded once, as it has to be.

    Raises ValueError or OverflowError for what is no number of this kind, or not finite.

    >>> words = np.array([b"-12.50", b".1", b"1e3"], "S24").view(np.uint64).reshape(3, WORDS)
    >>> decimals(b"-12.50 .1 1e3", np.array([0, 7, 10]), np.array([6, 9, 13]), words).tolist()
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


def locate_texts(docnos: Any) -> tuple[Letters, Ints, Ints]:
    """Give the bytes behind an Arrow array of strings, and where each string starts and ends in them."""
    _, offsets, letters = docnos.buffers()
    edges = find_edges(offsets, docnos).astype(np.int64)
    return np.frombuffer(letters or b"", np.uint8), edges[:-1], edges[1:]


def find_edges(offsets: Any, texts: Any) -> Edges:
    """Give where each text of an Arrow array starts, and where the last one ends, of the buffer that says so."""
    return np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)


def flat(values: np.ndarray[Any, Any]) -> Any:
    """Give numbers as an Arrow array; ``pa.array`` would import pandas, where it is installed, to look at them."""
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])


def make_word(text: bytes) -> Any:
    """Give a text as an Arrow scalar; ``pa.scalar``, and what takes a str, would import pandas too."""
    import pyarrow as pa

    edges = np.array([0, len(text)], np.int32)
    return pa.StringArray.from_buffers(1, pa.py_buffer(edges), pa.py_buffer(text))[0]


def make_texts(names: Docs) -> Any:
    """Give byte strings of numpy as an Arrow array of texts; ``pa.array`` would import pandas too.

    >>> make_texts(np.array([b"d1", b"d10"])).to_pylist()
    ['d1', 'd10']
    """
    import pyarrow as pa

    letters, lengths = names.view(np.uint8).reshape(len(names), -1), np.char.str_len(names)
    edges = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    written = letters[np.arange(letters.shape[1]) < lengths[:, None]]
    texts = pa.StringArray.from_buffers(len(names), pa.py_buffer(edges), pa.py_buffer(written))
    texts.validate(full=True)
    return texts


def take_numbers(column: Any) -> np.ndarray[Any, Any]:
    """Give an Arrow array of numbers as numpy's, on the same memory; ``to_numpy`` would import pandas too."""
    called = str(column.type)  # whose own way to a type of numpy imports pandas, before pyarrow 17
    kind = np.dtype(_FLOATS.get(called, called))
    return np.frombuffer(column.buffers()[1], kind, len(column), kind.itemsize * column.offset)


def take_array(column: Any) -> Any:
    """Take a numpy array from an Arrow column; texts become byte strings, of 8 bytes if none is longer.

    ``pyarrow.compute`` would do the same as fast, but takes longer to be imported than all else that small files need.
    """
    import pyarrow as pa

    chunks = [chunk for chunk in column.chunks if len(chunk)]
    if column.type != pa.string():
        return np.concatenate([take_numbers(chunk) for chunk in chunks])
    parts = [locate_texts(chunk) for chunk in chunks]
    width = max(int((ends - starts).max()) for _, starts, ends in parts)
    words = max(-(-width // 8), 1)
    texts = [
        pack_words(np.append(letters, np.zeros(8, np.uint8)), starts, ends, words) for letters, starts, ends in parts
    ]
    column_of_words = np.concatenate(texts).view(f"S{8 * words}").ravel()
    return column_of_words if words == 1 else column_of_words.astype(f"S{width}", copy=False)

"""Ids as arrays of bytes, and tables of them in which the rows of others are looked up.

A document number (docno) is kept as a numpy byte string (UTF-8, dtype ``S``): a column of them is one flat block of
memory, byte order is code-point order, and a 64-bit fingerprint of each turns comparing, sorting and looking up into
arithmetic on integers. A docno holds no NUL byte; the readers see to that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from fairtrec.support.compiled import extension
from fairtrec.support.errors import InputError

Shape = tuple[Any, ...]  # numpy.typing takes its time to be imported
Ints = np.ndarray[Shape, np.dtype[np.int64]]
Floats = np.ndarray[Shape, np.dtype[np.float64]]
Bools = np.ndarray[Shape, np.dtype[np.bool_]]
Docs = np.ndarray[Shape, np.dtype[np.bytes_]]
Keys = np.ndarray[Shape, np.dtype[np.uint64]]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: times it, keys that differ in a few letters part
MOST_CELLS = 1 << 28  # numbers of one array: 2 GiB
WIDE = 8  # words of an id, of which most have fewer
TOGETHER = 1 << 16  # texts that are decoded, or keys that are hashed, at a time
PROBES = 64  # slots that are looked at; as many in extension.c
FILTER_BITS = 23  # of the hashes in a filter: 1 MiB
MISSING = -1  # in a matrix of row numbers: no document at this rank, or one that is not in the table


def fingerprints(docnos: Docs) -> Keys:
    """Give each docno a 64-bit key: equal docnos have equal keys, whatever the width of their columns.

    Up to 8 bytes the key is the docno itself, so different docnos have different keys, in code-point order.
    Beyond that two docnos may share a key by chance: whoever relies on keys compares the docnos too.

    >>> a, b = fingerprints(np.array([b"d7"])), fingerprints(np.array([b"d7", b"a-rather-long-one"]))
    >>> bool(a[0] == b[0])
    True
    """
    if (pieces := getattr(docnos, "pieces", None)) is not None:  # those of UnevenIds, whose rows may have moved
        rows: Ints = docnos.rows  # type: ignore[attr-defined]
        return np.concatenate([fingerprints(piece) for piece in pieces])[rows]
    words = -(-docnos.dtype.itemsize // 8)
    columns = np.ascontiguousarray(docnos.astype(f"S{8 * words}", copy=False)).view(">u8").reshape(len(docnos), words)
    keys = columns[:, 0].astype(np.uint64)
    wide: Any = slice(None)
    for j in range(1, words):  # a word of zeros adds nothing, so the width of the column does not matter
        if j % WIDE == 0:
            more = np.asarray(columns.view(np.uint64)[wide, j:].any(axis=1))
            if 2 * np.count_nonzero(more) < len(more):  # a few long ones are no burden to the rest
                wide = np.arange(len(keys))[wide][more]
        word = columns[wide, j].astype(np.uint64) * (GOLDEN + np.uint64(2 * j))
        keys[wide] ^= (word ^ (word >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return keys


def find_starts(values: np.ndarray[Shape, Any]) -> Ints:
    """Give the first line of each block of equal values, and the number of lines as a last entry.

    >>> find_starts(np.array([0, 0, 1, 2, 2])).tolist()
    [0, 2, 3, 5]
    """
    inner = np.flatnonzero(values[1:] != values[:-1]) + 1
    return np.concatenate(([0][: len(values)], inner, [len(values)])).astype(np.int64)


def list_distinct(values: Any) -> Any:
    """List the distinct values of an array, sorted, as ``np.unique`` does.

    Since numpy 2.3, ``np.unique`` puts all values into a hash table, and takes up to 18 times longer.

    >>> list_distinct([3, 1, 3]).tolist(), list_distinct([np.nan, 0.5, np.nan]).tolist()
    ([1, 3], [0.5, nan])
    """
    ordered = np.sort(values, axis=None)
    if ordered.dtype.kind == "f":
        ordered = ordered[: np.searchsorted(ordered, np.nan) + 1]  # nan stands last, and differs from itself
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def decode(docnos: Docs) -> list[str]:
    """Decode a column of docnos.

    >>> decode(np.array([b"a", "ü".encode()]))
    ['a', 'ü']
    """
    texts: list[str] = []
    for first in range(0, len(docnos), TOGETHER):
        texts += b"\n".join(docnos[first : first + TOGETHER].tolist()).decode().split("\n")
    return texts


def encode_ids(ids: Sequence[str]) -> Docs:
    """Give ids as a column, such as those of queries.

    >>> encode_ids(["a", "ü"]).tolist()
    [b'a', b'\\xc3\\xbc']
    """
    try:
        return np.array([*ids], dtype=np.bytes_)  # which takes ASCII alone
    except UnicodeEncodeError:
        return np.array([each.encode(errors="surrogatepass") for each in ids], dtype=np.bytes_)


def join_ids(first: Docs, second: Docs, mark: bytes = b" ") -> Docs:
    """Join two ids of each row, such as those of a query and a document, with a mark between them.

    >>> join_ids(np.array([b"q1", b"q2"]), np.array([b"d1", b"d1"])).tolist()
    [b'q1 d1', b'q2 d1']
    """
    return np.asarray(np.char.add(np.char.add(first, mark), second))


def _sort_keys(keys: Keys) -> Keys:
    """Sort keys, and keep each once; those that are given may change.

    >>> _sort_keys(np.array([7, 3, 7], np.uint64)).tolist()
    [3, 7]
    """
    if extension is not None:
        keys.resize(extension.sort_keys(keys, np.empty_like(keys)), refcheck=False)
        return keys
    return np.asarray(list_distinct(keys))


@dataclass(frozen=True, eq=False)
class Docnos:
    """A set of docnos in the order of their keys; the place of a docno in it is its row number everywhere else.

    Docnos with the same key are in the order of their bytes. ``wide`` are they themselves, where some have more than 8
    bytes: of others the keys say all.
    """

    keys: Keys
    wide: Docs | None = None

    @classmethod
    def collect(cls, *columns: Docs) -> "Docnos":
        """Collect the distinct docnos of columns."""
        if all(column.dtype.itemsize <= 8 for column in columns):  # the key is the docno
            keys, last = np.empty(sum(map(len, columns)), dtype=np.uint64), 0
            for column in columns:
                for start in range(0, len(column), TOGETHER):
                    piece = fingerprints(column[start : start + TOGETHER])
                    keys[last : last + len(piece)] = piece
                    last += len(piece)
            return cls(_sort_keys(keys))
        docnos = np.concatenate(columns) if len(columns) > 1 else np.asarray(columns[0])  # of those in pieces too
        keys = fingerprints(docnos)
        order = np.argsort(keys, kind="stable")
        names, keys = docnos[order], keys[order]
        same = keys[1:] == keys[:-1]
        if np.any(same & (names[1:] != names[:-1])):  # two share a key: sort those by name as well
            tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
            names[tied] = names[tied][np.lexsort((names[tied], keys[tied]))]
        fresh = np.ones(len(keys), dtype=np.bool_)
        fresh[1:] = (keys[1:] != keys[:-1]) | (names[1:] != names[:-1])
        return cls(keys, names) if fresh.all() else cls(keys[fresh], names[fresh])

    @cached_property
    def names(self) -> Docs:
        """The docnos themselves."""
        return self.keys.astype(">u8").view("S8") if self.wide is None else self.wide

    def list_buffers(self) -> tuple[Any, int, Keys]:
        """List what compiled loops ask for: the letters of docnos, None if the keys say all, their width, the keys."""
        keys = np.ascontiguousarray(self.keys)
        if self.wide is None:
            return None, 8, keys
        return np.ascontiguousarray(self.wide).view("u1"), self.wide.dtype.itemsize, keys

    @classmethod
    def with_values(cls, column: Docs, values: Floats) -> "tuple[Docnos, Floats]":
        """Collect different docnos, and put the rows of values that they have into their order."""
        docnos = cls.collect(column)
        ordered = np.empty_like(values)
        ordered[docnos.rows(column)] = values
        return docnos, ordered

    def insert(self, others: "Docnos") -> "tuple[Docnos, Ints]":
        """Put other docnos, none of which are here, among these; say before which of these each of them comes.

        >>> both, at = Docnos.collect(np.array([b"b", b"d"])).insert(Docnos.collect(np.array([b"a", b"c"])))
        >>> both.names.tolist(), at.tolist()
        ([b'a', b'b', b'c', b'd'], [0, 1])
        """
        at = self._bisect(others.keys, others.names)
        keys = np.insert(self.keys, at, others.keys)
        if self.wide is None and others.wide is None:
            return Docnos(keys), at
        names = np.promote_types(self.names.dtype, others.names.dtype)
        return Docnos(keys, np.insert(self.names.astype(names), at, others.names)), at

    def add(self, *columns: Docs) -> "Docnos":
        """Put the docnos of columns among these; give these themselves if all are here.

        >>> table = Docnos.collect(np.array([b"b", b"d"]))
        >>> table.add(np.array([b"d", b"c", b"c"])).names.tolist(), table.add(table.names) is table
        ([b'b', b'c', b'd'], True)
        """
        others = Docnos.collect(*(column[self.rows(column) == MISSING] for column in columns))
        return self.insert(others)[0] if len(others) else self

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def slots(self) -> tuple[Any, np.uint64]:
        """A hash table of row numbers: each row stands in the first free slot at or behind that of its key.

        The slot of a key is what is left of GOLDEN times it when it is shifted to the right by so many bits. Strangers
        can choose ids that want the same slots. A row that finds the first PROBES taken is left out, and bisection
        finds it. Slots that C lays out hold marks as well (see extension.c), so only C can read them.
        """
        bits = (3 * len(self.keys) // 2).bit_length()  # a third of the slots stays free
        if extension is not None and 0 < len(self.keys) < 1 << 31:
            table = np.empty(1 << bits, dtype=np.int32)
            extension.lay_out(np.ascontiguousarray(self.keys), table)
            return table, np.uint64(64 - bits)
        slots: Any = np.full(1 << bits, MISSING, dtype=np.int32 if len(self.keys) < 1 << 31 else np.int64)
        shift = np.uint64(64 - bits)
        # All rows move at once: of those that want one free slot the last writer has it, the others go one slot on. So
        # many slots stay free that few steps bring everything home, and a look-up ends soon.
        waiting = np.arange(len(self.keys), dtype=slots.dtype)
        at = (self.keys * GOLDEN >> shift).astype(np.int64)
        for _ in range(PROBES):
            free = slots[at] == MISSING
            slots[at[free]] = waiting[free]
            rejected = slots[at] != waiting
            waiting, at = waiting[rejected], (at[rejected] + 1) & (len(slots) - 1)
            if not len(waiting):
                break
        return slots, shift

    def _bisect(self, keys: Keys, docnos: Docs) -> Ints:
        """Find the first row whose key and docno are not below these, by bisection."""
        found = np.searchsorted(self.keys, keys)
        left = np.flatnonzero(found < len(self.keys))
        left = left[self.keys[found[left]] == keys[left]]
        low, high = found[left], np.searchsorted(self.keys, keys[left], side="right")
        while len(left):
            middle = (low + high) // 2
            below = self.names[middle] < docnos[left]
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
            found[left] = low
            wide = low < high
            left, low, high = left[wide], low[wide], high[wide]
        return found

    @property
    def filter(self) -> Any:
        """Bits of hashes of keys, packed into bytes: a docno is in no row if the bit of its hash is not set.

        They are few enough for a processor to keep them near, so that most docnos of others cost no look at the slots.
        Only a compiled loop asks for it.
        """
        assert extension is not None
        found = np.zeros(1 << min(FILTER_BITS - 3, len(self.keys).bit_length()), dtype=np.uint8)
        extension.fill_filter(np.ascontiguousarray(self.keys), found)
        return found

    def rows(self, docnos: Docs, lines: Ints | None = None) -> Ints:
        """Find the row of each docno, or of those on some ``lines``; MISSING if it is not in the set, or no line.

        >>> table, column = Docnos.collect(np.array([b"b", b"a", b"b"])), np.array([b"b", b"c", b"a"])
        >>> table.rows(column).tolist(), table.rows(column, np.array([[2, MISSING]])).tolist()
        ([1, -1, 0], [[0, -1]])
        """
        found = np.full(len(docnos) if lines is None else lines.shape, MISSING, dtype=np.int64)
        if not len(self.keys):
            return found
        slots, shift = self.slots
        compiled = extension if slots.dtype == np.int32 and docnos.dtype.itemsize else None
        if lines is not None and (compiled is None or not isinstance(docnos, np.ndarray)):
            there = lines != MISSING
            found[there] = self.rows(docnos[lines[there]])
            return found
        if compiled is not None:
            texts = np.ascontiguousarray(docnos)
            places = None if lines is None else np.ascontiguousarray(lines)
            compiled.find(texts.view("u1"), texts.dtype.itemsize, places, *self.list_buffers(), slots, found)
            return found
        return self._find_rows_plain(docnos, slots, shift)

    def _find_rows_plain(self, docnos: Docs, slots: Any, shift: np.uint64) -> Ints:
        """Find the same in numpy."""
        found, keys = np.full(len(docnos), MISSING, dtype=np.int64), fingerprints(docnos)
        long = self.wide is not None or docnos.dtype.itemsize > 8
        at = (keys * GOLDEN >> shift).astype(np.int64)
        asked = np.arange(len(docnos))
        for _ in range(PROBES):
            rows = slots[at]
            there = rows != MISSING
            asked, at, rows = asked[there], at[there], rows[there]
            hit = self.keys[rows] == keys[asked]
            if long:
                hit[hit] = self.names[rows[hit]] == docnos[asked[hit]]
            found[asked[hit]] = rows[hit]
            asked, at = asked[~hit], (at[~hit] + 1) & (len(slots) - 1)
            if not len(asked):
                return found
        rows = np.minimum(self._bisect(keys[asked], docnos[asked]), len(self.keys) - 1)
        hit = self.names[rows] == docnos[asked]
        found[asked[hit]] = rows[hit]
        return found


def refuse_large(**sizes: int) -> None:
    """Raise InputError for an array of so many queries, documents, groups, before the memory for it is taken.

    >>> refuse_large(queries=10, documents=1000, groups=2)
    """
    if prod(sizes.values()) > MOST_CELLS:
        what = " of ".join(f"{size:,} {name}" for name, size in reversed(sizes.items()))
        advice = "choose fewer groups (--groups) or queries (--queries), or add a cutoff, like AWRF@100"
        raise InputError(f"{what} do not fit into memory; {advice}")


def take(table: Floats, rows: Ints) -> Floats:
    """Look up rows of a table. The result is nan if there is no document.

    >>> take(np.array([5.0, 6.0]), np.array([[1, MISSING]])).tolist()
    [[6.0, nan]]
    """
    refuse_large(**dict(zip(("queries", "documents", "groups"), (*rows.shape, *table.shape[1:]), strict=False)))
    if not len(table):
        return np.full(rows.shape + table.shape[1:], np.nan)
    is_whole = table.flags.c_contiguous or table.size < rows.size  # np.take is fast, but copies what is no whole table
    found = np.take(table, rows, axis=0, mode="clip") if is_whole else table[rows]  # which take a row for none as well
    values: Floats = found.astype(np.float64, copy=False)  # of whole numbers too, which know no nan
    if (lacking := rows < 0).any():
        values[lacking] = np.nan
    return values


def number_rows(kept: Any, many: int) -> Ints:
    """Number ``kept``, some of ``many`` rows, in their order [row]; MISSING for all others.

    >>> number_rows([2, 0], 4).tolist()
    [1, -1, 0, -1]
    """
    number = np.full(many, MISSING, dtype=np.int64)
    number[np.asarray(kept, dtype=np.int64)] = np.arange(len(kept))
    return number


def list_lines(first: Ints, lengths: Ints) -> Ints:
    """List the lines of stretches of so many ``lengths``, each from its ``first`` on, one stretch after another.

    >>> list_lines(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + lengths, lengths)


def lay_rows(values: Any, lengths: Ints, fill: Any) -> tuple[Any, Any]:
    """Lay values out as a matrix [row, n], so many in each row, and tell which of its cells are filled."""
    widest = int(lengths.max(initial=0))
    refuse_large(queries=len(lengths), documents=widest)
    filled = np.arange(widest) < lengths[:, None]
    if filled.all():
        return values.reshape(filled.shape), filled
    matrix = np.full(filled.shape, fill, dtype=values.dtype)
    matrix[filled] = values
    return matrix, filled

"""One object of CBOR, ``{text: {text: number}}``, as ranx packs runs: RFC 8949, as much of it as that takes.

No library is asked: cbor2 builds whatever a file says, of any type and number, and keeps the last of two equal keys.
"""

from collections.abc import Callable
from struct import unpack_from

from fairtrec.support.files.compression import LZ4

MOST_NUMBERS = 1 << 23  # in one object; each takes about 200 bytes of memory
UNSIGNED, NEGATIVE, TEXT, MAP, SIMPLE = 0, 1, 3, 5, 7  # major types
FLOATS = {25: ">e", 26: ">f", 27: ">d"}
NAMES = ("a whole number", "a negative number", "bytes", "text", "a list", "an object", "a tag", "true, false or null")


def is_packed(start: bytes) -> bool:
    """Tell by how a file starts, unpacked, an object of CBOR, perhaps packed once more; no text starts like it.

    >>> is_packed(b"\\xa1\\x62q1\\xa1"), is_packed(b'{"q1": {')
    (True, False)
    """
    return start.startswith(LZ4) or (start != b"" and start[0] >> 5 == MAP)


def read_numbers(
    data: bytes, many: int = MOST_NUMBERS, refuse_deep: Callable[[int], None] = lambda _: None
) -> dict[str, dict[str, float]]:
    """Read the object. Raises ValueError for anything else, a key that appears twice, and more than so many numbers.

    ``refuse_deep`` is asked about the number of documents of each query, before they are read.

    >>> read_numbers(bytes.fromhex("a1 62 7131 a2 62 6431 02 62 6432 f9 3800"))
    {'q1': {'d1': 2.0, 'd2': 0.5}}
    """
    reader, found, left = _Reader(data), dict[str, dict[str, float]](), many
    for _ in range(reader.length_of(MAP)):
        qid = reader.text()
        length = reader.length_of(MAP)
        left -= length
        if left < 0:
            raise ValueError(f"more than {many:,} numbers")
        refuse_deep(length)
        numbers: dict[str, float] = {}
        for _ in range(length):
            docno = reader.text()
            numbers[docno] = reader.number()
        if len(numbers) < length:
            raise ValueError(f"a document appears twice under query {qid[:40]!r}")
        if qid in found:
            raise ValueError(f"the query {qid[:40]!r} appears twice")
        found[qid] = numbers
    if reader.at < len(data):
        raise ValueError(f"{len(data) - reader.at:,} bytes after the object")
    return found


class _Reader:
    """The items of CBOR, one after the other, from the byte ``at``."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def length_of(self, major: int) -> int:
        """Read how long the next text or object is."""
        first = self._first()
        if first >> 5 != major:
            raise ValueError(f"{NAMES[first >> 5]} instead of {NAMES[major]}")
        length = self._argument(first & 31)
        if length > len(self.data) - self.at:  # each part of it takes a byte at least
            raise ValueError("it ends too early")
        return length

    def text(self) -> str:
        """Read a text."""
        end = self.length_of(TEXT) + self.at
        text = self.data[self.at : end].decode()
        self.at = end
        return text

    def number(self) -> float:
        """Read a number."""
        first = self._first()
        major, short = first >> 5, first & 31
        if major == SIMPLE and short in FLOATS:
            size = 1 << short - 24
            self._require(size)
            self.at += size
            return float(unpack_from(FLOATS[short], self.data, self.at - size)[0])
        if major not in (UNSIGNED, NEGATIVE):
            raise ValueError(f"{NAMES[major]} instead of a number")
        whole = self._argument(short)
        return float(whole if major == UNSIGNED else -1 - whole)

    def _first(self) -> int:
        self._require(1)
        self.at += 1
        return self.data[self.at - 1]

    def _argument(self, short: int) -> int:
        if short < 24:
            return short
        if short > 27:
            raise ValueError("a part without a length")
        size = 1 << short - 24
        self._require(size)
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at])

    def _require(self, size: int) -> None:
        if self.at + size > len(self.data):
            raise ValueError("it ends too early")

"""Lines of a collection, written again with words replaced; all else stays as it stands."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairtrec.counting import text_blocks
from fairtrec.counting.lookup import join_texts
from fairtrec.counting.text_blocks import Fault, TextBlock, encode_utf8
from fairtrec.data import Ints, list_distinct
from fairtrec.formats import collection
from fairtrec.lab.make.counterfactual.text_edits import Edit, Swapper, apply_edits
from fairtrec.support.files import json_text

TEXTS = ("title", "text", "contents")  # the keys whose values change
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class JsonLine:
    """A line, and its texts: from which to which character each stands, quotation marks included, and what it says."""

    line: str
    docno: bytes
    places: tuple[tuple[int, int], ...]
    texts: tuple[bytes, ...]

    def write(self, texts: dict[int, bytes]) -> str:
        """Write the line with some of its texts, by their numbers, replaced."""
        pieces: list[str] = []
        at = 0
        for number, text in texts.items():
            begin, end = self.places[number]
            pieces += (self.line[at:begin], json.dumps(text.decode(), ensure_ascii=False))
            at = end
        return "".join(pieces) + self.line[at:]


def parse_line(line: bytes) -> JsonLine:
    """Take a line apart. Raises ValueError, with a message for the user, where it holds no document."""
    text = line.decode()
    members: dict[str, Any] = {}
    places, texts = [], []
    try:
        for key, value, begin, end in _members(text):
            members[key] = value
            if key in TEXTS and isinstance(value, str):
                places.append((begin, end))
                texts.append(encode_utf8(value))
    except (ValueError, RecursionError):
        collection.parse_document(line)  # says what is wrong
        raise
    docno, _ = collection.take_document(members)
    return JsonLine(text, docno, tuple(places), tuple(texts))


def _members(text: str) -> Any:
    """Give key, value and place of the value of each member of an object. Raises ValueError for what is none."""
    at, seen = _behind(text, 0, "{"), set[str]()
    if text[at : at + 1] == "}":
        at += 1
    else:
        while True:
            key, at = json_text.scan_value(text, at)
            if not isinstance(key, str) or key in seen:
                raise ValueError(key)
            seen.add(key)
            begin = _behind(text, at, ":")
            value, at = json_text.scan_value(text, begin)
            yield key, value, begin, at
            at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
            if text[at : at + 1] == "}":
                at += 1
                break
            at = _behind(text, at, ",")
    if text[at:].strip(" \t\r\n"):
        raise ValueError(text)


def _behind(text: str, at: int, mark: str) -> int:
    at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
    if text[at : at + 1] != mark:
        raise ValueError(text)
    return _BLANK.match(text, at + 1).end()  # type: ignore[union-attr]


LineForm = Literal["tsv", "jsonl"]
_TAB = "a docno with a tab, which TSV cannot hold; name the output .jsonl"
_ENDS = re.compile(r"[\r\n]+")


@dataclass
class Rewritten:
    """What has been written of some lines, as it goes to the file, and how many there were of what."""

    blocks: list[bytes] = field(default_factory=list)
    lines: int = 0
    documents: int = 0
    bytes: int = 0  # of texts
    changed: int = 0  # documents
    words: int = 0
    faults: list[Fault] = field(default_factory=list)

    def count(self, starts: Ints, ends: Ints, edits: Sequence[Edit], of: Ints | None = None) -> None:
        """Count texts, and what is replaced in them; ``of`` numbers the document of each, where it has several."""
        self.documents += len(starts) if of is None else len(list_distinct(of))
        self.bytes += int((ends - starts).sum())
        self.words += len(edits)
        texts = _texts_of(starts, edits)
        self.changed += len(list_distinct(texts if of is None else of[texts]))


@dataclass(frozen=True)
class Rewriter:
    """Writes lines again in a form; those of ``wanted`` documents alone, an Arrow array, where some are wanted."""

    swapper: Swapper
    form: LineForm
    longest: int
    wanted: Any = None

    def add(self, written: Rewritten, block: bytes, form: LineForm) -> None:
        """Write the next lines, which are of a form."""
        if form == self.form == "jsonl":
            self._add_objects(written, block)
            return
        some = (text_blocks.read_json_lines if form == "jsonl" else text_blocks.read_tsv_lines)(block, self.longest)
        if form == self.form:
            _note(written, some)
            self._add_lines(written, block, some)
        else:
            self.add_texts(written, some)

    def add_texts(self, written: Rewritten, some: TextBlock) -> None:
        """Write the next documents, from whatever form they had."""
        _note(written, some)
        rows = self._chosen(some)
        starts, ends = some.starts[rows], some.ends[rows]
        edits = self.swapper.edits(some.block, starts, ends)
        written.count(starts, ends, edits)
        texts = _replaced(some.block, starts, ends, edits)
        names = some.docnos.take(pa.array(rows)).to_pylist()
        if self.form == "tsv":
            at = zip(names, some.lines[rows].tolist(), strict=True)
            written.faults += [(written.lines - some.passed + line, _TAB) for name, line in at if "\t" in name]
        lines = [self._line(*each) for each in zip(names, texts, strict=True)]
        written.blocks.append(b"".join(lines))

    def _line(self, docno: str, text: bytes) -> bytes:
        if self.form == "jsonl":
            return json.dumps({"id": docno, "contents": text.decode()}, ensure_ascii=False).encode() + b"\n"
        return f"{docno}\t{_ENDS.sub(' ', text.decode())}\n".encode()

    def _add_lines(self, written: Rewritten, block: bytes, some: TextBlock) -> None:
        """Write TSV lines as they stand, but for the words."""
        if some.faults or self.wanted is not None:
            rows = self._chosen(some)
            widths = pc.binary_length(some.docnos).to_numpy(zero_copy_only=False)
            begins, ends = (some.starts - 1 - widths)[rows].tolist(), some.ends[rows].tolist()
            block = b"".join(_whole(block, *each) for each in zip(begins, ends, strict=True))
            some = text_blocks.read_tsv_lines(block, self.longest)
        edits = self.swapper.edits(block, some.starts, some.ends)
        written.count(some.starts, some.ends, edits)
        written.blocks.append(apply_edits(block, edits))

    def _add_objects(self, written: Rewritten, block: bytes) -> None:
        """Write JSON lines as they stand, but for the texts that change."""
        found: list[JsonLine] = []
        rows = block.split(b"\n")
        if not rows[-1]:
            rows.pop()
        for number, row in enumerate(rows, written.lines + 1):
            if row.strip():
                line = self._object(row)
                if isinstance(line, str):
                    written.faults.append((number, line))
                else:
                    found.append(line)
        written.lines += len(rows)
        if self.wanted is not None:
            names = pa.array([line.docno for line in found], pa.binary()).cast(pa.string())
            found = [found[row] for row in np.flatnonzero(_among(names, self.wanted)).tolist()]
        texts, starts, ends = join_texts([text for line in found for text in line.texts])
        edits = self.swapper.edits(texts, starts, ends)
        sizes = [len(line.texts) for line in found]
        of = np.repeat(np.arange(len(found)), sizes)
        written.count(starts, ends, edits, of)
        at = _texts_of(starts, edits)
        new: dict[int, dict[int, bytes]] = {}
        first = np.cumsum([0, *sizes])
        values = _replaced(texts, starts, ends, edits)
        for text in list_distinct(at).tolist():
            which = int(of[text])
            new.setdefault(which, {})[text - int(first[which])] = values[text]
        lines = [line.write(new[number]) if number in new else line.line for number, line in enumerate(found)]
        written.blocks.append("".join(f"{line}\n" for line in lines).encode())

    def _object(self, row: bytes) -> JsonLine | str:
        reason = text_blocks.unfit_line(row, self.longest)
        if reason:
            return reason
        try:
            line = parse_line(row)
        except ValueError as fault:
            return str(fault)
        return text_blocks.unfit_name(line.docno) or line

    def _chosen(self, some: TextBlock) -> Ints:
        every = np.arange(len(some.starts))
        return every if self.wanted is None else every[_among(some.docnos, self.wanted)]


def _among(docnos: Any, wanted: Any) -> Any:
    return pc.is_in(docnos, wanted).to_numpy(zero_copy_only=False)


def _note(written: Rewritten, some: TextBlock) -> None:
    written.faults += [(written.lines + line, reason) for line, reason in some.faults]
    written.lines += some.passed


def _whole(block: bytes, begin: int, end: int) -> bytes:
    behind = block.find(b"\n", end) + 1
    return block[begin:behind] if behind else block[begin:] + b"\n"


def _texts_of(starts: Ints, edits: Iterable[Edit]) -> Ints:
    places = np.array([first for first, _, _ in edits], dtype=np.int64)
    texts: Ints = np.searchsorted(starts, places, side="right") - 1
    return texts


def _replaced(block: bytes, starts: Ints, ends: Ints, edits: Sequence[Edit]) -> list[bytes]:
    texts = [block[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    mine: dict[int, list[Edit]] = {}
    for text, (first, last, new) in zip(_texts_of(starts, edits).tolist(), edits, strict=True):
        start = int(starts[text])
        mine.setdefault(text, []).append((first - start, last - start, new))
    for text, some in mine.items():
        texts[text] = apply_edits(texts[text], some)
    return texts

"""From lines of a collection to documents: docnos, texts as bytes, and what is wrong with the lines that hold none."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from fairtrec.counting.kernel import Kernel
from fairtrec.counting.lookup import join_texts
from fairtrec.counting.table.rows import Rows, sort_rows
from fairtrec.data import Ints, list_lines
from fairtrec.formats import collection, spans
from fairtrec.formats.columns import WIDEST
from fairtrec.formats.spans import flat
from fairtrec.support.files import opening

CR, BLANK = b"\r "
Fault = tuple[int, str]  # the number of a line, and what is wrong with it


@dataclass(frozen=True, eq=False)
class TextBlock:
    """Some documents: the text of the i-th is ``block[starts[i]:ends[i]]``; it stood on line ``lines[i]``."""

    block: bytes
    starts: Ints
    ends: Ints
    docnos: Any  # an Arrow array of strings
    lines: Ints
    faults: list[Fault]
    passed: int  # how many lines there were


def read_tsv_lines(block: bytes, longest: int) -> TextBlock:
    """Read lines ``docno<TAB>text``; ``longest`` is how many bytes a line may have."""
    letters = np.frombuffer(block, np.uint8)
    begins, tabs, stops = spans.find_lines(letters)
    ends = stops
    if b"\r" in block:
        is_lf = stops < len(block)
        ends = stops - (is_lf & (letters[stops - 1] == CR) & (stops > begins))
    sound = (letters[begins] > BLANK) & (tabs < ends) & (tabs - begins <= WIDEST) & (ends - begins <= longest)
    if not _is_text(block):
        sound &= [_is_text(block[a:b]) for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
    faults = []
    if not sound.all():
        clean = bytearray(block)
        for row in np.flatnonzero(~sound).tolist():
            line = block[begins[row] : ends[row]]
            if line.strip():
                reason = _fault(line, longest)
                if not reason:
                    sound[row] = True
                    continue
                faults.append((row + 1, reason))
            clean[begins[row] : ends[row]] = b" " * len(line)
        block = bytes(clean)
    lines = np.flatnonzero(sound)
    begins, tabs, ends = begins[lines], tabs[lines], ends[lines]
    return TextBlock(block, tabs + 1, ends, _strings(letters, begins, tabs), lines + 1, faults, len(sound))


def _is_text(line: bytes) -> bool:
    return b"\0" not in line and (line.isascii() or opening.is_utf8(line))


def _fault(line: bytes, longest: int) -> str:
    if len(line) > longest:
        return _too_long(longest)
    if not _is_text(line):
        what = "a NUL byte" if b"\0" in line else "bytes that are not UTF-8"
        return f"{what}; save the file as UTF-8 text"
    docno, tab, _ = line.partition(b"\t")
    if not tab or not docno:
        return "this line has no tab after the docno; write: docno<TAB>text"
    return unfit(docno)


def _too_long(longest: int) -> str:
    return f"a document of more than {longest} bytes; break it up, or raise --max-doc-bytes"


def unfit(docno: bytes) -> str:
    """Say why something cannot be a docno; nothing if it can."""
    if not docno.strip():
        return "an empty docno; write one"
    if b"\0" in docno or b"\n" in docno:
        return "a docno with a NUL or a line end; change it"
    if len(docno) > WIDEST:
        return f"a docno of more than {WIDEST} bytes; shorten it"
    return ""


def _strings(letters: np.typing.NDArray[np.uint8], starts: Ints, ends: Ints) -> Any:
    offsets = np.concatenate(([0], np.cumsum(ends - starts)))
    inside = list_lines(starts, ends - starts)
    buffers = [pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(letters[inside])]
    return pa.StringArray.from_buffers(len(starts), *buffers)


def read_json_lines(block: bytes, longest: int) -> TextBlock:
    """Read JSON lines; ``longest`` is how many bytes a line may have."""
    rows = block.split(b"\n")
    if not rows[-1]:
        rows.pop()
    found = [(number, *_parsed(line, longest)) for number, line in enumerate(rows, 1) if line.strip()]
    return _of_list(found, len(rows))


def _parsed(line: bytes, longest: int) -> tuple[str, bytes, bytes]:
    """Say what is wrong with a line, if anything; give docno and text."""
    reason, docno, text = unfit_line(line, longest), b"", ""
    try:
        if not reason:
            docno, text = collection.parse_document(line)
            reason = unfit_name(docno)
    except ValueError as fault:
        reason = str(fault)
    return reason, docno, encode_utf8(text)


def unfit_line(line: bytes, longest: int) -> str:
    """Say why a line cannot be read as JSON lines are, whatever it says; nothing if it can."""
    return _fault(line, longest) if len(line) > longest or not _is_text(line) else ""


def unfit_name(docno: bytes) -> str:
    """Say why what JSON holds cannot be a docno; nothing if it can."""
    return unfit(docno) or ("" if _is_text(docno) else "a docno that is not Unicode; change it")


def read_pairs(pairs: Sequence[tuple[str, str]], longest: int) -> TextBlock:
    """Take documents that are in memory."""
    named = [(encode_utf8(docno), encode_utf8(text)) for docno, text in pairs]
    reasons = [unfit(name) or (_too_long(longest) if len(text) > longest else "") for name, text in named]
    rows = zip(range(1, len(named) + 1), reasons, named, strict=True)
    return _of_list([(number, reason, *both) for number, reason, both in rows], len(named))


def _of_list(found: list[tuple[int, str, bytes, bytes]], passed: int) -> TextBlock:
    """Take number, what is wrong, docno and text of each of so many lines, without blank ones."""
    faults = [(number, reason) for number, reason, _, _ in found if reason]
    sound = [(number, docno, text) for number, reason, docno, text in found if not reason]
    block, starts, ends = join_texts([text for _, _, text in sound])
    docnos = pa.array([docno for _, docno, _ in sound], pa.binary()).cast(pa.string())
    return TextBlock(block, starts, ends, docnos, np.array([row for row, _, _ in sound], np.int64), faults, passed)


def encode_utf8(text: str) -> bytes:
    """Write as UTF-8; half a surrogate pair, which JSON can hold but UTF-8 cannot, becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


@dataclass
class Piece:
    """What has been counted so far: lines, bytes of text, rows, and faults by their line within the piece."""

    lines: int = 0
    bytes: int = 0
    rows: list[Rows] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def add(self, some: TextBlock, counter: Kernel, *, skip: bool) -> None:
        """Count the documents that come next, unless a fault ends it all; ``skip`` passes faults over."""
        self.faults += [(self.lines + line, reason) for line, reason in some.faults]
        if len(some.starts) and (skip or not self.faults):
            tokens, counts = counter.count(some.block, some.starts, some.ends)
            numbers = np.concatenate((tokens[None], counts.T)).astype(np.uint32)
            self.rows.append(Rows.from_columns(some.docnos, numbers, (some.lines + self.lines).astype(np.uint64)))
        self.bytes += int((some.ends - some.starts).sum())
        self.lines += some.passed

    def sort_rows(self) -> Rows | None:
        """Sort the rows, if there are any; a document that appears twice is a fault of its second line."""
        if not self.rows:
            return None
        every = Rows.concatenate(self.rows)
        rows, again, _ = sort_rows(every)
        docnos, lines = every.docnos.take(flat(again)).to_pylist(), every.places[again].tolist()  # type: ignore[index]
        self.faults = sorted(
            self.faults + [(line, describe_repeat(docno)) for line, docno in zip(lines, docnos, strict=True)]
        )
        return rows

    @property
    def rejected(self) -> str:
        """The faults as they are written down where they are passed over."""
        return "".join(json.dumps(fault) + "\n" for fault in self.faults)


def describe_repeat(docno: str) -> str:
    """Say that a document appears twice."""
    return f"document {docno} appears twice; keep one line"

"""Reading a run that may be broken anywhere: each line is looked at, and those that can be read become rows.

A large block of plain lines goes through the reader of ``formats/columns.py``, which takes only what has no fault;
any other block is read line by line.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairtrec.commands.validate.blocks import (
    COLUMNS,
    LARGEST_NUMBER,
    LONGEST,
    blocks,
    guess_format,
    is_tidy,
    parse_cells,
)
from fairtrec.commands.validate.findings import Findings, plural, quote_text
from fairtrec.data import Docs, Floats, Ints
from fairtrec.data.uneven_ids import lay_out_unevenly
from fairtrec.formats import columns
from fairtrec.formats.columns import WIDEST, Columns, Layout, describe_comments
from fairtrec.formats.other_runs import find_blank_tag, guess
from fairtrec.formats.run_forms import RunForm
from fairtrec.formats.spans import Repeats
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files.arguments import is_run_line
from fairtrec.support.files.compression import detect_foreign
from fairtrec.support.files.opening import CR_ONLY, is_stream
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import RunFormat

LAYOUT = Layout(
    "run", {"qid": "blocks", "Q0": "blocks", "docno": "text", "rank": "int", "score": "float", "tag": "blocks"}
)
LARGE = 1 << 20  # bytes of a block, from which it is looked at as a whole first
NO_RANK = np.iinfo(np.int64).min  # column 4 is not a whole number
_ODD = compile_late("[\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]")
COLUMNS_OF_ROWS = ("query", "docnos", "ranks", "scores", "lines")
_NONE: Ints = np.empty(0, dtype=np.int64)
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class RunEntries:
    """The lines of six columns: ``query`` is a number among ``qids``, a score that is none is nan."""

    qids: tuple[str, ...]
    query: Ints
    docnos: Docs
    ranks: Ints
    scores: Floats
    lines: Ints
    broken: Ints  # the lines that could not be read
    length: int  # of the file, in lines
    tag: str = ""  # the last one
    form: RunFormat = "trec"
    second: tuple[str, ...] = ()  # what stands in column 2 of each query, of what was no TREC file
    empty: tuple[str, ...] = ()  # queries that are named without documents

    @classmethod
    def make_empty(cls, length: int, form: RunFormat = "trec") -> "RunEntries":
        """Hold no line, of a file of so many."""
        return cls((), _NONE, np.empty(0, "S1"), _NONE, np.empty(0), _NONE, _NONE, length, form=form)

    def take_rows(self, rows: Ints) -> "RunEntries":
        """Take some rows, in this order."""
        return replace(self, **{name: getattr(self, name)[rows] for name in COLUMNS_OF_ROWS})


def read(path: FilePath, found: Findings) -> RunEntries:
    """Read a run to its end, and add what is wrong with its lines to the findings."""
    reader = _RunReader(found, has_blank_tag=_has_blank_tag(path))
    for block, line in blocks(path, found):
        no_text = found.many["E103"] + found.many["E104"] > line // 2
        if is_stream(path) and (no_text or (reader.broken and not reader.parts)):
            found.add("E101", None, f"the first {line - 1:,} lines of this stream are not of a run; pass a file")
            break
        other = detect_foreign(block) if line == 1 else None
        if other is not None:
            found.add(other[0], None, other[1])
            reader.is_foreign = True
            break
        reader.take(block, line)
    return reader.finish()


def _has_blank_tag(path: FilePath) -> bool:
    """Tell whether a file of TREC's columns has a tag with blanks in its lines."""
    with suppress(InputError):
        return bool(find_blank_tag(path))
    return False


def join_tag(line: bytes) -> list[bytes]:
    """Split a line into six cells, the last without quotation marks and with _ for blanks.

    >>> join_tag(b'1 Q0 a 1 2.0 "my fine run"')
    [b'1', b'Q0', b'a', b'1', b'2.0', b'my_fine_run']
    """
    if len(line.split()) <= COLUMNS:
        return line.split()
    *cells, tag = line.split(maxsplit=COLUMNS - 1)
    return [*cells, b"_".join(tag.strip(b"\"' \t").split()) or b"run"]


class _RunReader:
    """What is known of the file so far."""

    def __init__(self, found: Findings, *, has_blank_tag: bool = False) -> None:
        self.found = found
        self.has_blank_tag = has_blank_tag  # in all lines
        self.blank_tags = array("q")  # the lines with one
        self.is_foreign = False  # no text at all, so that nothing is said of lines
        self.guessed: Counter[RunForm] = Counter()  # of lines of another form
        self.in_head = True  # before the first entry, where fairtrec passes over comments
        self.length = 0
        self.number: dict[bytes, int] = {}
        self.parts: list[tuple[Ints, Docs, Ints, Floats, Ints]] = []
        self.broken = array("q")
        self.tag = b""
        self.second: Counter[bytes] = Counter()
        self.first_second = 0
        self.crlf: list[int] = []  # the first line of the kind, in how many lines
        self.untidy: list[int] = []
        self.comments: list[int] = []
        self.returns = 0  # the first comment that has a CR within

    def take(self, block: bytes, line: int) -> None:
        """Read a block whose first line has this number."""
        if line == 1 and block.startswith(_MARK):
            self.found.add("W111", 1, "a byte-order mark; save the file as UTF-8 without one")
            block = block.removeprefix(_MARK)
        ends = block.count(b"\n")
        last = line + ends - block.endswith(b"\n")
        self.length = last
        if not block.endswith(b"\n"):
            self.found.add("W113", last, "the last line has no newline; was the file written completely?")
        if b"\r\n" in block:
            _note(self.crlf, line + block.count(b"\n", 0, block.find(b"\r\n")), block.count(b"\r\n"))
            block = block.replace(b"\r\n", b"\n")
        is_head = self.in_head and block[:1] in b" \t\r\n\v\f"
        plain = len(block) >= LARGE and not is_head and block[:1] != b"#" and b"\n#" not in block
        table = columns.fast(block, LAYOUT, ends) if plain and is_tidy(block, ends) else None
        if table is not None:
            self.in_head = False
            self._keep(table, np.arange(line, last + 1))
            return
        kept, lines = self._lines(block, line)
        if kept:
            self._keep(self._columns(kept, lines), np.array(lines))

    def finish(self) -> RunEntries:
        found, second = self.found, self.second
        for form, many in self.guessed.items():
            if many == len(self.broken) > 1 and not self.parts:
                what = f"this looks like {form.called} in each of {plural(many, 'line')}"
                found.replace_all(
                    "E201", self.broken[0], f"{what}; add --run-format {form.name}, and --fix OUT to write TREC's"
                )
        if not self.parts and not self.broken and not found.many["E101"] and not self.is_foreign:
            if self.returns:
                found.add("E201", self.returns, CR_ONLY)
            found.add("E102", None, "this run has no entries; was it written to the end?")
        if self.crlf:
            found.add("W112", self.crlf[0], f"{plural(self.crlf[1], 'line')} with CR LF at the end; use only LF")
        if self.untidy:
            lines = plural(self.untidy[1], "line")
            what = f"{lines} with more than one blank or tab between columns, or around them"
            found.add("W212", self.untidy[0], what)
        if self.blank_tags:
            lines = plural(len(self.blank_tags), "line")
            found.add("E205", self.blank_tags[0], f"the tag {self.tag.decode()} has blanks in {lines}; join it by _")
        if self.comments:
            what = f"{describe_comments(self.comments[1])}; remove them, trec_eval 9 takes them for entries"
            found.add("E203", self.comments[0], what)
        if second:
            what = quote_text(next(iter(second))) + (
                f" and {len(second) - 1:,} other things" if len(second) > 1 else ""
            )
            advice = "; if it numbers several rankings, evaluate with --samples" if len(second) > 1 else ""
            lines = plural(second.total(), "line")
            found.add("W211", self.first_second, f"column 2 is {what} in {lines}, instead of Q0{advice}")
        return self._rows()

    def _rows(self) -> RunEntries:
        width = max((part[1].dtype.itemsize for part in self.parts), default=1)
        uneven = lay_out_unevenly([part[1] for part in self.parts]) if self.parts else None
        if uneven is None and width * sum(len(part[1]) for part in self.parts) > columns.MOST_BYTES:
            self.found.add("E106", None, f"ids of {width} bytes in so many lines do not fit into memory; shorten them")
            self.parts = []
        parts = self.parts or [(_NONE, np.empty(0, "S1"), _NONE, np.empty(0), _NONE)]
        of_query, names, *numbers = zip(*parts, strict=True)
        docnos: Any = np.concatenate(names) if uneven is None else uneven
        query, ranks, scores, lines = map(np.concatenate, (of_query, *numbers))
        qids, broken = tuple(qid.decode() for qid in self.number), np.array(self.broken, dtype=np.int64)
        return RunEntries(qids, query, docnos, ranks, scores, lines, broken, self.length, self.tag.decode())

    def _keep(self, table: Columns, lines: Ints) -> None:
        qids, second, tags = table["qid"], table["Q0"], table["tag"]
        numbers = [self.number.setdefault(qid, len(self.number)) for qid in qids.texts.tolist()]
        self.parts.append((np.repeat(numbers, qids.lengths), table["docno"], table["rank"], table["score"], lines))
        for text, many, line in _blocks(second, lines):
            if text != b"Q0":
                self.first_second = self.first_second or line
                if text in self.second or len(self.second) < WIDEST:
                    self.second[text] += many
        for tag, _, line in _blocks(tags, lines):
            if self.tag and tag != self.tag:
                message = f"the tag is {quote_text(tag)}, and {quote_text(self.tag)} before; a run has one tag"
                self.found.add("W711", line, message)
            self.tag = tag

    def _lines(self, block: bytes, first: int) -> tuple[list[list[bytes]], list[int]]:
        """Split a block into lines and these into cells: those of six, and their line numbers."""
        texts = block.split(b"\n")
        if not texts[-1]:
            texts.pop()
        plain = block.isascii() and b"\0" not in block
        kept: list[list[bytes]] = []
        lines: list[int] = []
        numbered: Iterable[tuple[int, bytes]] = enumerate(texts, first)
        if self.found.is_full("E202"):  # blank lines are only counted
            several = [(number, text) for number, text in numbered if text]
            self.found.many["E202"] += len(texts) - len(several)
            numbered = several
        for number, text in numbered:
            if len(text) > LONGEST:
                self._break("E105", number, "a line of more than 1 MiB; is this a run?")
                continue
            line = text if plain else self._text(text, number)
            cells = line.split()
            if self.has_blank_tag and len(cells) > COLUMNS:
                cells = join_tag(line)
                line = b" ".join(cells)
                self.blank_tags.append(number)
            is_odd = len(cells) != COLUMNS or len(line) > WIDEST or self.in_head or line[:1] == b"#"
            is_usual = not is_odd and line == b" ".join(cells)
            if is_usual or self._is_entry(line, cells, number):
                kept.append(cells)
                lines.append(number)
        return kept, lines

    def _text(self, line: bytes, number: int) -> bytes:
        """Look at the bytes of a line, and replace those that are no text by escapes."""
        if line.isascii() and b"\0" not in line:
            return line
        if b"\0" in line:
            self.found.add("E104", number, "a NUL byte; save the file as UTF-8 text")
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self.found.add(
                "E103", number, f"bytes that are not UTF-8 in {quote_text(line)}; save the file as UTF-8 text"
            )
            text = line.decode(errors="backslashreplace")
        odd = _ODD.search(text)
        if odd is not None:
            message = f"the character U+{ord(odd[0]):04X} looks like a blank and parts no columns; correct it"
            self.found.add("W114", number, message)
        return text.replace("\0", "\\x00").encode()

    def _is_entry(self, line: bytes, cells: list[bytes], number: int) -> bool:
        if line[:1] == b"#" or (self.in_head and line.lstrip(b" \t")[:1] == b"#"):
            _note(self.comments, number)
            self.returns = self.returns or number * (b"\r" in line.rstrip(b"\r"))
            if len(cells) == COLUMNS and cells[0] != b"#" and is_run_line(cells):
                what = "this comment has the form of an entry; ids that begin with # need a table or JSON"
                self.found.add("W213", number, what)
            return False
        if not cells:
            self.in_head = self.in_head and not line.strip(b" \t")
            self.found.add("E202", number, "a blank line; remove it, trec_eval takes it for an entry")
            return False
        self.in_head = False
        if len(cells) != COLUMNS:
            if (form := guess(cells)) is not None:
                self.guessed[form] += 1
            head = f"{plural(len(cells), 'column')} instead of six"
            advice = f"write each line as: {' '.join(LAYOUT.columns)}"
            self._break("E201", number, f"{head}{guess_format(line, cells)}; {advice}".replace("?;", "?"))
            return False
        for name, cell in (("qid", cells[0]), ("docno", cells[2]), ("tag", cells[5])):
            if len(cell) > WIDEST:
                self._break("E204", number, f"a {name} of {len(cell):,} bytes; shorten it to {WIDEST:,}")
                return False
        if line not in (b" ".join(cells), b"\t".join(cells)):
            _note(self.untidy, number)
        return True

    def _break(self, code: str, number: int, message: str) -> None:
        self.in_head = False
        self.found.add(code, number, message)
        self.broken.append(number)

    def _columns(self, kept: list[list[bytes]], lines: list[int]) -> Columns:
        qids, second, docnos, ranks, scores, tags = zip(*kept, strict=True)
        return {
            "qid": Repeats.find(np.array(qids)),
            "Q0": Repeats.find(np.array(second)),
            "docno": np.array(docnos),
            "rank": np.array(parse_cells(int, ranks) or list(map(self._rank, ranks, lines)), dtype=np.int64),
            "score": np.array(parse_cells(float, scores) or list(map(self._score, scores, lines)), dtype=np.float64),
            "tag": Repeats.find(np.array(tags)),
        }

    def _rank(self, cell: bytes, line: int) -> int:
        try:
            rank = int(cell)
            if abs(rank) < LARGEST_NUMBER and b"_" not in cell:
                return rank
        except ValueError:
            pass
        self.found.add("W605", line, f"the rank {quote_text(cell)} is not a whole number; number documents from 1")
        return NO_RANK

    def _score(self, cell: bytes, line: int) -> float:
        """Take a score as ``formats/columns.py`` does; nan for what it refuses."""
        try:
            score, is_number = float(cell), b"_" not in cell
        except ValueError:
            score, is_number = np.nan, False
        if not is_number:
            advice = (
                "write it with a decimal point" if re.fullmatch(rb"[+-]?\d+,\d+", cell) else "write it as 0.5 or 5e-1"
            )
            self.found.add("E301", line, f"the score {quote_text(cell)} is not a number; {advice}")
        elif np.isnan(score):
            self.found.add("E302", line, f"the score {quote_text(cell)} is not a number; what should it be?")
        elif np.isinf(score):
            self.found.add("E303", line, f"the score {quote_text(cell)} is not finite; what should it be?")
        return score if is_number and np.isfinite(score) else np.nan


def _blocks(column: Repeats, lines: Ints) -> Iterator[tuple[bytes, int, int]]:
    """Give each text, in how many rows it stands together, and the line of the first."""
    first = lines[np.cumsum(column.lengths) - column.lengths]
    return zip(column.texts.tolist(), column.lengths.tolist(), first.tolist(), strict=True)


def _note(lines: list[int], number: int, many: int = 1) -> None:
    if lines:
        lines[1] += many
    else:
        lines += [number, many]

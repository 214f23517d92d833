"""Collections: the texts of documents, one a line, as TSV (``docno<TAB>text``) or JSON lines.

A first line of TSV may name the columns. A JSON line names the document by the first of ``IDS`` that it holds, and its
text by ``text`` or ``contents``, with ``title`` put before it where there is one. Parquet, tables of other columns, and
arrays of JSON are read too.
"""

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np

from fairtrec.data import Docnos
from fairtrec.formats import frames, named_columns, spans
from fairtrec.formats.frames import TEXT
from fairtrec.formats.named_tables import TableKind, is_remark, read_objects, read_table
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text, opening
from fairtrec.support.files.table_header import IDS as ID_NAMES
from fairtrec.support.files.table_header import TableHeader, find_header, match_names, refuse_semicolons
from fairtrec.support.literals import DOCUMENT, QUERY

IDS = ("docno", "id", "_id", "docid")  # the strongest first; the other names of ids come behind them
TEXTS = ("text", "contents", "body")
COLLECTION = TableKind(
    "collection", {"docno": (*DOCUMENT, *QUERY), "title": ("title",), "text": TEXTS}, optional=frozenset({"title"}),
    rest="text", longest=opening.LONGEST_TEXT, choice="call the one with the texts text",
)  # fmt: skip
_KEYS = [f'"{key}"'.encode() for key in IDS]
_LEADING_ID = re.compile(rb'\s*\{\s*("docno"|"id"|"_id"|"docid")\s*:\s*"([^"\\]+)"\s*[,}]')


def read(path: FilePath, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Stream a file and give the row and text of each wanted document.

    Raises InputError for a line that has no docno or no text, and for a wanted document that appears twice.
    """
    start = b"" if opening.is_stream(path) else named_columns.read_start(path)
    if start.startswith(opening.PARQUET):
        yield from _read_parquet(path, wanted)
        return
    is_array = start.lstrip().startswith(b"[") and named_columns.detect_form(start) == "json"
    header = None if is_array else find_header(start.partition(b"\n")[0].decode(errors="replace"))
    row_of = {docno: row for row, docno in enumerate(wanted.names.tolist())}
    if is_array:
        found: Iterable[tuple[int | None, bytes, str]] = _read_array(path)
    elif header is not None and not is_plain(header):
        rows = read_table(path, COLLECTION)
        found = ((line, cells[0].encode(), " ".join(filter(None, cells[1:]))) for line, cells in rows.rows)
    else:
        found = _stream_lines(path, wanted, row_of)
    seen: set[bytes] = set()
    many = 0
    for number, docno, text in found:
        many += 1
        if docno not in row_of:
            continue
        if docno in seen:
            raise InputError(f"document {docno.decode()} appears twice; keep one line", path, number)
        seen.add(docno)
        yield row_of[docno], text
    if not many and (is_array or header is not None):
        raise InputError("this collection has no lines; was it written to the end?", path)


def _read_parquet(path: FilePath, wanted: Docnos) -> Iterator[tuple[int, str]]:
    frame, _ = named_columns.read(
        path, "parquet", named_columns.WantedColumns("collection", (*DOCUMENT, *TEXT), (), "text")
    )
    for row, text in frames.find_texts(frame, wanted):
        if not isinstance(text, str):
            what = f"the text of document {wanted.names[row].decode()} is not a string"
            raise InputError(f"{what}; write a text, or an empty one", path)
        yield row, text


def _read_array(path: FilePath) -> Iterator[tuple[int | None, bytes, str]]:
    """Read the documents of an array of objects."""
    for line, document in read_objects(
        opening.lines(path, longest=opening.LONGEST_TEXT), path, '{"id": ..., "text": ...}'
    ):
        try:
            yield line, *take_document(document)
        except ValueError as fault:
            raise InputError(str(fault), path, line) from None


def _stream_lines(path: FilePath, wanted: Docnos, names: Container[bytes]) -> Iterator[tuple[int, bytes, str]]:
    """Give the wanted documents of lines, each with the number of its line."""
    first, lines = 1, None
    with opening.open_input(path) as stream:
        for whole, ends in opening.blocks(stream, path, opening.LONGEST_TEXT):
            block = whole
            if lines is None and (start := block.lstrip()[:1]):
                lines = _json_lines if start == b"{" else _tsv_lines
                block = block if start == b"{" else blank_head(block, measure_head(block, path))
            yield from () if lines is None else lines(block, first, path, wanted, names)
            first += ends


def is_plain(header: TableHeader) -> bool:
    """Tell whether the lines below a header are ``docno<TAB>text``, or of a title before the text."""
    names = header.names[1:]
    is_text = len(names) == 1 or names in {("title", name) for name in TEXTS}
    return header.separator == "\t" and not header.is_quoted and header.names[0] in ID_NAMES and is_text


def measure_head(start: bytes, path: FilePath) -> int:
    r"""Count the bytes above the first of lines ``docno<TAB>text``: of comments, and of a header.

    Raises InputError for a header of other columns, and for semicolons.

    >>> measure_head(b"# a comment\nqid\ttext\n1\twho\n", "f"), measure_head(b"1\twho\n", "f")
    (21, 0)
    """
    at, number = 0, 1
    while start[at : at + 1] == b"#" or (at < len(start) and not start[at : _find_end(start, at)].strip()):
        at, number = _find_end(start, at), number + 1
    names = start[at : _find_end(start, at)].decode(errors="replace")
    header = find_header(names)
    if header is None:
        refuse_semicolons(names, ("\t",), path, number)
        return at
    if not is_plain(header):
        what = f"the columns are {', '.join(header.written)}; write lines docno<TAB>text, with these two names or none"
        raise InputError(what, path, number)
    at = _find_end(start, at)
    while at < len(start) and ((line := start[at : _find_end(start, at)]).isspace() or is_remark(line)):
        at += len(line)
    return at


def _find_end(text: bytes, at: int) -> int:
    """Find the end of a line, behind its line end."""
    return text.find(b"\n", at) + 1 or len(text)


def blank_head(text: bytes, head: int) -> bytes:
    """Empty the lines of the first bytes of a text, so that the numbers of the others stay."""
    return b"\n" * text[:head].count(b"\n") + text[head:] if head else text


def _tsv_lines(
    block: bytes, first: int, path: FilePath, wanted: Docnos, names: Container[bytes]
) -> Iterator[tuple[int, bytes, str]]:
    letters = np.frombuffer(block, np.uint8)
    starts, tabs, ends = spans.find_lines(letters)
    no_docno = (tabs >= ends) | (tabs == starts)
    for line in np.flatnonzero(no_docno).tolist():
        if block[starts[line] : ends[line]].strip():
            message = "this line has no tab after the docno; write: docno<TAB>text"
            raise InputError(message, path, first + line)
    tabs = np.where(no_docno, starts, tabs)
    keys = spans.compute_keys(letters, starts, tabs)
    at = np.minimum(np.searchsorted(wanted.keys, keys), len(wanted.keys) - 1)
    for line in np.flatnonzero(wanted.keys[at] == keys).tolist() if len(wanted) else ():
        start, tab, end = starts[line], tabs[line], ends[line]
        docno = block[start:tab]
        if docno in names:
            yield first + line, docno, block[tab + 1 : end].decode()


def _json_lines(
    block: bytes,
    first: int,
    path: FilePath,
    wanted: Docnos,  # noqa: ARG001 - as _tsv_lines
    names: Container[bytes],
) -> Iterator[tuple[int, bytes, str]]:
    for number, line in enumerate(block.split(b"\n"), first):
        if line.strip() and not _surely_unwanted(line, names):
            try:
                docno, text = parse_document(line)
            except ValueError as fault:
                raise InputError(str(fault), path, number) from None
            if docno in names:
                yield number, docno, text


def _surely_unwanted(line: bytes, wanted: Container[bytes]) -> bool:
    """Tell without parsing it that a JSON line is of another document: its id stands first, none as strong follows."""
    lead = _LEADING_ID.match(line)
    if lead is None or lead.group(2) in wanted:
        return False
    stronger = any(key in line for key in _KEYS[: _KEYS.index(lead.group(1))])
    return not stronger and line.find(lead.group(1), lead.end()) < 0


def parse_document(line: bytes) -> tuple[bytes, str]:
    """Take docno and text from a JSON line. Raises ValueError, with a message for the user, where it has none."""
    return take_document(json_text.parse(line))


def take_document(document: Any) -> tuple[bytes, str]:
    """Take docno and text from the object of a JSON line. Raises ValueError where it has none."""
    docno = _find_id(document) if isinstance(document, dict) else None
    if not isinstance(docno, str | int) or isinstance(docno, bool) or docno == "":
        raise ValueError("this line has no docno; add a key docno, id, _id or docid")
    body = document.get("text", document.get("contents"))
    title = document.get("title")
    if not isinstance(body, str):
        raise ValueError("this line has no text; add a key text or contents")  # noqa: TRY004 - of the file
    if not isinstance(title, str | None):
        raise ValueError("the title of this line is not text; write it in quotation marks")  # noqa: TRY004
    try:
        return str(docno).encode(), f"{title} {body}" if title else body
    except UnicodeEncodeError:
        raise ValueError(f"the docno {docno!r} holds half a character (a lone surrogate); correct it") from None


def _find_id(document: dict[str, Any]) -> Any:
    """Find the id of a document: by the names of ``IDS`` as they are written, else by any name of an id."""
    exact = next((key for key in IDS if key in document), None)
    if exact is None:
        matches = {name: key for key, name in match_names(document, ID_NAMES).items()}
        exact = next((matches[name] for name in (*DOCUMENT, *QUERY) if name in matches), None)
    return None if exact is None else document[exact]

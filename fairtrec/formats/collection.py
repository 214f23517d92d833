"""Collections: the texts of documents, one a line, as TSV (``docno<TAB>text``) or JSON lines.

A JSON line names the document by the first of the keys ``docno``, ``id``, ``_id``, ``docid`` that it holds, and its
text by ``text`` or ``contents``, with ``title`` put before it where there is one. Parquet, and tables between commas
whose first line names a document and ``text``, are read into memory.
"""

import re
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from fairtrec.data import Docnos
from fairtrec.formats import frames, named_columns, spans
from fairtrec.formats.frames import TEXT
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text, opening
from fairtrec.support.literals import DOCUMENT, RecordForm

IDS = ("docno", "id", "_id", "docid")  # the strongest first
_KEYS = [f'"{key}"'.encode() for key in IDS]
_LEADING_ID = re.compile(rb'\s*\{\s*("docno"|"id"|"_id"|"docid")\s*:\s*"([^"\\]+)"\s*[,}]')


def read(path: FilePath, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Stream a file and give the row and text of each wanted document.

    Raises InputError for a line that has no docno or no text, and for a wanted document that appears twice.
    """
    if (form := _form_of(path)) is not None:
        yield from _rows_of(path, form, wanted)
        return
    row_of = {docno: row for row, docno in enumerate(wanted.names.tolist())}
    seen: set[bytes] = set()
    first, lines = 1, None
    with opening.open_input(path) as stream:
        for block, ends in opening.blocks(stream, path, opening.LONGEST_TEXT):
            if lines is None and (start := block.lstrip()[:1]):
                lines = _json_lines if start == b"{" else _tsv_lines
            for number, docno, text in () if lines is None else lines(block, first, path, wanted, row_of):
                if docno in seen:
                    raise InputError(f"document {docno.decode()} appears twice; keep one line", path, number)
                seen.add(docno)
                yield row_of[docno], text
            first += ends


def _form_of(path: FilePath) -> RecordForm | None:
    """Tell a file whose columns have names from lines; nothing is told of a stream."""
    if opening.is_stream(path):
        return None
    start = named_columns.read_start(path)
    if start.startswith(opening.PARQUET):
        return "parquet"
    names = {cell.strip(b' "\r').decode(errors="replace") for cell in start.partition(b"\n")[0].split(b",")}
    return None if "text" not in names or names.isdisjoint(DOCUMENT) else "table"


def _rows_of(path: FilePath, form: RecordForm, wanted: Docnos) -> Iterator[tuple[int, str]]:
    frame, _ = named_columns.read(path, form, named_columns.WantedColumns("collection", (*DOCUMENT, *TEXT), (), "text"))
    for row, text in frames.find_texts(frame, wanted):
        if not isinstance(text, str):
            what = f"the text of document {wanted.names[row].decode()} is not a string"
            raise InputError(f"{what}; write a text, or an empty one", path)
        yield row, text


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
    docno = next((document[key] for key in IDS if key in document), None) if isinstance(document, dict) else None
    if not isinstance(docno, str | int) or isinstance(docno, bool) or docno == "":
        raise ValueError("this line has no docno; add a key docno, id, _id or docid")
    body = document.get("text", document.get("contents"))
    title = document.get("title")
    if not isinstance(body, str):
        raise ValueError("this line has no text; add a key text or contents")  # noqa: TRY004 - of the file
    if not isinstance(title, str | None):
        raise ValueError("the title of this line is not text; write it in quotation marks")  # noqa: TRY004
    return str(docno).encode(errors="surrogatepass"), f"{title} {body}" if title else body

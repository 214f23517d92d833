"""Collections: the texts of documents, one a line, as TSV (``docno<TAB>text``) or JSON lines.

A JSON line names the document by the first of the keys ``docno``, ``id``, ``_id``, ``docid`` that it holds, and its
text by ``text`` or ``contents``, with ``title`` put before it where there is one.
"""

import json
import re
from collections.abc import Container, Iterator
from typing import Any

from fairtrec.data import Docnos
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import source

IDS = ("docno", "id", "_id", "docid")  # the strongest first
_KEYS = [f'"{key}"'.encode() for key in IDS]
_LEADING_ID = re.compile(rb'\s*\{\s*("docno"|"id"|"_id"|"docid")\s*:\s*"([^"\\]+)"\s*[,}]')


def read(path: FilePath, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Stream a file and give the row and text of each wanted document.

    Raises InputError for a line that has no docno or no text, and for a wanted document that stands twice.
    """
    row_of = {docno: row for row, docno in enumerate(wanted.names.tolist())}
    seen: set[bytes] = set()
    for number, docno, text in _documents(path, row_of):
        if docno in seen:
            raise InputError(f"document {docno.decode()} stands twice; keep one line", path, number)
        seen.add(docno)
        yield row_of[docno], text


def _documents(path: FilePath, wanted: Container[bytes]) -> Iterator[tuple[int, bytes, str]]:
    is_json: bool | None = None
    for number, line in source.lines(path):
        if is_json is None:
            is_json = line.lstrip()[:1] == b"{"
        if is_json:
            if not _surely_unwanted(line, wanted):
                docno, text = _json(line, path, number)
                if docno in wanted:
                    yield number, docno, text
        else:
            tab = line.find(b"\t")
            if tab < 1:
                raise InputError("this line has no tab behind a docno; write it as: docno<TAB>text", path, number)
            docno = line[:tab]
            if docno in wanted:
                yield number, docno, line[tab + 1 :].decode()


def _json(line: bytes, path: FilePath, number: int) -> tuple[bytes, str]:
    try:
        return parsed(line)
    except ValueError as fault:
        raise InputError(str(fault), path, number) from None


def _surely_unwanted(line: bytes, wanted: Container[bytes]) -> bool:
    """Tell without parsing it that a JSON line is of another document: its id stands first, no stronger key follows."""
    lead = _LEADING_ID.match(line)
    if lead is None or lead.group(2) in wanted:
        return False
    return not any(key in line for key in _KEYS[: _KEYS.index(lead.group(1))])


def parsed(line: bytes) -> tuple[bytes, str]:
    """Take docno and text from a JSON line. Raises ValueError, with a message for the user, where it has none."""
    try:
        document: Any = json.loads(line.decode())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"this line is not JSON ({fault}); write one object a line") from None
    docno = next((document[key] for key in IDS if key in document), None) if isinstance(document, dict) else None
    if not isinstance(docno, str | int) or isinstance(docno, bool) or docno == "":
        raise ValueError("this line has no docno; name it by one of the keys docno, id, _id, docid")
    body = document.get("text", document.get("contents"))
    title = document.get("title")
    if not isinstance(body, str):
        raise ValueError("this line has no text; put it under the key text or contents")  # noqa: TRY004 - of the file
    if not isinstance(title, str | None):
        raise ValueError("the title of this line is not text; write it in quotation marks")  # noqa: TRY004
    return str(docno).encode(errors="surrogatepass"), f"{title} {body}" if title else body

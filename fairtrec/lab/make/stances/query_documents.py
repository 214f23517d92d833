"""Documents of queries, which say what an axis is fit to and what is taken out of it: lines of qid docno [side]."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fairtrec.data import digest_texts
from fairtrec.formats.columns import WIDEST
from fairtrec.formats.named_tables import TableKind, read_table, refuse_widths
from fairtrec.support.errors import PATH, InputError
from fairtrec.support.files import opening
from fairtrec.support.literals import DOCUMENT, QUERY

_DOCUMENT = "{} column{} instead of two or three; write: qid docno [side]"
DOCUMENTS = TableKind(
    "list of documents", {"qid": QUERY, "docno": DOCUMENT, "side": ("side",)}, optional=frozenset({"side"}),
    rest="side", separators=("\t", None),
)  # fmt: skip


@dataclass(frozen=True)
class QueryDocuments:
    """Documents of queries, in the order of the file; ``sides`` are their third column, empty where there is none.

    They say which documents an axis is fit to, and which stand on the two sides of a difference that is to be taken
    out.
    """

    name: str
    qids: tuple[str, ...]
    docnos: tuple[str, ...]
    sides: tuple[str, ...]
    sha256: str = ""


def read_documents(given: Any, *, two: bool = False) -> QueryDocuments:
    """Read ``qid docno [side]``, between tabs or blanks, or take ``{qid: [docno, ...]}`` or ``{qid: {docno: side}}``.

    ``two`` asks for two sides. Raises InputError for a bad line, a document that appears twice under a query, and other
    than two sides.
    """
    path = given if isinstance(given, PATH) else None
    entries = _documents_in(given)
    seen: set[tuple[str, str]] = set()
    sides: dict[str, None] = {}
    for line, qid, docno, side in entries:
        if not qid or not docno or max(len(qid.encode()), len(docno.encode())) > WIDEST:
            what = f"no qid or no docno, or one of more than {WIDEST} bytes"
            raise InputError(f"this line has {what}; write: qid docno [side]", path, line)
        if (qid, docno) in seen:
            raise InputError(f"document {docno} appears twice under query {qid}; keep one line", path, line)
        seen.add((qid, docno))
        sides.setdefault(side)
        if two and (not side or len(sides) > 2):
            what = f"{len(sides)} sides ({', '.join(sides)})" if side else "no side"
            raise InputError(f"{what} instead of two; write: qid docno side", path, line)
    if not entries or (two and len(sides) < 2):
        what = "the documents of both sides" if two else "a qid and a docno on each line"
        raise InputError(f"this file has too few documents; write {what}", path)
    _, qids, docnos, named = zip(*entries, strict=True)
    if path is None:
        return QueryDocuments(
            "given", qids, docnos, named, digest_texts((f"{qid} {docno}", side) for _, qid, docno, side in entries)
        )
    return QueryDocuments(opening.name(path), qids, docnos, named, opening.sha256(path))


def _documents_in(given: Any) -> list[tuple[int | None, str, str, str]]:
    """Read documents of queries, or take them from mappings: the line, if there is one, query, document and side."""
    if isinstance(given, PATH):
        several = refuse_widths(read_table(given, DOCUMENTS).rows, given, (2, 3), _DOCUMENT, 0)
        return [(number, cells[0], cells[1], "".join(cells[2:])) for number, cells in several]
    held = {qid: of if isinstance(of, Mapping) else dict.fromkeys(of, "") for qid, of in given.items()}
    return [(None, str(qid), str(docno), str(side)) for qid, of in held.items() for docno, side in of.items()]

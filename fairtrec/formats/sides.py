"""Documents that are named for queries: ``qid docno [side]`` between tabs, or blanks where there is no tab.

They say which documents an axis is fit to, and which stand on the two sides of a difference that is to be taken out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairtrec.errors import PATH, FilePath, InputError
from fairtrec.files import opening
from fairtrec.formats.columns import WIDEST

Row = tuple[int | None, str, str, str]  # line, qid, docno, side


@dataclass(frozen=True)
class Named:
    """Documents of queries, in the order of the file; ``sides`` are their third column, empty where there is none."""

    name: str
    qids: tuple[str, ...]
    docnos: tuple[str, ...]
    sides: tuple[str, ...]
    sha256: str = ""


def read(thing: Any, *, two: bool = False) -> Named:
    """Read a file, or take ``{qid: [docno, ...]}`` or ``{qid: {docno: side}}``; ``two`` asks for two sides.

    Raises InputError for a bad line, a document that stands twice under a query, and other than two sides.
    """
    is_file = isinstance(thing, PATH)
    path = thing if is_file else None
    rows = list(_lines(thing) if is_file else _held(thing))
    seen: set[tuple[str, str]] = set()
    sides: dict[str, None] = {}
    for line, qid, docno, side in rows:
        if not qid or not docno or max(len(qid.encode()), len(docno.encode())) > WIDEST:
            raise InputError(f"this line has no qid or no docno, or one of more than {WIDEST} bytes", path, line)
        if (qid, docno) in seen:
            raise InputError(f"document {docno} stands twice under query {qid}; keep one line", path, line)
        seen.add((qid, docno))
        sides.setdefault(side)
        if two and (not side or len(sides) > 2):
            what = f"{len(sides)} sides, {', '.join(sides)}" if side else "no side"
            raise InputError(f"{what}, where there are two; write: qid docno side", path, line)
    if not rows or (two and len(sides) < 2):
        what = "the documents of both sides" if two else "a qid and a docno on each line"
        raise InputError(f"this names too few documents; give {what}", path)
    name, sha256 = (opening.name(thing), opening.sha256(thing)) if is_file else ("given", "")
    _, qids, docnos, named = zip(*rows, strict=True)
    return Named(name, qids, docnos, named, sha256)


def _lines(path: FilePath) -> Iterator[Row]:
    for number, line in opening.lines(path, comment=b"#"):
        text = line.decode()
        cells = [cell.strip() for cell in text.split("\t")] if "\t" in text else text.split()
        if len(cells) not in (2, 3):
            columns = f"{len(cells)} column{'s' * (len(cells) != 1)}"
            raise InputError(f"{columns} where there are two or three; write: qid docno [side]", path, number)
        if cells[:2] != ["qid", "docno"]:
            yield number, cells[0], cells[1], cells[2] if len(cells) == 3 else ""


def _held(thing: Mapping[str, Iterable[str]]) -> Iterator[Row]:
    for qid, docnos in thing.items():
        sides = docnos if isinstance(docnos, Mapping) else dict.fromkeys(docnos, "")
        yield from ((None, str(qid), str(docno), str(side)) for docno, side in sides.items())

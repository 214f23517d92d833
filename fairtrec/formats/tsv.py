"""Rows between tabs, and the short lists that are written so: terms, queries, slices, targets, documents, triples."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from csv import Error as CsvError
from csv import reader as csv_reader
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from fairtrec.data import MOST_GROUPS, Floats, GroupTerms, Queries, digest_texts
from fairtrec.formats.columns import WIDEST
from fairtrec.formats.table_header import TERMS, WORDS, TableHeader, find_header
from fairtrec.formulas.distribution import normalize_rounded, sums_to_one
from fairtrec.support.errors import PATH, FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.literals import RESERVED

MOST_SLICES = 1000  # each of which is tested
MOST_SHARES = 1 << 24  # of the targets of all queries
_ID = re.compile(rb"[^\s,]+")
_TRIPLE = "write it as: query<TAB>relevant<TAB>not relevant"
_SLICE = "not a query id and a slice, in two columns; write: qid<TAB>slice"
_TARGET = "{} column{} instead of two or three; write: group<TAB>share, or qid<TAB>group<TAB>share"
_HEADERS = {(*qid, "group", of) for qid in ((), ("qid",)) for of in ("share", "count")}
_WEIGHT = "{} column{} instead of two; write: rank<TAB>weight"
_DOCUMENT = "{} column{} instead of two or three; write: qid docno [side]"
NumberedLine = tuple[int, bytes]


def rows(
    lines: Iterable[NumberedLine],
    path: FilePath,
    many: Container[int] | None = None,
    wrong: str = "",
    *,
    filled: int = 0,
    otherwise: str | None = "\t",
) -> Iterator[tuple[int, list[str]]]:
    """Give the number and the cells of each line, between tabs; where it has none, between what there is ``otherwise``.

    ``otherwise``  None stands for any white space.
    ``many``       so many cells a line may have, of which the first ``filled`` are not empty. Raises InputError where
                   that is not so: ``wrong``, into which the number of cells is written, and the s of several.
    """
    for number, line in lines:
        text = line.decode()
        cells = [cell.strip() for cell in text.split("\t" if "\t" in text else otherwise)]
        if many is not None and (len(cells) not in many or (filled and not all(cells[:filled]))):
            raise InputError(wrong.format(len(cells), "s" * (len(cells) != 1)), path, number)
        yield number, cells


def peek_line(lines: Iterator[NumberedLine]) -> tuple[NumberedLine, Iterator[NumberedLine]]:
    """Look at the first line: give it, number 0 if there is none, and all lines."""
    first = next(lines, (0, b""))
    return first, chain([first][: first[0]], lines)


def terms(path: FilePath) -> GroupTerms:
    """Read lists of group terms: lines ``term,group`` or ``term<TAB>group``; ``#`` starts a comment line.

    A term may be several words, and may stand in several groups. A first line may name the columns. Raises InputError
    for a line of other than two parts, an empty term or group, one with a star, and a list of fewer than two groups.
    """
    found: dict[str, dict[str, None]] = {}
    first, lines = peek_line(opening.lines(path, comment=b"#"))
    header = find_header(first[1].decode())
    columns = TermColumns() if header is None else TermColumns.find(header, path, first[0])
    for number, raw in lines if header is None else islice(lines, 1, None):
        line = raw.decode()
        term, group = columns.split(line, path, number)
        if "*" in term:
            raise InputError(f"{term}: there are no wildcards; list the words", path, number)
        found.setdefault(group, {})[term] = None
        if len(found) > MOST_GROUPS:
            what = f"more than {MOST_GROUPS:,} groups"
            raise InputError(f"{what}; write each line as: term,group, and fewer groups", path, number)
    if len(found) < 2:
        raise InputError("this term list has fewer than two groups; fairness needs at least two", path)
    lists = {group: tuple(words) for group, words in found.items()}
    return GroupTerms(opening.name(path), lists, opening.sha256(path))


@dataclass(frozen=True)
class TermColumns:
    """How a line of a word list is split: by a header, or without one by a tab if it has one, else by a comma."""

    separator: str | None = ","
    is_group_first: bool = False
    is_quoted: bool = False

    @classmethod
    def find(cls, header: TableHeader, path: FilePath, number: int) -> "TermColumns":
        """Find the columns by their names. Raises InputError if these are not a term and a group."""
        columns = [*header.find_columns(TERMS), *header.find_columns(sorted(WORDS))]
        if len(header.names) != 2 or not columns:
            what = f"the columns are {', '.join(header.written)} instead of term and group"
            raise InputError(f"{what}; name them so, or write a line term,group above the first entry", path, number)
        return cls(header.separator, columns[0] == 1, header.is_quoted)

    def split(self, line: str, path: FilePath, number: int) -> tuple[str, str]:
        """Split a line into a term and a group. Raises InputError if it has no such two parts."""
        separator = self.separator
        if self.is_quoted:
            parts = _split_quoted(line, separator or " ", path, number)
        else:
            if separator in {"\t", ","}:
                separator = "\t" if "\t" in line else ","
            parts = line.split(separator, 1) if self.is_group_first else line.rsplit(separator, 1)
        term, group = [*parts, ""][:2]
        if self.is_group_first and len(parts) == 2:
            term, group = group, term
        if "\t" in term.strip():
            raise InputError("this line has more than two columns; write it as: term<TAB>group", path, number)
        term, group = " ".join(term.split()), group.strip()
        if not term or not group:
            missing = "term" if len(parts) == 2 and not term else "group"
            raise InputError(f"this line has no {missing}; write it as: term,group", path, number)
        return term, group


def _split_quoted(line: str, separator: str, path: FilePath, number: int) -> list[str]:
    """Split a line whose cells may have quotation marks. Raises InputError if there are not two cells."""
    with suppress(CsvError):
        cells = next(csv_reader([line.strip()], delimiter=separator, strict=True))
        if len(cells) == 2:
            return cells
    what = "this line is not two cells with closed quotation marks, as the first line is"
    raise InputError(f'{what}; write it as: "term"{separator}"group"', path, number)


def queries(path: FilePath, keep: str | None = None) -> Queries:
    """Read a query set: an id a line, in the first column; what stands behind a tab, comma or blank is ignored.

    ``keep``  only of lines whose last comma-separated field is that.

    Raises InputError for a line that starts with white space or a comma, an id that appears twice, and an empty file.
    """
    qids: dict[str, None] = {}
    for number, line in opening.lines(path, comment=b"#"):
        found = _ID.match(line)
        if found is None:
            raise InputError("this line has no query id in its first column; add it", path, number)
        if keep is not None and line.rstrip().rpartition(b",")[2].strip() != keep.encode():
            continue
        qid = found.group().decode()
        if qid in qids:
            raise InputError(f"query {qid} appears twice; remove one of the two", path, number)
        qids[qid] = None
    if not qids:
        raise InputError("this query set is empty; write one query id per line", path)
    return Queries(opening.name(path), tuple(qids), opening.sha256(path))


def slices(path: FilePath) -> dict[str, tuple[str, ...]]:
    """Read the query ids of each slice, both as they first appear: ``qid<TAB>slice``, or a blank between them.

    A query may be in several. Behind a tab, the name of a slice may hold blanks. Raises InputError for a line without
    two columns, a query that is twice in a slice, a slice of the name ``all``, ``difference`` or ``ratio``, and an
    empty file.
    """
    found: dict[str, dict[str, None]] = {}
    for number, (qid, name) in rows(opening.lines(path, comment=b"#"), path, (2,), _SLICE, filled=2, otherwise=None):
        if name in RESERVED:
            raise InputError(f"{name!r} means {RESERVED[name]}; rename this slice", path, number)
        members = found.setdefault(name, {})
        if len(found) > MOST_SLICES:
            what = f"more than {MOST_SLICES:,} slices"
            raise InputError(f"{what}; write each line as: qid<TAB>slice, and fewer slices", path, number)
        if qid in members:
            raise InputError(f"query {qid} is twice in the slice {name}; remove one of the two", path, number)
        members[qid] = None
    if not found:
        raise InputError("this file has no slice; write a line qid<TAB>slice for each query", path)
    return {name: tuple(members) for name, members in found.items()}


def targets(path: FilePath, groups: tuple[str, ...]) -> Floats | dict[str, Floats]:
    """Read a target, ``group<TAB>share``, or one for each query, ``qid<TAB>group<TAB>share``.

    A first line ``group count`` or ``qid group count`` says that any numbers follow, which are divided by their sum;
    shares are, too, where they are rounded. A group that is not named has the share 0. Raises InputError for a bad
    line, an unknown group, a group that appears twice, and shares that do not sum to 1.
    """
    found: dict[str, Floats] = {}
    first: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    counted, width = False, 0
    for number, cells in rows(opening.lines(path, comment=b"#"), path, (2, 3), _TARGET, filled=1):
        if len(cells) != (width or len(cells)):
            raise InputError(_TARGET.format(len(cells), "s" * (len(cells) > 1)), path, number)
        is_first, width = not width, len(cells)
        if is_first and tuple(cells) in _HEADERS:
            counted = cells[-1] == "count"
            continue
        qid, group, share = ["", *cells][-3:]
        if group not in groups:
            raise InputError(f"there is no group {group!r}; the groups are {', '.join(groups)}", path, number)
        if len(found) * len(groups) > MOST_SHARES:
            what = f"targets of {len(found):,} queries over {len(groups):,} groups do not fit into memory"
            raise InputError(f"{what}; use one target for all queries, or fewer groups with --groups", path, number)
        target = found.setdefault(qid, np.zeros(len(groups)))
        first.setdefault(qid, number)
        try:
            value = float(share)
        except ValueError:
            raise InputError(f"the share {share!r} is not a number; correct it", path, number) from None
        if (qid, group) in seen:
            whose = f"query {qid}" if qid else "the target"
            raise InputError(f"{whose} has the group {group} twice; keep one line", path, number)
        seen.add((qid, group))
        target[groups.index(group)] = value
    if not found:
        raise InputError("this target has no group; write lines: group<TAB>share", path)
    whole = {qid: _whole(target, qid, path, first[qid], counted=counted) for qid, target in found.items()}
    return whole.get("", whole)


def _whole(target: Floats, qid: str, path: FilePath, line: int, *, counted: bool) -> Floats:
    """Make shares of what the groups have. Raises InputError where that cannot be."""
    if counted and (target >= 0).all() and 0 < target.sum() < np.inf:
        shares: Floats = target / target.sum()
        return shares
    if counted or not sums_to_one(target):
        whose, head = (f" of query {qid}", "qid group count") if qid else ("", "group count")
        message = f"the shares{whose} sum to {target.sum():g}; they must be 0 or more and sum to 1"
        advice = "" if counted else f"; if these are counts, add a first line: {head}"
        raise InputError(message + advice, path, line)
    return normalize_rounded(target)


def discount(path: FilePath) -> list[float]:
    """Read the weights of ranks: lines ``rank<TAB>weight``, or with a blank between them, from rank 1.

    Raises InputError for a rank that is missing, a weight below 0, a first that is not above it, and an empty file.
    """
    found: list[float] = []
    for number, cells in rows(opening.lines(path, comment=b"#"), path, (2,), _WEIGHT, otherwise=None):
        if not found and cells == ["rank", "weight"]:
            continue
        if cells[0] != str(len(found) + 1):
            raise InputError(f"rank {cells[0]} instead of {len(found) + 1}; write all ranks, from 1", path, number)
        try:
            weight = float(cells[1])
        except ValueError:
            weight = -1.0
        if not 0 <= weight < np.inf or (not found and not weight):
            due = "a number of 0 or more" if found else "a number above 0, as that of the first rank"
            raise InputError(f"the weight {cells[1]!r} is to be {due}; correct it", path, number)
        found.append(weight)
    if not found:
        raise InputError("this file has no weights; write lines: rank<TAB>weight", path)
    return found


def triples(path: FilePath) -> list[tuple[str, str, str]]:
    """Read what a ranker learns from: lines ``query<TAB>relevant text<TAB>text that is not relevant``.

    Raises InputError for a line of other than three columns, or with an empty one, and for a file without lines.
    """
    found: list[tuple[str, str, str]] = []
    for number, line in opening.lines(path, longest=opening.LONGEST_TEXT):
        cells = line.decode().split("\t")  # of which nothing is stripped: they are texts
        if len(cells) != 3:
            raise InputError(f"this line has {len(cells)} columns; {_TRIPLE}", path, number)
        if not all(map(str.strip, cells)):
            raise InputError(f"a column of this line is empty; {_TRIPLE}", path, number)
        found.append((cells[0], cells[1], cells[2]))
    if not found:
        raise InputError(f"this file has no triples; {_TRIPLE}", path)
    return found


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


def query_documents(given: Any, *, two: bool = False) -> QueryDocuments:
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
        several = rows(opening.lines(given, comment=b"#"), given, (2, 3), _DOCUMENT, otherwise=None)
        return [
            (number, cells[0], cells[1], "".join(cells[2:]))
            for number, cells in several
            if cells[:2] != ["qid", "docno"]
        ]
    held = {qid: of if isinstance(of, Mapping) else dict.fromkeys(of, "") for qid, of in given.items()}
    return [(None, str(qid), str(docno), str(side)) for qid, of in held.items() for docno, side in of.items()]

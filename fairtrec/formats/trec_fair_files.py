"""Reading the files of the track, one each: what an id, a q_num and an object are; documents become numbers."""

import csv
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import fspath
from typing import Any, TypeVar

import numpy as np

from fairtrec.data import Bools, Floats, Ints
from fairtrec.formats.columns import WIDEST
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text, opening
from fairtrec.support.files.json_text import JsonError
from fairtrec.support.late_patterns import compile_late

Entry = TypeVar("Entry")
_Q_NUM = compile_late(r"(\d{1,18})\.(\d{1,18})", re.ASCII)
MOST_GROUPS = 1000
MOST_CELLS = 1 << 26  # of the table of authors [document, group]


@dataclass(frozen=True, eq=False)
class Truth:
    """What is to be ranked: entries ``starts[i]:starts[i + 1]`` are the documents of ``qids[i]``.

    ``documents`` [entry] are places in ``docids``; ``relevance`` [entry] lies in [0, 1].
    """

    path: FilePath
    qids: tuple[str, ...]
    starts: Ints
    documents: Ints
    relevance: Floats
    docids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Requests:
    """What was asked: request i is number ``number[i]`` of sequence ``names[sequence[i]]``, and asks for ``query[i]``.

    Requests are in order of sequence and number, sequences in that of their names, as any query ids are.
    """

    path: FilePath
    names: tuple[str, ...]
    sequence: Ints
    number: Ints
    query: Ints

    def q_num(self, request: int) -> str:
        """Name a request as the files do."""
        return f"{self.names[self.sequence[request]]}.{self.number[request]}"


@dataclass(frozen=True, eq=False)
class Authors:
    """How many authors of each document belong to each group: ``counts`` [document, group].

    ``known`` [document] is whether the file has the document at all; the documents are those of a ``Truth``.
    ``groups`` are the labels in alphabetical order, ``""`` (an author without a label) first where there is one.
    """

    name: str
    groups: tuple[str, ...]
    known: Bools
    counts: Ints


class Numbering(dict[str, int]):
    """Number ids in the order in which they first appear; raises ValueError for what is no id."""

    def __missing__(self, key: object) -> int:
        number = self[as_id(key, "document id")] = len(self)
        return number


def as_id(value: object, what: str) -> str:
    """Take a value as an id, called ``what`` in messages. Raises ValueError, as each of these, for anything else."""
    if not isinstance(value, str):
        raise ValueError(f"the {what} {quote_value(value)} is not text")  # noqa: TRY004 - one kind for whatever is wrong
    if not value or "\0" in value or "\n" in value or len(value.encode()) > WIDEST:  # a lone surrogate is a ValueError
        raise ValueError(
            f"the {what} {quote_value(value)} is empty, holds a NUL or a newline, or exceeds {WIDEST} bytes"
        )
    return value


def parse_qid(value: object) -> str:
    """Take a value as a query id, which may be written as a whole number."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return as_id(str(value) if whole else value, "qid")


def quote_value(value: object) -> str:
    """Quote a value in a message, shortly."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def parse_q_num(value: object) -> tuple[int, int]:
    """Take a value as the numbers of a sequence and of a request in it."""
    found = _Q_NUM.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"the q_num {quote_value(value)} is not of the form seq.num, two whole numbers as text")
    return int(found[1]), int(found[2])


def fields(thing: object, *names: str) -> list[Any]:
    """Take these fields out of an object."""
    if not isinstance(thing, dict):
        raise ValueError(f"{quote_value(thing)} is not an object")  # noqa: TRY004 - one kind for whatever is wrong
    missing = [name for name in names if name not in thing]
    if missing:
        raise ValueError(f"the object has no {' and no '.join(missing)}")
    return [thing[name] for name in names]


def require_list(value: object, what: str) -> list[Any]:
    """Take a value as a list."""
    if not isinstance(value, list):
        raise ValueError(f"the {what} is not a list")  # noqa: TRY004 - one kind for whatever is wrong
    return value


def parse_json_line(line: bytes) -> Any:
    """Read a line of JSON, in which no key appears twice in one object. Raises JsonError, without a way out."""
    return json_text.parse(line, "")


def parse_lines(path: FilePath, form: str, parse: Callable[[bytes], Entry]) -> Iterator[tuple[int, Entry]]:
    """Parse each line; a ValueError becomes an InputError that says where, and what a line should be like."""
    empty = True
    for number, line in opening.lines(path, longest=opening.LONGEST_OBJECT):
        empty = False
        try:
            yield number, parse(line)
        except UnicodeEncodeError:
            raise InputError("an id holds half a character (a lone surrogate); correct it", path, number) from None
        except JsonError as fault:
            raise InputError(f"{fault.what}; {fault.way_out or f'write each line as {form}'}", path, number) from None
        except ValueError as fault:
            raise InputError(f"{fault}; write each line as {form}", path, number) from None
    if empty:
        raise InputError(opening.NO_LINES, path)


def list_some(names: list[str]) -> str:
    """List the first of many names."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def truth(path: FilePath) -> Truth:
    """Read the ground truth. Raises InputError for a bad line, and for a query or document that appears twice."""
    numbers, relevance, queries = Numbering(), array("d"), dict[str, int]()
    documents, starts = array("q"), array("q", [0])

    def parse(line: bytes) -> str:
        qid, entries = fields(parse_json_line(line), "qid", "documents")
        rows = [fields(entry, "doc_id", "relevance") for entry in require_list(entries, "value of documents")]
        own = [numbers[as_id(docid, "doc_id")] for docid, _ in rows]
        if len(set(own)) < len(own):
            twice = [docid for docid, times in Counter(docid for docid, _ in rows).items() if times > 1]
            raise ValueError(f"{list_some(twice)} appears more than once")
        documents.extend(own)
        relevance.extend(_relevance(grade, docid) for docid, grade in rows)
        return parse_qid(qid)

    form = '{"qid": ..., "documents": [{"doc_id": ..., "relevance": 0 to 1}, ...]}'
    for number, qid in parse_lines(path, form, parse):
        if qid in queries:
            raise InputError(f"query {qid} appears twice (first on line {queries[qid]}); keep one", path, number)
        queries[qid] = number
        starts.append(len(documents))
    return Truth(path, tuple(queries), ints(starts), ints(documents), np.array(relevance), tuple(numbers))


def _relevance(value: object, docid: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"the relevance {quote_value(value)} of document {docid} is not a number from 0 to 1")
    return float(value)


def ints(values: Any) -> Ints:
    """Make an array of whole numbers."""
    return np.array(values, dtype=np.int64)


def requests(path: FilePath, truth: Truth) -> Requests:
    """Read the sequences. Raises InputError for a bad line, a q_num that appears twice, and a qid without truth."""
    query_of = {qid: i for i, qid in enumerate(truth.qids)}
    seen: dict[tuple[int, int], int] = {}
    query = array("q")

    def parse(line: bytes) -> tuple[tuple[int, int], str]:
        cells = [cell.strip() for cell in line.decode().split(",")]
        if len(cells) != 2:
            raise ValueError(f"{len(cells)} column{'s' * (len(cells) != 1)} instead of two")
        return parse_q_num(cells[0]), cells[1]

    for line, (q_num, qid) in parse_lines(path, "seq.num,qid", parse):
        name = f"{q_num[0]}.{q_num[1]}"
        if q_num in seen:
            raise InputError(f"q_num {name} appears twice (first on line {seen[q_num]}); keep one", path, line)
        if qid not in query_of:
            message = (
                f"query {quote_value(qid)} of q_num {name} is not in the ground truth {fspath(truth.path)}; add it"
            )
            raise InputError(message, path, line)
        seen[q_num] = line
        query.append(query_of[qid])
    names = sorted({str(sequence) for sequence, _ in seen})
    place = {int(name): i for i, name in enumerate(names)}
    sequence, number = ints([place[sequence] for sequence, _ in seen]), ints([number for _, number in seen])
    order = np.lexsort((number, sequence))
    return Requests(path, tuple(names), sequence[order], number[order], ints(query)[order])


def authors(path: FilePath, truth: Truth) -> Authors:
    """Read the groups of the authors of the truth's documents; the name is that of the file, without its endings.

    A document whose line has no label has no author, but is known. Raises InputError for a bad line, a document that
    appears twice, more than MOST_GROUPS labels or none, and a file that has none of the truth's documents.
    """
    row_of = {docid: row for row, docid in enumerate(truth.docids)}
    seen: dict[str, int] = {}
    rows, labels, number_of = array("q"), array("q"), dict[str, int]()
    for line, (docid, *own) in parse_lines(path, "docid,label,label,... with one label for each author", _cells):
        if docid in seen:
            message = f"document {docid} appears twice (first on line {seen[docid]}); keep one line"
            raise InputError(message, path, line)
        seen[docid] = line
        numbers = [number_of.setdefault(label, len(number_of)) for label in own]
        if len(number_of) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS} different labels; use groups, not names", path, line)
        if docid in row_of:
            labels.extend(numbers)
            rows.extend([row_of[docid]] * len(numbers))
    known = np.fromiter((docid in seen for docid in truth.docids), dtype=np.bool_, count=len(row_of))
    if not known.any():
        message = f"none of these documents is in the ground truth {fspath(truth.path)}; check the track of both"
        raise InputError(message, path)
    groups = sorted(number_of)
    if not groups:
        raise InputError("the file has no label; write one for each author after the document's id", path)
    if len(row_of) * len(groups) > MOST_CELLS:
        raise InputError(f"{len(groups)} labels for {len(row_of)} documents do not fit into memory; merge groups", path)
    column = np.argsort(ints([number_of[group] for group in groups]), kind="stable")
    cells = ints(rows) * len(groups) + column[ints(labels)]
    counts = np.bincount(cells, minlength=len(row_of) * len(groups)).reshape(len(row_of), len(groups))
    return Authors(stem(path), tuple(groups), known, counts)


def _cells(line: bytes) -> list[str]:
    text = line.decode()
    try:
        cells = text.split(",") if '"' not in text else next(csv.reader([text], strict=True))
    except csv.Error as fault:
        raise ValueError(f"this line is not CSV ({fault})") from None
    cells = [cell.strip() for cell in cells]
    if max(map(len, cells)) > WIDEST:
        raise ValueError(f"a label of more than {WIDEST} characters")
    return [as_id(cells[0], "document id"), *cells[1:]]


def stem(path: FilePath) -> str:
    """Name a file without its folder and endings.

    >>> stem("groups/article-IMFLevel.csv.gz")
    'article-IMFLevel'
    """
    return re.sub(r"(\.(csv|tsv|txt|jsonl?|gz|bz2|zst))+$", "", fspath(path).rsplit("/", 1)[-1])

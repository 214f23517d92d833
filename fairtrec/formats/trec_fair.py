"""The files of the TREC 2019 Fair Ranking track: sequences of queries, ground truth, groups of authors, runs.

``sequences``  CSV lines ``seq.num,qid``: request ``num`` of sequence ``seq`` asks for query ``qid``
``truth``      JSON lines ``{"qid": ..., "documents": [{"doc_id": ..., "relevance": ...}, ...]}``
``groups``     CSV lines ``docid,label,label,...``: one label for each author; an empty label is a label of its own
``run``        JSON lines ``{"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}``, best first

Documents become numbers while they are read. ``truth``, ``requests``, ``authors`` and ``rankings`` read one file each;
``faults`` says what is wrong with a run, and ``placed`` puts a run without faults beside the truth.
"""

import csv
import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from typing import Any, NamedTuple, TypeVar

import numpy as np

from fairtrec.data import NOTHING, Bools, Floats, Ints
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import source
from fairtrec.formats.columns import WIDEST

MOST_GROUPS = 1000
MOST_CELLS = 1 << 26  # of the table of authors [document, group]
Value = TypeVar("Value")
_Q_NUM = re.compile(r"(\d{1,18})\.(\d{1,18})", re.ASCII)


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


@dataclass(frozen=True, eq=False)
class Rankings:
    """A run as it was read: line ``line[i]`` ranks ``documents[starts[i]:starts[i + 1]]``, places in ``docids``."""

    path: FilePath
    line: Ints
    sequence: Ints
    number: Ints
    qids: tuple[str, ...]
    starts: Ints
    documents: Ints
    docids: tuple[str, ...]


class Pairs(NamedTuple):
    """The distinct pairs of a sequence and a query, and which pair each ranking belongs to [ranking]."""

    sequence: Ints
    query: Ints
    of: Ints


@dataclass(frozen=True, eq=False)
class Sequences:
    """A run beside the truth: ranking i answers ``query[i]`` in ``names[sequence[i]]``.

    It ranks the truth's entries ``entries[starts[i]:starts[i + 1]]``, best first.
    """

    names: tuple[str, ...]
    sequence: Ints
    query: Ints
    starts: Ints
    entries: Ints
    truth: Truth

    @cached_property
    def ranking(self) -> Ints:
        """The ranking that each line belongs to [line]."""
        return np.repeat(np.arange(len(self.query)), np.diff(self.starts))

    @cached_property
    def pairs(self) -> Pairs:
        """The repetitions of one query in one sequence, brought together."""
        queries = len(self.truth.qids)
        distinct, of = np.unique(self.sequence * queries + self.query, return_inverse=True)
        return Pairs(distinct // queries, distinct % queries, of)


class _Numbers(dict[str, int]):
    """Number ids in the order in which they first appear; raises ValueError for what is no id."""

    def __missing__(self, key: object) -> int:
        number = self[_id(key, "document id")] = len(self)
        return number


def _id(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"the {what} {_shown(value)} is not text")  # noqa: TRY004 - one kind for whatever is wrong
    if not value or "\0" in value or "\n" in value or len(value.encode()) > WIDEST:  # a lone surrogate is a ValueError
        raise ValueError(f"the {what} {_shown(value)} is empty, holds a NUL or a newline, or exceeds {WIDEST} bytes")
    return value


def _qid(value: object) -> str:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return _id(str(value) if whole else value, "qid")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _q_num(value: object) -> tuple[int, int]:
    found = _Q_NUM.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"the q_num {_shown(value)} is not of the form seq.num, two whole numbers as text")
    return int(found[1]), int(found[2])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return entry


def _fields(thing: object, *names: str) -> list[Any]:
    if not isinstance(thing, dict):
        raise ValueError(f"{_shown(thing)} is not an object")  # noqa: TRY004 - one kind for whatever is wrong
    missing = [name for name in names if name not in thing]
    if missing:
        raise ValueError(f"the object has no {' and no '.join(missing)}")
    return [thing[name] for name in names]


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"the {what} is not a list")  # noqa: TRY004 - one kind for whatever is wrong
    return value


def _json(line: bytes) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_once)
    except json.JSONDecodeError as fault:
        raise ValueError(f"this line is not JSON ({fault.msg}, column {fault.colno})") from None
    except RecursionError:
        raise ValueError("this line is not JSON of this kind; it is nested too deeply") from None


def _read(path: FilePath, form: str, parse: Callable[[bytes], Value]) -> Iterator[tuple[int, Value]]:
    """Parse each line; a ValueError becomes an InputError that says where, and what a line should be like."""
    empty = True
    for number, line in source.lines(path):
        empty = False
        try:
            yield number, parse(line)
        except UnicodeEncodeError:
            raise InputError("an id holds half a character (a lone surrogate); correct it", path, number) from None
        except ValueError as fault:
            raise InputError(f"{fault}; write each line as {form}", path, number) from None
    if empty:
        raise InputError("this file has no lines; was it written to the end?", path)


def truth(path: FilePath) -> Truth:
    """Read the ground truth. Raises InputError for a bad line, and for a query or document that stands twice."""
    numbers, relevance, queries = _Numbers(), array("d"), dict[str, int]()
    documents, starts = array("q"), array("q", [0])

    def parse(line: bytes) -> str:
        qid, entries = _fields(_json(line), "qid", "documents")
        rows = [_fields(entry, "doc_id", "relevance") for entry in _list(entries, "value of documents")]
        own = [numbers[_id(docid, "doc_id")] for docid, _ in rows]
        if len(set(own)) < len(own):
            twice = [docid for docid, times in Counter(docid for docid, _ in rows).items() if times > 1]
            raise ValueError(f"{_some(twice)} stands more than once")
        documents.extend(own)
        relevance.extend(_relevance(grade, docid) for docid, grade in rows)
        return _qid(qid)

    form = '{"qid": ..., "documents": [{"doc_id": ..., "relevance": 0 to 1}, ...]}'
    for number, qid in _read(path, form, parse):
        if qid in queries:
            raise InputError(f"query {qid} stands twice (first on line {queries[qid]}); keep one", path, number)
        queries[qid] = number
        starts.append(len(documents))
    return Truth(path, tuple(queries), _ints(starts), _ints(documents), np.array(relevance), tuple(numbers))


def _relevance(value: object, docid: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"the relevance {_shown(value)} of document {docid} is not a number from 0 to 1")
    return float(value)


def _ints(values: Any) -> Ints:
    return np.array(values, dtype=np.int64)


def requests(path: FilePath, truth: Truth) -> Requests:
    """Read the sequences. Raises InputError for a bad line, a q_num that stands twice, and a qid without truth."""
    query_of = {qid: i for i, qid in enumerate(truth.qids)}
    seen: dict[tuple[int, int], int] = {}
    query = array("q")

    def parse(line: bytes) -> tuple[tuple[int, int], str]:
        cells = [cell.strip() for cell in line.decode().split(",")]
        if len(cells) != 2:
            raise ValueError(f"{len(cells)} column{'s' * (len(cells) != 1)}, where there should be two")
        return _q_num(cells[0]), cells[1]

    for line, (q_num, qid) in _read(path, "seq.num,qid", parse):
        name = f"{q_num[0]}.{q_num[1]}"
        if q_num in seen:
            raise InputError(f"q_num {name} stands twice (first on line {seen[q_num]}); keep one", path, line)
        if qid not in query_of:
            message = f"query {_shown(qid)} of q_num {name} is not in the ground truth {fspath(truth.path)}; add it"
            raise InputError(message, path, line)
        seen[q_num] = line
        query.append(query_of[qid])
    names = sorted({str(sequence) for sequence, _ in seen})
    place = {int(name): i for i, name in enumerate(names)}
    sequence, number = _ints([place[sequence] for sequence, _ in seen]), _ints([number for _, number in seen])
    order = np.lexsort((number, sequence))
    return Requests(path, tuple(names), sequence[order], number[order], _ints(query)[order])


def authors(path: FilePath, truth: Truth) -> Authors:
    """Read the groups of the authors of the truth's documents; the name is that of the file, without its endings.

    A document whose line has no label has no author, but is known. Raises InputError for a bad line, a document that
    stands twice, more than MOST_GROUPS labels or none, and a file that has none of the truth's documents.
    """
    row_of = {docid: row for row, docid in enumerate(truth.docids)}
    seen: dict[str, int] = {}
    rows, labels, number_of = array("q"), array("q"), dict[str, int]()
    for line, (docid, *own) in _read(path, "docid,label,label,... with one label for each author", _cells):
        if docid in seen:
            message = f"document {docid} stands twice (first on line {seen[docid]}); keep one line"
            raise InputError(message, path, line)
        seen[docid] = line
        numbers = [number_of.setdefault(label, len(number_of)) for label in own]
        if len(number_of) > MOST_GROUPS:
            raise InputError(f"more than {MOST_GROUPS} different labels; give groups, not names", path, line)
        if docid in row_of:
            labels.extend(numbers)
            rows.extend([row_of[docid]] * len(numbers))
    known = np.fromiter((docid in seen for docid in truth.docids), dtype=np.bool_, count=len(row_of))
    if not known.any():
        message = f"none of these documents is in the ground truth {fspath(truth.path)}; are they of the same track?"
        raise InputError(message, path)
    groups = sorted(number_of)
    if not groups:
        raise InputError("there is no label in this file; write one for each author, behind the document's id", path)
    if len(row_of) * len(groups) > MOST_CELLS:
        raise InputError(f"{len(groups)} labels for {len(row_of)} documents do not fit into memory; merge groups", path)
    column = np.argsort(_ints([number_of[group] for group in groups]))
    cells = _ints(rows) * len(groups) + column[_ints(labels)]
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
    return [_id(cells[0], "document id"), *cells[1:]]


def stem(path: FilePath) -> str:
    """Name a file without its folder and endings.

    >>> stem("groups/article-IMFLevel.csv.gz")
    'article-IMFLevel'
    """
    return re.sub(r"(\.(csv|tsv|txt|jsonl?|gz|bz2|zst))+$", "", fspath(path).rsplit("/", 1)[-1])


def rankings(path: FilePath) -> Rankings:
    """Read a run as it stands. Raises InputError for a bad line."""
    numbers, documents, starts = _Numbers(), array("q"), array("q", [0])
    lines, sequence, number, qids = array("q"), array("q"), array("q"), list[str]()

    def parse(line: bytes) -> str:
        q_num, qid, ranking = _fields(_json(line), "q_num", "qid", "ranking")
        of = _q_num(q_num)
        try:
            documents.extend(map(numbers.__getitem__, _list(ranking, "ranking")))
        except TypeError:  # it cannot be looked up
            raise ValueError("a document id is a list or an object, not text") from None
        sequence.append(of[0])
        number.append(of[1])
        return _qid(qid)

    for line, qid in _read(path, '{"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}', parse):
        lines.append(line)
        qids.append(qid)
        starts.append(len(documents))
    q_nums = _ints(sequence), _ints(number)
    return Rankings(path, _ints(lines), *q_nums, tuple(qids), _ints(starts), _ints(documents), tuple(numbers))


def faults(run: Rankings, requests: Requests, truth: Truth) -> Iterator[InputError]:
    """Give each fault of a run: those of its rankings in the order of its lines, then the requests left out."""
    return _faults(run, requests, truth, *_matched(run, requests, truth))


def placed(run: Rankings, requests: Requests, truth: Truth) -> Sequences:
    """Put a run beside the truth, in the order of the requests. Raises the first of its faults."""
    place, entries = _matched(run, requests, truth)
    for fault in _faults(run, requests, truth, place, entries):
        raise fault
    order = np.argsort(place)
    length = np.diff(run.starts)[order]
    starts = np.concatenate(([0], np.cumsum(length)))
    lines = np.arange(len(entries)) + np.repeat(run.starts[:-1][order] - starts[:-1], length)
    return Sequences(requests.names, requests.sequence, requests.query, starts, entries[lines], truth)


def _matched(run: Rankings, requests: Requests, truth: Truth) -> tuple[Ints, Ints]:
    """Find each ranking's request, and the truth's entry for each of its documents; NOTHING where there is none."""
    keys = zip((requests.names[i] for i in requests.sequence.tolist()), requests.number.tolist(), strict=True)
    request_of = {(int(name), number): i for i, (name, number) in enumerate(keys)}
    asked = zip(run.sequence.tolist(), run.number.tolist(), strict=True)
    place = _ints([request_of.get(q_num, NOTHING) for q_num in asked])
    row_of = {docid: row for row, docid in enumerate(truth.docids)}
    rows = _ints([row_of.get(docid, NOTHING) for docid in run.docids])[run.documents]
    every = len(truth.docids)
    key = np.repeat(np.arange(len(truth.qids)) * every, np.diff(truth.starts)) + truth.documents
    order = np.argsort(key)
    wanted = np.where(rows == NOTHING, NOTHING, np.repeat(requests.query[place] * every, np.diff(run.starts)) + rows)
    entries = np.concatenate((order, [NOTHING]))[np.searchsorted(key[order], wanted)]
    return place, np.where((entries != NOTHING) & (np.append(key, NOTHING)[entries] == wanted), entries, NOTHING)


def _faults(run: Rankings, requests: Requests, truth: Truth, place: Ints, entries: Ints) -> Iterator[InputError]:
    query = requests.query[place]
    length = np.diff(run.starts)
    first = np.full(len(requests.query) + 1, NOTHING)  # the last is that of unknown requests
    first[place[::-1]] = np.arange(len(place))[::-1]
    differs = np.array([truth.qids[i] != qid for i, qid in zip(query.tolist(), run.qids, strict=True)])
    full = length == np.diff(truth.starts)[query]
    ranking = np.repeat(np.arange(len(place)), length)
    seen = np.zeros(len(entries), dtype=np.bool_)
    where = ((run.starts[:-1] - truth.starts[query])[ranking] + entries)[full[ranking] & (entries != NOTHING)]
    seen[where] = True  # one for each document that is ranked and should be
    whole = full & (np.bincount(ranking, weights=seen, minlength=len(place)) == length)
    good = (place != NOTHING) & (first[place] == np.arange(len(place))) & ~differs & whole
    for i in np.flatnonzero(~good).tolist():
        name, line = f"{run.sequence[i]}.{run.number[i]}", int(run.line[i])
        qid = truth.qids[query[i]]
        if place[i] == NOTHING:
            message = f"q_num {name} is not in the sequences {fspath(requests.path)}; remove the line"
            yield InputError(message, run.path, line)
            continue
        if first[place[i]] != i:
            message = f"q_num {name} stands twice (first on line {run.line[first[place[i]]]}); keep one ranking"
            yield InputError(message, run.path, line)
        if differs[i]:
            message = f"the qid of q_num {name} is {run.qids[i]}, but the sequences have {qid}; correct one of them"
            yield InputError(message, run.path, line)
        elif not whole[i]:
            ranked = [run.docids[row] for row in run.documents[run.starts[i] : run.starts[i + 1]].tolist()]
            rows = truth.documents[truth.starts[query[i]] : truth.starts[query[i] + 1]]
            wanted = [truth.docids[row] for row in rows.tolist()]
            for what in _amiss(ranked, wanted):
                message = f"the ranking of q_num {name} {what}; rank each document of query {qid} once"
                yield InputError(message, run.path, line)
    absent = np.flatnonzero(first[:-1] == NOTHING).tolist()
    if absent:
        names = _some([requests.q_num(i) for i in absent])
        yield InputError(f"no ranking for q_num {names}; rank the documents of each request", run.path)


def _amiss(ranked: list[str], wanted: list[str]) -> Iterator[str]:
    many, among = Counter(ranked), set(wanted)
    if missing := [docid for docid in wanted if docid not in many]:
        yield f"lacks {_some(missing)}"
    if extra := [docid for docid in many if docid not in among]:
        yield f"has {_some(extra)}, which the ground truth has not"
    if repeated := [docid for docid, times in many.items() if times > 1]:
        yield f"has {_some(repeated)} more than once"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

"""The files of the TREC 2019 Fair Ranking track: sequences of queries, ground truth, groups of authors, runs.

``sequences``  CSV lines ``seq.num,qid``: request ``num`` of sequence ``seq`` asks for query ``qid``
``truth``      JSON lines ``{"qid": ..., "documents": [{"doc_id": ..., "relevance": ...}, ...]}``
``groups``     CSV lines ``docid,label,label,...``: one label for each author; an empty label is a label of its own
``run``        JSON lines ``{"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}``, best first

Documents become numbers while they are read. ``trec_fair_files`` reads what is given beside a run, ``rankings`` a run;
``faults`` says what is wrong with a run, and ``place_run`` puts a run without faults beside the truth.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import fspath
from typing import NamedTuple

import numpy as np

from fairtrec.data import MISSING, Ints, list_lines
from fairtrec.formats import trec_fair_files as files
from fairtrec.formats.trec_fair_files import Requests, Truth
from fairtrec.support.errors import FilePath, InputError


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


def rankings(path: FilePath) -> Rankings:
    """Read a run as it stands. Raises InputError for a bad line."""
    numbers, documents, starts = files.Numbering(), array("q"), array("q", [0])
    lines, sequence, number, qids = array("q"), array("q"), array("q"), list[str]()

    def parse(line: bytes) -> str:
        q_num, qid, ranking = files.fields(files.parse_json_line(line), "q_num", "qid", "ranking")
        of = files.parse_q_num(q_num)
        try:
            documents.extend(map(numbers.__getitem__, files.require_list(ranking, "ranking")))
        except TypeError:  # it cannot be looked up
            raise ValueError("a document id is a list or an object, not text") from None
        sequence.append(of[0])
        number.append(of[1])
        return files.parse_qid(qid)

    for line, qid in files.parse_lines(path, '{"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}', parse):
        lines.append(line)
        qids.append(qid)
        starts.append(len(documents))
    q_nums = files.ints(sequence), files.ints(number)
    return Rankings(
        path, files.ints(lines), *q_nums, tuple(qids), files.ints(starts), files.ints(documents), tuple(numbers)
    )


def faults(run: Rankings, requests: Requests, truth: Truth) -> Iterator[InputError]:
    """Give each fault of a run: those of its rankings in the order of its lines, then the requests left out."""
    return _faults(run, requests, truth, *_matched(run, requests, truth))


def place_run(run: Rankings, requests: Requests, truth: Truth) -> Sequences:
    """Put a run beside the truth, in the order of the requests. Raises the first of its faults."""
    place, entries = _matched(run, requests, truth)
    for fault in _faults(run, requests, truth, place, entries):
        raise fault
    order = np.argsort(place, kind="stable")
    length = np.diff(run.starts)[order]
    starts = np.concatenate(([0], np.cumsum(length)))
    lines = list_lines(run.starts[:-1][order], length)
    return Sequences(requests.names, requests.sequence, requests.query, starts, entries[lines], truth)


def _matched(run: Rankings, requests: Requests, truth: Truth) -> tuple[Ints, Ints]:
    """Find each ranking's request, and the truth's entry for each of its documents; MISSING where there is none."""
    keys = zip((requests.names[i] for i in requests.sequence.tolist()), requests.number.tolist(), strict=True)
    request_of = {(int(name), number): i for i, (name, number) in enumerate(keys)}
    asked = zip(run.sequence.tolist(), run.number.tolist(), strict=True)
    place = np.array([request_of.get(q_num, MISSING) for q_num in asked], dtype=np.int64)
    row_of = {docid: row for row, docid in enumerate(truth.docids)}
    rows = np.array([row_of.get(docid, MISSING) for docid in run.docids], dtype=np.int64)[run.documents]
    every = len(truth.docids)
    key = np.repeat(np.arange(len(truth.qids)) * every, np.diff(truth.starts)) + truth.documents
    order = np.argsort(key, kind="stable")
    wanted = np.where(rows == MISSING, MISSING, np.repeat(requests.query[place] * every, np.diff(run.starts)) + rows)
    entries = np.concatenate((order, [MISSING]))[np.searchsorted(key[order], wanted)]
    return place, np.where((entries != MISSING) & (np.append(key, MISSING)[entries] == wanted), entries, MISSING)


def _faults(run: Rankings, requests: Requests, truth: Truth, place: Ints, entries: Ints) -> Iterator[InputError]:
    query = requests.query[place]
    length = np.diff(run.starts)
    first = np.full(len(requests.query) + 1, MISSING)  # the last is that of unknown requests
    first[place[::-1]] = np.arange(len(place))[::-1]
    differs = np.array([truth.qids[i] != qid for i, qid in zip(query.tolist(), run.qids, strict=True)])
    full = length == np.diff(truth.starts)[query]
    ranking = np.repeat(np.arange(len(place)), length)
    seen = np.zeros(len(entries), dtype=np.bool_)
    where = ((run.starts[:-1] - truth.starts[query])[ranking] + entries)[full[ranking] & (entries != MISSING)]
    seen[where] = True  # one for each document that is ranked and should be
    whole = full & (np.bincount(ranking, weights=seen, minlength=len(place)) == length)
    good = (place != MISSING) & (first[place] == np.arange(len(place))) & ~differs & whole
    for i in np.flatnonzero(~good).tolist():
        name, line = f"{run.sequence[i]}.{run.number[i]}", int(run.line[i])
        qid = truth.qids[query[i]]
        if place[i] == MISSING:
            message = f"q_num {name} is not in the sequences {fspath(requests.path)}; remove the line"
            yield InputError(message, run.path, line)
            continue
        if first[place[i]] != i:
            message = f"q_num {name} appears twice (first on line {run.line[first[place[i]]]}); keep one ranking"
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
    absent = np.flatnonzero(first[:-1] == MISSING).tolist()
    if absent:
        names = files.list_some([requests.q_num(i) for i in absent])
        yield InputError(f"no ranking for q_num {names}; rank the documents of each request", run.path)


def _amiss(ranked: list[str], wanted: list[str]) -> Iterator[str]:
    many, among = Counter(ranked), set(wanted)
    if missing := [docid for docid in wanted if docid not in many]:
        yield f"lacks {files.list_some(missing)}"
    if extra := [docid for docid in many if docid not in among]:
        yield f"has {files.list_some(extra)}, which the ground truth has not"
    if repeated := [docid for docid, times in many.items() if times > 1]:
        yield f"has {files.list_some(repeated)} more than once"

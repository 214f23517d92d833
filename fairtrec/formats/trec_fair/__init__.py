"""The files of the TREC 2019 Fair Ranking track: sequences of queries, ground truth, groups of authors, runs.

``sequences``  CSV lines ``seq.num,qid``: request ``num`` of sequence ``seq`` asks for query ``qid``
``truth``      JSON lines ``{"qid": ..., "documents": [{"doc_id": ..., "relevance": ...}, ...]}``
``groups``     CSV lines ``docid,label,label,...``: one label for each author; an empty label is a label of its own
``run``        JSON lines ``{"q_num": "seq.num", "qid": ..., "ranking": [docid, ...]}``, best first

Documents become numbers while they are read. ``truth``, ``requests``, ``authors`` and ``rankings`` read one file each;
``faults`` says what is wrong with a run, and ``placed`` puts a run without faults beside the truth.
"""

from collections import Counter
from collections.abc import Iterator
from os import fspath

import numpy as np

from fairtrec.data import MISSING, Ints
from fairtrec.data.trec_fair import Authors, Pairs, Rankings, Requests, Sequences, Truth
from fairtrec.errors import InputError
from fairtrec.formats.trec_fair.parsing import authors, rankings, requests, some, stem, truth

__all__ = [
    "Authors",
    "Pairs",
    "Rankings",
    "Requests",
    "Sequences",
    "Truth",
    "authors",
    "faults",
    "placed",
    "rankings",
    "requests",
    "stem",
    "truth",
]


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
    """Find each ranking's request, and the truth's entry for each of its documents; MISSING where there is none."""
    keys = zip((requests.names[i] for i in requests.sequence.tolist()), requests.number.tolist(), strict=True)
    request_of = {(int(name), number): i for i, (name, number) in enumerate(keys)}
    asked = zip(run.sequence.tolist(), run.number.tolist(), strict=True)
    place = np.array([request_of.get(q_num, MISSING) for q_num in asked], dtype=np.int64)
    row_of = {docid: row for row, docid in enumerate(truth.docids)}
    rows = np.array([row_of.get(docid, MISSING) for docid in run.docids], dtype=np.int64)[run.documents]
    every = len(truth.docids)
    key = np.repeat(np.arange(len(truth.qids)) * every, np.diff(truth.starts)) + truth.documents
    order = np.argsort(key)
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
    absent = np.flatnonzero(first[:-1] == MISSING).tolist()
    if absent:
        names = some([requests.q_num(i) for i in absent])
        yield InputError(f"no ranking for q_num {names}; rank the documents of each request", run.path)


def _amiss(ranked: list[str], wanted: list[str]) -> Iterator[str]:
    many, among = Counter(ranked), set(wanted)
    if missing := [docid for docid in wanted if docid not in many]:
        yield f"lacks {some(missing)}"
    if extra := [docid for docid in many if docid not in among]:
        yield f"has {some(extra)}, which the ground truth has not"
    if repeated := [docid for docid, times in many.items() if times > 1]:
        yield f"has {some(repeated)} more than once"

"""TREC qrels files: ``qid iteration docno grade``, one judgement a line."""

import numpy as np

from fairtrec.data import Docs, Ints, Qrels
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns

LARGEST = 1_000_000  # grade; pytrec_eval counts up to the largest one
LAYOUT = columns.Layout("qrels file", {"qid": "blocks", "iteration": "text", "docno": "text", "grade": "int"})


def read(path: FilePath) -> Qrels:
    """Read judgements. Raises InputError for a bad line, and a document judged twice for a query (and subtopic)."""
    table = columns.read(path, LAYOUT)
    qids, starts, together = columns.numbered(table.columns["qid"])
    query = np.repeat(np.arange(len(qids)), np.diff(starts))
    lines = np.arange(len(query)) if together is None else together
    docnos, iterations = table.columns["docno"][lines], table.columns["iteration"][lines]
    row = repeated(query, docnos, iterations)
    if row is not None:
        docno, qid = docnos[row].decode(), qids[query[row]]
        message = f"document {docno} is judged twice for query {qid}; keep one grade"
        raise InputError(message, path, table.line(int(lines[row])))
    grades = table.columns["grade"][lines]
    large = np.flatnonzero(np.abs(grades) > LARGEST)
    if len(large):
        row = int(large[0])
        raise InputError(
            f"the grade {grades[row]} is beyond {LARGEST:,}; is it one?", path, table.line(int(lines[row]))
        )
    return Qrels(qids, query, docnos, grades, iterations)


def repeated(query: Ints, docnos: Docs, iterations: Docs) -> int | None:
    """Find a judgement of a document that was judged before for this query and subtopic: its row, or None."""
    order = np.lexsort((iterations, docnos, query))
    same = query[order][1:] == query[order][:-1]
    for column in (docnos[order], iterations[order]):
        same &= column[1:] == column[:-1]
    return int(order[1:][same][0]) if same.any() else None

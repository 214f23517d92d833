"""TREC qrels files: ``qid iteration docno grade``, one judgement a line."""

import numpy as np

from fairtrec.data import Qrels
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns

LAYOUT = columns.Layout("qrels file", {"qid": "text", "iteration": "text", "docno": "text", "grade": "int"})


def read(path: FilePath) -> Qrels:
    """Read judgements. Raises InputError for a bad line and for a document judged twice for one query (and subtopic)."""
    table = columns.read(path, LAYOUT)
    qids, query = columns.numbered(table.columns["qid"])
    docnos, iterations = table.columns["docno"], table.columns["iteration"]
    order = np.lexsort((iterations, docnos, query))
    same = query[order][1:] == query[order][:-1]
    for column in (docnos[order], iterations[order]):
        same &= column[1:] == column[:-1]
    if same.any():
        row = int(np.maximum(order[1:], order[:-1])[same].min())
        docno, qid = docnos[row].decode(), table.columns["qid"][row].decode()
        raise InputError(f"document {docno} is judged twice for query {qid}; keep one grade", path, table.line(row))
    return Qrels(qids, query, docnos, table.columns["grade"], iterations)

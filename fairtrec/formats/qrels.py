"""TREC qrels files: ``qid iteration docno grade``, one judgement a line."""

from collections.abc import Callable

import numpy as np

from fairtrec.data import Docs, Ints, Qrels
from fairtrec.errors import FilePath, InputError
from fairtrec.formats import columns, spans

LARGEST_GRADE = 1_000_000  # pytrec_eval counts up to the largest one
LAYOUT = columns.Layout("qrels file", {"qid": "blocks", "iteration": "text", "docno": "text", "grade": "int"})


def read(path: FilePath) -> Qrels:
    """Read judgements. Raises InputError for a bad line, and a document judged twice for a query (and subtopic)."""
    table = columns.read(path, LAYOUT)

    def fault(message: str, row: int) -> InputError:
        return InputError(message, path, table.line(row))

    ids, iterations, docnos, grades = (table.columns[name] for name in LAYOUT.columns)
    return of_columns(ids, iterations, docnos, grades, fault)


def of_columns(
    ids: spans.Repeats, iterations: Docs, docnos: Docs, grades: Ints, fault: Callable[[str, int], InputError]
) -> Qrels:
    """Bring the judgements of each query together; ``fault`` makes the error of what is wrong with a row."""
    qids, starts, together = columns.numbered(ids)
    query = np.repeat(np.arange(len(qids)), np.diff(starts))
    lines = np.arange(len(query)) if together is None else together
    iterations, docnos, grades = iterations[lines], docnos[lines], grades[lines]
    row = repeated(query, docnos, iterations)
    if row is not None:
        message = f"document {docnos[row].decode()} is judged twice for query {qids[query[row]]}; keep one grade"
        raise fault(message, int(lines[row]))
    for row in np.flatnonzero(np.abs(grades) > LARGEST_GRADE).tolist():
        raise fault(f"the grade {grades[row]} is beyond {LARGEST_GRADE:,}; is it one?", int(lines[row]))
    return Qrels(qids, query, docnos, grades, iterations)


def repeated(query: Ints, docnos: Docs, iterations: Docs) -> int | None:
    """Find a judgement of a document that was judged before for this query and subtopic: its row, or None."""
    order = np.lexsort((iterations, docnos, query))
    same = query[order][1:] == query[order][:-1]
    for column in (docnos[order], iterations[order]):
        same &= column[1:] == column[:-1]
    return int(order[1:][same][0]) if same.any() else None

"""TREC qrels files: ``qid iteration docno grade``, one judgment a line; and lists of relevant documents."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fairtrec.data import Docs, Ints, Qrels, list_distinct
from fairtrec.formats import columns, spans
from fairtrec.formats.column_roles import describe_unnamed
from fairtrec.formats.run import find_repeat
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import is_run_line
from fairtrec.support.files.table_header import find_names, refuse_semicolons
from fairtrec.support.files.whole_lines import parse_object
from fairtrec.support.literals import DOCUMENT, GRADE, QUERY, SUBTOPIC, RecordForm
from fairtrec.support.notes import NoteKind

LARGEST_GRADE = 1_000_000  # pytrec_eval counts up to the largest one
EXAMPLE = '{"id": ..., "rel_docs": [...]}'
LAYOUT = columns.Layout(
    "qrels file", {"qid": "blocks", "iteration": "blocks", "docno": "text", "grade": "int"}, has_comments=True
)


def _write_repeats(many: int, line: int) -> str:
    judgments = "1 judgment is" if many == 1 else f"{many:,} judgments are"
    return f"{judgments} repeated with the same grade" + (f" (first: line {line})" if line else "")


def _write_grades(documents: int) -> str:
    have = "1 document has" if documents == 1 else f"{documents:,} documents have"
    return f"{have} several grades for a query, by column 2 of the qrels; the highest counts"


REPEATED = NoteKind("repeated judgments", _write_repeats)
SEVERAL_GRADES = NoteKind("several grades", _write_grades)


def read(path: FilePath) -> Qrels:
    """Read judgments, also those of TREC Fair Ranking, which are JSON lines, and those whose columns have names.

    Raises InputError for a bad line, and a document with two grades for a query (and subtopic).
    """
    try:
        table = columns.read(path, LAYOUT)
    except InputError:
        from fairtrec.formats import named_columns

        start = b"" if opening.is_stream(path) else named_columns.read_start(path)
        form = named_columns.detect_form(start)
        line = start.partition(b"\n")[0]
        is_of_ids = b'"rel_docs"' in line or (b'"id"' in line and not named_columns.NAMED.search(line))
        if is_of_ids and named_columns.OBJECT.match(line):
            return of_lists(path)
        if form is not None:
            return of_records(path, form)
        cells, text = line.split(), line.decode(errors="replace")
        header = find_names(text)
        lacking = [] if header is None else [each for each in (QUERY, DOCUMENT) if header.find_column(each) is None]
        if header is not None and lacking:
            what = describe_unnamed("this table", header.written, *lacking, is_run=False)
            raise InputError(f"{what}, or pass none if you have no qrels", path) from None
        refuse_semicolons(text, (None,), path, None)
        is_text = b" ".join(cells).decode(errors="replace").isprintable()
        if is_text and len(cells) > len(LAYOUT.columns) and is_run_line(cells):
            what = "this looks like a run, not like qrels; the order is QRELS RUN"
            raise InputError(f"{what}, and in Python evaluate(measures, runs, qrels=...)", path) from None
        raise

    def fault(message: str, row: int) -> InputError:
        return InputError(message, path, table.line(row))

    ids, iterations, docnos, grades = (table.columns.pop(name) for name in LAYOUT.columns)
    found = group_judgments(ids, iterations, docnos, grades, fault)
    return replace(found, notes=(*table.notes, *found.notes))


def group_judgments(
    ids: spans.Repeats, subtopics: spans.Repeats, docnos: Docs, grades: Ints, fault: Callable[[str, int], InputError]
) -> Qrels:
    """Bring the judgments of each query together, each once; ``fault`` makes the error of what is wrong with a row."""
    qids, starts, together = columns.group_ids(ids)
    texts = subtopics.texts
    one = bool((texts == texts[0]).all())  # it takes no memory for each judgment
    iterations = np.broadcast_to(texts[:1], len(docnos)) if one else np.repeat(texts, subtopics.lengths)
    if together is not None:
        iterations, docnos, grades = iterations[together], docnos[together], grades[together]

    def fault_of(message: str, row: int) -> InputError:
        return fault(message, row if together is None else int(together[row]))

    if (beyond := np.flatnonzero((grades > LARGEST_GRADE) | (grades < -LARGEST_GRADE))).size:
        row = int(beyond[0])
        raise fault_of(f"the grade {grades[row]} is beyond {LARGEST_GRADE:,}; correct it", row)
    found = Qrels(qids, starts, docnos, grades, iterations)
    return found if find_repeat(starts, docnos) is None else _merge_repeats(found, fault_of)


def _merge_repeats(qrels: Qrels, fault: Callable[[str, int], InputError]) -> Qrels:
    """Keep the first of judgments that are repeated, and note them. Raises InputError if their grades differ."""
    query, docnos, iterations, grades = qrels.query, qrels.docnos, qrels.iterations, qrels.grades
    order = np.lexsort((iterations, docnos, query))
    is_same = (query[order][1:] == query[order][:-1]) & (docnos[order][1:] == docnos[order][:-1])
    is_repeated = is_same & (iterations[order][1:] == iterations[order][:-1])
    is_other = grades[order][1:] != grades[order][:-1]
    if (differing := order[1:][is_repeated & is_other]).size:
        row = int(differing.min())
        twice = f"document {docnos[row].decode()} is judged twice for query {qrels.qids[query[row]]}"
        raise fault(f"{twice}; keep one grade", row)
    notes = []
    if is_repeated.any():
        first = int(order[1:][is_repeated].min())
        notes.append(REPEATED.note(many=int(is_repeated.sum()), line=fault("", first).line or 0))
    if (is_same & is_other).any():
        pairs = np.cumsum(np.append(True, ~is_same))[1:][is_same & is_other]
        notes.append(SEVERAL_GRADES.note(documents=len(list_distinct(pairs))))
    kept = np.ones(len(docnos), dtype=np.bool_)
    kept[order[1:][is_repeated]] = False
    return replace(qrels.keep_lines(kept), notes=tuple(notes))


def of_records(path: FilePath, form: RecordForm) -> Qrels:
    """Read the judgments of a file whose columns have names. Raises InputError for what is not in this form."""
    from fairtrec.formats import named_columns

    wanted = named_columns.WantedColumns("qrels file", (*QUERY, *SUBTOPIC, *DOCUMENT, *GRADE), GRADE, "grade")
    frame, _ = named_columns.read(path, form, wanted)
    ids, docnos, grades = spans.Repeats.find(frame.ids(QUERY)), frame.ids(DOCUMENT), frame.take_integers(GRADE)
    subtopics = np.full(len(docnos), b"0") if frame.find(SUBTOPIC) is None else frame.ids(SUBTOPIC)

    def fault(message: str, row: int) -> InputError:
        return InputError(message, path, frame.line_of(row))

    return group_judgments(ids, spans.Repeats.find(subtopics), docnos, grades, fault)


def of_lists(path: FilePath) -> Qrels:
    """Read the judgments of TREC Fair Ranking, JSON lines with an ``id`` and its ``rel_docs``, each of grade 1.

    Raises InputError for a bad line.
    """
    pages: dict[tuple[bytes, bytes], int] = {}
    for number, line in opening.lines(path, longest=opening.LONGEST_OBJECT):
        found = parse_object(line, EXAMPLE, path, number)
        listed = found.get("rel_docs")
        are_ids = isinstance(listed, list) and ({*map(type, listed)} <= {int} or all(map(_is_id, listed)))
        if listed is None or not are_ids or not _is_id(found.get("id")):
            raise InputError(f"this line has no id, or no list of ids rel_docs; write {EXAMPLE}", path, number)
        qid = str(found["id"]).encode()
        pages |= {(qid, str(page).encode()): number for page in listed}
    if not pages:
        raise InputError("these qrels have no relevant page; were they written to the end?", path)
    qids, docnos = (np.array(ids) for ids in zip(*pages, strict=True))
    lines = list(pages.values())
    ones, none = np.ones(len(lines), dtype=np.int64), spans.Repeats(np.array([b"0"]), np.array([len(lines)]))

    def fault(message: str, row: int) -> InputError:
        return InputError(message, path, lines[row])

    return group_judgments(spans.Repeats.find(qids), none, docnos, ones, fault)


def _is_id(cell: Any) -> bool:
    text = str(cell) if isinstance(cell, str | int) and not isinstance(cell, bool) else ""
    return bool(text) and text.isprintable() and not any(map(str.isspace, text)) and len(text) <= columns.WIDEST

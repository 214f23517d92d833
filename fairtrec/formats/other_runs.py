"""Runs that are no TREC files: named columns, told by their content, MS MARCO's three columns, TREC Fair's.

Those of MS MARCO, ``qid docno rank``, and of four columns, ``qid docno rank score``, are read where that is said, and
never guessed: of three columns the last may be anything, and qrels have four. Those of TREC Fair Ranking 2021 and 2022,
ranked pages of Wikimedia, are ``id page_id``, or ``id seq_no page_id`` for several rankings of each query, and told by
a first line that says so; rank is the order of the lines of a ranking, wherever they stand. Those whose columns have
names are read by ``named_columns.py``.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fairtrec.formats import cited_answers, columns, named_columns
from fairtrec.formats.columns import FileColumns, Layout
from fairtrec.formats.frames import Frame, read_run_columns
from fairtrec.formats.named_columns import WantedColumns
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import compression, opening
from fairtrec.support.files.answer_files import AnswerRun, detect_answers, is_start
from fairtrec.support.literals import DOCUMENT, QUERY, RANK, SCORE, RankedBy, RecordForm, RunFormat

TAG = ("tag", "run_tag", "system")
WANTED = WantedColumns("run", (*QUERY, *DOCUMENT, *SCORE, *RANK, *TAG), (*SCORE, *RANK), "score")
COLUMNS_OF: dict[RunFormat, tuple[int, ...]] = {"4-columns": (4,), "msmarco": (3,), "trec-fair": (2, 3)}
FOUR = Layout("run of four columns", {"qid": "blocks", "docno": "text", "rank": "int", "score": "float"})
MARCO = Layout("run of MS MARCO", {"qid": "blocks", "docno": "text", "rank": "int"})
HINTS: dict[RunFormat, str] = {
    "trec-fair": "2 columns instead of 6; if they are TREC Fair's id page_id, add --run-format trec-fair "
    '(run_format="trec-fair")',
    "4-columns": "4 columns instead of 6; if they are qid docno rank score, add --run-format 4-columns "
    '(run_format="4-columns")',
    "msmarco": "three columns may be MS MARCO's (qid docno rank) or TREC Fair's (id seq_no page_id); "
    'add --run-format msmarco or trec-fair (run_format="msmarco")',
}  # of what is never guessed
LOOKS: dict[RecordForm, str] = {
    "jsonl": "JSON lines", "json": "one JSON object", "table": "a table with named columns", "parquet": "Parquet",
}  # fmt: skip
FAIR = {(b"id", b"page_id"), *((b"id", name, b"page_id") for name in (b"seq_no", b"rep_number"))}  # TREC's first lines
LONGEST_TAG = 256  # letters


def read_declared(path: FilePath, form: RunFormat, order: RankedBy, *, sampled: bool) -> FileColumns | None:
    """Read a run as it is said to be; None for what is read as TREC's."""
    kind = settle_format(path, form)
    return None if kind == "trec" else read(path, kind, order, sampled=sampled)


def settle_format(path: FilePath, form: RunFormat) -> RunFormat:
    """Settle how a run is read; others than files of so many columns as what was said has tell themselves."""
    if isinstance(path, AnswerRun) and form in ("auto", "rag"):
        return "rag"
    if form in ("trec", "rag", *named_columns.FORMS) or (form in COLUMNS_OF and opening.is_stream(path)):
        return form
    return detect_kind(path, said=form if form in COLUMNS_OF else None)


def read_detected(path: FilePath, fault: InputError, order: RankedBy, *, sampled: bool) -> FileColumns:
    """Read a run that is no TREC file, as ``fault`` says, if its content tells what it is.

    Raises the fault if it does not, and InputError for what looks like a form that is never guessed.
    """
    kind = detect_kind(path)
    if kind != "trec":
        return read(path, kind, order, sampled=sampled)
    if opening.is_stream(path):
        start = opening.peek_stream(path)
        if is_start(start):
            return cited_answers.read(path)  # which refuses a stream
        if (record := named_columns.detect_form(start)) is not None:
            looks = f"this looks like {LOOKS[record]}, which cannot be detected in a stream; add --run-format {record}"
            raise InputError(f'{looks} (run_format="{record}")', path, fault.line)
        raise fault
    with suppress(InputError):
        if (form := guess(opening.first_line(path, b"#")[1].split())) is not None:
            fault = InputError(HINTS[form], path, fault.line)
    raise fault


def detect_kind(path: FilePath, *, said: RunFormat | None = None) -> RunFormat:
    """Tell by the start of a file what it is. Of a stream it tells nothing.

    What was ``said`` has so many columns, whatever stands in them, so that a rank that is none is called so.
    """
    if opening.is_stream(path):
        return "trec"
    if detect_answers(path) is not None:
        return "rag"
    start = named_columns.read_start(path)
    if (form := named_columns.detect_form(start)) is not None:
        return form
    try:
        _, line, _ = opening.first_line(path, b"#")
    except InputError:
        return "trec"
    cells = line.split()
    if said is not None and len(cells) in COLUMNS_OF[said]:
        return said
    return "trec-fair" if _is_header(cells) else "trec"


def guess(cells: Sequence[bytes]) -> RunFormat | None:
    """Guess the form of a line that only whoever wrote it knows: id page_id, qid docno rank, or qid docno rank score.

    >>> guess(b"q1 d7 1".split()), guess(b"q1 d7 1 0.5".split()), guess(b"7 8".split()), guess(b"q1 0 d7 1".split())
    ('msmarco', '4-columns', 'trec-fair', None)
    """
    if len(cells) == 2 and all(map(bytes.isdigit, cells)):
        return "trec-fair"
    if len(cells) == 3 and cells[2].isdigit():
        return "msmarco"
    return "4-columns" if len(cells) == 4 and cells[2].isdigit() and is_number(cells[3]) else None


def is_number(cell: bytes) -> bool:
    """Tell whether a cell is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read(
    path: FilePath, form: RunFormat, order: RankedBy, *, sampled: bool = False, ranks: bool = False
) -> FileColumns:
    """Read a run in one of these forms: its columns are qid, docno, tag, and what ranks it, ``rank`` or ``score``.

    ``ranks`` are read beside the scores if there are any.

    Raises InputError for what is not in this form.
    """
    frame: Frame | None = None
    if form == "rag":
        return cited_answers.read(path, sampled=sampled)
    if form == "trec-fair":
        table = _fair(path)
        if sampled and "Q0" not in table.columns:
            raise InputError("this file has one ranking of each query (id page_id); leave out --samples", path)
    elif sampled:
        raise InputError("only TREC files can have several rankings for each query; leave out --samples", path)
    elif form == "4-columns":
        table = columns.read(path, FOUR)
    elif form == "msmarco":
        table = columns.read(path, MARCO)
        table.columns["score"] = -table.columns["rank"].astype(np.float64)
    else:
        assert form in named_columns.FORMS
        frame, blocks = named_columns.read(path, form, WANTED)
        table = FileColumns(path, {}, blocks)
        qids, docnos, values = read_run_columns(frame, order)
        ranked = {"rank": -values} if order == "rank" else {"score": values}
        table.columns.update({"qid": qids, "docno": docnos, **ranked})
        if ranks and frame.find(RANK) is not None:
            table.columns["rank"] = frame.take_integers(RANK)
    table.columns["tag"] = _tag(path, frame)
    return table


def _is_header(cells: Sequence[bytes]) -> bool:
    return tuple(cell.lower() for cell in cells) in FAIR


def _fair(path: FilePath) -> FileColumns:
    cells = opening.first_line(path, b"#")[1].split()
    kinds: dict[str, columns.Cell] = {"qid": "text", "Q0": "text"} if len(cells) == 3 else {"qid": "blocks"}
    table = columns.read(path, Layout("run of TREC Fair Ranking", {**kinds, "docno": "text"}, _is_header(cells)))
    table.columns["rank"] = np.arange(1, len(table.columns["docno"]) + 1)
    table.columns["score"] = -table.columns["rank"].astype(np.float64)
    return table


def _tag(path: FilePath, frame: Frame | None = None) -> Any:
    """Take the tag of the first row, without blanks; a run that has none is called by its file."""
    tag: Any = None
    if frame is not None and frame.find(TAG) is not None:
        tag = next(frame.objects(TAG, np.zeros(1, dtype=np.int64)))
    if not isinstance(tag, str) or not tag.isprintable() or len(tag) > LONGEST_TAG:
        tag = compression.strip_suffix(opening.name(path))
    return np.array(["_".join(tag.split()).encode(errors="replace") or b"run"])

"""Runs that are no TREC files: which form of ``run_forms.py`` a file has, and its columns.

Columns between white space are read here. Three or four columns are read only with ``--run-format``: of three the last
may be anything, and qrels have four. ``guess`` chooses the option that a message recommends. TREC Fair Ranking 2021 and
2022, ranked pages of Wikimedia, have a first line that declares the form; the order of the lines is the rank.
"""

from collections.abc import Sequence
from contextlib import suppress
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data.uneven_ids import lay_out_unevenly
from fairtrec.formats import columns, memory_bounds, named_columns
from fairtrec.formats.column_roles import NO_ROLES, Roles, describe_header
from fairtrec.formats.columns import FileColumns, Layout
from fairtrec.formats.run_forms import FORMS, RunForm
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import compression, json_text, opening
from fairtrec.support.files.arguments import is_run_line
from fairtrec.support.files.table_header import describe_semicolons, find_header, find_names
from fairtrec.support.literals import BY_RANK, DOCUMENT, QUERY, RankedBy, RunFormat

LONGEST_TAG = 256  # letters
COLUMNS = 6  # of TREC
NAMED = "add --columns qid=COLUMN,docno=COLUMN"
CELLS: dict[str, columns.Cell] = {"qid": "blocks", "Q0": "text", "docno": "text", "rank": "int", "score": "float"}


def read_declared(
    path: FilePath, form: RunFormat, order: RankedBy, *, sampled: bool, roles: Roles = NO_ROLES
) -> FileColumns | None:
    """Read a run as it is said to be; None for what is read as TREC's."""
    kind = settle_table(path, form) if roles else settle_format(path, form)
    return None if kind == "trec" else read(path, kind, order, sampled=sampled, roles=roles)


def settle_table(path: FilePath, form: RunFormat) -> RunFormat:
    """Settle what kind of table a run is whose columns have roles. Raises UsageError for what has no named columns.

    What no content tells, as of a stream, is a table below a line of names, unless its first line is one of TREC's.
    """
    said = FORMS.get(getattr(path, "run_form", form) if form == "auto" else form)
    if said is None:
        start = b"" if opening.is_stream(path) else named_columns.read_start(path)
        said = _tell(path, start)
        if said is not None and said.name == "json" and start.lstrip()[:1] == b"{":
            said = FORMS["jsonl"]  # an object of queries has no columns
        if said is None:
            cells = start.partition(b"\n")[0].split()
            said = FORMS["trec" if len(cells) == COLUMNS and is_run_line(cells) else "table"]
    if not said.is_table:
        kind = said.called or ("a TREC run" if said.name == "trec" else f"a run of {said.name}")
        raise UsageError(f"--columns is for tables; {fspath(path)} is {kind}")
    return said.name


def settle_format(path: FilePath, form: RunFormat) -> RunFormat:
    """Settle how a run is read; others than files of so many columns as what was said has tell themselves."""
    if form == "auto":
        form = getattr(path, "run_form", form)
    said = FORMS.get(form)
    if said is not None and (not said.columns or opening.is_stream(path)):
        return form
    return detect_kind(path, said)


def is_table(path: FilePath) -> bool:
    """Tell by the start of a file whether it is a run whose columns have names. Of a stream it tells nothing."""
    form = None if opening.is_stream(path) else _tell(path, named_columns.read_start(path))
    return form is not None and form.is_table


def list_names(path: FilePath) -> list[str]:
    """List the names of the columns of a table, known ones or not; none of another file, and of a stream."""
    start = b"" if opening.is_stream(path) else named_columns.read_start(path)
    form, line = named_columns.detect_form(start), start.partition(b"\n")[0]
    with suppress(InputError, json_text.JsonError):
        if form == "parquet":
            with memory_bounds.open_parquet(path, "a run", ()) as file:
                return list(file.schema_arrow.names)
        if form == "jsonl":
            found = json_text.parse(line)
            return list(found) if isinstance(found, dict) else []
    header = find_header(line.decode(errors="replace")) if form == "table" else None
    header = header or (find_names(line.decode(errors="replace")) if form is None else None)
    return [] if header is None else [*header.written]


def read_detected(path: FilePath, fault: InputError, order: RankedBy, *, sampled: bool) -> FileColumns:
    """Read a run that is no TREC file, as ``fault`` says, if its content tells what it is.

    Raises the fault if it does not, and InputError for what looks like a form that is never guessed.
    """
    kind = detect_kind(path)
    if kind != "trec":
        return read(path, kind, order, sampled=sampled)
    if opening.is_stream(path):
        if (form := _tell(path, opening.peek_stream(path))) is not None:
            _refuse_stream(path, form)
            looks = f"this looks like {form.called}, which cannot be detected in a stream"
            raise InputError(f"{looks}; add --run-format {form.name}", path, fault.line)
        first, end, _ = opening.peek_stream(path).partition(b"\n")
        advice = describe_header(first.decode(errors="replace")) if end and not is_run_line(first.split()) else ""
        raise InputError(advice, path, fault.line) if advice else fault
    with suppress(InputError):
        if tag := find_blank_tag(path):
            fault = InputError(f'the tag "{tag}" has blanks; fairtrec validate --fix joins them by _', path, fault.line)
            raise fault
        number, line, _ = opening.first_line(path, b"#")
        form = guess(line.split())
        text = line.decode(errors="replace")
        if form is not None and len(line.split()) == 2 and (header := find_names(text)) is not None:
            is_known = any(header.find_column(names) is not None for names in (QUERY, DOCUMENT))
            advice = describe_header(text) if is_known else f"{form.advice}; if they are names, {NAMED}"
            fault = InputError(advice, path, number)
        elif form is None and not is_run_line(line.split()) and (advice := describe_header(text)):
            fault = InputError(advice, path, number)
        elif advice := describe_semicolons(text, (None,)) if form is None else form.advice:
            fault = InputError(advice, path, fault.line)
    raise fault


def detect_kind(path: FilePath, said: RunForm | None = None) -> RunFormat:
    """Tell by the start of a file what it is. Of a stream it tells nothing.

    What was ``said`` has so many columns, whatever stands in them, so that a rank that is none is called so.
    """
    if opening.is_stream(path):
        return "trec"
    if (form := _tell(path, named_columns.read_start(path))) is not None:
        return form.name
    try:
        cells = opening.first_line(path, b"#")[1].split()
    except InputError:
        return "trec"
    if said is not None and len(cells) in (len(names.split()) for names in said.columns):
        return said.name
    return next((form.name for form in FORMS.values() if _is_head(form, cells)), "trec")


def guess(cells: Sequence[bytes]) -> RunForm | None:
    """Guess for a message the form of a line, by its number of columns and by ranks and scores.

    A line of three columns without a rank has only whole numbers.

    >>> [form and form.name for form in map(guess, (b"q1 d7 1".split(), b"q1 d7 1 0.5".split(), b"q1 d7".split()))]
    ['msmarco', '4-columns', 'trec-fair']
    >>> guess(b"q1 0 d7 1".split())
    """
    for form in FORMS.values():
        for names in map(str.split, form.columns):
            numbers = {"rank", "score"}.intersection(names) or (names if len(names) > 2 else ())
            if len(names) == len(cells) and all(
                is_number(cell) if name == "score" else cell.isdigit()
                for name, cell in zip(names, cells, strict=True)
                if name in numbers
            ):
                return form
    return None


def find_blank_tag(path: FilePath) -> str:
    """Find a tag with blanks: what follows five cells that can be read, if it is quoted, or the same in all lines.

    Give the first one without its quotation marks, and "" if the lines end otherwise.
    """
    if opening.is_stream(path):
        return ""
    tags: set[bytes] = set()
    first = b""
    for _, line in opening.lines(path, comment=b"#"):
        if line.startswith(b"#"):
            continue
        if not first and len(line.split()) <= COLUMNS:
            return ""
        *cells, tag = line.split(maxsplit=COLUMNS - 1)
        tag, is_quoted = tag.strip(), tag[:1] in (b'"', b"'") and tag.strip()[-1:] == tag[:1]
        tags |= set() if is_quoted else {tag}
        is_tag = b"\r" not in tag and not is_number(tag.split(maxsplit=1)[0])  # no lines, and no score
        if len(cells) < COLUMNS - 1 or not all(map(is_number, cells[3:])) or not is_tag or len(tags) > 1:
            return ""
        first = first or tag
    return first.strip(b"\"'").decode(errors="replace")


def is_number(cell: bytes) -> bool:
    """Tell whether a cell is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read(
    path: FilePath,
    name: RunFormat,
    order: RankedBy,
    *,
    sampled: bool = False,
    ranks: bool = False,
    roles: Roles = NO_ROLES,
) -> FileColumns:
    """Read a run in one of these forms: its columns are qid, docno, tag, and what ranks it, ``rank`` or ``score``.

    ``ranks`` are read beside the scores if there are any; ``roles`` says which columns of a table are what.

    Raises InputError for what is not in this form, and what the row of the form refuses.
    """
    form = FORMS[name]
    _refuse_stream(path, form)
    has_several = form.is_table or form.numbers_rankings or any("Q0" in names for names in form.columns)
    if sampled and not has_several:
        raise InputError(f"{form.one_ranking}; leave out --samples", path)
    more: dict[str, Any] = {"sampled": sampled} if form.is_table or form.numbers_rankings else {}
    more |= {"roles": roles} if form.is_table else {}
    table: FileColumns = (
        form.reader.read(path, name, order, ranks=ranks, **more) if form.module else _read_columns(path, form, order)
    )
    if sampled and "Q0" not in table.columns:
        raise InputError(f"{form.one_ranking}; leave out --samples", path)
    if order in BY_RANK and "rank" not in table.columns:
        raise InputError(f"a run of {form.called or form.name} has no ranks; leave out --order {order}", path)
    table.columns["tag"] = _spell_tag(table.columns.get("tag"), path)
    if (left := lay_out_unevenly([table.columns["docno"]])) is not None:
        table.columns["docno"] = left
    return table


def _tell(path: FilePath, start: bytes) -> RunForm | None:
    asked = {form.module: form for form in FORMS.values() if form.module}  # a module may read several forms
    named = (form.reader.tell(path, start) for form in asked.values())
    return next((FORMS[name] for name in named if name is not None), None)


def _refuse_stream(path: FilePath, form: RunForm) -> None:
    if form.no_stream and opening.is_stream(path):
        raise UsageError(form.no_stream)


def _is_head(form: RunForm, cells: Sequence[bytes]) -> bool:
    return b" ".join(cells).lower() in form.heads


def _read_columns(path: FilePath, form: RunForm, order: RankedBy) -> FileColumns:
    """Read the columns that the row of a form says; the order of lines without score and rank ranks them."""
    cells = opening.first_line(path, b"#")[1].split() if form.heads or form.columns[1:] else []
    several = [names.split() for names in form.columns]
    names = next((names for names in several if len(names) == len(cells)), several[0])
    kinds = {name: CELLS[name] for name in names} | ({"qid": CELLS["docno"]} if "Q0" in names else {})
    table = columns.read(path, Layout(form.what, kinds, _is_head(form, cells), has_comments=True))
    found = table.columns
    if "score" not in names:
        places = found["rank"] if "rank" in names else np.arange(1, len(found["docno"]) + 1)
        found["score"] = -places.astype(np.float64)
        if order == "rank":
            found["rank"] = places
    return table


def _spell_tag(tag: Any, path: FilePath) -> Any:
    """Write a tag without blanks; a run that has none is called by its file."""
    if not isinstance(tag, str) or not tag.isprintable() or len(tag) > LONGEST_TAG:
        tag = compression.strip_suffix(opening.name(path))
    return np.array(["_".join(tag.split()).encode(errors="replace") or b"run"])

"""What documents belong to, by labels of groups, or where they stand, by positions on axes of opinion; between tabs.

Labels are ``docno group [weight]``, or per query ``qid docno group [weight]``. A first line that names these columns
settles which they are. Without one, two columns are docno and group, four are all, and of three the last is a weight if
it is a number, else a group. The group ``?`` says that nothing is known, ``-`` that the document is of none of the
groups. JSON lines have the same names as keys, Parquet files as columns.

Positions are ``docno x [y ...]``, or per query ``qid docno x [y ...]``. A first line whose first column is called
``docno`` or ``qid`` is a header and settles which they are. It may be left out where there is no doubt: two columns are
docno and x, and of more the second is a docno if it is no number.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Docnos, Floats, Labels, Positions, Qrels, by_number, decode, is_number
from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening
from fairtrec.files.whole_lines import object_of
from fairtrec.formats import bounded, tsv
from fairtrec.formats.columns import WIDEST

ROUNDING = 1e-5  # by which weights of votes may exceed 1
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
)  # and what ends lines; other marks may be in names
AT_ONCE = 1 << 12  # rows of Parquet that become objects of Python
UNPOINTED = b" | sign:arbitrary"  # ends the signature of `fairtrec positions` where no labels point the axes
EXAMPLE = '{"docno": ..., "group": ...}'
NAMES = {2: ("docno", "group"), 4: ("qid", "docno", "group", "weight")}
Label = tuple[int | None, str, str, str, float]  # line, qid ("" for any), docno, group, weight
Votes = dict[tuple[str, str], dict[str, float]]  # of each qid and docno: groups, and their weights


def read(path: FilePath) -> Labels:
    """Read labels. Raises InputError for a bad line, a weight outside 0..1, and a label that stands twice."""
    return of_rows(rows(path), path)


def of_rows(rows: Iterable[Label], path: FilePath) -> Labels:
    """Collect labels, each a document and a group, with a weight between 0 and 1.

    Raises InputError for a bad weight, a label that stands twice, and a document that is of none of the groups and yet
    of one, unless these weights are votes, whose sum is at most 1.
    """
    weights, line = by_document(rows, path)
    names = {group for of_document in weights.values() for group in of_document}
    groups = tuple(sorted(names - {UNKNOWN, NONE}))
    if len(groups) < 2:
        raise InputError("these labels have fewer than two groups; fairness needs at least two", path)
    per_query = any(qid for qid, _ in weights)
    if per_query and not all(qid for qid, _ in weights):
        raise InputError("some of these labels have a qid and others have none; give it to all or to none", path)
    docnos, table = Docnos.with_values(
        (f"{qid} {docno}".strip() for qid, docno in weights), tabled(weights.values(), groups)
    )
    digest = opening.sha256(path) if line else ""
    none = NONE in names or not table.any(axis=1).all()
    order = _order(groups, path)
    return Labels(opening.name(path), groups, docnos, table, per_query, digest, order=order, none=none)


def _order(groups: Sequence[str], path: FilePath) -> tuple[str, ...]:
    """Order groups that are numbers. Raises InputError where two are the same number."""
    order = by_number(groups)
    for one, other in pairwise(order):
        if float(one) == float(other):
            raise InputError(f"the groups {one} and {other} are the same number; write it in one way", path)
    return order


def by_document(rows: Iterable[Label], path: FilePath) -> tuple[Votes, int | None]:
    """Collect the weights of each document, and tell which line was the last. Raises InputError as ``of_rows`` does."""
    weights: Votes = {}
    line: int | None = None
    for line, qid, docno, group, weight in rows:
        if not 0 <= weight <= 1:
            raise InputError(f"the weight {weight:g} of {docno} is not between 0 and 1; correct it", path, line)
        of_document = weights.setdefault((qid, docno), {})
        if group in of_document:
            raise InputError(f"document {docno} has the label {group} twice; keep one", path, line)
        of_document[group] = weight
        if NONE in of_document and sum(of_document.values()) > 1 + ROUNDING:
            others = ", ".join(name for name in of_document if name != NONE)
            what = f"document {docno} is of none of the groups ({NONE}), and of {others}"
            raise InputError(f"{what}; keep one, or give weights that sum to at most 1", path, line)
    return weights, line


def tabled(several: Collection[Mapping[str, float]], groups: Sequence[str]) -> Floats:
    """Put the weights of documents into a table [document, group]: nan of which nothing is known."""
    column = {group: i for i, group in enumerate(groups)}
    table = np.zeros((len(several), len(groups)))
    for row, of_document in enumerate(several):
        if UNKNOWN in of_document:
            table[row] = np.nan
            continue
        for group, weight in of_document.items():
            if group != NONE:
                table[row, column[group]] = weight
    return table


def of_subtopics(qrels: Qrels) -> Labels:
    """Take the subtopics of diversity judgements as groups: a document belongs to those it is relevant to."""
    rows = zip(qrels.query.tolist(), decode(qrels.docnos), decode(qrels.iterations), qrels.grades.tolist(), strict=True)
    relevant = ((None, qrels.qids[q], docno, topic, 1.0) for q, docno, topic, grade in rows if grade > 0)
    return replace(of_rows(relevant, "qrels"), own=True, order=())


def rows(path: FilePath) -> Iterator[Label]:
    """Read labels one after the other. Raises InputError for a bad line."""
    if fspath(path).endswith(".parquet"):
        yield from _parquet(path)
    else:
        yield from of_lines(opening.lines(path, comment=b"#"), path)


def of_lines(numbered: Iterator[tsv.NumberedLine], path: FilePath) -> Iterator[Label]:
    """Take labels from lines between tabs, or of JSON. Raises InputError for a bad one."""
    (number, first), lines = tsv.begun(numbered)
    if not number:
        return
    if first.lstrip().startswith(b"{"):
        for number, line in lines:
            yield label(object_of(line, EXAMPLE, path, number), path, number)
        return
    names, header = _names(first.decode().split("\t"), path, number)
    wrong = f"{{}} columns where the first line has {len(names)}; write: {' '.join(names)}"
    for number, cells in tsv.rows(islice(lines, int(header), None), path, (len(names),), wrong):
        yield label(dict(zip(names, cells, strict=True)), path, number)


def _names(cells: list[str], path: FilePath, number: int) -> tuple[tuple[str, ...], bool]:
    """Tell what the columns are, and whether this line is the header that says so."""
    stripped = tuple(cell.strip() for cell in cells)
    if "docno" in stripped and "group" in stripped and set(stripped) <= set(NAMES[4]):
        return stripped, True
    if len(cells) == 3:
        return (("docno", "group", "weight") if is_number(stripped[2]) else ("qid", "docno", "group")), False
    if len(cells) not in NAMES:
        message = "columns where labels have docno, group and perhaps qid and weight; separate them by tabs"
        raise InputError(f"{len(cells)} {message}", path, number)
    return NAMES[len(cells)], False


def _parquet(path: FilePath) -> Iterator[Label]:
    import pyarrow as pa

    number = 0
    try:
        with bounded.parquet(path, NAMES[4]) as file:
            names = [name for name in file.schema_arrow.names if name in NAMES[4]]
            for batch in file.iter_batches(AT_ONCE, columns=names):
                for number, row in enumerate(batch.to_pylist(), number + 1):  # noqa: B020 - it goes on counting
                    yield label({name: value for name, value in row.items() if value is not None}, path, number)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as fault:  # text that is no UTF-8, a year 30000
        why = str(fault).splitlines()[0]
        raise InputError(f"this is no Parquet file of labels ({why}); write it again", path) from None


def label(cells: dict[str, Any], path: FilePath, number: int | None) -> Label:
    """Take a label from its cells by name. Raises InputError for what is missing or wrong."""
    qid, docno, group = (_word(cells.get(name, "")) for name in ("qid", "docno", "group"))
    if not docno or not group or qid is None or " " in qid + docno:
        raise InputError("this label has no docno or no group; give both as text", path, number)
    weight = cells.get("weight", 1)
    if not is_number(weight):
        raise InputError(f"the weight {weight!r} is not a number; correct it", path, number)
    return number, qid, docno, group, float(weight)


def _word(cell: Any) -> str | None:
    """Take a name that can be written on a line, as a run has it; None if it is none."""
    if isinstance(cell, bytes):
        cell = cell.decode(errors="replace")
    word = str(cell) if isinstance(cell, str | int) and not isinstance(cell, bool) else None
    printable = word is not None and len(word) <= WIDEST and not _CONTROL.search(word)
    return word if printable else None


def positions(path: FilePath) -> Positions:
    """Read positions. Raises InputError for a bad line, a position that is not finite, a document that stands twice."""
    comments: list[bool] = []  # whether each ends a signature of axes that nothing points

    def entries() -> Iterator[tsv.NumberedLine]:
        for number, line in opening.lines(path):
            if line.startswith(b"#"):
                comments.append(line.rstrip().endswith(UNPOINTED))
            else:
                yield number, line

    (number, first), lines = tsv.begun(entries())
    cells = [cell.strip() for cell in first.decode().split("\t")]
    header = cells[0] in ("docno", "qid")
    if not header and len(cells) > 2 and is_number(cells[1]):
        advice = "Write a first line that says so: docno x y, or qid docno x"
        raise InputError(f"is column 2 a docno or a position? {advice}", path, number)
    keys = 2 if (cells[0] == "qid" if header else len(cells) > 2) else 1  # columns before the positions
    many = (len(cells),) if len(cells) > keys else ()
    wrong = "{} columns; write docno, or qid and docno, then a position on each axis, between tabs"
    places: dict[str, list[float]] = {}
    for number, cells in tsv.rows(islice(lines, int(header), None), path, many, wrong, filled=keys):
        name, numbers = " ".join(cells[:keys]), cells[keys:]
        if not all(map(is_number, numbers)):
            raise InputError(f"a position of {name} is not a finite number; correct it", path, number)
        if name in places:
            raise InputError(f"document {name} has two positions; keep one", path, number)
        places[name] = list(map(float, numbers))
    if not places:
        raise InputError("this file has no positions; write: docno<TAB>position", path)
    values = np.array(list(places.values()))
    return Positions(*Docnos.with_values(places, values), per_query=keys == 2, pointed=not any(comments))

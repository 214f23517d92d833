"""What documents belong to, by labels of groups, or where they stand, by positions on axes of opinion; between tabs.

Labels are ``docno group [weight]``, or per query ``qid docno group [weight]``. A first line that names these columns
settles which they are. Without one, two columns are docno and group, four are all, and of three the last is a weight if
it is a number, else a group. A column that such a line calls ``count`` holds any number of 0 or more in the place of a
weight. The group ``?`` says that nothing is known, ``-`` that the document is of none of the groups. JSON lines have
the same names as keys, Parquet files as columns; ``fields.py`` reads them, and the fields of any other table.

Positions are ``docno x [y ...]``, or per query ``qid docno x [y ...]``. A first line whose first column is called
``docno`` or ``qid`` is a header and settles which they are. It may be left out where there is no doubt: two columns are
docno and x, and of more the second is a docno if it is no number.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data import NONE, Docnos, Labels, Positions, Qrels, encoded, is_number
from fairtrec.formats import fields, tsv
from fairtrec.formats.label_columns import LabelColumns
from fairtrec.formats.taking import LACKING, ROUNDING, Taking, is_id, word
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import LabelSource

UNPOINTED = b" | sign:arbitrary"  # ends the signature of `fairtrec positions` where no labels point the axes
Label = tuple[int | None, str, str, str, float]  # line, qid ("" for any), docno, group, weight
Votes = dict[tuple[str, str], dict[str, float]]  # of each qid and docno: groups, and their weights


def read(given: FilePath | LabelSource, how: Taking | None = None) -> Labels:
    """Read labels, or a field of another table; ``how`` says how they are taken.

    Raises InputError for a bad line, a weight outside 0..1, a label that stands twice, and a field that is not there.
    """
    source = given if isinstance(given, LabelSource) else LabelSource(fspath(given))
    found = fields.of_table(LabelColumns(source.name, source.cuts, how, strict=not source.field), source.field)
    return found.labels(str(source._replace(name=opening.name(source.name))), opening.sha256(source.name))


def rows(path: FilePath) -> Iterator[Label]:
    """Read labels one after the other. Raises InputError for a bad line."""
    return fields.of_table(LabelColumns(path, strict=True)).rows()


def of_subtopics(qrels: Qrels, how: Taking | None = None) -> Labels:
    """Take the subtopics of diversity judgements as groups: a document belongs to those it is relevant to."""
    found, relevant = LabelColumns("qrels", (), how), np.flatnonzero(qrels.grades > 0)
    qids = encoded(qrels.qids)[qrels.query[relevant]]
    found.add(qrels.docnos[relevant], found.coded(qrels.iterations[relevant].tolist()), qids=qids)
    return replace(found.labels("qrels"), own=True, order=())


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
    wrong = "{} column{}; write docno, or qid and docno, then a position on each axis, between tabs"
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


def by_document(rows: Iterable[Label], path: FilePath) -> Votes:
    """Collect the weights of each document.

    Raises InputError for a bad weight, a label that stands twice, and a document that is of none of the groups and yet
    of one, unless these weights are votes, whose sum is at most 1.
    """
    weights: Votes = {}
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
    return weights


def label(cells: dict[str, Any], path: FilePath, number: int | None) -> Label:
    """Take a label from its cells by name. Raises InputError for what is missing or wrong."""
    given = [cells.get(name, "") for name in ("qid", "docno", "group")]
    qid, docno, group = (word(cell) if isinstance(cell, bytes) or is_id(cell) else None for cell in given)
    if not docno or not group or qid is None or " " in qid + docno:
        raise InputError(LACKING, path, number)
    weight = cells.get("weight", 1)
    if not is_number(weight):
        raise InputError(f"the weight {weight!r} is not a number; correct it", path, number)
    return number, qid, docno, group, float(weight)

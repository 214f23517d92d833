"""The votes of people, one label after the other, each of a document, a group and a weight."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Floats, is_number
from fairtrec.errors import FilePath, InputError
from fairtrec.formats.label_columns import ROUNDING
from fairtrec.formats.label_words import LACKING, is_id, word

Label = tuple[int | None, str, str, str, float]  # line, qid ("" for any), docno, group, weight
Votes = dict[tuple[str, str], dict[str, float]]  # of each qid and docno: groups, and their weights


def by_document(rows: Iterable[Label], path: FilePath) -> tuple[Votes, int | None]:
    """Collect the weights of each document, and tell which line was the last.

    Raises InputError for a bad weight, a label that stands twice, and a document that is of none of the groups and yet
    of one, unless these weights are votes, whose sum is at most 1.
    """
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


def label(cells: dict[str, Any], path: FilePath, number: int | None) -> Label:
    """Take a label from its cells by name. Raises InputError for what is missing or wrong."""
    qid, docno, group = (_word(cells.get(name, "")) for name in ("qid", "docno", "group"))
    if not docno or not group or qid is None or " " in qid + docno:
        raise InputError(LACKING, path, number)
    weight = cells.get("weight", 1)
    if not is_number(weight):
        raise InputError(f"the weight {weight!r} is not a number; correct it", path, number)
    return number, qid, docno, group, float(weight)


def _word(cell: Any) -> str | None:
    return word(cell) if isinstance(cell, bytes) or is_id(cell) else None

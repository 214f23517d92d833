"""Columns of the runs' own tables that say something of documents or queries: groups, clusters, slices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairtrec.data import UNKNOWN, Labels, decode, digest_texts
from fairtrec.formats import label_files
from fairtrec.formats.column_roles import OwnColumn
from fairtrec.formats.frames import Frame, is_frame
from fairtrec.formats.label_rules import LabelRules
from fairtrec.formats.label_table import LabelTable
from fairtrec.formats.other_runs import settle_table
from fairtrec.support.errors import PATH, UsageError
from fairtrec.support.files import opening
from fairtrec.support.literals import DOCUMENT, QUERY


@dataclass(frozen=True)
class RowKey:
    """What rows are counted by: the role, what a row is of, and the names by which its column is found."""

    role: str
    what: str
    names: Sequence[str]


OF_DOCUMENT, OF_QUERY = RowKey("docno", "document", DOCUMENT), RowKey("qid", "query", QUERY)


def read_groups(own: OwnColumn, how: LabelRules) -> Labels:
    """Read the groups of documents; those of several runs are put together.

    Raises InputError for a document of two labels, and what ``label_files.read_table`` raises.
    """
    found = _fill(own, OF_DOCUMENT, how)
    found.settle_single("label")
    files = [thing for _, thing in own.runs if isinstance(thing, PATH)]
    digests = [opening.sha256(file) for file in files]
    if len(own.runs) == 1:
        where = opening.name(files[0]) if files else own.runs[0][0]
        return found.labels(f"{where}:{own.column}", digests[0] if digests else found.digest())
    return found.labels(own.column, digest_texts((own.column, each) for each in digests) if digests else found.digest())


def read_queries(own: OwnColumn) -> dict[str, str]:
    """Read the cluster or slice of each query; one for which all cells are blank has none.

    Raises InputError for a query that has two.
    """
    found = _fill(own, OF_QUERY, LabelRules())
    qids, codes = found.settle_single(own.role)
    names = list(found.codes.names)
    return {qid: names[code] for qid, code in zip(decode(qids), codes.tolist(), strict=True) if names[code] != UNKNOWN}


def _fill(own: OwnColumn, key: RowKey, how: LabelRules) -> LabelTable:
    """Take the cells of a column from all runs. Raises UsageError for a run that is no table, or is read once only."""
    how = how.read_own(key.what, key.names, own.roles.get(key.role, ""))
    found = LabelTable(own.runs[0][0], (), how)
    for name, thing in own.runs:
        found.start_file(thing if isinstance(thing, PATH) else name)
        if isinstance(thing, PATH):
            if opening.is_stream(thing):
                what = f"{own.role}={own.column} reads the run twice, and a stream can be read once"
                raise UsageError(f"--columns: {what}; pass a file")
            settle_table(thing, "auto")
            label_files.read_table(found, own.column)
        elif is_frame(thing):
            _take_frame(found, thing, name, own, key)
        else:
            raise UsageError(f"--columns is for tables; {name} is none")
    return found


def _take_frame(found: LabelTable, thing: Any, name: str, own: OwnColumn, key: RowKey) -> None:
    """Take the cells of a frame that a caller holds; its rows count as lines."""
    roles = {role: column for role, column in own.roles.items() if role == key.role}
    frame = Frame.wrap(thing, "run", key.names, name, {**roles, own.role: own.column})
    cells = Frame.wrap(thing, "run", (own.column,), name).spell_groups((own.column,))
    groups, codes = np.unique(cells, return_inverse=True)
    found.add(frame.ids(key.names), found.code_groups(decode(groups))[codes], lines=1)

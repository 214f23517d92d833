"""Runs of TREC Fair Ranking 2021 and 2022: ranked pages of Wikimedia.

A run has the columns ``id page_id``, or ``id seq_no page_id`` for several rankings of each query, mostly with a first
line that names them. Rank is the order of the lines of a ranking, wherever they stand.
"""

from collections.abc import Sequence

import numpy as np

from fairtrec.errors import FilePath
from fairtrec.files import opening
from fairtrec.formats import columns
from fairtrec.formats.columns import FileColumns, Layout

HEADERS = {(b"id", b"page_id"), *((b"id", name, b"page_id") for name in (b"seq_no", b"rep_number"))}


def is_header(cells: Sequence[bytes]) -> bool:
    """Tell the first line of such a run."""
    return tuple(cell.lower() for cell in cells) in HEADERS


def run(path: FilePath) -> FileColumns:
    """Read a run: its columns are qid, docno, score, rank, and ``Q0`` where there are several rankings of a query."""
    _, line, _ = opening.first_line(path, b"#")
    cells = line.split()
    what, header = "run of TREC Fair Ranking", is_header(cells)
    if len(cells) == 3:
        layout = Layout(what, {"qid": "text", "Q0": "text", "docno": "text"}, header)
    else:
        layout = Layout(what, {"qid": "blocks", "docno": "text"}, header)
    table = columns.read(path, layout)
    places = np.arange(1, len(table.columns["docno"]) + 1)
    return FileColumns(path, {**table.columns, "rank": places, "score": -places.astype(np.float64)}, table.blocks)

"""Runs whose columns have names, of each form that ``named_columns.py`` reads."""

from typing import Any, cast

import numpy as np

from fairtrec.formats import named_columns
from fairtrec.formats.columns import FileColumns
from fairtrec.formats.frames import read_run_columns
from fairtrec.formats.named_columns import WantedColumns
from fairtrec.support.errors import FilePath
from fairtrec.support.literals import DOCUMENT, QUERY, RANK, SCORE, RankedBy, RecordForm

TAG = ("tag", "run_tag", "system")
WANTED = WantedColumns("run", (*QUERY, *DOCUMENT, *SCORE, *RANK, *TAG), (*SCORE, *RANK), "score")


def tell(_: FilePath, start: bytes) -> RecordForm | None:
    """Tell the form of a file by its start."""
    return named_columns.detect_form(start)


def read(path: FilePath, form: str, order: RankedBy, *, ranks: bool) -> FileColumns:
    """Read a run. Raises InputError for what is not in this form, or has not what ranks it."""
    frame, blocks = named_columns.read(path, cast("RecordForm", form), WANTED)
    qids, docnos, values = read_run_columns(frame, order)
    found: dict[str, Any] = {"qid": qids, "docno": docnos}
    found |= {"rank": -values} if order == "rank" else {"score": values}
    if ranks and frame.find(RANK) is not None:
        found["rank"] = frame.take_integers(RANK)
    if frame.find(TAG) is not None:
        found["tag"] = next(frame.objects(TAG, np.zeros(1, dtype=np.int64)))
    return FileColumns(path, found, blocks, empty=frame.empty)

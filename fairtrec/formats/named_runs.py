"""Runs whose columns have names, of each form that ``named_columns.py`` reads."""

from typing import cast

import numpy as np

from fairtrec.formats import named_columns
from fairtrec.formats.column_roles import NO_ROLES, Roles
from fairtrec.formats.columns import FileColumns
from fairtrec.formats.frames import list_run_names, read_run_columns
from fairtrec.formats.named_columns import WantedColumns
from fairtrec.support.errors import FilePath
from fairtrec.support.literals import RANK, SCORE, RankedBy, RecordForm

TAG = ("tag", "run_tag", "system")


def tell(_: FilePath, start: bytes) -> RecordForm | None:
    """Tell the form of a file by its start."""
    return named_columns.detect_form(start)


def read(
    path: FilePath, form: str, order: RankedBy, *, ranks: bool, sampled: bool = False, roles: Roles = NO_ROLES
) -> FileColumns:
    """Read a run. Raises InputError for what is not in this form, or has not what ranks it.

    ``sampled``  also read which ranking of its query each row belongs to; ``roles`` says which columns are what.
    """
    names = list_run_names(order, ranks=ranks, sampled=sampled)
    wanted = WantedColumns("run", (*names, *TAG), (*SCORE, *RANK), "score", roles)
    frame, blocks = named_columns.read(path, cast("RecordForm", form), wanted)
    found = read_run_columns(frame, order, roles, sampled=sampled)
    if ranks and frame.find(RANK) is not None:
        found["rank"] = frame.take_integers(RANK)
    if frame.find(TAG) is not None:
        found["tag"] = next(frame.objects(TAG, np.zeros(1, dtype=np.int64)))
    return FileColumns(path, found, blocks, empty=frame.empty, has_names=bool(frame.written))

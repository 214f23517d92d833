"""Runs of the TREC 2019 Fair Ranking track: JSON lines, checked against the track's sequences and ground truth."""

import re
from collections.abc import Iterable, Iterator
from os import fspath

import numpy as np

from fairtrec.errors import FilePath, InputError
from fairtrec.formats import trec_fair
from fairtrec.validate import KEPT, Checked, Findings
from fairtrec.validate.reading import Rows

_EMPTY = np.empty(0, dtype=np.int64)


def validate(
    runs: Iterable[FilePath], sequences: FilePath, truth: FilePath, most: int | None = KEPT
) -> Iterator[Checked]:
    """Find the faults of each run; a line that is not JSON of this kind hides those of the rankings."""
    wanted = trec_fair.truth(truth)
    asked = trec_fair.requests(sequences, wanted)
    for path in runs:
        found = Findings(most)
        lines = 0
        try:
            run = trec_fair.rankings(path)
            lines = int(run.line.max(initial=0))
            for fault in trec_fair.faults(run, asked, wanted):
                _add(found, path, fault)
        except InputError as fault:
            _add(found, path, fault)
        none = Rows((), _EMPTY, np.empty(0, "S1"), _EMPTY, np.empty(0), _EMPTY, _EMPTY, lines)
        yield Checked(path, found, none)


def _add(found: Findings, path: FilePath, fault: InputError) -> None:
    """Take a fault apart, which starts with ``file:line:`` or ``file:``."""
    place = re.match(rf"{re.escape(fspath(path))}:(?:(\d+):)? ", str(fault))
    line = int(place[1]) if place is not None and place[1] else None
    found.add("E801", line, str(fault)[place.end() if place is not None else 0 :])

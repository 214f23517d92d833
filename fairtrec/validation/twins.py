"""Runs that are checked together and are the same in what tells runs apart: the tag, or all rankings."""

from hashlib import blake2b
from os import fspath

import numpy as np

from fairtrec.data import fingerprints, starts_of
from fairtrec.ranking.order import by_falling_score
from fairtrec.validation.checked import Checked
from fairtrec.validation.findings import shown
from fairtrec.validation.reading import Entries


class Twins:
    """Remembers the runs that came before, by their tags and by what they rank."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.rankings: dict[bytes, str] = {}

    def look(self, checked: Checked) -> None:
        """Add to the findings of a run which of those before it has its tag, and which its rankings."""
        rows, path = checked.rows, fspath(checked.path)
        if not len(rows.lines):
            return
        first = self.tags.setdefault(rows.tag, path)
        if first != path:
            what = f"the tag is {shown(rows.tag)}, as that of {first}; give each run a tag of its own"
            checked.found.add("W712", None, what)
        if len(rows.broken) or np.isnan(rows.scores).any():
            return  # what it ranks is not known
        first = self.rankings.setdefault(_digest(rows), path)
        if first != path:
            what = f"the same documents in the same order for all queries as {first}; is it the same run?"
            checked.found.add("W713", None, what)


def _digest(rows: Entries) -> bytes:
    """Sum up the rankings of a run, whatever the order of its queries, and whatever its ranks and scores."""
    starts = starts_of(rows.query)
    keys = fingerprints(by_falling_score(starts, rows.docnos, rows.scores)[1])
    digest = blake2b()
    for number in sorted(range(len(starts) - 1), key=lambda number: rows.qids[rows.query[starts[number]]]):
        digest.update(f"{rows.qids[rows.query[starts[number]]]}\n{starts[number + 1] - starts[number]}\n".encode())
        digest.update(keys[starts[number] : starts[number + 1]].tobytes())
    return digest.digest()

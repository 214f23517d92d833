"""Checking runs before they are submitted: all that is wrong with a file, each with its line and a stable code.

``formats/run.py`` stops at the first fault, as an evaluation should; this goes on. What that reader refuses is an error
here, on the same line.
"""

from dataclasses import dataclass

import numpy as np

from fairtrec.data import Docnos, Ints, starts_of
from fairtrec.errors import FilePath
from fairtrec.formats.other_runs import meant
from fairtrec.literals import RunFormat
from fairtrec.validation import other_reading, reading
from fairtrec.validation.checks import Known, check
from fairtrec.validation.codes import CODES, Code, table
from fairtrec.validation.findings import KEPT, Finding, Findings
from fairtrec.validation.reading import Entries

__all__ = ["CODES", "KEPT", "Checked", "Code", "Finding", "Findings", "Known", "examine", "table"]


@dataclass(frozen=True, eq=False)
class Checked:
    """A run with its findings; ``rows`` are those that could be read, without duplicates, by query."""

    path: FilePath
    found: Findings
    rows: Entries

    @property
    def depths(self) -> Ints:
        """The number of documents of each query."""
        return np.diff(starts_of(self.rows.query))

    @property
    def documents(self) -> int:
        """The number of different documents."""
        return len(Docnos.of(self.rows.docnos))


def examine(path: FilePath, known: Known | None = None, most: int | None = KEPT, form: RunFormat = "auto") -> Checked:
    """Find all that is wrong with a run; of each code, ``most`` findings are kept (None: all) and all are counted."""
    kind = meant(path, form)
    found = Findings(most)
    rows = reading.read(path, found) if kind == "trec" else other_reading.read(path, kind, found)
    return Checked(path, found, check(rows, known or Known(), found))

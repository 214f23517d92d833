"""``fairtrec.validate``: all that is wrong with runs, beside whatever the caller has to check them against."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np

from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.evaluation.answer import Answer
from fairtrec.evaluation.signature import Signature
from fairtrec.formats import trec_fair
from fairtrec.formats.trec_fair import Requests, Truth
from fairtrec.literals import RunFormat
from fairtrec.validation import expected
from fairtrec.validation.checked import KEPT, Checked, Findings, Known, examine
from fairtrec.validation.entries import RunEntries
from fairtrec.version import __version__


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Answer):
    """The runs with what is wrong with them; each is examined when it comes, and let go when the next one comes."""

    paths: tuple[str, ...]
    known: Known
    most: int | None
    run_format: RunFormat
    signature: Signature

    def __iter__(self) -> Iterator[Checked]:
        return (examine(path, self.known, self.most, self.run_format) for path in self.paths)

    @cached_property
    def checked(self) -> tuple[Checked, ...]:
        """All of them, kept: what tables, frames and files are made of. Raises InputError for what cannot be read."""
        return tuple(self)


def validate(
    runs: FilePath | Sequence[FilePath],
    *,
    qrels: Any = None,
    queries: Any = None,
    docs: str | None = None,
    docnos: FilePath | None = None,
    depth: int | None = None,
    most: int | None = KEPT,
    run_format: RunFormat = "auto",
) -> Validation:
    """Find all that is wrong with each run: iterate over what this gives, or let it show itself.

    ``runs``    a path, or several.
    ``qrels``   the wanted queries are those of these judgements, as `evaluate` takes them; or ``queries``.
    ``docs``    the collection: a path or an ir_datasets id; or ``docnos``, a file with a docno on each line.
    ``depth``   how many documents are due for each query.
    ``most``    how many findings of each code are kept; None: all. All are counted.
    ``run_format``  what the runs are written as; auto tells TREC, JSON lines and Parquet by their content.

    Raises UsageError for two ways to say the same, InputError for what cannot be read at all.
    """
    several = [runs] if isinstance(runs, str | PathLike) else list(runs)
    if not all(isinstance(run, str | PathLike) for run in several):
        raise UsageError("files are validated, of which lines can be named; write each run to one, and give its path")
    paths = [fspath(path) for path in several]
    known = expected.known(paths, qrels=qrels, queries=queries, docs=docs, docnos=docnos, depth=depth)
    beside = {"qrels": qrels, "queries": queries, "docs": docs, "docnos": docnos, "depth": depth}
    told = {name: str(value) for name, value in beside.items() if isinstance(value, str | PathLike | int)}
    return Validation(tuple(paths), known, most, run_format, Signature({"fairtrec": __version__, **told}))


_EMPTY = np.empty(0, dtype=np.int64)


def validate_trec_fair(
    runs: Iterable[FilePath], requests: Requests, truth: Truth, most: int | None = KEPT
) -> Iterator[Checked]:
    """Find the faults of each run; a line that is not JSON of this kind hides those of the rankings."""
    for path in runs:
        found = Findings(most)
        lines = 0
        try:
            run = trec_fair.rankings(path)
            lines = int(run.line.max(initial=0))
            for fault in trec_fair.faults(run, requests, truth):
                found.add("E801", fault.line, fault.message)
        except InputError as fault:
            found.add("E801", fault.line, fault.message)
        none = RunEntries((), _EMPTY, np.empty(0, "S1"), _EMPTY, np.empty(0), _EMPTY, _EMPTY, lines)
        yield Checked(path, found, none)

"""Which documents runs expose, and how much: the frame from which gold labels are drawn, and their weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Docnos, Docs, Floats, Ints, Run
from fairtrec.formulas import discount


@dataclass(frozen=True, eq=False)
class Exposures:
    """What each run exposes of documents, or of documents of queries: rows of ``names``, and the exposure of each.

    A name is a docno, or ``qid docno``. ``of_runs`` has for each run the rows that it ranks, each once, and their sums
    of 1 / log2(1 + rank) over all its queries.
    """

    names: Docnos
    of_runs: tuple[tuple[Ints, Floats], ...]

    @property
    def size(self) -> Floats:
        """The root of the mean square over the runs [row], by which documents are drawn."""
        return np.sqrt(self._total(2) / len(self.of_runs))

    @property
    def mean(self) -> Floats:
        """The mean over the runs [row]."""
        return self._total(1) / len(self.of_runs)

    def _total(self, power: int) -> Floats:
        """Sum over the runs [row], with what rounding takes from each step: to the last digit in whatever order."""
        total, lost = np.zeros(len(self.names)), np.zeros(len(self.names))
        for rows, weights in self.of_runs:
            before, more = total[rows], weights**power
            after = before + more
            added = after - before
            lost[rows] += (before - (after - added)) + (more - added)
            total[rows] = after
        return total + lost

    def variance(self, of_each: Floats) -> float:
        """Weigh what is known of each row [row] by the square of a run's share of exposure; give the greatest sum."""
        return max(float((weights / weights.sum()) ** 2 @ of_each[rows]) for rows, weights in self.of_runs)


def exposures(runs: Sequence[Run], *, per_query: bool = False) -> Exposures:
    """Sum the exposure of each document, or if asked for of each document of each query, in runs that have been cut."""
    columns: list[Docs] = [_names(run) if per_query else run.docnos for run in runs]
    names = Docnos.of(np.concatenate(columns))
    parts: list[tuple[Ints, Floats]] = []
    for run, column in zip(runs, columns, strict=True):
        lengths = np.diff(run.starts)
        ranks = np.arange(len(column)) - np.repeat(run.starts[:-1], lengths)
        weights = discount.log2(int(lengths.max(initial=0)))[ranks]
        at = names.rows(column)
        order = np.lexsort((ranks, at))  # the same sums, whatever the order of the queries
        total = np.bincount(at[order], weights[order], len(names)).astype(np.float64)
        rows = np.flatnonzero(total)
        parts.append((rows, total[rows]))
    return Exposures(names, tuple(parts))


def _names(run: Run) -> Docs:
    prefixes = np.array([f"{qid} ".encode() for qid in run.qids], dtype=np.bytes_)
    return np.asarray(np.char.add(np.repeat(prefixes, np.diff(run.starts)), run.docnos))

"""The table of documents that the runs and measures of an evaluation share, and how they are looked up in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fairtrec.data import MISSING, Annotations, Bools, Candidates, Floats, Ints, Run
from fairtrec.literals import Missing


@dataclass(eq=False)
class Documents:
    """The table of documents that all runs and measures of an evaluation share.

    ``last`` changes: it keeps what was asked of a background last (run, depth, queries), and what was found.
    """

    annotations: Annotations
    missing: Missing
    of_labels: bool = field(default=False, kw_only=True)  # which stand for counts
    last: tuple[tuple[Run, int, tuple[str, ...]], Candidates] | None = field(default=None, init=False)

    @cached_property
    def dropped(self) -> Bools:
        """Which documents are passed over [document], and last whether what is in no row is, which it is not."""
        known = self.annotations.known
        return np.append(~known if self.missing == "skip" else np.zeros(len(known), dtype=np.bool_), False)

    @cached_property
    def counts(self) -> Floats:
        """Occurrences [document, group]; infinite for the worst document that there could be."""
        counts = self.annotations.counts.astype(np.float64)
        if self.missing == "worst":
            counts[~self.annotations.known] = np.inf
        return counts

    @property
    def background_counts(self) -> Floats:
        """The same for a background, whose unknown documents are neutral: as worst ones they would ease the ideal."""
        return self.annotations.counts.astype(np.float64) if self.missing == "worst" else self.counts

    def lines(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the lines of each query's first documents [query, rank], without those that are passed over."""
        lines = run.top(qids, None)
        there = lines != MISSING
        rows = self.annotations.docnos.rows(run.docnos[lines[there]])
        lines[there] = np.where(self.dropped[rows], MISSING, lines[there])
        together = np.argsort(lines == MISSING, axis=1, kind="stable")
        return np.take_along_axis(lines, together, axis=1)[:, :depth]

    def rows(self, run: Run, qids: Sequence[str], depth: int | None) -> Ints:
        """Give the rows of each query's first documents [query, rank], without those that are passed over."""
        lines = self.lines(run, qids, depth) if self.missing == "skip" else run.top(qids, depth)
        rows = np.full(lines.shape, MISSING, dtype=np.int64)
        there = lines != MISSING
        rows[there] = self.annotations.docnos.rows(run.docnos[lines[there]])
        return rows

"""How alike runs rank: rank-biased overlap of each two, or of each with one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Floats, Ints, Run
from fairtrec.data.docnos import list_distinct
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas import overlap
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.arguments import find_run
from fairtrec.support.literals import Extrapolation, RunFormat
from fairtrec.support.notes import Note, NoteKind, NoteSeverity
from fairtrec.support.version import __version__

LINES = 1 << 19  # of all runs that are held at a time
CELLS = 1 << 17  # depths of pairs that are counted at a time, as caches have them
LEFT_OUT = NoteKind(
    "queries of one run",
    "{left_out} {of} that {one} or {other} lacks {verb} left out{more}; --complete counts these as empty rankings",
    NoteSeverity.MISLEADING,
)


@dataclass(frozen=True, eq=False)
class Overlap:
    """RBO of two runs for each query; ``left_out`` queries are those that one of them lacks."""

    first: str
    second: str
    qids: tuple[str, ...]
    values: Floats
    left_out: int

    @property
    def mean(self) -> float:
        """The mean over the queries; nan if there is none."""
        return float(self.values.mean()) if len(self.values) else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Overlaps(Answer):
    """The rank-biased overlap of each two runs, or of each run with a baseline.

    Attributes:
        runs: their names.
        baseline: None if each two are compared.
        pairs: the overlaps.
    """

    runs: tuple[str, ...]
    baseline: str | None
    pairs: tuple[Overlap, ...]
    signature: Signature  # every choice that changes a number

    @property
    def notes(self) -> list[Note]:
        """Which pairs are compared over fewer queries than they have."""
        fewer = [pair for pair in self.pairs if pair.left_out]
        if not fewer:
            return []
        first = fewer[0]
        one = first.left_out == 1
        more = f", and the like in {len(fewer) - 1} other pairs" if len(fewer) > 1 else ""
        of, verb = ("query", "is") if one else ("queries", "are")
        pair = {"one": first.first, "other": first.second}
        return [LEFT_OUT.note(left_out=first.left_out, of=of, verb=verb, more=more, **pair)]


def rbo(
    runs: Any,
    baseline: str | int | None = None,
    *,
    p: float = 0.9,
    form: Extrapolation = "ext",
    depth: int | None = None,
    complete: bool = False,
    run_format: RunFormat = "auto",
    columns: str | Mapping[str, str] | None = None,
) -> Overlaps:
    """Compare the rankings of runs by rank-biased overlap: each two, or each with a baseline.

    Args:
        runs: two or more, as ``evaluate`` takes them.
        baseline: one of the runs, by name or by number from 0; None compares each two.
        p: the probability that a reader goes on to the next rank. Default 0.9.
        form: "ext" extrapolates, "min" is the lowest possible value, "res" the residual above it, "trunc" neither.
        depth: cut rankings after this many documents.
        complete: count queries that a run lacks as empty rankings. By default they are left out.

    Raises:
        UsageError: fewer than two runs.
        InputError: a run that cannot be read, or runs without a common query.
    """
    named = dict(loading.name_rankings(runs))
    if baseline is not None and baseline not in named:
        baseline = list(named)[find_run(list(named), baseline)]
    several = list(named) if baseline is None else [baseline, *(name for name in named if name != baseline)]
    if len(several) < 2:
        raise UsageError("RBO compares runs; pass at least two, or one and --baseline RUN")
    choices = Choices(depth=depth, run_format=run_format, columns=columns)
    loaded = [one for name in several for one in loading.load_run(named[name], str(name), choices, depth).runs]
    found = tuple(compare_runs(loaded, p, form, complete=complete, with_first=baseline is not None))
    for pair in found:
        if not pair.qids:
            raise InputError(f"this run and {pair.second} have no query in common; check the ids", pair.first)
    made = {"fairtrec": __version__, "rbo": form, "p": f"{p:g}", "order": "score", "depth": str(depth or "")}
    return Overlaps(tuple(named), None if baseline is None else str(baseline), found, Signature(made))


def compare_runs(
    runs: Sequence[Run],
    p: float = 0.9,
    form: Extrapolation = "ext",
    *,
    complete: bool = False,
    with_first: bool = False,
) -> Iterator[Overlap]:
    """Compare each two runs over the queries that both have, or each other with the first one.

    ``complete`` takes all queries, an absent one as an empty ranking. Ties are broken as everywhere, since a Run is
    ranked.
    """
    every = tuple(dict.fromkeys(chain.from_iterable(run.qids for run in runs)))
    firsts = range(1 if with_first else len(runs) - 1)
    values = [np.empty((len(runs) - 1 - one, len(every))) for one in firsts]
    for columns, block in _split_queries(runs, every):
        for one in firsts:
            for others, counts in block.count_common(one):
                lengths = np.broadcast_to(block.lengths[one], (len(others), len(block.lengths[one])))
                flat = lengths.ravel(), block.lengths[others.start : others.stop].ravel()
                found = overlap.rbo_of_counts(counts, *flat, p, form).reshape(lengths.shape)
                values[one][others.start - one - 1 : others.stop - one - 1, columns] = found
    place = {qid: column for column, qid in enumerate(every)}
    for one in firsts:
        for other in range(one + 1, len(runs)):
            first, second = (runs[other], runs[one]) if with_first else (runs[one], runs[other])
            either = tuple(dict.fromkeys((*first.qids, *second.qids)))
            among = set(first.qids).intersection(second.qids)
            qids = either if complete else tuple(qid for qid in either if qid in among)
            found = values[one][other - one - 1, [place[qid] for qid in qids]]
            yield Overlap(first.name, second.name, qids, found, len(either) - len(qids))


def _split_queries(runs: Sequence[Run], qids: Sequence[str]) -> Iterator[tuple[slice, "_Block"]]:
    """Look documents up for some queries at a time: as many as have ``LINES`` lines, and one at least."""
    table = Docnos.collect(np.concatenate([run.docnos for run in runs]))
    numbers = [np.append(table.rows(run.docnos), MISSING) for run in runs]  # the last is that of MISSING
    rows = [run.numbers(qids) for run in runs]
    sizes = sum(
        np.where(row == MISSING, 0, np.diff(run.starts, append=0)[row]) for row, run in zip(rows, runs, strict=True)
    )
    ends = np.cumsum(sizes)
    first = 0
    while first < len(qids):
        before = ends[first - 1] if first else 0
        end = max(int(np.searchsorted(ends, before + LINES, side="right")), first + 1)
        tops = [run.top(qids[first:end], None) for run in runs]
        yield slice(first, end), _Block.gather([known[lines] for known, lines in zip(numbers, tops, strict=True)])
        first = end


@dataclass(frozen=True, eq=False)
class _Block:
    """The documents of all runs for some queries, as flat lines: those of a run stand together.

    ``starts``   [run + 1] where the lines of each run begin.
    ``key``      [line] the number of a document of a query.
    ``rank``     [line] from 0.
    ``query``    [line] its number in the block.
    ``lengths``  [run, query] how many documents there are.
    ``widths``   [run] the last rank.
    """

    starts: Ints
    key: Ints
    rank: Ints
    query: Ints
    lengths: Ints
    widths: Ints

    @classmethod
    def gather(cls, documents: Sequence[Ints]) -> "_Block":
        """Gather them from the numbers of documents of each run [query, rank]; MISSING: none there."""
        places = [np.nonzero(each != MISSING) for each in documents]
        query, rank = (np.concatenate([place[axis] for place in places]) for axis in (0, 1))
        document = np.concatenate([each[place] for each, place in zip(documents, places, strict=True)])
        keys = query * (document.max(initial=0) + 1) + document
        lengths = np.stack([np.count_nonzero(each != MISSING, axis=1) for each in documents])
        starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
        widths = np.array([each.shape[1] for each in documents])
        return cls(starts, np.searchsorted(list_distinct(keys), keys), rank, query, lengths, widths)

    def count_common(self, one: int) -> Iterator[tuple[range, Ints]]:
        """Count what a run has in common with some later ones at a time above each depth [run and query, depth]."""
        queries, runs = self.lengths.shape[1], len(self.widths)
        nowhere = int(self.widths.max())
        own = slice(*self.starts[one : one + 2])
        ranks = np.full(int(self.key.max(initial=-1)) + 1, nowhere)
        ranks[self.key[own]] = self.rank[own]
        first = one + 1
        while first < runs:
            deepest = np.maximum.accumulate(self.widths[first:]).clip(min=self.widths[one])
            cells = np.arange(1, runs - first + 1) * (deepest + 1) * queries
            end = first + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
            depth = int(deepest[end - first - 1])
            lines = slice(self.starts[first], self.starts[end])
            both = np.maximum(ranks[self.key[lines]], self.rank[lines])  # the rank from which both have a document
            row = np.repeat(np.arange(end - first) * queries, np.diff(self.starts[first : end + 1])) + self.query[lines]
            places = (row * depth + both)[both < nowhere]
            found = np.bincount(places, minlength=(end - first) * queries * depth)
            yield range(first, end), found.reshape((end - first) * queries, depth).cumsum(axis=1)
            first = end

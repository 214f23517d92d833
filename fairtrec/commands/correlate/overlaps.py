"""How alike runs rank: rank-biased overlap of each two, or of each with one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Bools, Docnos, Floats, Ints, Run
from fairtrec.data.docnos import list_distinct, list_lines
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas import overlap
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.arguments import find_run
from fairtrec.support.literals import Extrapolation, RunFormat
from fairtrec.support.notes import Note, NoteKind, NoteSeverity
from fairtrec.support.version import __version__

LINES = 1 << 19  # of all runs that are looked at at a time
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
        others = len(fewer) - 1
        more = f", and the like in {others} other pair{'s' * (others > 1)}" if others else ""
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
    """Compare each two runs over the queries that both have; ``with_first`` compares each other run with the first.

    ``complete`` takes the queries that one of them has, an absent one as an empty ranking. Ties are broken as
    everywhere, since a Run is ranked.
    """
    overlap.refuse_wrong(p, form)
    every = tuple(dict.fromkeys(chain.from_iterable(run.qids for run in runs)))
    has = np.stack([run.numbers(every) != MISSING for run in runs])
    pairs = [(one, other) for one in range(1 if with_first else len(runs)) for other in range(one + 1, len(runs))]
    values = _compute_values(runs, every, has, pairs, p, form, complete=complete)
    place = {qid: column for column, qid in enumerate(every)}
    for one, other in pairs:
        first, second = (runs[other], runs[one]) if with_first else (runs[one], runs[other])
        columns = np.array([place[qid] for qid in dict.fromkeys((*first.qids, *second.qids))], dtype=np.int64)
        wanted = _find_wanted(has[one], has[other], complete=complete)
        kept = columns[wanted[columns]]
        found = np.concatenate(values.pop((one, other)) or [np.empty(0)])[np.searchsorted(np.flatnonzero(wanted), kept)]
        qids = tuple(every[column] for column in kept.tolist())
        yield Overlap(first.name, second.name, qids, found, len(columns) - len(kept))


def _find_wanted(one: Bools, other: Bools, *, complete: bool) -> Bools:
    """Find the queries in which two runs are compared, of those that each has."""
    return one | other if complete else one & other


def _compute_values(
    runs: Sequence[Run],
    qids: Sequence[str],
    has: Bools,
    pairs: Sequence[tuple[int, int]],
    p: float,
    form: Extrapolation,
    *,
    complete: bool,
) -> dict[tuple[int, int], list[Floats]]:
    """Compute the values of each pair for the queries that it is compared in, in parts; ``has`` [run, query]."""
    values: dict[tuple[int, int], list[Floats]] = {pair: [] for pair in pairs}
    for columns, block in _split_queries(runs, qids):
        for one in dict.fromkeys(one for one, _ in pairs):
            for others, wanted, counts in block.count_common(one, has[:, columns], complete=complete):
                row, query = np.nonzero(wanted)
                lengths = block.lengths[one, query], block.lengths[others.start + row, query]
                found = overlap.rbo_of_counts(counts, *lengths, p, form)
                for other, part in zip(others, np.split(found, np.cumsum(wanted.sum(axis=1))[:-1]), strict=True):
                    values[one, other].append(part)
    return values


def _split_queries(runs: Sequence[Run], qids: Sequence[str]) -> Iterator[tuple[slice, "_Block"]]:
    """Look documents up for some queries at a time: as many as have ``LINES`` lines and cells, and one at least."""
    table = Docnos.collect(*(run.docnos for run in runs))
    numbers = [table.rows(run.docnos) for run in runs]
    rows = [run.numbers(qids) for run in runs]
    many = [
        np.where(row == MISSING, 0, np.diff(run.starts, append=0)[row]) for row, run in zip(rows, runs, strict=True)
    ]
    ends = np.cumsum(np.sum(many, axis=0))
    deepest = np.max([run.find_depths(row) for row, run in zip(rows, runs, strict=True)], axis=0)
    first = 0
    while first < len(qids):
        end = int(np.searchsorted(ends, (ends[first - 1] if first else 0) + LINES, side="right"))
        cells = np.maximum.accumulate(deepest[first:end]) * np.arange(1, end - first + 1)
        end = max(first + int(np.searchsorted(cells, LINES, side="right")), first + 1)
        part = slice(first, end)
        yield part, _Block.gather(runs, numbers, [row[part] for row in rows], [each[part] for each in many])
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
    def gather(cls, runs: Sequence[Run], numbers: list[Ints], rows: list[Ints], lengths: list[Ints]) -> "_Block":
        """Gather them from the number of the document on each line of the runs, and the row of each query in them."""
        documents, ranks = [], []
        for run, number, row, many in zip(runs, numbers, rows, lengths, strict=True):
            lines = list_lines(run.starts[row], many)
            documents.append(number[lines])
            ranks.append(run.find_ranks(lines) - 1)
        query = np.concatenate([np.repeat(np.arange(len(many)), many) for many in lengths])
        document = np.concatenate(documents)
        keys = query * (document.max(initial=0) + 1) + document
        starts = np.cumsum([0, *map(len, ranks)])
        widths = np.array([rank.max(initial=-1) + 1 for rank in ranks])
        key = np.searchsorted(list_distinct(keys), keys)
        return cls(starts, key, np.concatenate(ranks), query, np.stack(lengths), widths)

    def count_common(self, one: int, has: Bools, *, complete: bool) -> Iterator[tuple[range, Bools, Ints]]:
        """Count what a run has in common with some later ones at a time above each depth.

        Gives these runs, the queries that are ``wanted`` of each [run, query], and the counts [wanted query, depth].
        """
        queries, runs = self.lengths.shape[1], len(self.widths)
        nowhere = int(self.widths.max())
        own = slice(*self.starts[one : one + 2])
        ranks = np.full(int(self.key.max(initial=-1)) + 1, nowhere)
        ranks[self.key[own]] = self.rank[own]
        several = _find_wanted(has[one], has[one + 1 :], complete=complete)
        deepest = np.maximum.accumulate(self.widths[one + 1 :]).clip(min=self.widths[one])
        first = one + 1
        while first < runs:
            begun = first - one - 1
            cells = np.cumsum(several[begun:].sum(axis=1)) * (deepest[begun:] + 1)
            end = first + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
            wanted, depth = several[begun : end - one - 1], int(deepest[end - one - 2])
            lines = slice(self.starts[first], self.starts[end])
            both = np.maximum(ranks[self.key[lines]], self.rank[lines])  # the rank from which both have a document
            row = np.repeat(np.arange(end - first) * queries, np.diff(self.starts[first : end + 1])) + self.query[lines]
            number = np.cumsum(wanted.ravel()) - 1
            places = (number[row] * depth + both)[both < nowhere]
            found = np.bincount(places, minlength=int(wanted.sum()) * depth)
            yield range(first, end), wanted, found.reshape(int(wanted.sum()), depth).cumsum(axis=1)
            first = end

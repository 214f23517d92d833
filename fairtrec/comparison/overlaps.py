"""Rank-biased overlap of runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from fairtrec.comparison.baseline import find
from fairtrec.data import MISSING, Docnos, Floats, Run
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.evaluation.signature import Signature
from fairtrec.formats import run as reader
from fairtrec.formulas.overlap import rbo
from fairtrec.literals import Form, RunFormat
from fairtrec.version import __version__


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


@dataclass(frozen=True, eq=False)
class Overlaps:
    """RBO of the runs: of each with each other, or of each with a baseline."""

    runs: tuple[str, ...]
    baseline: str | None
    pairs: tuple[Overlap, ...]
    signature: Signature

    @property
    def notes(self) -> list[str]:
        """Which pairs are compared over fewer queries than they have."""
        fewer = [pair for pair in self.pairs if pair.left_out]
        if not fewer:
            return []
        first = fewer[0]
        one = first.left_out == 1
        queries = f"{first.left_out} {'query' if one else 'queries'} that {first.first} or {first.second} lacks"
        more = f", and the like in {len(fewer) - 1} other pairs" if len(fewer) > 1 else ""
        return [f"{queries} {'is' if one else 'are'} left out{more}; --complete counts these as empty rankings"]


def overlaps(
    runs: Mapping[str, FilePath],
    baseline: str | None = None,
    *,
    p: float = 0.9,
    form: Form = "ext",
    depth: int | None = None,
    complete: bool = False,
    run_format: RunFormat = "auto",
) -> Overlaps:
    """Compare run files by their names, each with each or, if there is one, with the ``baseline`` among them.

    Raises UsageError for fewer than two runs, InputError for what cannot be read and for runs of other queries.
    """
    if baseline is not None and baseline not in runs:
        baseline = list(runs)[find(list(runs), baseline)]
    several = list(runs) if baseline is None else [baseline, *(name for name in runs if name != baseline)]
    if len(several) < 2:
        raise UsageError("RBO compares runs; name at least two, or one and --baseline RUN")
    loaded = [replace(reader.read(runs[name], depth=depth, form=run_format), name=name) for name in several]
    numbers = range(len(several))
    pairs = combinations(numbers, 2) if baseline is None else ((number, 0) for number in numbers[1:])
    found = tuple(compared(loaded, pairs, p, form, complete=complete))
    for pair in found:
        if not pair.qids:
            raise InputError(f"this run and {pair.second} have no query in common; check the ids", pair.first)
    choices = {"fairtrec": __version__, "rbo": form, "p": f"{p:g}", "order": "score", "depth": str(depth or "")}
    return Overlaps(tuple(runs), baseline, found, Signature(choices))


def compared(
    runs: Sequence[Run], pairs: Iterable[tuple[int, int]], p: float = 0.9, form: Form = "ext", *, complete: bool = False
) -> Iterator[Overlap]:
    """Compare pairs of runs over the queries that both have; ``complete`` takes all, an absent one as an empty ranking.

    Ties are broken as everywhere, since a Run is ranked.
    """
    table = Docnos.of(np.concatenate([np.unique(run.docnos) for run in runs]))
    numbers = [np.append(table.rows(run.docnos), MISSING) for run in runs]  # the last is that of MISSING
    for one, other in pairs:
        first, second = runs[one], runs[other]
        every = tuple(dict.fromkeys((*first.qids, *second.qids)))
        among = set(first.qids).intersection(second.qids)
        qids = every if complete else tuple(qid for qid in every if qid in among)
        matrices = numbers[one][first.top(qids, None)], numbers[other][second.top(qids, None)]
        yield Overlap(first.name, second.name, qids, rbo(*matrices, p, form), len(every) - len(qids))

"""How alike runs rank: rank-biased overlap of each two, or of each with one of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Floats, Run
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas import overlap
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.arguments import find_run
from fairtrec.support.literals import Extrapolation, RunFormat
from fairtrec.support.notes import Note, NoteKind, NoteSeverity
from fairtrec.support.version import __version__

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
    numbers = range(len(several))
    pairs = combinations(numbers, 2) if baseline is None else ((number, 0) for number in numbers[1:])
    found = tuple(compare_runs(loaded, pairs, p, form, complete=complete))
    for pair in found:
        if not pair.qids:
            raise InputError(f"this run and {pair.second} have no query in common; check the ids", pair.first)
    made = {"fairtrec": __version__, "rbo": form, "p": f"{p:g}", "order": "score", "depth": str(depth or "")}
    return Overlaps(tuple(named), None if baseline is None else str(baseline), found, Signature(made))


def compare_runs(
    runs: Sequence[Run],
    pairs: Iterable[tuple[int, int]],
    p: float = 0.9,
    form: Extrapolation = "ext",
    *,
    complete: bool = False,
) -> Iterator[Overlap]:
    """Compare pairs of runs over the queries that both have; ``complete`` takes all, an absent one as an empty ranking.

    Ties are broken as everywhere, since a Run is ranked.
    """
    table = Docnos.collect(np.concatenate([run.docnos for run in runs]))
    numbers = [np.append(table.rows(run.docnos), MISSING) for run in runs]  # the last is that of MISSING
    for one, other in pairs:
        first, second = runs[one], runs[other]
        every = tuple(dict.fromkeys((*first.qids, *second.qids)))
        among = set(first.qids).intersection(second.qids)
        qids = every if complete else tuple(qid for qid in every if qid in among)
        matrices = numbers[one][first.top(qids, None)], numbers[other][second.top(qids, None)]
        yield Overlap(first.name, second.name, qids, overlap.rbo(*matrices, p, form), len(every) - len(qids))

"""What reranking gives: each run in its new order, what is needed to have it again, and what it does to measures."""

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairtrec.data import Run, Samples, System, decode
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.given import counterfactual
from fairtrec.lab.reranker import Reranker
from fairtrec.measure import Measure
from fairtrec.support.errors import UsageError
from fairtrec.support.files import compression
from fairtrec.support.files.atomic import make_output_folder, refuse_place
from fairtrec.support.notes import Note


@dataclass(frozen=True, eq=False)
class Reranked:
    """One run and its new order of the same queries.

    Attributes:
        by: the reranker.
        before, after: the run before and after.
    """

    run: str  # the name of the run
    by: Reranker
    before: Run
    after: System
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers

    @property
    def rankings(self) -> dict[str, dict[str, float]]:
        """The new rankings, ``{qid: {docno: score}}``. Raises UsageError if a query has several."""
        if isinstance(self.after, Samples):
            raise UsageError("these are several rankings of each query; write them, and read them as samples")
        after = self.after
        spans = zip(after.qids, after.starts[:-1].tolist(), after.starts[1:].tolist(), strict=True)
        names, scores = decode(after.docnos), after.scores.tolist()
        return {qid: dict(zip(names[start:end], scores[start:end], strict=True)) for qid, start, end in spans}


@dataclass(frozen=True, eq=False, repr=False)
class Reranking(Answer):
    """The runs in their new order, for each reranker.

    Attributes:
        runs: one per run and reranker.
    """

    runs: tuple[Reranked, ...]
    signature: Signature  # every choice that changes a number
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers


@dataclass(frozen=True, eq=False, repr=False)
class Effect(Answer):
    """The results of the runs as they were and in their new order, in the order of ``reranking.runs``."""

    reranking: Reranking
    before: Result
    after: Result

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number, of the reranking and of the measures."""
        return self.reranking.signature | self.before.signature


class Effects:
    """What measures them; what does not fit together is refused before any run is read."""

    def __init__(self, measures: str | Measure | Iterable[str | Measure], keywords: dict[str, Any]) -> None:
        self._keywords, self._measures = keywords, measures
        self._ordinary = evaluator(measures, **keywords)

    def compute(self, reranking: Reranking) -> Effect:
        """Evaluate the runs before and after. Raises InputError for what cannot be read."""
        before = {_name(number, each.run): each.before for number, each in enumerate(reranking.runs)}
        after = {_name(number, each.run): each.after for number, each in enumerate(reranking.runs)}
        keywords, ordinary = dict(self._keywords), self._ordinary
        if keywords.get("counterfactual") is not None:  # found by what the runs are called, not by their new names
            of = counterfactual.read(keywords["counterfactual"]).find_run
            several = enumerate(reranking.runs)
            keywords["counterfactual"] = {_name(number, each.run): of(each.run, each.run) for number, each in several}
            ordinary = evaluator(self._measures, **keywords)
        earlier = ordinary.evaluate(before)
        if any(each.after.sampled for each in reranking.runs):
            sampled = evaluator(self._measures, **{**keywords, "samples": True})
            return Effect(reranking, earlier, sampled.evaluate(after))
        return Effect(reranking, earlier, ordinary.evaluate(after))


def _name(number: int, run: str) -> str:
    return f"{number} {run}"


def places(runs: Sequence[str], by: Sequence[Reranker], output: str | None) -> list[Path]:
    """Say where each run goes, those of the first reranker first: to a file, or each to a file in a folder.

    A folder is what ends in a slash or is one; several runs need one. A run keeps its name there; where there are
    several rerankers, with the reranker behind it. Nothing is given where there is no ``output``.

    Raises UsageError where several have no folder, or two the same name, and for a name that no file can have.
    """
    several = len(runs) * len(by) > 1
    if output is None:
        if several:
            raise UsageError(f"{len(runs) * len(by)} runs need a folder; choose one with -o")
        return []
    place = Path(output)
    if not several and not output.endswith(os.sep) and not place.is_dir():
        return [place]
    if place.exists() and not place.is_dir():
        raise UsageError(f"{output} is a file, and several runs need a folder; choose one with -o")
    names = [(run, _called(run, each if len(by) > 1 else None)) for each in by for run in runs]
    for run, name in names:
        refuse_place(place, name, run)
    found = [place / name for _, name in names]
    twice = [each for number, each in enumerate(found) if each in found[:number]]
    if twice:
        raise UsageError(f"two runs would be written to {twice[0]}; call one by another name, with NAME=FILE")
    return found


def _called(run: str, by: Reranker | None) -> str:
    name = compression.strip_suffix(Path(run).name)
    if by is None:
        return name
    spelled = str(by).replace(os.sep, "_")
    return f"{name.removesuffix('.run')}-{spelled}.run"


def make_place(place: Path, output: str) -> AbstractContextManager[None]:
    """Make the folder in which a run is written, if that is one. Raises UsageError where that cannot be."""
    return nullcontext() if place == Path(output) else make_output_folder(place.parent)

"""Scoring a batch of runs, in one process or in several: each run is read once, and no more of it kept than is needed.

Where measures look documents up, a run is scored in two steps: its utility measures at once, the others when the
documents that all runs look at have been read. In between it is kept down to the ranks that these others look at.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from os import fspath
from typing import Any

from fairtrec import evaluation, loading
from fairtrec.batch import READY
from fairtrec.data import Queries, Run, Samples
from fairtrec.documents import Documents
from fairtrec.errors import InputError
from fairtrec.evaluation import Scores
from fairtrec.inputs import Given
from fairtrec.jobs import outcomes
from fairtrec.measure import Measure
from fairtrec.measures.utility import Judge, Utility
from fairtrec.plan import Choices
from fairtrec.progress import RUNS, report
from fairtrec.ties import whole

Named = tuple[str, Any]
Failed = dict[str, str]  # what is wrong with each run that is broken, by its name


@dataclass(frozen=True, eq=False)
class Seen:
    """A run that has been read: its scores so far, and what is left of it for the measures that are still to come."""

    scores: Scores
    rest: Run | Samples | None = None

    def called(self, name: str) -> "Seen":
        """Give the same under another name."""
        rest = None if self.rest is None else replace(self.rest, name=name)
        return Seen(replace(self.scores, run=name), rest)


@dataclass(frozen=True, eq=False)
class Scoring:
    """What the scoring of every run needs beside the run."""

    measures: tuple[Measure, ...]
    given: Given  # its documents come later
    queries: Queries | None
    options: Choices
    depth: int | None  # how deep anything looks into a run
    in_two: bool  # whether any measure looks documents up

    def begin(self) -> Callable[[Named], Seen]:
        """Hand the judgements to ir-measures, and give what reads a run."""
        utility = [measure for measure in self.measures if isinstance(measure, Utility)]
        judge = Judge(utility, self.given.qrels) if self.given.qrels is not None and utility else None
        return partial(self._seen, utility, judge)

    def _seen(self, utility: Sequence[Utility], judge: Judge | None, named: Named) -> Seen:
        run = self._loaded(*named)
        qids = evaluation.evaluated(run, self.measures, self.given.qrels, self.queries, complete=self.options.complete)
        if not self.in_two:
            return Seen(self._scored(run, self.measures, qids, self.given, judge))
        depth = None if self.options.missing == "skip" else evaluation.depth_of(self._others)
        return Seen(self._scored(run, utility, qids, self.given, judge), self._cut(run, qids, depth))

    def _scored(
        self, run: Run | Samples, measures: Sequence[Measure], qids: Sequence[str], given: Given, judge: Judge | None
    ) -> Scores:
        """Compute the measures, and what they are over the orders of tied documents if that is asked for."""
        if not self.options.ties or isinstance(run, Samples):
            return evaluation.score(run, measures, qids, given, judge)
        scores = evaluation.score(evaluation.cut(run, qids, self.options.depth), measures, qids, given, judge)
        from fairtrec.intervals import intervals

        return replace(scores, ties=intervals(run, scores, given, self.options.depth))

    def _cut(self, run: Run | Samples, qids: Sequence[str], depth: int | None) -> Run | Samples:
        """Keep of a run only what the measures that are still to come look at."""
        if not self.options.ties or isinstance(run, Samples):
            return evaluation.cut(run, qids, depth)
        kept = evaluation.cut(run, qids, None)
        assert isinstance(kept, Run)
        return whole(kept, depth)

    def _loaded(self, name: str, thing: Any) -> Run | Samples:
        if isinstance(thing, Run):  # it is the background too, and was read as such
            return replace(thing, name=name)
        options = self.options
        if options.ties:
            return whole(loading.run(thing, name, options.order, options.score_dtype, None), self.depth)
        load = loading.samples if options.samples else loading.run
        return load(thing, name, options.order, options.score_dtype, self.depth)

    @property
    def _others(self) -> list[Measure]:
        return [measure for measure in self.measures if not isinstance(measure, Utility)]

    def read(self, named: Sequence[Named], jobs: int, *, keep_going: bool) -> tuple[list[Seen], Failed]:
        """Read each run, once if it is named twice, and list those that are broken with what is wrong with them.

        Raises InputError for the first that is broken, unless told to keep going.
        """
        several = {_key(thing): (name, thing) for name, thing in reversed(named)}  # under the first of its names
        things = list(reversed(several.values()))
        known: dict[Any, Seen | InputError] = {}
        with closing(outcomes(self, things, jobs, READY)) as found:  # a run that is broken ends the processes at once
            for (_, thing), outcome in zip(things, found, strict=True):
                if isinstance(outcome, InputError) and not keep_going:
                    raise outcome
                known[_key(thing)] = outcome
                report(RUNS, len(known), len(things))
        outcomes_of = [(name, known[_key(thing)]) for name, thing in named]
        seen = [outcome.called(name) for name, outcome in outcomes_of if isinstance(outcome, Seen)]
        return seen, {name: str(outcome) for name, outcome in outcomes_of if isinstance(outcome, InputError)}

    def finished(self, seen: Sequence[Seen], documents: Documents, *, keep_going: bool) -> tuple[list[Scores], Failed]:
        """Compute the measures that were still to come; a run is broken if it has a document that is not known."""
        others = self._others
        given = replace(self.given, documents=documents)
        scores: list[Scores] = []
        failed: Failed = {}
        for each in seen:
            assert each.rest is not None
            qids = each.scores.qids
            fault = evaluation.unknown_in(each.rest, qids, documents)
            if fault is None:
                later = self._scored(each.rest, others, qids, given, None)
                scores.append(evaluation.joined(self.measures, each.scores, later))
            elif keep_going:
                failed[each.scores.run] = str(fault)
            else:
                raise fault
        evaluation.refuse_unknown([each.scores.qids for each in seen], self.measures, given, documents)
        return scores, failed


def _key(thing: Any) -> Any:
    return fspath(thing) if loading.is_path(thing) else id(thing)

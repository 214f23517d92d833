"""Counterfactual runs, one for each run: what the same system ranks when the words of the documents are swapped."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Docnos, Ints, Qrels, Run, digest_texts
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.given.background import digest_ranking
from fairtrec.evaluation.given.given_rows import Files, NamedRuns, Written
from fairtrec.evaluation.given.reference import MeasuredReference, OpenedReferences, Plan
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext, RunContext, keep_documents
from fairtrec.evaluation.inputs.options import Choices, name_source
from fairtrec.support.errors import PATH, InputError, UsageError


@dataclass(frozen=True, eq=False)
class Counterfactuals:
    """What was given: one run, runs by the names of those that they belong to, or a folder of files."""

    one: Any = None
    by_name: Mapping[str, Any] | None = None
    folder: str | None = None

    def find_run(self, name: str, run: Any) -> Any:
        """Find the one of a run. Raises UsageError if there is none."""
        if self.folder is not None:
            file = Path(self.folder, Path(fspath(run) if isinstance(run, PATH) else name).name)
            if not file.is_file():
                raise UsageError(f"there is no counterfactual run {file} of {name}; --counterfactual {self.folder} "
                                 "takes a file of the same name for each RUN")  # fmt: skip
            return str(file)
        if self.by_name is not None:
            if name not in self.by_name:
                raise UsageError(f"there is no counterfactual run of {name}; there are {', '.join(self.by_name)}")
            return self.by_name[name]
        return self.one


@dataclass(frozen=True, eq=False)
class Matched:
    """The counterfactual run of each run that is evaluated, by its name; read when it is asked for."""

    things: Mapping[str, Any]
    choices: Choices
    depth: int | None
    folder: str | None
    qrels: Qrels | None  # by which rankings may keep documents
    last: dict[str, Run] = field(default_factory=dict)  # the one that was asked for last

    def run_of(self, name: str) -> Run:
        """Read the counterfactual run of a run, ranked as that is."""
        if name not in self.last:
            thing, how = self.things[name], self.choices
            called = fspath(thing) if isinstance(thing, PATH) else f"the counterfactual run of {name}"
            depth = how.depth if how.drops_documents else self.depth
            found = keep_documents(loading.ranking(thing, called, how, depth, is_run=True), how, self.qrels)
            assert isinstance(found, Run)
            self.last.clear()
            self.last[name] = found
        return self.last[name]

    def list_files(self, result: Result) -> Result:
        """List the counterfactual files among the inputs of a result, one for each run, instead of the folder."""
        if self.folder is None and len(self.things) == 1 and Part("counterfactual") in result.files:
            return result
        files = {part: file for part, file in result.files.items() if part != Part("counterfactual")}
        failed = dict(result.failed)
        for name, thing in self.things.items():
            if isinstance(thing, PATH) and name not in failed:
                files[Part("counterfactual", name)] = InputFile(fspath(thing), thing)
        return replace(result, files=files)


def read(thing: Any) -> Counterfactuals:
    """Take one run, ``{name: run}`` or a folder."""
    if isinstance(thing, PATH):
        if not loading.is_file(thing):
            raise InputError("there is no such file or folder; check --counterfactual", thing)
        return Counterfactuals(folder=fspath(thing)) if os.path.isdir(thing) else Counterfactuals(one=thing)  # noqa: PTH112 - pathlib stumbles over long names
    named = loading.name_rankings(thing)
    if isinstance(thing, Mapping) and not any(run is thing for _, run in named):
        return Counterfactuals(by_name=dict(named))
    return Counterfactuals(one=thing)


class CounterfactualReference(MeasuredReference):
    """Runs of the same systems over texts with swapped words."""

    of_runs = True

    def read(self, opened: OpenedReferences) -> Counterfactuals:
        """Take one run, ``{name: run}`` or a folder."""
        return read(opened.given.things[self.name])

    def list_docnos(self, opened: OpenedReferences) -> None:
        """Tell nothing: which files are read follows from the runs."""

    def match_runs(
        self, plan: Plan, value: Any, context: EvaluationContext, named: NamedRuns, depth: int | None
    ) -> Matched:
        """Find the counterfactual run of each run. Raises UsageError if one has none."""
        given: Counterfactuals = plan.read(self.name)
        if plan.choices.samples:
            raise UsageError(
                "--counterfactual needs one ranking of each query; leave out --samples, or --rankings of rerank"
            )
        if given.folder is None and given.by_name is None and len(named) > 1:
            raise UsageError(f"there is one counterfactual run for {len(named)} runs; "
                             "pass --counterfactual FOLDER, with a file of the same name for each RUN")  # fmt: skip
        things = {name: given.find_run(name, run) for name, run in named}
        return Matched(things, plan.choices, depth, given.folder, context.qrels)

    def find_own(self, value: Any, name: str) -> Any:
        """Find the counterfactual run of a run."""
        return value.things.get(name) if isinstance(value, Matched) else None

    def sign(self, plan: Plan, context: EvaluationContext, files: Files) -> Written:
        """Write the counterfactual runs; a folder has no digest, as it may hold more than is read."""
        given: Counterfactuals = plan.read(self.name)
        if given.folder is not None:
            return {self.name: name_source(given.folder)}
        held, digest = {"": given.one} if given.by_name is None else given.by_name, ""
        if Part(self.name) not in files:
            with suppress(InputError):  # which has ended the run that it is of
                digest = digest_texts((name, _digest_run(thing, plan.choices)) for name, thing in held.items())
        return {self.name: self.spell(plan.given.things[self.name], files, digest=digest)}

    def complete_result(self, result: Result, plan: Plan, context: EvaluationContext) -> Result:
        """List the files of the runs among the inputs."""
        value = context.opened.get(self.name)
        return value.list_files(result) if isinstance(value, Matched) else result


COUNTERFACTUAL = CounterfactualReference("counterfactual")


def _digest_run(thing: Any, choices: Choices) -> str:
    if isinstance(thing, PATH):
        return InputFile(fspath(thing), thing).sha256
    return digest_ranking(loading.ranking(thing, "counterfactual", choices, None))


def counterfactual(inputs: RunContext) -> Ints:
    """Number the documents of both rankings, the run's and the counterfactual run's [2, query, rank]."""
    run, qids = inputs.run, inputs.qids
    other: Run = inputs.context.opened["counterfactual"].run_of(run.name)
    if not set(qids) & set(other.qids):
        raise InputError(f"this run has none of the queries of {run.name}; check the ids", other.name)
    lines = [each.top(qids, inputs.depth) for each in (run, other)]
    table = Docnos.collect(run.docnos, other.docnos)
    rankings = np.full((2, len(qids), max(each.shape[1] for each in lines)), MISSING, dtype=np.int64)
    for number, (each, at) in enumerate(zip((run, other), lines, strict=True)):
        found = np.append(table.rows(each.docnos), MISSING)[at]
        if each.positions is not None:  # a rank of no document is one that the other ranking cannot have
            ends = each.find_depths(each.numbers(qids))
            is_gap = (at == MISSING) & (np.arange(at.shape[1]) < ends[:, None])
            found = np.where(is_gap, len(table) + 2 * np.arange(at.shape[1]) + number, found)
        rankings[number, :, : at.shape[1]] = found
    rankings.flags.writeable = False  # so that what measures at several cutoffs ask for is computed once
    return rankings

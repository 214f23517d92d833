"""The provider of ir_measures for our measures: sessions that are kept, so that nothing is read twice."""

import math
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from os import fspath
from pathlib import Path
from threading import Lock
from typing import Any, cast

import ir_measures
import numpy as np
from ir_measures.util import QrelsConverter

from fairtrec.data import Run
from fairtrec.evaluation.answers.scores import Scores, fill_undefined
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.relevance import is_computed_here
from fairtrec.evaluation.session import Evaluator
from fairtrec.ir_measures.bound_measures import FairMeasure
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.needs import NEEDS, OF_JUDGMENTS
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files.arguments import split_crossed
from fairtrec.support.literals import DOCUMENT

MOST = 8  # sessions that are kept
_kept: dict[Any, Evaluator] = {}  # the one that was used last is last
_LOCK = Lock()  # a session takes one run at a time


class FairProvider(ir_measures.Provider):
    """Computes the measures of fairtrec."""

    NAME = "fairtrec"

    def supports(self, measure: Any) -> bool:
        """Tell whether a measure is ours."""
        return isinstance(measure, FairMeasure)

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Name the columns of a run's frame that measures are computed from."""
        return [*super().run_inputs(measures), *sorted({name for each in measures for name in _columns(each).values()})]

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "FairEvaluator":
        return FairEvaluator(measures, qrels)


class FairEvaluator(ir_measures.Evaluator):
    """Computes measures of any number of runs, for the queries of the judgments, or of the run if there are none.

    A judged query that a run lacks is an empty ranking. Raises UsageError for what does not fit together.
    """

    def __init__(self, measures: Iterable[FairMeasure], qrels: Any) -> None:
        several = sorted(dict.fromkeys(measures), key=repr)  # ir_measures hands them over as a set
        for each in several:
            if getattr(each.core, "group", None) == "":
                raise UsageError(f"{each} is one value for each group; name one, like {each.NAME}(group='f')")
        qrels = qrels if isinstance(qrels, Mapping) or hasattr(qrels, "columns") else list(qrels)
        super().__init__(several, tuple(dict.fromkeys(map(str, _qids(qrels)))))
        together: dict[Any, list[FairMeasure]] = {}
        for each in several:
            source = tuple((name, value) for name, value in each.settings.items() if name != "undefined")
            together.setdefault(source, []).append(each)
        self._parts = [(part, _session(part, source, qrels)) for source, part in together.items()]

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Give the value of each measure for each query, nan where it is undefined and nothing else was asked for."""
        run = run if isinstance(run, Mapping) or hasattr(run, "columns") else list(run)
        systems: dict[Any, Run] = {}
        for part, session in self._parts:
            opened = session if isinstance(session, Evaluator) else _opened(part, session, run)
            how = opened.choices.order, opened.choices.score_dtype
            if how not in systems:
                systems[how] = _complete(_taken(run, opened), self.qrel_qids)
            with _LOCK:
                scores = opened.scores(cast("Any", systems[how]))
            for measure in part:
                measure.core.refuse_several(scores.measures)
                values = scores.values[[scores.measures.index(measure.core)]]
                one = _settled(replace(scores, measures=(measure.core,), values=values), measure)
                for qid, value in zip(one.qids, one.values[0].tolist(), strict=True):
                    yield ir_measures.Metric(query_id=qid, measure=measure, value=value)


class RelevanceProvider(ir_measures.Provider):
    """Computes measures of relevance that fairtrec has and no program that is installed, like RBP and alpha_nDCG.

    It stands behind the other providers, which are asked first.
    """

    NAME = "fairtrec.evaluation.relevance"

    def supports(self, measure: Any) -> bool:
        """Tell whether a measure of ir_measures is computed here."""
        try:
            (found,) = registry.parse(str(measure))
        except (UsageError, ValueError):
            return False
        return isinstance(found, Utility) and (found.is_plain or is_computed_here(found))

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> "RelevanceOfRuns":
        return RelevanceOfRuns(measures, qrels)


class RelevanceOfRuns(ir_measures.Evaluator):
    """Computes measures of relevance of any number of runs, for the queries of the judgments."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        several = sorted(dict.fromkeys(measures), key=repr)
        judged = qrels if isinstance(qrels, Mapping) or hasattr(qrels, "columns") else list(qrels)
        super().__init__(several, tuple(dict.fromkeys(map(str, _qids(judged)))))
        self._session = evaluator([str(each) for each in several], judged)

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Give the value of each measure for each query."""
        run = run if isinstance(run, Mapping) or hasattr(run, "columns") else list(run)
        with _LOCK:
            scores = self._session.scores(cast("Any", _complete(_taken(run, self._session), self.qrel_qids)))
        for measure in self.measures:
            row = list(map(str, scores.measures)).index(str(registry.parse(str(measure))[0]))
            for qid, value in zip(scores.qids, scores.values[row].tolist(), strict=True):
                yield ir_measures.Metric(query_id=qid, measure=measure, value=value)


def _qids(qrels: Any) -> Iterable[Any]:
    if not hasattr(qrels, "columns"):
        return qrels if isinstance(qrels, Mapping) else (row.query_id for row in qrels)
    column: Any = qrels["query_id"]
    return cast("Iterable[Any]", column.unique() if hasattr(column, "unique") else column)


def _session(part: list[FairMeasure], source: Any, qrels: Any) -> Any:
    """Find the session of what is computed from the same; for columns of a run, the judgments that go with them."""
    keywords = _keywords(part[0])
    cores, labels = tuple(dict.fromkeys(each.core for each in part)), keywords.get("labels")
    needs = {need for core in cores for need in core.needs if need in NEEDS}
    is_judged = bool(OF_JUDGMENTS & needs)
    is_judged |= isinstance(labels, PATH) and "qrels" in split_crossed(fspath(labels))
    is_judged |= str(keywords.get("target")) in {"qrels", "relevance"}
    qrels = qrels if is_judged else None  # of other judgments nothing has to be read again
    if _columns(part[0]):
        return qrels
    files = [file for thing in keywords.values() if isinstance(thing, PATH) for file in split_crossed(fspath(thing))]
    stats = [Path(file).stat() for file in files if Path(file).exists()]
    stamps = tuple((each.st_mtime_ns, each.st_size, each.st_ino) for each in stats)  # of what is written again
    rows = None if qrels is None else tuple(QrelsConverter(qrels).as_namedtuple_iter())
    key = source, cores, stamps, rows
    with _LOCK:
        _kept[key] = found = _kept.pop(key, None) or evaluator(cores, qrels, **keywords)
        if len(_kept) > MOST:
            del _kept[next(iter(_kept))]
    return found


def _opened(part: list[FairMeasure], qrels: Any, run: Any) -> Evaluator:
    columns = {what: _column(run, name, what) for what, name in _columns(part[0]).items()}
    cores = tuple(dict.fromkeys(each.core for each in part))
    return evaluator(cores, qrels, **{**_keywords(part[0]), **columns})


def _columns(measure: FairMeasure) -> dict[str, str]:
    """Name the columns of a run's frame that a measure is computed from, by what they say."""
    given = {name: measure.keywords.get(name) for name in ("docs", "labels", "stances")}
    return {name: str(thing)[4:] for name, thing in given.items() if isinstance(thing, str) and thing[:4] == "run:"}


def _keywords(measure: FairMeasure) -> dict[str, Any]:
    """Give what an evaluator takes; what undefined values count as is settled behind it."""
    return {name: thing for name, thing in measure.keywords.items() if name != "undefined"}


def _column(run: Any, name: str, what: str) -> dict[str, Any]:
    """Take from a run's frame what a column says of each document; nothing where a cell is empty.

    Raises InputError if there is no such column, or it says two things of one document.
    """
    columns = list(getattr(run, "columns", ()))
    document = next((each for each in DOCUMENT if each in columns), None)
    if name not in columns or document is None:
        there = ", ".join(map(str, columns)) or "none, for it is no frame"
        raise InputError(f"the run has no column {name} for the {what}; it has {there}")
    found: dict[str, Any] = {}
    for docno, cell in zip(map(str, run[document]), run[name], strict=True):
        if cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, float) and math.isnan(cell)):
            continue
        value = cell.tolist() if hasattr(cell, "tolist") else cell
        if what == "labels" and not isinstance(value, Collection):
            value = str(value)
        if found.setdefault(docno, value) != value:
            raise InputError(f"the column {name} of the run has two values for document {docno}; keep one")
    return found


def _taken(run: Any, opened: Evaluator) -> Run:
    if not (len(run) and (not isinstance(run, Mapping) or any(run.values()))):
        return Run("run", "run", (), np.zeros(1, dtype=np.int64), np.empty(0, dtype="S1"), np.empty(0))
    return loading.ranking(run, "run", opened.choices, None)


def _complete(run: Run, wanted: Iterable[str]) -> Run:
    """Keep the wanted queries of a run, each an empty ranking where it has none; all where none are wanted."""
    qids = tuple(wanted) or run.qids
    if not qids:
        raise InputError("no query to evaluate; pass qrels or a run with at least one line")
    kept = run.cut(qids, None)
    if run.qids and not kept.qids:
        warnings.warn(
            "the run and the qrels have no query in common; check that they are of the same collection", stacklevel=3
        )
    lacking = tuple(sorted(set(qids) - set(kept.qids)))
    starts = np.concatenate((kept.starts, np.full(len(lacking), kept.starts[-1])))
    return replace(kept, qids=kept.qids + lacking, starts=starts)


def _settled(scores: Scores, measure: FairMeasure) -> Scores:
    """Give undefined values of a measure what they count as; where that was not said, warn of them."""
    empty, counts_as = np.isnan(scores.values), measure.keywords.get("undefined")
    if not empty.any():
        return scores
    if isinstance(counts_as, str):
        return fill_undefined(scores, cast("Any", counts_as))
    if counts_as is not None:
        return replace(scores, values=np.where(empty, float(counts_as), scores.values))
    what = f"{measure} is undefined for {int(empty.sum())} of {len(scores.qids)} queries: nan, left out of its mean"
    hint = "PyTerrier leaves nothing out, and its mean is nan; undefined=0.0, or 'worst', says what they count as"
    warnings.warn(f"{what}. {hint}", stacklevel=3)
    return scores

"""An evaluation of two measures that looks further: at all documents that each query might rank."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from fairtrec.data import MISSING, Bools, Floats, Run
from fairtrec.data.parameters import DEEPEST
from fairtrec.data.ranking.composition import append_run, merge_runs
from fairtrec.data.ranking.depth import find_depth
from fairtrec.evaluation.answers.result import Part, Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.fronts.problem import KNOWN, Problem
from fairtrec.evaluation.given import find_input
from fairtrec.evaluation.given.given_rows import NamedRuns
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.documents import EvaluationContext, keep_documents
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import refuse_positions
from fairtrec.evaluation.inputs.several_attributes import refuse_several
from fairtrec.evaluation.session import Evaluator
from fairtrec.evaluation.signature import name_input_files
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import notation, registry
from fairtrec.measures.catalogue.needs import NEEDS, needs_judgments
from fairtrec.measures.utility import Utility, refuse_by_group
from fairtrec.support.errors import InputError, UsageError, refuse_first
from fairtrec.support.literals import DocumentsFrom

HEADROOM = "headroom"
SCORES = "scores"  # for a utility: DCG of what the run itself scored


@dataclass(frozen=True, eq=False)
class Search:
    """What is looked for: orders of the fairest at each utility, of documents of the run or of others, too.

    ``utility`` None is the DCG of what the run itself scored, down to the rank ``scores_cutoff``, None the last.
    ``by`` asks for it: headroom, or a reranker as it is spelled, which writes orders, of the least fair if ``worst``,
    and passes over queries without a finite value.
    """

    evaluator: Evaluator
    utility: Measure | None
    fairness: Measure
    ranks: int | None  # how many count; None: all
    from_: DocumentsFrom
    candidates: int | None
    pin_unjudged: bool
    worst: bool = False
    by: str = HEADROOM
    scores_cutoff: int | None = None

    @classmethod
    def settle(
        cls,
        keywords: Mapping[str, Any],
        utility: Any,
        fairness: Any,
        from_: DocumentsFrom,
        candidates: int | None,
        *,
        pin_unjudged: bool,
        worst: bool = False,
        by: str = HEADROOM,
    ) -> "Search":
        """Settle what is looked for. Raises UsageError for what leaves more than one order or value."""
        by_scores, cutoff = scores_of(utility)
        if keywords["qrels"] is None and not by_scores:
            _refuse_unjudged(utility, by)
        if by == HEADROOM and not by_scores and keywords.get("queries") is None and _needs_qrels(utility, keywords):
            keywords = {**keywords, "queries": loading.JUDGED}  # other queries have no value
        found = evaluator([fairness] if by_scores else [utility, fairness], **keywords)
        measures = found.plan.measures
        refuse_several(measures, found.plan.context.given)
        if len(measures) != 2 - by_scores:
            named = ", ".join(map(str, measures))
            raise UsageError(f"pass one measure of utility and one of fairness, not {named}")
        one, ranks = None if by_scores else measures[0], find_depth(measures)
        cutoff = cutoff or ranks
        ranks = ranks and max(ranks, cutoff or 0)
        search = cls(found, one, measures[-1], ranks, from_, candidates, pin_unjudged, worst, by, cutoff)
        search.refuse_unfit()
        return search

    def refuse_unfit(self) -> None:
        """Raise UsageError for what leaves more than one order or value, or goes by other runs."""
        refuse_by_group(self.evaluator.measures, "orders are searched by all judgments")
        refuse_first(self._faults_of_measures())
        self.evaluator.choices.refuse("headroom", "headroom takes")
        refuse_positions("headroom" if self.by == HEADROOM else "rerank", self.evaluator.choices.order)
        refuse_first(self._faults_of_documents())

    def _faults_of_measures(self) -> Iterator[tuple[bool, str]]:
        """List what a measure of utility and one of fairness must not be."""
        fairness, way = self.fairness, f"name another with {_option('--fairness', self.by)}"
        if (utility := self.utility) is not None:
            what = f"{utility} is {utility.better}; utility is a measure that is better higher"
            yield utility.better != "higher", what
        what = f"a measure of relevance is no fairness, and {fairness} is one"
        yield isinstance(fairness, Utility), f"{what}; {way}"
        yield fairness.better == "neither", f"{fairness} is neither better higher nor lower; {way}"

    def _faults_of_documents(self) -> Iterator[tuple[bool, str]]:
        """List what keeps documents from being placed: measures that see more of an order, and options."""
        by_scores, option = self.utility is None, _option("--from ", self.by)
        skips = self.evaluator.choices.missing == "skip"
        yield skips, f"{self.by} places every document; choose --missing error, neutral or worst"
        for name in (each for each in self.fairness.needs if each not in KNOWN):
            what = f"{self.fairness} goes by {NEEDS[name].says}, which other orders have not"
            yield True, f"{what}; name another with {_option('--fairness', self.by)}"
        what = f"only the documents of the run have scores; leave out {_option('--from', self.by)}"
        yield by_scores and self.from_ != "run", what
        without_runs = self.from_ == "background" and self.evaluator.given.things.get("background") in (
            None,
            "collection",
        )
        yield without_runs, f"{option}background takes documents of a run; add --background RUN"
        if self.candidates is not None:
            yield self.candidates < 1, f"candidates are {self.candidates}; set 1 or more"
        yield self.pin_unjudged and by_scores, "nothing is judged; leave out --pin-unjudged"

    def cases(self, named: NamedRuns, jobs: int) -> tuple[list[Problem], list[Floats], Problem | None, Result]:
        """Evaluate runs, and give what each is solved of, the values [2, query] there, and the same of all together."""
        loaded, result = self._evaluate(named, jobs)
        first, deep = self._count_documents()
        cut = {name: run.cut(run.qids, deep) for name, run in loaded.items()}
        more = None if self.from_ == "run" else self._more([run.cut(run.qids, first) for run in loaded.values()])
        every = merge_runs([*cut.values(), *([] if more is None else [more])])
        qids = sorted({qid for scores in result.scores for qid in scores.qids})
        context = self.evaluator.make_context(every, qids, None, replace(self.evaluator.plan.needs, depth=None))
        solvable = [self._defined_case(scores, cut[scores.run], more, context) for scores in result.scores]
        cases = [case for case, _ in solvable]
        return cases, [values for _, values in solvable], self._case_of_all(cases, every, context), result

    def _evaluate(self, named: NamedRuns, jobs: int) -> tuple[dict[str, Run], Result]:
        """Read and evaluate runs, and keep of each the documents that the evaluation looks at."""
        choices = self.evaluator.choices
        loaded = {name: loading.ranking(thing, name, choices, choices.depth, is_run=True) for name, thing in named}
        result = self.evaluator.evaluate_named(list(loaded.items()), jobs)
        result = replace(
            result, files={**result.files, **name_input_files({Part("run", name): run for name, run in named})}
        )
        context = self.evaluator.prepare_reading().context
        loaded = {name: cast("Run", keep_documents(run, choices, context.qrels)) for name, run in loaded.items()}
        return loaded, result

    def _count_documents(self) -> tuple[int | None, int | None]:
        """Say how many documents of each query may be ranked, and how many are looked at; None: all."""
        whole = None if self.candidates is None or self.ranks is None else max(self.candidates, self.ranks)
        first, deep = (
            min((each for each in (most, self.evaluator.choices.depth) if each is not None), default=None)
            for most in (self.candidates, whole)
        )
        return first, deep

    def _defined_case(
        self, scores: Scores, run: Run, more: Run | None, context: EvaluationContext
    ) -> tuple[Problem, Floats]:
        """Set up a run over the queries of which both values are finite, and give these [2, query]."""
        case = self._case(run, scores.qids, more, context)
        both = scores.values
        if self.utility is None:
            own = [np.arange(many) for many in case.lengths.tolist()]
            both = np.stack([case.utilities(own), scores.values[0]])
        if self.by == HEADROOM and np.isinf(both).any():
            raise self._infinite(scores, both)
        defined: Bools = np.asarray(np.isfinite(both).all(axis=0))
        if not defined.any() and self.by == HEADROOM:
            way = "choose other measures with --utility and --fairness"
            raise InputError(f"no query has finite values of both measures; {way}", scores.run)
        if not defined.all():
            left = [qid for qid, is_kept in zip(scores.qids, defined.tolist(), strict=True) if is_kept]
            case = self._case(run, left, more, context)
        return case, np.stack([both[0, defined], case.fair(both[1, defined])])

    def _case_of_all(self, cases: Sequence[Problem], every: Run, context: EvaluationContext) -> Problem | None:
        """Set up the documents of all runs, over their common queries; None if nothing asks for that."""
        if len(cases) < 2 or self.utility is None or self.by != HEADROOM:
            return None
        common = sorted(set(cases[0].qids).intersection(*(case.qids for case in cases)))
        return replace(self._case(every, common, None, context), candidates=None) if common else None

    def _infinite(self, scores: Scores, both: Floats) -> InputError:
        """Say that a run has an infinite value [2, query]: so is its mean, and no order betters that."""
        infinite = np.isinf(both)
        measure = self.fairness if infinite[1].any() else self.utility
        (queries,) = np.nonzero(infinite.any(axis=0))
        what = f"{measure} is infinite for {len(queries)} of {len(scores.qids)} queries, such as"
        way = "choose another target, or leave these out with --queries"
        return InputError(f"{what} {scores.qids[queries[0]]}, and so is its mean; {way}", scores.run)

    def _more(self, runs: Sequence[Run]) -> Run:
        """Give the documents that may be ranked beside those of a run."""
        if self.from_ == "runs":
            return merge_runs(runs)
        choices = self.evaluator.choices
        return loading.ranking(
            self.evaluator.given.things["background"], "background", choices, choices.background_depth
        )

    def _case(self, run: Run, qids: Sequence[str], more: Run | None, context: EvaluationContext) -> Problem:
        """Set up a run over these queries; one that it lacks is an empty ranking."""
        own = Inputs(run, qids, context, self.ranks)
        lines, scores = run.top(qids, None), None
        if self.utility is None:
            known = np.where(lines >= 0, run.scores[np.maximum(lines, 0)] / 2, np.nan)  # of halves no gap overflows
            least, most = (each.reduce(known, axis=1, initial=np.nan)[:, None] for each in (np.fmin, np.fmax))
            scores = np.where(lines >= 0, quotient(known - least, most - least, 0.0), np.nan)
        every = Inputs(run if more is None else append_run(run, qids, more), qids, context, None)
        return Problem(
            tuple(qids),
            every,
            own,
            own.lengths,
            every.lines != MISSING,
            (lines >= 0).sum(axis=1).tolist(),
            self.utility,
            self.fairness,
            scores,
            self.scores_cutoff,
            pin_unjudged=self.pin_unjudged,
            candidates=self.candidates,
            worst=self.worst,
        )


def scores_of(utility: Any) -> tuple[bool, int | None]:
    """Tell whether a utility is the DCG of a run's own scores, and down to which rank, None if it names none.

    Raises UsageError for a rank that is none.

    >>> scores_of("scores"), scores_of("scores@4"), scores_of("nDCG@10")
    ((True, None), (True, 4), (False, None))
    """
    several = list(notation.read(utility)) if isinstance(utility, str) and utility.strip().startswith(SCORES) else []
    if len(several) != 1 or several[0].name != SCORES or several[0].params:
        return False, None
    cutoff = several[0].cutoff
    if cutoff is not None and (type(cutoff) is not int or not 1 <= cutoff <= DEEPEST):
        raise UsageError(f"{utility}: the cutoff is {cutoff}; ranks count from 1, to {DEEPEST} at most")
    return True, cutoff


def _needs_qrels(utility: Any, keywords: Mapping[str, Any]) -> bool:
    """Tell whether qrels were given, and the utility is undefined for queries that are not judged."""
    if not loading.is_given(keywords["qrels"]):
        return False
    several = [utility] if isinstance(utility, Measure) else registry.parse(str(utility))
    return any(map(needs_judgments, several))


def _option(name: str, by: str) -> str:
    """Spell an option of headroom as a parameter of the reranker that asks, if one does."""
    return name if by == HEADROOM else f"{name.strip().removeprefix('--')}="


def _refuse_unjudged(utility: Any, by: str) -> None:
    """Raise UsageError for a utility that goes by judgments, of which there are none."""
    need = find_input("relevance")
    assert need is not None
    for measure in [utility] if isinstance(utility, Measure) else registry.parse(str(utility)):
        if need.name in measure.needs and by != HEADROOM:
            raise UsageError(f"{by} needs qrels; pass QRELS, or utility={SCORES}")
        if need.name in measure.needs:
            raise UsageError(f"{measure} needs {need.missing}; add {need.give}, or --utility {SCORES}")

"""An evaluation of two measures that looks further: at all documents that each query might rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from fairtrec.commands.rerank.ordering import extended, pooled
from fairtrec.commands.rerank.problem import KNOWN, Problem
from fairtrec.data import MISSING, Bools, Floats, Run
from fairtrec.data.parameters import DEEPEST
from fairtrec.data.ranking.depth import depth_of
from fairtrec.evaluation.answers.result import Part, Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.by_attribute import refuse_several
from fairtrec.evaluation.inputs.documents import Reference, reduced
from fairtrec.evaluation.inputs.given import NamedRuns
from fairtrec.evaluation.inputs.of_measures import Inputs
from fairtrec.evaluation.session import Evaluator
from fairtrec.evaluation.signature import files_of
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import notation, registry
from fairtrec.measures.catalogue.needs import NEEDS
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import InputError, UsageError, asked_by
from fairtrec.support.literals import Among

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
    among: Among
    candidates: int | None
    pin_unjudged: bool
    worst: bool = False
    by: str = HEADROOM
    scores_cutoff: int | None = None

    @classmethod
    def of(
        cls,
        keywords: Mapping[str, Any],
        utility: Any,
        fairness: Any,
        among: Among,
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
        found = evaluator([fairness] if by_scores else [utility, fairness], **keywords)
        measures = found.plan.measures
        refuse_several(measures, found.plan.reference.given)
        if len(measures) != 2 - by_scores:
            named = ", ".join(map(str, measures))
            raise UsageError(f"one measure of utility and one of fairness are wanted, and these are {named}")
        one, ranks = None if by_scores else measures[0], depth_of(measures)
        cutoff = cutoff or ranks
        ranks = ranks and max(ranks, cutoff or 0)
        search = cls(found, one, measures[-1], ranks, among, candidates, pin_unjudged, worst, by, cutoff)
        if one is not None and one.better != "higher":
            raise UsageError(f"{one} is {one.better}; utility is a measure that is better higher")
        if isinstance(search.fairness, Utility):
            what = f"a measure of relevance is no fairness, and {search.fairness} is one"
            raise UsageError(f"{what}; name another with {_option('--fairness', by)}")
        if search.fairness.better == "neither":
            raise UsageError(
                f"{search.fairness} is neither better higher nor lower; name another with {_option('--fairness', by)}"
            )
        search.refuse_unfit()
        if by_scores and among != "run":
            raise UsageError(f"only the documents of the run have scores; leave out {_option('--from', by)}")
        if among == "background" and found.given.background in (None, "collection"):
            what = f"{_option('--from ', by)}background takes documents of a run"
            raise UsageError(f"{what}; give it with --background RUN")
        if candidates is not None and candidates < 1:
            raise UsageError(f"candidates are {candidates}; give 1 document or more")
        if pin_unjudged and by_scores:
            raise UsageError("nothing is judged; leave out --pin-unjudged")
        return search

    def refuse_unfit(self) -> None:
        """Raise UsageError for what leaves more than one order or value, or goes by other runs."""
        self.evaluator.choices.refuse("headroom", "headroom takes")
        if self.evaluator.choices.missing == "skip":
            raise UsageError(f"{self.by} places every document; choose --missing error, neutral or worst")
        strange = [name for name in self.fairness.needs if name not in KNOWN]
        if strange:
            what = f"{self.fairness} goes by {NEEDS[strange[0]].says}"
            option = _option("--fairness", self.by)
            raise UsageError(f"{what}, which other orders have not; name another with {option}")

    def cases(self, named: NamedRuns, jobs: int) -> tuple[list[Problem], list[Floats], Problem | None, Result]:
        """Evaluate runs, and give what each is solved of, the values [2, query] there, and the same of all together."""
        choices = self.evaluator.choices
        loaded = {name: loading.ranking(thing, name, choices, choices.depth, is_run=True) for name, thing in named}
        result = self.evaluator.evaluated(list(loaded.items()), jobs)
        result = replace(result, files={**result.files, **files_of({Part("run", name): run for name, run in named})})
        reference = self.evaluator.reading().reference
        if choices.only:
            how = reference.qrels, choices.only, reference.relevance_level
            loaded = {name: cast("Run", reduced(run, *how)) for name, run in loaded.items()}
        whole = None if self.candidates is None or self.ranks is None else max(self.candidates, self.ranks)
        first, deep = (  # how many documents of each query may be ranked, and how many are looked at
            min((each for each in (most, choices.depth) if each is not None), default=None)
            for most in (self.candidates, whole)
        )
        cut = {name: run.cut(run.qids, deep) for name, run in loaded.items()}
        more = None if self.among == "run" else self._more([run.cut(run.qids, first) for run in loaded.values()])
        every = pooled([*cut.values(), *([] if more is None else [more])])
        qids = sorted({qid for scores in result.scores for qid in scores.qids})
        needs = self.evaluator.plan.needs
        reference = self.evaluator.beside(every, qids, None, replace(needs, depth=None))
        cases, values = [], []
        for scores in result.scores:
            case = self._case(cut[scores.run], scores.qids, more, reference)
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
                case = self._case(cut[scores.run], left, more, reference)
            cases.append(case)
            values.append(np.stack([both[0, defined], case.fair(both[1, defined])]))
        together = None
        if len(cases) > 1 and self.utility is not None and self.by == HEADROOM:
            common = sorted(set(cases[0].qids).intersection(*(case.qids for case in cases)))
            together = replace(self._case(every, common, None, reference), candidates=None) if common else None
        return cases, values, together, result

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
        if self.among == "pool":
            return pooled(runs)
        choices = self.evaluator.choices
        return loading.ranking(self.evaluator.given.background, "background", choices, choices.background_depth)

    def _case(self, run: Run, qids: Sequence[str], more: Run | None, reference: Reference) -> Problem:
        """Set up a run over these queries; one that it lacks is an empty ranking."""
        own = Inputs(run, qids, reference, self.ranks)
        lines, scores = run.top(qids, None), None
        if self.utility is None:
            known = np.where(lines >= 0, run.scores[np.maximum(lines, 0)] / 2, np.nan)  # of halves no gap overflows
            least, most = (each.reduce(known, axis=1, initial=np.nan)[:, None] for each in (np.fmin, np.fmax))
            scores = np.where(lines >= 0, quotient(known - least, most - least, 0.0), np.nan)
        every = Inputs(run if more is None else extended(run, qids, more), qids, reference, None)
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


def _option(name: str, by: str) -> str:
    """Spell an option of headroom as a parameter of the reranker that asks, if one does."""
    parameter = {"--from": "among"}.get(name.strip(), name.strip().removeprefix("--"))
    return name if by == HEADROOM else f"{parameter}="


def _refuse_unjudged(utility: Any, by: str) -> None:
    """Raise UsageError for a utility that goes by judgements, of which there are none."""
    need = NEEDS["relevance"]
    for measure in [utility] if isinstance(utility, Measure) else registry.parse(str(utility)):
        if need.name in measure.needs and by != HEADROOM:
            raise UsageError(f"{by} needs judgements; give QRELS, or utility={SCORES}")
        if need.name in measure.needs:
            raise UsageError(f"{measure} needs {need.missing}; give {asked_by(f'{need.give}, or --utility {SCORES}')}")

"""``fairtrec.gold.judges``: whether judges, such as language models, err alike for all groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from typing import Any, Unpack

import numpy as np

from fairtrec.data import MISSING, NONE, UNKNOWN, Ints, Qrels, Queries, Run, find_judged_lines, list_distinct
from fairtrec.data.run import QrelsIndex
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.given.labels import refuse_unwritten_groups
from fairtrec.evaluation.given.qrels import QRELS
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.evaluation.session import Evaluator
from fairtrec.evaluation.signature import write_signature
from fairtrec.formats import sheets
from fairtrec.lab.gold.draw import origins
from fairtrec.lab.gold.instruments import (
    SEVERAL,
    Instrument,
    classify_documents,
    has_instrument,
    look_up_weights,
    open_session,
)
from fairtrec.lab.gold.judge_families import (
    FamilyList,
    JudgeFamily,
    compare_families,
    correct_families,
    read_families,
)
from fairtrec.lab.gold.judge_orders import JudgedRuns, JudgeOrder, note_unreliable
from fairtrec.lab.gold.judge_rates import (
    ClusterEstimate,
    PairCounts,
    count_pairs,
    estimate_kappa,
    estimate_rate,
    subtract_rates,
    subtract_within,
)
from fairtrec.measure import Measure
from fairtrec.report.run_names import shorten_names
from fairtrec.statistics.corrections import correct_p_values
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.literals import Correction, RankedBy, RunFormat, ScoreType
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, merge_runs

ALL = "all"
RATES = "recall", "false_positive"
HIGHER, LOWER, NOT_SHOWN, NOT_TESTED = "higher", "lower", "not shown", "not tested"
VERDICTS = HIGHER, LOWER, NOT_SHOWN, NOT_TESTED
IDLE = ("target", "membership", "missing", "order", "depth", "qrels")  # of a signature: what plays no part
NOT_JUDGED = NoteKind(
    "pairs without a judge", "{pairs:,} of {of:,} pairs are not in {runs} and are left out", NoteSeverity.MISLEADING
)
NOT_HUMAN = NoteKind("pairs without people", "{pairs:,} of {of:,} pairs of {runs} are not in {human} and are left out")
NO_KIND = NoteKind(
    "pairs of unknown group",
    "{pairs:,} pairs have a document without {what} and are the group ?",
    NoteSeverity.MISLEADING,
)
LOW_GRADES = NoteKind(
    "grades below the level",
    "the highest grade of {runs} is {highest}, below level {level}; set --judge-level to the grade that means relevant",
    NoteSeverity.MISLEADING,
)


@dataclass(frozen=True, eq=False)
class JudgedGroup:
    """How a judge does on the pairs of one group: numbers of pairs, and rates with their intervals."""

    group: str
    pairs: int
    relevant: int
    judged_relevant: int
    recall: ClusterEstimate
    false_positive: ClusterEstimate
    kappa: ClusterEstimate


@dataclass(frozen=True)
class JudgeDifference:
    """The rate of one group minus that of another, ``of`` these two, over all queries and within queries.

    The p, its correction and the verdict are of the difference within queries.
    """

    of: tuple[str, str]
    rate: str
    overall: ClusterEstimate
    within: ClusterEstimate
    p_corrected: float
    verdict: str


@dataclass(frozen=True, eq=False)
class JudgeAudit:
    """One judge: its pairs in common with people, groups, differences, orders of runs, and families of runs.

    ``only_human`` and ``only_judge`` count the pairs that only one of the two has; ``highest`` is the judge's highest
    grade.
    """

    judge: str
    pairs: int
    only_human: int
    only_judge: int
    queries: int
    highest: int
    groups: tuple[JudgedGroup, ...]
    differences: tuple[JudgeDifference, ...]
    orders: tuple[JudgeOrder, ...]
    families: tuple[JudgeFamily, ...] = ()
    notes: tuple[Note, ...] = ()  # on the qrels of the judge


@dataclass(frozen=True, eq=False, repr=False)
class JudgeAudits(Answer):
    """Several judges next to the same people, in the order in which they were given."""

    human: str  # the name of the qrels by people
    judges: tuple[JudgeAudit, ...]  # the comparison of each judge with people
    judge_level: int  # the grade from which a judge calls a document relevant
    unknown_what: str  # pairs of unknown group lack
    confidence: float  # the level of the intervals
    correction: Correction  # the correction of the p-values
    measures: tuple[Measure, ...]  # that order runs
    equivalence: float | None  # the margin within which a difference of families does not matter
    of_human: tuple[Note, ...]  # notes on the qrels by people
    ordered: tuple[Note, ...]  # notes on the orders
    signature: Signature  # every choice that changes a number

    @property
    def notes(self) -> list[Note]:
        """The notes on the numbers."""
        said: dict[Note, list[int]] = {}
        for at, audit in enumerate(self.judges):
            if audit.only_human:
                note = NOT_JUDGED.note(pairs=audit.only_human, of=audit.pairs + audit.only_human)
                said.setdefault(note, []).append(at)
            if audit.only_judge:
                note = NOT_HUMAN.note(pairs=audit.only_judge, of=audit.pairs + audit.only_judge, human=self.human)
                said.setdefault(note, []).append(at)
            if audit.highest < self.judge_level:
                note = LOW_GRADES.note(highest=audit.highest, level=self.judge_level)
                said.setdefault(note, []).append(at)
            for note in audit.notes:
                said.setdefault(note, []).append(at)
        names = [audit.judge for audit in self.judges]
        found = merge_runs(said, names, shorten_names(names))
        unknown = [group.pairs for audit in self.judges for group in audit.groups if group.group == UNKNOWN]
        if any(unknown):
            found.append(NO_KIND.note(pairs=max(unknown), what=self.unknown_what))
        every = [order for audit in self.judges for order in audit.orders]
        return [*self.of_human, *found, *note_unreliable(every, self.measures), *self.ordered]


def judges(
    human: Any,
    judges: Any,
    *,
    relevance_level: int | None = None,
    judge_level: int | None = None,
    queries: Any = None,
    runs: Any = None,
    measures: Any = None,
    families: Any = None,
    equivalence: float | None = None,
    reference: str | None = None,
    correction: Correction = "holm",
    confidence: float = 0.95,
    order: RankedBy = "score",
    score_dtype: ScoreType = "float64",
    run_format: RunFormat = "auto",
    columns: str | Mapping[str, str] | None = None,
    **instrument: Unpack[Instrument],
) -> JudgeAudits:
    """Compare judges with people group by group: recall, false positives, kappa, and the order of runs.

    Args:
        human: the judgments of people, as ``evaluate`` takes qrels.
        judges: the judgments of each judge: ``{name: qrels}``, a list of files, or one.
        relevance_level: the grade from which people call a document relevant. Default 1.
        judge_level: the same of the judges, if their scale is another. Default ``relevance_level``.
        queries: use these queries only: the name of a query set, a file, or ids.
        runs: three runs or more, whose orders by people and by each judge are compared.
        measures: by which runs are ordered. Default nDCG@10, and DTR if it fits the groups.
        families: of runs, each compared with all other runs: a file of lines ``run family``, ``{run: family}``, or
            words with which the names of runs begin. No groups are needed then.
        equivalence: test if families differ from the others by less than this margin.
        reference: compare each group with this one only; - is no group.
        correction: of the p-values of all judges, rates and differences. Default holm.
        confidence: the level of the intervals, between 0 and 1. Default 0.95.
        order: what ranks the runs; ``score_dtype`` and ``run_format`` as for ``evaluate``.
        score_dtype: as for ``evaluate``.
        run_format: as for ``evaluate``.
        instrument: what decides groups, as for ``evaluate``: ``labels``; or ``counts``; or ``terms`` with ``docs``.

    Returns:
        A JudgeAudits with one JudgeAudit for each judge.

    Raises:
        UsageError: nothing decides groups; a bad argument; fewer than three runs; a measure without judgments.
        InputError: a file that cannot be read; no pair in common; no relevant pair.

    """
    procedure = Procedure(confidence=confidence, correction=correction, equivalence=equivalence)
    _refuse_without_runs(runs, measures, families, equivalence)
    session = _open_groups(instrument, families)
    chosen = None if queries is None else loading.queries(queries)
    level = 1 if relevance_level is None else relevance_level
    of_judges = level if judge_level is None else judge_level
    people = _read_people(human, chosen, session, level)
    _refuse_reference(reference, people.compared)
    named = _name_judges(judges)
    several = [_keep_queries(loading.qrels(thing), chosen, thing) for _, thing in named]
    ordering, listed = None, None
    if runs is not None:
        choices = Choices(order=order, score_dtype=score_dtype, run_format=run_format, columns=columns)
        levels = relevance_level, relevance_level if judge_level is None else judge_level
        ordering = JudgedRuns(runs, measures, people.qrels, levels, choices, instrument)
        listed = None if families is None else read_families(families, ordering.named)
    every = [
        _audit(people, name, judge, thing, of_judges, reference, ordering, listed, procedure)
        for (name, thing), judge in zip(named, several, strict=True)
    ]
    said = _describe_inputs((session, ordering), people, human, named)
    said |= {
        "relevance-level": str(level),
        "judge-level": "" if of_judges == level else str(of_judges),
        "queries": "" if chosen is None else loading.short(chosen.name, chosen.sha256),
        "reference": reference or "",
    }
    if ordering is not None:
        said["measures"] = " ".join(map(str, ordering.measures))
        said |= {"order": order, "scores": "" if score_dtype == "float64" else score_dtype}
        said["runs"] = sheets.write_runs(origins(loading.name_rankings(runs)))
        said |= _describe_families(listed, equivalence)
    return JudgeAudits(
        human=people.name,
        judges=_correct(every, procedure),
        judge_level=of_judges,
        unknown_what=_describe_unknown(session),
        confidence=confidence,
        correction=correction,
        measures=() if ordering is None else ordering.measures,
        equivalence=equivalence,
        of_human=people.qrels.notes,
        ordered=() if ordering is None else (*ordering.notes, *([] if listed is None else listed.list_notes())),
        signature=Signature({**said, "correction": correction, "confidence": f"{confidence:g}"}),
    )


@dataclass(frozen=True, eq=False)
class HumanPairs:
    """The pairs that people judged, each once, and the group of each.

    ``lines``    of the qrels [pair]; of several subtopics the one with the highest grade.
    ``query``    the number of the query of each pair, by qid [pair].
    ``kinds``    the group of each, as a number into ``names`` [pair].
    ``compared`` the groups whose rates are compared.
    ``has_groups`` is False if nothing decides groups, and all pairs are one.
    """

    name: str
    qrels: Qrels
    lines: Ints
    query: Ints
    kinds: Ints
    names: tuple[str, ...]
    compared: tuple[str, ...]
    level: int
    has_groups: bool = True

    @property
    def shown_groups(self) -> tuple[str, ...]:
        """The groups in the order of the report; those beside the groups only if some pair is of them."""
        if not self.has_groups:
            return ()
        *groups, none, several, unknown = self.names
        some = {self.names[kind] for kind in list_distinct(self.kinds).tolist()}
        return (*groups, *(name for name in (several, none, unknown) if name in some))


def _read_people(human: Any, chosen: Queries | None, session: Evaluator | None, level: int) -> HumanPairs:
    """Read the judgments of people, and look up the group of each pair. Raises InputError if none is relevant."""
    qrels = _keep_queries(loading.qrels(human), chosen, human)
    path = human if isinstance(human, PATH) else None
    if not (qrels.grades >= level).any():
        what = f"no pair has grade {level} or more"
        raise InputError(f"{what}; the highest is {int(qrels.grades.max())}, set -l to a lower grade", path)
    qids = tuple(sorted(qrels.qids))  # so that sums are the same in any order of lines
    lines = find_judged_lines(qrels, qids)
    several, query = lines[lines != MISSING], np.nonzero(lines != MISSING)[0]
    starts = np.searchsorted(query, np.arange(len(qids) + 1))
    pairs = Run("people", "people", qids, starts, qrels.docnos[several], np.zeros(len(several)))
    name = opening.name(path) if path is not None else "the qrels"
    if session is None:
        kinds = np.zeros(len(several), dtype=np.int64)
        return HumanPairs(name, qrels, several, query, kinds, (NONE, SEVERAL, UNKNOWN), (), level, has_groups=False)
    weights, groups = look_up_weights(session, pairs, np.arange(len(several)))
    kinds = classify_documents(weights)
    compared = (*groups, NONE) if (kinds == len(groups)).any() else groups
    return HumanPairs(name, qrels, several, query, kinds, (*groups, NONE, SEVERAL, UNKNOWN), compared, level)


def _open_groups(instrument: Instrument, families: Any) -> Evaluator | None:
    """Open what decides groups; None if nothing does, and families are compared. Raises UsageError for nothing else."""
    if families is not None and not has_instrument(instrument):
        return None
    session = open_session(instrument, "a judge is compared group by group, and nothing decides groups")
    refuse_unwritten_groups(session.plan)
    return session


def _describe_unknown(session: Evaluator | None) -> str:
    """Say what pairs of unknown group lack."""
    return "counts or text" if session is None or session.plan.context.labels is None else "a label"


def _describe_families(listed: FamilyList | None, equivalence: float | None) -> dict[str, str]:
    """Say which families are compared within which margin."""
    margin = "" if equivalence is None else f"{equivalence:g}"
    return {"families": "" if listed is None else listed.source, "equivalence": margin}


def _refuse_without_runs(runs: Any, measures: Any, families: Any, equivalence: float | None) -> None:
    """Raise UsageError for what is done with runs if there are none, and for a margin without families."""
    if runs is None and measures:
        raise UsageError("measures order runs, and there are none; add --runs, or leave out -m")
    if runs is None and families is not None:
        raise UsageError("families are of runs, and there are none; add --runs, or leave out --families")
    if equivalence is not None and families is None:
        raise UsageError("equivalence is about families of runs; add --families, or leave out --equivalence")


def _keep_queries(qrels: Qrels, chosen: Queries | None, thing: Any) -> Qrels:
    """Keep the judgments of these queries. Raises InputError if there are none."""
    if chosen is None:
        return qrels
    among = set(chosen.qids)
    wanted = np.array([qid in among for qid in qrels.qids], dtype=np.bool_)
    if not wanted.any():
        path = thing if isinstance(thing, PATH) else None
        raise InputError(f"no pair is of a query of {chosen.name}; check --queries", path)
    return qrels.keep_lines(wanted[qrels.query])


def _name_judges(judges: Any) -> list[tuple[str, Any]]:
    """Name each judge: a file's own name, the key of a dict, or a number."""
    named = loading.name_rankings(judges)
    return [("judge", named[0][1])] if len(named) == 1 and named[0][0] == "run" else named


def _refuse_reference(reference: str | None, compared: Sequence[str]) -> None:
    if reference is not None and reference not in compared:
        raise UsageError(f"no group is called {reference}; --reference takes one of {', '.join(compared)}")


def _audit(
    people: HumanPairs,
    name: str,
    judge: Qrels,
    thing: Any,
    level: int,
    reference: str | None,
    ordering: JudgedRuns | None,
    families: FamilyList | None,
    procedure: Procedure,
) -> JudgeAudit:
    """Compare a judge with people, over the pairs that both have. Raises InputError if there are none."""
    qrels, index, confidence = people.qrels, QrelsIndex(judge), procedure.confidence
    grades = index.find_grades(judge.numbers(qrels.qids)[qrels.query], qrels.docnos)
    kept = ~np.isnan(grades[people.lines])
    pairs = int(kept.sum())
    if not pairs:
        what = f"no pair of query and document is in {people.name} too"
        raise InputError(f"{what}; are both of the same collection?", thing if isinstance(thing, PATH) else None)
    lines = people.lines[kept]
    human, found = qrels.grades[lines] >= people.level, grades[lines] >= level
    query = people.query[kept]
    counts = count_pairs(people.kinds[kept], query, human, found, len(people.names), len(qrels.qids))
    groups = dict(zip(people.names, counts, strict=True))
    total = sum(counts[1:], counts[0])
    orders: list[JudgeOrder] = []
    of_families: list[JudgeFamily] = []
    if ordering is not None:
        own = QrelsIndex(qrels).find_grades(qrels.numbers(judge.qids)[judge.query], judge.docnos)
        in_both = ~np.isnan(grades)
        values = ordering.evaluate(qrels.keep_lines(in_both), judge.keep_lines(~np.isnan(own)), in_both)
        orders = ordering.compare(values, confidence)
        if families is not None:
            for row, measure in enumerate(ordering.measures):
                of_families += compare_families(measure, values.subtract(row), families, procedure)
    return JudgeAudit(
        judge=name,
        pairs=pairs,
        only_human=len(people.lines) - pairs,
        only_judge=len(index.grades) - pairs,
        queries=len(list_distinct(query)),
        highest=int(judge.grades.max()),
        groups=tuple(
            _describe_group(group, of, confidence)
            for group, of in (*((group, groups[group]) for group in people.shown_groups), (ALL, total))
        ),
        differences=tuple(_list_differences(groups, people.compared, reference, confidence)),
        orders=tuple(orders),
        families=tuple(of_families),
        notes=judge.notes,
    )


def _describe_group(group: str, of: PairCounts, confidence: float) -> JudgedGroup:
    return JudgedGroup(
        group=group,
        pairs=int(of.pairs.sum()),
        relevant=int(of.relevant.sum()),
        judged_relevant=int(of.judged.sum()),
        recall=estimate_rate(*of.recall, confidence),
        false_positive=estimate_rate(*of.false_positives, confidence),
        kappa=estimate_kappa(of, confidence),
    )


def _list_differences(
    groups: Mapping[str, PairCounts], compared: Sequence[str], reference: str | None, confidence: float
) -> Iterator[JudgeDifference]:
    """Compare every two groups, or each with the reference; the p-values are still to be corrected."""
    pairs = [*combinations(compared, 2)]
    if reference is not None:
        pairs = [(group, reference) for group in compared if group != reference]
    for rate in RATES:
        for one, other in pairs:
            first, second = (
                of.recall if rate == "recall" else of.false_positives for of in (groups[one], groups[other])
            )
            overall, within = (each(first, second, confidence) for each in (subtract_rates, subtract_within))
            yield JudgeDifference((one, other), rate, overall, within, within.p, NOT_TESTED)


def _correct(every: Sequence[JudgeAudit], procedure: Procedure) -> tuple[JudgeAudit, ...]:
    """Correct the p-values of all judges, rates and differences as one, and those of families; give the verdicts."""
    p = np.array([each.within.p for audit in every for each in audit.differences])
    found = iter(correct_p_values(p, procedure.correction).tolist())
    families = correct_families([audit.families for audit in every], procedure, VERDICTS)
    return tuple(
        replace(
            audit,
            differences=tuple(_judge(each, next(found), procedure.alpha) for each in audit.differences),
            families=of_families,
        )
        for audit, of_families in zip(every, families, strict=True)
    )


def _judge(of: JudgeDifference, p: float, alpha: float) -> JudgeDifference:
    verdict, difference = NOT_TESTED if isnan(p) else NOT_SHOWN, of.within.value
    if p <= alpha:
        verdict = HIGHER if difference > 0 else LOWER
    return replace(of, p_corrected=p, verdict=verdict)


def _describe_inputs(
    opened: tuple[Evaluator | None, JudgedRuns | None],
    people: HumanPairs,
    human: Any,
    named: Sequence[tuple[str, Any]],
) -> dict[str, str]:
    """Name what was given, each with its digest, and what decides groups, if anything does."""
    session, ordering = opened
    if session is None:
        assert ordering is not None
        session = ordering.session
    made = write_signature(session.plan, session.prepare_reading(), session.files)
    digest = opening.sha256(human) if loading.is_file(human) else QRELS.digest(people.qrels)
    return {
        "fairtrec": made["fairtrec"],
        "human": loading.short(people.name, digest),
        "judges": sheets.write_runs(
            origins([(name, thing if loading.is_file(thing) else None) for name, thing in named])
        ),
        **{name: value for name, value in made.items() if name not in (*IDLE, "fairtrec")},
    }

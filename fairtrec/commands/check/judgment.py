"""The gate: does a run meet its requirements, and could the data have shown it if not?

An absolute requirement is about the mean. A relative one fails where the paired confidence interval of the difference
lies wholly beyond the bound. Where it reaches across the bound, the run passes for want of evidence, with a warning
that says on which side the mean is and from which difference on it would have failed; or fails, where proof is asked
for.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from fairtrec.commands.check.evidence import (
    FEW_CLUSTERS,
    POWER,
    IntervalRule,
    describe_lacking,
    open_ends,
    weigh,
    weigh_deletions,
    write_percent,
)
from fairtrec.commands.check.requirement import STATUSES, USUAL, Evidence, Gate, Requirement, Status, ToLabel, Verdict
from fairtrec.commands.check.totals import judge_total
from fairtrec.data import Floats
from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.columns.unknown import UnknownIntervals
from fairtrec.evaluation.deletions import number_clusters
from fairtrec.formulas.labelings.unlabeled import DRAWN
from fairtrec.formulas.rounding import finite, same
from fairtrec.measure import Measure
from fairtrec.statistics import deleted_clusters, paired
from fairtrec.statistics.doubt import count_differing, explain_few, is_difference_doubtful, is_doubtful
from fairtrec.statistics.value_ranges import Range, bound_difference, bound_size, cut_ends
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Method


@dataclass(frozen=True, eq=False)
class Open:
    """One measure of a run [1, query]: its values at the least and at the greatest end."""

    scores: Scores
    unknown: UnknownIntervals
    low: Floats
    high: Floats

    @classmethod
    def take(cls, scores: Scores | None, measure: Measure, *, unsigned: bool) -> "Open | None":
        """Take a measure of a run whose groups are not all known; None where that does not matter."""
        several = [] if scores is None else UnknownIntervals.find_all([scores])
        if scores is None or not several:
            return None
        row, found = scores.measures.index(measure), several[0][1]
        low, high, values = found.least[[row]], found.greatest[[row]], scores.values[[row]]
        alike = same(low, high) & same(low, values) | np.isnan(low) & np.isnan(values)
        if alike.all():
            return None
        if unsigned:
            sizes = np.abs(low), np.abs(high)
            low, high = np.where((low < 0) & (high > 0), 0.0, np.minimum(*sizes)), np.maximum(*sizes)
        one = replace(scores, measures=(measure,), values=values, columns={})
        return cls(one, found.keep_measures([row]), low, high)

    def take_end(self, *, high: bool) -> Scores:
        """Give the scores as they are at one end."""
        return replace(self.scores, values=self.high if high else self.low)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the mean."""
        low, high = (float(self.take_end(high=high).means[0]) for high in (False, True))
        return low, high

    @property
    def with_bounds(self) -> int:
        """The queries that the ends are over; undefined values may have ends."""
        return int(self.take_end(high=False).defined[0])

    @property
    def doubt(self) -> str:
        """Say where the ends are no bounds."""
        many = int(self.unknown.drawn.sum())
        what = f"in {many} queries only {DRAWN} random labelings were tried, so this is no proof"
        return what if many else ""

    @property
    def to_label(self) -> ToLabel | None:
        """Say what to label; None where it is texts that are missing, or was not looked for."""
        found = self.unknown
        moved = np.flatnonzero((found.rank[0] > 0) & ~same(self.low[0], self.high[0]))
        if not len(moved):
            return None
        first = int(moved[found.moves[0, moved].argmax()])
        many = len({docno for query in moved for docno in found.documents[0, query]})
        return ToLabel(many, found.docno[0, first], int(found.rank[0, first]), self.scores.qids[first])


def decided(verdict: Verdict, worst: Verdict, best: Verdict, opened: Sequence[Open], gate: Gate) -> Verdict:
    """Say what a verdict comes to, given those at both ends of what the labels leave open."""
    doubt = "; ".join(dict.fromkeys(filter(None, (each.doubt for each in opened))))
    if (own := next((each for each in opened if each.scores.run == verdict.run), None)) is not None:
        verdict = replace(verdict, ends=own.ends, with_bounds=own.with_bounds)
    if _meets(best, gate) and not _meets(worst, gate):
        label = next((each.to_label for each in opened if each.to_label is not None), None)
        many = sum(int((~same(each.low, each.high)).sum()) for each in opened)
        reason = f"not decided: {label if label is not None else f'{many} queries are open'}"
        return replace(verdict, status="undecided", reason=reason, label=label)
    found = best if gate.fails(best.status) else worst
    reason = f"{found.reason}, whatever is unknown" if gate.fails(found.status) else found.reason
    status: Status = "warning" if doubt and found.status == "passed" else found.status
    return replace(verdict, status=status, reason="; ".join(filter(None, (reason, doubt))))


def _meets(verdict: Verdict, gate: Gate) -> bool:
    """Tell whether a run meets a requirement at one end; the mean difference decides of one with a baseline."""
    found, asked = verdict.evidence, verdict.requirement
    return not gate.fails(verdict.status) and (found is None or asked.holds(found.difference, asked.offset))


def judge(
    scores: Scores,
    requirements: Sequence[Requirement],
    *,
    baseline: Scores | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    gate: Gate = USUAL,
    clusters: Mapping[str, str] = MappingProxyType({}),
) -> list[Verdict]:
    """Judge one run: a verdict for each requirement, and one for each slice or group where every one is asked for.

    ``clusters`` has the cluster of each query; nothing: queries are independent.

    Raises UsageError where a requirement asks for a baseline, slices or a measure that is not there.
    """
    verdicts: list[Verdict] = []
    for requirement in requirements:
        if not requirement.scope:
            verdicts.append(_judged(requirement, scores, baseline, IntervalRule(gate, gate.alpha, clusters)))
            continue
        if requirement.parts == "group":
            each = _judge_groups(requirement, scores, baseline, IntervalRule(gate, gate.alpha, clusters))
        elif slices:
            rule = IntervalRule(gate, gate.alpha_per_part(len(slices)), clusters)
            each = [
                replace(_judged(requirement, slicing.keep_queries(scores, qids), baseline, rule), slice=name)
                for name, qids in slices.items()
            ]
        else:
            raise UsageError(f"{requirement}: which slices? add --slice FILE")
        verdicts += [max(each, key=_badness)] if requirement.is_of_worst else each
    return verdicts


def _judge_groups(
    requirement: Requirement, scores: Scores, baseline: Scores | None, rule: IntervalRule
) -> list[Verdict]:
    """Judge each group. Raises UsageError if there is none."""
    measures = requirement.list_measures(scores.measures)
    if not measures:
        raise UsageError(
            f"{requirement}: {requirement.measure} was not evaluated for any group; add --labels or --terms"
        )
    rule = rule._replace(alpha=rule.gate.alpha_per_part(len(measures)))
    several = ((each, replace(requirement, measure=each)) for each in measures)
    return [
        replace(_judged(of_group, scores, baseline, rule), group=getattr(each, "group", None))
        for each, of_group in several
    ]


def _badness(verdict: Verdict) -> tuple[int, float]:
    """Order verdicts: by status, then by how far the value lies below (or above) what is asked for."""
    short = verdict.bound - verdict.value if verdict.requirement.upward else verdict.value - verdict.bound
    return STATUSES.index(verdict.status), math.inf if math.isnan(short) else short


def _only(scores: Scores, requirement: Requirement) -> Scores:
    if requirement.measure not in scores.measures:
        requirement.measure.refuse_several(scores.measures)
        what = f"{requirement.measure} has a value for each group, and a requirement is about one"
        raise UsageError(f"{requirement}: {what}; name the group, like TE(group='f')@10, or write: worst group ...")
    row = scores.measures.index(requirement.measure)
    values = np.abs(scores.values[[row]]) if requirement.unsigned else scores.values[[row]]
    return replace(scores, measures=(scores.measures[row],), values=values, columns={})


def _judged(requirement: Requirement, scores: Scores, baseline: Scores | None, rule: IntervalRule) -> Verdict:
    one = _only(scores, requirement)
    if requirement.relative and baseline is None:
        raise UsageError(f"{requirement}: which baseline? add --baseline RUN|FILE")
    if (verdict := judge_total(requirement, scores, baseline, rule)) is not None:
        return verdict
    base = _only(baseline, requirement) if requirement.relative and baseline is not None else None
    verdict = _known(requirement, one, base, rule)
    mine, theirs = (Open.take(each, requirement.measure, unsigned=requirement.unsigned) for each in (scores, baseline))
    theirs = theirs if requirement.relative else None
    if mine is None and theirs is None:
        return verdict
    worst, best = (
        _known(
            requirement,
            one if mine is None else mine.take_end(high=high),
            base if theirs is None else theirs.take_end(high=not high),
            rule,
        )
        for high in (not requirement.upward, requirement.upward)
    )
    return decided(verdict, worst, best, [each for each in (mine, theirs) if each is not None], rule.gate)


def _known(requirement: Requirement, scores: Scores, baseline: Scores | None, rule: IntervalRule) -> Verdict:
    if baseline is None:
        return _absolute(requirement, scores, rule)
    return _relative(requirement, scores, baseline, rule)


def _absolute(requirement: Requirement, scores: Scores, rule: IntervalRule) -> Verdict:
    """Judge the mean itself; its interval, of how it would be with other queries, decides where proof is asked for."""
    gate, alpha = rule.gate, rule.alpha
    value, defined, queries = float(scores.means[0]), int(scores.defined[0]), len(scores.qids)
    values = scores.values[0][~np.isnan(scores.values[0])]
    bounds, deciding = _bound(requirement, scores), count_differing(values)
    scale = defined if requirement.measure.total else 1
    few = _write_few(deciding, len(values), "values")
    if rule.clusters:
        clusters = number_clusters(scores.qids, rule.clusters)
        found = deleted_clusters.bound_mean(scores.values[0], clusters, 1 - alpha)
        low, high = open_ends(cut_ends((found.low, found.high), bounds), scale)
        doubtful, few = math.isfinite(low + high) and found.doubtful, FEW_CLUSTERS
    else:
        low, high = _interval(values, gate.interval, alpha, scale, bounds)
        doubtful = math.isfinite(low + high) and is_doubtful(deciding)
    bound, side = requirement.offset, "below" if requirement.upward else "above"
    reason = ""
    if math.isnan(value):
        none = f"{requirement.measure} is undefined for each of the {queries} queries"
        reason = none if queries else "none of its queries was evaluated"
    elif not requirement.holds(value, bound):
        reason = f"the mean is {bound:g} itself" if value == bound else f"the mean is {side} {bound:g}"
    elif gate.prove and not requirement.holds(low if requirement.upward else high, bound):
        reason = f"the mean meets {bound:g}, but its {write_percent(alpha)} interval reaches {side} it (--prove)"
    status: Status = "failed" if reason else "passed"
    if gate.prove and doubtful and status == "passed":
        status, reason = "warning", few
    return Verdict(requirement, scores.run, status, reason, value, bound, defined, queries, (low, high), doubtful)


def _bound(requirement: Requirement, scores: Scores) -> Range:
    """Give the least and the greatest value that a query can have, of sizes if the requirement is about these."""
    return bound_size(scores.find_bounds(0)) if requirement.unsigned else scores.find_bounds(0)


def _write_few(deciding: int, many: int, what: str) -> str:
    """Write that fewer than ten decide, so that the interval is surer than the data."""
    verb = "differs" if deciding == 1 else "differ"
    return f"only {deciding} of {many} {what} {verb} from the most frequent one ({explain_few('of them')})"


def _interval(values: Floats, method: Method, alpha: float, scale: int, bounds: Range) -> tuple[float, float]:
    """Give the interval of a mean, times ``scale``, cut at the ``bounds`` of the values.

    What the data leave open, as one query does, is infinite.
    """
    if len(values) < 2 or not finite(values).all():
        return -math.inf, math.inf
    return open_ends(cut_ends(paired.interval(values, method, confidence=1 - alpha), bounds), scale)


def _relative(requirement: Requirement, scores: Scores, baseline: Scores, rule: IntervalRule) -> Verdict:
    gate, alpha = rule.gate, rule.alpha
    common = slicing.keep_common_queries(scores, baseline)
    mine, theirs = (each.values[0] for each in common)
    both = ~(np.isnan(mine) | np.isnan(theirs))
    value, base = mine[both], theirs[both]
    many = len(value)
    verdict = Verdict(requirement, scores.run, "failed", "", math.nan, math.nan, many, len(scores.qids))
    if not many:
        return replace(verdict, reason="no query has a value of both the run and the baseline")
    if not (finite(value) & finite(base)).all():
        return replace(verdict, reason="a value is infinite, so the difference has no mean")
    total = requirement.measure.total
    differences, scale = paired.subtract(value, requirement.factor * base), many if total else 1
    changes, bounds = paired.subtract(value, base), bound_difference(_bound(requirement, scores), requirement.factor)
    evidence = _compared(requirement, differences, float(base.mean()) * scale, bounds, gate.interval, alpha, scale)
    evidence = replace(evidence, deciding=min(evidence.deciding, count_differing(changes)))
    doubtful, few = many > 1 and is_difference_doubtful(changes, differences), ""
    if rule.clusters:
        clusters = number_clusters(common[0].qids, rule.clusters)[both]
        one, other = (deleted_clusters.delete_from_mean(each, clusters, 1 - alpha) for each in (value, base))
        apart = deleted_clusters.compare_deletions(one, other, 1 - alpha, factor=requirement.factor)
        evidence = weigh_deletions(requirement, apart, evidence.baseline, bounds, alpha, scale)
        doubtful, few = apart.doubtful, FEW_CLUSTERS
    point = float(value.sum() if total else value.mean())
    bound = requirement.factor * evidence.baseline + requirement.offset
    status, reasons = weigh(requirement, evidence, gate, alpha)
    if doubtful:
        reasons.append(few or _write_few(evidence.deciding, many, "differences"))
    if status != "failed" and (lacking := describe_lacking(requirement, scores, baseline)):
        reasons.append(f"{lacking}; -c counts them as empty rankings")
    if status == "passed" and reasons:
        status = "warning"
    found = replace(verdict, status=status, reason="; ".join(reasons), value=point, bound=bound, evidence=evidence)
    return replace(found, doubtful=doubtful)


def _compared(
    requirement: Requirement,
    differences: Floats,
    base: float,
    bounds: Range,
    method: Method,
    alpha: float,
    scale: int,
) -> Evidence:
    """Look at the differences of queries; ``scale`` makes the mean a sum for a measure that counts."""
    low, high = _interval(differences, method, alpha, scale, bounds)
    least = paired.detectable(differences, alpha=alpha, power=POWER) if len(differences) > 1 else math.inf
    tolerance = abs((requirement.factor - 1) * base + requirement.offset)
    deciding = count_differing(differences)
    return Evidence(base, float(differences.mean()) * scale, low, high, tolerance, least * scale, deciding)

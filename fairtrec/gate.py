"""The gate: does a run meet its requirements, and could the data have shown it if not?

An absolute requirement is about the mean. A relative one fails where the paired confidence interval of the difference
lies wholly beyond the bound. Where it reaches beyond the bound, the run passes for want of evidence: if a difference
as large as the tolerance could hardly have been found (a power below 80 %), that is said, as a warning.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairtrec import paired, slicing
from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.evaluation import Scores
from fairtrec.requirement import Requirement
from fairtrec.rounding import finite
from fairtrec.slicing import Slices

Status = Literal["passed", "warning", "failed"]
STATUSES: tuple[Status, ...] = ("passed", "warning", "failed")  # the worse, the later
POWER = 0.8
LEAST = 0.0001  # alpha; of less, no data of a few queries say anything


@dataclass(frozen=True)
class Evidence:
    """How a run's mean differs from the baseline's (times the factor of the requirement), over the queries of both."""

    baseline: float
    difference: float
    low: float
    high: float
    tolerance: float
    detectable: float  # the smallest true difference that is found with a power of 80 %


@dataclass(frozen=True)
class Verdict:
    """Whether a run meets a requirement, on all queries or on those of a slice, and why not."""

    requirement: Requirement
    run: str
    status: Status
    reason: str
    value: float
    bound: float
    defined: int  # the queries behind the value
    queries: int  # of the run, or of the slice
    slice: str | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Rule:
    """How much evidence it takes: the interval is of confidence 1 - alpha; ``strict`` goes by the point alone."""

    alpha: float = 0.05
    strict: bool = False

    def __post_init__(self) -> None:
        if not LEAST <= self.alpha < 1:
            raise UsageError(f"alpha is {self.alpha}; it lies between {LEAST} and 1, like 0.05")


def check(
    scores: Scores,
    requirements: Sequence[Requirement],
    *,
    baseline: Scores | None = None,
    slices: Slices | None = None,
    rule: Rule | None = None,
) -> list[Verdict]:
    """Judge one run: a verdict for each requirement, and one for each slice where every slice is asked for.

    Raises UsageError where a requirement asks for a baseline, slices or a measure that is not there.
    """
    verdicts: list[Verdict] = []
    for requirement in requirements:
        if not requirement.scope:
            verdicts.append(_judged(requirement, scores, baseline, rule or Rule()))
            continue
        if not slices:
            raise UsageError(f"{requirement}: which slices? give --slice FILE")
        each = [
            replace(_judged(requirement, slicing.restricted(scores, qids), baseline, rule or Rule()), slice=name)
            for name, qids in slices.items()
        ]
        verdicts += each if requirement.scope == "every slice" else [max(each, key=_badness)]
    return verdicts


def notes(
    runs: Sequence[Scores], requirements: Sequence[Requirement], baseline: Scores | None, slices: Slices | None
) -> list[str]:
    """List what a reader should know beside the verdicts: what contradicts, what was not compared or not asked."""
    lines = [requirement.contradiction for requirement in requirements if requirement.contradiction]
    sliced = {qid for qids in (slices or {}).values() for qid in qids}
    if slices and not any(requirement.scope for requirement in requirements):
        lines.append("no requirement is about slices; write: worst slice MEASURE >= BOUND")
    asked = {str(requirement.measure) for requirement in requirements}
    for scores in runs:
        if baseline is not None and set(scores.qids) != set(baseline.qids):
            both = len(set(scores.qids) & set(baseline.qids))
            many = f"{len(scores.qids)} {'query' if len(scores.qids) == 1 else 'queries'}"
            lines.append(
                f"{scores.run} has {many}, the baseline {len(baseline.qids)}; compared over the {both} of both"
            )
        if slices and (rest := len(set(scores.qids) - sliced)):
            lines.append(f"{rest} of the {len(scores.qids)} queries of {scores.run} are in no slice")
        means = zip(map(str, scores.measures), scores.means.tolist(), strict=True)
        lines += [
            f"{scores.run}: {name} is {mean:.4f}, with no requirement" for name, mean in means if name not in asked
        ]
    return lines


def _badness(verdict: Verdict) -> tuple[int, float]:
    """Order verdicts: by status, then by how far the value lies below (or above) what is asked for."""
    short = verdict.bound - verdict.value if verdict.requirement.upward else verdict.value - verdict.bound
    return STATUSES.index(verdict.status), math.inf if math.isnan(short) else short


def _only(scores: Scores, requirement: Requirement) -> Scores:
    """Keep the measure of a requirement."""
    names = [str(measure) for measure in scores.measures]
    if str(requirement.measure) not in names:
        what = f"{requirement.measure} has a value for each group, and a requirement is about one"
        raise UsageError(f"{requirement}: {what}; name the group, like TE(group='f')@10")
    row = names.index(str(requirement.measure))
    return replace(scores, measures=(scores.measures[row],), values=scores.values[[row]], ties=None)


def _judged(requirement: Requirement, scores: Scores, baseline: Scores | None, rule: Rule) -> Verdict:
    one = _only(scores, requirement)
    if not requirement.relative:
        return _absolute(requirement, one)
    if baseline is None:
        raise UsageError(f"{requirement}: which baseline? give --baseline RUN|FILE")
    return _relative(requirement, one, _only(baseline, requirement), rule)


def _absolute(requirement: Requirement, scores: Scores) -> Verdict:
    value, defined, queries = float(scores.means[0]), int(scores.defined[0]), len(scores.qids)
    reason = ""
    if math.isnan(value):
        reason = (
            f"{requirement.measure} is undefined for each of the {queries} queries"
            if queries
            else "none of its queries was evaluated"
        )
    elif not requirement.holds(value, requirement.offset):
        reason = f"the mean is {'below' if requirement.upward else 'above'} {requirement.offset:g}"
        if value == requirement.offset:
            reason = f"the mean is {requirement.offset:g} itself"
    status: Status = "failed" if reason else "passed"
    return Verdict(requirement, scores.run, status, reason, value, requirement.offset, defined, queries)


def _relative(requirement: Requirement, scores: Scores, baseline: Scores, rule: Rule) -> Verdict:
    mine, theirs = (each.values[0] for each in slicing.common(scores, baseline))
    both = ~(np.isnan(mine) | np.isnan(theirs))
    value, base = mine[both], theirs[both]
    many = len(value)
    verdict = Verdict(requirement, scores.run, "failed", "", math.nan, math.nan, many, len(scores.qids))
    if not many:
        return replace(verdict, reason="there is no query for which both the run and the baseline have a value")
    if not (finite(value) & finite(base)).all():
        return replace(verdict, reason="a value is infinite, so the difference has no mean")
    total = requirement.measure.total
    evidence = _compared(requirement, value, base, rule, many if total else 1)
    point = float(value.sum() if total else value.mean())
    bound = requirement.factor * evidence.baseline + requirement.offset
    status, reason = _weighed(requirement, evidence, many, rule)
    lacking = 0 if requirement.scope else len(set(baseline.qids).difference(scores.qids))
    if lacking and status == "passed":
        what = f"the run lacks {lacking} of the {len(baseline.qids)} queries of the baseline"
        status, reason = "warning", f"{what}; -c counts them as empty rankings"
    return replace(verdict, status=status, reason=reason, value=point, bound=bound, evidence=evidence)


def _compared(requirement: Requirement, value: Floats, base: Floats, rule: Rule, scale: int) -> Evidence:
    """Compare query by query; ``scale`` makes the mean a sum for a measure that counts."""
    differences = paired.difference(value, requirement.factor * base)
    low, high, least = -math.inf, math.inf, math.inf  # what one query leaves open
    if len(differences) > 1:
        low, high = paired.interval(differences, confidence=1 - rule.alpha)
        least = paired.detectable(differences, alpha=rule.alpha, power=POWER)
    mean = float(base.mean())
    tolerance = abs((requirement.factor - 1) * mean * scale + requirement.offset)
    return Evidence(
        mean * scale, float(differences.mean()) * scale, low * scale, high * scale, tolerance, least * scale
    )


def _weighed(requirement: Requirement, found: Evidence, many: int, rule: Rule) -> tuple[Status, str]:
    """Weigh the evidence: beyond the bound, on the right side of it, or neither."""
    bound, beyond = requirement.offset, "below" if requirement.upward else "above"
    best, worst = (found.high, found.low) if requirement.upward else (found.low, found.high)
    percent = f"{100 * (1 - rule.alpha):g} %"
    if not requirement.holds(best, bound):
        end = "" if best != bound else " or at"
        return "failed", f"the whole {percent} interval of the difference lies {beyond}{end} {bound:g}"
    if rule.strict and not requirement.holds(found.difference, bound):
        return "failed", f"the difference is {beyond} {bound:g}, though its {percent} interval reaches it (--strict)"
    if requirement.holds(worst, bound) or not found.tolerance or found.detectable <= found.tolerance:
        return "passed", ""
    few = f"{many} {'query' if many == 1 else 'queries'} could hardly have shown a difference of {found.tolerance:.3g}"
    if math.isinf(found.detectable):
        return "warning", f"{few}; it takes more queries"
    return "warning", f"{few}, only of {found.detectable:.3g} or more (power {100 * POWER:g} %)"

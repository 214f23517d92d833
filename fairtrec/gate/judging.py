"""The gate: does a run meet its requirements, and could the data have shown it if not?

An absolute requirement is about the mean. A relative one fails where the paired confidence interval of the difference
lies wholly beyond the bound. Where it reaches across the bound, the run passes for want of evidence, with a warning
that says on which side the mean is and from which difference on it would have failed; or fails, where proof is asked
for.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairtrec.answers.scores import Scores
from fairtrec.comparison import slices as slicing
from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.formulas.rounding import finite
from fairtrec.gate.requirement import Requirement
from fairtrec.gate.verdict import STATUSES, USUAL, Evidence, Gate, Open, Status, Verdict, both_ends, decided
from fairtrec.literals import Method
from fairtrec.statistics import paired
from fairtrec.statistics.procedure import DECIDING, SCANTY

POWER = 0.8


def judge(
    scores: Scores,
    requirements: Sequence[Requirement],
    *,
    baseline: Scores | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    gate: Gate = USUAL,
) -> list[Verdict]:
    """Judge one run: a verdict for each requirement, and one for each slice where every slice is asked for.

    Raises UsageError where a requirement asks for a baseline, slices or a measure that is not there.
    """
    verdicts: list[Verdict] = []
    for requirement in requirements:
        if not requirement.scope:
            verdicts.append(_judged(requirement, scores, baseline, gate, gate.alpha))
            continue
        if not slices:
            raise UsageError(f"{requirement}: which slices? give --slice FILE")
        alpha = gate.among(len(slices))
        each = [
            replace(_judged(requirement, slicing.restricted(scores, qids), baseline, gate, alpha), slice=name)
            for name, qids in slices.items()
        ]
        verdicts += each if requirement.scope == "every slice" else [max(each, key=_badness)]
    return verdicts


def notes(
    runs: Sequence[Scores],
    requirements: Sequence[Requirement],
    baseline: Scores | None,
    slices: Mapping[str, Sequence[str]] | None,
    gate: Gate = USUAL,
) -> list[str]:
    """List what a reader should know beside the verdicts: what contradicts, what was not compared or not asked."""
    lines = [requirement.contradiction for requirement in requirements if requirement.contradiction]
    if slices and gate.among(len(slices)) < gate.alpha and any(each.scope and each.relative for each in requirements):
        lines.append(
            f"each of the {len(slices)} slices is judged with alpha {gate.among(len(slices)):.3g} (Bonferroni)"
        )
    sliced = {qid for qids in (slices or {}).values() for qid in qids}
    if slices and not any(requirement.scope for requirement in requirements):
        lines.append("no requirement is about slices; write: worst slice MEASURE >= BOUND")
    asked = {requirement.measure for requirement in requirements}
    for scores in runs:
        if baseline is not None and set(scores.qids) != set(baseline.qids):
            both = len(set(scores.qids) & set(baseline.qids))
            many = f"{len(scores.qids)} {'query' if len(scores.qids) == 1 else 'queries'}"
            lines.append(
                f"{scores.run} has {many}, the baseline {len(baseline.qids)}; compared over the {both} of both"
            )
        if slices and (rest := len(set(scores.qids) - sliced)):
            lines.append(f"{rest} of the {len(scores.qids)} queries of {scores.run} are in no slice")
        means = zip(scores.measures, scores.means.tolist(), strict=True)
        lines += [
            f"{scores.run}: {measure} is {mean:.4f}, with no requirement"
            for measure, mean in means
            if measure not in asked
        ]
    if gate.interval != "t" and any(len(scores.qids) < SCANTY for scores in runs):
        lines.append(f"the bootstrap intervals of fewer than {SCANTY} queries are too narrow; prefer --interval t")
    return lines


def _badness(verdict: Verdict) -> tuple[int, float]:
    """Order verdicts: by status, then by how far the value lies below (or above) what is asked for."""
    short = verdict.bound - verdict.value if verdict.requirement.upward else verdict.value - verdict.bound
    return STATUSES.index(verdict.status), math.inf if math.isnan(short) else short


def _only(scores: Scores, requirement: Requirement) -> Scores:
    if requirement.measure not in scores.measures:
        requirement.measure.refuse_several(scores.measures)
        what = f"{requirement.measure} has a value for each group, and a requirement is about one"
        raise UsageError(f"{requirement}: {what}; name the group, like TE(group='f')@10")
    row = scores.measures.index(requirement.measure)
    values = np.abs(scores.values[[row]]) if requirement.unsigned else scores.values[[row]]
    return replace(scores, measures=(scores.measures[row],), values=values, ties=None, unknown=None)


def _judged(requirement: Requirement, scores: Scores, baseline: Scores | None, gate: Gate, alpha: float) -> Verdict:
    one = _only(scores, requirement)
    if requirement.relative and baseline is None:
        raise UsageError(f"{requirement}: which baseline? give --baseline RUN|FILE")
    base = _only(baseline, requirement) if requirement.relative and baseline is not None else None
    verdict = _known(requirement, one, base, gate, alpha)
    mine, theirs = (Open.of(each, requirement.measure, unsigned=requirement.unsigned) for each in (scores, baseline))
    theirs = theirs if requirement.relative else None
    if mine is None and theirs is None:
        return verdict
    worst, best = both_ends(mine, theirs, one, base, upward=requirement.upward)
    ends = _known(requirement, *worst, gate, alpha), _known(requirement, *best, gate, alpha)
    return decided(verdict, *ends, [each for each in (mine, theirs) if each is not None], gate)


def _known(requirement: Requirement, scores: Scores, baseline: Scores | None, gate: Gate, alpha: float) -> Verdict:
    if baseline is None:
        return _absolute(requirement, scores, gate, alpha)
    return _relative(requirement, scores, baseline, gate, alpha)


def _absolute(requirement: Requirement, scores: Scores, gate: Gate, alpha: float) -> Verdict:
    """Judge the mean itself; its interval, of how it would be with other queries, decides where proof is asked for."""
    value, defined, queries = float(scores.means[0]), int(scores.defined[0]), len(scores.qids)
    low, high = _interval(scores.values[0], gate.interval, alpha, defined if requirement.measure.total else 1)
    bound, side = requirement.offset, "below" if requirement.upward else "above"
    reason = ""
    if math.isnan(value):
        none = f"{requirement.measure} is undefined for each of the {queries} queries"
        reason = none if queries else "none of its queries was evaluated"
    elif not requirement.holds(value, bound):
        reason = f"the mean is {bound:g} itself" if value == bound else f"the mean is {side} {bound:g}"
    elif gate.prove and not requirement.holds(low if requirement.upward else high, bound):
        reason = f"the mean meets {bound:g}, but its {_percent(alpha)} interval reaches {side} it (--prove)"
    status: Status = "failed" if reason else "passed"
    return Verdict(requirement, scores.run, status, reason, value, bound, defined, queries, (low, high))


def _interval(values: Floats, method: Method, alpha: float, scale: int) -> tuple[float, float]:
    """Give the interval of a mean, times ``scale``; what the data leave open, as one query does, is infinite."""
    values = values[~np.isnan(values)]
    if len(values) < 2 or not finite(values).all():
        return -math.inf, math.inf
    low, high = paired.interval(values, method, confidence=1 - alpha)
    return (-math.inf if math.isnan(low) else low * scale), (math.inf if math.isnan(high) else high * scale)


def _percent(alpha: float) -> str:
    return f"{100 * (1 - alpha):.6g} %"


def _relative(requirement: Requirement, scores: Scores, baseline: Scores, gate: Gate, alpha: float) -> Verdict:
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
    evidence = _compared(requirement, value, base, gate.interval, alpha, many if total else 1)
    point = float(value.sum() if total else value.mean())
    bound = requirement.factor * evidence.baseline + requirement.offset
    status, reasons = _weighed(requirement, evidence, gate, alpha)
    few_decide = status != "warning" and 0 < evidence.nonzero < DECIDING
    if few_decide and not (status == "passed" and _otherwise(requirement, value, base, gate.interval, alpha)):
        few = "1 difference is" if evidence.nonzero == 1 else f"{evidence.nonzero} differences are"
        reasons.append(f"only {few} not 0, so the interval may be too narrow")
    lacking = 0 if requirement.scope else len(set(baseline.qids).difference(scores.qids))
    if lacking and status != "failed":
        what = f"the run lacks {lacking} of the {len(baseline.qids)} queries of the baseline"
        reasons.append(f"{what}; -c counts them as empty rankings")
    if status == "passed" and reasons:
        status = "warning"
    return replace(verdict, status=status, reason="; ".join(reasons), value=point, bound=bound, evidence=evidence)


def _compared(
    requirement: Requirement, value: Floats, base: Floats, method: Method, alpha: float, scale: int
) -> Evidence:
    """Compare query by query; ``scale`` makes the mean a sum for a measure that counts."""
    differences = paired.subtract(value, requirement.factor * base)
    low, high = _interval(differences, method, alpha, scale)
    least = paired.detectable(differences, alpha=alpha, power=POWER) if len(differences) > 1 else math.inf
    mean = float(base.mean()) * scale
    tolerance = abs((requirement.factor - 1) * mean + requirement.offset)
    nonzero = int(np.count_nonzero(differences))
    return Evidence(mean, float(differences.mean()) * scale, low, high, tolerance, least * scale, nonzero)


def _otherwise(requirement: Requirement, value: Floats, base: Floats, method: Method, alpha: float) -> bool:
    """Tell whether another interval, of the percentile bootstrap or of t, lies on the right side of the bound, too."""
    differences = paired.subtract(value, requirement.factor * base)
    low, high = paired.interval(differences, "percentile" if method == "t" else "t", confidence=1 - alpha)
    scale = len(differences) if requirement.measure.total else 1
    return requirement.holds((low if requirement.upward else high) * scale, requirement.offset)


def _weighed(requirement: Requirement, found: Evidence, gate: Gate, alpha: float) -> tuple[Status, list[str]]:
    """Weigh the evidence: beyond the bound, on the right side of it, or across it."""
    bound, beyond = requirement.offset, "below" if requirement.upward else "above"
    best, worst = (found.high, found.low) if requirement.upward else (found.low, found.high)
    percent, meets = _percent(alpha), requirement.holds(found.difference, bound)
    if not requirement.holds(best, bound):
        end = "" if best != bound else " or at"
        return "failed", [f"the whole {percent} interval of the difference lies {beyond}{end} {bound:g}"]
    if gate.strict and not meets:
        reaches = f"though its {percent} interval reaches it (--strict)"
        return "failed", [f"the difference is {beyond} {bound:g}, {reaches}"]
    if requirement.holds(worst, bound):
        return "passed", []
    what = f"the mean {'meets' if meets else 'misses'} the bound, but the {percent} interval reaches across it"
    if gate.prove:
        return "failed", [f"{what} (--prove)"]
    return "warning", [what, _power(requirement, found)]


def _power(requirement: Requirement, found: Evidence) -> str:
    """Say which true difference from the baseline would have failed with a power of 80 %."""
    if math.isinf(found.detectable):
        return "only with more queries could it fail"
    asked = (requirement.factor - 1) * found.baseline + requirement.offset
    allowed = (-asked if requirement.upward else asked) + found.detectable  # towards the worse side
    worse, better = ("drop", "gain") if requirement.upward else ("rise", "drop")
    if allowed >= 0:
        return f"a {worse} of {allowed:.3g} or more would fail with a power of {100 * POWER:g} %"
    return f"a {better} of less than {-allowed:.3g} would fail with a power of {100 * POWER:g} %"

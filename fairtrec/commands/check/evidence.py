"""What a difference from the baseline shows: it fails, passes, or leaves a requirement open."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from fairtrec.commands.check.requirement import Evidence, Gate, Requirement, Status
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.statistics.deleted_clusters import PooledDifference
from fairtrec.statistics.doubt import explain_few_clusters
from fairtrec.statistics.paired import find_shift
from fairtrec.statistics.value_ranges import Range, cut_ends

POWER = 0.8
FEW_CLUSTERS = f"few clusters decide ({explain_few_clusters('clusters')})"
FEW_QUERIES = f"few queries decide the pooled value ({explain_few_clusters('queries')})"


class IntervalRule(NamedTuple):
    """By what a requirement is judged: intervals err with probability ``alpha``, and go by ``clusters`` of queries."""

    gate: Gate
    alpha: float
    clusters: Mapping[str, str]  # of each query; none: queries are independent


def write_percent(alpha: float) -> str:
    """Write the level of intervals that err with probability ``alpha``.

    >>> write_percent(0.05)
    '95 %'
    """
    return f"{100 * (1 - alpha):.6g} %"


def open_ends(ends: tuple[float, float], scale: int = 1) -> tuple[float, float]:
    """Multiply the ends of an interval; those of none are infinite."""
    low, high = ends
    return (-math.inf if math.isnan(low) else low * scale), (math.inf if math.isnan(high) else high * scale)


def describe_lacking(requirement: Requirement, scores: Scores, baseline: Scores) -> str:
    """Say how many queries of the baseline a run lacks; "" if none, and of slices, which need not have the same."""
    lacking = 0 if requirement.parts == "slice" else len(set(baseline.qids).difference(scores.qids))
    return f"the run lacks {lacking} of the {len(baseline.qids)} queries of the baseline" if lacking else ""


def weigh_deletions(
    requirement: Requirement, found: PooledDifference, base: float, bounds: Range, alpha: float, scale: int = 1
) -> Evidence:
    """Make evidence of a difference from ``base`` by deletion of clusters, cut at ``bounds`` and times ``scale``."""
    ends = open_ends(cut_ends((found.low, found.high), bounds), scale)
    least = math.inf
    if not math.isnan(found.error):
        least = find_shift(max(found.effective - 1, 1.0), alpha, POWER) * found.error if found.error else 0.0
    tolerance = abs((requirement.factor - 1) * base + requirement.offset)
    return Evidence(base, found.value * scale, *ends, tolerance, least * scale, found.moving)


def weigh(
    requirement: Requirement, found: Evidence, gate: Gate, alpha: float, *, of: str = "mean"
) -> tuple[Status, list[str]]:
    """Weigh the evidence: beyond the bound, on the right side of it, or across it; ``of`` names the value."""
    bound, beyond = requirement.offset, "below" if requirement.upward else "above"
    best, worst = (found.high, found.low) if requirement.upward else (found.low, found.high)
    percent, meets = write_percent(alpha), requirement.holds(found.difference, bound)
    if not requirement.holds(best, bound):
        end = "" if best != bound else " or at"
        return "failed", [f"the whole {percent} interval of the difference lies {beyond}{end} {bound:g}"]
    if gate.strict and not meets:
        reaches = f"though its {percent} interval reaches it (--strict)"
        return "failed", [f"the difference is {beyond} {bound:g}, {reaches}"]
    if requirement.holds(worst, bound):
        return "passed", []
    what = f"the {of} {'meets' if meets else 'misses'} the bound, but the {percent} interval reaches across it"
    if gate.prove:
        return "failed", [f"{what} (--prove)"]
    return "warning", [what, _power(requirement, found)]


def _power(requirement: Requirement, found: Evidence) -> str:
    """Say which true difference from the baseline would have failed with a power of 80 %."""
    if math.isinf(found.detectable):
        return "only with more queries could it fail"
    asked = (requirement.factor - 1) * found.baseline + requirement.offset
    allowed = (-asked if requirement.upward else asked) + found.detectable  # toward the worse side
    worse, better = ("drop", "gain") if requirement.upward else ("rise", "drop")
    if allowed >= 0:
        return f"a {worse} of {allowed:.3g} or more would fail with a power of {100 * POWER:g} %"
    return f"a {better} of less than {-allowed:.3g} would fail with a power of {100 * POWER:g} %"

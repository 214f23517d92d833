"""Requirements on the value of all queries together: alone, over unknown labels, and against a baseline."""

import math
from collections.abc import Mapping
from dataclasses import replace

from fairtrec.commands.check.evidence import (
    FEW_CLUSTERS,
    FEW_QUERIES,
    IntervalRule,
    describe_lacking,
    open_ends,
    weigh,
    weigh_deletions,
    write_percent,
)
from fairtrec.commands.check.requirement import Requirement, Status, Verdict
from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.deletions import delete_from_total, number_clusters
from fairtrec.statistics.deleted_clusters import compare_deletions
from fairtrec.statistics.value_ranges import bound_difference, bound_size
from fairtrec.support.errors import UsageError


def judge_total(
    requirement: Requirement, scores: Scores, baseline: Scores | None, rule: IntervalRule
) -> Verdict | None:
    """Judge the value of all queries together, if a requirement is about that.

    Raises UsageError if there is no such value, or no such value of the baseline.
    """
    measure, one = requirement.measure, scores.keep_measures([scores.measures.index(requirement.measure)])
    value = next((value for (value,) in one.totals.values() if value is not None), None)
    if measure.of_pool and (value is None or requirement.of_mean):
        what = "has no mean; leave out mean" if requirement.of_mean else "is over all queries; add --pool even"
        raise UsageError(f"{requirement}: {measure} {what}")
    if value is None or requirement.of_mean:
        return None
    if requirement.relative:
        assert baseline is not None  # or the requirement is refused
        return _compare_totals(requirement, scores, baseline, rule)
    total = one.describe_total(measure)
    if "least" in total:  # over labels of unknown documents, without an interval
        return _judge_ends(requirement, _judge_value(requirement, scores, {"value": value}, rule), total, rule)
    clusters = number_clusters(scores.qids, rule.clusters) if rule.clusters else None
    columns = {name: column.with_confidence(1 - rule.alpha, "t", clusters) for name, column in one.columns.items()}
    total = replace(one, columns=columns).describe_total(measure)
    return _judge_value(requirement, scores, {**total, "value": value}, rule)


def _judge_value(requirement: Requirement, scores: Scores, total: Mapping[str, float], rule: IntervalRule) -> Verdict:
    value, low, high = (float(total.get(name, math.nan)) for name in ("value", "low", "high"))
    if requirement.unsigned:
        low, high = 0.0 if low < 0 < high else min(abs(low), abs(high)), max(abs(low), abs(high))
        value = abs(value)
    low, high = open_ends((low, high))
    bound, side, queries = requirement.offset, "below" if requirement.upward else "above", len(scores.qids)
    reason, percent = "", write_percent(rule.alpha)
    if math.isnan(value):
        reason = f"{requirement.measure} is undefined for the {queries} queries together"
    elif not requirement.holds(value, bound):
        reason = f"the pooled value is {side} {bound:g}"
    elif rule.gate.prove and not requirement.holds(low if requirement.upward else high, bound):
        reason = f"the pooled value meets {bound:g}, but its {percent} interval reaches {side} it (--prove)"
    doubtful, ends = bool(total.get("doubtful", False)), (low, high)
    status: Status = "failed" if reason else "passed"
    if rule.gate.prove and doubtful and status == "passed":
        status, reason = "warning", _write_few(rule)
    return Verdict(
        requirement, scores.run, status, reason, value, bound, queries, queries, ends, doubtful, is_pooled=True
    )


def _write_few(rule: IntervalRule) -> str:
    return FEW_CLUSTERS if rule.clusters else FEW_QUERIES


def _judge_ends(requirement: Requirement, verdict: Verdict, total: Mapping[str, float], rule: IntervalRule) -> Verdict:
    """Judge the least and the greatest value over labels of unknown documents. Raises UsageError with ``prove``."""
    if rule.gate.prove:
        what = "--prove is about the interval, and values over labels of unknown documents have none"
        raise UsageError(f"{requirement}: {what}; leave out --bounds, or --prove")
    ends = total["least"], total["greatest"]
    if math.isnan(verdict.value):
        return verdict
    worst, best = ends if requirement.upward else ends[::-1]
    found = replace(verdict, ends=ends)
    if requirement.holds(worst, requirement.offset):
        return found
    if requirement.holds(best, requirement.offset):
        return replace(found, status="undecided", reason="not decided: it depends on documents of unknown group")
    return replace(found, reason=f"{verdict.reason}, whatever is unknown")


def _compare_totals(requirement: Requirement, scores: Scores, baseline: Scores, rule: IntervalRule) -> Verdict:
    """Judge the difference from the pooled value of the baseline over the queries of both."""
    measure, queries = requirement.measure, len(scores.qids)
    common = slicing.keep_common_queries(scores, baseline)
    clusters, level = number_clusters(common[0].qids, rule.clusters), 1 - rule.alpha
    one, other = (delete_from_total(each, measure, clusters, level) for each in common)
    if one is None or other is None:
        raise UsageError(f"{requirement}: {refuse_recorded(requirement)}")
    if requirement.unsigned:
        one, other = one.take_size(), other.take_size()
    found = compare_deletions(one, other, level, factor=requirement.factor)
    many = len(common[0].qids)
    verdict = Verdict(requirement, scores.run, "failed", "", one.value, math.nan, many, queries, is_pooled=True)
    if math.isnan(found.value) or math.isinf(found.value):
        of_run = math.isnan(one.value) or math.isinf(one.value)
        whose = "the run" if of_run else "the baseline"
        return replace(verdict, reason=f"{measure} of {whose} is undefined for the {many} queries together")
    bounds = scores.find_bounds(scores.measures.index(measure))
    bounds = bound_difference(bound_size(bounds) if requirement.unsigned else bounds, requirement.factor)
    evidence = weigh_deletions(requirement, found, other.value, bounds, rule.alpha)
    status, reasons = weigh(requirement, evidence, rule.gate, rule.alpha, of="pooled value")
    reasons += [_write_few(rule)] * found.doubtful
    if status != "failed" and (lacking := describe_lacking(requirement, scores, baseline)):
        reasons.append(lacking)
    if status == "passed" and reasons:
        status = "warning"
    bound = requirement.factor * other.value + requirement.offset
    return replace(
        verdict, status=status, reason="; ".join(reasons), bound=bound, evidence=evidence, doubtful=found.doubtful
    )


def refuse_recorded(requirement: Requirement) -> str:
    """Say why a pooled value is not compared with that of a results file, and the way out."""
    hint = "" if requirement.measure.of_pool else f", or write mean {requirement.measure}"
    return f"a results file has no sums of queries, by which pooled values are compared; pass the run{hint}"

"""Judges next to people: a table of groups, of differences between groups, and of orders of runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from operator import attrgetter
from typing import Any

from fairtrec.lab.gold.judge_families import JudgeFamily
from fairtrec.lab.gold.judge_orders import JudgeOrder
from fairtrec.lab.gold.judge_rates import ClusterEstimate
from fairtrec.lab.gold.judges import RATES, JudgeAudits, JudgedGroup, JudgeDifference
from fairtrec.measure import Measure
from fairtrec.report.cells import cell, write_count, write_difference, write_number, write_p
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.page import page
from fairtrec.report.records import Row, note_records
from fairtrec.report.result_notes import COMMON
from fairtrec.report.row_answers import FieldColumn, declare_estimate, lay_out_rows, list_ends
from fairtrec.statistics.doubt import explain_few, mark_doubt
from fairtrec.support.notes import Note

KEYS = ("judge", "quantity", "of", "less")
SHOWN_RATES = {"recall": "recall", "false_positive": "false positives"}
CORRECTED = {"holm": "p Holm", "bonferroni": "p Bonferroni", "bh": "p BH", "none": "p uncorrected"}
HEAD = ("judge", "quantity", "of", "less", "value", "low", "high", "queries", "p", "p_corrected", "verdict", "doubtful")


def list_notes(found: JudgeAudits) -> list[Note]:
    """List the notes on the numbers."""
    return found.notes


def tables(found: JudgeAudits, *, places: int) -> Document:
    """Lay out the tables of groups, of differences of each rate, and of orders."""
    several = _lay_out(
        found, GROUPS, [(audit.judge, group) for audit in found.judges for group in audit.groups], places
    )
    for rate in RATES:
        rows = [(audit.judge, each) for audit in found.judges for each in audit.differences if each.rate == rate]
        several += _lay_out(found, _list_difference_columns(found, rate), rows, places, ["p"])
    orders = [(audit.judge, order) for audit in found.judges for order in audit.orders]
    families = [(audit.judge, family) for audit in found.judges for family in audit.families]
    for measure in found.measures:
        own = [(judge, family) for judge, family in families if family.measure == str(measure)]
        several += _lay_out(found, _list_family_columns(found, measure), own, places, ["p"])
    several += _lay_out(found, ORDERS, orders, places, ["runs"])
    return Document(several, found.notes, str(found.signature), gap=2, signs=[*_legend(found)])


def _lay_out(
    found: JudgeAudits,
    columns: Sequence[FieldColumn],
    rows: Sequence[tuple[str, Any]],
    places: int,
    least: Sequence[str] = (),
) -> list[ReportTable]:
    """Lay out the rows of judges, the judge first if there are several; no table if there are no rows."""
    table = lay_out_rows(columns, [row for _, row in rows], places, least=least)
    judge = Column("judge", [name for name, _ in rows], words=True, runs=True)
    return [replace(table, keys=[judge, *table.keys]) if len(found.judges) > 1 else table] * bool(rows)


GROUPS = (
    FieldColumn("group", key=True),
    FieldColumn("pairs", write_count),
    FieldColumn("relevant", write_count),
    declare_estimate("recall", "recall", doubtful="recall.doubtful"),
    declare_estimate("false positives", "false_positive", doubtful="false_positive.doubtful"),
    declare_estimate("kappa", "kappa", doubtful="kappa.doubtful"),
)
ORDERS = (
    FieldColumn("order by", field="measure", key=True),
    FieldColumn("runs", write_count),
    FieldColumn("queries", write_count),
    FieldColumn("tau-b", write_number, "tau_b"),
    FieldColumn("tau_ap", write_number),
    FieldColumn("reliability, people", write_number, "reliability", attrgetter("low", "high"), "doubtful"),
    FieldColumn("judge", write_number, "judge_reliability"),
    FieldColumn("tau of halves, people", write_number, "halves"),
)


def _list_family_columns(found: JudgeAudits, measure: Measure) -> list[FieldColumn]:
    """Declare the columns of families of runs by a measure."""
    columns = [
        FieldColumn(f"judge minus people, {measure}", field="family", key=True),
        FieldColumn("runs", write_count),
        FieldColumn("mean", write_difference, "value", attrgetter("low", "high")),
        FieldColumn("minus the other runs", write_difference, "difference", _get_difference_ends, "doubtful"),
        FieldColumn("p", write_p),
        FieldColumn(CORRECTED[found.correction], write_p, "p_corrected"),
        FieldColumn("verdict", field=lambda each: mark_doubt(each.verdict, doubtful=each.doubtful)),
    ]
    if found.equivalence is None:
        return columns
    alpha = round(1 - found.confidence, 12)

    def write_equivalence(p: float, places: int) -> str:
        return f"{'yes' if p <= alpha else 'no'} (p {write_p(p, places)})"

    return [*columns, FieldColumn(f"equivalent within {found.equivalence:g}", write_equivalence, "p_equivalent")]


_get_difference_ends = attrgetter("difference_low", "difference_high")


def _list_difference_columns(found: JudgeAudits, rate: str) -> list[FieldColumn]:
    return [
        FieldColumn(f"{SHOWN_RATES[rate]}, difference", field=lambda each: " minus ".join(each.of), key=True),
        declare_estimate("overall", "overall", write_difference, doubtful="overall.doubtful"),
        declare_estimate("within queries", "within", write_difference, doubtful="within.doubtful"),
        FieldColumn("queries", write_count, "within.queries"),
        FieldColumn("p", write_number, "within.p"),
        FieldColumn(CORRECTED[found.correction], write_number, "p_corrected"),
        FieldColumn("verdict", field=_write_verdict),
    ]


def _write_verdict(of: JudgeDifference) -> str:
    """Write what is shown of a difference within queries, and ? if few queries decide it."""
    return mark_doubt(of.verdict, doubtful=of.within.doubtful and not isnan(of.p_corrected))


def _estimate_people(of: JudgeOrder) -> ClusterEstimate:
    """Give the reliability of people's order as an estimate."""
    return ClusterEstimate(of.reliability, of.low, of.high, of.queries, doubtful=of.doubtful)


def _legend(found: JudgeAudits) -> Iterator[str]:
    """Explain the columns and signs."""
    percent = f"{100 * found.confidence:.15g}%"
    yield f"[low, high]: {percent} interval, with queries as clusters"
    if any(audit.differences for audit in found.judges):
        yield (
            "overall compares different queries, so it may be due to topics; within queries compares groups in queries "
            "that have both, and decides the verdict"
        )
    yield from _explain_families(found)
    if any(audit.orders for audit in found.judges):
        yield (
            f"reliability: how reliable the order of the runs is over these queries; {COMMON} is a common requirement"
        )
        yield "tau of halves: Kendall's tau-b between people's orders by two halves of the queries"
    estimates = [
        each
        for audit in found.judges
        for each in (
            *(getattr(group, name) for group in audit.groups for name in ("recall", "false_positive", "kappa")),
            *(each for of in audit.differences for each in (of.overall, of.within)),
        )
    ]
    estimates += [_estimate_people(order) for audit in found.judges for order in audit.orders]
    estimates += [_estimate_family(family) for audit in found.judges for family in audit.families]
    if any(each.doubtful for each in estimates if not isnan(each.value)):
        yield explain_few("queries decide")


def _explain_families(found: JudgeAudits) -> Iterator[str]:
    if any(audit.families for audit in found.judges):
        what = "judge minus people: over queries with a value in every run"
        yield f"{what}; higher: the judge raises the family's values more than those of the other runs"


def html(found: JudgeAudits, *, places: int) -> str:
    """Write the page."""
    names = ", ".join(audit.judge for audit in found.judges)
    return page(f"Judges next to {found.human}", [f"judges: {names}"], tables(found, places=places))


def rows(found: JudgeAudits, *, places: int | None) -> Iterator[Row]:
    """Give a row for each number: the judge, what it is, and of which group, of one group less another, or measure."""
    yield HEAD
    for audit in found.judges:
        for group in audit.groups:
            for name in ("pairs", "relevant", "judged_relevant"):
                yield _row(audit.judge, name, group.group, getattr(group, name))
            for name in (*RATES, "kappa"):
                yield _estimate_row(audit.judge, name, (group.group, None), getattr(group, name), places)
        for each in audit.differences:
            yield _estimate_row(audit.judge, f"{each.rate} overall", each.of, each.overall, places)
            row = _estimate_row(audit.judge, f"{each.rate} within", each.of, each.within, places)
            tested = [cell(each.within.p, places), cell(each.p_corrected, places), each.verdict]
            yield [*row[:-4], *tested, row[-1]]
        for family in audit.families:
            yield from _list_family_rows(audit.judge, family, places)
        for order in audit.orders:
            for name in ("tau_b", "tau_ap", "judge_reliability", "halves"):
                value = cell(getattr(order, name), places)
                yield _row(audit.judge, name, order.measure, value, queries=order.queries)
            yield _estimate_row(audit.judge, "reliability", (order.measure, None), _estimate_people(order), places)


def _row(judge: str, quantity: str, of: str, value: Any, *, queries: int | None = None) -> Row:
    return [judge, quantity, of, None, value, None, None, queries, None, None, None, None]


def _estimate_row(
    judge: str, quantity: str, of: tuple[str, str | None], found: ClusterEstimate, places: int | None
) -> list[Any]:
    ends = [cell(each, places) for each in found[:3]]
    doubtful = found.doubtful if places is None else str(found.doubtful).lower()
    return [judge, quantity, *of, *ends, found.queries, None, None, None, doubtful]


def _estimate_family(family: JudgeFamily) -> ClusterEstimate:
    """Give the difference of a family to all other runs as an estimate."""
    ends = _get_difference_ends(family)
    return ClusterEstimate(family.difference, *ends, family.queries, doubtful=family.doubtful)


def _list_family_rows(judge: str, family: JudgeFamily, places: int | None) -> Iterator[Row]:
    """Give the rows of the mean of a family, of the difference to the other runs, and of equivalence."""
    mean = ClusterEstimate(family.value, family.low, family.high, family.queries, doubtful=family.doubtful)
    yield _estimate_row(judge, f"family mean {family.measure}", (family.family, None), mean, places)
    apart = _estimate_family(family)
    row = _estimate_row(judge, f"family difference {family.measure}", (family.family, "other runs"), apart, places)
    yield [*row[:-4], cell(family.p, places), cell(family.p_corrected, places), family.verdict, row[-1]]
    if family.p_equivalent is not None:
        value = cell(family.p_equivalent, places)
        yield _row(judge, f"family p_equivalent {family.measure}", family.family, value, queries=family.queries)


def record(found: JudgeAudits) -> dict[str, Any]:
    """Give one object with all judges."""
    return {
        "signature": str(found.signature),
        "notes": note_records(found.notes),
        "confidence": found.confidence,
        "correction": found.correction,
        "judges": [
            {
                "judge": audit.judge,
                "pairs": audit.pairs,
                "only_human": audit.only_human,
                "only_judge": audit.only_judge,
                "queries": audit.queries,
                "groups": [_record_group(group) for group in audit.groups],
                "differences": [_record_difference(each) for each in audit.differences],
                "orders": [vars(order) for order in audit.orders],
                **({"families": [vars(family) for family in audit.families]} if audit.families else {}),
            }
            for audit in found.judges
        ],
    }


def _record_group(group: JudgedGroup) -> Mapping[str, Any]:
    names = ("group", "pairs", "relevant", "judged_relevant")
    made: dict[str, Any] = {name: getattr(group, name) for name in names}
    for name in (*RATES, "kappa"):
        of: ClusterEstimate = getattr(group, name)
        made |= list_ends(name, of) | ({f"{name}_queries": of.queries} if name in RATES else {})
        made[f"{name}_doubtful"] = of.doubtful
    return made


def _record_difference(each: JudgeDifference) -> Mapping[str, Any]:
    overall, within = each.overall, each.within
    return {
        "of": list(each.of),
        "rate": each.rate,
        **list_ends("overall", overall),
        "overall_doubtful": overall.doubtful,
        "difference": within.value,
        **{name: getattr(within, name) for name in ("low", "high", "queries", "p")},
        "p_corrected": each.p_corrected,
        "verdict": each.verdict,
        "doubtful": within.doubtful,
    }

"""How well an instrument agrees with gold: a row for each group, and below it kappa and alpha."""

from collections.abc import Callable, Iterator
from math import isnan
from typing import Any

from fairtrec.lab.gold.agree import Agreement, Category
from fairtrec.report.cells import write_count, write_number
from fairtrec.report.document import Document
from fairtrec.report.page import page
from fairtrec.report.records import Row, note_records
from fairtrec.report.row_answers import FieldColumn, declare_estimate, lay_out_rows, list_ends, write_rows
from fairtrec.statistics.doubt import explain_few, mark_doubt
from fairtrec.support.notes import Note, NoteKind

KEYS = ("group",)
SUMMARY = NoteKind("agreement", "{summary}")


def summary(found: Agreement, places: int = 4) -> str:
    """Write agreement, kappa and alpha in a line, and what they are over."""
    kappa, low, high = (f"{each:.{places}f}" for each in found.kappa)
    many = f"{found.documents:,} documents" if found.documents > 1 else "1 document"
    runs = "1 run" if found.runs == 1 else f"{found.runs} runs"
    over = {
        "labels": f"over {many}",
        "draw": f"estimated from {many} for all that could be drawn",
        "exposure": f"by exposure in {runs}, over {many}",
    }
    alpha, reach = f"alpha {found.alpha:.{places}f}", mark_doubt(f"[{low}, {high}]", doubtful=found.kappa_doubtful)
    return f"agreement {found.agreement:.{places}f}, kappa {kappa} {reach}, {alpha}; {over[found.by]}"


def explain_marks(found: Agreement) -> list[str]:
    """Explain ? if an interval has it."""
    rates = [is_so for kind in found.kinds for is_so in (kind.recall_doubtful, kind.precision_doubtful)]
    kappa = [explain_few("documents on which people and instrument agree, or disagree")] * found.kappa_doubtful
    return [*kappa, *[explain_few("documents")] * any(rates)]


def list_notes(found: Agreement) -> list[Note]:
    """List the notes on the numbers."""
    return [SUMMARY.note(summary=summary(found)), *found.notes]


def tables(found: Agreement, *, places: int) -> Document:
    """Lay out the table: a column for each kind that the instrument found, recall, precision, and the shares."""
    table, signs = lay_out_rows(_list_columns(found), found.kinds, places), [summary(found, places)]
    return Document([table], found.notes, str(found.signature), gap=2, signs=[*signs, *explain_marks(found)])


def _list_columns(found: Agreement) -> list[FieldColumn]:
    return [
        FieldColumn("gold", field="name", key=True),
        FieldColumn("labeled", write_count),
        *(FieldColumn(name, write_count, _count_found(name)) for name in found.kinds[0].found),
        declare_estimate("recall", "recall", doubtful="recall_doubtful", undefined=""),
        declare_estimate("precision", "precision", doubtful="precision_doubtful", undefined=""),
        FieldColumn("share: gold", write_number, "share_gold", undefined=""),
        FieldColumn("instrument", write_number, "share_instrument", undefined=""),
    ]


def _count_found(name: str) -> Callable[[Category], int]:
    return lambda kind: kind.found[name]


def html(found: Agreement, *, places: int) -> str:
    """Write the page."""
    return page(f"Agreement with {found.name}", [f"documents: {found.documents}"], tables(found, places=places))


def rows(found: Agreement, *, places: int | None) -> Iterator[Row]:
    """Give a row for each kind that people named, or the instrument found."""
    return write_rows(map(_list_fields, found.kinds), places)


def _list_fields(kind: Category) -> dict[str, Any]:
    """List the fields of a group: its name, how often it was labeled and found as what, and its rates."""
    found = {f"found {name}": many for name, many in kind.found.items()}
    return {"group": kind.name, "labeled": kind.labeled, **found, **_list_rates(kind)}


def _list_rates(kind: Category) -> dict[str, float]:
    ends = {**list_ends("recall", kind.recall), **list_ends("precision", kind.precision)}
    return {**ends, "share_gold": kind.share_gold, "share_instrument": kind.share_instrument}


def numbers(found: Agreement) -> Iterator[Row]:
    """Give the numbers of all documents, and of each kind those that it has."""
    overall = _overall(found)
    _, *names = _list_fields(found.kinds[0])
    yield ["group", *overall, *names]
    yield [None, *overall.values(), *(None for _ in names)]
    for kind in found.kinds:
        _, *values = _list_fields(kind).values()
        yield [f"of {kind.name}", *(None for _ in overall), *(None if isnan(value) else value for value in values)]


def _overall(found: Agreement) -> dict[str, float]:
    made = {"documents": found.documents, "agreement": found.agreement, **list_ends("kappa", found.kappa)}
    return {**made, "alpha": found.alpha}


def record(found: Agreement) -> dict[str, Any]:
    """Give one object: the numbers of all documents, and of each group."""
    groups = [
        {"group": kind.name, "labeled": kind.labeled, "found": dict(kind.found), **_list_rates(kind)}
        | {"recall_doubtful": kind.recall_doubtful, "precision_doubtful": kind.precision_doubtful}
        for kind in found.kinds
    ]
    made = {
        "signature": str(found.signature),
        "notes": note_records(found.notes),
        "by": found.by,
        "confidence": found.confidence,
    }
    return {**made, **_overall(found), "kappa_doubtful": found.kappa_doubtful, "groups": groups}

"""How well an instrument agrees with gold: a row for each group, and below it kappa and alpha."""

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

from fairtrec.lab.gold.agree import Agreement, Category
from fairtrec.report.cells import cell
from fairtrec.report.document import Column, Document, ReportTable
from fairtrec.report.page import page
from fairtrec.report.records import Row, note_records
from fairtrec.statistics.agreement import Interval
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
    kinds = found.kinds
    columns = [Column("labeled", [str(kind.labeled) for kind in kinds])]
    columns += [Column(name, [str(kind.found[name]) for kind in kinds]) for name in kinds[0].found]
    for name in ("recall", "precision"):
        of = [getattr(kind, name) for kind in kinds]
        doubtful = [getattr(kind, f"{name}_doubtful") for kind in kinds]
        reach = ["" if isnan(low) else f" [{low:.{places}f}, {high:.{places}f}]" for _, low, high in of]
        beside = [mark_doubt(each, doubtful=is_so) for each, is_so in zip(reach, doubtful, strict=True)]
        columns.append(Column(name, [_told(value, places) for value, _, _ in of], beside=beside))
    shares = {"share: gold": "share_gold", "instrument": "share_instrument"}
    columns += [Column(head, [_told(getattr(kind, name), places) for kind in kinds]) for head, name in shares.items()]
    table = ReportTable("", [Column("gold", [kind.name for kind in kinds], words=True)], columns)
    return Document(
        [table], found.notes, str(found.signature), gap=2, signs=[summary(found, places), *explain_marks(found)]
    )


def _told(value: float, places: int) -> str:
    return "" if isnan(value) else f"{value:.{places}f}"


def html(found: Agreement, *, places: int) -> str:
    """Write the page."""
    return page(f"Agreement with {found.name}", [f"documents: {found.documents}"], tables(found, places=places))


def _flat(kind: Category) -> Mapping[str, float]:
    return {
        **{f"found {name}": many for name, many in kind.found.items()},
        **_ends("recall", kind.recall),
        **_ends("precision", kind.precision),
        "share_gold": kind.share_gold,
        "share_instrument": kind.share_instrument,
    }


def _ends(name: str, of: Interval) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), of, strict=True))


def rows(found: Agreement, *, places: int | None) -> Iterator[Row]:
    """Give a row for each kind that people named, or the instrument found."""
    yield ["group", "labeled", *_flat(found.kinds[0])]
    for kind in found.kinds:
        values = _flat(kind).items()
        yield [kind.name, kind.labeled, *(v if isinstance(v, int) else cell(v, places) for _, v in values)]


def numbers(found: Agreement) -> Iterator[Row]:
    """Give the numbers of all documents, and of each kind those that it has."""
    overall = _overall(found)
    names = {name: None for kind in found.kinds for name in ("labeled", *_flat(kind))}
    yield ["group", *overall, *names]
    yield [None, *overall.values(), *names.values()]
    for kind in found.kinds:
        of = {name: value for name, value in _flat(kind).items() if not isnan(value)}
        yield [f"of {kind.name}", *(None for _ in overall), kind.labeled, *(of.get(name) for name in [*names][1:])]


def _overall(found: Agreement) -> dict[str, float]:
    made = {"documents": found.documents, "agreement": found.agreement, **_ends("kappa", found.kappa)}
    return {**made, "alpha": found.alpha}


def record(found: Agreement) -> dict[str, Any]:
    """Give one object: the numbers of all documents, and of each group."""
    groups = []
    for kind in found.kinds:
        values: dict[str, Any] = {name: value for name, value in _flat(kind).items() if not name.startswith("found ")}
        values |= {name: getattr(kind, name) for name in ("recall_doubtful", "precision_doubtful")}
        groups.append({"group": kind.name, "labeled": kind.labeled, "found": dict(kind.found), **values})
    made = {
        "signature": str(found.signature),
        "notes": note_records(found.notes),
        "by": found.by,
        "confidence": found.confidence,
    }
    return {**made, **_overall(found), "kappa_doubtful": found.kappa_doubtful, "groups": groups}

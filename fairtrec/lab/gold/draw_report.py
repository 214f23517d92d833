"""What was drawn for people to label: the sheet, and what to know before it is filled in."""

from collections.abc import Iterator
from typing import Any

from fairtrec.formats.sheets import guard_cell
from fairtrec.lab.gold.draw import GoldDraw
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.records import Row, objects
from fairtrec.statistics.gold_estimates import FEWEST

KEYS = ("drawn",)
FIRST = 20  # lines that a notebook shows


def tsv(draw: GoldDraw) -> str:
    """Write the sheet, which says in its first line how it was drawn."""
    rows = ["\t".join(map(_exact, row)) for row in (draw.columns, *draw.lines())]
    return "\n".join([f"# {draw.signature.content}", *rows, ""])


def _exact(cell: str | float) -> str:
    """Write a cell, a text as no formula; a weight of 1 is short, a probability has all of its digits."""
    return guard_cell(cell) if isinstance(cell, str) else "1" if cell == 1 else repr(cell)


def text(draw: GoldDraw) -> str:
    """Say what was drawn, what people write into it, and how wide intervals will be."""
    return "".join(f"{line}\n" for line in lines(draw))


def lines(draw: GoldDraw) -> list[str]:
    """Say so, line by line."""
    runs = "1 run" if len(draw.runs) == 1 else f"{len(draw.runs)} runs"
    some = f"all {draw.of}" if draw.drawn == draw.of else f"{draw.drawn} of the {draw.of}"
    further = "for a second group, add a line; for votes of several people, add a column weight or annotator"
    if draw.unit == "document":
        many = f"{draw.certain_count or 'no'} document{'s' * (draw.certain_count > 1)}"
        said = f"{many} {'are' if draw.certain_count > 1 else 'is'} certain to be drawn"
        drawn = f"{some} documents in the top {draw.depth} of {runs}"
        drawn += "" if draw.drawn == draw.of else f", drawn by exposure; {said}"
        wanted = "a group, - for none of the groups, ? if nobody can tell"
    else:
        many = f"{len({*draw.docnos})} documents in their top {draw.depth} on {len(draw.docnos)} lines"
        drawn = f"{some} queries of {runs}{', drawn evenly' * (draw.drawn < draw.of)}, with all {many}"
        wanted = "a group, or - for none of the groups; once for a document of several queries"
    found = [drawn, f"fill in the column group: {wanted}", further]
    if draw.texts is None:
        found.append("the sheet has no texts to read; --docs COLLECTION adds them")
    elif without := len({d for d, t in zip(draw.docnos, draw.texts, strict=True) if not t}):
        found.append(f"{without} of the documents {'has' if without == 1 else 'have'} no text")
    if draw.empty < len({*draw.docnos}):
        found.append(f"still without a group: {draw.empty} of the {len({*draw.docnos})} documents")
    if draw.drawn == draw.of:
        found.append("corrected values have no interval, because everything was drawn")
    elif draw.half_widths:
        first, *more = [f"±{width:.3f} {{}} on {100 * rate:g} %" for rate, width in draw.half_widths.items()]
        errs = first.format("if the instrument errs") + " of the exposure"
        others = ", ".join(each.format("").replace("  ", " ") for each in more)
        found.append(f"expected interval of a share: {errs}, {others}")
    elif draw.drawn < FEWEST:
        found.append(f"corrected values have no interval with fewer than {FEWEST} queries")
    return found


def tables(draw: GoldDraw, *, places: int) -> Document:
    """Lay out the first lines of the sheet."""
    every = list(draw.lines())
    cells = [[f"{cell:.{places}f}" if isinstance(cell, float) else cell for cell in row] for row in every[:FIRST]]
    more = [f"{len(every) - FIRST:,} more lines are not shown"] * (len(every) > FIRST)
    keys = draw.columns.index("group") + 1
    return Document(
        [ReportTable.from_rows("", keys, draw.columns, cells)], (), str(draw.signature), signs=[*more, *lines(draw)]
    )


def rows(draw: GoldDraw, *, places: int | None) -> Iterator[Row]:  # noqa: ARG001 - probabilities have all digits
    """Give the lines of the sheet below its columns."""
    yield draw.columns
    yield from draw.lines()


def numbers(draw: GoldDraw) -> Iterator[Row]:
    """Give how many were drawn, and how wide intervals will be."""
    widths = {f"half_width_{rate:g}": width for rate, width in draw.half_widths.items()}
    yield ["drawn", "of", "number", "certain", "lines", *widths]
    yield [f"{draw.unit}s", draw.of, draw.drawn, draw.certain_count, len(draw.docnos), *widths.values()]


def record(draw: GoldDraw) -> dict[str, Any]:
    """Give one object with all lines."""
    made = {
        "unit": draw.unit,
        "drawn": draw.drawn,
        "of": draw.of,
        "certain": draw.certain_count,
        "runs": [{"run": name} for name in draw.runs],
    }
    widths = {f"{rate:g}": width for rate, width in draw.half_widths.items()}
    several = list(objects(rows(draw, places=None)))
    return {"signature": str(draw.signature), **made, "half_widths": widths, "lines": several}

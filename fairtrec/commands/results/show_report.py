"""What a JSON file of fairtrec holds, as tables or JSON."""

from typing import Any

from fairtrec.commands.results.moved_inputs import InputState
from fairtrec.commands.results.show import Records, ShownFile
from fairtrec.report.cells import write_number, write_p
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.short_signature import shorten_signature

DIGITS = 8  # of a sha256
UNVERIFIED = "not verified: this is what the file holds; only `fairtrec results replay` computes values again"
DETAILS = {  # which tables leave out, and JSON has
    *("better", "compared", "effect", "cliff", "wins", "ties", "losses"),
    *("deciding", "defined", "p_not_worse", "p_equivalent", "worst_slice"),
}


def tables(shown: ShownFile, *, places: int = 4) -> Document:
    """Lay out the tables of the file, and one of its inputs; the notes and both signatures stand below.

    The last line says that a file can hold anything.
    """
    several = [_lay_out(title, records, places) for title, records in shown.tables.items() if records]
    rows = [
        [str(state.part), state.name, state.sha256[:DIGITS] or "-", _describe_place(state)] for state in shown.inputs
    ]
    several.append(ReportTable.from_rows("inputs", 4, ["part", "name", "sha256", "found"], rows))
    whole = str(shown.signature)
    lines = [*shown.notes, *[f"signature: {whole}", f"short signature: {shorten_signature(whole)}"] * bool(whole)]
    return Document(several, signs=[*lines, UNVERIFIED])


def _describe_place(state: InputState) -> str:
    if state.place is None:
        return "no"
    return f"as {state.place}{'; changed' * bool(state.changed)}" if state.is_moved else "yes"


def _lay_out(title: str, records: Records, places: int) -> ReportTable:
    """Lay out what records say, without details and what none of them has."""
    told = dict.fromkeys(key for record in records for key, value in record.items() if value not in (None, "", "all"))
    head = [key for key in told if key not in DETAILS]
    rows = [[_write(key, record.get(key), places) for key in head] for record in records]
    keys = next((at for at, key in enumerate(head) if isinstance(records[0].get(key), int | float)), len(head))
    return ReportTable.from_rows(title if title != "runs" else "", keys, head, rows)


def _write(key: str, value: Any, places: int) -> str:
    """Write a cell: numbers with so many places, a dash for what is undefined."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return write_p(value, places) if key == "p" or key.startswith("p_") else write_number(value, places)
    return "-" if value is None else str(value)


def record(shown: ShownFile) -> dict[str, Any]:
    """Give one object: the signature, its short form, the notes, the inputs and the tables."""
    whole = str(shown.signature)
    return {
        "signature": whole,
        "short": shorten_signature(whole) if whole else None,
        "notes": list(shown.notes),
        "inputs": [
            {
                "part": str(state.part),
                "name": state.name,
                "sha256": state.sha256,
                "place": None if state.place is None else str(state.place),
                "moved": state.is_moved and state.place is not None,
                "changed": bool(state.changed),
            }
            for state in shown.inputs
        ],
        "tables": shown.tables,
    }

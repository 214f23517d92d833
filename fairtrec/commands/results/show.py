"""What a JSON file of fairtrec holds: tables, notes, the signature, and where its inputs are today."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairtrec.commands.results.moved_inputs import InputState, locate_inputs
from fairtrec.commands.results.parts import read_inputs
from fairtrec.evaluation.answers import Signature
from fairtrec.support.errors import InputError
from fairtrec.support.files.typed_fields import Fields

ROWS = ("rows", "verdicts")  # keys under which answers have their tables
Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class ShownFile:
    """The content of a JSON file of fairtrec: ``tables`` of records by title, ``notes`` as they were printed."""

    signature: Signature
    tables: Mapping[str, Records]
    notes: tuple[str, ...]
    inputs: tuple[InputState, ...]


def show_file(document: Fields, starts: Sequence[Path]) -> ShownFile:
    """Read what a file holds, and locate its inputs, as `results replay` does.

    Raises InputError for a file that is not one of fairtrec.
    """
    if "inputs" not in document or ("signature" not in document and "parts" not in document):
        raise InputError("this is no JSON file of fairtrec; write one with -f json", document.path)
    signature = document.get("signature", str) if "signature" in document else ""
    notes = [each.get("text", str) for each in document.objects("notes")] if "notes" in document else []
    inputs = locate_inputs(read_inputs(document), starts, starts[0])
    return ShownFile(Signature.read(signature), dict(_list_tables(document)), tuple(notes), tuple(inputs))


def _list_tables(document: Fields) -> Iterator[tuple[str, Records]]:
    """List the tables of a file: the parts of a study, the means of runs, or the rows of an answer."""
    if "parts" in document:
        parts = document.object("parts")
        yield "parts", [{"part": name, "line": _write_line(parts.object(name))} for name in parts]
    if "format" in document:
        yield "runs", [_list_means(run) for run in document.objects("runs")]
    for key in ROWS:
        if key in document:
            yield key, [_list_scalars(row.values) for row in document.objects(key)]


def _write_line(part: Fields) -> str:
    return " ".join(["fairtrec", *part.take_list("arguments", str)])


def _list_means(run: Fields) -> dict[str, Any]:
    """List what a row of a run shows: its name, its queries, its means."""
    values: dict[str, Any] = {}
    if "means" in run:
        means = run.object("means")
        values = {name: means.object(name).value("value") for name in means}
    values |= run.values.get("pooled") or {}
    return {"run": run.get("run", str), "queries": run.count("queries"), **values}


def _list_scalars(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if not isinstance(value, list | dict)}

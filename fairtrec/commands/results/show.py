"""What a JSON file of fairtrec holds: tables, notes, the signature, and where its inputs are today."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairtrec.commands.results.moved_inputs import InputState, locate_inputs
from fairtrec.commands.results.parts import read_inputs
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.columns import compared_slices
from fairtrec.support.errors import InputError
from fairtrec.support.files.typed_fields import Fields

OF_SLICES = ("low", "high", "against", *compared_slices.NAMES, "doubtful")
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
        yield "slices", [row for run in document.objects("runs") if "slices" in run for row in _list_slices(run)]
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
    values |= _take(run, "pooled").values
    return {"run": run.get("run", str), "queries": run.count("queries"), **values}


def _list_slices(run: Fields) -> Iterator[dict[str, Any]]:
    """List the value of each slice of a run and measure, with its interval and its difference from another slice."""
    slices = run.object("slices")
    for name in slices:
        part = slices.object(name)
        means, pooled, numbers = part.object("means"), _take(part, "pooled"), _take(part, "pooled_numbers")
        for measure in means:
            own = _take(numbers, measure) if measure in pooled else means.object(measure)
            value = (pooled if measure in pooled else own).value(measure if measure in pooled else "value")
            first = {"run": run.get("run", str), "slice": name, "measure": measure, "queries": part.count("queries")}
            yield {**first, "value": value, **{key: own.value(key) for key in OF_SLICES if key in own}}


def _take(fields: Fields, name: str) -> Fields:
    """Take an object that need not be there."""
    return fields.object(name) if name in fields else replace(fields, values={})


def _list_scalars(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if not isinstance(value, list | dict)}

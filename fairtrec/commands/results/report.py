"""What tells two results apart, as text or JSON."""

import json
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import Any

from fairtrec.commands.results.difference import Deviation, Difference, Pair, Tolerance
from fairtrec.formulas.rounding import NEAR
from fairtrec.report.cells import format_distinct
from fairtrec.report.note_selection import wrap_hanging
from fairtrec.support.errors import plain, short


def text(difference: Difference, *, names: Pair, window: bool = False) -> str:
    """Write a line for each difference, and how many values are the same, if some are only within the tolerance."""
    room = get_terminal_size().columns if window else None
    lines = [] if difference.same else [f"--- {names[0]}", f"+++ {names[1]}", *_lines(difference, names)]
    lines += count_near(difference.compared, difference.alike, difference.near, difference.tolerance)
    return "".join(f"{part}\n" for line in lines for part in wrap_hanging(plain(line), room, 4))


def _lines(difference: Difference, names: Pair) -> Iterator[str]:
    for measure, first, second, why in difference.changed:
        yield f"value version, {measure}: {first} | {second}: {why}"
    for name, (one, other) in difference.signature.items():
        yield f"signature, {name}: {one or 'none'} | {other or 'none'}"
    for part, (one, other) in difference.inputs.items():
        yield f"input, {part}: {one[:8] or 'none'} | {other[:8] or 'none'} (sha256)"
    singles = [("run", pair) for pair in difference.runs] + [("measure", pair) for pair in difference.measures]
    singles += [(f"query, {run}", pair) for run, pairs in difference.queries.items() for pair in pairs]
    for what, (one, other) in singles:
        yield f"{what}, {one or other}: only in {names[0] if one else names[1]}"
    for run, (many, others) in difference.sizes.items():
        yield f"number of queries, {run}: {many} | {others}"
    yield from map(_deviation, difference.values)
    for each in difference.others:
        yield from write_entry(*each)
    if not difference.compared:
        yield "no value is compared: the files have no run or no measure in common"


def write_entry(key: str, recorded: Any, now: Any) -> Iterator[str]:
    """Write an entry of an answer that differs; of notes, each that only one side has."""
    if key == "notes" and isinstance(recorded, list) and isinstance(now, list):
        yield from _compare_notes(recorded, now)
    else:
        yield f"{key}: {_write(recorded)} | {_write(now)}"


def _compare_notes(recorded: list[Any], now: list[Any]) -> Iterator[str]:
    """Write the text of each note that only one side has."""
    for those, others, where in ((recorded, now, "the file"), (now, recorded, "the replay")):
        for note in (note for note in those if note not in others):
            said = note.get("text") if isinstance(note, dict) else None
            yield f"note only in {where}: {_write(note if said is None else said)}"
    if len(recorded) != len(now) and all(note in now for note in recorded) and all(note in recorded for note in now):
        yield f"notes: {_write(recorded)} | {_write(now)}"  # one is there twice


def _write(value: Any) -> str:
    """Write a value on one side: texts as they are, and lists of objects by the number of their entries."""
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, list | dict) for each in value)):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return (
        "none" if value is None else short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    )


def count_near(compared: int, alike: int, near: int, tolerance: Tolerance) -> list[str]:
    """Say how many of the values are the same, and how many of these only within the tolerance; nothing if none is.

    >>> count_near(52, 50, 1, Tolerance(0.05))
    ['the same in 50 of 52 values, 1 of them only within 1e-12 relative or 0.05 absolute; --exact compares bits']
    """
    if not near:
        return []
    within = f"{NEAR:g} relative" + (f" or {tolerance.most:g} absolute" if tolerance.most else "")
    many = f"{compared}" if alike == compared else f"{alike} of {compared}"
    return [f"the same in {many} values, {near} of them only within {within}; --exact compares bits"]


def _deviation(deviation: Deviation) -> str:
    said = [f"mean {_both(*deviation.means)}"] if deviation.means else []
    if deviation.defined and deviation.defined[0] != deviation.defined[1]:
        said.append("defined for {} | {} queries".format(*deviation.defined))
    if deviation.queries:
        most = ", ".join(f"{qid} ({_both(one, other)})" for qid, one, other in deviation.most)
        differ = f"{deviation.differing} of {deviation.queries} queries differ{'s' * (deviation.differing == 1)}"
        said.append(differ + (f", most {most}" if most else ""))
    return f"values, {deviation.run}, {deviation.measure}: by {deviation.largest:.3g} at most; {'; '.join(said)}"


def _both(one: float, other: float) -> str:
    return " | ".join(format_distinct(one, other, 4))


def record(difference: Difference, *, names: Pair) -> dict[str, Any]:
    """Give one object; each pair is of the first and of the second file, null where it has none."""
    return {
        "files": names,
        "same": difference.same,
        "versions": {name: _pair(pair) for name, pair in difference.versions.items()},
        "changed": {measure: {"versions": [one, other], "why": why} for measure, one, other, why in difference.changed},
        "signature": {name: _pair(pair) for name, pair in difference.signature.items()},
        "inputs": {part: _pair(pair) for part, pair in difference.inputs.items()},
        "runs": [{"run": one or other, "file": names[0 if one else 1]} for one, other in difference.runs],
        "measures": list(map(_pair, difference.measures)),
        "qids": {run: list(map(_pair, pairs)) for run, pairs in difference.queries.items()},
        "queries": difference.sizes,
        "exact": difference.tolerance.exact,
        "tolerance": difference.tolerance.most,
        "compared": difference.compared,
        "near": difference.near,
        "renamed": list(map(_pair, difference.renamed)),
        "values": [
            {
                "run": deviation.run,
                "measure": deviation.measure,
                "means": deviation.means,
                "defined": deviation.defined,
                "differing": deviation.differing,
                "queries": deviation.queries,
                "largest": deviation.largest,
                "most": [{"qid": qid, "values": values} for qid, *values in deviation.most],
            }
            for deviation in difference.values
        ],
        "others": [each._asdict() for each in difference.others],
    }


def _pair(pair: Pair) -> list[str | None]:
    return [side or None for side in pair]

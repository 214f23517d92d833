"""The entries of two JSON answers: listed by their keys, and compared."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fairtrec.commands.results.difference import EntryDifference, Tolerance
from fairtrec.evaluation.answers import Signature

COMPARED = ("format", "fairtrec", "signature", "inputs", "arguments", "options")  # of a results file, by other means
OF_RUNS = ("run", "queries", "per_query")
LEVEL_NOTE = "relevance level"  # the kind of a note that P@5 has and P(rel=1)@5, whose name is P@5 too, has not
EXACT = Tolerance(exact=True)


class EntriesDifference(NamedTuple):
    """The entries that differ, how many were compared, and how many are the same only within the tolerance."""

    entries: tuple[EntryDifference, ...]
    compared: int
    near: int


def compare_entries(recorded: Any, now: Any, tolerance: Tolerance) -> EntriesDifference:
    """Compare all entries of two answers."""
    found = list(_pair_entries(recorded, now))
    unlike = [each for each in found if not _is_same(each, EXACT)]
    far = tuple(each for each in unlike if not _is_same(each, tolerance))
    return EntriesDifference(far, len(found), len(unlike) - len(far))


def take_other_entries(document: Mapping[str, Any]) -> dict[str, Any]:
    """Take the entries of a results file that `compare_results` does not compare, those of runs by their names."""
    rest = {name: value for name, value in document.items() if name not in COMPARED}
    notes = document.get("notes")
    rest["notes"] = [each for each in notes if not is_of_kind(each, LEVEL_NOTE)] if isinstance(notes, list) else notes
    return rest | {"runs": {run["run"]: _take_other_entries_of(run, document["measures"]) for run in document["runs"]}}


def is_of_kind(note: Any, kind: str) -> bool:
    """Tell whether an entry of notes is a note of this kind."""
    return isinstance(note, dict) and note.get("kind") == kind


def _take_other_entries_of(run: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in run.items() if name not in OF_RUNS}
    for measure, row in run.get("means", {}).items():
        of_mean = () if measures[measure].get("aggregate") == "pooled" else ("value", "defined")
        rest["means"] = rest["means"] | {measure: {name: row[name] for name in row if name not in of_mean}}
    return rest


def _pair_entries(one: Any, other: Any, key: str = "") -> Iterator[EntryDifference]:
    """List the entries of two answers by their keys; what only one has is None in the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            yield from _pair_entries(one.get(name), other.get(name), f"{key}.{name}" if key else str(name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from _pair_entries(*pair, f"{key}[{number}]")
    elif key == "signature" and isinstance(one, str) and isinstance(other, str):
        yield EntryDifference(key, str(Signature.read(one).content), str(Signature.read(other).content))
    else:
        yield EntryDifference(key, one, other)


def _is_same(entry: EntryDifference, tolerance: Tolerance) -> bool:
    both = entry.recorded, entry.now
    is_number = all(isinstance(each, int | float) and not isinstance(each, bool) for each in both)
    try:
        return tolerance.accepts(*map(float, both)) if is_number else bool(both[0] == both[1])
    except OverflowError:  # a whole number of hundreds of digits
        return bool(both[0] == both[1])

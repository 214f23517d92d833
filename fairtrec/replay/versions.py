"""Versions: those of programs, which may differ between two results, and those of values, which must not.

A measure counts the changes of its values (``Measure.changes``), and a signature has the count where there is one. So
what a new version of fairtrec computes is known to be what an old one computed, or not to be, without a look at values.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fairtrec.catalogue import registry
from fairtrec.errors import FilePath, InputError

PROGRAMS = ("fairtrec", "ir-measures", "plug-ins")  # as signatures name them
Pair = tuple[str, str]  # of the one and of the other; empty where it has none


class ChangedValues(NamedTuple):
    """The value versions of a measure on two sides, and what has changed between them."""

    measure: str
    one: int
    other: int
    why: str


def changed(measures: Iterable[str], one: Mapping[str, str], other: Mapping[str, str]) -> tuple[ChangedValues, ...]:
    """Find the measures, spelled as they were asked for, whose values are of two versions by these signatures."""
    first, second = (dict(re.findall(r"(\w+)/(\d{1,6})(?!\d)", each.get("values", ""))) for each in (one, other))
    spelled = {re.split(r"[(@]", measure)[0]: measure for measure in measures}
    both = [(name, int(first.get(name, 1)), int(second.get(name, 1))) for name in spelled]
    return tuple(ChangedValues(*each, _why(spelled[each[0]], *each[1:])) for each in both if each[1] != each[2])


def _why(measure: str, one: int, other: int) -> str:
    (known,) = registry.parse(measure)
    return "; ".join(known.changes[min(one, other) - 1 : max(one, other) - 1]) or "a later fairtrec knows what changed"


def refuse_changed(several: Iterable[ChangedValues], path: FilePath) -> None:
    """Raise InputError where values have changed between here and a file."""
    told = [f"{each.measure} is of value version {each.one} here, {each.other} there: {each.why}" for each in several]
    if told:
        raise InputError(f"{'; '.join(told)}; evaluate it again, or go on all the same with --accept", path)


def of_programs(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, Pair]:
    """Give the versions of programs that differ between two signatures."""
    pairs = {name: (one.get(name, ""), other.get(name, "")) for name in PROGRAMS}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def remark(programs: Mapping[str, Pair], sides: Pair) -> list[str]:
    """Say which versions of programs differ; one that computed nothing on a side has none there."""
    told = [
        f"{name} {one or 'none'} {sides[0]}, {other or 'none'} {sides[1]}" for name, (one, other) in programs.items()
    ]
    return [f"versions differ: {'; '.join(told)}"] * bool(told)

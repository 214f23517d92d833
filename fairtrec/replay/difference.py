"""What tells two results apart: the choices behind them, their inputs, and the values themselves.

Versions of programs may differ, and those of values must not. A measure counts the changes of its values
(``Measure.changes``), and a signature has the count where there is one: so what a new version of fairtrec computes is
known to be what an old one computed, or not to be, without a look at values.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from fairtrec.answers.result import Part
from fairtrec.catalogue import registry
from fairtrec.catalogue.needs import EXTRAS
from fairtrec.errors import FilePath, InputError
from fairtrec.inputs.choices import CHOICES
from fairtrec.replay.results import RecordedResult, RecordedRun

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
    apart = _apart(one, other)
    return {name: apart[name] for name in PROGRAMS if name in apart}


def remark(programs: Mapping[str, Pair], sides: Pair) -> list[str]:
    """Say which versions of programs differ; one that computed nothing on a side has none there."""
    told = [
        f"{name} {one or 'none'} {sides[0]}, {other or 'none'} {sides[1]}" for name, (one, other) in programs.items()
    ]
    return [f"versions differ: {'; '.join(told)}"] * bool(told)


def _keys(*parts: str) -> set[str]:
    """Name the choices, as signatures do, that play a part only where one of these does."""
    return {row.key for row in CHOICES.values() if not set(parts).isdisjoint(row.part.split())} - {""}


OF_DOCUMENTS = {"terms", "docs", "counts", "labels"} | _keys("documents", "texts", "labels")
OF_MEASURES = {"qrels", "tau", "background", *EXTRAS} | _keys("membership")
OF_RUNS = ("run", "counterfactual")  # what belongs to single runs
UNCOMPARED = {*PROGRAMS, "values", "tau", "counterfactual", "interval"} | {
    row.key for row in CHOICES.values() if row.adds
}
SHOWN = 3  # of the queries that differ, those that differ most


@dataclass(frozen=True)
class Deviation:
    """How the values of one measure differ for one run, in all and by query."""

    run: str
    measure: str
    means: tuple[float, float] | None  # None where one of the two was written without
    differing: int
    queries: int  # of both
    largest: float  # infinite where one of the two is undefined
    most: tuple[tuple[str, float, float], ...]  # the queries that differ most


@dataclass(frozen=True)
class Difference:
    """All that tells two results apart."""

    versions: Mapping[str, Pair]  # of the programs, which are said, and are no difference
    changed: tuple[ChangedValues, ...]
    signature: Mapping[str, Pair]
    inputs: Mapping[str, Pair]
    runs: tuple[Pair, ...]
    measures: tuple[Pair, ...]
    queries: Mapping[str, tuple[Pair, ...]]  # by run
    values: tuple[Deviation, ...]

    @property
    def same(self) -> bool:
        """Whether nothing tells them apart but versions of programs."""
        return not any(getattr(self, each.name) for each in fields(self) if each.name != "versions")


def between(one: RecordedResult, other: RecordedResult, tolerance: float = 0.0) -> Difference:
    """Compare two results; values that are no farther apart than the tolerance are the same.

    Runs are matched by name, or are the one that each has. Where inputs lie does not matter, what they hold does.
    """
    pairs = _pairs(one, other)
    common = [measure for measure in one.measures if measure in other.measures]
    columns = {name: of for name, of in one.columns.items() if other.columns.get(name) == of}
    values = [each for pair in pairs for column in columns.items() for each in _values(*pair, *column, tolerance)]
    queries = {
        mine.name: _single(list(mine.queries), list(yours.queries))
        for mine, yours in pairs
        if mine.queries and yours.queries
    }
    runs = ([], []) if len(one.runs) == len(other.runs) == len(pairs) else (one.runs, other.runs)
    choices = unequal(one.signature, other.signature)
    return Difference(
        of_programs(one.signature, other.signature),
        changed(common, one.signature, other.signature),
        {name: pair for name, pair in choices.items() if name not in (*PROGRAMS, "values")},
        _apart(_digests(one, pairs, 0), _digests(other, pairs, 1)),
        _single(*([run.name for run in several] for several in runs)),
        _single(list(one.columns), list(other.columns)),
        {run: missing for run, missing in queries.items() if missing},
        tuple(values),
    )


def refuse_other(baseline: RecordedResult, signature: Mapping[str, str], digests: Mapping[Part, str]) -> None:
    """Raise InputError if a baseline was made by other choices, or from other inputs, than an evaluation here.

    What names the run does not count, nor what only measures call for that are not evaluated here, nor versions.
    """
    uncalled = OF_MEASURES if "missing" in signature else OF_MEASURES | OF_DOCUMENTS
    unlike = []
    for name, (mine, theirs) in unequal(signature, baseline.signature).items():
        counts = re.sub(r"\(\d+\)$", "", mine) == re.sub(r"\(\d+\)$", "", theirs)  # how many documents of the run
        if name not in UNCOMPARED and not (name == "missing" and counts) and (mine or name not in uncalled):
            unlike.append(f"{name}: {mine or 'none'} here, {theirs or 'none'} in {baseline.path}")
    for part, file in baseline.inputs.items():
        if part.of not in OF_RUNS and digests.get(part, file.sha256) != file.sha256:
            theirs = f"{file.sha256[:8]} in {baseline.path} ({file.name})"
            unlike.append(f"{part}: sha256 {digests[part][:8]} here, {theirs}")
    if unlike:
        raise InputError(
            f"a baseline of other choices or inputs: {'; '.join(unlike)}; evaluate it again", baseline.path
        )


def _pairs(one: RecordedResult, other: RecordedResult) -> list[tuple[RecordedRun, RecordedRun]]:
    if len(one.runs) == len(other.runs) == 1:
        return [(one.runs[0], other.runs[0])]
    named = {run.name: run for run in other.runs}
    return [(run, named[run.name]) for run in one.runs if run.name in named]


def _digests(results: RecordedResult, pairs: Sequence[tuple[RecordedRun, RecordedRun]], side: int) -> dict[str, str]:
    """Give the digest of each input, and of each run that is compared, by the name that it has on the first side."""
    alias = {Part("run", pair[side].name): Part("run", pair[0].name) for pair in pairs}
    return {
        str(alias.get(part, part)): file.sha256
        for part, file in results.inputs.items()
        if part in alias or part.of != "run"
    }


def _apart(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, Pair]:
    both = {name: (one.get(name, ""), other.get(name, "")) for name in {**one, **other}}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def unequal(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, Pair]:
    """Give the parts in which two signatures differ; what has a digest may have another name."""
    return {name: pair for name, pair in _apart(one, other).items() if _unnamed(pair[0]) != _unnamed(pair[1])}


def _unnamed(told: str) -> str:
    """Leave the names out before digests.

    >>> _unnamed("bm25.run@01234567/200"), _unnamed("f=0.5,m=0.5")
    ('@01234567/200', 'f=0.5,m=0.5')
    """
    return re.sub(r"(?:^|(?<=\*))[^*]*@(?=[0-9a-f]{8}(?:[*/]|$))", "@", told)


def _single(one: Sequence[str], other: Sequence[str]) -> tuple[Pair, ...]:
    mine, theirs = set(one), set(other)
    return (*((name, "") for name in one if name not in theirs), *(("", name) for name in other if name not in mine))


def _values(mine: RecordedRun, theirs: RecordedRun, column: str, measure: str, tolerance: float) -> Iterator[Deviation]:
    means = (mine.means[column], theirs.means[column]) if mine.means and theirs.means else None
    shared = [qid for qid in mine.queries if qid in theirs.queries]
    values = ((qid, mine.queries[qid][measure], theirs.queries[qid][measure]) for qid in shared)
    far = [(_distance(one, other), (qid, one, other)) for qid, one, other in values]
    far = sorted((each for each in far if each[0] > tolerance), key=lambda each: -each[0])
    if far or (means is not None and _distance(*means) > tolerance):
        largest = far[0][0] if far else _distance(*means) if means else 0.0
        name = mine.name if mine.name == theirs.name else f"{mine.name} | {theirs.name}"
        yield Deviation(name, column, means, len(far), len(shared), largest, tuple(each for _, each in far[:SHOWN]))


def _distance(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    return abs(one - other) if math.isfinite(one) and math.isfinite(other) else math.inf

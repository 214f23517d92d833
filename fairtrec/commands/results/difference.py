"""What tells two results apart: the choices behind them, their inputs, and the values themselves.

Versions of programs may differ, and those of values must not. A measure counts the changes of its values
(``Measure.changes``), and a signature has the count where there is one: so what a new version of fairtrec computes is
known to be what an old one computed, or not to be, without a look at values.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fairtrec.commands.results.results import RecordedResult, RecordedRun
from fairtrec.evaluation.answers.result import Part
from fairtrec.evaluation.given import SOURCE_NAMES
from fairtrec.evaluation.inputs.options import CHOICES
from fairtrec.formulas.rounding import NEAR
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.notes import Note, NoteKind

PROGRAMS = ("fairtrec", "ir-measures", "plug-ins")  # as signatures name them
Pair = tuple[str, str]  # of the one and of the other; empty where it has none
VERSIONS = NoteKind("versions differ", "versions differ: {versions}")
RENAMED = NoteKind("renamed runs", "runs of two names, matched by sha256: {names}")


class ChangedValues(NamedTuple):
    """The value versions of a measure on two sides, and what has changed between them."""

    measure: str
    one: int
    other: int
    why: str


def find_changed_versions(
    measures: Iterable[str], one: Mapping[str, str], other: Mapping[str, str]
) -> tuple[ChangedValues, ...]:
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
        raise InputError(f"{'; '.join(told)}; evaluate it again, or continue with --accept", path)


def compare_programs(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, Pair]:
    """Give the versions of programs that differ between two signatures."""
    apart = _apart(one, other)
    return {name: apart[name] for name in PROGRAMS if name in apart}


def note_versions(programs: Mapping[str, Pair], sides: Pair) -> list[Note]:
    """Say which versions of programs differ; one that computed nothing on a side has none there."""
    told = [
        f"{name} {one or 'none'} {sides[0]}, {other or 'none'} {sides[1]}" for name, (one, other) in programs.items()
    ]
    return [VERSIONS.note(versions="; ".join(told))] if told else []


def note_renamed(renamed: Sequence[Pair]) -> list[Note]:
    """Say which runs are matched by their sha256, since their names differ."""
    told = [f"{one} | {other}" for one, other in renamed[:SHOWN]]
    told += [f"and {len(renamed) - SHOWN} more"] * (len(renamed) > SHOWN)
    return [RENAMED.note(names=", ".join(told))] if told else []


def _keys(*parts: str) -> set[str]:
    """Name the choices, as signatures do, that play a part only where one of these does."""
    return {row.key for row in CHOICES.values() if not set(parts).isdisjoint(row.part.split())} - {""}


OF_DOCUMENTS = {"terms", "docs", "counts", "labels", "groups"} | _keys("documents", "texts", "labels")
OF_MEASURES = {"tau", "max-grade", *SOURCE_NAMES} - OF_DOCUMENTS - {"gold", "queries"} | _keys("membership")
OF_RUNS = ("run", "counterfactual")  # what belongs to single runs
UNCOMPARED = {*PROGRAMS, "values", "tau", "counterfactual", "interval"} | {
    row.key for row in CHOICES.values() if row.adds
}
SHOWN = 3  # of the queries that differ, those that differ most; of renamed runs, the first
NOISE = 1e-15  # a difference below this is rounding, whatever the size of the values
WHOLE = float(2**53)  # up to which a float holds every whole number


@dataclass(frozen=True)
class Tolerance:
    """When two values are the same: if they agree within 1e-12 relative, or are no more than ``most`` apart.

    Whole numbers are the same only if they are equal, and so are the values of a measure that counts. ``exact``
    compares bits.
    """

    most: float = 0.0
    exact: bool = False

    def accepts(self, one: float, other: float, *, counts: bool = False) -> bool:
        """Tell whether two values are the same.

        >>> [Tolerance().accepts(0.3, other) for other in (0.1 + 0.2, 0.3 + 1e-9, math.nan)]
        [True, False, False]
        >>> Tolerance().accepts(1e13, 1e13 + 1), Tolerance(exact=True).accepts(0.0, -0.0)
        (False, False)
        """
        if identical(one, other) or self.exact:
            return identical(one, other)
        apart, size = _distance(one, other), max(abs(one), abs(other))
        whole = counts or (one.is_integer() and other.is_integer() and size <= WHOLE)
        return math.isfinite(apart) and apart <= max(self.most, 0.0 if whole else max(NOISE, NEAR * size))


USUAL = Tolerance()


def identical(one: float, other: float) -> bool:
    """Tell whether two values have the same bits; undefined values have.

    >>> identical(math.nan, math.nan), identical(0.0, -0.0)
    (True, False)
    """
    return one.hex() == other.hex()


@dataclass(frozen=True)
class Deviation:
    """How the values of one measure differ for one run, in all and by query."""

    run: str
    measure: str
    means: tuple[float, float] | None  # None where one of the two was written without
    defined: tuple[int, int] | None  # the queries behind each mean
    differing: int
    queries: int  # of both
    largest: float  # infinite where one of the two is undefined
    most: tuple[tuple[str, float, float], ...]  # the queries that differ most


class EntryDifference(NamedTuple):
    """An entry of an answer that differs: the path of keys, and both values; None on a side that lacks it."""

    key: str
    recorded: Any
    now: Any


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
    sizes: Mapping[str, tuple[int, int]]  # by run, the numbers of queries that only one file names or none
    values: tuple[Deviation, ...]
    tolerance: Tolerance
    compared: int  # values, of queries and means
    alike: int  # of these, the values that are the same
    near: int  # of these, the values that are the same only within the tolerance
    renamed: tuple[Pair, ...] = ()  # runs that are matched by their sha256
    others: tuple[EntryDifference, ...] = ()  # of a replay: notes, intervals and other entries of the file

    @property
    def same(self) -> bool:
        """Whether nothing differs but versions of programs and, within the tolerance, values."""
        of_files = (self.changed, self.signature, self.inputs, self.runs, self.measures)
        return not any((*of_files, self.queries, self.sizes, self.values, self.others))


def compare_results(one: RecordedResult, other: RecordedResult, tolerance: Tolerance = USUAL) -> Difference:
    """Compare two results.

    Runs are matched by name, then by sha256, or are the one that each has. Where inputs lie does not matter, what they
    hold does.
    """
    pairs = _pairs(one, other)
    common = [measure for measure in one.measures if measure in other.measures]
    columns = {name: of for name, of in one.columns.items() if other.columns.get(name) == of}
    counts = one.counts | other.counts
    values = [
        each
        for pair in pairs
        for column, measure in columns.items()
        for each in _values(*pair, column, measure, tolerance, counts=column in counts)
    ]
    compared = [each for pair in pairs for each in _both(*pair, columns)]
    unlike = [each for each in compared if not identical(*each[1:])]
    near = sum(tolerance.accepts(mine, yours, counts=name in counts) for name, mine, yours in unlike)
    queries, sizes = _compare_queries(pairs)
    choices = unequal(one.signature, other.signature)
    return Difference(
        compare_programs(one.signature, other.signature),
        find_changed_versions(common, one.signature, other.signature),
        {name: pair for name, pair in choices.items() if name not in (*PROGRAMS, "values")},
        _apart(_digests(one, pairs, 0), _digests(other, pairs, 1)),
        _list_unmatched(one, other, pairs),
        _single(list(one.columns), list(other.columns)),
        queries,
        sizes,
        tuple(values),
        tolerance,
        len(compared),
        len(compared) - len(unlike) + near,
        near,
        _list_renamed(one, other, pairs),
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
    mine = {run.name for run in one.runs}
    others: dict[str, list[RecordedRun]] = {}  # by sha256, those that have no run of their name
    for run in other.runs:
        if run.name not in mine and (sha256 := _find_sha256(other, run)):
            others.setdefault(sha256, []).append(run)
    pairs = []
    for run in one.runs:
        equal = [named[run.name]] if run.name in named else others.get(_find_sha256(one, run), [])
        if equal:
            pairs.append((run, equal.pop(0)))
    return pairs


def _find_sha256(results: RecordedResult, run: RecordedRun) -> str:
    """Give the sha256 of the file of a run; empty if it was no file."""
    part = Part("run", run.name)
    return results.inputs[part].sha256 if part in results.inputs else ""


def _list_unmatched(
    one: RecordedResult, other: RecordedResult, pairs: Sequence[tuple[RecordedRun, RecordedRun]]
) -> tuple[Pair, ...]:
    """List the runs of no pair."""
    mine, yours = {run.name for run, _ in pairs}, {run.name for _, run in pairs}
    singles = [(run.name, "") for run in one.runs if run.name not in mine]
    return (*singles, *(("", run.name) for run in other.runs if run.name not in yours))


def _list_renamed(
    one: RecordedResult, other: RecordedResult, pairs: Sequence[tuple[RecordedRun, RecordedRun]]
) -> tuple[Pair, ...]:
    """List the pairs of two names and the same file."""
    renamed = [(mine, yours) for mine, yours in pairs if mine.name != yours.name]
    same = ((mine, yours) for mine, yours in renamed if "" != _find_sha256(one, mine) == _find_sha256(other, yours))
    return tuple((mine.name, yours.name) for mine, yours in same)


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


def _compare_queries(
    pairs: Sequence[tuple[RecordedRun, RecordedRun]],
) -> tuple[dict[str, tuple[Pair, ...]], dict[str, tuple[int, int]]]:
    """Give the queries that one run of a pair has alone, or, where one names none, their numbers if these differ."""
    queries, sizes = {}, {}
    for mine, yours in pairs:
        if mine.queries and yours.queries:
            queries[mine.name] = _single(list(mine.queries), list(yours.queries))
        elif mine.many != yours.many:
            sizes[mine.name] = mine.many, yours.many
    return {run: missing for run, missing in queries.items() if missing}, sizes


def _both(mine: RecordedRun, theirs: RecordedRun, columns: Mapping[str, str]) -> Iterator[tuple[str, float, float]]:
    """Give each mean, and the value of each query and measure, that both runs have."""
    if mine.means and theirs.means:
        yield from ((column, mine.means[column], theirs.means[column]) for column in columns)
    measures = set(columns.values())
    for qid in mine.queries.keys() & theirs.queries.keys():
        yield from ((measure, mine.queries[qid][measure], theirs.queries[qid][measure]) for measure in measures)


def _values(
    mine: RecordedRun, theirs: RecordedRun, column: str, measure: str, tolerance: Tolerance, *, counts: bool
) -> Iterator[Deviation]:
    means = (mine.means[column], theirs.means[column]) if mine.means and theirs.means else None
    defined = (mine.defined[column], theirs.defined[column]) if means else None
    shared = [qid for qid in mine.queries if qid in theirs.queries]
    values = ((qid, mine.queries[qid][measure], theirs.queries[qid][measure]) for qid in shared)
    far = [each for each in values if not tolerance.accepts(*each[1:], counts=counts)]
    far.sort(key=lambda each: -_distance(*each[1:]))
    fewer = defined is not None and defined[0] != defined[1]
    if far or fewer or (means is not None and not tolerance.accepts(*means, counts=counts)):
        largest = _distance(*far[0][1:]) if far else _distance(*means) if means else 0.0
        name = mine.name if mine.name == theirs.name else f"{mine.name} | {theirs.name}"
        yield Deviation(name, column, means, defined, len(far), len(shared), largest, tuple(far[:SHOWN]))


def _distance(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    return abs(one - other) if math.isfinite(one) and math.isfinite(other) else math.inf

"""Does a judge favor a family of runs? What it makes of the family's values, minus what it makes of all others.

Runs are fixed, and topics are the sample: a family's runs share their model, so that they are not independent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from os import fspath
from pathlib import PurePath
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.inputs import loading
from fairtrec.formats.named_tables import TableKind, read_table, refuse_widths
from fairtrec.measure import Measure
from fairtrec.report.run_names import find_family, shorten_names
from fairtrec.statistics import paired
from fairtrec.statistics.corrections import correct_p_values
from fairtrec.statistics.doubt import is_difference_doubtful
from fairtrec.statistics.procedure import Procedure
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

FAMILIES = TableKind(
    "list of families", {"run": ("run", "system", "tag"), "family": ("family",)}, rest="family", wide="family",
    separators=("\t", None), heads=(("run", "family"),),
)  # fmt: skip
_LINE = "{} column{} instead of two; write: run<TAB>family"


@dataclass(frozen=True)
class JudgeFamily:
    """The values of a family of runs by a judge minus those by people, next to the same of all other runs.

    Attributes:
        measure: by which runs are measured.
        family: the name of the family.
        runs: how many runs are of it.
        queries: those in which every run has a value by both.
        value: the mean over queries of the judge minus people, in the family; ``low`` and ``high`` are its interval.
        difference: ``value`` minus the same of all other runs; ``difference_low`` and ``difference_high`` are its
            interval.
        p: of the t-test over queries that the difference is 0.
        p_corrected: corrected for all families, judges and measures.
        p_equivalent: of equivalence within the margin (TOST), uncorrected; None if not asked for.
        verdict: higher, lower, or not shown.
        doubtful: whether fewer than ten queries decide.
    """

    measure: str
    family: str
    runs: int
    queries: int
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p: float
    p_corrected: float
    p_equivalent: float | None
    verdict: str
    doubtful: bool


STRANGE = NoteKind("families without a run", "families: no run of --runs fits {first}{more}", NoteSeverity.MISLEADING)


@dataclass(frozen=True)
class FamilyList:
    """The families, and the numbers of the runs of each; the others are of none.

    ``source`` is what a signature says of the list, ``strange`` are the words that fit no run.
    """

    members: Mapping[str, tuple[int, ...]]
    source: str
    strange: tuple[str, ...] = ()

    def list_notes(self) -> list[Note]:
        """Note the names that fit no run, as a misspelled one counts among the others."""
        if not self.strange:
            return []
        more = len(self.strange) - 1
        return [STRANGE.note(first=self.strange[0], more=f", nor {more} more" if more else "")]


def read_families(families: Any, named: Sequence[tuple[str, Any]]) -> FamilyList:
    """Read which runs are of which family: a file of lines ``run family``, ``{run: family}``, or words with which the
    names of runs begin.

    ``named`` are the runs with their names. Raises UsageError for a family of all runs; InputError for a list that fits
    no run, and a run that is there twice.
    """
    names = [name for name, _ in named]
    if isinstance(families, PATH) and loading.is_file(families):
        pairs = list(_read_pairs(families))
        members, strange = _assign(pairs, named, families)
        source = loading.short(opening.name(families), opening.sha256(families))
    elif isinstance(families, Mapping):
        members, strange = _assign([(None, str(run), str(family)) for run, family in families.items()], named, None)
        source = ",".join(f"{run}={family}" for run, family in families.items())
    else:
        words = families.split(",") if isinstance(families, str) else list(families)
        begun = [word for word in map(str.strip, map(str, words)) if word]
        members = _find_beginnings(begun, shorten_names(names))
        strange = tuple(word for word in begun if word not in members)
        source = ",".join(begun)
        if not members:
            what = f"no run is of the families {', '.join(begun)}: no name begins so, and there is no such file"
            raise InputError(f"{what}; the runs are {', '.join(shorten_names(names)[:3])}")
    for family, numbers in members.items():
        if len(numbers) == len(named):
            raise UsageError(f"one family has no others, and all runs are of {family}; name two, or add other runs")
    return FamilyList(members, source, strange)


def _read_pairs(path: FilePath) -> Iterator[tuple[int | None, str, str]]:
    """Read the lines of a file: the number of each, the run and the family."""
    for number, (run, family) in refuse_widths(read_table(path, FAMILIES).rows, path, (2,), _LINE, 2):
        yield number, run, family


def _assign(
    pairs: Sequence[tuple[int | None, str, str]], named: Sequence[tuple[str, Any]], path: FilePath | None
) -> tuple[dict[str, tuple[int, ...]], tuple[str, ...]]:
    """Number the runs of each family, and list the names of no run.

    A line names a run as it is printed, by its file, with or without ending, or tag. Raises InputError if no line fits,
    and for a run that is there twice.
    """
    called = [_list_names(name, run) for name, run in named]
    family_of: dict[int, str] = {}
    strange: list[str] = []
    for line, wanted, family in pairs:
        found = _find_named(wanted, called)
        strange += [] if found else [wanted]
        for at in found:
            if at in family_of:
                twice = f"run {wanted} is in the list twice, of {family_of[at]} and of {family}"
                raise InputError(f"{twice}; remove one of the two", path, line)
            family_of[at] = family
    if not family_of:
        what = f"no line names a run; the runs are {', '.join(shorten_names([name for name, _ in named])[:3])}"
        raise InputError(f"{what}, so write: run<TAB>family", path)
    members: dict[str, tuple[int, ...]] = {}
    for at, family in sorted(family_of.items()):
        members[family] = (*members.get(family, ()), at)
    return members, tuple(strange)


def _find_named(wanted: str, called: Sequence[tuple[str, ...]]) -> list[int]:
    """Find the runs with this name in the first of the ways to name a run that fits any."""
    ways = ([at for at, name in enumerate(names) if name == wanted] for names in zip(*called, strict=True))
    return next(filter(None, ways), [])


def _list_names(name: str, run: Any) -> tuple[str, ...]:
    """List the names of a run: as it is called, its file, this without its ending and without all endings, and tag."""
    file = PurePath(fspath(name)).name
    return name, file, PurePath(file).stem, file.partition(".")[0], run.tag


def _find_beginnings(words: Sequence[str], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Number the runs whose names begin with each word; the longest that fits counts."""
    members: dict[str, tuple[int, ...]] = {}
    for at, name in enumerate(names):
        if (number := find_family(name, words)) >= 0:
            members[words[number]] = (*members.get(words[number], ()), at)
    return {word: members[word] for word in words if word in members}


def compare_families(
    measure: Measure, differences: Floats, families: FamilyList, procedure: Procedure
) -> Iterator[JudgeFamily]:
    """Compare each family with all other runs; ``differences`` [run, query] are those of a judge minus people.

    The p-values are still to be corrected.
    """
    for family, numbers in families.members.items():
        own = np.isin(np.arange(len(differences)), numbers)
        inside, outside = differences[own].mean(axis=0), differences[~own].mean(axis=0)
        apart = paired.subtract(inside, outside)
        (low, high), (apart_low, apart_high) = (
            paired.interval(each, confidence=procedure.confidence) for each in (inside, apart)
        )
        margin = procedure.equivalence
        yield JudgeFamily(
            measure=str(measure),
            family=family,
            runs=len(numbers),
            queries=len(apart),
            value=_average(inside),
            low=low,
            high=high,
            difference=_average(apart),
            difference_low=apart_low,
            difference_high=apart_high,
            p=float(paired.p_values(apart[None])[0]),
            p_corrected=float("nan"),
            p_equivalent=None if margin is None else float(paired.equivalence(apart[None], margin)[0]),
            verdict="",
            doubtful=is_difference_doubtful(apart),
        )


def _average(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def correct_families(
    several: Sequence[Sequence[JudgeFamily]], procedure: Procedure, verdicts: tuple[str, str, str, str]
) -> list[tuple[JudgeFamily, ...]]:
    """Correct the p-values of all judges, measures and families as one, and give the verdicts.

    ``verdicts`` say that a difference is higher, lower, not shown, and not tested.
    """
    p = np.array([family.p for families in several for family in families])
    corrected = iter(correct_p_values(p, procedure.correction).tolist())
    higher, lower, not_shown, not_tested = verdicts

    def judge(family: JudgeFamily) -> JudgeFamily:
        found = next(corrected)
        verdict = not_tested if isnan(found) else not_shown
        if found <= procedure.alpha:
            verdict = higher if family.difference > 0 else lower
        return replace(family, p_corrected=found, verdict=verdict)

    return [tuple(judge(family) for family in families) for families in several]

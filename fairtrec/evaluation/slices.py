"""A result on some of its queries: slices of a query set."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import Protocol

import numpy as np

from fairtrec.data import Floats, digest_texts
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.inputs.loading import short
from fairtrec.formats import tsv
from fairtrec.formats.first_lines import add_first_lines
from fairtrec.formulas.rounding import constant, same
from fairtrec.measure import Better, Note, NoteKind, NoteSeverity, badness
from fairtrec.support.errors import PATH, FilePath, UsageError
from fairtrec.support.literals import ALL, RESERVED

SMALL = 10  # queries; of fewer, a mean says little
SMALL_SLICES = NoteKind("small slices", "small, fewer than {fewest} queries: {slices}")
NOT_EVALUATED = NoteKind("queries not evaluated", "{missing} of the {queries} queries of the slices are not evaluated")
IN_NO_SLICE = NoteKind(
    "queries in no slice", "{outside} of the {queries} queries are in no slice", NoteSeverity.MISLEADING
)


class Slices(dict[str, Sequence[str]]):
    """The query ids of each slice, and the file that they come from, if any."""

    path: FilePath | None = None

    @classmethod
    def read(cls, given: FilePath | Mapping[str, Sequence[str]] | None) -> "Slices":
        """Take what a caller gave: a file of lines of qid and slice, or the query ids of each."""
        if isinstance(given, cls):
            return given
        if given is None or isinstance(given, Mapping):
            for name, qids in (given or {}).items():
                if not hasattr(qids, "__iter__"):
                    raise UsageError(f"the queries of the slice {name} are {qids!r}; pass a list of qids")
            return cls(given or {})
        if not isinstance(given, PATH):
            raise UsageError("slices are a path, or {name: [qid, ...]}; pass one of the two")
        slices = cls(tsv.slices(given))
        slices.path = given
        return slices

    def add_notes(self, result: Result) -> Result:
        """Name slices in the signature, and say in the notes which are small, or of queries that nobody evaluated."""
        named, _ = record_slices(result, self)
        notes = (
            named.evaluation_notes
            if self.path is None
            else add_first_lines(named.evaluation_notes, [("slices", self.path)])
        )
        return replace(named, evaluation_notes=(*notes, *note_slices(result, self)))


def take_slices(given: Slices | None, result: Result) -> Slices:
    """Take the slices that were given; or those of a column of the runs, if it has the role of slices.

    Raises UsageError for both.
    """
    if given and result.slices:
        raise UsageError("slice= of --columns and --slice both give slices; leave out one of the two")
    return Slices(result.slices) if result.slices else given or Slices()


def keep_queries(scores: Scores, qids: Sequence[str]) -> Scores:
    """Keep those of a run's queries that are among ``qids``."""
    wanted = set(qids)
    return scores.keep_queries([column for column, qid in enumerate(scores.qids) if qid in wanted])


def keep_common_queries(one: Scores, other: Scores) -> tuple[Scores, Scores]:
    """Keep the queries that both runs have, in the order of the first."""
    place = {qid: column for column, qid in enumerate(other.qids)}
    shared = [column for column, qid in enumerate(one.qids) if qid in place]
    return one.keep_queries(shared), other.keep_queries([place[one.qids[column]] for column in shared])


def align_values(several: Sequence[Scores], qids: Sequence[str]) -> Floats:
    """Give the values of runs by the same measures [run, measure, query], for these queries; nan where is none."""
    column = {qid: at for at, qid in enumerate(qids)}
    values = np.full((len(several), len(several[0].measures), len(qids)), np.nan)
    for of_run, scores in zip(values, several, strict=True):
        of_run[:, [column[qid] for qid in scores.qids]] = scores.values
    return values


class Recorded(Protocol):
    """What `read_results` gives: a result that was written, and can be had from it."""

    def result(self) -> Result:
        """Give the values of its runs."""
        ...


def record_slices(
    result: Result | Recorded, given: FilePath | Mapping[str, Sequence[str]] | None
) -> tuple[Result, Slices]:
    """Name slices in the signature, and the file that they come from among the inputs; give the slices, too.

    Raises UsageError for what is no result.
    """
    slices = Slices.read(given)
    if not isinstance(result, Result):
        if not hasattr(result, "result"):
            raise UsageError("this is not a result; pass what evaluate or read_results returns")
        result = result.result()
    if slices.path is not None:
        file = InputFile(fspath(slices.path), slices.path)
        signature = result.signature | {"slices": short(Path(file.name).name, file.sha256)}
        result = replace(result, signature=signature, files={**result.files, Part("slices"): file})
    elif slices:
        digest = digest_texts((name, "\n".join(sorted(qids))) for name, qids in slices.items())
        result = replace(result, signature=result.signature | {"slices": short("given", digest)})
    return result, slices


def split_result(result: Result, slices: Slices) -> Iterator[tuple[str, Result]]:
    """Give the whole result under the name ``all``, then each slice of it."""
    yield ALL, result
    for name, qids in slices.items():
        yield name, replace(result, scores=tuple(keep_queries(scores, qids) for scores in result.scores), judged=0)


def note_slices(result: Result, slices: Slices) -> list[Note]:
    """Say which slices are small, and which queries of the slices or of the runs stand outside.

    Raises UsageError if the runs have no query of any slice, and for a slice of a name that stands for others.
    """
    if not slices:
        return []
    for name in RESERVED.keys() & slices.keys():
        raise UsageError(f"{name!r} means {RESERVED[name]}; rename this slice")
    evaluated = set().union(*(scores.qids for scores in result.scores))
    in_slices = set().union(*slices.values())
    if not evaluated & in_slices:
        raise UsageError("the runs have no query of any slice; are the query ids of the same collection?")
    small = [name for name, qids in slices.items() if len(evaluated.intersection(qids)) < SMALL]
    notes = [SMALL_SLICES.note(fewest=SMALL, slices=", ".join(small))] if small else []
    strangers, outside = len(in_slices - evaluated), len(evaluated - in_slices)
    notes += [NOT_EVALUATED.note(missing=strangers, queries=len(in_slices))] if strangers else []
    notes += [IN_NO_SLICE.note(outside=outside, queries=len(evaluated))] if outside else []
    return notes


def mark_worst(rows: Sequence[tuple[Hashable, str, float, Better]]) -> list[bool]:
    """Mark the means that are the worst of those of the same key over slices, by the measure's direction.

    A row is a key (run and measure), a slice, a mean and a direction; that of all queries is no slice.
    """
    marks = [False] * len(rows)
    together: dict[Hashable, list[int]] = {}
    for place, (key, name, mean, better) in enumerate(rows):
        if name != ALL and better != "neither" and mean == mean:  # noqa: PLR0124 - nan is not itself
            together.setdefault(key, []).append(place)
    for places in together.values():
        turned = badness(np.array([rows[place][2] for place in places]), rows[places[0]][3])
        alike = bool(constant(turned))
        for place, bad in zip(places, same(turned, turned.max(keepdims=True)).tolist(), strict=True):
            marks[place] = bad and not alike
    return marks

"""Values of queries that stand in files, whoever wrote them, as a result whose runs can be compared."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import fspath
from typing import cast

import numpy as np

from fairtrec.commands.results import results
from fairtrec.commands.results import value_files as reader
from fairtrec.commands.results.value_files import Value
from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measure import Measure, Quantity
from fairtrec.measures.catalogue import notation, registry
from fairtrec.support.errors import PATH, FilePath, InputError, ResourceError, UsageError
from fairtrec.support.files import json_text, opening
from fairtrec.support.files.arguments import expand_runs
from fairtrec.support.notes import Note, NoteKind
from fairtrec.support.version import __version__

ELSEWHERE = {"precision": "P", "recall": "R", "r_precision": "Rprec", "mrr": "RR", "map": "AP"}  # elinor, ranx
ValueTable = dict[Quantity, dict[str, Value]]  # by query
ALONE = NoteKind("joined files", "values of several files are joined by run and query; in only one file: {alone}")
OF_SOME = NoteKind("values of some runs", "only some of the runs have {lacking}: not compared")
NO_DIRECTION = NoteKind(
    "no direction", "direction unknown: {names}; higher and lower are shown instead of better and worse"
)
OTHER_CHOICES = NoteKind("other choices", "the files were made with different choices: {choices}")


@dataclass(frozen=True)
class NamedValues(Quantity):
    """What is known by its name alone, so that nobody can say which of its values are good."""

    called: str
    better = "neither"

    def __str__(self) -> str:
        return self.called


def read_values(
    files: FilePath | Sequence[FilePath] | Mapping[str, FilePath], measures: str | Iterable[str] | None = None
) -> Result:
    """Read values of queries that other programs wrote, for ``compare`` and ``correlate``.

    A query that a run lacks is undefined.

    Args:
        files: output of trec_eval -q, of ir_measures -q (columns or JSON lines), of ``fairtrec eval -q``, or CSV or TSV
            with a column of queries and one per measure, or with columns measure and value. A file is one system,
            called by its path or by its name here. A file that names runs has those runs. Values of one run in several
            files are joined.
        measures: a selection, by their names there or here; None: those that all files have, without counts.

    Raises:
        InputError: a file of another kind.
        UsageError: two runs with the same name.
    """
    if not isinstance(files, Mapping):
        files = expand_runs([fspath(file) for file in ([files] if isinstance(files, PATH) else files)])
    runs: dict[str, ValueTable] = {}
    places: dict[str, FilePath] = {}
    signatures: dict[str, Signature] = {}
    joined: list[str] = []  # the runs of which several files hold values
    for name, path in files.items():
        found, signature = _read(path)
        if signature is not None:
            signatures[fspath(path)] = signature
        for run, table in _tables(found, name, path).items():
            if run in runs and not table.keys() & runs[run].keys():
                runs[run] |= table  # values of another kind, like people's judgments beside measures
                joined.append(run)
                continue
            if run in runs:
                raise UsageError(f"two runs are called {run}; rename one: NAME={fspath(path)}")
            runs[run], places[run] = table, path
    alone = [run for run in runs if joined and run not in joined]
    runs = {run: table for run, table in runs.items() if run not in alone}
    wanted, lacking = _common(runs) if measures is None else (_asked(measures, runs, places), [])
    notes = [*_note_joined(alone, lacking), *_note_unknown(wanted), *_note_different(signatures)]
    scores = tuple(_scores(run, table, wanted, places[run]) for run, table in runs.items())
    inputs = {Part("values", name): InputFile(fspath(path), path) for name, path in files.items()}
    return Result(scores, Signature({"fairtrec": __version__, "values": "read"}), tuple(notes), inputs)


def _note_joined(alone: Sequence[str], lacking: Sequence[object]) -> Iterator[Note]:
    """Name the runs of one file only, and the values that some runs lack."""
    if alone:
        yield ALONE.note(alone=", ".join(alone))
    if lacking:
        yield OF_SOME.note(lacking=", ".join(map(str, lacking)))


@lru_cache(maxsize=1024)  # to see that a name is unknown takes a look at all installed packages
def find_measure(name: str) -> Quantity:
    """Find the measure of a name, in the notation of fairtrec, trec_eval, ir_measures or elinor; else one so called.

    >>> [str(find_measure(name)) for name in ("ndcg_cut_10", "nDCG@10", "precision@3", "f1@3")]
    ['nDCG@10', 'nDCG@10', 'P@3', 'f1@3']
    """
    family, at, cutoff = name.partition("@")
    for spelled in (name, f"{ELSEWHERE.get(family.lower(), '')}{at}{cutoff}"):
        try:
            found = registry.parse(spelled)
        except (UsageError, ResourceError):  # none of ours, or one that only ir-measures computes, which is not here
            continue
        if len(found) == 1 and not found[0].geometric:  # of which trec_eval's code gives logarithms
            return found[0]
    return NamedValues(name)


def _read(path: FilePath) -> tuple[list[Value], Signature | None]:
    with opening.open_input(path) as stream:
        text = b"".join(block for block, _ in opening.blocks(stream, path, opening.LONGEST_TEXT))
    if not _is_document(text):
        return reader.read(path, text.decode(), lambda name: not isinstance(find_measure(name), NamedValues)), None
    recorded = results.parse(text, path)
    found = [
        Value(run.name, measure, qid, value, None)
        for run in recorded.runs
        for qid, row in run.queries.items()
        for measure, value in row.items()
    ]
    if not found:
        raise InputError("no values of queries to compare; evaluate with -q", path)
    return found, recorded.signature


def _is_document(text: bytes) -> bool:
    """Tell a results file from JSON lines, each of which is an object of one value."""
    first = text.lstrip().split(b"\n", 1)[0]
    if not first.startswith(b"{"):
        return False
    try:
        return "runs" in json_text.parse(first)
    except json_text.JsonError:
        return True


def _tables(found: list[Value], name: str, path: FilePath) -> dict[str, ValueTable]:
    """Sort the values of a file by run, measure and query; of a file that names one run, the user's name counts."""
    holds = {each.run for each in found}
    own = name != fspath(path)
    if own and len(holds) > 1:
        raise UsageError(f"{name} is the name of one run, and {fspath(path)} holds {len(holds)}; leave it out")
    measures = {spelled: find_measure(spelled) for spelled in dict.fromkeys(each.measure for each in found)}
    runs: dict[str, ValueTable] = {}
    for each in found:
        run = name if own or each.run is None else each.run
        row = runs.setdefault(run, {}).setdefault(measures[each.measure], {})
        if each.qid in row:
            what = f"a second value of {each.measure} of query {each.qid}"
            raise InputError(f"{what}; remove one, or add a column run", path, each.line)
        row[each.qid] = each
    return runs


def _common(runs: Mapping[str, ValueTable]) -> tuple[list[Quantity], list[Quantity]]:
    """Give the measures that all runs have, and those that only some have; counts only where there is nothing else."""
    every = list(dict.fromkeys(measure for table in runs.values() for measure in table))
    every = [measure for measure in every if not measure.total] or every
    shared = [measure for measure in every if all(measure in table for table in runs.values())]
    if not shared:
        have = "; ".join(f"{run} has {_listed(table)}" for run, table in list(runs.items())[:2])
        raise UsageError(f"the runs have no measure in common: {have}; pass files of the same measures")
    return shared, [measure for measure in every if measure not in shared]


def _listed(measures: Iterable[Quantity]) -> str:
    spelled = list(map(str, measures))
    return ", ".join(spelled[:5]) + ", ..." * (len(spelled) > 5)


def _asked(
    measures: str | Iterable[str], runs: Mapping[str, ValueTable], places: Mapping[str, FilePath]
) -> list[Quantity]:
    """Read the names of measures. Raises InputError for one that a run has not."""
    text = measures if isinstance(measures, str) else " ".join(measures)
    wanted = list(dict.fromkeys(find_measure(written.spelled) for written in notation.read(text)))
    for run, table in runs.items():
        for measure in wanted:
            if measure not in table:
                raise InputError(
                    f"here is no {measure} of {run}, only {_listed(table)}; choose one of these", places[run]
                )
    return wanted


def _scores(run: str, table: ValueTable, measures: Sequence[Quantity], path: FilePath) -> Scores:
    qids = sorted({qid for row in table.values() for qid in row})
    column = {qid: number for number, qid in enumerate(qids)}
    values = np.full((len(measures), len(qids)), np.nan)
    for row, measure in enumerate(measures):
        for qid, value in table[measure].items():
            values[row, column[qid]] = reader.number(value, path)
    several = cast("tuple[Measure, ...]", tuple(measures))  # of which a comparison asks no more than of a quantity
    return Scores(run, opening.name(run), several, tuple(qids), values)


def _note_unknown(measures: Iterable[Quantity]) -> list[Note]:
    names = [str(measure) for measure in measures if isinstance(measure, NamedValues)]
    return [NO_DIRECTION.note(names=", ".join(names))] if names else []


def _note_different(signatures: Mapping[str, Signature]) -> list[Note]:
    """Say by which choices results files differ, whose values are then not of one kind."""
    choices = dict.fromkeys(name for signature in signatures.values() for name in signature)
    told = [name for name in choices if len({each.get(name) for each in signatures.values()}) > 1]
    return [OTHER_CHOICES.note(choices=", ".join(told))] if told else []

"""Results files: what ``fairtrec eval -f json`` wrote, read again and believed in nothing that was not checked."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from typing import Any

import numpy as np

from fairtrec.evaluation.answers import Signature
from fairtrec.evaluation.answers.result import InputFile, Part, Result
from fairtrec.evaluation.answers.results_file import FORMAT
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import FilePath, InputError, short
from fairtrec.support.files import opening
from fairtrec.support.files.typed_fields import Fields, parse_json

LARGEST_FILE = 1 << 26  # bytes, decompressed; the values of a million queries
WRITE = "fairtrec eval -f json -q"
SPELLED = {"Infinity": math.inf, "-Infinity": -math.inf, None: math.nan}  # JSON has no such numbers


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The values of one run.

    Attributes:
        many: the number of queries.
        means: by measure.
        queries: the values by query and measure, if the file has them (-q).
        defined: the queries behind each mean.
    """

    name: str  # the name of the run
    tag: str  # the tag in its file
    many: int  # queries
    means: Mapping[str, float]
    queries: Mapping[str, Mapping[str, float]]
    defined: Mapping[str, int]  # the queries behind each mean


@dataclass(frozen=True, eq=False)
class RecordedResult:
    """The content of a results file.

    Attributes:
        path: of the file.
        inputs: the files behind the values, with their sha256.
        measures: their names.
        runs: the values of each run.
        options: those of the evaluation.
        columns: the measure of each column of means.
        counts: the columns that are sums: whole numbers.
    """

    path: str
    signature: Signature  # every choice that changes a number
    inputs: Mapping[Part, InputFile]
    measures: tuple[str, ...]
    runs: tuple[RecordedRun, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(
        default_factory=dict
    )  # of means: by their names the measure that each is made of
    counts: frozenset[str] = frozenset()  # the columns that are sums: whole numbers

    def result(self, measures: Sequence[Measure] | None = None) -> Result:
        """Give the values of its runs by these measures, or by all. Raises InputError if it lacks a measure."""
        if measures is None:
            measures = [measure for name in self.measures for measure in registry.parse(name)]
        scores = tuple(self._scores(run, measures) for run in self.runs)
        return Result(scores, self.signature, (), self.inputs, (), self.options)

    def take_baseline(self, measures: Sequence[Measure]) -> Scores:
        """Give the values of the one run that is here, as of a baseline."""
        if len(self.runs) != 1:
            names = ", ".join(run.name for run in self.runs[:3])
            raise InputError(f"a baseline is one run, and here are {len(self.runs)}: {names}; evaluate one", self.path)
        return self._scores(self.runs[0], measures)

    def _scores(self, run: RecordedRun, measures: Sequence[Measure]) -> Scores:
        if not run.queries:
            raise InputError("no values of queries to compare; evaluate with -q", self.path)
        for measure in measures:
            if str(measure) not in self.measures:
                has = ", ".join(self.measures)
                raise InputError(f"here is no {measure}, only {has}; evaluate with -m '{measure}'", self.path)
        rows = [[values[str(measure)] for values in run.queries.values()] for measure in measures]
        shape = (len(measures), len(run.queries))
        return Scores(run.name, run.tag, tuple(measures), tuple(run.queries), np.array(rows).reshape(shape))


def is_results(path: FilePath) -> bool:
    """Tell a results file from a run by its first character."""
    if opening.is_stream(path):
        return False
    with opening.open_input(path) as stream:
        return stream.read(256).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_results(path: FilePath) -> RecordedResult:
    """Read the file of ``fairtrec eval -f json``. With -q it has the values of queries.

    Raises:
        InputError: a file of another kind.
    """
    return parse_document(read_document(path))


def read_document(path: FilePath) -> Fields:
    """Read the JSON object of a file. Raises InputError for another file, and for one that is too large."""
    with opening.open_input(path) as stream:
        data = stream.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise InputError(f"more than {LARGEST_FILE >> 20} MiB; a results file of fewer runs will do", path)
    return parse_json(data, fspath(path), f"write it with: {WRITE}")


def parse(data: bytes, path: FilePath) -> RecordedResult:
    """Read the bytes of a results file; ``path`` is for errors."""
    return parse_document(parse_json(data, fspath(path), f"write it with: {WRITE}"))


def parse_document(document: Fields) -> RecordedResult:
    """Read the object of a results file."""
    _refuse_other_format(document)
    of_measures, of_inputs = document.object("measures"), document.object("inputs")
    columns = {name: of_measures.object(name).take_optional("of", str) or name for name in of_measures}
    inputs = {Part.read(part): read_input(of_inputs.object(part)) for part in of_inputs}
    totals = {name for name in of_measures if of_measures.object(name).take_optional("aggregate", str) == "pooled"}
    runs = tuple(_run(each, columns, totals) for each in document.objects("runs"))
    if not runs:
        document.refuse("must be a list of one run or more", "runs")
    if len({run.name for run in runs}) < len(runs):
        document.refuse("names a run twice", "runs")
    options = document.object("options").values if "options" in document else {}
    signature = Signature.read(document.get("signature", str))
    counts = frozenset(
        name for name in of_measures if of_measures.object(name).take_optional("aggregate", str) == "sum"
    )
    measures = tuple(dict.fromkeys(columns.values()))
    return RecordedResult(str(document.path), signature, inputs, measures, runs, options, columns, counts)


def name_other_command(document: Fields) -> str:
    """Name the command whose answer a file holds; empty for a results file, which `eval` writes, and for no answer.

    Of several answers it is the name of the file that they are in.
    """
    if "parts" in document:
        return "report"
    arguments = document.values.get("arguments")
    is_answer = isinstance(arguments, list) and arguments and "format" not in document and arguments[0] != "eval"
    return short(str(arguments[0])) if isinstance(arguments, list) and is_answer else ""


def _refuse_other_format(document: Fields) -> None:
    if command := name_other_command(document):
        raise InputError(
            f"this is the JSON of {command}, and no results file of eval; write it with: {WRITE}", document.path
        )
    found = document.values.get("format")
    if type(found) is int and found > FORMAT:
        what = f"this results file has format {short(str(found))}, and this fairtrec reads format {FORMAT}"
        raise InputError(f"{what}; upgrade it with: pip install --upgrade fairtrec", document.path)
    if type(found) is not int or found != FORMAT:
        raise InputError(f"this is not a results file of format {FORMAT}; write it with: {WRITE}", document.path)


def read_input(entry: Fields) -> InputFile:
    """Read the path of a file, and its sha256."""
    path, sha256 = entry.get("path", str), entry.get("sha256", str)
    if not re.fullmatch(r"[0-9a-f]{64}|", sha256):
        entry.refuse("must be 64 hexadecimal digits, or empty", "sha256")
    if not path or "\0" in path:
        entry.refuse("must be the path of a file", "path")
    return InputFile(path, path, sha256)


def _run(entry: Fields, columns: Mapping[str, str], totals: Collection[str]) -> RecordedRun:
    """Read a run; instead of means, those of the measures in ``totals`` have the value of all queries."""
    name, tag, many = entry.get("run", str), entry.get("tag", str), entry.count("queries")
    means, defined, queries = {}, {}, {}
    if "means" in entry:
        of_means = entry.object("means")
        _refuse_other_measures(of_means, columns)
        of_all = entry.object("pooled") if totals else entry
        means = {of: _number(of_all, of) if of in totals else _number(of_means.object(of), "value") for of in of_means}
        defined = {of: of_means.object(of).count("defined") for of in of_means}
    if "per_query" in entry:
        of_queries, known = entry.object("per_query"), set(columns.values())
        for qid in of_queries:
            row = of_queries.object(qid)
            _refuse_other_measures(row, known)
            queries[qid] = {measure: _number(row, measure) for measure in row}
        if len(queries) != many:
            entry.refuse(f"has {len(queries)} queries, and says that they are {many}", "per_query")
    return RecordedRun(name, tag, many, means, queries, defined)


def _refuse_other_measures(row: Fields, known: Collection[str]) -> None:
    if row.values.keys() != set(known):
        row.refuse("has other measures than 'measures' names")


def _number(row: Fields, name: str) -> float:
    value = row.value(name)
    if value is None or (isinstance(value, str) and value in SPELLED):
        return SPELLED[value]
    if type(value) not in (int, float):
        row.refuse("must be a number, or null if it is undefined", name)
    return row.get(name, float)

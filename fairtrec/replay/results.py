"""Results files: what ``fairtrec eval -f json`` wrote, read again and believed in nothing that was not checked."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from typing import Any, NoReturn, TypeVar

import numpy as np

from fairtrec.answers import Signature
from fairtrec.answers.result import InputFile, Part, Result
from fairtrec.answers.results_file import FORMAT
from fairtrec.answers.scores import Scores
from fairtrec.catalogue import registry
from fairtrec.errors import FilePath, InputError, short
from fairtrec.files import opening
from fairtrec.measure import Measure

LARGEST_FILE = 1 << 26  # bytes, decompressed; the values of a million queries
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # half a character, unless the other half stands beside it
Typed = TypeVar("Typed")
SPELLED = {"Infinity": math.inf, "-Infinity": -math.inf, None: math.nan}  # JSON has no such numbers


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The values of one run: means by measure, and by query and measure where they were written (-q)."""

    name: str
    tag: str
    many: int  # queries
    means: Mapping[str, float]
    queries: Mapping[str, Mapping[str, float]]
    defined: Mapping[str, int]  # the queries behind each mean


@dataclass(frozen=True, eq=False)
class RecordedResult:
    """What a results file holds."""

    path: str
    signature: Signature
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

    def only(self, measures: Sequence[Measure]) -> Scores:
        """Give the values of the one run that is here, as of a baseline."""
        if len(self.runs) != 1:
            names = ", ".join(run.name for run in self.runs[:3])
            raise InputError(f"a baseline is one run, and here are {len(self.runs)}: {names}; evaluate one", self.path)
        return self._scores(self.runs[0], measures)

    def _scores(self, run: RecordedRun, measures: Sequence[Measure]) -> Scores:
        if not run.queries:
            raise InputError("here are no values of queries, which are compared; evaluate with -q", self.path)
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
    with opening.opened(path) as stream:
        return stream.read(256).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_results(path: FilePath) -> RecordedResult:
    """Read what ``fairtrec eval -f json`` wrote, with -q the values of queries too.

    Raises InputError for what is not that.
    """
    with opening.opened(path) as stream:
        data = stream.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise InputError(f"more than {LARGEST_FILE >> 20} MiB; a results file of fewer runs will do", path)
    return parse(data, path)


def parse(data: bytes, path: FilePath) -> RecordedResult:
    """Read the bytes of a results file; ``path`` is for errors."""
    return _ResultReader(fspath(path)).results(data)


class _ResultReader:
    """Takes a document apart, and says where it is not what it must be."""

    def __init__(self, path: str) -> None:
        self.path = path

    def fail(self, what: str, where: str = "") -> NoReturn:
        raise InputError(f"{f'{where} ' if where else ''}{what}; write it with: fairtrec eval -f json -q", self.path)

    def document(self, data: bytes) -> Any:
        try:
            text = data.decode("utf-8-sig")
            found = json.loads(text, object_pairs_hook=self.unique, parse_constant=self.constant)
            if HALF.search(text):
                json.dumps(found, ensure_ascii=False).encode()
        except json.JSONDecodeError as fault:
            message = f"this is no JSON ({fault.msg}); was it written to its end?"
            raise InputError(message, self.path, fault.lineno) from None
        except UnicodeError:
            self.fail("this is not UTF-8 text")
        except (ValueError, RecursionError):
            self.fail("this holds a number that is too long, or is nested too deeply, for a results file")
        return found

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
            self.fail("stands twice in one object", repr(twice))
        return found

    def constant(self, name: str) -> NoReturn:
        self.fail("is no number of JSON", name)

    def results(self, data: bytes) -> RecordedResult:
        document = self.typed(self.document(data), dict, "the file")
        self.refuse_other_format(document.get("format", 0))
        columns = {
            measure: self.typed(
                self.typed(entry, dict, f"measures.{measure}").get("of", measure), str, f"measures.{measure}.of"
            )
            for measure, entry in self.part(document, "measures", dict).items()
        }
        inputs = {
            Part.read(part): self.input(entry, f"inputs.{part}")
            for part, entry in self.part(document, "inputs", dict).items()
        }
        entries = self.part(document, "runs", object)
        if not isinstance(entries, list) or not entries:
            self.fail("must be a list of one run or more", "runs")
        runs = tuple(self.run(entry, columns, f"runs[{number}]") for number, entry in enumerate(entries))
        if len({run.name for run in runs}) < len(runs):
            self.fail("names a run twice", "runs")
        options = self.typed(document.get("options", {}), dict, "options")
        signature = Signature.read(self.part(document, "signature", str))
        counts = frozenset(
            measure for measure, entry in document["measures"].items() if entry.get("aggregate") == "sum"
        )
        measures = tuple(dict.fromkeys(columns.values()))
        return RecordedResult(self.path, signature, inputs, measures, runs, options, columns, counts)

    def refuse_other_format(self, found: Any) -> None:
        if type(found) is int and found > FORMAT:
            what = f"this results file has format {short(str(found))}, and this fairtrec reads format {FORMAT}"
            raise InputError(f"{what}; upgrade it with: pip install --upgrade fairtrec", self.path)
        if type(found) is not int or found != FORMAT:
            self.fail(f"this is no results file of format {FORMAT}")

    def typed(self, value: Any, kind: type[Typed], where: str) -> Typed:
        if not isinstance(value, kind):
            self.fail("must be text" if kind is str else "must be an object", where)
        return value

    def part(self, table: dict[str, Any], name: str, kind: type[Typed], where: str = "") -> Typed:
        if name not in table:
            self.fail(f"has no {name!r}", where or "the file")
        return self.typed(table[name], kind, f"{where}.{name}" if where else name)

    def input(self, value: Any, where: str) -> InputFile:
        entry = self.typed(value, dict, where)
        path, sha256 = (self.part(entry, name, str, where) for name in ("path", "sha256"))
        if not re.fullmatch(r"[0-9a-f]{64}|", sha256) or not path or "\0" in path:
            self.fail("must hold a path and 64 hexadecimal digits", where)
        return InputFile(path, path, sha256)

    def run(self, value: Any, columns: dict[str, str], where: str) -> RecordedRun:
        entry = self.typed(value, dict, where)
        name, tag = (self.part(entry, key, str, where) for key in ("run", "tag"))
        many = self.whole(entry, "num_q", where)
        of_means = self.typed(entry.get("means", {}), dict, f"{where}.means")
        values = ((of, self.part(self.typed(mean, dict, of), "value", object, of)) for of, mean in of_means.items())
        means = self.numbers(values, f"{where}.means")
        defined = {of: self.whole(mean, "n", f"{where}.means.{of}") for of, mean in of_means.items()}
        queries = {}
        for qid, row in self.typed(entry.get("queries", {}), dict, f"{where}.queries").items():
            place = f"{where}.queries.{qid}"
            queries[qid] = self.numbers(self.typed(row, dict, place).items(), place)
        for row, known in [
            *[(means, {*columns})] * ("means" in entry),
            *((row, {*columns.values()}) for row in queries.values()),
        ]:
            if set(row) != known:
                self.fail("has other measures than 'measures' names", where)
        if "queries" in entry and len(queries) != many:
            self.fail(f"has {len(queries)} queries, and says that they are {many}", where)
        return RecordedRun(name, tag, many, means, queries, defined)

    def whole(self, table: dict[str, Any], name: str, where: str) -> int:
        number = self.part(table, name, object, where)
        if type(number) is not int or number < 0:
            self.fail("must be a number of queries", f"{where}.{name}")
        return number

    def numbers(self, values: Iterable[tuple[str, Any]], where: str) -> dict[str, float]:
        return {name: self.number(value, f"{where}.{name}") for name, value in values}

    def number(self, value: Any, where: str) -> float:
        if isinstance(value, str | None) and value in SPELLED:
            return SPELLED[value]
        if type(value) not in (int, float):
            self.fail("must be a number, or null where it is undefined", where)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail("is too large for a number", where)
        return number

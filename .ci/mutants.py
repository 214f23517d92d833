"""Change formulas at random places, and list the changes that no test notices: ``make mutants``.

A mutant has one change: another comparison, operator or number, False for True, all for any. Three kinds are left out,
because they change nothing that a reader sees: < for <= next to a tolerance, which no value equals, numbers of a
constant such as 1 << 22 or 10**8, which is a round bound of speed or memory, and the -1 of reshape. A digest of the
text of a mutant decides whether it is drawn, so an edit elsewhere keeps the draw. It runs in a process of its own, with
the tests that enter the changed line, and others of its file if they are quick; a run of all tests with coverage finds
these. .mutants/ keeps what is known: a killed mutant is not tried again until its file changes, and a survivor until
tests change. .mutants/survivors.txt lists the survivors.

The program passes if .ci/survivors.toml names each survivor with its reason, and if at most 3 % of the drawn survive.

Why not mutmut or cosmic-ray? mutmut 3 changes no properties and no defaults, and its trampolines hide the arguments by
which measures ask for their inputs. cosmic-ray does not know which tests enter a line. Neither draws.
"""

import argparse
import ast
import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import accumulate, groupby
from pathlib import Path

import coverage
import pytest
from hypothesis import Phase, settings

REPOSITORY = Path(__file__).resolve().parents[1]
KEPT = REPOSITORY / ".mutants"
NAMED = REPOSITORY / ".ci" / "survivors.toml"
JUDGING = sorted((REPOSITORY / "fairtrec").glob("commands/*/judgment.py"))  # what passes and fails a run
ROOMS = [
    "measures",
    "formulas",
    "statistics",
    "evaluation/columns",
    *(f"commands/{path.parent.name}/{path.name}" for path in JUDGING),
]
TESTS = ["measures", "formulas", "statistics", "evaluation", *(f"commands/{path.parent.name}" for path in JUDGING)]
TESTS += ["lab/trec_fair_2019"]  # of measures whose tests need its command
ENOUGH = 20  # seconds of tests; a mutant that survives them survives
MEMORY = 8 << 30  # bytes of a process
MOST = 0.03  # of the drawn mutants that may survive
WARM = ["numpy", "scipy.special", "scipy.stats", "pyarrow.csv", "pyarrow.parquet", "pandas", "click"]

PAIRS = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr), (ast.And, ast.Or)),
    *(("any", "all"), ("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("floor", "ceil")),
]
OTHER = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
OTHER |= {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.USub: ast.UAdd}
UNREAD = {"annotation", "returns", "decorator_list"}  # fields of a node that compute nothing
TOLERANCES = {"NEAR", "ROUNDING", "ROUNDED", "EPSILON"}
GUARDS = {"strict", "default_factory"}  # keywords that only a fault of ours makes matter


@dataclass(frozen=True)
class Mutant:
    """A change of a file: its place among those of the file, its text, and the lines that tests must enter."""

    path: str
    place: int
    text: str
    lines: range | None  # none: it is computed by an import, or once for all tests

    @property
    def name(self) -> str:
        """The words that identify it in files."""
        return f"{self.path}: {self.text}"


@dataclass(frozen=True)
class Change:
    """A field of a node, what it becomes, and the node that shows it to a reader."""

    node: ast.AST
    field: str
    value: object
    shown: ast.AST
    lines: range | None

    def describe(self) -> str:
        """Write the expression before and after."""
        before, kept = ast.unparse(self.shown), getattr(self.node, self.field)
        setattr(self.node, self.field, self.value)
        after = ast.unparse(self.shown)
        setattr(self.node, self.field, kept)
        return f"{before} -> {after}"


def find_changes(node: ast.AST, shown: ast.AST | None = None, start: int | None = None) -> Iterator[Change]:
    """Find the changes of a node and of all below it, but for messages, types and checks of our own faults."""
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.FunctionDef(name="__repr__" | "__str__"):
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.keyword(arg=name) if name in GUARDS:
            return
        case ast.BinOp(ast.Constant(), ast.LShift() | ast.Pow(), ast.Constant()) if start is None:
            return
    if isinstance(node, ast.stmt) and start is not None:
        start = node.lineno
    is_atom = isinstance(node, ast.Constant) and isinstance(shown, ast.expr | ast.keyword)
    lines = None if start is None else range(start, getattr(node, "end_lineno", start) + 1)
    for field, value in _list_values(node, shown):
        yield Change(node, field, value, shown if is_atom else node, lines)
    is_function = isinstance(node, ast.FunctionDef) and "cache" not in map(ast.unparse, node.decorator_list)
    for field, below in ast.iter_fields(node):
        for each in below if isinstance(below, list) else [below]:
            if isinstance(each, ast.AST) and field not in UNREAD and not _is_rest(node, each):
                yield from find_changes(each, node, 0 if is_function and field == "body" else start)


def _is_rest(node: ast.AST, argument: ast.AST) -> bool:
    """Tell whether numpy finds out the length that an argument stands for; any number below 0 asks for that."""
    match node:
        case ast.Call(func=ast.Attribute(attr="reshape")):
            return ast.unparse(argument) == "-1"
    return False


def _list_values(node: ast.AST, above: ast.AST | None) -> Iterator[tuple[str, object]]:  # noqa: C901 - a case for each kind of node
    """List what a field of this node may become."""
    match node:
        case ast.Compare(ops=ops) if not _is_tolerant(node):
            for place, operator in enumerate(ops):
                yield "ops", [*ops[:place], OTHER[type(operator)](), *ops[place + 1 :]]
        case ast.BinOp(left=left, op=op, right=right) if _is_computed(op, left, right):
            yield "op", OTHER[type(op)]()
        case ast.AugAssign(op=op, value=value) if _is_computed(op, value):
            yield "op", OTHER[type(op)]()
        case ast.BoolOp(op=op):
            yield "op", OTHER[type(op)]()
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            yield "operand", ast.UnaryOp(copy(node.op), operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "op", ast.UAdd()
        case ast.Constant(value=bool(value)):
            yield "value", not value
        case ast.Constant(value=1) if isinstance(above, ast.Subscript) or getattr(above, "arg", "") == "axis":
            yield "value", 0  # another axis, not one that arrays lack
        case ast.Constant(value=int(value) | float(value)):
            yield "value", value + 1
        case ast.Call(func=ast.Name(id=word)) if word in OTHER:
            yield "func", ast.Name(OTHER[word], ast.Load())
        case ast.Call(func=ast.Attribute(value=value, attr=word)) if word in OTHER:
            yield "func", ast.Attribute(value, OTHER[word], ast.Load())


def _is_tolerant(node: ast.Compare) -> bool:
    """Whether one side is a tolerance, or a value and a tolerance."""
    return any(isinstance(each, ast.Name) and each.id in TOLERANCES for each in ast.walk(node))


def _is_computed(operator: ast.operator, *nodes: ast.AST) -> bool:
    """Whether numbers or sets are combined, not texts or types."""
    if any(isinstance(each, ast.JoinedStr) or isinstance(getattr(each, "value", None), str) for each in nodes):
        return False
    names = {ast.unparse(each).partition("[")[0] for each in nodes}
    is_type = any(name in {"None", "int", "float", "str", "dict", "list"} or name[:1].isupper() for name in names)
    return type(operator) in OTHER and not (is_type and isinstance(operator, ast.BitOr))


def draw_mutants(seed: int, many: int, only: Sequence[str]) -> list[Mutant]:
    """Draw mutants of all rooms, or of the files of which a part of the path is given."""
    found: list[Mutant] = []
    for room in ROOMS:
        place = REPOSITORY / "fairtrec" / room
        for path in [place] if place.is_file() else sorted(place.glob("*.py")):
            name, source = path.relative_to(REPOSITORY).as_posix(), path.read_text("utf-8")
            texts, rows = Counter[str](), source.splitlines()
            for number, change in enumerate(find_changes(ast.parse(source))):
                text = f"{rows[change.node.lineno - 1].strip()} | {change.describe()}"
                texts[text] += 1
                text += f" ({texts[text]})" if texts[text] > 1 else ""
                found.append(Mutant(name, number, text, change.lines))
    chosen = [each for each in found if not only or any(part in each.path for part in only)]
    return sorted(chosen, key=lambda each: hashlib.sha256(f"{seed} {each.name}".encode()).digest())[:many]


class Session:
    """A plug-in of pytest: chooses and orders tests, draws the same examples each time, and keeps what failed."""

    def __init__(self, tests: Sequence[str] | None = None, report: Callable[[str], object] = str) -> None:
        self.places = None if tests is None else {test: place for place, test in enumerate(tests)}
        self.report = report

    def pytest_sessionstart(self) -> None:
        """Keep no examples and shorten none."""
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", settings(), database=None, derandomize=True, phases=phases)
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen tests, in their order."""
        if (places := self.places) is not None:
            items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first test that fails."""
        if report.failed:
            self.report(report.nodeid)


class Tracing(Session):
    """Notes which lines each test enters, and how long each that passes takes."""

    def __init__(self, measured: coverage.Coverage) -> None:
        super().__init__()
        self.measured = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure one test."""
        self.measured.switch_context(item.nodeid)
        start = time.process_time()
        result = yield
        self.measured.switch_context("")
        if item.nodeid in self.seconds:
            self.seconds[item.nodeid] = time.process_time() - start
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Choose tests that pass."""
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = 0.0


def run_tests(files: Sequence[str], session: Session) -> int:
    """Run the tests of these files in this process until one fails, and print nothing."""
    options = ["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", "not long and not slow"]  # as make test
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is imported before
    options += [] if session.places is None else ["-x"]
    return pytest.main([*files, *options], plugins=[session])


def fork(work: Callable[[], int]) -> int:
    """Do work in a process of its own, in silence, and give its number."""
    sys.stdout.flush()
    if number := os.fork():
        return number
    code = 70  # of a mutant that cannot be imported
    try:
        os.setpgrp()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        code = work()
    finally:
        os._exit(code)


def read_digest(name: str) -> str:
    """Digest a file of the repository."""
    return hashlib.sha256((REPOSITORY / name).read_bytes()).hexdigest()[:16]


def trace_tests(jobs: int) -> dict[str, float]:
    """Find which lines the tests of new and changed files enter, and give the seconds of all tests that pass."""
    files = [path for room in TESTS for path in (REPOSITORY / "tests" / room).rglob("test_*.py")]
    sources = [path for room in ROOMS for path in (REPOSITORY / "fairtrec").glob(f"{room}*/*.py")]
    names = sorted(path.relative_to(REPOSITORY).as_posix() for path in files + sources)
    now = {name: read_digest(name) for name in names}
    known, before = {}, {}
    if (KEPT / "tests.json").is_file():
        before, known = json.loads((KEPT / "tests.json").read_text("utf-8"))
    if any(now[name] != before.get(name) for name in names if name.startswith("fairtrec/")):
        before, known = {}, {}
        (KEPT / "lines").unlink(missing_ok=True)
    changed = [name for name in names if now[name] != before.get(name)]
    known = {test: seconds for test, seconds in known.items() if test.partition("::")[0] not in changed}
    workers = min(jobs, len(changed))
    if changed:
        print(f"tracing the tests of {len(changed)} files", flush=True)
    for number in [fork(lambda part=part: _trace(changed[part::workers], part)) for part in range(workers)]:
        os.waitpid(number, 0)
    data = coverage.CoverageData(str(KEPT / "lines"))
    data.read()
    for part in range(workers):
        other = coverage.CoverageData(str(KEPT / f"lines.{part}"))
        other.read()
        data.update(other)
        known |= json.loads((KEPT / f"tests.{part}.json").read_text("utf-8"))
        other.erase()
        (KEPT / f"tests.{part}.json").unlink()
    (KEPT / "tests.json").write_text(json.dumps([now, known]), "utf-8")
    return known


def _trace(files: Sequence[str], part: int) -> int:
    rooms = [f"{REPOSITORY}/fairtrec/{room}" + "/*" * (not room.endswith(".py")) for room in ROOMS]
    measured = coverage.Coverage(data_file=str(KEPT / f"lines.{part}"), config_file=False, include=rooms)
    measured.set_option("run:core", "ctrace")  # the other knows no contexts
    session = Tracing(measured)
    measured.start()
    run_tests(files, session)
    measured.stop()
    measured.save()
    (KEPT / f"tests.{part}.json").write_text(json.dumps(session.seconds), "utf-8")
    return 0


class Choice:
    """Which tests a mutant is tried with, those of the file of its name first."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self.seconds = seconds
        self.data = coverage.CoverageData(str(KEPT / "lines"))
        self.data.read()
        self.find_contexts = cache(lambda path: self.data.contexts_by_lineno(str(REPOSITORY / path)))

    def choose(self, mutant: Mutant) -> list[list[str]]:
        """Choose the quickest tests that enter the line, and if time is left its file; those of a file together.

        What is computed once and kept is entered by one test alone, whichever of them reads it; what an import sets is
        entered by none.
        """
        lines = self.find_contexts(mutant.path)
        entered = {test for line in mutant.lines or () for test in lines.get(line, ())}
        others = {test for tests in lines.values() for test in tests}
        others |= {test for test in self.seconds if _is_own(test, mutant.path)}
        quickest = sorted(
            others & self.seconds.keys(),
            key=lambda test: (test not in entered, not _is_own(test, mutant.path), self.seconds[test], test),
        )
        so_far = accumulate(map(self.seconds.__getitem__, quickest), initial=0.0)
        kept = [test for test, before in zip(quickest, so_far, strict=False) if before < ENOUGH]
        files = [[*tests] for _, tests in groupby(sorted(kept, key=_find_file), key=_find_file)]
        return sorted(files, key=lambda tests: (not _is_own(tests[0], mutant.path), self.add_seconds(tests)))

    def add_seconds(self, tests: Sequence[str]) -> float:
        """Add up how long tests take."""
        return sum(self.seconds[test] for test in tests)


def _find_file(test: str) -> str:
    return test.partition("::")[0]


def _is_own(test: str, path: str) -> bool:
    return Path(_find_file(test)).stem.removeprefix("test_") == Path(path).stem


class Loader(SourceFileLoader):
    """Imports a file with one change."""

    place = -1

    def get_code(self, fullname: str) -> object:  # noqa: ARG002 - a loader has one file
        """Compile the file with its change."""
        tree = ast.parse(Path(self.path).read_text("utf-8"))
        for place, change in enumerate(find_changes(tree)):
            if place == self.place:
                chosen = change
        setattr(chosen.node, chosen.field, chosen.value)
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def try_mutant(mutant: Mutant, files: Sequence[Sequence[str]], seconds: Mapping[str, float], report: int) -> int:
    """Run the tests with the change in this process, ever more files at once: 0 if all pass."""
    module = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> ModuleSpec | None:
            if name != module:
                return None
            loader = Loader(name, str(REPOSITORY / mutant.path))
            loader.place = mutant.place
            return spec_from_file_location(name, loader.path, loader=loader)

    sys.meta_path.insert(0, Finder)
    vars(sys.modules["__main__"]).pop("__file__", None)  # processes that tests start would import it again
    bound_seconds(0.0)
    importlib.import_module(module)
    for start in (0, *(2**power for power in range(1, len(files).bit_length()))):
        several = files[start : max(2, 2 * start)]
        tests = [test for part in several for test in part]
        names = [part[0].partition("::")[0] for part in several]
        bound_seconds(sum(seconds[test] for test in tests))
        if tests and (code := run_tests(names, Session(tests, lambda test: os.write(report, f"{test}\n".encode())))):
            return code
    return 0


def bound_seconds(usual: float) -> None:
    """End this process where it takes far more seconds of a processor than usual, or waits for very long."""
    most = int(5 + 4 * usual)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + most, resource.RLIM_INFINITY))
    signal.alarm(60 * most)


def try_mutants(mutants: Sequence[Mutant], seed: int, jobs: int) -> dict[str, bool]:
    """Give whether each mutant survives; try those of which it is not known."""
    seconds = trace_tests(jobs)
    choice = Choice(seconds)
    known, path = {}, KEPT / f"{seed}.jsonl"
    state = read_digest(".mutants/tests.json")
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        row = json.loads(line)
        known[row["name"]] = row
    sources = {mutant.path: read_digest(mutant.path) for mutant in mutants}
    waiting, running = [], {}
    for mutant in mutants:
        row = known.get(mutant.name, {})
        if row.get("source") != sources[mutant.path] or (row["survives"] and row["tests"] != state):
            waiting.append(mutant)
    print(f"{len(mutants)} mutants, of which {len(waiting)} are tried", flush=True)
    with path.open("a", encoding="utf-8") as kept:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop(0)
                reader, writer = os.pipe()
                work = (mutant, choice.choose(mutant), seconds, writer)
                running[fork(lambda work=work: try_mutant(*work))] = mutant, reader
                os.close(writer)
            number, status = os.wait()
            mutant, reader = running.pop(number)
            with suppress(ProcessLookupError):
                os.killpg(number, signal.SIGKILL)  # what it started
            with os.fdopen(reader, encoding="utf-8") as written:
                failed = written.readline().strip()
            row = {"name": mutant.name, "survives": status == 0, "source": sources[mutant.path], "tests": state}
            row["by"] = failed or f"status {status}"
            known[mutant.name] = row
            kept.write(f"{json.dumps(row)}\n")
            kept.flush()
            if not status:
                print(f"survives: {mutant.name}", flush=True)
    return {mutant.name: known[mutant.name]["survives"] for mutant in mutants}


def judge(drawn: int, left: int, unnamed: int) -> tuple[bool, str]:
    """Tell whether so many survivors pass, and say why."""
    share = left / max(1, drawn)
    line = f"{drawn} drawn, {drawn - left} killed, {left} survive: {share:.1%} of at most {MOST:.0%}"
    return not unnamed and share <= MOST, f"{line}; {left - unnamed} named in .ci/{NAMED.name}, {unnamed} not"


def main() -> None:
    """Try mutants, and print how many survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="parts of paths; all rooms if there is none")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    given = parser.parse_args()
    os.nice(10)
    os.chdir(REPOSITORY)
    sys.path[:0] = [str(REPOSITORY)]
    KEPT.mkdir(exist_ok=True)
    for name in WARM:
        importlib.import_module(name)
    mutants = draw_mutants(given.seed, given.count, given.files)
    survives = try_mutants(mutants, given.seed, given.jobs)
    reasons = tomllib.loads(NAMED.read_text("utf-8"))
    left = [mutant for mutant in mutants if survives[mutant.name]]
    (KEPT / "survivors.txt").write_text("".join(f"{mutant.name}\n" for mutant in left), "utf-8")
    for room in ROOMS:
        drawn = [mutant for mutant in mutants if mutant.path.startswith(f"fairtrec/{room}")]
        print(f"{room:<30}{len(drawn):>5} drawn{sum(survives[each.name] for each in drawn):>5} survive")
    unnamed = [mutant for mutant in left if mutant.text not in reasons.get(mutant.path, {})]
    print(*(mutant.name for mutant in unnamed), sep="\n", end="\n" * bool(unnamed))
    passed, line = judge(len(mutants), len(left), len(unnamed))
    print(line)
    sys.exit(not passed)


if __name__ == "__main__":
    main()

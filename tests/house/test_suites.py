"""The suites that `make check` leaves out are up to date with the code, which is read here, and .ci/run runs them all.

Their commands have today's names and options; they import and call what there is; the messages and the CSS classes that
they look for are somewhere in the package.
"""

import ast
import inspect
import itertools
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import NamedTuple

import click
import pytest
import yaml

import fairtrec
from fairtrec.cli import command
from fairtrec.support import errors
from fairtrec_made import REPOSITORY, fuzzed
from fairtrec_made.sources import parse

PYTEST = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
LENGTHENED = {"long", "slow", "fuzz"}  # which are of no suite: they take longer, or try more of the same
MARKERS = {each.partition(":")[0] for each in PYTEST["markers"]} - LENGTHENED
ERRORS = {"InputError", "UsageError", "ResourceError"}
HOLE = "HOLE"  # a word that is known only at run time


def load_suites():
    spec = spec_from_file_location("suites", REPOSITORY / ".ci" / "suites.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def suites(monkeypatch):
    module = load_suites()
    monkeypatch.setattr(module, "PROGRAMS", {})
    return module


# ------------------------------------------------------------------------------------------------ what CI runs


def read(*parts):
    return REPOSITORY.joinpath(*parts).read_text("utf-8")


def test_parsers_are_fuzzed_for_ten_minutes_and_weekly_for_an_hour():
    seconds = int(re.search(r"^FUZZ_SECONDS := (\d+)", read("Makefile"), re.MULTILINE)[1])
    weekly = int(re.search(r"FUZZ_SECONDS=(\d+)", read(".github", "workflows", "weekly.yml"))[1])
    assert (seconds * len(fuzzed.NAMES), weekly * len(fuzzed.NAMES)) == (600, 3600)


def test_ci_and_its_workflows_run_every_suite(suites):
    left_out = set(re.findall(r"not (\w+)", PYTEST["addopts"])) - LENGTHENED
    assert {*suites.SUITES} == MARKERS
    assert left_out | {"spark"} == MARKERS  # make check runs spark where pyspark is
    makefile = read("Makefile")
    assert re.search(r"^SUITES := (.*)$", makefile, re.MULTILINE)[1].split() == [*suites.SUITES]
    left_to_check = re.search(r"-m '(not long and .*)'", PYTEST["addopts"])[1].removeprefix("not long and ")
    assert re.search(r"^ALL := (.*)$", makefile, re.MULTILINE)[1] == f"-m '{left_to_check}'"
    assert len(re.findall(r"pytest -n auto \$\(ALL\)|^check:.* whole |PYTEST=.*\$\(ALL\)", makefile, re.MULTILINE)) == 4
    assert 'exec "${PYTHON:-python3}" .ci/suites.py\n' in read(".ci", "run")  # all, and check first
    ci, weekly = (yaml.safe_load(read(".github", "workflows", name)) for name in ("ci.yml", "weekly.yml"))
    assert ci["jobs"]["run"]["steps"][-1] == {"run": "bash .ci/run"}
    assert not re.search(r"make test\b", read(".github", "workflows", "ci.yml"))  # which leaves tests out
    assert {"suites", "slow", "fuzz"} <= {*weekly["jobs"]["make"]["strategy"]["matrix"]["target"]}
    table = read("CONTRIBUTING.md").partition("\n\n[docs/architecture.md]")[0]
    assert [name for name in (*suites.SUITES, "check", "slow", "fuzz", "suites") if f"`make {name}`" not in table] == []


def test_chromium_is_looked_for_as_the_tests_do():
    names = ", ".join(f'"{name}"' for name in load_suites().PROGRAMS["browser"].names)
    assert f"NAMES = {names}" in read("tests", "conftest.py")


MAKEFILE = """
check: ; @echo '30 passed, 2 skipped in 7.10s (0:00:07)'; echo 'Total 96 %'
browser: ; @echo '1 failed, 2 passed, 90 deselected in 0.10s'; exit 1
spark: ; @echo '5 skipped in 0.10s'
ecosystem: ; @echo '========= 4 passed in 1.00s ========='
.venv/embed: ; @echo 'ERROR: No matching distribution found for torch==0'; exit 1
.venv/adv: ; @echo 'ERROR: ResolutionImpossible'; exit 1
.venv/%: ; @true
"""


def test_each_suite_is_one_line_at_the_end(suites, tmp_path, monkeypatch, capfd):
    (tmp_path / "Makefile").write_text(MAKEFILE)
    monkeypatch.setattr(suites, "ROOT", tmp_path)
    assert suites.main([]) == 1
    lines = dict(re.findall(r"^(\w+) +\d+\.\d min +\d+\.\d of CPU   (.*)$", capfd.readouterr().out, re.MULTILINE))
    assert lines == {
        "check": "30 passed, 2 skipped",
        "browser": "FAILED: 1 failed, 2 passed",
        "spark": "FAILED: 5 skipped: no test passed",
        "ecosystem": "4 passed",
        "embed": "left out: pip cannot install its packages: ERROR: No matching distribution found for torch==0",
        "adv": "FAILED: its packages are not installed",
        "all": "failed",
    }
    assert suites.main(["check", "ecosystem", "embed"]) == 0


def test_a_program_that_cannot_be_had_leaves_its_suite_out(suites, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(suites, "PROGRAMS", {"spark": suites.Program("Java", ("no-such-java",), "NO_SUCH_HOME", "x")})
    monkeypatch.setattr(suites.shutil, "which", lambda _: None)
    assert suites.main(["spark"]) == 0
    assert "left out: needs Java; install it, or name one in NO_SUCH_HOME\n" in capfd.readouterr().out
    monkeypatch.setenv("NO_SUCH_HOME", "there")
    assert suites.install_program(suites.PROGRAMS["spark"]) == ""


# ---------------------------------------------------------------------------------- what the suites ask the code for


class Part(NamedTuple):
    """Code of a suite: a whole file, or a function of one, and the names that hold lists of words there."""

    place: str
    nodes: list
    names: dict


def is_marked(node, aliases=()):
    found = set(re.findall(r"\bmark\.(\w+)", text := ast.unparse(node)))
    return bool(found & MARKERS) or text.partition("(")[0] in aliases


def gather_lists(nodes, names):
    """Add the lists that names are assigned, with what += appends."""
    assigned = [node for node in nodes if isinstance(node, ast.Assign | ast.AugAssign)]
    for node in sorted(assigned, key=lambda node: node.lineno):
        target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
        if isinstance(target, ast.Name) and isinstance(node.value, ast.List | ast.Tuple):
            before = names.get(target.id, []) if isinstance(node, ast.AugAssign) else []
            names = {**names, target.id: [*before, *node.value.elts]}
    return names


def read_parts(path, source):
    """Find the code of suites in a file: each function, and what is outside of them, if all of the file is marked."""
    tree = parse(source)
    top = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    aliases = {node.targets[0].id for node in top if is_marked(node.value)}
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    shared = gather_lists(tree.body, {})
    if "pytestmark" not in aliases:
        functions = [each for each in functions if any(is_marked(one, aliases) for one in each.decorator_list)]
    for function in functions:
        nodes = list(ast.walk(function))
        yield Part(f"{path}:{function.lineno}", nodes, gather_lists(nodes, shared))
    if "pytestmark" in aliases:
        rest = [node for each in tree.body if not isinstance(each, ast.FunctionDef) for node in ast.walk(each)]
        yield Part(f"{path}:1", rest, shared)


@pytest.fixture(scope="module")
def parts():
    """Give the code of all suites, from the files that have one of their markers."""
    marked = re.compile(rf"\bmark\.(?:{'|'.join(sorted(MARKERS))})\b")
    texts = {path.relative_to(REPOSITORY): path.read_text("utf-8") for path in (REPOSITORY / "tests").rglob("*.py")}
    return [part for path in sorted(texts) if marked.search(texts[path]) for part in read_parts(path, texts[path])]


def spell(node, names):
    """Give the words of an element of a list: what is known of them in the source."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr():
            return ["".join(each.value if isinstance(each, ast.Constant) else HOLE for each in node.values)]
        case ast.Starred(value=ast.Name(id=name)):
            return [word for each in names.get(name, []) for word in spell(each, names)]
        case ast.Starred(value=ast.List(elts=elements) | ast.Tuple(elts=elements)):
            return [word for each in elements for word in spell(each, names)]
        case ast.Starred():
            return []
    return [HOLE]


def find_commands(part):
    """Find lists and calls with the words of a command: behind ``-m fairtrec``, or with a first word and options."""
    for node in part.nodes:
        elements = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        words = [word for each in elements for word in spell(each, part.names)]
        pairs = list(itertools.pairwise(words))
        if ("-m", "fairtrec") in pairs:
            yield words[pairs.index(("-m", "fairtrec")) + 2 :]
        elif (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "fairtrec_command") or (
            words and any(word.startswith("--") for word in words) and re.match(r"--\w|[a-z][a-z0-9-]*$", words[0])
        ):
            yield words


@cache
def list_options(found=command):
    """List all options of all commands."""
    context = click.Context(found)
    here = [flag for each in found.get_params(context) for flag in each.opts + each.secondary_opts]
    below = found.list_commands(context) if isinstance(found, click.Group) else []
    return {*here}.union(*(list_options(found.get_command(context, name)) for name in below))


def find_fault(words):
    """Say what is wrong with the words of a command, or with options that belong to some; "" if nothing is."""
    if words and words[0].startswith("--"):
        unknown = {word.partition("=")[0] for word in words if word.startswith("--")} - list_options()
        return f"no option {min(unknown)}" if unknown else ""
    try:
        parse_words(words)
    except click.UsageError as fault:
        return str(fault)
    return ""


def parse_words(words):
    """Read the words of a command, but for those that are known only at run time. Raises click.UsageError."""
    found, words = command, list(words)
    context = click.Context(found, info_name="fairtrec")
    while isinstance(found, click.Group) and words and words[0] != HOLE and not words[0].startswith("-"):
        found = found.get_command(context, words[0])
        context = click.Context(found, parent=context, info_name=words.pop(0))
    values, _, _ = found.make_parser(context).parse_args(words)
    for each in found.get_params(context):
        given = values.get(each.name)
        for value in given if isinstance(given, list) else [given]:
            if isinstance(each.type, click.Choice) and isinstance(value, str) and HOLE not in value:
                each.type.convert(value, each, context)


@pytest.mark.long
def test_every_command_of_a_suite_parses(parts):
    found = [(part.place, words) for part in parts for words in find_commands(part)]
    assert len(found) > 1
    assert [(*each, fault) for each in found if (fault := find_fault(each[1]))] == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ('run(desk, "-m", "fairtrec", "stances", "a.run")', "no command stances"),
        ('command = ["-m", "fairtrec"]\ncommand += ["evaluate", "none"]\nrun(*command)', "no command evaluate"),
        ('given = ["eval", x, "--lables", "l.tsv"]', "No such option"),
        ('fairtrec_command("eval", *files, "-f", "yaml")', "'yaml' is not one of"),
        ('STEPS = ["--no-such=3"]', "no option --no-such"),
        ('WORDS = "eval", "none"\nlist_ = [*WORDS, "a.run", "--lables", f"{name}.tsv"]', "No such option"),
    ],
)
def test_a_command_of_yesterday_is_seen(source, fault):
    (part,) = read_parts("a", f"pytestmark = [pytest.mark.embed]\n{source}\n")
    found = [find_fault(words) for words in find_commands(part)]
    assert [each for each in found if fault in each]
    assert not list(read_parts("a", f"pytestmark = pytest.mark.usefixtures('few')\n{source}\n"))


def find_imported(part):
    """Give what code imports from the package, by the name that it has there; also ``fairtrec`` itself."""
    for node in part.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fairtrec":
            for each in node.names:
                yield each.asname or each.name, node.module, each.name


def test_what_suites_import_and_call_is_there(parts):
    wrong, calls = [], 0
    for part in parts:
        there = {}
        for name, module, attribute in find_imported(part):
            try:
                there[name] = getattr(import_module(module), attribute, None) or import_module(f"{module}.{attribute}")
            except ImportError as fault:
                if (getattr(fault, "name", None) or "fairtrec").startswith("fairtrec"):
                    wrong.append((part.place, str(fault)))
        for node in (each for each in part.nodes if isinstance(each, ast.Call)):
            match node.func:
                case ast.Attribute(value=ast.Name(id="fairtrec"), attr=name):
                    called = getattr(fairtrec, name, None)
                case ast.Name(id=name):
                    called = there.get(name, len)
                case _:
                    continue
            if called is None:
                wrong.append((part.place, name))
            elif inspect.isfunction(called):
                calls += 1
                given = {each.arg for each in node.keywords if each.arg}
                parameters = inspect.signature(called).parameters
                takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
                wrong += [(part.place, name, each) for each in given - {*parameters} if not takes_any]
    assert calls > 5
    assert wrong == []


# ----------------------------------------------------------------------------------------- what they look for in texts


def find_matched(part):
    """Give the patterns of our errors that ``match=`` takes, also those that a loop or parameters name."""
    for node in part.nodes:
        if isinstance(node, ast.Call) and node.args and getattr(node.args[0], "id", "") in ERRORS:
            yield from (text for each in node.keywords if each.arg == "match" for text in find_texts(each.value, part))


def find_texts(value, part):
    if not isinstance(value, ast.Name):
        yield from (word for word in spell(value, {}) if word != HOLE)
        return
    for node in part.nodes:
        match node:
            case ast.For(target=ast.Tuple(elts=targets), iter=ast.Tuple(elts=rows) | ast.List(elts=rows)):
                named = [getattr(each, "id", "") for each in targets]
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[first, ast.List(elts=rows), *_]):
                named = [getattr(each, "value", "") for each in getattr(first, "elts", [])]
            case _:
                continue
        if value.id in named:
            for row in rows:
                yield from spell(row.elts[named.index(value.id)], {})


def split_pattern(pattern):
    """Give the plain texts in a pattern that have at least three words, without numbers and names of files.

    A value that is a word is no text of the package: tests write it as ``\\w+``.
    """
    plain = re.split(r"(?<!\\)[.^$*+?{}\[\]()|]+|\\[dswDSWbAZ]", pattern)
    texts = [re.sub(r"\\(.)", r"\1", each) for each in plain]
    pieces = [piece.strip() for text in texts for piece in re.split(r"\S*[\d/_@]\S*|HOLE\S*", text)]
    return [piece for piece in pieces if piece.count(" ") >= 2]


def list_texts():
    """Join all texts in the package."""
    trees = (parse(path.read_text("utf-8")) for path in sorted((REPOSITORY / "fairtrec").rglob("*.py")))
    strings = (node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(each for each in strings if isinstance(each, str))


@pytest.mark.long
def test_the_messages_that_suites_expect_are_in_the_package(parts):
    wanted = {(part.place, each) for part in parts for text in find_matched(part) for each in split_pattern(text)}
    texts = list_texts()
    texts += "\n".join(map(errors.spell_keywords, texts.splitlines()))
    assert len(wanted) > 12
    assert [each for each in sorted(wanted) if each[1] not in texts] == []


def test_make_bench_starts_and_finds_the_benchmarks_of_commands():
    command = [sys.executable, "-m", "benchmarks", "--help"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    own = {path.parent.name for path in (REPOSITORY / "tests").rglob("benchmark.py")}
    assert "explain" in own
    assert {*done.stdout.split()} >= own


def test_the_plain_texts_of_patterns_are_found():
    assert split_pattern(r"^a.tsv:2: \d lines have no \.tsv; pass another") == ["lines have no .tsv; pass another"]
    assert split_pattern("there is no folder nobody/nothing, and it cannot be had") == [
        "there is no folder", "and it cannot be had",
    ]  # fmt: skip
    loop = 'for name, says in ((["a"], "this file is named twice"),):\n    with raises(InputError, match=says):\n        run()\n'
    (_, part) = read_parts("a", f"pytestmark = [pytest.mark.spark]\n{loop}def test_x(): ...\n")
    assert [*find_matched(part)] == ["this file is named twice"]


def test_the_ids_and_classes_that_suites_look_for_are_in_the_pages(parts):
    called = {"locator", "querySelector", "querySelectorAll", "getElementById", "style"}
    wanted = set()
    for part in parts:
        for node in part.nodes:
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "locator":
                wanted |= {
                    (part.place, each) for each in re.findall(r"[#.]([a-z][\w-]*)", " ".join(spell(node.args[0], {})))
                }
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "=>" in node.value:
                for text in re.findall(rf"\b(?:{'|'.join(called)})\([\"'`]([^\"'`]*)", node.value):
                    wanted |= {(part.place, each) for each in re.findall(r"[#.]([a-z][\w-]*)", text)}
    drawing = [path for path in (REPOSITORY / "fairtrec").rglob("*") if path.suffix in (".html", ".js", ".css")]
    drawing += [path for path in (REPOSITORY / "fairtrec").rglob("*.py") if "class_=" in path.read_text("utf-8")]
    sources = "\n".join(path.read_text("utf-8") for path in drawing)
    words = {word for text in re.findall(r"[\"'`]([\w .#-]*)[\"'`]", sources) for word in re.findall(r"[\w-]+", text)}
    assert len(wanted) > 20
    assert [each for each in sorted(wanted) if each[1] not in words] == []

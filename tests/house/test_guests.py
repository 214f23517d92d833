"""A command is a guest: it leaves by ``git rm -r`` of its folder, its tests and its page, and a few lines elsewhere."""

import ast
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from fairtrec import commands
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import DECLARATIONS, ROOMS, TESTS, load_trials

MOST = 3
MORE = {  # packages of which more lines stand elsewhere: how many, and why
    "fairtrec.commands.correlate": (4, "Python offers two functions of it; it uses results"),
    "fairtrec.commands.results": (3, "Python offers two functions of it"),
    "fairtrec.lab.gold": (3, "fairtrec.gold is a public module, and stands in the layers"),
    "fairtrec.lab.plot": (4, "Python offers two functions of it; it uses results"),
    "fairtrec.lab.rerank": (5, "RerankerContract orders documents as it does, and it uses the rerankers"),
}
ROWS = {row.package: row for row in commands.list_rows()}
PACKAGES = sorted(ROWS.keys() - {"fairtrec.lab.make"})  # which leaves with its last command
ALONE = [name for name in ("ablate", "select") if commands.has_command(name)]
NAMING = r"fairtrec[ .]{0}\b|\b{0}\.md\b|commands[./]{0}\b|(?<!locator\()[\"'`]{0}(?:[\"'`]| -| qrels)"  # an element of HTML is none
HAND_WRITTEN = ["*.md", "docs/*.md", "docs/*.ipynb", "docs/*.py", "tests/**/*.py", "tests/**/golden/*.txt"]
HISTORY = {"CHANGELOG.md"}
NAVIGATION = runpy.run_path(str(REPOSITORY / "docs" / "navigation.py"))
MADE = {
    f"docs/{name}.md" for name in ("api", "architecture", "commands", "contents", "schema", "stability", "validate")
}


@pytest.fixture(scope="module")
def remove():
    """Give the functions of `make remove`."""
    return SimpleNamespace(**runpy.run_path(str(REPOSITORY / ".ci" / "remove.py")))


@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES)
def test_a_command_leaves_with_few_lines_elsewhere(package, remove):
    found = [*remove.find_lines(package)]
    remove.show(package, found)  # with -s
    assert len(found) >= 1, "its row"
    most, why = MORE.get(package, (MOST, ""))
    assert len(found) == most if why else len(found) <= most


@pytest.mark.long
@pytest.mark.parametrize("name", ALONE)
def test_nothing_else_names_a_command_that_leaves_alone(name, remove):
    """But for what is made: pages are written anew, and links to a page are declared on it."""
    package = commands.load_row(name).package
    named = re.compile(NAMING.format(re.escape(name)))
    own = tuple(remove.find_paths(package))
    paths = [
        *remove.read_files(),
        *(path.relative_to(REPOSITORY).as_posix() for each in HAND_WRITTEN for path in REPOSITORY.glob(each)),
    ]
    lines = {f"{path}:{number}" for path, number, _ in remove.find_lines(package)}
    left = []
    for path in {*paths} - HISTORY - MADE - {Path(__file__).relative_to(REPOSITORY).as_posix()}:
        if not path.startswith(own):
            text = (REPOSITORY / path).read_text("utf-8").partition(NAVIGATION["SEE_ALSO"])[0]
            found = [f"{path}:{number}" for number, line in enumerate(text.splitlines(), 1) if named.search(line)]
            left += [f"{each}: names {name}" for each in found if each not in lines]
    assert left == []


def test_each_folder_is_a_command():
    """Nothing else stands in the rooms: what commands share is below them."""
    for room in ("commands", "lab"):
        places = {
            ".".join(("fairtrec", *path.parent.relative_to(REPOSITORY / "fairtrec").parts))
            for path in (REPOSITORY / "fairtrec" / room).rglob("*.py")
        }
        assert places - {f"fairtrec.{room}", "fairtrec.lab.reranker", "fairtrec.lab.rerankers"} == {
            package for package in ROWS if package.startswith(f"fairtrec.{room}.")
        }
        assert {path.name for path in (REPOSITORY / "fairtrec" / room).glob("*.py")} <= {"__init__.py"}


def test_tests_mirror_the_folders():
    """A folder of tests is that of a package; commands without one are tried by recorded outputs in tests/cli."""
    for room in ROOMS:
        for path in room.rglob("test_*.py"):
            assert (REPOSITORY / "fairtrec" / path.parent.relative_to(TESTS) / "__init__.py").is_file(), path


def test_trials_are_those_that_a_test_gathers():
    """A name that is misspelt would be tried by no test."""
    for folder in load_trials():
        tree = ast.parse((folder / "trials.py").read_text("utf-8"))
        declared = {
            target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets
        }  # constants of the file are used in it
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        assert declared - used <= {*DECLARATIONS}, folder
    every = {name for trials in load_trials().values() for name in trials}
    gathered = {
        name
        for path in [
            *(REPOSITORY / "tests").rglob("*.py"),
            *(REPOSITORY / "docs").glob("*.py"),
            *(REPOSITORY / "benchmarks").glob("*.py"),
        ]
        for name in re.findall(r'gather_trials\((?:  #[^\n]*)?\s*"(\w+)"', path.read_text("utf-8"))
    }
    of_lab = {name for name, what in DECLARATIONS.items() if what.startswith("tests/lab/") and not ROOMS[1].exists()}
    assert every <= {*DECLARATIONS} - of_lab == gathered

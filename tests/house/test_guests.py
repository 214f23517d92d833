"""A command is a guest: it leaves by ``git rm -r`` of its folder, its tests and its page, and a few lines elsewhere."""

import ast
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from fairtrec import commands
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import DECLARATIONS, load_trials

MOST = 3
MORE = {  # folders of which more lines stand elsewhere: how many, and why
    "correlate": (4, "Python offers two functions of it; it uses results"),
    "plot": (4, "Python offers two functions of it; it uses results"),
    "results": (3, "Python offers two functions of it"),
    "gold": (6, "fairtrec.gold is a public module, and its oracle has a dependency group"),
    "rerank": (4, "RerankerContract orders documents as it does"),
}
GROUP = "make"  # the group of commands/make, which leaves with its last command
FOLDERS = sorted({folder for folder, _ in commands.COMMANDS.values()} - {GROUP})
ALONE = [name for name in ("ablate", "select") if name in commands.COMMANDS]  # of which `make removal` is proof
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


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_command_leaves_with_few_lines_elsewhere(folder, remove):
    found = [*remove.find_lines(folder)]
    remove.show(folder, found)  # with -s
    assert len(found) >= 1, "its line in COMMANDS"
    most, why = MORE.get(folder, (MOST, ""))
    assert len(found) == most if why else len(found) <= most


@pytest.mark.parametrize("name", ALONE)
def test_nothing_else_names_a_command_that_leaves_alone(name, remove):
    """But for what is made: pages are written anew, and links to a page are declared on it."""
    folder, _ = commands.COMMANDS[name]
    named = re.compile(NAMING.format(re.escape(name)))
    own = tuple(remove.find_paths(folder))
    paths = [
        *remove.read_files(),
        *(path.relative_to(REPOSITORY).as_posix() for each in HAND_WRITTEN for path in REPOSITORY.glob(each)),
    ]
    lines = {f"{path}:{number}" for path, number, _ in remove.find_lines(folder)}
    left = []
    for path in {*paths} - HISTORY - MADE - {Path(__file__).relative_to(REPOSITORY).as_posix()}:
        if not path.startswith(own):
            text = (REPOSITORY / path).read_text("utf-8").partition(NAVIGATION["SEE_ALSO"])[0]
            found = [f"{path}:{number}" for number, line in enumerate(text.splitlines(), 1) if named.search(line)]
            left += [f"{each}: names {name}" for each in found if each not in lines]
    assert left == []


def test_each_folder_is_a_command():
    """Nothing else stands in the room: what commands share is below it."""
    room = REPOSITORY / "fairtrec" / "commands"
    places = {path.parent.relative_to(room).as_posix().replace("/", ".") for path in room.rglob("*.py")} - {".", "make"}
    assert places == {*FOLDERS}
    assert {path.name for path in room.glob("*.py")} == {"__init__.py"}
    assert {path.name for path in (room / GROUP).glob("*.py")} == {"__init__.py", "command.py"}


def test_tests_mirror_the_folders():
    """A folder of tests is that of a command; commands without one are tried by recorded outputs in tests/cli."""
    room = REPOSITORY / "tests" / "commands"
    assert {path.parent.relative_to(room).as_posix().replace("/", ".") for path in room.rglob("test_*.py")} <= {
        *FOLDERS
    }


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
    assert every <= {*DECLARATIONS} == gathered


def test_at_most_22_entries_stand_at_the_root():
    """Folders of an older checkout, in which no source is left, do not count; nor does what a build has written."""
    entries = [path for path in (REPOSITORY / "fairtrec").iterdir() if path.is_file() or any(path.rglob("*.py"))]
    assert len({path.name for path in entries} - {"_resources", "version.txt"}) <= 22

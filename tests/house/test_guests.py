"""A command is a guest: it leaves by ``git rm -r`` of its folder, its tests and its page, and a few lines elsewhere."""

import ast
import re
import sys
import tomllib

import pytest

from fairtrec import commands
from fairtrec_made import REPOSITORY
from fairtrec_made.command_trials import DECLARATIONS, load_trials

MOST = 3
PACKAGES = {"gold": re.compile(r"\bgold\b")}  # with a module of this name at the root, which goes with them
MORE = {  # folders of which more lines stand elsewhere: how many, and why
    "compare": (6, "Python offers four functions of it; it uses results"),
    "results": (3, "Python offers two functions of it"),
    "gold": (6, "fairtrec.gold is a public module, and its oracle has a dependency group"),
    "rerank": (4, "RerankerContract orders documents as it does"),
}
GROUP = "make"  # the group of commands/make, which leaves with its last command
FOLDERS = sorted({folder for folder, _ in commands.COMMANDS.values()} - {GROUP})
FILES = ["pyproject.toml", "Makefile", "hatch_build.py", "Dockerfile", "action.yml", "mkdocs.yml"]
ROOMS = ["fairtrec/**/*.py", "benchmarks/*.py", "conda/*", ".ci/*", ".github/**/*.yml"]


def texts():
    """The files in which a folder may be named, but for tests and pages."""
    paths = [REPOSITORY / name for name in FILES] + [path for room in ROOMS for path in REPOSITORY.glob(room)]
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text("utf-8") for path in paths if path.is_file()}


TEXTS = texts()


def pairs():
    """Which command imports which, as pyproject.toml allows it."""
    contracts = tomllib.loads(TEXTS["pyproject.toml"])["tool"]["importlinter"]["contracts"]
    allowed = [pair for contract in contracts for pair in contract.get("ignore_imports", []) if "commands" in pair]
    return [re.findall(r"fairtrec\.commands\.([\w.]+)\.", pair) for pair in allowed]


def users(folder, known=()):
    """The folders that use one, which leave before it."""
    found = {one for one, other in pairs() if other == folder} - {*known}
    return found.union(*(users(each, {*known, *found}) for each in found))


def lines_elsewhere(folder):
    """The lines outside a folder, and outside those that use it, that name it."""
    own = re.compile(rf"commands[./]{re.escape(folder)}\b".replace(r"\.", "[./]"))
    listed = {f'    "{name}": {commands.COMMANDS[name]!r},'.replace("'", '"') for name in commands.COMMANDS
              if commands.COMMANDS[name][0] == folder}  # fmt: skip
    gone = tuple(f"fairtrec/commands/{each.replace('.', '/')}/" for each in (folder, *users(folder)))
    package = PACKAGES.get(folder)
    gone += (f"fairtrec/{folder}.py",) * bool(package)
    used_by = re.compile(
        rf"commands\.(?!{re.escape(folder)}\.)[\w.]+\.\*\* -> fairtrec\.commands\.{re.escape(folder)}\."
    )
    for path, text in TEXTS.items():
        for number, line in enumerate(text.splitlines(), 1):
            if (
                not path.startswith(gone)
                and not used_by.search(line)
                and (
                    own.search(line)
                    or line in listed
                    or (package and path in ("fairtrec/__init__.py", "pyproject.toml") and package.search(line))
                )
            ):
                yield f"{path}:{number}: {line.strip()}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_command_leaves_with_few_lines_elsewhere(folder):
    found = [*lines_elsewhere(folder)]
    used = ", ".join(sorted(users(folder))) or "no other"
    lines = "\n  ".join([f"{folder}: {len(found)} lines elsewhere; used by {used}", *found])
    sys.stdout.write(f"{lines}\n")  # with -s
    assert len(found) >= 1, "its line in COMMANDS"
    most, why = MORE.get(folder, (MOST, ""))
    assert len(found) == most if why else len(found) <= most


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
        for path in [*(REPOSITORY / "tests").rglob("*.py"), *(REPOSITORY / "docs").glob("*.py")]
        for name in re.findall(r'gather_trials\((?:  #[^\n]*)?\s*"(\w+)"', path.read_text("utf-8"))
    }
    assert every <= {*DECLARATIONS} == gathered


def test_at_most_22_entries_stand_at_the_root():
    """Folders of an older checkout, in which no source is left, do not count; nor does what a build has written."""
    entries = [path for path in (REPOSITORY / "fairtrec").iterdir() if path.is_file() or any(path.rglob("*.py"))]
    assert len({path.name for path in entries} - {"_resources", "version.txt"}) <= 22

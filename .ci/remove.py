"""Remove a command: ``make remove COMMAND=NAME``.

It removes its folder, its tests and its pages, and makes anew the pages that are made from the code. It deletes the lines
elsewhere that name the command, and prints them: its row, its import, and whom it imports. Other lines you edit. Nothing
is committed. Without a name it prints the lines of every command.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY)]

from fairtrec.commands import COMMANDS  # noqa: E402 - of this checkout

FILES = ["pyproject.toml", "Makefile", "hatch_build.py", "Dockerfile", "action.yml", "mkdocs.yml"]
ROOMS = ["fairtrec/**/*.py", "benchmarks/*.py", "conda/*", ".ci/*", ".github/**/*.yml"]
PACKAGES = {"gold": re.compile(r"\bgold\b")}  # with a module of this name at the root, which goes with them
PAIR = re.compile(r"fairtrec\.commands\.([\w.]+)\.\*\* -> fairtrec\.commands\.([\w.]+)\.\*\*")


def read_files() -> dict[str, str]:
    """Read the files in which a folder may be named, but for tests and pages."""
    paths = [REPOSITORY / name for name in FILES] + [path for room in ROOMS for path in REPOSITORY.glob(room)]
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text("utf-8") for path in paths if path.is_file()}


def list_pairs() -> list[tuple[str, str]]:
    """List which command imports which, as pyproject.toml allows it."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    return [
        found.groups()
        for contract in contracts
        for pair in contract.get("ignore_imports", [])
        if (found := PAIR.fullmatch(pair))
    ]


def find_users(folder: str, known: Collection[str] = ()) -> set[str]:
    """Find the folders that use one, which leave before it."""
    found = {one for one, other in list_pairs() if other == folder} - {*known}
    return found.union(*(find_users(each, {*known, *found}) for each in found))


def find_lines(folder: str) -> Iterator[tuple[str, int, str]]:
    """Find the lines outside a folder, and outside those that use it, that name it: file, number, text."""
    own = re.compile(rf"commands[./]{re.escape(folder)}\b".replace(r"\.", "[./]"))
    listed = {f'    "{name}": {row!r},'.replace("'", '"') for name, row in COMMANDS.items() if row[0] == folder}
    gone = tuple(f"fairtrec/commands/{each.replace('.', '/')}/" for each in (folder, *find_users(folder)))
    package = PACKAGES.get(folder)
    gone += (f"fairtrec/{folder}.py",) * bool(package)
    for path, text in read_files().items():
        if path.startswith(gone):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            pairs = PAIR.findall(line)
            is_use = pairs and folder not in {one for one, _ in pairs}
            is_public = package and path in ("fairtrec/__init__.py", "pyproject.toml") and package.search(line)
            if not is_use and (own.search(line) or line in listed or is_public):
                yield path, number, line


def find_paths(folder: str) -> list[str]:
    """Find what is of the command alone: its folder, its tests, its pages."""
    names = [name for name, row in COMMANDS.items() if row[0] == folder]
    stems = {name.rpartition(" ")[2] for name in names}
    place = folder.replace(".", "/")
    patterns = [
        f"fairtrec/commands/{place}",
        f"tests/commands/{place}",
        *(f"docs/commands/{name}.md" for name in names),
    ]
    patterns += [f"docs/{stem}{rest}" for stem in sorted(stems) for rest in (".md", "-*.md")]
    return [path.relative_to(REPOSITORY).as_posix() for each in patterns for path in sorted(REPOSITORY.glob(each))]


def remove(folder: str) -> None:
    """Remove a command from the checkout."""
    if users := find_users(folder):
        sys.exit(f"used by {', '.join(sorted(users))}; remove these first")
    lines = list(find_lines(folder))
    paths = find_paths(folder)
    texts = read_files()
    own = re.compile(rf'    (from fairtrec\.commands\.{re.escape(folder)}\.|"[\w -]+": \("{re.escape(folder)}",)')
    for path in {path for path, _, _ in lines}:
        kept = texts[path].splitlines(keepends=True)
        for number, line in ((number, line) for each, number, line in lines if each == path):
            if own.match(line) or PAIR.search(line):
                kept[number - 1] = ""
            else:
                print(f"edit {path}:{number}: {line.strip()}")
        (REPOSITORY / path).write_text("".join(kept), "utf-8")
    subprocess.run(["git", "rm", "-rqf", *paths], cwd=REPOSITORY, check=True)
    for each in paths:  # what git does not know, such as compiled files
        subprocess.run(["rm", "-rf", each], cwd=REPOSITORY, check=True)
    subprocess.run([sys.executable, REPOSITORY / "docs" / "build.py"], cwd=REPOSITORY, check=True)
    print("removed:", *paths)
    show(folder, lines)


def show(folder: str, lines: Collection[tuple[str, int, str]]) -> None:
    """Print the lines that name a folder."""
    used = ", ".join(sorted(find_users(folder))) or "no other"
    print(f"{folder}: {len(lines)} lines elsewhere; used by {used}")
    for path, number, line in lines:
        print(f"  {path}:{number}: {line.strip()}")


def main() -> None:
    """Remove the command that is named, or print the lines of all."""
    if len(sys.argv) > 1:
        name = " ".join(sys.argv[1:])
        if name not in COMMANDS:
            sys.exit(f"there is no command {name}; there are {', '.join(COMMANDS)}")
        remove(COMMANDS[name][0])
    else:
        for folder in sorted({folder for folder, _ in COMMANDS.values()}):
            show(folder, list(find_lines(folder)))


if __name__ == "__main__":
    main()

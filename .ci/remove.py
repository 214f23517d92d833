"""Remove a command, or all of the lab: ``make remove COMMAND=NAME``, ``make remove COMMAND=lab``.

It removes the folder, its tests and pages, and makes anew the pages that are made from the code. It deletes the lines
elsewhere that name it, and prints them: its row, its imports, and whom it imports. In other pages, links to its pages
become plain words. Other lines you edit. Nothing is committed. Without a name it prints the lines of every command.

A page is of a command if its name is that of the command, alone or before a hyphen, or if it has the line
``<!-- of NAME -->``. What makes pages begins with ``# of NAME: PAGES``. In pages that stay, what is of the lab stands
between ``<!-- of lab -->`` and ``<!-- end of lab -->``.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY)]

from fairtrec.commands import list_rows  # noqa: E402 - of this checkout

LAB = "fairtrec.lab"
FILES = ["pyproject.toml", "Makefile", "hatch_build.py", "Dockerfile", "action.yml", "mkdocs.yml"]
ROOMS = ["fairtrec/**/*.py", "benchmarks/*.py", "conda/*", ".ci/*", ".github/**/*.yml"]
PAIR = re.compile(
    r'(fairtrec\.(?:commands|lab)\.[\w.]+?)(?:\.\*\*)? -> (fairtrec\.(?:commands|lab)\.[\w.]+?)(?:\.\*\*)?"'
)
OF_LAB = "# of the lab: "  # an extra
QUOTED = re.compile(r'"([^"]*)"')
ENTRY = re.compile(r'^"?([\w -]+)"? = "fairtrec\.lab\.')
CONTRACT = re.compile(r"\[\[tool\.importlinter\.contracts\]\]\n(?:(?!\[\[).*\n)*?modules = \[\]\n(?:(?!\[).+\n)*\n?")


def find_packages() -> dict[str, str]:
    """Find the package of each command by its name, and that of the lab."""
    found = {row.name: row.package for row in list_rows()}
    return found | ({"lab": LAB} if any(_is_in(package, LAB) for package in found.values()) else {})


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def read_files() -> dict[str, str]:
    """Read the files in which a package may be named, but for tests and pages."""
    paths = [REPOSITORY / name for name in FILES] + [path for room in ROOMS for path in REPOSITORY.glob(room)]
    return {path.relative_to(REPOSITORY).as_posix(): path.read_text("utf-8") for path in paths if path.is_file()}


def list_pairs() -> list[tuple[str, str]]:
    """List which command imports which, as pyproject.toml allows it."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    pairs = [pair for contract in contracts for pair in contract.get("ignore_imports", [])]
    return [found.groups() for pair in pairs if (found := PAIR.fullmatch(f'{pair}"'))]


def find_users(package: str, known: Collection[str] = ()) -> set[str]:
    """Find the packages that use one, which leave before it."""
    found = {one for one, other in list_pairs() if _is_in(other, package) and not _is_in(one, package)} - {*known}
    return found.union(*(find_users(each, {*known, *found}) for each in found))


def find_faces(package: str) -> list[str]:
    """Find the public modules at the root that offer what a package has, such as fairtrec/gold.py."""
    named = re.compile(rf"^from {re.escape(package)}\b", re.MULTILINE)
    paths = sorted((REPOSITORY / "fairtrec").glob("*.py"))
    return [path.stem for path in paths if path.stem != "__init__" and named.search(path.read_text("utf-8"))]


def find_lines(package: str) -> Iterator[tuple[str, int, str]]:
    """Find the lines outside a package, and outside those that use it, that name it: file, number, text."""
    faces = find_faces(package)
    words = "|".join([re.escape(package), *(rf"fairtrec[.]{face}\b|import {face} as" for face in faces)])
    own = re.compile(rf"{words}\b|{re.escape(package.replace('.', '/'))}\b|{re.escape(package[9:].replace('.', '/'))}/")
    name = next((name for name, each in find_packages().items() if each == package), "")
    gone = tuple(f"{each.replace('.', '/')}/" for each in (package, *find_users(package)))
    gone += (*(f"fairtrec/{face}.py" for face in faces), ".ci/remove.py")
    for path, text in read_files().items():
        if path.startswith(gone):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            is_use = any(not _is_in(one, package) for one, _ in PAIR.findall(line))
            is_listed = path == "fairtrec/commands/__init__.py" and line == f'    "{name}",'
            is_extra = package == LAB and path == "pyproject.toml" and OF_LAB in line
            if not is_use and (own.search(line) or is_listed or is_extra):
                yield path, number, line


def find_paths(package: str) -> list[str]:
    """Find what is of a package alone: its folder, its tests, its pages and what makes them, its public modules."""
    names = [row.name for row in list_rows() if _is_in(row.package, package)]
    patterns = [package.replace(".", "/"), f"tests/{package[9:].replace('.', '/')}"]
    patterns += [f"fairtrec/{face}.py" for face in find_faces(package)]
    for name in names:
        stem = name.rpartition(" ")[2]
        patterns += [f"docs/commands/{name}.md", f"docs/{stem}.md", f"docs/{stem}-*.*"]
    found = [path for each in patterns for path in sorted(REPOSITORY.glob(each))]
    docs = REPOSITORY / "docs"
    for path in [*sorted(docs.glob("*.md")), *sorted(docs.glob("*.py"))]:
        declared = re.search(r"^(?:<!-- of ([\w -]+) -->|# of ([\w -]+): (.*))$", path.read_text("utf-8"), re.MULTILINE)
        if declared and (declared[1] or declared[2]) in names:
            found += [path, *(docs / page for page in (declared[3] or "").split())]
    return [path.relative_to(REPOSITORY).as_posix() for path in dict.fromkeys(found)]


def remove(package: str) -> None:
    """Remove a package from the checkout."""
    if users := find_users(package):
        sys.exit(f"used by {', '.join(sorted(users))}; remove these first")
    lines, paths, texts = list(find_lines(package)), find_paths(package), read_files()
    for path in dict.fromkeys(path for path, _, _ in lines):
        kept = texts[path].splitlines(keepends=True)
        for number, line in ((number, line) for each, number, line in lines if each == path):
            if path == "pyproject.toml":
                kept[number - 1] = _clear(line, package)
            elif re.match(r'    (from fairtrec\b.* import |"[\w-]+",$)', line):
                is_alone = kept[number - 2].startswith("if ") and not kept[number].startswith("    ")
                kept[number - 1] = "    pass\n" if is_alone else ""
            else:
                print(f"edit {path}:{number}: {line.strip()}")
        (REPOSITORY / path).write_text(CONTRACT.sub("", "".join(kept)), "utf-8")
    subprocess.run(["git", "rm", "-rqf", *paths], cwd=REPOSITORY, check=True)
    for each in paths:  # what git does not know, such as compiled files
        subprocess.run(["rm", "-rf", each], cwd=REPOSITORY, check=True)
    unlink({Path(path).name for path in paths if path.startswith("docs/") and "/commands/" not in path})
    if package == LAB:
        forget_lab([Path(path).stem for path in paths if path.startswith("fairtrec/")])
    subprocess.run(["make", "docs"], cwd=REPOSITORY, check=True)  # which installs the entry points that are left
    print("removed:", *paths)
    show(package, lines)


def _clear(line: str, package: str) -> str:
    """Take what names a package out of a line of pyproject.toml."""
    if ENTRY.match(line) or OF_LAB in line:
        return ""
    faces = "|".join(re.escape(f"fairtrec.{face}") for face in find_faces(package))
    names = rf"{re.escape(package)}\b" + (rf"|(?:{faces})\b" if faces else "")
    gone = re.compile(names)
    several = {
        text: " | ".join(part for part in text.split(" | ") if not gone.match(part)) for text in QUOTED.findall(line)
    }
    for text, left in several.items():
        line = re.sub(rf'(, )?"{re.escape(text)}"(?(1)|(?:, ?)?)', "", line) if not left else line.replace(text, left)
    return f"{line.rstrip()}\n" if line.strip(" ,\n") else ""


def unlink(pages: Collection[str]) -> None:
    """Turn links to pages that are gone into words, in all other pages; a picture and a line of the site leave."""
    gone = "|".join(map(re.escape, sorted(pages)))
    site = REPOSITORY / "mkdocs.yml"
    site.write_text(
        re.sub(rf"^ +- (?:[\w ]+: )?(?:{gone})/?\n", "", site.read_text("utf-8"), flags=re.MULTILINE), "utf-8"
    )
    for path in [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")]:
        text = path.read_text("utf-8")
        text = re.sub(rf"^!\[[^\]]*\]\((?:docs/)?(?:{gone})\)\n\n?", "", text, flags=re.MULTILINE)
        path.write_text(re.sub(rf"(?<!!)\[([^\]]*)\]\((?:docs/)?(?:{gone})(?:#[^)]*)?\)", r"\1", text), "utf-8")


def forget_lab(rooms: Collection[str]) -> None:
    """Take out of pages what is of the lab: between marks, in rows of tables, and in the picture of the rooms."""
    blocks = re.compile(r"^<!-- of lab -->\n(?:.*\n)*?<!-- end of lab -->\n\n?", re.MULTILINE)
    named = "|".join(map(re.escape, sorted(rooms)))
    lines = re.compile(rf"^(?:\|.*(?:fairtrec|tests)/lab/.*|[a-z ]{{14}}(?:(?:{named}) +)+│.*)\n", re.MULTILINE)
    for path in [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md"), *REPOSITORY.glob("tests/*/README.md")]:
        path.write_text(lines.sub("", blocks.sub("", path.read_text("utf-8"))), "utf-8")


def show(package: str, lines: Collection[tuple[str, int, str]]) -> None:
    """Print the lines that name a package."""
    used = ", ".join(sorted(find_users(package))) or "no other"
    print(f"{package}: {len(lines)} lines elsewhere; used by {used}")
    for path, number, line in lines:
        print(f"  {path}:{number}: {line.strip()}")


def main() -> None:
    """Remove what is named, or print the lines of all."""
    known = find_packages()
    if len(sys.argv) > 1:
        name = " ".join(sys.argv[1:])
        if name not in known:
            sys.exit(f"there is no command {name}; there are {', '.join(known)}")
        remove(known[name])
    else:
        for package in sorted({*known.values()}):
            show(package, list(find_lines(package)))


if __name__ == "__main__":
    main()

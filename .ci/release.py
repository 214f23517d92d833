"""Releases: `prepare VERSION` dates the files that have one, `notes` prints a version's part of CHANGELOG.md, `version`
what is being built, `platforms` whether the dependencies have wheels. `contents` checks dist/, `installed` tries it in
empty environments, and `rehearse` makes the targets of release.yml in a clone with a tag.
"""

import argparse
import datetime as dt
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST_WHEEL = 1_500_000  # bytes: the code takes 1.25 MB; what is much larger holds data by mistake
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


def choose_version(root: Path, environment: Mapping[str, str]) -> str:
    """Give the version that a workflow builds: that of the tag, or else a pre-release of the one in CHANGELOG.md.

    Raises ReleaseError for a tag of which CITATION.cff or CHANGELOG.md has another version.
    """
    if environment.get("GITHUB_REF_TYPE") != "tag":
        return f"{read_heading((root / 'CHANGELOG.md').read_text('utf-8'))[0]}.dev{environment.get('GITHUB_RUN_NUMBER', 0)}"
    version = environment["GITHUB_REF_NAME"].removeprefix("v")
    read_notes(root, version)
    return version


def choose_notes(root: Path, environment: Mapping[str, str]) -> str:
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


def clear(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out variables by which what called this would change what is built."""
    ours = re.compile(r"SETUPTOOLS_SCM|FAIRTREC_|GITHUB_|PYTHON|MAKE|MFLAGS|VIRTUAL_ENV|COV_|COVERAGE|PYTEST")
    return {name: value for name, value in environment.items() if not ours.match(name)}


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    """Run a program. Raises ReleaseError with what it printed if it fails."""
    done = subprocess.run(
        [*map(str, words)], cwd=cwd, env=clear(os.environ), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ReleaseError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def find_pythons() -> Iterator[tuple[str, str]]:
    """Find an interpreter of each version, on the path or of pyenv."""
    for version in PYTHONS:
        asked = "import sys, venv, ensurepip; print(*sys.version_info[:2], sep='.')"
        known = [shutil.which(f"python{version}"), *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
        for each in filter(None, known):
            if subprocess.run([each, "-c", asked], capture_output=True, text=True, check=False).stdout[:-1] == version:
                yield version, str(each)
                break
        else:
            print(f"Python {version} is not here; the workflow has it")


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


def check_contents(root: Path, version: str) -> str:
    """Check what is in dist/: its names, and the size of the wheel."""
    sizes = {path.name: path.stat().st_size for path in (root / "dist").iterdir()}
    wanted = {f"fairtrec-{version}.tar.gz", f"fairtrec-{version}-py3-none-any.whl"}
    if sizes.keys() != wanted:
        raise ReleaseError(f"dist/ has {', '.join(sorted(sizes))}, not {', '.join(sorted(wanted))}")
    if (size := sizes[f"fairtrec-{version}-py3-none-any.whl"]) >= LARGEST_WHEEL:
        raise ReleaseError(f"the wheel has {size} bytes, {LARGEST_WHEEL} or more: does it hold data by mistake?")
    return f"{version}: the wheel has {size >> 10} KiB"


def install_all(root: Path) -> Iterator[str]:
    """Install the files of dist/ into empty environments of this Python, and do all that README says there."""
    (source,), (wheel,) = (sorted((root / "dist").glob(name)) for name in ("*.tar.gz", "*.whl"))
    for what, lock in ((source, ()), (wheel, ()), (wheel, ("--require-hashes", "-r", root / "lock" / "run.txt"))):
        with TemporaryDirectory() as folder:
            run(sys.executable, "-m", "venv", Path(folder, "env"))
            own = Path(folder, "env", "bin", "python")
            pip = (own, "-m", "pip", "--disable-pip-version-check")
            if lock:
                run(*pip, "install", "--quiet", "--only-binary", ":all:", *lock)
            run(*pip, "install", "--quiet", *(["--no-deps"] if lock else []), what)
            said = run(own, root / ".ci" / "readme.py", cwd=Path(folder)).strip()
            listed = json.loads(run(*pip, "list", "--format=json").splitlines()[0])
        names = compare_packages(root, {each["name"].lower() for each in listed} - {"pip", "setuptools"})
        yield f"{what.name}{', the versions of lock/run.txt' if lock else ''}: {said}; {names}"


def compare_packages(root: Path, names: set[str]) -> str:
    """Compare what came along with the list of it."""
    noted = {line for line in (root / ".ci" / "packages.txt").read_text("utf-8").splitlines() if line[:1] != "#"}
    if more := names - noted:
        raise ReleaseError(f"pip install brings more than .ci/packages.txt says: {', '.join(sorted(more))}")
    return f"{len(names)} packages, as .ci/packages.txt says"


def rehearse() -> int:
    """Make the targets of release.yml in a clone with a tag, and print what is missing; give how many failed."""
    version, _ = read_heading((ROOT / "CHANGELOG.md").read_text("utf-8"))
    tag = {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": f"v{version}"}
    missing: list[str] = []
    with TemporaryDirectory() as folder:
        clone, here = tag_clone(Path(folder), version), dict(find_pythons())
        newest = next(reversed(here.values()))
        targets = [("release", newest), *(("installed", python) for python in here.values())]
        targets += [("workflows", newest), ("site", newest)]
        for target, python in targets:
            words = ("make", "--no-print-directory", target, f"PYTHON={python}")
            print("==", *words, flush=True)
            if subprocess.run(words, cwd=clone, env=clear(os.environ) | tag, check=False).returncode:
                missing.append(f"{target} ({python})")
                if target == "release":
                    break
    print("What needs an account (RELEASING.md has the steps):", *ACCOUNTS, sep="\n  ")
    print("Not rehearsed, as it needs other systems: the compiled wheels, and the image")
    print(f"missing: {', '.join(missing)}" if missing else "Nothing else is missing.")
    return len(missing)


def main() -> int:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    does: dict[str, Callable[[], Iterable[str]]] = {
        "notes": lambda: [choose_notes(ROOT, os.environ)],
        "version": lambda: [f"{choose_version(ROOT, os.environ)}\n"],
        "platforms": lambda: (f"{each}\n" for each in list_platforms(ROOT)),
        "contents": lambda: [f"{check_contents(ROOT, choose_version(ROOT, os.environ))}\n"],
        "installed": lambda: (f"{each}\n" for each in install_all(ROOT)),
    }
    parser.add_argument("what", choices=["prepare", *does, "rehearse"])
    parser.add_argument("version", nargs="?", default="", help="of prepare, such as 0.2.0")
    asked = parser.parse_args()
    sys.stdout.reconfigure(newline="\n")  # type: ignore[union-attr]  # a shell on Windows would keep the other one
    if asked.what == "rehearse":
        return min(rehearse(), 1)
    if asked.what == "prepare":
        if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", asked.version):
            parser.error(f"{asked.version!r} is no version, like 0.2.0")
        prepare(ROOT, asked.version)
        return 0
    try:
        for text in does[asked.what]():
            sys.stdout.write(text)
            sys.stdout.flush()
    except ReleaseError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

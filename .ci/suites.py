"""Run what CI runs, and print how long each took: `suites.py [check] [browser] [spark] ...`, or all.

The checks come first, on all cores. A suite takes one core, so that some run beside each other when what all of them
need is installed, and what each printed stands together. The minutes of a suite are those without its installation.

A suite whose program or packages a machine cannot have is left out in one line, which is no failure. A suite of which
no test passes is one.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SUITES = ("browser", "spark", "ecosystem", "embed", "adv")  # targets of make, each a marker of tests
UNREACHABLE = re.compile(
    r"^.*(?:No matching distribution found|Could not find a version|Network is unreachable|No space left).*$",
    re.MULTILINE,
)  # what pip says of packages that a machine cannot have


class Program(NamedTuple):
    """A program that pip does not install: its names on the PATH, the variable that names one, and its Debian package."""

    title: str
    names: tuple[str, ...]
    variable: str
    package: str

    def is_here(self) -> bool:
        """Tell whether the program is on this machine."""
        return bool(os.environ.get(self.variable)) or any(map(shutil.which, self.names))


PROGRAMS = {
    "browser": Program(
        "Chromium", ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"), "FAIRTREC_CHROMIUM", "chromium"
    ),
    "spark": Program("Java", ("java",), "JAVA_HOME", "default-jre-headless"),
}  # fmt: skip


class Outcome(NamedTuple):
    """What came of a suite."""

    name: str
    text: str
    is_failed: bool = False
    seconds: float = 0
    cpu: float = 0


class Ended(NamedTuple):
    """What came of a program: its exit code, what it printed, and the seconds of processors that it took."""

    code: int
    text: str
    cpu: float


def call(*words: str, shown: bool = True) -> Ended:
    """Run a program, and show what it prints while it runs."""
    lines = []
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            if shown:
                print(line, end="", flush=True)
            lines.append(line)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(process.returncode, "".join(lines), used.ru_utime + used.ru_stime)


def install_program(program: Program) -> str:
    """Install a program from Debian's packages if it is missing; say why it cannot be had, or ""."""
    if program.is_here():
        return ""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    lacking = [each for each in ("apt-get", *root[:1]) if shutil.which(each) is None]
    if lacking or subprocess.run([*root, "true"], capture_output=True, check=False).returncode:
        return f"needs {program.title}; install it, or name one in {program.variable}"
    for words in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", program.package]):
        if call(*root, "apt-get", *words).code:
            return f"needs {program.title}, and apt-get {words[0]} fails; install it, or name one in {program.variable}"
    return ""


def summarize(text: str) -> tuple[str, bool]:
    """Give the last counts that pytest printed, and whether any test passed.

    >>> summarize("..\\n2 passed, 1 skipped, 9 deselected in 97.06s (0:01:37)\\nTotal 96 %\\n")
    ('2 passed, 1 skipped', True)
    """
    ends = re.findall(r"^[= ]*(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", text, re.MULTILINE)
    counts = [each for each in ends[-1].split(", ") if "deselected" not in each] if ends else []
    return ", ".join(counts), any(each.endswith(" passed") for each in counts)


def prepare_suite(name: str) -> Outcome | None:
    """Install what a suite needs; say what came of it if that fails."""
    if name in PROGRAMS and (why := install_program(PROGRAMS[name])):
        return Outcome(name, f"left out: {why}")
    ended = call("make", f".venv/{name}")
    if ended.code and (found := UNREACHABLE.search(ended.text)):
        return Outcome(name, f"left out: pip cannot install its packages: {found[0].strip()}")
    return Outcome(name, "its packages are not installed", is_failed=True) if ended.code else None


def run_suite(name: str) -> Outcome:
    """Run the checks, or a suite of which everything is installed, and measure what that takes."""
    began, shown = time.monotonic(), name not in SUITES
    print(f"== {name}" if shown else f"== {name} begins", flush=True)
    ended = call("make", name, shown=shown)
    if not shown:
        print(f"== {name}\n{ended.text}", end="", flush=True)
    counts, is_passed = summarize(ended.text)
    text = counts if is_passed else f"{counts}: no test passed".lstrip(": ")
    return Outcome(name, text, bool(ended.code) or not is_passed, time.monotonic() - began, ended.cpu)


def main(names: list[str]) -> int:
    """Run these, or all; print a line for each."""
    began, wanted = time.monotonic(), names or ["check", *SUITES]
    outcomes = {name: run_suite(name) for name in wanted if name not in SUITES}
    suites = [name for name in wanted if name in SUITES]
    outcomes |= {name: outcome for name in suites if (outcome := prepare_suite(name))}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with ThreadPoolExecutor(cores) as pool:
        outcomes |= {each.name: each for each in pool.map(run_suite, [name for name in suites if name not in outcomes])}
    ordered = [outcomes[name] for name in wanted]
    is_failed = any(each.is_failed for each in ordered)
    cpu = sum(each.cpu for each in ordered)
    print()
    for each in [
        *ordered,
        Outcome("all", "failed" if is_failed else "green", seconds=time.monotonic() - began, cpu=cpu),
    ]:
        text = f"FAILED: {each.text}" if each.is_failed else each.text
        print(f"{each.name:<10}{each.seconds / 60:6.1f} min {each.cpu / 60:6.1f} of CPU   {text}")
    return int(is_failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run what CI runs, one after another, and print how long each took: `suites.py [check] [browser] [spark] ...`, or all.

A suite whose program or packages a machine cannot have is left out in one line, which is no failure. A suite of which
no test passes is one.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
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


def call(*words: str) -> tuple[int, str]:
    """Run a program, show what it prints, and give its exit code and that text."""
    lines = []
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


def install_program(program: Program) -> str:
    """Install a program from Debian's packages if it is missing; say why it cannot be had, or ""."""
    if program.is_here():
        return ""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    lacking = [each for each in ("apt-get", *root[:1]) if shutil.which(each) is None]
    if lacking or subprocess.run([*root, "true"], capture_output=True, check=False).returncode:
        return f"needs {program.title}; install it, or name one in {program.variable}"
    for words in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", program.package]):
        code, _ = call(*root, "apt-get", *words)
        if code:
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


def run_suite(name: str) -> Outcome:
    """Install what a suite needs, and run it."""
    if name in PROGRAMS and (why := install_program(PROGRAMS[name])):
        return Outcome(name, f"left out: {why}")
    if name in SUITES:
        code, text = call("make", f".venv/{name}")
        if code and (found := UNREACHABLE.search(text)):
            return Outcome(name, f"left out: pip cannot install its packages: {found[0].strip()}")
        if code:
            return Outcome(name, "its packages are not installed", is_failed=True)
    code, text = call("make", name)
    counts, is_passed = summarize(text)
    return Outcome(name, counts if is_passed else f"{counts}: no test passed".lstrip(": "), bool(code) or not is_passed)


def time_suite(name: str) -> Outcome:
    """Run a suite, and measure how long it takes."""
    print(f"== {name}", flush=True)
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = run_suite(name)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return outcome._replace(seconds=time.monotonic() - began, cpu=cpu)


def main(names: list[str]) -> int:
    """Run these, or all; print a line for each."""
    outcomes = [time_suite(name) for name in names or ("check", *SUITES)]
    outcomes.append(
        Outcome(
            "all",
            "failed" if any(each.is_failed for each in outcomes) else "green",
            seconds=sum(each.seconds for each in outcomes),
            cpu=sum(each.cpu for each in outcomes),
        )
    )
    print()
    for each in outcomes:
        mark = "FAILED: " if each.is_failed else ""
        print(f"{each.name:<10}{each.seconds / 60:6.1f} min {each.cpu / 60:6.1f} of CPU   {mark}{each.text}")
    return int(any(each.is_failed for each in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

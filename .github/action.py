"""What the action does: refuse what cannot be read before anything is installed, and call the command."""

import hashlib
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

COMMANDS = ("check", "validate")
UNTRUSTED = {"true": "1", "false": "0"}  # the input, and what fairtrec reads
USAGE = 2


def words(arguments: str) -> list[str]:
    """Take arguments apart as a shell does, but for backslashes, which are letters; one at the end of a line joins two.

    Raises ValueError for a quote that is not closed.
    """
    lexer = shlex.shlex(arguments.replace("\\\n", " "), posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", ""
    return list(lexer)


def asked() -> list[str]:
    """Read the inputs. Raises ValueError for what is missing or cannot be read."""
    command, arguments = os.environ.get("COMMAND", ""), os.environ.get("ARGUMENTS", "")
    if command not in COMMANDS:
        raise ValueError(f"the command is {command!r}; it is one of: {', '.join(COMMANDS)}")
    try:
        found = words(arguments)
    except ValueError as fault:
        raise ValueError(
            f"the arguments cannot be read ({str(fault).lower()}): {' '.join(arguments.split())}"
        ) from None
    if not found:
        raise ValueError("the arguments are empty; name what is checked, such as qrels.txt new.run")
    if (untrusted := os.environ.get("UNTRUSTED", "true")) not in UNTRUSTED:
        raise ValueError(f"untrusted is {untrusted!r}; it is true or false")
    return [command, *found]


def prepare() -> None:
    """Say where pip keeps what it fetches, and for which machine, Python and versions that is."""
    pip = [sys.executable, "-m", "pip", "cache", "dir"]
    place = subprocess.run(pip, check=True, capture_output=True, text=True).stdout.strip()
    locks = Path(__file__).parent.parent / "lock"
    required = b"".join((locks / name).read_bytes() for name in ("build.txt", "run.txt"))
    machine = f"{platform.system()}-{platform.machine()}-{platform.python_version()}"
    key = f"fairtrec-{machine}-{hashlib.sha256(required).hexdigest()[:16]}"
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"cache={place}\nkey={key}\n")


def write_summary(title: str, printed: str) -> None:
    """Add what was printed to the summary of the job."""
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        indented = "".join(f"    {line}\n" for line in printed.splitlines()[:500])
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(f"### fairtrec {title}\n\n{indented}\n")


def measure_summary() -> int:
    """Give the size of the summary of the job, 0 if there is none."""
    summary = Path(os.environ.get("GITHUB_STEP_SUMMARY", ""))
    return summary.stat().st_size if summary.is_file() else 0


def run(arguments: list[str]) -> int:
    """Call the command; what it printed stands in the summary too, if it wrote none itself."""
    command = [sys.executable, "-m", "fairtrec", *arguments]
    environment = {**os.environ, "FAIRTREC_UNTRUSTED": UNTRUSTED[os.environ.get("UNTRUSTED", "true")]}
    size = measure_summary()
    done = subprocess.run(command, check=False, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    printed = done.stdout.decode("utf-8", "replace")
    sys.stdout.write(printed)
    if measure_summary() == size:
        errors = {"check": "nothing was judged", "validate": "errors"}[arguments[0]]
        verdict = {0: "no errors", 3: errors}.get(done.returncode, f"ended with {done.returncode}")
        write_summary(f"{arguments[0]}: {verdict}", printed)
    return done.returncode


def main() -> int:
    """Do the step that is named."""
    try:
        arguments = asked()
    except ValueError as fault:
        sys.stdout.write(f"::error title=fairtrec::{fault}\n")
        write_summary("was not called", str(fault))
        return USAGE
    if sys.argv[1:] == ["prepare"]:
        prepare()
        return 0
    return run(arguments)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]  # on Windows it is not
    sys.exit(main())

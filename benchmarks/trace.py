"""How many functions one number passes, and how deep: fewer are easier to follow, and to change."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from benchmarks.timing import report

EXAMPLE = Path(__file__).parent.parent / "resources" / "example"
FUNCTION = 0x3  # of code flags: optimised, new locals; a module and the body of a class have not both


def traced(arguments: list[str]) -> tuple[dict[tuple[str, str], int], list[str]]:
    """Call the command line, and list which functions of the package it enters, each with its least depth.

    Functions that modules call while they are imported count too; comprehensions, lambdas and bodies of classes do
    not. Gives also the functions of one deepest place, outermost first.
    """
    import fairtrec

    package = f"{Path(fairtrec.__file__).parent}{os.sep}"
    entered: dict[tuple[str, str], int] = {}
    stack: list[FrameType] = []
    deepest: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(package):
            return
        if code.co_name.startswith("<") or code.co_flags & FUNCTION != FUNCTION:
            return
        if event == "return":
            if stack and stack[-1] is frame:
                stack.pop()
            return
        stack.append(frame)
        where = code.co_filename.removeprefix(package), code.co_qualname
        entered[where] = min(len(stack), entered.get(where, len(stack)))
        if len(stack) > len(deepest):
            deepest[:] = [
                f"{each.f_code.co_filename.removeprefix(package)} {each.f_code.co_qualname}" for each in stack
            ]

    from fairtrec.cli import main as command

    sys.argv = ["fairtrec", *arguments]
    sys.setprofile(note)
    try:
        command()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    return entered, deepest


COMMANDS = {
    "NFaiRR@10 from counts": [
        "eval",
        "none",
        "bm25.run",
        "--counts",
        "",
        "--background",
        "background.run",
        "-m",
        "NFaiRR@10",
    ],
    "P@2": ["eval", "qrels.txt", "bm25.run", "-m", "P@2"],
    "headroom from counts": ["headroom", "qrels.txt", "bm25.run", "--counts", "", "--background", "background.run"],
}


def figures(names: Iterable[str] = COMMANDS) -> dict[str, tuple[int, int, str]]:
    """Trace commands on the example, each in a process of its own: functions, depth, the deepest way."""
    found: dict[str, tuple[int, int, str]] = {}
    with TemporaryDirectory() as folder:
        counts = f"{folder}/counts.tsv"  # "" stands for it
        from fairtrec import make_counts  # not above: what a command imports is counted

        make_counts(EXAMPLE / "collection.tsv", "gender-en", counts, jobs=1)
        for name in names:
            line = [sys.executable, "-m", "benchmarks.trace", *(word or counts for word in COMMANDS[name])]
            beside = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
            done = subprocess.run(line, check=True, capture_output=True, text=True, cwd=EXAMPLE, env=beside)
            many, deep, way = done.stdout.splitlines()[-1].split("\t")
            found[name] = int(many), int(deep), way
    return found


def main() -> None:
    found = figures()
    for (name, (many, deep, way)), most in zip(found.items(), (110, 100, 200), strict=True):
        report(f"one run, {name}: functions entered", many, most, f"{deep} deep")
        print(f"      {way}")
    report("one run, NFaiRR@10 from counts: deepest call", found["NFaiRR@10 from counts"][1], 12, "19 at 617bc2a")


if __name__ == "__main__":
    functions, place = traced(sys.argv[1:])
    print(len(functions), len(place), " > ".join(place), sep="\t")

"""Run every command and every line of Python of README.md by the Python that runs this, in which fairtrec is installed.

It stands in for a reader: outside of the checkout, in the folder that `fairtrec demo --copy` makes.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "made"))

from fairtrec_made import pages  # noqa: E402 - the tests read pages by it, too


def main() -> int:
    """Print what failed; give how many did."""
    readme, failed = (ROOT / "README.md").read_text("utf-8"), 0
    with TemporaryDirectory() as place:
        home = {"FAIRTREC_HOME": str(Path(place, "home")), "FAIRTREC_OFFLINE": "1", "COLUMNS": "120", "PYTHONUTF8": "1"}
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | home

        def run(*words: str) -> str:
            nonlocal failed
            folder = Path(place, "example") if Path(place, "example").is_dir() else Path(place)
            command = [sys.executable, *words]
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
            )
            if done.returncode:
                failed += 1
                print(f"exit code {done.returncode}: {shlex.join(words)}\n{done.stdout}{done.stderr}", file=sys.stderr)
            return done.stdout

        demo = run("-m", "fairtrec", "demo")
        shown = re.search(r"<!-- demo -->\n```\n(.*?)```", readme, re.DOTALL)
        if shown is None or pages.unversioned(demo) != pages.unversioned(shown[1]):
            failed += 1
            print(f"README.md shows another demo than\n{demo}", file=sys.stderr)
        run("-m", "fairtrec", "demo", "--copy", "example")
        commands = [line for block in pages.blocks(readme) if not block.parsed for line in block.lines]
        for line in commands:
            words = shlex.split(line, comments=True)
            if words[0] != "fairtrec":
                failed += 1
                print(f"no command of fairtrec: {line}", file=sys.stderr)
            run("-m", *words)
        programs = pages.programs(readme)
        for program in programs:
            run("-c", program)
        print(
            f"Python {sys.version.split()[0]}: {len(commands) + 2} commands, {len(programs)} programs, {failed} failed"
        )
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())

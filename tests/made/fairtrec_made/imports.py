"""What a program imports, asked of a process of its own."""

import subprocess
import sys

from fairtrec_made import REPOSITORY

HEAVY = {
    "numpy",
    "pyarrow",
    "rich",
    "ir_measures",
    "ir_datasets",
    "pyterrier",
    "pandas",
    "scipy",
    "pytrec_eval",
    "requests",
    "torch",
    "sentence_transformers",
    "transformers",
}
PROGRAM = """
import sys
from fairtrec.cli import main
try:
    main()
except SystemExit as end:
    print(f"exit {end.code or 0}", file=sys.stderr)
print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""
SEVERAL = """
import shlex, sys
from fairtrec.cli import main
for line in sys.argv[1:]:
    sys.argv = ["fairtrec", *shlex.split(line)]
    try:
        main()
    except SystemExit as end:
        print(f"exit {end.code or 0}", file=sys.stderr)
print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""


def imported_by(program, *arguments):
    """The heavy libraries that a program imports in a process of its own, and what it wrote before."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=True)
    *errors, modules = done.stderr.splitlines()
    return HEAVY.intersection(modules.split()), errors

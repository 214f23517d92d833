"""What strangers make: a folder of files named like modules, each of which leaves a mark when it is executed; evil names."""

import json
import os
import subprocess
import sys
from importlib import metadata

EVIL = "a\x1b]0;title\x07\x1b[2J\x9bK\u202eb"  # sets a title, clears the window, clears a line, turns the text around
NAME = f"{EVIL}.run"
RAN = ".executed"
MARKING = f'open(__file__ + "{RAN}", "w").close()\n'
LAUNCHER = 'from fairtrec.cli import main\n\nif __name__ == "__main__":\n    main()\n'
WATCH = """
import json, os, sys
with open(os.environ["STARTED"], "a") as file:
    file.write(json.dumps([sys.flags.safe_path, sys.orig_argv]) + "\\n")
"""


def plant_modules(folder):
    """Name a file like each module of Python, and like each module and program of any installed package."""
    for name in {*sys.stdlib_module_names, *metadata.packages_distributions(), "sitecustomize", "usercustomize"}:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(MARKING)
    for name in ("pip", "fairtrec", "numpy", "click"):  # a folder comes before a file
        (folder / name).mkdir()
        for file in ("__init__.py", "__main__.py"):
            (folder / name / file).write_text(MARKING)
    (folder / "matplotlibrc").write_text("backend: module://random\ntext.usetex: true\n")


def executed(folder):
    """List the planted files that were executed."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob(f"*{RAN}"))


def started(program, arguments, folder, beside, **environment):
    """Run a program in a folder, with ``beside`` for what it needs; give the result and each Python that was started.

    A Python is its command line, and whether it looks for modules in the current folder.
    """
    (beside / "site").mkdir(parents=True)
    (beside / "site" / "sitecustomize.py").write_text(WATCH)
    (beside / "program.py").write_text(program)
    given = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    path = os.pathsep.join(filter(None, [str(beside / "site"), os.environ.get("PYTHONPATH")]))
    given |= {"PYTHONPATH": path, "STARTED": str(beside / "started")} | environment
    command = [sys.executable, str(beside / "program.py"), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)
    lines = (beside / "started").read_text().splitlines()
    return done, [(words, bool(safe)) for safe, words in map(json.loads, lines)]

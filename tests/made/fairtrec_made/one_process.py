"""Many command lines in one process of its own, which imports a copy of the package, or is to be seen from outside."""

import json
import os
import subprocess
import sys

_PROGRAM = """\
import contextlib, io, json, os, sys
from fairtrec import cli

found = {}
for name, (arguments, environment) in json.loads(sys.argv[1]).items():
    sys.argv = ["fairtrec", *arguments]
    os.environ.pop("_FAIRTREC_COMPLETE", None)
    os.environ.update(environment)
    out, err = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    found[name] = code, *(each.buffer.getvalue().decode() for each in (out, err))
print(json.dumps(found))
"""


def printed(lines, folder, *path, **environment):
    """Call fairtrec with lists of arguments, by name, in a folder: the exit code, and what is printed and said.

    Lines are called in their order; one may be a list and what is put into the environment for it. ``path`` is where
    Python looks for packages first.
    """
    asked = {name: line if isinstance(line, tuple) else (line, {}) for name, line in lines.items()}
    beside = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PROGRAM, json.dumps(asked)],
        cwd=folder, env=beside, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

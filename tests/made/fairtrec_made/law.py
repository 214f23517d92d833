"""The law of hostile input: a promised exit code, one clear line, no traceback, and no file but those that were named."""

import hashlib
import os
import re
from pathlib import Path

from fairtrec_made.limits import ends_within

LONGEST = 60  # seconds of one command
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")


def draws(few, share=1):
    """Tell how many cases a test draws: a few, or such a share of those that FAIRTREC_FUZZ asks for."""
    return int(int(os.environ.get("FAIRTREC_FUZZ", "0")) * share) or few


def files_of(folder):
    """Give the sha256 of each file below a folder."""
    every = (
        Path(top, name)
        for top, _, names in os.walk(os.fsencode(folder).decode("utf-8", "surrogateescape"))
        for name in names
    )
    return {
        os.fspath(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in every
        if path.is_file()
    }


def hold(run, arguments, folder, outputs=(), codes=(0, 1, 2, 3, 4)):
    """Run a command, and hold it to the law: of the files below the folder only outputs are new or others than before."""
    before = files_of(folder)
    with ends_within(LONGEST):
        ended = run(*arguments)
    what = (arguments, ended.code, ended.err[:1000], ended.out[:300])
    assert ended.code in codes, what
    assert "fairtrec has a fault" not in ended.err, what
    assert "Traceback" not in ended.err + ended.out, what
    assert not CONTROLS.search(ended.err), what
    if ended.code > 1 and "validate" not in arguments:
        complaints = ended.complaints or ended.err.splitlines()[-1:]  # about a file whose name begins as notes do
        usage = [line for line in complaints if line.startswith("Error: ")] if ended.err.startswith("Usage: ") else []
        assert len(usage or complaints) == 1, what
    after = files_of(folder)
    written = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert not {path for path in written if not path.startswith(tuple(outputs) or "\0")}, (what, written)
    return ended

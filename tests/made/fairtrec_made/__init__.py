"""What tests of several rooms share: where the repository is, and modules of what they make."""

import gc
import os
from pathlib import Path

from fairtrec.support.notes import NoteKind, NoteSeverity

REPOSITORY = Path(__file__).parents[3]
EXAMPLE = REPOSITORY / "resources" / "example"
THOROUGH = bool(os.environ.get("FAIRTREC_THOROUGH"))  # as `make slow` asks: every law is tried many more times


def ended():
    """Call ``fairtrec`` with sys.argv in this process, which goes on; give the exit code."""
    import pytest  # which scripts that read pages need not have

    from fairtrec import cli

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        with pytest.raises(SystemExit) as end:
            cli.main()
    return end.value.code


def notes_of(*texts, severity=NoteSeverity.INPUT):
    """Make notes of any texts."""
    return [NoteKind("any", "{text}", severity).note(text=text) for text in texts]


def texts(notes):
    """The texts of notes, in a tuple or list as they are."""
    return type(notes)(map(str, notes))


def unwrapped(text):
    """Join the lines of a report that go on with an indent of two to the line above."""
    lines = []
    for line in text.split("\n"):
        goes_on = line.startswith("  ") and line[2:3].strip() and lines and lines[-1][:1].strip()
        if goes_on:
            lines[-1] += line[1:]
        else:
            lines.append(line)
    return "\n".join(lines)

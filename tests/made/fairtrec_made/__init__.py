"""What tests of several rooms share: where the repository is, and modules of what they make."""

import gc
import os
from pathlib import Path

from fairtrec.support.notes import NoteKind, NoteSeverity

REPOSITORY = Path(__file__).parents[3]
EXAMPLE = REPOSITORY / "resources" / "example"
THOROUGH = "FAIRTREC_THOROUGH" in os.environ  # as `make slow` asks: every law is tried many more times


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

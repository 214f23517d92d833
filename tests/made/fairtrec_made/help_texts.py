"""The help of a command as a terminal shows it, and the options under each title."""

import re
from contextlib import redirect_stdout
from io import StringIO

import pytest

from fairtrec.cli import command


def shown(columns, *path):
    """What --help prints in a terminal of so many columns."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.setenv("COLUMNS", str(columns))
        command.main([*path, "--help"], prog_name="fairtrec", standalone_mode=False)
    return printed.getvalue()


def sections(text):
    """Which options stand under which title."""
    parts = re.split(r"^(\w+):\n", text, flags=re.MULTILINE)[1:]
    return {
        title: re.findall(r"^  (-\S+?)(?:,| |$)", rows, re.MULTILINE)
        for title, rows in zip(parts[::2], parts[1::2], strict=True)
    }

"""Files that are opened: what they may not be, and of endless lines only the start."""

import io
from pathlib import Path

import pytest

from fairtrec.support.files.whole_lines import PIECE, Lines

pytestmark = pytest.mark.usefixtures("few_files")


def test_of_a_line_without_an_end_only_the_start_is_kept():
    text = b"a" * (3 * PIECE + 7) + b"\nb\n"
    lines = Lines(io.BufferedReader(io.BytesIO(text), 1), 10, 100)
    kept = b"".join(lines)
    assert kept.endswith(b"\nb\n")
    assert 100 < len(kept) < len(text)
    assert lines.damage == ""


@pytest.mark.parametrize(("patched", "code"), [("open", 3), ("iterdir", 3)])
def test_what_may_not_be_read_is_told(monkeypatch, fairtrec_command, patched, code):
    Path("runs").mkdir()

    def refuse(path, *_):
        if "resources" in Path(path).parts:  # bundled names are looked up first
            return Path(path).open("rb")
        raise PermissionError(13, "Permission denied")

    if patched == "open":
        monkeypatch.setattr("fairtrec.support.files.opening.open_file", refuse)
    else:
        monkeypatch.setattr(Path, patched, refuse)
    done = fairtrec_command("eval", "qrels", "run" if patched == "open" else "runs", "-m", "RR")
    assert done.code == code
    (line,) = done.complaints
    assert "may not be read; change its permissions" in line

"""``validate`` comes to an end where what it reads has none."""

import os
import threading
from contextlib import suppress

import pytest

from fairtrec.commands.validate.entries import read
from fairtrec.commands.validate.findings import Findings

pytestmark = pytest.mark.fuzz


@pytest.mark.parametrize("piece", [b"nothing of a run\n" * 100, b"a \xff b \xff c \xff\n" * 100])
def test_a_stream_of_which_no_line_is_of_a_run_is_not_read_for_ever(tmp_path, monkeypatch, piece):
    monkeypatch.setattr("fairtrec.support.files.opening.BLOCK", 1 << 12)
    monkeypatch.setattr("fairtrec.support.files.whole_lines.PIECE", 1 << 10)
    pipe, done = str(tmp_path / "pipe"), threading.Event()
    os.mkfifo(pipe)

    def pour():
        with suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:  # noqa: PTH123
            file.writelines(piece for _ in range(10_000))
        done.set()

    threading.Thread(target=pour, daemon=True).start()
    found = Findings()
    read(pipe, found)
    assert any("lines of this stream are not of a run; pass a file" in each.message for each in found.kept)
    assert found.many["E101"] == 1
    assert done.wait(10)

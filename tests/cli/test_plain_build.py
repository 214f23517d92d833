"""A terminal is told once that the compiled part is missing, if a run is large."""

import sys

import pytest

from fairtrec.cli import runs
from fairtrec.support import compiled


class Terminal:
    def isatty(self):
        return True


@pytest.fixture
def told(monkeypatch):
    lines = []
    monkeypatch.setattr(runs, "write_stderr", lines.append)
    return lines


def written(folder, size):
    with (folder / "a.run").open("wb") as file:
        file.truncate(size)
    return [str(folder / "a.run"), str(folder / "none.run"), str(folder / "a.run")]


def test_a_large_run_without_the_compiled_part(tmp_path, monkeypatch, told):
    monkeypatch.setattr(compiled, "extension", None)
    runs.note_plain_build(written(tmp_path, runs.LARGE))
    assert told == []  # no terminal
    monkeypatch.setattr(sys, "stderr", Terminal())
    runs.note_plain_build(written(tmp_path, runs.LARGE - 1))
    assert told == []
    runs.note_plain_build(written(tmp_path, runs.LARGE))
    assert told == [runs.PLAIN]


def test_with_the_compiled_part_nothing_is_said(tmp_path, monkeypatch, told):
    monkeypatch.setattr(compiled, "extension", object())
    monkeypatch.setattr(sys, "stderr", Terminal())
    runs.note_plain_build(written(tmp_path, runs.LARGE))
    assert told == []

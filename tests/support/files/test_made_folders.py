"""Folders that are made for what is written."""

from pathlib import Path

import pytest

from fairtrec.support.files.atomic import make_folder


def test_a_folder_that_another_process_makes_meanwhile_is_there(tmp_path, monkeypatch):
    make = Path.mkdir

    def make_twice(self, *arguments, **given):
        make(self, *arguments, **given)
        make(self, *arguments, **given)

    monkeypatch.setattr(Path, "mkdir", make_twice)
    with make_folder(tmp_path / "a" / "b", parents=True):
        (tmp_path / "a" / "b" / "c").write_text("")
    assert (tmp_path / "a" / "b" / "c").exists()


def test_a_file_in_the_place_of_a_folder_is_a_fault(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(FileExistsError), make_folder(tmp_path / "a"):
        pass

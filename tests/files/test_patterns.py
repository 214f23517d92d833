"""A pattern stands for all files that match, whatever they are called."""

import shutil

import pytest


@pytest.fixture
def submissions(tmp_path, example, monkeypatch):
    """Two runs, and a broken file."""
    monkeypatch.chdir(tmp_path)
    for name in ("bm25", "fair"):
        shutil.copy(example / f"{name}.run", tmp_path)
    (tmp_path / "wrong.run").write_text("no run\n")
    return tmp_path


def test_a_file_named_like_the_pattern_hides_no_other(submissions, fairtrec_command):
    shutil.copy(submissions / "bm25.run", submissions / "*.run")
    ended = fairtrec_command("validate", "*.run")
    assert ended.code == 3
    assert "wrong.run:1:" in ended.out
    assert all(f"\n{name}: " in ended.out for name in ("bm25.run", "fair.run", "wrong.run"))


def test_a_file_whose_name_has_signs_of_a_pattern_is_found(submissions, fairtrec_command):
    shutil.copy(submissions / "bm25.run", submissions / "run[1].run")
    assert "run[1].run: 0 errors" in fairtrec_command("validate", "run[1].run").out

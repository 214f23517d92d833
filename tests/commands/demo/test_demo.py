"""The bundled example: evaluated by one command, and copied whole or not at all."""

import pytest

from fairtrec_made import EXAMPLE


def test_a_copy_is_the_example(fairtrec_command, tmp_path):
    done = fairtrec_command("demo", "--copy", str(tmp_path / "mine"))
    assert (done.code, done.out) == (0, "")
    assert "fairtrec eval qrels.txt bm25.run" in done.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "mine").iterdir()} == {
        path.name: path.read_bytes() for path in EXAMPLE.iterdir()
    }
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_copy_fills_the_empty_folder_that_a_shell_stands_in(fairtrec_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    done = fairtrec_command("demo", "--copy", ".")
    assert (done.code, done.err) == (0, ". holds the example; try: fairtrec eval qrels.txt bm25.run -m nDCG@10\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in EXAMPLE.iterdir())
    assert tmp_path.stat().st_ino == before
    assert fairtrec_command("eval", "qrels.txt", "bm25.run", "-m", "nDCG@10").code == 0


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("", "is not empty; choose another, or add --force"),
        ("mine", "is a file; name a folder"),
        ("no/folder", "there is no folder"),
    ],
)
def test_a_copy_goes_nowhere_else(fairtrec_command, tmp_path, target, what):
    (tmp_path / "mine").write_text("mine")
    done = fairtrec_command("demo", "--copy", str(tmp_path / target))
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_a_copy_is_written_into_a_folder_that_is_not_empty_by_force(fairtrec_command, tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "qrels.txt").write_text("old")
    assert fairtrec_command("demo", "--copy", str(tmp_path), "--force").code == 0
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "qrels.txt").read_bytes() == (EXAMPLE / "qrels.txt").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["mine", *(path.name for path in EXAMPLE.iterdir())]
    )

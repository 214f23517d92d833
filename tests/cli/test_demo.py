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


@pytest.mark.parametrize(("target", "what"), [("", "is there already"), ("no/folder", "there is no folder")])
def test_a_copy_goes_nowhere_else(fairtrec_command, tmp_path, target, what):
    done = fairtrec_command("demo", "--copy", str(tmp_path / target))
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert list(tmp_path.iterdir()) == []

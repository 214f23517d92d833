"""A file is written whole or not at all, and what stood there stays until then."""

import pytest

from fairtrec.files.atomic import replaced


@pytest.mark.parametrize("synced", [False, True])
def test_it_is_replaced_when_all_is_written(tmp_path, synced):
    path = tmp_path / ("x" * 255)  # as long as a name may be
    path.write_text("old")
    with replaced(path, synced=synced) as part:
        part.write_text("new")
        assert path.read_text() == "old"
        assert part.parent == path.parent  # a move between file systems would not be all or nothing
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_what_stood_there(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("old")

    def stopped():
        with replaced(path) as part:
            part.write_text("ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_at_a_time_do_not_meet(tmp_path):
    with replaced(tmp_path / "a") as one, replaced(tmp_path / "b") as other:
        one.write_text("1")
        other.write_text("2")
    assert (tmp_path / "a").read_text() + (tmp_path / "b").read_text() == "12"

"""A file is written whole or not at all, and what stood there stays until then."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fairtrec.support.files.atomic import replace_file, replace_folder

pytestmark = pytest.mark.fuzz


@pytest.mark.parametrize("synced", [False, True])
def test_it_is_replaced_when_all_is_written(tmp_path, synced):
    path = tmp_path / ("x" * 255)  # as long as a name may be
    path.write_text("old")
    with replace_file(path, synced=synced) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_what_stood_there(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("old")

    def stopped():
        with replace_file(path) as part:
            part.write_text("ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_at_a_time_do_not_meet(tmp_path):
    with replace_file(tmp_path / "a") as one, replace_file(tmp_path / "b") as other:
        one.write_text("1")
        other.write_text("2")
    assert (tmp_path / "a").read_text() + (tmp_path / "b").read_text() == "12"


def test_what_is_written_is_on_the_same_disk(tmp_path):
    with replace_file(tmp_path / "a") as part:
        part.write_text("new")
        assert part.stat().st_dev == tmp_path.stat().st_dev  # else a move would not be all or nothing


@pytest.fixture(params=["unnamed", "named"])
def way(request, monkeypatch):
    """The two ways to write: without a name where the system can do so, else with one."""
    if request.param == "named":
        monkeypatch.setattr("fairtrec.support.files.atomic.unnamed", lambda _: None)


@pytest.mark.usefixtures("way")
def test_permissions_stay_and_links_are_replaced(tmp_path):
    path, other, fresh = tmp_path / "a", tmp_path / "other", tmp_path / "fresh"
    for file, mode in ((path, 0o600), (other, 0o444)):
        file.write_text("old")
        file.chmod(mode)
    link = tmp_path / "link"
    link.symlink_to(other)
    before = os.umask(0o022)
    try:
        for place in (path, link, fresh):
            with replace_file(place) as part:
                part.write_text("new")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(each.lstat().st_mode) for each in (path, link, fresh)] == [0o600, 0o444, 0o644]
    assert [each.read_text() for each in (path, link, fresh, other)] == ["new", "new", "new", "old"]
    assert not link.is_symlink()


KILLED = """
import os, sys
from pathlib import Path
from fairtrec.support.files import atomic
if sys.argv[1] == "named":
    atomic.unnamed = lambda _: None
with getattr(atomic, sys.argv[2])(Path("out")) as part:
    (part / "x" if part.is_dir() else part).write_text("half")
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("where", ["unnamed", "named"])
@pytest.mark.parametrize("what", ["replace_file", "make_scratch_folder", "replace_folder"])
def test_a_process_that_is_killed_leaves_nothing_for_long(tmp_path, monkeypatch, where, what):
    done = subprocess.run([sys.executable, "-c", KILLED, where, what], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    left = list(tmp_path.iterdir())
    assert len(left) == (where == "named" or what != "replace_file")
    for each in left:
        os.utime(each, (0, 0))
    monkeypatch.setattr("fairtrec.support.files.atomic.unnamed", lambda _: None)
    with replace_file(tmp_path / "out") as part, replace_file(tmp_path / "other") as busy:
        os.utime(part, (0, 0))  # which another one does not take for a rest, however old it is
        busy.write_text("1")
        part.write_text("2")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other", "out"]


def test_the_new_folder_stands_before_the_old_one_goes(tmp_path, monkeypatch):
    path, removed = tmp_path / "models", []
    path.mkdir()
    (path / "old").write_text("")

    def interrupted(folder, **how):
        if not removed:
            removed.append([each.name for each in path.iterdir()])
            raise KeyboardInterrupt
        remove(folder, **how)

    remove = shutil.rmtree
    monkeypatch.setattr("shutil.rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), replace_folder(path) as part:
        (part / "new").write_text("")
    assert removed == [["new"]]
    assert [each.name for each in tmp_path.iterdir()] == ["models"]


def test_an_error_between_the_two_folders_brings_the_old_one_back(tmp_path, monkeypatch):
    path = tmp_path / "models"
    path.mkdir()
    (path / "old").write_text("")
    rename = Path.rename

    def interrupted(self, target):
        if self.name.endswith(".part"):
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr("pathlib.Path.rename", interrupted)
    with pytest.raises(KeyboardInterrupt), replace_folder(path) as part:
        (part / "new").write_text("")
    assert [each.name for each in path.iterdir()] == ["old"]
    assert [each.name for each in tmp_path.iterdir()] == ["models"]

"""Counting that is interrupted, disturbed, or told to write where it cannot: one line, and nothing of no use is left."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest

from fairtrec.counting.local import engine, part, tasks
from fairtrec.counting.local.engine import CountingOptions, count_collection
from fairtrec.data import GroupTerms
from fairtrec.support.errors import InputError, UsageError

pytestmark = pytest.mark.fuzz

TERMS = GroupTerms("terms.csv", {"f": ("she",), "m": ("he",)}, "ab" * 32)
LINES = [b"d%d\tshe said that he knew %d\n" % (i, i) for i in range(4000)]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tasks, "SIZE", 1 << 14)
    (tmp_path / "c.tsv").write_bytes(b"".join(LINES))
    (tmp_path / "g").write_text("she,f\nhe,m\n")
    return tmp_path


def run(folder, name="c.tsv", **options):
    return count_collection([folder / name], TERMS, folder / "o.arrow", CountingOptions(jobs=1, **options))


def interrupted(folder, monkeypatch, name="c.tsv"):
    """Count some of a collection."""
    count, left = part.CountingWork.count_task, iter(range(4))

    def counting(*arguments):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return count(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(part.CountingWork, "count_task", counting)
        with pytest.raises(KeyboardInterrupt):
            run(folder, name)
    return folder / "o.arrow.parts" / "manifest.jsonl"


HEAD = object()  # in the place of the first line of the record
DAMAGED = {
    "a list": b"[1]\n",
    "no JSON": b"{\n",
    "not UTF-8": b"\xff\n",
    "a NUL": b"\0\n",
    "nested deeply": b"[" * 100_000 + b"\n",
    "a list behind": (HEAD, b"[1]\n"),
    "other keys": (HEAD, b'{"numbers": 1}\n'),
    "other types": (HEAD, b'{"number": "1", "origin": 0}\n'),
    "a source that is not there": (HEAD, b'{"number": 1, "origin": 7}\n'),
    "a number below 0": (HEAD, b'{"number": 1, "origin": 0, "lines": -1}\n'),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_is_one_line_and_force_begins_anew(workplace, monkeypatch, text):
    manifest = interrupted(workplace, monkeypatch)
    if isinstance(text, tuple):
        text = manifest.read_bytes().splitlines(keepends=True)[0] + text[1]
    manifest.write_bytes(text)
    with pytest.raises(InputError, match=r"manifest.jsonl:[12]: .*; the record of an unfinished run is damaged"):
        run(workplace, resume=True)
    assert run(workplace, force=True).meta.rows == len(LINES)


def test_a_record_that_is_a_folder(workplace, monkeypatch):
    manifest = interrupted(workplace, monkeypatch)
    manifest.unlink()
    manifest.mkdir()
    with pytest.raises(InputError, match="is damaged"):
        run(workplace, resume=True)
    assert run(workplace, force=True).meta.rows == len(LINES)


@pytest.mark.parametrize("options", [{}, {"resume": True}, {"force": True}])
@pytest.mark.parametrize("kind", ["file", "dangling link", "link to a folder"])
def test_the_name_of_the_parts_is_taken(workplace, kind, options):
    folder = workplace / "o.arrow.parts"
    if kind == "file":
        folder.write_text("mine")
    else:
        (workplace / "there").mkdir() if kind == "link to a folder" else None
        folder.symlink_to("there")
    with pytest.raises(UsageError, match="is not a folder, and the parts of the table go there"):
        run(workplace, **options)
    assert folder.is_symlink() or folder.read_text() == "mine"


def test_a_source_changed_in_the_middle_is_noticed_on_resume(workplace, monkeypatch):
    (workplace / "c.tsv").write_bytes(b"d\t" + b"x" * (1 << 22) + b"\n" + b"".join(LINES))
    interrupted(workplace, monkeypatch)
    with (workplace / "c.tsv").open("r+b") as file:  # behind the first MiB, and before the last
        file.seek(5 << 19)
        file.write(b"he  ")
    with pytest.raises(UsageError, match="holds a run that differs in: sources; "):
        run(workplace, resume=True)


def test_a_source_changed_while_it_is_counted(workplace):
    def watch(_):
        os.utime(workplace / "c.tsv", (1, 1))

    with pytest.raises(InputError, match=r"c.tsv: this file was changed while it was counted"):
        count_collection([workplace / "c.tsv"], TERMS, workplace / "o.arrow", CountingOptions(jobs=1), watch)
    assert not list(workplace.glob("o.arrow*"))


def test_a_source_cut_short_while_it_is_read_does_not_hang(workplace):
    def watch(_):
        os.truncate(workplace / "c.tsv", 100)

    def count():
        with pytest.raises(InputError, match=r"c.tsv: this file was cut short while it was counted"):
            count_collection([workplace / "c.tsv"], TERMS, workplace / "o.arrow", CountingOptions(jobs=1), watch)
        ended.append(True)

    ended = []
    thread = threading.Thread(target=count, daemon=True)  # which ends with the tests, if it does not end
    thread.start()
    thread.join(60)
    assert ended
    assert not list(workplace.glob("o.arrow*"))


def test_a_source_that_vanishes(workplace):
    def watch(_):
        (workplace / "c.tsv").unlink(missing_ok=True)

    with pytest.raises(InputError, match=r"c.tsv: reading failed \(No such file or directory\); was it moved"):
        count_collection([workplace / "c.tsv"], TERMS, workplace / "o.arrow", CountingOptions(jobs=1), watch)
    assert not list(workplace.glob("o.arrow*"))


@pytest.mark.parametrize(
    "options", [{}, pytest.param({"resume": True}, marks=pytest.mark.slow), {"force": True}], ids=" ".join
)
def test_two_at_once_to_one_output(workplace, options):
    seen = []

    def watch(_):
        if not seen:
            program = "import sys; from fairtrec import cli; sys.argv[0] = 'fairtrec'; cli.main()"
            given = ["counts", "make", "c.tsv", "--terms", "g", "-o", "o.arrow", "-j", "1"]
            more = [f"--{name}" for name in options]
            seen.append(
                subprocess.run(
                    [sys.executable, "-c", program, *given, *more], capture_output=True, text=True, check=False
                )
            )

    done = count_collection([workplace / "c.tsv"], TERMS, workplace / "o.arrow", CountingOptions(jobs=1), watch)
    assert done.meta.rows == len(LINES)
    assert seen[0].returncode == 2
    start = f"process {os.getpid()} on "
    assert seen[0].stderr.startswith(start), seen[0].stderr
    assert "counts into o.arrow.parts; wait until it is done, or give another -o" in seen[0].stderr
    assert not (workplace / "o.arrow.parts").exists()


def test_a_damaged_gz_leaves_nothing_of_no_use(workplace):
    text = gzip.compress(b"".join(LINES), 1)
    (workplace / "c.gz").write_bytes(text[: len(text) // 2])
    with pytest.raises(InputError, match=r"c.gz:[0-9]+: the compressed data is cut off or damaged"):
        run(workplace, "c.gz")
    assert not list(workplace.glob("o.arrow*"))


def test_a_document_that_stands_twice_leaves_nothing_of_no_use(workplace):
    (workplace / "c.tsv").write_bytes(b"".join([*LINES, LINES[0]]))
    with pytest.raises(InputError, match=r"c.tsv:4001: document d0 appears twice"):
        run(workplace)
    assert not list(workplace.glob("o.arrow*"))


def test_what_is_interrupted_can_go_on_and_says_who_it_is(workplace, monkeypatch):
    manifest = interrupted(workplace, monkeypatch)
    assert (manifest.parent / "owner").read_text().startswith(f"process {os.getpid()} on ")
    assert json.loads(manifest.read_bytes().splitlines()[0])["sources"][0]["changed"] > 0
    assert run(workplace, resume=True).resumed > 0


@pytest.mark.parametrize("output", ["c.tsv", "link.tsv", "g"])
def test_the_output_is_one_of_what_is_read(workplace, fairtrec_command, output):
    shutil.copy("g", "g.tsv")
    (workplace / "link.tsv").hardlink_to("c.tsv")
    name = "g.tsv" if output == "g" else output
    ended = fairtrec_command("counts", "make", "c.tsv", "--terms", "g.tsv", "-o", name, "--force", "-j", "1")
    assert (ended.code, ended.complaints) == (2, [f"the output {name} is also read; choose another with -o"])
    assert (workplace / "c.tsv").read_bytes() == b"".join(LINES)


def test_a_folder_in_which_nothing_can_be_made(workplace, fairtrec_command):
    ended = fairtrec_command("counts", "make", "c.tsv", "--terms", "g", "-o", "/proc/o.arrow", "-j", "1")
    assert ended.code == 2
    assert len(ended.complaints) == 1
    assert "/proc" in ended.complaints[0]


@pytest.mark.parametrize("name", ["x" * 300 + ".arrow", "x/" * 3000 + "o.arrow"])
def test_a_name_too_long_for_an_output(workplace, fairtrec_command, name):
    assert fairtrec_command("counts", "make", name, "--terms", "g", "-o", "o.arrow", "-j", "1").code == 3
    for command in (["counts", "make", "c.tsv", "--terms", "g", "-j", "1"], ["eval", "none", "c.tsv"]):
        ended = fairtrec_command(*command, "-o", name)
        assert ended.code == 2
        assert len(ended.complaints) == 1
        assert ended.complaints[0].startswith("cannot write x")


def test_an_output_with_a_nul(workplace):
    with pytest.raises(UsageError, match="cannot write"):
        engine.refuse_existing(workplace / "a\0b" / "o.arrow", force=False)

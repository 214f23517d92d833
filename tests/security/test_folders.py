"""A command that is refused, or cannot write, leaves no folder and no part of its files."""

import errno
import hashlib
import os

import pytest

from fairtrec.support.files import atomic
from fairtrec_made.command_trials import gather_trials

PAGE = """{"page_id": 1, "qual_cat": "B", "gender": ["female"], "page_subcont_regions": ["Western Africa"], \
"source_subcont_regions": {"Western Africa": 1}}
"""
REFUSED = gather_trials("REFUSED_OUTPUTS", {
    "spread": "eval qrels.txt bad.run bm25.run -m nDCG@10 --spread -o new/",
    "repair": "validate bad.run --fix new/",
    "demo": "demo --copy no-such/new",
    "counts": "counts make bad.jsonl --terms gender-en -o new.arrow",
})  # fmt: skip


@pytest.fixture
def folder(copied):
    (copied / "pages.json").write_text(f'{PAGE}{{"page_id": 2}}\n')
    (copied / "good.json").write_text(PAGE)
    (copied / "bad.jsonl").write_text('{"id": 1, "rel_docs": [1]}\nnot JSON\n')
    (copied / "bad.run").write_text("101 Q0 p001 1 1.0 t\n101 Q0 p001\n")
    (copied / "old").mkdir()
    (copied / "old" / "gender.tsv").write_text("mine\n")
    return copied


def list_files(folder):
    return {path: path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.parametrize("name", REFUSED)
def test_a_command_that_is_refused_leaves_nothing(folder, fairtrec_command, name):
    before = list_files(folder)
    done = fairtrec_command(*REFUSED[name].split())
    assert done.code in (1, 2, 3), done.err
    assert list_files(folder) == before


WRITING = gather_trials("FAILING_OUTPUTS", {
    "spread": "eval qrels.txt fair.run bm25.run -m nDCG@10 --spread -o new/",
    "repair": "validate fair.run bm25.run --fix new/",
    "resource": "resources add own.toml",
})  # fmt: skip


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("name", WRITING)
def test_a_command_that_cannot_write_leaves_no_folder(folder, fairtrec_command, monkeypatch, name, number):
    """The first file cannot be opened in the new folder, as on a full disk."""
    names = ("title", "source", "license", "citation", "language", "format")
    digest = "kind = 'queryset'\ncount = 12\nfile = 'queries.tsv'\nsha256 = '{}'\n".format(
        hashlib.sha256((folder / "queries.tsv").read_bytes()).hexdigest()
    )
    (folder / "own.toml").write_text(digest + "".join(f"{each} = 'x'\n" for each in names))
    before = list_files(folder.parent)

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic, "unnamed", refuse)
    done = fairtrec_command(*WRITING[name].split())
    assert done.code in (2, 3, 4), done.err
    assert len(done.complaints) == 1
    assert list_files(folder.parent) == before


def test_a_folder_that_is_written_to_stays(tmp_path):
    with atomic.make_folder(tmp_path / "a" / "b", parents=True):
        (tmp_path / "a" / "b" / "file").write_text("x")
    assert (tmp_path / "a" / "b" / "file").is_file()
    (tmp_path / "empty").mkdir()
    with atomic.make_folder(tmp_path / "empty"):
        pass
    assert (tmp_path / "empty").is_dir()  # it was there before


@pytest.mark.parametrize("is_there", [True, False])
def test_force_without_a_folder_of_the_spread_says_how_to_name_one(folder, fairtrec_command, is_there):
    if is_there:
        (folder / "sp").write_text("mine")
    done = fairtrec_command(
        *["eval", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG@10", "--spread", "-o", "sp", "--force"]
    )
    what = "--force is for a folder of --spread, and sp names a file"
    assert (done.code, done.complaints) == (2, [f"{what}; write -o sp/ for a folder, or leave out --force"])
    assert (
        fairtrec_command(*["eval", "qrels.txt", "bm25.run", "fair.run", "-m", "nDCG@10", "--spread", "-o", "sp"]).code
        == 0
    )
    assert (folder / "sp").is_file()

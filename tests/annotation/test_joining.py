"""Pieces that several processes make come to stand behind each other in one file, in whatever order they are done."""

import errno
import os
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.annotation.substitution import joining
from fairtrec.annotation.substitution.joining import Desk, Left, Share, Shared
from fairtrec.files.atomic import streamed, unnamed

PIECES = [[b"one\n", b"two\n"], [], [b"x" * 3_000_000, b"\n"], [b"three\n"], [b"", b"4\n"], [b"five\n"]]
WHOLE = b"".join(b"".join(blocks) for blocks in PIECES)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    descriptor = unnamed(tmp_path)
    if descriptor is None:
        pytest.skip("there are no files without a name here")
    os.close(descriptor)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sizes")


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_a_piece_has_its_place_once_all_before_it_are_known(folder, sizes, random):
    """Whatever the order in which they are done, and whichever process knows how much."""
    descriptor = unnamed(folder)
    place = f"/proc/self/fd/{descriptor}"
    shares = [Share(Shared(os.devnull, place)) for _ in range(3)]
    starts = [0, *accumulate(sizes)]
    order = list(range(len(sizes)))
    random.shuffle(order)
    done = set()
    for number in order:
        start = random.choice(shares).noted(number, sizes[number])
        assert start == (starts[number] if done.issuperset(range(number)) else None)
        done.add(number)
    os.close(descriptor)


def joined(order, **options):
    """What is in the output once the pieces are done in some order by two processes, and how each of them came there."""
    with streamed(Path("o")) as file:
        desk = Desk(file, Path(), is_shared=True, **options)
        shares = [Share.of(desk.shared) for _ in range(2)]
        places = [desk.place() for _ in PIECES]
        done = {number: shares[number % 2].left(number, PIECES[number], places[number]) for number in order}
        for number, place in enumerate(places):
            desk.clear(place, done[number])
        assert len(desk.free) == len(PIECES)
        desk.close()
    return Path("o").read_bytes(), [done[number].in_place for number in range(len(PIECES))]


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (1, 0, 2, 5, 4, 3)])
def test_pieces_are_written_where_they_belong_or_copied_there(order, monkeypatch):
    monkeypatch.setattr(joining, "STEP", 5)
    whole, in_place = joined(order)
    assert whole == WHOLE
    assert in_place == [all(order.index(before) < order.index(number) for before in range(number)) for number in range(6)]  # fmt: skip
    assert sorted(path.name for path in Path().iterdir()) == ["o"]


def refuse(number):
    def refusing(*_):
        raise OSError(number, os.strerror(number))

    return refusing


def test_where_the_system_does_not_copy_by_itself(monkeypatch):
    monkeypatch.setattr(os, "sendfile", refuse(errno.EINVAL))
    monkeypatch.setattr(os, "posix_fadvise", refuse(errno.EINVAL))
    monkeypatch.setattr(joining, "STEP", 1)
    assert joined((5, 4, 3, 2, 1, 0))[0] == WHOLE


def test_a_disk_that_is_full_is_told(monkeypatch):
    monkeypatch.setattr(os, "sendfile", refuse(errno.ENOSPC))
    with pytest.raises(OSError, match="No space left"):
        joined((5, 4, 3, 2, 1, 0))
    assert list(Path().iterdir()) == []


def test_a_file_that_was_cut_short_is_no_endless_copy():
    Path("a").write_bytes(b"1234")
    with Path("a").open("rb") as source, Path("b").open("wb") as target, pytest.raises(OSError, match="cut short"):
        joining.copied(source.fileno(), target.fileno(), 5)


def test_what_cannot_be_reached_is_handed_over():
    """By a process that may not open the files of the first, or has no place to leave a piece."""
    assert Share.of(None) is None
    assert Share.of(Shared("/proc/self/fd/none", "/proc/self/fd/none")) is None
    with streamed(Path("o")) as file:
        desk = Desk(file, Path(), is_shared=True)
        share = Share.of(desk.shared)
        second = share.left(1, [b"two\n"], "")
        first = share.left(0, [b"one\n"], "")
        assert (first, second) == (Left(4, in_place=True), None)
        desk.clear("", first)
        desk.clear("", [b"two\n"])
        desk.close()
    assert Path("o").read_text() == "one\ntwo\n"


def test_pieces_are_handed_over_where_files_have_names(monkeypatch):
    monkeypatch.setattr("fairtrec.files.atomic.unnamed", lambda _: None)
    with streamed(Path("o")) as file:
        desk = Desk(file, Path(), is_shared=True)
        assert (desk.shared, desk.place()) == (None, "")
        desk.clear("", [b"one\n"])
        desk.close()
    assert Path("o").read_text() == "one\n"


def test_nothing_is_shared_by_one_process():
    with streamed(Path("o")) as file:
        desk = Desk(file, Path(), is_shared=False)
        assert desk.shared is None
        desk.close()


@pytest.mark.parametrize("end", ["", ".gz"])
def test_two_processes_write_what_one_writes(end, monkeypatch):
    """In their own processes; a piece that is compressed is the same whoever makes it."""
    monkeypatch.setattr("fairtrec.annotation.local.tasks.BLOCK", 1 << 14)
    monkeypatch.setattr("fairtrec.annotation.local.tasks.SIZE", 1 << 16)
    Path("c.tsv").write_text("".join(f"{i}\tshe met {'x' * (i % 300)} him\n" for i in range(4000)))
    for jobs in (1, 2):
        fairtrec.counterfactual("c.tsv", [("she", "he"), ("her", "him")], f"{jobs}.tsv{end}", jobs=jobs)
    assert Path(f"1.tsv{end}").read_bytes() == Path(f"2.tsv{end}").read_bytes()

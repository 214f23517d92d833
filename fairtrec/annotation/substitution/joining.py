"""Pieces of several processes behind each other in one file, without a way of all bytes through the first process.

A process writes its piece where it belongs as soon as it knows how long all pieces before it are. Where one of them is
not done, it leaves its piece in a file without a name, from which the first process copies it. Without such files, as
on other systems, pieces are handed over. The bytes of the output are the same in any case.
"""

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from fairtrec.files.atomic import unnamed

MIB = 1 << 20
STEP = 32 * MIB  # bytes that go to the disk at a time
REFUSED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EXDEV)  # of a system that cannot copy by itself
_WIDTH = 8  # bytes in the list of sizes; there a size is one more, and 0 is not known yet


@dataclass(frozen=True)
class Shared:
    """Where other processes find the output, and the list of the sizes of all pieces."""

    output: str
    sizes: str


@dataclass(frozen=True)
class Left:
    """So many bytes of a piece: where they belong, or else in its file."""

    size: int
    in_place: bool


Content = list[bytes] | Left


class Desk:
    """The side of the first process: it names what the others write to, and brings the pieces into their order.

    ``is_shared`` says that there are others. All files are gone with this process.
    """

    def __init__(self, output: BinaryIO, folder: Path, *, is_shared: bool) -> None:
        self.output, self.folder = output, folder
        self.free: list[int] = []
        self.used: dict[str, int] = {}
        self.sent = 0  # bytes of the output
        has_name = not isinstance(output.name, int)  # since the system has no files without
        self.sizes = unnamed(folder) if is_shared and not has_name else None
        self.shared = None if self.sizes is None else Shared(_place(output.fileno()), _place(self.sizes))

    def place(self) -> str:
        """Name a file in which a piece may be left; empty if there is none."""
        if self.shared is None:
            return ""
        descriptor = self.free.pop() if self.free else unnamed(self.folder)
        if descriptor is None:
            return ""
        place = _place(descriptor)
        self.used[place] = descriptor
        return place

    def clear(self, place: str, content: Content) -> None:
        """Bring the next piece to the end of the output, unless it is there, and free its file."""
        descriptor = self.used.pop(place, None)
        if not isinstance(content, Left):
            self.output.writelines(content)
        elif content.in_place:
            self.output.seek(content.size, os.SEEK_CUR)
        else:
            assert descriptor is not None
            self.output.flush()
            copied(descriptor, self.output.fileno(), content.size)
        if descriptor is not None:
            self.free.append(descriptor)
        self._send()

    def _send(self) -> None:
        """Let the system begin to write to the disk what is in the file, so that little is left at the end."""
        at = self.output.tell()
        if at - self.sent >= STEP and hasattr(os, "posix_fadvise"):
            self.output.flush()
            with suppress(OSError):  # it was but advice
                os.posix_fadvise(self.output.fileno(), self.sent, at - self.sent, os.POSIX_FADV_DONTNEED)
            self.sent = at

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in (*self.free, *self.used.values(), *([] if self.sizes is None else [self.sizes])):
            os.close(descriptor)


class Share:
    """The side of each process that makes pieces."""

    def __init__(self, shared: Shared) -> None:
        self.output, self.sizes = os.open(shared.output, os.O_WRONLY), os.open(shared.sizes, os.O_RDWR)
        self.known = self.start = 0  # so many pieces have so many bytes

    @classmethod
    def of(cls, shared: Shared | None) -> "Share | None":
        """Open what is shared; None if nothing is, or it cannot be opened."""
        with suppress(OSError):
            return None if shared is None else cls(shared)
        return None

    def left(self, number: int, blocks: Sequence[bytes], place: str) -> Left | None:
        """Write a piece where it belongs, or to its file; None if there is none."""
        size = sum(map(len, blocks))
        start = self.noted(number, size)
        if start is not None:
            _written(self.output, blocks, start)
            return Left(size, in_place=True)
        try:
            descriptor = os.open(place, os.O_WRONLY)
        except OSError:
            return None
        try:
            _written(descriptor, blocks, 0)
        finally:
            os.close(descriptor)
        return Left(size, in_place=False)

    def noted(self, number: int, size: int) -> int | None:
        """Note the size of a piece; tell where it begins, or None if one before it is not known yet."""
        from fcntl import LOCK_EX, LOCK_UN, flock

        flock(self.sizes, LOCK_EX)
        try:
            os.pwrite(self.sizes, (size + 1).to_bytes(_WIDTH, "little"), number * _WIDTH)
            listed = os.pread(self.sizes, (number - self.known) * _WIDTH, self.known * _WIDTH)
        finally:
            flock(self.sizes, LOCK_UN)
        sizes = np.frombuffer(listed, "<i8")
        missing = np.flatnonzero(sizes == 0)
        many = int(missing[0]) if len(missing) else len(sizes)
        self.known += many
        self.start += int(sizes[:many].sum()) - many
        return self.start if self.known == number else None

    def __del__(self) -> None:
        """Let go of the files."""
        for name in ("output", "sizes"):
            with suppress(AttributeError, OSError):
                os.close(getattr(self, name))


def copied(source: int, target: int, size: int) -> None:
    """Copy the first bytes of a file to where another one is written, by the system itself where it can do so.

    Raises OSError if there are not so many.
    """
    at = 0
    while at < size:
        try:
            many = os.sendfile(target, source, at, size - at)
        except OSError as fault:
            if fault.errno not in REFUSED:
                raise
            many = os.write(target, os.pread(source, min(MIB, size - at), at))
        if not many:
            raise OSError(errno.EIO, "a file was cut short")
        at += many


def _place(descriptor: int) -> str:
    return f"/proc/{os.getpid()}/fd/{descriptor}"


def _written(descriptor: int, blocks: Sequence[bytes], at: int) -> None:
    for block in blocks:
        rest = memoryview(block)
        while rest:
            many = os.pwrite(descriptor, rest, at)
            at, rest = at + many, rest[many:]

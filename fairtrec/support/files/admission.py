"""The only files that are read while the answer of a stranger's file is computed again.

A file is known by its identity: where it lies, its size, and when it was last changed. It is hashed once, and as long
as its identity stays it holds the bytes that were hashed. All that opens a file that somebody names asks here first.
"""
# ruff: noqa: PTH116, PTH123 - pathlib takes its time to be imported

import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from os import fspath
from typing import NamedTuple

from fairtrec.support.errors import FairtrecError, FilePath, InputError


class FileIdentity(NamedTuple):
    """What tells a file, as it is now, from all others, and from what it was or will be."""

    device: int
    number: int
    size: int
    written: int  # when, in nanoseconds
    changed: int  # the same of its owner, permissions and names too


class UnrecordedFileError(FairtrecError):
    """A file or dataset would be read whose sha256 is not recorded. It is no InputError, which readers pass over."""

    exit_code = 3

    def __init__(self, name: FilePath) -> None:
        super().__init__(f"{fspath(name)} has no recorded sha256, so it is not read; evaluate the runs again")
        self.name = fspath(name)

    def __reduce__(self) -> tuple[type, tuple[str]]:  # for other processes
        return type(self), (self.name,)


class Admission(NamedTuple):
    """The files that may be read, each with its path, and the names of what was refused."""

    files: Mapping[FileIdentity, str]
    refused: list[str]

    def refuse(self, name: FilePath) -> None:
        """Raise UnrecordedFileError, and keep the name, whoever catches the error."""
        self.refused.append(fspath(name))
        raise UnrecordedFileError(name)

    def raise_refused(self) -> None:
        """Raise UnrecordedFileError if anything was refused."""
        if self.refused:
            raise UnrecordedFileError(self.refused[0])

    def confirm(self) -> None:
        """Raise InputError for a file that is not what it was when it was hashed."""
        for identity, path in self.files.items():
            try:
                now = _identify(os.stat(path))
            except OSError:
                now = None
            if now != identity:
                raise InputError("this file was changed while it was read; run the command again", path)


_admission: ContextVar[Admission | None] = ContextVar("admission", default=None)
_inputs: set[tuple[int, int]] | None = None  # of the files that a command opened: device and number


@contextmanager
def remember_inputs() -> Iterator[None]:
    """Keep which files a command opens, so that it writes over none of them."""
    global _inputs  # noqa: PLW0603 - of all threads
    _inputs = set()
    try:
        yield
    finally:
        _inputs = None


@contextmanager
def forget_inputs() -> Iterator[None]:
    """Keep nothing of what is opened while this lasts: a file that is only looked at is no input."""
    global _inputs  # noqa: PLW0603 - of all threads
    before = None if _inputs is None else {*_inputs}
    try:
        yield
    finally:
        _inputs = before


def is_input(path: FilePath) -> bool:
    """Tell whether this command has opened a file, under any name."""
    if not _inputs:
        return False
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return (status.st_dev, status.st_ino) in _inputs


def admission() -> Admission | None:
    """Give what is in force; None if any file may be read."""
    return _admission.get()


def resume(found: Admission | None) -> None:
    """Put in force, in another process, what is in force in the first."""
    _admission.set(found)


@contextmanager
def admit_only(files: Mapping[FileIdentity, str] | None) -> Iterator[None]:
    """Read only these files while this lasts; any if it is None.

    Raises UnrecordedFileError if another was asked for, whoever caught the error, and InputError for a file that has
    changed meanwhile.
    """
    found = None if files is None else Admission(files, [])
    token = _admission.set(found)
    try:
        yield
    except FairtrecError:
        if found is not None:
            found.raise_refused()
        raise
    finally:
        _admission.reset(token)
    if found is not None:
        found.raise_refused()
        found.confirm()


def refuse_unrecorded(path: FilePath, descriptor: int | None = None) -> None:
    """Raise UnrecordedFileError for a path, or what was opened there, that may not be read.

    Who cannot pass a ``descriptor`` asks before the file is opened by its name.
    """
    found = _admission.get()
    if found is None and _inputs is None:
        return
    if fspath(path) == "-":  # standard input
        if found is not None:
            found.refuse(path)
        with suppress(AttributeError, OSError, ValueError):  # what stands for standard input may be no file
            status = os.fstat(sys.stdin.fileno())
            if stat.S_ISREG(status.st_mode):
                _remember(status)
        return
    try:
        status = os.stat(fspath(path).rstrip("/") or ".") if descriptor is None else os.fstat(descriptor)
    except (OSError, ValueError):  # there is nothing to read, as its reader says
        return
    if found is not None and _identify(status) not in found.files:
        found.refuse(path)
    _remember(status)


def _remember(status: os.stat_result) -> None:
    if _inputs is not None:
        _inputs.add((status.st_dev, status.st_ino))


def refuse_dataset(name: str) -> None:
    """Raise UnrecordedFileError for data that is no file, and for a file that would be fetched."""
    if (found := _admission.get()) is not None:
        found.refuse(name)


def open_file(path: FilePath, buffer: int = io.DEFAULT_BUFFER_SIZE) -> io.BufferedReader:
    """Open a file as it lies there. Raises OSError, and UnrecordedFileError for one that may not be read."""
    refuse_unrecorded(path)  # a pipe would wait for somebody to write
    file: io.BufferedReader = io.BufferedReader(io.FileIO(fspath(path).rstrip("/") or "."), buffer)
    try:
        refuse_unrecorded(path, file.fileno())
    except FairtrecError:
        file.close()
        raise
    return file


def hash_file(path: FilePath) -> tuple[str, FileIdentity]:
    """Hash a file, and give its identity. Raises OSError, and InputError for one that is changed meanwhile.

    No more is read than its size, so that a file without an end is refused. So is an empty one.
    """
    import hashlib

    with open(path, "rb") as file:
        before = _identify(os.fstat(file.fileno()))
        if not before.size:  # such as one of /proc, which has bytes, and perhaps no end
            raise InputError("this file has a size of 0; pass a file with lines", path)
        hashed, left = hashlib.sha256(), before.size
        while left > 0 and (block := file.read(min(left, 1 << 20))):
            hashed.update(block)
            left -= len(block)
        digest = hashed.hexdigest()
        if left or _identify(os.fstat(file.fileno())) != before:
            raise InputError("this file was changed while it was read; run the command again", path)
    return digest, before


def _identify(status: os.stat_result) -> FileIdentity:
    return FileIdentity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)

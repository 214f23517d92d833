"""Writing a file whole or not at all: beside its place, under a name that is then changed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path


@contextmanager
def replaced(path: "Path", *, synced: bool = False) -> "Iterator[Path]":
    """Give a temporary name; what is written there comes to stand at ``path``, unless an error is raised.

    ``synced`` is for what must be there after the machine has lost power too.
    """
    part = path.with_name(f".fairtrec-{os.urandom(8).hex()}.part")  # short, however long the name of the file is
    try:
        yield part
        if synced:
            _sync(part)
        part.replace(path)
        if synced:
            with suppress(OSError):  # not every system can do this to a folder
                _sync(path.parent)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def streamed(path: "Path") -> Iterator[BinaryIO]:
    """Give a file to write to, which comes to stand at ``path`` when it is whole, unless an error is raised.

    Where the system can do so it has no name before, and nothing of it is left if the process is killed.
    """
    descriptor = unnamed(path.parent)
    if descriptor is None:
        with replaced(path, synced=True) as part, part.open("wb") as file:
            yield file
        return
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        with replaced(path, synced=True) as part:
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.link(f"/proc/self/fd/{descriptor}", part, src_dir_fd=folder, follow_symlinks=True)
            finally:
                os.close(folder)


def unnamed(folder: "Path") -> int | None:
    """Open a file without a name, which is gone with this process, if it can be linked to one later."""
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except (AttributeError, OSError):  # another system, or a file system that has none
        return None
    if os.path.exists(f"/proc/self/fd/{descriptor}"):  # noqa: PTH110 - pathlib stumbles over what has no name
        return descriptor
    os.close(descriptor)
    return None


@contextmanager
def replaced_folder(path: "Path") -> "Iterator[Path]":
    """Give a new folder, which comes to stand at ``path`` in the place of what is there, unless an error is raised."""
    import shutil

    part = path.with_name(f".fairtrec-{os.urandom(8).hex()}.part")
    part.mkdir(parents=True)
    try:
        yield part
        shutil.rmtree(path, ignore_errors=True)
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _sync(path: "Path") -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

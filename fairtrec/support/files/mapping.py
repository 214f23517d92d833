"""Files that are mapped into memory: a process that reads one that is cut off meanwhile ends, with a word on why."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import fspath

from fairtrec.support.compiled import extension
from fairtrec.support.errors import FilePath, short
from fairtrec.support.files import opening

SMALL = 1 << 24  # bytes of a file that is read as fast as it is mapped
CUT = "this file was cut off or changed while it was read; make or fetch it again"


def is_mapped(path: FilePath) -> bool:
    """Tell whether a file is to be mapped: a large one, if somebody can say that it was cut off."""
    return hasattr(extension, "watch") and opening.size(path) > SMALL


def watch(path: FilePath, address: int, length: int) -> int:
    """Say that a file was cut off where its mapping can be read no further; give what ``forget`` takes."""
    assert extension is not None
    slot: int = extension.watch(address, length, f"{short(fspath(path))}: {CUT}\n".encode())
    return slot


def forget(slot: int) -> None:
    """Watch a mapping no longer."""
    assert extension is not None
    extension.forget(slot)


@contextmanager
def watch_mapping(path: FilePath, address: int, length: int) -> Iterator[None]:
    """Watch a mapping meanwhile."""
    slot = watch(path, address, length)
    try:
        yield
    finally:
        forget(slot)

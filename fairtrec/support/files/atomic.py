"""Writing a file whole or not at all: beside its place, under a name that is then changed."""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, BinaryIO

from fairtrec.support.errors import UsageError
from fairtrec.support.files import admission

if TYPE_CHECKING:
    from pathlib import Path

PREFIX, PART = ".fairtrec-", ".part"  # of names of what is not yet whole
LONGEST_NAME = 255  # bytes
YOUNG = 5  # seconds in which who has just made it may not have locked it


def refuse_place(folder: "Path", name: str, run: str) -> None:
    """Raise UsageError if no file in this folder can have the name, which was made of that of a run."""
    is_bad = name in ("", ".", "..") or "/" in name or len(os.fsencode(name)) > LONGEST_NAME
    if is_bad or (folder / name).is_dir():
        raise UsageError(f"the run {run!r} cannot be a file in {folder}; rename it, with NAME=FILE")


def refuse_full_folder(folder: "Path", *, force: bool) -> None:
    """Raise UsageError for a place that is no folder, or one that is not empty, unless ``force`` is set."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"the folder {folder} is not empty; choose another, or add --force to write into it")


_made: ContextVar["list[Path] | None"] = ContextVar("made", default=None)  # new files and folders, to be taken back


@contextmanager
def write_together() -> "Iterator[None]":
    """Take back the files and folders that are made meanwhile, if an error ends it; what replaced a file stays."""
    made: list[Path] = []
    token = _made.set(made)
    try:
        yield
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise
    finally:
        _made.reset(token)
    _remember(*made)


def _remember(*paths: "Path") -> None:
    """Remember what is new, where it may have to be taken back."""
    if (made := _made.get()) is not None:
        made += paths


@contextmanager
def make_folder(folder: "Path", *, parents: bool = False) -> "Iterator[None]":
    """Make a folder, perhaps with those above it, for what is written meanwhile; what is empty in the end goes again.

    So no folder stays of a command that writes nothing, or that fails. Raises OSError for one that cannot be made.
    """
    made: list[Path] = []
    try:
        for each in [*(reversed(folder.parents) if parents else ()), folder]:
            if each.is_dir():
                continue
            try:
                each.mkdir()
            except FileExistsError:
                if each.is_dir():  # another process made it by now
                    continue
                raise
            made.append(each)
            _remember(each)
        with write_together():
            yield
    finally:
        for each in reversed(made):
            with suppress(OSError):  # it is not empty
                each.rmdir()


@contextmanager
def make_output_folder(folder: "Path") -> "Iterator[None]":
    """Make the folder of an output in the same way. Raises UsageError for one that cannot be made."""
    with ExitStack() as made:
        try:
            made.enter_context(make_folder(folder))
        except OSError as fault:
            what = f"cannot make the folder {folder}: {fault.strerror}"
            raise UsageError(f"{what}; choose another with -o") from None
        yield


@contextmanager
def replace_file(path: "Path", *, synced: bool = False) -> "Iterator[Path]":
    """Give a temporary name; what is written there comes to stand at ``path``, unless an error is raised.

    Where the system can do so the file has no name of its own before, and nothing of it is left if the process is
    killed; elsewhere what was left is removed by the next one that writes there. The permissions of what stood at
    ``path`` stay; a link is replaced, not followed. ``synced`` is for what must be there after the machine has lost
    power too. Raises UsageError for a file that the command has read.
    """
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    descriptor = unnamed(path.parent)
    part = path.with_name(f"{PREFIX}{os.urandom(8).hex()}{PART}")  # short, however long the name of the file is
    if descriptor is None:
        _sweep(path.parent)
        descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666 if mode is None else 0o600)
        _lock(descriptor)
        place = part
    else:
        place = type(path)(f"/proc/self/fd/{descriptor}")
    try:
        yield place
        if mode is not None:
            place.chmod(mode)
        if synced:
            _sync(place)
        if admission.is_input(path):
            raise UsageError(f"the output {path} is also read; choose another with -o")
        if place != part and not _linked(descriptor, path):
            _linked(descriptor, part)
        if place == part or part.exists():
            part.replace(path)
        if mode is None:
            _remember(path)
        if synced:
            with suppress(OSError):  # not every system can do this to a folder
                _sync(path.parent)
    finally:
        os.close(descriptor)
        part.unlink(missing_ok=True)


@contextmanager
def stream_to(path: "Path") -> Iterator[BinaryIO]:
    """Give a file to write to, which comes to stand at ``path`` when it is whole, unless an error is raised."""
    with replace_file(path, synced=True) as part:
        has_name = part.parent == path.parent
        with part.open("wb") if has_name else os.fdopen(os.open(part, os.O_RDWR), "wb") as file:
            yield file


def append_to(path: "Path", content: bytes) -> None:
    """Add to the end of a file, all or nothing; a file that was not there is new. Raises OSError."""
    is_new = not path.exists()
    with path.open("ab", buffering=0) as file:  # a buffer would be written once more as it is closed
        if is_new:
            _remember(path)
        size = os.fstat(file.fileno()).st_size
        try:
            while content:
                content = content[file.write(content) :]
        except BaseException:
            with suppress(OSError):  # of a pipe
                file.truncate(size)
            raise


@contextmanager
def make_scratch_folder(path: "Path") -> "Iterator[Path]":
    """Give a folder beside ``path`` for what is needed until that is written."""
    import shutil

    _sweep(path.parent)
    folder = path.with_name(f"{PREFIX}{os.urandom(8).hex()}{PART}")
    folder.mkdir()
    lock = os.open(folder, os.O_RDONLY)
    try:
        _lock(lock)
        yield folder
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def replace_folder(path: "Path") -> "Iterator[Path]":
    """Give a new folder, which comes to stand at ``path`` unless an error is raised; only then goes what was there."""
    import shutil

    path.parent.mkdir(parents=True, exist_ok=True)
    old = path.with_name(f"{PREFIX}{os.urandom(8).hex()}.old")
    with make_scratch_folder(path) as part:
        yield part
        try:
            if path.exists():
                path.rename(old)
            part.rename(path)
        finally:
            if old.exists() and not path.exists():
                old.rename(path)
        try:
            shutil.rmtree(old, ignore_errors=True)
        except KeyboardInterrupt:
            shutil.rmtree(old, ignore_errors=True)
            raise


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


def _linked(descriptor: int, path: "Path") -> bool:
    """Give what has no name this one, unless something has it."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=folder, follow_symlinks=True)
    except FileExistsError:
        return False
    finally:
        os.close(folder)
    return True


def _lock(descriptor: int) -> bool:
    """Say that somebody writes here, until this process ends; False if another one has said so."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, ImportError):  # or a file system, or a system, without locks
        return False
    return True


def _sweep(folder: "Path") -> None:
    """Remove what others have left in a folder that were killed before they were done."""
    import shutil

    for left in folder.glob(f"{PREFIX}*{PART}"):
        with suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY)
            try:
                if time.time() - left.stat().st_mtime > YOUNG and _lock(descriptor):
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
            finally:
                os.close(descriptor)


def _sync(path: "Path") -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

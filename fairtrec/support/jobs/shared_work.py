"""What is sent to other processes: in one file, whose pages they share, however many there are."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from fairtrec.support.errors import InputError
from fairtrec.support.files import admission

SHARED = 1 << 16  # bytes of an array, from which processes share it
ALIGNED = 64  # bytes, as caches are


class Sent(NamedTuple):
    """Work that stands in a file: from which byte to which the work, and then each of its large arrays."""

    path: str
    places: list[tuple[int, int]]

    def load(self) -> Any:
        """Give the work in another process; pages of its arrays are shared by all, and copied where they are changed.

        Raises AttributeError or ImportError if a part of it is not known here.
        """
        import mmap
        from multiprocessing.reduction import ForkingPickler

        with open(self.path, "rb") as file:  # noqa: PTH123 - pathlib takes its time
            shared = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        work, *arrays = [shared[start:stop] for start, stop in self.places]
        admitted, work = ForkingPickler.loads(work, buffers=arrays)
        admission.resume(admitted)
        return work


@contextmanager
def write_work(work: Any) -> Iterator[Sent | None]:
    """Write work into a file while other processes are at it; give None if that cannot be done.

    Raises InputError where there is no room.
    """
    from pickle import PickleBuffer, dumps
    from tempfile import mkstemp

    parts: list[bytes | memoryview] = []

    def stays(array: PickleBuffer) -> bool:
        raw = array.raw()
        if raw.nbytes >= SHARED:
            parts.append(raw)
        return raw.nbytes < SHARED

    try:
        parts.insert(0, dumps((admission.admission(), work), protocol=5, buffer_callback=stays))
    except Exception:  # noqa: BLE001 - an object may refuse in any way
        yield None
        return
    places = []
    descriptor, path = mkstemp(prefix="fairtrec-")
    try:
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123
                for part in parts:
                    file.seek(-file.tell() % ALIGNED, os.SEEK_CUR)
                    places.append((file.tell(), file.tell() + file.write(part)))
        except OSError as fault:
            what = f"the data for other processes cannot be written ({fault.strerror})"
            raise InputError(f"{what}; free some space, set TMPDIR, or use -j 1", path) from None
        yield Sent(path, places)
    finally:
        with suppress(OSError):
            os.remove(path)  # noqa: PTH107

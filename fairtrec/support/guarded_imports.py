"""What a Python may import: no file of the current folder, and large libraries only if there is memory for them.

Without memory, OpenBLAS in numpy and scipy waits for ever.
"""

import sys
from typing import Any

from fairtrec.support.errors import LittleMemoryError

SAFE_PATH = "PYTHONSAFEPATH"  # if it is set, a Python that starts imports nothing from the current folder
# MB that each is loaded into; without these, hashlib logs what it does not have
ROOM = {"hashlib": 16, "numpy": 96, "scipy": 160, "pyarrow": 112, "pandas": 160, "matplotlib": 64}


class _Guard:
    """Finds no module, but is asked before others are: raises LittleMemoryError for a large one without room."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        if name in ROOM and not _has_room(ROOM[name] << 20):
            what = f"{name} needs {ROOM[name]} MB of memory, and less is free"
            raise LittleMemoryError(f"{what}; allow more with ulimit -v, or free some")


def guard_large_libraries() -> None:
    """Refuse large libraries in this process, from now on, if there is too little memory for them."""
    if _Guard not in sys.meta_path:
        sys.meta_path.insert(0, _Guard)


def _has_room(size: int) -> bool:
    """Tell whether so much memory can be mapped; it is not used, and let go at once."""
    try:
        import mmap

        flags: dict[str, Any] = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
        mmap.mmap(-1, size, **flags).close()
    except (ImportError, OSError):  # there may be none for mmap itself
        return False
    return True

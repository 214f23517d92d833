"""Files that no report names, planted where a stranger may lead a command to them, and whether they were read."""

import os
import shutil

LONG_AGO = 10**9  # a time of access, which the system moves on when it next reads the file


def plant(folder, name, of="neural.run"):
    """Put a file there that no report names; the time at which it was last read is long ago."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / of, place)
    forget_reading(place)
    return place


def forget_reading(place):
    os.utime(place, (LONG_AGO, place.stat().st_mtime))


def is_read(place):
    return place.stat().st_atime != LONG_AGO

"""Parsers that are fuzzed by coverage: a module each, with ``seeds`` of what the project writes, and ``take``.

``take`` reads any bytes. It ends well or in the error that the parser promises; anything else is a fault, also where
two ways to read the same bytes differ. ``make fuzz`` looks for such bytes with atheris. Those that it found once lie in
``crashes``, in the folder of the module's name, and tests/formats/test_fuzzed.py takes them and the seeds.
"""

import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

from fairtrec_made import REPOSITORY

NAMES = ("extension", "packed_object", "parquet_pages", "arrow_messages", "cited_answers", "named_columns")
CRASHES = Path(__file__).parent / "crashes"
FOUND = REPOSITORY / ".fuzz"


def load(name):
    """Import the harness of a parser."""
    return import_module(f"fairtrec_made.fuzzed.{name}")


def list_corpus(name, *, found=False):
    """List the seeds of a harness, and the crashes that it found once; also what it ``found`` on this machine."""
    paths = [*CRASHES.glob(f"{name}/*"), *(FOUND.glob(f"{name}/*") if found else ())]
    return [*load(name).seeds(), *(path.read_bytes() for path in sorted(paths))]


@cache
def make_folder():
    """Make a folder for files of this process, in memory if there is such a place."""
    place = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=place if place.is_dir() else None))


def write(data, suffix=""):
    """Write the one file that is read next."""
    path = make_folder() / f"data{suffix}"
    path.write_bytes(data)
    return str(path)

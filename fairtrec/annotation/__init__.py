"""From texts to counts, or to texts of other words; how far that has come, and how long a document may be."""

from collections.abc import Callable
from dataclasses import dataclass

LONGEST = 1 << 26  # bytes of a document


@dataclass(frozen=True)
class Progress:
    """How far it has come: documents, bytes of text, and bytes of all files done and in all."""

    documents: int
    bytes: int
    done: int
    total: int


Watcher = Callable[[Progress], None]

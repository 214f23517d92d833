"""From texts to counts, here and on Spark; how far that has come, and how long a document may be."""

from collections.abc import Callable
from dataclasses import dataclass

from fairtrec.support.compiled import extension

LONGEST = 1 << 26  # bytes of a document
READY = "fairtrec.counting.local.ready"  # what processes that count or rewrite import first


@dataclass(frozen=True)
class CollectionOptions:
    """How to work on a whole collection; each is also an option of the command, whose help says what it does."""

    jobs: int | None = None
    keep_going: bool = False
    max_doc_bytes: int = LONGEST


@dataclass(frozen=True)
class Progress:
    """How far it has come: documents, bytes of text, and bytes of all files done and in all."""

    documents: int
    bytes: int
    done: int
    total: int


Watcher = Callable[[Progress], None]


def two_threads(jobs: int) -> bool:
    """Tell whether that many jobs are threads of one process, where lines are docno<TAB>text.

    Two are, if what counts is compiled: the interpreter, which one thread has at a time, does less than half of the
    work. More would wait for each other, as they would where lines are JSON.
    """
    return jobs == 2 and extension is not None

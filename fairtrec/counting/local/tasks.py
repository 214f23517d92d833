"""From what a user names to tasks: pieces of a collection that can be counted one without the other.

Pieces are cut by what is in the collection alone, so that an interrupted run finds the same ones again. A file that is
not compressed is read by whoever counts the piece; of a compressed one, and of ir_datasets, the text goes along.
"""

import hashlib
import io
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import starmap
from os import fspath
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from fairtrec.counting import READY, table, text_blocks
from fairtrec.counting.text_blocks import TextBlock
from fairtrec.formats import collection, datasets
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.admission import open_file
from fairtrec.support.files.opening import open_input
from fairtrec.support.files.whole_lines import Lines
from fairtrec.support.jobs import Outcome, Work, defer_signals, map_ordered

if TYPE_CHECKING:
    from concurrent.futures import Future

SIZE = 1 << 24  # bytes of text in a task
BLOCK = (1 << 22) - (1 << 13)  # bytes of text that are worked on at a time; with a last line, eight batches in numpy
SMALLEST = 1 << 20  # bytes of a piece that is tapered
BOM = b"\xef\xbb\xbf"
MIB = 1 << 20

DocnoTexts = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Origin:
    """A source: a file of one of two kinds, or a dataset of ir_datasets."""

    name: str
    kind: Literal["tsv", "jsonl", "ir_datasets"]
    is_plain: bool = False
    size: int = 0
    changed: int = 0  # when, in nanoseconds
    head: int = 0  # bytes of comments, and of names of columns, behind a byte-order mark

    @classmethod
    def find(cls, thing: FilePath) -> "Origin":
        """Find out what something is. Raises InputError if it is nothing that can be read."""
        name = fspath(thing)
        if opening.is_stream(name):
            raise InputError("a collection is read twice, which a stream does not allow; pass a file", name)
        if not os.path.exists(name):  # noqa: PTH110 - pathlib stumbles over long names
            return cls(name, "ir_datasets")
        with open_input(name) as stream:
            is_plain = isinstance(getattr(stream, "raw", None), io.FileIO)
            try:
                start = cast("Any", stream).read1(MIB).removeprefix(BOM)
            except opening.DAMAGE:  # which is told when the lines are read
                start = b"?"
        if not start.strip():
            raise InputError(opening.NO_LINES, name)
        kind: Literal["tsv", "jsonl"] = "jsonl" if start.lstrip().startswith(b"{") else "tsv"
        head = collection.measure_head(start, name) if kind == "tsv" else 0
        at = Path(name).stat()
        return cls(name, kind, is_plain, at.st_size, at.st_mtime_ns, head)

    def trim_start(self, text: bytes) -> bytes:
        """Leave out of the first text what stands above the first document; its lines stay, without text."""
        return collection.blank_head(text.removeprefix(BOM), self.head)

    def refuse_changed(self) -> None:
        """Raise InputError if the file is not what it was."""
        if self.kind == "ir_datasets":
            return
        try:
            at = Path(self.name).stat()
            is_same = (at.st_size, at.st_mtime_ns) == (self.size, self.changed)
        except OSError:
            is_same = False
        if not is_same:
            raise InputError("this file was changed while it was counted; count it again", self.name)

    def describe_source(self) -> table.Source:
        """Describe a source by what does not depend on where it lies: for the metadata, and to know it again."""
        if self.kind == "ir_datasets":
            return {"name": self.name}
        with opened_again(self.name) as file:
            first = file.read(MIB)
            file.seek(max(0, self.size - MIB))
            last = file.read(MIB)
        return describe_file(self.name, self.size, first, last)


def describe_file(name: str, size: int, first: bytes, last: bytes) -> table.Source:
    """Describe a file by its size, and its first and last MiB."""
    digests = {"first_mib": hashlib.sha256(first).hexdigest(), "last_mib": hashlib.sha256(last).hexdigest()}
    return {"name": opening.name(name), "bytes": size, **digests}


@dataclass(frozen=True)
class Task:
    """A piece of a source; ``done`` of the source's ``size`` bytes have been read when it is counted."""

    number: int
    origin: int
    done: int
    span: tuple[int, int] = (0, 0)  # from which to which byte of the file its lines begin, where there is no text
    text: bytes | DocnoTexts | None = None
    damage: str = ""  # what ends the source before its end, in place of a text


def tasks(origins: list[Origin], longest: int, *, tapered: bool = False) -> Iterator[Task]:
    """Cut sources into pieces; ``longest`` is how many bytes a line may have.

    Pieces of files that are not compressed may be ``tapered``, small and smaller toward the end, so that processes that
    do them end at about the same time.
    """
    found = ((which, *each) for which, origin in enumerate(origins) for each in _pieces(origin, longest, tapered))
    return starmap(Task, ((number, *each) for number, each in enumerate(found)))


def run_tasks(
    work: Work[Task, Outcome],
    origins: Sequence[Origin],
    several: Iterable[Task],
    jobs: int,
    known: Mapping[int, Outcome] = MappingProxyType({}),
    *,
    preload: str = READY,
    threads: bool = False,
) -> Generator[tuple[Task, Outcome], None, None]:
    """Do tasks, several at a time, but those of which it is known what came of them; give all of them in their order.

    ``preload``  a module that each process imports first, behind READY.
    ``threads``  of this process do them: they share what it has imported, and need nothing to be sent.
    """
    asked: deque[Task] = deque()

    def unknown() -> Iterator[Task]:
        for task in several:
            asked.append(replace(task, text=None))
            if task.number not in known:
                yield task

    def at(task: Task) -> str:
        return origins[task.origin].name

    several_at_once = (
        _by_threads(work.begin(), unknown(), jobs)
        if threads
        else map_ordered(work, unknown(), jobs, [READY, preload], jobs + 1, "use -j 1", at)
    )
    with closing(several_at_once) as found:
        for done in found:
            if isinstance(done, InputError):
                raise done
            while asked[0].number in known:
                task = asked.popleft()
                yield task, known[task.number]
            yield asked.popleft(), done
    yield from ((task, known[task.number]) for task in asked)


def _by_threads(
    call: Callable[[Task], Outcome], several: Iterable[Task], jobs: int
) -> Generator[Outcome | InputError, None, None]:
    from concurrent.futures import ThreadPoolExecutor

    going: deque[Future[Outcome]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for task in several:
            going.append(pool.submit(call, task))
            if len(going) > jobs + 1:
                yield going.popleft().result()
        while going:
            yield going.popleft().result()
    finally:  # nobody waits for the rest, but what was begun writes to disk
        with defer_signals():
            pool.shutdown(cancel_futures=True)


def _pieces(
    origin: Origin, longest: int, tapered: bool
) -> Iterator[tuple[int, tuple[int, int], bytes | DocnoTexts | None, str]]:
    nowhere = 0, 0
    if origin.kind == "ir_datasets":
        pairs: list[tuple[str, str]] = []
        size = 0
        for pair in datasets.documents(origin.name):
            pairs.append(pair)
            size += len(pair[1])
            if size >= SIZE:
                yield 0, nowhere, tuple(pairs), ""
                pairs, size = [], 0
        if pairs:
            yield 0, nowhere, tuple(pairs), ""
    elif origin.is_plain:
        start = 0
        while start < origin.size:
            left = origin.size - start
            stop = start + min(left, SMALLEST * min(8, max(1, left // (8 * SMALLEST))) if tapered else SIZE)
            yield stop, (start, stop), None, ""
            start = stop
    else:
        with open_input(origin.name) as stream:
            lines = Lines(stream, SIZE, longest)
            for number, text in enumerate(lines):
                yield opening.position(stream), nowhere, text if number else origin.trim_start(text), ""
            if lines.damage:
                yield origin.size, nowhere, b"", lines.damage


def lines_of(origin: Origin, task: Task, longest: int) -> Iterator[bytes]:
    """Read the lines that begin in a task's part of a file; of a line that is too long only the beginning."""
    with opened_again(origin.name) as file:
        start, end = task.span
        if start:
            file.seek(start - 1)
            _pass_line(file, end)
        while (left := end - file.tell()) > 0:
            begin, last = file.tell(), min(BLOCK, left) - 1
            file.seek(begin + last)
            rest = len(file.readline(longest + 3))  # looked for first, so that all is read at once, and nothing copied
            file.seek(begin)
            text = file.read(last + rest)
            if not text:
                raise InputError("this file was cut short while it was counted; count it again", origin.name)
            if not text.endswith(b"\n"):
                _pass_line(file, end)
            yield text if start or file.tell() > len(text) else origin.trim_start(text)


@contextmanager
def opened_again(name: str) -> Iterator[BinaryIO]:
    """Open a file that was there before. Raises InputError if it is gone, or cannot be read any more."""
    try:
        with open_file(name) as file:
            yield file
    except OSError as fault:
        raise InputError(f"reading failed ({fault.strerror}); was it moved while it was counted?", name) from None


def _pass_line(file: Any, end: int) -> None:
    """Go to the end of a line, or at least to ``end``."""
    while (rest := file.readline(MIB)) and not rest.endswith(b"\n") and file.tell() < end:
        pass


def blocks(text: bytes) -> Iterator[bytes]:
    """Cut a text into about BLOCK bytes at a time, at line ends."""
    start = 0
    while start < len(text):
        stop = text.find(b"\n", start + BLOCK) + 1 or len(text)
        yield text[start:stop]
        start = stop


def read_documents(origin: Origin, task: Task, longest: int) -> Iterator[TextBlock]:
    """Read the documents of a task, some at a time."""
    if isinstance(task.text, tuple):
        yield text_blocks.read_pairs(task.text, longest)
        return
    read: Callable[[bytes, int], TextBlock] = (
        text_blocks.read_json_lines if origin.kind == "jsonl" else text_blocks.read_tsv_lines
    )
    for block in read_blocks(origin, task, longest):
        yield read(block, longest)


def read_blocks(origin: Origin, task: Task, longest: int) -> Iterator[bytes]:
    """Read the lines of a task of a file, some at a time."""
    assert not isinstance(task.text, tuple)
    for block in lines_of(origin, task, longest) if task.text is None else blocks(task.text):
        if block:  # a byte-order mark alone leaves nothing
            yield block

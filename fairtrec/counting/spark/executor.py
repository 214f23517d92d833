"""What a task of Spark does: lines in, sorted parts out, which are written before they are spoken of.

Spark hands a task one or several splits of files. Each becomes one part, or several of PIECE rows. What is written
depends on the split alone, so that a task that is done twice writes the same again.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pyarrow.fs import FileSystem

from fairtrec.counting import text_blocks
from fairtrec.counting.compiled import fastest
from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import Kernel
from fairtrec.counting.table.rows import schema
from fairtrec.counting.text_blocks import Piece, TextBlock
from fairtrec.data import Ints

PIECE = 1 << 19  # rows of a part
SUMMARY = (
    "file int, start long, piece int, lines long, documents long, bytes long, rejected long,"
    " line long, reason string, counter string"
)
NULL = "a docno or a text that is missing or not UTF-8; write both for every document"
SourceForm = Literal["tsv", "jsonl", "pairs"]
Key = tuple[int, int]  # the number of a file, and the byte at which a split of it starts


@dataclass
class Stretch(Piece):
    """What has been counted of a split since the last part of it."""

    key: Key = (0, 0)
    number: int = 0

    @property
    def name(self) -> str:
        """The name of its files; in alphabetical order they are in the order of the sources."""
        return "{:07}-{:015}-{:05}".format(*self.key, self.number)


@dataclass(frozen=True)
class Job:
    """What is the same for all tasks; called with what Spark has read, it says what came of it."""

    files: dict[str, tuple[int, SourceForm, int]]  # by address, with the lines above the first; of a frame, "" alone
    lexicon: Lexicon
    folder: str
    longest: int
    skip: bool
    placed: bool  # parts tell where each document stood
    metadata: dict[bytes, bytes]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Count the splits of a task."""
        counter = fastest(self.lexicon)
        piece: Stretch | None = None
        for batch in batches:
            for key, form, head, values in self._runs(batch):
                if piece is None or piece.key != key or sum(map(len, piece.rows)) >= PIECE:
                    if piece is not None:
                        yield self._finished(piece, counter)
                    number = piece.number + 1 if piece is not None and piece.key == key else 0
                    piece = Stretch(key=key, number=number)
                is_start = key[1] == 0 and piece.number == 0 and piece.lines == 0
                below = [b""] * head + values[head:] if is_start else values
                piece.add(_read(form, below, self.longest), counter, skip=self.skip)
        if piece is not None:
            yield self._finished(piece, counter)

    def _runs(self, batch: Any) -> Iterator[tuple[Key, SourceForm, int, list[Any]]]:
        """Cut what Spark has read into stretches of one split each."""
        if "" in self.files:
            from pyspark import TaskContext

            context = TaskContext.get()
            assert context is not None
            pairs = list(zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True))
            if pairs:
                yield (0, context.partitionId()), "pairs", 0, pairs
            return
        values, starts = batch.column(0).to_pylist(), batch.column(2).to_numpy()
        paths = batch.column(1).dictionary_encode()
        number = paths.indices.to_numpy()
        edges: Ints = np.flatnonzero((np.diff(number) != 0) | (np.diff(starts) != 0)) + 1
        for begin, end in zip([0, *edges.tolist()], [*edges.tolist(), len(values)], strict=True):
            if begin < end:
                file, form, head = self.files[address(paths.dictionary[int(number[begin])].as_py())]
                yield (file, int(starts[begin])), form, head, values[begin:end]

    def _finished(self, piece: Stretch, counter: Kernel) -> Any:
        """Write the part of a piece; what was wrong with it is written too where it is passed over."""
        rows, faults = piece.sort_rows(), piece.faults
        size = 0 if rows is None else len(rows)
        line, reason = min(faults, default=(0, ""))
        if faults and self.skip:
            write(self.folder, f"{piece.name}.rejected.jsonl", piece.rejected.encode())
        if rows is not None and (self.skip or not faults):
            form = schema(self.lexicon.groups, placed=self.placed).with_metadata(self.metadata)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, form) as writer:
                writer.write_batch(rows.batch(form))
            write(self.folder, f"{piece.name}.arrow", sink.getvalue())
        summary = (*piece.key, piece.number, piece.lines, size, piece.bytes, len(faults), line, reason, counter.name)
        kinds = {"int": pa.int32(), "long": pa.int64(), "string": pa.string()}
        names = [column.split() for column in SUMMARY.split(",")]
        fields = [pa.array([value], kinds[form]) for (_, form), value in zip(names, summary, strict=True)]
        return pa.record_batch(fields, names=[name for name, _ in names])


def _read(form: SourceForm, values: list[Any], longest: int) -> TextBlock:
    if form != "pairs":
        block = b"\n".join(values) + b"\n"
        return (text_blocks.read_json_lines if form == "jsonl" else text_blocks.read_tsv_lines)(block, longest)
    texts = [(_decoded(docno), _decoded(text)) for docno, text in values]
    bad = {row for row, pair in enumerate(texts, 1) if None in pair}
    some = text_blocks.read_pairs([("", "") if None in pair else pair for pair in texts], longest)  # type: ignore[misc]
    some.faults[:] = [(row, NULL if row in bad else reason) for row, reason in some.faults]
    return some


def _decoded(text: bytes | None) -> str | None:
    try:
        return None if text is None else text.decode()
    except UnicodeDecodeError:
        return None


def address(uri: str) -> str:
    """Write the address of a file in the one way of the several that Spark has."""
    return "file:///" + uri[5:].lstrip("/") if uri.startswith("file:/") else uri


def open_folder(folder: str) -> tuple[Any, str]:
    """Find the file system of a folder, as pyarrow knows it; what Hadoop calls s3a is s3 there."""
    system, path = FileSystem.from_uri(folder.replace("s3a://", "s3://", 1))
    return system, path


def write(folder: str, name: str, content: Any) -> None:
    """Write a file, whole or not at all."""
    system, path = open_folder(folder)
    part = f"{path}/.{name}.{uuid.uuid4().hex}"
    with system.open_output_stream(part, compression=None) as file:
        file.write(content)
    system.move(part, f"{path}/{name}")

"""What a task of Spark does: lines in, sorted parts out, which are written before they are spoken of.

Spark hands a task one or several splits of files. Each becomes one part, or several of PIECE rows. What is written
depends on the split alone, so that a task that is done twice writes the same again.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pyarrow.fs import FileSystem

from fairtrec.annotate import documents, fastest
from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.documents import Documents, Fault
from fairtrec.annotate.kernel import Kernel
from fairtrec.annotate.part import counted, twice
from fairtrec.data import Ints
from fairtrec.formats.table.rows import Rows, arranged, schema

PIECE = 1 << 19  # rows of a part
SUMMARY = (
    "file int, start long, piece int, lines long, documents long, bytes long, rejected long,"
    " line long, reason string, counter string"
)
NULL = "a docno or a text that is missing or not UTF-8; give every document both"
Kind = Literal["tsv", "jsonl", "pairs"]
Key = tuple[int, int]  # the number of a file, and the byte at which a split of it starts


@dataclass
class Piece:
    """What has been read of a split since the last part of it."""

    key: Key
    number: int = 0
    lines: int = 0
    bytes: int = 0
    rows: list[Rows] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of its files; in alphabetical order they are in the order of the sources."""
        return "{:07}-{:015}-{:05}".format(*self.key, self.number)


@dataclass(frozen=True)
class Job:
    """What is the same for all tasks; called with what Spark has read, it says what came of it."""

    files: dict[str, tuple[int, Kind]]  # by address; of a data frame, "" alone
    lexicon: Lexicon
    folder: str
    longest: int
    skip: bool
    placed: bool  # parts tell where each document stood
    metadata: dict[bytes, bytes]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Count the splits of a task."""
        counter = fastest(self.lexicon)
        piece: Piece | None = None
        for batch in batches:
            for key, kind, values in self._runs(batch):
                if piece is None or piece.key != key or sum(map(len, piece.rows)) >= PIECE:
                    if piece is not None:
                        yield self._finished(piece, counter)
                    piece = Piece(key, piece.number + 1 if piece is not None and piece.key == key else 0)
                self._count(piece, _read(kind, values, self.longest), counter)
        if piece is not None:
            yield self._finished(piece, counter)

    def _runs(self, batch: Any) -> Iterator[tuple[Key, Kind, list[Any]]]:
        """Cut what Spark has read into stretches of one split each."""
        if "" in self.files:
            from pyspark import TaskContext

            context = TaskContext.get()
            assert context is not None
            pairs = list(zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True))
            if pairs:
                yield (0, context.partitionId()), "pairs", pairs
            return
        values, starts = batch.column(0).to_pylist(), batch.column(2).to_numpy()
        paths = batch.column(1).dictionary_encode()
        number = paths.indices.to_numpy()
        edges: Ints = np.flatnonzero((np.diff(number) != 0) | (np.diff(starts) != 0)) + 1
        for begin, end in zip([0, *edges.tolist()], [*edges.tolist(), len(values)], strict=True):
            if begin < end:
                file, kind = self.files[address(paths.dictionary[int(number[begin])].as_py())]
                yield (file, int(starts[begin])), kind, values[begin:end]

    def _count(self, piece: Piece, some: Documents, counter: Kernel) -> None:
        piece.faults += [(piece.lines + line, reason) for line, reason in some.faults]
        if len(some.starts) and (self.skip or not piece.faults):
            tokens, counts = counted(counter, some)
            numbers = np.concatenate((tokens[None], counts.T)).astype(np.uint32)
            piece.rows.append(Rows.of(some.docnos, numbers, (some.lines + piece.lines).astype(np.uint64)))
        piece.bytes += int((some.ends - some.starts).sum())
        piece.lines += some.passed

    def _finished(self, piece: Piece, counter: Kernel) -> Any:
        """Write the part of a piece; what was wrong with it is written too where it is passed over."""
        size, rows, faults = 0, None, piece.faults
        if piece.rows:
            whole = Rows.joined(piece.rows)
            rows, again, _ = arranged(whole)
            docnos, lines = whole.docnos.take(pa.array(again)).to_pylist(), whole.places[again].tolist()  # type: ignore[index]
            faults = sorted(faults + [(line, twice(name)) for line, name in zip(lines, docnos, strict=True)])
            size = len(rows)
        line, reason = min(faults, default=(0, ""))
        if faults and self.skip:
            text = "".join(json.dumps(fault) + "\n" for fault in faults)
            write(self.folder, f"{piece.name}.rejected.jsonl", text.encode())
        if rows is not None and (self.skip or not faults):
            form = schema(self.lexicon.groups, placed=self.placed).with_metadata(self.metadata)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, form) as writer:
                writer.write_batch(rows.batch(form))
            write(self.folder, f"{piece.name}.arrow", sink.getvalue())
        told = (*piece.key, piece.number, piece.lines, size, piece.bytes, len(faults), line, reason, counter.name)
        kinds = {"int": pa.int32(), "long": pa.int64(), "string": pa.string()}
        names = [column.split() for column in SUMMARY.split(",")]
        fields = [pa.array([value], kinds[kind]) for (_, kind), value in zip(names, told, strict=True)]
        return pa.record_batch(fields, names=[name for name, _ in names])


def _read(kind: Kind, values: list[Any], longest: int) -> Documents:
    """Read lines or pairs by the rules of all collections."""
    if kind != "pairs":
        block = b"\n".join(values) + b"\n"
        return (documents.of_json if kind == "jsonl" else documents.of_tsv)(block, longest)
    texts = [(_decoded(docno), _decoded(text)) for docno, text in values]
    bad = {row for row, pair in enumerate(texts, 1) if None in pair}
    some = documents.of_pairs([("", "") if None in pair else pair for pair in texts], longest)  # type: ignore[misc]
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


def folder_of(folder: str) -> tuple[Any, str]:
    """Find the file system of a folder, as pyarrow knows it; what Hadoop calls s3a is s3 there."""
    system, path = FileSystem.from_uri(folder.replace("s3a://", "s3://", 1))
    return system, path


def write(folder: str, name: str, content: Any) -> None:
    """Write a file, whole or not at all."""
    system, path = folder_of(folder)
    part = f"{path}/.{name}.{uuid.uuid4().hex}"
    with system.open_output_stream(part, compression=None) as file:
        file.write(content)
    system.move(part, f"{path}/{name}")

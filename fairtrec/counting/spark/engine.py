"""The engine of a cluster: Spark reads a collection and counts it on its executors, with the counter of one machine.

``run`` makes the table that ``local.count_collection`` makes, byte for byte; ``count_parts`` leaves it in parts, which
``fairtrec counts merge`` makes into the same one. Needs ``pip install 'fairtrec[spark]'``, here and on the
executors, and a folder for the parts that both can reach.
"""

import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import fspath
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from fairtrec.counting.local.engine import (
    CountingOptions,
    CountingSummary,
    LinePlaces,
    make_lexicon,
    make_meta,
    merge_folder,
)
from fairtrec.counting.local.part import Done, part, rejects
from fairtrec.counting.local.tasks import BOM, MIB, describe_file
from fairtrec.counting.spark.executor import SUMMARY, Job, SourceForm, Stretch, address, open_folder, write
from fairtrec.counting.table import META, Source, plain
from fairtrec.counting.table.build import refuse_existing
from fairtrec.data import GroupTerms
from fairtrec.formats import collection
from fairtrec.support.errors import FilePath, InputError, ResourceError, UsageError
from fairtrec.support.guarded_imports import SAFE_PATH

MAGIC = {b"\x1f\x8b": (".gz", "gzip"), b"BZh": (".bz2", "bz2"), b"\x28\xb5\x2f\xfd": (".zst", "zstd")}
CODECS = (".gz", ".bz2", ".zst", ".deflate", ".lz4", ".snappy")  # names by which Spark decompresses


def lines(spark: Any, sources: list[str]) -> Any:
    """Let Spark read files, one line a row; a lone carriage return ends none."""
    return spark.read.option("recursiveFileLookup", "true").text(sources, lineSep="\n")


class SparkFile(NamedTuple):
    """A file that Spark reads: its name, its address, what it is, and the lines above its first document."""

    name: str
    uri: str
    kind: SourceForm
    head: int
    described: Source


def files(spark: Any, source: str) -> list[SparkFile]:
    """Find the files of a source."""
    with plainly(source):
        uris = sorted(map(address, lines(spark, [source]).inputFiles()))
    if not uris:
        raise InputError("Spark finds no file here; it passes over names that begin with _ or a dot", source)
    found: list[SparkFile] = []
    for uri in uris:
        parts = urlsplit(uri)
        path = unquote(parts.path)
        is_source = len(uris) == 1 and Path(path).name == Path(source).name
        name = source if is_source else path if parts.scheme == "file" else uri
        with plainly(name):
            first, last, size = _ends(spark, uri)
        start = _start(first, name)
        if not start.strip() and len(uris) == 1:
            raise InputError("this file has no lines; was it written to the end?", name)
        kind: SourceForm = "jsonl" if start.lstrip().startswith(b"{") else "tsv"
        head = collection.measure_head(start, name) if kind == "tsv" else 0
        found.append(SparkFile(name, uri, kind, start[:head].count(b"\n"), describe_file(path, size, first, last)))
    return found


def _ends(spark: Any, uri: str) -> tuple[bytes, bytes, int]:
    """Read the first and last MiB of a file, as Hadoop does, which knows where it lies; give its size too."""
    jvm = spark._jvm  # noqa: SLF001 - pyspark has no other way to Hadoop's file systems
    path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(uri))
    system = path.getFileSystem(spark._jsc.hadoopConfiguration())  # noqa: SLF001
    size = system.getFileStatus(path).getLen()
    length = min(size, MIB)
    stream = system.open(path)
    try:
        first = bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(stream, length))
        stream.seek(size - length)
        return first, bytes(jvm.org.apache.commons.io.IOUtils.toByteArray(stream, length)), size
    finally:
        stream.close()


def _start(first: bytes, name: str) -> bytes:
    """Give what a file begins with, decompressed. Raises InputError where Spark would decompress it otherwise."""
    import pyarrow as pa

    end, codec = next((each for magic, each in MAGIC.items() if first.startswith(magic)), ("", ""))
    named = next((each for each in CODECS if name.endswith(each)), "")
    if end != named:
        what = f"rename it so that it ends in {end}" if end else f"it is not compressed as {named} says"
        raise InputError(f"Spark tells compression by the end of the name; {what}", name)
    if codec:
        try:
            first = pa.CompressedInputStream(pa.BufferReader(first), codec).read(1 << 16)
        except OSError as fault:
            raise InputError(f"the compressed data is cut off or damaged ({fault}); make it again", name) from None
    return first.removeprefix(BOM)


@contextmanager
def plainly(source: str | None = None) -> Iterator[None]:
    """Say in a line what Spark says in a hundred."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as fault:
        text = str(fault)
        if "PATH_NOT_FOUND" in text or "Path does not exist" in text:
            raise InputError("there is no such file; check the name", source) from None
        if "No module named 'fairtrec" in text:
            raise UsageError(
                "the executors have no fairtrec; install it there, or send it along: docs/spark.md"
            ) from None
        if file := re.search(r"(?:[Ee]rror while reading file|FAILED_READ_FILE\S*\])\D*?(\w+:/\S+?)\.?\s", text):
            uri = address(file.group(1))
            name = unquote(uri[7:]) if uri.startswith("file:///") else uri
            raise InputError("this file cannot be read to its end; make or fetch it again", name) from fault
        if source is not None:
            raise InputError(f"Spark cannot read this ({first_line(fault)}); check the address", source) from fault
        raise


def first_line(fault: Exception) -> str:
    """Give the first line of what a fault says."""
    return next(iter(str(fault).splitlines()), type(fault).__name__)


DEFAULT = CountingOptions()
BATCH = 2000  # lines that Spark hands over at a time


def run(
    sources: Sequence[FilePath],
    terms: GroupTerms,
    output: Path,
    options: CountingOptions = DEFAULT,
    master: str | None = None,
) -> CountingSummary:
    """Make the table ``output`` of a collection; its parts are for a while in the folder ``<output>.parts``.

    Raises InputError for what is wrong with a source, UsageError for an output that exists or a cluster that does not.
    """
    refuse_existing(output, force=options.force)
    folder = Path(f"{output.absolute()}.parts")
    with session(master) as spark:
        counting = _Counting(spark, sources, terms, options, fspath(folder), "", placed=True)
        places, jobs = counting.done(), spark.sparkContext.defaultParallelism
    for done, name in zip(places.parts, counting.names, strict=True):
        for is_there, old, new in ((done.documents, "arrow", part), (done.rejected, "rejected.jsonl", rejects)):
            if is_there:
                (folder / f"{name}.{old}").rename(new(folder, done.number))
    meta, rejected = merge_folder(output, counting.made, places, folder, skip=options.keep_going)
    shutil.rmtree(folder)
    return CountingSummary(meta, sum(done.bytes for done in places.parts), rejected, 0, counting.counter, jobs)


def count_parts(
    sources: Any,
    terms: GroupTerms,
    output: FilePath,
    options: CountingOptions = DEFAULT,
    *,
    master: str | None = None,
    name: str = "data frame",
) -> CountingSummary:
    """Count a collection and leave the parts of its table, ``*.arrow``, in the folder ``output``.

    ``sources`` are addresses, or a Spark data frame with the columns docno and text, which the table calls ``name``.
    The folder is a path or an address that pyarrow can write to: s3://, gs://, hdfs://. What was passed over is told
    in its folder ``rejected``. Of the summary's metadata, totals are not known before the parts are merged.
    """
    folder = fspath(output) if "://" in fspath(output) else fspath(Path(output).absolute())
    with session(master, getattr(sources, "sparkSession", None)) as spark:
        counting = _Counting(spark, sources, terms, options, folder, name, placed=False)
        places, jobs = counting.done(), spark.sparkContext.defaultParallelism
    system, path = open_folder(folder)
    for done, piece in zip(places.parts, counting.names, strict=True):
        if done.rejected:
            raw = f"{path}/{piece}.rejected.jsonl"
            with system.open_input_stream(raw) as stream:
                faults = [json.loads(line) for line in stream.read().decode().splitlines()]
            found = [(*places.find_source(done.number, line), reason) for line, reason in faults]
            texts = [plain({"file": file, "line": line, "reason": reason}) + "\n" for file, line, reason in found]
            system.create_dir(f"{path}/rejected")
            write(f"{folder}/rejected", f"{piece}.jsonl", "".join(texts).encode())
            system.delete_file(raw)
    size, rejected = (sum(getattr(done, what) for done in places.parts) for what in ("bytes", "rejected"))
    return CountingSummary(counting.made, size, rejected, 0, counting.counter, jobs)


@contextmanager
def session(master: str | None, given: Any = None) -> Iterator[Any]:
    """Use the Spark session that there is, or one of our own, which is ended behind."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        message = "the engine spark needs pyspark; install it: pip install 'fairtrec[spark]'"
        raise ResourceError(message) from None
    spark: Any = given or SparkSession.getActiveSession()
    if spark is not None:
        if master is not None and master != spark.sparkContext.master:
            raise UsageError(f"Spark runs already, on {spark.sparkContext.master}; leave --master away, or stop it")
        yield spark
        return
    builder: Any = SparkSession.builder
    builder = builder.appName("fairtrec counts make").config("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH)
    if (master or "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = builder.config(f"spark.executorEnv.{SAFE_PATH}", "1")  # of each Python that an executor starts
    try:
        spark = (builder if master is None else builder.master(master)).getOrCreate()
    except Exception as fault:
        raise UsageError(
            f"Spark does not start ({first_line(fault)}); check --master, and that there is Java"
        ) from fault
    try:
        yield spark
    finally:
        spark.stop()


class _Counting:
    def __init__(
        self,
        spark: Any,
        sources: Any,
        terms: GroupTerms,
        options: CountingOptions,
        folder: str,
        name: str,
        *,
        placed: bool,
    ) -> None:
        if options.resume or options.jobs:
            raise UsageError("--resume and --jobs are for the engine local; Spark has its own executors and repeats")
        described: list[Source]
        self.spark, self.skip, self.folder = spark, options.keep_going, folder
        lexicon = make_lexicon(terms, options)
        if hasattr(sources, "sparkSession"):
            self.origins, known, described = [name], {"": (0, "pairs", 0)}, [{"name": name}]
            self.frame = sources.selectExpr("cast(docno as binary) as docno", "cast(text as binary) as text")
        else:
            found = [each for source in sources for each in files(spark, fspath(source))]
            self.origins = [file.name for file in found]
            known = {file.uri: (number, file.kind, file.head) for number, file in enumerate(found)}
            if len(known) < len(found):
                again = next(file.name for number, file in enumerate(found) if known[file.uri][0] != number)
                raise InputError("this file is listed twice; list it once", again)
            described = [file.described for file in found]
            rows = lines(spark, [fspath(source) for source in sources])
            self.frame = rows.selectExpr(
                "cast(value as binary) as line", "_metadata.file_path", "_metadata.file_block_start as start"
            )
        self.made = make_meta(terms, options, described)
        texts = {} if placed else {META: self.made.json.encode()}
        self.job = Job(known, lexicon, folder, options.max_doc_bytes, self.skip, placed, texts)  # type: ignore[arg-type]
        self._empty_folder(force=options.force)

    def _empty_folder(self, *, force: bool) -> None:
        from pyarrow.fs import FileSelector, FileType

        system, path = open_folder(self.folder)
        try:
            if system.get_file_info(path).type != FileType.NotFound and system.get_file_info(FileSelector(path)):
                if not force:
                    raise UsageError(f"{self.folder} exists; add --force to replace it, or choose another with -o")
                system.delete_dir_contents(path)
            system.create_dir(path)
        except OSError as fault:
            raise UsageError(
                f"{self.folder} cannot be a folder of parts ({first_line(fault)}); choose another"
            ) from None

    def done(self) -> LinePlaces:
        """Count. Raises InputError for the first fault, unless faults are passed over."""
        with plainly(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")  # none is used here
            rows = sorted(self.frame.mapInArrow(self.job, SUMMARY).collect())
        self.names = [Stretch(key=(row.file, row.start), number=row.piece).name for row in rows]
        self.counter = rows[0].counter if rows else ""
        parts = [
            Done(number, row.file, row.lines, row.documents, row.bytes, row.rejected if self.skip else 0)
            for number, row in enumerate(rows)
        ]
        places = LinePlaces(self.origins, parts)
        for done, row in zip(parts, rows, strict=True):
            if row.reason and not self.skip:
                raise InputError(row.reason, *places.find_source(done.number, row.line))
        self._look(parts)
        return places

    def _look(self, parts: list[Done]) -> None:
        """Raise UsageError where the parts are not within reach of this machine."""
        from pyarrow.fs import FileType

        system, path = open_folder(self.folder)
        there = [f"{path}/{name}.arrow" for done, name in zip(parts, self.names, strict=True) if done.documents]
        if any(info.type == FileType.NotFound for info in system.get_file_info(there)):
            message = f"the executors wrote to a {self.folder} of their own; choose an output that all machines share"
            raise UsageError(message)

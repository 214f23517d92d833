"""The engine of a cluster: Spark reads a collection and counts it on its executors, with the counter of one machine.

``run`` makes the table that ``local.annotate`` makes, byte for byte; ``annotate`` leaves it in parts, which
``fairtrec counts merge`` makes into the same one. Needs ``pip install 'fairtrec[spark]'``, here and on the
executors, and a folder for the parts that both can reach.
"""

import json
import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import fspath
from pathlib import Path
from typing import Any

from fairtrec.annotation.local.engine import Options, Summary, lexicon_of, meta_of
from fairtrec.annotation.local.gather import Places, merged
from fairtrec.annotation.local.part import Done, part, rejects
from fairtrec.annotation.spark.executor import SUMMARY, Job, Stretch, folder_of, write
from fairtrec.annotation.spark.hadoop import files, first_line, lines, plainly
from fairtrec.data import GroupTerms
from fairtrec.errors import FilePath, InputError, ResourceError, UsageError
from fairtrec.formats.table import META, Source, plain
from fairtrec.formats.table.build import refuse_existing

DEFAULT = Options()
BATCH = 2000  # lines that Spark hands over at a time


def run(
    sources: Sequence[FilePath],
    terms: GroupTerms,
    output: Path,
    options: Options = DEFAULT,
    master: str | None = None,
) -> Summary:
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
    meta, rejected = merged(output, counting.made, places, folder, skip=options.on_error == "skip")
    shutil.rmtree(folder)
    return Summary(meta, sum(done.bytes for done in places.parts), rejected, 0, counting.counter, jobs)


def annotate(
    sources: Any,
    terms: GroupTerms,
    output: FilePath,
    options: Options = DEFAULT,
    *,
    master: str | None = None,
    name: str = "data frame",
) -> Summary:
    """Count a collection and leave the parts of its table, ``*.arrow``, in the folder ``output``.

    ``sources`` are addresses, or a Spark data frame with the columns docno and text, which the table calls ``name``.
    The folder is a path or an address that pyarrow can write to: s3://, gs://, hdfs://. What was passed over is told
    in its folder ``rejected``. Of the summary's metadata, totals are not known before the parts are merged.
    """
    folder = fspath(output) if "://" in fspath(output) else fspath(Path(output).absolute())
    with session(master, getattr(sources, "sparkSession", None)) as spark:
        counting = _Counting(spark, sources, terms, options, folder, name, placed=False)
        places, jobs = counting.done(), spark.sparkContext.defaultParallelism
    system, path = folder_of(folder)
    for done, piece in zip(places.parts, counting.names, strict=True):
        if done.rejected:
            raw = f"{path}/{piece}.rejected.jsonl"
            with system.open_input_stream(raw) as stream:
                faults = [json.loads(line) for line in stream.read().decode().splitlines()]
            found = [(*places.origin(done.number, line), reason) for line, reason in faults]
            texts = [plain({"file": file, "line": line, "reason": reason}) + "\n" for file, line, reason in found]
            system.create_dir(f"{path}/rejected")
            write(f"{folder}/rejected", f"{piece}.jsonl", "".join(texts).encode())
            system.delete_file(raw)
    size, rejected = (sum(getattr(done, what) for done in places.parts) for what in ("bytes", "rejected"))
    return Summary(counting.made, size, rejected, 0, counting.counter, jobs)


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
    builder = builder.appName("fairtrec annotate").config("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH)
    if (master or "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
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
        self, spark: Any, sources: Any, terms: GroupTerms, options: Options, folder: str, name: str, *, placed: bool
    ) -> None:
        if options.resume or options.jobs:
            raise UsageError("--resume and --jobs are for the engine local; Spark has its own executors and repeats")
        described: list[Source]
        self.spark, self.skip, self.folder = spark, options.on_error == "skip", folder
        lexicon = lexicon_of(terms, options)
        if hasattr(sources, "sparkSession"):
            self.origins, known, described = [name], {"": (0, "pairs")}, [{"name": name}]
            self.frame = sources.selectExpr("cast(docno as binary) as docno", "cast(text as binary) as text")
        else:
            found = [each for source in sources for each in files(spark, fspath(source))]
            self.origins = [origin for origin, _, _, _ in found]
            known = {uri: (number, kind) for number, (_, uri, kind, _) in enumerate(found)}
            if len(known) < len(found):
                again = next(o for number, (o, uri, _, _) in enumerate(found) if known[uri][0] != number)
                raise InputError("this file is named twice; name it once", again)
            described = [each for _, _, _, each in found]
            rows = lines(spark, [fspath(source) for source in sources])
            self.frame = rows.selectExpr(
                "cast(value as binary) as line", "_metadata.file_path", "_metadata.file_block_start as start"
            )
        self.made = meta_of(terms, options, described)
        texts = {} if placed else {META: self.made.json.encode()}
        self.job = Job(known, lexicon, folder, options.max_doc_bytes, self.skip, placed, texts)  # type: ignore[arg-type]
        self._empty_folder(force=options.force)

    def _empty_folder(self, *, force: bool) -> None:
        from pyarrow.fs import FileSelector, FileType

        system, path = folder_of(self.folder)
        try:
            if system.get_file_info(path).type != FileType.NotFound and system.get_file_info(FileSelector(path)):
                if not force:
                    raise UsageError(f"{self.folder} exists; give --force to overwrite it, or another name")
                system.delete_dir_contents(path)
            system.create_dir(path)
        except OSError as fault:
            raise UsageError(
                f"{self.folder} cannot be a folder of parts ({first_line(fault)}); choose another"
            ) from None

    def done(self) -> Places:
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
        places = Places(self.origins, parts)
        for done, row in zip(parts, rows, strict=True):
            if row.reason and not self.skip:
                raise InputError(row.reason, *places.origin(done.number, row.line))
        self._look(parts)
        return places

    def _look(self, parts: list[Done]) -> None:
        """Raise UsageError where the parts are not within reach of this machine."""
        from pyarrow.fs import FileType

        system, path = folder_of(self.folder)
        there = [f"{path}/{name}.arrow" for done, name in zip(parts, self.names, strict=True) if done.documents]
        if any(info.type == FileType.NotFound for info in system.get_file_info(there)):
            message = f"the executors wrote to a {self.folder} of their own; choose an output that all machines share"
            raise UsageError(message)

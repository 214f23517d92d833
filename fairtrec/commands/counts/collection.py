"""``fairtrec.make_counts``: the table of counts of a whole collection."""

# ruff: noqa: PTH113 - pathlib stumbles over long names

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fairtrec.counting import CollectionOptions, Watcher
from fairtrec.counting.local import engine as local
from fairtrec.counting.local.engine import CountingOptions, CountingSummary
from fairtrec.counting.table.files import Table
from fairtrec.evaluation.given.given_rows import TermsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import refuse_unknown_options
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError
from fairtrec.support.files.arguments import is_same
from fairtrec.support.literals import Engine

if TYPE_CHECKING:
    pass


HowToWork = TypeVar("HowToWork", bound=CollectionOptions)


def make_counts(
    sources: FilePath | Sequence[FilePath],
    terms: TermsLike,
    output: FilePath,
    *,
    engine: Engine = "local",
    master: str | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> CountingSummary:
    """Count the tokens and group terms of every document of a collection, and write the table of counts.

    Args:
        sources: files of ``docno<TAB>text`` lines or JSON lines, or an ir_datasets id.
        terms: the name of a word list, a path, or ``{group: [term, ...]}``.
        output: the table: .arrow (for ``counts=``), .parquet or .tsv.
        engine: "local" or "spark".
        master: the address of the Spark cluster.
        watcher: a function that is called with the progress.
        options: those of ``fairtrec counts make``: tokenizer, case_sensitive, jobs, resume, force, keep_going,
            max_doc_bytes. A script with several jobs, which is the default for large sources, calls this below
            ``if __name__ == "__main__":``.

    Raises:
        InputError: a source that cannot be read.
        UsageError: an output that exists, or a run that cannot be resumed.
    """
    how = take_options(CountingOptions, options)
    if master is not None and engine != "spark":
        raise UsageError("--master is the address of Spark; add --engine spark")
    several = [sources] if isinstance(sources, str | PathLike) else list(sources)
    refuse_read(output, [*several, terms])
    for each in several:
        if _is_counts(each):
            raise InputError("this is already a table of counts; pass the texts", each)
    listed = loading.terms(terms)
    if engine == "spark":
        from fairtrec.counting.spark import engine as spark

        return spark.run(several, listed, Path(output), how, master)
    return local.count_collection(several, listed, Path(output), how, watcher)


def take_options(kind: type[HowToWork], options: Mapping[str, Any]) -> HowToWork:
    """Take options by their names. Raises UsageError for one that there is not."""
    refuse_unknown_options(options, [*kind.__dataclass_fields__])
    return kind(**options)


def refuse_read(output: FilePath, read: Iterable[Any]) -> None:
    """Raise UsageError where the output is one of the files that are read."""
    for each in read:
        if isinstance(each, PATH) and is_same(fspath(each), fspath(output)):
            raise UsageError(f"the output {fspath(output)} is also read; choose another with -o")


def _is_counts(path: FilePath) -> bool:
    """Tell a table of counts, whose rows would be taken for texts."""
    with suppress(InputError):
        return os.path.isfile(path) and bool(Table(path).groups)
    return False

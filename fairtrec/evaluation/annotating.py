"""``fairtrec.annotate``: from what a caller names to a table of counts, on one machine or on a cluster."""
# ruff: noqa: PTH113, PTH121 - pathlib stumbles over long names

import os
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from fairtrec.annotation import Watcher
from fairtrec.annotation.local import engine as local
from fairtrec.annotation.local.engine import CountingOptions, CountingSummary
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.evaluation import loading
from fairtrec.evaluation.choices import unknown
from fairtrec.evaluation.given import TermsLike
from fairtrec.formats.table.files import Table
from fairtrec.literals import Engine


def annotate(
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

    ``sources``  files of docno<TAB>text lines or JSON lines, or an ir_datasets id.
    ``terms``    the name of a word list, a path, or ``{group: [term, ...]}``.
    ``output``   the table: .arrow (for ``counts=``), .parquet or .tsv.
    ``watcher``  is called with how far it has come.
    ``options``  the options of ``fairtrec annotate``: tokenizer, case_sensitive, jobs, resume, force, on_error,
                 max_doc_bytes. Where jobs are several, which is the default, a script calls this below
                 ``if __name__ == "__main__":``.

    Raises InputError for what is wrong with a source, UsageError for an output that exists or a run that cannot go on.
    """
    if strange := options.keys() - CountingOptions.__annotations__:
        raise unknown(min(strange), CountingOptions.__annotations__)
    if master is not None and engine != "spark":
        raise UsageError("--master says where Spark runs; add --engine spark")
    several = [sources] if isinstance(sources, str | PathLike) else list(sources)
    read = [*several, terms] if isinstance(terms, str | PathLike) else several
    for each in read:
        if os.path.isfile(each) and os.path.isfile(output) and os.path.samefile(each, output):
            raise UsageError(f"the output {os.fspath(output)} is also read; choose another with -o")
    for each in several:
        if _is_counts(each):
            raise InputError("this is a table of counts, which annotate makes; name the texts that were counted", each)
    listed, how = loading.terms(terms), CountingOptions(**options)
    if engine == "spark":
        from fairtrec.annotation.spark import engine as spark

        return spark.run(several, listed, Path(output), how, master)
    return local.annotate(several, listed, Path(output), how, watcher)


def _is_counts(path: FilePath) -> bool:
    """Tell a table of counts, whose rows would be taken for texts."""
    with suppress(InputError):
        return os.path.isfile(path) and bool(Table(path).groups)
    return False

"""``fairtrec.validate``: all that is wrong with runs, beside whatever the caller has to check them against."""

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import Any

from fairtrec.errors import FilePath, UsageError
from fairtrec.literals import RunFormat
from fairtrec.validation import collection
from fairtrec.validation.checked import KEPT, Checked, examine


def validate(
    runs: FilePath | Sequence[FilePath],
    *,
    qrels: Any = None,
    queries: Any = None,
    docs: str | None = None,
    docnos: FilePath | None = None,
    depth: int | None = None,
    most: int | None = KEPT,
    run_format: RunFormat = "auto",
) -> Iterator[Checked]:
    """Find all that is wrong with each run, one after the other.

    ``runs``    a path, or several.
    ``qrels``   the wanted queries are those of these judgements, as `evaluate` takes them; or ``queries``.
    ``docs``    the collection: a path or an ir_datasets id; or ``docnos``, a file with a docno on each line.
    ``depth``   how many documents are due for each query.
    ``most``    how many findings of each code are kept; None: all. All are counted.
    ``run_format``  what the runs are written as; auto tells TREC, JSON lines and Parquet by their content.

    Raises UsageError for two ways to say the same, InputError for what cannot be read at all.
    """
    several = [runs] if isinstance(runs, str | PathLike) else list(runs)
    if not all(isinstance(run, str | PathLike) for run in several):
        raise UsageError("files are validated, of which lines can be named; write each run to one, and give its path")
    paths = [fspath(path) for path in several]
    known = collection.known(paths, qrels=qrels, queries=queries, docs=docs, docnos=docnos, depth=depth)
    return (examine(path, known, most, run_format) for path in paths)

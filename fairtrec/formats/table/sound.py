"""What a table of counts must be before it is believed: its schema, and what its metadata say."""

from collections.abc import Sequence
from typing import Any

from fairtrec.data import Histogram
from fairtrec.errors import FilePath, InputError
from fairtrec.formats.table import COLUMNS, DOCNO, KEY, META, TOKENS

NO_TABLE = "this is no table of counts; its columns are docno, tokens and an integer for each group"


def groups_in(schema: Any, path: FilePath) -> list[str]:
    """Name the groups of an Arrow or Parquet file. Raises InputError where it is no table of counts."""
    import pyarrow as pa

    names = schema.names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"the column {twice[0]} stands twice; keep one of the two", path)
    groups = [name for name in names if name not in COLUMNS]
    numbers = [name for name in names if name != DOCNO]
    if not {DOCNO, TOKENS} <= set(names) or len(groups) < 2:
        raise InputError(NO_TABLE, path)
    if not all(pa.types.is_integer(schema.field(name).type) for name in numbers):
        raise InputError(NO_TABLE, path)
    kind = schema.field(DOCNO).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind  # as Parquet is read, each text once
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputError(f"its docnos are of the type {kind}; write them as string", path)
    return groups


def is_ours(schema: Any, path: FilePath) -> bool:
    """Tell whether a file is one that can be searched. Raises InputError where it says so and is not."""
    from fairtrec.formats.table.rows import schema as schema_of

    if schema.names[0] != KEY or META not in (schema.metadata or {}):
        return False
    ours = schema_of([name for name in schema.names if name not in COLUMNS])
    if [(field.name, field.type) for field in schema] != [(field.name, field.type) for field in ours]:
        raise InputError("its columns are not as `fairtrec annotate` writes them; count again", path)
    return True


def refuse_other_sums(histogram: Histogram, rows: int, totals: Sequence[int], path: FilePath) -> None:
    """Raise InputError where a distribution is not that of the rows of which the metadata speak."""
    least = min(histogram.counts.min(initial=0), histogram.documents.min(initial=1) - 1)
    sums = histogram.documents @ histogram.counts
    if least < 0 or int(histogram.documents.sum()) != rows or tuple(sums.tolist()) != tuple(totals):
        raise InputError("the distribution of counts is damaged (it is not that of the rows); count again", path)

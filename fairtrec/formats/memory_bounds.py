"""Parquet, Arrow and npz that would take far more memory than they are large: refused before any of it is taken."""

import os
from collections.abc import Container, Iterator
from contextlib import contextmanager
from os import fspath
from typing import Any

from fairtrec.formats.columns import WIDEST
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import submissions
from fairtrec.support.files.admission import open_file, refuse_unrecorded
from fairtrec.support.files.opening import PARQUET, is_stream, refuse_bomb
from fairtrec.support.files.table_header import normalize_name

LEAST = 8  # bytes that a value takes in memory at least, however often it repeats the one above
WIDE = f"a docno of more than {WIDEST} bytes, or with a NUL; change it"
LARGEST_TEXTS = 1 << 28  # bytes of texts that become objects of Python at a time
OBJECT = 64  # bytes of such an object at least
OUTSIDE_CALENDAR = "holds a time outside of the years 1 to 9999; write it as text"


def refuse_submission(path: FilePath) -> None:
    """Raise InputError for a run that is refused as a stranger's, before it is unpacked; rows of Parquet are lines."""
    border = submissions.border()
    if border is None:
        return
    border.refuse(path)
    if border.untrusted and os.path.isfile(path):  # noqa: PTH113 - pathlib takes its time to be imported
        with open_file(path) as file:
            if file.read(len(PARQUET)) != PARQUET:
                return
        from fairtrec.formats import parquet_pages

        columns = parquet_pages.read_page_heads(path)
        border.refuse_many("bytes", sum(column.unpacked for column in columns), path)
        border.refuse_many("lines", max((column.values for column in columns), default=0), path)


@contextmanager
def open_parquet(path: FilePath, what: str, texts: tuple[str, ...]) -> Iterator[Any]:
    """Open a Parquet file, of a run or of labels; what goes wrong with it becomes an InputError that says so."""
    import pyarrow as pa

    if is_stream(path):
        raise InputError("Parquet cannot be read from a stream; pass a file", path)
    try:
        with parquet(path, texts) as file:
            yield file
    except OverflowError:
        raise InputError(f"a column of the {what} {OUTSIDE_CALENDAR}", path) from None
    except (pa.ArrowException, OSError, ValueError) as fault:  # text that is no UTF-8
        why = str(fault).splitlines()[0]
        raise InputError(f"not a Parquet file of {what} ({why}); write it again", path) from None


@contextmanager
def parquet(path: FilePath, texts: tuple[str, ...] = ()) -> Iterator[Any]:
    """Open a Parquet file; of the columns ``texts`` each text is held once, wherever it stands."""
    from pyarrow import parquet

    from fairtrec.formats import parquet_pages

    tops = {name.partition(".")[0] for name in texts}
    refuse_unrecorded(path)
    with parquet.ParquetFile(fspath(path)) as file:
        rows, schema = file.metadata.num_rows, file.schema
        refuse_bomb(path, rows * LEAST)
        leaves = [schema.column(i) for i in range(len(schema))]
        columns = parquet_pages.read_page_heads(path)
        refuse_bomb(path, sum(column.unpacked for column in columns))
        widths = [max(LEAST, leaf.length) for leaf in leaves]  # more than that only of values that are all as long
        sizes = [column.values * width for column, width in zip(columns, widths, strict=True)]
        refuse_bomb(path, max(sizes, default=0))
        refuse_bomb(path, rows * max([1, *map(_items, file.schema_arrow.types)]))  # a row that has none takes as much
        is_text = [leaf.physical_type == "BYTE_ARRAY" and _is_one_of(leaf.path, tops) for leaf in leaves]
        kept = [
            (leaf.path, column.encodings) for leaf, column, kept in zip(leaves, columns, is_text, strict=True) if kept
        ]
        if any(parquet_pages.PREFIXED in encodings for _, encodings in kept):
            raise InputError("the encoding DELTA_BYTE_ARRAY can unpack to any size; use another encoding", path)
        there = [name for name, encodings in kept if encodings != {parquet_pages.LENGTHS}]  # which repeats no text
    with parquet.ParquetFile(fspath(path), read_dictionary=there) as file:
        yield file


def _is_one_of(column: str, names: Container[str]) -> bool:
    """Tell whether a column has one of these names, as it is written or as it matches."""
    top = column.split(".", maxsplit=1)[0]
    return top in names or normalize_name(top) in names


def _items(kind: Any) -> int:
    """Count the places that a row of this type has, filled or not: those of lists of a fixed size."""
    import pyarrow as pa

    inner = [kind.field(i).type for i in range(kind.num_fields)] if pa.types.is_nested(kind) else []
    return int(getattr(kind, "list_size", 1)) * max([1, *map(_items, inner)])


def pieces(batch: Any, path: FilePath) -> Iterator[Any]:
    """Cut rows into pieces whose texts can become objects of Python. Raises InputError for a row that is too large."""
    if sum(map(_texts, batch.columns)) <= LARGEST_TEXTS:
        yield batch
    elif len(batch) == 1:
        raise InputError(f"more than {LARGEST_TEXTS >> 20} MiB in one row; shorten it", path)
    else:
        half = len(batch) // 2
        yield from pieces(batch.slice(0, half), path)
        yield from pieces(batch.slice(half), path)


def _texts(column: Any) -> int:
    """Sum the bytes that the cells of a column take as objects, each text as often as it stands there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = pc.cast(pc.binary_length(column.dictionary), pa.int64()).take(column.indices)
        return OBJECT * len(column) + (pc.sum(lengths).as_py() or 0)
    if pa.types.is_struct(kind):
        return OBJECT * len(column) + sum(map(_texts, column.flatten()))
    if pa.types.is_nested(kind):
        return OBJECT * len(column) + (_texts(column.flatten()) if hasattr(column, "flatten") else column.nbytes)
    return OBJECT * len(column) + int(column.nbytes)


def refuse_wide(column: Any, path: FilePath) -> None:
    """Raise InputError for a docno that is too long, before it is repeated as often as it stands there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > WIDEST:
        raise InputError(WIDE, path)


def refuse_compressed(path: FilePath) -> bool:
    """Raise InputError for an Arrow file whose columns are far larger when unpacked; tell whether they are packed."""
    from fairtrec.formats import arrow_messages

    unpacked = arrow_messages.unpacked_size(path)
    refuse_bomb(path, unpacked)
    return unpacked > 0


def refuse_archive(path: FilePath) -> None:
    """Raise InputError for an npz whose arrays are far larger than it is, or than what is packed in it."""
    from zipfile import ZipFile

    refuse_unrecorded(path)
    with ZipFile(path) as archive:
        refuse_bomb(path, sum(each.file_size for each in archive.infolist()))

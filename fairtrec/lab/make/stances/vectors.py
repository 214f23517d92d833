"""Vectors of documents: ``.npy`` or ``.npz`` with a list of ids, or Parquet with a docno and a vector in each row.

``.npy``      a matrix of numbers [document, dimension]; a large one is mapped into memory: only wanted rows are read
``.npz``      the same under any name; beside it, instead of a list, may lie an array of docnos
``.parquet``  a column docno (or id, doc_id, docid, _id), and one column of lists of numbers, all of one length

What holds Python objects is refused: to read them would be to run them.
"""

import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fairtrec.data import MISSING, Docnos, Docs, Floats, Ints, decode, number_rows
from fairtrec.formats import memory_bounds
from fairtrec.formats.columns import WIDEST
from fairtrec.formats.spans import flat, take_array, take_numbers
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError
from fairtrec.support.files import mapping, opening
from fairtrec.support.files.admission import open_file, refuse_unrecorded
from fairtrec.support.files.atomic import replace_file

IDS = ("docno", "doc_id", "docid", "id", "_id")
ROWS = 1 << 13  # of Parquet that are read at a time
LARGEST_HASHED = 1 << 30  # bytes; a larger file is named with its size instead of its sha256


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors of wanted documents: that of document i is ``values[rows[i]]``, where ``rows[i]`` is not MISSING."""

    name: str
    rows: Ints
    values: Any
    path: FilePath | None = None

    @property
    def dimensions(self) -> int:
        """The numbers of a vector."""
        return int(self.values.shape[1])

    def take(self, documents: Ints) -> Floats:
        """Give the vectors [document, dimension] of documents that have one."""
        with np.errstate(invalid="ignore"):  # of a NaN that signals; what is no number is refused later
            return np.asarray(self.values[self.rows[documents]], dtype=np.float64)


def read(thing: Any, ids: Any, wanted: Docnos) -> Vectors:
    """Read the vectors of wanted documents: a file, ``{docno: vector}``, or a matrix, whose rows ``ids`` name.

    Raises InputError for other shapes, ids that are not as many as rows, and a wanted document that appears twice.
    """
    if not isinstance(thing, PATH):
        return _held(thing, ids, wanted)
    if opening.is_stream(thing):
        raise InputError("vectors cannot be looked up in a stream; pass a file", thing)
    with opening.open_input(thing) as file:
        start = file.read(6)
    if start.startswith(opening.PARQUET):
        if ids is not None:
            raise UsageError("--ids names the rows of a matrix, and Parquet names its own; leave it out")
        rows, values = _parquet(thing, wanted)
    elif start.startswith((b"\x93NUMPY", b"PK\x03\x04")):
        values, inside = _arrays(thing, packed=start.startswith(b"PK"))
        if ids is not None:
            rows = _rows(*_ids(ids), values, wanted)
        elif inside is not None:
            rows = _rows(inside, thing, values, wanted)
        else:
            raise UsageError("the rows of a matrix have no names; add --ids FILE, a docno on each line")
    else:
        raise InputError("these are not vectors; pass .npy or .npz of numpy, or Parquet", thing)
    size = opening.size(thing)
    called = f"@{opening.sha256(thing)[:8]}" if size <= LARGEST_HASHED else f"/{size}"
    return Vectors(opening.name(thing) + called, rows, values, thing)


def take_matrix(matrix: Any, name: str, known: Ints, wanted: Docnos) -> Vectors:
    """Take the matrix that a model made of the ``known`` ones of the wanted documents."""
    values = _checked(np.asarray(matrix), None)
    return Vectors(name, number_rows(known, len(wanted)), values)


def write(path: Path, docnos: Docs, values: npt.NDArray[Any]) -> None:
    """Write vectors as Parquet: docno, and vector, a list of floats."""
    import pyarrow as pa
    from pyarrow import parquet

    vectors = pa.FixedSizeListArray.from_arrays(flat(values.ravel()), values.shape[1])
    columns = {"docno": pa.array(decode(docnos), pa.string()), "vector": vectors}
    with replace_file(path) as part:
        parquet.write_table(pa.table(columns), fspath(part), compression="zstd", row_group_size=ROWS)


@contextmanager
def _readable(path: FilePath) -> Iterator[None]:
    import lzma
    import struct
    import tokenize
    import warnings
    import zipfile
    import zlib

    packed = zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, RuntimeError
    header = ValueError, TypeError, KeyError, OverflowError, SyntaxError, tokenize.TokenError
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote, or damage has made look so
            yield
    except (OSError, MemoryError, *packed, *header) as fault:  # of a header that claims more than there is
        why = (str(fault).splitlines() or [type(fault).__name__])[0][:100]
        raise InputError(f"this is not an array of numbers ({why}); write it with numpy.save", path) from None


def _arrays(path: FilePath, *, packed: bool) -> tuple[Any, Docs | None]:
    """Read a matrix, and the docnos if they lie beside it."""
    with _readable(path):
        if not packed:
            return _checked(_matrix(path), path), None
        memory_bounds.refuse_archive(path)
    with _readable(path), open_file(path) as file, np.load(file, allow_pickle=False) as archive:
        arrays = [each for each in (archive[name] for name in archive.files) if isinstance(each, np.ndarray)]
    matrices = [array for array in arrays if array.ndim == 2]
    names = [array for array in arrays if array.ndim == 1 and array.dtype.kind in "SU"]
    if len(matrices) != 1 or len(names) > 1:
        raise InputError(f"{len(matrices)} matrices and {len(names)} lists of docnos; keep one of each", path)
    docnos = [np.strings.encode(each) if each.dtype.kind == "U" else each for each in names]
    return _checked(matrices[0], path), docnos[0] if docnos else None


def _matrix(path: FilePath) -> npt.NDArray[Any]:
    """Map a large matrix into memory, and read a small one."""
    refuse_unrecorded(path)
    if not mapping.is_mapped(path):
        found: npt.NDArray[Any] = np.load(path, allow_pickle=False)
        return found
    found = np.load(path, mmap_mode="r", allow_pickle=False)
    weakref.finalize(found, mapping.forget, mapping.watch(path, found.ctypes.data, found.nbytes))
    return found


def _checked(values: npt.NDArray[Any], path: FilePath | None) -> npt.NDArray[Any]:
    if values.ndim != 2 or values.dtype.kind not in "fiu":
        what = f"an array of {values.ndim} dimensions of {values.dtype}"
        raise InputError(f"{what} instead of a matrix of numbers; write a row for each document", path)
    if not values.shape[1]:
        raise InputError("these vectors have no dimension; was the model run?", path)
    return values


def _ids(ids: Any) -> tuple[Docs, FilePath | None]:
    if not isinstance(ids, PATH):
        names, path = [str(name).encode() for name in ids], None
    else:
        names, path = [], ids
        with opening.open_input(ids) as stream:
            for block, _ in opening.blocks(stream, ids):
                lines = block.split(b"\n")
                names += (line.strip() for line in (lines if lines[-1] else lines[:-1]))
    bad = next((row for row, name in enumerate(names, 1) if not name or len(name) > WIDEST), None)
    if bad is not None:
        raise InputError(f"no id, or one of more than {WIDEST} bytes; each line names a row", path, bad)
    return np.array(names, dtype=np.bytes_), path


def _rows(names: Docs, path: FilePath | None, values: npt.NDArray[Any], wanted: Docnos) -> Ints:
    """Find the row of each wanted document among the names of all rows, which stand in that file."""
    if len(names) != len(values):
        raise InputError(f"{len(names)} ids for {len(values)} vectors; pass the same number", path)
    found = wanted.rows(names) if len(names) else np.empty(0, np.int64)
    here = np.flatnonzero(found != MISSING)
    return _placed(found[here], here, wanted, path, lines=True)


def _placed(found: Ints, here: Ints, wanted: Docnos, path: FilePath | None, *, lines: bool) -> Ints:
    """Give each wanted document its row: ``here`` stand those that were ``found``, which stand once."""
    first = np.zeros(len(found), dtype=np.bool_)
    first[np.unique(found, return_index=True)[1]] = True
    if not first.all():
        at = int(first.argmin())
        docno = wanted.names[found[at]].decode()
        raise InputError(f"document {docno} appears twice; keep one vector", path, int(here[at]) + 1 if lines else None)
    rows = np.full(len(wanted), MISSING, dtype=np.int64)
    rows[found] = here
    return rows


def _parquet(path: FilePath, wanted: Docnos) -> tuple[Ints, npt.NDArray[Any]]:
    """Find the row groups that hold wanted documents by their docnos, then read the vectors of these."""
    found, parts = [np.empty(0, np.int64)], []
    with memory_bounds.open_parquet(path, "vectors", IDS) as file:
        docno, vector = _columns(file.schema_arrow, path)
        every = range(file.num_row_groups)
        groups = [i for i in every if (_of(file.read_row_group(i, [docno])[docno], wanted, path) != MISSING).any()]
        for batch in file.iter_batches(ROWS, row_groups=groups, columns=[docno, vector]):
            at = _of(batch.column(docno), wanted, path)
            here = np.flatnonzero(at != MISSING)
            if len(here):
                found.append(at[here])
                parts.append(_lists(batch.column(vector).take(flat(here)), path))
    if len({part.shape[1] for part in parts}) > 1:
        raise InputError("vectors of different lengths; all need the same model", path)
    if not parts:
        raise InputError("no document of the runs has a vector here; check the ids", path)
    where = np.concatenate(found)
    rows = _placed(where, np.arange(len(where)), wanted, path, lines=False)
    return rows, _checked(np.concatenate(parts), path)


def _columns(schema: Any, path: FilePath) -> tuple[str, str]:
    import pyarrow.types as of

    kinds = of.is_list, of.is_large_list, of.is_fixed_size_list
    numbers = of.is_integer, of.is_floating
    docno = next((name for name in IDS if name in schema.names), "")
    several = [field for field in schema if any(is_kind(field.type) for is_kind in kinds)]
    lists = [field.name for field in several if any(is_kind(field.type.value_type) for is_kind in numbers)]
    if not docno or len(lists) != 1:
        message = f"the columns are {', '.join(schema.names)}; call one docno, and keep one column of lists of numbers"
        raise InputError(message, path)
    return docno, lists[0]


def _of(column: Any, wanted: Docnos, path: FilePath) -> Ints:
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    for chunk in chunks:
        memory_bounds.refuse_wide(chunk, path)
    docnos = pa.chunked_array([chunk.cast(pa.string()) for chunk in chunks], pa.string())
    if docnos.null_count:
        raise InputError("a row has no docno; add it", path)
    return wanted.rows(take_array(docnos)) if len(docnos) else np.empty(0, np.int64)


def _lists(column: Any, path: FilePath) -> npt.NDArray[Any]:
    import pyarrow.compute as pc

    flat = column.flatten()
    if column.null_count or flat.null_count:
        raise InputError("a vector is missing, or a number in one; leave out such rows", path)
    if pc.count_distinct(pc.list_value_length(column)).as_py() > 1:
        raise InputError("vectors of different lengths; all need the same model", path)
    return take_numbers(flat).reshape(len(column), -1)


def _held(thing: Any, ids: Any, wanted: Docnos) -> Vectors:
    """Take vectors from ``{docno: vector}``, or a matrix whose rows ``ids`` name."""
    if not isinstance(thing, Mapping):
        if ids is None:
            raise UsageError("the rows of a matrix have no names; add ids")
        values = _checked(np.asarray(thing), None)
        return Vectors("given", _rows(*_ids(ids), values, wanted), values)
    names = [name for name in decode(wanted.names) if name in thing]
    if not names:
        raise InputError("no document of the runs has a vector; check the ids")
    try:
        values = _checked(np.array([thing[name] for name in names]).reshape(len(names), -1), None)
    except ValueError:
        raise InputError("the vectors are of different lengths; all need the same model") from None
    column = np.array([name.encode() for name in names], dtype=np.bytes_)
    return Vectors("given", _rows(column, None, values, wanted), values)

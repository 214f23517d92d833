"""Arrow arrays as numpy's and back, on the same memory; what pyarrow offers for it would import pandas."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fairtrec.data import Ints


def parts_of(docnos: Any) -> tuple[npt.NDArray[np.uint8], Ints, Ints]:
    """Give the bytes behind an Arrow array of strings, and where each string starts and ends in them."""
    _, offsets, letters = docnos.buffers()
    edges = np.frombuffer(offsets, np.int32)[docnos.offset : docnos.offset + len(docnos) + 1].astype(np.int64)
    return np.frombuffer(letters or b"", np.uint8), edges[:-1], edges[1:]


def flat(values: npt.NDArray[Any]) -> Any:
    """Give numbers as an Arrow array; ``pa.array`` would import pandas, where it is installed, to look at them."""
    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])


def numbers_of(column: Any) -> npt.NDArray[Any]:
    """Give an Arrow array of numbers as numpy's, on the same memory; ``to_numpy`` would import pandas too."""
    values = np.frombuffer(column.buffers()[1], column.type.to_pandas_dtype())
    return values[column.offset : column.offset + len(column)]


def array_of(column: Any) -> Any:
    """Take a numpy array from an Arrow column; texts become byte strings, of 8 bytes if none is longer."""
    if column.type != pa.string():
        return np.concatenate([numbers_of(chunk) for chunk in column.chunks if len(chunk)])
    width = max(pc.max(pc.binary_length(column)).as_py(), 8)  # keys are made of 8 bytes
    padded = pc.ascii_rpad(column, width, padding="\0")
    return np.concatenate(
        [
            np.frombuffer(chunk.buffers()[2], f"S{width}", len(chunk), width * chunk.offset)
            for chunk in padded.chunks
            if len(chunk)
        ]
    )


def repeats_of(column: Any) -> tuple[Any, Ints]:
    """Give each text of a column in which equal ones stand together, and how many do."""
    encoded = [pc.run_end_encode(chunk) for chunk in column.chunks if len(chunk)]
    ends = [numbers_of(each.run_ends) for each in encoded]
    lengths = [np.diff(end, prepend=0) for end in ends]
    return array_of(pa.chunked_array([each.values for each in encoded])), np.concatenate(lengths).astype(np.int64)

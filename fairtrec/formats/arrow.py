"""Arrow arrays as numpy's and back, on the same memory; what pyarrow offers for it would import pandas."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fairtrec.data import Ints
from fairtrec.formats.spans import words_of

_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def parts_of(docnos: Any) -> tuple[npt.NDArray[np.uint8], Ints, Ints]:
    """Give the bytes behind an Arrow array of strings, and where each string starts and ends in them."""
    _, offsets, letters = docnos.buffers()
    edges = np.frombuffer(offsets, np.int32)[docnos.offset : docnos.offset + len(docnos) + 1].astype(np.int64)
    return np.frombuffer(letters or b"", np.uint8), edges[:-1], edges[1:]


def flat(values: npt.NDArray[Any]) -> Any:
    """Give numbers as an Arrow array; ``pa.array`` would import pandas, where it is installed, to look at them."""
    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, buffer])


def word_of(text: bytes) -> Any:
    """Give a text as an Arrow scalar; ``pa.scalar``, and what takes a str, would import pandas too."""
    edges = np.array([0, len(text)], np.int32)
    return pa.StringArray.from_buffers(1, pa.py_buffer(edges), pa.py_buffer(text))[0]


def numbers_of(column: Any) -> npt.NDArray[Any]:
    """Give an Arrow array of numbers as numpy's, on the same memory; ``to_numpy`` would import pandas too."""
    called = str(column.type)  # whose own way to a type of numpy imports pandas, before pyarrow 17
    values = np.frombuffer(column.buffers()[1], _FLOATS.get(called, called))
    return values[column.offset : column.offset + len(column)]


def array_of(column: Any) -> Any:
    """Take a numpy array from an Arrow column; texts become byte strings, of 8 bytes if none is longer.

    ``pyarrow.compute`` would do the same as fast, but takes longer to be imported than all else that small files need.
    """
    chunks = [chunk for chunk in column.chunks if len(chunk)]
    if column.type != pa.string():
        return np.concatenate([numbers_of(chunk) for chunk in chunks])
    parts = [parts_of(chunk) for chunk in chunks]
    width = max(int((ends - starts).max()) for _, starts, ends in parts)
    words = max(-(-width // 8), 1)
    texts = [
        words_of(np.append(letters, np.zeros(8, np.uint8)), starts, ends, words) for letters, starts, ends in parts
    ]
    column_of_words = np.concatenate(texts).view(f"S{8 * words}").ravel()
    return column_of_words if words == 1 else column_of_words.astype(f"S{width}")

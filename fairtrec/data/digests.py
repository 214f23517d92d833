"""Digests of what is held in memory, in whatever order it stands, so that signatures tell it apart as they do files."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np


def digest_columns(*columns: "np.ndarray[Any, Any]") -> str:
    """Hash the rows of columns, in whatever order these stand.

    >>> one = digest_columns(np.array([b"d1", b"d2"]), np.array([1.0, 2.0]))
    >>> other = digest_columns(np.array([b"d2", b"d1"]), np.array([2.0, 1.0]))
    >>> one == other, one == digest_columns(np.array([b"d1", b"d2"]), np.array([2.0, 1.0]))
    (True, False)
    """
    from hashlib import sha256

    found = sha256()
    order = np.lexsort(columns[::-1])
    for column in columns:
        found.update(f"{column.dtype} {len(column)}\n".encode())
        found.update(np.ascontiguousarray(column[order]).data)
    return found.hexdigest()


def digest_texts(pairs: Iterable[tuple[str, str]]) -> str:
    """Hash names and texts, in whatever order these stand.

    >>> digest_texts([("a", "b"), ("c", "d")]) == digest_texts([("c", "d"), ("a", "b")]) != digest_texts([("a", "bcd")])
    True
    """
    from hashlib import sha256

    found = sha256()
    for name, text in sorted(pairs):
        data = text.encode("utf-8", "surrogatepass")
        found.update(f"{len(name)} {len(data)} {name}\n".encode("utf-8", "surrogatepass"))
        found.update(data)
    return found.hexdigest()


def digest_queries(qids: Sequence[str], columns: Callable[[int], "Iterable[np.ndarray[Any, Any]]"]) -> str:
    """Hash the ``columns`` of each query, by its row, in whatever order the queries stand."""
    from hashlib import sha256

    found = sha256()
    for row in sorted(range(len(qids)), key=qids.__getitem__):
        for column in columns(row):
            found.update(f"{qids[row]} {column.dtype} {len(column)}\n".encode())
            found.update(np.ascontiguousarray(column).data)
    return found.hexdigest()

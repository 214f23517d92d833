"""Slices of queries: ``qid<TAB>slice``, or a blank between them; a query may be in several."""

from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening

ALL = "all"  # the name of all queries together


def read(path: FilePath) -> dict[str, tuple[str, ...]]:
    """Read the query ids of each slice, both in the order in which they first appear.

    Behind a tab, the name of a slice may hold blanks. Raises InputError for a line without two columns, a query that
    is twice in a slice, a slice of the name ``all``, and an empty file.
    """
    slices: dict[str, dict[str, None]] = {}
    for number, line in opening.lines(path, comment=b"#"):
        text = line.decode()
        cells = [cell.strip() for cell in text.split("\t")] if "\t" in text else text.split()
        if len(cells) != 2 or not all(cells):
            raise InputError("not a query id and a slice, in two columns; write: qid<TAB>slice", path, number)
        qid, name = cells
        if name == ALL:
            raise InputError(f"{ALL!r} stands for all queries; give this slice another name", path, number)
        queries = slices.setdefault(name, {})
        if qid in queries:
            raise InputError(f"query {qid} is twice in the slice {name}; remove one of the two", path, number)
        queries[qid] = None
    if not slices:
        raise InputError("this file names no slice; write a line qid<TAB>slice for each query", path)
    return {name: tuple(queries) for name, queries in slices.items()}

"""Positions of documents on axes of opinion: ``docno x [y ...]``, or per query ``qid docno x [y ...]``, between tabs.

A first line whose first column is called ``docno`` or ``qid`` is a header and settles which they are. It may be left
out where there is no doubt: two columns are docno and x, and of more the second is a docno if it is no number.
"""

import numpy as np

from fairtrec.data import Docnos, Positions
from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening
from fairtrec.formats.labels import is_number

UNPOINTED = b" | sign:arbitrary"  # ends the signature of `fairtrec positions` where no labels point the axes


def read(path: FilePath) -> Positions:
    """Read positions. Raises InputError for a bad line, a position that is not finite, a document that stands twice."""
    places: dict[str, list[float]] = {}
    keys: int | None = None  # columns before the positions
    width = 0
    pointed = True
    for number, line in opening.lines(path):
        if line.startswith(b"#"):
            pointed = pointed and not line.rstrip().endswith(UNPOINTED)
            continue
        cells = [cell.strip() for cell in line.decode().split("\t")]
        if keys is None:
            header = cells[0] in ("docno", "qid")
            if not header and len(cells) > 2 and is_number(cells[1]):
                advice = "Write a first line that says so: docno x y, or qid docno x"
                raise InputError(f"is column 2 a docno or a position? {advice}", path, number)
            keys = 2 if (cells[0] == "qid" if header else len(cells) > 2) else 1
            width = len(cells)
            if header:
                continue
        numbers = cells[keys:]
        if len(cells) != width or not numbers or not all(cells[:keys]):
            message = f"{len(cells)} columns; write docno, or qid and docno, then a position on each axis, between tabs"
            raise InputError(message, path, number)
        name = " ".join(cells[:keys])
        if not all(map(is_number, numbers)):
            raise InputError(f"a position of {name} is not a finite number; correct it", path, number)
        if name in places:
            raise InputError(f"document {name} has two positions; keep one", path, number)
        places[name] = list(map(float, numbers))
    if not places:
        raise InputError("this file has no positions; write: docno<TAB>position", path)
    return Positions(*Docnos.with_values(places, np.array(list(places.values()))), per_query=keys == 2, pointed=pointed)

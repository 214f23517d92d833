"""Where documents stand, by positions on axes of opinion; between tabs.

Positions are ``docno x [y ...]``, or per query ``qid docno x [y ...]``. A first line whose first column is called
``docno`` or ``qid`` is a header and settles which they are. It may be left out where there is no doubt: two columns are
docno and x, and of more the second is a docno if it is no number.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from fairtrec.data import Docnos, Positions, is_number
from fairtrec.formats import tsv
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening

UNPOINTED = b" | sign:arbitrary"  # ends the signature of `fairtrec make positions` where no labels point the axes


def read(path: FilePath) -> Positions:
    """Read positions. Raises InputError for a bad line, an infinite position, a document that appears twice."""
    comments: list[bool] = []  # whether each ends a signature of axes that nothing points

    def entries() -> Iterator[tsv.NumberedLine]:
        for number, line in opening.lines(path):
            if line.startswith(b"#"):
                comments.append(line.rstrip().endswith(UNPOINTED))
            else:
                yield number, line

    (number, first), lines = tsv.peek_line(entries())
    cells = [cell.strip() for cell in first.decode().split("\t")]
    header = cells[0] in ("docno", "qid")
    if not header and len(cells) > 2 and is_number(cells[1]):
        advice = "Write a first line: docno x y, or qid docno x"
        raise InputError(f"is column 2 a docno or a position? {advice}", path, number)
    keys = 2 if (cells[0] == "qid" if header else len(cells) > 2) else 1  # columns before the positions
    many = (len(cells),) if len(cells) > keys else ()
    wrong = "{} column{}; write docno, or qid and docno, then a position on each axis, separated by tabs"
    places: dict[str, list[float]] = {}
    for number, cells in tsv.rows(islice(lines, int(header), None), path, many, wrong, filled=keys):
        name, numbers = " ".join(cells[:keys]), cells[keys:]
        if not all(map(is_number, numbers)):
            raise InputError(f"a position of {name} is not a finite number; correct it", path, number)
        if name in places:
            raise InputError(f"document {name} has two positions; keep one", path, number)
        places[name] = list(map(float, numbers))
    if not places:
        raise InputError("this file has no positions; write: docno<TAB>position", path)
    values = np.array(list(places.values()))
    return Positions(*Docnos.with_values(places, values), per_query=keys == 2, pointed=not any(comments))

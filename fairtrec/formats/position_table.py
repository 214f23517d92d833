"""Where documents stand, by positions on axes of opinion; between tabs.

Positions are ``docno x [y ...]``, or per query ``qid docno x [y ...]``. A first line whose first column is called
so is a header and settles which they are. It may be left out where there is no doubt: two columns are
docno and x, and of more the second is a docno if it is no number.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from fairtrec.data import Docnos, Positions, is_number
from fairtrec.formats import named_tables
from fairtrec.formats.named_tables import NumberedLine, TableKind
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.literals import DOCUMENT, QUERY

UNPOINTED = b" | sign:arbitrary"  # ends the signature of `fairtrec make positions` where no labels point the axes
POSITIONS = TableKind(
    "table of positions", {"qid": QUERY, "docno": DOCUMENT, "x": ()}, optional=frozenset({"qid"}), rest="x",
    takes_all=True,
)  # fmt: skip


def read(path: FilePath) -> Positions:
    """Read positions. Raises InputError for a bad line, an infinite position, a document that appears twice."""
    comments: list[bytes] = []
    table = named_tables.split_table(_pass_comments(path, comments), path, POSITIONS)
    number, first = next(table.rows, (None, []))
    many = len(first)
    if not table.names and many > 2 and is_number(first[1]):
        advice = "Write a first line: docno x y, or qid docno x"
        raise InputError(f"is column 2 a docno or a position? {advice}", path, number)
    keys = 2 if ("qid" in table.names if table.names else many > 2) else 1  # columns before the positions
    rows = chain([(number, first)] if many else [], table.rows)
    wrong = "{} column{}; write docno, or qid and docno, then a position on each axis, separated by tabs"
    places: dict[str, list[float]] = {}
    for number, cells in named_tables.refuse_widths(rows, path, (many,) if many > keys else (), wrong, keys):
        name, numbers = " ".join(cells[:keys]), cells[keys:]
        if not all(map(is_number, numbers)):
            raise InputError(f"a position of {name} is not a finite number; correct it", path, number)
        if name in places:
            raise InputError(f"document {name} has two positions; keep one", path, number)
        places[name] = list(map(float, numbers))
    if not places:
        raise InputError("this file has no positions; write: docno<TAB>position", path)
    values = np.array(list(places.values()))
    pointed = not any(line.endswith(UNPOINTED) for line in comments)
    return Positions(*Docnos.with_values(places, values), per_query=keys == 2, pointed=pointed)


def _pass_comments(path: FilePath, comments: list[bytes]) -> Iterator[NumberedLine]:
    """Pass over comments above the first entry, and over a signature, which stands below the last and has no tab."""
    is_head = True
    for number, line in opening.lines(path):
        if line.startswith(b"#") and (is_head or b"\t" not in line):
            comments.append(line.rstrip())
        else:
            is_head = False
            yield number, line

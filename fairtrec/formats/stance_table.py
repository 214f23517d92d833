"""Where documents stand, by stances on axes of opinion; between tabs.

Stances are ``docno x [y ...]``, or per query ``qid docno x [y ...]``. A first line whose first column is called
so is a header and settles which they are. It may be left out where there is no doubt: two columns are
docno and x, and of more the second is a docno if it is no number.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from fairtrec.data import Docnos, Stances, is_number
from fairtrec.formats import named_tables
from fairtrec.formats.named_tables import NumberedLine, TableKind
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.literals import DOCUMENT, QUERY

UNPOINTED = b" | sign:arbitrary"  # ends the signature of `fairtrec make stances` where no labels point the axes
STANCES = TableKind(
    "table of stances", {"qid": QUERY, "docno": DOCUMENT, "x": ()}, optional=frozenset({"qid"}), rest="x",
    takes_all=True,
)  # fmt: skip


def read(path: FilePath) -> Stances:
    """Read stances. Raises InputError for a bad line, an infinite stance, a document that appears twice."""
    comments: list[bytes] = []
    table = named_tables.split_table(_pass_comments(path, comments), path, STANCES)
    number, first = next(table.rows, (None, []))
    many = len(first)
    if not table.names and many > 2 and is_number(first[1]):
        advice = "Write a first line: docno x y, or qid docno x"
        raise InputError(f"is column 2 a docno or a stance? {advice}", path, number)
    keys = 2 if ("qid" in table.names if table.names else many > 2) else 1  # columns before the stances
    rows = chain([(number, first)] if many else [], table.rows)
    wrong = "{} column{}; write docno, or qid and docno, then a stance on each axis, separated by tabs"
    places: dict[str, list[float]] = {}
    for number, cells in named_tables.refuse_widths(rows, path, (many,) if many > keys else (), wrong, keys):
        name, numbers = " ".join(cells[:keys]), cells[keys:]
        if not all(map(is_number, numbers)):
            raise InputError(f"a stance of {name} is not a finite number; correct it", path, number)
        if name in places:
            raise InputError(f"document {name} has two stances; keep one", path, number)
        places[name] = list(map(float, numbers))
    if not places:
        raise InputError("this file has no stances; write: docno<TAB>stance", path)
    values = np.array(list(places.values()))
    pointed = not any(line.endswith(UNPOINTED) for line in comments)
    return Stances(*Docnos.with_values(places, values), per_query=keys == 2, pointed=pointed)


def _pass_comments(path: FilePath, comments: list[bytes]) -> Iterator[NumberedLine]:
    """Pass over comments above the first entry, and over a signature, which stands below the last and has no tab."""
    is_head = True
    for number, line in opening.lines(path):
        if line.startswith(b"#") and (is_head or b"\t" not in line):
            comments.append(line.rstrip())
        else:
            is_head = False
            yield number, line

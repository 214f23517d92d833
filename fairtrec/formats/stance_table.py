"""Where documents stand, by stances on axes of opinion; between tabs.

Stances are ``docno x [y ...]``, or per query ``qid docno x [y ...]``. A first line whose first column is called
so is a header and settles which they are. It may be left out where there is no doubt: two columns are
docno and x, and of more the second is a docno if it is no number.

A large table whose cells are plain is read in columns; all else row by row, which says what is wrong.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from fairtrec.data import Docnos, Docs, Floats, Stances, encode_ids, is_number, join_ids
from fairtrec.formats import columns, named_tables
from fairtrec.formats.named_tables import NumberedLine, TableKind
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import DOCUMENT, QUERY

LARGE_FILE = 1 << 20  # bytes on the disk, from which a table is read in columns
# A line with one of these is split otherwise by row than by the compiled loop.
_ODD = b" ", b'"', b"\v", b"\f", b"\r", b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\t\t", b"\n\t", b"\t\n"
_WIDE_BLANK = compile_late(r"[^\S\0-\x7f]")  # which is cut off by row, too
# Blank lines, and comments below the first entry, where #b with a stance is one.
_NO_ENTRY = compile_late(rb"^(?:#[^\t\n]*+)?+(?:\n|\Z)", re.MULTILINE)
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
    is_ordered = not table.names or [*table.places] == [*range(many)]  # objects have no places
    if many > keys and is_ordered and opening.size(path) >= LARGE_FILE:
        plain = _read_plain(path, first, keys, comments, has_names=bool(table.names))
        if plain is not None:
            return plain
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
    return _make_stances(encode_ids([*places]), np.array([*places.values()]), keys, comments)


def _make_stances(names: Docs, values: Floats, keys: int, comments: Sequence[bytes]) -> Stances:
    """Put the stances [row, axis] of documents in order."""
    pointed = not any(line.endswith(UNPOINTED) for line in comments)
    return Stances(*Docnos.with_values(names, values), per_query=keys == 2, pointed=pointed)


class _OddCellError(Exception):
    """A table has cells that are read row by row."""


def _read_plain(
    path: FilePath, first: Sequence[str], keys: int, comments: Sequence[bytes], *, has_names: bool
) -> Stances | None:
    """Read stances in columns; None if a cell is not plain, or if a document stands twice.

    ``first`` are the cells of the first row, and ``comments`` the lines above it.
    """
    axes = [*map(str, range(len(first) - keys))]
    kinds: dict[str, columns.Cell] = {**dict.fromkeys(("qid", "docno")[-keys:], "text"), **dict.fromkeys(axes, "float")}
    layout, below = columns.Layout("table of stances", kinds, header=has_names), list[bytes]()

    def take(block: bytes, ends: int) -> columns.Columns:
        if block.startswith((b"#", b"\n")) or b"\n#" in block or b"\n\n" in block:
            below.extend(map(bytes.rstrip, _NO_ENTRY.findall(block)))
            block = _NO_ENTRY.sub(b"", block)
            ends = block.count(b"\n")
        is_odd = block.startswith(b"\t") or any(each in block for each in _ODD)
        is_plain = not is_odd and (block.isascii() or _WIDE_BLANK.search(block.decode()) is None)
        found = columns.fast(block, layout, ends) if is_plain else None
        if found is None:
            raise _OddCellError
        names = _fit(found["docno"])
        if keys == 2:
            names = join_ids(_fit(found["qid"]), names)
        return {"name": names, "stances": np.stack([found[axis] for axis in axes], axis=1)}

    try:
        parts = [part for part, _ in columns.stream(path, layout, take=take)]
    except (InputError, _OddCellError):
        return None
    if not parts or parts[0]["name"][0].decode() != " ".join(first[:keys]):  # what begins with blanks is passed over
        return None
    names, values = (np.concatenate([part.pop(name) for part in parts]) for name in ("name", "stances"))
    stances = _make_stances(names, values, keys, [*comments, *below])
    return stances if len(stances.rows) == len(names) else None


def _fit(ids: Docs) -> Docs:
    """Narrow a column to its longest id: columns that are parsed together are as wide as the widest of them."""
    return ids.astype(f"S{np.char.str_len(ids).max()}", copy=False)


def _pass_comments(path: FilePath, comments: list[bytes]) -> Iterator[NumberedLine]:
    """Pass over comments above the first entry, and over a signature, which stands below the last and has no tab."""
    is_head = True
    for number, line in opening.lines(path):
        if line.startswith(b"#") and (is_head or b"\t" not in line):
            comments.append(line.rstrip())
        else:
            is_head = False
            yield number, line

"""Triples that a ranker learns from: lines ``query<TAB>relevant text<TAB>text that is not relevant``."""

from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening

FORM = "write it as: query<TAB>relevant<TAB>not relevant"


def read(path: FilePath) -> list[tuple[str, str, str]]:
    """Read triples of texts.

    Raises InputError for a line of other than three columns, or with an empty one, and for a file without lines.
    """
    rows: list[tuple[str, str, str]] = []
    for number, line in opening.lines(path):
        cells = line.decode().split("\t")
        if len(cells) != 3:
            raise InputError(f"this line has {len(cells)} columns; {FORM}", path, number)
        if not all(map(str.strip, cells)):
            raise InputError(f"a column of this line is empty; {FORM}", path, number)
        rows.append((cells[0], cells[1], cells[2]))
    if not rows:
        raise InputError(f"this file has no triples; {FORM}", path)
    return rows

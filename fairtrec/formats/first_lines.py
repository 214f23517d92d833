"""What is said of first lines: which files begin with names of columns.

Every evaluation says it, so this imports none of what reads tables.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from os import fspath

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import HEADS, find_header, find_words
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

HEADERS = NoteKind("headers", "headers: {files}", NoteSeverity.BACKGROUND, is_last=True)
WORDS = NoteKind(
    "words as entries",
    "read as an entry: {files}; add a second known name if it is a header",
    NoteSeverity.BACKGROUND,
    is_last=True,
)
BINARY = (".parquet", ".arrow")  # files that have no lines


def note_first_lines(files: Iterable[tuple[str, FilePath]]) -> list[Note]:
    """Note which files begin with names of columns, and which with an entry that has a word that may be one.

    ``files``  what is given by each, such as labels or a discount, and its path.
    """
    headers, words = [], []
    places = {fspath(path): what for what, path in files}
    texts = (path for path in places if not (path.endswith(BINARY) or os.path.isdir(path)))  # noqa: PTH112 - needs no pathlib
    for path in texts:
        with suppress(InputError):  # of a stream, and of what is no text
            number, line = opening.recall_first_line(path)
            text, place = line.decode(errors="replace"), f"{opening.name(path)}:{number}"
            if (header := find_header(text, HEADS.get(places[path], ()))) is not None:
                headers.append(f"{place} ({', '.join(header.written)})")
            elif cells := find_words(text):
                words.append(f"{place} ({', '.join(cells)})")
    return [kind.note(files=", ".join(found)) for kind, found in ((HEADERS, headers), (WORDS, words)) if found]


def add_first_lines(notes: Sequence[Note], files: Iterable[tuple[str, FilePath]]) -> list[Note]:
    """Add what is noted of further files to these notes: one note of a kind for all files."""
    found = {note.kind: note for note in note_first_lines(files)}
    joined = list[Note]()
    for note in notes:
        more = found.pop(note.kind, None)
        joined.append(note if more is None else _join(note, more))
    return [*joined, *found.values()]


def _join(one: Note, other: Note) -> Note:
    return one.kind.note(files=", ".join(str(each.named_values["files"]) for each in (one, other)))

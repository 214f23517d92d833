"""The first line of a table, if it names the columns: one rule for all kinds of tables.

Names match in any case, with or without quotation marks, and with ``-``, ``_`` and blanks alike. Whether a line is a
header is told by this line only, never by the lines below.
"""

import re
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.literals import DOCUMENT, GRADE, QUERY, RANK, SCORE, SUBTOPIC, TERM

WORDS = frozenset({*TERM, "query", "topic", "user", "document", "doc", "item", "passage"})
IDS = frozenset({*QUERY, *DOCUMENT}) - WORDS
KNOWN = IDS | WORDS | {
    *SCORE, *RANK, *GRADE, *SUBTOPIC, "group", "gender", "category", "class", "attribute", "text", "contents", "title",
    "body", "slice", "weight", "share", "frequency", "count", "stance", "q0", "tag", "runid", "run", "system",
    "tokens", "x", "y",
}  # fmt: skip
HEADS = {  # names that make a header together, though none is of an id, by what is given
    "discount": (("rank", "weight"),),
    "target": (("group", "share"), ("group", "count")),
}
SEPARATORS = ("\t", ";", ",", None)  # None: white space
LONGEST = 1 << 12  # characters: no header is longer


class TableHeader(NamedTuple):
    """The names of the columns, as they are written and as they match, and what separates them.

    Attributes:
        written: the names as they are written, without quotation marks.
        names: the names as they match: in lower case, with ``_`` for ``-`` and blanks.
        separator: a tab, a semicolon or a comma; None is white space.
        is_quoted: whether every name has quotation marks.
    """

    written: tuple[str, ...]
    names: tuple[str, ...]
    separator: str | None
    is_quoted: bool

    def find_column(self, wanted: Sequence[str]) -> int | None:
        """Find the column that has the first of the ``wanted`` names that is there; None if there is none."""
        return next((self.names.index(name) for name in wanted if name in self.names), None)


@lru_cache(4096)
def normalize_name(name: str) -> str:
    """Write the name of a column as it matches.

    >>> normalize_name('"Doc-ID"'), normalize_name("query id")
    ('doc_id', 'query_id')
    """
    return re.sub(r"[-_\s]+", "_", name.strip().strip('"').strip()).lower()


def match_names(names: Iterable[str], wanted: Container[str]) -> dict[str, str]:
    """Find which of the ``wanted`` names each of these has, as it is written or as it matches; others are left out.

    >>> match_names(["Doc-ID", "F", "text"], {"doc_id", "F"})
    {'Doc-ID': 'doc_id', 'F': 'F'}
    """
    found = {name: name if name in wanted else normalize_name(name) for name in names}
    return {name: match for name, match in found.items() if match in wanted}


def read_header(line: str) -> TableHeader:
    r"""Read a line that is known to name the columns, whatever the names are.

    >>> read_header("stamp;view").names, read_header("a\tb c").names
    (('stamp', 'view'), ('a', 'b_c'))
    """
    separator = next((each for each in SEPARATORS if each is None or each in line), None)
    return find_header(line) or split_header(line.strip(" \r\n"), separator)


def split_header(line: str, separator: str | None) -> TableHeader:
    """Take a line apart that is known to name the columns."""
    cells = [*map(str.strip, line.split(separator))]
    if separator in (",", ";") and '"' in line:  # names may have the separator
        from csv import Error, reader

        with suppress(Error):
            cells = [f'"{cell.strip()}"' for cell in next(reader([line], delimiter=separator, strict=True))]
    written = tuple(cell.strip('"').strip() for cell in cells) if '"' in line else tuple(cells)
    is_quoted = all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells)
    return TableHeader(written, tuple(map(normalize_name, written)), separator, is_quoted)


def find_header(line: str, heads: Sequence[Sequence[str]] = ()) -> TableHeader | None:
    r"""Read the first line of a table as a header; None if it is an entry.

    It is a header if it begins with the name of an id, or if it has the name of an id or a word, and one further known
    name. White space separates names only if all are known. A word alone is an entry, because queries and terms are
    called so. A kind of table may have ``heads``, whose names make a header together. Only white space separates no
    further names from these.

    >>> find_header('"Term","Group"').names, find_header("DOCNO\tthe text").names, find_header("q-id Doc-ID").names
    (('term', 'group'), ('docno', 'the_text'), ('q_id', 'doc_id'))
    >>> find_header("term,u"), find_header("she,f"), find_header("id of the person,f"), find_header("rank weight")
    (None, None, None, None)
    >>> find_header("Rank weight", [("rank", "weight")]).names
    ('rank', 'weight')
    """
    line = line.strip(" \r\n")
    if len(line) > LONGEST:
        return None
    for separator in SEPARATORS:
        if separator is None or separator in line:
            header = split_header(line, separator)
            if _is_header(header.names, separator) or _has_head(header, heads):
                return header
    return None


def _has_head(header: TableHeader, heads: Sequence[Sequence[str]]) -> bool:
    names = {*header.names}
    if header.separator is None:
        return any({*head} == names for head in heads)
    return len(names) > 1 and any(names.issuperset(head) for head in heads)


def find_words(line: str) -> tuple[str, ...]:
    r"""Give the cells of a first line that is read as an entry, if one of them is a word that may name a column.

    >>> find_words("item\tu"), find_words("she,f")
    (('item', 'u'), ())
    """
    line = line.strip(" \r\n")
    if len(line) > LONGEST:
        return ()
    separator = next((each for each in SEPARATORS if each is None or each in line), None)
    header = split_header(line, separator)
    is_entry = not WORDS.isdisjoint(header.names) and find_header(line) is None
    return header.written if is_entry else ()


def find_names(line: str) -> TableHeader | None:
    r"""Read a first line that may name columns, for a message, though too few of its names are known; None if not.

    Tabs, semicolons or commas separate such names, which all differ; none of them is empty, or a number.

    >>> find_names("search;applicant;rank").names, find_names("q1;d7;3"), find_names("made in May")
    (('search', 'applicant', 'rank'), None, None)
    """
    line = line.strip(" \r\n")
    separator = next((each for each in SEPARATORS if each is not None and each in line), None)
    if separator is None or len(line) > LONGEST or not line.replace("\t", "").isprintable():
        return None
    header = split_header(line, separator)
    may_be_names = len({*header.names}) == len(header.names) and not any(map(_is_no_name, header.names))
    return header if may_be_names else None


def _is_no_name(cell: str) -> bool:
    """Tell an empty cell and a number from a name."""
    with suppress(ValueError):
        float(cell or "0")
        return True
    return False


def _is_header(names: tuple[str, ...], separator: str | None) -> bool:
    known = {name for name in names if name in KNOWN}
    if separator is None and len(known) < len({*names}):
        return False
    return names[:1] != () and (names[0] in IDS or (len(known) > 1 and not known.isdisjoint(IDS | WORDS)))


def describe_semicolons(line: str, separators: Sequence[str | None]) -> str:
    """Say what is wrong with a first line whose cells only semicolons separate, as no header says; else nothing."""
    is_split = any(len(line.split(each)) > 1 for each in separators)
    is_odd = ";" in line and not is_split
    return "semicolons between cells; write a first line with names, or separate by tabs" if is_odd else ""


def refuse_semicolons(line: str, separators: Sequence[str | None], path: FilePath, number: int | None) -> None:
    """Raise InputError for a first line whose cells only semicolons separate, as no header says."""
    if what := describe_semicolons(line, separators):
        raise InputError(what, path, number)

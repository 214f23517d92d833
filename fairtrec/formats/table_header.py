"""The first line of a table, if it names the columns: one rule for all kinds of tables.

Names match in any case, with or without quotation marks, and with ``-``, ``_`` and blanks alike. Whether a line is a
header is told by this line only, never by the lines below.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

IDS = frozenset({
    "qid", "query_id", "q_id", "queryid", "topic_id", "user_id", "userid", "docno", "doc_id", "docid", "did", "pid",
    "corpus_id", "item_id", "itemid", "document_id", "passage_id", "page_id", "_id", "id",
})  # fmt: skip
TERMS = ("term", "word", "phrase", "keyword", "token")
WORDS = frozenset({*TERMS, "query", "topic", "user", "document", "doc", "item", "passage"})
KNOWN = IDS | WORDS | {
    "group", "label", "gender", "category", "class", "attribute", "text", "contents", "title", "body", "slice",
    "weight", "share", "frequency", "count", "score", "sim", "prediction", "rank", "position", "relevance", "rel",
    "grade", "rating", "iteration", "iter", "q0", "subtopic", "tag", "runid", "run", "system", "tokens", "x", "y",
}  # fmt: skip
SEPARATORS = ("\t", ";", ",", None)  # None: white space
LONGEST = 1 << 12  # characters: no header is longer


@dataclass(frozen=True)
class TableHeader:
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

    def find_columns(self, wanted: Sequence[str]) -> list[int]:
        """Find the columns that have one of the ``wanted`` names, in the order of these."""
        return [self.names.index(name) for name in wanted if name in self.names]


def find_header(line: str) -> TableHeader | None:
    r"""Read the first line of a table as a header; None if it is an entry.

    It is a header if it begins with the name of an id, or if it has the name of an id or a word, and one further known
    name. White space separates names only if all are known. A word alone is an entry, because queries and terms are
    called so.

    >>> find_header('"Term","Group"').names, find_header("DOCNO\tthe text").names, find_header("q-id Doc-ID").names
    (('term', 'group'), ('docno', 'the_text'), ('q_id', 'doc_id'))
    >>> find_header("term,u"), find_header("she,f"), find_header("id of the person,f")
    (None, None, None)
    """
    line = line.strip(" \r\n")
    if len(line) > LONGEST:
        return None
    for separator in SEPARATORS:
        if separator is None or separator in line:
            cells = [cell.strip() for cell in line.split(separator)]
            written = tuple(cell.strip('"').strip() for cell in cells)
            names = tuple(re.sub(r"[-_\s]+", "_", name).lower() for name in written)
            if _is_header(names, separator):
                is_quoted = all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in cells)
                return TableHeader(written, names, separator, is_quoted)
    return None


def _is_header(names: Sequence[str], separator: str | None) -> bool:
    known = {name for name in names if name in KNOWN}
    if separator is None and len(known) < len({*names}):
        return False
    return (names[:1] and names[0] in IDS) or (len(known) > 1 and not known.isdisjoint(IDS | WORDS))

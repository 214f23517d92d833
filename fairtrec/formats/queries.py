"""Query sets: one query id a line, in the first column; what stands behind a tab, comma or blank is ignored."""

import re

from fairtrec.data import Queries
from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening

_ID = re.compile(rb"[^\s,]+")


def read(path: FilePath, keep: str | None = None) -> Queries:
    """Read query ids; with ``keep``, only those of lines whose last comma-separated field is that.

    Raises InputError for a line that starts with white space or a comma, an id that stands twice, and an empty file.
    """
    qids: dict[str, None] = {}
    for number, line in opening.lines(path, comment=b"#"):
        found = _ID.match(line)
        if found is None:
            raise InputError("this line has no query id in its first column; put it there", path, number)
        if keep is not None and line.rstrip().rpartition(b",")[2].strip() != keep.encode():
            continue
        qid = found.group().decode()
        if qid in qids:
            raise InputError(f"query {qid} stands twice; remove one of the two", path, number)
        qids[qid] = None
    if not qids:
        raise InputError("this query set is empty; write one query id a line", path)
    return Queries(opening.name(path), tuple(qids), opening.sha256(path))

"""Runs as TREC files: ``qid Q0 docno rank score tag``, and nothing else, as trec_eval reads them.

The score is the number of documents less the rank, plus 1: it falls strictly, so that every reader ranks by the score,
by the rank or by the line alike.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.data import Run, System
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.atomic import replace_file

KEPT = 64  # layouts of rankings of so many documents
BLOCK = 1 << 22  # bytes that are put together at a time
PIECE = 1 << 17  # bytes that are looked at at a time
BLANKS = b" \t\n\v\f\r"  # what stands between the columns
SPACE = ord(" ")  # the last of them


def lines(system: System) -> Iterator[bytes]:
    """Give the lines, many in one piece; a tag with blanks gets underscores in their place.

    Column 2 numbers the samples, where there may be several rankings for a query. Raises InputError for ids with
    blanks, which JSON lines, Parquet and frames may have.

    >>> one = Run("a.run", "my tag", ("q1",), np.array([0, 2]), np.array([b"d7", b"d2"]), np.array([0.5, 0.5]))
    >>> b"".join(lines(one))
    b'q1 Q0 d7 1 2 my_tag\\nq1 Q0 d2 2 1 my_tag\\n'
    """
    for run in system.runs:
        _refuse_blanks(run)
    for number, run in enumerate(system.runs, 1):
        whole: list[bytearray] = []
        size = 0
        for piece in _of_queries(run, str(number) if system.sampled else "Q0"):
            whole.append(piece)
            size += len(piece)
            if size > BLOCK:
                yield b"".join(whole)
                whole, size = [], 0
        yield b"".join(whole)


def _refuse_blanks(run: Run) -> None:
    letters = np.ascontiguousarray(run.docnos).view(np.uint8)
    pieces = (letters[first : first + PIECE] for first in range(0, len(letters), PIECE))  # as caches have them
    # 0, which fills a docno up, becomes 255; a byte that is no larger than a space may be a blank
    docnos = run.docnos.tolist() if any(int((piece - np.uint8(1)).min()) < SPACE for piece in pieces) else []
    what = next(
        (f"docno {each.decode(errors='replace')!r}" for each in docnos if each.translate(None, BLANKS) != each), ""
    )
    what = what or next((f"query id {qid!r}" for qid in run.qids if any(blank in qid for blank in BLANKS.decode())), "")
    if not what:
        return
    raise InputError(f"the {what} contains a blank, which TREC files cannot have; rename it", run.name)


def _of_queries(run: Run, second: str) -> Iterator[bytearray]:
    """Lay each query's docnos and what is around them out as bytes, in rows of one width, and leave out the padding."""
    tag = "_".join(run.tag.split()).encode(errors="surrogateescape")
    starts = run.starts.tolist()
    laid: dict[tuple[int, int], tuple[bytearray, Any]] = {}  # rows with their ends, by how many and how long the heads
    for qid, first, end in zip(run.qids, starts, starts[1:], strict=False):
        many = end - first
        head = f"{qid} {second} ".encode(errors="surrogateescape")
        if (many, len(head)) not in laid:
            texts = np.array([b" %d %d %b\n" % (rank + 1, many - rank, tag) for rank in range(many)], dtype=np.bytes_)
            row = np.dtype([("head", f"V{len(head)}"), ("docno", run.docnos.dtype), ("tail", texts.dtype)])
            buffer = bytearray(many * row.itemsize)
            rows: Any = np.frombuffer(buffer, row)
            rows["tail"] = texts
            laid = {(many, len(head)): (buffer, rows), **(laid if len(laid) < KEPT else {})}
        buffer, rows = laid[many, len(head)]
        rows["head"], rows["docno"] = np.frombuffer(head, rows["head"].dtype), run.docnos[first:end]
        yield buffer.translate(None, b"\0")  # which no docno holds


def write(system: System, path: Path) -> None:
    """Write a run to a file, all or nothing, or to a device or pipe. Raises UsageError if it cannot be written."""
    is_device = path.exists() and not path.is_file()
    try:
        place = nullcontext(path) if is_device else replace_file(path)
        with place as part, part.open("wb") as file:
            file.writelines(lines(system))
    except OSError as fault:
        raise UsageError(f"cannot write {path}: {fault.strerror}; choose another place with -o") from None


def scored_lines(run: Run) -> Iterator[bytes]:
    """Give the lines with the scores of a run, which are read back as they are if they are of 32 bits.

    >>> one = Run("a.run", "my tag", ("q1",), np.array([0, 2]), np.array([b"d7", b"d2"]), np.array([0.5, 0.25]))
    >>> b"".join(scored_lines(one))
    b'q1 Q0 d7 1 0.5 my_tag\\nq1 Q0 d2 2 0.25 my_tag\\n'
    """
    tag = "_".join(run.tag.split()).encode(errors="surrogateescape")
    starts = run.starts.tolist()
    for qid, first, end in zip(run.qids, starts, starts[1:], strict=False):
        ranked = enumerate(zip(run.docnos[first:end].tolist(), run.scores[first:end].tolist(), strict=True), 1)
        head = qid.encode(errors="surrogateescape")
        yield b"".join(b"%b Q0 %b %d %.9g %b\n" % (head, docno, rank, score, tag) for rank, (docno, score) in ranked)

"""Which of the documents that runs name are in a collection: one look through it for all runs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fairtrec.data import Docnos, Docs
from fairtrec.data.spellings import variants
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.files import opening
from fairtrec.validation import entries
from fairtrec.validation.checks import Known
from fairtrec.validation.findings import Findings

TRIED = 1000  # docnos of the runs for which other ways of writing them are looked for too


def known(
    runs: Sequence[FilePath],
    *,
    qrels: Any = None,
    queries: Any = None,
    docs: str | None = None,
    docnos: FilePath | None = None,
    depth: int | None = None,
) -> Known:
    """Read what is known beside the runs: the queries that are wanted, and the collection, as texts or as a list."""
    from fairtrec.evaluation import loading

    for (one, mine), (other, theirs) in (
        (("qrels", qrels), ("queries", queries)),
        (("docs", docs), ("docnos", docnos)),
    ):
        if mine is not None and theirs is not None:
            raise UsageError(f"--{one} and --{other} say the same twice; leave out one of the two")
    qids, found, example = None, None, ""
    if queries is not None:
        qids = loading.queries(queries).qids
    elif qrels is not None:
        qids = loading.qrels(qrels).qids
    if docs is not None:
        found, example = of_texts(docs, runs)
    elif docnos is not None:
        found, example = of_list(docnos, runs)
    return Known(qids, found, example, depth)


def of_list(path: FilePath, runs: Iterable[FilePath]) -> tuple[Docnos, str]:
    """Look through a list of docnos, the first word of each line: those that the runs name, and an example."""
    return _found((line.split(maxsplit=1)[0] for _, line in opening.lines(path)), _named(runs), path)


def of_texts(docs: str, runs: Iterable[FilePath]) -> tuple[Docnos, str]:
    """Look through a collection of texts, a file or an ir_datasets id."""
    from fairtrec.evaluation import loading
    from fairtrec.formats import collection, datasets

    names = _named(runs)
    if not loading.is_file(docs):
        wanted = Docnos.of(names)
        return _rows(wanted, datasets.texts(docs, wanted)), ""
    number, line, _ = opening.first_line(docs, comment=b"\0")  # no text starts with it
    opening.check_text(line, docs, number)
    docno = collection.parsed(line)[0] if line.lstrip().startswith(b"{") else line.partition(b"\t")[0]
    example = docno.decode()
    wanted = Docnos.of(_with_variants(names, example))
    return _rows(wanted, collection.read(docs, wanted)), example


def _rows(wanted: Docnos, texts: Iterable[tuple[int, str]]) -> Docnos:
    rows = np.fromiter((row for row, _ in texts), dtype=np.int64)
    return Docnos.of(wanted.names[np.sort(rows)])


def _found(docnos: Iterator[bytes], names: Docs, path: FilePath) -> tuple[Docnos, str]:
    first = next(docnos, None)
    if first is None:
        raise InputError("this list has no docno; write one on each line", path)
    example = first.decode()
    wanted = set(_with_variants(names, example).tolist())
    there = [first] * (first in wanted) + [docno for docno in docnos if docno in wanted]
    return Docnos.of(np.array(there, dtype=np.bytes_)), example


def _named(runs: Iterable[FilePath]) -> Docs:
    names = np.empty(0, "S1")
    for path in runs:
        if opening.is_stream(path):
            raise UsageError("runs are read twice to look for their documents, which a stream cannot be; give a file")
        own = Docnos.of(entries.read(path, Findings()).docnos).names
        names = Docnos.of(np.concatenate((names, own))).names
    return names


def _with_variants(names: Docs, example: str) -> Docs:
    """Add other ways of writing the first few, by which a guess at what is amiss can be made."""
    more = [other.encode() for name in names[:TRIED].tolist() for _, other in variants(name.decode(), example)]
    return np.concatenate((names, np.array(more or [b""], dtype=np.bytes_)))

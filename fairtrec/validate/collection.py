"""Which of the documents that runs name are in a collection: one look through it for all runs."""

from collections.abc import Iterable, Iterator

import numpy as np

from fairtrec.data import Docnos, Docs
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.formats import source
from fairtrec.validate import reading
from fairtrec.validate.findings import Findings
from fairtrec.validate.guess import variants

TRIED = 1000  # docnos of the runs for which other ways of writing them are looked for too


def of_list(path: FilePath, runs: Iterable[FilePath]) -> tuple[Docnos, str]:
    """Look through a list of docnos, the first word of each line: those that the runs name, and an example."""
    return _found((line.split(maxsplit=1)[0] for _, line in source.lines(path)), _named(runs), path)


def of_texts(docs: str, runs: Iterable[FilePath]) -> tuple[Docnos, str]:
    """Look through a collection of texts, a file or an ir_datasets id."""
    from fairtrec import loading
    from fairtrec.formats import collection, datasets

    names = _named(runs)
    if not loading.is_file(docs):
        wanted = Docnos.of(names)
        return _rows(wanted, datasets.texts(docs, wanted)), ""
    _, line = source.first_line(docs, comment=b"\0")  # no text starts with it
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
    """Collect the documents of all runs."""
    names = np.empty(0, "S1")
    for path in runs:
        if source.is_stream(path):
            raise UsageError("runs are read twice to look for their documents, which a stream cannot be; give a file")
        own = Docnos.of(reading.read(path, Findings()).docnos).names
        names = Docnos.of(np.concatenate((names, own))).names
    return names


def _with_variants(names: Docs, example: str) -> Docs:
    """Add other ways of writing the first few, by which a guess at what is amiss can be made."""
    more = [other.encode() for name in names[:TRIED].tolist() for _, other in variants(name.decode(), example)]
    return np.concatenate((names, np.array(more or [b""], dtype=np.bytes_)))

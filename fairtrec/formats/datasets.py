"""Qrels and texts of ir_datasets, by id, or as PyTerrier writes it, ``irds:`` and the id.

What is not on this machine ir_datasets fetches, with consent only: while a dataset is read, Python's audit events tell
when another machine is about to be contacted, and somebody is asked first (fairtrec/support/network.py).
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, reduce
from itertools import islice
from textwrap import shorten
from threading import get_ident
from typing import Any, Literal

from fairtrec.data import Docnos, Labels, Qrels, product
from fairtrec.formats import memory
from fairtrec.formats.column_roles import reach_keys
from fairtrec.formats.label_rules import LabelRules
from fairtrec.formats.label_table import LabelTable
from fairtrec.support import network
from fairtrec.support.errors import InputError, ResourceError
from fairtrec.support.files import submissions
from fairtrec.support.files.admission import refuse_dataset
from fairtrec.support.files.arguments import LabelSource

AT_ONCE = 1 << 12  # documents
PREFIX = "irds:"
EVENTS = {"socket.getaddrinfo", "socket.connect", "subprocess.Popen"}  # a program of its own may fetch, too
_being_read: list[tuple[str, int]] = []  # datasets, each by the thread that reads it


def qrels(name: str) -> Qrels:
    """Load the judgments of a dataset."""
    with _fetching(name, "qrels") as dataset:
        return memory.qrels(dataset)


def judgments(name: str) -> Iterator[Any]:
    """Give the judgments of a dataset, one by one."""
    with _fetching(name, "qrels") as dataset:
        yield from dataset.qrels_iter()


def texts(name: str, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Give the row and default text of each wanted document of a dataset."""
    with _fetching(name, "docs") as dataset:
        yield from memory.texts(dataset, wanted)


def query_texts(name: str) -> dict[str, str]:
    """Give the default text of each query of a dataset."""
    with _fetching(name, "queries") as dataset:
        return {query.query_id: query.default_text() for query in dataset.queries_iter()}


def labels(source: LabelSource, how: LabelRules | None = None) -> Labels:
    """Take labels from a field of a dataset's documents; ``field,field`` stands for their intersections."""
    name = source.name.removeprefix(PREFIX)
    with _fetching(name, "docs") as dataset:
        if not source.field:
            raise InputError("there is no such file; if this is an ir_datasets id, add a field, like id:gender", name)
        fields = source.field.split(",")
        if len(fields) > 1 and how is not None:  # groups of crossed fields are known when both have been read
            how = replace(how, groups=None, wanted=None)
        several = [_of_field(dataset, source._replace(field=field.strip()), how) for field in fields]
        return reduce(product, several)


def _of_field(dataset: Any, source: LabelSource, how: LabelRules | None) -> Labels:
    fields, keys = dataset.docs_cls()._fields, source.field.split(".")
    if keys[0] not in fields:
        raise InputError(f"its documents have no field {keys[0]}; they have {', '.join(fields)}", source.name)
    found, into = LabelTable(source.name, source.cuts, how), reach_keys(keys)
    every = dataset.docs_iter()
    while documents := list(islice(every, AT_ONCE)):
        found.take(found.take_ids([document.doc_id for document in documents]), [into(each) for each in documents])
    return found.labels(str(source))


def documents(name: str) -> Iterator[tuple[str, str]]:
    """Give docno and default text of all documents of a dataset."""
    with _fetching(name, "docs") as dataset:
        for document in dataset.docs_iter():
            yield document.doc_id, document.default_text()


def _is_path(name: str) -> bool:
    """Tell a name that only a file has: no id begins with a dot or a slash, or ends like ``.tsv``.

    >>> _is_path("topics/qrels.txt"), _is_path("./qrels"), _is_path("car/v1.5/trec-y1"), _is_path("argsme/1.0-cleaned")
    (True, True, False, False)
    """
    return name.startswith((".", "/", "~")) or os.path.splitext(name)[1][1:2].isalpha()  # noqa: PTH122 - no pathlib


def _dataset(name: str, kind: Literal["qrels", "docs", "queries"]) -> Any:
    if not name.startswith(PREFIX) and _is_path(name):  # ir_datasets takes longer to import than a small evaluation
        raise InputError("there is no such file; check the name", name)
    import ir_datasets

    if os.environ.get("TQDM_DISABLE"):  # who wants no bars wants no log of a download; what fails is said in one line
        from ir_datasets.log import TqdmHandler

        TqdmHandler.emit = lambda *_: None
    try:
        dataset = ir_datasets.load(name.removeprefix(PREFIX))
    except KeyError:
        raise InputError("there is no such file or ir_datasets id; check the name", name) from None
    if not getattr(dataset, f"has_{kind}")():
        raise InputError(f"this dataset of ir_datasets has no {kind}; choose one that has", name)
    return dataset


@contextmanager
def _fetching(name: str, kind: Literal["qrels", "docs", "queries"]) -> Iterator[Any]:
    """Give a dataset; what goes wrong in a download becomes one line, and none starts where that is forbidden."""
    refuse_dataset(name)
    if submissions.is_untrusted():
        raise InputError("there is no such file, and --untrusted refuses ir_datasets ids; check the name", name)
    dataset = _dataset(name, kind)
    _watch()
    reading = name, get_ident()
    _being_read.append(reading)
    try:
        yield dataset
    except (OSError, RuntimeError) as fault:  # that of requests is one of the system, too
        said = network.refusal() if network.refusal() in str(fault) else str(next(iter(fault.args), fault))
        why = shorten(said, 100, placeholder=" ...")
        raise ResourceError(
            f"ir_datasets cannot provide {name} ({why}); run: ir_datasets export {name.removeprefix(PREFIX)} {kind}"
        ) from None
    finally:
        _being_read.remove(reading)


@cache
def _watch() -> None:
    """Have Python ask before it looks for another machine; once, as no such hook can be taken away again."""
    sys.addaudithook(_ask_before_network)


def _ask_before_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in EVENTS or not _being_read:
        return
    if event == "socket.connect" and not isinstance(arguments[1], tuple):  # a process of this machine
        return
    mine = [name for name, thread in _being_read if thread == get_ident() or network.is_offline()]
    if mine and not network.may_fetch(f"{mine[-1]} of ir_datasets"):
        raise ConnectionError(network.refusal())

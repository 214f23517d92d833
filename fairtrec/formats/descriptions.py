"""What a Python caller holds that is known of documents: texts, counts, labels, positions."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Annotations, Docnos, Labels, Positions, decode
from fairtrec.errors import InputError
from fairtrec.formats import annotations
from fairtrec.formats.frames import DOCUMENT, QUERY, Frame, is_frame, names_of
from fairtrec.formats.label_columns import LabelColumns
from fairtrec.formats.memory import ids_of, understood
from fairtrec.formats.taking import Taking


def texts(thing: Any, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Give the row and text of each wanted document from ``{docno: text}``, a frame, or an ir_datasets dataset."""
    names = [name.decode() for name in wanted.names.tolist()]
    if hasattr(thing, "docs_store"):
        row_of = {name: row for row, name in enumerate(names)}
        for document in thing.docs_store().get_many_iter(names):
            yield row_of[document.doc_id], document.default_text()
        return
    if is_frame(thing):
        yield from _texts_of_frame(Frame.of(thing, "docs", (*DOCUMENT, "text")), wanted)
        return
    if not isinstance(thing, Mapping):
        raise InputError(f"cannot take texts from {type(thing).__name__}; docs/python.md says what does")
    for row, name in enumerate(names):
        if name in thing:
            yield row, _text(name, thing[name])


def _text(docno: str, cell: Any) -> str:
    if not isinstance(cell, str):
        raise InputError(f"the text of document {docno} is not a string; give one, perhaps an empty one")
    return cell


def _texts_of_frame(frame: Frame, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Look up the rows of the wanted documents, and give the texts of these alone."""
    rows = wanted.rows(frame.ids(DOCUMENT))
    places = np.flatnonzero(rows != MISSING)
    rows = rows[places]
    if len(np.unique(rows)) < len(rows):
        raise InputError("the docs frame holds a document twice; keep one row")
    for row, docno, cell in zip(
        rows.tolist(), decode(wanted.names[rows]), frame.objects(("text",), places), strict=True
    ):
        yield row, _text(docno, cell)


def counts(thing: Any, wanted: Docnos) -> Annotations:
    """Take the wanted documents' counts from a frame with the columns docno, tokens and one for each group."""
    groups = frame_groups(thing)
    names = ("tokens", *groups)
    frame = Frame.of(thing, "counts", (*DOCUMENT, *names))
    docnos = frame.ids(DOCUMENT)
    if not len(docnos):
        raise InputError("the frame of counts is empty")
    table = Docnos.of(docnos)
    if len(table) < len(docnos):
        raise InputError("the frame of counts holds a document twice; keep one row")
    order = np.argsort(table.rows(docnos))
    numbers = np.stack([frame.whole((name,)) for name in names], axis=1)[order]
    if numbers.min(initial=0) < 0:
        raise InputError("the frame of counts holds a negative count; counts are 0 or more")
    return annotations.of_columns(groups, table, numbers[:, 0], numbers[:, 1:], wanted)


def frame_groups(frame: Any) -> tuple[str, ...]:
    """Name the groups of a frame of counts."""
    if not is_frame(frame):
        raise InputError(f"cannot take counts from {type(frame).__name__}; give a path or a frame")
    groups = tuple(sorted(name for name in names_of(frame) if name not in ("tokens", *DOCUMENT)))
    if len(groups) < 2:
        raise InputError("the frame of counts has fewer than two groups; fairness needs at least two")
    return groups


def labels(thing: Any, how: Taking | None = None) -> Labels:
    """Take group labels from ``{docno: group}``, ``{docno: [group, ...]}``, ``{docno: {group: weight}}``, or a frame.

    A frame has the columns docno and group, and perhaps weight, and a query's id.
    """
    found = LabelColumns("labels", (), how, strict=True)
    with understood("group labels"):
        _labels_of_frame(found, thing) if is_frame(thing) else _labels(found, thing)
    return found.labels("labels")


def _labels(found: LabelColumns, thing: Mapping[str, Any]) -> None:
    ids_of([*thing], "labels")
    several = [
        value if isinstance(value, Mapping) else dict.fromkeys([value] if isinstance(value, str) else value, 1)
        for value in thing.values()
    ]
    docnos = np.repeat(found.named([str(docno) for docno in thing]), [len(each) for each in several])
    weights = np.array([float(weight) for each in several for weight in each.values()])
    found.add(docnos, found.coded([str(group) for each in several for group in each]), weights)


def _labels_of_frame(found: LabelColumns, thing: Any) -> None:
    frame = Frame.of(thing, "labels", (*QUERY, *DOCUMENT, "group", "weight"))
    groups, codes = np.unique(frame.ids(("group",)), return_inverse=True)
    weights = None if frame.find(("weight",)) is None else frame.floats(("weight",))
    qids = None if frame.find(QUERY) is None else frame.ids(QUERY)
    found.add(frame.ids(DOCUMENT), found.coded(groups.tolist())[codes], weights, qids=qids)


def _keys(frame: Frame) -> tuple[list[str], list[str]]:
    """Take the docnos of a frame, and its query ids if it has them."""
    return decode(frame.ids(DOCUMENT)), [] if frame.find(QUERY) is None else decode(frame.ids(QUERY))


def positions(thing: Any) -> Positions:
    """Take positions from ``{docno: x}``, ``{docno: [x, y, ...]}``, or a frame of docno, perhaps qid, and axes."""
    per_query, pointed = False, getattr(thing, "pointed", True) is not False  # it is said of those that were made
    if is_frame(thing):
        axes = [name for name in names_of(thing) if name not in (*QUERY, *DOCUMENT)]
        frame = Frame.of(thing, "positions", (*QUERY, *DOCUMENT, *axes))
        names, qids = _keys(frame)
        per_query = bool(qids)
        names = [f"{qid} {docno}" for qid, docno in zip(qids, names, strict=True)] if qids else names
        if not axes or len(set(names)) < len(names):
            raise InputError("the positions frame has a document twice, or no axis; keep one row, and add x")
        table = np.stack([frame.floats((axis,)) for axis in axes], axis=1)
    else:
        with understood("positions"):
            table = np.array([np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in thing.values()])
            names = [str(docno) for docno in thing]
        ids_of(names, "positions")
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InputError("the positions are not finite numbers, as many for each document; correct them")
    return Positions(*Docnos.with_values(names, table), per_query, pointed)

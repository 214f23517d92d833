"""What a Python caller holds in dicts, frames, tuples: runs, judgments, terms, texts, counts, labels, positions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

import numpy as np

from fairtrec.data import (
    MISSING,
    Counts,
    Docnos,
    Docs,
    Floats,
    GroupTerms,
    Labels,
    Positions,
    Qrels,
    Queries,
    Run,
    decode,
    digest_columns,
    digest_texts,
)
from fairtrec.data.counts import make_histogram
from fairtrec.data.ranking.order import add_empty, sort_by_score
from fairtrec.formats import columns, frames
from fairtrec.formats import qrels as qrels_format
from fairtrec.formats import run as run_format
from fairtrec.formats.frames import ODD_ID, TEXT, Frame, is_frame, list_columns, read_run_columns
from fairtrec.formats.label_rules import LabelRules
from fairtrec.formats.label_table import LabelTable
from fairtrec.formats.spans import Repeats
from fairtrec.support.errors import InputError
from fairtrec.support.files.table_header import match_names
from fairtrec.support.literals import DOCUMENT, GRADE, QUERY, RANK, SCORE, SUBTOPIC, RankedBy, ScoreType

INSIDE = ("run_data", "qrels_data")


def _strange(thing: Any, what: str, number: str) -> InputError:
    kinds = f"a path, {{qid: {{docno: {number}}}}}, {{qid: [docno, ...]}}, a frame or named tuples"
    inside = next((name for name in INSIDE if is_frame(getattr(thing, name, None))), None)
    if inside is not None:  # of trectools
        return InputError(f"this {type(thing).__name__} has a frame inside; pass its .{inside}")
    if hasattr(thing, "docs_iter") or hasattr(thing, "dataset_id"):
        return InputError(f"this dataset has no {what}; pass its id as a text, or your own {what}")
    return InputError(f"cannot read {type(thing).__name__} as {what}; pass {kinds}")


def _mapping(thing: Any) -> Any:
    """Take a dict from what can be made one, like the runs and qrels of ranx."""
    return thing.to_dict() if hasattr(thing, "to_dict") and not isinstance(thing, Mapping) else thing


def _taken_apart(thing: Any, what: str, number: str) -> tuple[Repeats, Docs, list[Any]]:
    """Take a run or qrels apart that is no frame: query ids, docnos, scores or grades."""
    thing = _mapping(thing)
    try:
        if isinstance(thing, Mapping):
            several = [docs for docs in thing.values() if len(docs)]
            docnos = [*chain.from_iterable(several)]
            numbers = [*chain.from_iterable(_numbers_of(docs, number) for docs in several)]
            qids = [qid for qid, docs in thing.items() if len(docs)]
            ids = Repeats(encode_given_ids(qids, what), np.array([*map(len, several)], dtype=np.int64))
        else:
            rows = list(thing)
            docnos, numbers = [row.doc_id for row in rows], [getattr(row, number) for row in rows]
            ids = Repeats.find(encode_given_ids([row.query_id for row in rows], what))
    except (AttributeError, TypeError):
        raise _strange(thing, what, number) from None
    return ids, encode_given_ids(docnos, what), numbers


def _numbers_of(docs: Any, number: str) -> Iterable[Any]:
    """Give the numbers of a query's documents; of a list of docnos, falling scores, or grade 1."""
    if not isinstance(docs, list | tuple):
        found: Iterable[Any] = docs.values()
        return found
    return range(len(docs), 0, -1) if number == "score" else [1] * len(docs)


def encode_given_ids(values: Sequence[Any], what: str) -> Docs:
    """Take ids, of which those that are no texts are written as such."""
    if not len(values):
        return np.empty(0, "S1")
    texts = values if {*map(type, values)} == {str} else list(map(str, values))
    try:
        joined = "\n".join(texts).encode()  # at once, which takes half the time
    except UnicodeEncodeError:
        raise InputError(f"the {what} holds an id with half a character (a lone surrogate); correct it") from None
    encoded = joined.split(b"\n")
    is_odd = not all(encoded) or b"\0" in joined or len(encoded) > len(values)
    if is_odd or max(map(len, encoded)) > columns.WIDEST:
        raise InputError(f"the {what} {ODD_ID}")
    return np.array(encoded, dtype=np.bytes_)


def _floats(values: list[Any], what: str) -> Floats:
    with suppress(ValueError, TypeError, OverflowError):
        numbers = np.array(values, dtype=np.float64)
        if numbers.ndim == 1 and np.isfinite(numbers).all():
            return numbers
    raise InputError(f"the {what} is not a finite number everywhere; correct it")


def run(
    thing: Any,
    name: str,
    order: RankedBy = "score",
    score_dtype: ScoreType = "float64",
    depth: int | None = None,
    *,
    with_ties: bool = False,
) -> Run:
    """Take a run from ``{qid: {docno: score}}``, a frame, or tuples with query_id, doc_id and score.

    ``{qid: [docno, ...]}`` is ranked as it stands. ``with_ties`` keeps what is tied with the document at ``depth``.
    """
    empty: list[Any] = []  # queries that are named without documents
    if is_frame(thing):
        frame = Frame.wrap(thing, "run", (*QUERY, *DOCUMENT, *SCORE, *RANK))
        qids, column, values = read_run_columns(frame, order)
        if not len(column):
            raise InputError(f"the run {name} is empty; add at least one document")
    else:
        thing = _mapping(thing)
        qids, column, scores = _taken_apart(thing, "run", "score")
        values = _floats(scores, f"score of the run {name}")
        empty = [qid for qid, docs in thing.items() if not len(docs)] if isinstance(thing, Mapping) else []
    names, starts, together = columns.group_ids(qids)
    if together is not None:
        column, values = column[together], values[together]
    twice = run_format.find_repeat(starts, column)
    if twice is not None:
        query, rows = twice
        what = f"the run {name} holds document {column[rows[0]].decode()} twice under query {names[query]}"
        raise InputError(f"{what}; keep one")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, as in a file
        ranked = starts, column, values.astype(score_dtype, copy=False)
    if order != "file" and len(column):
        ranked = sort_by_score(*ranked, depth)
    names, starts = add_empty(names, ranked[0], decode(encode_given_ids(empty, "run")))
    return Run(name, name, names, starts, *ranked[1:]).cut(names, None if with_ties else depth)


def qrels(thing: Any) -> Qrels:
    """Take judgments from ``{qid: {docno: grade}}``, a frame, an ir_datasets dataset, or named tuples.

    Of ``{qid: [docno, ...]}`` each document is of grade 1.
    A column (or field) subtopic_id, iteration or subtopic is the second column of a TREC file.

    Raises InputError for a grade that is no integer, and a document with two grades for a query (and subtopic).
    """
    rows = thing.qrels_iter() if hasattr(thing, "qrels_iter") else thing
    subtopics: Docs | None = None
    if is_frame(rows):
        frame = Frame.wrap(rows, "qrels", (*QUERY, *SUBTOPIC, *DOCUMENT, *GRADE))
        qids, docnos, grades = Repeats.find(frame.ids(QUERY)), frame.ids(DOCUMENT), frame.take_integers(GRADE)
        subtopics = None if frame.find(SUBTOPIC) is None else frame.ids(SUBTOPIC)
    else:
        rows = _mapping(rows)
        if not isinstance(rows, Mapping):
            if not isinstance(rows, Iterable):
                raise _strange(thing, "qrels", "relevance")
            rows = list(rows)
            found = [next((cell for name in SUBTOPIC if (cell := getattr(row, name, None))), 0) for row in rows]
            subtopics = encode_given_ids(found, "qrels")
        qids, docnos, numbers = _taken_apart(rows, "qrels", "relevance")
        values = _floats(numbers, "grade of the qrels")
        if np.any(values != np.floor(values)) or np.any(np.abs(values) >= 2**63):
            raise InputError("the grade of the qrels is not an integer everywhere; correct it")
        grades = values.astype(np.int64)
    if not len(docnos):
        raise InputError("the qrels are empty; add at least one judgment")
    iterations = np.full(len(docnos), b"0") if subtopics is None else subtopics
    return qrels_format.group_judgments(
        qids, Repeats.find(iterations), docnos, grades, lambda message, _: InputError(message)
    )


@contextmanager
def explain_failures(what: str) -> Iterator[None]:
    """Turn the failure to take data from an object of another kind into one line."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, KeyError) as fault:
        message = f"cannot read {what} from this object ({fault}); docs/convert.md lists the objects that work"
        raise InputError(message) from None


def queries(thing: Iterable[Any]) -> Queries:
    """Take a query set from ids, or a frame with a column of them."""
    with explain_failures("a query set"):
        frame = Frame.wrap(thing, "queries", QUERY) if is_frame(thing) else None
        qids = tuple(map(str, thing) if frame is None else dict.fromkeys(decode(frame.ids(QUERY))))
    if not qids:
        raise InputError("the query set is empty; add at least one qid")
    return Queries("queries", qids, digest_texts((qid, "") for qid in qids))


def terms(thing: Mapping[str, Iterable[str]]) -> GroupTerms:
    """Take group terms from ``{group: [term, ...]}``."""
    with explain_failures("group terms"):
        if any(isinstance(words, str) for words in thing.values()):
            raise ValueError("the terms of a group are one string; pass a list")
        lists = {
            str(group): tuple(dict.fromkeys(" ".join(term.split()) for term in words)) for group, words in thing.items()
        }
    if len(lists) < 2:
        raise InputError("the term list has fewer than two groups; fairness needs at least two")
    if any("" in words for words in lists.values()):
        raise InputError("the term list holds an empty term; remove it")
    if starred := [term for words in lists.values() for term in words if "*" in term]:
        raise InputError(f"{starred[0]}: there are no wildcards; list the words")
    return GroupTerms("groups", lists)


def texts(thing: Any, wanted: Docnos) -> Iterator[tuple[int, str]]:
    """Give the row and text of each wanted document from ``{docno: text}``, a frame, or an ir_datasets dataset.

    Instead of a text there may be ``{"title": ..., "text": ...}``, as in BEIR, and in a frame the column title.
    """
    names = decode(wanted.names)
    if hasattr(thing, "docs_store"):
        row_of = {name: row for row, name in enumerate(names)}
        for document in thing.docs_store().get_many_iter(names):
            yield row_of[document.doc_id], document.default_text()
        return
    cells: Iterable[tuple[int, Any]]
    if is_frame(thing):
        cells = frames.find_texts(Frame.wrap(thing, "docs", (*DOCUMENT, *TEXT)), wanted)
    elif isinstance(thing, Mapping):
        cells = ((row, frames.join_title(thing[name])) for row, name in enumerate(names) if name in thing)
    else:
        raise InputError(f"cannot read texts from {type(thing).__name__}; docs/convert.md lists the objects that work")
    for row, cell in cells:
        if not isinstance(cell, str):
            raise InputError(f"the text of document {names[row]} is not a string; write a text, or an empty one")
        yield row, cell


def digest(part: str, thing: Any) -> str:
    """Hash all of the texts (``docs``) or ``counts`` that a caller holds; "" of a store, which gives single texts."""
    if is_frame(thing) and part == "docs":
        frame = Frame.wrap(thing, "docs", (*DOCUMENT, *TEXT))
        cells = frames.take_texts(frame, np.arange(len(frame)))
        return digest_texts(zip(decode(frame.ids(DOCUMENT)), map(str, cells), strict=True))
    if is_frame(thing):
        groups = frame_groups(thing)
        frame = Frame.wrap(thing, "counts", (*DOCUMENT, "tokens", *groups))
        columns = digest_columns(frame.ids(DOCUMENT), *(frame.take_integers((name,)) for name in ("tokens", *groups)))
        return digest_texts([("groups", "\n".join(groups)), ("counts", columns)])
    if isinstance(thing, Mapping):
        return digest_texts((str(docno), str(frames.join_title(text))) for docno, text in thing.items())
    return ""


def counts(thing: Any, wanted: Docnos) -> Counts:
    """Take the wanted documents' counts from a frame with the columns docno, tokens and one for each group."""
    groups = frame_groups(thing)
    frame = Frame.wrap(thing, "counts", (*DOCUMENT, "tokens", *groups))
    docnos = frame.ids(DOCUMENT)
    if not len(docnos):
        raise InputError("the frame of counts is empty; add at least one document")
    table = Docnos.collect(docnos)
    if len(table) < len(docnos):
        raise InputError("the frame of counts has a document twice; keep one row")
    order = np.argsort(table.rows(docnos), kind="stable")
    numbers = np.stack([frame.take_integers((name,)) for name in ("tokens", *groups)], axis=1)[order]
    if numbers.min(initial=0) < 0:
        raise InputError("the frame of counts has a negative count; counts are 0 or more")
    rows = table.rows(wanted.names)
    taken = np.where((rows != MISSING)[:, None], numbers[rows], 0)
    every = make_histogram(numbers[:, 1:])
    return Counts(groups, wanted, rows != MISSING, taken[:, 0], taken[:, 1:], collection=every)


def frame_groups(frame: Any) -> tuple[str, ...]:
    """Name the groups of a frame of counts."""
    if not is_frame(frame):
        raise InputError(f"cannot read counts from {type(frame).__name__}; pass a path or a frame")
    names = list_columns(frame)
    groups = tuple(sorted({*names} - match_names(names, {"tokens", *DOCUMENT}).keys()))
    if len(groups) < 2:
        raise InputError("the frame of counts has fewer than two groups; fairness needs at least two")
    return groups


def labels(thing: Any, how: LabelRules | None = None) -> Labels:
    """Take group labels from ``{docno: group}``, ``{docno: [group, ...]}``, ``{docno: {group: weight}}``, or a frame.

    A frame has the columns docno and group, and perhaps weight, and a query's id. The group may be the only further
    column. What is missing is unknown.
    """
    found = LabelTable("labels", (), how)
    with explain_failures("group labels"):
        if is_frame(thing):
            names = list_columns(thing)
            group = next(iter(match_names(names, {"group"})), None) or _find_group(names)
            frame = Frame.wrap(thing, "labels", (*QUERY, *DOCUMENT, group, "weight"))
            docnos, labeled = frame.ids(DOCUMENT), frame.spell_groups((group,))
            groups, codes = np.unique(labeled, return_inverse=True)
            weights = None if frame.find(("weight",)) is None else frame.floats(("weight",))
            qids = None if frame.find(QUERY) is None else frame.ids(QUERY)
            sha256 = digest_columns(docnos, labeled, *(each for each in (weights, qids) if each is not None))
            found.add(docnos, found.code_groups(groups.tolist())[codes], weights, qids=qids)
        else:
            thing = _mapping(thing)
            encode_given_ids([*thing], "labels")
            sha256 = found.take_memberships(thing)
    return found.labels("labels", sha256)


def _find_group(names: Sequence[str]) -> str:
    """Find the column of a frame that is the only one beside those of ids and weights."""
    others = [name for name in names if name not in match_names(names, {*QUERY, *DOCUMENT, "weight"})]
    if len(others) != 1:
        what = f"the labels frame has the columns {', '.join(names)}"
        raise InputError(f"{what}; rename the one with the groups to group")
    return others[0]


def positions(thing: Any) -> Positions:
    """Take positions from ``{docno: x}``, ``{docno: [x, y, ...]}``, or a frame of docno, perhaps qid, and axes."""
    per_query, pointed = False, getattr(thing, "pointed", True) is not False  # it is said of those that were made
    if is_frame(thing):
        names = list_columns(thing)
        axes = [name for name in names if name not in match_names(names, {*QUERY, *DOCUMENT})]
        frame = Frame.wrap(thing, "positions", (*QUERY, *DOCUMENT, *axes))
        column, per_query = frame.ids(DOCUMENT), frame.find(QUERY) is not None
        names = decode(np.char.add(np.char.add(frame.ids(QUERY), b" "), column) if per_query else column)
        if not axes or len(set(names)) < len(names):
            raise InputError("the positions frame has a document twice, or no axis; keep one row, and add x")
        table = np.stack([frame.floats((axis,)) for axis in axes], axis=1)
    else:
        with explain_failures("positions"):
            table = np.array([np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in thing.values()])
            names = [str(docno) for docno in thing]
        encode_given_ids(names, "positions")
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InputError("positions must be finite numbers, equally many for each document; correct them")
    return Positions(*Docnos.with_values(names, table), per_query, pointed)

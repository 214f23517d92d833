"""What a Python caller holds in dicts, frames, tuples: runs, judgments, terms, texts, counts, labels, stances."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from numbers import Number
from typing import Any

import numpy as np

from fairtrec.data import (
    MISSING,
    Bools,
    Counts,
    Docnos,
    Docs,
    Floats,
    GroupTerms,
    Ints,
    Labels,
    Qrels,
    Queries,
    Run,
    Stances,
    decode,
    digest_columns,
    digest_texts,
    join_ids,
)
from fairtrec.data.counts import make_histogram
from fairtrec.data.ranking.order import add_empty, sort_by_score
from fairtrec.data.ranking.positions import describe_shared, find_shared, keep_gaps, note_renumbered, shift_positions
from fairtrec.formats import columns, frames
from fairtrec.formats import qrels as qrels_format
from fairtrec.formats import run as run_format
from fairtrec.formats.column_roles import NO_ROLES, Roles
from fairtrec.formats.frames import (
    TEXT,
    Frame,
    describe_number,
    encode_given_ids,
    is_frame,
    list_columns,
    list_run_names,
    read_run_columns,
)
from fairtrec.formats.label_rules import LabelRules
from fairtrec.formats.label_table import LabelTable
from fairtrec.formats.spans import Repeats
from fairtrec.support.errors import InputError, UsageError, short
from fairtrec.support.files.table_header import match_names
from fairtrec.support.literals import DOCUMENT, GRADE, QUERY, RANK, SUBTOPIC, RankedBy, ScoreType
from fairtrec.support.notes import Note

INSIDE = ("run_data", "qrels_data")
SHOWN = 40  # letters of what was given, in a message


def _strange(thing: Any, what: str, number: str) -> InputError:
    kinds = f"a path, {{qid: {{docno: {number}}}}}, {{qid: [docno, ...]}}, a frame or named tuples"
    inside = next((name for name in INSIDE if is_frame(getattr(thing, name, None))), None)
    if inside is not None:  # of trectools
        return InputError(f"the {what} has a frame inside; pass its .{inside}")
    if hasattr(thing, "docs_iter") or hasattr(thing, "dataset_id"):
        return InputError(f"this dataset has no {what}; pass its id as a text, or your own {what}")
    return InputError(f"{describe_given(thing, what)}; pass {kinds}")


def describe_given(thing: Any, what: str) -> str:
    """Say that something was given instead of ``what``, as the caller wrote it if it is short.

    >>> describe_given(3, "qrels"), describe_given([{}], "run")
    ('cannot read 3 as qrels', 'cannot read this as run')
    """
    is_short = thing is None or isinstance(thing, str | bytes | Number)
    return f"cannot read {short(repr(thing), SHOWN)} as {what}" if is_short else f"cannot read this as {what}"


def take_mapping(thing: Any) -> Any:
    """Take a dict from what can be made one: a Series, the runs and qrels of ranx."""
    is_other = isinstance(thing, Mapping) or is_frame(thing)
    return thing.to_dict() if hasattr(thing, "to_dict") and not is_other else thing


def _require_mapping(thing: Any, what: str, kinds: str) -> Mapping[Any, Any]:
    """Take a dict. Raises InputError for what cannot be made one, with the ``kinds`` of things to pass."""
    found = take_mapping(thing)
    if not isinstance(found, Mapping):
        raise InputError(f"{describe_given(thing, what)}; pass {kinds}")
    return found


def _take_rankings(thing: Mapping[Any, Any], what: str, number: str) -> dict[Any, Any]:
    """Take each query's documents: a dict, or a list of docnos. Raises InputError for another thing, with its query."""
    found = {qid: take_mapping(docs) for qid, docs in thing.items()}
    for qid, docs in found.items():
        if not isinstance(docs, Mapping | list | tuple):
            given = describe_given(docs, f"the documents of query {qid} in the {what}")
            raise InputError(f"{given}; pass {{docno: {number}}} or [docno, ...]")
    return found


def _taken_apart(thing: Any, what: str, number: str) -> tuple[Repeats, Docs, list[Any]]:
    """Take a run or qrels apart that is no frame: query ids, docnos, scores or grades."""
    thing = take_mapping(thing)
    if isinstance(thing, Mapping):
        thing = _take_rankings(thing, what, number)
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


def _take_numbers(
    values: list[Any], qids: Repeats, docnos: Docs, number: str, what: str, *, whole: bool = False
) -> Floats:
    """Take scores, or grades, which are ``whole`` numbers. Raises InputError for the first that is none."""
    with suppress(ValueError, TypeError, OverflowError):
        numbers = np.array(values, dtype=np.float64)
        is_good = np.isfinite(numbers)
        if numbers.ndim == 1 and (is_good & (not whole or is_whole(numbers))).all():
            return numbers
    row = next(row for row, value in enumerate(values) if not _is_number(value, whole=whole))
    raise InputError(describe_number(number, values[row], qids[row].decode(), docnos[row].decode(), what))


def is_whole(numbers: Floats) -> Bools:
    """Tell which numbers are integers of 64 bits."""
    whole: Bools = (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**63)
    return whole


def _is_number(value: Any, *, whole: bool) -> bool:
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        return False
    return bool(np.isfinite(number) and (not whole or is_whole(np.array(number))))


def take_entries(
    thing: Any, name: str, order: RankedBy, roles: Roles = NO_ROLES, *, sampled: bool = False
) -> tuple[Repeats, Docs, Floats, list[str]]:
    """Take the entries of a run as they stand: query ids, docnos, scores; and the queries without documents.

    ``roles``  which columns of a frame are what; ``sampled`` calls each ranking by its query and its sample.
    """
    if is_frame(thing):
        frame = Frame.wrap(thing, "run", list_run_names(order, sampled=sampled), name, roles)
        found = read_run_columns(frame, order, roles, sampled=sampled)
        if not len(found["docno"]):
            raise InputError(f"the run {name} is empty; add at least one document")
        qids = run_format.join_samples(found["qid"], found["Q0"]) if sampled else found["qid"]
        if order == "rank":
            return qids, found["docno"], -found["rank"], []
        return qids, found["docno"], found["rank"] if order == "position" else found["score"], []
    if roles or sampled:
        option = "columns" if roles else "samples"
        raise UsageError(f"{option} is for files and frames, and {name} is neither; leave it out")
    if order == "position":
        raise UsageError(f"only files and frames have positions, and {name} is neither; leave out order")
    thing = take_mapping(thing)
    what = " ".join(dict.fromkeys(["run", name]))
    qids, column, scores = _taken_apart(thing, what, "score")
    values = _take_numbers(scores, qids, column, "score", what)
    empty = [qid for qid, docs in thing.items() if not len(docs)] if isinstance(thing, Mapping) else []
    return qids, column, values, decode(encode_given_ids(empty, "run"))


def take_ranks(thing: Any) -> Ints | None:
    """Take the ranks of a run, if it is a frame that has a column of them."""
    if not is_frame(thing) or not match_names(list_columns(thing), {*RANK}):
        return None
    return Frame.wrap(thing, "run", (*QUERY, *DOCUMENT, *RANK)).take_integers(RANK)


def run(
    thing: Any,
    name: str,
    order: RankedBy = "score",
    score_dtype: ScoreType = "float64",
    depth: int | None = None,
    *,
    with_ties: bool = False,
    sampled: bool = False,
    roles: Roles = NO_ROLES,
) -> Run:
    """Take a run from ``{qid: {docno: score}}``, a frame, or tuples with query_id, doc_id and score.

    ``{qid: [docno, ...]}`` is ranked as it stands. ``with_ties`` keeps what is tied with the document at ``depth``.
    ``roles`` says which columns of a frame are what, ``sampled`` whether a query has several rankings.
    """
    qids, column, values, empty = take_entries(thing, name, order, roles, sampled=sampled)
    names, starts, together = columns.group_ids(qids)
    if together is not None:
        column, values = column[together], values[together]
    twice = run_format.find_repeat(starts, column)
    if twice is not None:
        query, rows = twice
        under = f"query {run_format.name_ranking(names[query])}"
        what = f"the run {name} holds document {column[rows[0]].decode()} twice under {under}"
        raise InputError(f"{what}; keep one")
    notes: tuple[Note, ...] = ()
    if order == "position":
        ranks, notes = shift_positions(
            values.astype(np.int64), len(names), lambda what, _: InputError(f"the run {name}: {what}")
        )
        values = -ranks.astype(np.float64)
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, as in a file
        ranked = starts, column, values if order == "position" else values.astype(score_dtype, copy=False)
    if order != "file" and len(column):
        ranked = sort_by_score(*ranked, None if order == "position" else depth)
    positions: tuple[Ints | None, Ints | None] = None, None
    if order == "position" and len(column):
        if (shared := find_shared(ranked[0], ranked[2])) is not None:
            query, first = shared
            ranking, place = run_format.name_ranking(names[query]), int(-ranked[2][first])
            raise InputError(describe_shared(ranked[1], first, place, ranking, run_format.NAME_SAMPLES))
        positions = keep_gaps(ranked[0], ranked[2])
    if order == "rank" and is_frame(thing):
        notes = note_renumbered(ranked[0], ranked[2])
    names, starts = add_empty(names, ranked[0], empty)
    whole = Run(name, name, names, starts, *ranked[1:], *positions, numbered=sampled, notes=notes)
    return whole.cut(names, None if with_ties else depth)


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
        rows = take_mapping(rows)
        if not isinstance(rows, Mapping):
            if not isinstance(rows, Iterable):
                raise _strange(thing, "qrels", "relevance")
            rows = list(rows)
            found = [next((cell for name in SUBTOPIC if (cell := getattr(row, name, None))), 0) for row in rows]
            subtopics = encode_given_ids(found, "qrels")
        qids, docnos, numbers = _taken_apart(rows, "qrels", "relevance")
        grades = _take_numbers(numbers, qids, docnos, "grade", "qrels", whole=True).astype(np.int64)
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
    except (TypeError, ValueError, AttributeError, KeyError):
        raise InputError(f"cannot read this as {what}; docs/convert.md lists the objects that work") from None


def queries(thing: Iterable[Any]) -> Queries:
    """Take a query set from ids, or a frame with a column of them."""
    with explain_failures("a query set"):
        if not (hasattr(thing, "__iter__") or is_frame(thing)):
            raise InputError(f"{describe_given(thing, 'a query set')}; pass a path, a list of qids or a frame")
        frame = Frame.wrap(thing, "queries", QUERY) if is_frame(thing) else None
        qids = tuple(map(str, thing) if frame is None else dict.fromkeys(decode(frame.ids(QUERY))))
    if not qids:
        raise InputError("the query set is empty; add at least one qid")
    return Queries("queries", qids, digest_texts((qid, "") for qid in qids))


def terms(thing: Mapping[str, Iterable[str]]) -> GroupTerms:
    """Take group terms from ``{group: [term, ...]}``."""
    with explain_failures("group terms"):
        thing = _require_mapping(thing, "group terms", "the name of a list, a path, or {group: [term, ...]}")
        for group, words in thing.items():
            if isinstance(words, str) or not isinstance(words, Iterable):
                given = describe_given(words, f"the terms of the group {group}")
                raise InputError(f"{given}; pass a list of terms")
            if odd := [word for word in words if not isinstance(word, str)]:
                raise InputError(f"{describe_given(odd[0], f'a term of the group {group}')}; pass texts")
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
    if not is_frame(thing):
        thing = _require_mapping(thing, "texts", "a path, {docno: text}, or a frame with doc_id and text")
    if is_frame(thing):
        cells = frames.find_texts(Frame.wrap(thing, "docs", (*DOCUMENT, *TEXT)), wanted)
    else:
        cells = ((row, frames.join_title(thing[name])) for row, name in enumerate(names) if name in thing)
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
    if isinstance(thing := take_mapping(thing), Mapping):
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
        raise InputError(f"{describe_given(frame, 'counts')}; pass a path, or a frame with docno, tokens and groups")
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
            thing = _require_mapping(thing, "group labels", "a path, {docno: group}, or a frame with docno and group")
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


def stances(thing: Any) -> Stances:
    """Take stances from ``{docno: x}``, ``{docno: [x, y, ...]}``, or a frame of docno, perhaps qid, and axes."""
    per_query, pointed = False, getattr(thing, "pointed", True) is not False  # it is said of those that were made
    if is_frame(thing):
        names = list_columns(thing)
        axes = [name for name in names if name not in match_names(names, {*QUERY, *DOCUMENT})]
        frame = Frame.wrap(thing, "stances", (*QUERY, *DOCUMENT, *axes))
        column, per_query = frame.ids(DOCUMENT), frame.find(QUERY) is not None
        column = join_ids(frame.ids(QUERY), column) if per_query else column
        if not axes:
            raise InputError("the stances frame has no axis; add the column x")
        table = np.stack([frame.floats((axis,)) for axis in axes], axis=1)
    else:
        with explain_failures("stances"):
            thing = _require_mapping(thing, "stances", "a path, {docno: x}, or a frame with a column per axis")
            several = [_take_stance(docno, value) for docno, value in thing.items()]
            names = [str(docno) for docno in thing]
            if len({*map(len, several)}) > 1:
                odd = next(name for name, each in zip(names, several, strict=True) if len(each) != len(several[0]))
                raise InputError(f"the stance of document {odd} has another number of axes; write equally many")
            table = np.array(several)
        column = encode_given_ids(names, "stances")
    if table.ndim != 2:
        raise InputError("stances must be numbers, equally many for each document; correct them")
    docnos, values = Docnos.with_values(column, table)
    if len(docnos) < len(column):
        what = "frame has a document twice; keep one row" if is_frame(thing) else "have a document twice; keep one"
        raise InputError(f"the stances {what}")
    return Stances(docnos, values, per_query, pointed)


def _take_stance(docno: Any, value: Any) -> Floats:
    """Take the stance of a document. Raises InputError for what is no number, or several."""
    with suppress(ValueError, TypeError, OverflowError):
        numbers: Floats = np.atleast_1d(np.asarray(value, dtype=np.float64))
        if np.isfinite(numbers).all():
            return numbers
    given = describe_given(value, f"the stance of document {docno}")
    raise InputError(f"{given}; pass a finite number, or one for each axis")

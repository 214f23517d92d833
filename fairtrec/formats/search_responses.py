"""Responses of search engines (Elasticsearch, OpenSearch) as runs: the hits of each query, in their order.

A file is one object ``{qid: response}``, the answer of ``_rank_eval``, or JSON lines of a query and its ``hits``. The
documents are the ``_id`` of the hits, ranked by ``_score``, or by their order if one of a query has none, as in sorted
responses.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np

from fairtrec.formats import named_columns
from fairtrec.formats.columns import FileColumns
from fairtrec.formats.frames import encode_given_ids
from fairtrec.formats.spans import Repeats
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text, opening
from fairtrec.support.files.table_header import match_names
from fairtrec.support.late_patterns import compile_late
from fairtrec.support.literals import QUERY

NAME = "search"
_HITS = compile_late(rb'"hits"\s*:\s*\[\s*[\]{]')  # a list of objects, or of nothing
WRITE = "write {qid: response}"


def tell(_: FilePath, start: bytes) -> str | None:
    """Tell responses by the hits in the start of a file."""
    return NAME if start.lstrip()[:1] == b"{" and _HITS.search(start) else None


def read(path: FilePath, *_: Any, **__: Any) -> FileColumns:
    """Read a run. Raises InputError for a response without a query, and a hit without an id."""
    qids: list[str] = []
    docnos: list[str] = []
    lengths: list[int] = []
    scores: list[float] = []
    empty: list[str] = []
    lines: list[int] = []
    for qid, hits, line in _list_responses(path):
        found = [_take_hit(hit, qid, path, line) for hit in hits]
        if not found:
            empty.append(qid)
            continue
        ids, several = zip(*found, strict=True)
        is_scored = all(score is not None for score in several)
        qids.append(qid)
        docnos += ids
        lengths.append(len(ids))
        scores += several if is_scored else range(len(ids), 0, -1)
        lines += [line or 1] * len(ids)
    columns = {
        "qid": Repeats(encode_given_ids(qids, "run"), np.array(lengths, dtype=np.int64)),
        "docno": encode_given_ids(docnos, "run"),
        "score": np.array(scores, dtype=np.float64),
        "rank": np.concatenate([np.empty(0, np.int64), *(np.arange(1, many + 1) for many in lengths)]),
    }
    return FileColumns(path, columns, [(0, lines)], empty=tuple(empty))


def _list_responses(path: FilePath) -> Iterator[tuple[str, list[Any], int | None]]:
    """Give each query, its hits, and its line in a file of lines."""
    start = named_columns.read_start(path).partition(b"\n")[0]
    if named_columns.NAMED.search(start.partition(b'"hits"')[0]):
        for number, line in opening.lines(path, longest=opening.LONGEST_OBJECT):
            found = json_text.parse_at(line, path, number, f"{WRITE}, or a query and its hits a line")
            names = match_names(found, QUERY) if isinstance(found, dict) else {}
            if not names or "hits" not in found:
                raise InputError("this line has no query, or no hits; write {qid: ..., hits: ...}", path, number)
            yield _spell(found[next(iter(names))], path, number), _find_hits(found, path, number), number
        return
    with opening.open_input(path) as stream:
        blocks = (block for block, _ in opening.blocks(stream, path, named_columns.LARGEST_OBJECT))
        found = named_columns.read_whole(blocks, path, WRITE)
    responses = found.get("details", found)
    if not isinstance(responses, dict) or _is_single(responses):
        raise InputError(f"a response has no query; {WRITE}", path)
    for qid, response in responses.items():
        yield _spell(qid, path, None), _find_hits(response, path, None), None


def _is_single(responses: dict[str, Any]) -> bool:
    """Tell one response, or several of _msearch, from responses by query."""
    hits = responses.get("hits")
    is_one = isinstance(hits, list) or (isinstance(hits, dict) and isinstance(hits.get("hits"), list))
    return is_one or isinstance(responses.get("responses"), list)


def _find_hits(response: Any, path: FilePath, line: int | None) -> list[Any]:
    hits = response.get("hits") if isinstance(response, dict) else None
    if isinstance(hits, dict):
        hits = hits.get("hits")
    if not isinstance(hits, list):
        raise InputError(f"a response has no list of hits; {WRITE}", path, line)
    return hits


def _take_hit(hit: Any, qid: str, path: FilePath, line: int | None) -> tuple[str, float | None]:
    """Take the id and the score of a hit; _rank_eval has it inside another object."""
    found = hit.get("hit", hit) if isinstance(hit, dict) else {}
    if "_id" not in found:
        raise InputError(f"a hit of query {qid[:40]} has no _id; {WRITE}", path, line)
    score = found.get("_score")
    if score is not None and (type(score) not in (int, float) or not isfinite(score)):
        raise InputError(f"a _score of query {qid[:40]} is not a finite number; correct it", path, line)
    return _spell(found["_id"], path, line), score


def _spell(name: Any, path: FilePath, line: int | None) -> str:
    if not isinstance(name, str | int) or isinstance(name, bool) or not str(name):
        raise InputError("an id is neither text nor a whole number; correct it", path, line)
    return str(name)

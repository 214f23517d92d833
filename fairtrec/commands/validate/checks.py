"""Checks on the rows of a run: duplicates, queries, ranks, ties, depth. Each adds to the findings."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fairtrec.commands.validate.entries import NO_RANK, RunEntries
from fairtrec.commands.validate.findings import Findings, list_few, list_some, plural
from fairtrec.data import (
    MISSING,
    Bools,
    Docnos,
    Floats,
    Ints,
    Qrels,
    decode,
    encode_ids,
    find_starts,
    fingerprints,
    list_distinct,
)
from fairtrec.data.run import QrelsIndex
from fairtrec.data.spellings import compare, guess
from fairtrec.data.uneven_ids import number_ids
from fairtrec.support.notes import Note

Message = Callable[[str, int, int], str]  # of a qid, a row of it, and how many more it has
ALIKE = 0.9  # rank correlation of ranks and scores, from which these oppose each other throughout
MISSING_NAMED = 5  # queries without documents, of more the first are named
OWN = 10  # one of so many rankings begins with the query itself, from which on it is reported
CUTOFFS = (10, 100)  # where ties are looked for unless a depth is given


@dataclass(frozen=True, eq=False)
class Known:
    """What a run is checked against; None is not checked."""

    qids: tuple[str, ...] | None = None
    judged: bool = False  # these are the queries of judgments, and those of a run need not be among them
    docnos: Docnos | None = None  # of those that the runs name, the ones that are in the collection
    example: str = ""  # a docno of the collection
    depth: int | None = None
    qrels: Qrels | None = None
    notes: tuple[Note, ...] = ()  # on the qrels


def check(rows: RunEntries, known: Known, found: Findings) -> RunEntries:
    """Look at all rows, and give them without duplicates, each query's together in the order of the file."""
    _split(rows, found)
    if known.qids is not None and len(rows.lines):
        _queries(rows, known.qids, found, judged=known.judged)
    if known.qrels is not None and len(rows.lines):
        _judgments(rows, known.qrels, found)
    if known.docnos is not None:
        _documents(rows, known.docnos, known.example, found)
    rows = _unrepeated(rows, found)
    if np.any(rows.query[1:] < rows.query[:-1]):
        rows = rows.take_rows(np.argsort(rows.query, kind="stable"))
    if len(rows.lines):
        _ranks(rows, found)
        _own_ids(rows, found)
        _ties(rows, CUTOFFS if known.depth is None else (known.depth,), found)
        if known.depth is not None:
            _depth(rows, known.depth, found)
    return rows


def _split(rows: RunEntries, found: Findings) -> None:
    starts = find_starts(rows.query)
    query = rows.query[starts[:-1]]
    together = np.argsort(query, kind="stable")
    again = np.flatnonzero(query[together[1:]] == query[together[:-1]])
    again = again[np.argsort(together[again + 1], kind="stable")]
    before, later = together[again], together[again + 1]

    def message(place: int) -> str:
        left = rows.lines[starts[before[place] + 1] - 1]
        qid = rows.qids[query[later[place]]]
        return f"query {qid} continues here, after line {left:,}; keep its lines together"

    found.add_all("W501", rows.lines[starts[later]], message)


def _queries(rows: RunEntries, wanted: tuple[str, ...], found: Findings, *, judged: bool) -> None:
    among = set(wanted)
    ours = {qid: i for i, qid in reversed([*enumerate(rows.qids)])}  # the first ranking of each
    unknown = [i for qid, i in reversed(ours.items()) if qid not in among]
    hint = guess((rows.qids[i] for i in unknown), among, wanted[0])
    if len(unknown) == len(ours):
        message = f"none of the wanted queries, such as {wanted[0]}, but {rows.qids[0]} and others"
        found.add("E504", None, message + hint)
    elif unknown:
        first = np.unique(rows.query, return_index=True)[1]
        lines = rows.lines[first[unknown]]
        names = [rows.qids[i] for i in unknown]
        every = plural(len(ours), "query")
        if judged:
            what = f"{len(names):,} of {every} are not judged: {list_few(names)}"
            found.tell("W503", int(lines[0]), names, what if len(names) > 1 else f"query {names[0]} is not judged")
        else:
            found.add_queries(
                "W503",
                lines,
                names,
                lambda n, qid: f"query {qid} is not one of the wanted ones{'' if n else hint}",
                f"{{many}} of {every} are not wanted: {{queries}}{hint.replace('{', '{{').replace('}', '}}')}",
            )
    missing = [qid for qid in wanted if qid not in ours and qid not in rows.empty]
    if missing and len(unknown) < len(ours):
        named = list_some(missing, MISSING_NAMED if found.most is not None else None)
        message = f"{len(missing):,} of {plural(len(wanted), 'query')} have no document: {named}"
        found.add("W502", None, message, tuple(missing))


def _judgments(rows: RunEntries, qrels: Qrels, found: Findings) -> None:
    """Report a run of which no document is judged, and name two ids."""
    number = qrels.numbers(rows.qids)[rows.query]
    asked = np.flatnonzero(number != MISSING)
    if not len(asked) or not np.isnan(QrelsIndex(qrels).find_grades(number[asked], rows.docnos[asked])).all():
        return
    query = number[asked[0]]
    judged = decode(qrels.docnos[slice(*qrels.starts[query : query + 2].tolist())])
    own, other, hint = compare(decode(rows.docnos[asked[number[asked] == query]]), judged)
    many = "its only document is not" if len(asked) == 1 else f"none of {len(asked):,} documents is"
    found.add("W505", None, f"{many} judged; the run has {own}, the qrels {other}{hint}")


def _documents(rows: RunEntries, known: Docnos, example: str, found: Findings) -> None:
    unknown = np.flatnonzero(known.rows(rows.docnos) == MISSING)
    if not len(unknown):
        return
    names = rows.docnos[unknown]
    hint = guess(decode(names[:1000]), {*decode(known.names)}, example)
    found.add_all(
        "E403",
        rows.lines[unknown],
        lambda n: f"document {names[n].decode()} is not in the collection{'' if n else hint}",
    )


def _unrepeated(rows: RunEntries, found: Findings) -> RunEntries:
    """Report each document that appears again under its query, and leave it out."""
    # One number of 64 bits stands for query and docno: sorting these finds the few rows that may be repeated, which
    # costs less than to sort names; only of these are the names compared.
    keys = fingerprints(rows.docnos) ^ (rows.query.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    ordered = np.sort(keys)
    same = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(same):
        return rows
    seen: dict[tuple[int, bytes], int] = {}
    pairs: list[tuple[int, int]] = []  # a row, and the first of the same document
    suspects = np.flatnonzero(np.isin(keys, same))  # of equal keys, by chance or because they are the same
    for row, docno in zip(suspects.tolist(), rows.docnos[suspects].tolist(), strict=True):
        first = seen.setdefault((int(rows.query[row]), docno), row)
        if first != row:
            pairs.append((row, first))
    again, before = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    alike = rows.scores[again] == rows.scores[before]
    for code, kind, with_score in (("E401", alike, "the same score"), ("E402", ~alike, "another score")):
        _repeated(rows, again[kind], before[kind], code, with_score, found)
    kept = np.ones(len(keys), dtype=np.bool_)
    kept[again] = False
    broken = np.sort(np.append(rows.broken, rows.lines[again]))
    left = rows.take_rows(np.flatnonzero(kept))
    return replace(left, broken=broken)


def _repeated(rows: RunEntries, again: Ints, before: Ints, code: str, with_score: str, found: Findings) -> None:
    def message(place: int) -> str:
        row = again[place]
        docno, qid = rows.docnos[row].decode(), rows.qids[rows.query[row]]
        line = rows.lines[before[place]]
        return f"document {docno} appears again under query {qid}, with {with_score} (first on line {line:,}); keep one"

    found.add_all(code, rows.lines[again], message)


def _per_query(rows: RunEntries, places: Ints, code: str, message: Message, found: Findings) -> None:
    """Add a finding for each query that has such rows, at the first."""
    _, first, many = np.unique(rows.query[places], return_index=True, return_counts=True)
    order = np.argsort(rows.lines[places[first]], kind="stable")
    at, many = places[first][order], many[order] - 1
    qids = [rows.qids[query] for query in rows.query[at].tolist()]
    found.add_queries(code, rows.lines[at], qids, lambda n, qid: message(qid, int(at[n]), int(many[n])))


def _more(many: int) -> str:
    return f", and {many:,} more in this query" if many else ""


def _ranks(rows: RunEntries, found: Findings) -> None:
    """Look at ranks 1 to n, and at scores in the order of the ranks."""
    broken = np.sort(np.append(rows.broken, rows.lines[rows.ranks == NO_RANK]))
    rows = rows.take_rows(np.flatnonzero(rows.ranks != NO_RANK))
    rows, same = _ordered(rows, rows.ranks)
    ranks, lines = rows.ranks, rows.lines
    # ``same`` and ``step`` [row - 1] compare each row with the one above it: of its query or not, and so many ranks on.
    step = np.diff(ranks)
    rises = same & (step > 0) & (rows.scores[1:] > rows.scores[:-1])

    def by_rank(qid: str, row: int, more: int) -> str:
        better, worse = rows.scores[row].item(), rows.scores[row - 1].item()
        pair = f"rank {ranks[row]} of query {qid} has the score {better!r}, rank {ranks[row - 1]} only {worse!r}"
        return f"{pair}{_more(more)}; trec_eval ranks by score"

    if rises.any():
        rises &= ~_upside_down(rows, found)[1:]
    _per_query(rows, np.flatnonzero(rises) + 1, "W601", by_rank, found)
    first = np.flatnonzero(np.append(True, ~same)[: len(ranks)])
    odd = first[(ranks[first] != 1) & ~_between(broken, lines[first] - np.clip(ranks[first], 0, None), lines[first])]
    _per_query(rows, odd, "W602", lambda q, r, _: f"the ranks of query {q} start from {ranks[r]}, not from 1", found)
    gap = np.flatnonzero(same & (step > 1)) + 1
    low, high = np.minimum(lines[gap - 1], lines[gap]), np.maximum(lines[gap - 1], lines[gap])
    gap = gap[~_between(broken, low, high)]
    _per_query(
        rows, gap, "W603", lambda q, r, m: f"rank {ranks[r]} follows {ranks[r - 1]} in query {q}{_more(m)}", found
    )
    twice = np.flatnonzero(same & (step == 0)) + 1
    _per_query(rows, twice, "W604", lambda q, r, m: f"rank {ranks[r]} appears again in query {q}{_more(m)}", found)


def _ordered(rows: RunEntries, by: Ints | Floats) -> tuple[RunEntries, Bools]:
    """Put the rows of each query in order; and tell which rows are of the query of the one above."""
    if np.any((rows.query[1:] == rows.query[:-1]) & (by[1:] < by[:-1])):
        rows = rows.take_rows(np.lexsort((by, rows.query)))
    return rows, rows.query[1:] == rows.query[:-1]


def _upside_down(rows: RunEntries, found: Findings) -> Bools:
    """Report queries in which the scores rise with the ranks throughout, and tell which rows are of these.

    That is a rank correlation (Spearman's) above 0.9 of three documents or more, or of each pair where all queries have
    but two. The rows stand by query and rank.
    """
    upside = np.zeros(len(rows.lines), dtype=np.bool_)
    numbers = np.flatnonzero(~np.isnan(rows.scores))
    rows = rows.take_rows(numbers)
    starts = find_starts(rows.query)
    many = np.diff(starts)
    # Spearman's rho of all queries at once: ``place`` [row] is the rank from 0, ``risen`` [row] the place by rising
    # score, of equal scores their mean (a block); both less their mean, multiplied, and added up between the starts.
    place = np.arange(len(numbers)) - np.repeat(starts[:-1], many)
    order = np.lexsort((rows.scores, rows.query))
    block = np.zeros(len(order), dtype=np.int64)  # of equal scores
    score, query = rows.scores[order], rows.query[order]
    block[1:] = np.cumsum((score[1:] != score[:-1]) | (query[1:] != query[:-1]))
    risen = np.empty(len(order))
    risen[order] = (np.bincount(block, place) / np.bincount(block))[block]
    middle = np.repeat((many - 1) / 2, many)
    by_rank, by_score = place - middle, risen - middle
    both, one, other = (
        np.add.reduceat(each, starts[:-1]) for each in (by_rank * by_score, np.square(by_rank), np.square(by_score))
    )
    alike = both > ALIKE * np.sqrt(one * other)
    pairs = many.max() == 2 and (many == 2).sum() >= 3 and bool(alike[many == 2].all())
    queries = np.flatnonzero(alike & (many >= (2 if pairs else 3)))
    if len(queries):
        first, last = starts[queries[0]], starts[queries[0] + 1] - 1
        ends = [f"rank {rows.ranks[row]} has {rows.scores[row].item()!r}" for row in (first, last)]
        what = f"the scores rise with the ranks in {len(queries):,} of {plural(len(many), 'query')}, first in "
        what += f"{rows.qids[rows.query[first]]}: {', '.join(ends)}; trec_eval ranks by falling score: is a lower one "
        found.add("E606", int(rows.lines[first]), f"{what}better, or column 5 the rank? write scores that fall")
        upside[numbers[np.isin(rows.query, rows.query[starts[queries]])]] = True
    return upside


def _between(broken: Ints, low: Ints, high: Ints) -> Bools:
    """Tell where a line that could not be read, and may have had the missing rank, is between two lines."""
    return np.asarray(np.searchsorted(broken, low) < np.searchsorted(broken, high))


def _ties(rows: RunEntries, cutoffs: tuple[int, ...], found: Findings) -> None:
    """Count documents of equal score, and look whether such stand on both sides of a cutoff."""
    rows = rows.take_rows(np.flatnonzero(~np.isnan(rows.scores)))
    rows, same = _ordered(rows, -rows.scores)
    tie = same & (rows.scores[1:] == rows.scores[:-1])
    if not tie.any():
        return
    tied = np.flatnonzero(np.append(tie, False) | np.insert(tie, 0, False))
    queries = len(list_distinct(rows.query[tied]))
    many = f"{len(tied):,} documents in {queries:,} of {plural(len(list_distinct(rows.query)), 'query')}"
    found.add("W611", int(rows.lines[tied].min()), f"{many} share their score with another; docnos decide their order")
    starts = find_starts(rows.query)
    place = np.arange(1, len(tie) + 1) - np.repeat(starts[:-1], np.diff(starts))[:-1]  # of documents above each place
    for cutoff in cutoffs:
        across = np.flatnonzero(tie & (place == cutoff))
        if len(across):
            qid = rows.qids[rows.query[across[0]]]
            many = f"a tie goes across rank {cutoff} in {plural(len(across), 'query')}, first in {qid}"
            found.add("W612", int(rows.lines[across[0]]), f"{many}; docnos decide what is above it")


def _own_ids(rows: RunEntries, found: Findings) -> None:
    """Report that many rankings begin with the query itself."""
    qids = encode_ids(rows.qids)
    own = fingerprints(rows.docnos) == fingerprints(qids)[rows.query]
    alike = np.flatnonzero(own)
    own[alike] = rows.docnos[alike] == qids[rows.query[alike]]
    rankings = np.count_nonzero(np.bincount(rows.query))
    if not own.any() or own.sum() * OWN < rankings:
        return
    order = np.lexsort((number_ids(rows.docnos), rows.scores, rows.query))
    first = order[np.append(np.diff(rows.query[order]) != 0, True)]  # of each query the last in rising order
    first = first[own[first]]
    if len(first) and len(first) * OWN >= rankings:
        first = np.sort(first)
        what = f"the first document of {len(first):,} of {rankings:,} rankings is the query itself"
        qid = rows.qids[rows.query[first[0]]]
        found.add("W613", int(rows.lines[first[0]]), f"{what} (first: {qid}); eval --only others leaves it out")


def _depth(rows: RunEntries, depth: int, found: Findings) -> None:
    starts = find_starts(rows.query)
    lengths = np.diff(starts)
    many = np.repeat(lengths, lengths).tolist()

    def message(qid: str, row: int, _: int) -> str:
        return f"query {qid} has {plural(many[row], 'document')}, where {depth:,} are due"

    _per_query(rows, (starts[:-1] + depth)[lengths > depth], "E701", message, found)
    _per_query(rows, starts[:-1][lengths < depth], "W702", message, found)

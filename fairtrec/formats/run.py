"""The run reader: TREC run files, ``qid Q0 docno rank score tag``, one retrieved document a line."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice, pairwise
from operator import itemgetter
from os import fspath
from typing import NoReturn

import numpy as np

from fairtrec.data import Docs, Floats, Ints, Run, Samples, System, fingerprints
from fairtrec.data.docnos import GOLDEN, join_ids, lay_rows, list_lines
from fairtrec.data.ranking.order import add_empty, count_tops, is_sorted, sort_by_score
from fairtrec.data.ranking.positions import describe_shared, find_shared, keep_gaps, note_renumbered, shift_positions
from fairtrec.data.uneven_ids import LARGEST, STRIP, UnevenIds
from fairtrec.formats import columns, run_forms, spans
from fairtrec.formats.column_roles import NO_ROLES, Roles
from fairtrec.support.compiled import extension
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.literals import BY_RANK, RankedBy, RunFormat, ScoreType
from fairtrec.support.notes import Note

COLUMNS = 6
SAMPLES = ", or add --samples if column 2 numbers several rankings"
NAME_SAMPLES = "if the rows are several rankings, add --samples --columns sample=COLUMN"
LOOKED_AT = 100  # rankings, and lines for their ranks
MANY = 10_000  # lines, from which it pays to look at each ranking by itself
PIECE = 1 << 17  # lines among which duplicates are looked for at a time, as caches have it
LARGE_FILE = 1 << 24  # bytes, from which lines below the first ranks are let go while a run is read
_KEYS: Mapping[str, columns.Cell] = {"qid": "blocks", "Q0": "skip"}
LARGE = 1_000_000  # lines, from which duplicates are looked for in a thread beside the ranking


def read(
    path: FilePath,
    order: RankedBy = "score",
    score_dtype: ScoreType = "float64",
    depth: int | None = None,
    *,
    sampled: bool = False,
    form: RunFormat = "auto",
    with_ties: bool = False,
    roles: Roles = NO_ROLES,
) -> Run:
    """Read a run and rank it once; ``depth`` drops what stands below that rank.

    ``with_ties`` keeps what is tied with the last document, and perhaps more.

    ``sampled`` tells a query's rankings apart by column 2; each is called by the query and its sample, as are those of
    TREC Fair Ranking where it has several. ``form`` says what the file is; ``auto`` tells TREC's, JSON lines, Parquet,
    and with a header TREC Fair's by the content. ``roles`` says which columns of a table are what.

    Raises InputError for a line that is not six columns, a score that is no finite number, a document that stands
    twice under one query, bytes that are not UTF-8, and a file with no lines.
    """
    how = order, score_dtype, sampled, roles
    is_usual = how == ("score", "float64", False, NO_ROLES)
    if (tops := _read_tops(path, depth, form, is_usual=is_usual, with_ties=with_ties)) is not None:
        return tops
    table, advice, is_trec = _table_of(path, order, form, sampled=sampled, roles=roles)
    held = table.columns
    rankings, docnos, several = held["qid"], held["docno"], sampled or "Q0" in held
    if several:
        rankings = join_samples(rankings, held["Q0"])
    qids, starts, together = columns.group_ids(rankings)
    scores, notes = _take_scores(table, order, score_dtype, len(qids))
    if together is not None:
        docnos, scores = docnos[together], scores[together]
    ranked: tuple[Ints, Docs, Floats] = starts, docnos, scores
    look: Callable[[], tuple[int, list[int]] | None] = partial(find_repeat, starts, docnos)
    with ExitStack() as stack:
        if len(docnos) >= LARGE:
            from concurrent.futures import ThreadPoolExecutor

            look = stack.enter_context(ThreadPoolExecutor(1)).submit(look).result
        if order != "file" and len(docnos):
            ranked = sort_by_score(starts, docnos, scores, None if order == "position" else depth)
        twice = look()
    if twice is not None:
        _refuse_repeat(twice, table, (qids, docnos, together), advice)
    of_table = None if order != "position" else np.arange(len(docnos)) if together is None else together
    positions = _keep_positions(ranked, scores, of_table, table, qids, is_one=not several)
    notes += note_renumbered(ranked[0], ranked[2]) if order == "rank" else ()
    changed = ranked[2] is not scores and together is None
    rises = changed and is_trec and order == "score" and _rises(path, starts, scores)
    qids, every = add_empty(qids, ranked[0], table.empty)
    tag, notes = held["tag"][0].decode(), (*table.notes, *notes)
    run = Run(fspath(path), tag, qids, every, *ranked[1:], *positions, rises, several, notes)
    return run.cut(qids, None if with_ties else depth)


def _refuse_repeat(
    twice: tuple[int, list[int]],
    table: columns.FileColumns,
    ranked: tuple[Sequence[str], Docs, Ints | None],
    advice: str,
) -> NoReturn:
    """Raise InputError for a document that stands twice; ``ranked``: the queries, documents and order of the rows."""
    (query, rows), (qids, docnos, together) = twice, ranked
    both = sorted(rows if together is None else together[rows].tolist())
    message = f"document {docnos[rows[0]].decode()} appears twice under query {name_ranking(qids[query])}"
    raise InputError(f"{message} (first on line {table.line(both[0])}); {advice}", table.path, table.line(both[1]))


class _NotPlainError(Exception):
    """A run has lines of which one block does not tell what to keep."""


def _read_tops(path: FilePath, depth: int | None, form: RunFormat, *, is_usual: bool, with_ties: bool) -> Run | None:
    """Read the first documents of each ranking of a large run that is sorted; None if it is not plain.

    What stands below them is let go while a processor has it at hand. Whatever is odd, a repeated document too, is left
    to a reader that keeps all lines.
    """
    if not is_usual or not depth or not _is_large(path) or run_forms.is_other(path, form):
        return None
    tops = _Tops(depth, with_ties=with_ties)
    try:
        table = columns.read(path, tops.layout, "docno", columns.Sieve(tops.keep, tops.take, tops.join))
    except (InputError, _NotPlainError):
        return None
    held = table.columns
    qids, starts, together = columns.group_ids(held["qid"])
    if together is not None:
        return None
    tag = held["tag"][0].decode()
    return Run(fspath(path), tag, qids, starts, held["docno"], held["score"], notes=table.notes)


def _is_large(path: FilePath) -> bool:
    """Tell whether a file is large; False if there is none, which is said where it is opened."""
    try:
        return opening.size(path) >= LARGE_FILE
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, eq=False)
class _Rankings:
    """Rankings that stand one behind the other, so many documents of each."""

    qids: Docs
    lengths: Ints
    docnos: Docs
    scores: Floats

    @property
    def starts(self) -> Ints:
        """The first row of each, and the number of rows as a last entry."""
        return np.concatenate(([0], np.cumsum(self.lengths)))

    def split(self) -> "list[_Rankings]":
        """Split them into the first one, those between, and the last one."""
        many = len(self.qids)
        parts = [slice(0, 1), slice(1, many - 1), slice(many - 1, many)][: 1 if many == 1 else 3]
        return [self._take(part) for part in parts if many]

    def _take(self, part: slice) -> "_Rankings":
        rows = slice(*self.starts[[part.start, part.stop]].tolist())
        return _Rankings(self.qids[part], self.lengths[part], self.docnos[rows], self.scores[rows])


class _Tops:
    """What keeps of rankings that are sorted only the first documents, ``with_ties`` and those tied with the last.

    Its methods raise _NotPlainError if a ranking is not sorted, or has a document twice.
    """

    def __init__(self, depth: int, *, with_ties: bool) -> None:
        self.depth, self.with_ties, self.layout = depth, with_ties, _make_layout(_KEYS, "skip")

    def take(self, block: bytes, ends: int) -> columns.Columns | None:
        """Keep of a block of so many line ends what ``keep`` keeps, while its lines are parsed in C."""
        if extension is None:
            return None
        rows, width = ends + (not block.endswith(b"\n")), 8
        lengths, scores = np.empty(rows, np.int64), np.empty(rows)
        slots = np.empty(1 << (2 * rows).bit_length(), np.int32)
        read, widest = 0, 1
        while widest and width <= columns.WIDEST:
            qids, docnos = np.empty((2, rows), f"S{width}")
            outs = qids.view("u1"), lengths, docnos.view("u1"), scores, slots
            read, widest, rankings, kept = extension.tops(block, spans.FIVES, self.depth, width, *outs)
            width = 8 * -(-widest // 8)
        alone = columns.list_first_cells(block, self.layout) if read == rows else {}
        if not alone or alone["tag"].itemsize > columns.WIDEST:
            return None
        return self._part(_Rankings(qids[:rankings], lengths[:rankings], docnos[:kept], scores[:kept]), alone["tag"])

    def keep(self, block: columns.Columns, lines: columns.LineNumbers) -> columns.Columns:  # noqa: ARG002
        """Keep of a block the first documents of each ranking, but all of the first and of the last ranking.

        Other blocks may have lines of these.
        """
        rankings = block["qid"] if isinstance(block["qid"], spans.Repeats) else spans.Repeats.find(block["qid"])
        whole = _Rankings(rankings.texts, rankings.lengths, block["docno"], block["score"])
        _refuse_odd(whole)
        kept = count_tops(self.depth, whole.starts, whole.scores)
        kept[:1], kept[-1:] = whole.lengths[:1], whole.lengths[-1:]
        top = list_lines(whole.starts[:-1], kept)
        return self._part(_Rankings(whole.qids, kept, whole.docnos[top], whole.scores[top]), block["tag"])

    def _part(self, rankings: _Rankings, tag: Docs) -> columns.Columns:
        """Rank what no other block has lines of, and copy it all, so that larger arrays are let go."""
        parts = [replace(part, docnos=part.docnos.copy(), scores=part.scores.copy()) for part in rankings.split()]
        parts[1:2] = map(self._rank, parts[1:2])
        return {"rankings": parts, "tag": tag}

    def _rank(self, rankings: _Rankings) -> _Rankings:
        """Sort ties, and cut what stands below the depth."""
        starts, docnos, scores = sort_by_score(rankings.starts, rankings.docnos, rankings.scores, self.depth)
        lengths = np.diff(starts)
        kept = count_tops(self.depth, starts, scores) if self.with_ties else np.minimum(lengths, self.depth)
        if (kept == lengths).all():
            return _Rankings(rankings.qids, lengths, docnos, scores)
        lines = list_lines(starts[:-1], kept)
        return _Rankings(rankings.qids, kept, docnos[lines], scores[lines])

    def join(self, blocks: columns.ColumnBlocks) -> columns.ColumnBlocks:
        """Join what is kept of each block, and rank what several blocks have lines of."""
        edge: list[_Rankings] = []  # the lines of the ranking in which a block ended
        lines: columns.LineNumbers = 1
        for block, lines in blocks:
            if not block["rankings"]:  # there are only blank lines
                continue
            parts, tag, done = block["rankings"], block["tag"], list[_Rankings]()
            if edge and parts[0].qids[0] != edge[0].qids[0]:
                done, edge = [self._settle(edge)], []
            edge += parts[:1]
            if len(parts) > 1:
                done, edge = [*done, self._settle(edge), parts[1]], parts[2:]
            if done:
                yield _lay_out(done, tag), lines
        if edge:
            yield _lay_out([self._settle(edge)], tag), lines

    def _settle(self, parts: list[_Rankings]) -> _Rankings:
        """Rank what blocks have of one ranking."""
        rows = sum(len(part.scores) for part in parts)
        if rows * max(part.docnos.dtype.itemsize for part in parts) > LARGEST:
            raise _NotPlainError
        docnos, scores = (np.concatenate([getattr(part, name) for part in parts]) for name in ("docnos", "scores"))
        whole = _Rankings(parts[0].qids, np.array([rows]), docnos, scores)
        _refuse_odd(whole)
        return self._rank(whole)


def _refuse_odd(rankings: _Rankings) -> None:
    """Raise _NotPlainError if a ranking is not sorted, or has a document twice."""
    starts = rankings.starts
    if not is_sorted(starts, rankings.scores) or find_repeat(starts, rankings.docnos) is not None:
        raise _NotPlainError


def _lay_out(parts: list[_Rankings], tag: Docs) -> columns.Columns:
    """Give rankings as the columns of a run."""
    fields = ("qids", "lengths", "docnos", "scores")
    qids, lengths, docnos, scores = (np.concatenate([getattr(part, name) for part in parts]) for name in fields)
    return {"qid": spans.Repeats(qids, lengths), "docno": docnos, "score": scores, "tag": tag}


def _make_layout(keys: Mapping[str, columns.Cell], rank: columns.Cell) -> columns.Layout:
    """Say what the columns of a TREC run hold."""
    kinds: dict[str, columns.Cell] = {**keys, "docno": "text", "rank": rank, "score": "float", "tag": "first"}
    return columns.Layout("run", kinds, has_comments=True)


def _take_scores(
    table: columns.FileColumns, order: RankedBy, score_dtype: ScoreType, rankings: int
) -> tuple[Floats, tuple[Note, ...]]:
    """Take what ranks the rows: the scores, or the ranks or positions, negated; with notes on these."""
    if order not in BY_RANK:
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, as in trec_eval
            return table.columns["score"].astype(score_dtype, copy=False), ()
    ranks, notes = table.columns["rank"], tuple[Note, ...]()
    if order == "position":
        ranks, notes = shift_positions(ranks, rankings, lambda what, row: InputError(what, table.path, table.line(row)))
    return -ranks.astype("f8"), notes


def _keep_positions(
    ranked: tuple[Ints, Docs, Floats],
    scores: Floats,
    rows: Ints | None,
    table: columns.FileColumns,
    qids: Sequence[str],
    *,
    is_one: bool,
) -> tuple[Ints | None, Ints | None]:
    """Give positions as ``keep_gaps`` does; ``rows`` are those of the table by ranking, None if ranks are numbered.

    ``is_one``  whether a query has one ranking, so that the rows may be several.

    Raises InputError for two documents at one position of a ranking.
    """
    if rows is None or not len(rows):
        return None, None
    shared = find_shared(ranked[0], ranked[2])
    if shared is None:
        return keep_gaps(ranked[0], ranked[2])
    query, line = shared
    of_query = slice(*ranked[0][query : query + 2].tolist())
    both = np.sort(rows[of_query][scores[of_query] == ranked[2][line]])
    way_out = NAME_SAMPLES if table.has_names else f"correct one{SAMPLES}"
    position, ranking = int(-ranked[2][line]), name_ranking(qids[query])
    what = describe_shared(ranked[1], line, position, ranking, way_out if is_one else "correct one")
    raise InputError(what, table.path, table.line(int(both[1])))


def join_samples(qids: Docs | spans.Repeats, samples: Docs) -> spans.Repeats:
    """Call each ranking [row] by its query and its sample."""
    column = np.repeat(qids.texts, qids.lengths) if isinstance(qids, spans.Repeats) else qids
    return spans.Repeats.find(join_ids(column, samples, columns.SAMPLE_MARK.encode()))


def name_ranking(ranking: str) -> str:
    """Name a ranking in a message: its query, and its sample if it has several."""
    return ranking.replace(columns.SAMPLE_MARK, " ")


def _table_of(
    path: FilePath, order: RankedBy, form: RunFormat, *, sampled: bool, roles: Roles
) -> tuple[columns.FileColumns, str, bool]:
    """Read the columns of a run, and say how to mend a repeated document, and whether it is TREC's."""
    advice = "remove one of the two"
    if roles or run_forms.is_other(path, form):
        from fairtrec.formats import other_runs

        if (asked := other_runs.read_declared(path, form, order, sampled=sampled, roles=roles)) is not None:
            return asked, _write_advice(asked, sampled=sampled), False
    keys: Mapping[str, columns.Cell] = {"qid": "text", "Q0": "text"} if sampled else _KEYS
    try:
        return (
            columns.read(path, _make_layout(keys, "int" if order in BY_RANK else "skip"), "docno"),
            f"{advice}{SAMPLES}",
            True,
        )
    except InputError as fault:
        if form == "trec":
            raise
        from fairtrec.formats import other_runs

        found = other_runs.read_detected(path, fault, order, sampled=sampled)
        return found, _write_advice(found, sampled=sampled), False


def _write_advice(table: columns.FileColumns, *, sampled: bool) -> str:
    """Say how to mend a repeated document in a table whose columns may have roles."""
    advice = "remove one of the two"
    return f"{advice}, or, {NAME_SAMPLES}" if table.has_names and not sampled else advice


def _rises(path: FilePath, starts: Ints, scores: Floats) -> bool:
    """Tell whether scores rise with the ranks, as far as the first rankings and lines of a file tell.

    The ranks are looked at only where the scores of all these rankings rise from line to line.
    """
    blocks = [scores[first:end] for first, end in pairwise(starts[: LOOKED_AT + 1].tolist()) if end - first > 2]
    if not blocks or not all((np.diff(each) >= 0).all() and each[-1] > each[0] for each in blocks):
        return False
    ranks = [] if opening.is_stream(path) else _first_ranks(path)
    return bool(ranks) and all(low < high for several in ranks for low, high in pairwise(several))


def _first_ranks(path: FilePath) -> list[list[int]]:
    """Read the ranks of the first lines, those of each query with three or more that are numbers."""
    rows = [line.split() for _, line in islice(opening.lines(path, comment=b"#"), LOOKED_AT)]
    rows = [row for row in rows if len(row) == COLUMNS and not row[0].startswith(b"#")]
    of_queries = [[row[3] for row in group] for _, group in groupby(rows, key=itemgetter(0))]
    return [list(map(int, several)) for several in of_queries if all(map(bytes.isdigit, several)) and several[2:]]


def split_samples(whole: Run) -> System:
    """Give samples where column 2 has told a query's rankings apart, each called by the query and its sample."""
    if not whole.numbered:
        return whole
    members: dict[str, list[str]] = {}
    for ranking in whole.qids:
        members.setdefault(ranking.partition(columns.SAMPLE_MARK)[2], []).append(ranking)
    runs = []
    for _, rankings in sorted(members.items()):
        qids = tuple(ranking.partition(columns.SAMPLE_MARK)[0] for ranking in rankings)
        runs.append(replace(whole.cut(rankings, None), qids=qids, rises=False, numbered=False))
    return Samples(whole.name, whole.tag, tuple(runs))


def find_repeat(starts: Ints, docnos: Docs | UnevenIds) -> tuple[int, list[int]] | None:
    """Find a document that appears twice in one ranking: the query's number and the two rows, or None."""
    if not len(docnos):
        return None
    if isinstance(docnos, UnevenIds):
        return _find_repeat_in_pieces(starts, docnos)
    if extension is not None and docnos.dtype.itemsize and len(docnos) < 1 << 31:
        letters, edges = np.ascontiguousarray(docnos).view(np.uint8), np.ascontiguousarray(starts, np.int64)
        slots = np.zeros(1 << max(1, (2 * int(np.diff(edges).max(initial=0))).bit_length()), np.int32)
        one, other = extension.find_twice(letters, docnos.dtype.itemsize, edges, slots)
        return None if one < 0 else (int(np.searchsorted(edges, other, side="right")) - 1, [one, other])
    return _find_repeat_plain(starts, docnos)


def _find_repeat_in_pieces(starts: Ints, docnos: UnevenIds) -> tuple[int, list[int]] | None:
    """Find the same among rankings that are laid out some at a time."""
    edges = {*np.searchsorted(starts, np.arange(0, starts[-1], STRIP)).tolist(), len(starts) - 1}
    for first, last in pairwise(sorted(edges)):
        begin = int(starts[first])
        found = find_repeat(starts[first : last + 1] - begin, np.asarray(docnos[begin : starts[last]]))
        if found is not None:
            return first + found[0], [begin + row for row in found[1]]
    return None


def _find_repeat_plain(starts: Ints, docnos: Docs) -> tuple[int, list[int]] | None:
    """Find the same in numpy."""
    edges = {*np.searchsorted(starts, np.arange(0, starts[-1], PIECE)).tolist(), len(starts) - 1}
    for first, last in pairwise(sorted(edges)):
        keys, lengths = fingerprints(docnos[starts[first] : starts[last]]), np.diff(starts[first : last + 1])
        hashes = (keys * GOLDEN >> np.uint64(32)).astype(np.uint32)
        if len(hashes) > MANY and int(lengths.max()) * len(lengths) <= 4 * len(hashes):
            matrix, filled = lay_rows(hashes, lengths, 0)
            matrix = np.sort(np.where(filled, matrix, 0) if not filled.all() else matrix, axis=1)
            empty = (~filled).sum(axis=1)  # zeros that are not hashes, which the sort has put first
            same = (matrix[:, 1:] == matrix[:, :-1]) & (np.arange(matrix.shape[1] - 1) >= empty[:, None])
            suspects = np.flatnonzero(same.any(axis=1)).tolist()
        else:
            numbers = np.repeat(np.arange(len(lengths), dtype=np.uint64), lengths)
            both = np.sort(numbers << np.uint64(32) | hashes)
            twins = both[1:][both[1:] == both[:-1]] >> np.uint64(32)
            suspects = list(dict.fromkeys(twins.tolist()))  # np.unique would import numpy.ma
        for query in suspects:  # equal by chance, which is rare, or because they are the same
            seen: dict[bytes, int] = {}
            for row in range(starts[first + query], starts[first + query + 1]):
                if docnos[row] in seen:
                    return first + query, [seen[docnos[row]], row]
                seen[docnos[row]] = row
    return None

"""The tables of a result: runs as rows, measures as columns, the best marked by each measure's own direction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import ColumnTable, FollowingText, FollowingTexts
from fairtrec.evaluation.leaderboard import Standing, incomplete, sort_runs
from fairtrec.measure import Measure
from fairtrec.report.cells import (
    compare_means,
    followers,
    rows,
    sizes,
    write_suffix,
)
from fairtrec.report.document import Column, Document, ReportTable, RunCell, directions, heading, stack_tables
from fairtrec.report.result_notes import judge, list_notes
from fairtrec.report.run_names import shorten_runs
from fairtrec.report.terminal import BEST, WORST
from fairtrec.support.literals import ALL

FIRST = {"higher": "highest first", "lower": "lowest first", "nearer 0": "nearest 0 first", "neither": "highest first"}
SIZE = (
    "|x|: the mean of absolute values; it decides the order and the *, because plus and minus cancel in the other mean"
)
UNTESTED = "ranks are not tested, see fairtrec compare"
DOMINATED = "×"
DOMINATED_IS = "dominated: another run is as good or better in every measure with an arrow, and better in one"
MARKS = ("bold the best", "italics the worst")
RunRow = tuple[int, int | str | None, str]  # a run by its number, and one of its rows
Followers = Mapping[str | None, FollowingTexts]  # what follows the means of a run (None), and its totals, by name


def windowed(
    result: Result, *, per_query: bool, summary: bool, places: int, sort: Measure | None, parts: Mapping[str, Result]
) -> Document:
    """Lay out the means, and before them each run's queries in a table of their own, if asked for."""
    several, shown = list[ReportTable](), _leave_out(result, _find_own(result, places))
    for run, name in enumerate(shorten_runs(result) if per_query and shown is not None else ()):
        assert shown is not None
        lines = [(run, *row) for row in rows(shown.scores[run], per_query=True, summary=summary)]
        several.append(ReportTable(name, [_qids(lines)], _columns(shown, lines, places), total=summary))
    if summary and (parts or not (per_query and len(result.scores) == 1)):
        several += tables(result, places=places, sort=sort, parts=parts).tables
    elif summary:
        several += _list_own(parts or {ALL: result}, places)
    signs = legend(result, several, sort, places, f"{BEST} the best", f"{WORST} the worst")
    verdict = judge(result, sort=sort) if summary else None
    return Document(several, list_notes(result, sort=sort), str(result.signature), signs=signs, verdict=verdict)


def tables(
    result: Result,
    *,
    per_query: bool = False,
    summary: bool = True,
    places: int = 4,
    sort: Measure | None = None,
    parts: Mapping[str, Result] = MappingProxyType({}),
) -> Document:
    """Lay out one table: the queries of each run, if asked for, and behind them its means; below them each slice's."""
    several, own, aside = [], list[ReportTable](), _find_own(result, places)
    if summary and aside:
        own = _list_own(parts or {ALL: result}, places)
    for name, whole in (parts or {ALL: result}).items():
        if (part := _leave_out(whole, aside)) is None:
            continue
        ordered = part if sort is None else sort_runs(part, sort)
        lines = [
            (run, *row)
            for run, scores in enumerate(ordered.scores)
            for row in rows(scores, per_query=per_query and name == ALL, summary=summary)
        ]
        more = [_qids(lines)] * per_query
        if summary:
            many = ["" if isinstance(query, int) else str(len(ordered.scores[run].qids)) for run, query, _ in lines]
            more.append(Column("sequences" if "sequences" in result.signature else "queries", many))
        several.append(_marked(ordered, lines, more, places, sort if summary else None))
    shown = [stack_tables(several, "slice", list(parts))] if parts and several else several
    signs, verdict = legend(result, shown, sort, places, *MARKS), judge(result, sort=sort) if summary else None
    return Document([*shown, *own], list_notes(result, sort=sort), str(result.signature), signs=signs, verdict=verdict)


def _find_own(result: Result, places: int) -> set[Measure]:
    """Find the measures that stand in tables of their own."""
    tables = (table for scores in result.scores for table in scores.list_tables(places))
    return {measure for table in tables for measure in table.measures}


def _leave_out(result: Result, own: set[Measure]) -> Result | None:
    """Leave out the measures that stand in tables of their own; None if all do."""
    if not own:
        return result
    kept = [row for row, measure in enumerate(result.scores[0].measures) if measure not in own]
    return replace(result, scores=tuple(scores.keep_measures(kept) for scores in result.scores)) if kept else None


def _list_own(parts: Mapping[str, Result], places: int) -> list[ReportTable]:
    """Lay out the tables of columns, each below the name of its run and its slice."""
    found = []
    for name, part in parts.items():
        for run, scores in zip(shorten_runs(part), part.scores, strict=True):
            words = [*[run] * (len(part.scores) > 1), *[name] * (len(parts) > 1)]
            found += [_lay_out(", ".join(words), table) for table in scores.list_tables(places)]
    return found


def _lay_out(title: str, table: ColumnTable) -> ReportTable:
    first, *others = table.head
    cells = zip(*(row for _, row in table.rows), strict=True)
    columns = [_column(head, column) for head, column in zip(others, cells, strict=True)]
    return ReportTable(title, [Column(first, [name for name, _ in table.rows], words=True)], columns)


def _qids(lines: Sequence[RunRow]) -> Column:
    return Column("query", [qid for _, _, qid in lines], words=True)


def _marked(
    result: Result, lines: Sequence[RunRow], more: list[Column], places: int, sort: Measure | None
) -> ReportTable:
    """Name the runs of the rows; their means are marked and, where they are sorted by a measure, ranked."""
    compared, named = compare_means(result, places), shorten_runs(result)
    cells = [RunCell(f"  {query}") if isinstance(query, str) else named[run] for run, query, _ in lines]
    keys = [Column("run", cells, words=True, runs=True)]
    first = None if sort is None or len(result.scores) == 1 else result.scores[0].measures.index(sort)
    if first is not None:
        marks, ranks = dominations(compared), [str(rank or "-") for rank in compared.ranks[:, first].tolist()]
        keys = [Column("rank", _of_means(lines, ranks)), *keys]
        keys += [Column("", _of_means(lines, marks), words=True)] if marks else []
    return ReportTable("", [*keys, *more], _columns(result, lines, places, compared, first))


def _of_means(lines: Sequence[RunRow], of_runs: Sequence[str]) -> list[str]:
    return ["" if query is not None else of_runs[run] for run, query, _ in lines]


def _columns(
    result: Result, lines: Sequence[RunRow], places: int, compared: Standing | None = None, first: int | None = None
) -> list[Column]:
    """Give a column for each measure: its values in these lines, what stands behind them, and the marks of means.

    Behind it stand the means that follow it. Those that gold labels correct have the marks, the last of them.
    The measure that is ``first`` is that by which runs are ranked.
    """
    written, behind = [], []
    for run, query, _ in lines:
        texts = result.scores[run].spell(query, places)
        written.append(texts if isinstance(query, int) else [text or "-" for text in texts])
        behind.append(write_suffix(result.scores[run], query, places))
    following = [{of: followers(scores, of, places) for of in (None, *scores.totals)} for scores in result.scores]
    columns: list[Column] = []
    is_corrected = any(scores.is_corrected for scores in result.scores)
    means = [line for line, (_, query, _) in enumerate(lines) if query is None]
    measures = result.scores[0].measures
    for at in sorted(range(len(measures)), key=lambda at: at != first):
        own = [(line[at], more[at]) for line, more in zip(written, behind, strict=True)]
        several = [_column(heading(measures[at]), own), *_following(lines, following, at, str(measures[at]))]
        has_means = [any(_is_value(column.cells[line]) for line in means) for column in several]
        marked = max(place for place, has in enumerate(has_means) if not place or (has and is_corrected))
        best, worst = _mark(lines, compared, at, is_ranked=first is not None)
        several[marked] = replace(several[marked], best=best, worst=worst)
        columns += several
    return columns


def _column(name: str, texts: Sequence[tuple[str, str]], follows: str = "") -> Column:
    """Give a column of values and what stands behind each."""
    more = [behind for _, behind in texts]
    return Column(name, [text for text, _ in texts], beside=more if any(more) else (), follows=follows)


def _is_value(text: object) -> bool:
    return text not in ("", "-")


def _following(lines: Sequence[RunRow], following: Sequence[Followers], at: int, measure: str) -> list[Column]:
    """Give the columns of the means, and of the totals, that follow a measure; none where no run has them."""
    found: list[Column] = []
    nothing = [None] * (at + 1)
    for name in dict.fromkeys(name for of_run in following for each in of_run.values() for name in each):
        texts = [{of: each.get(name, nothing)[at] for of, each in of_run.items()} for of_run in following]
        if several := [text for of_run in texts for text in of_run.values() if text is not None]:
            empty = FollowingText("")
            own = [empty if isinstance(query, int) else texts[run][query] or empty for run, query, _ in lines]
            found.append(_column(name, [(each.text, each.beside) for each in own], several[0].of or measure))
    return found


def _mark(lines: Sequence[RunRow], compared: Standing | None, at: int, *, is_ranked: bool) -> tuple[set[int], set[int]]:
    """Number the lines of the best means of a measure, and of the worst if runs are ranked."""
    if compared is None:
        return set(), set()
    means = [(line, run) for line, (run, query, _) in enumerate(lines) if query is None]
    best = {line for line, run in means if compared.best[run, at]}
    return best, {line for line, run in means if is_ranked and compared.worst[run, at]}


def arrows(result: Result) -> str:
    """Explain the arrows of this result's measures; nothing where there are none."""
    return directions(measure.better for measure in result.scores[0].measures)


def legend(
    result: Result, drawn: Sequence[ReportTable], sort: Measure | None, places: int, best_is: str, worst_is: str
) -> list[str]:
    """Explain the signs in the tables that are drawn of this result, line by line."""
    compared, several, explained = compare_means(result, places), len(result.scores) > 1, arrows(result)
    ranked = several and sort is not None
    columns = [column for table in drawn for column in table.columns]
    marks = [best_is] * any(column.best for column in columns) + [worst_is] * any(column.worst for column in columns)
    is_incomplete = several and bool(incomplete(result).any())
    few = f"no {'rank or ' * ranked}mark for a mean over fewer queries than another run's" * is_incomplete
    line = [describe_order(sort) if ranked else "", explained, ", ".join(marks), few]
    return signs(result, compared, places, line, ranked=ranked)


def describe_order(measure: Measure | None) -> str:
    """Say in which order runs stand."""
    return "runs in the order given" if measure is None else f"rank: by {measure}, {FIRST[measure.better]}; {UNTESTED}"


def signs(result: Result, compared: Standing, places: int, line: Sequence[str], *, ranked: bool) -> list[str]:
    """Explain signs: those of a line of several parts, what stands between bars, and that of the dominated."""
    others = any(measure.over is not None for measure in result.scores[0].measures)
    size = "|x|: the same of absolute values; it decides the order and the *" if others else SIZE
    by_size = any(any(sizes(scores, places)) for scores in result.scores)
    dominated = f"{DOMINATED} {DOMINATED_IS}" if ranked and compared.dominated.any() else ""
    return [*filter(None, ["; ".join(filter(None, line)), size * by_size, dominated])]


def dominations(standing: Standing) -> Sequence[str]:
    """Write the sign behind each run that is dominated; nothing at all where none is."""
    return [DOMINATED if mark else "" for mark in standing.dominated.tolist()] if standing.dominated.any() else []

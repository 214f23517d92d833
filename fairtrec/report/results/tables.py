"""The tables of a result: runs as rows, measures as columns, the best marked by each measure's own direction."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

import numpy as np

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import ColumnTable, FollowingText, FollowingTexts
from fairtrec.evaluation.leaderboard import Standing, count_shared, has_other_queries, incomplete, sort_runs
from fairtrec.measure import Measure
from fairtrec.report.cells import (
    compare_means,
    find_correcting,
    followers,
    rows,
    sizes,
    write_suffix,
)
from fairtrec.report.document import Column, Document, ReportTable, RunCell, directions, heading, stack_tables
from fairtrec.report.result_notes import judge, list_notes, note_reliability
from fairtrec.report.run_names import shorten_runs
from fairtrec.report.terminal import BEST, WORST
from fairtrec.support.literals import ALL
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

FIRST = {"higher": "highest first", "lower": "lowest first", "nearer 0": "nearest 0 first", "neither": "highest first"}
SIZE = (
    "|x|: the mean of absolute values; it decides the order and the *, because plus and minus cancel in the other mean"
)
RANK = "rank: "
ORDER = NoteKind("order of runs", "order: {order}", NoteSeverity.LEGEND)
UNTESTED = "ranks are not tested, see fairtrec compare"
OTHER_QUERIES = "no mark: the means are over different queries"
SHARED = "all ranked runs have a value"
NOT_SHARED = "means of other measures are over all queries with a value"
MANY = "(n): a mean over n queries"
DOMINATED = "×"
DOMINATED_IS = "dominated: another run is as good or better in every measure with an arrow, and better in one"
RunRow = tuple[int, int | str | None, str]  # a run by its number, and one of its rows
Followers = Mapping[str | None, FollowingTexts]  # what follows the means of a run (None), and its totals, by name


@dataclass(frozen=True)
class ResultTables:
    """One table of a result: the queries of each run, if asked for, behind them its means, and below them each slice's.

    Its fields are the view options that change the tables: a new one is a field, and a line where it acts. What leaves
    runs out, or puts them into another order, acts in ``arrange_runs``.
    """

    result: Result
    _: KW_ONLY
    per_query: bool = False
    summary: bool = True
    places: int = 4
    sort: Measure | None = None
    parts: Mapping[str, Result] = field(default_factory=dict)
    compared: bool = False  # the parts have differences from one of them, which tables of their own show
    marks: ClassVar[tuple[str, str]] = "bold the best", "italics the worst"

    def make_document(self) -> Document:
        """Lay out the tables, what explains their signs, and the notes."""
        notes = list_table_notes(self.result, self.sort, self.places)
        verdict = judge(self.result, sort=self.sort) if self.summary or self.compared else None
        if self.compared:
            from fairtrec.report.results.slice_tables import lay_out_differences  # which few evaluations import

            several, explained = lay_out_differences(self.parts, self.places)
            drawn, legend = [*self._list_queries(), *several], [*filter(None, [arrows(self.result)]), *explained]
        else:
            drawn = self.list_tables()
            legend = self._legend(drawn)
        return Document(drawn, notes, str(self.result.signature), signs=legend, verdict=verdict)

    def arrange_runs(self, result: Result) -> Result:
        """Give the runs of all queries, or of a slice, that are shown, in the order in which they are."""
        return result if self.sort is None else sort_runs(result, self.sort)

    def _list_queries(self) -> list[ReportTable]:
        """Lay out the values of queries, if asked for."""
        return replace(self, summary=True, parts={}, compared=False).list_tables() if self.per_query else []

    def list_tables(self) -> list[ReportTable]:
        """Lay out one table, and below it those of columns."""
        several, aside = list[ReportTable](), self._find_own()
        for name, whole in self._parts.items():
            if (part := _leave_out(whole, aside)) is None:
                continue
            lines = [
                (run, *row)
                for run, scores in enumerate(part.scores)
                for row in rows(scores, per_query=self.per_query and name == ALL, summary=self.summary)
            ]
            more = [_qids(lines)] * self.per_query
            if self.summary:
                many = ["" if isinstance(query, int) else str(len(part.scores[run].qids)) for run, query, _ in lines]
                more.append(Column("sequences" if "sequences" in self.result.signature else "queries", many))
            several.append(self._mark_runs(part, lines, more))
        shown = [stack_tables(several, "slice", list(self.parts))] if self.parts and several else several
        return [*shown, *(self._list_own() if self.summary and aside else ())]

    @property
    def _parts(self) -> Mapping[str, Result]:
        """The slices, or all as one, of the runs that are shown."""
        return {name: self.arrange_runs(part) for name, part in (self.parts or {ALL: self.result}).items()}

    def _find_own(self) -> set[Measure]:
        """Find the measures that stand in tables of their own."""
        tables = (table for scores in self.result.scores for table in scores.list_tables(self.places))
        return {measure for table in tables for measure in table.measures}

    def _list_own(self) -> list[ReportTable]:
        """Lay out the tables of columns, each below the name of its run and its slice."""
        found = []
        for name, part in self._parts.items():
            for run, scores in zip(shorten_runs(part), part.scores, strict=True):
                words = [*[run] * (len(part.scores) > 1), *[name] * (len(self._parts) > 1)]
                found += [_lay_out(", ".join(words), table) for table in scores.list_tables(self.places)]
        return found

    def _mark_runs(self, result: Result, lines: Sequence[RunRow], more: list[Column]) -> ReportTable:
        """Name the runs of the rows; their means are marked and, where they are sorted by a measure, ranked."""
        compared, named = compare_means(result, self.places), shorten_runs(result)
        cells = [RunCell(f"  {query}") if isinstance(query, str) else named[run] for run, query, _ in lines]
        keys = [Column("run", cells, words=True, runs=True)]
        is_ranked = self.summary and self.sort is not None and len(result.scores) > 1
        first = result.scores[0].measures.index(self.sort) if is_ranked and self.sort is not None else None
        if first is not None:
            marks, ranks = dominations(compared), [str(rank or "-") for rank in compared.ranks[:, first].tolist()]
            keys = [Column("rank", _of_means(lines, ranks)), *keys]
            keys += [Column("", _of_means(lines, marks), words=True)] if marks else []
        return ReportTable("", [*keys, *more], self._list_columns(result, lines, compared, first))

    def _list_columns(
        self, result: Result, lines: Sequence[RunRow], compared: Standing | None = None, first: int | None = None
    ) -> list[Column]:
        """Give a column for each measure: its values in these lines, what stands behind them, and the marks of means.

        Behind it stand the means that follow it. The last of a column that corrects means has the marks instead.
        The measure that is ``first`` is that by which runs are ranked.
        """
        written, behind, places = [], [], self.places
        for run, query, _ in lines:
            texts = result.scores[run].spell(query, places)
            written.append(texts if isinstance(query, int) else [text or "-" for text in texts])
            behind.append(write_suffix(result.scores[run], query, places))
        following = [{of: followers(scores, of, places) for of in (None, *scores.totals)} for scores in result.scores]
        columns: list[Column] = []
        correcting = find_correcting(result.scores, places)
        means = [line for line, (_, query, _) in enumerate(lines) if query is None]
        measures = result.scores[0].measures
        for at in sorted(range(len(measures)), key=lambda at: at != first):
            own = [(line[at], more[at]) for line, more in zip(written, behind, strict=True)]
            several = [_column(heading(measures[at]), own), *_following(lines, following, at, str(measures[at]))]
            has_means = [any(_is_value(column.cells[line]) for line in means) for column in several]
            corrects = [has and column.head in correcting for has, column in zip(has_means, several, strict=True)]
            marked = max(place for place, has in enumerate(corrects) if has or not place)
            best, worst = _mark(lines, compared, at, is_ranked=first is not None)
            several[marked] = replace(several[marked], best=best, worst=worst)
            columns += several
        return columns

    def _legend(self, drawn: Sequence[ReportTable]) -> list[str]:
        """Explain the signs in the tables, line by line."""
        result, sort = self.result, self.sort
        compared, several, explained = compare_means(result, self.places), len(result.scores) > 1, arrows(result)
        ranked = several and sort is not None
        columns = [column for table in drawn for column in table.columns]
        best_is, worst_is = self.marks
        marks = [best_is] * any(column.best for column in columns)
        marks += [worst_is] * any(column.worst for column in columns)
        is_incomplete = several and bool(incomplete(result).any())
        others = OTHER_QUERIES * is_incomplete
        line = [describe_ranking(result, sort) if ranked else "", explained, ", ".join(marks), others]
        return signs(result, compared, self.places, line, ranked=ranked)


def list_table_notes(result: Result, sort: Measure | None, places: int) -> list[Note]:
    """List the notes on a table: which measures with a best run have no reliable order, and what all reports note.

    The measure that runs are sorted by has a verdict instead.
    """
    marked = np.flatnonzero(compare_means(result, places).best.any(axis=0)).tolist()
    judged = [row for row in marked if result.scores[0].measures[row] != sort]
    return [*note_reliability(result, judged), *list_notes(result, sort=sort, marked=True)]


class WindowedTables(ResultTables):
    """The means of a result, and before them each run's queries in a table of their own, if asked for."""

    marks = f"{BEST} the best", f"{WORST} the worst"

    def list_tables(self) -> list[ReportTable]:
        """Lay out a table of each run's queries, and that of the means."""
        several = self._list_queries()
        if not self.summary:
            return several
        if self.parts or not (self.per_query and len(self.result.scores) == 1):
            return several + ResultTables.list_tables(replace(self, per_query=False))
        return several + self._list_own()

    def _list_queries(self) -> list[ReportTable]:
        """Lay out a table of each run's queries."""
        if not self.per_query or (shown := _leave_out(self.arrange_runs(self.result), self._find_own())) is None:
            return []
        several = []
        for run, name in enumerate(shorten_runs(shown)):
            lines = [(run, *row) for row in rows(shown.scores[run], per_query=True, summary=self.summary)]
            several.append(ReportTable(name, [_qids(lines)], self._list_columns(shown, lines), total=self.summary))
        return several


def tables(result: Result, *, places: int) -> Document:
    """Lay out the means, as a notebook shows them."""
    return ResultTables(result, places=places).make_document()


def _leave_out(result: Result, own: set[Measure]) -> Result | None:
    """Leave out the measures that stand in tables of their own; None if all do."""
    if not own:
        return result
    kept = [row for row, measure in enumerate(result.scores[0].measures) if measure not in own]
    return replace(result, scores=tuple(scores.keep_measures(kept) for scores in result.scores)) if kept else None


def _lay_out(title: str, table: ColumnTable) -> ReportTable:
    first, *others = table.head
    cells = zip(*(row for _, row in table.rows), strict=True)
    columns = [_column(head, column) for head, column in zip(others, cells, strict=True)]
    return ReportTable(title, [Column(first, [name for name, _ in table.rows], words=True)], columns)


def _qids(lines: Sequence[RunRow]) -> Column:
    return Column("query", [qid for _, _, qid in lines], words=True)


def _of_means(lines: Sequence[RunRow], of_runs: Sequence[str]) -> list[str]:
    return ["" if query is not None else of_runs[run] for run, query, _ in lines]


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


def describe_ranking(result: Result, measure: Measure | None, *, signs: bool = True) -> str:
    """Say in which order the runs of a result stand, and over which queries if a measure is undefined in others.

    ``signs``  whether the numbers of queries stand in brackets behind means.
    """
    if measure is None:
        return describe_order(None)
    row = result.scores[0].measures.index(measure)
    if (shared := count_shared(result, row)) is None:
        return describe_order(measure)
    others = f"; {NOT_SHARED}{f'; {MANY}' * signs}" * has_other_queries(result, row)
    return describe_order(measure, f", over the {shared} queries in which {SHARED}{others}")


def note_order(result: Result, measure: Measure) -> Note:
    """Say in which order the runs of a result stand, for a format that has no signs."""
    return ORDER.note(order=describe_ranking(result, measure, signs=False).removeprefix(RANK))


def describe_order(measure: Measure | None, over: str = "") -> str:
    """Say in which order runs stand, and ``over`` which queries."""
    if measure is None:
        return "runs in the order given"
    return f"{RANK}by {measure}, {FIRST[measure.better]}{over}; {UNTESTED}"


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

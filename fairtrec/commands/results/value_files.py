"""Values of queries that other programs have written: columns of trec_eval and ir_measures, leaderboards, CSV, JSON.

Which it is, the content tells. Means and counts of queries are passed over.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from fairtrec.formats.named_tables import split_below, take_places
from fairtrec.formulas.rounding import HUGE
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import json_text
from fairtrec.support.files.table_header import TableHeader, find_header, match_names
from fairtrec.support.literals import QUERY

RUN = ("run", "system", "name", "run_id", "runid")
HEADS = tuple((name,) for name in QUERY)  # a table of values has to have a header
MEASURE = ("measure", "metric")
VALUE = ("value", "score")
BESIDE = ("", "tag", "slice", "num_q", "queries", "defined")  # columns that are no values
PASSED = ("num_q", "runid", "relstring")  # rows of trec_eval that are no values; the last has a cutoff behind it
ALL, SLICE = "all", "slice:"  # what stands for a query where the value is a mean
UNDEFINED = ("", "nan", "null", "none", "na", "-")
LEADERBOARD = 4  # columns: run, query and measure in either order, value
LOOKED_AT = 5  # names, to tell measures from queries
WRITE = "write: measure, query and value (trec_eval -q), or query, measure and value (ir_measures -q), or CSV"


class Value(NamedTuple):
    """What one line says: the value of a run, where it names one, in a query; ``text`` is not yet a number."""

    run: str | None
    measure: str
    qid: str
    text: Any
    line: int | None


def number(value: Value, path: FilePath) -> float:
    """Read the number; nan is undefined. Raises InputError for what is none."""
    text = value.text
    if text is None or (isinstance(text, str) and text.strip().lower() in UNDEFINED):
        return math.nan
    with suppress(ValueError, OverflowError):
        if type(text) in (int, float) or (isinstance(text, str) and "_" not in text):
            found = float(text)
            if not HUGE < abs(found) < math.inf:
                return found
            what = f"the value of {value.measure} is {text}, which is too large to compute with"
            raise InputError(f"{what}; correct it, or choose measures with -m", path, value.line)
    what = f"the value of {value.measure} is {text!r}, which is not a number"
    raise InputError(f"{what}; correct it, or choose measures with -m", path, value.line)


def read(path: FilePath, text: str, known: Callable[[str], bool]) -> list[Value]:
    """Read all values of a file that holds this text; ``known`` tells names of measures.

    Raises InputError for a line that is not like the first, and for a file without values.
    """
    rows = [(n, row) for n, row in enumerate(text.split("\n"), 1) if row.strip() and not row.startswith("#")]
    if not rows:
        raise InputError(f"this file holds no values; {WRITE}", path)
    first = rows[0][1]
    if first.lstrip().startswith("{"):
        values: Iterable[Value] = _objects(path, rows)
    elif (header := find_header(first, HEADS)) is not None and header.find_column(QUERY) is not None:
        values = _sheet(path, rows, header)
    else:
        values = _columns(path, rows, known)
    found = [each for each in values if each.qid != ALL and not each.qid.startswith(SLICE)]
    if not found:
        raise InputError("only means, and no values of queries to compare; write these, usually with -q", path)
    return found


def _columns(path: FilePath, rows: list[tuple[int, str]], known: Callable[[str], bool]) -> Iterator[Value]:
    many = len(_split(rows[0][1]))
    several = [(line, _cells(row, line, path, many)) for line, row in rows]
    runs = [cells.pop(0) if many == LEADERBOARD else None for _, cells in several]
    at = _measure_column([cells for _, cells in several if not _passed(cells[0])], known, path)
    head = None
    for run, (line, cells) in zip(runs, several, strict=True):
        if run is None and at == 0 and cells[0] == "run" and cells[1] == ALL:
            head = cells[2]  # of a block of several runs
        elif not _passed(cells[at]):
            yield Value(run or head, cells[at], cells[1 - at], cells[2], line)


def _split(row: str) -> list[str]:
    """Cut a row at its two or three tabs, since names of measures and runs may hold blanks, or at all white space."""
    return [cell.strip() for cell in row.split("\t")] if row.count("\t") in (2, 3) else row.split()


def _cells(row: str, line: int, path: FilePath, many: int) -> list[str]:
    """Cut a row into three cells, or as ``many`` as the first row of a leaderboard has."""
    cells = _split(row)
    if len(cells) != (many if many == LEADERBOARD else 3):
        raise InputError(f"not {'four' if many == LEADERBOARD else 'three'} columns; {WRITE}", path, line)
    if not all(cells[:-1]):
        raise InputError("an empty name of a query, measure or run; was the file written completely?", path, line)
    return cells


def _passed(name: str) -> bool:
    return name in PASSED or name.startswith(PASSED[-1])


def _measure_column(rows: list[list[str]], known: Callable[[str], bool], path: FilePath) -> int:
    """Tell whether the first column holds measures, or the second: by names that are known, else by where means are."""
    columns = [list(dict.fromkeys(cells[at] for cells in rows)) for at in (0, 1)]
    shares = [sum(map(known, names[:LOOKED_AT])) / max(1, len(names[:LOOKED_AT])) for names in columns]
    if shares[0] == shares[1]:
        shares = [float(any(names == ALL or names.startswith(SLICE) for names in columns[1 - at])) for at in (0, 1)]
    if shares[0] == shares[1] and rows:
        message = f"neither {columns[0][0]} nor {columns[1][0]} is the name of a measure that is known"
        raise InputError(f"{message}; write CSV with the header query_id,measure,value", path)
    return int(shares[1] > shares[0])


def _one_of(names: Sequence[str], among: Iterable[str]) -> str | None:
    """Find the first of the names that one of these matches, as it is written there."""
    spelled = {match: each for each, match in match_names(among, {*names}).items()}
    return next((spelled[name] for name in names if name in spelled), None)


class SheetColumns(NamedTuple):
    """What the columns of a sheet are called: ``names`` are those of values, each called by its measure.

    Where there is a column of measures, ``value`` is the one of values.
    """

    qid: str
    run: str | None
    measure: str | None
    value: str | None
    names: list[str]

    def spell_measures(self, row: dict[str, str]) -> Iterator[tuple[str, str]]:
        """Give the measures of a row, and their values."""
        if self.measure is None:
            return ((name, row[name]) for name in self.names)
        return iter([(row[self.measure], row[str(self.value)])])


def _sheet(path: FilePath, rows: list[tuple[int, str]], header: TableHeader) -> Iterator[Value]:
    """Read a table with a header: a column for each measure, or one of measures and one of values."""
    columns = _sheet_columns(path, rows[0][0], [*header.written])
    lines = [(number, row.encode()) for number, row in rows[1:]]
    below = take_places(split_below(lines, header, path), header, range(len(header.written)), path)
    for line, cells in below:
        row = dict(zip(header.written, cells, strict=True))
        query, of = row[columns.qid], None if columns.run is None else row[columns.run]
        if not query or of == "":
            raise InputError("a row without the name of its query or run; was the file written completely?", path, line)
        yield from (Value(of, name, query, cell, line) for name, cell in columns.spell_measures(row))


def _sheet_columns(path: FilePath, above: int, head: list[str]) -> SheetColumns:
    """Tell by the header, which stands in line ``above``, what the columns of a sheet are."""
    if len(set(head)) < len(head):
        twice = next(name for name in head if head.count(name) > 1)
        raise InputError(f"two columns are called {twice or 'nothing'}; rename one", path, above)
    qid, run, measure, value = (_one_of(names, head) for names in (QUERY, RUN, MEASURE, VALUE))
    if measure is not None and value is None:
        raise InputError(f"next to the column {measure} there is no column of values; call it value", path, above)
    names = [name for name in head if name not in (qid, run) and name.lower() not in BESIDE]
    if not names:
        raise InputError("there is no column of values; call one by its measure", path, above)
    return SheetColumns(str(qid), run, measure, value, names)


def _objects(path: FilePath, rows: list[tuple[int, str]]) -> Iterator[Value]:
    for line, row in rows:
        found = json_text.parse_at(row, path, line, "was the file written completely?")
        keys = found if isinstance(found, dict) else {}
        qid, run, measure, value = (_one_of(names, keys) for names in (QUERY, RUN, MEASURE, VALUE))
        if qid is None or measure is None or value is None:
            like = '{"query_id": "q1", "measure": "nDCG@10", "value": 0.5}'
            raise InputError(f"no object with a query, a measure and a value; write: {like}", path, line)
        of, name, query = (None if key is None else found[key] for key in (run, measure, qid))
        if not isinstance(name, str) or not isinstance(of, str | None) or type(query) not in (str, int):
            raise InputError("the names of query, measure and run are not text; write them so", path, line)
        yield Value(of, name, str(query), found[value], line)

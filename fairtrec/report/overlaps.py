"""Rank-biased overlaps of runs, as text or JSON."""

import io
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from fairtrec.errors import plain
from fairtrec.rbo import Compared
from fairtrec.report import called
from fairtrec.report.delimited import written
from fairtrec.report.records import document


def remarks(overlaps: Sequence[Compared]) -> list[str]:
    """Say which pairs are compared over fewer queries than they have."""
    fewer = [overlap for overlap in overlaps if overlap.left_out]
    if not fewer:
        return []
    first = fewer[0]
    one = first.left_out == 1
    queries = f"{first.left_out} {'query' if one else 'queries'} that {first.first} or {first.second} lacks"
    more = f", and the like in {len(fewer) - 1} other pairs" if len(fewer) > 1 else ""
    return [f"{queries} {'is' if one else 'are'} left out{more}; --complete counts these as empty rankings"]


def delimited(overlaps: Sequence[Compared], form: str, places: int, *, per_query: bool) -> str:
    """Write a row for each pair, and each query if asked for, as ``tsv`` or ``csv``."""
    return written(form, [("run", "other", "qid", "rbo"), *_rows(overlaps, places, per_query=per_query)])


def json(overlaps: Sequence[Compared], signature: str, *, per_query: bool) -> str:
    """Write one object with every pair in full precision."""
    pairs = []
    for overlap in overlaps:
        mean = {"mean": overlap.mean, "n": len(overlap.qids), "left_out": overlap.left_out}
        pair: dict[str, Any] = {"run": overlap.first, "other": overlap.second, **mean}
        if per_query:
            pair["queries"] = dict(zip(overlap.qids, overlap.values.tolist(), strict=True))
        pairs.append(pair)
    return document({"signature": signature, "pairs": pairs})


def table(overlaps: Sequence[Compared], square: Sequence[str], places: int, *, per_query: bool) -> str:
    """Draw the pairs as rows; or the runs of the square as rows and, by their numbers, as columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    runs = list(dict.fromkeys(run for overlap in overlaps for run in (overlap.first, overlap.second)))
    short = dict(zip(runs, called(runs), strict=True))
    drawn = Table(box=box.SIMPLE_HEAD)
    if square:
        rows = _square(overlaps, [short.get(run, run) for run in square], places)
        heads = ["", "run", *map(str, range(1, len(rows) + 1))]
    else:
        rows = [[short[one], short[other], *row] for one, other, *row in _rows(overlaps, places, per_query=per_query)]
        heads = ["run", "other", "query", "RBO"]
    for head in heads:
        left = head in ("run", "other", "query")
        drawn.add_column(Text(head), no_wrap=True, justify="left" if left else "right")
    for row in rows:
        drawn.add_row(*map(Text, map(plain, row)))
    stream = io.StringIO()
    Console(file=stream, width=10_000, highlight=False).print(drawn)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _rows(overlaps: Sequence[Compared], places: int, *, per_query: bool) -> Iterator[tuple[str, str, str, str]]:
    for overlap in overlaps:
        if per_query:
            for qid, value in zip(overlap.qids, overlap.values.tolist(), strict=True):
                yield overlap.first, overlap.second, qid, f"{value:.{places}f}"
        yield overlap.first, overlap.second, "all", f"{overlap.mean:.{places}f}"


def _square(overlaps: Sequence[Compared], names: Sequence[str], places: int) -> list[list[str]]:
    """Lay all pairs out as a square, which is the same above and below its diagonal."""
    cells = [["" for _ in names] for _ in names]
    for (one, other), overlap in zip(combinations(range(len(names)), 2), overlaps, strict=True):
        cells[one][other] = cells[other][one] = f"{overlap.mean:.{places}f}"
    return [[str(i), name, *row] for i, (name, row) in enumerate(zip(names, cells, strict=True), 1)]

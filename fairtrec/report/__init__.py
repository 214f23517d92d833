"""Reports: one result, written as people and programs like to read it."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.api import Result
from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.evaluation import Scores
from fairtrec.formats.replaced import replaced
from fairtrec.formats.source import uncompressed
from fairtrec.measure import Measure

if TYPE_CHECKING:
    from fairtrec.leaderboard import Standing

WRITERS = {
    "trec": "trec", "table": "table", "tsv": "delimited", "csv": "delimited", "json": "records", "jsonl": "records",
    "md": "markup", "latex": "markup", "html": "page", "parquet": "columnar",
}  # fmt: skip
NUMBER = re.compile(r"(?<![\w.@])\d+(?![\w.%])")
COMPLETE = {"table", "json", "md", "latex", "html"}  # carry the remarks and the signature themselves
APART = {"trec", "tsv", "csv"}  # have one value in a place, so that what ties make of it stands beside it
RANKED = {"table", "md", "latex", "html"}  # say at which rank each run stands, where they are sorted by a measure


def render(
    result: Result,
    form: str,
    *,
    per_query: bool = False,
    summary: bool = True,
    places: int = 4,
    terminal: bool = False,
    sort: Measure | None = None,
) -> str | bytes:
    """Write a result in one of the formats of WRITERS, the runs best first by the measure ``sort``, or as given.

    ``terminal`` allows colour and fits the width of the window. Raises UsageError if ``sort`` is no measure of it.
    """
    module = import_module(f"fairtrec.report.{WRITERS[form]}")
    writer: Callable[..., str | bytes] = getattr(module, form)
    more: dict[str, Any] = {"sort": sort} if form in RANKED else {}
    if form == "table":
        more["terminal"] = terminal
    if sort is not None:
        from fairtrec.leaderboard import by

        result = by(result, sort)
    if form in APART and any(scores.ties for scores in result.scores):
        from fairtrec.report.tied import apart

        result = apart(result)
    return writer(result, per_query=per_query, summary=summary, places=places, **more)


def remarks(result: Result, form: str) -> list[str]:
    """List what a reader should know beside a report of this format: nothing where the report says it itself."""
    return [] if form in COMPLETE else closing(result)


def closing(result: Result) -> list[str]:
    """List what a reader should know beside the numbers: what is missing or undefined, and last the signature."""
    spoken: dict[tuple[str, str], list[str]] = {}  # what is said of which measure: the runs it is true of
    for name, scores in zip(names(result), result.scores, strict=True):
        for measure, defined in zip(map(str, scores.measures), scores.defined.tolist(), strict=True):
            if defined < len(scores.qids):
                spoken.setdefault((measure, f"defined for {defined} of {len(scores.qids)} queries"), []).append(name)
        for remark in scores.remarks:
            measure, colon, what = remark.partition(": ")
            spoken.setdefault((measure, what) if colon else ("", remark), []).append(name)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # said of several measures: in one line
    for (measure, what), runs in _summed_up(spoken).items():
        together.setdefault((what, tuple(runs)), []).append(measure)
    lines = [*result.notes, *_uneven(result)]
    for (what, of), measures in together.items():
        line = f"{', '.join(measures)}: {what}" if measures != [""] else what
        lines.append(line if len(of) == len(result.scores) else f"{line} ({_listed(of)})")
    if any(scores.ties for scores in result.scores):
        from fairtrec.report.tied import said

        lines += said(result)
    return [*lines, result.signature]


def _summed_up(spoken: Mapping[tuple[str, str], list[str]]) -> dict[tuple[str, str], list[str]]:
    """Say what differs from run to run by its numbers alone in one line, from the least to the greatest."""
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for measure, what in spoken:
        alike.setdefault((measure, NUMBER.sub("#", what)), []).append((measure, what))
    lines: dict[tuple[str, str], list[str]] = {}
    for (measure, _), keys in alike.items():
        if len(keys) <= 3:
            lines |= {key: spoken[key] for key in keys}
            continue
        columns = zip(*(map(int, NUMBER.findall(what)) for _, what in keys), strict=True)
        ranges = (str(min(each)) if min(each) == max(each) else f"{min(each)} to {max(each)}" for each in columns)
        lines[measure, NUMBER.sub(lambda _: next(ranges), keys[0][1])] = [run for key in keys for run in spoken[key]]  # noqa: B023
    return lines


def _uneven(result: Result) -> list[str]:
    """Say which runs lack queries that another run has, so that their means are over others."""
    every = set().union(*(scores.qids for scores in result.scores))
    lacking = {name: s for name, s in zip(names(result), result.scores, strict=True) if len(s.qids) < len(every)}
    if not lacking:
        return []
    few = sorted({len(scores.qids) for scores in lacking.values()})
    many = f"{few[0]}" if len(few) == 1 else f"{few[0]} to {few[-1]}"
    what = f"means over {many} of the {len(every)} queries of all runs (-c counts the rest as empty rankings)"
    return [f"{what}: {_listed(list(lacking))}"]


def _listed(runs: Sequence[str]) -> str:
    """Name the first of many runs, or all of a few."""
    return f"{', '.join(runs[:3])}, and {len(runs) - 3} more" if len(runs) > 4 else ", ".join(runs)


def number(value: float, places: int, *, whole: bool = False) -> str:
    """Write a value; nan is what is undefined, and a count has no digits behind the point.

    >>> number(0.5, 4), number(float("nan"), 4), number(3.0, 4, whole=True)
    ('0.5000', 'nan', '3')
    """
    if whole and value == value and value.is_integer():  # noqa: PLR0124 - it is not itself where it is nan
        return f"{value:.0f}"
    return f"{value:.{places}f}"


def standing(result: Result, places: int) -> "Standing":
    """Compare the runs by their means, as far as the printed digits tell."""
    from fairtrec.leaderboard import Standing

    means = np.array([list(map(float, cells(scores, scores.means, places))) for scores in result.scores])
    return Standing(means, [measure.better for measure in result.scores[0].measures])


def names(result: Result) -> list[str]:
    """Name the runs of a result shortly."""
    return called([scores.run for scores in result.scores])


def called(runs: Sequence[str]) -> list[str]:
    """Name runs as shortly as tells them apart: the file without folder and ending, else the whole path."""
    short = [uncompressed(Path(run).name).removesuffix(".run") for run in runs]
    return short if len(set(short)) == len(short) else list(runs)


def cells(scores: Scores, values: Floats, places: int) -> list[str]:
    """Write one value of each measure."""
    return [
        number(value, places, whole=measure.total)
        for measure, value in zip(scores.measures, values.tolist(), strict=True)
    ]


def intervals(scores: Scores, query: int | None, places: int) -> list[str]:
    """Write what ties make of one query's values, or of the means: nothing where the printed digits are the same."""
    if not scores.ends:
        return [""] * len(scores.measures)
    written = [
        cells(each, each.means if query is None else each.values[:, query], places)
        for each in (scores, *scores.ends.values())
    ]
    rows = zip(*written, strict=True)
    return ["" if len({*row}) == 1 else f" [{row[1]}, {row[2]}] ~{row[3]}" for row in rows]


def refuse_view(form: str, output: Path | None, *, summary: bool) -> None:
    """Raise UsageError if a format cannot show what it is asked for, or not there, before any work is done."""
    if form == "html" and not summary:
        raise UsageError("the page compares the means of runs; leave out -n, or choose another format with -f")
    if form == "parquet" and output is None:
        _refuse_terminal()


def _refuse_terminal() -> None:
    if sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal to show; name a file with -o")


def refuse_unwritable(output: Path | None) -> None:
    """Raise UsageError if the output cannot be written, before any work is done."""
    if output is not None and not _is_device(output) and not os.access(output.parent, os.W_OK | os.X_OK):
        raise UsageError(f"the folder of {output} is not there or may not be written; choose another with -o")


def refuse_input(output: Path | None, inputs: Iterable[str]) -> None:
    """Raise UsageError if the output is one of the files that are read."""
    for path in inputs:
        if output is not None and output.is_file() and os.path.exists(path) and output.samefile(path):  # noqa: PTH110
            raise UsageError(f"the output {output} is also read; choose another with -o")


def emit(report: str | bytes, output: Path | None) -> None:
    """Print a report, or write it to a file, all or nothing."""
    if output is None:
        if isinstance(report, bytes):
            _refuse_terminal()
            sys.stdout.buffer.write(report)
        else:
            sys.stdout.write(report)
        sys.stdout.flush()
        return
    try:
        with nullcontext(output) if _is_device(output) else replaced(output) as place:
            place.write_bytes(report if isinstance(report, bytes) else report.encode("utf-8", "surrogateescape"))
    except OSError as fault:
        raise UsageError(f"cannot write {output}: {fault.strerror}; choose another place with -o") from None


def _is_device(output: Path) -> bool:
    """Tell a device or a pipe, which is written to, from a file, which is replaced."""
    return output.exists() and not output.is_file()

"""Values and names, as all formats write them."""

from collections.abc import Iterable, Sequence
from math import isnan
from typing import TYPE_CHECKING, cast

import numpy as np

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.support.files.compression import uncompressed

if TYPE_CHECKING:
    from fairtrec.evaluation.gaps import GapScores
    from fairtrec.evaluation.leaderboard import Standing


POOLED = -1  # in the place of the number of a query


def cell(value: float, places: int | None) -> str | float:
    """Write a value; with None for places it stays the number that it is."""
    return value if places is None else f"{value:.{places}f}"


def signed(value: float, places: int) -> str:
    """Write a difference with its sign; what is printed as 0 has +.

    >>> signed(0.25, 2), signed(-1e-9, 2), signed(float("nan"), 2)
    ('+0.25', '+0.00', 'nan')
    """
    return "nan" if value != value else f"{value:+z.{places}f}"  # noqa: PLR0124 - nan is not itself


def standing(result: Result, places: int) -> "Standing":
    """Compare the runs by their means, as far as the printed digits tell.

    Incomplete ones are compared with none, nor those of a run of which much is unknown, nor is a mean that no labelling
    of unknown documents gives.
    """
    from fairtrec.evaluation.leaderboard import Standing, incomplete, strange
    from fairtrec.report.ends import outside

    printed = [[float(f"{value:.{places}f}") for value in scores.compared.tolist()] for scores in result.scores]
    measures = range(len(result.scores[0].measures))
    untrue = [[s.unknown is not None and outside(s, row, None) for row in measures] for s in result.scores]
    left_out = incomplete(result) | strange(result) | np.array(untrue)
    return Standing(np.where(left_out, np.nan, printed), [measure.better for measure in result.scores[0].measures])


def names(result: Result) -> list[str]:
    """Name the runs of a result shortly."""
    return called([scores.run for scores in result.scores])


def called(runs: Sequence[str]) -> list[str]:
    """Name runs as shortly as tells them apart: the file without folder and ending, else the whole path."""
    short = [uncompressed(run.rpartition("/")[2]).removesuffix(".run") for run in runs]
    return short if len(set(short)) == len(short) else list(runs)


def shown(runs: Iterable[str]) -> dict[str, str]:
    """Give the short name of each run, each once."""
    several = list(dict.fromkeys(runs))
    return dict(zip(several, called(several), strict=True))


def rows(scores: Scores, *, per_query: bool, summary: bool) -> list[tuple[int | None, str]]:
    """List the rows of a run: its queries by number and id, and behind them None and ``all``, which is their mean.

    Last is what is pooled over queries, if that was asked for.
    """
    pooled = [(POOLED, "pooled")] * (summary and scores.pooled is not None)
    return [*(enumerate(scores.qids) if per_query else ()), *[(None, "all")] * summary, *pooled]


def cells(scores: Scores, query: int | None, places: int) -> list[str]:
    """Write one value of each measure: those of a query, the means, or what is pooled; nothing where there is none.

    What is undefined is nan, and a count has no digits behind the point.
    """
    if query == POOLED:
        several = [scores.pooled.value(measure) for measure in scores.measures]
        return ["" if value is None else f"{value:.{places}f}" for value in several]
    values = scores.means if query is None else scores.values[:, query]
    return [
        ""
        if (query is not None and measure.of_mean) or (scores.is_gap and isnan(value))
        else f"{value:.{0 if measure.total and value.is_integer() else places}f}"
        for measure, value in zip(scores.measures, values.tolist(), strict=True)
    ]


def sizes(scores: Scores, places: int) -> list[str]:
    """Write the mean size of each measure's values, by which runs are compared, where the mean does not tell it."""
    several = zip(scores.measures, scores.means.tolist(), scores.compared.tolist(), strict=True)
    written = [(measure, f"{abs(mean):.{places}f}", f"{size:.{places}f}") for measure, mean, size in several]
    by_gold = [found is not None and not found.why for found in scores.corrected] or [False] * len(written)
    return [
        f" |{size}|" if measure.better == "nearer 0" and size != mean and not is_corrected else ""
        for (measure, mean, size), is_corrected in zip(written, by_gold, strict=True)
    ]


def intervals(scores: Scores, query: int | None, places: int) -> list[str]:
    """Write what ties, unknown groups, or other queries make of one query's values, or of the means.

    Nothing where the printed digits of ties and unknown groups are the same.
    """
    if query is None and scores.within is not None:
        reach = [[f"{end:.{places}f}" for end in row] for row in scores.within.tolist()]
        signs = [" ?" if each else "" for each in scores.doubtful.tolist()]
        return [
            "" if low == "nan" else f" [{low}, {high}]{sign}" for (low, high), sign in zip(reach, signs, strict=True)
        ]
    if not scores.ends:
        return [""] * len(scores.measures)
    ends = zip(*(cells(each, query, places) for each in (scores, *scores.ends.values())), strict=True)
    written = ["" if len({*row}) == 1 else f" [{row[1]}, {row[2]}] ~{row[3]}".removesuffix(" ~nan") for row in ends]
    if scores.unknown is not None:
        from fairtrec.report.ends import outside

        written = [f"{text} outside" if outside(scores, row, query) else text for row, text in enumerate(written)]
    return written


def beside(scores: Scores, query: int | None, places: int) -> list[str]:
    """Write what stands behind each value: the mean size that runs are compared by, and the interval."""
    if query == POOLED:
        return [""] * len(scores.measures)
    if scores.is_gap:
        return _of_gaps(cast("GapScores", scores), places)
    parts = sizes(scores, places) if query is None else [""] * len(scores.measures)
    return [size + interval for size, interval in zip(parts, intervals(scores, query, places), strict=True)]


def _of_gaps(scores: "GapScores", places: int) -> list[str]:
    """Write which slices are the greatest and the least, the interval of their gap, and p, where it has one."""
    written = []
    for row, (gap, within) in enumerate(zip(scores.gaps, intervals(scores, None, places), strict=True)):
        p = "" if gap is None or isnan(gap.p) else f" p {gap.p:.{places}f}"
        written.append(f" {scores.told(row)}{within}{p}" if gap is not None else "")
    return written


def corrected(scores: Scores, places: int) -> list[tuple[str, str]]:
    """Write each mean as gold labels correct it, and its interval; - where they do not, nothing where none is asked.

    ? is behind an interval that is surer than few labels can be.
    """
    written = []
    for found in scores.corrected:
        if found is None or found.why:
            written.append(("" if found is None else "-", ""))
            continue
        value, low, high = (f"{each:.{places}f}" for each in (found.corrected, found.low, found.high))
        written.append((value, f"{'' if low == 'nan' else f' [{low}, {high}]'}{' ?' if found.doubtful else ''}"))
    return written or [("", "")] * len(scores.measures)


def without_tau(scores: Scores, measure: int, places: int) -> str:
    """Write the mean with tau=0 that gold labels correct; nothing if it is that of the measure itself."""
    found = scores.corrected[measure] if scores.gold is not None else None
    return "" if found is None or found.without_tau is None else f"{found.without_tau:.{places}f}"


def listed(runs: Sequence[str]) -> str:
    """Name the first of many runs, or all of a few."""
    return f"{', '.join(runs[:3])}, and {len(runs) - 3} more" if len(runs) > 4 else ", ".join(runs)


def distinct(one: float, other: float, places: int) -> tuple[str, str]:
    """Write two numbers with as many digits as tell them apart."""
    for digits in range(places, 18):
        written = f"{one:.{digits}f}", f"{other:.{digits}f}"
        if written[0] != written[1] or one == other:
            return written
    return repr(one), repr(other)

"""Values and names, as all formats write them."""

from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import FollowingTexts, Scores
from fairtrec.measure import Better

if TYPE_CHECKING:
    from fairtrec.evaluation.leaderboard import Standing

MILLION = 1_000_000
Writer = Callable[[Any, int], str]  # of what a column shows, with so many places


def cell(value: float, places: int | None) -> str | float:
    """Write a value; with None for places it stays the number that it is."""
    return value if places is None else f"{value:.{places}f}"


def write_text(value: str, _: int = 0) -> str:
    """Write a word or a name as it is."""
    return value


def write_count(value: int, _: int = 0) -> str:
    """Write a whole number."""
    return str(value)


def write_number(value: float, places: int) -> str:
    """Write a number; what is printed as 0 has no sign.

    >>> write_number(0.25, 4), write_number(-1e-9, 2)
    ('0.2500', '0.00')
    """
    return f"{value:z.{places}f}"


def write_shortfall(value: float, places: int, wanted: Sequence[float]) -> str:
    """Write a number with more digits if fewer are those of a wanted number that it does not reach.

    >>> write_shortfall(0.946, 2, [0.95]), write_shortfall(0.954, 2, [0.95]), write_shortfall(0.94996, 2, [0.95])
    ('0.946', '0.95', '0.94996')
    """
    for digits in range(places, 17):
        written = write_number(value, digits)
        if not any(value < each <= float(written) for each in wanted):
            return written
    return repr(value)


def write_difference(value: float, places: int) -> str:
    """Write a difference with its sign; what is printed as 0 has +.

    >>> write_difference(0.25, 2), write_difference(-1e-9, 2), write_difference(float("nan"), 2)
    ('+0.25', '+0.00', 'nan')
    """
    return "nan" if isnan(value) else f"{value:+z.{places}f}"


def write_share(value: float, _: int = 0) -> str:
    """Write a share in percent.

    >>> write_share(0.12345)
    '12.3%'
    """
    return f"{100 * value:.1f}%"


def write_p(value: float, places: int) -> str:
    """Write a p-value; a small one is never printed as 0.

    >>> write_p(0.00001, 4), write_p(0.04, 4), write_p(float("nan"), 4)
    ('<0.0001', '0.0400', 'nan')
    """
    places = max(places, 1)
    least = float(f"1e-{places}")
    return f"<{least:.{places}f}" if value < least else f"{value:.{places}f}"


def write_interval(ends: tuple[float, float], places: int) -> str:
    """Write the interval of a difference; a dash if there is none.

    >>> write_interval((-0.1, 0.25), 2), write_interval((float("nan"), float("nan")), 2)
    ('[-0.10, +0.25]', '-')
    """
    low, high = ends
    return "-" if isnan(low) else f"[{write_difference(low, places)}, {write_difference(high, places)}]"


def compare_means(result: Result, places: int) -> "Standing":
    """Compare the runs by their means, as far as the printed digits tell.

    Incomplete ones are compared with none, nor those of a run of which much is unknown, nor is a mean that no labeling
    of unknown documents gives.
    """
    from fairtrec.evaluation.leaderboard import Standing, find_uneven, incomplete, strange

    printed = [[float(f"{value:.{places}f}") for value in scores.order_values.tolist()] for scores in result.scores]
    measures = range(len(result.scores[0].measures))
    untrue = [[isnan(scores.decisions.get(row, 0.0)) for row in measures] for scores in result.scores]
    left_out = incomplete(result) | strange(result) | np.array(untrue)
    betters: list[Better] = ["neither" if each.of_pool else each.better for each in result.scores[0].measures]
    return Standing(np.where(left_out, np.nan, printed), betters, find_uneven(result))


def rows(scores: Scores, *, per_query: bool, summary: bool) -> list[tuple[int | str | None, str]]:
    """List the rows of a run: its queries by number and id, and behind them None and ``all``, which is their mean.

    Last are the totals of columns, by name twice.
    """
    totals = [(name, name) for name in scores.totals] * summary
    return [*(enumerate(scores.qids) if per_query else ()), *[(None, "all")] * summary, *totals]


def sizes(scores: Scores, places: int) -> list[str]:
    """Write the mean size of each measure's values, by which runs are compared, where the mean does not tell it."""
    several = zip(scores.measures, scores.means.tolist(), scores.order_values.tolist(), strict=True)
    written = [(measure, f"{abs(mean):.{places}f}", f"{size:.{places}f}") for measure, mean, size in several]
    return [
        f" |{size}|" if measure.better == "nearer 0" and size != mean and isnan(scores.decisions.get(row, nan)) else ""
        for row, (measure, mean, size) in enumerate(written)
    ]


def write_suffix(scores: Scores, query: int | str | None, places: int) -> list[str]:
    """Write what stands behind each value.

    Behind a mean this is the mean size that runs are compared by, and in brackets how many queries it is over if these
    are not all; behind each value what columns print there.
    """
    nothing = [""] * len(scores.measures)
    parts = (sizes(scores, places), _write_defined(scores)) if query is None else (nothing, nothing)
    several = [column.suffixes(scores, query, places) for column in scores.columns.values()]
    return ["".join(texts) for texts in zip(*parts, *several, strict=True)]


def _write_defined(scores: Scores) -> list[str]:
    """Write how many queries each mean is over, in brackets, if these are not all queries of the run [measure]."""
    counts = scores.defined.tolist()
    return [f" ({many})" if many and not scores.has_all_queries(row) else "" for row, many in enumerate(counts)]


def followers(scores: Scores, total: str | None, places: int) -> FollowingTexts:
    """Write what follows each mean, or total of a name, in tables, by the heading of its column [measure]."""
    several = (column.follow(scores, total, places) for column in scores.columns.values())
    return {heading: texts for of_column in several for heading, texts in of_column.items()}


def find_correcting(several: Sequence["Scores"], places: int) -> set[str]:
    """Find the headings of the columns in tables by whose means runs are compared, instead of those of their values."""
    columns = [(scores, column) for scores in several for column in scores.columns.values() if column.corrects_means]
    return {heading for scores, column in columns for heading in column.follow(scores, None, places)}


def write_needed(queries: int, _: int = 0) -> str:
    """Write how many queries a reliability needs; beyond a million the number says nothing more.

    >>> write_needed(1079), write_needed(1_000_000), write_needed(1_000_001)
    ('1,079', '1,000,000', 'over a million')
    """
    return f"{queries:,}" if queries <= MILLION else "over a million"


def listed(runs: Sequence[str]) -> str:
    """Name the first of many runs, or all of a few."""
    return f"{', '.join(runs[:3])}, and {len(runs) - 3} more" if len(runs) > 4 else ", ".join(runs)


def format_distinct(one: float, other: float, places: int) -> tuple[str, str]:
    """Write two numbers with as many digits as tell them apart."""
    for digits in range(places, 18):
        written = f"{one:.{digits}f}", f"{other:.{digits}f}"
        if written[0] != written[1] or one == other:
            return written
    return repr(one), repr(other)

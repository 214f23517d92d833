"""The signs of tables, and what they mean: directions, ranks, the best, the worst, the dominated."""

from collections.abc import Iterable, Sequence

from fairtrec.answers.result import Result
from fairtrec.comparison.leaderboard import Standing, incomplete
from fairtrec.measure import Measure, Quantity
from fairtrec.report.cells import sizes

ARROWS = {"higher": "↑", "lower": "↓", "nearer 0": "→0", "neither": ""}
MEANING = {"higher": "↑ higher is better", "lower": "↓ lower is better", "nearer 0": "→0 nearer 0 is better"}
FIRST = {"higher": "highest first", "lower": "lowest first", "nearer 0": "nearest 0 first", "neither": "highest first"}
SIZE = "|x|: the mean of absolute values, by which runs are ordered and marked, as signs cancel in the mean"
UNTESTED = "ranks are not tested, see fairtrec compare"
DOMINATED = "×"
DOMINATED_IS = "dominated: another run is as good or better in every measure with an arrow, and better in one"


def heading(measure: Quantity) -> str:
    """Name a measure and its direction."""
    return f"{measure} {ARROWS[measure.better]}".strip()


def arrows(result: Result) -> str:
    """Explain the arrows of this result's measures; nothing where there are none."""
    return directions(measure.better for measure in result.scores[0].measures)


def directions(several: Iterable[str]) -> str:
    """Explain the arrows of these directions.

    >>> directions(["lower", "neither", "higher"])
    '↑ higher is better, ↓ lower is better'
    """
    used = {*several}
    return ", ".join(text for better, text in MEANING.items() if better in used)


def legend(
    result: Result, standing: Standing, sort: Measure | None, places: int, best_is: str, worst_is: str
) -> list[str]:
    """Explain the signs that stand in a table of this result, line by line."""
    several, explained = len(result.scores) > 1, arrows(result)
    ranked = several and sort is not None
    marks = [best_is] * bool(explained and several) + [worst_is] * bool(ranked and standing.worst.any())
    rank = f"rank: by {sort}, {FIRST[sort.better]}; {UNTESTED}" if ranked and sort is not None else ""
    line = "; ".join(filter(None, [rank, explained, ", ".join(marks)]))
    if several and incomplete(result).any():
        line = "; ".join(filter(None, [line, "a mean over fewer queries than others has no rank and no mark"]))
    by_size = [sized(result)] * any(any(sizes(scores, places)) for scores in result.scores)
    return [
        *filter(None, [line]),
        *by_size,
        *[f"{DOMINATED} {DOMINATED_IS}"] * bool(ranked and standing.dominated.any()),
    ]


def sized(result: Result) -> str:
    """Explain what stands between bars, which need not be a mean."""
    others = any(measure.over is not None for measure in result.scores[0].measures)
    return "|x|: the same of absolute values, by which runs are ordered and marked" if others else SIZE


def ranks(result: Result, standing: Standing, sort: Measure) -> list[str]:
    """Write the rank of each run by one measure; a run without a value has none."""
    column = result.scores[0].measures.index(sort)
    return [str(rank) if rank else "-" for rank in standing.ranks[:, column].tolist()]


def dominations(standing: Standing) -> Sequence[str]:
    """Write the sign behind each run that is dominated; nothing at all where none is."""
    return [DOMINATED if mark else "" for mark in standing.dominated.tolist()] if standing.dominated.any() else []

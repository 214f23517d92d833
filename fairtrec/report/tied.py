"""What values are over the orders of tied documents, as reports write it; and such ends, and those of intervals."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from fairtrec.answers.result import Result
from fairtrec.answers.scores import Scores
from fairtrec.data import Floats
from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import Measure, Quantity
from fairtrec.ranking.ties import DRAWN


@dataclass(frozen=True)
class End(Quantity):
    """The least, greatest or expected value of a measure, as a row or column of its own: ``nDCG@10.least``."""

    of: Quantity
    end: str
    better = "neither"

    @property
    def total(self) -> bool:  # type: ignore[override]  # that of the measure
        """Whether a run's value is the sum over queries."""
        return self.of.total

    def __str__(self) -> str:
        return f"{self.of}.{self.end}"


class IntervalEnd(End):
    """An end of the interval of a mean, which single queries have not."""

    of_mean = True


def with_bounds(result: Result) -> Result:
    """Put the interval of each mean behind it, where it was asked for, as two measures of their own; a sum has none.

    Before it the mean that gold labels have corrected, if there are any.
    """
    asked = (each.confidence or each.gold for each in result.scores)
    several = zip(result.scores, asked, strict=True)
    return replace(result, scores=tuple(_with_bounds(each) if is_asked else each for each, is_asked in several))


def _with_bounds(scores: Scores) -> Scores:
    none = np.full(len(scores.qids), np.nan)
    rows: list[tuple[Quantity, Floats, float]] = []
    columns = zip(scores.measures, scores.values, scores.means.tolist(), strict=True)
    for row, (measure, values, mean) in enumerate(columns):
        rows.append((measure, values, mean))
        ends: dict[str, float] = {}
        if scores.gold is not None and (found := scores.corrected[row]) is not None:
            ends = {end: getattr(found, end) for end in ("corrected", "low", "high")}
        elif scores.within is not None and not measure.total:
            ends = dict(zip(("low", "high"), scores.within[row].tolist(), strict=True))
        rows += [(IntervalEnd(measure, end), none, value) for end, value in ends.items()]
    measures, values, means = zip(*rows, strict=True)
    wide = replace(scores, measures=measures, values=np.array(values), confidence=None, gold=None)
    vars(wide)["means"] = np.array(means)  # which are not all means of values
    return wide


def with_ends(result: Result) -> Result:
    """Put the three behind each measure, as measures of their own."""
    return replace(result, scores=tuple(_with_ends(scores) if scores.ends else scores for scores in result.scores))


def _with_ends(scores: Scores) -> Scores:
    measures = [one for measure in scores.measures for one in (measure, *(End(measure, end) for end in scores.ends))]
    values: Floats = np.stack([scores.values, *(each.values for each in scores.ends.values())], axis=1)
    several = cast("tuple[Measure, ...]", tuple(measures))
    return replace(scores, measures=several, values=values.reshape(len(measures), -1), ties=None, unknown=None)


def notes(result: Result) -> list[str]:
    """Say to which measures ties matter, in how many queries, and where not all orders were evaluated."""
    runs = [(scores.ties, len(scores.qids)) for scores in result.scores if scores.ties is not None]
    lines: dict[str, list[str]] = {}
    for row, measure in enumerate(map(str, result.scores[0].measures)):
        with np.errstate(invalid="ignore"):  # where both ends are infinite, nothing moves
            moved = [int((ties.greatest[row] - ties.least[row] > NEAR).sum()) for ties, _ in runs]
        drawn = [int(ties.drawn[row]) for ties, _ in runs]
        if any(moved) or any(drawn):
            lines.setdefault(_line(moved, drawn, runs[0][1]), []).append(measure)
    if not lines:
        return ["ties change no value"]
    key = "[least, greatest] ~expected: over all orders of tied documents"
    return [key, *(f"{', '.join(measures)}: {line}" for line, measures in lines.items())]


def _line(moved: list[int], drawn: list[int], queries: int) -> str:
    one = len(moved) == 1
    if one:
        line = f"ties change the value of {moved[0]} of {queries} queries"
    else:
        most = "1 query" if max(moved) == 1 else f"{max(moved)} queries"
        line = f"ties change values of {np.count_nonzero(moved)} of {len(moved)} runs, in {most} at most"
    if not any(drawn):
        return line
    many = f"{drawn[0]}" if one else f"up to {max(drawn)}"
    return f"{line}; for {many} only {DRAWN} random orders were tried, which may miss both ends"

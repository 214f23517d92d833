"""What gold labels make of means, as reports write it: the sentences beside the numbers."""

from collections.abc import Iterator

import numpy as np

from fairtrec.answers.result import Result
from fairtrec.answers.scores import Scores
from fairtrec.report.cells import names
from fairtrec.statistics.corrected import LEVEL, OfDocuments
from fairtrec.statistics.estimate import FEWEST
from fairtrec.statistics.procedure import DECIDING, Procedure

PLACES = 4


def notes(result: Result) -> list[str]:
    """Say what intervals of corrected values are of, which have none, and where the instrument is no help."""
    found = [each for scores in result.scores for each in scores.corrected if each is not None and not each.why]
    if not found:
        return []
    confidence = result.scores[0].confidence
    percent = Procedure(confidence=LEVEL if confidence is None else confidence).percent
    of = "of labels alone, for these queries" if confidence is None else "of queries and labels"
    lines = [f"[low, high]: {percent} interval of the corrected value, {of}"]
    if any(each.doubtful for each in found):
        lines.append(f"?: fewer than {DECIDING} labelled queries have another value, so the interval is too narrow")
    if any(np.isnan(each.low) for each in found):
        lines.append(f"no interval: of fewer than {FEWEST} labelled queries, or if none has another value")
    if len(result.scores) > 1:
        lines.append("runs are marked, and sorted, by corrected means")
    called = names(result)
    for name, scores in zip(called, result.scores, strict=True):
        which = f" ({name})" if len(called) > 1 else ""
        lines += [f"{line}{which}" for line in _no_help(scores)]
    return lines


def _no_help(scores: Scores) -> Iterator[str]:
    """Say for which measures gold labels alone would give a narrower interval, and which."""
    assert scores.gold is not None
    for measure, row, values, found in zip(
        scores.measures, scores.gold.rows, scores.values, scores.corrected, strict=True
    ):
        if not isinstance(row, OfDocuments) or found is None or found.why or row.untold.any():
            continue
        drawn = row.drawn(values)
        alone, mine = drawn.gold_alone(), drawn.estimate()
        if alone is not None and mine is not None and alone[1].variance < mine.variance:
            value, estimate = alone
            low, high = (f"{end:.{PLACES}f}" for end in estimate.ends(value, LEVEL))
            yield f"{measure}: the instrument is no help: gold alone gives {value:.{PLACES}f} [{low}, {high}]"

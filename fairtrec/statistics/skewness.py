"""Skewed values, of whose mean an interval by Student's t, or by resamples, covers less than it says.

Source: Cochran: Sampling Techniques. 3rd edition, Wiley 1977, section 2.15 (n > 25 g^2 makes a mean about normal).
"""

from collections.abc import Hashable, Iterable

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.rounding import constant
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

COCHRAN = 25  # times the squared skewness: so many values have a mean that is about normal


def _write_skewed(what: str, skewness: float, intervals: int, percent: str) -> str:
    most = "up to " if intervals > 1 else ""
    each = "interval covers less than it says" if intervals == 1 else "intervals cover less than they say"
    return f"{what} are skewed ({most}{skewness:.1f}); the {percent} {each}"


SKEWED = NoteKind("skewed", _write_skewed, NoteSeverity.MISLEADING)


def compute_skewness(values: Floats) -> float:
    """Compute the skewness m3 / m2^1.5 of values; 0 if they are all the same, nan if one is not finite.

    >>> round(compute_skewness(np.array([0.0, 0.0, 0.0, 1.0])), 4)
    1.1547
    """
    if not np.isfinite(values).all():
        return float("nan")
    if len(values) < 2 or constant(values[None])[0]:
        return 0.0
    apart = values - values.mean()
    squares = np.square(apart)
    variance = float(squares.mean())
    return float((squares * apart).mean()) / (variance * float(np.sqrt(variance)))


def find_skewness(values: Floats) -> float | None:
    """Return the skewness g if there are fewer than 25 g^2 values (Cochran's rule): a t interval then covers less.

    >>> find_skewness(np.array([0.0, 1.0] * 10)), round(find_skewness(np.array([0.0] * 19 + [1.0])), 4)
    (None, 4.1295)
    """
    skewness = compute_skewness(values)
    return skewness if len(values) < COCHRAN * skewness * skewness else None


def note_skewed(what: str, several: Iterable[tuple[Hashable, str, Floats]], percent: str, among: int) -> list[Note]:
    """Note the values whose mean has an interval that covers less than its ``percent``.

    ``several`` lists measure, short name of the run, and values; ``among`` is the number of runs in the result.

    >>> few = np.array([0.0] * 19 + [1.0])
    >>> [str(note) for note in note_skewed("values", [("RR", "a", few), ("AP", "a", few[::-1])], "95%", 1)]
    ['RR, AP: values are skewed (up to 4.1); the 95% intervals cover less than they say']
    """
    found = [
        (measure, run, skewness) for measure, run, values in several if (skewness := find_skewness(values)) is not None
    ]
    if not found:
        return []
    measures, runs, skewed = zip(*found, strict=True)
    note = SKEWED.note(
        measures=[*dict.fromkeys(measures)],
        what=what,
        skewness=max(skewed, key=abs),
        intervals=len(skewed),
        percent=percent,
    )
    names = [*dict.fromkeys(runs)]
    return [note.assign_runs(names, names, among)]

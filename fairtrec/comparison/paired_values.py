"""The values of a run and of the baseline in the queries of both; and what compares all runs at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.comparison import slices as slicing
from fairtrec.data import Floats
from fairtrec.evaluation.scores import Scores
from fairtrec.measure import Measure
from fairtrec.statistics import corrections, paired


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The values of a run and of the baseline in the same queries."""

    slice: str
    run: str
    measure: Measure
    qids: tuple[str, ...]
    values: Floats
    baseline: Floats
    differences: Floats


def pairs(name: str, several: Sequence[Scores], base: int) -> Iterator[PairedValues]:
    """Pair each run of a slice with the baseline, measure by measure."""
    for number, scores in enumerate(several):
        if number == base:
            continue
        mine, theirs = slicing.common(scores, several[base])
        for row, measure in enumerate(scores.measures):
            of_run, of_baseline = mine.values[row], theirs.values[row]
            if measure.better == "nearer 0":
                of_run, of_baseline = np.abs(of_run), np.abs(of_baseline)
            both = ~(np.isnan(of_run) | np.isnan(of_baseline))
            values, others = of_run[both], of_baseline[both]
            qids = tuple(mine.qids[column] for column in np.flatnonzero(both))
            yield PairedValues(name, scores.run, measure, qids, values, others, paired.subtract(values, others))


def tukey_hsd(compared: Sequence[PairedValues], p: Floats, *, resamples: int, seed: int) -> tuple[Floats, list[str]]:
    """Give the p of Tukey's HSD of each pair, all runs of a measure and slice at once, and what is to be said of it.

    It is over the queries that all of these have; a pair without a ``p`` of its own has none.
    """
    found = np.full(len(compared), np.nan)
    families: dict[tuple[str, Measure], list[int]] = {}
    for place in np.flatnonzero(~np.isnan(p)).tolist():
        families.setdefault((compared[place].slice, compared[place].measure), []).append(place)
    fewer: dict[str, int] = {}
    for (_, measure), places in families.items():
        first, *others = (compared[place] for place in places)
        shared = set(first.qids).intersection(*(pair.qids for pair in others))
        if any(len(pair.qids) > len(shared) for pair in (first, *others)):
            fewer[str(measure)] = len(shared)
        if len(shared) < 2:
            continue
        keep = [[qid in shared for qid in compared[place].qids] for place in places]
        columns = [
            first.baseline[keep[0]],
            *(compared[place].values[of] for place, of in zip(places, keep, strict=True)),
        ]
        found[places] = corrections.randomised_tukey(np.stack(columns, axis=1), resamples=resamples, seed=seed)[0, 1:]
    told = ", ".join(f"{name} {many}" for name, many in fewer.items())
    return found, [f"Tukey HSD is over the queries that all runs have: {told}"] * bool(fewer)

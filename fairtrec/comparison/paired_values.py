"""The values of a run and of the baseline in the queries of both; and what compares all runs at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.comparison import slices as slicing
from fairtrec.data import Floats
from fairtrec.evaluation.scores import Scores
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Better, Measure
from fairtrec.statistics import corrections, paired
from fairtrec.statistics.estimate import Estimate
from fairtrec.statistics.procedure import DECIDING


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The values of a run and of the baseline in the same queries."""

    slice: str
    run: str
    against: str
    measure: Measure
    qids: tuple[str, ...]
    values: Floats
    baseline: Floats
    differences: Floats
    beside_gold: bool = False
    labels: Estimate | None = None  # what gold labels add to the mean difference
    few: bool = False  # whether it rests on queries, of which few may differ

    @property
    def better(self) -> Better:
        """Which values are good: of signed ones that gold labels correct, nothing says."""
        signed = self.labels is not None and self.measure.better == "nearer 0"
        return "neither" if signed else self.measure.better

    @property
    def few_labels(self) -> bool:
        """Whether so few labelled queries differ that an interval is surer than they can be."""
        return self.few and self.labels is not None and self.labels.differ < DECIDING

    @property
    def labels_share(self) -> float:
        """How much of the variance is that of labels; nan where there is none, or no interval."""
        assert self.labels is not None
        return float(quotient(self.labels.variance, self.labels.over(self.differences).variance))

    def corrected(self, confidence: float) -> tuple[float, float, float, float]:
        """Give the interval of the corrected mean difference, its p, and the side of 0 that it is on."""
        assert self.labels is not None
        with np.errstate(invalid="ignore"):  # the mean of both infinities is undefined
            value = float(self.differences.mean()) + self.labels.correction
        of_both = self.labels.over(self.differences)
        return *of_both.ends(value, confidence), of_both.p_value(value), float(np.sign(value))


def pairs(name: str, several: Sequence[Scores], bases: Sequence[int]) -> Iterator[PairedValues]:
    """Pair each run of a slice with each baseline, measure by measure; two runs once, with the first of them."""
    for at, base in enumerate(bases):
        for number, scores in enumerate(several):
            if number not in bases[: at + 1]:
                yield from _of_two(name, scores, several[base])


def _of_two(name: str, run: Scores, against: Scores) -> Iterator[PairedValues]:
    mine, theirs = (run, against) if run.qids == against.qids else slicing.common(run, against)
    for row, measure in enumerate(run.measures):
        of_run, of_baseline = mine.values[row], theirs.values[row]
        gold = None if mine.gold is None or theirs.gold is None else (mine.gold.rows[row], theirs.gold.rows[row])
        labels, few = None, False
        if gold is not None and gold[0] is not None and gold[1] is not None:
            labels, few = gold[0].between(gold[1], of_run, of_baseline), gold[0].few
        if measure.better == "nearer 0" and labels is None:
            of_run, of_baseline = np.abs(of_run), np.abs(of_baseline)
        both = ~(np.isnan(of_run) | np.isnan(of_baseline))
        values, others = of_run[both], of_baseline[both]
        qids = tuple(mine.qids[column] for column in np.flatnonzero(both))
        differences = paired.subtract(values, others)
        yield PairedValues(
            name, run.run, against.run, measure, qids, values, others, differences, gold is not None, labels, few
        )


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
        family = [compared[place] for place in places]
        shared = set(family[0].qids).intersection(*(pair.qids for pair in family[1:]))
        if any(len(pair.qids) > len(shared) for pair in family):
            fewer[str(measure)] = len(shared)
        if len(shared) < 2:
            continue
        columns: dict[str, Floats] = {}  # of each run
        for pair in family:
            keep = [qid in shared for qid in pair.qids]
            columns.setdefault(pair.against, pair.baseline[keep])
            columns.setdefault(pair.run, pair.values[keep])
        number = {run: at for at, run in enumerate(columns)}
        values = np.stack([*columns.values()], axis=1)
        values[~np.isfinite(values).all(axis=1)] = 0.0  # runs that are infinite alike do not differ in that query
        p_of = corrections.randomised_tukey(values, resamples=resamples, seed=seed)
        found[places] = [p_of[number[pair.against], number[pair.run]] for pair in family]
    told = ", ".join(f"{name} {many}" for name, many in fewer.items())
    return found, [f"Tukey HSD is over the queries that all runs have: {told}"] * bool(fewer)

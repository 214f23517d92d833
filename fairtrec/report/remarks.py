"""What a reader should know beside the numbers."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fairtrec.data.parameters import Parameters
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import JUDGED
from fairtrec.formulas.rounding import same
from fairtrec.measure import Remark
from fairtrec.report.cells import listed, names

FEW = 4  # runs
CEILING = 0.8  # of the rankings of a run
SEVERAL = 5  # queries, of fewer of which nothing is said


def footnotes(result: Result, *, paired: bool = False, judged: bool = True) -> list[str]:
    """List what a reader should know beside the numbers: what is missing or undefined.

    Of ``paired`` runs the numbers are over the queries of both, so it plays no part which run lacks some. Where orders
    are looked for, it is left out how many ranks are ``judged``.
    """
    said: dict[Remark, list[int]] = {}  # the runs that it is true of, by their places
    for place, scores in enumerate(result.scores):
        for measure, defined in zip(scores.measures, scores.defined.tolist(), strict=True):
            if defined < len(scores.qids):
                remark = Remark("defined for {} of {} queries", (defined, len(scores.qids)), measure)
                said.setdefault(remark, []).append(place)
        for remark in scores.remarks if judged else (each for each in scores.remarks if each.words != JUDGED):
            said.setdefault(remark, []).append(place)
    together: dict[str, list[str]] = {}  # said of several measures: in one line
    for of_which, what in summed_up(said, names(result)) if said else ():
        together.setdefault(what, []).append("" if of_which is None else str(of_which))
    lines = [
        *result.notes,
        *(_uneven(result) if len(result.scores) > 1 and not paired else ()),
        *(_same(result) if result.same else ()),
    ]
    lines += [f"{', '.join(measures)}: {what}" if measures != [""] else what for what, measures in together.items()]
    lines += of_ceilings(result)
    if any(scores.pooled is not None for scores in result.scores):
        from fairtrec.evaluation.computing import REMARK

        lines.append(REMARK)
    if any(scores.ties or scores.unknown or scores.gold for scores in result.scores):
        from fairtrec.report import ends

        lines += ends.notes(result, names(result))
    return lines


def summed_up(said: Mapping[Remark, list[int]], called: Sequence[str]) -> Iterator[tuple[Parameters | None, str]]:
    """Say in one line what differs from run to run by its numbers alone, and of which runs, if not of all.

    Of a few runs the numbers stand in the order of the runs; of more, the least and the greatest.

    >>> few = {Remark("{} of {} ranks", (2, 9)): [0], Remark("{} of {} ranks", (3, 9)): [2]}
    >>> [line for _, line in summed_up(few, ["a", "b", "c"])]
    ['2 and 3 of 9 ranks (a, c)']
    """
    alike: dict[tuple[Parameters | None, str, str], list[Remark]] = {}
    for remark in said:
        alike.setdefault((remark.measure, remark.words, remark.of), []).append(remark)
    for (measure, _, attribute), remarks in alike.items():
        runs = sorted(run for remark in remarks for run in said[remark])
        of_run = {run: remark.numbers for remark in remarks for run in said[remark]}
        if few := len(remarks) > 1 and len(runs) <= FEW:
            numbers = [
                _listed([str(number) for number in each]) for each in zip(*(of_run[run] for run in runs), strict=True)
            ]
        else:
            columns = zip(*(remark.numbers for remark in remarks), strict=True)
            numbers = list(map(_span, columns))
        some = [listed([called[run] for run in runs])] if few or len(runs) < len(called) else []
        whose = ", ".join([*some, *[attribute] * bool(attribute)])
        yield measure, remarks[0].filled(numbers) + (f" ({whose})" if whose else "")


def _listed(numbers: Sequence[str]) -> str:
    """List numbers, or say the one that they all are."""
    if len(set(numbers)) == 1:
        return numbers[0]
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


def _same(result: Result) -> list[str]:
    """Say which runs have the same rankings, as failed rerankings have those of their first stage."""
    called = dict(zip((scores.run for scores in result.scores), names(result), strict=True))
    several = [[called[run] for run in runs if run in called] for runs in result.same]
    told = "; ".join(listed(runs) for runs in several if len(runs) > 1)
    what = "runs with the same documents in the same order for all queries, down to the measured depth (100 at most)"
    return [f"{what}: {told}"] if told else []


def _uneven(result: Result) -> list[str]:
    """Say which runs lack queries that another run has, so that their means are over others."""
    every = set().union(*(scores.qids for scores in result.scores))
    lacking = {name: s for name, s in zip(names(result), result.scores, strict=True) if len(s.qids) < len(every)}
    if not lacking:
        return []
    many = _span([len(scores.qids) for scores in lacking.values()])
    what = f"means over {many} of the {len(every)} queries of all runs"
    ways = "-c counts the rest as empty rankings, --queries common evaluates those that every run has"
    return [f"{what}: {listed(list(lacking))} ({ways})"]


def of_ceilings(result: Result, only: int | None = None) -> list[str]:
    """Say of which measures nearly all rankings have the best value that there is, so that a few queries decide.

    ``only``  the row of one measure, for that alone.
    """
    said: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for row, measure in enumerate(result.scores[0].measures if result.scores else ()):
        target = result.scores[0].target
        low, high = measure.bounds if target is None else measure.bounds_against(target)
        if measure.total or measure.better == "neither" or only not in (None, row):
            continue
        there = [values[~np.isnan(values)] for values in (scores.values[row] for scores in result.scores)]
        ends = {"higher": (high, "the maximum"), "lower": (low, "the minimum"), "nearer 0": (0.0, "the value 0")}
        best, called = ends[measure.better]
        if best is None:  # then it is the best of those that there are
            every = np.concatenate(there)
            best = float(every.max(initial=-np.inf) if measure.better == "higher" else every.min(initial=np.inf))
        counts: dict[int, tuple[int, int]] = {}
        for place, known in enumerate(there):
            many = int(same(known, np.array(best)).sum())
            if len(known) >= SEVERAL and many >= CEILING * len(known):
                counts[place] = many, len(known)
        if counts:
            at, of = ([each[end] for each in counts.values()] for end in (0, 1))
            deciding = _span([every - many for many, every in counts.values()])
            number = {"0": "no query", "1": "1 query"}.get(deciding, f"{deciding} queries")
            is_one = "s" * number.endswith("query")
            decide = f", so {number} tell{is_one} runs apart"
            if len(there) == 1:
                decide = f", so {number} decide{is_one} the mean" * (deciding != "0")
            words = f"{_span(at)} of {_span(of)} rankings have {called}{decide}"
            said.setdefault((words, tuple(counts)), []).append(str(measure))
    every_run = tuple(range(len(result.scores)))
    named = names(result) if any(runs != every_run for _, runs in said) else []
    return [
        f"{', '.join(measures)}: {words}"
        + (f" ({listed([named[place] for place in runs])})" if runs != every_run else "")
        for (words, runs), measures in said.items()
    ]


def _span(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"

"""Compare runs with baselines, measure by measure, over the queries of both: by how much, how surely, how often.

A difference is the run's value less the baseline's. Where nearer 0 is better, the values of a query can be of either
sign and cancel in the mean: there the absolute values are compared, so a lower mean is the better one.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from fairtrec.commands.compare import comparison as pairing
from fairtrec.commands.compare.comparison import (
    ALL,
    Comparison,
    ComparisonOutcome,
    Comparisons,
    CorrectedComparison,
    PairedValues,
    PooledComparison,
)
from fairtrec.data import Floats
from fairtrec.evaluation import slices as slicing
from fairtrec.evaluation.answers import aggregates
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.deletions import has_total
from fairtrec.evaluation.inputs.options import refuse_unknown_options
from fairtrec.measure import Better, Measure
from fairtrec.measures.utility import refuse_geometric
from fairtrec.report.run_names import map_names
from fairtrec.statistics import corrections as correction
from fairtrec.statistics import paired
from fairtrec.statistics.deleted_clusters import compute_margin_p
from fairtrec.statistics.doubt import count_differing
from fairtrec.statistics.procedure import SCANTY, Procedure, ProcedureKeywords
from fairtrec.statistics.skewness import note_skewed
from fairtrec.statistics.value_ranges import bound_difference, cut_ends
from fairtrec.support.errors import FilePath, UsageError, refuse_first
from fairtrec.support.files.arguments import find_run
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_span

HALF, FEW = 0.5, 0.3  # of the variance: where labels have more, label more; where they have less, take more queries
SIGN = {"higher": 1, "lower": -1, "nearer 0": -1, "neither": 1}
BOOTSTRAP = NoteKind(
    "few queries, bootstrap",
    "fewer than {fewest} queries: bootstrap intervals are too narrow and its p too small; prefer t",
    NoteSeverity.MISLEADING,
)
SIGNED_RANKS = NoteKind(
    "signed ranks",
    "signed ranks contradict the mean difference in {run} by {by_measure}{more}: most queries lean one way, a few far "
    "the other",
    NoteSeverity.MISLEADING,
)
FEW_CLUSTERS = NoteKind(
    "few clusters",
    "in {which}, fewer than 10 {units}, or {units} of similar weight, decide, or a rate is 0 or 1: too few to trust "
    "the interval and p",
    NoteSeverity.MISLEADING,
)
CHOSEN_RATES = NoteKind(
    "least of several rates",
    "{measures}: the least of several rates is biased down; compare Selected(group=each)",
    NoteSeverity.MISLEADING,
)


def _write_few(which: str, least: int, most: int) -> str:
    queries = "1 query differs" if most == 1 else f"{write_span((least, most))} queries differ"
    return f"in {which}, only {queries} from the most frequent difference: too few to trust the interval and p"


FEW_DIFFERENCES = NoteKind("few differences", _write_few, NoteSeverity.MISLEADING)
REPEATED = NoteKind(
    "repeated differences",
    "{measures}: the differences of {first}{sign} in each query, so this is the same test twice; leave out one",
    NoteSeverity.MISLEADING,
)
EXACT = 1e-12  # within which differences of two measures are the same
LABELS = NoteKind(
    "variance of labels", "{share} of the variance of corrected differences comes from the labels{advice}"
)
OTHER_QUERIES = NoteKind(
    "other queries", "the runs have different queries; only queries that both runs have are compared"
)
NOT_THE_QUERIES = NoteKind(
    "not the queries of the baseline",
    "{which} not the {queries} queries of the baseline; only queries that both have are compared",
)


def compare(
    result: Result | slicing.Recorded,
    baseline: str | int | Sequence[str | int] | None = None,
    *,
    slices: FilePath | Mapping[str, Sequence[str]] | None = None,
    **procedure: Unpack[ProcedureKeywords],
) -> Comparisons:
    """Compare each run of a result with a baseline, or with several.

    Args:
        result: what ``evaluate``, ``read_results`` or ``read_values`` returns.
        baseline: the name or the number (from 0) of a run; None: the first. Several, or ``"all"`` for every run in
            turn: each two runs are compared once, and p-values are corrected over all of them.
        slices: the query ids of each slice, or a file of lines of qid and slice. Each slice is compared by itself, too.
        procedure: the fields of Procedure, such as ``test="randomization"``.

    Raises:
        UsageError: an unknown baseline, choice or keyword.
    """
    refuse_unknown_options(procedure, [*ProcedureKeywords.__annotations__, "baseline", "slices"])
    how = Procedure(**procedure)
    result, parts = slicing.record_slices(result, slices)
    refuse_geometric(result.scores[0].measures if result.scores else ())
    aggregates.refuse_aggregated(result.scores, "a comparison is of")
    is_corrected = any(scores.is_corrected for scores in result.scores)
    if is_corrected:
        refuse_beside_gold(how)
    pooled = any(has_total(scores, measure) for scores in result.scores for measure in scores.measures)
    refuse_beside_clusters(how, pooled=pooled, of_clusters=bool(result.clusters), gold=is_corrected)
    bases = find_several([scores.run for scores in result.scores], baseline)
    pairs = [
        pair
        for name, part in slicing.split_result(result, parts)
        for pair in pairing.pairs(name, part.scores, bases, result.clusters)
    ]
    rows, said = _judged(pairs, how)
    notes = [
        *dict.fromkeys(note for base in bases for note in _note_uneven(result.scores, base, bases)),
        *slicing.note_slices(result, parts),
        *_note_bootstrap(rows, how),
        *_note_signs(rows),
        *_note_doubtful(rows, pairs, clustered=bool(result.clusters)),
        *_note_chosen(pairs),
        *_note_repeated(pairs),
        *_note_skewed(pairs, how, [scores.run for scores in result.scores]),
        *said,
        *_note_labels(rows),
    ]
    family = _family(rows, how, len(result.scores) if len(bases) > 1 else 0)
    marks = slicing.mark_worst([((row.run, row.against, row.measure), row.slice, row.mean, row.better) for row in rows])
    marked = tuple(replace(row, worst_slice=mark) for row, mark in zip(rows, marks, strict=True))
    return Comparisons(marked, result, bases, how, family, tuple(notes))


def refuse_beside_gold(how: Procedure) -> None:
    """Raise UsageError for a procedure that gold labels, whose variance is that of t, do not go with."""
    usual = Procedure()
    for name in ("test", "interval", "equivalence"):
        chosen = getattr(how, name)
        if chosen != getattr(usual, name):
            what = "--gold compares by Student's t, with the variance of labels and of queries"
            raise UsageError(f"{what}; leave out --gold, or --{name} {chosen}")
    if how.correction == "tukey":
        raise UsageError(
            "--correction tukey draws values of queries, which gold labels do not correct; leave out --gold"
        )


def refuse_beside_clusters(how: Procedure, *, pooled: bool, of_clusters: bool, gold: bool) -> None:
    """Raise UsageError for a procedure that needs independent queries, or values of queries, if there are none.

    The randomization test flips the differences of whole clusters.
    """
    if not (pooled or of_clusters):
        return
    option, why = "--cluster", "queries of a cluster are not independent"
    if pooled:
        option, why = "--pool", "a pooled value has no values of queries"
    what, tests = f"{why}; leave out {option}, or", ("t",) if pooled else ("t", "randomization")
    refuse_first([
        (how.test not in tests, f"{what} --test {how.test}"),
        (how.interval != "t", f"{what} --interval {how.interval}"),
        (how.correction == "tukey", f"{what} --correction tukey"),
        (gold, f"gold labels correct means over independent queries; leave out --gold, or {option}"),
    ])  # fmt: skip


def find_several(runs: Sequence[str], baseline: str | int | Sequence[str | int] | None) -> tuple[int, ...]:
    """Tell which runs are baselines. Raises UsageError as ``find_run`` does, and for one that is named twice."""
    if baseline == ALL and ALL not in runs:
        find_run(runs, 0)
        return tuple(range(len(runs)))
    asked = [baseline] if baseline is None or isinstance(baseline, str | int) else list(baseline)
    found = [find_run(runs, each) for each in asked]
    for number, each in enumerate(found):
        if each in found[:number]:
            raise UsageError(f"{runs[each]} appears twice as a baseline; pass it once")
    if not found:
        raise UsageError("no baseline; pass one, or leave the option out for the first run")
    return tuple(found)


def _judged(pairs: Sequence[PairedValues], how: Procedure) -> tuple[list[Comparison], list[Note]]:
    """Compute all statistics: pairs of as many queries together, then the corrected p over all; say what is odd."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        places[len(pair.differences)].append(place)
    columns: dict[str, Floats] = {
        name: np.full(len(pairs), np.nan)
        for name in ("low", "high", "p", "effect", "side", "p_not_worse", "p_equivalent")
    }
    drawn: Any = {"resamples": how.resamples, "seed": how.seed}
    for rows in places.values():
        differences = np.stack([pairs[row].differences for row in rows])
        columns["p"][rows] = paired.p_values(differences, how.test, **drawn)
        ends = paired.intervals(differences, how.interval, confidence=how.confidence, **drawn)
        columns["low"][rows], columns["high"][rows] = ends.T
        columns["effect"][rows] = paired.effect(differences)
        columns["side"][rows] = paired.direction(differences, how.test)
        if how.equivalence is not None:
            gained = differences * np.array([[SIGN[pairs[row].measure.better]] for row in rows])
            columns["p_not_worse"][rows] = paired.at_least(gained, -how.equivalence)
            columns["p_equivalent"][rows] = paired.equivalence(differences, how.equivalence)
    for row, pair in enumerate(pairs):
        if pair.labels is not None:
            found = pair.correct_difference(how.confidence)
            columns["low"][row], columns["high"][row], columns["p"][row], columns["side"][row] = found
        elif pair.deletions is not None:
            for name, number in _compare_deletions(pair, how).items():
                columns[name][row] = number
    if how.correction == "tukey":
        columns["p_corrected"], said = pairing.tukey_hsd(pairs, columns["p"], **drawn)
    else:
        columns["p_corrected"], said = correction.correct_p_values(columns["p"], how.correction), list[Note]()
    compared = [
        _comparison(pair, {name: float(column[row]) for name, column in columns.items()}, how)
        for row, pair in enumerate(pairs)
    ]
    return compared, said


def _compare_deletions(pair: PairedValues, how: Procedure) -> dict[str, float]:
    """Compute the statistics of a difference of which clusters are the unit that was sampled."""
    found = pair.compare_deletions(how.confidence)
    sign = SIGN[pair.better]
    p = found.p
    if how.test == "randomization":
        p = paired.p_values(pair.cluster_sums[None], how.test, resamples=how.resamples, seed=how.seed).item()
    numbers = {"low": found.low, "high": found.high, "p": p, "side": float(np.sign(found.value))}
    if how.equivalence is not None:
        gained = found._replace(value=sign * found.value)
        ends = [compute_margin_p(each, -how.equivalence) for each in (gained, gained._replace(value=-gained.value))]
        numbers |= {"p_not_worse": ends[0], "p_equivalent": max(ends)}
    return numbers


def _comparison(pair: PairedValues, numbers: Mapping[str, float], how: Procedure) -> Comparison:
    better, n = pair.better, len(pair.differences)
    mean, baseline = pair.both
    with np.errstate(invalid="ignore"):  # the mean of both infinities is undefined
        change = float(pair.differences.mean()) if n else float("nan")
    found = None if pair.deletions is None else pair.compare_deletions(how.confidence)
    gained = pair.differences * SIGN[better]
    asked = how.equivalence is not None
    beside: dict[str, Any] = {}
    if pair.labels is not None:
        beside = {"corrected": pair.corrected_difference, "labels_share": pair.labels_share}
    kind = CorrectedComparison if pair.beside_gold else Comparison
    if pair.beside_pool:
        kind, beside = PooledComparison, {"pooled": pair.is_pooled}
    won = [int(each.sum()) for each in (gained > 0, gained == 0, gained < 0)]
    wins, ties, losses = [None] * 3 if pair.is_pooled else won
    low, high = cut_ends((numbers["low"], numbers["high"]), bound_difference(pair.bounds))
    return kind(
        slice=pair.slice,
        run=pair.run,
        against=pair.against,
        measure=str(pair.measure),
        better=better,
        compared="absolute value" if better == "nearer 0" else "value",
        queries=n,
        mean=mean,
        baseline=baseline,
        difference=found.value if found is not None and pair.is_pooled else change,
        low=low,
        high=high,
        **{name: numbers[name] for name in ("p", "p_corrected", "effect")},
        cliff=float("nan") if pair.is_pooled else paired.cliff(pair.values, pair.baseline),
        wins=wins,
        ties=ties,
        losses=losses,
        deciding=count_differing(pair.differences) if found is None else found.moving,
        doubtful=not np.isnan(numbers["p"]) and pair.is_doubtful,
        verdict=_verdict(better, numbers["side"], numbers["p_corrected"], how.alpha),
        p_not_worse=numbers["p_not_worse"] if asked and better != "neither" else None,
        p_equivalent=numbers["p_equivalent"] if asked else None,
        worst_slice=False,
        **beside,
    )


def _verdict(better: Better, side: float, p: float, alpha: float) -> ComparisonOutcome:
    """Say what is shown; ``side`` is that of 0 on which the test finds the run."""
    if np.isnan(p):
        return "not tested"
    if p > alpha or not side:
        return "not shown"
    if better == "neither":
        return "higher" if side > 0 else "lower"
    return "better" if side * SIGN[better] > 0 else "worse"


def _family(rows: Sequence[Comparison], how: Procedure, paired_runs: int) -> str:
    """Say over what p is corrected; ``paired_runs`` are how many runs there are, where there are several baselines."""
    untested = sum(bool(np.isnan(row.p)) for row in rows)
    counts = [(len({getattr(row, of) for row in rows}), of) for of in ("run", "measure", "slice")]
    words = [f"{many} {of}{'s' if many > 1 else ''}" for many, of in counts if of != "slice" or many > 1]
    if paired_runs:
        words[0] = f"{len({(row.run, row.against) for row in rows})} pairs of {paired_runs} runs"
    product = " x ".join(words)
    left = f", {untested} untested left out" if untested else ""
    tested = len(rows) - untested
    if how.correction == "tukey":
        each = "for each measure" + " and slice" * (counts[2][0] > 1)
        among = f"all pairs of {paired_runs or counts[0][0] + 1} runs"
        return f"{correction.NAMES[how.correction]} over {among}, {each}{left}"
    many = f"{tested} comparison{'s' * (tested != 1)}"
    return f"{correction.NAMES[how.correction]} over {many}: {product}{left}"


def _note_bootstrap(rows: Sequence[Comparison], how: Procedure) -> Iterator[Note]:
    """Say that the bootstrap, whose resamples spread less than new queries would, is too sure with few of them."""
    drawn = how.test == "bootstrap" or how.interval != "t"
    if drawn and any(row.queries < SCANTY and not np.isnan(row.p) for row in rows):
        yield BOOTSTRAP.note(fewest=SCANTY)


def _note_signs(rows: Sequence[Comparison]) -> Iterator[Note]:
    """Say where signed ranks and the mean lie on two sides of 0."""
    shown = [row for row in rows if row.verdict in ("better", "worse", "higher", "lower")]
    against = [
        row for row in shown if (row.verdict in ("better", "higher")) != (row.tested_difference * SIGN[row.better] > 0)
    ]
    if against:
        more = f", and {len(against) - 1} more" if len(against) > 1 else ""
        yield SIGNED_RANKS.note(run=against[0].run, by_measure=against[0].measure, more=more)


def _note_doubtful(rows: Sequence[Comparison], pairs: Sequence[PairedValues], *, clustered: bool) -> Iterator[Note]:
    """Say how many comparisons few differences decide, and how few; or few clusters of queries."""
    several = [(row, pair.deletions is not None) for row, pair in zip(rows, pairs, strict=True) if row.doubtful]

    def name(many: int) -> str:
        return f"{many} of {len(rows)} comparisons" if len(rows) > 1 else "this comparison"

    if few := [row.deciding for row, by_deletion in several if not by_deletion]:
        yield FEW_DIFFERENCES.note(which=name(len(few)), least=min(few), most=max(few))
    if few := [row.deciding for row, by_deletion in several if by_deletion]:
        yield FEW_CLUSTERS.note(which=name(len(few)), units="clusters" if clustered else "queries")


def _note_chosen(pairs: Sequence[PairedValues]) -> list[Note]:
    """Say which values compare two of several rates, chosen after a look at the data."""
    found = [pair.measure for pair in pairs if any(each.is_chosen for each in pair.deletions or ())]
    return [CHOSEN_RATES.note(measures=list(dict.fromkeys(found)))] if found else []


def _note_repeated(pairs: Sequence[PairedValues]) -> Iterator[Note]:
    """Say which measures differ as an earlier one does, with or without the other sign, so that both are one test."""
    several: dict[Measure, list[Floats]] = defaultdict(list)
    for pair in pairs:
        if pair.is_skewable:
            several[pair.measure].append(pair.differences)
    earlier: list[tuple[Measure, Floats]] = []
    for measure, parts in several.items():
        differences = np.concatenate(parts)
        for first, other in earlier:
            if len(other) != len(differences):
                continue
            is_same, is_mirrored = (np.allclose(differences, each, 0, EXACT) for each in (other, -other))
            if is_same or is_mirrored:
                sign = "" if is_same else " with the other sign"
                yield REPEATED.note(measure=measure, first=str(first), sign=sign)
                break
        else:
            if differences.any():
                earlier.append((measure, differences))


def _note_skewed(pairs: Sequence[PairedValues], how: Procedure, runs: Sequence[str]) -> list[Note]:
    """Say which differences over all queries are so skewed that their interval covers less than it says."""
    names = map_names(runs)
    several = [
        (pair.measure, names[pair.run], pair.differences)
        for pair in pairs
        if pair.slice == ALL and pair.is_skewable and len(pair.differences) > 1
    ]
    return note_skewed("differences", several, how.percent, len({run for _, run, _ in several}))


def _note_labels(rows: Sequence[Comparison]) -> Iterator[Note]:
    """Say for each measure how much of the variance is that of labels, and so whether to label more."""
    shares: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if isinstance(row, CorrectedComparison) and row.labels_share is not None and not np.isnan(row.labels_share):
            shares[row.measure].append(row.labels_share)
    for measure, several in shares.items():
        least, most = min(several), max(several)
        how_much = f"{least:.0%}" if f"{least:.0%}" == f"{most:.0%}" else f"{least:.0%} to {most:.0%}"
        advice = ": label more" if least >= HALF else ": more queries, not labels" if most < FEW else ""
        yield LABELS.note(measure=measure, share=how_much, advice=advice)


def _note_uneven(several: Sequence[Scores], base: int, bases: Sequence[int]) -> Iterator[Note]:
    """Say which runs have other queries than the baseline."""
    queries = set(several[base].qids)
    other = [scores.run for number, scores in enumerate(several) if number != base and set(scores.qids) != queries]
    if other and len(bases) > 1:
        yield OTHER_QUERIES.note()
    elif other:
        which = f"{other[0]} has" if len(other) == 1 else f"{len(other)} runs, such as {other[0]}, have"
        yield NOT_THE_QUERIES.note(which=which, queries=len(queries))

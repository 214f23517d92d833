"""What the variants of an instrument say of the same runs: variants, terms that are left out, runs."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas.rounding import same
from fairtrec.lab.ablate.ablation import Ablation, Variant
from fairtrec.lab.ablate.factors import Draw
from fairtrec.report.cells import cell, write_difference
from fairtrec.report.document import Column, Document, ReportTable, RunCell, directions, heading
from fairtrec.report.records import Row, head
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import shorten_names
from fairtrec.statistics.doubt import add_doubtful, explain_doubt, mark_doubt
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

KEYS = ("factor", "variant", "run")
OF_VARIANT = ("tau_b", "tau_ap", "flipped", "settled", "doubtful", "queries")  # fields of files
FEW = 6  # runs that have a column each
AP = "tau_ap: the same, with the weight at the top"
BY_SIZE = "orders, ranks and flips go by the mean of absolute values, as signs cancel in the mean"
FLIPPED = NoteKind(
    "flipped",
    "flipped: pairs of runs (of {pairs}) whose order differs from the base; settled: pairs "
    "that differ significantly in the base (paired t-test, Holm, p at most 0.05): {settled}{doubtful}",
    NoteSeverity.LEGEND,
)
DOUBTFUL = NoteKind("doubtful pairs", "{rule}", NoteSeverity.LEGEND)
TAU = NoteKind(
    "tau",
    f"tau-b: Kendall's, with the base; 0.9 or more is usually called the same order; {AP}",
    NoteSeverity.BACKGROUND,
)
BEST = NoteKind("best", "best: rank of {run}, the best run of the base", NoteSeverity.BACKGROUND)
NO_FLIP = NoteKind("no flip", "no variant flips a pair of runs")


def _write_flips(variant: str, flipped: int, pairs: int, tau: str) -> str:
    """Write how many pairs the variant flips that flips the most.

    >>> _write_flips("tau=0", 1, 3, ""), _write_flips("cutoff=5", 2, 3, " (tau-b 0.33)")
    ('1 of 3 pairs flips with tau=0', '2 of 3 pairs flip with cutoff=5 (tau-b 0.33), the most of any variant')
    """
    verb, most = ("flips", "") if flipped == 1 else ("flip", ", the most of any variant")
    return f"{flipped} of {pairs} pair{'s' * (pairs != 1)} {verb} with {variant}{tau}{most}"


MOST_FLIPS = NoteKind("most flips", _write_flips)
NEVER_FLIPPED = NoteKind("never flipped", "pairs that no variant flips: {never} of {pairs}")
STILL = NoteKind("still", "no mean changes with {factors}")
OCCURRING = NoteKind(
    "occurring terms", "{occurring} of {terms} terms occur in the measured documents", NoteSeverity.BACKGROUND
)
FEWER = NoteKind(
    "fewer queries",
    "runs are ordered over {queries} of {every} queries, those with a value in every run: {which}",
    NoteSeverity.MISLEADING,
)


def list_notes(ablation: Ablation) -> list[Note]:
    """List the notes on the numbers."""
    return [*legend(ablation), *list_own_notes(ablation), *list_result_notes(ablation.result)]


def tables(ablation: Ablation, *, places: int) -> Document:
    """Lay out all tables."""
    names = shorten_names(ablation.runs)
    several = [_of_variants(ablation, names, places)]
    if terms := left_out(ablation):
        several.append(_of_terms(ablation, terms, names, places))
    several.append(_of_runs(ablation, names, places))
    by_size = BY_SIZE if ablation.pairs and ablation.measure.better == "nearer 0" else ""
    signs = [directions([ablation.measure.better]), by_size, *map(str, legend(ablation))]
    said = [*list_own_notes(ablation), *list_result_notes(ablation.result)]
    return Document(several, said, str(ablation.signature), signs=signs)


def _of_variants(ablation: Ablation, names: Sequence[str], places: int) -> ReportTable:
    every, few = lines(ablation), len(names) <= FEW
    several = list(every.values())
    means = [np.array([each.means for each in of]) for of in several]
    if few:
        values = []
        if ablation.pairs:
            values.append(Column("order", [order(of, names, ablation.base) for of in several], words=True))
        for run, name in enumerate(names):
            values.append(Column(name, [span(mean[:, run].tolist(), places) for mean in means], of_run=True))
    else:
        values = [Column("mean", [span(mean.mean(axis=1).tolist(), places) for mean in means])]
    if ablation.pairs:
        values += _of_orders(ablation, several, few=few)
    keys = [Column("varied", [*every], words=True)]
    return ReportTable(f"{heading(ablation.measure)}, varied", keys, values, least=("tau_ap", "settled"))


def _of_orders(ablation: Ablation, several: Sequence[Sequence[Variant]], *, few: bool) -> Iterator[Column]:
    """Give the columns of how the orders of runs go with that of the base; of many runs, the rank of its best, too."""
    for name, tau in (("tau-b", attrgetter("tau_b")), ("tau_ap", attrgetter("tau_ap"))):
        yield Column(name, ["-" if of[0] is ablation.base else span(map(tau, of), 2) for of in several])
    yield Column("flipped", [whole(each.flipped for each in of) for of in several])
    several_settled = [whole(each.settled for each in of) for of in several]
    doubtful = [any(each.doubtful for each in of) for of in several]
    cells = [mark_doubt(each, doubtful=is_so) for each, is_so in zip(several_settled, doubtful, strict=True)]
    yield Column("settled", cells)
    if not few:
        best = best_of(ablation)
        yield Column("best", ["-" if best is None else whole(int(each.ranks[best]) for each in of) for of in several])


def _of_terms(ablation: Ablation, terms: Sequence[Variant], names: Sequence[str], places: int) -> ReportTable:
    keys = [Column("without", [each.variant for each in terms], words=True)]
    moved = [changes(ablation, each) for each in terms]
    values = [Column("documents", [str(each.documents) for each in terms])]
    if len(names) <= FEW:
        several = [[write_difference(move[run], places) for move in moved] for run in range(len(names))]
        values += [Column(name, cells, of_run=True) for name, cells in zip(names, several, strict=True)]
    else:
        at = [int(np.nan_to_num(np.abs(move)).argmax()) for move in moved]
        values.append(Column("mean", [write_difference(move.mean(), places) for move in moved]))
        values.append(
            Column("largest", [write_difference(move[run], places) for move, run in zip(moved, at, strict=True)])
        )
        values.append(Column("run", [names[run] for run in at], words=True, runs=True))
    if ablation.pairs:
        values.append(Column("flipped", [str(each.flipped) for each in terms]))
        if len(names) <= FEW:
            values.insert(0, Column("order", [order([each], names, ablation.base) for each in terms], words=True))
    return ReportTable("Change of each mean without one term", keys, values)


def _of_runs(ablation: Ablation, names: Sequence[str], places: int) -> ReportTable:
    best = np.argsort(np.where(ablation.base.ranks == 0, len(names) + 1, ablation.base.ranks), kind="stable").tolist()
    ends, ranks = ablation.intervals, ablation.rank_intervals
    values = [Column("base", [f"{ablation.base.means[run]:.{places}f}" for run in best])]
    for end, name in enumerate(("least", "greatest")):
        values.append(Column(name, [f"{ends[run, end]:.{places}f}" for run in best]))
    if ablation.pairs:
        values.append(Column("rank", [str(ablation.base.ranks[run]) for run in best]))
        values.append(Column("ranks", [whole(ranks[run].tolist()) for run in best]))
    key = Column("run", [names[run] for run in best], words=True, runs=True)
    return ReportTable("Range of each run over all variants", [key], values)


def lines(ablation: Ablation) -> dict[str, list[Variant]]:
    """Put the draws of a setting together, by the name of their line.

    Terms that are left out one by one stand in a table of their own.
    """
    found: dict[str, list[Variant]] = {"base": [ablation.base]}
    for each in ablation.variants:
        if each.documents is None:
            alone, ties = len(each.setting.changes) == 1, each.setting.ties is not None
            value = each.setting.name_variant() if ties or isinstance(each.setting.terms, Draw) else each.variant
            found.setdefault(value if not alone else each.factor if ties else f"{each.factor}={value}", []).append(each)
    return {f"{name}={len(of)}" if name == "ties" else name: of for name, of in found.items()}


def left_out(ablation: Ablation) -> list[Variant]:
    """List the terms that are left out, those that move a mean most first."""
    each = [variant for variant in ablation.variants if variant.documents is not None]
    return sorted(each, key=lambda variant: -float(np.nan_to_num(np.abs(changes(ablation, variant))).max()))


def changes(ablation: Ablation, variant: Variant) -> Floats:
    """Give how far each run's mean moves [run]."""
    with np.errstate(invalid="ignore"):
        moved: Floats = variant.means - ablation.base.means
    return moved


def span(values: Iterable[float], places: int) -> str:
    """Write one value, or the least and the greatest of several."""
    known = [value for value in values if value == value]  # noqa: PLR0124 - nan is not itself
    ends = [f"{value:.{places}f}" for value in ((min(known), max(known)) if known else (float("nan"),) * 2)]
    return ends[0] if ends[0] == ends[1] else (" to " if ends[0].startswith("-") else "-").join(ends)


def whole(values: Iterable[int]) -> str:
    """Write one number, or the least and the greatest of several."""
    several = list(values)
    return str(several[0]) if min(several) == max(several) else f"{min(several)}-{max(several)}"


def order(variants: Sequence[Variant], names: Sequence[str], base: Variant) -> RunCell:
    """Name the runs from the best to the worst; of several variants, say in how many the order is that of the base."""
    if len(variants) > 1:
        alike = sum((each.ranks == base.ranks).all() for each in variants)
        return RunCell(f"same in {alike} of {len(variants)}")
    ranks = variants[0].ranks
    parts, before = [""], 0
    for rank, place in sorted((rank, place) for place, rank in enumerate(ranks.tolist()) if rank):
        parts += [*(["=" if rank == before else " "] if before else []), names[place]]
        before = rank
    return RunCell(*parts)


def best_of(ablation: Ablation) -> int | None:
    """Give the place of the run that is best by the base, the first of several; None if none has a value."""
    best = np.flatnonzero(ablation.base.ranks == 1)
    return int(best[0]) if len(best) else None


def spell_variant(variant: Variant) -> str:
    """Spell a variant as it was asked for."""
    return f"{variant.factor}={variant.variant}" if len(variant.setting.changes) == 1 else variant.variant


def _still(ablation: Ablation) -> list[str]:
    """Name the factors by which no mean moves, to 12 digits."""
    moved: dict[str, bool] = {}
    for each in ablation.variants:
        alike = same(each.means, ablation.base.means) | (np.isnan(each.means) & np.isnan(ablation.base.means))
        moved[each.factor] = moved.get(each.factor, False) or not alike.all()
    return [factor for factor, is_so in moved.items() if not is_so]


def legend(ablation: Ablation) -> Iterator[Note]:
    """Say what the numbers mean."""
    if ablation.pairs:
        yield FLIPPED.note(pairs=ablation.pairs, settled=ablation.settled, doubtful=add_doubtful(ablation.doubtful))
        if ablation.doubtful:
            yield DOUBTFUL.note(rule=explain_doubt("differences"))
        yield TAU.note()
        best = best_of(ablation)
        if len(ablation.runs) > FEW and best is not None:
            yield BEST.note(run=shorten_names(ablation.runs)[best])


def list_own_notes(ablation: Ablation) -> Iterator[Note]:
    """List the notes on which factor moves most, and on which numbers are over fewer queries."""
    if ablation.pairs:
        flips = [each for each in ablation.variants if each.flipped]
        most = min(flips, key=lambda each: (-each.flipped, each.tau_b), default=None)
        if most is None:
            yield NO_FLIP.note()
        else:
            tau = "" if np.isnan(most.tau_b) else f" (tau-b {most.tau_b:.2f})"
            yield MOST_FLIPS.note(variant=spell_variant(most), flipped=most.flipped, pairs=ablation.pairs, tau=tau)
            yield NEVER_FLIPPED.note(never=ablation.never, pairs=ablation.pairs)
    if still := _still(ablation):
        yield STILL.note(factors=", ".join(still))
    if ablation.terms is not None:
        occurring, listed = ablation.terms
        yield OCCURRING.note(occurring=occurring, terms=listed)
    fewer: dict[int, list[str]] = {}
    for each in ablation.variants if ablation.pairs else ():
        if each.queries < ablation.every:
            fewer.setdefault(each.queries, []).append(spell_variant(each))
    for queries, names in fewer.items():
        which = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        yield FEWER.note(queries=queries, every=ablation.every, which=which)


def rows(ablation: Ablation, *, places: int | None) -> Iterator[Row]:
    """Give a row for each run by the base and by each variant."""
    yield ["factor", "variant", "run", "mean", "rank", *OF_VARIANT]
    for each in (ablation.base, *ablation.variants):
        values = (getattr(each, name) for name in OF_VARIANT)
        beside = [cell(value, places) if isinstance(value, float) else value for value in values]
        name = [each.factor or "base", each.variant]
        for run, mean, rank in zip(ablation.runs, each.means.tolist(), each.ranks.tolist(), strict=True):
            yield [*name, run, cell(mean, places), rank, *beside]


def records(ablation: Ablation) -> Iterator[dict[str, Any]]:
    """Give an object for each variant."""
    return (_record(ablation, each) for each in ablation.variants)


def record(ablation: Ablation) -> dict[str, Any]:
    """Give one object, which also says where the values come from, and what the base says."""
    ends, ranks, base = ablation.intervals.tolist(), ablation.rank_intervals.tolist(), ablation.base
    return {
        **head(ablation.result, ablation.signature, list_notes(ablation)),
        "measure": str(ablation.measure),
        "pairs": ablation.pairs,
        "settled": ablation.settled,
        "doubtful": ablation.doubtful,
        "never_flipped": ablation.never,
        "queries": base.queries,
        "runs": [
            {**run, "least": ends[at][0], "greatest": ends[at][1], "ranks": ranks[at]}
            for at, run in enumerate(record_runs(ablation, base))
        ],
        "variants": [*records(ablation)],
    }


def _record(ablation: Ablation, each: Variant) -> dict[str, Any]:
    found: dict[str, Any] = {"factor": each.factor, "variant": each.variant}
    found |= {name: getattr(each, name) for name in OF_VARIANT}
    found |= {} if each.documents is None else {"documents": each.documents}
    return {**found, "runs": record_runs(ablation, each)}


def record_runs(ablation: Ablation, each: Variant) -> list[dict[str, Any]]:
    """Give the mean and the rank of each run."""
    several = zip(ablation.runs, each.means.tolist(), each.ranks.tolist(), strict=True)
    return [{"run": run, "mean": mean, "rank": rank} for run, mean, rank in several]

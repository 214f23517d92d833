"""How few labels or grades, if they were others, turn the order of runs: the table, the legend, rows and objects."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from fairtrec.lab.ablate.ablation import FlipAblation
from fairtrec.lab.ablate.flip_search import WRONG
from fairtrec.lab.ablate.flips import Fragility, PairFlips
from fairtrec.lab.ablate.report import record_runs
from fairtrec.report.cells import cell, write_difference, write_p, write_share
from fairtrec.report.document import Column, Document, ReportTable, directions, heading
from fairtrec.report.records import Row, head
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import shorten_names
from fairtrec.statistics.doubt import explain_doubt, mark_doubt
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, list_runs

SHOWN = 2  # documents of a row
NUMBERS = (
    "difference", "queries", "p", "doubtful", "looked_at", "flips", "least", "exact", "share", "by_chance",
    "by_chance_exact", "verdict",
)  # fields of files  # fmt: skip
UNITS = {"labels": ("label", "labeled documents"), "qrels": ("judgment", "judged pairs")}
TIED, NONE_FOUND = "tied", "none found"
FIRST = NoteKind(
    "first place", "first place{ordered_by}: {flips} {units} {put} {rival} above {run}", NoteSeverity.VERDICT
)
SAFE_FIRST = NoteKind(
    "safe first place",
    "first place{ordered_by}: no {units} that put another run above {run} were found",
    NoteSeverity.VERDICT,
)
TIED_FIRST = NoteKind("tied first place", "first place{ordered_by}: {tied} (tied)", NoteSeverity.VERDICT)
CHOSEN = NoteKind(
    "chosen to harm",
    "these {units} are chosen to do harm, among {looked_at} at the measured ranks of either run",
    NoteSeverity.LEGEND,
)
CHANCE = NoteKind(
    "wrong at random",
    "{wrong:.0%} wrong: the probability that the order turns if one {unit} in ten is wrong at random{computed}",
    NoteSeverity.LEGEND,
)
AT_MOST = NoteKind(
    "at most", "at most: found by flipping one {unit} after the other; fewer may do it", NoteSeverity.LEGEND
)
BY_SIZE = NoteKind("flips by size", "size: the order by the mean of absolute values", NoteSeverity.LEGEND)
DECIDED = NoteKind(
    "lost verdict",
    "lose the verdict: for p above 0.05 (paired t-test), or another order; - if p is above 0.05 now",
    NoteSeverity.LEGEND,
)
DOUBTFUL = NoteKind("doubtful p of flips", "{rule}", NoteSeverity.LEGEND)


def list_notes(ablation: FlipAblation) -> list[Note]:
    """List the notes on the numbers."""
    own = [_write_first(ablation), *_list_legend(ablation.fragility), *ablation.fragility.notes]
    return [*own, *list_result_notes(ablation.result)]


def tables(ablation: FlipAblation, *, places: int) -> Document:
    """Lay out how few flips turn the order, below what is to be known of the same inputs."""
    return Document(
        [_make_table(ablation, places)],
        ablation.fragility.notes,
        str(ablation.signature),
        signs=[directions([ablation.measure.better]), *map(str, _list_legend(ablation.fragility))],
        verdict=_write_first(ablation),
        above=list_result_notes(ablation.result),
    )


def _make_table(ablation: FlipAblation, places: int) -> ReportTable:
    """Lay out each run with the one below it; of few runs, all pairs."""
    unit, _ = UNITS[ablation.fragility.factor]
    pairs = ablation.fragility.adjacent
    short = dict(zip(ablation.runs, shorten_names(ablation.runs), strict=True))
    keys = [
        Column("above", [short[pair.above] for pair in pairs], words=True, runs=True),
        Column("below", [short[pair.below] for pair in pairs], words=True, runs=True),
    ]
    if any(pair.by == "size" for pair in pairs):
        keys.append(Column("by", [pair.by for pair in pairs], words=True))
    p = [mark_doubt(write_p(pair.p, places), doubtful=pair.doubtful) for pair in pairs]
    values = [
        Column("difference", [write_difference(pair.difference, places) for pair in pairs]),
        Column("p", p),
        Column(f"{unit}s that turn it", [_write_flips(pair) for pair in pairs], words=True),
    ]
    chances = [pair.by_chance if pair.by_chance_exact is None else pair.by_chance_exact for pair in pairs]
    if any(chance is not None for chance in chances):
        cells = ["-" if chance is None else write_p(chance, places) for chance in chances]
        values.append(Column(f"{WRONG:.0%} wrong", cells))
    values += [
        Column(f"{unit}s that lose the verdict", [_write_verdict(pair) for pair in pairs], words=True),
        Column("first of them", [_write_documents(pair) for pair in pairs], words=True),
    ]
    return ReportTable(f"{heading(ablation.measure)}, {unit}s flipped", keys, values, least=("first of them",))


def _write_flips(pair: PairFlips) -> str:
    """Write how many flips turn the order, and their share.

    It says at most if fewer may do it.
    """
    if pair.exact is None:
        return TIED if pair.is_tied else "-"
    if pair.flips is None or pair.share is None:
        return f"none of {pair.looked_at}" if pair.exact else NONE_FOUND
    return f"{_write_count(pair.flips, pair.exact)} of {pair.looked_at} ({write_share(pair.share)})"


def _write_count(flips: int, exact: bool | None) -> str:
    return f"{flips}" if exact else f"at most {flips}"


def _write_verdict(pair: PairFlips) -> str:
    if not pair.is_decided or pair.exact is None:
        return "-"
    return NONE_FOUND if pair.verdict is None else _write_count(pair.verdict, exact=False)


def _write_documents(pair: PairFlips) -> str:
    """Name the first of the documents that turn the order."""
    named = [
        f"{':'.join(filter(None, (document['qid'], document['docno'])))} {document['from']} to {document['to']}"
        for document in pair.documents
    ]
    return ", ".join([*named[:SHOWN], *["..."] * (len(named) > SHOWN)]) or "-"


def _list_legend(fragility: Fragility) -> Iterator[Note]:
    """Explain the table."""
    unit, looked_at = UNITS[fragility.factor]
    pairs = fragility.adjacent
    yield CHOSEN.note(units=f"{unit}s", looked_at=looked_at)
    if any(pair.by_chance is not None for pair in pairs):
        yield CHANCE.note(wrong=WRONG, unit=unit, computed=_explain_chance(unit, pairs))
    if any(pair.flips is not None and not pair.exact for pair in pairs):
        yield AT_MOST.note(unit=unit)
    if any(pair.by == "size" for pair in pairs):
        yield BY_SIZE.note()
    if any(pair.is_decided for pair in pairs):
        yield DECIDED.note()
    if any(pair.doubtful for pair in pairs):
        yield DOUBTFUL.note(rule=explain_doubt("differences"))


def _explain_chance(unit: str, pairs: Sequence[PairFlips]) -> str:
    """Say which probabilities are approximate, if any is; exact ones need no words."""
    are_exact = {pair.by_chance_exact is not None for pair in pairs if pair.by_chance is not None}
    if are_exact == {True}:
        return ""
    return ", by the normal distribution" + f" if many {unit}s count" * (True in are_exact)


def _write_first(ablation: FlipAblation) -> Note:
    """Say which run is nearest to the first place, and how few flips it takes."""
    fragility, first = ablation.fragility, ablation.first
    short = dict(zip(ablation.runs, shorten_names(ablation.runs), strict=True))
    unit, _ = UNITS[fragility.factor]
    by = " by the mean" if any(pair.by == "size" for pair in fragility.pairs) else ""
    if first.tied:
        return TIED_FIRST.note(ordered_by=by, tied=list_runs([short[run] for run in (first.run, *first.tied)]))
    if first.rival is None or first.flips is None:
        return SAFE_FIRST.note(ordered_by=by, units=f"{unit}s", run=short[first.run])
    units = unit + "s" * (first.flips > 1)
    many = _write_count(first.flips, first.exact)
    put = "put" + "s" * (first.flips == 1)
    return FIRST.note(ordered_by=by, put=put, flips=many, units=units, rival=short[first.rival], run=short[first.run])


def rows(ablation: FlipAblation, *, places: int | None) -> Iterator[Row]:
    """Give a row for each pair of runs."""
    yield ["factor", "above", "below", "by", *NUMBERS, "documents"]
    for pair in ablation.flips:
        numbers = (getattr(pair, name) for name in NUMBERS)
        written = [cell(number, places) if isinstance(number, float) else number for number in numbers]
        named = ((*filter(None, (document["qid"], document["docno"])), document["to"]) for document in pair.documents)
        documents = " ".join(f"{':'.join(map(str, place))}={label}" for *place, label in named)
        yield [pair.factor, pair.above, pair.below, pair.by, *written, documents]


def records(ablation: FlipAblation) -> list[dict[str, Any]]:
    """Give an object for each pair of runs."""
    return [{**asdict(pair), "documents": [*map(dict, pair.documents)]} for pair in ablation.flips]


def record(ablation: FlipAblation) -> dict[str, Any]:
    """Give one object, which also says where the values come from."""
    return {
        **head(ablation.result, ablation.signature, list_notes(ablation)),
        "measure": str(ablation.measure),
        "runs": record_runs(ablation, ablation.base),
        "flips": records(ablation),
        "first": asdict(ablation.first),
    }

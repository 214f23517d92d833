"""What is chosen between utility and fairness: a row for each beta, and what the choices rest on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from fairtrec.commands.compare.paper import explain_signs, is_marked, mark
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.evaluation.slices import keep_queries
from fairtrec.lab.select.folds import SelectedVariants, Selection
from fairtrec.report.cells import sizes
from fairtrec.report.document import Column, Document, ReportTable, RunCell, directions, heading
from fairtrec.report.records import Row, head, list_runs
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.row_answers import TESTS
from fairtrec.report.run_names import map_names, shorten_names
from fairtrec.statistics.doubt import explain_doubt
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_queries

KEYS = ("beta",)
MOST = 10  # queries that are named
FAMILY = NoteKind("compared choices", "{family}{alike}")
UNSETTLED = NoteKind(
    "unsettled choice",
    "no single choice, because it depends on the fold: in {folds} folds, {choices}",
    NoteSeverity.MISLEADING,
)
HELD_OUT = NoteKind(
    "held-out queries", "{variants} variants, {queries}, {sizes} ({how}); min-max over the training queries"
)
NO_FOLDS = NoteKind("no folds", "{variants} variants, {queries}, no folds; min-max over all queries")
TOO_GOOD = NoteKind(
    "too good",
    "the means are too optimistic, because they are over the queries of the choice; --folds 5 avoids that",
    NoteSeverity.MISLEADING,
)
LEFT_OUT = NoteKind(
    "queries without both values",
    "{left_out} {are} left out, because not every variant has both values: {queries}",
    NoteSeverity.MISLEADING,
)
BY_SIZE = NoteKind("chosen by size", "chosen by the mean of absolute values, |x|, since nearer 0 is better")
REQUIREMENTS = NoteKind("requirements", "{asked} (training means): {met}")
WORST = NoteKind(
    "worst variants",
    "F is 0 for every beta between 0 and inf if a variant is the worst in one measure: {worst}",
)
SWAYED = NoteKind("swayed choice", "min-max depends on the runs: without {variant}, {would}")
FEWER = NoteKind("choices over fewer queries", "beta {beta:g}: {defined} of the {queries} queries")


def rows(selection: Selection, *, places: int | None) -> Iterator[Row]:
    """Give a row for each beta: what is chosen, the means, and beside each its verdict where there is a baseline."""
    measures = [str(measure) for measure in selection.rows[0].scores.measures]
    compared = selection.comparisons is not None
    beside = ("verdict", "doubtful") if compared else ()
    yield ["beta", "chosen", *(name for each in measures for name in [each, *(f"{each} {what}" for what in beside)])]
    for row in selection.rows:
        values = row.means if places is None else dict(zip(measures, row.scores.spell(None, places), strict=True))
        tests = selection.tests(row).items()
        verdicts: dict[str, list[str | bool]] = {name: [test.verdict, test.doubtful] for name, test in tests}
        beta = row.beta if places is None else f"{row.beta:g}"
        chosen = "; ".join(_counted(row, selection))
        yield [beta, chosen, *(cell for name in measures for cell in [values[name], *verdicts.get(name, [])])]


def record(selection: Selection) -> dict[str, Any]:
    """Give one object, which also says where the rows come from and how the choices were made."""
    folds, variants, view = selection.folds, selection.variants, selection.comparisons
    of_fold = {
        name: [qid for qid, at in zip(variants.qids, folds.of.tolist(), strict=True) if at == place]
        for place, name in enumerate(folds.names)
    }
    made = {
        **head(selection.result, selection.signature, [judge(selection), *list_notes(selection)]),
        **dict(zip(("utility", "fairness"), map(str, variants.axes), strict=True)),
        "require": list(map(str, selection.requirements)),
        "runs": list_runs(selection.result),
        "folds": of_fold,
        "left_out": list(variants.left_out),
    }
    if view is not None:
        made |= {"baseline": view.result.scores[0].run, "procedure": asdict(view.procedure), "family": view.family}
    return {**made, "rows": records(selection)}


def records(selection: Selection) -> list[dict[str, Any]]:
    """Give an object for each beta, in full precision: what is chosen in each fold, and the means."""
    found = []
    for row in selection.rows:
        record: dict[str, Any] = {"beta": row.beta, "chosen": dict(row.chosen), "means": row.means}
        if tests := selection.tests(row):
            left = ("slice", "run", "measure", "worst_slice")
            record["tests"] = {
                measure: {name: value for name, value in cells_of.items() if name not in left}
                for measure, cells_of in zip(tests, map(asdict, tests.values()), strict=True)
            }
        found.append(record)
    return found


def judge(selection: Selection) -> Note:
    """Judge whether the data settle the choice, or the scale forces it."""
    folds = selection.folds
    several = ", ".join(f"{row.beta:g}" for row in selection.rows if len(row.counts) > 1)
    between = ", ".join(f"{beta:g}" for beta in _list_between(selection))
    alone, none = selection.choice.count_forced() if between else (0, 0)
    return VERDICT.note(
        queries=len(selection.variants.qids),
        folds=len(folds.names) if folds.is_held_out else 0,
        unsettled=several,
        forced=between if alone or none else "",
        forced_by_others=alone,
        forced_by_names=none,
    )


def _write_verdict(
    queries: int, folds: int, unsettled: str, forced: str, forced_by_others: int, forced_by_names: int
) -> str:
    """Write whether the folds agree on the choice, and why it is forced if it is."""
    head = write_queries([queries]) + (f" in {folds} folds" if folds else ", no folds")
    by = {
        "every other run is the worst in one measure, so F is 0": forced_by_others,
        "every run is the worst in one measure, so F is 0 and the first by name is chosen": forced_by_names,
    }
    said = [
        f"forced for beta {forced}{f' in {many} of {folds} folds' if many < folds else ''}: {why}"
        for why, many in by.items()
        if many
    ]
    if not folds:
        head += ": the means are over the queries of the choice, so they are too good"
    elif unsettled:
        head += f": the choice is not reliable, as folds disagree for beta {unsettled}"
    elif forced_by_others + forced_by_names < folds:
        head += ": all folds make the same choice"
    return "; ".join([f"verdict: {head}", *said])


VERDICT = NoteKind("verdict of a choice", _write_verdict, NoteSeverity.VERDICT)


def list_notes(selection: Selection) -> list[Note]:
    """List the notes on the numbers."""
    view, compared = selection.comparisons, list[Note]()
    if view is not None:
        alike = "; rows that choose the same are one run" * (len(view.result.scores) <= len(selection.rows))
        compared = [FAMILY.note(family=view.family, alike=alike), *view.notes]
    chosen_by = tuple(keep_queries(scores, selection.variants.qids) for scores in selection.result.scores)
    result = replace(selection.result, scores=chosen_by)
    return [*_unsettled(selection), *_of_choice(selection), *compared, *list_result_notes(result)]


def tables(selection: Selection, *, places: int) -> Document:
    """Lay out the table: a line for each run that a beta chooses, the first of which has the means."""
    measures = selection.rows[0].scores.measures
    several = _table_rows(selection)
    means, beside = [row.scores.spell(None, places) for row in several], [sizes(row.scores, places) for row in several]

    def column(of_rows: Iterable[str]) -> list[str]:
        """Put each cell on the first of the lines of its row."""
        blank = ([""] * (len(row.chosen) - 1) for row in several)
        return [cell for first, rest in zip(of_rows, blank, strict=True) for cell in (first, *rest)]

    values = [
        Column(
            heading(measure),
            column(cell[at] + row.marks[at] for cell, row in zip(means, several, strict=True)),
            beside=column(cell[at] for cell in beside) if any(cell[at] for cell in beside) else (),
        )
        for at, measure in enumerate(measures)
    ]
    every = [each for row in several for each in row.chosen]
    keys = [Column("beta", column(row.beta for row in several), words=True)]
    keys.append(Column("chosen", [run for run, _ in every], words=True, runs=True))
    keys += [Column("folds", [many for _, many in every])] * selection.folds.is_held_out
    signs = [directions(each.better for each in measures), *_signs(selection)]
    table, notes = ReportTable("", keys, values), list_notes(selection)
    return Document([table], notes, str(selection.signature), signs=signs, verdict=judge(selection))


class _TableRow(NamedTuple):
    """What a table has of a beta, or of the baseline: the runs that are ``chosen``, each with how many folds."""

    beta: str
    chosen: Sequence[tuple[RunCell, str]]
    scores: Scores
    marks: Sequence[str]


def _table_rows(selection: Selection) -> list[_TableRow]:
    """Give the rows of the table: that of the baseline, if there is one, and of each beta."""
    view, names, measures = selection.comparisons, _names(selection), selection.rows[0].scores.measures
    found = []
    if view is not None:
        base = view.result.scores[0]
        cell = RunCell("", shorten_names([base.run])[0], " (baseline)")
        found.append(_TableRow("-", [(cell, "")], base, [""] * len(measures)))
    for row in selection.rows:
        tests = selection.tests(row)
        marks = [mark(tests[str(measure)]) if tests else "" for measure in measures]
        chosen = [(RunCell("", names[run]), str(many)) for run, many in row.counts.items()]
        found.append(_TableRow(f"{row.beta:g}", chosen, row.scores, marks))
    return found


def _signs(selection: Selection) -> Iterator[str]:
    """Say what the signs of a baseline's tests mean, and by which test; nothing if there is no baseline."""
    if (view := selection.comparisons) is not None:
        few = f"; {explain_doubt('differences')}" if any(map(is_marked, view.rows)) else ""
        how, name = view.procedure, shorten_names([view.result.scores[0].run])[0]
        yield f"{explain_signs(view, 'row')} than {name}: {TESTS[how.test]}, p at most {how.alpha:g}{few}"


def _names(selection: Selection) -> dict[str, str]:
    return map_names(selection.variants.names)


def _counted(row: SelectedVariants, selection: Selection) -> list[str]:
    """Name what is chosen, and in how many folds."""
    return [f"{name} {many}" if selection.folds.is_held_out else name for name, many in row.counts.items()]


def _unsettled(selection: Selection) -> Iterator[Note]:
    """Say which betas choose several variants, so none is the choice."""
    folds = len(selection.folds.names)
    several = [f"beta {row.beta:g} chooses {len(row.counts)} variants" for row in selection.rows if len(row.counts) > 1]
    if selection.folds.is_held_out and several:
        yield UNSETTLED.note(folds=folds, choices=", ".join(several))


def _of_choice(selection: Selection) -> Iterator[Note]:
    variants, folds, many = selection.variants, selection.folds, len(selection.variants.qids)
    queries = write_queries([many])
    if folds.is_held_out:
        yield HELD_OUT.note(variants=len(variants.names), queries=queries, sizes=folds.sizes, how=folds.how)
    else:
        yield NO_FOLDS.note(variants=len(variants.names), queries=queries)
        yield TOO_GOOD.note()
    if out := variants.left_out:
        named = ", ".join(out[:MOST]) + (", ..." if len(out) > MOST else "")
        what = "query is" if len(out) == 1 else "queries are"
        yield LEFT_OUT.note(left_out=len(out), are=what, queries=named)
    for axis in variants.axes:
        if axis.better == "nearer 0":
            yield BY_SIZE.note(measure=axis)
    for row in selection.rows:
        defined = zip(row.scores.measures, row.scores.defined.tolist(), strict=True)
        if few := [f"{measure} for {some}" for measure, some in defined if some < many]:
            yield FEWER.note(beta=row.beta, defined=", ".join(few), queries=many)
    yield from _restricted(selection)
    yield from _of_pool(selection)


def _restricted(selection: Selection) -> Iterator[Note]:
    """Say in how many folds requirements keep a variant from being chosen."""
    if selection.requirements:
        shown, many = _names(selection), (~selection.choice.allowed).sum(axis=0).tolist()
        kept = [f"{shown[name]}{_times(each, selection)}" for name, each in zip(shown, many, strict=True) if each]
        asked = " and ".join(map(str, selection.requirements))
        met = f"not met by {', '.join(kept)}" if kept else "met by every variant"
        yield REQUIREMENTS.note(asked=asked, met=met)


def _of_pool(selection: Selection) -> Iterator[Note]:
    """Say which variants are worst on an axis, and which choices rest on a variant that is not chosen."""
    shown, choice = list(_names(selection).values()), selection.choice
    between = _list_between(selection)
    worst = [
        f"{shown[at]} (least {axis}{_times(many, selection)})" for at, many, axis in choice.find_worst() if between
    ]
    if worst:
        yield WORST.note(worst=", ".join(worst))
    for at, beta, fold, now, then in choice.find_swayed(between):
        where = f" in fold {selection.folds.names[fold]}" if selection.folds.is_held_out else ""
        would = f"beta {beta:g} would choose {shown[then]}, not {shown[now]}{where}"
        yield SWAYED.note(variant=shown[at], would=would)


def _list_between(selection: Selection) -> list[float]:
    """List the betas that weigh both measures."""
    return [row.beta for row in selection.rows if 0 < row.beta < float("inf")]


def _times(many: int, selection: Selection) -> str:
    """Say in how many folds, where these are not all."""
    return "" if many == len(selection.folds.names) else f" in {many} of {len(selection.folds.names)} folds"

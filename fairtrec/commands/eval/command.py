"""``fairtrec eval``: evaluate runs."""

import os
from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.cli.runs import name_runs, note_plain_build
from fairtrec.commands.eval import SPREADS
from fairtrec.evaluation.inputs.options import CHOICES, NOT_OF_SPREAD, VIEWS, refuse_for
from fairtrec.formats.column_roles import parse_columns
from fairtrec.report.writers import RESULTS, refuse_view
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files.atomic import make_output_folder, refuse_full_folder, refuse_place

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.evaluation.answers.result import Result
    from fairtrec.evaluation.slices import Slices

ENDINGS = {"table": "txt", "latex": "tex"}  # of the files of --spread in other formats than their names say


@click.command(name="eval", cls=Titled, epilog=options.EXITS)
@options.Shared(evaluates="eval")
@options.gold
@options.cluster
@options.keep_going
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    callback=options.take_ending,
    metavar="FILE|FOLDER",
    help="Write to FILE, in the format of its ending; with --spread, FOLDER/ gets a file of the spread and one of each "
    "run's own values; if writing fails, nothing changes.",
)
@options.into_folder
@options.Shared(report=RESULTS, auto=True, what=options.AUTO, beside=[options.places, options.verbose])
@options.add_untrusted_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: "Path | None",
    *,
    places: int,
    keep_going: bool,
    force: bool,
    **given: Any,
) -> int:
    """Evaluate each RUN against QRELS and print its measures.

    QRELS is a TREC qrels file, an ir_datasets id, or none. A RUN is a TREC run file, NAME=FILE to call it by a name,
    a folder of them, a pattern like 'deep/**/*.run', @FILE that lists any of these, or - for standard input. Files may
    be compressed with gzip, bzip2, xz, Zstandard or LZ4.

    \b
    fairtrec eval qrels.txt bm25.run neural.run -m 'nDCG@10 NFaiRR@10 TExFAIR@10' --terms gender-en \\
        --docs collection.tsv --background background.run
    """
    from fairtrec.evaluation.jobs import processes

    view = {name: given.pop(name) for name in VIEWS if name in given}
    slices, sort, spread = view["slices"], view["sort"], view["spread"]
    form = printing.settle_form(SPREADS if spread else RESULTS, form, output)
    _refuse(form, output, view, given)
    files = name_runs(runs)
    note_plain_build(files.values())
    given["next_label"] = given["bounds"] == "labels" and view["per_query"] and form == "json"
    jobs = processes(list(files.values()), given.pop("jobs"))  # they start while this one imports the rest

    from fairtrec.evaluation.answers import aggregates
    from fairtrec.evaluation.plan import settle
    from fairtrec.evaluation.session import Evaluator

    by = None
    if sort is not None:
        from fairtrec.evaluation.leaderboard import sort_key

        by = sort_key(sort, measures, given["relevance_level"])
    if spread and output is not None and _is_folder(output):
        refuse_full_folder(output, force=force)
    elif force:
        raise UsageError(_explain_force(output, spread=spread))
    elif output is not None:
        printing.refuse_output(output, qrels, slices, *runs, files, *given.values())
    of_queries = _read_slices(slices)
    with printing.show_progress():
        each = list(files.items())
        session = Evaluator(settle(measures or None, {"qrels": qrels, **given}, runs=each))
        aggregates.refuse_without_interval(session.measures, asked=view["confidence"] is not None)
        result = session.evaluate_named(each, jobs, keep_going=keep_going)
    of_queries = _choose_slices(of_queries, result)
    for _, fault in result.failed:
        write_stderr(fault)
    if view["query_texts"] is not None:
        view["query_texts"] = _asked(view["query_texts"], result)
    if result.scores and spread:
        _write_spread(result, form, output, of_queries, places=places, hidden=not view["summary"])
    elif result.scores:
        _write_values(result, form, output, of_queries, {**view, "sort": by}, places=places)
    return InputError.exit_code if result.failed else 0


def _read_slices(file: str | None) -> "Slices | None":
    """Read the slices of a file, if one is given."""
    if file is None:
        return None
    from fairtrec.evaluation.slices import Slices

    return Slices.read(file)


def _choose_slices(given: "Slices | None", result: "Result") -> "Slices | None":
    """Choose the slices that were given, or those of a column of the runs."""
    if not result.slices:
        return given
    from fairtrec.evaluation.slices import take_slices

    return take_slices(given, result)


def _asked(query_texts: str, result: "Result") -> dict[str, str]:
    """Read what the queries of a result ask."""
    from fairtrec.evaluation.inputs import loading

    return loading.query_texts(query_texts, sorted({qid for scores in result.scores for qid in scores.qids}))


def _write_values(
    result: "Result", form: str, output: "Path | None", slices: "Slices | None", view: dict[str, Any], *, places: int
) -> None:
    """Print values and means, with the intervals of means if a confidence is given."""
    result = result if slices is None else slices.add_notes(result)
    if view["confidence"] is not None:
        result = result.with_confidence(view["confidence"], slices, interval=view["interval"] or "t")
    if slices is not None and view["against"] is not None:
        from fairtrec.evaluation.slice_differences import sign_differences

        result = sign_differences(result, slices, view["against"], view["correction"] or "holm")
    shown = {name: view[name] for name in RESULTS.options}
    printing.write(RESULTS, form, result, output, places=places, **{**shown, "slices": slices})


def _is_folder(output: "Path | None") -> bool:
    """Tell whether files for each run are asked for: where there is a folder, or the name was typed with a slash."""
    return output is not None and (output.is_dir() or bool(click.get_current_context().meta.get(options.FOLDER)))


def _explain_force(output: "Path | None", *, spread: bool) -> str:
    """Say what --force is for, and what to type where the folder of --spread was meant."""
    if spread and output is not None:
        what = f"--force is for a folder of --spread, and {output} names a file"
        return f"{what}; write -o {output}/ for a folder, or leave out --force"
    return "--force is for a folder of --spread; add --spread -o FOLDER/, or leave it out"


def _refuse(form: str, output: "Path | None", view: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise UsageError for options that do not fit each other or the format, before any work is done."""
    clusters = "--cluster" if given["cluster"] is not None else "cluster="
    if view["confidence"] is None and (given["cluster"] is not None or "cluster" in parse_columns(given["columns"])):
        raise UsageError(f"{clusters} is about intervals; add --confidence 0.95, or leave it out")
    if view["spread"]:
        if given["gold"] is not None:
            raise UsageError(f"--spread prints {NOT_OF_SPREAD['spread']}; leave out --gold")
        refuse_for("spread", "--spread prints", (*VIEWS.values(), *CHOICES.values()), {**view, **given})
        if form not in SPREADS.forms:
            raise UsageError(f"--spread has no format {form}; choose one of {', '.join(SPREADS.forms)}")
        return
    refuse_view(form, output, **view, **given)
    if view["confidence"] is not None:
        from fairtrec.statistics.procedure import Procedure

        Procedure(confidence=view["confidence"])


def _write_spread(
    result: "Result", form: str, output: "Path | None", slices: "Slices | None", *, places: int, hidden: bool
) -> None:
    """Print the spread, or write it and a file for each run to a folder."""
    from fairtrec.commands.eval.topic_tables import OfOneRun
    from fairtrec.evaluation.leaderboard import spread

    found = spread(result if slices is None else slices.add_notes(result), slices, summary_only=hidden)
    if output is None or not _is_folder(output):
        printing.write(SPREADS, form, found, output, places=places)
        return
    ending = ENDINGS.get(form, form)
    views = [OfOneRun(found, number) for number in range(len(result.scores))]
    names = ["spread", *(view.name.replace(os.sep, "_") for view in views)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two files would be called {twice}.{ending}; call a run by another name, with NAME=FILE")
    for name, view in zip(names[1:], views, strict=True):
        refuse_place(output, f"{name}.{ending}", view.name)
    with make_output_folder(output):
        for name, view in zip(names[1:], views, strict=True):
            printing.write(SPREADS, form, view, output / f"{name}.{ending}", places=places, told=False)
        printing.write(SPREADS, form, found, output / f"spread.{ending}", places=places)

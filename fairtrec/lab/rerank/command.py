"""``fairtrec rerank``: write runs in another order, and tell what that does to measures."""

from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.cli.runs import name_runs
from fairtrec.evaluation.inputs.options import ChoiceKeywords, RerankedKeywords
from fairtrec.lab.rerank import EFFECTS
from fairtrec.report.writers import choose_form
from fairtrec.support.errors import UsageError

NOT_RERANKED = tuple(name for name in ChoiceKeywords.__annotations__ if name not in RerankedKeywords.__annotations__)


@click.command(name="rerank", cls=Titled, epilog=options.EXITS)
@click.option(
    "--by",
    multiple=True,
    required=True,
    metavar="RERANKER",
    help="The reranker, like DetCons@10; may be repeated with -o FOLDER. `fairtrec measures` lists them.",
)
@options.seed
@click.option(
    "--rankings",
    type=int,
    metavar="N",
    help="Write N rankings of each query, numbered in column 2, with a reranker that draws at random.",
)
@click.option("--candidates", type=int, metavar="N", help="Rerank the first N documents of each query.  [default: all]")
@click.option("--cut", is_flag=True, help="Write only the ranks down to the reranker's cutoff.")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURES", help="Print these before and after.")
@options.Shared(evaluates="rerank", without=NOT_RERANKED, measures=())
@options.Shared(report=EFFECTS, what="The format of what -m prints.", beside=[options.places, options.verbose])
@click.option(
    "-o",
    "--output",
    metavar="FILE|FOLDER",
    help="Write the run to FILE, all or nothing, or each to a file of its name in FOLDER.  [default: standard output]",
)
@options.into_folder
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    by: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: str | None,
    *,
    places: int,
    seed: int,
    rankings: int | None,
    candidates: int | None,
    cut: bool,
    jobs: int | None,
    force: bool,
    **given: Any,
) -> None:
    """Write each RUN in the order of a reranker; -m prints measures before and after.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`. Without -o the run goes to standard
    output, and the table of -m to standard error.

    \b
    fairtrec rerank none neural.run --by DetCons@10 -m 'NDKL@10 nDRKL@10' --terms gender-en --docs collection.tsv \\
        --membership majority -o fairer.run
    """
    from pathlib import Path

    from fairtrec.evaluation.inputs.table_roles import take_group
    from fairtrec.formats import run_writer
    from fairtrec.lab.rerank import catalogue as rerankers
    from fairtrec.lab.rerank.effects import Effects, make_place
    from fairtrec.lab.rerank.effects import places as places_of
    from fairtrec.lab.rerank.report import list_notes
    from fairtrec.lab.rerank.rerank import rerank
    from fairtrec.report.output import pour, refuse_unwritable
    from fairtrec.support.files.atomic import refuse_full_folder, write_together

    files = name_runs(runs)
    asked = rerankers.parse(" ".join(by), given["relevance_level"])
    written = places_of(list(files), asked, output)
    if written and written[0] != Path(str(output)):
        refuse_full_folder(written[0].parent, force=force)
    elif force:
        raise UsageError("--force is for a folder of runs; choose one with -o FOLDER/, or leave it out")
    elif written:
        choose_form(written[0], None, ["trec"])
    refuse_unwritable(Path(output) if output is not None else None)
    for place in written:
        printing.refuse_output(place if place.parent.is_dir() else None, qrels, *runs, files, *given.values())
    if not measures:
        options.refuse_typed("is of what -m (--measure) prints, and nothing is asked for", "form", "places")
    if not any(each.is_random for each in asked):
        options.refuse_typed(f"is for chance, and there is none in --by '{' '.join(map(str, asked))}'", "seed")
    chosen: Any = {"seed": seed, "rankings": rankings, "candidates": candidates, "cut": cut}
    with printing.show_progress(plans=1 + sum(each.searches_orders for each in asked) + bool(measures)):
        effects = Effects(measures, {"qrels": qrels, **take_group(list(files.items()), given)}) if measures else None
        reranking = rerank(asked, files, qrels=qrels, jobs=jobs, **chosen, **given)
        effect = effects.compute(reranking) if effects is not None else None
    with write_together():
        for each, place in zip(reranking.runs, written, strict=False):
            with make_place(place, output or ""):
                run_writer.write(each.after, place)
    if output is None:
        pour(run_writer.lines(reranking.runs[0].after))
    if effect is not None:
        printing.write(EFFECTS, form, effect, None, err=output is None, places=places)
    else:
        printing.tell(list_notes(reranking), str(reranking.signature))

"""``fairtrec explain``: which words in which documents at which ranks made a number."""

from typing import TYPE_CHECKING, Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.commands.explain import DIFFERENCES, EXPLANATIONS
from fairtrec.support.files.arguments import add_run, find_run

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="explain", cls=Titled, epilog=options.EXITS)
@click.option(
    "-m", "--measure", required=True, metavar="MEASURE", help="The measure whose value is explained, like NFaiRR@10."
)
@click.option(
    "--query",
    multiple=True,
    metavar="QID",
    help="Explain this query rank by rank; may be repeated.  [default: the mean of all queries]",
)
@click.option(
    "--baseline",
    metavar="RUN",
    help="Explain why each RUN has another value than this one: a file, or the name of a RUN.",
)
@click.option(
    "--exchanges",
    type=click.IntRange(1),
    default=100,
    metavar="N",
    help="Look for the best exchange of two documents among the first N ranks.",
)
@click.option(
    "--what-if",
    multiple=True,
    metavar="TERM",
    help="Print what the value would be without TERM in the word list; may be repeated.",
)
@options.Shared(evaluates="explain", without=("only",), measures=(), report=EXPLANATIONS)
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measure: str,
    form: str,
    output: "Path | None",
    *,
    places: int,
    **given: Any,
) -> None:
    """Show which words in which documents at which ranks made the value of a measure for each RUN.

    QRELS, RUN and the options that commands share are as for `fairtrec eval`.

    \b
    fairtrec explain qrels.txt neural.run -m NFaiRR@10 --query 101 --terms gender-en --docs collection.tsv \\
        --background background.run

    \b
    fairtrec explain qrels.txt neural.run bm25.run --baseline bm25.run -m NFaiRR@10 --terms gender-en \\
        --docs collection.tsv --background background.run
    """
    from fairtrec.evaluation.jobs import processes

    if not given["query"]:
        options.refuse_typed("applies to single queries; choose them with --query", "exchanges", "query_texts")
    is_compared = given["baseline"] is not None
    if is_compared:
        options.refuse_typed("is for one run, and --baseline compares two", "exchanges")
    files = printing.name_run_files(runs, [output], qrels, *given.values())
    if is_compared:
        given["baseline"], files = add_run(files, given["baseline"])
        find_run(list(files), given["baseline"])
    given["jobs"] = processes(list(files.values()), given["jobs"])  # they start while this one imports the rest

    from fairtrec.commands.explain.explain import explain

    with printing.show_progress():
        explanation = explain(measure, files, qrels=qrels, **given)
    printing.write(DIFFERENCES if is_compared else EXPLANATIONS, form, explanation, output, places=places)

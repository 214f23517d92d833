"""``fairtrec eval``: evaluate runs."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options


@click.command(name="eval", epilog=options.EXITS)
@options.evaluated
@options.per_query
@click.option("-n", "--no-summary", is_flag=True, help="Print no means.")
@options.sort
@click.option("--ties", is_flag=True, help="Add the least, greatest and expected value over orders of tied documents.")
@click.option("--baseline", metavar="RUN", help="Compare with this run, as `fairtrec compare` does by default.")
@click.option("--keep-going", is_flag=True, help="Report runs that are broken, score the others, and exit with 3.")
@options.reported()
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    per_query: bool,
    no_summary: bool,
    sort: str | None,
    baseline: str | None,
    keep_going: bool,
    **given: Any,
) -> int:
    """Evaluate each RUN against QRELS and print its measures.

    QRELS is a TREC qrels file, an ir_datasets id, or none. A RUN is a TREC run file, a folder of them, a pattern
    like 'deep/**/*.run', @FILE that lists any of these, or - for standard input. Files may be compressed with gzip,
    bzip2 or Zstandard.

    \b
    fairtrec eval qrels.txt bm25.run bert.run --groups gender-en --docs docs.tsv \\
        --background bm25.run -m 'nDCG@10 NFaiRR@10 TExFAIR@10'
    """
    from fairtrec.batch import lists, paths, processes
    from fairtrec.errors import InputError, UsageError, plain

    if no_summary and not per_query:
        raise UsageError("-n leaves out the means, so nothing is left to print; add -q")
    if baseline is not None:
        from fairtrec.cli import compare

        if per_query or sort is not None or given["ties"] or form not in compare.FORMATS:
            formats = ", ".join(compare.FORMATS)
            raise UsageError(
                f"--baseline compares means; leave out -q, -n, --sort and --ties, and choose -f from {formats}"
            )
        asked = {"measures": measures, "baseline": baseline, "keep_going": keep_going, **given}
        view = {"form": form, "output": output, "places": places}
        code: int = click.get_current_context().invoke(compare.command, qrels=qrels, runs=runs, **asked, **view)
        return code
    named = paths(runs)
    given["jobs"] = processes(named, given["jobs"])  # they start while this one imports the rest

    from fairtrec import report
    from fairtrec.api import evaluate
    from fairtrec.cli.bar import progress

    report.refuse_view(form, output, summary=not no_summary)
    by = None
    if sort is not None:
        from fairtrec.leaderboard import sort_key

        by = sort_key(sort, measures, given["relevance_level"])
    options.refuse_output(output, qrels, *named, *lists(runs), *given.values())
    with progress():
        result = evaluate(measures or None, named, qrels, keep_going=keep_going, **given)
    for _, fault in result.failed:
        click.echo(plain(fault), err=True)
    if result.scores:
        options.write(result, form, output, per_query=per_query, summary=not no_summary, places=places, sort=by)
    return InputError.exit_code if result.failed else 0

"""``fairtrec eval``: evaluate runs."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options


@click.command(name="eval", epilog=options.EXITS)
@options.evaluated
@options.per_query
@click.option("-n", "--no-summary", is_flag=True, help="Print no means.")
@options.reported()
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    per_query: bool,
    no_summary: bool,
    **given: Any,
) -> None:
    """Evaluate each RUN against QRELS and print its measures.

    QRELS is a TREC qrels file, an ir_datasets id, or none. A RUN is a TREC run file, or - for standard input.
    Files may be compressed with gzip, bzip2 or Zstandard.

    \b
    fairtrec eval qrels.txt bm25.run bert.run --groups gender-en --docs docs.tsv \\
        --background bm25.run -m 'nDCG@10 NFaiRR@10 TExFAIR@10'
    """
    from fairtrec.api import evaluate
    from fairtrec.cli.bar import progress
    from fairtrec.errors import UsageError

    if no_summary and not per_query:
        raise UsageError("-n leaves out the means, so nothing is left to print; add -q")
    options.refuse_output(output, qrels, *runs, *given.values())
    with progress():
        result = evaluate(measures or None, list(runs), None if qrels == "none" else qrels, **given)
    options.write(result, form, output, per_query=per_query, summary=not no_summary, places=places)

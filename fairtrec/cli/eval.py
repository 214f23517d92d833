"""``fairtrec eval``: evaluate runs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

FORMATS = ["auto", "trec", "table", "tsv", "csv", "json", "jsonl", "md", "latex"]


@click.command(name="eval", epilog="Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 a resource is missing.")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURES",
    help="Like 'nDCG@10 NFaiRR(tau=0)@20', see `fairtrec measures`; may be repeated.  [default: what the inputs allow]",
)
@click.option("--groups", metavar="NAME|FILE", help="Group terms: a word list by name, or a file of term,group lines.")
@click.option("--docs", metavar="FILE|ID", help="The texts: TSV or JSON lines, or an ir_datasets id.")
@click.option(
    "--annotations",
    metavar="FILE",
    help="Counts instead of texts, as `fairtrec annotate` makes them; or TSV: docno tokens GROUP...",
)
@click.option("--labels", metavar="FILE", help="Groups instead of words: TSV of docno group [weight]; or qrels; A*B.")
@click.option(
    "--as",
    "rule",
    type=click.Choice(["share", "majority", "any"]),
    default="share",
    show_default=True,
    help="How group terms make a document belong to groups.",
)
@click.option("--positions", metavar="FILE", help="Where documents stand: TSV of docno x [y ...] (DUO).")
@click.option("--queries", metavar="NAME|FILE", help="Only these queries: a query set by name, or a file of query ids.")
@click.option("--background", metavar="RUN|collection", help="The documents that define each query's ideal (NFaiRR).")
@click.option("--background-depth", type=int, default=200, show_default=True, metavar="N", help="How many of them.")
@click.option(
    "--target",
    default="even",
    show_default=True,
    metavar="SHARES",
    help="The share each group should have: even, background, collection, qrels, relevance, a file, or f=0.4,m=0.6.",
)
@click.option(
    "--tokenizer", type=click.Choice(["strip", "space", "word"]), help="How texts are split.  [default: strip]"
)
@click.option("--case-sensitive", is_flag=True, default=None, help="Tell Hunter from hunter.")
@click.option(
    "--missing",
    type=click.Choice(["error", "neutral", "skip", "worst"]),
    default="error",
    show_default=True,
    help="What a document without text or counts is worth.",
)
@click.option("-q", "--per-query", is_flag=True, help="Print the value of each query too.")
@click.option("-n", "--no-summary", is_flag=True, help="Print no means.")
@click.option("-c", "--complete", is_flag=True, help="Count queries that a run lacks as empty rankings.")
@click.option("--samples", is_flag=True, help="Column 2 of a run tells several rankings of a query apart.")
@click.option(
    "-l",
    "--level",
    "relevance_level",
    type=int,
    metavar="N",
    help="The grade from which a document is relevant.  [default: 1]",
)
@click.option("-M", "--depth", type=int, metavar="N", help="Cut rankings after rank N.")
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "file"]),
    default="score",
    show_default=True,
    help="What ranks a run: column 5, column 4, or the order of its lines.",
)
@click.option(
    "--score-dtype",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="float32 compares scores as old trec_eval did.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="auto",
    show_default=True,
    help="auto: a table on a terminal, else as trec_eval prints.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE, all or nothing.",
)
@click.option(
    "--places", type=click.IntRange(0, 17), default=4, show_default=True, metavar="N", help="Digits behind the point."
)
def command(**options: Any) -> None:
    """Evaluate each RUN against QRELS and print its measures.

    QRELS is a TREC qrels file, an ir_datasets id, or none. A RUN is a TREC run file, or - for standard input.
    Files may be compressed with gzip, bzip2 or Zstandard.

    \b
    fairtrec eval qrels.txt bm25.run bert.run --groups gender-en --docs docs.tsv \\
        --background bm25.run -m 'nDCG@10 NFaiRR@10 TExFAIR@10'
    """
    from fairtrec import report
    from fairtrec.api import evaluate
    from fairtrec.errors import UsageError

    view = {name: options.pop(name) for name in ("form", "output", "places", "per_query", "no_summary")}
    if view["no_summary"] and not view["per_query"]:
        raise UsageError("-n leaves out the means, so nothing is left to print; add -q")
    report.refuse_unwritable(view["output"])
    runs, measures = options.pop("runs"), options.pop("measures")
    qrels = None if options["qrels"] == "none" else options["qrels"]
    del options["qrels"]
    report.refuse_input(
        view["output"], [*runs, *(value for value in (qrels, *options.values()) if isinstance(value, str))]
    )
    with _progress():
        result = evaluate(measures or None, list(runs), qrels, **options)
    form = view["form"]
    terminal = view["output"] is None and sys.stdout.isatty()
    if form == "auto":
        form = "table" if terminal else "trec"
    written = report.render(
        result,
        form,
        per_query=view["per_query"],
        summary=not view["no_summary"],
        places=view["places"],
        terminal=terminal,
    )
    report.emit(written, view["output"])
    for line in report.remarks(result, form):
        click.echo(f"# {line}", err=True)


@contextmanager
def _progress() -> Iterator[None]:
    """Show a bar on standard error while files are read, if that takes more than a second and somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    import time

    from fairtrec.progress import reported_to

    began = time.monotonic()
    shown: dict[str, Any] = {}

    def listen(what: str, done: int, total: int) -> None:
        if not shown:
            if time.monotonic() - began < 1 or not total:
                return
            from rich.console import Console
            from rich.progress import Progress

            shown["bar"] = Progress(console=Console(stderr=True), transient=True)
            shown["bar"].start()
        from rich.markup import escape

        bar, tasks = shown["bar"], shown.setdefault("tasks", {})
        if what not in tasks:
            tasks[what] = bar.add_task(escape(f"reading {Path(what).name}"), total=total or None)
        bar.update(tasks[what], completed=done)

    try:
        with reported_to(listen):
            yield
    finally:
        if shown:
            shown["bar"].stop()

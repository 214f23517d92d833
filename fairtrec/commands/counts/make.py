"""``fairtrec counts make``: the group terms of a whole collection, counted once."""

import time
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.support.jobs import choose_jobs, prestart
from fairtrec.support.literals import Engine, Tokenizer

ODD = options.Shared(
    (  # what is done with documents that are not as they should be
        click.option("--keep-going", is_flag=True, help="Write unreadable lines to FILE.rejected.jsonl and continue."),
        click.option(
            "--max-doc-bytes",
            type=click.IntRange(1, 1 << 30),
            default=1 << 26,
            metavar="N",
            help="Refuse longer documents.",
        ),
    )
)


@click.command(name="make", cls=Titled, epilog=options.EXITS)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--terms", required=True, metavar="NAME|FILE", help="Group terms: a word list by name, or a file.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=options.FILE,
    help="The table of counts: .arrow (for `eval --counts`), .parquet or .tsv.",
)
@options.word("--tokenizer", of=Tokenizer, help="How texts are split.")
@click.option("--case-sensitive", is_flag=True, help="Match case, so that Hunter is not hunter.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Jobs at a time.  [default: all cores; 1 for small files]"
)
@click.option("--resume", is_flag=True, help="Continue where the same command was interrupted.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists; drop what an interrupted run left.")
@ODD
@options.word("--engine", of=Engine, help="What counts: this machine, or Spark.")
@click.option("--master", metavar="URL", help="Where Spark runs, like spark://host:7077.  [default: this machine]")
def command(**options: Any) -> None:
    """Count tokens and group terms of every document of SOURCE, and write a table of counts.

    A SOURCE is a file of docno<TAB>text lines or JSON lines, which may be compressed, or an ir_datasets id.

    \b
    fairtrec counts make collection.tsv --terms gender-en -o counts.tsv
    """
    from fairtrec.counting import READY, two_threads

    jobs = choose_jobs(options["jobs"], options["sources"])
    if options["engine"] == "local" and jobs > 1 and not two_threads(jobs):
        prestart([READY])

    from fairtrec.commands.counts.collection import make_counts

    output, began = options["output"], time.monotonic()
    try:
        with printing.show_collection_progress(on_this_machine=options["engine"] == "local") as watcher:
            done = make_counts(watcher=watcher, **options)
    except (KeyboardInterrupt, OSError):
        parts = output.with_name(output.name + ".parts")
        if options["engine"] == "local" and parts.exists():
            again = "the same command with --resume goes on, with --force begins anew"
            write_stderr(f"# what was counted stays in {parts}; {again}")
        raise
    seconds = time.monotonic() - began
    text = f"{done.meta.rows:,} documents, {done.bytes / 1e6:,.1f} MB of text in {seconds:.1f} s"
    if done.resumed:
        text += f" ({done.resumed:,} documents were counted before)"
    else:
        text += printing.speed(done.bytes, seconds)
    text += f"; counter: {done.counter}, jobs: {done.jobs}"
    if done.rejected:
        text += f"; {done.rejected:,} lines passed over, see {output}.rejected.jsonl"
    write_stderr(f"# {text}")

"""``fairtrec annotate`` and ``counterfactual``: the group terms of a whole collection, counted or replaced, once."""

import time
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, say
from fairtrec.cli.runs import name_runs
from fairtrec.errors import InputError
from fairtrec.files import opening
from fairtrec.jobs import cores, prestart
from fairtrec.literals import Engine, Pronouns, Tokenizer

ODD = options.Shared(
    (  # what is done with documents that are not as they should be
        click.option("--keep-going", is_flag=True, help="Write what is wrong to FILE.rejected.jsonl and go on."),
        click.option(
            "--max-doc-bytes",
            type=click.IntRange(1, 1 << 30),
            default=1 << 26,
            metavar="N",
            help="Refuse longer documents.",
        ),
    )
)


@click.command(name="annotate", cls=Titled, epilog=options.EXITS)
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
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Jobs at a time.  [default: all cores]")
@click.option("--resume", is_flag=True, help="Continue where the same command was interrupted.")
@click.option("--force", is_flag=True, help="Overwrite FILE; drop what an interrupted run left.")
@ODD
@options.word("--engine", of=Engine, help="What counts: this machine, or Spark.")
@click.option("--master", metavar="URL", help="Where Spark runs, like spark://host:7077.  [default: this machine]")
def command(**options: Any) -> None:
    """Count tokens and group terms of every document of SOURCE, and write a table of counts.

    A SOURCE is a file of docno<TAB>text lines or JSON lines, which may be compressed, or an ir_datasets id.

    \b
    fairtrec annotate collection.tsv --terms gender-en -o counts.tsv
    """
    from fairtrec.annotation import READY, two_threads

    jobs = options["jobs"] or cores()
    if options["engine"] == "local" and jobs > 1 and not two_threads(jobs):
        prestart([READY])

    from fairtrec.evaluation.corpus import annotate

    output, began = options["output"], time.monotonic()
    try:
        with printing.collecting(on_this_machine=options["engine"] == "local") as watcher:
            done = annotate(watcher=watcher, **options)
    except (KeyboardInterrupt, OSError):
        parts = output.with_name(output.name + ".parts")
        if options["engine"] == "local" and parts.exists():
            again = "the same command with --resume goes on, with --force begins anew"
            say(f"# what was counted stays in {parts}; {again}")
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
    say(f"# {text}")


@click.command(name="counterfactual", cls=Titled, epilog=options.EXITS)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--pairs", required=True, metavar="NAME|FILE", help="Pairs of words: a list by name, or a file of she,he."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=options.PLACE,
    metavar="FILE",
    help="The new collection: .tsv or .jsonl, and perhaps .gz, .bz2 or .zst behind that.",
)
@click.option("--runs", multiple=True, metavar="RUN", help="Only documents that this run ranks; may be repeated.")
@click.option("-M", "--depth", type=click.IntRange(1), metavar="N", help="Cut these runs after rank N.")
@click.option("--ignore-case", is_flag=True, help="Names match in lower case, too, as in lower-cased collections.")
@options.word(
    "--pronouns",
    of=Pronouns,
    optional=True,
    help="rule: her is him or his by the words around; first: as the list has it.  [default: rule]",
)
@click.option(
    "--one-way", is_flag=True, help="Words on the left become those on the right, which stay; 'she,' leaves she out."
)
@click.option("--terms", metavar="NAME|FILE", help="Report which of these group terms have no counterpart.")
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes.  [default: all cores]")
@ODD
@options.force
def counterfactual(runs: tuple[str, ...], terms: str | None, **given: Any) -> None:
    """Write SOURCE with each word of --pairs replaced by its counterpart: she by he, he by she, Mary by James.

    A SOURCE is a file of docno<TAB>text lines or JSON lines, which may be compressed, or an ir_datasets id.

    \b
    fairtrec counterfactual collection.tsv --pairs gender-en-pairs -o swapped.tsv
    """
    from fairtrec.annotation import READY

    if (given["jobs"] or cores()) > 1:
        prestart([READY, "fairtrec.annotation.substitution.rewriting"])

    from fairtrec.evaluation import corpus

    output, pairs, one_way, began = given["output"], given["pairs"], given["one_way"], time.monotonic()
    for name in filter(None, (pairs, terms)):
        if opening.is_stream(name):
            what = "this list is read again for the remarks, and a stream can be read only once"
            raise InputError(f"{what}; give a file", name)
    if terms is not None:
        many, left = corpus.uncovered(pairs, terms, ignore_case=given["ignore_case"], one_way=one_way)
        if left:
            shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
            say(f"# {len(left)} of its {many} terms have no counterpart and stay: {shown}")
    with printing.collecting() as watcher:
        done = corpus.counterfactual(watcher=watcher, runs=name_runs(runs) if runs else None, **given)
    seconds = time.monotonic() - began
    if told := corpus.shared(pairs, terms, one_way=one_way):
        say(f"# {told}")
    text = f"{done.documents:,} documents, {done.bytes / 1e6:,.1f} MB in {seconds:.1f} s"
    text += f"{printing.speed(done.bytes, seconds)}; {done.changed:,} changed, {done.words:,} words"
    text += f"; pairs: {done.pairs}, jobs: {done.jobs}"
    say(f"# {text}")
    if done.missing:
        say(f"# {done.missing:,} of the ranked documents are not there")
    if done.rejected:
        say(f"# {done.rejected:,} lines passed over, see {output}.rejected.jsonl")

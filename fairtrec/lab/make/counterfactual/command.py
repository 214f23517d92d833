"""``fairtrec make counterfactual``: the group terms of a whole collection, replaced."""

import time
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.cli.runs import name_runs
from fairtrec.commands.counts.make import ODD
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening
from fairtrec.support.jobs import choose_jobs, prestart
from fairtrec.support.literals import Pronouns


@click.command(name="counterfactual", cls=Titled, epilog=options.EXITS)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--pairs", required=True, metavar="NAME|FILE", help="Pairs of words: a list by name, or a file of she,he."
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=options.PATH,
    metavar="FILE",
    help="The new collection: .tsv or .jsonl, and perhaps .gz, .bz2 or .zst behind that.",
)
@click.option("--runs", multiple=True, metavar="RUN", help="Only documents that this run ranks; may be repeated.")
@click.option("-M", "--depth", type=click.IntRange(1), metavar="N", help="Cut these runs after rank N.")
@click.option("--ignore-case", is_flag=True, help="Names also match in lower case, for lower-cased collections.")
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
@click.option(
    "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes.  [default: all cores; 1 for small files]"
)
@ODD
def command(runs: tuple[str, ...], terms: str | None, **given: Any) -> None:
    """Write SOURCE with each word of --pairs replaced by its counterpart: she by he, he by she, Mary by James.

    A SOURCE is a file of docno<TAB>text lines or JSON lines, which may be compressed, or an ir_datasets id.

    \b
    fairtrec make counterfactual collection.tsv --pairs gender-en-pairs -o swapped.tsv
    """
    from fairtrec.counting import READY

    if choose_jobs(given["jobs"], given["sources"]) > 1:
        prestart([READY, "fairtrec.lab.make.counterfactual.substitution"])

    from fairtrec.lab.make.counterfactual import counterfactual as corpus

    output, pairs, one_way, began = given["output"], given["pairs"], given["one_way"], time.monotonic()
    for name in filter(None, (pairs, terms)):
        if opening.is_stream(name):
            what = "this list is read again for the notes, and a stream can be read only once"
            raise InputError(f"{what}; give a file", name)
    if terms is not None:
        many, left = corpus.find_uncovered(pairs, terms, ignore_case=given["ignore_case"], one_way=one_way)
        if left:
            shown = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
            write_stderr(f"# {len(left)} of its {many} terms have no counterpart and stay: {shown}")
    with printing.show_collection_progress() as watcher:
        done = corpus.make_counterfactual(watcher=watcher, runs=name_runs(runs) if runs else None, **given)
    seconds = time.monotonic() - began
    if told := corpus.describe_shared_words(pairs, terms, one_way=one_way):
        write_stderr(f"# {told}")
    text = f"{done.documents:,} documents, {done.bytes / 1e6:,.1f} MB in {seconds:.1f} s"
    text += f"{printing.speed(done.bytes, seconds)}; {done.changed:,} changed, {done.words:,} words"
    text += f"; pairs: {done.pairs}, jobs: {done.jobs}"
    write_stderr(f"# {text}")
    if done.missing:
        write_stderr(f"# {done.missing:,} of the ranked documents are not there")
    if done.rejected:
        write_stderr(f"# {done.rejected:,} lines passed over, see {output}.rejected.jsonl")

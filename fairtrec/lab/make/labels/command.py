"""``fairtrec make labels``: labels of documents, qrels and shares of the world from the files of a track."""

from pathlib import Path
from typing import get_args

import click

from fairtrec.cli import options
from fairtrec.cli.commands import Titled, write_stderr
from fairtrec.support.literals import LabelTrack


@click.command(name="labels", cls=Titled, epilog=options.EXITS)
@click.argument("pages", metavar="PAGES")
@click.option("--track", type=click.Choice(get_args(LabelTrack)), required=True, help="The track of these files.")
@click.option("--qrels", metavar="FILE", help="The relevant documents, *_reldocs.jsonl: also write graded.qrels.")
@click.option("--world", metavar="FILE", help="The populations, world-pop.csv: also write world.tsv.")
@click.option(
    "-o", "--output", required=True, type=options.FOLDER_PATH, metavar="FOLDER", help="The folder of the files."
)
@options.into_folder
def command(pages: str, track: LabelTrack, qrels: str | None, world: str | None, output: Path, *, force: bool) -> None:
    """Make labels of gender and geography from PAGES, the metadata of the pages of a track.

    FOLDER gets gender.tsv, sub_geo.tsv and src_geo.tsv for --labels, and world-gender.tsv for --target. With --qrels
    it gets graded.qrels, in which a page that needs more work has a higher grade. With --world it gets world.tsv, the
    share of each region. Files may be compressed.

    \b
    fairtrec make labels --track trec-fair-2022 articles.json.gz --qrels reldocs.jsonl --world world-pop.csv -o labels/
    """
    from fairtrec.lab.make.labels.trec_fair_2022 import make_labels

    made = make_labels(pages, output, track=track, qrels=qrels, world=world, force=force)
    write_stderr(f"# {made.pages:,} pages; {', '.join(made.files)} in {output}")

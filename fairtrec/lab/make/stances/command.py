"""``fairtrec make stances``: where documents stand, by their vectors or texts."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Titled
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Absent, AccuracyAs, RankedBy, SpuriousAs


@click.command(name="stances", cls=Titled, epilog=options.EXITS)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--embeddings", metavar="FILE", help="Vectors: .npy or .npz of numpy, or Parquet of docno and vector.")
@click.option("--ids", metavar="FILE", help="The docno of each row of .npy or .npz.")
@options.INPUTS["docs"]
@click.option("--model", metavar="NAME|FOLDER", help="A model of sentence-transformers, which makes vectors of texts.")
@click.option("--save-embeddings", type=options.FILE,
              help="Keep the vectors: Parquet, for --embeddings.")  # fmt: skip
@click.option("-M", "--depth", type=click.IntRange(1), metavar="N", help="Cut rankings after rank N.")
@click.option("--fit", metavar="FILE", help="The documents that define the axes, qid docno; not those that are ranked.")
@click.option("--axes", type=click.IntRange(1), default=1, metavar="N", help="The number of axes.")
@click.option("--normalize", is_flag=True, help="Bring all vectors to length 1.")
@click.option(
    "--spurious",
    metavar="FILE",
    help="Documents whose difference is taken out of the vectors: lines of qid docno side.",
)
@options.word(
    "--spurious-as", of=SpuriousAs, help="The length of the direction that --spurious takes out: 1, or as published."
)
@click.option("--labels", metavar="FILE", help="Groups of documents, for --toward and for the accuracy of the axes.")
@click.option("--toward", metavar="GROUP", help="The group whose mean stance is above the rest.")
@options.word("--accuracy-as", of=AccuracyAs, help="published: also print it for each group's better side.")
@options.word("--order", of=RankedBy, help="Rank by the score (column 5), the rank (column 4), or the order of lines.")
@options.CHOSEN["run_format"]
@options.CHOSEN["columns"]
@options.word("--missing", of=Absent, help="skip: leave out documents that have no vector, and count them.")
@click.option("-o", "--output", type=options.FILE,
              help="Write to FILE, a TSV, all or nothing.")  # fmt: skip
@options.verbose
def command(runs: tuple[str, ...], output: Path | None, accuracy_as: AccuracyAs, **given: Any) -> None:
    """Place the documents of RUNs on the axis along which their vectors spread most, query by query.

    `eval --stances` reads the file, for measures such as DUO. A RUN is a file, a folder, a pattern, or @LIST.

    \b
    fairtrec make stances bm25.run neural.run --embeddings vectors.npy --ids ids.txt -o stances.tsv
    """
    from fairtrec.lab.make.stances.project import make_stances
    from fairtrec.report.output import emit
    from fairtrec.support.files.atomic import write_together

    if given["spurious"] is None:
        options.refuse_typed("is of what --spurious takes out; name a file with it", "spurious_as")
    if given["labels"] is None:
        options.refuse_typed("is of the accuracy for --labels; name a file with it", "accuracy_as")
    if output is not None and output.suffix.lower() not in ("", ".tsv", ".txt"):
        raise UsageError(f"stances are written as TSV, and {output} ends otherwise; end it in .tsv")
    read = [given[name] for name in ("embeddings", "ids", "docs", "fit", "spurious", "labels")]
    files = printing.name_run_files(runs, [output, given["save_embeddings"]], *read)
    if output is not None and output == given["save_embeddings"]:
        raise UsageError(f"{output} would hold both stances and embeddings; choose two names")
    with write_together():
        placed = make_stances(files, **given)
        emit(placed.tsv, output)
    printing.tell(placed.list_notes(accuracy_as))

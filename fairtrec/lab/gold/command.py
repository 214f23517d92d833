"""``fairtrec gold``: what people are to label, and how well an instrument agrees with what they say."""

from pathlib import Path
from typing import Any

import click

from fairtrec.cli import options, printing
from fairtrec.cli.commands import Commands
from fairtrec.lab.gold import AGREEMENTS, JUDGES
from fairtrec.report.writers import choose_form
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Correction, Drawn, MissingLabel

RANKING = ("order", "run_format", "columns", "score_dtype")
FROM_1, FROM_0 = click.IntRange(1), click.IntRange(0)
DEPTH = click.option("-M", "--depth", type=FROM_1, default=10, metavar="N", help="Look at ranks down to N.")
OF_RUNS = options.Shared((DEPTH, *(options.CHOSEN[name] for name in RANKING)))


@click.group(name="gold", cls=Commands)
def command() -> None:
    """Sample documents for people to label, and compare an instrument with the labels.

    The instrument is what assigns groups now: a word list, or labels by a program.
    """


@command.command(epilog=options.EXITS)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--number",
    type=FROM_1,
    metavar="N",
    help="Draw this many documents, or queries.  [default: 100 documents, 30 queries]",
)
@options.word("--unit", of=Drawn, help="Draw documents by their exposure, or whole queries.")
@click.option("--seed", type=FROM_0, default=0, metavar="N", help="Draw with this seed; another seed draws others.")
@click.option("--gold", metavar="FILE", help="Copy the labels of this sheet for documents that are drawn again.")
@click.option("--docs", metavar="FILE|ID", help="Show the texts: TSV, JSON lines, or an ir_datasets id.")
@click.option("--queries", metavar="NAME|FILE", help="Draw from these queries: a query set by name, or a file of ids.")
@OF_RUNS
@click.option("-o", "--output", required=True, type=options.FILE, help="The sheet, a TSV.")
@options.force
def draw(runs: tuple[str, ...], output: Path, *, force: bool, **given: Any) -> None:
    """Draw documents from RUNs with known probabilities, and write a sheet for people to fill in.

    A RUN is a file, a folder, a pattern, or @LIST. The sheet shows no groups, so annotators do not see those of the
    instrument. `fairtrec eval --gold` corrects values by the sheet.

    \b
    fairtrec gold draw bm25.run neural.run fair.run --number 30 --docs collection.tsv -o sheet.tsv
    """
    from fairtrec.lab.gold.draw import draw
    from fairtrec.lab.gold.draw_report import text, tsv
    from fairtrec.report.output import emit

    choose_form(output, None, ["tsv"])
    files = printing.name_run_files(runs, [output], *given.values())
    if output.is_file() and not force:
        raise UsageError(f"{output} exists; add --force to replace it, or choose another with -o")
    with printing.progress():
        drawn = draw(files, **given)
    emit(tsv(drawn), output)
    click.echo(text(drawn), nl=False)


@command.command(epilog=options.EXITS)
@click.argument("gold", metavar="GOLD")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@options.Shared([options.INPUTS[name] for name in ("terms", "docs", "counts")])
@click.option("--labels", metavar="FILE", help="Groups by a program, or by others: TSV of docno group [weight].")
@options.Shared([options.CHOSEN[name] for name in ("groups", "tokenizer", "case_sensitive")])
@options.word(
    "--missing",
    of=MissingLabel,
    help="A labeled document without counts or text: refuse it, leave it out, or count it as a miss.",
)
@OF_RUNS
@click.option("--confidence", type=float, default=0.95, metavar="P", help="The level of the intervals.")
@options.Shared(report=AGREEMENTS)
def agree(
    gold: str, runs: tuple[str, ...], form: str, output: Path | None, *, places: int, depth: int, **given: Any
) -> None:
    """Measure how well words or labels agree with the labels of people in GOLD.

    GOLD is a sheet that was drawn and filled in, or any file of labels. With RUNs, a document counts by its exposure in
    them, which shows errors where users look. To compare two annotators: gold agree first.tsv --labels second.tsv.

    \b
    fairtrec gold agree labels.tsv --terms gender-en --docs collection.tsv
    """
    from fairtrec.lab.gold.agree import agree

    files = printing.name_run_files(runs, [output], gold, *given.values())
    if not files:
        options.refuse_typed("is for RUNs, and there is none", "depth", *RANKING)
    if given["labels"] is not None:
        options.refuse_typed("is for words and counts, and --labels are neither", "missing")
    also = ["missing", "groups"] if "=" in (given["groups"] or "") else ["missing"]  # groups renames those of GOLD
    with printing.show_progress(*RANKING, "depth", *also):
        found = agree(gold, files or None, depth=depth, **given)
    printing.write(AGREEMENTS, form, found, output, places=places)


@command.command(epilog=options.EXITS)
@click.argument("human", metavar="HUMAN")
@click.argument("judges", nargs=-1, required=True, metavar="JUDGE...")
@options.Shared([options.INPUTS[name] for name in ("terms", "docs", "counts")])
@click.option("--labels", metavar="FILE", help="Groups of documents: TSV of docno group [weight].")
@options.Shared([options.CHOSEN[name] for name in ("groups", "tokenizer", "case_sensitive", "relevance_level")])
@click.option(
    "--judge-level",
    type=int,
    metavar="N",
    help="The grade from which a judge calls a document relevant.  [default: as -l]",
)
@click.option("--queries", metavar="NAME|FILE", help="Only these queries: a query set by name, or a file of ids.")
@click.option(
    "--runs", multiple=True, metavar="RUN|FOLDER", help="Compare the orders of these runs, too; may be repeated."
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURES",
    help="Order the runs by these measures of judgments.  [default: nDCG@10, and DTR of two groups]",
)
@click.option(
    "--families",
    metavar="FILE|LIST",
    help="Compare each family of --runs with all other runs: lines of run and family, or words that names begin with.",
)
@click.option(
    "--equivalence",
    type=float,
    metavar="MARGIN",
    help="Test if each family differs from the others by less than MARGIN (TOST).",
)
@click.option("--reference", metavar="GROUP", help="Compare each group with this one only; - is no group.")
@options.word("--correction", of=Correction, default="holm", help="Correct p-values for all differences of all judges.")
@click.option("--confidence", type=float, default=0.95, metavar="P", help="The level of the intervals.")
@options.Shared([options.CHOSEN[name] for name in RANKING])
@options.Shared(report=JUDGES)
def judges(
    human: str,
    judges: tuple[str, ...],
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    *,
    places: int,
    **given: Any,
) -> None:
    """Test whether a JUDGE makes the same mistakes for all groups.

    HUMAN has the judgments of people, a JUDGE those of a language model or of other people for the same pairs. Both are
    qrels. A pair belongs to the group of its document. With --families, no groups are needed.

    For example: fairtrec gold judges qrels.txt judge.qrels --counts counts.tsv -l 2 --runs runs/
    """
    from fairtrec.cli.runs import name_runs
    from fairtrec.lab.gold.judges import judges as audit
    from fairtrec.support.files import arguments

    named, files = arguments.expand_runs(judges), name_runs(runs) if runs else None
    printing.refuse_output(output, human, *named.values(), *(files or {}).values(), *given.values())
    if files is None:
        options.refuse_typed("is for --runs, and there are none", "measures", "families", *RANKING)
    if given["families"] is None:
        options.refuse_typed("is for --families, and there are none", "equivalence")
    with printing.show_progress(*RANKING, "relevance_level"):
        found = audit(human, named, runs=files, measures=measures or None, **given)
    printing.write(JUDGES, form, found, output, places=places)

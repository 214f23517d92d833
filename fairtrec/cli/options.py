"""Options that several commands share: what is evaluated and how, and how a report is written."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fairtrec.api import Result

FORMATS = ("auto", "trec", "table", "tsv", "csv", "json", "jsonl", "md", "latex", "html", "parquet")
EXITS = "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 a resource is missing."
Function = Callable[..., Any]


def together(*decorators: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Make one decorator of several; the first stands first in the help."""

    def decorate(command: Function) -> Function:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


evaluated = together(  # the arguments and options that `fairtrec.evaluate` takes, by its names
    click.argument("qrels", callback=lambda _, __, value: None if value == "none" else value),
    click.argument("runs", nargs=-1, required=True, metavar="RUN..."),
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURES",
        help="Like 'nDCG@10 NFaiRR(tau=0)@20', see `fairtrec measures`; may be repeated.  "
        "[default: what the inputs allow]",
    ),
    click.option(
        "--groups", metavar="NAME|FILE", help="Group terms: a word list by name, or a file of term,group lines."
    ),
    click.option("--docs", metavar="FILE|ID", help="The texts: TSV or JSON lines, or an ir_datasets id."),
    click.option(
        "--annotations",
        metavar="FILE",
        help="Counts instead of texts, as `fairtrec annotate` makes them; or TSV: docno tokens GROUP...",
    ),
    click.option(
        "--labels", metavar="FILE", help="Groups instead of words: TSV of docno group [weight]; or qrels; A*B."
    ),
    click.option(
        "--as",
        "rule",
        type=click.Choice(["share", "majority", "any"]),
        default="share",
        show_default=True,
        help="How group terms make a document belong to groups.",
    ),
    click.option("--positions", metavar="FILE", help="Where documents stand: TSV of docno x [y ...] (DUO)."),
    click.option(
        "--queries", metavar="NAME|FILE", help="Only these queries: a query set by name, or a file of query ids."
    ),
    click.option(
        "--background", metavar="RUN|collection", help="The documents that define each query's ideal (NFaiRR)."
    ),
    click.option("--background-depth", type=int, default=200, show_default=True, metavar="N", help="How many of them."),
    click.option(
        "--target",
        default="even",
        show_default=True,
        metavar="SHARES",
        help="The share each group should have: even, background, collection, qrels, relevance, a file, or "
        "f=0.4,m=0.6.",
    ),
    click.option(
        "--tokenizer", type=click.Choice(["strip", "space", "word"]), help="How texts are split.  [default: strip]"
    ),
    click.option("--case-sensitive", is_flag=True, default=None, help="Tell Hunter from hunter."),
    click.option(
        "--missing",
        type=click.Choice(["error", "neutral", "skip", "worst"]),
        default="error",
        show_default=True,
        help="What a document without text or counts is worth.",
    ),
    click.option("-c", "--complete", is_flag=True, help="Count queries that a run lacks as empty rankings."),
    click.option("--samples", is_flag=True, help="Column 2 of a run tells several rankings of a query apart."),
    click.option(
        "-l",
        "--level",
        "relevance_level",
        type=int,
        metavar="N",
        help="The grade from which a document is relevant.  [default: 1]",
    ),
    click.option("-M", "--depth", type=int, metavar="N", help="Cut rankings after rank N."),
    click.option(
        "--order",
        type=click.Choice(["score", "rank", "file"]),
        default="score",
        show_default=True,
        help="What ranks a run: column 5, column 4, or the order of its lines.",
    ),
    click.option(
        "--score-dtype",
        type=click.Choice(["float64", "float32"]),
        default="float64",
        show_default=True,
        help="float32 compares scores as old trec_eval did.",
    ),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help="Read so many runs at a time.  [default: as many as there are cores, where that pays]",
    ),
)
sort = click.option(
    "--sort", metavar="MEASURE", help="Best run first by this measure, with ranks and marks.  [default: as given]"
)
per_query = click.option("-q", "--per-query", is_flag=True, help="Print the value of each query too.")

_places = click.option(
    "--places",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    metavar="N",
    help="Digits behind the point.",
)


def reported(
    forms: Sequence[str] = FORMATS, default: str = "auto", *, places: bool = True
) -> Callable[[Function], Function]:
    """Give a command the options of a report: its format, its place, its digits."""
    return together(
        click.option(
            "-f",
            "--format",
            "form",
            type=click.Choice(forms),
            default=default,
            show_default=True,
            help=None
            if default != "auto"
            else "auto: a table on a terminal, else as trec_eval prints."
            if "trec" in forms
            else "auto: a table.",
        ),
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Write to FILE, all or nothing.",
        ),
        *[_places] * places,
    )


def refuse_output(output: Path | None, *given: Any) -> None:
    """Raise UsageError if the output cannot be written, or is one of the files that are given."""
    from fairtrec import report

    report.refuse_unwritable(output)
    report.refuse_input(output, [value for value in given if isinstance(value, str)])


def is_terminal(output: Path | None) -> bool:
    """Tell whether a report goes to a window."""
    return output is None and sys.stdout.isatty()


def write(result: "Result", form: str, output: Path | None, **view: Any) -> None:
    """Print the report of a result, or write it to a file, and say on standard error what the report does not."""
    from fairtrec import report
    from fairtrec.errors import plain

    terminal = is_terminal(output)
    if form == "auto":
        form = "table" if terminal else "trec"
    report.emit(report.render(result, form, terminal=terminal, **view), output)
    for line in report.remarks(result, form):
        click.echo(f"# {plain(line)}", err=True)

"""Options that several commands share: what is evaluated and how, and how a report is written."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, get_args

import click

from fairtrec.catalogue.needs import EXTRAS
from fairtrec.cli.commands import TYPED
from fairtrec.inputs.choice import inserted
from fairtrec.inputs.choices import CHOICES
from fairtrec.report.writers import Formats

EXITS = "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 a resource is missing."
IDLE = "fairtrec.idle"  # of a context: what played no part
Function = Callable[..., Any]


class Together(tuple[Callable[[Function], Function], ...]):
    """Several decorators in one; the first stands first in the help."""

    __slots__ = ()

    def __call__(self, command: Function) -> Function:
        """Decorate a command."""
        for decorator in reversed(self):
            command = decorator(command)
        return command


def word(*names: str, of: Any, optional: bool = False, **more: Any) -> Callable[[Function], Function]:
    """Make an option for one of the words of a Literal; by default the first, or none if it is optional."""
    words = of if isinstance(of, tuple) else get_args(of)
    given = {"default": None if optional else words[0], "show_default": not optional, **more}
    return click.option(*names, type=click.Choice(words), **given)


def _attributes(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> Any:
    """Give the labels that were typed: of one attribute, or of several, by their names."""
    if not value:
        return None
    from fairtrec.files.by_name import attributes

    found = attributes(value)
    if "" in found:
        return found[""]
    from fairtrec.inputs.given import Attributes

    return Attributes(found)


def _by_attribute(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> Any:
    """Give what was chosen for all attributes, or for each by its name."""
    if len(value) < 2 and "=" not in "".join(value):
        return next(iter(value), None)
    from fairtrec.files.by_name import by_attribute

    names = getattr(context.params.get("labels"), "sources", ())
    return by_attribute(value, names, parameter.opts[-1])


_RUNS = (
    click.argument("qrels", callback=lambda _, __, value: None if value == "none" else value),
    click.argument("runs", nargs=-1, required=True, metavar="RUN..."),
)
_MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURES",
    help="Like 'nDCG@10 NFaiRR(tau=0)@20'; `fairtrec measures` lists them; all_fair: every measure of fairness that "
    "the inputs allow; may be repeated.  [default: a few that the inputs allow]",
)
INPUTS = {
    "terms": click.option(
        "--terms", metavar="NAME|FILE", help="Group terms: a word list by name, or a file of term,group lines."
    ),
    "docs": click.option("--docs", metavar="FILE|ID", help="The texts: TSV or JSON lines, or an ir_datasets id."),
    "counts": click.option(
        "--counts",
        metavar="FILE",
        help="Counts instead of texts, as `fairtrec annotate` makes them; or TSV: docno tokens GROUP...",
    ),
    "labels": click.option(
        "--labels",
        multiple=True,
        is_eager=True,  # so that what is chosen for each attribute is read by their names
        callback=_attributes,
        metavar="[NAME=]FILE[:FIELD]",
        help="Groups of documents: TSV of docno group [weight], a field of a table, or qrels; A*B crosses two; may be "
        "repeated, each with the NAME of its attribute.",
    ),
    **{
        extra.name: click.option(f"--{extra.name}", metavar=extra.metavar, help=extra.help) for extra in EXTRAS.values()
    },
    "queries": click.option(
        "--queries",
        metavar="NAME|FILE|common",
        help="Only these queries: a query set by name, a file of ids, or common to all runs.",
    ),
    "background": click.option(
        "--background", metavar="RUN|collection", help="The documents that define each query's ideal (NFaiRR)."
    ),
}
gold = click.option(
    "--gold", metavar="SHEET", help="Labels by people of what `fairtrec gold draw` drew: print corrected values, too."
)
CHOSEN = {  # the option of each choice
    row.name: click.option(
        *row.options,
        row.name,
        type=bool if row.is_flag else click.Choice(row.literals) if row.literals else int if row.is_number else str,
        is_flag=row.is_flag,
        default=row.default,
        show_default=not row.is_flag and row.default is not None,
        metavar=row.metavar,
        help=row.help,
    )
    if not row.by_name
    else click.option(
        *row.options,
        row.name,
        multiple=True,
        callback=_by_attribute,
        metavar=f"[NAME=]{row.metavar or '|'.join(row.literals)}",
        default=[] if row.default is None else [row.default],
        show_default=row.default is not None,
        help=row.help,
    )
    for row in CHOICES.values()
}
jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Read N runs at a time.  [default: as many as there are cores, where that pays]",
)


def evaluated(command: str, measures: Callable[[Function], Function] | None = _MEASURES) -> Together:
    """Give a command the arguments and options of an evaluation by the names of Python, as far as it heeds them."""
    rows = [row for row in CHOICES.values() if (command in row.only if row.only else command not in row.but)]
    names = inserted(INPUTS, [(row.name, row.after) for row in rows])
    each = (INPUTS.get(name) or CHOSEN[name] for name in names)
    return Together((*_RUNS, *([] if measures is None else [measures]), *each, jobs))


collected = Together(
    (  # what work on a whole collection does with documents that are not as they should be
        click.option("--keep-going", is_flag=True, help="Write what is wrong to FILE.rejected.jsonl and go on."),
        click.option(
            "--max-doc-bytes",
            type=click.IntRange(1, 1 << 30),
            default=1 << 26,
            show_default=True,
            metavar="N",
            help="Refuse longer documents.",
        ),
    )
)
sort = click.option(
    "--sort",
    metavar="MEASURE",
    help="Sort runs by this measure, the best first, and show ranks and marks.  [default: as given]",
)
slices = click.option(
    "--slice",
    "slices",
    metavar="FILE",
    help="Print the means of each slice of queries, too; lines of FILE are qid and slice.",
)
query_texts = click.option(
    "--query-texts", metavar="FILE|ID", help="Show the texts of queries: lines of qid<TAB>text, or an ir_datasets id."
)
per_query = click.option("-q", "--per-query", is_flag=True, help="Print the value of each query too.")


FOLDER = "fairtrec.folder"  # whether the name of the output ended in a slash


class _Place(click.Path):
    """A path, for pathlib, which is imported where there is one."""

    def coerce_path_result(self, value: Any) -> Any:
        click.get_current_context().meta[FOLDER] = str(value).endswith("/")  # of which a path keeps nothing
        from pathlib import Path

        return Path(value)


_output, into = (
    click.option("-o", "--output", type=_Place(dir_okay=folder), metavar=metavar, help=f"{says}, all or nothing.")
    for folder, metavar, says in (
        (False, "FILE", "Write to FILE"),
        (True, "FILE|FOLDER", "Write to FILE, or with --spread also a file for each run to FOLDER/"),
    )
)


verbose = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    help="Print all remarks, not the most important alone, and the whole signature.",
)


def reported(
    kind: Formats, what: str | None = None, *, auto: bool = False, to: bool = True, places: bool = True,
    remarks: bool = True,
) -> Together:  # fmt: skip
    """Give a command the options of a report: its format (the first, or that which fits), place, digits and remarks."""

    def refuse(context: click.Context, _: click.Parameter, value: int) -> int:
        """Refuse digits with a format that has all of them; that has been read before."""
        writer = kind.forms.get(context.params.get("form", ""))
        if "places" in context.meta.get(TYPED, {}) and writer is not None and writer.exact:
            from fairtrec.errors import UsageError

            form = context.params["form"]
            raise UsageError(f"--places is for digits that are cut, and --format {form} has all; leave it out")
        return value

    forms = [*["auto"] * auto, *kind.forms]
    if auto:
        what = (
            "auto is a table in a terminal, and the columns of trec_eval elsewhere."
            if "trec" in kind.forms
            else "auto: a table."
        )
    form = click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help=what,
        is_eager=True,
    )
    digits = click.option(
        "--places",
        type=click.IntRange(0, 17),
        default=4,
        show_default=True,
        metavar="N",
        help="How many digits stand after the decimal point.",
        callback=refuse,
    )
    return Together((form, *[_output] * to, *[digits] * places, *[verbose] * remarks))


def refuse_typed(why: str, *names: str) -> None:
    """Raise UsageError for the first of these parameters that was typed, and say why it plays no part."""
    from fairtrec.errors import UsageError

    typed = click.get_current_context().meta.get(TYPED, {})
    for name in names:
        if name in typed:
            raise UsageError(f"{typed[name]} {why}; leave it out")


def refuse_error_beside_texts(given: Mapping[str, Any]) -> None:
    """Raise UsageError where a missing text is to end the program, and what it leaves open is asked for."""
    if given["bounds"] == "texts" and given["missing"] == "error":
        refuse_typed("error ends at a missing text, and --bounds texts is about these", "missing")


@contextmanager
def attended(*also: str, plans: int | None = 1) -> Iterator[None]:
    """Show whoever watches how far the work has come; refuse what was typed and plays no part in it, but ``also``.

    That is in so many plans of evaluations (None: in any). What is no choice is told instead, beside what is printed.
    """
    from fairtrec.evaluation.signature import HEEDED, Waiting, waiting_for

    watched: AbstractContextManager[None] = nullcontext()
    if sys.stderr.isatty():
        from fairtrec.cli.bar import progress

        watched = progress()
    meta = click.get_current_context().meta
    idle, typed = meta.setdefault(IDLE, []), meta.get(TYPED, {})
    waiting = Waiting({name: option for name, option in typed.items() if name in HEEDED and name not in also}, plans)
    token = waiting_for.set(waiting)
    try:
        with watched:
            yield
        if waiting.options:
            waiting.end()
        if waiting.remark:
            idle.append(waiting.remark)
    finally:
        waiting_for.reset(token)

"""Options that several commands share: what is evaluated and how, and how a report is written."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast, get_args

import click

from fairtrec.cli.commands import EXITS as EXITS  # noqa: PLC0414 - commands with shared options take it from here
from fairtrec.cli.commands import TYPED, FormatChoice
from fairtrec.evaluation.given import GIVEN
from fairtrec.evaluation.given.given_rows import Given
from fairtrec.evaluation.inputs.option import Choice, insert_names
from fairtrec.evaluation.inputs.options import CHOICES, VIEWS, has_option
from fairtrec.formats.column_roles import parse_columns
from fairtrec.report.writers import ENDINGS, FormatTable, choose_form, read_ending
from fairtrec.support.errors import UsageError
from fairtrec.support.files import submissions
from fairtrec.support.files.arguments import attributes, split_by_attribute

AUTO = (
    "auto: a table in a terminal, the columns of trec_eval elsewhere; flat: one JSON object of all means; "
    "tira: what TIRA reads."
)
Function = Callable[..., Any]
Decorator = Callable[[Function], Function]
FOLDER = "fairtrec.folder"  # of a context: whether the name of the output ended in a slash


class _FilePath(click.Path):
    """A path, for pathlib, which is imported where there is one."""

    def coerce_path_result(self, value: Any) -> Any:
        click.get_current_context().meta[FOLDER] = str(value).endswith("/")  # of which a path keeps nothing
        from pathlib import Path

        return Path(value)


class _FolderPath(_FilePath):
    """A path of a folder. Refuses a new one whose name ends as a file of a format does, unless a slash is behind it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path: Any = super().convert(value, param, ctx)
        is_typed = str(value).endswith("/") or os.path.lexists(path)
        if param is not None and not is_typed and read_ending(path) in ENDINGS:
            raise UsageError(f"{param.opts[0]} names a folder; write {param.opts[0]} {path.with_suffix('')}")
        return path


FILE, PATH, FOLDER_PATH = _FilePath(dir_okay=False), _FilePath(), _FolderPath()
NUMBERS: dict[Any, type] = {int: int, int | None: int, float | None: float}


def word(*names: str, of: Any, optional: bool = False, **more: Any) -> Decorator:
    """Make an option for one of the words of a Literal; by default the first, or none if it is optional."""
    words = get_args(of)
    return click.option(*names, type=click.Choice(words), **{"default": None if optional else words[0], **more})


def _by_attribute(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> Any:
    """Give what was typed for all documents; or for each attribute by its name, as labels say which there are."""
    if len(value) < 2 and "=" not in "".join(value):
        return next(iter(value), None)
    if parameter.name != "labels":
        names = getattr(context.params.get("labels"), "sources", ())
        return split_by_attribute(value, names, parameter.opts[-1])
    from fairtrec.evaluation.given.given_rows import Attributes

    found = attributes(value)
    return found[""] if "" in found else Attributes(found)


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


def _input(name: str, row: Given) -> Decorator:
    """Make the option of a thing that is given; of attributes, it is read before what is chosen for each of them."""
    several: dict[str, Any] = {"multiple": True, "is_eager": True, "callback": _by_attribute} if row.by_name else {}
    return click.option(f"--{name}", metavar=row.metavar, help=row.help, **several)


INPUTS = {name: _input(name, row) for name, row in GIVEN.items() if row.help}
gold, cluster = INPUTS.pop("gold"), INPUTS.pop("cluster")


def _option(row: Choice) -> Decorator:
    """Make the option of a row of the table."""
    if row.by_name:
        return click.option(
            *row.options,
            row.name,
            multiple=True,
            callback=_by_attribute,
            metavar=f"[NAME=]{row.metavar or '|'.join(row.literals)}",
            default=[] if row.default is None else [row.default],
            help=row.help,
        )
    if row.default is True:  # a flag that takes away what is the default
        return click.option(
            *row.options, row.name, is_flag=True, help=row.help, callback=lambda _, __, is_typed: not is_typed
        )
    return click.option(
        *row.options,
        row.name,
        type=bool if row.is_flag else click.Choice(row.literals) if row.literals else NUMBERS.get(row.hint, str),
        is_flag=row.is_flag,
        default=row.default,
        metavar=row.metavar,
        help=row.help,
        callback=_refuse_roles if row.name == "columns" else None,
    )


OF_ROLES = {"group": "labels", "cluster": "cluster", "slice": "slices"}  # the option that a role stands for


def _refuse_roles(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Raise UsageError for a role of --columns that stands for an option which the command does not have."""
    params = {each.name for each in context.command.params}
    for role in parse_columns(value):
        if role in OF_ROLES and OF_ROLES[role] not in params:
            what = f"{context.command.name} has no {OF_ROLES[role].removesuffix('s')}s"
            raise UsageError(f"{what}; leave out {role}= of --columns")
    return value


CHOSEN = {name: _option(row) for name, row in CHOICES.items()}
VIEWED = {name: _option(row) for name, row in VIEWS.items()}
jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Read N runs at a time.  [default: as many as there are cores, where that pays]",
)

force = click.option("--force", is_flag=True, help="Replace FILE if it exists.")
into_folder = click.option("--force", is_flag=True, help="Write into FOLDER although it is not empty.")
keep_going = click.option(
    "--keep-going", is_flag=True, help="Report broken runs, evaluate the others, and exit with 3."
)
slices = click.option(
    "--slice",
    "slices",
    metavar="FILE",
    help="Also report each slice of queries; lines of FILE are qid and slice.",
)
seed = click.option("--seed", type=int, default=0, metavar="N", help="The seed of all that is drawn at random.")


def take_ending(context: click.Context, _: click.Parameter, output: Any) -> Any:
    """Give the output, and the format of the report by its ending; it has been read if it was asked for.

    Raises UsageError as ``writers.choose_form`` does. A folder has no ending.
    """
    is_file = output is not None and not context.meta.get(FOLDER) and not os.path.isdir(output)  # noqa: PTH112 - of a name that is too long, too
    if not is_file or context.resilient_parsing:
        return output
    form = next(each for each in context.command.params if isinstance(each.type, FormatChoice))
    is_asked = context.get_parameter_source("form") != click.core.ParameterSource.DEFAULT
    asked = context.params["form"] if is_asked and context.params["form"] != "auto" else None
    forms = cast("FormatChoice", form.type).writers
    context.params["form"] = choose_form(output, asked, forms) or context.params["form"]
    return output


output = click.option(
    "-o",
    "--output",
    type=FILE,
    callback=take_ending,
    help="Write to FILE, in the format of its ending; it stays as it is if this fails.",
)
verbose = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    help="Print all notes, not only the most important, and do not cut the signature.",
)


def add_untrusted_options(command: Function) -> Function:
    """Add the options of submissions of strangers; they hold while the command runs."""

    @wraps(command)
    def guarded(*args: Any, untrusted: bool, limits: tuple[str, ...], no_links: bool, **given: Any) -> Any:
        raised = submissions.read_limits(limits)
        if raised and not (untrusted or submissions.is_set()):
            raise UsageError("--limit raises what --untrusted bounds; add --untrusted, or leave it out")
        with submissions.guard_files(untrusted=raised or untrusted, no_links=no_links):
            return command(*args, **given)

    for option in (
        click.option("--no-links", is_flag=True, help="Refuse runs that are links, or in linked folders."),
        click.option(
            "--limit",
            "limits",
            multiple=True,
            metavar="NAME=N",
            help="Let an untrusted run have N bytes, lines, ranks of a query (depth) or groups; may be repeated.  "
            f"[default: {', '.join(f'{name}={most}' for name, most in submissions.LIMITS.items())}]",
        ),
        click.option(
            "--untrusted",
            is_flag=True,
            is_eager=True,
            help="Treat runs as submissions of strangers: refuse links, pipes, odd names, and files beyond limits; "
            "ignore settings in this folder, and download nothing unasked.",
        ),
    ):
        option(guarded)
    return guarded


places = click.option(
    "--places",
    type=click.IntRange(0, 17),
    default=4,
    metavar="N",
    help="The number of decimals.",
)


@dataclass(frozen=True)
class Shared:
    """Options that commands share, as one decorator; the first stands first in the help.

    ``options``    any, before the others.
    ``evaluates``  the name of a command: the arguments and options of an evaluation, as far as it heeds them.
    ``measures``   how that command names measures, if it does so here.
    ``report``     what is written: its formats, of which the first is taken if none is asked for, or with ``auto`` the
                   one that fits; ``what`` says of them what their names do not.
    ``beside``     what else there is to say of a report.
    ``without``    the choices that the evaluation does not heed.
    """

    options: Sequence[Decorator] = ()
    evaluates: str = ""
    measures: Sequence[Decorator] = (_MEASURES,)
    report: FormatTable | None = None
    what: str | None = None
    auto: bool = False
    beside: Sequence[Decorator] = (output, places, verbose)
    without: Sequence[str] = ()

    def __call__(self, command: Function) -> Function:
        """Decorate a command."""
        each = list(self.options)
        if self.evaluates:
            rows = [row for row in CHOICES.values() if has_option(self.evaluates, row) and row.name not in self.without]
            names = insert_names(INPUTS, [(row.name, row.after) for row in rows])
            each += [*_RUNS, *self.measures, *(INPUTS.get(name) or CHOSEN[name] for name in names), jobs]
            each += [VIEWED[name] for name, row in VIEWS.items() if has_option(self.evaluates, row)]
        if self.report is not None:
            kind = FormatChoice([*["auto"] * self.auto, *self.report.forms])
            kind.writers = self.report.forms
            form = click.option(
                "-f", "--format", "form", type=kind, default=kind.choices[0], help=self.what, is_eager=True
            )
            each += [form, *self.beside]
        for decorator in reversed(each):
            command = decorator(command)
        if self.evaluates:
            vars(command)["evaluates"] = self.evaluates  # the notes of a report say what else there is to know
            vars(command)["without"] = self.without
        return command


def refuse_others(why: str, *heeded: str) -> None:
    """Raise UsageError for the first parameter that was typed and is none of these, and say why it plays no part."""
    context = click.get_current_context()
    for each in context.command.params:
        if each.name in context.meta.get(TYPED, {}) and each.name not in heeded:
            raise UsageError(f"{why}; leave out {each.opts[-1]}")


def refuse_typed(why: str, *names: str) -> None:
    """Raise UsageError for the first of these parameters that was typed, and say why it plays no part."""
    typed = click.get_current_context().meta.get(TYPED, {})
    for name in names:
        if name in typed:
            raise UsageError(f"{typed[name]} {why}; leave it out")

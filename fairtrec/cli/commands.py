"""Commands whose help reads in titled groups, as wide as the terminal."""

import inspect
import re
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any

import click

from fairtrec.support import command_rows
from fairtrec.support.errors import BREAKING, LONGEST, UsageError, escape_control, short
from fairtrec.support.late_patterns import compile_late

_LONG = rf"[^\s:]{{{LONGEST + 1},}}"  # sentences of ours are as long as they need to be


def write_stderr(line: str) -> None:
    """Write a line to standard error; it steers no terminal, and none of its words is endless."""
    click.echo(re.sub(_LONG, lambda word: short(word.group()), re.sub(BREAKING, escape_control, line)), err=True)


SECTIONS = {  # in the order of the help, of parameters; rows of inputs/options.py name their own
    "Inputs": "terms docs counts labels gold queries background docnos sequences truth pairs "
    "embeddings ids model qrels runs",
    "Measures": "measures measure",
    "Ranking": "",
    "Comparison": "baseline test correction equivalence resamples seed",
    "Output": "form output places verbose paper junit fix force everything save_embeddings",
    "Options": "jobs keep_going untrusted limits no_links max_doc_bytes engine master resume device config root "
    "version versions brief help",
}
EXITS = "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 a resource is missing."
ARGUMENTS = "fairtrec.arguments"  # of a context: the command and its arguments as they were typed
TYPED = "fairtrec.typed"  # what of a context holds the options that were typed, by their parameters
FIRST = "First"  # before all others
DEFAULT = "Options"  # of what stands in no section, where a command has no title for what is its own
LONGEST_TERM = 30  # columns; of longer ones the text stands on the next line
EXAMPLE = "\b\n"  # before what click does not wrap
WIDEST = 1 << 16
SAME_OPTIONS = {"-J": ["--only", "judged"]}  # of trec_eval, and what they are here
_WORD = compile_late(r"(?:-\S+ (?!-))?(?:'[^']*'|\S+)")  # of a shell; an option with its value


class FormatChoice(click.Choice[str]):
    """The names of formats, and what writes each."""

    writers: Mapping[Any, Any]


def _advise_missing(ctx: click.Context, lacking: click.Parameter | None) -> str:
    """Say what to type for a parameter that is missing; "" if its name says enough."""
    if isinstance(lacking, click.Option) and not isinstance(lacking.type, click.Choice):
        return f"Add {lacking.opts[0]} {lacking.metavar or lacking.type.name.upper()}: {lacking.help}"
    lacks_run = lacking is not None and lacking.name == "runs"
    has_qrels = ctx.params.get("qrels") not in (None, "none")
    return "If you have no QRELS, write none in its place." * (lacks_run and has_qrels)


class Titled(click.Command):
    """A command, the options of which stand under titles; one that is in no section needs nothing more."""

    brief = ""  # the parameters that its short help shows, as its row names them

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read arguments.

        Raises UsageError for an option of one value that is given several times with others, and for digits with a
        format that has all of them.
        """
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        args = self._spell_out(args)
        ctx.meta[ARGUMENTS] = [*ctx.command_path.removeprefix("fairtrec ").split(), *args]
        self._refuse_repeated(ctx, args)
        try:
            rest = super().parse_args(ctx, args)
        except click.MissingParameter as fault:
            if not (way_out := _advise_missing(ctx, fault.param)):
                raise
            raise click.MissingParameter(way_out, fault.ctx, fault.param) from None
        self._refuse_places(ctx)
        return rest

    def _spell_out(self, args: list[str]) -> list[str]:
        """Write options of trec_eval as those that do the same here."""
        names = {name for each in self.params for name in each.opts}
        same = {word: words for word, words in SAME_OPTIONS.items() if words[0] in names}
        return [each for word in args for each in same.get(word, [word])]

    def _refuse_repeated(self, ctx: click.Context, args: list[str]) -> None:
        """Keep which options were typed. Raises UsageError for one of a single value that has several."""
        # all options that take one value are read as if they took many, to see how many came
        options = {each.name: copy(each) for each in self.params if isinstance(each, click.Option)}
        single = [each for each in options.values() if not (each.is_flag or each.count or each.multiple)]
        for option in single:
            option.multiple = True
        twin = copy(self)
        twin.params = [options.get(each.name, each) for each in self.params]
        given, _, order = twin.make_parser(ctx).parse_args(list(args))
        ctx.meta[TYPED] = {each.name: each.opts[-1] for each in order if isinstance(each, click.Option)}
        for option in single:
            several = given.get(str(option.name), ())
            values = list(dict.fromkeys(each if isinstance(each, str) else "no value" for each in several))
            if len(values) > 1:
                often = "twice" if len(several) == 2 else f"{len(several)} times"
                raise UsageError(f"{option.opts[-1]} is given {often} ({', '.join(values)}); pass it once")

    def _refuse_places(self, ctx: click.Context) -> None:
        """Raise UsageError for digits with a format that has all of them."""
        formats = [each.type.writers for each in self.params if isinstance(each.type, FormatChoice)]
        writer = formats[0].get(ctx.params["form"]) if formats and "places" in ctx.meta[TYPED] else None
        if writer is not None and writer.exact:
            form = ctx.params["form"]
            raise UsageError(f"--places is for digits that are cut, and --format {form} has all; leave it out")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; say first which names are those of lists, unless a report will."""
        named = [ctx.params.get(name) for name in ("terms", "queries", "pairs")]
        if any(named) and not hasattr(self.callback, "evaluates"):
            from fairtrec.evaluation.inputs.loading import note_list_names

            for note in note_list_names(*named):
                write_stderr(f"# {note}")
        return super().invoke(ctx)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click keeps what the first call made
        """Name both in any context, unless ``-h`` is the short help."""
        return ["--help"] if self.brief else ["-h", "--help"]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the parameters, and perhaps the option of the short help."""
        params = super().get_params(ctx)
        if not self.brief:
            return params
        if not hasattr(self, "_brief_option"):
            self._brief_option = click.Option(
                ["-h", "brief"], is_flag=True, is_eager=True, expose_value=False, callback=_print_brief,
                help="Show the options that most people need, and exit.",
            )  # fmt: skip
        return [*params, self._brief_option]

    def get_short_help_str(self, limit: int = WIDEST) -> str:  # noqa: ARG002
        """Say the first sentence, all of it: a list of commands has room for a second line."""
        return super().get_short_help_str(WIDEST)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the text; examples that are wider than the terminal go on in the next line."""
        if not self.help:
            from fairtrec.measures.catalogue.docstrings import refuse_dropped

            refuse_dropped()
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        width = formatter.width - formatter.indent_increment
        text = [fold_example(each, width) if each.startswith(EXAMPLE) else each for each in paragraphs]
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(text))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, the texts of all in one column."""
        sections: dict[str, dict[int, tuple[str, str]]] = {}
        width = formatter.width - formatter.indent_increment
        first, own, also = find_sections(ctx.command_path.partition(" ")[2] or str(self.name))
        for number, parameter in enumerate(self.get_params(ctx), len(first.split())):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                begins = parameter.name in first.split()
                title = FIRST if begins else own if parameter.name in also.split() else _title(parameter) or own
                place = first.split().index(str(parameter.name)) if begins else number
                sections.setdefault(title, {})[place] = "\n      ".join(_cut(record[0], width)), record[1]
        most = min(LONGEST_TERM, width // 2 - 4)
        terms = [len(term) for rows in sections.values() for term, _ in rows.values()]
        column = max((length for length in terms if length <= most), default=0)
        for title in sorted(sections, key=[FIRST, *[own] * (own != DEFAULT), *SECTIONS].index):
            with formatter.section(title):
                rows = [(f"{term:<{column}}", text) for _, (term, text) in sorted(sections[title].items())]
                formatter.write_dl(rows, col_max=column)


def _print_brief(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    """Print the short help, and end."""
    if is_asked and not ctx.resilient_parsing:
        from fairtrec.cli.short_help import format_short_help

        click.echo(format_short_help(ctx.command, ctx, getattr(ctx.command, "brief", "").split()), nl=False)
        ctx.exit()


def find_sections(words: str) -> command_rows.Sections:
    """Give what a command says of the sections of its help, by the words that call it."""
    registry = command_rows.registry
    name, _, rest = words.partition(" ")
    if rest and registry.has_command(words):
        name, rest = words, ""
    said = registry.load_row(name).sections if registry.has_command(name) else {}
    return said.get(rest, ("", DEFAULT, ""))


def _title(option: click.Parameter) -> str:
    """Name the section of an option, if one has it."""
    name = "help" if "--help" in option.opts else option.name
    for title, names in SECTIONS.items():
        if name in names.split():
            return title
    from fairtrec.evaluation.given import GIVEN
    from fairtrec.evaluation.inputs.options import CHOICES, VIEWS

    row = CHOICES.get(str(name)) or VIEWS.get(str(name))
    if row is not None:
        return row.section
    return next(iter(SECTIONS)) if name in GIVEN else ""


class Commands(Titled, click.Group):
    """A command that has commands."""

    command_class = Titled

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """List the commands in the order in which they are defined."""
        return [*self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Find a command; of a name that nobody knows, say which one is near."""
        found = super().get_command(ctx, cmd_name)
        if found is None:
            from difflib import get_close_matches

            names = self.list_commands(ctx)
            near = [name for name in names if cmd_name.startswith(name)] or get_close_matches(cmd_name, names, 1)
            hint = f"did you mean {near[0]}?" if near else f"{ctx.command_path} --help lists them"
            if not command_rows.registry.is_installed():
                hint = "this checkout is not installed; for the commands of the lab, run: pip install -e ."
            raise click.UsageError(f"there is no command {cmd_name}; {hint}", ctx)
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


def load_command(name: str) -> click.Command:
    """Import a command, and tell it which parameters its short help shows.

    Raises UsageError if that of another package does not load, is no command as ours are, or has another name.
    """
    row = command_rows.registry.load_row(name)
    found = command_rows.registry.load(row, row.place)
    if not isinstance(found, Titled):
        what = "a click command of class fairtrec.cli.commands.Titled"
        raise UsageError(f"the plug-in {row.package} has no command {name} at {row.place}; it must be {what}")
    if found.name != name.rpartition(" ")[2]:
        raise UsageError(f"the plug-in {row.package} calls {name} {found.name}; command and row need one name")
    found.brief = row.brief
    return found


class RegisteredGroup(Commands):
    """A group of the registry's commands, each of which is imported when it is called.

    ``words``  the words before the name of each, such as ``make``; none for the whole command line.
    """

    def __init__(self, *arguments: Any, words: str = "", **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.prefix = f"{words} " if words else ""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """List the names, and import nothing."""
        return self._names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Import a command."""
        name = f"{self.prefix}{cmd_name}"
        return load_command(name) if command_rows.registry.has_command(name) else super().get_command(ctx, cmd_name)

    def list_rows(self) -> list[command_rows.CommandRow]:
        """Give what each command says of itself, in the order of the help."""
        return [*command_rows.registry.list_rows(f"{self.prefix}{name}" for name in self._names())]

    def list_texts(self) -> dict[str, str]:
        """Give the sentence of each command by its name."""
        return {row.name.removeprefix(self.prefix): row.text for row in self.list_rows()}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the names and sentences."""
        with formatter.section("Commands"):
            formatter.write_dl([*self.list_texts().items()])

    def _names(self) -> list[str]:
        known = [each for each in command_rows.registry.list_names() if each.startswith(self.prefix)]
        return [name for each in known if " " not in (name := each.removeprefix(self.prefix))]


def fold_example(example: str, width: int) -> str:
    """Break lines of a shell between options, with a backslash, so that they are no wider than a width.

    >>> print(fold_example("fairtrec eval qrels.txt my.run -m 'nDCG@10 RR' -q", 34))
    fairtrec eval qrels.txt my.run \\
        -m 'nDCG@10 RR' -q
    """
    lines = []
    for line in example.split("\n"):
        if len(line) <= width:
            lines.append(line)
            continue
        command, sign, comment = line.partition(" # ")
        if sign:
            lines.append(f"# {comment.strip()}")
        indent = " " * (len(line) - len(line.lstrip()))
        row = ""
        for word in _WORD.findall(command):
            if row and len(indent) + len(row) + len(word) + 3 > width and word != "\\":
                lines.append(f"{indent}{row} \\")
                indent, row = "    ", ""
            row = f"{row} {word}" if row else word
        lines.append(f"{indent}{row}")
    return "\n".join(lines)


def _cut(term: str, width: int) -> Iterator[str]:
    """Cut the choices of an option into parts that are no wider than a width."""
    part = ""
    for each in re.findall(r"[^|]+\|?", term):
        if part and len(part) + len(each) > width:
            yield part
            part = ""
        part += each
    yield part

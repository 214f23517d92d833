"""What a shell offers where TAB is pressed.

Click says where the cursor is, the metavar says what may stand there: FILE, RUN and their like are files, FOLDER is a
folder, NAME the name of a resource or of what the parameter is called after, MEASURES are measures, words in small
letters are themselves. So an option needs nothing for it but its metavar.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial

import click
from click import shell_completion
from click.shell_completion import CompletionItem
from click.types import StringParamType

from fairtrec.cli.commands import Commands, RegisteredGroup
from fairtrec.support import command_rows
from fairtrec.support.entry_points import find_entry_points
from fairtrec.support.errors import FairtrecError

VARIABLE = "_FAIRTREC_COMPLETE"
FILES = {"FILE", "RUN", "QRELS", "SOURCE", "TRIPLES", "IN", "OUT", "PART", "A", "B", "GOLD", "json"}
FOLDERS = {"FOLDER", "DIR"}
MEASURE_OPTIONS = ("-m", "--measure")
NAMES = os.path.join(os.path.dirname(__file__), "names.txt")  # noqa: PTH118, PTH120 - of measures and rerankers, made by `make docs`
KINDS = {"terms": ("wordlist",), "queries": ("queryset",), "pairs": ("pairs",)}


class QuickCompletion(shell_completion.ShellComplete):
    """Offers measures behind ``-m`` of a command that is not imported for it: that takes a third of the time."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Give what may stand there."""
        if args[-1:] and args[-1] in MEASURE_OPTIONS and command_rows.registry.has_command(args[0]):
            words = {command_rows.registry.load_row(args[0]).measures} - {""}
            if words:
                return [*_offer(((name, None) for name in _catalogued(words)), words, incomplete)]
        return super().get_completions(args, incomplete)


@shell_completion.add_completion_class
class Bash(QuickCompletion, shell_completion.BashComplete):
    """Bash, which is given files and names together; click's script drops the names where there are files."""

    source_template = shell_completion.BashComplete.source_template.replace(
        "COMPREPLY=()\n            compopt -o default",
        'compopt -o default -o filenames\n            COMPREPLY+=($(compgen -f -- "$2"))',
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """Read the words; bash makes three of --terms=gender-en."""
        args, incomplete = super().get_completion_args()
        joined: list[str] = []
        for word in args:
            if joined and joined[-1].startswith("-") and (word == "=" or joined[-1].endswith("=")):
                joined[-1] += word
            else:
                joined.append(word)
        if joined and joined[-1].startswith("-"):
            joined[-1] = joined[-1].removesuffix("=")
        return joined, incomplete


class Whole(QuickCompletion):
    """A shell that takes --terms=gender-en for one word, and replaces it whole."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Give what may stand there, behind the option that it is for."""
        option, sign, _ = incomplete.partition("=")
        before = f"{option}{sign}" if sign and option.startswith("-") else ""
        found = super().get_completions(args, incomplete)
        return [CompletionItem(before + each.value, each.type, each.help) for each in found]


@shell_completion.add_completion_class
class Zsh(Whole, shell_completion.ZshComplete):
    """Zsh, which looks for files behind =."""

    source_template = shell_completion.ZshComplete.source_template.replace(
        "_path_files", "compset -P '*='; _path_files"
    )


@shell_completion.add_completion_class
class Fish(Whole, shell_completion.FishComplete):
    """Fish; it completes names behind =, and no files."""


class Offered(StringParamType):
    """Text, as it was, for which something can be offered."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Give what may stand here and begins with what is typed, in any case."""
        words = set(re.findall(r"\w+", _of_value(param) or (param.name or "").upper()))
        items = [CompletionItem(incomplete, type="file")] * bool(words & FILES)
        items += [CompletionItem(incomplete, type="dir")] * bool(words & FOLDERS and not words & FILES)
        return [*items, *_offer(_names(param, words), words, incomplete)]


def _offer(
    names: Iterable[tuple[str, str | None]], words: Collection[str], incomplete: str
) -> Iterator[CompletionItem]:
    """Give the names that begin with what is typed, in any case; of several values, with the last."""
    takes_several = not {*_read_names()}.isdisjoint(words) and "MEASURE" not in words
    begun, _, last = incomplete.rpartition(" ") if takes_several else ("", "", incomplete)
    before = f"{begun} " if begun else ""
    for value, said in names:
        if value.lower().startswith(last.lower()):
            yield CompletionItem(before + value, help=said)


def _of_value(param: click.Parameter) -> str:
    """Say what a value is called, without the name of the attribute that may stand before it."""
    return (param.metavar or "").removeprefix("[NAME=]")


class OfferingGroup(Commands):
    """A group of the command line while a TAB is answered: its commands are those of another, with values to offer."""

    def __init__(self, whole: RegisteredGroup) -> None:
        super().__init__(whole.name, params=whole.params, context_settings=whole.context_settings)
        self.whole = whole

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands, none of which is imported."""
        return self.whole.list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Find a command, whose parameters know what to offer."""
        found = self.whole.get_command(ctx, cmd_name)
        if isinstance(found, RegisteredGroup):
            return OfferingGroup(found)
        for each in (found, *getattr(found, "commands", {}).values()):
            for parameter in each.params:
                if type(parameter.type) is StringParamType:
                    parameter.type = Offered()
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Give commands, with what they are for, and options."""
        texts = self.whole.list_texts().items()
        found = [CompletionItem(name, help=text) for name, text in texts if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]


def complete(whole: RegisteredGroup, instruction: str) -> int:
    """Do what a shell's script asks for in the variable of the environment; give the exit code."""
    with suppress(FairtrecError):  # nothing is offered then, and nothing said amid what is typed
        return shell_completion.shell_complete(OfferingGroup(whole), {}, "fairtrec", VARIABLE, instruction)
    return 0


def _names(param: click.Parameter, words: Collection[str]) -> Iterator[tuple[str, str | None]]:
    """Give the names that may stand for a parameter, each with what it means, where that is said."""
    from fairtrec.evaluation.inputs.options import CHOICES

    unsaid = partial(map, lambda name: (name, None))
    if param.name == "qrels" and isinstance(param, click.Argument):
        yield "none", "no judgments"
    elif not {*_read_names()}.isdisjoint(words):
        yield from unsaid(_catalogued(words))
    elif (row := CHOICES.get(param.name or "")) and row.words and row.metavar == _of_value(param):
        yield from unsaid(row.words)
    elif "NAME" in words and param.name != "model":
        yield from _resources(KINDS.get(param.name or ""))
    else:
        yield from unsaid(sorted(word for word in words if word.islower() and word != "json"))


@cache
def _read_names() -> dict[str, list[str]]:
    """Read the names of each kind that ``fairtrec measures`` lists, by the metavar that asks for them."""
    found: dict[str, list[str]] = {}
    with open(NAMES, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes its time
        for kind, name in map(str.split, file):
            found.setdefault(kind, []).append(name)
    return found


def _catalogued(words: Collection[str]) -> Iterator[str]:
    """Give the names of measures, and of the other kinds that the words of a metavar ask for."""
    for kind, names in _read_names().items():
        if kind in words or (kind == "MEASURE" and "MEASURES" in words):
            yield from _list_names(kind) if find_entry_points(f"fairtrec.{kind.lower()}s") else names


def _list_names(kind: str) -> list[str]:
    """List the names of a kind, those of plug-ins as well."""
    from fairtrec.measures.catalogue.registry import names

    for row in command_rows.registry.list_rows() if kind != "MEASURE" else ():
        if kind in row.catalogue:
            return list(command_rows.registry.load(row, row.catalogue[kind]).names())
    return names()


def _resources(kinds: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """Give the names of resources of these kinds (None: all), each with its title."""
    from fairtrec.support.resources.passports import passports

    for each in passports():
        if kinds is None or each.kind in kinds:
            yield from ((name, each.title) for name in (each.name, *each.aliases))

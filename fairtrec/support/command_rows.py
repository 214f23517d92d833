"""What a command says of itself before it is imported, and who knows all commands."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

Sections = tuple[str, str, str]
_NONE: Mapping[str, Any] = MappingProxyType({})


class CommandRow(NamedTuple):
    """A command: its name, the group of the help in which it stands, what it does, and how lasting its options are.

    A command of ``fairtrec make`` has a name of two words, such as ``make stances``. A place is a file beside the row
    and a name in it, such as ``command:command``; ``:command`` stands in the file of the row.

    ``measures``  the metavar of its ``-m``, for which a shell offers names before the command is imported.
    ``question``  is what the index of commands asks: the command answers it.
    ``place``     is the place of the click command.
    ``sections``  by the words behind the name ("" where there are none): the options that most users begin with; the
                  title above those that no section has; and which options stand there besides.
    ``brief``     the parameters that its short help shows, ``-h``, in their order; empty: ``-h`` is ``--help``.
    ``answers``   are its formats, by the class of what Python gives back.
    ``study``     is the place of the function that lists its parts of a study.
    ``public``    are the names that Python offers as ``fairtrec.NAME``: the place of each, "" for a module so named.
    ``catalogue`` is what ``fairtrec measures`` lists and describes besides: by the metavar of its names, a module with
                  ``names()``, ``overview()`` and ``page(name)``.
    ``is_first``  shows the command on the first screen, which ``fairtrec`` prints without a command.
    ``package``   is where the row stands: it is set when the row is loaded.
    """

    name: str
    group: str
    text: str
    lasting: Literal["stable", "provisional"]
    place: str = "command:command"
    sections: Mapping[str, Sections] = _NONE
    answers: Mapping[str, Any] = _NONE
    brief: str = ""
    question: str = ""
    measures: Literal["", "MEASURE", "MEASURES"] = ""
    study: str = ""
    public: Mapping[str, str] = _NONE
    catalogue: Mapping[str, str] = _NONE
    is_first: bool = False
    package: str = ""


if TYPE_CHECKING:

    class Registry(Protocol):
        """Who knows all commands: ``fairtrec.commands``, which ``fairtrec/__init__.py`` names here, as it is above."""

        def list_names(self) -> list[str]:
            """List the commands in the order of the help."""

        def has_command(self, name: str) -> bool:
            """Check whether there is a command of this name."""

        def list_rows(self, names: Iterable[str] | None = None) -> Iterator[CommandRow]:
            """Give what these commands, or all, say of themselves."""

        def is_installed(self) -> bool:
            """Check whether the commands of packages are found."""

        def load_row(self, name: str) -> CommandRow:
            """Import what a command says of itself."""

        def load(self, row: CommandRow, place: str) -> Any:
            """Import what a command has at a place."""

        def find_offer(self, name: str) -> tuple[CommandRow, str] | None:
            """Find the command that offers a public name of Python."""


registry: "Registry"

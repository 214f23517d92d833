"""What a command says of itself before it is imported, and who knows all commands."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

Sections = tuple[str, str, str]


class CommandRow(NamedTuple):
    """A command: its name, the group of the help in which it stands, what it does, and how lasting its options are.

    A command of ``fairtrec make`` has a name of two words, such as ``make positions``.

    ``measures``  the metavar of its ``-m``, for which a shell offers names before the command is imported.
    ``question``  is what the index of commands asks: the command answers it.
    ``place``     is where the click command is: a file of the command's folder, and a name in it.
    ``sections``  by the words behind the name ("" where there are none): the options that most users begin with; the
                  title above those that no section has; and which options stand there besides.
    ``brief``     the parameters that its short help shows, ``-h``, in their order; empty: ``-h`` is ``--help``.
    ``answers``   are its formats, by the class of what Python gives back.
    ``study``     is where the function is that lists its parts of a study: a file of its folder, and a name in it.
    """

    name: str
    group: str
    text: str
    lasting: Literal["stable", "provisional"]
    place: str = "command:command"
    sections: Mapping[str, Sections] = MappingProxyType({})
    answers: Mapping[str, Any] = MappingProxyType({})
    brief: str = ""
    question: str = ""
    measures: Literal["", "MEASURE", "MEASURES"] = ""
    study: str = ""


if TYPE_CHECKING:

    class Registry(Protocol):
        """Who knows all commands: ``fairtrec.commands``, which ``fairtrec/__init__.py`` names here, as it is above."""

        COMMANDS: dict[str, tuple[str, str]]

        def load_row(self, name: str) -> CommandRow:
            """Import what a command says of itself."""

        def load_command(self, name: str) -> Any:
            """Import a command."""

        def load_study(self, name: str) -> Any:
            """Import the function that lists the parts of a command in a study."""


registry: "Registry"

"""A row of the table of choices: how users give one, where it plays a part, and how a signature tells it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One option of an evaluation that may change a value; but for what it does, which stands where it acts."""

    name: str = ""  # of its field, which is its keyword
    hint: Any = None  # the type of its values
    default: Any = None
    options: tuple[str, ...]  # of the command line, the long one last
    section: str
    metavar: str | None = None
    help: str
    after: str = ""  # which option it stands behind in the help; else that of the choice above
    only: tuple[str, ...] = ()  # the commands that have the option, where not all that evaluate have it
    but: tuple[str, ...] = ()  # those that evaluate and have it not
    refused: Mapping[str, str] = field(default_factory=dict)  # by command: what it takes in place of that
    part: str = "all"  # words of ``signing``: it plays a part where one of these does
    key: str = ""  # in the signature; none: it stands there as a part of another, or changes how files are read
    behind: str = ""  # which key of the signature that stands behind; else that of the choice above
    tells: Callable[[Any], str] | None = None  # what the signature says of a value; else nothing of the default
    adds: bool = False  # values beside those that there are, which stay
    file: bool = False  # it may be the name of a file
    words: tuple[str, ...] = ()  # that a shell offers where any text is taken
    factor: str | None = ""  # its name in ablate; empty: that of the option; None: it cannot be varied
    values: Mapping[str, Any] = field(default_factory=dict)  # by what ablate calls them, where it is a flag
    trials: tuple[Any, ...]  # for tests: values other than the default

    @property
    def option(self) -> str:
        """The long option, without its dashes."""
        return self.options[-1].removeprefix("--")

    @property
    def varied(self) -> str | None:
        """The name by which ablate varies it; None: it cannot."""
        return self.option if self.factor == "" else self.factor

    @property
    def literals(self) -> tuple[str, ...]:
        """The words of which one is chosen; none where it is a number, a flag or any text."""
        return next((get_args(one) for one in (self.hint, *get_args(self.hint)) if get_origin(one) is Literal), ())

    @property
    def is_flag(self) -> bool:
        """Whether it is yes or no."""
        return bool in (self.hint, *get_args(self.hint))

    @property
    def is_number(self) -> bool:
        """Whether it is a whole number of 1 or more."""
        return self.hint in (int, int | None)

    def heeded(self, command: str) -> bool:
        """Tell whether a command that evaluates has the option."""
        return command in self.only if self.only else command not in self.but

    def told(self, value: Any) -> str:
        """Say what the signature says of a value."""
        if self.tells is not None:
            return self.tells(value)
        return "" if value == self.default else "yes" if value is True else str(value)


def choice(default: Any, options: str, section: str, says: str, **more: Any) -> Any:
    """Make a row of the table: its options are ``-s --long``, the others are those of Choice."""
    row = Choice(options=tuple(options.split()), section=section, help=says, **more)
    return field(default=default, metadata={"choice": row})


def inserted(among: Iterable[str], rows: Iterable[tuple[str, str]]) -> list[str]:
    """Put names among others: each row's behind the one that it says, or else behind the row's before.

    >>> inserted(["a", "z"], [("b", "a"), ("c", ""), ("y", "z")])
    ['a', 'b', 'c', 'z', 'y']
    """
    names = list(among)
    last = names[-1]
    for name, behind in rows:
        names.insert(names.index(behind or last) + 1, name)
        last = name
    return names

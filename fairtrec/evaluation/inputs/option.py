"""A row of the table of options, which inputs/options.py holds.

Nothing here imports click or numpy, so that the command line can be built of it before anything is loaded.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from fairtrec.support.errors import UsageError
from fairtrec.support.files.arguments import is_by_name


class Choice(NamedTuple):
    """One option of an evaluation, all but its effect, which is coded where it acts.

    A choice may change a value; a view option changes how results are shown. Fields from ``part`` to ``values`` are for
    choices only.
    """

    options: tuple[str, ...]  # of the command line, the long one last
    section: str
    help: str
    trials: tuple[Any, ...] = ()  # for tests: values other than the default
    metavar: str | None = None
    after: str = ""  # which option it stands behind in the help; else that of the choice above
    only: tuple[str, ...] = ()  # the commands that have the option, where not all that evaluate may have it
    refused: Mapping[str, str] = MappingProxyType({})  # by command, or "spread": what that takes instead
    conflicts: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})  # by message: whether it applies to ``Asked``
    excludes: Mapping[str, Callable[[Any], Any]] = MappingProxyType({})  # the same of ``Choices``, so in Python too
    part: str = "all"  # words of ``Plan.plays``: it plays a part if one of these is in effect
    key: str = ""  # in the signature; none: it stands there as a part of another, or changes how files are read
    behind: str = ""  # which key of the signature that stands behind; else that of the choice above
    tells: Callable[[Any], str] | None = None  # what the signature says of a value, where that is not the value itself
    always: bool = False  # it says so of the default, too
    adds: bool = False  # values beside those that there are, which stay
    column: str = ""  # the file of evaluation/columns that computes what it adds; {} is the value of the option
    reads_whole: tuple[Any, ...] = ()  # the values with which its column looks at rankings down to their last rank
    drops: bool = (
        False  # documents of rankings, in ``keep_documents``, so that they are read further than measures look
    )
    file: bool = False  # it may be the name of a file
    by_name: bool = False  # each attribute may have its own, as NAME=VALUE
    words: tuple[str, ...] = ()  # that a shell offers where any text is taken
    factor: str | None = ""  # its name where it is varied; empty: that of the option; None: it cannot be
    values: Mapping[str, Any] = MappingProxyType({})  # by what they are called there, where it is a flag
    name: str = ""  # of its field, which is its keyword; this and what follows says the field, but given literals
    hint: Any = None  # the type of its values
    default: Any = None
    literals: tuple[str, ...] = ()  # the words of which one is chosen; none where it is a number, a flag or any text
    is_flag: bool = False  # yes or no
    is_number: bool = False  # a whole number of 1 or more

    @property
    def option(self) -> str:
        """The long option, without its dashes."""
        return self.options[-1].removeprefix("--")

    def refuse(self, conditions: Mapping[str, Callable[[Any], Any]], asked: Any) -> None:
        """Raise UsageError, with its message, for the first condition that applies, if the option is asked for."""
        if conditions and getattr(asked, self.name) != self.default:
            for why, applies in conditions.items():
                if applies(asked):
                    raise UsageError(why.format_map(vars(asked)))

    def describe_value(self, value: Any) -> str:
        """Say what the signature says of a value."""
        if value == self.default and not self.always:
            return ""
        if self.by_name and isinstance(value, Mapping):
            if is_by_name(value):
                return ";".join(
                    f"{name}={self.describe_value(own)}" if name else self.describe_value(own)
                    for name, own in value.items()
                )
            value = ",".join(f"{group}={share}" for group, share in value.items())
        return "yes" if value is True and self.tells is None else (self.tells or str)(value)


class Asked:
    """Everything asked of a report: each option by its name, and properties of its format.

    ``form``         the name of the format.
    ``is_page``      the format compares runs by their means, as html does.
    ``is_binary``    the format is not for a terminal.
    ``has_queries``  the format can show values of queries.
    """

    form: str
    is_page: bool
    is_binary: bool
    has_queries: bool

    def __init__(self, **asked: Any) -> None:
        vars(self).update(asked)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no option {name}")


def insert_names(among: Iterable[str], rows: Iterable[tuple[str, str]]) -> list[str]:
    """Put names among others: each row's behind the one that it says, or if that is not there, the row's before.

    >>> insert_names(["a", "z"], [("b", "a"), ("c", ""), ("d", "x"), ("y", "z")])
    ['a', 'b', 'c', 'd', 'z', 'y']
    """
    names = list(among)
    last = names[-1]
    for name, behind in rows:
        names.insert(names.index(behind if behind in names else last) + 1, name)
        last = name
    return names

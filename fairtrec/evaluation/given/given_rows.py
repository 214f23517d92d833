"""Rows of the table of what may be given beside the runs, and the types of what a caller may give.

Nothing here imports numpy, so that the command line can be built of the table before anything is loaded.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from fairtrec.support.errors import FilePath, UsageError
from fairtrec.support.files.arguments import NAME

if TYPE_CHECKING:
    from fairtrec.evaluation.answers.result import InputFile, Part


class FrameLike(Protocol):
    """A table of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""

    def __getitem__(self, name: str, /) -> Any: ...


class Judged(Protocol):
    """A dataset of ir_datasets with judgments."""

    def qrels_iter(self) -> Iterator[Any]:
        """Give the judgments."""


class Stored(Protocol):
    """A dataset of ir_datasets with documents."""

    def docs_store(self) -> Any:
        """Open the documents."""


NamedRuns = Sequence[tuple[str, Any]]
RankingsLike = FilePath | Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]] | FrameLike | Iterable[Any]
JudgmentsLike = (
    FilePath | Mapping[str, Mapping[str, int]] | Mapping[str, Sequence[str]] | FrameLike | Judged | Iterable[Any]
)
TermsLike = FilePath | Mapping[str, Iterable[str]]
TextsLike = FilePath | Mapping[str, str] | Mapping[str, Mapping[str, str]] | FrameLike | Stored
CountsLike = FilePath | FrameLike
Written = Mapping[str, str]  # by the fields of a signature
Files: TypeAlias = "Mapping[Part, InputFile]"
GroupsLike = FilePath | Mapping[str, str | Iterable[str] | Mapping[str, float]] | FrameLike


@dataclass(frozen=True)
class Attributes:
    """The labels of several attributes: ``sources`` by the name of the attribute."""

    sources: Mapping[str, GroupsLike]  # the labels of each attribute, by its name

    def __post_init__(self) -> None:
        for name in self.sources:
            if not NAME.fullmatch(name):
                raise UsageError(f"{name!r} cannot be the name of an attribute; use letters, digits, _, - and .")


def attributes(**sources: GroupsLike) -> Attributes:
    """Name the labels of several attributes: ``labels=fairtrec.attributes(gender="gender.tsv", region=frame)``.

    Each value is what ``labels`` takes. Names have letters, digits, ``_``, ``-`` and ``.``.

    Raises:
        UsageError: a name with other characters.
    """
    return Attributes(sources)


class Input(NamedTuple):
    """An input of measures that is made of a thing."""

    name: str
    missing: str  # how to call it to a user who has not given it
    give: str  # and by which options to give it
    word: str | None = None  # how `fairtrec measures` calls what is given for it, where not by its name
    beside: str = ""  # another thing that it is made of, as a file or an object
    role: str = ""  # that a column of the runs' own tables has if it is made of that


class Given(NamedTuple):
    """A row of the table of things: the option, the words and the inputs of one; its file says all else."""

    metavar: str = ""
    help: str = ""
    words: tuple[str, ...] = ()  # that may stand in the place of a file
    nothing: str = ""  # the word for none
    by_name: bool = False  # each attribute may have its own, as NAME=VALUE
    file: str = ""  # of this folder, where it is not called as the thing
    inputs: tuple[Input, ...] = ()  # of measures that are made of it

"""What the caller gave beside the runs, as it was given: paths, names or objects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

from fairtrec.catalogue.needs import NEEDS
from fairtrec.errors import PATH, FilePath, InputError, UsageError
from fairtrec.evaluation import loading


class FrameLike(Protocol):
    """A table of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""

    def __getitem__(self, name: str, /) -> Any: ...


class Judged(Protocol):
    """A dataset of ir_datasets with judgements."""

    def qrels_iter(self) -> Iterator[Any]:
        """Give the judgements."""


class Stored(Protocol):
    """A dataset of ir_datasets with documents."""

    def docs_store(self) -> Any:
        """Open the documents."""


RankingsLike = FilePath | Mapping[str, Mapping[str, float]] | FrameLike | Iterable[Any]
JudgementsLike = FilePath | Mapping[str, Mapping[str, int]] | FrameLike | Judged | Iterable[Any]
TermsLike = FilePath | Mapping[str, Iterable[str]]
TextsLike = FilePath | Mapping[str, str] | FrameLike | Stored
CountsLike = FilePath | FrameLike
GroupsLike = FilePath | Mapping[str, str | Iterable[str] | Mapping[str, float]] | FrameLike
WORDS = {  # that stand in the place of a file
    "queries": "common",  # those that every run has
    "background": "collection",  # all documents of it
}
PositionsLike = FilePath | Mapping[str, float | Sequence[float]] | FrameLike


class GivenKeywords(TypedDict, total=False):
    """The fields of Given, as keywords of ``evaluate``."""

    terms: TermsLike | None
    docs: TextsLike | None
    counts: CountsLike | None
    labels: GroupsLike | None
    positions: PositionsLike | None
    counterfactual: RankingsLike | Mapping[str, RankingsLike] | None
    queries: FilePath | Iterable[str] | None
    background: RankingsLike | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Given:
    """What the caller gave beside the runs; None is not given."""

    qrels: JudgementsLike | None = None
    terms: TermsLike | None = None
    docs: TextsLike | None = None
    counts: CountsLike | None = None
    labels: GroupsLike | None = None
    positions: PositionsLike | None = None
    counterfactual: RankingsLike | Mapping[str, RankingsLike] | None = None
    queries: FilePath | Iterable[str] | None = None
    background: RankingsLike | None = None
    gold: GroupsLike | None = None

    def __post_init__(self) -> None:
        if self.docs is not None and self.counts is not None:
            raise UsageError("both texts and counts were given; leave out --docs or --counts")
        others = [f"--{name}" for name in ("docs", "counts", "terms") if getattr(self, name) is not None]
        if self.labels is not None and others:
            raise UsageError(f"both labels and words or counts were given; leave out --labels, or {' '.join(others)}")
        if (
            isinstance(self.background, PATH)
            and "background" not in self.words
            and not loading.is_file(self.background)
        ):
            raise InputError("there is no such file; check --background", self.background)
        if self.docs is not None and self.terms is None:
            raise UsageError("texts were given, but no words to look for; give --terms LIST")
        if self.terms is not None and self.docs is None and self.counts is None:
            raise UsageError("--terms needs texts or counts to look in; give --docs COLLECTION or --counts FILE")
        if "background" in self.words and self.counts is None and self.labels is None:
            raise UsageError("--background collection needs the counts of the collection; give --counts FILE")

    @property
    def words(self) -> frozenset[str]:
        """The names of WORDS under which the word was given, even where there is a file of that name."""
        return frozenset(name for name, each in vars(self).items() if isinstance(each, str) and each == WORDS.get(name))

    @property
    def inputs(self) -> frozenset[str]:
        """The inputs of measures that can be made from this.

        ``Need.made_of`` names fields, and ``grouped``: docs, counts or labels; ``counted``: counts or labels,
        which know all documents; ``run``: a background that is a run.
        """
        given = {name for name, thing in vars(self).items() if thing is not None}
        grouped, counted = bool(given & {"docs", "counts", "labels"}), bool(given & {"counts", "labels"})
        run = "background" in given - self.words
        given |= {word for word, is_so in (("grouped", grouped), ("counted", counted), ("run", run)) if is_so}
        return frozenset(need.name for need in NEEDS.values() if given.issuperset(need.made_of.split()))

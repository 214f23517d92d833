"""What the caller gave beside the runs, as it was given: paths, names or objects."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypedDict

from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import ChoiceKeywords, Choices, unknown_option_error
from fairtrec.measures.catalogue.needs import NEEDS
from fairtrec.support.errors import PATH, FilePath, InputError, UsageError, refuse_first
from fairtrec.support.files.arguments import NAME, renamings
from fairtrec.support.literals import FILLED


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


WORDS = {  # that stand in the place of a file
    "queries": ("common", loading.JUDGED),  # those that every run has; those of the qrels
    "background": ("collection",),  # all documents of it
}
PositionsLike = FilePath | Mapping[str, float | Sequence[float]] | FrameLike
DiscountLike = FilePath | Sequence[float] | Mapping[int, float]


class SourceKeywords(TypedDict, total=False):
    """The fields of Sources, as keywords of ``evaluate``."""

    terms: TermsLike | None
    docs: TextsLike | None
    counts: CountsLike | None
    labels: GroupsLike | Attributes | None
    positions: PositionsLike | None
    discount: DiscountLike | None
    counterfactual: RankingsLike | Mapping[str, RankingsLike] | None
    queries: FilePath | Iterable[str] | None
    background: RankingsLike | None


class Keywords(SourceKeywords, ChoiceKeywords, total=False):
    """What ``evaluate`` and ``evaluator`` take by keyword: what is given beside the runs, and the options."""


class GoldKeywords(Keywords, total=False):
    """What ``evaluate`` takes beyond that."""

    gold: GroupsLike | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Sources:
    """What the caller gave beside the runs; None is not given."""

    qrels: JudgmentsLike | None = None
    terms: TermsLike | None = None
    docs: TextsLike | None = None
    counts: CountsLike | None = None
    labels: GroupsLike | Attributes | None = None
    positions: PositionsLike | None = None
    discount: DiscountLike | None = None
    counterfactual: RankingsLike | Mapping[str, RankingsLike] | None = None
    queries: FilePath | Iterable[str] | None = None
    background: RankingsLike | None = None
    gold: GroupsLike | None = None
    words: frozenset[str] = field(init=False)  # of WORDS: where the word was given, even beside a file of that name
    inputs: frozenset[str] = field(init=False)  # the inputs of measures that can be made from this
    label_sources: Mapping[str, Any] = field(init=False)  # of labels, by attribute; "" where these have no names

    def __post_init__(self) -> None:
        docs, counts = loading.load_table(self.docs), loading.load_table(self.counts)  # they are read, and hashed
        vars(self).update(docs=docs, counts=counts)
        given = {name: thing for name, thing in vars(self).items() if thing is not None}
        words = {name for name, known in WORDS.items() if isinstance(given.get(name), str) and given[name] in known}
        refuse_first(self._faults_of_both(given))
        background = None if "background" in words else self.background
        if isinstance(background, PATH) and not loading.is_file(background):
            raise InputError("there is no such file; check --background", background)
        refuse_first(self._faults_of_lacking(words))
        several = {  # words of ``Need.made_of`` that name no field
            "grouped": {"docs", "counts", "labels"},
            "counted": {"counts", "labels"},  # which know all documents
            "run": {"background"} - words,  # as a background
        }
        made_of = {word for word, names in several.items() if not names.isdisjoint(given)} | given.keys()
        inputs = frozenset(need.name for need in NEEDS.values() if made_of.issuperset(need.made_of.split()))
        sources = self.labels.sources if isinstance(self.labels, Attributes) else {"": self.labels}
        vars(self).update(words=frozenset(words), inputs=inputs, label_sources=sources if "labels" in given else {})

    def _faults_of_both(self, given: Mapping[str, Any]) -> Iterator[tuple[bool, str]]:
        """List what is given that stands for the same."""
        both = "docs" in given and "counts" in given
        yield both, "both texts and counts were given; leave out --docs or --counts"
        others = " ".join(f"--{name}" for name in ("docs", "counts", "terms") if name in given)
        what = "both labels and words or counts were given"
        yield "labels" in given and others != "", f"{what}; leave out --labels, or {others}"

    def _faults_of_lacking(self, words: Collection[str]) -> Iterator[tuple[bool, str]]:
        """List what is given without what it needs."""
        if self.docs is not None:
            yield self.terms is None, "texts were given, but no words to look for; add --terms LIST"
        what = "--terms needs texts or counts; add --docs COLLECTION or --counts FILE"
        yield self.terms is not None and self.docs is None and self.counts is None, what
        yield loading.is_judged(self.queries) and self.qrels is None, loading.NO_QRELS
        what = "--background collection needs the counts of the collection; add --counts FILE"
        yield "background" in words and self.counts is None and self.labels is None, what

    @property
    def is_common(self) -> bool:
        """Whether the queries are those that every run has, so that they follow from the runs."""
        return "queries" in self.words and not loading.is_judged(self.queries)

    @property
    def source_names(self) -> dict[str, Any]:
        """What was given, each by its name; True stands for an object, which has none."""
        found: dict[str, Any] = {}
        for name in SOURCE_NAMES:
            thing = getattr(self, name)
            parts = thing.sources if isinstance(thing, Attributes) else {"": thing}
            told = {
                of: loading.spell_path(each) if isinstance(each, PATH) else each is not None or None
                for of, each in parts.items()
            }
            found[name] = told if isinstance(thing, Attributes) else told[""]
        return found


SOURCE_NAMES = tuple(each.name for each in fields(Sources) if each.init)


def split_keywords(keywords: Mapping[str, Any], known: Iterable[str]) -> tuple[Sources, Choices]:
    """Tell what is given beside runs from the choices. Raises UsageError for a keyword that is not ``known``."""
    named = {name: value for name, value in keywords.items() if name in SOURCE_NAMES}
    rest = {name: value for name, value in keywords.items() if name not in named}
    if strange := [name for name in keywords if name not in {"qrels", *known}]:
        raise unknown_option_error(strange[0], known)
    if isinstance(named["qrels"], str) and named["qrels"] == "none":  # as on the command line
        named["qrels"] = None
    of_gold = named.get("gold") is not None and renamings(rest.get("groups"))
    if rest.get("groups") is not None and named.get("labels") is None and not of_gold:  # before what words lack is told
        raise UsageError("--groups chooses groups of labels; add --labels FILE, or --terms for a word list")
    given, choices = Sources(**named), Choices(**rest)
    if choices.missing in FILLED and given.labels is None:
        what = f"--missing {choices.missing} is for documents without a label; add --labels FILE"
        raise UsageError(f"{what}, or choose error, neutral, skip or worst")
    if choices.bounds == "labels" and given.labels is None:
        what = "--bounds labels is for documents without a label; add --labels FILE"
        raise UsageError(f"{what}, or for documents without a text --bounds texts")
    return given, choices

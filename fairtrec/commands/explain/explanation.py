"""What is known of a value: of each query, of each rank of its ranking, of each word in the document there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, nan
from typing import NamedTuple

from fairtrec.counting.counter import STRIPPED, Lexicon, places
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Result
from fairtrec.measure import Better, Measure
from fairtrec.support.notes import Note

PIECES = {  # in which a tokenizer sees what it sees in the whole text
    "strip": STRIPPED,
    "space": re.compile(r"(?:\A|(?<= ))[^ ]*"),
    "word": re.compile(r"\w+"),
}


@dataclass(frozen=True)
class Mark:
    """Where a group term stands in a text: from letter ``start`` to before ``end``, and the numbers of its groups."""

    start: int
    end: int
    groups: tuple[int, ...]


def marks(lexicon: Lexicon, text: str) -> tuple[Mark, ...]:
    """Find where the terms stand; those that overlap become one mark of the groups of both."""
    tokens, spans = [], []
    for piece in PIECES[lexicon.tokenizer].finditer(text):
        for token in lexicon.tokens(piece[0]):
            tokens.append(token)
            spans.append(piece.span())
    hits = [(*spans[at], lexicon.words[token]) for at, token in enumerate(tokens) if token in lexicon.words]
    for phrase, numbers in lexicon.phrases.items():
        hits += [(spans[at][0], spans[at + len(phrase) - 1][1], numbers) for at in places(tokens, phrase)]
    together: list[Mark] = []
    for start, end, numbers in sorted(hits):
        if together and start < together[-1].end:
            last = together.pop()
            groups = tuple(sorted({*last.groups, *numbers}))
            together.append(Mark(last.start, max(end, last.end), groups))
        else:
            together.append(Mark(start, end, numbers))
    return tuple(together)


NEAR = 12  # digits


class Word(NamedTuple):
    """A word of a document: its group, how often it stands there, and what all of these add to the value.

    Where there are no texts, a group stands for its words. ``adds`` is nan where nothing says what words add.
    """

    term: str
    group: str
    times: float
    adds: float = nan


class RankRow(NamedTuple):
    """A rank of a ranking, from 1, and what it does to the value.

    ``docno``    None where the ranking has ended before.
    ``gain``     what the document is worth at any rank, such as its neutrality.
    ``adds``     all ranks, and the ``rest``, add up to the value.
    ``loses``    the ceiling less what all ranks lose is the value; nan where there is no ceiling.
    ``words``    those that cost most first.
    ``rough``    what the words add is divided by their number, as there are too many to do better.
    ``ideal``    the gain of the document that the best order of the background has there; ``behind`` is what the rank
                 loses against it. nan for measures without a background.
    ``without``  the value without this document, the next ones moving up; nan if it was not asked for.
    ``known``    whether there were counts or a text.
    """

    rank: int
    docno: str | None
    gain: float = nan
    adds: float = nan
    loses: float = nan
    words: tuple[Word, ...] = ()
    rough: bool = False
    known: bool = True
    text: str | None = None
    ideal: float = nan
    behind: float = nan
    without: float = nan


@dataclass(frozen=True)
class Exchange:
    """Two documents that change places, the upper one's rank first, and what the value changes by."""

    ranks: tuple[int, int]
    docnos: tuple[str, str]
    change: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained:
    """The value of one run for one query; nan, and the reason why, where it is undefined.

    ``ceiling`` is what the value would be as ``Explanation.ceiling`` says, and nan where there is none.
    ``what_if`` is the value where a term is not one.
    """

    run: str
    qid: str
    value: float
    rest: float = 0.0
    ceiling: float = nan
    why: str = ""
    places: tuple[RankRow, ...] = ()
    exchange: Exchange | None = None
    what_if: Mapping[str, float] = field(default_factory=dict)

    @property
    def loss(self) -> float:
        """The ceiling less the value."""
        return self.ceiling - self.value


@dataclass(frozen=True)
class TermEffect:
    """What a word adds to a run's value in the mean over its queries, and at how many ranks it stands."""

    term: str
    group: str
    places: int
    adds: float


@dataclass(frozen=True, eq=False)
class RunExplanation:
    """One run's queries, those whose value is undefined among them."""

    run: str  # the name of the run
    queries: tuple[Explained, ...]  # the parts of the value of each query

    @cached_property
    def defined(self) -> tuple[Explained, ...]:
        """The queries that have a value."""
        return tuple(each for each in self.queries if not isnan(each.value))

    def mean(self, name: str) -> float:
        """Average ``value``, ``ceiling`` or ``loss`` over the queries that have a value."""
        return _average([getattr(each, name) for each in self.defined])

    def what_if(self, term: str) -> float:
        """Average the value where a term is not one, over the queries for which it is defined."""
        return _average([value for each in self.queries if not isnan(value := each.what_if[term])])

    def words(self, better: Better) -> tuple[TermEffect, ...]:
        """List what each word adds, the worst first; nothing where nothing says what words add."""
        sums: dict[tuple[str, str], tuple[int, float]] = {}
        for each in self.defined:
            for place in each.places:
                for word in place.words:
                    many, total = sums.get((word.term, word.group), (0, 0.0))
                    sums[word.term, word.group] = many + 1, total + word.adds
        several = [TermEffect(*part, many, total / len(self.defined)) for part, (many, total) in sums.items()]
        known = [each for each in several if not isnan(each.adds)]
        return tuple(sorted(known, key=lambda one: (rank_worst(one.adds, better), -one.places, one.term, one.group)))

    def list_losing(self, better: Better) -> tuple[Explained, ...]:
        """List the worst queries, without those that have all that they could; if none loses, the worst one."""
        several = self.list_worst(better)
        best = rank_worst(several[-1].value, better) if several else 0.0
        losers = [each for each in several if not _is_perfect(each, best, better)]
        return tuple(losers) or several[:1]

    def list_worst(self, better: Better) -> tuple[Explained, ...]:
        """List the queries that have a value, the worst first; of a measure that is neither, the greatest."""
        return tuple(sorted(self.defined, key=lambda one: (rank_worst(one.value, better), one.qid)))


def _average(several: Sequence[float]) -> float:
    return sum(several) / len(several) if several else nan


def _is_perfect(each: Explained, best: float, better: Better) -> bool:
    """Tell whether a value is as good as it could be: its ceiling, or where there is none that of the best query."""
    aim = best if isnan(each.ceiling) else rank_worst(each.ceiling, better)
    return rank_worst(each.value, better) >= aim


def rank_worst(value: float, better: Better) -> float:
    """Give what sorts values so that the worst come first; values alike to 12 digits are alike, and nan is 0."""
    rounded = 0.0 if isnan(value) else round(value, NEAR)
    return rounded if better == "higher" else -rounded if better == "lower" else -abs(rounded)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Explanation(Answer):
    """Why a measure has the values that it has.

    Attributes:
        kind: "sum": each rank adds its part, exactly. "shares": so too, as long as no group's share comes to the other
            side of its target (TED, TExFAIR). "prefix": there are no such parts, so ``adds`` is what the value changes
            by when the rank is added to those above.
        ceiling: what the ceiling is; "" where there is none.
        gain: what a document is worth.
        result: what `evaluate` gives: the same values, and what is needed to have them again.
        lexicon: the terms in texts; without texts None, and groups take the place of words.
        detailed: whether queries were asked for, so that exchanges were looked for.
    """

    measure: Measure  # the measure that is explained
    kind: str
    ceiling: str
    gain: str
    explained: tuple[Explained, ...]  # the parts of the value of each run
    groups: tuple[str, ...]  # the names of the groups
    result: Result
    notes: tuple[Note, ...] = ()  # what a reader must know about the numbers
    lexicon: Lexicon | None = None
    detailed: bool = False
    what_if: tuple[str, ...] = ()  # the terms that were left out, to see what changes
    texts: Mapping[str, str] = field(default_factory=dict)  # of queries, which only readers look at

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        return self.result.signature

    @cached_property
    def runs(self) -> tuple[RunExplanation, ...]:
        """The queries of each run."""
        several: dict[str, list[Explained]] = {}
        for each in self.explained:
            several.setdefault(each.run, []).append(each)
        return tuple(RunExplanation(run, tuple(queries)) for run, queries in several.items())

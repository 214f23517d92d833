"""Lists of terms of which some are left out: one after the other, or random subsets of each group's."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fairtrec.ablation.factors import EACH, Draw
from fairtrec.annotation.counting.by_term import Occurrences
from fairtrec.annotation.counting.counter import Lexicon
from fairtrec.data import Annotations, Bools, Docnos, GroupTerms, Ints
from fairtrec.errors import UsageError
from fairtrec.literals import Tokenizer


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a list, a term and its group each, and how often each stands in some documents.

    ``phrase`` and ``group`` [entry] are their places in ``occurrences`` and in ``terms.groups``.
    """

    terms: GroupTerms
    names: tuple[str, ...]
    phrase: Ints
    group: Ints
    occurrences: Occurrences
    docnos: Docnos

    @classmethod
    def of(cls, terms: GroupTerms, occurrences: Occurrences, docnos: Docnos, how: tuple[Tokenizer, bool]) -> "Entries":
        """Find the entries of a list among the phrases that were counted, by tokeniser and case."""
        place = {phrase: number for number, phrase in enumerate(occurrences.phrases)}
        names, phrases, groups = [], [], []
        for number, group in enumerate(terms.groups):
            for term in terms.terms[group]:
                one = Lexicon.of(GroupTerms("", {"": (term,)}), how[0], case_sensitive=how[1])
                (phrase,) = [(word,) for word in one.words] + list(one.phrases)
                names.append(term)
                phrases.append(place[phrase])
                groups.append(number)
        return cls(terms, tuple(names), np.array(phrases), np.array(groups), occurrences, docnos)

    def counts(self, kept: Bools) -> Annotations:
        """Count the terms of the entries that are ``kept`` [entry]."""
        members = np.zeros((len(self.occurrences.phrases), len(self.terms.groups)), dtype=np.bool_)
        members[self.phrase[kept], self.group[kept]] = True
        found = self.occurrences
        counts = found.counts(members), found.log_counts(members)
        return Annotations(self.terms.groups, self.docnos, found.known, found.tokens, *counts)

    @property
    def documents(self) -> dict[str, int]:
        """In how many documents each term stands, of those that stand in any."""
        many = np.diff(self.occurrences.times.tocsc().indptr)[self.phrase].tolist()
        return {name: number for name, number in zip(self.names, many, strict=True) if number}

    def left_out(self, what: Draw | str, called: str, seed: int) -> Iterator[tuple[str, Bools]]:
        """Give for each variant its name and the entries that are kept; draws are ``called`` so, and numbered.

        Raises UsageError where a group would be left without a term.
        """
        if what == EACH:
            for term in self.documents:
                kept = np.array([name != term for name in self.names])
                self._refuse_empty(kept, term)
                yield term, kept
        elif isinstance(what, Draw):
            for number in range(1, what.times + 1):
                yield f"{called} {number}", self._drawn(what.share, (seed, number))

    def _drawn(self, share: float, seed: tuple[int, int]) -> Bools:
        draw = np.random.default_rng(seed)
        kept = np.zeros(len(self.names), dtype=np.bool_)
        for number in range(len(self.terms.groups)):
            own = np.flatnonzero(self.group == number)
            many = max(1, int(share * len(own) + 0.5))
            kept[draw.choice(own, many, replace=False)] = True
        return kept

    def _refuse_empty(self, kept: Bools, term: str) -> None:
        for number, group in enumerate(self.terms.groups):
            if not (self.group[kept] == number).any():
                raise UsageError(
                    f"{term!r} is the one term of the group {group}, and cannot be left out of {self.terms.name}"
                )

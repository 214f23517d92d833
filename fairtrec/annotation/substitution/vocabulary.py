"""What becomes of the words of a text, by a list of pairs: found by their first tokens, the longest term first."""

import re
from functools import cached_property

from fairtrec.annotation.counting.counter import Lexicon
from fairtrec.annotation.counting.long import WHITE
from fairtrec.annotation.substitution.case import cased, is_name, is_written_as_name, spellings
from fairtrec.data import GroupTerms
from fairtrec.formats.pairs import Counterparts

_TOKEN = re.compile(r"\w+")
_BLANK = b"(?:" + WHITE.pattern + b")+"
_APOSTROPHE = "(?:'|\u2019)".encode()
PRONOUNS = {("her", "his"), ("her", "him"), ("hers", "his")}


class Vocabulary:
    """The words of a list of pairs, ready to be looked up in texts.

    ``ignore_case`` lets names match in lower case, too, as in collections that were lower-cased.
    """

    def __init__(self, pairs: Counterparts, *, ignore_case: bool = False) -> None:
        self.pairs, self.ignore_case = pairs, ignore_case
        self.words: dict[str, list[str]] = {}  # the terms of one token, by their lower case
        self.terms: dict[str, list[tuple[int, re.Pattern[bytes]]]] = {}  # the others, by their first token
        for term in sorted(pairs.partners, key=len, reverse=True):
            first = _TOKEN.match(term)
            assert first is not None
            token = first.group().lower()
            if first.end() == len(term):
                self.words.setdefault(token, []).append(term)
            else:
                self.terms.setdefault(token, []).append((len(term), re.compile(_pattern(term))))
        self.listed: dict[str, list[str]] = {}  # all terms, by their lower case, names first
        for term in sorted(pairs.partners, key=lambda term: not is_name(term)):
            self.listed.setdefault(term.lower().replace("\u2019", "'"), []).append(term)

    @cached_property
    def has_pronouns(self) -> bool:
        """Whether her may become him or his, and his hers or her."""
        return self.pairs.lines >= PRONOUNS and not self.pairs.one_way

    @cached_property
    def lexicon(self) -> Lexicon:
        """The first tokens of all terms, in the spellings that a scan may find."""
        tokens: dict[str, tuple[int, ...]] = {
            spelling.decode(): (0,) for token in (*self.words, *self.terms) for spelling in spellings(token)
        }
        return Lexicon("word", False, ("",), tokens, {})

    def counterpart(self, found: str) -> str | None:
        """Give what a word, or several, of a text become; None, or the same, if they stay.

        >>> from fairtrec.formats import pairs
        >>> words = Vocabulary(pairs.of([("she", "he"), ("Rose", "John")]))
        >>> words.counterpart("SHE"), words.counterpart("ROSE"), words.counterpart("rose")
        ('HE', 'JOHN', None)
        """
        plain = " ".join(found.split()).replace("\u2019", "'")
        for term in self.listed.get(plain.lower(), ()):
            partner = self.pairs.partners[term]
            is_written = not is_name(term) or is_written_as_name(plain, term)
            if partner == term and (is_written or self.ignore_case):
                return found
            if is_written:
                return cased(found, partner)
            if self.ignore_case:
                return partner.lower() if plain.islower() else cased(found, partner)
        return None

    def uncovered(self, groups: GroupTerms) -> list[str]:
        """List the terms of groups that have no counterpart, in the order of the list."""
        every = dict.fromkeys(term for group in groups.groups for term in groups.terms[group])
        return [term for term in every if term.lower() not in self.listed]


def _pattern(term: str) -> bytes:
    parts = []
    for character in term:
        if character == " ":
            parts.append(_BLANK)
        elif character in "'\u2019":
            parts.append(_APOSTROPHE)
        else:
            ways = {character, character.lower(), character.upper()}
            parts.append(b"(?:" + b"|".join(sorted(re.escape(way).encode() for way in ways)) + b")")
    return b"".join(parts)

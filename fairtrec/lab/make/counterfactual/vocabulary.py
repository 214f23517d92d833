"""What becomes of the words of a text, by a list of pairs: found by their first tokens, the longest term first."""

import re
from functools import cached_property
from itertools import product

from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import WHITE_SPACE
from fairtrec.data import GroupTerms
from fairtrec.formats.pairs import Counterparts

_PARTS = re.compile(r"([- ])")


def match_case(found: str, counterpart: str) -> str:
    """Write a counterpart in the case of the word that was found in a text.

    All upper stays all upper, where there are two letters or more; a capital first stays so; else it is as listed.
    Parts between hyphens or blanks take it on one by one where both words have as many.

    >>> match_case("MOTHER-IN-LAW", "father-in-law"), match_case("Mother-In-Law", "father-in-law")
    ('FATHER-IN-LAW', 'Father-In-Law')
    >>> match_case("She", "he")
    'He'
    """
    if _is_upper(found):
        return counterpart.upper()
    ours, theirs = _PARTS.split(" ".join(found.split())), _PARTS.split(counterpart)
    if len(ours) != len(theirs):
        ours, theirs = [found], [counterpart]
    return "".join(_part(one, other) for one, other in zip(ours, theirs, strict=True))


def _part(found: str, counterpart: str) -> str:
    if _is_upper(found):
        return counterpart.upper()
    return counterpart[:1].upper() + counterpart[1:] if found[:1].isupper() else counterpart


def _is_upper(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def is_name(word: str) -> bool:
    """Tell names, which are listed with a capital, from other words."""
    return word != word.lower()


def is_written_as_name(found: str, name: str) -> bool:
    """Tell whether a text has a name as a name: as listed, all upper, or each part with a capital."""
    return found in (name, name.upper(), "".join(part.capitalize() for part in _PARTS.split(name)))


def spellings(token: str) -> set[bytes]:
    """Give the ways to write a token in any case, once its ASCII letters are lower-cased.

    Of a token with many letters beyond ASCII only lower, upper and capitalised.

    >>> sorted(each.decode() for each in spellings("fiancé"))
    ['fiancÉ', 'fiancé']
    """
    low = token.lower()
    choices = [{c} if c.isascii() else {c, *(d for d in (c.upper(), c.lower()) if len(d) == 1)} for c in low]
    if sum(len(each) > 1 for each in choices) > _MOST:
        several = (low, token.upper(), token.capitalize())
        return {each.encode().lower() for each in several}
    return {"".join(each).encode() for each in product(*choices)}


_MOST = 6


_TOKEN = re.compile(r"\w+")
_BLANK = b"(?:" + WHITE_SPACE.pattern + b")+"
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
    def lexicon(self) -> Lexicon:
        """The first tokens of all terms, in the spellings that a scan may find."""
        found = (spelling.decode() for token in (*self.words, *self.terms) for spelling in spellings(token))
        return Lexicon("word", False, ("",), {(spelling,): (0,) for spelling in found})

    def counterpart(self, found: str) -> str | None:
        """Give what a word, or several, of a text become; None, or the same, if they stay.

        >>> from fairtrec.formats import pairs
        >>> words = Vocabulary(pairs.take_pairs([("she", "he"), ("Rose", "John")]))
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
                return match_case(found, partner)
            if self.ignore_case:
                return partner.lower() if plain.islower() else match_case(found, partner)
        return None

    def find_uncovered(self, groups: GroupTerms) -> list[str]:
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

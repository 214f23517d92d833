"""The definition of the counts: which group terms stand in a text, and how often.

Text and terms go through the same tokeniser, which changes numbers, so that the signature names it:

``strip``  split on white space, then take away what is neither letter nor digit from both ends; the default
``space``  split on single blanks and strip nothing, so that empty tokens count; the published programs
``word``   the longest runs of letters, digits and underscores

They are lower-cased unless case matters. A term of several tokens matches where
they follow each other. Every occurrence of every term counts, in each group that lists it.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fairtrec.data import Annotations, Docnos, GroupTerms
from fairtrec.errors import InputError
from fairtrec.literals import Tokenizer

_INNER = re.compile(r"[^\W_]")


def strip(text: str) -> list[str]:
    """Split on white space and strip each token of what is neither letter nor digit.

    >>> strip("She said: 'the king's men' -- (twice).")
    ['She', 'said', 'the', "king's", 'men', 'twice']
    """
    return [token for word in text.split() if (token := word if word.isalnum() else _inner(word))]


def _inner(word: str) -> str:
    first = _INNER.search(word)
    last = _INNER.search(word[::-1])
    return word[first.start() : len(word) - last.start()] if first and last else ""


def space(text: str) -> list[str]:
    """Split on each single blank.

    >>> space("two  blanks.")
    ['two', '', 'blanks.']
    """
    return text.split(" ")


def word(text: str) -> list[str]:
    r"""Find all matches of ``\w+``.

    >>> word("the king's men")
    ['the', 'king', 's', 'men']
    """
    return re.findall(r"\w+", text)


TOKENIZERS: dict[Tokenizer, Callable[[str], list[str]]] = {"strip": strip, "space": space, "word": word}


Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Group terms as a tokeniser sees them: each with the numbers of the groups that list it."""

    tokenizer: Tokenizer
    case_sensitive: bool
    groups: tuple[str, ...]
    words: dict[str, tuple[int, ...]]
    phrases: dict[Phrase, tuple[int, ...]]

    @classmethod
    def of(cls, terms: GroupTerms, tokenizer: Tokenizer = "strip", *, case_sensitive: bool = False) -> "Lexicon":
        """Tokenise a term list. Raises InputError for a term in which the tokeniser sees no token."""
        found: dict[Phrase, dict[int, None]] = {}
        for number, group in enumerate(terms.groups):
            for term in terms.terms[group]:
                phrase = tuple(TOKENIZERS[tokenizer](term if case_sensitive else term.lower()))
                if not phrase:
                    message = f"the tokeniser {tokenizer} finds no token in the term {term!r}; remove or mend the term"
                    raise InputError(message, terms.name)
                found.setdefault(phrase, {})[number] = None
        listed = {phrase: tuple(numbers) for phrase, numbers in found.items()}
        words = {phrase[0]: numbers for phrase, numbers in listed.items() if len(phrase) == 1}
        phrases = {phrase: numbers for phrase, numbers in listed.items() if len(phrase) > 1}
        return cls(tokenizer, case_sensitive, terms.groups, words, phrases)

    @property
    def shared(self) -> tuple[str, ...]:
        """The terms that more than one group lists."""
        single = [term for term, numbers in self.words.items() if len(numbers) > 1]
        return (*single, *(" ".join(phrase) for phrase, numbers in self.phrases.items() if len(numbers) > 1))

    def tokens(self, text: str) -> list[str]:
        """Tokenise a text."""
        return TOKENIZERS[self.tokenizer](text if self.case_sensitive else text.lower())

    def occurrences(self, tokens: list[str]) -> list[tuple[tuple[int, ...], int]]:
        """Find the terms in a text: for each, the numbers of its groups and how often it stands there."""
        words = Counter(token for token in tokens if token in self.words)
        found = [(self.words[word], times) for word, times in words.items()]
        for phrase, numbers in self.phrases.items():
            if phrase[0] in tokens:
                places = range(len(tokens) - len(phrase) + 1)
                times = sum(tuple(tokens[i : i + len(phrase)]) == phrase for i in places)
                found.append((numbers, times))
        return found


def annotate(texts: Iterable[tuple[int, str]], docnos: Docnos, lexicon: Lexicon) -> Annotations:
    """Count tokens and group terms in texts, each of which comes with its row in ``docnos``."""
    known = np.zeros(len(docnos), dtype=np.bool_)
    tokens = np.zeros(len(docnos), dtype=np.int64)
    counts = np.zeros((len(docnos), len(lexicon.groups)), dtype=np.int64)
    log_counts = np.zeros(counts.shape)
    for row, text in texts:
        words = lexicon.tokens(text)
        known[row] = True
        tokens[row] = len(words)
        for numbers, times in lexicon.occurrences(words):
            for number in numbers if times else ():
                counts[row, number] += times
                log_counts[row, number] += math.log(times)
    return Annotations(lexicon.groups, docnos, known, tokens, counts, log_counts)

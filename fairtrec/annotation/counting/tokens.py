"""Tokenisers: from a text to its tokens. Which one is in use changes numbers, so the signature names it.

``strip``  split on white space, then take away what is neither letter nor digit from both ends; the default
``space``  split on single blanks and strip nothing, so that empty tokens count; the published programs
``word``   the longest runs of letters, digits and underscores
"""

import re
from collections.abc import Callable

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

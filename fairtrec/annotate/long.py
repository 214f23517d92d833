"""Very long documents, made fit for a counter whose memory grows with the longest stretch without a blank.

Tokens and terms stay what they are: letters are lower-cased, white space that is not ASCII becomes a blank, and a
token far longer than any term becomes another one that is no term either.
"""

import re

from fairtrec.annotate.counter import Lexicon

PIECE = 1 << 20  # bytes; documents that are longer are worked on in pieces of about this size
_INNER = re.compile(r"[^\W_]")
_SEPARATORS = {"strip": re.compile(r"\s+"), "word": re.compile(r"\W+")}


def shortened(text: bytes, lexicon: Lexicon) -> bytes:
    """Give a text of the same counts in which no token is long."""
    blank = re.compile(rb" " if lexicon.tokenizer == "space" else rb"[\t-\r\x1c-\x20]")
    result = bytearray()
    start = 0
    while start < len(text):
        cut = blank.search(text, start + PIECE)
        stop = cut.end() if cut else len(text)
        result += _piece(text[start:stop].decode(), lexicon).encode()
        start = stop
    return bytes(result)


def _piece(text: str, lexicon: Lexicon) -> str:
    """Shorten a piece between two blanks: what stands there has no influence on the case of what is outside."""
    if not lexicon.case_sensitive:
        text = text.lower()
    if len(text) <= PIECE:
        return text
    if lexicon.tokenizer != "space":
        text = _SEPARATORS[lexicon.tokenizer].sub(" ", text)
    tokens = [*lexicon.words, *(token for phrase in lexicon.phrases for token in phrase)]
    longest = max(map(len, tokens), default=0)

    def other(match: re.Match[str]) -> str:
        token = match.group()
        if lexicon.tokenizer == "strip":
            token = _core(token)
        return token if len(token) <= longest else "x" * (longest + 1)

    return re.sub(f"[^ ]{{{max(PIECE // 2, longest + 1)},}}", other, text)


def _core(token: str) -> str:
    """Strip a token, a piece at a time."""
    first = _INNER.search(token)
    if not first:
        return ""
    end = len(token)
    while not (last := _INNER.search(token[max(0, end - PIECE) : end][::-1])):
        end -= PIECE
    return token[first.start() : end - last.start()]

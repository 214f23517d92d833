"""A JSON line taken apart so that single texts can be written anew, and all else stays as it stands."""

import json
import re
from dataclasses import dataclass
from typing import Any

from fairtrec.annotation.counting.documents import encoded
from fairtrec.formats import collection

TEXTS = ("title", "text", "contents")  # the keys whose values change
_BLANK = re.compile(r"[ \t\r\n]*")
_value = json.JSONDecoder().raw_decode


@dataclass(frozen=True)
class JsonLine:
    """A line, and its texts: from which to which character each stands, quotation marks included, and what it says."""

    line: str
    docno: bytes
    places: tuple[tuple[int, int], ...]
    texts: tuple[bytes, ...]

    def written(self, texts: dict[int, bytes]) -> str:
        """Write the line with some of its texts, by their numbers, replaced."""
        pieces: list[str] = []
        at = 0
        for number, text in texts.items():
            begin, end = self.places[number]
            pieces += (self.line[at:begin], json.dumps(text.decode(), ensure_ascii=False))
            at = end
        return "".join(pieces) + self.line[at:]


def parsed(line: bytes) -> JsonLine:
    """Take a line apart. Raises ValueError, with a message for the user, where it holds no document."""
    text = line.decode()
    members: dict[str, Any] = {}
    places, texts = [], []
    try:
        for key, value, begin, end in _members(text):
            members[key] = value
            if key in TEXTS and isinstance(value, str):
                places.append((begin, end))
                texts.append(encoded(value))
    except (ValueError, RecursionError):
        collection.parsed(line)  # says what is wrong
        raise
    docno, _ = collection.of_object(members)
    return JsonLine(text, docno, tuple(places), tuple(texts))


def _members(text: str) -> Any:
    """Give key, value and place of the value of each member of an object. Raises ValueError for what is none."""
    at = _behind(text, 0, "{")
    if text[at : at + 1] == "}":
        at += 1
    else:
        while True:
            key, at = _value(text, at)
            if not isinstance(key, str):
                raise ValueError(key)  # noqa: TRY004 - of the file
            begin = _behind(text, at, ":")
            value, at = _value(text, begin)
            yield key, value, begin, at
            at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
            if text[at : at + 1] == "}":
                at += 1
                break
            at = _behind(text, at, ",")
    if text[at:].strip(" \t\r\n"):
        raise ValueError(text)


def _behind(text: str, at: int, mark: str) -> int:
    at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
    if text[at : at + 1] != mark:
        raise ValueError(text)
    return _BLANK.match(text, at + 1).end()  # type: ignore[union-attr]

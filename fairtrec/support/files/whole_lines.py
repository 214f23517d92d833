"""Lines of a stream that may be damaged, all before the damage can still be worked on; objects of JSON lines."""

from collections.abc import Iterator
from typing import Any

from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening

PIECE = 1 << 20  # bytes that are read at a time


class Lines:
    """The lines of a stream, ``size`` bytes or a little more at a time; of one far longer than ``longest`` the start.

    Where the stream can be read no further, a line has no end within ``endless`` bytes, or blank lines have none,
    ``damage`` says why, and ``rest`` is what stands behind the last line end.
    """

    def __init__(self, stream: Any, size: int, longest: int, endless: int | None = None) -> None:
        self.stream, self.size, self.longest, self.endless = stream, size, longest, endless
        self.damage = ""
        self.rest = b""

    def __iter__(self) -> Iterator[bytes]:
        held: list[bytes] = []
        size = 0  # of what is held
        behind = 0  # bytes of the line that is not at its end
        blank = 0  # bytes of pieces that are nothing else
        while data := self._read():
            blank = blank + len(data) if data.isspace() else 0
            if blank > opening.LARGEST_BLANK:
                self.damage = opening.endlessly_blank()
                text = b"".join(held)
                held = [text[: text.find(b"\n", len(text.rstrip())) + 1]]
                break
            end = data.rfind(b"\n") + 1
            if end == 0 and behind > self.longest + 2:  # the line is too long, and all of it that is needed is here
                behind += len(data)
                if self.endless is not None and behind > self.endless:
                    self.damage = f"a line of more than {self.endless >> 20} MiB; break it up"
                    break
                continue
            behind = len(data) - end if end else behind + len(data)
            held.append(data)
            size += len(data)
            if size >= self.size and end:
                text = b"".join(held)
                while cut := text.find(b"\n", self.size) + 1:
                    yield text[:cut]
                    text = text[cut:]
                held, size = [text], len(text)
        text = b"".join(held)
        end = text.rfind(b"\n") + 1 if self.damage else len(text)
        self.rest = text[end:]
        if end:
            yield text[:end]

    def _read(self) -> bytes:
        try:
            data: bytes = self.stream.read1(PIECE)
        except opening.DAMAGE as fault:
            self.damage = opening.describe_damage(fault)
            return b""
        return data


def parse_object(line: bytes | str, example: str, path: FilePath, number: int) -> dict[str, Any]:
    """Read a line. Raises InputError if it is not JSON, or no object, which then should be like the example."""
    from fairtrec.support.files import json_text

    found = json_text.parse_at(line, path, number)
    if not isinstance(found, dict):
        raise InputError(f"the line is not an object; write it like {example}", path, number)
    return found

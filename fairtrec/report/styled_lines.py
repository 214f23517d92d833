"""Lines of text: in color on a terminal if rich is installed, else plain."""

import io
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import groupby
from unicodedata import category, east_asian_width

Line = Sequence[tuple[str, str]]  # parts, each with its style in the words of rich: "bold green", "dim", ""
# Letters that are wide since Unicode 16, which Python has from 3.14 on.
WIDENED = (
    ("\u2630", "\u2637"),
    ("\u268a", "\u268f"),
    ("\u4dc0", "\u4dff"),
    ("\U0001d300", "\U0001d356"),
    ("\U0001d360", "\U0001d376"),
)


def is_rich_here() -> bool:
    """Tell whether rich is installed, which colors text and draws bars of progress."""
    return find_spec("rich") is not None


def render_lines(lines: Iterable[Line], *, terminal: bool) -> str:
    """Write lines, in color for a terminal; blanks at the end of a line are left out.

    >>> render_lines([[("nDCG", "bold"), (" 0.5 ", "")], []], terminal=False)
    'nDCG 0.5\\n\\n'
    """
    if not (terminal and is_rich_here()):
        return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
    from rich.console import Console
    from rich.text import Text

    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, highlight=False)
    for line in lines:
        console.print(Text.assemble(*_without_end(line)), soft_wrap=True)
    return stream.getvalue()


def _without_end(line: Line) -> list[tuple[str, str]]:
    """Join neighbors of one style, and leave out blanks at the end, which would be colored."""
    parts = [("".join(text for text, _ in same), style) for style, same in groupby(line, key=lambda part: part[1])]
    while parts and not parts[-1][0].rstrip():
        parts.pop()
    if parts:
        text, style = parts[-1]
        parts[-1] = text.rstrip(), style
    return parts


def measure_width(text: str) -> int:
    """Count the columns of a terminal that a text takes: two for a wide letter, none for a mark above another.

    >>> measure_width("nDCG ↑"), measure_width("女"), measure_width("e\u0301")
    (6, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(0 if category(each) in ("Mn", "Me", "Cf") else 2 if _is_wide(each) else 1 for each in text)


def _is_wide(letter: str) -> bool:
    """Tell whether a letter takes two columns, with any version of Python."""
    return east_asian_width(letter) in "WF" or any(first <= letter <= last for first, last in WIDENED)

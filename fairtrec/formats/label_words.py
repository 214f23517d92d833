"""The words of labels: what names a group, which number it has, and into which bin a number falls."""

import re
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Docs, is_number
from fairtrec.formats.columns import WIDEST

_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
)  # and what ends lines; other marks may be in names
LACKING = "this label has no docno or no group; give both as text"


def word(cell: Any) -> str | None:
    """Write a name on a line, as a run has it; None if that cannot be. A number is written without needless zeros.

    >>> word("F"), word(3.0), word(True), word(["F"])
    ('F', '3', 'true', None)
    """
    if isinstance(cell, Enum):
        cell = cell.name
    if isinstance(cell, bytes):
        cell = cell.decode(errors="replace")
    if isinstance(cell, bool):
        cell = str(cell).lower()
    if isinstance(cell, float):
        cell = int(cell) if cell.is_integer() else repr(cell)
    text = str(cell).strip() if isinstance(cell, str | int) else None
    return text if text is not None and len(text) <= WIDEST and not _CONTROL.search(text) else None


class GroupCodes(dict[Any, int]):
    """The number of each group, by the cells that name it; numbers are put into bins where there are ``cuts``."""

    def __init__(self, cuts: Sequence[str], *, strict: bool) -> None:
        super().__init__()
        self.strict = strict
        self.edges = [float(cut) for cut in cuts]
        inner = [f"{low}-<{high}" for low, high in pairwise(cuts)]
        self.bins = [f"<{cuts[0]}", *inner, f">={cuts[-1]}"] if cuts else []
        self.names: dict[str, int] = {name: code for code, name in enumerate(self.bins)}

    def __missing__(self, cell: Any) -> int:
        text = "" if cell is None else word(cell)
        if text is None or (self.strict and not text):
            raise ValueError(LACKING)
        text = text or UNKNOWN
        if self.bins and text not in (UNKNOWN, NONE):
            if not is_number(text):
                raise ValueError(f"the label {text!r} is not a number, as bins take; correct it, or leave the bins out")
            text = self.bins[int(np.searchsorted(self.edges, float(text), side="right"))]
        code = self[cell] = self.names.setdefault(text, len(self.names))
        return code


def is_id(cell: Any) -> bool:
    """Tell whether this can be the id of a document or query: text or a whole number."""
    return isinstance(cell, str | int) and not isinstance(cell, bool)


def kind_of(value: Any) -> Literal["counts", "list", "one"]:
    """Tell what stands in a field: counts by group, a list of groups, or one."""
    several = isinstance(value, list | tuple | set | frozenset)
    return "counts" if isinstance(value, dict) else "list" if several else "one"


def odd_name(names: Docs, *, empty: bool = False) -> int | None:
    """Find a name that no line of a run could hold; ``empty`` ones may be allowed."""
    letters = names.view(np.uint8).reshape(len(names), -1)
    odd = (((letters <= ord(" ")) & (letters != 0)) | (letters == 127)).any(axis=1) | (
        (letters[:, 0] == 0) & (not empty)
    )
    if (letters >= 128).any():
        high = np.flatnonzero((letters >= 128).any(axis=1))
        odd[high] |= [word(name) is None or b" " in name for name in names[high].tolist()]
    return int(odd.argmax()) if odd.any() else None

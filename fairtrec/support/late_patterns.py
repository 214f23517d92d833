"""Patterns of modules that most commands import and few use: compiled when they are first used."""

import re
from typing import Any, AnyStr, cast


class _LatePattern:
    """Stands for a pattern until something is asked of it."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # so that this is called once for each method
        return found


def compile_late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Make a pattern that is compiled when one of its methods is first called; for constants of modules.

    >>> compile_late("[0-9]+").findall("1 and 2")
    ['1', '2']
    """
    return cast("re.Pattern[AnyStr]", _LatePattern(pattern, flags))

"""``pt.fairness`` in PyTerrier: all that ``fairtrec.ir_measures`` has, which is imported when it is first used.

PyTerrier loads this module whenever it is imported itself, by the entry point ``pyterrier.modules``: so nothing is
imported here, and nothing can fail.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Give a measure, ``given`` or ``parse``; our measures are then registered with ir_measures."""
    if name.startswith("_"):  # which Python and its tools look for in any module
        raise AttributeError(f"module 'fairtrec.pyterrier' has no attribute {name!r}")
    from fairtrec import ir_measures

    return getattr(ir_measures, name)


def __dir__() -> list[str]:
    from fairtrec import ir_measures

    return dir(ir_measures)

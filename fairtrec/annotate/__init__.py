"""From texts to counts: how many tokens a document has, and how many of them mark each group."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairtrec.annotate.counter import Lexicon
    from fairtrec.annotate.kernel import Kernel


def fastest(lexicon: "Lexicon") -> "Kernel":
    """Give the compiled counter where numba works here, else the one in numpy; ``name`` tells which it is."""
    try:
        from fairtrec.annotate.compiled import Compiled
    except (ImportError, RuntimeError):  # RuntimeError: there is no folder where numba may keep what it compiles
        from fairtrec.annotate.kernel import Kernel

        return Kernel(lexicon)
    return Compiled(lexicon)

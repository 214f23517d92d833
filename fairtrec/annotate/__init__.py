"""From texts to counts: how many tokens a document has, and how many of them mark each group."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairtrec.annotate.counter import Lexicon
    from fairtrec.annotate.kernel import Kernel


def fastest(lexicon: "Lexicon") -> "Kernel":
    """Give the compiled counter where numba works here, else the one in numpy; ``name`` tells which it is."""
    from fairtrec.annotate.compiled import Compiled
    from fairtrec.annotate.kernel import Kernel

    try:
        return Compiled(lexicon)
    except (ImportError, RuntimeError):
        return Kernel(lexicon)

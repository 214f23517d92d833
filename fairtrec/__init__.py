"""trec_eval for fairness: how fairly do rankings represent groups?

``fairtrec.evaluate`` does from Python what ``fairtrec eval`` does from the shell; ``fairtrec.compare`` and
``fairtrec.correlate`` do with its result what ``fairtrec compare`` does.
"""

from typing import TYPE_CHECKING, Any

from fairtrec.version import __version__

__all__ = ["Choices", "Result", "Scores", "__version__", "compare", "correlate", "evaluate"]

if TYPE_CHECKING:
    from fairtrec.api import Result, evaluate
    from fairtrec.association import correlate
    from fairtrec.comparison import compare
    from fairtrec.evaluation import Scores
    from fairtrec.plan import Choices


def __getattr__(name: str) -> Any:
    """Import the interface when it is first used, so that ``fairtrec --help`` need not."""
    if name not in __all__ or name == "__version__":
        raise AttributeError(f"module 'fairtrec' has no attribute {name!r}")
    from importlib import import_module

    place = {"compare": "comparison", "correlate": "association"}.get(name, "api")
    return getattr(import_module(f"fairtrec.{place}"), name)

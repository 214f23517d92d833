"""What holds of every measure, reranker and command, as tests: a package that adds one inherits them."""

from fairtrec.testing.commands import CommandContract
from fairtrec.testing.measures import MeasureContract
from fairtrec.testing.rerankers import RerankerContract

__all__ = ["CommandContract", "MeasureContract", "RerankerContract"]

"""All that you import to write a reranker: see ``fairtrec/lab/reranker/``."""

from fairtrec.lab.reranker import *  # noqa: F403 - this is its public name
from fairtrec.lab.reranker import __all__  # noqa: F401

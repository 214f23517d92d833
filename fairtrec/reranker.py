"""What a reranker is: a frozen dataclass of parameters. You call it on its inputs, and it returns an order.

``__call__`` names its inputs, as measures do: those of ``fairtrec/measures/catalogue/needs.py``, and those of
RerankerInputs, which only rerankers have. The docstring of the class is its page.

This module has everything that you import to write a reranker. fairtrec.testing has the tests that you inherit.
"""

from fairtrec.lab.reranker import *  # noqa: F403 - this is its public name
from fairtrec.lab.reranker import __all__  # noqa: F401

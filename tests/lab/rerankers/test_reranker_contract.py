"""What holds of every reranker holds of each of ours."""

from functools import cache

import pytest

from fairtrec.lab.rerank import catalogue as rerankers
from fairtrec.rerankers import BUILT_IN
from fairtrec.testing import RerankerContract


@cache
def contract(name):
    """Make one for all laws, whose collections are drawn once."""
    kind = type(f"Test{name}", (RerankerContract,), {"reranker": rerankers.find(name), "inserts": name == "Oracle"})
    return kind()


@pytest.mark.long
@pytest.mark.parametrize("law", [name for name in dir(RerankerContract) if name.startswith("test_")])
@pytest.mark.parametrize("name", BUILT_IN)
def test_contract(name, law):
    getattr(contract(name), law)()

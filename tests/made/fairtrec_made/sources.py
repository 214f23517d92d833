"""The source of the package, as rules of the house look at it."""

import ast
from functools import cache


@cache
def parse(source):
    """Parse a file, which several rules look at, once."""
    return ast.parse(source)


@cache
def list_nodes(source):
    """List all nodes of a file, which several rules look through, once."""
    return [*ast.walk(parse(source))]

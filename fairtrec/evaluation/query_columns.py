"""What the runs' own tables say of queries, by the roles of their columns: clusters and slices."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairtrec.data import System, order_by_number
from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.given.cluster import add_clusters
from fairtrec.formats.column_roles import OF_QUERIES, OwnColumn, Roles


def add_query_columns(result: Result, roles: Roles, named: Sequence[tuple[str, Any]]) -> Result:
    """Add to a result of these runs the clusters and slices of queries that columns of their own tables hold.

    Raises InputError for a query without a cluster, and for one with two of either.
    """
    from fairtrec.formats.own_columns import read_queries

    failed = dict(result.failed)
    runs = tuple(each for each in named if each[0] not in failed and not isinstance(each[1], System))
    found = {role: read_queries(OwnColumn(role, roles, runs)) for role in OF_QUERIES if role in roles and runs}
    if "cluster" in found:
        result = add_clusters(result, found["cluster"])
    return replace(result, slices=group_slices(found["slice"])) if "slice" in found else result


def group_slices(of_queries: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Give the queries of each slice; slices that are numbers by size, others as text.

    >>> group_slices({"q2": "10", "q1": "9", "q3": "9"})
    {'9': ('q1', 'q3'), '10': ('q2',)}
    """
    found: dict[str, list[str]] = {}
    for qid in sorted(of_queries):
        found.setdefault(of_queries[qid], []).append(qid)
    names = sorted(found)
    return {name: tuple(found[name]) for name in order_by_number(names) or names}

"""Who belongs to which group: looked up in labels, or told from the counts of group terms by a rule.

Membership has the shape [..., group], between 0 and 1. A row of nan: there is no document, or nothing is known of it.
A row of zeros: the document belongs to no group.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from fairtrec import distribution
from fairtrec.data import NOTHING, Docnos, Docs, Floats, Ints, Labels, Positions

Rule = Literal["share", "majority", "any"]


def looked_up(table: Labels | Positions, qids: Sequence[str], docnos: Docs, lines: Ints) -> Floats:
    """Look up documents, ``docnos[lines]`` with lines [query, n]; nan where there is no document or no entry."""
    values = table.weights if isinstance(table, Labels) else table.values
    there = lines != NOTHING
    names = docnos[lines[there]]
    if table.per_query:
        query = np.broadcast_to(np.arange(len(qids))[:, None], lines.shape)[there]
        prefixes = np.array([f"{qid} ".encode() for qid in qids], dtype=np.bytes_)
        names = np.char.add(prefixes[query], names)
    rows = table.rows.rows(names)
    found = np.full((*lines.shape, values.shape[1]), np.nan)
    found[there] = np.where((rows != NOTHING)[:, None], values[rows], np.nan)
    return found


def by_rule(counts: Floats, rule: Rule) -> Floats:
    """Tell membership from occurrences of group terms [..., group].

    ``share``: the group's part of all group terms; ``majority``: whole in the group of most terms, in none where two
    have the most; ``any``: whole in each group of which a term occurs.

    >>> by_rule(np.array([[3.0, 1.0], [2.0, 2.0], [0.0, 0.0]]), "majority").tolist()
    [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    """
    unknown = np.isnan(counts)
    if rule == "share":
        membership = np.nan_to_num(distribution.shares(counts))
    elif rule == "any":
        membership = (counts > 0).astype(np.float64)
    else:
        most = counts == counts.max(axis=-1, keepdims=True)
        single = (most.sum(axis=-1, keepdims=True) == 1) & (counts > 0)
        membership = (most & single).astype(np.float64)
    return np.where(unknown, np.nan, membership)


def product(first: Labels, second: Labels) -> Labels:
    """Cross two attributes: the group ``a*b`` holds what is in a and in b, by the product of the weights."""
    assert first.per_query == second.per_query
    names = Docnos.of(np.concatenate([first.rows.names, second.rows.names]))
    left, right = (_aligned(labels, names) for labels in (first, second))
    weights = (left[:, :, None] * right[:, None, :]).reshape(len(names), -1)
    groups = [f"{a}*{b}" for a in first.groups for b in second.groups]
    order = np.argsort(groups)
    return Labels(
        f"{first.name}*{second.name}", tuple(groups[i] for i in order), names, weights[:, order], first.per_query
    )


def _aligned(labels: Labels, names: Docnos) -> Floats:
    rows = labels.rows.rows(names.names)
    return np.where((rows != NOTHING)[:, None], labels.weights[rows], np.nan)

"""Who belongs to which group: looked up in labels, or told from the counts of group terms by a rule.

Membership has the shape [..., group], between 0 and 1. A row of nan: there is no document, or nothing is known of it.
A row of zeros: the document belongs to no group.
"""

from functools import reduce

import numpy as np

from fairtrec.data import Floats
from fairtrec.formulas import distribution
from fairtrec.literals import Rule


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
        columns = list(np.moveaxis(counts, -1, 0))  # far fewer than documents
        most = reduce(np.maximum, columns)
        several = sum(column == most for column in columns) > 1
        membership = np.stack([(column == most) & (column > 0) & ~several for column in columns], axis=-1) * 1.0
    return np.where(unknown, np.nan, membership)

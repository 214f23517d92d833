"""Targets per query: ``qid<TAB>group<TAB>share``, the shares of a query's groups summing to 1."""

import numpy as np

from fairtrec.data import Floats
from fairtrec.errors import FilePath, InputError
from fairtrec.files import opening
from fairtrec.formulas.distribution import sums_to_one


def read(path: FilePath, groups: tuple[str, ...]) -> dict[str, Floats]:
    """Read targets; a group that is not named has the share 0.

    Raises InputError for a bad line, an unknown group, a group that stands twice, and shares that do not sum to 1.
    """
    targets: dict[str, Floats] = {}
    first: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    for number, line in opening.lines(path, comment=b"#"):
        cells = [cell.strip() for cell in line.decode().split("\t")]
        if len(cells) != 3 or not cells[0]:
            message = f"{len(cells)} columns where a target has three; write: qid<TAB>group<TAB>share"
            raise InputError(message, path, number)
        qid, group, share = cells
        if group not in groups:
            raise InputError(f"there is no group {group!r}; the groups are {', '.join(groups)}", path, number)
        target = targets.setdefault(qid, np.zeros(len(groups)))
        first.setdefault(qid, number)
        try:
            value = float(share)
        except ValueError:
            raise InputError(f"the share {share!r} is not a number; correct it", path, number) from None
        if (qid, group) in seen:
            raise InputError(f"query {qid} has the group {group} twice; keep one line", path, number)
        seen.add((qid, group))
        target[groups.index(group)] = value
    for qid, target in targets.items():
        if not sums_to_one(target):
            message = f"the shares of query {qid} sum to {target.sum():g}; they must be 0 or more and sum to 1"
            raise InputError(message, path, first[qid])
    return targets

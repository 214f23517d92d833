"""Folds: each query's values come from a variant that was chosen without it."""

from collections import Counter
from dataclasses import dataclass
from os import fspath
from pathlib import Path

import numpy as np

from fairtrec.data import Bools, Ints
from fairtrec.errors import FilePath, InputError, UsageError
from fairtrec.evaluation.signature import short
from fairtrec.files import opening
from fairtrec.formats import tsv


@dataclass(frozen=True, eq=False)
class Folds:
    """Which fold each query is in: ``of`` [query] are places in ``names``; one fold alone means no folds at all."""

    names: tuple[str, ...]
    of: Ints
    spelled: str  # as a signature names them
    how: str  # as a reader is told

    @property
    def held_out(self) -> bool:
        """Whether a query's variant is chosen without it."""
        return len(self.names) > 1

    @property
    def training(self) -> Bools:
        """The queries that the variant of each fold is chosen by [fold, query]."""
        inside: Bools = self.of == np.arange(len(self.names))[:, None]
        return ~inside if self.held_out else inside

    @property
    def sizes(self) -> str:
        """How many folds of how many queries there are."""
        many = np.bincount(self.of, minlength=len(self.names))
        of = f"{many.min()}" if many.min() == many.max() else f"{many.min()} to {many.max()}"
        return f"{len(self.names)} folds of {of}"


def divide(qids: tuple[str, ...], folds: int | FilePath) -> Folds:
    """Deal sorted queries to so many folds in turn, or as the lines of a file say: qid and fold.

    Raises UsageError for fewer than one fold or fewer queries than folds, InputError for a file that leaves out a
    query or has it in two folds.
    """
    if isinstance(folds, str) and folds.strip().lstrip("+-").isdecimal():
        folds = int(folds)
    if not isinstance(folds, int):
        return _as_told(qids, folds)
    if folds < 1:
        raise UsageError(f"{folds} folds were asked for; there is 1 or more, like --folds 5")
    if len(qids) < folds:
        raise UsageError(f"{folds} folds were asked for, of {len(qids)} queries; ask for fewer folds")
    names = tuple(map(str, range(1, folds + 1)))
    return Folds(names, np.arange(len(qids)) % folds, str(folds), f"sorted qid, index mod {folds}")


def _as_told(qids: tuple[str, ...], path: FilePath) -> Folds:
    parts = tsv.slices(path)
    twice = [qid for qid, many in Counter(qid for part in parts.values() for qid in part).items() if many > 1]
    if twice:
        raise InputError(f"query {twice[0]} is in more than one fold; leave it in one", path)
    fold_of = {qid: name for name, part in parts.items() for qid in part}
    outside = [qid for qid in qids if qid not in fold_of]
    if outside:
        more = f", and {len(outside) - 1} more" if len(outside) > 1 else ""
        raise InputError(f"query {outside[0]}{more} is in no fold; add a line of qid and fold for each", path)
    there = {fold_of[qid] for qid in qids}
    names = tuple(name for name in parts if name in there)
    place = {name: number for number, name in enumerate(names)}
    of = np.array([place[fold_of[qid]] for qid in qids], dtype=np.int64)
    name = Path(fspath(path)).name
    return Folds(names, of, short(name, opening.sha256(path)), f"as {name} says")

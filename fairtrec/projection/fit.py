"""The axes of each query, and where its documents stand on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairtrec.data import Floats, Ints, Labels
from fairtrec.errors import InputError
from fairtrec.formats.vectors import Vectors
from fairtrec.formulas import axes as principal
from fairtrec.literals import SpuriousAs
from fairtrec.projection import agreement
from fairtrec.projection.table import Lists, Table

LARGEST = 1e100  # of the numbers of a vector, whose squares are added


@dataclass(frozen=True)
class How:
    """What is asked for: the number of axes, vectors of length 1, which direction is taken out, where axes point."""

    axes: int = 1
    normalize: bool = False
    spurious_as: SpuriousAs = "unit"
    labels: Labels | None = None
    toward: str | None = None


@dataclass
class Tally:
    """Queries that could not be treated as was asked for, and the documents that are left out with them."""

    no_axis: int = 0
    left_out: int = 0
    undetermined: int = 0
    as_they_are: int = 0
    not_pointed: int = 0


@dataclass(eq=False)
class Fitting:
    """Fits axes query by query, and places the ranked documents; ``sides`` are those of a difference to take out."""

    table: Table
    vectors: Vectors
    ranked: Lists
    fit: Lists
    sides: Sequence[Lists]
    how: How
    tally: Tally = field(default_factory=Tally)
    count: agreement.Count = field(default_factory=agreement.Count)

    def run(self) -> tuple[Ints, Ints, Floats, Floats]:
        """Give query and document of each row, its positions [row, axis], and what axes explain [query, axis].

        Raises InputError if no query has axes.
        """
        rows: list[tuple[int, Ints]] = []
        values, explained = [], []
        for query in range(len(self.table.qids)):
            documents = self.ranked.of(query)
            axes, positions = self._placed(query, documents)
            if axes is None or positions is None:
                self.tally.no_axis += 1
                self.tally.left_out += len(documents)
                continue
            self.tally.undetermined += not axes.determined
            rows.append((query, documents))
            values.append(self._agreed(query, documents, positions))
            explained.append(axes.explained)
        if not rows:
            raise InputError(
                "no query has an axis: it takes two documents that differ, and one more for each more axis"
            )
        queries = np.concatenate([np.full(len(documents), query) for query, documents in rows])
        of_rows = np.concatenate([documents for _, documents in rows])
        return queries, of_rows, np.concatenate(values), np.array(explained)

    def _placed(self, query: int, documents: Ints) -> tuple[principal.Axes | None, Floats | None]:
        fit = self.fit.of(query)
        if len(fit) <= self.how.axes:
            return None, None
        direction = self._spurious(query)
        vectors = self._taken(fit, direction)
        axes = principal.fitted(vectors, self.how.axes)
        if axes is None:
            return None, None
        same = fit is documents or np.array_equal(fit, documents)
        return axes, axes.positions(vectors if same else self._taken(documents, direction))

    def _taken(self, documents: Ints, direction: Floats | None) -> Floats:
        """Give the vectors [document, dimension] as they are used. Raises InputError for what is no number."""
        vectors = self.vectors.of(documents)
        if len(vectors) and not np.abs(vectors).max() <= LARGEST:  # nor is it nan
            bad = ~(np.abs(vectors).max(axis=1) <= LARGEST)
            self._refuse(documents, bad, f"is not finite, or beyond {LARGEST:g}; make it again")
        if self.how.normalize:
            vectors = self._unit(vectors, documents)
        return vectors if direction is None else principal.without(vectors, direction)

    def _spurious(self, query: int) -> Floats | None:
        if not self.sides:
            return None
        first, second = (side.of(query) for side in self.sides)
        if not len(first) and not len(second):
            self.tally.as_they_are += 1
            return None
        if not len(first) or not len(second):
            message = f"query {self.table.qids[query]} has spurious documents of one side; name some of both, or none"
            raise InputError(message)
        several = [self._taken(documents, None) for documents in (first, second)]
        if self.how.spurious_as == "published":
            several = [self._unit(each, of) for each, of in zip(several, (first, second), strict=True)]
        direction = principal.apart(*several, unit=self.how.spurious_as == "unit")
        self.tally.as_they_are += direction is None
        return direction

    def _unit(self, vectors: Floats, documents: Ints) -> Floats:
        lengths = np.linalg.norm(vectors, axis=1)
        if not lengths.all():
            self._refuse(documents, lengths == 0, "is 0 everywhere, so it has no direction; leave the document out")
        return np.asarray(vectors / lengths[:, None])

    def _refuse(self, documents: Ints, bad: Any, what: str) -> None:
        docno = self.table.documents.names[documents[int(np.argmax(bad))]].decode()
        raise InputError(f"the vector of document {docno} {what}", self.vectors.path)

    def _agreed(self, query: int, documents: Ints, positions: Floats) -> Floats:
        """Point the axes as the labels say, and count how they agree."""
        labels = self.how.labels
        if labels is None:
            return positions
        weights = self.table.weights(labels, query, documents)
        if self.how.toward is not None:
            signs = agreement.toward(positions, weights, labels.groups.index(self.how.toward))
            self.tally.not_pointed += signs is None
            positions = positions if signs is None else positions * signs
        if len(labels.groups) == 2:
            self.count.add(positions, weights)
        return positions

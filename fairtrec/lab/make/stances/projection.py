"""Stances that were made, what they explain, and what a reader should know of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.data import Floats
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.lab.make.stances.fit import HALFWAY, AxisAgreement
from fairtrec.support.errors import InputError
from fairtrec.support.literals import AccuracyAs
from fairtrec.support.notes import Note, NoteKind

STANCES = NoteKind("stances", "{stances}")
ACCURACY = NoteKind(
    "accuracy",
    "accuracy{of_axis} against {labels}: {right:.3f} of the documents on the right side; {chance:.3f} is chance for "
    "these labels{doubt}",
)
PUBLISHED = NoteKind(
    "published accuracy",
    "accuracy{of_axis} the published way, each group's better side: {best:.3f}; {chance:.3f} is chance",
)


@dataclass(frozen=True, eq=False, repr=False)
class Projection(Answer):
    """Where documents stand: document ``docnos[i]`` of query ``qids[i]`` at ``values[i]`` [row, axis].

    It is a frame of the columns qid, docno, x, y, ... as ``evaluate(stances=...)`` takes one. ``explained`` [query,
    axis] is the share of the spread of each query that has an axis.
    """

    qids: tuple[str, ...]  # the query of each row
    docnos: tuple[str, ...]  # the document of each row
    values: Floats  # the stances [row, axis]
    explained: Floats  # the share of the spread on each axis [query, axis]
    dimensions: int  # the number of dimensions of the vectors
    agreement: AxisAgreement | None  # how well the axes agree with labeled texts, if any
    cut: str  # how many documents are longer than the model reads; "" for none
    notes: tuple[Note, ...]  # what a reader must know about the numbers
    signature: Signature  # every choice that changes a number

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        axes = self.values.shape[1]
        return ("qid", "docno", *("x", "y", "z")[:axes], *(f"x{axis}" for axis in range(4, axes + 1)))

    @property
    def pointed(self) -> bool:
        """Whether labels say which side of an axis is which."""
        return "toward" in self.signature

    @property
    def schema(self) -> Any:
        """The columns and their types, for Arrow."""
        return self._table.schema

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    @cached_property
    def _table(self) -> Any:
        import pyarrow as pa

        return pa.table([[*self.qids], [*self.docnos], *self.values.T], self.columns)

    @property
    def tsv(self) -> str:
        """The file that ``--stances`` reads. Raises InputError for an id that such a file cannot hold."""
        for name in {*self.qids, *self.docnos}:
            if name.startswith("#") or len(name.split()) != 1:
                raise InputError(
                    f"the id {name!r} starts with # or holds white space, so no line can hold it; change it"
                )
        form = "\t".join(["%s\t%s", *["%.9g"] * self.values.shape[1]])
        rows = zip(self.qids, self.docnos, (self.values + 0.0).tolist(), strict=True)  # -0 becomes 0
        lines = (form % (qid, docno, *values) for qid, docno, values in rows)
        return "\n".join(["\t".join(self.columns), *lines, f"# {self.signature.content}", ""])

    def list_notes(self, accuracy: AccuracyAs = "sides") -> list[Note]:
        """List the notes on how many there are, what the axes explain, and how they agree with the labels."""
        documents = count_things(len(set(self.docnos)), "document", "documents")
        counts = f"{count_things(len(self.explained), 'query', 'queries')}, {documents}, {self.dimensions} dimensions"
        shares = zip(*(of(self.explained, axis=0) for of in (np.mean, np.min, np.max)), strict=True)
        of_axes = [
            f"axis {axis} explains {mean:.0%} of the spread ({least:.0%} to {most:.0%})".replace("%", " %")
            for axis, (mean, least, most) in enumerate(shares, 1)
        ]
        first = "; ".join([counts, *of_axes, *[self.cut] * bool(self.cut)])
        return [STANCES.note(stances=first), *self._accuracies(accuracy), *self.notes]

    def _accuracies(self, how: AccuracyAs) -> list[Note]:
        found = self.agreement
        if found is None:
            return []
        notes = []
        for axis in range(len(found.accuracy)):
            of_axis = f" of axis {axis + 1}" if len(found.accuracy) > 1 else ""
            right, by_chance = found.accuracy[axis], found.chance[axis]
            is_doubtful = right < by_chance + HALFWAY * (1 - by_chance)
            doubt = ": the axis may not be what you mean" if is_doubtful else ""
            note = ACCURACY.note(
                of_axis=of_axis, labels=found.labels, right=float(right), chance=float(by_chance), doubt=doubt
            )
            notes.append(note)
            if how == "published":
                best, coin = found.published[axis], found.published_chance[axis]
                notes.append(PUBLISHED.note(of_axis=of_axis, best=float(best), chance=float(coin)))
        return notes


def count_things(number: int, one: str, several: str) -> str:
    """Write a number of things.

    >>> count_things(1, "query", "queries"), count_things(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{number:,} {one if number == 1 else several}"

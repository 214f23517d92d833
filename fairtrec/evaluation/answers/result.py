"""What an evaluation gives: the scores of each run, and what is needed to have them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.aggregates import strip_aggregate
from fairtrec.evaluation.answers.scores import Scores
from fairtrec.support.errors import FilePath
from fairtrec.support.files import opening
from fairtrec.support.literals import Method
from fairtrec.support.notes import Note

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True)
class Part:
    """The part that a file plays in an evaluation, and which one it is where several play it.

    >>> str(Part("qrels")), str(Part("run", "bm25.run")), Part.read("run bm25.run")
    ('qrels', 'run bm25.run', Part(of='run', name='bm25.run'))
    """

    of: str
    name: str | None = None

    @classmethod
    def read(cls, text: str) -> "Part":
        """Read what a results file calls it."""
        of, blank, name = text.partition(" ")
        return cls(of, name if blank else None)

    def __str__(self) -> str:
        return self.of if self.name is None else f"{self.of} {self.name}"


@dataclass(frozen=True, eq=False)
class InputFile:
    """A file that was read: how it was named, where it is, and its digest, where that was recorded."""

    name: str
    place: FilePath
    recorded: str | None = None

    @cached_property
    def sha256(self) -> str:
        """The digest of what it holds."""
        if self.recorded is not None:
            return self.recorded
        return self._hashing.result() if "_hashing" in vars(self) else opening.sha256(self.place)

    def begin(self) -> None:
        """Hash it in a thread beside its reading."""
        _ = self._hashing

    @cached_property
    def _hashing(self) -> "Future[str]":
        from concurrent.futures import ThreadPoolExecutor
        from contextvars import copy_context

        with_one = ThreadPoolExecutor(1)
        future = with_one.submit(copy_context().run, opening.sha256, self.place)  # which may be admitted only
        with_one.shutdown(wait=False)
        return future


@dataclass(frozen=True, eq=False, repr=False)
class Result(Answer):
    """The scores of each run, with the notes and the signature. It is what ``evaluate`` returns.

    The signature contains a digest of objects in memory, ``given@...``, so other texts or labels have another
    signature.
    """

    scores: tuple[Scores, ...]  # the values of each run, in the order given
    signature: Signature  # every choice that changes a number
    evaluation_notes: tuple[Note, ...]  # notes on the evaluation itself; ``notes`` are all
    files: Mapping[Part, InputFile]  # the files behind the values, with their sha256
    failed: tuple[tuple[str, str], ...] = ()  # the name of each run that could not be read, and what is wrong with it
    options: Mapping[str, Any] = field(default_factory=dict)  # the options of the evaluation
    groups: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict
    )  # of labels: documents, and the target if it is one
    same: tuple[tuple[str, ...], ...] = ()  # runs with the same rankings down to the deepest cutoff
    clusters: Mapping[str, str] = field(default_factory=dict)  # of queries that are not independent
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)  # qids of each, by a column of the runs
    untrusted: bool = False  # whether the runs are submissions of strangers
    judged: int = 0  # queries that are judged and wanted, if runs may lack some of them

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a reader must know about the numbers: all notes of the printed table, the most important first."""
        found: tuple[Note, ...] = Answer.reports().list_notes(self)
        return found

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """The mean of each measure for each run, over the queries for which it is defined; none if it is pooled."""
        several = ((each.run, zip(each.measures, each.means.tolist(), strict=True)) for each in self.scores)
        return {run: {str(one): mean for one, mean in pairs if not one.of_pool} for run, pairs in several}

    @property
    def per_query(self) -> dict[str, dict[str, dict[str, float]]]:
        """The value of each measure for each run and query; nan if it is undefined. Pooled measures have none."""
        return {
            each.run: {
                str(strip_aggregate(measure)): dict(zip(each.qids, values.tolist(), strict=True))
                for measure, values in zip(each.measures, each.values, strict=True)
                if not measure.of_pool
            }
            for each in self.scores
        }

    @cached_property
    def gaps(self) -> list[dict[str, Any]]:
        """The gaps between groups in measures of relevance, of each run: those of ``group='each'``, or of both named.

        Each has run, measure (without its group), groups, queries, means, difference and relative; with an interval
        low, high, p, relative_low and relative_high, which are nan without one.
        """
        return [{"run": scores.run, **gap} for scores in self.scores for gap in scores.group_gaps]

    @property
    def digests(self) -> dict[Part, str]:
        """The sha256 of every file that was read."""
        return {part: file.sha256 for part, file in self.files.items()}

    def with_confidence(
        self,
        confidence: float = 0.95,
        slices: Mapping[str, Sequence[str]] | None = None,
        *,
        interval: Method = "t",
    ) -> Self:
        """Return the same result with an interval of each mean over queries, by Student's t or by bootstrap.

        A sum, a mean over one query and an infinite mean have no interval. ``slices`` are those that are also reported,
        to note small ones. Raises UsageError for a bad confidence, and for a result with bounds.
        """
        found: Self = Answer.reports().with_confidence(self, confidence, slices, interval)
        return found

"""What a measure may ask for, by name; each is computed once for a run, when first asked for.

``ranked``      Ints [query, rank]: rows in the table of documents, NOTHING where there is no document
``counts``      Floats [document, group]: occurrences of each group's terms
``log_counts``  Floats [document, group]: the sum over a group's terms of ln(occurrences); needs texts
``tokens``      Floats [document]
``groups``      the groups' names, in the order of every group axis
``target``      Floats [query, group]: the share that each group should have; one row where it is the same for all
``background``  Candidates: the documents that define a query's ideal
``collection``  Candidates: all documents of the collection
``relevance``   Floats [query, rank]: the grade of each ranked document, nan where it is not judged
``membership``  Floats [query, rank, group]: who belongs to which group, from labels or from group terms by a rule
``lengths``     Ints [query]: the number of ranked documents
``queries``, ``sample_of``  the number of queries, and which of them each ranking belongs to
``judged_relevance``, ``judged_membership``  the same of the judged documents [query, n], in the order of the qrels
``positions``, ``background_positions``      Floats [query, rank, axis]: where documents stand on axes of opinion
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fairtrec import distribution
from fairtrec.data import NOTHING, Docnos, Floats, Ints, Labels, Positions, Qrels, Run, Samples
from fairtrec.documents import Candidates, Documents, judged, take
from fairtrec.errors import InputError, UsageError
from fairtrec.membership import Rule, by_rule, looked_up

TargetOf = Literal["background", "collection", "qrels", "relevance"]


@dataclass(frozen=True, eq=False)
class Given:
    """What was given beside the run; shared by all runs."""

    qrels: Qrels | None = None
    documents: Documents | None = None
    background: Run | Literal["collection"] | None = None
    background_depth: int = 200
    target: Floats | None = None  # the same for all queries; None: taken from the documents of ``target_of``
    target_of: TargetOf | None = None
    targets: Mapping[str, Floats] | None = None  # a target for each query
    labels: Labels | None = None
    positions: Positions | None = None
    rule: Rule = "share"
    relevance_level: int = 1

    @property
    def documents_or_fail(self) -> Documents:
        """The table of documents, where a measure has asked for what stands in it."""
        assert self.documents is not None
        return self.documents


class Inputs:
    """The inputs of one run's evaluation over ``qids``; attributes are named as measures name them."""

    def __init__(self, run: Run, qids: Sequence[str], given: Given, depth: int | None) -> None:
        self.run, self.qids, self.given, self.depth = run, qids, given, depth

    def named(self, names: Sequence[str]) -> dict[str, Any]:
        """Compute the inputs of these names."""
        unknown = [name for name in names if not hasattr(type(self), name)]
        if unknown:
            raise UsageError(f"a measure asks for {unknown[0]}, which is no input; fairtrec/inputs.py lists them")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def ranked(self) -> Ints:
        """Rows of the ranked documents [query, rank]."""
        return self.given.documents_or_fail.rows(self.run, self.qids, self.depth)

    @property
    def counts(self) -> Floats:
        """Occurrences of group terms [document, group]."""
        return self.given.documents_or_fail.counts

    @property
    def log_counts(self) -> Floats:
        """Sum over a group's terms of ln(occurrences) [document, group]."""
        log_counts = self.given.documents_or_fail.annotations.log_counts
        assert log_counts is not None
        return log_counts

    @property
    def tokens(self) -> Floats:
        """Lengths [document]."""
        return self.given.documents_or_fail.annotations.tokens.astype(np.float64)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        if self.given.labels is not None:
            return self.given.labels.groups
        return self.given.documents_or_fail.annotations.groups

    @cached_property
    def background(self) -> Candidates:
        """The documents that define each query's ideal."""
        if self.given.background == "collection":
            return self.collection
        assert self.given.background is not None
        rows = self.given.documents_or_fail.rows(self.given.background, self.qids, self.given.background_depth)
        return Candidates(take(self.counts, rows), (rows != NOTHING).astype(np.int64))

    @cached_property
    def collection(self) -> Candidates:
        """All documents of the collection, by their counts."""
        histogram = self.given.documents_or_fail.annotations.collection
        assert histogram is not None
        return Candidates(histogram.counts[None].astype(np.float64), histogram.documents[None])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [query, rank]."""
        qrels = self.given.qrels
        assert qrels is not None
        lines = self.lines
        number = {qid: i for i, qid in enumerate(qrels.qids)}
        query = np.array([number.get(qid, NOTHING) for qid in self.qids], dtype=np.int64)
        names = Docnos.of(qrels.docnos)
        judged = qrels.query * len(names) + names.rows(qrels.docnos)
        order = np.lexsort((qrels.grades, judged))
        judged, grades = judged[order], qrels.grades[order]
        rows = np.full(lines.shape, NOTHING, dtype=np.int64)
        rows[lines != NOTHING] = names.rows(self.run.docnos[lines[lines != NOTHING]])
        asked = np.where((rows == NOTHING) | (query[:, None] == NOTHING), NOTHING, query[:, None] * len(names) + rows)
        at = np.searchsorted(judged, asked, side="right") - 1
        return np.where((at >= 0) & (judged[at] == asked), grades[at], np.nan)

    @cached_property
    def target(self) -> Floats:
        """The share that each group should have [query, group]."""
        if self.given.target is not None:
            return self.given.target[None]
        if self.given.targets is not None:
            if not self.given.targets.keys() & set(self.qids):
                raise InputError(
                    "the targets are for none of its queries; are they of the same collection?", self.run.name
                )
            unknown = np.full(len(self.groups), np.nan)
            return np.array([self.given.targets.get(qid, unknown) for qid in self.qids]).reshape(-1, len(unknown))
        return distribution.shares(self._amounts())

    @cached_property
    def lines(self) -> Ints:
        """Lines of the run [query, rank]."""
        if self.given.documents is None or self.given.labels is not None:
            return self.run.top(self.qids, self.depth)
        return self.given.documents.lines(self.run, self.qids, self.depth)

    @property
    def lengths(self) -> Ints:
        """How many documents are ranked [query]."""
        lengths: Ints = (self.lines != NOTHING).sum(axis=1)
        return lengths

    @cached_property
    def membership(self) -> Floats:
        """Who belongs to which group [query, rank, group]."""
        if self.given.labels is not None:
            return looked_up(self.given.labels, self.qids, self.run.docnos, self.lines)
        return by_rule(take(self.counts, self.ranked), self.given.rule)

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.qids)

    @property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        return np.arange(len(self.qids))

    @cached_property
    def _judged(self) -> Ints:
        assert self.given.qrels is not None
        return judged(self.given.qrels, self.qids)

    @property
    def judged_relevance(self) -> Floats:
        """Grades of the judged documents [query, n]."""
        assert self.given.qrels is not None
        return np.where(self._judged == NOTHING, np.nan, self.given.qrels.grades[self._judged])

    @cached_property
    def judged_membership(self) -> Floats:
        """Who of the judged documents belongs to which group [query, n, group]."""
        assert self.given.qrels is not None
        if self.given.labels is not None:
            return looked_up(self.given.labels, self.qids, self.given.qrels.docnos, self._judged)
        return by_rule(take(self.counts, self._judged_rows), self.given.rule)

    @cached_property
    def positions(self) -> Floats:
        """Where the ranked documents stand [query, rank, axis]."""
        assert self.given.positions is not None
        return looked_up(self.given.positions, self.qids, self.run.docnos, self.run.top(self.qids, self.depth))

    @cached_property
    def background_positions(self) -> Floats:
        """Where the background's documents stand [query, n, axis]."""
        behind = self.given.background
        assert self.given.positions is not None
        assert isinstance(behind, Run)
        lines = behind.top(self.qids, self.given.background_depth)
        return looked_up(self.given.positions, self.qids, behind.docnos, lines)

    def _amounts(self) -> Floats:
        """Add up group terms or membership over the documents that the target is taken from [query, group]."""
        given, labels = self.given, self.given.labels
        whole = given.target_of == "background" and given.background == "collection"
        of = "collection" if whole else given.target_of
        weights = np.ones((1, 1))
        if of == "collection" and labels is not None:
            amounts = labels.weights[None]
        elif of == "background" and labels is not None:
            assert isinstance(given.background, Run)
            lines = given.background.top(self.qids, given.background_depth)
            amounts = looked_up(labels, self.qids, given.background.docnos, lines)
        elif of in ("collection", "background"):
            candidates = self.collection if of == "collection" else self.background
            amounts, weights = candidates.counts, candidates.documents.astype(np.float64)
        else:
            amounts = self.judged_membership if labels is not None else take(self.counts, self._judged_rows)
            grades = np.nan_to_num(self.judged_relevance)
            by_grade = given.target_of == "relevance"
            weights = grades.clip(min=0) if by_grade else (grades >= given.relevance_level).astype(np.float64)
        total: Floats = (np.nan_to_num(amounts, nan=0.0, posinf=0.0) * weights[..., None]).sum(axis=1)
        return total

    @cached_property
    def _judged_rows(self) -> Ints:
        """Rows of the judged documents in the table of documents [query, n]."""
        assert self.given.qrels is not None
        rows = np.full(self._judged.shape, NOTHING, dtype=np.int64)
        documents, there = self.given.documents_or_fail, self._judged != NOTHING
        rows[there] = documents.docnos.rows(self.given.qrels.docnos[self._judged[there]])
        return np.where(np.append(documents.dropped, False)[rows], NOTHING, rows)


class InputsOfSamples(Inputs):
    """Inputs for a measure that looks at all rankings of a query at once: [ranking, ...] in the place of [query, ...].

    What belongs to a query (its target, its judged documents) stays [query, ...].
    """

    def __init__(self, samples: Samples, qids: Sequence[str], given: Given, depth: int | None) -> None:
        super().__init__(samples.runs[0], qids, given, depth)
        number = {qid: i for i, qid in enumerate(qids)}
        chosen = [(run, [qid for qid in run.qids if qid in number]) for run in samples.runs]
        self._parts = [Inputs(run, ranked, given, depth) for run, ranked in chosen]
        self._sample_of = np.array([number[qid] for _, ranked in chosen for qid in ranked], dtype=np.int64)

    def named(self, names: Sequence[str]) -> dict[str, Any]:
        """Compute the inputs of these names. Raises UsageError for one that is not known for each ranking."""
        unknown = {"ranked", "lengths", "positions"}.intersection(names)
        if unknown:
            raise UsageError(f"{', '.join(sorted(unknown))} cannot be had together with sample_of; leave out --samples")
        return super().named(names)

    @property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        return self._sample_of

    @cached_property
    def membership(self) -> Floats:
        """Who belongs to which group [ranking, rank, group]."""
        return self._together([part.membership for part in self._parts])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [ranking, rank]."""
        return self._together([part.relevance for part in self._parts])

    def _together(self, parts: Sequence[Floats]) -> Floats:
        width = max(part.shape[1] for part in parts)
        rest = [(0, 0)] * (parts[0].ndim - 2)
        filled = [np.pad(p, [(0, 0), (0, width - p.shape[1]), *rest], constant_values=np.nan) for p in parts]
        return np.concatenate(filled)

"""The inputs of measures, by name; each is computed once for a run, when first asked for.

``catalogue/needs.py`` lists them, with their shapes.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from fairtrec.catalogue.needs import OF_EXTRAS, OF_RANKS, module_of
from fairtrec.data import (
    MISSING,
    UNKNOWN,
    Candidates,
    Floats,
    Ints,
    Run,
    judged,
    looked_up,
    take,
)
from fairtrec.errors import InputError, UsageError
from fairtrec.evaluation.documents import Reference, RunContext, TargetOf
from fairtrec.evaluation.judge import QrelsIndex, RelevanceEvaluator
from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.neutrality import membership
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility


class Inputs(RunContext):
    """The inputs of one run's evaluation over ``qids``; attributes are named as measures name them."""

    def __getattr__(self, name: str) -> Any:
        """Compute an input of an extra, in the extra's module."""
        if name not in OF_EXTRAS:
            raise AttributeError(f"there is no input {name}; fairtrec/catalogue/needs.py lists them")
        value = vars(self)[name] = getattr(import_module(module_of(name)), name)(self)
        return value

    @cached_property
    def ranked(self) -> Ints:
        """Rows of the ranked documents [query, rank]."""
        return self.documents.rows(self.run, self.qids, self.depth)

    @property
    def counts(self) -> Floats:
        """Occurrences of group terms [document, group]."""
        return self.documents.counts

    @property
    def log_counts(self) -> Floats:
        """Sum over a group's terms of ln(occurrences) [document, group]."""
        log_counts = self.documents.annotations.log_counts
        assert log_counts is not None
        return log_counts

    @property
    def tokens(self) -> Floats:
        """Lengths [document]."""
        return self.documents.annotations.tokens.astype(np.float64)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        if self.reference.labels is not None:
            return self.reference.labels.groups
        return self.documents.annotations.groups

    @property
    def order(self) -> Ints:
        """Places of the groups from the least to the greatest."""
        labels = self.reference.labels
        return np.array([self.groups.index(name) for name in (labels and labels.order) or self.groups])

    @cached_property
    def background(self) -> Candidates:
        """The documents that define each query's ideal."""
        if self.reference.background == "collection":
            return self.collection
        assert self.reference.background is not None
        run, depth, documents = self.reference.background, self.reference.background_depth, self.documents
        asked = run, depth, tuple(self.qids)
        if documents.last is None or documents.last[0] != asked:  # runs of a batch have mostly the same queries
            documents.last = None  # before memory is taken for the next
            rows = documents.rows(run, self.qids, depth)
            # its unknown documents are neutral: as worst ones they would ease the ideal
            counts = documents.annotations.counts.astype(np.float64) if documents.missing == "worst" else self.counts
            documents.last = asked, Candidates(take(counts, rows), (rows != MISSING).astype(np.int64))
        return documents.last[1]

    @cached_property
    def collection(self) -> Candidates:
        """All documents of the collection, by their counts."""
        histogram = self.documents.annotations.collection
        assert histogram is not None
        return Candidates(histogram.counts[None].astype(np.float64), histogram.documents[None])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [query, rank]."""
        qrels = self.reference.qrels
        assert qrels is not None
        known, lines = QrelsIndex(qrels), self.lines
        there = lines != MISSING
        query = np.broadcast_to(known.numbers(self.qids)[:, None], lines.shape)[there]
        grades = np.full(lines.shape, np.nan)
        grades[there] = known.of(query, self.run.docnos[lines[there]])
        return grades

    @cached_property
    def target(self) -> Floats:
        """The share that each group should have [query, group]."""
        if self.reference.target is not None:
            return self.reference.target[None]
        if self.reference.targets is not None:
            return self._of_queries(self.reference.targets)
        mixture = self.reference.target_of
        assert mixture is not None
        total = mixture.factor
        parts = [factor / total * distribution.shares(self._amounts(of)) for factor, of in mixture.of]
        if total == 1:
            return sum(parts[1:], parts[0])
        given = mixture.shares if mixture.by_query is None else self._of_queries(mixture.by_query)
        assert given is not None
        return distribution.mixed(sum(parts[1:], parts[0]), given, total, self._unlabelled)

    def _of_queries(self, targets: Mapping[str, Floats]) -> Floats:
        every = (*self.qids, *self.run.qids)  # of which these may be a part that has none
        if targets.keys().isdisjoint(every):
            raise InputError("the targets are for none of its queries; are they of the same collection?", self.run.name)
        unknown = np.full(len(self.groups), np.nan)
        return np.array([targets.get(qid, unknown) for qid in self.qids]).reshape(-1, len(unknown))

    @property
    def _unlabelled(self) -> int | None:
        """Which group is that of documents without a label, if they are one."""
        return self.groups.index(UNKNOWN) if self.reference.labels is not None and UNKNOWN in self.groups else None

    @cached_property
    def lines(self) -> Ints:
        """Lines of the run [query, rank]."""
        documents = self.reference.documents
        if documents is None or documents.missing != "skip" or self.reference.labels is not None:
            return self.run.top(self.qids, self.depth)
        return documents.lines(self.run, self.qids, self.depth)

    @property
    def lengths(self) -> Ints:
        """How many documents are ranked [query]."""
        lengths: Ints = (self.lines != MISSING).sum(axis=1)
        return lengths

    @cached_property
    def membership(self) -> Floats:
        """Who belongs to which group [query, rank, group]."""
        if self.reference.labels is not None:
            return looked_up(self.reference.labels, self.qids, self.run.docnos, self.lines)
        return membership(take(self.counts, self.ranked), self.reference.membership)

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.qids)

    @property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        return np.arange(len(self.qids))

    @cached_property
    def judged_lines(self) -> Ints:
        """Lines of the judgements of each query's documents [query, n]."""
        assert self.reference.qrels is not None
        return judged(self.reference.qrels, self.qids)

    @property
    def judged_relevance(self) -> Floats:
        """Grades of the judged documents [query, n]."""
        assert self.reference.qrels is not None
        return np.where(self.judged_lines == MISSING, np.nan, self.reference.qrels.grades[self.judged_lines])

    @cached_property
    def judged_membership(self) -> Floats:
        """Who of the judged documents belongs to which group [query, n, group]."""
        assert self.reference.qrels is not None
        if self.reference.labels is not None:
            return looked_up(self.reference.labels, self.qids, self.reference.qrels.docnos, self.judged_lines)
        return membership(take(self.counts, self._judged_rows), self.reference.membership)

    def _amounts(self, of: TargetOf) -> Floats:
        """Give what the groups have of these documents [query or 1, group]."""
        reference, labels = self.reference, self.reference.labels
        whole = of == "background" and reference.background == "collection"
        weights = np.ones((1, 1))
        if labels is not None and (of == "collection" or whole):
            amounts = labels.weights[None]
        elif of == "background" and labels is not None:
            assert isinstance(reference.background, Run)
            lines = reference.background.top(self.qids, reference.background_depth)
            amounts = looked_up(labels, self.qids, reference.background.docnos, lines)
        elif of in ("collection", "background"):
            candidates = self.collection if whole or of == "collection" else self.background
            amounts, weights = candidates.counts, candidates.documents.astype(np.float64)
        else:
            amounts = self.judged_membership if labels is not None else take(self.counts, self._judged_rows)
            grades = np.nan_to_num(self.judged_relevance)
            relevant = grades >= reference.relevance_level
            weights = relevant.astype(np.float64)
            if of == "relevance":
                weights = grades.clip(min=0)
            elif of == "ideal":
                weights = ranks.shared(np.where(relevant, grades, np.nan), discount.log2_clipped(grades.shape[1]))
        total: Floats = (np.nan_to_num(amounts, nan=0.0, posinf=0.0) * weights[..., None]).sum(axis=1)
        return total

    @cached_property
    def _judged_rows(self) -> Ints:
        """Rows of the judged documents in the table of documents [query, n]."""
        assert self.reference.qrels is not None
        rows = np.full(self.judged_lines.shape, MISSING, dtype=np.int64)
        there = self.judged_lines != MISSING
        rows[there] = self.documents.annotations.docnos.rows(self.reference.qrels.docnos[self.judged_lines[there]])
        return np.where(self.documents.dropped[rows], MISSING, rows)


class InputsOfSamples(Inputs):
    """Inputs for a measure that looks at all rankings of a query at once: [ranking, ...] in the place of [query, ...].

    What belongs to a query (its target, its judged documents) stays [query, ...].
    """

    def __init__(self, runs: Sequence[Run], qids: Sequence[str], reference: Reference, depth: int | None) -> None:
        super().__init__(runs[0], qids, reference, depth)
        number = {qid: i for i, qid in enumerate(qids)}
        chosen = [(run, [qid for qid in run.qids if qid in number]) for run in runs]
        self._parts = [Inputs(run, ranked, reference, depth) for run, ranked in chosen]
        self._sample_of = np.array([number[qid] for _, ranked in chosen for qid in ranked], dtype=np.int64)

    def named(self, names: Iterable[str]) -> dict[str, Any]:
        """Compute the inputs of these names. Raises UsageError for one that is not known for each ranking."""
        unknown = ({"lengths"} | OF_RANKS - {"membership", "relevance"}).intersection(names)
        if unknown:
            raise UsageError(f"{', '.join(sorted(unknown))} cannot be had together with sample_of; leave out --samples")
        return {name: getattr(self, name) for name in names}

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


def values_of(inputs: Inputs, measures: Sequence[Measure], judge: RelevanceEvaluator | None) -> Floats:
    """Compute the measures [measure, query]: from what they need, or those of ir-measures by the judge."""
    queries = len(inputs.qids)
    values = np.full((len(measures), queries), np.nan)
    utility = [row for row, measure in enumerate(measures) if isinstance(measure, Utility)]
    if utility and judge is not None:
        values[utility] = judge.values(inputs.run, inputs.qids)
    for row, measure in enumerate(measures):
        if isinstance(measure, Utility):
            continue
        value = measure(**{name: getattr(inputs, name) for name in measure.needs})
        if np.shape(value) not in ((queries,), (1,)):
            what = f"{measure} gave values of the shape {np.shape(value)} for {queries} queries"
            raise UsageError(f"{what}; it has a fault, report it to its authors")
        values[row] = value
    return values

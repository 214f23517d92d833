"""The inputs of measures, by name; each is computed once for a run, when first asked for.

``catalogue/needs.py`` lists them, with their shapes.
"""

import operator
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from fairtrec.data import (
    MISSING,
    UNKNOWN,
    Bools,
    Candidates,
    Docs,
    Floats,
    Ints,
    Run,
    find_labeled,
    look_up,
    take,
)
from fairtrec.data.run import QrelsIndex
from fairtrec.evaluation.inputs.documents import EvaluationContext, RunContext, TargetOf
from fairtrec.formulas import discount, distribution, ranks
from fairtrec.formulas.neutrality import membership
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.measures.catalogue.needs import OF_EXTRAS, find_module
from fairtrec.support.errors import InputError, UsageError

WITHOUT_JUDGMENTS = frozenset({"takes_part", "ranked", "tokens", "lines", "membership"})


class Inputs(RunContext):
    """The inputs of one run's evaluation over ``qids``; attributes are named as measures name them.

    They are of one attribute of documents. ``take_attribute`` gives those of another, which share what is of no groups
    with those of the ``first``. ``samples`` are those of each ranking, where a query has several.
    """

    samples: Sequence["Inputs"] = ()

    def take_attribute(self, attribute: str) -> "Inputs":
        """Give the inputs of an attribute."""
        if attribute in ("", self.context.attribute):
            return self
        if attribute not in self._others:
            context = self.context.take_attribute(attribute)
            self._others[attribute] = Inputs(self.run, self.qids, context, self.depth, self)
        found: Inputs = self._others[attribute]
        return found

    def take_queries(self, queries: Ints) -> "Inputs":
        """Give the inputs of some of the queries, by number."""
        return Inputs(self.run, [self.qids[query] for query in queries], self.context, self.depth)

    def take_judgments(self, context: EvaluationContext) -> "Inputs":
        """Give the inputs of the same run and queries with other judgments; those of documents stay computed."""
        found = Inputs(self.run, self.qids, context, self.depth)
        vars(found).update({name: each for name, each in vars(self).items() if name in WITHOUT_JUDGMENTS})
        return found

    @cached_property
    def takes_part(self) -> Bools:
        """Whether the labels name the query [query], where they are per query."""
        labels = self.context.labels
        if labels is None or not labels.per_query:
            return np.ones(len(self.qids), dtype=np.bool_)
        return np.array([qid in labels.queries for qid in self.qids], dtype=np.bool_)

    def __getattr__(self, name: str) -> Any:
        """Compute an input of an extra, in the extra's module."""
        if name not in OF_EXTRAS:
            raise AttributeError(f"there is no input {name}; fairtrec/measures/catalogue/needs.py lists them")
        value = vars(self)[name] = getattr(import_module(f"fairtrec.evaluation.given.{find_module(name)}"), name)(self)
        return value

    @cached_property
    def ranked(self) -> Ints:
        """Rows of the ranked documents [query, rank]."""
        rows = self.documents.rows(self.run, self.qids, self.depth)
        rows.flags.writeable = False  # so that what measures at several cutoffs ask for is computed once
        return rows

    @property
    def log_counts(self) -> Floats:
        """Sum over a group's terms of ln(occurrences) [document, group]."""
        log_counts = self.documents.document_counts.log_counts
        assert log_counts is not None
        return log_counts

    @cached_property
    def tokens(self) -> Floats:
        """Lengths [document]."""
        return self.documents.document_counts.tokens.astype(np.float64)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        if self.context.labels is not None:
            return self.context.labels.groups
        return self.documents.document_counts.groups

    @property
    def order(self) -> Ints:
        """Places of the groups from the least to the greatest; none where they have no order."""
        labels = self.context.labels
        return np.array([self.groups.index(name) for name in (labels.order if labels else ())], dtype=np.int64)

    @cached_property
    def background(self) -> Candidates:
        """The documents that define each query's ideal."""
        if self.context.background == "collection":
            return self.collection
        assert self.context.background is not None
        run, depth, documents = self.context.background, self.context.background_depth, self.documents
        asked = run, depth, tuple(self.qids)
        if documents.last is None or documents.last[0] != asked:  # runs of a batch have mostly the same queries
            documents.last = None  # before memory is taken for the next
            rows = documents.rows(run, self.qids, depth)
            # its unknown documents are neutral: as worst ones they would ease the ideal
            counts = (
                documents.document_counts.counts.astype(np.float64) if documents.missing == "worst" else self.counts
            )
            documents.last = asked, Candidates(take(counts, rows), (rows != MISSING).astype(np.int64))
        return documents.last[1]

    @cached_property
    def collection(self) -> Candidates:
        """All documents of the collection, by their counts."""
        histogram = self.documents.document_counts.collection
        assert histogram is not None
        return Candidates(histogram.counts[None].astype(np.float64), histogram.documents[None])

    @cached_property
    def relevance(self) -> Floats:
        """Grades of the ranked documents [query, rank]."""
        if self._first is not None:
            return self._first.relevance
        number, lines = self.qrels.numbers(self.qids), self.lines
        known = QrelsIndex(self.qrels, number[number != MISSING])
        number = np.where(number == MISSING, MISSING, np.cumsum(number != MISSING) - 1)  # among these
        there = lines != MISSING
        query = np.broadcast_to(number[:, None], lines.shape)[there]
        grades = np.full(lines.shape, np.nan)
        grades[there] = known.find_grades(query, self.run.docnos[lines[there]])
        return grades

    @cached_property
    def target(self) -> Floats:
        """The share that each group should have [query, group]."""
        if self.context.target is not None:
            return self.context.target[None]
        if self.context.targets is not None:
            return self._of_queries(self.context.targets)
        mixture, crossing = self.context.target_of, self.context.crossing
        if self.context.is_vast:
            raise UsageError(f"{self.context.attribute} has more groups than are listed; leave it out here")
        assert mixture is not None
        total = mixture.factor
        first, *more = (factor / total * distribution.shares(self._amounts(of)) for factor, of in mixture.of)
        mixed = sum(more, first)
        if crossing is not None:
            return crossing.target(mixed)
        if total == 1:
            return mixed
        given = mixture.shares if mixture.by_query is None else self._of_queries(mixture.by_query)
        assert given is not None
        return distribution.mix_shares(mixed, given, total, self._unlabeled)

    def _of_queries(self, targets: Mapping[str, Floats]) -> Floats:
        every = (*self.qids, *self.run.qids)  # of which these may be a part that has none
        if targets.keys().isdisjoint(every):
            raise InputError(
                "the targets have none of its queries; check that both are of one collection", self.run.name
            )
        unknown = np.full(len(self.groups), np.nan)
        return np.array([targets.get(qid, unknown) for qid in self.qids]).reshape(-1, len(unknown))

    @property
    def _unlabeled(self) -> int | None:
        """Which group is that of documents without a label, if they are one."""
        return self.groups.index(UNKNOWN) if self.context.labels is not None and UNKNOWN in self.groups else None

    @cached_property
    def lines(self) -> Ints:
        """Lines of the run [query, rank]."""
        if self._first is not None:
            return self._first.lines
        documents = self.context.documents
        if documents is None or documents.missing != "skip" or self.context.labels is not None:
            return self.run.top(self.qids, self.depth)
        return documents.lines(self.run, self.qids, self.depth)

    @property
    def docnos(self) -> Docs:
        """Ids of the ranked documents [query, rank], whatever is known of them; empty where there is none."""
        lines = self.run.top(self.qids, self.depth)
        there = lines != MISSING
        found = np.zeros(lines.shape, dtype=self.run.docnos.dtype)
        found[there] = self.run.docnos[lines[there]]
        return found

    @property
    def collection_size(self) -> int | None:
        """How many documents the collection has; None if nobody says."""
        return self.context.collection_size

    @cached_property
    def group_sizes(self) -> Floats:
        """How many documents of the labels or counts belong to each group [group]."""
        if self.context.labels is not None:
            return self.context.labels.amounts
        held = membership(self.collection.counts, self.context.membership)
        sizes: Floats = weighted_sum(np.nan_to_num(held), self.collection.documents.astype(np.float64))[0]
        return sizes

    @property
    def lengths(self) -> Ints:
        """How many documents are ranked [query]."""
        lengths: Ints = (self.lines != MISSING).sum(axis=1)
        return lengths

    @cached_property
    def membership(self) -> Floats:
        """Who belongs to which group [query, rank, group]."""
        if self.context.is_vast:
            raise UsageError(f"{self.context.attribute} has more groups than are listed; leave it out here")
        if self.context.labels is not None:
            found = look_up(self.context.labels, self.qids, self.run.docnos, self.lines)
        else:
            found = membership(take(self.counts, self.ranked), self.context.membership)
        found.flags.writeable = False  # so that what is the same for each of many groups is computed once
        return found

    @property
    def known(self) -> Bools:
        """Of which ranks the groups are known [query, rank]; what ``--missing`` fills in is not."""
        crossing, labels = self.context.crossing, self.context.labels
        if crossing is None or crossing.is_listed:
            if labels is None or labels.labeled is None:
                return np.asarray(~np.isnan(self.membership).any(axis=2))
            return find_labeled(labels, self.qids, self.run.docnos, self.lines)
        several = [find_labeled(each, self.qids, self.run.docnos, self.lines) for each in crossing.labels]
        return np.asarray(np.all(several, axis=0))

    @cached_property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        return np.arange(len(self.qids))

    @cached_property
    def judged_lines(self) -> Ints:
        """Lines of the judgments of each query's documents [query, n]."""
        if self._first is not None:
            return self._first.judged_lines
        return self.qrels.list_judged(self.qids)

    @property
    def greatest_grade(self) -> int:
        """The greatest grade of the judgments of all queries, also of those that are not evaluated."""
        return self.qrels.greatest_grade

    @property
    def judged_relevance(self) -> Floats:
        """Grades of the judged documents [query, n]."""
        return self.qrels.grade_judged(self.qids)

    @cached_property
    def judged_membership(self) -> Floats:
        """Who of the judged documents belongs to which group [query, n, group]."""
        labels, kept = self.context.labels, self.context.of_judged
        asked = self.judged_lines, self.documents, labels
        if self.context.attribute in kept:  # runs of a batch have mostly the same queries
            last, found = kept[self.context.attribute]
            if all(map(operator.is_, last, asked)):
                return np.asarray(found)
        if labels is None:
            found = membership(take(self.counts, self._judged_rows), self.context.membership)
        else:
            found = look_up(labels, self.qids, self.qrels.docnos, self.judged_lines)
        found.flags.writeable = False
        kept[self.context.attribute] = asked, found
        return found

    def _amounts(self, of: TargetOf) -> Floats:
        """Give what the groups have of these documents [query or 1, group]."""
        context, labels = self.context, self.context.labels
        whole = of == "background" and context.background == "collection"
        weights = np.ones((1, 1))
        if labels is not None and (of == "collection" or whole):
            amounts = labels.amounts[None, None]
        elif of == "background" and labels is not None:
            assert isinstance(context.background, Run)
            lines = context.background.top(self.qids, context.background_depth)
            amounts = look_up(labels, self.qids, context.background.docnos, lines)
        elif of in ("collection", "background"):
            candidates = self.collection if whole or of == "collection" else self.background
            amounts, weights = candidates.counts, candidates.documents.astype(np.float64)
        else:
            amounts = self.judged_membership if labels is not None else take(self.counts, self._judged_rows)
            weights = self._weights(of)
        total: Floats = (np.nan_to_num(amounts, nan=0.0, posinf=0.0) * weights[..., None]).sum(axis=1)
        return total

    def _weights(self, of: TargetOf) -> Floats:
        """Weigh the judged documents [query, n]."""
        grades = np.nan_to_num(self.judged_relevance)
        relevant = grades >= self.context.relevance_level
        if of == "relevance":
            return grades.clip(min=0)
        if of == "ideal":
            return ranks.share_weights(np.where(relevant, grades, np.nan), discount.log2_clipped(grades.shape[1]))
        return relevant.astype(np.float64)

    def take_target_documents(self, of: TargetOf, query: int) -> tuple[Docs, Ints, Floats]:
        """Give documents of which a target is made, as lines [1, n] of docnos, and what each weighs."""
        if of == "background":
            background = self.context.background
            assert isinstance(background, Run)
            lines = background.top([self.qids[query]], self.context.background_depth)
            return background.docnos, lines, np.ones(lines.shape[1])
        return self.qrels.docnos, self.judged_lines[query : query + 1], self._weights(of)[query]

    @cached_property
    def _judged_rows(self) -> Ints:
        """Rows of the judged documents in the table of documents [query, n]."""
        rows = np.full(self.judged_lines.shape, MISSING, dtype=np.int64)
        there = self.judged_lines != MISSING
        rows[there] = self.documents.document_counts.docnos.rows(self.qrels.docnos[self.judged_lines[there]])
        return np.where(self.documents.is_skipped[rows], MISSING, rows)

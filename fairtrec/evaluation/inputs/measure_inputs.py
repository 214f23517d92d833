"""The inputs of measures, by name; each is computed once for a run, when first asked for.

``catalogue/needs.py`` lists them, with their shapes. Those that are not here are made of a thing that is given beside
the runs, by the function of their name in its file of evaluation/given.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Bools, Candidates, Docs, Floats, Ints
from fairtrec.evaluation.inputs.documents import EvaluationContext, RunContext, TargetOf
from fairtrec.formulas import distribution
from fairtrec.support.errors import InputError, UsageError

WITHOUT_JUDGMENTS = frozenset({"takes_part", "ranked", "tokens", "lines", "membership"})


class Inputs(RunContext):
    """The inputs of one run's evaluation over ``qids``; attributes are named as measures name them.

    They are of one attribute of documents. ``take_attribute`` gives those of another, which share what is of no groups
    with those of the ``first``. ``samples`` are those of each ranking, where a query has several.
    """

    samples: Sequence["Inputs"] = ()
    first: "Inputs | None"
    relevance: Floats  # grades of the ranked documents [query, rank]
    judged_lines: Ints  # lines of the judgments of each query's documents [query, n]
    judged_relevance: Floats  # grades of the judged documents [query, n]
    groups: tuple[str, ...]  # their names
    membership: Floats  # who belongs to which group [query, rank, group]
    known: Bools  # of which ranks the groups are known [query, rank]; what ``--missing`` fills in is not
    judged_membership: Floats  # who of the judged documents belongs to which group [query, n, group]

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

    def __getattr__(self, name: str) -> Any:
        """Compute an input that is made of a thing that is given."""
        if name.startswith("_"):
            raise AttributeError(name)
        value = vars(self)[name] = self.find_input(name)(self)
        return value

    def find_input(self, name: str) -> Callable[..., Any]:
        """Find what computes an input, or a part of one: the first thing given that it is made of."""
        found = next(filter(None, (thing.find_input(name) for thing in self.context.things)), None)
        if found is None:
            raise AttributeError(f"there is no input {name}; fairtrec/measures/catalogue/needs.py lists them")
        compute: Callable[..., Any] = found
        return compute

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
        tokens: Floats = self.documents.document_counts.tokens.astype(np.float64)
        return tokens

    @cached_property
    def collection(self) -> Candidates:
        """All documents of the collection, by their counts."""
        histogram = self.documents.document_counts.collection
        if histogram is None:
            what = "an option changes the counts of single documents, and those of the whole collection are not known"
            raise UsageError(f"{what}; leave it out, or take a run: --background RUN")
        return Candidates(histogram.counts[None].astype(np.float64), histogram.documents[None])

    @cached_property
    def target(self) -> Floats:
        """The share that each group should have [query, group]."""
        if self.context.target is not None:
            return self.context.target[None]
        if self.context.targets is not None:
            return self._of_queries(self.context.targets)
        mixture, crossing = self.context.target_of, self.context.crossing
        self.refuse_vast()
        assert mixture is not None
        total = mixture.factor
        first, *more = (factor / total * distribution.shares(self._sum_amounts(of)) for factor, of in mixture.of)
        mixed = sum(more, first)
        if crossing is not None:
            return crossing.target(mixed)
        if total == 1:
            return mixed
        given = mixture.shares if mixture.by_query is None else self._of_queries(mixture.by_query)
        assert given is not None
        return distribution.mix_shares(mixed, given, total, self.find_input("unknown_group")(self))

    def refuse_vast(self) -> None:
        """Raise UsageError if there are more groups than are listed."""
        if self.context.is_vast:
            raise UsageError(f"{self.context.attribute} has more groups than are listed; leave it out here")

    def _of_queries(self, targets: Mapping[str, Floats]) -> Floats:
        every = (*self.qids, *self.run.qids)  # of which these may be a part that has none
        if targets.keys().isdisjoint(every):
            raise InputError(
                "the targets have none of its queries; check that both are of one collection", self.run.name
            )
        unknown = np.full(len(self.groups), np.nan)
        return np.array([targets.get(qid, unknown) for qid in self.qids]).reshape(-1, len(unknown))

    def _sum_amounts(self, of: TargetOf) -> Floats:
        """Sum what the groups have of documents of which a target is made [query or 1, group]."""
        amounts, weights = self.find_input("amounts")(self, of)
        total: Floats = (np.nan_to_num(amounts, nan=0.0, posinf=0.0) * weights[..., None]).sum(axis=1)
        return total

    @cached_property
    def lines(self) -> Ints:
        """Lines of the run [query, rank]."""
        if self.first is not None:
            return self.first.lines
        documents = self.context.documents
        if documents is None or documents.missing != "skip" or documents.of_labels:
            return self.run.top(self.qids, self.depth)
        return documents.lines(self.run, self.qids, self.depth)

    @cached_property
    def docnos(self) -> Docs:
        """Ids of the ranked documents [query, rank], whatever is known of them; empty where there is none."""
        lines = self.run.top(self.qids, self.depth)
        there = lines != MISSING
        found = np.zeros(lines.shape, dtype=self.run.docnos.dtype)
        found[there] = self.run.docnos[lines[there]]
        found.flags.writeable = False  # so that what measures at several cutoffs ask for is computed once
        return found

    @cached_property
    def scores(self) -> Floats:
        """The scores of the ranked documents [query, rank]; nan where there is none."""
        if self.first is not None:
            return self.first.scores
        lines = self.lines
        there = lines != MISSING
        found = np.full(lines.shape, np.nan)
        found[there] = self.run.scores[lines[there]]
        return found

    @property
    def run_scores(self) -> Floats:
        """The scores of all documents of the run [line]."""
        return self.run.scores

    @property
    def collection_size(self) -> int | None:
        """How many documents the collection has; None if nobody says."""
        return self.context.choices.collection_size

    @property
    def lengths(self) -> Ints:
        """The last rank [query]; how many documents there are, if each rank holds one."""
        if self.run.positions is None:
            lengths: Ints = self.is_filled.sum(axis=1)
            return lengths
        ends = self.run.find_depths(self.run.numbers(self.qids))
        return ends if self.depth is None else np.minimum(ends, self.depth)

    @property
    def is_filled(self) -> Bools:
        """Which ranks hold a document [query, rank]."""
        return np.asarray(self.lines != MISSING)

    @cached_property
    def sample_of(self) -> Ints:
        """Which query each ranking belongs to [ranking]."""
        return np.arange(len(self.qids))

    def keep_judged(self, of: object, compute: Callable[[], Floats]) -> Floats:
        """Compute the groups ``of`` judged documents, or take those of the run before, mostly of the same queries."""
        kept, asked = self.context.of_judged, (self.judged_lines, self.documents, of)
        if self.context.attribute in kept:
            last, found = kept[self.context.attribute]
            if all(map(operator.is_, last, asked)):
                return np.asarray(found)
        found = compute()
        found.flags.writeable = False
        kept[self.context.attribute] = asked, found
        return np.asarray(found)

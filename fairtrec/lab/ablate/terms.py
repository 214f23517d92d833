"""Lists of terms of which some are left out: one after the other, or random subsets of each group's; and their values.

What a rank adds is computed once for a query, not for a run: a measure that says ``over_ranks`` that it is a sum of
what each rank adds, whatever stands on the others, is computed out of the gains of all documents that any run shows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrec.counting.counter import Lexicon, Occurrences
from fairtrec.data import MISSING, Bools, Candidates, Counts, Docnos, Floats, GroupTerms, Ints, Run, list_distinct, take
from fairtrec.evaluation.inputs.documents import Documents, EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.reading import LoadedRun, Reading
from fairtrec.formulas.weighted_sums import weighted_sum
from fairtrec.lab.ablate.factors import EACH, Draw
from fairtrec.measure import Measure, SumOverRanks
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Tokenizer


@dataclass(frozen=True, eq=False)
class Entries:
    """The entries of a list, a term and its group each, and how often each stands in some documents.

    ``phrase`` and ``group`` [entry] are their places in ``occurrences`` and in ``terms.groups``.
    """

    terms: GroupTerms
    names: tuple[str, ...]
    phrase: Ints
    group: Ints
    occurrences: Occurrences
    docnos: Docnos

    @classmethod
    def find(
        cls, terms: GroupTerms, occurrences: Occurrences, docnos: Docnos, how: tuple[Tokenizer, bool]
    ) -> "Entries":
        """Find the entries of a list among the phrases that were counted, by tokenizer and case."""
        names, phrases, groups = [], [], []
        for number, group in enumerate(terms.groups):
            for term in terms.terms[group]:
                one = Lexicon.from_terms(GroupTerms("", {"": (term,)}), how[0], case_sensitive=how[1])
                (phrase,) = one.listed
                names.append(term)
                phrases.append(occurrences.place[phrase])
                groups.append(number)
        return cls(terms, tuple(names), np.array(phrases), np.array(groups), occurrences, docnos)

    def counts(self, kept: Bools) -> Counts:
        """Count the terms of the entries that are ``kept`` [entry]."""
        members = np.zeros((len(self.occurrences.place), len(self.terms.groups)), dtype=np.bool_)
        members[self.phrase[kept], self.group[kept]] = True
        return self.occurrences.sum_groups(self.terms.groups, self.docnos, members)

    @property
    def documents(self) -> dict[str, int]:
        """In how many documents each term stands, of those that stand in any."""
        many = np.diff(self.occurrences.times.tocsc().indptr)[self.phrase].tolist()
        return {name: number for name, number in zip(self.names, many, strict=True) if number}

    def leave_out(self, what: Draw | str, called: str, seed: int) -> Iterator[tuple[str, Bools]]:
        """Give for each variant its name and the entries that are kept; draws are ``called`` so, and numbered.

        Raises UsageError where a group would be left without a term.
        """
        if what == EACH:
            for term in self.documents:
                kept = np.array([name != term for name in self.names])
                self._refuse_empty(kept, term)
                yield term, kept
        elif isinstance(what, Draw):
            for number in range(1, what.times + 1):
                yield f"{called} {number}", self._drawn(what.share, (seed, number))

    def _drawn(self, share: float, seed: tuple[int, int]) -> Bools:
        draw = np.random.default_rng(seed)
        kept = np.zeros(len(self.names), dtype=np.bool_)
        for number in range(len(self.terms.groups)):
            own = np.flatnonzero(self.group == number)
            many = max(1, int(share * len(own) + 0.5))
            kept[draw.choice(own, many, replace=False)] = True
        return kept

    def _refuse_empty(self, kept: Bools, term: str) -> None:
        for number, group in enumerate(self.terms.groups):
            if not (self.group[kept] == number).any():
                raise UsageError(
                    f"{term!r} is the only term of the group {group}, and cannot be left out of {self.terms.name}"
                )


OF_DOCUMENTS = frozenset({"ranked", "counts", "log_counts", "tokens", "groups", "target", "background", "membership"})


@dataclass(frozen=True, eq=False)
class Pool:
    """All documents that any run shows for a query, and where each run shows them.

    ``run`` ranks them in any order, each query's ``ranked`` [query, document] are rows of the table of documents;
    ``shown`` [run, query, rank] are places in these, MISSING behind the last.
    """

    measure: Measure
    run: Run
    ranked: Ints
    background: Ints | None
    shown: Ints

    def values(self, context: EvaluationContext) -> Floats | None:
        """Give the measure's values [run, query] by the documents of a context; None if it is no such sum."""
        inputs, rows = Inputs(self.run, self.run.qids, context, None), self.background
        vars(inputs)["ranked"] = self.ranked
        if rows is not None and "background" in self.measure.needs:  # they are looked up once
            vars(inputs)["background"] = Candidates(take(inputs.counts, rows), (rows != MISSING).astype(np.int64))
        found = self.measure.formula(**{name: getattr(inputs, name) for name in self.measure.needs}).over_ranks()
        if not isinstance(found, SumOverRanks) or found.weights.ndim != 1 or found.settled is not None:
            return None
        there = self.shown[:, :, : len(found.weights)]
        gains = np.nan_to_num(_at(found.gains, there))
        sums = np.stack([weighted_sum(each, found.weights) for each in gains])
        if found.known is not None:
            sums = np.where(_at(found.known.astype(np.float64), there).any(axis=2), sums, np.nan)
        return found.divide_by_divisor(sums)


def _at(values: Floats, places: Ints) -> Floats:
    """Look up values [query, document] at places [run, query, rank]; 0 where there is no document."""
    query = np.arange(places.shape[1])[None, :, None]
    return np.asarray(np.where(places == MISSING, 0.0, values[query, places]))


def pool(runs: Sequence[LoadedRun], reading: Reading, documents: Documents) -> Pool | None:
    """Collect the documents that the runs show; None where the values are no sums of what documents add.

    The runs rank the same queries, once each.
    """
    (measure, *more), first = reading.measures, runs[0]
    asked = set(measure.needs)
    alike = all(run.qids == first.qids and isinstance(run.rest, Run) for run in runs)
    if more or not asked <= OF_DOCUMENTS or not alike or documents.missing == "skip":
        return None
    depth = measure.depth
    if depth is None or measure not in reading.others:
        return None
    tops = [documents.rows(run.rest, run.qids, depth) for run in runs if isinstance(run.rest, Run)]
    shown = np.full((len(runs), len(first.qids), max(top.shape[1] for top in tops)), MISSING, dtype=np.int64)
    for number, top in enumerate(tops):
        shown[number, :, : top.shape[1]] = top
    pools = [list_distinct(shown[:, query][shown[:, query] != MISSING]) for query in range(len(first.qids))]
    ranked = np.full((len(pools), max(map(len, pools), default=0)), MISSING, dtype=np.int64)
    places = np.full(shown.shape, MISSING, dtype=np.int64)
    for query, rows in enumerate(pools):
        ranked[query, : len(rows)] = rows
        there = shown[:, query] != MISSING
        places[:, query][there] = np.searchsorted(rows, shown[:, query][there])
    background = None
    if isinstance(reading.context.background, Run):
        deep = reading.context.choices.background_depth
        background = documents.rows(reading.context.background, first.qids, deep)
    elif "background" in asked:
        return None
    together = ranked[ranked != MISSING]
    starts = np.concatenate(([0], np.cumsum([len(rows) for rows in pools])))
    names = documents.document_counts.docnos.names[together]
    run = Run("all", "all", first.qids, starts, names, np.zeros(len(names)))
    return Pool(measure, run, ranked, background, places)

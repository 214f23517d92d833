"""An evaluation that keeps what explains it: longer rankings, the texts of what is ranked, and what terms count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from fairtrec.annotation.counting.counter import Lexicon, annotate
from fairtrec.data import MISSING, Bools, Docnos, Floats, Ints, Run, decode
from fairtrec.errors import InputError, UsageError
from fairtrec.evaluation import loading, wanted
from fairtrec.evaluation.documents import Documents
from fairtrec.evaluation.inputs import Inputs
from fairtrec.evaluation.judge import Judge
from fairtrec.evaluation.reading import Reading, ReadRun, read
from fairtrec.evaluation.reference import Reference
from fairtrec.evaluation.result import Result
from fairtrec.evaluation.score import score
from fairtrec.evaluation.session import Evaluator
from fairtrec.explanation.marks import Term, found
from fairtrec.measure import Measure
from fairtrec.measures.utility import Utility

SAME = frozenset({"background", "collection", "target", "judged_membership"})  # inputs that no ranking changes


@dataclass(frozen=True)
class _Down(Measure):
    """Stands for all that looks down to a rank; None is the end."""

    cutoff: int | None = None


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of ranked documents and the terms in them, by rows of ``docnos``; and what some terms count anywhere.

    ``counts`` [document, group] and ``logs``, of each term that is to be no term, is what it has part in.
    """

    docnos: Docnos
    texts: dict[int, str] = field(default_factory=dict)
    terms: dict[int, dict[Term, int]] = field(default_factory=dict)
    counts: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Case:
    """One run whose values are to be explained; ``deep`` sees as far down as exchanges are looked for."""

    measure: Measure
    run: Run
    qids: tuple[str, ...]
    values: Floats  # [query]
    reference: Reference
    reach: int | None
    deep: int | None
    judge: Judge | None
    texts: Texts | None
    shares: dict[bytes, Any]  # of words, by the counts of their document; the same for all runs
    same: dict[tuple[str, ...], dict[str, Any]]  # what all runs of the same queries have in common

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs that the values were computed of."""
        inputs = Inputs(self.run, self.qids, self.reference, self.reach)
        same = self.same.setdefault(self.qids, {})
        for name in SAME.intersection(self.measure.needs):
            vars(inputs)[name] = same[name] if name in same else same.setdefault(name, getattr(inputs, name))
        return inputs

    @cached_property
    def further(self) -> Inputs:
        """The same down to where exchanges are looked for."""
        return Inputs(self.run, self.qids, self.reference, self.deep)

    @property
    def documents(self) -> Documents | None:
        """The table of documents, where the measure looks any up."""
        return self.reference.documents

    def known(self, inputs: Inputs) -> Bools:
        """Tell which documents [query, rank] have counts, where that matters."""
        there: Bools = inputs.lines != MISSING
        if self.documents is None:
            return there
        of_rows = np.append(self.documents.annotations.known, False)
        return np.asarray(there & of_rows[inputs.ranked])

    def docnos(self, inputs: Inputs) -> list[list[str]]:
        """Name the documents of each query, those that are there."""
        lines = inputs.lines
        names = decode(self.run.docnos[lines[lines != MISSING]])
        ends = np.cumsum((lines != MISSING).sum(axis=1)).tolist()
        return [names[first:last] for first, last in zip([0, *ends], ends, strict=False)]


class Explainer(Evaluator):
    """Evaluates one measure, and keeps what explains its values.

    ``queries`` are those to be looked at closely, of which exchanges are looked for among the first ``candidates``;
    none: all queries, as they are. Each of the terms ``what_if`` is to be no term, for once.
    """

    def __init__(
        self, keywords: dict[str, Any], measure: Any, queries: Sequence[str], candidates: int, what_if: Sequence[str]
    ) -> None:
        super().__init__(keywords, measure)
        if len(self.measures) != 1:
            named = ", ".join(map(str, self.measures))
            raise UsageError(f"these are {len(self.measures)} measures ({named}); explain one at a time")
        self.choices.refuse("explain", "explain shows")
        if candidates < 1:
            raise UsageError(f"candidates are {candidates}; look at 1 document or more")
        (self.measure,) = self.measures
        self.closely, self.candidates = tuple(queries), candidates
        self.dropped = self._terms(what_if)
        reach = self._depth
        self._depth = reach if reach is None or not queries else max(reach, self._deepest(candidates))

    def _deepest(self, candidates: int) -> int:
        """Tell down to which rank documents may be looked at."""
        return min(candidates, self.choices.depth or candidates)

    def _terms(self, asked: Sequence[str]) -> dict[str, Term]:
        """Find the terms that are to be none among those of the list."""
        lexicon = self.plan.lexicon
        if asked and (lexicon is None or "documents" not in self.plan.uses):
            raise UsageError("--what-if takes a term away, and no terms are looked for; give --groups with --docs")
        terms = {}
        for each in dict.fromkeys(asked):
            assert lexicon is not None
            phrase = tuple(lexicon.tokens(each))
            numbers = lexicon.words.get(phrase[0]) if len(phrase) == 1 else lexicon.phrases.get(phrase)
            if numbers is None:
                every = [*lexicon.words, *map(" ".join, lexicon.phrases)]
                near = get_close_matches(" ".join(phrase), every, 1)
                hint = f"did you mean {near[0]}?" if near else "give one that is"
                raise UsageError(f"{each!r} is no term of the list; {hint}")
            terms[each] = (" ".join(phrase), numbers)
        return terms

    def cases(self, runs: Any, jobs: int) -> tuple[list[Case], Result]:
        """Evaluate runs, as ``evaluate`` does, and keep what explains their values."""
        named = loading.named_runs(runs)
        reading = self._settled(is_run=False)
        if "counterfactual" in reading.reference.extras:
            from fairtrec.evaluation import counterfactual

            reference = counterfactual.matched(reading.reference, named, self.choices, self._depth)
            reading = replace(reading, reference=reference)
        runs = self._read(named, reading, jobs)
        reach = wanted.depth_of(self.measures)
        texts = self._texts(runs, reading, reach) if reading.in_two else None
        documents = self._seen(runs, reading, reach) if reading.in_two else None
        reference = replace(reading.reference, documents=documents)
        utility = isinstance(self.measure, Utility) and reference.qrels is not None
        judge = Judge([self.measure], reference.qrels) if utility else None  # type: ignore[list-item,arg-type]
        scores = [score(run.rest, self.measures, run.qids, reference, judge, self.choices) for run in runs if run.rest]
        cases, shares, same = [], dict[bytes, Any](), dict[tuple[str, ...], dict[str, Any]]()
        for run, values in zip(runs, scores, strict=True):
            assert isinstance(run.rest, Run)
            parts = run.rest, run.qids, values.values[0], reference, reach, self._depth, judge, texts, shares, same
            cases.append(Case(self.measure, *parts))
        looked_at = documents if documents is None else self._shallow(runs, reading, documents)
        of_files = [each for each in named if each[0] in {run.name for run in runs}]
        result = self._result(of_files, scores, {}, looked_at, reading.queries)
        beside = reading.reference.extras.get("counterfactual")
        return cases, result if beside is None else beside.noted(result)

    def _read(self, named: Sequence[tuple[str, Any]], reading: Reading, jobs: int) -> list[ReadRun]:
        """Read the runs down to where anything is looked at, and keep the queries that are asked for."""
        runs, _ = read(named, replace(reading, others=(_Down(self._depth),), in_two=True), jobs, keep_going=False)
        if not self.closely:
            return runs
        for qid in self.closely:
            if not any(qid in run.qids for run in runs):
                near = get_close_matches(qid, runs[-1].qids, 1)
                hint = f"did you mean {near[0]}?" if near else f"queries are called like {runs[-1].qids[0]}"
                raise InputError(f"there is no value for a query {qid}; {hint}", runs[-1].name)
        asked = [replace(run, qids=tuple(qid for qid in self.closely if qid in set(run.qids))) for run in runs]
        return [run for run in asked if run.qids]

    def _shallow(self, several: Sequence[ReadRun], reading: Reading, documents: Documents) -> Documents:
        """Keep the documents that the values are computed of. Raises InputError if nobody knows one of them."""
        runs = [(run.rest, run.qids) for run in several if run.rest is not None]
        docnos = wanted.documents_of(runs, self.measures, reading.reference, self.choices.missing)
        shallow = Documents(documents.annotations.of(docnos), documents.missing)
        if documents.missing == "error" and not shallow.annotations.known.all():
            reach = wanted.depth_of(self.measures)
            for system, qids in runs:
                if fault := wanted.unknown_in(system.cut(qids, reach), qids, shallow):
                    raise fault
            wanted.refuse_unknown([qids for _, qids in runs], self.measures, reading.reference, shallow)
        return shallow

    def _deeper(self, reading: Reading, reach: int | None) -> Reading:
        """Let the measure look as far down as exchanges are looked for."""
        if self._depth is None or reach is None or self._depth <= reach or "cutoff" not in vars(self.measure):
            return reading
        return replace(reading, measures=(self.measure @ self._depth,))

    def _seen(self, several: Sequence[ReadRun], reading: Reading, reach: int | None) -> Documents:
        """Look documents up, those too that may come into the ranking by an exchange."""
        return self._looked_up(several, self._deeper(reading, reach))

    def _texts(self, several: Sequence[ReadRun], reading: Reading, reach: int | None) -> Texts | None:
        """Read the texts once: count in all of them, and keep those that are ranked."""
        lexicon = self.plan.lexicon
        if lexicon is None:
            return None
        runs = [(run.rest, run.qids) for run in several if run.rest is not None]
        measures = self._deeper(reading, reach).measures
        docnos = wanted.documents_of(runs, measures, reading.reference, self.choices.missing)
        deep = None if self.choices.missing == "skip" else reach
        ranked = {row for system, qids in runs if isinstance(system, Run) for row in
                  docnos.rows(system.cut(qids, deep).docnos).tolist()}  # fmt: skip
        kept = Texts(docnos)
        shape = len(docnos), len(lexicon.groups)
        for each in self.dropped:
            kept.counts[each] = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        self._counts = annotate(self._kept(kept, ranked, lexicon), docnos, lexicon)
        return kept

    def _kept(self, kept: Texts, ranked: set[int], lexicon: Lexicon) -> Iterator[tuple[int, str]]:
        """Give each text on to be counted, and keep what is wanted of it."""
        for row, words in loading.texts(self.given.docs, kept.docnos):
            if row in ranked or self.dropped:
                terms = found(lexicon, lexicon.tokens(words))
                if row in ranked:
                    kept.texts[row], kept.terms[row] = words, terms
                for name, term in self.dropped.items():
                    counts, logs = kept.counts[name]
                    counts[row, list(term[1])] = terms.get(term, 0)
                    logs[row, list(term[1])] = np.log(max(terms.get(term, 0), 1))
            yield row, words

    def without(self, case: Case, term: str) -> Floats:
        """Evaluate a run again where a term is none [query]."""
        assert case.texts is not None
        assert case.documents is not None
        old = case.documents.annotations
        rows = case.texts.docnos.rows(old.docnos.names)
        counts, logs = case.texts.counts[term]
        assert old.log_counts is not None
        less = replace(old, counts=old.counts - counts[rows], log_counts=old.log_counts - logs[rows])
        reference = replace(case.reference, documents=replace(case.documents, annotations=less))
        values: Floats = score(case.run, self.measures, case.qids, reference, None, self.choices).values[0]
        return values

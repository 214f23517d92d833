"""A session: what is given beside the runs is read once, for any number of runs that come one after the other."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from os import fspath
from typing import Any, Literal, Unpack, cast

import numpy as np

from fairtrec.data import MISSING, Annotations, Docnos, Queries, Run
from fairtrec.errors import PATH, InputError, UsageError
from fairtrec.evaluation import loading, wanted
from fairtrec.evaluation.batch import processes
from fairtrec.evaluation.choices import ChoiceKeywords, Choices, unknown
from fairtrec.evaluation.documents import Documents
from fairtrec.evaluation.given import Given, GivenKeywords, Judgements, Rankings
from fairtrec.evaluation.groups import described
from fairtrec.evaluation.plan import settle
from fairtrec.evaluation.reading import Failed, Reading, ReadRun, finished, read
from fairtrec.evaluation.reference import Reference
from fairtrec.evaluation.result import InputFile, Part, Result
from fairtrec.evaluation.scores import Scores
from fairtrec.evaluation.signing import signature_of
from fairtrec.evaluation.undefined import filled
from fairtrec.files.arguments import crossed
from fairtrec.measure import Measure

Named = Sequence[tuple[str, Any]]
TOGETHER = 1000  # runs that are held until what they look up has been read; of more, so many at a time


class Keywords(GivenKeywords, ChoiceKeywords, total=False):
    """What ``evaluate`` and ``evaluator`` take by keyword: what is given beside the runs, and the options."""


def evaluator(
    measures: str | Measure | Iterable[str | Measure] | None,
    qrels: Judgements | None = None,
    **keywords: Unpack[Keywords],
) -> "Evaluator":
    """Open a session: settle once what is computed, and read once what is given beside the runs.

    Takes what ``evaluate`` takes, but for the runs:

        session = fairtrec.evaluator("nDCG@10 NFaiRR@10", qrels="qrels.txt", annotations="c.arrow", background=bm25)
        for run in runs:
            print(session.scores(run).means)

    Raises UsageError at once for what does not fit together; files are opened when the first run comes.
    """
    return Evaluator({"qrels": qrels, **keywords}, measures)


class Evaluator:
    """Evaluates runs as they come, with the values that ``evaluate`` gives them, to the last bit.

    It keeps the plan (measures, target, labels, terms), the judgements, the query set, the background, and the counts
    of all documents that were looked up so far: of the next run's only those are read that no run before had. So a file
    of texts or counts must stay as it is; one of the others may change, and changes no value.
    """

    def __init__(self, keywords: dict[str, Any], measures: Any) -> None:
        named = {name: value for name, value in keywords.items() if name in Given.__annotations__}
        rest = {name: value for name, value in keywords.items() if name not in named}
        for name in rest.keys() - ChoiceKeywords.__annotations__.keys():
            raise unknown(name, Keywords.__annotations__)
        self.choices = Choices(**rest)
        if isinstance(named["qrels"], str) and named["qrels"] == "none":  # as on the command line
            named["qrels"] = None
        self.given = Given(**named)
        self.plan = settle(measures, self.given, self.choices)
        depth = None if self.choices.of_whole_rankings else wanted.depth_of(self.plan.measures)
        self._depth = min((each for each in (depth, self.choices.depth) if each is not None), default=None)
        self._reading: Reading | None = None  # None until a run comes
        self._files: dict[Part, InputFile] = {}  # beside the runs
        self._background_depth: int | None = None  # ranks down to which the background was read; None: all
        self._counts: Annotations | None = None  # of the documents that were looked up so far
        self._last: Any = None  # what the last documents keep of the background: its counts stay, whatever run comes

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is computed, one measure for each group where they ask for that."""
        return self.plan.measures

    def scores(self, run: Rankings) -> Scores:
        """Evaluate one run: a path, ``{qid: {docno: score}}``, or a frame. Raises UsageError if they are several."""
        result = self.evaluate(run)
        if len(result.scores) != 1:
            raise UsageError(f"these are {len(result.scores)} runs, and scores are of one; call evaluate")
        return replace(result.scores[0], result=result)

    def evaluate(self, runs: Any, *, jobs: int | None = 1, keep_going: bool = False) -> Result:
        """Evaluate runs, named and given as for ``fairtrec.evaluate``, with ``jobs`` and ``keep_going`` as there.

        Raises UsageError if there is no run, InputError for what cannot be read, of a run or beside them.
        """
        named = loading.named_runs(runs)
        number = processes([thing for _, thing in named], jobs)
        path = self.given.background if not self.choices.samples and isinstance(self.given.background, PATH) else None
        same = [path is not None and isinstance(thing, PATH) and thing == path for _, thing in named]
        reading = self._settled(is_run=any(same))
        if "counterfactual" in reading.reference.extras:
            from fairtrec.evaluation import counterfactual

            reference = counterfactual.matched(reading.reference, named, self.choices, self._depth)
            reading = replace(reading, reference=reference)
        loaded = self._from_background(named, same, reading.reference.background) if any(same) else named
        together = TOGETHER if reading.in_two else max(len(loaded), 1)
        scores: list[Scores] = []
        failed: Failed = {}
        documents: Documents | None = None
        for first in range(0, len(loaded), together):
            several = loaded[first : first + together]
            read_runs, broken = read(several, reading, number, keep_going=keep_going, of=(first, len(loaded)))
            looked_up = self._looked_up(read_runs, reading) if reading.in_two and read_runs else None
            of_several, lacking = finished(read_runs, reading, looked_up, keep_going=keep_going)
            self._last = looked_up.last if looked_up else None
            scores += of_several
            failed |= broken | lacking
            documents = self._all_of(documents, looked_up) if documents and looked_up else documents or looked_up
            read_runs = []  # which are let go before the next are read
        if self.choices.undefined != "skip":
            scores, incomplete = self._filled(scores, keep_going=keep_going)
            failed |= incomplete
        result = self._result(named, scores, failed, documents, reading.queries)
        beside = reading.reference.extras.get("counterfactual")
        return result if beside is None else beside.noted(result)

    def beside(self, run: Run, qids: Sequence[str], depth: int | None) -> Reference:
        """Give what stands beside a run, and all documents looked at of these queries down to a depth.

        Raises InputError for what cannot be read, and for a document that nobody knows, unless told what it is worth.
        """
        reading = self.reading
        if not reading.in_two:
            return reading.reference
        top = run.cut(qids, depth)
        documents = self._looked_up([ReadRun(run.name, tuple(qids), None, top)], reading)
        reference = replace(reading.reference, documents=documents)
        if documents.missing == "error" and not documents.annotations.known.all():
            fault = wanted.unknown_in(top, qids, documents)
            if fault is not None:
                raise fault
            wanted.refuse_unknown([qids], reading.measures, reference, documents)
        return reference

    @property
    def reading(self) -> Reading:
        """What stands beside every run, but for the documents; read when it is first asked for."""
        return self._settled(is_run=False)

    def _filled(self, several: list[Scores], *, keep_going: bool) -> tuple[list[Scores], Failed]:
        """Give undefined values what they count as; where there must be none, a run that has some is broken."""
        scores: list[Scores] = []
        failed: Failed = {}
        for each in several:
            try:
                scores.append(filled(each, self.choices.undefined))
            except InputError as fault:
                if not keep_going:
                    raise
                failed[each.run] = str(fault)
        return scores, failed

    def _settled(self, *, is_run: bool) -> Reading:
        """Read what stands beside the runs, if no run came before, and say how runs are read."""
        given, plan, choices = self.given, self.plan, self.choices
        if self._reading is None:
            background: Run | Literal["collection"] | None = None
            if given.whole_collection and "background" in plan.uses:
                background = "collection"
            elif given.background is not None and "background" in plan.uses:
                deep = None if choices.missing == "skip" else choices.background_depth
                if is_run:  # it is read once, as deep as a run
                    deep = None if deep is None or self._depth is None or choices.ties else max(deep, self._depth)
                self._background_depth = deep
                how = replace(choices, samples=False, ties=False)
                background = cast("Run", loading.run(given.background, "background", how, deep))
            queries = None if given.queries is None else loading.queries(given.queries)
            qrels = plan.reference.qrels
            if qrels is None and given.qrels is not None:
                qrels = loading.qrels(given.qrels)
            self._reading = Reading(
                measures=plan.measures,
                others=plan.others,
                reference=replace(plan.reference, qrels=qrels, background=background),
                queries=queries,
                choices=choices,
                depth=self._depth,
                in_two="documents" in plan.uses,
            )
        return self._reading

    def _from_background(self, named: Named, same: Sequence[bool], background: Any) -> Named:
        """Put the background in the place of the runs that are the ``same``, if it was read deep enough."""
        deep = self._background_depth
        enough = deep is None or (self._depth is not None and self._depth <= deep and not self.choices.ties)
        if not isinstance(background, Run) or not enough:
            return named
        run = background.cut(background.qids, None if self.choices.ties else self._depth)
        run = run.cut_behind_ties(self._depth) if self.choices.ties else run
        return [(name, run if is_run else thing) for (name, thing), is_run in zip(named, same, strict=True)]

    def _looked_up(self, runs: Sequence[ReadRun], reading: Reading) -> Documents:
        """Look up all documents that the measures look at in any of the runs; those of runs before are known."""
        looked_at = wanted.documents_of(
            [(run.rest, run.qids) for run in runs if run.rest is not None],
            reading.measures,
            reading.reference,
            self.choices.missing,
            ties=self.choices.ties,
        )
        fresh, given, plan = looked_at, self.given, self.plan
        if self._counts is not None:
            fresh = Docnos.of(looked_at.names[self._counts.docnos.rows(looked_at.names) == MISSING])
        if self._counts is None or len(fresh):
            if plan.lexicon is not None:
                counts = loading.counted(given.docs, fresh, plan.lexicon)
            elif plan.reference.labels is not None:
                counts = loading.counts_of(plan.reference.labels, fresh)
            elif plan.table is None:
                from fairtrec.formats import descriptions

                counts = descriptions.counts(given.annotations, fresh)
            else:
                from fairtrec.formats import annotations

                collection = "collection" in plan.uses or (given.whole_collection and "background" in plan.uses)
                counts = annotations.read(plan.table, fresh, collection=collection)
            self._counts = counts if self._counts is None else self._counts.joined(counts)
        counts = self._counts
        if len(counts.known) > len(looked_at.names):  # runs before have looked at more
            counts = counts.of(looked_at)
        of_labels = plan.lexicon is None and plan.reference.labels is not None
        documents = Documents(counts, self.choices.missing, of_labels=of_labels)
        documents.last = self._last
        return documents

    def _all_of(self, first: Documents, second: Documents) -> Documents:
        """Put together the documents that two batches of runs looked at."""
        assert self._counts is not None
        names = np.concatenate((first.annotations.docnos.names, second.annotations.docnos.names))
        return Documents(self._counts.of(Docnos.of(names)), self.choices.missing)

    def _result(
        self,
        named: Named,
        scores: list[Scores],
        failed: Failed,
        documents: Documents | None,
        queries: Queries | None,
    ) -> Result:
        """Put together what is needed to have the scores again."""
        plan, given, choices, labels = self.plan, self.given, self.choices, self.plan.reference.labels
        unknown, notes = 0, plan.notes
        if documents is not None and choices.missing != "error":
            known = documents.annotations.known
            unknown = int((~known).sum())
        if unknown:
            what = f"{unknown} of the {len(known)} documents looked at have no text or counts: {choices.missing}"
            notes = (*notes, what)
        parts = {Part(name): thing for name, thing in vars(given).items()}
        parts |= {Part("run", name): run for name, run in named if name not in failed}
        if loading.is_file(choices.target):
            parts[Part("target")] = choices.target
        if isinstance(given.labels, PATH):
            several = crossed(fspath(given.labels))
            parts |= {Part("labels", str(number)): part for number, part in enumerate(several, 1) if len(several) > 1}
        asked = {
            name: fspath(each) if isinstance(each, PATH) else (None if each is None else True)
            for name, each in vars(given).items()
        }
        files = {
            part: self._files.get(part) or InputFile(*at)
            for part, thing in parts.items()
            if (at := loading.origin(thing)) is not None
        }
        self._files = {part: file for part, file in files.items() if part.of != "run"}
        return Result(
            tuple(scores),
            signature_of(plan, choices, given, queries, unknown),
            notes,
            files,
            tuple((name, failed[name]) for name, _ in named if name in failed),
            {**asked, **asdict(choices)},  # True stands for an object, which has no name
            {} if labels is None else described(labels, plan.reference.target),
        )

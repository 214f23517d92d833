"""``fairtrec.evaluate``: from whatever the caller has (paths, names, frames, dicts) to the scores of each run."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Unpack

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.given import GoldKeywords, Keywords
from fairtrec.evaluation.given.given_rows import JudgmentsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.jobs import processes
from fairtrec.evaluation.plan import settle
from fairtrec.evaluation.session import Evaluator
from fairtrec.measure import Measure
from fairtrec.support.files import submissions


def evaluator(
    measures: str | Measure | Iterable[str | Measure] | None,
    qrels: JudgmentsLike | None = None,
    **keywords: Unpack[Keywords],
) -> Evaluator:
    """Open a session that reads qrels, texts and labels once and then evaluates any number of runs.

    It takes what ``evaluate`` takes, except for the runs. A run of whose measured ranks the labels or stances know no
    document is refused by ``evaluate``; here its undefined values are nan, and a note says so:

        session = fairtrec.evaluator("nDCG@10 NFaiRR@10", qrels="qrels.txt", counts="c.arrow", background=bm25)
        for run in runs:
            print(session.scores(run).means)

    Raises:
        UsageError: inputs or options that do not fit together. Files are opened with the first run.
    """
    plan = settle(measures, {"qrels": qrels, **keywords}, Keywords.__annotations__)
    return Evaluator(replace(plan, context=replace(plan.context, refuses_strangers=False)))


@require_names
def evaluate(
    measures: str | Measure | Iterable[str | Measure] | None,
    runs: Any,
    *,
    qrels: JudgmentsLike | None = None,
    jobs: int | None = 1,
    keep_going: bool = False,
    untrusted: bool | Mapping[str, int] = False,
    **keywords: Unpack[GoldKeywords],
) -> Result:
    """Evaluate runs with measures of fairness and relevance.

    Args:
        measures: ``Name(parameter=value)@cutoff``, several of them, or measures of ``fairtrec.measures``; None: all
            that the inputs allow.
        runs: a run, a list of runs, or a dict of named ones. A run is a path, ``{qid: {docno: score}}``, or a frame
            with query_id, doc_id and score.
        qrels: a path, an ir_datasets id or dataset, ``{qid: {docno: grade}}``, or a frame.
        terms: the name of a word list, a path, or ``{group: [term, ...]}``.
        docs: a path, an ir_datasets id or dataset, ``{docno: text}``, or a frame with doc_id and text.
        counts: counts instead of texts: a path, or a frame with docno, tokens and a column per group.
        labels: groups instead of words: a path, ``path:field``, ``a*b`` for two that are crossed, ``"qrels"`` for
            subtopics, an ir_datasets id with a field ``id:field``, ``{docno: group}``, ``{docno: {group: weight}}``, a
            frame, or what ``fairtrec.attributes`` returns.
        stances: a path, ``{docno: [x, ...]}``, or a frame with a column per axis.
        discount: the weights of ranks from 1 for measures with ``discount='given'``: a path or a sequence.
        counterfactual: the same system's run over the swapped texts; ``{name: run}`` for several runs, or a folder with
            a file of the same name for each.
        queries: the name of a query set, a path, query ids, ``"common"`` for those that every run has,
            ``"defined"`` for those in which every run has a value of every measure, or ``"judged"`` for those of the
            qrels.
        background: a run, or ``"collection"`` for all documents of the counts.
        gold: labels by people that correct means: the sheet of `fairtrec gold draw`, a frame with docno, group and
            probability, or ``{docno: group}`` for all documents.
        jobs: how many processes read the runs. Default 1; None decides by the size of the files. A script with several
            calls this below ``if __name__ == "__main__":``.
        keep_going: list runs that cannot be read in ``failed``, and score the others.
        untrusted: treat runs as submissions of strangers: no links, pipes or odd names, and limits on sizes.
            ``{"lines": 20_000_000}`` raises a limit (bytes, lines, depth, groups).
        keywords: the inputs above, and the fields of Choices, such as ``tokenizer="word"``.

    Returns:
        The values of each run, with the notes and the signature.

    Raises:
        UsageError: inputs or options that do not fit together.
        InputError: a file or an object that cannot be read.
        ResourceError: a word list or query set that is not on this machine.
    """
    with submissions.guard_files(untrusted=untrusted):
        return _evaluate(measures, runs, qrels, jobs=jobs, keep_going=keep_going, **keywords)


def _evaluate(
    measures: Any, runs: Any, qrels: Any, *, jobs: int | None, keep_going: bool, **keywords: Unpack[GoldKeywords]
) -> Result:
    named = loading.name_rankings(runs)
    number = processes([thing for _, thing in named], jobs)  # they start while the rest is settled
    session = Evaluator(settle(measures, {"qrels": qrels, **keywords}, runs=named))
    return session.evaluate_named(named, number, keep_going=keep_going)

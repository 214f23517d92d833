"""``fairtrec.evaluate``: from whatever the caller has (paths, names, frames, dicts) to the scores of each run."""

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from fairtrec.evaluation.answers.result import Result
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.sources import GoldKeywords, JudgementsLike, Keywords
from fairtrec.evaluation.jobs import processes
from fairtrec.evaluation.plan import settle
from fairtrec.evaluation.session import Evaluator
from fairtrec.measure import Measure
from fairtrec.support.files import submissions


def evaluator(
    measures: str | Measure | Iterable[str | Measure] | None,
    qrels: JudgementsLike | None = None,
    **keywords: Unpack[Keywords],
) -> Evaluator:
    """Open a session: settle once what is computed, and read once what is given beside the runs.

    Takes what ``evaluate`` takes, but for the runs:

        session = fairtrec.evaluator("nDCG@10 NFaiRR@10", qrels="qrels.txt", counts="c.arrow", background=bm25)
        for run in runs:
            print(session.scores(run).means)

    Raises UsageError at once for what does not fit together; files are opened when the first run comes.
    """
    return Evaluator(settle(measures, {"qrels": qrels, **keywords}, Keywords.__annotations__))


def evaluate(
    measures: str | Measure | Iterable[str | Measure] | None,
    runs: Any,
    qrels: JudgementsLike | None = None,
    *,
    jobs: int | None = 1,
    keep_going: bool = False,
    untrusted: bool | Mapping[str, int] = False,
    **keywords: Unpack[GoldKeywords],
) -> Result:
    """Evaluate runs.

    ``measures``     in the notation ``Name(parameter=value)@cutoff``, or measures of ``fairtrec.measures``, or several;
                     None: those for which the inputs are given.
    ``runs``         a run, a list of runs, or a dict of named ones; a run is a path, ``{qid: {docno: score}}``, or a
                     frame with query_id, doc_id and score.
    ``qrels``        a path, an ir_datasets id or dataset, ``{qid: {docno: grade}}``, or a frame.
    ``terms``        the name of a word list, a path, or ``{group: [term, ...]}``.
    ``docs``         a path, an ir_datasets id or dataset, ``{docno: text}``, or a frame with doc_id and text.
    ``counts``       counts made before: a path, or a frame with docno, tokens and a column for each group.
    ``labels``       group membership instead of words: a path (or two, ``a*b``) or ``path:field``, ``qrels`` for
                     their subtopics, an ir_datasets id with a field ``id:field``, ``{docno: group}``, or
                     ``{docno: {group: weight}}``.
    ``positions``    a path, or ``{docno: [x, ...]}``.
    ``discount``     the weights of ranks from 1, for ``discount='given'`` of measures: a path, or a sequence.
    ``counterfactual``  what the same system ranks over the substituted collection: a run, ``{name: run}`` for several
                     runs, or a folder with a file of the same name for each.
    ``queries``      the name of a query set, a path, query ids, ``"common"`` for those that every run has, or
                     ``"judged"`` for those of the qrels.
    ``background``   a run, or ``"collection"`` for all documents of the counts.
    ``gold``         labels by people of what `fairtrec gold draw` drew, by which means are corrected: a path, a frame
                     with docno, group and probability, or ``{docno: group}`` where all documents are labelled.
    ``jobs``         how many processes read the runs; None: as many as there are cores, where that pays. Where these
                     are several, a script calls this below ``if __name__ == "__main__":``.
    ``keep_going``   lists runs that cannot be read in ``failed`` and scores the others.
    ``untrusted``    takes the runs for submissions of strangers: no links, pipes or odd names, and limits on what each
                     holds, which ``{"lines": 20_000_000}`` raises (bytes, lines, depth, groups).
    ``choices``      the fields of Choices, such as ``tokenizer="word"``.

    Raises UsageError for what does not fit together, InputError for what cannot be read, ResourceError for a word
    list or query set that is not on this machine.
    """
    with submissions.guarded(untrusted=untrusted):
        return _evaluate(measures, runs, qrels, jobs=jobs, keep_going=keep_going, **keywords)


def _evaluate(
    measures: Any, runs: Any, qrels: Any, *, jobs: int | None, keep_going: bool, **keywords: Unpack[GoldKeywords]
) -> Result:
    named = loading.named_runs(runs)
    number = processes([thing for _, thing in named], jobs)  # they start while the rest is settled
    session = Evaluator(settle(measures, {"qrels": qrels, **keywords}, runs=named))
    return session.evaluated(named, number, keep_going=keep_going)

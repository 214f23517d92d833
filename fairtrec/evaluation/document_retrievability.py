"""``fairtrec.retrievability``: how often the rankings of a run show each document."""

from collections.abc import Mapping

import numpy as np

from fairtrec.data import MISSING, decode
from fairtrec.evaluation.given.given_rows import RankingsLike
from fairtrec.evaluation.given.pool import find_frequencies, frequencies
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.formulas.retrieved_documents import RetrievedDocuments, weigh_ranks
from fairtrec.measures.retrievability import Retrievability
from fairtrec.support.errors import PATH, FilePath
from fairtrec.support.literals import RankedBy, RunFormat


def retrievability(
    run: RankingsLike,
    cutoff: int = 100,
    b: float = 0.0,
    pool: FilePath | dict[str, float] = "even",
    *,
    order: RankedBy = "score",
    run_format: RunFormat = "auto",
    columns: str | Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Sum how often the queries of a run retrieve each document.

    Args:
        run: a path, ``{qid: {docno: score}}``, or a frame with query_id, doc_id and score.
        cutoff: the ranks of each query that are read.
        b: rank i counts i^-b; 0 counts the queries that retrieve the document.
        pool: ``"even"``, a file of qid and frequency, or frequencies by query.
        order: rank by ``"score"``, ``"rank"`` (column 4) or the order in the ``"file"``.
        run_format: the format of the file.
        columns: which columns of a table are what, as for ``evaluate``.

    Returns:
        What each retrieved document gets, by docno, the highest first; equal ones by docno.

    Raises:
        UsageError: a cutoff, b or frequency that cannot be.
        InputError: a run that cannot be read, or has a query without a frequency.
    """
    asked = Retrievability(cutoff=cutoff, b=b)  # which refuses what cannot be
    often = frequencies(pool)
    name = loading.name_rankings(run)[0][0] if isinstance(run, PATH) else "run"
    choices = Choices(order=order, run_format=run_format, columns=columns)
    found = loading.ranking(run, name, choices, asked.cutoff, is_run=True)
    ranks = weigh_ranks(b, int(found.depths.max(initial=0)))
    if found.positions is None:
        retrieved = RetrievedDocuments.number(found.docnos, np.diff(found.starts), ranks)
    else:
        lines = found.top(found.qids, None)
        retrieved = RetrievedDocuments.lay(np.where(lines == MISSING, b"", found.docnos[lines]), ranks)
    amounts = retrieved.sum_weights(find_frequencies(often, found.qids, name))
    best = np.lexsort((retrieved.names, -amounts))  # exact: docnos differ
    best = best[amounts[best] > 0]
    return dict(zip(decode(retrieved.names[best]), amounts[best].tolist(), strict=True))

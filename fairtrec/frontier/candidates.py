"""The documents that each query may rank: those of the run, then those of the background or of all runs."""

from collections.abc import Sequence

import numpy as np

from fairtrec.data import Docs, Ints, Run


def pooled(runs: Sequence[Run], name: str) -> Run:
    """Rank the documents of several runs in turn: those of rank 1, then those of rank 2, each once."""
    qids = tuple(sorted({qid for run in runs for qid in run.qids}))
    rankings = []
    for qid in qids:
        tops = [run.docnos[run.top([qid], None)[0]] for run in runs if qid in set(run.qids)]
        places = np.concatenate([np.arange(len(top)) for top in tops])
        docnos = np.concatenate(tops)[np.argsort(places, kind="stable")]
        _, first = np.unique(docnos, return_index=True)
        rankings.append(docnos[np.sort(first)])
    return _run(name, qids, rankings)


def extended(run: Run, qids: Sequence[str], more: Run | None) -> Run:
    """Put the documents of another run behind those that each query has."""
    if more is None:
        return run.cut(qids, None)
    rankings = []
    for own, other in zip(run.top(qids, None), more.top(qids, None), strict=True):
        first, second = run.docnos[own[own >= 0]], more.docnos[other[other >= 0]]
        rankings.append(np.concatenate([first, second[~np.isin(second, first)]]))
    return _run(run.name, tuple(qids), rankings)


def reordered(run: Run, qids: Sequence[str], tops: Sequence[Ints]) -> Run:
    """Keep the documents of these places of each query, in this order."""
    lines = run.top(qids, None)
    return _run(run.name, tuple(qids), [run.docnos[row[top]] for row, top in zip(lines, tops, strict=True)])


def _run(name: str, qids: tuple[str, ...], rankings: Sequence[Docs]) -> Run:
    lengths = np.array([len(each) for each in rankings], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    docnos = np.concatenate(rankings) if rankings else np.empty(0, dtype="S1")
    scores = np.concatenate([np.arange(many, 0.0, -1.0) for many in lengths.tolist()] or [np.zeros(0)])
    return Run(name, name, qids, starts, docnos, scores)

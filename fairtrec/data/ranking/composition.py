"""Runs that are made of the documents of other runs: in another order, in turn, or one behind the other."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from fairtrec.data import MISSING, Docs, Floats, Ints, Run


def make_falling_scores(starts: Ints) -> Floats:
    """Give scores that fall by 1 to 1 in each ranking.

    >>> make_falling_scores(np.array([0, 3, 5])).tolist()
    [3.0, 2.0, 1.0, 2.0, 1.0]
    """
    down = np.arange(float(np.diff(starts).max(initial=0)), 0.0, -1.0)
    scores = np.empty(int(starts[-1]))
    for first, end in pairwise(starts.tolist()):
        scores[first:end] = down[len(down) - (end - first) :]
    return scores


def merge_runs(runs: Sequence[Run]) -> Run:
    """Rank the documents of several runs in turn: those of rank 1, then those of rank 2, each once."""
    if len(runs) == 1:
        return replace(runs[0], name="all runs")
    there = [(run, {*run.qids}) for run in runs]
    qids = tuple(sorted({qid for run in runs for qid in run.qids}))
    rankings = []
    for qid in qids:
        tops = [run.docnos[run.top([qid], None)[0]] for run, known in there if qid in known]
        places = np.concatenate([np.arange(len(top)) for top in tops])
        docnos = np.concatenate(tops)[np.argsort(places, kind="stable")]
        _, first = np.unique(docnos, return_index=True)
        rankings.append(docnos[np.sort(first)])
    return _make_run("all runs", qids, rankings)


def append_run(run: Run, qids: Sequence[str], more: Run) -> Run:
    """Put the documents of another run behind those that each query has."""
    rankings = []
    for own, other in zip(run.top(qids, None), more.top(qids, None), strict=True):
        first, second = run.docnos[own[own != MISSING]], more.docnos[other[other != MISSING]]
        rankings.append(np.concatenate([first, second[~np.isin(second, first)]]))
    return _make_run(run.name, tuple(qids), rankings)


def reorder_documents(run: Run, qids: Sequence[str], tops: Sequence[Ints]) -> Run:
    """Keep the documents of these places of each query, in this order."""
    lines = run.top(qids, None)
    return _make_run(run.name, tuple(qids), [run.docnos[row[top]] for row, top in zip(lines, tops, strict=True)])


def _make_run(name: str, qids: tuple[str, ...], rankings: Sequence[Docs]) -> Run:
    starts = np.concatenate(([0], np.cumsum([len(each) for each in rankings]))).astype(np.int64)
    docnos = np.concatenate(rankings) if rankings else np.empty(0, dtype="S1")
    return Run(name, name, qids, starts, docnos, make_falling_scores(starts))

"""Ranking the documents of a run anew, by the score that a model gives each with its query."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairtrec.data import Docnos, Run, decode
from fairtrec.data.ranking.order import sort_by_score
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import memory_bounds
from fairtrec.formats import run as run_format
from fairtrec.lab.make.ranker.model import Ranker
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening


def rerank(
    run: FilePath, rankers: Iterable[Ranker], docs: Any, query_texts: Any, depth: int | None = None, size: int = 64
) -> Iterator[Run]:
    """Rank the first ``depth`` documents of each query anew, by each ranker, whose name is the run's tag.

    ``size`` pairs are scored at a time. Raises InputError for what has no text, and a score that is no number.
    """
    memory_bounds.refuse_submission(run)
    first = run_format.read(run, depth=depth)
    qids, docnos = np.repeat(first.qids, np.diff(first.starts)).tolist(), decode(first.docnos)
    asked, told = _texts(query_texts, "query", qids, run), _texts(docs, "document", docnos, run)
    pairs = [asked[qid] for qid in qids], [told[docno] for docno in docnos]
    for ranker in rankers:
        scores = ranker.look(*pairs, size).astype(np.float64)
        if not np.isfinite(scores).all():
            raise InputError("this model returns scores that are not numbers; choose another", ranker.name)
        tag = opening.name(ranker.name.rstrip("/"))
        yield Run(ranker.name, tag, first.qids, *sort_by_score(first.starts, first.docnos, scores))


def list_models(path: str) -> list[str]:
    """List the models of a folder by name; what is a model itself, or no folder, stands alone."""
    inside = [] if Path(path, "config.json").exists() else sorted(Path(path).glob("[!.]*/config.json"))
    return [str(each.parent) for each in inside] or [path]


def _texts(of: Any, what: str, names: Sequence[str], run: FilePath) -> dict[str, str]:
    wanted = Docnos.collect(np.array([name.encode() for name in names]))
    known = decode(wanted.names)
    texts = {known[row]: words for row, words in loading.texts(of, wanted)}
    if missing := [name for name in names if name not in texts]:
        raise InputError(f"{what} {missing[0]} has no text among those that are given; add it, or cut the run", run)
    return texts

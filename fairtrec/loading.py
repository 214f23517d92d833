"""From what a caller names or holds (a path, a name, an ir_datasets id, a dict, a frame) to the types of data.py."""

import dataclasses
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from numbers import Real
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import (
    NOTHING,
    Annotations,
    Docnos,
    Floats,
    GroupTerms,
    Labels,
    Positions,
    Qrels,
    Queries,
    Run,
    Samples,
)
from fairtrec.errors import FilePath, ResourceError, UsageError
from fairtrec.formats import run as run_format
from fairtrec.formats import source
from fairtrec.formats.run import ScoreType
from fairtrec.order import Order
from fairtrec.signature import short

if TYPE_CHECKING:
    from pathlib import Path

    from fairtrec.annotate.counter import Lexicon
    from fairtrec.formats.table import Meta
    from fairtrec.resources import Passport

# What only some evaluations load is imported where it is used, so that the others start sooner.


def is_path(thing: Any) -> bool:
    """Tell a path or a name from an object that holds data."""
    return isinstance(thing, str | PathLike)


def is_file(thing: Any) -> bool:
    """Tell whether this names something that can be opened here."""
    return is_path(thing) and (fspath(thing) == source.STDIN or os.path.exists(thing))  # noqa: PTH110


def samples(thing: Any, name: str, order: Order, score_dtype: ScoreType, depth: int | None) -> Samples:
    """Load a run that holds several rankings for each query."""
    if not is_path(thing):
        raise UsageError("several rankings for each query are read from files; give a path")
    return dataclasses.replace(run_format.read_samples(thing, order, score_dtype, depth), name=name)


def run(thing: Any, name: str, order: Order, score_dtype: ScoreType, depth: int | None) -> Run:
    """Load a run."""
    if is_path(thing):
        return dataclasses.replace(run_format.read(thing, order, score_dtype, depth), name=name)
    from fairtrec.formats import memory

    return memory.run(thing, name, order, score_dtype, depth)


def qrels(thing: Any) -> Qrels:
    """Load judgements: a file, or an ir_datasets id where there is no such file."""
    if is_file(thing):
        from fairtrec.formats import qrels as qrels_format

        return qrels_format.read(thing)
    from fairtrec.formats import datasets, memory

    return datasets.qrels(fspath(thing)) if is_path(thing) else memory.qrels(thing)


def terms(thing: Any) -> GroupTerms:
    """Load group terms: a file, or the name of a word list."""
    from fairtrec.formats import memory
    from fairtrec.formats import terms as terms_format

    if not is_path(thing):
        return memory.terms(thing)
    if is_file(thing):
        return terms_format.read(thing)
    passport, path = _resource(thing, "wordlist", "term list")
    return dataclasses.replace(terms_format.read(path), name=passport.name)


def queries(thing: Any) -> Queries:
    """Load a query set: a file, or the name of one."""
    from fairtrec.formats import memory
    from fairtrec.formats import queries as queries_format

    if not is_path(thing):
        return memory.queries(thing)
    if is_file(thing):
        return queries_format.read(thing)
    passport, path = _resource(thing, "queryset", "query set")
    return dataclasses.replace(queries_format.read(path, passport.keep), name=passport.name)


def groups_of(annotations: Any) -> tuple[str, ...]:
    """Name the groups of a table of counts."""
    if is_path(annotations):
        from fairtrec.formats import annotations as annotations_format

        return annotations_format.groups_of(annotations)
    from fairtrec.formats import memory

    return memory.frame_groups(annotations)


def meta(annotations: Any) -> "Meta | None":
    """Tell how a table of counts was made, as far as it says so."""
    from fairtrec.formats import annotations as annotations_format

    return annotations_format.meta(annotations)


def refuse_other(
    made: "Meta | None", path: Any, terms: GroupTerms | None, tokenizer: str | None, case_sensitive: bool | None
) -> None:
    """Raise InputError where counts were made with another list, tokeniser or case than is asked for."""
    from fairtrec.formats.table import check

    check(made, path, terms, tokenizer, case_sensitive)


def counts(annotations: Any, wanted: Docnos, *, collection: bool) -> Annotations:
    """Load the counts of the wanted documents from a table of counts."""
    if is_path(annotations):
        from fairtrec.formats import annotations as annotations_format

        return annotations_format.read(annotations, wanted, collection=collection)
    from fairtrec.formats import memory

    return memory.counts(annotations, wanted)


def counted(docs: Any, wanted: Docnos, lexicon: "Lexicon") -> Annotations:
    """Count tokens and group terms in the texts of the wanted documents."""
    from fairtrec.annotate.counter import annotate

    return annotate(_texts(docs, wanted), wanted, lexicon)


def _texts(docs: Any, wanted: Docnos) -> Iterator[tuple[int, str]]:
    from fairtrec.formats import collection, datasets, memory

    if is_file(docs):
        return collection.read(docs, wanted)
    return datasets.texts(fspath(docs), wanted) if is_path(docs) else memory.texts(docs, wanted)


def labels(thing: Any, judgements: Any) -> Labels:
    """Load group labels: a file, two of them crossed (``a*b``), the subtopics of the qrels, an ir_datasets id."""
    from fairtrec.formats import datasets, memory
    from fairtrec.formats import labels as labels_format
    from fairtrec.membership import product

    if not is_path(thing):
        return memory.labels(thing)
    name = fspath(thing)
    if name == "qrels":
        if judgements is None:
            raise UsageError("--labels qrels needs relevance judgements; give a qrels file")
        return labels_format.of_subtopics(qrels(judgements))
    if is_file(name):
        return labels_format.read(name)
    if "*" in name:
        several = [labels(part.strip(), judgements) for part in name.split("*")]
        first, *others = [dataclasses.replace(each, name=short(each.name, each.sha256)) for each in several]
        for other in others:
            if first.per_query != other.per_query:
                raise UsageError(f"{name}: labels per query and per document cannot be crossed; use two of a kind")
            first = product(first, other)
        return first
    return datasets.labels(name)


def refuse_soft(labels: Labels) -> None:
    """Raise UsageError for labels that cannot stand for counts of group terms."""
    if labels.per_query:
        raise UsageError("measures of counts take one set of labels for all queries; give labels per document")
    if np.any(np.nan_to_num(labels.weights) % 1):
        raise UsageError("measures of counts take whole labels, and these have weights between 0 and 1; leave them out")


def counts_of(labels: Labels, wanted: Docnos) -> Annotations:
    """Let hard labels stand for counts: a document holds one term for each group that it belongs to, and no other."""
    from fairtrec.formats import annotations as annotations_format

    unknown = np.asarray(np.isnan(labels.weights).any(axis=1))
    whole = np.nan_to_num(labels.weights).astype(np.int64)
    rows = labels.rows.rows(wanted.names)
    known = np.logical_and(rows != NOTHING, ~unknown[rows])
    counts = np.where(known[:, None], whole[rows], 0)
    histogram = annotations_format.histogram_of(whole[~unknown])
    return Annotations(labels.groups, wanted, known, counts.sum(axis=1), counts, collection=histogram)


def positions(thing: Any) -> Positions:
    """Load positions on axes of opinion."""
    from fairtrec.formats import memory
    from fairtrec.formats import positions as positions_format

    return positions_format.read(thing) if is_path(thing) else memory.positions(thing)


def targets(path: FilePath, groups: tuple[str, ...]) -> dict[str, Floats]:
    """Load a target for each query: lines ``qid<TAB>group<TAB>share``."""
    from fairtrec.formats import targets as targets_format

    return targets_format.read(path, groups)


def _resource(thing: Any, kind: str, what: str) -> tuple["Passport", "Path"]:
    """Find a word list or query set by its name."""
    from fairtrec import resources

    name = fspath(thing)
    try:
        passport = resources.passport(name)
    except ResourceError as fault:
        raise ResourceError(f"there is no file {name}, and {fault}") from None
    if passport.kind != kind:
        raise ResourceError(
            f"{name} is a {passport.kind}, not a {what}; `fairtrec resources list` shows which is which"
        )
    return passport, resources.require(passport.name)


def origin(thing: Any) -> tuple[str, FilePath] | None:
    """Tell how to call and where to find the file behind what was given; None if it is not a file."""
    if is_file(thing):
        return fspath(thing), thing
    if not is_path(thing):
        return None
    from fairtrec import resources

    try:
        passport = resources.passport(fspath(thing))
    except ResourceError:  # a word that is no name, or an ir_datasets id
        return None
    return passport.name, passport.place


def named_runs(runs: Any) -> Iterator[tuple[str, Any]]:
    """Give each run a name: a file's own, the caller's key, or its number."""
    if isinstance(runs, Mapping) and runs and not _is_ranking(next(iter(runs.values()))):
        yield from ((str(name), run) for name, run in runs.items())
        return
    several = list(runs) if isinstance(runs, list | tuple) and not _is_row(runs) else [runs]
    seen: Counter[str] = Counter()
    for number, run in enumerate(several, 1):
        name = fspath(run) if is_path(run) else "run" if len(several) == 1 else f"run {number}"
        seen[name] += 1
        yield (name if seen[name] == 1 else f"{name} ({seen[name]})"), run


def _is_ranking(value: Any) -> bool:
    """Tell ``{docno: score}`` from a run."""
    return isinstance(value, Mapping) and all(isinstance(score, Real) for score in value.values())


def _is_row(runs: Any) -> bool:
    return bool(runs) and hasattr(runs[0], "query_id") and not hasattr(runs[0], "columns")

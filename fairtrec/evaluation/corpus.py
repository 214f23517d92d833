"""What is done to a whole collection: ``fairtrec.annotate`` and ``fairtrec.counterfactual``, by what a caller names."""

# ruff: noqa: PTH113 - pathlib stumbles over long names

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairtrec.annotation import CollectionOptions, Watcher
from fairtrec.annotation.local import engine as local
from fairtrec.annotation.local.engine import CountingOptions, CountingSummary
from fairtrec.annotation.substitution.vocabulary import PRONOUNS, Vocabulary
from fairtrec.catalogue import renamed
from fairtrec.data import Docnos
from fairtrec.errors import PATH, FilePath, InputError, UsageError
from fairtrec.files.arguments import is_same
from fairtrec.formats.table.files import Table
from fairtrec.inputs import loading
from fairtrec.inputs.choices import Choices, unknown
from fairtrec.inputs.given import RankingsLike, TermsLike
from fairtrec.literals import Engine

if TYPE_CHECKING:
    from fairtrec.annotation.substitution.rewriting import RewritingSummary

HowToWork = TypeVar("HowToWork", bound=CollectionOptions)


@renamed.told
def annotate(
    sources: FilePath | Sequence[FilePath],
    terms: TermsLike,
    output: FilePath,
    *,
    engine: Engine = "local",
    master: str | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> CountingSummary:
    """Count the tokens and group terms of every document of a collection, and write the table of counts.

    ``sources``  files of docno<TAB>text lines or JSON lines, or an ir_datasets id.
    ``terms``    the name of a word list, a path, or ``{group: [term, ...]}``.
    ``output``   the table: .arrow (for ``counts=``), .parquet or .tsv.
    ``watcher``  is called with how far it has come.
    ``options``  the options of ``fairtrec annotate``: tokenizer, case_sensitive, jobs, resume, force, keep_going,
                 max_doc_bytes. Where jobs are several, which is the default, a script calls this below
                 ``if __name__ == "__main__":``.

    Raises InputError for what is wrong with a source, UsageError for an output that exists or a run that cannot go on.
    """
    how = _of_keywords(CountingOptions, options)
    if master is not None and engine != "spark":
        raise UsageError("--master says where Spark runs; add --engine spark")
    several = [sources] if isinstance(sources, str | PathLike) else list(sources)
    _refuse_read(output, [*several, terms])
    for each in several:
        if _is_counts(each):
            raise InputError("this is a table of counts, which annotate makes; name the texts that were counted", each)
    listed = loading.terms(terms)
    if engine == "spark":
        from fairtrec.annotation.spark import engine as spark

        return spark.run(several, listed, Path(output), how, master)
    return local.annotate(several, listed, Path(output), how, watcher)


def _of_keywords(kind: type[HowToWork], options: Mapping[str, Any]) -> HowToWork:
    """Take options by their names. Raises UsageError for one that there is not."""
    if strange := options.keys() - kind.__dataclass_fields__.keys():
        raise unknown(min(strange), kind.__dataclass_fields__)
    return kind(**options)


def _refuse_read(output: FilePath, read: Iterable[Any]) -> None:
    """Raise UsageError where the output is one of the files that are read."""
    for each in read:
        if isinstance(each, PATH) and is_same(fspath(each), fspath(output)):
            raise UsageError(f"the output {fspath(output)} is also read; choose another with -o")


def _is_counts(path: FilePath) -> bool:
    """Tell a table of counts, whose rows would be taken for texts."""
    with suppress(InputError):
        return os.path.isfile(path) and bool(Table(path).groups)
    return False


@renamed.told
def counterfactual(
    sources: FilePath | Sequence[FilePath],
    pairs: FilePath | Iterable[tuple[str, str]],
    output: FilePath,
    *,
    runs: Any = None,
    depth: int | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> "RewritingSummary":
    """Write a collection with each word of a list of pairs replaced by its counterpart: she by he, he by she.

    ``sources``  files of docno<TAB>text lines or JSON lines, or an ir_datasets id.
    ``pairs``    the name of a list of pairs, a path, or ``[(word, counterpart), ...]``.
    ``output``   a file whose name ends in .tsv or .jsonl, and perhaps .gz, .bz2 or .zst behind that.
    ``runs``     a run or several, as ``evaluate`` takes them: only documents ranked there, down to ``depth``.
    ``watcher``  is called with how far it has come.
    ``options``  the options of ``fairtrec counterfactual``: ignore_case, pronouns, jobs, keep_going, max_doc_bytes,
                 force, one_way. Where jobs are several, which is the default, a script calls this below
                 ``if __name__ == "__main__":``.

    Raises InputError for what is wrong with a source, the pairs or a run, UsageError for an output that exists.
    """
    from fairtrec.annotation.substitution import rewriting

    how = _of_keywords(rewriting.RewritingOptions, options)
    if how.one_way and how.pronouns:
        raise UsageError("--one-way takes her and his as the list has them; leave out --pronouns")
    if depth is not None and runs is None:
        raise UsageError("-M N cuts runs; give --runs RUN")
    several = [sources] if isinstance(sources, str | PathLike) else list(sources)
    ranked = [] if runs is None else loading.named_runs(runs)
    _refuse_read(output, [*several, pairs, *(run for _, run in ranked)])
    listed = loading.pairs(pairs, one_way=how.one_way)
    rewriting.kind_of(Path(output))
    rewriting.refuse_output(Path(output), force=how.force)
    wanted = None if runs is None else _ranked(ranked, depth)
    return rewriting.substitute(several, listed, Path(output), how, wanted, watcher)


def uncovered(pairs: Any, terms: Any, *, ignore_case: bool = False, one_way: bool = False) -> tuple[int, list[str]]:
    """Count the terms of groups, and list those that have no counterpart in a list of pairs.

    Raises InputError for a word that stands for words of different groups, but one way: it has no way back.
    """
    of_groups, listed = loading.terms(terms), loading.pairs(pairs, one_way=one_way)
    group_of = {term.lower(): group for group in of_groups.groups for term in of_groups.terms[group]}
    for word, several in {} if one_way else listed.shared.items():
        of = {group_of[other.lower()]: other for other in reversed(several) if other.lower() in group_of}
        if len(of) > 1:
            told = " and ".join(f"{other} ({group})" for group, other in sorted(of.items()))
            message = f"{word} stands for {told}, of different groups, and would always become {several[0]}"
            more = ", or leave it with --one-way" * any(word == right for _, right in listed.lines)
            raise InputError(f"{message}; give each a counterpart of its own{more}", listed.name)
    every = {term for group in of_groups.groups for term in of_groups.terms[group]}
    return len(every), Vocabulary(listed, ignore_case=ignore_case).uncovered(of_groups)


def shared(pairs: Any, terms: Any = None, *, one_way: bool = False) -> str:
    """Say which words of a list stand for several, and so become the first of them; "" where none does.

    ``her`` and ``his`` are told apart by what stands around them, and are left out; so are words for several of one
    group, where terms are given.
    """
    listed = loading.pairs(pairs, one_way=one_way)
    of_groups = {} if terms is None else loading.terms(terms).terms
    together = [{word.lower() for word in words} for words in of_groups.values()]
    apart = {word for line in PRONOUNS for word in line} if listed.lines >= PRONOUNS and not one_way else set()
    several = {
        word: others
        for word, others in listed.shared.items()
        if word not in apart and not any(group.issuperset(map(str.lower, others)) for group in together)
    }
    said = [f"{word} stands for {' and '.join(others)}" for word, others in list(several.items())[:3]]
    more = f", and so do {len(several) - 3} more" if len(several) > 3 else ""
    become = "becomes" if len(several) == 1 else "each becomes"
    on_the_right = not one_way and several.keys() & {right for _, right in listed.lines}
    leaves = f"; --one-way leaves {'it' if len(several) == 1 else 'those on the right'}" if on_the_right else ""
    return f"{', '.join(said)}{more}, and {become} the first{leaves}" if said else ""


def _ranked(runs: Sequence[tuple[str, RankingsLike]], depth: int | None) -> Docnos:
    parts = [loading.submitted(run, name, Choices(), depth) for name, run in runs]
    return Docnos.of(np.concatenate([np.unique(each.docnos) for part in parts for each in part.runs]))

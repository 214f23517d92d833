"""``fairtrec.make_counterfactual``: a whole collection with other words, by what a caller names."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairtrec.commands.counts.collection import refuse_read, take_options
from fairtrec.counting import Watcher
from fairtrec.data import Docnos
from fairtrec.evaluation.given.given_rows import RankingsLike
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.lab.make.counterfactual.vocabulary import PRONOUNS, Vocabulary
from fairtrec.support.errors import FilePath, InputError, UsageError

if TYPE_CHECKING:
    from fairtrec.lab.make.counterfactual.substitution import RewritingSummary


def make_counterfactual(
    sources: FilePath | Sequence[FilePath],
    pairs: FilePath | Iterable[tuple[str, str]],
    output: FilePath,
    *,
    runs: Any = None,
    depth: int | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> "RewritingSummary":
    """Write a collection in which each word of a list of pairs is replaced by its counterpart: she by he, he by she.

    Args:
        sources: files of ``docno<TAB>text`` lines or JSON lines, or an ir_datasets id.
        pairs: the name of a list of pairs, a path, or ``[(word, counterpart), ...]``.
        output: a file that ends in .tsv or .jsonl, with or without .gz, .bz2 or .zst.
        runs: one or several runs, as for ``evaluate``: write only documents that they rank, down to ``depth``.
        depth: ranks of ``runs``; None: all.
        watcher: a function that is called with the progress.
        options: those of ``fairtrec make counterfactual``: ignore_case, pronouns, jobs, keep_going, max_doc_bytes,
            one_way. A script with several jobs, which is the default for large sources, calls this below
            ``if __name__ == "__main__":``.

    Raises:
        InputError: a source, a pair or a run that cannot be read.
        UsageError: an output that exists.
    """
    from fairtrec.lab.make.counterfactual import substitution

    how = take_options(substitution.RewritingOptions, options)
    if how.one_way and how.pronouns:
        raise UsageError("--one-way takes her and his from the list; leave out --pronouns")
    if depth is not None and runs is None:
        raise UsageError("-M N cuts runs; add --runs RUN")
    several = [sources] if isinstance(sources, str | PathLike) else list(sources)
    ranked = [] if runs is None else loading.name_rankings(runs)
    refuse_read(output, [*several, pairs, *(run for _, run in ranked)])
    listed = loading.pairs(pairs, one_way=how.one_way)
    substitution.find_output_kind(Path(output))
    substitution.refuse_output(Path(output))
    wanted = None if runs is None else _ranked(ranked, depth)
    return substitution.substitute(several, listed, Path(output), how, wanted, watcher)


def find_uncovered(
    pairs: Any, terms: Any, *, ignore_case: bool = False, one_way: bool = False
) -> tuple[int, list[str]]:
    """Count the terms of groups, and list those that have no counterpart in a list of pairs.

    Raises InputError for a word that stands for words of different groups, but one way: it has no way back.
    """
    of_groups, listed = loading.terms(terms), loading.pairs(pairs, one_way=one_way)
    group_of = {term.lower(): group for group in of_groups.groups for term in of_groups.terms[group]}
    for word, several in {} if one_way else listed.shared_words.items():
        of = {group_of[other.lower()]: other for other in reversed(several) if other.lower() in group_of}
        if len(of) > 1:
            told = " and ".join(f"{other} ({group})" for group, other in sorted(of.items()))
            message = f"{word} stands for {told}, of different groups, and would always become {several[0]}"
            more = ", or leave it with --one-way" * any(word == right for _, right in listed.lines)
            raise InputError(f"{message}; write a separate counterpart for each{more}", listed.name)
    every = {term for group in of_groups.groups for term in of_groups.terms[group]}
    return len(every), Vocabulary(listed, ignore_case=ignore_case).find_uncovered(of_groups)


def describe_shared_words(pairs: Any, terms: Any = None, *, one_way: bool = False) -> str:
    """Say which words of a list stand for several, and so become the first of them; "" where none does.

    ``her`` and ``his`` are told apart by what stands around them, and are left out; so are words for several of one
    group, where terms are given.
    """
    listed = loading.pairs(pairs, one_way=one_way)
    together = _groups_of_words(terms)
    apart = {word for line in PRONOUNS for word in line} if listed.lines >= PRONOUNS and not one_way else set()
    several = {
        word: others
        for word, others in listed.shared_words.items()
        if word not in apart and not any(group.issuperset(map(str.lower, others)) for group in together)
    }
    if not several:
        return ""
    said = [f"{word} stands for {' and '.join(others)}" for word, others in list(several.items())[:3]]
    more = f", and so do {len(several) - 3} more" if len(several) > 3 else ""
    become, it = ("becomes", "it") if len(several) == 1 else ("each becomes", "those on the right")
    on_the_right = not one_way and several.keys() & {right for _, right in listed.lines}
    leaves = f"; --one-way leaves {it}" if on_the_right else ""
    return f"{', '.join(said)}{more}, and {become} the first{leaves}"


def _groups_of_words(terms: Any) -> list[set[str]]:
    """Give the terms of each group in small letters; none without a list of terms."""
    of_groups = {} if terms is None else loading.terms(terms).terms
    return [{word.lower() for word in words} for words in of_groups.values()]


def _ranked(runs: Sequence[tuple[str, RankingsLike]], depth: int | None) -> Docnos:
    parts = [loading.load_run(run, name, Choices(), depth) for name, run in runs]
    return Docnos.collect(*(each.docnos for part in parts for each in part.runs))

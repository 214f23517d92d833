"""What was given beside the runs, opened as far as it has to be read to know the groups."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from math import inf
from os import fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from fairtrec.data import Docnos, Docs, GroupTerms, Labels, Qrels
from fairtrec.data.ranking.depth import Asking
from fairtrec.evaluation.given.source import NamedRuns, Sources
from fairtrec.evaluation.inputs import loading, several_attributes
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.measures.catalogue.needs import EXTRAS, looks_at_groups
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.files.arguments import split_crossed

if TYPE_CHECKING:
    from fairtrec.counting.table import Meta
    from fairtrec.counting.table.files import Table

MOST_BYTES = 1 << 27  # of runs, which are read once more to cut labels to the documents that they name


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenedSources:
    """What was given beside the runs, as far as it has to be read to know the groups."""

    given: Sources
    choices: Choices
    groups: tuple[str, ...]  # of the first attribute
    terms: GroupTerms | None
    labels: Mapping[str, Labels]  # by attribute, "" for labels that are given without a name; crossed ones are added
    judged: Qrels | None  # read so early if they are labels, too, or say to which documents labels are cut
    extras: Mapping[str, Any]
    table: "Table | None"  # of counts
    made: "Meta | None"  # how they were made, as far as they say so
    crossed: dict[str, Labels] = field(default_factory=dict)  # attributes, as far as they are asked for
    digests: dict[str, str] = field(default_factory=dict)  # of texts and counts in memory, as far as they are asked for

    @property
    def first(self) -> Labels | None:
        """The labels of the first attribute."""
        return next(iter(self.labels.values()), None)

    def digest(self, part: str) -> str:
        """Hash the texts (``docs``) or ``counts`` that are held in memory, once; "" of what has a name."""
        thing = getattr(self.given, part)
        if thing is None or isinstance(thing, PATH):
            return ""
        if part not in self.digests:
            from fairtrec.formats import memory

            self.digests[part] = memory.digest(part, thing)
        return self.digests[part]

    def find_labels(self, each: Asking) -> Labels | None:
        """Give the labels that a measure or reranker goes by. Raises UsageError where it names none that there are."""
        if not each.by or not looks_at_groups(each):
            return self.first
        if each.by in self.labels:
            return self.labels[each.by]
        if each.by not in self.crossed:
            self.crossed[each.by] = several_attributes.find_attribute(self.labels, each.by, each)
        return self.crossed[each.by]


def open_sources(given: Sources, choices: Choices, runs: NamedRuns = ()) -> OpenedSources:
    """Read terms, labels, extras and how counts were made; many labels as far as anything names their documents, where
    these are all ``runs``. Raises UsageError or InputError for what is wrong there.
    """
    terms = None if given.terms is None else loading.terms(given.terms)
    judgments = cache(partial(loading.qrels, given.qrels))
    paths = [fspath(source) for source in given.label_sources.values() if isinstance(source, PATH)]
    if given.qrels is not None and any("qrels" in split_crossed(path) for path in paths):
        judgments()
    labels = {}
    if given.labels is not None:
        wanted = documents_named(runs, given, choices, judgments)
        judged = judgments() if judgments.cache_info().currsize else None
        labels = several_attributes.read_labels(given.label_sources, choices, judged, wanted)
    judged = judgments() if judgments.cache_info().currsize else None
    extras = {
        name: import_module(f"fairtrec.evaluation.given.{extra.module}").read(getattr(given, name))
        for name, extra in EXTRAS.items()
        if getattr(given, name) is not None
    }
    table = None
    if isinstance(given.counts, PATH):
        from fairtrec.counting.table.files import Table

        table = Table(given.counts)
    made = None if table is None else table.meta
    groups = _groups_of(given, labels, table, terms)
    if given.counts is not None and (terms, choices.tokenizer, choices.case_sensitive) != (None, None, None):
        _refuse_others(groups, terms, table, made, choices)
    return OpenedSources(
        given=given, choices=choices, groups=groups, terms=terms, labels=labels, judged=judged, extras=extras,
        table=table, made=made,
    )  # fmt: skip


def _groups_of(
    given: Sources, labels: Mapping[str, Labels], table: "Table | None", terms: GroupTerms | None
) -> tuple[str, ...]:
    """Name the groups: of the first labels, else of the counts, else of the terms; none if there are none of these."""
    if labels:
        return next(iter(labels.values())).groups
    if table is not None:
        return tuple(sorted(table.groups))
    if given.counts is not None:
        from fairtrec.formats import memory

        return memory.frame_groups(given.counts)
    return () if terms is None else terms.groups


def _refuse_others(
    groups: tuple[str, ...], terms: GroupTerms | None, table: "Table | None", made: "Meta | None", choices: Choices
) -> None:
    """Raise InputError if the counts are other ones than are asked for, UsageError if they do not say so."""
    if terms is not None and terms.groups != groups:
        both = f"the counts are of the groups {', '.join(groups)}, the list {terms.name} has {', '.join(terms.groups)}"
        raise InputError(
            f"{both}; leave out --terms, or pass counts made with it", None if table is None else table.path
        )
    if table is None:
        return
    from fairtrec.counting.table import check

    options = {"--terms": terms, "--tokenizer": choices.tokenizer, "--case-sensitive": choices.case_sensitive}
    for option, asked in options.items():
        if made is None and asked is not None:
            raise UsageError(f"these counts do not record how they were made, so {option} cannot be checked; remove it")
    check(made, table.path, terms, choices.tokenizer, choices.case_sensitive)


def documents_named(
    named: NamedRuns, given: Sources, choices: Choices, judgments: Callable[[], Qrels]
) -> Callable[[], Docnos | None] | None:
    """Give what collects the documents of these runs, of judgments, background and gold, once it is asked for.

    ``judgments`` reads those that were given, and keeps them.

    None where labels are looked at as a whole, or something is left that can be read but once, or is too large for it.
    """
    whole = "background" in given.words or given.counterfactual is not None or choices.missing == "even"
    several = [split_crossed(fspath(each)) for each in given.label_sources.values() if isinstance(each, PATH)]
    of_all = choices.pool is not None or any(word in str(choices.target) for word in ("collection", "background"))
    crossed = of_all and (len(given.label_sources) > 1 or any(len(parts) > 1 for parts in several))
    beside = [thing for thing in (given.qrels, given.background, given.gold) if thing is not None]
    things = [*(thing for _, thing in named), *beside]
    if not named or whole or crossed or sum(map(_bytes, things)) > MOST_BYTES:
        return None
    return cache(lambda: Docnos.collect(np.concatenate([*_docnos(named, given, choices, judgments)])))


def _bytes(thing: Any) -> float:
    """Tell how many bytes are read once more; infinitely many of what can be read but once."""
    if isinstance(thing, PATH) and not opening.is_stream(thing):
        return opening.size(thing) if loading.is_file(thing) else 0
    is_held = isinstance(thing, Mapping) or hasattr(thing, "columns") or hasattr(thing, "docnos")
    return 0 if is_held else inf


def _docnos(named: NamedRuns, given: Sources, choices: Choices, judgments: Callable[[], Qrels]) -> Iterator[Docs]:
    """Give the documents of each; what is wrong with a run is said where it is evaluated."""
    yield np.empty(0, "S1")
    for name, thing in named:
        with suppress(InputError):
            yield from (run.docnos for run in loading.load_run(thing, name, choices, None).runs)
    if given.background is not None:
        with suppress(InputError):
            yield loading.ranking(given.background, "background", choices, None).docnos
    if given.qrels is not None:
        yield judgments().docnos
    if given.gold is not None:
        yield loading.gold(given.gold).labels.rows.names

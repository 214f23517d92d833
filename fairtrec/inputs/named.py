"""The documents that runs and what is given beside them name, to which labels of a whole collection are cut."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from fairtrec.data import Docnos, Docs, Qrels
from fairtrec.errors import PATH, InputError
from fairtrec.files import opening
from fairtrec.inputs import loading
from fairtrec.inputs.choices import Choices
from fairtrec.inputs.given import Attributes, Given, NamedRuns

MOST_BYTES = 1 << 27  # of runs, which are read once more


def documents_named(
    named: NamedRuns, given: Given, choices: Choices, judgements: Callable[[], Qrels]
) -> Callable[[], Docnos | None] | None:
    """Give what collects the documents of these runs, of judgements, background and gold, once it is asked for.

    ``judgements`` reads those that were given, and keeps them.

    None where labels are looked at as a whole, or something is left that can be read but once, or is too large for it.
    """
    several = isinstance(given.labels, Attributes) and len(given.labels.sources) > 1
    whole = "background" in given.words or given.counterfactual is not None or choices.missing == "even"
    crossed = several and any(word in str(choices.target) for word in ("collection", "background"))
    beside = [thing for thing in (given.qrels, given.background, given.gold) if thing is not None]
    things = [*(thing for _, thing in named), *beside]
    if not named or whole or crossed or not all(map(_lasts, things)) or sum(map(_bytes, things)) > MOST_BYTES:
        return None
    return cache(lambda: Docnos.of(np.concatenate([*_docnos(named, given, choices, judgements)])))


def _lasts(thing: Any) -> bool:
    """Tell what can be read twice."""
    return not opening.is_stream(thing) if isinstance(thing, PATH) else isinstance(thing, Mapping) or _is_frame(thing)


def _is_frame(thing: Any) -> bool:
    return hasattr(thing, "columns") or hasattr(thing, "docnos")


def _bytes(thing: Any) -> int:
    return opening.size(thing) if loading.is_file(thing) else 0


def _docnos(named: NamedRuns, given: Given, choices: Choices, judgements: Callable[[], Qrels]) -> Iterator[Docs]:
    """Give the documents of each; what is wrong with a run is said where it is evaluated."""
    yield np.empty(0, "S1")
    background = [] if given.background is None else [("background", given.background)]
    for name, thing in [*named, *background]:
        try:
            how = choices.untied if (name, thing) in background else choices
            for run in loading.run(thing, name, how, None).runs:
                yield run.docnos
        except InputError:
            continue
    if given.qrels is not None:
        yield judgements().docnos
    if given.gold is not None:
        yield loading.gold(given.gold, plain=True).labels.rows.names

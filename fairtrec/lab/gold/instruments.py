"""What decides the groups of documents now: words, counts or labels; and what kind it says each document is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict

import numpy as np

from fairtrec.data import MISSING, Floats, Ints, Run
from fairtrec.evaluation.evaluate import evaluator
from fairtrec.evaluation.given.given_rows import CountsLike, GroupsLike, TermsLike, TextsLike
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.session import Evaluator
from fairtrec.measures.groups import Groups
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Tokenizer

SEVERAL = "several"  # the kind of what is of two groups, or of one and of none, by the same weight
EQUAL = 1e-9  # by which weights may differ that are the same


class Instrument(TypedDict, total=False):
    """What decides groups now, and how: keywords of ``evaluate``."""

    terms: TermsLike | None
    docs: TextsLike | None
    counts: CountsLike | None
    labels: GroupsLike | None
    groups: str | Sequence[str] | None
    tokenizer: Tokenizer | None
    case_sensitive: bool | None


def has_instrument(instrument: Instrument) -> bool:
    """Tell whether something decides groups."""
    return any(instrument.get(name) is not None for name in ("labels", "docs", "counts", "terms"))


def open_session(instrument: Instrument, lacking: str) -> Evaluator:
    """Open what decides groups. Raises UsageError, which begins with what is ``lacking``, if nothing does."""
    if not has_instrument(instrument):
        ways = "--labels FILE, --counts FILE, or --terms LIST with --docs COLLECTION"
        raise UsageError(f"{lacking}; add {ways}")
    return evaluator([Groups()], None, missing="neutral", **instrument)


def classify_documents(weights: Floats) -> Ints:
    """Say what kind each document is of, by its weights [document, group].

    The number of the group of most weight; behind these come: of none, which has what the weights lack to 1; of
    several, where the most is the same; unknown.

    >>> classify_documents(np.array([[0.6, 0.4], [0.2, 0.3], [1.0, 1.0], [0.5, 0.0], [np.nan, np.nan]])).tolist()
    [0, 2, 3, 3, 4]
    """
    groups = weights.shape[1]
    held = np.column_stack((weights, np.maximum(1 - weights.sum(axis=1), 0)))
    most = held >= held.max(axis=1, keepdims=True) - EQUAL
    kinds: Ints = np.where(most.sum(axis=1) > 1, groups + 1, most.argmax(axis=1))
    kinds[np.isnan(weights).any(axis=1)] = groups + 2
    return kinds


def look_up_weights(session: Evaluator, asked: Run, rows: Ints) -> tuple[Floats, tuple[str, ...]]:
    """Look up what the instrument says of documents [row, group]; nan where it knows nothing. Name its groups, too."""
    context = session.make_context(asked, asked.qids, None, replace(session.plan.needs, depth=None))
    inputs = Inputs(asked, asked.qids, context, None)
    there = inputs.lines != MISSING
    weights = inputs.membership[there]
    if context.documents is not None and context.labels is None:
        known = context.documents.document_counts.known[inputs.ranked[there]]
        weights = np.where(known[:, None], weights, np.nan)
    found = np.empty_like(weights)
    found[rows[inputs.lines[there]]] = weights
    return found, inputs.groups

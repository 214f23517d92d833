"""Measures over crossed attributes of more groups than are ever listed; and what of a target these are made of."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fairtrec.data import UNKNOWN, Floats, Ints, Labels, looked_up
from fairtrec.errors import UsageError
from fairtrec.formulas.crossed import CrossedGroups, CrossedTarget, Crossing, crossed
from fairtrec.inputs.documents import Attribute
from fairtrec.inputs.of_measures import Inputs
from fairtrec.measure import Measure


def settled(name: str, parts: Sequence[Attribute]) -> Crossing:
    """Settle the target of attributes that are crossed from those of each.

    Raises UsageError where these are taken from different documents, or with different factors.
    """
    given: list[Floats | None] = []
    sources, factors = set(), set()
    for part in parts:
        mixed = part.target_of
        if part.targets is not None or (mixed is not None and mixed.by_query is not None):
            raise UsageError(f"{name}: a target for each query is of one attribute; give shares for all queries")
        given.append(part.target if mixed is None else mixed.shares)
        if mixed is not None:
            sources.add(tuple((factor / mixed.factor, of) for factor, of in mixed.of))
        if given[-1] is not None:
            factors.add(0.0 if mixed is None else mixed.factor)
    if len(sources) > 1 or len(factors) > 1:
        raise UsageError(f"{name}: cross attributes whose targets mix alike: the same documents, with the same factor")
    labels = tuple(part.labels for part in parts if part.labels is not None)
    space = CrossedGroups(
        tuple(len(each.groups) for each in labels),
        tuple(each.groups.index(UNKNOWN) if UNKNOWN in each.groups else None for each in labels),
        tuple(given),
        factors.pop() if factors else 1.0,
    )
    return Crossing(labels, sources.pop() if sources else (), space)


def _known(labels: Labels, qids: Sequence[str], docnos: Any, lines: Ints) -> Floats:
    return np.nan_to_num(looked_up(labels, qids, docnos, lines))


def crossing_of(inputs: Inputs) -> Crossing:
    """Give what is crossed in inputs of an attribute that is."""
    crossing = inputs.reference.crossing
    assert crossing is not None
    return crossing


def _wanted(inputs: Inputs, query: int) -> CrossedTarget | None:
    """Give the target of a query; None where there is none."""
    crossing, qid = crossing_of(inputs), inputs.qids[query]
    if qid not in crossing.held:
        codes, mass = [], []
        for factor, of in crossing.of:
            docnos, lines, weights = inputs.documents_of(of, query)
            document, groups, held = crossed([_known(each, [qid], docnos, lines)[0] for each in crossing.labels])
            amounts = held * weights[document]
            if not amounts.sum() > 0:
                crossing.held[qid] = None
                return None
            codes.append(groups)
            mass.append(factor * amounts / amounts.sum())
        whole = (np.concatenate(codes), np.concatenate(mass)) if crossing.of else None
        crossing.held[qid] = crossing.given if whole is None else CrossedTarget(crossing.space, *whole)
    return crossing.held[qid]


def values(measure: Measure, inputs: Inputs) -> Floats:
    """Compute a measure [query] over groups that are not listed, of one or more rankings of each query.

    The groups of a query are those that its ranked documents hold, and one behind them for all others, which no
    document holds: what its target is worth to the measure, ``Measure.beyond`` says.
    """
    found = np.full(len(inputs.qids), np.nan)
    looked = [dict(_rankings(each, measure.depth)) for each in inputs.samples or [inputs]]
    for query, qid in enumerate(inputs.qids):
        several = [each[qid] for each in looked if qid in each]
        wanted = _wanted(inputs, query) if "target" in measure.needs else None
        if several and (wanted is not None or "target" not in measure.needs):
            found[query] = _value(measure, inputs, query, several, crossing_of(inputs).space, wanted)
    return found


def _rankings(inputs: Inputs, depth: int | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give what is looked up of each query's ranking, down to a depth: members of each attribute, grades, length."""
    crossing = crossing_of(inputs)
    lines = inputs.lines[:, :depth]
    held = [looked_up(each, inputs.qids, inputs.run.docnos, lines) for each in crossing.labels]
    grades = inputs.relevance[:, :depth] if inputs.reference.qrels is not None else np.full(lines.shape, np.nan)
    for row, qid in enumerate(inputs.qids):
        yield qid, {"held": [each[row] for each in held], "relevance": grades[row], "lengths": inputs.lengths[row]}


def _value(
    measure: Measure,
    inputs: Inputs,
    query: int,
    several: Sequence[Mapping[str, Any]],
    space: CrossedGroups,
    wanted: CrossedTarget | None,
) -> float:
    """Compute a measure for one query."""
    width = max(len(each["relevance"]) for each in several)
    held = [
        np.concatenate([_padded(each["held"][place], width) for each in several]) for place in range(len(space.sizes))
    ]
    unknown = np.any([np.isnan(each).any(axis=1) for each in held], axis=0)
    document, codes, weight = crossed([np.where(unknown[:, None], 0.0, each) for each in held])
    _, first, group = np.unique(space.numbered(codes), return_index=True, return_inverse=True)
    membership = np.zeros((len(unknown), len(first) + 1))
    membership[document, group] = weight
    membership[unknown] = np.nan
    given: dict[str, Any] = {
        "membership": membership.reshape(len(several), width, -1),
        "relevance": np.stack([_padded(each["relevance"][:, None], width)[:, 0] for each in several]),
        "lengths": np.array([each["lengths"] for each in several]),
        "sample_of": np.zeros(len(several), dtype=np.int64),
        "queries": 1,
    }
    if wanted is not None:
        shares = wanted.at(codes[first])
        beyond = 1 - shares.sum() if measure.beyond == "sum" else wanted.squares - (shares**2).sum()
        beyond = max(beyond, 0.0)
        given["target"] = np.append(shares, beyond if measure.beyond == "sum" else np.sqrt(beyond))[None]
    if "judged_relevance" in measure.needs:
        given["judged_relevance"] = inputs.judged_relevance[query : query + 1]
    return float(measure(**{name: given[name] for name in measure.needs})[0])


def _padded(values: Floats, width: int) -> Floats:
    return np.pad(values, ((0, width - len(values)), (0, 0)), constant_values=np.nan)

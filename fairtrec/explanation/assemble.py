"""From a case to what is told of each of its queries: rank by rank, word by word."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from fairtrec.data import MISSING, Ints, take
from fairtrec.explanation import variants
from fairtrec.explanation.cases import Case, Request, without
from fairtrec.explanation.explained import Exchange, Explained, Place, Word, worst
from fairtrec.explanation.split import Split, split

RankColumns = list[list[list[float]]]  # [query][rank]: gain, adds, loses, ideal, behind


@dataclass(frozen=True, eq=False)
class Told:
    """What is told of one run's queries, and in what terms."""

    explained: tuple[Explained, ...]
    kind: str
    ceiling: str
    gain: str
    groups: tuple[str, ...]
    complete: bool  # whether all exchanges were looked at


def assemble(case: Case, request: Request) -> Told:
    """Explain each query of a run."""
    parts = split(case)
    closely = bool(request.closely)
    left_out = variants.without(case) if closely else [[] for _ in case.qids]
    swaps: list[Exchange | None] = [None] * len(case.qids)
    swaps, complete = variants.exchanges(case, request.candidates) if closely else (swaps, True)
    after = {term: without(case, term).tolist() for term in request.dropped}
    so_far = variants.prefixes(case) if parts is None else []
    why = _why(case) if np.isnan(case.values).any() else ""
    docnos, words = case.docnos(case.inputs), _Words(case, parts)
    columns = None if parts is None else _columns(parts)
    explained = []
    for at, (qid, value) in enumerate(zip(case.qids, case.values.tolist(), strict=True)):
        added = [*_steps(so_far[at])] if parts is None else []
        told: dict[str, Any] = {"what_if": {term: values[at] for term, values in after.items()}, "exchange": swaps[at]}
        if math.isnan(value):
            explained.append(Explained(run=case.run.name, qid=qid, value=nan, why=why, what_if=told["what_if"]))
            continue
        ranks = len(docnos[at]) if parts is None else parts.adds.shape[1]
        places = tuple(_place(at, rank, docnos[at], columns, added, left_out[at], words) for rank in range(ranks))
        if parts is not None:
            told |= {"rest": float(parts.rest[at]), "ceiling": float(parts.ceiling[at])}
        explained.append(Explained(run=case.run.name, qid=qid, value=value, places=_ended(places), **told))
    return Told(
        tuple(explained),
        kind="prefix" if parts is None else parts.kind,
        ceiling="" if parts is None else parts.ceiling_is,
        gain="" if parts is None else parts.gain_is,
        groups=words.groups,
        complete=complete,
    )


def _why(case: Case) -> str:
    """Take from the page of the measure where it is undefined."""
    from fairtrec.catalogue.pages import part

    return part(type(case.measure), "Undefined")


def _ended(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Leave out the ranks behind the end that neither add nor lose anything."""
    many = len(places)
    while many and places[many - 1].docno is None and not (places[many - 1].loses or places[many - 1].behind > 0):
        many -= 1
    return places[:many]


def _steps(values: Sequence[float]) -> Iterator[float]:
    """Say what each rank changes the value by, which is 0 before the first that has one."""
    before = 0.0
    for value in values:
        yield value - before if math.isfinite(value) else nan
        before = value if math.isfinite(value) else before


def _place(
    at: int,
    rank: int,
    docnos: Sequence[str],
    columns: RankColumns | None,
    added: Sequence[float],
    left_out: Sequence[float],
    words: "_Words",
) -> Place:
    without = left_out[rank] if rank < len(left_out) else nan
    if rank >= len(docnos):
        assert columns is not None
        _, adds, loses, ideal, behind = columns[at][rank]
        return Place(rank + 1, None, nan, adds, loses, ideal=ideal, behind=behind)
    of_document = words.told(at, rank)
    if columns is None:
        return Place(rank + 1, docnos[rank], nan, added[rank], nan, *of_document, without=without)
    gain, adds, loses, ideal, behind = columns[at][rank]
    return Place(rank + 1, docnos[rank], gain, adds, loses, *of_document, ideal, behind, without)


def _columns(parts: Split) -> RankColumns:
    """Give gain, adds, loses, ideal and behind of each rank of each query."""
    ideal = np.full(parts.adds.shape, nan) if parts.ideal is None else parts.ideal
    columns = parts.gains, parts.adds, parts.loses, ideal, parts.scale * (ideal - parts.gains)
    rows: RankColumns = np.stack(columns, axis=2).tolist()
    return rows


class _Words:
    """The words of documents, or their groups where there are no texts, and what they add."""

    def __init__(self, case: Case, parts: Split | None) -> None:
        inputs, needs = case.inputs, set(case.measure.needs)
        self.better, self.texts, self.logs = case.measure.better, case.texts, "log_counts" in needs
        self.groups: tuple[str, ...] = ()
        self.counts: list[list[list[float]]] | None = None
        self.rows: list[list[int]] = []
        if case.documents is not None:
            self.groups = inputs.groups
            counts = take(inputs.counts, inputs.ranked)
            self.rows = _rows(case).tolist()
        elif "membership" in needs:
            self.groups, counts = inputs.groups, inputs.membership
        if self.groups:
            self.counts = np.nan_to_num(counts, nan=0.0, posinf=0.0).tolist()
        self.known: list[list[bool]] = case.known(inputs).tolist()
        each, rough = (None, None) if parts is None else (parts.per_word, parts.rough)
        self.each: list[list[list[float]]] | None = None if each is None else each.tolist()
        self.rough: list[list[bool]] | None = None if rough is None else rough.tolist()

    def told(self, at: int, rank: int) -> tuple[tuple[Word, ...], bool, bool, str | None]:
        """Say what is known of the document at a rank: words, whether they are rough, whether it is known, its text."""
        if self.counts is None:
            return (), False, True, None
        texts, text = self.texts, None
        named: list[tuple[str, int, float]]
        if texts is not None and (row := self.rows[at][rank]) in texts.terms:
            named = [(term, number, times) for (term, numbers), times in texts.terms[row].items() for number in numbers]
            text = texts.texts[row]
        else:
            counts = self.counts[at][rank]
            named = [(self.groups[number], number, times) for number, times in enumerate(counts) if times]
        rough, known = self.rough is not None and self.rough[at][rank], self.known[at][rank]
        if not named:
            return (), rough, known, text
        words = [self._word(at, rank, *each) for each in named]
        if len(words) > 1:
            words.sort(key=lambda word: (worst(word.adds, self.better), -word.times, word.term))
        return tuple(words), rough, known, text

    def _word(self, at: int, rank: int, term: str, number: int, times: float) -> Word:
        adds = nan
        if self.each is not None and rank < len(self.each[at]):
            adds = self.each[at][rank][number] * (math.log(times) if self.logs else times)
        return Word(term, self.groups[number], round(times) if times == round(times) else times, adds)


def _rows(case: Case) -> Ints:
    """Find the texts [query, rank]."""
    inputs, texts = case.inputs, case.texts
    rows = np.full(inputs.ranked.shape, MISSING)
    if texts is not None:
        there = inputs.ranked != MISSING
        rows[there] = texts.docnos.rows(inputs.documents.annotations.docnos.names[inputs.ranked[there]])
    return rows

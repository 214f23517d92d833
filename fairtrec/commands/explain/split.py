"""Values that are sums over ranks: what each rank adds, what it loses against a ceiling, and what its words make of it.

What words make of a document's gain are Shapley values of their occurrences, from the measure itself. The players are
the occurrences, those of a group alike; a coalition is worth the gain of a document that holds no other term. So all
occurrences together make the gain less that of a document without any.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numpy as np

from fairtrec.commands.explain import shapley
from fairtrec.commands.explain.cases import Case
from fairtrec.data import Bools, Candidates, Floats, Ints
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.formulas import discount, distribution, neutrality
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import Measure, SumOverRanks, take
from fairtrec.measures.nfairr import Neutrality, NFaiRR
from fairtrec.measures.texfair import TED, TExFAIR, rbdf, term_exposure
from fairtrec.measures.utility import Utility

OF_COUNTS = frozenset({"counts", "log_counts"})
OTHERS = {"ranked", "lengths", "tokens", "target", "background", "collection", "groups"}  # of documents made up
Coalitions = tuple[Floats, bool]  # [coalition, group], and whether these are not all


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """What one occurrence of each group makes of the gain of each document.

    ``nothing`` is the gain of a document without any term [query], ``each`` what an occurrence adds to it
    [query, rank, group], ``rough`` where that is the difference divided by their number [query, rank].
    """

    nothing: Floats
    each: Floats
    rough: Bools

    @classmethod
    def find(cls, case: Case) -> Self | None:
        """Ask the measure for the gains of documents that are made up; None if it does not go by their terms."""
        if not _goes_by_terms(case):
            return None
        counted, inputs = "counts" in case.measure.needs, case.inputs
        counts = take(inputs.counts if counted else inputs.log_counts, inputs.ranked)
        tokens = take(inputs.tokens, inputs.ranked) if "tokens" in case.measure.needs else np.ones(counts.shape[:2])
        targets = [row.tobytes() for row in inputs.target] if "target" in case.measure.needs else [b""]
        there = np.isfinite(counts).all(axis=2)
        documents = np.column_stack([tokens[there], counts[there]])
        of_query = np.nonzero(there)[0] if len(targets) > 1 else np.zeros(len(documents), dtype=np.int64)
        rows = documents.view(f"V{documents.itemsize * documents.shape[1]}").ravel().tolist()
        names = [targets[query] + row for query, row in zip(of_query.tolist(), rows, strict=True)]
        places = dict(zip(names, range(len(names)), strict=True))  # of documents that differ
        _fill_shares(case, {name: at for name, at in places.items() if name not in case.shares}, documents, of_query)
        for query, target in enumerate(targets):
            if target not in case.shares:
                case.shares[target] = _gains(case, query, np.zeros((1, counts.shape[2])), np.ones(1))[0]
        nothing = np.array([case.shares[target] for target in targets])
        values, rough = np.zeros(counts.shape), np.zeros(there.shape, dtype=np.bool_)
        if names:
            number = {name: at for at, name in enumerate(places)}
            which = [number[name] for name in names]
            values[there] = np.array([case.shares[name][0] for name in places])[which]
            rough[there] = np.array([case.shares[name][1] for name in places])[which]
        return cls(np.broadcast_to(nothing, len(counts)), values, rough)


def _goes_by_terms(case: Case) -> bool:
    """Tell whether a measure goes by the terms of documents, and by nothing that a document made up has not."""
    needs = set(case.measure.needs)
    of_terms = "ranked" in needs and bool(needs & OF_COUNTS) and needs <= OF_COUNTS | OTHERS
    return of_terms and case.context.documents is not None


def _fill_shares(case: Case, new: dict[bytes, int], documents: Floats, of_query: Ints) -> None:
    """Add to the shares of a case those of ``new`` documents, by their names, each with its row."""
    names = {at: name for name, at in new.items()}
    rows = np.array([*names], dtype=np.int64)
    for query in sorted(set(of_query[rows].tolist())):  # np.unique would import numpy.ma
        own = rows[of_query[rows] == query]
        for part in _portions(documents[own, 1:], counted="counts" in case.measure.needs):
            found = zip(*_shares(case, query, documents[own[part]]), strict=True)
            case.shares.update(zip([names[at] for at in own[part].tolist()], found, strict=True))


def _portions(counts: Floats, *, counted: bool) -> Iterator[Ints]:
    """Deal documents out so that the coalitions of a portion are not too many at once."""
    sizes = np.prod(counts + 1, axis=1) if counted else np.full(len(counts), 4.0)
    number = np.cumsum(np.minimum(sizes, shapley.MOST)) // shapley.MOST
    for each in sorted(set(number.tolist())):
        yield np.flatnonzero(number == each)


def _shares(case: Case, query: int, documents: Floats) -> tuple[Floats, Bools]:
    """Give what one occurrence of each group adds to the gains of documents: rows of tokens and counts."""
    counted = "counts" in case.measure.needs
    several = [_coalitions(row, counted=counted) for row in documents[:, 1:].tolist()]
    lengths = [len(held) for held, _ in several]
    held = np.concatenate([held for held, _ in several])
    gains = _gains(case, query, held, np.repeat(documents[:, 0], lengths))
    parts = np.split(gains, np.cumsum(lengths)[:-1])
    rough = np.array([divided for _, divided in several])
    shares = []
    for counts, gain, divided in zip(documents[:, 1:].tolist(), parts, rough.tolist(), strict=True):
        if not counted:
            shares.append([(one - gain[0]) / many if many else 0.0 for one, many in zip(gain[1:], counts, strict=True)])
        elif divided:
            shares.append([(gain[1] - gain[0]) / sum(counts)] * len(counts))
        else:
            shares.append(shapley.shares(gain.reshape([int(many) + 1 for many in counts])).tolist())
    return np.array(shares), rough


def _coalitions(counts: Sequence[float], *, counted: bool) -> Coalitions:
    """List the coalitions that are to be rated: all, or none and all; of logarithms none and each group alone."""
    if not counted:
        return np.vstack([np.zeros(len(counts)), np.diag(counts)]), False
    if prod(many + 1 for many in counts) > shapley.MOST:
        return np.array([[0.0] * len(counts), counts]), True
    return shapley.coalitions([int(many) for many in counts]), False


def _gains(case: Case, query: int, counts: Floats, tokens: Floats) -> Floats:
    """Ask for the gains of documents of these counts [document, group] and lengths, had the query ranked them."""
    inputs = case.inputs
    made: dict[str, Any] = {"counts": counts, "log_counts": counts, "tokens": tokens}
    made["ranked"], made["lengths"] = np.arange(len(counts))[None], np.array([len(counts)])
    for name in set(case.measure.needs) - made.keys():
        value = getattr(inputs, name)
        if isinstance(value, Candidates):
            made[name] = Candidates(_row(value.counts, query), _row(value.documents, query))
        else:
            made[name] = value if name == "groups" else _row(value, query)
    terms = case.measure.formula(**{name: made[name] for name in case.measure.needs}).over_ranks()
    assert isinstance(terms, SumOverRanks)
    return np.asarray(terms.gains[0])


def _row(table: Any, query: int) -> Any:
    return table[query : query + 1] if len(table) > 1 else table


COUNTED = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """A value in parts, for each query: ``rest`` + sum of ``adds`` = ``ceiling`` - sum of ``loses`` = the value.

    All are [query, rank], or [query]. ``scale`` is what one of ``gains`` adds there, and ``per_word`` what one term of
    each group does [query, rank, group]; None where words have no part of their own. ``ideal`` are the gains of the
    best order. ``ceiling_is`` and ``gain_is`` say in words what these are. ``is_shared`` says that the ceiling of a
    query is the same for all runs.
    """

    kind: str
    gains: Floats
    adds: Floats
    loses: Floats
    rest: Floats
    ceiling: Floats
    scale: Floats
    per_word: Floats | None = None
    rough: Bools | None = None
    ideal: Floats | None = None
    ceiling_is: str = ""
    gain_is: str = "gain"
    is_shared: bool = True


def split(case: Case) -> Split | None:
    """Take a value apart, if the measure says what it makes of its ranks, or is made of term exposure."""
    if isinstance(case.measure, TED | TExFAIR):
        return _of_exposure(case)
    terms = find_terms(case, case.inputs)
    if terms is None:
        return None
    ranks = max(case.inputs.lines.shape[1], terms.weights.shape[-1])
    held = np.nan_to_num(wide(terms.gains, ranks))
    scale = find_scale(terms, ranks)
    worths = ShapleyValues.find(case)
    best = _best(case, held) if worths is None else np.repeat(worths.nothing[:, None], ranks, axis=1)
    adds, loses = scale * held, scale * (best - held)
    return Split(
        kind="sum",
        gains=held,
        adds=adds,
        loses=loses,
        rest=np.zeros(len(held)),
        ceiling=(adds + loses).sum(axis=1),
        per_word=None if worths is None else wide(worths.each, ranks, 0.0) * scale[..., None],
        rough=None if worths is None else worths.rough,
        ideal=_ideal(case.measure, case, ranks) if isinstance(case.measure, NFaiRR) else None,
        scale=scale,
        ceiling_is=_said(case.measure, worths),
        gain_is="omega" if isinstance(case.measure, Neutrality) else "gain",
        is_shared=worths is not None or isinstance(case.measure, Utility),
    )


def find_terms(case: Case, inputs: Inputs) -> SumOverRanks | None:
    """Ask the measure what it makes of its ranks."""
    terms = case.measure.formula(**{name: getattr(inputs, name) for name in case.measure.needs}).over_ranks()
    return terms if isinstance(terms, SumOverRanks) else None


def find_scale(terms: SumOverRanks, ranks: int) -> Floats:
    """Say what one of gain adds at each rank [query, rank]."""
    weights = np.zeros((len(terms.gains), ranks))
    weights[:, : terms.weights.shape[-1]] = terms.weights[..., :ranks]
    return terms.divide_ranks(weights)


def wide(values: Floats, ranks: int, beyond: float = np.nan) -> Floats:
    """Give each query so many ranks [query, rank, ...], and ``beyond`` where nothing is."""
    more = [(0, 0), (0, max(ranks - values.shape[1], 0)), (0, 0)][: values.ndim]
    return np.pad(values[:, :ranks], more, constant_values=beyond)


def _best(case: Case, held: Floats) -> Floats:
    """Give the gains against which ranks lose: those of the best judged documents, or of the best that is there."""
    if isinstance(case.measure, Utility):
        judged = case.inputs.judged_relevance
        falling = -np.sort(-np.nan_to_num(judged, nan=-np.inf), axis=1)
        falling[np.isinf(falling)] = np.nan
        best = case.measure.formula(relevance=falling, judged_relevance=judged).over_ranks()
        assert isinstance(best, SumOverRanks)
        return np.nan_to_num(wide(best.gains, held.shape[1]))
    if case.measure.better == "higher":
        return np.repeat(held.max(axis=1, initial=0.0)[:, None], held.shape[1], axis=1)
    return np.zeros_like(held)


def _ideal(measure: NFaiRR, case: Case, ranks: int) -> Floats:
    """Give the neutrality of the documents that the best order of the background has at each rank, 0 behind its end."""
    same = case.same[case.qids]
    if "ideal" not in same:
        background = case.inputs.background
        omega = neutrality.omega(background.counts, case.inputs.target[:, None], measure.tau)
        documents = np.broadcast_to(background.documents, omega.shape)
        best = np.zeros((len(omega), ranks))
        for row, (values, many) in enumerate(zip(omega, documents.clip(0, ranks), strict=True)):
            order = np.argsort(-np.where(many > 0, values, -np.inf), kind="stable")[:ranks]
            falling = np.repeat(values[order], many[order])[:ranks]
            best[row, : len(falling)] = falling
        same["ideal"] = np.broadcast_to(best, (len(case.qids), ranks))
    return np.asarray(same["ideal"])


def _said(measure: Measure, worths: ShapleyValues | None) -> str:
    """Say in words what the ceiling is; nothing where it is 0, or no ceiling in any sense."""
    if measure.better != "higher" and not isinstance(measure, Neutrality):
        return ""
    if worths is not None:
        many = measure.depth or 0
        every = "it" if many == 1 else f"all {COUNTED[many] if many < len(COUNTED) else many}"
        neutral = f"{'was' if many == 1 else 'were'} neutral"
        return f"if {every} {neutral if isinstance(measure, Neutrality) else 'held no group term'}"
    if isinstance(measure, Utility):
        return "if the best judged documents stood there"
    return "if each rank gained as much as the best"


def _of_exposure(case: Case) -> Split:
    """Take TED or TExFAIR apart.

    With s_G = 1 where group G has more than its target t_G and -1 where it has less, and T the exposure of all groups,

        TED = - sum of s_G t_G
              + sum over ranks i and groups G of s_G * (occurrences of G in d_i / tokens of d_i) * w_i / T

    so an occurrence at rank i adds s_G w_i / (tokens T): exact while each group's share of exposure stays on its side
    of the target. TExFAIR is its maximum less RBDF times that.

    The gain is the lean of a document: the sum over groups of s_G times the share of its tokens that are terms of G.
    """
    measure, inputs = case.measure, case.inputs
    cutoff = measure.depth or 1
    counts, tokens = (take(table, inputs.ranked)[:, :cutoff] for table in (inputs.counts, inputs.tokens))
    exposure = term_exposure(counts, tokens, cutoff)
    signs = np.sign(distribution.shares(exposure) - inputs.target)
    base = -np.where(np.isnan(signs), 0.0, signs * inputs.target).sum(axis=1)
    weights = discount.log2(counts.shape[1])
    scale = quotient(np.broadcast_to(weights, counts.shape[:2]), exposure.sum(axis=1)[:, None], otherwise=0.0)
    if isinstance(measure, TExFAIR):
        most = 2 * (1 - inputs.target.min(axis=1))
        spoken = (
            np.nan_to_num(rbdf(counts, cutoff, full_k=measure.full_k).value()) if measure.rbdf else np.ones(len(counts))
        )
        spoken = np.where(exposure.sum(axis=1) > 0, spoken, 0.0)
        divisor = most if measure.scaled else np.ones_like(most)
        base = (most - spoken * base) / divisor
        scale = -scale * (spoken / divisor)[:, None]
    per_token = np.nan_to_num(quotient(np.nan_to_num(signs)[:, None, :], tokens[..., None], otherwise=0.0))
    gains = (np.nan_to_num(counts) * per_token).sum(axis=2)
    adds = gains * scale
    return Split(
        kind="shares",
        gains=gains,
        adds=adds,
        loses=-adds,
        rest=base,
        ceiling=base,
        scale=scale,
        per_word=per_token * scale[..., None],
        ceiling_is="before any rank counts",
        gain_is="lean",
    )

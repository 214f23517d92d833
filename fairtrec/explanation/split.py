"""Values that are sums over ranks: what each rank adds, and what it loses against a ceiling."""

from dataclasses import dataclass

import numpy as np

from fairtrec.data import Bools, Floats
from fairtrec.explanation.cases import Case
from fairtrec.explanation.shapley_values import ShapleyValues
from fairtrec.formulas import discount, distribution, neutrality
from fairtrec.formulas.distribution import quotient
from fairtrec.inputs.of_measures import Inputs
from fairtrec.measure import Measure, Sum, take
from fairtrec.measures.nfairr import Neutrality, NFaiRR
from fairtrec.measures.texfair import TED, TExFAIR, rbdf, term_exposure
from fairtrec.measures.utility import Utility

COUNTED = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """A value in parts, for each query: ``rest`` + sum of ``adds`` = ``ceiling`` - sum of ``loses`` = the value.

    All are [query, rank], or [query]. ``scale`` is what one of ``gains`` adds there, and ``per_word`` what one term of
    each group does [query, rank, group]; None where words have no part of their own. ``ideal`` are the gains of the
    best order. ``ceiling_is`` and ``gain_is`` say in words what these are.
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


def split(case: Case) -> Split | None:
    """Take a value apart, if the measure says what it makes of its ranks, or is made of term exposure."""
    if isinstance(case.measure, TED | TExFAIR):
        return _of_exposure(case)
    terms = terms_of(case, case.inputs)
    if terms is None:
        return None
    ranks = max(case.inputs.lines.shape[1], terms.weights.shape[-1])
    held = np.nan_to_num(wide(terms.gains, ranks))
    scale = scale_of(terms, ranks)
    worths = ShapleyValues.of(case)
    best = _best(case, held) if worths is None else np.repeat(worths.nothing[:, None], ranks, axis=1)
    adds, loses = scale * held, scale * (best - held)
    return Split(
        kind="sum",
        gains=held,
        adds=adds,
        loses=loses,
        rest=np.zeros(len(held)),
        ceiling=(adds + loses).sum(axis=1),
        per_word=None if worths is None else worths.of_words(scale),
        rough=None if worths is None else worths.rough,
        ideal=_ideal(case.measure, case, ranks) if isinstance(case.measure, NFaiRR) else None,
        scale=scale,
        ceiling_is=_said(case.measure, worths),
        gain_is="omega" if isinstance(case.measure, Neutrality) else "gain",
    )


def terms_of(case: Case, inputs: Inputs) -> Sum | None:
    """Ask the measure what it makes of its ranks."""
    terms = case.measure.over_ranks(**{name: getattr(inputs, name) for name in case.measure.needs})
    return terms if isinstance(terms, Sum) else None


def scale_of(terms: Sum, ranks: int) -> Floats:
    """Say what one of gain adds at each rank [query, rank]."""
    weights = np.zeros((len(terms.gains), ranks))
    weights[:, : terms.weights.shape[-1]] = terms.weights[..., :ranks]
    return weights if terms.divisor is None else quotient(weights, np.asarray(terms.divisor)[:, None])


def wide(values: Floats, ranks: int) -> Floats:
    """Give each row so many ranks, nan where nothing is."""
    return np.pad(values[:, :ranks], ((0, 0), (0, max(ranks - values.shape[1], 0))), constant_values=np.nan)


def _best(case: Case, held: Floats) -> Floats:
    """Give the gains against which ranks lose: those of the best judged documents, or of the best that is there."""
    if isinstance(case.measure, Utility):
        judged = case.inputs.judged_relevance
        falling = -np.sort(-np.nan_to_num(judged, nan=-np.inf), axis=1)
        falling[np.isinf(falling)] = np.nan
        best = case.measure.over_ranks(relevance=falling, judged_relevance=judged)
        assert isinstance(best, Sum)
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
    base, scale, per_token = exposure_parts(case)
    counts = np.nan_to_num(take(case.inputs.counts, case.inputs.ranked))[:, : scale.shape[1]]
    gains = (counts * per_token).sum(axis=2)
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


def exposure_parts(case: Case) -> tuple[Floats, Floats, Floats]:
    """Give what there is before any rank counts [query], what one of gain is worth at each rank [query, rank], and
    what an occurrence of each group adds there [query, rank, group].

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
        spoken = np.nan_to_num(rbdf(counts, cutoff, full_k=measure.full_k)) if measure.rbdf else np.ones(len(counts))
        spoken = np.where(exposure.sum(axis=1) > 0, spoken, 0.0)
        divisor = most if measure.scaled else np.ones_like(most)
        base = (most - spoken * base) / divisor
        scale = -scale * (spoken / divisor)[:, None]
    per_token = quotient(np.nan_to_num(signs)[:, None, :], tokens[..., None], otherwise=0.0)
    return base, scale, np.nan_to_num(per_token)

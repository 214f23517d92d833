"""What the variants of an instrument say of the same runs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Unpack

import numpy as np

from fairtrec.counting.counter import TermTable
from fairtrec.data import Bools, Floats, GroupTerms, Ints
from fairtrec.evaluation.answers import Answer, Signature
from fairtrec.evaluation.answers.result import Part, Result
from fairtrec.evaluation.given import Keywords
from fairtrec.evaluation.given.counts import DOCS
from fairtrec.evaluation.inputs import loading
from fairtrec.evaluation.inputs.calls import require_names
from fairtrec.evaluation.signature import name_input_files
from fairtrec.formats import memory
from fairtrec.formulas.rounding import merge_ties
from fairtrec.lab.ablate.factors import FLIPS, OF_TEXTS, Draw, Flippable, Setting, find_flipped, settings
from fairtrec.lab.ablate.flips import FirstPlace, Fragility, PairFlips, find_fragility
from fairtrec.lab.ablate.variant_scores import Measuring, VariantScores
from fairtrec.measure import Better, Measure, badness
from fairtrec.measures.catalogue import registry
from fairtrec.statistics import paired
from fairtrec.statistics.agreement import tau_ap
from fairtrec.statistics.corrections import correct_p_values
from fairtrec.statistics.doubt import is_difference_doubtful
from fairtrec.support.errors import PATH, InputError, UsageError
from fairtrec.support.files import opening
from fairtrec.support.notes import Note


@dataclass(frozen=True, eq=False, kw_only=True)
class Variant(VariantScores):
    """One variant of the settings, and how its order of runs agrees with that of the base.

    Attributes:
        means: those that ``eval`` prints with these options [run].
        ranks: of the runs; 1 is the best, 0 undefined.
        tau_b, tau_ap: over the queries for which every run has a value by both; nan if an order does not separate two
            runs.
        flipped: pairs of runs in the opposite order.
        settled: how many of these the base separates.
        doubtful: how many of these few differences decide.
        queries: for which every run has a value by both.
    """

    ranks: Ints  # of the runs, 1 is the best; 0 where undefined
    tau_b: float
    tau_ap: float
    flipped: int  # pairs of runs
    settled: int  # of these, how many the base tells apart
    doubtful: int  # of these, how many few differences decide
    queries: int

    @property
    def factor(self) -> str:
        """What is varied."""
        return self.setting.factor


@dataclass(frozen=True, eq=False, repr=False)
class Ablation(Answer):
    """The base and all variants.

    Attributes:
        runs: their names.
        base: the settings of the call.
        result: that of the base.
        vary: what was varied.
        seed: of random draws.
        settled: pairs of runs that the base separates, by a paired t-test with Holm over all pairs.
        doubtful: how many of these few differences decide.
        never: pairs that no variant flips.
        every: queries of the base.
        terms: how many terms of the list occur in the texts, and how many there are.
    """

    runs: tuple[str, ...]
    base: Variant
    variants: tuple[Variant, ...]  # the runs' values by each changed setting
    result: Result  # of the base
    vary: tuple[str, ...]
    seed: int
    settled: int  # pairs of runs that the base tells apart, by a paired t-test, Holm over all pairs
    doubtful: int  # of these, how many few differences decide
    never: int  # pairs that no variant flips
    every: int  # queries of the base
    terms: tuple[int, int] | None  # how many of the list occur in what was looked at, and how many there are

    @property
    def flips(self) -> tuple[PairFlips, ...]:
        """How few flips turn each pair of runs; empty if something else is varied."""
        return ()

    @property
    def first(self) -> FirstPlace | None:
        """How few flips turn the first place; None if something else is varied."""
        return None

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def measure(self) -> Measure:
        """That of the base."""
        return self.base.measure

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        changes = [change for each in self.variants for change in each.setting.changes]
        drawn = any(isinstance(change.terms, Draw) or change.ties is not None for change in changes)
        more = {"measure": str(self.measure), "vary": "; ".join(self.vary), "seed": str(self.seed) if drawn else ""}
        return self.result.signature | more

    @property
    def intervals(self) -> Floats:
        """The least and the greatest mean of each run over base and variants of the base's measure [run, end].

        Both are nan where no mean is defined.
        """
        means = np.array([each.means for each in (self.base, *self.comparable_variants)])
        return np.stack([np.fmin.reduce(means), np.fmax.reduce(means)], axis=1)

    @property
    def rank_intervals(self) -> Ints:
        """The least and the greatest rank of each run over base and all variants [run, end]."""
        ranks = np.array([each.ranks for each in (self.base, *self.variants)])
        return np.stack([ranks.min(axis=0), ranks.max(axis=0)], axis=1)

    @property
    def comparable_variants(self) -> Sequence[Variant]:
        """The variants by the measure of the base, perhaps with other parameters: their means go side by side."""
        return [each for each in self.variants if each.measure.name == self.measure.name]


@dataclass(frozen=True, eq=False, repr=False)
class FlipAblation(Ablation):
    """The base, and how few labels or grades, if they were others, turn the order of the runs.

    Attributes:
        fragility: all pairs of runs, and the first place.
    """

    fragility: Fragility

    @property
    def flips(self) -> tuple[PairFlips, ...]:
        """How few flips turn each pair of runs."""
        return self.fragility.pairs

    @property
    def first(self) -> FirstPlace:
        """How few flips turn the first place."""
        return self.fragility.first


@dataclass(frozen=True, eq=False)
class RunOrder:
    """An order of runs: ``badness`` [run], less is better; what agrees to 12 digits is tied, nan is nowhere."""

    badness: Floats

    @classmethod
    def sort_means(cls, means: Floats, better: Better) -> "RunOrder":
        """Order runs by their means [run]; a measure of no direction orders from the highest value."""
        return cls(merge_ties(badness(means, better)))

    @cached_property
    def signs(self) -> Floats:
        """For each two runs [run, run]: 1 where the first is worse, -1 where it is better, 0 where they are tied."""
        with np.errstate(invalid="ignore"):  # infinity less infinity
            signs: Floats = np.sign(self.badness[:, None] - self.badness)
        return np.where(self.badness[:, None] == self.badness, 0.0, signs)

    @property
    def ranks(self) -> Ints:
        """Each run's rank [run]: 1 plus how many are better; 0 where it is undefined."""
        better = (self.badness < self.badness[:, None]).sum(axis=1)
        return np.where(np.isnan(self.badness), 0, 1 + better)

    def find_flipped(self, other: "RunOrder") -> Bools:
        """Tell which pairs the two orders have the other way round [run, run], each once, the first run above."""
        with np.errstate(invalid="ignore"):
            flipped: Bools = np.triu(self.signs * other.signs < 0)
        return flipped

    def tau_b(self, other: "RunOrder") -> float:
        """Give Kendall's tau-b of two orders; nan where one has no two runs apart.

        >>> RunOrder(np.array([1.0, 2.0, 3.0])).tau_b(RunOrder(np.array([1.0, 3.0, 2.0])))
        0.3333333333333333
        """
        one, two = self.signs, other.signs
        both = ~(np.isnan(one) | np.isnan(two))
        one, two = np.where(both, one, 0.0), np.where(both, two, 0.0)
        apart = np.sqrt((one * one).sum() * (two * two).sum())
        return float((one * two).sum() / apart) if apart else float("nan")


def find_significant(values: Floats, better: Better, *, alpha: float) -> tuple[Bools, Bools]:
    """Tell which pairs of runs a paired t-test tells apart, Holm over all pairs [run, run], the first run above.

    The second array tells which of them are doubtful.

    ``values`` [run, query]; a pair is compared over the queries for which both have a value, as ``compare`` does it:
    where nearer 0 is better, the sizes of the values.
    """
    values = take_sizes(values, better)
    first, second = np.triu_indices(len(values), 1)
    differences: dict[int, list[tuple[int, Floats]]] = defaultdict(list)
    defined = ~np.isnan(values)
    for number, (one, two) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        both = defined[one] & defined[two]
        row = paired.subtract(values[one][both], values[two][both])
        differences[len(row)].append((number, row))
    p, doubtful = np.full(len(first), np.nan), np.zeros(len(first), dtype=np.bool_)
    for rows in differences.values():
        numbers = [number for number, _ in rows]
        p[numbers] = paired.p_values(np.stack([row for _, row in rows]))
        doubtful[numbers] = [is_difference_doubtful(row) for _, row in rows]
    told, few = np.zeros((2, len(values), len(values)), dtype=np.bool_)
    told[first, second] = correct_p_values(p, "holm") <= alpha
    few[first, second] = doubtful
    return told, told & few


def take_sizes(values: Floats, better: Better) -> Floats:
    """Give by what runs are compared: the values or, where nearer 0 is better, their sizes, as leanings cancel."""
    return np.abs(values) if better == "nearer 0" else values


ALPHA = 0.05  # of the corrected p that tells two runs apart in the base


@require_names
def ablate(
    runs: Any,
    *,
    qrels: Any = None,
    measure: str | Measure,
    vary: str | Iterable[str],
    grid: bool = False,
    seed: int = 0,
    jobs: int | None = 1,
    **given: Unpack[Keywords],
) -> Ablation:
    """Vary word lists, parameters and the measure, and test whether the order of the runs depends on them.

    Args:
        runs: as for ``evaluate``, with its inputs. Texts are read once for all variants.
        qrels: as for ``evaluate``.
        measure: one measure, which is varied.
        vary: what is varied: ``"tau=0,1,5"``, ``"terms=each"``, ``"terms=half x 1000"``; docs/ablate.md has all.
        grid: all combinations. By default one factor varies at a time.
        seed: the seed of random draws. A draw depends only on the seed and its number.
        jobs: how many processes read the runs.

    Raises:
        UsageError: something that cannot be varied with these inputs; and what ``evaluate`` raises.
    """
    asked_for = _one_measure(measure, given.get("relevance_level"))
    if seed < 0:
        raise UsageError(f"the seed is {seed}; it is 0 or more")
    for thing in (qrels, given.get("terms"), given.get("background")):
        if isinstance(thing, PATH) and opening.is_stream(thing):
            raise InputError("variants read this input again, and a stream can be read only once; pass a file", thing)
    texts = [vary] if isinstance(vary, str) else list(vary)
    flipped = find_flipped(texts, grid=grid)
    if flipped is not None:
        _refuse_flips(flipped, runs, qrels, given)
    terms = loading.terms(given["terms"]) if given.get("terms") is not None else None
    listed = 0 if terms is None else len({term for words in terms.terms.values() for term in words})
    every = [] if flipped is not None else settings(texts, asked_for, grid=grid, terms=listed)
    _refuse_counts(given.get("counts"), every)
    _refuse_qrels(qrels, every)
    docs = loading.load_table(given.get("docs"))
    lists = _lists(terms, every, has_texts=docs is not None)
    table = None if docs is None else _count_terms(lists, docs)
    asked: dict[str, Any] = {**given} if table is None else {**given, "docs": table}
    measuring = Measuring(runs, {"qrels": qrels, **asked}, asked_for, table, lists, seed, jobs)
    found = list(measuring.measure_settings([Setting(), *every]))
    notes = [*loading.note_list_names(*lists), *measuring.notes]
    result = _complete(measuring, {"qrels": qrels, **given}, docs, notes)
    ablation = _compared(found, result, tuple(texts), seed, measuring.terms)
    if flipped is None:
        return ablation
    inputs, undefined = measuring.list_base_inputs()
    measure_of_base = measuring.results[0].scores[0].measures[0]
    fragility = find_fragility(flipped, inputs, measure_of_base, ablation.runs, undefined)
    return FlipAblation(**vars(ablation), fragility=fragility)


def _refuse_flips(factor: Flippable, runs: Any, qrels: Any, given: Mapping[str, Any]) -> None:
    """Raise UsageError if there is nothing to flip, or no order that a flip could turn."""
    if factor == "labels" and given.get("labels") is None:
        raise UsageError(f"labels={FLIPS} changes labels; add --labels FILE")
    if factor == "qrels" and qrels is None:
        raise UsageError(f"qrels={FLIPS} changes judgments, and QRELS are none; pass a qrels file")
    if len(loading.name_rankings(runs)) < 2:
        raise UsageError("an order is of two runs or more; add a run")
    if given.get("samples"):
        raise UsageError(f"{factor}={FLIPS} goes by one ranking of each query; leave out --samples")
    if factor == "qrels" and given.get("only") not in (None, "others"):
        raise UsageError("judgments decide which documents are ranked, so they cannot be flipped; leave out --only")


def _one_measure(measure: str | Measure, level: int | None) -> Measure:
    """Read the measure. Raises UsageError for several."""
    several = [measure] if isinstance(measure, Measure) else registry.parse(measure, level)
    if len(several) != 1:
        raise UsageError(f"one measure is varied, and {measure!r} has {len(several)}; choose one with -m")
    return several[0]


def _refuse_counts(base: Any, every: Sequence[Setting]) -> None:
    """Raise UsageError for tables of counts where the base has none, InputError for one of other groups than its."""
    tables = [change.value for setting in every for change in setting.changes if change.factor == "counts"]
    if not tables:
        return
    if base is None:
        raise UsageError(f"counts={tables[0]} is compared with the counts of the base; add --counts TABLE")
    from fairtrec.counting.table.files import Table

    groups = sorted(Table(base).groups if isinstance(base, PATH) else memory.frame_groups(base))
    for table in dict.fromkeys(tables):
        if (other := sorted(Table(table).groups)) != groups:
            what = f"the counts are of the groups {', '.join(other)}, those of the base of {', '.join(groups)}"
            raise InputError(f"{what}; pass a table of the same groups", table)


def _refuse_qrels(base: Any, every: Sequence[Setting]) -> None:
    """Raise UsageError for judgments that are varied where the base has none."""
    several = [change.value for setting in every for change in setting.changes if change.factor == "qrels"]
    if several and base is None:
        raise UsageError(f"qrels={several[0]} is compared with the QRELS of the base, which are none; add a qrels file")


def _count_terms(lists: Mapping[Any, GroupTerms], docs: Any) -> TermTable:
    """Set up the counts of all terms, for which texts are read once."""
    words = (word for each in lists.values() for of in each.terms.values() for word in of)
    return TermTable(words, partial(loading.texts, docs))


def _complete(measuring: Measuring, given: Mapping[str, Any], docs: Any, notes: Iterable[Note]) -> Result:
    """Give the result of the base with the files, the signature and the notes of the whole."""
    base = measuring.results[0]
    beside = {part: file for part, file in base.files.items() if part.of == "counterfactual"}
    parts = {Part(name): thing for name, thing in given.items() if name != "counterfactual"}
    files = name_input_files(parts | {Part("run", name): run for name, run in measuring.named.items()}) | beside
    signature = base.signature
    if "docs" in signature:  # which were read once for all, and are an object since
        digest = "" if isinstance(docs, PATH) else memory.digest("docs", docs)
        signature |= {"docs": DOCS.spell(given["docs"], files, digest=digest)}
    every = tuple(dict.fromkeys((*base.evaluation_notes, *notes)))
    return replace(base, files=files, signature=signature, evaluation_notes=every)


def _lists(terms: GroupTerms | None, every: Sequence[Setting], *, has_texts: bool) -> dict[Any, GroupTerms]:
    """Load every list of terms that is asked for, by what names it; None is that of the base.

    Raises UsageError for what only texts allow, where there are none.
    """
    for change in (change for setting in every for change in setting.changes):
        if change.factor in OF_TEXTS and not has_texts:
            raise UsageError(f"{change.factor}={change.value} needs the texts; add --docs COLLECTION with --terms LIST")
    named = {setting.keywords["terms"] for setting in every if "terms" in setting.keywords}
    lists = {name: loading.terms(name) for name in sorted(named)}
    return lists if terms is None else {None: terms, **lists}


def _compared(
    several: Sequence[VariantScores], result: Result, vary: tuple[str, ...], seed: int, terms: tuple[int, int] | None
) -> Ablation:
    """Compare variants, the first of which is the base, with the base."""
    base = several[0]
    qids = sorted({qid for taken in several for qid in taken.qids})
    own = base.take_queries(qids)
    apart, doubtful = find_significant(own, base.measure.better, alpha=ALPHA)
    ever = np.zeros(apart.shape, dtype=np.bool_)
    pairs = apart, doubtful
    found = [_against(taken, taken.take_queries(qids), own, base.measure, pairs, ever) for taken in several]
    runs, never = tuple(each.run for each in result.scores), len(own) * (len(own) - 1) // 2 - int(ever.sum())
    told, few = int(apart.sum()), int(doubtful.sum())
    return Ablation(runs, found[0], tuple(found[1:]), result, vary, seed, told, few, never, len(base.qids), terms)


def _against(
    taken: VariantScores, values: Floats, own: Floats, base: Measure, pairs: tuple[Bools, Bools], ever: Bools
) -> Variant:
    """Compare the order of a variant with that of the base, over the queries of both; note in ``ever`` what flips.

    ``pairs`` are those that the base tells apart, and those of them that are doubtful.
    """
    turned = taken.measure.better
    both = np.asarray(~(np.isnan(own) | np.isnan(values)).any(axis=0))  # every run has a value by both
    with np.errstate(invalid="ignore"):
        orders = [
            RunOrder.sort_means(each[:, both].mean(axis=1) if both.any() else np.full(len(each), np.nan), better)
            for each, better in ((take_sizes(own, base.better), base.better), (take_sizes(values, turned), turned))
        ]
    flipped = orders[0].find_flipped(orders[1])
    ever |= flipped
    return Variant(
        **vars(taken),
        ranks=orders[1].ranks,
        tau_b=orders[0].tau_b(orders[1]),
        tau_ap=tau_ap(orders[0].badness, orders[1].badness),
        flipped=int(flipped.sum()),
        settled=int((flipped & pairs[0]).sum()),
        doubtful=int((flipped & pairs[1]).sum()),
        queries=int(both.sum()),
    )

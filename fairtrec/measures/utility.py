"""nDCG and all other measures of ir-measures, computed from the one ranking that all measures see.

nDCG, RR, AP, P, R and Success are computed here as trec_eval does, to the last bit, and ir-measures is not imported for
them. What else trec_eval has, these with ``judged_only`` and ``gains``, Judged and Accuracy are computed in
relevance/trec_eval.py; all others by ir-measures.

Its providers break ties in three different ways, so they are handed strictly falling scores; and they are handed only
as many ranks as a measure can see, because most of their time goes into taking a run in.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from fairtrec.data.parameters import spell_value
from fairtrec.formulas import discount, elementary, ranks
from fairtrec.formulas.distribution import quotient
from fairtrec.measure import EACH, Bounds, First, Floats, Form, Ints, Measure, Precisions, Quantity, SumOverRanks
from fairtrec.support.errors import UsageError
from fairtrec.support.late_patterns import compile_late

PLAIN = {"AP": "AP", "MAP": "AP", "P": "P", "Precision": "P", "R": "R", "Recall": "R", "RR": "RR", "MRR": "RR",
         "Success": "Success", "nDCG": "nDCG", "NDCG": "nDCG"}  # fmt: skip

DIVERSITY = {
    "AP_IA", "ERR_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP",
}  # of the subtopics of judgments  # fmt: skip
COMPUTED = {
    *PLAIN, *DIVERSITY, "Accuracy", "Bpref", "ERR", "IPrec", "Judged", "NumQ", "NumRel", "NumRet", "RBP", "Rprec",
    "SetAP", "SetF", "SetP", "SetR", "infAP",
}  # in this package  # fmt: skip

SAYS = {
    "nDCG": "Gain: the grade; below 0 it counts 0. Discount: 1 / log2(1 + rank). dcg='exp-log2' gains 2^grade - 1,\n"
    "as gdeval does, which rounds the value of each query to five digits.\n"
    "Source: Jarvelin, Kekalainen: Cumulated Gain-Based Evaluation of IR Techniques. TOIS 2002.\n"
    "https://doi.org/10.1145/582415.582418",
    "RBP": "(1 - p) * sum over ranks i of p^(i - 1) where the grade is rel or more, to the cutoff, if there is one.\n"
    "Source: Moffat, Zobel: Rank-Biased Precision for Measurement of Retrieval Effectiveness. TOIS 2008.\n"
    "https://doi.org/10.1145/1416950.1416952",
    "ERR": "The sum over ranks i of R(i) / i times the product of 1 - R of all ranks above. R: (2^grade - 1) / 16.\n"
    "The program gdeval rounds the value of each query to five digits.\n"
    "Source: Chapelle et al.: Expected Reciprocal Rank for Graded Relevance. CIKM 2009.\n"
    "https://doi.org/10.1145/1645953.1646033",
    "IPrec": "Recall is reached with int(recall * relevant + 0.9) documents, as in trec_eval 9; trec_eval 10 rounds\n"
    "(lround), by which some values differ, and those of 11pt_avg, the mean of eleven such.",
    "Judged": "The share of the ranks whose document has any grade in the qrels, as in ir-measures. --only judged\n"
    "keeps documents with a grade of 0 or more, as trec_eval -J.",
}  # of what ir-measures leaves open

LEVELLED = (
    COMPUTED - DIVERSITY - {"ERR", "nDCG", "NDCG", "Judged", "NumQ", "NumRet"}
)  # for which a document is relevant or not
SHARES = {"AP", "AP_IA", "Bpref", "ERR", "ERR_IA", "IPrec", "NRBP", "P", "P_IA", "R", "RBP", "RR", "Rprec", "SetAP",
          "SetF", "SetP", "SetR", "StRecall", "Success", "alpha_DCG", "nDCG"}  # fmt: skip

_PARTS = compile_late(r"([^(@]+)(?:\((.*)\))?(@.*)?", re.DOTALL)
SUMS = {"NumQ", "NumRel", "NumRet"}  # which are added up over queries

CHANGES: dict[str, tuple[str, ...]] = {}  # of the values of each, as ``Measure.changes``


@dataclass(frozen=True, eq=False)
class Plain:
    """A measure of ir-measures that is computed here: its name, and of its parameters ``rel`` and ``cutoff``."""

    NAME: str
    params: Mapping[str, Any]

    @classmethod
    def parse(cls, name: str, params: Mapping[str, Any], greatest: int) -> "Plain | None":
        """Take a measure that is written so; None if it is another, or one that ir-measures may refuse."""
        known = PLAIN.get(name, "")
        may = {"cutoff"} if known == "nDCG" else {"cutoff", "rel"}
        must = {"cutoff"} if known in {"P", "R", "Success"} else set()
        fits = known and must <= params.keys() <= may and all(type(value) is int for value in params.values())
        return cls(known, dict(params)) if fits and 1 <= params.get("rel", 1) <= greatest else None

    @property
    def ir_measure(self) -> Any:
        """What it is in ir-measures."""
        import ir_measures

        return ir_measures.measures.registry[self.NAME](**self.params)

    def __matmul__(self, cutoff: int) -> "Plain":
        return Plain(self.NAME, {**self.params, "cutoff": cutoff})


TENTHS = tuple(tenth / 10 for tenth in range(11))  # recalls
TREC_ONLY = {
    "11pt_avg": "The mean of interpolated precision at recalls of 0, .1, .. 1, which are reached as for IPrec.",
    "gm_bpref": "The geometric mean of bpref over queries, each value at least .00001.",
    "gm_map": "The geometric mean of AP over queries, each value at least .00001.",
    "num_nonrel_judged_ret": "The number of documents that are ranked, and judged not to be relevant.",
    "relative_P": "Precision at the cutoff, over the greatest that there could be.",
}  # what trec_eval has and ir-measures has not


class TrecOnly(Plain):
    """A measure that trec_eval has and ir-measures has not."""

    SUPPORTED_PARAMS: ClassVar[Mapping[str, Any]] = {}

    @property
    def ir_measure(self) -> Any:
        """Itself, as there is no other."""
        return self


@dataclass(frozen=True)
class Utility(Measure):
    """A measure of relevance, as ir-measures computes it; its page is in the documentation of that package.

    What is a property of most classes is one of each object here: it is read off ``measure`` once. Two are the same
    that are ``spelled`` so.

    Unit: that of the measure. Better: higher. Empty ranking: the value that ir-measures gives it, mostly 0.
    Range: mostly [0, 1].
    Undefined: the query has no qrels.
    Source: MacAvaney, Macdonald, Ounis: Streamlining Evaluation with ir-measures. ECIR 2022.
    https://doi.org/10.1007/978-3-030-99739-7_38
    """

    measure: Any = field(default=None, compare=False)  # of ir-measures, or Plain
    trec: str = field(default="", compare=False)  # what trec_eval prints it as, if it was asked for by a name of that
    is_of_set: bool = field(default=False, compare=False)  # whether that was the name of a set, like official
    spelled: str = field(default="", init=False)

    needs = ("relevance", "judged_relevance")
    name = ""  # in the notation of ir-measures
    is_plain = False  # whether it is computed here
    is_of_group: ClassVar[bool] = False  # whether it goes by the judgments of one group
    cutoff: ClassVar[int | None] = None
    depth: ClassVar[int | None] = None  # None, too, where it looks past the cutoff for judged documents
    bounds: ClassVar[Bounds] = (None, None)

    def __post_init__(self) -> None:
        name, params = str(self.measure.NAME), self.measure.params
        rel, cutoff = params.get("rel", 1), params.get("cutoff")
        listed = ",".join(f"{recall:g}" for recall in params.get("recalls", ()))
        listed = f"{name}.{listed}" if listed else name
        ours = f"{listed}{f'(rel={rel})' if rel != 1 else ''}{f'@{cutoff}' if cutoff is not None else ''}"
        vars(self).update(
            spelled=ours if isinstance(self.measure, Plain) else str(self.measure),
            name=name,
            is_plain=type(self.measure) is Plain,
            cutoff=cutoff,
            depth=None if params.get("judged_only") else cutoff,
            total=name in SUMS or name == "num_nonrel_judged_ret",
            geometric=name.startswith("gm_"),
            of_mean=name.startswith("gm_"),
            ordered=not name.startswith(("Set", "Num", "num_")),
            better="neither" if name.startswith(("Num", "num_")) or name == "Judged" else "higher",
            bounds=(0.0, 1.0) if name in SHARES else (None if "gains" in params else 0.0, None),
            changes=CHANGES.get(name, ()),
        )
        super().__post_init__()

    @property
    def ir_measure(self) -> Any:
        """The measure of ir-measures."""
        return self.measure.ir_measure if isinstance(self.measure, Plain) else self.measure

    def sum_gains(self, places: Ints, grades: Floats) -> Floats:
        """Sum what the judged documents of rankings add [query], given their ranks, from 1, and grades [query, n].

        Sums go down the ranks one by one, and logarithms are rounded correctly, as in trec_eval.
        """
        seen = grades if self.cutoff is None else np.where(places <= self.cutoff, grades, np.nan)
        if self.name == "nDCG":
            return ranks.total(ranks.gains(seen) / _logarithms(places))
        relevant = seen >= self.measure.params.get("rel", 1)
        if self.name == "AP":
            return ranks.total(np.where(relevant, quotient(np.cumsum(relevant, axis=1), places), 0.0))
        if self.name == "RR":
            return quotient(1.0, np.where(relevant, places, np.inf).min(axis=1, initial=np.inf))
        many: Floats = relevant.sum(axis=1).astype(np.float64)
        return np.minimum(many, 1.0) if self.name == "Success" else many

    def ideal_gain(self, judged: Floats) -> Floats:
        """Give what the gain is divided by [query], of the grades of all judged documents [query, n], highest first."""
        if self.name == "nDCG":
            best = judged[:, : self.cutoff]
            return ranks.total(ranks.gains(best) / _logarithms(np.arange(1, best.shape[1] + 1)))
        if self.name in {"R", "AP"}:
            return np.asarray((judged >= self.measure.params.get("rel", 1)).sum(axis=1).astype(np.float64))
        return np.full(len(judged), float(self.cutoff) if self.name == "P" and self.cutoff else 1.0)

    def formula(self, relevance: Floats, judged_relevance: Floats) -> Form:
        """Say what P, R, nDCG, RR, AP and Success make of the ranks, as trec_eval computes them, and RBP."""
        params, n = self.measure.params, self.cutoff or relevance.shape[1]
        parameters = {"rel", "cutoff", "p"} if self.name == "RBP" else {"rel", "cutoff"}
        if self.name not in {"nDCG", "P", "R", "RR", "AP", "Success", "RBP"} or params.keys() - parameters:
            return Form()
        if self.name == "nDCG":
            ideal = ranks.ideal(ranks.gains(judged_relevance), discount.log2(self.cutoff or judged_relevance.shape[1]))
            ideal[ideal == 0] = 1.0  # then all gains are 0, and so is nDCG
            return SumOverRanks(ranks.gains(relevance), discount.log2(n), ideal)
        relevant, judged = (grades >= params.get("rel", 1) for grades in (relevance, judged_relevance))
        if self.name == "RBP":
            p = params.get("p", 0.8)
            return SumOverRanks(relevant.astype(np.float64), (1 - p) * discount.geometric(n, p), sums_grades=True)
        many = judged.sum(axis=1).clip(min=1)
        if self.name in {"P", "R"}:
            divisor = many if self.name == "R" else np.full(len(many), n)
            return SumOverRanks(relevant.astype(np.float64), np.ones(n), divisor, sums_grades=self.name == "P")
        if self.name == "AP":
            return Precisions(relevant, self.cutoff, many)
        return First(relevant, np.ones(n) if self.name == "Success" else discount.reciprocal(n))

    def __str__(self) -> str:
        return self.spelled


@dataclass(frozen=True)
class GroupUtility(Utility):
    """A measure of relevance by the judgments of the documents of one ``group``; "" is one measure for each group.

    Judgments of other documents are taken away, as if they were not judged. The ranking stays whole, so other
    documents take ranks. Ideals and divisors are those of the group. A document is of the group in which its weight is
    greatest and above 0, and of each if several have this weight.

    Unit: that of the measure. Better: higher. Empty ranking: the value that ir-measures gives it, mostly 0.
    Range: mostly [0, 1]. Undefined: the query has no relevant document of the group. ``Judged`` is the share of
    judged documents among those of the group in the top k, and undefined if there are none.
    Source: Dai et al.: Neural Retrievers are Biased Towards LLM-Generated Content. KDD 2024.
    https://doi.org/10.1145/3637528.3671882
    """

    group: str = field(default="")

    needs = ("relevance", "judged_relevance", "judged_membership")  # type: ignore[assignment]
    is_of_group = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.measure.params.get("judged_only"):
            what = f"{self.spelled} with group= takes away the judgments of others, and judged_only leaves these out"
            raise UsageError(f"{what}; leave out one of the two")
        found = _PARTS.fullmatch(self.spelled)
        assert found is not None
        by = [f"by={spell_value(self.by)}"] if self.by else []
        inside = ",".join([*by, f"group={spell_value(self.group or EACH)}", *filter(None, [found[2]])])
        vars(self).update(spelled=f"{found[1]}({inside}){found[3] or ''}", trec="", is_of_set=False)
        if self.name == "Judged":
            vars(self).update(needs=(*self.needs, "membership"))

    @property
    def ungrouped(self) -> Utility:
        """The measure by all judgments."""
        return Utility(self.measure)

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError if there are no groups, or not this one."""
        if not groups:
            raise UsageError(f"{self} needs groups; add --labels, --counts or --terms")
        super().check(groups)

    def formula(self, *args: Any, **inputs: Any) -> Form:  # noqa: ARG002 - of all measures
        """Give no form: orders are tried."""
        return Form()

    def __str__(self) -> str:
        return self.spelled


def _logarithms(places: Ints) -> Floats:
    """Take the logarithm of each rank plus 1, by which DCG divides; of the rank 0, which is none, that of rank 1."""
    return np.asarray(elementary.log2_of_counts(int(places.max(initial=1)) + 2)[np.maximum(places, 1) + 1])


def find_relevance_rows(measures: Iterable[Quantity]) -> list[int]:
    """Number the measures of relevance among these that go by all judgments."""
    several = enumerate(measures)
    return [row for row, measure in several if isinstance(measure, Utility) and not measure.is_of_group]


def split_relevance(measures: Sequence[Measure]) -> tuple[list[Utility], list[Measure]]:
    """Split measures into those of relevance by all judgments, which a judge computes, and all others."""
    rows = find_relevance_rows(measures)
    others = [measure for row, measure in enumerate(measures) if row not in rows]
    return cast("list[Utility]", [measures[row] for row in rows]), others


def refuse_by_group(measures: Iterable[Measure], what: str) -> None:
    """Raise UsageError for a measure by the judgments of one group, where ``what`` is done goes by all of them."""
    for measure in measures:
        if getattr(measure, "is_of_group", False):
            raise UsageError(f"{what}, and {measure} goes by those of one group; leave out group=")


def refuse_geometric(measures: Iterable[Measure]) -> None:
    """Raise UsageError for a geometric mean, where values of queries are compared or averaged."""
    for measure in measures:
        if measure.geometric:
            what = f"{measure} is a geometric mean, and this goes by the arithmetic means of queries"
            raise UsageError(f"{what}; name the measure that it is of")

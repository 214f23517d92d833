"""Requirements, what a gate goes by, and verdicts. Read by hand: ``[worst|every slice|group] MEASURE >= BOUND``.

``|MEASURE|`` is about the sizes of values, query by query, for measures whose better is nearer 0.

A bound is a number, or ``baseline``, ``baseline - 0.01``, ``baseline - 5%``, ``baseline * 0.95``.
"""

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from fairtrec.formulas.rounding import NEAR
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import registry
from fairtrec.support.errors import UsageError
from fairtrec.support.literals import FailOn, Method

Scope = Literal["", "worst slice", "every slice", "worst group", "every group"]
OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
LARGEST_BOUND = 1e100  # what no measure is, times which no value is infinite
EXAMPLE = "like 'NFaiRR@10 >= 0.85' or 'nDCG@10 >= baseline - 0.01'"

_SCOPES: dict[tuple[str, str], Scope] = {
    ("worst", "slice"): "worst slice", ("every", "slice"): "every slice",
    ("worst", "group"): "worst group", ("every", "group"): "every group",
}  # fmt: skip
_SCOPE = re.compile(r"(worst|every)\s+(slice|group)(?!\S)")
_MEAN = re.compile(r"mean\s+")
_MEASURE = re.compile(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\([^()'"]*|[^<>=!()'"]|\))*""", re.DOTALL)
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_BOUND = re.compile(rf"(?P<number>{_NUMBER})|baseline(?:\s*(?P<sign>[-+*])\s*(?P<amount>{_NUMBER})\s*(?P<share>%)?)?")


@dataclass(frozen=True)
class Requirement:
    """What a run must reach: ``measure operator factor * baseline + offset``; factor 0 is without a baseline."""

    text: str
    scope: Scope
    measure: Measure
    operator: str
    factor: float
    offset: float
    unsigned: bool = False  # about |measure|
    of_mean: bool = False  # about the mean, where there is a pooled value too

    def __str__(self) -> str:
        return self.text

    @property
    def parts(self) -> Literal["", "slice", "group"]:
        """What it is about one by one: slices, groups, or nothing."""
        return "slice" if self.scope.endswith("slice") else "group" if self.scope else ""

    @property
    def is_of_worst(self) -> bool:
        """Whether only the worst slice or group counts."""
        return self.scope.startswith("worst")

    def list_measures(self, computed: Sequence[Measure]) -> list[Measure]:
        """List the measures that it is about: its own, or those of each group among the measures that are computed.

        Raises UsageError if these are of several attributes.
        """
        if self.parts != "group":
            return [self.measure]
        every: dict[str, Any] = {"group": self.measure.each_group}
        groups = [one for one in computed if type(one) is type(self.measure) and getattr(one, "group", None)]
        found = [one for one in groups if self.measure in (alike := replace(one, **every), replace(alike, by=""))]
        if len({one.by for one in found}) > 1:
            by = " or ".join(f"by={one}" for one in dict.fromkeys(one.by for one in found))
            raise UsageError(f"{self}: which groups? write {by} in the measure")
        return found

    @property
    def relative(self) -> bool:
        """Whether it compares with a baseline."""
        return self.factor != 0

    @property
    def upward(self) -> bool:
        """Whether it asks for a high value."""
        return self.operator.startswith(">")

    def holds(self, value: float, bound: float) -> bool:
        """Tell whether a value meets a bound; two that differ by rounding alone are equal."""
        if math.isclose(value, bound, rel_tol=NEAR, abs_tol=NEAR):
            value = bound
        return bool(OPERATORS[self.operator](value, bound))

    @property
    def contradiction(self) -> str:
        """Say that it asks for what its measure calls worse; nothing where it does not."""
        better, asks = self.measure.better, "high" if self.upward else "low"
        if better == "nearer 0" and not self.unsigned:
            away = self.offset > 0 if self.upward else self.offset < 0
            what = f"{self}: values nearer 0 are better, and this asks for others; write |{self.measure}| <= ..."
            return what if self.relative or away else ""
        better = "lower" if better == "nearer 0" else better
        if better == "neither" or (better == "higher") == self.upward:
            return ""
        return f"{self}: {better} values are better, and this asks for {asks} ones"


def parse(text: str, relevance_level: int | None = None) -> Requirement:
    """Read a requirement. Raises UsageError that names the place where it stops to be one.

    >>> parse("worst slice  NFaiRR( tau = 0 )@10>=baseline - 0.01")
    Requirement(text='worst slice NFaiRR( tau = 0 )@10>=baseline - 0.01', scope='worst slice', \
measure=NFaiRR(by='', cutoff=10, tau=0), operator='>=', factor=1.0, offset=-0.01, unsigned=False, of_mean=False)
    """
    at = _skip(text, 0)
    scope: Scope = ""
    if found := _SCOPE.match(text, at):
        scope, at = _SCOPES[found[1], found[2]], _skip(text, found.end())
        if _SCOPE.match(text, at):
            raise _stops(text, at, "a requirement is about slices or about groups, not about both")
    of_mean = _MEAN.match(text, at)
    at = at if of_mean is None else of_mean.end()
    found = _MEASURE.match(text, at)
    assert found is not None  # it matches nothing, too
    name = found.group().strip()
    unsigned = len(name) > 1 and name.startswith("|") and name.endswith("|")
    measure = _measure(text, at, name[1:-1].strip() if unsigned else name, relevance_level)
    if scope.endswith("group") and not measure.is_of_each:
        raise _stops(text, at, _ask_each(measure))
    at = found.end()
    sign = re.compile(r"[<>=!]*").match(text, at)
    assert sign is not None
    if sign.group() not in OPERATORS:
        raise _stops(text, at, f"the operator is one of {', '.join(OPERATORS)}")
    at = _skip(text, sign.end())
    bound = _BOUND.match(text, at)
    if bound is None:
        raise _stops(text, at, "a bound is a number, or baseline, baseline - 0.01, baseline - 5%, baseline * 0.95")
    if _skip(text, bound.end()) < len(text):
        raise _stops(text, _skip(text, bound.end()), "nothing follows the bound")
    factor, offset = _line(bound, text, at)
    return Requirement(
        " ".join(text.split()), scope, measure, sign.group(), factor, offset, unsigned, of_mean is not None
    )


def _ask_each(measure: Measure) -> str:
    """Say how to ask for a value of each group, if the measure has one."""
    name, _, cutoff = str(measure).partition("@")
    inside = name.partition("(")[2].removesuffix(")")
    own = [part for part in inside.split(",") if part and not part.startswith("group=")]
    spelled = f"{name.partition('(')[0]}({','.join([*own, 'group=each'])}){'@' * bool(cutoff)}{cutoff}"
    try:
        registry.parse(spelled)
    except UsageError:
        return f"{measure} has no value for each group"
    return f"write {spelled}"


def _measure(text: str, at: int, name: str, relevance_level: int | None) -> Measure:
    if not name:
        raise _stops(text, at, "a requirement starts with a measure")
    if re.search(r"\bslices?\s", name):
        raise _stops(text, at, "slices are asked for with 'worst slice' or 'every slice'")
    if re.match(r"\w+\s+groups?\s", name):
        raise _stops(text, at, "groups are asked for with 'worst group' or 'every group'")
    try:
        measures = registry.parse(name, relevance_level)
    except UsageError as fault:
        raise UsageError(f"the requirement {text!r}: {fault}") from None
    if len(measures) != 1:
        raise _stops(text, at, f"{name} stands for {len(measures)} measures, and a requirement is about one")
    return measures[0]


def _line(bound: re.Match[str], text: str, at: int) -> tuple[float, float]:
    amount = float(bound["number"] or bound["amount"] or 0)
    if abs(amount) > LARGEST_BOUND:
        raise _stops(text, at, "the number is too large")
    if bound["number"]:
        return 0.0, amount
    signed = -amount if bound["sign"] == "-" else amount
    if bound["sign"] == "*":
        if bound["share"] or amount <= 0:
            raise _stops(text, at, "the baseline is multiplied by a number above 0, like baseline * 0.95")
        return amount, 0.0
    if bound["share"]:
        if signed <= -100:
            raise _stops(text, at, "less than 100% can be taken off")
        return 1 + signed / 100, 0.0
    return 1.0, signed


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _stops(text: str, at: int, what: str) -> UsageError:
    where = f"column {at + 1}, {text[at:]!r}" if text[at:].strip() else "its end"
    return UsageError(f"cannot read the requirement {text!r} at {where}: {what}; {EXAMPLE}")


Status = Literal["passed", "warning", "undecided", "failed"]
STATUSES: tuple[Status, ...] = ("passed", "warning", "undecided", "failed")  # the worse, the later
MOST = 0.9999  # confidence; of more, no data of a few queries say anything


@dataclass(frozen=True)
class Evidence:
    """How a run's mean differs from the baseline's (times the factor of the requirement), over the queries of both."""

    baseline: float
    difference: float
    low: float
    high: float
    tolerance: float
    detectable: float  # the smallest true difference that is found with a power of 80 %
    deciding: int  # differences that differ from the most frequent one


@dataclass(frozen=True)
class ToLabel:
    """How many documents of unknown group leave a requirement open, and the one that moves the value most."""

    documents: int
    docno: str
    rank: int
    qid: str

    def __str__(self) -> str:
        many = "1 document" if self.documents == 1 else f"{self.documents} documents"
        return f"label {many}, first {self.docno} (rank {self.rank} of query {self.qid})"


@dataclass(frozen=True)
class Verdict:
    """Whether a run meets a requirement, on all queries or on a slice, for one group or not, and the reason.

    Attributes:
        requirement: what the run should meet.
        run: the name of the run.
        status: "passed", "warning", "undecided" or "failed".
        reason: empty if it passed.
        value: the mean of the run, or its pooled value.
        bound: the number that it is compared with.
        defined: the queries behind the value.
        queries: those of the run or of the slice.
        interval: of the mean; None for a relative requirement, which has evidence.
        doubtful: whether so few values decide that the interval is surer than the data.
        slice: None for all queries.
        group: the group of its measure, if groups are judged one by one.
        evidence: the difference from the baseline with its interval.
        ends: the lowest and highest mean over all labelings, if groups are unknown.
        with_bounds: the queries that these ends are over, if they are means.
        label: what leaves it undecided.
        is_pooled: whether the value is that of all queries together.
    """

    requirement: Requirement
    run: str
    status: Status
    reason: str
    value: float
    bound: float
    defined: int  # the queries behind the value
    queries: int  # of the run, or of the slice
    interval: tuple[float, float] | None = None  # of the mean; None for a relative requirement, which has evidence
    doubtful: bool = False  # whether so few values decide that the interval is surer than the data
    slice: str | None = None
    group: str | None = None
    evidence: Evidence | None = None
    ends: tuple[float, float] | None = None  # of the mean, over all labelings, where groups are unknown
    with_bounds: int | None = None  # the queries that these ends are over, if they are means
    label: ToLabel | None = None  # what leaves it undecided
    is_pooled: bool = False


@dataclass(frozen=True)
class Gate:
    """How much evidence it takes: the intervals are of this ``confidence``.

    ``strict``   fails on the difference itself, whatever its interval.
    ``prove``    passes only where the whole interval lies on the right side of the bound (non-inferiority).
    ``fail_on``  says whether a warning is a failure.
    ``interval`` is computed from Student's t, or by bootstrap.
    """

    confidence: float = 0.95
    strict: bool = False
    prove: bool = False
    fail_on: FailOn = "failed"
    interval: Method = "t"

    def __post_init__(self) -> None:
        if not 0 < self.confidence <= MOST:
            raise UsageError(f"the confidence is {self.confidence}; it lies between 0 and {MOST}, like 0.95")
        if self.fail_on not in get_args(FailOn):
            raise UsageError(f"fail_on is {self.fail_on!r}; it is one of {', '.join(get_args(FailOn))}")
        if self.interval not in get_args(Method):
            raise UsageError(f"interval is {self.interval!r}; it is one of {', '.join(get_args(Method))}")

    @property
    def alpha(self) -> float:
        """How often an interval may err."""
        return round(1 - self.confidence, 12)

    def fails(self, status: Status) -> bool:
        """Tell whether a status closes the gate."""
        return status in ("failed", "undecided", self.fail_on)

    def alpha_per_part(self, parts: int) -> float:
        """Give the alpha of each of so many slices or groups, one of which is enough to fail (Bonferroni).

        To prove something of all of them takes no correction: each has to pass.
        """
        return self.alpha if self.prove else self.alpha / max(parts, 1)


USUAL = Gate()

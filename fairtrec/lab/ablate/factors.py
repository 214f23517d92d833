"""What may be varied: ``FACTOR=VALUE,VALUE,...``, read to what changes in the evaluation."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any, Literal, get_args

from fairtrec.data.parameters import GIVEN, spell_value
from fairtrec.evaluation.inputs.loading import is_file
from fairtrec.evaluation.inputs.options import CHOICES, Target
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import registry
from fairtrec.measures.catalogue.cutoffs import expand_cutoffs
from fairtrec.support.errors import UsageError

MOST = 10_000  # variants
LONGEST_NUMBER = 9  # digits
VARIED = {row.factor: row for row in CHOICES.values() if row.factor is not None}
KEYWORDS = {  # of ``evaluate``, by the names of their options
    "terms": "terms",
    "background": "background",
    "counts": "counts",
    "qrels": "qrels",
    **{name: row.name for name, row in VARIED.items()},
}
OF_TEXTS = {  # which counts that were made before do not allow
    "terms",
    *(name for name, row in VARIED.items() if row.part == "texts"),
}
SHARE = re.compile(r"(half|[\d.]+%?)\s*(?:x|\N{MULTIPLICATION SIGN})\s*(\d+)")


FLIPS = "flips"  # the value that changes single labels or grades
Flippable = Literal["labels", "qrels"]  # a factor with that value


@dataclass(frozen=True)
class Draw:
    """Random subsets of each group's terms: so large a share of them, so many times."""

    share: float
    times: int


EACH = "each"  # term is left out, one after the other


@dataclass(frozen=True)
class Change:
    """One value of a factor, and what of the evaluation it changes: one of these."""

    factor: str
    value: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    measure: Measure | None = None
    terms: Draw | str | None = None
    ties: int | None = None  # the number of an order of tied documents, drawn at random


@dataclass(frozen=True)
class Setting:
    """The changes that make a variant; none is the base."""

    changes: tuple[Change, ...] = ()

    @property
    def factor(self) -> str:
        """Which factors are varied."""
        return " ".join(change.factor for change in self.changes)

    def name_variant(self, terms: str | None = None) -> str:
        """Name the variant by its values; of several, with the names of the factors.

        ``terms`` says which one it is of those of a list, of which some are left out.
        """
        values = [change.value if terms is None or change.terms is None else terms for change in self.changes]
        if len(values) == 1:
            return values[0]
        return " ".join(f"{change.factor}={value}" for change, value in zip(self.changes, values, strict=True))

    @property
    def keywords(self) -> dict[str, Any]:
        """What changes in the keywords of the evaluation."""
        return {name: value for change in self.changes for name, value in change.keywords.items()}

    @property
    def ties(self) -> int | None:
        """The number of the order of tied documents."""
        return next((change.ties for change in self.changes if change.ties is not None), None)

    @property
    def terms(self) -> Draw | str | None:
        """What is done to the list of terms."""
        return next((change.terms for change in self.changes if change.terms is not None), None)

    def measure(self, base: Measure) -> Measure:
        """Give the measure: that of the base, another, or with other parameters."""
        for change in self.changes:
            base = base if change.measure is None else _merged(base, change)
        return base


def _merged(base: Measure, change: Change) -> Measure:
    if change.factor == "measure" or change.measure is None:
        return change.measure or base
    if change.factor == "cutoff":
        return expand_cutoffs([base], [int(change.value)])[0]
    return _with(base, change.factor, GIVEN if change.factor in change.keywords else change.value)


def find_flipped(vary: Sequence[str], *, grid: bool) -> Flippable | None:
    """Find the factor whose single labels or grades are flipped; None if none is.

    Raises UsageError if another factor is varied with it, or labels are varied otherwise.
    """
    factors = [(name.strip(), values.strip()) for name, _, values in (text.partition("=") for text in vary)]
    for name, values in factors:
        if name == "labels" and values != FLIPS:
            raise UsageError(f"labels are varied one by one; write labels={FLIPS} instead of labels={values}")
    known: tuple[Flippable, ...] = get_args(Flippable)
    flipped = next((name for name in known if (name, FLIPS) in factors), None)
    if flipped is not None and (grid or len(factors) > 1):
        beside = " and without --grid" if grid else ""
        raise UsageError(f"{flipped}={FLIPS} is varied alone{beside}; vary other factors in a command of their own")
    return flipped


def settings(vary: Sequence[str], measure: Measure, *, grid: bool, terms: int) -> list[Setting]:
    """Read all that is varied, to the settings of the variants: one factor at a time, or all combinations (``grid``).

    ``terms`` is how many terms the list of the base has. Raises UsageError for what cannot be read or is not there,
    and for more than 10,000 variants.
    """
    factors: dict[str, list[Change]] = {}
    for text in vary:
        name, sign, values = (part.strip() for part in text.partition("="))
        if not sign or not name or not values:
            raise UsageError(f"cannot read {text!r}; write what is varied as FACTOR=VALUE,VALUE, like tau=0,1,5")
        factors.setdefault(name, []).extend(_changes(name, values, measure))
    if not factors:
        raise UsageError("nothing is varied; add --vary FACTOR=VALUES, like --vary tau=0,1,5")
    factors = {name: list({change.value: change for change in changes}.values()) for name, changes in factors.items()}
    many = [sum(_times(change, terms) for change in changes) for changes in factors.values()]
    total = math.prod(many) if grid else sum(many)
    if total > MOST:
        raise UsageError(f"these are {total} variants, and {MOST} are the most; vary less")
    if grid:
        return [Setting(changes) for changes in product(*factors.values())]
    return [Setting((change,)) for changes in factors.values() for change in changes]


def _times(change: Change, terms: int) -> int:
    return terms if change.terms == EACH else change.terms.times if isinstance(change.terms, Draw) else 1


def _changes(name: str, values: str, measure: Measure) -> list[Change]:
    if name == "terms":
        return [_terms(value) for value in _split(values)]
    if name == "ties":
        number = _whole(name, values)
        return [Change(name, f"order {at}", ties=at) for at in range(1, number + 1)]
    if name == "measure":
        parsed = registry.parse(values)
        return [Change(name, str(each), measure=each) for each in parsed]
    if name == "cutoff":
        return [
            Change(name, value, measure=expand_cutoffs([measure], [_whole(name, value)])[0]) for value in _split(values)
        ]
    if name in VARIED and VARIED[name].hint == Target:
        return [Change(name, value, {KEYWORDS[name]: value}) for value in _targets(_split(values))]
    if name in KEYWORDS or name in _parameters(measure):
        return [_change(name, value, measure) for value in _split(values)]
    known = ", ".join(["ties", "measure", "cutoff", *KEYWORDS, *_parameters(measure)])
    raise UsageError(f"{name!r} cannot be varied with {measure}; there are {known}")


def _change(name: str, value: str, measure: Measure) -> Change:
    if name in KEYWORDS:
        return Change(name, value, {KEYWORDS[name]: _value(name, value)})
    if name == "discount" and is_file(value):
        return Change(name, value, {name: value}, measure=_with(measure, name, GIVEN))
    return Change(name, value, measure=_with(measure, name, value))


def _parameters(measure: Measure) -> list[str]:
    own = [each for each in fields(measure) if each.init and each.compare]  # those of relevance measures are not
    return [each.name for each in own if each.name not in ("cutoff", "by")]


def _split(values: str) -> list[str]:
    several = [value.strip() for value in values.split(",")]
    if not all(several):
        raise UsageError(f"there is an empty value in {values!r}; leave out the comma")
    return several


def _targets(parts: Sequence[str]) -> list[str]:
    """Put shares together again, which have commas between them: a group that comes again begins the next target."""
    found: list[dict[str, str] | str] = []
    for part in parts:
        group, sign, _ = part.partition("=")
        if not sign:
            found.append(part)
        elif found and isinstance(found[-1], dict) and group not in found[-1]:
            found[-1][group] = part
        else:
            found.append({group: part})
    return [each if isinstance(each, str) else ",".join(each.values()) for each in found]


def _whole(name: str, value: str) -> int:
    if not value.isdecimal() or len(value) > LONGEST_NUMBER or not int(value):
        raise UsageError(f"{name}={value} is not a whole number of 1 or more, or too long; write {name}=10")
    return int(value)


def _value(name: str, value: str) -> Any:
    if name not in VARIED or not (VARIED[name].is_flag or VARIED[name].is_number):
        return value
    if VARIED[name].is_number:
        return _whole(name, value)
    if value not in VARIED[name].values:
        raise UsageError(f"{name}={value} is not known; choose {' or '.join(VARIED[name].values)}")
    return VARIED[name].values[value]


def _with(measure: Measure, name: str, value: str) -> Measure:
    inside = {each: spell_value(getattr(measure, each)) for each in _parameters(measure)}
    given = ",".join(
        f"{each}={value if each == name else text}" for each, text in inside.items() if each == name or text != "None"
    )
    cutoff = "" if getattr(measure, "cutoff", None) is None else f"@{measure.cutoff}"  # type: ignore[attr-defined]
    return registry.parse(f"{measure.name}({given}){cutoff}")[0]


def _terms(value: str) -> Change:
    if value == EACH:
        return Change("terms", EACH, terms=EACH)
    found = SHARE.fullmatch(value)
    if found is None:
        return Change("terms", value, {"terms": value})
    text, times = found[1], int(found[2]) if len(found[2]) <= LONGEST_NUMBER else 0
    try:
        share = 0.5 if text == "half" else float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise UsageError(f"{text} in terms={value} is not a share; write half, 0.3 or 30%") from None
    if not 0 < share < 1:
        raise UsageError(f"the share in terms={value} is {share:g}; it lies between 0 and 1, like half")
    if not times:
        raise UsageError(
            f"terms={value} draws no subset, or too many; write a number of draws, like 'terms=half x 100'"
        )
    return Change("terms", f"{text} x {times}", terms=Draw(share, times))

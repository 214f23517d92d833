"""What is to be computed from what was given, settled before anything large is read.

So a measure that lacks an input, a target that does not sum to 1 or a group that there is not is refused at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from os import fspath
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast, get_args, get_origin, get_type_hints

import numpy as np

from fairtrec import distribution, loading, registry
from fairtrec.annotate.tokens import Tokenizer
from fairtrec.data import Floats, GroupTerms, Labels, Positions
from fairtrec.documents import Missing
from fairtrec.errors import InputError, UsageError
from fairtrec.formats.run import ScoreType
from fairtrec.inputs import Inputs, TargetOf
from fairtrec.measure import Measure
from fairtrec.membership import Rule
from fairtrec.order import Order
from fairtrec.sources import OF_DOCUMENTS, OF_GROUPS, OPTIONS, Sources

if TYPE_CHECKING:
    from fairtrec.annotate.counter import Lexicon
    from fairtrec.formats.table import Meta

Target = str | Mapping[str, float]
DEFAULTS = (  # the measures of those inputs that were given, as far as they fit
    ("relevance", "nDCG@10 RR@10"), ("counts", "ARaB@10 TExFAIR@10"), ("background", "NFaiRR@10"),
    ("membership", "AWRF@10"), ("positions", "DUO"),
)  # fmt: skip


class ChoiceKeywords(TypedDict, total=False):
    """The fields of Choices, as keywords of ``evaluate``."""

    background_depth: int
    target: Target
    tokenizer: Tokenizer | None
    case_sensitive: bool | None
    missing: Missing
    order: Order
    score_dtype: ScoreType
    depth: int | None
    relevance_level: int | None
    complete: bool
    samples: bool
    rule: Rule
    ties: bool


@dataclass(frozen=True)
class Choices:
    """The options of an evaluation; each is also one of ``fairtrec eval``, whose help says what it does."""

    background_depth: int = 200
    target: Target = "even"
    tokenizer: Tokenizer | None = None  # strip; or that of the counts
    case_sensitive: bool | None = None  # no; or as the counts
    missing: Missing = "error"
    order: Order = "score"
    score_dtype: ScoreType = "float64"
    depth: int | None = None
    relevance_level: int | None = None
    complete: bool = False
    samples: bool = False
    rule: Rule = "share"
    ties: bool = False

    @classmethod
    def of(cls, keywords: ChoiceKeywords) -> "Choices":
        """Take keywords. Raises UsageError for one that there is not."""
        for name in keywords:
            if name not in ChoiceKeywords.__annotations__:
                near = get_close_matches(name, ChoiceKeywords.__annotations__, 1)
                hint = (
                    f"; did you mean {near[0]}?" if near else f"; there are {', '.join(ChoiceKeywords.__annotations__)}"
                )
                raise UsageError(f"there is no option {name}{hint}")
        return cls(**keywords)

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            value, what = getattr(self, name), f"the {name.replace('_', ' ')}"
            words = next((get_args(one) for one in (hint, *get_args(hint)) if get_origin(one) is Literal), ())
            if words and value not in words and value is not None:
                raise UsageError(f"{what} {value!r} is not known; choose one of {', '.join(words)}")
            if hint in (int, int | None) and value is not None:
                if not isinstance(value, int) or isinstance(value, bool):
                    raise UsageError(f"{what} is {value!r}; it must be a whole number")
                if value < 1:
                    raise UsageError(f"{what} is {value}; it must be 1 or more")
        if self.ties and (self.samples or self.order != "score"):
            other = "samples" if self.samples else f"order {self.order}"
            raise UsageError(f"ties are looked for among the scores of one ranking; leave out --ties, or --{other}")
        if not isinstance(self.target, str | Mapping):
            raise UsageError(f"the target is {self.target!r}; it must be a word, or shares like f=0.4,m=0.6")


@dataclass(frozen=True)
class Plan:
    """The measures, one for each group where they ask for that, and what they compare with."""

    measures: tuple[Measure, ...]
    target: Floats | None
    target_of: TargetOf | None
    targets: Mapping[str, Floats] | None
    labels: Labels | None
    positions: Positions | None
    terms: GroupTerms | None
    lexicon: "Lexicon | None"
    counted: "Meta | None"  # how counts were made, as far as they say so
    notes: tuple[str, ...]

    def uses(self, what: Literal["documents", "background", "collection", "membership"]) -> bool:
        """Tell whether any measure, or the target, looks at this."""
        needs = {need for measure in self.measures for need in measure.needs}
        if what == "documents":
            return bool(
                needs
                & ({"ranked"} | OF_DOCUMENTS if self.labels is not None else {"ranked"} | OF_DOCUMENTS | OF_GROUPS)
            )
        if what == "background" and "background_positions" in needs:
            return True
        return what in needs or ("target" in needs and what == self.target_of)


def settle(measures: Any, sources: Sources, choices: Choices) -> Plan:
    """Decide what is computed. Raises UsageError or InputError where things do not fit together."""
    terms = None if sources.groups is None else loading.terms(sources.groups)
    labels = None if sources.labels is None else loading.labels(sources.labels, sources.qrels)
    positions = None if sources.positions is None else loading.positions(sources.positions)
    groups = labels.groups if labels is not None else _groups(terms, sources.annotations)
    counted = _made(terms, sources, choices)
    named = _measures(measures, sources, groups, choices)
    asked = [one for measure in named for one in (measure.expanded(groups) if groups else (measure,))]
    for measure in asked:
        _refuse_unfit(measure, sources.inputs, groups, choices)
    target, target_of, targets = _target(choices.target, groups, sources.inputs) if groups else (None, None, None)
    if labels is not None and any(OF_DOCUMENTS & set(measure.needs) for measure in asked):
        loading.refuse_soft(labels)
    lexicon = None
    notes = []
    if terms is not None and sources.docs is not None:
        from fairtrec.annotate.counter import Lexicon

        lexicon = Lexicon.of(terms, choices.tokenizer or "strip", case_sensitive=bool(choices.case_sensitive))
        if lexicon.shared:
            shown = ", ".join(lexicon.shared[:5]) + (", ..." if len(lexicon.shared) > 5 else "")
            notes.append(f"in the list of more than one group, so counted for each: {shown}")
    return Plan(tuple(asked), target, target_of, targets, labels, positions, terms, lexicon, counted, tuple(notes))


def _groups(terms: GroupTerms | None, annotations: Any) -> tuple[str, ...]:
    if annotations is None:
        return () if terms is None else terms.groups
    groups = loading.groups_of(annotations)
    if terms is not None and terms.groups != groups:
        both = f"the counts are of the groups {', '.join(groups)}, the list {terms.name} has {', '.join(terms.groups)}"
        path = fspath(annotations) if loading.is_path(annotations) else None
        raise InputError(f"{both}; leave out --groups, or give counts made with it", path)
    return groups


def _made(terms: GroupTerms | None, sources: Sources, choices: Choices) -> "Meta | None":
    """Tell how counts were made. Raises InputError if that is not how they are asked for."""
    if not loading.is_path(sources.annotations):
        return None
    meta = loading.meta(sources.annotations)
    options = {"--groups": terms, "--tokenizer": choices.tokenizer, "--case-sensitive": choices.case_sensitive}
    for option, asked in options.items():
        if meta is None and asked is not None:
            raise UsageError(f"these counts do not say how they were made, so {option} cannot be checked; leave it out")
    loading.refuse_other(meta, sources.annotations, terms, choices.tokenizer, choices.case_sensitive)
    return meta


def _refuse_unfit(measure: Measure, inputs: frozenset[str], groups: tuple[str, ...], choices: Choices) -> None:
    """Raise UsageError if a measure lacks an input, or does not go with the groups or the choices."""
    for need in sorted(measure.needs, key="ranked".__eq__):  # which the others say more plainly
        if need in OPTIONS and need not in inputs:
            what, option = OPTIONS[need]
            raise UsageError(f"{measure} needs {what}; give {option}")
        if not hasattr(Inputs, need) and need not in OPTIONS:
            raise UsageError(f"{measure} asks for {need}, which there is not; it has a fault, report it to its authors")
    measure.check(groups)
    of_counts = OF_DOCUMENTS | ({"membership", "judged_membership"} if "log_counts" in inputs else set())
    if choices.missing == "worst" and of_counts & set(measure.needs) and not measure.worst_known:
        raise UsageError(f"{measure} knows no worst document; choose --missing error, neutral or skip")


def _measures(measures: Any, sources: Sources, groups: tuple[str, ...], choices: Choices) -> list[Measure]:
    several = list(measures) if isinstance(measures, list | tuple | set) else [measures]
    if measures is None:
        given = " ".join(names for need, names in DEFAULTS if need in sources.inputs)
        asked = registry.parse(given, choices.relevance_level)
        several = [one for one in asked if _fits(one, sources, groups, choices)]
        if not several:
            raise UsageError("there is nothing to measure; give a qrels file, or --groups LIST with --docs COLLECTION")
    parsed: list[Measure] = []
    for each in several:  # a measure of ir-measures spells itself as we read it
        parsed += [each] if isinstance(each, Measure) else registry.parse(str(each), choices.relevance_level)
    if not parsed:
        raise UsageError("no measure was named; like -m 'nDCG@10 NFaiRR@10'")
    return list({str(measure): measure for measure in parsed}.values())


def _fits(measure: Measure, sources: Sources, groups: tuple[str, ...], choices: Choices) -> bool:
    """Tell whether a default measure goes with what was given: those of words with words, AWRF with labels."""
    try:
        _refuse_unfit(measure, sources.inputs, groups, choices)
    except UsageError:
        return False
    needs = set(measure.needs)
    return not (OF_DOCUMENTS & needs if sources.labels is not None else "membership" in needs)


Shares = tuple[Floats | None, TargetOf | None, Mapping[str, Floats] | None]


def _target(target: Target, groups: tuple[str, ...], inputs: frozenset[str]) -> Shares:
    """Settle the wanted shares: the same for all, taken from documents, or one for each query.

    Raises UsageError where they make no sense.
    """
    if target == "even":
        return distribution.even(len(groups)), None, None
    if isinstance(target, str) and "=" not in target:
        if target not in get_args(TargetOf):
            if loading.is_file(target):
                return None, None, loading.targets(target, groups)
            words = ", ".join(get_args(TargetOf))
            raise UsageError(f"the target {target!r} is not known; choose one of even, {words}, a file, or f=0.4,m=0.6")
        needed = "relevance" if target == "qrels" else target
        if needed not in inputs:
            raise UsageError(f"the target {target} needs {OPTIONS[needed][0]}; give {OPTIONS[needed][1]}")
        return None, cast("TargetOf", target), None
    try:
        pairs = [pair.split("=") for pair in target.split(",")] if isinstance(target, str) else list(target.items())
        shares = {str(group).strip(): float(share) for group, share in pairs}
    except ValueError:
        raise UsageError(f"cannot read the target {target!r}; write it like f=0.4,m=0.6") from None
    if len(pairs) > len(shares):
        raise UsageError(f"the target {target} names a group twice; keep one")
    if set(shares) != set(groups):
        raise UsageError(f"the target names the groups {', '.join(shares)}; name each of {', '.join(groups)}")
    values = np.array([shares[group] for group in groups])
    if not distribution.sums_to_one(values):
        raise UsageError(f"the target's shares sum to {values.sum():g}; they must be 0 or more and sum to 1")
    return values, None, None

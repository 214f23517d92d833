"""What is to be computed from what was given, settled before anything large is read.

So a measure that lacks an input, a target that does not sum to 1 or a group that there is not is refused at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from os import fspath
from typing import Any, Literal, cast

import numpy as np

from fairtrec import distribution, loading, registry
from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.tokens import Tokenizer
from fairtrec.data import Floats, GroupTerms
from fairtrec.errors import InputError, UsageError
from fairtrec.formats.run import ScoreType
from fairtrec.inputs import OF_DOCUMENTS, OPTIONS, Missing, TargetOf
from fairtrec.measure import Measure
from fairtrec.order import Order

Target = str | Mapping[str, float]
DEFAULTS = (("relevance", "nDCG@10 RR@10"), ("counts", "ARaB@10 TExFAIR@10"), ("background", "NFaiRR@10"))


@dataclass(frozen=True, eq=False)
class Sources:
    """What the caller gave beside the runs: paths, names or objects; None is not given."""

    qrels: Any = None
    groups: Any = None
    docs: Any = None
    annotations: Any = None
    queries: Any = None
    background: Any = None

    def __post_init__(self) -> None:
        if self.docs is not None and self.annotations is not None:
            raise UsageError("both texts and counts were given; leave out --docs or --annotations")
        if self.docs is not None and self.groups is None:
            raise UsageError("texts were given, but no words to look for; give --groups LIST")
        if self.whole and self.annotations is None:
            raise UsageError("--background collection needs the counts of the collection; give --annotations FILE")

    @property
    def whole(self) -> bool:
        """Whether the background is the whole collection."""
        return isinstance(self.background, str) and self.background == "collection"

    @property
    def inputs(self) -> frozenset[str]:
        """The inputs of measures that can be made from this."""
        counted = self.docs is not None or self.annotations is not None
        makes = {
            "relevance": self.qrels is not None,
            "log_counts": self.docs is not None,
            "collection": self.annotations is not None,
            "background": counted and self.background is not None,
        }
        makes |= dict.fromkeys(("counts", "tokens", "groups", "target"), counted)
        return frozenset(name for name, can in makes.items() if can) | {"ranked"}


@dataclass(frozen=True)
class Choices:
    """The options of an evaluation; each is also one of ``fairtrec eval``, whose help says what it does."""

    background_depth: int = 200
    target: Target = "even"
    tokenizer: Tokenizer = "strip"
    case_sensitive: bool = False
    missing: Missing = "error"
    order: Order = "score"
    score_dtype: ScoreType = "float64"
    depth: int | None = None
    relevance_level: int | None = None
    complete: bool = False

    def __post_init__(self) -> None:
        for name in ("depth", "background_depth", "relevance_level"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(f"the {name.replace('_', ' ')} is {number}; it must be 1 or more")


@dataclass(frozen=True)
class Plan:
    """The measures, one for each group where they ask for that, and what they compare with."""

    measures: tuple[Measure, ...]
    target: Floats | None
    target_of: TargetOf | None
    terms: GroupTerms | None
    lexicon: Lexicon | None
    notes: tuple[str, ...]

    def uses(self, what: Literal["documents", "background", "collection"]) -> bool:
        """Tell whether any measure, or the target, looks at this."""
        needs = {need for measure in self.measures for need in measure.needs}
        if what == "documents":
            return bool(needs & {"target", *OF_DOCUMENTS})
        return what in needs or ("target" in needs and what == self.target_of)


def settle(measures: Any, sources: Sources, choices: Choices) -> Plan:
    """Decide what is computed. Raises UsageError or InputError where things do not fit together."""
    terms = None if sources.groups is None else loading.terms(sources.groups)
    groups = _groups(terms, sources.annotations)
    asked = [one for measure in _measures(measures, sources.inputs, choices) for one in measure.expanded(groups)]
    for measure in asked:
        for need in measure.needs:
            if need in OPTIONS and need not in sources.inputs:
                what, option = OPTIONS[need]
                raise UsageError(f"{measure} needs {what}; give {option}")
        measure.check(groups)
        if choices.missing == "worst" and OF_DOCUMENTS & set(measure.needs) and not measure.worst_known:
            raise UsageError(f"{measure} knows no worst document; choose --missing error, neutral or skip")
    target, target_of = _target(choices.target, groups, sources.inputs) if groups else (None, None)
    lexicon = None
    notes = []
    if terms is not None and sources.docs is not None:
        lexicon = Lexicon.of(terms, choices.tokenizer, case_sensitive=choices.case_sensitive)
        if lexicon.shared:
            shown = ", ".join(lexicon.shared[:5]) + (", ..." if len(lexicon.shared) > 5 else "")
            notes.append(f"in the list of more than one group, so counted for each: {shown}")
    return Plan(tuple(asked), target, target_of, terms, lexicon, tuple(notes))


def _groups(terms: GroupTerms | None, annotations: Any) -> tuple[str, ...]:
    if annotations is None:
        return () if terms is None else terms.groups
    groups = loading.groups_of(annotations)
    if terms is not None and terms.groups != groups:
        both = f"the counts are of the groups {', '.join(groups)}, the list {terms.name} has {', '.join(terms.groups)}"
        path = fspath(annotations) if loading.is_path(annotations) else None
        raise InputError(f"{both}; leave out --groups, or give counts made with it", path)
    return groups


def _measures(measures: Any, inputs: frozenset[str], choices: Choices) -> list[Measure]:
    if measures is None:
        measures = [names for need, names in DEFAULTS if need in inputs]
        if not measures:
            raise UsageError("there is nothing to measure; give a qrels file, or --groups LIST with --docs COLLECTION")
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    level = choices.relevance_level
    parsed = [one for each in several for one in ([each] if isinstance(each, Measure) else registry.parse(each, level))]
    if not parsed:
        raise UsageError("no measure was named; like -m 'nDCG@10 NFaiRR@10'")
    return list({str(measure): measure for measure in parsed}.values())


def _target(target: Target, groups: tuple[str, ...], inputs: frozenset[str]) -> tuple[Floats | None, TargetOf | None]:
    """Settle the wanted shares, or what they are to be taken from. Raises UsageError where they make no sense."""
    if target == "even":
        return distribution.even(len(groups)), None
    if isinstance(target, str) and "=" not in target:
        needed = {"background": "background", "collection": "collection", "qrels": "relevance"}.get(target)
        if needed is None:
            raise UsageError(f"the target {target!r} is none of even, background, collection, qrels, f=0.4,m=0.6")
        if needed not in inputs:
            raise UsageError(f"the target {target} needs {OPTIONS[needed][0]}; give {OPTIONS[needed][1]}")
        return None, cast("TargetOf", target)
    try:
        pairs = [pair.split("=") for pair in target.split(",")] if isinstance(target, str) else list(target.items())
        shares = {str(group).strip(): float(share) for group, share in pairs}
    except ValueError:
        raise UsageError(f"cannot read the target {target!r}; write it like f=0.4,m=0.6") from None
    if set(shares) != set(groups):
        raise UsageError(f"the target names the groups {', '.join(shares)}; name each of {', '.join(groups)}")
    values = np.array([shares[group] for group in groups])
    if not (np.all(values >= 0) and abs(values.sum() - 1) < 1e-9):
        raise UsageError(f"the target's shares sum to {values.sum():g}; they must be 0 or more and sum to 1")
    return values, None

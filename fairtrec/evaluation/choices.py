"""The options of an evaluation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args, get_origin, get_type_hints

from fairtrec.errors import UsageError
from fairtrec.literals import Missing, Order, Rule, RunFormat, ScoreType, Tokenizer, Undefined

Target = str | Mapping[str, float]


class ChoiceKeywords(TypedDict, total=False):
    """The fields of Choices, as keywords of ``evaluate``."""

    background_depth: int
    target: Target
    tokenizer: Tokenizer | None
    case_sensitive: bool | None
    missing: Missing
    order: Order
    score_dtype: ScoreType
    run_format: RunFormat
    depth: int | None
    relevance_level: int | None
    complete: bool
    samples: bool
    rule: Rule
    ties: bool
    group: str | Sequence[str] | None
    undefined: Undefined
    unknown: bool | Literal["next"]
    prior: Target


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
    run_format: RunFormat = "auto"
    depth: int | None = None
    relevance_level: int | None = None
    complete: bool = False
    samples: bool = False
    rule: Rule = "share"
    ties: bool = False
    group: str | Sequence[str] | None = None  # those of the labels that count; all
    undefined: Undefined = "skip"
    unknown: bool | Literal["next"] = False  # next: tell, too, which document to label next
    prior: Target = "even"  # of the groups of unknown documents

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            value, what = getattr(self, name), f"the {name.replace('_', ' ')}"
            words = next((get_args(one) for one in (hint, *get_args(hint)) if get_origin(one) is Literal), ())
            if words and value not in words and value is not None and not isinstance(value, bool):
                raise UsageError(f"{what} {value!r} is not known; choose one of {', '.join(words)}")
            if hint in (int, int | None) and value is not None:
                if not isinstance(value, int) or isinstance(value, bool):
                    raise UsageError(f"{what} is {value!r}; it must be a whole number")
                if value < 1:
                    raise UsageError(f"{what} is {value}; it must be 1 or more")
        if self.ties and (self.samples or self.order != "score"):
            other = "samples" if self.samples else f"order {self.order}"
            raise UsageError(f"ties are looked for among the scores of one ranking; leave out --ties, or --{other}")
        if self.unknown or self.missing == "bounds" or self.prior != "even":
            self._refuse_bounds()
        for name in ("target", "prior"):
            shares = getattr(self, name)
            if not isinstance(shares, str | Mapping):
                raise UsageError(f"the {name} is {shares!r}; it must be a word, or shares like f=0.4,m=0.6")

    @property
    def of_whole_rankings(self) -> bool:
        """Whether all of a ranking is read, whatever ranks the measures read."""
        return self.missing == "skip" or (bool(self.unknown) and self.prior == "known")

    def _refuse_bounds(self) -> None:
        """Refuse what bounds over labels or texts do not go with."""
        other = "ties" if self.ties else "samples"
        if self.unknown and (self.ties or self.samples):
            what = "--unknown looks at all labellings of one ranking, one at a time"
            raise UsageError(f"{what}; leave out --unknown, or --{other}")
        if self.unknown and self.group is not None:
            what = "with --group documents of other groups look as if nobody knew theirs"
            raise UsageError(f"{what}; leave out --unknown, or --group")
        if self.missing == "bounds" and (self.ties or self.samples):
            what = "--missing bounds looks at all texts of one ranking, one at a time"
            raise UsageError(f"{what}; leave out --{other}, or choose another")
        if self.prior != "even" and not self.unknown:
            what = "--prior says how likely the groups of unknown documents are"
            raise UsageError(f"{what}; add --unknown, or leave it out")


def unknown(name: str, known: Iterable[str]) -> UsageError:
    """Say that there is no such option, and which of the known ones may be meant."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
    return UsageError(f"there is no option {name}{hint}")

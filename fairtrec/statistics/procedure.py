"""How runs are compared: which test, which interval, which correction."""

from dataclasses import dataclass
from typing import TypedDict, get_args

from fairtrec.support.errors import UsageError
from fairtrec.support.literals import Correction, Method, Test

SCANTY = 30  # queries; of 15 normal differences, a bootstrap of 95 % confidence errs in 9 of 100 cases
FEWEST, MOST = 100, 1_000_000  # resamples; fewer have no tails, more are a slip of the keyboard, and would cost memory


class ProcedureKeywords(TypedDict, total=False):
    """The fields of Procedure."""

    test: Test
    correction: Correction
    interval: Method
    confidence: float
    equivalence: float | None
    resamples: int
    seed: int


@dataclass(frozen=True)
class Procedure:
    """How runs are compared; a difference is shown where the corrected p is at most 1 - ``confidence``.

    ``equivalence`` is the margin within which a difference does not matter: None asks for no such test.
    """

    test: Test = "t"
    correction: Correction = "holm"
    interval: Method = "t"
    confidence: float = 0.95
    equivalence: float | None = None
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        for field, kind in (("test", Test), ("correction", Correction), ("interval", Method)):
            if getattr(self, field) not in get_args(kind):
                raise UsageError(f"{field} is {getattr(self, field)!r}; it is one of {', '.join(get_args(kind))}")
        if not isinstance(self.confidence, int | float) or not 0 < self.confidence < 1:
            raise UsageError(f"the confidence is {self.confidence!r}; it lies between 0 and 1, like 0.95")
        if self.equivalence is not None and not 0 < self.equivalence < float("inf"):
            raise UsageError(f"the margin of equivalence is {self.equivalence}; it is above 0, like 0.01")
        if not FEWEST <= self.resamples <= MOST:
            raise UsageError(f"{self.resamples} resamples were asked for; {FEWEST} to {MOST} are possible")
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}; it is 0 or more")

    @property
    def alpha(self) -> float:
        """The corrected p from which a difference is shown."""
        return round(1 - self.confidence, 12)

    @property
    def percent(self) -> str:
        """The confidence as reports write it, with the digits that tell it from 100%."""
        return f"{100 * self.confidence:.15g}%"

    @property
    def draws(self) -> bool:
        """Whether anything is drawn at random."""
        return self.test in ("randomization", "bootstrap") or self.interval != "t" or self.correction == "tukey"

    @property
    def choices(self) -> dict[str, str]:
        """The choices that change a number, as a signature names them; an empty one plays no part."""
        return {
            "test": self.test,
            "correction": self.correction,
            "interval": f"{self.interval}/{float(self.confidence)}",
            "equivalence": "" if self.equivalence is None else f"{self.equivalence:g}",
            "resamples": str(self.resamples) if self.draws else "",
            "seed": str(self.seed) if self.draws else "",
        }

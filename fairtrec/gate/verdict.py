"""What a gate goes by, and what it says: a verdict, and the evidence behind it."""

from dataclasses import dataclass
from typing import Literal, get_args

from fairtrec.errors import UsageError
from fairtrec.gate.requirement import Requirement
from fairtrec.literals import FailOn

Status = Literal["passed", "warning", "undecided", "failed"]
STATUSES: tuple[Status, ...] = ("passed", "warning", "undecided", "failed")  # the worse, the later
LEAST = 0.0001  # alpha; of less, no data of a few queries say anything


@dataclass(frozen=True)
class Evidence:
    """How a run's mean differs from the baseline's (times the factor of the requirement), over the queries of both."""

    baseline: float
    difference: float
    low: float
    high: float
    tolerance: float
    detectable: float  # the smallest true difference that is found with a power of 80 %
    nonzero: int  # queries whose difference is not 0


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
    """Whether a run meets a requirement, on all queries or on those of a slice, and why not."""

    requirement: Requirement
    run: str
    status: Status
    reason: str
    value: float
    bound: float
    defined: int  # the queries behind the value
    queries: int  # of the run, or of the slice
    interval: tuple[float, float] | None = None  # of the mean; None for a relative requirement, which has evidence
    slice: str | None = None
    evidence: Evidence | None = None
    ends: tuple[float, float] | None = None  # of the mean, over all labellings, where groups are unknown
    label: ToLabel | None = None  # what leaves it undecided


@dataclass(frozen=True)
class Gate:
    """How much evidence it takes: the intervals are of confidence 1 - alpha.

    ``strict``   fails on the difference itself, whatever its interval.
    ``prove``    passes only where the whole interval lies on the right side of the bound (non-inferiority).
    ``fail_on``  says whether a warning is a failure.
    """

    alpha: float = 0.05
    strict: bool = False
    prove: bool = False
    fail_on: FailOn = "failed"

    def __post_init__(self) -> None:
        if not LEAST <= self.alpha < 1:
            raise UsageError(f"alpha is {self.alpha}; it lies between {LEAST} and 1, like 0.05")
        if self.fail_on not in get_args(FailOn):
            raise UsageError(f"fail_on is {self.fail_on!r}; it is one of {', '.join(get_args(FailOn))}")

    def fails(self, status: Status) -> bool:
        """Tell whether a status closes the gate."""
        return status in ("failed", "undecided", self.fail_on)

    def among(self, slices: int) -> float:
        """Give the alpha of each of so many slices, one of which is enough to fail (Bonferroni).

        To prove something of all of them takes no correction: each has to pass.
        """
        return self.alpha if self.prove else self.alpha / max(slices, 1)


USUAL = Gate()

"""What a measure is: a frozen dataclass of parameters that can be called on its inputs and can spell itself.

``__call__`` names its inputs, as a pytest test names its fixtures (inputs.py lists the names), and returns one value
for each query, nan where there is none. The docstring of the class is its page in the documentation.
"""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from fairtrec.data import Floats
from fairtrec.errors import UsageError
from fairtrec.ties import Terms

DEEPEST = 1_000_000  # ranks; a cutoff beyond is a slip of the keyboard, and would cost memory
Better = Literal["higher", "lower", "nearer 0", "neither"]


@dataclass(frozen=True)
class Measure:
    """The base of all measures; a subclass adds parameters as fields, and ``__call__``.

    ``better`` says which values are good. ``total`` says that a run's value is the sum over queries, not the mean.
    ``ordered`` says that the order of the ranked documents matters, not only which they are.
    ``worst_known`` says that the measure has a value for the worst document there can be (``--missing worst``).
    """

    better: ClassVar[Better] = "higher"
    total: ClassVar[bool] = False
    ordered: ClassVar[bool] = True
    worst_known: ClassVar[bool] = False

    def __post_init__(self) -> None:
        cutoff = getattr(self, "cutoff", None)
        if cutoff is not None and not 1 <= cutoff <= DEEPEST:
            raise UsageError(f"{self.name}: the cutoff is {cutoff}; ranks count from 1, to {DEEPEST} at most")

    def __call__(self, *args: Any, **inputs: Any) -> Floats:  # noqa: ARG002 - for subclasses
        """Compute one value per query from the inputs that the signature names."""
        raise TypeError(f"{self.name} does not say how it is computed; give it a __call__")

    def over_ranks(self, *args: Any, **inputs: Any) -> Terms | None:  # noqa: ARG002 - for subclasses
        """Say what is made of the ranks, where that gives a value over all orders of tied documents in closed form.

        Takes what ``__call__`` takes, of which the inputs of ranks go on to the end of what is tied with the last.
        """
        return None

    def remark(self, *args: Any, **inputs: Any) -> str:  # noqa: ARG002 - for subclasses
        """Say what a reader of the numbers should know, or nothing.

        Names its inputs as ``__call__`` does, and may name ``values``, what that has returned.
        """
        return ""

    @property
    def name(self) -> str:
        """The name that a user types."""
        return type(self).__name__

    @property
    def depth(self) -> int | None:
        """How many ranks the measure reads; None is all."""
        return getattr(self, "cutoff", None)

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs without which there is no value."""
        return _named(type(self).__call__)

    @property
    def remarks_on(self) -> tuple[str, ...]:
        """The names of the inputs that ``remark`` reads."""
        return _named(type(self).remark)

    def expanded(self, groups: Sequence[str]) -> "tuple[Measure, ...]":  # noqa: ARG002 - for subclasses
        """Give the measures that stand for this one: itself, or one for each group."""
        return (self,)

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError if the measure does not fit these groups; called before anything large is read."""

    def __str__(self) -> str:
        fields = [f for f in dataclasses.fields(self) if f.name != "cutoff" and getattr(self, f.name) != f.default]
        inside = ",".join(f"{field.name}={spelled(getattr(self, field.name))}" for field in fields)
        cutoff = "" if self.depth is None else f"@{self.depth}"
        return f"{self.name}{f'({inside})' if inside else ''}{cutoff}"


def badness(values: Floats, better: Better) -> Floats:
    """Turn values so that less is better; of a measure without a direction, so that they fall.

    >>> badness(np.array([0.25, -0.5]), "higher").tolist(), badness(np.array([0.25, -0.5]), "nearer 0").tolist()
    ([-0.25, 0.5], [0.25, 0.5])
    """
    return values if better == "lower" else np.abs(values) if better == "nearer 0" else -values


@cache
def _named(method: Callable[..., Any]) -> tuple[str, ...]:
    _, *parameters = inspect.signature(method).parameters.values()
    return tuple(p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))


def spelled(value: Any) -> str:
    """Write a parameter's value as the notation of measures has it.

    >>> spelled(0.5), spelled(True), spelled("tf")
    ('0.5', 'True', "'tf'")
    """
    if not isinstance(value, str):
        return repr(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"

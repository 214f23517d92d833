"""Measures at several cutoffs: a list of cutoffs, each measure at all of them, and its name without one."""

from collections.abc import Sequence
from dataclasses import fields, replace

from fairtrec.data.parameters import DEEPEST, Parameters
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import registry
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import UsageError

MOST = 1000  # cutoffs at once


def parse_at_cutoffs(measures: Sequence[str], cutoffs: str, level: int | None) -> list[Measure]:
    """Read measures, each at every cutoff. Raises UsageError where there is none, or it can have none."""
    if not measures:
        raise UsageError("--cutoffs varies the cutoff of measures; choose them, like -m 'nDCG NFaiRR'")
    if registry.ALL_FAIR in " ".join(measures).lower():
        raise UsageError(f"--cutoffs needs a list of measures; write it instead of {registry.ALL_FAIR}")
    return expand_cutoffs(registry.parse(" ".join(measures), level), read_cutoffs(cutoffs))


def read_cutoffs(text: str) -> list[int]:
    """Read cutoffs like ``1,5,10`` or ``1-100``, rising.

    >>> read_cutoffs("5,1-3")
    [1, 2, 3, 5]
    """
    cutoffs: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() if dash else True)) or len(first) + len(last) > 14:
            raise UsageError(f"cannot read the cutoffs {text!r}; write them like 1,5,10 or 1-100")
        low, high = int(first), int(last or first)
        if not 1 <= low <= high <= DEEPEST:
            raise UsageError(f"the cutoffs {part.strip()} are not from 1 to {DEEPEST}, rising; correct them")
        if high - low >= MOST:
            raise UsageError(f"{high - low + 1} cutoffs are too many; the maximum is {MOST}")
        cutoffs.update(range(low, high + 1))
    if len(cutoffs) > MOST:
        raise UsageError(f"{len(cutoffs)} cutoffs are too many; the maximum is {MOST}")
    return sorted(cutoffs)


def expand_cutoffs(measures: Sequence[Measure], cutoffs: Sequence[int]) -> list[Measure]:
    """Give each measure at every cutoff. Raises UsageError for one that can have none."""
    return list(dict.fromkeys(_at(measure, cutoff) for measure in measures for cutoff in cutoffs))


def _at(measure: Measure, cutoff: int) -> Measure:
    if isinstance(measure, Utility):
        if measure.is_plain or "cutoff" in measure.measure.SUPPORTED_PARAMS:
            return replace(
                measure, measure=measure.measure @ cutoff, trec=""
            )  # exact: no product but a measure at a cutoff
    elif "cutoff" in {field.name for field in fields(measure)}:
        return replace(measure, cutoff=cutoff)  # type: ignore[call-arg]  # which it has
    raise _uncut(measure)


def family(measure: Parameters) -> str:
    """Spell a measure without its cutoff, as the same one at all of them."""
    return str(measure).removesuffix(f"@{find_cutoff(measure)}")


def find_cutoff(measure: Parameters) -> int:
    """Give the cutoff of a measure. Raises UsageError if it has none."""
    cutoff: int | None = getattr(measure, "cutoff", None)
    if cutoff is None:
        raise _uncut(measure)
    return cutoff


def _uncut(measure: Parameters) -> UsageError:
    return UsageError(f"{measure} has no cutoff to vary; leave it out")

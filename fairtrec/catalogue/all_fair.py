"""``all_fair``: every measure of fairness for which the inputs are given, and a remark on those that are left out."""

from collections.abc import Callable, Sequence

from fairtrec.catalogue import notation, registry
from fairtrec.errors import UsageError
from fairtrec.measure import Measure

_FADES = {  # the measures of attention, and how it fades where no parameter says so
    **dict.fromkeys(("AWRF", "AWRFxnDCG", "Exposure", "DP", "DTR", "DIR"), "log2"),
    **dict.fromkeys(("EED", "EER", "EEL", "ABR"), "geometric"),
}
_WRITTEN = {
    "log2": "1/log2(1+i)",
    "log2_clipped": "1/log2(max(i,2))",
    "geometric": "{p}^(i-1)",
    "given": "as given",
    "err": "{p}^(i-1), less behind relevant documents",
}


def allowed(
    text: str, relevance_level: int | None, refuse: Callable[[Measure], None]
) -> tuple[list[Measure], list[str]]:
    """Read measures, of ``all_fair`` those that go with the inputs. Raises UsageError where none does.

    ``refuse`` raises UsageError for a measure that does not. The second that is returned is the remark, if there is
    something to say.
    """
    found: list[Measure] = []
    lacking: dict[str, list[str]] = {}
    for written in notation.read(text):
        several = registry.parse(written.spelled, relevance_level)
        if registry.is_all_fair(written.name):
            several = [measure for measure in several if _passes(measure, refuse, lacking)]
            if not several:
                raise UsageError(f"{registry.ALL_FAIR} finds nothing to measure; give --labels FILE, or --terms LIST")
        found += several
    said = [f"{', '.join(names)} ({why})" for why, names in lacking.items()]
    return found, [f"{registry.ALL_FAIR} leaves out {'; '.join(said)}"] if said else []


def _passes(measure: Measure, refuse: Callable[[Measure], None], lacking: dict[str, list[str]]) -> bool:
    try:
        refuse(measure)
    except UsageError as fault:
        why = str(fault).partition(";")[0].removeprefix(str(measure)).lstrip(": ")
        lacking.setdefault(why, []).append(str(measure))
        return False
    return True


def attention_of(measures: Sequence[Measure]) -> str:
    """Say how attention fades with the rank, where measures differ in that; "" where they do not."""
    models: dict[str, dict[str, None]] = {}
    for measure in measures:
        if measure.name in _FADES:
            model = str(getattr(measure, "discount", _FADES[measure.name]))
            models.setdefault(_WRITTEN[model].format(p=getattr(measure, "p", "")), {})[measure.name] = None
    said = "; ".join(f"{', '.join(names)} {model}" for model, names in models.items())
    return f"attention fades with the rank i as each source has it: {said}" if len(models) > 1 else ""

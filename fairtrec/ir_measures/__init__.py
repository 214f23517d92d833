"""Our measures in ir_measures and PyTerrier. Importing this module registers them; see docs/ir-measures.md.

import fairtrec.ir_measures as fair
gender = fair.given("gender", terms="gender-en", docs=texts, background=bm25)
ir_measures.calc_aggregate([nDCG @ 10, gender.NFaiRR @ 10], qrels, run)
"""

from typing import Any

import ir_measures
from ir_measures import providers

from fairtrec.ir_measures.bound_measures import OURS, Bound, FairMeasure, given, is_ours
from fairtrec.ir_measures.provider import FairProvider, RelevanceProvider
from fairtrec.measures.catalogue import notation, registry
from fairtrec.measures.utility import Utility
from fairtrec.support.errors import UsageError

__all__ = ["Bound", "FairMeasure", "given", "parse"]


def parse(text: str) -> list[ir_measures.Measure]:
    """Parse measures, ours and those of ir_measures: ``nDCG@10 NFaiRR(given=gender)@10``.

    White space or commas separate them.

    Raises:
        UsageError: an unknown name or parameter, or a text that is no measure.
    """
    found: list[Any] = []
    for name, params, cutoff, spelled in notation.read(text):
        meant = name if is_ours(name) else registry.find_proper_name(name) or name
        if registry.is_all_fair(name):
            raise UsageError(f"{spelled} is what the inputs allow, which are not known here; name the measures")
        if cutoff is not None and "cutoff" in params:
            raise UsageError(f"{spelled}: the parameter cutoff is given twice; leave out one of the two")
        if is_ours(meant):
            found.append(FairMeasure(meant, **params, **({} if cutoff is None else {"cutoff": cutoff})))
            continue
        for each in registry.parse(spelled):
            if each.of_pool:
                raise UsageError(
                    f"{spelled} is over all queries and has no value of one; `fairtrec eval --pool` has it"
                )
            if not isinstance(each, Utility):
                raise UsageError(f"{spelled} is a measure of sequences of rankings; `fairtrec trec-fair-2019` has it")
            found.append(each.ir_measure)
    return found


def __getattr__(name: str) -> FairMeasure:
    """Give a measure by its name, ours or a plug-in's: ``fair.NFaiRR``."""
    if name.startswith("_") or not is_ours(name):
        raise AttributeError(f"module 'fairtrec.ir_measures' has no attribute {name!r}")
    return FairMeasure(name)


def __dir__() -> list[str]:
    return [*__all__, *OURS]


for _name in OURS:
    if _name not in ir_measures.measures.registry:  # what ir_measures has come to call so is its own
        ir_measures.measures.register(FairMeasure(_name), name=_name)
ir_measures.DefaultPipeline.providers.insert(0, providers.register(FairProvider()))  # type: ignore[no-untyped-call]
ir_measures.DefaultPipeline.providers.append(providers.register(RelevanceProvider()))  # type: ignore[no-untyped-call]

"""The methods paragraph of a study: what was computed, with which settings, and where it is described."""

from collections.abc import Iterator, Mapping, Sequence

from fairtrec.cli.performing import CommandAnswer, StudyPart
from fairtrec.evaluation.answers import Signature
from fairtrec.measure import Measure
from fairtrec.measures.catalogue import docstrings
from fairtrec.measures.utility import split_relevance
from fairtrec.support.version import __version__


def describe_methods(
    done: Mapping[str, CommandAnswer], about: Mapping[str, StudyPart], measures: Sequence[Measure]
) -> Iterator[str]:
    """Describe what was done, one sentence or source at a time."""
    main = done["eval"].record
    runs = len(main["runs"])
    yield f"{runs} {'run was' if runs == 1 else 'runs were'} evaluated with fairtrec {__version__}."
    for name, answer in done.items():
        yield about[name].method
        document = answer.lay_out(4) if name == "compare" else None
        if document is not None:
            yield from (f"{sign[0].upper()}{sign[1:]}." for sign in document.signs if sign.startswith("difference"))
    settings = Signature.read(main["signature"])
    shown = "; ".join(f"{name} {value}" for name, value in settings.items() if name != "fairtrec")
    yield f"Settings and contents: {shown}."
    relevance, others = split_relevance(measures)
    for kind in dict.fromkeys(map(type, others)):
        source = docstrings.part(kind, "Source")
        yield f"{kind.__name__}: {docstrings.read_question(kind)}" + (f" Source: {source}." if source else "")
    if relevance:
        names = ", ".join(map(str, relevance))
        yield f"{names}: relevance, as ir-measures and trec_eval define it."

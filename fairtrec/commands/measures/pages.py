"""The pages of the measures, made from their classes, and BibTeX of the papers that they name as their source."""

import inspect
import re
from collections.abc import Iterator

from fairtrec.evaluation.given import find_input
from fairtrec.evaluation.given.given_rows import Input
from fairtrec.measure import Measure
from fairtrec.measures import BUILT_IN
from fairtrec.measures.catalogue import notation, registry, relevance
from fairtrec.measures.catalogue.docstrings import part, read_docstring, read_question, refuse_dropped
from fairtrec.measures.catalogue.needs import OF_DOCUMENTS
from fairtrec.measures.catalogue.other_names import find_answer
from fairtrec.measures.utility import COMPUTED, SAYS, Utility
from fairtrec.support.errors import UsageError
from fairtrec.support.version import __version__


def needs(kind: type[Measure]) -> str:
    """Name the inputs of a measure with default parameters that a user has to give."""
    named = [need.name if need.word is None else need.word for need in _asked(kind)]
    words = dict.fromkeys(word for each in named for word in each.split(", ") if word)
    return ", ".join(word for word in words if word != "counts" or "texts" not in words)


def list_needs(kind: type[Measure]) -> list[str]:
    """List the inputs of a measure with default parameters, each with the options that give it."""
    options: dict[str, str] = {}
    for need in _asked(kind):
        options.setdefault(need.give, need.missing)
    return [f"{what}: {option}" for option, what in options.items()]


def _asked(kind: type[Measure]) -> list[Input]:
    """List the inputs that need an option; whatever looks at documents needs counts first."""
    wanted = kind().needs
    if "group_sizes" in wanted:  # which say of all documents who is of which group
        wanted = tuple(need for need in wanted if need not in ("membership", "groups"))
    first = ["counts"] if OF_DOCUMENTS.intersection(wanted) else []
    asked = (find_input(name) for name in dict.fromkeys([*first, *wanted]) if name != "ranked")
    return [need for need in asked if need is not None]


def overview() -> str:
    """List every measure: its question, and below direction, needs and range."""
    ours = [(name, registry.find(name)) for name in [*BUILT_IN, *registry.plugins(Measure)]]
    width = max(len(name) for name, _ in ours)
    lines = ["measure".ljust(width) + "  question", " " * width + "  better; needs; range"]
    for name, kind in ours:
        if kind is not None:
            facts = (kind.better, needs(kind) or "runs only", part(kind, "Range").split(". ")[0].split("; ")[0])
            lines += [f"{name.ljust(width)}  {read_question(kind)}", f"{' ' * width}  {'; '.join(facts)}"]
    theirs = sorted(registry.list_foreign_names(), key=str.lower)
    of = (
        "ir-measures"
        if relevance.is_installed()
        else "those of ir-measures (which is not installed) that are computed here"
    )
    lines += ["", f"and from {of}, which need qrels (names of trec_eval, like ndcg_cut_10, are understood too):"]
    return "\n".join([*lines, *_wrapped(theirs), ""])


def _wrapped(words: list[str]) -> list[str]:
    import textwrap

    return textwrap.wrap(", ".join(words), 100, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def page(name: str) -> str:
    """Write the page of a measure, or of all_fair. Raises UsageError for a name that nobody knows."""
    if registry.is_all_fair(name.partition("@")[0]):
        return _all(name)
    name = registry.find_proper_name(name) or name
    kind = registry.find(name)
    if kind is None and (answer := find_answer(name)) and name not in relevance.list_relevance_measures():
        return f"{name}: {answer}\n"
    if kind is None:
        if name in relevance.list_relevance_measures():  # of which some cannot be parsed without their cutoff
            return _foreign(Utility(relevance.list_relevance_measures()[name]))
        several = registry.parse(name)
        if len(several) != 1:
            many = f"{name!r} names {len(several)} measures" if several else "no measure was named"
            raise UsageError(f"{many}; name one, and `fairtrec measures` lists them all")
        measure = several[0]
        if isinstance(measure, Utility):
            return _foreign(measure)
        kind = type(measure)
    lines = [str(kind()), "", read_docstring(kind).replace("``", "`"), "", "Parameters"]
    lines += notation.describe_parameters(kind)
    lines += ["", "Needs", *(f"  {need}" for need in list_needs(kind))]
    if kind.changes:
        lines += ["", "Value versions", *(f"  {number}: {what}" for number, what in enumerate(kind.changes, 2))]
    return "\n".join([*dict.fromkeys(lines[:3]), *lines[3:], ""])


def _all(name: str) -> str:
    said = (
        "Every measure of fairness that the inputs allow; a line lists the others with the reason.\n"
        f"{registry.ALL_FAIR}@20: at this cutoff, where a measure has one."
    )
    return "\n".join([name, "", said, "", *_wrapped(list(map(str, registry.parse(name)))), ""])


def _foreign(utility: Utility) -> str:
    refuse_dropped()
    measure = relevance.list_relevance_measures()[utility.name]
    about = inspect.cleandoc((relevance.is_installed() and measure.__doc__) or "").split("\n\n.. ")[0].strip()
    params = [f"  {name}   {info.desc or ''}".rstrip() for name, info in measure.SUPPORTED_PARAMS.items()]
    need = find_input("relevance")
    assert need is not None
    by = "here, as by ir-measures" if utility.name in COMPUTED else "by ir-measures"
    says = SAYS.get(utility.name)
    lines = [f"{utility.name} (computed {by})", "", about, "", *([says, ""] if says else [])]
    lines += [f"Better: {utility.better}.", ""]
    lines += ["Parameters", *params, ""] if params else []
    return "\n".join([*lines, "Needs", f"  {need.missing}: {need.give}", ""])


_PLACE = re.compile(r"https?://[^\s,;]*[^\s,;.]")


def bibtex(measures: str = "") -> str:
    """Write fairtrec and the sources of measures as BibTeX: fairtrec first, then each source once.

    The entry of a measure of another package has the source of its page.

    Raises:
        UsageError: an unknown measure.
    """
    known = dict(_bundled())
    first = known.pop("").replace("\n}", f"\n  version = {{{__version__}}},\n}}")
    found: dict[str, str] = {}
    for measure in registry.parse(measures):
        source = part(type(measure), "Source")
        for place in _PLACE.findall(source) or [""]:
            found.setdefault(place or str(measure), known.get(place) or _unknown(measure, source, place))
    return "\n\n".join([first, *found.values()]) + "\n"


def _bundled() -> Iterator[tuple[str, str]]:
    """Read the entries that come with fairtrec, each by its address; that of fairtrec by none."""
    from fairtrec.support.resources.passports import root

    for entry in (root() / "citations.bib").read_text("utf-8").strip().split("\n\n"):
        field = re.search(r"^  (doi|url) = \{(.+)\},$", entry, re.MULTILINE)
        assert field is not None, entry
        place = f"https://doi.org/{field[2]}" if field[1] == "doi" else field[2]
        yield "" if entry.startswith("@misc{fairtrec,") else place, entry


def _unknown(measure: Measure, source: str, place: str) -> str:
    key = re.sub(r"\W", "", type(measure).__name__)
    note = re.sub(r"([&%$#_{}])", r"\\\1", _PLACE.sub("", source).strip(" .")) or "no source named"
    fields = [f"  title = {{{key}}},", f"  note = {{{note}}},", *([f"  url = {{{place}}},"] if place else [])]
    return "\n".join([f"@misc{{{key},", *fields, "}"])

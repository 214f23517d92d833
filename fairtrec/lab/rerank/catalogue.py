"""From what a user types to rerankers, and the pages of rerankers: as registry.py and pages.py have it for measures."""

import re
from difflib import get_close_matches

from fairtrec.lab import rerankers
from fairtrec.lab.reranker import Reranker
from fairtrec.measures.catalogue import notation, registry
from fairtrec.measures.catalogue.docstrings import read_docstring
from fairtrec.support.errors import UsageError

PARTS = ("Groups", "Chance", "Edges", "Source")
LIKE = "DetCons@10"


def parse(text: str, relevance_level: int | None = None) -> list[Reranker]:
    """Read rerankers between white space or commas.

    Raises UsageError for what is not in the notation, a name that nobody knows (with the nearest one that is known),
    and a parameter that the reranker does not have or that cannot have this value.

    >>> [str(reranker) for reranker in parse("DetCons@20 DetConstSort(reading=printed)")]
    ['DetCons@20', "DetConstSort(reading='printed')@10"]
    """
    several: list[Reranker] = []
    for written in notation.read(text, "reranker", LIKE):
        name, params, cutoff, spelled = written
        kind = find(name)
        if cutoff is not None and "cutoff" not in params and "cutoff" not in kind.__dataclass_fields__:
            raise UsageError(f"{spelled}: {kind.__name__} has no cutoff; leave out @{cutoff}")
        several.append(notation.build_object(kind, written, relevance_level))
    return several


def find(name: str) -> type[Reranker]:
    """Find the class of a reranker, ours or a plug-in's, in any case. Raises UsageError for any other name."""
    if name in rerankers.BUILT_IN:
        kind: type[Reranker] = getattr(rerankers, name)
        return kind
    plugin = registry.plugin(name, Reranker)
    if plugin is not None:
        return plugin
    alike = [each for each in names() if each.lower() == name.lower()]
    if len(alike) == 1:
        return find(alike[0])
    near = get_close_matches(name.lower(), [each.lower() for each in names()], 2)
    meant = " or ".join(each for each in names() if each.lower() in near)
    hint = f"did you mean {meant}? " if meant else ""
    raise UsageError(f"there is no reranker {name}; {hint}`fairtrec measures` names them all")


def names() -> list[str]:
    """List the names of all rerankers: ours, and the plug-ins'."""
    return [*rerankers.BUILT_IN, *registry.plugins(Reranker)]


def part(kind: type[Reranker], name: str) -> str:
    """Take one part, such as Chance, out of a reranker's docstring."""
    text = " ".join(read_docstring(kind).split())
    found = re.search(rf"(?:^| ){name}: (.*?)(?= (?:{'|'.join(PARTS)}): |$)", text)
    return found.group(1).rstrip(".") if found else ""


def overview() -> str:
    """List every reranker with its question."""
    rows = [(str(find(name)()), read_docstring(find(name)).partition("\n")[0]) for name in names()]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name.ljust(width)}  {question}" for name, question in rows]
    last = "`fairtrec measures NAME` prints the page of one."
    return "\n".join(["rerankers, for `fairtrec rerank --by`:", *lines, "", last, ""])


def page(name: str) -> str:
    """Write the page of one reranker. Raises UsageError for a name that nobody knows."""
    kind = find(name)
    lines = [str(kind()), "", read_docstring(kind).replace("``", "`"), "", "Parameters"]
    return "\n".join([*lines, *(notation.describe_parameters(kind) or ["  none"]), ""])

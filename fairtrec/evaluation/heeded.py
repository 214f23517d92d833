"""Which of the options that somebody typed play a part in what is computed; a choice that plays none is refused.

What is given beside runs, and how it is read, is told instead: one script gives it for all its measures. The command
line says what was typed, and an evaluation, once it is planned, what plays a part. In Python nothing is typed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from fairtrec.errors import UsageError
from fairtrec.evaluation.choices import CHOICES
from fairtrec.evaluation.given import Given
from fairtrec.evaluation.plan import Plan


@dataclass
class Waiting:
    """The options that are still to play a part, by their keywords, and in how many ``plans`` they may."""

    options: dict[str, str]
    plans: int | None
    given: frozenset[str] = frozenset()  # the parts of choices of which something was given
    remark: str = ""

    def end(self, where: str = "") -> None:
        """Raise UsageError for a choice about what is not there; remark on other options that played no part."""
        for name, option in self.options.items():
            if name in CHOICES and self.given.isdisjoint(CHOICES[name].part.split()):
                raise UsageError(f"{option} plays no part{where}; leave it out")
        if self.options:
            self.remark = f"# {', '.join(self.options.values())}: no part{where}"
            self.options.clear()


_KNOWN = {*CHOICES, *Given.__annotations__}
_waiting: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


@contextmanager
def heeded(options: Mapping[str, str], plans: int | None, say: Callable[[str], None]) -> Iterator[None]:
    """Refuse what of these options plays no part, or say so: after so many plans; if that is None, at the end."""
    waiting = Waiting({name: option for name, option in options.items() if name in _KNOWN}, plans)
    token = _waiting.set(waiting)
    try:
        yield
        waiting.end()
        if waiting.remark:
            say(waiting.remark)
    finally:
        _waiting.reset(token)


def heed(plan: Plan, given: Given) -> None:
    """Tell what plays a part in a plan. Raises UsageError for what was typed and plays none, if this is the last."""
    waiting = _waiting.get()
    if waiting is None or not waiting.options:
        return
    texts, labels = not (given.docs is None and given.counts is None), given.labels is not None
    words = {"documents": texts or labels, "texts": texts, "membership": texts, "labels": labels}
    words["background"] = not (given.background is None or given.whole_collection)
    waiting.given = frozenset(word for word, is_given in words.items() if is_given)
    for name in part(plan, given):
        waiting.options.pop(name, None)
    if waiting.plans is not None:
        waiting.plans -= 1
        if not waiting.plans:
            waiting.end(f" in {', '.join(map(str, plan.measures))}" if plan.measures else "")


def part(plan: Plan, given: Given) -> set[str]:
    """Name the choices, and what is given beside runs, that play a part."""
    of_documents, labels = "documents" in plan.uses, plan.reference.labels is not None
    of_texts = of_documents and plan.lexicon is not None
    of_counts = of_documents and given.counts is not None
    background = "background" in plan.uses and given.background is not None
    words = {
        "all": True,
        "documents": of_documents,
        "texts": of_texts or of_counts,
        "labels": labels,
        "membership": not labels and "membership" in plan.uses,
        "unknown": True,  # which is refused elsewhere where it plays none
        "background": background and not given.whole_collection,
    }
    names = {row.name for row in CHOICES.values() if any(words[each] for each in row.part.split())}
    names |= {"qrels", "labels", "positions", "counterfactual", "queries", *["background"] * background}
    return names | {*(("terms", "docs") if of_texts else ()), *(("terms", "counts") if of_counts else ())}

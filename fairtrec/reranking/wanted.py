"""What a reranker asks for: it is settled, read and looked up as what measures ask for is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairtrec.catalogue.needs import NEEDS, OF_GROUPS, OF_JUDGEMENTS
from fairtrec.evaluation.documents import OF_QRELS
from fairtrec.evaluation.plan import Plan
from fairtrec.reranker import Remark, Reranker

MADE_OF = {"group_of": "membership", "judged_ranks": "judged_relevance"}  # inputs that only rerankers have
JUDGED = Remark("uses the judgements, so it is a bound and no system")
OF_THE_RUN = frozenset({"scores", "scaled", "scaled_below", "chance"})  # for which nothing is asked


@dataclass(frozen=True)
class Wanted:
    """What one reranker asks for; ``given`` are the inputs that can be made of what was given."""

    reranker: Reranker
    given: frozenset[str]
    depth: None = None  # all ranks, as far as they are looked at
    is_of_all: bool = False

    @property
    def by(self) -> str:
        """The attribute whose groups it looks at."""
        return self.reranker.by

    @property
    def needs(self) -> tuple[str, ...]:
        """The inputs of measures that its own are made of."""
        asked = inputs_of(self.reranker, self.given)
        made = [MADE_OF.get(name, name) for name in asked if name not in OF_THE_RUN]
        ranked = ["ranked"] if "counts" in made else []
        return tuple(dict.fromkeys([*made, *ranked]))

    @property
    def worst_known(self) -> bool:
        """Whether it can place the worst document that there can be."""
        return self.reranker.worst_known

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError if the reranker does not fit these groups."""
        self.reranker.check(groups)

    def counts_at_ends(self, groups: int) -> None:
        """Give nothing: no reranker tells what a missing text could be."""

    def __str__(self) -> str:
        return str(self.reranker)


def inputs_of(by: Reranker, given: frozenset[str]) -> list[str]:
    """Name what a reranker is called on: what it needs, and of what it wishes for all that a system could have."""
    return [*by.needs, *(name for name in by.preferences if name in given and name not in OF_JUDGEMENTS)]


def sees_judgements(needs: Iterable[str], plan: Plan) -> bool:
    """Tell whether the order depends on judgements: by what is asked for, by the target, or by what the groups are."""
    made = {MADE_OF.get(name, name) for name in needs}
    of_groups, reference = bool(made & OF_GROUPS) or "counts" in made, plan.reference
    judged_groups = reference.labels is not None and reference.qrels is not None  # read so early, as they are labels
    judged_target = "target" in made and reference.looks_at(*OF_QRELS)
    return bool(made & OF_JUDGEMENTS) or judged_target or (of_groups and judged_groups)


def known(name: str) -> bool:
    """Tell whether there is an input of this name."""
    return name in OF_THE_RUN or name in MADE_OF or name in NEEDS

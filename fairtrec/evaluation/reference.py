"""What inputs are computed of: a run, the queries wanted of it, and what stands beside all runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from fairtrec.data import Floats, Labels, Qrels, Run
from fairtrec.evaluation.documents import Documents
from fairtrec.literals import Rule

TargetOf = Literal["background", "collection", "qrels", "relevance"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reference:
    """What stands beside the runs when it has been read; shared by all runs."""

    qrels: Qrels | None = None
    documents: Documents | None = None
    background: Run | Literal["collection"] | None = None
    background_depth: int = 200
    target: Floats | None = None  # the same for all queries; None: taken from the documents of ``target_of``
    target_of: TargetOf | None = None
    targets: Mapping[str, Floats] | None = None  # a target for each query
    labels: Labels | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)  # what was given for single measures, by name
    rule: Rule = "share"
    relevance_level: int = 1
    prior: Floats | None = None  # of the groups of unknown documents; None: as among the query's known ones


class Asked:
    """One run's evaluation over ``qids``, to a depth, before any input is computed; all that a module of an extra sees.

    The inputs proper are ``inputs.Inputs``.
    """

    def __init__(self, run: Run, qids: Sequence[str], reference: Reference, depth: int | None) -> None:
        self.run, self.qids, self.reference, self.depth = run, qids, reference, depth
        self.documents: Documents = cast("Documents", reference.documents)  # there is one where an input needs it

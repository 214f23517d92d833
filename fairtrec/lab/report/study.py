"""The answers of the commands of a study, what was left out, and the methods."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairtrec.cli.performing import CommandAnswer, PartLeftOut, StudyPart
from fairtrec.evaluation.answers import Signature
from fairtrec.lab.report.claims import Claim, list_claims
from fairtrec.report.recorded_paths import rename_paths, shorten_paths
from fairtrec.support.version import __version__

QUESTIONS = {  # by part
    "validate": "Are the run files correct?",
    "eval": "How fair and how relevant is each run?",
    "bounds ties": "How much do ties decide?",
    "bounds labels": "How much do unlabeled documents leave open?",
    "bounds texts": "How much do documents without a text leave open?",
    "bounds orders": "What would chance give, and what is possible?",
    "compare": "Does a run differ from the baseline by more than chance?",
    "headroom": "How much fairer could a run be?",
    "gold": "What do labels by people change?",
}
METHODS = {  # by part: what it does
    "validate": "Each run file was checked for errors and warnings, such as repeated documents and ties.",
    "eval": "Each mean has a 95 % confidence interval over queries, from Student's t.",
    "bounds ties": "The lowest and highest value over all orders of tied documents were computed.",
    "bounds labels": "The lowest and highest value over all groups of unlabeled documents were computed.",
    "bounds texts": "The lowest and highest value over all counts of documents without a text were computed.",
    "bounds orders": "The lowest, expected and highest value over all orders of the same documents were computed.",
    "compare": "Each run was compared with the baseline over the queries that both have.",
    "headroom": "The fairest orders of each run's own documents were computed, at no loss of utility and at 1 %.",
    "gold": "Means were corrected by labels that people gave to a sample of documents.",
}


@dataclass(frozen=True, eq=False)
class StudyReport:
    """The answers of the commands of a study.

    Attributes:
        parts: the answer of each part by its name, in the order of the page.
        not_done: the parts that have no answer, and why.
        methods: what was done, in sentences, with the sources.
        about: what each part asks and does, by its name.
        fairness: the fairness measure of parts that are about one; "" if there is none.
    """

    parts: Mapping[str, CommandAnswer]
    not_done: tuple[PartLeftOut, ...]
    methods: tuple[str, ...]
    about: Mapping[str, StudyPart]
    fairness: str = ""

    @cached_property
    def claims(self) -> list[Claim]:
        """What a reader may write about the study, and what not."""
        return list_claims({name: answer.record for name, answer in self.parts.items()}, self.fairness)

    @property
    def signature(self) -> str:
        """The signature of eval, with the choices that compare adds to it: test, correction and baseline."""
        signature = Signature.read(self.parts["eval"].record["signature"])
        if "compare" in self.parts:
            signature |= Signature.read(self.parts["compare"].record["signature"])
        return str(signature)

    @property
    def has_failed(self) -> bool:
        """Whether a part has failed that should have an answer."""
        return any(each.failed for each in self.not_done)

    @property
    def inputs(self) -> dict[str, Any]:
        """Each file that a part has read, by its role: its path and its sha256."""
        found: dict[str, Any] = {}
        for answer in self.parts.values():
            for role, file in answer.record.get("inputs", {}).items():
                found.setdefault(role, file)
        return found

    @property
    def record(self) -> dict[str, Any]:
        """What report.json holds."""
        words = [word for answer in self.parts.values() for word in answer.arguments]
        names = shorten_paths(part for word in words for part in re.split(r"[=:*+,\s]", word))
        return {
            "fairtrec": __version__,
            "signature": self.signature,
            "write": [claim.text for claim in self.claims if claim.is_shown],
            "do_not_write": [claim.text for claim in self.claims if not claim.is_shown],
            "inputs": self.inputs,
            "methods": list(self.methods),
            "not_done": [{"part": each.part, "why": each.why} for each in self.not_done],
            "parts": {name: _record_part(answer, names) for name, answer in self.parts.items()},
        }


def _record_part(answer: CommandAnswer, names: Mapping[str, str]) -> dict[str, Any]:
    """Give the arguments of a part and its answer, without absolute paths."""
    own = {key: value for key, value in answer.record.items() if key != "arguments"}
    arguments = answer.record.get("arguments", list(answer.arguments))
    return {"arguments": rename_paths(arguments, names), "answer": rename_paths(own, names)}

"""A run with its values and what they were computed from."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrec.data import Run, System
from fairtrec.evaluation.answers.scores import ScoreColumn, Scores
from fairtrec.evaluation.inputs.documents import EvaluationContext
from fairtrec.evaluation.inputs.measure_inputs import Inputs
from fairtrec.evaluation.inputs.options import Choices
from fairtrec.measure import Note

Computed = tuple[ScoreColumn, Sequence[Note]]  # and what a reader should know of it


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """A run with its values, and what they were computed from: all that a column is computed from."""

    scores: Scores
    system: System
    tied: Run | None  # that, and all that is tied with its last documents; None: ties are not looked for
    inputs: Inputs | None  # None where only measures of relevance were computed
    context: EvaluationContext
    choices: Choices

    @property
    def run(self) -> Run:
        """The run, which has one ranking of each query."""
        (run,) = self.system.runs
        return run

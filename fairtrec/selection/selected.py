"""What is chosen, and what that rests on."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fairtrec.comparison.compared import Comparison, Comparisons
from fairtrec.evaluation.answer import Answer, Signature
from fairtrec.evaluation.result import Result
from fairtrec.evaluation.scores import Scores
from fairtrec.gate.requirement import Requirement
from fairtrec.selection.candidates import Variants
from fairtrec.selection.choosing import Folds, ScoredVariants


@dataclass(frozen=True, eq=False)
class Selected:
    """What one beta chooses: a variant for each fold, and each query's values under that chosen without it."""

    beta: float
    chosen: Mapping[str, str]  # fold to run
    scores: Scores

    @property
    def counts(self) -> dict[str, int]:
        """In how many folds each variant is chosen, most often first, then by name."""
        many = Counter(self.chosen.values())
        return dict(sorted(many.items(), key=lambda each: (-each[1], each[0])))

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over all queries."""
        return dict(zip(map(str, self.scores.measures), self.scores.means.tolist(), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Answer):
    """What is chosen for each beta, and what that rests on."""

    rows: tuple[Selected, ...]
    variants: Variants
    choice: ScoredVariants
    folds: Folds
    requirements: tuple[Requirement, ...]
    result: Result  # of the variants
    comparisons: Comparisons | None  # with the baseline, whose scores are the first of their result

    def tests(self, row: Selected) -> dict[str, Comparison]:
        """Give the comparison of a row with the baseline by each measure; none where there is no baseline.

        Rows that choose the same are compared once, under the name of the first.
        """
        name = next(each.scores.run for each in self.rows if each.chosen == row.chosen)
        compared = () if self.comparisons is None else self.comparisons.rows
        return {each.measure: each for each in compared if each.run == name}

    @property
    def signature(self) -> Signature:
        """Every choice that changes a number."""
        utility, fairness = self.variants.axes
        required = "; ".join(map(str, self.requirements))
        own = {"utility": str(utility), "fairness": str(fairness), "folds": self.folds.spelled, "require": required}
        of = self.result if self.comparisons is None else self.comparisons
        return of.signature | own

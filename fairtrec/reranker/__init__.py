"""What a reranker is: a frozen dataclass of parameters that is called on its inputs and gives an order.

``__call__`` names its inputs, as measures do: those of ``fairtrec/catalogue/needs.py``, and those of RerankerInputs in
``fairtrec/reranking/inputs.py``, which only rerankers have. The docstring of the class is its page.

What ``__all__`` names is all that an author of rerankers imports; fairtrec.testing has the test that they inherit.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from fairtrec.data import MISSING, Bools, Candidates, Floats, Ints, take
from fairtrec.data.parameters import Parameters, Remark, named, unneeded
from fairtrec.errors import InputError, UsageError
from fairtrec.reranker.lists import FAR, Chance, Heads, Lists, ceils, completed, counted, floors, places_to_fill

__all__ = [
    "FAR", "MISSING", "NEW", "Bools", "Candidates", "Chance", "Floats", "Heads", "InputError", "Ints", "Lists",
    "Order", "Remark", "Reranker", "Unknown", "UsageError", "ceils", "completed", "counted", "floors",
    "places_to_fill", "take",
]  # fmt: skip

Unknown = Literal["keep", "free"]
NEW = -2  # judged document j, which need not be in the ranking, is placed as NEW - j


@dataclass(frozen=True, eq=False)
class Order:
    """Which documents stand at the first ranks, and what a reader of the run should know.

    ``ranks`` [query, place] are ranks of the run, from 0, each at most once; MISSING only behind the last. Documents
    that are not named follow in the order that they have. Numbers of remarks of the same words are added up.
    """

    ranks: Ints
    remarks: tuple[Remark, ...] = ()


class Reranker(Parameters):
    """The base of all rerankers; a subclass adds parameters as fields, and ``__call__``.

    ``worst_known`` says that it can place the worst document there can be (``--missing worst``).
    """

    worst_known: ClassVar[bool] = False

    def __call__(self, *args: Any, **inputs: Any) -> Order:  # noqa: ARG002 - for subclasses
        """Order each query's documents by the inputs that the signature names; those with a default may be lacking."""
        raise TypeError(f"{self.name} does not say how it orders; give it a __call__")

    def deep_enough(self, *args: Any, **inputs: Any) -> Bools | None:  # noqa: ARG002 - for subclasses
        """Tell for which queries what is below the ranks looked at changes nothing [query]; None: all are looked at.

        Names its inputs as ``__call__`` does.
        """
        return None

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs without which there is no order."""
        return named(type(self).__call__)

    @property
    def preferences(self) -> tuple[str, ...]:
        """The names of the inputs that are heeded where they are given."""
        return unneeded(type(self).__call__)

    @property
    def together(self) -> bool:
        """Whether what becomes of a query depends on the others, so that all are ordered at once."""
        return False

    @property
    def of_measures(self) -> bool:
        """Whether orders are looked for by what measures make of them; then it is not called."""
        return False

    @property
    def is_random(self) -> bool:
        """Whether chance decides, so that there are several samples."""
        return "chance" in self.needs

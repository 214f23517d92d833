"""What a measure is: a frozen dataclass of parameters. You call it on its inputs, and its text can be parsed again.

``__call__`` or ``formula`` names its inputs, as a test names its fixtures; measures/catalogue/needs.py lists them. It
returns one value per query, nan if there is none. The docstring of the class is its page in the documentation.

This module has everything that you import to write a measure. fairtrec.testing has the tests that you inherit.
"""

import dataclasses
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from fairtrec.data import Bools, Candidates, Floats, Ints, take
from fairtrec.data.parameters import Limits, Parameters, list_required_inputs
from fairtrec.measure.forms import (
    First,
    Form,
    FormColumn,
    Precisions,
    RankForm,
    Summands,
    SumOverRanks,
    list_form_classes,
)
from fairtrec.support.errors import UsageError
from fairtrec.support.late_imports import import_late
from fairtrec.support.notes import Note, NoteKind, NoteSeverity

if TYPE_CHECKING:
    from fairtrec.formulas.distribution import shares
    from fairtrec.formulas.labelings.unlabeled import LabelForm
    from fairtrec.formulas.sequences import Earned
    from fairtrec.measure.group_forms import (
        ExposureShares,
        GroupExposure,
        GroupPrefixes,
        GroupTotals,
        RatioOfMeans,
        RatioOfSums,
    )

__all__ = [
    "Better", "Bools", "Bounds", "Candidates", "ExposureShares", "First", "Floats", "Form", "GroupExposure",
    "GroupPrefixes", "GroupTotals", "Ints", "LabelForm", "Limits", "Measure", "Note", "NoteKind", "NoteSeverity",
    "Precisions", "RankForm", "RatioOfMeans", "RatioOfSums", "SumOverRanks", "Summands", "UsageError", "define",
    "shares", "take",
]  # fmt: skip

_LATE = {  # what few evaluations look at, by the file of the package that it is in
    **dict.fromkeys(
        ("ExposureShares", "GroupExposure", "GroupPrefixes", "GroupTotals", "RatioOfMeans", "RatioOfSums"),
        "measure.group_forms",
    ),
    "LabelForm": "formulas.labelings.unlabeled",
    "shares": "formulas.distribution",
}
if not TYPE_CHECKING:  # for a type checker, every name that is not imported above is an error
    __getattr__ = import_late(__name__, _LATE, within="fairtrec")
ABOVE_0, BELOW_1 = math.ulp(0.0), math.nextafter(1.0, 0.0)  # the least and the greatest number that are
LOOKED_UP = ("ranked", "stances")  # inputs by which more is looked up: not behind the cutoff
EACH = "each"  # in the place of a group: one measure for each
READING_ON = "p is {p}; the probability to read on lies between 0 and 1"
Better = Literal["higher", "lower", "nearer 0", "neither"]
Bounds = tuple[float | None, float | None]


class Quantity:
    """What values are of, as reports name it: a measure, an end of an interval, a column of another program.

    ``better`` says which values are good.
    ``total`` says that a run's value is the sum over queries, ``geometric`` that it is the geometric mean; else it is
    the mean, or what ``over`` makes of the values [query]. ``of_mean`` says that single queries have none, ``of_pool``
    that only all queries together have one (``--pool``), and ``has_pooled_interval`` that this one has an interval.
    """

    better: ClassVar[Better] = "higher"
    total: ClassVar[bool] = False
    of_mean: ClassVar[bool] = False
    of_pool: ClassVar[bool] = False
    has_pooled_interval: ClassVar[bool] = False
    geometric: ClassVar[bool] = False
    over: ClassVar[Any] = None  # a function
    follows: ClassVar[bool] = False  # whether it stands behind another that has the same values of queries

    @property
    def has_query_values(self) -> bool:
        """Whether single queries have values, which means are over."""
        return not (self.of_pool or self.of_mean)

    @property
    def query_measure(self) -> "Quantity":
        """What the values of single queries are of: itself, unless a run's value is another than their mean."""
        return self

    @property
    def aggregate(self) -> str:
        """What a run's value is of those of its queries."""
        return "pooled" if self.of_pool else "sum" if self.total else "gm" if self.geometric else "mean"

    def describe(self) -> dict[str, str]:
        """Say which values are good, what a run's value is of those of its queries, and of which measure these are."""
        return {"better": self.better, "aggregate": self.aggregate}

    def describe_aggregate(self) -> dict[str, str]:
        """Say what a run's value is of those of its queries, if that was chosen."""
        return {}

    def trec_name(self, *, is_mean: bool) -> str:  # noqa: ARG002 - for subclasses
        """Give the name that trec_eval prints, if it was asked for by that."""
        return str(getattr(self, "trec", ""))

    @property
    def bounds(self) -> Bounds:
        """A class attribute of most measures, as ``better`` is; a property where parameters move it."""
        return None, None

    def bounds_against(self, target: Floats) -> Bounds:  # noqa: ARG002 - for subclasses
        """Give the least and the greatest value against this target [group]: ``bounds``, or narrower ones."""
        return self.bounds

    def bounds_among(self, groups: Sequence[str], target: Floats) -> Bounds:  # noqa: ARG002 - for subclasses
        """Give the least and the greatest value against the target of these groups, narrower ones of one group."""
        return self.bounds_against(target)


class Measure(Quantity, Parameters):
    """The base of all measures. A subclass adds parameters as fields, and ``formula``, or ``__call__`` if no form fits.

    Attributes:
        better: the direction: "higher", "lower", "nearer 0" or "neither".
        bounds: the least and the greatest possible value with these parameters, for any run, groups and target; None if
            there is none.
        ordered: whether the order of the ranked documents matters, not only which they are.
        each_group: the ``group`` that stands for each group; "" unless a measure without a group is one of all.
        has_pooled_bounds: whether ``bound`` of what it pools gives ends (``--pool`` with ``--bounds labels``).
        worst_known: whether the measure has a value for the worst possible document (``--missing worst``).
        beyond: the cost of a group that no document holds, so that groups need not be listed: the "sum" of their
            shares, or the sum of their "squares". "" if each group has to be looked at.
        changes: a sentence for each change of its values, the oldest first. Signatures count them.
        fewest, limits, hints: those of everything with parameters.
    """

    ordered: ClassVar[bool] = True
    each_group: ClassVar[str] = ""
    has_pooled_bounds: ClassVar[bool] = False
    worst_known: ClassVar[bool] = False
    beyond: ClassVar[Literal["", "sum", "squares"]] = ""
    changes: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self, "group", None) == EACH:
            object.__setattr__(self, "group", self.each_group)

    @property
    def value_version(self) -> int:
        """The version of its values: 1, plus one for each of ``changes``."""
        return 1 + len(self.changes)

    def formula(self, *args: Any, **inputs: Any) -> Form:  # noqa: ARG002 - for subclasses
        """Return the form of the measure for its inputs, which are named as pytest tests name fixtures.

        The value and the columns next to it follow from the form. Its class is the return annotation. Inputs of ranks
        go on behind the cutoff, if other measures or ties need more ranks.
        """
        return Form()

    def __call__(self, *args: Any, **inputs: Any) -> Floats:
        """Compute one value per query from the inputs that the signature names; by default that of ``formula``."""
        if type(self).formula is Measure.formula:
            raise TypeError(f"{self.name} does not define how it is computed; add a formula, or a __call__")
        return self.make_form(*args, **inputs).value()

    def make_form(self, *args: Any, **inputs: Any) -> Form:
        """Make the form of inputs that go on behind the cutoff."""
        for name in LOOKED_UP:
            if name in inputs:
                inputs[name] = inputs[name][:, : self.depth]
        return self.formula(*args, **inputs)

    def values_at(self, shallower: "Sequence[Measure]", **inputs: Any) -> Iterator[Floats]:
        """Compute its value [query] and those of the same measure at lower cutoffs, each with the bits of its own."""
        if type(self).__call__ is not Measure.__call__:
            yield from (each(**inputs) for each in (self, *shallower))
            return
        form = self.make_form(**inputs)
        yield form.value()
        shared = type(form).shares_prefixes()
        for each in shallower:
            other = each.make_form(**inputs)
            yield form.value_of(other) if shared and type(other) is type(form) else other.value()

    @classmethod
    def supports(cls, column: FormColumn) -> bool:
        """Tell whether its form gives a column: asked before there are inputs, and answered by the annotation."""
        kinds = list_form_classes(cls.formula)
        return not kinds or any(kind.supports(column) for kind in kinds)

    @classmethod
    def reads_set(cls) -> bool:
        """Tell by its form whether only the set of documents in the ranks that it reads matters, not their order."""
        kinds = list_form_classes(cls.formula)
        return bool(kinds) and all(kind.of_set for kind in kinds)

    def over_attributes(self, ordered: Mapping[str, bool]) -> "tuple[Measure, ...]":  # noqa: ARG002 - for subclasses
        """Name the measures that ``combine_attributes`` makes one number of, where there are several attributes.

        ``ordered`` says which there are, and whether their groups have an order. A measure of which nothing is named
        stands for one of each attribute.
        """
        return ()

    def combine_attributes(self, values: Floats, takes_part: Bools) -> Floats:  # noqa: ARG002 - for subclasses
        """Make one value [query] of those of the measures of ``over_attributes`` [measure, query], rising with each.

        An attribute [attribute, query] whose labels are of other queries takes no part; its values are nan there.
        """
        raise TypeError(f"{self.name} is of one attribute; name it with by")

    @property
    def is_of_all(self) -> bool:
        """Whether it is one number over all attributes, where it names none."""
        return not self.by and type(self).over_attributes is not Measure.over_attributes

    def over_prefixes(self, *args: Any, **inputs: Any) -> "Earned | None":  # noqa: ARG002 - for subclasses
        """Say what the next document earns, where the value is a sum over ranks and each rank looks at those above it.

        Names its inputs as ``formula`` does, of one query; ``membership``, ``relevance`` and ``stances`` have a row
        for each kind of document. It may also name ``supply`` [kind], how many documents of each kind there are, and
        ``ranks``, how many are ranked. Return a function of how many of each kind are placed [state, kind] and of the
        number of ranks above. The function returns what the next document of each kind adds [state, kind]. None: there
        is no such sum, or the form says it (GroupTotals, GroupPrefixes).
        """
        return None

    def counts_at_ends(self, groups: int) -> "tuple[Floats, Floats] | None":  # noqa: ARG002 - for subclasses
        """Give the counts [group] of the document that makes a value least, and of that which makes it greatest.

        So bounds are known where a document's text is not (``--bounds texts``); None: no counts do.
        """
        return None

    def bound_over_texts(self, low: Mapping[str, Any], high: Mapping[str, Any]) -> tuple[Floats, Floats, Bools]:
        """Give the least and the greatest value [query], and where no text need attain them, from two sets of inputs.

        In one all documents without a text have the first of ``counts_at_ends``, in the other the second.
        """
        least, greatest = self(**low), self(**high)
        return least, greatest, np.zeros(least.shape, dtype=np.bool_)

    def order_at_end(self, *args: Any, **inputs: Any) -> "Ints | None":  # noqa: ARG002 - for subclasses
        """Order the documents of one list [rank] as well, or with ``worst`` as badly, as can be; None: nobody can tell.

        Names its inputs as ``__call__`` does; each has a row for each document.
        """
        return None

    def note(self, *args: Any, **inputs: Any) -> Note | None:  # noqa: ARG002 - for subclasses
        """Return a note that a reader of the values must know, or None.

        It names its inputs as ``__call__`` does. It may also name ``values``, the values [query].
        """
        return None

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the inputs that a value needs."""
        kind = type(self)
        return list_required_inputs(kind.formula if kind.__call__ is Measure.__call__ else kind.__call__)

    def refuse_several(self, computed: "Iterable[Measure]") -> None:
        """Raise UsageError if it stands for several of the measures that are computed, one of each attribute."""
        blank: dict[str, Any] = {"by": ""} if self.by == "" else {}
        blank |= {"group": self.each_group} if self.is_of_each else {}
        several = [
            str(one) for one in computed
            if type(one) is type(self) and one.by and dataclasses.replace(one, **blank) == self and one != self
        ]  # fmt: skip
        if several:
            raise UsageError(f"{self} can mean {', '.join(several)}; choose one")

    @property
    def is_of_each(self) -> bool:
        """Whether it stands for one measure of each group."""
        return getattr(self, "group", None) == self.each_group

    def expand_groups(self, groups: Sequence[str]) -> "tuple[Measure, ...]":
        """Give the measures that stand for this one: itself, or one for each group if its ``group`` says so."""
        if not self.is_of_each:
            return (self,)
        changed: list[Any] = [{"group": group} for group in groups]
        return tuple(dataclasses.replace(self, **each) for each in changed) or (self,)


def badness(values: Floats, better: Better) -> Floats:
    """Turn values so that less is better; of a measure without a direction, so that they fall.

    >>> badness(np.array([0.25, -0.5]), "higher").tolist(), badness(np.array([0.25, -0.5]), "nearer 0").tolist()
    ([-0.25, 0.5], [0.25, 0.5])
    """
    return values if better == "lower" else np.abs(values) if better == "nearer 0" else -values


DEFINED: dict[str, type[Measure]] = {}  # measures that were made of functions, by their names


def define(
    name: str,
    *,
    better: Better = "higher",
    bounds: Bounds = (None, None),
    fewest: int = 0,
    changes: Sequence[str] = (),
) -> Callable[[Callable[..., Floats]], type[Measure]]:
    """Make a measure from a function, as a decorator. The docstring of the function becomes its page.

    Positional arguments are inputs, with the names that ``__call__`` of a class uses. Keyword-only arguments, with a
    type and a default, are parameters; ``cutoff`` is one of them. The function returns the values [query].

        @define("Spoken", better="neither")
        def spoken(ranked, counts, *, cutoff: int = 10):
            '''How many documents at the top of a ranking speak of a group? ...'''
            return (take(counts, ranked)[:, :cutoff].sum(axis=2) > 0).sum(axis=1).astype(float)

    ``better``, ``bounds``, ``fewest`` and ``changes`` are those of Measure. The decorator returns the class. All that
    parse measures in this process know its name.

    Raises:
        UsageError: a function that is no measure.
    """
    import inspect

    def made(function: Callable[..., Floats]) -> type[Measure]:
        given = inspect.signature(function, eval_str=True).parameters.values()
        own = [each for each in given if each.kind is each.KEYWORD_ONLY]
        odd = [each.name for each in own if each.default is each.empty or each.annotation is each.empty]
        has_page = sys.flags.optimize > 1 or bool((function.__doc__ or "").strip())  # -OO drops all of them
        if odd or not name.isidentifier() or not has_page:
            lacks = f"a type and a default for {odd[0]}" if odd else "a name of letters" * (not name.isidentifier())
            raise UsageError(f"the measure {name} needs {lacks or 'a docstring, which is its page'}; add it")
        inputs = [each for each in given if each.kind is not each.KEYWORD_ONLY]

        def call(self: Measure, *args: Any, **named_inputs: Any) -> Floats:
            values = {each.name: getattr(self, each.name) for each in own}
            return np.asarray(function(*args, **named_inputs, **values), dtype=np.float64)

        first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        call.__signature__ = inspect.Signature([first, *inputs])  # type: ignore[attr-defined]
        fields = [(each.name, each.annotation, each.default) for each in own]
        attributes = {"better": better, "bounds": bounds, "fewest": fewest, "changes": tuple(changes), "__call__": call}
        kind = dataclasses.make_dataclass(name, fields, bases=(Measure,), namespace=attributes, frozen=True)
        kind.__doc__, kind.__module__, kind.__qualname__ = function.__doc__, function.__module__, function.__qualname__
        DEFINED[name] = kind
        return kind

    return made

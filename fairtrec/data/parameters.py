"""What a user types with parameters, ``Name(k=v)@10``: a frozen dataclass that checks them and can spell itself."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

from fairtrec.support.errors import UsageError

GIVEN = "given"  # the value of a parameter that stands for what is given beside the runs, such as a discount
DEEPEST = 1_000_000  # ranks; a cutoff beyond is a slip of the keyboard, and would cost memory
Limits = tuple[tuple[str, float, float, str], ...]


@dataclass(frozen=True)
class Parameters:
    """The base of all that has a name and parameters; a subclass adds them as fields.

    ``by`` names the attribute whose groups are looked at, ``A*B`` two that are crossed; "" is the one that there is.
    ``fewest`` is how many groups it takes.
    ``limits`` of parameters: name, least, greatest, and what to say of others, with ``{name}`` for the value.
    ``hints`` say of values that have another meaning elsewhere which one is meant.
    ``name`` is what a user types. A parameter whose name is a word of Python ends in ``_``, which nobody types.
    ``depth`` is how many ranks are read, None is all: those down to the cutoff, unless it ``reads_on`` behind that.
    """

    by: str = dataclasses.field(default="", kw_only=True)
    fewest: ClassVar[int] = 0
    limits: ClassVar[Limits] = ()
    hints: ClassVar[Mapping[str, str]] = MappingProxyType({})
    reads_on: ClassVar[bool] = False
    name: ClassVar[str] = ""
    depth: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        cutoff = getattr(self, "cutoff", None)
        own = {"name": type(self).__name__, "depth": None if self.reads_on else cutoff}
        vars(self).update(own | vars(self))
        if cutoff is not None and not 1 <= cutoff <= DEEPEST:
            raise UsageError(f"{self.name}: the cutoff is {cutoff}; ranks count from 1, to {DEEPEST} at most")
        for kind in type(self).__mro__:
            for name, least, greatest, words in vars(kind).get("limits", ()):
                value = getattr(self, name)
                if value is not None and not least <= value <= greatest:
                    raise UsageError(f"{self.name}: {words.format(**vars(self))}")
        for field in dataclasses.fields(self):
            if get_origin(field.type) is Literal:
                what = f"{self.name}: the parameter {typed_name(field.name)}"
                self.choice(get_args(field.type), getattr(self, field.name), what)

    def check(self, groups: Sequence[str]) -> None:
        """Raise UsageError if it does not fit these groups; called before anything large is read.

        There must be enough of them, and among them the one that its ``group`` or ``protected`` names, if any.
        """
        if len(groups) < self.fewest:
            raise UsageError(f"{self.name} compares two groups or more, not {len(groups)}")
        for group in filter(None, (getattr(self, "group", ""), getattr(self, "protected", ""))):
            if group not in groups:
                by = getattr(self, "by", "")
                of, way_out = (f" of {by}", "; by=NAME chooses another attribute") if by else ("", "")
                known = f"the groups{of} are {', '.join(groups)}"
                raise UsageError(f"{self.name}: there is no group {group!r}; {known}{way_out}")

    @classmethod
    def choice(cls, options: tuple[Any, ...], value: Any, what: str) -> Any:
        """Find a value among the options of a parameter. Raises UsageError where it is none of them."""
        if value in options:
            return options[options.index(value)]
        from difflib import get_close_matches

        near = get_close_matches(str(value), map(str, options), 1)
        meant = cls.hints.get(str(value), f"did you mean {near[0]}? " if near else "")
        raise UsageError(f"{what} cannot be {value!r}; {meant}it is one of: {', '.join(map(str, options))}")

    def __matmul__(self, cutoff: int) -> Self:
        """Set the cutoff, as in ir_measures: ``NFaiRR(tau=0) @ 10``."""
        if "cutoff" not in (field.name for field in dataclasses.fields(self)):
            raise UsageError(f"{self.name} has no cutoff; leave out @ {cutoff!r}")
        if type(cutoff) is not int:
            raise UsageError(f"{self.name}: the cutoff is {cutoff!r}; it must be of type int")
        new: Any = {"cutoff": cutoff}
        return dataclasses.replace(self, **new)

    def __str__(self) -> str:
        fields = [f for f in dataclasses.fields(self) if f.name != "cutoff" and getattr(self, f.name) != f.default]
        inside = ",".join(f"{typed_name(field.name)}={spell_value(getattr(self, field.name))}" for field in fields)
        cutoff = "" if getattr(self, "cutoff", None) is None else f"@{self.cutoff}"  # type: ignore[attr-defined]
        return f"{type(self).__name__}{f'({inside})' if inside else ''}{cutoff}"


def typed_name(name: str) -> str:
    """Give the name of a parameter as a user types it.

    >>> typed_name("from_"), typed_name("tau")
    ('from', 'tau')
    """
    return name.removesuffix("_")


@cache
def list_required_inputs(method: Callable[..., Any]) -> tuple[str, ...]:
    """Name the inputs that a method cannot do without, as a pytest test names its fixtures."""
    _, *parameters = inspect.signature(method).parameters.values()
    return tuple(p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))


@cache
def list_optional_inputs(method: Callable[..., Any]) -> tuple[str, ...]:
    """Name the inputs that a method can do without."""
    return tuple(p.name for p in inspect.signature(method).parameters.values() if p.default is not p.empty)


def spell_value(value: Any) -> str:
    """Write a parameter's value as the notation has it.

    >>> spell_value(0.5), spell_value(True), spell_value("tf")
    ('0.5', 'True', "'tf'")
    """
    if not isinstance(value, str):
        return repr(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"

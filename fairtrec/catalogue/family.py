"""Families of what users name with parameters, measures and rerankers: what installed packages add, and objects."""

import dataclasses
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from fairtrec.catalogue.needs import GROUPED
from fairtrec.data.parameters import Parameters
from fairtrec.errors import UsageError
from fairtrec.measure import DEFINED

LARGEST = 2**31 - 1  # of the numbers that trec_eval takes
Parametrised = TypeVar("Parametrised", bound=Parameters)


def called(base: type[Parameters]) -> str:
    """Call a member of the family of this base.

    >>> called(Parameters)
    'parameters'
    """
    return base.__name__.lower()


def _group(base: type[Parameters]) -> str:
    """Name the entry points at which packages announce what they add."""
    return f"fairtrec.{called(base)}s"


def plugin(name: str, base: type[Parametrised]) -> type[Parametrised] | None:
    """Find the class that an installed package adds under this name, or that was made of a function.

    Raises UsageError if it is none of its family.
    """
    made: type | None = DEFINED.get(name)
    if made is not None and issubclass(made, base):
        return made
    what = called(base)
    from importlib.metadata import entry_points

    for point in entry_points(group=_group(base), name=name):
        try:
            loaded = point.load()
        except Exception as fault:
            raise UsageError(f"the plug-in {point.value} of the {what} {name} does not load: {fault!r}") from fault
        if not (isinstance(loaded, type) and issubclass(loaded, base) and dataclasses.is_dataclass(loaded)):
            raise UsageError(
                f"the plug-in {point.value} is no {what}; it must be a dataclass derived from {base.__name__}"
            )
        if loaded.__name__ != name:
            raise UsageError(f"the plug-in {point.value} is announced as {name}; class and entry point need one name")
        lacking = [field.name for field in dataclasses.fields(loaded) if field.default is dataclasses.MISSING]
        if lacking:
            raise UsageError(f"the plug-in {point.value} has no default for {lacking[0]}; each parameter needs one")
        return loaded
    return None


def package_of(kind: type[Parameters]) -> str:
    """Name the installed package that announces a class, with its version; nothing of a class that none announces."""
    from importlib.metadata import entry_points

    base = next(each for each in kind.__mro__ if Parameters in each.__bases__)
    for point in entry_points(group=_group(base), name=kind.__name__):
        if point.dist is not None and point.load() is kind:
            return f"{point.dist.name}/{point.dist.version}"
    return ""


def plugins(base: type[Parameters]) -> list[str]:
    """List the names that installed packages add, and those of measures that were made of functions."""
    from importlib.metadata import entry_points

    defined = [name for name, kind in DEFINED.items() if issubclass(kind, base)]
    return sorted({point.name for point in entry_points(group=_group(base))}.union(defined))


def looks_at_groups(one: object) -> bool:
    """Tell whether some input of a measure or reranker is of groups, so that it takes ``by``."""
    names = (*getattr(one, "needs", ()), *getattr(one, "preferences", ()))
    return not GROUPED.isdisjoint("membership" if name == "group_of" else name for name in names)


def parameters(kind: type[Parameters]) -> dict[str, "dataclasses.Field[Any]"]:
    """Give the parameters that a user types, by their names: ``by``, the last, where groups are looked at."""
    first, *others = dataclasses.fields(kind)
    several = [*others, *([first] if looks_at_groups(kind()) else [])]
    return {each.name: each for each in several}


def built(
    kind: type[Parametrised], params: dict[str, Any], spelled: str, relevance_level: int | None = None
) -> Parametrised:
    """Make an object of what was written. Raises UsageError for a parameter that it has not, or not so."""
    hints = get_type_hints(kind)
    fields = {field.name: hints[field.name] for field in dataclasses.fields(kind)}
    for name, value in params.items():
        if name not in fields or (name == "by" and not looks_at_groups(kind())):
            from difflib import get_close_matches

            known = parameters(kind)
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            has = ", ".join(known) or "none"
            raise UsageError(f"{spelled}: {kind.__name__} has no parameter {name}; {hint}it has: {has}")
        params[name] = _fitting(kind, value, fields[name], f"{spelled}: the parameter {name}")
    if relevance_level is not None and "rel" in fields:
        params.setdefault("rel", relevance_level)
    return kind(**params)


def _fitting(kind: type[Parametrised], value: Any, hint: Any, what: str) -> Any:
    options = get_args(hint)
    if get_origin(hint) is Literal:
        return kind.choice(options, value, what)
    types = options or (hint,)  # int | None has options, int has none
    if isinstance(value, bool) is (bool in types):
        if isinstance(value, int) and abs(value) > LARGEST:
            raise UsageError(f"{what} is {value}; it must be at most {LARGEST:,}")
        if isinstance(value, types):
            return value
        if float in types and isinstance(value, int):
            return float(value)
    wanted = " or ".join(each.__name__ for each in types if each is not type(None))
    raise UsageError(f"{what} is {value!r}; it must be of type {wanted}")

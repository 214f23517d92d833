"""Names that a package offers and imports when they are first used, so that nothing is imported in vain."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def import_late(package: str, places: Mapping[str, str], within: str = "") -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package, which raises AttributeError for a name of which no place is known.

    ``places`` names the module of each, in the package, or in another that it is ``within``.
    """

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{within or package}.{places[name]}"), name)

    return load

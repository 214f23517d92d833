"""Names that a package offers and imports when they are first used, so that nothing is imported in vain."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Late:
    """The ``__getattr__`` of a package, which raises AttributeError for a name of which no place is known.

    ``places`` names the module of each, in the package, or in another that it is ``within``.
    """

    package: str
    places: Mapping[str, str]
    within: str = ""

    def __call__(self, name: str) -> Any:
        """Import a name."""
        if name not in self.places:
            raise AttributeError(f"module {self.package!r} has no attribute {name!r}")
        return getattr(import_module(f"{self.within or self.package}.{self.places[name]}"), name)

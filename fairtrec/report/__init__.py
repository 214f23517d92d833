"""Reports: one result, written as people and programs like to read it.

``fairtrec.report(...)`` writes a whole study. This package has the name of that function, so it can be called.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar


class CallablePackage(ModuleType):
    """A package that is called as the public function of its name, which ``fairtrec/__init__.py`` finds."""

    find: ClassVar[Callable[[], Callable[..., Any]]]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call the function."""
        return type(self).find()(*arguments, **keywords)


sys.modules[__name__].__class__ = CallablePackage

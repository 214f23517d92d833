"""The few loops that are worth a compiler, in C; ``extension`` is None where the package was built without one.

Whoever calls a loop has a twin of it in numpy, which gives the same numbers. FAIRTREC_PLAIN=1 asks for the twins.
"""

import os
from contextlib import suppress
from importlib import import_module
from types import ModuleType

FORM = 13  # of what is handed to the loops, as extension.c says it: what was built from an older source is left out

extension: ModuleType | None = None
if not os.environ.get("FAIRTREC_PLAIN"):
    with suppress(ImportError):
        extension = import_module("fairtrec.support.compiled.extension")
        extension = extension if getattr(extension, "FORM", 1) == FORM else None

"""The few loops that are worth a compiler, in C; ``extension`` is None where the package was built without one.

Whoever calls a loop has a twin of it in numpy, which gives the same numbers. FAIRTREC_PLAIN=1 asks for the twins.
"""

import os
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import ModuleType

FORM = 3  # of what is handed to the loops, as extension.c says it: what was built from an older source is left out

extension: ModuleType | None = None
if not os.environ.get("FAIRTREC_PLAIN"):
    with suppress(ImportError):
        extension = import_module("fairtrec.compiled.extension")
        extension = extension if getattr(extension, "FORM", 1) == FORM else None

LEAST_POWER, MOST_POWER = -342, 308  # of 10, between which a number of 19 digits is neither 0 nor infinite as float64
EXACT_POWER = -27  # down to which a product with what was rounded up is told from an exact one


@cache
def powers() -> bytes:
    """Give the leading 128 bits of each power of 5 as two words of 64 bits, the upper first.

    By them a decimal number becomes the float64 that is nearest to it. Source: Lemire, Number Parsing at a Gigabyte per
    Second. Software: Practice and Experience, 2021. https://doi.org/10.1002/spe.2984
    """
    leading = []
    for exponent in range(LEAST_POWER, MOST_POWER + 1):
        power = 5 ** abs(exponent)
        if exponent >= 0:
            leading.append(power << 128 >> power.bit_length())
        else:
            leading.append((1 << (power - 1).bit_length() + 127) // power + (exponent >= EXACT_POWER))
    return b"".join(each.to_bytes(16, "big")[i : i + 8][::-1] for each in leading for i in (0, 8))

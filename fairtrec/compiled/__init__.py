"""The few loops that are worth a compiler, in C; ``extension`` is None where the package was built without one.

Whoever calls a loop has a twin of it in numpy, which gives the same numbers. FAIRTREC_PLAIN=1 asks for the twins.
"""

import os
from contextlib import suppress
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
_FIVES = {exponent: 5 ** abs(exponent) for exponent in range(LEAST_POWER, MOST_POWER + 1)}
_LEADING = [  # the first 128 bits of each power of 5, by which a decimal number becomes the float64 nearest to it
    five << 128 >> five.bit_length()
    if exponent >= 0
    else (1 << (five - 1).bit_length() + 127) // five + (exponent >= EXACT_POWER)
    for exponent, five in _FIVES.items()
]
# Each as two words of 64 bits, the upper first. Source: Lemire, Number Parsing at a Gigabyte per Second. Software:
# Practice and Experience, 2021. https://doi.org/10.1002/spe.2984
POWERS = b"".join(each.to_bytes(16, "big")[i : i + 8][::-1] for each in _LEADING for i in (0, 8))

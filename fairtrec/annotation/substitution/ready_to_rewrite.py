"""Imported by the process that others are forked from: what each would do first is done here, once."""
# ruff: noqa: E402 - imports are what makes garbage be looked for

import gc

gc.set_threshold(100_000)  # as in the first process

import numpy as np

from fairtrec.annotation.substitution import rewriting
from fairtrec.annotation.substitution.swapping import Swapper
from fairtrec.annotation.substitution.vocabulary import Vocabulary
from fairtrec.formats import pairs

Swapper(Vocabulary(pairs.of([("she", "he")]))).edits("Été she".encode(), np.array([0]), np.array([9]))
__all__ = ["rewriting"]

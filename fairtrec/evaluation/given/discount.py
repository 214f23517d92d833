"""A discount of the user's own: the weights of ranks, which may be given beside the runs for ``discount='given'``."""

import dataclasses
from collections.abc import Mapping
from hashlib import sha256
from os import fspath
from typing import Any

import numpy as np

from fairtrec.data.parameters import GIVEN
from fairtrec.evaluation.given.reference import OpenedReferences, Plan, Reference
from fairtrec.formulas.discount import GivenDiscount
from fairtrec.support.errors import PATH, InputError, UsageError


class DiscountReference(Reference):
    """The weights of ranks."""

    def read(self, opened: OpenedReferences) -> GivenDiscount:
        """Load the weights of ranks: of lines rank, weight; or a sequence, or ``{rank: weight}``, from rank 1.

        Raises InputError for a rank that is missing, a weight below 0, and a first that is not above it.
        """
        thing = opened.given.things[self.name]
        if isinstance(thing, PATH):
            from fairtrec.formats import tsv
            from fairtrec.support.files import opening

            return GivenDiscount(tuple(tsv.discount(thing)), opening.name(fspath(thing)))
        if isinstance(thing, Mapping) and [*thing] != [*range(1, len(thing) + 1)]:
            raise InputError("the discount has other ranks than 1, 2, 3 and so on; write each once, in this order")
        try:
            weights = np.array([*(thing.values() if isinstance(thing, Mapping) else thing)], dtype=np.float64)
        except (TypeError, ValueError):
            what = "the discount is not a sequence of numbers; pass the weights of ranks from rank 1"
            raise InputError(what) from None
        if (
            weights.ndim != 1
            or not len(weights)
            or not np.isfinite(weights).all()
            or (weights < 0).any()
            or not weights[0]
        ):
            raise InputError("the weights of ranks must be 0 or more, the first above 0; correct the discount")
        return GivenDiscount(tuple(weights.tolist()), "the discount")

    def set_parameter(self, measure: Any, value: GivenDiscount | None) -> Any:
        """Give a measure whose discount is ``given`` its weights.

        Raises UsageError where there are none, InputError where they end before the cutoff.
        """
        if value is None:
            raise UsageError(f"{measure} needs the weights of ranks; add --discount FILE")
        cutoff, last = getattr(measure, "cutoff", None), len(value.weights)
        if cutoff is not None and cutoff > last:
            raise InputError(f"{value.origin} ends at rank {last}; {measure} looks at {cutoff}")
        return dataclasses.replace(measure, discount=value)

    def plays(self, plan: Plan) -> bool:
        """Tell whether a measure is weighed by it."""
        return any(getattr(measure, "discount", None) == GIVEN for measure in plan.measures)

    def digest(self, read: GivenDiscount) -> str:
        """Hash the weights."""
        return sha256(repr(read.weights).encode()).hexdigest()


DISCOUNT = DiscountReference("discount")

"""Many rows in one test, where a row takes less than what pytest needs to collect, run and report a test."""

from functools import update_wrapper
from inspect import Signature

import pytest


def walk(rows):
    """Call a test for each row, and fail with every row that fails, by its name.

    ``rows`` is a table from names to the arguments of the test, or a list of names that are the arguments. A row must
    not depend on what another one did.
    """
    named = rows if isinstance(rows, dict) else {str(each): (each,) for each in rows}

    def decorate(test):
        def walked():
            faults = []
            for name, arguments in named.items():
                try:
                    test(*arguments)
                except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 - all are shown together
                    fault.add_note(f"row: {name}")
                    faults.append(fault)
            if faults:
                raise BaseExceptionGroup(f"{len(faults)} of {len(named)} rows failed", faults)

        update_wrapper(walked, test)
        walked.__signature__ = Signature()  # without the arguments, which pytest would take for fixtures
        return walked

    return decorate

"""Texts that hold numbers, compared by the numbers: the last digits of a float are no part of what a page promises."""

import re
from math import isclose

NUMBER = re.compile(r"-?\b\d+(?:\.\d+)?(?:e[-+]?\d+)?\b")
LONG = re.compile(r"-?\b\d+\.(?=\d{13})\d+(?:e-?\d+)?")  # in full precision
DIGITS = 12


def shorten(text):
    """Round the numbers of full precision to twelve digits."""
    return LONG.sub(lambda number: f"{float(number[0]):.{DIGITS}g}", text)


def agree(text, expected):
    """Compare texts: numbers of full precision agree within 1e-11, everything else is the same."""
    if not LONG.search(text) and not LONG.search(expected):
        return text == expected
    if NUMBER.split(text) != NUMBER.split(expected):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(expected), strict=True)
    return all(one == other or near(one, other) for one, other in pairs)


def near(one, other):
    """Compare two numbers, one of which at least has many digits."""
    many = max(len(each.partition("e")[0].replace(".", "").lstrip("-0")) for each in (one, other))
    return many >= DIGITS - 1 and isclose(float(one), float(other), rel_tol=1e-11, abs_tol=1e-15)

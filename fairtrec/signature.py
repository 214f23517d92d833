"""The signature: every choice that changes a number, in one line, so that the number can be had again."""

import re
from collections.abc import Iterable, Mapping

from fairtrec.measure import Measure


def tau_of(measures: Iterable[Measure]) -> str:
    """Name the values of tau that the measures use, or nothing.

    >>> tau_of([])
    ''
    """
    values = {getattr(measure, "tau", None) for measure in measures} - {None}
    return ",".join(map(str, sorted(values, key=str)))


def signature(choices: Mapping[str, str]) -> str:
    """Write the choices in one line; those that play no part are left out.

    >>> signature({"fairtrec": "1.0", "order": "score", "queries": ""})
    'fairtrec:1.0 | order:score'
    """
    return " | ".join(f"{name}:{value}" for name, value in choices.items() if value)


def parts(signature: str) -> dict[str, str]:
    """Take a signature apart.

    >>> parts("fairtrec:1.0 | order:score | groups:a | b.csv@01234567")
    {'fairtrec': '1.0', 'order': 'score', 'groups': 'a | b.csv@01234567'}
    """
    pairs = [part.partition(":") for part in re.split(r" \| (?=[a-z-]+:)", signature)]
    return {name: text for name, _, text in pairs}


def short(name: str, sha256: str) -> str:
    """Name a file together with the first 8 digits of its digest.

    >>> short("gender-en", "0123456789abcdef")
    'gender-en@01234567'
    """
    return f"{name}@{sha256[:8]}" if sha256 else name

"""What a command line says of attributes: the labels of each by its name, and what is chosen for each.

Nothing here imports numpy, so that the command line can be read before anything is loaded.
"""

# ruff: noqa: PTH110, PTH119 - pathlib takes its time

import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from fairtrec.errors import UsageError
from fairtrec.files.arguments import source

NAME = re.compile(r"[\w.-]+")


def attributes(arguments: Iterable[str]) -> dict[str, str]:
    """Take labels ``name=source`` apart, by the names of attributes; of the only one the name may be left out: "".

    A file of the whole name comes first. Raises UsageError for several without names, or of one name.

    >>> attributes(["gender=g.tsv", "age=a.tsv:40,50"]), attributes(["g.tsv"])
    ({'gender': 'g.tsv', 'age': 'a.tsv:40,50'}, {'': 'g.tsv'})
    """
    found: dict[str, str] = {}
    several = list(dict.fromkeys(arguments))
    for each in several:
        name, sign, labels = each.partition("=")
        if not sign or not labels or not NAME.fullmatch(name) or os.path.exists(source(each).name):
            name, labels = "", each
        if not name and len(several) > 1:
            names = [one if NAME.match(one.partition("=")[0]) and "=" in one else _called(one) for one in several]
            raise UsageError(f"several labels need names: {' '.join(f'--labels {one}' for one in names)}")
        if name in found:
            raise UsageError(f"--labels gives {name} twice ({found[name]}, {labels}); give each attribute once")
        found[name] = labels
    return found


def _called(labels: str) -> str:
    """Suggest a name for an attribute, after its file."""
    stem = os.path.basename(labels).split(".")[0]
    return f"{''.join(NAME.findall(stem)) or 'NAME'}={labels}"


def by_attribute(values: Iterable[str], names: Collection[str], option: str) -> str | dict[str, str]:
    """Take what was typed once, or once for each attribute as ``NAME=VALUE``; "" is that for all others.

    Raises UsageError for two values of one attribute.

    >>> by_attribute(["even", "gender=f=0.4,m=0.6"], ["gender", "age"], "--target")
    {'': 'even', 'gender': 'f=0.4,m=0.6'}
    """
    found: dict[str, str] = {}
    several = list(dict.fromkeys(values))
    for each in several:
        name, sign, value = each.partition("=")
        is_name = bool(sign and names) and {*name.split("*")} <= {*names}
        key, own = (name, value) if is_name else ("", each)
        if found.setdefault(key, own) != own:
            once = "once, or once for each attribute as NAME=VALUE" if names else "once"
            raise UsageError(f"{option} is given twice ({', '.join(several)}); give it {once}")
    return found[""] if found.keys() == {""} else found


def is_by_name(value: Any) -> bool:
    """Tell what is chosen for attributes by their names from shares of groups, which are numbers."""
    return isinstance(value, Mapping) and not all(map(_is_share, value.values()))


def _is_share(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True

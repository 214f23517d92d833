"""What has another name now. An old name ends with one line that tells the new one."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from fairtrec.support.errors import UsageError

COMMANDS = {
    "annotations": "counts",
    "free": "headroom",
    "resources get": "resources fetch",
}
OPTIONS = {  # of every command that has the new one; behind a command's name, of that
    "--annotations": "--counts",
    "--group": "--groups",
    "trec-fair-2019 --groups": "--labels",
    "annotate --groups": "--terms",
    "counterfactual --groups": "--terms",
    "counts convert --groups": "--terms",
    "adversarial train --groups": "--terms",
    "--as": "--membership",
    "headroom --judged-only": "--pin-unjudged",
    "explain -q": "--query",
    "explain --candidates": "--exchanges",
    "check --alpha": "--confidence",
    "annotate --on-error": "--keep-going",
    "counterfactual --on-error": "--keep-going",
    "rerank --samples": "--rankings",
    "validate --depth": "--due",
    "adversarial rerank --queries": "--query-texts",
    "adversarial train --loss": "--objective",
    "validate --strict": "--fail-on warning",
    "--ties": "--bounds ties",
    "--unknown": "--bounds labels",
    "--missing bounds": "--bounds texts",
}
ELSEWHERE = {  # options that there are not, and what does that
    "eval --baseline": "fairtrec compare tests runs against a baseline",
    "rerank --list": "fairtrec measures lists rerankers, too",
    "cite -m": "name the measures alone, like fairtrec cite NFaiRR",
    **{
        f"{command} -J": "--only judged keeps judged documents alone in rankings"
        for command in ("eval", "compare", "check", "select", "headroom", "plot")
    },
    "trec-fair-2019 --validate": "fairtrec validate --track trec-fair-2019 lists the faults of runs",
}
KEYWORDS = {  # and names of the package; behind a function's name, of that
    "annotations": "counts",
    "group": "groups",
    "rule": "membership",
    "free": "headroom",
    "judged_only": "pin_unjudged",
    "alpha": "confidence",
    "on_error": "keep_going",
    "ties": "bounds='ties'",
    "unknown": "bounds='labels'",
    "missing='bounds'": "bounds='texts'",
    "explain candidates": "exchanges",
    "rerank samples": "rankings",
    "select output": "write_run",
    "train loss": "objective",
    "validate depth": "due",
}
P = ParamSpec("P")
T = TypeVar("T")


def now(old: str, new: str) -> str:
    """Tell the new name.

    >>> now("--annotations", OPTIONS["--annotations"])
    '--annotations is --counts now'
    """
    return f"{old} is {new} now"


def told(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function tell the new name of a keyword that has one."""
    name = function.__name__

    @wraps(function)
    def asked(*given: P.args, **keywords: P.kwargs) -> T:
        for keyword in keywords:
            new = KEYWORDS.get(f"{name} {keyword}") or KEYWORDS.get(keyword)
            if new is not None:
                raise UsageError(now(keyword, new))
        return function(*given, **keywords)

    return asked

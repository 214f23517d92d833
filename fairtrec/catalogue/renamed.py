"""What has another name now. An old name ends with one line that tells the new one."""

COMMANDS = {
    "annotations": "counts",
    "free": "headroom",
    "resources get": "resources fetch",
}
OPTIONS = {  # of every command that has the new one; behind a command's name, of that
    "--annotations": "--counts",
    "--group": "--groups",
    "trec-fair-2019 --groups": "--labels",
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
}
KEYWORDS = {  # and names of the package
    "annotations": "counts",
    "group": "groups",
    "rule": "membership",
    "free": "headroom",
    "judged_only": "pin_unjudged",
    "alpha": "confidence",
    "on_error": "keep_going",
}


def now(old: str, new: str) -> str:
    """Tell the new name.

    >>> now("--annotations", OPTIONS["--annotations"])
    '--annotations is --counts now'
    """
    return f"{old} is {new} now"

"""What has another name now. An old name ends with one line that tells the new one."""

COMMANDS = {
    "annotations": "counts",
}
OPTIONS = {  # of every command that has the new one; behind a command's name, of that
    "--annotations": "--counts",
    "trec-fair-2019 --groups": "--labels",
}
KEYWORDS = {  # and names of the package
    "annotations": "counts",
}


def now(old: str, new: str) -> str:
    """Tell the new name.

    >>> now("--annotations", OPTIONS["--annotations"])
    '--annotations is --counts now'
    """
    return f"{old} is {new} now"

"""The version of the package; what is written into files and signatures.

A release has the version of its tag. In a checkout it is 0.1.0.devN+gCOMMIT, N commits after the last release: the
commit is that which is checked out now, and N is 0 where it is not the one at which fairtrec was installed.
"""

import os
import re

_WRITTEN = "version.txt"  # beside this file, by the build
_NOBODY_BUILT_IT = "0.dev0"
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_SHOWN = 9  # of a commit's letters, where the build did not show some


def _found(package: str) -> str:
    """Find the version of the package in a folder."""
    written = _read(package, _WRITTEN) or _NOBODY_BUILT_IT
    commit = "" if os.path.isdir(os.path.join(package, "_resources")) else _checked_out(os.path.dirname(package))
    if not commit:
        return written
    public, _, local = written.partition("+g")
    built = local.partition(".")[0]
    if built and commit.startswith(built):
        return f"{public}+g{built}"
    since = re.sub(r"\.dev\d+$", ".dev0", public)
    return f"{since}+g{commit[: len(built) or _SHOWN]}"


def _checked_out(folder: str) -> str:
    """Read which commit is checked out in a folder, as git keeps it; empty where that is none, or not told so."""
    inside = os.path.join(folder, ".git")
    if (elsewhere := _read(inside)).startswith("gitdir: "):
        inside = os.path.join(folder, elsewhere.removeprefix("gitdir: "))
    head = _read(inside, "HEAD")
    if head.startswith("ref: "):
        name = head.removeprefix("ref: ")
        common = os.path.join(inside, _read(inside, "commondir"))
        packed = re.search(rf"^([0-9a-f]+) {re.escape(name)}$", _read(common, "packed-refs"), re.MULTILINE)
        head = _read(common, name) or (packed[1] if packed else "")
    return head if _COMMIT.fullmatch(head) else ""


def _read(*path: str) -> str:
    try:
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""


__version__ = _found(os.path.dirname(os.path.abspath(__file__)))

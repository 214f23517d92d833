"""The version of the package; what is written into files and signatures.

The build writes it beside this file, as git tells it then: a release has the version of its tag, a checkout that of the
commit at which it was installed, and a copy of which nothing says the version 0+unknown. importlib.metadata would say
the same, a tenth of a second later at each start, but for the number of commits before that of a checkout: a shallow
clone, such as that of pre-commit, does not know it, and one commit has one version.
"""

import os

_NEVER_INSTALLED = "0+unknown"


def _read(file: str) -> str:
    """Read what the build wrote; a checkout that was never installed has no such file."""
    try:
        with open(file, encoding="utf-8") as written:
            return _drop_count(written.read().strip()) or _NEVER_INSTALLED
    except (OSError, ValueError):
        return _NEVER_INSTALLED


def _drop_count(version: str) -> str:
    """Write 0 for the number of commits in the version of a checkout, as in 0.1.0.dev912+g4f2c9a1b7."""
    release, is_checkout, commit = version.partition("+g")
    return f"{release.partition('.dev')[0]}.dev0+g{commit}" if is_checkout else version


__version__ = _read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "version.txt"))

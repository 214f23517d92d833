"""The version of the package; what is written into files and signatures.

The build writes it beside this file, as git tells it then: a release has the version of its tag, a checkout that of the
commit at which it was installed, and a copy of which nothing says the version 0+unknown. importlib.metadata would say
the same, a tenth of a second later at each start.
"""

import os

_NEVER_INSTALLED = "0+unknown"


def _read(file: str) -> str:
    """Read what the build wrote; a checkout that was never installed has no such file."""
    try:
        with open(file, encoding="utf-8") as written:
            return written.read().strip() or _NEVER_INSTALLED
    except (OSError, ValueError):
        return _NEVER_INSTALLED


__version__ = _read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "version.txt"))

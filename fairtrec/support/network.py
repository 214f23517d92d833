"""Consent to fetch: no command contacts another machine unless somebody has said yes.

FAIRTREC_OFFLINE=1     never fetch.
FAIRTREC_AUTOFETCH=1   fetch what an evaluation needs, without a question.

Otherwise a terminal is asked. Without a terminal nothing is fetched.
"""

import os
import sys
from functools import cache

OFFLINE = "FAIRTREC_OFFLINE is set"
UNASKED = "nothing is fetched unless FAIRTREC_AUTOFETCH=1 is set"


def is_offline() -> bool:
    """Tell whether FAIRTREC_OFFLINE forbids to fetch."""
    return _is_set("FAIRTREC_OFFLINE")


def may_fetch(what: str) -> bool:
    """Tell whether this may be fetched; a terminal is asked, once."""
    return not is_offline() and (_is_set("FAIRTREC_AUTOFETCH") or _asked(what))


def refusal() -> str:
    """Say why nothing is fetched."""
    return OFFLINE if is_offline() else UNASKED


@cache
def _asked(what: str) -> bool:
    streams = (sys.stdin, sys.stderr)
    if not all(stream is not None and stream.isatty() for stream in streams):
        return False
    sys.stderr.write(f"{what} is not on this machine. Fetch it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _is_set(name: str) -> bool:
    return os.environ.get(name, "") not in {"", "0"}

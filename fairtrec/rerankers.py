"""Rerankers, each imported when it is first used: see ``fairtrec/lab/rerankers/``."""

from typing import TYPE_CHECKING

from fairtrec.lab.rerankers import *  # noqa: F403 - this is its public name

if not TYPE_CHECKING:
    from fairtrec.lab.rerankers import __dir__, __getattr__  # noqa: F401 - finds each

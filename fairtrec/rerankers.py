"""Rerankers, each imported when it is first used: see ``fairtrec/lab/rerankers/``."""

from typing import TYPE_CHECKING

from fairtrec.lab.rerankers import *  # noqa: F403 - this is its public name

if not TYPE_CHECKING:
    from fairtrec.lab.rerankers import __dir__ as __dir__
    from fairtrec.lab.rerankers import __getattr__ as __getattr__

"""Rerankers: one file for each or for an inseparable family, imported when one of them is first used."""

from typing import TYPE_CHECKING

from fairtrec.lab.rerankers import *  # noqa: F403 - this is its public name

if not TYPE_CHECKING:
    from fairtrec.lab.rerankers import __dir__, __getattr__  # noqa: F401 - finds each

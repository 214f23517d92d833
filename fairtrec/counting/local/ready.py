"""Imported by the process that others are forked from: what each would do first is done here, once."""
# ruff: noqa: E402 - imports are what makes garbage be looked for

import gc

gc.set_threshold(100_000)  # as in the first process

from fairtrec.counting.compiled import fastest
from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import character_kinds
from fairtrec.counting.text_blocks import read_tsv_lines
from fairtrec.data import GroupTerms

TERMS = GroupTerms("", {"a": ("she",), "b": ("he",)})

character_kinds("word")
some = read_tsv_lines("1\tÉté\n".encode(), 100)
fastest(Lexicon.from_terms(TERMS)).count(some.block, some.starts, some.ends)

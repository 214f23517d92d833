"""Imported by the process that counting processes are forked from: what each would do first is done here, once."""

from fairtrec.annotate import fastest, part
from fairtrec.annotate.counter import Lexicon
from fairtrec.annotate.documents import of_tsv
from fairtrec.data import GroupTerms

TERMS = GroupTerms("", {"a": ("she",), "b": ("he",)})

part.counted(fastest(Lexicon.of(TERMS)), of_tsv("1\tÉté\n".encode(), 100))

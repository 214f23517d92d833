"""The types of data that everything else passes around."""

from fairtrec.data.counts import Annotations, Candidates, Histogram
from fairtrec.data.docnos import MISSING, Bools, Docnos, Docs, Floats, Ints, Keys, decode, fingerprints, starts_of, take
from fairtrec.data.groups import (
    NONE,
    UNKNOWN,
    GroupTerms,
    Labels,
    Positions,
    Queries,
    Sheet,
    by_number,
    is_number,
    looked_up,
    product,
    rows_of,
)
from fairtrec.data.run import Qrels, Run, Samples, System, judged

__all__ = [
    "MISSING",
    "NONE",
    "UNKNOWN",
    "Annotations",
    "Bools",
    "Candidates",
    "Docnos",
    "Docs",
    "Floats",
    "GroupTerms",
    "Histogram",
    "Ints",
    "Keys",
    "Labels",
    "Positions",
    "Qrels",
    "Queries",
    "Run",
    "Samples",
    "Sheet",
    "System",
    "by_number",
    "decode",
    "fingerprints",
    "is_number",
    "judged",
    "looked_up",
    "product",
    "rows_of",
    "starts_of",
    "take",
]

"""The codes of findings: a letter (E error, W warning) and three digits, which keep their meaning for ever.

The hundreds say where to look: 1 the file, 2 columns, 3 scores, 4 documents, 5 queries, 6 ranks and ties, 7 depth and
tag, 8 other tracks.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """What can be found in a run, and what ``--fix`` does about it where the repair is certain."""

    name: str
    title: str
    meaning: str
    repair: str = ""

    @property
    def is_error(self) -> bool:
        """Tell errors, with which nobody should submit the run, from warnings."""
        return self.name.startswith("E")


_ORDERED = "put in order of falling score, ties by falling docno"
_RENUMBERED = "renumbered 1 to n by falling score"
_ALL = (
    Code(
        "E101",
        "unreadable",
        "there is no such file, it is an archive, its compressed data is damaged, or JSON or Parquet holds no run",
    ),
    Code("E102", "empty", "there are no entries"),
    Code("E103", "not-utf-8", "bytes that are not UTF-8"),
    Code("E104", "nul", "a NUL byte"),
    Code("E105", "long-line", "a line of more than 1 MiB"),
    Code("E106", "wide-ids", "so wide ids in so many lines that they do not fit into memory"),
    Code("W111", "byte-order-mark", "a byte-order mark, which trec_eval takes for part of the first qid", "removed"),
    Code("W112", "line-ends", "lines end in CR LF", "lines end in LF"),
    Code("W113", "no-final-newline", "the last line has no end; was the file written to the end?", "added"),
    Code("W114", "odd-space", "a blank that separates no columns: no-break space, zero-width space and their kin"),
    Code("E201", "columns", "a line of not exactly six columns"),
    Code("E202", "blank-line", "a blank line, which trec_eval refuses and fairtrec passes over", "dropped"),
    Code("E203", "comment", "a comment before the entries, which trec_eval refuses", "dropped"),
    Code("E204", "long-id", "a qid, docno or tag of more than 1,024 bytes"),
    Code("W211", "second-column", "column 2 is not Q0"),
    Code("W212", "separators", "columns are not parted by one blank or one tab each", "one blank between columns"),
    Code("E301", "score", "the score is no decimal number"),
    Code("E302", "score-nan", "the score is nan"),
    Code("E303", "score-infinite", "the score is infinite, or larger than a float64 can hold"),
    Code("E401", "duplicate", "a document again under the same query, with the same score", "the first line is kept"),
    Code("E402", "conflict", "a document again under the same query, with another score"),
    Code("E403", "unknown-document", "the document is not in the collection"),
    Code("W501", "split-query", "the lines of a query do not stand together", "joined where the query first stands"),
    Code("W502", "missing-query", "the run has no document for some wanted queries"),
    Code("W503", "unknown-query", "the query is not one of the wanted ones"),
    Code("E504", "no-common-query", "the run has none of the wanted queries"),
    Code("W601", "rank-order", "a larger score at a worse rank; trec_eval goes by the score", _ORDERED),
    Code("W602", "rank-start", "the first rank of a query is not 1", _RENUMBERED),
    Code("W603", "rank-gap", "a rank is left out", _RENUMBERED),
    Code("W604", "rank-repeated", "a rank stands more than once", _RENUMBERED),
    Code("W605", "rank-number", "the rank is not a whole number", _RENUMBERED),
    Code(
        "E606",
        "upside-down",
        "scores rise with the ranks throughout a query: is a lower one better, or is it the rank?",
    ),
    Code("W611", "ties", "documents of equal score, which trec_eval orders by falling docno"),
    Code("W612", "ties-at-cutoff", "a tie across the cutoff: docnos decide which documents are above it"),
    Code("E701", "too-deep", "more documents for a query than --due", "cut at --due"),
    Code("W702", "too-few", "fewer documents for a query than --due"),
    Code("W711", "tag-changes", "the tag is not that of the line before"),
    Code("W712", "same-tag", "another run that is checked with this one has the same tag"),
    Code(
        "W713", "same-rankings", "another run that is checked with this one ranks the same documents in the same order"
    ),
    Code("E801", "trec-fair-2019", "a fault of a run of the TREC 2019 Fair Ranking track"),
)
CODES = {code.name: code for code in _ALL}


def table() -> str:
    """Write all codes as a table in Markdown.

    >>> table().splitlines()[3]
    '| E102 | empty | there are no entries |  |'
    """
    rows = [(code.name, code.title, code.meaning, code.repair) for code in _ALL]
    lines = [("code", "name", "what is found", "`--fix`"), (":--",) * 4, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

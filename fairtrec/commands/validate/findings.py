"""Findings: what is wrong, where; the first few of each code are kept, and all are counted.

A code is a letter (E error, W warning) and three digits, which keep their meaning for ever. The hundreds say where to
look: 1 the file, 2 columns, 3 scores, 4 documents, 5 queries, 6 ranks and ties, 7 depth and tag, 8 other tracks.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fairtrec.data import Ints


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


_ORDERED = "sorted by falling score, ties by falling docno"
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
    Code("E106", "wide-ids", "the ids are so long, in so many lines, that they do not fit into memory"),
    Code("E107", "refused", "what --no-links or --untrusted refuses: a link, no file, an odd name, more than a limit"),
    Code("W111", "byte-order-mark", "a byte-order mark, which trec_eval reads as part of the first qid", "removed"),
    Code("W112", "line-ends", "lines end in CR LF", "lines end in LF"),
    Code("W113", "no-final-newline", "the last line has no newline; was the file written completely?", "added"),
    Code("W114", "odd-space", "a space that does not separate columns, such as a no-break or zero-width space"),
    Code("W115", "link", "the file is a symbolic link", "written as a file"),
    Code("E201", "columns", "a line of not exactly six columns"),
    Code("E202", "blank-line", "a blank line, which trec_eval refuses and fairtrec skips", "dropped"),
    Code("E203", "comment", "a comment before the entries, which trec_eval refuses", "dropped"),
    Code("E204", "long-id", "a qid, docno or tag of more than 1,024 bytes"),
    Code("W211", "second-column", "column 2 is not Q0"),
    Code("W212", "separators", "columns are not separated by one space or one tab each", "one space between columns"),
    Code("E301", "score", "the score is not a decimal number"),
    Code("E302", "score-nan", "the score is nan"),
    Code("E303", "score-infinite", "the score is infinite, or larger than a float64 can hold"),
    Code("E401", "duplicate", "a document appears again in a query, with the same score", "the first line is kept"),
    Code("E402", "conflict", "a document appears again in a query, with another score"),
    Code("E403", "unknown-document", "the document is not in the collection"),
    Code("W501", "split-query", "the lines of a query are not together", "joined at the first line of the query"),
    Code("W502", "missing-query", "the run has no document for some wanted queries"),
    Code("W503", "unknown-query", "the query is not one of the wanted ones"),
    Code("E504", "no-common-query", "the run has none of the wanted queries"),
    Code("W601", "rank-order", "a larger score at a worse rank; trec_eval sorts by score", _ORDERED),
    Code("W602", "rank-start", "the first rank of a query is not 1", _RENUMBERED),
    Code("W603", "rank-gap", "a rank is left out", _RENUMBERED),
    Code("W604", "rank-repeated", "a rank appears more than once", _RENUMBERED),
    Code("W605", "rank-number", "the rank is not a whole number", _RENUMBERED),
    Code(
        "E606",
        "upside-down",
        "scores rise with the ranks in a whole query; is a lower score better, or is the column the rank?",
    ),
    Code("W611", "ties", "documents of equal score, which trec_eval sorts by falling docno"),
    Code("W612", "ties-at-cutoff", "a tie across the cutoff: docnos decide which documents are above it"),
    Code("E701", "too-deep", "more documents for a query than --due", "cut at --due"),
    Code("W702", "too-few", "fewer documents for a query than --due"),
    Code("W711", "tag-changes", "the tag differs from the line before"),
    Code("W712", "same-tag", "another of the runs has the same tag"),
    Code("W713", "same-rankings", "another of the runs ranks the same documents in the same order"),
    Code("E801", "trec-fair-2019", "an error in a run of the TREC 2019 Fair Ranking track"),
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


KEPT = 20  # of one code in one file
SHOWN = 60  # characters of what stands in a file


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong; ``line`` is None where it is of the whole file."""

    code: Code
    line: int | None
    message: str


@dataclass
class Findings:
    """Collects the findings of one file: those of one code in the order of their lines."""

    most: int | None = KEPT
    kept: list[Finding] = field(default_factory=list)
    many: Counter[str] = field(default_factory=Counter)

    def add(self, code: str, line: int | None, message: str) -> None:
        """Add one finding."""
        self.many[code] += 1
        if self.most is None or self.many[code] <= self.most:
            self.kept.append(Finding(CODES[code], line, message))

    def add_all(self, code: str, lines: Ints, message: Callable[[int], str]) -> None:
        """Add a finding for each of the lines; the message of one is written from its place among them."""
        room = len(lines) if self.most is None else min(len(lines), max(self.most - self.many[code], 0))
        for place in range(room):
            self.kept.append(Finding(CODES[code], int(lines[place]), message(place)))
        if len(lines):
            self.many[code] += len(lines)

    def instead(self, code: str, line: int | None, message: str) -> None:
        """Say once what was found in every line, in the place of all findings of a code."""
        self.kept = [finding for finding in self.kept if finding.code.name != code]
        self.many[code] = 0
        self.add(code, line, message)

    @property
    def in_order(self) -> list[Finding]:
        """The kept findings by line, those of the whole file first."""
        return sorted(self.kept, key=lambda finding: (finding.line or 0, finding.code.name))

    @property
    def hidden(self) -> dict[str, int]:
        """How many findings of a code were counted and not kept."""
        kept = Counter(finding.code.name for finding in self.kept)
        return {code: many - kept[code] for code, many in sorted(self.many.items()) if many > kept[code]}

    def total(self, *, errors: bool) -> int:
        """Count the errors, or the warnings."""
        return sum(many for code, many in self.many.items() if CODES[code].is_error == errors)


def shown(text: bytes | str) -> str:
    """Quote what stands in a file, cut short, with escapes for what cannot be printed.

    >>> shown(b"a\\xffb")
    "'a\\\\\\\\xffb'"
    """
    whole = text.decode(errors="backslashreplace") if isinstance(text, bytes) else text
    return repr(whole if len(whole) <= SHOWN else whole[: SHOWN - 3] + "...")


def some(names: Sequence[str], most: int | None = 3) -> str:
    """List the first few names, and how many more there are.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    few = names[:most]
    return ", ".join(few) + (f" and {len(names) - len(few):,} more" if len(few) < len(names) else "")


def plural(many: int, word: str) -> str:
    """Write a number and its noun.

    >>> plural(1, "query"), plural(1200, "query"), plural(2, "line")
    ('1 query', '1,200 queries', '2 lines')
    """
    ending = word if many == 1 else f"{word[:-1]}ies" if word.endswith("ry") else f"{word}s"
    return f"{many:,} {ending}"

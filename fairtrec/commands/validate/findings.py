"""Findings: what is wrong, where; the first few of each code are kept, and all are counted.

A code is a letter (E error, W warning) and three digits, which keep their meaning for ever. The hundreds say where to
look: 1 the file, 2 columns, 3 scores, 4 documents, 5 queries, 6 ranks and ties, 7 depth and tag, 8 other tracks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
        "no such file, an archive or a spreadsheet, damaged compressed data, or JSON or Parquet that holds no run",
    ),
    Code("E102", "empty", "the file has no entries"),
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
    Code("E203", "comment", "comments, which trec_eval 9 refuses", "dropped"),
    Code("E204", "long-id", "a qid, docno or tag of more than 1,024 bytes"),
    Code("E205", "blank-tag", "the tag has blanks", "joined by _"),
    Code("W211", "second-column", "column 2 is not Q0"),
    Code("W212", "separators", "columns are not separated by one space or one tab each", "one space between columns"),
    Code("W213", "comment-entry", "a comment that has the form of an entry"),
    Code("E301", "score", "the score is not a decimal number"),
    Code("E302", "score-nan", "the score is nan"),
    Code("E303", "score-infinite", "the score is infinite, or larger than a float64 can hold"),
    Code("E401", "duplicate", "a document appears again in a query, with the same score", "the first line is kept"),
    Code("E402", "conflict", "a document appears again in a query, with another score"),
    Code("E403", "unknown-document", "the document is not in the collection"),
    Code("W501", "split-query", "the lines of a query are not together", "joined at the first line of the query"),
    Code("W502", "missing-query", "the run has no document for some queries that are wanted or that it names"),
    Code("W503", "unknown-query", "the query is not one of the wanted ones"),
    Code("E504", "no-common-query", "the run has none of the wanted queries"),
    Code("W505", "no-judged-document", "no document of the run is judged; are its ids those of the qrels?"),
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
    Code("W613", "own-id", "the first document of many rankings is the query itself; --only others leaves it out"),
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
    '| E102 | empty | the file has no entries |  |'
    """
    rows = [(code.name, code.title, code.meaning, code.repair) for code in _ALL]
    lines = [("code", "name", "what is found", "`--fix`"), (":--",) * 4, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


KEPT = 20  # of one code in one file
SHOWN = 60  # characters of what stands in a file


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong; ``line`` is None where it is of the whole file.

    ``qids`` are the queries that it is of, if it is of queries; ``alike`` is the same for findings of a code that
    differ only by query.
    """

    code: Code
    line: int | None
    message: str
    qids: tuple[str, ...] = ()
    alike: str = ""


def place_of(finding: Finding) -> tuple[int, str]:
    """Give the line and the code by which findings are ordered; those of the whole file come first."""
    return finding.line or 0, finding.code.name


@dataclass
class QueryGroup:
    """Findings of one code that differ only by query: the first line and message, and all queries."""

    line: int
    message: str
    qids: list[str] = field(default_factory=list)

    def describe(self, together: str | None) -> str:
        """Write all in one message; ``together`` is written before the queries, else the first message."""
        if len(self.qids) == 1:
            return self.message
        if together is not None:
            return together.format(many=f"{len(self.qids):,}", queries=list_few(self.qids))
        return f"{self.message} (and {plural(len(self.qids) - 1, 'more query')}: {list_few(self.qids[1:])})"


@dataclass
class Findings:
    """Collects the findings of one file: those of one code in the order of their lines.

    ``is_grouped``  findings of one code that differ only by query are told as one.
    ``asides``      what is told of queries by a code, and is no fault: it is not counted.
    """

    most: int | None = KEPT
    kept: list[Finding] = field(default_factory=list)
    many: Counter[str] = field(default_factory=Counter)
    is_grouped: bool = True
    asides: list[Finding] = field(default_factory=list)
    groups: dict[tuple[str, str], QueryGroup] = field(default_factory=dict)  # by code, and what is alike
    together: dict[str, str] = field(default_factory=dict)  # how all findings of a code are told in one message

    def add(self, code: str, line: int | None, message: str, qids: tuple[str, ...] = ()) -> None:
        """Add one finding, perhaps of these queries."""
        self.many[code] += 1
        if self.most is None or self.many[code] <= self.most:
            self.kept.append(Finding(CODES[code], line, message, qids))

    def is_full(self, code: str) -> bool:
        """Tell whether further findings of a code are only counted."""
        return self.most is not None and self.many[code] >= self.most

    def add_all(self, code: str, lines: Ints, message: Callable[[int], str]) -> None:
        """Add a finding for each of the lines; the message of one is written from its place among them."""
        room = len(lines) if self.most is None else min(len(lines), max(self.most - self.many[code], 0))
        for place in range(room):
            self.kept.append(Finding(CODES[code], int(lines[place]), message(place)))
        if len(lines):
            self.many[code] += len(lines)

    def add_queries(
        self,
        code: str,
        lines: Ints,
        qids: Sequence[str],
        message: Callable[[int, str], str],
        together: str | None = None,
    ) -> None:
        """Add a finding for each query, by its place among them and its id, and group those that differ only by query.

        ``together``  the message of all in one, with ``{many}`` and ``{queries}``.
        """
        for place, (line, qid) in enumerate(zip(lines.tolist(), qids, strict=True)):
            self.many[code] += 1
            alike = "" if together is not None else message(place, "{}")
            group = self.groups.get((code, alike))
            if group is None:
                group = self.groups[code, alike] = QueryGroup(line, message(place, qid))
            group.qids.append(qid)
            if self.most is None or self.many[code] <= self.most:
                self.kept.append(Finding(CODES[code], line, message(place, qid), (qid,), alike))
        if together is not None:
            self.together[code] = together

    def tell(self, code: str, line: int, qids: Sequence[str], message: str) -> None:
        """Tell something of queries that is no fault."""
        self.asides.append(Finding(CODES[code], line, message, tuple(qids)))

    def replace_all(self, code: str, line: int | None, message: str) -> None:
        """Say once what was found in every line, in the place of all findings of a code."""
        self.kept = [finding for finding in self.kept if finding.code.name != code]
        self.many[code] = 0
        self.groups = {key: group for key, group in self.groups.items() if key[0] != code}
        self.add(code, line, message)

    @property
    def reported_findings(self) -> list[Finding]:
        """The findings that reports list, in order: of several that differ only by query one, with all queries."""
        if self.most is None or not self.is_grouped:
            return sorted([*self.kept, *self.asides], key=place_of)
        several = {key: group for key, group in self.groups.items() if len(group.qids) > 1}
        alone = [
            finding for finding in self.kept if (finding.code.name, finding.alike) not in several or not finding.qids
        ]
        whole = [
            Finding(CODES[code], group.line, group.describe(self.together.get(code)), tuple(group.qids), alike)
            for (code, alike), group in several.items()
        ]
        return sorted([*alone, *whole, *self.asides], key=place_of)

    @property
    def hidden(self) -> dict[str, int]:
        """How many findings of a code were counted, and are not among those that are told."""
        told: Counter[str] = Counter()
        for finding in (each for each in self.reported_findings if each not in self.asides):
            told[finding.code.name] += len(finding.qids) if self.is_of_each(finding) else 1
        return {code: many - told[code] for code, many in sorted(self.many.items()) if many > told[code]}

    def is_of_each(self, finding: Finding) -> bool:
        """Tell whether each query of a finding counts as one."""
        return bool(finding.qids) and (finding.code.name, finding.alike) in self.groups

    def total(self, *, errors: bool, shared: Iterable[Finding] = ()) -> int:
        """Count the errors, or the warnings, without findings that all runs share."""
        left_out: Counter[str] = Counter()
        for finding in (each for each in shared if each not in self.asides):
            left_out[finding.code.name] += len(finding.qids) if self.is_of_each(finding) else 1
        of_kind = {code: many for code, many in self.many.items() if CODES[code].is_error == errors}
        return sum(many - left_out[code] for code, many in of_kind.items())


def quote_text(text: bytes | str) -> str:
    """Quote what stands in a file, cut short, with escapes for what cannot be printed.

    >>> quote_text(b"a\\xffb")
    "'a\\\\\\\\xffb'"
    """
    whole = text.decode(errors="backslashreplace") if isinstance(text, bytes) else text
    return repr(whole if len(whole) <= SHOWN else whole[: SHOWN - 3] + "...")


def list_few(qids: Sequence[str], most: int = 3) -> str:
    """List the first few queries, and three points if there are more.

    >>> list_few(["a", "b", "c"]), list_few(["a", "b", "c", "d"])
    ('a, b, c', 'a, b, c, ...')
    """
    return ", ".join([*qids[:most], *["..."] * (len(qids) > most)])


def list_some(names: Sequence[str], most: int | None = 3) -> str:
    """List the first few names, and how many more there are.

    >>> list_some(["a", "b", "c", "d", "e"])
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

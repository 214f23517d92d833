"""Queries that people annotated: their votes, one a line, and tables of what they ask and which domains they touch."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import fspath
from typing import Any

from fairtrec.data import decode
from fairtrec.formats.frames import Frame, is_frame
from fairtrec.formats.memory import explain_failures
from fairtrec.formats.named_tables import TableKind, pass_comments, peek_line, read_table, refuse_widths, split_below
from fairtrec.support.errors import PATH, FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import find_header
from fairtrec.support.literals import QUERY, RESERVED

_ID = re.compile(r"[^\s,#][^\s,]*")  # what a file of query ids can hold
VOTES = TableKind(
    "file of votes", {"qid": QUERY, "annotator": ("annotator",), "label": ("label",)},
    optional=frozenset({"annotator"}), rest="label", separators=("\t", ","),
)  # fmt: skip
_VOTE = "{} column{} instead of two or three; write: qid<TAB>annotator<TAB>label, or a file for each annotator"
TABLE = TableKind(
    "table of queries", {"qid": [name for name in QUERY if name != "query"], "query": ("query", "text", "title")},
    optional=frozenset({"query"}), rest="query", takes_all=True,
)  # fmt: skip
MOST_LABELS = 500  # different ones of votes, and domains
MOST_CELLS = 1 << 24  # of the table of votes [query, label]
LONGEST_COMPARED = 40  # letters of names that may be meant to be the same
VoteLine = tuple[FilePath | None, int | None, str, str, str]  # path, line, qid, annotator, label
Ballots = dict[str, dict[str, str]]  # of each query the labels by annotator, both in the order in which they come


def ballots(given: Any) -> Ballots:
    """Read votes: a file or several of lines qid, annotator, label; or of qid, label, with a file for each annotator.

    Also ``{annotator: {qid: label}}``, or a frame of these columns. Raises InputError for a bad line, an empty label,
    an annotator who votes twice on a query, and where there is no vote at all.
    """
    found: Ballots = {}
    labels: set[str] = set()
    for path, line, qid, annotator, label in _votes(given):
        if not _ID.fullmatch(qid):
            raise InputError(f"the query id {qid!r} is empty, or has a blank, comma or #; write another", path, line)
        if not annotator or not label:
            what = "label" if annotator else "annotator"
            raise InputError(f"this vote on query {qid} has no {what}; write one, or remove the vote", path, line)
        of_query = found.setdefault(qid, {})
        if annotator in of_query:
            raise InputError(f"{annotator} votes twice on query {qid}; keep one vote", path, line)
        if not of_query or label not in labels:
            labels.add(label)
            _refuse_size(len(labels), len(found), path, line)
        of_query[annotator] = label
    if not found:
        raise InputError("the file has no votes; write lines: qid<TAB>annotator<TAB>label")
    return found


def _refuse_size(labels: int, queries: int, path: FilePath | None, line: int | None) -> None:
    """Raise InputError if there are too many different labels, or the table of votes [query, label] is too large."""
    if labels > MOST_LABELS:
        what = f"more than {MOST_LABELS:,} different labels"
        raise InputError(f"{what}; write the label last, and fewer different ones", path, line)
    if labels * queries > MOST_CELLS:
        what = f"{labels:,} labels of {queries:,} queries do not fit into memory"
        raise InputError(f"{what}; use fewer labels, or split the votes by query", path, line)


def list_paths(given: Any) -> list[FilePath]:
    """Name the files that votes are read from; none where they are held."""
    if isinstance(given, PATH):
        return [given]
    return list(given) if isinstance(given, list | tuple) and all(isinstance(each, PATH) for each in given) else []


def _votes(given: Any) -> Iterator[VoteLine]:
    if paths := list_paths(given):
        often = Counter(map(opening.name, paths))
        for path in paths:
            name = opening.name(path)
            yield from _of_file(path, name if often[name] == 1 else fspath(path))
        return
    with explain_failures("votes"):
        if is_frame(given):
            frame = Frame.wrap(given, "votes", (*QUERY, "annotator", "label"))
            columns = [decode(frame.ids(names)) for names in (QUERY, ("annotator",), ("label",))]
            held = list(zip(*columns, strict=True))
        else:
            held = [(str(qid), str(by), str(label)) for by, of in given.items() for qid, label in of.items()]
    yield from ((None, None, qid.strip(), by.strip(), label.strip()) for qid, by, label in held)


def _of_file(path: FilePath, name: str) -> Iterator[VoteLine]:
    width = 0
    for number, cells in refuse_widths(read_table(path, VOTES).rows, path, (2, 3), _VOTE, 0):
        width = width or len(cells)
        if len(cells) != width:
            raise InputError(
                f"{len(cells)} column{'s' * (len(cells) > 1)} instead of the {width} of the first line; correct it",
                path,
                number,
            )
        qid, *by, label = cells
        yield path, number, qid, by[0] if by else name, label


@dataclass(frozen=True)
class QueryTable:
    """What queries ask, and the domains of each, both by qid in the order of the file."""

    texts: Mapping[str, str]
    domains: Mapping[str, tuple[str, ...]]


def table(path: FilePath, domain: str | None) -> QueryTable | None:
    """Read columns whose first line names them: the id of the query, its text, or else the next one, and the domains.

    A cell may name several domains, with commas between them. None where the first line names no columns and no domain
    is asked for: lines qid<TAB>text. Raises InputError for a bad line, a query that appears twice, and a column that is
    not there.
    """
    (first, line), lines = peek_line(pass_comments(opening.lines(path)))
    header = find_header(line.decode())
    if header is None:
        if domain is None:
            return None
        raise InputError(f"there is no column {domain}; the first line has to name them: qid query ...", path, first)
    if domain is not None and domain not in header.written:
        raise InputError(f"there is no column {domain}; there are {', '.join(header.written)}", path, first)
    places = TABLE.find_columns(header, path, first)
    columns = [
        *places["qid"],
        *places.get("query", [])[:1],
        *([] if domain is None else [header.written.index(domain)]),
    ]
    next(lines)
    texts: dict[str, str] = {}
    domains: dict[str, tuple[str, ...]] = {}
    every: set[str] = set()
    for number, row in split_below(lines, header, path):
        qid, text, *named = [row[at].strip() if at < len(row) else "" for at in columns]
        several = (name.strip() for cell in named for name in cell.split(","))
        own = tuple(dict.fromkeys(name for name in several if name))
        every.update(own)
        if fault := _fault_of_query(qid, own, len(every), is_twice=qid in texts):
            raise InputError(fault, path, number)
        texts[qid], domains[qid] = text, own
    return QueryTable(texts, domains)


def _fault_of_query(qid: str, domains: Sequence[str], every: int, *, is_twice: bool) -> str:
    """Say what is wrong with a line of a table, which has so many domains down to this line; "" if nothing is."""
    if not _ID.fullmatch(qid):
        return f"the query id {qid!r} is empty, or has a blank, comma or #; write another"
    if is_twice:
        return f"query {qid} appears twice; keep one line"
    if every > MOST_LABELS:
        return f"more than {MOST_LABELS:,} domains; name a column of fewer"
    reserved = next(iter(RESERVED.keys() & domains), None)
    return "" if reserved is None else f"{reserved!r} means {RESERVED[reserved]}; rename this domain"


def find_similar_names(many: Mapping[str, int]) -> list[tuple[str, str]]:
    """Find names that may be meant to be the same, the rarer of two first: other in case, or in one or two letters.

    Of short names fewer letters differ: at most a third of them.

    >>> find_similar_names({"Career": 63, "career": 1, "Power": 2, "Work": 2, "War": 1})
    [('career', 'Career')]
    """
    ranked = sorted(many, key=lambda name: (many[name], name))
    pairs = ((rare, usual) for at, rare in enumerate(ranked) for usual in ranked[at + 1 :])
    found = []
    for rare, usual in pairs:
        one, other = rare.casefold(), usual.casefold()
        most = min(2, len(one) // 3, len(other) // 3)
        is_short = max(len(one), len(other)) <= LONGEST_COMPARED
        if is_short and abs(len(one) - len(other)) <= most and _is_near(one, other, most):
            found.append((rare, usual))
    return found


def _is_near(one: str, other: str, most: int) -> bool:
    """Tell whether at most so many letters are to be changed, added or left out (Levenshtein).

    >>> _is_near("career", "carrier", 2), _is_near("career", "carrier", 1)
    (True, False)
    """
    row = list(range(len(one) + 1))
    for number, letter in enumerate(other, 1):
        before, row = row, [number] + [most + 1] * len(one)
        for at in range(max(0, number - 1 - most), min(len(one), number + most)):  # further off more letters differ
            row[at + 1] = min(before[at] + (one[at] != letter), before[at + 1] + 1, row[at] + 1)
        if min(row) > most:
            return False
    return row[-1] <= most

"""Short lists that are tables: terms, queries, slices, targets, discounts, frequencies, clusters."""

import re

import numpy as np

from fairtrec.data import MOST_GROUPS, Floats, GroupTerms, Queries, is_number
from fairtrec.formats.named_tables import TableKind, read_table, refuse_widths
from fairtrec.formulas.distribution import normalize_rounded, sums_to_one
from fairtrec.support.errors import FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import HEADS, WORDS
from fairtrec.support.literals import QUERY, RESERVED, TERM

MOST_SLICES = 1000  # each of which is tested
MOST_SHARES = 1 << 24  # of the targets of all queries
_ID = re.compile(r"[^\s,]+")
_TRIPLE = "write it as: query<TAB>relevant<TAB>not relevant"
_SLICE = "not a query id and a slice, in two columns; write: qid<TAB>slice"
_TARGET = "{} column{} instead of two or three; write: group<TAB>share, or qid<TAB>group<TAB>share"
_WEIGHT = "{} column{} instead of two; write: rank<TAB>weight"
_FREQUENCY = "{} column{} instead of two; write: qid<TAB>frequency"
_CLUSTER = "{} column{} instead of two; write: qid<TAB>cluster"
TERMS = TableKind(
    "term list", {"term": (*TERM, *sorted(WORDS)), "group": ("group",)}, rest="group", wide="term",
    separators=("\t", ","),
)  # fmt: skip
QUERIES = TableKind("query set", {"qid": QUERY}, separators=(None,))
SLICES = TableKind("list of slices", {"qid": QUERY, "slice": ("slice",)}, rest="slice", separators=("\t", None))
TARGETS = TableKind(
    "target", {"qid": QUERY, "group": ("group",), "share": ("share",), "count": ("count",)},
    optional=frozenset({"qid", "share", "count"}), heads=HEADS["target"],
)  # fmt: skip
DISCOUNT = TableKind(
    "discount", {"rank": ("rank",), "weight": ("weight",)}, separators=("\t", None), heads=HEADS["discount"]
)
FREQUENCIES = TableKind(
    "list of frequencies", {"qid": QUERY, "frequency": ("frequency", "count", "weight")}, rest="frequency",
    separators=("\t", None),
)  # fmt: skip
CLUSTERS = TableKind(
    "list of clusters", {"qid": QUERY, "cluster": ("cluster",)}, rest="cluster", separators=("\t", None)
)


def terms(path: FilePath) -> GroupTerms:
    """Read lists of group terms: lines ``term,group`` or ``term<TAB>group``, or columns of these names in any order.

    A term may be several words, and may stand in several groups. Raises InputError for a line of other than two parts,
    an empty term or group, one with a star, and a list of fewer than two groups.
    """
    found: dict[str, dict[str, None]] = {}
    for number, (text, *behind) in read_table(path, TERMS).rows:
        if "\t" in text:
            raise InputError("this line has more than two columns; write it as: term<TAB>group", path, number)
        term, group = " ".join(text.split()), "".join(behind)
        if not term or not group:
            missing = "group" if term else "term"
            raise InputError(f"this line has no {missing}; write it as: term,group", path, number)
        if "*" in term:
            raise InputError(f"{term}: there are no wildcards; list the words", path, number)
        found.setdefault(group, {})[term] = None
        if len(found) > MOST_GROUPS:
            what = f"more than {MOST_GROUPS:,} groups"
            raise InputError(f"{what}; write each line as: term,group, and fewer groups", path, number)
    if len(found) < 2:
        raise InputError("this term list has fewer than two groups; fairness needs at least two", path)
    lists = {group: tuple(words) for group, words in found.items()}
    return GroupTerms(opening.name(path), lists, opening.sha256(path))


def queries(path: FilePath, keep: str | None = None) -> Queries:
    """Read a query set: an id a line, in the first column, or in that which the first line calls so.

    What stands behind a tab, comma or blank is ignored. ``keep``  only of lines whose last comma-separated field is
    that. Raises InputError for a line without an id, an id that appears twice, and an empty file.
    """
    qids: dict[str, None] = {}
    for number, cells in read_table(path, QUERIES).rows:
        found = _ID.match(cells[0]) if cells else None
        if found is None:
            raise InputError("this line has no query id in its first column; add it", path, number)
        if keep is not None and " ".join(cells).rpartition(",")[2].strip() != keep:
            continue
        qid = found.group()
        if qid in qids:
            raise InputError(f"query {qid} appears twice; remove one of the two", path, number)
        qids[qid] = None
    if not qids:
        raise InputError("this query set is empty; write one query id per line", path)
    return Queries(opening.name(path), tuple(qids), opening.sha256(path))


def slices(path: FilePath) -> dict[str, tuple[str, ...]]:
    """Read the query ids of each slice, both as they first appear: ``qid<TAB>slice``, or a blank between them.

    A query may be in several. Behind a tab, the name of a slice may hold blanks. Raises InputError for a line without
    two columns, a query that is twice in a slice, a slice of the name ``all``, ``difference`` or ``ratio``, and an
    empty file.
    """
    found: dict[str, dict[str, None]] = {}
    for number, (qid, name) in refuse_widths(read_table(path, SLICES).rows, path, (2,), _SLICE, 2):
        if name in RESERVED:
            raise InputError(f"{name!r} means {RESERVED[name]}; rename this slice", path, number)
        members = found.setdefault(name, {})
        if len(found) > MOST_SLICES:
            what = f"more than {MOST_SLICES:,} slices"
            raise InputError(f"{what}; write each line as: qid<TAB>slice, and fewer slices", path, number)
        if qid in members:
            raise InputError(f"query {qid} is twice in the slice {name}; remove one of the two", path, number)
        members[qid] = None
    if not found:
        raise InputError("this file has no slice; write a line qid<TAB>slice for each query", path)
    return {name: tuple(members) for name, members in found.items()}


def targets(path: FilePath, groups: tuple[str, ...]) -> Floats | dict[str, Floats]:
    """Read a target, ``group<TAB>share``, or one for each query, ``qid<TAB>group<TAB>share``.

    A first line ``group count`` or ``qid group count`` says that any numbers follow, which are divided by their sum;
    shares are, too, where they are rounded. A group that is not named has the share 0. Raises InputError for a bad
    line, an unknown group, a group that appears twice, and shares that do not sum to 1.
    """
    found: dict[str, Floats] = {}
    first: dict[str, int | None] = {}
    seen: set[tuple[str, str]] = set()
    table, width = read_table(path, TARGETS), 0
    counted = "count" in table.names
    for number, cells in refuse_widths(table.rows, path, (2, 3), _TARGET, 1):
        if len(cells) != (width or len(cells)):
            raise InputError(_TARGET.format(len(cells), "s" * (len(cells) > 1)), path, number)
        width = len(cells)
        qid, group, share = ["", *cells][-3:]
        if group not in groups:
            raise InputError(f"there is no group {group!r}; the groups are {', '.join(groups)}", path, number)
        if len(found) * len(groups) > MOST_SHARES:
            what = f"targets of {len(found):,} queries over {len(groups):,} groups do not fit into memory"
            raise InputError(f"{what}; use one target for all queries, or fewer groups with --groups", path, number)
        target = found.setdefault(qid, np.zeros(len(groups)))
        first.setdefault(qid, number)
        try:
            value = float(share)
        except ValueError:
            raise InputError(f"the share {share!r} is not a number; correct it", path, number) from None
        if (qid, group) in seen:
            whose = f"query {qid}" if qid else "the target"
            raise InputError(f"{whose} has the group {group} twice; keep one line", path, number)
        seen.add((qid, group))
        target[groups.index(group)] = value
    if not found:
        raise InputError("this target has no group; write lines: group<TAB>share", path)
    whole = {qid: _whole(target, qid, path, first[qid], counted=counted) for qid, target in found.items()}
    return whole.get("", whole)


def _whole(target: Floats, qid: str, path: FilePath, line: int | None, *, counted: bool) -> Floats:
    """Make shares of what the groups have. Raises InputError where that cannot be."""
    if counted and (target >= 0).all() and 0 < target.sum() < np.inf:
        shares: Floats = target / target.sum()
        return shares
    if counted or not sums_to_one(target):
        whose, head = (f" of query {qid}", "qid group count") if qid else ("", "group count")
        message = f"the shares{whose} sum to {target.sum():g}; they must be 0 or more and sum to 1"
        advice = "" if counted else f"; if these are counts, add a first line: {head}"
        raise InputError(message + advice, path, line)
    return normalize_rounded(target)


def discount(path: FilePath) -> list[float]:
    """Read the weights of ranks: lines ``rank<TAB>weight``, or with a blank between them, from rank 1.

    Raises InputError for a rank that is missing, a weight below 0, a first that is not above it, and an empty file.
    """
    found: list[float] = []
    for number, cells in refuse_widths(read_table(path, DISCOUNT).rows, path, (2,), _WEIGHT, 0):
        if cells[0] != str(len(found) + 1):
            raise InputError(f"rank {cells[0]} instead of {len(found) + 1}; write all ranks, from 1", path, number)
        try:
            weight = float(cells[1])
        except ValueError:
            weight = -1.0
        if not 0 <= weight < np.inf or (not found and not weight):
            due = "a number of 0 or more" if found else "a number above 0, as that of the first rank"
            raise InputError(f"the weight {cells[1]!r} is to be {due}; correct it", path, number)
        found.append(weight)
    if not found:
        raise InputError("this file has no weights; write lines: rank<TAB>weight", path)
    return found


def frequencies(path: FilePath) -> dict[str, float]:
    """Read how often each query is asked: lines ``qid<TAB>frequency``.

    Raises InputError for a line of other than two columns, a frequency below 0, and a query that appears twice.
    """
    found: dict[str, float] = {}
    for number, (qid, often) in refuse_widths(read_table(path, FREQUENCIES).rows, path, (2,), _FREQUENCY, 2):
        if not is_number(often) or float(often) < 0:
            raise InputError(f"the frequency {often!r} is not a number of 0 or more; correct it", path, number)
        if qid in found:
            raise InputError(f"query {qid} has two frequencies; keep one", path, number)
        found[qid] = float(often)
    return found


def clusters(path: FilePath) -> dict[str, str]:
    """Read the cluster of each query: lines ``qid<TAB>cluster``.

    Raises InputError for a line of other than two columns, and a query with two clusters.
    """
    found: dict[str, str] = {}
    for number, (qid, name) in refuse_widths(read_table(path, CLUSTERS).rows, path, (2,), _CLUSTER, 2):
        if found.setdefault(qid, name) != name:
            raise InputError(f"query {qid} has the clusters {found[qid]} and {name}; keep one", path, number)
    return found


def triples(path: FilePath) -> list[tuple[str, str, str]]:
    """Read what a ranker learns from: lines ``query<TAB>relevant text<TAB>text that is not relevant``.

    Raises InputError for a line of other than three columns, or with an empty one, and for a file without lines.
    """
    found: list[tuple[str, str, str]] = []
    for number, line in opening.lines(path, longest=opening.LONGEST_TEXT):
        cells = line.decode().split("\t")  # of which nothing is stripped: they are texts
        if len(cells) != 3:
            raise InputError(f"this line has {len(cells)} columns; {_TRIPLE}", path, number)
        if not all(map(str.strip, cells)):
            raise InputError(f"a column of this line is empty; {_TRIPLE}", path, number)
        found.append((cells[0], cells[1], cells[2]))
    if not found:
        raise InputError(f"this file has no triples; {_TRIPLE}", path)
    return found

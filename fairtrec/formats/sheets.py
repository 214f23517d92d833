"""Sheets of gold labels: what was drawn for people to label, and what they wrote into it.

The first line names the columns, in any order: ``docno group``, and perhaps ``qid weight annotator probability``;
others are passed over. Several lines of one document are its groups, as one person says. With weights each line is a
vote of so many people for one group, and what the weights lack to 1 votes for none. A column ``annotator`` makes the
lines of one document and annotator a vote of their own, and all annotators have the same weight. A comment above that
says how the documents were drawn, if `fairtrec gold draw` wrote the sheet.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from fairtrec.data import NONE, UNKNOWN, Docnos, Floats, Ints, Labels, Sheet, Vote, encode_ids, is_number
from fairtrec.formats.label_rules import ROUNDING, describe_lacking_id, is_id, word
from fairtrec.formats.labels import Label
from fairtrec.formats.named_tables import NumberedLine, NumberedRow, TableKind, peek_line, split_below
from fairtrec.support.errors import PATH, STEERING, FilePath, InputError
from fairtrec.support.files import opening
from fairtrec.support.files.table_header import TableHeader, find_header
from fairtrec.support.literals import DOCUMENT, QUERY, Drawn

NAMES = ("qid", "docno", "group", "weight", "probability", "annotator")
SHEET = TableKind(
    "sheet of gold labels", {**{name: (name,) for name in NAMES}, "qid": QUERY, "docno": DOCUMENT},
    optional=frozenset({*NAMES} - {"docno", "group"}),
)  # fmt: skip
SIGNED = re.compile(r"# (fairtrec:\S+ \| gold:.*|gold:\S+ \| .*)")  # once it held the version
FORMULA = re.compile("'*(?!-$)[\"=+\\-@＝＋－＠]")  # what a spreadsheet computes, or takes for quoted; - is no group
CHANGED = "this line is not the one that `fairtrec gold draw` wrote"
Cells = tuple[int | None, Mapping[str, Any]]  # the line, and what stands in its columns
Votes = dict[tuple[str, str], dict[str, float]]  # of each qid and docno: groups, and their weights
SheetKey = tuple[str, str]  # qid, "" where there is none, and docno


class Said(NamedTuple):
    """A line of a document: a group, perhaps how many people say so, and perhaps who does."""

    group: str
    weight: float | None
    by: str


@dataclass(eq=False)
class SheetLines:
    """What stands in a sheet before it is made a table: of each document its votes, none where it has no group yet."""

    path: str
    votes: Votes = field(default_factory=dict)
    said: dict[SheetKey, tuple[Said, ...]] = field(default_factory=dict)  # what is the same of many is held once
    lines: dict[SheetKey, int] = field(default_factory=dict)  # the first of each document
    probability: dict[SheetKey, float] = field(default_factory=dict)
    empty: list[tuple[int, SheetKey]] = field(default_factory=list)  # lines without a group
    many: int = 0  # lines
    drawn: bool = False  # whether there is a column of probabilities
    made: dict[str, str] = field(default_factory=dict)
    signed: int = 0  # the line that says how it was made
    renamed: Mapping[str, str] = field(default_factory=dict)  # the names of groups by those in the sheet
    written: set[str] = field(default_factory=set)  # the names of groups before any is renamed
    _same: dict[Any, Any] = field(default_factory=dict)

    def take(self, rows: Iterable[Cells]) -> None:
        """Take lines. Raises InputError for a bad one."""
        self.votes = collect_votes(self._labeled(rows), self.path)
        for key, said in self.said.items():
            if said[0].by:
                self.votes[key] = weights_of(ballots(said)) or {UNKNOWN: 1.0}
            elif any(each.group == UNKNOWN for each in said) and (of_others := ballots(said)):
                self.votes[key] = weights_of(of_others)
        for key, of_document in self.votes.items():
            self.votes[key] = self._same.setdefault((*of_document.items(),), of_document)
        if any(qid for qid, _ in self.lines) and not all(qid for qid, _ in self.lines):
            line = next(line for (qid, _), line in self.lines.items() if not qid)
            raise InputError("this line has no qid, but others do; add it to all or none", self.path, line or None)

    def _labeled(self, rows: Iterable[Cells]) -> Iterator[Label]:
        for line, cells in rows:
            self.many += 1
            is_empty = cells.get("group", "") in ("", None)
            given = {name: cell for name, cell in cells.items() if cell not in ("", None) or name in ("docno", "qid")}
            if is_empty:
                given["group"] = UNKNOWN
            number, qid, docno, group, weight = take_label(given, self.path, line)
            self.written.add(group)
            found = number, qid, docno, self.renamed.get(group, group), weight
            key = qid, docno
            self.lines.setdefault(key, line or 0)
            if "probability" in given:
                self._drawn_with(given["probability"], key, line)
            if is_empty:
                self.empty.append((line or 0, key))
                continue
            by = str(given.get("annotator", ""))
            self._refuse_two_ways(key, found[3], by, line, weighed="weight" in given)
            said = (*self.said.get(key, ()), Said(found[3], weight if "weight" in given else None, by))
            self.said[key] = self._same.setdefault(said, said)
            if not by:
                yield found

    def _refuse_two_ways(self, key: SheetKey, group: str, by: str, line: int | None, *, weighed: bool) -> None:
        """Raise InputError for a line that says who labeled, if it has a weight, too, or others do not say it."""
        before = self.said.get(key, ())
        if by and weighed:
            what = f"{key[1]} has an annotator and a weight, and each annotator has the same weight"
            raise InputError(f"{what}; leave out one of the two columns", self.path, line)
        if before and bool(before[0].by) != bool(by):
            what = f"only some lines of {key[1]} have an annotator"
            raise InputError(f"{what}; fill in the annotator of all of them, or of none", self.path, line)
        own = [each.group for each in before if by and each.by == by]
        if group in own:
            raise InputError(f"{by} gave {key[1]} the label {group} twice; keep one", self.path, line)
        if own and {NONE, UNKNOWN} & {group, *own}:
            word = next(each for each in (group, *own) if each in (NONE, UNKNOWN))
            raise InputError(f"{by} gave {key[1]} {word} and a group; keep one of them", self.path, line)

    def _drawn_with(self, cell: Any, key: SheetKey, line: int | None) -> None:
        chance = float(cell) if is_number(cell) else 0.0
        if not 0 < chance <= 1:
            what = f"the probability {cell} of {key[1]} is not above 0 and at most 1"
            raise InputError(f"{what}; restore the value of the draw", self.path, line)
        if self.probability.setdefault(key, self._same.setdefault(chance, chance)) != chance:
            what = f"document {key[1]} has the probabilities {self.probability[key]!r} and {cell}"
            raise InputError(f"{what}; restore the value of the draw", self.path, line)


def ballots(said: Sequence[Said]) -> tuple[Vote, ...]:
    """Make votes of the lines of one document, with shares that sum to 1; none if nobody could tell its groups.

    >>> [(vote.share, vote.groups) for vote in ballots([Said("f", 0.75, ""), Said("?", 0.25, "")])]
    [(1.0, ('f',))]
    >>> [(vote.share, vote.groups) for vote in ballots([Said("f", 0.75, "")])]
    [(0.75, ('f',)), (0.25, ())]
    """
    if said[0].by:
        several = [
            (1.0, [each.group for each in said if each.by == by], by) for by in dict.fromkeys(s.by for s in said)
        ]
    elif any(each.weight is not None for each in said):
        several = [(1.0 if each.weight is None else each.weight, [each.group], "") for each in said]
        lacking = 1 - sum(weight for weight, _, _ in several)
        several += [(lacking, [NONE], "")] if lacking > ROUNDING else []
    else:
        several = [(1.0, [each.group for each in said], "")]
    known = [(weight, groups, by) for weight, groups, by in several if weight > 0 and UNKNOWN not in groups]
    total = sum(weight for weight, _, _ in known)
    return tuple(Vote(weight / total, tuple(sorted({*groups} - {NONE})), by) for weight, groups, by in known)


def weights_of(votes: Sequence[Vote]) -> dict[str, float]:
    """Add up the shares of each group; none of the groups is one of them.

    >>> weights_of([Vote(0.5, ("f",)), Vote(0.25, ("f", "m")), Vote(0.25, ())])
    {'f': 0.75, 'm': 0.25, '-': 0.25}
    """
    found: dict[str, float] = {}
    for vote in votes:
        for group in vote.groups or (NONE,):
            found[group] = found.get(group, 0.0) + vote.share
    return found


def read(thing: Any, *, per_query: bool = False, renamed: Mapping[str, str] = MappingProxyType({})) -> Sheet:
    """Read a sheet that people have filled in, or any file of labels, which says nothing of a draw; or take one from a
    frame of its columns, ``{docno: group}``, or ``{docno: {group: weight}}``.

    ``per_query``  a document of two queries may belong to different groups in them; else a label of one is one of both.
    ``renamed``    the names of groups by those in the sheet; ``-`` is none of them.

    Raises InputError for what is wrong in a line, a document without a group, probabilities that do not fit together.
    """
    found = entries(thing, renamed)
    sha256 = opening.sha256(thing) if isinstance(thing, PATH) else ""  # which a stream has only once it was read
    return sheet_of(found, per_query=per_query, sha256=sha256)


def make_sheet(found: Labels) -> Sheet:
    """Take labels for gold, which say nothing of a draw."""
    unknown = np.asarray(np.isnan(found.weights).any(axis=1))
    unit: Drawn = "query" if found.per_query else "document"
    votes = []
    for row, is_unknown in zip(found.weights.tolist(), unknown.tolist(), strict=True):
        of_groups = [(name, weight) for name, weight in zip(found.groups, row, strict=True) if weight]
        is_whole = all(weight == 1 for _, weight in of_groups)
        said = [Said(name, None if is_whole else weight, "") for name, weight in of_groups or [(NONE, 1.0)]]
        votes.append(() if is_unknown else ballots(said))
    lines = np.zeros(len(unknown), dtype=np.int64)
    return Sheet(found.name, unit, found, unknown, lines, votes=tuple(votes))


def guard_cell(cell: str) -> str:
    """Put an apostrophe before a cell that a spreadsheet takes for a formula.

    >>> guard_cell("=1+1"), guard_cell("-"), guard_cell("a text")
    ("'=1+1", '-', 'a text')
    """
    return f"'{cell}" if FORMULA.match(cell) else cell


def unguard_cell(cell: str) -> str:
    """Remove the apostrophe again."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell, 1) else cell


def votes(thing: Any, *, per_query: bool) -> Votes:
    """Take the votes of documents from a sheet that may not be filled in yet, or from any labels.

    Raises InputError for a bad line, and, if not ``per_query``, for a document of other groups in another query.
    """
    found = entries(thing)
    return found.votes if per_query else _shared(found)


def entries(thing: Any, renamed: Mapping[str, str] = MappingProxyType({})) -> SheetLines:
    """Take the lines of a sheet, of which some may have no group yet, or of any labels."""
    if isinstance(thing, PATH):
        return _of_file(thing, renamed)
    from fairtrec.formats.frames import is_frame
    from fairtrec.formats.memory import explain_failures

    found = SheetLines("gold", renamed=renamed)
    with explain_failures("gold labels"):
        found.take([(None, cells) for cells in (_of_frame(found, thing) if is_frame(thing) else _of_mapping(thing))])
    return found


def _of_file(path: FilePath, renamed: Mapping[str, str]) -> SheetLines:
    found = SheetLines(fspath(path), renamed=renamed)
    if fspath(path).endswith(".parquet"):
        numbered: Iterator[NumberedLine] = iter(())
        header = None
    else:
        (number, first), numbered = peek_line(_below(opening.lines(path, longest=opening.LONGEST_TEXT), found))
        header = find_header(first.decode())
    if header is not None and "group" in header.names:
        places = SHEET.find_columns(header, path, number)
        found.drawn = "probability" in places
        next(numbered)
        found.take(_of_columns(split_below(numbered, header, path), header, places, path))
    elif not found.made and not opening.is_stream(path):  # which is read again
        from fairtrec.formats import labels

        found.take((line, dict(zip(NAMES, cells, strict=False))) for line, *cells in labels.rows(path))
    else:
        what = "the first line has no names of columns"
        how = "add a first line: docno<TAB>group, with <TAB>probability if documents were drawn"
        raise InputError(f"{what}; {how}", path)
    return found


def _below(numbered: Iterator[NumberedLine], found: SheetLines) -> Iterator[NumberedLine]:
    """Pass over comments above the first entry, but for the first that says how a sheet was drawn."""
    for number, saved in numbered:
        # Spreadsheets put a line with commas in quotes, and fill it up with tabs.
        line = saved.strip(b'"\t').replace(b'""', b'"') if saved.startswith(b'"#') else saved
        if not line.startswith(b"#"):
            yield number, line
            break
        if not found.made and (signed := SIGNED.match(line.decode())):
            parts = [part.partition(":") for part in re.split(r" \| (?=[a-z-]+:)", signed[1].strip())]
            found.made, found.signed = {name: value for name, _, value in parts}, number
    yield from numbered


def _of_columns(
    rows: Iterator[NumberedRow], header: TableHeader, places: Mapping[str, Sequence[int]], path: FilePath
) -> Iterator[Cells]:
    for number, cells in rows:  # of which the last may be missing, as editors cut what is blank
        if len(cells) > len(header.names):
            raise InputError(f"{len(cells)} columns instead of {len(header.names)}; correct it", path, number)
        yield number, {name: unguard_cell(cells[at].strip()) for name, (at,) in places.items() if at < len(cells)}


def _of_frame(found: SheetLines, thing: Any) -> Iterator[Mapping[str, Any]]:
    from fairtrec.formats.frames import Frame, list_columns

    has = {name: name in list_columns(thing) for name in NAMES}
    frame = Frame.wrap(thing, "gold", (*QUERY, *DOCUMENT, *NAMES[2:]))
    every = np.arange(len(frame))
    of: dict[str, tuple[str, ...]] = {"qid": QUERY, "docno": DOCUMENT, **{name: (name,) for name in NAMES[2:]}}
    columns = {name: list(frame.objects(names, every)) for name, names in of.items() if frame.find(names) is not None}
    found.drawn = has["probability"]
    for row in zip(*columns.values(), strict=True):
        yield {name: None if cell != cell else cell for name, cell in zip(columns, row, strict=True)}  # noqa: PLR0124 - nan


def _of_mapping(thing: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for docno, value in thing.items():
        groups = [value] if isinstance(value, str) else value
        if isinstance(value, Mapping):
            yield from ({"docno": str(docno), "group": group, "weight": weight} for group, weight in value.items())
        else:
            yield from ({"docno": str(docno), "group": group} for group in dict.fromkeys(groups))


def sheet_of(found: SheetLines, *, per_query: bool = False, sha256: str = "") -> Sheet:
    """Make a table of the lines of a sheet. Raises InputError where they do not fit together, or lack a group."""
    path, made = found.path, found.made
    if not found.lines:
        raise InputError("this sheet has no lines; draw documents with `fairtrec gold draw`", path)
    has_qids = any(qid for qid, _ in found.lines)
    unit: Drawn = "query" if has_qids else "document"
    if made.get("gold", unit) != unit:
        what = f"{CHANGED}, or the column qid is not as it wrote it"
        raise InputError(f"{what}; draw again, with --gold {opening.name(path)}", path, found.signed)
    votes = found.votes if per_query or not has_qids else _shared(found)
    _refuse_empty(found, votes)
    _refuse_other_number(found, unit)
    several = [votes[key] for key in found.lines]
    groups = tuple(sorted({group for of_document in several for group in of_document} - {"?", "-"}))
    names = [f"{qid} {docno}".strip() for qid, docno in found.lines]
    chances = _chances(found, unit) if found.drawn else [0.0] * len(several)
    weights = weigh_votes(several, groups)
    table = np.column_stack((weights, [*found.lines.values()], chances, np.arange(len(several))))
    docnos, table = Docnos.with_values(encode_ids(names), table)
    *_, unknown, lines, probability, order = table.T
    return Sheet(
        path=path,
        unit=unit,
        labels=Labels(
            opening.name(path),
            groups,
            docnos,
            table[:, : len(groups)],
            has_qids,
            sha256,
            none=True,
            written=frozenset(found.written),
        ),
        unknown=unknown > 0,
        lines=lines.astype(np.int64),
        probability=probability if found.drawn else None,
        depth=_number(found, "depth"),
        seed=_number(found, "seed"),
        runs=tuple(_runs(made.get("runs", ""))),
        made=made,
        votes=_votes(found, order.astype(np.int64), per_query=per_query or not has_qids),
    )


def weigh_votes(several: Sequence[Mapping[str, float]], groups: Sequence[str]) -> Floats:
    """Give the weights of each document [document, group], nan if its groups are unknown, and whether they are.

    Votes that are one object are looked at once.

    >>> weigh_votes([{"f": 1.0}, {"?": 1.0}], ["f", "m"]).tolist()
    [[1.0, 0.0, 0.0], [nan, nan, 1.0]]
    """
    kinds = {id(each): each for each in several}
    number = {kind: row for row, kind in enumerate(kinds)}
    known = [
        [np.nan if UNKNOWN in each else each.get(group, 0.0) for group in groups] + [float(UNKNOWN in each)]
        for each in kinds.values()
    ]
    return np.asarray(np.array(known)[[number[id(each)] for each in several]])


def _votes(found: SheetLines, order: Ints, *, per_query: bool) -> tuple[tuple[Vote, ...], ...]:
    """Give the votes of each row, which is so many lines' document in ``order`` [row].

    Unless ``per_query``, a label of one query is one of the same document in others.
    """
    keys = [*found.lines]
    if not per_query:
        first: dict[str, SheetKey] = {}
        for key in found.said:
            first.setdefault(key[1], key)
        keys = [first[docno] for _, docno in keys]
    known = {said: ballots(said) for said in {*found.said.values()}}
    return tuple(known[found.said[keys[row]]] for row in order.tolist())


def _shared(found: SheetLines) -> Votes:
    """Let a label of one query stand for the same document in others. Raises InputError where two differ."""
    first: dict[str, SheetKey] = {}
    for key in found.lines:
        if key in found.votes:
            other = first.setdefault(key[1], key)
            if found.votes[other] != found.votes[key]:
                what = f"document {key[1]} has other groups in query {key[0]} than in query {other[0]}"
                raise InputError(f"{what}; label one of them, or both alike", found.path, found.lines[key] or None)
    return {key: found.votes[first[key[1]]] for key in found.lines if key[1] in first}


def _refuse_other_number(found: SheetLines, unit: Drawn) -> None:
    """Raise InputError if a sheet holds more or fewer documents than were drawn, as far as it says that."""
    drawn = found.made.get("number", "").partition(" ")[0]
    if unit == "document" and drawn and str(len(found.lines)) != drawn:
        what = f"this was a draw of {drawn} document{'s' * (drawn != '1')}, and {len(found.lines)} are here"
        how = f"keep the lines that were drawn, or draw again, with --gold {opening.name(found.path)}"
        raise InputError(f"{what}; {how}", found.path, found.signed)


def _refuse_empty(found: SheetLines, votes: Votes) -> None:
    """Raise InputError for lines that have no group yet; say how many are labeled before the first of these."""
    empty = [(line, key) for line, key in found.empty if key not in votes or key in found.votes]
    if not empty:
        return
    units = dict.fromkeys(qid or docno for qid, docno in found.lines)
    done = [*units].index(empty[0][1][0] or empty[0][1][1])  # of which all are labeled
    what = f"{len(empty)} of {found.many} lines have no group yet" if len(empty) > 1 else "this line has no group yet"
    fewer = f", or draw fewer: --number {done} --gold {opening.name(found.path)}" if found.drawn and done else ""
    raise InputError(f"{what}; label them{fewer}", found.path, empty[0][0] or None)


def _chances(found: SheetLines, unit: str) -> list[float]:
    """Give the probability of each document. Raises InputError for one without, and for queries of several."""
    for key, line in found.lines.items():
        if key not in found.probability:
            what = f"document {key[1]} has no probability"
            raise InputError(f"{what}; restore the value of the draw", found.path, line or None)
    chances = [found.probability[key] for key in found.lines]
    odd = next((key for key in found.lines if found.probability[key] != chances[0]), None)
    if unit == "query" and odd is not None:
        what = f"query {odd[0]} has another probability than the queries above, but drawn queries all have the same"
        raise InputError(f"{what}; correct it", found.path, found.lines[odd] or None)
    return chances


def _number(found: SheetLines, name: str) -> int | None:
    value = found.made.get(name, "")
    if found.made and not re.fullmatch(r"-?[0-9]{1,18}", value):
        what = f"{CHANGED}: its {name} is {value or 'missing'}"
        raise InputError(f"{what}; draw again, with --gold {opening.name(found.path)}", found.path, found.signed)
    return int(value) if found.made else None


def write_runs(runs: Iterable[tuple[str, str]]) -> str:
    """Write the runs of a draw, each with the first 8 digits of its sha256 if it has one, as a sheet says them.

    >>> write_runs([("1a2b3c4d", "bm25.run"), ("", "a,b")])
    'bm25.run@1a2b3c4d,a%2Cb'
    """
    from urllib.parse import quote

    signs = re.compile(rf"[%,@|]|{STEERING}|\s")
    written = [
        (signs.sub(lambda sign: quote(sign[0].encode("utf-8", "surrogateescape")), name), digits)
        for digits, name in runs
    ]
    return ",".join(f"{name}@{digits}" if digits else name for name, digits in written)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, text.split(",")):
        name, _, digits = part.partition("@")
        if "%" in name:
            from urllib.parse import unquote  # which few names need

            name = unquote(name, errors="surrogateescape")
        yield digits, name


def collect_votes(rows: Iterable[Label], path: FilePath) -> Votes:
    """Collect the weights of each document.

    Raises InputError for a bad weight, a label that appears twice, and a document that is of none of the groups and yet
    of one, unless these weights are votes, whose sum is at most 1.
    """
    weights: Votes = {}
    for line, qid, docno, group, weight in rows:
        if not 0 <= weight <= 1:
            raise InputError(f"the weight {weight:g} of {docno} is not between 0 and 1; correct it", path, line)
        of_document = weights.setdefault((qid, docno), {})
        if group in of_document:
            raise InputError(f"document {docno} has the label {group} twice; keep one", path, line)
        of_document[group] = weight
        if NONE in of_document and sum(of_document.values()) > 1 + ROUNDING:
            others = ", ".join(name for name in of_document if name != NONE)
            what = f"document {docno} is of none of the groups ({NONE}), and of {others}"
            raise InputError(f"{what}; keep one, or add weights that sum to at most 1", path, line)
    return weights


def take_label(cells: dict[str, Any], path: FilePath, number: int | None) -> Label:
    """Take a label from its cells by name. Raises InputError for what is missing or wrong."""
    given = [cells.get(name, "") for name in ("qid", "docno", "group")]
    qid, docno, group = (word(cell) if isinstance(cell, bytes) or is_id(cell) else None for cell in given)
    if not docno or not group or qid is None or " " in qid + docno:
        raise InputError(describe_lacking_id(), path, number)
    weight = cells.get("weight", 1)
    if not is_number(weight):
        raise InputError(f"the weight {weight!r} is not a number; correct it", path, number)
    return number, qid, docno, group, float(weight)

"""Differences of runs and a baseline: their parts, words and documents; of a query both rankings side by side."""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum, isnan
from shutil import get_terminal_size
from typing import Any

from fairtrec.commands.explain.difference import (
    NO_GROUP,
    Differences,
    DocumentDifference,
    QueryDifference,
    RunDifference,
)
from fairtrec.commands.explain.report import HOW, HOW_MADE, NO_TEXTS, format_number
from fairtrec.report.cells import cell
from fairtrec.report.document import Document, ReportTable
from fairtrec.report.note_selection import wrap_hanging
from fairtrec.report.records import Row, head, objects
from fairtrec.report.result_notes import list_notes as list_result_notes
from fairtrec.report.run_names import map_names
from fairtrec.report.terminal import align_columns, fit_names
from fairtrec.support.errors import plain
from fairtrec.support.notes import Note, NoteKind, NoteSeverity, write_queries

KEYS = ("run", "baseline", "qid", "docno", "part")
MOST = 10  # words, documents and queries that are listed
WORDS = ("word", "group", "query", "docno", "part")  # columns, to the left
DifferenceTable = tuple[list[str], list[list[str]]]  # a head, and rows
PARTS = NoteKind(
    "parts of a difference",
    "came: documents that only the run has {where}; went: only the baseline; moved: both; rest: {rest}",
    NoteSeverity.BACKGROUND,
)
NO_PARTS = NoteKind(
    "no parts", "not a sum over ranks, so documents have no parts; queries are split instead", NoteSeverity.BACKGROUND
)
SIGNED = NoteKind(
    "signed values", "the difference is of values with their signs; `fairtrec compare` compares their sizes"
)


def text(differences: Differences, *, places: int, window: bool = False) -> str:
    """Write the parts of each difference; of queries that were asked for, both rankings side by side."""
    room = get_terminal_size().columns if window else None
    names = fit_names(room, name_runs(differences))
    parts = []
    for of_run in differences.runs:
        both = names[of_run.run], names[of_run.baseline]
        if differences.detailed:
            parts += [_of_query(differences, each, both, places, room) for each in of_run.queries]
        if not (differences.detailed and of_run.queries):
            parts.append(_of_run(differences, of_run, both, places, room))
    return "\n".join(
        "".join(f"{part}\n" for line in lines for part in wrap_hanging(plain(line), room, 4)) for lines in parts
    )


def _of_query(
    differences: Differences, each: QueryDifference, both: tuple[str, str], places: int, room: int | None
) -> Iterator[str]:
    yield f"{' minus '.join(both)}, query {name_query(differences, each.qid)}: {equation(differences, each, places)}"
    if each.documents:
        yield from align_columns(*pair_rankings(each, both, places), {*both, "part", ""}, room)
    if each.words:
        yield from align_columns(*list_words(differences, each, places), WORDS, room)
    for term, value in each.what_if.items():
        yield f"  without the term {term}: {sign_number(value, places)}"


def _of_run(
    differences: Differences, of_run: RunDifference, both: tuple[str, str], places: int, room: int | None
) -> Iterator[str]:
    yield f"{' minus '.join(both)}, {title_mean(of_run)}: {equation(differences, of_run, places)}"
    for table in list_tables(differences, of_run, places):
        yield from align_columns(*table, WORDS, room)
        if "word" in table[0] and (rest := of_run.words[MOST:]):
            every, others = (sign_number(fsum(word.adds for word in words), places) for words in (of_run.words, rest))
            yield f"  and {len(rest)} more {'word' if len(rest) == 1 else 'words'}: {others}; all words: {every}"
    yield from (f"  {line}" for line in summarize(differences, of_run, places))


def title_mean(of_run: RunDifference) -> str:
    """Say over how many queries a difference is."""
    many = len(of_run.queries)
    if many < of_run.shared:
        return f"mean of {many} of {of_run.shared} queries"
    return f"mean of {write_queries([many])}"


def equation(differences: Differences, one: QueryDifference | RunDifference, places: int) -> str:
    """Write a difference as the sum of its parts; the rest only if it shows."""
    begun = f"{differences.measure} {format_number(one.difference, places, '+')}"
    if differences.kind == "prefix" or isnan(one.difference):
        values = (format_number(value, places) for value in (one.value, one.baseline_value))
        return f"{begun} = {' - '.join(values)}"
    *moves, rest = zip(one.parts._fields, one.parts, strict=True)
    shown = [*moves, *[rest] * bool(round(rest[1], places))]
    return f"{begun} = {' + '.join(write_addends(shown, places))}"


def write_addends(named: Iterable[tuple[str, float]], places: int) -> Iterator[str]:
    """Write each name with its number and sign."""
    return (f"{name} {sign_number(value, places)}" for name, value in named)


def sign_number(value: float, places: int) -> str:
    """Write a number with its sign; what shows as 0 has none.

    >>> sign_number(0.5, 2), sign_number(-0.001, 2), sign_number(float("nan"), 2)
    ('+0.50', '0.00', '-')
    """
    return format_number(value, places, "+" if isnan(value) or round(value, places) else "")


def list_tables(differences: Differences, of_run: RunDifference, places: int) -> Iterator[DifferenceTable]:
    """Give the words that add most, and the documents; or the queries and groups, if documents have no parts."""
    if of_run.words:
        yield list_words(differences, of_run, places)
    if of_run.documents:
        yield list_documents(of_run.documents, places)
    if differences.kind == "prefix" and of_run.queries:
        yield list_queries(of_run, places)
    if of_run.exposure:
        yield list_exposure(of_run, places)


def list_words(differences: Differences, one: QueryDifference | RunDifference, places: int) -> DifferenceTable:
    """Give the words that add most."""
    rows = [
        [*[word.term] * differences.has_texts, word.group, sign_number(word.adds, places)] for word in one.words[:MOST]
    ]
    return [*["word"] * differences.has_texts, "group", "adds"], rows


def list_documents(documents: Sequence[DocumentDifference], places: int) -> DifferenceTable:
    """Give the documents that add most."""
    rows = [
        [one.qid, one.docno, one.part, _rank(one.rank), _rank(one.baseline_rank), sign_number(one.adds, places)]
        for at, one in enumerate(documents[:MOST])
        if at == 0 or round(one.adds, places)
    ]
    return ["query", "docno", "part", "rank", "baseline rank", "adds"], rows


def list_queries(of_run: RunDifference, places: int) -> DifferenceTable:
    """Give the queries that add most to the difference of the means."""
    many = len(of_run.queries)
    rows = [
        [
            each.qid,
            *(format_number(value, places) for value in (each.value, each.baseline_value)),
            sign_number(each.difference / many, places),
        ]
        for at, each in enumerate(of_run.list_largest()[:MOST])
        if at == 0 or round(each.difference / many, places)
    ]
    return ["query", "run", "baseline", "adds"], rows


def list_exposure(of_run: RunDifference, places: int) -> DifferenceTable:
    """Give the share of the exposure that each group has."""
    rows = [[group, *(format_number(value, places) for value in both)] for group, both in of_run.exposure.items()]
    return ["group", "exposure in run", "in baseline"], rows


def pair_rankings(each: QueryDifference, both: tuple[str, str], places: int) -> DifferenceTable:
    """Give both rankings side by side; a document in both has its part in the ranking of the run."""
    mine = {one.rank: one for one in each.documents if one.rank is not None}
    theirs = {one.baseline_rank: one for one in each.documents if one.baseline_rank is not None}
    rows = []
    for rank in range(1, max([*mine, *theirs], default=0) + 1):
        row = [str(rank)]
        for one, is_run in ((mine.get(rank), True), (theirs.get(rank), False)):
            told = "" if one is None else _describe_move(one, is_run=is_run)
            has_part = one is not None and (is_run or one.part == "went")
            adds = sign_number(one.adds, places) if one is not None and has_part else ""
            row += ["(none)" if one is None else one.docno, told, adds]
        rows.append(row)
    return ["rank", both[0], "part", "adds", both[1], "part", "adds"], rows


def _describe_move(one: DocumentDifference, *, is_run: bool) -> str:
    if one.part != "moved":
        return one.part
    if one.rank == one.baseline_rank:
        return "same rank"
    return f"from {one.baseline_rank}" if is_run else f"to {one.rank}"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def summarize(differences: Differences, of_run: RunDifference, places: int) -> Iterator[str]:
    """Say what documents of each group add, and what the difference would be without terms."""
    leans = [(f"lean to {'no group' if group == NO_GROUP else group}", adds) for group, adds in of_run.leans.items()]
    if of_run.leans.keys() - {NO_GROUP}:
        yield f"documents that {', '.join(write_addends(leans, places))}"
    for term in differences.what_if:
        yield f"without the term {term}: {sign_number(of_run.what_if(term), places)}"


def tables(differences: Differences, *, places: int) -> Document:
    """Lay out the tables of each difference."""
    names = name_runs(differences)
    several = []
    for of_run in differences.runs:
        both = names[of_run.run], names[of_run.baseline]
        for each in of_run.queries if differences.detailed else ():
            title = f"{' minus '.join(both)}, query {name_query(differences, each.qid)}: "
            shown = pair_rankings(each, both, places) if each.documents else list_words(differences, each, places)
            several.append(ReportTable.from_rows(title + equation(differences, each, places), 2, *shown))
        if not differences.detailed:
            title = f"{' minus '.join(both)}, {title_mean(of_run)}: {equation(differences, of_run, places)}"
            for number, table in enumerate(list_tables(differences, of_run, places)):
                keys = sum(name in WORDS for name in table[0])
                several.append(ReportTable.from_rows(title if number == 0 else "", keys, *table))
    return Document(several, list_notes(differences), str(differences.signature))


def rows(differences: Differences, *, places: int | None) -> Iterator[Row]:
    """Give a row for each document of each query; for measures that are no sum, a row for each query."""
    yield ["run", "baseline", "qid", "docno", "part", "rank", "baseline_rank", "adds"]
    for of_run in differences.runs:
        both = [of_run.run, of_run.baseline]
        for one in of_run.documents:
            ranks = [one.rank, one.baseline_rank]
            yield [*both, one.qid, one.docno, one.part, *ranks, cell(one.adds, places)]
        for each in of_run.queries if differences.kind == "prefix" else ():
            yield [*both, each.qid, None, None, None, None, cell(each.difference / len(of_run.queries), places)]


def numbers(differences: Differences) -> Iterator[Row]:
    """Give the difference of each run, and its parts."""
    has_parts = differences.kind != "prefix"
    names = ["came", "went", "moved", "rest"] * has_parts
    yield ["run", "baseline", "measure", "value", "baseline_value", "difference", *names]
    for of_run in differences.runs:
        values = of_run.value, of_run.baseline_value, of_run.difference
        yield [of_run.run, of_run.baseline, str(differences.measure), *values, *of_run.parts * has_parts]


def records(differences: Differences) -> Iterator[dict[str, Any]]:
    """Give an object for each row."""
    return objects(rows(differences, places=None))


def record(differences: Differences) -> dict[str, Any]:
    """Give one object, which also says where the values come from."""
    has_parts = differences.kind != "prefix"
    return {
        **head(differences.result, differences.signature, list_notes(differences)),
        "measure": str(differences.measure),
        "kind": differences.kind,
        "groups": list(differences.groups),
        "runs": [
            {
                "run": of_run.run,
                "baseline": of_run.baseline,
                "queries": len(of_run.queries),
                "value": of_run.value,
                "baseline_value": of_run.baseline_value,
                "difference": of_run.difference,
                "parts": of_run.parts._asdict() if has_parts else None,
                "words": [word._asdict() for word in of_run.words],
                "leans": of_run.leans,
                "exposure": {
                    group: dict(zip(("run", "baseline"), both, strict=True)) for group, both in of_run.exposure.items()
                },
                "documents": [one._asdict() for one in of_run.documents],
                "what_if": {term: of_run.what_if(term) for term in differences.what_if},
                "per_query": [_query(differences, each) for each in of_run.queries],
            }
            for of_run in differences.runs
        ],
    }


def _query(differences: Differences, each: QueryDifference) -> dict[str, Any]:
    return {
        "qid": each.qid,
        **({"text": differences.texts[each.qid]} if each.qid in differences.texts else {}),
        "value": each.value,
        "baseline_value": each.baseline_value,
        "difference": each.difference,
        "parts": each.parts._asdict() if differences.kind != "prefix" else None,
        "what_if": each.what_if,
    }


def list_notes(differences: Differences) -> list[Note]:
    """List the notes on the numbers."""
    measure, notes = differences.measure, []
    if differences.kind == "prefix":
        notes.append(NO_PARTS.note(measure=measure))
    else:
        where = "in its ranking" if measure.depth is None else f"in its first {measure.depth} ranks"
        factor = " and the part that is no sum over ranks" if differences.kind == "shares" else ""
        notes.append(PARTS.note(where=where, rest=f"ranks without a document{factor}"))
    if HOW[differences.kind] and differences.kind == "shares":
        notes.append(HOW_MADE.note(measure=measure, how=HOW[differences.kind]))
    if measure.better == "nearer 0":
        notes.append(SIGNED.note(measure=measure))
    if differences.groups and not differences.has_texts and differences.kind != "prefix":
        notes.append(NO_TEXTS.note())
    return [*notes, *differences.notes, *list_result_notes(differences.result)]


def name_query(differences: Differences, qid: str) -> str:
    """Name a query, and what it asks, where that is known."""
    return f"{qid} ({differences.texts[qid]})" if qid in differences.texts else qid


def name_runs(differences: Differences) -> dict[str, str]:
    """Give the short name of each run."""
    return map_names([*(of_run.run for of_run in differences.runs), differences.baseline])

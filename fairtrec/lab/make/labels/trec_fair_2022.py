"""``fairtrec.make_labels``: what TREC Fair Ranking 2022 hands out, as labels, qrels and targets that ``eval`` reads."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

from fairtrec.formats import trec_fair_files
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files.arguments import is_same
from fairtrec.support.files.atomic import make_folder, refuse_full_folder, stream_to
from fairtrec.support.literals import LabelTrack

OCEANIA = {
    "Australia and New Zealand",
    "Melanesia",
    "Micronesia",
    "Polynesia",
}  # one region, as the track's program has
WORK = {"Stub": 6, "Start": 5, "C": 4, "B": 3, "GA": 2, "FA": 1}  # a page that needs more work has a higher grade
WORLD_GENDER = "female\t0.495\nmale\t0.495\nNB\t0.01\n"
ATTRIBUTES = ("gender", "sub_geo", "src_geo")
FORM = (
    '{"page_id": 1, "qual_cat": "B", "gender": ["female"], "page_subcont_regions": ["Western Africa"], '
    '"source_subcont_regions": {"Western Africa": 1}, ...}'
)
QRELS_FORM = '{"id": 1, "rel_docs": [1, 2]}'


@dataclass(frozen=True)
class LabelFiles:
    """The files that were made.

    Attributes:
        pages: the number of pages.
        files: their names.
    """

    pages: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """A page: its id, the grade of the work that it needs, and the counts of its groups by attribute."""

    docno: int
    grade: int
    counts: Mapping[str, Counter[str]]


def make_labels(
    pages: FilePath,
    output: FilePath,
    *,
    track: LabelTrack = "trec-fair-2022",
    qrels: FilePath | None = None,
    world: FilePath | None = None,
    force: bool = False,
) -> LabelFiles:
    """Write the labels of TREC Fair Ranking 2022 to a folder, and optionally graded qrels and shares of the world.

    Args:
        pages: the metadata of pages, JSON lines. If a page occurs twice, the first line counts.
        output: the folder, which is created.
        track: the track of the files.
        qrels: the relevant documents of queries, JSON lines.
        world: the populations of regions, CSV with the columns Name and Population.
        force: allow a folder that is not empty.

    Raises:
        UsageError: a folder that is not empty.
        InputError: a line of another form.
    """
    if track != "trec-fair-2022":
        raise UsageError(f"there is no track {track!r}; choose trec-fair-2022")
    folder = Path(output)
    for path in (pages, qrels, world):
        if path is not None and any(is_same(fspath(path), str(folder / name)) for name in _names(qrels, world)):
            raise UsageError(f"{fspath(path)} is an input and would be replaced; choose another folder with -o")
    refuse_full_folder(folder, force=force)
    shares = None if world is None else _read_world(world)
    with make_folder(folder, parents=True), ExitStack() as whole:  # the files come to stand there when all are written

        def write(name: str) -> BinaryIO:
            return whole.enter_context(stream_to(folder / name))

        grades = _write_labels(pages, {name: write(f"{name}.tsv") for name in ATTRIBUTES})
        if qrels is not None:
            file = write("graded.qrels")
            for query, documents in _read_relevant(qrels):
                file.writelines(f"{query} 0 {docno} {grades.get(docno, 0)}\n".encode() for docno in documents)
        if shares is not None:
            rows = ["group\tcount\n", *(f"{name}\t{many}\n" for name, many in shares)]
            write("world.tsv").write("".join(rows).encode())
        write("world-gender.tsv").write(WORLD_GENDER.encode())
    return LabelFiles(len(grades), _names(qrels, world))


def _names(qrels: FilePath | None, world: FilePath | None) -> tuple[str, ...]:
    """Name the files that are written."""
    more = ["graded.qrels"] * (qrels is not None) + ["world.tsv"] * (world is not None)
    return (*(f"{name}.tsv" for name in ATTRIBUTES), *more, "world-gender.tsv")


def _write_labels(pages: FilePath, files: Mapping[str, BinaryIO]) -> dict[int, int]:
    """Write the labels of each attribute to its file; give the grade of each page."""
    grades: dict[int, int] = {}
    for file in files.values():
        file.write(b"docno\tgroup\tcount\n")
    for _, page in trec_fair_files.parse_lines(pages, FORM, _parse_page):
        if page.docno in grades:
            continue
        grades[page.docno] = page.grade
        for name, file in files.items():
            rows = page.counts[name].items()
            file.write("".join(f"{page.docno}\t{group}\t{count}\n" for group, count in rows).encode())
    return grades


def _parse_page(line: bytes) -> Page:
    """Read a line of metadata. Raises ValueError for what is not of this form."""
    names = ("page_id", "qual_cat", "gender", "page_subcont_regions", "source_subcont_regions")
    number, work, genders, regions, sources = trec_fair_files.fields(trec_fair_files.parse_json_line(line), *names)
    if not isinstance(sources, dict):
        raise ValueError("the value of source_subcont_regions is not an object")  # noqa: TRY004 - as all faults here
    counts = {
        "gender": Counter({_gender(name): 1 for name in _texts(genders, "gender")}),
        "sub_geo": Counter(map(_region, _texts(regions, "page_subcont_regions"))),
        "src_geo": Counter[str](),
    }
    for name, count in sources.items():
        counts["src_geo"][_region(_text(name))] += _whole(count, f"count of {name}")
    return Page(_whole(number, "page_id"), WORK.get(work, 0) if isinstance(work, str) else 0, counts)


def _region(name: str) -> str:
    """Name a region as the populations do; ``?`` is a group that is not known."""
    return "Oceania" if name in OCEANIA else "?" if name == "UNK" else name


def _gender(name: str) -> str:
    """Take a gender for female, male, or NB.

    >>> _gender("transgender female"), _gender("male"), _gender("non-binary")
    ('female', 'male', 'NB')
    """
    name = re.sub(r"(?:tran|ci)sgender\s+((?:fe)?male)", r"\1", name)
    return name if name in ("female", "male") else "NB"


def _read_relevant(path: FilePath) -> Iterator[tuple[str, list[int]]]:
    """Read the relevant pages of each query, in rising order. Raises InputError for a query that appears twice."""
    seen = set[str]()
    for number, (query, documents) in trec_fair_files.parse_lines(path, QRELS_FORM, _parse_relevant):
        if query in seen:
            raise InputError(f"query {query} appears twice; keep one line", path, number)
        seen.add(query)
        yield query, sorted({*documents})


def _parse_relevant(line: bytes) -> tuple[str, list[int]]:
    query, documents = trec_fair_files.fields(trec_fair_files.parse_json_line(line), "id", "rel_docs")
    pages = trec_fair_files.require_list(documents, "value of rel_docs")
    qid = trec_fair_files.parse_qid(query)
    if re.search(r"\s", qid):
        raise ValueError(f"the id {trec_fair_files.quote_value(qid)} holds white space")
    return qid, [_whole(page, "page_id") for page in pages]


def _read_world(path: FilePath) -> list[tuple[str, str]]:
    """Read the population of each region, as it is written. Raises InputError for a row without one."""
    (first, columns), *rows = trec_fair_files.parse_lines(path, "Rank,Name,Population,...", _parse_cells)
    if missing := [name for name in ("Name", "Population") if name not in columns]:
        raise InputError(f"there is no column {' and none '.join(missing)}; pass world-pop.csv", path, first)
    shares = []
    for number, cells in rows:
        row = dict(zip(columns, cells, strict=False))
        name, many = row.get("Name", "").strip(), row.get("Population", "").strip()
        if not name or not re.fullmatch(r"\d{1,18}(\.\d{1,18})?", many, re.ASCII):
            what = f"{name!r} has the population {many!r}; write a name and a number"
            raise InputError(what, path, number)
        shares.append((name, many))
    if not shares:
        raise InputError("the file has no regions; pass world-pop.csv", path)
    return shares


def _parse_cells(line: bytes) -> list[str]:
    try:
        return next(csv.reader([line.decode("utf-8-sig")], strict=True))
    except csv.Error as fault:
        raise ValueError(f"this line is not CSV ({fault})") from None


def _texts(value: object, what: str) -> list[str]:
    return [_text(each) for each in trec_fair_files.require_list(value, f"value of {what}")]


def _text(value: object) -> str:
    """Take a value as the name of a group. Raises ValueError for another type, and for signs that part columns."""
    if not isinstance(value, str) or not value or re.search(r"[\t\r\n\0]", value):
        raise ValueError(f"the group {trec_fair_files.quote_value(value)} is not text, or holds a tab or a line end")
    value.encode()  # half a character is an error of this line
    return value


def _whole(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 63:
        raise ValueError(f"the {what} {trec_fair_files.quote_value(value)} is not a whole number from 0 on")
    return value

"""From sorted rows to a finished table, from any tables to one, and what differs between two."""

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from os import fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from fairtrec.counting import table
from fairtrec.counting.table import TAUS, Distribution, Meta, sort_sources
from fairtrec.counting.table.files import MOST, WRITE_COUNTS, Format, Table, format_to, open_batches, readable, write
from fairtrec.counting.table.mapped_table import refuse_disorder
from fairtrec.counting.table.rows import Numbers, Rows, even, merge_sorted, schema, sort_rows, steps
from fairtrec.data import Floats, Histogram, Keys
from fairtrec.data.counts import make_histogram
from fairtrec.data.counts import merge_histograms as brought_together
from fairtrec.formats import columns
from fairtrec.formats.spans import make_texts
from fairtrec.formulas import neutrality
from fairtrec.support.errors import FilePath, InputError, UsageError, reason
from fairtrec.support.files.atomic import make_scratch_folder, replace_file

FAN_IN = 128  # parts that are merged at a time, at most
MADE = ("tokenizer", "case_sensitive", "sha256")  # how counts were made
OTHERS = 24  # files that are open beside them
STEP = 1 << 15  # rows whose keys are computed at a time
PIECE = 4  # times ROWS rows of an unsorted table are sorted at a time


def write_rows(path: Path, form: Any, pieces: Iterable[Rows]) -> None:
    """Write rows as an Arrow file."""
    with pa.OSFile(fspath(path), "wb") as file, pa.ipc.new_file(file, form) as writer:
        for piece in pieces:
            writer.write_batch(piece.batch(form))


def read_rows(path: Path) -> Iterator[Rows]:
    """Read the rows of an Arrow file of ours."""
    with readable(path), open_batches(path) as reader:
        for i in range(reader.num_record_batches):
            batch = reader.get_batch(i)
            batch.validate()
            if batch.num_rows:
                yield Rows.from_batch(batch)


def write_table(output: Path, made: Meta, rows: Iterable[Rows], scratch: Path, form: Format | None = None) -> Meta:
    """Write sorted rows as a table, with their sums; give its metadata."""
    body, tally, digest = scratch / "merged.arrow", Tally(len(made.groups)), sha256()

    def tallied() -> Iterator[Rows]:
        for piece in even(rows):
            tally.add(piece.numbers[0], piece.numbers[1:].T)
            digest.update(piece.keys.tobytes() + piece.numbers.tobytes())
            yield dataclasses.replace(piece, places=None)

    write_rows(body, schema(made.groups), tallied())
    meta, distribution = tally.finish(dataclasses.replace(made, digest=digest.hexdigest()))
    with replace_file(output, synced=True) as part, pa.memory_map(fspath(body)) as file:
        reader = pa.ipc.open_file(file)
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
        write(part, meta, distribution, batches, form or format_to(output), output)
    body.unlink()
    return meta


def merge_parts(
    parts: Sequence[Iterable[Rows]],
    groups: Sequence[str],
    twice: Callable[[list[str], Keys, Keys], None],
    scratch: Path,
) -> Iterator[Rows]:
    """Merge any number of parts, in stages where there are many."""
    # Each stage makes one part of every ``most``, on disk, so that memory and open files stay bounded however many
    # parts there are; a row is written once a stage, of which n parts need the logarithm of n to the base ``most``.
    stage, most = 0, _fan_in()
    while len(parts) > most:
        stage += 1
        paths = []
        for i in range(0, len(parts), most):
            paths.append(scratch / f"stage-{stage}-{i // most}.arrow")
            write_rows(paths[-1], schema(groups, placed=True), merge_sorted(parts[i : i + most], twice))
        parts = [read_rows(path) for path in paths]
    return merge_sorted(parts, twice)


def _fan_in() -> int:
    """Tell how many parts are merged at a time, so that no more files are open than may be."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # no Unix
        return FAN_IN
    allowed = getrlimit(RLIMIT_NOFILE)[0]
    return FAN_IN if allowed == RLIM_INFINITY else max(2, min(FAN_IN, allowed - OTHERS))


def refuse_existing(output: Path, *, force: bool) -> None:
    """Raise UsageError for an output that would be overwritten, or that cannot be written."""
    format_to(output)
    try:
        is_there, is_open = output.exists(), os.access(output.parent, os.W_OK | os.X_OK)
    except (OSError, ValueError) as fault:  # a name that no file can have
        raise UsageError(f"cannot write {output}: {reason(fault)}; choose another with -o") from None
    if is_there and not force:
        raise UsageError(f"{output} exists; add --force to replace it, or choose another with -o")
    if not is_open:
        raise UsageError(f"the folder of {output} is not there or may not be written; choose another with -o")


def join_tables(output: Path, paths: Sequence[FilePath], *, force: bool = False, stated: Meta | None = None) -> Meta:
    """Make one table of one or several.

    ``stated``  how they were made, where they do not say so.

    Raises InputError where they do not fit together, or share a document.
    """
    refuse_existing(output, force=force)
    tables = [Table(path) for path in paths]
    made = _agreed(tables, stated)

    def twice(docnos: list[str], first: Keys, again: Keys) -> None:
        one, other = fspath(paths[int(first[0])]), fspath(paths[int(again[0])])
        raise InputError(f"document {docnos[0]} stands in {one} and again in {other}; keep one of the two", other)

    with make_scratch_folder(output) as folder:
        parts = [part for number, each in enumerate(tables) for part in sort_parts(each, number, made.groups, folder)]
        return write_table(output, made, merge_parts(parts, made.groups, twice, folder), folder)


def _agreed(tables: Sequence[Table], stated: Meta | None) -> Meta:
    """Say how the counts of several tables were made. Raises InputError where it is in different ways."""
    known = [(each, each.meta or Meta(tuple(sorted(each.groups)))) for each in tables]
    if stated is not None:
        known = [(each, _with(meta, stated, each.path)) for each, meta in known]
    first, made = known[0]
    for each, other in known[1:]:
        for name in ("groups", *MADE):
            one, two = getattr(made, name), getattr(other, name)
            if one != two:
                message = f"its {name} is {two!r}, that of {fspath(first.path)} {one!r}; count both in the same way"
                raise InputError(message, each.path)
    sources = sort_sources(source for _, meta in known for source in meta.sources)
    return Meta(made.groups, made.tokenizer, made.case_sensitive, made.terms, made.sha256, sources)


def _with(meta: Meta, stated: Meta, path: FilePath) -> Meta:
    """Add how counts were made to what is known of them. Raises InputError where that cannot be, or is known."""
    if meta.tokenizer is not None or meta.sha256:
        raise InputError("this table says how it was made; leave out --terms and --tokenizer", path)
    if set(meta.groups) != set(stated.groups):
        both = f"its groups are {', '.join(meta.groups)}, those of {stated.terms} {', '.join(stated.groups)}"
        raise InputError(f"{both}; name the list that was counted", path)
    return dataclasses.replace(meta, **{name: getattr(stated, name) for name in ("terms", *MADE)})


def sort_parts(each: Table, number: int, groups: Sequence[str], scratch: Path) -> Iterator[Iterable[Rows]]:
    """Give a table as one or several parts whose rows are sorted; their place is the table's number."""
    if each.is_sorted:
        yield _in_order(each.path, number)
        return
    # What is not sorted is cut into pieces that fit in memory; each is sorted there and written as a part of its own,
    # for the merge that comes next. A document that appears twice in one piece is found here, in two by the merge.
    for piece, rows in enumerate(even(_taken(each, number, groups), PIECE * table.ROWS)):
        ordered, again, _ = sort_rows(rows)
        if len(again):
            docno = rows.docnos[int(again[0])].as_py()
            raise InputError(f"document {docno} appears twice; keep one row", each.path)
        del rows
        path = scratch / f"sorted-{number}-{piece}.arrow"
        write_rows(path, schema(groups, placed=True), [ordered])
        yield read_rows(path)


def _in_order(path: FilePath, number: int) -> Iterator[Rows]:
    """Read the rows of a table that says it is sorted. Raises InputError where it is not, or holds what none may."""
    last = np.uint64(0)
    for rows in read_rows(Path(path)):
        refuse_disorder(rows.keys, last, path)
        with readable(path):
            rows.docnos.validate(full=True)
        last = rows.keys[-1]
        yield dataclasses.replace(rows, places=np.full(len(rows), number, dtype=np.uint64))


def _taken(each: Table, number: int, groups: Sequence[str]) -> Iterator[Rows]:
    """Read the rows of any table, in the order of the file."""
    for block, lines in each.blocks():
        several = [block[name] for name in ("tokens", *groups)]
        if any(column.min() < 0 or column.max() > MOST for column in several if len(column)):
            bad = np.any([(column < 0) | (column > MOST) for column in several], axis=0)
            row = int(bad.argmax())
            number = next(int(column[row]) for column in several if not 0 <= column[row] <= MOST)
            what = f"the count {number} of document {block['docno'][row].decode()} is no count"
            raise InputError(f"{what}; {WRITE_COUNTS}", each.path, columns.find_line_number(lines, row))
        if not block["docno"].all():
            row = int(np.flatnonzero(block["docno"] == b"")[0])
            raise InputError("a row has no docno; add it", each.path, columns.find_line_number(lines, row))
        for start in range(0, len(block["docno"]), STEP):
            piece = slice(start, start + STEP)
            numbers = np.stack([column[piece].astype(np.uint32) for column in several])
            places = np.full(numbers.shape[1], number, dtype=np.uint64)
            yield Rows.from_columns(make_texts(block["docno"][piece]), numbers, places)


def differences(one: FilePath, other: FilePath) -> Iterator[str]:
    """Say what differs, a line each: how the counts were made, then documents in the order of the tables."""
    tables = Table(one), Table(other)
    groups = [tuple(sorted(each.groups)) for each in tables]
    if groups[0] != groups[1]:
        yield f"groups: {', '.join(groups[0])} | {', '.join(groups[1])}"
        return
    metas = [each.meta for each in tables]
    for name in MADE if None not in metas else ():
        values = [getattr(meta, name) for meta in metas]
        if values[0] != values[1]:
            yield f"{name}: {values[0]} | {values[1]}"
    with TemporaryDirectory(prefix="fairtrec-") as folder:
        whole = []
        for number, each in enumerate(tables):
            whole.append(merge_sorted(list(sort_parts(each, number, groups[0], Path(folder)))))
        for pieces in steps(whole):
            yield from _between(pieces[0], pieces[1], fspath(one), fspath(other))


def _between(some: list[Rows], more: list[Rows], one: str, other: str) -> Iterator[str]:
    if some and more:
        a, b = Rows.concatenate(some), Rows.concatenate(more)
        if len(a) == len(b) and a.docnos.equals(b.docnos) and np.array_equal(a.numbers, b.numbers):
            return
    rows = [
        {
            docno: numbers
            for piece in pieces
            for docno, numbers in zip(piece.docnos.to_pylist(), piece.numbers.T.tolist(), strict=True)
        }
        for pieces in (some, more)
    ]
    for docno in dict.fromkeys([*rows[0], *rows[1]]):
        left, right = (each.get(docno) for each in rows)
        if left is None or right is None:
            yield f"{docno}: only in {other if left is None else one}"
        elif left != right:
            yield f"{docno}: {' '.join(map(str, left))} | {' '.join(map(str, right))}"


class Tally:
    """Adds up tokens and counts, and keeps the distinct rows of counts while they are few enough."""

    def __init__(self, groups: int) -> None:
        self.even = np.full(groups, 1 / groups)
        self.rows = self.tokens = 0
        self.totals = np.zeros(groups, dtype=np.int64)
        self._folded: Histogram | None = make_histogram(np.zeros((0, groups), np.int64))
        self._pending: list[Histogram] = []
        self._sums: dict[int, list[float]] = {tau: [] for tau in TAUS}  # of what no histogram holds

    def add(self, tokens: Numbers, counts: Numbers) -> None:
        """Add rows: tokens [row] and counts [row, group]."""
        self.rows += len(tokens)
        self.tokens += int(tokens.sum(dtype=np.int64))
        self.totals += counts.sum(axis=0, dtype=np.int64)
        self._pending.append(make_histogram(counts.astype(np.int64, copy=False)))
        if self._folded is None or sum(len(each.counts) for each in self._pending) > len(self._folded.counts):
            self._fold()

    def _fold(self) -> None:
        """Bring what is pending into the histogram, or into the sums where that has grown too large."""
        # Rows wait until they outnumber what is folded, so that each is sorted a number of times that grows with the
        # logarithm of their number. Once the kinds of rows are too many to keep, only the sums of omega are.
        parts = [*([] if self._folded is None else [self._folded]), *self._pending]
        self._pending = []
        whole = brought_together(*parts)
        if self._folded is not None and len(whole.counts) <= table.DISTINCT:
            self._folded = whole
            return
        self._folded = None
        for tau in TAUS:
            self._sums[tau].append(math.fsum(self._omega(whole, tau) * whole.documents))

    def _omega(self, histogram: Histogram, tau: int) -> Floats:
        return neutrality.omega(histogram.counts.astype(np.float64), self.even, tau)

    def finish(self, made: Meta) -> tuple[Meta, Distribution]:
        """Complete metadata by the sums."""
        if self._pending:
            self._fold()
        found = Distribution()
        sums = {tau: math.fsum(each) for tau, each in self._sums.items()}
        if self._folded is not None:
            by_omega = {}
            for tau in TAUS:
                values, number = np.unique(self._omega(self._folded, tau), return_inverse=True)
                documents = np.bincount(number, weights=self._folded.documents, minlength=len(values)).astype(np.int64)
                by_omega[tau] = values.tolist(), documents.tolist()
                sums[tau] = math.fsum(values * documents)
            found = Distribution(self._folded, by_omega)
        totals = tuple(self.totals.tolist())
        return dataclasses.replace(made, rows=self.rows, tokens=self.tokens, totals=totals, omega=sums), found

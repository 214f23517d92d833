"""Reading and writing tables of counts, whichever of the three formats they are in."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from os import fspath
from typing import TYPE_CHECKING, Any, Literal, get_args

from fairtrec.counting import table
from fairtrec.counting.table import COLUMNS, DISTRIBUTION, DOCNO, KEY, META, TOKENS, Distribution, Meta
from fairtrec.data import MOST_GROUPS
from fairtrec.formats import columns, memory_bounds
from fairtrec.formats.columns import Columns, Layout, LineNumbers
from fairtrec.formats.named_tables import TableKind, read_table
from fairtrec.formats.spans import locate_texts, make_word, take_array
from fairtrec.support.errors import FilePath, InputError, UsageError
from fairtrec.support.files import mapping, opening
from fairtrec.support.files.admission import open_file, refuse_unrecorded
from fairtrec.support.files.table_header import TableHeader, find_header, normalize_name
from fairtrec.support.literals import DOCUMENT

if TYPE_CHECKING:
    from pathlib import Path

Format = Literal["arrow", "parquet", "tsv"]
FORMATS: tuple[Format, ...] = get_args(Format)
KIND = TableKind(
    "table of counts", {DOCNO: DOCUMENT, TOKENS: (TOKENS,), "group": ()}, rest="group", takes_all=True,
    longest=opening.LONGEST_TEXT,
)  # fmt: skip
MAGIC: dict[bytes, Format] = {b"ARROW1": "arrow", opening.PARQUET: "parquet"}
MOST = 2**32 - 1
HEADER = "the header of a table of counts; write: docno tokens GROUP GROUP ..."
WRITE_COUNTS = f"write a whole number from 0 to {MOST}, or count again: fairtrec counts make"


def format_to(path: FilePath) -> Format:
    """Tell the format in which a table is wanted from the end of its name. Raises UsageError for another."""
    from pathlib import Path

    for form in FORMATS:
        if Path(path).suffix == f".{form}":
            return form
    raise UsageError(f"{fspath(path)} ends in none of .arrow, .parquet, .tsv; name it so that it does")


@contextmanager
def readable(path: FilePath) -> Iterator[None]:
    """Turn what pyarrow says of a damaged file into an InputError."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as fault:  # the last of names of columns
        why = str(fault).splitlines()[0]
        raise InputError(f"this table is cut off or damaged ({why}); make or fetch it again", path) from None


@contextmanager
def open_batches(path: FilePath) -> Iterator[Any]:
    """Open an Arrow file, mapped into memory if it is large."""
    import pyarrow as pa

    refuse_unrecorded(path)
    with ExitStack() as stack:
        if mapping.is_mapped(path):
            file = stack.enter_context(pa.memory_map(fspath(path)))
            memory = file.read_buffer()
            stack.enter_context(mapping.watch_mapping(path, memory.address, memory.size))
        else:
            file = stack.enter_context(pa.OSFile(fspath(path)))
        yield pa.ipc.open_file(file)


class Table:
    """A table that can be read: its groups, its metadata (None if it says nothing about itself), and rows."""

    def __init__(self, path: FilePath) -> None:
        self.path = path
        self.format: Format | Literal["csv"] = "tsv"  # told by the first bytes, or the header
        if not opening.is_stream(path):
            with suppress(OSError), open_file(path) as file:  # whose reader says what is wrong
                start = file.read(6)
                self.format = next((form for magic, form in MAGIC.items() if start.startswith(magic)), "tsv")
        self.is_sorted = False  # and has fingerprints, so that it can be searched
        self.is_packed = False
        self._texts: Mapping[bytes, bytes] = {}  # what stands in it under META and DISTRIBUTION
        if self.format in MAGIC.values():
            with readable(path), self._opened() as file:
                if self.format == "arrow":
                    self.is_packed = memory_bounds.refuse_compressed(path)
                schema = file.schema_arrow if self.format == "parquet" else file.schema
                names = [TOKENS, *groups_in(schema, path)]
                self.is_sorted = self.format == "arrow" and is_ours(schema, path)
            self._texts = schema.metadata or {}
        else:
            number, line, comments = opening.first_line(path, b"#", opening.LONGEST_TEXT)
            header = find_header(line.decode(errors="replace"))
            if header is not None and header.separator in (",", ";"):
                self.format, names = "csv", _take_names(header, path, number)
            else:
                names = _read_names(line, path, number)
            if number > 2:
                above = zip((META, DISTRIBUTION), comments, strict=True)
                self._texts = {key: text[2:] for key, text in above if text[:3] == b"# {"}
        self.groups = tuple(names[1:])
        if len(self.groups) > MOST_GROUPS:
            what = f"{len(self.groups):,} groups, and {MOST_GROUPS:,} is the most"
            raise InputError(f"{what}; count fewer groups, or give labels", path)
        self._layout = Layout(
            "table of counts", {DOCNO: "text", **dict.fromkeys(names, "int")}, True, opening.LONGEST_TEXT
        )
        self.meta = Meta.from_json(self._texts[META], self.groups, path) if META in self._texts else None

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        if self.format == "parquet":
            with memory_bounds.parquet(self.path, (DOCNO,)) as table_file:
                yield table_file
        else:
            with open_batches(self.path) as reader:
                yield reader

    @property
    def distribution(self) -> Distribution:
        """All documents by their counts, as far as the file says so."""
        found = Distribution.from_json(self._texts.get(DISTRIBUTION, b"{}"), len(self.groups), self.path)
        if self.meta is not None and found.histogram is not None:
            counts, documents = found.histogram.counts, found.histogram.documents
            least = min(counts.min(initial=0), documents.min(initial=1) - 1)
            sums = int(documents.sum()), tuple((documents @ counts).tolist())  # exact: whole numbers
            if least < 0 or sums != (self.meta.rows, tuple(self.meta.totals)):
                what = "the distribution of counts is damaged (it is not that of the rows)"
                raise InputError(f"{what}; count again", self.path)
        return found

    def batches(self) -> Iterator[Any]:
        """Give the record batches of an Arrow or Parquet file."""
        with readable(self.path), self._opened() as file:
            if self.format == "arrow":
                yield from (file.get_batch(i) for i in range(file.num_record_batches))
            else:
                yield from file.iter_batches(table.ROWS, columns=list(self._layout.columns))

    def blocks(
        self, keep: columns.Keep | None = None, take: columns.Take | None = None
    ) -> Iterator[tuple[Columns, LineNumbers]]:
        """Give the columns block by block, each with the line numbers of its rows, or what ``keep`` keeps of them.

        ``take`` keeps the same of the lines of a file of TSV, if these are plain.
        """
        if self.format == "tsv":
            yield from columns.stream(self.path, self._layout, keep, take=take)
            return
        if self.format == "csv":
            for block, line in self._split_rows():
                parsed, lines = columns.parse_lines(block, self._layout, self.path, line)
                yield parsed if keep is None else keep(parsed, lines), lines
            return
        row = 1
        for batch in self.batches():
            if batch.num_rows:
                with readable(self.path):
                    checked = self._checked(batch)
                yield checked if keep is None else keep(checked, row), row
            row += batch.num_rows

    def _split_rows(self) -> Iterator[tuple[bytes, int]]:
        """Give rows of a table of other separators between tabs, each in its line, with the number of the first."""
        rows = read_table(self.path, KIND).rows
        while several := [*islice(rows, table.ROWS)]:
            first = last = several[0][0] or 1
            lines = bytearray()
            for number, cells in several:
                lines += b"\n" * ((number or last) - last) + "\t".join(cells).encode()
                last = number or last
            yield bytes(lines), first

    def _checked(self, batch: Any) -> Columns:
        """Take numpy columns from a record batch. Raises InputError for what a table may not hold."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = {}
        batch.validate(full=True)
        for name in self._layout.columns:
            column = batch.column(name)
            if column.null_count:
                raise InputError(f"the column {name} has no value in some row; fill it", self.path)
            if name == DOCNO:
                memory_bounds.refuse_wide(column, self.path)
                docnos = column.cast(pa.string())
                if pc.any(pc.match_substring(docnos, "\0")).as_py():
                    raise InputError(memory_bounds.WIDE, self.path)
                found[name] = take_array(pa.chunked_array([docnos]))
            else:
                found[name] = column.cast(pa.int64()).to_numpy()
        return found


def _take_names(header: TableHeader, path: FilePath, number: int) -> list[str]:
    """Take the names of the columns behind the docno from a header between commas or semicolons."""
    places = KIND.find_columns(header, path, number)
    names = [TOKENS, *(header.written[place] for place in places["group"])]
    if len(names) < 3 or len({DOCNO, *names}) <= len(names):
        raise InputError(f"the first line is not {HEADER}", path, number)
    return names


def _read_names(line: bytes, path: FilePath, number: int) -> list[str]:
    """Read the names of the columns behind the docno. Raises InputError for a line that is no header of counts."""
    docno, *names = (name.strip('"') for name in line.decode(errors="replace").split())
    is_named = normalize_name(docno) in DOCUMENT and list(map(normalize_name, names[:1])) == [TOKENS]
    names[:1] = [TOKENS]
    if not is_named or len(names) < 3 or len({DOCNO, *names}) <= len(names):
        what = "this is JSON, not" if line.lstrip()[:1] in (b"{", b"[") else "the first line is not"
        raise InputError(f"{what} {HEADER}", path, number)
    return names


def write(
    path: "Path", meta: Meta, distribution: Distribution, batches: Iterable[Any], form: Format, output: FilePath
) -> None:
    """Write record batches of ROWS rows, with fingerprints, as a table of counts, which will be at ``output``."""
    import pyarrow as pa

    from fairtrec.counting.table.rows import schema

    texts = {META: meta.json.encode(), DISTRIBUTION: distribution.json.encode()}
    shape = schema(meta.groups, keyed=form == "arrow").with_metadata(texts)
    if form == "arrow":
        with pa.OSFile(fspath(path), "wb") as file, pa.ipc.new_file(file, shape) as writer:
            for batch in batches:
                writer.write_batch(pa.record_batch(batch.columns, schema=shape))
    elif form == "parquet":
        from pyarrow import parquet

        with parquet.ParquetWriter(fspath(path), shape, compression="zstd") as writer:
            for batch in batches:
                kept = [batch.column(name) for name in shape.names]
                writer.write_batch(pa.record_batch(kept, schema=shape), row_group_size=table.ROWS)
    else:
        with path.open("wb") as file:
            file.write(b"".join(b"# " + text + b"\n" for text in texts.values()))
            file.write("\t".join(shape.names).encode() + b"\n")
            for batch in batches:
                file.write(_lines(batch, output))


def _lines(batch: Any, path: FilePath) -> memoryview:
    """Write rows as lines. Raises InputError for a docno that a line cannot hold."""
    import pyarrow as pa
    import pyarrow.compute as pc

    docnos = batch.column(DOCNO)
    letters, starts, ends = locate_texts(docnos)
    is_odd = (letters[starts[0] : ends[-1]] <= ord(" ")).any() or (letters[starts[starts < ends]] == ord("#")).any()
    unfit = pc.match_substring_regex(docnos, r"^#|[\t-\r ]") if is_odd else None
    if unfit is not None and pc.any(unfit).as_py():
        docno = docnos.filter(unfit)[0].as_py()
        raise InputError(f"the docno {docno!r} holds white space or a #, so TSV cannot hold it; write .arrow", path)
    numbers = [batch.column(name).cast(pa.string()) for name in batch.schema.names if name not in (KEY, DOCNO)]
    rows = pc.binary_join_element_wise(docnos, *numbers, make_word(b""), make_word(b"\t"))
    letters, starts, ends = locate_texts(rows)
    lines = letters[starts[0] : ends[-1]].copy()
    lines[ends - starts[0] - 1] = ord("\n")  # for the tab behind the last number
    return lines.data


NO_TABLE = "not a table of counts; its columns are docno, tokens and an integer for each group"


def groups_in(schema: Any, path: FilePath) -> list[str]:
    """Name the groups of an Arrow or Parquet file. Raises InputError where it is no table of counts."""
    import pyarrow as pa

    names = schema.names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"the column {twice[0]} appears twice; keep one of the two", path)
    groups = [name for name in names if name not in COLUMNS]
    numbers = [name for name in names if name != DOCNO]
    if not {DOCNO, TOKENS} <= set(names) or len(groups) < 2:
        raise InputError(NO_TABLE, path)
    if not all(pa.types.is_integer(schema.field(name).type) for name in numbers):
        raise InputError(NO_TABLE, path)
    kind = schema.field(DOCNO).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind  # as Parquet is read, each text once
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputError(f"its docnos are of the type {kind}; write them as string", path)
    return groups


def is_ours(schema: Any, path: FilePath) -> bool:
    """Tell whether a file is one that can be searched. Raises InputError where it says so and is not."""
    from fairtrec.counting.table.rows import schema as schema_of

    if schema.names[0] != KEY or META not in (schema.metadata or {}):
        return False
    ours = schema_of([name for name in schema.names if name not in COLUMNS])
    if [(field.name, field.type) for field in schema] != [(field.name, field.type) for field in ours]:
        raise InputError("its columns are not as `fairtrec counts make` writes them; count again", path)
    return True

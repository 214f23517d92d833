"""The table of counts: one row for each document of a collection, in one of three formats that hold the same.

Columns, in this order:

``fingerprint``  uint64    ``fairtrec.data.fingerprints`` of the docno; in ``.arrow`` alone
``docno``        string    UTF-8 without NUL and LF, 1 to 1024 bytes, each docno once
``tokens``       uint32    tokens of the document
``<group>``      uint32    occurrences of the group's terms; one column for each group, in alphabetical order

Rows are sorted by fingerprint, then by docno (bytes), in all three formats, so what is in a file depends neither on
the order in which the documents came nor on how many processes counted them.

``.arrow``    an Arrow IPC file, not compressed, in record batches of ROWS rows (the last one may have fewer): made to
              be mapped into memory and searched by fingerprint, see ``mapped_table.py``
``.parquet``  zstd, row groups of ROWS rows
``.tsv``      two comment lines (``# {...}``: metadata, then distribution), the header ``docno tokens <group> ...``,
              and rows; columns are separated by tabs, so no docno may hold white space

Metadata are two JSON objects (sorted keys, no blanks), kept under the keys ``fairtrec`` and ``fairtrec.distribution``
of the Arrow schema (which Parquet keeps too). The first says how the counts were made and what they sum to; its
fields are those of Meta:

    {"case_sensitive": false, "digest": "<sha256 of the rows>", "format": 1, "groups": ["f", "m"],
     "omega": {"0": 8.5, "1": 9.0, "2": 9.0, "5": 10.0},    the sum over all documents, even target, for each tau
     "rows": 10, "sources": [{"bytes": 9, "first_mib": "<sha256>", "last_mib": "<sha256>", "name": "c.tsv"}],
     "terms": {"name": "gender-en", "sha256": "<sha256>"}, "tokenizer": "strip", "tokens": 700, "totals": [3, 4]}

A source that is no file is ``{"name": "<id>"}``; sources are sorted and each stands once. The second holds all
documents by their counts, and by their omega:

    {"histogram": {"counts": [[0, 0], [2, 1]], "documents": [9, 1]},
     "omega": {"1": {"documents": [1, 9], "values": [0.66, 1.0]}, ...}}

or ``{}`` where there are more than DISTINCT different rows of counts. Nothing in a file depends on time, machine,
folder or the version of fairtrec (which older files hold), so that what two versions count alike is the same file.

A *part* is what an engine makes of a piece of a collection: a file in one of the three formats, or anything that
pyarrow reads as ``.arrow`` or ``.parquet`` with the columns docno, tokens and the groups (any integers, any order of
rows, no nulls). ``build.join_tables`` makes one table of parts; their metadata, of which only what says how the counts
were made is needed (Meta without its sums), must agree.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fairtrec.data import GroupTerms, Histogram, Ints
from fairtrec.support.errors import FilePath, InputError

if TYPE_CHECKING:
    from fairtrec.support.files.typed_fields import Fields

FORMAT = 1
ROWS = 1 << 17
DISTINCT = 1 << 20
TAUS = (0, 1, 2, 5)
KEY, DOCNO, TOKENS = COLUMNS = ("fingerprint", "docno", "tokens")
META, DISTRIBUTION = b"fairtrec", b"fairtrec.distribution"

COUNT_AGAIN = "the metadata are damaged, count again"

Source = Mapping[str, str | int]


def plain(value: Any) -> str:
    """Write JSON that is the same everywhere."""
    import json

    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class Meta:
    """How counts were made, and what they sum to. What is not known is None or empty."""

    groups: tuple[str, ...]
    tokenizer: str | None = None
    case_sensitive: bool | None = None
    terms: str = ""
    sha256: str = ""
    sources: tuple[Source, ...] = ()
    rows: int = 0
    tokens: int = 0
    totals: tuple[int, ...] = ()
    digest: str = ""  # sha256 of the rows, which are sorted
    omega: Mapping[int, float] = field(default_factory=dict)

    @property
    def json(self) -> str:
        """The metadata as they stand in a file."""
        fields = {**vars(self), "format": FORMAT, "terms": {"name": self.terms, "sha256": self.sha256}}
        del fields["sha256"]
        return plain(fields)

    @classmethod
    def from_json(cls, text: bytes, groups: Collection[str], path: FilePath) -> Self:
        """Read metadata. Raises InputError where they are of another format, damaged, or of other ``groups``."""
        fields = _parse(text, path)
        if fields.get("format", int) != FORMAT:
            raise InputError("the metadata are of another format; count again, with this fairtrec", path)
        fields.refuse_others({*cls.__dataclass_fields__, "format", "fairtrec"} - {"sha256"})
        terms, omega = fields.object("terms"), fields.object("omega")
        made = cls(
            groups=tuple(fields.take_list("groups", str)),
            tokenizer=fields.take_optional("tokenizer", str),
            case_sensitive=fields.take_optional("case_sensitive", bool),
            terms=terms.get("name", str),
            sha256=terms.get("sha256", str),
            sources=tuple(map(_source, fields.objects("sources"))),
            rows=fields.count("rows"),
            tokens=fields.count("tokens"),
            totals=tuple(fields.counts("totals")),
            digest=fields.get("digest", str),
            omega={_tau(omega, tau): omega.get(tau, float) for tau in omega},
        )
        if len(made.totals) not in (0, len(made.groups)):
            fields.refuse("must be one number for each group", "totals")
        if made.groups != tuple(sorted(groups)):
            raise InputError("its metadata name other groups than its columns; count again", path)
        return made


def sort_sources(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Bring sources into the order in which they stand in metadata, each once."""
    import json

    return tuple(json.loads(each) for each in sorted({plain(source) for source in sources}))


@dataclass(frozen=True, eq=False)
class Distribution:
    """All documents by their counts, and by their omega for each tau; None where there are too many kinds."""

    histogram: Histogram | None = None
    omega: Mapping[int, tuple[list[float], list[int]]] = field(default_factory=dict)

    @property
    def json(self) -> str:
        """The distribution as it stands in a file."""
        if self.histogram is None:
            return "{}"
        both = {"counts": self.histogram.counts.tolist(), "documents": self.histogram.documents.tolist()}
        omega = {tau: {"values": values, "documents": documents} for tau, (values, documents) in self.omega.items()}
        return plain({"histogram": both, "omega": omega})

    @classmethod
    def from_json(cls, text: bytes, groups: int, path: FilePath) -> Self:
        """Read a distribution. Raises InputError where it is damaged."""
        fields = _parse(text, path)
        if not [*fields]:
            return cls()
        both, omega = fields.object("histogram"), fields.object("omega")
        documents = _whole(both, "documents", (-1,))
        histogram = Histogram(_whole(both, "counts", (len(documents), groups)), documents)
        each = {_tau(omega, tau): omega.object(tau) for tau in omega}
        return cls(
            histogram, {tau: (of.take_list("values", float), of.counts("documents")) for tau, of in each.items()}
        )


def _parse(text: bytes, path: FilePath) -> "Fields":
    """Read a JSON object of metadata, which small tables have not."""
    from fairtrec.support.files.typed_fields import parse_json

    return parse_json(text, path, COUNT_AGAIN)


def _source(fields: "Fields") -> Source:
    """Take a source: its name, and what else is known of a file."""
    fields.refuse_others(("name", "bytes", "first_mib", "last_mib"))
    found: dict[str, str | int] = {"name": fields.get("name", str)}
    found |= {each: fields.get(each, str) for each in ("first_mib", "last_mib") if each in fields}
    return found | ({"bytes": fields.count("bytes")} if "bytes" in fields else {})


def _tau(fields: "Fields", name: str) -> int:
    """Take the name of a field that is a tau."""
    if not (name.isascii() and name.isdigit() and len(name) < 10):
        fields.refuse("is no tau, a whole number", name)
    return int(name)


def _whole(fields: "Fields", name: str, shape: tuple[int, ...]) -> Ints:
    """Take an array of whole numbers from 0 on."""
    try:
        found = np.array(fields.get(name, list) or np.zeros(0, np.int64)).reshape(shape)
    except (ValueError, OverflowError):  # of a ragged list, of other numbers than there should be
        fields.refuse("has not the shape that it must have", name)
    if found.dtype != np.int64 or (found < 0).any():
        fields.refuse("must be whole numbers from 0 on", name)
    return found


def check(
    meta: Meta | None, path: FilePath, terms: GroupTerms | None, tokenizer: str | None, case_sensitive: bool | None
) -> None:
    """Raise InputError where counts were made in another way than is asked for; None is not asked for, or not known."""
    if meta is None:
        return
    if terms is not None and terms.sha256 and meta.sha256 and terms.sha256 != meta.sha256:
        made, asked = f"{meta.terms} ({meta.sha256[:8]})", f"{terms.name} ({terms.sha256[:8]})"
        raise InputError(_other("the list", made, asked, "--terms"), path)
    if tokenizer is not None and meta.tokenizer is not None and tokenizer != meta.tokenizer:
        raise InputError(_other("the tokenizer", meta.tokenizer, tokenizer, "--tokenizer"), path)
    if case_sensitive is not None and meta.case_sensitive is not None and case_sensitive != meta.case_sensitive:
        names = ("no regard to case", "regard to case")
        made, asked = names[meta.case_sensitive], names[case_sensitive]
        raise InputError(_other("", made, asked, "--case-sensitive"), path)


def _other(what: str, made: str, asked: str, option: str) -> str:
    return f"these counts were made with {what} {made}, not {asked}; count again, or change {option}".replace("  ", " ")

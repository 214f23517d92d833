"""The table of counts: what goes in comes out, in three formats, found without reading what is not asked for."""

import json
from collections import Counter
from math import fsum

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from fairtrec.counting import table
from fairtrec.counting.table import Meta, build, check, mapped_table
from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.data import Docnos, GroupTerms
from fairtrec.data import docnos as data
from fairtrec.data.counts import make_histogram, merge_histograms
from fairtrec.formats import spans
from fairtrec.formulas.neutrality import omega
from fairtrec.support.errors import InputError, UsageError
from fairtrec.support.files import mapping
from fairtrec_made import THOROUGH

GROUPS = ("f", "m")
MADE = Meta(GROUPS, "word", True, "list.csv", "ab" * 32, ({"name": "c.tsv", "bytes": 7},))
FORMATS = ("arrow", "parquet", "tsv")
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

letters = st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["Cs", "Z", "C"])
docno = st.text(letters, min_size=1, max_size=20).filter(lambda text: text[0] != "#")
number = st.integers(0, 300) | st.sampled_from([0, 1, 2**32 - 1])
tables = st.dictionaries(docno, st.tuples(number, number, number), min_size=1, max_size=30)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Batches of a few rows, so that few documents are many batches."""
    monkeypatch.setattr(table, "ROWS", 7)


def make(path, documents, made=MADE, groups=GROUPS):
    """Write documents {docno: (tokens, count, count)} as a table, by way of TSV without metadata."""
    plain = path.with_name(path.name + ".plain")
    lines = ["\t".join(map(str, (name, *numbers))) + "\n" for name, numbers in documents.items()]
    plain.write_text("docno\ttokens\t" + "\t".join(groups) + "\n" + "".join(lines), "utf-8")
    number = iter(range(9))
    parts = build.sort_parts(Table(plain), next(number), tuple(sorted(groups)), path.parent)
    return build.write_table(path, made, build.merge_parts(list(parts), made.groups, None, path.parent), path.parent)


def names(docnos):
    return Docnos.collect(np.array([name.encode() for name in docnos], dtype=np.bytes_))


def found(path, wanted):
    """What the table says of the wanted documents."""
    read = read_counts(Table(path), names(wanted))
    numbers = np.column_stack((read.tokens, read.counts)).tolist()
    rows_ = zip(data.decode(read.docnos.names), read.known.tolist(), numbers, strict=True)
    return {name: tuple(values) for name, known, values in rows_ if known}


@pytest.mark.parametrize("form", FORMATS)
@quick
@given(documents=tables, others=st.lists(docno, max_size=20), share=st.floats(0, 1))
def test_finds_what_a_dict_would(form, documents, others, share, tmp_path):
    path = tmp_path / f"t.{form}"
    make(path, documents)
    wanted = [*list(documents)[: int(share * len(documents)) + 1], *others]
    assert found(path, wanted) == {name: documents[name] for name in wanted if name in documents}


@quick
@given(documents=tables, others=st.lists(docno, max_size=20))
def test_docnos_of_the_same_fingerprint_are_told_apart(documents, others, tmp_path):
    def poor(docnos):  # docnos of more than 8 bytes share their keys with short ones and with each other
        keys = true(docnos)
        return np.where(np.char.str_len(docnos) > 8, true(np.array([b"a", b"b", b"4"]))[keys % np.uint64(3)], keys)

    true = data.fingerprints
    documents = {**documents, "a": (1, 2, 3), "4": (1, 1, 1)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "extension", None)  # whose loops have the true ones
        patch.setattr(data, "fingerprints", poor)
        patch.setattr(spans, "fingerprints", poor)
        path = tmp_path / "t.arrow"
        make(path, documents)
        assert found(path, [*documents, *others]) == documents | {n: documents[n] for n in others if n in documents}


def test_many_docnos_of_one_fingerprint_are_found_in_few_rounds(tmp_path, monkeypatch):
    rounds, same = [], mapped_table._Batches.same
    monkeypatch.setattr(table, "ROWS", 1000)
    monkeypatch.setattr(mapped_table._Batches, "same", lambda *given: (rounds.append(1), same(*given))[1])
    monkeypatch.setattr(data, "extension", None)
    for module in (data, spans):
        monkeypatch.setattr(module, "fingerprints", lambda docnos: np.zeros(len(docnos), dtype=np.uint64))
    documents = {f"document-{i:04}": (i + 5, i % 3, i % 2) for i in range(1000)}
    make(tmp_path / "t.arrow", documents)
    wanted = [*list(documents)[::3], "document-no", "a", "a-document-with-a-long-name"]
    assert found(tmp_path / "t.arrow", wanted) == {name: documents[name] for name in wanted[:-3]}
    assert len(rounds) <= data.PROBES


@pytest.mark.long
@settings(quick, max_examples=30 if THOROUGH else 6)
@given(documents=tables)
def test_every_format_becomes_every_other_and_stays_the_same(documents, tmp_path):
    make(tmp_path / "t.arrow", documents)
    meta, distribution = Table(tmp_path / "t.arrow").meta, Table(tmp_path / "t.arrow").distribution
    for form in FORMATS:
        build.join_tables(tmp_path / f"a.{form}", [tmp_path / "t.arrow"], force=True)
        for other in FORMATS:
            path = tmp_path / f"b.{other}"
            build.join_tables(path, [tmp_path / f"a.{form}"], force=True)
            assert Table(path).meta == meta
            assert Table(path).distribution.json == distribution.json
            assert found(path, documents) == documents
        build.join_tables(tmp_path / "c.arrow", [tmp_path / f"a.{form}"], force=True)
        assert (tmp_path / "c.arrow").read_bytes() == (tmp_path / "t.arrow").read_bytes()


@quick
@given(documents=tables, cut=st.integers(0, 60))
def test_metadata_hold_the_sums(documents, cut, tmp_path):
    meta = make(tmp_path / "t.arrow", documents)
    counts = np.array([values[1:] for values in documents.values()], dtype=np.float64)
    assert (meta.rows, meta.tokens) == (len(documents), sum(values[0] for values in documents.values()))
    assert meta.totals == tuple(counts.sum(axis=0).astype(int).tolist())
    for tau in (0, 1, 2, 5):
        values = omega(counts, np.array([0.5, 0.5]), tau)
        assert meta.omega[tau] == pytest.approx(fsum(values), abs=1e-12 * len(values))
        kept, many = Table(tmp_path / "t.arrow").distribution.omega[tau]
        assert dict(zip(kept, many, strict=True)) == Counter(values.tolist())
    found = read_counts(Table(tmp_path / "t.arrow"), names(["x"]), collection=True).collection
    kinds = dict(zip(map(tuple, found.counts.tolist()), found.documents.tolist(), strict=True))
    assert kinds == Counter(values[1:] for values in documents.values())


def test_rows_are_in_the_order_of_fingerprint_and_docno(tmp_path):
    documents = {f"{'long' * (i % 3)}{i}": (i, i, 0) for i in range(40)}
    make(tmp_path / "t.arrow", documents)
    whole = pa.ipc.open_file(tmp_path / "t.arrow").read_all()
    keys = whole["fingerprint"].to_numpy()
    docnos = np.array(whole["docno"].to_pylist(), dtype=np.bytes_)
    assert (keys == data.fingerprints(docnos)).all()
    assert (keys[1:] >= keys[:-1]).all()
    assert whole.schema.names == ["fingerprint", "docno", "tokens", "f", "m"]
    assert [str(field.type) for field in whole.schema] == ["uint64", "string", "uint32", "uint32", "uint32"]


def test_many_kinds_of_counts_are_not_kept_but_summed(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "DISTINCT", 10)
    documents = {str(i): (9, i, 3) for i in range(100)}
    meta = make(tmp_path / "t.arrow", documents)
    counts = np.array([values[1:] for values in documents.values()], dtype=np.float64)
    assert Table(tmp_path / "t.arrow").distribution.histogram is None
    assert meta.omega[1] == pytest.approx(fsum(omega(counts, np.array([0.5, 0.5]), 1)), abs=1e-9)
    whole = read_counts(Table(tmp_path / "t.arrow"), names(["1"]), collection=True).collection
    assert whole.documents.sum() == 100
    assert sorted(whole.counts.tolist()) == counts.astype(int).tolist()


@given(st.lists(st.lists(st.sampled_from([0, 1, 2, 70, 2**31, 2**62]), min_size=3, max_size=3), min_size=1))
def test_histograms_count_rows(lists):
    counts = np.array(lists, dtype=np.int64)
    kinds = make_histogram(counts)
    assert dict(zip(map(tuple, kinds.counts.tolist()), kinds.documents.tolist(), strict=True)) == Counter(
        map(tuple, lists)
    )
    assert kinds.counts.tolist() == sorted(kinds.counts.tolist())
    again = merge_histograms(kinds, make_histogram(counts[:1]))
    assert again.documents.sum() == len(lists) + 1


def test_reads_arrow_and_parquet_of_others(tmp_path):
    frame = pa.table({"m": [5, 6], "tokens": [9, 9], "docno": ["b", "a"], "f": pa.array([1, 0], pa.int8())})
    parquet.write_table(frame, tmp_path / "t.parquet")
    with pa.ipc.new_file(tmp_path / "t.arrow", frame.schema) as writer:
        writer.write_table(frame)
    for name in ("t.parquet", "t.arrow"):
        assert tuple(sorted(Table(tmp_path / name).groups)) == GROUPS
        assert Table(tmp_path / name).meta is None
        assert found(tmp_path / name, ["b"]) == {"b": (9, 1, 5)}
        build.join_tables(tmp_path / "out.arrow", [tmp_path / name], force=True)
        assert found(tmp_path / "out.arrow", "ab") == {"a": (9, 0, 6), "b": (9, 1, 5)}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"docno": ["a"], "tokens": [1]}, "not a table of counts"),
        ({"docno": ["a"], "tokens": [1], "f": [1.5], "m": [1]}, "not a table of counts"),
        ({"docno": ["a", None], "tokens": [1, 1], "f": [1, 1], "m": [1, 1]}, "the column docno has no value"),
        ({"docno": ["a", "b"], "tokens": [1, 1], "f": [1, None], "m": [1, 1]}, "the column f has no value"),
        ({"docno": ["a\0"], "tokens": [1], "f": [1], "m": [1]}, "with a NUL"),
        ({"docno": ["a"], "tokens": [1], "f": [-1], "m": [1]}, "a negative count"),
        ({"docno": ["a", "a"], "tokens": [1, 1], "f": [1, 1], "m": [1, 1]}, "document a appears twice"),
    ],
)
def test_refuses_what_a_table_may_not_hold(columns, message, tmp_path):
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=message):
        read_counts(Table(tmp_path / "t.parquet"), names(["a"]))


@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_a_damaged_file_is_named(form, tmp_path):
    path = tmp_path / f"t.{form}"
    make(path, {str(i): (1, 2, 3) for i in range(50)})
    whole = path.read_bytes()
    for size in (6, 100, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=f"t.{form}: this table is cut off or damaged"):
            read_counts(Table(path), names(["7"]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda meta: {**meta, "format": 2}, "the metadata are of another format"),
        (lambda meta: {"format": 1}, "the metadata are damaged"),
    ],
)
def test_damaged_metadata_are_named(change, message, tmp_path):
    make(tmp_path / "t.tsv", {"a": (1, 2, 3)})
    first, *rest = (tmp_path / "t.tsv").read_text().splitlines(keepends=True)
    (tmp_path / "t.tsv").write_text("# " + json.dumps(change(json.loads(first[2:]))) + "\n" + "".join(rest))
    with pytest.raises(InputError, match=message):
        _ = Table(tmp_path / "t.tsv").meta


def test_counts_made_in_another_way_are_refused():
    terms = GroupTerms("other.csv", {"f": ("she",), "m": ("he",)}, "cd" * 32)
    check(MADE, "t", None, None, None)
    check(None, "t", terms, "strip", case_sensitive=False)
    check(MADE, "t", GroupTerms("same.csv", terms.terms, MADE.sha256), "word", case_sensitive=True)
    with pytest.raises(InputError, match=r"^t: .* the list list.csv \(abababab\), not other.csv \(cdcdcdcd\);"):
        check(MADE, "t", terms, None, None)
    with pytest.raises(InputError, match="the tokenizer word, not strip; count again, or change tokenizer="):
        check(MADE, "t", None, "strip", None)
    with pytest.raises(InputError, match="made with regard to case, not no regard to case"):
        check(MADE, "t", None, None, case_sensitive=False)


def test_merging_gives_the_table_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "FAN_IN", 3)  # so that merging takes stages
    random = np.random.default_rng(3)
    documents = {f"doc-{i}": tuple(random.integers(0, 9, 3).tolist()) for i in random.permutation(500).tolist()}
    make(tmp_path / "whole.arrow", documents)
    items = list(documents.items())
    paths = []
    for i, form in enumerate(FORMATS * 4):
        paths.append(tmp_path / f"part-{i}.{form}")
        make(paths[-1], dict(items[i::12]))
    build.join_tables(tmp_path / "merged.arrow", paths[::-1])
    assert (tmp_path / "merged.arrow").read_bytes() == (tmp_path / "whole.arrow").read_bytes()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_tables_that_do_not_fit_are_not_merged(tmp_path):
    make(tmp_path / "a.arrow", {"x": (1, 1, 1), "long-docno-y": (1, 1, 1)})
    make(tmp_path / "b.arrow", {"z": (1, 1, 1), "long-docno-y": (1, 1, 1)})
    with pytest.raises(InputError, match=r"b\.arrow: document long-docno-y stands in .*a\.arrow and again in"):
        build.join_tables(tmp_path / "m.arrow", [tmp_path / "a.arrow", tmp_path / "b.arrow"])
    make(tmp_path / "c.arrow", {"z": (1, 1, 1)}, Meta(GROUPS, "strip", True, "list.csv", "ab" * 32))
    with pytest.raises(InputError, match=r"c\.arrow: its tokenizer is 'strip', that of .*a\.arrow 'word'"):
        build.join_tables(tmp_path / "m.arrow", [tmp_path / "a.arrow", tmp_path / "c.arrow"])
    assert not (tmp_path / "m.arrow").exists()


def test_an_output_is_not_overwritten_and_is_of_a_known_format(tmp_path):
    make(tmp_path / "a.arrow", {"x": (1, 1, 1)})
    with pytest.raises(UsageError, match="exists; add force=True"):
        build.join_tables(tmp_path / "a.arrow", [tmp_path / "a.arrow"])
    with pytest.raises(UsageError, match=r"ends in none of \.arrow, \.parquet, \.tsv"):
        build.join_tables(tmp_path / "a.csv", [tmp_path / "a.arrow"])
    with pytest.raises(UsageError, match="the folder of"):
        build.join_tables(tmp_path / "no" / "a.arrow", [tmp_path / "a.arrow"])


@pytest.mark.parametrize("name", ["#a", "a b"])
def test_tsv_refuses_docnos_that_it_cannot_hold(name, tmp_path):
    frame = pa.table({"docno": [name], "tokens": [1], "f": [1], "m": [1]})
    parquet.write_table(frame, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="TSV cannot hold it"):
        build.join_tables(tmp_path / "t.tsv", [tmp_path / "t.parquet"])
    assert not (tmp_path / "t.tsv").exists()


def test_counts_that_a_table_cannot_hold_are_refused(tmp_path):
    (tmp_path / "t.tsv").write_text("docno tokens f m\na 1 1 4294967296\n")
    with pytest.raises(
        InputError,
        match=r"t\.tsv:2: the count 4294967296 of document a is no count; write a whole number from 0 to 4294967295, or ",
    ):
        build.join_tables(tmp_path / "t.arrow", [tmp_path / "t.tsv"])
    (tmp_path / "t.tsv").write_text("docno tokens f m\na 1 1 1\nb 1 1 1\na 1 1 1\n")
    with pytest.raises(InputError, match="document a appears twice"):
        build.join_tables(tmp_path / "t.arrow", [tmp_path / "t.tsv"])


@quick
@given(documents=tables, other=tables)
def test_differences_are_told(documents, other, tmp_path):
    make(tmp_path / "a.arrow", documents)
    make(tmp_path / "b.parquet", other)
    told = list(build.differences(tmp_path / "a.arrow", tmp_path / "b.parquet"))
    differ = {name for name in {*documents, *other} if documents.get(name) != other.get(name)}
    assert len(told) == len(differ)
    assert {line.rpartition(": ")[0] for line in told} == differ


def test_a_look_up_reads_only_some_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "ROWS", 1 << 12)
    make(tmp_path / "t.arrow", {str(i): (1, 2, 3) for i in range(20_000)})
    released = []
    monkeypatch.setattr(mapping, "SMALL", 0)
    monkeypatch.setattr(
        mapped_table._Batches, "same", lambda *args: released.append(len(args[2])) or np.ones(len(args[2]), bool)
    )
    mapped_table.find(tmp_path / "t.arrow", names(["17", "18"]), GROUPS)
    assert sum(released) == 2


def test_the_format_is_told_from_the_content(tmp_path):
    make(tmp_path / "t.arrow", {"a": (1, 2, 3)})
    (tmp_path / "t.arrow").rename(tmp_path / "t.tsv")
    assert Table(tmp_path / "t.tsv").format == "arrow"
    assert found(tmp_path / "t.tsv", ["a"]) == {"a": (1, 2, 3)}

"""A table of counts that is damaged, or of another make, is refused in one line, whatever reads it."""

import json
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from fairtrec.cli import main
from fairtrec.counting.table import DISTRIBUTION, META
from fairtrec.data import fingerprints

pytestmark = pytest.mark.fuzz

TEXTS = [f"she said to him {i} " * (i % 3) for i in range(40)]
NAMES = [f"document-{i:02}" for i in range(40)]


def ran(capsys, monkeypatch, arguments):
    """Call the command line; give its exit code and what it printed."""
    monkeypatch.setattr("sys.argv", ["fairtrec", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, *capsys.readouterr()


@pytest.fixture
def fairtrec(capsys, monkeypatch):
    return partial(ran, capsys, monkeypatch)


@pytest.fixture
def made(tmp_path, fairtrec):
    (tmp_path / "c.tsv").write_text("".join(f"{n}\t{t}\n" for n, t in zip(NAMES, TEXTS, strict=True)))
    (tmp_path / "r.run").write_text("".join(f"q Q0 {n} {i} {40 - i} t\n" for i, n in enumerate(NAMES[:20], 1)))
    (tmp_path / "none.run").write_text("q Q0 nowhere 1 1 t\n")
    arguments = [str(tmp_path / "c.tsv"), "--terms", "gender-en", "-o", str(tmp_path / "c.arrow"), "-j", "1"]
    assert fairtrec(["counts", "make", *arguments])[0] == 0
    with pa.ipc.open_file(str(tmp_path / "c.arrow")) as file:
        return tmp_path, file.read_all()


def column(table, name, values):
    return table.set_column(table.schema.get_field_index(name), name, values)


def shuffled(table):
    return table.take(pa.array(np.roll(np.arange(len(table)), 7)))


def renamed(table, *names):
    return table.rename_columns(list(names))


def meta(change):
    def changed(table):
        fields = json.loads(table.schema.metadata[META])
        return with_text(META, json.dumps(change(fields)).encode())(table)

    return changed


def with_text(key, text):
    return lambda table: table.replace_schema_metadata({**table.schema.metadata, key: text})


def bad_utf8(table):
    names = [name.encode() for name in table["docno"].to_pylist()]
    names[5] = b"\xff\xfe" + names[5][2:]
    return column(table, "docno", pa.array(names, pa.binary()).view(pa.string()))


DISTRIBUTIONS = [
    {"histogram": {"counts": [[-1, 0]], "documents": [40]}, "omega": {}},
    {"histogram": {"counts": [[0, 0]], "documents": [40]}, "omega": {}},
    {"histogram": {"counts": [[0, 0]], "documents": [2**70]}, "omega": {}},
    {"histogram": {"counts": [[0]], "documents": [40]}, "omega": {}},
    {"histogram": {"documents": [40]}},
]
DAMAGES = {
    "large docnos": lambda t: column(t, "docno", t["docno"].cast(pa.large_string())),
    "coded docnos": lambda t: column(t, "docno", t["docno"].dictionary_encode()),
    "views": lambda t: column(t, "docno", pa.array(t["docno"].to_pylist(), pa.string_view())),
    "numbers": lambda t: column(t, "docno", pa.array(range(40))),
    "bytes": lambda t: column(t, "docno", t["docno"].cast(pa.binary())),
    "signed keys": lambda t: column(t, "fingerprint", pa.array(t["fingerprint"].to_numpy().view(np.int64))),
    "disorder": shuffled,
    "a group twice": lambda t: renamed(t, "fingerprint", "docno", "tokens", "f", "f"),
    "tokens twice": lambda t: renamed(t, "fingerprint", "docno", "tokens", "tokens", "m"),
    "a docno twice": lambda t: renamed(t, "docno", "docno", "tokens", "f", "m"),
    "negative counts": lambda t: column(t, "f", pa.array([-1] * 40)),
    "huge counts": lambda t: column(t, "f", pa.array([2**40] * 40)),
    "bad UTF-8": bad_utf8,
    "other groups": meta(lambda fields: {**fields, "groups": ["a", "b"]}),
    "a number for groups": meta(lambda fields: {**fields, "groups": 7}),
    "texts for totals": meta(lambda fields: {**fields, "totals": ["1", "2"]}),
    "a text for rows": meta(lambda fields: {**fields, "rows": "40"}),
    "a number for case": meta(lambda fields: {**fields, "case_sensitive": 3}),
    "a list for terms": meta(lambda fields: {**fields, "terms": ["gender-en"]}),
    "numbers for sources": meta(lambda fields: {**fields, "sources": [1]}),
    "a long name": meta(lambda fields: {**fields, "x" * 10_000: 1}),
    "deep metadata": with_text(META, b"[" * 100_000),
    "deep distribution": with_text(DISTRIBUTION, b"[" * 100_000),
    **{f"distribution {i}": with_text(DISTRIBUTION, json.dumps(d).encode()) for i, d in enumerate(DISTRIBUTIONS)},
}


def write(folder, table, **options):
    path = folder / "bad.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema, **options) as writer:
        writer.write_table(table)
    return path


def everything(fairtrec, folder, path):
    """Call what reads a table, and give what each printed; none ends in a fault or prints half a report."""
    calls = {
        "info": ["counts", "info", str(path)],
        "convert": ["counts", "convert", str(path), str(folder / "out.parquet"), "--force"],
        "eval": ["eval", "none", str(folder / "r.run"), "--counts", str(path), "-m", "TExFAIR@10"],
        "all": [
            *["eval", "none", "--background", "collection", "-m", "NFaiRR@10", "--counts"],
            str(path),
            str(folder / "r.run"),
        ],
    }
    codes = {}
    for name, arguments in calls.items():
        codes[name], printed, told = fairtrec(arguments)
        assert codes[name] in (0, 3), f"{name}: {told}"
        if codes[name]:
            assert len(told.strip().splitlines()) == 1, f"{name}: {told}"
            assert len(told) < 400
            assert not printed, f"{name} printed before it refused"
    return codes


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_refused_in_one_line(damage, made, fairtrec):
    folder, table = made
    codes = everything(fairtrec, folder, write(folder, DAMAGES[damage](table)))
    assert 3 in codes.values(), codes


@pytest.mark.parametrize("packed", ["lz4", "zstd"])
def test_compressed_columns_are_converted_but_not_searched(packed, made, fairtrec):
    folder, table = made
    codes = everything(fairtrec, folder, write(folder, table, options=pa.ipc.IpcWriteOptions(compression=packed)))
    assert codes == {"info": 0, "convert": 0, "eval": 3, "all": 3}


def test_a_sound_table_is_read(made, fairtrec):
    folder, table = made
    assert set(everything(fairtrec, folder, write(folder, table)).values()) == {0}
    assert (table["fingerprint"].to_numpy() == fingerprints(np.array(table["docno"].to_pylist(), "S"))).all()


def test_counts_in_parquet_are_of_a_size_that_documents_have(made, fairtrec):
    folder, table = made
    for counts in ([-1] * 40, [2**40] * 40):
        parquet.write_table(column(table, "f", pa.array(counts)).replace_schema_metadata(None), folder / "bad.parquet")
        codes = everything(fairtrec, folder, folder / "bad.parquet")
        assert codes["eval"] == codes["convert"] == 3

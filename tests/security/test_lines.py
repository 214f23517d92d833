"""One line and an exit code: tables that are empty in other ways."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from fairtrec_made.law import hold

EMPTY = {
    "no columns": pa.table({}),
    "rows without columns": pa.table({"x": [1, 2]}).select([]),
    "rows of nothing": pa.table({name: pa.nulls(3) for name in ("qid", "docno", "score", "group", "text", "tokens")}),
    "empty texts": pa.table({name: ["", ""] for name in ("qid", "docno", "score", "group", "text", "tokens")}),
    "no name": pa.table([pa.array(["q1"]), pa.array(["d1"])], names=["", ""]),
    "one name twice": pa.table(
        [pa.array(["q1"]), pa.array(["d1"]), pa.array([1.0])], names=["docno", "docno", "score"]
    ),
    "empty lists": pa.table(
        {"docno": ["d1"], "group": pa.array([[]], pa.list_(pa.string())), "qid": ["q1"], "score": [1.0]}
    ),
}
READING = [
    "eval qrels.txt FILE -m RR",
    "eval FILE bm25.run -m RR",
    "eval none bm25.run -m AWRF@10 --labels FILE",
    "eval none bm25.run -m AWRF@10 --counts FILE",
    "eval qrels.txt bm25.run -m RR --queries FILE",
    "eval none bm25.run -m AWRF@10 --terms gender-en --docs FILE",
    "validate FILE",
    "counts info FILE",
]  # fmt: skip


def write_arrow(path, table):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


FORMS = {
    "x.parquet": lambda path, table: parquet.write_table(table, path),
    "x.arrow": write_arrow,
    "x.groups": lambda path, table: parquet.write_table(table, path, row_group_size=1),
}


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("kind", EMPTY)
def test_a_table_that_holds_nothing_ends_in_one_line(copied, fairtrec_command, kind, command):
    for name, write in FORMS.items():
        write(copied / name, EMPTY[kind])
        hold(fairtrec_command, command.replace("FILE", name).split(), copied, codes=(0, 2, 3))


TEXTS = {"a NUL": b"\0", "a mark of bytes": b"\xef\xbb\xbf", "half a character": b"\xff\xfe", "a line end": b"\r", "a comment": b"# qid\n", "a bracket": b"[", "tabs": b"\t\t\n"}  # fmt: skip


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_file_of_a_byte_or_two_ends_in_one_line(copied, fairtrec_command, kind, command):
    (copied / "x").write_bytes(TEXTS[kind])
    hold(fairtrec_command, command.replace("FILE", "x").split(), copied, codes=(0, 2, 3))

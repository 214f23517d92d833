"""Runs and qrels whose columns have names: the fast way through lines of JSON gives what the other one gives."""

import io
import json
from contextlib import suppress
from unittest import mock

import pyarrow as pa
from pyarrow import parquet

from fairtrec.formats import named_columns, qrels, run
from fairtrec.support.errors import InputError
from fairtrec_made import cbor
from fairtrec_made.fuzzed import write

ROWS = [("q1", "d1", 2.5), ("q1", "d2", 1.0), ("q2", "d1", -3.0)]
RUN = {"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d1": -3.0}}


def seeds():
    """Give one run in each form."""
    lines = [json.dumps({"qid": q, "docno": d, "score": s}) for q, d, s in ROWS]
    yield "\n".join(lines).encode()
    yield f"[{','.join(lines)}]".encode()
    yield "".join(f'{{"query_id": {i}, "doc_id": {i}, "relevance": {i}, "x": [{{}}]}}\n' for i in range(3)).encode()
    yield json.dumps(RUN).encode()
    yield json.dumps({qid: [*docnos] for qid, docnos in RUN.items()}).encode()
    yield json.dumps({"mteb_model_meta": {}, "en": {"test": RUN}}).encode()
    yield cbor.encoded(RUN)
    for separator in ("\t", ","):
        rows = [("qid", "docno", "score", "rank"), *((*row, 1) for row in ROWS)]
        yield "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()
    yield b'"qid","doc","score"\n"q 1","d""1\n2",3\n'
    file = io.BytesIO()
    parquet.write_table(pa.table(dict(zip(("qid", "docno", "score"), zip(*ROWS, strict=True), strict=True))), file)
    yield file.getvalue()


def read_slowly(path, reader):
    """Read a file without the fast way through lines of JSON."""
    with mock.patch.object(named_columns, "_alike", return_value=(None, [])):
        return describe(path, reader)


def describe(path, reader):
    """Give the rows that a reader finds in a file, or None if it refuses it."""
    with suppress(InputError):
        found = reader(path)
        values = found.scores if hasattr(found, "scores") else found.grades
        return found.qids, found.starts.tolist(), list(map(bytes, found.docnos[:])), values.tolist()
    return None


def take(data):
    """Read the bytes as a run and as qrels."""
    path = write(data)
    for reader in (run.read, qrels.read):
        found = describe(path, reader)
        assert repr(found) == repr(read_slowly(path, reader)), found

"""Tables of counts in Arrow: messages that lie over each other or outside the file are refused before they are read."""

import io
import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
from pyarrow import feather

from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.data import Docnos
from fairtrec.formats import arrow_messages
from fairtrec.support.errors import InputError
from fairtrec_made.fuzzed import write

COUNTS = pa.table({"docno": ["d1", "d2", "d3"], "tokens": [3, 1, 2], "f": [1, 0, 2], "m": [1, 1, 0]})
WANTED = Docnos.collect(np.array([b"d1", b"d3"]))
META = json.dumps({"tokenizer": "strip"})


def seeds():
    """Give tables of counts, packed and plain, in one batch and in several."""
    for table in (COUNTS, COUNTS.replace_schema_metadata({"fairtrec": META})):
        for options in (
            {"compression": "uncompressed"},
            {"compression": "zstd"},
            {"compression": "lz4", "chunksize": 1},
        ):
            file = io.BytesIO()
            feather.write_feather(table, file, **options)
            yield file.getvalue()


def take(data):
    """Look at the messages, and read the table if they are right."""
    path = write(data, ".arrow")
    with suppress(InputError):
        assert arrow_messages.unpacked_size(path) >= 0
        read_counts(Table(path), WANTED, collection=True)

"""The footer and pages of Parquet: heads that lie are refused before the library reads the pages."""

import io
from contextlib import suppress

import pyarrow as pa
from pyarrow import parquet

from fairtrec.formats import parquet_pages
from fairtrec.support.errors import InputError
from fairtrec_made.fuzzed import write

TABLE = pa.table({"docno": ["d1", "d2", "d1"], "tokens": [3, 1, None], "groups": [["f"], [], ["f", "m"]]})
OPTIONS = (
    {},
    {"compression": "zstd", "data_page_version": "2.0"},
    {"use_dictionary": False, "row_group_size": 1, "compression": "none"},
    {"write_page_index": True, "store_schema": False},
)


def seeds():
    """Give tables of several groups of rows, versions and packings."""
    for options in OPTIONS:
        file = io.BytesIO()
        parquet.write_table(TABLE, file, **options)
        yield file.getvalue()


def take(data):
    """Read the heads of pages, which hold no more than the file says."""
    with suppress(InputError):
        for column in parquet_pages.read_page_heads(write(data, ".parquet")):
            assert column.values >= 0 <= column.unpacked

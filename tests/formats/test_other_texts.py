"""Files of other kinds than a command reads are told by what they are."""

import csv
import io
import zipfile

import pytest

from fairtrec.commands.results import value_files
from fairtrec.formats import qrels
from fairtrec.formats import run as runs
from fairtrec.support.errors import InputError
from fairtrec.support.files.compression import detect_foreign

pytestmark = pytest.mark.fuzz


def archive():
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr("a.run", "q1 Q0 d1 1 2.5 tag\n" * 9)
    return memory.getvalue()


@pytest.mark.parametrize("data", [archive(), "q1 Q0 d1 1 2.5 tag\n".encode("utf-16")])
@pytest.mark.parametrize("read", [runs.read, qrels.read])
def test_eval_says_of_a_zip_what_validate_says_of_it(tmp_path, read, data):
    path = str(tmp_path / "a.run")
    (tmp_path / "a.run").write_bytes(data)
    with pytest.raises(InputError) as refused:
        read(path)
    assert str(refused.value) == f"{path}: {detect_foreign(data)[1]}"


def test_values_with_an_endless_cell_are_bad_input():
    for text in ("query_id," + "x" * (csv.field_size_limit() + 1), "q1,1\n" + "x" * (csv.field_size_limit() + 1)):
        with pytest.raises(InputError, match="not three columns"):
            value_files.read("a.csv", text, bool)

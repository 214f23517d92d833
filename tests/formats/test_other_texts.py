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


def workbook(first):
    """Make the start of a workbook: an archive whose first file is called so."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr(first, b"application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("xl/workbook.xml", "<workbook/>")
    return memory.getvalue()


BOOKS = {
    "Excel": workbook("[Content_Types].xml"),
    "of a library": workbook("docProps/app.xml"),
    "OpenDocument": workbook("mimetype"),
    "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
}


@pytest.mark.parametrize("book", BOOKS)
def test_a_spreadsheet_is_refused_with_the_way_out(tmp_path, monkeypatch, fairtrec_command, book):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xlsx").write_bytes(BOOKS[book])
    (tmp_path / "log.csv").write_text("view,offer,slot\nv1,x,1\nv1,y,2\n")
    (tmp_path / "l.tsv").write_text("x\tf\ny\tm\n")
    given = ["-m", "AWRF@2", "--order", "rank", "--columns", "qid=view,docno=offer,rank=slot"]
    said = "a.xlsx: this is a spreadsheet, such as an Excel workbook; save the sheet as CSV UTF-8, and pass that file\n"
    for words in (
        ["a.xlsx", *given[:-2], "--labels", "l.tsv"],
        ["a.xlsx", *given, "--labels", "log.csv:slot"],
        ["a.xlsx", *given[:-1], f"{given[-1]},group=sex"],
        ["log.csv", *given, "--labels", "a.xlsx:sex"],
        ["log.csv", *given, "--labels", "a.xlsx"],
    ):
        done = fairtrec_command("eval", "none", *words)
        assert (done.code, done.err) == (3, said), words
    assert f"a.xlsx: E101 {said.partition(' ')[2]}" in fairtrec_command("validate", "a.xlsx").out


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

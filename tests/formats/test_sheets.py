"""Sheets of gold labels are read whole: what was drawn, with which probability, and what people wrote; or refused."""

import hashlib
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import Docnos
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import sheets
from fairtrec.support.errors import InputError

DRAWN = "# gold:document | number:3 of 9 | seed:4 | depth:10 | order:score | runs:bm25.run@1a2b3c4d,given\n"
ONE = DRAWN.replace("number:3", "number:1")
HEAD = "docno\tgroup\tprobability\ttext\n"
QUERIES = "qid\tdocno\tgroup\tprobability\n"


@pytest.fixture
def read(tmp_path):
    def of(text, **how):
        place = tmp_path / "sheet.tsv"
        place.write_text(text, "utf-8")
        return loading.gold(place, **how)

    return of


def rows(sheet):
    """What stands in a sheet, by its rows."""
    names = [name.decode() for name in sheet.labels.rows.names.tolist()]
    weights = [
        None if unknown else row for unknown, row in zip(sheet.unknown, sheet.labels.weights.tolist(), strict=True)
    ]
    assert np.isnan(sheet.labels.weights[sheet.unknown]).all()
    return dict(zip(names, weights, strict=True))


def test_a_sheet_says_what_was_drawn_how_and_what_people_wrote(read):
    sheet = read(f"{DRAWN}{HEAD}d9\tf\t0.5\ta text\nd2\t-\t0.25\nd3\t?\t1\tanother\td".replace("\td", ""))
    assert rows(sheet) == {"d2": [0.0], "d3": None, "d9": [1.0]}
    assert (sheet.unit, sheet.depth, sheet.seed, sheet.labels.groups) == ("document", 10, 4, ("f",))
    assert sheet.runs == (("1a2b3c4d", "bm25.run"), ("", "given"))
    assert sheet.made["order"] == "score"
    assert dict(zip(sheet.labels.rows.names.tolist(), sheet.probability.tolist(), strict=True)) == {
        b"d2": 0.25,
        b"d3": 1,
        b"d9": 0.5,
    }
    assert dict(zip(sheet.labels.rows.names.tolist(), sheet.lines.tolist(), strict=True)) == {
        b"d2": 4,
        b"d3": 5,
        b"d9": 3,
    }


def test_an_older_sheet_says_a_version_too_and_is_read_alike(read):
    lines = f"{HEAD}d9\tf\t0.5\nd2\t-\t0.25\nd3\t?\t1\n"
    sheet, older = read(f"{DRAWN}{lines}"), read(f"{DRAWN.replace('# ', '# fairtrec:0.1 | ')}{lines}")
    assert rows(older) == rows(sheet)
    assert older.made.pop("fairtrec") == "0.1"
    assert (older.made, older.runs, older.depth, older.seed) == (sheet.made, sheet.runs, sheet.depth, sheet.seed)


def test_a_spreadsheet_may_quote_what_the_first_line_says(read):
    lines = f"{ONE}{HEAD}d9\tf\t0.5\ta text\n".splitlines()
    plain, quoted = read("\n".join(lines)), read("\ufeff" + "\r\n".join([f'"{lines[0]}"\t\t\t', *lines[1:]]) + "\r\n")
    assert (quoted.made, quoted.runs, quoted.depth) == (plain.made, plain.runs, plain.depth)
    assert rows(quoted) == rows(plain) == {"d9": [1.0]}
    assert quoted.probability.tolist() == [0.5]


def test_columns_stand_in_any_order_and_others_are_passed_over(read):
    sheet = read(
        "notes\tprobability\tgroup\tweight\tdocno\nlong, long\t0.5\tf\t0.6\td1\n\t\t-\t0.4\td1\n\t1\tm\t\td2\n"
    )
    assert rows(sheet) == {"d1": [0.6, 0.0], "d2": [0.0, 1.0]}
    assert sheet.probability.tolist() == [0.5, 1]
    assert (sheet.depth, sheet.runs, sheet.made) == (None, (), {})


def test_no_group_at_all_may_stand_in_a_sheet(read):
    sheet = read("docno\tgroup\nd1\t-\nd2\t?\n")
    assert sheet.labels.groups == ()
    aligned = sheet.match_groups(("f", "m"))
    assert aligned.weights.tolist()[0] == [0, 0]
    assert np.isnan(aligned.weights[1]).all()
    assert sheet.probability is None


def test_a_label_of_one_query_is_one_of_the_same_document_in_others(read):
    text = f"{QUERIES}1\td1\tf\t0.5\n1\td2\tm\t0.5\n2\td1\t\t0.5\n"
    assert rows(read(text)) == {"1 d1": [1.0, 0.0], "1 d2": [0.0, 1.0], "2 d1": [1.0, 0.0]}
    differ = text.replace("2\td1\t", "2\td1\tm")
    with pytest.raises(InputError, match="4: document d1 has other groups in query 2 than in query 1"):
        read(differ)
    assert rows(read(differ, per_query=True))["2 d1"] == [0.0, 1.0]
    with pytest.raises(InputError, match=":4: this line has no group yet"):
        read(text, per_query=True)


def test_groups_are_those_of_the_instrument(read):
    sheet = read(f"{HEAD}d1\tm\t1\nd2\tn\t1\nd3\tN\t1\n")
    with pytest.raises(InputError) as refused:
        sheet.match_groups(("f", "m"))
    assert str(refused.value).endswith(
        "sheet.tsv:3: the gold labels have the group n, the instrument f, m; write its name, or - for none of the groups"
    )
    assert sheet.match_groups(("N", "m", "n")).weights.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    ("text", "told"),
    {
        "": "this sheet has no lines",
        f"{DRAWN}d1\tf\t0.5\n": "of columns; add a first line: docno<TAB>group, with <TAB>probability if documents were",
        "docno\tgroup\n": "this sheet has no lines",
        "docno\tgroup\tdocno\nd1\tf\td1\n": ":1: two columns are called docno",
        "docno\tgroup\nd1\tf\t1\n": ":2: 3 columns instead of 2; correct it",
        "docno\tgroup\n\tf\n": ":2: this label has no docno",
        f"{HEAD}d1\tf\t0\n": ":2: the probability 0 of d1 is not above 0 and at most 1",
        f"{HEAD}d1\tf\t1.01\n": ":2: the probability 1.01 of d1 is not",
        f"{HEAD}d1\tf\tnan\n": ":2: the probability nan of d1 is not",
        f"{HEAD}d1\tf\t.5\nd1\tm\t.6\n": ":3: document d1 has the probabilities 0.5 and .6",
        f"{HEAD}d1\tf\t.5\nd2\tm\t\n": ":3: document d2 has no probability",
        f"{HEAD}d1\tf\t.5\nd1\tf\t.5\n": ":3: document d1 has the label f twice",
        f"{HEAD}d1\tf\t.5\nd1\t-\t.5\n": ":3: document d1 is of none of the groups",
        f"{HEAD}d1\t\t.5\n": ":2: this line has no group yet; label them",
        f"{HEAD}d1\tf\t.5\nd2\t\t.5\nd3\t\t1\n": ":3: 2 of 3 lines have no group yet; label them, or draw fewer: "
        "number=1 gold=sheet.tsv",
        f"{HEAD}d1\tf\t.5\nd1\t\t.5\n": ":3: this line has no group yet",
        f"{QUERIES}1\td1\tf\t.5\n2\td2\tf\t.6\n": ":3: query 2 has another probability than the queries above",
        f"{QUERIES}1\td1\tf\t.5\n\td2\tf\t.5\n": ":3: this line has no qid, but others do",
        f"{DRAWN}{HEAD}d1\tf\t.5\nd1\tm\t.5\nd2\tm\t.5\n": ":1: this was a draw of 3 documents, and 2 are here; keep",
        f"{ONE}{HEAD}d1\tf\t.5\nd2\tm\t1\n": ":1: this was a draw of 1 document, and 2 are here",
        f"{DRAWN}{QUERIES}1\td1\tf\t.5\n": ":1: this line is not the one that `fairtrec gold draw` wrote, or the column qid",
        f"{ONE.replace('depth:10', 'depth:x')}{HEAD}d1\tf\t.5\n": ":1: this line is not the one that .* its depth is x; draw again",
        f"{ONE.replace('seed:4 | ', '')}{HEAD}d1\tf\t.5\n": ":1: this line is not the one that .* its seed is missing",
    }.items(),
)
def test_what_is_wrong_in_a_sheet_is_told_with_its_line(read, text, told):
    with pytest.raises(InputError, match=told):
        read(text)


def test_any_file_of_labels_is_gold_where_nothing_is_said_of_a_draw(read, tmp_path):
    for text in ("d1\tf\nd2\tm\n", '{"docno": "d1", "group": "f"}\n{"docno": "d2", "group": "m"}\n'):
        assert rows(read(text)) == {"d1": [1.0, 0.0], "d2": [0.0, 1.0]}
    pd.DataFrame({"docno": ["d1", "d2"], "group": ["f", "m"]}).to_parquet(tmp_path / "gold.parquet")
    assert rows(loading.gold(tmp_path / "gold.parquet")) == {"d1": [1.0, 0.0], "d2": [0.0, 1.0]}


def test_a_field_of_any_table_is_gold_too(tmp_path, monkeypatch):
    (tmp_path / "t.jsonl").write_text(
        '{"docno": "d1", "g": "f"}\n{"docno": "d2", "g": "m"}\n{"docno": "d3", "g": "?"}\n'
    )
    sheet = loading.gold(f"{tmp_path / 't.jsonl'}:g")
    assert rows(sheet) == {"d1": [1.0, 0.0], "d2": [0.0, 1.0], "d3": None}
    assert (sheet.unit, sheet.probability) == ("document", None)
    with pytest.raises(InputError, match="there is no such file"):
        loading.gold(tmp_path / "none.tsv")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"d1\tf\nd2\tm\n")))
    with pytest.raises(InputError, match="the first line has no names of columns"):
        loading.gold("-")


def test_a_sheet_is_told_from_what_is_none_and_has_the_digest_of_what_was_read(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="there is no such file; check the name"):
        loading.gold(tmp_path / "none.tsv")
    with pytest.raises(InputError, match="this is a folder; pass a file in it"):
        loading.gold(tmp_path)
    text = b"docno\tgroup\nd1\tf\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert loading.gold("-").labels.sha256 == hashlib.sha256(text).hexdigest()


def test_gold_may_be_a_frame_or_a_dict():
    frame = pd.DataFrame({"docno": ["d1", "d2"], "group": ["f", "-"], "probability": [0.5, 0.25]})
    sheet = loading.gold(frame)
    assert rows(sheet) == {"d1": [1.0], "d2": [0.0]}
    assert sheet.probability.tolist() == [0.5, 0.25]
    assert rows(loading.gold({"d1": "f", "d2": ["f", "m"], "d3": {"f": 0.5, "-": 0.5}, "d4": "?"})) == {
        "d1": [1.0, 0.0],
        "d2": [1.0, 1.0],
        "d3": [0.5, 0.0],
        "d4": None,
    }
    with pytest.raises(InputError, match="gold: this line has no group yet"):
        loading.gold(frame.assign(group=["f", None]))
    by_query = pd.DataFrame({"query_id": [1, 2], "doc_id": ["d1", "d1"], "group": ["f", "m"], "weight": [1.0, 0.5]})
    assert rows(loading.gold(by_query, per_query=True)) == {"1 d1": [1.0, 0.0], "2 d1": [0.0, 0.5]}


def test_names_of_runs_come_back_as_they_are():
    names = [("1a2b3c4d", "a,b@c.run"), ("", "name | with: all %20"), ("00000000", "ü\udcff\n.run")]
    assert list(sheets._runs(sheets.write_runs(names))) == names
    assert " " not in sheets.write_runs(names)


def test_rows_are_found_by_docno(read):
    sheet = read("docno\tgroup\n" + "".join(f"document-{i}\t{'fm'[i % 2]}\n" for i in range(50)))
    assert isinstance(sheet.labels.rows, Docnos)
    at = sheet.labels.rows.rows(np.array([b"document-7", b"document-8"]))
    assert sheet.labels.weights[at].tolist() == [[0, 1], [1, 0]]
    assert sheet.lines[at].tolist() == [9, 10]


@given(st.text("'\"=+-@＝ab?\t ", max_size=6))
def test_what_a_spreadsheet_would_compute_is_guarded_and_read_back(cell):
    guarded = sheets.guard_cell(cell)
    assert sheets.unguard_cell(guarded) == cell
    assert guarded == "-" or guarded[:1] not in {*'"=+-@＝'}


@pytest.mark.parametrize("cell", ["-", "?", "", "f", "d1", "'tis", "''", "it's =1"])
def test_other_cells_are_written_as_they_are(cell):
    assert (sheets.guard_cell(cell), sheets.unguard_cell(cell)) == (cell, cell)

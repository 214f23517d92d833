"""Labels from a field of any table, counts and bins: what a cell says, and what is refused."""

import json
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import fairtrec
from fairtrec.data import Labels
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import datasets, label_table, label_texts
from fairtrec.formats.label_rules import LabelRules
from fairtrec.support.errors import InputError, UsageError

NAN = float("nan")


def table(read: Labels) -> dict[str, list[float]]:
    return {name.decode(): row for name, row in zip(read.rows.names, read.weights.tolist(), strict=True)}


def same(found: Labels, groups: tuple[str, ...], wanted: dict[str, list[float]]) -> None:
    rows = table(found)
    assert (found.groups, rows.keys()) == (groups, wanted.keys())
    for name, row in wanted.items():
        np.testing.assert_allclose(rows[name], row, rtol=1e-15)


ROWS = [
    {"page_id": 1, "at": "north", "regions": ["north", "south"], "src": {"north": 3, "south": 1}, "n": 10},
    {"page_id": 2, "at": "south", "regions": [], "src": {}, "n": 9.5},
    {"page_id": 3, "at": "-", "regions": ["south"], "src": {"?": 2, "south": 3}, "n": 30},
    {"page_id": 4, "at": None, "regions": None, "src": {"?": 4}, "n": None},
]
AT = {"1": [1, 0], "2": [0, 1], "3": [0, 0], "4": [NAN, NAN]}
REGIONS = {"1": [1, 1], "2": [NAN, NAN], "3": [0, 1], "4": [NAN, NAN]}
SRC = {"1": [0.75, 0.25], "2": [NAN, NAN], "3": [0, 0.6], "4": [NAN, NAN]}  # three of five sources are known


@pytest.fixture
def table_files(tmp_path, monkeypatch):
    """The same rows as lines of JSON, Parquet, TSV and CSV."""
    monkeypatch.chdir(tmp_path)
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    columns = {name: [row[name] for row in ROWS] for name in ("page_id", "at", "regions")}
    parquet.write_table(pa.table({**columns, "o": [{"at": row["at"]} for row in ROWS]}), "t.parquet")
    for name, mark in (("t.tsv", "\t"), ("t.csv", ",")):
        Path(name).write_text("".join(mark.join(row) + "\n" for row in [
            ("page_id", "title", "at"), ("1", "One", "north"), ("2", "", "south"), ("3", "3", "-"), ("4", "4", "")
        ]))  # fmt: skip


@pytest.mark.usefixtures("table_files")
@pytest.mark.parametrize("source", ["t.jsonl:at", "t.parquet:at", "t.parquet:o.at", "t.tsv:at", "t.csv:at"])
def test_a_text_is_a_group_and_what_is_empty_is_unknown(source):
    found = loading.labels(source, None)
    same(found, ("north", "south"), AT)
    assert found.none
    assert found.name == source


@pytest.mark.usefixtures("table_files")
@pytest.mark.parametrize("source", ["t.jsonl:regions", "t.parquet:regions"])
def test_a_list_is_several_groups_each_whole(source):
    same(loading.labels(source, None), ("north", "south"), REGIONS)
    halves = {name: [weight / 2 if sum(row) == 2 else weight for weight in row] for name, row in REGIONS.items()}
    same(loading.labels(source, None, LabelRules("share")), ("north", "south"), halves)
    same(loading.labels(source, None, LabelRules("majority")), ("north", "south"), {**REGIONS, "1": [0, 0]})


@pytest.mark.usefixtures("table_files")
def test_an_object_of_numbers_holds_counts():
    same(loading.labels("t.jsonl:src", None), ("north", "south"), SRC)
    same(loading.labels("t.jsonl:src", None, LabelRules("any")), ("north", "south"), {**SRC, "1": [1, 1], "3": [0, 1]})
    same(
        loading.labels("t.jsonl:src", None, LabelRules("majority")),
        ("north", "south"),
        {**SRC, "1": [1, 0], "3": [0, 1]},
    )


@pytest.mark.usefixtures("table_files")
def test_a_column_of_counts():
    Path("c.tsv").write_text(
        "docno\tgroup\tcount\nd1\tnorth\t3\nd1\tsouth\t1\nd2\tsouth\t0\nd3\t?\t2\nd3\tsouth\t3\nd4\t-\t1\n"
    )
    wanted = {"d1": [0.75, 0.25], "d2": [NAN, NAN], "d3": [0, 0.6], "d4": [0, 0]}
    same(loading.labels("c.tsv", None), ("north", "south"), wanted)
    rows = ['{"docno": "d1", "group": "north", "count": 3}\n', '{"docno": "d1", "group": "south", "count": 1}\n']
    Path("c.jsonl").write_text("".join(rows))
    same(loading.labels("c.jsonl", None), ("north", "south"), {"d1": [0.75, 0.25]})
    columns = {"docno": ["d1", "d1"], "group": ["north", "south"], "count": [3, None]}
    parquet.write_table(pa.table(columns), "c.parquet")
    same(loading.labels("c.parquet", None), ("north", "south"), {"d1": [0.75, 0.25]})


@pytest.mark.usefixtures("table_files")
def test_numbers_fall_into_bins_that_have_an_order_and_may_be_empty():
    found = loading.labels("t.jsonl:n:10,30,50", None)
    assert found.order == ("<10", "10-<30", "30-<50", ">=50")
    assert found.name == "t.jsonl:n:10,30,50"
    bins = dict(zip(found.groups, np.nansum(found.weights, axis=0), strict=True))
    assert bins == {"<10": 1, "10-<30": 1, "30-<50": 1, ">=50": 0}
    assert np.isnan(table(found)["4"]).all()
    Path("length.tsv").write_text("d1\t39\nd2\t40\nd3\t1e3\nd4\t?\n")
    same(
        loading.labels("length.tsv:40", None),
        ("<40", ">=40"),
        {"d1": [1, 0], "d2": [0, 1], "d3": [0, 1], "d4": [NAN, NAN]},
    )


def test_a_dotted_field_goes_into_objects_and_over_lists(tmp_path):
    rows = [
        {"id": "a", "premises": [{"stance": "PRO"}, {"stance": "PRO"}]},
        {"id": "b", "premises": [{"stance": "CON"}, {"text": "no stance"}]},
        {"id": "c", "premises": []},
        {"id": "d", "premises": {"stance": ["PRO", "CON"]}},
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    wanted = {"a": [0, 1], "b": [1, 0], "c": [NAN, NAN], "d": [1, 1]}
    same(loading.labels(f"{tmp_path}/t.jsonl:premises.stance", None), ("CON", "PRO"), wanted)


@pytest.mark.long
def test_what_keys_of_lines_hold_that_nobody_reads_is_let_go(tmp_path):
    deep = json.loads("[" * 60 + "]" * 60)
    (tmp_path / "deep.jsonl").write_text(
        "".join(f"{json.dumps({'docno': f'd{n}', 'at': {'of': 'fm'[n % 2]}, 'more': deep})}\n" for n in range(8000))
    )
    loading.labels(tmp_path / "deep.jsonl:at.of", None)  # what is imported is no part of it
    tracemalloc.start()
    try:
        found = loading.labels(tmp_path / "deep.jsonl:at.of", None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found.groups, len(found.rows)) == (("f", "m"), 8000)
    assert peak < 15 * (tmp_path / "deep.jsonl").stat().st_size  # to hold it all takes twice as much


@pytest.mark.parametrize("odd", ["d\x7fd", "d\u2028d"])
def test_an_odd_id_behind_thousands_of_others_is_refused_with_its_line(tmp_path, odd):
    rows = [f"{'d' * 500}{n}\t{'fm'[n % 2]}\n" for n in range(5000)]
    rows[4000] = f"{odd}\tf\n"
    (tmp_path / "t.tsv").write_text("docno\tgroup\n" + "".join(rows), "utf-8")
    with pytest.raises(InputError, match=re.escape("t.tsv:4002")):
        loading.labels(f"{tmp_path}/t.tsv:group", None)


def test_cells_between_quotes_may_hold_commas_and_line_ends(tmp_path):
    (tmp_path / "t.csv").write_text('"doc_id",text,at\nd1,"a, b\nc",north\n\nd2,"say ""no""","so, uth"\n')
    same(loading.labels(f"{tmp_path}/t.csv:at", None), ("north", "so, uth"), {"d1": [1, 0], "d2": [0, 1]})
    (tmp_path / "t.csv").write_text('doc_id,text,at\nd1,"a, b\nc",north\nd2,x\n')
    with pytest.raises(InputError, match=r"t\.csv:4: 2 columns instead of the 3 of the first line"):
        loading.labels(f"{tmp_path}/t.csv:at", None)


@pytest.mark.parametrize(
    ("name", "text", "source", "what"),
    [
        ("t.jsonl", '{"id": "a", "n": 1}\n{"id": "b", "n": {"x": -1, "y": 2}}\n', "n", "t.jsonl:2: the count -1 of b is below 0"),
        ("t.jsonl", '{"id": "a", "n": {"x": 1}}\n{"id": "b", "n": {"y": "2"}}\n', "n", "t.jsonl:2: the count '2' is not a number"),
        ("t.jsonl", '{"id": "a", "n": 1}\n{"id": "b", "n": "x"}\n', "n:1,2", "t.jsonl:2: the label 'x' is not a number"),
        ("t.jsonl", '{"id": "a", "n": [{"x": 1}]}\n', "n", "t.jsonl:1: this group is no text or number"),
        ("t.jsonl", '{"id": "a", "n": "x"}\n{"n": "y"}\n', "n", "t.jsonl:2: this label has no id;"),
        ("t.jsonl", '{"id": "a", "n": ["x", "-"]}\n', "n", "t.jsonl:1: document a is of none of the groups (-), and of x"),
        ("t.jsonl", '{"name": "a", "n": "x"}\n', "n", "t.jsonl:1: this table has none of the columns doc_id, docno, docid, did, pid, corpus_id or the like, but name, n; name"),
        ("t.jsonl", '{"id": "a", "n": "x"}\n[1]\n', "n", "t.jsonl:2: the line is not an object"),
        ("t.tsv", "id\tn\na\tx\n", "m", "t.tsv:1: there is no column m; there are id, n"),
        ("t.tsv", "id\tn\na\tx\nb\tx\tx\n", "n", "t.tsv:3: 3 columns instead of the 2 of the first line"),
        ("t.csv", "id,n\na,1\nb,1.5.2\n", "n:1,2", "t.csv:3: the label '1.5.2' is not a number"),
        ("t.csv", "id,n\n ,1\n", "n:1,2", "t.csv:2: this label has no id;"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused_with_its_line(tmp_path, monkeypatch, name, text, source, what):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with pytest.raises(InputError) as fault:
        loading.labels(f"{name}:{source}", None)
    assert str(fault.value).startswith(what)


def test_a_table_without_the_column_names_those_it_has(tmp_path):
    parquet.write_table(pa.table({"docno": ["a"], "n": ["x"]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="there is no column m; there are docno, n"):
        loading.labels(f"{tmp_path}/t.parquet:m", None)


@pytest.mark.parametrize("cuts", ["30,10", "10,10", "10,x,30"])
def test_cuts_that_do_not_rise_are_refused_before_anything_is_read(cuts):
    with pytest.raises(UsageError, match="write like 10,30,50"):
        loading.labels(f"nosuch.tsv:{cuts}", None)


def test_more_groups_than_memory_holds_are_refused_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(label_table, "MOST_CELLS", 8)
    (tmp_path / "t.csv").write_text("id,n\na,x\nb,y\nc,z\n")
    with pytest.raises(InputError, match="3 groups of 3 documents do not fit into memory; choose those that you need"):
        loading.labels(f"{tmp_path}/t.csv:n", None)


names = st.text("ab:c-é?", min_size=1, max_size=3)


@given(st.dictionaries(st.text("xyé01", min_size=1, max_size=9), names, min_size=1, max_size=12))
def test_large_blocks_are_read_as_small_ones_are(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("labels")
    rows |= {"d1": "a", "d2": "b"}
    lines = {"t.tsv": "\t", "t.csv": ","}
    for name, mark in lines.items():
        (folder / name).write_text("".join(f"{docno}{mark}{at}\n" for docno, at in {"id": "at", **rows}.items()))
    (folder / "t.jsonl").write_text("".join(json.dumps({"id": d, "at": at}) + "\n" for d, at in rows.items()))
    sources = [f"{folder}/{name}:at" for name in (*lines, "t.jsonl")]
    small = [loading.labels(source, None) for source in sources]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_texts, "LARGE", 0)
        large = [loading.labels(source, None) for source in sources]
    for one in (*small, *large):
        same(one, small[0].groups, table(small[0]))


def test_fields_and_bins_are_named_in_the_signature_and_their_file_is_hashed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,n\nd1,1\nd2,3\n")
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    result = fairtrec.evaluate("AWRF@2", run, labels=f"{path}:n:2")
    digest = result.files[next(part for part in result.files if part.of == "labels")].sha256
    assert result.signature["labels"] == f"t.csv:n:2@{digest[:8]}"
    assert result.means["run"]["AWRF@2"] == pytest.approx(1)


def test_a_field_of_a_dataset_holds_counts_lists_and_numbers(monkeypatch):
    from collections import namedtuple

    Page = namedtuple("Page", "doc_id src links")  # noqa: PYI024 - as a dataset has it
    pages = [Page("1", {"north": 3, "south": 1}, 2), Page("2", None, 7)]

    class Dataset:
        has_docs = staticmethod(lambda: True)
        docs_cls = staticmethod(lambda: Page)
        docs_iter = staticmethod(lambda: iter(pages))

    monkeypatch.setattr(datasets, "_dataset", lambda *_: Dataset())
    same(loading.labels("mine/2022:src", None), ("north", "south"), {"1": [0.75, 0.25], "2": [NAN, NAN]})
    found = loading.labels("irds:mine/2022:links:2,5", None)
    assert table(found) == {"1": [1, 0, 0], "2": [0, 0, 1]}
    assert found.order == ("<2", "2-<5", ">=5")
    assert found.groups == ("2-<5", "<2", ">=5")

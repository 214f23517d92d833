"""Frames of any package give what the same file gives; what is odd in them is said in a line that names the column."""

import re
import shutil
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formats import columns, frames, memory
from fairtrec.formats.frames import Frame
from fairtrec.formats.run import read
from fairtrec.support.errors import InputError
from fairtrec_made import EXAMPLE, REPOSITORY, pages

PAGE = (REPOSITORY / "docs" / "convert.md").read_text("utf-8")
ROWS = {
    "qid": ["101", "101", "101", "9", "9"],
    "docno": ["d1", "ü2", "a-long-docno-of-24-bytes", "d1", "7"],
    "score": [0.5, 3.25, -1e-3, 1.0, 2.0],
    "rank": [2, 1, 3, 1, 2],
}
TEXT = "".join(f"{q} Q0 {d} {r} {s!r} t\n" for q, d, s, r in zip(*ROWS.values(), strict=True))
TABLE = pa.table(ROWS)
PANDAS = pd.DataFrame(ROWS)


def chunked(table):
    return pa.concat_tables([table.slice(0, 2), table.slice(2, 0), table.slice(2, 3)])


def recast(**types):
    table = TABLE
    for name, kind in types.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table


def encoded(table):
    """Dictionary-encoded, with another dictionary in each chunk."""
    parts = [table.slice(0, 2), table.slice(2, 3)]
    for name in ("qid", "docno"):
        at = table.column_names.index(name)
        parts = [part.set_column(at, name, part[name].combine_chunks().dictionary_encode()) for part in parts]
    return pa.Table.from_batches([batch for part in parts for batch in part.to_batches()])


def views(table, *names):
    for name in names:
        column = pa.array(table[name].to_pylist(), pa.string_view())
        table = table.set_column(table.column_names.index(name), name, column)
    return table


HERE = {
    "pandas": lambda: PANDAS,
    "pandas of objects": lambda: PANDAS.astype({"qid": object, "docno": object}),
    "pandas, categories": lambda: PANDAS.astype({"qid": "category", "docno": "category"}),
    "pandas, an index of numbers": lambda: PANDAS.set_axis([7, 7, 3, 1, 2]),
    "pandas, ids in the index": lambda: PANDAS.set_index(["qid", "docno"]),
    "pandas, another column of anything": lambda: PANDAS.assign(vector=[[1], {}, None, "x", 3]),
    "pandas of Arrow": lambda: pd.DataFrame({n: pd.array(v, pd.ArrowDtype(pa.array(v).type)) for n, v in ROWS.items()}),
    "pyarrow": lambda: TABLE,
    "pyarrow in pieces": lambda: chunked(TABLE),
    "a slice of pyarrow": lambda: pa.concat_tables([TABLE.slice(4), TABLE]).slice(1),
    "batch": lambda: TABLE.to_batches()[0],
    "reader": lambda: pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()),
    "dictionaries": lambda: encoded(TABLE),
    "large_string": lambda: recast(qid=pa.large_string(), docno=pa.large_string()),
    "string_view": lambda: views(TABLE, "qid", "docno"),
    "binary": lambda: recast(qid=pa.binary(), docno=pa.large_binary()),
    "integer query ids": lambda: recast(qid=pa.int32()),
    "decimal scores": lambda: recast(score=pa.decimal128(20, 5)),
    "dict": lambda: {q: {d: s for p, d, s, _ in zip(*ROWS.values(), strict=True) if p == q} for q in ("101", "9")},
}
ELSEWHERE = ["polars", "polars, lazy", "polars, categories", "duckdb", "datasets", "datasets, chosen rows", "ranx"]


def elsewhere(kind):
    """The same run, held by another package."""
    if kind.startswith("polars"):
        import polars as pl

        frame = pl.DataFrame(ROWS)
        if "categories" in kind:
            frame = pl.concat([frame[:2], frame[2:]], rechunk=False).with_columns(
                pl.col("qid", "docno").cast(pl.Categorical)
            )
        return frame.lazy() if "lazy" in kind else frame
    if kind == "duckdb":
        import duckdb

        ranked = TABLE  # noqa: F841 - DuckDB finds it by its name
        return duckdb.sql("select *, 1 as more from ranked")
    if kind == "ranx":
        import ranx

        return ranx.Run(HERE["dict"]())
    import datasets

    whole = datasets.Dataset(pa.concat_tables([TABLE.slice(3), TABLE])) if "rows" in kind else datasets.Dataset(TABLE)
    return whole.select([2, 3, 4, 5, 6]) if "rows" in kind else whole


def the_same(thing, folder, order="score"):
    path = folder / "a.run"
    path.write_text(TEXT, "utf-8")
    got, expected = memory.run(thing, "mine", order), read(path, order)
    assert set(got.qids) == set(expected.qids)
    for qid in got.qids:
        one, other = got.top([qid], None), expected.top([qid], None)
        assert got.docnos[one].tolist() == expected.docnos[other].tolist()
        assert got.scores[one].tolist() == expected.scores[other].tolist()


@pytest.mark.parametrize("kind", HERE)
def test_a_frame_is_the_run_of_its_file(tmp_path, kind):
    the_same(HERE[kind](), tmp_path)


@pytest.mark.ecosystem
@pytest.mark.parametrize("kind", ELSEWHERE)
def test_a_frame_of_another_package_is_the_run_of_its_file(tmp_path, kind):
    the_same(elsewhere(kind), tmp_path)


def test_by_rank_a_frame_is_ranked_by_its_ranks(tmp_path):
    the_same(TABLE, tmp_path, "rank")
    with pytest.raises(InputError, match="none of the columns rank"):
        memory.run(PANDAS[["qid", "docno", "score"]], "r", "rank")


@given(
    st.lists(
        st.tuples(st.sampled_from(["1", "22", "ü"]), st.text("aäb-9日", min_size=1, max_size=9), st.floats(-1e9, 1e9)),
        min_size=1, max_size=9, unique_by=lambda row: row[:2],
    ),
    st.sampled_from([pa.string(), pa.large_string(), pa.dictionary(pa.int16(), pa.string())]),
    st.integers(1, 3),
)  # fmt: skip
def test_laws_a_column_of_arrow_is_its_texts(rows, kind, step):
    table = pa.table(
        {name: list(column) for name, column in zip(("qid", "docno", "score"), zip(*rows, strict=True), strict=True)}
    )
    table = table.set_column(1, "docno", table["docno"].cast(kind))
    table = pa.concat_tables([table.slice(first, step) for first in range(0, len(table), step)])
    frame = Frame.wrap(table, "run", ())
    assert frame.ids(["docno"]).tolist() == [docno.encode() for _, docno, _ in rows]
    assert frame.floats(["score"]).tolist() == [score for *_, score in rows]


BAD = {
    "null": ({"docno": ["a", None]}, "the column docno of the run is null in 1 of 2 rows; fill or drop these"),
    "only nulls": ({"docno": [None, None]}, "the column docno of the run is null in 2 of 2 rows"),
    "nan": ({"score": [1.0, np.nan]}, "the score of document [^ ]+ under query [^ ]+ of the run r is nan; leave it out or correct it"),
    "infinite": ({"score": [1.0, np.inf]}, "the score of document [^ ]+ under query [^ ]+ of the run r is inf; leave it out or correct it"),
    "text": ({"score": ["high", "low"]}, "the score of document [^ ]+ under query [^ ]+ of the run r is high; leave it out or correct it"),
    "times": ({"score": pd.to_datetime(["2020-01-01"] * 2)}, "the score of document a under query q of the run r is 2020-01-01 00:00:00; leave it out"),
    "ids with a point": ({"qid": [1.0, 2.0]}, r"the column qid of the run holds numbers with a point; use whole numbers or texts as ids: .astype\(int\)"),
    "lists": ({"docno": [["a"], ["b"]]}, "the column docno of the run is of type list<"),
    "several types": ({"qid": ["a", 7]}, "the run frame cannot be read .*column qid.*make each column one type"),
    "no id": ({"docno": ["a", ""]}, "the column docno of the run has an empty id; fill it, or leave out the row"),
    "NUL": ({"docno": ["a", "b\0"]}, "the column docno of the run has an id that is empty, contains a NUL"),
    "a line end": ({"qid": ["a", "b\nc"]}, "the column qid of the run has .* a line end"),
    "long": ({"docno": ["a", "b" * 1025]}, "the column docno of the run has .* exceeds 1024 bytes"),
    "a long category": ({"docno": pd.Categorical(["a", "b" * 1025])}, "the column docno of the run .* exceeds 1024 bytes"),
    "bytes": ({"docno": [b"\xff", b"a"]}, "the column docno of the run holds .*binary that is not UTF-8 text"),
    "no column": ({"score": None}, "the run frame has none of the columns score, sim, prediction, but qid, docno; name it with columns=score=COLUMN"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_odd_is_said_in_a_line_that_names_the_column(name):
    change, message = BAD[name]
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0], **change}
    frame = pd.DataFrame({name: column for name, column in columns.items() if column is not None})
    with pytest.raises(InputError, match=message) as raised:
        memory.run(frame, "r")
    assert "\n" not in str(raised.value)


def test_columns_of_one_name_are_refused():
    for frame in (
        TABLE.append_column("docno", TABLE["docno"]),
        pd.DataFrame([["q", "a", "b", 1.0]], columns=["qid", "docno", "docno", "score"]),
    ):
        with pytest.raises(InputError, match=r"several columns (docno|of one name); keep one"):
            memory.run(frame, "r")


def test_ids_that_would_not_fit_into_memory_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(frames, "MOST_BYTES", 100)
    for table in (TABLE, encoded(TABLE)):
        with pytest.raises(InputError, match="the column docno of the run has ids of 24 bytes in 5 rows"):
            memory.run(table, "r")


def test_a_frame_of_queries_has_each_once():
    assert memory.queries(TABLE).qids == ("101", "9")
    assert memory.queries(PANDAS["qid"].unique()).qids == ("101", "9")
    with pytest.raises(InputError, match="the queries frame has none of the columns query_id, qid"):
        memory.queries(PANDAS[["docno"]])


def test_views_are_read_without_the_kernel_that_casts_them(monkeypatch):
    def refuse(*_):
        raise pa.ArrowNotImplementedError

    view = type("View", (), {"cast": refuse, "to_pylist": lambda _: ["a", "ü"]})()
    assert frames._large(view).to_pylist() == ["a", "ü"]


def test_an_empty_frame_is_said_to_be_empty():
    with pytest.raises(InputError, match="the run r is empty"):
        memory.run(TABLE.slice(0, 0), "r")
    with pytest.raises(InputError, match="the qrels are empty"):
        memory.qrels(
            pa.table(
                {"qid": pa.array([], pa.string()), "docno": pa.array([], pa.string()), "rel": pa.array([], pa.int8())}
            )
        )


QRELS = pa.table({"qid": [1, 1, 1], "docno": ["a", "a", "b"], "iteration": ["s1", "s2", "s1"], "rel": [1, 2, 0]})


@pytest.mark.parametrize("kind", [lambda t: t, lambda t: t.to_pandas(), chunked])
def test_qrels_keep_their_subtopics(kind):
    got = memory.qrels(kind(QRELS))
    assert [*zip(got.docnos.tolist(), got.iterations.tolist(), got.grades.tolist(), strict=True)] == [
        (b"a", b"s1", 1), (b"a", b"s2", 2), (b"b", b"s1", 0),
    ]  # fmt: skip
    assert got.qids == ("1",)


def test_grades_are_whole():
    for column, message in (
        ([0, 1.5, 1], "the grade of document [^ ]+ under query [^ ]+ of the qrels is 1.5; leave it out"),
        ([0, 2.0**63, 1], "the grade of document [^ ]+ under query [^ ]+ of the qrels is 9.2"),
        (pa.array([0, 2**63, 1], pa.uint64()), "the column rel of the qrels is not an integer of 64 bits"),
    ):
        with pytest.raises(InputError, match=message):
            memory.qrels(QRELS.set_column(3, "rel", pa.array(column) if isinstance(column, list) else column))
    assert memory.qrels(QRELS.set_column(3, "rel", pa.array([1.0, 2.0, 0.0]))).grades.tolist() == [1, 2, 0]
    assert memory.qrels(QRELS.set_column(3, "rel", pa.array([Decimal(3)] * 3))).grades.tolist() == [3, 3, 3]


def test_a_float32_score_is_taken_as_it_is():
    scores = np.array([0.1, 0.2], np.float32)
    got = memory.run(pa.table({"qid": ["q", "q"], "docno": ["a", "b"], "score": scores}), "r")
    assert got.scores.tolist() == [float(scores[1]), float(scores[0])]


TEXTS = {"docno": ["b", "a", "c"], "text": ["", "A ü", "C"]}


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_only_the_wanted_texts_are_taken(kind, monkeypatch):
    monkeypatch.setattr(frames, "AT_ONCE", 1)
    table = pa.table({"docno": TEXTS["docno"], "text": pa.array(TEXTS["text"], kind)})
    wanted = fairtrec.data.Docnos.collect(np.array([b"a", b"b", b"no"]))
    assert {wanted.names[row]: text for row, text in memory.texts(chunked(table), wanted)} == {
        b"a": "A ü",
        b"b": "",
    }


def test_a_frame_of_counts_labels_or_stances_of_arrow_does_as_well():
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    labels = pa.table({"docno": ["d1", "d2"], "group": pa.array(["f", "m"]).dictionary_encode()})
    expected = fairtrec.evaluate("AWRF@2 KL@2", run, labels={"d1": "f", "d2": "m"}).means
    assert fairtrec.evaluate("AWRF@2 KL@2", run, labels=labels).means == expected
    counts = pa.table({"docno": ["d2", "d1"], "tokens": pa.array([9, 9], pa.uint8()), "f": [0, 2], "m": [1, 0]})
    expected = fairtrec.evaluate("ARaB@2", run, counts=counts.to_pandas()).means
    assert fairtrec.evaluate("ARaB@2", run, counts=counts).means == expected != {}
    places = pa.table({"docno": ["d1", "d2"], "x": [1.0, -0.5]})
    expected = str(fairtrec.evaluate("DUO@2", run, stances={"d1": 1.0, "d2": -0.5}).means)
    assert str(fairtrec.evaluate("DUO@2", run, stances=places).means) == expected
    with pytest.raises(InputError, match="the column x of the stances is not a finite number"):
        fairtrec.evaluate("DUO@2", run, stances=places.set_column(1, "x", pa.array([1.0, None])))
    with pytest.raises(InputError, match="the column weight of the labels"):
        fairtrec.evaluate("AWRF@2", run, labels=labels.append_column("weight", pa.array([1.0, np.nan])))
    with pytest.raises(InputError, match="cannot read this as counts; pass a path"):
        fairtrec.evaluate("ARaB@2", run, counts={"d1": 1})


# -- docs/convert.md


@pytest.fixture
def desk(tmp_path, monkeypatch):
    for name in ("bm25.run", "qrels.txt", "collection.tsv"):
        shutil.copy(EXAMPLE / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


BLOCKS = re.findall(r"```python\n(.*?)```", PAGE[PAGE.index("## Frames") :], re.DOTALL)
EXPECTED = "nDCG@10 NFaiRR@10", "bm25.run"


@pytest.mark.ecosystem
@pytest.mark.usefixtures("desk")
def test_the_python_of_the_page_works_with_other_packages():
    beside = {"terms": "gender-en", "docs": "collection.tsv", "background": "bm25.run"}
    expected = fairtrec.evaluate(*EXPECTED, qrels="qrels.txt", **beside).means["bm25.run"]
    names = {}
    *_, printed = [pages.run_program(block, names, "convert.md") for block in BLOCKS]
    assert printed.strip() == str({"lazy": expected, "dataset": expected})


@pytest.mark.ecosystem
def test_an_iterable_dataset_and_a_series_are_no_frames():
    import datasets
    import polars as pl

    for thing in (datasets.Dataset(TABLE).to_iterable_dataset(), pl.Series([1])):
        with pytest.raises(InputError, match="cannot"):
            memory.run(thing, "r")


def test_ids_of_any_kind_are_what_str_makes_of_them():
    class Odd(str):
        __slots__ = ()

        def __str__(self):
            return "odd"

    ids = ["a", "é", " b c", *range(3), 1.5, Odd("x"), np.str_("y")]
    assert memory.encode_given_ids(ids, "run").tolist() == [str(each).encode() for each in ids]
    assert memory.encode_given_ids(ids[:3], "run").tolist() == [b"a", "é".encode(), b" b c"]
    for bad in ("", "a\n", "\n", "a\0", "x" * (columns.WIDEST + 1), "é\ud800"):
        for several in ([bad], ["a", bad], [bad, 7]):
            with pytest.raises(InputError, match=r"change it|half a character"):
                memory.encode_given_ids(several, "run")


RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}


def test_labels_and_stances_are_taken_from_frames():
    labels = {"d1": {"a": 1.0}, "d2": {"b": 0.5}}
    frame = pd.DataFrame({"docno": ["d1", "d2"], "group": ["a", "b"], "weight": [1.0, 0.5]})
    one, other = (fairtrec.evaluate("KL@1", RUN, labels=each).per_query["run"] for each in (labels, frame))
    assert one == other
    per_query = pd.DataFrame({"qid": ["q1", "q2", "q2"], "docno": ["d1", "d1", "d2"], "group": ["a", "b", "b"]})
    assert len(fairtrec.evaluate("AWRF@2", RUN, labels=per_query).per_query["run"]["AWRF@2"]) == 2
    places = {"d1": [0.0, 1.0], "d2": [0.5, 0.25]}
    axes = pd.DataFrame({"docno": ["d1", "d2"], "x": [0.0, 0.5], "y": [1.0, 0.25]})
    one, other = (fairtrec.evaluate("DUO", RUN, stances=each).per_query["run"] for each in (places, axes))
    assert str(one) == str(other)
    for bad in (pd.concat([axes, axes]), axes[["docno"]]):
        with pytest.raises(fairtrec.InputError, match="the stances frame"):
            fairtrec.evaluate("DUO", RUN, stances=bad)
    with pytest.raises(fairtrec.InputError, match="the stances have a document twice; keep one"):
        fairtrec.evaluate("DUO", RUN, stances={1: 0.5, "1": -0.5})
    with pytest.raises(
        fairtrec.InputError,
        match="the labels frame has the columns docno, x, y; rename the one with the groups to group",
    ):
        fairtrec.evaluate("KL@1", RUN, labels=axes)


@pytest.mark.parametrize(
    ("query", "document", "score", "grade"),
    [
        ("user_id", "item_id", "score", "rating"),  # RecBole, LensKit
        ("userID", "itemID", "prediction", "rating"),  # Recommenders
        ("query-id", "corpus-id", "score", "score"),  # BEIR, MTEB
    ],
)
def test_recommendations_and_judgments_have_the_names_of_their_packages(query, document, score, grade):
    users, items = [7, 7, 9], [101, 102, 101]
    run = pd.DataFrame({query: users, document: items, score: [0.5, 0.25, 1.0]})
    qrels = pd.DataFrame({query: users, document: items, grade: [1.0, 3.0, 0.0]})
    groups = pd.DataFrame({document: items[:2], "group": ["new", "old"]})
    found = fairtrec.evaluate("nDCG@2 AWRF@2", run, qrels=qrels, labels=groups).scores[0]
    plain = fairtrec.evaluate(
        "nDCG@2 AWRF@2", {"7": {"101": 0.5, "102": 0.25}, "9": {"101": 1.0}}, qrels={"7": {"101": 1, "102": 3}, "9": {"101": 0}},
        labels={"101": "new", "102": "old"},
    ).scores[0]  # fmt: skip
    assert found.qids == plain.qids == ("7", "9")
    np.testing.assert_array_equal(found.values, plain.values)

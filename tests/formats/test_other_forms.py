"""Qrels, query sets, term lists, tables of counts, collections, ir_datasets, and what Python holds instead of files."""

import bz2
import collections
import gzip
import json
import math
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairtrec.counting.table.document_counts import read_counts
from fairtrec.counting.table.files import Table
from fairtrec.data import Docnos
from fairtrec.data.counts import make_histogram
from fairtrec.evaluation.inputs import loading
from fairtrec.formats import collection, datasets, memory, qrels, run_forms, tsv
from fairtrec.formats.run import read as read_run
from fairtrec.support.errors import InputError, ResourceError
from fairtrec.support.files import opening


@pytest.fixture
def written(tmp_path):
    """Write a file, from text or bytes."""

    def write(content, name="file"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def docnos(*names):
    return Docnos.collect(np.array([name.encode() for name in names], dtype=np.bytes_) if names else np.empty(0, "S1"))


def judgments(read):
    rows = zip(read.query.tolist(), read.docnos.tolist(), read.grades.tolist(), read.iterations.tolist(), strict=True)
    return [(read.qids[query], docno.decode(), grade, iteration.decode()) for query, docno, grade, iteration in rows]


# -- qrels


def test_qrels(written):
    path = written("# judged\n2 0 a 1\r\n1 0 b -1\n\n2\t0  ü\t+3 \n1 sub a 0")
    assert judgments(qrels.read(path)) == [
        ("2", "a", 1, "0"),
        ("2", "ü", 3, "0"),
        ("1", "b", -1, "0"),
        ("1", "a", 0, "sub"),
    ]


def test_a_document_may_be_judged_once_for_each_subtopic(written):
    assert len(qrels.read(written("1 1 a 1\n1 2 a 1\n2 1 a 1\n")).docnos) == 3
    path = written("1 1 a 1\n2 1 a 1\n1 2 a 1\n1 1 a 0\n")
    with pytest.raises(InputError, match=r"file:4: document a is judged twice for query 1; keep one grade"):
        qrels.read(path)


@pytest.mark.parametrize("grade", ["1.0", "x", "1_0", "0x1", "nan", "99999999999999999999", "-"])
def test_a_grade_is_an_integer(written, grade):
    with pytest.raises(InputError, match=f"file:2: the grade '{grade}' is not an integer"):
        qrels.read(written(f"1 0 a 1\n1 0 b {grade}\n"))


# -- query sets


def test_query_sets(written):
    path = written("\ufeff# queries\n12 what, exactly\n\n13\tx\n14,a,b\r\nü\n", "my.qids")
    read = tsv.queries(path)
    assert read.qids == ("12", "13", "14", "ü")
    assert read.name == "my.qids"
    assert read.sha256 == opening.sha256(path)


def test_query_sets_that_are_part_of_a_file(written):
    path = written("1,a query, with commas,neutral\n2,another,female\n3,third, neutral \n")
    assert tsv.queries(path, keep="neutral").qids == ("1", "3")
    with pytest.raises(InputError, match="empty"):
        tsv.queries(path, keep="odd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n,2\n", "file:2: this line has no query id"),
        ("1\n2\n1 again\n", "file:3: query 1 appears twice"),
        ("", "file: this query set is empty"),
        ("# 1\n", "file: this query set is empty"),
    ],
)
def test_bad_query_sets(written, text, message):
    with pytest.raises(InputError, match=message):
        tsv.queries(written(text))


# -- group terms


def test_term_lists(written):
    path = written(
        "# terms\nshe,f\r\nqueen  mother , f\nhe\tm\n\nsibling,f\nsibling,m\nshe,f\nwell, then,x y\n", "my.csv"
    )
    read = tsv.terms(path)
    assert read.groups == ("f", "m", "x y")
    assert read.terms == {"f": ("she", "queen mother", "sibling"), "m": ("he", "sibling"), "x y": ("well, then",)}
    assert (read.name, read.sha256) == ("my.csv", opening.sha256(path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("word", "this line has no group"),
        (",f", "this line has no term"),
        ("  ,f", "this line has no term"),
        ("\tf", "this line has no term"),
        ("word,", "this line has no group"),
        ("word\t ", "this line has no group"),
        ("word\tf\t0.5", "this line has more than two columns"),
        ("mother*,f", r"mother\*: there are no wildcards; list the words"),
        ("queen *mother\tf", r"queen \*mother: there are no wildcards; list the words"),
    ],
)
def test_bad_term_lists(written, line, message):
    with pytest.raises(InputError, match=f"file:2: {message}"):
        tsv.terms(written(f"she,f\n{line}\nhe,m\n"))


def test_one_group_is_not_enough(written):
    with pytest.raises(InputError, match="file: this term list has fewer than two groups"):
        tsv.terms(written("she,f\nher,f\n"))


# -- tables of counts

TABLE = "docno tokens m f x\nd1 10 1 2 3\nd2 5 0 0 0\n\nd3 7 0 0 0\nd4 8 1 2 3\n"


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("block", [16, 1 << 24])
def test_counts(written, monkeypatch, separator, block):
    monkeypatch.setattr(opening, "BLOCK", block)
    path = written("\ufeff# counted by hand\n" + TABLE.replace(" ", separator))
    assert tuple(sorted(Table(path).groups)) == ("f", "m", "x")
    wanted = docnos("d4", "no", "d1")
    read = read_counts(Table(path), wanted, collection=True)
    row = wanted.rows(np.array([b"d1", b"d4", b"no"]))
    assert read.groups == ("f", "m", "x")  # alphabetical, not as in the file
    assert read.known[row].tolist() == [True, True, False]
    assert read.tokens[row].tolist() == [10, 8, 0]
    assert read.counts[row].tolist() == [[2, 1, 3], [2, 1, 3], [0, 0, 0]]
    assert read.log_counts is None
    histogram = dict(zip(map(tuple, read.collection.counts.tolist()), read.collection.documents.tolist(), strict=True))
    assert histogram == {(0, 0, 0): 2, (2, 1, 3): 2}
    assert read_counts(Table(path), wanted).collection is None
    assert read_counts(Table(path), docnos()).counts.shape == (0, 3)


@pytest.mark.parametrize("block", [16, 1 << 24])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("d9 1 -1 0 0", "a negative count"),
        ("d9 -1 1 0 0", "a negative count"),
        ("d9 1 1.5 0 0", "the m '1.5' is not an integer"),
        ("d9 1 0x1 0 0", "the m '0x1' is not an integer"),
        ("d9 1 0 0", "4 columns instead of 5"),
        ("d2 1 0 0 0", "document d2 appears twice"),
    ],
)
def test_bad_counts(written, monkeypatch, line, message, block):
    monkeypatch.setattr(opening, "BLOCK", block)
    with pytest.raises(InputError, match=f"file:7: {message}"):
        read_counts(Table(written(f"{TABLE}{line}\n")), docnos("d2", "d4"))


@pytest.mark.parametrize(
    "header", ["d1 10 1 2", "docno tokens f", "docno f m", "docno tokens f f", "tokens docno f m", "docno;tokens;f"]
)
def test_bad_headers(written, header):
    with pytest.raises(InputError, match="file:2: the first line is not the header of a table of counts; write: docno"):
        Table(written(f"# comment\n{header}\nd1 1 1 1\n"))


def test_a_header_alone_knows_no_document(written):
    read = read_counts(Table(written("docno tokens f m\n")), docnos("d1"), collection=True)
    assert not read.known.any()
    with pytest.raises(InputError, match="file: this file has no lines"):
        Table(written(""))


@pytest.mark.parametrize("block", [16, 1 << 24])
def test_comments_stand_above_a_header_and_ids_below(written, monkeypatch, block):
    monkeypatch.setattr(opening, "BLOCK", block)
    counts = read_counts(Table(written("# c\ndocno tokens f m\n\n#c 1 1 1\nd1 1 1 1\n")), docnos("d1", "#c"))
    assert counts.known.all()


@given(st.lists(st.lists(st.integers(0, 3) | st.just(2**63 - 1), min_size=3, max_size=3), max_size=30))
def test_histograms(counts):
    histogram = make_histogram(np.array(counts, dtype=np.int64).reshape(-1, 3))
    got = dict(zip(map(tuple, histogram.counts.tolist()), histogram.documents.tolist(), strict=True))
    assert got == collections.Counter(map(tuple, counts))


# -- collections


def texts(path, *names):
    wanted = docnos(*names)
    return {wanted.names[row].decode(): text for row, text in collection.read(path, wanted)}


TSV = "\ufeffd1\tone\td1 text\r\n\nd2\t\nd3\t  blanks \nünï\tä\n# d\tnot a comment\nd9\tlast"
JSONL = [
    {"docno": "d1", "text": "one"},
    {"id": "d2", "contents": "two", "title": "Title"},
    {"title": "", "_id": "d3", "text": '{"id": "d4"}'},
    {"text": '"docid": "d1"', "docid": "d1", "_id": "d9", "id": "d4"},
    {"id": 5, "text": "five"},
    {"text": "", "title": None, "docno": "dü"},
    {"id": 'quoted "d9"', "text": "nine"},
    {"url": {"id": "d1"}, "id": "d6", "text": "six"},
    {"docid": "no", "docno": "d8", "text": "eight"},
    {"id": "d7", "text": None, "contents": "never looked at: nobody wants d7"},
]


def test_tsv_collections(written):
    path = written(TSV)
    assert texts(path, "d1", "d2", "d3", "ünï", "# d", "d9", "no") == {
        "d1": "one\td1 text",
        "d2": "",
        "d3": "  blanks ",
        "ünï": "ä",
        "# d": "not a comment",
        "d9": "last",
    }
    assert texts(path) == {}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("separators", [(",", ":"), (" , ", " : ")])
def test_json_collections(written, ascii_only, separators):
    path = written("\n".join(json.dumps(one, ensure_ascii=ascii_only, separators=separators) for one in JSONL))
    expected = {
        "d1": "one",
        "d2": "Title two",
        "d3": '{"id": "d4"}',
        "d4": '"docid": "d1"',  # id is stronger than _id and docid, wherever they stand
        "5": "five",
        "dü": "",
        'quoted "d9"': "nine",
        "d6": "six",
        "d8": "eight",
    }
    assert texts(path, *expected, "d9", "no") == expected


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_compressed_collections(written, pack):
    assert texts(written(pack(TSV.encode())), "d1", "d9") == {"d1": "one\td1 text", "d9": "last"}


@pytest.mark.parametrize("block", [16, 1 << 24])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no tab", "this line has no tab after the docno"),
        ("\ttext", "this line has no tab after the docno"),
        ("d1\tagain", "document d1 appears twice; keep one line"),
    ],
)
def test_bad_tsv_collections(written, monkeypatch, line, message, block):
    monkeypatch.setattr(opening, "BLOCK", block)
    with pytest.raises(InputError, match=f"file:4: {message}"):
        texts(written(f"d1\tone\nd2\ttwo\n\n{line}\nd3\tthree\n"), "d1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "d3", ', None),  # nobody wants d3, so nobody looks at it
        ('{"id": "d1", ', "this line is not JSON"),
        ('{"id" "d1"}', "this line is not JSON"),
        ("d2\ttext", "this line is not JSON"),
        ('["d1"]', "this line has no docno"),
        ('{"text": "x"}', "this line has no docno"),
        ('{"id": "", "text": "x"}', "this line has no docno"),
        ('{"id": true, "text": "x"}', "this line has no docno"),
        ('{"id": null, "text": "x"}', "this line has no docno"),
        ('{"id": ["d1"], "text": "x"}', "this line has no docno"),
        ('{"id": "d1"}', "this line has no text"),
        ('{"id": "d1", "text": 5}', "this line has no text"),
        ('{"id": "d1", "body": "x"}', "this line has no text"),
        ('{"id": "d1", "text": "x", "title": 5}', "the title of this line is not text"),
        ('{"id": "d0", "text": "x"}', "document d0 appears twice"),
        ('{"id": "d\\u0030", "text": "x"}', "document d0 appears twice"),
        ('{"id": "\\ud800", "text": "x"}', "the docno .* holds half a character"),
        ('{"x": ' + "[" * 100_000, "this line is not JSON"),
    ],
)
def test_bad_json_collections(written, line, message):
    path = written('{"id": "d0", "text": "x"}\n\n' + line + "\n")
    if message is None:
        assert texts(path, "d0", "d1") == {"d0": "x"}
    else:
        with pytest.raises(InputError, match=f"file:3: {message}"):
            texts(path, "d0", "d1")


# -- objects in memory

RUN = {"q1": {"a": 1.0, "b": 2.0, "c": 2.0}, "q2": {"a": 0.5}}
RUN_FILE = "q1 Q0 a 1 1.0 t\nq1 Q0 b 1 2.0 t\nq1 Q0 c 1 2.0 t\nq2 Q0 a 1 0.5 t\n"
GRADES = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}


def frame(rows, *columns):
    return pd.DataFrame(
        [(qid, doc, value) for qid, docs in rows.items() for doc, value in docs.items()], columns=columns
    )


def scored():
    import ir_measures

    return [ir_measures.ScoredDoc(qid, doc, value) for qid, docs in RUN.items() for doc, value in docs.items()]


def judged():
    import ir_measures

    return [ir_measures.Qrel(qid, doc, value) for qid, docs in GRADES.items() for doc, value in docs.items()]


RUNS = {
    "dict": lambda: RUN,
    "numpy in a dict": lambda: {qid: {d: np.float32(s) for d, s in docs.items()} for qid, docs in RUN.items()},
    "frame": lambda: frame(RUN, "query_id", "doc_id", "score"),
    "frame of PyTerrier": lambda: frame(RUN, "qid", "docno", "score"),
    "frame, shuffled": lambda: frame(RUN, "qid", "docno", "score").iloc[[3, 0, 2, 1]],
    "named tuples": scored,
}


@pytest.mark.parametrize("order", ["score", "file"])
@pytest.mark.parametrize("kind", RUNS)
def test_runs_in_memory(written, kind, order):
    got = memory.run(RUNS[kind](), "mine", order)
    expected = read_run(written(RUN_FILE), order)
    assert (got.name, got.tag) == ("mine", "mine")
    if kind == "frame, shuffled":
        assert set(got.qids) == {"q1", "q2"}
        if order == "score":
            assert got.docnos[got.top(["q1"], None)].tolist() == [[b"c", b"b", b"a"]]
        return
    assert got.qids == expected.qids
    assert got.docnos.tolist() == expected.docnos.tolist()
    assert got.scores.tolist() == expected.scores.tolist()
    assert got.starts.tolist() == expected.starts.tolist()


@pytest.mark.parametrize("kind", RUNS)
def test_what_is_one_run_and_what_are_several(kind):
    run = RUNS[kind]()
    assert [name for name, _ in loading.name_rankings(run)] == ["run"]
    assert [name for name, _ in loading.name_rankings([run, run])] == ["run 1", "run 2"]
    assert [name for name, _ in loading.name_rankings({"x": run, "y": run})] == ["x", "y"]


def test_ids_are_texts():
    got = memory.run(pd.DataFrame({"qid": [3, 3], "docno": [10, 9], "score": [1, 1]}), "r")
    assert got.qids == ("3",)
    assert got.docnos.tolist() == [b"9", b"10"]  # falling code points


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "ü"]),
        st.dictionaries(st.sampled_from(["a", "b", "c", "日本", "long-docno-1"]), st.floats(-9, 9), min_size=1),
        min_size=1,
    )
)
def test_a_dict_and_its_file_are_the_same_run(written, run):
    path = written(
        "".join(f"{qid} Q0 {doc} 1 {score!r} t\n" for qid, docs in run.items() for doc, score in docs.items())
    )
    got, expected = memory.run(run, "r"), read_run(path)
    assert got.qids == expected.qids
    assert got.docnos.tolist() == expected.docnos.tolist()
    assert got.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (
            {"q1": {"a": math.nan}},
            "the score of document a under query q1 of the run r is nan; leave it out or correct it",
        ),
        ({"q1": {"a": math.inf}}, "document a under query q1 of the run r is inf; leave it out"),
        ({"q1": {"a": None}}, "document a under query q1 of the run r is None; leave it out"),
        ({"q1": {"a": "high"}}, "document a under query q1 of the run r is high; leave it out"),
        ({"q1": {"a": [1, 2]}}, r"is \[1, 2\]; leave it out or correct it"),
        ({"q1": {"": 1.0}}, "has an id that is empty"),
        ({"q1": {"a\0": 1.0}}, "contains a NUL"),
        ({"q1": {"a\nb": 1.0}}, "a line end"),
        ({"q1": {"a" * 5000: 1.0}}, "exceeds 1024 bytes"),
        ({"q1": {1: 1.0, "1": 2.0}}, "document 1 twice under query q1"),
        (pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "a"], "score": [1, 2]}), "document a twice under query q"),
        (
            pd.DataFrame({"qid": ["q"], "docno": ["a"]}),
            "has none of the columns score, sim, prediction, but qid, docno; name it",
        ),
        (pd.DataFrame({"qids": ["q"], "docno": ["a"], "score": [1]}), "has none of the columns query_id, qid"),
        (5, "cannot read 5 as run"),
        ([("q", "a", 1.0)], "cannot read this as run"),
    ],
)
def test_bad_runs_in_memory(run, message):
    with pytest.raises(InputError, match=message):
        memory.run(run, "r")


@pytest.mark.parametrize(
    "kind",
    [
        lambda: GRADES,
        lambda: frame(GRADES, "query_id", "doc_id", "relevance"),
        lambda: frame(GRADES, "qid", "docno", "label"),
        judged,
    ],
)
def test_qrels_in_memory(kind):
    got = [row[:3] for row in judgments(memory.qrels(kind()))]
    assert got == [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 2)]


class Subtopic(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


def test_subtopics_are_kept():
    rows = [Subtopic("1", "a", 1, "s1"), Subtopic("1", "a", 2, "s2")]
    assert judgments(memory.qrels(rows)) == [("1", "a", 1, "s1"), ("1", "a", 2, "s2")]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "the qrels are empty"),
        ({"q": {"a": 1.5}}, "the grade of document a under query q of the qrels is 1.5; leave it out or correct it"),
        ({"q": {"a": math.nan}}, "the grade of document a under query q of the qrels is nan; leave it out"),
        ({"q": {"a": "1x"}}, "the grade of document a under query q of the qrels is 1x; leave it out"),
        ([Subtopic("1", "a", 1, "s"), Subtopic("1", "a", 2, "s")], "document a is judged twice for query 1"),
        (pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "label": [1, 0]}), "document a is judged twice"),
        (5, "cannot read 5 as qrels"),
    ],
)
def test_bad_qrels_in_memory(given, message):
    with pytest.raises(InputError, match=message):
        memory.qrels(given)


def test_terms_in_memory():
    assert memory.terms({"f": ["she", "queen  mother", "she"], "m": ("he",)}).terms == {
        "f": ("she", "queen mother"),
        "m": ("he",),
    }
    with pytest.raises(InputError, match="fewer than two groups"):
        memory.terms({"f": ["she"]})
    with pytest.raises(InputError, match="holds an empty term"):
        memory.terms({"f": ["she"], "m": [" "]})
    with pytest.raises(InputError, match=r"he\*: there are no wildcards; list the words"):
        memory.terms({"f": ["she"], "m": ["he*"]})


def test_queries_in_memory():
    assert memory.queries([3, "x"]).qids == ("3", "x")
    with pytest.raises(InputError, match="the query set is empty"):
        memory.queries([])


@pytest.mark.parametrize(
    "docs", [{"a": "A", "b": ""}, pd.DataFrame({"docno": ["b", "a", "c"], "text": ["", "A", "C"]})]
)
def test_texts_in_memory(docs):
    wanted = docnos("a", "b", "no")
    assert {wanted.names[row]: text for row, text in memory.texts(docs, wanted)} == {b"a": "A", b"b": ""}


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ({"a": None}, "the text of document a is not a string"),
        (pd.DataFrame({"docno": ["a"], "text": [math.nan]}), "the text of document a is not a string"),
        (pd.DataFrame({"docno": ["a", "a"], "text": ["x", "y"]}), "has a document twice"),
        (pd.DataFrame({"docno": ["a"], "body": ["x"]}), "has none of the columns text"),
    ],
)
def test_bad_texts_in_memory(docs, message):
    with pytest.raises(InputError, match=message):
        list(memory.texts(docs, docnos("a")))


def test_counts_in_memory():
    table = pd.DataFrame({"docno": ["b", "a", "c"], "tokens": [3, 9, 4], "m": [1, 2, 0], "f": [0, 5, 0]})
    wanted = docnos("a", "no", "b")
    got = memory.counts(table, wanted)
    row = wanted.rows(np.array([b"a", b"b", b"no"]))
    assert got.groups == memory.frame_groups(table) == ("f", "m")
    assert got.known[row].tolist() == [True, True, False]
    assert got.tokens[row].tolist() == [9, 3, 0]
    assert got.counts[row].tolist() == [[5, 2], [0, 1], [0, 0]]
    assert got.collection.documents.sum() == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"docno": ["a", "a"]}, "has a document twice"),
        ({"f": [0, -1]}, "has a negative count"),
        ({"f": [0, 0.5]}, "the column f of the counts is not an integer"),
        ({"f": [0, math.nan]}, "the column f of the counts is not a finite number"),
        ({"f": None}, "fewer than two groups"),
        ({"tokens": None}, "has none of the columns tokens"),
        ({"docno": None}, "has none of the columns doc_id, docno"),
    ],
)
def test_bad_counts_in_memory(change, message):
    columns = {"docno": ["a", "b"], "tokens": [1, 2], "m": [0, 0], "f": [0, 0], **change}
    table = pd.DataFrame({name: values for name, values in columns.items() if values is not None})
    with pytest.raises(InputError, match=message):
        memory.counts(table, docnos("a"))


def test_an_empty_frame_of_counts():
    with pytest.raises(InputError, match="the frame of counts is empty"):
        memory.counts(pd.DataFrame({"docno": [], "tokens": [], "m": [], "f": []}), docnos("a"))


# -- ir_datasets


@pytest.fixture
def dataset(tmp_path):
    """A dataset of two documents and their judgments, registered with ir_datasets."""
    import ir_datasets

    docs, judged = tmp_path / "docs.tsv", tmp_path / "qrels.txt"
    docs.write_text("d1\tShe went.\nd2\tHe stayed.\n")
    judged.write_text("q1 0 d1 1\nq1 0 d2 0\n")
    made = ir_datasets.create_dataset(docs_tsv=str(docs), qrels_trec=str(judged))
    ir_datasets.registry.register("fairtrec-test", made)
    ir_datasets.registry.register("fairtrec-test/docs-only", ir_datasets.create_dataset(docs_tsv=str(docs)))
    yield made
    del ir_datasets.registry._registered["fairtrec-test"], ir_datasets.registry._registered["fairtrec-test/docs-only"]


def test_datasets_by_name_and_as_objects(dataset):
    wanted = docnos("d2", "d1", "no")
    expected = {b"d1": "She went.", b"d2": "He stayed."}
    assert {wanted.names[row]: text for row, text in datasets.texts("fairtrec-test", wanted)} == expected
    assert {wanted.names[row]: text for row, text in memory.texts(dataset, wanted)} == expected
    assert {wanted.names[row]: text for row, text in datasets.texts("irds:fairtrec-test", wanted)} == expected
    for got in (loading.qrels("fairtrec-test"), loading.qrels("irds:fairtrec-test"), loading.qrels(dataset)):
        assert judgments(got) == [("q1", "d1", 1, "0"), ("q1", "d2", 0, "0")]


def test_datasets_that_are_not_there_or_lack_something(dataset):
    with pytest.raises(InputError, match="no-such-set: there is no such file or ir_datasets id"):
        datasets.qrels("no-such-set")
    with pytest.raises(InputError, match="irds:no-such-set: there is no such file or ir_datasets id"):
        datasets.qrels("irds:no-such-set")
    with pytest.raises(InputError, match="docs-only: this dataset of ir_datasets has no qrels"):
        datasets.qrels("fairtrec-test/docs-only")


def test_offline_nothing_is_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    monkeypatch.setenv("FAIRTREC_OFFLINE", "1")
    with pytest.raises(ResourceError) as caught:
        datasets.qrels("beir/nfcorpus/test")
    message = str(caught.value)
    assert "\n" not in message
    assert "ir_datasets cannot provide beir/nfcorpus/test" in message
    assert "FAIRTREC_OFFLINE is set" in message
    with pytest.raises(ResourceError, match="cannot provide beir/nfcorpus"):
        list(datasets.texts("beir/nfcorpus", docnos("d")))


def test_help_says_of_a_new_form_how_it_is_recognized(monkeypatch):
    new = (
        run_forms.RunForm("pipe", "qid|docno|score", module="pipe_runs", holds="lines of qid|docno|score"),
        run_forms.RunForm("headed", columns=("qid docno",), heads=(b"query document",)),
        run_forms.RunForm("bare", columns=("docno qid",)),
    )
    monkeypatch.setattr(run_forms, "_ROWS", (*run_forms.FORMS.values(), *new))
    found = run_forms.describe_forms()
    assert ", parquet, pipe and, by the first line, trec-fair, headed; " in found
    assert "; pipe: lines of qid|docno|score; " in found
    assert found.endswith("; bare: docno qid")

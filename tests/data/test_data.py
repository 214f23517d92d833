"""Docnos, fingerprints, the look-ups of a Run, and what is known of a fault."""

import time
import tracemalloc
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import MISSING, Docnos, Run, decode, encode_ids, find_starts, fingerprints, take
from fairtrec.data import docnos as data
from fairtrec.support.errors import InputError
from fairtrec_made import colliding

names = st.lists(
    st.one_of(
        st.text(st.characters(exclude_characters="\0\n", exclude_categories=("Cs",)), min_size=1, max_size=20),
        st.sampled_from(["12345678", "123456789", "a" * 16, "a" * 17, "a" * 8 + "b" * 8]),
    ),
    max_size=30,
)


def column(words):
    return np.array([word.encode() for word in words], dtype=np.bytes_) if words else np.empty(0, "S1")


def poor(docnos):
    """A hash with two values, so that nearly all docnos collide; of look-ups in numpy, as those in C have their own."""
    return np.array([len(docno) % 2 for docno in docnos.tolist()], dtype=np.uint64)


@pytest.fixture(params=["good", "poor"])
def hashing(request, monkeypatch):
    if request.param == "poor":
        monkeypatch.setattr(data, "fingerprints", poor)
        monkeypatch.setattr(data, "extension", None)
    return request.param


@pytest.mark.parametrize("hashing", ["good", "poor"])
@given(words=names, asked=names)
def test_a_docno_is_found_in_its_row_or_not_at_all(hashing, words, asked):
    with pytest.MonkeyPatch.context() as patch:
        if hashing == "poor":
            patch.setattr(data, "fingerprints", poor)
            patch.setattr(data, "extension", None)
        wide = ["a docno that makes both columns wide"]  # up to 8 bytes the key is the docno: there is no other hash
        words, asked = words + wide, asked + wide + words
        table = Docnos.collect(column(words))
        assert sorted(table.names.tolist()) == sorted({word.encode() for word in words})
        assert len(table) == len(set(words))
        assert table.keys.tolist() == sorted(table.keys.tolist())
        rows = table.rows(column(asked))
        for word, row in zip(asked, rows.tolist(), strict=True):
            assert (row == MISSING) == (word not in words)
            assert row == MISSING or table.names[row] == word.encode()


@pytest.mark.parametrize("poorly", [False, True])
@given(words=names, more=names)
def test_sets_are_joined_where_each_docno_belongs(poorly, words, more):
    with pytest.MonkeyPatch.context() as patch:
        if poorly:
            patch.setattr(data, "fingerprints", poor)
            patch.setattr(data, "extension", None)
        words = [*words, "a docno that makes both columns wide"]
        mine, theirs = (
            Docnos.collect(column(words)),
            Docnos.collect(column(["another as wide as that", *sorted({*more} - {*words})])),
        )
        both, at = mine.insert(theirs)
        assert sorted(both.names.tolist()) == sorted(
            {word.encode() for word in (*words, *more, "another as wide as that")}
        )
        assert (both.keys[1:] >= both.keys[:-1]).all()
        tied = both.keys[1:] == both.keys[:-1]
        assert (both.names[1:][tied] > both.names[:-1][tied]).all()
        assert both.names[both.rows(theirs.names)].tolist() == theirs.names.tolist()
        assert np.insert(mine.names.astype(both.names.dtype), at, theirs.names).tolist() == both.names.tolist()


@pytest.mark.parametrize("extension", [data.extension, None])
def test_many_docnos_of_one_key_are_found_soon(extension, monkeypatch):
    monkeypatch.setattr(data, "extension", extension)
    docnos = np.sort(colliding.list_same_keys(60_000))
    assert len({*fingerprints(docnos).tolist()}) == 1
    begin = time.process_time()
    table = Docnos.collect(docnos[::2])
    rows = table.rows(docnos)
    assert time.process_time() - begin < 2
    assert rows[::2].tolist() == [*range(30_000)]
    assert set(rows[1::2].tolist()) == {MISSING}


@given(words=names)
def test_short_docnos_keep_the_order_of_code_points(words):
    short = [word for word in words if len(word.encode()) <= 8]
    table = Docnos.collect(column(short))
    assert decode(table.names) == sorted(set(short))


def test_many_collisions(hashing):
    docnos = np.array([b"a-long-prefix-%d" % (i * 7919 % 500) for i in range(1000)])
    table = Docnos.collect(docnos)
    assert len(table) == 500
    assert np.array_equal(table.names[table.rows(docnos)], docnos)
    assert (table.rows(np.array([b"a-long-prefix-500", b"x", b"a-long-prefix"])) == MISSING).all()


def test_look_up_in_columns_of_other_widths(hashing):
    table = Docnos.collect(np.array([b"12345678", b"123456789", b"1"]))
    asked = np.array([b"12345678", b"1", b"1234567"])
    assert (table.rows(asked) == MISSING).tolist() == [False, False, True]
    assert np.array_equal(table.rows(asked), table.rows(asked.astype("S40")))


@pytest.mark.parametrize("width", [1, 8, 30])
def test_nothing_at_all(width):
    empty = Docnos.collect(np.empty(0, f"S{width}"))
    assert len(empty) == 0
    assert empty.rows(np.array([b"a", b"a longer one"])).tolist() == [MISSING, MISSING]
    assert empty.rows(np.empty(0, "S1")).tolist() == []
    assert Docnos.collect(np.array([b"a"])).rows(np.empty(0, "S9")).tolist() == []


@given(words=names, width=st.integers(1, 64))
def test_fingerprints_do_not_depend_on_the_width_of_the_column(words, width):
    narrow = column(words)
    wide = narrow.astype(f"S{narrow.dtype.itemsize + width}")
    assert np.array_equal(fingerprints(narrow), fingerprints(wide))


@given(words=names, lengths=st.lists(st.integers(1, 300), max_size=12))
def test_fingerprints_do_not_depend_on_the_ids_beside_them(words, lengths):
    every = column([*words, *(f"{length}" * length for length in lengths)])
    assert fingerprints(every).tolist() == [fingerprints(np.array([each]))[0] for each in every]


@given(words=names)
def test_fingerprints_of_up_to_eight_bytes_are_the_docno(words):
    short = sorted({word.encode() for word in words if len(word.encode()) <= 8})
    keys = fingerprints(np.array(short, dtype=np.bytes_) if short else np.empty(0, "S1")).tolist()
    assert keys == sorted(set(keys))
    assert [key.to_bytes(8, "big").rstrip(b"\0") for key in keys] == short


@pytest.mark.parametrize("form", ["{}", "doc{}", "MARCO_{}", "clueweb12-0000tw-00-{:05}", "{:05}-abcdefgh-{}"])
def test_fingerprints_of_real_looking_docnos_differ(form):
    docnos = np.array([form.format(i, i).encode() for i in range(100_000)])
    assert len(np.unique(fingerprints(docnos))) == len(docnos)


def test_rows_of_some_columns_of_a_table_are_taken_without_a_copy_of_it():
    table = np.arange(300_000).reshape(-1, 3)
    tracemalloc.start()
    try:
        found = take(table[:, 1:], np.array([[7, MISSING]]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found[0, 0].tolist() == [22.0, 23.0]
    assert np.isnan(found[0, 1]).all()
    assert peak < table.nbytes / 10


def test_starts_of_nothing():
    assert find_starts(np.empty(0)).tolist() == [0]
    assert find_starts(np.array([3])).tolist() == [0, 1]


def test_text():
    assert decode(np.array(["ä".encode(), b"b c"])) == ["ä", "b c"]
    assert decode(np.empty(0, "S1")) == []


RUN = Run("a.run", "tag", ("q1", "q2"), np.array([0, 3, 4]), np.array([b"a", b"b", b"c", b"d"]), np.arange(4.0))


@pytest.mark.parametrize(
    ("qids", "depth", "lines"),
    [
        (["q1", "q2"], None, [[0, 1, 2], [3, -1, -1]]),
        (["q2", "q1"], 2, [[3, -1], [0, 1]]),
        (["q2", "no", "q1"], 9, [[3, -1, -1], [-1, -1, -1], [0, 1, 2]]),
        (["no"], None, [[]]),
        (["q2", "q2"], None, [[3], [3]]),
        (["q1"], 0, [[]]),
        ([], 3, []),
    ],
)
def test_the_top_of_a_run(qids, depth, lines):
    got = RUN.top(qids, depth)
    assert got.tolist() == lines
    assert got.dtype == np.int64


def test_queries_are_found_by_name():
    assert RUN.top(["q2", "no", "q1"], 1).tolist() == [[RUN.starts[1]], [MISSING], [RUN.starts[0]]]


def test_queries_have_numbers_whatever_letters_their_names_are_of():
    names = ("q", "ü", "q1", "a query of more than eight letters", "")
    run = Run("a.run", "tag", names, np.arange(6), np.array([b"d"] * 5), np.zeros(5))
    assert run.numbers(["a query of more than eight letters", "", "ü", "u"]).tolist() == [3, 4, 1, MISSING]
    assert run.numbers(("no", "\ud800", "q")).tolist() == [MISSING, MISSING, 0]
    assert run.numbers(names).tolist() == [0, 1, 2, 3, 4]
    assert run.numbers([]).tolist() == []
    assert encode_ids(names).tolist() == [name.encode() for name in names]


def test_a_fault_keeps_its_place_where_it_is_sent_to_another_process():
    sent = ForkingPickler.loads(ForkingPickler.dumps(InputError("a score is not a number", "a.run", 7)))
    assert (sent.message, sent.path, sent.line) == ("a score is not a number", "a.run", 7)
    assert str(sent) == "a.run:7: a score is not a number"

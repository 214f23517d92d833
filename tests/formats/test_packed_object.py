"""Runs that ranx packs as CBOR are read as their TREC files are; whatever else CBOR holds is refused in one line."""

import random
import struct
from contextlib import suppress

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.formats import named_columns, packed_object, qrels, run
from fairtrec.support.errors import InputError
from fairtrec.support.files import submissions
from fairtrec_made import cbor
from fairtrec_made.law import draws

NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
RUN = {"q1": {"d1": 2.5, "ü2": 1}, "q2": {"d1": -300, "d" * 300: 70000}}


@given(st.dictionaries(st.text(max_size=30), st.dictionaries(st.text(max_size=300), NUMBERS, max_size=30), max_size=3))
def test_laws_what_is_packed_is_what_it_was(rows):
    assert packed_object.read_numbers(cbor.encoded(rows)) == rows


@pytest.mark.ecosystem
@given(st.dictionaries(st.text(max_size=30), st.dictionaries(st.text(max_size=30), NUMBERS, max_size=30), max_size=3))
def test_laws_what_cbor2_writes_is_what_it_was(rows):
    import cbor2

    assert cbor2.dumps(rows) == cbor.encoded(rows)
    for canonical in (False, True):  # numbers in as few bytes as they take
        assert packed_object.read_numbers(cbor2.dumps(rows, canonical=canonical)) == rows


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_runs_and_qrels_are_read_however_they_are_packed(tmp_path, times):
    data = cbor.encoded(RUN)
    for _ in range(times):
        data = pa.compress(data, "lz4", asbytes=True)
    (tmp_path / "b").write_bytes(data)
    if times == 3:
        with pytest.raises(InputError, match=r"b: not CBOR of \{qid: \{docno: score\}\} \(.*\); write it again"):
            run.read(tmp_path / "b")
        return
    assert run.read(tmp_path / "b").qids == ("q1", "q2")
    assert fairtrec.evaluate("nDCG@2", tmp_path / "b", qrels={"q1": ["d1"]}).scores[0].means[0] == 1
    (tmp_path / "q").write_bytes(cbor.packed({"q1": {"d1": 2, "ü2": 0}}))
    assert qrels.read(tmp_path / "q").grades.tolist() == [2, 0]


def test_a_stream_is_read_as_it_is_said_to_be(fairtrec_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("q1 0 d1 1\n")
    given = ("eval", "q", "-", "-m", "nDCG@2")
    done = fairtrec_command(*given, stdin=cbor.packed(RUN))
    assert (done.code, done.err.count("\n")) == (3, 1)
    done = fairtrec_command(*given, "--run-format", "json", stdin=cbor.packed(RUN))
    assert done.code == 0, done.err
    assert "1.0000" in done.out


DEEP = (b"\xa1\x61q" * 100_000,)
BROKEN = {
    "a list of runs": ([RUN], "this run has|instead of|column"),
    "a list of documents": ({"q1": ["d1"]}, "a list instead of an object"),
    "a number for a query": ({1: {"d1": 1}}, "a whole number instead of text"),
    "bytes for a document": ({"q1": {b"d1": 1}}, "bytes instead of text"),
    "text for a number": ({"q1": {"d1": "1"}}, "text instead of a number"),
    "a truth": ({"q1": {"d1": True}}, "true, false or null instead of a number"),
    "nothing": ({"q1": {"d1": None}}, "true, false or null instead of a number"),
    "a large number": ({"q1": {"d1": (b"\xc2\x49\1" + b"\0" * 8,)}}, "a tag instead of a number"),
    "not a number": ({"q1": {"d1": float("nan")}}, "the score 'nan' of document 'd1' under query 'q1' is not a finite"),
    "infinity": ({"q1": {"d1": (b"\xf9\x7c\x00",)}}, "the score 'inf' of document 'd1'"),
    "no end given": ((b"\xbf\xff",), "a part without a length"),
    "a reserved length": ((b"\xbc",), "a part without a length"),
    "a length without end": ((b"\xbb" + b"\xff" * 8,), "it ends too early"),
    "many documents": ({"q1": (b"\xbb\0\0\0\1" + b"\0" * 4,)}, "it ends too early"),
    "a long text": ({"q1": {(b"\x7b\0\0\0\1" + b"\0" * 4,): 1}}, "it ends too early"),
    "half": ((cbor.encoded(RUN)[:-2],), "it ends too early"),
    "half a number": ((cbor.encoded({"q1": {"d1": 1.5}})[:-1],), "it ends too early"),
    "more": ((cbor.encoded(RUN) + b"\0",), "1 bytes after the object"),
    "a query twice": ((b"\xa2" + 2 * cbor.encoded({"q1": {"d1": 1}})[1:],), "the query 'q1' appears twice"),
    "a document twice": ({"q1": (b"\xa2" + 2 * cbor.encoded({"d1": 1})[1:],)}, "a document appears twice under query 'q1'"),
    "no UTF-8": ({"q1": {(b"\x61\xff",): 1}}, "an id that is not UTF-8"),
    "deep": (DEEP, "an object instead of text|it ends too early|instead of a number"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_odd_values_are_refused_in_a_line(tmp_path, name):
    thing, message = BROKEN[name]
    (tmp_path / "b").write_bytes(cbor.packed(thing))
    with pytest.raises(InputError, match=message) as refused:
        run.read(tmp_path / "b")
    assert str(refused.value).startswith(f"{tmp_path / 'b'}")
    assert "\n" not in str(refused.value)


def test_any_damage_is_bad_input_and_no_fault(tmp_path):
    dice, path, data = random.Random(1), tmp_path / "b", cbor.encoded(RUN)
    for number in range(draws(200, share=0.05)):
        damaged = bytearray(data if number % 2 else cbor.packed(RUN))
        for _ in range(dice.randint(1, 3)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged[: dice.randint(1, len(damaged))] if dice.random() < 0.3 else damaged)
        with suppress(InputError):
            run.read(path)


@pytest.mark.long
def test_sizes_are_bounded_before_memory_is(tmp_path, monkeypatch):
    path = tmp_path / "run.lz4"
    path.write_bytes(cbor.packed({"q1": {f"d{number}": struct.unpack(">d", bytes(8))[0] for number in range(1000)}}))
    with pytest.raises(ValueError, match="more than 999 numbers"):
        packed_object.read_numbers(cbor.encoded({"q1": dict.fromkeys(map(str, range(1000)), 1)}), 999)
    monkeypatch.setattr(named_columns, "LARGEST_OBJECT", 1000)
    with pytest.raises(InputError, match=r"run\.lz4: one object of CBOR of more than 0 MiB; write JSON lines like"):
        run.read(path)
    monkeypatch.undo()
    path.write_bytes(cbor.packed({"q1": (b"\0" * (1 << 26),)}))
    with pytest.raises(InputError, match="more than 200 times as large when it is unpacked"):
        run.read(path)


@pytest.mark.ecosystem
def test_a_run_that_ranx_saves_gives_what_its_trec_file_gives(copied, fairtrec_command):
    import ranx

    saved = ranx.Run.from_file("bm25.run", kind="trec")
    saved.save("run.lz4")
    values = {}
    for name in ("bm25.run", "run.lz4"):
        done = fairtrec_command("eval", "qrels.txt", name, "-m", "nDCG@10", "-q", "-f", "tsv")
        assert done.code == 0, done.err
        values[name] = done.out.replace(name, "run").replace("bm25", "run")
    assert values["run.lz4"] == values["bm25.run"]


def test_the_depth_of_a_submission_is_refused_before_its_documents_are_read(tmp_path, monkeypatch):
    path = tmp_path / "run.cbor"
    path.write_bytes(cbor.encoded({"q1": {f"d{number}": 0.5 for number in range(1001)}}))
    monkeypatch.setattr(packed_object._Reader, "number", lambda _: pytest.fail("a number was read"))
    with (
        submissions.guard_files(untrusted={"depth": 1000}),
        pytest.raises(InputError, match=r"run\.cbor: more than 1,000 documents for one query"),
    ):
        run.read(path)

"""Run files: every way of reading gives the same Run, and what is broken is refused with its line."""

import bz2
import dataclasses
import gzip
import io
import lzma
import random
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import ScoredDoc

from fairtrec.data import Run
from fairtrec.data.ranking.order import sort_by_score
from fairtrec.formats import columns, qrels, run
from fairtrec.formats import run as run_format
from fairtrec.support.compiled import extension
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening
from fairtrec_made.few import FILES, value

HUGE = 1 << 24  # every file of these tests is one block, which Python parses
SMALL = [16, 64, 300]  # so many bytes a block: threads, and borders everywhere
QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@contextmanager
def blocks_of(size):
    with mock.patch.object(opening, "BLOCK", size):
        yield


def content(ranked):
    return (
        ranked.tag,
        ranked.qids,
        ranked.starts.tolist(),
        ranked.docnos.tolist(),
        ranked.scores.tolist(),
        ranked.scores.dtype,
    )


def oracle(text, order="score"):
    """What a run file says, in ten lines: {qid: [(docno, score), ...]}, best first."""
    rankings, head = {}, True
    for line in text.decode("utf-8-sig").replace("\r\n", "\n").split("\n"):
        if not line.strip(" \t") or (head and line.lstrip(" \t").startswith("#")):
            continue
        head = False
        qid, _, docno, rank, score, tag = line.split()
        rankings.setdefault(qid, []).append((docno, float(score), int(rank), tag))
    for ranking in rankings.values() if order != "file" else ():
        ranking.sort(key=lambda row: row[0], reverse=True)
        ranking.sort(key=lambda row: -row[1] if order == "score" else row[2])
    return {qid: [row[:2] for row in ranking] for qid, ranking in rankings.items()}


def as_dict(ranked):
    names = [docno.decode() for docno in ranked.docnos.tolist()]
    pairs = list(zip(names, ranked.scores.tolist(), strict=True))
    return {
        qid: pairs[first:last]
        for qid, first, last in zip(ranked.qids, ranked.starts.tolist(), ranked.starts.tolist()[1:], strict=False)
    }


docnos = st.one_of(
    st.integers(0, 40).map("d{}".format),
    st.integers(0, 40).map("a-docno-of-many-bytes-{:03}".format),
    st.sampled_from(["é", "日本", "z" * 300, "#x", '"q"', "0x1A", "a,b", "\U0001f600", "￿", "D", "d"]),
)
scores = st.one_of(
    st.sampled_from(["1", "1.0", "1.", ".5", "+2", "-0", "0", "1e3", "1E-3", "-7.25", "1e-400", "007"]),
    st.floats(-100, 100, width=32).map(repr),
    st.integers(0, 3).map("{}.50".format),
)
separators = st.sampled_from([" "] * 12 + ["\t"] * 3 + ["  ", " \t", "\t\t"])


@st.composite
def run_files(draw):
    """A run file: mostly plain lines, odd ones anywhere."""
    plain = draw(st.sampled_from([" ", " ", "\t", None]))
    queries = draw(st.lists(st.sampled_from(["q1", "q2", "3", "vierte", "ü"]), min_size=1, max_size=4, unique=True))
    pairs = draw(st.lists(st.tuples(st.sampled_from(queries), docnos), min_size=1, max_size=60, unique=True))
    if draw(st.booleans()):
        pairs.sort(key=lambda pair: queries.index(pair[0]))
    odd = draw(st.sets(st.integers(0, len(pairs)), max_size=4))
    ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    lines = draw(st.lists(st.sampled_from(["# a comment", "", "  # indented", "\t"]), max_size=3))
    for i, (qid, docno) in enumerate(pairs):
        separator = plain or draw(separators)
        line = separator.join([qid, "Q0", docno, str(i), draw(scores), "tag"])
        if i in odd:
            line = draw(st.sampled_from([" " + line, line + " ", line + "\t", line.replace(separator, "   ", 2)]))
            lines += draw(st.sampled_from([[], [""], ["   ", "\t"], [""] * 40]))
        lines.append(line)
    if len(pairs) in odd:
        lines += [""] * 70
    text = ending.join(lines) + draw(st.sampled_from(["", ending]))
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


@QUICK
@given(text=run_files(), size=st.sampled_from(SMALL), order=st.sampled_from(["score", "rank", "file"]))
def test_all_readers_give_the_same_run(tmp_path, text, size, order):
    path = tmp_path / "a.run"
    path.write_bytes(text)
    with blocks_of(HUGE):
        whole = run.read(path, order)
    with blocks_of(size):
        pieces = run.read(path, order)
    wanted = oracle(text, order)
    got = as_dict(whole)
    assert list(got) == list(wanted)
    assert [[d for d, _ in ranking] for ranking in got.values()] == [
        [d for d, _ in ranking] for ranking in wanted.values()
    ]
    if order != "rank":
        assert got == wanted
    assert content(pieces) == content(whole)


@QUICK
@given(
    rankings=st.lists(
        st.lists(st.sampled_from([-1.5, -0.0, 0.0, 0.25, 2.0, 3.5]), min_size=1, max_size=40), min_size=1
    ),
    depth=st.integers(1, 12),
    wide=st.booleans(),
    data=st.data(),
)
def test_a_run_that_is_cut_is_the_top_of_the_whole_run(rankings, depth, wide, data):
    docnos = [data.draw(st.permutations([f"{'long-name-' * wide}d{i}" for i in range(len(each))])) for each in rankings]
    qids, starts = tuple(map(str, range(len(rankings)))), np.cumsum([0, *map(len, rankings)])
    names, scores = np.array([name.encode() for each in docnos for name in each]), np.concatenate(rankings)
    cut = Run("a", "t", qids, *sort_by_score(starts, names, scores, depth)).cut(qids, depth)
    for query, (ranking, scored) in enumerate(zip(docnos, rankings, strict=True)):
        pairs = sorted(zip(scored, ranking, strict=True), reverse=True)[:depth]
        lines = slice(cut.starts[query], cut.starts[query + 1])
        assert [name.decode() for name in cut.docnos[lines]] == [name for _, name in pairs]
        assert cut.scores[lines].tolist() == [score for score, _ in pairs]


def plain_run(queries=20, depth=50, separator=" "):
    rows = [
        (f"q{q}", "Q0", f"doc{(7 * q + 13 * r) % 997:05}", str(r), f"{100 - r // 2}.5", "tag")
        for q in range(queries)
        for r in range(depth)
    ]
    return "".join(separator.join(row) + "\n" for row in rows).encode()


@pytest.mark.skipif(extension is None, reason="this package was built without a compiler")
@pytest.mark.parametrize("separator", [" ", "\t"])
def test_plain_blocks_go_through_the_compiled_loop(tmp_path, separator):
    path = tmp_path / "a.run"
    path.write_bytes(plain_run(separator=separator))
    with blocks_of(4096), mock.patch.object(columns, "parse_lines", wraps=columns.parse_lines) as exact:
        run.read(path)
    assert exact.call_count == 0


@pytest.mark.skipif(extension is None, reason="this package was built without a compiler")
def test_an_odd_line_late_in_a_file_costs_its_own_block_only(tmp_path):
    path = tmp_path / "a.run"
    text = plain_run().replace(b"q15 Q0 ", b"\n\nq15\t Q0  ", 1)
    path.write_bytes(text)
    with blocks_of(4096), mock.patch.object(columns, "parse_lines", wraps=columns.parse_lines) as exact:
        got = run.read(path)
    assert exact.call_count == 1
    assert as_dict(got) == oracle(text)


BROKEN = {
    "too few columns": (b"q7 Q0 doc 1 2.5", "5 columns instead of 6"),
    "too many columns": (b"q7 Q0 doc 1 2.5 tag tag", "7 columns instead of 6"),
    "a word for a score": (b"q7 Q0 doc 1 high tag", "the score 'high' is not a finite number"),
    "nan": (b"q7 Q0 doc 1 nan tag", "the score 'nan' is not a finite number"),
    "inf": (b"q7 Q0 doc 1 -inf tag", "the score '-inf' is not a finite number"),
    "too large": (b"q7 Q0 doc 1 1e999 tag", "the score '1e999' is not a finite number"),
    "underscore": (b"q7 Q0 doc 1 1_000 tag", "the score '1_000' is not a finite number"),
    "hexadecimal": (b"q7 Q0 doc 1 0x10 tag", "the score '0x10' is not a finite number"),
    "not UTF-8": (b"q7 Q0 d\xff 1 2.5 tag", "bytes that are not UTF-8"),
    "NUL": (b"q7 Q0 d\0 1 2.5 tag", "a NUL byte"),
    "NUL, then not UTF-8": (b"q7 Q0 d\0 1 2.5 \xff", "a NUL byte"),
    "not UTF-8, then NUL": (b"q7 Q0 d\xff 1 2.5 \0", "bytes that are not UTF-8"),
    "long docno": (b"q7 Q0 " + b"d" * 5000 + b" 1 2.5 tag", "a docno of more than 1024 bytes"),
    "long qid": (b"q" * 5000 + b" Q0 d 1 2.5 tag", "a qid of more than 1024 bytes"),
    "duplicate": (b"q7 Q0 doc00062 1 2.5 tag", "document doc00062 appears twice under query q7 (first on line "),
    "form feed": (b"q7 Q0 do\fc 1 2.5 tag", "7 columns instead of 6"),
}


@pytest.mark.parametrize(("place", "size"), [(0, 64), (137, 1024), (199, HUGE), (199, 64)])
@pytest.mark.parametrize("fault", BROKEN)
def test_every_reader_blames_the_same_line(tmp_path, fault, place, size):
    bad, message = BROKEN[fault]
    rows = plain_run(10, 20).splitlines()
    rows.insert(place, bad)
    path = tmp_path / "a.run"
    path.write_bytes(b"# comment\n\n" + b"\n".join(rows))
    line = place + 3
    if fault == "duplicate":
        line = max(line, 3 + next(i for i, row in enumerate(rows) if row.startswith(b"q7 Q0 doc00062") and i != place))
    with blocks_of(size), pytest.raises(InputError) as caught:
        run.read(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


@pytest.mark.parametrize("size", [64, HUGE])
@pytest.mark.parametrize("rank", ["0x1A", "1.0", "x", "1_0", "9223372036854775808"])
def test_a_rank_is_an_integer(tmp_path, rank, size):
    path = tmp_path / "a.run"
    path.write_bytes(plain_run(10, 20) + b"q7 Q0 d " + rank.encode() + b" 2.5 tag\n")
    with blocks_of(size), pytest.raises(InputError, match=f":201: the rank '{rank}' is not an integer"):
        run.read(path, "rank")
    assert len(run.read(path).docnos) == 201  # column 4 is not looked at where it does not matter


@pytest.mark.parametrize("size", [64, HUGE])
def test_duplicates_need_not_be_neighbors(tmp_path, size):
    path = tmp_path / "a.run"
    path.write_bytes(b"q1 Q0 d1 1 3 t\nq2 Q0 d1 1 3 t\n\nq1 Q0 d2 2 2 t\nq2 Q0 d9 2 2 t\nq1 Q0 d1 3 1 t\n")
    with blocks_of(size), pytest.raises(InputError, match=r"a\.run:6: document d1 .* q1 \(first on line 1\); remove"):
        run.read(path)


@pytest.mark.parametrize("extension", [run.extension, None])
def test_duplicates_among_rankings_of_very_different_lengths(extension, monkeypatch):
    monkeypatch.setattr(run, "extension", extension)
    starts = np.array([0, 5000, *range(5001, 5101)])
    names = np.array([b"d%d" % i for i in range(5000)] + [b"d1"] * 100)
    assert run.find_repeat(starts, names) is None
    names[4321] = b"d17"
    assert run.find_repeat(starts, names) == (0, [17, 4321])


@given(st.lists(st.lists(st.integers(0, 9), max_size=7), min_size=1, max_size=9), st.integers(1, 12))
@QUICK
def test_duplicates_are_found_whatever_is_looked_at_at_once(rankings, lines):
    starts = np.cumsum([0, *map(len, rankings)])
    names = np.array([b"d%d" % i for ranking in rankings for i in ranking], dtype="S2")
    twice = [query for query, ranking in enumerate(rankings) if len(set(ranking)) < len(ranking)]
    with mock.patch.object(run, "PIECE", lines), mock.patch.object(run, "MANY", 3):
        found = run._find_repeat_plain(starts, names)
    assert run.find_repeat(starts, names) == found
    assert (None if found is None else found[0]) == (twice[0] if twice else None)
    if found is not None:
        first, second = found[1]
        assert names[first] == names[second]
        assert starts[found[0]] <= first < second < starts[found[0] + 1]


@pytest.mark.parametrize("shape", ["even", "uneven"])
def test_documents_with_equal_hashes_are_no_duplicates(monkeypatch, shape):
    monkeypatch.setattr(run, "extension", None)  # which compares docnos
    monkeypatch.setattr(run, "fingerprints", lambda column: np.zeros(len(column), dtype=np.uint64))
    starts = np.array([0, 3, 5]) if shape == "even" else np.array([0, 5000, *range(5001, 5101)])
    names = np.array([b"d%d" % i for i in range(starts[-1])])
    assert run.find_repeat(starts, names) is None
    names[1] = names[2]
    assert run.find_repeat(starts, names) == (0, [1, 2])


def test_a_line_may_not_be_endless(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "a.run"
    path.write_bytes(b"q1 Q0 d1 1 3 t\n" + b"x" * (3 << 20))
    with blocks_of(1 << 10), pytest.raises(InputError, match=r"a\.run:2: a line of more than 1 MiB; break it up"):
        run.read(path)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf", b"#", b" \t\n" * 50])
@pytest.mark.parametrize("size", [16, HUGE])
def test_a_run_without_entries_is_refused(tmp_path, text, size):
    path = tmp_path / "a.run"
    path.write_bytes(text)
    with blocks_of(size), pytest.raises(InputError, match=r"a\.run: this run has no lines"):
        run.read(path)


COMPRESSORS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor().compress,
    "xz": lzma.compress,
    "lz4": lambda text: pa.compress(text, "lz4", asbytes=True),
}


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("size", [4096, HUGE])
def test_compressed_runs(tmp_path, kind, size):
    text = plain_run()
    half = text.index(b"q11 ") + 20
    whole, parts = tmp_path / "whole", tmp_path / "parts"  # told by the bytes, not by the name
    whole.write_bytes(COMPRESSORS[kind](text))
    parts.write_bytes(COMPRESSORS[kind](text[:half]) + COMPRESSORS[kind](text[half:]))
    with blocks_of(size):
        assert as_dict(run.read(whole)) == as_dict(run.read(parts)) == oracle(text)


@cache
def noise():
    letters = random.Random(7).choices("abcdefghijklmnopqrstuvwxyz", k=400_000)
    rows = ["".join(letters[i : i + 40]) for i in range(0, len(letters), 40)]
    return "".join(f"q{i % 9} Q0 {row} 1 {i}.5 t\n" for i, row in enumerate(rows)).encode()


@pytest.mark.long
@pytest.mark.parametrize("kind", COMPRESSORS)
def test_truncated_compressed_runs_are_refused(tmp_path, kind):
    data = COMPRESSORS[kind](noise())  # several blocks of each format
    path = tmp_path / f"a.{kind}"
    for kept in [5, 20, len(data) // 2, len(data) - 9, len(data) - 4, len(data) - 1]:
        path.write_bytes(data[:kept])
        with pytest.raises(InputError) as caught:
            run.read(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert "; make or fetch" in str(caught.value)


def test_a_zstandard_file_cut_between_its_blocks_is_refused(tmp_path):
    compressor = zstandard.ZstdCompressor().compressobj()
    data = b""
    for query in range(20):
        data += compressor.compress(plain_run()[query * 1450 : (query + 1) * 1450])
        data += compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        path = tmp_path / "a.zst"
        path.write_bytes(data)
        with pytest.raises(InputError, match="make or fetch"):
            run.read(path)
    path.write_bytes(data + compressor.flush())
    run.read(path)


@pytest.mark.long
def test_xz_streams_may_be_padded_and_take_no_more_memory_than_they_should(tmp_path, monkeypatch):
    path = tmp_path / "a.xz"
    text = plain_run()
    half = text.index(b"q11 ") + 20
    path.write_bytes(lzma.compress(text[:half]) + b"\0" * (1 << 17) + lzma.compress(text[half:]) + b"\0" * 8)
    assert as_dict(run.read(path)) == oracle(text)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 28}]
    path.write_bytes(lzma.compress(text, filters=filters))
    with pytest.raises(InputError, match=r"a\.xz: unpacking it needs more than 128 MiB of memory; compress it again"):
        run.read(path)
    monkeypatch.setattr(opening, "LARGEST_UNPACKED", 1 << 20)
    path.write_bytes(lzma.compress(b"q 0 d 1 1 t\n" * (1 << 17), preset=0))
    with pytest.raises(InputError, match=r"a\.xz: more than 200 times as large when it is unpacked"):
        run.read(path)


def test_a_pyarrow_without_the_codec_says_so(tmp_path, monkeypatch):
    path = tmp_path / "a.lz4"
    path.write_bytes(COMPRESSORS["lz4"](plain_run()))
    monkeypatch.setattr(pa, "Codec", type("Codec", (), {"is_available": staticmethod(lambda _: False)}))
    with pytest.raises(InputError, match=r"a\.lz4: this pyarrow has no lz4; unpack the file"):
        run.read(path)


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_damaged_compressed_runs_are_refused(tmp_path, kind):
    data = COMPRESSORS[kind](noise())
    path = tmp_path / f"a.{kind}"
    path.write_bytes(data[:5000] + b"damage" + data[5006:])
    with pytest.raises(InputError, match="make or fetch"):
        run.read(path)


class Trickle(io.RawIOBase):
    """A pipe: it gives a few bytes at a time, and cannot go back."""

    def __init__(self, data):
        self.data = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.data.readinto(memoryview(buffer)[:1000])


@pytest.mark.parametrize("pack", [bytes, *COMPRESSORS.values()])
@pytest.mark.parametrize("size", [4096, HUGE])
def test_standard_input(monkeypatch, pack, size):
    text = plain_run()
    packed = pack(text)  # once: gzip writes the time
    stdin = io.TextIOWrapper(io.BufferedReader(Trickle(packed)))
    monkeypatch.setattr(sys, "stdin", stdin)
    with blocks_of(size):
        got = run.read("-")
    assert as_dict(got) == oracle(text)
    assert got.name == "-"
    import hashlib

    assert opening.sha256("-") == hashlib.sha256(packed).hexdigest()
    with pytest.raises(InputError, match="-: standard input can be read only once"):
        run.read("-")


def test_no_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="-: standard input is closed; pass a file"):
        run.read("-")


def test_a_pipe_is_hashed_while_it_is_read(tmp_path):
    import hashlib
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(plain_run(),))
    writer.start()
    assert as_dict(run.read(pipe)) == oracle(plain_run())
    writer.join()
    assert opening.sha256(pipe) == hashlib.sha256(plain_run()).hexdigest()
    with pytest.raises(InputError, match="is read twice, which a stream does not allow"):
        opening.first_line(pipe, b"#")


def text_of(rows):
    return "".join(f"{qid} Q0 {docno} {rank} {score!r} t\n" for qid, docno, rank, score in rows).encode()


rows_of_runs = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3"]),
        docnos,
        st.integers(-5, 5),
        st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6)),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:2],
)


@QUICK
@given(rows=rows_of_runs)
def test_the_order_is_falling_score_then_falling_docno_by_code_points(tmp_path, rows):
    path = tmp_path / "a.run"
    path.write_bytes(text_of(rows))
    for order, key in {"score": lambda row: row[3], "rank": lambda row: -row[2]}.items():
        got = as_dict(run.read(path, order))
        for qid in got:
            mine = [row for row in rows if row[0] == qid]
            mine.sort(key=lambda row: [ord(letter) for letter in row[1]], reverse=True)
            mine.sort(key=key, reverse=True)
            assert [docno for docno, _ in got[qid]] == [row[1] for row in mine]
    got = as_dict(run.read(path, "file"))
    assert got == {qid: [(row[1], row[3]) for row in rows if row[0] == qid] for qid in got}


@QUICK
@given(rows=rows_of_runs, shuffle=st.randoms(), size=st.sampled_from([64, HUGE]))
def test_law_1_the_order_of_lines_means_nothing(tmp_path, rows, shuffle, size):
    path = tmp_path / "a.run"
    path.write_bytes(text_of(rows))
    before = as_dict(run.read(path))
    shuffle.shuffle(rows)
    path.write_bytes(text_of(rows))
    with blocks_of(size):
        assert as_dict(run.read(path)) == before


@QUICK
@given(rows=rows_of_runs, depth=st.integers(1, 6))
def test_law_1_depth_cuts_and_nothing_else(tmp_path, rows, depth):
    path = tmp_path / "a.run"
    path.write_bytes(text_of(rows))
    for order in ("score", "rank", "file"):
        whole, cut = run.read(path, order), run.read(path, order, depth=depth)
        assert as_dict(cut) == {qid: ranking[:depth] for qid, ranking in as_dict(whole).items()}
        assert cut.qids == whole.qids


@st.composite
def sorted_runs(draw):
    """A run that is sorted or nearly so, with many ties, and a document or a query twice now and then."""
    lines = []
    for qid in draw(
        st.lists(
            st.sampled_from(["q1", "q2", "3", "vierte"]),
            min_size=1,
            max_size=5,
            unique_by=draw(st.sampled_from([None, str])),
        )
    ):
        names = draw(st.lists(docnos, min_size=1, max_size=12, unique_by=draw(st.sampled_from([None, str, str, str]))))
        scores = draw(st.lists(st.integers(0, 4), min_size=len(names), max_size=len(names)))
        scores = sorted(scores, reverse=True) if draw(st.integers(0, 9)) else scores
        lines += [f"{qid} Q0 {name} 1 {score} t" for name, score in zip(names, scores, strict=True)]
    at = draw(st.integers(0, len(lines)))
    lines[at:at] = draw(st.sampled_from([[], [], [], [""] * 90, ["# a comment"], ["q1 Q0 d1 1 x t"], ["q1 Q0 d1"]]))
    return "\n".join(lines).encode()


def outcome(path, depth, *, with_ties):
    """What a run is when it has been cut, or why it is refused."""
    try:
        found = run.read(path, depth=depth, with_ties=with_ties)
    except InputError as fault:
        return str(fault)
    return (*content(found.cut(found.qids, depth, with_ties=with_ties)), found.rises, found.notes, found.name)


@QUICK
@given(
    text=st.one_of(sorted_runs(), run_files()),
    depth=st.integers(1, 9),
    size=st.sampled_from([*SMALL, HUGE]),
    with_ties=st.booleans(),
)
def test_lines_that_are_let_go_while_a_run_is_read_change_nothing(tmp_path, text, depth, size, with_ties):
    path = tmp_path / "a.run"
    path.write_bytes(text)
    with blocks_of(size):
        expected = outcome(path, depth, with_ties=with_ties)
        with mock.patch.object(run, "LARGE_FILE", 1):
            assert outcome(path, depth, with_ties=with_ties) == expected


@pytest.mark.parametrize("wide", [False, True])
def test_a_large_run_is_kept_down_to_a_depth(tmp_path, monkeypatch, wide):
    path, asked = tmp_path / "a.run", []
    path.write_bytes(plain_run(300, 100).replace(b" doc", b" a-document-" if wide else b" doc"))
    monkeypatch.setattr(run, "LARGE_FILE", 1)
    monkeypatch.setattr(run, "_table_of", lambda *_, **__: asked.append(1))
    with blocks_of(1 << 16):
        kept = run.read(path, depth=10, with_ties=True)
    assert not asked
    assert np.diff(kept.starts).min() == 10
    assert len(kept.docnos) < 300 * 20


@QUICK
@given(rows=rows_of_runs, transform=st.sampled_from([lambda x: 2 * x + 3, lambda x: x**3, lambda x: np.sinh(x / 1e5)]))
def test_law_8_scores_count_only_through_their_order(tmp_path, rows, transform):
    rows = [(qid, docno, rank, float(round(score))) for qid, docno, rank, score in rows]
    path = tmp_path / "a.run"
    path.write_bytes(text_of(rows))
    before = run.read(path)
    path.write_bytes(text_of([(q, d, r, float(transform(s))) for q, d, r, s in rows]))
    after = run.read(path)
    assert after.docnos.tolist() == before.docnos.tolist()
    assert after.starts.tolist() == before.starts.tolist()


def test_float32_makes_ties(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 a 1 1.000000001 t\nq Q0 b 2 1.0 t\nq Q0 c 3 1e300 t\nq Q0 d 4 -1e300 t\nq Q0 e 5 1e200 t\n")
    assert [docno for docno, _ in as_dict(run.read(path))["q"]] == ["c", "e", "a", "b", "d"]
    rounded = run.read(path, score_dtype="float32")
    assert [docno for docno, _ in as_dict(rounded)["q"]] == ["e", "c", "b", "a", "d"]


def test_ranks_are_not_rounded_to_the_type_of_scores(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 a 16777216 2 t\nq Q0 b 16777217 1 t\n")
    assert run.read(path, "rank", "float32").docnos.tolist() == [b"a", b"b"]


def test_a_few_long_rankings_among_many_short_ones(tmp_path):
    rows = [("long", f"d{i:05}", 0, float(i * 7919 % 6001 // 3)) for i in range(6000)]
    rows += [(f"q{i}", f"d{j}", 0, float(j)) for i in range(80) for j in range(2)]
    path = tmp_path / "a.run"
    path.write_bytes(text_of(rows))
    assert as_dict(run.read(path)) == oracle(path.read_bytes())


def test_a_query_that_spans_blocks_is_one_block(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(plain_run(queries=3, depth=400))
    with (
        blocks_of(256),
        mock.patch.object(np, "argsort", side_effect=AssertionError("nothing is to be brought together")),
    ):
        assert run.read(path, "file").qids == ("q0", "q1", "q2")


@pytest.mark.parametrize("size", [16, HUGE])
def test_qrels_are_read_alike(tmp_path, size):
    path = tmp_path / "q"
    path.write_bytes(b"".join(b"q%d 0 d%d %d\n" % (i % 3, i, i % 4 - 1) for i in range(100)))
    with blocks_of(size):
        got = qrels.read(path)
    assert got.qids == ("q0", "q1", "q2")
    pairs = zip(got.query.tolist(), got.docnos.tolist(), got.grades.tolist(), strict=True)
    assert set(pairs) == {(i % 3, b"d%d" % i, i % 4 - 1) for i in range(100)}
    with path.open("ab") as file:
        file.write(b"q1 0 e1 0x1\n")
    with blocks_of(size), pytest.raises(InputError, match=":101: the grade '0x1' is not an integer"):
        qrels.read(path)


def test_a_run_is_frozen(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(plain_run(1, 3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.read(path).tag = "other"


@pytest.mark.usefixtures("few_files")
def test_a_run_in_memory_need_not_stand_query_by_query():
    rows = [("q1", "d1", 3), ("q2", "d3", 2), ("q1", "d2", 2), ("q2", "d1", 1)]
    run = [ScoredDoc(*row) for row in rows]
    assert value("RR nDCG", run, qrels="qrels").values.tolist() == value("RR nDCG", qrels="qrels").values.tolist()


@pytest.mark.usefixtures("few_files")
@pytest.mark.parametrize("twice", [False, True])
def test_large_runs_are_looked_through_beside_their_ranking(monkeypatch, twice):
    small = run_format.read("run")
    monkeypatch.setattr(run_format, "LARGE", 2)
    if not twice:
        assert run_format.read("run").docnos.tolist() == small.docnos.tolist()
        return
    Path("run").write_text(FILES["run"] + "q1 Q0 d1 3 1 t\n")
    with pytest.raises(InputError, match=r"run:5: document d1 appears twice under query q1 \(first on line 1\)"):
        run_format.read("run")

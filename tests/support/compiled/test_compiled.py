"""What is compiled gives the numbers of its twins in numpy, bit for bit, and takes nothing that it cannot."""

import importlib.util
import os
import struct
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.data import Docnos, docnos, fingerprints
from fairtrec.formats import columns, run, spans
from fairtrec.support import compiled
from fairtrec.support.compiled import extension
from fairtrec.support.errors import InputError
from fairtrec.support.files import opening
from fairtrec_made import EXAMPLE, colliding, sanitized

pytestmark = pytest.mark.skipif(extension is None, reason="this package was built without a compiler")

HARD = [  # beside the middle of two float64, at the ends of what they hold, and with more digits than a word has
    "9007199254740993", "9007199254740993.00000000000000000001", "1e23", "8.5e22", "0.1", "1.7976931348623157e308",
    "2.2250738585072014e-308", "179769313486231570000e289", "5e-324", "0.500000000000000166533453693773481063544750213623046875",
    "3.518437208883201171875e13", "62.5364939768271845828", "8.10109172351e-10", "1.50000000000000011102230246251565",
    "90071992547409.91", "90071992547409.93", "-0000.000", "-0", "+0.0", "-0e7", "00000000000000000000000000000000000001", "1234567890123456789012345e-30", "7.", ".7", "6e+0001",
]  # fmt: skip
NO_NUMBER = ["", ".", "+", "e1", "1e", "1e+", "--1", "1.2.3", "1_0", "inf", "nan", "0x10", "1e99999999", "1e309", "１"]
LAYOUT = columns.Layout("run", {"qid": "blocks", "docno": "text", "rank": "int", "score": "float", "tag": "first"})
CELLS = {
    "qid": st.sampled_from(["q1", "q1", "q2", "a-query-of-many-letters", "ü"]),
    "docno": st.one_of(st.text("abcé0", min_size=1, max_size=20), st.sampled_from(["d" * 1024, "d" * 1025])),
    "rank": st.one_of(st.integers(-(10**19), 10**19).map(str), st.sampled_from(["+7", "007", "1.0", "", "x"])),
    "score": st.one_of(st.floats().map(repr), st.sampled_from([*HARD, *NO_NUMBER])),
    "tag": st.sampled_from(["t", "tag", ""]),
}
LINES = st.lists(
    st.tuples(st.sampled_from([" ", "\t", "  ", " \v", "\f", "\r"]), st.fixed_dictionaries(CELLS)).map(
        lambda of: of[0].join(of[1].values())
    ),
    min_size=1,
    max_size=6,
)


def number(text):
    """The float64 of a text, and whether the compiled loop could tell."""
    value = np.zeros(1)
    found, _, _ = extension.lines(text.encode(), b"f", (value,), spans.FIVES)
    return found == 1, value[0]


def bits(value):
    return struct.pack("<d", value)


@pytest.mark.parametrize("text", HARD)
def test_numbers_that_are_hard_to_round_are_those_of_float_or_left_to_it(text):
    told, value = number(text)
    assert not told or bits(value) == bits(float(text))
    assert told or abs(float(text)) < sys.float_info.min * 2 or len(text) > 19


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 25))
def test_every_way_to_write_a_number_is_read_as_float_reads_it(value, digits):
    for text in (repr(value), f"{value:.{digits}e}", f"{value:.{digits}f}"):
        told, found = number(text)
        assert not told or bits(found) == bits(float(text))


@given(st.integers(0, 1 << 54), st.integers(1, 9), st.sampled_from(["", "-", "+"]))
def test_digits_with_a_point_are_read_as_float_reads_them(number_without, behind, sign):
    digits = str(number_without).zfill(9)
    told, found = number(f"{sign}{digits[:-behind]}.{digits[-behind:]}")
    assert told
    assert bits(found) == bits(float(f"{sign}{digits}e-{behind}"))


@pytest.mark.parametrize("text", NO_NUMBER)
def test_what_is_no_finite_number_is_not_taken_for_one(text):
    assert not number(text)[0]


@given(LINES, st.booleans())
def test_lines_become_the_columns_that_numpy_makes_of_them(lines, ends):
    block = "\n".join(lines).encode() + b"\n" * ends
    fast = columns.fast(block, LAYOUT, block.count(b"\n"))
    if fast is None:
        return
    exact, _ = columns.parse_lines(block, LAYOUT, "a.run", 1)
    for name, column in exact.items():
        mine = fast[name]
        if LAYOUT.columns[name] == "blocks":
            assert np.repeat(mine.texts, mine.lengths).tolist() == column.tolist()
        else:
            assert mine.dtype.kind == column.dtype.kind
            assert mine.tolist() == column.tolist()


def test_a_tag_that_is_too_long_is_left_to_what_refuses_it():
    longest = "t" * columns.WIDEST
    assert columns.fast(f"q t 0 0.0 {longest}".encode(), LAYOUT, 0) is not None
    assert columns.fast(f"q t 0 0.0 {longest}t".encode(), LAYOUT, 0) is None


def test_a_file_of_several_blocks_is_one_array_of_each_column(tmp_path, monkeypatch):
    text = "".join(f"{i % 7} Q0 d{i:06} {i} {i}.5 t\n" for i in sorted(range(3000), key=lambda i: i % 7))
    (tmp_path / "a.run").write_text(text)
    layout = columns.Layout(
        "run", {"qid": "blocks", "Q0": "skip", "docno": "text", "rank": "int", "score": "float"} | {"tag": "first"}
    )
    whole = columns.read(tmp_path / "a.run", layout).columns
    monkeypatch.setattr(opening, "BLOCK", 4096)
    monkeypatch.setattr(columns, "FEW", 1)
    monkeypatch.setattr(np, "concatenate", watched := Watched(np.concatenate))
    parts = columns.read(tmp_path / "a.run", layout).columns
    for name in ("docno", "rank", "score"):
        assert parts[name].tolist() == whole[name].tolist()
        assert len(parts[name]) not in watched.lengths
    monkeypatch.setattr(columns, "MORE", 0.1)  # too little room
    assert columns.read(tmp_path / "a.run", layout).columns["docno"].tolist() == whole["docno"].tolist()


class Watched:
    """A function, and how long what it gave was."""

    def __init__(self, function):
        self.function, self.lengths = function, set()

    def __call__(self, *given, **more):
        found = self.function(*given, **more)
        self.lengths.add(len(found))
        return found


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 255 * 64, 255 * 64 + 70, 40_000])
@pytest.mark.parametrize("odd", [b"", b"\0", b"\xff", b"\r"])
def test_line_ends_are_counted_and_odd_bytes_found(size, odd):
    block = bytes(np.random.default_rng(size).choice([10, 32, 97], size).tolist())
    for at in {0, size // 2, size} if odd else {size}:
        text = block[:at] + odd + block[at:]
        assert extension.survey(text) == (block.count(b"\n"), odd in (b"\0", b"\xff") and bool(odd), odd == b"\r")


@given(st.lists(st.sampled_from([b"d1", b"\t", b"\n", b"\n", b"a text", "é\t".encode(), b"\r"])).map(b"".join))
def test_lines_have_the_starts_tabs_and_ends_that_numpy_finds(block):
    letters = np.frombuffer(block, np.uint8)
    found = [each.tolist() for each in spans.find_lines(letters)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "extension", None)
        assert found == [each.tolist() for each in spans.find_lines(letters)]


@st.composite
def blocks_of_runs(draw):
    """Lines of rankings, which are sorted and differ mostly, with ids of many lengths and an odd line now and then."""
    lines = []
    for qid in draw(st.lists(st.sampled_from(["q1", "q2", "a-query-of-many-letters", "ü"]), min_size=1, max_size=6)):
        names = draw(st.lists(CELLS["docno"], min_size=1, max_size=9, unique=draw(st.integers(0, 9)) > 0))
        scores = draw(st.lists(st.integers(0, 4), min_size=len(names), max_size=len(names)))
        scores = sorted(scores, reverse=True) if draw(st.integers(0, 9)) else scores
        blank = draw(st.sampled_from([" ", " ", "\t", "  ", " \v"]))
        lines += [
            blank.join((qid, "Q0", name, "1", f"{score}.5", "t")) for name, score in zip(names, scores, strict=True)
        ]
    at = draw(st.integers(0, len(lines)))
    lines[at:at] = draw(st.sampled_from([[]] * 4 + [[""], ["q1 Q0 d9 1 x t"], ["q1 Q0 d9 1 0.5"]]))
    return "\n".join(lines).encode() + b"\n" * draw(st.booleans())


@given(blocks_of_runs(), st.integers(1, 9), st.booleans())
def test_first_documents_are_kept_while_they_are_parsed_as_numpy_keeps_them(block, depth, with_ties):
    tops = run._Tops(depth, with_ties=with_ties)
    found = tops.take(block, block.count(b"\n"))
    parsed = columns.fast(block, tops.layout, block.count(b"\n"))
    try:
        exact = None if parsed is None else tops.keep(parsed, 1)
    except run._NotPlainError:
        exact = None
    assert (found is None) == (exact is None)
    if exact is not None:
        assert show(found) == show(exact)


def show(kept):
    """The tag and the rankings that are kept of a block."""
    fields = "qids", "lengths", "docnos", "scores"
    return kept["tag"].tolist(), [[getattr(part, name).tolist() for name in fields] for part in kept["rankings"]]


def test_a_document_that_stands_again_in_another_ranking_is_no_repeat():
    block = b"".join(b"q%d Q0 d%d 1 %d t\n" % (q, d, -d) for q in range(40) for d in range(40))
    tops = run._Tops(3, with_ties=False)
    assert show(tops.take(block, 1600)) == show(tops.keep(columns.fast(block, tops.layout, 1600), 1))
    assert tops.take(block + b"q39 Q0 d7 1 -99 t\n", 1601) is None


def test_ids_that_want_one_slot_are_kept_or_found_twice():
    single = colliding.list_bytes(600).tolist()
    for names in (single, single + single[-1:]):
        block = b"".join(b"q Q0 %b 1 1 t\n" % name for name in names)
        assert (run._Tops(3, with_ties=True).take(block, len(names)) is None) == (names is not single)


COUNTS = st.lists(
    st.tuples(
        st.sampled_from([b"d1", b"d2", b"d33", b"longer-than-8", b"longer-than-9", "é".encode(), b"d" * 1025]),
        st.sampled_from([b"0", b"7", b"+7", b"-1", b"1e3", b"4294967295", b"4294967296", b""]),
        st.sampled_from([b"\t", b" ", b"\t "]),
    ).map(lambda of: of[2].join((of[0], of[1], b"2", b"3"))),
    min_size=1,
    max_size=80,
)


@given(COUNTS, st.sampled_from([b"", b"\n", b" \n"]), st.sampled_from([b"d", b"longer-than"]))
def test_counts_are_taken_while_they_are_parsed_as_numpy_finds_them(lines, end, start):
    block = b"\n".join(lines) + end
    names = sorted({line.split()[0] for line in lines if line.startswith(start)} | {b"d1", b"never"})
    wanted = Docnos.collect(np.array(names))
    room = len(lines)
    here, rows, later = np.empty(room, "i8"), np.empty(room, "i8"), np.empty((extension.LATER, 3), "i8")
    tokens, counts = np.zeros(len(wanted), "u4"), np.zeros((len(wanted), 2))
    given = *wanted.list_buffers(), wanted.slots[0], wanted.filter, np.array([1, 0]), here, rows
    read, found = extension.take_counts(block, *given, tokens, counts, later)
    layout = columns.Layout("counts", {"docno": "text", "tokens": "int", "f": "int", "m": "int"})
    parsed = columns.fast(block, layout, block.count(b"\n"))
    if parsed is None or parsed["tokens"].min() < 0 or parsed["tokens"].max() > 2**32 - 1:
        assert read < 0
        return
    expected = wanted.rows(parsed["docno"])
    assert read == len(expected)
    assert here[:found].tolist() == np.flatnonzero(expected >= 0).tolist()
    assert rows[:found].tolist() == expected[expected >= 0].tolist()
    last = {row: line for line, row in enumerate(expected.tolist()) if row >= 0}
    for row, line in last.items():
        assert [tokens[row], *counts[row]] == [parsed[name][line] for name in ("tokens", "m", "f")]


@given(st.lists(st.text("ab", max_size=10), min_size=1, unique=True), st.data())
def test_documents_are_found_in_the_hash_tables_of_c_and_of_numpy(texts, data):
    names = np.array(["x", *texts]).astype(data.draw(st.sampled_from(["S8", "S10", "S11"])))
    lines = np.array(data.draw(st.lists(st.integers(-1, len(names) - 1), max_size=80)), "i8").reshape(-1, 1)
    table = Docnos.collect(names[::2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docnos, "extension", None)
        plain = Docnos.collect(names[::2])
        expected, of_lines = plain.rows(names), plain.rows(names, lines)
    assert (plain.names.tolist(), plain.keys.tolist()) == (table.names.tolist(), table.keys.tolist())
    assert table.rows(names).tolist() == expected.tolist()
    assert table.rows(names, lines).tolist() == of_lines.tolist()
    assert of_lines[:, 0].tolist() == np.append(expected, docnos.MISSING)[lines[:, 0]].tolist()


def make_keys(masks):
    """Make keys of which only some bits differ."""
    low, high, mask, several = masks
    return [low | key & mask & ((1 << high) - 1) for key in several]


KEYS = st.tuples(
    st.integers(0, 2**64 - 1),
    st.integers(0, 64),
    st.sampled_from([2**64 - 1, 0x0F0F0F0F0F0F0F0F, 0xFF00FF, 1 << 63, 0x8100000000000081]),
    st.lists(st.integers(0, 2**64 - 1), max_size=60),
).map(make_keys)


@given(st.one_of(KEYS, st.lists(st.integers(0, 9), max_size=60)))
def test_keys_are_sorted_and_kept_once(several):
    keys = np.array(several, "u8")
    assert docnos._sort_keys(keys).tolist() == sorted({*several})


@pytest.mark.parametrize("many", [0, 1, 2, 3000, 100_000])
def test_a_filter_has_a_bit_for_each_document(many):
    table = Docnos.collect(np.arange(many).astype("S8"))
    bits = np.unpackbits(table.filter, bitorder="little")
    assert bits[table.keys * docnos.GOLDEN >> np.uint64(64 - int(np.log2(len(bits))))].all()
    assert bits.mean() <= 1 / 4


@given(st.lists(st.lists(st.text("ab", max_size=3), max_size=9), min_size=1, max_size=5), st.sampled_from([8, 9, 24]))
def test_the_document_that_stands_twice_is_the_one_that_numpy_finds(lists, width):
    starts = np.cumsum([0, *map(len, lists)])
    several = np.array(["x" + text for each in lists for text in each] or ["x"]).astype(f"S{width}")[: starts[-1]]
    found = run.find_repeat(starts, several)
    assert found == run._find_repeat_plain(starts, several)
    twice = [len(each) > len({*each}) for each in lists]
    assert (found is None) == (not any(twice))
    assert found is None or found[0] == twice.index(True)


def test_documents_that_want_one_slot_are_found_in_c_and_in_numpy():
    several = colliding.list_bytes(3000)
    table, asked = Docnos.collect(several[::2]), np.append(several, [b"d1", b"\xff" * 8])
    expected = np.searchsorted(table.keys, fingerprints(asked[: len(several)]))
    rows = table.rows(asked)
    assert rows[: len(several) : 2].tolist() == expected[::2].tolist()
    assert set(rows[1 : len(several) : 2].tolist()) | set(rows[len(several) :].tolist()) == {docnos.MISSING}
    block = b"".join(docno + b" 7 1 2\n" for docno in several.tolist())
    here, rows, later = np.empty(3000, "i8"), np.empty(3000, "i8"), np.empty((extension.LATER, 3), "i8")
    given = *table.list_buffers(), table.slots[0], table.filter, np.arange(2), here, rows
    tokens, counts = np.zeros(len(table), "u4"), np.zeros((len(table), 2))
    assert extension.take_counts(block, *given, tokens, counts, later) == (3000, 1500)
    assert (here[:1500].tolist(), rows[:1500].tolist()) == ([*range(0, 3000, 2)], expected[::2].tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docnos, "extension", None)
        assert Docnos.collect(several[::2]).rows(asked).tolist() == table.rows(asked).tolist()


@pytest.mark.parametrize("seed", range(8))
def test_of_documents_that_want_one_slot_the_one_that_stands_twice_is_found(seed):
    draw = np.random.default_rng(seed)
    several = colliding.list_bytes(400, twice=True)
    parts = [draw.permutation(several)[: draw.integers(400)] for _ in range(4)]
    parts[2] = draw.permutation(np.append(parts[2], parts[2][: seed % 4]))
    starts = np.cumsum([0, *map(len, parts)])
    found = run.find_repeat(starts, np.concatenate(parts))
    assert found == run._find_repeat_plain(starts, np.concatenate(parts))
    assert (found is None) == (len(parts[2]) == len({*parts[2].tolist()}))


SMALL_STACK = """
import sys, threading
from fairtrec.support.compiled import extension
from fairtrec.formats import spans
import numpy as np
threading.stack_size(int(sys.argv[1]) << 10)
many = int(sys.argv[2])
outs = [np.zeros(2, "i8") for _ in range(many)]
def read():
    print(extension.lines(b"\\n".join([b" ".join([b"7"] * many)] * 2), b"i" * many, tuple(outs), spans.FIVES)[0])
thread = threading.Thread(target=read)
thread.start()
thread.join()
assert all(out.tolist() == [7, 7] for out in outs)
"""


@pytest.mark.parametrize("columns", [1, 16, 17, 1024])
@pytest.mark.parametrize("kib", [64, 128, 192])
def test_a_thread_with_a_small_stack_reads_lines(kib, columns):
    command = [sys.executable, "-c", SMALL_STACK, str(kib), str(columns)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


UNFIT = {
    "lists beyond their docnos": lambda: extension.find_twice(b"abcd", 1, np.array([0, 5]), np.zeros(16, "i4")),
    "lists that fall": lambda: extension.find_twice(b"abcd", 1, np.array([0, 4, 2]), np.zeros(16, "i4")),
    "a table too small for a list": lambda: extension.find_twice(b"abcd", 1, np.array([0, 4]), np.zeros(4, "i4")),
    "a hash table without a free slot": lambda: extension.lay_out(np.zeros(2, "u8"), np.zeros(2, "i4")),
    "a hash table of no power of two": lambda: extension.lay_out(np.zeros(1, "u8"), np.zeros(3, "i4")),
    "a filter to fill of no power of two": lambda: extension.fill_filter(np.zeros(1, "u8"), np.zeros(3, "u1")),
    "counts of rows beyond the table": lambda: take_counts(counts=np.zeros((2, 2))),
    "tokens of rows beyond the table": lambda: take_counts(tokens=np.zeros(2, "u4")),
    "counts of no group": lambda: take_counts(places=np.zeros(0, "i8"), counts=np.zeros((1, 0))),
    "counts in places that there are not": lambda: take_counts(places=np.array([0, 2])),
    "names of another width than their keys": lambda: take_counts(width=7),
    "counts without room for those to come": lambda: take_counts(later=np.zeros((3, 3), "i8")),
    "rankings without as much room": lambda: keep_tops(scores=np.zeros(0)),
    "ids of other width": lambda: keep_tops(width=16),
    "no documents to keep": lambda: keep_tops(depth=0),
    "powers of another table, for scores": lambda: keep_tops(powers=b"1234"),
    "less room than lines": lambda: extension.line_edges(b"a\nb\nc", *np.zeros((3, 2), "i8")),
    "columns without arrays": lambda: extension.lines(b"a\n", b"t", (), spans.FIVES),
    "an array that may not be written to": lambda: extension.lines(b"1\n", b"f", (b"12345678",), spans.FIVES),
    "numbers of other width": lambda: extension.lines(b"1\n", b"f", (np.zeros(1, "f4"),), spans.FIVES),
    "powers of another table": lambda: extension.lines(b"1\n", b"f", (np.zeros(1),), b"1234"),
    "too many columns": lambda: extension.lines(b"1\n", b"s" * 1025, (), spans.FIVES),
    "slots that are no power of two": lambda: extension.find(
        b"d", 1, None, b"d", 1, np.zeros(1, "u8"), np.zeros(3, "i4"), np.zeros(1, "i8")
    ),
    "lines that a column does not have": lambda: Docnos.collect(np.array([b"d"])).rows(np.array([b"d"]), np.array([1])),
    "as many lines as rows, of another shape": lambda: extension.find(
        b"d", 1, np.zeros(2, "i8"), b"d", 1, np.zeros(1, "u8"), np.zeros(2, "i4"), np.zeros(1, "i8")
    ),
    "costs of other numbers than their ends": lambda: extension.add_costs(np.zeros(5), np.zeros((2, 2)), 0, 1),
    "costs without ends": lambda: extension.add_costs(np.zeros(0), np.zeros(0), 0, 1),
    "costs behind less than no rank": lambda: extension.add_costs(np.zeros(2), np.zeros((2, 2)), -1, 1),
    "the spread of no lists": lambda: extension.most_spread(np.zeros(0), np.zeros(1), np.zeros(0), np.zeros(70)),
    "stances that are not of so many lists": lambda: extension.most_spread(*np.zeros((2, 5)), np.zeros(2), np.zeros(70)),
    "ends of another number": lambda: extension.least_spread(*np.zeros((2, 5)), np.zeros(3), np.zeros(70)),
    "more weights than stances": lambda: extension.least_spread(np.zeros(5), np.zeros(6), np.zeros(2), np.zeros(70)),
    "no weights": lambda: extension.most_spread(np.zeros(5), np.zeros(0), np.zeros(1), np.zeros(70)),
    "too little room for sums": lambda: extension.most_spread(*np.zeros((2, 5)), np.zeros(1), np.zeros(6 * extension.SPREAD_ROWS - 1)),
    "keys without as much room": lambda: extension.sort_keys(np.zeros(2, "u8"), np.zeros(1, "u8")),
    "a filter of no power of two": lambda: take_counts(bits=bytes(3)),
    "no filter": lambda: take_counts(bits=b""),
    "documents beyond the text": lambda: extension.tokens(
        b"she", np.array([0]), np.array([4]), bytes(0x110000), bytes(8), 58, False, True, np.zeros(1, "i8"), np.zeros(6, "i8")
    ),
    "a bitmap of other size": lambda: extension.tokens(
        b"she", np.array([0]), np.array([3]), bytes(0x110000), bytes(7), 58, False, True, np.zeros(1, "i8"), np.zeros(6, "i8")
    ),
    "kinds in too many runs": lambda: extension.tokens(
        b"she", np.array([0]), np.array([3]), bytes([0, 1] * 0x88000), bytes(8), 58, False, True, np.zeros(1, "i8"), np.zeros(6, "i8")
    ),
}  # fmt: skip


def take_counts(places=None, tokens=None, counts=None, later=None, bits=None, width=8):
    """Look up the one document that there is in one line."""
    wanted = Docnos.collect(np.array([b"d"]))
    places = np.arange(2) if places is None else places
    bits = wanted.filter if bits is None else bits
    given = None, width, wanted.keys, wanted.slots[0], bits, places, np.zeros(1, "i8"), np.zeros(1, "i8")
    tokens = np.zeros(1, "u4") if tokens is None else tokens
    counts = np.zeros((1, 2)) if counts is None else counts
    later = np.zeros((extension.LATER, 3), "i8") if later is None else later
    return extension.take_counts(b"d 1 2 3", *given, tokens, counts, later)


def keep_tops(depth=1, width=8, scores=None, powers=spans.FIVES):
    """Keep the one line that there is."""
    ids, scores = np.zeros((2, 1), "S8").view("u1"), np.zeros(1) if scores is None else scores
    outs = ids[0], np.zeros(1, "i8"), ids[1], scores, np.zeros(4, "i4")
    return extension.tops(b"q Q0 d 1 1 t", powers, depth, width, *outs)


def test_a_ranking_for_which_there_is_no_room_is_left():
    ids, outs = np.zeros((2, 9), "S8").view("u1").reshape(2, -1), (np.zeros(9, "i8"), np.zeros(9))
    block = b"".join(b"q Q0 d%d 1 1 t\n" % i for i in range(9))
    for slots, rows in ((32, 9), (16, -2), (1, -2), (0, -2), (35, 9), (64, 9)):
        every = np.zeros(64, "i4")
        given = ids[0], outs[0], ids[1], outs[1], every[:slots]
        assert extension.tops(block, spans.FIVES, 3, 8, *given)[0] == rows
        assert not every[slots:].any()
    few = ids[0, :64], outs[0][:8], ids[1, :64], outs[1][:8], np.zeros(32, "i4")
    assert extension.tops(block, spans.FIVES, 3, 8, *few)[0] == -2


@pytest.mark.parametrize("what", UNFIT)
def test_what_does_not_fit_is_refused_before_anything_is_written(what):
    with pytest.raises((ValueError, IndexError, BufferError, TypeError)):
        UNFIT[what]()


def test_columns_that_are_full_are_left_alone():
    assert extension.lines(b"a\nb\n", b"t", (np.zeros(1, "S8"),), spans.FIVES)[0] == -2
    assert extension.lines(b"123456789\n", b"t", (np.zeros(1, "S8"),), spans.FIVES)[:2] == (-3, 9)


@pytest.mark.long
def test_the_same_bytes_come_without_what_is_compiled():
    given = ["neural.run", "-m", "nDCG@10 NFaiRR@10 AWRF@10 TExFAIR@10", "-q", "--terms", "gender-en"]
    command = [sys.executable, "-m", "fairtrec", "eval", "qrels.txt", *given, "--docs", "collection.tsv"]
    command += ["--background", "bm25.run"]
    said = [
        subprocess.run(
            command, cwd=EXAMPLE, capture_output=True, check=True, env=os.environ | {"FAIRTREC_PLAIN": plain}
        )
        for plain in ("", "1")
    ]
    assert said[0].stdout == said[1].stdout
    assert said[0].stderr == said[1].stderr


@pytest.mark.parametrize("form", [compiled.FORM, compiled.FORM - 1, None])
def test_what_was_built_from_an_older_source_is_left_out(form, monkeypatch):
    built = ModuleType("extension")
    if form is not None:
        built.FORM = form
    monkeypatch.setitem(sys.modules, "fairtrec.support.compiled.extension", built)
    spec = importlib.util.spec_from_file_location("again", compiled.__file__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again.extension is (built if form == compiled.FORM else None)


@pytest.mark.fuzz
@pytest.mark.skipif("FAIRTREC_FUZZ" not in os.environ, reason="takes some seconds to build; make fuzz")
@pytest.mark.parametrize("kind", sanitized.KINDS)
def test_no_corrupted_file_makes_the_compiled_loops_look_beside_their_memory(kind, tmp_path):
    done = sanitized.run(kind, int(os.environ["FAIRTREC_FUZZ"]), tmp_path)
    if done is None:
        pytest.skip("needs gcc with AddressSanitizer and UndefinedBehaviorSanitizer")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "runtime error" not in done.stderr


def test_a_line_that_no_reader_takes_is_told_with_its_number(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1_0 t\n")
    layout = columns.Layout(
        "run", {"qid": "blocks", "Q0": "skip", "docno": "text", "rank": "skip", "score": "float"} | {"tag": "first"}
    )
    with pytest.raises(InputError, match=r"a\.run:2: the score '1_0' is not a finite number"):
        columns.read(tmp_path / "a.run", layout)

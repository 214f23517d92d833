"""A column of numbers is read at once as Python reads each of them, to the last bit."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairtrec.formats import spans
from fairtrec.formats.spans import pack_words

PLAIN = st.from_regex(r"[+-]?(\d{1,12}\.?\d{0,12}|\.\d{1,24})", fullmatch=True, alphabet="+-.0123456789")
FLOATS = st.one_of(
    PLAIN, st.floats(allow_nan=False, allow_infinity=False).map(repr), st.floats(-9, 9, width=32).map(repr)
)


def read(cells, *, whole=False):
    text = " ".join(cells).encode() + bytes(8)
    lengths = np.array([len(cell.encode()) for cell in cells], dtype=np.int64)
    ends = np.cumsum(lengths + 1) - 1
    words = pack_words(np.frombuffer(text, np.uint8), ends - lengths, ends, spans.WORDS)
    return spans.decimals(text, ends - lengths, ends, words, whole=whole)


@given(st.lists(st.integers(0, 90), max_size=30))
def test_words_are_the_texts_filled_up_with_zeros(lengths):
    texts = [bytes(range(1, length + 1)) for length in lengths]
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - np.array(lengths, dtype=np.int64)
    words = pack_words(np.frombuffer(b"".join(texts) + bytes(8), np.uint8), starts, ends, 12)
    assert [row.tobytes() for row in words] == [text.ljust(96, b"\0") for text in texts]


@given(st.lists(FLOATS, max_size=30))
@example(["9007199254740991", "9007199254740992", "9007199254740993", "90071992547409.93", "-9007199254740993"])
@example(["0.1234567890123456", ".0000000000000000000001", ".00000000000000000000001", "123456789012345678901234567.5"])
@example(["-0", "+0", "-.0", "5.", "+.5", "007", "1e3", "-1E-400", "0000000000000000000000000000000001.5"])
def test_floats_are_those_of_python(cells):
    assert read(cells).tobytes() == np.array(list(map(float, cells)), dtype=np.float64).tobytes()


@given(st.lists(st.integers(-(2**63), 2**63 - 1).map(str) | st.integers(-99, 99).map("{:+04}".format), max_size=30))
def test_whole_numbers_are_those_of_python(cells):
    found = read(cells, whole=True)
    assert found.dtype == np.int64
    assert found.tolist() == list(map(int, cells))


@pytest.mark.parametrize(
    "bad", ["", "-", ".", "1.2.3", "--1", "1-", "1_0", "nan", "inf", "-inf", "1e999", "0x1", "1,5", "٣"]
)
def test_what_is_no_number_is_refused(bad):
    with pytest.raises((ValueError, OverflowError)):
        read(["1", bad, "2"])


@pytest.mark.parametrize("bad", ["1.", "1.0", "1e3", "9223372036854775808", "-"])
def test_what_is_no_whole_number_is_refused(bad):
    with pytest.raises((ValueError, OverflowError)):
        read(["1", bad, "2"], whole=True)

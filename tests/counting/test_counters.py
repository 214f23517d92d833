"""The three ways of counting agree: the definition, the kernel in numpy, and the compiled scan."""

import csv
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairtrec.counting.compiled import Compiled, fastest
from fairtrec.counting.counter import TOKENIZERS, Lexicon
from fairtrec.counting.kernel import BLANK, INNER, LETTERS, POINTS, WHITE, Kernel, capitals, character_kinds
from fairtrec.counting.lookup import join_texts
from fairtrec.data import GroupTerms
from fairtrec.formats import tsv
from fairtrec.support.compiled import extension
from fairtrec_made import REPOSITORY

GREP = Path(os.environ.get("FAIRTREC_SHARED", REPOSITORY.parent / "shared")) / "data" / "grepbiasir"

is_built = pytest.mark.skipif(extension is None, reason="this package was built without a compiler")
COUNTERS = [pytest.param(Kernel, id="numpy"), pytest.param(Compiled, id="compiled", marks=is_built)]
counters = pytest.mark.parametrize("counter", COUNTERS)
tokenizers = pytest.mark.parametrize("tokenizer", TOKENIZERS)

TERMS = GroupTerms(
    "nasty",
    {
        "a": ("he", "she", "he she", "grandmother", "grandmothers", "Mother-in-law", "l’homme", "ä", "12345678"),
        "b": ("her", "he", "a b a b", "a b a", "a", "grandfather", "ΟΔΟΣ", "οδος", "it's", "stepmother in law", "..a"),
        "c": ("İstanbul", "king", "maße", "he_she", "123456789", "chairpersonwomanships", "she he he", "女", "é"),
        "d": ("e\u0301", "ǆ", "a.b", "1234567\0", "1234567", "х", "chairpersonwomanshipt"),
    },
)
PLAIN = GroupTerms(
    "plain", {"a": ("he", "king", "i", "a b"), "b": ("her", "k", "he she", "kingssssssssssssss")}
)  # ASCII
NASTY = {
    "NBSP": "\u00a0",
    "next line": "\u0085",
    "line separator": "\u2028",
    "ideographic space": "\u3000",
    "capital I with dot": "İ",
    "dotless i": "ı",
    "long s": "ſ",
    "Kelvin": "\u212a",
    "combining acute": "\u0301",
    "combining dot": "\u0307",
    "mojibake": "Ã¢â‚¬â„¢",
    "replacement": "\ufffd",
    "NUL": "\0",
    "CR": "\r",
    "LF": "\n",
    "tab": "\t",
    "vertical tab": "\v",
    "form feed": "\f",
    "file separator": "\x1c",
    "group separator": "\x1d",
    "record separator": "\x1e",
    "unit separator": "\x1f",
    "delete": "\x7f",
    "C1 control": "\x80",
    "underscore": "_",
    "hyphen": "-",
    "soft hyphen": "\u00ad",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "byte-order mark": "\ufeff",
    "curly quote": "’",
    "capital sigma": "Σ",
    "sharp s": "ẞ",
    "ligature": "ﬁ",
    "superscript": "²",
    "fraction": "½",
    "Roman numeral": "Ⅷ",
    "Arabic digit": "٣",
    "Chinese": "女",
    "emoji": "👩‍👧",
    "Deseret capital": "𐐀",
    "highest": "\U0010ffff",
    "blank": " ",
    "two blanks": "  ",
}
LISTED = [term for terms in TERMS.terms.values() for term in terms]
PIECES = [*LISTED, *map(str.upper, LISTED), *(term[:-1] for term in LISTED), *NASTY.values(), *" \n.,'a", "Σ "]
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from([" ", " ", ". "]), st.text(max_size=3)), max_size=16
).map("".join)


def by_definition(lexicon, texts):
    tokens = np.zeros(len(texts), dtype=np.int64)
    counts = np.zeros((len(texts), len(lexicon.groups)), dtype=np.int64)
    for row, text in enumerate(texts):
        words = lexicon.tokens(text)
        tokens[row] = len(words)
        for (_, numbers), times in lexicon.occurrences(words).items():
            counts[row, list(numbers)] += times
    return tokens.tolist(), counts.tolist()


def by(counter, texts):
    """Count; what is compiled also with so much behind the last text that all of them are read many bytes at a time."""
    block, *edges = join_texts([text.encode() for text in texts])
    tokens, counts = counter.count(block, *edges)
    assert tokens.dtype == counts.dtype == np.int64
    if isinstance(counter, Compiled):
        again = counter.count(block + b" she" * 18, *edges)
        assert (tokens.tolist(), counts.tolist()) == tuple(each.tolist() for each in again)
    return tokens.tolist(), counts.tolist()


@pytest.fixture(scope="module")
def made():
    """Counters for every tokenizer, with and without case."""
    kinds = [Kernel] if extension is None else [Kernel, Compiled]
    lexicons = [
        Lexicon.from_terms(terms, name, case_sensitive=case)
        for terms in (TERMS, PLAIN)
        for name in TOKENIZERS
        for case in (False, True)
    ]
    return {kind: [(lexicon, kind(lexicon)) for lexicon in lexicons] for kind in kinds}


@counters
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(batch=st.lists(texts, max_size=6), size=st.sampled_from([1, 7, 30, 1 << 19]))
def test_random_texts(made, counter, batch, size):
    for lexicon, one in made[counter]:
        one.batch = size
        assert by(one, batch) == by_definition(lexicon, batch), (lexicon.tokenizer, lexicon.case_sensitive)
        one.batch = Kernel.batch


@counters
@tokenizers
@given(
    listed=st.lists(st.lists(st.text("aAbé-_ .Σ", max_size=20).filter(str.strip), max_size=5), min_size=1, max_size=3),
    text=st.text("aAbé-_ .Σ\n", max_size=60),
    case=st.booleans(),
)
def test_random_terms(counter, tokenizer, listed, text, case):
    found = TOKENIZERS[tokenizer]
    terms = {
        str(i): tuple(term for term in some if found(term.lower()) and found(term)) for i, some in enumerate(listed)
    }
    lexicon = Lexicon.from_terms(GroupTerms("random", terms), tokenizer, case_sensitive=case)
    batch = [text, "", *(f"{term} {text} {term.upper()}" for some in terms.values() for term in some)]
    assert by(counter(lexicon), batch) == by_definition(lexicon, batch)


@counters
@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_each_nasty_character(made, counter, nasty):
    """Alone, inside, before, behind and between terms, and with plain neighbors on both sides."""
    batch = ["", "he", nasty, nasty * 3, ""]
    for term in ("he", "she he", "grandmother", "ΟΔΟΣ", "chairpersonwomanships", "12345678"):
        batch += [
            nasty + term,
            term + nasty,
            f"{term}{nasty}{term}",
            f" {nasty} {term} {nasty} ",
            f"({nasty}{term}{nasty})",
        ]
        batch += [term[:1] + nasty + term[1:], f"She{nasty}he, {nasty}her", term]
    for lexicon, one in made[counter]:
        assert by(one, batch) == by_definition(lexicon, batch), (lexicon.tokenizer, lexicon.case_sensitive)


def test_no_letter_and_no_white_space_stands_beyond_those_that_are_looked_at():
    every = np.arange(POINTS, dtype=np.uint32).view("U1")
    assert not np.strings.isalnum(every[LETTERS:]).any()
    assert not np.strings.isspace(every[WHITE:]).any()


def test_the_capitals():
    assert capitals().tolist() == [c != c.lower() for c in map(chr, range(sys.maxunicode + 1))]


@pytest.mark.slow
@tokenizers
def test_the_kind_of_every_character(tokenizer):
    kinds = character_kinds(tokenizer)
    tokens = TOKENIZERS[tokenizer]
    every = list(map(chr, range(sys.maxunicode + 1)))
    inner = set(tokens(" ".join(every))) - {""}
    assert inner == {every[point] for point in np.flatnonzero(kinds == INNER)}
    blank = {every[point] for point in np.flatnonzero(kinds == BLANK)}
    assert blank <= {every[point] for point in np.flatnonzero(kinds != INNER)}
    assert all(len(tokens(f"a{character}b")) == 2 for character in blank)
    assert len(tokens("a".join(["", *sorted(blank.union(every) - inner), ""]))) == 1 + len(blank)


@counters
@tokenizers
def test_one_long_token(counter, tokenizer):
    lexicon = Lexicon.from_terms(TERMS, tokenizer)
    one = counter(lexicon)
    batch = [
        "he " + "grandmother" * 50_000 + " he",
        "é" * 125_000,
        "-" * 250_000 + "he",
        "a b " * 25_000,
        "x" * 600_000,
    ]
    batch += ["she", "a.b!!!" * 12_500, "女　" * 25_000]
    assert by(one, batch) == by_definition(lexicon, batch)


@counters
@tokenizers
def test_a_term_is_found_wherever_it_stands_in_a_long_text(counter, tokenizer):
    lexicon = Lexicon.from_terms(TERMS, tokenizer)
    ways = ["{} ", " {}\n", ".{}. ", "--{}... ", "{},{}  ", "{} - {}", "é {} "]
    batch = ["x" * n + way.format(term, term) + "y " * 40 for n in range(66) for term in ("he", "King") for way in ways]
    assert by(counter(lexicon), batch) == by_definition(lexicon, batch)


@counters
def test_phrases_do_not_reach_into_the_next_document(made, counter):
    batch = ["she", "he he", "a", "b", "a b a", "b", "a b a b a b a", "she he he he she he he"]
    for lexicon, one in made[counter]:
        assert by(one, batch) == by_definition(lexicon, batch)
    lexicon, one = made[counter][0]
    assert by(one, ["a b", "a"])[1] == [[0, 1, 0, 0], [0, 1, 0, 0]]


@counters
@pytest.mark.parametrize("between", ["é", "à", "女", "é女", "a", "-", "\0", "a b", "\nhe\t"])
def test_anything_may_stand_between_the_texts_and_behind_them(made, counter, between):
    block = between.join(["he", "she", "", "her é", "a", "b", "she"]).encode()
    gap = len(between.encode())
    ends = np.cumsum([2, 3 + gap, gap, 6 + gap, 1 + gap, 1 + gap])
    starts = np.concatenate(([0], ends[:-1] + gap))
    for lexicon, one in made[counter]:
        tokens, counts = one.count(block, starts, ends)
        assert (tokens.tolist(), counts.tolist()) == by_definition(lexicon, ["he", "she", "", "her é", "a", "b"])


@counters
def test_texts_that_touch_overlap_or_go_back(made, counter):
    block = "she he hé her".encode()
    starts, ends = np.array([0, 3, 8, 0, 4, 4]), np.array([3, 6, 11, len(block), 4, 6])
    texts = [block[start:end].decode() for start, end in zip(starts, ends, strict=True)]
    for lexicon, one in made[counter]:
        tokens, counts = one.count(block, starts, ends)
        assert (tokens.tolist(), counts.tolist()) == by_definition(lexicon, texts)
        tokens, counts = one.count(b"hershe", np.array([0, 2, 3, 3]), np.array([2, 3, 3, 6]))
        assert (tokens.tolist(), counts.tolist()) == by_definition(lexicon, ["he", "r", "", "she"])


@counters
@tokenizers
@pytest.mark.parametrize(
    "term", ["a", "it", "1234567", "12345678", "123456789", "abcdefghijklmnop", "abcdefghijklmnopqrst"]
)
def test_near_matches(counter, tokenizer, term):
    """Every token that differs from a term in one character, or in NULs behind it."""
    places = range(len(term))
    near = [term + "\0" * n for n in range(9)] + [
        term[:i] + other + term[i + 1 :] for i in places for other in ("x", "", "é")
    ]
    lexicon = Lexicon.from_terms(GroupTerms("one", {"a": (term,), "b": ()}), tokenizer)
    batch = [term, *near, " ".join(near)]
    assert by(counter(lexicon), batch) == by_definition(lexicon, batch)


@counters
def test_no_document_and_no_term(made, counter):
    lexicon, one = made[counter][0]
    assert [part.shape for part in one.count(b"", *np.zeros((2, 0), dtype=np.int64))] == [(0,), (0, 4)]
    lexicon = Lexicon.from_terms(GroupTerms("none", {"a": (), "b": ()}))
    assert by(counter(lexicon), ["she said", ""]) == ([2, 0], [[0, 0], [0, 0]])


@counters
def test_terms_that_hold_empty_tokens(counter):
    lexicon = Lexicon.from_terms(GroupTerms("blanks", {"a": ("", "a  b"), "b": (" ", "a")}), "space")
    batch = ["", " ", "a  b", "a b", "  a  b  "]
    assert by(counter(lexicon), batch) == by_definition(lexicon, batch)


@counters
def test_many_terms_in_many_groups(counter):
    random = np.random.default_rng(1)
    letters = np.array([*"abcde"])[random.integers(5, size=60_000)].tolist()
    words = [
        "".join(letters[at : at + size])
        for at, size in zip(range(0, 60_000, 20), random.integers(1, 20, 3000), strict=True)
    ]
    terms = {f"g{i}": tuple(random.choice(words, size=600).tolist()) for i in range(10)}
    lexicon = Lexicon.from_terms(GroupTerms("many", terms))
    batch = [" ".join(random.choice(words, size=size)) for size in random.integers(0, 80, size=200)]
    assert by(counter(lexicon), batch) == by_definition(lexicon, batch)


@pytest.mark.skipif(not GREP.is_dir(), reason=f"the documents of GrepBiasIR are not in {GREP}")
@counters
@tokenizers
def test_grepbiasir(counter, tokenizer):
    batch = []
    for path in sorted(GREP.glob("queries-documents_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            batch += [f"{row['doc_title']} {row['document']}" for row in csv.DictReader(file)]
    assert len(batch) == 702
    lexicon = Lexicon.from_terms(tsv.terms(REPOSITORY / "resources" / "wordlists" / "gender-en.csv"), tokenizer)
    tokens, counts = expected = by_definition(lexicon, batch)
    assert sum(tokens) > 20_000
    assert np.min(np.sum(counts, axis=0)) > 0
    assert by(counter(lexicon), batch) == expected


def test_the_fastest_is_the_compiled_one_where_there_is_one(monkeypatch):
    lexicon = Lexicon.from_terms(TERMS)
    assert fastest(lexicon).name == ("numpy" if extension is None else "compiled")
    monkeypatch.setattr("fairtrec.counting.compiled.extension", None)
    assert fastest(lexicon).name == "numpy"
    with pytest.raises(ImportError):
        Compiled(lexicon)


@is_built
def test_more_tokens_of_terms_than_there_is_room_for_are_counted(monkeypatch):
    monkeypatch.setattr("fairtrec.counting.compiled.ROOM", 3)
    several = ["he she " * 40, "nobody", "her he", "", "a b a b " * 9]
    for case in (False, True):
        lexicon = Lexicon.from_terms(TERMS, case_sensitive=case)
        assert by(Compiled(lexicon), several) == by_definition(lexicon, several)


@counters
@tokenizers
def test_every_capital_beyond_ascii_is_lower_cased_where_that_matters(counter, tokenizer):
    lexicon = Lexicon.from_terms(PLAIN, tokenizer)
    every = [chr(point) for point in np.flatnonzero(capitals()).tolist() if point >= 0x80]
    batch = [f"{c} {c}he he{c} {c}{c} .{c}. K{c}k king{c}\u0307" for c in every]
    assert by(counter(lexicon), batch) == by_definition(lexicon, batch)

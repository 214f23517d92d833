"""The definition of the counts, against texts counted by hand."""

import csv
import math

import numpy as np
import pytest

from fairtrec.counting import counter, kernel, text_blocks
from fairtrec.counting.counter import Lexicon, count_texts
from fairtrec.data import Docnos, GroupTerms
from fairtrec.formats import tsv
from fairtrec.support.errors import InputError

GENDER = GroupTerms("list", {"m": ("he", "man", "king"), "f": ("she", "woman", "queen mother")})


def counted(text, terms=GENDER, tokenizer="strip", **options):
    """Tokens, and the counts of each group in alphabetical order."""
    lexicon = Lexicon.from_terms(terms, tokenizer, **options)
    got = count_texts([(0, text)], Docnos.collect(np.array([b"d"])), lexicon)
    assert got.known.all()
    return int(got.tokens[0]), *got.counts[0].tolist()


@pytest.mark.parametrize(
    ("text", "strip", "space", "word"),
    [
        ("", [], [""], []),
        ("   ", [], ["", "", "", ""], []),
        ("He said: 'she'!", ["He", "said", "she"], ["He", "said:", "'she'!"], ["He", "said", "she"]),
        ("don't stop", ["don't", "stop"], ["don't", "stop"], ["don", "t", "stop"]),
        ("a  b", ["a", "b"], ["a", "", "b"], ["a", "b"]),
        ("a\tb\nc", ["a", "b", "c"], ["a\tb\nc"], ["a", "b", "c"]),
        ("-- ... 'n' --", ["n"], ["--", "...", "'n'", "--"], ["n"]),
        ("_she_ x_y", ["she", "x_y"], ["_she_", "x_y"], ["_she_", "x_y"]),
        ("he/she (she-wolf)", ["he/she", "she-wolf"], ["he/she", "(she-wolf)"], ["he", "she", "she", "wolf"]),
        ("„Königin“ — été…", ["Königin", "été"], ["„Königin“", "—", "été…"], ["Königin", "été"]),
        ("a\u00a0b\u2003c", ["a", "b", "c"], ["a\u00a0b\u2003c"], ["a", "b", "c"]),
        ("1,000 ½ 3.5%", ["1,000", "½", "3.5"], ["1,000", "½", "3.5%"], ["1", "000", "½", "3", "5"]),
    ],
)
def test_tokenizers(text, strip, space, word):
    assert counter.strip(text) == strip
    assert counter.space(text) == space
    assert counter.word(text) == word
    assert set(counter.TOKENIZERS) == {"strip", "space", "word"}


@pytest.mark.parametrize(
    ("text", "tokenizer", "expected"),
    [  # tokens, f, m
        ("", "strip", (0, 0, 0)),
        ("", "space", (1, 0, 0)),
        ("He met the man; the man met her.", "strip", (8, 0, 3)),
        ("He met the man; the man met her.", "space", (8, 0, 2)),  # "man;" is another token
        ("he/she", "strip", (1, 0, 0)),
        ("he/she", "word", (2, 1, 1)),
        ("The queen mother saw the queen; mother smiled.", "strip", (8, 2, 0)),  # the semicolon is stripped
        ("The queen mother saw the queen; mother smiled.", "space", (8, 1, 0)),
        ("queen  mother", "strip", (2, 1, 0)),
        ("queen  mother", "space", (3, 0, 0)),  # an empty token stands between
        ("queen queen mother mother", "strip", (4, 1, 0)),
        ("mother queen", "strip", (2, 0, 0)),
        ("the queen", "strip", (2, 0, 0)),
        ("hehe heman", "strip", (2, 0, 0)),
        ("SHE Woman kING", "strip", (3, 2, 1)),
    ],
)
def test_hand_counted_texts(text, tokenizer, expected):
    assert counted(text, tokenizer=tokenizer) == expected


def test_case():
    names = GroupTerms("names", {"f": ("Joy", "she"), "m": ("Hunter", "he")})
    text = "She felt joy; Joy and Hunter met a hunter. HE said he would."
    assert counted(text, names) == (13, 3, 4)
    assert counted(text, names, case_sensitive=True) == (13, 1, 2)


def test_phrases_overlap_and_share_words():
    terms = GroupTerms("list", {"a": ("x x", "x"), "b": ("x y", "y z x")})
    # x x x y z x: "x x" at 0 and 1, "x" four times; "x y" at 2, "y z x" at 3
    assert counted("x x x y z x", terms) == (6, 2 + 4, 2)


def test_a_term_of_two_groups_counts_for_both_and_is_told():
    terms = GroupTerms("list", {"f": ("sibling", "she"), "m": ("Sibling", "he", "full sibling")})
    assert counted("A sibling: she, the full sibling.", terms) == (6, 3, 3)
    assert Lexicon.from_terms(terms).shared_terms == ("sibling",)
    assert Lexicon.from_terms(terms, case_sensitive=True).shared_terms == ()


def test_a_term_that_stands_twice_in_a_group_counts_once():
    assert counted("he", GroupTerms("list", {"m": ("he", "HE", "he."), "f": ("she",)})) == (1, 0, 1)


@pytest.mark.parametrize("tokenizer", ["strip", "word"])
def test_a_term_without_a_token_is_refused(tokenizer):
    terms = GroupTerms("my-list", {"a": ("--",), "b": ("b",)})
    with pytest.raises(InputError, match=r"my-list: the tokenizer .* finds no token in the term '--'; remove"):
        Lexicon.from_terms(terms, tokenizer)
    assert counted("-- b", terms, "space") == (2, 1, 1)


def test_sums_of_logarithms_are_over_terms():
    lexicon = Lexicon.from_terms(GENDER)
    text = "he he he man man king queen mother queen mother she"
    got = count_texts([(0, text)], Docnos.collect(np.array([b"d"])), lexicon)
    assert got.groups == ("f", "m")
    assert got.log_counts[0] == pytest.approx([math.log(2), math.log(3) + math.log(2)])


def test_documents_without_a_text_are_not_known():
    docnos = Docnos.collect(np.array([b"a", b"b"]))
    got = count_texts([(int(docnos.rows(np.array([b"b"]))[0]), "")], docnos, Lexicon.from_terms(GENDER))
    assert got.known.tolist() == [False, True]
    assert got.tokens.tolist() == [0, 0]


def grep_bias_documents(shared):
    for path in sorted((shared / "data/grepbiasir").glob("queries-documents_*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                yield f"{row['doc_title']} {row['document']}", row["content_gender"].strip()


def test_counts_agree_with_the_labels_of_grep_bias_ir(shared):
    terms = tsv.terms(shared / "data/cpjku/resources/wordlist_gender_representative.txt")
    assert {group: len(words) for group, words in terms.terms.items()} == {"f": 163, "m": 163}
    documents = list(grep_bias_documents(shared))
    assert len(documents) == 702
    docnos = Docnos.collect(np.array([b"%03d" % i for i in range(len(documents))]))
    got = count_texts(enumerate(text for text, _ in documents), docnos, Lexicon.from_terms(terms))
    female, male = got.counts.T
    told = np.where(female > male, "F", np.where(male > female, "M", "N"))
    right = told == np.array([label for _, label in documents])
    assert right.mean() >= 0.84


@pytest.mark.usefixtures("few_files")
def test_a_docno_may_begin_with_a_blank():
    texts = text_blocks.read_tsv_lines(b" d1\tshe\n  \nd2 she\n", 100)
    assert texts.lines.tolist() == [1]
    assert [(line, what.partition(";")[0]) for line, what in texts.faults] == [
        (3, "this line has no tab after the docno")
    ]


@pytest.mark.usefixtures("few_files")
def test_documents_in_memory_are_checked_as_those_of_files():
    texts = text_blocks.read_pairs([("d1", "she"), (" ", "he"), ("d3", "x" * 101)], 100)
    assert texts.lines.tolist() == [1]
    assert [what for _, what in texts.faults] == [
        "an empty docno; write one",
        "a document of more than 100 bytes; break it up, or raise --max-doc-bytes",
    ]


@pytest.mark.usefixtures("few_files")
@pytest.mark.parametrize("text", ["." * 50, "she" + "." * 50 + " he", "." * 50 + "she he"])
def test_signs_without_end_change_no_count(monkeypatch, text):
    monkeypatch.setattr(kernel, "PIECE", 8)
    lexicon = Lexicon.from_terms(GroupTerms("", {"f": ("she",), "m": ("he",)}))
    both = [
        counter.count_texts([(0, each)], Docnos.collect(np.array([b"d"])), lexicon)
        for each in (text, kernel.shortened(text.encode(), lexicon).decode())
    ]
    assert both[0].counts.tolist() == both[1].counts.tolist()
    assert both[0].tokens.tolist() == both[1].tokens.tolist()

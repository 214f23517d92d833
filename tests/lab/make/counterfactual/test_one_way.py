"""``counterfactual --one-way``: words on the left become those on the right or go, and words on the right stay."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairtrec
from fairtrec.counting.lookup import join_texts
from fairtrec.formats import pairs, tsv
from fairtrec.lab.make.counterfactual.text_edits import Swapper, apply_edits
from fairtrec.lab.make.counterfactual.vocabulary import Vocabulary
from fairtrec.support.errors import InputError, UsageError
from fairtrec_made import REPOSITORY

TERMS = tsv.terms(REPOSITORY / "resources" / "wordlists" / "gender-en.csv").terms
THEY = [("she", "they"), ("he", "they"), ("her", "them"), ("Mary", "Sam"), ("first lady", "the she or he")]
GONE = [("she", ""), ("he", ""), ("first lady", ""), ("Mary", "")]


def several(texts, listed, **options):
    """What becomes of texts that stand in one block."""
    words = pairs.take_pairs(listed, one_way=True)
    block, starts, ends = join_texts([text.encode() for text in texts])
    return apply_edits(block, Swapper(Vocabulary(words, **options)).edits(block, starts, ends)).decode()


def one_way(text, listed=THEY, **options):
    return several([text], listed, **options).strip("\n")


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("they said she and he saw them", "they said they and they saw them"),
        ("She, HE and she's: THEY", "They, THEY and they's: THEY"),
        ("I saw her with her book", "I saw them with them book"),  # no pronoun is told from another
        ("Mary mary MARY Sam", "Sam mary SAM Sam"),
        ("the first\u00a0lady", "the the she or he"),
        ("the The  She or he, she or he", "the The  She or he, they or they"),
        ("www.she.org she@he.org sheila", "www.she.org she@he.org sheila"),
    ],
)
def test_words_on_the_left_become_those_on_the_right_which_stay(text, new):
    assert one_way(text) == new


def test_a_name_on_the_right_stays_and_the_word_of_the_same_letters_does_not():
    listed = [("Mary", "Rose"), ("rose", "flower")]
    assert one_way("Mary Rose rose ROSE mary", listed) == "Rose Rose flower ROSE mary"
    assert one_way("mary rose", listed, ignore_case=True) == "rose rose"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("she", ""),
        ("she saw", "saw"),
        (" she saw", " saw"),
        ("she he Mary saw", "saw"),
        ("she \u2003\n saw", "saw"),
        ("x \u2003\u00a0\u0085she y", "x y"),
        ("x she he y", "x y"),
        ("x they first  lady", "x they"),
        ("(she) said, she, and \u201che\u201d", "() said,, and \u201c\u201d"),
        ("she-wolf, he's", "-wolf,'s"),
        ("é she日 é she é", "é she日 é é"),
        ("the mary", "the mary"),
        ("so she, too, left", "so, too, left"),
    ],
)
def test_a_word_goes_with_the_white_space_before_it_and_at_the_start_with_that_behind(text, new):
    assert one_way(text, GONE) == new


BLANK = st.sampled_from((" ", "  ", "\t", "\u00a0", " \u2028", "\u3000"))
WORD = st.sampled_from(("she", "He", "Mary", "saw", "é", "日本", "mary", "shed"))


@given(st.sampled_from(("", " ", "\u00a0 ")), st.lists(st.tuples(WORD, BLANK), max_size=9))
def test_words_go_as_if_the_others_were_joined_again(front, words):
    """Each word that stays keeps the white space before it; the first does not, where the text began with one that goes."""
    before = [front, *(blank for _, blank in words)]
    stay = [(blank, word) for blank, (word, _) in zip(before, words, strict=False) if word not in ("she", "He", "Mary")]
    tail = before[-1]
    if not front and words and words[0][0] in ("she", "He", "Mary"):
        if stay:
            stay[0] = ("", stay[0][1])
        else:
            tail = ""
    text = front + "".join(word + blank for word, blank in words)
    assert several([text], GONE) == several(["".join(blank + word for blank, word in stay) + tail], [("none", "")])


@given(st.lists(st.lists(WORD, max_size=6).map(" ".join), min_size=1, max_size=5))
def test_twice_is_once_and_texts_beside_each_other_are_as_alone(texts):
    for listed in (THEY, GONE):
        alone = [one_way(text, listed) for text in texts]
        assert [one_way(text, listed) for text in alone] == alone
        assert several(texts, listed) == several(alone, [("none", "")])


@pytest.mark.parametrize("partner", ["", "person"])
def test_after_a_list_is_scrubbed_none_of_its_words_is_counted(partner, tmp_path):
    every = sorted({term for terms in TERMS.values() for term in terms})
    draw = random.Random(7)
    ways = (str, str.upper, lambda word: word[:1].upper() + word[1:])
    rows = []
    for number in range(1500):
        words = [draw.choice(ways)(draw.choice([draw.choice(every), "saw", "it"])) for _ in range(9)]
        rows.append(f"d{number}\t" + draw.choice((" ", ", ", "/", " - ")).join(words))
    (tmp_path / "c.tsv").write_text("".join(f"{row}\n" for row in rows))
    scrub = [(term, partner) for term in every]
    done = fairtrec.make_counterfactual(tmp_path / "c.tsv", scrub, tmp_path / "o.tsv", jobs=1, one_way=True)
    assert done.changed > 1400
    assert done.pairs == "given one way"
    for tokenizer in ("strip", "word"):
        for name, most in (("c", 3000), ("o", 0)):
            output = tmp_path / f"{name}.{tokenizer}.tsv"
            fairtrec.make_counts(tmp_path / f"{name}.tsv", "gender-en", output, jobs=1, tokenizer=tokenizer)
            counts = [line.split("\t")[2:] for line in output.read_text().splitlines()[-1500:]]
            assert sum(int(count) for row in counts for count in row) >= most
            assert most or all({*row} == {"0"} for row in counts)


def test_a_text_may_become_empty_in_each_form(tmp_path):
    (tmp_path / "c.tsv").write_bytes(b"d1\tshe\r\nd2\tshe he\nd3\tit\n")
    done = fairtrec.make_counterfactual(tmp_path / "c.tsv", GONE, tmp_path / "o.tsv", jobs=1, one_way=True)
    assert (tmp_path / "o.tsv").read_bytes() == b"d1\t\r\nd2\t\nd3\tit\n"
    assert (done.documents, done.changed, done.words) == (3, 2, 3)
    (tmp_path / "c.jsonl").write_text('{"id": "1", "title": "She", "text": "x he\\ny"}\n')
    fairtrec.make_counterfactual(tmp_path / "c.jsonl", GONE, tmp_path / "o.jsonl", jobs=1, one_way=True)
    assert (tmp_path / "o.jsonl").read_text() == '{"id": "1", "title": "", "text": "x\\ny"}\n'


def test_what_stays_is_not_counted_as_changed(tmp_path):
    (tmp_path / "c.tsv").write_text("d1\tthey saw the she or he\nd2\tshe\n")
    done = fairtrec.make_counterfactual(tmp_path / "c.tsv", THEY, tmp_path / "o.tsv", jobs=1, one_way=True)
    assert (tmp_path / "o.tsv").read_text() == "d1\tthey saw the she or he\nd2\tthey\n"
    assert (done.changed, done.words) == (1, 1)


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        ("she,they\nhe,they\nshe,they\n", 3, "she becomes they already; remove the line"),
        ("she,he\nshe,\n", 2, "she becomes he already; remove the line"),
        ("she,\nshe,he\n", 2, "she goes already; remove the line"),
        ("she,\nshe,\n", 2, "she goes already; remove the line"),
        (",he\n", 1, "an empty word; write it as: she,he$"),
        (",\n", 1, "an empty word; write it as: she,he$"),
        ("she,-he\n", 1, "begins with neither a letter nor a digit; write it as: she,he$"),
        ("she,he\nhe,they\n", 2, "he is on the right of another pair, and on the left here"),
    ],
)
def test_a_list_that_is_none(lines, line, what, tmp_path):
    (tmp_path / "p.csv").write_text(lines)
    with pytest.raises(InputError, match=what) as fault:
        pairs.read(tmp_path / "p.csv", one_way=True)
    assert fault.value.line == line


def test_without_it_an_empty_word_is_refused_and_the_option_named():
    with pytest.raises(InputError, match="an empty word; write it as: she,he, or let it go with one_way="):
        pairs.take_pairs([("she", "")])


def test_pronouns_are_not_told_apart_and_asking_for_it_is_refused(tmp_path):
    for how in ("rule", "first"):
        with pytest.raises(UsageError, match="leave out pronouns="):
            fairtrec.make_counterfactual("none.tsv", "gender-en-pairs", tmp_path / "o.tsv", one_way=True, pronouns=how)


def command(fairtrec_command, folder, lines, *more, text="they and she"):
    (folder / "c.tsv").write_text(f"d1\t{text}\n")
    (folder / "pairs").write_text(lines)
    done = fairtrec_command("make", "counterfactual", folder / "c.tsv", "--pairs", folder / "pairs", "-o", folder / "o.tsv",
                            "-j", "1", *more)  # fmt: skip
    return done, Path(folder, "o.tsv").read_text().split("\t")[1].strip() if done.code == 0 else None


def test_a_word_that_stands_for_several_is_named_with_what_leaves_it(fairtrec_command, tmp_path):
    done, text = command(fairtrec_command, tmp_path, "she,they\nhe,they\n")
    assert text == "she and they"
    assert "# they stands for she and he, and becomes the first; --one-way leaves it\n" in done.err
    done, text = command(fairtrec_command, tmp_path, "she,they\nhe,they\n", "--one-way")
    assert text == "they and they"
    assert "stands for" not in done.err
    assert re.search(r"pairs: pairs@[0-9a-f]{8} one way, jobs: 1", done.err)
    done, _ = command(fairtrec_command, tmp_path, "a,c\nb,c\nd,f\ne,f\n")
    assert "and each becomes the first; --one-way leaves those on the right\n" in done.err
    done, _ = command(fairtrec_command, tmp_path, "a,c\na,b\n")
    assert "# a stands for c and b, and becomes the first\n" in done.err
    done, text = command(fairtrec_command, tmp_path, "she,he\nher,his\nher,him\nhers,his\n", "--one-way", text="of her")
    assert "# her stands for his and him, and becomes the first\n" in done.err
    assert text == "of his"


def test_words_of_different_groups_may_become_one_word_one_way(fairtrec_command, tmp_path):
    done, _ = command(fairtrec_command, tmp_path, "she,they\nhe,they\n", "--terms", "gender-en")
    assert done.code == 3
    assert "write a separate counterpart for each, or leave it with --one-way" in done.err
    done, text = command(fairtrec_command, tmp_path, "she,they\nhe,they\n", "--terms", "gender-en", "--one-way")
    assert text == "they and they"
    assert "# 358 of its 360 terms have no counterpart and stay" in done.err

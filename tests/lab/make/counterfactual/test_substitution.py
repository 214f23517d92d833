"""The words of a text and their counterparts: the rules one by one, against plain regular expressions, and as laws."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairtrec.counting.counter import Lexicon
from fairtrec.counting.kernel import Kernel
from fairtrec.counting.lookup import join_texts
from fairtrec.formats import pairs, tsv
from fairtrec.lab.make.counterfactual import pronouns
from fairtrec.lab.make.counterfactual.text_edits import Addresses, Swapper, apply_edits
from fairtrec.lab.make.counterfactual.vocabulary import Vocabulary, match_case
from fairtrec.support.errors import InputError
from fairtrec_made import REPOSITORY

LISTS = REPOSITORY / "resources" / "wordlists"
BUNDLED = pairs.read(LISTS / "gender-en-pairs.csv")


def swap(texts, listed=BUNDLED, how="rule", **options):
    """Texts with their words replaced, as one block."""
    several = [texts] if isinstance(texts, str) else texts
    block, starts, ends = join_texts([text.encode() for text in several])
    new = apply_edits(block, Swapper(Vocabulary(listed, **options), how).edits(block, starts, ends)).decode()
    return new if isinstance(texts, str) else [new]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("man-made", "woman-made"),
        ("he/she", "she/he"),
        ("he's boys' girl’s", "she's girls' boy’s"),
        ("men_and_women man2man Sheila manager shed", "men_and_women man2man Sheila manager shed"),
        ("mother-in-law, mother -in-law", "father-in-law, father -in-law"),
        ("mother–daughter; (she) “he”…", "father–son; (he) “she”…"),
        ("日本she語 she日 日 she 本 éshe sheé she\u0301", "日本she語 she日 日 he 本 éshe sheé he\u0301"),
        ("", ""),
        ("she", "he"),
        ("nothing of the kind", "nothing of the kind"),
        ("Yes ma’am, yes ma'am", "Yes sir, yes sir"),
        ("FIANCÉE Fiancée fiancée fiancÉe", "FIANCÉ Fiancé fiancé fiancé"),
        ("great-grandmother great-aunt great aunt", "great-grandfather great-uncle great uncle"),
    ],
)
def test_a_word_is_bounded_by_what_is_no_letter_digit_or_underscore(text, new):
    assert swap(text) == new


@pytest.mark.parametrize(
    "text",
    [
        "http://she.org/her", "(https://x.org/he?man=she#his)", "www.she.com/he", "she@men.org", "mailto:man.she+he@x.co.uk",
        "ftp+x://he", "WWW.SHE.COM", "é@x.de/she@men.org", "<http://he.org/man>", "日http://she.org/her",
    ],
)  # fmt: skip
def test_addresses_stay(text):
    assert swap(f"{text} she") == f"{text} he"
    assert swap(f"he {text}\tshe") == f"she {text}\the"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("she@", "he@"),
        ("@she", "@he"),
        ("he://", "she://"),
        ("www.", "www."),
        ("she/he@x", "he/she@x"),  # no host has a dot
        ("http://x.org<b>she", "http://x.org<b>he"),
        ("she,www.x.org", "he,www.x.org"),
    ],
)
def test_what_only_looks_like_an_address_is_text(text, new):
    assert swap(text) == new


def test_a_very_long_stretch_without_white_space_is_looked_at_once():
    text = "she/" * 100_000 + "she-x@y.org " + "@" * 100_000 + " she"
    assert swap(text) == "he/" * 100_000 + "she-x@y.org " + "@" * 100_000 + " he"
    block = ("a" * 1000 + "://she " + "b" * 1000 + ".she").encode()
    addresses = Addresses(block)
    assert addresses.hold(block.index(b"she"), block.index(b"she") + 3)
    assert not addresses.hold(block.rindex(b"she"), len(block))


@pytest.mark.parametrize(
    ("found", "counterpart", "new"),
    [
        ("SHE", "he", "HE"), ("She", "he", "He"), ("she", "he", "he"), ("sHE", "he", "he"), ("S", "he", "He"),
        ("Mother-In-Law", "father-in-law", "Father-In-Law"), ("Mother-in-law", "father-in-law", "Father-in-law"),
        ("MOTHER-in-law", "father-in-law", "FATHER-in-law"), ("MOTHER-IN-LAW", "father-in-law", "FATHER-IN-LAW"),
        ("Ma'am", "sir", "Sir"), ("MA'AM", "sir", "SIR"), ("Step  Mother", "step father", "Step Father"),
        ("LADY", "gentle man", "GENTLE MAN"), ("Lady", "gentle man", "Gentle man"),
    ],
)  # fmt: skip
def test_case_is_kept(found, counterpart, new):
    assert match_case(found, counterpart) == new


def test_names_are_names_only_with_a_capital():
    listed = pairs.take_pairs(
        [("Rose", "Mark"), ("Mary-Ann", "John"), ("McCall", "O'Neil"), ("she", "he"), ("rose", "bush")]
    )
    assert swap("Rose ROSE rose RoSe Mark mark", listed) == "Mark MARK bush Bush Rose mark"
    assert swap("Mary-Ann MARY-ANN mary-ann Mary-ann", listed) == "John JOHN mary-ann Mary-ann"
    assert swap("McCall MCCALL mccall O’Neil", listed) == "O'Neil O'NEIL mccall McCall"
    assert swap("mark mary-ann Mark SHE", listed, ignore_case=True) == "rose john Rose HE"


def test_the_first_line_with_a_word_says_what_it_becomes():
    listed = pairs.take_pairs([("mom", "dad"), ("mum", "dad"), ("mom", "pa")])
    assert swap("mom mum dad pa", listed) == "dad dad mom mom"


def test_a_blank_in_a_term_is_any_white_space():
    listed = pairs.take_pairs([("first lady", "first gentleman"), ("lady", "lord"), ("first", "second")])
    assert swap("The first \u2003\t lady, First Lady, first ladys lady", listed) == (
        "The first gentleman, First Gentleman, second ladys lord"
    )
    assert swap(["first", "lady"], listed) == ["second lord"]  # in two texts


def test_regex_characters_in_a_list_are_letters_like_others():
    listed = pairs.take_pairs([("ms.", "mr."), ("a+b", "c(d"), ("x|y", "z?")])
    assert swap("ms. Smith, ms.x a+b aab x|y z? c(d msx", listed) == "mr. Smith, ms.x c(d aab z? x|y a+b msx"


HER = """
I saw [him]. | Was it [him]? | I like [him], too. | with [him] and me | told [him] that | gave [him] the book | saw [him] in town
He met [him] yesterday | It made [him] a star | loved [him] very much | watched [him] quietly | He looked at [him] (again)
They let [him] go | that helped [him] find it | saw [him] running away | kept [him] locked up | gave [him] two apples
called [him] back | saw [him] last night | took [him] home | asked [him] “why” | saw [him]; | I know [him]
from [him] — or | behind [him]! | let [him] speak freely | paid [him] 500 dollars | to [him] who came | saw [him] there
[his] book | [his] own way | let [his] mother go | helped [his] brother | [his] newly built house | [his] two children
on [his] back | [his] last album | [his] most famous role | [his] so-called friend | saw [his] wedding | [his] “friend”
[his] in-laws | at [his] home | [his]/her children | [his] left hand | for [his] early work | [his] head is red
""".replace("\n", " | ")
SENTENCES = [each.strip() for each in HER.split("|") if each.strip() and "/her" not in each]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_her_is_him_or_his(sentence):
    (wanted,) = re.findall(r"\[(\w+)\]", sentence)
    assert swap(re.sub(r"\[\w+\]", "her", sentence)).split() == _others(sentence.replace("[", "").replace("]", ""))
    before, _, after = re.sub(r"\[\w+\]", "her", sentence).partition("her")
    assert pronouns.resolve_her(before, after) == wanted


def _others(sentence):
    """The sentence with all other words replaced: what stood in brackets is what her becomes."""
    swaps = {"He": "She", "mother": "father", "brother": "sister"}
    return [swaps.get(word, word) for word in sentence.split()]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("his book", "her book"), ("It is his.", "It is hers."), ("his was", "hers was"), ("of his", "of hers"),
        ("his, not", "hers, not"), ("his wasp", "her wasp"), ("HIS!", "HERS!"), ("His is", "Hers is"),
        ("his (old) dog", "her (old) dog"), ("his /", "her /"), ("his)", "hers)"), ("his-and", "her-and"),
    ],
)  # fmt: skip
def test_his_is_her_or_hers(text, new):
    assert swap(text) == new


def test_her_and_his_with_a_stroke_between():
    assert swap("her/his children, his/her children") == "his/her children, her/his children"


def test_nothing_to_look_at():
    none = np.zeros(0, dtype=np.int64)
    assert Swapper(Vocabulary(BUNDLED)).edits(b"she", none, none) == []


def test_words_of_many_letters_beyond_ascii():
    """Of seven or more, lower case, upper case and a capital are known."""
    listed = pairs.take_pairs([("ééééééé", "aaa"), ("ñandú", "ema")])
    assert swap("ééééééé ÉÉÉÉÉÉÉ Éééééééé Éééééé éÉééééé Ñandú ÑANDÚ", listed) == (
        "aaa AAA Éééééééé Éééééé éÉééééé Ema EMA"
    )
    assert swap("Ééééééé", listed) == "Aaa"


def test_pronouns_look_no_farther_than_their_text():
    assert swap(["with her", "book"]) == ["with him book"]
    assert swap(["book of his", "book"]) == ["book of hers book"]
    assert swap(["let", "her go"]) == ["let his go"]


def test_pronouns_as_the_list_has_them():
    assert swap("her book, with her, his, hers, him", how="first") == "his book, with his, her, his, her"
    assert (
        swap("with her", pairs.take_pairs([("her", "his"), ("she", "he")])) == "with his"
    )  # a list without the others
    assert swap("HER book, Her", how="rule") == "HIS book, Him"


# --- against what is not ours, and laws ------------------------------------------------------------------------------

WORDS = ["she", "woman", "step-mom", "Rose", "lady", "ma'am", "tía"]
OTHERS = ["he", "man", "step-dad", "Mark", "lord", "sir", "tío"]
ONE_TO_ONE = pairs.take_pairs(zip(WORDS, OTHERS, strict=True))
_PLAIN = re.compile(
    r"(?<!\w)(?:" + "|".join(map(re.escape, sorted([*WORDS, *OTHERS], key=len, reverse=True))) + r")(?!\w)"
)
PIECES = st.sampled_from(
    [*WORDS, *OTHERS, " ", " ", ", ", "-", "/", "_", "é", "x", "7", "\n", "\u00a0", "“", "日本", "mom", "step", "."]
)


@given(st.lists(st.lists(PIECES, max_size=30).map("".join), min_size=1, max_size=4))
def test_it_is_what_one_regular_expression_finds(texts):
    """In lower case, as listed; in texts without addresses."""
    partner = dict(zip([*WORDS, *OTHERS], [*OTHERS, *WORDS], strict=True))
    wanted = [_PLAIN.sub(lambda match: partner[match.group()], text) for text in texts]
    block, starts, ends = join_texts([text.encode() for text in texts])
    edits = Swapper(Vocabulary(ONE_TO_ONE)).edits(block, starts, ends)
    assert apply_edits(block, edits).decode() == " ".join(wanted)


CASES = st.sampled_from([str, str.capitalize, str.upper])
WORD = st.tuples(st.sampled_from([*WORDS, *OTHERS]), CASES).map(
    lambda both: both[1](both[0]) if both[0].islower() else both[0]
)
GAP = st.sampled_from([" ", ", ", "; ", "\u00a0", " of ", " — ", "/", ". "])


@given(st.lists(st.tuples(WORD, GAP), max_size=30))
def test_twice_gives_the_text_back(parts):
    text = "".join(word + gap for word, gap in parts)
    new = swap(text, ONE_TO_ONE)
    assert swap(new, ONE_TO_ONE) == text
    assert not parts or new != text


@given(st.lists(st.tuples(WORD, st.sampled_from([" ", ", ", " of "])), max_size=30))
def test_the_counts_of_the_two_groups_change_places(parts):
    text = "".join(word + gap for word, gap in parts)
    lexicon = Lexicon.from_terms(tsv.GroupTerms("", {"f": tuple(WORDS), "m": tuple(OTHERS)}), "strip")
    kernel = Kernel(lexicon)
    (before,), (after,) = (kernel.count(*join_texts([each.encode()]))[1] for each in (text, swap(text, ONE_TO_ONE)))
    assert before.tolist() == after[::-1].tolist()
    assert before.sum() == len(parts)


def test_what_a_scan_finds_does_not_depend_on_where_it_is_cut(monkeypatch):
    texts = [f"she and step-mom {'x' * i} Rose, lady\n woman" for i in range(40)]
    whole = swap(texts, ONE_TO_ONE)
    monkeypatch.setattr(Kernel, "batch", 64)
    assert swap(texts, ONE_TO_ONE) == whole


# --- lists ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        ("", None, "no pairs"),
        ("# nothing\n", None, "no pairs"),
        ("she,he\nher\n", 2, "1 column instead of two words"),
        ("she,he,it\n", 1, "3 columns"),
        ("she,\n", 1, "an empty word"),
        ("she,she\n", 1, "paired with itself"),
        ("she,he\n\nshe,he\n", 3, "both have a counterpart already"),
        ("lady,lord\ngirl,lady\n", 2, "lady is on the left of another pair, and on the right here"),
        ("she,-he\n", 1, "begins with neither a letter nor a digit"),
        ('[["she", "he"], ["her"]]', 2, "1 column"),
        ('[["she", "he"], 7]', 2, "no pair instead of two words"),
        ('[["she", "he"', 1, "this is not JSON"),
    ],
)
def test_a_list_that_is_none(tmp_path, lines, line, what):
    (tmp_path / "p.csv").write_text(lines)
    with pytest.raises(InputError, match=what) as fault:
        pairs.read(tmp_path / "p.csv")
    assert fault.value.line == line


def test_lists_may_be_written_in_three_ways(tmp_path):
    (tmp_path / "a").write_text("# a list\nshe,he\nfirst  lady , first gentleman\n")
    (tmp_path / "b").write_text("she\the\r\nfirst lady\tfirst gentleman\n")
    (tmp_path / "c").write_text(json.dumps([["she", "he"], ["first lady", "first gentleman"]]))
    found = [pairs.read(tmp_path / name).partners for name in "abc"]
    assert found[0] == found[1] == found[2]
    assert found[0]["first gentleman"] == "first lady"


def test_the_bundled_list():
    """Its words are those of gender-en on their side; a and an stay right, for no word begins to sound otherwise."""
    lists = tsv.terms(LISTS / "gender-en.csv").terms
    known = {word: group for group in lists for word in lists[group]}
    for left, right in BUNDLED.lines:
        assert known.get(left.lower(), "f") == "f"
        assert known.get(right.lower(), "m") == "m"
        if left.islower():
            assert (left[0] in "aeiou") == (right[0] in "aeiou"), (left, right)
    assert "miss" not in BUNDLED.partners
    assert {"ms", "lord", "host", "master"}.isdisjoint(BUNDLED.partners)
    again = [word for word, partner in BUNDLED.partners.items() if BUNDLED.partners[partner] != word]
    assert sorted(again) == ["auntie", "hers", "him", "ma'am", "mum", "mums"]
    names = [word for pair in BUNDLED.lines for word in pair if word != word.lower()]
    assert len(names) == len({*names}) == 150


def test_groups_say_what_stays():
    vocabulary = Vocabulary(BUNDLED)
    left = vocabulary.find_uncovered(tsv.terms(LISTS / "gender-en.csv"))
    assert left == [word for word in left if word not in vocabulary.listed]
    assert "duchess" in left
    assert len(left) < 15
    assert np.isin(["she", "john", "mother-in-law"], left).sum() == 0


def test_stars_in_a_list_of_pairs_are_refused_with_their_line(tmp_path):
    from fairtrec.formats import pairs

    (tmp_path / "pairs.csv").write_text("she,he\nmother*,father\n")
    with pytest.raises(InputError, match=r"pairs.csv:2: mother\*: there are no wildcards; list the words"):
        pairs.read(tmp_path / "pairs.csv")
